/* store.c - see store.h: opening, closing, errors and statements. */
#include "core/store/store_internal.h"

#include "core/store/store_copy.h"
#include "core/store/store_schema.h"
#include "core/store/store_upgrade.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

enum { BUSY_TIMEOUT_MS = 5000, CLOSE_TIMEOUT_MS = 1000, CACHE_KIB = 8192 };

static bool is_disk_full(int code, int system_errno)
{
    if ((code & 0xFF) == SQLITE_FULL)
        return true;
    return (code & 0xFF) == SQLITE_IOERR &&
           (system_errno == ENOSPC || system_errno == EDQUOT || system_errno == EFBIG);
}

int32_t store_error(const struct store *store, struct gb_error *error)
{
    int code = sqlite3_extended_errcode(store->db);
    /* A failed COMMIT leaves the system's number in errno only. */
    int system_errno = sqlite3_system_errno(store->db);
    if (system_errno == 0)
        system_errno = errno;
    if (is_disk_full(code, system_errno))
        return error_set(
            error, GB_IO,
            "%s: disk full: nothing more can be stored; what was stored before is safe",
            store->path);
    switch (code & 0xFF) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        return error_set(error, GB_IO, "%s: in use by another program", store->path);
    case SQLITE_NOTADB:
        return error_set(error, GB_CORRUPT, "%s: not a results file of gbrun", store->path);
    case SQLITE_CORRUPT:
        return error_set(error, GB_CORRUPT, "%s: damaged: %s", store->path,
                         sqlite3_errmsg(store->db));
    case SQLITE_NOMEM:
        return error_set(error, GB_NO_MEMORY, "%s: out of memory", store->path);
    case SQLITE_READONLY:
        return error_set(error, GB_IO, "%s: cannot be written", store->path);
    case SQLITE_IOERR:
    case SQLITE_CANTOPEN:
        return error_set(error, GB_IO, "%s: %s (%s)", store->path, sqlite3_errmsg(store->db),
                         system_errno ? strerror(system_errno) : "no reason given");
    default:
        return error_set(error, GB_FAILED, "%s: %s", store->path, sqlite3_errmsg(store->db));
    }
}

sqlite3_stmt *store_statement(struct store *store, const char *sql, struct gb_error *error)
{
    size_t i = 0;
    while (i < store->n_statements && store->statements[i].sql != sql)
        i++;
    if (i < store->n_statements) {
        sqlite3_clear_bindings(store->statements[i].statement);
        return store->statements[i].statement;
    }
    sqlite3_stmt *statement = NULL;
    if (i == STORE_STATEMENTS_MAX) {
        error_set(error, GB_FAILED, "%s: more than %d statements", store->path,
                  STORE_STATEMENTS_MAX);
        return NULL;
    }
    if (sqlite3_prepare_v3(store->db, sql, -1, SQLITE_PREPARE_PERSISTENT, &statement, NULL)) {
        store_error(store, error);
        return NULL;
    }
    store->statements[i].sql = sql;
    store->statements[i].statement = statement;
    store->n_statements++;
    return statement;
}

int32_t store_finish(struct store *store, sqlite3_stmt *statement, struct gb_error *error)
{
    if (!statement)
        return error ? error->status : GB_FAILED;
    int code;
    errno = 0;
    do
        code = sqlite3_step(statement);
    while (code == SQLITE_ROW);
    int32_t status = code == SQLITE_DONE ? GB_OK : store_error(store, error);
    sqlite3_reset(statement);
    return status;
}

static int32_t execute(struct store *store, const char *sql, struct gb_error *error)
{
    return sqlite3_exec(store->db, sql, NULL, NULL, NULL) ? store_error(store, error) : GB_OK;
}

int32_t store_begin(struct store *store, struct gb_error *error)
{
    return store_finish(store, store_statement(store, "BEGIN IMMEDIATE", error), error);
}

