// padding.cu - the kernels of the benchmark `padding`: Y[M,N] = X[M,K] W[N,K]^T, where a block
// computes a tile of 128 x 128 outputs and the matrices end within a tile. Plugin side.
//
// Taken by nvcc and by NVRTC: nothing is included. tests/modules/padding_kernels.cc compiles it for
// the host. With ONE_KERNEL kernels are templates, of which NVRTC makes only those that are asked
// for.

// What a kernel still has to ask of the element at hand. `baseline` asks everything that the shape
// leaves open, `partition` nothing where a tile lies wholly inside.
enum { ROWS = 1, COLUMNS = 2, STEPS = 4 };
enum { TILE = 128, WARP = 32, THREAD_COLUMNS = 4 };

// blockIdx: x is the tile's column, y its row, z the product.
struct product {
    const float *x, *w; // of this product
    float *y;
    int m, n, k;
    int row, column; // of the tile's first output
};

static __device__ __forceinline__ product product_here(const float *x, const float *w, float *y,
                                                       int m, int n, int k, int tile_rows,
                                                       int tile_columns)
{
    const long long z = blockIdx.z;
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
    const product p = product_here(x, w, y, m, n, k, TILE, TILE);                                  \
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

// Asynchronous copies of four bytes, as rows of odd length are aligned to no more; they turn the
// tile on its way, so that the arithmetic reads 16 bytes of neighbouring rows at once.
static __device__ __forceinline__ void copy_async(float *to, const float *from, bool is_wanted)
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    const unsigned target = (unsigned)__cvta_generic_to_shared(to);
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;"
                 :
                 : "r"(target), "l"(from), "r"(is_wanted ? 4 : 0)
                 : "memory");
#else
    *to = is_wanted ? *from : 0.0f;
#endif
}

static __device__ __forceinline__ void commit_copies()
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}

// Until no more than N groups are under way.
template <int N> static __device__ __forceinline__ void wait_for_copies()
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    asm volatile("cp.async.wait_group %0;" ::"n"(N) : "memory");
#endif
}

// A block of BM x BN outputs in steps of BK; a thread has TM x TN of them, a warp 4 x 8 threads.
template <int BM_, int BN_, int BK_, int TM_, int TN_, int STAGES_> struct shape {
    enum {
        BM = BM_,
        BN = BN_,
        BK = BK_,
        TM = TM_,
        TN = TN_,
        STAGES = STAGES_,
        WARPS_M = BM / (4 * TM),
        WARPS_N = BN / (8 * TN),
        THREADS = WARPS_M * WARPS_N * WARP,
        ABREAST = 8,              // threads that copy side by side along K
        PASS = THREADS / ABREAST, // rows copied at once
        X_PASSES = BM / PASS,
        W_PASSES = BN / PASS,
        X_LENGTH = BM + 4, // so that copies of 8 steps of 4 rows hit 32 banks
        W_LENGTH = BN + 4,
        X_SIZE = BK * X_LENGTH,
        W_SIZE = BK * W_LENGTH
    };
    static_assert(TM % 4 == 0 && TN % 2 == 0, "fragments are read by 16 and 8 bytes");
    static_assert(WARPS_M * 4 * TM == BM && WARPS_N * 8 * TN == BN, "warps cover the tile");
    static_assert(X_PASSES * PASS == BM && W_PASSES * PASS == BN && BK % ABREAST == 0,
                  "copies cover the tile");
};

// Copies BK steps of PASSES * PASS rows. Rows beyond the last are the last once more: what comes of
// them is not stored. Steps beyond the end are zero.
template <typename s, int PASSES, int LENGTH, bool IS_TAIL>
static __device__ __forceinline__ void copy_tile(float *tile, const float *from,
                                                 const unsigned (&offsets)[PASSES], int left)
{
    const int kk = (int)threadIdx.x % s::ABREAST;
    const int row = (int)threadIdx.x / s::ABREAST;
#pragma unroll
    for (int i = 0; i < PASSES; i++) {
#pragma unroll
        for (int j = 0; j < s::BK; j += s::ABREAST) {
            const bool is_wanted = !IS_TAIL || j + kk < left;
            copy_async(&tile[(j + kk) * LENGTH + row + i * s::PASS],
                       is_wanted ? from + offsets[i] + j : from, is_wanted);
        }
    }
}

