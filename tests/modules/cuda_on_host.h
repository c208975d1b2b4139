/*
 * cuda_on_host.h - what kernels of CUDA need to be compiled and run on the host, so that their
 * arithmetic on indices is tested without a GPU. Each thread of a block has a stack of its own, a
 * barrier goes on with the next thread, and blocks follow one another. For C++, included once,
 * before the kernels.
 */
#ifndef GBRUN_TESTS_MODULES_CUDA_ON_HOST_H
#define GBRUN_TESTS_MODULES_CUDA_ON_HOST_H

#include <stdlib.h>
#include <ucontext.h>

#define __global__
#define __device__
#define __forceinline__ inline
#define __align__(bytes) __attribute__((aligned(bytes)))
#define __launch_bounds__(...)

struct index3 {
    unsigned x, y, z;
};
static index3 threadIdx, blockIdx, blockDim, gridDim;

enum { HOST_THREADS_MAX = 1024, HOST_STACK_BYTES = 64 << 10 };

struct host_thread {
    ucontext_t context;
    char *stack;
    bool has_ended;
};
static host_thread host_threads[HOST_THREADS_MAX];
static ucontext_t host_scheduler;
static void (*host_call)(); /* of the kernel, with its arguments */

static inline void __syncthreads()
{
    swapcontext(&host_threads[threadIdx.x].context, &host_scheduler);
}

static void host_run_thread()
{
    host_call();
    host_threads[threadIdx.x].has_ended = true;
}

static void host_start_thread(unsigned i)
{
    host_thread *t = &host_threads[i];
    if (t->stack == nullptr)
        t->stack = static_cast<char *>(malloc(HOST_STACK_BYTES));
    getcontext(&t->context);
    t->context.uc_stack.ss_sp = t->stack;
    t->context.uc_stack.ss_size = HOST_STACK_BYTES;
    t->context.uc_link = &host_scheduler;
    t->has_ended = false;
    makecontext(&t->context, host_run_thread, 0);
}

static void host_run_block()
{
    unsigned n_left = blockDim.x;
    for (unsigned i = 0; i < blockDim.x; i++)
        host_start_thread(i);
    while (n_left > 0) {
        for (unsigned i = 0; i < blockDim.x; i++) {
            if (host_threads[i].has_ended)
                continue;
            threadIdx.x = i;
            swapcontext(&host_scheduler, &host_threads[i].context);
            n_left -= host_threads[i].has_ended;
        }
    }
}

/* One launch of a grid of blocks with n_threads each. */
static inline void host_launch(index3 grid, unsigned n_threads, void (*call)())
{
    host_call = call;
    gridDim = grid;
    blockDim = {n_threads, 1, 1};
    for (blockIdx.z = 0; blockIdx.z < grid.z; blockIdx.z++) {
        for (blockIdx.y = 0; blockIdx.y < grid.y; blockIdx.y++) {
            for (blockIdx.x = 0; blockIdx.x < grid.x; blockIdx.x++)
                host_run_block();
        }
    }
}

#endif
