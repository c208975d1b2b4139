// convolution_kernels.cc - the kernels of plugins/bench_convolution/convolution.cu on the host.
#include "tests/modules/cuda_on_host.h"

#define __shared__ static

#pragma GCC visibility push(default)
#include "plugins/bench_convolution/convolution.cu"

typedef void kernel_fn(window_shape shape, const void *left, const void *right, void *output);

// One launch of a kernel of this module, in columns x rows x groups blocks.
extern "C" void convolution_launch(kernel_fn *kernel, unsigned columns, unsigned rows,
                                   unsigned groups, const window_shape *shape, const void *left,
                                   const void *right, void *output)
{
    host_launch({columns, rows, groups}, THREADS, kernel, *shape, left, right, output);
}
