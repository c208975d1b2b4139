/* visits.c - see visits.h. */
#include "tests/stopping/visits.h"

#include "core/base/rounds.h"
#include "core/base/statistics.h"

#include <math.h>

#define S 1e9

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

#define FAMILY(name_, words_, function, ...)                                                       \
    {                                                                                              \
        .name = name_, .class = TRACE_REGIME, .words = words_, .noise = trace_normal_noise,        \
        .noise_parameters = {0.003}, .level = function, .level_parameters = {                      \
            __VA_ARGS__                                                                            \
        }                                                                                          \
    }
const struct trace_family visit_families[] = {
    FAMILY("visit_states", "a state of each visit, normal, 0.5 %", visit_state, 0.005),
    FAMILY("small_states", "a state of each visit, normal, 0.1 %", visit_state, 0.001),
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
    double apart_ns;
};

static void begin(const struct world *world, uint64_t visit, struct trace *trace)
{
    trace_begin(trace, world->setting, world->seed, (VISITS_MAX + 1) * world->replication + visit);
    trace->world = (world->seed << 32) + world->replication;
    trace->begun_ns = world->apart_ns * (double)visit;
}

static struct stop stop_of(const struct world *world, const struct stopping_policy *policy,
                           uint64_t visit, struct trace *trace)
{
    begin(world, visit, trace);
    return stopping_trial(policy, &stopping_guards, NULL, trace, 0);
}

/* The median of a visit, from samples that no policy sees. */
static double truth_of_visit(const struct world *world, uint64_t visit, struct trace *trace)
{
    enum { SAMPLES = 500 };
    begin(world, visit, trace);
    trace_extend(trace, SAMPLES);
    sort_values(trace->time_ns, SAMPLES);
    return quantile_of_sorted(trace->time_ns, SAMPLES, 0.5);
}

/* Until each rule has its certificate. */
static void combine(const struct world *world, const struct stopping_policy *policy,
                    struct trace *trace, struct visits_outcome *outcome)
{
    double medians[VISITS_MAX], lows[VISITS_MAX], highs[VISITS_MAX];
    bool is_done[VISITS_RULES] = {false};
    for (uint64_t n = 1; n <= VISITS_MAX && !is_done[VISITS_PREDICTED]; n++) {
        const struct stop stop = stop_of(world, policy, n - 1, trace);
        medians[n - 1] = stop.value_ns;
        lows[n - 1] = stop.low_ns;
        highs[n - 1] = stop.high_ns;
        outcome->combined_samples += is_done[VISITS_NARROW] ? 0 : (double)stop.n;
        const struct rounds_interval all = rounds_combine(medians, lows, highs, NULL, n, 0.95);
        const double wanted = policy->precision * all.centre;
        const double next = 0.5 * (all.between_high - all.between_low) * sqrt((double)n + 1);
        const bool is_narrow = n >= VISITS_MIN && all.high - all.centre <= wanted &&
                               all.centre - all.low <= wanted;
        const double error = fabs(all.centre / truth_of_visit(world, n, trace) - 1);
        for (size_t rule = 0; rule < VISITS_RULES; rule++) {
            if (is_done[rule] || !is_narrow || (rule == VISITS_PREDICTED && !(next <= wanted)))
                continue;
            is_done[rule] = true;
            outcome->rules[rule].n++;
            outcome->rules[rule].n_false += !(error <= policy->precision);
            outcome->rules[rule].visits += (double)n;
        }
    }
}

struct visits_outcome visits_outcome_of(const struct trace_setting *setting,
                                        const struct stopping_policy *alone,
                                        const struct stopping_policy *each, uint64_t seed,
                                        uint64_t n_replications, double apart_ns)
{
    struct visits_outcome outcome = {.n = n_replications};
    struct trace trace = {0};
    for (uint64_t i = 0; i < n_replications; i++) {
        const struct world world = {setting, seed, i, apart_ns};
        const struct stop stop = stop_of(&world, alone, 0, &trace);
        const double error = fabs(stop.value_ns / truth_of_visit(&world, 1, &trace) - 1);
        outcome.samples += (double)stop.n;
        outcome.n_certified += stop.verdict == GB_VERDICT_CERTIFIED;
        outcome.n_false += stop_is_false(&stop, alone->precision, error);
        combine(&world, each, &trace, &outcome);
    }
    outcome.samples /= (double)n_replications;
    outcome.combined_samples /= (double)n_replications;
    for (size_t rule = 0; rule < VISITS_RULES; rule++)
        outcome.rules[rule].visits /= (double)outcome.rules[rule].n;
    trace_free(&trace);
    return outcome;
}
