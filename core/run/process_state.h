/*
 * process_state.h - what a plugin may change of the process it runs in, and whether it did.
 *
 * A worker serves many cases in a row. One that changed the process would change the cases after
 * it: the worker finds out by comparing, and is replaced.
 */
#pragma once

#include "core/base/text.h"

#include <fenv.h>
#include <locale.h>

struct process_state;

struct process_state *process_state_take(void);
/* What is now is what others are compared with. */
void process_state_renew(struct process_state *state);
/* Adds a comma list of what is different now: "working directory, rounding mode". False: nothing
 * is. */
bool process_state_differs(const struct process_state *state, struct text *out);
/* What changes of affinity, scheduling and limits between the two is a device's that is opened, and
 * stays. */
void process_state_pause(struct process_state *state);
void process_state_resume(struct process_state *state);
void process_state_free(struct process_state *state);

/*
 * The floating-point environment and the locale that a benchmark keeps for itself: rounding, traps,
 * flushing of subnormals, setlocale. What it sets in one function holds in its others; between them
 * the defaults hold.
 */
struct plugin_mode {
    fenv_t floats;
    locale_t locale; /* of the thread, or LC_GLOBAL_LOCALE */
};
void plugin_mode_begin(struct plugin_mode *mode); /* sets the defaults */
/* The same in a process that is another's: the benchmark keeps what the caller has set, which enter
 * sets again. */
void plugin_mode_adopt(struct plugin_mode *mode);
void plugin_mode_enter(const struct plugin_mode *mode);
void plugin_mode_leave(struct plugin_mode *mode);
