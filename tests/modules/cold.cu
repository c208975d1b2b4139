/*
 * cold.cu - what a launch finds in caches, and what it costs where it does not: before each sample
 * a 1 MiB copy or a small product has one kind of cache emptied, on the queue and untimed.
 *
 * What is done before is checked like the kernel itself: what it has read adds up, and kernels that
 * are there for caches of each multiprocessor have run on all of them.
 */
#include "cuda_bench.cuh"

// --- what is timed ---

enum { N_FLOATS = 1024 * 1024 / sizeof(float), SIDE = 256, TILE = 16, THREADS = 256 };

// Of the arrays that are copied and multiplied, element i: whole numbers, whose products are exact.
static __host__ __device__ float operand(unsigned i)
{
    return (float)((i * 2654435761u >> 16) % 5) - 2.0f;
}

static __global__ void copy(float4 *to, const float4 *from)
{
    const unsigned i = blockIdx.x * THREADS + threadIdx.x;
    to[i] = from[i];
}

static __global__ void multiply(float *c, const float *a, const float *b)
{
    __shared__ float a_tile[TILE][TILE], b_tile[TILE][TILE];
    const unsigned x = threadIdx.x, y = threadIdx.y;
    const unsigned row = blockIdx.y * TILE + y;
    const unsigned column = blockIdx.x * TILE + x;
    float sum = 0.0f;
    for (unsigned k = 0; k < SIDE; k += TILE) {
        a_tile[y][x] = a[row * SIDE + k + x];
        b_tile[y][x] = b[(k + y) * SIDE + column];
        __syncthreads();
#pragma unroll
        for (unsigned i = 0; i < TILE; i++)
            sum = fmaf(a_tile[y][i], b_tile[i][x], sum);
        __syncthreads();
    }
    c[row * SIDE + column] = sum;
}

// --- what is done before ---

// Of one block: what it has computed, and where.
struct mark {
    unsigned long long sum;
    unsigned multiprocessor;
};

// All threads have to compute the sum, although the first one's counts.
static __device__ void leave(mark *marks, unsigned long long sum)
{
    unsigned multiprocessor;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(multiprocessor), "+l"(sum));
    if (threadIdx.x == 0)
        marks[blockIdx.x] = {sum, multiprocessor};
}

// Of all threads of the block, for its first.
inline __device__ unsigned long long block_sum(unsigned long long sum)
{
    __shared__ unsigned long long total;
    if (threadIdx.x == 0)
        total = 0;
    __syncthreads();
    for (int step = 16; step > 0; step /= 2)
        sum += __shfl_down_sync(~0u, sum, step);
    if (threadIdx.x % 32 == 0)
        atomicAdd(&total, sum);
    __syncthreads();
    return total;
}

static __global__ void nothing()
{
}

static __global__ void read_all(mark *marks, const uint4 *from, uint64_t n)
{
    unsigned long long sum = 0;
    for (uint64_t i = uint64_t{blockIdx.x} * THREADS + threadIdx.x; i < n;
         i += uint64_t{gridDim.x} * THREADS) {
        const uint4 words = __ldcg(from + i);
        sum += (unsigned long long)words.x + words.y + words.z + words.w;
    }
    leave(marks, block_sum(sum));
}

// Parts times steps times 4 instructions of 16 bytes: 512 KiB of code. The compiler cannot do with
// one function of that length, nor may it see that the parts are alike.
enum { CODE_PARTS = 64, CODE_STEPS = 128 };

template <int part> __host__ __device__ __noinline__ uint4 part_of_way(uint4 x)
{
#pragma unroll
    for (int i = 0; i < CODE_STEPS; i++) {
        x.x = x.x * x.y + x.z;
        x.y = x.y * x.z + x.w;
        x.z = x.z * x.w + x.x;
        x.w = x.w * x.x + x.y;
    }
    x.x += part;
    return x;
}

template <int first, int n> static __host__ __device__ uint4 long_way(uint4 x)
{
    if constexpr (n == 1)
        return part_of_way<first>(x);
    else
        return long_way<first + n / 2, n / 2>(long_way<first, n / 2>(x));
}

static __host__ __device__ unsigned long_way(uint4 x)
{
    x = long_way<0, CODE_PARTS>(x);
    return x.x ^ x.y ^ x.z ^ x.w;
}

