/* test_view_notes.c - the notes below the table of a run: noise and its likely cause, the
 * sentence on what is fastest; and colours. */
#include "tests/check_main.h"
#include "tests/view/views_fixture.h"

static void setup(void)
{
    fixture_begin();
    unsetenv("GBRUN_IGNORE_LOAD"); /* which make check sets: causes outside would not be said */
}

/* ---- noise ---- */

/* What is shown of a case whose middle half spans 27.5 %, after a statement. */
static const char *show_noisy(const char *sql)
{
    views_make("noisy.gbr", 1, "1000~0.04 streams rows=32 +streams=1\n",
               SET "iterations = 10, sampled_ns = 1e9, others_cpu_ns = 0, stolen_ns = 0,"
                   " waited_cpu_ns = 0, n_preempted = 0;"
                   "INSERT INTO run_fact VALUES (1, 'cpus', '2')");
    fixture_change("noisy.gbr", sql);
    return SHOWN("noisy.gbr", .notes = NOTES_SOME);
}

#define STOLEN SET "n_preempted = 3, waited_cpu_ns = 1e8, stolen_ns = 1e8"
#define UNKNOWN "no recorded cause; try gbrun doctor"
/* Each cause with what proves it, and with less than that. */
static const struct {
    const char *sql, *cause;
} causes[] = {
    {"", UNKNOWN},
    {SET "n_throttled = 5", "the device was throttled in 25.0 % of them"},
    {SET "n_throttled = 4", UNKNOWN},
    {SET "clock_low_hz = 1.2e9, clock_high_hz = 2.4e9",
     "the clock moved between 1.20 GHz and 2.40 GHz"},
    {SET "clock_low_hz = 2.2e9, clock_high_hz = 2.4e9", UNKNOWN},
    {SET "n_preempted = 5", "its threads were preempted 5 times and waited 0.00 ns "
                            "for a processor"},
    {SET "n_preempted = 3, waited_cpu_ns = 1e8",
     "its threads were preempted 3 times and waited 100 ms for a processor"},
    {SET "n_preempted = 3, waited_cpu_ns = 2e7", UNKNOWN},
    {STOLEN, "other guests of the host took 5.00 % of the processors"}, /* the rest follows */
    {SET "stolen_ns = 2e7", UNKNOWN},
    {SET "others_cpu_ns = 1e9", "other processes had 50.0 % of the processors"},
    {SET "others_cpu_ns = 1e8", UNKNOWN},
    {SET "others_cpu_ns = 1e9, clock = 'kernel'; UPDATE samples SET name = 'kernel' WHERE name = "
         "'wall'",
     UNKNOWN}, /* a GPU hears nothing of them */
    {"INSERT INTO mode VALUES (1, 0, 1000, 990, 1010, 0.5), (1, 1, 1700, 1690, 1710, 0.5)",
     "its times have 2 modes"},
    {"INSERT INTO mode VALUES (1, 0, 1000, 990, 1010, 1)", UNKNOWN},
    {SET "iterations = 1, tick_ns = 200", "the timer's resolution, 200 ns of an iteration"},
    {SET "iterations = 1, tick_ns = 180", UNKNOWN},
    {SET "tick_ns = 200", UNKNOWN}, /* of ten iterations */
};

TEST_FIXTURE(setup, fixture_end)

TEST_EACH(noise_has_a_likely_cause, causes)
{
    CLEANUP(text_free) struct text expected = {0};
    text_printf(&expected,
                "\n  noise, and its likely cause:\n    streams streams=1: the middle half of the "
                "samples spans 27.5 %% of the median: %s\n",
                causes[_i].cause);
    EXPECT(show_noisy(causes[_i].sql), text_get(&expected));
}

