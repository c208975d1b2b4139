/* test_merge.c - merging results files: the union, whatever the order. */
#include "tests/check_main.h"
#include "tests/store/store_fixture.h"

#include "core/store/store_internal.h"
#include "core/view/views.h"

/* Everything in a file but the numbers of its rows, which differ between equal files. */
static void dump(const char *name, struct text *out)
{
    static const char *const queries[] = {
        "SELECT uuid, started, finished, exit_code, version, command_line, config_path,"
        " config_folder, config, config_sha256, seed, n_cases FROM run ORDER BY uuid",
        "SELECT r.uuid, f.name, f.value FROM run_fact f JOIN run r ON r.id = f.run_id"
        " ORDER BY 1, 2, 3",
        "SELECT r.uuid, m.kind, m.id, m.version, m.path, m.sha256 FROM module m"
        " JOIN run r ON r.id = m.run_id ORDER BY 1, 2, 3, 4, 5, 6",
        "SELECT d.record_uuid, r.uuid, d.plugin, d.name, d.number, d.model, d.uuid FROM device d"
        " JOIN run r ON r.id = d.run_id ORDER BY 1",
        "SELECT d.record_uuid, f.ordinal, f.name, f.value FROM device_fact f"
        " JOIN device d ON d.id = f.device_id ORDER BY 1, 2",
        "SELECT d.record_uuid, k.ordinal, k.name, k.tick_ns, k.overhead_ns FROM clock k"
        " JOIN device d ON d.id = k.device_id ORDER BY 1, 2",
        "SELECT c.*, r.uuid, d.record_uuid FROM bench_case c JOIN run r ON r.id = c.run_id"
        " LEFT JOIN device d ON d.id = c.device_id ORDER BY c.uuid",
        "SELECT c.uuid, p.* FROM parameter p JOIN bench_case c ON c.id = p.case_id"
        " ORDER BY c.uuid, p.ordinal",
        "SELECT c.uuid, hex(s.data), s.* FROM samples s JOIN bench_case c ON c.id = s.case_id"
        " ORDER BY c.uuid, s.name, s.first",
        "SELECT c.uuid, m.* FROM metric m JOIN bench_case c ON c.id = m.case_id"
        " ORDER BY c.uuid, m.ordinal",
        "SELECT c.uuid, k.* FROM check_result k JOIN bench_case c ON c.id = k.case_id"
        " ORDER BY c.uuid, k.ordinal",
        "SELECT c.uuid, s.* FROM check_summary s JOIN bench_case c ON c.id = s.case_id"
        " ORDER BY c.uuid, s.ordinal",
        "SELECT c.uuid, h.* FROM check_histogram h JOIN bench_case c ON c.id = h.case_id"
        " ORDER BY c.uuid, h.ordinal, h.class",
        "SELECT c.uuid, m.* FROM mode m JOIN bench_case c ON c.id = m.case_id"
        " ORDER BY c.uuid, m.ordinal",
        "SELECT c.uuid, a.* FROM activity a JOIN bench_case c ON c.id = a.case_id"
        " ORDER BY c.uuid, a.ordinal",
        "SELECT c.uuid, m.* FROM message m JOIN bench_case c ON c.id = m.case_id"
        " ORDER BY c.uuid, m.ordinal",
        "SELECT c.uuid, t.* FROM telemetry t JOIN bench_case c ON c.id = t.case_id"
        " ORDER BY c.uuid, t.moment",
    };
    struct store *store = fixture_open(name, STORE_READ);
    for (size_t i = 0; i < sizeof queries / sizeof *queries; i++) {
        sqlite3_stmt *row = NULL;
        ck_assert_msg(sqlite3_prepare_v2(store->db, queries[i], -1, &row, NULL) == SQLITE_OK, "%s",
                      sqlite3_errmsg(store->db));
        while (sqlite3_step(row) == SQLITE_ROW) {
            text_printf(out, "%zu:", i);
            for (int j = 0; j < sqlite3_column_count(row); j++) {
                const char *column = sqlite3_column_name(row, j);
                if (text_equal(column, "id") || text_ends_with(column, "_id"))
                    continue;
                if (sqlite3_column_type(row, j) == SQLITE_FLOAT)
                    text_printf(out, " %s=%a", column, sqlite3_column_double(row, j));
                else
                    text_printf(out, " %s=%s", column, sqlite3_column_text(row, j));
            }
            text_add(out, "\n");
        }
        sqlite3_finalize(row);
    }
    fixture_close(store);
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
    for (size_t i = 0; i < sizeof exports / sizeof *exports; i++) {
        struct view_options options = {
            .format = exports[i].format, .rows = exports[i].rows, .run = RUN_ALL};
        char *data = NULL;
        size_t n = 0;
        FILE *file = open_memstream(&data, &n);
        struct gb_error error = {0};
        int32_t status = view_export(store, &options, file, &error);
        ck_assert_msg(status == GB_OK, "%s", error.text);
        fclose(file);
        text_add_n(out, data, n);
        free(data);
    }
    struct view_options options = {.run = RUN_ALL};
    ck_assert_int_eq(view_show(store, &options, out, NULL), GB_OK);
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
        c.metrics[0] = (struct metric_record){"registers", 64 + i, "count"};
        c.record.n_metrics = 1;
        c.messages[0] = (struct message_record){GB_LOG_WARNING, "slow"};
        c.record.n_messages = 1;
        c.bench_case.common.launch = i % 2 ? GB_LAUNCH_GRAPH : GB_LAUNCH_STREAM;
        c.record.telemetry[TELEMETRY_END] = (struct telemetry_record){
            true, 1e9, i, {.clock_hz = 1e9 + i, .power_watts = NAN, .throttle_text = "heat"}};
        c.record.estimate.n_modes = 2;
        c.record.estimate.modes[0] = (struct gb_mode){100, 99, INFINITY, 0.7};
        c.record.estimate.modes[1] = (struct gb_mode){200, 199, 201, 0.3};
        fixture_store(store, run_id, &c);
    }
    if (ended)
        fixture_end_run(store, run_id);
    fixture_close(store);
}

