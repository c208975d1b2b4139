// padding.cu - the kernels of the benchmark `padding`: Y[M,N] = X[M,K] W[N,K]^T, where a block
// computes a tile of 128 x 128 outputs and the matrices end within a tile. Plugin side.
//
// Taken by nvcc and by NVRTC, which is given conf/tune.cu before it.
// tests/modules/padding_kernels.cc compiles it for the host. With ONE_KERNEL kernels are templates,
// of which NVRTC makes only those that are asked for.
#ifndef __CUDACC_RTC__
#include "../../conf/tune.cu"
#endif

// What a kernel still has to ask of an element. `baseline` asks everything that the shape
// leaves open, `partition` nothing where a tile lies wholly inside.
enum { ROWS = 1, COLUMNS = 2, STEPS = 4 };
enum { TILE = 128, THREAD_COLUMNS = 4 };

// blockIdx: x is the tile's column, y its row; z: of the products.
static __device__ __forceinline__ product product_here(const float *x, const float *w, float *y,
                                                       int m, int n, int k, int tile_rows,
                                                       int tile_columns, long long z)
{
    product p;
    p.x = x + z * m * k;
    p.w = w + z * n * k;
    p.y = y + z * m * n;
    p.m = m;
    p.n = n;
    p.k = k;
    p.row = (int)blockIdx.y * tile_rows;
    p.column = (int)blockIdx.x * tile_columns;
    return p;
}

// --- the four schedules -------------------------------------------------------------------------

// A thread has THREAD_ROWS rows, all threads of a warp the same ones, and the columns 2l, 2l + 1,
// 2l + 64 and 2l + 65, where l is its place in the warp. Shared tiles are by rows, DEPTH long.
static __device__ __forceinline__ int thread_column(int j)
{
    return (int)threadIdx.x % WARP * 2 + j % 2 + j / 2 * (TILE / 2);
}

template <int THREAD_ROWS> static __device__ __forceinline__ int first_row()
{
    return (int)threadIdx.x / WARP * THREAD_ROWS;
}

// A tile of X or W, from `first` on of `end` rows. Elements outside are left as they are, or are
// zero where the tile IS_PADDED.
template <int DEPTH, int THREADS, int GUARDS, bool IS_PADDED>
static __device__ __forceinline__ void load_tile(float *tile, const float *from, int first, int end,
                                                 int step, int k)
{
#pragma unroll
    for (int i = 0; i < TILE * DEPTH / THREADS; i++) {
        const int at = i * THREADS + (int)threadIdx.x;
        const int row = first + at / DEPTH;
        const int column = step + at % DEPTH;
        if ((!(GUARDS & ROWS) || row < end) && (!(GUARDS & STEPS) || column < k))
            tile[at] = from[row * k + column];
        else if (IS_PADDED)
            tile[at] = 0.0f;
    }
}

// Guards of W's tile: what are rows there are columns of the output.
static __device__ constexpr int turned(int guards)
{
    return (guards & STEPS) | (guards & COLUMNS ? ROWS : 0);
}

// Every multiply-add has its guards, as a compiler makes them that puts the condition of a loop
// nest where the work is. That of the row differs from one row of a thread to the next, so that it
// cannot be taken out of the loops.
template <int DEPTH, int THREAD_ROWS, int GUARDS>
static __device__ __forceinline__ void multiply_one(float (&sums)[THREAD_ROWS][THREAD_COLUMNS],
                                                    const float *xs, const float *ws,
                                                    const product &p, int step, int kk)
{
    const int row = first_row<THREAD_ROWS>();
#pragma unroll
    for (int i = 0; i < THREAD_ROWS; i++) {
#pragma unroll
        for (int j = 0; j < THREAD_COLUMNS; j++) {
            const int column = thread_column(j);
            if ((!(GUARDS & ROWS) || p.row + row + i < p.m) &&
                (!(GUARDS & COLUMNS) || p.column + column < p.n) &&
                (!(GUARDS & STEPS) || step + kk < p.k))
                sums[i][j] += xs[(row + i) * DEPTH + kk] * ws[column * DEPTH + kk];
        }
    }
}

template <int DEPTH, int THREAD_ROWS, int GUARDS>
static __device__ __forceinline__ void multiply(float (&sums)[THREAD_ROWS][THREAD_COLUMNS],
                                                const float *xs, const float *ws, const product &p,
                                                int step)
{
// A thousand conditions in a row would keep the compiler busy for seconds.
#pragma unroll(GUARDS != 0 && THREAD_ROWS > 16 ? 1 : DEPTH)
    for (int kk = 0; kk < DEPTH; kk++)
        multiply_one<DEPTH, THREAD_ROWS, GUARDS>(sums, xs, ws, p, step, kk);
}

// What is left along K: as many as there are.
template <int DEPTH, int THREAD_ROWS, int GUARDS>
static __device__ __forceinline__ void multiply_rest(float (&sums)[THREAD_ROWS][THREAD_COLUMNS],
                                                     const float *xs, const float *ws,
                                                     const product &p, int step)
{
#pragma unroll 1
    for (int kk = 0; step + kk < p.k; kk++)
        multiply_one<DEPTH, THREAD_ROWS, GUARDS>(sums, xs, ws, p, step, kk);
}

