/* process.h - programs that are found, started and waited for. Plugin side. */
#pragma once

#include <gbrun/host.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct program {
    char *const *arguments; /* as main gets them, until NULL */
    const char *file;       /* what is executed */
    const char *folder;     /* that it is started in */
    pid_t group;            /* that it joins; 0: it leads one of its own */
};

/* A process group that does not outlive this process, whatever ends it: its leader, a shell, waits
 * for the end of a pipe that this process alone holds open, and then kills the group. */
struct process_group {
    pid_t leader; /* 0: there is none */
    int pipe;
};

struct outcome {
    int status; /* as of wait */
    double user_ns, system_ns;
    uint64_t peak_bytes; /* resident, at its peak */
};

/* The path that an option means, relative to the folder of the configuration; NULL: no memory. */
char *path_of(const struct gb_host *host, const char *path);
/* Is it a regular file that this user may execute? */
bool process_may_run(const char *path);
/* The path of such a program in the folders of PATH. NULL: in none, or no memory. */
char *process_find(const struct gb_host *host, const char *name);

/* Returns 0 or an errno. */
int process_group_begin(struct process_group *ret);
/* Ends the leader alone: the others of the group continue. */
void process_group_end(struct process_group *group);

/* By posix_spawn, which copies no memory of this process; with signals as they are by default.
 * streams: its standard input, output and error. Returns 0 or an errno. */
int process_start(const struct program *program, const int streams[3], pid_t *ret);
/* Waits for its end. False: a signal interrupted it and is_over(context) was true. */
bool process_wait(pid_t pid, bool (*is_over)(void *context), void *context, struct outcome *ret);
/* Reads until the end, or until `room` bytes are there; returns how many. */
size_t process_read(int from, char *to, size_t room);
/* Ends it with all of its group, and waits for it. */
void process_kill(pid_t pid);

/* What a process costs that ends before it executes a program, in ns: the shortest of several. */
double process_overhead_ns(const struct program *program, const int streams[3]);
