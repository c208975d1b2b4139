/* test_view_notes.c - what is said of a run below its table: noise and its likely cause, the
 * sentence on what is fastest; and colours. */
#include "tests/check_main.h"
#include "tests/view/views_fixture.h"

static void setup(void)
{
    fixture_begin();
    unsetenv("GBRUN_IGNORE_LOAD"); /* which make check sets: causes outside would not be said */
}

/* ---- noise ---- */

/* What is shown of a case whose middle half spans 40 %, after a statement. */
static const char *show_noisy(const char *sql)
{
    views_make("noisy.gbr", 1, "1000~0.04 streams rows=32 +streams=1\n",
               SET "iterations = 10, sampled_ns = 1e9, others_cpu_ns = 0, stolen_ns = 0,"
                   " waited_cpu_ns = 0, n_preempted = 0;"
                   "INSERT INTO run_fact VALUES (1, 'cpus', '2')");
    views_sql("noisy.gbr", sql);
    return SHOWN("noisy.gbr", 0);
}

#define STOLEN SET "n_preempted = 3, waited_cpu_ns = 2e7, stolen_ns = 1e8"
static const struct {
    const char *sql, *cause;
} causes[] = {
    {"", "nothing that was recorded explains it; gbrun doctor may"},
    {SET "clock_low_hz = 1.2e9, clock_high_hz = 2.4e9",
     "the clock moved between 1.20 GHz and 2.40 GHz"},
    {SET "n_preempted = 3, waited_cpu_ns = 2e7",
     "a processor was taken from its threads 3 times, and they waited 20.0 ms for one"},
    {STOLEN, "other guests of the host took 5.00 % of the processors"}, /* the rest follows */
    {SET "others_cpu_ns = 1e9", "other processes had 50.0 % of the processors"},
    {SET "others_cpu_ns = 1e9, clock = 'kernel'; UPDATE samples SET name = 'kernel' WHERE name = "
         "'wall'",
     "nothing that was recorded explains it; gbrun doctor may"}, /* a GPU hears nothing of them */
    {"INSERT INTO mode VALUES (1, 0, 1000, 990, 1010, 0.5), (1, 1, 1700, 1690, 1710, 0.5)",
     "its times have 2 modes"},
    {SET "iterations = 1, tick_ns = 200", "the timer's resolution, 200 ns of an iteration"},
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

TEST(what_others_do_is_not_said_where_that_is_ignored)
{
    setenv("GBRUN_IGNORE_LOAD", "1", 1);
    EXPECT(show_noisy(STOLEN), ": nothing that was recorded");
}

TEST(what_a_call_costs_is_said_where_it_matters)
{
    const char *got = show_noisy(
        "INSERT INTO metric VALUES (1, 0, 'call_overhead_ns', 0.009 * 1400, 'ns')");
    EXPECT_NO(got, "the time includes that of calling the function");
    views_sql("noisy.gbr", "UPDATE metric SET value = 0.02 * 1400");
    got = SHOWN("noisy.gbr", 0);
    EXPECT(got, "the time includes that of calling the function",
           "streams streams=1: 28.0 ns of 1.38 us");
}

/* ---- the sentence at the end ---- */

enum { ROUNDS = 6 };

/* Rounds of cases of one axis of words, and perhaps a second of numbers: times of value i, size j.
 */
struct variants {
    unsigned n, n_sizes, n_rounds;
    double (*time_ns)(unsigned value, unsigned size, unsigned round);
    enum { SCHEDULES, BENCHES, NUMBERS } kind; /* the axis: words, names of benches, numbers */
    double work;                               /* that each further value has more, as a share */
};

static void make_variants(const struct variants *variants)
{
    static const char *const names[] = {"baseline", "pad", "tile"};
    CLEANUP(text_free) struct text cases = {0}, sql = {0};
    for (unsigned i = 0; i < variants->n_rounds * variants->n * variants->n_sizes; i++) {
        const unsigned round = i / (variants->n * variants->n_sizes),
                       value = i / variants->n_sizes % variants->n, size = i % variants->n_sizes;
        text_printf(&cases, "%.17g ", variants->time_ns(value, size, round));
        if (variants->kind == NUMBERS)
            text_printf(&cases, "streams +streams=%d", 1 << value);
        else
            text_printf(&cases, variants->kind == BENCHES ? "%s" : "streams +schedule=%s",
                        names[value]);
        if (variants->n_sizes > 1)
            text_printf(&cases, " +size=%d", 1 << size);
        text_add(&cases, "\n");
    }
    text_printf(&sql, SET "iterations = 10, tick_ns = 0, flops = 1e6 * (1 + %g * (position / %u))",
                variants->work, variants->n_sizes);
    views_make("variants.gbr", 1, text_get(&cases), text_get(&sql));
}

static double fall(unsigned value, unsigned size, unsigned round)
{
    static const double factors[] = {1, 0.5, 0.1};
    return 1e6 * (size + 1) * factors[value] * (1 + 0.001 * ((round + value) % 3));
}

static double rise(unsigned value, unsigned size, unsigned round)
{
    return fall(2 - value, size, round);
}

/* The first and the last are as fast. */
static double tie(unsigned value, unsigned size, unsigned round)
{
    return fall(value == 1 ? 1 : 2, size, round);
}

/* What is faster for one size is slower for the other. */
static double cross(unsigned value, unsigned size, unsigned round)
{
    return fall(size == 1 ? 1 - value : value, 0, round);
}

/* Differences that rounds alone make. */
static double wander(unsigned value, unsigned size, unsigned round)
{
    (void)size;
    return 1e6 * (1 + 0.2 * ((round * 7 + value * 3) % 5));
}

static const struct {
    struct variants variants;
    const char *expected; /* NULL: nothing is said */
} sentences[] = {
    {{2, 1, ROUNDS, fall, SCHEDULES, 0},
     "\npad is 2.0000 [1.9968, 2.0033] times as fast as baseline\n"},
    {{3, 1, ROUNDS, fall, SCHEDULES, 0},
     "\ntile is the fastest: 10.000 [9.984, 10.016] times as fast as baseline, 5.0000 [4.9919, "
     "5.0081] times as fast as pad\n"},
    {{3, 1, ROUNDS, rise, SCHEDULES, 0}, "\nbaseline is the fastest: 5.0000 ["},
    {{3, 1, ROUNDS, tie, SCHEDULES, 0}, NULL},
    {{2, 3, ROUNDS, fall, SCHEDULES, 0},
     " times as fast as baseline (geometric mean of 3 cases)\n"},
    {{2, 2, ROUNDS, cross, SCHEDULES, 0}, NULL},
    {{2, 1, ROUNDS, wander, SCHEDULES, 0}, NULL},
    {{2, 1, 1, fall, SCHEDULES, 0}, " times as fast as baseline, in one round\n"},
    {{2, 1, ROUNDS, fall, BENCHES, 0},
     "\npad is 2.0000 [1.9968, 2.0033] times as fast as baseline\n"},
    {{2, 1, ROUNDS, fall, BENCHES, 0.5}, NULL},
    {{3, 1, ROUNDS, fall, NUMBERS, 0}, "\nstreams=4 is the fastest: "},
    {{3, 1, ROUNDS, fall, NUMBERS, 1}, NULL}, /* of sizes nothing is to be said */
};

TEST_EACH(what_is_fastest_is_said_where_it_is_certain, sentences)
{
    make_variants(&sentences[_i].variants);
    const char *got = SHOWN("variants.gbr", 0);
    if (sentences[_i].expected)
        EXPECT(got, sentences[_i].expected);
    else
        EXPECT_NO(got, " times as fast as ");
}

TEST(of_chosen_cases_nothing_is_said)
{
    make_variants(&sentences[0].variants);
    EXPECT_NO(SHOWN("variants.gbr", .where = "schedule <> 'tile'"), " times as fast as ");
}

/* Of the machine's line only the name is cut, down to some letters. */
TEST(the_machine_is_one_line)
{
    make_variants(&sentences[0].variants);
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
           "\033[33m166.7 us*\033[0m", "\033[31mfailures\033[0m", "\033[31mFAIL\033[0m");
    for (const char *at = coloured; *at; at++)
        if (*at == '\033')
            at += strcspn(at, "m");
        else
            text_add_n(&stripped, at, 1);
    ck_assert_str_eq(text_get(&stripped), SHOWN("fates.gbr", 0));
}

TEST_TIMES(rows_fit_and_rates_stay, 4)
{
    static const size_t widths[] = {60, 80, 100, 200};
    const size_t width = widths[_i];
    CLEANUP(text_free) struct text got = {0};
    char *save = NULL;
    views_make_file("fates.gbr");
    text_add(&got, SHOWN("fates.gbr", .width = width, .has_colours = true));
    if (width >= 80) {
        EXPECT(text_get(&got), "  GFLOP/s  ", "  threads  ");
    }
    for (char *line = strtok_r(got.data, "\n", &save); line; line = strtok_r(NULL, "\n", &save))
        ck_assert_msg(text_columns(line) <= width, "%s", line);
}
