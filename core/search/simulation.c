/* simulation.c - see simulation.h. */
#include "core/search/simulation.h"

#include "core/base/random.h"
#include "core/base/statistics.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Streams of random numbers are the search's own; where its recorded runs begin is in this one. */
enum { STREAM_OF_STARTS = 0x5EA2C4 };

/* A proposal whose case is prepared, or waits for the device. */
struct waiting {
    struct engine_step step;
    double ready_ns, prepare_ns;
};

struct world {
    const struct simulation *simulation;
    const struct simulated_search *search;
    uint64_t seed;
    struct waiting open[ENGINE_LANES_MAX];
    size_t n_open;
    uint64_t *n_used;  /* samples, by case */
    bool *is_prepared; /* by case */
    double *values;    /* medians of samples, by case; NaN: none */
    uint64_t best;     /* the lowest of them */
    double now_ns;
    struct simulated *result;
};

/* ---- what all share ---- */

/* Samples of a visit that does not say how many: all. */
static uint64_t all_samples(const struct recorded_case *recorded)
{
    return recorded->n_runs > 1 ? recorded->n_runs - 1 : 1;
}

/* Of a visit with all runs. */
static double visit_ns(const struct simulation *simulation, uint64_t i)
{
    const struct recorded_case *recorded = &simulation->recording->cases[i];
    const double *runs = simulation->recording->runs + recorded->first;
    double sum = recorded->n_runs > 1 ? 0 : runs[0] + simulation->overhead_ns;
    for (uint64_t k = 0; k < recorded->n_runs; k++)
        sum += runs[k] + simulation->overhead_ns;
    return sum;
}

static double brute_ns(const struct simulation *simulation, uint32_t lanes)
{
    const struct recording *recording = simulation->recording;
    double free_ns[ENGINE_LANES_MAX] = {0}, device_ns = 0;
    for (uint64_t i = 0; i < recording->n_cases; i++) {
        const struct recorded_case *recorded = &recording->cases[i];
        size_t lane = 0;
        for (size_t k = 1; k < lanes; k++)
            lane = free_ns[k] < free_ns[lane] ? k : lane;
        free_ns[lane] += recorded->prepare_ns;
        if (recorded->status != GB_OBSERVED_OK)
            continue;
        device_ns = fmax(device_ns, free_ns[lane]) + visit_ns(simulation, i);
        free_ns[lane] = device_ns;
    }
    for (size_t k = 0; k < lanes; k++)
        device_ns = fmax(device_ns, free_ns[k]);
    return device_ns;
}

int32_t simulation_prepare(struct simulation *simulation, const char *name, struct gb_error *error)
{
    const uint64_t n = simulation->recording->n_cases;
    simulation->medians = memory_allocate((size_t)n * sizeof *simulation->medians);
    simulation->optimum = INFINITY;
    for (uint64_t i = 0; i < n; i++) {
        simulation->medians[i] = recorded_median(simulation->recording, i);
        simulation->optimum = fmin(simulation->optimum, simulation->medians[i]);
    }
    simulation->brute_ns = brute_ns(simulation, simulation->limits.lanes);
    simulation->serial_ns = brute_ns(simulation, 1);
    return isfinite(simulation->optimum)
               ? GB_OK
               : error_set(error, GB_INVALID, "%s: no case of the space has a time", name);
}

void simulation_free(struct simulation *simulation)
{
    free(simulation->medians);
    simulation->medians = NULL;
}

/* ---- one search ---- */

static bool is_good(const struct simulation *simulation, uint64_t i)
{
    return i != GB_NO_CASE &&
           simulation->medians[i] <= simulation->optimum * (1 + simulation->limits.tolerance);
}

static void begin_visit(struct world *world, const struct engine_step *step)
{
    const struct recorded_case *recorded = &world->simulation->recording->cases[step->i];
    const double prepare_ns = world->is_prepared[step->i] ? 0 : recorded->prepare_ns;
    world->is_prepared[step->i] = true;
    world->open[world->n_open++] = (struct waiting){
        .step = *step, .ready_ns = world->now_ns + prepare_ns, .prepare_ns = prepare_ns};
}

/* The one that is ready first, taken out. */
static struct waiting next_ready(struct world *world)
{
    size_t first = 0;
    for (size_t k = 1; k < world->n_open; k++)
        if (world->open[k].ready_ns < world->open[first].ready_ns)
            first = k;
    struct waiting found = world->open[first];
    world->open[first] = world->open[--world->n_open];
    return found;
}

