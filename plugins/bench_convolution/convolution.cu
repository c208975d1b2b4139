// convolution.cu - convolutions on the ordinary cores: a thread adds up one element of the result,
// in fp32. Plugin side.
#ifndef __CUDACC_RTC__ // NVRTC is given it before this
#include "window.h"
#endif

struct fp32 {
    typedef float stored;
    __device__ static float load(stored x)
    {
        return x;
    }
    __device__ static stored round(float x)
    {
        return x;
    }
};

struct fp16 {
    typedef unsigned short stored;
    __device__ static float load(stored bits)
    {
        float value;
        asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(bits));
        return value;
    }
    __device__ static stored round(float value)
    {
        stored bits;
        asm("cvt.rn.f16.f32 %0, %1;" : "=h"(bits) : "f"(value));
        return bits;
    }
};

struct bf16 {
    typedef unsigned short stored;
    __device__ static float load(stored x)
    {
        return __uint_as_float((unsigned)x << 16);
    }
    __device__ static stored round(float x)
    {
        const unsigned bits = __float_as_uint(x);
        return x != x ? 0x7fc0 : (stored)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
    }
};

template <typename format, int direction>
__device__ static float right_at(const window_shape &shape, const void *right, int group,
                                 const triple &column, const triple &depth)
{
    const int at = window_right(&shape, direction, group, &column, &depth);
    return at >= 0 ? format::load(((const typename format::stored *)right)[at]) : 0.0f;
}

template <typename format, int direction>
__device__ static float left_at(const window_shape &shape, const void *left, int group, int row,
                                const triple &depth)
{
    return format::load((
        (const typename format::stored *)left)[window_left(&shape, direction, group, row, &depth)]);
}

template <typename format, int direction>
__device__ static void store(const window_shape &shape, void *output, int group, int row,
                             const triple &column, float sum)
{
    ((typename format::stored *)output)[window_output(&shape, direction, group, row, &column)] =
        format::round(sum);
}

// Blocks are of THREADS columns; their grid is columns x rows x groups.
enum { THREADS = 256 };

template <typename format, int direction>
__device__ static void direct(const window_shape &shape, const void *left, const void *right,
                              void *output)
{
    const product_view view = window_view(&shape, direction);
    const int index = (int)blockIdx.x * THREADS + (int)threadIdx.x;
    const int row = (int)blockIdx.y;
    const int group = (int)blockIdx.z;
    if (index >= window_count(&view.columns))
        return;
    const triple column = window_split(&view.columns, index);
    float sum = 0.0f;
    triple at;
    for (at.a = 0; at.a < view.depth.a; at.a++) {
        for (at.b = 0; at.b < view.depth.b; at.b++) {
            for (at.c = 0; at.c < view.depth.c; at.c++)
                sum += left_at<format, direction>(shape, left, group, row, at) *
                       right_at<format, direction>(shape, right, group, column, at);
        }
    }
    store<format, direction>(shape, output, group, row, column, sum);
}

// Blocks are of TILE x TILE elements of the result; their grid is columns x rows x groups. Each
// thread gathers an element of either factor's tile, and waits for the others'.
enum { TILE = 16 };

template <typename format, int direction>
inline __device__ void implicit_gemm(const window_shape &shape, const void *left_factor,
                                     const void *right_factor, void *output)
{
    __shared__ float left[TILE][TILE + 1];
    __shared__ float right[TILE][TILE + 1];
    const product_view view = window_view(&shape, direction);
    const int x = (int)threadIdx.x % TILE;
    const int y = (int)threadIdx.x / TILE;
    const int index = (int)blockIdx.x * TILE + x;
    const int row = (int)blockIdx.y * TILE + y;
    const int group = (int)blockIdx.z;
    const int depth = window_count(&view.depth);
    const bool is_column = index < window_count(&view.columns);
    const triple column = window_split(&view.columns, index);
    float sum = 0.0f;
    for (int first = 0; first < depth; first += TILE) {
        const triple along_left = window_split(&view.depth, first + x);
        const triple along_right = window_split(&view.depth, first + y);
        left[y][x] = row < view.rows && first + x < depth
                         ? left_at<format, direction>(shape, left_factor, group, row, along_left)
                         : 0.0f;
        right[y][x] = is_column && first + y < depth
                          ? right_at<format, direction>(shape, right_factor, group, column,
                                                        along_right)
                          : 0.0f;
        __syncthreads();
        for (int i = 0; i < TILE; i++)
            sum += left[y][i] * right[i][x];
        __syncthreads();
    }
    if (row < view.rows && is_column)
        store<format, direction>(shape, output, group, row, column, sum);
}

#define KERNEL(method, direction, number, format)                                                  \
    extern "C" __global__ void method##_##direction##_##format(                                    \
        window_shape shape, const void *left, const void *right, void *output)                     \
    {                                                                                              \
        method<format, number>(shape, left, right, output);                                        \
    }
#define KERNELS(format)                                                                            \
    KERNEL(direct, forward, DIRECTION_FORWARD, format)                                             \
    KERNEL(direct, data, DIRECTION_DATA, format)                                                   \
    KERNEL(direct, weights, DIRECTION_WEIGHTS, format)                                             \
    KERNEL(implicit_gemm, forward, DIRECTION_FORWARD, format)                                      \
    KERNEL(implicit_gemm, data, DIRECTION_DATA, format)                                            \
    KERNEL(implicit_gemm, weights, DIRECTION_WEIGHTS, format)
KERNELS(fp32)
KERNELS(fp16)
KERNELS(bf16)
