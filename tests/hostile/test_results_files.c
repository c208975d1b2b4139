/*
 * test_results_files.c - results files that were made or damaged to mislead: odd identities, code
 * in the schema, counts and blobs that are not what they claim.
 */
#include "core/base/random.h"
#include "tests/check_main.h"
#include "tests/store/store_fixture.h"

#include <ctype.h>

enum { N_CASES = 3, HEAD_BYTES = 100, ENCODING = 56 };

/* An error has a status and words without control characters. */
static void check_error(int32_t status, const struct gb_error *error)
{
    ck_assert_int_eq(error->status, status);
    ck_assert_uint_gt(strlen(error->text), 0);
    ck_assert_uint_lt(strlen(error->text), 500);
    for (const char *at = error->text; *at; at++)
        ck_assert_msg(!iscntrl((unsigned char)*at), "%s", error->text);
}

/* All cases with all their samples, or the first error. */
static int32_t read_all(struct store *store, size_t *ret_n, struct gb_error *error)
{
    CLEANUP(arena_free) struct arena arena = {0};
    struct stored_run *runs = NULL;
    int64_t *ids = NULL;
    size_t n_runs = 0;
    int32_t status = store_runs(store, RUN_ALL, &arena, &runs, &n_runs, error);
    if (status == GB_OK)
        status = store_case_ids(store, runs[0].id, NULL, &ids, ret_n, error);
    for (size_t i = 0; status == GB_OK && i < *ret_n; i++) {
        struct stored_case c;
        double values[FIXTURE_SAMPLES];
        const char **names = NULL;
        size_t n_names = 0;
        status = store_case_read(store, ids[i], &arena, &c, error);
        ck_assert(status != GB_OK || c.record.n_samples == FIXTURE_SAMPLES);
        if (status == GB_OK)
            status = store_column_names(store, ids[i], &arena, &names, &n_names, error);
        for (size_t j = 0; status == GB_OK && j < n_names; j++)
            status = store_samples_read(store, ids[i], names[j], 0, FIXTURE_SAMPLES, values, error);
    }
    free(ids);
    return status;
}

/* A file is as it was, or refused with words. */
static int32_t try_to_read(const char *name, int mode, struct gb_error *error)
{
    struct store *store = NULL;
    size_t n = 0;
    memset(error, 0xA5, sizeof *error);
    int32_t status = store_open(fixture_path(name), mode, &store, error);
    if (status == GB_OK)
        status = read_all(store, &n, error);
    if (status == GB_OK)
        ck_assert_uint_eq(n, N_CASES);
    else
        ck_assert(error->status == status && error->text[0]);
    store_close(store, NULL);
    return status;
}

static void open_and_read(const char *name, int mode)
{
    struct gb_error error;
    int32_t status = try_to_read(name, mode, &error);
    if (status != GB_OK)
        check_error(status, &error);
}

static unsigned char bytes[1 << 20];

/* A sound file in `bytes`; returns how many. */
static size_t read_sound_file(void)
{
    fixture_make_file("results.gbr", 1, N_CASES);
    FILE *file = fopen(fixture_path("results.gbr"), "rb");
    size_t n = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    ck_assert(n > HEAD_BYTES && n < sizeof bytes);
    return n;
}

TEST_FIXTURE(fixture_begin, fixture_end)

TEST(one_flipped_bit_in_the_head)
{
    const size_t n = read_sound_file();
    for (int bit = 0; bit < 8 * HEAD_BYTES; bit++) {
        bytes[bit / 8] ^= (unsigned char)(1 << bit % 8);
        fixture_write_file("flipped.gbr", bytes, n);
        open_and_read("flipped.gbr", STORE_READ);
        if (bit / 8 >= ENCODING)
            open_and_read("flipped.gbr", STORE_WRITE);
        bytes[bit / 8] ^= (unsigned char)(1 << bit % 8);
    }
}

