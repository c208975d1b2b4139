// padding_kernels.cc - the kernels of plugins/bench_padding/padding.cu on the host, each thread of
// a block on a stack of its own, so that their arithmetic on indices is tested without a GPU. A
// barrier goes on with the next thread; blocks follow one another.
#include <stdlib.h>
#include <ucontext.h>

#define __global__
#define __device__
#define __shared__ static
#define __forceinline__ inline
#define __align__(bytes) __attribute__((aligned(bytes)))
#define __launch_bounds__(...)

namespace
{
struct index3 {
    unsigned x, y, z;
};

struct thread {
    ucontext_t context;
    char *stack;
    bool has_ended;
};

enum { THREADS_MAX = 256, STACK_BYTES = 64 << 10 };

index3 threadIdx, blockIdx;
thread threads[THREADS_MAX];
ucontext_t scheduler;

void __syncthreads()
{
    swapcontext(&threads[threadIdx.x].context, &scheduler);
}
} // namespace

struct alignas(16) float4 {
    float x, y, z, w;
};
struct alignas(8) float2 {
    float x, y;
};

static inline float4 make_float4(float x, float y, float z, float w)
{
    return float4{x, y, z, w};
}

static inline float2 make_float2(float x, float y)
{
    return float2{x, y};
}

#pragma GCC visibility push(default)
#include "plugins/bench_padding/padding.cu"

typedef void kernel_fn(const float *x, const float *w, float *y, int m, int n, int k);

static struct {
    kernel_fn *kernel;
    const float *x, *w;
    float *y;
    int m, n, k;
} launch;

static void run_thread()
{
    launch.kernel(launch.x, launch.w, launch.y, launch.m, launch.n, launch.k);
    threads[threadIdx.x].has_ended = true;
}

static void start_thread(unsigned i)
{
    thread *t = &threads[i];
    if (t->stack == nullptr)
        t->stack = static_cast<char *>(malloc(STACK_BYTES));
    getcontext(&t->context);
    t->context.uc_stack.ss_sp = t->stack;
    t->context.uc_stack.ss_size = STACK_BYTES;
    t->context.uc_link = &scheduler;
    t->has_ended = false;
    makecontext(&t->context, run_thread, 0);
}

static void run_block(unsigned n_threads)
{
    unsigned n_left = n_threads;
    for (unsigned i = 0; i < n_threads; i++)
        start_thread(i);
    while (n_left > 0) {
        for (unsigned i = 0; i < n_threads; i++) {
            if (threads[i].has_ended)
                continue;
            threadIdx.x = i;
            swapcontext(&scheduler, &threads[i].context);
            n_left -= threads[i].has_ended;
        }
    }
}

// One launch of a kernel of this module, in columns x rows x products blocks.
extern "C" void padding_launch(kernel_fn *kernel, unsigned columns, unsigned rows,
                               unsigned products, unsigned n_threads, const float *x,
                               const float *w, float *y, int m, int n, int k)
{
    launch = {kernel, x, w, y, m, n, k};
    for (blockIdx.z = 0; blockIdx.z < products; blockIdx.z++) {
        for (blockIdx.y = 0; blockIdx.y < rows; blockIdx.y++) {
            for (blockIdx.x = 0; blockIdx.x < columns; blockIdx.x++)
                run_block(n_threads);
        }
    }
}