int32_t store_end(struct store *store, int32_t status, struct gb_error *error)
{
    if (status == GB_OK)
        status = store_finish(store, store_statement(store, "COMMIT", error), error);
    if (!sqlite3_get_autocommit(store->db))
        sqlite3_exec(store->db, "ROLLBACK", NULL, NULL, NULL); /* the first error is the one told */
    return status;
}

void bind_text(sqlite3_stmt *statement, int *at, const char *text)
{
    sqlite3_bind_text(statement, ++*at, text ? text : "", -1, SQLITE_STATIC);
}

void bind_integer(sqlite3_stmt *statement, int *at, int64_t value)
{
    sqlite3_bind_int64(statement, ++*at, value);
}

void bind_real(sqlite3_stmt *statement, int *at, double value)
{
    sqlite3_bind_double(statement, ++*at, value);
}

void bind_null(sqlite3_stmt *statement, int *at)
{
    sqlite3_bind_null(statement, ++*at);
}

const char *column_text(sqlite3_stmt *statement, int column, struct arena *arena)
{
    const char *text = (const char *)sqlite3_column_text(statement, column);
    return text ? arena_text(arena, text) : "";
}

double column_real(sqlite3_stmt *statement, int column)
{
    return sqlite3_column_type(statement, column) == SQLITE_NULL
               ? NAN
               : sqlite3_column_double(statement, column);
}

/* One integer, such as a PRAGMA's; -1 after an error. */
static int64_t query_integer(struct store *store, const char *sql, struct gb_error *error)
{
    sqlite3_stmt *statement = NULL;
    int64_t value = -1;
    if (sqlite3_prepare_v2(store->db, sql, -1, &statement, NULL) ||
        sqlite3_step(statement) != SQLITE_ROW)
        store_error(store, error);
    else
        value = sqlite3_column_int64(statement, 0);
    sqlite3_finalize(statement);
    return value;
}

/* Is it ours, and can this version read it? *ret_version: of its schema; 0: there is nothing in it.
 */
static int32_t check_identity(struct store *store, int *ret_version, struct gb_error *error)
{
    int64_t application_id = query_integer(store, "PRAGMA application_id", error);
    if (application_id < 0)
        return error->status;
    int64_t n_objects = query_integer(store, "SELECT count(*) FROM sqlite_schema", error);
    if (n_objects < 0)
        return error->status;
    int64_t version = query_integer(store, "PRAGMA user_version", error);
    if (version < 0)
        return error->status;
    *ret_version = 0;
    if (application_id == 0 && n_objects == 0)
        return GB_OK;
    if (application_id != STORE_APPLICATION_ID)
        return error_set(error, GB_CORRUPT,
                         "%s: not a results file of gbrun, but an SQLite file of another program",
                         store->path);
    if (version > STORE_SCHEMA_VERSION)
        return error_set(error, GB_UNSUPPORTED,
                         "%s: made by a newer gbrun (format %lld; this one knows %d): use that one",
                         store->path, (long long)version, STORE_SCHEMA_VERSION);
    *ret_version = version > 0 ? (int)version : 1;
    return GB_OK;
}

static int32_t create_tables(struct store *store, struct gb_error *error)
{
    char pragmas[96];
    snprintf(pragmas, sizeof pragmas, "PRAGMA application_id = %d; PRAGMA user_version = %d",
             STORE_APPLICATION_ID, STORE_SCHEMA_VERSION);
    int32_t status = store_begin(store, error);
    if (status != GB_OK)
        return status;
    for (size_t i = 0; status == GB_OK && i < sizeof store_schema / sizeof *store_schema; i++)
        status = execute(store, store_schema[i], error);
    if (status == GB_OK)
        status = execute(store, pragmas, error);
    return store_end(store, status, error);
}

/* Shared memory between processes of different hosts does not work: WAL would be unsafe there. */
static bool is_network_file_system(const char *path)
{
    static const uint32_t types[] = {
        0x6969,     0x517B,     0xFF534D42, 0xFE534D42, /* NFS, SMB, CIFS, SMB 2 */
        0x0BD00BD0, 0x47504653, 0x19830326, 0x00C36400, /* Lustre, GPFS, BeeGFS, Ceph */
        0x01021997, 0x65735546, 0x5346414F,             /* 9P, FUSE, AFS */
    };
    struct statfs info;
    if (statfs(path, &info) != 0)
        return false;
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (types[i] == (uint32_t)info.f_type)
            return true;
    return false;
}

