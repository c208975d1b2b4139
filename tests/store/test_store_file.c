/*
 * test_store_file.c - the results file as a file: nothing that was stored is lost, whatever happens
 * to it, to its folder, to the disk and to the process that writes.
 */
#include "tests/check_main.h"
#include "tests/store/store_fixture.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

static bool exists(const char *name)
{
    return access(fixture_path(name), F_OK) == 0;
}

TEST_FIXTURE(fixture_begin, fixture_end)

TEST(a_finished_file_is_one_plain_file)
{
    struct store *store = fixture_open("results.gbr", STORE_WRITE);
    fixture_begin_run(store, 1);
    ck_assert(exists("results.gbr-wal"));
    fixture_close(store);
    ck_assert(exists("results.gbr"));
    ck_assert(!exists("results.gbr-wal") && !exists("results.gbr-shm") &&
              !exists("results.gbr-journal"));
    ck_assert_str_eq(fixture_ask("results.gbr", "PRAGMA journal_mode"), "delete");
}

TEST_TIMES(files_that_cannot_be_opened, 10)
{
    enum { EITHER = STORE_WRITE + 1 };
    static const struct {
        const char *name;
        int mode;
        int32_t status;
        const char *text;
    } cases[] = {
        {"absent.gbr", STORE_READ, GB_NOT_FOUND, "absent.gbr: there is no such results file"},
        {"no/where.gbr", STORE_WRITE, GB_IO,
         "no/where.gbr: cannot be opened for writing: No such file or directory"},
        {"folder", STORE_READ, GB_IO, "folder: a folder, not a results file"},
        {"folder", STORE_WRITE, GB_IO, "folder: cannot be opened for writing: Is a directory"},
        {"empty.gbr", STORE_READ, GB_CORRUPT, "empty.gbr: empty: not a results file yet"},
        {"words.gbr", EITHER, GB_CORRUPT, "words.gbr: not a results file of gbrun"},
        {"packed.gz", EITHER, GB_CORRUPT,
         "packed.gz: compressed by gzip: decompress it first: gunzip -k packed.gz"},
        {"packed.zst", EITHER, GB_CORRUPT,
         "packed.zst: compressed by zstd: decompress it first: unzstd packed.zst"},
        {"foreign.db", EITHER, GB_CORRUPT,
         "foreign.db: not a results file of gbrun, but an SQLite file of another program"},
        {"newer.gbr", EITHER, GB_UNSUPPORTED,
         "newer.gbr: written by a newer gbrun (format 700; this one knows %d): use that version"},
    };
    ck_assert_int_eq(mkdir(fixture_path("folder"), 0755), 0);
    fixture_write_file("empty.gbr", "", 0);
    char words[4096];
    memset(words, 'w', sizeof words);
    fixture_write_file("words.gbr", words, sizeof words);
    memcpy(words, "\x1f\x8b\x08", 4);
    fixture_write_file("packed.gz", words, sizeof words);
    memcpy(words, "\x28\xb5\x2f\xfd", 4);
    fixture_write_file("packed.zst", words, sizeof words);
    fixture_change("foreign.db", "CREATE TABLE t (x)");
    fixture_make_file("newer.gbr", 1, 0);
    fixture_change("newer.gbr", "PRAGMA user_version = 700");
    struct store *store = NULL;
    char expected[200];
    snprintf(expected, sizeof expected, cases[_i].text, schema_version(&store_schema));
    for (int mode = STORE_READ; mode <= STORE_WRITE; mode++) {
        if (cases[_i].mode != EITHER && cases[_i].mode != mode)
            continue;
        FIXTURE_FAILS(store_open(fixture_path(cases[_i].name), mode, &store, &fixture_problem),
                      cases[_i].status, expected);
        ck_assert_ptr_null(store);
    }
    char back[4];
    FILE *file = fopen(fixture_path("words.gbr"), "rb");
    ck_assert_uint_eq(fread(back, 1, sizeof back, file), sizeof back);
    fclose(file);
    ck_assert_mem_eq(back, "wwww", 4); /* left alone */
}

TEST(an_empty_file_can_be_written)
{
    fixture_write_file("results.gbr", "", 0);
    fixture_make_file("results.gbr", 1, 1);
    fixture_close(fixture_open("results.gbr", STORE_READ));
}

/* Adds its run to those that are there, once somebody writes and it may. */
static pid_t start_writer(const char *path, int begin)
{
    const pid_t pid = fork();
    if (pid != 0)
        return pid;
    struct store *store;
    int64_t n = 0;
    char word;
    if (read(begin, &word, 1) != 1 || store_open(path, STORE_WRITE, &store, NULL) != GB_OK ||
        store_integer(store, "SELECT count(*) FROM run", 0, &n, NULL) != GB_OK)
        _exit(99);
    fixture_begin_run(store, (unsigned)(n + 1));
    _exit(store_close(store, NULL) == GB_OK ? (int)n : 99);
}

