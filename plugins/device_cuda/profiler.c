/*
 * profiler.c - see profiler.h. Plugin side.
 *
 * Nothing that CUPTI might not know is passed to ConfigAddMetrics: that of CUDA 13.0 crashes then,
 * or refuses what is added later. Headers of CUPTI before 12.6 have no range profiler: a build with
 * these opens none, and says so.
 */
#include "profiler.h"

#include "cupti.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#if __has_include(<cupti_range_profiler.h>)
#include <cupti_profiler_host.h>
#include <cupti_profiler_target.h>
#include <cupti_range_profiler.h>
#include <cupti_result.h>
#include <cupti_target.h>

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

static struct functions {
    PROFILER_FUNCTIONS(SYMBOL_MEMBER)
} library; /* filled by profiler_open */
static bool is_open, is_initialized;

/* A struct of arguments with its size in it. */
#define ARGUMENTS(type, ...)                                                                       \
    {                                                                                              \
        .structSize = type##_STRUCT_SIZE, __VA_ARGS__                                              \
    }

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
         "CUPTI is busy: its older profiler is in use in this process"},
        {CUPTI_ERROR_INVALID_CHIP_NAME, "this libcupti does not know the chip: use a newer one"},
        {CUPTI_ERROR_NOT_COMPATIBLE, "this libcupti and the driver are incompatible"},
    };
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        if (known[i].result == result)
            return known[i].words;
    }
    return NULL;
}

/* False for what is no success; reason says what was being done, and what can be done about it. */
static bool succeeded(CUptiResult result, const char *doing, char *reason, size_t bytes)
{
    const char *words = NULL;
    if (result == CUPTI_SUCCESS)
        return true;
    library.words(result, &words);
    if (words == NULL)
        words = "unknown error";
    if (advice(result) != NULL)
        snprintf(reason, bytes, "%s (%s)", advice(result), words);
    else
        snprintf(reason, bytes, "CUPTI fails while %s (%s)", doing, words);
    return false;
}

/* --- the library --- */

bool profiler_open(const char *option, char *reason, size_t bytes)
{
    struct functions *functions = &library;
    const struct symbol symbols[] = {PROFILER_FUNCTIONS(SYMBOL_LINE)};
    if (!cupti_is_wanted(option, reason, bytes))
        return false;
    is_open = is_open || cupti_load(option, symbols, sizeof symbols / sizeof *symbols,
                                    ": use one of CUDA 12.6 or later", reason, bytes);
    return is_open;
}

/* What needs the driver needs this before. */
static bool initialize(char *reason, size_t bytes)
{
    CUpti_Profiler_Initialize_Params arguments = ARGUMENTS(CUpti_Profiler_Initialize_Params);
    if (!is_initialized)
        is_initialized = succeeded(library.initialize(&arguments), "starting the profiler", reason,
                                   bytes);
    return is_initialized;
}

bool profiler_chip(size_t device, char chip[PROFILER_CHIP_BYTES], char *reason, size_t bytes)
{
    CUpti_Device_GetChipName_Params arguments = ARGUMENTS(CUpti_Device_GetChipName_Params,
                                                          .deviceIndex = device);
    if (!initialize(reason, bytes) ||
        !succeeded(library.chip_name(&arguments), "querying the chip's name", reason, bytes))
        return false;
    snprintf(chip, PROFILER_CHIP_BYTES, "%s",
             arguments.pChipName != NULL ? arguments.pChipName : "");
    return true;
}

/* --- the metrics of a chip --- */

enum { METRIC_TYPES = 3, NAME_BYTES = 160 };

struct metrics {
    CUpti_Profiler_Host_Object *host;
    uint8_t *availability; /* NULL: all of the chip's */
};

/* The name as CUPTI writes it; what it does not know is an error with all that it knows. */
static bool spell_chip(const char *chip, char *ret, char *reason, size_t bytes)
{
    CUpti_Profiler_Host_GetSupportedChips_Params arguments = ARGUMENTS(
        CUpti_Profiler_Host_GetSupportedChips_Params);
    if (!succeeded(library.chips(&arguments), "querying the supported chips", reason, bytes))
        return false;
    size_t length = (size_t)snprintf(reason, bytes, "unknown chip '%.32s': expected one of", chip);
    for (size_t i = 0; i < arguments.numChips; i++) {
        const char *known = arguments.ppChipNames[i];
        if (strcasecmp(known, chip) == 0) {
            snprintf(ret, PROFILER_CHIP_BYTES, "%s", known);
            snprintf(reason, bytes, "%s", "");
            return true;
        }
        if (length < bytes)
            length += (size_t)snprintf(reason + length, bytes - length, " %s", known);
    }
    return false;
}

