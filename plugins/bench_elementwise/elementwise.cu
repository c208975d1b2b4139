// elementwise.cu - the kernels of the benchmark `elementwise`, for each type of elements. Plugin
// side.
//
// Taken by nvcc and by NVRTC: nothing is included. Memory is read and written 16 bytes at a time,
// each of them once, with several loads of a thread under way together. Halves are computed with as
// float.

// --- types of elements ---

static __device__ __forceinline__ float half_to_float(unsigned short bits)
{
    float value;
    asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(bits));
    return value;
}

static __device__ __forceinline__ unsigned short float_to_half(float value)
{
    unsigned short bits;
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(bits) : "f"(value));
    return bits;
}

static __device__ __forceinline__ unsigned short float_to_brain(float value)
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    unsigned short bits;
    asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(bits) : "f"(value));
    return bits;
#else
    const unsigned word = __float_as_uint(value);
    return (unsigned short)((word + 0x7fff + (word >> 16 & 1)) >> 16);
#endif
}

// COUNT elements are 16 bytes; IS_WIDE: numbers are stored without loss.
struct fp32 {
    typedef float stored;
    typedef float number;
    static const int COUNT = 4;
    static const bool IS_WIDE = true;
    static __device__ __forceinline__ float load(float x)
    {
        return x;
    }
    static __device__ __forceinline__ float round(float x)
    {
        return x;
    }
    static __device__ __forceinline__ void unpack(uint4 v, float *x)
    {
        x[0] = __uint_as_float(v.x);
        x[1] = __uint_as_float(v.y);
        x[2] = __uint_as_float(v.z);
        x[3] = __uint_as_float(v.w);
    }
    static __device__ __forceinline__ uint4 pack(const float *x)
    {
        return make_uint4(__float_as_uint(x[0]), __float_as_uint(x[1]), __float_as_uint(x[2]),
                          __float_as_uint(x[3]));
    }
};

// Two elements of 16 bits in a word, the first in its low half.
template <typename format> static __device__ __forceinline__ void unpack_pairs(uint4 v, float *x)
{
    const unsigned words[4] = {v.x, v.y, v.z, v.w};
#pragma unroll
    for (int i = 0; i < 4; i++) {
        x[2 * i] = format::load((unsigned short)words[i]);
        x[2 * i + 1] = format::load((unsigned short)(words[i] >> 16));
    }
}

template <typename format> static __device__ __forceinline__ unsigned pair_of(float low, float high)
{
    return format::round(low) | (unsigned)format::round(high) << 16;
}

template <typename format> static __device__ __forceinline__ uint4 pack_pairs(const float *x)
{
    return make_uint4(pair_of<format>(x[0], x[1]), pair_of<format>(x[2], x[3]),
                      pair_of<format>(x[4], x[5]), pair_of<format>(x[6], x[7]));
}

struct fp16 {
    typedef unsigned short stored;
    typedef float number;
    static const int COUNT = 8;
    static const bool IS_WIDE = false;
    static __device__ __forceinline__ float load(unsigned short x)
    {
        return half_to_float(x);
    }
    static __device__ __forceinline__ unsigned short round(float x)
    {
        return float_to_half(x);
    }
    static __device__ __forceinline__ void unpack(uint4 v, float *x)
    {
        unpack_pairs<fp16>(v, x);
    }
    static __device__ __forceinline__ uint4 pack(const float *x)
    {
        return pack_pairs<fp16>(x);
    }
};

struct bf16 {
    typedef unsigned short stored;
    typedef float number;
    static const int COUNT = 8;
    static const bool IS_WIDE = false;
    static __device__ __forceinline__ float load(unsigned short x)
    {
        return __uint_as_float((unsigned)x << 16);
    }
    static __device__ __forceinline__ unsigned short round(float x)
    {
        return float_to_brain(x);
    }
    static __device__ __forceinline__ void unpack(uint4 v, float *x)
    {
        unpack_pairs<bf16>(v, x);
    }
    static __device__ __forceinline__ uint4 pack(const float *x)
    {
        return pack_pairs<bf16>(x);
    }
};