TEST(writers_wait_for_each_other)
{
    enum { WRITERS = 8 };
    const char *path = fixture_path("results.gbr");
    pid_t writers[WRITERS];
    unsigned seen = 0;
    int status, begin[2];
    ck_assert_int_eq(pipe(begin), 0);
    for (int i = 0; i < WRITERS; i++)
        writers[i] = start_writer(path, begin[0]);
    ck_assert(!store_has_writer(path));
    struct store *first = fixture_open("results.gbr", STORE_WRITE);
    ck_assert(store_has_writer(path));
    ck_assert_int_eq(write(begin[1], "12345678", WRITERS), WRITERS);
    fixture_begin_run(first, 1);
    ck_assert_str_eq(fixture_ask("results.gbr", "SELECT count(*) FROM run"), "1");
    fixture_close(first);
    for (int i = 0; i < WRITERS; i++) {
        ck_assert_int_eq(waitpid(writers[i], &status, 0), writers[i]);
        ck_assert(WIFEXITED(status));
        seen |= 1u << WEXITSTATUS(status);
    }
    ck_assert_uint_eq(seen, ((1u << WRITERS) - 1) << 1); /* each saw those of all before it */
    ck_assert(!store_has_writer(path));
    close(begin[0]);
    close(begin[1]);
}

TEST(a_reader_in_the_way_of_the_end_loses_nothing)
{
    struct store *writer = fixture_open("results.gbr", STORE_WRITE);
    fixture_begin_run(writer, 1);
    struct store *reader = fixture_open("results.gbr", STORE_READ);
    sqlite3_exec(reader->db, "BEGIN; SELECT * FROM run", NULL, NULL, NULL);
    fixture_close(writer);
    ck_assert_int_eq(fixture_query(reader, "SELECT count(*) FROM run"), 1);
    fixture_close(reader);
    ck_assert_str_eq(fixture_ask("results.gbr", "SELECT count(*) FROM run"), "1");
}

/* A VFS without shared memory, as on some network file systems. */
TEST(without_wal_a_rollback_journal_is_used)
{
    struct store *store = NULL;
    struct fixture_case c;
    FIXTURE_OK(store_open_as(&store_schema, fixture_path("results.gbr"), STORE_WRITE,
                             "unix-dotfile", &store, &fixture_problem));
    fixture_case(&c, 0, 1, 100);
    fixture_store(store, fixture_begin_run(store, 1), &c);
    ck_assert(!exists("results.gbr-wal"));
    fixture_close(store);
    ck_assert_str_eq(fixture_ask("results.gbr", "SELECT count(*) FROM bench_case"), "1");
}

/* How many cases a writer had stored when it was killed; at any other moment by
 * tests/hostile/test_kills.sh. */
static unsigned kill_a_writer(void)
{
    enum { STORED = 25 };
    pid_t child = fork();
    ck_assert_int_ge(child, 0);
    if (child == 0) {
        struct store *store = fixture_open("results.gbr", STORE_WRITE);
        int64_t run_id = fixture_begin_run(store, 1);
        for (unsigned i = 0; i < STORED; i++) {
            struct fixture_case c;
            fixture_case(&c, i, i + 1, 100);
            fixture_store(store, run_id, &c);
        }
        raise(SIGKILL);
    }
    int status;
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    return STORED;
}

static void expect_cases(const char *name, int mode, unsigned stored)
{
    struct store *store = fixture_open(name, mode);
    ck_assert_int_eq(fixture_query(store, "SELECT count(*) FROM bench_case"), stored);
    ck_assert_str_eq(fixture_rows(store, "SELECT id FROM bench_case WHERE (SELECT count(*) FROM"
                                         " samples WHERE case_id = id) <> 2"),
                     "");
    ck_assert_str_eq(fixture_rows(store, "PRAGMA integrity_check"), "ok");
    fixture_close(store);
}

TEST(killed_writers_lose_nothing_that_was_stored)
{
    unsigned stored = kill_a_writer();
    ck_assert(exists("results.gbr-wal"));
    expect_cases("results.gbr", STORE_READ, stored);
    expect_cases("results.gbr", STORE_WRITE, stored); /* the lock is gone */
    ck_assert(!exists("results.gbr-wal"));
}