static __global__ void long_code(mark *marks, uint4 x)
{
    leave(marks, long_way(x));
}

enum { N_CONSTANTS = 65536 / sizeof(uint4) };

static __constant__ uint4 constants[N_CONSTANTS];

static __global__ void read_constants(mark *marks)
{
    unsigned sum = 0;
#pragma unroll 8
    for (unsigned i = 0; i < N_CONSTANTS; i++)
        sum += constants[i].x + constants[i].y + constants[i].z + constants[i].w;
    leave(marks, sum);
}

enum { PAGE_WORDS = 2 * 1024 * 1024 / sizeof(unsigned), LINE_WORDS = 32 };

// Of each page another line, so that the lines do not all fall into the same sets of the L2.
static __device__ uint64_t word_of_page(uint64_t page)
{
    return page * PAGE_WORDS + page * LINE_WORDS % PAGE_WORDS;
}

static __global__ void number_pages(unsigned *memory, uint64_t n_pages)
{
    const uint64_t page = uint64_t{blockIdx.x} * THREADS + threadIdx.x;
    if (page < n_pages)
        memory[word_of_page(page)] = (unsigned)page;
}

// Each block reads all pages, each beginning at another one.
static __global__ void touch_pages(mark *marks, const unsigned *memory, uint64_t n_pages)
{
    const uint64_t first = n_pages / gridDim.x * blockIdx.x;
    unsigned long long sum = 0;
    for (uint64_t i = threadIdx.x; i < n_pages; i += THREADS)
        sum += __ldcg(memory + word_of_page((first + i) % n_pages));
    leave(marks, block_sum(sum));
}

// --- the benchmark ---

static const char *const kinds[] = {"copy", "gemm"};
enum { COPY, GEMM };

static const char *const before_names[] = {"nothing", "write",        "read",      "read_twice",
                                           "both",    "instructions", "constants", "tlb"};
enum { NOTHING, WRITE, READ, READ_TWICE, BOTH, INSTRUCTIONS, CONSTANTS, TLB };

struct bench {
    int32_t kind, before;
    uint64_t reach;
    const gb_host *host;
    float *from, *to;
    char *written;        // of the L2's size, or NULL
    unsigned *read;       // word i holds i; or NULL
    unsigned *pages;      // or NULL
    uint64_t cache_bytes; // of the L2, in whole vectors
    uint64_t read_bytes, n_pages;
    uint4 code_input;
    mark *marks;
    unsigned blocks; // that leave marks: two for each multiprocessor
};

static const gb_option options[] = {
    GB_CHOICE(bench, kind, "copy", kinds, "what is timed: a copy of 1 MiB, a product of 256^3"),
    GB_CHOICE(bench, before, "nothing", before_names,
              "what is emptied before each sample, and how"),
    GB_BYTES(bench, reach, "16GiB", "2MiB:16TiB",
             "of whose pages `tlb` reads a word each; less where less is free"),
};

static unsigned blocks_for(uint64_t n)
{
    return (unsigned)((n + THREADS - 1) / THREADS);
}

static __global__ void number_words(unsigned *to, uint64_t n)
{
    const uint64_t i = uint64_t{blockIdx.x} * THREADS + threadIdx.x;
    if (i < n)
        to[i] = (unsigned)i;
}

static __global__ void put_operands(float *to)
{
    const unsigned i = blockIdx.x * THREADS + threadIdx.x;
    to[i] = operand(i);
}

static uint4 constant(unsigned i)
{
    return {i, i * i, 2 * i + 1, 3 * i};
}

static int32_t put_constants(const bench *bench, cudaStream_t stream)
{
    uint4 values[N_CONSTANTS];
    for (unsigned i = 0; i < N_CONSTANTS; i++)
        values[i] = constant(i);
    TRY(cudaMemcpyToSymbolAsync(constants, values, sizeof values, 0, cudaMemcpyHostToDevice,
                                stream));
    return judge(bench->host, cudaStreamSynchronize(stream));
}