struct fp64 {
    typedef double stored;
    typedef double number;
    static const int COUNT = 2;
    static const bool IS_WIDE = true;
    static __device__ __forceinline__ double load(double x)
    {
        return x;
    }
    static __device__ __forceinline__ double round(double x)
    {
        return x;
    }
    static __device__ __forceinline__ void unpack(uint4 v, double *x)
    {
        x[0] = __hiloint2double((int)v.y, (int)v.x);
        x[1] = __hiloint2double((int)v.w, (int)v.z);
    }
    static __device__ __forceinline__ uint4 pack(const double *x)
    {
        return make_uint4((unsigned)__double2loint(x[0]), (unsigned)__double2hiint(x[0]),
                          (unsigned)__double2loint(x[1]), (unsigned)__double2hiint(x[1]));
    }
};

// --- functions of numbers; constants as in reference.h ---

// As a power of 2, which the hardware has.
static __device__ __forceinline__ float exponential(float x)
{
    return exp2f(x * 1.4426950408889634f);
}

static __device__ __forceinline__ double exponential(double x)
{
    return exp(x);
}

static __device__ __forceinline__ float quotient(float a, float b)
{
    return __fdividef(a, b);
}

static __device__ __forceinline__ double quotient(double a, double b)
{
    return a / b;
}

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

// --- one element each ---

struct scale {
    static const int INPUTS = 1;
    template <typename number> static __device__ __forceinline__ number of(number x, number)
    {
        return (number)3 * x;
    }
};

struct add {
    static const int INPUTS = 2;
    template <typename number> static __device__ __forceinline__ number of(number x, number y)
    {
        return x + y;
    }
};

struct triad {
    static const int INPUTS = 2;
    template <typename number> static __device__ __forceinline__ number of(number x, number y)
    {
        return x + (number)3 * y;
    }
};

struct gelu {
    static const int INPUTS = 1;
    template <typename number> static __device__ __forceinline__ number of(number x, number)
    {
        const number linear = (number)-1.5957691216057308;
        const number cubic = (number)(-1.5957691216057308 * 0.044715);
        return quotient(x, (number)1 + exponential(x * (linear + cubic * (x * x))));
    }
};

template <typename format, typename op> struct each {
    typedef typename format::number number;
    typedef typename format::stored stored;
    static const int INPUTS = op::INPUTS;
    static __device__ __forceinline__ uint4 of_vector(uint4 a, uint4 b)
    {
        number x[format::COUNT];
        number y[format::COUNT];
        format::unpack(a, x);
        format::unpack(b, y);
#pragma unroll
        for (int i = 0; i < format::COUNT; i++)
            x[i] = op::of(x[i], y[i]);
        return format::pack(x);
    }
    static __device__ __forceinline__ stored of_element(stored a, stored b)
    {
        return format::round(op::of(format::load(a), format::load(b)));
    }
};

struct itself {
};
template <typename format> struct each<format, itself> {
    typedef typename format::stored stored;
    static const int INPUTS = 1;
    static __device__ __forceinline__ uint4 of_vector(uint4 a, uint4)
    {
        return a;
    }
    static __device__ __forceinline__ stored of_element(stored a, stored)
    {
        return a;
    }
};

// N vectors of each input a thread, all loaded before the first is stored. Neighbouring threads
// have neighbouring vectors.
template <typename each, int N>
static __device__ __forceinline__ void
map_vectors(uint4 *__restrict__ to, const uint4 *__restrict__ a, const uint4 *__restrict__ b,
            unsigned long long n)
{
    const unsigned long long first = (unsigned long long)blockIdx.x * blockDim.x * N + threadIdx.x;
    if (first + (unsigned long long)(N - 1) * blockDim.x < n) {
        uint4 x[N];
        uint4 y[N];
#pragma unroll
        for (int i = 0; i < N; i++) {
            x[i] = a[first + i * blockDim.x];
            y[i] = each::INPUTS == 2 ? b[first + i * blockDim.x] : x[i];
        }
#pragma unroll
        for (int i = 0; i < N; i++)
            to[first + i * blockDim.x] = each::of_vector(x[i], y[i]);
        return;
    }
    for (unsigned long long i = first; i < n; i += blockDim.x)
        to[i] = each::of_vector(a[i], each::INPUTS == 2 ? b[i] : a[i]);
}

