/* histogram_cuda.c - see histogram.h: a kernel counts. Plugin side. */
#include "histogram.h"

#include "plugins/common/bench_steps.h"
#include "plugins/common/cuda/cuda_image.h"

#include <inttypes.h>

CUDA_IMAGE(histogram_image, "plugins/bench_histogram/histogram");

enum { VECTOR = 4, SHARED_BYTES = 48 * 1024 }; /* what a block has of shared memory unasked */

struct histogram_cuda {
    struct cuda_kernels kernels;
    CUfunction function;
    unsigned n_blocks, shared_bytes;
    CUdeviceptr counts, values;
    unsigned long long n;
    unsigned bins;
    void *arguments[4];
};

static int32_t check_case(const struct histogram *histogram)
{
    const struct gb_host *host = histogram->host;
    const struct params *params = histogram->params;
    if (params->threads != THREADS_DEFAULT)
        return host->skip(host, "threads is for the CPU: those of a GPU are in blocks, see block");
    if (params->method != METHOD_PRIVATE || params->bins <= SHARED_BYTES / 4)
        return GB_OK;
    return host_skip(host,
                     "bins = %" PRId64 " with method = private: a block has shared memory for %d",
                     params->bins, SHARED_BYTES / 4);
}

static int32_t create(struct histogram *histogram)
{
    const int32_t status = check_case(histogram);
    return status == GB_OK ? cuda_kernels_open(histogram->own, histogram->host) : status;
}

/* As many blocks as the device has room for, each of which goes on until all is counted: so that
 * private counts are added up as seldom as can be. */
static int32_t size_grid(const struct histogram *histogram, struct histogram_cuda *cuda)
{
    const uint64_t block = (uint64_t)histogram->params->block;
    const uint64_t in_block = block * VECTOR;
    const uint64_t wanted = (cuda->n + in_block - 1) / in_block;
    int units = 0;
    int threads = 0;
    const int32_t status = driver_units(&cuda->kernels.driver, histogram->host, &units, &threads);
    const uint64_t room = (uint64_t)units * ((uint64_t)threads / block);
    cuda->n_blocks = (unsigned)(wanted < room ? wanted : room);
    return status;
}

static int32_t prepare(struct histogram *histogram, const struct gb_queue *queue)
{
    struct histogram_cuda *cuda = histogram->own;
    const struct params *params = histogram->params;
    const bool is_private = params->method == METHOD_PRIVATE;
    (void)queue;
    cuda->n = (unsigned long long)params->n;
    cuda->bins = (unsigned)params->bins;
    cuda->counts = (CUdeviceptr)(uintptr_t)histogram->counts;
    cuda->values = (CUdeviceptr)(uintptr_t)histogram->values;
    cuda->shared_bytes = is_private ? cuda->bins * (unsigned)sizeof(uint32_t) : 0;
    cuda->arguments[0] = &cuda->counts;
    cuda->arguments[1] = &cuda->values;
    cuda->arguments[2] = &cuda->n;
    cuda->arguments[3] = &cuda->bins;
    const int32_t status = cuda_kernels_load(&cuda->kernels, &histogram_image,
                                             is_private ? "histogram_private" : "histogram_global",
                                             &cuda->function);
    return status == GB_OK ? size_grid(histogram, cuda) : status;
}

static int32_t reset(const struct histogram *histogram, const struct gb_queue *queue)
{
    const struct histogram_cuda *cuda = histogram->own;
    const struct driver *driver = &cuda->kernels.driver;
    const CUresult result = driver->fill_words_async(cuda->counts, 0, cuda->bins, queue->native);
    return driver_status(driver, histogram->host, result, "setting the counts to 0");
}

static int32_t run(const struct histogram *histogram, const struct gb_queue *queue,
                   uint64_t iterations)
{
    struct histogram_cuda *cuda = histogram->own;
    const struct driver *driver = &cuda->kernels.driver;
    const unsigned block = (unsigned)histogram->params->block;
    CUresult result = CUDA_SUCCESS;
    for (uint64_t i = 0; i < iterations && result == CUDA_SUCCESS; i++)
        result = driver->launch(cuda->function, cuda->n_blocks, 1, 1, block, 1, 1,
                                cuda->shared_bytes, queue->native, cuda->arguments, NULL);
    return driver_status(driver, histogram->host, result, "launching a histogram");
}

const struct backend histogram_cuda = {
    .own_bytes = sizeof(struct histogram_cuda),
    .create = create,
    .prepare = prepare,
    .reset = reset,
    .run = run,
    .destroy = cuda_kernels_free,
};