template <int THREAD_ROWS, int GUARDS>
static __device__ __forceinline__ void store(const float (&sums)[THREAD_ROWS][THREAD_COLUMNS],
                                             const product &p)
{
    const int row = p.row + first_row<THREAD_ROWS>();
#pragma unroll
    for (int i = 0; i < THREAD_ROWS; i++) {
#pragma unroll
        for (int j = 0; j < THREAD_COLUMNS; j++) {
            const int column = p.column + thread_column(j);
            if ((!(GUARDS & ROWS) || row + i < p.m) && (!(GUARDS & COLUMNS) || column < p.n))
                p.y[(row + i) * p.n + column] = sums[i][j];
        }
    }
}

// The tiles of a block and how its threads share them.
template <int DEPTH_, int THREAD_ROWS_> struct tiles {
    enum {
        DEPTH = DEPTH_,
        THREAD_ROWS = THREAD_ROWS_,
        THREADS = TILE / THREAD_ROWS_ * WARP,
        SIZE = TILE * DEPTH_
    };
    float (&sums)[THREAD_ROWS_][THREAD_COLUMNS];
    float *xs, *ws;
};

// One step along K: both tiles are loaded. GUARDS: of the way in.
template <int GUARDS, bool IS_PADDED, typename shared>
static __device__ __forceinline__ void load_step(shared t, const product &p, int step)
{
    __syncthreads();
    load_tile<shared::DEPTH, shared::THREADS, GUARDS, IS_PADDED>(t.xs, p.x, p.row, p.m, step, p.k);
    load_tile<shared::DEPTH, shared::THREADS, turned(GUARDS), IS_PADDED>(t.ws, p.w, p.column, p.n,
                                                                         step, p.k);
    __syncthreads();
}

// All steps the same. LOADED: guards of the way in, MULTIPLIED: those of the arithmetic.
template <int LOADED, bool IS_PADDED, int MULTIPLIED, typename shared>
static __device__ __forceinline__ void all_steps(shared t, const product &p)
{
    for (int step = 0; step < p.k; step += shared::DEPTH) {
        load_step<LOADED, IS_PADDED>(t, p, step);
        multiply<shared::DEPTH, shared::THREAD_ROWS, MULTIPLIED>(t.sums, t.xs, t.ws, p, step);
    }
}

// The whole steps without a guard of K, then what is left. With BY_THREAD a thread has all of its
// rows inside or none.
template <int LOADED, bool IS_PADDED, int MULTIPLIED, bool BY_THREAD, typename shared>
static __device__ __forceinline__ void partitioned_steps(shared t, const product &p)
{
    const bool is_here = !BY_THREAD || p.row + first_row<shared::THREAD_ROWS>() < p.m;
    const int whole = p.k / shared::DEPTH * shared::DEPTH;
    for (int step = 0; step < whole; step += shared::DEPTH) {
        load_step<LOADED, IS_PADDED>(t, p, step);
        if (is_here)
            multiply<shared::DEPTH, shared::THREAD_ROWS, MULTIPLIED>(t.sums, t.xs, t.ws, p, step);
    }
    if (whole == p.k)
        return;
    load_step<LOADED | STEPS, IS_PADDED>(t, p, whole);
    if (IS_PADDED)
        multiply<shared::DEPTH, shared::THREAD_ROWS, 0>(t.sums, t.xs, t.ws, p, whole);
    else if (is_here)
        multiply_rest<shared::DEPTH, shared::THREAD_ROWS, MULTIPLIED>(t.sums, t.xs, t.ws, p, whole);
}

static __device__ __forceinline__ bool is_inside(const product &p)
{
    return p.row + TILE <= p.m && p.column + TILE <= p.n;
}

#define BEGIN_TILES(DEPTH, THREAD_ROWS)                                                            \
    __shared__ __align__(16) float xs[TILE * DEPTH];                                               \
    __shared__ __align__(16) float ws[TILE * DEPTH];                                               \
    float sums[THREAD_ROWS][THREAD_COLUMNS] = {};                                                  \
    const product p = product_here(x, w, y, m, n, k, TILE, TILE, blockIdx.z);                      \
    const tiles<DEPTH, THREAD_ROWS> t = {sums, xs, ws}

#ifdef ONE_KERNEL
#define ENTRY template <int>
#else
#define ENTRY extern "C"
#endif

#define KERNEL(name, THREADS, BLOCKS)                                                              \
    ENTRY __global__ void __launch_bounds__(THREADS, BLOCKS)                                       \
        name(const float *__restrict__ x, const float *__restrict__ w, float *__restrict__ y,      \
             int m, int n, int k)

