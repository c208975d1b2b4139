/*
 * counting.c - see case_state.h: the pass of a case that reads the device's hardware counters, and
 * what is made of them.
 *
 * Metrics of the case, of one iteration: each counter by the device's name for it, and those of the
 * following that the device can count counted_flops              FLOP counted_bytes_l1, _l2, _dram
 * bytes asked of, or moved by, that level counted_intensity_l1, ...  FLOP/byte: flops over the
 * bytes of that level What was declared (struct gb_work) and is more than 10 % from what was
 * counted is warned of.
 */
#include "core/run/case_state.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { VALUES_MAX = 512, NAME_BYTES = 200 };
static const double disagreement = 0.1;
/* Below this cold reads are not compared: instructions and parameters are read as well. */
static const double least_cold_bytes = 1 << 20;
/* From so many caches on what stays in them from one sample to the next hardly counts. */
static const double caches_beyond = 4;

/* A value that the device gave; text in the counting's memory. */
struct count_value {
    const char *name, *unit;
    double value;
};

struct counting {
    struct gb_counting asked; /* what the device's count is called with */
    struct arena arena;
    struct count_value *values;
    size_t n_values, n_refused; /* refused: without a name that one can write, or too many */
};

static bool means_yes(const char *text)
{
    return IS_AMONG(text, "yes", "true", "on", "1");
}

/* False: the key `counters` wants nothing. */
static bool counting_is_wanted(const char *setting)
{
    return !IS_AMONG(setting, "no", "false", "off", "0", "");
}

/* ---- what is asked ---- */

static const char *printable(const char *text)
{
    const size_t length = text ? strnlen(text, NAME_BYTES) : 0;
    if (!text || length == NAME_BYTES)
        return NULL;
    for (size_t i = 0; i < length; i++)
        if (text[i] < 0x20 || text[i] > 0x7E)
            return NULL;
    return text;
}

/* Called by the device's plugin: whatever it passes is kept at most. */
static void keep_value(void *context, const char *name, double value, const char *unit)
{
    struct counting *counting = context;
    if (!printable(name) || !*name || !printable(unit) || counting->n_values == VALUES_MAX) {
        counting->n_refused++;
        return;
    }
    ARENA_APPEND(&counting->arena, counting->values, counting->n_values,
                 (struct count_value){arena_text(&counting->arena, name),
                                      arena_text(&counting->arena, unit), value});
}

static void add_name(struct counting *counting, const char ***names, const char *begin,
                     size_t length)
{
    while (length > 0 && strchr(" \t", begin[length - 1]))
        length--;
    const char *name = arena_text_n(&counting->arena, begin, length);
    if (means_yes(name)) {
        counting->asked.wants_work = 1;
    } else if (length > 0) {
        *names = arena_grow(&counting->arena, *names, counting->asked.n_names, sizeof **names);
        (*names)[counting->asked.n_names++] = name;
    }
}

/*
 * From the key's text, "yes" or names of counters with commas between, among which may be yes. ret
 * stays where it is until counting_free.
 */
static void counting_new(struct counting *ret, const char *setting, uint32_t cache)
{
    const char **names = NULL;
    *ret = (struct counting){
        .asked = {.size = sizeof ret->asked, .cache = cache, .count = keep_value, .context = ret}};
    for (int i = 0; i < GB_COUNTED_KINDS; i++)
        ret->asked.work[i] = NAN;
    while (*setting) {
        setting += strspn(setting, ", \t");
        const size_t length = strcspn(setting, ",");
        add_name(ret, &names, setting, length);
        setting += length;
    }
    ret->asked.names = names;
}

static void counting_free(struct counting *counting)
{
    arena_free(&counting->arena);
}

/* ---- what is reported ---- */

static void report_metric(struct worker_link *link, const char *name, double value,
                          const char *unit)
{
    if (isfinite(value) && value >= 0)
        link_metric(link, name, value, unit);
}

/* A count that is no number is not stored; one below zero is none. */
static void report_values(const struct counting *counting, struct worker_link *link)
{
    CLEANUP(text_free) struct text unread = {0};
    for (size_t i = 0; i < counting->n_values; i++) {
        const struct count_value *value = &counting->values[i];
        report_metric(link, value->name, value->value, value->unit);
        if (value->value < 0 && isfinite(value->value))
            link_say(link, GB_LOG_PLUGIN_BUG, "the counter %s is reported as %g", value->name,
                     value->value);
        else if (!isfinite(value->value))
            text_printf(&unread, "%s%s", unread.length ? ", " : "", value->name);
    }
    if (unread.length)
        link_say(link, GB_LOG_WARNING, "these counters could not be read: %s", text_get(&unread));
    if (counting->n_refused > 0)
        link_say(link, GB_LOG_PLUGIN_BUG,
                 "gave counters without usable names or units, or too many");
}

static double intensity(double flops, double bytes)
{
    return bytes > 0 ? flops / bytes : NAN;
}

/* Plugins fill this in: what is below zero is not known. */
static double counted(const struct counting *counting, int kind)
{
    const double value = counting->asked.work[kind];
    return isfinite(value) && value >= 0 ? value : NAN;
}

