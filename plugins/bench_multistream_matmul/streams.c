/* streams.c - see streams.h. Plugin side. */
#include "streams.h"

#include "plugins/common/team.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

enum { LINE_BYTES = 64, STACK_BYTES = 256 * 1024 };

/* What a launcher writes and what the stream itself writes lie on different cache lines. */
struct stream {
    _Alignas(LINE_BYTES) pthread_mutex_t mutex;
    pthread_cond_t changed;
    atomic_uint_fast64_t launched;
    bool stopping; /* under the mutex */
    _Alignas(LINE_BYTES) struct streams *all;
    uint64_t number;
    pthread_t thread;
};

struct streams {
    uint64_t n, n_started, n_tasks, spins;
    stream_task_fn *run;
    void *context;
    struct stream *items;
    _Alignas(LINE_BYTES) atomic_uint_fast64_t unfinished; /* tasks launched and not done */
    pthread_mutex_t mutex;
    pthread_cond_t all_done;
};

/* True as soon as there is work; false: it is time to sleep. */
static bool spin_for_work(struct stream *stream, uint64_t done)
{
    for (uint64_t i = 0; i < stream->all->spins; i++) {
        if (atomic_load_explicit(&stream->launched, memory_order_acquire) > done)
            return true;
        pause_a_moment();
    }
    return false;
}

/* False: there is none and never will be. */
static bool wait_for_work(struct stream *stream, uint64_t done)
{
    if (spin_for_work(stream, done))
        return true;
    pthread_mutex_lock(&stream->mutex);
    while (atomic_load(&stream->launched) == done && !stream->stopping)
        pthread_cond_wait(&stream->changed, &stream->mutex);
    const bool has_work = atomic_load(&stream->launched) > done;
    pthread_mutex_unlock(&stream->mutex);
    return has_work;
}

static void finish_one(struct streams *streams)
{
    if (atomic_fetch_sub(&streams->unfinished, 1) > 1)
        return;
    pthread_mutex_lock(&streams->mutex);
    pthread_cond_signal(&streams->all_done);
    pthread_mutex_unlock(&streams->mutex);
}

static void *drain(void *object)
{
    struct stream *stream = object;
    struct streams *streams = stream->all;
    const uint64_t n_own = (streams->n_tasks + streams->n - 1 - stream->number) / streams->n;
    for (uint64_t done = 0; wait_for_work(stream, done); done++) {
        streams->run(streams->context, stream->number + done % n_own * streams->n);
        finish_one(streams);
    }
    return NULL;
}

static int start_one(struct streams *streams, uint64_t number, const pthread_attr_t *attributes)
{
    struct stream *stream = &streams->items[number];
    stream->all = streams;
    stream->number = number;
    atomic_init(&stream->launched, 0);
    pthread_mutex_init(&stream->mutex, NULL);
    pthread_cond_init(&stream->changed, NULL);
    return pthread_create(&stream->thread, attributes, drain, stream);
}

static void *allocate_lines(uint64_t n, uint64_t bytes)
{
    void *memory = NULL;
    if (n > SIZE_MAX / bytes || posix_memalign(&memory, LINE_BYTES, (size_t)(n * bytes)) != 0)
        return NULL;
    return memory;
}

int streams_start(uint64_t n, uint64_t n_tasks, stream_task_fn *run, void *context, uint64_t spins,
                  struct streams **ret)
{
    struct streams *streams = allocate_lines(1, sizeof *streams);
    if (streams == NULL)
        return ENOMEM;
    *streams = (struct streams){
        .n = n, .n_tasks = n_tasks, .spins = spins, .run = run, .context = context};
    pthread_mutex_init(&streams->mutex, NULL);
    pthread_cond_init(&streams->all_done, NULL);
    streams->items = allocate_lines(n, sizeof *streams->items);
    int error = streams->items == NULL ? ENOMEM : 0;

    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, STACK_BYTES);
    while (error == 0 && streams->n_started < n) {
        streams->items[streams->n_started] = (struct stream){0};
        error = start_one(streams, streams->n_started, &attributes);
        streams->n_started += error == 0;
    }
    pthread_attr_destroy(&attributes);
    if (error != 0) {
        streams_stop(streams);
        return error;
    }
    *ret = streams;
    return 0;
}

void streams_launch(struct streams *streams, uint64_t stream)
{
    struct stream *to = &streams->items[stream];
    atomic_fetch_add(&streams->unfinished, 1);
    pthread_mutex_lock(&to->mutex);
    atomic_fetch_add_explicit(&to->launched, 1, memory_order_release);
    pthread_cond_signal(&to->changed);
    pthread_mutex_unlock(&to->mutex);
}

void streams_join(struct streams *streams)
{
    for (uint64_t i = 0; i < streams->spins; i++) {
        if (atomic_load_explicit(&streams->unfinished, memory_order_acquire) == 0)
            return;
        pause_a_moment();
    }
    pthread_mutex_lock(&streams->mutex);
    while (atomic_load(&streams->unfinished) > 0)
        pthread_cond_wait(&streams->all_done, &streams->mutex);
    pthread_mutex_unlock(&streams->mutex);
}

void streams_stop(struct streams *streams)
{
    if (streams == NULL)
        return;
    for (uint64_t i = 0; i < streams->n_started; i++) {
        struct stream *stream = &streams->items[i];
        pthread_mutex_lock(&stream->mutex);
        stream->stopping = true;
        pthread_cond_signal(&stream->changed);
        pthread_mutex_unlock(&stream->mutex);
    }
    for (uint64_t i = 0; i < streams->n_started; i++) {
        struct stream *stream = &streams->items[i];
        pthread_join(stream->thread, NULL);
        pthread_cond_destroy(&stream->changed);
        pthread_mutex_destroy(&stream->mutex);
    }
    pthread_cond_destroy(&streams->all_done);
    pthread_mutex_destroy(&streams->mutex);
    free(streams->items);
    free(streams);
}
