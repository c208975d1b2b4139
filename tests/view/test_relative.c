/* test_relative.c - ratios to a base (core/compare/relative.h) and columns that are computed. */
#include "core/base/statistics.h"
#include "tests/check_main.h"
#include "tests/view/views_fixture.h"

static void setup(void)
{
    fixture_begin();
    views_make_file("fates.gbr");
    views_make_rounds("rounds.gbr"); /* position p, round r: 1000 (p + 1) + 10 r + 9.5 ns */
}

static double time_of(unsigned position, unsigned round)
{
    return 1000 * (position + 1) + 10 * round + 9.5;
}

/* Run 2: one round of each case, 10 % slower. */
static void add_slower_run(const char *name, const char *device_model)
{
    struct store *store = fixture_open(name, STORE_WRITE);
    struct gb_error error;
    int64_t run_id = fixture_begin_run(store, 2);
    for (unsigned position = 0; position < 4; position++) {
        struct fixture_case c;
        struct device_record device = fixture_device_record();
        fixture_case(&c, 100 + position, position % 2 + 1, 1.1 * time_of(position, 1) - 9.5);
        fixture_add(&c, fixture_words("dtype", position / 2 ? "bf16" : "fp16", true));
        c.bench_case.position = position;
        snprintf(c.record.uid, sizeof c.record.uid, "%032x", position);
        if (device_model) {
            device.model = device_model;
            ck_assert_int_eq(store_device(store, run_id, &device, &c.record.device_id, &error),
                             GB_OK);
        }
        ck_assert_int_eq(store_case(store, run_id, &c.record, &error), GB_OK);
    }
    fixture_end_run(store, run_id);
    fixture_close(store);
}

static void exported(const char *file, struct view_options options, struct text *out)
{
    options.format = FORMAT_CSV;
    views_export(file, &options, out);
}

TEST_FIXTURE(setup, fixture_end)

/* theta -+ t s / sqrt(n) of the rounds' logarithms, as comparison.h has it. */
TEST(a_value_of_an_option_is_compared_by_rounds)
{
    CLEANUP(text_free) struct text got = {0};
    double d[3];
    for (unsigned r = 0; r < 3; r++)
        d[r] = log(time_of(2, r)) - log(time_of(0, r));
    double mean = (d[0] + d[1] + d[2]) / 3, squares = 0;
    for (unsigned r = 0; r < 3; r++)
        squares += (d[r] - mean) * (d[r] - mean);
    double half = 4.302652729749464 * sqrt(squares / 2 / 3);
    exported("rounds.gbr",
             (struct view_options){.relative_to = "dtype=fp16",
                                   .columns = "ratio,ratio_low,ratio_high",
                                   .where = "dtype = 'bf16' and streams = 1"},
             &got);
    double ratio, low, high;
    ck_assert_int_eq(
        sscanf(text_get(&got), "ratio,ratio_low,ratio_high\n%lf,%lf,%lf\n", &ratio, &low, &high),
        3);
    ck_assert_double_eq_tol(ratio, exp(mean), 1e-9);
    ck_assert_double_eq_tol(low, exp(mean - half), 1e-9);
    ck_assert_double_eq_tol(high, exp(mean + half), 1e-9);
}

static const struct {
    const char *golden;
    struct view_options options;
    bool is_export;
} goldens[] = {
    {"relative.txt", {.relative_to = "dtype=fp16"}, false},
    {"relative_pivot.txt", {.relative_to = "dtype=fp16", .pivot = "dtype"}, false},
    {"relative_pivot.csv",
     {.relative_to = "dtype=fp16",
      .pivot = "dtype",
      .format = FORMAT_CSV,
      .columns = "median_ns,ratio,ratio_low,gflops / 2 as half"},
     true},
    {"relative_pivot.md",
     {.relative_to = "dtype=fp16", .pivot = "dtype", .format = FORMAT_MARKDOWN, .transpose = true},
     true},
    {"relative_groups.csv",
     {.relative_to = "dtype=fp16",
      .group_by = "dtype",
      .format = FORMAT_CSV,
      .columns = "count,geomean(ratio),geomean_low(ratio) as low,geomean_high(ratio),max(ratio)"},
     true},
    {"relative.md",
     {.relative_to = "dtype=fp16", .format = FORMAT_MARKDOWN, .rows = ROWS_COMBINED},
     true},
};

TEST_EACH(ratios_are_in_every_table, goldens)
{
    CLEANUP(text_free) struct text got = {0};
    if (goldens[_i].is_export)
        views_export("rounds.gbr", &goldens[_i].options, &got);
    else
        views_show("rounds.gbr", &goldens[_i].options, &got);
    views_expect_golden(goldens[_i].golden, &got);
}

/* Each case once, whatever the number of its rounds; the base is not among them. */
TEST(groups_take_the_ratio_of_a_case_once)
{
    CLEANUP(text_free) struct text got = {0}, cases = {0};
    double ratio[2], mean;
    exported("rounds.gbr",
             (struct view_options){.relative_to = "dtype=fp16",
                                   .rows = ROWS_COMBINED,
                                   .where = "dtype = 'bf16'",
                                   .columns = "ratio"},
             &cases);
    ck_assert_int_eq(sscanf(text_get(&cases), "ratio\n%lf\n%lf\n", &ratio[0], &ratio[1]), 2);
    exported("rounds.gbr",
             (struct view_options){.relative_to = "dtype=fp16",
                                   .group_by = "bench",
                                   .columns = "geomean(ratio),geomean_low(ratio)"},
             &got);
    double low;
    ck_assert_int_eq(sscanf(strchr(text_get(&got), '\n'), "\nstreams,%lf,%lf", &mean, &low), 2);
    ck_assert_double_eq_tol(mean, sqrt(ratio[0] * ratio[1]), 1e-12);
    /* Two values: t of one degree of freedom. */
    double s = fabs(log(ratio[0]) - log(ratio[1])) / sqrt(2);
    ck_assert_double_eq_tol(low, exp(log(mean) - 12.7062047364 * s / sqrt(2)), 1e-9);
}

