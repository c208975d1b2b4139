/* test_merge.c - merging results files: the union, whatever the order. */
#include "tests/check_main.h"
#include "tests/store/store_fixture.h"

/* Everything in a file but the numbers of its rows, which differ between equal files. */
static void dump(const char *name, struct text *out)
{
    static const char *const uuids[STORED_TABLES] = {
        [TABLE_RUN] = "uuid", [TABLE_DEVICE] = "record_uuid", [TABLE_CASE] = "uuid"};
    for (int t = 0; t < STORED_TABLES; t++) {
        const struct stored_table *table = &store_schema.tables[t];
        CLEANUP(text_free) struct text sql = {0};
        text_printf(&sql, "SELECT '%s'", table->name);
        for (size_t i = 0; i < table->n_columns; i++) {
            const struct stored_column *column = &table->columns[i];
            const int of = column->role == ROLE_DEVICE ? TABLE_DEVICE : table->parent;
            if (column->role == ROLE_PARENT || column->role == ROLE_DEVICE)
                text_printf(&sql, " || ' ' || quote((SELECT %s FROM %s WHERE id = t.%s))",
                            uuids[of], store_schema.tables[of].name, column->name);
            else if (column->role != ROLE_ID)
                text_printf(&sql, " || ' %s=' || quote(%s)", column->name, column->name);
        }
        text_printf(&sql, " AS line FROM %s AS t ORDER BY line", table->name);
        text_add_line(out, fixture_ask(name, text_get(&sql)));
    }
}

static void export_all(const char *name, struct text *out)
{
    static const struct {
        int format, rows;
    } exports[] = {{FORMAT_CSV, ROWS_CASE},
                   {FORMAT_CSV, ROWS_SAMPLE},
                   {FORMAT_JSON, ROWS_CASE},
                   {FORMAT_JSONL, ROWS_SAMPLE},
                   {FORMAT_MARKDOWN, ROWS_CASE}};
    struct store *store = fixture_open(name, STORE_READ);
    struct view_options options = {.run = RUN_ALL};
    FIXTURE_OK(view_show(store, &options, out, &fixture_problem));
    for (size_t i = 0; i < N_OF(exports); i++) {
        options.format = exports[i].format;
        options.rows = exports[i].rows;
        FIXTURE_OK(fixture_export(store, &options, out, &fixture_problem));
    }
    fixture_close(store);
}

/* Cases from..to - 1 of a run, with something in every table. */
static void make_part(const char *name, unsigned run, unsigned from, unsigned to, bool ended)
{
    struct store *store = fixture_open(name, STORE_WRITE);
    int64_t run_id = fixture_begin_run(store, run);
    struct module_record module = {"/lib/x.so", "abc", "benchmark", "multistream", "1.2"};
    ck_assert_int_eq(store_module(store, run_id, &module, NULL), GB_OK);
    for (unsigned i = from; i < to; i++) {
        struct fixture_case c;
        fixture_case(&c, i, i + 1, 100.0 * (i + 1) + 0.1 * run);
        fixture_uuid(0xC0 + run, i, c.record.uuid);
        fixture_fill(&c);
        c.bench_case.common.launch = i % 2 ? GB_LAUNCH_GRAPH : GB_LAUNCH_STREAM;
        fixture_store(store, run_id, &c);
    }
    if (ended)
        fixture_end_run(store, run_id);
    fixture_close(store);
}

static void expect_same(const char *a, const struct text *expected)
{
    CLEANUP(text_free) struct text got = {0};
    dump(a, &got);
    ck_assert(got.length > 0);
    ck_assert(text_equal(text_get(&got), text_get(expected)));
}

TEST_FIXTURE(fixture_begin, fixture_end)

static void expect_counts(struct merge_counts counts, uint64_t runs, uint64_t added, uint64_t known)
{
    ck_assert_uint_eq(counts.runs_added, runs);
    ck_assert_uint_eq(counts.cases_added, added);
    ck_assert_uint_eq(counts.cases_known, known);
}

