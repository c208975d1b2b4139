/* test_policy_run.c - looks at exactly the sample asked for, in batches of any size; guards; lying
 * policies. */
#include "core/run/policy_run.h"
#include "tests/check_main.h"

/* A policy whose answers are a script, and which writes down when it was asked. */
enum { ASKED_MAX = 64 };

struct script {
    struct gb_next answers[8];
    size_t n_answers, n_asked;
    uint64_t seen;
    uint64_t asked_at[ASKED_MAX];
    int32_t observe_status;
    struct gb_estimate estimate;
    const struct gb_host *host;
};

static int32_t script_create(const struct gb_host *host, const void *params, void **ret_policy)
{
    struct script *script;
    memcpy(&script, params, sizeof script);
    script->host = host;
    *ret_policy = script;
    return GB_OK;
}

static int32_t script_observe(void *policy, const struct gb_samples *samples)
{
    struct script *script = policy;
    for (uint64_t i = 0; i < samples->n; i++) {
        uint64_t number = script->seen + i;
        ck_assert_double_eq(samples->time_ns[i], (double)number);
        ck_assert_double_eq(samples->elapsed_ns[i], 1e6 * (double)(number + 1));
        ck_assert_uint_eq(samples->iterations[i], number + 1);
        ck_assert_double_eq(samples->clock_hz[i], 1e9 + (double)number);
        ck_assert_uint_eq(samples->throttle[i], number % 5);
        ck_assert_uint_eq(samples->flags[i], number % 3);
    }
    script->seen += samples->n;
    return script->observe_status ? (script->host->fail)(script->host, "no patience") : GB_OK;
}

static int32_t script_next(void *policy, struct gb_next *next)
{
    struct script *script = policy;
    size_t i = script->n_asked < script->n_answers ? script->n_asked : script->n_answers - 1;
    if (script->n_asked < ASKED_MAX)
        script->asked_at[script->n_asked] = script->seen;
    script->n_asked++;
    uint32_t size = next->size;
    *next = script->answers[i];
    next->size = size;
    return GB_OK;
}

static int32_t script_report(void *policy, struct gb_estimate *estimate)
{
    struct script *script = policy;
    uint32_t size = estimate->size;
    *estimate = script->estimate;
    estimate->size = size;
    return GB_OK;
}

static void script_destroy(void *policy)
{
}

/* Two policies; of the second one its user gives the number. */
#define SCRIPT_OPS(flags)                                                                          \
    &(const struct gb_policy_ops)                                                                  \
    {                                                                                              \
        sizeof(struct gb_policy_ops), flags, script_create, script_observe, script_next,           \
            script_report, script_destroy                                                          \
    }
static const struct gb_plugin script_plugin = {
    .size = sizeof script_plugin, .kind = GB_PLUGIN_POLICY, .id = "script", .ops = SCRIPT_OPS(0)};
static const struct gb_plugin counting_plugin = {sizeof counting_plugin, .kind = GB_PLUGIN_POLICY,
                                                 .id = "counting",
                                                 .ops = SCRIPT_OPS(GB_POLICY_COUNTS)};

static unsigned n_logged;

static void count_log(void *context, uint32_t type, const void *record)
{
    n_logged += type == WIRE_LOG;
}

static const struct host_sink sink = {.take = count_log};

enum { SAMPLES = 2000 };

/* Of samples 0, 1, 2 ... of 1 ms each those from `first` on; no column has one's values for
 * another.
 */
static struct gb_samples samples_from(uint64_t first, uint64_t n)
{
    static double times[SAMPLES], elapsed[SAMPLES], clock_hz[SAMPLES];
    static uint64_t iterations[SAMPLES], throttle[SAMPLES];
    static uint32_t flags[SAMPLES];
    for (size_t i = 0; i < SAMPLES; i++) {
        times[i] = (double)i;
        elapsed[i] = 1e6 * (double)(i + 1);
        iterations[i] = i + 1;
        clock_hz[i] = 1e9 + (double)i;
        throttle[i] = i % 5;
        flags[i] = (uint32_t)(i % 3);
    }
    return (struct gb_samples){sizeof(struct gb_samples),        .n = n,
                               .time_ns = times + first,         .elapsed_ns = elapsed + first,
                               .iterations = iterations + first, .clock_hz = clock_hz + first,
                               .throttle = throttle + first,     .flags = flags + first};
}

/* Of each test: the script that was begun last. */
static struct script script;
static struct policy_run *run;
static struct host *host;
static struct gb_error error;

static void stop(void)
{
    policy_run_free(run);
    host_free(host);
    run = NULL;
    host = NULL;
}

