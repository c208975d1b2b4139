/* store.c - see store.h: opening, closing, errors and statements. */
#include "core/store/store_internal.h"

#include "core/store/store_schema.h"

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

int32_t store_refuse(const char *path, const char *begin, const char *why, struct gb_error *error)
{
    static const struct {
        const char *begin, *program, *fix;
    } packers[] = {{GZIP_MAGIC, "gzip", "gunzip -k"},
                   {"\xfd"
                    "7zXZ",
                    "xz", "unxz -k"},
                   {"\x28\xb5\x2f\xfd", "zstd", "unzstd"},
                   {"BZh", "bzip2", "bunzip2 -k"},
                   {"PK\x03\x04", "zip", "unzip"}};
    for (size_t i = 0; i < sizeof packers / sizeof *packers; i++)
        if (text_starts_with(begin, packers[i].begin))
            return error_set(error, GB_CORRUPT, "%s: compressed by %s: decompress it first: %s %s",
                             path, packers[i].program, packers[i].fix, path);
    return error_set(error, GB_CORRUPT, "%s: %s", path, why);
}

static int32_t refuse_file(const char *path, struct gb_error *error)
{
    char begin[8] = "";
    FILE *file = fopen(path, "re");
    if (file) {
        begin[fread(begin, 1, sizeof begin - 1, file)] = 0;
        fclose(file);
    }
    return store_refuse(path, begin, "not a results file of gbrun", error);
}

int32_t store_error(const struct store *store, struct gb_error *error)
{
    int code = sqlite3_extended_errcode(store->db);
    /* A failed COMMIT leaves the system's number in errno only. */
    int system_errno = sqlite3_system_errno(store->db);
    if (system_errno == 0)
        system_errno = errno;
    if (is_disk_full(code, system_errno))
        return error_set(error, GB_IO,
                         "%s: %s: nothing more can be stored; what is already stored is safe",
                         store->path, system_errno == EFBIG ? reason_of(EFBIG) : "disk full");
    switch (code & 0xFF) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        return error_set(error, GB_IO, "%s: in use by another program", store->path);
    case SQLITE_NOTADB:
        return refuse_file(store->path, error);
    case SQLITE_CORRUPT:
        return error_set(error, GB_CORRUPT, "%s: damaged: %s", store->path,
                         sqlite3_errmsg(store->db));
    case SQLITE_NOMEM:
        return error_set(error, GB_NO_MEMORY, "%s: %s", store->path, reason_of(ENOMEM));
    case SQLITE_READONLY:
        return error_set(error, GB_IO, "%s: cannot be written", store->path);
    case SQLITE_IOERR:
    case SQLITE_CANTOPEN:
        return error_set(error, GB_IO, "%s: %s (%s)", store->path, sqlite3_errmsg(store->db),
                         reason_of(system_errno));
    default:
        return error_set(error, GB_FAILED, "%s: %s", store->path, sqlite3_errmsg(store->db));
    }
}

static sqlite3_stmt *prepare(struct store *store, const char *sql, struct gb_error *error)
{
    sqlite3_stmt *statement = NULL;
    if (sqlite3_prepare_v3(store->db, sql, -1, SQLITE_PREPARE_PERSISTENT, &statement, NULL))
        store_error(store, error);
    return statement;
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
    if (i == STORE_STATEMENTS_MAX) {
        error_set(error, GB_FAILED, "%s: more than %d statements", store->path,
                  STORE_STATEMENTS_MAX);
        return NULL;
    }
    sqlite3_stmt *statement = prepare(store, sql, error);
    if (statement) {
        store->statements[i].sql = sql;
        store->statements[i].statement = statement;
        store->n_statements++;
    }
    return statement;
}

sqlite3_stmt *table_statement(struct store *store, int table, int statement, struct gb_error *error)
{
    sqlite3_stmt **prepared = &store->of_tables[table][statement];
    if (*prepared) {
        sqlite3_clear_bindings(*prepared);
    } else {
        CLEANUP(text_free) struct text sql = {0};
        table_sql(&store->schema->tables[table], statement, &sql);
        *prepared = prepare(store, text_get(&sql), error);
    }
    return *prepared;
}