TEST(a_copy_has_every_bit_and_merging_again_changes_nothing)
{
    CLEANUP(text_free) struct text original = {0}, once = {0};
    make_part("a.gbr", 1, 0, 5, true);
    make_part("b.gbr", 2, 0, 3, true);
    dump("a.gbr", &original);
    expect_counts(fixture_merge("all.gbr", "a.gbr"), 1, 5, 0);
    expect_same("all.gbr", &original);
    expect_counts(fixture_merge("all.gbr", "b.gbr"), 1, 3, 0);
    dump("all.gbr", &once);
    expect_counts(fixture_merge("all.gbr", "a.gbr"), 0, 0, 5);
    expect_counts(fixture_merge("all.gbr", "all.gbr"), 0, 0, 8);
    expect_same("all.gbr", &once);
}

/*
 * a: the first part of run 1, not ended; b: all of run 1, ended; c: run 2; d: run 1 again, one case
 * still being measured that b has complete.
 */
static void make_overlapping_files(void)
{
    make_part("b.gbr", 1, 0, 4, true);
    fixture_merge("a.gbr", "b.gbr");
    fixture_merge("d.gbr", "b.gbr");
    fixture_change("a.gbr", "PRAGMA foreign_keys = ON; DELETE FROM bench_case WHERE position > 1;"
                            "UPDATE run SET finished = NULL, exit_code = NULL, n_cases = 9");
    fixture_change(
        "d.gbr",
        "PRAGMA foreign_keys = ON; DELETE FROM bench_case WHERE position <> 3;"
        "UPDATE metric SET value = 0; DELETE FROM check_result; DELETE FROM check_summary;"
        "DELETE FROM check_histogram; DELETE FROM mode;"
        "INSERT INTO message SELECT id, 1, 1, 'goes with the row' FROM bench_case;"
        "UPDATE bench_case SET status = 'running', done = 0, n_samples = 700, median_ns = NULL;"
        "UPDATE run SET finished = '2026-01-01T10:30:00.000Z', exit_code = 130");
    make_part("c.gbr", 2, 0, 2, false);
}

TEST(the_order_of_merging_does_not_matter)
{
    static const char *const names[] = {"a.gbr", "b.gbr", "c.gbr", "d.gbr"};
    CLEANUP(text_free) struct text dumped = {0}, exported = {0};
    make_overlapping_files();
    int n_orders = 0;
    for (int order = 0; order < 256; order++) {
        int place[] = {order & 3, order >> 2 & 3, order >> 4 & 3, order >> 6 & 3};
        unsigned seen = 0;
        for (int i = 0; i < 4; i++)
            seen |= 1u << place[i];
        if (seen != 0xF || (n_orders++ % 5 != 0 && !test_is_long()))
            continue;
        char into[32];
        snprintf(into, sizeof into, "all%d.gbr", n_orders);
        for (int i = 0; i < 4; i++)
            fixture_merge(into, names[place[i]]);
        CLEANUP(text_free) struct text export = {0};
        export_all(into, &export);
        if (n_orders == 1) {
            dump(into, &dumped);
            export_all(into, &exported);
        }
        expect_same(into, &dumped);
        ck_assert(text_equal(text_get(&export), text_get(&exported)));
    }
    ck_assert_int_eq(n_orders, 24);
}

TEST(the_copy_that_is_further_on_wins)
{
    CLEANUP(text_free) struct text all = {0};
    make_overlapping_files();
    dump("b.gbr", &all);
    fixture_merge("all.gbr", "d.gbr");
    fixture_merge("all.gbr", "a.gbr");
    /* number 2, and 3 in place of the running one */
    expect_counts(fixture_merge("all.gbr", "b.gbr"), 0, 2, 2);
    expect_same("all.gbr", &all);
}

