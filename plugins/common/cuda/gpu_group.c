/*
 * gpu_group.c - see gpu_group.h. Plugin side.
 *
 * Streams and events belong to a context, so they are made and destroyed while it is current; what
 * is put on a stream later may come from any context. The first member's context is current
 * whenever a function returns.
 */
#include "gpu_group.h"

#include "plugins/common/bench_steps.h"

struct gpu_memory {
    struct gpu_memory *next;
    CUcontext context;
    CUdeviceptr address;
};

static int32_t status_of(const struct gpu_group *group, CUresult result, const char *doing)
{
    return driver_status(group->driver, group->host, result, doing);
}

static CUresult enter(const struct gpu_group *group, CUcontext context)
{
    return group->driver->context_set(context);
}

/* Back to the first one's context; the earlier error counts. */
static CUresult leave(const struct gpu_group *group, CUresult result)
{
    const CUresult back = enter(group, group->gpus[0].context);
    return result != CUDA_SUCCESS ? result : back;
}

/* --- which GPUs --- */

int32_t gpu_group_here(struct gpu_group *group, const struct driver *driver,
                       const struct gb_host *host, uint32_t n)
{
    CUdevice here = 0;
    group->driver = driver;
    group->host = host;
    const int32_t status = status_of(group, driver->context_device(&here), "querying the device");
    group->n = n;
    for (uint32_t i = 0; i < n; i++)
        group->gpus[i].device = here;
    return status;
}

static int32_t skip_too_few(const struct gb_host *host, uint32_t n, int n_visible)
{
    if (n_visible == 1)
        return host_skip(host, "there is one GPU: expected at least %u", (unsigned)n);
    return host_skip(host, "there are %d GPUs: expected at least %u", n_visible, (unsigned)n);
}

/* Making a context takes 0.3 s, and memory of the process that the driver does not give back with
 * it: once made, it stays for later cases. */
static int32_t keep_context(const struct gpu_group *group, CUdevice device)
{
    static bool is_kept[GPU_GROUP_MAX];
    CUcontext context = NULL;
    if (device >= GPU_GROUP_MAX || is_kept[device])
        return GB_OK;
    const int32_t status = status_of(group, group->driver->context_retain(&context, device),
                                     "creating a context");
    is_kept[device] = status == GB_OK;
    return status;
}

int32_t gpu_group_find(struct gpu_group *group, const struct driver *driver,
                       const struct gb_host *host, uint32_t n)
{
    int n_visible = 0;
    int32_t status = gpu_group_here(group, driver, host, 1);
    if (status == GB_OK)
        status = status_of(group, driver->device_count(&n_visible), "counting GPUs");
    if (status != GB_OK)
        return status;
    const uint32_t n_all = n_visible < GPU_GROUP_MAX ? (uint32_t)n_visible : GPU_GROUP_MAX;
    if (n > n_all || n_all < 2)
        return skip_too_few(host, n > 2 ? n : 2, n_visible);
    group->n = n > 0 ? n : n_all;
    for (uint32_t i = 1; i < group->n && status == GB_OK; i++) {
        group->gpus[i].device = (group->gpus[0].device + (CUdevice)i) % n_visible;
        status = keep_context(group, group->gpus[i].device);
    }
    if (GB_HAS(host, keep))
        host->keep(host);
    return status;
}

int32_t gpu_group_require_access(const struct gpu_group *group)
{
    for (uint32_t i = 0; i < group->n * group->n; i++) {
        const CUdevice from = group->gpus[i / group->n].device;
        const CUdevice to = group->gpus[i % group->n].device;
        int is_reached = from == to;
        if (is_reached)
            continue;
        const int32_t status = status_of(
            group, group->driver->can_access_peer(&is_reached, from, to), "comparing GPUs");
        if (status != GB_OK)
            return status;
        if (!is_reached)
            return host_skip(group->host, "GPU %d cannot access the memory of GPU %d", (int)from,
                             (int)to);
    }
    return GB_OK;
}

/* --- readiness --- */

static CUresult start_one(struct gpu_group *group, struct gpu *gpu)
{
    const struct driver *driver = group->driver;
    CUresult result = driver->context_retain(&gpu->context, gpu->device);
    if (result == CUDA_SUCCESS)
        result = enter(group, gpu->context);
    if (result == CUDA_SUCCESS)
        result = driver->stream_create(&gpu->stream, CU_STREAM_NON_BLOCKING);
    if (result == CUDA_SUCCESS)
        result = driver->event_create(&gpu->join, CU_EVENT_DISABLE_TIMING);
    return result;
}