/* Which counters the driver lets this process use. */
static bool ask_availability(struct metrics *metrics, CUcontext context, char *reason, size_t bytes)
{
    CUpti_Profiler_GetCounterAvailability_Params arguments = ARGUMENTS(
        CUpti_Profiler_GetCounterAvailability_Params, .ctx = context);
    const char *doing = "querying the available counters";
    if (!initialize(reason, bytes) ||
        !succeeded(library.availability(&arguments), doing, reason, bytes))
        return false;
    metrics->availability = calloc(1, arguments.counterAvailabilityImageSize + 1);
    arguments.pCounterAvailabilityImage = metrics->availability;
    return succeeded(metrics->availability == NULL ? CUPTI_ERROR_OUT_OF_MEMORY
                                                   : library.availability(&arguments),
                     doing, reason, bytes);
}

struct metrics *metrics_new(const char *chip, CUcontext context, char *reason, size_t bytes)
{
    struct metrics *metrics = calloc(1, sizeof *metrics);
    char name[PROFILER_CHIP_BYTES];
    if (metrics == NULL) {
        snprintf(reason, bytes, "out of memory");
        return NULL;
    }
    if (!spell_chip(chip, name, reason, bytes) ||
        (context != NULL && !ask_availability(metrics, context, reason, bytes))) {
        metrics_free(metrics);
        return NULL;
    }
    CUpti_Profiler_Host_Initialize_Params arguments = ARGUMENTS(
        CUpti_Profiler_Host_Initialize_Params, .profilerType = CUPTI_PROFILER_TYPE_RANGE_PROFILER,
        .pChipName = name, .pCounterAvailabilityImage = metrics->availability);
    if (!succeeded(library.host_new(&arguments), "reading the chip's metrics", reason, bytes)) {
        metrics_free(metrics);
        return NULL;
    }
    metrics->host = arguments.pHostObject;
    return metrics;
}

void metrics_free(struct metrics *metrics)
{
    if (metrics == NULL)
        return;
    CUpti_Profiler_Host_Deinitialize_Params arguments = ARGUMENTS(
        CUpti_Profiler_Host_Deinitialize_Params, .pHostObject = metrics->host);
    if (metrics->host != NULL)
        library.host_free(&arguments);
    free(metrics->availability);
    free(metrics);
}

static bool read_properties(const struct metrics *metrics, const char *name,
                            CUpti_Profiler_Host_GetMetricProperties_Params *ret)
{
    *ret = (CUpti_Profiler_Host_GetMetricProperties_Params)ARGUMENTS(
        CUpti_Profiler_Host_GetMetricProperties_Params, .pHostObject = metrics->host,
        .pMetricName = name);
    return library.properties(ret) == CUPTI_SUCCESS;
}

/* The forms of a metric: ".sum", ".avg.per_second" ... */
static bool read_forms(const struct metrics *metrics, const char *base, CUpti_MetricType type,
                       CUpti_Profiler_Host_GetSubMetrics_Params *ret)
{
    *ret = (CUpti_Profiler_Host_GetSubMetrics_Params)ARGUMENTS(
        CUpti_Profiler_Host_GetSubMetrics_Params, .pHostObject = metrics->host, .metricType = type,
        .pMetricName = base);
    return library.forms(ret) == CUPTI_SUCCESS;
}

/* "dram__bytes_read" of "dram__bytes_read.sum"; false if it is too long. */
static bool base_of(const char *name, char base[NAME_BYTES])
{
    const size_t length = strcspn(name, ".");
    if (length >= NAME_BYTES)
        return false;
    memcpy(base, name, length);
    base[length] = '\0';
    return true;
}

