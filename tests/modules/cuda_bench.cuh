// cuda_bench.cuh - what the benchmarks in CUDA C of the test modules share. Their object is struct
// bench, which their options fill; `host` of it is set, all else zero at first.
#pragma once

#include "words.h"

#include <cuda_runtime.h>
#include <gbrun/simple.h>
#pragma GCC diagnostic ignored "-Wmissing-field-initializers" // what is left out is 0, as in C

// A look at the GPU's global timer.
static __device__ __forceinline__ unsigned long long global_ns()
{
    unsigned long long now;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now)::"memory");
    return now;
}

// Work of a known length.
static __device__ __forceinline__ void spin_for(unsigned long long duration_ns)
{
    const unsigned long long begin_ns = global_ns();
    while (global_ns() - begin_ns < duration_ns)
        ;
}

static inline int32_t judge(const gb_host *host, cudaError_t error)
{
    return error == cudaSuccess ? GB_OK : host->fail(host, cudaGetErrorString(error));
}

static inline int32_t judge(const gb_host *, int32_t status)
{
    return status;
}

// Returns from a function of `bench` with what a call of CUDA or of the host has returned, unless
// that is success.
#define TRY(call)                                                                                  \
    do {                                                                                           \
        const int32_t tried = judge(bench->host, call);                                            \
        if (tried != GB_OK)                                                                        \
            return tried;                                                                          \
    } while (0)

// After launches, `status` or what they say; it is forgotten, so that the next call finds none.
template <typename T> static int32_t enqueued(const T *bench, int32_t status)
{
    const cudaError_t last = cudaGetLastError();
    return status == GB_OK ? judge(bench->host, last) : status;
}

template <typename T, typename E> static int32_t take(const T *bench, uint64_t n, E **ret_memory)
{
    return bench->host->device_allocate(bench->host, n * sizeof(E), GB_MEMORY_DEVICE,
                                        (void **)ret_memory);
}

// Done when it returns.
template <typename T>
static int32_t copied(const T *bench, cudaStream_t stream, void *to, const void *from, size_t bytes)
{
    TRY(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, stream));
    return judge(bench->host, cudaStreamSynchronize(stream));
}

template <typename... parameters, typename... arguments>
static cudaError_t launch_with(cudaLaunchAttribute attribute, cudaStream_t stream,
                               void (*kernel)(parameters...), unsigned blocks, unsigned threads,
                               arguments... given)
{
    cudaLaunchConfig_t config = {};
    config.gridDim = blocks;
    config.blockDim = threads;
    config.stream = stream;
    config.attrs = &attribute;
    config.numAttrs = 1;
    return cudaLaunchKernelEx(&config, kernel, given...);
}

// What a benchmark has beside its queue; what it has not made is NULL.
struct parts {
    cudaStream_t side, blocking;
    cudaEvent_t forked, joined;
    cudaGraphExec_t graph;
};

static inline void destroy_parts(const parts *parts)
{
    if (parts->graph != nullptr)
        cudaGraphExecDestroy(parts->graph);
    if (parts->forked != nullptr)
        cudaEventDestroy(parts->forked);
    if (parts->joined != nullptr)
        cudaEventDestroy(parts->joined);
    if (parts->side != nullptr)
        cudaStreamDestroy(parts->side);
    if (parts->blocking != nullptr)
        cudaStreamDestroy(parts->blocking);
}

template <typename T> static int32_t make_fork(T *bench)
{
    TRY(cudaStreamCreateWithFlags(&bench->parts.side, cudaStreamNonBlocking));
    TRY(cudaEventCreateWithFlags(&bench->parts.forked, cudaEventDisableTiming));
    TRY(cudaEventCreateWithFlags(&bench->parts.joined, cudaEventDisableTiming));
    return GB_OK;
}

// What is enqueued goes beside the stream, which waits for it if it is joined.
template <typename T, typename F>
static int32_t fork(const T *bench, cudaStream_t stream, bool joins, F enqueue)
{
    const parts *parts = &bench->parts;
    TRY(cudaEventRecord(parts->forked, stream));
    TRY(cudaStreamWaitEvent(parts->side, parts->forked, 0));
    enqueue();
    if (!joins)
        return GB_OK;
    TRY(cudaEventRecord(parts->joined, parts->side));
    return judge(bench->host, cudaStreamWaitEvent(stream, parts->joined, 0));
}

template <typename T, typename F>
static int32_t capture_graph(T *bench, cudaStream_t stream, F enqueue)
{
    cudaGraph_t graph = nullptr;
    TRY(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    enqueue();
    TRY(cudaStreamEndCapture(stream, &graph));
    const cudaError_t error = cudaGraphInstantiate(&bench->parts.graph, graph, 0);
    cudaGraphDestroy(graph);
    return judge(bench->host, error);
}

// The head of a prepare, reset or verify.
#define ON_STREAM(function)                                                                        \
    static int32_t function##_on(bench *bench, cudaStream_t stream);                               \
    static int32_t function(void *object, const gb_queue *queue)                                   \
    {                                                                                              \
        return function##_on((struct bench *)object, (cudaStream_t)queue->native);                 \
    }                                                                                              \
    static int32_t function##_on(bench *bench, cudaStream_t stream)

// The head of a run, of one iteration.
#define RUN_ON_STREAM                                                                              \
    static int32_t run_on(bench *bench, cudaStream_t stream);                                      \
    static int32_t run(void *object, const gb_queue *queue, uint64_t)                              \
    {                                                                                              \
        return run_on((struct bench *)object, (cudaStream_t)queue->native);                        \
    }                                                                                              \
    static int32_t run_on(bench *bench, cudaStream_t stream)

// The plugin `name` with the options in `options`; behind its summary are functions.
#define CUDA_BENCH(name, flags_, summary_, ...)                                                    \
    static int32_t name##_create(const gb_host *host, const void *params, void **ret_bench)        \
    {                                                                                              \
        auto *object = (bench *)host->allocate(host, sizeof(bench));                               \
        if (object == nullptr)                                                                     \
            return GB_NO_MEMORY;                                                                   \
        *object = *(const bench *)params;                                                          \
        object->host = host;                                                                       \
        *ret_bench = object;                                                                       \
        return GB_OK;                                                                              \
    }                                                                                              \
    static const gb_bench_ops name##_ops = {                                                       \
        .size = sizeof name##_ops, .flags = flags_, .create = name##_create, __VA_ARGS__};         \
    static const gb_plugin name = {GB_PLUGIN(BENCH, #name, "1.0", summary_), .devices = "cuda",    \
                                   GB_OPTIONS(options, bench), .ops = &name##_ops};
