/* stopping_replay.c - see stopping_replay.h. */
#include "tests/stopping/stopping_replay.h"

#include "core/base/table.h"
#include "tests/stopping/stopping_statistics.h"

#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

static struct replayed *replayed_at(const struct replays *replays, size_t kernel, size_t policy,
                                    size_t visit, size_t start)
{
    size_t n_visits = replays->kernels[kernel].n_visits;
    return &replays->replayed[kernel][(policy * n_visits + visit) * REPLAY_STARTS + start];
}

static const struct stop *stop_at(const struct replays *replays, size_t kernel, size_t policy,
                                  size_t visit, size_t start)
{
    return &replayed_at(replays, kernel, policy, visit, start)->stop;
}

static struct demand *demand_at(const struct replays *replays, size_t kernel, size_t visit,
                                size_t start)
{
    return &replays->demands[kernel][visit * REPLAY_STARTS + start];
}

/* --- running --- */

/* Of those whose medians are kept. */
static size_t modes_of(const struct stop *stop)
{
    return stop->n_modes < TRACE_MODES_MAX ? stop->n_modes : TRACE_MODES_MAX;
}

static size_t nearest_mode(const struct stop *stop, double value_ns)
{
    size_t ret = 0;
    for (size_t i = 1; i < modes_of(stop); i++)
        if (fabs(stop->modes_ns[i] - value_ns) < fabs(stop->modes_ns[ret] - value_ns))
            ret = i;
    return ret;
}

/* A stop's error in its visit. What is known of modes that it claims: the median of all of the
 * visit that lies nearest to each. near: room for one value of each sample. */
static double error_in_visit(const struct stop *stop, const struct visit *visit,
                             const struct gb_samples *all, double *near)
{
    double modes_ns[TRACE_MODES_MAX] = {0};
    if (stop->verdict != GB_VERDICT_MULTIMODAL)
        return stop_error(stop, visit->median_ns, NULL);
    for (size_t mode = 0; mode < modes_of(stop); mode++) {
        size_t n = 0;
        for (uint64_t i = 0; i < all->n; i++)
            if (nearest_mode(stop, all->time_ns[i]) == mode)
                near[n++] = all->time_ns[i];
        sort_values(near, n);
        modes_ns[mode] = n > 0 ? mid_median_of_sorted(near, n) : INFINITY;
    }
    return stop_error(stop, visit->median_ns, modes_ns);
}

struct shared {
    const struct replays *replays;
    const struct recorded *recorded;
    size_t kernel, visit;
    atomic_uint_fast64_t next_start;
};

/* values: room for one of each sample. */
static void replay_from(struct shared *shared, size_t start, double *values)
{
    const struct replays *replays = shared->replays;
    uint64_t first = shared->recorded->samples.n / REPLAY_STARTS * start;
    struct gb_samples samples = recorded_from(shared->recorded, first, values);
    for (size_t policy = 0; policy < replays->n_policies; policy++)
        replayed_at(replays, shared->kernel, policy, shared->visit, start)->stop =
            stopping_trial_on(&replays->policies[policy], &stopping_guards, &samples);
    samples.n = stop_at(replays, shared->kernel, replays->baseline, shared->visit, start)->n;
    if (samples.n > 0)
        *demand_at(replays, shared->kernel, shared->visit,
                   start) = demand_of(&samples, replays->policies[0].precision);
    for (size_t policy = 0; policy < replays->n_policies; policy++) {
        struct replayed *replayed = replayed_at(replays, shared->kernel, policy, shared->visit,
                                                start);
        replayed->error_in_visit = error_in_visit(
            &replayed->stop, &replays->kernels[shared->kernel].visits[shared->visit],
            &shared->recorded->samples, values);
    }
}

static void *work(void *context)
{
    struct shared *shared = context;
    double *values = malloc(shared->recorded->samples.n * sizeof *values);
    uint64_t start;
    while (values && (start = atomic_fetch_add(&shared->next_start, 1)) < REPLAY_STARTS)
        replay_from(shared, start, values);
    free(values);
    return NULL;
}

