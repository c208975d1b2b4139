// ceilings.cu - the kernels of the benchmark `ceilings`. Plugin side.
//
// Taken by nvcc and by NVRTC: nothing is included. What stands in memory, and in what order threads
// go through it, is known to ceilings_cuda.c, which checks the results.

enum { THREADS = 256, SLOTS = 1024 };

// So many blocks of THREADS that all of a multiprocessor's threads are in use: 2048 where the
// architecture's second digit is 0, from Ampere on.
#ifdef __CUDA_ARCH__
enum { BLOCKS = __CUDA_ARCH__ >= 800 && __CUDA_ARCH__ % 100 == 0 ? 8 : 4 };
#else
enum { BLOCKS = 4 };
#endif

static const unsigned WORD_FACTOR = 0x9e3779b1u;
static const unsigned WRITTEN_WORD = 0xc3a5c85cu;

// --- what stands in memory ---

extern "C" __global__ void fill_words(unsigned *to, unsigned long long n)
{
    const unsigned long long stride = (unsigned long long)gridDim.x * blockDim.x;
    for (unsigned long long i = (unsigned long long)blockIdx.x * blockDim.x + threadIdx.x; i < n;
         i += stride)
        to[i] = (unsigned)i * WORD_FACTOR;
}

// 20 bits with a sign, so that b + 3 c is exact.
static __device__ float number_at(unsigned long long i, unsigned which)
{
    return (float)((int)((unsigned)(i + which) * WORD_FACTOR) >> 12);
}

extern "C" __global__ void fill_numbers(float *to, unsigned long long n, unsigned which)
{
    const unsigned long long stride = (unsigned long long)gridDim.x * blockDim.x;
    for (unsigned long long i = (unsigned long long)blockIdx.x * blockDim.x + threadIdx.x; i < n;
         i += stride)
        to[i] = number_at(i, which);
}

// --- memory and its cache: neither loads nor stores are kept in the first cache ---

static __device__ __forceinline__ uint4 load(const uint4 *at)
{
    uint4 v;
    asm volatile("ld.global.cg.v4.u32 {%0,%1,%2,%3}, [%4];"
                 : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
                 : "l"(at));
    return v;
}

static __device__ __forceinline__ void store(uint4 *at, uint4 v)
{
    asm volatile("st.global.cg.v4.u32 [%0], {%1,%2,%3,%4};"
                 :
                 : "l"(at), "r"(v.x), "r"(v.y), "r"(v.z), "r"(v.w)
                 : "memory");
}

static __device__ __forceinline__ unsigned sum_of(uint4 v)
{
    return v.x + v.y + v.z + v.w;
}

static __device__ __forceinline__ unsigned scaled_sum(unsigned b, unsigned c)
{
    return __float_as_uint(fmaf(3.0f, __uint_as_float(c), __uint_as_float(b)));
}

static __device__ __forceinline__ uint4 triad_of(uint4 b, uint4 c)
{
    return make_uint4(scaled_sum(b.x, c.x), scaled_sum(b.y, c.y), scaled_sum(b.z, c.z),
                      scaled_sum(b.w, c.w));
}

// The sum of all threads' sums, in thread 0.
inline __device__ unsigned sum_of_block(unsigned sum)
{
    __shared__ unsigned sums[32];
    for (int i = 16; i > 0; i /= 2)
        sum += __shfl_down_sync(0xffffffffu, sum, i);
    if (threadIdx.x % 32 == 0)
        sums[threadIdx.x / 32] = sum;
    __syncthreads();
    sum = 0;
    for (unsigned i = 0; i < blockDim.x / 32; i++)
        sum += sums[i];
    return sum;
}

// A block goes from tile to tile, n_uses of them all in all; `step` is the number of blocks modulo
// that of tiles. A tile is N vectors for each thread, which are under way together.
#define FOR_EACH_TILE                                                                              \
    unsigned tile = blockIdx.x % n_tiles;                                                          \
    for (unsigned long long use = blockIdx.x; use < n_uses;                                        \
         use += gridDim.x, tile = tile + step >= n_tiles ? tile + step - n_tiles : tile + step)

static __device__ __forceinline__ unsigned long long first_vector(unsigned tile, int n)
{
    return (unsigned long long)tile * THREADS * n + threadIdx.x;
}

template <int N>
static __device__ __forceinline__ void load_tile(uint4 (&held)[N], const uint4 *from)
{
#pragma unroll
    for (int i = 0; i < N; i++)
        held[i] = load(from + i * THREADS);
}

