// histogram.cu - the kernels of the benchmark `histogram`. Plugin side.
//
// Taken by nvcc and by NVRTC: nothing is included.

// The bin is value * bins / 2^32, as in histogram.h.
static __device__ __forceinline__ void count_one(unsigned *counts, unsigned value, unsigned bins)
{
    atomicAdd(&counts[__umulhi(value, bins)], 1u);
}

// All blocks together count each value once: four at a time, and the few that are left over.
// values is aligned to 16 bytes.
static __device__ __forceinline__ void count(unsigned *counts, const unsigned *__restrict__ values,
                                             unsigned long long n, unsigned bins)
{
    const unsigned long long stride = (unsigned long long)gridDim.x * blockDim.x;
    const unsigned long long first = (unsigned long long)blockIdx.x * blockDim.x + threadIdx.x;
    const uint4 *vectors = (const uint4 *)values;
    for (unsigned long long i = first; i < n / 4; i += stride) {
        const uint4 four = vectors[i];
        count_one(counts, four.x, bins);
        count_one(counts, four.y, bins);
        count_one(counts, four.z, bins);
        count_one(counts, four.w, bins);
    }
    for (unsigned long long i = n / 4 * 4 + first; i < n; i += stride)
        count_one(counts, values[i], bins);
}

extern "C" __global__ void histogram_global(unsigned *counts, const unsigned *values,
                                            unsigned long long n, unsigned bins)
{
    count(counts, values, n, bins);
}

// With bins words of shared memory for each block.
extern "C" __global__ void histogram_private(unsigned *counts, const unsigned *values,
                                             unsigned long long n, unsigned bins)
{
    extern __shared__ unsigned own[];
    for (unsigned bin = threadIdx.x; bin < bins; bin += blockDim.x)
        own[bin] = 0;
    __syncthreads();
    count(own, values, n, bins);
    __syncthreads();
    for (unsigned bin = threadIdx.x; bin < bins; bin += blockDim.x)
        if (own[bin] != 0)
            atomicAdd(&counts[bin], own[bin]);
}
