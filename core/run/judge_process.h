/*
 * judge_process.h - the process that runs what is judged, as the judge sees it: begun, given
 * orders, stopped between them, ended. judged.h is the other side.
 *
 * A process for the next case can be parked: begun while this case's outputs are compared, with
 * what the zygote has loaded and the device open, so that the next case does not wait for them. It
 * has seen nothing that is measured, serves one case, and ends with the judge.
 */
#pragma once

#include "core/run/case_state.h"
#include "core/run/judged.h"

struct judge_process {
    struct case_state *state;
    struct shared_memory memory;  /* the page first, then the objects' */
    struct judged_page *page;     /* in it */
    struct gb_shared_block block; /* of a device; bytes 0: it has none */
    pid_t pid;                    /* 0: none */
    unsigned long long began;
    struct sandbox_folder folder; /* of the process */
    bool is_stopped;
    bool is_warm;   /* it may be forked from what has loaded the same */
    uint32_t order; /* number of the last one */
};

/* The parked one, if there is one for this block; else one that is begun by _start. NULL: the case
 * has ended. */
struct judge_process *judge_process_new(struct case_state *state,
                                        const struct gb_shared_block *block, bool is_warm);
/* It knows its case and waits, having run nothing of it. */
int32_t judge_process_start(struct judge_process *process);
/* Parks one, if this one was forked, has a device, and there is none. */
void judge_process_park(const struct judge_process *process);

/* Continues the process, which carries out what the page says. On a device it polls until it may
 * begin, so that the way to it is short. */
int32_t judge_process_give(struct judge_process *process);
/* Waits for the end of that: until the process has stopped; on a device until it says so. */
int32_t judge_process_obey(struct judge_process *process);
/* Waits until it has stopped. */
int32_t judge_process_wait(struct judge_process *process);

void judge_process_kill(const struct judge_process *process);
/* Ends it and what it has started, and frees it; NULL allowed. */
void judge_process_end(struct judge_process *process);
