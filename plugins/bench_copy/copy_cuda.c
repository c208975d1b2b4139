/*
 * copy_cuda.c - see copy.h: a kernel copies, or the driver. Plugin side.
 */
#include "copy.h"

#include "plugins/common/bench_steps.h"
#include "plugins/common/cuda/cuda_image.h"

#include <stdio.h>

CUDA_IMAGE(copy_image, "plugins/bench_copy/copy");

enum { THREADS = 256, UNROLLED = 4 };

struct copy_cuda {
    struct cuda_kernels kernels;
    CUresult (*once)(struct copy_cuda *cuda, CUstream stream);
    CUdeviceptr from, to; /* as the device reaches them */
    uint64_t bytes;

    CUfunction function;
    unsigned n_blocks, per_thread;
    void *arguments[4];

    CUcontext context, peer_context; /* peer_context: NULL until prepare needs it */
    CUdevice peer;
    CUdeviceptr peer_memory[2]; /* of from and of to */
    bool has_enabled_peer;
};

/* --- the ways to copy --- */

static CUresult copy_by_kernel(struct copy_cuda *cuda, CUstream stream)
{
    return cuda->kernels.driver.launch(cuda->function, cuda->n_blocks, 1, 1, THREADS, 1, 1, 0,
                                       stream, cuda->arguments, NULL);
}

static CUresult copy_by_driver(struct copy_cuda *cuda, CUstream stream)
{
    return cuda->kernels.driver.copy_async(cuda->to, cuda->from, cuda->bytes, stream);
}

static CUresult copy_from_peer(struct copy_cuda *cuda, CUstream stream)
{
    return cuda->kernels.driver.copy_peer_async(cuda->to, cuda->context, cuda->from,
                                                cuda->peer_context, cuda->bytes, stream);
}

static CUresult copy_to_peer(struct copy_cuda *cuda, CUstream stream)
{
    return cuda->kernels.driver.copy_peer_async(cuda->to, cuda->peer_context, cuda->from,
                                                cuda->context, cuda->bytes, stream);
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
        return params->from == PLACE_DEVICE && params->to == PLACE_DEVICE;
    return params->method == METHOD_KERNEL;
}

static int32_t check_case(const struct copy *copy)
{
    const struct params *params = copy->params;
    if (params->method == METHOD_LOOP || params->method == METHOD_STREAM)
        return copy_skip_method(copy, "for the CPU");
    if (is_by_kernel(params) && has_place(params, PLACE_PAGEABLE))
        return copy_skip_place(copy, "out of the kernel's reach: pageable is for method = memcpy");
    if (!is_by_kernel(params) && is_on_host(params->from) && is_on_host(params->to))
        return copy_skip_place(copy, "no work for a GPU with method = memcpy");
    return GB_OK;
}

/* The next device, the first after the last. */
static int32_t find_peer(const struct copy *copy, struct copy_cuda *cuda)
{
    const struct driver *driver = &cuda->kernels.driver;
    CUdevice here = 0;
    int n = 0;
    int is_reached = 0;
    CUresult result = driver->context_device(&here);
    if (result == CUDA_SUCCESS)
        result = driver->device_count(&n);
    if (result == CUDA_SUCCESS && n < 2)
        return copy_skip_place(copy, "not possible: there is one GPU");
    if (result == CUDA_SUCCESS)
        result = driver->device_get(&cuda->peer, (here + 1) % n);
    if (result == CUDA_SUCCESS)
        result = driver->can_access_peer(&is_reached, here, cuda->peer);
    if (result == CUDA_SUCCESS && is_reached == 0)
        return copy_skip_place(copy, "not possible: this GPU does not reach the next one's memory");
    return driver_status(driver, copy->host, result, "looking for the next GPU");
}

static int32_t create(struct copy *copy)
{
    const struct gb_host *host = copy->host;
    int32_t status = check_case(copy);
    if (status != GB_OK)
        return status;
    struct copy_cuda *cuda = host->allocate(host, sizeof *cuda);
    if (cuda == NULL)
        return GB_NO_MEMORY;
    status = cuda_kernels_open(&cuda->kernels, host);
    if (status == GB_OK && has_place(copy->params, PLACE_PEER))
        status = find_peer(copy, cuda);
    cuda->bytes = copy->params->bytes;
    copy->own = cuda;
    return status;
}

/* --- memory --- */