template <int N>
static __device__ __forceinline__ void read_tiles(const uint4 *from, unsigned n_tiles,
                                                  unsigned step, unsigned long long n_uses,
                                                  unsigned *sums)
{
    unsigned sum = 0;
    FOR_EACH_TILE
    {
        uint4 held[N];
        load_tile(held, from + first_vector(tile, N));
#pragma unroll
        for (int i = 0; i < N; i++)
            sum += sum_of(held[i]);
    }
    sum = sum_of_block(sum);
    if (threadIdx.x == 0)
        sums[blockIdx.x] = sum;
}

template <int N>
static __device__ __forceinline__ void write_tiles(uint4 *to, unsigned n_tiles, unsigned step,
                                                   unsigned long long n_uses)
{
    FOR_EACH_TILE
    {
        uint4 *at = to + first_vector(tile, N);
#pragma unroll
        for (int i = 0; i < N; i++)
            store(at + i * THREADS,
                  make_uint4(WRITTEN_WORD, WRITTEN_WORD, WRITTEN_WORD, WRITTEN_WORD));
    }
}

template <int N>
static __device__ __forceinline__ void copy_tiles(uint4 *to, const uint4 *from, unsigned n_tiles,
                                                  unsigned step, unsigned long long n_uses)
{
    FOR_EACH_TILE
    {
        const unsigned long long first = first_vector(tile, N);
        uint4 held[N];
        load_tile(held, from + first);
#pragma unroll
        for (int i = 0; i < N; i++)
            store(to + first + i * THREADS, held[i]);
    }
}

template <int N>
static __device__ __forceinline__ void triad_tiles(uint4 *to, const uint4 *b, const uint4 *c,
                                                   unsigned n_tiles, unsigned step,
                                                   unsigned long long n_uses)
{
    FOR_EACH_TILE
    {
        const unsigned long long first = first_vector(tile, N);
        uint4 left[N];
        uint4 right[N];
        load_tile(left, b + first);
        load_tile(right, c + first);
#pragma unroll
        for (int i = 0; i < N; i++)
            store(to + first + i * THREADS, triad_of(left[i], right[i]));
    }
}

// Memory is written fastest by blocks of one vector for each thread, which end and make room in no
// order; a cache is gone through by blocks that stay and have more under way. cuda_memory.c knows
// how many vectors there are.
#define GLOBAL(name, ...)                                                                          \
    extern "C" __global__ void __launch_bounds__(THREADS, BLOCKS)                                  \
        name(uint4 *to, const uint4 *b, const uint4 *c, unsigned n_tiles, unsigned step,           \
             unsigned long long n_uses, unsigned *sums)                                            \
    {                                                                                              \
        __VA_ARGS__;                                                                               \
    }

GLOBAL(memory_read, read_tiles<4>(b, n_tiles, step, n_uses, sums))
GLOBAL(memory_write, write_tiles<1>(to, n_tiles, step, n_uses))
GLOBAL(memory_copy, copy_tiles<1>(to, b, n_tiles, step, n_uses))
GLOBAL(memory_triad, triad_tiles<1>(to, b, c, n_tiles, step, n_uses))
GLOBAL(cache_read, read_tiles<4>(b, n_tiles, step, n_uses, sums))
GLOBAL(cache_write, write_tiles<4>(to, n_tiles, step, n_uses))
GLOBAL(cache_copy, copy_tiles<4>(to, b, n_tiles, step, n_uses))
GLOBAL(cache_triad, triad_tiles<2>(to, b, c, n_tiles, step, n_uses))

// --- shared memory: one block of SLOTS threads each multiprocessor, arrays of SLOTS vectors ---
//
// With each pass a thread moves on by a warp's width, so that no access is that of the pass before.

static __device__ __forceinline__ uint4 load_shared(unsigned at)
{
    uint4 v;
    asm volatile("ld.volatile.shared.v4.u32 {%0,%1,%2,%3}, [%4];"
                 : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
                 : "r"(at)
                 : "memory");
    return v;
}

static __device__ __forceinline__ void store_shared(unsigned at, uint4 v)
{
    asm volatile("st.volatile.shared.v4.u32 [%0], {%1,%2,%3,%4};"
                 :
                 : "r"(at), "r"(v.x), "r"(v.y), "r"(v.z), "r"(v.w)
                 : "memory");
}

enum { VECTOR = sizeof(uint4), ARRAY = SLOTS * VECTOR };

#define FOR_EACH_PASS                                                                              \
    unsigned offset = threadIdx.x * VECTOR;                                                        \
    _Pragma("unroll 8") for (unsigned pass = 0; pass < n_passes;                                   \
                             pass++, offset = (offset + 32 * VECTOR) % ARRAY)

