/*
 * gemm.cu - products on the ordinary cores and on the tensor cores, and a float64 reference. Plain
 * code: what is asked of it is how its sums are rounded, which is as said at each kernel.
 */

/* A is m x k, B is k x n, C is m x n and by rows; element (i, k) of A is at i a_row + k a_step, (k,
 * j) of B at k b_step + j b_column. Block z sums the products from z slice on; with a `partial` its
 * sums are left there, m x n for each z, for `finish`. */
struct product {
    const void *a, *b;
    void *c, *partial, *squares; /* the last of a reference only; may be 0 */
    unsigned long long m, n, k, a_row, a_step, b_step, b_column, slice;
    int flush; /* 1: inputs, 2: outputs below the smallest normal number become 0; 3: both */
};

/* --- types of numbers --- */

__device__ static float half_to_float(unsigned short bits)
{
    float value;
    asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(bits));
    return value;
}

__device__ static unsigned short float_to_half(float value)
{
    unsigned short bits;
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(bits) : "f"(value));
    return bits;
}

/* What is lost sets the last bit: a second rounding, to fewer digits, is then as if from the first
 * number. */
__device__ static float to_odd(double value)
{
    const float cut = __double2float_rz(value);
    return (double)cut == value || value != value ? cut : __int_as_float(__float_as_int(cut) | 1);
}

__device__ static float to_odd(float value)
{
    return value;
}

struct fp16 {
    typedef unsigned short stored;
    typedef float number;
    static constexpr double smallest = 6.103515625e-5; /* 2^-14 */
    __device__ static float load(stored x)
    {
        return half_to_float(x);
    }
    template <typename sum> __device__ static stored round(sum x)
    {
        return float_to_half(to_odd(x));
    }
};

struct bf16 {
    typedef unsigned short stored;
    typedef float number;
    static constexpr double smallest = 1.1754943508222875e-38; /* 2^-126 */
    __device__ static float load(stored x)
    {
        return __int_as_float((int)x << 16);
    }
    template <typename sum> __device__ static stored round(sum x)
    {
        const float value = to_odd(x);
        const unsigned bits = __float_as_uint(value);
        return value != value ? 0x7fc0 : (stored)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
    }
};

template <typename element> struct ordinary {
    typedef element stored;
    typedef element number;
    __device__ static element load(stored x)
    {
        return x;
    }
    template <typename sum> __device__ static stored round(sum x)
    {
        return (element)x;
    }
};

struct fp32 : ordinary<float> {
    static constexpr double smallest = 1.1754943508222875e-38; /* 2^-126 */
};

struct fp64 : ordinary<double> {
    static constexpr double smallest = 2.2250738585072014e-308; /* 2^-1022 */
};

struct e4m3 {
    typedef unsigned char stored;
    typedef float number;
    static constexpr double smallest = 0.015625; /* 2^-6 */
    __device__ static float load(stored x)
    {
        const unsigned sign = (x & 0x80u) << 24;
        const unsigned rest = x & 0x7f;
        if (rest == 0x7f)
            return __uint_as_float(sign | 0x7fc00000);
        /* The exponent's bias is 7, in fp32 127; subnormal numbers come right by the product. */
        return __uint_as_float(sign | rest << 20) * 1.329227995784916e36f; /* 2^120 */
    }
};

struct e5m2 {
    typedef unsigned char stored;
    typedef float number;
    static constexpr double smallest = 6.103515625e-5; /* 2^-14 */
    __device__ static float load(stored x)
    {
        return half_to_float((unsigned short)(x << 8));
    }
};

struct int8 {
    typedef signed char stored;
    typedef int number;
    static constexpr double smallest = 0;
    __device__ static int load(stored x)
    {
        return x;
    }
};

struct int32 : ordinary<int> {
    static constexpr double smallest = 0;
};

/* --- sums --- */

template <typename type> struct in_one_type {
    typedef type sum;
    template <typename number>
    __device__ static void step(sum &x, const number (&a)[4], const number (&b)[4])
    {
        for (int i = 0; i < 4; i++)
            x = fma((type)a[i], (type)b[i], x);
    }
    __device__ static sum add(sum x, sum y)
    {
        return x + y;
    }
};
typedef in_one_type<float> in_fp32;
typedef in_one_type<double> in_fp64;

