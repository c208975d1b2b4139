/* stopping_experiment.c - see stopping_experiment.h. */
#include "tests/stopping/stopping_experiment.h"

#include "core/base/rounds.h"
#include "core/base/statistics.h"
#include "tests/stopping/stopping_recordings.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    CHUNK = 20,          /* replications that a thread takes at a time */
    REPEATED_EVERY = 64, /* replications of which one is done again, */
    REPEATED_BATCH = 7,  /*   in batches of so many samples */
    ROUNDS_MAX = 16
};

/* --- statistics --- */

double share_upper_bound(uint64_t k, uint64_t n, double confidence)
{
    double low = 0, high = 1;
    for (int i = 0; i < 60 && k < n; i++) {
        double share = 0.5 * (low + high);
        if (binomial_at_most(k, n, share) > 1 - confidence)
            low = share;
        else
            high = share;
    }
    return k >= n ? 1 : 0.5 * (low + high);
}

double percent(uint64_t k, uint64_t n)
{
    return n ? 100 * (double)k / (double)n : NAN;
}

double quantile_of(double *values, size_t n, double p)
{
    sort_values(values, n);
    return quantile_of_sorted(values, n, p);
}

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
            double time_ns = family->time_ns > 0 ? family->time_ns : settings[j].time_ns;
            double overhead_ns = settings[j].overhead_ns;
            char time[NUMBER_TEXT_MAX], overhead[NUMBER_TEXT_MAX];
            const char *words = arena_printf(arena, "%s T=%s +%s", family->name,
                                             format_time(time_ns, 3, time),
                                             format_time(overhead_ns, 3, overhead));
            ARENA_APPEND(
                arena, scenarios, n,
                (struct scenario){.setting = {family, time_ns, overhead_ns}, .words = words});
        }
    }
    *ret_n = n;
    return scenarios;
}

/* --- running --- */

struct shared {
    struct experiment *experiment;
    atomic_uint_fast64_t next_truth, next_task, n_repeated, n_differing;
    atomic_bool has_failed;
    struct gb_error error;
};

static struct stop *stop_at(const struct experiment *experiment, size_t scenario, size_t policy,
                            uint64_t replication)
{
    const struct scenario *s = &experiment->scenarios[scenario];
    return &experiment->stops[s->first * experiment->n_policies + policy * s->n + replication];
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
        *stop = stopping_trial(&experiment->policies[policy], &stopping_guards, NULL, trace, 0);
        stop->is_blind = is_blind(stop, trace);
        if (replication % REPEATED_EVERY != 0)
            continue;
        struct stop again = stopping_trial(&experiment->policies[policy], &stopping_guards, NULL,
                                           trace, REPEATED_BATCH);
        atomic_fetch_add(&shared->n_repeated, 1);
        if (stop_digest(STOP_DIGEST, stop, true) != stop_digest(STOP_DIGEST, &again, true))
            atomic_fetch_add(&shared->n_differing, 1);
    }
}

static size_t nearest(const double *modes, size_t n_modes, double value)
{
    size_t ret = 0;
    for (size_t i = 1; i < n_modes && modes[i] > 0; i++)
        if (fabs(value - modes[i]) < fabs(value - modes[ret]))
            ret = i;
    return ret;
}

/* A stop's error in its visit. What is known of modes that it claims: the median of all of the
 * visit that lies nearest to each. near: room for one value of each sample. */
static double error_in_visit(const struct stop *stop, const struct visit *visit,
                             const struct trace *all, double *near)
{
    double modes_ns[TRACE_MODES_MAX] = {0};
    size_t n_modes = stop->n_modes < TRACE_MODES_MAX ? stop->n_modes : TRACE_MODES_MAX;
    for (size_t mode = 0; stop->verdict == GB_VERDICT_MULTIMODAL && mode < n_modes; mode++) {
        size_t n = 0;
        for (uint64_t i = 0; i < all->n; i++)
            if (nearest(stop->modes_ns, n_modes, all->time_ns[i]) == mode)
                near[n++] = all->time_ns[i];
        modes_ns[mode] = n > 0 ? mid_median(near, n) : INFINITY;
    }
    return stop_error(stop, visit->median_ns, modes_ns);
}

/* values: room for one of each sample. */
static void replay_from(const struct experiment *experiment, size_t scenario,
                        const struct trace *recorded, uint64_t replication, double *values)
{
    const struct scenario *s = &experiment->scenarios[scenario];
    const struct visit *visit = &s->visits[replication % s->n_visits];
    uint64_t first = recorded->n / REPLAY_STARTS * (replication / s->n_visits);
    const struct gb_samples samples = trace_from(recorded, first, values);
    for (size_t policy = 0; policy < experiment->n_policies; policy++)
        *stop_at(experiment, scenario, policy, replication) = stopping_trial(
            &experiment->policies[policy], &stopping_guards, &samples, NULL, 0);
    for (size_t policy = 0; policy < experiment->n_policies; policy++) {
        struct stop *stop = stop_at(experiment, scenario, policy, replication);
        stop->error_in_visit = error_in_visit(stop, visit, recorded, values);
    }
}

