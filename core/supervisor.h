/*
 * supervisor.h - measures all cases of a sweep in worker processes and stores what comes of it.
 * Floor 4.
 *
 * This process never loads a plugin. A worker that dies, hangs or lies costs the case it was given;
 * what it had sent of that case is stored with the case's status, and a fresh worker goes on.
 */
#ifndef GBRUN_CORE_SUPERVISOR_H
#define GBRUN_CORE_SUPERVISOR_H

#include "core/probe.h"
#include "core/progress.h"
#include "core/store.h"

struct run_plan {
    const struct run_params *params;
    struct sweep *sweep;
    const struct device_list *devices;
    struct store *store;
    int64_t run_id;
    uint32_t n_rounds;    /* the most that any case asks for */
    const uint64_t *done; /* visit_key of visits done in an earlier run, ascending */
    size_t n_done;
    uint64_t first_sequence; /* of the records to be made */
    struct progress *progress;
};

struct run_counts {
    uint64_t n_ok, n_bad, n_left; /* left: not measured because the user stopped the run */
    bool is_cancelled;
};

/* One number for one round of the case at a position of the sweep. */
uint64_t visit_key(uint64_t position, uint32_t round);
int visit_key_compare(const void *a, const void *b); /* for qsort */

/* How many visits there are, those done included. */
int32_t plan_count_visits(struct sweep *sweep, uint64_t *ret_n, uint32_t *ret_rounds,
                          struct gb_error *error);

/* The devices a case may run on: chosen for `device = auto`, else the one it names. NULL: none, and
 * why. */
const struct known_device *plan_device(const struct device_list *devices,
                                       const struct bench_case *bench_case, struct gb_error *error);

/* Returns an error only for what ends the run: the results file can not be written, no process can
 * be started. */
int32_t supervise(const struct run_plan *plan, struct run_counts *ret, struct gb_error *error);

#endif
