/*
 * truth.cu - kernels that know how long they took: each block stores when it began and when it
 * ended, by the GPU's global timer. The metric `span` is the time from the first block's start to
 * the last block's end, which what a clock reads can be compared with.
 *
 * `truth` stamps; `truth_plain` runs the same kernels without stamps. Stamps of a sample are turned
 * into its span by a kernel in `reset`, which is on the queue before the next sample.
 */
#include "cuda_bench.cuh"

#include <cooperative_groups.h>
#include <stdio.h>
#include <stdlib.h>

namespace groups = cooperative_groups;

// --- stamps ---

struct stamp {
    unsigned long long begin, end;
};

// Where blocks stamp; nowhere: NULL. Of a large grid only the first and the last `ends` do, more
// than are on a GPU at once: stamps are stores, and a block is there until its own have arrived.
struct stamper {
    stamp *to;
    unsigned ends;
    bool is_fenced; // a block's end is when all of its stores have arrived
};

// Of one block. All threads of it make one at their start, which stamps at their end.
class block_times
{
    const stamper &stamps;
    unsigned long long begin = 0;

    // NULL: this block does not stamp. Asked for twice, as a register kept meanwhile is one less.
    __device__ stamp *place() const
    {
        const unsigned n_skipped = gridDim.x > 2 * stamps.ends ? gridDim.x - 2 * stamps.ends : 0;
        if (stamps.to == nullptr ||
            (blockIdx.x >= stamps.ends && blockIdx.x < stamps.ends + n_skipped))
            return nullptr;
        return stamps.to + (blockIdx.x < stamps.ends ? blockIdx.x : blockIdx.x - n_skipped);
    }

  public:
    __device__ explicit block_times(const stamper &into) : stamps(into)
    {
        if (threadIdx.x == 0 && place() != nullptr)
            begin = global_ns();
    }
    __device__ ~block_times()
    {
        stamp *const to = place();
        if (to == nullptr)
            return;
        if (stamps.is_fenced)
            __threadfence();
        __syncthreads();
        if (threadIdx.x == 0)
            *reinterpret_cast<ulonglong2 *>(to) = make_ulonglong2(begin, global_ns());
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

static __global__ void empty(stamper stamps)
{
    const block_times times(stamps);
}

// By the clock of the multiprocessor, 2 cycles of which are about 1 ns: what waits for the global
// timer ends when that has just stepped, and its span is half a step too long.
static __global__ void spin(stamper stamps, unsigned long long duration_ns)
{
    const block_times times(stamps);
    const long long begin = clock64();
    while ((unsigned long long)(clock64() - begin) < 2 * duration_ns)
        ;
}

// Its length grows with the number of steps by the same number of cycles each; cycles are stamped.
static __global__ void chain(stamper stamps, float *to, unsigned steps)
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
    if (stamps.to != nullptr)
        stamps.to[0] = {(unsigned long long)begin, (unsigned long long)end};
}

template <typename T> static __global__ void copy(stamper stamps, T *to, const T *from, uint64_t n)
{
    const block_times times(stamps);
    const uint64_t i = uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < n)
        to[i] = from[i];
}

// Each thread n_each words in a row, so that each store of a warp goes to many places.
static __global__ void store_words(stamper stamps, float *to, unsigned n_each)
{
    const block_times times(stamps);
    const uint64_t i = uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
    for (unsigned j = 0; j < n_each; j++)
        to[i * n_each + j] = (float)j;
}

static __global__ void fma_steps(stamper stamps, float *to, float a)
{
    const block_times times(stamps);
    float x = (float)threadIdx.x;
#pragma unroll
    for (int i = 0; i < 50; i++)
        x = fmaf(x, a, 1.0f);
    if (x == -1.0f) // never, but the compiler cannot know
        to[0] = x;
}

static __global__ void reduce(stamper stamps, float *to, const float *from, uint64_t n)
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
}

static __global__ void atomics(stamper stamps, unsigned *to)
{
    const block_times times(stamps);
    atomicAdd(to + (blockIdx.x * 7 + threadIdx.x) % 1024, 1u);
}

static __global__ void transpose(stamper stamps, float *to, const float *from, unsigned side)
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
}

