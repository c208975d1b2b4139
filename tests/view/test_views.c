/* test_views.c - what is printed of a results file as a whole, and what of it is chosen. */
#include "tests/check_main.h"
#include "tests/view/views_fixture.h"

#include <sqlite3.h>

static void setup(void)
{
    fixture_begin();
    views_make_file("fates.gbr");
    views_make_rounds("rounds.gbr");
}

static const struct {
    const char *golden, *file;
    struct view_options options;
} shows[] = {
    {"show.txt", "fates.gbr", {0}},
    {"show_verbose.txt", "fates.gbr", {.verbose = true, .where = "streams in (6, 7)"}},
    {"show_rounds.txt", "rounds.gbr", {0}},
    {"show_rounds_verbose.txt",
     "rounds.gbr",
     {.verbose = true, .where = "dtype = 'fp16' and streams = 1"}},
    {"show_pivot.txt", "fates.gbr", {.pivot = "streams"}},
    {"show_pivot_two_axes.txt", "rounds.gbr", {.pivot = "dtype"}},
    {"show_columns.txt", "rounds.gbr", {.columns = "round,dtype,median_ns", .sort = "-median_ns"}},
    {"show_groups.txt", "fates.gbr", {.group_by = "rows"}},
    {"show_groups_columns.txt",
     "rounds.gbr",
     {.group_by = "dtype", .columns = "count,pass_rate,max(median_ns),median(relative_iqr)"}},
    {"show_groups_levels.txt",
     "rounds.gbr",
     {.group_by = "dtype", .pivot = "streams", .columns = "count,max(median_ns)"}},
    {"show_groups_transposed.txt",
     "rounds.gbr",
     {.group_by = "streams,dtype", .transpose = true, .columns = "count,max(median_ns)"}},
    {"show.md", "rounds.gbr", {.format = FORMAT_MARKDOWN}},
};

TEST_FIXTURE(setup, fixture_end)

TEST_EACH(shown_as_tables, shows)
{
    CLEANUP(text_free) struct text got = {0};
    views_show(shows[_i].file, &shows[_i].options, &got);
    views_expect_golden(shows[_i].golden, &got);
}

static const struct {
    const char *golden, *file;
    struct view_options options;
} exports[] = {
    {"cases.csv", "fates.gbr", {.format = FORMAT_CSV}},
    {"cases.json", "fates.gbr", {.format = FORMAT_JSON}},
    {"cases.jsonl", "fates.gbr", {.format = FORMAT_JSONL}},
    {"cases.md", "fates.gbr", {.format = FORMAT_MARKDOWN}},
    {"cases.txt", "fates.gbr", {.format = FORMAT_TABLE}},
    {"combined.csv", "rounds.gbr", {.format = FORMAT_CSV, .rows = ROWS_COMBINED}},
    {"combined.json",
     "rounds.gbr",
     {.format = FORMAT_JSON, .rows = ROWS_COMBINED, .where = "streams = 1"}},
    {"combined.md",
     "rounds.gbr",
     {.format = FORMAT_MARKDOWN, .rows = ROWS_COMBINED, .sort = "-median_ns"}},
    {"samples.csv",
     "fates.gbr",
     {.format = FORMAT_CSV, .rows = ROWS_SAMPLE, .where = "streams = 7 or bench = 'floor'"}},
    {"samples.json",
     "fates.gbr",
     {.format = FORMAT_JSON, .rows = ROWS_SAMPLE, .where = "streams = 7"}},
    {"samples.jsonl",
     "fates.gbr",
     {.format = FORMAT_JSONL, .rows = ROWS_SAMPLE, .where = "streams = 7"}},
    {"groups.csv",
     "rounds.gbr",
     {.format = FORMAT_CSV,
      .group_by = "bench,dtype",
      .columns = "min(median_ns),max(median_ns),avg(median_ns),median(median_ns),count"}},
    {"groups_transposed.csv",
     "rounds.gbr",
     {.format = FORMAT_CSV,
      .group_by = "bench,dtype",
      .transpose = true,
      .pivot = "streams",
      .columns = "count,max(median_ns)"}},
    {"groups.json", "fates.gbr", {.format = FORMAT_JSON, .group_by = "status"}},
    {"groups.jsonl",
     "rounds.gbr",
     {.format = FORMAT_JSONL,
      .group_by = "dtype",
      .pivot = "streams",
      .columns = "avg(check.abs),pass_rate"}},
    {"groups.md", "fates.gbr", {.format = FORMAT_MARKDOWN, .group_by = "rows"}},
    {"pivot.csv", "fates.gbr", {.format = FORMAT_CSV, .pivot = "streams"}},
    {"pivot.json", "rounds.gbr", {.format = FORMAT_JSON, .pivot = "streams"}},
    {"pivot.jsonl", "rounds.gbr", {.format = FORMAT_JSONL, .pivot = "dtype"}},
    {"pivot.md", "rounds.gbr", {.format = FORMAT_MARKDOWN, .pivot = "streams"}},
};

