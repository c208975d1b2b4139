/*
 * test_views.c - what is printed of a results file. Long outputs are compared with tests/golden/;
 * UPDATE_GOLDEN=1 in the environment writes them anew, to be read before they are committed.
 */
#include "tests/check_main.h"
#include "tests/views_fixture.h"

#include "core/json_writer.h"

#include <sqlite3.h>

static void setup(void)
{
    fixture_begin();
    views_make_file("fates.gbr");
    views_make_rounds("rounds.gbr");
}

static void show(const char *file, const struct view_options *options, struct text *out)
{
    struct store *store = fixture_open(file, STORE_READ);
    struct gb_error error = {0};
    int32_t status = view_show(store, options, out, &error);
    ck_assert_msg(status == GB_OK, "%s", error.text);
    fixture_close(store);
}

static int32_t try_export(const char *file, const struct view_options *options, struct text *out,
                          struct gb_error *error)
{
    struct store *store = fixture_open(file, STORE_READ);
    char *data = NULL;
    size_t n = 0;
    FILE *stream = open_memstream(&data, &n);
    int32_t status = view_export(store, options, stream, error);
    fclose(stream);
    text_add_n(out, data, n);
    free(data);
    fixture_close(store);
    return status;
}

static void export(const char *file, const struct view_options *options, struct text *out)
{
    struct gb_error error = {0};
    int32_t status = try_export(file, options, out, &error);
    ck_assert_msg(status == GB_OK, "%s", error.text);
}

/* Long texts: only the first line that differs is told. */
static void expect_text(const char *name, const char *expected, const char *got)
{
    int line = 1;
    for (; *expected && *expected == *got; expected++, got++)
        line += *expected == '\n';
    ck_assert_msg(*expected == *got,
                  "%s differs in line %d from here on: expected\n%.300s\ngot\n%.300s", name, line,
                  expected, got);
}

static void expect_golden(const char *name, const struct text *got)
{
    const char *top = getenv("top_srcdir");
    CLEANUP(text_free) struct text path = {0}, expected = {0};
    text_printf(&path, "%s/tests/golden/%s", top ? top : ".", name);
    if (getenv("UPDATE_GOLDEN")) {
        FILE *file = fopen(text_get(&path), "w");
        ck_assert_ptr_nonnull(file);
        fwrite(text_get(got), 1, got->length, file);
        fclose(file);
    }
    FILE *file = fopen(text_get(&path), "r");
    ck_assert_msg(file != NULL, "%s is missing", text_get(&path));
    char buffer[4096];
    size_t n;
    while ((n = fread(buffer, 1, sizeof buffer, file)) > 0)
        text_add_n(&expected, buffer, n);
    fclose(file);
    expect_text(text_get(&path), text_get(&expected), text_get(got));
}

static const struct {
    const char *golden, *file;
    struct view_options options;
} shows[] = {
    {"show.txt", "fates.gbr", {0}},
    {"show_verbose.txt", "fates.gbr", {.verbose = true, .where = "streams in (6, 7)"}},
    {"show_rounds.txt", "rounds.gbr", {0}},
    {"show_pivot.txt", "fates.gbr", {.pivot = "streams"}},
    {"show_pivot_two_axes.txt", "rounds.gbr", {.pivot = "dtype"}},
    {"show_columns.txt", "rounds.gbr", {.columns = "round,dtype,median_ns", .sort = "-median_ns"}},
    {"show_groups.txt", "fates.gbr", {.group_by = "rows"}},
    {"show_groups_columns.txt",
     "rounds.gbr",
     {.group_by = "dtype", .columns = "count,pass_rate,max(median_ns),median(spread)"}},
    {"show.md", "rounds.gbr", {.format = FORMAT_MARKDOWN}},
};
enum { N_SHOWS = sizeof shows / sizeof *shows };

START_TEST(shown_as_tables)
{
    CLEANUP(text_free) struct text got = {0};
    show(shows[_i].file, &shows[_i].options, &got);
    expect_golden(shows[_i].golden, &got);
}
END_TEST

