/* test_view_notes.c - what is said of a run below its table: noise and its likely cause, the
 * sentence on what is fastest; and colours. */
#include "tests/check_main.h"
#include "tests/view/views_fixture.h"

static void setup(void)
{
    fixture_begin();
    unsetenv("GBRUN_IGNORE_LOAD"); /* which make check sets: causes outside would not be said */
}

static void teardown(void)
{
    fixture_end();
}

static void show(const char *file, const struct view_options *options, struct text *out)
{
    views_show(file, options, out);
}

/* ---- noise ---- */

/* A case whose middle half spans 40 %, with what a row of the table changes in it. */
static void make_noisy(void (*change)(struct fixture_case *c))
{
    struct store *store = fixture_open("noisy.gbr", STORE_WRITE);
    struct run_record run = fixture_run(1);
    struct fact facts[] = {{"host", "box"}, {"cpus", "2"}};
    run.facts = facts;
    run.n_facts = 2;
    int64_t run_id = 0;
    ck_assert_int_eq(store_run_begin(store, &run, &run_id, NULL), GB_OK);
    struct fixture_case c;
    fixture_case(&c, 0, 1, 1000);
    for (int i = 0; i < FIXTURE_SAMPLES; i++)
        c.wall[i] = 1000 + 40 * i;
    c.record.interference = (struct interference_record){.is_known = true, .sampled_ns = 1e9};
    change(&c);
    fixture_store(store, run_id, &c);
    fixture_end_run(store, run_id);
    fixture_close(store);
}

static void change_nothing(struct fixture_case *c)
{
    (void)c;
}

static void move_clock(struct fixture_case *c)
{
    c->record.pace.clock_low_hz = 1.2e9;
    c->record.pace.clock_high_hz = 2.4e9;
}

static void take_processor(struct fixture_case *c)
{
    c->record.interference.n_preempted = 3;
    c->record.interference.waited_cpu_ns = 2e7;
}

static void steal(struct fixture_case *c)
{
    take_processor(c); /* which follows from it */
    c->record.interference.stolen_ns = 1e8;
}

static void compute_elsewhere(struct fixture_case *c)
{
    c->record.interference.others_cpu_ns = 1e9;
}

static void compute_beside_a_gpu(struct fixture_case *c)
{
    compute_elsewhere(c);
    c->record.clock = "kernel";
    c->columns[0].name = "kernel";
}

static void have_modes(struct fixture_case *c)
{
    c->record.estimate.n_modes = 2;
    c->record.estimate.modes[0] = (struct gb_mode){1000, 990, 1010, 0.5};
    c->record.estimate.modes[1] = (struct gb_mode){1700, 1690, 1710, 0.5};
}

static void have_coarse_timer(struct fixture_case *c)
{
    c->record.iterations = 1;
    c->record.tick_ns = 200;
}

static const struct {
    void (*change)(struct fixture_case *c);
    const char *cause;
} causes[] = {
    {change_nothing, "nothing that was recorded explains it; gbrun doctor may"},
    {move_clock, "the clock moved between 1.20 GHz and 2.40 GHz"},
    {take_processor,
     "a processor was taken from its threads 3 times, and they waited 20.0 ms for one"},
    {steal, "other guests of the host took 5.00 % of the processors"},
    {compute_elsewhere, "other processes had 50.0 % of the processors"},
    {compute_beside_a_gpu, "nothing that was recorded explains it; gbrun doctor may"},
    {have_modes, "its times have 2 modes"},
    {have_coarse_timer, "the timer's resolution, 200 ns of an iteration"},
};

TEST_FIXTURE(setup, teardown)

TEST_EACH(noise_has_a_likely_cause, causes)
{
    CLEANUP(text_free) struct text got = {0}, expected = {0};
    make_noisy(causes[_i].change);
    show("noisy.gbr", &(struct view_options){0}, &got);
    text_printf(&expected,
                "\n  noise, and its likely cause:\n    streams streams=1: the middle half of the "
                "samples spans 27.5 %% of the median: %s\n",
                causes[_i].cause);
    ck_assert_msg(strstr(text_get(&got), text_get(&expected)) != NULL, "%s", text_get(&got));
}