TEST_EACH(exported, exports)
{
    CLEANUP(text_free) struct text got = {0};
    views_export(exports[_i].file, &exports[_i].options, &got);
    views_expect_golden(exports[_i].golden, &got);
}

static const struct {
    struct view_options options;
    const char *error;
} bad_groups[] = {
    {{.group_by = "rowz"}, "--group-by: no column 'rowz': did you mean 'rows'?"},
    {{.group_by = ""}, "--group-by: it is empty: expected names of columns"},
    {{.group_by = "rows", .columns = "mean(median_ns)"},
     "--columns: 'mean(median_ns)' with --group-by: expected avg, max, min, median or geomean of a "
     "column,"
     " such as avg(median_ns); count, or pass_rate"},
    {{.group_by = "rows", .columns = "median_ns"},
     "--columns: 'median_ns' with --group-by: expected avg, max, min, median or geomean of a "
     "column,"
     " such as avg(median_ns); count, or pass_rate"},
    {{.group_by = "rows", .columns = "count,avg"},
     "--columns: 'avg' with --group-by: expected avg, max, min, median or geomean of a column,"
     " such as avg(median_ns); count, or pass_rate"},
    {{.group_by = "rows", .columns = "avg(status)"},
     "--columns: avg(status): 'status' is words: expected numbers"},
    {{.group_by = "rows", .columns = "max(chek.ulp)"},
     "--columns: no column 'chek.ulp': did you mean 'check.ulp'?"},
    {{.group_by = "rows", .rows = ROWS_SAMPLE}, "--group-by is for cases, not for --rows sample"},
};

TEST_EACH(groups_that_can_not_be, bad_groups)
{
    CLEANUP(text_free) struct text got = {0};
    struct gb_error error = {0};
    struct view_options options = bad_groups[_i].options;
    options.format = FORMAT_CSV;
    ck_assert_int_eq(views_try_export("fates.gbr", &options, &got, &error), GB_INVALID);
    ck_assert_str_eq(error.text, bad_groups[_i].error);
}

/* Skipped cases are not measured: they count, but neither pass nor fail. Of two runs the groups are
 * one. */
TEST(groups_count_what_was_measured)
{
    CLEANUP(text_free) struct text got = {0};
    struct store *store = fixture_open("two.gbr", STORE_WRITE);
    for (unsigned run = 1; run <= 2; run++) {
        static const int fates[] = {CASE_OK, CASE_SKIPPED, CASE_CRASHED, CASE_CANCELLED};
        int64_t run_id = fixture_begin_run(store, run);
        for (unsigned i = 0; i < 4; i++) {
            struct fixture_case c;
            fixture_case(&c, i, i + 1, 100);
            fixture_uuid(0xD0 + run, i, c.record.uuid);
            c.record.status = fates[i];
            c.checks[0].value = i == 3 ? (double)NAN : (double)(i + run);
            fixture_store(store, run_id, &c);
        }
        fixture_end_run(store, run_id);
    }
    fixture_close(store);
    struct view_options options = {.format = FORMAT_CSV,
                                   .run = RUN_ALL,
                                   .group_by = "rows",
                                   .columns = "count,pass_rate,avg(check.abs),max(check.abs),"
                                              "min(exact_ratio)"};
    views_export("two.gbr", &options, &got);
    ck_assert_str_eq(text_get(&got),
                     "rows,count,pass_rate,avg(check.abs),max(check.abs),min(exact_ratio)\n"
                     "32,8,0.5,2.5,4,0.9765625\n");
    text_clear(&got);
    options.format = FORMAT_TABLE;
    options.columns = "count";
    views_show("two.gbr", &options, &got);
    ck_assert_ptr_nonnull(strstr(text_get(&got), "rows  count\n  32      8\n"));
    ck_assert_ptr_null(strstr(text_get(&got), "run 1"));
}

