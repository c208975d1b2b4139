/* cuda_driver.c - see cuda_driver.h. Plugin side. */
#define _GNU_SOURCE
#include "cuda_driver.h"

#include "plugins/common/bench_steps.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { OLDEST_CUDA = 12000 };

static bool load(struct driver *driver, char *reason, size_t bytes)
{
    const struct symbol symbols[] = {
#define DRIVER_SYMBOL(member, declared, symbol) {symbol, &driver->member},
        DRIVER_FUNCTIONS(DRIVER_SYMBOL)
#undef DRIVER_SYMBOL
    };
    const char *missing = FIND_SYMBOLS(driver->library, symbols);
    if (missing != NULL)
        snprintf(reason, bytes,
                 "the driver is too old: libcuda.so.1 has no %s: expected a driver for CUDA 12.0 "
                 "or later",
                 missing);
    return missing == NULL;
}

static void explain_init(const struct driver *driver, CUresult result, char *reason, size_t bytes)
{
    const char *visible = getenv("CUDA_VISIBLE_DEVICES");
    char words[128];
    driver_error_words(driver, result, words, sizeof words);
    /* The driver calls a device that it may not open missing. */
    if (access("/dev/nvidiactl", R_OK | W_OK) != 0 && errno == EACCES)
        snprintf(reason, bytes, "no permission: /dev/nvidiactl cannot be opened; %s", words);
    else if (result == CUDA_ERROR_NO_DEVICE && visible != NULL)
        snprintf(reason, bytes, "no device is visible: CUDA_VISIBLE_DEVICES is '%.64s'", visible);
    else if (result == CUDA_ERROR_NO_DEVICE)
        snprintf(reason, bytes, "no device: the driver found none; %s", words);
    else if (result == CUDA_ERROR_SYSTEM_DRIVER_MISMATCH)
        snprintf(reason, bytes, "libcuda.so.1 and the kernel's driver differ; %s", words);
    else
        snprintf(reason, bytes, "the driver cannot be initialized: %s", words);
}

bool driver_open(struct driver *driver, char *reason, size_t bytes)
{
    *driver = (struct driver){0};
    driver->library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (driver->library == NULL) {
        snprintf(reason, bytes, "no driver library: %s", dlerror());
        return false;
    }
    if (!load(driver, reason, bytes))
        return false;
    driver->driver_version(&driver->version);
    if (driver->version < OLDEST_CUDA) {
        snprintf(reason, bytes,
                 "the driver is too old: it is for CUDA %d.%d: expected 12.0 or later",
                 driver->version / 1000, driver->version % 1000 / 10);
        return false;
    }
    const CUresult result = driver->init(0);
    if (result != CUDA_SUCCESS)
        explain_init(driver, result, reason, bytes);
    return result == CUDA_SUCCESS;
}

static void *open_in_toolkit(const char *name)
{
    static const char *const inside[] = {"lib64", "extras/CUPTI/lib64"};
    const char *const homes[] = {getenv("CUDA_HOME"), getenv("CUDA_PATH"), "/usr/local/cuda"};
    enum { N_INSIDE = sizeof inside / sizeof inside[0], N_HOMES = sizeof homes / sizeof homes[0] };
    void *library = NULL;
    for (size_t i = 0; library == NULL && i < (size_t)N_HOMES * N_INSIDE; i++) {
        char path[512];
        if (homes[i / N_INSIDE] == NULL)
            continue;
        snprintf(path, sizeof path, "%.400s/%s/%.64s", homes[i / N_INSIDE], inside[i % N_INSIDE],
                 name);
        library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    }
    return library;
}

void *cuda_library_open(const char *const *names)
{
    void *library = NULL;
    for (; library == NULL && *names != NULL; names++) {
        library = dlopen(*names, RTLD_NOW | RTLD_LOCAL);
        if (library == NULL)
            library = open_in_toolkit(*names);
    }
    return library;
}

