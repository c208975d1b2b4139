/* profiler_library.c - see profiler_library.h. Plugin side. */
#include "profiler_library.h"

#include "cupti.h"
#include "profiler.h"

#include <stdio.h>

#ifdef HAS_RANGE_PROFILER

struct profiler_library profiler_library;
static bool is_open, is_initialized;

/* --- errors --- */

/* What can be done about it, for the errors that users meet. */
static const char *advice(CUptiResult result)
{
    static const struct {
        CUptiResult result;
        const char *words;
    } known[] = {
        {CUPTI_ERROR_INSUFFICIENT_PRIVILEGES,
         "counters are forbidden to this user: run as root, or let the administrator load the "
         "driver with NVreg_RestrictProfilingToAdminUsers=0"},
        {CUPTI_ERROR_VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES,
         "counters are forbidden on this virtual GPU: let its administrator enable profiling"},
        {CUPTI_ERROR_VIRTUALIZED_DEVICE_NOT_SUPPORTED, "a virtual GPU has no counters"},
        {CUPTI_ERROR_MIG_DEVICE_NOT_SUPPORTED, "this part of a GPU (MIG) has no counters"},
        {CUPTI_ERROR_CONFIDENTIAL_COMPUTING_NOT_SUPPORTED,
         "confidential computing permits no counters"},
        {CUPTI_ERROR_HARDWARE_BUSY,
         "the counters are in use: end the other profiler of this GPU, such as ncu, nsys or dcgm"},
        {CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED,
         "CUPTI is busy: another profiler is attached"},
        {CUPTI_ERROR_OLD_PROFILER_API_INITIALIZED,
         "CUPTI is busy: its old profiler is in use in this process"},
        {CUPTI_ERROR_INVALID_CHIP_NAME, "this libcupti does not know the chip: use a newer one"},
        {CUPTI_ERROR_NOT_COMPATIBLE, "this libcupti and the driver do not go together"},
    };
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        if (known[i].result == result)
            return known[i].words;
    }
    return NULL;
}

bool profiler_succeeded(CUptiResult result, const char *doing, char *reason, size_t bytes)
{
    const char *words = NULL;
    if (result == CUPTI_SUCCESS)
        return true;
    profiler_library.words(result, &words);
    if (words == NULL)
        words = "unknown error";
    if (advice(result) != NULL)
        snprintf(reason, bytes, "%s (%s)", advice(result), words);
    else
        snprintf(reason, bytes, "CUPTI fails while %s (%s)", doing, words);
    return false;
}

/* --- the library --- */

static bool load(const char *option, char *reason, size_t bytes)
{
    struct profiler_library *functions = &profiler_library;
    const struct symbol symbols[] = {PROFILER_FUNCTIONS(SYMBOL_LINE)};
    return cupti_load(option, symbols, sizeof symbols / sizeof *symbols,
                      ": use one of CUDA 12.6 or later", reason, bytes);
}

bool profiler_open(const char *option, char *reason, size_t bytes)
{
    if (!cupti_is_wanted(option, reason, bytes))
        return false;
    is_open = is_open || load(option, reason, bytes);
    return is_open;
}

bool profiler_initialize(char *reason, size_t bytes)
{
    CUpti_Profiler_Initialize_Params arguments = ARGUMENTS(CUpti_Profiler_Initialize_Params);
    if (!is_initialized)
        is_initialized = profiler_succeeded(profiler_library.initialize(&arguments),
                                            "starting the profiler", reason, bytes);
    return is_initialized;
}

bool profiler_chip(size_t device, char chip[PROFILER_CHIP_BYTES], char *reason, size_t bytes)
{
    CUpti_Device_GetChipName_Params arguments = ARGUMENTS(CUpti_Device_GetChipName_Params,
                                                          .deviceIndex = device);
    if (!profiler_initialize(reason, bytes) ||
        !profiler_succeeded(profiler_library.chip_name(&arguments), "asking for the chip's name",
                            reason, bytes))
        return false;
    snprintf(chip, PROFILER_CHIP_BYTES, "%s",
             arguments.pChipName != NULL ? arguments.pChipName : "");
    return true;
}

#else

bool profiler_refuse(char *reason, size_t bytes)
{
    snprintf(reason, bytes,
             "gbrun was built with a CUDA Toolkit without the range profiler: build it with 12.6 "
             "or later");
    return false;
}

bool profiler_open(const char *option, char *reason, size_t bytes)
{
    return cupti_is_wanted(option, reason, bytes) && profiler_refuse(reason, bytes);
}

bool profiler_chip(size_t device, char chip[PROFILER_CHIP_BYTES], char *reason, size_t bytes)
{
    (void)device;
    (void)chip;
    return profiler_refuse(reason, bytes);
}

#endif
