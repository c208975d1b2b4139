// measure.cu - a program with a context and streams of its own: nvcc -std=c++17 measure.cu -lgbrun
// -lcuda
#include <gbrun/measure.hpp>

#include <cstdio>
#include <cuda.h>

__global__ void axpy(float a, const float *x, float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] += a * x[i];
}

int main(int argc, char **argv)
{
    const int n = 1 << 20;
    const std::string settings = argc > 1 ? argv[1] : "cache = cold";
    CUdevice device;
    CUcontext context, current;
    if (cuInit(0) != CUDA_SUCCESS || cuDeviceGet(&device, 0) != CUDA_SUCCESS ||
#if CUDA_VERSION >= 13000
        cuCtxCreate(&context, nullptr, 0, device) != CUDA_SUCCESS)
#else
        cuCtxCreate(&context, 0, device) != CUDA_SUCCESS)
#endif
        return std::fprintf(stderr, "there is no GPU\n"), 1;
    float *x, *y;
    cudaStream_t other;
    cudaMalloc(&x, n * sizeof *x);
    cudaMalloc(&y, n * sizeof *y);
    cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking);
    int exit_code = 0;
    try {
        auto m = gbrun::measure(
            [&](cudaStream_t s) { axpy<<<n / 256, 256, 0, s>>>(2.0f, x, y, n); }, settings);
        std::printf("%.4g us, %.4g to %.4g (%s), %llu kernel, by the clock %s on %s\n",
                    m->time_ns / 1000, m->low_ns / 1000, m->high_ns / 1000, m->verdict_text,
                    static_cast<unsigned long long>(m->n_kernels), m->clock, m->device_model);
    } catch (const gbrun::measure_error &error) {
        std::fprintf(stderr, "%s\n", error.what());
        exit_code = 1;
    }
    axpy<<<n / 256, 256, 0, other>>>(1.0f, x, y, n); // the program's own stream goes on
    cuCtxGetCurrent(&current);
    if (cudaStreamSynchronize(other) != cudaSuccess || current != context)
        exit_code = 1;
    gbrun_release(); // before the context goes
    cuCtxDestroy(context);
    return exit_code;
}
