/*
 * truth.cu - kernels that know how long they took: each block stores when it began and when it
 * ended, by the GPU's global timer. The metric `span` is the time from the first block's start to
 * the last block's end, which what a clock reads can be compared with.
 *
 * `truth` stamps; `truth_plain` runs the same kernels without stamps. Stamps of a sample are turned
 * into its span by a kernel in `reset`, which is on the queue before the next sample.
 */
#include "global_timer.cuh"

#include <cooperative_groups.h>
#include <gbrun/gbrun.h>
#include <stdio.h>
#include <stdlib.h>
#pragma GCC diagnostic ignored "-Wmissing-field-initializers" // what is left out is 0, as in C

namespace groups = cooperative_groups;

// --- stamps ---

struct stamp {
    unsigned long long begin, end;
};

// Of one block. All threads of it make one at their start and call done at their end.
class block_times
{
    stamp *const to;
    unsigned long long begin = 0;

  public:
    __device__ explicit block_times(stamp *stamps) : to(stamps)
    {
        if (to != nullptr && threadIdx.x == 0)
            begin = global_ns();
    }
    __device__ void done() const
    {
        if (to == nullptr)
            return;
        __syncthreads();
        if (threadIdx.x == 0)
            *reinterpret_cast<ulonglong2 *>(to + blockIdx.x) = make_ulonglong2(begin, global_ns());
    }
};

enum { SPANS = 65536, FOLD_BLOCKS = 64, FOLD_THREADS = 256, LANES = 32 };

// Spans of the last samples, in a ring; and what the fold of one sample works with.
struct spans {
    unsigned long long n;
    unsigned long long begin, end; // of the sample so far
    unsigned arrived;              // blocks of the fold
    unsigned length[SPANS];
};

static __device__ void reduce_in_warp(stamp *best)
{
    for (int step = LANES / 2; step > 0; step /= 2) {
        best->begin = min(best->begin, __shfl_down_sync(~0u, best->begin, step));
        best->end = max(best->end, __shfl_down_sync(~0u, best->end, step));
    }
}

// The last block of the grid adds the sample's span to the ring, unless a block has not stamped
// yet.
static __global__ void fold(const stamp *stamps, uint64_t n, spans *to)
{
    stamp best = {~0ull, 0};
    for (uint64_t i = uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n;
         i += uint64_t{gridDim.x} * blockDim.x) {
        best.begin = min(best.begin, stamps[i].begin);
        best.end = max(best.end, stamps[i].end);
    }
    reduce_in_warp(&best);
    if (threadIdx.x % LANES == 0) {
        atomicMin(&to->begin, best.begin);
        atomicMax(&to->end, best.end);
        __threadfence();
    }
    __syncthreads();
    if (threadIdx.x > 0 || atomicAdd(&to->arrived, 1) + 1 < gridDim.x)
        return;
    __threadfence();
    const unsigned long long begin = atomicExch(&to->begin, ~0ull);
    const unsigned long long end = atomicExch(&to->end, 0);
    if (begin > 0)
        to->length[to->n++ % SPANS] = (unsigned)(end - begin);
    to->arrived = 0;
}

// --- kernels ---

enum { ENDS = 16384 };

// Of a large grid only the first and the last blocks stamp: all others would be there until their
// stores have arrived, and the last of them long after they have stamped. The last are more than
// fit onto a GPU at once, as these do not end in their order.
static __global__ void empty(stamp *stamps)
{
    const unsigned n_skipped = gridDim.x > 2 * ENDS ? gridDim.x - 2 * ENDS : 0;
    if (n_skipped == 0 || blockIdx.x < ENDS)
        block_times(stamps).done();
    else if (stamps != nullptr && blockIdx.x >= ENDS + n_skipped)
        block_times(stamps - n_skipped).done();
}

// By the clock of the multiprocessor, 2 cycles of which are about 1 ns: what waits for the global
// timer ends when that has just stepped, and its span is half a step too long.
static __global__ void spin(stamp *stamps, unsigned long long duration_ns)
{
    const block_times times(stamps);
    const long long begin = clock64();
    while ((unsigned long long)(clock64() - begin) < 2 * duration_ns)
        ;
    times.done();
}

