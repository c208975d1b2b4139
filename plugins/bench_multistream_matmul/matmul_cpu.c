/* matmul_cpu.c - the products on threads: a stream is a thread with a queue. Plugin side. */
#include "matmul.h"
#include "plugins/common/bench_memory.h"
#include "plugins/common/team.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* --- threads that work like streams of a device: each drains a queue of its own, in order --- */

struct streams;

/* What a task is: called on the stream's thread with its number. */
typedef void stream_task_fn(void *context, uint64_t task);

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

/* Ends the threads once their queues are empty. NULL allowed. */
static void streams_stop(struct streams *streams)
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

/*
 * Starts n threads, which wait. Of the tasks 0 to n_tasks - 1 stream s always does s, s + n, ... in
 * this order, then the same again. spins: how often a thread that waits looks for work before it
 * sleeps; 0 where there are more threads than CPUs. 0, or an errno.
 */
static int streams_start(uint64_t n, uint64_t n_tasks, stream_task_fn *run, void *context,
                         uint64_t spins, struct streams **ret)
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

/* Puts the next task of a stream on its queue. */
static void streams_launch(struct streams *streams, uint64_t stream)
{
    struct stream *to = &streams->items[stream];
    atomic_fetch_add(&streams->unfinished, 1);
    pthread_mutex_lock(&to->mutex);
    atomic_fetch_add_explicit(&to->launched, 1, memory_order_release);
    pthread_cond_signal(&to->changed);
    pthread_mutex_unlock(&to->mutex);
}

/* Waits until all that was launched is done. */
static void streams_join(struct streams *streams)
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

/* --- products --- */

enum { SPINS = 2000 }; /* some 20 us */

/* One element of the output after the other, as one thread of a device does for each: row of A
 * times column of B. The sum is kept in order and in single precision. */
static void multiply(float *restrict c, const float *restrict a, const float *restrict b,
                     const struct params *params)
{
    const size_t length = (size_t)params->aligned;
    for (int64_t row = 0; row < params->rows; row++) {
        for (int64_t col = 0; col < params->cols; col++) {
            const float *restrict left = a + (size_t)row * length;
            const float *restrict right = b + (size_t)col * length;
            float sum = 0.0f;
            for (size_t k = 0; k < length; k++)
                sum += left[k] * right[k];
            c[row * params->cols + col] = sum;
        }
    }
}

/* The same with the sum in the output after each product. */
static void multiply_in_memory(volatile float *c, const float *a, const float *b,
                               const struct params *params)
{
    const size_t length = (size_t)params->aligned;
    for (int64_t row = 0; row < params->rows; row++) {
        for (int64_t col = 0; col < params->cols; col++) {
            const float *left = a + (size_t)row * length;
            const float *right = b + (size_t)col * length;
            volatile float *sum = c + row * params->cols + col;
            *sum = 0.0f;
            for (size_t k = 0; k < length; k++)
                *sum = *sum + left[k] * right[k];
        }
    }
}

static void run_problem(void *object, uint64_t i)
{
    const struct matmul *matmul = object;
    float *c = matmul->c + i * matmul->c_size;
    const float *a = matmul->a + i * matmul->a_size;
    const float *b = matmul->b + i * matmul->b_size;
    if (matmul->params->sum == SUM_MEMORY)
        multiply_in_memory(c, a, b, matmul->params);
    else
        multiply(c, a, b, matmul->params);
}

/* A case that ran as if the option were not there would be shown as another one. */
static int32_t create(struct matmul *matmul)
{
    const struct params *params = matmul->params;
    const struct gb_host *host = matmul->host;
    const struct {
        bool is_asked;
        const char *reason;
    } refusals[] = {
        {params->block != BLOCK_DEFAULT, "block is for CUDA: the CPU has no blocks of threads"},
        {params->priority != PRIORITY_UNIFORM,
         "priority = graded is for CUDA: on the CPU a stream is an ordinary thread"},
        {params->allocation != ALLOCATION_MALLOC,
         "allocation = pool is for CUDA: the CPU has ordinary memory only"},
        {params->units != 0,
         "units is for CUDA: expected option cpus of a device of plugin cpu, the CPUs to run on"},
        {params->stamps != STAMPS_YES,
         "stamps is for CUDA: the CPU does not record where a problem runs"},
    };
    for (size_t i = 0; i < sizeof refusals / sizeof refusals[0]; i++) {
        if (refusals[i].is_asked)
            return host->skip(host, refusals[i].reason);
    }
    take_machine(host);
    return GB_OK;
}

static int32_t allocate(struct matmul *matmul, const struct gb_queue *queue, uint64_t bytes,
                        float **ret)
{
    int32_t status = GB_OK;
    (void)queue;
    *ret = device_memory(matmul->host, bytes, GB_MEMORY_DEVICE, &status);
    return status;
}

static int32_t set(struct matmul *matmul, const struct gb_queue *queue, float *to, uint64_t n,
                   float value)
{
    (void)matmul;
    (void)queue;
    for (uint64_t i = 0; i < n; i++)
        to[i] = value;
    return GB_OK;
}

/* A thread that spins takes a CPU from one that works where there is not one for each of them, the
 * launching one included. */
static int32_t prepare(struct matmul *matmul, const struct gb_queue *queue)
{
    (void)queue;
    const struct gb_host *host = matmul->host;
    const uint64_t spins = matmul->n_streams < host->device->n_units ? SPINS : 0;
    struct streams *streams = NULL;
    const int error = streams_start(matmul->n_streams, (uint64_t)matmul->params->problems,
                                    run_problem, matmul, spins, &streams);
    matmul->own = streams;
    if (error == 0)
        return GB_OK;
    return host_fail(host, "streams = %" PRId64 ": a thread cannot be started: %s",
                     matmul->params->streams, strerror(error));
}

static int32_t run(const struct matmul *matmul, const struct gb_queue *queue, uint64_t iterations)
{
    struct streams *streams = matmul->own;
    const uint64_t n_problems = (uint64_t)matmul->params->problems;
    (void)queue;
    for (uint64_t i = 0; i < iterations; i++) {
        for (uint64_t j = 0; j < n_problems; j++)
            streams_launch(streams, matmul->launches[j].stream);
        streams_join(streams);
    }
    return GB_OK;
}

static void destroy(void *streams)
{
    streams_stop(streams);
}

const struct backend matmul_cpu = {
    .has_host_memory = true,
    .create = create,
    .allocate = allocate,
    .set = set,
    .prepare = prepare,
    .run = run,
    .destroy = destroy,
};
