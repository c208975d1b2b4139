/* stopping_experiment.c - see stopping_experiment.h. */
#include "tests/stopping/stopping_experiment.h"

#include "core/base/statistics.h"
#include "tests/stopping/stopping_statistics.h"

#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    CHUNK = 20,          /* replications that a thread takes at a time */
    REPEATED_EVERY = 64, /* replications of which one is done again, */
    REPEATED_BATCH = 7   /*   in batches of so many samples */
};

/* --- scenarios --- */

static bool is_wanted(const struct trace_family *family, int flags, const char *const *names,
                      size_t n_names)
{
    for (size_t i = 0; i < n_names; i++)
        if (strcmp(names[i], family->name) == 0)
            return true;
    return n_names == 0 && ((flags & SCENARIOS_HELD_OUT) || !(family->flags & TRACE_HELD_OUT));
}

struct scenario *scenarios_of(int flags, const char *const *names, size_t n_names,
                              struct arena *arena, size_t *ret_n)
{
    static const struct {
        double time_ns, overhead_ns;
    } settings[] = {{1e5, 1e4}, {1e5, 6e4}, {1e5, 2e5}, {5e3, 6e4}, {1e6, 6e4}, {2e7, 6e4}};
    enum { QUICK = 2, FIXED = 3, ALL = sizeof settings / sizeof settings[0] };
    struct scenario *scenarios = NULL;
    size_t n = 0;
    for (size_t i = 0; i < n_trace_families; i++) {
        const struct trace_family *family = &trace_families[i];
        if (!is_wanted(family, flags, names, n_names))
            continue;
        size_t n_settings = flags & SCENARIOS_QUICK ? QUICK : family->time_ns > 0 ? FIXED : ALL;
        for (size_t j = 0; j < n_settings; j++) {
            scenarios = arena_grow(arena, scenarios, n, sizeof *scenarios);
            scenarios[n++] = (struct scenario){
                .setting = {family, family->time_ns > 0 ? family->time_ns : settings[j].time_ns,
                            settings[j].overhead_ns}};
        }
    }
    *ret_n = n;
    return scenarios;
}

/* --- running --- */

struct shared {
    struct experiment *experiment;
    uint64_t n_chunks; /* of a scenario */
    atomic_uint_fast64_t next_truth, next_trial, n_repeated, n_differing;
};

static bool same_stop(const struct stop *a, const struct stop *b)
{
    return stop_digest(STOP_DIGEST, a, true) == stop_digest(STOP_DIGEST, b, true);
}

static struct stop *stop_at(const struct experiment *experiment, size_t scenario, size_t policy,
                            uint64_t replication)
{
    return &experiment
                ->stops[(scenario * experiment->n_policies + policy) * experiment->n_replications +
                        replication];
}

/* A level that was there for less than a fiftieth of the time is none to the policies either (their
 * lightest mode). */
static bool was_seen(const struct stop *stop, double since_ns)
{
    return !(stop->elapsed_ns - since_ns < 0.02 * stop->elapsed_ns);
}

/* A first level that did not come back is warm-up, as it is in other families, if it lasted no
 * longer than warm-up may. */
static bool is_blind(const struct stop *stop, const struct trace *trace)
{
    return !was_seen(stop, trace->changed_ns) ||
           (trace->changed_ns <= 0.25 * stop->elapsed_ns && !was_seen(stop, trace->returned_ns));
}

static void run_replication(struct shared *shared, size_t scenario, uint64_t replication,
                            struct trace *trace)
{
    struct experiment *experiment = shared->experiment;
    trace_begin(trace, &experiment->scenarios[scenario].setting, experiment->seed, replication);
    for (size_t policy = 0; policy < experiment->n_policies; policy++) {
        struct stop *stop = stop_at(experiment, scenario, policy, replication);
        *stop = stopping_trial(&experiment->policies[policy], &stopping_guards, trace, 0);
        stop->is_blind = is_blind(stop, trace);
        if (replication % REPEATED_EVERY != 0)
            continue;
        struct stop again = stopping_trial(&experiment->policies[policy], &stopping_guards, trace,
                                           REPEATED_BATCH);
        atomic_fetch_add(&shared->n_repeated, 1);
        if (!same_stop(stop, &again))
            atomic_fetch_add(&shared->n_differing, 1);
    }
}

static void find_truth(struct experiment *experiment, size_t scenario)
{
    struct scenario *s = &experiment->scenarios[scenario];
    s->truth = truth_of(&s->setting, experiment->policies[0].precision, experiment->seed,
                        experiment->is_quick ? 16 : 64, 32768);
}

static void *work(void *context)
{
    struct shared *shared = context;
    struct experiment *experiment = shared->experiment;
    uint64_t i;
    while ((i = atomic_fetch_add(&shared->next_truth, 1)) < experiment->n_scenarios)
        find_truth(experiment, i);
    struct trace trace = {0};
    while ((i = atomic_fetch_add(&shared->next_trial, 1)) <
           shared->n_chunks * experiment->n_scenarios) {
        uint64_t first = i % shared->n_chunks * CHUNK;
        for (uint64_t r = first; r < first + CHUNK && r < experiment->n_replications; r++)
            run_replication(shared, i / shared->n_chunks, r, &trace);
    }
    trace_free(&trace);
    return NULL;
}

