/* fake_profiler.c - see fake_profiler.h. */
#include "tests/modules/fake_profiler.h"

#include <cupti_profiler_host.h>
#include <cupti_profiler_target.h>
#include <cupti_range_profiler.h>
#include <cupti_result.h>
#include <cupti_target.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#pragma GCC visibility push(default)

struct fake_profiler fake_profiler = {.n_passes = 3};

enum { CONFIG_BYTES = 96, DATA_BYTES = 640 };

/* The value of a metric is factor times the work. */
static const struct {
    const char *base, *unit, *help;
    CUpti_MetricType type;
    double factor;
} metrics[] = {
    {"smsp__sass_thread_inst_executed_op_fadd_pred_on", "instruction", "adds",
     CUPTI_METRIC_TYPE_COUNTER, 10},
    {"smsp__sass_thread_inst_executed_op_ffma_pred_on", "instruction", "fused multiply-adds",
     CUPTI_METRIC_TYPE_COUNTER, 100},
    {"smsp__sass_thread_inst_executed_op_hfma_pred_on", "instruction", "the same of pairs",
     CUPTI_METRIC_TYPE_COUNTER, 0},
    {"sm__ops_path_tensor_src_fp16", "math_op", "of tensor cores", CUPTI_METRIC_TYPE_COUNTER, 1000},
    {"l1tex__t_bytes", "byte", "of L1", CUPTI_METRIC_TYPE_COUNTER, 4},
    {"lts__t_bytes", "byte", "of L2", CUPTI_METRIC_TYPE_COUNTER, 3},
    {"dram__bytes_read", "byte", "of memory", CUPTI_METRIC_TYPE_COUNTER, 2},
    {"lts__hit_rate", "percent", "hits", CUPTI_METRIC_TYPE_RATIO, 1},
    {"sm__throughput", "percent", "of the peak", CUPTI_METRIC_TYPE_THROUGHPUT, 0.5},
};
enum { N_METRICS = sizeof metrics / sizeof metrics[0], FORMS_MAX = 3 };

static const char *forms[][FORMS_MAX] = {
    [CUPTI_METRIC_TYPE_COUNTER] = {".avg", ".sum", ".sum.per_second"},
    [CUPTI_METRIC_TYPE_RATIO] = {".max_rate", ".pct", ".ratio"},
    [CUPTI_METRIC_TYPE_THROUGHPUT] = {".avg.pct_of_peak_sustained_elapsed",
                                      ".max.pct_of_peak_sustained_elapsed",
                                      ".min.pct_of_peak_sustained_elapsed"},
};

struct CUpti_Profiler_Host_Object {
    bool has_metrics;
};
struct CUpti_RangeProfiler_Object {
    bool is_configured, has_data, is_decoded;
};

static CUptiResult call(const char *function, size_t size, size_t right_size)
{
    fake_profiler.n_wrong += size != right_size;
    if (fake_profiler.fail_function == NULL || strcmp(fake_profiler.fail_function, function) != 0)
        return CUPTI_SUCCESS;
    fake_profiler.n_failed_calls++;
    return fake_profiler.fail_at == 0 || fake_profiler.fail_at == fake_profiler.n_failed_calls
               ? (CUptiResult)fake_profiler.result
               : CUPTI_SUCCESS;
}

static CUptiResult expect(bool is_right)
{
    fake_profiler.n_wrong += !is_right;
    return is_right ? CUPTI_SUCCESS : CUPTI_ERROR_INVALID_OPERATION;
}

