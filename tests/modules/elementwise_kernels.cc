// elementwise_kernels.cc - the kernels of plugins/bench_elementwise on the host.
//
// Shared memory is what the block before has left.
#include "tests/modules/cuda_on_host.h"

#include <algorithm>
#include <map>

using std::min;

#define __shared__ static

#define make_uint4(x, y, z, w) (uint4{x, y, z, w})
#define __frcp_rn(x) (1.0f / (x))
#define __drcp_rn(x) (1.0 / (x))
#define __fdividef(a, b) ((a) / (b))
#define rsqrtf(x) (1.0f / sqrtf(x))
#define rsqrt(x) (1.0 / sqrt(x))

static inline double __hiloint2double(int high, int low)
{
    return same_bits<double>(static_cast<unsigned long long>(static_cast<unsigned>(high)) << 32 |
                             static_cast<unsigned>(low));
}

static inline int __double2loint(double value)
{
    return static_cast<int>(same_bits<unsigned long long>(value));
}

static inline int __double2hiint(double value)
{
    return static_cast<int>(same_bits<unsigned long long>(value) >> 32);
}

// All threads of the warp come here. Nothing is at `from` where there is no such thread.
template <typename number> static number value_of_thread(number value, unsigned from)
{
    static number values[HOST_THREADS_MAX];
    values[threadIdx.x] = value;
    __syncwarp();
    const number result = values[from];
    __syncwarp();
    return result;
}

template <typename number> static number __shfl_xor_sync(unsigned, number value, int mask)
{
    return value_of_thread(value, threadIdx.x ^ static_cast<unsigned>(mask));
}

template <typename number> static number __shfl_down_sync(unsigned, number value, unsigned by)
{
    const bool is_there = threadIdx.x % 32 + by < 32;
    return value_of_thread(value, is_there ? threadIdx.x + by : threadIdx.x);
}

// What a launch stores past the first cache other threads see by loads past that cache, once the
// thread has come to a fence. Memory, as all other loads see it, is as it was before the launch.
struct handed_on {
    double value;
    unsigned block, thread;
    bool is_seen;
};
static std::map<const void *, handed_on> beyond_cache;

template <typename number> static void __stcg(number *at, number value)
{
    beyond_cache[at] = {value, blockIdx.x, threadIdx.x, false};
}

static void __threadfence()
{
    for (auto &stored : beyond_cache)
        stored.second.is_seen |= stored.second.block == blockIdx.x &&
                                 stored.second.thread == threadIdx.x;
}

template <typename number> static number __ldcg(const number *at)
{
    const auto stored = beyond_cache.find(at);
    const bool is_seen = stored != beyond_cache.end() && stored->second.is_seen;
    return is_seen ? static_cast<number>(stored->second.value) : *at;
}

static uint4 __ldcg(const uint4 *at)
{
    return *at;
}

static unsigned atomicInc(unsigned *at, unsigned last)
{
    const unsigned before = *at;
    *at = before >= last ? 0 : before + 1;
    return before;
}

#pragma GCC visibility push(default)
#include "plugins/bench_elementwise/each.cu"
#include "plugins/bench_elementwise/planes.cu"
#include "plugins/bench_elementwise/rows.cu"
#include "plugins/bench_elementwise/sum.cu"

typedef void map_fn(void *to, const void *a, const void *b, unsigned long long n,
                    unsigned per_thread);
typedef void rows_fn(void *to, const void *from, unsigned long long n_rows, unsigned columns);
typedef void sum_fn(void *to, const void *from, unsigned long long n, void *partial,
                    unsigned *ticket);

// kind: 0 a kernel of the first type above, 1 of the second.
extern "C" void elementwise_launch(int kind, void (*kernel)(), unsigned n_blocks,
                                   unsigned n_threads, void *to, const void *a, const void *b,
                                   unsigned long long n, unsigned number)
{
    if (kind == 0)
        host_launch({n_blocks, 1, 1}, n_threads, reinterpret_cast<map_fn *>(kernel), to, a, b, n,
                    number);
    else
        host_launch({n_blocks, 1, 1}, n_threads, reinterpret_cast<rows_fn *>(kernel), to, a, n,
                    number);
}

// One of the third. goes_back: blocks come from the last to the first.
extern "C" void elementwise_launch_sum(void (*kernel)(), unsigned n_blocks, unsigned n_threads,
                                       void *to, const void *from, unsigned long long n,
                                       void *partial, unsigned *ticket, bool goes_back)
{
    beyond_cache.clear();
    host_goes_back = goes_back;
    host_launch({n_blocks, 1, 1}, n_threads, reinterpret_cast<sum_fn *>(kernel), to, from, n,
                partial, ticket);
    host_goes_back = false;
}