// Its length grows with the number of steps by the same number of cycles each; cycles are stamped.
static __global__ void chain(stamp *stamps, float *to, unsigned steps)
{
    const long long begin = clock64();
    float x = (float)begin;
#pragma unroll 1
    for (unsigned i = 0; i < steps; i++)
        asm volatile("fma.rn.f32 %0, %0, %0, %0;\n\t"
                     "fma.rn.f32 %0, %0, %0, %0;\n\t"
                     "fma.rn.f32 %0, %0, %0, %0;\n\t"
                     "fma.rn.f32 %0, %0, %0, %0;"
                     : "+f"(x));
    if (x == -1.0f) // never, but ptxas cannot know, and would drop the chain
        to[0] = x;
    const long long end = clock64();
    if (stamps != nullptr)
        stamps[0] = {(unsigned long long)begin, (unsigned long long)end};
}

template <typename T> static __global__ void copy(stamp *stamps, T *to, const T *from, uint64_t n)
{
    const block_times times(stamps);
    const uint64_t i = uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < n)
        to[i] = from[i];
    times.done();
}

static __global__ void fma_steps(stamp *stamps, float *to, float a)
{
    const block_times times(stamps);
    float x = (float)threadIdx.x;
#pragma unroll
    for (int i = 0; i < 50; i++)
        x = fmaf(x, a, 1.0f);
    if (x == -1.0f) // never, but the compiler cannot know
        to[0] = x;
    times.done();
}

static __global__ void reduce(stamp *stamps, float *to, const float *from, uint64_t n)
{
    __shared__ float sums[LANES];
    const block_times times(stamps);
    float sum = 0.0f;
    for (uint64_t i = uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n;
         i += uint64_t{gridDim.x} * blockDim.x)
        sum += from[i];
    for (int step = LANES / 2; step > 0; step /= 2)
        sum += __shfl_down_sync(~0u, sum, step);
    if (threadIdx.x % LANES == 0)
        sums[threadIdx.x / LANES] = sum;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (unsigned i = 1; i < blockDim.x / LANES; i++)
            sum += sums[i];
        to[blockIdx.x] = sum;
    }
    times.done();
}

static __global__ void atomics(stamp *stamps, unsigned *to)
{
    const block_times times(stamps);
    atomicAdd(to + (blockIdx.x * 7 + threadIdx.x) % 1024, 1u);
    if (stamps != nullptr)
        __threadfence(); // the kernel lasts until they are done, which nothing else waits for
    times.done();
}

static __global__ void transpose(stamp *stamps, float *to, const float *from, unsigned side)
{
    __shared__ float tile[LANES][LANES + 1];
    const block_times times(stamps);
    const unsigned tiles = side / LANES;
    const unsigned row = blockIdx.x / tiles * LANES;
    const unsigned column = blockIdx.x % tiles * LANES;
    const unsigned x = threadIdx.x % LANES;
    const unsigned first = threadIdx.x / LANES;
    const unsigned rows = blockDim.x / LANES;
    for (unsigned y = first; y < LANES; y += rows)
        tile[y][x] = from[uint64_t{row + y} * side + column + x];
    __syncthreads();
    for (unsigned y = first; y < LANES; y += rows)
        to[uint64_t{column + y} * side + row + x] = tile[x][y];
    times.done();
}

enum { SHARED_BYTES = 200 * 1024, TABLE = 4096 };

static __global__ void shared_memory(stamp *stamps, float *to)
{
    extern __shared__ float room[];
    const block_times times(stamps);
    const unsigned n = SHARED_BYTES / sizeof *room;
    for (unsigned i = threadIdx.x; i < n; i += blockDim.x)
        room[i] = (float)i;
    __syncthreads();
    float sum = 0.0f;
    for (unsigned i = threadIdx.x; i < n; i += blockDim.x)
        sum += room[n - 1 - i];
    to[uint64_t{blockIdx.x} * blockDim.x + threadIdx.x] = sum;
    times.done();
}

enum { REGISTERS = 241 }; // so that a thread gets 255

static __global__ void __launch_bounds__(256, 1)
    registers(stamp *stamps, float *to, const float *from)
{
    const block_times times(stamps);
    const uint64_t at = uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
    float x[REGISTERS];
#pragma unroll
    for (int i = 0; i < REGISTERS; i++)
        x[i] = from[(at + i) % TABLE];
#pragma unroll 1
    for (int round = 0; round < 8; round++) {
#pragma unroll
        for (int i = 0; i < REGISTERS; i++)
            x[i] = fmaf(x[i], x[(i + 97) % REGISTERS], 1.0f);
    }
    float sum = 0.0f;
#pragma unroll
    for (int i = 0; i < REGISTERS; i++)
        sum += x[i];
    to[at] = sum;
    times.done();
}