int32_t store_failure(const struct gb_error *error)
{
    return error ? error->status : GB_FAILED;
}

bool store_bind_text(struct store *store, sqlite3_stmt *statement, int at, const char *text,
                     struct gb_error *error)
{
    if (sqlite3_bind_text(statement, at, text, -1, SQLITE_STATIC) == SQLITE_OK)
        return true;
    store_error(store, error);
    return false;
}

bool store_bind_integer(struct store *store, sqlite3_stmt *statement, int at, int64_t value,
                        struct gb_error *error)
{
    if (sqlite3_bind_int64(statement, at, value) == SQLITE_OK)
        return true;
    store_error(store, error);
    return false;
}

int32_t store_finish(struct store *store, sqlite3_stmt *statement, struct gb_error *error)
{
    if (!statement)
        return store_failure(error);
    int code;
    errno = 0;
    do
        code = sqlite3_step(statement);
    while (code == SQLITE_ROW);
    return store_end_rows(store, statement, code, error);
}

int32_t store_end_rows(struct store *store, sqlite3_stmt *statement, int code,
                       struct gb_error *error)
{
    int32_t status = code == SQLITE_DONE ? GB_OK : store_error(store, error);
    sqlite3_reset(statement);
    return status;
}

struct query query_begin(struct store *store, struct gb_error *error, const char *sql,
                         const char *kinds, ...)
{
    struct query query = {store, error, store_statement(store, sql, error), SQLITE_DONE};
    va_list parameters;
    va_start(parameters, kinds);
    for (int at = 1; query.row && kinds[at - 1]; at++) {
        const bool is_bound =
            kinds[at - 1] == 'i'
                ? store_bind_integer(store, query.row, at, va_arg(parameters, int64_t), error)
                : store_bind_text(store, query.row, at, va_arg(parameters, const char *), error);
        query.row = is_bound ? query.row : NULL;
    }
    va_end(parameters);
    return query;
}

bool query_next(struct query *query)
{
    query->code = query->row ? sqlite3_step(query->row) : SQLITE_DONE;
    return query->code == SQLITE_ROW;
}

int32_t query_end(const struct query *query)
{
    const int code = query->code == SQLITE_ROW ? SQLITE_DONE : query->code;
    return query->row ? store_end_rows(query->store, query->row, code, query->error)
                      : store_failure(query->error);
}

int32_t store_execute(struct store *store, const char *sql, struct gb_error *error)
{
    return sqlite3_exec(store->db, sql, NULL, NULL, NULL) ? store_error(store, error) : GB_OK;
}

/* Copies what the open file holds to a file beside the path. */
static bool rescue(struct store *store, const char *path)
{
    sqlite3_stmt *statement = NULL;
    sqlite3_prepare_v2(store->db, "VACUUM INTO ?1", -1, &statement, NULL);
    sqlite3_bind_text(statement, 1, path, -1, SQLITE_STATIC);
    bool is_rescued = sqlite3_step(statement) == SQLITE_DONE;
    sqlite3_finalize(statement);
    return is_rescued;
}

/* Is the file at the path still the one that is open? If not, nothing may touch it or its log: they
 * may be another's. */