// The elements that are left over by whole vectors, fewer than one, are the first block's.
template <typename format, typename op>
static __device__ __forceinline__ void map(void *to, const void *a, const void *b,
                                           unsigned long long n, unsigned per_thread)
{
    typedef each<format, op> each;
    typedef typename format::stored stored;
    const unsigned long long n_vectors = n / format::COUNT;
    const unsigned long long left = n_vectors * format::COUNT + threadIdx.x;
    if (per_thread == 1)
        map_vectors<each, 1>((uint4 *)to, (const uint4 *)a, (const uint4 *)b, n_vectors);
    else
        map_vectors<each, 4 / each::INPUTS>((uint4 *)to, (const uint4 *)a, (const uint4 *)b,
                                            n_vectors);
    if (blockIdx.x == 0 && left < n)
        ((stored *)to)[left] = each::of_element(
            ((const stored *)a)[left], ((const stored *)(each::INPUTS == 2 ? b : a))[left]);
}

// per_thread is 1, or 4 over the number of inputs; the grid has as many threads as that needs, at
// least one block. Blocks are whole warps.
#define MAP(name, op, format)                                                                      \
    extern "C" __global__ void name##_##format(void *to, const void *a, const void *b,             \
                                               unsigned long long n, unsigned per_thread)          \
    {                                                                                              \
        map<format, op>(to, a, b, n, per_thread);                                                  \
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
static __device__ __forceinline__ number of_block(number value)
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

// --- a sum ---

template <typename format>
static __device__ __forceinline__ typename format::number sum_of_vector(uint4 v)
{
    typename format::number x[format::COUNT];
    format::unpack(v, x);
#pragma unroll
    for (int i = 1; i < format::COUNT; i *= 2)
#pragma unroll
        for (int j = 0; j + i < format::COUNT; j += 2 * i)
            x[j] += x[j + i];
    return x[0];
}

// The sum of the warp's first n threads, in its first. No thread adds but those whose sum is of
// use: additions are one fewer than n.
template <typename number>
static __device__ __forceinline__ number sum_down_warp(number sum, unsigned n)
{
    const unsigned lane = threadIdx.x % 32;
#pragma unroll
    for (unsigned i = 16; i > 0; i /= 2) {
        const number other = __shfl_down_sync(0xffffffffu, sum, i);
        if (lane < i && lane + i < n)
            sum += other;
    }
    return sum;
}

// The sum of the block, in its first thread. All threads call it, with a barrier between two calls.
template <typename number> static __device__ __forceinline__ number sum_down_block(number sum)
{
    __shared__ number of_warps[32];
    const unsigned n_warps = blockDim.x / 32;
    sum = sum_down_warp(sum, 32);
    if (threadIdx.x % 32 == 0)
        of_warps[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x < n_warps)
        sum = of_warps[threadIdx.x];
    return threadIdx.x < 32 ? sum_down_warp(sum, n_warps) : sum;
}

// Blocks go from tile to tile, which are 4 vectors for each thread, under way together. Of a tile
// that is not whole a thread has 3 at most. There are no more than 2^31 vectors.
template <typename format>
static __device__ __forceinline__ typename format::number sum_of_thread(const void *from,
                                                                        unsigned long long n)
{
    const unsigned n_vectors = (unsigned)(n / format::COUNT);
    const unsigned tile = 4 * blockDim.x;
    const uint4 *vectors = (const uint4 *)from;
    unsigned i = blockIdx.x * tile + threadIdx.x;
    typename format::number sum = 0;
    if (blockIdx.x == 0 && threadIdx.x < n % format::COUNT)
        sum = format::load(((const typename format::stored *)from)[n - 1 - threadIdx.x]);
    for (; i + 3 * blockDim.x < n_vectors; i += gridDim.x * tile) {
        uint4 held[4];
#pragma unroll
        for (int k = 0; k < 4; k++)
            held[k] = __ldcg(&vectors[i + k * blockDim.x]);
        sum += (sum_of_vector<format>(held[0]) + sum_of_vector<format>(held[1])) +
               (sum_of_vector<format>(held[2]) + sum_of_vector<format>(held[3]));
    }
    for (; i < n_vectors; i += blockDim.x)
        sum += sum_of_vector<format>(__ldcg(&vectors[i]));
    return sum;
}

// True in the block that comes here last, which then sees what the first threads of the others have
// stored before. The ticket is 0, and is so again when all blocks have come.
static __device__ __forceinline__ bool comes_last(unsigned *ticket)
{
    __shared__ bool is_last;
    if (threadIdx.x == 0) {
        __threadfence();
        is_last = atomicInc(ticket, gridDim.x - 1) == gridDim.x - 1;
        if (is_last)
            __threadfence();
    }
    __syncthreads();
    return is_last;
}

// The sum of what all blocks have left, in the first thread of the one that calls it. It is not
// read from the first cache, which need not have what other multiprocessors have stored.
template <typename number>
static __device__ __forceinline__ number sum_of_blocks(const number *partial)
{
    number sum = 0;
    for (unsigned first = threadIdx.x; first < gridDim.x; first += 8 * blockDim.x) {
        number held[8];
#pragma unroll
        for (int k = 0; k < 8; k++)
            held[k] = __ldcg(&partial[min(first + k * blockDim.x, gridDim.x - 1)]);
#pragma unroll
        for (int k = 0; k < 8; k++)
            sum += first + k * blockDim.x < gridDim.x ? held[k] : (number)0;
    }
    return sum_down_block(sum);
}

// Each block leaves its sum in partial; the last adds them in the order of their numbers, so that
// what is added to what is a matter of the grid alone.
template <typename format>
static __device__ __forceinline__ void sum_all(void *to, const void *from, unsigned long long n,
                                               typename format::number *partial, unsigned *ticket)
{
    typename format::number sum = sum_down_block(sum_of_thread<format>(from, n));
    if (threadIdx.x == 0)
        __stcg(&partial[blockIdx.x], sum);
    if (!comes_last(ticket))
        return;
    sum = sum_of_blocks(partial);
    if (threadIdx.x == 0)
        *(typename format::number *)to = sum;
}

// Two blocks of any size have registers on a multiprocessor of 2048 threads, which are those whose
// architecture's second digit is 0, from Ampere on: all of its threads are in use.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800 && __CUDA_ARCH__ % 100 == 0
#define SUM_BOUNDS __launch_bounds__(1024, 2)
#else
#define SUM_BOUNDS __launch_bounds__(1024)
#endif

// partial has a number for each block.
#define SUM(format)                                                                                \
    extern "C" __global__ void SUM_BOUNDS sum_##format(                                            \
        void *to, const void *from, unsigned long long n, void *partial, unsigned *ticket)         \
    {                                                                                              \
        sum_all<format>(to, from, n, (format::number *)partial, ticket);                           \
    }

#define ALL(format)                                                                                \
    MAP(copy, itself, format)                                                                      \
    MAP(scale, scale, format)                                                                      \
    MAP(add, add, format)                                                                          \
    MAP(triad, triad, format)                                                                      \
    MAP(gelu, gelu, format)                                                                        \
    ROWS(softmax, format)                                                                          \
    ROWS(layernorm, format)                                                                        \
    SUM(format)

ALL(fp32)
ALL(fp16)
ALL(bf16)
ALL(fp64)