static __global__ void cluster(stamp *stamps, float *to)
{
    __shared__ float mine;
    const block_times times(stamps);
    const groups::cluster_group blocks = groups::this_cluster();
    if (threadIdx.x == 0)
        mine = (float)blocks.block_rank();
    blocks.sync();
    const unsigned next = (blocks.block_rank() + 1) % blocks.num_blocks();
    if (threadIdx.x == 0)
        to[blockIdx.x] = *blocks.map_shared_rank(&mine, (int)next);
    blocks.sync();
    times.done();
}

static __global__ void cooperative(stamp *stamps, unsigned *to)
{
    const block_times times(stamps);
    if (threadIdx.x == 0)
        to[blockIdx.x] = blockIdx.x;
    groups::this_grid().sync();
    if (threadIdx.x == 0)
        to[gridDim.x + blockIdx.x] = to[(blockIdx.x + 1) % gridDim.x];
    times.done();
}

static __global__ void prints(stamp *stamps)
{
    const block_times times(stamps);
    if (threadIdx.x == 0)
        printf(".");
    times.done();
}

static __global__ void allocates(stamp *stamps, unsigned *to)
{
    const block_times times(stamps);
    unsigned *const memory = (unsigned *)malloc(64);
    if (memory != nullptr) {
        memory[0] = blockIdx.x;
        to[blockIdx.x] = memory[0];
    }
    free(memory);
    times.done();
}

// --- the benchmark ---

static const char *const kinds[] = {"empty",     "spin",    "chain",       "copy",   "copy4",
                                    "fma",       "reduce",  "atomics",     "shared", "transpose",
                                    "registers", "cluster", "cooperative", "graph",  "fork",
                                    "print",     "allocate"};
enum {
    EMPTY,
    SPIN,
    CHAIN,
    COPY,
    COPY4,
    FMA,
    REDUCE,
    ATOMICS,
    SHARED,
    TRANSPOSE,
    REGISTERS_255,
    CLUSTER,
    COOPERATIVE,
    GRAPH,
    FORK,
    PRINT,
    ALLOCATE
};
enum { GRAPH_KERNELS = 20, CLUSTER_BLOCKS = 4, THREADS = 256 };

struct params {
    int32_t kind;
    int64_t blocks;
    int64_t threads;
    uint64_t bytes;
    double duration;
    int64_t steps;
    int64_t spans;
};

static const gb_option options[] = {
    GB_CHOICE(params, kind, "empty", kinds, "what is put on the queue"),
    GB_INT(params, blocks, "1", "1:2^24", "blocks", "of kinds that do not go by bytes"),
    GB_INT(params, threads, "256", "1:1024", "threads", "of a block of empty"),
    GB_BYTES(params, bytes, "1MiB", "4KiB:16GiB", "read by copies, reduce and transpose"),
    GB_DURATION(params, duration, "5us", "0:1s", "of each spin of spin, graph and fork"),
    GB_INT(params, steps, "1", "1:2^24", "steps",
           "of a chain: each adds the same number of cycles"),
    GB_INT(params, spans, "512", "1:65536", "samples", "the last ones, whose spans count"),
};

struct bench {
    const gb_host *host;
    params wanted;
    bool is_stamped;
    uint64_t n_stamps;
    unsigned blocks;
    stamp *stamps; // NULL: kernels do not stamp
    spans *ring;
    float *from, *to;
    cudaStream_t side; // of fork, like its events
    cudaEvent_t forked, joined;
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
    if (bench->forked != nullptr)
        cudaEventDestroy(bench->forked);
    if (bench->joined != nullptr)
        cudaEventDestroy(bench->joined);
    if (bench->side != nullptr)
        cudaStreamDestroy(bench->side);
}

static int32_t create(const gb_host *host, const void *wanted, bool is_stamped, void **ret_bench)
{
    auto *bench = (struct bench *)host->allocate(host, sizeof(struct bench));
    if (bench == nullptr)
        return GB_NO_MEMORY;
    bench->host = host;
    bench->wanted = *(const params *)wanted;
    bench->is_stamped = is_stamped;
    *ret_bench = bench;
    return GB_OK;
}

static int32_t create_stamped(const gb_host *host, const void *wanted, void **ret_bench)
{
    return create(host, wanted, true, ret_bench);
}

static int32_t create_plain(const gb_host *host, const void *wanted, void **ret_bench)
{
    return create(host, wanted, false, ret_bench);
}

