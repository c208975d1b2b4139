/*
 * counters.c - what a benchmark made the device do, by its hardware counters: the extension
 * `gbrun.counters/1`. Plugin side.
 *
 * Run puts its work on the stream also where samples were launched from a graph: it is the same
 * work. Around each pass the host waits for the device, so that nothing else is counted.
 */
#include "cupti.h"
#include "profiler.h"
#include "timed_device.h"
#include "work_metrics.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { REASON_BYTES = GB_COUNTING_TEXT };

/* --- what there is --- */

struct teller {
    gb_counter_fn *counter;
    void *context;
};

static void tell(void *context, const char *name, const char *unit, const char *help)
{
    const struct teller *teller = context;
    const struct gb_counter counter = {
        .size = sizeof counter, .name = name, .unit = unit, .help = help};
    teller->counter(teller->context, &counter);
}

/* The chip of a device that is here. */
static bool find_chip(uint32_t index, char chip[PROFILER_CHIP_BYTES], char *reason, size_t bytes)
{
    struct driver driver;
    char why[REASON_BYTES / 2] = "";
    if (driver_open(&driver, why, sizeof why) && profiler_chip(index, chip, why, sizeof why))
        return true;
    snprintf(reason, bytes, "%s; `--chip NAME` (GH100, GA100 ...) lists those of a chip anywhere",
             why);
    return false;
}

static int32_t list(const struct gb_host *host, const void *params, uint32_t index,
                    const char *model, const char *whole, gb_counter_fn *counter, void *context)
{
    const struct params *settings = params;
    struct teller teller = {counter, context};
    char reason[REASON_BYTES] = "";
    char chip[PROFILER_CHIP_BYTES] = "";
    if (!profiler_open(settings->cupti, reason, sizeof reason))
        return host->skip(host, reason);
    if (model != NULL)
        snprintf(chip, sizeof chip, "%s", model);
    else if (!find_chip(index, chip, reason, sizeof reason))
        return host->skip(host, reason);
    struct metrics *metrics = metrics_new(chip, NULL, reason, sizeof reason);
    const bool is_listed = metrics != NULL &&
                           metrics_list(metrics, whole, tell, &teller, reason, sizeof reason);
    metrics_free(metrics);
    return is_listed ? GB_OK : host->skip(host, reason);
}

/* --- a pass --- */

struct pass {
    struct cuda_device *device;
    const struct gb_counting *counting;
    bool is_warm; /* a sample has run uncounted */
};

/* The device's own words are kept where it is the one that failed. */
static int32_t wait(const struct pass *pass, const char *doing)
{
    return cuda_status(pass->device, pass->device->driver.context_synchronize(), doing);
}

static int32_t run_sample(void *context)
{
    struct pass *pass = context;
    const struct gb_counting *counting = pass->counting;
    const int32_t status = counting->bench_ops->run(counting->bench, counting->queue,
                                                    counting->iterations);
    const int32_t waited = wait(pass, "counting");
    return status == GB_OK || waited == GB_DEVICE_ERROR ? waited : status;
}

static int32_t reset(struct pass *pass)
{
    const struct gb_counting *counting = pass->counting;
    return counting->bench_ops->reset != NULL
               ? counting->bench_ops->reset(counting->bench, counting->queue)
               : GB_OK;
}

static int32_t make_ready(void *context)
{
    struct pass *pass = context;
    const struct gb_counting *counting = pass->counting;
    const struct cuda_device *device = pass->device;
    const bool is_cold = counting->cache == GB_CACHE_COLD;
    int32_t status = reset(pass);
    if (status == GB_OK && !is_cold && !pass->is_warm) {
        status = run_sample(pass);
        pass->is_warm = true;
        if (status == GB_OK)
            status = reset(pass);
    }
    if (status == GB_OK && is_cold)
        status = cuda_status(device,
                             device->driver.fill_async(device->flush, 0, device->flush_bytes,
                                                       counting->queue->native),
                             "flushing the cache");
    const int32_t waited = wait(pass, "preparing to count");
    return status == GB_OK || waited == GB_DEVICE_ERROR ? waited : status;
}

/* --- all passes --- */

/* The metrics that are counted: those that show the work, then those asked for by name. */
struct request {
    struct work_metrics work;
    const char **names;
    double *values;
    size_t n;
};

static bool is_listed(const struct request *request, const char *name)
{
    for (size_t i = 0; i < request->n; i++) {
        if (strcmp(request->names[i], name) == 0)
            return true;
    }
    return false;
}