TEST(metrics_of_comparisons_are_columns)
{
    CLEANUP(text_free) struct text got = {0};
    struct view_options options = {
        .format = FORMAT_CSV,
        .columns = "check.abs,check.ulp,exact_ratio",
        .where = "\"check.abs\" > 0 and exact_ratio < 1 and streams < 3"};
    views_export("fates.gbr", &options, &got);
    ck_assert_str_eq(text_get(&got), "check.abs,check.ulp,exact_ratio\n"
                                     "1.5e-07,,0.9765625\n1.5e-07,,0.9765625\n");
}

static bool is_json(const char *text)
{
    sqlite3 *db = NULL;
    sqlite3_stmt *check = NULL;
    sqlite3_open(":memory:", &db);
    sqlite3_prepare_v2(db, "SELECT json_valid(?)", -1, &check, NULL);
    sqlite3_bind_text(check, 1, text, -1, SQLITE_STATIC);
    bool valid = sqlite3_step(check) == SQLITE_ROW && sqlite3_column_int(check, 0);
    sqlite3_finalize(check);
    sqlite3_close(db);
    return valid;
}

TEST_EACH(json_is_valid, exports)
{
    CLEANUP(text_free) struct text got = {0};
    const struct view_options *options = &exports[_i].options;
    views_export(exports[_i].file, options, &got);
    if (options->format == FORMAT_JSON) {
        ck_assert(is_json(text_get(&got)));
    } else if (options->format == FORMAT_JSONL) {
        int n = 0;
        for (char *line = strtok(got.data, "\n"); line; line = strtok(NULL, "\n"), n++)
            ck_assert_msg(is_json(line), "%s", line);
        ck_assert_int_gt(n, 1);
    }
}

/* A time in ms, in full precision. */
static void add_ms(struct text *out, double ns)
{
    char number[NUMBER_TEXT_MAX];
    text_add(out, format_double(ns / 1e6, number));
}

/* The document's shape: a header for streams 1 to 16, one line a trial, ms. */
TEST(the_pivot_of_streams_is_the_documents_table)
{
    struct store *store = fixture_open("document.gbr", STORE_WRITE);
    int64_t run_id = fixture_begin_run(store, 1);
    for (unsigned i = 0; i < 16; i++) { /* measured in another order than the sweep's */
        unsigned streams = (i * 7) % 16 + 1;
        struct fixture_case c;
        fixture_case(&c, i, streams, 0);
        c.bench_case.position = streams - 1;
        for (int j = 0; j < FIXTURE_SAMPLES; j++)
            c.wall[j] = 765.5e6 / streams + 1e4 * j;
        c.record.n_samples = FIXTURE_SAMPLES - (i == 3);
        fixture_store(store, run_id, &c);
    }
    fixture_end_run(store, run_id);
    fixture_close(store);
    CLEANUP(text_free) struct text got = {0}, expected = {0};
    struct view_options options = {.format = FORMAT_CSV, .pivot = "streams"};
    views_export("document.gbr", &options, &got);
    for (int s = 1; s <= 16; s++)
        text_printf(&expected, "%d Stream%s%s", s, s > 1 ? "s" : "", s < 16 ? "," : "\n");
    for (int trial = 0; trial < FIXTURE_SAMPLES - 1; trial++) /* as many as all have */
        for (int s = 1; s <= 16; s++) {
            add_ms(&expected, 765.5e6 / s + 1e4 * trial);
            text_add(&expected, s < 16 ? "," : "\n");
        }
    views_expect_text("the table", text_get(&expected), text_get(&got));
}

/* Rounds are further trials; other axes stand in front. */
TEST(a_pivot_with_another_axis_and_rounds)
{
    CLEANUP(text_free) struct text got = {0}, expected = {0};
    struct view_options options = {.format = FORMAT_CSV, .pivot = "streams"};
    views_export("rounds.gbr", &options, &got);
    text_add(&expected, "dtype,1 Stream,2 Streams\n");
    for (int i = 0; i < 2; i++)
        for (int round = 0; round < 3; round++)
            for (int j = 0; j < FIXTURE_SAMPLES; j++) {
                text_add(&expected, i ? "bf16," : "fp16,");
                add_ms(&expected, 1000.0 * (2 * i + 1) + 10 * round + j);
                text_add(&expected, ",");
                add_ms(&expected, 1000.0 * (2 * i + 2) + 10 * round + j);
                text_add(&expected, "\n");
            }
    views_expect_text("the table", text_get(&expected), text_get(&got));
}

