/* host.c - see host.h. */
#include "core/run/host.h"

#include "core/base/number_format.h"
#include "core/base/number_text.h"
#include "core/base/plain_text.h"
#include "core/base/random.h"
#include "core/run/fills.h"
#include "core/verify/check_dump.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { HOST_ALIGNMENT = 64 };
#define CHECK_FLOOR 1e-3 /* the default of check.floor */

struct host_allocation {
    struct host_allocation *next;
    void *memory;
    bool on_device;
};

static volatile sig_atomic_t cancelled_flag;
static struct {
    bool (*asks)(void *context);
    void *context;
} stop;

static struct host *host_of(const struct gb_host *interface)
{
    return (struct host *)(uintptr_t)interface;
}

/* A copy of a plugin's text: cut, and plain. */
static void clean_text(const char *text, char *buffer, size_t bytes)
{
    static const char more[] = " ...";
    text = text ? text : "";
    snprintf(buffer, bytes, "%.*s", (int)bytes - 1, text);
    if (strnlen(text, bytes) == bytes && bytes > sizeof more)
        memcpy(buffer + bytes - sizeof more, more, sizeof more);
    make_plain(buffer);
}

static bool remember(struct host *host, void *memory, uint64_t bytes, bool on_device)
{
    struct host_allocation *allocation = malloc(sizeof *allocation);
    if (!allocation)
        return false;
    *allocation = (struct host_allocation){host->allocations, memory, on_device};
    host->allocations = allocation;
    host->n_bytes += bytes;
    return true;
}

/* It is written to at once: of more than
 * the machine has the kernel may promise any amount, and end who uses it. */
static void *host_allocate(const struct gb_host *interface, uint64_t bytes)
{
    const uint64_t page_bytes = (uint64_t)sysconf(_SC_PAGESIZE);
    if (bytes / page_bytes >= (uint64_t)sysconf(_SC_PHYS_PAGES))
        return NULL;
    size_t rounded = ((size_t)bytes + HOST_ALIGNMENT - 1) / HOST_ALIGNMENT * HOST_ALIGNMENT;
    void *memory = aligned_alloc(HOST_ALIGNMENT, rounded ? rounded : HOST_ALIGNMENT);
    if (!memory)
        return NULL;
    if (!remember(host_of(interface), memory, bytes, false)) {
        free(memory);
        return NULL;
    }
    return memset(memory, 0, rounded ? rounded : HOST_ALIGNMENT);
}

static int32_t host_fail(const struct gb_host *interface, const char *text)
{
    clean_text(text, host_of(interface)->reason, HOST_TEXT_MAX);
    return GB_FAILED;
}

static int32_t host_skip(const struct gb_host *interface, const char *reason)
{
    clean_text(reason, host_of(interface)->reason, HOST_TEXT_MAX);
    return GB_SKIPPED;
}

static void tell(struct host *host, uint32_t type, const void *record)
{
    if (!host->is_muted)
        host->sink.take(host->sink.context, type, record);
}

static void say(struct host *host, int32_t severity, const char *text)
{
    tell(host, WIRE_LOG, &(struct message_record){severity, text});
}

static void host_log(const struct gb_host *interface, int32_t severity, const char *text)
{
    struct host *host = host_of(interface);
    char cleaned[HOST_TEXT_MAX];
    clean_text(text, cleaned, sizeof cleaned);
    if (severity < GB_LOG_DEBUG || severity > GB_LOG_PLUGIN_BUG)
        severity = GB_LOG_PLUGIN_BUG;
    say(host, severity, cleaned);
}

static void host_metric(const struct gb_host *interface, const char *name, double value,
                        const char *unit)
{
    struct host *host = host_of(interface);
    char cleaned_name[HOST_NAME_BYTES], cleaned_unit[HOST_NAME_BYTES];
    clean_text(name, cleaned_name, sizeof cleaned_name);
    clean_text(unit, cleaned_unit, sizeof cleaned_unit);
    if (!cleaned_name[0]) {
        say(host, GB_LOG_PLUGIN_BUG, "gave a metric without a name");
        return;
    }
    tell(host, WIRE_METRIC, &(struct metric_record){cleaned_name, value, cleaned_unit});
}

static uint64_t host_random(const struct gb_host *interface, uint64_t stream, uint64_t index)
{
    return random_bits(interface->seed, stream, index);
}