// Most of the free memory at most: not all of it can be had at once.
static int32_t take_pages(bench *bench, cudaStream_t stream)
{
    const gb_host *host = bench->host;
    const uint64_t page_bytes = PAGE_WORDS * sizeof(unsigned);
    size_t free_bytes = 0, all_bytes = 0;
    TRY(cudaMemGetInfo(&free_bytes, &all_bytes));
    const uint64_t most = free_bytes - free_bytes / 16;
    if (most < page_bytes)
        return host->skip(host, "there is no free memory to take pages from");
    bench->n_pages = (bench->reach < most ? bench->reach : most) / page_bytes;
    host->metric(host, "reach", (double)(bench->n_pages * page_bytes), "bytes");
    TRY(take(bench, bench->n_pages * PAGE_WORDS, &bench->pages));
    number_pages<<<blocks_for(bench->n_pages), THREADS, 0, stream>>>(bench->pages, bench->n_pages);
    return enqueued(bench, GB_OK);
}

static int32_t take_for_before(bench *bench, cudaStream_t stream)
{
    const int32_t before = bench->before;
    if (before == CONSTANTS)
        return put_constants(bench, stream);
    if (before == TLB)
        return take_pages(bench, stream);
    if (before == WRITE || before == BOTH) {
        TRY(take(bench, bench->cache_bytes, &bench->written));
        TRY(cudaMemsetAsync(bench->written, 0xff, bench->cache_bytes, stream));
    }
    if (before == READ || before == READ_TWICE || before == BOTH) {
        bench->read_bytes = bench->cache_bytes * (before == READ_TWICE ? 2 : 1);
        const uint64_t n = bench->read_bytes / sizeof(unsigned);
        TRY(take(bench, n, &bench->read));
        number_words<<<blocks_for(n), THREADS, 0, stream>>>(bench->read, n);
    }
    return enqueued(bench, GB_OK);
}

// All on the queue: once work of two streams has been on a GPU at the same time, all launches of
// the process take longer.
ON_STREAM(prepare)
{
    const gb_host *host = bench->host;
    bench->cache_bytes = host->device->cache_bytes / sizeof(uint4) * sizeof(uint4);
    bench->code_input = {(unsigned)host->random(host, 0, 0) | 1, 3, 5, 7};
    bench->blocks = 2 * host->device->n_units;
    if (bench->cache_bytes == 0)
        return host->skip(host, "the size of the cache is not known");
    TRY(take(bench, N_FLOATS, &bench->from));
    TRY(take(bench, N_FLOATS, &bench->to));
    TRY(take(bench, bench->blocks, &bench->marks));
    put_operands<<<N_FLOATS / THREADS, THREADS, 0, stream>>>(bench->from);
    TRY(cudaMemsetAsync(bench->to, 0, N_FLOATS * sizeof(float), stream));
    return take_for_before(bench, stream);
}

RUN_ON_STREAM
{
    if (bench->kind == GEMM)
        multiply<<<dim3(SIDE / TILE, SIDE / TILE), dim3(TILE, TILE), 0, stream>>>(
            bench->to, bench->from, bench->from + SIDE * SIDE);
    else
        copy<<<N_FLOATS / 4 / THREADS, THREADS, 0, stream>>>((float4 *)bench->to,
                                                             (const float4 *)bench->from);
    return enqueued(bench, GB_OK);
}

static void enqueue_read(const bench *bench, cudaStream_t stream, const void *from, uint64_t bytes)
{
    read_all<<<bench->blocks, THREADS, 0, stream>>>(bench->marks, (const uint4 *)from,
                                                    bytes / sizeof(uint4));
}

// Something has to be on the queue even for `nothing`: a reset that puts nothing there is called on
// the host, and each sample is a launch of its own.
ON_STREAM(reset)
{
    if (bench->written != nullptr)
        TRY(cudaMemsetAsync(bench->written, 0, bench->cache_bytes, stream));
    if (bench->read != nullptr)
        enqueue_read(bench, stream, bench->read, bench->read_bytes);
    if (bench->before == NOTHING)
        nothing<<<1, 1, 0, stream>>>();
    if (bench->before == INSTRUCTIONS)
        long_code<<<bench->blocks, THREADS, 0, stream>>>(bench->marks, bench->code_input);
    if (bench->before == CONSTANTS)
        read_constants<<<bench->blocks, THREADS, 0, stream>>>(bench->marks);
    if (bench->before == TLB)
        touch_pages<<<bench->blocks, THREADS, 0, stream>>>(bench->marks, bench->pages,
                                                           bench->n_pages);
    return enqueued(bench, GB_OK);
}