static void begin(const struct gb_plugin *plugin, struct guards guards)
{
    struct script *params = &script;
    stop();
    host = host_new(0, &sink, NULL, NULL);
    ck_assert_int_eq(policy_run_new(plugin, &params, host, &guards, &run, &error), GB_OK);
}

/* Runs the script over the samples, `batch` at a time, until it ends or there are none left. */
static void play(const struct gb_plugin *plugin, struct guards guards, uint64_t batch)
{
    begin(plugin, guards);
    for (uint64_t at = 0; at < SAMPLES && !run->ended;) {
        uint64_t n = SAMPLES - at < batch ? SAMPLES - at : batch, taken = 0;
        struct gb_samples samples = samples_from(at, n);
        if (policy_run_feed(run, &samples, &taken, &error) != GB_OK)
            break;
        at += taken;
        ck_assert(taken == n || run->ended);
    }
}

TEST_FIXTURE(NULL, stop)

/* Answers: after so many samples, or so much time; or it is enough. */
#define ANSWER(what, count, ns, why)                                                               \
    {                                                                                              \
        .decision = what, .n_samples = count, .elapsed_ns = ns, .reason = why                      \
    }
#define MORE(count, ns) ANSWER(GB_MORE, count, ns, "")
#define UNSURE ANSWER(GB_MORE, 0, 0, "?")
#define DONE(why) ANSWER(GB_DONE, 0, 0, why)
static const struct guards loose = {1, 1000000, 1e18, 0};
static const uint64_t batches[] = {1, 2, 7, 64, 1000, 2000};

TEST_EACH(looks_where_asked, batches)
{
    script = (struct script){.answers = {MORE(10, 0), MORE(13, 0), MORE(0, 100e6), MORE(50, 102e6),
                                         MORE(110, 1e6), MORE(0, 0), DONE("enough")},
                             .n_answers = 7};
    static const uint64_t expected[] = {0, 10, 13, 100, 102, 110, 111};
    play(&script_plugin, loose, batches[_i]);
    ck_assert_uint_eq(script.n_asked, 7);
    ck_assert_mem_eq(script.asked_at, expected, sizeof expected);
    ck_assert(run->ended);
    ck_assert_uint_eq(run->count, 111);
    ck_assert_str_eq(run->reason, "enough");
}

/* A guard that nobody gave gives way to a number that somebody gave, the policy's or the other
 * guard's. */