/* Each sum is rounded to fp16. */
struct in_fp16 {
    typedef float sum;
    template <typename number>
    __device__ static void step(sum &x, const number (&a)[4], const number (&b)[4])
    {
        for (int i = 0; i < 4; i++)
            x = half_to_float(float_to_half(fmaf((float)a[i], (float)b[i], x)));
    }
    __device__ static sum add(sum x, sum y)
    {
        return half_to_float(float_to_half(x + y));
    }
};

/* Four products added in float64, the sum cut or rounded to fp32. */
template <bool is_cut> struct in_fours {
    typedef double sum;
    __device__ static sum rounded(sum x)
    {
        return (double)(is_cut ? __double2float_rz(x) : __double2float_rn(x));
    }
    template <typename number>
    __device__ static void step(sum &x, const number (&a)[4], const number (&b)[4])
    {
        for (int i = 0; i < 4; i++)
            x = fma((double)a[i], (double)b[i], x);
        x = rounded(x);
    }
    __device__ static sum add(sum x, sum y)
    {
        return rounded(x + y);
    }
};
typedef in_fours<true> in_every4;
typedef in_fours<false> in_every4_nearest;

struct in_int32 : in_one_type<int> {
    __device__ static void step(sum &x, const int (&a)[4], const int (&b)[4])
    {
        for (int i = 0; i < 4; i++)
            x += a[i] * b[i];
    }
};

/* --- what all kernels do --- */

template <typename number> __device__ static number flushed(number x, double smallest)
{
    return fabs((double)x) < smallest ? (number)0 : x;
}

template <typename input>
__device__ static typename input::number load_a(const product &p, unsigned long long row,
                                                unsigned long long k, unsigned long long end)
{
    if (row >= p.m || k >= end)
        return 0;
    const auto x = input::load(((const typename input::stored *)p.a)[row * p.a_row + k * p.a_step]);
    return (p.flush & 1) != 0 ? flushed(x, input::smallest) : x;
}

template <typename input>
__device__ static typename input::number load_b(const product &p, unsigned long long k,
                                                unsigned long long column, unsigned long long end)
{
    if (column >= p.n || k >= end)
        return 0;
    const auto x = input::load(
        ((const typename input::stored *)p.b)[k * p.b_step + column * p.b_column]);
    return (p.flush & 1) != 0 ? flushed(x, input::smallest) : x;
}

template <typename output, typename sum>
__device__ static void store(const product &p, unsigned long long i, sum value)
{
    if ((p.flush & 2) != 0)
        value = flushed(value, output::smallest);
    ((typename output::stored *)p.c)[i] = output::round(value);
}

template <typename output, typename sum>
__device__ static void store_at(const product &p, unsigned long long row, unsigned long long column,
                                sum value)
{
    if (row >= p.m || column >= p.n)
        return;
    const unsigned long long i = row * p.n + column;
    if (p.partial != nullptr)
        ((sum *)p.partial)[blockIdx.z * p.m * p.n + i] = value;
    else
        store<output>(p, i, value);
}

__device__ static unsigned long long end_of_slice(const product &p)
{
    const unsigned long long end = (blockIdx.z + 1) * p.slice;
    return end < p.k ? end : p.k;
}

/* --- ordinary cores: 16 x 16 outputs a block, one thread each, one product after the other --- */

enum { TILE = 16, STEP = 4 };

template <typename input, typename mode, typename output>
inline __device__ void multiply(const product &p)
{
    __shared__ typename input::number left[TILE][TILE + 1];
    __shared__ typename input::number right[TILE][TILE + 1];
    const unsigned x = threadIdx.x;
    const unsigned y = threadIdx.y;
    const unsigned long long row = blockIdx.y * TILE + y;
    const unsigned long long column = (unsigned long long)blockIdx.x * TILE + x;
    const unsigned long long end = end_of_slice(p);
    typename mode::sum sum = 0;
    for (unsigned long long k = blockIdx.z * p.slice; k < end; k += TILE) {
        left[y][x] = load_a<input>(p, row, k + x, end);
        right[y][x] = load_b<input>(p, k + y, column, end);
        __syncthreads();
        for (int i = 0; i < TILE; i += STEP) {
            typename input::number a[STEP];
            typename input::number b[STEP];
            for (int j = 0; j < STEP; j++) {
                a[j] = left[y][i + j];
                b[j] = right[i + j][x];
            }
            mode::step(sum, a, b);
        }
        __syncthreads();
    }
    store_at<output>(p, row, column, sum);
}