static const struct {
    const char *golden, *file;
    struct view_options options;
} exports[] = {
    {"cases.csv", "fates.gbr", {.format = FORMAT_CSV}},
    {"cases.json", "fates.gbr", {.format = FORMAT_JSON}},
    {"cases.jsonl", "fates.gbr", {.format = FORMAT_JSONL}},
    {"cases.md", "fates.gbr", {.format = FORMAT_MARKDOWN}},
    {"cases.txt", "fates.gbr", {.format = FORMAT_TABLE}},
    {"samples.csv", "fates.gbr", {.format = FORMAT_CSV, .rows = ROWS_SAMPLE}},
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
enum { N_EXPORTS = sizeof exports / sizeof *exports };

START_TEST(exported)
{
    CLEANUP(text_free) struct text got = {0};
    export(exports[_i].file, &exports[_i].options, &got);
    expect_golden(exports[_i].golden, &got);
}
END_TEST

static const struct {
    struct view_options options;
    const char *error;
} bad_groups[] = {
    {{.group_by = "rowz"}, "--group-by: no column 'rowz': did you mean 'rows'?"},
    {{.group_by = ""}, "--group-by: it is empty: expected names of columns"},
    {{.group_by = "rows", .columns = "mean(median_ns)"},
     "--columns: 'mean(median_ns)' with --group-by: expected avg, max, min or median of a column,"
     " such as avg(median_ns); count, or pass_rate"},
    {{.group_by = "rows", .columns = "median_ns"},
     "--columns: 'median_ns' with --group-by: expected avg, max, min or median of a column,"
     " such as avg(median_ns); count, or pass_rate"},
    {{.group_by = "rows", .columns = "count,avg"},
     "--columns: 'avg' with --group-by: expected avg, max, min or median of a column,"
     " such as avg(median_ns); count, or pass_rate"},
    {{.group_by = "rows", .columns = "avg(status)"},
     "--columns: avg(status): 'status' is words: expected numbers"},
    {{.group_by = "rows", .columns = "max(chek.ulp)"},
     "--columns: no column 'chek.ulp': did you mean 'check.ulp'?"},
    {{.group_by = "rows", .rows = ROWS_SAMPLE}, "--group-by is for cases, not for --rows sample"},
};
enum { N_BAD_GROUPS = sizeof bad_groups / sizeof *bad_groups };

START_TEST(groups_that_can_not_be)
{
    CLEANUP(text_free) struct text got = {0};
    struct gb_error error = {0};
    struct view_options options = bad_groups[_i].options;
    options.format = FORMAT_CSV;
    ck_assert_int_eq(try_export("fates.gbr", &options, &got, &error), GB_INVALID);
    ck_assert_str_eq(error.text, bad_groups[_i].error);
}
END_TEST

/* Skipped cases are not measured: they count, but neither pass nor fail. Of two runs the groups are
 * one. */
START_TEST(groups_count_what_was_measured)
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
    export("two.gbr", &options, &got);
    ck_assert_str_eq(text_get(&got),
                     "rows,count,pass_rate,avg(check.abs),max(check.abs),min(exact_ratio)\n"
                     "32,8,0.5,2.5,4,0.9765625\n");
    text_clear(&got);
    options.format = FORMAT_TABLE;
    options.columns = "count";
    show("two.gbr", &options, &got);
    ck_assert_ptr_nonnull(strstr(text_get(&got), "rows  count\n  32      8\n"));
    ck_assert_ptr_null(strstr(text_get(&got), "run 1"));
}
END_TEST

START_TEST(metrics_of_comparisons_are_columns)
{
    CLEANUP(text_free) struct text got = {0};
    struct view_options options = {
        .format = FORMAT_CSV,
        .columns = "check.abs,check.ulp,exact_ratio",
        .where = "\"check.abs\" > 0 and exact_ratio < 1 and streams < 3"};
    export("fates.gbr", &options, &got);
    ck_assert_str_eq(text_get(&got), "check.abs,check.ulp,exact_ratio\n"
                                     "1.5e-07,,0.9765625\n1.5e-07,,0.9765625\n");
}
END_TEST

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

