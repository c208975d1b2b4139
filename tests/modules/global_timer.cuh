// global_timer.cuh - what kernels of the test modules share: a look at the GPU's global timer, and
// work of a known length.
#include <cuda_runtime.h>

static __device__ __forceinline__ unsigned long long global_ns()
{
    unsigned long long now;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now)::"memory");
    return now;
}

static __device__ __forceinline__ void spin_for(unsigned long long duration_ns)
{
    const unsigned long long begin_ns = global_ns();
    while (global_ns() - begin_ns < duration_ns)
        ;
}
