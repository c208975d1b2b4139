/* test_views.c - what is printed of a results file as a whole, and what of it is chosen. */
#include "tests/check_main.h"
#include "tests/view/views_fixture.h"

static void setup(void)
{
    fixture_begin();
    views_make_file("fates.gbr");
    views_make_rounds("rounds.gbr");
    views_make_rounds("unchecked.gbr");
    fixture_change("unchecked.gbr", "DELETE FROM check_summary; DELETE FROM check_histogram");
}

TEST_FIXTURE(setup, fixture_end)

TEST(shown_as_tables)
{
    SHOWS("show.txt", "fates.gbr", 0);
    SHOWS("show_verbose.txt", "fates.gbr", .verbose = true, .where = "streams in (6, 7)");
    SHOWS_BELOW_HEAD("show_rounds.txt", "rounds.gbr", 0);
    SHOWS_BELOW_HEAD("show_rounds_verbose.txt", "unchecked.gbr", .verbose = true,
                     .where = "dtype = 'fp16' and streams = 1");
    SHOWS("show_pivot.txt", "fates.gbr", .pivot = "streams",
          .where = "streams in (1, 3, 4, 5, 6) or bench = 'floor'");
    SHOWS_BELOW_HEAD("show_pivot_two_axes.txt", "rounds.gbr", .pivot = "dtype");
    SHOWS_BELOW_HEAD("show_columns.txt", "rounds.gbr", .columns = "round,dtype,median_ns",
                     .sort = "-median_ns", .where = "streams = 2");
    SHOWS("show_groups.txt", "fates.gbr", .group_by = "rows",
          .where = "streams in (2, 4, 5) or bench = 'floor'");
    SHOWS_BELOW_HEAD("show_groups_columns.txt", "rounds.gbr", .group_by = "dtype",
                     .columns = "count,pass_rate,max(median_ns),median(relative_iqr)");
    SHOWS_BELOW_HEAD("show_groups_levels.txt", "rounds.gbr", .group_by = "dtype",
                     .pivot = "streams", .columns = "count,max(median_ns)");
    SHOWS_BELOW_HEAD("show_groups_transposed.txt", "rounds.gbr", .group_by = "streams,dtype",
                     .transpose = true, .columns = "count,max(median_ns)");
    SHOWS("show.md", "rounds.gbr", .format = FORMAT_MARKDOWN);
}

TEST(exported)
{
    EXPORTS("cases.csv", "fates.gbr", .format = FORMAT_CSV);
    EXPORTS("cases.json", "fates.gbr", .format = FORMAT_JSON);
    EXPORTS("cases.jsonl", "fates.gbr", .format = FORMAT_JSONL, .where = "streams < 3");
    EXPORTS("cases.md", "fates.gbr", .format = FORMAT_MARKDOWN,
            .where = "streams in (3, 4) or bench = 'floor'");
    EXPORTS("cases.txt", "fates.gbr", .format = FORMAT_TABLE);
    EXPORTS("combined.csv", "rounds.gbr", .format = FORMAT_CSV, .rows = ROWS_COMBINED);
    EXPORTS("combined.json", "rounds.gbr", .format = FORMAT_JSON, .rows = ROWS_COMBINED,
            .where = "streams = 1");
    EXPORTS("combined.md", "rounds.gbr", .format = FORMAT_MARKDOWN, .rows = ROWS_COMBINED,
            .sort = "-median_ns");
    EXPORTS("samples.csv", "fates.gbr", .format = FORMAT_CSV, .rows = ROWS_SAMPLE,
            .where = "streams = 7 or bench = 'floor'");
    EXPORTS("samples.json", "fates.gbr", .format = FORMAT_JSON, .rows = ROWS_SAMPLE,
            .where = "streams = 7");
    EXPORTS("samples.jsonl", "fates.gbr", .format = FORMAT_JSONL, .rows = ROWS_SAMPLE,
            .where = "streams = 7");
    EXPORTS("groups.csv", "rounds.gbr", .format = FORMAT_CSV, .group_by = "bench,dtype",
            .columns = "min(median_ns),max(median_ns),avg(median_ns),median(median_ns),count");
    EXPORTS("groups_transposed.csv", "rounds.gbr", .format = FORMAT_CSV, .group_by = "bench,dtype",
            .transpose = true, .pivot = "streams", .columns = "count,max(median_ns)");
    EXPORTS("groups.json", "fates.gbr", .format = FORMAT_JSON, .group_by = "status");
    EXPORTS("groups.jsonl", "rounds.gbr", .format = FORMAT_JSONL, .group_by = "dtype",
            .pivot = "streams", .columns = "avg(check.abs),pass_rate");
    EXPORTS("groups.md", "fates.gbr", .format = FORMAT_MARKDOWN, .group_by = "rows");
    EXPORTS("pivot.csv", "fates.gbr", .format = FORMAT_CSV, .pivot = "streams");
    EXPORTS("pivot.json", "rounds.gbr", .format = FORMAT_JSON, .pivot = "streams");
    EXPORTS("pivot.jsonl", "rounds.gbr", .format = FORMAT_JSONL, .pivot = "dtype");
    EXPORTS("pivot.md", "rounds.gbr", .format = FORMAT_MARKDOWN, .pivot = "streams");
}

