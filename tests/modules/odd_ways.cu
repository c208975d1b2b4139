/*
 * odd_ways.cu - the same work put on a GPU in many ways, among them such as a clock can miss: a
 * spin of a known time, by the GPU's global timer. For tests that no way is read as shorter than it
 * is.
 *
 * `odd_ways` promises nothing about its calls, `odd_ways_every_call` has GB_BENCH_EVERY_CALL.
 */
#include "global_timer.cuh"

#include <cooperative_groups.h>
#include <gbrun/gbrun.h>
#include <pthread.h>
#pragma GCC diagnostic ignored "-Wmissing-field-initializers" // what is left out is 0, as in C

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

static const char *const ways[] = {"plain",
                                   "two",
                                   "three",
                                   "alternating",
                                   "counting",
                                   "own_graph",
                                   "dependent",
                                   "cooperative",
                                   "host_function",
                                   "waits_for_stream",
                                   "waits_for_device",
                                   "waits_for_event",
                                   "allocates",
                                   "allocates_async",
                                   "copies_pinned",
                                   "copies_pageable",
                                   "only_copies_pageable",
                                   "forked_joined",
                                   "forked_unjoined",
                                   "blocking_stream",
                                   "legacy_stream",
                                   "per_thread_stream",
                                   "thread_on_queue",
                                   "thread_on_stream"};
enum {
    PLAIN,
    TWO,
    THREE,
    ALTERNATING,
    COUNTING,
    OWN_GRAPH,
    DEPENDENT,
    COOPERATIVE,
    HOST_FUNCTION,
    WAITS_FOR_STREAM,
    WAITS_FOR_DEVICE,
    WAITS_FOR_EVENT,
    ALLOCATES,
    ALLOCATES_ASYNC,
    COPIES_PINNED,
    COPIES_PAGEABLE,
    ONLY_COPIES_PAGEABLE,
    FORKED_JOINED,
    FORKED_UNJOINED,
    BLOCKING_STREAM,
    LEGACY_STREAM,
    PER_THREAD_STREAM,
    THREAD_ON_QUEUE,
    THREAD_ON_STREAM
};

struct params {
    int32_t way;
    double duration;
    uint64_t bytes;
};

static const gb_option options[] = {
    GB_CHOICE(params, way, "plain", ways, "how the work gets onto the GPU"),
    GB_DURATION(params, duration, "50us", "1us:1s", "of the work in all"),
    GB_BYTES(params, bytes, "4KiB", "1:1GiB", "of copies and allocations"),
};

struct bench {
    const gb_host *host;
    params wanted;
    unsigned long long duration_ns;
    unsigned long long n_calls;
    unsigned long long *n_runs; // on the device: kernels that were run
    int device;
    void *pageable, *pinned, *memory;
    cudaStream_t side, blocking;
    cudaEvent_t event, joined;
    cudaGraphExec_t graph;
};

static int32_t judge(const bench *bench, cudaError_t error)
{
    return error == cudaSuccess ? GB_OK : bench->host->fail(bench->host, cudaGetErrorString(error));
}

static void destroy(void *object)
{
    auto *bench = (struct bench *)object;
    if (bench->graph != nullptr)
        cudaGraphExecDestroy(bench->graph);
    if (bench->event != nullptr)
        cudaEventDestroy(bench->event);
    if (bench->joined != nullptr)
        cudaEventDestroy(bench->joined);
    if (bench->side != nullptr)
        cudaStreamDestroy(bench->side);
    if (bench->blocking != nullptr)
        cudaStreamDestroy(bench->blocking);
}

static int32_t create(const gb_host *host, const void *wanted, void **ret_bench)
{
    auto *bench = (struct bench *)host->allocate(host, sizeof(struct bench));
    if (bench == nullptr)
        return GB_NO_MEMORY;
    bench->host = host;
    bench->wanted = *(const params *)wanted;
    bench->duration_ns = (unsigned long long)bench->wanted.duration;
    *ret_bench = bench;
    return GB_OK;
}

static cudaError_t capture_graph(bench *bench)
{
    cudaGraph_t graph = nullptr;
    cudaError_t error = cudaStreamBeginCapture(bench->side, cudaStreamCaptureModeThreadLocal);
    if (error != cudaSuccess)
        return error;
    spin<<<1, 1, 0, bench->side>>>(bench->duration_ns / 2);
    spin<<<1, 1, 0, bench->side>>>(bench->duration_ns / 2);
    error = cudaStreamEndCapture(bench->side, &graph);
    if (error == cudaSuccess)
        error = cudaGraphInstantiate(&bench->graph, graph, 0);
    if (graph != nullptr)
        cudaGraphDestroy(graph);
    return error;
}

