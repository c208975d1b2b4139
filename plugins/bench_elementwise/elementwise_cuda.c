/* elementwise_cuda.c - see elementwise.h: one launch of a kernel each. Plugin side. */
#include "elementwise.h"

#include "plugins/common/bench_steps.h"
#include "plugins/common/cuda/cuda_image.h"

#include <inttypes.h>
#include <stdio.h>

#define NUMBERS "plugins/bench_elementwise/numbers.cuh"
CUDA_IMAGE_AFTER(each_image, NUMBERS, "plugins/bench_elementwise/each");
CUDA_IMAGE_AFTER(planes_image, NUMBERS, "plugins/bench_elementwise/planes");
CUDA_IMAGE_AFTER(rows_image, NUMBERS, "plugins/bench_elementwise/rows");
CUDA_IMAGE_AFTER(sum_image, NUMBERS, "plugins/bench_elementwise/sum");

enum {
    WARP = 32, /* as in the kernels, */
    VECTOR_BYTES = 16,
    HELD_BY_WARP = 8, /* vectors of a row, by each thread, */
    HELD_BY_BLOCK = 4,
    UNDER_WAY = 4,   /* and of all inputs of other kernels: these as well */
    OF_BLOCK = 5 + 5 /* additions of a warp, and of the sums of its warps */
};

struct elementwise_cuda {
    struct cuda_kernels kernels;
    CUfunction function;
    unsigned n_blocks;
    void *arguments[5];
    CUdeviceptr output, inputs[2];
    CUdeviceptr partial, ticket; /* of sums: each block's, and which of them is the last to end */
    unsigned long long n, n_rows, n_vectors;
    unsigned columns, per_thread;
    uint64_t resident_blocks; /* that the device has room for */
};

static const char *const dtype_names[] = {
    [DTYPE_FP32] = "fp32", [DTYPE_FP16] = "fp16", [DTYPE_BF16] = "bf16", [DTYPE_FP64] = "fp64"};

/* --- what can be done --- */

static uint64_t in_vector(const struct elementwise *elementwise)
{
    return VECTOR_BYTES / elementwise->element_bytes;
}

static int32_t check_rows(const struct elementwise *elementwise)
{
    const struct gb_host *host = elementwise->host;
    const struct params *params = elementwise->params;
    const uint64_t warp_holds = (uint64_t)HELD_BY_WARP * WARP * in_vector(elementwise);
    const uint64_t block_holds = (uint64_t)HELD_BY_BLOCK * (uint64_t)params->block *
                                 in_vector(elementwise);
    const uint64_t most = warp_holds > block_holds ? warp_holds : block_holds;
    if (elementwise->columns % in_vector(elementwise) != 0)
        return host_skip(host,
                         "columns = %" PRId64 " of %s: a row is a multiple of %d bytes on a GPU",
                         params->columns, dtype_names[params->dtype], VECTOR_BYTES);
    if (elementwise->columns <= most || !elementwise->kernel->has_sums)
        return GB_OK;
    return host_skip(host,
                     "columns = %" PRId64 " of %s: a block of %" PRId64 " threads holds %" PRIu64,
                     params->columns, dtype_names[params->dtype], params->block, most);
}

static int32_t check_case(const struct elementwise *elementwise)
{
    const struct gb_host *host = elementwise->host;
    const struct params *params = elementwise->params;
    if (params->threads != THREADS_DEFAULT)
        return host->skip(host, "threads is for the CPU: those of a GPU are in blocks, see block");
    if (params->block % WARP != 0)
        return host_skip(host, "block = %" PRId64 " is not a multiple of %d", params->block, WARP);
    return elementwise->kernel->has_rows ? check_rows(elementwise) : GB_OK;
}

static int32_t create(struct elementwise *elementwise)
{
    const int32_t status = check_case(elementwise);
    return status == GB_OK ? cuda_kernels_open(elementwise->own, elementwise->host) : status;
}

/* --- launches --- */

static int32_t ask_device(const struct elementwise *elementwise, struct elementwise_cuda *cuda)
{
    const uint64_t block = (uint64_t)elementwise->params->block;
    int units = 0;
    int threads = 0;
    int blocks = 0;
    const struct driver_question questions[] = {
        {&units, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT},
        {&threads, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR},
        {&blocks, CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR},
    };
    const int32_t status = driver_ask(&cuda->kernels.driver, elementwise->host, questions, 3,
                                      "asking how many blocks there is room for");
    cuda->resident_blocks = (uint64_t)units * smaller((uint64_t)threads / block, (uint64_t)blocks);
    return status;
}

