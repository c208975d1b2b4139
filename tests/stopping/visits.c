/* visits.c - see visits.h. */
#include "tests/stopping/visits.h"

#include "core/base/rounds.h"
#include "core/base/statistics.h"
#include "core/config/bench_case.h"
#include "core/run/repeats.h"

#include <math.h>

#define S 1e9
#define NOISE 0.003

/* --- families: 0.3 % of noise, and what a process or the machine adds --- */

static double now_ns(const struct trace *trace)
{
    return trace->begun_ns + trace->elapsed_ns;
}

/* In (0, 1), of the world; another for each place. */
static double of_world(const struct trace *trace, uint64_t place)
{
    struct trace_random random;
    trace_random_begin(&random, trace->world, 1, place);
    return trace_uniform(&random);
}

/* standard deviation */
static double visit_state(struct trace *trace, const double *numbers)
{
    if (isnan(trace->level_state))
        trace->level_state = trace_normal(&trace->random);
    return 1 + numbers[0] * trace->level_state;
}

/* standard deviation, of how many processes (process_of) */
static double process_state(struct trace *trace, const double *numbers)
{
    if (isnan(trace->level_state)) {
        struct trace_random random;
        trace_random_begin(&random, trace->world, 2, trace->process);
        trace->level_state = trace_normal(&random);
    }
    return 1 + numbers[0] * trace->level_state;
}

/* height of the other one, its probability */
static double placement(struct trace *trace, const double *numbers)
{
    if (isnan(trace->level_state))
        trace->level_state = trace_uniform(&trace->random) < numbers[1];
    return 1 + numbers[0] * trace->level_state;
}

/* change in a second, either way */
static double drift(struct trace *trace, const double *numbers)
{
    const double way = of_world(trace, 0) < 0.5 ? -1 : 1;
    return 1 + way * numbers[0] * now_ns(trace) / S;
}

/* height, period: rises, and falls at once */
static double saw(struct trace *trace, const double *numbers)
{
    const double turns = now_ns(trace) / numbers[1] + of_world(trace, 0);
    return 1 + numbers[0] * (turns - floor(turns));
}

/* height, how long it is there or not, probability */
static double co_tenant(struct trace *trace, const double *numbers)
{
    const double place = now_ns(trace) / numbers[1] + of_world(trace, 0);
    return 1 + numbers[0] * (of_world(trace, 1 + (uint64_t)place) < numbers[2]);
}

/* distance of the levels, how many, the stay at each */
static double ladder(struct trace *trace, const double *numbers)
{
    const double place = now_ns(trace) / numbers[2] + of_world(trace, 0);
    return 1 + numbers[0] * floor(numbers[1] * of_world(trace, 1 + (uint64_t)place));
}

/* height when the first visit begins, time constant */
static double warm_up(struct trace *trace, const double *numbers)
{
    return 1 + numbers[0] * trace_exp(-now_ns(trace) / numbers[1]);
}

#define FAMILY(name_, words_, function, ...) NOISY(name_, words_, NOISE, function, __VA_ARGS__)
#define NOISY(name_, words_, noise_, function, ...)                                                \
    {                                                                                              \
        .name = name_, .class = TRACE_REGIME, .words = words_, .noise = trace_normal_noise,        \
        .noise_parameters = {noise_}, .level = function, .level_parameters = {                     \
            __VA_ARGS__                                                                            \
        }                                                                                          \
    }
const struct trace_family visit_families[] = {
    FAMILY("stationary", "the noise alone", NULL, 0),
    NOISY("noisy", "the noise alone, ten times as much", 10 * NOISE, NULL, 0),
    FAMILY("visit_states", "a state of each visit, normal, 0.5 %", visit_state, 0.005),
    FAMILY("small_states", "a state of each visit, normal, 0.1 %", visit_state, 0.001),
    FAMILY("process_states", "a state of each of three processes, normal, 1 %", process_state, 0.01,
           3),
    FAMILY("few_processes", "three processes that do not differ", process_state, 0, 3),
    NOISY("hidden_states", "a state of each visit, 0.15 %, under 1 % of noise", 0.01, visit_state,
          0.0015),
    FAMILY("placements", "1.5 % more in 3 of 10 visits", placement, 0.015, 0.3),
    FAMILY("slow_drift", "0.05 % a second, for ever", drift, 0.0005),
    FAMILY("drift", "0.5 % a second, for ever", drift, 0.005),
    FAMILY("thermal_saw", "0 to 1 % every 20 s", saw, 0.01, 20 * S),
    FAMILY("co_tenant", "2 % more in 3 of 10 stretches of 5 s", co_tenant, 0.02, 5 * S, 0.3),
    FAMILY("clock_ladder", "4 levels 0.4 % apart, each for 4 s", ladder, 0.004, 4, 4 * S),
    FAMILY("long_warm_up", "from +2 % down, time constant 1 minute", warm_up, 0.02, 60 * S),
};
const size_t n_visit_families = sizeof visit_families / sizeof *visit_families;

