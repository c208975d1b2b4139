/* test_engine.c - observations in order, guards, searches that break the rules. */
#include "core/search/engine.h"
#include "tests/check_main.h"
#include "tests/fake_host.h"

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
    script.space = space;
    *ret_search = &script;
    return script.create_status;
}

static int32_t script_propose(void *search, struct gb_proposal *proposal)
{
    if (script.n_asked < script.n_steps) {
        const uint32_t size = proposal->size;
        *proposal = script.steps[script.n_asked++];
        proposal->size = size;
    }
    return script.propose_status;
}

static int32_t script_observe(void *search, const struct gb_observation *observation)
{
    script.told_elapsed[script.n_told] = observation->elapsed_ns;
    script.told[script.n_told++] = observation->proposal;
    return script.observe_status;
}

static int32_t script_report(void *search, struct gb_search_claim *claim)
{
    const uint32_t size = claim->size;
    *claim = script.claim;
    claim->size = size;
    return GB_OK;
}

static const struct gb_search_ops script_ops = {sizeof script_ops, .create = script_create,
                                                .propose = script_propose,
                                                .observe = script_observe, .report = script_report};

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

/* Words of proposals: a case, "w" a wait, "s" too many samples, "?" an unknown action; the last one
 * again and again after "*". */
static void propose(const char *words)
{
    for (; *words && script.n_steps < STEPS_MAX; words += *words == ' ') {
        struct gb_proposal proposal = {.action = GB_PROPOSE_MEASURE, .n_samples = 2};
        char *end = (char *)(uintptr_t)words + 1;
        if (*words == 'w')
            proposal.action = GB_PROPOSE_WAIT;
        else if (*words == 's')
            proposal.n_samples = ENGINE_SAMPLES_MAX + UINT64_C(1);
        else if (*words == '?')
            proposal.action = 17;
        else
            proposal.i = strtoull(words, &end, 10);
        script.steps[script.n_steps++] = proposal;
        words = *end == '*' ? words : end;
    }
}

static void answer(uint64_t proposal, int32_t status, double value, double elapsed_ns)
{
    const double samples[] = {value, value * 1.001};
    const struct gb_observation observation = {
        sizeof observation, .status = status, .proposal = proposal,    .n_samples = 2,
        .samples = samples, .wall_ns = 1,     .elapsed_ns = elapsed_ns};
    ck_assert_int_eq(engine_observe(engine, &observation, &error), GB_OK);
}

static void expect(int action)
{
    engine_next(engine, &step);
    ck_assert_int_eq(step.action, action);
}

