/* test_view_details.c - what single rows, columns and notes of a table say. */
#include "tests/check_main.h"
#include "tests/view/views_fixture.h"

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
    views_show("one.gbr", &options, out);
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

static void make_open_below(struct fixture_case *c)
{
    c->record.estimate.low_ns = -INFINITY;
}

static void make_without_numbers(struct fixture_case *c)
{
    c->record.estimate.low_ns = c->record.estimate.high_ns = NAN;
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

/* What a plugin reports in units. */
static void make_units(struct fixture_case *c)
{
    c->metrics[0] = (struct metric_record){"latency", 1.5e6, "ns"};
    c->metrics[1] = (struct metric_record){"wire", 3 * 1048576, "bytes"};
    c->metrics[2] = (struct metric_record){"retries", 2.5e7, "1/s"};
    c->record.n_metrics = 3;
    c->record.work = (struct gb_work){
        .size = sizeof c->record.work, .items = 12, .item = "message"};
}

static void make_plain_units(struct fixture_case *c)
{
    c->metrics[0] = (struct metric_record){"spins", 1.25e9, ""};
    c->metrics[1] = (struct metric_record){"rest", 0.25, "%"};
    c->metrics[2] = (struct metric_record){"link", 2500, "GB/s"};
    c->record.n_metrics = 3;
    c->record.work.flops = 0;
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

static void make_unconverged(struct fixture_case *c)
{
    c->record.estimate.verdict = GB_VERDICT_UNCONVERGED;
}

static void make_given_up(struct fixture_case *c)
{
    c->record.estimate.verdict = GB_VERDICT_GAVE_UP;
}

static void make_multimodal(struct fixture_case *c)
{
    c->record.estimate.verdict = GB_VERDICT_MULTIMODAL;
    c->record.estimate.n_modes = 3;
    c->record.estimate.modes[0] = (struct gb_mode){1e6, 0.99e6, 1.01e6, 0.75};
    c->record.estimate.modes[1] = (struct gb_mode){1.2e6, 1.1e6, INFINITY, 0.15};
    c->record.estimate.modes[2] = (struct gb_mode){2e6, NAN, NAN, 0.10};
}

static void make_modes_without_ends(struct fixture_case *c)
{
    c->record.estimate.verdict = GB_VERDICT_MULTIMODAL;
    c->record.estimate.n_modes = 2;
    c->record.estimate.modes[0] = (struct gb_mode){1e6, -INFINITY, INFINITY, 0.75};
    c->record.estimate.modes[1] = (struct gb_mode){1.2e6, NAN, NAN, 0.25};
}

static void make_multimodal_unconverged(struct fixture_case *c)
{
    make_multimodal(c);
    make_unconverged(c);
}

static const struct {
    void (*change)(struct fixture_case *);
    bool ended;
    const char *expected; /* is part of what is shown */
} details[] = {
    {leave_alone, true,
     "bench    streams    median  interval  rel. IQR  samples  stopped because      GFLOP/s      "
     "GB/s  check\n"
     "streams        4  1.000 ms   \u00B11.00 %    0.00 %       20  interval within 1 %    1.000  "
     "0.004000  ok abs 1.5e-07\n"},
    {leave_alone, false,
     "\nthis run has not ended: 1 of 3 cases are done; gbrun run --resume FILE measures the"
     " rest\n"},
    {make_cancelled, false, "\nthis run has not ended: 0 of 3 cases are done; "},
    {make_asymmetric, true, "  [990.0 us, 1.200 ms]  "},
    {make_without_ends, true, "  1.000 ms      none  "},
    {make_open_above, true, "  \u2265 990.0 us  "},
    {make_open_below, true, "  \u2264 1.010 ms  "},
    {make_without_numbers, true, "  1.000 ms      none  "},
    {make_long_reason, true, "  times are zero, negative or\u2026  "},
    {make_many_metrics, true, "  GFLOP/s      GB/s  first  second  third  check\n"},
    {make_many_metrics, true,
     "\nleft out: stopped because, fourth; --verbose shows all columns, --columns those it "
     "names\n"},
    {make_units, true, "  messages/s   latency   wire  retries (1/s)  check\n"},
    {make_units, true, "     12.00 k  1.500 ms  3 MiB        25.00 M  ok abs 1.5e-07\n"},
    {make_plain_units, true, "    spins  rest (%)  link (GB/s)  check\n"},
    {make_plain_units, true, "  1.250 G      0.25         2500  ok abs 1.5e-07\n"},
    {make_mean, true, "  mean \u00B11.00 %  "},
    {make_wrong_by_nan, true, "  FAIL NaN  wrong result\n"},
    {make_wrong_by_nan, true, "\nfailures\n  streams streams=4: wrong result: NaN at [17]\n"},
    {make_measured_only, true, "  unchecked\n"},
    {make_short, true,
     "\nnotes\n  1 case has short samples: the timer overhead (up to 200 us) is more than "
     "1 % of each; it is not subtracted\n"},
    {make_limited, true, "\nnotes\n  ~ 1 case is limited by the timer resolution\n"},
    {make_limited, true, "  1.000 ms~  "},
    {make_unconverged, true, "  1.000 ms?  "},
    {make_given_up, true, "  1.000 ms!  "},
    {make_given_up, true, "\nnotes\n  ! 1 case was given up by its policy\n"},
    {make_multimodal, true, "  1.000 ms*  "},
    {make_multimodal, true,
     "\nnotes\n  * several modes: their medians, intervals and shares of the samples:\n"
     "    streams streams=4: 1.000 ms \u00B11.00 % (75 %), 1.200 ms \u2265 1.100 ms (15 %), 2.000 "
     "ms (10 %, no interval)\n"},
    {make_modes_without_ends, true,
     "    streams streams=4: 1.000 ms (75 %, no interval), 1.200 ms (25 %, no interval)\n"},
    {make_multimodal_unconverged, true, "  1.000 ms*?  "},
};

TEST_FIXTURE(fixture_begin, fixture_end)

TEST_EACH(details_of_a_row, details)
{
    CLEANUP(text_free) struct text got = {0};
    show_one(details[_i].change, details[_i].ended, &got);
    ck_assert_msg(strstr(text_get(&got), details[_i].expected) != NULL, "%s", text_get(&got));
}

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
     "| bench   | device | clock |    a (ns) |    b (ns) | precise (ns) |",
     "| floor   | cpu    | wall  |           |           |    1000009.5 |"},
    {FORMAT_MARKDOWN, false, "clock",
     "| bench   | policy  | device |          clock=a |                b |             wall |",
     "| floor   | precise | cpu    |                  |                  | 1.000 ms ±1.00 % |"},
};

