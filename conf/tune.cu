// tune.cu - kernels for tune.ini and for schedule `tuned` of the benchmark `padding`: Y[M,N] =
// X[M,K] W[N,K]^T in single precision, all matrices by rows, in tiles whose sizes are parameters.
//
// Taken by nvcc and by NVRTC: nothing is included. Kernels are templates, of which only those that
// are asked for are made.

enum { WARP = 32 };

// The order of a thread's multiply-adds: along rows or along columns of its outputs, every other one
// backwards, so that one factor is always that of the instruction before. A multiprocessor reads
// fewer registers then, and has fewer conflicts between their banks.
constexpr int BY_ROWS = 0, BY_COLUMNS = 1;

// A block of BM x BN outputs in steps of BK along K. A thread has TM x TN of them, in vectors of
// VECTOR rows and VECTOR columns; a warp has 4 x 8 threads. STAGES steps are in shared memory at a
// time. SPLIT blocks of a cluster share the steps of a tile.
template <int BM_, int BN_, int BK_, int TM_, int TN_, int VECTOR_, int STAGES_, int SPLIT_,
          int ORDER_>
struct shape {
    enum {
        BM = BM_,
        BN = BN_,
        BK = BK_,
        TM = TM_,
        TN = TN_,
        VECTOR = VECTOR_,
        STAGES = STAGES_,
        SPLIT = SPLIT_,
        ORDER = ORDER_,
        WARPS_N = BN / (8 * TN),
        THREADS = BM / (4 * TM) * WARPS_N * WARP,
        ABREAST = 8,              // threads that copy side by side along K
        PASS = THREADS / ABREAST, // rows copied at once
        X_PASSES = (BM + PASS - 1) / PASS,
        W_PASSES = (BN + PASS - 1) / PASS,
        X_LENGTH = BM + 4, // so that copies of 8 steps of 4 rows hit 32 banks
        W_LENGTH = BN + 4,
        X_SIZE = BK * X_LENGTH,
        W_SIZE = BK * W_LENGTH,
        STAGED = STAGES * (X_SIZE + W_SIZE),
        OWN = TM / SPLIT * TN, // outputs of a thread that its block stores
        PASSED = (SPLIT - 1) * OWN * THREADS,
        FLOATS = STAGED > PASSED ? STAGED : PASSED // of shared memory
    };
    static_assert(TM % VECTOR == 0 && TN % VECTOR == 0 && TM % SPLIT == 0, "a thread's outputs");
    static_assert(BM % (4 * TM) == 0 && BN % (8 * TN) == 0, "warps cover the tile");
    static_assert(BK % ABREAST == 0 && STAGES >= 2, "copies cover the steps");
};

// One product and the block's tile of it.
struct product {
    const float *x, *w;
    float *y;
    int m, n, k;
    int row, column; // of the tile's first output
};

// A thread's place in its warp of 4 rows and 8 columns. Each quarter of a warp reads two vectors of
// rows and four of columns.
static __device__ __forceinline__ int lane_row()
{
    const int lane = (int)threadIdx.x % WARP;
    return lane % 2 + lane / 16 * 2;
}

static __device__ __forceinline__ int lane_column()
{
    return (int)threadIdx.x % WARP / 2 % 8;
}

// --- copies -------------------------------------------------------------------------------------

// One element, as rows of odd length are aligned to no more, or a zero: then nothing is read.
// Copies turn the tile on its way, so that the arithmetic reads vectors of neighbouring rows.
static __device__ __forceinline__ void copy_async(float *to, const float *from, bool is_wanted)
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    const unsigned target = (unsigned)__cvta_generic_to_shared(to);
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;"
                 :
                 : "r"(target), "l"(from), "r"(is_wanted ? 4 : 0));
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

template <typename s> struct copier {
    const float *x, *w; // the next step of this thread
    unsigned x_offsets[s::X_PASSES], w_offsets[s::W_PASSES];
};

// Rows beyond the matrix are its last one once more: what comes of them is not stored.
template <int PASSES, int PASS>
static __device__ __forceinline__ void find_rows(unsigned (&offsets)[PASSES], int row, int n, int k)
{
#pragma unroll
    for (int i = 0; i < PASSES; i++) {
        const int wanted = row + i * PASS;
        offsets[i] = (unsigned)((wanted < n ? wanted : n - 1) * k);
    }
}

