/*
 * process_size.h - what a process has beside its state: memory, threads, children. A case that
 * leaves much of it behind takes it from the next one.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct text;

struct process_size {
    uint64_t resident_bytes; /* without what is mapped from files, such as libraries */
    uint64_t mapped_bytes;   /* private and writable, touched or not */
    uint32_t n_threads;      /* 0: not known */
    bool is_traced;          /* by its parent, as after PTRACE_TRACEME */
};
void process_size_take(struct process_size *ret);

/*
 * Adds what a case left, as a list: memory, threads, a tracer, children, threads that compute; what
 * was before it, and n_threads as they were when the process had just opened its device. Runtimes
 * and drivers keep threads that wait for work: as many as THREADS_LEFT and two for each CPU are
 * not reported, whichever case began them. has_children: children are looked for.
 */
enum { THREADS_LEFT = 64 };
void process_size_compare(const struct process_size *before, uint32_t n_threads, bool has_children,
                          struct text *out);