/* --- visits --- */

struct world {
    const struct trace_setting *setting;
    uint64_t seed, replication;
};

/* Each visit has its own, or the first ones of a few, and the last of these all others: as a run
 * that soon can afford no more (core/run/renewal.h). */
static uint64_t process_of(const struct trace_family *family, uint64_t visit)
{
    const uint64_t most = (uint64_t)family->level_parameters[1];
    return family->level == process_state && visit + 1 > most ? most : visit + 1;
}

static void begin(const struct world *world, uint64_t visit, double at_ns, struct trace *trace)
{
    trace_begin(trace, world->setting, world->seed, (ROUNDS_MOST + 1) * world->replication + visit);
    trace->world = (world->seed << 32) + world->replication;
    trace->process = process_of(world->setting->family, visit);
    trace->begun_ns = at_ns;
}

/* The median of a visit, from samples that no policy sees. */
static double truth_of_visit(const struct world *world, uint64_t visit, double at_ns,
                             struct trace *trace)
{
    const double noise = world->setting->family->noise_parameters[0] / NOISE;
    const uint64_t n_samples = (uint64_t)(500 * noise * noise);
    begin(world, visit, at_ns, trace);
    trace->process = visit + ROUNDS_MOST; /* whatever visits share */
    trace_extend(trace, n_samples);
    sort_values(trace->time_ns, n_samples);
    return quantile_of_sorted(trace->time_ns, n_samples, 0.5);
}

static struct outcome visit(const struct world *world, const struct stopping_policy *policy,
                            uint64_t n, double at_ns, struct trace *trace)
{
    struct stopping_policy share = *policy;
    struct guards guards = stopping_guards;
    share.share = n > 0 ? PART_SHARE : 1;
    guards.min_samples = (uint64_t)ceil(share.share * (double)guards.min_samples);
    guards.max_time_ns *= share.share;
    begin(world, n, at_ns, trace);
    const struct stop stop = stopping_trial(&share, &guards, NULL, trace, 0);
    return (struct outcome){.status = CASE_OK,
                            .pid = (int64_t)process_of(world->setting->family, n),
                            .verdict = stop.verdict,
                            .value = stop.value_ns,
                            .low_ns = stop.low_ns,
                            .high_ns = stop.high_ns,
                            .precision = policy->precision,
                            .confidence = 0.95,
                            .n_samples = (double)stop.n,
                            .begun_ns = at_ns,
                            .sampled_ns = stop.elapsed_ns};
}

static void count(struct visits_count *count, bool is_certified, const struct rounds_interval *said,
                  double truth, double precision)
{
    count->n_certified += is_certified;
    count->n_false += is_certified && !(fabs(said->centre / truth - 1) <= precision);
    count->n_held += is_certified && said->low <= truth && truth <= said->high;
}

static void run_case(const struct world *world, const struct stopping_policy *policy,
                     double apart_ns, struct trace *trace, struct visits_outcome *outcome)
{
    struct outcome visits[ROUNDS_MOST];
    const double next_ns = fmax(apart_ns, ROUNDS_APART_NS);
    struct rounds_interval said;
    double at_ns = 0;
    uint64_t n = 0;
    do {
        visits[n] = visit(world, policy, n, at_ns, trace);
        at_ns += visits[n].sampled_ns + apart_ns;
        said = (struct rounds_interval){
            .centre = visits[n].value, .low = visits[n].low_ns, .high = visits[n].high_ns};
        if (n == 0)
            count(&outcome->alone, visits[0].verdict == GB_VERDICT_CERTIFIED, &said,
                  truth_of_visit(world, 1, visits[0].sampled_ns + next_ns, trace),
                  policy->precision);
        outcome->alone.samples += n == 0 ? visits[n].n_samples : 0;
        outcome->alone.ns += n == 0 ? visits[n].sampled_ns : 0;
        outcome->together.samples += visits[n].n_samples;
        outcome->together.ns += visits[n].sampled_ns;
    } while (repeats_is_open(visits, ++n, stopping_guards.max_time_ns));
    outcome->n_visits += n;
    const bool is_certified = repeats_verdict(visits, n, &said) == GB_VERDICT_CERTIFIED;
    rounds_hold_next(&said);
    count(&outcome->together, is_certified, &said,
          truth_of_visit(world, n, at_ns - apart_ns + next_ns, trace), policy->precision);
}

struct visits_outcome visits_outcome_of(const struct trace_setting *setting,
                                        const struct stopping_policy *policy, uint64_t seed,
                                        uint64_t n_replications, double apart_ns)
{
    struct visits_outcome outcome = {.n = n_replications};
    struct trace trace = {0};
    for (uint64_t i = 0; i < n_replications; i++) {
        const struct world world = {setting, seed, i};
        run_case(&world, policy, apart_ns, &trace, &outcome);
    }
    trace_free(&trace);
    return outcome;
}
