/*
 * cuda_on_host.h - what kernels of CUDA need to be compiled and run on the host, so that their
 * arithmetic on indices is tested without a GPU. Each thread of a block has a stack of its own.
 * Blocks follow one another, and the warps of a block: each goes on as far as the next barrier of
 * the block lets it, so that what a barrier is missing for is done too early. Intrinsics that
 * convert numbers are there, and the instructions that convert halves, which kernels name in
 * assembly with the operands `value` and `bits`. For C++, included once, before the kernels.
 */
#pragma once

#undef _FORTIFY_SOURCE /* it takes a jump to another stack for a mistake */
#include <cmath>
#include <cstring>
#include <functional>
#include <setjmp.h>
#include <stdlib.h>
#include <ucontext.h>

#define __global__
#define __device__
#define __forceinline__ inline
#define __align__(bytes) __attribute__((aligned(bytes)))
#define __launch_bounds__(...)

struct alignas(16) uint4 {
    unsigned x, y, z, w;
};
struct index3 {
    unsigned x, y, z;
};
static index3 threadIdx, blockIdx, blockDim, gridDim;

#if defined(__SANITIZE_ADDRESS__)
#define HOST_SANITIZED
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define HOST_SANITIZED
#endif
#endif

enum { HOST_THREADS_MAX = 1024, HOST_STACK_BYTES = 64 << 10 };

enum host_state { HOST_RUNS, HOST_AT_WARP, HOST_AT_BLOCK, HOST_ENDED }; /* or waits at a barrier */

struct host_context {
    ucontext_t context;
    jmp_buf jump;
    bool has_jump; /* it has run before */
};
struct host_thread {
    host_context context;
    char *stack;
    host_state state;
};
static host_thread host_threads[HOST_THREADS_MAX];
static host_context host_scheduler;
static std::function<void()> host_call; /* of the kernel, with its arguments */

/* Blocks of a launch, and warps of a block, are run from the last to the first. */
static bool host_goes_back;

/* By a jump, as swapcontext takes a system call or two; it is what AddressSanitizer can follow. */
static void host_switch(host_context *from, host_context *to)
{
#ifdef HOST_SANITIZED
    swapcontext(&from->context, &to->context);
#else
    from->has_jump = true;
    if (_setjmp(from->jump) != 0)
        return;
    if (to->has_jump)
        _longjmp(to->jump, 1);
    setcontext(&to->context);
#endif
}

static inline void host_wait(host_state at)
{
    host_threads[threadIdx.x].state = at;
    host_switch(&host_threads[threadIdx.x].context, &host_scheduler);
}

static inline void __syncthreads()
{
    host_wait(HOST_AT_BLOCK);
}

static inline void __syncwarp()
{
    host_wait(HOST_AT_WARP);
}

static void host_run_thread()
{
    for (;;) { /* the next launch goes on here */
        host_call();
        host_wait(HOST_ENDED);
    }
}

static void host_start_thread(unsigned i)
{
    host_thread *t = &host_threads[i];
    t->state = HOST_RUNS;
    if (t->stack != nullptr)
        return;
    t->stack = static_cast<char *>(malloc(HOST_STACK_BYTES));
    getcontext(&t->context.context);
    t->context.context.uc_stack.ss_sp = t->stack;
    t->context.context.uc_stack.ss_size = HOST_STACK_BYTES;
    makecontext(&t->context.context, host_run_thread, 0);
}

static unsigned host_count(unsigned first, unsigned end, host_state state)
{
    unsigned n = 0;
    for (unsigned i = first; i < end; i++)
        n += host_threads[i].state == state;
    return n;
}

/* Lets threads go on when all are at the barrier. */
static bool host_pass(unsigned first, unsigned end, host_state at)
{
    const unsigned n = host_count(first, end, at);
    if (n == 0 || n + host_count(first, end, HOST_ENDED) < end - first)
        return false;
    for (unsigned i = first; i < end; i++) {
        if (host_threads[i].state == at)
            host_threads[i].state = HOST_RUNS;
    }
    return true;
}