// The side of the square matrix that fits into so many bytes, in whole tiles.
static unsigned square_side(uint64_t bytes)
{
    unsigned side = LANES;
    while (uint64_t{side + LANES} * (side + LANES) * sizeof(float) <= bytes)
        side += LANES;
    return side;
}

static unsigned blocks_of(const params *wanted)
{
    const uint64_t n = wanted->bytes / sizeof(float);
    const uint64_t tiles = square_side(wanted->bytes) / LANES;
    switch (wanted->kind) {
    case COPY:
        return (unsigned)((n + THREADS - 1) / THREADS);
    case COPY4:
        return (unsigned)((n / 4 + THREADS - 1) / THREADS);
    case TRANSPOSE:
        return (unsigned)(tiles * tiles);
    case CHAIN:
    case GRAPH:
    case FORK:
        return 1;
    default:
        return (unsigned)wanted->blocks;
    }
}

static uint64_t stamps_of(const params *wanted, unsigned blocks)
{
    switch (wanted->kind) {
    case EMPTY:
        return blocks < 2 * ENDS ? blocks : 2 * ENDS;
    case GRAPH:
        return GRAPH_KERNELS;
    case FORK:
        return 2;
    default:
        return blocks;
    }
}

// What a kind reads, and as much that it writes.
static uint64_t bytes_of(const params *wanted, unsigned blocks)
{
    const bool each_thread = wanted->kind == SHARED || wanted->kind == REGISTERS_255;
    const uint64_t words = TABLE + uint64_t{blocks} * (each_thread ? THREADS : 2);
    const bool goes_by_bytes = wanted->kind == COPY || wanted->kind == COPY4 ||
                               wanted->kind == REDUCE || wanted->kind == TRANSPOSE;
    return (goes_by_bytes ? wanted->bytes : 0) + words * sizeof(float);
}

static cudaError_t capture_graph(bench *bench, cudaStream_t stream)
{
    cudaGraph_t graph = nullptr;
    cudaError_t error = cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal);
    if (error != cudaSuccess)
        return error;
    for (int i = 0; i < GRAPH_KERNELS; i++)
        spin<<<1, LANES, 0, stream>>>(bench->stamps != nullptr ? bench->stamps + i : nullptr,
                                      (unsigned long long)bench->wanted.duration);
    error = cudaStreamEndCapture(stream, &graph);
    if (error == cudaSuccess)
        error = cudaGraphInstantiate(&bench->graph, graph, 0);
    if (graph != nullptr)
        cudaGraphDestroy(graph);
    return error;
}

static cudaError_t make_fork(bench *bench)
{
    cudaError_t error = cudaStreamCreateWithFlags(&bench->side, cudaStreamNonBlocking);
    if (error == cudaSuccess)
        error = cudaEventCreateWithFlags(&bench->forked, cudaEventDisableTiming);
    if (error == cudaSuccess)
        error = cudaEventCreateWithFlags(&bench->joined, cudaEventDisableTiming);
    return error;
}

static cudaError_t make_ready(bench *bench, cudaStream_t stream)
{
    switch (bench->wanted.kind) {
    case GRAPH:
        return capture_graph(bench, stream);
    case FORK:
        return make_fork(bench);
    case SHARED:
        return cudaFuncSetAttribute(shared_memory, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                    SHARED_BYTES);
    default:
        return cudaSuccess;
    }
}

static int32_t zeroed(const bench *bench, cudaStream_t stream, uint64_t bytes, void **ret_memory)
{
    const gb_host *host = bench->host;
    const int32_t status = host->device_allocate(host, bytes, GB_MEMORY_DEVICE, ret_memory);
    return status == GB_OK ? judge(bench, cudaMemsetAsync(*ret_memory, 0, bytes, stream)) : status;
}

static int32_t copied(const bench *bench, cudaStream_t stream, void *to, const void *from,
                      size_t bytes)
{
    cudaError_t error = cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, stream);
    if (error == cudaSuccess)
        error = cudaStreamSynchronize(stream);
    return judge(bench, error);
}