START_TEST(json_is_valid)
{
    CLEANUP(text_free) struct text got = {0};
    const struct view_options *options = &exports[_i].options;
    export(exports[_i].file, options, &got);
    if (options->format == FORMAT_JSON) {
        ck_assert(is_json(text_get(&got)));
    } else if (options->format == FORMAT_JSONL) {
        int n = 0;
        for (char *line = strtok(got.data, "\n"); line; line = strtok(NULL, "\n"), n++)
            ck_assert_msg(is_json(line), "%s", line);
        ck_assert_int_gt(n, 1);
    }
}
END_TEST

/* The document's shape: a header for streams 1 to 16, one line a trial, ms with four decimals. */
START_TEST(the_pivot_of_streams_is_the_documents_table)
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
    export("document.gbr", &options, &got);
    for (int s = 1; s <= 16; s++)
        text_printf(&expected, "%d Stream%s%s", s, s > 1 ? "s" : "", s < 16 ? "," : "\n");
    for (int trial = 0; trial < FIXTURE_SAMPLES - 1; trial++) /* as many as all have */
        for (int s = 1; s <= 16; s++)
            text_printf(&expected, "%.4f%s", (765.5e6 / s + 1e4 * trial) * 1e-6,
                        s < 16 ? "," : "\n");
    expect_text("the table", text_get(&expected), text_get(&got));
}
END_TEST

/* Rounds are further trials; other axes stand in front. */
START_TEST(a_pivot_with_another_axis_and_rounds)
{
    CLEANUP(text_free) struct text got = {0}, expected = {0};
    struct view_options options = {.format = FORMAT_CSV, .pivot = "streams"};
    export("rounds.gbr", &options, &got);
    text_add(&expected, "dtype,1 Stream,2 Streams\n");
    for (int i = 0; i < 2; i++)
        for (int round = 0; round < 3; round++)
            for (int j = 0; j < FIXTURE_SAMPLES; j++)
                text_printf(&expected, "%s,%.4f,%.4f\n", i ? "bf16" : "fp16",
                            (1000.0 * (2 * i + 1) + 10 * round + j) * 1e-6,
                            (1000.0 * (2 * i + 2) + 10 * round + j) * 1e-6);
    expect_text("the table", text_get(&expected), text_get(&got));
}
END_TEST

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
enum { N_SELECTIONS = sizeof selections / sizeof *selections };

START_TEST(selected_and_sorted)
{
    CLEANUP(text_free) struct text got = {0}, found = {0};
    struct view_options options = {.format = FORMAT_CSV,
                                   .columns = "streams",
                                   .where = selections[_i].where,
                                   .sort = selections[_i].sort};
    export("fates.gbr", &options, &got);
    ck_assert(text_starts_with(text_get(&got), "streams\n"));
    for (const char *at = text_get(&got) + strlen("streams\n"); *at;) {
        size_t length = strcspn(at, "\n");
        text_printf(&found, "%s%.*s", found.length ? " " : "", length ? (int)length : 1,
                    length ? at : "-");
        at += length + 1;
    }
    ck_assert_str_eq(text_get(&found), selections[_i].streams);
}
END_TEST

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
    {{.columns = "thraeds"}, GB_INVALID, "--columns: no column 'thraeds': did you mean 'threads'?"},
    {{.pivot = "steams"}, GB_INVALID, "--pivot: no column 'steams': did you mean 'streams'?"},
    {{.where = "steams = 1"},
     GB_INVALID,
     "--where: unknown name 'steams'; did you mean 'streams'?"},
    {{.run = 2}, GB_NOT_FOUND, "fates.gbr: has no run 2, only run 1"},
    {{.format = FORMAT_MARKDOWN, .rows = ROWS_SAMPLE},
     GB_INVALID,
     "samples are exported as csv, json or jsonl, not as md"},
};
enum { N_ERRORS = sizeof errors / sizeof *errors };

START_TEST(mistakes_are_named)
{
    struct gb_error error = {0};
    CLEANUP(text_free) struct text got = {0};
    struct view_options options = errors[_i].options;
    if (options.format == FORMAT_TABLE)
        options.format = FORMAT_CSV;
    ck_assert_int_eq(try_export("fates.gbr", &options, &got, &error), errors[_i].status);
    ck_assert_str_eq(fixture_error(&error), errors[_i].text);
    ck_assert_str_eq(text_get(&got), "");
    if (options.rows == ROWS_SAMPLE)
        return;
    struct store *store = fixture_open("fates.gbr", STORE_READ);
    options.format = FORMAT_TABLE;
    ck_assert_int_eq(view_show(store, &options, &got, &error), errors[_i].status);
    ck_assert_str_eq(fixture_error(&error), errors[_i].text);
    ck_assert_str_eq(text_get(&got), "");
    fixture_close(store);
}
END_TEST