static void tell(const struct metrics *metrics, const char *base, const char *form,
                 gb_counter_fn *counter, void *context)
{
    CUpti_Profiler_Host_GetMetricProperties_Params properties;
    char name[2 * NAME_BYTES];
    snprintf(name, sizeof name, "%s%s", base, form);
    if (!read_properties(metrics, name, &properties))
        return;
    const struct gb_counter metric = {
        .size = sizeof metric,
        .name = name,
        .unit = properties.pDimUnit != NULL ? properties.pDimUnit : "",
        .help = properties.pDescription != NULL ? properties.pDescription : ""};
    counter(context, &metric);
}

/* One metric by its most usual form, or by all of them. */
static void tell_metric(const struct metrics *metrics, const char *base, CUpti_MetricType type,
                        bool is_whole, gb_counter_fn *counter, void *context)
{
    static const char *const usual[] = {".sum", ".pct", ".avg.pct_of_peak_sustained_elapsed"};
    CUpti_Profiler_Host_GetSubMetrics_Params forms;
    if (!read_forms(metrics, base, type, &forms) || forms.numOfSubmetrics == 0)
        return;
    size_t chosen = 0;
    for (size_t i = 0; i < forms.numOfSubmetrics; i++) {
        if (is_whole)
            tell(metrics, base, forms.ppSubMetrics[i], counter, context);
        if (strcmp(forms.ppSubMetrics[i], usual[type]) == 0)
            chosen = i;
    }
    if (!is_whole)
        tell(metrics, base, forms.ppSubMetrics[chosen], counter, context);
}

bool metrics_list(const struct metrics *metrics, const char *whole, gb_counter_fn *counter,
                  void *context, char *reason, size_t bytes)
{
    char base[NAME_BYTES] = "";
    if (whole != NULL && !base_of(whole, base))
        base[0] = '\0';
    for (uint32_t type = 0; type < METRIC_TYPES; type++) {
        CUpti_Profiler_Host_GetBaseMetrics_Params list = ARGUMENTS(
            CUpti_Profiler_Host_GetBaseMetrics_Params, .pHostObject = metrics->host,
            .metricType = (CUpti_MetricType)type);
        if (!succeeded(library.base_metrics(&list), "listing the metrics", reason, bytes))
            return false;
        for (size_t i = 0; i < list.numMetrics; i++)
            tell_metric(metrics, list.ppMetricNames[i], (CUpti_MetricType)type,
                        strcmp(list.ppMetricNames[i], base) == 0, counter, context);
    }
    return true;
}

bool metrics_has(const struct metrics *metrics, const char *name)
{
    CUpti_Profiler_Host_GetMetricProperties_Params properties;
    CUpti_Profiler_Host_GetSubMetrics_Params forms;
    char base[NAME_BYTES];
    if (!base_of(name, base) || !read_properties(metrics, base, &properties) ||
        !read_forms(metrics, base, properties.metricType, &forms))
        return false;
    for (size_t i = 0; i < forms.numOfSubmetrics; i++) {
        if (strcmp(forms.ppSubMetrics[i], name + strlen(base)) == 0)
            return true;
    }
    return false;
}

const char *metrics_unit(const struct metrics *metrics, const char *name)
{
    CUpti_Profiler_Host_GetMetricProperties_Params properties;
    return read_properties(metrics, name, &properties) && properties.pDimUnit != NULL
               ? properties.pDimUnit
               : "";
}

/* --- counting --- */

enum { PASSES_MAX = 1000 };

/* What lives while metrics are counted. */
struct session {
    struct metrics *metrics;
    CUpti_RangeProfiler_Object *profiler; /* NULL: not enabled */
    const char **names;
    size_t n;
    uint8_t *config, *data;
    size_t config_bytes, data_bytes;
    char *reason;
    size_t reason_bytes;
};

static bool check(const struct session *session, CUptiResult result, const char *doing)
{
    return succeeded(result, doing, session->reason, session->reason_bytes);
}

static bool new_bytes(const struct session *session, size_t n, uint8_t **ret)
{
    *ret = calloc(1, n + 1);
    return check(session, *ret != NULL ? CUPTI_SUCCESS : CUPTI_ERROR_OUT_OF_MEMORY,
                 "allocating memory");
}