/* Six rounds of which the last three take that much longer. */
TEST_TIMES(rounds_that_differ_are_a_cause, 2)
{
    static const char *const times[] = {"1000~.01,1001~.01,1002~.01,1300~.01,1301~.01,1302~.01",
                                        "1000~.01,1001~.01,1002~.01,1030~.01,1031~.01,1032~.01"};
    CLEANUP(text_free) struct text cases = {0};
    text_printf(&cases, "%s streams rows=32 +streams=1\n", times[_i]);
    views_make("rounds.gbr", 1, text_get(&cases), NULL);
    const char *got = SHOWN("rounds.gbr", .notes = NOTES_SOME);
    EXPECT(got, "rounds differ by");
    EXPECT(got, _i ? ": " UNKNOWN : ": its rounds differ by ");
}

/* In each of six rounds the last of 20 samples takes three times as long. */
static const struct {
    const char *sql, *cause;
} outlier_causes[] = {
    {"", UNKNOWN}, /* the step is as wide as the middle half */
    {SET "tick_ns = 1100", "the timer's resolution, 1.10 us of an iteration"},
    {SET "tick_ns = 800", UNKNOWN},
    {SET "n_preempted = 1", "its threads were preempted 6 times and waited 0.00 ns "
                            "for a processor"},
    {SET "n_preempted = 1 WHERE round = 0", UNKNOWN},
    {SET "stolen_ns = 3e7", "other guests of the host took 1.50 % of the processors"},
    {SET "stolen_ns = 1e7", UNKNOWN},
    {SET "clock_low_hz = 1e9, clock_high_hz = 2.4e9", "the clock moved between 1.00 GHz and 2.40 "
                                                      "GHz"},
    {SET "clock_low_hz = 1.8e9, clock_high_hz = 2.4e9", UNKNOWN},
};

TEST_EACH(outliers_have_a_likely_cause, outlier_causes)
{
    CLEANUP(text_free) struct text expected = {0};
    views_make("outliers.gbr", 1, "1000,1000,1000,1000,1000,1000 streams rows=32 +streams=1\n",
               SET "iterations = 1, tick_ns = 20, sampled_ns = 1e9, others_cpu_ns = 0, stolen_ns = "
                   "0, waited_cpu_ns = 0, n_preempted = 0, p99_ns = 3000;"
                   "INSERT INTO run_fact VALUES (1, 'cpus', '2')");
    fixture_change("outliers.gbr", outlier_causes[_i].sql);
    text_printf(&expected,
                "\n  outliers, and their likely cause:\n    streams streams=1: 1 %% of the samples "
                "took 3 times the median or more: %s\n",
                outlier_causes[_i].cause);
    EXPECT(SHOWN("outliers.gbr", .notes = NOTES_SOME), text_get(&expected));
}

TEST(what_others_do_is_not_said_where_that_is_ignored)
{
    setenv("GBRUN_IGNORE_LOAD", "1", 1);
    EXPECT(show_noisy(STOLEN), ": no recorded cause");
}

TEST(what_a_call_costs_is_said_where_it_matters)
{
    const char *got = show_noisy(
        "INSERT INTO metric VALUES (1, 0, 'call_overhead_ns', 0.009 * 1400, 'ns')");
    EXPECT_NO(got, "the time includes the call overhead");
    fixture_change("noisy.gbr", "UPDATE metric SET value = 0.02 * 1400");
    got = SHOWN("noisy.gbr", .notes = NOTES_SOME);
    EXPECT(got, "the time includes the call overhead", "streams streams=1: 28.0 ns of 1.38 us");
}

/* ---- a few notes ---- */

#define UNSURE SET "verdict = 'unconverged', note = 'still falling by ' || id || ' % a second'"
#define BUSY                                                                                       \
    "INSERT INTO message(case_id, ordinal, severity, text) SELECT id, 0, 2, 'the machine "         \
    "was "                                                                                         \
    "busy: ' || id || ' %' "                                                                       \
    "FROM bench_case"

