/*
 * copy_cuda.c - see copy.h: a kernel copies, or the driver. Plugin side.
 */
#include "copy.h"

#include "plugins/common/bench_steps.h"
#include "plugins/common/cuda/cuda_image.h"
#include "plugins/common/cuda/gpu_group.h"

#include <stdio.h>

CUDA_IMAGE(copy_image, "plugins/bench_copy/copy");

enum { THREADS = 256, UNROLLED = 4 };

/* As the device reaches it. */
struct cuda_transfer {
    CUdeviceptr from, to;
};

struct copy_cuda {
    struct cuda_kernels kernels;
    struct cuda_transfer *transfers;
    struct gpu_group group; /* of no member: one GPU and its queue are enough */
    uint64_t bytes;

    CUfunction function; /* NULL: the driver copies */
    unsigned n_blocks, per_thread;
    void *arguments[4];
};

/* --- the ways to copy --- */

static CUresult copy_by_kernel(struct copy_cuda *cuda, CUstream stream)
{
    return cuda->kernels.driver.launch(cuda->function, cuda->n_blocks, 1, 1, THREADS, 1, 1, 0,
                                       stream, cuda->arguments, NULL);
}

/* Addresses are unified and peers reach each other's memory, so that the driver needs no contexts.
 * cuMemcpyPeerAsync, which takes them, cannot be captured into a graph. */
static CUresult copy_by_driver(const struct copy_cuda *cuda, const struct cuda_transfer *transfer,
                               CUstream stream)
{
    return cuda->kernels.driver.copy_async(transfer->to, transfer->from, cuda->bytes, stream);
}

/* Each stream has as many transfers, and works on them while the others do. */
static CUresult copy_at_once(const struct copy *copy, CUstream queue, uint64_t iterations)
{
    const struct copy_cuda *cuda = copy->own;
    const uint32_t n_streams = cuda->group.n;
    const uint64_t on_each = copy->n_transfers / n_streams;
    CUresult result = gpu_group_fork(&cuda->group, queue);
    for (uint64_t i = 0; i < iterations * copy->n_transfers && result == CUDA_SUCCESS; i++) {
        const uint64_t stream = i % n_streams;
        const uint64_t transfer = stream * on_each + i / n_streams % on_each;
        result = copy_by_driver(cuda, &cuda->transfers[transfer], cuda->group.gpus[stream].stream);
    }
    return result == CUDA_SUCCESS ? gpu_group_join(&cuda->group, queue) : result;
}

/* --- what can be done --- */

static bool is_on_host(int32_t place)
{
    return place == PLACE_PINNED || place == PLACE_PAGEABLE;
}

static bool has_place(const struct params *params, int32_t place)
{
    return params->from == place || params->to == place;
}

static bool is_by_kernel(const struct params *params)
{
    if (params->method == METHOD_AUTO)
        return params->from == PLACE_DEVICE && params->to == PLACE_DEVICE &&
               params->directions == DIRECTIONS_ONE;
    return params->method == METHOD_KERNEL;
}

static int32_t check_case(const struct copy *copy)
{
    const struct params *params = copy->params;
    if (params->method == METHOD_LOOP || params->method == METHOD_STREAM)
        return copy_skip_method(copy, "for the CPU");
    if (params->method == METHOD_KERNEL && params->directions != DIRECTIONS_ONE)
        return copy_skip_method(copy, "for directions = one: the others are for memcpy");
    if (is_by_kernel(params) && has_place(params, PLACE_PAGEABLE))
        return copy_skip_place(copy, "out of the kernel's reach: pageable is for method = memcpy");
    if (!is_by_kernel(params) && is_on_host(params->from) && is_on_host(params->to))
        return copy_skip_place(copy, "no work for a GPU with method = memcpy");
    return GB_OK;
}

