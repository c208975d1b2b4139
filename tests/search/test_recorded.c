/* test_recorded.c - core/search/recorded.c and simulation.c: files of other tools as spaces, and
 * the time that a search would have taken on them. */
#include "core/search/simulation.h"
#include "tests/check_main.h"
#include "tests/fake_host.h"

#include <math.h>
#include <string.h>

#define T4_CASE(x, y, compile, runs, invalidity)                                                   \
    "{\"configuration\": {\"x\": " x ", \"y\": \"" y "\"}, \"times\": {\"compilation\": " compile  \
    ", \"runtimes\": [" runs "]}, \"invalidity\": \"" invalidity "\", \"measurements\": []}"

static const char t4[] =
    "{\"results\": [" T4_CASE("32", "a", "10", "9, 2, 4", "correct") ", " T4_CASE(
        "4", "a", "20", "5, 1, 1",
        "correct") ", " T4_CASE("4", "b", "5", "",
                                "compile") ", " T4_CASE("32", "b", "5", "7",
                                                        "correctness") "], \"metadata\": "
                                                                       "{\"timeunit\": "
                                                                       "\"miliseconds\"}}";

#define CACHE_HEAD "{\"device_name\": \"g\", \"tune_params_keys\": [\"x\", \"y\"], \"cache\": {\n"
#define CACHE_FIRST                                                                                \
    "\"4,a\": {\"x\": 4, \"y\": \"a\", \"time\": 2.0, \"times\": [3.0, 2.0, 2.0], "                \
    "\"compile_time\": 50.0, \"GFLOP/s\": 1}"
#define CACHE_SECOND                                                                               \
    ",\n\"8,a\": {\"x\": 8, \"y\": \"a\", \"time\": \"RuntimeFailedConfig\", "                     \
    "\"times\": [], \"compile_time\": 60}"
#define CACHE_THIRD ",\n\"2,a\": {\"x\": 2, \"y\": \"a\", \"__error__\": \"InvalidConfig\"}"
#define CACHE_FOURTH ",\n\"1,a\": {\"x\": 1, \"y\": \"a\", \"time\": 7.0}"

static void read_text(const char *json, struct recording *ret)
{
    struct gb_error error;
    int32_t status = recorded_read("a.json", json, strlen(json), ret, &error);
    ck_assert_msg(status == GB_OK, "%s", error.text);
}

TEST(t4_is_a_space_with_runs_and_statuses)
{
    struct recording recording;
    static const int32_t statuses[] = {GB_OBSERVED_OK, GB_OBSERVED_OK, GB_OBSERVED_FAILED,
                                       GB_OBSERVED_WRONG};
    read_text(t4, &recording);
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
    recorded_free(&recording);
}

static void check_cache(const struct recording *recording, uint64_t n)
{
    static const int32_t statuses[] = {GB_OBSERVED_OK, GB_OBSERVED_FAILED, GB_OBSERVED_SKIPPED,
                                       GB_OBSERVED_OK};
    ck_assert_uint_eq(recording->n_cases, n);
    for (uint64_t i = 0; i < n; i++)
        ck_assert_int_eq(recording->cases[i].status, statuses[i]);
    ck_assert_double_eq(recorded_median(recording, 0), 2e6);
    ck_assert_double_eq(recording->cases[0].prepare_ns, 50e6);
}

TEST(a_cache_is_read_as_far_as_it_goes)
{
    struct recording recording;
    read_text(CACHE_HEAD CACHE_FIRST CACHE_SECOND CACHE_THIRD CACHE_FOURTH "}}", &recording);
    check_cache(&recording, 4);
    ck_assert_double_eq(recorded_median(&recording, 3), 7e6);
    recorded_free(&recording);
    read_text(CACHE_HEAD CACHE_FIRST CACHE_SECOND ",", &recording);
    check_cache(&recording, 2);
    recorded_free(&recording);
    read_text(CACHE_HEAD CACHE_FIRST CACHE_SECOND CACHE_THIRD
              ",\n\"1,a\": {\"x\": 1, \"times\": [1,",
              &recording);
    check_cache(&recording, 3);
    ck_assert_uint_eq(recording.n_runs, 3);
    recorded_free(&recording);
}

static const struct {
    const char *json, *text;
} refused[] = {
    {"[]", "'the file' is not an object"},
    {"{\"a\": 1}",
     "the file has no cases: expected a space as T4 (with 'results') or Kernel Tuner's "
     "cache (with 'cache')"},
    {"{\"results\": [{\"configuration\": {}}]}", "the case has no parameters"},
    {"{\"results\": [" T4_CASE("1", "a", "1", "1", "odd") "]}",
     "'odd' is an unknown invalidity; expected 'correct', 'compile', ..."},
    {"{\"results\": [" T4_CASE("1", "a", "1", "-1", "correct") "]}",
     "'runtimes' holds what is not a positive number"},
    {"{\"results\": [" T4_CASE("[]", "a", "1", "1", "correct") "]}",
     "the parameter 'x' is not a number or a text"},
    {"{\"results\": [" T4_CASE("1", "a", "1", "1", "correct") ", {\"configuration\": {\"x\": 2}}]}",
     "the case has no parameter 'y'"},
    {"{\"results\": [" T4_CASE("1", "a", "1", "1", "correct") ", {\"configuration\": {\"z\": 2}}]}",
     "the parameter 'z' is missing in earlier cases"},
    {"{\"results\": [" T4_CASE("1", "a", "1", "1", "correct") ", " T4_CASE("1", "a", "1", "1",
                                                                           "correct") "]}",
     "cases 0 and 1 of the space are the same: x=1 y=a"},
    {"{\"metadata\": {\"timeunit\": \"weeks\"}}",
     "'weeks' is an unknown unit of time; expected 'ns', 'nanoseconds', ..."},
    {"{\"results\": [", "the file ends early: expected a value"},
    {"{\"cache\": {}}", "'cache' without 'tune_params_keys' before it"},
    {CACHE_HEAD, "the file ends early: expected a name in quotes"},
    {CACHE_HEAD "\"4\": {\"x\": 4, \"y\": 1, \"time\": true}}}",
     "'time' is not a number or the name of a failure"},
};

