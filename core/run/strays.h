/*
 * strays.h - processes that plugins start, and that outlive the worker or the forked process whose
 * children they were.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Before this process has children: those of its descendants become its own. */
void strays_prepare(void);
/* A worker of this process is no stray. */
void strays_except(pid_t worker);

/* A worker has ended, or 0: kills the processes that it has left, also those in sessions of their
 * own, and returns how many these were. forked: one that the worker has forked for its cases, which
 * does not count, and is waited for as workers are; or 0. */
uint32_t strays_kill(pid_t worker, pid_t forked);

/* Has a child ended, of which waitpid returned this status? */
bool strays_child_has_ended(pid_t pid, int wait_status);