static int32_t host_fill(const struct gb_host *interface, void *data, uint64_t n,
                         const struct gb_fill *fill)
{
    if (!fill || !GB_HAS(fill, integral) || (!data && n > 0))
        return host_fail(interface, "fill: called without data or with a struct that is too short");
    int32_t status = fills_make(interface->seed, data, n, fill);
    if (status != GB_OK)
        host_fail(interface, "fill: unknown number format, or low is above high");
    return status;
}

static void say_check(struct host *host, const char *name, int metric,
                      const struct verify_result *result, double tolerance, bool passed,
                      const char *text)
{
    const struct verify_metric *measured = &result->metrics[metric];
    tell(host, WIRE_CHECK,
         &(struct check_record){.name = name,
                                .metric = verify_metric_name(metric),
                                .value = measured->value,
                                .index = measured->index,
                                .reference = measured->reference,
                                .output = measured->output,
                                .tolerance = tolerance,
                                .passed = passed,
                                .text = text});
}

static void say_summary(struct host *host, const char *name, const struct verify_result *result)
{
    struct check_summary_record summary = {.name = name,
                                           .n = result->n,
                                           .n_exact = result->n_exact,
                                           .n_overflowed = result->n_overflowed,
                                           .n_nan = result->n_nan,
                                           .n_infinite_mismatch = result->n_infinite_mismatch,
                                           .n_zero_mismatch = result->n_zero_mismatch,
                                           .floor = result->floor};
    memcpy(summary.histogram, result->histogram, sizeof summary.histogram);
    memcpy(summary.above_floor, result->above_floor, sizeof summary.above_floor);
    tell(host, WIRE_SUMMARY, &summary);
}

/* Judges one metric; the first that does not pass becomes the reason. */
static bool judge(struct host *host, const char *name, const struct gb_check *check,
                  const struct verify_result *result, int metric, double tolerance)
{
    char text[512];
    bool passed = verify_passes(result, check, metric, tolerance);
    verify_describe(result, check, metric, tolerance, text, sizeof text);
    say_check(host, name, metric, result, tolerance, passed, text);
    if (!passed && !host->reason[0])
        snprintf(host->reason, sizeof host->reason, "%s: %s", name, text);
    return passed;
}

/* The comparison as the user wants it: members that the plugin does not know of are 0. */
static struct gb_check check_asked(const struct host *host, const struct gb_check *given,
                                   const char *name)
{
    const struct common_params *common = host->checks.common;
    struct gb_check check = {0};
    memcpy(&check, given, given->size < sizeof check ? given->size : sizeof check);
    check.size = sizeof check;
    check.name = name;
    if (common->check_safety > 0)
        check.safety = common->check_safety;
    if (common->check_bound_kind != GB_BOUND_AUTO)
        check.bound = (uint32_t)common->check_bound_kind;
    if (common->check_allow_overflow)
        check.flags |= GB_CHECK_ALLOW_OVERFLOW;
    if (check.reference_exact)
        check.flags |= GB_CHECK_EXACT;
    return check;
}

/* The tolerance of each metric, NaN where there is none; false if none of them has one. */
static bool find_tolerances(const struct host *host, const struct gb_check *check,
                            const struct verify_result *result, double tolerances[VERIFY_METRICS])
{
    bool exact = (check->flags & GB_CHECK_EXACT) != 0;
    int chosen = check->default_metric ? verify_metric_named(check->default_metric) : -1;
    for (int metric = 0; metric < VERIFY_METRICS; metric++)
        tolerances[metric] = NAN;
    if (exact) {
        tolerances[VERIFY_ABS] = 0;
        return true;
    }
    if (host->checks.n_tolerances == 0 && chosen >= 0)
        tolerances[chosen] = check->default_tolerance;
    if (host->checks.n_tolerances == 0 && chosen >= 0 && chosen != VERIFY_NOISE &&
        !isnan(result->metrics[VERIFY_NOISE].value))
        tolerances[VERIFY_NOISE] = verify_noise_tolerance(check->n);
    for (size_t i = 0; i < host->checks.n_tolerances; i++)
        tolerances[verify_metric_named(host->checks.tolerances[i].metric)] =
            host->checks.tolerances[i].tolerance;
    return host->checks.n_tolerances > 0 || chosen >= 0;
}