START_TEST(formats_have_names)
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
END_TEST

START_TEST(a_full_disk_is_told)
{
    struct store *store = fixture_open("fates.gbr", STORE_READ);
    struct gb_error error = {0};
    FILE *full = fopen("/dev/full", "w");
    ck_assert_ptr_nonnull(full);
    struct view_options options = {.format = FORMAT_CSV};
    ck_assert_int_eq(view_export(store, &options, full, &error), GB_IO);
    ck_assert_str_eq(error.text, "the export can not be written: No space left on device");
    fclose(full);
    fixture_close(store);
}
END_TEST

/* A file with one case made by `change`; shown. */
static void show_one(void (*change)(struct fixture_case *), bool ended, struct text *out)
{
    struct store *store = fixture_open("one.gbr", STORE_WRITE);
    int64_t run_id = fixture_begin_run(store, 1);
    struct fixture_case c;
    fixture_case(&c, 0, 4, 1e6);
    c.record.iterations = 1;
    change(&c);
    fixture_store(store, run_id, &c);
    if (ended)
        fixture_end_run(store, run_id);
    fixture_close(store);
    struct view_options options = {0};
    show("one.gbr", &options, out);
}

static void leave_alone(struct fixture_case *c)
{
    (void)c;
}

static void make_asymmetric(struct fixture_case *c)
{
    c->record.estimate.high_ns = 1.2e6;
}

static void make_without_ends(struct fixture_case *c)
{
    c->record.estimate.low_ns = -INFINITY;
    c->record.estimate.high_ns = INFINITY;
}

static void make_open_above(struct fixture_case *c)
{
    c->record.estimate.high_ns = INFINITY;
}

static void make_cancelled(struct fixture_case *c)
{
    c->record.status = CASE_CANCELLED;
}

static void make_long_reason(struct fixture_case *c)
{
    c->record.stop_reason = "times are zero, negative or not finite";
}

static void make_many_metrics(struct fixture_case *c)
{
    static const char *const names[] = {"first", "second", "third", "fourth"};
    for (int i = 0; i < 4; i++)
        c->metrics[i] = (struct metric_record){names[i], i, ""};
    c->record.n_metrics = 4;
}

static void make_mean(struct fixture_case *c)
{
    strcpy(c->record.estimate.statistic, "mean");
}

static void make_wrong_by_nan(struct fixture_case *c)
{
    c->record.status = CASE_WRONG_RESULT;
    c->checks[0].passed = false;
    c->checks[0].value = NAN;
    c->checks[0].text = "NaN at [17]";
}

static void make_measured_only(struct fixture_case *c)
{
    c->checks[0].tolerance = NAN;
}

static void make_short(struct fixture_case *c)
{
    c->record.overhead_ns = 2e5;
    c->record.iterations = 10; /* in a sample, which the overhead is of */
}

static void make_limited(struct fixture_case *c)
{
    c->record.estimate.verdict = GB_VERDICT_RESOLUTION_LIMITED;
}