/* How often, of what make hostile and the build with sanitizers do. */
static int times(int all)
{
    const char *hostile = getenv("HOSTILE");
    return (hostile && strcmp(hostile, "all") == 0) || getenv("SANITIZE") ? all : all / 20;
}

TEST(one_flipped_bit_anywhere)
{
    struct gb_error error;
    const size_t n = read_sound_file();
    for (int i = 0; i < times(2000); i++) {
        const size_t bit = (size_t)random_below(7, 0, (uint64_t)i, 8 * n);
        bytes[bit / 8] ^= (unsigned char)(1 << bit % 8);
        fixture_write_file("flipped.gbr", bytes, n);
        try_to_read("flipped.gbr", STORE_READ, &error);
        try_to_read("flipped.gbr", STORE_WRITE, &error);
        bytes[bit / 8] ^= (unsigned char)(1 << bit % 8);
    }
}

TEST(cut_anywhere)
{
    struct gb_error error;
    const size_t n = read_sound_file();
    for (int i = 0; i < times(200); i++) {
        const size_t left = 1 + (size_t)random_below(7, 1, (uint64_t)i, n - 1);
        for (int mode = STORE_READ; mode <= STORE_WRITE; mode++) {
            fixture_write_file("cut.gbr", bytes, left);
            try_to_read("cut.gbr", mode, &error);
        }
    }
}

TEST_TIMES(odd_identities, 6)
{
    static const struct {
        const char *sql, *text;
    } cases[] = {
        {"PRAGMA user_version = 0", "odd.gbr: damaged: its format has the number 0"},
        {"PRAGMA user_version = -1", "odd.gbr: damaged: its format has the number -1"},
        {"PRAGMA user_version = -2147483648",
         "odd.gbr: damaged: its format has the number -2147483648"},
        {"PRAGMA application_id = 0",
         "odd.gbr: not a results file of gbrun, but an SQLite file of another program"},
        {"PRAGMA application_id = -1734505009",
         "odd.gbr: not a results file of gbrun, but an SQLite file of another program"},
        {"PRAGMA application_id = -1; PRAGMA user_version = -4",
         "odd.gbr: not a results file of gbrun, but an SQLite file of another program"},
    };
    fixture_make_file("odd.gbr", 1, N_CASES);
    fixture_change("odd.gbr", cases[_i].sql);
    for (int mode = STORE_READ; mode <= STORE_WRITE; mode++) {
        struct store *store = NULL;
        FIXTURE_FAILS(store_open(fixture_path("odd.gbr"), mode, &store, &fixture_problem),
                      GB_CORRUPT, cases[_i].text);
    }
}

TEST_TIMES(triggers_do_not_run, 4)
{
    static const char *const triggers[] = {
        "CREATE TRIGGER t AFTER INSERT ON bench_case BEGIN DELETE FROM bench_case WHERE id<3; END",
        "CREATE TRIGGER t BEFORE INSERT ON samples BEGIN SELECT raise(IGNORE); END",
        "CREATE TRIGGER t AFTER UPDATE ON run BEGIN DELETE FROM run; END",
        "CREATE TRIGGER t AFTER DELETE ON bench_case BEGIN DELETE FROM bench_case; END",
    };
    fixture_make_file("results.gbr", 1, N_CASES);
    fixture_change("results.gbr", triggers[_i]);
    CLEANUP(text_free) struct text done = {0};
    struct store *store = fixture_open("results.gbr", STORE_WRITE);
    struct fixture_case c;
    uint64_t next = 0;
    int64_t run_id = fixture_query(store, "SELECT id FROM run");
    fixture_case(&c, N_CASES, 9, 100);
    c.record.status = CASE_CANCELLED;
    fixture_store(store, run_id, &c);
    ck_assert_int_eq(fixture_query(store, "SELECT count(*) FROM bench_case"), N_CASES + 1);
    ck_assert_int_eq(fixture_query(store, "SELECT count(*) FROM samples"), 2 * (N_CASES + 1));
    fixture_end_run(store, run_id);
    ck_assert_int_eq(fixture_query(store, "SELECT count(*) FROM run"), 1);
    FIXTURE_OK(store_resume(store, run_id, fixture_note_done, &done, &next, &fixture_problem));
    ck_assert_str_eq(text_get(&done), "0 0 cpu:-1;1 0 cpu:-1;2 0 cpu:-1;");
    fixture_close(store);
}

