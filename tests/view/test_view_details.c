/* test_view_details.c - what single rows, columns and notes of a table say. */
#include "tests/check_main.h"
#include "tests/view/views_fixture.h"

static const char one[] = "1e6 streams rows=32 +streams=4\n";

TEST_FIXTURE(fixture_begin, fixture_end)

/* A file with one case, in which a statement changes something. */
static const struct {
    const char *sql, *expected; /* is part of what is shown */
} details[] = {
    {NULL, "bench    streams    median  interval  samples  verdict     stop reason    "
           "      GFLOP/s      GB/s  check\n"
           "streams        4  1.000 ms   \u00B11.00 %       20  this visit  interval "
           "within 1 %    1.000  0.004000  ok abs 1.5e-07\n"},
    {"UPDATE run SET finished = NULL, exit_code = NULL",
     "\nthis run has not ended: 1 of 3 cases are done; gbrun run --resume FILE measures the"
     " rest\n"},
    {"UPDATE run SET finished = NULL, exit_code = NULL;" SET "status = 'cancelled', done = 0",
     "\nthis run has not ended: 0 of 3 cases are done; "},
    {"UPDATE run SET finished = NULL, exit_code = NULL, n_cases = 1",
     "\n1 of 1 cases are done, but gbrun was killed before the end of the run; gbrun run --resume "
     "FILE closes it\n"},
    {SET "high_ns = 1.2e6", "  [990.0 us, 1.200 ms]  "},
    {SET "low_ns = 0.5e6, high_ns = 1.5e6", "  [500.0 us, 1.500 ms]  "}, /* as wide as that */
    {SET "low_ns = 0.51e6, high_ns = 1.49e6", "  \u00B149.0 %  "},
    {SET "low_ns = 0, high_ns = 2e6", "  \u2264 2.000 ms  "},
    {SET "low_ns = -1e9, high_ns = 1.6e9", "  \u2264 1.600 s  "},
    {SET "low_ns = -9e999, high_ns = 9e999", "  1.000 ms      none  "},
    {SET "high_ns = 9e999", "  \u2265 990.0 us  "},
    {SET "low_ns = -9e999", "  \u2264 1.010 ms  "},
    {SET "low_ns = NULL, high_ns = NULL", "  1.000 ms      none  "},
    {SET "flops = 0, stop_reason = 'times are zero, negative or not finite'",
     "  times are zero, negative or\u2026  "},
    {"INSERT INTO metric VALUES (1, 0, 'first', 0, ''), (1, 1, 'second', 1, ''),"
     " (1, 2, 'third', 2, ''), (1, 3, 'fourth', 3, '')",
     "  GFLOP/s      GB/s  first  second  third  check\n"
     "streams        4  1.000 ms   \u00B11.00 %       20  this visit    1.000  0.004000      "
     "0       1      2  ok abs 1.5e-07\n"
     "\nleft out: rel. IQR, stop reason, fourth; --verbose shows all columns\n"},
    {SET "flops = 0, bytes_read = 0, items = 12, item = 'message';"
         "INSERT INTO metric VALUES (1, 0, 'latency', 1.5e6, 'ns'),"
         " (1, 1, 'wire', 3145728, 'bytes'), (1, 2, 'retries', 2.5e7, '1/s')",
     "  messages/s   latency   wire  retries (1/s)  check\n"
     "streams        4  1.000 ms   \u00B11.00 %       20  this visit     12.00 k  1.500 ms  3 MiB "
     "       25.00 M  ok abs 1.5e-07\n"},
    {SET "flops = 0; INSERT INTO metric VALUES (1, 0, 'spins', 1.25e9, ''),"
         " (1, 1, 'rest', 0.25, '%'), (1, 2, 'link', 2500, 'GB/s')",
     "    spins  rest (%)  link (GB/s)  check\n"
     "streams        4  1.000 ms   \u00B11.00 %       20  this visit  0.004000  1.250 G      0.25  "
     "       2500  ok abs 1.5e-07\n"},
    {SET "statistic = 'mean'", "  mean \u00B11.00 %  "},
    {SET "status = 'wrong result';"
         "UPDATE check_result SET passed = 0, value = NULL, text = 'NaN at [17]'",
     "  FAIL NaN  wrong result\n\nleft out: stop reason; --verbose shows all "
     "columns\n\nfailures\n  streams streams=4: wrong result: NaN at [17]\n"},
    {"UPDATE check_result SET tolerance = NULL", "  unchecked\n"},
    /* the overhead is of a sample, here of ten iterations */
    {SET "overhead_ns = 2e5, iterations = 10",
     "  short samples: the timer overhead is more than 1 % and is not subtracted\n"},
    {SET "clock_low_hz = 1.95e9, clock_high_hz = 2e9;"
         "INSERT INTO telemetry VALUES (1, 'end', 1e9, 1, 2e9, 2e9, 50, 300, 1e3, 0, '', 0)",
     "\n  power or heat changed the clock: choose pace = burst or pace = sustained\n"},
    {SET "pace = 'burst', waited_ns = 2e9, gap_ns = 352.1e3",
     "    streams streams=4: waited 2.00 s, idle for 352.1 us after each sample (burst)\n"},
    {SET "pace = 'sustained', load_ns = 3e9, pace_missed = 1",
     "    streams streams=4: not settled after 3.00 s of load (sustained)\n"},
    {SET "verdict = 'resolution limited'", "\nnotes\n  ~ limited by the timer resolution\n"},
    {SET "verdict = 'resolution limited'", "  1.000 ms~  "},
    {SET "verdict = 'unconverged'", "  1.000 ms?  "},
    {SET "verdict = 'gave up'", "  1.000 ms!  "},
    {SET "verdict = 'gave up'", "\nnotes\n  ! the policy gave up\n"},
    {SET "verdict = 'multimodal'; INSERT INTO mode VALUES (1, 0, 1e6, 0.99e6, 1.01e6, 0.75),"
         " (1, 1, 1.2e6, 1.1e6, 9e999, 0.15), (1, 2, 2e6, NULL, NULL, 0.1)",
     "\nnotes\n  * several modes:\n"
     "    streams streams=4: 1.000 ms \u00B11.00 % (75 %), 1.200 ms \u2265 1.100 ms (15 %), 2.000 "
     "ms (10 %, no interval)\n"},
    {SET "verdict = 'multimodal'; INSERT INTO mode VALUES (1, 0, 1e6, -9e999, 9e999, 0.75),"
         " (1, 1, 1.2e6, NULL, NULL, 0.25)",
     "    streams streams=4: 1.000 ms (75 %, no interval), 1.200 ms (25 %, no interval)\n"},
    {SET "verdict = 'multimodal'; INSERT INTO mode VALUES (1, 0, 1e6, NULL, NULL, 1)",
     "  1.000 ms*  "},
    {SET "verdict = 'unconverged'; INSERT INTO mode VALUES (1, 0, 1e6, NULL, NULL, 0.75),"
         " (1, 1, 1.2e6, NULL, NULL, 0.25)",
     "  1.000 ms*?  "},
};