/* Skipped cases are not measured: they count, but neither pass nor fail. Of two runs the groups are
 * one. */
TEST(groups_count_what_was_measured)
{
    for (unsigned run = 1; run <= 2; run++)
        views_make("two.gbr", run,
                   "100 streams rows=32 +streams=1\n"
                   "100 streams rows=32 +streams=2\n"
                   "100 streams rows=32 +streams=3\n"
                   "100 streams rows=32 +streams=4\n",
                   "UPDATE bench_case SET status = 'skipped' WHERE sequence = 1;"
                   "UPDATE bench_case SET status = 'crashed' WHERE sequence = 2;"
                   "UPDATE bench_case SET status = 'cancelled', done = 0 WHERE sequence = 3;"
                   "UPDATE check_result SET value = (SELECT sequence + run_id FROM bench_case"
                   " WHERE id = case_id AND sequence < 3)");
    ck_assert_str_eq(EXPORTED_CSV("two.gbr", .run = RUN_ALL, .group_by = "rows",
                                  .columns = "count,pass_rate,avg(check.abs),max(check.abs),"
                                             "min(exact_ratio)"),
                     "rows,count,pass_rate,avg(check.abs),max(check.abs),min(exact_ratio)\n"
                     "32,8,0.5,2.5,4,0.9765625\n");
    const char *got = SHOWN("two.gbr", .run = RUN_ALL, .group_by = "rows", .columns = "count");
    EXPECT(got, "rows  count\n  32      8\n");
    EXPECT_NO(got, "run 1");
}

TEST(metrics_of_comparisons_are_columns)
{
    ck_assert_str_eq(EXPORTED_CSV("fates.gbr", .columns = "check.abs,check.ulp,exact_ratio",
                                  .where = "\"check.abs\" > 0 and exact_ratio < 1 and streams < 3"),
                     "check.abs,check.ulp,exact_ratio\n1.5e-07,,0.9765625\n1.5e-07,,0.9765625\n");
}

/* Rounds are further trials; other axes stand in front. */
TEST(a_pivot_with_another_axis_and_rounds)
{
    fixture_change("rounds.gbr", "UPDATE samples SET n = 2, data = substr(data, 1, 16);"
                                 "UPDATE bench_case SET n_samples = 2");
    ck_assert_str_eq(EXPORTED_CSV("rounds.gbr", .pivot = "streams"),
                     "dtype,1 Stream,2 Streams\n"
                     "fp16,0.001,0.002\nfp16,0.001001,0.002001\nfp16,0.00101,0.00201\n"
                     "fp16,0.001011,0.002011\nfp16,0.00102,0.00202\nfp16,0.001021,0.002021\n"
                     "bf16,0.003,0.004\nbf16,0.003001,0.004001\nbf16,0.00301,0.00401\n"
                     "bf16,0.003011,0.004011\nbf16,0.00302,0.00402\nbf16,0.003021,0.004021\n");
}

