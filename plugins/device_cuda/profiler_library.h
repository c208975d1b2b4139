/*
 * profiler_library.h - the functions of libcupti that profile, for profiler.c alone.
 * Plugin side.
 *
 * Headers of CUPTI before 12.6 have no range profiler: HAS_RANGE_PROFILER is not defined then, and
 * whoever asks gets a message that says so.
 */
#pragma once

#include "plugins/common/symbols.h"

#include <stdbool.h>

#if __has_include(<cupti_range_profiler.h>)
#include <cupti_profiler_host.h>
#include <cupti_profiler_target.h>
#include <cupti_range_profiler.h>
#include <cupti_result.h>
#include <cupti_target.h>
#define HAS_RANGE_PROFILER

#define PROFILER_FUNCTIONS(X)                                                                      \
    X(initialize, cuptiProfilerInitialize)                                                         \
    X(availability, cuptiProfilerGetCounterAvailability)                                           \
    X(chip_name, cuptiDeviceGetChipName)                                                           \
    X(chips, cuptiProfilerHostGetSupportedChips)                                                   \
    X(host_new, cuptiProfilerHostInitialize)                                                       \
    X(host_free, cuptiProfilerHostDeinitialize)                                                    \
    X(base_metrics, cuptiProfilerHostGetBaseMetrics)                                               \
    X(forms, cuptiProfilerHostGetSubMetrics)                                                       \
    X(properties, cuptiProfilerHostGetMetricProperties)                                            \
    X(add_metrics, cuptiProfilerHostConfigAddMetrics)                                              \
    X(config_size, cuptiProfilerHostGetConfigImageSize)                                            \
    X(config, cuptiProfilerHostGetConfigImage)                                                     \
    X(evaluate, cuptiProfilerHostEvaluateToGpuValues)                                              \
    X(enable, cuptiRangeProfilerEnable)                                                            \
    X(disable, cuptiRangeProfilerDisable)                                                          \
    X(data_size, cuptiRangeProfilerGetCounterDataSize)                                             \
    X(data_new, cuptiRangeProfilerCounterDataImageInitialize)                                      \
    X(set_config, cuptiRangeProfilerSetConfig)                                                     \
    X(start, cuptiRangeProfilerStart)                                                              \
    X(stop, cuptiRangeProfilerStop)                                                                \
    X(push, cuptiRangeProfilerPushRange)                                                           \
    X(pop, cuptiRangeProfilerPopRange)                                                             \
    X(decode, cuptiRangeProfilerDecodeData)                                                        \
    X(words, cuptiGetResultString)

/* Filled by profiler_open. */
struct profiler_library {
    PROFILER_FUNCTIONS(SYMBOL_MEMBER)
};
extern struct profiler_library profiler_library;

/* A struct of arguments with its size in it. */
#define ARGUMENTS(type, ...)                                                                       \
    {                                                                                              \
        .structSize = type##_STRUCT_SIZE, __VA_ARGS__                                              \
    }

/* False for what is no success; reason says what was being done, and what can be done about it. */
bool profiler_succeeded(CUptiResult result, const char *doing, char *reason, size_t bytes);
/* What needs the driver needs this before. */
bool profiler_initialize(char *reason, size_t bytes);

#else

/* Returns false; reason says that the headers were too old. */
bool profiler_refuse(char *reason, size_t bytes);

#endif
