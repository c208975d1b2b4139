/*
 * profiler.c - see profiler.h. Plugin side.
 *
 * Nothing that CUPTI might not know is passed to ConfigAddMetrics: that of CUDA 13.0 crashes then,
 * or refuses what is added later.
 */
#include "profiler.h"

#include "profiler_library.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#ifdef HAS_RANGE_PROFILER

enum { PASSES_MAX = 1000 };

/* What lives while metrics are counted. */
struct session {
    struct metrics *metrics;
    CUpti_RangeProfiler_Object *profiler; /* NULL: not enabled */
    const char **names;                   /* as CUPTI wants them: not its own, yet not const */
    size_t n;
    uint8_t *config, *data;
    size_t config_bytes, data_bytes;
    char *reason;
    size_t reason_bytes;
};

static bool check(const struct session *session, CUptiResult result, const char *doing)
{
    return profiler_succeeded(result, doing, session->reason, session->reason_bytes);
}

static bool new_bytes(const struct session *session, size_t n, uint8_t **ret)
{
    *ret = calloc(1, n + 1);
    return check(session, *ret != NULL ? CUPTI_SUCCESS : CUPTI_ERROR_OUT_OF_MEMORY,
                 "taking memory");
}

/* Which counters run in which pass. */
static bool make_config(struct session *session)
{
    CUpti_Profiler_Host_Object *host = metrics_host(session->metrics);
    CUpti_Profiler_Host_ConfigAddMetrics_Params add = ARGUMENTS(
        CUpti_Profiler_Host_ConfigAddMetrics_Params, .pHostObject = host,
        .ppMetricNames = session->names, .numMetrics = session->n);
    CUpti_Profiler_Host_GetConfigImageSize_Params size = ARGUMENTS(
        CUpti_Profiler_Host_GetConfigImageSize_Params, .pHostObject = host);
    if (!check(session, profiler_library.add_metrics(&add), "choosing counters") ||
        !check(session, profiler_library.config_size(&size), "choosing counters") ||
        !new_bytes(session, size.configImageSize, &session->config))
        return false;
    session->config_bytes = size.configImageSize;
    CUpti_Profiler_Host_GetConfigImage_Params image = ARGUMENTS(
        CUpti_Profiler_Host_GetConfigImage_Params, .pHostObject = host,
        .configImageSize = session->config_bytes, .pConfigImage = session->config);
    return check(session, profiler_library.config(&image), "choosing counters");
}

static bool enable(struct session *session, CUcontext context)
{
    CUpti_RangeProfiler_Enable_Params arguments = ARGUMENTS(CUpti_RangeProfiler_Enable_Params,
                                                            .ctx = context);
    if (!check(session, profiler_library.enable(&arguments), "enabling the profiler"))
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
    if (!check(session, profiler_library.data_size(&size), "sizing the counters' memory") ||
        !new_bytes(session, size.counterDataSize, &session->data))
        return false;
    session->data_bytes = size.counterDataSize;
    CUpti_RangeProfiler_CounterDataImage_Initialize_Params image = ARGUMENTS(
        CUpti_RangeProfiler_CounterDataImage_Initialize_Params,
        .pRangeProfilerObject = session->profiler, .counterDataSize = session->data_bytes,
        .pCounterData = session->data);
    return check(session, profiler_library.data_new(&image), "preparing the counters' memory");
}

static bool set_config(const struct session *session)
{
    CUpti_RangeProfiler_SetConfig_Params arguments = ARGUMENTS(
        CUpti_RangeProfiler_SetConfig_Params, .pRangeProfilerObject = session->profiler,
        .configSize = session->config_bytes, .pConfig = session->config,
        .counterDataImageSize = session->data_bytes, .pCounterDataImage = session->data,
        .range = CUPTI_UserRange, .replayMode = CUPTI_UserReplay, .maxRangesPerPass = 1,
        .numNestingLevels = 1, .minNestingLevel = 1, .passIndex = 0, .targetNestingLevel = 1);
    return check(session, profiler_library.set_config(&arguments), "setting the counters up");
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
    if (*ret_status != 0 || !check(session, profiler_library.start(&start), "starting a pass"))
        return false;
    bool is_fine = check(session, profiler_library.push(&push), "beginning a range");
    if (is_fine) {
        *ret_status = work->run(work->context);
        is_fine = check(session, profiler_library.pop(&pop), "ending a range");
    }
    const CUptiResult result = profiler_library.stop(&stop);
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
        snprintf(session->reason, session->reason_bytes, "CUPTI asks for more than %d passes",
                 PASSES_MAX);
    return is_last;
}

static bool evaluate(const struct session *session, double *values)
{
    CUpti_RangeProfiler_DecodeData_Params decode = ARGUMENTS(
        CUpti_RangeProfiler_DecodeData_Params, .pRangeProfilerObject = session->profiler);
    CUpti_Profiler_Host_EvaluateToGpuValues_Params values_of = ARGUMENTS(
        CUpti_Profiler_Host_EvaluateToGpuValues_Params,
        .pHostObject = metrics_host(session->metrics), .pCounterDataImage = session->data,
        .counterDataImageSize = session->data_bytes, .rangeIndex = 0,
        .ppMetricNames = session->names, .numMetrics = session->n, .pMetricValues = values);
    if (!check(session, profiler_library.decode(&decode), "reading the counters"))
        return false;
    if (decode.numOfRangeDropped > 0) {
        snprintf(session->reason, session->reason_bytes, "CUPTI lost what it had counted");
        return false;
    }
    return check(session, profiler_library.evaluate(&values_of), "evaluating the counters");
}

static void end(struct session *session)
{
    CUpti_RangeProfiler_Disable_Params arguments = ARGUMENTS(
        CUpti_RangeProfiler_Disable_Params, .pRangeProfilerObject = session->profiler);
    if (session->profiler != NULL)
        profiler_library.disable(&arguments);
    free(session->names);
    free(session->config);
    free(session->data);
}

bool profiler_count(struct metrics *metrics, CUcontext context, const char *const *names, size_t n,
                    const struct profiler_work *work, double *values, uint32_t *ret_passes,
                    int32_t *ret_status, char *reason, size_t bytes)
{
    struct session session = {.metrics = metrics,
                              .names = calloc(n + 1, sizeof *session.names),
                              .n = n,
                              .reason = reason,
                              .reason_bytes = bytes};
    *ret_passes = 0;
    *ret_status = 0;
    for (size_t i = 0; i < n; i++) {
        values[i] = NAN;
        if (session.names != NULL)
            session.names[i] = names[i];
    }
    const bool is_counted = session.names != NULL && make_config(&session) &&
                            enable(&session, context) && make_data(&session) &&
                            set_config(&session) &&
                            run_passes(&session, work, ret_passes, ret_status) &&
                            evaluate(&session, values);
    if (session.names == NULL)
        snprintf(reason, bytes, "out of memory");
    end(&session);
    return is_counted;
}

#else

bool profiler_count(struct metrics *metrics, CUcontext context, const char *const *names, size_t n,
                    const struct profiler_work *work, double *values, uint32_t *ret_passes,
                    int32_t *ret_status, char *reason, size_t bytes)
{
    (void)metrics;
    (void)context;
    (void)names;
    (void)work;
    for (size_t i = 0; i < n; i++)
        values[i] = NAN;
    *ret_passes = 0;
    *ret_status = 0;
    return profiler_refuse(reason, bytes);
}

#endif
