/*
 * strays.h - processes that plugins started and that left the session of their worker. When that
 * ends they become children of this process instead of init's, and are killed.
 *
 * Not where this process had children already when the first worker was started: those are not to
 * be mixed up with them.
 */
#pragma once

#include <stdint.h>
#include <sys/types.h>

/* Before a worker is started; and which it is. */
void strays_prepare(void);
void strays_know(pid_t worker);
/* A worker has ended, or 0: kills what it left, and says how many these were. */
uint32_t strays_kill(pid_t worker);