/* The function cuptiNAME, which does nothing where it is to fail. */
#define FAKE(name, type)                                                                           \
    static CUptiResult do_##name(type##_Params *p);                                                \
    CUptiResult cupti##name(type##_Params *p)                                                      \
    {                                                                                              \
        const CUptiResult called = call(#name, p->structSize, type##_Params_STRUCT_SIZE);          \
        return called == CUPTI_SUCCESS ? do_##name(p) : called;                                    \
    }                                                                                              \
    static CUptiResult do_##name(type##_Params *p)

/* One that does this, and is called in the right order where that holds. */
#define FAKE_WHERE(is_right, name, type, ...)                                                      \
    FAKE(name, type)                                                                               \
    {                                                                                              \
        __VA_ARGS__;                                                                               \
        return expect(is_right);                                                                   \
    }

/* The number of a metric by its name with or without a form; -1: there is none. */
static int find(const char *name)
{
    const size_t length = strcspn(name, ".");
    for (int i = 0; i < N_METRICS; i++) {
        if (strlen(metrics[i].base) != length || memcmp(metrics[i].base, name, length) != 0)
            continue;
        for (int j = 0; j < FORMS_MAX; j++) {
            if (name[length] == '\0' || strcmp(forms[metrics[i].type][j], name + length) == 0)
                return i;
        }
    }
    return -1;
}

CUptiResult cuptiGetResultString(CUptiResult result, const char **words)
{
    *words = result == CUPTI_ERROR_INSUFFICIENT_PRIVILEGES ? "CUPTI_ERROR_INSUFFICIENT_PRIVILEGES"
                                                           : "CUPTI_ERROR_OTHER";
    return CUPTI_SUCCESS;
}

FAKE_WHERE(true, ProfilerInitialize, CUpti_Profiler_Initialize, (void)p)

FAKE_WHERE(true, DeviceGetChipName, CUpti_Device_GetChipName,
           p->pChipName = p->deviceIndex == 0 ? "FK100" : "FK999")

FAKE(ProfilerGetCounterAvailability, CUpti_Profiler_GetCounterAvailability)
{
    if (p->pCounterAvailabilityImage != NULL)
        memset(p->pCounterAvailabilityImage, 7, p->counterAvailabilityImageSize);
    p->counterAvailabilityImageSize = 50;
    return CUPTI_SUCCESS;
}

FAKE(ProfilerHostGetSupportedChips, CUpti_Profiler_Host_GetSupportedChips)
{
    static const char *const chips[] = {"FK050", "FK100"};
    p->numChips = 2;
    p->ppChipNames = chips;
    return CUPTI_SUCCESS;
}

FAKE_WHERE(strcmp(p->pChipName, "FK100") == 0 &&
               p->profilerType == CUPTI_PROFILER_TYPE_RANGE_PROFILER,
           ProfilerHostInitialize, CUpti_Profiler_Host_Initialize,
           p->pHostObject = calloc(1, sizeof *p->pHostObject);
           fake_profiler.n_live++)

FAKE_WHERE(true, ProfilerHostDeinitialize, CUpti_Profiler_Host_Deinitialize, free(p->pHostObject);
           fake_profiler.n_live--)

FAKE(ProfilerHostGetBaseMetrics, CUpti_Profiler_Host_GetBaseMetrics)
{
    static const char *names[N_METRICS];
    p->numMetrics = 0;
    p->ppMetricNames = names;
    for (int i = 0; i < N_METRICS; i++) {
        if (metrics[i].type == p->metricType)
            names[p->numMetrics++] = metrics[i].base;
    }
    return CUPTI_SUCCESS;
}

FAKE(ProfilerHostGetSubMetrics, CUpti_Profiler_Host_GetSubMetrics)
{
    if (find(p->pMetricName) < 0)
        return CUPTI_ERROR_INVALID_METRIC_NAME;
    p->numOfSubmetrics = FORMS_MAX;
    p->ppSubMetrics = forms[p->metricType];
    return expect(metrics[find(p->pMetricName)].type == p->metricType);
}

FAKE(ProfilerHostGetMetricProperties, CUpti_Profiler_Host_GetMetricProperties)
{
    const int i = find(p->pMetricName);
    if (i < 0)
        return CUPTI_ERROR_INVALID_METRIC_NAME;
    p->pDescription = metrics[i].help;
    p->pDimUnit = metrics[i].unit;
    p->metricType = metrics[i].type;
    return CUPTI_SUCCESS;
}

FAKE(ProfilerHostConfigAddMetrics, CUpti_Profiler_Host_ConfigAddMetrics)
{
    for (size_t i = 0; i < p->numMetrics; i++) {
        if (find(p->ppMetricNames[i]) < 0 || strchr(p->ppMetricNames[i], '.') == NULL)
            abort();
    }
    const bool is_first = !p->pHostObject->has_metrics;
    p->pHostObject->has_metrics = true;
    return expect(is_first && p->numMetrics > 0);
}

FAKE_WHERE(p->pHostObject->has_metrics, ProfilerHostGetConfigImageSize,
           CUpti_Profiler_Host_GetConfigImageSize, p->configImageSize = CONFIG_BYTES)

FAKE_WHERE(p->configImageSize == CONFIG_BYTES, ProfilerHostGetConfigImage,
           CUpti_Profiler_Host_GetConfigImage, memset(p->pConfigImage, 1, CONFIG_BYTES))

FAKE(ProfilerHostEvaluateToGpuValues, CUpti_Profiler_Host_EvaluateToGpuValues)
{
    double counted = 0;
    memcpy(&counted, p->pCounterDataImage, sizeof counted);
    for (size_t i = 0; i < p->numMetrics; i++)
        p->pMetricValues[i] = metrics[find(p->ppMetricNames[i])].factor * counted;
    return expect(p->rangeIndex == 0 && p->counterDataImageSize == DATA_BYTES);
}

FAKE_WHERE(p->ctx != NULL, RangeProfilerEnable, CUpti_RangeProfiler_Enable,
           p->pRangeProfilerObject = calloc(1, sizeof *p->pRangeProfilerObject);
           fake_profiler.n_live++)

FAKE_WHERE(!fake_profiler.is_started && !fake_profiler.is_in_range, RangeProfilerDisable,
           CUpti_RangeProfiler_Disable, free(p->pRangeProfilerObject);
           fake_profiler.n_live--)

FAKE_WHERE(p->maxNumOfRanges == 1 && p->maxNumRangeTreeNodes == 1 && p->numMetrics > 0,
           RangeProfilerGetCounterDataSize, CUpti_RangeProfiler_GetCounterDataSize,
           p->counterDataSize = DATA_BYTES)

static uint8_t *data;

FAKE_WHERE(p->counterDataSize == DATA_BYTES, RangeProfilerCounterDataImageInitialize,
           CUpti_RangeProfiler_CounterDataImage_Initialize, data = p->pCounterData;
           p->pRangeProfilerObject->has_data = true)

FAKE_WHERE(p->pRangeProfilerObject->has_data && p->configSize == CONFIG_BYTES &&
               p->range == CUPTI_UserRange && p->replayMode == CUPTI_UserReplay &&
               p->maxRangesPerPass == 1 && p->passIndex == 0,
           RangeProfilerSetConfig, CUpti_RangeProfiler_SetConfig,
           p->pRangeProfilerObject->is_configured = true)

FAKE(RangeProfilerStart, CUpti_RangeProfiler_Start)
{
    const CUptiResult result = expect(p->pRangeProfilerObject->is_configured &&
                                      !fake_profiler.is_started);
    fake_profiler.is_started = 1;
    return result;
}

FAKE_WHERE(fake_profiler.is_started && p->pRangeName != NULL, RangeProfilerPushRange,
           CUpti_RangeProfiler_PushRange, fake_profiler.is_in_range = 1)

CUptiResult cuptiRangeProfilerPopRange(CUpti_RangeProfiler_PopRange_Params *p)
{
    const CUptiResult result = expect(fake_profiler.is_in_range);
    fake_profiler.is_in_range = 0;
    const CUptiResult called = call("RangeProfilerPopRange", p->structSize,
                                    CUpti_RangeProfiler_PopRange_Params_STRUCT_SIZE);
    return called == CUPTI_SUCCESS ? result : called;
}

CUptiResult cuptiRangeProfilerStop(CUpti_RangeProfiler_Stop_Params *p)
{
    const CUptiResult result = expect(fake_profiler.is_started && !fake_profiler.is_in_range);
    fake_profiler.is_started = 0;
    const CUptiResult called = call("RangeProfilerStop", p->structSize,
                                    CUpti_RangeProfiler_Stop_Params_STRUCT_SIZE);
    if (called != CUPTI_SUCCESS)
        return called;
    fake_profiler.n_done++;
    p->isAllPassSubmitted = !fake_profiler.never_ends &&
                            fake_profiler.n_done == fake_profiler.n_passes;
    return result;
}

FAKE(RangeProfilerDecodeData, CUpti_RangeProfiler_DecodeData)
{
    const double counted = fake_profiler.work / fake_profiler.n_passes;
    memcpy(data, &counted, sizeof counted);
    p->numOfRangeDropped = (size_t)fake_profiler.n_dropped;
    return expect(fake_profiler.n_done == fake_profiler.n_passes);
}

#pragma GCC visibility pop