// Pass i over a tile of ROWS rows. Of its steps `left` are there, which may be none.
template <typename s, int ROWS, int LENGTH>
static __device__ __forceinline__ void copy_pass(float *tile, const float *from, int i, int left)
{
    const int kk = (int)threadIdx.x % s::ABREAST;
    const int row = (int)threadIdx.x / s::ABREAST + i * s::PASS;
    if ((i + 1) * s::PASS > ROWS && row >= ROWS)
        return;
#pragma unroll
    for (int j = 0; j < s::BK; j += s::ABREAST)
        copy_async(&tile[(j + kk) * LENGTH + row], from + j, j + kk < left);
}

// One of PARTS equal shares of the copies of a stage.
template <typename s, int PARTS>
static __device__ __forceinline__ void copy_part(const copier<s> &c, float *xs, float *ws, int left,
                                                 int part)
{
    constexpr int ALL = (int)s::X_PASSES + (int)s::W_PASSES;
#pragma unroll
    for (int i = 0; i < s::X_PASSES; i++) {
        if (i * PARTS / ALL == part)
            copy_pass<s, s::BM, s::X_LENGTH>(xs, c.x + c.x_offsets[i], i, left);
    }
#pragma unroll
    for (int i = 0; i < s::W_PASSES; i++) {
        if ((i + s::X_PASSES) * PARTS / ALL == part)
            copy_pass<s, s::BN, s::W_LENGTH>(ws, c.w + c.w_offsets[i], i, left);
    }
}

// --- arithmetic ---------------------------------------------------------------------------------

// N values of one step in vectors, STRIDE apart.
template <int N, int VECTOR, int STRIDE>
static __device__ __forceinline__ void read_fragment(float (&to)[N], const float *from)
{
#pragma unroll
    for (int i = 0; i < N / VECTOR; i++) {
        if (VECTOR == 4) {
            const float4 four = *(const float4 *)(from + i * STRIDE);
            to[4 * i] = four.x;
            to[4 * i + 1] = four.y;
            to[4 * i + VECTOR / 2] = four.z;
            to[4 * i + VECTOR - 1] = four.w;
        } else {
            const float2 two = *(const float2 *)(from + i * STRIDE);
            to[2 * i] = two.x;
            to[2 * i + 1] = two.y;
        }
    }
}

template <typename s>
static __device__ __forceinline__ void multiply(float (&sums)[s::TM][s::TN],
                                                const float (&left)[s::TM],
                                                const float (&right)[s::TN])
{
    constexpr int SHORT = s::ORDER == BY_ROWS ? s::TN : s::TM;
#pragma unroll
    for (int at = 0; at < s::TM * s::TN; at++) {
        const int line = at / SHORT;
        const int place = line % 2 == 0 ? at % SHORT : SHORT - 1 - at % SHORT;
        const int i = s::ORDER == BY_ROWS ? line : place;
        const int j = s::ORDER == BY_ROWS ? place : line;
        sums[i][j] += left[i] * right[j];
    }
}

// Multiplies one stage and starts the copies of another, a share with each step: so that neither
// waits for the other.
template <typename s>
static __device__ __forceinline__ void multiply_stage(float (&sums)[s::TM][s::TN], const float *xs,
                                                      const float *ws, const copier<s> &c,
                                                      float *next_xs, float *next_ws, int left)
{
#pragma unroll
    for (int kk = 0; kk < s::BK; kk++) {
        float rows[s::TM];
        float columns[s::TN];
        read_fragment<s::TM, s::VECTOR, 4 * s::VECTOR>(rows, xs + kk * s::X_LENGTH);
        read_fragment<s::TN, s::VECTOR, 8 * s::VECTOR>(columns, ws + kk * s::W_LENGTH);
        copy_part<s, s::BK>(c, next_xs, next_ws, left, kk);
        multiply<s>(sums, rows, columns);
    }
}

// --- the way out --------------------------------------------------------------------------------