/* Which counters run in which pass. */
static bool make_config(struct session *session)
{
    CUpti_Profiler_Host_Object *host = session->metrics->host;
    CUpti_Profiler_Host_ConfigAddMetrics_Params add = ARGUMENTS(
        CUpti_Profiler_Host_ConfigAddMetrics_Params, .pHostObject = host,
        .ppMetricNames = session->names, .numMetrics = session->n);
    CUpti_Profiler_Host_GetConfigImageSize_Params size = ARGUMENTS(
        CUpti_Profiler_Host_GetConfigImageSize_Params, .pHostObject = host);
    if (!check(session, library.add_metrics(&add), "choosing counters") ||
        !check(session, library.config_size(&size), "choosing counters") ||
        !new_bytes(session, size.configImageSize, &session->config))
        return false;
    session->config_bytes = size.configImageSize;
    CUpti_Profiler_Host_GetConfigImage_Params image = ARGUMENTS(
        CUpti_Profiler_Host_GetConfigImage_Params, .pHostObject = host,
        .configImageSize = session->config_bytes, .pConfigImage = session->config);
    return check(session, library.config(&image), "choosing counters");
}

static bool enable(struct session *session, CUcontext context)
{
    CUpti_RangeProfiler_Enable_Params arguments = ARGUMENTS(CUpti_RangeProfiler_Enable_Params,
                                                            .ctx = context);
    if (!check(session, library.enable(&arguments), "enabling the profiler"))
        return false;
    session->profiler = arguments.pRangeProfilerObject;
    return true;
}

/* Where values are gathered: one range, as all work is one. */
static bool make_data(struct session *session)
{
    CUpti_RangeProfiler_GetCounterDataSize_Params size = ARGUMENTS(
        CUpti_RangeProfiler_GetCounterDataSize_Params, .pRangeProfilerObject = session->profiler,
        .pMetricNames = session->names, .numMetrics = session->n, .maxNumOfRanges = 1,
        .maxNumRangeTreeNodes = 1);
    if (!check(session, library.data_size(&size), "sizing the counters' memory") ||
        !new_bytes(session, size.counterDataSize, &session->data))
        return false;
    session->data_bytes = size.counterDataSize;
    CUpti_RangeProfiler_CounterDataImage_Initialize_Params image = ARGUMENTS(
        CUpti_RangeProfiler_CounterDataImage_Initialize_Params,
        .pRangeProfilerObject = session->profiler, .counterDataSize = session->data_bytes,
        .pCounterData = session->data);
    return check(session, library.data_new(&image), "preparing the counters' memory");
}

static bool set_config(const struct session *session)
{
    CUpti_RangeProfiler_SetConfig_Params arguments = ARGUMENTS(
        CUpti_RangeProfiler_SetConfig_Params, .pRangeProfilerObject = session->profiler,
        .configSize = session->config_bytes, .pConfig = session->config,
        .counterDataImageSize = session->data_bytes, .pCounterDataImage = session->data,
        .range = CUPTI_UserRange, .replayMode = CUPTI_UserReplay, .maxRangesPerPass = 1,
        .numNestingLevels = 1, .minNestingLevel = 1, .passIndex = 0, .targetNestingLevel = 1);
    return check(session, library.set_config(&arguments), "configuring the counters");
}

/* One pass. What has been started is stopped, too, or the driver would go on counting. */
static bool run_pass(const struct session *session, const struct profiler_work *work,
                     bool *ret_is_last, int32_t *ret_status)
{
    CUpti_RangeProfiler_Object *profiler = session->profiler;
    CUpti_RangeProfiler_Start_Params start = ARGUMENTS(CUpti_RangeProfiler_Start_Params,
                                                       .pRangeProfilerObject = profiler);
    CUpti_RangeProfiler_PushRange_Params push = ARGUMENTS(CUpti_RangeProfiler_PushRange_Params,
                                                          .pRangeProfilerObject = profiler,
                                                          .pRangeName = "sample");
    CUpti_RangeProfiler_PopRange_Params pop = ARGUMENTS(CUpti_RangeProfiler_PopRange_Params,
                                                        .pRangeProfilerObject = profiler);
    CUpti_RangeProfiler_Stop_Params stop = ARGUMENTS(CUpti_RangeProfiler_Stop_Params,
                                                     .pRangeProfilerObject = profiler);
    *ret_status = work->prepare(work->context);
    if (*ret_status != 0 || !check(session, library.start(&start), "starting a pass"))
        return false;
    bool is_fine = check(session, library.push(&push), "beginning a range");
    if (is_fine) {
        *ret_status = work->run(work->context);
        is_fine = check(session, library.pop(&pop), "ending a range");
    }
    const CUptiResult result = library.stop(&stop);
    *ret_is_last = stop.isAllPassSubmitted != 0;
    return is_fine && *ret_status == 0 && check(session, result, "ending a pass");
}