// --- verification ---

static double expected_output(const bench *bench, unsigned i)
{
    double sum = 0.0;
    if (bench->kind == COPY)
        return operand(i);
    for (unsigned k = 0; k < SIDE; k++)
        sum += (double)operand(i / SIDE * SIDE + k) * operand(SIDE * (SIDE + k) + i % SIDE);
    return sum;
}

static int32_t verify_output(const bench *bench, cudaStream_t stream)
{
    const gb_host *host = bench->host;
    const unsigned n = bench->kind == GEMM ? SIDE * SIDE : N_FLOATS;
    auto *output = (float *)host->allocate(host, n * sizeof(float));
    auto *reference = (double *)host->allocate(host, n * sizeof(double));
    if (output == nullptr || reference == nullptr)
        return GB_NO_MEMORY;
    for (unsigned i = 0; i < n; i++)
        reference[i] = expected_output(bench, i);
    TRY(copied(bench, stream, output, bench->to, n * sizeof(float)));
    const SIZED(gb_check, check, .format = GB_F32, .name = "output", .n = n, .output = output,
                .reference = reference, .flags = GB_CHECK_EXACT);
    return host->check(host, &check);
}

// What the marks of all blocks add up to, and on how many multiprocessors they were left.
static int32_t add_marks(const bench *bench, cudaStream_t stream, unsigned long long *ret_sum,
                         unsigned *ret_units)
{
    const gb_host *host = bench->host;
    auto *marks = (mark *)host->allocate(host, bench->blocks * sizeof(mark));
    if (marks == nullptr)
        return GB_NO_MEMORY;
    *ret_sum = *ret_units = 0;
    TRY(copied(bench, stream, marks, bench->marks, bench->blocks * sizeof(mark)));
    for (unsigned i = 0; i < bench->blocks; i++) {
        unsigned earlier = 0;
        while (marks[earlier].multiprocessor != marks[i].multiprocessor)
            earlier++;
        *ret_units += earlier == i;
        *ret_sum += marks[i].sum;
    }
    return GB_OK;
}

static unsigned long long sum_below(unsigned long long n)
{
    return n * (n - 1) / 2;
}

// 0: what is done before each sample leaves no marks.
static unsigned long long expected_sum(const bench *bench)
{
    unsigned sum = 0;
    switch (bench->before) {
    case READ:
    case READ_TWICE:
    case BOTH:
        return sum_below(bench->read_bytes / sizeof(unsigned));
    case INSTRUCTIONS:
        return (unsigned long long)bench->blocks * long_way(bench->code_input);
    case CONSTANTS:
        for (unsigned i = 0; i < N_CONSTANTS; i++)
            sum += constant(i).x + constant(i).y + constant(i).z + constant(i).w;
        return (unsigned long long)bench->blocks * sum;
    case TLB:
        return bench->blocks * sum_below(bench->n_pages);
    default:
        return 0;
    }
}

ON_STREAM(verify)
{
    const unsigned long long expected = expected_sum(bench);
    unsigned long long sum = 0;
    unsigned n_units = 0;
    TRY(verify_output(bench, stream));
    if (expected > 0) {
        TRY(add_marks(bench, stream, &sum, &n_units));
        bench->host->metric(bench->host, "multiprocessors", n_units, "");
        TRY(gb_check_number(bench->host, "sum over what was done before", (double)sum,
                            (double)expected, 0));
    }
    if (bench->written == nullptr)
        return GB_OK;
    enqueue_read(bench, stream, bench->written, bench->cache_bytes);
    TRY(enqueued(bench, GB_OK));
    TRY(add_marks(bench, stream, &sum, &n_units));
    return gb_check_number(bench->host, "sum of what was written before", (double)sum, 0, 0);
}

CUDA_BENCH(cold, GB_BENCH_SINGLE, "short kernels, and before each of them an emptied cache",
           .prepare = prepare, .run = run, .reset = reset, .verify = verify)
GB_MODULE(&cold)
