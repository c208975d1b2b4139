/* test_relative.c - ratios to a base (core/compare/relative.h) and columns that are computed. */
#include "tests/check_main.h"
#include "tests/view/views_fixture.h"

static void setup(void)
{
    fixture_begin();
    views_make_file("fates.gbr");
    views_make_rounds("rounds.gbr"); /* position p, round r: 1000 (p + 1) + 10 r + 9.5 ns */
}

/* Run 2: one round of each case, 10 % slower. */
static void add_slower_run(const char *name)
{
    CLEANUP(text_free) struct text cases = {0};
    for (unsigned i = 0; i < 4; i++)
        text_printf(&cases, "%.17g streams rows=32 +streams=%u +dtype=%s\n",
                    1.1 * (1000 * (i + 1) + 19.5), i % 2 + 1, i / 2 ? "bf16" : "fp16");
    views_make(name, 2, text_get(&cases), NULL);
}

TEST_FIXTURE(setup, fixture_end)

/* Ratios are exp(theta), theta the mean of the differences of the rounds' logarithms, and their
 * ends those of theta -+ t s / sqrt(n), as comparison.h has it. */
TEST(ratios_are_in_every_table)
{
    SHOWS_BELOW_HEAD("relative.txt", "rounds.gbr", .relative_to = "dtype=fp16");
    SHOWS_BELOW_HEAD("relative_pivot.txt", "rounds.gbr", .relative_to = "dtype=fp16",
                     .pivot = "dtype");
    EXPORTS("relative_pivot.csv", "rounds.gbr", .relative_to = "dtype=fp16", .pivot = "dtype",
            .format = FORMAT_CSV,
            .columns = "median_ns,ratio,ratio_low,ratio_high,gflops / 2 as half");
    EXPORTS("relative_pivot.md", "rounds.gbr", .relative_to = "dtype=fp16", .pivot = "dtype",
            .format = FORMAT_MARKDOWN, .transpose = true);
    EXPORTS("relative_groups.csv", "rounds.gbr", .relative_to = "dtype=fp16", .group_by = "dtype",
            .format = FORMAT_CSV,
            .columns = "count,geomean(ratio),geomean_low(ratio) as low,geomean_high(ratio),"
                       "max(ratio)");
    EXPORTS("relative.md", "rounds.gbr", .relative_to = "dtype=fp16", .format = FORMAT_MARKDOWN,
            .rows = ROWS_COMBINED);
}

/* Each case once, whatever the number of its rounds; the base is not among them: as
 * relative_groups.csv has it of bf16. */
TEST(groups_take_the_ratio_of_a_case_once)
{
    ck_assert_str_eq(EXPORTED_CSV("rounds.gbr", .relative_to = "dtype=fp16", .group_by = "bench",
                                  .columns = "geomean(ratio),geomean_low(ratio)"),
                     "bench,geomean(ratio),geomean_low(ratio)\n"
                     "streams,2.427982134967194,0.19431833161087664\n");
}

TEST(a_run_is_the_base_of_others)
{
    add_slower_run("rounds.gbr");
    ck_assert_str_eq(EXPORTED_CSV("rounds.gbr", .relative_to = "previous",
                                  .columns = "round(ratio, 3) as ratio"),
                     "ratio\n1.1\n1.1\n1.1\n1.1\n");
    ck_assert_str_eq(EXPORTED_CSV("rounds.gbr", .run = 1, .relative_to = "1", .columns = "ratio",
                                  .where = "round = 0 and streams = 1"),
                     "ratio\n\n\n");
    const char *shown = SHOWN("rounds.gbr", .relative_to = "host=box");
    EXPECT(shown, "time over that of host=box"); /* the newest that has it: this run */
    EXPECT(shown, "  base  ");
}

TEST(what_must_not_be_compared_has_no_ratio)
{
    add_slower_run("rounds.gbr");
    fixture_change("rounds.gbr", "UPDATE device SET model = 'Another CPU' WHERE run_id = 2");
    ck_assert_str_eq(
        EXPORTED_CSV("rounds.gbr", .relative_to = "1", .columns = "ratio", .where = "streams = 1"),
        "ratio\n\n\n");
    EXPECT(SHOWN("rounds.gbr", .relative_to = "1", .columns = "ratio", .where = "streams = 1"),
           "\n4 cases have no ratio: another device model than the base\n");
}

TEST(columns_are_computed)
{
    ck_assert_str_eq(
        EXPORTED_CSV("fates.gbr",
                     .columns = "streams * 2 as twice, threads / 2.0, \"check.abs\" * 1e6 as \"M, "
                                "A\", replace(status, 'ok', 'x,y') AS state, status as s, "
                                "\"check.abs\"",
                     .where = "streams in (1, 4)"),
        "twice,threads / 2.0,\"M, A\",state,s,check.abs\n"
        "2,0.5,0.15,\"x,y\",ok,1.5e-07\n"
        "8,,,crashed,crashed,\n");
    ck_assert_str_eq(EXPORTED_CSV("fates.gbr", .columns = "streams,abs(streams - 4) as far",
                                  .where = "streams > 4", .sort = "-far,-streams * 2"),
                     "streams,far\n8,4\n7,3\n6,2\n5,1\n");
}

#define MISTAKE(column, text, ...)                                                                 \
    views_expect_error("fates.gbr", GB_INVALID, column, text, (struct view_options){__VA_ARGS__})
#define NOT_FOUND(text, value)                                                                     \
    views_expect_error("fates.gbr", GB_NOT_FOUND, 0, text,                                         \
                       (struct view_options){.relative_to = (value)})

TEST(mistakes_are_named_with_their_place)
{
    MISTAKE(0, "--columns: 'ratio' needs --relative-to BASE", .columns = "ratio");
    MISTAKE(18, "syntax error at '/'", .columns = "streams, gflops */ 2");
    MISTAKE(10, "unknown name 'gflop'; did you mean 'gflops'?", .columns = "streams, gflop * 2");
    MISTAKE(1, "queries are not allowed in expressions", .columns = "(select 1)");
    MISTAKE(9, "item 2 is empty: expected the name of a column", .columns = "streams,,bench");
    MISTAKE(19, "integer overflow",
            .columns = "streams + 1 as x, abs(-9223372036854775807 - streams)",
            .where = "streams = 1");
    MISTAKE(6, "unknown name 'stream'; did you mean 'streams'?", .sort = "-abs(stream)");
    MISTAKE(19, "the expression ends too early", .group_by = "rows",
            .columns = "count,avg(gflops /)");
    MISTAKE(0,
            "--pivot as csv is a row for each sample, which has no ratio: name --columns, such as "
            "median_ns",
            .relative_to = "streams=1", .pivot = "streams", .format = FORMAT_CSV);
    NOT_FOUND("--relative-to streams=9: no value of streams; there are 1, 2, 3, 4, 5, 6, 7, 8",
              "streams=9");
    NOT_FOUND("--relative-to 2: this file: has no run 2, only 1 to 1", "2");
    NOT_FOUND("--relative-to commit=abc: this file: no run has commit=abc, nor another value of it",
              "commit=abc");
}
