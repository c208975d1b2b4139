// in_kernel.cu - the times that a kernel writes itself, from the start of its first block to the end of its last one,
// beside those that gbrun takes. Each launch has a slot of a ring on the device, which `collect` empties after each
// batch of samples, however the kernel was launched: also by a graph, where `run` is not called.
#include <gbrun/gbrun.h>
#pragma GCC diagnostic ignored "-Wmissing-field-initializers" // what is left out is 0, as in C
enum { RING = 8192, THREADS = 256 }; // more launches than a batch of samples has
struct slot { unsigned long long begin, not_end; };
struct ring { slot slots[RING]; unsigned long long n_launches; unsigned n_blocks_done, reserved; };
struct params { int64_t n; };
struct in_kernel {
    const gb_host *host;
    uint64_t n, n_collected;
    uint32_t series;
    float *data; // from, to
    ring *on_device, on_host;
};
static const gb_option options[] = {GB_INT(params, n, "1Mi", "1:2^30", "elements", "to copy")};
static __device__ unsigned long long now_ns()
{
    unsigned long long now;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now)::"memory");
    return now;
}
__global__ void copy(ring *ring, uint64_t n, float *data)
{
    slot *own = &ring->slots[ring->n_launches % RING];
    if (threadIdx.x == 0)
        atomicMin(&own->begin, now_ns());
    const uint64_t i = uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < n)
        data[n + i] = data[i];
    __syncthreads();
    if (threadIdx.x != 0)
        return;
    atomicMin(&own->not_end, ~now_ns());
    __threadfence();
    if (atomicInc(&ring->n_blocks_done, gridDim.x - 1) == gridDim.x - 1)
        ring->n_launches++; // the last block, after which the count is 0 again
}
static int32_t create(const gb_host *host, const void *wanted, void **ret_bench)
{
    auto *bench = (in_kernel *)host->allocate(host, sizeof(in_kernel));
    if (!bench)
        return GB_NO_MEMORY;
    if (!GB_HAS(host, sample))
        return host->fail(host, "needs a gbrun that takes samples");
    bench->host = host;
    bench->n = (uint64_t)((const params *)wanted)->n;
    bench->series = host->series(host, "in_kernel", "ns");
    *ret_bench = bench;
    return GB_OK;
}
static int32_t prepare(void *object, const gb_queue *)
{
    auto *bench = (in_kernel *)object;
    const gb_host *host = bench->host;
    int32_t status = host->device_allocate(host, 8 * bench->n, GB_MEMORY_DEVICE, (void **)&bench->data);
    if (status == GB_OK)
        status = host->device_allocate(host, sizeof(ring), GB_MEMORY_DEVICE, (void **)&bench->on_device);
    if (status == GB_OK)
        status = host->device_fill(host, bench->data, 0, 8 * bench->n);
    if (status == GB_OK)
        status = host->device_fill(host, bench->on_device, 0, sizeof(ring));
    return status ? status : host->device_fill(host, bench->on_device, 0xFF, sizeof bench->on_host.slots);
}
static int32_t run(void *object, const gb_queue *queue, uint64_t iterations)
{
    const auto *bench = (in_kernel *)object;
    const unsigned n_blocks = (unsigned)((bench->n + THREADS - 1) / THREADS);
    for (; iterations > 0; iterations--)
        copy<<<n_blocks, THREADS, 0, (cudaStream_t)queue->native>>>(bench->on_device, bench->n, bench->data);
    const cudaError_t error = cudaGetLastError();
    return error ? bench->host->fail(bench->host, cudaGetErrorString(error)) : GB_OK;
}
static int32_t collect(void *object, const gb_queue *)
{
    auto *bench = (in_kernel *)object;
    const gb_host *host = bench->host;
    ring *got = &bench->on_host;
    const int32_t status = host->device_copy(host, got, bench->on_device, sizeof *got);
    if (status != GB_OK)
        return status;
    if (got->n_launches - bench->n_collected <= RING) // after a long warm-up slots were used twice
        for (; bench->n_collected < got->n_launches; bench->n_collected++) {
            const slot *one = &got->slots[bench->n_collected % RING];
            host->sample(host, bench->series, (double)(~one->not_end - one->begin));
        }
    bench->n_collected = got->n_launches;
    return host->device_fill(host, bench->on_device, 0xFF, sizeof got->slots);
}
static int32_t work(void *object, gb_work *work)
{
    const double bytes = 4.0 * (double)((in_kernel *)object)->n;
    *work = {.size = work->size, .bytes_read = bytes, .bytes_written = bytes};
    return GB_OK;
}
static const gb_bench_ops ops = {.size = sizeof ops, .create = create, .prepare = prepare,
    .run = run, .work = work, .collect = collect};
static const gb_plugin plugin = {.size = sizeof plugin, .kind = GB_PLUGIN_BENCH,
    .id = "in_kernel", .version = "1.0", .summary = "copies floats, timed by the kernel itself",
    .devices = "cuda", GB_OPTIONS(options, params), .ops = &ops};
GB_MODULE(&plugin)