static void report_work(const struct counting *counting, struct worker_link *link)
{
    const double flops = counted(counting, GB_COUNTED_FLOPS);
    const double l1 = counted(counting, GB_COUNTED_BYTES_L1);
    const double l2 = counted(counting, GB_COUNTED_BYTES_L2);
    const double dram = counted(counting, GB_COUNTED_DRAM_READ) +
                        counted(counting, GB_COUNTED_DRAM_WRITE);
    report_metric(link, "counted_flops", flops, "FLOP");
    report_metric(link, "counted_bytes_l1", l1, "bytes");
    report_metric(link, "counted_bytes_l2", l2, "bytes");
    report_metric(link, "counted_bytes_dram", dram, "bytes");
    report_metric(link, "counted_intensity_l1", intensity(flops, l1), "FLOP/byte");
    report_metric(link, "counted_intensity_l2", intensity(flops, l2), "FLOP/byte");
    report_metric(link, "counted_intensity_dram", intensity(flops, dram), "FLOP/byte");
}

static bool agrees(double declared, double counted)
{
    return fabs(counted - declared) <= disagreement * declared;
}

/* note: what restricts it; or "". */
static void compare(struct worker_link *link, const char *what, double declared, double counted,
                    const char *note)
{
    if (!(declared > 0) || isnan(counted) || agrees(declared, counted))
        return;
    link_say(link, GB_LOG_WARNING,
             "%s: the benchmark declares %.4g an iteration, the counters say %.4g (%+.0f %%)%s",
             what, declared, counted, 100 * (counted / declared - 1), note);
}

/* Devices leave out what is not the declared arithmetic, if they can. */
static void compare_flops(const struct counting *counting, const struct gb_work *declared,
                          struct worker_link *link)
{
    const double flops = counted(counting, GB_COUNTED_FLOPS);
    const bool may_be_too_many = declared->math_format == 0 && flops > declared->flops;
    compare(link, "FLOP", declared->flops, flops,
            may_be_too_many ? "; the type of their arithmetic is not declared" : "");
}

/* Where as many were asked for as declared, and memory saw fewer, a cache gave the same ones again
 * and again. */
static void compare_bytes(struct worker_link *link, const char *what, double declared,
                          double counted, bool was_asked)
{
    if (!was_asked || counted > declared)
        compare(link, what, declared, counted, "");
}

/*
 * Declared bytes are those of memory, each once. The caches stand between: only where much more is
 * declared than they hold, or where they were emptied before, does memory see them. After an
 * emptying only reads are compared: what is written drives out what the emptying left.
 */
static void compare_work(const struct counting *counting, const struct gb_device_info *device,
                         const struct gb_work *declared, struct worker_link *link)
{
    const double read = counted(counting, GB_COUNTED_DRAM_READ);
    const double written = counted(counting, GB_COUNTED_DRAM_WRITE);
    const double bytes = declared->bytes_read + declared->bytes_written;
    compare_flops(counting, declared, link);
    const bool was_asked = agrees(bytes, counted(counting, GB_COUNTED_BYTES_L1));
    if (device->cache_bytes > 0 && bytes >= caches_beyond * (double)device->cache_bytes)
        compare_bytes(link, "bytes of memory", bytes, read + written, was_asked);
    else if (counting->asked.cache == GB_CACHE_COLD && declared->bytes_read >= least_cold_bytes)
        compare_bytes(link, "bytes read from memory", declared->bytes_read, read, was_asked);
}

/* Of an array of the plugin's, which may lack its end, a text on one line. */
static const char *line_of(char text[GB_COUNTING_TEXT])
{
    text[GB_COUNTING_TEXT - 1] = 0;
    for (char *at = text; *at; at++)
        if ((unsigned char)*at < 0x20 || *at == 0x7F)
            *at = ' ';
    return text;
}

/* Reports metrics, warnings and what is missing over the link. declared: zeroed if nothing was. */
static void counting_report(struct counting *counting, const struct gb_device_info *device,
                            const struct gb_work *declared, struct worker_link *link)
{
    struct gb_counting *asked = &counting->asked;
    report_values(counting, link);
    if (asked->wants_work) {
        report_work(counting, link);
        compare_work(counting, device, declared, link);
    }
    if (asked->missing[0])
        link_say(link, GB_LOG_WARNING, "counters: %s", line_of(asked->missing));
    if (asked->n_passes > 0)
        link_say(link, GB_LOG_INFO, "counters: %u pass%s%s%s", asked->n_passes,
                 asked->n_passes == 1 ? "" : "es", asked->made_from[0] ? "; work is " : "",
                 line_of(asked->made_from));
}

int32_t case_count(struct case_state *state)
{
    const struct open_device *device = state->device;
    const struct common_params *common = &state->bench_case->common;
    struct counting counting;
    int32_t status = GB_OK;
    if (!counting_is_wanted(common->counters) || host_cancelled())
        return GB_OK;
    link_phase(state->link, PHASE_COUNT);
    counting_new(&counting, common->counters, (uint32_t)common->cache);
    counting.asked.iterations = state->iterations;
    counting.asked.bench_ops = state->ops;
    counting.asked.bench = state->bench;
    counting.asked.queue = device->queue;
    counting.asked.math_format = state->work.math_format;
    counting.asked.math_unit = state->work.math_unit;
    state->host->interface.iterations = state->iterations;
    if (device->counters)
        CALL_BENCH(state, status, device->counters->count(device->device, &counting.asked));
    else
        snprintf(counting.asked.missing, sizeof counting.asked.missing, "the device %s has none",
                 device->name);
    if (status == GB_OK)
        counting_report(&counting, &device->info, &state->work, state->link);
    counting_free(&counting);
    if (status == GB_OK)
        *device->host->reason = 0; /* a message says what it could not count */
    return case_judge_both(state, "counting", status);
}
