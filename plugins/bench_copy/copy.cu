// copy.cu - the kernels of the benchmark `copy`, one for each width. Plugin side.
//
// Taken by nvcc and by NVRTC: nothing is included.

// N vectors a thread, all loaded before the first is stored, so that they are under way together.
// Neighbouring threads have neighbouring vectors.
template <typename vector, unsigned N>
static __device__ __forceinline__ void
copy_vectors(vector *__restrict__ to, const vector *__restrict__ from, unsigned long long n)
{
    const unsigned long long first = (unsigned long long)blockIdx.x * blockDim.x * N + threadIdx.x;
    if (first + (unsigned long long)(N - 1) * blockDim.x < n) {
        vector held[N];
#pragma unroll
        for (unsigned i = 0; i < N; i++)
            held[i] = from[first + i * blockDim.x];
#pragma unroll
        for (unsigned i = 0; i < N; i++)
            to[first + i * blockDim.x] = held[i];
        return;
    }
    for (unsigned long long i = first; i < n; i += blockDim.x)
        to[i] = from[i];
}

// The bytes that are left over by whole vectors, fewer than one, are the first block's.
template <typename vector>
static __device__ __forceinline__ void copy(void *to, const void *from, unsigned long long bytes,
                                            unsigned per_thread)
{
    const unsigned long long n = bytes / sizeof(vector);
    const unsigned long long left = n * sizeof(vector) + threadIdx.x;
    if (per_thread == 4)
        copy_vectors<vector, 4>((vector *)to, (const vector *)from, n);
    else
        copy_vectors<vector, 1>((vector *)to, (const vector *)from, n);
    if (blockIdx.x == 0 && left < bytes)
        ((unsigned char *)to)[left] = ((const unsigned char *)from)[left];
}

// per_thread is 4 or 1; the grid has as many threads as that needs, at least one block, and blocks
// have at least 16 threads.
#define KERNEL(name, vector)                                                                       \
    extern "C" __global__ void name(void *to, const void *from, unsigned long long bytes,          \
                                    unsigned per_thread)                                           \
    {                                                                                              \
        copy<vector>(to, from, bytes, per_thread);                                                 \
    }

KERNEL(copy_1, unsigned char)
KERNEL(copy_2, unsigned short)
KERNEL(copy_4, unsigned int)
KERNEL(copy_8, uint2)
KERNEL(copy_16, uint4)