static unsigned at_least_one(uint64_t n)
{
    return n > 0 ? (unsigned)n : 1;
}

/* A kernel that holds much in registers cannot have blocks of any size. */
static int32_t check_block(const struct elementwise *elementwise)
{
    const struct elementwise_cuda *cuda = elementwise->own;
    const struct gb_host *host = elementwise->host;
    int most = 0;
    const CUresult result = cuda->kernels.driver.function_attribute(
        &most, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, cuda->function);
    if (result != CUDA_SUCCESS)
        return driver_status(&cuda->kernels.driver, host, result,
                             "asking for a kernel's registers");
    if (elementwise->params->block <= most)
        return GB_OK;
    return host_skip(host, "block = %lld: with its registers this kernel has at most %d",
                     (long long)elementwise->params->block, most);
}

/* `infix` says which of a kernel's variants. */
static int32_t load(const struct elementwise *elementwise, const struct cuda_image *image,
                    const char *infix)
{
    struct elementwise_cuda *cuda = elementwise->own;
    char name[48];
    snprintf(name, sizeof name, "%s_%s%s", elementwise->kernel->name, infix,
             dtype_names[elementwise->params->dtype]);
    const int32_t status = cuda_kernels_load(&cuda->kernels, image, name, &cuda->function);
    return status == GB_OK ? check_block(elementwise) : status;
}

/* One vector a thread spreads few of them over all multiprocessors, and memory is used best by
 * blocks that end and make room. From a cache several loads under way in each thread hide more
 * latency, once there are more vectors than threads. */
static unsigned vectors_per_thread(const struct elementwise *elementwise, uint64_t n_vectors)
{
    const struct elementwise_cuda *cuda = elementwise->own;
    const uint64_t n_inputs = elementwise->kernel->n_inputs;
    const uint64_t bytes = n_vectors * VECTOR_BYTES * (n_inputs + 1);
    const bool is_cached = bytes <= elementwise->host->device->cache_bytes;
    const uint64_t n_threads = cuda->resident_blocks * (uint64_t)elementwise->params->block;
    return is_cached && n_vectors > n_threads ? UNDER_WAY / (unsigned)n_inputs : 1;
}

static int32_t prepare_each(const struct elementwise *elementwise, struct elementwise_cuda *cuda)
{
    const uint64_t block = (uint64_t)elementwise->params->block;
    const uint64_t n_vectors = cuda->n / in_vector(elementwise);
    cuda->per_thread = vectors_per_thread(elementwise, n_vectors);
    cuda->n_blocks = at_least_one(quotient_up(n_vectors, block * cuda->per_thread));
    cuda->arguments[0] = &cuda->output;
    cuda->arguments[1] = &cuda->inputs[0];
    cuda->arguments[2] = &cuda->inputs[1];
    cuda->arguments[3] = &cuda->n;
    cuda->arguments[4] = &cuda->per_thread;
    return load(elementwise, &each_image, "");
}

/* One vector a thread, none of which is held. */
static int32_t prepare_planes(const struct elementwise *elementwise, struct elementwise_cuda *cuda)
{
    cuda->n_vectors = cuda->n / in_vector(elementwise);
    cuda->n_blocks = at_least_one(
        quotient_up(cuda->n_vectors, (uint64_t)elementwise->params->block));
    cuda->arguments[0] = &cuda->output;
    cuda->arguments[1] = &cuda->inputs[0];
    cuda->arguments[2] = &cuda->inputs[1];
    cuda->arguments[3] = &cuda->n_vectors;
    cuda->arguments[4] = &cuda->columns;
    return load(elementwise, &planes_image, "");
}

/* Additions: within a thread, within its warp, and of the block's warps. */
static int32_t prepare_rows(struct elementwise *elementwise, struct elementwise_cuda *cuda)
{
    const uint64_t warps = (uint64_t)elementwise->params->block / WARP;
    const bool is_by_warp = elementwise->columns <=
                            (uint64_t)HELD_BY_WARP * WARP * in_vector(elementwise);
    const uint64_t held = is_by_warp ? HELD_BY_WARP : HELD_BY_BLOCK;
    elementwise->sum_depth = held * in_vector(elementwise) + 5 + (is_by_warp ? 0 : warps);
    cuda->n_blocks = at_least_one(is_by_warp ? quotient_up(cuda->n_rows, warps) : cuda->n_rows);
    cuda->arguments[0] = &cuda->output;
    cuda->arguments[1] = &cuda->inputs[0];
    cuda->arguments[2] = &cuda->n_rows;
    cuda->arguments[3] = &cuda->columns;
    return load(elementwise, &rows_image, is_by_warp ? "warp_" : "block_");
}