static int32_t check_file(struct store *store, struct gb_error *error)
{
    struct stat open_one, named;
    if (store->lock_fd < 0 || fstat(store->lock_fd, &open_one) != 0)
        return GB_OK;
    bool is_there = stat(store->path, &named) == 0;
    bool is_same = is_there && named.st_dev == open_one.st_dev && named.st_ino == open_one.st_ino;
    bool is_whole = open_one.st_size >= store->bytes;
    store->bytes = is_whole ? open_one.st_size : store->bytes;
    if (is_same && is_whole)
        return GB_OK;
    const char *what = !is_whole                ? "truncated"
                       : is_there               ? "replaced"
                       : open_one.st_nlink == 0 ? "deleted"
                                                : "moved";
    CLEANUP(text_free) struct text copy = {0};
    text_printf(&copy, "%s.rescued", store->path);
    bool is_rescued = is_whole && rescue(store, text_get(&copy));
    store->writes = false;
    sqlite3_db_config(store->db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
    return error_set(error, GB_IO, "%s: was %s while it was written to; %s%s%s", store->path, what,
                     is_rescued ? "what was stored is in " : "what was stored cannot be rescued",
                     is_rescued ? text_get(&copy) : "",
                     is_rescued ? ": move it back to continue with it" : "");
}

static int on_lock(void *context, int n)
{
    struct store *store = context;
    return store->wait(store->wait_context, store->path, n);
}

void store_on_lock(struct store *store, store_wait_fn *wait, void *context)
{
    store->wait = wait;
    store->wait_context = context;
    if (wait)
        sqlite3_busy_handler(store->db, on_lock, store);
    else
        sqlite3_busy_timeout(store->db, BUSY_TIMEOUT_MS);
}

/* A rollback journal, which is only there during a transaction, was synced by the commit. */
int32_t store_sync(struct store *store, struct gb_error *error)
{
    sqlite3_file *log = NULL;
    sqlite3_file_control(store->db, "main", SQLITE_FCNTL_JOURNAL_POINTER, &log);
    errno = 0;
    if (!log || !log->pMethods ||
        log->pMethods->xSync(log, SQLITE_SYNC_NORMAL | SQLITE_SYNC_DATAONLY) == SQLITE_OK)
        return GB_OK;
    return error_set(error, GB_IO, "%s: cannot be synced to the disk: %s", store->path,
                     reason_of(errno));
}

int32_t store_begin(struct store *store, struct gb_error *error)
{
    if (store->writes && check_file(store, error) != GB_OK)
        return store_failure(error);
    return store_finish(store, store_statement(store, "BEGIN IMMEDIATE", error), error);
}

int32_t store_end(struct store *store, int32_t status, struct gb_error *error)
{
    if (status == GB_OK)
        status = store_finish(store, store_statement(store, "COMMIT", error), error);
    if (!sqlite3_get_autocommit(store->db))
        sqlite3_exec(store->db, "ROLLBACK", NULL, NULL, NULL); /* the first error is reported */
    return status;
}

sqlite3_stmt *store_statement_on(struct store *store, const char *sql, int64_t id,
                                 struct gb_error *error)
{
    sqlite3_stmt *statement = store_statement(store, sql, error);
    bool has_id = statement && sqlite3_bind_parameter_count(statement) > 0;
    return has_id && !store_bind_integer(store, statement, 1, id, error) ? NULL : statement;
}

int32_t store_integer(struct store *store, const char *sql, int64_t id, int64_t *ret,
                      struct gb_error *error)
{
    sqlite3_stmt *statement = store_statement_on(store, sql, id, error);
    if (statement && sqlite3_step(statement) == SQLITE_ROW)
        *ret = sqlite3_column_int64(statement, 0);
    return store_finish(store, statement, error);
}

/* Views that stand for tables: SQLite before 3.35 would run them. */
static int32_t check_views(struct store *store, struct gb_error *error)
{
    CLEANUP(text_free) struct text sql = {0};
    int64_t n = 0;
    text_add(
        &sql,
        "SELECT count(*) FROM sqlite_schema WHERE type = 'view' AND name COLLATE NOCASE IN (''");
    for (int t = 0; t < STORED_TABLES; t++)
        text_printf(&sql, ",'%s'", store->schema->tables[t].name);
    text_add(&sql, ")");
    int32_t status = store_integer(store, text_get(&sql), 0, &n, error);
    return status == GB_OK && n > 0
               ? error_set(error, GB_CORRUPT, "%s: damaged: it has views instead of tables",
                           store->path)
               : status;
}

/* Is it ours, and can this version read it? *ret_version: of its schema; 0: there is nothing in it.
 */
static int32_t check_identity(struct store *store, int *ret_version, struct gb_error *error)
{
    int64_t application_id = 0, n_objects = 0, version = 0;
    int32_t status = store_integer(store, "PRAGMA application_id", 0, &application_id, error);
    if (status == GB_OK)
        status = store_integer(store, "SELECT count(*) FROM sqlite_schema", 0, &n_objects, error);
    if (status == GB_OK)
        status = store_integer(store, "PRAGMA user_version", 0, &version, error);
    if (status != GB_OK)
        return status;
    *ret_version = 0;
    if (application_id == 0 && n_objects == 0)
        return GB_OK;
    if (application_id != STORE_APPLICATION_ID)
        return error_set(error, GB_CORRUPT,
                         "%s: not a results file of gbrun, but an SQLite file of another program",
                         store->path);
    if (version > schema_version(store->schema))
        return error_set(
            error, GB_UNSUPPORTED,
            "%s: written by a newer gbrun (format %lld; this one knows %d): use that version",
            store->path, (long long)version, schema_version(store->schema));
    if (version < 1)
        return error_set(error, GB_CORRUPT, "%s: damaged: its format has the number %lld",
                         store->path, (long long)version);
    *ret_version = (int)version;
    return check_views(store, error);
}

/* Makes the tables of an empty file (version 0), or brings a file of an earlier version up: in one
 * transaction, all or nothing. */
static int32_t make_present(struct store *store, int version, struct gb_error *error)
{
    CLEANUP(text_free) struct text sql = {0};
    int32_t status = store_begin(store, error);
    if (status != GB_OK)
        return status;
    if (version == 0)
        schema_create_sql(store->schema, &sql);
    else
        schema_upgrade_sql(store->schema, version, &sql);
    text_printf(&sql, ";PRAGMA application_id = %d; PRAGMA user_version = %d", STORE_APPLICATION_ID,
                schema_version(store->schema));
    return store_end(store, store_execute(store, text_get(&sql), error), error);
}

/* A file of an earlier version that cannot or must not be changed: what it lacks is put before its
 * tables for this connection alone. */
static int32_t read_as_present(struct store *store, int version, struct gb_error *error)
{
    CLEANUP(text_free) struct text sql = {0};
    schema_views_sql(store->schema, version, &sql);
    return store_execute(store, text_get(&sql), error);
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

/* WAL where it can be had, so that a commit needs no fsync and store_sync one for many; else the
 * rollback journal stays, and each commit is synced. */
static int32_t choose_journal(struct store *store, struct gb_error *error)
{
    const char *journal = is_network_file_system(store->path) ? "PRAGMA journal_mode = DELETE"
                                                              : "PRAGMA journal_mode = WAL";
    sqlite3_stmt *statement = NULL;
    int code = sqlite3_prepare_v2(store->db, journal, -1, &statement, NULL);
    if (code == SQLITE_OK)
        code = sqlite3_step(statement);
    const char *mode = code == SQLITE_ROW ? (const char *)sqlite3_column_text(statement, 0) : NULL;
    int32_t status = mode ? GB_OK : store_error(store, error);
    bool has_log = mode && text_equal(mode, "wal");
    sqlite3_finalize(statement);
    return status == GB_OK
               ? store_execute(
                     store, has_log ? "PRAGMA synchronous = NORMAL" : "PRAGMA synchronous = EXTRA",
                     error)
               : status;
}

/* No code of a file is run: neither triggers nor views but temporary ones, which are our own.
 * SQLite before 3.35 has one switch for both kinds of views, so that check_views looks for them. */
static void distrust(sqlite3 *db)
{
    sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
    sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_VIEW, sqlite3_libversion_number() < 3035000, NULL);
    sqlite3_db_config(db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
    sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
}

static int32_t open_database(struct store *store, const char *name, int flags, const char *vfs,
                             struct gb_error *error)
{
    char cache[48];
    snprintf(cache, sizeof cache, "PRAGMA cache_size = -%d", CACHE_KIB);
    int code = sqlite3_open_v2(name, &store->db, flags | SQLITE_OPEN_NOMUTEX, vfs);
    if (code != SQLITE_OK)
        return store_error(store, error);
    distrust(store->db);
    sqlite3_extended_result_codes(store->db, 1);
    sqlite3_busy_timeout(store->db, BUSY_TIMEOUT_MS);
    int32_t status = store_execute(store, "PRAGMA foreign_keys = ON", error);
    return status == GB_OK ? store_execute(store, cache, error) : status;
}

static void finalize_statements(struct store *store)
{
    for (size_t i = 0; i < store->n_statements; i++)
        sqlite3_finalize(store->statements[i].statement);
    store->n_statements = 0;
    for (int t = 0; t < STORED_TABLES; t++)
        for (int i = 0; i < STORED_STATEMENTS; i++)
            sqlite3_finalize(store->of_tables[t][i]);
    memset(store->of_tables, 0, sizeof store->of_tables);
}

static void close_database(struct store *store)
{
    finalize_statements(store);
    sqlite3_close(store->db);
    store->db = NULL;
}

bool store_has_writer(const char *path)
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    const bool is_taken = fd >= 0 && flock(fd, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
    if (fd >= 0)
        close(fd);
    return is_taken;
}

/* Has the file at the path become another one while its lock was waited for? */
static bool was_replaced(const struct store *store)
{
    struct stat open_one, named;
    return fstat(store->lock_fd, &open_one) == 0 &&
           (stat(store->path, &named) != 0 || named.st_dev != open_one.st_dev ||
            named.st_ino != open_one.st_ino);
}

/* The lock is a flock, which the kernel takes back however the process ends. SQLite's own locks
 * are of the other kind (fcntl), so the two do not meet. */
static int32_t lock_for_writing(struct store *store, struct gb_error *error)
{
    store->lock_fd = open(store->path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (store->lock_fd < 0)
        return error_set(error, GB_IO, "%s: cannot be opened for writing: %s", store->path,
                         reason_of(errno));
    struct stat facts;
    if (fstat(store->lock_fd, &facts) == 0 && !S_ISREG(facts.st_mode))
        return error_set(error, GB_INVALID, "%s: results need a regular file: name another one",
                         store->path);
    /* A file system without flock still has SQLite's locks. */
    if (flock(store->lock_fd, LOCK_EX) != 0 && errno == EINTR)
        return error_set(error, GB_CANCELLED, "%s: another gbrun is writing to it: not waited for",
                         store->path);
    if (!was_replaced(store))
        return GB_OK;
    close(store->lock_fd);
    return lock_for_writing(store, error);
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
    if (status == GB_OK && version < schema_version(store->schema))
        status = make_present(store, version, error);
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

/* ---- where nothing may be written beside the file ---- */

static int32_t open_immutable(struct store *store, const char *vfs, struct gb_error *error)
{
    if (store_has_journal(store->path))
        return error_set(error, GB_IO, "%s: has a journal", store->path);
    CLEANUP(text_free) struct text uri = {0};
    text_add(&uri, "file:");
    for (const char *at = store->path; *at; at++)
        text_printf(&uri, strchr("%?#", *at) ? "%%%02x" : "%c", (unsigned char)*at);
    text_add(&uri, "?immutable=1");
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
        status = store_execute(store, "PRAGMA journal_mode = DELETE", error);
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
                         errno == ENOENT ? "there is no such results file" : reason_of(errno));
    if (S_ISDIR(info.st_mode))
        return error_set(error, GB_IO, "%s: a folder, not a results file", store->path);
    if (info.st_size == 0)
        return error_set(error, GB_CORRUPT, "%s: empty: not a results file yet", store->path);
    int32_t status = GB_IO;
    for (size_t i = 0; status == GB_IO && i < sizeof ways / sizeof *ways; i++) {
        struct gb_error attempt = {0};
        int version = 0;
        close_database(store);
        status = ways[i](store, vfs, &attempt);
        if (status == GB_OK)
            status = check_identity(store, &version, &attempt);
        if (status == GB_OK && version > 0)
            status = read_as_present(store, version, &attempt);
        else if (status == GB_OK)
            status = error_set(&attempt, GB_CORRUPT, "%s: empty: not a results file yet",
                               store->path);
        if (status != GB_IO || i == 0)
            *error = attempt;
    }
    return status;
}

static int32_t check_integrity(struct store *store, const char *pragma, struct gb_error *error)
{
    sqlite3_stmt *statement = store_statement(store, pragma, error);
    if (!statement)
        return store_failure(error);
    int code = sqlite3_step(statement);
    const char *found = code == SQLITE_ROW ? (const char *)sqlite3_column_text(statement, 0) : NULL;
    bool is_sound = found && text_equal(found, "ok");
    int32_t status = found ? GB_OK : store_error(store, error);
    sqlite3_reset(statement);
    return status != GB_OK || is_sound
               ? status
               : error_set(
                     error, GB_CORRUPT,
                     "%s: damaged: its tables and indexes do not agree; sqlite3 with .recover "
                     "reads what is left of it",
                     store->path);
}

/* Cases of a run that is not there would be in no view. Looks once at each run's cases, not
 * at each case. */
static int32_t check_runs(struct store *store, struct gb_error *error)
{
    static const char lost[] =
        "WITH RECURSIVE of_cases(id) AS (SELECT min(run_id) FROM bench_case UNION ALL"
        " SELECT (SELECT min(run_id) FROM bench_case WHERE run_id > of_cases.id) FROM of_cases"
        " WHERE of_cases.id IS NOT NULL)"
        " SELECT count(*) FROM of_cases WHERE id IS NOT NULL"
        " AND NOT EXISTS (SELECT 1 FROM run WHERE run.id = of_cases.id)";
    int64_t n = 0;
    int32_t status = store_integer(store, lost, 0, &n, error);
    return status == GB_OK && n > 0
               ? error_set(error, GB_CORRUPT, "%s: damaged: holds cases of a run that is not there",
                           store->path)
               : status;
}

/* Whether tables, their keys and indexes agree: what a changed bit takes out of an index would be
 * in no view. All of a small file; of a large one the tables that say which runs and cases there
 * are, as samples are checked when they are read. */
static int32_t check_tables(struct store *store, struct gb_error *error)
{
    enum { SMALL_PAGES = 4096 };
    int64_t n_pages = 0;
    int32_t status = store_integer(store, "PRAGMA page_count", 0, &n_pages, error);
    if (status == GB_OK && n_pages <= SMALL_PAGES)
        return check_integrity(store, "PRAGMA main.integrity_check(1)", error);
    if (status == GB_OK)
        status = check_integrity(store, "PRAGMA main.integrity_check(run)", error);
    return status == GB_OK
               ? check_integrity(store, "PRAGMA main.integrity_check(bench_case)", error)
               : status;
}

int32_t store_open_as(const struct stored_schema *schema, const char *path, int mode,
                      const char *vfs, struct store **ret, struct gb_error *error)
{
    struct gb_error ignored = {0};
    struct store *store = memory_allocate(sizeof *store);
    error = error ? error : &ignored;
    store->schema = schema;
    store->path = memory_copy_text(path);
    store->lock_fd = -1;
    store->writes = mode == STORE_WRITE;
    int32_t status = store->writes ? open_for_writing(store, vfs, error)
                                   : open_for_reading(store, vfs, error);
    if (status == GB_OK)
        status = check_tables(store, error);
    if (status == GB_OK)
        status = check_runs(store, error);
    if (status == GB_OK) {
        *ret = store;
        return GB_OK;
    }
    store->writes = false; /* nothing to fold into the file */
    store_close(store, NULL);
    return status;
}

void store_leave(struct store **store)
{
    store_close(*store, NULL);
}

int32_t store_open(const char *path, int mode, struct store **ret, struct gb_error *error)
{
    return store_open_as(&store_schema, path, mode, NULL, ret, error);
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
    finalize_statements(store);
    int32_t status = store->writes ? fold_log(store, error) : GB_OK;
    close_database(store);
    if (store->lock_fd >= 0)
        close(store->lock_fd); /* last: closing it would drop SQLite's locks on the file */
    free(store->path);
    free(store);
    return status;
}
