/*
 * judged_reference.cu - what judged.cu is compared with: out[i] = task(in[i]), a kernel on a
 * stream. Functions for `plugin = call`.
 */
#include <cuda_runtime.h>

enum { STEPS = 400, BLOCK = 256 };

static __device__ float task(float x, int n_steps)
{
    float y = x;
    for (int i = 0; i < n_steps; i++)
        y = fmaf(y, 0.75f, x * x - 0.25f);
    return y + x;
}

static __global__ void work(float *out, const float *in, int n, int n_steps)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = task(in[i], n_steps);
}

static void launch(float *out, const float *in, int n, cudaStream_t stream, int n_steps)
{
    work<<<(n + BLOCK - 1) / BLOCK, BLOCK, 0, stream>>>(out, in, n, n_steps);
}

extern "C" void reference(float *out, const float *in, int n, cudaStream_t stream)
{
    launch(out, in, n, stream, STEPS);
}