/* Its context is held, and this one's may reach the memory, for the life of the benchmark. */
static int32_t enter_peer(const struct copy *copy, struct copy_cuda *cuda)
{
    const struct driver *driver = &cuda->kernels.driver;
    CUresult result = driver->context_get(&cuda->context);
    if (result == CUDA_SUCCESS)
        result = driver->context_retain(&cuda->peer_context, cuda->peer);
    if (result != CUDA_SUCCESS)
        return driver_status(driver, copy->host, result, "creating a context on the next GPU");
    result = driver->context_enable_peer(cuda->peer_context, 0);
    cuda->has_enabled_peer = result == CUDA_SUCCESS;
    if (result == CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED)
        result = CUDA_SUCCESS;
    return driver_status(driver, copy->host, result, "asking for access to the next GPU's memory");
}

static int32_t take_peer_memory(const struct copy *copy, struct copy_cuda *cuda, CUdeviceptr *ret)
{
    const struct driver *driver = &cuda->kernels.driver;
    CUresult result = driver->context_set(cuda->peer_context);
    if (result == CUDA_SUCCESS)
        result = driver->allocate(ret, cuda->bytes);
    const CUresult back = driver->context_set(cuda->context);
    return driver_status(driver, copy->host, result != CUDA_SUCCESS ? result : back,
                         "allocating memory on the next GPU");
}

static int32_t take_memory(const struct copy *copy, struct copy_cuda *cuda, int32_t place,
                           CUdeviceptr *peer_memory, unsigned char **ret)
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
        status = take_peer_memory(copy, cuda, peer_memory);
        *ret = (unsigned char *)(uintptr_t)*peer_memory;
        return status;
    default:
        *ret = device_memory(host, cuda->bytes, GB_MEMORY_DEVICE, &status);
        return status;
    }
}

static int32_t take_both(struct copy *copy, struct copy_cuda *cuda)
{
    const struct params *params = copy->params;
    int32_t status = GB_OK;
    if (has_place(params, PLACE_PEER))
        status = enter_peer(copy, cuda);
    if (status == GB_OK)
        status = take_memory(copy, cuda, params->from, &cuda->peer_memory[0], &copy->from);
    if (status == GB_OK)
        status = take_memory(copy, cuda, params->to, &cuda->peer_memory[1], &copy->to);
    cuda->from = (CUdeviceptr)(uintptr_t)copy->from;
    cuda->to = (CUdeviceptr)(uintptr_t)copy->to;
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
    CUresult result = mapped(driver, params->from, copy->from, &cuda->from);
    if (result == CUDA_SUCCESS)
        result = mapped(driver, params->to, copy->to, &cuda->to);
    cuda->arguments[0] = &cuda->to;
    cuda->arguments[1] = &cuda->from;
    cuda->arguments[2] = &cuda->bytes;
    cuda->arguments[3] = &cuda->per_thread;
    return driver_status(driver, copy->host, result, "mapping pinned memory");
}

static int32_t prepare(struct copy *copy, const struct gb_queue *queue)
{
    (void)queue;
    struct copy_cuda *cuda = copy->own;
    const struct params *params = copy->params;
    const int32_t status = take_both(copy, cuda);
    if (status != GB_OK)
        return status;
    if (is_by_kernel(params)) {
        cuda->once = copy_by_kernel;
        return prepare_kernel(copy, cuda);
    }
    cuda->once = copy_by_driver;
    if (params->from == PLACE_PEER && params->to == PLACE_DEVICE)
        cuda->once = copy_from_peer;
    if (params->from == PLACE_DEVICE && params->to == PLACE_PEER)
        cuda->once = copy_to_peer;
    return GB_OK;
}

static int32_t run(const struct copy *copy, const struct gb_queue *queue, uint64_t iterations)
{
    struct copy_cuda *cuda = copy->own;
    CUresult result = CUDA_SUCCESS;
    for (uint64_t i = 0; i < iterations && result == CUDA_SUCCESS; i++)
        result = cuda->once(cuda, queue->native);
    return driver_status(&cuda->kernels.driver, copy->host, result, "launching a copy");
}

static void destroy(struct copy *copy)
{
    struct copy_cuda *cuda = copy->own;
    const struct driver *driver = &cuda->kernels.driver;
    cuda_kernels_free(&cuda->kernels);
    if (cuda->peer_context == NULL)
        return;
    driver->context_synchronize();
    if (cuda->has_enabled_peer)
        driver->context_disable_peer(cuda->peer_context);
    driver->context_set(cuda->peer_context);
    for (int i = 0; i < 2; i++) {
        if (cuda->peer_memory[i] != 0)
            driver->free(cuda->peer_memory[i]);
    }
    driver->context_set(cuda->context);
    driver->context_release(cuda->peer);
}

const struct backend copy_cuda = {
    .create = create,
    .prepare = prepare,
    .run = run,
    .destroy = destroy,
};
