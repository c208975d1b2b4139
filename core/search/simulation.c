/* simulation.c - see simulation.h. */
#include "core/search/simulation.h"

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
    const struct gb_host *host;
    struct engine *engine;
    struct waiting open[ENGINE_LANES_MAX];
    size_t n_open;
    uint64_t *n_used;  /* samples, by case */
    bool *is_prepared; /* by case */
    double now_ns;
    struct simulated *result;
};

/* ---- what all share ---- */

static double visit_ns(const struct simulation *simulation, uint64_t i, uint64_t first, uint64_t n)
{
    const struct recorded_case *recorded = &simulation->recording->cases[i];
    const double *runs = simulation->recording->runs + recorded->first;
    const uint64_t n_kept = recorded->n_runs > 1 ? recorded->n_runs - 1 : 1;
    double sum = runs[0] + (double)(n + 1) * simulation->overhead_ns;
    for (uint64_t k = 0; k < n; k++)
        sum += runs[recorded->n_runs - n_kept + (first + k) % n_kept];
    return sum;
}

/* Samples of a visit that does not say how many: all. */
static uint64_t all_samples(const struct recorded_case *recorded)
{
    return recorded->n_runs > 1 ? recorded->n_runs - 1 : 1;
}

static double brute_ns(const struct simulation *simulation)
{
    const struct recording *recording = simulation->recording;
    double free_ns[ENGINE_LANES_MAX] = {0}, device_ns = 0;
    for (uint64_t i = 0; i < recording->n_cases; i++) {
        const struct recorded_case *recorded = &recording->cases[i];
        size_t lane = 0;
        for (size_t k = 1; k < simulation->limits.lanes; k++)
            lane = free_ns[k] < free_ns[lane] ? k : lane;
        free_ns[lane] += recorded->prepare_ns;
        if (recorded->status != GB_OBSERVED_OK)
            continue;
        device_ns = fmax(device_ns, free_ns[lane]) +
                    visit_ns(simulation, i, 0, all_samples(recorded));
        free_ns[lane] = device_ns;
    }
    for (size_t k = 0; k < simulation->limits.lanes; k++)
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
    simulation->brute_ns = brute_ns(simulation);
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

static int32_t measure(struct world *world, struct gb_error *error)
{
    const struct waiting visit = next_ready(world);
    const struct recording *recording = world->simulation->recording;
    const uint64_t i = visit.step.i;
    const struct recorded_case *recorded = &recording->cases[i];
    struct gb_observation observation = {.size = sizeof observation,
                                         .status = recorded->status,
                                         .proposal = visit.step.proposal,
                                         .i = i,
                                         .prepare_ns = visit.prepare_ns,
                                         .wall_ns = visit.prepare_ns};
    CLEANUP(free_pointer) double *samples = NULL;
    world->now_ns = fmax(world->now_ns, visit.ready_ns);
    if (recorded->status == GB_OBSERVED_OK) {
        const double *runs = recording->runs + recorded->first;
        const uint64_t n_kept = all_samples(recorded), n_warm = recorded->n_runs - n_kept;
        const uint64_t n = visit.step.n_samples ? visit.step.n_samples : n_kept;
        const uint64_t first = world->host->random(world->host, STREAM_OF_STARTS, i) % n_kept +
                               world->n_used[i];
        samples = memory_allocate((size_t)n * sizeof *samples);
        for (uint64_t k = 0; k < n; k++)
            samples[k] = runs[n_warm + (first + k) % n_kept];
        const double device_ns = visit_ns(world->simulation, i, first, n);
        world->n_used[i] += n;
        world->result->n_runs += n + 1;
        world->now_ns += device_ns;
        observation.n_samples = n;
        observation.samples = samples;
        observation.warmup_ns = runs[0];
        observation.wall_ns += device_ns;
    }
    observation.elapsed_ns = world->now_ns;
    return engine_observe(world->engine, &observation, error);
}

static int32_t search(struct world *world, struct gb_error *error)
{
    const struct simulation *simulation = world->simulation;
    struct simulated *result = world->result;
    int32_t status = GB_OK;
    while (status == GB_OK) {
        struct engine_step step;
        engine_next(world->engine, &step);
        if (step.action == ENGINE_END)
            break;
        if (step.action == ENGINE_MEASURE) {
            begin_visit(world, &step);
            continue;
        }
        status = measure(world, error);
        if (isnan(result->found_ns) && is_good(simulation, engine_best(world->engine))) {
            result->found_ns = world->now_ns;
            if (simulation->is_until_found)
                engine_end(world->engine, "found");
        }
    }
    return status;
}

static void take_report(struct world *world)
{
    struct engine_report report;
    struct simulated *result = world->result;
    engine_report(world->engine, &report);
    result->end_ns = world->now_ns;
    result->n_cases = report.n_cases;
    result->n_proposals = report.n_proposals;
    result->scope = report.scope;
    result->is_broken = report.is_broken;
    result->is_false = report.scope == GB_SCOPE_ALL && !is_good(world->simulation, report.best);
    snprintf(result->reason, sizeof result->reason, "%s", report.reason);
}

int32_t simulation_run(const struct simulation *simulation, const struct gb_search_ops *ops,
                       const void *params, const struct gb_host *host, struct simulated *ret,
                       struct gb_error *error)
{
    const size_t n = (size_t)simulation->recording->n_cases;
    struct world *world = memory_allocate(sizeof *world);
    *world = (struct world){.simulation = simulation, .host = host, .result = ret};
    *ret = (struct simulated){.found_ns = NAN};
    world->n_used = memory_allocate(n * sizeof *world->n_used);
    world->is_prepared = memory_allocate(n * sizeof *world->is_prepared);
    int32_t status = engine_new(ops, params, host, simulation->recording->space,
                                &simulation->limits, &world->engine, error);
    if (status == GB_OK) {
        status = search(world, error);
        take_report(world);
    }
    engine_free(world->engine);
    free(world->n_used);
    free(world->is_prepared);
    free(world);
    return status;
}