static struct merge_counts merge(const char *into, const char *from)
{
    struct store *store = fixture_open(into, STORE_WRITE);
    struct merge_counts counts = {0};
    struct gb_error error = {0};
    int32_t status = store_merge(store, fixture_path(from), NULL, &counts, &error);
    ck_assert_msg(status == GB_OK, "%s", error.text);
    fixture_close(store);
    return counts;
}

static void expect_same(const char *a, const char *b)
{
    CLEANUP(text_free) struct text first = {0}, second = {0};
    dump(a, &first);
    dump(b, &second);
    ck_assert(first.length > 0);
    ck_assert(text_equal(text_get(&first), text_get(&second)));
}

TEST_FIXTURE(fixture_begin, fixture_end)

TEST(a_copy_has_every_bit)
{
    make_part("a.gbr", 1, 0, 5, true);
    struct merge_counts counts = merge("copy.gbr", "a.gbr");
    ck_assert_uint_eq(counts.runs_added, 1);
    ck_assert_uint_eq(counts.cases_added, 5);
    ck_assert_uint_eq(counts.cases_known, 0);
    expect_same("copy.gbr", "a.gbr");
}

/* Rows that a statement finds in a file. */
static int64_t count_rows(const char *name, const char *sql)
{
    struct store *store = fixture_open(name, STORE_READ);
    sqlite3_stmt *row = NULL;
    ck_assert_int_eq(sqlite3_prepare_v2(store->db, sql, -1, &row, NULL), SQLITE_OK);
    ck_assert_int_eq(sqlite3_step(row), SQLITE_ROW);
    int64_t n = sqlite3_column_int64(row, 0);
    sqlite3_finalize(row);
    fixture_close(store);
    return n;
}

TEST(merged_histograms_add_up)
{
    make_part("a.gbr", 1, 0, 3, true);
    make_part("b.gbr", 2, 0, 2, true);
    merge("all.gbr", "a.gbr");
    merge("all.gbr", "b.gbr");
    merge("all.gbr", "a.gbr");
    ck_assert_int_eq(count_rows("all.gbr", "SELECT count(*) FROM check_summary"), 5);
    ck_assert_int_eq(count_rows("all.gbr", "SELECT count(*) FROM check_summary AS s WHERE n ="
                                           " (SELECT sum(count) FROM check_histogram AS h WHERE"
                                           " h.case_id = s.case_id AND h.ordinal = s.ordinal)"),
                     5);
    ck_assert_int_eq(count_rows("all.gbr", "SELECT count(*) FROM check_histogram"
                                           " WHERE label = 'reference 0' AND count = 1"),
                     5);
}

TEST(merging_again_changes_nothing)
{
    make_part("a.gbr", 1, 0, 5, true);
    make_part("b.gbr", 2, 0, 3, true);
    merge("all.gbr", "a.gbr");
    merge("all.gbr", "b.gbr");
    CLEANUP(text_free) struct text once = {0}, twice = {0};
    dump("all.gbr", &once);
    struct merge_counts counts = merge("all.gbr", "a.gbr");
    ck_assert_uint_eq(counts.runs_added, 0);
    ck_assert_uint_eq(counts.cases_added, 0);
    ck_assert_uint_eq(counts.cases_known, 5);
    counts = merge("all.gbr", "all.gbr");
    ck_assert_uint_eq(counts.cases_added, 0);
    ck_assert_uint_eq(counts.cases_known, 8);
    dump("all.gbr", &twice);
    ck_assert(text_equal(text_get(&once), text_get(&twice)));
}

/*
 * a: the first part of run 1, not ended; b: all of run 1, ended; c: run 2; d: run 1 again, one case
 * still being measured that b has complete.
 */
