// each.cu - kernels of the benchmark `elementwise` that give an element for each element. Plugin
// side.
//
// Memory is read and written once each, with several loads of a thread under way together.
#ifndef __CUDACC_RTC__ // NVRTC is given it before this
#include "numbers.cuh"
#endif

static __device__ __forceinline__ float quotient(float a, float b)
{
    return __fdividef(a, b);
}

static __device__ __forceinline__ double quotient(double a, double b)
{
    return a / b;
}

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

struct relu {
    static const int INPUTS = 1;
    template <typename number> static __device__ __forceinline__ number of(number x, number)
    {
        return x > (number)0 ? x : (number)0;
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

#define ALL(format)                                                                                \
    MAP(copy, itself, format)                                                                      \
    MAP(scale, scale, format)                                                                      \
    MAP(add, add, format)                                                                          \
    MAP(triad, triad, format)                                                                      \
    MAP(gelu, gelu, format)                                                                        \
    MAP(relu, relu, format)
FOR_ALL_TYPES(ALL)
#undef ALL