/* What counts where neither the benchmark nor the user says. */
static void derive_tolerance(struct gb_check *check)
{
    /* The bound of a sum of rounding errors where nothing is known of the terms, in units of
     * round-off: as `plugin = call` has it. */
    const double units_allowed = 8;
    const struct gb_format *format = number_formats.describe(check->format);
    if (check->default_metric || !format)
        return;
    check->default_metric = "rms";
    check->default_tolerance = ldexp(units_allowed, -format->digits);
    if (format->is_integer) {
        check->default_metric = "abs";
        check->default_tolerance = 0;
    } else if (check->magnitude && check->n_products > 0) {
        check->default_metric = "bound";
        check->default_tolerance = 1;
    } else if (check->n == 1) {
        check->default_metric = "rel";
    }
}

/* A second look, where the user or the benchmark asks for what only that finds. */
static void add_details(struct host *host, const struct gb_check *check,
                        struct verify_result *result)
{
    enum { WORST_MAX = 1000 };
    const struct common_params *common = host->checks.common;
    CLEANUP(free_pointer) struct verify_element *worst = NULL;
    int chosen = check->default_metric ? verify_metric_named(check->default_metric) : -1;
    bool is_asked = common->check_details || common->check_worst > 0;
    is_asked |= host->checks.n_tolerances == 0 && chosen >= VERIFY_DETAILS;
    for (size_t i = 0; i < host->checks.n_tolerances; i++)
        is_asked |= verify_metric_named(host->checks.tolerances[i].metric) >= VERIFY_DETAILS;
    if (!is_asked)
        return;
    uint64_t n = (uint64_t)common->check_worst;
    n = n < WORST_MAX ? n : WORST_MAX;
    worst = memory_allocate((n + 1) * sizeof *worst);
    const struct verify_detail_request request = {common->check_atol, common->check_rtol, worst, n};
    verify_details(check, &request, result);
    for (const struct verify_element *at = worst; at < worst + result->n_worst; at++)
        tell(host, WIRE_WORST,
             &(struct worst_record){check->name, at->index, at->reference, at->output, at->ulps});
}

/* The arrays are a help; a case is not lost with them. */
static void dump(struct host *host, const struct gb_check *check)
{
    char text[HOST_TEXT_MAX];
    struct gb_error error;
    if (check_dump(check, host->checks.common->check_dump, host->checks.uid, &error) == GB_OK)
        return;
    snprintf(text, sizeof text, "check.dump: %s", error.text);
    say(host, GB_LOG_WARNING, text);
}

static int32_t host_checked(const struct gb_host *interface, const char *name, int32_t passed,
                            const char *text)
{
    struct host *host = host_of(interface);
    char cleaned_name[HOST_NAME_BYTES], cleaned[512];
    clean_text(name ? name : "result", cleaned_name, sizeof cleaned_name);
    clean_text(text && *text ? text : passed ? "passed" : "not passed", cleaned, sizeof cleaned);
    tell(host, WIRE_CHECK,
         &(struct check_record){.name = cleaned_name,
                                .metric = "",
                                .value = NAN,
                                .reference = NAN,
                                .output = NAN,
                                .passed = passed != 0,
                                .text = cleaned});
    if (!passed && !host->reason[0])
        snprintf(host->reason, sizeof host->reason, "%s: %s", cleaned_name, cleaned);
    return passed ? GB_OK : GB_WRONG_RESULT;
}

/* Of the references. */
struct magnitudes {
    double mean, largest;
};

static struct magnitudes magnitudes_of(const double *values, uint64_t n)
{
    enum { LANES = 8 };
    double sums[LANES] = {0}, largest = 0, sum = 0;
    for (uint64_t i = 0; i < n; i++) {
        sums[i % LANES] += values[i];
        largest = fabs(values[i]) > largest ? fabs(values[i]) : largest;
    }
    for (int i = 0; i < LANES; i++)
        sum += sums[i];
    return (struct magnitudes){sum / (double)n, largest};
}

