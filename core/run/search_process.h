/*
 * search_process.h - the supervisor's part of a search: a worker of its own in which the plugin
 * runs, asked for the next visit, told what came of it.
 *
 * The worker measures nothing, and waits while others do. One that crashes, or does not answer
 * within a minute, costs its search alone.
 */
#pragma once

#include "core/config/settings.h"
#include "core/run/worker_process.h"
#include "core/search/engine.h"

/* Takes a line that the search logged or printed. */
typedef void search_line_fn(void *context, const char *line);

struct search_process {
    struct worker_process worker;
    bool is_running;
    search_line_fn *line;
    void *context;
    struct arena arena; /* of the report */
};

/* Starts it on a space, with so many visits open at a time. GB_IO: no process can be started. */
int32_t search_process_start(struct search_process *process, const struct search_settings *settings,
                             uint64_t seed, uint32_t lanes, const struct space *space,
                             struct gb_error *error);

/* What is to be done next: true and *ret_step, or false and how it ended; then it has been ended.
 * With several lanes ENGINE_WAIT is a step, too: an observation is to come before the next. */
bool search_process_next(struct search_process *process, struct engine_step *ret_step,
                         struct engine_report *ret_report);

/* What came of a visit that is open. */
void search_process_observe(struct search_process *process,
                            const struct gb_observation *observation);

/* The report's texts and lists are its own. Ends the worker if need be. */
void search_process_free(struct search_process *process);
