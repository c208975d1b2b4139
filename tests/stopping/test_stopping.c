/* test_stopping.c - what proves stopping policies (tests/stopping/stopping*, trace_*): its traces,
 * its statistics, and that its gates can fail. */
#include "core/base/random.h"
#include "tests/check_main.h"
#include "tests/stopping/stopping_looks.h"
#include "tests/stopping/stopping_replay.h"
#include "tests/stopping/stopping_statistics.h"
#include "tests/stopping/stopping_tables.h"
#include "tests/store/store_fixture.h"

/* --- statistics --- */

/* Of sums of exact binomial terms with 40 digits. */
TEST(clopper_pearson)
{
    static const struct {
        uint64_t k, n;
        double confidence, upper, lower;
    } cases[] = {{0, 10, 0.95, 0.2588655508930523, 0},
                 {0, 400, 0.95, 0.007461355528795993, 0},
                 {5, 100, 0.95, 0.10225337764327451, 0.019905563662171838},
                 {3, 20, 0.975, 0.37892682654533975, 0.032070937185463705},
                 {19, 20, 0.95, 0.9974386212234697, 0.7838938357931527},
                 {82, 2000, 0.95, 0.04906088666299459, 0.033961564945623652},
                 {100, 2000, 0.95, 0.05877031422463724, 0.042228405899559204},
                 {10, 10, 0.95, 1, 0.74113444910694772},
                 {0, 0, 0.95, 1, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        double upper = share_upper_bound(cases[i].k, cases[i].n, cases[i].confidence);
        double lower = share_lower_bound(cases[i].k, cases[i].n, cases[i].confidence);
        ck_assert_double_eq_tol(upper, cases[i].upper, 1e-11);
        ck_assert_double_eq_tol(lower, cases[i].lower, 1e-11);
    }
}

TEST(confidence_sequence_of_the_median)
{
    ck_assert_double_eq_tol(confidence_sequence(16), 0.548943300792819, 1e-12);
    ck_assert_double_eq_tol(confidence_sequence(256), 0.09485028094925792, 1e-12);
    ck_assert_double_eq_tol(confidence_sequence(10000), 0.01715307477462658, 1e-12);
}

/* 100, 101, 103: mean 101 1/3, deviation 1.5275, t = 4.3027, half width 3.7946. */
TEST(rounds_as_one)
{
    struct stop rounds[3] = {{.value_ns = 100, .low_ns = 99, .high_ns = 101},
                             {.value_ns = 103, .low_ns = 102, .high_ns = 104},
                             {.value_ns = 101, .low_ns = 90, .high_ns = 110}};
    struct rounds_interval combined = stops_combined(rounds, 3);
    ck_assert_double_eq(combined.centre, 101);
    ck_assert_double_eq_tol(combined.low, 97.5387, 1e-3);
    ck_assert_double_eq_tol(combined.high, 105.1279, 1e-3);
    /* Rounds that agree: the interval within a round is left. */
    rounds[0].value_ns = rounds[1].value_ns = rounds[2].value_ns = 101;
    combined = stops_combined(rounds, 3);
    ck_assert_double_eq(combined.low, 99);
    ck_assert_double_eq(combined.high, 104);
}

TEST(median_between_ticks)
{
    static const double even[] = {1, 2, 3, 4}, odd[] = {1, 2, 9}, tied[] = {5, 5, 5, 6};
    ck_assert_double_eq(mid_median_of_sorted(even, 4), 2.5);
    ck_assert_double_eq(mid_median_of_sorted(odd, 3), 2);
    ck_assert_double_eq_tol(mid_median_of_sorted(tied, 4), 5.25, 1e-12);
    ck_assert_double_eq(mid_median_of_sorted(tied, 1), 5);
    ck_assert_double_nan(mid_median_of_sorted(tied, 0));
}

TEST(what_counts_as_false)
{
    const double modes[TRACE_MODES_MAX] = {100, 120};
    struct stop stop = {.verdict = GB_VERDICT_CERTIFIED,
                        .value_ns = 102,
                        .low_ns = 101,
                        .high_ns = 103,
                        .n_modes = 2,
                        .modes_ns = {100.5, 126, NAN}};
    ck_assert_double_eq_tol(stop_error(&stop, 100, modes), 0.02, 1e-12);
    ck_assert(stop_is_false(&stop, 0.01, 0.02));
    ck_assert(!stop_is_false(&stop, 0.02, 0.02));
    ck_assert(stop_is_false(&stop, 0.01, NAN));
    ck_assert(!stop_covers(&stop, 100));
    ck_assert(stop_covers(&stop, 103));
    stop.verdict = GB_VERDICT_UNCONVERGED;
    ck_assert(!stop_is_false(&stop, 0.01, 0.02));
    stop.verdict = GB_VERDICT_MULTIMODAL; /* the mode that is known least: 126 for 120 */
    ck_assert_double_eq_tol(stop_error(&stop, 100, modes), 0.05, 1e-12);
    ck_assert(stop_is_false(&stop, 0.01, 0.05));
    stop.n_modes = 1; /* one is missing */
    ck_assert_double_gt(stop_error(&stop, 100, modes), 0.15);
}

/* --- traces --- */

static double usual_time(const struct trace_family *family)
{
    return family->time_ns > 0 ? family->time_ns : 1e5;
}

static void digest_samples(const struct gb_samples *samples, uint64_t *digest)
{
    for (uint64_t i = 0; i < samples->n; i++) {
        uint64_t bits[2];
        memcpy(&bits[0], &samples->time_ns[i], sizeof bits[0]);
        memcpy(&bits[1], &samples->elapsed_ns[i], sizeof bits[1]);
        for (int j = 0; j < 2; j++)
            *digest = (*digest ^ bits[j]) * 1099511628211u;
    }
}

static uint64_t digest_of(const struct trace_family *family, uint64_t seed, uint64_t batch)
{
    enum { SAMPLES = 6000 };
    const struct trace_setting setting = {family, usual_time(family), 6e4};
    struct trace trace = {0};
    uint64_t digest = STOP_DIGEST;
    trace_begin(&trace, &setting, seed, 3);
    for (uint64_t n = 0; n < SAMPLES; n += batch) {
        trace_extend(&trace, n + batch);
        struct gb_samples part = trace_part(&trace, n, batch);
        digest_samples(&part, &digest);
    }
    trace_free(&trace);
    return digest;
}

TEST_TIMES(traces_depend_on_the_seed_alone, (int)n_trace_families)
{
    const struct trace_family *family = &trace_families[_i];
    uint64_t digest = digest_of(family, 1, 6000);
    ck_assert_uint_eq(digest, digest_of(family, 1, 6000));
    ck_assert_uint_eq(digest, digest_of(family, 1, 100));
    if (family->noise)
        ck_assert_uint_ne(digest, digest_of(family, 2, 6000));
}

/* Neighbours in replication have nothing in common. */
TEST(replications_are_independent)
{
    enum { REPLICATIONS = 4000 };
    double last = 0, products = 0, sum = 0;
    for (uint64_t i = 0; i <= REPLICATIONS; i++) {
        struct trace_random random;
        trace_random_begin(&random, 1, 7, i);
        double z = trace_normal(&random);
        products += i > 0 ? z * last : 0;
        sum += z;
        last = z;
    }
    ck_assert_double_lt(fabs(products), 4 * sqrt(REPLICATIONS));
    ck_assert_double_lt(fabs(sum), 4 * sqrt(REPLICATIONS));
    struct trace_random one, other;
    trace_random_begin(&one, 1, 7, 1);
    trace_random_begin(&other, 1, 7, 2);
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++)
            ck_assert_uint_ne(one.state[i], other.state[j]);
}

