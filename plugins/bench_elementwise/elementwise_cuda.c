/* elementwise_cuda.c - see elementwise.h: a kernel for each, for a sum two. Plugin side. */
#include "elementwise.h"

#include "plugins/common/cuda_image.h"

#include <inttypes.h>
#include <stdio.h>

CUDA_IMAGE(elementwise_image, "plugins/bench_elementwise/elementwise");

enum {
    WARP = 32, /* as in elementwise.cu, */
    VECTOR_BYTES = 16,
    HELD_BY_WARP = 8, /* vectors of a row, by each thread, */
    HELD_BY_BLOCK = 4,
    UNDER_WAY = 4 /* and of all inputs of other kernels: these as well */
};

struct launch {
    CUfunction function;
    unsigned n_blocks;
    void *arguments[5];
};

struct elementwise_cuda {
    struct cuda_kernels kernels;
    struct launch launches[2]; /* one after the other: the second is for sums */
    unsigned n_launches;
    CUdeviceptr output, inputs[2], partial;
    unsigned long long n, n_rows, n_partial;
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
    char reason[160];
    if (elementwise->columns % in_vector(elementwise) != 0) {
        snprintf(reason, sizeof reason,
                 "columns = %" PRId64 " of %s: a row is a multiple of %d bytes on a GPU",
                 params->columns, dtype_names[params->dtype], VECTOR_BYTES);
        return host->skip(host, reason);
    }
    if (elementwise->columns <= most)
        return GB_OK;
    snprintf(reason, sizeof reason,
             "columns = %" PRId64 " of %s: a block of %" PRId64 " threads holds %" PRIu64,
             params->columns, dtype_names[params->dtype], params->block, most);
    return host->skip(host, reason);
}

static int32_t check_case(const struct elementwise *elementwise)
{
    const struct gb_host *host = elementwise->host;
    const struct params *params = elementwise->params;
    char reason[96];
    if (params->threads != THREADS_DEFAULT)
        return host->skip(host, "threads is for the CPU: those of a GPU are in blocks, see block");
    if (params->block % WARP != 0) {
        snprintf(reason, sizeof reason, "block = %" PRId64 " is not a multiple of %d",
                 params->block, WARP);
        return host->skip(host, reason);
    }
    return elementwise->kernel->has_rows ? check_rows(elementwise) : GB_OK;
}

static int32_t create(struct elementwise *elementwise)
{
    const struct gb_host *host = elementwise->host;
    const int32_t status = check_case(elementwise);
    if (status != GB_OK)
        return status;
    struct elementwise_cuda *cuda = host->allocate(host, sizeof *cuda);
    if (cuda == NULL)
        return GB_NO_MEMORY;
    elementwise->own = cuda;
    return cuda_kernels_open(&cuda->kernels, host);
}

/* --- launches --- */

static int32_t ask_device(const struct elementwise *elementwise, struct elementwise_cuda *cuda)
{
    const struct driver *driver = &cuda->kernels.driver;
    CUdevice here = 0;
    int threads = 0;
    int units = 0;
    CUresult result = driver->context_device(&here);
    if (result == CUDA_SUCCESS)
        result = driver->device_attribute(&threads,
                                          CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR, here);
    if (result == CUDA_SUCCESS)
        result = driver->device_attribute(&units, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, here);
    cuda->resident_blocks = (uint64_t)units *
                            ((uint64_t)threads / (uint64_t)elementwise->params->block);
    return driver_status(driver, elementwise->host, result,
                         "asking how many threads the device has");
}

static uint64_t quotient_up(uint64_t a, uint64_t b)
{
    return (a + b - 1) / b;
}

static unsigned at_least_one(uint64_t n)
{
    return n > 0 ? (unsigned)n : 1;
}

/* A kernel that holds much in registers can not have blocks of any size. */
static int32_t check_block(const struct elementwise *elementwise, const struct launch *launch)
{
    const struct elementwise_cuda *cuda = elementwise->own;
    const struct gb_host *host = elementwise->host;
    char reason[128];
    int most = 0;
    const CUresult result = cuda->kernels.driver.function_attribute(
        &most, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, launch->function);
    if (result != CUDA_SUCCESS)
        return driver_status(&cuda->kernels.driver, host, result,
                             "asking for a kernel's registers");
    if (elementwise->params->block <= most)
        return GB_OK;
    snprintf(reason, sizeof reason, "block = %lld: with its registers this kernel has at most %d",
             (long long)elementwise->params->block, most);
    return host->skip(host, reason);
}

/* `infix` says which of a kernel's variants. */
static int32_t load(const struct elementwise *elementwise, struct launch *launch, const char *infix)
{
    struct elementwise_cuda *cuda = elementwise->own;
    char name[48];
    snprintf(name, sizeof name, "%s_%s%s", elementwise->kernel->name, infix,
             dtype_names[elementwise->params->dtype]);
    const int32_t status = cuda->kernels.module != NULL
                               ? cuda_image_function(&cuda->kernels.driver, elementwise->host,
                                                     cuda->kernels.module, name, &launch->function)
                               : cuda_kernels_load(&cuda->kernels, &elementwise_image, name,
                                                   &launch->function);
    return status == GB_OK ? check_block(elementwise, launch) : status;
}

