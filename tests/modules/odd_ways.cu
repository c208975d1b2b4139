/*
 * odd_ways.cu - the same work put on a GPU in many ways, among them such as a clock can miss: a
 * spin of a known time, by the GPU's global timer. For tests that no way is read as shorter than it
 * is.
 *
 * `odd_ways` promises nothing about its calls, `odd_ways_every_call` has GB_BENCH_EVERY_CALL.
 */
#include "cuda_bench.cuh"

#include <cooperative_groups.h>
#include <pthread.h>

// --- kernels ---

static __global__ void spin(unsigned long long duration_ns)
{
    spin_for(duration_ns);
}

static __global__ void spin_and_count(unsigned long long duration_ns, unsigned long long *n_runs)
{
    spin_for(duration_ns);
    *n_runs += 1;
}

// Lets the next kernel begin at once; that one waits for its end before it spins itself.
static __global__ void spin_dependently(unsigned long long duration_ns)
{
#if __CUDA_ARCH__ >= 900
    cudaTriggerProgrammaticLaunchCompletion();
    cudaGridDependencySynchronize();
#endif
    spin_for(duration_ns);
}

static __global__ void spin_together(unsigned long long duration_ns)
{
    cooperative_groups::this_grid().sync();
    spin_for(duration_ns);
}

// --- the benchmark ---

// clang-format off
#define WAYS(X)                                                                                    \
    X(plain) X(two) X(three) X(alternating) X(counting) X(own_graph) X(dependent) X(cooperative)   \
    X(host_function) X(waits_for_stream) X(waits_for_device) X(waits_for_event) X(allocates)       \
    X(allocates_async) X(copies_pinned) X(copies_pageable) X(only_copies_pageable)                 \
    X(forked_joined) X(forked_unjoined) X(blocking_stream) X(legacy_stream) X(per_thread_stream)   \
    X(thread_on_queue) X(thread_on_stream)
// clang-format on
static const char *const ways[] = {WAYS(WORD)};
enum { WAYS(WORD_NUMBER) };

struct bench {
    int32_t way;
    double duration;
    uint64_t bytes;
    const gb_host *host;
    unsigned long long duration_ns;
    unsigned long long n_calls;
    unsigned long long *n_runs; // on the device: kernels that were run
    int device;
    void *pageable, *pinned, *memory;
    struct parts parts;
};

static const gb_option options[] = {
    GB_CHOICE(bench, way, "plain", ways, "how the work gets onto the GPU"),
    GB_DURATION(bench, duration, "50us", "1us:1s", "of the work in all"),
    GB_BYTES(bench, bytes, "4KiB", "1:1GiB", "of copies and allocations"),
};

static void destroy(void *object)
{
    destroy_parts(&((struct bench *)object)->parts);
}

ON_STREAM(prepare)
{
    const gb_host *host = bench->host;
    const uint64_t bytes = bench->bytes;
    (void)stream;
    bench->duration_ns = (unsigned long long)bench->duration;
    bench->pageable = host->allocate(host, bytes);
    if (bench->pageable == nullptr)
        return GB_NO_MEMORY;
    TRY(host->device_allocate(host, bytes, GB_MEMORY_PINNED, &bench->pinned));
    TRY(host->device_allocate(host, bytes, GB_MEMORY_DEVICE, &bench->memory));
    TRY(host->device_allocate(host, sizeof *bench->n_runs, GB_MEMORY_DEVICE,
                              (void **)&bench->n_runs));
    TRY(host->device_fill(host, bench->n_runs, 0, sizeof *bench->n_runs));
    TRY(cudaGetDevice(&bench->device));
    TRY(make_fork(bench));
    TRY(cudaStreamCreate(&bench->parts.blocking));
    return capture_graph(bench, bench->parts.side, [=] {
        spin<<<1, 1, 0, bench->parts.side>>>(bench->duration_ns / 2);
        spin<<<1, 1, 0, bench->parts.side>>>(bench->duration_ns / 2);
    });
}

static cudaError_t launch_with(cudaLaunchAttribute attribute, cudaStream_t stream,
                               void (*kernel)(unsigned long long), unsigned blocks,
                               unsigned long long duration_ns)
{
    cudaLaunchConfig_t config = {};
    config.gridDim = blocks;
    config.blockDim = 1;
    config.stream = stream;
    config.attrs = &attribute;
    config.numAttrs = 1;
    return cudaLaunchKernelEx(&config, kernel, duration_ns);
}

static cudaError_t dependent_kernels(const bench *bench, cudaStream_t stream)
{
    cudaLaunchAttribute attribute = {};
    attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attribute.val.programmaticStreamSerializationAllowed = 1;
    spin_dependently<<<1, 1, 0, stream>>>(bench->duration_ns / 2);
    return launch_with(attribute, stream, spin_dependently, 1, bench->duration_ns / 2);
}

static cudaError_t cooperative_kernel(const bench *bench, cudaStream_t stream)
{
    cudaLaunchAttribute attribute = {};
    attribute.id = cudaLaunchAttributeCooperative;
    attribute.val.cooperative = 1;
    return launch_with(attribute, stream, spin_together, 8, bench->duration_ns);
}

static void do_nothing(void *)
{
}

struct launch {
    const struct bench *bench;
    cudaStream_t stream;
    cudaError_t error;
};