enum { SHARED_BYTES = 200 * 1024, TABLE = 4096 };

static __global__ void shared_memory(stamper stamps, float *to)
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
}

enum { REGISTERS = 241 }; // so that a thread gets 255

static __global__ void __launch_bounds__(256, 1)
    registers(stamper stamps, float *to, const float *from)
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
}

static __global__ void cluster(stamper stamps, float *to)
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
}

static __global__ void cooperative(stamper stamps, unsigned *to)
{
    const block_times times(stamps);
    if (threadIdx.x == 0)
        to[blockIdx.x] = blockIdx.x;
    groups::this_grid().sync();
    if (threadIdx.x == 0)
        to[gridDim.x + blockIdx.x] = to[(blockIdx.x + 1) % gridDim.x];
}

static __global__ void prints(stamper stamps)
{
    const block_times times(stamps);
    if (threadIdx.x == 0)
        printf(".");
}

static __global__ void allocates(stamper stamps, unsigned *to)
{
    const block_times times(stamps);
    unsigned *const memory = (unsigned *)malloc(64);
    if (memory != nullptr) {
        memory[0] = blockIdx.x;
        to[blockIdx.x] = memory[0];
    }
    free(memory);
}

// --- the benchmark ---

#define KINDS(X)                                                                                   \
    X(empty, empty<<<blocks, threads, 0, stream>>>(stamps))                                        \
    X(spin, spin<<<blocks, LANES, 0, stream>>>(stamps, bench->duration_ns))                        \
    X(chain, chain<<<1, 1, 0, stream>>>(stamps, to, (unsigned)bench->steps))                       \
    X(copy, copy<<<blocks, THREADS, 0, stream>>>(stamps, to, from, n))                             \
    X(copy4, copy<<<blocks, THREADS, 0, stream>>>(stamps, (float4 *)to, (float4 *)from, n / 4))    \
    X(stores, store_words<<<blocks, THREADS, 0, stream>>>(stamps, to, bench->n_each))              \
    X(fma, fma_steps<<<blocks, THREADS, 0, stream>>>(stamps, to, 0.5f))                            \
    X(reduce, reduce<<<blocks, THREADS, 0, stream>>>(stamps, to, from, n))                         \
    X(atomics, atomics<<<blocks, THREADS, 0, stream>>>(stamps, words))                             \
    X(shared, shared_memory<<<blocks, THREADS, SHARED_BYTES, stream>>>(stamps, to))                \
    X(transpose, transpose<<<blocks, THREADS, 0, stream>>>(stamps, to, from, bench->side))         \
    X(registers, registers<<<blocks, THREADS, 0, stream>>>(stamps, to, from))                      \
    X(cluster, return judge(bench->host, launch_cluster(bench, stream)))                           \
    X(cooperative, return judge(bench->host, launch_cooperative(bench, stream)))                   \
    X(graph, return judge(bench->host, cudaGraphLaunch(bench->parts.graph, stream)))               \
    X(fork, return fork_and_join(bench, stream))                                                   \
    X(print, prints<<<blocks, LANES, 0, stream>>>(stamps))                                         \
    X(allocate, allocates<<<blocks, 1, 0, stream>>>(stamps, words))
static const char *const kinds[] = {KINDS(WORD)};
enum { KINDS(WORD_NUMBER) };
enum { GRAPH_KERNELS = 20, CLUSTER_BLOCKS = 4, THREADS = 256 };

struct bench {
    int32_t kind;
    int64_t blocks;
    int64_t threads;
    uint64_t bytes;
    double duration;
    int64_t steps;
    int64_t spans;
    int64_t ends;
    int32_t fence;
    const gb_host *host;
    bool is_stamped;
    uint64_t n_stamps;
    unsigned n_blocks, n_each;
    unsigned side; // of the square matrix that fits into the bytes
    unsigned long long duration_ns;
    stamp *stamps; // NULL: kernels do not stamp
    struct spans *ring;
    float *from, *to;
    struct parts parts;
};

