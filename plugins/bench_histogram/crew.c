/* crew.c - see crew.h. Plugin side. */
#include "crew.h"

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

enum { STACK_BYTES = 256 * 1024 };

struct member {
    struct crew *crew;
    uint64_t number;
    pthread_t thread;
};

struct crew {
    uint64_t n, n_started; /* n_started: without the caller */
    pthread_mutex_t mutex;
    pthread_cond_t begun, done;
    uint64_t round; /* of tasks; it and what follows: under the mutex */
    uint64_t n_busy;
    bool stopping;
    crew_task_fn *task;
    void *context;
    struct member members[]; /* n - 1 */
};

/* False: there is none and never will be. */
static bool wait_for_round(struct crew *crew, uint64_t seen)
{
    pthread_mutex_lock(&crew->mutex);
    while (crew->round == seen && !crew->stopping)
        pthread_cond_wait(&crew->begun, &crew->mutex);
    const bool has_work = crew->round > seen;
    pthread_mutex_unlock(&crew->mutex);
    return has_work;
}

static void *serve(void *object)
{
    const struct member *member = object;
    struct crew *crew = member->crew;
    for (uint64_t seen = 0; wait_for_round(crew, seen); seen++) {
        crew->task(crew->context, member->number, crew->n);
        pthread_mutex_lock(&crew->mutex);
        if (--crew->n_busy == 0)
            pthread_cond_signal(&crew->done);
        pthread_mutex_unlock(&crew->mutex);
    }
    return NULL;
}

int crew_start(uint64_t n, struct crew **ret)
{
    struct crew *crew = calloc(1, sizeof *crew + (n - 1) * sizeof crew->members[0]);
    if (crew == NULL)
        return ENOMEM;
    crew->n = n;
    pthread_mutex_init(&crew->mutex, NULL);
    pthread_cond_init(&crew->begun, NULL);
    pthread_cond_init(&crew->done, NULL);
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, STACK_BYTES);
    int error = 0;
    while (error == 0 && crew->n_started < n - 1) {
        struct member *member = &crew->members[crew->n_started];
        *member = (struct member){.crew = crew, .number = crew->n_started + 1};
        error = pthread_create(&member->thread, &attributes, serve, member);
        crew->n_started += error == 0;
    }
    pthread_attr_destroy(&attributes);
    if (error != 0) {
        crew_stop(crew);
        return error;
    }
    *ret = crew;
    return 0;
}

void crew_run(struct crew *crew, crew_task_fn *task, void *context)
{
    pthread_mutex_lock(&crew->mutex);
    crew->task = task;
    crew->context = context;
    crew->n_busy = crew->n_started;
    crew->round++;
    pthread_cond_broadcast(&crew->begun);
    pthread_mutex_unlock(&crew->mutex);
    task(context, 0, crew->n);
    pthread_mutex_lock(&crew->mutex);
    while (crew->n_busy > 0)
        pthread_cond_wait(&crew->done, &crew->mutex);
    pthread_mutex_unlock(&crew->mutex);
}

void crew_stop(struct crew *crew)
{
    if (crew == NULL)
        return;
    pthread_mutex_lock(&crew->mutex);
    crew->stopping = true;
    pthread_cond_broadcast(&crew->begun);
    pthread_mutex_unlock(&crew->mutex);
    for (uint64_t i = 0; i < crew->n_started; i++)
        pthread_join(crew->members[i].thread, NULL);
    pthread_cond_destroy(&crew->done);
    pthread_cond_destroy(&crew->begun);
    pthread_mutex_destroy(&crew->mutex);
    free(crew);
}