/* Additions in a thread: of a vector's elements and of the 4 vectors of a tile; of those of its
 * tiles or, in place of the last, of 3 vectors; then of its block. In the block that comes last a
 * thread adds up every so many blocks' sums. */
static uint64_t depth_of_sum(const struct elementwise *elementwise,
                             const struct elementwise_cuda *cuda, uint64_t n_tiles)
{
    const uint64_t in_thread = 3 + 2 + quotient_up(n_tiles, cuda->n_blocks) + 2;
    const uint64_t in_end = quotient_up(cuda->n_blocks, (uint64_t)elementwise->params->block);
    return in_thread + OF_BLOCK + in_end + OF_BLOCK;
}

static int32_t prepare_sum(struct elementwise *elementwise, struct elementwise_cuda *cuda)
{
    const struct gb_host *host = elementwise->host;
    const uint64_t tile = (uint64_t)elementwise->params->block * UNDER_WAY;
    const uint64_t n_tiles = quotient_up(cuda->n / in_vector(elementwise), tile);
    int32_t status = GB_OK;
    cuda->n_blocks = at_least_one(smaller(n_tiles, cuda->resident_blocks));
    elementwise->sum_depth = depth_of_sum(elementwise, cuda, n_tiles);
    void *partial = device_memory(host, cuda->n_blocks * elementwise->output_bytes,
                                  GB_MEMORY_DEVICE, &status);
    void *ticket = device_memory(host, sizeof(unsigned), GB_MEMORY_DEVICE, &status);
    if (status == GB_OK)
        status = host->device_fill(host, ticket, 0, sizeof(unsigned));
    cuda->partial = (CUdeviceptr)(uintptr_t)partial;
    cuda->ticket = (CUdeviceptr)(uintptr_t)ticket;
    cuda->arguments[0] = &cuda->output;
    cuda->arguments[1] = &cuda->inputs[0];
    cuda->arguments[2] = &cuda->n;
    cuda->arguments[3] = &cuda->partial;
    cuda->arguments[4] = &cuda->ticket;
    return status == GB_OK ? load(elementwise, &sum_image, "") : status;
}

static int32_t prepare(struct elementwise *elementwise, const struct gb_queue *queue)
{
    (void)queue;
    struct elementwise_cuda *cuda = elementwise->own;
    const int32_t status = ask_device(elementwise, cuda);
    cuda->output = (CUdeviceptr)(uintptr_t)elementwise->output;
    cuda->inputs[0] = (CUdeviceptr)(uintptr_t)elementwise->inputs[0];
    cuda->inputs[1] = (CUdeviceptr)(uintptr_t)elementwise->inputs[1];
    cuda->n = elementwise->n;
    cuda->n_rows = elementwise->n / elementwise->columns;
    cuda->columns = (unsigned)elementwise->columns;
    if (status != GB_OK)
        return status;
    if (elementwise->kernel->has_rows && !elementwise->kernel->has_sums)
        return prepare_planes(elementwise, cuda);
    if (elementwise->kernel->has_rows)
        return prepare_rows(elementwise, cuda);
    return elementwise->kernel->has_sums ? prepare_sum(elementwise, cuda)
                                         : prepare_each(elementwise, cuda);
}

static int32_t run(const struct elementwise *elementwise, const struct gb_queue *queue,
                   uint64_t iterations)
{
    struct elementwise_cuda *cuda = elementwise->own;
    const struct driver *driver = &cuda->kernels.driver;
    const unsigned block = (unsigned)elementwise->params->block;
    CUresult result = CUDA_SUCCESS;
    for (uint64_t i = 0; i < iterations && result == CUDA_SUCCESS; i++)
        result = driver->launch(cuda->function, cuda->n_blocks, 1, 1, block, 1, 1, 0, queue->native,
                                cuda->arguments, NULL);
    return driver_status(driver, elementwise->host, result, "launching a kernel");
}

const struct backend elementwise_cuda = {
    .own_bytes = sizeof(struct elementwise_cuda),
    .create = create,
    .prepare = prepare,
    .run = run,
    .destroy = cuda_kernels_free,
};