static const gb_option options[] = {
    GB_CHOICE(bench, kind, "empty", kinds, "what is put on the queue"),
    GB_INT(bench, blocks, "1", "1:2^24", "blocks", "of kinds that do not go by bytes"),
    GB_INT(bench, threads, "256", "1:1024", "threads", "of a block of empty"),
    GB_BYTES(bench, bytes, "1MiB", "4KiB:16GiB",
             "read by copies, reduce and transpose, written by stores"),
    GB_DURATION(bench, duration, "5us", "0:1s", "of each spin of spin, graph and fork"),
    GB_INT(bench, steps, "1", "1:2^24", "steps", "of a chain: each adds the same number of cycles"),
    GB_INT(bench, spans, "512", "1:65536", "samples", "the last ones, whose spans count"),
    GB_INT(bench, ends, "16384", "1:2^24", "blocks",
           "that stamp, of the first and of the last ones"),
    GB_BOOL(bench, fence, "no", "a block's stores have arrived before it stamps its end"),
};

static void destroy(void *object)
{
    destroy_parts(&((struct bench *)object)->parts);
}

// In whole tiles.
static unsigned square_side(uint64_t bytes)
{
    unsigned side = LANES;
    while (uint64_t{side + LANES} * (side + LANES) * sizeof(float) <= bytes)
        side += LANES;
    return side;
}

static unsigned blocks_of(const bench *bench)
{
    const uint64_t n = bench->bytes / sizeof(float);
    const uint64_t tiles = bench->side / LANES;
    switch (bench->kind) {
    case IS_copy:
        return (unsigned)((n + THREADS - 1) / THREADS);
    case IS_copy4:
        return (unsigned)((n / 4 + THREADS - 1) / THREADS);
    case IS_transpose:
        return (unsigned)(tiles * tiles);
    case IS_chain:
    case IS_graph:
    case IS_fork:
        return 1;
    default:
        return (unsigned)bench->blocks;
    }
}

static uint64_t stamps_of(const bench *bench)
{
    const uint64_t most = 2 * (uint64_t)bench->ends;
    switch (bench->kind) {
    case IS_graph:
        return GRAPH_KERNELS;
    case IS_fork:
        return 2;
    default:
        return bench->n_blocks < most ? bench->n_blocks : most;
    }
}

// What a kind reads, and as much that it writes.
static uint64_t words_of(const bench *bench)
{
    const bool each_thread = bench->kind == IS_shared || bench->kind == IS_registers;
    const bool goes_by_bytes = bench->kind == IS_copy || bench->kind == IS_copy4 ||
                               bench->kind == IS_reduce || bench->kind == IS_transpose ||
                               bench->kind == IS_stores;
    return (goes_by_bytes ? (bench->bytes + 3) / 4 : 0) + TABLE +
           uint64_t{bench->n_blocks} * (each_thread ? THREADS : 2);
}

// Of the i-th kernel of a sample. Nothing but the stamps waits for what atomics do.
static stamper stamper_of(const bench *bench, int i)
{
    return {bench->stamps != nullptr ? bench->stamps + i : nullptr, (unsigned)bench->ends,
            bench->fence != 0 || bench->kind == IS_atomics};
}

static int32_t make_ready(bench *bench, cudaStream_t stream)
{
    switch (bench->kind) {
    case IS_graph:
        return capture_graph(bench, stream, [=] {
            for (int i = 0; i < GRAPH_KERNELS; i++)
                spin<<<1, LANES, 0, stream>>>(stamper_of(bench, i), bench->duration_ns);
        });
    case IS_fork:
        return make_fork(bench);
    case IS_shared:
        return judge(bench->host, cudaFuncSetAttribute(shared_memory,
                                                       cudaFuncAttributeMaxDynamicSharedMemorySize,
                                                       SHARED_BYTES));
    default:
        return GB_OK;
    }
}

template <typename T>
static int32_t zeroed(const bench *bench, cudaStream_t stream, uint64_t n, T **ret_memory)
{
    TRY(take(bench, n, ret_memory));
    return judge(bench->host, cudaMemsetAsync(*ret_memory, 0, n * sizeof(T), stream));
}

