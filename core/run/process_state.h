/*
 * process_state.h - what a plugin may change of the process it runs in, and whether it did.
 *
 * A worker serves many cases in a row. One that changed the process would change the cases after
 * it: the worker finds out by comparing, and is replaced.
 */
#pragma once

#include "core/base/text.h"

#include <fenv.h>
#include <limits.h>
#include <locale.h>
#include <signal.h>
#include <sys/types.h>

/* What a process has beside its state: memory, files, threads, children. A case that leaves much of
 * it behind takes it from the next one. */
enum { SIZE_RESIDENT, SIZE_MAPPED, SIZE_LOCKED, SIZE_REGIONS, SIZE_FILES, PROCESS_SIZES };
enum { PROCESS_FILES = 1024 };
struct process_size {
    /* bytes without what is mapped from files, such as libraries; bytes private and writable,
     * touched or not; bytes locked; regions of memory; open descriptors */
    uint64_t sizes[PROCESS_SIZES];
    uint32_t n_threads; /* 0: not known */
    long last_thread;   /* the highest number of one */
    bool is_traced;     /* by its parent, as after PTRACE_TRACEME */
    uint64_t handled;   /* signals that are ignored or caught, a bit each from 1 on */
    uint64_t open_files[PROCESS_FILES / 64]; /* a bit each */
};
void process_size_take(struct process_size *ret);

/* Running, or not waited for. */
bool process_has_children(void);

/* Private, but for is_known and size: of a state that the process has been in since. */
enum { PROCESS_SIGNALS = 65, PROCESS_NUMBERS = 10 };
struct process_state {
    char folder[PATH_MAX];
    char locale[512];
    sigset_t mask;
    void (*handlers[PROCESS_SIGNALS])(int);
    bool reaps; /* children end without being waited for */
    mode_t umask;
    int priority;
    uint64_t environment;
    uint64_t own_files; /* which those of the worker itself are */
    uint64_t numbers[PROCESS_NUMBERS], paused[PROCESS_NUMBERS];
    fenv_t floats;
    bool is_known;
    struct process_size size;
};

/* What is now: what later states are compared with. */
void process_state_take(struct process_state *ret);
/* Adds a comma list of what is different now: "working directory, rounding mode". False: nothing
 * is. *state is then what is now. */
bool process_state_differs(struct process_state *state, struct text *out);
/* Files that are closed from now on are no change. */
void process_state_forget_files(struct process_state *state);
/* What changes of affinity, scheduling and limits between the two is a device's that is opened, and
 * stays. */
void process_state_pause(struct process_state *state);
void process_state_resume(struct process_state *state);

/* Of a process that serves cases, zeroed at first. */
struct process_wear {
    uint32_t n_threads; /* when it had just opened its device; 0: not yet */
    double left[PROCESS_SIZES];
};

/*
 * Adds what a case left, as a list: memory, files, threads, a tracer, children, threads that
 * compute or wake up again and again; what was before it. Runtimes and drivers keep threads that
 * wait for work: as many as THREADS_LEFT and two for each CPU are not reported, whichever case
 * began them. has_children: children are looked for. True: what several cases left, and is not
 * reported of one, has become too much.
 */
enum { THREADS_LEFT = 64 };
bool process_size_compare(const struct process_size *before, struct process_wear *wear,
                          bool has_children, const struct process_size *now, struct text *out);

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
