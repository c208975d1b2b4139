/*
 * slot.h - a worker of a supervisor: what it says and prints of its case, and how both end.
 */
#ifndef GBRUN_CORE_SLOT_H
#define GBRUN_CORE_SLOT_H

#include "core/run/run_state.h"

/* Takes in all that has arrived, without blocking; ends the visit, and the worker, if that is due.
 */
void slot_listen(struct slot *slot);

/* Sends the message that worker_begin began. */
void slot_send(struct slot *slot);

/* It sent what it must not send, or nothing can be sent to it. */
void slot_kill_for_protocol(struct slot *slot, const char *violation);

/* Ends the worker, if there is one. */
void slot_close(struct slot *slot);

#endif