int32_t gpu_group_start(struct gpu_group *group)
{
    CUresult result = group->driver->event_create(&group->fork, CU_EVENT_DISABLE_TIMING);
    for (uint32_t i = 0; i < group->n && result == CUDA_SUCCESS; i++)
        result = start_one(group, &group->gpus[i]);
    if (group->gpus[0].context != NULL)
        result = leave(group, result);
    return status_of(group, result, "creating streams on the GPUs");
}

static CUresult enable_access(struct gpu_group *group, uint32_t i)
{
    CUresult result = enter(group, group->gpus[i].context);
    for (uint32_t j = 0; j < group->n && result == CUDA_SUCCESS; j++) {
        if (group->gpus[j].device == group->gpus[i].device)
            continue;
        result = group->driver->context_enable_peer(group->gpus[j].context, 0);
        if (result == CUDA_SUCCESS)
            group->reached[i] |= UINT64_C(1) << j;
        if (result == CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED)
            result = CUDA_SUCCESS;
    }
    return leave(group, result);
}

int32_t gpu_group_enable_access(struct gpu_group *group)
{
    CUresult result = CUDA_SUCCESS;
    for (uint32_t i = 0; i < group->n && result == CUDA_SUCCESS; i++)
        result = enable_access(group, i);
    return status_of(group, result, "enabling access to another GPU's memory");
}

int32_t gpu_group_allocate(struct gpu_group *group, uint32_t i, uint64_t bytes, unsigned char **ret)
{
    struct gpu_memory *memory = group->host->allocate(group->host, sizeof *memory);
    if (memory == NULL)
        return GB_NO_MEMORY;
    memory->context = group->gpus[i].context;
    CUresult result = enter(group, memory->context);
    if (result == CUDA_SUCCESS)
        result = group->driver->allocate(&memory->address, (size_t)bytes);
    if (result == CUDA_SUCCESS) {
        memory->next = group->memory;
        group->memory = memory;
        *ret = (unsigned char *)(uintptr_t)memory->address;
    }
    return status_of(group, leave(group, result), "allocating memory on the GPUs");
}

/* --- in time --- */

CUresult gpu_group_fork(const struct gpu_group *group, CUstream queue)
{
    CUresult result = group->driver->event_record(group->fork, queue);
    for (uint32_t i = 0; i < group->n && result == CUDA_SUCCESS; i++)
        result = group->driver->stream_wait_event(group->gpus[i].stream, group->fork, 0);
    return result;
}

CUresult gpu_group_join(const struct gpu_group *group, CUstream queue)
{
    CUresult result = CUDA_SUCCESS;
    for (uint32_t i = 0; i < group->n && result == CUDA_SUCCESS; i++) {
        const struct gpu *gpu = &group->gpus[i];
        result = group->driver->event_record(gpu->join, gpu->stream);
        if (result == CUDA_SUCCESS)
            result = group->driver->stream_wait_event(queue, gpu->join, 0);
    }
    return result;
}

/* --- the end --- */

static void free_one(struct gpu_group *group, uint32_t i)
{
    const struct driver *driver = group->driver;
    struct gpu *gpu = &group->gpus[i];
    if (gpu->context == NULL || enter(group, gpu->context) != CUDA_SUCCESS)
        return;
    if (gpu->stream != NULL)
        driver->stream_destroy(gpu->stream);
    if (gpu->join != NULL)
        driver->event_destroy(gpu->join);
    for (uint32_t j = 0; j < group->n; j++) {
        if ((group->reached[i] >> j & 1) != 0)
            driver->context_disable_peer(group->gpus[j].context);
    }
}

/* All work is waited for before anything goes, as another GPU may be at work on it. */
void gpu_group_free(struct gpu_group *group)
{
    const struct driver *driver = group->driver;
    for (uint32_t i = 0; i < group->n; i++) {
        if (group->gpus[i].stream != NULL)
            driver->stream_synchronize(group->gpus[i].stream);
    }
    for (; group->memory != NULL; group->memory = group->memory->next) {
        enter(group, group->memory->context);
        driver->free(group->memory->address);
    }
    for (uint32_t i = group->n; i-- > 0;)
        free_one(group, i);
    if (group->fork != NULL)
        driver->event_destroy(group->fork);
    for (uint32_t i = 0; i < group->n; i++) {
        if (group->gpus[i].context != NULL)
            driver->context_release(group->gpus[i].device);
        group->gpus[i].context = NULL;
    }
}