/* Each of what traces are made of; another digest means that stops of other builds, and of earlier
 * versions, are those of other traces. */
TEST(traces_are_the_same_in_every_build)
{
    static const struct {
        const char *family;
        uint64_t digest;
    } known[] = {
        {"normal", 0x7d45432f4fb22af0},
        {"lognormal", 0x36df6e6159026d59},
        {"heavy_tail", 0x357b1fd2bca6c083},
        {"ar_99", 0x8bf8ea5956c2d6ce},
        {"exponential_ramp", 0x4cc0d44570cb70db},
        {"modes_50_50", 0x436b01d46f3163b5},
        {"tick_1024ns", 0xba87aee98c1a4fa1},
        {"regimes", 0xbec21b3981e2605c},
        {"periodic", 0xae20846159356a4f},
        {"spreading", 0x49d9c896ee3fc197},
        {"heavy_ar", 0x040a3ce1c25dfb37},
        {"locked_tick", 0x4405cae0d71621c8},
        {"sawtooth", 0xe71763537ea132b8},
        {"switching", 0x2699b350f3268cfa},
        {"power_limit", 0xe4848e9617db1ea8},
        {"ladder", 0x5c558bf37ed3de69},
        {"pink", 0x5b736b20b67c3f0b},
    };
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        const struct trace_family *family = trace_family_named(known[i].family);
        ck_assert_msg(family != NULL, "no family %s", known[i].family);
        uint64_t digest = digest_of(family, 1, 6000);
        ck_assert_msg(digest == known[i].digest, "%s: 0x%016llx", family->name,
                      (unsigned long long)digest);
    }
}

/* What theory says against what comes out; the medians of the others come out by themselves. */
TEST_TIMES(medians_of_traces, (int)n_trace_families)
{
    const struct trace_family *family = &trace_families[_i];
    const struct trace_setting setting = {family, usual_time(family), 6e4};
    struct truth truth = truth_of(&setting, 0.01, 1, test_is_long() ? 16 : 8, 16384);
    bool is_known = family->median_factor > 0 && !trace_needs_rounds(&setting) &&
                    !(family->flags & TRACE_MULTIMODAL);
    ck_assert_double_gt(truth.simulated_ns, 0.9 * setting.time_ns);
    ck_assert_double_lt(truth.simulated_ns, 1.3 * setting.time_ns);
    if (is_known)
        ck_assert_msg(fabs(truth.simulated_ns / truth.median_ns - 1) < 0.004, "%g for %g",
                      truth.simulated_ns, truth.median_ns);
    ck_assert_double_ge(truth.tau, 1);
}