static int32_t replay_visit(const struct replays *replays, size_t kernel, size_t visit,
                            struct gb_error *error)
{
    struct recorded recorded;
    int32_t status = recorded_read(&replays->kernels[kernel].visits[visit], &recorded, error);
    if (status != GB_OK)
        return status;
    struct shared shared = {
        .replays = replays, .recorded = &recorded, .kernel = kernel, .visit = visit};
    in_threads(replays->n_jobs < REPLAY_STARTS ? replays->n_jobs : REPLAY_STARTS, work, &shared);
    recorded_free(&recorded);
    if (shared.next_start < REPLAY_STARTS) /* no thread had memory */
        return error_set(error, GB_NO_MEMORY, "no memory for a visit's times");
    return GB_OK;
}

int32_t replays_run(struct replays *replays, struct gb_error *error)
{
    replays->replayed = memory_allocate((replays->n_kernels + 1) * sizeof(struct replayed *));
    replays->demands = memory_allocate((replays->n_kernels + 1) * sizeof(struct demand *));
    for (size_t kernel = 0; kernel < replays->n_kernels; kernel++) {
        size_t n_visits = replays->kernels[kernel].n_visits;
        replays->replayed[kernel] = memory_allocate(replays->n_policies * n_visits * REPLAY_STARTS *
                                                    sizeof(struct replayed));
        replays->demands[kernel] = memory_allocate(n_visits * REPLAY_STARTS *
                                                   sizeof(struct demand));
        for (size_t visit = 0; visit < n_visits; visit++) {
            int32_t status = replay_visit(replays, kernel, visit, error);
            if (status != GB_OK)
                return status;
        }
    }
    return GB_OK;
}

void replays_free(struct replays *replays)
{
    for (size_t i = 0; i < replays->n_kernels && replays->replayed; i++) {
        free(replays->replayed[i]);
        free(replays->demands[i]);
    }
    free(replays->replayed);
    free(replays->demands);
    replays->replayed = NULL;
    replays->demands = NULL;
}

/* --- outcomes --- */

static void count(struct replay_outcome *outcome, const struct replayed *replayed, double precision,
                  const struct kernel *kernel, const struct visit *visit)
{
    const struct stop *stop = &replayed->stop;
    double reference_ns = kernel->reference_ns, tick_ns = visit->tick_ns;
    struct stop wider = *stop;
    wider.low_ns -= tick_ns;
    wider.high_ns += tick_ns;
    outcome->n_false += stop_is_false(stop, precision, stop_error(stop, reference_ns, NULL));
    outcome->n_false_in_visit += stop_is_false(stop, precision, replayed->error_in_visit);
    outcome->n_covered += stop_covers(stop, reference_ns);
    outcome->n_covered_in_visit += stop_covers(&wider, visit->median_ns);
    outcome->verdicts[stop->verdict]++;
}

static void count_rounds(struct replay_outcome *outcome, const struct replays *replays,
                         size_t kernel, size_t policy)
{
    const struct kernel *k = &replays->kernels[kernel];
    const double precision = replays->policies[policy].precision;
    for (size_t start = 0; start < REPLAY_STARTS && k->n_visits > 1 && k->n_visits <= ROUNDS_MAX;
         start++) {
        struct stop stops[ROUNDS_MAX];
        bool have_ended = true;
        for (size_t visit = 0; visit < k->n_visits; visit++) {
            stops[visit] = *stop_at(replays, kernel, policy, visit, start);
            have_ended = have_ended && stops[visit].has_ended;
        }
        if (!have_ended)
            continue;
        struct rounds_interval rounds = stops_combined(stops, k->n_visits);
        bool is_narrow = (rounds.high - rounds.low) / 2 <= precision * fabs(rounds.centre);
        outcome->n_rounds++;
        outcome->n_false_rounds += is_narrow &&
                                   !(fabs(rounds.centre / k->reference_ns - 1) <= precision);
        outcome->n_covered_rounds += rounds.low - k->visits->tick_ns <= k->reference_ns &&
                                     k->reference_ns <= rounds.high + k->visits->tick_ns;
    }
}