TEST_EACH(details_of_a_row, details)
{
    views_make("one.gbr", 1, one, details[_i].sql);
    EXPECT(SHOWN("one.gbr", .notes = NOTES_SOME), details[_i].expected);
}

static const struct {
    int format;
    bool is_exported;
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
     "| bench   | device | clock |    a (ns) |    b (ns) | precise (ns) |",
     "| floor   | cpu    | wall  |           |           |    1000009.5 |"},
    {FORMAT_MARKDOWN, false, "clock",
     "| bench   | policy  | device |          clock=a |                b |             wall |",
     "| floor   | precise | cpu    |                  |                  | 1.000 ms ±1.00 % |"},
};

/* What a case runs with is an axis of one bench: one column, which the other bench fills too. */
TEST_EACH(an_axis_of_device_policy_or_clock_is_one_column, one_columns)
{
    const struct view_options options = {.format = one_columns[_i].format,
                                         .pivot = one_columns[_i].pivot};
    views_make("one.gbr", 1,
               "1000009.5 streams +device=a +policy=a +clock=a\n"
               "1000009.5 streams +device=b +policy=b +clock=b\n"
               "1000009.5 floor\n",
               SET "policy = 'a' WHERE id = 1;" SET "policy = 'b', clock = 'cpu' WHERE id = 2;"
                   "UPDATE samples SET name = 'cpu' WHERE case_id = 2 AND name = 'wall'");
    const char *got = views_print("one.gbr", &options, !one_columns[_i].is_exported);
    EXPECT(got, one_columns[_i].head, one_columns[_i].other);
}

/* An option may have the name of a result column; where it is an axis, readers see it. */
TEST(an_axis_that_is_named_like_a_column_is_shown)
{
    views_make("one.gbr", 1,
               "1e6 streams +streams=4 +cache=warm\n"
               "1e6 streams +streams=4 +cache=cold\n",
               NULL);
    EXPECT(EXPORTED("one.gbr", 0), "\nstreams        4  cold   ");
}