/* Sample i takes 100 i ns: a piece that is left out, twice there or numbered anew shows. */
TEST(long_recordings_are_exported_whole)
{
    enum { LONG = STORE_CHUNK + 1500 };
    CLEANUP(text_free) struct text trials = {0}, samples = {0};
    double *times = malloc(LONG * sizeof *times);
    struct fixture_case c;
    fixture_case(&c, 0, 1, 100);
    text_add(&trials, "1 Stream\n");
    text_add(&samples, "bench,sample,time_ns,wall_ns\n");
    for (int i = 0; i < LONG; i++) {
        times[i] = 100.0 * i;
        text_printf(&trials, "%.10g\n", i / 1e4);
        text_printf(&samples, "streams,%d,%d,%d\n", i, 100 * i, 100 * i);
    }
    c.columns[0].values = times;
    c.record.n_samples = LONG;
    c.record.n_columns = 1;
    struct store *store = fixture_open("long.gbr", STORE_WRITE);
    fixture_store(store, fixture_begin_run(store, 1), &c);
    fixture_close(store);
    free(times);
    views_expect_text("the table", text_get(&trials), EXPORTED_CSV("long.gbr", .pivot = "streams"));
    views_expect_text("the samples", text_get(&samples),
                      EXPORTED_CSV("long.gbr", .rows = ROWS_SAMPLE, .columns = "bench"));
}

static const struct {
    const char *where, *sort, *streams; /* of the cases found, in order */
} selections[] = {
    {NULL, NULL, "1 2 3 4 5 6 7 8 - -"},
    {"streams = 3", NULL, "3"},
    {"streams between 2 and 4 and status = 'ok'", NULL, "2 3"},
    {"status <> 'ok'", NULL, "4 5 -"},
    {"bench = 'floor'", NULL, "- -"},
    {"label = 'streams streams=4' or label like 'floor note=%'", "label", "- - 4"},
    {"median_ns < 150e3 and n_throttled > 0", NULL, "7 8"},
    {"gflops > 6.5 or streams = 1", NULL, "1 7 8"},
    {"threads >= 7", NULL, "7 8"},
    {"\"metric.threads\" >= 8", NULL, "8"},
    {"verified = 'failed'", NULL, "5"},
    {"\"check\" like 'FAIL abs %'", NULL, "5"},
    {"bench = 'streams' and streams > 3", "check,-streams", "5 8 7 6 4"},
    {"n_modes > 1", NULL, "6"},
    {"verdict = 'unconverged'", NULL, "3"},
    {"power_watts = 250 and temperature_celsius > 61", NULL, "6 7 8"},
    {"throttle_reasons <> ''", NULL, "7"},
    {"launch = 'graph'", NULL, ""},
    {"device = 'cpu' and policy = 'precise' and n_samples = 0", NULL, "4 -"},
    {"bench = 'streams'", "-streams", "8 7 6 5 4 3 2 1"},
    {"bench = 'streams'", "median_ns", "8 7 6 5 3 2 1 4"},
    {"bench = 'streams'", "-median_ns", "1 2 3 5 6 7 8 4"},
    {"bench = 'streams'", "status,-streams", "4 8 7 6 3 2 1 5"},
    {"bench = 'streams' and streams < 4", "stop_reason,streams", "1 2 3"},
};

TEST_EACH(selected_and_sorted, selections)
{
    CLEANUP(text_free) struct text found = {0};
    const char *got = EXPORTED_CSV("fates.gbr", .columns = "streams", .where = selections[_i].where,
                                   .sort = selections[_i].sort);
    ck_assert(text_starts_with(got, "streams\n"));
    for (const char *at = got + strlen("streams\n"); *at;) {
        size_t length = strcspn(at, "\n");
        text_printf(&found, "%s%.*s", found.length ? " " : "", length ? (int)length : 1,
                    length ? at : "-");
        at += length + 1;
    }
    ck_assert_str_eq(text_get(&found), selections[_i].streams);
}

