#include <gbrun/gbrun.h>
#pragma GCC diagnostic ignored "-Wmissing-field-initializers" // what is left out is 0, as in C
struct params { int64_t n; };
struct saxpy { const gb_host *host; uint64_t n; float *inputs, *x; }; // y and z lie behind x
static const gb_option options[] = {GB_INT(params, n, "16Mi", "1:2^32", "elements", "length")};
__global__ void multiply_add(uint64_t n, float a, float *x) // z = a x + y
{
    const uint64_t i = uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < n)
        x[2 * n + i] = a * x[i] + x[n + i];
}
static int32_t create(const gb_host *host, const void *wanted, void **ret_bench)
{
    const uint64_t n = (uint64_t)((const params *)wanted)->n;
    const gb_fill random = {.size = sizeof random, .format = GB_F32, .low = -1, .high = 1};
    auto *bench = (saxpy *)host->allocate(host, sizeof(saxpy) + 8 * n); // gbrun frees it
    if (!bench)
        return GB_NO_MEMORY;
    *bench = {.host = host, .n = n, .inputs = (float *)(bench + 1)};
    *ret_bench = bench;
    return host->fill(host, bench->inputs, 2 * n, &random);
}
static int32_t prepare(void *object, const gb_queue *)
{
    auto &[host, n, inputs, x] = *(saxpy *)object;
    const int32_t status = host->device_allocate(host, 12 * n, GB_MEMORY_DEVICE, (void **)&x);
    return status ? status : host->device_copy(host, x, inputs, 8 * n);
}
static int32_t run(void *object, const gb_queue *queue, uint64_t iterations)
{
    const auto &[host, n, inputs, x] = *(saxpy *)object;
    for (; iterations > 0; iterations--)
        multiply_add<<<(n + 255) / 256, 256, 0, (cudaStream_t)queue->native>>>(n, 2.5f, x);
    const cudaError_t error = cudaGetLastError();
    return error ? host->fail(host, cudaGetErrorString(error)) : GB_OK;
}
static int32_t verify(void *object, const gb_queue *)
{
    const auto &[host, n, inputs, x] = *(saxpy *)object;
    auto *reference = (double *)host->allocate(host, 12 * n);
    auto *z = (float *)(reference + n);
    const int32_t status = reference ? host->device_copy(host, z, x + 2 * n, 4 * n) : GB_NO_MEMORY;
    for (uint64_t i = 0; status == GB_OK && i < n; i++)
        reference[i] = 2.5 * inputs[i] + inputs[n + i];
    const gb_check check = {.size = sizeof check, .format = GB_F32, .name = "z", .n = n,
        .output = z, .reference = reference, .default_metric = "ulp", .default_tolerance = 1};
    return status ? status : host->check(host, &check);
}
static int32_t work(void *object, gb_work *work)
{
    const double n = (double)((saxpy *)object)->n;
    *work = {.size = work->size, .flops = 2 * n, .bytes_read = 8 * n, .bytes_written = 4 * n};
    return GB_OK;
}
static const gb_bench_ops ops = {.size = sizeof ops, .create = create, .prepare = prepare,
    .run = run, .verify = verify, .work = work};
static const gb_plugin plugin = {.size = sizeof plugin, .kind = GB_PLUGIN_BENCH,
    .id = "saxpy", .version = "1.0", .summary = "z = a x + y", .devices = "cuda",
    GB_OPTIONS(options, params), .ops = &ops};
GB_MODULE(&plugin)
