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

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { REASON_BYTES = GB_COUNTING_TEXT };

/* --- what there is --- */

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
                           metrics_list(metrics, whole, counter, context, reason, sizeof reason);
    metrics_free(metrics);
    return is_listed ? GB_OK : host->skip(host, reason);
}

/* --- which metrics show what work was done --- */

#define FLOPS(op, weight, is_half)                                                                 \
    {                                                                                              \
        "smsp__sass_thread_inst_executed_op_" op "_pred_on.sum", weight, GB_COUNTED_FLOPS, is_half \
    }
#define TENSOR_FLOPS(types)                                                                        \
    {                                                                                              \
        "sm__ops_path_tensor_src_" types ".sum", 1, GB_COUNTED_FLOPS, false                        \
    }
#define BYTES(name, kind)                                                                          \
    {                                                                                              \
        name ".sum", 1, kind, false                                                                \
    }

/*
 * A thread's instruction is one operation, a fused multiply-add two; those of half precision work
 * on pairs. The tensor cores count operations, a multiply-add as two, by types of operands: what
 * they are called differs from chip to chip, and a chip has no two that count the same. Integers
 * are left out.
 */
static const struct work_metric {
    const char *name;
    double weight; /* what one count of it stands for */
    uint32_t kind; /* GB_COUNTED_... */
    bool is_half;  /* an instruction of half precision, but for tensor cores */
} work_known[] = {
    FLOPS("fadd", 1, false),
    FLOPS("fmul", 1, false),
    FLOPS("ffma", 2, false),
    FLOPS("dadd", 1, false),
    FLOPS("dmul", 1, false),
    FLOPS("dfma", 2, false),
    FLOPS("hadd", 2, true),
    FLOPS("hmul", 2, true),
    FLOPS("hfma", 4, true),
    TENSOR_FLOPS("fp16"),
    TENSOR_FLOPS("fp16_dst_fp16"),
    TENSOR_FLOPS("fp16_dst_fp32"),
    TENSOR_FLOPS("fp16_bf16_tf32_dst_fp32"),
    TENSOR_FLOPS("bf16_dst_fp32"),
    TENSOR_FLOPS("tf32_dst_fp32"),
    TENSOR_FLOPS("fp64"),
    TENSOR_FLOPS("fp8"),
    TENSOR_FLOPS("fp8_dst_fp16"),
    TENSOR_FLOPS("fp8_dst_fp32"),
    TENSOR_FLOPS("fp4_dst_fp32"),
    TENSOR_FLOPS("fp4_fp6_dst_fp16"),
    TENSOR_FLOPS("fp4_fp6_dst_fp32"),
    TENSOR_FLOPS("fp4_fp6_fp8_dst_fp16"),
    TENSOR_FLOPS("fp4_fp6_fp8_dst_fp32"),
    BYTES("l1tex__t_bytes", GB_COUNTED_BYTES_L1),
    BYTES("lts__t_bytes", GB_COUNTED_BYTES_L2),
    BYTES("dram__bytes_read", GB_COUNTED_DRAM_READ),
    BYTES("dram__bytes_write", GB_COUNTED_DRAM_WRITE),
};
enum { N_KNOWN = sizeof work_known / sizeof work_known[0] };

/* Those that the chip has. */
struct work_metrics {
    const struct work_metric *all[N_KNOWN];
    size_t n;
};

/* The arithmetic that the benchmark declares: GB_F64 ..., GB_MATH_...; 0: not said. */
struct declared_math {
    uint32_t format, unit;
};

static void work_metrics_choose(const struct metrics *metrics, struct work_metrics *ret)
{
    ret->n = 0;
    for (size_t i = 0; i < N_KNOWN; i++)
        if (metrics_has(metrics, work_known[i].name))
            ret->all[ret->n++] = &work_known[i];
}

/* Unsaid by a host that does not know of it, whose struct is shorter. */
static struct declared_math declared_math_of(const struct gb_counting *counting)
{
    const struct declared_math unsaid = {0, 0};
    return GB_HAS(counting, math_unit)
               ? (struct declared_math){counting->math_format, counting->math_unit}
               : unsaid;
}