static void replay_visit(struct shared *shared, size_t scenario, size_t visit)
{
    const struct scenario *s = &shared->experiment->scenarios[scenario];
    struct trace recorded;
    struct gb_error error;
    if (recorded_read(&s->visits[visit], &recorded, &error) != GB_OK) {
        if (!atomic_exchange(&shared->has_failed, true))
            shared->error = error;
        return;
    }
    double *values = memory_allocate(recorded.n * sizeof *values);
    for (uint64_t start = 0; start < REPLAY_STARTS; start++)
        replay_from(shared->experiment, scenario, &recorded, start * s->n_visits + visit, values);
    free(values);
    trace_free(&recorded);
}

static void find_truth(struct experiment *experiment, size_t scenario)
{
    struct scenario *s = &experiment->scenarios[scenario];
    if (s->setting.family)
        s->truth = truth_of(&s->setting, experiment->policies[0].precision, experiment->seed,
                            experiment->is_quick ? 16 : 64, 32768);
}

/* Some replications, or a visit; false: there is no such task. */
static bool run_task(struct shared *shared, uint64_t task, struct trace *trace)
{
    for (size_t scenario = 0; scenario < shared->experiment->n_scenarios; scenario++) {
        const struct scenario *s = &shared->experiment->scenarios[scenario];
        uint64_t n = s->setting.family ? (s->n + CHUNK - 1) / CHUNK : s->n_visits;
        if (task >= n) {
            task -= n;
            continue;
        }
        if (!s->setting.family)
            replay_visit(shared, scenario, task);
        for (uint64_t r = task * CHUNK; s->setting.family && r < (task + 1) * CHUNK && r < s->n;
             r++)
            run_replication(shared, scenario, r, trace);
        return true;
    }
    return false;
}

static void *work(void *context)
{
    struct shared *shared = context;
    struct trace trace = {0};
    uint64_t i;
    while ((i = atomic_fetch_add(&shared->next_truth, 1)) < shared->experiment->n_scenarios)
        find_truth(shared->experiment, i);
    while (!shared->has_failed && run_task(shared, atomic_fetch_add(&shared->next_task, 1), &trace))
        continue;
    trace_free(&trace);
    return NULL;
}

/* In this thread and in as many others as make n_threads, or can be started. */
static void work_in_threads(uint32_t n_threads, struct shared *shared)
{
    pthread_t *threads = memory_allocate(n_threads * sizeof *threads);
    uint32_t n_started = 0;
    while (n_started + 1 < n_threads &&
           pthread_create(&threads[n_started], NULL, work, shared) == 0)
        n_started++;
    work(shared);
    for (uint32_t i = 0; i < n_started; i++)
        pthread_join(threads[i], NULL);
    free(threads);
}

int32_t experiment_run(struct experiment *experiment, struct gb_error *error)
{
    struct shared shared = {.experiment = experiment};
    uint64_t n = 0;
    for (size_t i = 0; i < experiment->n_scenarios; i++) {
        struct scenario *s = &experiment->scenarios[i];
        s->n = s->setting.family ? experiment->n_replications : s->n_visits * REPLAY_STARTS;
        s->first = n;
        n += s->n;
    }
    experiment->stops = memory_allocate((n * experiment->n_policies + 1) *
                                        sizeof *experiment->stops);
    work_in_threads(experiment->n_jobs, &shared);
    experiment->n_repeated = shared.n_repeated;
    experiment->n_differing = shared.n_differing;
    if (shared.has_failed)
        *error = shared.error;
    return shared.has_failed ? shared.error.status : GB_OK;
}

void experiment_free(struct experiment *experiment)
{
    free(experiment->stops);
}

/* --- outcomes --- */

static bool is_resolved(const struct stop *stop, const struct trace_family *family)
{
    return stop->verdict == GB_VERDICT_CERTIFIED || stop->verdict == GB_VERDICT_MULTIMODAL ||
           (stop->verdict == GB_VERDICT_RESOLUTION_LIMITED && family && family->tick_ns > 0 &&
            !(family->flags & TRACE_DITHERED));
}

static void count(const struct scenario *s, const struct stop *stop, double precision, double error,
                  struct outcome *outcome)
{
    bool is_false = stop_is_false(stop, precision, error);
    outcome->n++;
    outcome->n_false += is_false;
    outcome->n_blind += stop->is_blind;
    outcome->n_blind_false += stop->is_blind && is_false;
    outcome->n_resolved += is_resolved(stop, s->setting.family);
    outcome->verdicts[stop->verdict]++;
    if (stop->verdict == GB_VERDICT_MULTIMODAL && s->setting.family)
        return; /* guarantees its modes, not for the median */
    outcome->n_intervals++;
    outcome->n_covered += stop_covers(stop, s->truth.median_ns, 0);
}