void experiment_run(struct experiment *experiment)
{
    struct shared shared = {.experiment = experiment,
                            .n_chunks = (experiment->n_replications + CHUNK - 1) / CHUNK};
    experiment->stops = memory_allocate(experiment->n_scenarios * experiment->n_policies *
                                        experiment->n_replications * sizeof *experiment->stops);
    in_threads(experiment->n_jobs, work, &shared);
    experiment->n_repeated = shared.n_repeated;
    experiment->n_differing = shared.n_differing;
}

/* --- outcomes --- */

const struct stop *experiment_stops(const struct experiment *experiment, size_t scenario,
                                    size_t policy)
{
    return stop_at(experiment, scenario, policy, 0);
}

static bool is_resolved(const struct stop *stop, const struct trace_family *family)
{
    return stop->verdict == GB_VERDICT_CERTIFIED || stop->verdict == GB_VERDICT_MULTIMODAL ||
           (stop->verdict == GB_VERDICT_RESOLUTION_LIMITED && family->tick_ns > 0 &&
            !(family->flags & TRACE_DITHERED));
}

struct outcome outcome_of(const struct experiment *experiment, size_t scenario, size_t policy)
{
    const struct scenario *s = &experiment->scenarios[scenario];
    const struct trace_family *family = s->setting.family;
    const struct stop *stops = experiment_stops(experiment, scenario, policy);
    const double precision = experiment->policies[policy].precision;
    uint64_t n = experiment->n_replications;
    double modes_ns[TRACE_MODES_MAX], *errors = memory_allocate((n + 1) * sizeof *errors);
    double *samples = memory_allocate((n + 1) * sizeof *samples);
    for (int i = 0; i < TRACE_MODES_MAX; i++)
        modes_ns[i] = family->modes[i] * s->setting.time_ns;
    struct outcome outcome = {.n = n};
    for (uint64_t i = 0; i < n; i++) {
        const struct stop *stop = &stops[i];
        double error = stop_error(stop, s->truth.median_ns, modes_ns);
        errors[i] = isnan(error) ? INFINITY : error;
        samples[i] = (double)stop->n;
        outcome.n_false += stop_is_false(stop, precision, error);
        outcome.n_blind += stop->is_blind;
        outcome.n_blind_false += stop->is_blind && stop_is_false(stop, precision, error);
        outcome.n_resolved += is_resolved(stop, family);
        outcome.n_failed += stop->has_failed;
        outcome.verdicts[stop->verdict]++;
        if (stop->verdict == GB_VERDICT_MULTIMODAL)
            continue; /* guarantees its modes, not for the median */
        outcome.n_intervals++;
        outcome.n_covered += stop_covers(stop, s->truth.median_ns);
    }
    outcome.median_samples = quantile_of(samples, n, 0.5);
    outcome.error_95 = quantile_of(errors, n, 0.95);
    free(errors);
    free(samples);
    return outcome;
}

static size_t nearest_mode(const struct scenario *scenario, const struct stop *stop)
{
    const double *modes = scenario->setting.family->modes;
    double value = stop->value_ns / scenario->setting.time_ns;
    size_t nearest = 0;
    for (size_t i = 1; i < TRACE_MODES_MAX && modes[i] > 0; i++)
        if (fabs(value - modes[i]) < fabs(value - modes[nearest]))
            nearest = i;
    return nearest;
}

static bool are_blind(const struct scenario *scenario, const struct stop *stops, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!stops[i].is_blind ||
            nearest_mode(scenario, &stops[i]) != nearest_mode(scenario, &stops[0]))
            return false;
    return true;
}

struct rounds_outcome rounds_outcome_of(const struct experiment *experiment, size_t scenario,
                                        size_t policy, size_t n_rounds)
{
    const struct stop *stops = experiment_stops(experiment, scenario, policy);
    const double precision = experiment->policies[policy].precision;
    const struct scenario *s = &experiment->scenarios[scenario];
    double median_ns = s->truth.median_ns;
    struct rounds_outcome outcome = {0};
    for (uint64_t i = 0; i + n_rounds <= experiment->n_replications; i += n_rounds) {
        struct rounds_interval rounds = stops_combined(&stops[i], n_rounds);
        bool is_narrow = (rounds.high - rounds.low) / 2 <= precision * fabs(rounds.centre);
        bool is_false = is_narrow && !(fabs(rounds.centre / median_ns - 1) <= precision);
        outcome.n++;
        outcome.n_certified += is_narrow;
        outcome.n_false += is_false;
        outcome.n_blind_false += is_false && are_blind(s, &stops[i], n_rounds);
        outcome.n_covered += rounds.low <= median_ns && median_ns <= rounds.high;
    }
    return outcome;
}

uint64_t experiment_digest(const struct experiment *experiment, size_t policy, bool with_estimate)
{
    uint64_t digest = STOP_DIGEST;
    for (size_t s = 0; s < experiment->n_scenarios; s++) {
        const struct stop *stops = experiment_stops(experiment, s, policy);
        for (uint64_t i = 0; i < experiment->n_replications; i++)
            digest = stop_digest(digest, &stops[i], with_estimate);
    }
    return digest;
}
