/* guest.c - see guest.h. */
#include "guest.h"

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

CUcontext guest_context(const struct driver *driver, CUdevice number)
{
    CUcontext current = NULL;
    CUdevice of = 0;
    return find_current(driver, &current, &of) && of == number &&
                   !is_primary(driver, current, number)
               ? current
               : NULL;
}

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