/* Sample i takes 100 i ns: a piece that is left out, twice there or numbered anew shows. */
TEST(long_recordings_are_exported_whole)
{
    enum { LONG = STORE_CHUNK + 1500 };
    double *times = malloc(LONG * sizeof *times);
    struct fixture_case c;
    fixture_case(&c, 0, 1, 100);
    for (int i = 0; i < LONG; i++)
        times[i] = 100.0 * i;
    c.columns[0].values = times;
    c.record.n_samples = LONG;
    c.record.n_columns = 1;
    struct store *store = fixture_open("long.gbr", STORE_WRITE);
    fixture_store(store, fixture_begin_run(store, 1), &c);
    fixture_close(store);
    free(times);
    CLEANUP(text_free) struct text got = {0}, expected = {0};
    struct view_options options = {.format = FORMAT_CSV, .pivot = "streams"};
    views_export("long.gbr", &options, &got);
    text_add(&expected, "1 Stream\n");
    for (int i = 0; i < LONG; i++) {
        add_ms(&expected, 100.0 * i);
        text_add(&expected, "\n");
    }
    views_expect_text("the table", text_get(&expected), text_get(&got));
    text_clear(&got);
    text_clear(&expected);
    options = (struct view_options){.format = FORMAT_CSV, .rows = ROWS_SAMPLE, .columns = "bench"};
    views_export("long.gbr", &options, &got);
    text_add(&expected, "bench,sample,time_ns,wall_ns\n");
    for (int i = 0; i < LONG; i++)
        text_printf(&expected, "streams,%d,%d,%d\n", i, 100 * i, 100 * i);
    views_expect_text("the samples", text_get(&expected), text_get(&got));
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
    CLEANUP(text_free) struct text got = {0}, found = {0};
    struct view_options options = {.format = FORMAT_CSV,
                                   .columns = "streams",
                                   .where = selections[_i].where,
                                   .sort = selections[_i].sort};
    views_export("fates.gbr", &options, &got);
    ck_assert(text_starts_with(text_get(&got), "streams\n"));
    for (const char *at = text_get(&got) + strlen("streams\n"); *at;) {
        size_t length = strcspn(at, "\n");
        text_printf(&found, "%s%.*s", found.length ? " " : "", length ? (int)length : 1,
                    length ? at : "-");
        at += length + 1;
    }
    ck_assert_str_eq(text_get(&found), selections[_i].streams);
}

static const struct {
    struct view_options options;
    int32_t status;
    const char *text;
} errors[] = {
    {{.sort = "medain_ns"}, GB_INVALID, "--sort: no column 'medain_ns': did you mean 'median_ns'?"},
    {{.sort = "-steams"}, GB_INVALID, "--sort: no column 'steams': did you mean 'streams'?"},
    {{.columns = "bench,zzzzz"},
     GB_INVALID,
     "--columns: no column 'zzzzz': expected a parameter, a metric or a result column such as"
     " median_ns"},
    {{.columns = "median"},
     GB_INVALID,
     "--columns: no column 'median': write median_ns or estimate_ns"},
    {{.sort = "-GB/s"}, GB_INVALID, "--sort: no column 'GB/s': write bytes_per_s"},
    {{.columns = "thraeds"}, GB_INVALID, "--columns: no column 'thraeds': did you mean 'threads'?"},
    {{.pivot = "steams"}, GB_INVALID, "--pivot: no column 'steams': did you mean 'streams'?"},
    {{.where = "steams = 1"},
     GB_INVALID,
     "--where: unknown name 'steams'; did you mean 'streams'?"},
    {{.where = "spread < 1"}, GB_INVALID, "--where: unknown name 'spread': write relative_iqr"},
    {{.columns = "apart"}, GB_INVALID, "--columns: no column 'apart': write round_variation"},
    {{.run = 2}, GB_NOT_FOUND, "fates.gbr: has no run 2, only run 1"},
    {{.pivot = "streams", .rows = ROWS_COMBINED},
     GB_INVALID,
     "--rows combined is not for --pivot, which combines rounds by itself"},
    {{.format = FORMAT_MARKDOWN, .rows = ROWS_SAMPLE},
     GB_INVALID,
     "samples are exported as csv, json or jsonl, not as md"},
};

