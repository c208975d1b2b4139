// histogram_kernels.cc - the kernels of plugins/bench_histogram/histogram.cu on the host.
#include "tests/modules/cuda_on_host.h"

#define __shared__

static inline unsigned __umulhi(unsigned a, unsigned b)
{
    return static_cast<unsigned>(static_cast<unsigned long long>(a) * b >> 32);
}

static inline unsigned atomicAdd(unsigned *at, unsigned value)
{
    const unsigned before = *at;
    *at += value;
    return before;
}

// The shared memory of a block, which finds there what the one before has left; in C, as the kernel
// that declares it is.
extern "C" {
unsigned own[12288];
}

#pragma GCC visibility push(default)
#include "plugins/bench_histogram/histogram.cu"

typedef void kernel_fn(unsigned *counts, const unsigned *values, unsigned long long n,
                       unsigned bins);

extern "C" void histogram_launch(kernel_fn *kernel, unsigned n_blocks, unsigned n_threads,
                                 unsigned *counts, const unsigned *values, unsigned long long n,
                                 unsigned bins)
{
    host_launch({n_blocks, 1, 1}, n_threads, kernel, counts, values, n, bins);
}
