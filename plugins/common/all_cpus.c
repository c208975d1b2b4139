/* all_cpus.c - see all_cpus.h. Plugin side. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* cpu_set_t */
#endif
#include "all_cpus.h"

#include <pthread.h>
#include <sched.h>
#include <stddef.h>

enum { THREADS_MAX = 1024 };

/* The kernel takes away what the process may not use. */
static void allow_all(cpu_set_t *set)
{
    CPU_ZERO(set);
    for (size_t i = 0; i < CPU_SETSIZE; i++)
        CPU_SET(i, set);
}

uint32_t all_cpus_count(void)
{
    cpu_set_t mine;
    cpu_set_t all;
    allow_all(&all);
    if (sched_getaffinity(0, sizeof mine, &mine) != 0)
        return 1;
    uint32_t n = (uint32_t)CPU_COUNT(&mine);
    if (sched_setaffinity(0, sizeof all, &all) == 0 && sched_getaffinity(0, sizeof all, &all) == 0)
        n = (uint32_t)CPU_COUNT(&all);
    sched_setaffinity(0, sizeof mine, &mine);
    return n < THREADS_MAX ? n : THREADS_MAX;
}

struct phase {
    all_cpus_fn *work;
    void *context;
};

static void *work_anywhere(void *object)
{
    const struct phase *phase = object;
    cpu_set_t all;
    allow_all(&all);
    sched_setaffinity(0, sizeof all, &all);
    phase->work(phase->context);
    return NULL;
}

void all_cpus_run(all_cpus_fn *work, void *context, uint32_t n_threads)
{
    pthread_t threads[THREADS_MAX];
    struct phase phase = {work, context};
    const uint32_t wanted = n_threads != 0 ? n_threads : all_cpus_count();
    const uint32_t n_wanted = wanted < THREADS_MAX ? wanted : THREADS_MAX;
    uint32_t n = 0;
    while (n_wanted > 1 && n < n_wanted &&
           pthread_create(&threads[n], NULL, work_anywhere, &phase) == 0)
        n++;
    if (n == 0)
        work(context);
    for (uint32_t i = 0; i < n; i++)
        pthread_join(threads[i], NULL);
}
