/* search_world.h - searches of the tree on a space with cases that the test makes up. */
#pragma once

#include "core/search/engine.h"
#include "tests/check_main.h"
#include "tests/fake_host.h"

enum { AXES_MAX = 6, SAMPLES_MAX = 4096, PROPOSALS_MAX = 4000 };

enum { EXHAUSTIVE, RANDOM, LOCAL, RACE, GUIDED, N_SEARCHES };
static const struct {
    const char *folder, *id;
} searches[N_SEARCHES] = {[EXHAUSTIVE] = {"search_exhaustive", "exhaustive"},
                          [RANDOM] = {"search_exhaustive", "random"},
                          [LOCAL] = {"search_local", "local"},
                          [RACE] = {"search_race", "race"},
                          [GUIDED] = {"search_guided", "guided"}};

struct field {
    const char *name;
    double (*value)(const uint32_t *at); /* of a case; NaN: it fails */
    uint32_t sizes[AXES_MAX];            /* 0: no more axes */
    double reached; /* guided, with 80 cases: this many times the lowest; 0: it cannot be found */
};

/* Of each test: what is searched, for how long, and what came of it. */
static struct world {
    const struct field *field;
    struct space *space;
    double *values; /* of the cases; NULL: those of the field */
    double noise;
    bool is_bimodal;     /* a third of the samples are worse by a half */
    uint64_t n_samples;  /* of a case, where the search does not say */
    double visit_ns;     /* the first one of a case */
    double again_ns;     /* another one */
    uint64_t steps_each; /* the clock falls by a sixth for each other so-many visits; 0: never */
    /* It falls in steps: of `period` runs of a case the last n_slow are worse by a twelfth; 0: it
     * does not. Where in this a case is first visited is chosen by chance. */
    uint64_t period, n_slow, *position;
    double placement; /* a visit is off by so much, relative: normal, or one of two */
    bool has_two_placements;
    double drift;             /* of the machine, relative, from one visit of any case to the next */
    double moving, alike;     /* its states, normal, and their correlation from visit to visit */
    double machine;           /* its state now, standardized */
    uint64_t state, n_visits; /* of the random numbers; so far */
} world;
static struct engine_limits limits;

static struct outcome {
    struct engine_report report;
    uint64_t n_samples;
    uint64_t proposals[PROPOSALS_MAX]; /* their cases */
} outcome;

static inline double world_value(uint64_t i)
{
    uint32_t at[AXES_MAX];
    if (world.values)
        return world.values[i];
    ck_assert_int_eq(space_place(world.space, i, at), GB_OK);
    return world.field->value(at);
}

static inline double world_lowest(void)
{
    double lowest = INFINITY;
    for (uint64_t i = 0; i < space_size(world.space); i++)
        lowest = fmin(lowest, world_value(i));
    return lowest;
}

/* All points of the product, the last axis fastest, numbered from `first`. */
static inline void world_begin(const struct field *field, unsigned first)
{
    static const char *const names[AXES_MAX] = {"a", "b", "c", "d", "e", "f"};
    char texts[AXES_MAX][12];
    const char *values[AXES_MAX];
    struct gb_error error;
    size_t n_axes = 0;
    uint64_t n = 1;
    for (; n_axes < AXES_MAX && field->sizes[n_axes] > 0; n_axes++) {
        n *= field->sizes[n_axes];
        values[n_axes] = texts[n_axes];
    }
    world = (struct world){.field = field, .space = space_new(names, n_axes)};
    limits = (struct engine_limits){.tolerance = 0.01, .confidence = 0.95, .lanes = 1};
    for (uint64_t i = 0; i < n; i++) {
        uint64_t left = i;
        for (size_t axis = n_axes; axis-- > 0; left /= field->sizes[axis])
            snprintf(texts[axis], sizeof texts[axis], "%u",
                     (unsigned)(left % field->sizes[axis]) + first);
        space_add(world.space, values);
    }
    ck_assert_int_eq(space_finish(world.space, &error), GB_OK);
}