#define MULTIPLY(input, mode, output)                                                              \
    extern "C" __global__ void cuda_##input##_##mode(product p)                                    \
    {                                                                                              \
        multiply<input, in_##mode, output>(p);                                                     \
    }
#define MULTIPLY_FLOATS(input, output)                                                             \
    MULTIPLY(input, fp32, output)                                                                  \
    MULTIPLY(input, fp64, output)                                                                  \
    MULTIPLY(input, every4, output)                                                                \
    MULTIPLY(input, every4_nearest, output)
MULTIPLY_FLOATS(fp16, fp16)
MULTIPLY(fp16, fp16, fp16)
MULTIPLY_FLOATS(bf16, bf16)
MULTIPLY_FLOATS(fp32, fp32)
MULTIPLY(fp64, fp64, fp64)
MULTIPLY_FLOATS(e4m3, fp32)
MULTIPLY_FLOATS(e5m2, fp32)
MULTIPLY(int8, int32, int32)

/* --- sums of slices, one after the other --- */

#define FINISH(mode, output)                                                                       \
    extern "C" __global__ void finish_##mode##_##output(product p, unsigned n_slices)              \
    {                                                                                              \
        const unsigned long long i = (unsigned long long)blockIdx.x * blockDim.x + threadIdx.x;    \
        const unsigned long long size = p.m * p.n;                                                 \
        if (i >= size)                                                                             \
            return;                                                                                \
        in_##mode::sum sum = 0;                                                                    \
        for (unsigned z = 0; z < n_slices; z++)                                                    \
            sum = in_##mode::add(sum, ((const in_##mode::sum *)p.partial)[z * size + i]);          \
        store<output>(p, i, sum);                                                                  \
    }
#define FINISH_FLOATS(output)                                                                      \
    FINISH(fp32, output)                                                                           \
    FINISH(fp64, output)                                                                           \
    FINISH(every4, output)                                                                         \
    FINISH(every4_nearest, output)
FINISH_FLOATS(fp16)
FINISH_FLOATS(bf16)
FINISH_FLOATS(fp32)
FINISH(fp64, fp64)
FINISH(fp16, fp16)
FINISH(int32, int32)

/* --- the reference: sums and sums of magnitudes in float64, one product after the other; those of
 * squares in floats within a tile, for which 1e-8 to 1e8 is no range to leave --- */

template <typename input>
inline __device__ void refer(const product &p, double *sums, double *magnitudes, double *squares)
{
    __shared__ double left[TILE][TILE + 1];
    __shared__ double right[TILE][TILE + 1];
    __shared__ float left_squares[TILE][TILE + 1];
    __shared__ float right_squares[TILE][TILE + 1];
    const unsigned x = threadIdx.x;
    const unsigned y = threadIdx.y;
    const unsigned long long row = blockIdx.y * TILE + y;
    const unsigned long long column = (unsigned long long)blockIdx.x * TILE + x;
    double sum = 0;
    double magnitude = 0;
    double square = 0;
    for (unsigned long long k = 0; k < p.k; k += TILE) {
        const double a = (double)load_a<input>(p, row, k + x, p.k);
        const double b = (double)load_b<input>(p, k + y, column, p.k);
        float of_tile = 0;
        left[y][x] = a;
        right[y][x] = b;
        left_squares[y][x] = (float)(a * a);
        right_squares[y][x] = (float)(b * b);
        __syncthreads();
        for (int i = 0; i < TILE; i++) {
            sum = fma(left[y][i], right[i][x], sum);
            magnitude = fma(fabs(left[y][i]), fabs(right[i][x]), magnitude);
            of_tile = fmaf(left_squares[y][i], right_squares[i][x], of_tile);
        }
        square += (double)of_tile;
        __syncthreads();
    }
    if (row >= p.m || column >= p.n)
        return;
    sums[row * p.n + column] = sum;
    magnitudes[row * p.n + column] = magnitude;
    if (squares)
        squares[row * p.n + column] = square;
}

#define REFER(input)                                                                               \
    extern "C" __global__ void reference_##input(product p)                                        \
    {                                                                                              \
        refer<input>(p, (double *)p.c, (double *)p.partial, (double *)p.squares);                  \
    }
REFER(fp16)
REFER(bf16)
REFER(fp32)
REFER(fp64)
REFER(e4m3)
REFER(e5m2)
REFER(int8)

