/* test_engine.c - observations in order, guards, searches that break the rules. */
#include "core/search/engine.h"
#include "tests/check_main.h"
#include "tests/fake_host.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* A search whose proposals and claim are a script, and which writes down what it was told. */
enum { STEPS_MAX = 400, CASES = 10 };

static struct script {
    struct gb_proposal steps[STEPS_MAX];
    size_t n_steps, n_asked;
    uint64_t told[STEPS_MAX];
    double told_elapsed[STEPS_MAX];
    size_t n_told;
    int32_t propose_status, observe_status, create_status;
    struct gb_search_claim claim;
    const struct gb_search_space *space;
} script;

static int32_t script_create(const struct gb_host *host, const struct gb_search_space *space,
                             const void *params, void **ret_search)
{
    (void)host;
    (void)params;
    script.space = space;
    *ret_search = &script;
    return script.create_status;
}

static int32_t script_propose(void *search, struct gb_proposal *proposal)
{
    (void)search;
    if (script.n_asked < script.n_steps) {
        const uint32_t size = proposal->size;
        *proposal = script.steps[script.n_asked++];
        proposal->size = size;
    }
    return script.propose_status;
}

static int32_t script_observe(void *search, const struct gb_observation *observation)
{
    (void)search;
    script.told_elapsed[script.n_told] = observation->elapsed_ns;
    script.told[script.n_told++] = observation->proposal;
    return script.observe_status;
}

static int32_t script_report(void *search, struct gb_search_claim *claim)
{
    (void)search;
    const uint32_t size = claim->size;
    *claim = script.claim;
    claim->size = size;
    return GB_OK;
}

static const struct gb_search_ops script_ops = {.size = sizeof script_ops,
                                                .create = script_create,
                                                .propose = script_propose,
                                                .observe = script_observe,
                                                .report = script_report};

static struct space *space;
static struct engine *engine;
static struct fake_host *host;
static struct engine_limits limits;
static struct engine_step step;
static struct gb_error error;

static void begin(void)
{
    static const char *const names[] = {"x"};
    script = (struct script){.claim = {.best = GB_NO_CASE, .low = NAN, .high = NAN}};
    space = space_new(names, 1);
    for (int i = 0; i < CASES; i++) {
        char text[16];
        snprintf(text, sizeof text, "%d", i);
        space_add(space, (const char *const[]){text});
    }
    ck_assert_int_eq(space_finish(space, &error), GB_OK);
    host = fake_host_new();
    limits = (struct engine_limits){.tolerance = 0.01, .confidence = 0.95, .lanes = 4};
    engine = NULL;
}

static void end(void)
{
    engine_free(engine);
    space_free(space);
    fake_host_free(host);
}

static void start(void)
{
    ck_assert_int_eq(engine_new(&script_ops, NULL, &host->host, space, &limits, &engine, &error),
                     GB_OK);
}

static void propose(uint64_t i)
{
    script.steps[script.n_steps++] = (struct gb_proposal){
        .action = GB_PROPOSE_MEASURE, .i = i, .n_samples = 2};
}

static void propose_wait(void)
{
    script.steps[script.n_steps++] = (struct gb_proposal){.action = GB_PROPOSE_WAIT};
}

static void answer(uint64_t proposal, int32_t status, double value, double elapsed_ns)
{
    const double samples[] = {value, value * 1.001};
    const struct gb_observation observation = {.size = sizeof observation,
                                               .status = status,
                                               .proposal = proposal,
                                               .n_samples = 2,
                                               .samples = samples,
                                               .wall_ns = 1,
                                               .elapsed_ns = elapsed_ns};
    ck_assert_int_eq(engine_observe(engine, &observation, &error), GB_OK);
}

static void expect(int action)
{
    engine_next(engine, &step);
    ck_assert_int_eq(step.action, action);
}