static const struct {
    void (*change)(struct fixture_case *);
    bool ended;
    const char *expected; /* is part of what is shown */
} details[] = {
    {leave_alone, true,
     "bench    streams    median  interval  spread  samples  stopped because      GFLOP/s      "
     "GB/s  check\n"
     "streams        4  1.000 ms   \u00B11.00 %  0.00 %       20  interval within 1 %    1.000  "
     "0.004000  ok abs 1.5e-07\n"},
    {leave_alone, false,
     "\nthis run has not ended: 1 of 3 cases are done; gbrun run --resume FILE measures the"
     " rest\n"},
    {make_cancelled, false, "\nthis run has not ended: 0 of 3 cases are done; "},
    {make_asymmetric, true, "  [990.0 us, 1.200 ms]  "},
    {make_without_ends, true, "  1.000 ms      none  "},
    {make_open_above, true, "  [990.0 us, inf]  "},
    {make_long_reason, true, "  times are zero, negative or\u2026  "},
    {make_many_metrics, true, "  GFLOP/s      GB/s  first  check\n"},
    {make_many_metrics, true,
     "\nleft out: second, third, fourth; --verbose shows all columns, --columns those it names\n"},
    {make_mean, true, "  mean \u00B11.00 %  "},
    {make_wrong_by_nan, true, "  FAIL NaN  wrong result\n"},
    {make_wrong_by_nan, true, "\nfailures\n  streams streams=4: wrong result: NaN at [17]\n"},
    {make_measured_only, true, "  unchecked\n"},
    {make_short, true,
     "\nnotes\n  1 case has samples shorter than 100 times the empty sample's 200 us\n"},
    {make_limited, true, "\nnotes\n  1 case is limited by the clock's step\n"},
};
enum { N_DETAILS = sizeof details / sizeof *details };

START_TEST(details_of_a_row)
{
    CLEANUP(text_free) struct text got = {0};
    show_one(details[_i].change, details[_i].ended, &got);
    ck_assert_msg(strstr(text_get(&got), details[_i].expected) != NULL, "%s", text_get(&got));
}
END_TEST

START_TEST(nothing_to_show_is_said)
{
    CLEANUP(text_free) struct text got = {0};
    struct view_options options = {.where = "streams = 77"};
    show("fates.gbr", &options, &got);
    ck_assert(text_ends_with(text_get(&got), "\n\nno case matches --where streams = 77\n"));
}
END_TEST

/* A parameter wins over a result column of its name; JSON has room for both. */
START_TEST(a_parameter_may_be_named_like_a_column)
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
    export("one.gbr", &options, &csv);
    ck_assert_str_eq(text_get(&csv), "status,bench\nsolid,streams\nok,streams\n");
    options.where = "status = 'solid'";
    export("one.gbr", &options, &found);
    ck_assert_str_eq(text_get(&found), "status,bench\nsolid,streams\n");
    options = (struct view_options){.format = FORMAT_JSONL};
    export("one.gbr", &options, &json);
    ck_assert_ptr_nonnull(strstr(text_get(&json), "\"status\":\"solid\"}"));
    ck_assert_ptr_nonnull(strstr(text_get(&json), ",\"status\":\"ok\","));
    options = (struct view_options){.format = FORMAT_CSV};
    export("one.gbr", &options, &all);
    char *second = strstr(text_get(&all), ",status,");
    ck_assert_ptr_nonnull(second);
    ck_assert_ptr_null(strstr(second + 1, ",status,")); /* once */
}
END_TEST

static const struct {
    int format;
    bool exported;
    const char *pivot, *head, *other; /* the row of the bench without these axes */
} one_columns[] = {
    {FORMAT_TABLE, false, NULL, "bench    device  policy   clock    median  ",
     "floor    cpu     precise  wall   1.000 ms  "},
    {FORMAT_MARKDOWN, false, NULL, "| bench   | device | policy  | clock |   median | ",
     "| floor   | cpu    | precise | wall  | 1.000 ms | "},
    {FORMAT_TABLE, true, NULL, "bench    device  policy   clock  median (ns)  ",
     "floor    cpu     precise  wall   1.00001e+06  "},
    {FORMAT_CSV, true, NULL, ",device,device_number,", ",cpu,0,"},
    {FORMAT_MARKDOWN, true, "policy",
     "| bench   | device | clock |         a |         b |   precise |",
     "| floor   | cpu    | wall  |           |           | 1000009.5 |"},
    {FORMAT_MARKDOWN, false, "clock",
     "| bench   | policy  | device |  clock=a |        b |     wall |",
     "| floor   | precise | cpu    |          |          | 1.000 ms |"},
};
enum { N_ONE_COLUMNS = sizeof one_columns / sizeof *one_columns };

