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

// By several names, which a breakdown is to tell apart.
#define SPIN_AS(name)                                                                              \
    static __global__ void name(unsigned long long duration_ns)                                    \
    {                                                                                              \
        spin_for(duration_ns);                                                                     \
    }
SPIN_AS(spin)
SPIN_AS(first)
SPIN_AS(wide)
SPIN_AS(slow)

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

#define SPIN spin<<<1, 1, 0, stream>>>(bench->duration_ns)
#define WAYS(X)                                                                                    \
    X(plain, SPIN)                                                                                 \
    X(two, spin_often(bench, stream, 2))                                                           \
    X(three, spin_often(bench, stream, 3))                                                         \
    X(chain, spin_in_turn(bench, stream))                                                          \
    X(alternating, spin<<<1, 1, 0, stream>>>(alternating_ns(bench)))                               \
    X(counting, spin_and_count<<<1, 1, 0, stream>>>(bench->duration_ns, bench->n_runs))            \
    X(own_graph, return judge(host, cudaGraphLaunch(bench->parts.graph, stream)))                  \
    X(dependent, return judge(host, dependent_kernels(bench, stream)))                             \
    X(cooperative, return judge(host, cooperative_kernel(bench, stream)))                          \
    X(host_function, SPIN, then = cudaLaunchHostFunc(stream, do_nothing, nullptr))                 \
    X(waits_for_stream, SPIN, then = cudaStreamSynchronize(stream))                                \
    X(waits_for_device, SPIN, then = cudaDeviceSynchronize())                                      \
    X(waits_for_event, return wait_for_event(bench, stream))                                       \
    X(allocates, return allocate_and_free(bench, stream))                                          \
    X(allocates_async, return allocate_and_free_async(bench, stream))                              \
    X(copies_pinned, SPIN,                                                                         \
      then = cudaMemcpyAsync(bench->memory, bench->pinned, bench->bytes, cudaMemcpyHostToDevice,   \
                             stream))                                                              \
    X(copies_pageable, SPIN, then = copy_pageable(bench))                                          \
    X(only_copies_pageable, then = copy_pageable(bench))                                           \
    X(forked_joined, return spin_beside(bench, stream, true))                                      \
    X(forked_unjoined, return spin_beside(bench, stream, false))                                   \
    X(blocking_stream, spin<<<1, 1, 0, bench->parts.blocking>>>(bench->duration_ns))               \
    X(legacy_stream, spin<<<1, 1, 0, cudaStreamLegacy>>>(bench->duration_ns))                      \
    X(per_thread_stream, spin<<<1, 1, 0, cudaStreamPerThread>>>(bench->duration_ns))               \
    X(thread_on_queue, then = another_thread(bench, stream))                                       \
    X(thread_on_stream, then = another_thread(bench, bench->parts.side))
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
    TRY(take(bench, 1, &bench->n_runs));
    TRY(host->device_fill(host, bench->n_runs, 0, sizeof *bench->n_runs));
    TRY(cudaGetDevice(&bench->device));
    TRY(make_fork(bench));
    TRY(cudaStreamCreate(&bench->parts.blocking));
    return capture_graph(bench, bench->parts.side, [=] {
        spin<<<1, 1, 0, bench->parts.side>>>(bench->duration_ns / 2);
        spin<<<1, 1, 0, bench->parts.side>>>(bench->duration_ns / 2);
    });
}

static cudaError_t dependent_kernels(const bench *bench, cudaStream_t stream)
{
    cudaLaunchAttribute attribute = {};
    attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attribute.val.programmaticStreamSerializationAllowed = 1;
    spin_dependently<<<1, 1, 0, stream>>>(bench->duration_ns / 2);
    return launch_with(attribute, stream, spin_dependently, 1, 1, bench->duration_ns / 2);
}

static cudaError_t cooperative_kernel(const bench *bench, cudaStream_t stream)
{
    cudaLaunchAttribute attribute = {};
    attribute.id = cudaLaunchAttributeCooperative;
    attribute.val.cooperative = 1;
    return launch_with(attribute, stream, spin_together, 8, 1, bench->duration_ns);
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

static void spin_often(const bench *bench, cudaStream_t stream, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        spin<<<1, 1, 0, stream>>>(bench->duration_ns / n + 1);
}

static void spin_in_turn(const bench *bench, cudaStream_t stream)
{
    const unsigned long long part_ns = bench->duration_ns / 5;
    first<<<1, 32, 0, stream>>>(part_ns);
    wide<<<dim3(8, 4, 2), 64, 0, stream>>>(part_ns);
    slow<<<3, 32, 0, stream>>>(2 * part_ns);
    first<<<1, 32, 0, stream>>>(part_ns);
}

static unsigned long long alternating_ns(const bench *bench)
{
    return bench->duration_ns / 5 * (bench->n_calls % 2 == 0 ? 1 : 9);
}

static int32_t wait_for_event(const bench *bench, cudaStream_t stream)
{
    SPIN;
    TRY(cudaEventRecord(bench->parts.forked, stream));
    return judge(bench->host, cudaEventSynchronize(bench->parts.forked));
}

static int32_t allocate_and_free(const bench *bench, cudaStream_t stream)
{
    void *memory = nullptr;
    TRY(cudaMalloc(&memory, bench->bytes));
    SPIN;
    return judge(bench->host, cudaFree(memory));
}

static int32_t allocate_and_free_async(const bench *bench, cudaStream_t stream)
{
    void *memory = nullptr;
    TRY(cudaMallocAsync(&memory, bench->bytes, stream));
    SPIN;
    return judge(bench->host, cudaFreeAsync(memory, stream));
}

static cudaError_t copy_pageable(const bench *bench)
{
    return cudaMemcpy(bench->memory, bench->pageable, bench->bytes, cudaMemcpyHostToDevice);
}

static int32_t spin_beside(const bench *bench, cudaStream_t stream, bool joins)
{
    return fork(bench, stream, joins,
                [=] { spin<<<1, 1, 0, bench->parts.side>>>(bench->duration_ns); });
}

static int32_t enqueue(const bench *bench, cudaStream_t stream)
{
    const gb_host *host = bench->host;
    cudaError_t then = cudaSuccess; // what follows of a spin
    switch (bench->way) {
        WAYS(WORD_CASE)
    }
    return judge(host, then);
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