/* --- tensor cores: 64 x 64 outputs a block of four warps, which have 32 x 32 each ---
 *
 * An instruction takes 32 bytes of 16 rows of A and of 8 columns of B; as words, what a thread
 * gives is the same for every type (PTX ISA, "Matrix Fragments for mma.m16n8k8/k16/k32"). */

enum { MMA_TILE = 64, MMA_WORDS = 8, MMA_PITCH = 12, MMA_THREADS = 128 };

#if __CUDA_ARCH__ >= 800
#define MMA(words, constraint)                                                                     \
    asm("mma.sync.aligned." words " {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"         \
        : constraint(c[0]), constraint(c[1]), constraint(c[2]), constraint(c[3])                   \
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]))
#else
#define MMA(words, constraint) ((void)a, (void)b, (void)c)
#endif

#define MMA_STEP(name, type, number, words, constraint)                                            \
    struct mma_##name {                                                                            \
        typedef type stored;                                                                       \
        typedef number sum;                                                                        \
        typedef number part;                                                                       \
        enum { PARTS = 4 };                                                                        \
        __device__ static void step(part *c, const unsigned *a, const unsigned *b)                 \
        {                                                                                          \
            MMA(words, constraint);                                                                \
        }                                                                                          \
        __device__ static sum at(const part *c, int i)                                             \
        {                                                                                          \
            return c[i];                                                                           \
        }                                                                                          \
    };
MMA_STEP(fp16_fp32, unsigned short, float, "m16n8k16.row.col.f32.f16.f16.f32", "+f")
MMA_STEP(bf16_fp32, unsigned short, float, "m16n8k16.row.col.f32.bf16.bf16.f32", "+f")
MMA_STEP(tf32_fp32, unsigned, float, "m16n8k8.row.col.f32.tf32.tf32.f32", "+f")
MMA_STEP(int8_int32, unsigned char, int, "m16n8k32.row.col.s32.s8.s8.s32", "+r")
#if __CUDA_ARCH__ < 890
#undef MMA
#define MMA(words, constraint) ((void)a, (void)b, (void)c)
#endif
MMA_STEP(e4m3_fp32, unsigned char, float, "m16n8k32.row.col.f32.e4m3.e4m3.f32", "+f")
MMA_STEP(e5m2_fp32, unsigned char, float, "m16n8k32.row.col.f32.e5m2.e5m2.f32", "+f")

