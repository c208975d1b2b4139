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
/* GBRUN_IGNORE_LOAD: no message reports it, nor cases that were disturbed. */
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
/* What disturbs measurements most comes first. */
void machine_examine(struct arena *arena, struct finding **ret, size_t *ret_n);

/* ---- what the rest of the machine did while a case was sampled: in a worker, from /proc, before
 * the first sample and after the last ---- */

/* How long a process or a thread could have run, and had no processor, by its file schedstat in
 * /proc; 0: not known. */
double schedstat_waited_ns(const char *path);

/* Counters as they stood. */
struct interference {
    double at_ns, own_cpu_ns, siblings_cpu_ns, all_cpu_ns, stolen_ns, waited_cpu_ns;
    uint64_t n_preempted;
};
void interference_begin(struct interference *ret);
/* What they went up by. */
void interference_end(const struct interference *begin, struct interference_record *ret);

/* Is it more than the case's interval allows for, or than 1 % where that claims none? Adds a
 * sentence that says what. False: it is not, or the clock does not see it. */
bool interference_matters(const struct case_record *record, struct text *out);

/* Did other processes compute on the device, before the first sample and after the last? What that
 * did to the times is not known: by all clocks. */
bool interference_on_device(const struct case_record *record, struct text *out);
