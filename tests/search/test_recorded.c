/* test_recorded.c - core/search/recorded.c and simulation.c: files of other tools as spaces, and
 * the time that a search would have taken on them. */
#include "core/search/simulation.h"
#include "tests/check_main.h"
#include "tests/fake_host.h"

/* In all texts ' stands for ". */
#define T4_CASE(x, y, compile, runs, invalidity)                                                   \
    "{'configuration': {'x': " x ", 'y': '" y "'}, 'times': {'compilation': " compile              \
    ", 'runtimes': [" runs "]}, 'invalidity': '" invalidity "', 'measurements': []}"
#define T4_FIRST T4_CASE("1", "a", "1", "1", "correct")

static const char t4[] =
    "{'results': [" T4_CASE("32", "a", "10", "9, 2, 4", "correct") ", " T4_CASE(
        "4", "a", "20", "5, 1, 1",
        "correct") ", " T4_CASE("4", "b", "5", "",
                                "compile") ", " T4_CASE("32", "b", "5", "7",
                                                        "correctness") "], 'metadata': "
                                                                       "{'timeunit': "
                                                                       "'miliseconds'}}";

#define CACHE_HEAD "{'device_name': 'g', 'tune_params_keys': ['x', 'y'], 'cache': {\n"
#define CACHE_TWO                                                                                  \
    CACHE_HEAD "'4,a': {'x': 4, 'y': 'a', 'time': 2.0, 'times': [3.0, 2.0, 2.0], "                 \
               "'compile_time': 50.0, 'GFLOP/s': 1},\n'8,a': {'x': 8, 'y': 'a', "                  \
               "'time': 'RuntimeFailedConfig', 'times': [], 'compile_time': 60},\n"
#define CACHE_THREE CACHE_TWO "'2,a': {'x': 2, 'y': 'a', '__error__': 'InvalidConfig'},\n"

static struct recording recording;
static struct simulation simulation;
static struct simulated result;
static struct gb_error error;

static int32_t read_text(const char *text)
{
    static char json[2048];
    size_t n = strlen(text);
    ck_assert_uint_lt(n, sizeof json);
    for (size_t i = 0; i <= n; i++)
        json[i] = (char)(text[i] == '\'' ? '"' : text[i]);
    return recorded_read("a.json", json, n, &recording, &error);
}

static void begin(const char *text)
{
    recorded_free(&recording);
    ck_assert_msg(read_text(text) == GB_OK, "%s", error.text);
    simulation = (struct simulation){.recording = &recording,
                                     .limits = {.tolerance = 0.01, .confidence = 0.95, .lanes = 1},
                                     .overhead_ns = 1e6};
}

static void end(void)
{
    simulation_free(&simulation);
    recorded_free(&recording);
}

static void set_up(void)
{
    recording = (struct recording){0};
    simulation = (struct simulation){0};
}

TEST_FIXTURE(set_up, end)

TEST(t4_is_a_space_with_runs_and_statuses)
{
    static const int32_t statuses[] = {GB_OBSERVED_OK, GB_OBSERVED_OK, GB_OBSERVED_FAILED,
                                       GB_OBSERVED_WRONG};
    begin(t4);
    ck_assert_uint_eq(recording.n_cases, 4);
    ck_assert_uint_eq(space_size(recording.space), 4);
    ck_assert_uint_eq(space_axes(recording.space), 2);
    ck_assert_str_eq(space_axis_list(recording.space)[0]->texts[0], "4");
    ck_assert_int_eq(space_axis_list(recording.space)[1]->kind, GB_AXIS_WORDS);
    for (size_t i = 0; i < 4; i++)
        ck_assert_int_eq(recording.cases[i].status, statuses[i]);
    ck_assert_double_eq(recording.cases[1].prepare_ns, 20e6);
    ck_assert_double_eq(recording.runs[recording.cases[0].first], 9e6);
    ck_assert_double_eq(recorded_median(&recording, 0), 3e6);
    ck_assert(isnan(recorded_median(&recording, 3)));
}

static const struct {
    const char *text;
    uint64_t n_cases, n_runs;
} caches[] = {{CACHE_THREE "'1,a': {'x': 1, 'y': 'a', 'time': 7.0}}}", 4, 4},
              {CACHE_TWO, 2, 3},
              {CACHE_THREE "'1,a': {'x': 1, 'times': [1,", 3, 3}};

TEST_EACH(a_cache_is_read_as_far_as_it_goes, caches)
{
    static const int32_t statuses[] = {GB_OBSERVED_OK, GB_OBSERVED_FAILED, GB_OBSERVED_SKIPPED,
                                       GB_OBSERVED_OK};
    begin(caches[_i].text);
    ck_assert_uint_eq(recording.n_cases, caches[_i].n_cases);
    ck_assert_uint_eq(recording.n_runs, caches[_i].n_runs);
    for (uint64_t i = 0; i < recording.n_cases; i++)
        ck_assert_int_eq(recording.cases[i].status, statuses[i]);
    ck_assert_double_eq(recorded_median(&recording, 0), 2e6);
    ck_assert_double_eq(recording.cases[0].prepare_ns, 50e6);
    if (recording.n_cases == 4)
        ck_assert_double_eq(recorded_median(&recording, 3), 7e6);
}

