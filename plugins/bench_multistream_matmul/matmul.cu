/*
 * matmul.cu - the product C = A B with one thread for each element of C, as plain as it can be
 * written: how little of a device it fills is what multistream_matmul is about.
 */
#ifndef __CUDACC_RTC__ /* NVRTC is given it before this */
#include "stamps.h"
#endif

static __device__ __forceinline__ unsigned long long time_ns()
{
    unsigned long long now;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now)::"memory");
    return now;
}

static __device__ __forceinline__ unsigned unit()
{
    unsigned here;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(here));
    return here;
}

static __device__ __forceinline__ bool is_first_thread()
{
    return threadIdx.x == 0 && threadIdx.y == 0;
}

static __device__ __forceinline__ struct block_log *log_of_block(struct block_log *logs)
{
    return logs + blockIdx.y * gridDim.x + blockIdx.x;
}

/*
 * All matrices by rows: A rows x aligned, B aligned x cols, each of fewer than 2^31 elements. The
 * sum is kept in order. Terms are loaded four at a time whatever the compiler would choose: with
 * more of them ahead one product is up to four times as fast, but then 16 at once slow each other
 * by some percent, where these are within one of what a single one promises.
 */
static __device__ __forceinline__ void multiply_element(const float *__restrict__ a,
                                                        const float *__restrict__ b,
                                                        float *__restrict__ c, int rows, int cols,
                                                        int aligned)
{
    enum { BATCH = 32 };
    const int row = blockIdx.y * blockDim.y + threadIdx.y;
    const int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows || col >= cols)
        return;
    const float *left = a + (size_t)row * aligned;
    const float *right = b + col;
    float sum = 0.0f;
    int k = 0;
    for (; k + BATCH <= aligned; k += BATCH) {
#pragma unroll 4
        for (int i = 0; i < BATCH; i++)
            sum += left[k + i] * right[(k + i) * cols];
    }
#pragma unroll 1 /* or the registers are sized for this loop */
    for (; k < aligned; k++)
        sum += left[k] * right[k * cols];
    c[(size_t)row * cols + col] = sum;
}

/* The same with the sum in the output after each product. */
static __device__ __forceinline__ void multiply_element_in_memory(const float *__restrict__ a,
                                                                  const float *__restrict__ b,
                                                                  float *c, int rows, int cols,
                                                                  int aligned)
{
    const int row = blockIdx.y * blockDim.y + threadIdx.y;
    const int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows || col >= cols)
        return;
    volatile float *sum = c + (size_t)row * cols + col;
    *sum = 0.0f;
    for (int k = 0; k < aligned; k++)
        *sum = *sum + a[(size_t)row * aligned + k] * b[(size_t)k * cols + col];
}

/* By all threads of the block, after their elements. */
static __device__ __forceinline__ void log_end(struct block_log *logs)
{
    __syncthreads();
    if (!is_first_thread())
        return;
    const unsigned long long end_ns = time_ns();
    struct block_log *log = log_of_block(logs);
    struct stamp *stamp = &log->runs[log->n_runs++ % RUNS_KEPT];
    stamp->start_ns = log->start_ns;
    stamp->end_ns = end_ns;
    stamp->unit = unit();
}

/*
 * The block's first thread, which always has an element, writes the log where there are logs. It
 * keeps nothing in registers meanwhile, and the compiler is allowed as many as it likes: where it
 * saves some it begins the last of the four loads only when the first have arrived.
 */
extern "C" __global__ void __launch_bounds__(1024, 1)
    multiply(const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ c,
             int rows, int cols, int aligned, struct block_log *logs)
{
    if (logs != nullptr && is_first_thread())
        log_of_block(logs)->start_ns = time_ns();
    multiply_element(a, b, c, rows, cols, aligned);
    if (logs != nullptr)
        log_end(logs);
}

extern "C" __global__ void __launch_bounds__(1024, 1)
    multiply_in_memory(const float *__restrict__ a, const float *__restrict__ b, float *c, int rows,
                       int cols, int aligned, struct block_log *logs)
{
    if (logs != nullptr && is_first_thread())
        log_of_block(logs)->start_ns = time_ns();
    multiply_element_in_memory(a, b, c, rows, cols, aligned);
    if (logs != nullptr)
        log_end(logs);
}