TEST_EACH(guards_hold, batches)
{
    static const struct {
        const struct gb_plugin *plugin;
        struct guards guards;
        struct gb_next answer;
        uint64_t count;
        const char *reason; /* NULL: any */
    } rows[] = {
        {&script_plugin, {10, 1000, 1e18, 0}, DONE("at once"), 10, "at once"},
        {&script_plugin, {1, 77, 1e18, 0}, MORE(1u << 31, 0), 77, "max_samples 77"},
        {&script_plugin, {1, 1000, 25.5e6, 0}, MORE(0, 0), 26, "max_time 25.5 ms"},
        {&script_plugin, {100, 1000, 5e6, 0}, DONE("x"), 5, "max_time 5.00 ms"},
        {&script_plugin, {100, 1000, 5e6, 50e6}, DONE(""), 50, "max_time_undecided 50.0 ms"},
        {&script_plugin, {20, 1000, 5e6, 50e6}, DONE("x"), 20, "x"},
        {&script_plugin, {10, 1000, 5e6, 50e6}, MORE(0, 0), 10, "max_time 5.00 ms"},
        {&script_plugin, {1, 1000, 5e6, 50e6}, UNSURE, 50, "max_time_undecided 50.0 ms"},
        {&script_plugin, {1, 1000, 50e6, 5e6}, UNSURE, 50, "max_time 50.0 ms"},
        {&script_plugin, {3, 1000, 1e18, 0}, ANSWER(77, 0, 0, "what"), 3, "what"},
        {&script_plugin, {1, 1000, 1e18, 0}, MORE(UINT64_MAX, 0), 1000, "max_samples 1000"},
        {&script_plugin, {1, 1000, 1e18, 0}, MORE(0, NAN), 1000, "max_samples 1000"},
        {&script_plugin, {0, 0, 1e18, 0}, DONE(""), 10, NULL},
        {&script_plugin, {0, 5, 1e18, 0}, DONE(""), 5, NULL},
        {&script_plugin, {0, 500, 1e18, 0}, DONE(""), 10, NULL},
        {&script_plugin, {12, 0, 1e18, 0}, DONE(""), 12, NULL},
        {&counting_plugin, {0, 0, 1e18, 0}, DONE(""), 1, NULL},
        {&counting_plugin, {12, 0, 1e18, 0}, DONE(""), 12, NULL},
        {&counting_plugin, {0, 5, 1e18, 0}, MORE(8, 0), 5, NULL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        script = (struct script){.answers = {rows[i].answer}, .n_answers = 1};
        play(rows[i].plugin, rows[i].guards, batches[_i]);
        ck_assert_msg(run->count == rows[i].count, "row %zu: %llu samples", i,
                      (unsigned long long)run->count);
        if (rows[i].reason)
            ck_assert_str_eq(run->reason, rows[i].reason);
    }
}

/* Of the most samples that a policy may have, and of what it has asked for, what is missing. */
TEST(wanted_is_what_is_missing)
{
    static const struct {
        const struct gb_plugin *plugin;
        uint64_t min_samples, max_samples;
        struct gb_next answer;
        double sample_ns;
        uint64_t wanted;
    } rows[] = {
        {&script_plugin, 0, 0, MORE(3000000, 0), 1e6, 1000000},
        {&script_plugin, 2000000, 0, MORE(3000000, 0), 1e6, 2000000},
        {&counting_plugin, 0, 0, MORE(3000000, 0), 1e6, 3000000},
        {&script_plugin, 1, 1000000, MORE(40, 0), 1e6, 40},
        {&script_plugin, 1, 1000000, MORE(0, 1e9), 1e6, 1000},
        {&script_plugin, 1, 1000000, MORE(0, 1e9), 0, 1},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        script = (struct script){.answers = {rows[i].answer}, .n_answers = 1};
        begin(rows[i].plugin, (struct guards){rows[i].min_samples, rows[i].max_samples, 1e18, 0});
        ck_assert_uint_eq(policy_run_wanted(run, rows[i].sample_ns), rows[i].wanted);
    }
}

/* An eighth of what there is, however few samples the policy asks for: more would be measured in
 * vain, fewer would cost a synchronization for each. */
TEST(an_eighth_is_measured_ahead)
{
    static const struct {
        uint64_t count, max_samples, wanted;
    } rows[] = {{7, 1000000, 1}, {80, 1000000, 10}, {800, 1000000, 100}, {800, 850, 50}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct gb_next more = MORE(rows[i].count, 0);
        struct gb_samples samples = samples_from(0, rows[i].count);
        uint64_t taken;
        script = (struct script){.answers = {more, more}, .n_answers = 2};
        begin(&script_plugin, (struct guards){1, rows[i].max_samples, 1e18, 0});
        ck_assert_int_eq(policy_run_feed(run, &samples, &taken, &error), GB_OK);
        ck_assert_uint_eq(run->count, rows[i].count);
        ck_assert_uint_eq(policy_run_wanted(run, 1e6), rows[i].wanted);
    }
}

TEST(reports_are_made_sound)
{
    static const struct {
        int32_t given;
        uint32_t n_modes;
        double low_ns, high_ns;
        int32_t verdict;
        bool has_interval;
        unsigned n_logged;
    } rows[] = {
        {GB_VERDICT_CERTIFIED, 0, 1, 2, GB_VERDICT_CERTIFIED, true, 0},
        {99, 0, 1, 2, GB_VERDICT_GAVE_UP, false, 1},
        {GB_VERDICT_NONE, 0, 3, 2, GB_VERDICT_NONE, false, 1},
        {GB_VERDICT_NONE, 1000, 1, 2, GB_VERDICT_NONE, false, 1},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct gb_estimate estimate;
        script = (struct script){.answers = {DONE("")},
                                 .n_answers = 1,
                                 .estimate = {.verdict = rows[i].given,
                                              .n_modes = rows[i].n_modes,
                                              .low_ns = rows[i].low_ns,
                                              .high_ns = rows[i].high_ns}};
        memset(script.estimate.statistic, 'x', sizeof script.estimate.statistic);
        n_logged = 0;
        play(&script_plugin, loose, 10);
        ck_assert_int_eq(policy_run_report(run, &estimate, &error), GB_OK);
        ck_assert_int_eq(estimate.verdict, rows[i].verdict);
        ck_assert_int_eq(!isnan(estimate.low_ns), rows[i].has_interval);
        ck_assert_uint_eq(n_logged, rows[i].n_logged);
        ck_assert_uint_lt(strlen(estimate.statistic), sizeof estimate.statistic);
        ck_assert_uint_eq(estimate.n, run->count);
    }
}

TEST(a_failing_policy_is_quoted)
{
    script = (struct script){.answers = {MORE(0, 0)}, .n_answers = 1, .observe_status = 1};
    play(&script_plugin, loose, 10);
    ck_assert_str_eq(error.text, "policy: no patience");
}
