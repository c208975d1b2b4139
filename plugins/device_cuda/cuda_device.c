/* cuda_device.c - see cuda_device.h. Plugin side. */
#define _GNU_SOURCE
#include "cuda_device.h"

#include <stdio.h>

static const double GIB = 1073741824.0;

/* --- errors --- */

int32_t cuda_status(const struct cuda_device *device, CUresult result, const char *doing)
{
    return driver_status(&device->driver, device->host, result, doing);
}

int32_t cuda_still_there(const struct cuda_device *device)
{
    unsigned flags = 0;
    int is_active = 1;
    if (!device->is_primary)
        return GB_OK;
    const CUresult result = device->driver.context_state(device->number, &flags, &is_active);
    return result != CUDA_SUCCESS || is_active != 0
               ? GB_OK
               : cuda_status(device, CUDA_ERROR_CONTEXT_IS_DESTROYED, "measuring");
}

int32_t cuda_failure_status(const struct cuda_device *device, const struct gb_queue *queue,
                            int32_t status)
{
    if (status == GB_SKIPPED || status == GB_DEVICE_ERROR)
        return status;
    const int32_t is_there = cuda_still_there(device);
    if (is_there != GB_OK)
        return is_there;
    const CUresult result = device->driver.stream_synchronize(queue->native);
    return driver_error_is_sticky(result) ? cuda_status(device, result, "measuring") : status;
}

int32_t cuda_no_memory(const struct cuda_device *device, uint64_t bytes)
{
    size_t free_bytes = 0;
    size_t total_bytes = 0;
    char text[512];
    device->driver.memory_info(&free_bytes, &total_bytes);
    snprintf(text, sizeof text,
             "out of memory (CUDA_ERROR_OUT_OF_MEMORY): %.3g GiB asked for, %.3g of %.3g GiB free "
             "on the device",
             (double)bytes / GIB, (double)free_bytes / GIB, (double)total_bytes / GIB);
    device->host->fail(device->host, text);
    return GB_NO_MEMORY;
}

/* --- contexts --- */

/* The primary context of a device, if it is active: nothing else keeps it so for this program. */
static bool is_primary(const struct driver *driver, CUcontext context, CUdevice number)
{
    CUcontext primary = NULL;
    unsigned flags = 0;
    int is_active = 0;
    if (driver->context_state(number, &flags, &is_active) != CUDA_SUCCESS || is_active == 0 ||
        driver->context_retain(&primary, number) != CUDA_SUCCESS)
        return false;
    driver->context_release(number);
    return primary == context;
}

/* False: none is current. */
static bool find_current(const struct driver *driver, CUcontext *ret, CUdevice *ret_number)
{
    return driver->context_get(ret) == CUDA_SUCCESS && *ret != NULL &&
           driver->context_device(ret_number) == CUDA_SUCCESS;
}

/* The current context, if it is one of the device's but not its primary one; else NULL. */
static CUcontext guest_context(const struct driver *driver, CUdevice number)
{
    CUcontext current = NULL;
    CUdevice of = 0;
    return find_current(driver, &current, &of) && of == number &&
                   !is_primary(driver, current, number)
               ? current
               : NULL;
}

CUresult cuda_take_context(struct cuda_device *device)
{
    const struct driver *driver = &device->driver;
    CUresult result = CUDA_SUCCESS;
    device->context = guest_context(driver, device->number);
    if (device->context == NULL) {
        result = driver->context_retain(&device->context, device->number);
        device->is_primary = result == CUDA_SUCCESS;
    }
    return result == CUDA_SUCCESS ? driver->context_set(device->context) : result;
}

int32_t cuda_enter(const struct cuda_device *device, const char *doing)
{
    const int32_t status = cuda_still_there(device);
    if (status != GB_OK)
        return status;
    return cuda_status(device, device->driver.context_set(device->context), doing);
}

/* --- programs that have gbrun as a library --- */

static int32_t index_of(const struct driver *driver, CUdevice number)
{
    int n = 0;
    CUdevice one = 0;
    driver->device_count(&n);
    for (int i = 0; i < n; i++)
        if (driver->device_get(&one, i) == CUDA_SUCCESS && one == number)
            return i;
    return -1;
}

static void enter(struct gb_guest_state *state)
{
    struct driver driver;
    char reason[256];
    CUcontext current = NULL;
    CUdevice number = 0;
    state->index = -1;
    if (!driver_open(&driver, reason, sizeof reason) || !find_current(&driver, &current, &number))
        return;
    state->index = index_of(&driver, number);
    state->key = is_primary(&driver, current, number) ? 0 : (uint64_t)(uintptr_t)current;
    state->current = current;
}

static void leave(const struct gb_guest_state *state)
{
    struct driver driver;
    char reason[256];
    if (driver_open(&driver, reason, sizeof reason))
        driver.context_set(state->current);
}

const struct gb_guest cuda_guest = {.size = sizeof cuda_guest, .enter = enter, .leave = leave};

/* --- what samples need --- */

int32_t cuda_reserve_flush(struct cuda_device *device)
{
    if (device->flush != 0)
        return GB_OK;
    if (device->flush_bytes == 0)
        return device->host->fail(device->host,
                                  "the size of the cache is not known: give flush = SIZE");
    const CUresult result = device->driver.allocate(&device->flush, device->flush_bytes);
    if (result == CUDA_ERROR_OUT_OF_MEMORY)
        return cuda_no_memory(device, device->flush_bytes);
    return cuda_status(device, result, "allocating memory that flushes the cache");
}