/* WAL where it can be had, so that a commit needs no fsync; else the rollback journal stays. */
static int32_t choose_journal(struct store *store, struct gb_error *error)
{
    const char *journal = is_network_file_system(store->path) ? "PRAGMA journal_mode = DELETE"
                                                              : "PRAGMA journal_mode = WAL";
    sqlite3_stmt *statement = NULL;
    int code = sqlite3_prepare_v2(store->db, journal, -1, &statement, NULL);
    if (code == SQLITE_OK)
        code = sqlite3_step(statement);
    int32_t status = code == SQLITE_ROW ? GB_OK : store_error(store, error);
    sqlite3_finalize(statement);
    return status == GB_OK ? execute(store, "PRAGMA synchronous = NORMAL", error) : status;
}

static int32_t open_database(struct store *store, const char *name, int flags, const char *vfs,
                             struct gb_error *error)
{
    char cache[48];
    snprintf(cache, sizeof cache, "PRAGMA cache_size = -%d", CACHE_KIB);
    int code = sqlite3_open_v2(name, &store->db, flags | SQLITE_OPEN_NOMUTEX, vfs);
    if (code != SQLITE_OK)
        return store_error(store, error);
    sqlite3_extended_result_codes(store->db, 1);
    sqlite3_busy_timeout(store->db, BUSY_TIMEOUT_MS);
    int32_t status = execute(store, "PRAGMA foreign_keys = ON", error);
    return status == GB_OK ? execute(store, cache, error) : status;
}

static void close_database(struct store *store)
{
    for (size_t i = 0; i < store->n_statements; i++)
        sqlite3_finalize(store->statements[i].statement);
    store->n_statements = 0;
    sqlite3_close(store->db);
    store->db = NULL;
}

/* The lock is a flock, which the kernel takes back however the process ends. SQLite's own locks
 * are of the other kind (fcntl), so the two do not meet. */