TEST_TIMES(views_do_not_run, 5)
{
    static const char endless[] =
        "ALTER TABLE %s RENAME TO hidden;"
        "CREATE VIEW %s AS WITH RECURSIVE e(x) AS (SELECT 1 UNION ALL SELECT x FROM e)"
        " SELECT hidden.* FROM hidden, e";
    static const char *const tables[] = {"run", "bench_case", "parameter", "samples", "message"};
    CLEANUP(text_free) struct text sql = {0};
    fixture_make_file("results.gbr", 1, N_CASES);
    text_printf(&sql, endless, tables[_i], tables[_i]);
    fixture_change("results.gbr", "DROP VIEW result");
    fixture_change("results.gbr", text_get(&sql));
    struct store *store = NULL;
    struct gb_error error;
    size_t n = 0;
    int32_t status = store_open(fixture_path("results.gbr"), STORE_READ, &store, &error);
    if (status == GB_OK)
        status = read_all(store, &n, &error);
    ck_assert_int_ne(status, GB_OK);
    check_error(status, &error);
    store_close(store, NULL);
}

TEST_TIMES(counts_and_blobs_that_lie, 17)
{
    static const char *const lies[] = {
        "UPDATE bench_case SET n_samples = 1000000000000000000 WHERE id = 2",
        "UPDATE bench_case SET n_samples = -20 WHERE id = 2",
        "UPDATE bench_case SET n_samples = 21 WHERE id = 2",
        "UPDATE bench_case SET n_samples = 19 WHERE id = 2",
        "UPDATE bench_case SET clock = 'none' WHERE id = 2",
        "DELETE FROM samples WHERE case_id = 2 AND name = 'wall'",
        "UPDATE samples SET n = 1000000000000000 WHERE case_id = 2 AND name = 'wall'",
        "UPDATE samples SET n = 1000000000000000, data = zeroblob(8) WHERE case_id = 2",
        "UPDATE samples SET n = 0 WHERE case_id = 2 AND name = 'wall'",
        "UPDATE samples SET first = -1 WHERE case_id = 2 AND name = 'wall'",
        "UPDATE samples SET first = 9223372036854775807 WHERE case_id = 2 AND name = 'wall'",
        "UPDATE samples SET data = zeroblob(8 * 19) WHERE case_id = 2 AND name = 'wall'",
        "UPDATE samples SET data = zeroblob(0) WHERE case_id = 2 AND name = 'wall'",
        "UPDATE samples SET data = 'eightyes' WHERE case_id = 2 AND name = 'wall'",
        "UPDATE samples SET data = zeroblob(8 * 19) WHERE case_id = 2 AND name = 'elapsed'",
        "UPDATE samples SET n = -5 WHERE case_id = 2 AND name = 'elapsed'",
        "UPDATE samples SET n = 100000, data = zeroblob(8) WHERE case_id = 2 AND name = 'elapsed'",
    };
    fixture_make_file("results.gbr", 1, N_CASES);
    fixture_change("results.gbr", lies[_i]);
    struct store *store = fixture_open("results.gbr", STORE_READ);
    struct gb_error error;
    size_t n = 0;
    ck_assert_int_eq(read_all(store, &n, &error), GB_CORRUPT);
    check_error(GB_CORRUPT, &error);
    ck_assert_msg(strstr(error.text, "case 2 of [bench streams]"), "%s", error.text);
    store_close(store, NULL);
}