static struct demand median_demand(const struct replays *replays, size_t kernel)
{
    size_t n = replays->kernels[kernel].n_visits * REPLAY_STARTS;
    const struct demand *demands = replays->demands[kernel];
    double *columns[3], medians[3];
    for (size_t c = 0; c < 3; c++)
        columns[c] = memory_allocate((n + 1) * sizeof *columns[c]);
    for (size_t i = 0; i < n; i++) {
        columns[0][i] = demands[i].tau;
        columns[1][i] = demands[i].samples_to_know;
        columns[2][i] = demands[i].samples_to_begin;
    }
    for (size_t c = 0; c < 3; c++) {
        medians[c] = quantile_of(columns[c], n, 0.5);
        free(columns[c]);
    }
    return (struct demand){medians[0], medians[1], medians[2]};
}

struct replay_outcome replay_outcome_of(const struct replays *replays, size_t kernel, size_t policy)
{
    const struct kernel *k = &replays->kernels[kernel];
    struct replay_outcome outcome = {0};
    double *errors = memory_allocate((k->n_visits * REPLAY_STARTS + 1) * sizeof *errors);
    double *samples = memory_allocate((k->n_visits + 1) * sizeof *samples);
    for (size_t visit = 0; visit < k->n_visits; visit++) {
        for (size_t start = 0; start < REPLAY_STARTS; start++) {
            const struct replayed *replayed = replayed_at(replays, kernel, policy, visit, start);
            const struct stop *stop = &replayed->stop;
            if (start == 0)
                samples[visit] = (double)stop->n;
            outcome.n_failed += stop->has_failed;
            if (!stop->has_ended) {
                outcome.n_short++;
                continue;
            }
            double error = stop_error(stop, k->reference_ns, NULL);
            errors[outcome.n++] = isnan(error) ? INFINITY : error;
            count(&outcome, replayed, replays->policies[policy].precision, k, &k->visits[visit]);
        }
    }
    count_rounds(&outcome, replays, kernel, policy);
    outcome.median_samples = quantile_of(samples, k->n_visits, 0.5);
    outcome.error_95 = quantile_of(errors, outcome.n, 0.95);
    outcome.demand = median_demand(replays, kernel);
    free(errors);
    free(samples);
    return outcome;
}

static void cell_number(struct table *table, const char *format, double value)
{
    char text[NUMBER_TEXT_MAX];
    snprintf(text, sizeof text, format, value);
    table_cell(table, isnan(value) ? "-" : text);
}

static void row_of(const struct replays *replays, size_t kernel, size_t policy, struct table *table)
{
    const struct kernel *k = &replays->kernels[kernel];
    struct replay_outcome o = replay_outcome_of(replays, kernel, policy);
    double of_baseline = replay_outcome_of(replays, kernel, replays->baseline).median_samples;
    char time[NUMBER_TEXT_MAX];
    table_row(table);
    table_cell(table, policy == 0 ? k->words : "");
    table_cell(table, policy == 0 ? format_time(k->reference_ns, 4, time) : "");
    cell_number(table, "%.2g", policy == 0 ? 100 * k->visits->tick_ns / k->reference_ns : NAN);
    cell_number(table, "%.2g", policy == 0 ? 100 * k->spread : NAN);
    cell_number(table, "%.3g", policy == 0 ? o.demand.tau : NAN);
    cell_number(table, "%.3g", policy == 0 ? o.demand.samples_to_know : NAN);
    table_cell(table, replays->policies[policy].text);
    cell_number(table, "%.0f", o.median_samples);
    cell_number(table, "%.3g", 100 * o.median_samples / of_baseline);
    cell_number(table, "%.2g", 100 * o.error_95);
    const uint64_t shares[] = {o.n_false,
                               o.n_false_in_visit,
                               o.n_covered,
                               o.n_covered_in_visit,
                               o.verdicts[GB_VERDICT_CERTIFIED],
                               o.verdicts[GB_VERDICT_MULTIMODAL],
                               o.verdicts[GB_VERDICT_RESOLUTION_LIMITED],
                               o.verdicts[GB_VERDICT_UNCONVERGED]};
    for (size_t i = 0; i < sizeof shares / sizeof shares[0]; i++)
        cell_number(table, "%.3g", percent(shares[i], o.n));
    table_cell_printf(table, "%llu", (unsigned long long)o.n);
    table_cell_printf(table, "%llu", (unsigned long long)o.n_short);
}