TEST(a_run_is_the_base_of_others)
{
    CLEANUP(text_free) struct text got = {0}, base = {0}, shown = {0};
    add_slower_run("rounds.gbr", NULL);
    struct view_options options = {.relative_to = "previous", .columns = "ratio"};
    exported("rounds.gbr", options, &got);
    double ratio[4];
    ck_assert_int_eq(sscanf(text_get(&got), "ratio\n%lf\n%lf\n%lf\n%lf\n", &ratio[0], &ratio[1],
                            &ratio[2], &ratio[3]),
                     4);
    for (int i = 0; i < 4; i++)
        ck_assert_double_eq_tol(ratio[i], 1.1, 1e-3);
    options = (struct view_options){
        .run = 1, .relative_to = "1", .columns = "ratio", .where = "round = 0 and streams = 1"};
    exported("rounds.gbr", options, &base);
    ck_assert_str_eq(text_get(&base), "ratio\n\n\n");
    options = (struct view_options){.relative_to = "host=box"};
    views_show("rounds.gbr", &options, &shown); /* the newest that has it: this run */
    ck_assert_ptr_nonnull(strstr(text_get(&shown), "time over that of host=box"));
    ck_assert_ptr_nonnull(strstr(text_get(&shown), "  base  "));
}

TEST(what_must_not_be_compared_has_no_ratio)
{
    CLEANUP(text_free) struct text got = {0}, shown = {0};
    add_slower_run("rounds.gbr", "Another CPU");
    struct view_options options = {.relative_to = "1", .columns = "ratio", .where = "streams = 1"};
    exported("rounds.gbr", options, &got);
    ck_assert_str_eq(text_get(&got), "ratio\n\n\n");
    views_show("rounds.gbr", &options, &shown);
    ck_assert_ptr_nonnull(
        strstr(text_get(&shown), "\n4 cases have no ratio: another device model than the base\n"));
}

TEST(columns_are_computed)
{
    CLEANUP(text_free) struct text got = {0}, sorted = {0};
    exported("fates.gbr",
             (struct view_options){
                 .columns = "streams * 2 as twice, threads / 2.0, \"check.abs\" * 1e6 as \"M, A\","
                            "replace(status, 'ok', 'x,y') AS state, status as s, \"check.abs\"",
                 .where = "streams in (1, 4)"},
             &got);
    ck_assert_str_eq(text_get(&got), "twice,threads / 2.0,\"M, A\",state,s,check.abs\n"
                                     "2,0.5,0.15,\"x,y\",ok,1.5e-07\n"
                                     "8,,,crashed,crashed,\n");
    exported("fates.gbr",
             (struct view_options){.columns = "streams,abs(streams - 4) as far",
                                   .where = "streams > 4",
                                   .sort = "-far,-streams * 2"},
             &sorted);
    ck_assert_str_eq(text_get(&sorted), "streams,far\n8,4\n7,3\n6,2\n5,1\n");
}

static const struct {
    struct view_options options;
    int32_t status;
    uint32_t column; /* of the place; 0: none */
    const char *text;
} errors[] = {
    {{.columns = "ratio"},
     GB_INVALID,
     0,
     "--columns: 'ratio' needs --relative-to: a ratio to what?"},
    {{.columns = "streams, gflops */ 2"}, GB_INVALID, 18, "syntax error at '/'"},
    {{.columns = "streams, gflop * 2"},
     GB_INVALID,
     10,
     "unknown name 'gflop'; did you mean 'gflops'?"},
    {{.columns = "(select 1)"}, GB_INVALID, 1, "queries are not allowed in expressions"},
    {{.columns = "streams,,bench"},
     GB_INVALID,
     9,
     "item 2 is empty: expected the name of a column"},
    {{.columns = "streams + 1 as x, abs(-9223372036854775807 - streams)", .where = "streams = 1"},
     GB_INVALID,
     19,
     "integer overflow"},
    {{.sort = "-abs(stream)"}, GB_INVALID, 6, "unknown name 'stream'; did you mean 'streams'?"},
    {{.group_by = "rows", .columns = "count,avg(gflops /)"},
     GB_INVALID,
     19,
     "the expression ends too early"},
    {{.relative_to = "streams=9"},
     GB_NOT_FOUND,
     0,
     "--relative-to streams=9: no value of streams; there are 1, 2, 3, 4, 5, 6, 7, 8"},
    {{.relative_to = "2"},
     GB_NOT_FOUND,
     0,
     "--relative-to 2: this file: has no run 2, only 1 to 1"},
    {{.relative_to = "commit=abc"},
     GB_NOT_FOUND,
     0,
     "--relative-to commit=abc: this file: no run has commit=abc, nor another value of it"},
    {{.relative_to = "streams=1", .pivot = "streams"},
     GB_INVALID,
     0,
     "--pivot as csv is a row for each sample, which has no ratio: name --columns, such as "
     "median_ns"},
};

TEST_EACH(mistakes_are_named_with_their_place, errors)
{
    CLEANUP(text_free) struct text got = {0};
    struct gb_error error = {0};
    struct view_options options = errors[_i].options;
    options.format = FORMAT_CSV;
    ck_assert_int_eq(views_try_export("fates.gbr", &options, &got, &error), errors[_i].status);
    ck_assert_str_eq(error.text, errors[_i].text);
    ck_assert_uint_eq(error.origin.column, errors[_i].column);
}
