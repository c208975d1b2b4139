/*
 * claims.h - cases that several tasks take from one list, by small files in a folder that all of
 * them see, such as one of NFS: no server, no locks, no clocks that agree.
 *
 * Cases are taken by the unit: one case of a short list, sqrt(n) / 16 neighbours of a long one, so
 * that the files stay few. What became of unit U is a log of files U.0, U.1, ..., of which the last
 * one counts: "held TASK", "free TASK", "done TASK". An entry is made by exclusive creation
 * and never changed, so of all who want to take the next step exactly one does: to take a free
 * unit, to take one from a task that is gone, and to call it done are the same step. The number of
 * the entry by which a unit was taken, its attempt, grows each time; a later attempt measures all
 * rounds of its cases again.
 *
 * Each task counts in a file of its own, task-UUID. Another one that has watched this file for
 * claim_limit, on a clock of its own that stands still while it is stopped itself, without seeing
 * it change, takes the units that the task holds. Should that task be alive after all, it finds the
 * next entry there and leaves the unit. Both may have stored results of it then, in two files;
 * those have the same UUIDs, from the folder's id, the place, the round and the device, and of two
 * records with one UUID a merge keeps the one of the later attempt. So the union of all files has
 * each case once, whichever task was killed when.
 *
 * FOLDER/claims appears complete, with the hash of the plan and the folder's id, by a rename.
 */
#pragma once

#include "core/base/error.h"
#include "core/base/host_clock.h"

#include <stdbool.h>

enum { CLAIM_BATCH_MAX = 1024 };

/* Places of cases in the list that are this task's, in order, and their attempts. */
struct claim_batch {
    uint64_t places[CLAIM_BATCH_MAX];
    uint32_t attempts[CLAIM_BATCH_MAX];
    size_t n;
};

struct claims;

/* folder is made if it is not there; its parent has to be. plan: what all tasks have to have in
 * common, as text; n_places: length of the list; task: UUID of this one's run; limit_ns:
 * claim_limit. GB_INVALID: the folder belongs to another plan. */
int32_t claims_open(const char *folder, const char *plan, uint64_t n_places, const char *task,
                    double limit_ns, struct claims **ret, struct gb_error *error);
/* What is taken and not done is free for others at once. NULL allowed. */
void claims_close(struct claims *claims);

/* Calls the batch done. Without effect on cases that another task has taken away meanwhile. */
int32_t claims_finish(struct claims *claims, struct gb_error *error);
/* The next batch, of n_most cases or little more, after claims_finish. Empty: nothing can be taken
 * now; *ret_is_over: nor later, because all are done. */
int32_t claims_take(struct claims *claims, size_t n_most, bool *ret_is_over,
                    struct gb_error *error);
const struct claim_batch *claims_batch(const struct claims *claims); /* of the latest of both */

/* To be called often: shows the other tasks that this one is alive. GB_IO: that could not be
 * written. */
int32_t claims_beat(struct claims *claims, struct gb_error *error);

/* Of the record of a case in a round; device: its number among those that the case is repeated on.
 */
void claims_uuid(const struct claims *claims, uint64_t place, uint32_t round, size_t device,
                 char ret_uuid[UUID_TEXT]);