static const struct {
    const char *json, *text;
} refused[] = {
    {"[]", "'the file' is not an object"},
    {"{'a': 1}", "the file has no cases: expected a space as T4 (with 'results') or Kernel Tuner's "
                 "cache (with 'cache')"},
    {"{'results': [{'configuration': {}}]}", "the case has no parameters"},
    {"{'results': [" T4_CASE("1", "a", "1", "1", "odd") "]}",
     "'odd' is an unknown invalidity; expected 'correct', 'compile', ..."},
    {"{'results': [" T4_CASE("1", "a", "1", "-1", "correct") "]}",
     "'runtimes' has a value that is not a positive number"},
    {"{'results': [" T4_CASE("[]", "a", "1", "1", "correct") "]}",
     "the parameter 'x' is not a number or a text"},
    {"{'results': [" T4_FIRST ", {'configuration': {'x': 2}}]}", "the case has no parameter 'y'"},
    {"{'results': [" T4_FIRST ", {'configuration': {'z': 2}}]}",
     "the parameter 'z' is missing in earlier cases"},
    {"{'results': [" T4_FIRST ", " T4_FIRST "]}",
     "cases 0 and 1 of the space are the same: x=1 y=a"},
    {"{'metadata': {'timeunit': 'weeks'}}",
     "'weeks' is an unknown unit of time; expected 'ns', 'nanoseconds', ..."},
    {"{'results': [", "the file ends early: expected a value"},
    {"{'cache': {}}", "'cache' without 'tune_params_keys' before it"},
    {CACHE_HEAD, "the file ends early: expected a name in quotes"},
    {CACHE_HEAD "'4': {'x': 4, 'y': 1, 'time': true}}}",
     "'time' is not a number or the name of a failure"},
};

TEST_EACH(what_is_no_space_is_refused, refused)
{
    ck_assert_int_eq(read_text(refused[_i].json), GB_INVALID);
    ck_assert_str_eq(error.text, refused[_i].text);
    recording = (struct recording){0}; /* nothing is to be freed */
}

/* An engine in this process. */
static bool next(void *context, struct engine_step *ret_step, struct engine_report *ret_report)
{
    engine_next(context, ret_step);
    if (ret_step->action == ENGINE_END)
        engine_report(context, ret_report);
    return ret_step->action != ENGINE_END;
}

static void observe(void *context, const struct gb_observation *observation)
{
    ck_assert_int_eq(engine_observe(context, observation, &error), GB_OK);
}

/* Compiling 10, 20, 5, 5 ms; warm-up and runs 9 + 2 + 4 and 5 + 1 + 1 ms, and 1 ms for each. */
static const struct {
    uint32_t lanes;
    double brute_ms, found_ms;
} timings[] = {{1, 68, 58}, {4, 38, 38}};

TEST_EACH(time_goes_by_as_recorded, timings)
{
    struct fake_host *host = fake_host_new();
    const struct gb_plugin *plugin = fake_plugin("search_exhaustive", GB_PLUGIN_SEARCH,
                                                 "exhaustive");
    void *params = fake_params_new(plugin);
    struct engine *engine;
    begin(t4);
    simulation.limits.lanes = timings[_i].lanes;
    ck_assert_int_eq(simulation_prepare(&simulation, "a.json", &error), GB_OK);
    ck_assert_int_eq(engine_new(plugin->ops, params, &host->host, recording.space,
                                &simulation.limits, &engine, &error),
                     GB_OK);
    const struct simulated_search search = {.context = engine, .next = next, .observe = observe};
    simulation_run(&simulation, &search, 1, &result);
    ck_assert_double_eq(simulation.optimum, 1e6);
    ck_assert_double_eq_tol(simulation.brute_ns, timings[_i].brute_ms * 1e6, 1);
    ck_assert_double_eq_tol(result.found_ns, timings[_i].found_ms * 1e6, 1);
    ck_assert_double_eq_tol(result.end_ns, timings[_i].brute_ms * 1e6, 1);
    ck_assert_uint_eq(result.n_cases, 4);
    ck_assert_uint_eq(result.n_runs, 6);
    ck_assert(!result.is_false);
    engine_free(engine);
    fake_params_free(plugin, params);
    fake_host_free(host);
}

/* Visits case 0 twice. */
static bool next_of_two(void *context, struct engine_step *ret_step,
                        struct engine_report *ret_report)
{
    uint32_t *n = context;
    *ret_step = (struct engine_step){.action = *n % 2 ? ENGINE_WAIT : ENGINE_MEASURE,
                                     .visit = *n / 2};
    return (*n)++ < 4;
}

static void observe_nothing(void *context, const struct gb_observation *observation)
{
}

/* 10 ms, then twice 9 + 2 + 4 ms and 1 ms for each run. */
TEST(a_case_is_compiled_once)
{
    uint32_t n = 0;
    begin(t4);
    ck_assert_int_eq(simulation_prepare(&simulation, "a.json", &error), GB_OK);
    const struct simulated_search search = {&n, next_of_two, observe_nothing};
    simulation_run(&simulation, &search, 1, &result);
    ck_assert_double_eq_tol(result.end_ns, 46e6, 1);
    ck_assert_uint_eq(result.n_cases, 1);
}

TEST(a_space_without_times_has_no_optimum)
{
    begin("{'results': [" T4_CASE("1", "a", "1", "", "compile") "]}");
    ck_assert_int_eq(simulation_prepare(&simulation, "a.json", &error), GB_INVALID);
    ck_assert_str_eq(error.text, "a.json: no case of the space has a time");
}
