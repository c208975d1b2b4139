// planes.cu - kernels of the benchmark `elementwise` whose elements have a place in a row or in an
// image. Plugin side.
//
// A vector of 16 bytes a thread, which lies in one row.
#ifndef __CUDACC_RTC__ // NVRTC is given it before this
#include "numbers.cuh"
#endif

// The factor of a row is the first element of b's row, what is added is its last.
template <typename format>
static __device__ __forceinline__ void batchnorm(uint4 *to, const uint4 *from, const void *b,
                                                 unsigned long long n_vectors, unsigned columns)
{
    typedef typename format::number number;
    typedef typename format::stored stored;
    const unsigned long long i = (unsigned long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n_vectors)
        return;
    const stored *row = (const stored *)b + i * format::COUNT / columns * columns;
    const number factor = format::load(row[0]);
    const number shift = format::load(row[columns - 1]);
    number x[format::COUNT];
    format::unpack(from[i], x);
#pragma unroll
    for (int j = 0; j < format::COUNT; j++)
        x[j] = x[j] * factor + shift;
    to[i] = format::pack(x);
}

// The largest of each element and its eight neighbours in an image of columns x columns.
template <typename format>
static __device__ __forceinline__ void maxpool(uint4 *to, const uint4 *from,
                                               unsigned long long n_vectors, unsigned columns)
{
    typedef typename format::number number;
    typedef typename format::stored stored;
    const int COUNT = format::COUNT;
    const unsigned long long i = (unsigned long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n_vectors)
        return;
    const unsigned long long line = i * COUNT / columns;
    const unsigned column = (unsigned)(i * COUNT % columns);
    const unsigned row = (unsigned)(line % columns);
    const unsigned long long first = row > 0 ? line - 1 : line;
    const unsigned long long last = row + 1 < columns ? line + 1 : line;
    number largest[COUNT];
    format::unpack(from[i], largest);
    for (unsigned long long at = first; at <= last; at++) {
        const stored *elements = (const stored *)from + at * columns + column;
        number x[COUNT + 2]; // those of the vector, and one on either side
        format::unpack(*(const uint4 *)elements, x + 1);
        x[0] = column > 0 ? format::load(elements[-1]) : x[1];
        x[COUNT + 1] = column + COUNT < columns ? format::load(elements[COUNT]) : x[COUNT];
#pragma unroll
        for (int j = 0; j < COUNT; j++) {
            const number side = x[j] > x[j + 2] ? x[j] : x[j + 2];
            const number here = side > x[j + 1] ? side : x[j + 1];
            largest[j] = here > largest[j] ? here : largest[j];
        }
    }
    to[i] = format::pack(largest);
}

// The grid has a thread for each vector. columns: a multiple of a vector's elements.
#define PLANES(format)                                                                             \
    extern "C" __global__ void batchnorm_##format(void *to, const void *a, const void *b,          \
                                                  unsigned long long n_vectors, unsigned columns)  \
    {                                                                                              \
        batchnorm<format>((uint4 *)to, (const uint4 *)a, b, n_vectors, columns);                   \
    }                                                                                              \
    extern "C" __global__ void maxpool_##format(void *to, const void *a, const void *,             \
                                                unsigned long long n_vectors, unsigned columns)    \
    {                                                                                              \
        maxpool<format>((uint4 *)to, (const uint4 *)a, n_vectors, columns);                        \
    }
FOR_ALL_TYPES(PLANES)