// A row of a thread's outputs. Where rows start at multiples of a vector, it is stored as one.
template <typename s>
static __device__ __forceinline__ void store_row(float *y, const float (&values)[s::TN], int column,
                                                 int n)
{
#pragma unroll
    for (int j = 0; j < s::TN; j += s::VECTOR) {
        const int at = column + j * 8;
        if (n % s::VECTOR == 0 && at < n) {
            if (s::VECTOR == 4)
                *(float4 *)(y + at) = make_float4(values[j], values[j + 1],
                                                  values[j + s::VECTOR / 2],
                                                  values[j + s::VECTOR - 1]);
            else
                *(float2 *)(y + at) = make_float2(values[j], values[j + 1]);
            continue;
        }
#pragma unroll
        for (int i = 0; i < s::VECTOR; i++) {
            if (at + i < n)
                y[at + i] = values[j + i];
        }
    }
}

// Rows FIRST to FIRST + ROWS of the thread's.
template <typename s, int FIRST, int ROWS>
static __device__ __forceinline__ void store_rows(const float (&sums)[s::TM][s::TN],
                                                  const product &p, int row, int column)
{
#pragma unroll
    for (int i = FIRST; i < FIRST + ROWS; i++) {
        const int at = row + i / s::VECTOR * 4 * s::VECTOR + i % s::VECTOR;
        if (at < p.m)
            store_row<s>(p.y + (long long)at * p.n, sums[i], column, p.n);
    }
}

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
static __device__ __forceinline__ void meet_cluster()
{
    asm volatile("barrier.cluster.arrive.aligned;\n"
                 "barrier.cluster.wait.aligned;" ::
                     : "memory");
}

// To the same place in the shared memory of another block of the cluster.
static __device__ __forceinline__ void pass_on(float *to, int block, float value)
{
    const unsigned here = (unsigned)__cvta_generic_to_shared(to);
    asm volatile("{ .reg .b32 there; mapa.shared::cluster.u32 there, %0, %1;\n"
                 "st.shared::cluster.f32 [there], %2; }"
                 :
                 : "r"(here), "r"(block), "f"(value)
                 : "memory");
}

// The rows of a thread that block PART stores: the others pass on their sums of them. PART goes
// through all blocks of the cluster, as registers have no index.
template <typename s, int PART> struct part {
    enum { ROWS = s::TM / s::SPLIT, FIRST = PART * ROWS };

    static __device__ __forceinline__ void pass(const float (&sums)[s::TM][s::TN], float *shared,
                                                int here)
    {
        const int slot = here < PART ? here : here - 1;
        if (here != PART) {
#pragma unroll
            for (int i = 0; i < s::OWN; i++)
                pass_on(&shared[(slot * s::OWN + i) * s::THREADS + threadIdx.x], PART,
                        sums[FIRST + i / s::TN][i % s::TN]);
        }
        if constexpr (PART + 1 < s::SPLIT)
            part<s, PART + 1>::pass(sums, shared, here);
    }

    static __device__ __forceinline__ void store(float (&sums)[s::TM][s::TN], const float *shared,
                                                 int here, const product &p, int row, int column)
    {
        if (here == PART) {
#pragma unroll
            for (int i = 0; i < (s::SPLIT - 1) * s::OWN; i++)
                sums[FIRST + i % s::OWN / s::TN][i % s::OWN % s::TN] +=
                    shared[i * s::THREADS + threadIdx.x];
            store_rows<s, FIRST, ROWS>(sums, p, row, column);
        }
        if constexpr (PART + 1 < s::SPLIT)
            part<s, PART + 1>::store(sums, shared, here, p, row, column);
    }
};
#endif

// here: which block of the cluster this is.
template <typename s>
static __device__ __forceinline__ void store_tile(float (&sums)[s::TM][s::TN], float *shared,
                                                  const product &p, int row, int column, int here)
{
    if constexpr (s::SPLIT == 1) {
        (void)shared;
        (void)here;
        store_rows<s, 0, s::TM>(sums, p, row, column);
    } else {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
        wait_for_copies<0>();
        meet_cluster();
        part<s, 0>::pass(sums, shared, here);
        meet_cluster();
        part<s, 0>::store(sums, shared, here, p, row, column);
#endif
    }
}

// --- the loop -----------------------------------------------------------------------------------