/* This GPU and the next one, or all of them; for both directions without a peer, two streams. */
static int32_t find_gpus(struct copy *copy, struct copy_cuda *cuda)
{
    const struct params *params = copy->params;
    const struct driver *driver = &cuda->kernels.driver;
    int32_t status = GB_OK;
    if (has_place(params, PLACE_PEER))
        status = gpu_group_find(&cuda->group, driver, copy->host,
                                params->directions == DIRECTIONS_ALL ? 0 : 2);
    else if (params->directions != DIRECTIONS_ONE)
        status = gpu_group_here(&cuda->group, driver, copy->host, 2);
    if (status == GB_OK)
        status = gpu_group_require_access(&cuda->group);
    return status;
}

static int32_t create(struct copy *copy)
{
    const struct gb_host *host = copy->host;
    int32_t status = check_case(copy);
    if (status != GB_OK)
        return status;
    struct copy_cuda *cuda = copy->own;
    status = cuda_kernels_open(&cuda->kernels, host);
    if (status == GB_OK)
        status = find_gpus(copy, cuda);
    cuda->bytes = copy->params->bytes;
    const uint32_t n = cuda->group.n;
    copy->n_transfers = copy->params->directions == DIRECTIONS_ALL    ? n * (n - 1)
                        : copy->params->directions == DIRECTIONS_BOTH ? 2
                                                                      : 1;
    return status;
}

/* --- memory --- */

static int32_t take_memory(const struct copy *copy, struct copy_cuda *cuda, int32_t place,
                           unsigned char **ret)
{
    const struct gb_host *host = copy->host;
    int32_t status = GB_OK;
    switch (place) {
    case PLACE_PINNED:
        *ret = device_memory(host, cuda->bytes, GB_MEMORY_PINNED, &status);
        return status;
    case PLACE_PAGEABLE:
        *ret = host->allocate(host, cuda->bytes);
        return *ret != NULL ? GB_OK : GB_NO_MEMORY;
    case PLACE_PEER:
        return gpu_group_allocate(&cuda->group, 1, cuda->bytes, ret);
    default:
        *ret = device_memory(host, cuda->bytes, GB_MEMORY_DEVICE, &status);
        return status;
    }
}

static int32_t take_one(struct copy *copy, struct copy_cuda *cuda, uint32_t i, int32_t from,
                        int32_t to)
{
    struct transfer *transfer = &copy->transfers[i];
    int32_t status = take_memory(copy, cuda, from, &transfer->from);
    if (status == GB_OK)
        status = take_memory(copy, cuda, to, &transfer->to);
    return status;
}

/* Member i copies to those after it, the first after the last: in each step every GPU sends to one
 * and receives from one. */
static int32_t take_all(struct copy *copy, struct copy_cuda *cuda)
{
    struct gpu_group *group = &cuda->group;
    int32_t status = GB_OK;
    for (uint32_t i = 0; i < copy->n_transfers && status == GB_OK; i++) {
        const uint32_t from = i / (group->n - 1);
        const uint32_t to = (from + 1 + i % (group->n - 1)) % group->n;
        status = gpu_group_allocate(group, from, cuda->bytes, &copy->transfers[i].from);
        if (status == GB_OK)
            status = gpu_group_allocate(group, to, cuda->bytes, &copy->transfers[i].to);
    }
    return status;
}

static int32_t take_transfers(struct copy *copy, struct copy_cuda *cuda)
{
    const struct params *params = copy->params;
    int32_t status = GB_OK;
    cuda->transfers = copy->host->allocate(copy->host, copy->n_transfers * sizeof *cuda->transfers);
    if (cuda->transfers == NULL)
        return GB_NO_MEMORY;
    if (cuda->group.n > 0)
        status = gpu_group_start(&cuda->group);
    if (status == GB_OK)
        status = gpu_group_enable_access(&cuda->group);
    if (status == GB_OK && params->directions == DIRECTIONS_ALL)
        status = take_all(copy, cuda);
    else if (status == GB_OK)
        status = take_one(copy, cuda, 0, params->from, params->to);
    if (status == GB_OK && params->directions == DIRECTIONS_BOTH)
        status = take_one(copy, cuda, 1, params->to, params->from);
    for (uint32_t i = 0; i < copy->n_transfers; i++) {
        cuda->transfers[i].from = (CUdeviceptr)(uintptr_t)copy->transfers[i].from;
        cuda->transfers[i].to = (CUdeviceptr)(uintptr_t)copy->transfers[i].to;
    }
    return status;
}