/* What a case runs with is an axis of one bench: one column, which the other bench fills too. */
START_TEST(an_axis_of_device_policy_or_clock_is_one_column)
{
    static const char *const names[] = {"device", "policy", "clock"};
    struct plugin_settings others[] = {fixture_precise, fixture_precise};
    struct store *store = fixture_open("one.gbr", STORE_WRITE);
    int64_t run_id = fixture_begin_run(store, 1);
    for (unsigned i = 0; i < 3; i++) {
        struct fixture_case c;
        fixture_case(&c, i, 4, 1e6);
        c.bench_case.n_parameters = 0;
        c.bench_case.bench = i == 2 ? "floor" : "streams";
        for (int j = 0; i < 2 && j < 3; j++)
            fixture_add(&c, fixture_words(names[j], i ? "b" : "a", true));
        if (i < 2) {
            others[i].name = i ? "b" : "a";
            c.bench_case.policy = &others[i];
        }
        if (i == 1)
            c.record.clock = c.columns[0].name = "cpu";
        c.record.iterations = 1;
        fixture_store(store, run_id, &c);
    }
    fixture_end_run(store, run_id);
    fixture_close(store);
    CLEANUP(text_free) struct text got = {0};
    struct view_options options = {.format = one_columns[_i].format,
                                   .pivot = one_columns[_i].pivot};
    (one_columns[_i].exported ? export : show)("one.gbr", &options, &got);
    ck_assert_msg(strstr(text_get(&got), one_columns[_i].head) != NULL, "%s", text_get(&got));
    ck_assert_msg(strstr(text_get(&got), one_columns[_i].other) != NULL, "%s", text_get(&got));
}
END_TEST

/* An option may have the name of a result column; where it is an axis, readers see it. */
START_TEST(an_axis_that_is_named_like_a_column_is_shown)
{
    struct store *store = fixture_open("one.gbr", STORE_WRITE);
    int64_t run_id = fixture_begin_run(store, 1);
    for (unsigned i = 0; i < 2; i++) {
        struct fixture_case c;
        fixture_case(&c, i, 4, 1e6);
        fixture_add(&c, fixture_words("cache", i ? "cold" : "warm", true));
        fixture_store(store, run_id, &c);
    }
    fixture_end_run(store, run_id);
    fixture_close(store);
    CLEANUP(text_free) struct text got = {0};
    struct view_options options = {.format = FORMAT_TABLE};
    export("one.gbr", &options, &got);
    ck_assert_msg(strstr(text_get(&got), "\nstreams        4  cold   ") != NULL, "%s",
                  text_get(&got));
}
END_TEST

/* Two benches with four parameters each, none in common: a table for each. */
START_TEST(benches_that_differ_get_tables_of_their_own)
{
    static const char *const names[2][3] = {{"alpha", "beta", "gamma"}, {"m", "n", "k"}};
    struct store *store = fixture_open("one.gbr", STORE_WRITE);
    int64_t run_id = fixture_begin_run(store, 1);
    for (unsigned i = 0; i < 4; i++) {
        struct fixture_case c;
        fixture_case(&c, i, 4, 1e6);
        c.bench_case.bench = i < 2 ? "first" : "second";
        c.bench_case.n_parameters = 0;
        for (int j = 0; j < 3; j++)
            fixture_add(&c, fixture_integer(&c, names[i / 2][j], (int)i + 10 * j, true));
        c.record.iterations = 1;
        fixture_store(store, run_id, &c);
    }
    fixture_end_run(store, run_id);
    fixture_close(store);
    CLEANUP(text_free) struct text got = {0};
    struct view_options options = {0};
    show("one.gbr", &options, &got);
    expect_golden("show_benches.txt", &got);
}
END_TEST

START_TEST(runs_are_shown_one_after_the_other)
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
    show("two.gbr", &options, &got);
    expect_golden("show_runs.txt", &got);
    options.run = RUN_NEWEST;
    show("two.gbr", &options, &newest);
    ck_assert(text_starts_with(text_get(&newest), "run 2  "));
    options = (struct view_options){
        .run = RUN_ALL, .format = FORMAT_CSV, .columns = "run,streams,median_ns"};
    export("two.gbr", &options, &csv);
    ck_assert_str_eq(text_get(&csv), "run,streams,median_ns\n1,4,1000009.5\n2,4,2000009.5\n");
    options = (struct view_options){.run = RUN_ALL, .format = FORMAT_MARKDOWN, .pivot = "run"};
    export("two.gbr", &options, &pivot);
    ck_assert_str_eq(text_get(&pivot), "|         1 |         2 |\n"
                                       "| --------: | --------: |\n"
                                       "| 1000009.5 | 2000009.5 |\n");
}
END_TEST