void table_of_replays(const struct replays *replays, struct text *out)
{
    static const struct {
        const char *head;
        bool is_number;
    } columns[] = {
        {"kernel", false},   {"median", true},      {"tick %", true},    {"visits +- %", true},
        {"for one", true},   {"to know", true},     {"policy", false},   {"samples", true},
        {"of base %", true}, {"error %", true},     {"false", true},     {"in visit", true},
        {"covers", true},    {"visit's", true},     {"certified", true}, {"multimodal", true},
        {"limited", true},   {"unconverged", true}, {"replays", true},   {"short", true}};
    struct table table = {0};
    for (size_t i = 0; i < sizeof columns / sizeof columns[0]; i++)
        table_column(&table, columns[i].head, columns[i].is_number);
    for (size_t kernel = 0; kernel < replays->n_kernels; kernel++)
        for (size_t policy = 0; policy < replays->n_policies; policy++)
            row_of(replays, kernel, policy, &table);
    table_write(&table, TABLE_PLAIN, out);
    table_free(&table);
}

/* --- gates --- */

static const double CORRELATED_FROM = 2; /* samples for an effective one */

/* Sums of logarithms over the kernels of a class: of samples, and of what is allowed. */
struct samples_sums {
    double taken, allowed;
    uint64_t n;
};

static void add_samples(const struct replays *replays, size_t kernel, size_t policy,
                        const struct replay_outcome *outcome, struct samples_sums *sums)
{
    const struct demand *demand = &outcome->demand;
    double baseline = replay_outcome_of(replays, kernel, replays->baseline).median_samples;
    int class = demand->tau > CORRELATED_FROM ? TRACE_CORRELATED : TRACE_STATIONARY;
    double allowed = samples_allowed(class, replays->kernels[kernel].reference_ns,
                                     replays->policies[policy].precision, demand, baseline);
    if (isnan(allowed))
        return;
    sums[class].taken += log(outcome->median_samples / baseline);
    sums[class].allowed += log(fmax(allowed / 100, demand->samples_to_begin / baseline));
    sums[class].n++;
}

static void gate_of_samples(const struct samples_sums *sums, const char *name, struct gates *gates)
{
    double n = (double)sums->n;
    if (sums->n > 0)
        gate_add(gates, name,
                 arena_printf(gates->arena, "%llu kernels", (unsigned long long)sums->n), AT_MOST,
                 100 * exp(sums->taken / n), 100 * exp(sums->allowed / n), "%");
}

void gates_of_replays(const struct replays *replays, size_t policy, struct gates *gates)
{
    struct replay_outcome all = {0};
    struct samples_sums sums[TRACE_CLASSES] = {0};
    for (size_t kernel = 0; kernel < replays->n_kernels; kernel++) {
        struct replay_outcome o = replay_outcome_of(replays, kernel, policy);
        all.n += o.n;
        all.n_false_in_visit += o.n_false_in_visit;
        all.n_covered_in_visit += o.n_covered_in_visit;
        all.n_rounds += o.n_rounds;
        all.n_covered_rounds += o.n_covered_rounds;
        all.n_failed += o.n_failed;
        add_samples(replays, kernel, policy, &o, sums);
        if (o.n > 0)
            gate_add(gates, "false in its visit", replays->kernels[kernel].words, AT_MOST,
                     percent(o.n_false_in_visit, o.n), 5, "%");
        if (o.n_rounds > 0)
            gate_add(gates, "visits as rounds, false", replays->kernels[kernel].words, AT_MOST,
                     percent(o.n_false_rounds, o.n_rounds), 5, "%");
    }
    gate_add(gates, "false in their visits, all recordings", "", AT_MOST,
             percent(all.n_false_in_visit, all.n), 1, "%");
    gate_add(gates, "coverage of visits, tick allowed for", "", AT_LEAST,
             percent(all.n_covered_in_visit, all.n), 95, "%");
    if (all.n_rounds > 0)
        gate_add(gates, "coverage of visits as rounds", "", AT_LEAST,
                 percent(all.n_covered_rounds, all.n_rounds), 95, "%");
    gate_of_samples(&sums[TRACE_STATIONARY], "samples, geometric mean: independent", gates);
    gate_of_samples(&sums[TRACE_CORRELATED], "samples, geometric mean: correlated", gates);
    gate_add(gates, "trials that failed", "", AT_MOST, (double)all.n_failed, 0, "");
}
