/* activities.c - the nodes of a captured sample: the extension `gbrun.activities/1`. Plugin side.
 */
#define _GNU_SOURCE
#include "breakdown.h"
#include "cupti.h"

#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- a kernel --- */

/* The name as it was written, where a library of C++ is there to tell. */
static void put_readable(const char *name, char *text, size_t bytes)
{
    static const char *const libraries[] = {"libstdc++.so.6", "libc++abi.so.1", NULL};
    typedef char *demangle_fn(const char *, char *, size_t *, int *);
    void *library = strncmp(name, "_Z", 2) == 0 ? cuda_library_open(libraries) : NULL;
    demangle_fn *demangle = NULL;
    int status = -1;
    if (library != NULL)
        *(void **)&demangle = dlsym(library, "__cxa_demangle");
    char *readable = demangle != NULL ? demangle(name, NULL, NULL, &status) : NULL;
    snprintf(text, bytes, "%s", readable != NULL ? readable : name);
    free(readable);
}

/* Kernels of the runtime's libraries have a function only when they are asked for it. */
static CUfunction function_of(const struct driver *driver, const CUDA_KERNEL_NODE_PARAMS *kernel)
{
    typedef CUresult get_fn(CUfunction *, CUkernel);
    CUfunction function = kernel->func;
    get_fn *get = NULL;
    *(void **)&get = dlsym(driver->library, "cuKernelGetFunction");
    if (function == NULL && kernel->kern != NULL && get != NULL)
        get(&function, kernel->kern);
    return function;
}

static void put_name(const struct driver *driver, CUfunction function, char *text, size_t bytes)
{
    typedef CUresult name_fn(const char **, CUfunction);
    const char *name = NULL;
    name_fn *get = NULL;
    *(void **)&get = dlsym(driver->library, "cuFuncGetName"); /* from CUDA 12.3 on */
    if (get != NULL && get(&name, function) == CUDA_SUCCESS && name != NULL)
        put_readable(name, text, bytes);
    else
        snprintf(text, bytes, "kernel");
}

static double occupancy_of(const struct cuda_device *device, CUfunction function,
                           const CUDA_KERNEL_NODE_PARAMS *kernel, int n_threads)
{
    int n_blocks = 0;
    const uint32_t most = cuda_attribute(&device->driver, device->number,
                                         CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR);
    if (most == 0 || device->driver.occupancy(&n_blocks, function, n_threads,
                                              kernel->sharedMemBytes) != CUDA_SUCCESS)
        return NAN;
    return (double)n_blocks * n_threads / most;
}

static void put_kernel(const struct cuda_device *device, CUgraphNode node,
                       struct gb_activity *activity)
{
    const struct driver *driver = &device->driver;
    CUDA_KERNEL_NODE_PARAMS kernel;
    int n_registers = 0;
    int static_bytes = 0;
    memset(&kernel, 0, sizeof kernel);
    activity->kind = GB_ACTIVITY_KERNEL;
    snprintf(activity->name, sizeof activity->name, "kernel");
    if (driver->graph_node_kernel(node, &kernel) != CUDA_SUCCESS)
        return;
    const uint32_t grid[] = {kernel.gridDimX, kernel.gridDimY, kernel.gridDimZ};
    const uint32_t block[] = {kernel.blockDimX, kernel.blockDimY, kernel.blockDimZ};
    memcpy(activity->grid, grid, sizeof grid);
    memcpy(activity->block, block, sizeof block);
    CUfunction function = function_of(driver, &kernel);
    if (function == NULL)
        return;
    put_name(driver, function, activity->name, sizeof activity->name);
    driver->function_attribute(&n_registers, CU_FUNC_ATTRIBUTE_NUM_REGS, function);
    driver->function_attribute(&static_bytes, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, function);
    activity->registers = (uint32_t)n_registers;
    activity->shared_bytes = (uint64_t)static_bytes + kernel.sharedMemBytes;
    activity->occupancy = occupancy_of(device, function, &kernel,
                                       (int)(block[0] * block[1] * block[2]));
}

/* --- all else --- */

static const char *place_words(const struct driver *driver, CUmemorytype type, CUdeviceptr address)
{
    unsigned where = (unsigned)type;
    if (type == CU_MEMORYTYPE_UNIFIED &&
        driver->pointer_attribute(&where, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, address) !=
            CUDA_SUCCESS)
        where = CU_MEMORYTYPE_HOST;
    return where == CU_MEMORYTYPE_HOST ? "host" : "device";
}

static void put_copy(const struct driver *driver, CUgraphNode node, struct gb_activity *activity)
{
    CUDA_MEMCPY3D copy;
    activity->kind = GB_ACTIVITY_COPY;
    snprintf(activity->name, sizeof activity->name, "copy");
    if (driver->graph_node_copy(node, &copy) != CUDA_SUCCESS)
        return;
    activity->bytes = (uint64_t)copy.WidthInBytes * copy.Height * copy.Depth;
    snprintf(activity->name, sizeof activity->name, "copy %s to %s",
             place_words(driver, copy.srcMemoryType, copy.srcDevice),
             place_words(driver, copy.dstMemoryType, copy.dstDevice));
}

