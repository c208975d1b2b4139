/* stopping_experiment.c - see stopping_experiment.h. */
#include "tests/stopping/stopping_experiment.h"

#include "core/base/rounds.h"
#include "core/base/statistics.h"
#include "core/view/view_cases.h"
#include "plugins/policy_steady/rank_index.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

/* The mid-quantile 1/2 of values in any order: halfway between a timer's steps where values are
 * tied, the median where none are. NaN for n == 0. */
static double mid_median(const double *values, uint64_t n)
{
    struct rank_index index = {0};
    double median = NAN;
    if (n > 0 && rank_index_update(&index, values, n) == GB_OK) {
        const struct retained retained = retained_all(&index);
        median = mid_quantile(&retained, 0.5, 0);
    }
    rank_index_free(&index);
    return median;
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

/* --- recordings --- */

struct visits {
    struct arena *arena; /* of items and texts */
    struct visit *items;
    size_t n;
};

/* Recorded whatever its samples said, and for long. */
static const char long_ones[] = "status = 'ok' AND policy_plugin IN ('fixed', 'budget')"
                                " AND n_samples BETWEEN 1000 AND 1000000000";

static int32_t take_case(const struct view_row *row, struct store *store, const char *path,
                         struct visits *visits, struct gb_error *error)
{
    const struct case_record *record = &row->c.record;
    uint64_t iterations = record->iterations > 0 ? record->iterations : 1, n = 0;
    struct visit visit = {.path = path,
                          .case_id = row->c.id,
                          .uid = arena_text(visits->arena, record->uid),
                          .words = arena_text(visits->arena, row->label),
                          .clock = arena_text(visits->arena, record->clock),
                          .n = record->n_samples,
                          .iterations = iterations,
                          .tick_ns = record->tick_ns / (double)iterations};
    CLEANUP(free_pointer) double *values = memory_allocate(visit.n * sizeof *values);
    int32_t status = store_samples_read(store, visit.case_id, visit.clock, 0, visit.n, values,
                                        error);
    for (uint64_t i = 0; i < visit.n && status == GB_OK; i++)
        if (isfinite(values[i]))
            values[n++] = values[i];
    visit.median_ns = mid_median(values, n);
    if (visit.median_ns > 0)
        ARENA_APPEND(visits->arena, visits->items, visits->n, visit);
    return status;
}

static int32_t take_file(const char *path, struct visits *visits, struct gb_error *error)
{
    static const struct view_options options = {.where = long_ones};
    struct store *store = NULL;
    struct view view;
    int32_t status = store_open(path, STORE_READ, &store, error);
    if (status != GB_OK)
        return status;
    status = view_open(store, &options, RUN_ALL, &view, error);
    if (status == GB_OK) {
        for (struct view_cursor at = {.view = &view}; view_next(&at, &status, error);)
            status = take_case(at.row, store, path, visits, error);
        view_close(&view);
    }
    store_close(store, NULL);
    return status;
}

static int by_identity(const void *a, const void *b)
{
    const struct visit *x = a, *y = b;
    int order = strcmp(x->uid, y->uid);
    order = order ? order : strcmp(x->path, y->path);
    return order ? order : (x->case_id > y->case_id) - (x->case_id < y->case_id);
}

static int by_words(const void *a, const void *b)
{
    const struct scenario *x = a, *y = b;
    int order = strcmp(x->words, y->words);
    return order ? order : strcmp(x->visits->uid, y->visits->uid);
}

static struct scenario kernel_of(const struct visit *visits, size_t n)
{
    double *medians = memory_allocate(n * sizeof *medians);
    for (size_t i = 0; i < n; i++)
        medians[i] = visits[i].median_ns;
    double median = quantile_of(medians, n, 0.5);
    struct scenario kernel = {.words = visits->words,
                              .visits = visits,
                              .n_visits = n,
                              .truth = {.median_ns = median},
                              .spread = (medians[n - 1] - medians[0]) / median};
    free(medians);
    return kernel;
}

int32_t recordings_find(const char *const *paths, size_t n_paths, struct arena *arena,
                        struct scenario **ret_kernels, size_t *ret_n, struct gb_error *error)
{
    struct visits visits = {.arena = arena};
    struct scenario *kernels = NULL;
    size_t n = 0;
    for (size_t i = 0; i < n_paths; i++) {
        int32_t status = take_file(paths[i], &visits, error);
        if (status != GB_OK)
            return status;
    }
    if (visits.n > 0)
        qsort(visits.items, visits.n, sizeof *visits.items, by_identity);
    for (size_t first = 0, end = 0; first < visits.n; first = end) {
        while (end < visits.n && text_equal(visits.items[end].uid, visits.items[first].uid))
            end++;
        if (end - first >= 2)
            ARENA_APPEND(arena, kernels, n, kernel_of(&visits.items[first], end - first));
    }
    if (n == 0)
        return error_set(error, GB_NOT_FOUND,
                         "no kernel with two visits of 1000 samples or more: record them with"
                         " policy = budget or fixed and rounds = 2 or more");
    qsort(kernels, n, sizeof *kernels, by_words);
    *ret_kernels = kernels;
    *ret_n = n;
    return GB_OK;
}

enum { TIME, ELAPSED, CLOCK, ITERATIONS, THROTTLE, FLAGS, COLUMNS };

int32_t recorded_read(const struct visit *visit, struct trace *ret, struct gb_error *error)
{
    const char *const names[COLUMNS] = {visit->clock, "elapsed",  "clock_hz",
                                        "iterations", "throttle", "flags"};
    bool is_known[COLUMNS] = {0};
    struct store *store = NULL;
    CLEANUP(free_pointer) double *whole = memory_allocate(visit->n * sizeof *whole);
    *ret = (struct trace){.n = visit->n, .tick_ns = visit->tick_ns};
    trace_reserve(ret, visit->n);
    double *const columns[COLUMNS] = {
        ret->time_ns, ret->sample_elapsed_ns, ret->clock_hz, whole, whole, whole};
    int32_t status = store_open(visit->path, STORE_READ, &store, error);
    for (size_t c = 0; c < COLUMNS && status == GB_OK; c++) {
        status = store_samples_read(store, visit->case_id, names[c], 0, visit->n, columns[c],
                                    error);
        for (uint64_t i = 0; i < visit->n && status == GB_OK; i++) {
            const double value = columns[c][i];
            const uint64_t number = value >= 0 && value < 0x1p63 ? (uint64_t)value : 0;
            is_known[c] = is_known[c] || !isnan(value);
            if (c == ITERATIONS)
                ret->iterations[i] = number > 0 ? number : visit->iterations;
            if (c == THROTTLE)
                ret->throttle[i] = number;
            if (c == FLAGS)
                ret->flags[i] = (uint32_t)number;
        }
    }
    store_close(store, NULL);
    if (status == GB_OK && !(is_known[TIME] && is_known[ELAPSED]))
        status = error_set(error, GB_INVALID, "%s: %s: has no %s", visit->path, visit->words,
                           is_known[TIME] ? "column elapsed" : "times");
    ret->has_clock = is_known[CLOCK];
    ret->has_throttle = is_known[THROTTLE];
    if (status != GB_OK)
        trace_free(ret);
    return status;
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
    if (experiment->is_loaded)
        trace_load(trace);
    for (size_t policy = 0; policy < experiment->n_policies; policy++) {
        struct stop *stop = stop_at(experiment, scenario, policy, replication);
        *stop = stopping_trial(&experiment->policies[policy], &stopping_guards, NULL, trace, 0);
        stop->is_blind = is_blind(stop, trace);
        if (replication % REPEATED_EVERY != 0)
            continue;
        struct stop again = stopping_trial(&experiment->policies[policy], &stopping_guards, NULL,
                                           trace, REPEATED_BATCH);
        atomic_fetch_add(&shared->n_repeated, 1);
        if (stop_digest(HASH_START, stop, true) != stop_digest(HASH_START, &again, true))
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
    struct round items[ROUNDS_MAX];
    for (size_t i = 0; i < n; i++)
        items[i] = (struct round){
            rounds[i].value_ns, rounds[i].low_ns, rounds[i].high_ns, INFINITY, 0, NAN, 0};
    return rounds_combine(items, n, 0.95);
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
    uint64_t digest = HASH_START;
    for (size_t s = 0; s < experiment->n_scenarios; s++)
        for (uint64_t i = 0; i < experiment->scenarios[s].n; i++)
            digest = stop_digest(digest, stop_at(experiment, s, policy, i), with_estimate);
    return digest;
}