#define FAILS(status, text, ...)                                                                   \
    views_expect_error("fates.gbr", status, 0, text, (struct view_options){__VA_ARGS__})
#define MISTAKE(text, ...) FAILS(GB_INVALID, text, __VA_ARGS__)
#define NO_AGGREGATE                                                                               \
    " with --group-by: expected avg, max, min, median or geomean of a column, such as "            \
    "avg(median_ns); count, or pass_rate"

TEST(mistakes_are_named)
{
    MISTAKE("--sort: no column 'medain_ns': did you mean 'median_ns'?", .sort = "medain_ns");
    MISTAKE("--sort: no column 'steams': did you mean 'streams'?", .sort = "-steams");
    MISTAKE("--sort: no column 'GB/s': write bytes_per_s", .sort = "-GB/s");
    MISTAKE("--columns: no column 'zzzzz': expected a parameter, a metric or a result column such "
            "as median_ns",
            .columns = "bench,zzzzz");
    MISTAKE("--columns: no column 'median': write median_ns or estimate_ns", .columns = "median");
    MISTAKE("--columns: no column 'thraeds': did you mean 'threads'?", .columns = "thraeds");
    MISTAKE("--pivot: no column 'steams': did you mean 'streams'?", .pivot = "steams");
    MISTAKE("--where: unknown name 'steams'; did you mean 'streams'?", .where = "steams = 1");
    MISTAKE("--where: unknown name 'discarded': write n_discarded", .where = "discarded < 1");
    MISTAKE("--group-by: no column 'rowz': did you mean 'rows'?", .group_by = "rowz");
    MISTAKE("--group-by: it is empty: expected names of columns", .group_by = "");
    MISTAKE("--columns: 'mean(median_ns)'" NO_AGGREGATE, .group_by = "rows",
            .columns = "mean(median_ns)");
    MISTAKE("--columns: 'median_ns'" NO_AGGREGATE, .group_by = "rows", .columns = "median_ns");
    MISTAKE("--columns: 'avg'" NO_AGGREGATE, .group_by = "rows", .columns = "count,avg");
    MISTAKE("--columns: avg(status): 'status' is text: expected numbers", .group_by = "rows",
            .columns = "avg(status)");
    MISTAKE("--columns: no column 'chek.ulp': did you mean 'check.ulp'?", .group_by = "rows",
            .columns = "max(chek.ulp)");
    MISTAKE("--rows combined: expected no --pivot, which combines rounds already",
            .pivot = "streams", .rows = ROWS_COMBINED);
    MISTAKE("--group-by is for cases, not for --rows sample", .group_by = "rows",
            .rows = ROWS_SAMPLE);
    MISTAKE("samples are exported as csv, json or jsonl, not as md", .format = FORMAT_MARKDOWN,
            .rows = ROWS_SAMPLE);
    FAILS(GB_NOT_FOUND, "fates.gbr: has no run 2, only run 1", .run = 2);
}

TEST(formats_have_names)
{
    static const char *const names[] = {"table", "csv", "json", "jsonl", "md"};
    for (int i = 0; i < FORMATS; i++) {
        ck_assert_str_eq(format_name(i), names[i]);
        ck_assert_int_eq(format_named(names[i]), i);
    }
    ck_assert_int_eq(format_named("xml"), -1);
    struct gb_error error = {0};
    CLEANUP(text_free) struct text got = {0};
    const struct view_options options = {.format = FORMAT_CSV};
    ck_assert_int_eq(views_try("fates.gbr", &options, true, &got, &error), GB_INVALID);
    ck_assert_str_eq(error.text, "csv is a format of exports: use gbrun export");
}