static __device__ unsigned address_of(const uint4 *memory)
{
    return (unsigned)__cvta_generic_to_shared(memory);
}

static __device__ uint4 words_at(unsigned i)
{
    return make_uint4(i * WORD_FACTOR, (i + 1) * WORD_FACTOR, (i + 2) * WORD_FACTOR,
                      (i + 3) * WORD_FACTOR);
}

static __device__ uint4 numbers_at(unsigned i, unsigned which)
{
    return make_uint4(
        __float_as_uint(number_at(i, which)), __float_as_uint(number_at(i + 1, which)),
        __float_as_uint(number_at(i + 2, which)), __float_as_uint(number_at(i + 3, which)));
}

extern "C" __global__ void __launch_bounds__(SLOTS)
    shared_read(uint4 *, unsigned n_passes, unsigned *sums)
{
    __shared__ uint4 memory[SLOTS];
    const unsigned base = address_of(memory);
    unsigned sum = 0;
    memory[threadIdx.x] = words_at(4 * threadIdx.x);
    __syncthreads();
    FOR_EACH_PASS sum += sum_of(load_shared(base + offset));
    sum = sum_of_block(sum);
    if (threadIdx.x == 0)
        sums[blockIdx.x] = sum;
}

extern "C" __global__ void __launch_bounds__(SLOTS)
    shared_write(uint4 *ends, unsigned n_passes, unsigned *)
{
    __shared__ uint4 memory[SLOTS];
    const unsigned base = address_of(memory);
    const uint4 word = make_uint4(WRITTEN_WORD, WRITTEN_WORD, WRITTEN_WORD, WRITTEN_WORD);
    FOR_EACH_PASS store_shared(base + offset, word);
    __syncthreads();
    ends[blockIdx.x * SLOTS + threadIdx.x] = memory[threadIdx.x];
}

extern "C" __global__ void __launch_bounds__(SLOTS)
    shared_copy(uint4 *ends, unsigned n_passes, unsigned *)
{
    __shared__ uint4 memory[2 * SLOTS];
    const unsigned base = address_of(memory);
    memory[SLOTS + threadIdx.x] = words_at(4 * threadIdx.x);
    __syncthreads();
    FOR_EACH_PASS store_shared(base + offset, load_shared(base + offset + ARRAY));
    __syncthreads();
    ends[blockIdx.x * SLOTS + threadIdx.x] = memory[threadIdx.x];
}

extern "C" __global__ void __launch_bounds__(SLOTS)
    shared_triad(uint4 *ends, unsigned n_passes, unsigned *)
{
    __shared__ uint4 memory[3 * SLOTS];
    const unsigned base = address_of(memory);
    memory[SLOTS + threadIdx.x] = numbers_at(4 * threadIdx.x, 1);
    memory[2 * SLOTS + threadIdx.x] = numbers_at(4 * threadIdx.x, 2);
    __syncthreads();
    FOR_EACH_PASS
    {
        const unsigned at = base + offset;
        store_shared(at, triad_of(load_shared(at + ARRAY), load_shared(at + 2 * ARRAY)));
    }
    __syncthreads();
    ends[blockIdx.x * SLOTS + threadIdx.x] = memory[threadIdx.x];
}

// --- multiply-adds on ordinary cores: eight chains a thread, which begin as those of its lane ---

enum { CHAINS = 8 };

static __device__ __forceinline__ float fused(float x, float a, float b)
{
    return __fmaf_rn(x, a, b);
}

static __device__ __forceinline__ double fused(double x, double a, double b)
{
    return __fma_rn(x, a, b);
}

// Two numbers in a word.
struct fp16_pair {
    unsigned bits;
};
struct bf16_pair {
    unsigned bits;
};

static __device__ __forceinline__ fp16_pair fused(fp16_pair x, fp16_pair a, fp16_pair b)
{
    asm("fma.rn.f16x2 %0, %0, %1, %2;" : "+r"(x.bits) : "r"(a.bits), "r"(b.bits));
    return x;
}

static __device__ __forceinline__ bf16_pair fused(bf16_pair x, bf16_pair a, bf16_pair b)
{
#if __CUDA_ARCH__ >= 800
    asm("fma.rn.bf16x2 %0, %0, %1, %2;" : "+r"(x.bits) : "r"(a.bits), "r"(b.bits));
#else
    (void)a, (void)b;
#endif
    return x;
}

