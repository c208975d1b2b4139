/*
 * worker_process.h - the supervisor's end of a worker: started, listened to, ended.
 */
#pragma once

#include "core/config/bench_case.h"
#include "core/run/wire.h"
#include "core/run/worker_link.h"

#include <sys/types.h>

struct worker_process {
    pid_t pid;  /* 0: none, or a process that is not this one's to end: see worker_become */
    int socket; /* not blocking; -1: closed */
    int output; /* what it prints; not blocking; -1: closed */
    struct worker_page *page;
    struct wire_writer writer;
    struct wire_input input;
    struct text line; /* printed, without an end of line yet */
    bool has_exited;
    int wait_status;
    pid_t forked; /* that it says it has forked for its last case; 0: none */
};

/*
 * Starts a worker: a fresh copy of the program, in a process group of its own, with this process's
 * environment and the given variables, its standard output and error in a pipe, default signal
 * handling.
 */
int32_t worker_start(struct worker_process *worker, const struct environment_variable *variables,
                     size_t n_variables, struct gb_error *error);

/*
 * Makes this process the worker and continues in a child, to which *worker is the other end: for
 * profilers, which look at the process that they started. The variables are set in the worker,
 * which prints where this process does. This process does not return but ends after the child, with
 * its exit code. To be called before anything is open that the two must not share.
 */
int32_t worker_become(struct worker_process *worker, const struct environment_variable *variables,
                      size_t n_variables, struct gb_error *error);

/* Begins a message of a type; worker_send sends it. GB_IO: the worker is gone. */
struct wire_writer *worker_begin(struct worker_process *worker, uint32_t type);
int32_t worker_send(struct worker_process *worker, struct gb_error *error);
/* A message that is a struct, whole. */
int32_t worker_send_fields(struct worker_process *worker, uint32_t type,
                           const struct wire_field *fields, const void *object,
                           struct gb_error *error);

/* Reads what has arrived, without blocking. True while the connection is open. */
bool worker_read(struct worker_process *worker);

/* Lines the worker printed, without their ends; the rest of a line once the output is closed or it
 * gets long. As much is read at a time as a pipe holds: a worker that prints without end must not
 * keep its reader. */
typedef void worker_line_fn(void *context, const char *line);
void worker_read_output(struct worker_process *worker, worker_line_fn *line, void *context);
void worker_flush_output(struct worker_process *worker, worker_line_fn *line, void *context);

/* For a caller that has one worker: waits 0.2 s at most until it sends or prints, and reads both.
 * True while the connection is open. */
bool worker_listen(struct worker_process *worker, worker_line_fn *line, void *context);

/* Has it ended? Does not block. */
bool worker_reap(struct worker_process *worker);
void worker_kill(struct worker_process *worker); /* it and all it has started */

/* It was killed, and ends when it gets a processor, however busy the machine is. */
bool worker_waits_for_processor(const struct worker_process *worker);
/* For how long its first thread could have run, and had no processor; 0 where that is not known. */
double worker_waited_ns(const struct worker_process *worker);
double worker_processor_ns(const struct worker_process *worker); /* that it has used; or 0 */

/* "SIGSEGV", "exit 3", "closed its connection": how it ended. */
void worker_death(const struct worker_process *worker, char *buffer, size_t bytes);
/* "SIGALRM", or "signal 70". */
void signal_name(int number, char *buffer, size_t bytes);

/* Kills it if need be, waits for it, frees all. False: it has not ended within WORKER_END_SECONDS,
 * as the kernel does not let a process go in uninterruptible sleep, and is left behind; is_left:
 * this was waited for already. */
enum { WORKER_END_SECONDS = 10 };
bool worker_end(struct worker_process *worker, bool is_left);