static void *launch_from_thread(void *context)
{
    auto *launch = (struct launch *)context;
    launch->error = cudaSetDevice(launch->bench->device);
    spin<<<1, 1, 0, launch->stream>>>(launch->bench->duration_ns);
    if (launch->error == cudaSuccess)
        launch->error = cudaGetLastError();
    return nullptr;
}

static cudaError_t another_thread(const bench *bench, cudaStream_t stream)
{
    pthread_t thread;
    launch launch = {bench, stream, cudaSuccess};
    if (pthread_create(&thread, nullptr, launch_from_thread, &launch) != 0)
        return cudaErrorUnknown;
    pthread_join(thread, nullptr);
    return launch.error;
}

static int32_t enqueue(const bench *bench, cudaStream_t stream)
{
    const gb_host *host = bench->host;
    const unsigned long long duration_ns = bench->duration_ns;
    const uint64_t bytes = bench->bytes, n_spins = bench->way == IS_two ? 2 : 3;
    void *memory = nullptr;
    switch (bench->way) {
    case IS_two:
    case IS_three:
        for (uint64_t i = 0; i < n_spins; i++)
            spin<<<1, 1, 0, stream>>>(duration_ns / n_spins + 1);
        return GB_OK;
    case IS_alternating:
        spin<<<1, 1, 0, stream>>>(duration_ns / 5 * (bench->n_calls % 2 == 0 ? 1 : 9));
        return GB_OK;
    case IS_counting:
        spin_and_count<<<1, 1, 0, stream>>>(duration_ns, bench->n_runs);
        return GB_OK;
    case IS_own_graph:
        return judge(host, cudaGraphLaunch(bench->parts.graph, stream));
    case IS_dependent:
        return judge(host, dependent_kernels(bench, stream));
    case IS_cooperative:
        return judge(host, cooperative_kernel(bench, stream));
    case IS_allocates:
        TRY(cudaMalloc(&memory, bytes));
        break;
    case IS_allocates_async:
        TRY(cudaMallocAsync(&memory, bytes, stream));
        break;
    case IS_only_copies_pageable:
        return judge(host,
                     cudaMemcpy(bench->memory, bench->pageable, bytes, cudaMemcpyHostToDevice));
    case IS_forked_joined:
    case IS_forked_unjoined:
        return fork(bench, stream, bench->way == IS_forked_joined,
                    [=] { spin<<<1, 1, 0, bench->parts.side>>>(duration_ns); });
    case IS_blocking_stream:
        stream = bench->parts.blocking;
        break;
    case IS_legacy_stream:
        stream = cudaStreamLegacy;
        break;
    case IS_per_thread_stream:
        stream = cudaStreamPerThread;
        break;
    case IS_thread_on_queue:
        return judge(host, another_thread(bench, stream));
    case IS_thread_on_stream:
        return judge(host, another_thread(bench, bench->parts.side));
    default:
        break;
    }
    spin<<<1, 1, 0, stream>>>(duration_ns);
    switch (bench->way) {
    case IS_host_function:
        return judge(host, cudaLaunchHostFunc(stream, do_nothing, nullptr));
    case IS_waits_for_stream:
        return judge(host, cudaStreamSynchronize(stream));
    case IS_waits_for_device:
        return judge(host, cudaDeviceSynchronize());
    case IS_waits_for_event:
        TRY(cudaEventRecord(bench->parts.forked, stream));
        return judge(host, cudaEventSynchronize(bench->parts.forked));
    case IS_allocates:
        return judge(host, cudaFree(memory));
    case IS_allocates_async:
        return judge(host, cudaFreeAsync(memory, stream));
    case IS_copies_pinned:
        return judge(host, cudaMemcpyAsync(bench->memory, bench->pinned, bytes,
                                           cudaMemcpyHostToDevice, stream));
    case IS_copies_pageable:
        return judge(host,
                     cudaMemcpy(bench->memory, bench->pageable, bytes, cudaMemcpyHostToDevice));
    default:
        return GB_OK;
    }
}

RUN_ON_STREAM
{
    const int32_t status = enqueue(bench, stream);
    bench->n_calls++;
    return enqueued(bench, status);
}

// Who counts was called as often as its kernel was run; from here on it counts anew.
ON_STREAM(verify)
{
    const gb_host *host = bench->host;
    unsigned long long n_runs = 0;
    (void)stream;
    if (bench->way != IS_counting)
        return GB_OK;
    TRY(cudaDeviceSynchronize());
    TRY(host->device_copy(host, &n_runs, bench->n_runs, sizeof n_runs));
    TRY(host->device_fill(host, bench->n_runs, 0, sizeof n_runs));
    const auto n_calls = (double)bench->n_calls;
    bench->n_calls = 0;
    return gb_check_number(host, "runs of the kernel, by calls of run", (double)n_runs, n_calls, 0);
}

CUDA_BENCH(odd_ways, GB_BENCH_SINGLE, "work put on a GPU in unusual ways", .prepare = prepare,
           .run = run, .verify = verify, .destroy = destroy)
CUDA_BENCH(odd_ways_every_call, GB_BENCH_SINGLE | GB_BENCH_EVERY_CALL,
           "the same, called for every sample", .prepare = prepare, .run = run, .verify = verify,
           .destroy = destroy)
GB_MODULE(&odd_ways, &odd_ways_every_call)
