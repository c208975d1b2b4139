// plugin_name.cu - y = factor * x of arrays on a GPU: a benchmark to start from. Change the kernel.
#include <gbrun/bench.hpp>
#include <stdexcept>

__global__ void multiply(int64_t n, float factor, const float *x, float *y)
{
    const int64_t i = int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = factor * x[i];
}

struct arrays : gbrun::bench {
    static constexpr const char *devices = "cuda";
    gbrun::integer n{this, "n", "16Mi", "length of the arrays", "1:2^31", "elements"};
    gbrun::number factor{this, "factor", "0.5", "what they are multiplied by"};
    gbrun::integer block{this, "block", "256", "threads of a block", "32:1024", "threads"};
    std::vector<float> inputs;
    float *x = nullptr, *y = nullptr;

    void prepare() // once, untimed; what is thrown is why the case failed
    {
        random(inputs, n, -1, 1);
        x = device_array<float>(n); // gbrun frees it
        y = device_array<float>(n);
        gbrun::require(host->device_copy(host, x, inputs.data(), sizeof(float) * inputs.size()));
        work.flops = static_cast<double>(n); // of one iteration: rates are computed from it
        work.bytes_read = work.bytes_written = sizeof(float) * static_cast<double>(n);
    }
    void run(const gb_queue &queue, uint64_t iterations) // what is timed: enqueues and returns
    {
        const auto blocks = static_cast<unsigned>((n + block - 1) / block);
        for (; iterations > 0; iterations--)
            multiply<<<blocks, static_cast<unsigned>(block), 0,
                       static_cast<cudaStream_t>(queue.native)>>>(n, static_cast<float>(factor), x,
                                                                  y);
        if (const cudaError_t error = cudaGetLastError())
            throw std::runtime_error(cudaGetErrorString(error));
    }
    void verify() // after the last sample: against a reference, computed in another way
    {
        std::vector<float> output(inputs.size());
        std::vector<double> reference(inputs.size());
        gbrun::require(host->device_copy(host, output.data(), y, sizeof(float) * output.size()));
        for (size_t i = 0; i < inputs.size(); i++)
            reference[i] = static_cast<double>(static_cast<float>(factor)) * inputs[i];
        check("y", output, reference, "ulp", 1);
    }
};

GB_BENCHMARKS(list)
{
    list.add<arrays>("plugin_name", "y = factor * x of arrays on a GPU");
}
