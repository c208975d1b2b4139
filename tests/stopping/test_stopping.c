/* test_stopping.c - what proves stopping policies (tests/stopping/stopping*, trace_*): its traces,
 * its statistics, and that its gates can fail. */
#include "core/base/random.h"
#include "plugins/common/policy/order_statistics.h"
#include "tests/check_main.h"
#include "tests/stopping/stopping_gates.h"
#include "tests/stopping/visits.h"
#include "tests/store/store_fixture.h"

/* --- statistics --- */

/* Of sums of exact binomial terms with 40 digits. */
TEST(clopper_pearson)
{
    static const struct {
        uint64_t k, n;
        double confidence, upper;
    } cases[] = {{0, 10, 0.95, 0.2588655508930523},
                 {0, 400, 0.95, 0.007461355528795993},
                 {5, 100, 0.95, 0.10225337764327451},
                 {3, 20, 0.975, 0.37892682654533975},
                 {19, 20, 0.95, 0.9974386212234697},
                 {82, 2000, 0.95, 0.04906088666299459},
                 {100, 2000, 0.95, 0.05877031422463724},
                 {10, 10, 0.95, 1},
                 {0, 0, 0.95, 1}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        ck_assert_double_eq_tol(share_upper_bound(cases[i].k, cases[i].n, cases[i].confidence),
                                cases[i].upper, 1e-11);
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
    ck_assert(!stop_covers(&stop, 100, 0.5));
    ck_assert(stop_covers(&stop, 103, 0));
    ck_assert(!stop_covers(&stop, 103.5, 0));
    ck_assert(stop_covers(&stop, 100, 1) && stop_covers(&stop, 104, 1));
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

static uint64_t digest_of(const struct trace_family *family, uint64_t seed, uint64_t batch)
{
    enum { SAMPLES = 6000 };
    const struct trace_setting setting = {family, usual_time(family), 6e4};
    struct trace trace = {0};
    uint64_t digest = HASH_START;
    trace_begin(&trace, &setting, seed, 3);
    for (uint64_t n = 0; n < SAMPLES; n += batch) {
        trace_extend(&trace, n + batch);
        struct gb_samples part = trace_part(&trace, n, batch);
        for (uint64_t i = 0; i < 2 * batch; i++) {
            uint64_t bits;
            memcpy(&bits, i % 2 == 0 ? &part.time_ns[i / 2] : &part.elapsed_ns[i / 2], sizeof bits);
            digest = hash_number(digest, bits);
        }
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

/* Equal modes of 1 % noise, each to be known within 0.5 % of the median of all, 1.075: the slower
 * one to 0.467 of its standard deviations, which are h = 0.18 of its samples; 79 are needed. */
TEST(modes_of_traces)
{
    const struct trace_setting setting = {trace_family_named("modes_50_50"), 1e5, 6e4};
    struct truth truth = truth_of(&setting, 0.005, 1, 16, 32768);
    ck_assert_double_eq_tol(confidence_sequence_radius(79, 0.05, 256), 0.18, 0.001);
    ck_assert_double_eq_tol(truth.samples_to_know, 2 * 79, 12);
}

/* --- gates --- */

static struct arena arena;
static struct gates gates;
static struct stopping_policy policies[2];

static void set_up(void)
{
    gates = (struct gates){.arena = &arena};
}

static void tear_down(void)
{
    arena_free(&arena);
}

TEST_FIXTURE(set_up, tear_down)

/* As policies[i]. */
static void load(const char *text, size_t i)
{
    struct gb_error error;
    int32_t status = stopping_policy_load(text, &arena, &policies[i], &error);
    ck_assert_msg(status == GB_OK, "%s", error.text);
}

TEST(policies_are_found_and_set)
{
    struct gb_error error;
    load("median_ci precision=0.5% min=40", 0);
    ck_assert_str_eq(policies[0].plugin->id, "median_ci");
    ck_assert_double_eq(policies[0].precision, 0.005);
    load("stdrel", 0);
    ck_assert_double_eq(policies[0].precision, 0.01);
    static const char *const wrong[][2] = {
        {"median_ci precisoin=1%", "precisoin"}, {"nobody", "nobody"}, {"", "name"}};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        ck_assert_int_ne(stopping_policy_load(wrong[i][0], &arena, &policies[0], &error), GB_OK);
        ck_assert_msg(strstr(error.text, wrong[i][1]) != NULL, "%s", error.text);
    }
}

/* A name that is mistyped finds no gate. */
static const struct gate *gate_there(const char *name)
{
    const struct gate *gate = gate_named(&gates, name);
    if (!gate)
        ck_abort_msg("there is no gate \"%s\"", name);
    return gate;
}

/* Of the first policies, the last one as the baseline. */
static struct experiment run_families(size_t n_policies, const char *const *families,
                                      size_t n_families, uint64_t n_replications, uint32_t n_jobs)
{
    struct gb_error error;
    struct experiment experiment = {.policies = policies,
                                    .n_policies = n_policies,
                                    .baseline = n_policies - 1,
                                    .n_replications = n_replications,
                                    .seed = 1,
                                    .n_jobs = n_jobs,
                                    .is_quick = true};
    experiment.scenarios = scenarios_of(SCENARIOS_QUICK, families, n_families, &arena,
                                        &experiment.n_scenarios);
    ck_assert_int_eq(experiment_run(&experiment, &error), GB_OK);
    ck_assert_uint_eq(experiment.n_scenarios, 2 * n_families);
    ck_assert_uint_eq(experiment.n_differing, 0);
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
    load("median_ci floor_wall=0s", 0);
    load("stdrel", 1);
    struct experiment experiment = run_families(2, families, sizeof families / sizeof families[0],
                                                65, 2);
    ck_assert_uint_eq(experiment.n_repeated, 40);
    gates_of(&experiment, 0, &gates);
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
        const struct gate *gate = gate_there(expected[i].name);
        ck_assert_msg(gate->passed == expected[i].passed, "%s: %g %s, limit %g", gate->name,
                      gate->figure, gate->unit, gate->limit);
    }
    ck_assert_uint_gt(gates_failed(&gates), 0);
    /* The worst of two: of "normal" the samples, of "ar_99" what is false and what is covered. */
    double taken = 0, most_false = 0, least_covered = INFINITY;
    for (size_t i = 0; i < 2; i++) {
        struct outcome normal = outcome_of(&experiment, i, 0),
                       o = outcome_of(&experiment, 4 + i, 0);
        taken = fmax(taken,
                     100 * normal.median_samples / outcome_of(&experiment, i, 1).median_samples);
        most_false = fmax(most_false, 100 * share_upper_bound(o.n_false, o.n, 0.95));
        least_covered = fmin(least_covered,
                             100 * share_upper_bound(o.n_covered, o.n_intervals, 0.95));
    }
    ck_assert_double_eq_tol(gate_there("samples, of the baseline's: normal")->figure, taken, 1e-9);
    ck_assert_double_eq(gate_there("false, upper bound: ar_99")->figure, most_false);
    ck_assert_double_eq(gate_there("coverage, upper bound: ar_99")->figure, least_covered);
    experiment_free(&experiment);
}

/* Of 1000 that the baseline takes, with 60 us of overhead. */
static const struct {
    const char *family;
    double time_ns, precision, tau, samples_to_know, allowed; /* NAN: they are not asked */
} asked[] = {
    {"normal", 1e5, 0.01, 1, 200, 20},
    {"normal", 1e5, 0.01, 1, 201, NAN}, /* what needs more than the limit */
    {"normal", 2e5, 0.01, 1, 200, 20},
    {"normal", 2.1e5, 0.01, 1, 350, 35}, /* long ones */
    {"normal", 2.1e5, 0.01, 1, 351, NAN},
    {"normal", 1e5, 0.02, 1, 30, 20},
    {"normal", 1e5, 0.0099, 1, 30, NAN}, /* the baseline takes as many for any precision */
    {"tick_500ns", 5270, 0.01, 1, 200, 20},
    {"ar_95", 1e5, 0.01, 5, 600, 60},
    {"ar_95", 1e6, 0.01, 5, 601, NAN},
    {"ar_95", 1e5, 0.01, 8, 300, 60},
    {"ar_95", 1e5, 0.01, 8.1, 300, NAN}, /* 75 effective ones are 607 */
    {"step", 1e6, 0.01, 1, 550, 55},     /* 56 of them are before it, a quarter of 226 */
    {"step", 1e6, 0.01, 1, 551, NAN},
    {"step", 3.8e5, 0.01, 1, 30, 55},
    {"step", 3.7e5, 0.01, 1, 30, NAN}, /* 139.5 before it, of 558 */
    {"modes_50_50", 1e5, 0.01, 1, 30, NAN},
};

TEST_EACH(samples_that_are_allowed, asked)
{
    const struct trace_setting setting = {trace_family_named(asked[_i].family), asked[_i].time_ns,
                                          6e4};
    const struct truth truth = {.tau = asked[_i].tau, .samples_to_know = asked[_i].samples_to_know};
    const double allowed = samples_allowed(&setting, &truth, asked[_i].precision, 1000);
    ck_assert_int_eq(isnan(allowed), isnan(asked[_i].allowed));
    ck_assert(isnan(allowed) || allowed == asked[_i].allowed);
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
        {{1, 1.004, 1}, {true, true, true}, 0, 0}, /* wide: t is 4.3, half the width 0.0057 */
        {{1.0055, 1.0055, 1.0055}, {true, true, true}, 0, 0},
    };
    struct stop stops[3] = {0};
    struct scenario scenario = {.setting = {trace_family_named("long_regimes"), 1e5, 1e4},
                                .truth = {.median_ns = 1.0055e5},
                                .n = 3};
    const struct experiment experiment = {.scenarios = &scenario,
                                          .n_scenarios = 1,
                                          .policies = policies,
                                          .n_policies = 1,
                                          .stops = stops};
    policies[0].precision = 0.005;
    for (int i = 0; i < 3; i++)
        stops[i] = (struct stop){.value_ns = 1e5 * cases[_i].values[i],
                                 .low_ns = 1e5 * (cases[_i].values[i] - 0.0005),
                                 .high_ns = 1e5 * (cases[_i].values[i] + 0.0005),
                                 .is_blind = cases[_i].are_blind[i],
                                 .has_ended = true};
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
static void gates_of_dithered(const char *text, uint64_t n_replications)
{
    load(text, 0);
    struct experiment experiment = run_families(1, dithered_families, DITHERED, n_replications, 2);
    gates_of(&experiment, 0, &gates);
    experiment_free(&experiment);
}

/* Of 0.5 %, that is 2 to 26 ns, on ticks of 32 and 1024 ns: few are wrong, all are resolved, and
 * intervals hold; a phase that is locked is not certified. */
TEST(dithered_samples_are_resolved)
{
    static const char *const names[] = {"false, upper bound", "coverage, upper bound", "resolved",
                                        "multimodal where it is not", "95 % of errors within"};
    size_t n_asked = 0;
    gates_of_dithered("steady precision=0.5%", test_is_long() ? 100 : 60);
    for (size_t i = 0; i < gates.n; i++) {
        for (size_t j = 0; j < sizeof names / sizeof names[0]; j++) {
            if (strncmp(gates.items[i].name, names[j], strlen(names[j])) != 0)
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
    ck_assert(gate_there("false certificates, pooled, upper bound")->passed);
}

TEST(without_the_mean_they_are_not)
{
    gates_of_dithered("steady precision=0.5% without=dithering", 5);
    for (size_t i = 0; i + 1 < DITHERED; i++) {
        const char *name = arena_printf(&arena, "resolved: %s", dithered_families[i]);
        ck_assert_msg(!gate_there(name)->passed, "%s", name);
    }
    ck_assert_double_eq(gate_there("false, upper bound: locked")->figure,
                        100 * share_upper_bound(0, 5, 0.95));
}

/* The same whatever the number of threads. */
TEST(stops_do_not_depend_on_threads)
{
    static const char *const families[] = {"ar_95"};
    uint64_t digests[2];
    load("median_ci floor_wall=0s", 0);
    for (uint32_t i = 0; i < 2; i++) {
        struct experiment experiment = run_families(1, families, 1, 100, i == 0 ? 1 : 4);
        digests[i] = experiment_digest(&experiment, 0, true);
        experiment_free(&experiment);
    }
    ck_assert_uint_eq(digests[0], digests[1]);
}

TEST(a_figure_that_is_no_number_does_not_pass)
{
    CLEANUP(text_free) struct text out = {0};
    gate_add(&gates, "one", "", AT_MOST, NAN, 5, "%");
    gate_add(&gates, "two", "", AT_LEAST, NAN, 5, "%");
    gate_add(&gates, "three", "", AT_MOST, 5, 5, "%");
    gate_add(&gates, "four", "here", AT_LEAST, 4.9, 5, "%");
    ck_assert_uint_eq(gates_failed(&gates), 3);
    gates_write(&gates, &out);
    ck_assert(strstr(text_get(&out), "FAIL  here") != NULL);
}

/* --- looks --- */

TEST(looks_are_timed)
{
    load("median_ci floor_wall=0s", 0);
    struct worst_look worst = stopping_looks(&policies[0], 5000, 1);
    ck_assert_double_gt(worst.ns, 0);
    ck_assert_double_gt(worst.report_ns, 0);
    ck_assert_double_gt(worst.a_sample_ns, 0);
    ck_assert_uint_gt(worst.n_looks, 10);
    ck_assert_uint_le(worst.n, 5000);
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

/* So many samples in each visit. */
static void record(unsigned n, time_fn *time_of)
{
    static struct plugin_info budget = {.plugin = {.id = "budget", .version = "1.0"}};
    static struct plugin_settings policy = {.name = "long", .info = &budget};
    static double times[RECORDED], elapsed[RECORDED];
    struct store *store = fixture_open("long.gbr", STORE_WRITE);
    int64_t run_id = fixture_begin_run(store, 1);
    for (unsigned visit = 0; visit < VISITS; visit++) {
        struct fixture_case c;
        fixture_case(&c, visit, 4, 1000);
        for (unsigned i = 0; i < n; i++) {
            times[i] = time_of(visit, i);
            elapsed[i] = 1e6 * (i + 1);
        }
        c.bench_case.policy = &policy;
        c.record.round = visit;
        c.record.n_samples = n;
        c.columns[0].values = times;
        c.columns[1].values = elapsed;
        fixture_store(store, run_id, &c);
    }
    fixture_end_run(store, run_id);
    fixture_close(store);
}

/* Policies on recordings of one kernel, the second as the baseline. */
static struct experiment replay(time_fn *time_of, const char *policy, const char *baseline)
{
    struct gb_error error;
    struct experiment experiment = {
        .policies = policies, .n_policies = 2, .baseline = 1, .n_jobs = 2};
    record(RECORDED, time_of);
    const char *path = fixture_path("long.gbr");
    load(policy, 0);
    load(baseline, 1);
    int32_t status = recordings_find(&path, 1, &arena, &experiment.scenarios,
                                     &experiment.n_scenarios, &error);
    ck_assert_msg(status == GB_OK, "%s", error.text);
    ck_assert_uint_eq(experiment.n_scenarios, 1);
    status = experiment_run(&experiment, &error);
    ck_assert_msg(status == GB_OK, "%s", error.text);
    return experiment;
}

TEST(recordings_are_replayed)
{
    struct gb_error error;
    fixture_begin();
    struct experiment experiment = replay(time_of_one, "median_ci floor_wall=0s",
                                          "fixed samples=5000");
    const struct scenario *kernel = experiment.scenarios;
    ck_assert_str_eq(kernel->words, "streams streams=4");
    ck_assert_uint_eq(kernel->n_visits, VISITS);
    ck_assert_double_eq(kernel->visits[0].tick_ns, 2);
    ck_assert_double_eq_tol(kernel->truth.median_ns, 1002.2, 0.3);
    ck_assert_double_eq_tol(kernel->spread, 0.01, 1e-3);
    struct trace recorded;
    int32_t status = recorded_read(&kernel->visits[0], &recorded, &error);
    ck_assert_msg(status == GB_OK, "%s", error.text);
    double elapsed[RECORDED];
    struct gb_samples samples = trace_from(&recorded, 1000, elapsed);
    ck_assert_uint_eq(samples.n, RECORDED - 1000);
    ck_assert_double_eq(samples.elapsed_ns[0], 1e6); /* as if it had begun there */
    ck_assert_double_eq(samples.time_ns[1], 1000 + 1001 * 7 % 5);
    ck_assert_uint_eq(samples.iterations[2], 10);
    ck_assert_double_eq(samples.tick_ns, 2);
    ck_assert_ptr_null(samples.throttle);
    trace_free(&recorded);
    /* Of three visits, each from ten places: those from the beginning see the warm-up only. */
    struct outcome outcome = outcome_of(&experiment, 0, 0);
    ck_assert_uint_eq(outcome.n, VISITS * REPLAY_STARTS);
    ck_assert_uint_eq(outcome.n_short, 0);
    ck_assert_uint_eq(outcome.n_false, VISITS);
    ck_assert_uint_eq(outcome.n_false_in_visit, VISITS);
    ck_assert_uint_eq(outcome.verdicts[GB_VERDICT_CERTIFIED], VISITS * REPLAY_STARTS);
    ck_assert_double_eq(outcome.median_samples, 30);
    /* The other one needs more samples than there are. */
    outcome = outcome_of(&experiment, 0, 1);
    ck_assert_uint_eq(outcome.n, 0);
    ck_assert_uint_eq(outcome.n_short, VISITS * REPLAY_STARTS);
    ck_assert_double_eq(outcome.median_samples, RECORDED);
    gates_of_recordings(&experiment, 0, &gates);
    ck_assert(!gate_there("false in their visits, all recordings")->passed);
    ck_assert_double_eq_tol(gate_there("samples, geometric mean")->figure, 3000.0 / RECORDED, 1e-9);
    CLEANUP(text_free) struct text out = {0};
    table_of_outcomes(&experiment, &out);
    ck_assert(strstr(text_get(&out), "streams streams=4") != NULL);
    experiment_free(&experiment);
    fixture_end();
}

/* Of two modes the median is one or the other: each is judged by itself. */
TEST(modes_of_recordings_are_judged)
{
    fixture_begin();
    struct experiment experiment = replay(time_of_two, "steady precision=1% floor_wall=0s",
                                          "fixed samples=100");
    struct outcome outcome = outcome_of(&experiment, 0, 0);
    ck_assert_uint_eq(outcome.verdicts[GB_VERDICT_MULTIMODAL], VISITS * REPLAY_STARTS);
    ck_assert_uint_gt(outcome.n_false, 0);
    ck_assert_uint_eq(outcome.n_false_in_visit, 2); /* visit 2, what ended in its quarter */
    experiment_free(&experiment);
    fixture_end();
}

TEST(recordings_that_are_none)
{
    struct gb_error error;
    struct scenario *kernels = NULL;
    size_t n = 0;
    fixture_begin();
    const char *path = fixture_path("long.gbr");
    ck_assert_int_ne(recordings_find(&path, 1, &arena, &kernels, &n, &error), GB_OK);
    record(999, time_of_one);
    ck_assert_int_eq(recordings_find(&path, 1, &arena, &kernels, &n, &error), GB_NOT_FOUND);
    ck_assert(strstr(error.text, "no kernel with two visits") != NULL);
    fixture_end();
}

/* --- the next visit --- */

/* Of one visit, and of all that `rounds = auto` asks for: certified, false against the next. What
 * visits see of each other, they do not certify; nor what they do not see, as they follow at once.
 */
static const struct next_visit {
    const char *family, *policy;
    double apart_ns;
    uint64_t n_false, n_certified, n_certified_false, n_visits;
} next_visits[] = {
    {"stationary", "steady", 3e9, 0, 40, 0, 320},
    {"visit_states", "steady", 3e9, 7, 14, 1, 436},
    {"small_states", "steady precision=0.2%", 3e9, 6, 16, 3, 444},
    {"hidden_states", "steady precision=0.2%", 3e9, 10, 5, 1, 468},
    {"process_states", "steady", 3e9, 17, 1, 0, 476},
    {"few_processes", "steady precision=0.5%", 3e9, 0, 34, 0, 352},
    {"placements", "steady", 3e9, 16, 3, 1, 468},
    {"slow_drift", "steady precision=0.5%", 3e9, 0, 0, 0, 480},
    {"drift", "steady", 3e9, 35, 0, 0, 425},
    {"drift", "steady", 5e7, 0, 0, 0, 285},
    {"thermal_saw", "steady", 3e9, 0, 39, 0, 324},
    {"co_tenant", "steady", 3e9, 12, 9, 2, 444},
    {"co_tenant", "steady", 5e7, 4, 0, 0, 324},
    {"clock_ladder", "steady", 3e9, 5, 28, 1, 408},
    {"long_warm_up", "steady precision=0.2%", 3e9, 0, 0, 0, 447},
};

/* Within four standard deviations of the lesser number? */
static void check_share(uint64_t few, uint64_t n_few, uint64_t many, uint64_t n_many)
{
    const double share = (double)few / (double)n_few, found = (double)many / (double)n_many;
    ck_assert_double_le(fabs(found - share),
                        4 * sqrt((found * (1 - found) + 0.01) / (double)n_few));
}

static struct trace_setting setting_of(const char *family)
{
    struct trace_setting setting = {NULL, 1e6, 6e4};
    for (size_t i = 0; i < n_visit_families; i++)
        if (strcmp(visit_families[i].name, family) == 0)
            setting.family = &visit_families[i];
    ck_assert_ptr_nonnull(setting.family);
    return setting;
}

TEST_EACH(certificates_and_the_next_visit, next_visits)
{
    enum { REPLICATIONS = 40, LONG_REPLICATIONS = 2000 };
    const struct next_visit *expected = &next_visits[_i];
    const struct trace_setting setting = setting_of(expected->family);
    load(expected->policy, 0);
    const struct visits_outcome o = visits_outcome_of(&setting, &policies[0], 1, REPLICATIONS,
                                                      expected->apart_ns);
    ck_assert_msg(
        o.alone.n_false == expected->n_false && o.together.n_certified == expected->n_certified &&
            o.together.n_false == expected->n_certified_false && o.n_visits == expected->n_visits,
        "false %d; of all visits %d, false %d; %d visits", (int)o.alone.n_false,
        (int)o.together.n_certified, (int)o.together.n_false, (int)o.n_visits);
    if (!test_is_long())
        return;
    const struct visits_outcome all = visits_outcome_of(&setting, &policies[0], 2,
                                                        LONG_REPLICATIONS, expected->apart_ns);
    check_share(o.alone.n_false, o.n, all.alone.n_false, all.n);
    check_share(o.together.n_certified, o.n, all.together.n_certified, all.n);
    check_share(o.together.n_false, o.n, all.together.n_false, all.n);
}

/* A state of 1 % that each process has is not taken for 0.2 %, where three of them are all that a
 * run can afford: of 200 at most one in twenty is certified with an interval without the next
 * one's. */
TEST(what_a_process_adds_is_not_certified)
{
    enum { RUNS = 200 };
    const struct trace_setting setting = setting_of("process_states");
    load("steady precision=0.2%", 0);
    const struct visits_outcome o = visits_outcome_of(&setting, &policies[0], 1, RUNS, 3e9);
    ck_assert_uint_gt(o.alone.n_certified - o.alone.n_held, RUNS * 9 / 10);
    ck_assert_uint_le(o.together.n_certified - o.together.n_held, RUNS / 20);
}

/* Visits 3 s apart: of each family at most 5 % of the cases (of few, 20 %) are certified and off,
 * and those that have nothing but noise take at most 1.3 times the samples of one visit. */
TEST_TIMES(the_next_visit_of_each_family, (int)n_visit_families)
{
    static const char *const texts[] = {"steady", "steady precision=0.5%", "steady precision=0.2%"};
    const uint64_t n = test_is_long() ? 2000 : 20, most = test_is_long() ? n / 20 : n / 5;
    const struct trace_setting setting = {&visit_families[_i], 1e6, 6e4};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        load(texts[i], 0);
        const struct visits_outcome o = visits_outcome_of(&setting, &policies[0], 1, n, 3e9);
        const double times = o.together.samples / o.alone.samples;
        ck_assert_msg(o.together.n_false <= most, "%s, %s: %d false", setting.family->name,
                      texts[i], (int)o.together.n_false);
        if (strcmp(setting.family->name, "stationary") == 0)
            ck_assert_msg(times <= 1.3 && o.together.n_certified >= 0.95 * (double)n,
                          "%s: %g times the samples, %d certified", texts[i], times,
                          (int)o.together.n_certified);
    }
}
