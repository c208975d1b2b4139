/*
 * machine.h - what is known of this machine, and what about it makes measurements noisy.
 *
 * Only reads; gbrun changes no setting of a machine.
 */
#pragma once

#include "core/base/text.h"
#include "core/store/record.h"

/* Facts stored with a run: host, kernel, cpu, cores, governor, memory, ... In the arena. */
void machine_facts(struct arena *arena, struct fact **ret, size_t *ret_n);

/* "load 0.42, 5 processes running on 2 CPUs": what other programs do, if that is much, in the
 * arena; else NULL. */
const char *machine_load(struct arena *arena);
/* GBRUN_IGNORE_LOAD: nothing is to be said about it, nor about cases that were disturbed. */
bool machine_load_is_ignored(void);

/* The state of what cannot be seen here; devices' plugins use the same words. */
#define FINDING_UNSEEN "not visible here"

/* One thing that was looked at. */
struct finding {
    const char *subject; /* "frequency governor" */
    const char *state;   /* "powersave on 2 of 2 CPUs"; FINDING_UNSEEN */
    bool is_noisy;
    const char *why; /* what it does to measurements; "" if it is fine */
    const char *fix; /* a command, or "" */
};
void machine_examine(struct arena *arena, struct finding **ret, size_t *ret_n);
