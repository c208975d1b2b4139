/*
 * supervisor.h - measures all cases of a sweep in worker processes and stores what comes of it.
 *
 * This process never loads a plugin. A worker that dies, hangs or breaks the protocol costs the
 * case it was given; what it had sent of that case is stored with the case's status, and a fresh
 * worker continues.
 */
#pragma once

#include "core/run/claims.h"
#include "core/run/events.h"
#include "core/run/progress.h"
#include "core/run/visit.h"
#include "core/run/worker_process.h"
#include "core/store/store.h"

#include <sched.h>

/*
 * Called when all that was scheduled has been stored, and nothing is being measured: is there more
 * to do? It may give the schedule another round (n_rounds), or visits (schedule_want). With lanes
 * it is called after each visit that was stored.
 */
typedef int32_t run_round_fn(void *context, struct schedule *schedule, bool *ret_goes_on,
                             struct gb_error *error);

struct run_plan {
    const struct run_params *params;
    struct schedule schedule; /* counted */
    run_round_fn *on_round;   /* NULL: there is no more */
    void *context;            /* of on_round */
    struct claims *claims;    /* the schedule's cases come from them; NULL: all are its own */
    const char *elsewhere; /* a warning of each case: it is not where the run began; NULL: it is */
    struct store *store;
    int64_t run_id;
    uint64_t first_sequence; /* of the records to be made */
    struct progress *progress;
    struct events *events;               /* NULL: there is no listener */
    const struct worker_process *worker; /* that is there already, for the only visit; NULL */
    struct spare_worker *spare; /* for the first visit on its devices without an environment of its
                                   own, which takes it away; at the end one that is idle */
};

struct run_counts {
    uint64_t n_bad, n_left; /* left: not measured because the user stopped the run */
    bool is_cancelled;
};

/* The processors that lanes use: those of this process but one core, which is left to the case that
 * is measured. In assign.c. */
struct lane_cpus {
    cpu_set_t set;    /* empty: there is only one core, or it is not known which there are */
    uint32_t n_cores; /* whole ones, of those that the system grants this process; 1 at least */
};
void lane_cpus_find(struct lane_cpus *ret);

/* Has the user asked to stop the run that is measured? For what is called by it. */
bool supervise_is_stopped(void);

/* Returns an error only for what ends the run: the results file cannot be written, no process can
 * be started. */
int32_t supervise(const struct run_plan *plan, struct run_counts *ret, struct gb_error *error);