/* The first n of an output of this number alone, compared; false: there is no memory. */
static bool compare_number(const struct host *host, const struct gb_check *check, uint64_t n,
                           double number, struct verify_result *ret)
{
    const struct gb_fill fill = {
        .size = sizeof fill, .format = check->format, .low = number, .high = number};
    CLEANUP(free_pointer)
    void *output = malloc(n * number_formats.describe(check->format)->bytes + 1);
    struct gb_check of_it = *check;
    struct gb_error error;
    of_it.output = output;
    of_it.n = n;
    return output && random_fill(0, output, n, &fill) == GB_OK &&
           verify_compare(&of_it, host->checks.common->check_floor, ret, &error) == GB_OK;
}

/* What a metric of all n is at least, by that of the first of them: most are maxima, the others
 * roots of sums over n, rms relative to the largest magnitude. */
static double least_of_all(const struct verify_result *first, uint64_t n, double number,
                           const struct magnitudes *all, const double *reference, int metric)
{
    static const double rounding = 0.5; /* of the number to fp8, at most */
    const double share = sqrt((double)first->n / (double)n);
    const double value = first->metrics[metric].value;
    if (metric != VERIFY_RMS)
        return metric == VERIFY_NOISE ? share * value : value;
    if (first->n_nan_reference > 0)
        return 0; /* fewer count */
    const double seen = fmax(magnitudes_of(reference, first->n).largest, fabs(number));
    return rounding * share * value * seen / fmax(all->largest, fabs(number));
}

/* Does an output of this number alone pass, where not all references are that? Mostly the first few
 * show that it does not. */
static bool is_passed_by(const struct host *host, const struct gb_check *check,
                         const double tolerances[VERIFY_METRICS], double number,
                         const struct magnitudes *all)
{
    enum { FIRST = 16384 };
    struct verify_result result;
    if (check->n > FIRST && compare_number(host, check, FIRST, number, &result))
        for (int metric = 0; metric < VERIFY_METRICS; metric++)
            if (least_of_all(&result, check->n, number, all, check->reference, metric) >
                tolerances[metric])
                return false;
    if (!compare_number(host, check, check->n, number, &result) || result.n_exact == result.n)
        return false;
    for (int metric = 0; metric < VERIFY_METRICS; metric++)
        if (!isnan(tolerances[metric]) &&
            !verify_passes(&result, check, metric, tolerances[metric]))
            return false;
    return true;
}

/* Where tolerances are so wide that no work is needed to pass, that is a failure of its own if the
 * code is not trusted. */
static bool is_earned(struct host *host, const struct gb_check *check,
                      const double tolerances[VERIFY_METRICS])
{
    const int32_t verify = host->checks.common->verify;
    const bool must_be = verify == VERIFY_STRICT || verify == VERIFY_JUDGE;
    if (host->is_muted || check->flags & GB_CHECK_EXACT)
        return true;
    const struct magnitudes all = magnitudes_of(check->reference, check->n);
    const bool by_zeros = is_passed_by(host, check, tolerances, 0, &all);
    if (!by_zeros && !is_passed_by(host, check, tolerances, all.mean, &all))
        return true;
    char text[HOST_NAME_BYTES + 64];
    snprintf(text, sizeof text, "%s: %s would pass, too", check->name,
             by_zeros ? "zeros" : "the mean of the reference");
    if (must_be)
        host_checked(&host->interface, "tolerance", 0, text);
    else
        say(host, GB_LOG_WARNING, text);
    return !must_be;
}

static int32_t compare(const struct gb_host *interface, const struct gb_check *given)
{
    struct host *host = host_of(interface);
    const struct common_params *common = host->checks.common;
    if (!given || !GB_HAS(given, default_tolerance))
        return host_fail(interface, "check: called with a struct that is missing or too short");
    char name[HOST_NAME_BYTES];
    clean_text(given->name ? given->name : "output", name, sizeof name);
    struct gb_check check = check_asked(host, given, name);
    struct verify_result result;
    struct gb_error error;
    derive_tolerance(&check);
    if (verify_compare(&check, common->check_floor, &result, &error) != GB_OK)
        return host_fail(interface, error.text);
    add_details(host, &check, &result);
    double tolerances[VERIFY_METRICS];
    if (!find_tolerances(host, &check, &result, tolerances))
        return host_fail(interface, "check: no tolerance was set, and the benchmark names an "
                                    "unknown metric");
    say_summary(host, name, &result);
    bool passed = true;
    for (int metric = 0; metric < VERIFY_METRICS; metric++)
        if (isnan(tolerances[metric]) && metric >= VERIFY_DETAILS &&
            isnan(result.metrics[metric].value))
            continue; /* not asked for */
        else if (isnan(tolerances[metric]))
            say_check(host, name, metric, &result, NAN, true, "");
        else if (!judge(host, name, &check, &result, metric, tolerances[metric]))
            passed = false;
    passed = passed && is_earned(host, &check, tolerances);
    if (*common->check_dump && (!passed || common->check_dump_always))
        dump(host, &check);
    return passed ? GB_OK : GB_WRONG_RESULT;
}