/* Correlation 0.95: 1 + 4 / pi times the sum of asin(0.95^k) = 27.6 samples are worth one. */
TEST(correlation_of_traces)
{
    const struct trace_setting setting = {trace_family_named("ar_95"), 1e5, 6e4};
    struct truth truth = truth_of(&setting, 0.01, 1, 32, 32768);
    double tau = 1, power = 0.95;
    for (int i = 0; i < 1000; i++, power *= 0.95)
        tau += 4 / acos(-1) * asin(power);
    ck_assert_double_eq_tol(truth.tau / tau, 1, 0.25);
    ck_assert_double_eq_tol(truth.samples_to_know / truth.tau, 30, 3);
    ck_assert_double_gt(truth.samples_to_resolve, 1.8 * truth.samples_to_know);
    /* The 95th percentile of what batch means say is 1.4 times as much. */
    ck_assert_double_eq_tol(truth.samples_to_mix / tau, 1.4 * 75, 25);
    truth = truth_of(&setting, 0.002, 1, 32, 32768);
    ck_assert_double_eq_tol(truth.samples_to_mix / tau, 25 * 1.4 * 75, 25 * 25);
}

/* Independent samples are asked for 26 effective ones; where so few as 1.25 for one count as
 * correlated, as below 1 %, for 75 times the square of the precision in one of twenty traces. What
 * those have is between that limit and that of 1 %, which is 2. */
TEST_TIMES(mixing_of_independent_traces, 3)
{
    const struct trace_setting setting = {trace_family_named("normal"), 1e5, 6e4};
    static const struct {
        double precision, asked;
    } cases[] = {{0.01, 26}, {0.005, 4 * 75}, {0.002, 25 * 75}};
    double asked = cases[_i].asked;
    struct truth truth = truth_of(&setting, cases[_i].precision, 1, 64, 8192);
    ck_assert_double_gt(truth.samples_to_mix, 1.25 * asked);
    ck_assert_double_lt(truth.samples_to_mix, 2 * asked);
}

/* What samples are like is found in them. */
TEST_TIMES(demands_of_samples, 7)
{
    static const struct {
        const char *family;
        double time_ns, tau, independent;
        uint64_t begin;
    } cases[] = {
        {"normal", 1e5, 1, 30, 625}, /* 0.1 s */
        {"normal", 1e6, 1, 30, 150},
        {"normal", 2e7, 1, 30, 16},
        {"normal", 5e6, 1, 30, 51}, /* 0.25 s, and one more by chance */
        {"ar_95", 1e5, 27.6, 30, 625},
        {"constant", 1e5, 1, 19, 625},
        /* The middles of the ticks' shares are 1/2 apart: 1 % is h = 0.053 of the samples. */
        {"tick_500ns", 5270, 1, 870, 1533},
    };
    enum { SAMPLES = 32768 };
    struct trace trace = {0};
    const struct trace_setting setting = {trace_family_named(cases[_i].family), cases[_i].time_ns,
                                          6e4};
    trace_begin(&trace, &setting, 1, 1);
    trace_extend(&trace, SAMPLES);
    struct gb_samples samples = trace_part(&trace, 0, SAMPLES);
    struct demand demand = demand_of(&samples, 0.01);
    ck_assert_double_eq_tol(demand.tau / cases[_i].tau, 1.2, 0.4);
    ck_assert_double_eq_tol(demand.samples_to_know / demand.tau / cases[_i].independent, 1, 0.2);
    ck_assert_double_eq_tol(demand.samples_to_begin, (double)cases[_i].begin, 2);
    samples.n = 10;
    ck_assert_double_eq(demand_of(&samples, 0.01).samples_to_begin, 10);
    trace_free(&trace);
}

/* Equal modes of 1 % noise, each to be known within 0.5 % of the median of all, 1.075: the slower
 * one to 0.467 of its standard deviations, which are h = 0.18 of its samples; 79 are needed. */
TEST(modes_of_traces)
{
    const struct trace_setting setting = {trace_family_named("modes_50_50"), 1e5, 6e4};
    struct truth truth = truth_of(&setting, 0.005, 1, 16, 32768);
    ck_assert_double_eq_tol(confidence_sequence(79), 0.18, 0.001);
    ck_assert_double_eq_tol(truth.samples_to_know, 2 * 79, 12);
}

/* --- gates --- */

static void load(const char *text, struct arena *arena, struct stopping_policy *ret)
{
    struct path_list folders;
    struct gb_error error;
    stopping_policy_folders(NULL, arena, &folders);
    int32_t status = stopping_policy_load(text, &folders, arena, ret, &error);
    ck_assert_msg(status == GB_OK, "%s", error.text);
}

