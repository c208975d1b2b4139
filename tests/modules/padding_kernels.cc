// padding_kernels.cc - the kernels of plugins/bench_padding/padding.cu on the host.
#include "tests/modules/cuda_on_host.h"

#define __shared__ static

struct alignas(16) float4 {
    float x, y, z, w;
};
struct alignas(8) float2 {
    float x, y;
};

#define make_float4(x, y, z, w) (float4{x, y, z, w})
#define make_float2(x, y) (float2{x, y})

#pragma GCC visibility push(default)
#include "plugins/bench_padding/padding.cu"

typedef void kernel_fn(const float *x, const float *w, float *y, int m, int n, int k);

// One launch of a kernel of this module, in columns x rows x products blocks.
extern "C" void padding_launch(kernel_fn *kernel, unsigned columns, unsigned rows,
                               unsigned products, unsigned n_threads, const float *x,
                               const float *w, float *y, int m, int n, int k)
{
    host_launch({columns, rows, products}, n_threads, kernel, x, w, y, m, n, k);
}