/* Copies of one record that differ, though neither is further on: nothing is merged, in either
 * direction; what only says how far on a copy is differs in every run that goes on. */
static const struct {
    const char *sql, *expected; /* NULL: it is merged */
} copies[] = {
    {"UPDATE bench_case SET median_ns = 7, bench = 'other' WHERE position = 1",
     ", too, and differs there: in bench, median_ns"},
    {"UPDATE bench_case SET median_ns = NULL WHERE position = 1", ": in median_ns"},
    {"UPDATE run SET seed = 12345", ": in seed"},
    {"UPDATE bench_case SET status = 'running', done = 0, median_ns = 7", NULL},
    {"UPDATE run SET finished = NULL, exit_code = NULL, seed = 12345", NULL},
};

TEST_EACH(copies_that_differ_are_named, copies)
{
    CLEANUP(text_free) struct text before = {0};
    static const char *const names[] = {"a.gbr", "b.gbr"};
    make_part("a.gbr", 1, 0, 4, true);
    fixture_merge("b.gbr", "a.gbr");
    fixture_change("b.gbr", copies[_i].sql);
    for (int i = 0; i < 2 && copies[_i].expected; i++) {
        text_clear(&before);
        dump(names[i], &before);
        struct store *store = fixture_open(names[i], STORE_WRITE);
        struct merge_counts counts = {0};
        ck_assert_int_eq(
            store_merge(store, fixture_path(names[1 - i]), NULL, &counts, &fixture_problem),
            GB_INVALID);
        ck_assert_msg(strstr(fixture_problem.text, copies[_i].expected), "%s",
                      fixture_problem.text);
        ck_assert(counts.is_input_bad);
        fixture_close(store);
        expect_same(names[i], &before);
    }
    if (!copies[_i].expected)
        fixture_merge("a.gbr", "b.gbr");
}

/* Damages a table of a file so large that opening it does not look at all tables. */
static void damage_large(const char *name)
{
    fixture_change(name, "PRAGMA journal_mode = DELETE; PRAGMA page_size = 512; VACUUM;"
                         "INSERT INTO message SELECT id, 1, 1, hex(zeroblob(1100000))"
                         " FROM bench_case");
    const char *place = fixture_ask(name, "SELECT (rootpage - 1) * 512 AS place"
                                          " FROM sqlite_schema WHERE name = 'metric'");
    FILE *file = fopen(fixture_path(name), "r+");
    ck_assert(file && fseek(file, atol(place), SEEK_SET) == 0);
    fputs("damaged", file);
    ck_assert_int_eq(fclose(file), 0);
}

TEST(what_cannot_be_merged)
{
    CLEANUP(text_free) struct text before = {0};
    struct merge_counts counts = {7, 7, 7, false};
    make_part("big.gbr", 2, 0, 200, true);
    make_part("all.gbr", 1, 0, 1, true);
    dump("all.gbr", &before);
    struct store *store = fixture_open("all.gbr", STORE_WRITE);
    FIXTURE_FAILS(store_merge(store, fixture_path("absent.gbr"), NULL, &counts, &fixture_problem),
                  GB_NOT_FOUND, "absent.gbr: there is no such results file");
    ck_assert_uint_eq(counts.runs_added, 7); /* left alone */
    make_part("damaged.gbr", 3, 0, 1, true);
    damage_large("damaged.gbr");
    FIXTURE_FAILS(store_merge(store, fixture_path("damaged.gbr"), NULL, &counts, &fixture_problem),
                  GB_CORRUPT, "damaged.gbr: damaged: database disk image is malformed");
    sqlite3_exec(store->db, "PRAGMA max_page_count = 60", NULL, NULL, NULL);
    FIXTURE_FAILS(store_merge(store, fixture_path("big.gbr"), NULL, NULL, &fixture_problem), GB_IO,
                  "all.gbr: disk full: nothing more can be stored; what is already stored is safe");
    fixture_close(store);
    expect_same("all.gbr", &before);
}