/* What a case runs with is an axis of one bench: one column, which the other bench fills too. */
TEST_EACH(an_axis_of_device_policy_or_clock_is_one_column, one_columns)
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
    (one_columns[_i].exported ? views_export : views_show)("one.gbr", &options, &got);
    ck_assert_msg(strstr(text_get(&got), one_columns[_i].head) != NULL, "%s", text_get(&got));
    ck_assert_msg(strstr(text_get(&got), one_columns[_i].other) != NULL, "%s", text_get(&got));
}

/* An option may have the name of a result column; where it is an axis, readers see it. */
TEST(an_axis_that_is_named_like_a_column_is_shown)
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
    views_export("one.gbr", &options, &got);
    ck_assert_msg(strstr(text_get(&got), "\nstreams        4  cold   ") != NULL, "%s",
                  text_get(&got));
}

/* Two benches with four parameters each, none in common: a table for each. */
TEST(benches_that_differ_get_tables_of_their_own)
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
    views_show("one.gbr", &options, &got);
    views_expect_golden("show_benches.txt", &got);
}

/* What a table that is too wide says, and one that is as wide as it likes. */
static void show_products(size_t width, struct text *out)
{
    struct store *store = fixture_open("one.gbr", STORE_WRITE);
    int64_t run_id = fixture_begin_run(store, 1);
    for (unsigned i = 0; i < 3; i++) {
        struct fixture_case c;
        fixture_case(&c, i, 4, 1e6);
        c.bench_case.n_parameters = 0;
        fixture_add(&c, fixture_integer(&c, "m", 10 + i, false));
        fixture_add(&c, fixture_integer(&c, "n", i == 2 ? 99 : 10 + i, false));
        fixture_add(&c, fixture_integer(&c, "size", 10 + i, true));
        fixture_add(&c, fixture_integer(&c, "side", 10 + i, true));
        c.record.iterations = 1;
        c.record.work.bytes_read = c.record.work.bytes_written = 0;
        c.record.stop_reason = "";
        fixture_store(store, run_id, &c);
    }
    fixture_end_run(store, run_id);
    fixture_close(store);
    struct view_options options = {.width = width};
    views_show("one.gbr", &options, out);
}