/* Measures all that is proposed, one at a time: case i has the value 100 - i. */
static struct engine_report run_all(void)
{
    struct engine_report report;
    start();
    for (engine_next(engine, &step); step.action == ENGINE_MEASURE; engine_next(engine, &step))
        answer(step.proposal, GB_OBSERVED_OK, 100 - (double)step.i, (double)step.proposal);
    ck_assert_int_eq(step.action, ENGINE_END);
    engine_report(engine, &report);
    return report;
}

TEST_FIXTURE(begin, end)

TEST(observations_are_told_in_the_order_of_proposals)
{
    for (uint64_t i = 0; i < 4; i++)
        propose(i);
    start();
    for (uint64_t i = 0; i < 4; i++) {
        expect(ENGINE_MEASURE);
        ck_assert_uint_eq(step.proposal, i);
    }
    answer(2, GB_OBSERVED_OK, 1, 5);
    answer(1, GB_OBSERVED_OK, 1, 7);
    ck_assert_uint_eq(script.n_told, 0);
    answer(0, GB_OBSERVED_OK, 1, 9);
    ck_assert_uint_eq(script.n_told, 3);
    answer(3, GB_OBSERVED_OK, 1, 8);
    for (uint64_t i = 0; i < 4; i++)
        ck_assert_uint_eq(script.told[i], i);
    ck_assert_double_eq(script.told_elapsed[0], 9);
    ck_assert_double_eq(script.told_elapsed[3], 9); /* never falls */
}

TEST(no_more_are_open_than_there_are_lanes)
{
    limits.lanes = 2;
    for (uint64_t i = 0; i < 4; i++)
        propose(i);
    start();
    engine_next(engine, &step);
    engine_next(engine, &step);
    expect(ENGINE_WAIT);
    answer(0, GB_OBSERVED_OK, 1, 0);
    expect(ENGINE_MEASURE);
    ck_assert_uint_eq(step.i, 2);
}

TEST(a_visit_of_a_case_is_numbered)
{
    propose(3);
    propose(5);
    propose(3);
    start();
    engine_next(engine, &step);
    engine_next(engine, &step);
    ck_assert_uint_eq(step.visit, 0);
    engine_next(engine, &step);
    ck_assert_uint_eq(step.visit, 1);
}

TEST(what_is_known_is_of_all_visits)
{
    struct gb_known known = {.size = sizeof known};
    propose(3);
    propose(3);
    run_all();
    ck_assert_int_eq(script.space->known(script.space, 3, &known), GB_OK);
    ck_assert_uint_eq(known.n_visits, 2);
    ck_assert_uint_eq(known.n_samples, 4);
    ck_assert_double_eq(known.samples[2], 97);
    ck_assert_double_eq_tol(known.median, 97.0485, 1e-9);
    ck_assert_double_eq(known.cost_ns, 2);
    ck_assert_int_eq(script.space->known(script.space, 4, &known), GB_OK);
    ck_assert_uint_eq(known.n_visits, 0);
    ck_assert_int_eq(script.space->known(script.space, CASES, &known), GB_INVALID);
}

TEST(observations_that_were_not_asked_for_are_refused)
{
    const double samples[] = {INFINITY};
    struct gb_observation observation = {.size = sizeof observation, .proposal = 1};
    propose(0);
    start();
    engine_next(engine, &step);
    ck_assert_int_eq(engine_observe(engine, &observation, &error), GB_INVALID);
    observation.proposal = 0;
    observation.n_samples = 1;
    observation.samples = samples;
    ck_assert_int_eq(engine_observe(engine, &observation, &error), GB_INVALID);
    answer(0, GB_OBSERVED_OK, 1, 0);
    observation.n_samples = 0;
    ck_assert_int_eq(engine_observe(engine, &observation, &error), GB_INVALID);
}

/* ---- guards ---- */

TEST(the_budget_of_time_ends_it)
{
    for (uint64_t i = 0; i < CASES; i++)
        propose(i);
    limits.budget_ns = 4;
    struct engine_report report = run_all();
    ck_assert_uint_eq(report.n_proposals, 5);
    ck_assert_str_eq(report.reason, "budget = 4.00 ns");
    ck_assert(!report.is_broken);
}