// All on the queue, and done when it returns: once work of two streams has been on a GPU at the
// same time, all launches of the process take longer.
ON_STREAM(prepare)
{
    const unsigned long long none_yet = ~0ull;
    bench->side = square_side(bench->bytes);
    bench->n_blocks = blocks_of(bench);
    bench->n_each = (unsigned)(bench->bytes / sizeof(float) / THREADS / bench->n_blocks);
    bench->n_stamps = stamps_of(bench);
    bench->duration_ns = (unsigned long long)bench->duration;
    TRY(zeroed(bench, stream, words_of(bench), &bench->from));
    TRY(zeroed(bench, stream, words_of(bench), &bench->to));
    if (bench->is_stamped) {
        TRY(zeroed(bench, stream, bench->n_stamps, &bench->stamps));
        TRY(zeroed(bench, stream, 1, &bench->ring));
        TRY(copied(bench, stream, &bench->ring->begin, &none_yet, sizeof none_yet));
    }
    TRY(make_ready(bench, stream));
    return judge(bench->host, cudaDeviceSynchronize());
}

ON_STREAM(prepare_stamped)
{
    bench->is_stamped = true;
    return prepare_on(bench, stream);
}

static cudaError_t launch_cluster(const bench *bench, cudaStream_t stream)
{
    cudaLaunchAttribute attribute = {};
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim = {CLUSTER_BLOCKS, 1, 1};
    return launch_with(attribute, stream, cluster, bench->n_blocks, THREADS, stamper_of(bench, 0),
                       bench->to);
}

static cudaError_t launch_cooperative(const bench *bench, cudaStream_t stream)
{
    stamper stamps = stamper_of(bench, 0);
    auto *to = (unsigned *)bench->to;
    void *arguments[] = {&stamps, &to};
    return cudaLaunchCooperativeKernel(cooperative, bench->n_blocks, THREADS, arguments, 0, stream);
}

static int32_t fork_and_join(const bench *bench, cudaStream_t stream)
{
    return fork(bench, stream, true, [=] {
        spin<<<1, LANES, 0, stream>>>(stamper_of(bench, 0), bench->duration_ns);
        spin<<<1, LANES, 0, bench->parts.side>>>(stamper_of(bench, 1), bench->duration_ns);
    });
}

static int32_t enqueue(const bench *bench, cudaStream_t stream)
{
    const unsigned blocks = bench->n_blocks, threads = (unsigned)bench->threads;
    const uint64_t n = bench->bytes / sizeof(float);
    const stamper stamps = stamper_of(bench, 0);
    float *const to = bench->to, *const from = bench->from;
    auto *const words = (unsigned *)to;
    switch (bench->kind) {
        KINDS(WORD_CASE)
    }
    return GB_OK;
}

RUN_ON_STREAM
{
    return enqueued(bench, enqueue(bench, stream));
}

ON_STREAM(reset)
{
    fold<<<FOLD_BLOCKS, FOLD_THREADS, 0, stream>>>(bench->stamps, bench->n_stamps, bench->ring);
    return enqueued(bench, GB_OK);
}

static int compare_lengths(const void *a, const void *b)
{
    const unsigned x = *(const unsigned *)a;
    const unsigned y = *(const unsigned *)b;
    return (x > y) - (x < y);
}

// Reports the spans of the last samples; of a chain they are in cycles.
ON_STREAM(verify)
{
    const gb_host *host = bench->host;
    const char *const unit = bench->kind == IS_chain ? "cycles" : "ns";
    auto *ring = (spans *)host->allocate(host, sizeof(spans));
    auto *lengths = (unsigned *)host->allocate(host, sizeof ring->length);
    if (ring == nullptr || lengths == nullptr)
        return GB_NO_MEMORY;
    TRY(reset_on(bench, stream));
    TRY(copied(bench, stream, ring, bench->ring, sizeof *ring));
    const auto wanted = (uint64_t)bench->spans;
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

CUDA_BENCH(truth, GB_BENCH_SINGLE, "kernels whose blocks store when they ran",
           .prepare = prepare_stamped, .run = run, .reset = reset, .verify = verify,
           .destroy = destroy)
CUDA_BENCH(truth_plain, GB_BENCH_SINGLE, "the same kernels, which store nothing of that",
           .prepare = prepare, .run = run, .destroy = destroy)
GB_MODULE(&truth, &truth_plain)