template <typename number>
static __device__ __forceinline__ void run_chains(const number *starts, number *ends,
                                                  const number *constants, unsigned n_pairs)
{
    const number a = constants[0];
    const number b = constants[1];
    const number c = constants[2];
    const number d = constants[3];
    number x[CHAINS];
#pragma unroll
    for (int i = 0; i < CHAINS; i++)
        x[i] = starts[threadIdx.x % 32 * CHAINS + i];
#pragma unroll 8
    for (unsigned pair = 0; pair < n_pairs; pair++) {
#pragma unroll
        for (int i = 0; i < CHAINS; i++)
            x[i] = fused(x[i], a, b);
#pragma unroll
        for (int i = 0; i < CHAINS; i++)
            x[i] = fused(x[i], c, d);
    }
#pragma unroll
    for (int i = 0; i < CHAINS; i++)
        ends[((unsigned long long)blockIdx.x * THREADS + threadIdx.x) * CHAINS + i] = x[i];
}

#define RUN_CHAINS(name, number)                                                                   \
    extern "C" __global__ void __launch_bounds__(THREADS, 4)                                       \
        name(const number *starts, number *ends, const number *constants, unsigned n_pairs)        \
    {                                                                                              \
        run_chains<number>(starts, ends, constants, n_pairs);                                      \
    }
RUN_CHAINS(fma_fp64, double)
RUN_CHAINS(fma_fp32, float)
RUN_CHAINS(fma_fp16, fp16_pair)
RUN_CHAINS(fma_bf16, bf16_pair)

// --- tensor cores: C += A0 B, C += A1 B for eight B, all of them in registers ---
//
// A and B come as the words that each lane gives to the instruction: two of A, eight of B.

enum { PRODUCTS = 8 };

template <typename part, int A, int B, int C> struct tile {
    typedef part word;
    enum { A_WORDS = A, B_WORDS = B, C_WORDS = C };
};

#define NOTHING ((void)a, (void)b, (void)c)
#if __CUDA_ARCH__ >= 800
#define MULTIPLY_WORDS(type, kind)                                                                 \
    asm volatile("mma.sync.aligned." type " {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "               \
                 "{%0,%1,%2,%3};"                                                                  \
                 : "+" kind(c[0]), "+" kind(c[1]), "+" kind(c[2]), "+" kind(c[3])                  \
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]))
#else
#define MULTIPLY_WORDS(type, kind) NOTHING
#endif

#define TENSOR(type, sum_, ...)                                                                    \
    struct tensor_##type : tile<unsigned, 4, 2, 4> {                                               \
        typedef sum_ sum;                                                                          \
        static __device__ __forceinline__ void multiply(sum *c, const word *a, const word *b)      \
        {                                                                                          \
            __VA_ARGS__;                                                                           \
        }                                                                                          \
    };
TENSOR(fp16, float, MULTIPLY_WORDS("m16n8k16.row.col.f32.f16.f16.f32", "f"))
TENSOR(bf16, float, MULTIPLY_WORDS("m16n8k16.row.col.f32.bf16.bf16.f32", "f"))
TENSOR(tf32, float, MULTIPLY_WORDS("m16n8k8.row.col.f32.tf32.tf32.f32", "f"))
TENSOR(int8, int, MULTIPLY_WORDS("m16n8k32.row.col.s32.s8.s8.s32", "r"))
#if __CUDA_ARCH__ >= 890
TENSOR(fp8, float, MULTIPLY_WORDS("m16n8k32.row.col.f32.e4m3.e4m3.f32", "f"))
#else
TENSOR(fp8, float, NOTHING)
#endif

struct tensor_fp64 : tile<double, 1, 1, 2> {
    typedef double sum;
    static __device__ __forceinline__ void multiply(sum *c, const word *a, const word *b)
    {
#if __CUDA_ARCH__ >= 800
        asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%2}, {%3}, {%0,%1};"
                     : "+d"(c[0]), "+d"(c[1])
                     : "d"(a[0]), "d"(b[0]));
#else
        (void)a, (void)b, (void)c;
#endif
    }
};