TEST(the_budget_of_cases_counts_each_case_once)
{
    for (uint64_t i = 0; i < CASES; i++) {
        propose(i);
        propose(i);
    }
    limits.budget_cases = 3;
    struct engine_report report = run_all();
    ck_assert_uint_eq(report.n_cases, 3);
    ck_assert_uint_eq(report.n_proposals, 6);
    ck_assert_str_eq(report.reason, "cases = 3");
}

TEST(patience_ends_it_once_nothing_gets_better)
{
    propose(7);
    for (uint64_t i = 0; i < 7; i++)
        propose(i);
    limits.patience_cases = 3;
    struct engine_report report = run_all();
    ck_assert_uint_eq(report.n_cases, 4);
    ck_assert_uint_eq(report.best, 7);
    ck_assert_str_eq(report.reason, "patience = 3");
}

TEST(what_is_open_at_the_end_is_waited_for)
{
    propose(0);
    propose(1);
    start();
    engine_next(engine, &step);
    engine_next(engine, &step);
    engine_end(engine, "stopped");
    engine_end(engine, "later");
    expect(ENGINE_WAIT);
    answer(0, GB_OBSERVED_OK, 1, 0);
    answer(1, GB_OBSERVED_OK, 2, 0);
    expect(ENGINE_END);
    struct engine_report report;
    engine_report(engine, &report);
    ck_assert_str_eq(report.reason, "stopped");
    ck_assert_uint_eq(report.best, 0);
}

/* ---- searches that break the rules ---- */

TEST(a_wait_for_nothing_ends_it)
{
    propose(1);
    propose_wait();
    propose_wait();
    struct engine_report report = run_all();
    ck_assert(report.is_broken);
    ck_assert_str_eq(report.reason, "the search waits although nothing is being measured");
    ck_assert_uint_eq(report.best, 1); /* what was measured stays */
    ck_assert_int_eq(report.scope, GB_SCOPE_NONE);
}

TEST(a_wait_is_not_asked_again_before_an_observation)
{
    propose(1);
    propose_wait();
    propose(2);
    start();
    engine_next(engine, &step);
    for (int i = 0; i < 5; i++) {
        expect(ENGINE_WAIT);
    }
    ck_assert_uint_eq(script.n_asked, 2);
    answer(0, GB_OBSERVED_OK, 1, 0);
    engine_next(engine, &step);
    ck_assert_uint_eq(step.i, 2);
}

TEST(a_case_that_does_not_exist_ends_it)
{
    propose(CASES);
    struct engine_report report = run_all();
    ck_assert(report.is_broken);
    ck_assert_str_eq(report.reason,
                     "the search proposed case 10, which does not exist: there are 10");
    ck_assert_uint_eq(report.best, GB_NO_CASE);
    ck_assert(isnan(report.value));
}

TEST(endless_repetitions_end_it)
{
    for (int i = 0; i < STEPS_MAX; i++)
        propose(2);
    struct engine_report report = run_all();
    ck_assert(report.is_broken);
    ck_assert_uint_eq(report.n_proposals, ENGINE_VISITS_MAX);
}

TEST(a_failed_case_is_not_measured_again)
{
    propose(2);
    propose(2);
    start();
    engine_next(engine, &step);
    answer(0, GB_OBSERVED_WRONG, 1, 0);
    expect(ENGINE_END);
}

TEST_TIMES(too_many_samples_and_unknown_actions_end_it, 2)
{
    script.steps[0] = (struct gb_proposal){.action = GB_PROPOSE_MEASURE,
                                           .n_samples = ENGINE_SAMPLES_MAX + UINT64_C(1)};
    script.steps[0].action = _i == 0 ? GB_PROPOSE_MEASURE : 17;
    script.n_steps = 1;
    ck_assert(run_all().is_broken);
}