static void host_run_warp(unsigned first, unsigned end)
{
    do {
        for (unsigned i = first; i < end; i++) {
            threadIdx.x = i;
            if (host_threads[i].state == HOST_RUNS)
                host_switch(&host_scheduler, &host_threads[i].context);
        }
    } while (host_pass(first, end, HOST_AT_WARP));
}

static void host_run_block()
{
    const unsigned n_warps = (blockDim.x + 31) / 32;
    for (unsigned i = 0; i < blockDim.x; i++)
        host_start_thread(i);
    do {
        for (unsigned i = 0; i < n_warps; i++) {
            const unsigned first = 32 * (host_goes_back ? n_warps - 1 - i : i);
            host_run_warp(first, first + 32 < blockDim.x ? first + 32 : blockDim.x);
        }
    } while (host_pass(0, blockDim.x, HOST_AT_BLOCK));
    if (host_count(0, blockDim.x, HOST_ENDED) < blockDim.x)
        abort(); /* some wait where others never come */
}

/* One launch of a kernel in a grid of blocks with n_threads each. */
template <typename... parameters, typename... arguments>
static void host_launch(index3 grid, unsigned n_threads, void (*kernel)(parameters...),
                        arguments... given)
{
    const unsigned n_blocks = grid.x * grid.y * grid.z;
    host_call = [=] { kernel(given...); };
    gridDim = grid;
    blockDim = {n_threads, 1, 1};
    for (unsigned i = 0; i < n_blocks; i++) {
        const unsigned block = host_goes_back ? n_blocks - 1 - i : i;
        blockIdx = {block % grid.x, block / grid.x % grid.y, block / grid.x / grid.y};
        host_run_block();
    }
}

/* ---- numbers ---- */

template <typename to, typename from> static to same_bits(from value)
{
    static_assert(sizeof(to) == sizeof(from), "as many bits");
    to result;
    memcpy(&result, &value, sizeof result);
    return result;
}

static inline float __uint_as_float(unsigned bits)
{
    return same_bits<float>(bits);
}

static inline unsigned __float_as_uint(float value)
{
    return same_bits<unsigned>(value);
}

static inline double half_value(unsigned bits)
{
    const int exponent = static_cast<int>(bits >> 10 & 31);
    const int significand = static_cast<int>(bits & 1023);
    const double size = exponent == 31  ? static_cast<double>(INFINITY)
                        : exponent == 0 ? ldexp(significand, -24)
                                        : ldexp(significand + 1024, exponent - 25);
    return (bits & 0x8000) != 0 ? -size : size;
}

// Halves of one sign are in the order of their bits: the nearest, of two the even one. Infinity is
// as far as if there were numbers beyond 65504.
static inline unsigned short nearest_half(float value)
{
    const double size = fabs(static_cast<double>(value));
    unsigned low = 0;
    unsigned high = 0x7c00;
    while (high - low > 1) {
        const unsigned middle = (low + high) / 2;
        (half_value(middle) <= size ? low : high) = middle;
    }
    const double above = (high == 0x7c00 ? 65536.0 : half_value(high)) - size;
    const double below = size - half_value(low);
    const bool is_up = above < below || (above == below && low % 2 == 1);
    return static_cast<unsigned short>((is_up ? high : low) | (std::signbit(value) ? 0x8000 : 0));
}

// Both conversions have these two operands; which of them is written is what the text says.
static inline void instruction(const char *text, float &value, unsigned short &bits)
{
    if (strncmp(text, "\"cvt.f32.f16 ", 13) == 0)
        value = static_cast<float>(half_value(bits));
    else if (strncmp(text, "\"cvt.rn.f16.f32 ", 16) == 0)
        bits = nearest_half(value);
    else
        abort();
}
#define asm(...) instruction(#__VA_ARGS__, value, bits)