/* Whatever locale the plugin has set, numbers are worded in the same way. */
static int32_t host_check(const struct gb_host *interface, const struct gb_check *check)
{
    locale_t before = number_locale_c();
    int32_t status = compare(interface, check);
    number_locale_restore(before);
    return status;
}

static int32_t host_is_cancelled(const struct gb_host *interface)
{
    (void)interface;
    return host_cancelled();
}

/* A device says what went wrong to its own host; the benchmark that asked passes it on as its
 * reason. */
static int32_t device_status(struct host *host, int32_t status)
{
    if (status != GB_OK && host->device.host)
        snprintf(host->reason, sizeof host->reason, "%s", host->device.host->reason);
    return status;
}

static int32_t host_device_allocate(const struct gb_host *interface, uint64_t bytes, uint32_t kind,
                                    void **ret_memory)
{
    struct host *host = host_of(interface);
    if (!host->device.ops || !ret_memory)
        return host_fail(interface, "device_allocate: there is no device here");
    if (host->shared) {
        *ret_memory = shared_memory_take(host->shared, bytes);
        return *ret_memory ? GB_OK : host_fail(interface, "device_allocate: too little memory");
    }
    void *memory = NULL;
    int32_t status = host->device.ops->allocate(host->device.device, bytes, kind, &memory);
    if (status != GB_OK)
        return device_status(host, status);
    if (!remember(host, memory, bytes, true)) {
        host->device.ops->release(host->device.device, memory);
        return GB_NO_MEMORY;
    }
    *ret_memory = memory;
    return GB_OK;
}

static void *host_share(const struct gb_host *interface, uint64_t bytes)
{
    struct shared_memory *common = host_of(interface)->common;
    return common ? shared_memory_take(common, bytes) : NULL;
}

static int32_t host_device_copy(const struct gb_host *interface, void *to, const void *from,
                                uint64_t bytes)
{
    struct host *host = host_of(interface);
    if (!host->device.ops)
        return host_fail(interface, "device_copy: there is no device here");
    return device_status(host, host->device.ops->copy(host->device.device, to, from, bytes));
}

static int32_t host_device_fill(const struct gb_host *interface, void *memory, uint32_t byte,
                                uint64_t bytes)
{
    struct host *host = host_of(interface);
    if (!host->device.ops)
        return host_fail(interface, "device_fill: there is no device here");
    return device_status(host, host->device.ops->fill(host->device.device, memory, byte, bytes));
}

static void host_exclusive(const struct gb_host *interface)
{
    host_of(interface)->wants_exclusive = true;
}

static void host_keep(const struct gb_host *interface)
{
    host_of(interface)->keeps = true;
}

static void host_replace(const struct gb_host *interface, const struct gb_bench_ops *given)
{
    struct gb_bench_ops *ops = &host_of(interface)->replaced;
    if (!given || !GB_HAS(given, run) || !given->run) {
        host_log(interface, GB_LOG_PLUGIN_BUG, "replace: called without functions, or without run");
        return;
    }
    memset(ops, 0, sizeof *ops);
    memcpy(ops, given, given->size < sizeof *ops ? given->size : sizeof *ops);
    ops->size = sizeof *ops;
}

static uint32_t host_series(const struct gb_host *interface, const char *name, const char *unit)
{
    struct host *host = host_of(interface);
    struct gb_error error;
    uint32_t number = series_declare(&host->series, name, unit, &error);
    if (number == 0)
        host_log(interface, GB_LOG_PLUGIN_BUG, error.text);
    return number;
}

static void host_sample(const struct gb_host *interface, uint32_t series, double value)
{
    (void)interface;
    sample_buffers_put(series, value);
}