/* The tests' temporary folder may be closed to the user that root becomes here. */
static void open_temporary_folder(void)
{
    const char *base = getenv("TMPDIR");
    struct stat info;
    if (geteuid() == 0 && base && stat(base, &info) == 0)
        ck_assert_int_eq(chmod(base, info.st_mode | 0711), 0);
    ck_assert_int_eq(chmod(fixture_folder, 0755), 0);
}

/* In a process without root's rights, which folder permissions do not bind. */
static void read_without_permission(unsigned stored, const char *temporary)
{
    setenv("TMPDIR", temporary, 1);
    if (geteuid() == 0 && setuid(65534) != 0)
        _exit(2);
    expect_cases("box/results.gbr", STORE_READ, stored);
    _exit(0);
}

static int exit_code_of(pid_t child)
{
    int status;
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static void move_to_box(const char *name)
{
    char to[64];
    snprintf(to, sizeof to, "box/%s", name);
    if (exists(name))
        ck_assert_int_eq(rename(fixture_path(name), fixture_path(to)), 0);
}

/* _i: the folder holds 0: a killed writer's file and log, 1: the same with shared memory, 2: a
 * finished file, 3: a file in WAL mode without a log. Only the first two need a copy. */
TEST_TIMES(files_in_folders_without_permission_are_read, 4)
{
    unsigned stored = 1;
    open_temporary_folder();
    ck_assert_int_eq(mkdir(fixture_path("box"), 0755), 0);
    ck_assert_int_eq(mkdir(fixture_path("temporary"), 0777), 0);
    chmod(fixture_path("temporary"), 0777);
    if (_i <= 1)
        stored = kill_a_writer();
    else
        fixture_make_file("results.gbr", 1, 1);
    if (_i == 3)
        fixture_change("results.gbr", "PRAGMA journal_mode = WAL");
    move_to_box("results.gbr");
    move_to_box("results.gbr-wal");
    if (_i == 1)
        move_to_box("results.gbr-shm");
    ck_assert_int_eq(chmod(fixture_path("box"), 0555), 0);
    pid_t child = fork();
    if (child == 0)
        read_without_permission(stored, fixture_path(_i <= 1 ? "temporary" : "nowhere"));
    ck_assert_int_eq(exit_code_of(child), 0);
    ck_assert_int_eq(rmdir(fixture_path("temporary")), 0); /* no copy is left */
    chmod(fixture_path("box"), 0755);
}

/* Stores cases until the file may not grow, and how many there were; then the error is such. */
static unsigned fill(struct store *store, int64_t run_id, const char *words)
{
    for (unsigned i = 0; i < 100000; i++) {
        struct fixture_case c;
        fixture_case(&c, i, i + 1, 100);
        if (store_case(store, run_id, &c.record, &fixture_problem) == GB_OK)
            continue;
        ck_assert_int_eq(fixture_problem.status, GB_IO);
        ck_assert_str_eq(fixture_error(&fixture_problem), words);
        ck_assert_uint_gt(i, 10);
        return i;
    }
    ck_abort_msg("the limit was never met");
}

TEST(a_full_file_is_a_clear_error)
{
    struct store *store = fixture_open("results.gbr", STORE_WRITE);
    int64_t run_id = fixture_begin_run(store, 1);
    sqlite3_exec(store->db, "PRAGMA max_page_count = 60", NULL, NULL, NULL);
    unsigned stored = fill(store, run_id,
                           "results.gbr: disk full: nothing more can be stored;"
                           " what is already stored is safe");
    fixture_close(store);
    expect_cases("results.gbr", STORE_READ, stored);
}

/* The file system itself refuses: no file of this process may grow beyond a limit. */
TEST(a_full_disk_is_a_clear_error)
{
    int ends[2];
    unsigned stored = 0;
    ck_assert_int_eq(pipe(ends), 0);
    pid_t child = fork();
    if (child == 0) {
        signal(SIGXFSZ, SIG_IGN);
        struct rlimit limit = {600000, 600000};
        struct store *store = fixture_open("results.gbr", STORE_WRITE);
        int64_t run_id = fixture_begin_run(store, 1);
        setrlimit(RLIMIT_FSIZE, &limit);
        stored = fill(store, run_id,
                      "results.gbr: File too large (the limit, ulimit -f, is 585 KiB): nothing "
                      "more can be stored; what is already stored is safe");
        store_close(store, NULL); /* may fail again: the log stays */
        _exit(write(ends[1], &stored, sizeof stored) != sizeof stored);
    }
    ck_assert_int_eq(exit_code_of(child), 0);
    ck_assert_int_eq(read(ends[0], &stored, sizeof stored), sizeof stored);
    expect_cases("results.gbr", STORE_READ, stored);
}