/* What the chip does not have is left out, and reported. */
static void add_names(struct request *request, const struct metrics *metrics, const char *chip,
                      struct gb_counting *counting)
{
    size_t length = 0;
    for (uint32_t i = 0; i < counting->n_names; i++) {
        const char *name = counting->names[i];
        if (metrics_has(metrics, name)) {
            if (!is_listed(request, name))
                request->names[request->n++] = name;
        } else if (length < sizeof counting->missing) {
            length += (size_t)snprintf(counting->missing + length,
                                       sizeof counting->missing - length, "%s%.160s",
                                       length > 0 ? ", " : "", name);
        }
    }
    if (length > 0 && length < sizeof counting->missing)
        snprintf(counting->missing + length, sizeof counting->missing - length,
                 ": no counter of the chip %s; `gbrun list counters` prints them (NAME.sum, "
                 "NAME.pct ...)",
                 chip);
}

static int32_t request_new(struct request *request, const struct metrics *metrics, const char *chip,
                           struct gb_counting *counting)
{
    const size_t most = WORK_METRICS_MAX + (size_t)counting->n_names;
    request->names = calloc(most, sizeof *request->names);
    request->values = calloc(most, sizeof *request->values);
    if (request->names == NULL || request->values == NULL)
        return GB_NO_MEMORY;
    if (counting->wants_work != 0)
        work_metrics_choose(metrics, &request->work);
    for (; request->n < request->work.n; request->n++)
        request->names[request->n] = request->work.names[request->n];
    add_names(request, metrics, chip, counting);
    return GB_OK;
}

static void request_free(struct request *request)
{
    free(request->names);
    free(request->values);
}

/* A sum of counts grows with the iterations, as do its parts; what is per second, per cycle or a
 * share does not. */
static bool adds_up(const char *name)
{
    static const char *const forms[] = {".sum", ".avg", ".min", ".max"};
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
        if (strcmp(name + strcspn(name, "."), forms[i]) == 0)
            return true;
    }
    return false;
}

/* Of the metrics that show the work, those that read 0 are not worth a line. */
static void tell_values(const struct request *request, const struct metrics *metrics,
                        struct gb_counting *counting)
{
    const double iterations = (double)counting->iterations;
    for (size_t i = 0; i < request->n; i++) {
        const char *name = request->names[i];
        if (adds_up(name))
            request->values[i] /= iterations;
        if (i >= request->work.n || request->values[i] != 0.0)
            counting->count(counting->context, name, request->values[i],
                            metrics_unit(metrics, name));
    }
    if (counting->wants_work != 0)
        work_metrics_sum(&request->work, declared_math_of(counting), request->values,
                         counting->work, counting->made_from, sizeof counting->made_from);
}

static int32_t count_chosen(struct cuda_device *device, struct metrics *metrics,
                            struct request *request, struct gb_counting *counting)
{
    struct pass pass = {.device = device, .counting = counting};
    const struct profiler_work work = {make_ready, run_sample, &pass};
    int32_t status = GB_OK;
    char reason[REASON_BYTES] = "";
    if (request->n == 0)
        return GB_OK;
    if (counting->cache == GB_CACHE_COLD)
        status = cuda_reserve_flush(device);
    if (status != GB_OK)
        return status;
    if (profiler_count(metrics, device->context, request->names, request->n, &work, request->values,
                       &counting->n_passes, &status, reason, sizeof reason))
        tell_values(request, metrics, counting);
    else if (status == GB_OK)
        snprintf(counting->missing, sizeof counting->missing, "%s", reason);
    return status;
}

static int32_t count(void *object, struct gb_counting *counting)
{
    struct timed_device *timed = object;
    struct cuda_device *device = &timed->device;
    struct request request = {.n = 0};
    char chip[PROFILER_CHIP_BYTES] = "";
    char *reason = counting->missing;
    const size_t bytes = sizeof counting->missing;
    int32_t status = cuda_enter(device, "counting");
    way_forget(device, &timed->way);
    cupti_close(); /* nothing is traced while counters count */
    if (status != GB_OK || !profiler_open(device->params->cupti, reason, bytes) ||
        !profiler_chip((size_t)device->number, chip, reason, bytes))
        return status;
    struct metrics *metrics = metrics_new(chip, device->context, reason, bytes);
    if (metrics == NULL)
        return GB_OK;
    status = request_new(&request, metrics, chip, counting);
    if (status == GB_OK)
        status = count_chosen(device, metrics, &request, counting);
    request_free(&request);
    metrics_free(metrics);
    return status;
}

const struct gb_counters cuda_counters = {
    .size = sizeof cuda_counters, .list = list, .count = count};