struct outcome outcome_of(const struct experiment *experiment, size_t scenario, size_t policy)
{
    const struct scenario *s = &experiment->scenarios[scenario];
    const struct trace_family *family = s->setting.family;
    const double precision = experiment->policies[policy].precision;
    double modes_ns[TRACE_MODES_MAX], *errors = memory_allocate((s->n + 1) * sizeof *errors);
    double *samples = memory_allocate((s->n + 1) * sizeof *samples);
    struct outcome outcome = {0};
    for (int i = 0; i < TRACE_MODES_MAX; i++)
        modes_ns[i] = family ? family->modes[i] * s->setting.time_ns : 0;
    for (uint64_t i = 0; i < s->n; i++) {
        const struct stop *stop = stop_at(experiment, scenario, policy, i);
        double error = stop_error(stop, s->truth.median_ns, modes_ns);
        samples[i] = (double)stop->n;
        outcome.n_failed += stop->has_failed;
        if (!stop->has_ended) {
            outcome.n_short++;
            continue;
        }
        errors[outcome.n] = isnan(error) ? INFINITY : error;
        count(s, stop, precision, error, &outcome);
        if (family)
            continue;
        const struct visit *visit = &s->visits[i % s->n_visits];
        outcome.n_false_in_visit += stop_is_false(stop, precision, stop->error_in_visit);
        outcome.n_covered_in_visit += stop_covers(stop, visit->median_ns, visit->tick_ns);
    }
    outcome.median_samples = quantile_of(samples, family ? s->n : s->n_visits, 0.5);
    outcome.error_95 = quantile_of(errors, outcome.n, 0.95);
    free(errors);
    free(samples);
    return outcome;
}

static bool are_blind(const struct scenario *s, const struct stop *stops, size_t n)
{
    size_t first = 0;
    for (size_t i = 0; i < n; i++) {
        if (!stops[i].is_blind) /* as no replay is */
            return false;
        size_t mode = nearest(s->setting.family->modes, TRACE_MODES_MAX,
                              stops[i].value_ns / s->setting.time_ns);
        first = i == 0 ? mode : first;
        if (mode != first)
            return false;
    }
    return true;
}

/* As one interval, as results are shown. */
static struct rounds_interval stops_combined(const struct stop *rounds, size_t n)
{
    double medians[ROUNDS_MAX] = {0}, lows[ROUNDS_MAX] = {0}, highs[ROUNDS_MAX] = {0};
    for (size_t i = 0; i < n; i++) {
        medians[i] = rounds[i].value_ns;
        lows[i] = rounds[i].low_ns;
        highs[i] = rounds[i].high_ns;
    }
    return rounds_combine(medians, lows, highs, n, 0.95);
}

struct rounds_outcome rounds_outcome_of(const struct experiment *experiment, size_t scenario,
                                        size_t policy, size_t n_rounds)
{
    const double precision = experiment->policies[policy].precision;
    const struct scenario *s = &experiment->scenarios[scenario];
    double median_ns = s->truth.median_ns, tick_ns = s->visits ? s->visits->tick_ns : 0;
    struct rounds_outcome outcome = {0};
    for (uint64_t i = 0; i + n_rounds <= s->n && n_rounds <= ROUNDS_MAX; i += n_rounds) {
        const struct stop *stops = stop_at(experiment, scenario, policy, i);
        bool have_ended = true;
        for (size_t j = 0; j < n_rounds; j++)
            have_ended = have_ended && stops[j].has_ended;
        if (!have_ended)
            continue;
        struct rounds_interval rounds = stops_combined(stops, n_rounds);
        bool is_narrow = (rounds.high - rounds.low) / 2 <= precision * fabs(rounds.centre);
        bool is_false = is_narrow && !(fabs(rounds.centre / median_ns - 1) <= precision);
        outcome.n++;
        outcome.n_false += is_false;
        outcome.n_blind_false += is_false && are_blind(s, stops, n_rounds);
        outcome.n_covered += rounds.low - tick_ns <= median_ns &&
                             median_ns <= rounds.high + tick_ns;
    }
    return outcome;
}

uint64_t experiment_digest(const struct experiment *experiment, size_t policy, bool with_estimate)
{
    uint64_t digest = STOP_DIGEST;
    for (size_t s = 0; s < experiment->n_scenarios; s++)
        for (uint64_t i = 0; i < experiment->scenarios[s].n; i++)
            digest = stop_digest(digest, stop_at(experiment, s, policy, i), with_estimate);
    return digest;
}