static void put_fill(const struct driver *driver, CUgraphNode node, struct gb_activity *activity)
{
    CUDA_MEMSET_NODE_PARAMS fill;
    activity->kind = GB_ACTIVITY_FILL;
    snprintf(activity->name, sizeof activity->name, "fill");
    if (driver->graph_node_fill(node, &fill) == CUDA_SUCCESS)
        activity->bytes = (uint64_t)fill.width * fill.height * fill.elementSize;
}

static const char *words_of(CUgraphNodeType type)
{
    switch (type) {
    case CU_GRAPH_NODE_TYPE_HOST:
        return "host function";
    case CU_GRAPH_NODE_TYPE_GRAPH:
        return "graph";
    case CU_GRAPH_NODE_TYPE_MEM_ALLOC:
        return "allocate memory";
    case CU_GRAPH_NODE_TYPE_MEM_FREE:
        return "free memory";
    default:
        return "other";
    }
}

/* False: it does nothing by itself. */
static bool describe_node(const struct cuda_device *device, CUgraphNode node,
                          struct gb_activity *activity)
{
    const struct driver *driver = &device->driver;
    CUgraphNodeType type = CU_GRAPH_NODE_TYPE_EMPTY;
    if (driver->graph_node_type(node, &type) != CUDA_SUCCESS)
        return false;
    switch (type) {
    case CU_GRAPH_NODE_TYPE_EMPTY:
    case CU_GRAPH_NODE_TYPE_EVENT_RECORD:
    case CU_GRAPH_NODE_TYPE_WAIT_EVENT:
        return false;
    case CU_GRAPH_NODE_TYPE_KERNEL:
        put_kernel(device, node, activity);
        return true;
    case CU_GRAPH_NODE_TYPE_MEMCPY:
        put_copy(driver, node, activity);
        return true;
    case CU_GRAPH_NODE_TYPE_MEMSET:
        put_fill(driver, node, activity);
        return true;
    default:
        activity->kind = GB_ACTIVITY_OTHER;
        snprintf(activity->name, sizeof activity->name, "%s", words_of(type));
        return true;
    }
}

/* --- the list --- */

static uint32_t nodes_in_section(const struct breakdown *breakdown, uint32_t section)
{
    uint32_t n = 0;
    for (size_t i = 0; i < breakdown->n_nodes; i++)
        n += breakdown->section[i] == section;
    return n;
}

static void tell(const struct cuda_device *device, const struct breakdown *breakdown,
                 const struct section_time *times, gb_activity_fn *activity, void *context)
{
    for (size_t i = 0; i < breakdown->n_nodes; i++) {
        const uint32_t section = breakdown->section[i];
        struct gb_activity one = {.size = sizeof one,
                                  .occupancy = NAN,
                                  .time_ns = NAN,
                                  .low_ns = NAN,
                                  .high_ns = NAN,
                                  .gap_ns = NAN};
        if (!describe_node(device, breakdown->nodes[i], &one))
            continue;
        one.parallel = nodes_in_section(breakdown, section) > 1 ? section + 1 : 0;
        if (times != NULL) {
            one.time_ns = times[section].mean_ns;
            one.low_ns = times[section].low_ns;
            one.high_ns = times[section].high_ns;
            one.gap_ns = times[section].gap_ns;
        }
        activity(context, &one);
    }
}

static int32_t list_work(struct timed_device *timed, const struct gb_measurement *measurement,
                         uint64_t n_samples, gb_activity_fn *activity, void *context)
{
    const struct cuda_device *device = &timed->device;
    struct breakdown breakdown;
    struct section_time *times = NULL;
    int32_t status = breakdown_new(device, measurement, &breakdown);
    if (status != GB_OK)
        return status;
    if (n_samples > 0) {
        times = calloc(breakdown.n_sections, sizeof *times);
        status = times == NULL
                     ? GB_NO_MEMORY
                     : breakdown_measure(timed, measurement, n_samples, &breakdown, times);
    }
    if (status == GB_OK)
        tell(device, &breakdown, times, activity, context);
    free(times);
    breakdown_free(device, &breakdown);
    return status;
}

static int32_t list(void *object, const struct gb_measurement *measurement, uint64_t n_samples,
                    gb_activity_fn *activity, void *context)
{
    struct timed_device *timed = object;
    struct cuda_device *device = &timed->device;
    const struct gb_host *host = device->host;
    int32_t status = cuda_enter(device, "listing");
    if (status == GB_OK && measurement->cache == GB_CACHE_COLD)
        status = cuda_reserve_flush(device);
    if (status != GB_OK)
        return status;
    if (device->stamps.module == NULL)
        return host->skip(host, "there are no time stamps on this device");
    way_forget(device, &timed->way);
    cupti_close();
    return list_work(timed, measurement, n_samples, activity, context);
}

const struct gb_activities cuda_activities = {.size = sizeof cuda_activities, .list = list};