TEST_EACH(mistakes_are_named, errors)
{
    struct gb_error error = {0};
    CLEANUP(text_free) struct text got = {0};
    struct view_options options = errors[_i].options;
    if (options.format == FORMAT_TABLE)
        options.format = FORMAT_CSV;
    ck_assert_int_eq(views_try_export("fates.gbr", &options, &got, &error), errors[_i].status);
    ck_assert_str_eq(fixture_error(&error), errors[_i].text);
    ck_assert_str_eq(text_get(&got), "");
    if (options.rows != ROWS_CASE)
        return;
    struct store *store = fixture_open("fates.gbr", STORE_READ);
    options.format = FORMAT_TABLE;
    ck_assert_int_eq(view_show(store, &options, &got, &error), errors[_i].status);
    ck_assert_str_eq(fixture_error(&error), errors[_i].text);
    ck_assert_str_eq(text_get(&got), "");
    fixture_close(store);
}

TEST(formats_have_names)
{
    static const char *const names[] = {"table", "csv", "json", "jsonl", "md"};
    for (int i = 0; i < FORMATS; i++) {
        ck_assert_str_eq(format_name(i), names[i]);
        ck_assert_int_eq(format_named(names[i]), i);
    }
    ck_assert_int_eq(format_named("xml"), -1);
    struct store *store = fixture_open("fates.gbr", STORE_READ);
    struct gb_error error = {0};
    CLEANUP(text_free) struct text got = {0};
    struct view_options options = {.format = FORMAT_CSV};
    ck_assert_int_eq(view_show(store, &options, &got, &error), GB_INVALID);
    ck_assert_str_eq(error.text, "csv is a format of exports: use gbrun export");
    fixture_close(store);
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
    CLEANUP(text_free) struct text got = {0};
    struct view_options options = {.where = "streams = 77"};
    views_show("fates.gbr", &options, &got);
    ck_assert(text_ends_with(text_get(&got), "\n\nno case matches --where streams = 77\n"));
}

/* A parameter wins over a result column of its name; JSON has room for both. */
TEST(a_parameter_may_be_named_like_a_column)
{
    struct store *store = fixture_open("one.gbr", STORE_WRITE);
    int64_t run_id = fixture_begin_run(store, 1);
    for (unsigned i = 0; i < 2; i++) {
        struct fixture_case c;
        fixture_case(&c, i, 4, 1e6);
        if (i == 0)
            fixture_add(&c, fixture_words("status", "solid", true));
        fixture_store(store, run_id, &c);
    }
    fixture_end_run(store, run_id);
    fixture_close(store);
    CLEANUP(text_free) struct text csv = {0}, found = {0}, json = {0}, all = {0};
    struct view_options options = {.format = FORMAT_CSV, .columns = "status,bench"};
    views_export("one.gbr", &options, &csv);
    ck_assert_str_eq(text_get(&csv), "status,bench\nsolid,streams\nok,streams\n");
    options.where = "status = 'solid'";
    views_export("one.gbr", &options, &found);
    ck_assert_str_eq(text_get(&found), "status,bench\nsolid,streams\n");
    options = (struct view_options){.format = FORMAT_JSONL};
    views_export("one.gbr", &options, &json);
    ck_assert_ptr_nonnull(strstr(text_get(&json), "\"status\":\"solid\"}"));
    ck_assert_ptr_nonnull(strstr(text_get(&json), ",\"status\":\"ok\","));
    options = (struct view_options){.format = FORMAT_CSV};
    views_export("one.gbr", &options, &all);
    char *second = strstr(text_get(&all), ",status,");
    ck_assert_ptr_nonnull(second);
    ck_assert_ptr_null(strstr(second + 1, ",status,")); /* once */
}

