/* metrics.c - see metrics.h. Plugin side. */
#include "metrics.h"

#include "profiler_library.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#ifdef HAS_RANGE_PROFILER

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
    if (!profiler_succeeded(profiler_library.chips(&arguments),
                            "asking for the chips that it knows", reason, bytes))
        return false;
    size_t length = (size_t)snprintf(reason, bytes, "chip '%.32s' is not known: expected one of",
                                     chip);
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
    const char *doing = "asking which counters are available";
    if (!profiler_initialize(reason, bytes) ||
        !profiler_succeeded(profiler_library.availability(&arguments), doing, reason, bytes))
        return false;
    metrics->availability = calloc(1, arguments.counterAvailabilityImageSize + 1);
    arguments.pCounterAvailabilityImage = metrics->availability;
    return profiler_succeeded(metrics->availability == NULL
                                  ? CUPTI_ERROR_OUT_OF_MEMORY
                                  : profiler_library.availability(&arguments),
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
    if (!profiler_succeeded(profiler_library.host_new(&arguments), "reading the chip's metrics",
                            reason, bytes)) {
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
        profiler_library.host_free(&arguments);
    free(metrics->availability);
    free(metrics);
}

static bool read_properties(const struct metrics *metrics, const char *name,
                            CUpti_Profiler_Host_GetMetricProperties_Params *ret)
{
    *ret = (CUpti_Profiler_Host_GetMetricProperties_Params)ARGUMENTS(
        CUpti_Profiler_Host_GetMetricProperties_Params, .pHostObject = metrics->host,
        .pMetricName = name);
    return profiler_library.properties(ret) == CUPTI_SUCCESS;
}

/* The forms of a metric: ".sum", ".avg.per_second" ... */
static bool read_forms(const struct metrics *metrics, const char *base, CUpti_MetricType type,
                       CUpti_Profiler_Host_GetSubMetrics_Params *ret)
{
    *ret = (CUpti_Profiler_Host_GetSubMetrics_Params)ARGUMENTS(
        CUpti_Profiler_Host_GetSubMetrics_Params, .pHostObject = metrics->host, .metricType = type,
        .pMetricName = base);
    return profiler_library.forms(ret) == CUPTI_SUCCESS;
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
                 metrics_fn *metric, void *context)
{
    CUpti_Profiler_Host_GetMetricProperties_Params properties;
    char name[2 * NAME_BYTES];
    snprintf(name, sizeof name, "%s%s", base, form);
    if (!read_properties(metrics, name, &properties))
        return;
    metric(context, name, properties.pDimUnit != NULL ? properties.pDimUnit : "",
           properties.pDescription != NULL ? properties.pDescription : "");
}

/* One metric by its most usual form, or by all of them. */
static void tell_metric(const struct metrics *metrics, const char *base, CUpti_MetricType type,
                        bool is_whole, metrics_fn *metric, void *context)
{
    static const char *const usual[] = {".sum", ".pct", ".avg.pct_of_peak_sustained_elapsed"};
    CUpti_Profiler_Host_GetSubMetrics_Params forms;
    if (!read_forms(metrics, base, type, &forms) || forms.numOfSubmetrics == 0)
        return;
    size_t chosen = 0;
    for (size_t i = 0; i < forms.numOfSubmetrics; i++) {
        if (is_whole)
            tell(metrics, base, forms.ppSubMetrics[i], metric, context);
        if (strcmp(forms.ppSubMetrics[i], usual[type]) == 0)
            chosen = i;
    }
    if (!is_whole)
        tell(metrics, base, forms.ppSubMetrics[chosen], metric, context);
}

bool metrics_list(const struct metrics *metrics, const char *whole, metrics_fn *metric,
                  void *context, char *reason, size_t bytes)
{
    char base[NAME_BYTES] = "";
    if (whole != NULL && !base_of(whole, base))
        base[0] = '\0';
    for (uint32_t type = 0; type < METRIC_TYPES; type++) {
        CUpti_Profiler_Host_GetBaseMetrics_Params list = ARGUMENTS(
            CUpti_Profiler_Host_GetBaseMetrics_Params, .pHostObject = metrics->host,
            .metricType = (CUpti_MetricType)type);
        if (!profiler_succeeded(profiler_library.base_metrics(&list), "listing the metrics", reason,
                                bytes))
            return false;
        for (size_t i = 0; i < list.numMetrics; i++)
            tell_metric(metrics, list.ppMetricNames[i], (CUpti_MetricType)type,
                        strcmp(list.ppMetricNames[i], base) == 0, metric, context);
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

struct CUpti_Profiler_Host_Object *metrics_host(const struct metrics *metrics)
{
    return metrics->host;
}

#else

struct metrics *metrics_new(const char *chip, CUcontext context, char *reason, size_t bytes)
{
    (void)chip;
    (void)context;
    profiler_refuse(reason, bytes);
    return NULL;
}

void metrics_free(struct metrics *metrics)
{
    (void)metrics;
}

bool metrics_list(const struct metrics *metrics, const char *whole, metrics_fn *metric,
                  void *context, char *reason, size_t bytes)
{
    (void)metrics;
    (void)whole;
    (void)metric;
    (void)context;
    return profiler_refuse(reason, bytes);
}

bool metrics_has(const struct metrics *metrics, const char *name)
{
    (void)metrics;
    (void)name;
    return false;
}

const char *metrics_unit(const struct metrics *metrics, const char *name)
{
    (void)metrics;
    (void)name;
    return "";
}

#endif