// All on the queue, and done when it returns: once work of two streams has been on a GPU at the
// same time, all launches of the process take longer.
static int32_t prepare(void *object, const gb_queue *queue)
{
    auto *bench = (struct bench *)object;
    auto *const stream = (cudaStream_t)queue->native;
    const unsigned long long none_yet = ~0ull;
    bench->blocks = blocks_of(&bench->wanted);
    bench->n_stamps = stamps_of(&bench->wanted, bench->blocks);
    const uint64_t bytes = bytes_of(&bench->wanted, bench->blocks);
    int32_t status = zeroed(bench, stream, bytes, (void **)&bench->from);
    if (status == GB_OK)
        status = zeroed(bench, stream, bytes, (void **)&bench->to);
    if (status == GB_OK && bench->is_stamped)
        status = zeroed(bench, stream, bench->n_stamps * sizeof(stamp), (void **)&bench->stamps);
    if (status == GB_OK && bench->is_stamped)
        status = zeroed(bench, stream, sizeof(spans), (void **)&bench->ring);
    if (status == GB_OK && bench->is_stamped)
        status = copied(bench, stream, &bench->ring->begin, &none_yet, sizeof none_yet);
    if (status == GB_OK)
        status = judge(bench, make_ready(bench, stream));
    return status == GB_OK ? judge(bench, cudaDeviceSynchronize()) : status;
}

static cudaError_t launch_cluster(const bench *bench, cudaStream_t stream)
{
    cudaLaunchAttribute attribute = {};
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim = {CLUSTER_BLOCKS, 1, 1};
    cudaLaunchConfig_t config = {};
    config.gridDim = bench->blocks;
    config.blockDim = THREADS;
    config.stream = stream;
    config.attrs = &attribute;
    config.numAttrs = 1;
    return cudaLaunchKernelEx(&config, cluster, bench->stamps, bench->to);
}

static cudaError_t launch_cooperative(const bench *bench, cudaStream_t stream)
{
    stamp *stamps = bench->stamps;
    auto *to = (unsigned *)bench->to;
    void *arguments[] = {&stamps, &to};
    return cudaLaunchCooperativeKernel(cooperative, bench->blocks, THREADS, arguments, 0, stream);
}

static cudaError_t fork_and_join(const bench *bench, cudaStream_t stream)
{
    const auto duration = (unsigned long long)bench->wanted.duration;
    cudaError_t error = cudaEventRecord(bench->forked, stream);
    if (error == cudaSuccess)
        error = cudaStreamWaitEvent(bench->side, bench->forked, 0);
    spin<<<1, LANES, 0, stream>>>(bench->stamps, duration);
    spin<<<1, LANES, 0, bench->side>>>(bench->stamps != nullptr ? bench->stamps + 1 : nullptr,
                                       duration);
    if (error == cudaSuccess)
        error = cudaEventRecord(bench->joined, bench->side);
    return error == cudaSuccess ? cudaStreamWaitEvent(stream, bench->joined, 0) : error;
}

static cudaError_t enqueue(const bench *bench, cudaStream_t stream)
{
    const unsigned blocks = bench->blocks;
    const uint64_t n = bench->wanted.bytes / sizeof(float);
    stamp *const stamps = bench->stamps;
    auto *const words = (unsigned *)bench->to;
    switch (bench->wanted.kind) {
    case SPIN:
        spin<<<blocks, LANES, 0, stream>>>(stamps, (unsigned long long)bench->wanted.duration);
        break;
    case CHAIN:
        chain<<<1, 1, 0, stream>>>(stamps, bench->to, (unsigned)bench->wanted.steps);
        break;
    case COPY:
        copy<<<blocks, THREADS, 0, stream>>>(stamps, bench->to, bench->from, n);
        break;
    case COPY4:
        copy<<<blocks, THREADS, 0, stream>>>(stamps, (float4 *)bench->to,
                                             (const float4 *)bench->from, n / 4);
        break;
    case FMA:
        fma_steps<<<blocks, THREADS, 0, stream>>>(stamps, bench->to, 0.5f);
        break;
    case REDUCE:
        reduce<<<blocks, THREADS, 0, stream>>>(stamps, bench->to, bench->from, n);
        break;
    case ATOMICS:
        atomics<<<blocks, THREADS, 0, stream>>>(stamps, words);
        break;
    case SHARED:
        shared_memory<<<blocks, THREADS, SHARED_BYTES, stream>>>(stamps, bench->to);
        break;
    case TRANSPOSE:
        transpose<<<blocks, THREADS, 0, stream>>>(stamps, bench->to, bench->from,
                                                  square_side(bench->wanted.bytes));
        break;
    case REGISTERS_255:
        registers<<<blocks, THREADS, 0, stream>>>(stamps, bench->to, bench->from);
        break;
    case CLUSTER:
        return launch_cluster(bench, stream);
    case COOPERATIVE:
        return launch_cooperative(bench, stream);
    case GRAPH:
        return cudaGraphLaunch(bench->graph, stream);
    case FORK:
        return fork_and_join(bench, stream);
    case PRINT:
        prints<<<blocks, LANES, 0, stream>>>(stamps);
        break;
    case ALLOCATE:
        allocates<<<blocks, 1, 0, stream>>>(stamps, words);
        break;
    default:
        empty<<<blocks, (unsigned)bench->wanted.threads, 0, stream>>>(stamps);
    }
    return cudaSuccess;
}