static const struct {
    size_t width;
    const char *expected;
} widths[] = {
    /* m is size; n is not, side is an axis too; nobody needs columns that are blank */
    {0, "\nbench     n  size  side    median  interval  rel. IQR  samples  GFLOP/s  check\n"},
    {0, "\nleft out: m (= side); --verbose shows all columns, --columns those it names\n"},
    {80, "\nbench     n  size  side    median  interval  samples  GFLOP/s  check\n"},
    {80, "\nleft out: m (= side), rel. IQR; --verbose shows all columns, --columns those it\n"
         "  names\n"},
    /* names and heads are cut before an option goes, which tells cases apart */
    {40, "\nbench   n  size  side    median  int\u2026val\n"},
    {40, "\nst\u2026ms  99    12    12  1.000 ms  \u00b11.00 %\n"},
    {36, "\nbench    n  size    median  interval\n"},
};

TEST_EACH(what_says_least_is_left_out_first, widths)
{
    CLEANUP(text_free) struct text got = {0};
    show_products(widths[_i].width, &got);
    ck_assert_msg(strstr(text_get(&got), widths[_i].expected) != NULL, "%s", text_get(&got));
}

/* Two benches with options of their own; the cases of the second are skipped. */
TEST(cases_that_were_skipped_take_little_room)
{
    static const char *const names[2][3] = {{"alpha", "beta", "gamma"}, {"m", "n", "k"}};
    static const char *const reasons[] = {"m = 0 is for GPUs", "m = 1 is for GPUs", "m = 1: is odd",
                                          "needs 4 cores"};
    struct store *store = fixture_open("one.gbr", STORE_WRITE);
    int64_t run_id = fixture_begin_run(store, 1);
    for (unsigned i = 0; i < 6; i++) {
        struct fixture_case c;
        fixture_case(&c, i, 4, 1e6);
        c.bench_case.bench = i < 2 ? "first" : "second";
        c.bench_case.n_parameters = 0;
        for (int j = 0; j < 3; j++)
            fixture_add(&c, fixture_integer(&c, names[i / 2 > 0][j], (int)i % 2 + 10 * j, true));
        c.record.iterations = 1;
        if (i >= 2) {
            c.record.status = CASE_SKIPPED;
            c.record.status_text = reasons[i - 2];
            if (i == 4)
                c.parameters[0] = fixture_words("m", "1", true);
        }
        fixture_store(store, run_id, &c);
    }
    fixture_end_run(store, run_id);
    fixture_close(store);
    CLEANUP(text_free) struct text got = {0}, verbose = {0};
    views_show("one.gbr", &(struct view_options){.width = 130}, &got);
    ck_assert_msg(strstr(text_get(&got), "\nsecond\nall cases were skipped\n\nskipped\n"
                                         "  second m=0 n=10 k=20 and 1 more: m = 0, 1 is for GPUs\n"
                                         "  second m=1 n=10 k=20: m = 1: is odd\n"
                                         "  second m=1 n=11 k=21: needs 4 cores\n"),
                  "%s", text_get(&got));
    views_show("one.gbr", &(struct view_options){.verbose = true}, &verbose);
    ck_assert_msg(strstr(text_get(&verbose), "\nsecond\nm  ") != NULL, "%s", text_get(&verbose));
}

/* ---- rounds ---- */

/* Three rounds of one case, 1 % apart from each other, made by `change`. */
static void make_rounds(void (*change)(struct fixture_case *, unsigned round))
{
    struct store *store = fixture_open("one.gbr", STORE_WRITE);
    int64_t run_id = fixture_begin_run(store, 1);
    for (unsigned round = 0; round < 3; round++) {
        struct fixture_case c;
        fixture_case(&c, 0, 4, 1e6 + 1e4 * round);
        fixture_uuid(0xC0, round, c.record.uuid);
        c.record.sequence = c.record.round = round;
        c.record.iterations = 1;
        c.record.estimate.n_discarded = round;
        change(&c, round);
        fixture_store(store, run_id, &c);
    }
    fixture_end_run(store, run_id);
    fixture_close(store);
}

static void leave_round(struct fixture_case *c, unsigned round)
{
    (void)c, (void)round;
}

static void make_narrow(struct fixture_case *c, unsigned round)
{
    (void)round;
    c->record.estimate.low_ns = c->record.estimate.value_ns * 0.999;
    c->record.estimate.high_ns = c->record.estimate.value_ns * 1.001;
}

