/*
 * process_state.h - what a plugin may change of the process it runs in, and whether it did.
 * Floor 3.
 *
 * A worker serves many cases in a row. One that changed the process would change the cases after
 * it: the worker finds out by comparing, and is replaced.
 */
#ifndef GBRUN_CORE_PROCESS_STATE_H
#define GBRUN_CORE_PROCESS_STATE_H

#include "core/text.h"

struct process_state;

struct process_state *process_state_take(void);
/* Adds a comma list of what is different now: "working directory, rounding mode". False: nothing
 * is. */
bool process_state_differs(const struct process_state *state, struct text *out);
void process_state_free(struct process_state *state);

/*
 * The floating-point environment that a benchmark keeps for itself: rounding, traps, flushing of
 * subnormals. What it sets in one function holds in its others, and nowhere else.
 */
struct float_mode;
struct float_mode *float_mode_new(void); /* the default environment */
void float_mode_enter(const struct float_mode *mode);
void float_mode_leave(struct float_mode *mode); /* keeps what it is now, and sets the default */
void float_mode_free(struct float_mode *mode);

/* Resident memory of this process in bytes; 0 if not known. */
uint64_t process_resident_bytes(void);

#endif
