/*
 * profile.c - see profile.h: cudaProfilerStart and a range of NVTX, as ncu and nsys wait for.
 * Plugin side.
 */
#include "profile.h"

#include "cuda_device.h"

#include <dlfcn.h>
#include <nvtx3/nvToolsExt.h>

typedef CUresult switch_fn(void);

/* Does nothing where no profiler is attached. */
static int32_t call(const struct cuda_device *device, const char *name)
{
    switch_fn *function = NULL;
    *(void **)&function = dlsym(device->driver.library, name);
    if (function == NULL)
        return device->host->skip(device->host, "the driver has no function to start a profiler");
    return cuda_status(device, function(), "starting or stopping the profiler");
}

static int32_t begin(void *object, const char *name)
{
    struct cuda_device *device = object;
    device->is_profiled = true;
    way_drop_ready(&device->way);
    way_leave_stamps(device);
    int32_t status = cuda_status(device, device->driver.context_set(device->context), "profiling");
    if (status == GB_OK)
        status = call(device, "cuProfilerStart");
    if (status == GB_OK)
        nvtxRangePushA(name);
    return status;
}

static int32_t end(void *object)
{
    struct cuda_device *device = object;
    device->is_profiled = false;
    const int32_t status = cuda_status(device, device->driver.context_synchronize(), "profiling");
    nvtxRangePop();
    return status != GB_OK ? status : call(device, "cuProfilerStop");
}

const struct gb_profile cuda_profile = {.size = sizeof cuda_profile, .begin = begin, .end = end};