/* As a run with order = shuffled leaves it, and a sweep that goes down. */
TEST(rows_and_columns_are_in_the_order_of_the_configuration)
{
    static const unsigned measured[] = {2, 0, 3, 1};
    static const int64_t streams[] = {8, 2, 4, 1};
    struct store *store = fixture_open("shuffled.gbr", STORE_WRITE);
    int64_t run_id = fixture_begin_run(store, 1);
    for (unsigned i = 0; i < 8; i++) {
        struct fixture_case c;
        unsigned position = measured[i % 4];
        fixture_case(&c, i, streams[position], 1000);
        c.bench_case.position = position;
        c.record.round = i / 4;
        fixture_store(store, run_id, &c);
    }
    fixture_end_run(store, run_id);
    fixture_close(store);
    CLEANUP(text_free) struct text rows = {0}, pivot = {0}, measured_rows = {0}, groups = {0};
    struct view_options options = {.format = FORMAT_CSV, .columns = "streams,round"};
    views_export("shuffled.gbr", &options, &rows);
    ck_assert_str_eq(text_get(&rows), "streams,round\n8,0\n8,1\n2,0\n2,1\n4,0\n4,1\n1,0\n1,1\n");
    options = (struct view_options){
        .format = FORMAT_CSV, .columns = "streams", .sort = "sequence", .where = "round = 0"};
    views_export("shuffled.gbr", &options, &measured_rows);
    ck_assert_str_eq(text_get(&measured_rows), "streams\n4\n8\n1\n2\n");
    options = (struct view_options){
        .format = FORMAT_CSV, .pivot = "streams", .columns = "n_samples"};
    views_export("shuffled.gbr", &options, &pivot);
    ck_assert(
        text_starts_with(text_get(&pivot), "n_samples 8,n_samples 2,n_samples 4,n_samples 1\n"));
    options = (struct view_options){
        .format = FORMAT_CSV, .group_by = "streams", .columns = "count"};
    views_export("shuffled.gbr", &options, &groups);
    ck_assert_str_eq(text_get(&groups), "streams,count\n8,2\n2,2\n4,2\n1,2\n");
}

/* Of a narrow table options that are the same in all rows go, and before them the reason. */
TEST(equal_options_are_left_out_first)
{
    struct store *store = fixture_open("equal.gbr", STORE_WRITE);
    int64_t run_id = fixture_begin_run(store, 1);
    for (unsigned i = 0; i < 2; i++) {
        struct fixture_case c;
        fixture_case(&c, i, i + 1, 1000);
        fixture_add(&c, fixture_words("schedule", "the_only_one_there_is", true));
        fixture_store(store, run_id, &c);
    }
    fixture_end_run(store, run_id);
    fixture_close(store);
    CLEANUP(text_free) struct text wide = {0}, narrow = {0};
    struct view_options options = {.width = 120};
    views_show("equal.gbr", &options, &wide);
    ck_assert_ptr_nonnull(strstr(text_get(&wide), "streams  schedule  "));
    ck_assert_ptr_nonnull(strstr(text_get(&wide), "\nleft out: stopped because; "));
    options.width = 90;
    views_show("equal.gbr", &options, &narrow);
    ck_assert_ptr_nonnull(strstr(text_get(&narrow), "streams    median  "));
    ck_assert_msg(strstr(text_get(&narrow), "  rel. IQR  ") != NULL, "%s", text_get(&narrow));
    ck_assert_msg(strstr(text_get(&narrow), "\nleft out: schedule, stopped because; ") != NULL,
                  "%s", text_get(&narrow));
}

TEST(runs_are_shown_one_after_the_other)
{
    struct store *store = fixture_open("two.gbr", STORE_WRITE);
    for (unsigned run = 1; run <= 2; run++) {
        int64_t run_id = fixture_begin_run(store, run);
        struct fixture_case c;
        fixture_case(&c, run, 4, 1e6 * run);
        c.record.iterations = 1;
        fixture_store(store, run_id, &c);
        fixture_end_run(store, run_id);
    }
    fixture_close(store);
    CLEANUP(text_free) struct text got = {0}, newest = {0}, csv = {0}, pivot = {0};
    struct view_options options = {.run = RUN_ALL};
    views_show("two.gbr", &options, &got);
    views_expect_golden("show_runs.txt", &got);
    options.run = RUN_NEWEST;
    views_show("two.gbr", &options, &newest);
    ck_assert(text_starts_with(text_get(&newest), "run 2  "));
    options = (struct view_options){
        .run = RUN_ALL, .format = FORMAT_CSV, .columns = "run,streams,median_ns"};
    views_export("two.gbr", &options, &csv);
    ck_assert_str_eq(text_get(&csv), "run,streams,median_ns\n1,4,1000009.5\n2,4,2000009.5\n");
    options = (struct view_options){.run = RUN_ALL, .format = FORMAT_MARKDOWN, .pivot = "run"};
    views_export("two.gbr", &options, &pivot);
    ck_assert_str_eq(text_get(&pivot), "|    1 (ns) |    2 (ns) |\n"
                                       "| --------: | --------: |\n"
                                       "| 1000009.5 | 2000009.5 |\n");
}