/*
 * ptxas sets constants of fp32 with HFMA2 and turns halves into floats with HADD2.F32, and a thread
 * that is short does little else. So half precision is an operation only where it is the declared
 * arithmetic: fp16 or bf16, and not that of tensor cores, whose products are counted by themselves
 * while the rest converts what goes in and out. Where nothing is declared it may be either.
 */
static bool counts_half(struct declared_math math)
{
    return math.unit != GB_MATH_TENSOR &&
           (math.format == 0 || math.format == GB_F16 || math.format == GB_BF16);
}

static const char *words_on_half(struct declared_math math)
{
    if (!counts_half(math))
        return ", without half precision, which is constants and conversions here";
    return math.format == 0 ? ", in which half precision may be constants and conversions, as the "
                              "arithmetic is not declared"
                            : "";
}

static __attribute__((format(printf, 3, 4))) void add_words(char *text, size_t bytes,
                                                            const char *format, ...)
{
    const size_t length = strlen(text);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text + length, bytes - length, format, arguments);
    va_end(arguments);
}

/* The sum of each kind; NaN where the chip has no metric of it or a value is missing. `values` are
 * in the order of the names. Half precision is summed only where it can be the declared arithmetic.
 * The text says which metrics counted something, and what became of half precision. */
static void work_metrics_sum(const struct work_metrics *work, struct declared_math math,
                             const double *values, double sums[GB_COUNTED_KINDS], char *made_from,
                             size_t bytes)
{
    size_t n_zero = 0;
    bool has_half = false;
    made_from[0] = '\0';
    for (size_t i = 0; i < GB_COUNTED_KINDS; i++)
        sums[i] = NAN;
    for (size_t i = 0; i < work->n; i++) {
        const struct work_metric *metric = work->all[i];
        double *sum = &sums[metric->kind];
        if (i == 0 || metric->kind != work->all[i - 1]->kind)
            *sum = 0.0;
        has_half = has_half || (metric->is_half && values[i] != 0.0);
        if (metric->is_half && !counts_half(math))
            continue;
        *sum += metric->weight * values[i];
        n_zero += values[i] == 0.0;
        if (values[i] != 0.0)
            add_words(made_from, bytes, "%s%g x %s", *made_from != '\0' ? " + " : "",
                      metric->weight, metric->name);
    }
    if (n_zero > 0)
        add_words(made_from, bytes, "%s%zu counters that read 0", *made_from != '\0' ? " + " : "",
                  n_zero);
    if (has_half)
        add_words(made_from, bytes, "%s", words_on_half(math));
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

static int32_t make_ready(void *context)
{
    struct pass *pass = context;
    const struct gb_counting *counting = pass->counting;
    const struct cuda_device *device = pass->device;
    int32_t status = counting_prepare(counting, &pass->is_warm, run_sample, pass);
    if (status == GB_OK && counting->cache == GB_CACHE_COLD)
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
    char *missing = counting->missing;
    for (uint32_t i = 0; i < counting->n_names; i++) {
        const char *name = counting->names[i];
        if (!metrics_has(metrics, name))
            add_words(missing, sizeof counting->missing, "%s%.160s", *missing != '\0' ? ", " : "",
                      name);
        else if (!is_listed(request, name))
            request->names[request->n++] = name;
    }
    if (*missing != '\0')
        add_words(missing, sizeof counting->missing,
                  ": no counter of the chip %s; `gbrun list counters` prints them (NAME.sum, "
                  "NAME.pct ...)",
                  chip);
}

static int32_t request_new(struct request *request, const struct metrics *metrics, const char *chip,
                           struct gb_counting *counting)
{
    const size_t most = N_KNOWN + (size_t)counting->n_names;
    request->names = calloc(most, sizeof *request->names);
    request->values = calloc(most, sizeof *request->values);
    if (request->names == NULL || request->values == NULL)
        return GB_NO_MEMORY;
    if (counting->wants_work != 0)
        work_metrics_choose(metrics, &request->work);
    for (; request->n < request->work.n; request->n++)
        request->names[request->n] = request->work.all[request->n]->name;
    add_names(request, metrics, chip, counting);
    return GB_OK;
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

/* Of the metrics that show the work, those that read 0 are left out. */
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
    free(request.names);
    free(request.values);
    metrics_free(metrics);
    return status;
}

const struct gb_counters cuda_counters = {
    .size = sizeof cuda_counters, .list = list, .count = count};
