/* green_context.c - see green_context.h. Plugin side. */
#define _GNU_SOURCE
#include "green_context.h"

#include "plugins/common/bench_steps.h"

#include <dlfcn.h>

#if CUDA_VERSION >= 12040

/* CU_DEV_SM_RESOURCE_SPLIT_IGNORE_SM_COSCHEDULING, which the first headers do not name: any even
 * number of multiprocessors, as no kernel here is made of clusters. */
enum { SPLIT_FINELY = 1 };

#define GREEN_FUNCTIONS(X)                                                                         \
    X(resource, cuDeviceGetDevResource)                                                            \
    X(split, cuDevSmResourceSplitByCount)                                                          \
    X(describe, cuDevResourceGenerateDesc)                                                         \
    X(create, cuGreenCtxCreate)                                                                    \
    X(destroy, cuGreenCtxDestroy)                                                                  \
    X(context_from, cuCtxFromGreenCtx)

/* Not in the driver's table: drivers older than 12.4 do not have them. */
struct green_functions {
#define GREEN_MEMBER(member, symbol) __typeof__(symbol) *member;
    GREEN_FUNCTIONS(GREEN_MEMBER)
#undef GREEN_MEMBER
};

/* The name after the header's macros, which choose the version of a symbol. */
#define SYMBOL_TEXT(symbol) #symbol

static bool load(const struct driver *driver, struct green_functions *functions)
{
    bool is_whole = true;
#define GREEN_LOAD(member, symbol)                                                                 \
    *(void **)&functions->member = dlsym(driver->library, SYMBOL_TEXT(symbol));                    \
    is_whole = is_whole && functions->member != NULL;
    GREEN_FUNCTIONS(GREEN_LOAD)
#undef GREEN_LOAD
    return is_whole;
}

/* What a driver answers that has green contexts, but not on this device or not in this size. */
static bool is_refusal(CUresult result)
{
    return result == CUDA_ERROR_NOT_SUPPORTED || result == CUDA_ERROR_NOT_PERMITTED ||
           result == CUDA_ERROR_INVALID_VALUE || result == CUDA_ERROR_INVALID_RESOURCE_TYPE ||
           result == CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION;
}

static int32_t green_status(const struct driver *driver, const struct gb_host *host,
                            uint32_t n_units, CUresult result)
{
    char words[128];
    if (!is_refusal(result))
        return driver_status(driver, host, result, "making a green context");
    driver_error_words(driver, result, words, sizeof words);
    return host_skip(host, "units = %u: the driver makes no green context of that size here: %s",
                     n_units, words);
}

/* One part of the device, of at least n_units. */
static CUresult take_part(const struct green_functions *functions, const CUdevResource *whole,
                          uint32_t n_units, CUdevResource *ret)
{
    static const unsigned flags[] = {SPLIT_FINELY, 0};
    CUresult result = CUDA_SUCCESS;
    if (n_units == whole->sm.smCount) {
        *ret = *whole;
        return CUDA_SUCCESS;
    }
    for (size_t i = 0; i < sizeof flags / sizeof flags[0]; i++) {
        unsigned n_parts = 1;
        result = functions->split(ret, &n_parts, whole, NULL, flags[i], n_units);
        if (result == CUDA_SUCCESS && n_parts == 1)
            return CUDA_SUCCESS;
    }
    return result == CUDA_SUCCESS ? CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION : result;
}

int32_t green_context_make(const struct driver *driver, const struct gb_host *host,
                           uint32_t n_units, struct green_context *ret)
{
    struct green_functions functions;
    CUdevice device = 0;
    CUdevResource whole;
    CUdevResource part;
    CUdevResourceDesc description = NULL;
    CUgreenCtx handle = NULL;
    if (!load(driver, &functions))
        return host_skip(host,
                         "units = %u: the driver has no green contexts; those for CUDA 12.4 have",
                         n_units);
    CUresult result = driver->context_device(&device);
    if (result == CUDA_SUCCESS)
        result = functions.resource(device, &whole, CU_DEV_RESOURCE_TYPE_SM);
    if (result == CUDA_SUCCESS && n_units > whole.sm.smCount)
        return host_skip(host, "units = %u: the device has %u multiprocessors", n_units,
                         whole.sm.smCount);
    if (result == CUDA_SUCCESS)
        result = take_part(&functions, &whole, n_units, &part);
    if (result == CUDA_SUCCESS)
        result = functions.describe(&description, &part, 1);
    if (result == CUDA_SUCCESS)
        result = functions.create(&handle, description, device, CU_GREEN_CTX_DEFAULT_STREAM);
    if (result == CUDA_SUCCESS) {
        *ret = (struct green_context){.handle = handle, .n_units = part.sm.smCount};
        result = functions.context_from(&ret->context, handle);
    }
    return green_status(driver, host, n_units, result);
}

void green_context_destroy(const struct driver *driver, struct green_context *green)
{
    struct green_functions functions;
    if (green->handle != NULL && load(driver, &functions))
        functions.destroy(green->handle);
    *green = (struct green_context){0};
}

#else

int32_t green_context_make(const struct driver *driver, const struct gb_host *host,
                           uint32_t n_units, struct green_context *ret)
{
    (void)driver;
    (void)ret;
    return host_skip(host, "units = %u: built with headers older than those of CUDA 12.4", n_units);
}

void green_context_destroy(const struct driver *driver, struct green_context *green)
{
    (void)driver;
    (void)green;
}

#endif