TEST(policies_are_found_and_set)
{
    struct arena arena = {0};
    struct path_list folders;
    struct gb_error error;
    struct stopping_policy policy;
    load("median_ci precision=0.5% min=40", &arena, &policy);
    ck_assert_str_eq(policy.plugin->id, "median_ci");
    ck_assert_double_eq(policy.precision, 0.005);
    load("stdrel", &arena, &policy);
    ck_assert_double_eq(policy.precision, 0.01);
    stopping_policy_folders(NULL, &arena, &folders);
    static const char *const wrong[][2] = {
        {"median_ci precisoin=1%", "precisoin"}, {"nobody", "nobody"}, {"", "name"}};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        ck_assert_int_ne(stopping_policy_load(wrong[i][0], &folders, &arena, &policy, &error),
                         GB_OK);
        ck_assert_msg(strstr(error.text, wrong[i][1]) != NULL, "%s", error.text);
    }
    arena_free(&arena);
}

/* A name that is mistyped finds no gate. */
static const struct gate *gate_there(const struct gates *gates, const char *name)
{
    const struct gate *gate = gate_named(gates, name);
    if (!gate)
        ck_abort_msg("there is no gate \"%s\"", name);
    return gate;
}

static struct experiment run_families(const struct stopping_policy *policies, size_t n_policies,
                                      const char *const *families, size_t n_families,
                                      uint64_t n_replications, struct arena *arena)
{
    struct experiment experiment = {.policies = policies,
                                    .n_policies = n_policies,
                                    .n_replications = n_replications,
                                    .seed = 1,
                                    .n_jobs = 2,
                                    .is_quick = true};
    experiment.scenarios = scenarios_of(SCENARIOS_QUICK, families, n_families, arena,
                                        &experiment.n_scenarios);
    experiment_run(&experiment);
    return experiment;
}

/* A policy that corrects for nothing is found out where that counts, and only there. */
TEST(gates_fail_where_they_should)
{
    static const char *const families[] = {"normal", "constant", "ar_99", "step", "modes_50_50"};
    static const struct {
        const char *name;
        bool passed;
    } expected[] = {{"false certificates, pooled, upper bound", false},
                    {"trials that failed", true},
                    {"false, upper bound: constant", true},
                    {"false, upper bound: ar_99", false},
                    {"false, upper bound: step", false},
                    {"coverage, upper bound: constant", true},
                    {"coverage, upper bound: ar_99", false},
                    {"resolved: normal", true},
                    {"multimodal where it is: modes_50_50", false},
                    {"multimodal where it is not: normal", true},
                    {"samples, of the baseline's: normal", true},
                    {"samples, geometric mean", true}};
    struct arena arena = {0};
    struct stopping_policy policies[2];
    load("median_ci floor_wall=0s", &arena, &policies[0]);
    load("stdrel", &arena, &policies[1]);
    struct experiment experiment = run_families(policies, 2, families,
                                                sizeof families / sizeof families[0], 65, &arena);
    ck_assert_uint_eq(experiment.n_scenarios, 10);
    ck_assert_uint_eq(experiment.n_repeated, 40);
    ck_assert_uint_eq(experiment.n_differing, 0);
    struct gates gates = {.arena = &arena};
    gates_of(&experiment, 0, 1, &gates);
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
        const struct gate *gate = gate_there(&gates, expected[i].name);
        ck_assert_msg(gate->passed == expected[i].passed, "%s: %g %s, limit %g", gate->name,
                      gate->figure, gate->unit, gate->limit);
    }
    ck_assert_uint_gt(gates_failed(&gates), 0);
    free(experiment.stops);
    arena_free(&arena);
}

/* Visits of 0.1 s to regimes of seconds, T = 100 us: those that have all seen one level, and it is
 * the same, are blind. */
TEST_TIMES(rounds_can_be_blind, 4)
{
    static const struct {
        double values[3];
        bool are_blind[3];
        uint64_t n_false, n_blind_false;
    } cases[] = {
        {{1, 1.0001, 1}, {true, true, true}, 1, 1},
        {{1, 1.0001, 1}, {true, false, true}, 1, 0},
        {{1, 1.03, 1}, {true, true, true}, 0, 0}, /* which is wide */
        {{1.0055, 1.0055, 1.0055}, {true, true, true}, 0, 0},
    };
    struct stop stops[3] = {0};
    struct stopping_policy policy = {.precision = 0.005};
    struct scenario scenario = {.setting = {trace_family_named("long_regimes"), 1e5, 1e4},
                                .truth = {.median_ns = 1.0055e5}};
    const struct experiment experiment = {.scenarios = &scenario,
                                          .n_scenarios = 1,
                                          .policies = &policy,
                                          .n_policies = 1,
                                          .n_replications = 3,
                                          .stops = stops};
    for (int i = 0; i < 3; i++)
        stops[i] = (struct stop){.value_ns = 1e5 * cases[_i].values[i],
                                 .low_ns = 1e5 * (cases[_i].values[i] - 0.0005),
                                 .high_ns = 1e5 * (cases[_i].values[i] + 0.0005),
                                 .is_blind = cases[_i].are_blind[i]};
    const struct rounds_outcome rounds = rounds_outcome_of(&experiment, 0, 0, 3);
    ck_assert_uint_eq(rounds.n, 1);
    ck_assert_uint_eq(rounds.n_false, cases[_i].n_false);
    ck_assert_uint_eq(rounds.n_blind_false, cases[_i].n_blind_false);
}