// n_pairs times A0 and A1, then once more A0.
template <typename tensor>
static __device__ __forceinline__ void run_products(const typename tensor::word *starts,
                                                    typename tensor::sum *ends, unsigned n_pairs)
{
    const unsigned lane = threadIdx.x % 32;
    const unsigned long long warp = ((unsigned long long)blockIdx.x * THREADS + threadIdx.x) / 32;
    typename tensor::word a[2][tensor::A_WORDS];
    typename tensor::word b[PRODUCTS][tensor::B_WORDS];
    typename tensor::sum c[PRODUCTS][tensor::C_WORDS] = {};
#pragma unroll
    for (int i = 0; i < 2; i++) {
#pragma unroll
        for (int j = 0; j < tensor::A_WORDS; j++)
            a[i][j] = starts[(i * 32 + lane) * tensor::A_WORDS + j];
    }
#pragma unroll
    for (int i = 0; i < PRODUCTS; i++) {
#pragma unroll
        for (int j = 0; j < tensor::B_WORDS; j++)
            b[i][j] = starts[2 * 32 * tensor::A_WORDS + (i * 32 + lane) * tensor::B_WORDS + j];
    }
#pragma unroll 2
    for (unsigned pair = 0; pair < n_pairs; pair++) {
#pragma unroll
        for (int i = 0; i < PRODUCTS; i++)
            tensor::multiply(c[i], a[0], b[i]);
#pragma unroll
        for (int i = 0; i < PRODUCTS; i++)
            tensor::multiply(c[i], a[1], b[i]);
    }
#pragma unroll
    for (int i = 0; i < PRODUCTS; i++) {
        tensor::multiply(c[i], a[0], b[i]);
#pragma unroll
        for (int j = 0; j < tensor::C_WORDS; j++)
            ends[((warp * PRODUCTS + i) * 32 + lane) * tensor::C_WORDS + j] = c[i][j];
    }
}

#define RUN_PRODUCTS(type)                                                                         \
    extern "C" __global__ void __launch_bounds__(THREADS, 2)                                       \
        mma_##type(const tensor_##type::word *starts, tensor_##type::sum *ends, unsigned n_pairs)  \
    {                                                                                              \
        run_products<tensor_##type>(starts, ends, n_pairs);                                        \
    }
RUN_PRODUCTS(fp64)
RUN_PRODUCTS(tf32)
RUN_PRODUCTS(fp16)
RUN_PRODUCTS(bf16)
RUN_PRODUCTS(fp8)
RUN_PRODUCTS(int8)

// --- matrices for cuBLAS: random multiples of 2^-bits from -1 to 1, or whole numbers ---

// The last step of MurmurHash3 (Appleby, 2011).
static __device__ unsigned scramble(unsigned x)
{
    x ^= x >> 16;
    x *= 0x85ebca6bu;
    x ^= x >> 13;
    x *= 0xc2b2ae35u;
    return x ^ x >> 16;
}

static __device__ __forceinline__ void store_number(double *to, float value)
{
    *to = (double)value;
}

static __device__ __forceinline__ void store_number(float *to, float value)
{
    *to = value;
}

static __device__ __forceinline__ void store_number(signed char *to, float value)
{
    *to = (signed char)value;
}

struct fp16 {
    unsigned short bits;
};
struct bf16 {
    unsigned short bits;
};

static __device__ __forceinline__ void store_number(fp16 *to, float value)
{
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(to->bits) : "f"(value));
}

// The value has no more digits than the type.
static __device__ __forceinline__ void store_number(bf16 *to, float value)
{
    to->bits = (unsigned short)(__float_as_uint(value) >> 16);
}

struct fp8 {
    unsigned char bits;
};

// e4m3 of eighths: `value` is whole / 8 with |whole| <= 8.
static __device__ __forceinline__ void store_number(fp8 *to, float value)
{
    const unsigned bits = __float_as_uint(value);
    const unsigned exponent = (bits >> 23 & 0xff) - 127 + 7;
    to->bits = value == 0.0f
                   ? 0
                   : (unsigned char)(bits >> 24 & 0x80 | exponent << 3 | (bits >> 20 & 7));
}

#define FILL_MATRIX(name, number)                                                                  \
    extern "C" __global__ void name(number *to, unsigned long long n, unsigned salt,               \
                                    unsigned bits, float scale)                                    \
    {                                                                                              \
        const unsigned long long stride = (unsigned long long)gridDim.x * blockDim.x;              \
        for (unsigned long long i = (unsigned long long)blockIdx.x * blockDim.x + threadIdx.x;     \
             i < n; i += stride) {                                                                 \
            const int whole = (int)scramble((unsigned)i ^ salt) >> (31 - bits);                    \
            store_number(to + i, (float)whole * scale);                                            \
        }                                                                                          \
    }
FILL_MATRIX(matrix_fp64, double)
FILL_MATRIX(matrix_tf32, float)
FILL_MATRIX(matrix_fp16, fp16)
FILL_MATRIX(matrix_bf16, bf16)
FILL_MATRIX(matrix_fp8, fp8)
FILL_MATRIX(matrix_int8, signed char)