/* Of four cases: what they share is a line of 120 columns, or of 60. */
static const struct {
    const char *sql;
    size_t width;
    const char *expected;
} few[] = {
    {UNSURE, 0,
     "\nnotes\n  ? not certified: interval wider or less stable than requested (all 4 cases)\n"
     "  details: gbrun show --notes few.gbr\n"},
    {UNSURE " WHERE id < 4", 0,
     "\nnotes\n  ? not certified: interval wider or less stable than requested (3 of 4 "
     "cases: streams streams=1, ...)\n"},
    {UNSURE " WHERE id < 4", 60,
     "\nnotes\n  ? not certified: interval wider or less st\u2026 (3 of 4 cases)\n"},
    {UNSURE " WHERE id = 3", 0, " than requested (streams streams=3)\n"},
    {BUSY " WHERE id < 3", 0,
     "\n  warning: the machine was busy: 1..2 % (2 of 4 cases: streams streams=1, streams "
     "streams=2)\n"},
    /* what has a mark comes first */
    {UNSURE "; " BUSY ";" SET "n_lost = id, overhead_ns = 1e5, iterations = 1", 0,
     "\n  warning: the machine was busy: 1..4 % (all 4 cases)\n  samples whose times were lost: "
     "1..4 of 20 (all 4 cases)\n  and 1 more: gbrun show --notes few.gbr\n"},
};

TEST_EACH(few_notes_are_lines_by_cause, few)
{
    views_make("few.gbr", 1,
               "1e6 streams +streams=1\n1e6 streams +streams=2\n1e6 streams +streams=3\n"
               "1e6 streams +streams=4\n",
               few[_i].sql);
    const char *got = SHOWN("few.gbr", .path = "few.gbr", .width = few[_i].width);
    EXPECT(got, few[_i].expected);
    views_expect_width(strstr(got, "\nnotes\n"), few[_i].width ? few[_i].width : 120);
}

/* ---- the sentence at the end ---- */

/* Six rounds that differ by 0.1 %, of a middle of 1 ms, 0.5 ms, 0.1 ms; and of twice as much. */
#define T1000 "1e6,1.001e6,1.002e6,1e6,1.001e6,1.002e6"
#define T500 "500.5e3,501e3,500e3,500.5e3,501e3,500e3"
#define T100 "100.2e3,100e3,100.1e3,100.2e3,100e3,100.1e3"
#define T2000 "2e6,2.002e6,2.004e6,2e6,2.002e6,2.004e6"
#define BASELINE " streams +schedule=baseline"
#define PAD " streams +schedule=pad"
#define TILE " streams +schedule=tile"
#define TWO T1000 BASELINE "\n" T500 PAD "\n"
#define NUMBERS                                                                                    \
    T1000 " streams +streams=1\n" T500 " streams +streams=2\n" T100 " streams +streams=4\n"

static const struct {
    const char *cases, *expected; /* NULL: no note */
    double work;                  /* that each further case has more, as a share */
} sentences[] = {
    {TWO, "\npad is 2.0000 [1.9968, 2.0033] times as fast as baseline\n", 0},
    {TWO T100 TILE,
     "\ntile is the fastest: 10.000 [9.984, 10.016] times as fast as baseline, 5.0000 [4.9919, "
     "5.0081] times as fast as pad\n",
     0},
    {T100 BASELINE "\n" T500 PAD "\n" T1000 TILE, "\nbaseline is the fastest: 5.0000 [", 0},
    {T100 BASELINE "\n" T500 PAD "\n" T100 TILE, NULL, 0}, /* the first and the last are as fast */
    {T1000 BASELINE " +size=1\n" T2000 BASELINE " +size=2\n" T500 PAD " +size=1\n" T1000 PAD
                    " +size=2\n",
     " times as fast as baseline (geometric mean of 2 cases)\n", 0},
    /* what is faster for one size is slower for the other */
    {T1000 BASELINE " +size=1\n" T500 BASELINE " +size=2\n" T500 PAD " +size=1\n" T1000 PAD
                    " +size=2\n",
     NULL, 0},
    /* differences that rounds alone make */
    {"1e6,14e5,18e5,12e5,16e5,1e6" BASELINE "\n16e5,1e6,14e5,18e5,12e5,16e5" PAD, NULL, 0},
    {"1e6" BASELINE "\n500.5e3" PAD, " times as fast as baseline, in one round\n", 0},
    {T1000 " baseline\n" T500 " pad",
     "\npad is 2.0000 [1.9968, 2.0033] times as fast as baseline\n", 0},
    {T1000 " baseline\n" T500 " pad", NULL, 0.5},
    {NUMBERS, "\nstreams=4 is the fastest: ", 0},
    {NUMBERS, NULL, 1}, /* sizes give no sentence */
};