/* --- samples on few ticks --- */

static const char *const dithered_families[] = {
    "dithered_empty",    "dithered",       "dithered_rare",   "dithered_noise", "dithered_wide",
    "dithered_outliers", "dithered_drift", "dithered_1024ns", "locked"};
enum { DITHERED = sizeof dithered_families / sizeof dithered_families[0] };

/* The gates of a policy on them, without a baseline. */
static void gates_of_dithered(const char *text, uint64_t n_replications, struct gates *gates)
{
    struct stopping_policy policy;
    load(text, gates->arena, &policy);
    struct experiment experiment = run_families(&policy, 1, dithered_families, DITHERED,
                                                n_replications, gates->arena);
    ck_assert_uint_eq(experiment.n_differing, 0);
    gates_of(&experiment, 0, 0, gates);
    free(experiment.stops);
}

/* Times that settle within seconds, of which 0.1 s show a tenth: not certified before, and only the
 * rule about trends sees them. */
TEST(trends_are_seen)
{
    static const char *const families[] = {"mono1s", "thermal"};
    static const uint64_t n_false[2][4] = {{0, 0, 4, 3}, {0, 1, 38, 38}};
    const uint64_t n = test_is_long() ? 60 : 6;
    struct arena arena = {0};
    struct stopping_policy policies[2];
    load("steady", &arena, &policies[0]);
    load("steady without=trend", &arena, &policies[1]);
    struct experiment experiment = run_families(policies, 2, families, 2, n, &arena);
    ck_assert_uint_eq(experiment.n_scenarios, 4);
    ck_assert_uint_eq(experiment.n_differing, 0);
    for (size_t i = 0; i < experiment.n_scenarios; i++) {
        ck_assert_uint_eq(outcome_of(&experiment, i, 0).n_false, 0);
        ck_assert_uint_eq(outcome_of(&experiment, i, 1).n_false, n_false[test_is_long()][i]);
    }
    free(experiment.stops);
    arena_free(&arena);
}

/* Of 0.5 %, that is 2 to 26 ns, on ticks of 32 and 1024 ns: few are wrong, all are resolved, and
 * intervals hold; a phase that is locked is not certified. */
TEST(dithered_samples_are_resolved)
{
    static const char *const asked[] = {"false, upper bound", "coverage, upper bound", "resolved",
                                        "multimodal where it is not", "95 % of errors within"};
    struct arena arena = {0};
    struct gates gates = {.arena = &arena};
    size_t n_asked = 0;
    gates_of_dithered("steady precision=0.5%", test_is_long() ? 100 : 60, &gates);
    for (size_t i = 0; i < gates.n; i++) {
        for (size_t j = 0; j < sizeof asked / sizeof asked[0]; j++) {
            if (strncmp(gates.items[i].name, asked[j], strlen(asked[j])) != 0)
                continue;
            n_asked++;
            ck_assert_msg(gates.items[i].passed, "%s: %g %s, limit %g, %s", gates.items[i].name,
                          gates.items[i].figure, gates.items[i].unit, gates.items[i].limit,
                          gates.items[i].where);
        }
    }
    /* No coverage and no errors are asked of the drift, and no errors, nor resolution, of `locked`.
     */
    ck_assert_uint_eq(n_asked,
                      DITHERED + (DITHERED - 1) + (DITHERED - 1) + DITHERED + (DITHERED - 2));
    ck_assert(gate_there(&gates, "false certificates, pooled, upper bound")->passed);
    arena_free(&arena);
}

TEST(without_the_mean_they_are_not)
{
    struct arena arena = {0};
    struct gates gates = {.arena = &arena};
    gates_of_dithered("steady precision=0.5% without=dithering", 5, &gates);
    for (size_t i = 0; i + 1 < DITHERED; i++) {
        const char *name = arena_printf(&arena, "resolved: %s", dithered_families[i]);
        ck_assert_msg(!gate_there(&gates, name)->passed, "%s", name);
    }
    ck_assert_double_eq(gate_there(&gates, "false, upper bound: locked")->figure,
                        100 * share_upper_bound(0, 5, 0.95));
    arena_free(&arena);
}

