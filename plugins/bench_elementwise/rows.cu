// rows.cu - kernels of the benchmark `elementwise` that work on rows: of a warp each, or of a block
// each. A row is read and written once. Plugin side.
#ifndef __CUDACC_RTC__ // NVRTC is given it before this
#include "numbers.cuh"
#endif

// Rounded once, and in fewer steps than a division.
static __device__ __forceinline__ float reciprocal(float x)
{
    return __frcp_rn(x);
}

static __device__ __forceinline__ double reciprocal(double x)
{
    return __drcp_rn(x);
}

static __device__ __forceinline__ float inverse_root(float x)
{
    return rsqrtf(x);
}

static __device__ __forceinline__ double inverse_root(double x)
{
    return rsqrt(x);
}

static __device__ __forceinline__ float larger(float a, float b)
{
    return fmaxf(a, b);
}

static __device__ __forceinline__ double larger(double a, double b)
{
    return fmax(a, b);
}

// --- sums and maxima of threads ---

struct plus {
    template <typename number> static __device__ __forceinline__ number of(number a, number b)
    {
        return a + b;
    }
};

struct maximum {
    template <typename number> static __device__ __forceinline__ number of(number a, number b)
    {
        return larger(a, b);
    }
};

template <typename op, typename number>
static __device__ __forceinline__ number of_warp(number value)
{
#pragma unroll
    for (int i = 16; i > 0; i /= 2)
        value = op::of(value, __shfl_xor_sync(0xffffffffu, value, i));
    return value;
}

// The same in all threads of the block, which all call it.
template <typename op, typename number>
__device__ __forceinline__ number of_block(number value)
{
    __shared__ number of_warps[32];
    value = of_warp<op>(value);
    if (threadIdx.x % 32 == 0)
        of_warps[threadIdx.x / 32] = value;
    __syncthreads();
    value = of_warps[0];
    for (unsigned i = 1; i < blockDim.x / 32; i++)
        value = op::of(value, of_warps[i]);
    __syncthreads();
    return value;
}

// --- rows: of a warp each, or of a block each ---

// What a thread holds of a row, as it was loaded: vectors threads apart.
template <typename format_, bool IS_BLOCK, int HELD_> struct part_of_row {
    typedef format_ format;
    typedef typename format::number number;
    static const int HELD = HELD_;
    uint4 held[HELD];
    unsigned n_held;

    template <typename op> __device__ __forceinline__ number of_row(number value) const
    {
        return IS_BLOCK ? of_block<op>(value) : of_warp<op>(value);
    }
};

// Calls `act` with COUNT numbers and their vector for all vectors that are held.
template <typename row, typename action>
static __device__ __forceinline__ void for_each_vector(row &own, action act)
{
#pragma unroll
    for (int k = 0; k < row::HELD; k++) {
        if (k < (int)own.n_held) {
            typename row::number x[row::format::COUNT];
            row::format::unpack(own.held[k], x);
            act(own.held[k], x);
        }
    }
}

struct softmax {
    template <typename row> static __device__ __forceinline__ void of(row &own, unsigned)
    {
        typedef typename row::format format;
        typedef typename row::number number;
        number largest = (number)-3.0e38;
        number sum = 0;
        for_each_vector(own, [&](uint4 &, const number *x) {
#pragma unroll
            for (int i = 0; i < format::COUNT; i++)
                largest = larger(largest, x[i]);
        });
        largest = own.template of_row<maximum>(largest);
        for_each_vector(own, [&](uint4 &held, number *x) {
#pragma unroll
            for (int i = 0; i < format::COUNT; i++) {
                x[i] = exponential(x[i] - largest);
                sum += x[i];
            }
            if (format::IS_WIDE)
                held = format::pack(x);
        });
        const number factor = (number)1 / own.template of_row<plus>(sum);
        for_each_vector(own, [&](uint4 &held, number *x) {
#pragma unroll
            for (int i = 0; i < format::COUNT; i++)
                x[i] = (format::IS_WIDE ? x[i] : exponential(x[i] - largest)) * factor;
            held = format::pack(x);
        });
    }
};

struct layernorm {
    template <typename row> static __device__ __forceinline__ void of(row &own, unsigned columns)
    {
        typedef typename row::format format;
        typedef typename row::number number;
        const number share = reciprocal((number)columns);
        number sum = 0;
        number squares = 0;
        for_each_vector(own, [&](uint4 &, const number *x) {
#pragma unroll
            for (int i = 0; i < format::COUNT; i++)
                sum += x[i];
        });
        const number mean = own.template of_row<plus>(sum) * share;
        for_each_vector(own, [&](uint4 &, const number *x) {
#pragma unroll
            for (int i = 0; i < format::COUNT; i++)
                squares += (x[i] - mean) * (x[i] - mean);
        });
        squares = own.template of_row<plus>(squares);
        const number factor = inverse_root(squares * share + (number)1e-5);
        for_each_vector(own, [&](uint4 &held, number *x) {
#pragma unroll
            for (int i = 0; i < format::COUNT; i++)
                x[i] = (x[i] - mean) * factor;
            held = format::pack(x);
        });
    }
};

template <typename op, typename row, bool IS_BLOCK>
static __device__ __forceinline__ void rows(void *to, const void *from, unsigned long long n_rows,
                                            unsigned columns)
{
    const unsigned n_vectors = columns / row::format::COUNT;
    const unsigned n_threads = IS_BLOCK ? blockDim.x : 32;
    const unsigned thread = IS_BLOCK ? threadIdx.x : threadIdx.x % 32;
    const unsigned long long number = IS_BLOCK
                                          ? blockIdx.x
                                          : (unsigned long long)blockIdx.x * (blockDim.x / 32) +
                                                threadIdx.x / 32;
    if (number >= n_rows)
        return;
    const uint4 *source = (const uint4 *)from + number * n_vectors;
    uint4 *target = (uint4 *)to + number * n_vectors;
    row own;
    own.n_held = thread < n_vectors ? (n_vectors - thread + n_threads - 1) / n_threads : 0;
#pragma unroll
    for (int k = 0; k < row::HELD; k++)
        if (k < (int)own.n_held)
            own.held[k] = source[thread + k * n_threads];
    op::of(own, columns);
#pragma unroll
    for (int k = 0; k < row::HELD; k++)
        if (k < (int)own.n_held)
            target[thread + k * n_threads] = own.held[k];
}

// Rows are whole vectors: at most 8 for each thread of a warp, 4 for each of a block. The grid has
// a warp, or a block, for each row.
#define ROWS(op, format)                                                                           \
    extern "C" __global__ void op##_warp_##format(void *to, const void *from,                      \
                                                  unsigned long long n_rows, unsigned columns)     \
    {                                                                                              \
        rows<op, part_of_row<format, false, 8>, false>(to, from, n_rows, columns);                 \
    }                                                                                              \
    extern "C" __global__ void op##_block_##format(void *to, const void *from,                     \
                                                   unsigned long long n_rows, unsigned columns)    \
    {                                                                                              \
        rows<op, part_of_row<format, true, 4>, true>(to, from, n_rows, columns);                   \
    }

#define ALL(format)                                                                                \
    ROWS(softmax, format)                                                                          \
    ROWS(layernorm, format)
FOR_ALL_TYPES(ALL)
#undef ALL