/* --- readiness --- */

/* One vector a thread spreads a small copy over all multiprocessors; when each of their threads
 * would have more than one, several loads under way in each thread hide more latency. */
static int32_t size_grid(const struct copy *copy, struct copy_cuda *cuda)
{
    const uint64_t n = cuda->bytes / (uint64_t)copy->params->width;
    int units = 0;
    int threads = 0;
    const int32_t status = driver_units(&cuda->kernels.driver, copy->host, &units, &threads);
    const uint64_t in_one_go = (uint64_t)threads * (uint64_t)units;
    cuda->per_thread = n > in_one_go ? UNROLLED : 1;
    const uint64_t in_block = (uint64_t)THREADS * cuda->per_thread;
    cuda->n_blocks = n > 0 ? (unsigned)((n + in_block - 1) / in_block) : 1;
    return status;
}

/* Where the kernel reaches memory; for what is not the host's, that is its address. */
static CUresult mapped(const struct driver *driver, int32_t place, void *memory, CUdeviceptr *ret)
{
    return place == PLACE_PINNED ? driver->host_device_pointer(ret, memory, 0) : CUDA_SUCCESS;
}

static int32_t prepare_kernel(const struct copy *copy, struct copy_cuda *cuda)
{
    const struct params *params = copy->params;
    const struct driver *driver = &cuda->kernels.driver;
    char name[32];
    snprintf(name, sizeof name, "copy_%d", (int)params->width);
    int32_t status = cuda_kernels_load(&cuda->kernels, &copy_image, name, &cuda->function);
    if (status == GB_OK)
        status = size_grid(copy, cuda);
    if (status != GB_OK)
        return status;
    struct cuda_transfer *transfer = cuda->transfers;
    CUresult result = mapped(driver, params->from, copy->transfers->from, &transfer->from);
    if (result == CUDA_SUCCESS)
        result = mapped(driver, params->to, copy->transfers->to, &transfer->to);
    cuda->arguments[0] = &transfer->to;
    cuda->arguments[1] = &transfer->from;
    cuda->arguments[2] = &cuda->bytes;
    cuda->arguments[3] = &cuda->per_thread;
    return driver_status(driver, copy->host, result, "mapping pinned memory");
}

static int32_t prepare(struct copy *copy, const struct gb_queue *queue)
{
    (void)queue;
    struct copy_cuda *cuda = copy->own;
    const int32_t status = take_transfers(copy, cuda);
    if (status == GB_OK && is_by_kernel(copy->params))
        return prepare_kernel(copy, cuda);
    return status;
}

static CUresult copy_in_order(const struct copy *copy, CUstream queue, uint64_t iterations)
{
    struct copy_cuda *cuda = copy->own;
    CUresult result = CUDA_SUCCESS;
    for (uint64_t i = 0; i < iterations && result == CUDA_SUCCESS; i++)
        result = cuda->function != NULL ? copy_by_kernel(cuda, queue)
                                        : copy_by_driver(cuda, cuda->transfers, queue);
    return result;
}

static int32_t run(const struct copy *copy, const struct gb_queue *queue, uint64_t iterations)
{
    const struct copy_cuda *cuda = copy->own;
    const CUresult result = (copy->params->directions == DIRECTIONS_ONE
                                 ? copy_in_order
                                 : copy_at_once)(copy, queue->native, iterations);
    return driver_status(&cuda->kernels.driver, copy->host, result, "launching a copy");
}

static void destroy(void *object)
{
    struct copy_cuda *cuda = object;
    cuda_kernels_free(&cuda->kernels);
    if (cuda->group.n > 0)
        cuda->kernels.driver.context_synchronize();
    gpu_group_free(&cuda->group);
}

const struct backend copy_cuda = {
    .own_bytes = sizeof(struct copy_cuda),
    .create = create,
    .prepare = prepare,
    .run = run,
    .destroy = destroy,
};