/* The same whatever the number of threads. */
TEST(stops_do_not_depend_on_threads)
{
    static const char *const families[] = {"ar_95"};
    struct arena arena = {0};
    struct stopping_policy policy;
    uint64_t digests[2];
    load("median_ci floor_wall=0s", &arena, &policy);
    for (uint32_t i = 0; i < 2; i++) {
        struct experiment experiment = {.policies = &policy,
                                        .n_policies = 1,
                                        .n_replications = 100,
                                        .seed = 5,
                                        .n_jobs = i == 0 ? 1 : 4,
                                        .is_quick = true};
        experiment.scenarios = scenarios_of(SCENARIOS_QUICK, families, 1, &arena,
                                            &experiment.n_scenarios);
        experiment_run(&experiment);
        digests[i] = experiment_digest(&experiment, 0, true);
        free(experiment.stops);
    }
    ck_assert_uint_eq(digests[0], digests[1]);
    arena_free(&arena);
}

TEST(a_figure_that_is_no_number_does_not_pass)
{
    struct arena arena = {0};
    struct gates gates = {.arena = &arena};
    CLEANUP(text_free) struct text out = {0};
    gate_add(&gates, "one", "", AT_MOST, NAN, 5, "%");
    gate_add(&gates, "two", "", AT_LEAST, NAN, 5, "%");
    gate_add(&gates, "three", "", AT_MOST, 5, 5, "%");
    gate_add(&gates, "four", "here", AT_LEAST, 4.9, 5, "%");
    ck_assert_uint_eq(gates_failed(&gates), 3);
    gates_write(&gates, &out);
    ck_assert(strstr(text_get(&out), "FAIL  here") != NULL);
    arena_free(&arena);
}

/* --- looks --- */

TEST(looks_are_timed)
{
    struct arena arena = {0};
    struct stopping_policy policy;
    load("median_ci floor_wall=0s", &arena, &policy);
    struct worst_look worst = stopping_looks(&policy, 5000, 1);
    ck_assert_double_gt(worst.ns, 0);
    ck_assert_double_gt(worst.report_ns, 0);
    ck_assert_double_gt(worst.a_sample_ns, 0);
    ck_assert_uint_gt(worst.n_looks, 10);
    ck_assert_uint_le(worst.n, 5000);
    arena_free(&arena);
}

/* --- recordings --- */

enum { RECORDED = 4000, VISITS = 3 };

typedef double time_fn(unsigned visit, unsigned i);

/* 1000 ns, 1 % more in visit 2, and 10 % more in the first tenth of each visit; in bits of a
 * timer. */
static double time_of_one(unsigned visit, unsigned i)
{
    double warm_up = i < RECORDED / 10 ? 100 : 0;
    return 1000 + warm_up + (visit == 2 ? 10 : 0) + (i * 7 % 5);
}

/* 1000 ns or, half of the time and by chance, 1200; after a quarter of visit 2 rather 1300. */
static double time_of_two(unsigned visit, unsigned i)
{
    double slow = visit == 2 && i >= RECORDED / 4 ? 300 : 200;
    return 1000 + (random_bits(1, visit, i) % 2 ? slow : 0) +
           (double)(random_bits(2, visit, i) % 8);
}

static void record_visit(struct store *store, int64_t run_id, unsigned visit, time_fn *time_of)
{
    static struct plugin_info budget = {.plugin = {.id = "budget", .version = "1.0"}};
    struct plugin_settings policy = {"long", &budget, NULL, 0, {0}};
    struct fixture_case c;
    double *times = calloc(RECORDED, sizeof *times), *elapsed = calloc(RECORDED, sizeof *elapsed);
    fixture_case(&c, visit, 4, 1000);
    for (unsigned i = 0; i < RECORDED; i++) {
        times[i] = time_of(visit, i);
        elapsed[i] = (i > 0 ? elapsed[i - 1] : 0) + 1e6;
    }
    c.bench_case.policy = &policy;
    c.record.round = visit;
    c.record.n_samples = RECORDED;
    c.columns[0].values = times;
    c.columns[1].values = elapsed;
    fixture_store(store, run_id, &c);
    free(times);
    free(elapsed);
}

static void record(const char *name, time_fn *time_of)
{
    struct store *store = fixture_open(name, STORE_WRITE);
    int64_t run_id = fixture_begin_run(store, 1);
    for (unsigned visit = 0; visit < VISITS; visit++)
        record_visit(store, run_id, visit, time_of);
    fixture_end_run(store, run_id);
    fixture_close(store);
}

static const struct kernel *find(struct replays *replays, struct arena *arena)
{
    struct gb_error error;
    struct kernel *kernels = NULL;
    const char *folder = fixture_folder;
    int32_t status = recordings_find(&folder, 1, arena, &kernels, &replays->n_kernels, &error);
    ck_assert_msg(status == GB_OK, "%s", error.text);
    replays->kernels = kernels;
    return kernels;
}

static void replay(struct replays *replays)
{
    struct gb_error error;
    ck_assert_msg(replays_run(replays, &error) == GB_OK, "%s", error.text);
}

