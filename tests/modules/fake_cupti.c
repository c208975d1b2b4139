/*
 * fake_cupti.c - a libcupti that is busy, forbidden or loses records, as FAKE_CUPTI in the
 * environment says; all else is done by the real one. For `cupti = PATH` of the device cuda.
 */
#define _GNU_SOURCE
#include "plugins/common/cuda/cuda_driver.h"

#include <cupti.h>
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

static bool is_mode(const char *mode)
{
    const char *wanted = getenv("FAKE_CUPTI");
    return wanted != NULL && strcmp(wanted, mode) == 0;
}

static void *real(const char *symbol)
{
    static const char *const names[] = {"libcupti.so.13", "libcupti.so.12", "libcupti.so", NULL};
    static void *library;
    if (library == NULL)
        library = cuda_library_open(names);
    void *function = library != NULL ? dlsym(library, symbol) : NULL;
    if (function == NULL)
        abort();
    return function;
}

#define REAL(function) ((__typeof__(function) *)real(#function))

/* A function that is as the real one: its parameters, and their names. */
#define FORWARD(function, parameters, arguments)                                                   \
    EXPORT CUptiResult function parameters                                                         \
    {                                                                                              \
        return REAL(function) arguments;                                                           \
    }
FORWARD(cuptiActivityDisable, (CUpti_ActivityKind kind), (kind))
FORWARD(cuptiActivityFlushAll, (uint32_t flag), (flag))
FORWARD(cuptiActivityGetNextRecord, (uint8_t * buffer, size_t bytes, CUpti_Activity **record),
        (buffer, bytes, record))
FORWARD(cuptiActivitySetAttribute, (CUpti_ActivityAttribute attribute, size_t *size, void *value),
        (attribute, size, value))
FORWARD(cuptiGetResultString, (CUptiResult result, const char **words), (result, words))

EXPORT CUptiResult cuptiActivityRegisterCallbacks(CUpti_BuffersCallbackRequestFunc requested,
                                                  CUpti_BuffersCallbackCompleteFunc completed)
{
    if (is_mode("busy"))
        return CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED;
    return REAL(cuptiActivityRegisterCallbacks)(requested, completed);
}

EXPORT CUptiResult cuptiActivityEnable(CUpti_ActivityKind kind)
{
    if (is_mode("forbidden"))
        return CUPTI_ERROR_INSUFFICIENT_PRIVILEGES;
    return REAL(cuptiActivityEnable)(kind);
}

/* Every seventh time some were lost: a sample asks a few times, so that it hits some of the
 * samples. */
EXPORT CUptiResult cuptiActivityGetNumDroppedRecords(CUcontext context, uint32_t stream,
                                                     size_t *dropped)
{
    static unsigned n;
    const CUptiResult result = REAL(cuptiActivityGetNumDroppedRecords)(context, stream, dropped);
    if (is_mode("drop") && ++n % 7 == 0)
        *dropped += 5;
    return result;
}