/* Two sums in a word. */
struct mma_fp16_fp16 {
    typedef unsigned short stored;
    typedef float sum;
    typedef unsigned part;
    enum { PARTS = 2 };
    __device__ static void step(part *c, const unsigned *a, const unsigned *b)
    {
#if __CUDA_ARCH__ >= 800
        asm("mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%0,%1}, {%2,%3,%4,%5}, {%6,%7}, "
            "{%0,%1};"
            : "+r"(c[0]), "+r"(c[1])
            : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
#endif
    }
    __device__ static sum at(const part *c, int i)
    {
        return half_to_float((unsigned short)(c[i / 2] >> 16 * (i % 2)));
    }
};

/* 64 lines of 32 bytes each; neighbouring threads read neighbouring elements. */
template <typename stored>
__device__ static void load_lines(unsigned (*lines)[MMA_PITCH], const stored *matrix,
                                  unsigned long long first, unsigned long long n_lines,
                                  unsigned long long line_step, unsigned long long k,
                                  unsigned long long end, unsigned long long k_step)
{
    const unsigned length = MMA_WORDS * sizeof(unsigned) / sizeof(stored);
    const unsigned size = MMA_TILE * length;
    for (unsigned i = threadIdx.x; i < size; i += MMA_THREADS) {
        const unsigned line = k_step == 1 ? i / length : i % MMA_TILE;
        const unsigned at = k_step == 1 ? i % length : i / MMA_TILE;
        const bool is_inside = first + line < n_lines && k + at < end;
        ((stored *)lines[line])[at] = is_inside
                                          ? matrix[(first + line) * line_step + (k + at) * k_step]
                                          : (stored)0;
    }
}

template <typename mma, typename output> inline __device__ void multiply_mma(const product &p)
{
    __shared__ unsigned left[MMA_TILE][MMA_PITCH];
    __shared__ unsigned right[MMA_TILE][MMA_PITCH];
    typedef typename mma::stored stored;
    const unsigned length = MMA_WORDS * sizeof(unsigned) / sizeof(stored);
    const unsigned warp = threadIdx.x / 32;
    const unsigned group = threadIdx.x % 32 / 4;
    const unsigned thread = threadIdx.x % 4;
    const unsigned top = warp / 2 * 32;
    const unsigned side = warp % 2 * 32;
    const unsigned long long row = (unsigned long long)blockIdx.y * MMA_TILE;
    const unsigned long long column = (unsigned long long)blockIdx.x * MMA_TILE;
    const unsigned long long end = end_of_slice(p);
    typename mma::part c[2][4][mma::PARTS] = {};
    for (unsigned long long k = blockIdx.z * p.slice; k < end; k += length) {
        load_lines(left, (const stored *)p.a, row, p.m, p.a_row, k, end, p.a_step);
        load_lines(right, (const stored *)p.b, column, p.n, p.b_column, k, end, p.b_step);
        __syncthreads();
#pragma unroll
        for (int i = 0; i < 2; i++) {
            const unsigned line = top + i * 16 + group;
            const unsigned a[4] = {left[line][thread], left[line + 8][thread],
                                   left[line][thread + 4], left[line + 8][thread + 4]};
#pragma unroll
            for (int j = 0; j < 4; j++) {
                const unsigned b[2] = {right[side + j * 8 + group][thread],
                                       right[side + j * 8 + group][thread + 4]};
                mma::step(c[i][j], a, b);
            }
        }
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < 2; i++) {
#pragma unroll
        for (int j = 0; j < 4; j++) {
#pragma unroll
            for (int part = 0; part < 4; part++)
                store_at<output>(p, row + top + i * 16 + group + part / 2 * 8,
                                 column + side + j * 8 + thread * 2 + part % 2,
                                 mma::at(c[i][j], part));
        }
    }
}

#define MULTIPLY_MMA(input, mode, output)                                                          \
    extern "C" __global__ void tensor_##input##_##mode(product p)                                  \
    {                                                                                              \
        multiply_mma<mma_##input##_##mode, output>(p);                                             \
    }
MULTIPLY_MMA(fp16, fp32, fp16)
MULTIPLY_MMA(fp16, fp16, fp16)
MULTIPLY_MMA(bf16, fp32, bf16)
MULTIPLY_MMA(tf32, fp32, fp32)
MULTIPLY_MMA(int8, int32, int32)
MULTIPLY_MMA(e4m3, fp32, fp32)
MULTIPLY_MMA(e5m2, fp32, fp32)

/* float64: 32 x 32 outputs a block of four warps, by instructions of 8 x 8 and four products. */
extern "C" __global__ void tensor_fp64_fp64(product p)
{
    enum { SIZE = 32, DEPTH = 4 };
    __shared__ double left[SIZE][DEPTH + 1];
    __shared__ double right[SIZE][DEPTH + 1];
    const unsigned warp = threadIdx.x / 32;
    const unsigned group = threadIdx.x % 32 / 4;
    const unsigned thread = threadIdx.x % 4;
    const unsigned top = warp / 2 * 16;
    const unsigned side = warp % 2 * 16;
    const unsigned long long row = (unsigned long long)blockIdx.y * SIZE;
    const unsigned long long column = (unsigned long long)blockIdx.x * SIZE;
    const unsigned long long end = end_of_slice(p);
    double c[2][2][2] = {};
    for (unsigned long long k = blockIdx.z * p.slice; k < end; k += DEPTH) {
        const unsigned line = threadIdx.x / DEPTH;
        const unsigned at = threadIdx.x % DEPTH;
        left[line][at] = load_a<fp64>(p, row + line, k + at, end);
        right[line][at] = load_b<fp64>(p, k + at, column + line, end);
        __syncthreads();
        for (int i = 0; i < 2; i++) {
            for (int j = 0; j < 2; j++) {
#if __CUDA_ARCH__ >= 800
                asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%2}, {%3}, {%0,%1};"
                    : "+d"(c[i][j][0]), "+d"(c[i][j][1])
                    : "d"(left[top + i * 8 + group][thread]),
                      "d"(right[side + j * 8 + group][thread]));
#else
                (void)left[top][0], (void)right[side][0];
#endif
            }
        }
        __syncthreads();
    }
    for (int i = 0; i < 2; i++) {
        for (int j = 0; j < 2; j++) {
            for (int part = 0; part < 2; part++)
                store_at<fp64>(p, row + top + i * 8 + group,
                               column + side + j * 8 + thread * 2 + part, c[i][j][part]);
        }
    }
}