/* The case's samples so far. */
static void copy_samples(const struct world *world, uint64_t i, uint64_t first, uint64_t n,
                         double *ret)
{
    const struct recording *recording = world->simulation->recording;
    const struct recorded_case *recorded = &recording->cases[i];
    const uint64_t n_kept = all_samples(recorded);
    const double *kept = recording->runs + recorded->first + recorded->n_runs - n_kept;
    const uint64_t start = random_below(world->seed, STREAM_OF_STARTS, i, n_kept);
    for (uint64_t k = 0; k < n; k++)
        ret[k] = kept[(start + first + k) % n_kept];
}

static void take_value(struct world *world, uint64_t i)
{
    const uint64_t n = world->n_used[i];
    CLEANUP(free_pointer) double *samples = memory_allocate((size_t)n * sizeof *samples);
    copy_samples(world, i, 0, n, samples);
    world->values[i] = sort_to_median(samples, (size_t)n);
    if (world->best == GB_NO_CASE || world->values[i] < world->values[world->best])
        world->best = i;
    for (uint64_t k = 0; i == world->best && k < world->simulation->recording->n_cases; k++)
        if (world->values[k] < world->values[world->best])
            world->best = k;
}

/* Runs the visit on the device, which is free: adds what it takes to the time and the observation.
 */
static void run_visit(struct world *world, const struct waiting *visit, double *samples,
                      struct gb_observation *observation)
{
    const struct recording *recording = world->simulation->recording;
    const uint64_t i = visit->step.i, n = observation->n_samples;
    const struct recorded_case *recorded = &recording->cases[i];
    double device_ns = recording->runs[recorded->first] +
                       (double)(n + 1) * world->simulation->overhead_ns;
    copy_samples(world, i, world->n_used[i], n, samples);
    for (uint64_t k = 0; k < n; k++)
        device_ns += samples[k];
    world->n_used[i] += n;
    world->result->n_runs += n + 1;
    world->now_ns += device_ns;
    observation->samples = samples;
    observation->warmup_ns = recording->runs[recorded->first];
    observation->wall_ns += device_ns;
    take_value(world, i);
}

static void measure(struct world *world)
{
    const struct waiting visit = next_ready(world);
    const struct recorded_case *recorded = &world->simulation->recording->cases[visit.step.i];
    const bool is_ok = recorded->status == GB_OBSERVED_OK;
    struct gb_observation observation = {.size = sizeof observation,
                                         .status = recorded->status,
                                         .proposal = visit.step.proposal,
                                         .i = visit.step.i,
                                         .prepare_ns = visit.prepare_ns,
                                         .wall_ns = visit.prepare_ns};
    if (is_ok)
        observation.n_samples = visit.step.n_samples ? visit.step.n_samples : all_samples(recorded);
    CLEANUP(free_pointer)
    double *samples = memory_allocate((size_t)observation.n_samples * sizeof *samples);
    world->now_ns = fmax(world->now_ns, visit.ready_ns);
    world->result->n_cases += visit.step.visit == 0;
    if (is_ok)
        run_visit(world, &visit, samples, &observation);
    observation.elapsed_ns = world->now_ns;
    world->search->observe(world->search->context, &observation);
}

static void search(struct world *world, struct engine_report *report)
{
    struct simulated *result = world->result;
    struct engine_step step;
    bool is_over = false;
    while (!is_over && world->search->next(world->search->context, &step, report)) {
        if (step.action == ENGINE_MEASURE) {
            begin_visit(world, &step);
            continue;
        }
        measure(world);
        if (isnan(result->found_ns) && is_good(world->simulation, world->best)) {
            result->found_ns = world->now_ns;
            is_over = world->simulation->is_until_found;
        }
    }
}

void simulation_run(const struct simulation *simulation, const struct simulated_search *searched,
                    uint64_t seed, struct simulated *ret)
{
    const size_t n = (size_t)simulation->recording->n_cases;
    struct engine_report report = {.best = GB_NO_CASE, .reason = "found"};
    struct world *world = memory_allocate(sizeof *world);
    *world = (struct world){.simulation = simulation,
                            .search = searched,
                            .seed = seed,
                            .result = ret,
                            .best = GB_NO_CASE};
    *ret = (struct simulated){.found_ns = NAN};
    world->n_used = memory_allocate(n * sizeof *world->n_used);
    world->is_prepared = memory_allocate(n * sizeof *world->is_prepared);
    world->values = memory_allocate(n * sizeof *world->values);
    for (size_t i = 0; i < n; i++)
        world->values[i] = NAN;
    search(world, &report);
    ret->end_ns = world->now_ns;
    ret->scope = report.scope;
    ret->is_broken = report.is_broken;
    ret->is_false = report.scope == GB_SCOPE_ALL && !is_good(simulation, report.best);
    snprintf(ret->reason, sizeof ret->reason, "%s", report.reason);
    free(world->values);
    free(world->n_used);
    free(world->is_prepared);
    free(world);
}