TEST(what_others_do_is_not_said_where_that_is_ignored)
{
    CLEANUP(text_free) struct text got = {0};
    setenv("GBRUN_IGNORE_LOAD", "1", 1);
    make_noisy(steal);
    show("noisy.gbr", &(struct view_options){0}, &got);
    ck_assert_msg(strstr(text_get(&got), ": nothing that was recorded") != NULL, "%s",
                  text_get(&got));
}

/* ---- the sentence at the end ---- */

enum { ROUNDS = 6 };

/* Rounds of cases of one axis of words and perhaps a second of numbers: times of value i, size j.
 */
struct variants {
    const char *const *values;
    unsigned n, n_sizes, n_rounds;
    double (*time_ns)(unsigned value, unsigned size, unsigned round);
    const char *bench; /* of the second value; NULL: as the first, and the axis tells them apart */
    bool is_number;    /* the values are numbers */
    double work;       /* that each further value has more, as a share */
};

static void make_variants(const struct variants *variants)
{
    struct store *store = fixture_open("variants.gbr", STORE_WRITE);
    int64_t run_id = fixture_begin_run(store, 1);
    unsigned number = 0;
    for (unsigned round = 0; round < variants->n_rounds; round++)
        for (unsigned i = 0; i < variants->n * variants->n_sizes; i++, number++) {
            const unsigned value = i / variants->n_sizes, size = i % variants->n_sizes;
            struct fixture_case c;
            fixture_case(&c, number, 1, variants->time_ns(value, size, round));
            c.bench_case.n_parameters = 0;
            if (variants->is_number)
                fixture_add(&c, fixture_integer(&c, "streams", 1 << value, true));
            else if (!variants->bench)
                fixture_add(&c, fixture_words("schedule", variants->values[value], true));
            else
                c.bench_case.bench = variants->values[value];
            if (variants->n_sizes > 1)
                fixture_add(&c, fixture_integer(&c, "size", 1 << size, true));
            c.record.round = round;
            c.record.tick_ns = 0;
            c.record.work.flops *= 1 + value * variants->work;
            c.bench_case.position = i;
            snprintf(c.record.uid, sizeof c.record.uid, "%032x", i);
            fixture_store(store, run_id, &c);
        }
    fixture_end_run(store, run_id);
    fixture_close(store);
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

static const char *const schedules[] = {"baseline", "pad", "tile"};
static const struct {
    struct variants variants;
    const char *expected; /* NULL: nothing is said */
} sentences[] = {
    {{schedules, 2, 1, ROUNDS, fall, NULL, false, 0},
     "\npad is 2.0000 [1.9967, 2.0032] times as fast as baseline\n"},
    {{schedules, 3, 1, ROUNDS, fall, NULL, false, 0}, "\ntile is the fastest: 9.9"},
    {{schedules, 3, 1, ROUNDS, fall, NULL, false, 0}, " times as fast as pad\n"},
    {{schedules, 3, 1, ROUNDS, rise, NULL, false, 0}, "\nbaseline is the fastest: 4.9"},
    {{schedules, 3, 1, ROUNDS, tie, NULL, false, 0}, NULL},
    {{schedules, 2, 3, ROUNDS, fall, NULL, false, 0},
     " times as fast as baseline (geometric mean of 3 cases)\n"},
    {{schedules, 2, 2, ROUNDS, cross, NULL, false, 0}, NULL},
    {{schedules, 2, 1, ROUNDS, wander, NULL, false, 0}, NULL},
    {{schedules, 2, 1, 1, fall, NULL, false, 0}, " times as fast as baseline, in one round\n"},
    {{schedules, 2, 1, ROUNDS, fall, "bench", false, 0},
     "\npad is 2.0000 [1.9967, 2.0032] times as fast as baseline\n"},
    {{schedules, 2, 1, ROUNDS, fall, "bench", false, 0.5}, NULL},
    {{schedules, 3, 1, ROUNDS, fall, NULL, true, 0}, "\nstreams=4 is the fastest: "},
    {{schedules, 3, 1, ROUNDS, fall, NULL, true, 1}, NULL}, /* of sizes nothing is to be said */
};

TEST_EACH(what_is_fastest_is_said_where_it_is_certain, sentences)
{
    CLEANUP(text_free) struct text got = {0};
    make_variants(&sentences[_i].variants);
    show("variants.gbr", &(struct view_options){0}, &got);
    const char *expected = sentences[_i].expected;
    ck_assert_msg(expected ? strstr(text_get(&got), expected) != NULL
                           : strstr(text_get(&got), " times as fast as ") == NULL,
                  "%s", text_get(&got));
}

TEST(of_chosen_cases_nothing_is_said)
{
    CLEANUP(text_free) struct text got = {0};
    make_variants(&sentences[0].variants);
    show("variants.gbr", &(struct view_options){.where = "schedule <> 'tile'"}, &got);
    ck_assert_msg(strstr(text_get(&got), " times as fast as ") == NULL, "%s", text_get(&got));
}

/* ---- colours and widths ---- */

/* Without the sequences both are the same. */
TEST(colours_only_repeat_what_words_say)
{
    CLEANUP(text_free) struct text plain = {0}, coloured = {0}, stripped = {0};
    static const char *const expected[] = {
        "\033[31mcrashed\033[0m\n", "\033[31mwrong result\033[0m\n",
        "\033[2mskipped\033[0m\n",  "\033[32mok\033[0m",
        "\033[33m333.3 us?\033[0m", "\033[33m166.7 us*\033[0m",
        "\033[31mfailures\033[0m",  "\033[31mFAIL\033[0m"};
    views_make_file("fates.gbr");
    show("fates.gbr", &(struct view_options){0}, &plain);
    show("fates.gbr", &(struct view_options){.has_colours = true}, &coloured);
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
        ck_assert_msg(strstr(text_get(&coloured), expected[i]) != NULL, "%s in\n%s", expected[i],
                      text_get(&coloured));
    for (const char *at = text_get(&coloured); *at; at++)
        if (*at == '\033')
            at += strcspn(at, "m");
        else
            text_add_n(&stripped, at, 1);
    ck_assert_str_eq(text_get(&stripped), text_get(&plain));
}

TEST_TIMES(rows_fit_and_rates_stay, 4)
{
    static const size_t widths[] = {60, 80, 100, 200};
    const size_t width = widths[_i];
    CLEANUP(text_free) struct text got = {0};
    char *save = NULL;
    views_make_file("fates.gbr");
    show("fates.gbr", &(struct view_options){.width = width, .has_colours = true}, &got);
    ck_assert_msg(width < 80 || strstr(text_get(&got), "  GFLOP/s  ") != NULL, "%s",
                  text_get(&got));
    ck_assert_msg(width < 80 || strstr(text_get(&got), "  threads  ") != NULL, "%s",
                  text_get(&got));
    for (char *line = strtok_r(got.data, "\n", &save); line; line = strtok_r(NULL, "\n", &save))
        ck_assert_msg(text_columns(line) <= width, "%s", line);
}

/* Of the machine's line only the name is cut, down to some letters. */
TEST(the_machine_is_one_line)
{
    CLEANUP(text_free) struct text got = {0};
    make_variants(&sentences[0].variants);
    show("variants.gbr", &(struct view_options){.is_fresh = true, .width = 72}, &got);
    ck_assert_msg(text_starts_with(text_get(&got),
                                   "cpu  Example\u2026PU 9000  (wall clock: resolution 20.0 ns, "
                                   "overhead 24.0 ns)\n\nbench"),
                  "%s", text_get(&got));
}

/* Of what is measured 0.9 and 2 %. */
static void add_little_overhead(struct fixture_case *c)
{
    c->metrics[0] = (struct metric_record){"call_overhead_ns", 0.009 * c->wall[10], "ns"};
    c->record.n_metrics = 1;
}

static void add_overhead(struct fixture_case *c)
{
    c->metrics[0] = (struct metric_record){"call_overhead_ns", 0.02 * c->wall[10], "ns"};
    c->record.n_metrics = 1;
}

TEST(what_a_call_costs_is_said_where_it_matters)
{
    CLEANUP(text_free) struct text little = {0}, much = {0};
    const char *heading = "the time includes that of calling the function";
    make_noisy(add_little_overhead);
    show("noisy.gbr", &(struct view_options){0}, &little);
    ck_assert_msg(!strstr(text_get(&little), heading), "%s", text_get(&little));
    fixture_end();
    setup();
    make_noisy(add_overhead);
    show("noisy.gbr", &(struct view_options){0}, &much);
    ck_assert_msg(strstr(text_get(&much), heading) != NULL, "%s", text_get(&much));
    ck_assert_msg(strstr(text_get(&much), "streams streams=1: 28.0 ns of 1.38 us") != NULL, "%s",
                  text_get(&much));
}
