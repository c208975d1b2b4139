/*
 * search_process.h - the supervisor's part of a search: a worker of its own in which the plugin
 * runs, which the supervisor asks for the next visit and sends the observations.
 *
 * The worker measures nothing, and waits while others do. One that crashes, or takes longer than
 * its limits, ends its search alone.
 */
#pragma once

#include "core/config/settings.h"
#include "core/run/worker_process.h"
#include "core/search/engine.h"

/* Takes a line that the search logged or printed. */
typedef void search_line_fn(void *context, const char *line);

enum { SEARCH_STEP, SEARCH_ENDED, SEARCH_STOPPED };

struct search_process {
    struct worker_process worker;
    bool is_running;
    search_line_fn *line;
    void *context;
    const struct search_params *params;
    uint64_t n_cases, n_steps, n_observed;
    uint32_t lanes;
    double thought_ns;  /* waiting for it, all in all */
    struct arena arena; /* of the report */
};

/* Those of a [search NAME], with so many visits open at a time. */
static inline struct engine_limits search_limits(const struct search_params *params, uint32_t lanes)
{
    return (struct engine_limits){.tolerance = params->tolerance,
                                  .confidence = params->confidence,
                                  .budget_ns = params->budget_ns,
                                  .budget_cases = (uint64_t)params->cases,
                                  .patience_cases = (uint64_t)params->patience,
                                  .lanes = lanes};
}

/* Starts it on a space, with so many visits open at a time. GB_IO: no process can be started. */
int32_t search_process_start(struct search_process *process, const struct search_settings *settings,
                             uint64_t seed, uint32_t lanes, const struct space *space,
                             struct gb_error *error);

/* What comes next: SEARCH_STEP and *ret_step (with several
 * lanes also ENGINE_WAIT: an observation is to come before the next); SEARCH_ENDED and how;
 * SEARCH_STOPPED: by the user, who did not wait for an answer. Of the latter two it has been ended.
 */
int search_process_next(struct search_process *process, struct engine_step *ret_step,
                        struct engine_report *ret_report);

/* How a search ends of which nothing is known but why. */
struct engine_report search_failure(const char *reason);

/* What came of a visit that is open. */
void search_process_observe(struct search_process *process,
                            const struct gb_observation *observation);

/* The report's texts and lists are its own. Ends the worker if need be. */
void search_process_free(struct search_process *process);