TEST_TIMES(functions_that_fail_end_it, 2)
{
    propose(0);
    propose(1);
    if (_i == 0)
        script.propose_status = GB_FAILED;
    else
        script.observe_status = GB_NO_MEMORY;
    struct engine_report report = run_all();
    ck_assert(report.is_broken);
    ck_assert_str_eq(report.reason, _i == 0 ? "the search failed: propose returned status -1"
                                            : "the search failed: observe returned status -2");
}

TEST(a_search_that_cannot_be_made_is_an_error)
{
    script.create_status = GB_NO_MEMORY;
    ck_assert_int_eq(engine_new(&script_ops, NULL, &host->host, space, &limits, &engine, &error),
                     GB_NO_MEMORY);
}

/* ---- claims ---- */

TEST(an_honest_claim_is_taken)
{
    static const uint64_t open[] = {3, 2, 3, 4};
    for (uint64_t i = 0; i < 5; i++)
        propose(i);
    script.claim = (struct gb_search_claim){.scope = GB_SCOPE_MEASURED,
                                            .best = 4,
                                            .low = 95,
                                            .high = 97,
                                            .n_open = 4,
                                            .open = open,
                                            .note = "noisy"};
    struct engine_report report = run_all();
    ck_assert(!report.is_broken);
    ck_assert_int_eq(report.scope, GB_SCOPE_MEASURED);
    ck_assert_uint_eq(report.n_open, 2);
    ck_assert_uint_eq(report.open[0], 2);
    ck_assert_uint_eq(report.open[1], 3);
    ck_assert_double_eq_tol(report.value, 96.048, 1e-9);
    ck_assert_str_eq(report.note, "noisy");
}

static const struct lie {
    struct gb_search_claim claim;
    const char *words;
} lies[] = {
    {{.scope = GB_SCOPE_ALL, .best = 4}, "of which 5 were not measured"},
    {{.scope = GB_SCOPE_MEASURED, .best = 9}, "calls case 9 the best, which was not measured"},
    {{.scope = GB_SCOPE_MEASURED, .best = CASES}, "calls case 10 the best"},
    {{.scope = GB_SCOPE_MEASURED, .best = GB_NO_CASE}, "claims something of no case"},
    {{.scope = GB_SCOPE_MEASURED, .best = 0}, "has ruled out case 2"},
    {{.scope = 9, .best = 4}, "unknown scope"},
    {{.scope = GB_SCOPE_SHARE, .best = 4, .share = 0}, "claims a share of 0"},
    {{.scope = GB_SCOPE_MEASURED, .best = 4, .low = 9, .high = 8}, "an interval from 9 to 8"},
    {{.scope = GB_SCOPE_MEASURED, .best = 4, .n_open = 1}, "do not exist"},
    {{.scope = GB_SCOPE_MEASURED, .best = 4, .n_open = UINT64_MAX}, "do not exist"},
};

TEST_EACH(a_claim_that_cannot_be_true_is_none, lies)
{
    for (uint64_t i = 0; i < 5; i++)
        propose(i);
    script.claim = lies[_i].claim;
    struct engine_report report = run_all();
    ck_assert(report.is_broken);
    ck_assert_int_eq(report.scope, GB_SCOPE_NONE);
    ck_assert_uint_eq(report.best, 4);
    ck_assert_msg(strstr(report.note, lies[_i].words) != NULL, "%s", report.note);
}

TEST(wrong_results_are_never_the_best)
{
    propose(0);
    propose(9);
    script.claim = (struct gb_search_claim){.scope = GB_SCOPE_MEASURED, .best = 9};
    start();
    engine_next(engine, &step);
    answer(0, GB_OBSERVED_OK, 5, 0);
    engine_next(engine, &step);
    answer(1, GB_OBSERVED_WRONG, 1, 0);
    engine_next(engine, &step);
    struct engine_report report;
    engine_report(engine, &report);
    ck_assert_uint_eq(report.best, 0);
    ck_assert_int_eq(report.scope, GB_SCOPE_NONE);
    ck_assert_uint_eq(report.n_ok, 1);
}