/* One vector a thread spreads few of them over all multiprocessors; when each of their threads
 * would have more than one, several loads under way in each thread hide more latency. */
static int32_t prepare_each(const struct elementwise *elementwise, struct elementwise_cuda *cuda)
{
    struct launch *launch = &cuda->launches[0];
    const uint64_t block = (uint64_t)elementwise->params->block;
    const uint64_t n_vectors = cuda->n / in_vector(elementwise);
    const unsigned many = UNDER_WAY / elementwise->kernel->n_inputs;
    cuda->per_thread = n_vectors > cuda->resident_blocks * block ? many : 1;
    launch->n_blocks = at_least_one(quotient_up(n_vectors, block * cuda->per_thread));
    launch->arguments[0] = &cuda->output;
    launch->arguments[1] = &cuda->inputs[0];
    launch->arguments[2] = &cuda->inputs[1];
    launch->arguments[3] = &cuda->n;
    launch->arguments[4] = &cuda->per_thread;
    cuda->n_launches = 1;
    return load(elementwise, launch, "");
}

/* Additions: within a thread, within its warp, and of the block's warps. */
static int32_t prepare_rows(struct elementwise *elementwise, struct elementwise_cuda *cuda)
{
    struct launch *launch = &cuda->launches[0];
    const uint64_t warps = (uint64_t)elementwise->params->block / WARP;
    const bool is_by_warp = elementwise->columns <=
                            (uint64_t)HELD_BY_WARP * WARP * in_vector(elementwise);
    const uint64_t held = is_by_warp ? HELD_BY_WARP : HELD_BY_BLOCK;
    elementwise->sum_depth = held * in_vector(elementwise) + 5 + (is_by_warp ? 0 : warps);
    launch->n_blocks = at_least_one(is_by_warp ? quotient_up(cuda->n_rows, warps) : cuda->n_rows);
    launch->arguments[0] = &cuda->output;
    launch->arguments[1] = &cuda->inputs[0];
    launch->arguments[2] = &cuda->n_rows;
    launch->arguments[3] = &cuda->columns;
    cuda->n_launches = 1;
    return load(elementwise, launch, is_by_warp ? "warp_" : "block_");
}

/* Additions in a thread: of a vector's elements and of 4 vectors at a time, of those, of 3 vectors
 * more and of what is left over; then as with rows; and all that again for the sums of blocks. */
static uint64_t depth_of_sum(const struct elementwise *elementwise,
                             const struct elementwise_cuda *cuda)
{
    const uint64_t block = (uint64_t)elementwise->params->block;
    const uint64_t n_vectors = cuda->n / in_vector(elementwise);
    const uint64_t in_thread = 3 + 2 + n_vectors / (4 * block * cuda->n_partial) + 3 + 1;
    const uint64_t in_end = quotient_up(cuda->n_partial, block);
    return in_thread + in_end + 2 * (5 + block / WARP);
}

static int32_t prepare_sum(struct elementwise *elementwise, struct elementwise_cuda *cuda)
{
    const struct gb_host *host = elementwise->host;
    struct launch *first = &cuda->launches[0];
    struct launch *second = &cuda->launches[1];
    const uint64_t block = (uint64_t)elementwise->params->block;
    const uint64_t wanted = quotient_up(cuda->n / in_vector(elementwise), block * UNDER_WAY);
    void *partial = NULL;
    first->n_blocks = at_least_one(wanted < cuda->resident_blocks ? wanted : cuda->resident_blocks);
    second->n_blocks = 1;
    cuda->n_partial = first->n_blocks;
    elementwise->sum_depth = depth_of_sum(elementwise, cuda);
    int32_t status = host->device_allocate(host, cuda->n_partial * elementwise->output_bytes,
                                           GB_MEMORY_DEVICE, &partial);
    cuda->partial = (CUdeviceptr)(uintptr_t)partial;
    first->arguments[0] = &cuda->partial;
    first->arguments[1] = &cuda->inputs[0];
    first->arguments[2] = &cuda->n;
    second->arguments[0] = &cuda->output;
    second->arguments[1] = &cuda->partial;
    second->arguments[2] = &cuda->n_partial;
    cuda->n_launches = 2;
    if (status == GB_OK)
        status = load(elementwise, first, "");
    return status == GB_OK ? load(elementwise, second, "end_") : status;
}

static int32_t prepare(struct elementwise *elementwise)
{
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
    for (uint64_t i = 0; i < iterations * cuda->n_launches && result == CUDA_SUCCESS; i++) {
        struct launch *launch = &cuda->launches[i % cuda->n_launches];
        result = driver->launch(launch->function, launch->n_blocks, 1, 1, block, 1, 1, 0,
                                queue->native, launch->arguments, NULL);
    }
    return driver_status(driver, elementwise->host, result, "launching a kernel");
}

static void destroy(struct elementwise *elementwise)
{
    struct elementwise_cuda *cuda = elementwise->own;
    cuda_kernels_free(&cuda->kernels);
}

const struct backend elementwise_cuda = {
    .device = "cuda",
    .create = create,
    .prepare = prepare,
    .run = run,
    .destroy = destroy,
};