/* Two benches with four parameters each, none in common: a table for each. */
TEST(benches_that_differ_get_tables_of_their_own)
{
    views_make("one.gbr", 1,
               "1e6 first +alpha=0 +beta=10 +gamma=20\n"
               "1e6 first +alpha=1 +beta=11 +gamma=21\n"
               "1e6 second +m=2 +n=12 +k=22\n"
               "1e6 second +m=3 +n=13 +k=23\n",
               NULL);
    SHOWS_BELOW_HEAD("show_benches.txt", "one.gbr", 0);
}

/* What a table that is too wide says, and one that is as wide as it likes. */
static const struct {
    size_t width;
    const char *expected;
} widths[] = {
    /* m is size; n is not, side is an axis too; blank columns are left out */
    {0, "\nbench     n  size  side    median  interval  rel. IQR  samples  verdict     GFLOP/s  "
        "check\n"},
    {0, "\nleft out: m (= side); --verbose shows all columns\n"},
    {80, "\nbench     n  size  side    median  interval  samples  verdict     GFLOP/s  check\n"},
    {80, "\nleft out: m (= side), rel. IQR; --verbose shows all columns\n"},
    /* names and heads are cut before an option goes, which tells cases apart */
    {40, "\nbench   n  size  side    median  int\u2026val\n"},
    {40, "\nst\u2026ms  99    12    12  1.000 ms  \u00b11.00 %\n"},
    {36, "\nbench    n  size    median  interval\n"},
};

TEST_EACH(what_says_least_is_left_out_first, widths)
{
    views_make("one.gbr", 1,
               "1e6 streams m=10 n=10 +size=10 +side=10\n"
               "1e6 streams m=11 n=11 +size=11 +side=11\n"
               "1e6 streams m=12 n=99 +size=12 +side=12\n",
               SET "bytes_read = 0, stop_reason = ''");
    EXPECT(SHOWN("one.gbr", .width = widths[_i].width), widths[_i].expected);
}

/* Of a narrow table options that are the same in all rows go, and before them the reason. */
TEST(equal_options_are_left_out_first)
{
    views_make("one.gbr", 1,
               "1000 streams rows=32 +streams=1 +schedule=the_only_one_there_is\n"
               "1000 streams rows=32 +streams=2 +schedule=the_only_one_there_is\n",
               SET "iterations = 10");
    const char *got = SHOWN("one.gbr", .width = 150);
    EXPECT(got, "streams  schedule  ", "  rel. IQR  ");
    got = SHOWN("one.gbr", .width = 120);
    EXPECT(got, "streams    median  ", "  rel. IQR  ", "\nleft out: schedule; ");
}

/* Two benches with options of their own; the cases of the second are skipped. */
TEST(cases_that_were_skipped_take_little_room)
{
    views_make("one.gbr", 1,
               "1e6 first +alpha=0 +beta=10 +gamma=20\n"
               "1e6 first +alpha=1 +beta=11 +gamma=21\n"
               "- second +m=0 +n=10 +k=20\n"
               "- second +m=1 +n=11 +k=21\n"
               "- second +m=1 +n=10 +k=20\n"
               "- second +m=1 +n=11 +k=22\n",
               SET "status_text = 'm = ' || (id = 4) || ' is for GPUs' WHERE id IN (3, 4);"
               /* words are no number that reasons share */
               SET "status_text = 'm = 1: is odd' WHERE id = 5;"
                   "UPDATE parameter SET number = NULL, type = 'string' WHERE case_id = 5 AND name "
                   "= 'm';" SET "status_text = 'needs 4 cores' WHERE id = 6");
    EXPECT(SHOWN("one.gbr", .width = 130),
           "\nsecond\nall cases were skipped\n\nleft out: rel. IQR; --verbose shows all "
           "columns\n\nskipped\n"
           "  second m=0 n=10 k=20 and 1 more: m = 0, 1 is for GPUs\n"
           "  second m=1 n=10 k=20: m = 1: is odd\n"
           "  second m=1 n=11 k=22: needs 4 cores\n");
    EXPECT(SHOWN("one.gbr", .verbose = true), "\nsecond\nm  ");
}

/* Of each round; differences of four are a table, the fifth is in another. */
TEST(four_comparisons_stand_side_by_side)
{
    views_make("one.gbr", 1,
               "1e6,1e6 streams +streams=1\n"
               "1e6 streams +streams=2\n"
               "1e6 streams +streams=3\n"
               "1e6 streams +streams=4\n",
               NULL);
    const char *got = SHOWN("one.gbr", .verbose = true);
    EXPECT(got, "\n(1) streams streams=1: C\n(2) streams streams=1: C\n(3) ",
           "\n(4) streams streams=3: C\nrelative difference  ",
           "\n\n(5) streams streams=4: C\nrelative difference  ");
}

/* ---- rounds ---- */