static int32_t run(void *object, const gb_queue *queue, uint64_t)
{
    const auto *bench = (const struct bench *)object;
    const cudaError_t error = enqueue(bench, (cudaStream_t)queue->native);
    const cudaError_t last =
        cudaGetLastError(); // which forgets it, so that the next call finds none
    return judge(bench, error == cudaSuccess ? last : error);
}

static int32_t reset(void *object, const gb_queue *queue)
{
    const auto *bench = (const struct bench *)object;
    fold<<<FOLD_BLOCKS, FOLD_THREADS, 0, (cudaStream_t)queue->native>>>(
        bench->stamps, bench->n_stamps, bench->ring);
    return judge(bench, cudaGetLastError());
}

static int compare_lengths(const void *a, const void *b)
{
    const unsigned x = *(const unsigned *)a;
    const unsigned y = *(const unsigned *)b;
    return (x > y) - (x < y);
}

// Reports the spans of the last samples; of a chain they are in cycles.
static int32_t verify(void *object, const gb_queue *queue)
{
    auto *bench = (struct bench *)object;
    const gb_host *host = bench->host;
    const char *const unit = bench->wanted.kind == CHAIN ? "cycles" : "ns";
    auto *ring = (spans *)host->allocate(host, sizeof(spans));
    auto *lengths = (unsigned *)host->allocate(host, sizeof ring->length);
    if (ring == nullptr || lengths == nullptr)
        return GB_NO_MEMORY;
    int32_t status = reset(bench, queue);
    if (status == GB_OK)
        status = copied(bench, (cudaStream_t)queue->native, ring, bench->ring, sizeof *ring);
    if (status != GB_OK)
        return status;
    const auto wanted = (uint64_t)bench->wanted.spans;
    const uint64_t n = ring->n < wanted ? ring->n : wanted;
    if (n == 0)
        return host->fail(host, "no sample's blocks have all stored when they began and ended");
    double sum = 0.0;
    for (uint64_t i = 0; i < n; i++) {
        lengths[i] = ring->length[(ring->n - n + i) % SPANS];
        sum += lengths[i];
    }
    qsort(lengths, n, sizeof *lengths, compare_lengths);
    host->metric(host, "span", (lengths[(n - 1) / 2] + (double)lengths[n / 2]) / 2.0, unit);
    host->metric(host, "span_mean", sum / (double)n, unit);
    host->metric(host, "span_min", lengths[0], unit);
    host->metric(host, "span_max", lengths[n - 1], unit);
    return GB_OK;
}

static const gb_bench_ops stamped_ops = {.size = sizeof stamped_ops,
                                         .flags = GB_BENCH_SINGLE,
                                         .create = create_stamped,
                                         .prepare = prepare,
                                         .run = run,
                                         .reset = reset,
                                         .verify = verify,
                                         .destroy = destroy};
static const gb_bench_ops plain_ops = {.size = sizeof plain_ops,
                                       .flags = GB_BENCH_SINGLE,
                                       .create = create_plain,
                                       .prepare = prepare,
                                       .run = run,
                                       .destroy = destroy};
static const gb_plugin stamped = {.size = sizeof stamped,
                                  .kind = GB_PLUGIN_BENCH,
                                  .id = "truth",
                                  .version = "1.0",
                                  .summary = "kernels whose blocks store when they ran",
                                  .devices = "cuda",
                                  GB_OPTIONS(options, params),
                                  .ops = &stamped_ops};
static const gb_plugin plain = {.size = sizeof plain,
                                .kind = GB_PLUGIN_BENCH,
                                .id = "truth_plain",
                                .version = "1.0",
                                .summary = "the same kernels, which store nothing of that",
                                .devices = "cuda",
                                GB_OPTIONS(options, params),
                                .ops = &plain_ops};
GB_MODULE(&stamped, &plain)