static int32_t lock_for_writing(struct store *store, struct gb_error *error)
{
    store->lock_fd = open(store->path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (store->lock_fd < 0)
        return error_set(error, GB_IO, "%s: cannot be opened for writing: %s", store->path,
                         strerror(errno));
    if (flock(store->lock_fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
        return error_set(
            error, GB_IO,
            "%s: another gbrun is writing to it; wait for its end or name another file",
            store->path);
    return GB_OK; /* a file system without flock still has SQLite's locks */
}

static int32_t open_for_writing(struct store *store, const char *vfs, struct gb_error *error)
{
    int version = 0;
    int32_t status = lock_for_writing(store, error);
    if (status == GB_OK)
        status = open_database(store, store->path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, vfs,
                               error);
    if (status == GB_OK)
        status = check_identity(store, &version, error);
    if (status == GB_OK && version == 0)
        status = create_tables(store, error);
    else if (status == GB_OK && version < STORE_SCHEMA_VERSION)
        status = store_upgrade(store, version, error);
    if (status == GB_OK)
        status = choose_journal(store, error);
    return status;
}

/* Ways to open a file for reading, tried in turn. A file that a killed run left behind has to be
 * recovered, which writes beside it; where that is not allowed, a copy is recovered. */
static int32_t open_as_is(struct store *store, const char *vfs, struct gb_error *error)
{
    return open_database(store, store->path, SQLITE_OPEN_READONLY, vfs, error);
}

static int32_t open_and_recover(struct store *store, const char *vfs, struct gb_error *error)
{
    return open_database(store, store->path, SQLITE_OPEN_READWRITE, vfs, error);
}

static int32_t open_immutable(struct store *store, const char *vfs, struct gb_error *error)
{
    if (store_has_journal(store->path))
        return error_set(error, GB_IO, "%s: has a journal", store->path);
    CLEANUP(text_free) struct text uri = {0};
    store_immutable_uri(store->path, &uri);
    return open_database(store, text_get(&uri), SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, vfs, error);
}

static int32_t open_copy(struct store *store, const char *vfs, struct gb_error *error)
{
    CLEANUP(text_free) struct text copy = {0};
    int32_t status = store_copy_make(store->path, &copy, error);
    if (status != GB_OK)
        return status;
    status = open_database(store, text_get(&copy), SQLITE_OPEN_READWRITE, vfs, error);
    if (status == GB_OK)
        status = execute(store, "PRAGMA journal_mode = DELETE", error);
    store_copy_remove(text_get(&copy)); /* the open file lives on without a name */
    return status;
}

static int32_t open_for_reading(struct store *store, const char *vfs, struct gb_error *error)
{
    static int32_t (*const ways[])(struct store *, const char *, struct gb_error *) = {
        open_as_is, open_and_recover, open_immutable, open_copy};
    struct stat info;
    if (stat(store->path, &info) != 0)
        return error_set(error, errno == ENOENT ? GB_NOT_FOUND : GB_IO, "%s: %s", store->path,
                         errno == ENOENT ? "there is no such results file" : strerror(errno));
    if (S_ISDIR(info.st_mode))
        return error_set(error, GB_IO, "%s: a folder, not a results file", store->path);
    if (info.st_size == 0)
        return error_set(error, GB_CORRUPT, "%s: empty: nothing was ever stored in it",
                         store->path);
    int32_t status = GB_IO;
    for (size_t i = 0; status == GB_IO && i < sizeof ways / sizeof *ways; i++) {
        struct gb_error attempt = {0};
        int version = 0;
        close_database(store);
        status = ways[i](store, vfs, &attempt);
        if (status == GB_OK)
            status = check_identity(store, &version, &attempt);
        if (status == GB_OK && version > 0)
            status = store_read_as_present(store, version, &attempt);
        else if (status == GB_OK)
            status = error_set(&attempt, GB_CORRUPT, "%s: empty: nothing was ever stored in it",
                               store->path);
        if (status != GB_IO || i == 0)
            *error = attempt;
    }
    return status;
}

int32_t store_open_vfs(const char *path, int mode, const char *vfs, struct store **ret,
                       struct gb_error *error)
{
    struct gb_error ignored = {0};
    struct store *store = memory_allocate(sizeof *store);
    error = error ? error : &ignored;
    store->path = memory_copy_text(path);
    store->lock_fd = -1;
    store->writes = mode == STORE_WRITE;
    int32_t status = store->writes ? open_for_writing(store, vfs, error)
                                   : open_for_reading(store, vfs, error);
    if (status == GB_OK) {
        *ret = store;
        return GB_OK;
    }
    store->writes = false; /* nothing to fold into the file */
    store_close(store, NULL);
    return status;
}

int32_t store_open(const char *path, int mode, struct store **ret, struct gb_error *error)
{
    return store_open_vfs(path, mode, NULL, ret, error);
}

/* Folds the log into the file. With a reader in the way the log stays beside it, complete, until
 * the last one has closed. */
static int32_t fold_log(struct store *store, struct gb_error *error)
{
    sqlite3_busy_timeout(store->db, CLOSE_TIMEOUT_MS);
    int code = sqlite3_exec(store->db, "PRAGMA journal_mode = DELETE", NULL, NULL, NULL);
    return code == SQLITE_OK || (code & 0xFF) == SQLITE_BUSY || (code & 0xFF) == SQLITE_LOCKED
               ? GB_OK
               : store_error(store, error);
}

int32_t store_close(struct store *store, struct gb_error *error)
{
    if (!store)
        return GB_OK;
    for (size_t i = 0; i < store->n_statements; i++)
        sqlite3_finalize(store->statements[i].statement);
    store->n_statements = 0;
    int32_t status = store->writes ? fold_log(store, error) : GB_OK;
    close_database(store);
    if (store->lock_fd >= 0)
        close(store->lock_fd); /* last: closing it would drop SQLite's locks on the file */
    free(store->path);
    free(store);
    return status;
}