TEST(a_full_disk_is_told)
{
    struct store *store = fixture_open("fates.gbr", STORE_READ);
    struct gb_error error = {0};
    FILE *full = fopen("/dev/full", "w");
    ck_assert_ptr_nonnull(full);
    struct view_options options = {.format = FORMAT_CSV};
    ck_assert_int_eq(view_export(store, &options, full, &error), GB_IO);
    ck_assert_str_eq(error.text, "the export cannot be written: No space left on device");
    fclose(full);
    fixture_close(store);
}

TEST(nothing_to_show_is_said)
{
    ck_assert(text_ends_with(SHOWN("fates.gbr", .where = "streams = 77"),
                             "\n\nno case matches --where streams = 77\n"));
}

/* A parameter wins over a result column of its name; JSON has room for both. */
TEST(a_parameter_may_be_named_like_a_column)
{
    views_make("one.gbr", 1,
               "1e6 streams +streams=4 +status=solid\n"
               "1e6 streams +streams=4\n",
               NULL);
    ck_assert_str_eq(EXPORTED_CSV("one.gbr", .columns = "status,bench"),
                     "status,bench\nsolid,streams\nok,streams\n");
    ck_assert_str_eq(
        EXPORTED_CSV("one.gbr", .columns = "status,bench", .where = "status = 'solid'"),
        "status,bench\nsolid,streams\n");
    const char *json = EXPORTED("one.gbr", .format = FORMAT_JSONL);
    EXPECT(json, "\"status\":\"solid\"}", ",\"status\":\"ok\",");
    ck_assert_uint_eq(views_count(EXPORTED_CSV("one.gbr", 0), ",status,"), 1);
}

/* As a run with order = shuffled leaves it, and a sweep that goes down. */
TEST(rows_and_columns_are_in_the_order_of_the_configuration)
{
    views_make("shuffled.gbr", 1,
               "1000,1000 streams +streams=4\n"
               "1000,1000 streams +streams=8\n"
               "1000,1000 streams +streams=1\n"
               "1000,1000 streams +streams=2\n",
               SET "position = substr('2031', position + 1, 1)");
    ck_assert_str_eq(EXPORTED_CSV("shuffled.gbr", .columns = "streams,round"),
                     "streams,round\n8,0\n8,1\n2,0\n2,1\n4,0\n4,1\n1,0\n1,1\n");
    ck_assert_str_eq(EXPORTED_CSV("shuffled.gbr", .columns = "streams", .sort = "sequence",
                                  .where = "round = 0"),
                     "streams\n4\n8\n1\n2\n");
    ck_assert(
        text_starts_with(EXPORTED_CSV("shuffled.gbr", .pivot = "streams", .columns = "n_samples"),
                         "n_samples 8,n_samples 2,n_samples 4,n_samples 1\n"));
    ck_assert_str_eq(EXPORTED_CSV("shuffled.gbr", .group_by = "streams", .columns = "count"),
                     "streams,count\n8,2\n2,2\n4,2\n1,2\n");
}