static cudaError_t make_streams(bench *bench)
{
    cudaError_t error = cudaGetDevice(&bench->device);
    if (error == cudaSuccess)
        error = cudaStreamCreateWithFlags(&bench->side, cudaStreamNonBlocking);
    if (error == cudaSuccess)
        error = cudaStreamCreate(&bench->blocking);
    if (error == cudaSuccess)
        error = cudaEventCreateWithFlags(&bench->event, cudaEventDisableTiming);
    if (error == cudaSuccess)
        error = cudaEventCreateWithFlags(&bench->joined, cudaEventDisableTiming);
    return error == cudaSuccess ? capture_graph(bench) : error;
}

static int32_t prepare(void *object, const gb_queue *)
{
    auto *bench = (struct bench *)object;
    const gb_host *host = bench->host;
    const uint64_t bytes = bench->wanted.bytes;
    bench->pageable = host->allocate(host, bytes);
    int32_t status = bench->pageable != nullptr ? GB_OK : GB_NO_MEMORY;
    if (status == GB_OK)
        status = host->device_allocate(host, bytes, GB_MEMORY_PINNED, &bench->pinned);
    if (status == GB_OK)
        status = host->device_allocate(host, bytes, GB_MEMORY_DEVICE, &bench->memory);
    if (status == GB_OK)
        status = host->device_allocate(host, sizeof *bench->n_runs, GB_MEMORY_DEVICE,
                                       (void **)&bench->n_runs);
    if (status == GB_OK)
        status = host->device_fill(host, bench->n_runs, 0, sizeof *bench->n_runs);
    return status == GB_OK ? judge(bench, make_streams(bench)) : status;
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

static cudaError_t fork_work(const bench *bench, cudaStream_t stream, bool joins)
{
    cudaError_t error = cudaEventRecord(bench->event, stream);
    if (error == cudaSuccess)
        error = cudaStreamWaitEvent(bench->side, bench->event, 0);
    spin<<<1, 1, 0, bench->side>>>(bench->duration_ns);
    if (error == cudaSuccess && joins)
        error = cudaEventRecord(bench->joined, bench->side);
    return error == cudaSuccess && joins ? cudaStreamWaitEvent(stream, bench->joined, 0) : error;
}

static cudaError_t wait_for_event(const bench *bench, cudaStream_t stream)
{
    const cudaError_t error = cudaEventRecord(bench->event, stream);
    return error == cudaSuccess ? cudaEventSynchronize(bench->event) : error;
}

static cudaError_t allocate_and_free(const bench *bench, cudaStream_t stream)
{
    void *memory = nullptr;
    const cudaError_t error = cudaMalloc(&memory, bench->wanted.bytes);
    spin<<<1, 1, 0, stream>>>(bench->duration_ns);
    return error == cudaSuccess ? cudaFree(memory) : error;
}

static cudaError_t allocate_and_free_async(const bench *bench, cudaStream_t stream)
{
    void *memory = nullptr;
    const cudaError_t error = cudaMallocAsync(&memory, bench->wanted.bytes, stream);
    spin<<<1, 1, 0, stream>>>(bench->duration_ns);
    return error == cudaSuccess ? cudaFreeAsync(memory, stream) : error;
}

static void do_nothing(void *)
{
}

struct launch {
    const bench *bench;
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

static unsigned long long alternating_ns(const bench *bench)
{
    return bench->n_calls % 2 == 0 ? bench->duration_ns / 5 : bench->duration_ns / 5 * 9;
}

static cudaError_t enqueue(const bench *bench, cudaStream_t stream)
{
    const unsigned long long duration_ns = bench->duration_ns;
    const uint64_t bytes = bench->wanted.bytes;
    switch (bench->wanted.way) {
    case TWO:
    case THREE:
        for (int i = bench->wanted.way == TWO ? 2 : 3; i > 0; i--)
            spin<<<1, 1, 0, stream>>>(duration_ns / (bench->wanted.way == TWO ? 2 : 3) + 1);
        return cudaSuccess;
    case ALTERNATING:
        spin<<<1, 1, 0, stream>>>(alternating_ns(bench));
        return cudaSuccess;
    case COUNTING:
        spin_and_count<<<1, 1, 0, stream>>>(duration_ns, bench->n_runs);
        return cudaSuccess;
    case OWN_GRAPH:
        return cudaGraphLaunch(bench->graph, stream);
    case DEPENDENT:
        return dependent_kernels(bench, stream);
    case COOPERATIVE:
        return cooperative_kernel(bench, stream);
    case ALLOCATES:
        return allocate_and_free(bench, stream);
    case ALLOCATES_ASYNC:
        return allocate_and_free_async(bench, stream);
    case ONLY_COPIES_PAGEABLE:
        return cudaMemcpy(bench->memory, bench->pageable, bytes, cudaMemcpyHostToDevice);
    case FORKED_JOINED:
    case FORKED_UNJOINED:
        return fork_work(bench, stream, bench->wanted.way == FORKED_JOINED);
    case BLOCKING_STREAM:
        spin<<<1, 1, 0, bench->blocking>>>(duration_ns);
        return cudaSuccess;
    case LEGACY_STREAM:
        spin<<<1, 1, 0, cudaStreamLegacy>>>(duration_ns);
        return cudaSuccess;
    case PER_THREAD_STREAM:
        spin<<<1, 1, 0, cudaStreamPerThread>>>(duration_ns);
        return cudaSuccess;
    case THREAD_ON_QUEUE:
        return another_thread(bench, stream);
    case THREAD_ON_STREAM:
        return another_thread(bench, bench->side);
    default:
        break;
    }
    spin<<<1, 1, 0, stream>>>(duration_ns);
    switch (bench->wanted.way) {
    case HOST_FUNCTION:
        return cudaLaunchHostFunc(stream, do_nothing, nullptr);
    case WAITS_FOR_STREAM:
        return cudaStreamSynchronize(stream);
    case WAITS_FOR_DEVICE:
        return cudaDeviceSynchronize();
    case WAITS_FOR_EVENT:
        return wait_for_event(bench, stream);
    case COPIES_PINNED:
        return cudaMemcpyAsync(bench->memory, bench->pinned, bytes, cudaMemcpyHostToDevice, stream);
    case COPIES_PAGEABLE:
        return cudaMemcpy(bench->memory, bench->pageable, bytes, cudaMemcpyHostToDevice);
    default:
        return cudaSuccess;
    }
}

static int32_t run(void *object, const gb_queue *queue, uint64_t)
{
    auto *bench = (struct bench *)object;
    const cudaError_t error = enqueue(bench, (cudaStream_t)queue->native);
    bench->n_calls++;
    const cudaError_t last =
        cudaGetLastError(); // which forgets it, so that the next call finds none
    return judge(bench, error == cudaSuccess ? last : error);
}

// Who counts was called as often as its kernel was run; from here on it counts anew.
static int32_t verify(void *object, const gb_queue *)
{
    auto *bench = (struct bench *)object;
    const gb_host *host = bench->host;
    unsigned long long n_runs = 0;
    if (bench->wanted.way != COUNTING)
        return GB_OK;
    int32_t status = judge(bench, cudaDeviceSynchronize());
    if (status == GB_OK)
        status = host->device_copy(host, &n_runs, bench->n_runs, sizeof n_runs);
    if (status == GB_OK)
        status = host->device_fill(host, bench->n_runs, 0, sizeof n_runs);
    const auto output = (double)n_runs;
    const auto reference = (double)bench->n_calls;
    const gb_check check = {.size = sizeof check,
                            .format = GB_F64,
                            .name = "runs of the kernel, by calls of run",
                            .n = 1,
                            .output = &output,
                            .reference = &reference,
                            .default_metric = "abs",
                            .default_tolerance = 0};
    bench->n_calls = 0;
    return status == GB_OK ? host->check(host, &check) : status;
}

static const gb_bench_ops ops = {.size = sizeof ops,
                                 .flags = GB_BENCH_SINGLE,
                                 .create = create,
                                 .prepare = prepare,
                                 .run = run,
                                 .verify = verify,
                                 .destroy = destroy};
static const gb_bench_ops every_call_ops = {.size = sizeof every_call_ops,
                                            .flags = GB_BENCH_SINGLE | GB_BENCH_EVERY_CALL,
                                            .create = create,
                                            .prepare = prepare,
                                            .run = run,
                                            .verify = verify,
                                            .destroy = destroy};
static const gb_plugin odd_ways = {.size = sizeof odd_ways,
                                   .kind = GB_PLUGIN_BENCH,
                                   .id = "odd_ways",
                                   .version = "1.0",
                                   .summary = "work put on a GPU in unusual ways",
                                   .devices = "cuda",
                                   GB_OPTIONS(options, params),
                                   .ops = &ops};
static const gb_plugin every_call = {.size = sizeof every_call,
                                     .kind = GB_PLUGIN_BENCH,
                                     .id = "odd_ways_every_call",
                                     .version = "1.0",
                                     .summary = "the same, called for every sample",
                                     .devices = "cuda",
                                     GB_OPTIONS(options, params),
                                     .ops = &every_call_ops};
GB_MODULE(&odd_ways, &every_call)