/* Policies and devices have none. */
static uint32_t refuse_series(const struct gb_host *interface, const char *name, const char *unit)
{
    (void)name, (void)unit;
    host_log(interface, GB_LOG_PLUGIN_BUG, "series: only a benchmark has samples of its own");
    return 0;
}

static void refuse_sample(const struct gb_host *interface, uint32_t series, double value)
{
    (void)interface, (void)series, (void)value;
}

static int32_t host_fill_shared(const struct gb_host *interface, const struct gb_queue *queue,
                                void *memory, uint64_t n, const struct gb_fill *fill)
{
    struct host *host = host_of(interface);
    const struct gb_judging_device *judging = host->device.judging;
    if (!judging)
        return host_fill(interface, memory, n, fill);
    return device_status(
        host, judging->fill(host->device.device, queue, interface->seed, memory, n, fill));
}

static int32_t host_device_draw(const struct gb_host *interface, const struct gb_queue *queue,
                                void *memory, uint64_t n, const struct gb_fill *fill)
{
    return host_of(interface)->device.judging ? host_fill_shared(interface, queue, memory, n, fill)
                                              : GB_UNSUPPORTED;
}

struct gb_judging host_judging(bool is_judge)
{
    return (struct gb_judging){.size = sizeof(struct gb_judging),
                               .is_judge = is_judge,
                               .share = host_share,
                               .fill = host_fill_shared};
}

static const void *host_extension(const struct gb_host *interface, const char *id)
{
    if (id && strcmp(id, GB_JUDGING) == 0)
        return host_of(interface)->judging;
    return id && strcmp(id, GB_FORMATS) == 0 ? &number_formats : NULL;
}

static const char *host_device_fact(const struct gb_host *interface, const char *name)
{
    const struct host *host = host_of(interface);
    const struct fact *fact = name ? ITEM_NAMED(host->facts, host->n_facts, name, name) : NULL;
    return fact ? fact->value : NULL;
}

struct host *host_new(uint64_t seed, const struct host_sink *sink, const struct host_device *device,
                      const struct host_checks *checks)
{
    struct host *host = memory_allocate(sizeof *host);
    host->interface = (struct gb_host){.size = sizeof host->interface,
                                       .seed = seed,
                                       .allocate = host_allocate,
                                       .fail = host_fail,
                                       .skip = host_skip,
                                       .log = host_log,
                                       .metric = host_metric,
                                       .random = host_random,
                                       .fill = host_fill,
                                       .check = host_check,
                                       .cancelled = host_is_cancelled,
                                       .device = device ? device->info : NULL,
                                       .device_allocate = host_device_allocate,
                                       .device_copy = host_device_copy,
                                       .device_fill = host_device_fill,
                                       .device_draw = host_device_draw,
                                       .extension = host_extension,
                                       .exclusive = host_exclusive,
                                       .checked = host_checked,
                                       .series = device ? host_series : refuse_series,
                                       .sample = device ? host_sample : refuse_sample,
                                       .keep = host_keep,
                                       .replace = host_replace,
                                       .device_fact = host_device_fact};
    host->sink = *sink;
    if (device)
        host->device = *device;
    static const struct common_params no_settings = {.check_floor = CHECK_FLOOR, .check_dump = ""};
    static const struct host_checks no_checks = {.common = &no_settings, .uid = ""};
    host->checks = checks ? *checks : no_checks;
    return host;
}

void host_cancel(void)
{
    cancelled_flag = 1;
}

void host_cancel_reset(bool (*asks)(void *context), void *context)
{
    cancelled_flag = 0;
    stop.asks = asks;
    stop.context = context;
}

bool host_cancelled(void)
{
    if (cancelled_flag == 0 && stop.asks && stop.asks(stop.context))
        cancelled_flag = 1;
    return cancelled_flag != 0;
}

const char *host_words(const struct host *host, int32_t status)
{
    return *host->reason ? host->reason : status_words(status);
}

void host_free(struct host *host)
{
    if (!host)
        return;
    if (host->series.n > 0)
        series_free(&host->series);
    while (host->allocations) {
        struct host_allocation *next = host->allocations->next;
        if (host->allocations->on_device)
            host->device.ops->release(host->device.device, host->allocations->memory);
        else
            free(host->allocations->memory);
        free(host->allocations);
        host->allocations = next;
    }
    free(host);
}