// STAGES - 1 copies are under way while one stage is multiplied; one barrier for each step says
// both that the next stage is there and that the last one may be written again. shared: s::FLOATS
// elements at a multiple of 16 bytes. here: which block of the cluster this is.
template <typename s>
static __device__ __forceinline__ void multiply_tiles(const product &p, float *shared, int here)
{
    const int warp = (int)threadIdx.x / WARP;
    const int row = warp / s::WARPS_N * (4 * s::TM) + lane_row() * s::VECTOR;
    const int column = warp % s::WARPS_N * (8 * s::TN) + lane_column() * s::VECTOR;
    const int all_steps = (p.k + s::BK - 1) / s::BK;
    const int first = all_steps * here / s::SPLIT;
    const int n_steps = all_steps * (here + 1) / s::SPLIT - first;
    const int rest = p.k - first * s::BK;
    int left = rest < n_steps * s::BK ? rest : n_steps * s::BK; // to copy
    float *xs = shared;
    float *ws = shared + s::STAGES * s::X_SIZE;
    float sums[s::TM][s::TN] = {};
    copier<s> c;
    const int before = first * s::BK + (int)threadIdx.x % s::ABREAST;
    c.x = p.x + (long long)p.row * p.k + before;
    c.w = p.w + (long long)p.column * p.k + before;
    find_rows<s::X_PASSES, s::PASS>(c.x_offsets, (int)threadIdx.x / s::ABREAST, p.m - p.row, p.k);
    find_rows<s::W_PASSES, s::PASS>(c.w_offsets, (int)threadIdx.x / s::ABREAST, p.n - p.column,
                                    p.k);
#pragma unroll
    for (int i = 0; i < s::STAGES - 1; i++) {
        copy_part<s, 1>(c, xs + i * s::X_SIZE, ws + i * s::W_SIZE, left, 0);
        commit_copies();
        c.x += s::BK;
        c.w += s::BK;
        left -= s::BK;
    }
    int read = 0;
    int write = s::STAGES - 1;
    for (int i = 0; i < n_steps; i++) {
        wait_for_copies<s::STAGES - 2>();
        __syncthreads();
        multiply_stage<s>(sums, xs + read * s::X_SIZE + row, ws + read * s::W_SIZE + column, c,
                          xs + write * s::X_SIZE, ws + write * s::W_SIZE, left);
        commit_copies();
        c.x += s::BK;
        c.w += s::BK;
        left -= s::BK;
        read = read + 1 < s::STAGES ? read + 1 : 0;
        write = write + 1 < s::STAGES ? write + 1 : 0;
    }
    store_tile<s>(sums, shared, p, p.row + row, p.column + column, here);
}

// --- the kernels of tune.ini --------------------------------------------------------------------

#ifdef __CUDACC__
// BLOCKS of them are on a multiprocessor at a time. They go down SWIZZLE rows of tiles before they
// go on to the next column, so that those that run at the same time share rows of W.
template <int BM, int BN, int BK, int TM, int TN, int VECTOR, int STAGES, int SPLIT, int ORDER,
          int BLOCKS, int SWIZZLE>
__global__ void
    __launch_bounds__(shape<BM, BN, BK, TM, TN, VECTOR, STAGES, SPLIT, ORDER>::THREADS, BLOCKS)
        multiply_tuned(const float *__restrict__ x, const float *__restrict__ w,
                       float *__restrict__ y, int m, int n, int k)
{
    using s = shape<BM, BN, BK, TM, TN, VECTOR, STAGES, SPLIT, ORDER>;
    extern __shared__ float4 shared[];
    const int at = (int)(blockIdx.y * gridDim.x + blockIdx.x);
    const int in_group = SWIZZLE * (int)gridDim.x;
    const int first = at / in_group * SWIZZLE;
    const int left = (int)gridDim.y - first;
    const int height = left < SWIZZLE ? left : SWIZZLE;
    const product p = {x, w, y, m, n, k, (first + at % in_group % height) * BM,
                       at % in_group / height * BN};
    multiply_tiles<s>(p, (float *)shared, (int)blockIdx.z);
}

// One element for each thread, straight from memory: what the fast one is compared with.
template <typename number>
__global__ void multiply_simply(const number *x, const number *w, number *y, int m, int n, int k)
{
    const int column = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    const int row = (int)(blockIdx.y * blockDim.y + threadIdx.y);
    number sum = 0;
    if (row >= m || column >= n)
        return;
    for (int i = 0; i < k; i++)
        sum += x[(long long)row * k + i] * w[(long long)column * k + i];
    y[(long long)row * n + column] = sum;
}
#endif