static void make_one_crash(struct fixture_case *c, unsigned round)
{
    if (round == 1)
        c->record.status = CASE_CRASHED;
}

static void make_all_wrong(struct fixture_case *c, unsigned round)
{
    (void)round;
    c->record.status = CASE_WRONG_RESULT;
}

static void make_one_without_samples(struct fixture_case *c, unsigned round)
{
    if (round > 0)
        return;
    c->record.status = CASE_CRASHED;
    c->record.has_estimate = false;
    c->record.n_samples = 0;
    c->record.n_columns = 0;
}

static void make_one_unconverged(struct fixture_case *c, unsigned round)
{
    c->record.estimate.verdict = round == 1 ? GB_VERDICT_UNCONVERGED : GB_VERDICT_CERTIFIED;
}

static void make_without_estimates(struct fixture_case *c, unsigned round)
{
    (void)round;
    c->record.has_estimate = false;
}

static void make_means(struct fixture_case *c, unsigned round)
{
    (void)round;
    strcpy(c->record.estimate.statistic, "mean");
}

static void make_one_wrong(struct fixture_case *c, unsigned round)
{
    if (round != 1)
        return;
    c->record.status = CASE_WRONG_RESULT;
    c->checks[0].passed = false;
    c->checks[0].value = 0.5;
}

static void make_more_confident(struct fixture_case *c, unsigned round)
{
    (void)round;
    c->record.estimate.confidence = 0.99;
}

static void make_lossy(struct fixture_case *c, unsigned round)
{
    c->record.n_lost = 1 + round;
    c->extra[round] = GB_SAMPLE_THROTTLED;
    c->columns[2] = (struct sample_column){"flags", c->extra};
    c->record.n_columns = 3;
}

static const struct {
    void (*change)(struct fixture_case *, unsigned round);
    const char *expected, *unexpected; /* part of what is shown, and no part of it; or NULL */
} rounds[] = {
    /* 1e4 T2 / sqrt(3) of 1.01 ms */
    {leave_round, "  1.010 ms   \u00B12.46 %    0.00 %       3           1.98 %       60  ",
     "by more than their"},
    {leave_round, "  certified         54          3  ", NULL},
    {make_narrow,
     "\nnotes\n  rounds differ by more than their own intervals allow:\n"
     "    streams streams=4: rounds differ by 1.98 %\n",
     NULL},
    {make_one_crash, "  1.010 ms   \u00B112.6 %    0.00 %  2 of 3           1.98 %       40  ",
     NULL},
    {make_one_crash, "  crashed\n", NULL},
    {make_all_wrong, "  1.010 ms   \u00B12.46 %    0.00 %       3           1.98 %       60  ",
     NULL},
    {make_one_without_samples,
     "  1.015 ms   \u00B16.26 %    0.00 %  2 of 3           0.99 %       40  ", NULL},
    {make_one_unconverged, "  1.010 ms?  ", NULL},
    {make_one_unconverged, "  unconverged         54  ", NULL},
    {make_without_estimates, "  1.010 ms   \u00B12.46 %  ", "effective"},
    {make_means, "  mean \u00B12.46 %  ", NULL},
    {make_one_wrong, "  FAIL abs 0.5 > 1e-06  ", "ok abs"},
    {make_more_confident, "  1.010 ms   \u00B15.67 %  ", NULL}, /* T2 of 99 % */
};

TEST_EACH(rounds_are_one_row, rounds)
{
    CLEANUP(text_free) struct text got = {0};
    struct view_options options = {.verbose = true};
    make_rounds(rounds[_i].change);
    views_show("one.gbr", &options, &got);
    ck_assert_msg(strstr(text_get(&got), rounds[_i].expected) != NULL, "%s", text_get(&got));
    ck_assert_msg(!rounds[_i].unexpected || !strstr(text_get(&got), rounds[_i].unexpected), "%s",
                  text_get(&got));
}

TEST(counts_of_rounds_add_up)
{
    CLEANUP(text_free) struct text got = {0};
    struct view_options options = {.format = FORMAT_CSV,
                                   .rows = ROWS_COMBINED,
                                   .columns = "n_samples,n_lost,n_throttled,wall_ns"};
    make_rounds(make_lossy);
    views_export("one.gbr", &options, &got);
    ck_assert_str_eq(text_get(&got), "n_samples,n_lost,n_throttled,wall_ns\n60,6,3,3000000\n");
}