template <typename s> struct copier {
    const float *x, *w; // the next step of this thread
    unsigned x_offsets[s::X_PASSES], w_offsets[s::W_PASSES];
};

template <int PASSES, int PASS>
static __device__ __forceinline__ void find_rows(unsigned (&offsets)[PASSES], int row, int n, int k)
{
#pragma unroll
    for (int i = 0; i < PASSES; i++) {
        const int wanted = row + i * PASS;
        offsets[i] = (unsigned)((wanted < n ? wanted : n - 1) * k);
    }
}

template <typename s>
static __device__ __forceinline__ void copy_stage(copier<s> &c, float *xs, float *ws, int left)
{
    if (left >= s::BK) {
        copy_tile<s, s::X_PASSES, s::X_LENGTH, false>(xs, c.x, c.x_offsets, left);
        copy_tile<s, s::W_PASSES, s::W_LENGTH, false>(ws, c.w, c.w_offsets, left);
    } else {
        copy_tile<s, s::X_PASSES, s::X_LENGTH, true>(xs, c.x, c.x_offsets, left);
        copy_tile<s, s::W_PASSES, s::W_LENGTH, true>(ws, c.w, c.w_offsets, left);
    }
    c.x += s::BK;
    c.w += s::BK;
}

// N values of one step, STRIDE apart by fours; what is left over two lie side by side after them.
template <int N, int STRIDE>
static __device__ __forceinline__ void read_fragment(float (&to)[N], const float *from, int place)
{
#pragma unroll
    for (int i = 0; i < N / 4; i++) {
        const float4 four = *(const float4 *)(from + i * STRIDE + place * 4);
        to[4 * i] = four.x;
        to[4 * i + 1] = four.y;
        to[4 * i + 2] = four.z;
        to[4 * i + 3] = four.w;
    }
    if (N % 4 != 0) {
        const float2 two = *(const float2 *)(from + N / 4 * STRIDE + place * 2);
        to[N - 2] = two.x;
        to[N - 1] = two.y;
    }
}

template <typename s>
static __device__ __forceinline__ void multiply_stage(float (&sums)[s::TM][s::TN], const float *xs,
                                                      const float *ws, int row, int column)
{
#pragma unroll
    for (int kk = 0; kk < s::BK; kk++) {
        float left[s::TM];
        float right[s::TN];
        read_fragment<s::TM, 16>(left, xs + kk * s::X_LENGTH, row);
        read_fragment<s::TN, 32>(right, ws + kk * s::W_LENGTH, column);
#pragma unroll
        for (int i = 0; i < s::TM; i++) {
#pragma unroll
            for (int j = 0; j < s::TN; j++)
                sums[i][j] += left[i] * right[j];
        }
    }
}

// Where rows start at multiples of 16 bytes, neighbours are stored together.
template <int N>
static __device__ __forceinline__ void store_values(float *y, const float *values, int column,
                                                    int n, bool is_aligned)
{
    if (is_aligned && column + N <= n) {
        if (N == 4)
            *(float4 *)(y + column) = make_float4(values[0], values[1], values[2], values[N - 1]);
        else
            *(float2 *)(y + column) = make_float2(values[0], values[1]);
        return;
    }
#pragma unroll
    for (int j = 0; j < N; j++) {
        if (column + j < n)
            y[column + j] = values[j];
    }
}