static bool run_passes(const struct session *session, const struct profiler_work *work,
                       uint32_t *ret_passes, int32_t *ret_status)
{
    bool is_last = false;
    for (*ret_passes = 0; !is_last && *ret_passes < PASSES_MAX; (*ret_passes)++) {
        if (!run_pass(session, work, &is_last, ret_status))
            return false;
    }
    if (!is_last)
        snprintf(session->reason, session->reason_bytes,
                 "the counters need more than %d passes: expected fewer counters", PASSES_MAX);
    return is_last;
}

static bool evaluate(const struct session *session, double *values)
{
    CUpti_RangeProfiler_DecodeData_Params decode = ARGUMENTS(
        CUpti_RangeProfiler_DecodeData_Params, .pRangeProfilerObject = session->profiler);
    CUpti_Profiler_Host_EvaluateToGpuValues_Params values_of = ARGUMENTS(
        CUpti_Profiler_Host_EvaluateToGpuValues_Params, .pHostObject = session->metrics->host,
        .pCounterDataImage = session->data, .counterDataImageSize = session->data_bytes,
        .rangeIndex = 0, .ppMetricNames = session->names, .numMetrics = session->n,
        .pMetricValues = values);
    if (!check(session, library.decode(&decode), "reading the counters"))
        return false;
    if (decode.numOfRangeDropped > 0) {
        snprintf(session->reason, session->reason_bytes, "CUPTI lost counted values");
        return false;
    }
    return check(session, library.evaluate(&values_of), "evaluating the counters");
}

static void end(struct session *session)
{
    CUpti_RangeProfiler_Disable_Params arguments = ARGUMENTS(
        CUpti_RangeProfiler_Disable_Params, .pRangeProfilerObject = session->profiler);
    if (session->profiler != NULL)
        library.disable(&arguments);
    free(session->config);
    free(session->data);
}

bool profiler_count(struct metrics *metrics, CUcontext context, const char **names, size_t n,
                    const struct profiler_work *work, double *values, uint32_t *ret_passes,
                    int32_t *ret_status, char *reason, size_t bytes)
{
    struct session session = {
        .metrics = metrics, .names = names, .n = n, .reason = reason, .reason_bytes = bytes};
    *ret_passes = 0;
    *ret_status = 0;
    for (size_t i = 0; i < n; i++)
        values[i] = NAN;
    const bool is_counted = make_config(&session) && enable(&session, context) &&
                            make_data(&session) && set_config(&session) &&
                            run_passes(&session, work, ret_passes, ret_status) &&
                            evaluate(&session, values);
    end(&session);
    return is_counted;
}

#else

/* Only the first is ever called. */
#pragma GCC diagnostic ignored "-Wunused-parameter"

bool profiler_open(const char *option, char *reason, size_t bytes)
{
    if (cupti_is_wanted(option, reason, bytes))
        snprintf(reason, bytes,
                 "gbrun was built with a CUDA Toolkit without the range profiler: build it with "
                 "12.6 or later");
    return false;
}

bool profiler_chip(size_t device, char chip[PROFILER_CHIP_BYTES], char *reason, size_t bytes)
{
    return false;
}

struct metrics *metrics_new(const char *chip, CUcontext context, char *reason, size_t bytes)
{
    return NULL;
}

void metrics_free(struct metrics *metrics)
{
}

bool metrics_list(const struct metrics *metrics, const char *whole, gb_counter_fn *counter,
                  void *context, char *reason, size_t bytes)
{
    return false;
}

bool metrics_has(const struct metrics *metrics, const char *name)
{
    return false;
}

const char *metrics_unit(const struct metrics *metrics, const char *name)
{
    return "";
}

bool profiler_count(struct metrics *metrics, CUcontext context, const char **names, size_t n,
                    const struct profiler_work *work, double *values, uint32_t *ret_passes,
                    int32_t *ret_status, char *reason, size_t bytes)
{
    return false;
}

#endif