// All blocks the same, two of them at a time on a multiprocessor: one computes while the other
// waits for its loads. GUARDS: what the shape leaves open.
#define UNIFORM(name, DEPTH, THREAD_ROWS, LOADED, IS_PADDED, MULTIPLIED)                           \
    KERNEL(name, TILE / THREAD_ROWS * WARP, 2)                                                     \
    {                                                                                              \
        BEGIN_TILES(DEPTH, THREAD_ROWS);                                                           \
        all_steps<LOADED, IS_PADDED, MULTIPLIED>(t, p);                                            \
        store<THREAD_ROWS, ROWS | COLUMNS>(sums, p);                                               \
    }
#define BASELINE(name, DEPTH, THREAD_ROWS, GUARDS)                                                 \
    UNIFORM(name, DEPTH, THREAD_ROWS, GUARDS, false, GUARDS)

// The way in fills up with zeros, which add nothing; only the way out is guarded.
#define PAD(name, DEPTH, THREAD_ROWS)                                                              \
    UNIFORM(name, DEPTH, THREAD_ROWS, ROWS | COLUMNS | STEPS, true, 0)

// Blocks that lie inside have a loop of their own without guards; LOADED, MULTIPLIED and BY_THREAD
// are about the others.
#define PARTITION(name, DEPTH, THREAD_ROWS, IS_PADDED, LOADED, MULTIPLIED, BY_THREAD)              \
    KERNEL(name, TILE / THREAD_ROWS * WARP, 2)                                                     \
    {                                                                                              \
        BEGIN_TILES(DEPTH, THREAD_ROWS);                                                           \
        if (is_inside(p)) {                                                                        \
            partitioned_steps<0, IS_PADDED, 0, false>(t, p);                                       \
            store<THREAD_ROWS, 0>(sums, p);                                                        \
        } else {                                                                                   \
            partitioned_steps<LOADED, IS_PADDED, MULTIPLIED, BY_THREAD>(t, p);                     \
            store<THREAD_ROWS, ROWS | COLUMNS>(sums, p);                                           \
        }                                                                                          \
    }

// The names say which guards there are: r rows, c columns, k steps, t rows by thread.
BASELINE(dense_baseline_rk, 4, 16, ROWS | STEPS)
BASELINE(dense_baseline_rck, 4, 16, ROWS | COLUMNS | STEPS)
PARTITION(dense_partition_t, 4, 16, false, ROWS, 0, true)
PARTITION(dense_partition_rc, 4, 16, false, ROWS | COLUMNS, ROWS | COLUMNS, false)
PAD(dense_pad, 4, 16)
PARTITION(dense_partition_pad, 4, 16, true, ROWS | COLUMNS, 0, false)

BASELINE(batched_baseline_rc, 8, 32, ROWS | COLUMNS)
BASELINE(batched_baseline_rck, 8, 32, ROWS | COLUMNS | STEPS)
PARTITION(batched_partition_rc, 8, 32, false, ROWS | COLUMNS, ROWS | COLUMNS, false)
PAD(batched_pad, 8, 32)
PARTITION(batched_partition_pad, 8, 32, true, ROWS | COLUMNS, 0, false)

// --- tuned --------------------------------------------------------------------------------------

// SPLIT blocks, neighbours in z, share a tile: a cluster, or where there are none the first does it
// alone.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
enum { HAS_CLUSTERS = 1 };
#define CLUSTER(SPLIT) __cluster_dims__(1, 1, SPLIT)
#else
enum { HAS_CLUSTERS = 0 };
#define CLUSTER(SPLIT)
#endif
#ifdef __CUDACC__
extern __shared__ float4 tuned_shared[];
#define TUNED_SHARED(s) float *shared = (float *)tuned_shared
#else
#define TUNED_SHARED(s) __shared__ __align__(16) float shared[s::FLOATS]
#endif

// As plan.c lists them, with BLOCKS of them at a time on a multiprocessor.
#define TUNED(name, BM, BN, BK, TM, TN, STAGES, SPLIT, ORDER, BLOCKS)                              \
    KERNEL(CLUSTER(SPLIT) name, BM / TM * (BN / TN), BLOCKS)                                       \
    {                                                                                              \
        using s = shape<BM, BN, BK, TM, TN, 4, STAGES, HAS_CLUSTERS ? SPLIT : 1, ORDER>;           \
        TUNED_SHARED(s);                                                                           \
        const int here = (int)blockIdx.z % SPLIT;                                                  \
        if (HAS_CLUSTERS || here == 0)                                                             \
            multiply_tiles<s>(product_here(x, w, y, m, n, k, BM, BN, blockIdx.z / SPLIT), shared,  \
                              here);                                                               \
    }

TUNED(tuned_96x96x8, 96, 96, 8, 12, 12, 3, 1, BY_COLUMNS, 2)
TUNED(tuned_96x128x8, 96, 128, 8, 12, 8, 3, 1, BY_ROWS, 3)
TUNED(tuned_192x192x8_2, 192, 192, 8, 12, 12, 4, 2, BY_COLUMNS, 1)
TUNED(tuned_128x128x8, 128, 128, 8, 16, 8, 4, 1, BY_COLUMNS, 2)
TUNED(tuned_64x64x16, 64, 64, 16, 8, 8, 3, 1, BY_ROWS, 6)