static void expect_case(uint64_t i, uint64_t visit)
{
    expect(ENGINE_MEASURE);
    ck_assert_uint_eq(step.i, i);
    ck_assert_uint_eq(step.visit, visit);
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
    propose("0 1 2 3");
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

/* What is asked for, CASE/VISIT, and what is answered to which proposal. */
static const struct {
    uint32_t lanes;
    const char *proposals, *dialogue;
    uint64_t cases; /* the limit; 0: none */
} dialogues[] = {
    {2, "0 1 2 3", "0/0 1/0 wait ok:0 2/0", 0}, /* no more are open than there are lanes */
    {4, "3 5 3", "3/0 5/0 3/1", 0},
    {4, "1 w 2", "1/0 wait wait wait wait wait ok:0 2/0", 0}, /* of which the search hears two */
    {4, "0 1 2", "0/0 1/0 wait ok:0 ok:1 end", 2},            /* what is open is waited for */
    {4, "2 2", "2/0 wrong:0 end", 0},                         /* is not measured again */
};

TEST_EACH(dialogue, dialogues)
{
    char words[64];
    propose(dialogues[_i].proposals);
    limits.lanes = dialogues[_i].lanes;
    limits.budget_cases = dialogues[_i].cases;
    start();
    snprintf(words, sizeof words, "%s", dialogues[_i].dialogue);
    for (char *word = strtok(words, " "); word; word = strtok(NULL, " ")) {
        if (strchr(word, '/')) {
            expect_case(strtoull(word, NULL, 10), strtoull(strchr(word, '/') + 1, NULL, 10));
        } else if (strchr(word, ':')) {
            const uint64_t proposal = strtoull(strchr(word, ':') + 1, NULL, 10);
            answer(proposal, *word == 'o' ? GB_OBSERVED_OK : GB_OBSERVED_WRONG,
                   1 + (double)proposal, 0);
        } else {
            ck_assert_uint_le(script.n_asked, 3);
            expect(*word == 'w' ? ENGINE_WAIT : ENGINE_END);
        }
    }
}

TEST(what_is_known_is_of_all_visits)
{
    struct gb_known known = {.size = sizeof known};
    propose("3 3");
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
    propose("0");
    start();
    expect_case(0, 0);
    ck_assert_int_eq(engine_observe(engine, &observation, &error), GB_INVALID);
    observation.proposal = 0;
    observation.n_samples = 1;
    observation.samples = samples;
    ck_assert_int_eq(engine_observe(engine, &observation, &error), GB_INVALID);
    answer(0, GB_OBSERVED_OK, 1, 0);
    observation.n_samples = 0;
    ck_assert_int_eq(engine_observe(engine, &observation, &error), GB_INVALID);
}

/* ---- guards, and searches that break the rules ---- */

static const struct {
    const char *proposals;
    double budget_ns;
    uint64_t budget_cases, patience_cases;
    int32_t propose_status, observe_status;
    uint64_t n_cases, n_proposals, best;
    bool is_broken;
    const char *reason; /* NULL: any */
} runs[] = {
    {"0 1 2 3 4 5 6 7 8 9", .budget_ns = 4, .n_cases = 5, .n_proposals = 5, .best = 4,
     .reason = "budget = 4.00 ns"},
    {"0 0 1 1 2 2 3 3 4 4", .budget_cases = 3, .n_cases = 3, .n_proposals = 6, .best = 2,
     .reason = "cases = 3"}, /* each of them once */
    {"7 0 1 2 3 4 5 6", .patience_cases = 3, .n_cases = 4, .n_proposals = 4, .best = 7,
     .reason = "patience = 3"},
    {"1 w w", .n_cases = 1, .n_proposals = 1, .best = 1, .is_broken = true, /* that stays */
     .reason = "the search waits although nothing is being measured"},
    {"10", .best = GB_NO_CASE, .is_broken = true,
     .reason = "the search proposed case 10, which does not exist: there are 10"},
    {"2*", .n_cases = 1, .n_proposals = ENGINE_VISITS_MAX, .best = 2, .is_broken = true},
    {"s", .best = GB_NO_CASE, .is_broken = true},
    {"?", .best = GB_NO_CASE, .is_broken = true},
    {"0 1", .propose_status = GB_FAILED, .best = GB_NO_CASE, .is_broken = true,
     .reason = "the search failed: propose returned status -1"},
    {"0 1", .observe_status = GB_NO_MEMORY, .n_cases = 1, .n_proposals = 1, .is_broken = true,
     .reason = "the search failed: observe returned status -2"},
};

TEST_EACH(what_ends_a_search, runs)
{
    propose(runs[_i].proposals);
    script.propose_status = runs[_i].propose_status;
    script.observe_status = runs[_i].observe_status;
    limits.budget_ns = runs[_i].budget_ns;
    limits.budget_cases = runs[_i].budget_cases;
    limits.patience_cases = runs[_i].patience_cases;
    const struct engine_report report = run_all();
    ck_assert_int_eq(report.is_broken, runs[_i].is_broken);
    ck_assert_int_eq(report.scope, GB_SCOPE_NONE);
    if (runs[_i].reason)
        ck_assert_str_eq(report.reason, runs[_i].reason);
    ck_assert_uint_eq(report.n_cases, runs[_i].n_cases);
    ck_assert_uint_eq(report.n_proposals, runs[_i].n_proposals);
    ck_assert_uint_eq(report.best, runs[_i].best);
    if (report.best == GB_NO_CASE)
        ck_assert(isnan(report.value));
    else
        ck_assert_double_eq_tol(report.value, (100 - (double)report.best) * 1.0005, 1e-9);
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
    propose("0 1 2 3 4");
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
    propose("0 1 2 3 4");
    script.claim = lies[_i].claim;
    struct engine_report report = run_all();
    ck_assert(report.is_broken);
    ck_assert_int_eq(report.scope, GB_SCOPE_NONE);
    ck_assert_uint_eq(report.best, 4);
    ck_assert_msg(strstr(report.note, lies[_i].words) != NULL, "%s", report.note);
}

TEST(wrong_results_are_never_the_best)
{
    struct engine_report report;
    propose("0 9");
    script.claim = (struct gb_search_claim){.scope = GB_SCOPE_MEASURED, .best = 9};
    start();
    expect_case(0, 0);
    answer(0, GB_OBSERVED_OK, 5, 0);
    expect_case(9, 0);
    answer(1, GB_OBSERVED_WRONG, 1, 0);
    expect(ENGINE_END);
    engine_report(engine, &report);
    ck_assert_uint_eq(report.best, 0);
    ck_assert_int_eq(report.scope, GB_SCOPE_NONE);
    ck_assert_uint_eq(report.n_ok, 1);
}