void driver_error_words(const struct driver *driver, CUresult result, char *text, size_t bytes)
{
    static const char prefix[] = "CUDA_ERROR_";
    const char *name = NULL;
    if (driver->error_name(result, &name) != CUDA_SUCCESS || name == NULL) {
        snprintf(text, bytes, "CUDA error %d", (int)result);
        return;
    }
    const bool has_prefix = strncmp(name, prefix, sizeof prefix - 1) == 0;
    char words[64];
    snprintf(words, sizeof words, "%s", has_prefix ? name + sizeof prefix - 1 : name);
    for (char *at = words; *at != '\0'; at++)
        *at = *at == '_' ? ' ' : (char)tolower((unsigned char)*at);
    snprintf(text, bytes, "%s (%s)", words, name);
}

bool driver_error_is_sticky(CUresult result)
{
    static const CUresult sticky[] = {
        CUDA_ERROR_DEINITIALIZED,        CUDA_ERROR_INVALID_CONTEXT,
        CUDA_ERROR_ECC_UNCORRECTABLE,    CUDA_ERROR_NVLINK_UNCORRECTABLE,
        CUDA_ERROR_ILLEGAL_ADDRESS,      CUDA_ERROR_LAUNCH_TIMEOUT,
        CUDA_ERROR_CONTEXT_IS_DESTROYED, CUDA_ERROR_ASSERT,
        CUDA_ERROR_HARDWARE_STACK_ERROR, CUDA_ERROR_ILLEGAL_INSTRUCTION,
        CUDA_ERROR_MISALIGNED_ADDRESS,   CUDA_ERROR_INVALID_ADDRESS_SPACE,
        CUDA_ERROR_INVALID_PC,           CUDA_ERROR_LAUNCH_FAILED,
        CUDA_ERROR_SYSTEM_NOT_READY,     CUDA_ERROR_UNKNOWN,
    };
    for (size_t i = 0; i < sizeof sticky / sizeof sticky[0]; i++) {
        if (sticky[i] == result)
            return true;
    }
    return false;
}

int32_t driver_status(const struct driver *driver, const struct gb_host *host, CUresult result,
                      const char *doing)
{
    char words[128];
    if (result == CUDA_SUCCESS)
        return GB_OK;
    driver_error_words(driver, result, words, sizeof words);
    const bool is_reset = result == CUDA_ERROR_CONTEXT_IS_DESTROYED ||
                          result == CUDA_ERROR_INVALID_CONTEXT;
    host_fail(host, "%s while %s%s", words, doing,
              is_reset ? ": has the benchmark reset the device?" : "");
    return driver_error_is_sticky(result)       ? GB_DEVICE_ERROR
           : result == CUDA_ERROR_OUT_OF_MEMORY ? GB_NO_MEMORY
                                                : GB_FAILED;
}

int32_t driver_ask(const struct driver *driver, const struct gb_host *host,
                   const struct driver_question *questions, size_t n, const char *doing)
{
    CUdevice here = 0;
    CUresult result = driver->context_device(&here);
    for (size_t i = 0; i < n && result == CUDA_SUCCESS; i++)
        result = driver->device_attribute(questions[i].ret, questions[i].attribute, here);
    return driver_status(driver, host, result, doing);
}

int32_t driver_units(const struct driver *driver, const struct gb_host *host, int *ret_units,
                     int *ret_unit_threads)
{
    const struct driver_question questions[] = {
        {ret_unit_threads, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR},
        {ret_units, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT},
    };
    *ret_units = *ret_unit_threads = 0;
    return driver_ask(driver, host, questions, 2, "querying the number of threads of the device");
}

int32_t driver_architecture(const struct driver *driver, const struct gb_host *host, int *ret)
{
    int major = 0;
    int minor = 0;
    const struct driver_question questions[] = {
        {&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR},
        {&minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR},
    };
    const int32_t status = driver_ask(driver, host, questions, 2,
                                      "querying the device's architecture");
    *ret = 10 * major + minor;
    return status;
}