static void make_variants(const char *cases, double work)
{
    CLEANUP(text_free) struct text sql = {0};
    text_printf(&sql, SET "iterations = 10, tick_ns = 0, flops = 1e6 * (1 + %g * position)", work);
    views_make("variants.gbr", 1, cases, text_get(&sql));
}

TEST_EACH(what_is_fastest_is_said_where_it_is_certain, sentences)
{
    make_variants(sentences[_i].cases, sentences[_i].work);
    const char *got = SHOWN("variants.gbr", 0);
    if (sentences[_i].expected)
        EXPECT(got, sentences[_i].expected);
    else
        EXPECT_NO(got, " times as fast as ");
}

TEST(of_chosen_cases_nothing_is_said)
{
    make_variants(TWO, 0);
    EXPECT_NO(SHOWN("variants.gbr", .where = "schedule <> 'tile'"), " times as fast as ");
}

/* Of the machine's line only the name is cut, down to some letters. */
TEST(the_machine_is_one_line)
{
    make_variants(TWO, 0);
    const char *got = SHOWN("variants.gbr", .is_fresh = true, .width = 72);
    ck_assert_msg(text_starts_with(got, "cpu  Example\u2026PU 9000  (wall clock: resolution 20.0 "
                                        "ns, overhead 24.0 ns)\n\nbench"),
                  "%s", got);
}

/* ---- colours and widths ---- */

/* Without the sequences both are the same. */
TEST(colours_only_repeat_what_words_say)
{
    CLEANUP(text_free) struct text stripped = {0};
    views_make_file("fates.gbr");
    const char *coloured = SHOWN("fates.gbr", .has_colours = true);
    EXPECT(coloured, "\033[31mcrashed\033[0m\n", "\033[31mwrong result\033[0m\n",
           "\033[2mskipped\033[0m\n", "\033[32mok\033[0m", "\033[33m333.3 us?\033[0m",
           "\033[33m166.7 us*\033[0m", "\033[31mfailures\033[0m");

    for (const char *at = coloured; *at; at++)
        if (*at == '\033')
            at += strcspn(at, "m");
        else
            text_add_n(&stripped, at, 1);
    ck_assert_str_eq(text_get(&stripped), SHOWN("fates.gbr", 0));
    ck_assert_ptr_nonnull(
        strstr(SHOWN("fates.gbr", .has_colours = true, .verbose = true), "\033[31mFAIL "));
}

TEST_TIMES(rows_fit_and_rates_stay, 4)
{
    static const size_t widths[] = {60, 80, 100, 200};
    views_make_file("fates.gbr");
    const char *got = SHOWN("fates.gbr", .width = widths[_i], .has_colours = true);
    if (widths[_i] >= 80) {
        EXPECT(got, "  GFLOP/s  ", "GB/s  ");
    }
    views_expect_width(got, widths[_i]);
}

TEST(words_of_many_cases_are_counted)
{
    CLEANUP(text_free) struct text cases = {0};
    for (int i = 0; i < 60; i++)
        text_printf(&cases, "- streams +streams=%d\n", i + 1);
    views_make("many.gbr", 1, text_get(&cases),
               SET "status_text = 'no ' || char(65 + position % 40)");
    const char *shown = SHOWN("many.gbr", .verbose = true);
    ck_assert_uint_eq(views_count(shown, " and 1 more: no "), 20);
    ck_assert_uint_eq(views_count(shown, ": no "), 40);
    EXPECT(shown, "  streams streams=20 and 1 more: no T\n", "  streams streams=40: no h\n");
}