START_TEST(json_strings_are_escaped)
{
    static const struct {
        const char *in, *out;
    } cases[] = {
        {"plain", "\"plain\""},
        {"a\"b\\c", "\"a\\\"b\\\\c\""},
        {"\b\f\n\r\t\x01", "\"\\b\\f\\n\\r\\t\\u0001\""},
        {"\u00B1 \U0001F600", "\"\u00B1 \U0001F600\""},
        {"\xFF", "\"\uFFFD\""},
        {"\xC3", "\"\uFFFD\""},
        {"\xC0\xAF", "\"\uFFFD\uFFFD\""},
        {"\xED\xA0\x80", "\"\uFFFD\uFFFD\uFFFD\""},
        {"\xE2\x82", "\"\uFFFD\uFFFD\""},
        {"\xF4\x90\x80\x80", "\"\uFFFD\uFFFD\uFFFD\uFFFD\""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        CLEANUP(text_free) struct text out = {0};
        struct json_writer json = {.out = &out};
        json_text(&json, NULL, cases[i].in);
        ck_assert_str_eq(text_get(&out), cases[i].out);
    }
}
END_TEST

START_TEST(json_is_put_together)
{
    CLEANUP(text_free) struct text out = {0};
    struct json_writer json = {.out = &out};
    json_open(&json, NULL, JSON_OBJECT);
    json_open(&json, "a", JSON_ARRAY);
    json_integer(&json, NULL, -1);
    json_real(&json, NULL, 0.1);
    json_real(&json, NULL, INFINITY);
    json_real(&json, NULL, NAN);
    json_close(&json, JSON_ARRAY);
    json_open(&json, "empty", JSON_OBJECT);
    json_close(&json, JSON_OBJECT);
    json_bool(&json, "yes", true);
    json_text(&json, "none", NULL);
    json_close(&json, JSON_OBJECT);
    ck_assert_str_eq(text_get(&out),
                     "{\"a\":[-1,0.1,null,null],\"empty\":{},\"yes\":true,\"none\":null}");
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("views");
    TCase *views = tcase_create("views");
    tcase_add_checked_fixture(views, setup, fixture_end);
    tcase_add_loop_test(views, shown_as_tables, 0, N_SHOWS);
    tcase_add_loop_test(views, exported, 0, N_EXPORTS);
    tcase_add_loop_test(views, groups_that_can_not_be, 0, N_BAD_GROUPS);
    tcase_add_test(views, groups_count_what_was_measured);
    tcase_add_test(views, metrics_of_comparisons_are_columns);
    tcase_add_loop_test(views, json_is_valid, 0, N_EXPORTS);
    tcase_add_test(views, the_pivot_of_streams_is_the_documents_table);
    tcase_add_test(views, a_pivot_with_another_axis_and_rounds);
    tcase_add_loop_test(views, selected_and_sorted, 0, N_SELECTIONS);
    tcase_add_loop_test(views, mistakes_are_named, 0, N_ERRORS);
    tcase_add_test(views, formats_have_names);
    tcase_add_test(views, a_full_disk_is_told);
    tcase_add_loop_test(views, details_of_a_row, 0, N_DETAILS);
    tcase_add_test(views, nothing_to_show_is_said);
    tcase_add_test(views, a_parameter_may_be_named_like_a_column);
    tcase_add_loop_test(views, an_axis_of_device_policy_or_clock_is_one_column, 0, N_ONE_COLUMNS);
    tcase_add_test(views, an_axis_that_is_named_like_a_column_is_shown);
    tcase_add_test(views, benches_that_differ_get_tables_of_their_own);
    tcase_add_test(views, runs_are_shown_one_after_the_other);
    suite_add_tcase(suite, views);
    TCase *json = tcase_create("json");
    tcase_add_test(json, json_strings_are_escaped);
    tcase_add_test(json, json_is_put_together);
    suite_add_tcase(suite, json);
    return suite;
}