static inline void world_end(void)
{
    space_free(world.space);
    free(world.values);
    free(world.position);
}

/* What all samples of a visit are multiplied by. */
static inline double world_placement(void)
{
    if (!(world.placement > 0))
        return 1;
    if (world.has_two_placements)
        return 1 + (fake_unit(&world.state) < 0.5 ? -world.placement : world.placement);
    return 1 + world.placement * fake_normal(&world.state);
}

/* Likewise by what the machine is like. */
static inline double world_machine(void)
{
    if (world.moving > 0)
        world.machine = world.alike * world.machine +
                        sqrt(1 - world.alike * world.alike) * fake_normal(&world.state);
    return (1 + world.moving * world.machine) * (1 + world.drift * (double)world.n_visits);
}

static inline double world_draw(uint64_t i, double value)
{
    if (world.noise > 0)
        value *= 1 + world.noise * fake_normal(&world.state);
    if (world.is_bimodal && fake_unit(&world.state) < 1.0 / 3)
        value *= 1.5;
    if (world.period && world.position[i]++ % world.period >= world.period - world.n_slow)
        value *= 13.0 / 12;
    return value;
}

static inline void world_measure(struct engine *engine, const struct engine_step *step)
{
    static double samples[SAMPLES_MAX];
    struct gb_error error;
    const double value = world_value(step->i) * world_placement() * world_machine();
    const uint64_t wanted = step->n_samples ? step->n_samples : world.n_samples;
    const bool is_slow = world.steps_each && world.n_visits / world.steps_each % 2 == 1;
    world.n_visits++;
    struct gb_observation observation = {
        sizeof observation,
        .status = isnan(value) ? GB_OBSERVED_FAILED : GB_OBSERVED_OK,
        .proposal = step->proposal,
        .samples = samples,
        .elapsed_ns = (double)step->proposal,
        .wall_ns = step->visit == 0 ? world.visit_ns : world.again_ns};
    if (!isnan(value))
        observation.n_samples = wanted < SAMPLES_MAX ? wanted : SAMPLES_MAX;
    for (uint64_t k = 0; k < observation.n_samples; k++)
        samples[k] = world_draw(step->i, is_slow ? 1.2 * value : value);
    outcome.n_samples += observation.n_samples;
    if (step->proposal < PROPOSALS_MAX)
        outcome.proposals[step->proposal] = step->i;
    ck_assert_int_eq(engine_observe(engine, &observation, &error), GB_OK);
}

/* With `lanes` proposals open, which are answered last first. */
static inline void world_search(int search, const char *option, const char *text, uint64_t seed)
{
    struct gb_error error;
    struct fake_host *host = fake_host_new();
    const struct gb_plugin *plugin = fake_plugin(searches[search].folder, GB_PLUGIN_SEARCH,
                                                 searches[search].id);
    void *params = fake_params_new(plugin);
    struct engine *engine;
    struct engine_step steps[ENGINE_LANES_MAX], step = {0};
    outcome = (struct outcome){0};
    host->host.seed = seed;
    if (option)
        fake_params_set(plugin, params, option, text);
    ck_assert_int_eq(
        engine_new(plugin->ops, params, &host->host, world.space, &limits, &engine, &error), GB_OK);
    while (step.action != ENGINE_END) {
        size_t n = 0;
        for (engine_next(engine, &step); step.action == ENGINE_MEASURE; engine_next(engine, &step))
            steps[n++] = step;
        while (n > 0)
            world_measure(engine, &steps[--n]);
    }
    engine_report(engine, &outcome.report);
    outcome.report.open = NULL; /* the engine's */
    ck_assert_msg(!outcome.report.is_broken, "%s on %s: %s %s", searches[search].id,
                  world.field->name, outcome.report.reason, outcome.report.note);
    engine_free(engine);
    fake_params_free(plugin, params);
    fake_host_free(host);
}