/* Three rounds of one case, 1 % apart from each other. */
static const char three[] = "1e6,101e4,102e4 streams rows=32 +streams=4\n";

static const struct {
    const char *sql, *expected, *unexpected; /* part of what is shown, and no part of it; or NULL */
    bool lacks_first;                        /* of the first round there are no samples */
} rounds[] = {
    /* 1e4 T2 / sqrt(3) of 1.01 ms */
    {NULL, "  1.010 ms   \u00B12.46 %    0.00 %       3           1.98 %       60  ",
     "by more than their", false},
    {NULL, "  certified in this visit  interval within 1 % ", NULL, false},
    {NULL, "         54          3  ", NULL, false},
    /* of a file that does not say what was asked for */
    {SET "precision = NULL", "\n  certified in this visit: the next one may differ\n", NULL, false},
    {SET "low_ns = estimate_ns * 0.999, high_ns = estimate_ns * 1.001",
     "\nnotes\n  rounds differ by more than their intervals explain:\n"
     "    streams streams=4: rounds differ by 1.98 %\n",
     NULL, false},
    {SET "status = 'crashed' WHERE round = 1",
     "  1.010 ms   \u00B112.6 %    0.00 %  2 of 3           1.98 %       40  ", NULL, false},
    {SET "status = 'crashed' WHERE round = 1", "  crashed\n", NULL, false},
    {SET "status = 'wrong result'",
     "  1.010 ms   \u00B12.46 %    0.00 %       3           1.98 %       60  ", NULL, false},
    {SET "status = 'crashed' WHERE round = 0",
     "  1.015 ms   \u00B16.26 %    0.00 %  2 of 3           0.99 %       40  ", NULL, true},
    {SET "verdict = 'unconverged' WHERE round = 1", "  1.010 ms?  ", NULL, false},
    {SET "verdict = 'unconverged' WHERE round = 1", "  ? unconverged  ", NULL, false},
    {SET "verdict = NULL, statistic = NULL, estimate_ns = NULL, low_ns = NULL, high_ns = NULL,"
         " confidence = NULL, n_observed = NULL, n_discarded = NULL, n_effective = NULL,"
         " excluded_mode_weight = NULL, note = NULL, precision = NULL",
     "  1.010 ms   \u00B12.46 %  ", "effective", false},
    {SET "statistic = 'mean'", "  mean \u00B12.46 %  ", NULL, false},
    {SET "status = 'wrong result' WHERE round = 1;"
         "UPDATE check_result SET passed = 0, value = 0.5 WHERE case_id = 2",
     "  FAIL abs 0.5 > 1e-06  ", "ok abs", false},
    {SET "confidence = 0.99", "  1.010 ms   \u00B15.67 %  ", NULL, false}, /* T2 of 99 % */
};

TEST_EACH(rounds_are_one_row, rounds)
{
    CLEANUP(text_free) struct text cases = {0};
    text_add(&cases, rounds[_i].lacks_first ? "-" : "1e6");
    text_add(&cases, strchr(three, ','));
    views_make("one.gbr", 1, text_get(&cases), SET "n_discarded = round, precision = 0.05");
    if (rounds[_i].sql)
        fixture_change("one.gbr", rounds[_i].sql);
    const char *got = SHOWN("one.gbr", .verbose = true);
    EXPECT(got, rounds[_i].expected);
    if (rounds[_i].unexpected)
        EXPECT_NO(got, rounds[_i].unexpected);
}

TEST(of_eight_rounds_it_is_known_whether_the_next_is_like_them)
{
    views_make("one.gbr", 1,
               "1e6,101e4,102e4,1e6,101e4,102e4,101e4,101e4 streams rows=32 +streams=4\n",
               SET "precision = 0.05");
    EXPECT(SHOWN("one.gbr", .verbose = true), "  certified in this visit  ");
    fixture_change("one.gbr", SET "started = printf('2026-01-01T00:00:%02d.000Z', 2 * round)");
    EXPECT(SHOWN("one.gbr", .verbose = true), "  certified  interval within 1 % ");
    fixture_change("one.gbr", SET "precision = 0.01");
    EXPECT(SHOWN("one.gbr", .verbose = true), "  1.010 ms?  ",
           "visits differ: after 8 of them, the next may differ by ");
}

TEST(counts_of_rounds_add_up)
{
    views_make("one.gbr", 1, three, SET "n_lost = 1 + round, n_throttled = 1");
    ck_assert_str_eq(EXPORTED_CSV("one.gbr", .rows = ROWS_COMBINED,
                                  .columns = "n_samples,n_lost,n_throttled,wall_ns"),
                     "n_samples,n_lost,n_throttled,wall_ns\n60,6,3,3000000\n");
}