TEST(recordings_are_replayed)
{
    struct arena arena = {0};
    struct stopping_policy policies[2];
    struct gb_error error;
    struct replays replays = {.policies = policies, .n_policies = 2, .baseline = 1, .n_jobs = 2};
    fixture_begin();
    record("long.gbr", time_of_one);
    load("median_ci floor_wall=0s", &arena, &policies[0]);
    load("fixed samples=5000", &arena, &policies[1]);
    const struct kernel *kernels = find(&replays, &arena);
    ck_assert_uint_eq(replays.n_kernels, 1);
    ck_assert_str_eq(kernels->words, "streams streams=4");
    ck_assert_uint_eq(kernels->n_visits, VISITS);
    ck_assert_double_eq(kernels->visits[0].tick_ns, 2);
    ck_assert_double_eq_tol(kernels->reference_ns, 1002.2, 0.3);
    ck_assert_double_eq_tol(kernels->spread, 0.01, 1e-3);
    struct recorded recorded;
    int32_t status = recorded_read(&kernels->visits[0], &recorded, &error);
    ck_assert_msg(status == GB_OK, "%s", error.text);
    double *elapsed = calloc(RECORDED, sizeof *elapsed);
    struct gb_samples samples = recorded_from(&recorded, 1000, elapsed);
    ck_assert_uint_eq(samples.n, RECORDED - 1000);
    ck_assert_double_eq(samples.elapsed_ns[0], 1e6); /* as if it had begun there */
    ck_assert_double_eq(samples.time_ns[1], 1000 + 1001 * 7 % 5);
    ck_assert_uint_eq(samples.iterations[2], 10);
    ck_assert_double_eq(samples.tick_ns, 2);
    ck_assert_ptr_null(samples.throttle);
    free(elapsed);
    recorded_free(&recorded);
    replay(&replays);
    /* Of three visits, each from ten places: those from the beginning see the warm-up only. */
    struct replay_outcome outcome = replay_outcome_of(&replays, 0, 0);
    ck_assert_uint_eq(outcome.n, VISITS * REPLAY_STARTS);
    ck_assert_uint_eq(outcome.n_short, 0);
    ck_assert_uint_eq(outcome.n_false, VISITS);
    ck_assert_uint_eq(outcome.n_false_in_visit, VISITS);
    ck_assert_uint_eq(outcome.verdicts[GB_VERDICT_CERTIFIED], VISITS * REPLAY_STARTS);
    ck_assert_double_eq(outcome.median_samples, 30);
    /* The other one needs more samples than there are. */
    outcome = replay_outcome_of(&replays, 0, 1);
    ck_assert_uint_eq(outcome.n, 0);
    ck_assert_uint_eq(outcome.n_short, VISITS * REPLAY_STARTS);
    ck_assert_double_eq(outcome.median_samples, RECORDED);
    struct gates gates = {.arena = &arena};
    gates_of_replays(&replays, 0, &gates);
    ck_assert(!gate_there(&gates, "false in their visits, all recordings")->passed);
    const struct gate *taken = gate_there(&gates, "samples, geometric mean: independent");
    ck_assert_double_eq_tol(taken->figure, 100 * 30.0 / RECORDED, 1e-9);
    ck_assert(taken->passed);
    CLEANUP(text_free) struct text out = {0};
    table_of_replays(&replays, &out);
    ck_assert(strstr(text_get(&out), "streams streams=4") != NULL);
    replays_free(&replays);
    arena_free(&arena);
    fixture_end();
}

/* Of two modes the median is one or the other: each is judged by itself. */
TEST(modes_of_recordings_are_judged)
{
    struct arena arena = {0};
    struct stopping_policy policies[2];
    struct replays replays = {.policies = policies, .n_policies = 2, .baseline = 1, .n_jobs = 2};
    fixture_begin();
    record("modes.gbr", time_of_two);
    load("steady precision=1% floor_wall=0s", &arena, &policies[0]);
    load("fixed samples=100", &arena, &policies[1]);
    find(&replays, &arena);
    replay(&replays);
    struct replay_outcome outcome = replay_outcome_of(&replays, 0, 0);
    ck_assert_uint_eq(outcome.verdicts[GB_VERDICT_MULTIMODAL], VISITS * REPLAY_STARTS);
    ck_assert_uint_gt(outcome.n_false, 0);
    ck_assert_uint_eq(outcome.n_false_in_visit, 2); /* visit 2, what ended in its quarter */
    replays_free(&replays);
    arena_free(&arena);
    fixture_end();
}