template <typename s>
static __device__ __forceinline__ void store_tile(const float (&sums)[s::TM][s::TN],
                                                  const product &p, int row, int column, int lane)
{
    const bool is_aligned = p.n % 4 == 0;
#pragma unroll
    for (int i = 0; i < s::TM; i++) {
        const int at = row + i / 4 * 16 + lane / 8 * 4 + i % 4;
        float *y = p.y + at * p.n;
        if (at >= p.m)
            continue;
#pragma unroll
        for (int j = 0; j < s::TN / 4; j++)
            store_values<4>(y, &sums[i][4 * j], column + j * 32 + lane % 8 * 4, p.n, is_aligned);
        if (s::TN % 4 != 0)
            store_values<2>(y, &sums[i][s::TN - 2], column + s::TN / 4 * 32 + lane % 8 * 2, p.n,
                            is_aligned);
    }
}

// STAGES - 1 copies are under way while one stage is multiplied; one barrier for each step says
// both that the next stage is there and that the last one may be written again.
template <typename s>
static __device__ __forceinline__ void run_tuned(const product &p, float *xs, float *ws)
{
    const int lane = (int)threadIdx.x % WARP;
    const int warp = (int)threadIdx.x / WARP;
    const int row = warp / s::WARPS_N * (4 * s::TM);
    const int column = warp % s::WARPS_N * (8 * s::TN);
    const int n_steps = (p.k + s::BK - 1) / s::BK;
    float sums[s::TM][s::TN] = {};
    copier<s> c;
    c.x = p.x + (long long)p.row * p.k + threadIdx.x % s::ABREAST;
    c.w = p.w + (long long)p.column * p.k + threadIdx.x % s::ABREAST;
    find_rows<s::X_PASSES, s::PASS>(c.x_offsets, (int)threadIdx.x / s::ABREAST, p.m - p.row, p.k);
    find_rows<s::W_PASSES, s::PASS>(c.w_offsets, (int)threadIdx.x / s::ABREAST, p.n - p.column,
                                    p.k);
#pragma unroll
    for (int i = 0; i < s::STAGES - 1; i++) {
        if (i < n_steps)
            copy_stage<s>(c, xs + i * s::X_SIZE, ws + i * s::W_SIZE, p.k - i * s::BK);
        commit_copies();
    }
    int read = 0;
    int write = s::STAGES - 1;
    for (int i = 0; i < n_steps; i++) {
        wait_for_copies<s::STAGES - 2>();
        __syncthreads();
        if (i + s::STAGES - 1 < n_steps)
            copy_stage<s>(c, xs + write * s::X_SIZE, ws + write * s::W_SIZE,
                          p.k - (i + s::STAGES - 1) * s::BK);
        commit_copies();
        multiply_stage<s>(sums, xs + read * s::X_SIZE + row, ws + read * s::W_SIZE + column,
                          lane / 8, lane % 8);
        read = read + 1 < s::STAGES ? read + 1 : 0;
        write = write + 1 < s::STAGES ? write + 1 : 0;
    }
    store_tile<s>(sums, p, p.row + row, p.column + column, lane);
}

// As plan.c lists them, with BLOCKS of them at a time on a multiprocessor.
#define TUNED(BM, BN, BK, TM, TN, STAGES, BLOCKS)                                                  \
    KERNEL(tuned_##BM##x##BN##x##BK, BM / TM * (BN / TN), BLOCKS)                                  \
    {                                                                                              \
        using s = shape<BM, BN, BK, TM, TN, STAGES>;                                               \
        __shared__ __align__(16) float xs[STAGES * s::X_SIZE];                                     \
        __shared__ __align__(16) float ws[STAGES * s::W_SIZE];                                     \
        run_tuned<s>(product_here(x, w, y, m, n, k, BM, BN), xs, ws);                              \
    }

TUNED(96, 96, 16, 12, 6, 3, 2)
TUNED(96, 96, 8, 12, 12, 4, 2)
TUNED(192, 96, 8, 12, 12, 4, 1)
TUNED(128, 128, 8, 16, 8, 4, 2)
TUNED(64, 64, 16, 8, 8, 3, 4)
