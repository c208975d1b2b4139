/*
 * simulation.h - a search on a recorded space, in the time that it would have taken.
 *
 * Preparation takes place on lanes, one case is measured at a time, and what was prepared once is
 * kept. A visit is a warm-up and its samples: the recorded runs in their order, from one on that
 * the seed chooses for each case, around the end where there are too few.
 */
#pragma once

#include "core/search/engine.h"
#include "core/search/recorded.h"

struct simulation {
    const struct recording *recording;
    struct engine_limits limits;
    double overhead_ns;  /* of each run, beside what was recorded */
    bool is_until_found; /* ends when the best is within the tolerance of the optimum */
    double optimum;      /* ns: simulation_prepare */
    /* All cases with all their runs, on as many lanes, and on one: simulation_prepare. */
    double brute_ns, serial_ns;
    double *medians; /* by case: simulation_prepare */
};

struct simulated {
    double found_ns; /* the best so far was within the tolerance of the optimum; NaN: never */
    double end_ns;
    uint64_t n_cases;
    uint64_t n_runs; /* with warm-ups */
    int32_t scope;   /* GB_SCOPE_... */
    bool is_false;   /* more is claimed than is so */
    bool is_broken;
    char reason[256];
};

/* The search, wherever it runs. */
struct simulated_search {
    void *context;
    /* What to do next: ENGINE_MEASURE or ENGINE_WAIT; false: *ret_report, it has ended. */
    bool (*next)(void *context, struct engine_step *ret_step, struct engine_report *ret_report);
    /* What came of the proposal, which is open. */
    void (*observe)(void *context, const struct gb_observation *observation);
};

/* What all its runs share. GB_INVALID: no case can be the best. */
int32_t simulation_prepare(struct simulation *simulation, const char *name, struct gb_error *error);
void simulation_run(const struct simulation *simulation, const struct simulated_search *search,
                    uint64_t seed, struct simulated *ret);
void simulation_free(struct simulation *simulation);
