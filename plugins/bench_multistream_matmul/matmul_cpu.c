/* matmul_cpu.c - the products on threads: a stream is a thread with a queue. Plugin side. */
#include "matmul.h"
#include "streams.h"

#include "plugins/common/bench_steps.h"

#include <inttypes.h>
#include <string.h>

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
         "priority = graded is for CUDA: a stream of the CPU is a thread like any other"},
        {params->allocation != ALLOCATION_MALLOC,
         "allocation = pool is for CUDA: the CPU has plain memory only"},
        {params->units != 0, "units is for CUDA: give the CPUs to run on as option cpus of a "
                             "device of plugin cpu"},
        {params->stamps != STAMPS_YES,
         "stamps is for CUDA: on the CPU nothing notes where a problem runs"},
    };
    for (size_t i = 0; i < sizeof refusals / sizeof refusals[0]; i++) {
        if (refusals[i].is_asked)
            return host->skip(host, refusals[i].reason);
    }
    if (GB_HAS(host, exclusive))
        host->exclusive(host);
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
