// sum.cu - the kernel of the benchmark `elementwise` that adds all elements, in one launch. Plugin
// side.
#ifndef __CUDACC_RTC__ // NVRTC is given it before this
#include "numbers.cuh"
#endif

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
template <typename number> __device__ __forceinline__ number sum_down_block(number sum)
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
__device__ __forceinline__ bool comes_last(unsigned *ticket)
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

FOR_ALL_TYPES(SUM)
