/*
 * sandbox.h - what a process that is not trusted may no longer do, in two stages.
 */
#pragma once

#include "core/base/error.h"

#include <stdbool.h>
#include <sys/types.h>

enum { SANDBOX_FOLDER_BYTES = 256 };

/*
 * The first stage: the process may start others and write files in its folder, and to no other file
 * but /dev/null and the devices of NVIDIA. For this process, all its threads and those it starts,
 * until they end: no network, no look into older processes, no signals to them and no place in
 * their schedule, no memory or queue that outlives them, no capabilities.
 * To be called while the process has one thread. Where the kernel has no Landlock this is the
 * second stage. GB_UNSUPPORTED: it has no seccomp filters, or not for this architecture.
 */
int32_t sandbox_prepare(const char *folder, struct gb_error *error);

/* The second: besides it starts no other process and no timer that sends any signal; without
 * Landlock no file is opened for writing.
 */
int32_t sandbox_enter(struct gb_error *error);

/* Of another process: it has as many filters as after both. What runs in it before the second may
 * keep it from it, and deceive the eye by filters of its own: sandbox_has_others. */
bool sandbox_is_entered(pid_t pid);

/* That the kernel has; 0: none. */
long sandbox_landlock_version(void);

/* The folder of such a process, in $TMPDIR or /tmp. */
struct sandbox_folder {
    char path[SANDBOX_FOLDER_BYTES]; /* "": there is none */
    int lock;                        /* by which others see that it is in use; -1: they cannot */
};

/* Chooses the name of one that sandbox_folder_new makes later. */
void sandbox_folder_name(struct sandbox_folder *ret);
/* Makes one, of that name if it has any, and removes those there that killed processes have left.
 */
int32_t sandbox_folder_new(struct sandbox_folder *ret, struct gb_error *error);
/* Removes it with all that is in it. */
void sandbox_folder_free(struct sandbox_folder *folder);

/* When a process began, in ticks since the machine's start; 0: it is not known. */
unsigned long long sandbox_began(pid_t pid);

/* Kills the processes below this one that began after that, but not `kept`, which is stopped; this
 * process is a subreaper. False: they could not all be ended. */
bool sandbox_kill_others(pid_t kept, unsigned long long since);
/* There are such processes in the sandbox. */
bool sandbox_has_others(pid_t kept, unsigned long long since);