TEST_EACH(what_is_no_space_is_refused, refused)
{
    struct recording recording;
    struct gb_error error;
    const char *json = refused[_i].json;
    ck_assert_int_eq(recorded_read("a.json", json, strlen(json), &recording, &error), GB_INVALID);
    ck_assert_str_eq(error.text, refused[_i].text);
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
    struct gb_error error;
    ck_assert_int_eq(engine_observe(context, observation, &error), GB_OK);
}

static void simulate(const char *folder, const char *id, uint32_t lanes,
                     struct simulation *simulation, struct simulated *ret)
{
    struct gb_error error;
    struct fake_host *host = fake_host_new();
    const struct gb_plugin *plugin = fake_plugin(folder, GB_PLUGIN_SEARCH, id);
    void *params = fake_params_new(plugin);
    simulation->limits.tolerance = 0.01;
    simulation->limits.confidence = 0.95;
    simulation->limits.lanes = lanes;
    simulation->overhead_ns = 1e6;
    ck_assert_int_eq(simulation_prepare(simulation, "a.json", &error), GB_OK);
    struct engine *engine;
    ck_assert_int_eq(engine_new(plugin->ops, params, &host->host, simulation->recording->space,
                                &simulation->limits, &engine, &error),
                     GB_OK);
    const struct simulated_search search = {.context = engine, .next = next, .observe = observe};
    simulation_run(simulation, &search, 1, ret);
    engine_free(engine);
    fake_params_free(plugin, params);
    fake_host_free(host);
}

/* Compiling 10, 20, 5, 5 ms; warm-up and runs 9 + 2 + 4 and 5 + 1 + 1 ms, and 1 ms for each. */
static const struct {
    uint32_t lanes;
    double brute_ms, found_ms;
} timings[] = {{1, 68, 58}, {4, 38, 38}};

TEST_EACH(time_goes_by_as_recorded, timings)
{
    struct recording recording;
    struct simulated result;
    read_text(t4, &recording);
    struct simulation simulation = {.recording = &recording};
    simulate("search_exhaustive", "exhaustive", timings[_i].lanes, &simulation, &result);
    ck_assert_double_eq(simulation.optimum, 1e6);
    ck_assert_double_eq_tol(simulation.brute_ns, timings[_i].brute_ms * 1e6, 1);
    ck_assert_double_eq_tol(result.found_ns, timings[_i].found_ms * 1e6, 1);
    ck_assert_double_eq_tol(result.end_ns, timings[_i].brute_ms * 1e6, 1);
    ck_assert_uint_eq(result.n_cases, 4);
    ck_assert_uint_eq(result.n_runs, 6);
    ck_assert(!result.is_false);
    simulation_free(&simulation);
    recorded_free(&recording);
}

/* Visits case 0 twice. */
static bool next_of_two(void *context, struct engine_step *ret_step,
                        struct engine_report *ret_report)
{
    uint32_t *n = context;
    (void)ret_report;
    *ret_step = (struct engine_step){.action = *n % 2 ? ENGINE_WAIT : ENGINE_MEASURE,
                                     .visit = *n / 2};
    return (*n)++ < 4;
}

static void observe_nothing(void *context, const struct gb_observation *observation)
{
    (void)context;
    (void)observation;
}

/* 10 ms, then twice 9 + 2 + 4 ms and 1 ms for each run. */
TEST(a_case_is_compiled_once)
{
    struct recording recording;
    struct simulated result;
    struct gb_error error;
    uint32_t n = 0;
    read_text(t4, &recording);
    struct simulation simulation = {.recording = &recording, .limits.lanes = 1, .overhead_ns = 1e6};
    ck_assert_int_eq(simulation_prepare(&simulation, "a.json", &error), GB_OK);
    const struct simulated_search search = {&n, next_of_two, observe_nothing};
    simulation_run(&simulation, &search, 1, &result);
    ck_assert_double_eq_tol(result.end_ns, 46e6, 1);
    ck_assert_uint_eq(result.n_cases, 1);
    simulation_free(&simulation);
    recorded_free(&recording);
}

TEST(a_space_without_times_has_no_optimum)
{
    struct recording recording;
    struct gb_error error;
    read_text("{\"results\": [" T4_CASE("1", "a", "1", "", "compile") "]}", &recording);
    struct simulation simulation = {.recording = &recording, .limits.lanes = 1};
    ck_assert_int_eq(simulation_prepare(&simulation, "a.json", &error), GB_INVALID);
    ck_assert_str_eq(error.text, "a.json: no case of the space has a time");
    simulation_free(&simulation);
    recorded_free(&recording);
}