/* Of a case that was read with others and alone: all that is an array, and a member of each. */
static void expect_same_case(const struct stored_case *a, const struct stored_case *b)
{
    const struct case_record *x = &a->record, *y = &b->record;
    ck_assert_int_eq(a->id, b->id);
    ck_assert_str_eq(x->uuid, y->uuid);
    ck_assert_uint_eq(a->n_parameters, b->n_parameters);
    for (size_t i = 0; i < a->n_parameters; i++)
        ck_assert_str_eq(a->parameters[i].value.text, b->parameters[i].value.text);
#define EXPECT_SAME(items, member, assert_eq)                                                      \
    do {                                                                                           \
        ck_assert_uint_eq(x->n_##items, y->n_##items);                                             \
        for (size_t i = 0; i < x->n_##items; i++)                                                  \
            assert_eq(x->items[i].member, y->items[i].member);                                     \
    } while (0)
    EXPECT_SAME(metrics, name, ck_assert_str_eq);
    EXPECT_SAME(messages, text, ck_assert_str_eq);
    EXPECT_SAME(activities, bytes, ck_assert_uint_eq);
    EXPECT_SAME(series, name, ck_assert_str_eq);
    EXPECT_SAME(checks, text, ck_assert_str_eq);
    EXPECT_SAME(summaries, histogram[0], ck_assert_uint_eq);
    EXPECT_SAME(worst, name, ck_assert_str_eq);
#undef EXPECT_SAME
    ck_assert_uint_eq(x->estimate.n_modes, y->estimate.n_modes);
    for (int i = 0; i < TELEMETRY_MOMENTS; i++)
        ck_assert_int_eq(x->telemetry[i].is_known, y->telemetry[i].is_known);
}

TEST(cases_are_read_together_as_alone)
{
    CLEANUP(arena_free) struct arena arena = {0};
    CLEANUP(free_pointer) int64_t *ids = NULL;
    CLEANUP(free_pointer) struct stored_case *cases = NULL;
    struct gb_error error = {0};
    size_t n = 0;
    struct store *store = fixture_open("fates.gbr", STORE_READ);
    FIXTURE_OK(store_case_ids(store, 1, NULL, &ids, &n, &fixture_problem));
    ck_assert_uint_eq(n, 10);
    for (size_t i = 0; i < n / 2; i++) {
        const int64_t id = ids[i];
        ids[i] = ids[n - 1 - i];
        ids[n - 1 - i] = id;
    }
    ids[4] = ids[--n]; /* one between is left out */
    FIXTURE_OK(store_cases_read(store, ids, n, &arena, &cases, &fixture_problem));
    for (size_t i = 0; i < n; i++) {
        struct stored_case alone;
        FIXTURE_OK(store_case_read(store, ids[i], &arena, &alone, &fixture_problem));
        ck_assert_int_eq(alone.id, ids[i]);
        expect_same_case(&cases[i], &alone);
    }
    free(cases);
    cases = NULL;
    ids[1] = 99;
    ck_assert_int_eq(store_cases_read(store, ids, n, &arena, &cases, &error), GB_NOT_FOUND);
    ck_assert_str_eq(fixture_error(&error), "fates.gbr: has no case 99");
    ck_assert_ptr_null(cases);
    fixture_close(store);
}

/* Ids may lie far apart, as those of a page of many cases do. */
TEST(ids_of_cases_say_nothing)
{
    CLEANUP(text_free) struct text sql = {0};
    static const char *const children[] = {
        "parameter", "samples",         "metric",      "series",  "check_result", "check_summary",
        "mode",      "check_histogram", "check_worst", "message", "telemetry",    "activity"};
    views_make_file("far.gbr");
    text_add(&sql, "PRAGMA foreign_keys = 0; UPDATE bench_case SET id = id * 1000;");
    for (size_t i = 0; i < N_OF(children); i++)
        text_printf(&sql, "UPDATE %s SET case_id = case_id * 1000;", children[i]);
    fixture_change("far.gbr", text_get(&sql));
    SHOWS("show.txt", "far.gbr", 0);
    EXPORTS("cases.csv", "far.gbr", .format = FORMAT_CSV);
}

TEST(runs_are_shown_one_after_the_other)
{
    views_make("two.gbr", 1, "1e6 streams rows=32 +streams=4\n", NULL);
    views_make("two.gbr", 2, "2e6 streams rows=32 +streams=4\n", NULL);
    views_expect_golden("show_runs.txt", SHOWN("two.gbr", .run = RUN_ALL));
    ck_assert(text_starts_with(SHOWN("two.gbr", .run = RUN_NEWEST), "run 2  "));
    ck_assert_str_eq(EXPORTED_CSV("two.gbr", .run = RUN_ALL, .columns = "run,streams,median_ns"),
                     "run,streams,median_ns\n1,4,1000000\n2,4,2000000\n");
    ck_assert_str_eq(EXPORTED("two.gbr", .run = RUN_ALL, .format = FORMAT_MARKDOWN, .pivot = "run"),
                     "|  1 (ns) |  2 (ns) |\n"
                     "| ------: | ------: |\n"
                     "| 1000000 | 2000000 |\n");
}