static void make_overlapping_files(void)
{
    make_part("b.gbr", 1, 0, 4, true);
    merge("a.gbr", "b.gbr");
    merge("d.gbr", "b.gbr");
    static const char *const changes[] = {
        "DELETE FROM bench_case WHERE position > 1;"
        "UPDATE run SET finished = NULL, exit_code = NULL, n_cases = 9",
        "DELETE FROM bench_case WHERE position <> 3;"
        "UPDATE metric SET value = 0; DELETE FROM check_result; DELETE FROM check_summary;"
        "DELETE FROM check_histogram; DELETE FROM mode;"
        "INSERT INTO message SELECT id, 1, 1, 'goes with the row' FROM bench_case;"
        "UPDATE bench_case SET status = 'running', done = 0, n_samples = 700, median_ns = NULL;"
        "UPDATE run SET finished = '2026-01-01T10:30:00.000Z', exit_code = 130"};
    static const char *const names[] = {"a.gbr", "d.gbr"};
    for (int i = 0; i < 2; i++) {
        struct store *store = fixture_open(names[i], STORE_WRITE);
        ck_assert_int_eq(sqlite3_exec(store->db, changes[i], NULL, NULL, NULL), SQLITE_OK);
        fixture_close(store);
    }
    make_part("c.gbr", 2, 0, 2, false);
}

TEST(the_order_of_merging_does_not_matter)
{
    static const char *const names[] = {"a.gbr", "b.gbr", "c.gbr", "d.gbr"};
    CLEANUP(text_free) struct text first_dump = {0}, first_export = {0};
    make_overlapping_files();
    int n_orders = 0;
    for (int order = 0; order < 256; order++) {
        int place[] = {order & 3, order >> 2 & 3, order >> 4 & 3, order >> 6 & 3};
        unsigned seen = 0;
        for (int i = 0; i < 4; i++)
            seen |= 1u << place[i];
        if (seen != 0xF)
            continue;
        char into[32];
        snprintf(into, sizeof into, "all%d.gbr", n_orders++);
        struct store *store = fixture_open(into, STORE_WRITE);
        for (int i = 0; i < 4; i++)
            ck_assert_int_eq(store_merge(store, fixture_path(names[place[i]]), NULL, NULL, NULL),
                             GB_OK);
        fixture_close(store);
        CLEANUP(text_free) struct text one_dump = {0}, one_export = {0};
        dump(into, &one_dump);
        export_all(into, &one_export);
        if (n_orders == 1) {
            text_add(&first_dump, text_get(&one_dump));
            text_add(&first_export, text_get(&one_export));
        }
        ck_assert(text_equal(text_get(&one_dump), text_get(&first_dump)));
        ck_assert(text_equal(text_get(&one_export), text_get(&first_export)));
    }
    ck_assert_int_eq(n_orders, 24);
}

TEST(the_copy_that_is_further_on_wins)
{
    make_overlapping_files();
    merge("all.gbr", "d.gbr");
    merge("all.gbr", "a.gbr");
    struct merge_counts counts = merge("all.gbr", "b.gbr");
    ck_assert_uint_eq(counts.runs_added, 0);
    ck_assert_uint_eq(counts.cases_added, 2); /* number 2, and 3 in place of the running one */
    ck_assert_uint_eq(counts.cases_known, 2);
    expect_same("all.gbr", "b.gbr");
}

TEST(run_numbers_do_not_depend_on_the_order)
{
    make_part("a.gbr", 2, 0, 1, true);
    make_part("b.gbr", 1, 0, 1, true);
    merge("all.gbr", "a.gbr");
    merge("all.gbr", "b.gbr");
    struct store *store = fixture_open("all.gbr", STORE_READ);
    CLEANUP(arena_free) struct arena arena = {0};
    struct run_record run;
    int64_t id = 0;
    ck_assert_int_eq(store_run_read(store, 1, &arena, &id, &run, NULL), GB_OK);
    ck_assert_str_eq(run.started, "2026-01-01T10:00:00.000Z");
    fixture_close(store);
}

TEST(what_cannot_be_merged)
{
    make_part("all.gbr", 1, 0, 1, true);
    struct store *store = fixture_open("all.gbr", STORE_WRITE);
    struct gb_error error = {0};
    struct merge_counts counts = {7, 7, 7, false};
    ck_assert_int_eq(store_merge(store, fixture_path("absent.gbr"), NULL, &counts, &error),
                     GB_NOT_FOUND);
    ck_assert_str_eq(fixture_error(&error), "absent.gbr: there is no such results file");
    ck_assert_uint_eq(counts.runs_added, 7); /* left alone */
    fixture_close(store);
}

TEST(a_merge_that_does_not_fit_adds_nothing)
{
    make_part("big.gbr", 2, 0, 200, true);
    make_part("all.gbr", 1, 0, 1, true);
    CLEANUP(text_free) struct text before = {0}, after = {0};
    dump("all.gbr", &before);
    struct store *store = fixture_open("all.gbr", STORE_WRITE);
    struct gb_error error = {0};
    sqlite3_exec(store->db, "PRAGMA max_page_count = 60", NULL, NULL, NULL);
    ck_assert_int_eq(store_merge(store, fixture_path("big.gbr"), NULL, NULL, &error), GB_IO);
    ck_assert_str_eq(fixture_error(&error), "all.gbr: disk full: nothing more can be stored; what"
                                            " was stored before is safe");
    fixture_close(store);
    dump("all.gbr", &after);
    ck_assert(text_equal(text_get(&before), text_get(&after)));
}
