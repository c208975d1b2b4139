/* perf_events.h - events of a thread that the kernel counts, in user mode (perf_event_open).
 * Plugin side. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct perf_event {
    uint32_t type; /* PERF_TYPE_... */
    uint64_t config;
    /* It shares no counter of the processor with others: its count is exact, or there is none. */
    bool is_exact;
    /* It is of the programs that the thread starts, each from its exec on, and not of the thread;
     * else it has to be switched on. */
    bool is_of_programs;
};

/* What the event counts of a thread (0: of the calling one), and of those that it starts from now
 * on. A file, or -1 with errno. Only what code does itself, which every user may count unless
 * counting is forbidden altogether. */
int perf_event_open(const struct perf_event *event, pid_t thread);

/* The count; what others had their turns in is scaled up, or of an exact event no count; NaN: there
 * is none. Of threads that have ended, and the file's own. */
double perf_event_read(int file, bool is_exact);

/* Is it counted here? It is, for a moment, of this thread: some virtual machines open what they do
 * not count. Else *ret_why. */
bool perf_event_counts(const struct perf_event *event, char *ret_why, size_t bytes);

/* Why an event cannot be counted, in words, by errno. */
void perf_event_explain(int error, char *text, size_t bytes);
