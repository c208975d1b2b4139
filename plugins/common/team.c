/*
 * team.c - see team.h. Plugin side.
 *
 * A thread that waits for work looks for it for a while before it sleeps: samples follow each other
 * closely, and waking up takes longer than some of them.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* cpu_set_t */
#endif
#include "team.h"

#include "bench_steps.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_BYTES = 64, SPINS = 20000, STACK_BYTES = 1024 * 1024 };

struct team {
    uint32_t n, n_started; /* n_started: of members[1] and so on */
    bool is_bound;
    cpu_set_t before; /* where the calling thread may run outside a team */
    team_fn *work;
    void *context;
    pthread_mutex_t mutex;
    pthread_cond_t has_changed;
    bool is_stopping; /* under the mutex */
    _Alignas(LINE_BYTES) atomic_uint_fast64_t n_rounds;
    _Alignas(LINE_BYTES) atomic_uint_fast32_t n_busy;
    struct member {
        struct team *team;
        uint32_t number, cpu;
        int error;
        pthread_t thread;
    } members[TEAM_MAX];
};

uint32_t team_cpus(uint32_t cpus[TEAM_MAX])
{
    cpu_set_t set;
    uint32_t n = 0;
    if (sched_getaffinity(0, sizeof set, &set) != 0)
        return 0;
    for (uint32_t cpu = 0; cpu < CPU_SETSIZE && n < TEAM_MAX; cpu++) {
        if (CPU_ISSET(cpu, &set))
            cpus[n++] = cpu;
    }
    return n;
}

int32_t team_size(const struct gb_host *host, int64_t asked, uint32_t cpus[TEAM_MAX],
                  uint32_t *ret_n)
{
    const uint32_t n = team_cpus(cpus);
    if (n == 0)
        return host->fail(host, "the CPUs of the process cannot be read");
    if (asked > (int64_t)n)
        return host_skip(host, "threads = %lld: there are %u CPUs to run on", (long long)asked,
                         (unsigned)n);
    *ret_n = asked > 0 ? (uint32_t)asked : n;
    return GB_OK;
}

static int bind_to(uint32_t cpu)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(cpu, &set);
    return sched_setaffinity(0, sizeof set, &set) == 0 ? 0 : errno;
}

/* False: there is no work and never will be. */
static bool wait_for_round(struct team *team, uint64_t n_done)
{
    for (uint32_t i = 0; team->is_bound && i < SPINS; i++) {
        if (atomic_load_explicit(&team->n_rounds, memory_order_acquire) > n_done)
            return true;
        pause_a_moment();
    }
    pthread_mutex_lock(&team->mutex);
    while (atomic_load(&team->n_rounds) == n_done && !team->is_stopping)
        pthread_cond_wait(&team->has_changed, &team->mutex);
    const bool has_work = atomic_load(&team->n_rounds) > n_done;
    pthread_mutex_unlock(&team->mutex);
    return has_work;
}

static void *serve(void *object)
{
    struct member *member = object;
    struct team *team = member->team;
    member->error = team->is_bound ? bind_to(member->cpu) : 0;
    for (uint64_t n_done = 0; wait_for_round(team, n_done); n_done++) {
        team->work(team->context, member->number);
        atomic_fetch_sub_explicit(&team->n_busy, 1, memory_order_release);
    }
    return NULL;
}

static void do_nothing(void *context, uint32_t thread)
{
    (void)context;
    (void)thread;
}

static int start_members(struct team *team)
{
    pthread_attr_t attributes;
    int error = 0;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, STACK_BYTES);
    while (error == 0 && team->n_started + 1 < team->n) {
        struct member *member = &team->members[team->n_started + 1];
        error = pthread_create(&member->thread, &attributes, serve, member);
        team->n_started += error == 0;
    }
    pthread_attr_destroy(&attributes);
    return error;
}

/* The first round ends when all are bound. */
static int bind_members(struct team *team)
{
    int error = team->is_bound ? bind_to(team->members[0].cpu) : 0;
    team_run(team, do_nothing, NULL);
    for (uint32_t i = 1; i < team->n && error == 0; i++)
        error = team->members[i].error;
    return error;
}

int team_start(const uint32_t *cpus, uint32_t n, struct team **ret)
{
    void *memory = NULL;
    if (posix_memalign(&memory, LINE_BYTES, sizeof(struct team)) != 0)
        return ENOMEM;
    struct team *team = memory;
    *team = (struct team){.n = n, .is_bound = cpus != NULL};
    if (team->is_bound && sched_getaffinity(0, sizeof team->before, &team->before) != 0) {
        free(team);
        return errno;
    }
    pthread_mutex_init(&team->mutex, NULL);
    pthread_cond_init(&team->has_changed, NULL);
    for (uint32_t i = 0; i < n; i++)
        team->members[i] = (struct member){
            .team = team, .number = i, .cpu = cpus != NULL ? cpus[i] : 0};
    int error = start_members(team);
    if (error == 0)
        error = bind_members(team);
    if (error != 0) {
        team_stop(team);
        return error;
    }
    *ret = team;
    return 0;
}

int32_t team_open(const struct gb_host *host, const uint32_t *cpus, uint32_t n, struct team **ret)
{
    const int error = team_start(cpus, n, ret);
    if (error == 0)
        return GB_OK;
    return host_fail(host, "%u threads cannot be started: %s", (unsigned)n, strerror(error));
}

void team_run(struct team *team, team_fn *work, void *context)
{
    team->work = work;
    team->context = context;
    atomic_store_explicit(&team->n_busy, team->n - 1, memory_order_relaxed);
    if (team->n > 1) {
        pthread_mutex_lock(&team->mutex);
        atomic_fetch_add_explicit(&team->n_rounds, 1, memory_order_release);
        pthread_cond_broadcast(&team->has_changed);
        pthread_mutex_unlock(&team->mutex);
    }
    work(context, 0);
    while (atomic_load_explicit(&team->n_busy, memory_order_acquire) > 0) {
        if (team->is_bound)
            pause_a_moment();
        else
            sched_yield();
    }
}

void team_stop(struct team *team)
{
    if (team == NULL)
        return;
    pthread_mutex_lock(&team->mutex);
    team->is_stopping = true;
    pthread_cond_broadcast(&team->has_changed);
    pthread_mutex_unlock(&team->mutex);
    for (uint32_t i = 1; i <= team->n_started; i++)
        pthread_join(team->members[i].thread, NULL);
    if (team->is_bound)
        sched_setaffinity(0, sizeof team->before, &team->before);
    pthread_cond_destroy(&team->has_changed);
    pthread_mutex_destroy(&team->mutex);
    free(team);
}
