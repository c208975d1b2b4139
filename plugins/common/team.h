/* team.h - threads that do the same at the same time, where asked each on a CPU of its own. Plugin
 * side. */
#pragma once

#include <gbrun/host.h>

enum { TEAM_MAX = 1024 };

struct team;

typedef void team_fn(void *context, uint32_t thread);

/* The CPUs that the calling thread may run on, at most TEAM_MAX of them; 0 if the system does not
 * say. */
uint32_t team_cpus(uint32_t cpus[TEAM_MAX]);

/* The number of threads: `asked`, or one for each CPU if that is 0. More than there are CPUs skips
 * the case. cpus: those that the calling thread may run on. */
int32_t team_size(const struct gb_host *host, int64_t asked, uint32_t cpus[TEAM_MAX],
                  uint32_t *ret_n);

/* At most TEAM_MAX threads. Thread i is bound to cpus[i], which is copied; thread 0 is the calling
 * one, which gets back what it may run on at team_stop. Without cpus (NULL) none is bound, there
 * may be more of them than CPUs, and those that wait for work sleep. Returns 0 or an error of
 * <errno.h>. */
int team_start(const uint32_t *cpus, uint32_t n, struct team **ret);

/* The same; an error is reported to the host. */
int32_t team_open(const struct gb_host *host, const uint32_t *cpus, uint32_t n, struct team **ret);

/* Calls work for each thread of the team and returns when all have; from the thread that started it
 * only. */
void team_run(struct team *team, team_fn *work, void *context);

void team_stop(struct team *team); /* NULL is nothing */

/* For loops that wait for another thread without sleeping: tells the processor that this is one, so
 * that the other thread of the core gets more. */
static inline void pause_a_moment(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}