/* Kernels of which a policy takes some samples, and the baseline 1000. */
TEST_TIMES(samples_of_recordings_are_judged, 9)
{
    enum { KERNELS = 2 };
    static const struct {
        double precision;
        struct {
            double time_ns;
            struct demand demand;
            uint64_t n;
        } kernels[KERNELS];
        struct {
            double figure, limit; /* 0: there is none */
        } independent, correlated;
    } cases[] = {
        /* geometric means: of 100 and 400, and of 100 and 900 */
        {0.01, {{1e5, {1, 30, 190}, 100}, {1e5, {1.9, 30, 16}, 400}}, {20, 20}, {0, 0}},
        {0.02, {{1e5, {1, 30, 190}, 100}, {1e5, {1, 30, 16}, 900}}, {30, 20}, {0, 0}},
        /* each by its own limit: correlated, long, or by its first look */
        {0.01, {{1e5, {1, 30, 190}, 210}, {1e5, {2.1, 300, 16}, 610}}, {21, 20}, {61, 60}},
        {0.01, {{1e6, {1, 30, 340}, 360}, {1e6, {8, 300, 500}, 600}}, {36, 35}, {60, 60}},
        {0.01, {{5e6, {1, 30, 500}, 510}, {1e6, {8, 300, 700}, 710}}, {51, 50}, {71, 70}},
        /* what needs more than the limit is not asked, whoever measured it */
        {0.01, {{1e5, {1, 201, 16}, 900}, {1e5, {5, 601, 16}, 900}}, {0, 0}, {0, 0}},
        {0.01, {{1e5, {1, 200, 16}, 900}, {1e5, {5, 600, 16}, 900}}, {90, 20}, {90, 60}},
        /* nor where too few of the correlated ones are effective: 75 of 8 samples are 600 */
        {0.01, {{1e5, {8, 300, 16}, 900}, {1e5, {8.1, 300, 16}, 100}}, {0, 0}, {90, 60}},
        /* nor below 1 %, as the baseline takes as many for any precision */
        {0.005, {{1e5, {1, 30, 16}, 900}, {1e5, {5, 30, 16}, 900}}, {0, 0}, {0, 0}},
    };
    struct arena arena = {0};
    struct stopping_policy policies[2] = {{.precision = cases[_i].precision}, {.precision = 0.01}};
    const struct visit visit = {.median_ns = 1};
    struct kernel kernels[KERNELS];
    struct replayed replayed[KERNELS][2 * REPLAY_STARTS] = {0}, *kernel_replayed[KERNELS];
    struct demand demands[KERNELS][REPLAY_STARTS], *kernel_demands[KERNELS];
    for (size_t k = 0; k < KERNELS; k++) {
        kernels[k] = (struct kernel){.words = "kernel",
                                     .visits = &visit,
                                     .n_visits = 1,
                                     .reference_ns = cases[_i].kernels[k].time_ns};
        for (size_t i = 0; i < REPLAY_STARTS; i++) {
            replayed[k][i].stop.n = cases[_i].kernels[k].n;
            replayed[k][REPLAY_STARTS + i].stop.n = 1000;
            demands[k][i] = cases[_i].kernels[k].demand;
        }
        kernel_replayed[k] = replayed[k];
        kernel_demands[k] = demands[k];
    }
    const struct replays replays = {.kernels = kernels,
                                    .n_kernels = KERNELS,
                                    .policies = policies,
                                    .n_policies = 2,
                                    .baseline = 1,
                                    .n_jobs = 1,
                                    .replayed = kernel_replayed,
                                    .demands = kernel_demands};
    struct gates gates = {.arena = &arena};
    gates_of_replays(&replays, 0, &gates);
    for (size_t i = 0; i < 2; i++) {
        const struct gate *gate = gate_named(&gates, i == 0
                                                         ? "samples, geometric mean: independent"
                                                         : "samples, geometric mean: correlated");
        double figure = i == 0 ? cases[_i].independent.figure : cases[_i].correlated.figure;
        double limit = i == 0 ? cases[_i].independent.limit : cases[_i].correlated.limit;
        ck_assert_int_eq(gate != NULL, limit > 0);
        if (!gate)
            continue;
        ck_assert_double_eq_tol(gate->figure, figure, 1e-9);
        ck_assert_double_eq_tol(gate->limit, limit, 1e-9);
    }
    arena_free(&arena);
}

TEST(recordings_that_are_none)
{
    struct arena arena = {0};
    struct gb_error error;
    struct kernel *kernels = NULL;
    size_t n = 0;
    fixture_begin();
    const char *folder = fixture_folder;
    ck_assert_int_eq(recordings_find(&folder, 1, &arena, &kernels, &n, &error), GB_NOT_FOUND);
    ck_assert(strstr(error.text, "holds no results file") != NULL);
    struct store *store = fixture_open("short.gbr", STORE_WRITE);
    int64_t run_id = fixture_begin_run(store, 1);
    struct fixture_case c;
    fixture_case(&c, 1, 4, 1000);
    fixture_store(store, run_id, &c);
    fixture_close(store);
    ck_assert_int_eq(recordings_find(&folder, 1, &arena, &kernels, &n, &error), GB_NOT_FOUND);
    ck_assert(strstr(error.text, "no kernel with two visits") != NULL);
    const char *missing = fixture_path("missing.gbr");
    ck_assert_int_ne(recordings_find(&missing, 1, &arena, &kernels, &n, &error), GB_OK);
    arena_free(&arena);
    fixture_end();
}
