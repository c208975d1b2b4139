/* collector.c - see collector.h. */
#include "core/run/collector.h"

#include "core/base/plain_text.h"
#include "core/run/machine.h"
#include "core/run/messages.h"
#include "core/store/store_read.h"
#include "core/store/store_table.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NOTES_BYTES_MAX = 32 << 20, TEXT_BYTES_MAX = 2 * NOTES_BYTES_MAX };

void collector_begin(struct collector *collector, const struct bench_case *bench_case,
                     const char *uid, uint32_t round)
{
    *collector = (struct collector){.traces = ""};
    struct case_record *record = &collector->record;
    record->bench_case = bench_case;
    record->round = round;
    record->is_part = bench_case && bench_case->is_part;
    record->status = CASE_RUNNING;
    record->status_text = record->stop_reason = record->clock = "";
    record->work.size = sizeof record->work;
    record->phases = (struct phases_record){NAN, NAN, NAN, NAN, NAN, NAN};
    memcpy(record->uid, uid, strlen(uid) + 1);
}

/* Is there room for one more than n? If not, it is counted. */
static bool has_room(struct collector *collector, size_t n, int kind)
{
    bool has = n < COLLECTOR_NOTES_MAX && collector->arena.bytes < NOTES_BYTES_MAX;
    collector->n_dropped[kind] += !has;
    return has;
}

static void add_message(struct collector *collector, int32_t severity, const char *text)
{
    ARENA_APPEND(&collector->arena, collector->messages, collector->record.n_messages,
                 (struct message_record){severity, arena_text(&collector->arena, text)});
}

static void take_log(struct collector *collector, struct wire_reader *message)
{
    CLEANUP(arena_free) struct arena scratch = {0};
    struct message_record log;
    get_record(message, &scratch, WIRE_LOG, &log);
    if (wire_complete(message) &&
        has_room(collector, collector->record.n_messages, DROPPED_MESSAGES))
        add_message(collector, log.severity, log.text);
}

const struct plugin_info *case_plugin(const struct bench_case *bench_case, uint32_t kind)
{
    return kind == GB_PLUGIN_BENCH    ? bench_case->info
           : kind == GB_PLUGIN_POLICY ? bench_case->policy->info
                                      : bench_case->device.settings->info;
}

/* It is a fact about the case if its code is not that of the others. */
static void take_build(struct collector *collector, struct wire_reader *message)
{
    CLEANUP(text_free) struct text words = {0};
    struct build build;
    wire_get_fields(message, &collector->arena, build_fields, &build);
    if (build.kind < GB_PLUGIN_BENCH || build.kind > GB_PLUGIN_DEVICE)
        message->failed = true;
    if (!wire_complete(message))
        return;
    const struct plugin_info *info = case_plugin(collector->record.bench_case, build.kind);
    collector->record.builds[build.kind - 1] = build.sha256;
    if (info->sha256 && !text_equal(info->sha256, build.sha256)) {
        text_printf(
            &words,
            "measured with a different build of %s than at the start of the run: %.12s, not %.12s",
            info->path, build.sha256, info->sha256);
        add_message(collector, GB_LOG_WARNING, text_get(&words));
    }
}

static void take_metric(struct collector *collector, struct wire_reader *message)
{
    CLEANUP(arena_free) struct arena scratch = {0};
    struct case_record *record = &collector->record;
    struct metric_record metric;
    get_record(message, &scratch, WIRE_METRIC, &metric);
    if (!wire_complete(message))
        return;
    const size_t i = text_index(TEXTS_OF(collector->metrics, record->n_metrics, name), metric.name);
    if (i < record->n_metrics && text_equal(collector->metrics[i].unit, metric.unit)) {
        collector->metrics[i].value = metric.value;
        return;
    }
    if (!has_room(collector, i, DROPPED_METRICS))
        return;
    if (i == record->n_metrics)
        ARENA_APPEND(&collector->arena, collector->metrics, record->n_metrics,
                     (struct metric_record){.name = arena_text(&collector->arena, metric.name)});
    collector->metrics[i].value = metric.value;
    collector->metrics[i].unit = arena_text(&collector->arena, metric.unit);
}

/* The benchmark's own metric of the same name counts. */
static void add_percentile(struct collector *collector, const struct series_record *series,
                           size_t level, const char *end, double value)
{
    struct case_record *record = &collector->record;
    const char *name = arena_printf(&collector->arena, "%s_%s%s", series->name,
                                    series_levels[level].name, end);
    if (ITEM_NAMED(collector->metrics, record->n_metrics, name, name))
        return;
    if (has_room(collector, record->n_metrics, DROPPED_METRICS))
        ARENA_APPEND(&collector->arena, collector->metrics, record->n_metrics,
                     (struct metric_record){name, value, series->unit});
}

/* Percentiles are metrics as well: what takes those in a file takes them. Tables show the first
 * ones. */
static void add_percentiles(struct collector *collector, const struct series_record *series)
{
    for (size_t i = 0; series->n > 0 && i < SERIES_LEVELS; i++)
        add_percentile(collector, series, i, "", series->quantiles[i].value);
    for (size_t i = 0; series->n > 0 && i < SERIES_LEVELS; i++) {
        add_percentile(collector, series, i, "_low", series->quantiles[i].low);
        add_percentile(collector, series, i, "_high", series->quantiles[i].high);
    }
}

/* With the quantiles. Bins that are not sound fail the reader. */
static void get_series(struct wire_reader *reader, struct arena *arena, struct series_record *ret)
{
    *ret = (struct series_record){0};
    get_record(reader, arena, WIRE_SERIES, ret);
    bool is_sound = true;
    for (size_t i = 0; i < SERIES_LEVELS; i++)
        is_sound = is_sound && ret->n_effective[i] <= ret->n;
    if (reader->failed || ret->n_refused > INT64_MAX || !is_sound ||
        !series_bins_are_sound(ret->bins, ret->n_bins, ret->n)) {
        reader->failed = true;
        ret->n_bins = ret->n = 0;
    }
    series_find_quantiles(ret);
}

static void take_series(struct collector *collector, struct wire_reader *message)
{
    CLEANUP(arena_free) struct arena scratch = {0};
    struct case_record *record = &collector->record;
    const bool is_kept = record->n_series < SERIES_MAX;
    struct series_record series;
    get_series(message, is_kept ? &collector->series_arena : &scratch, &series);
    if (!is_kept)
        message->failed = true;
    else if (wire_complete(message))
        collector->series[record->n_series++] = series;
}

static void take_check(struct collector *collector, struct wire_reader *message)
{
    CLEANUP(arena_free) struct arena scratch = {0};
    struct case_record *record = &collector->record;
    struct check_record check;
    bool is_kept = has_room(collector, record->n_checks, DROPPED_CHECKS);
    get_record(message, is_kept ? &collector->arena : &scratch, WIRE_CHECK, &check);
    if (is_kept && wire_complete(message))
        ARENA_APPEND(&collector->arena, collector->checks, record->n_checks, check);
}

/* Counts that do not fit each other fail the reader. */
static void get_summary(struct wire_reader *reader, struct arena *arena,
                        struct check_summary_record *ret)
{
    *ret = (struct check_summary_record){0};
    get_record(reader, arena, WIRE_SUMMARY, ret);
    const uint64_t counts[] = {ret->n_exact, ret->n_overflowed, ret->n_nan,
                               ret->n_infinite_mismatch, ret->n_zero_mismatch};
    bool is_sound = ret->n <= INT64_MAX; /* what the results file can hold */
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        is_sound = is_sound && counts[i] <= ret->n;
    uint64_t left = ret->n;
    for (int i = 0; i < VERIFY_CLASSES; i++) {
        is_sound = is_sound && ret->histogram[i] <= left &&
                   ret->above_floor[i] <= ret->histogram[i];
        left -= ret->histogram[i];
    }
    if (!is_sound || left != 0)
        reader->failed = true;
}

static void take_summary(struct collector *collector, struct wire_reader *message)
{
    CLEANUP(arena_free) struct arena scratch = {0};
    struct case_record *record = &collector->record;
    struct check_summary_record summary;
    bool is_kept = has_room(collector, record->n_summaries, DROPPED_SUMMARIES);
    get_summary(message, is_kept ? &collector->arena : &scratch, &summary);
    if (is_kept && wire_complete(message))
        ARENA_APPEND(&collector->arena, collector->summaries, record->n_summaries, summary);
}

static void take_worst(struct collector *collector, struct wire_reader *message)
{
    CLEANUP(arena_free) struct arena scratch = {0};
    struct case_record *record = &collector->record;
    struct worst_record worst;
    bool is_kept = has_room(collector, record->n_worst, DROPPED_WORST);
    get_record(message, is_kept ? &collector->arena : &scratch, WIRE_WORST, &worst);
    if (is_kept && wire_complete(message))
        ARENA_APPEND(&collector->arena, collector->worst, record->n_worst, worst);
}

/* More than ACTIVITIES_MAX fail the reader. */
static void take_activities(struct collector *collector, struct wire_reader *message)
{
    struct case_record *record = &collector->record;
    record->n_kernels = wire_get_u64(message);
    struct gb_activity *activities = get_rows(message, &collector->arena, TABLE_ACTIVITY,
                                              ACTIVITIES_MAX, &record->n_activities);
    for (size_t i = 0; i < record->n_activities; i++)
        activities[i].size = sizeof activities[i];
    if (record->n_kernels > INT64_MAX) {
        record->n_activities = record->n_kernels = 0;
        message->failed = true;
    }
    record->activities = activities;
    record->has_activities = true;
}

static void take_clocks(struct collector *collector, struct wire_reader *message)
{
    const struct clock_record *clocks = get_rows(message, &collector->arena, TABLE_CLOCK,
                                                 GB_CLOCKS_MAX, &collector->n_clocks);
    memcpy(collector->clocks, clocks, collector->n_clocks * sizeof *clocks);
}

/* Messages stay: they are of the case, however it is measured. */
static void take_again(struct collector *collector, struct wire_reader *message)
{
    struct case_record *record = &collector->record;
    (void)message;
    record->n_metrics = record->n_checks = record->n_summaries = record->n_worst = 0;
    record->n_series = 0;
    arena_free(&collector->series_arena);
    for (int kind = 0; kind < DROPPED_MESSAGES; kind++)
        collector->n_dropped[kind] = 0;
    record->has_estimate = false;
    collector->n = 0;
    collector->is_anew = collector->n_handed_on > 0;
    collector->n_handed_on = 0;
}

static void take_estimate(struct collector *collector, struct wire_reader *message)
{
    struct case_record *record = &collector->record;
    get_estimate(message, &collector->arena, &record->estimate, &record->stop_reason,
                 &record->n_lost);
    record->has_estimate = wire_complete(message);
}

/* One reading, after the moment that it was taken at. */
static void take_telemetry(struct collector *collector, struct wire_reader *message)
{
    struct telemetry_record telemetry = {.is_known = true, .values.size = sizeof telemetry.values};
    const uint32_t moment = wire_get_u32(message);
    get_record(message, NULL, WIRE_TELEMETRY, &telemetry);
    if (moment >= TELEMETRY_MOMENTS)
        message->failed = true;
    if (wire_complete(message))
        collector->record.telemetry[moment] = telemetry;
}

static void take_sentinel(struct collector *collector, struct wire_reader *message)
{
    struct sentinel_record sentinel = {0};
    const uint32_t moment = wire_get_u32(message);
    get_record(message, NULL, WIRE_SENTINEL, &sentinel);
    if (moment >= SENTINEL_MOMENTS || !(sentinel.time_ns > 0) || !isfinite(sentinel.time_ns))
        message->failed = true;
    if (wire_complete(message))
        collector->record.sentinel[moment] = sentinel;
}

static void make_room(struct collector *collector, uint64_t n)
{
    if (collector->n + n <= collector->capacity)
        return;
    uint64_t capacity = collector->capacity ? collector->capacity : 64;
    while (capacity < collector->n + n)
        capacity *= 2;
    for (size_t i = 0; i < collector->n_columns; i++)
        collector->columns[i] = memory_resize(collector->columns[i],
                                              (size_t)capacity * sizeof(double));
    collector->capacity = capacity;
}

/* The index of a column, which is added with gaps for the samples that are there already;
 * COLLECTOR_COLUMNS_MAX: there are too many. */
static size_t column_of(struct collector *collector, const char *name)
{
    const size_t i = text_index(TEXTS_OF(collector->views, collector->n_columns, name), name);
    if (i < collector->n_columns || i == COLLECTOR_COLUMNS_MAX)
        return i;
    collector->views[i].name = arena_text(&collector->arena, name);
    collector->columns[i] = memory_allocate((size_t)collector->capacity * sizeof(double));
    for (uint64_t j = 0; j < collector->n; j++)
        collector->columns[i][j] = sample_gap(name);
    collector->n_columns = i + 1;
    if (text_equal(name, collector->record.clock))
        collector->main_column = (uint32_t)i;
    return i;
}

/* Samples may come without a column that others have had: it has a gap then. */
static void append_gaps(struct collector *collector, uint64_t n)
{
    make_room(collector, n);
    for (size_t i = 0; i < collector->n_columns; i++)
        for (uint64_t j = collector->n; j < collector->n + n; j++)
            collector->columns[i][j] = sample_gap(collector->views[i].name);
}

static void take_samples(struct collector *collector, struct wire_reader *message)
{
    CLEANUP(arena_free) struct arena scratch = {0};
    uint64_t n = wire_get_u64(message), n_column = 0;
    uint32_t n_columns = wire_get_count(message, 12);
    size_t places[COLLECTOR_COLUMNS_MAX];
    const double *columns[COLLECTOR_COLUMNS_MAX];
    bool is_sound = n > 0 && n_columns > 0 && n_columns <= COLLECTOR_COLUMNS_MAX;
    for (uint32_t i = 0; i < n_columns && is_sound; i++) {
        places[i] = column_of(collector, wire_get_line(message, &scratch));
        columns[i] = wire_get_f64s(message, &scratch, &n_column);
        is_sound = places[i] != COLLECTOR_COLUMNS_MAX && n_column == n;
    }
    if (!is_sound) {
        message->failed = true;
        return;
    }
    append_gaps(collector, n);
    for (uint32_t i = 0; i < n_columns; i++)
        memcpy(collector->columns[places[i]] + collector->n, columns[i],
               (size_t)n * sizeof(double));
    collector->n += n;
}

static void take_forked(struct collector *collector, struct wire_reader *message)
{
    struct forked forked;
    wire_get_fields(message, NULL, forked_fields, &forked);
    message->failed |= forked.pid <= 0 || !(forked.load_ns >= 0);
    collector->record.pid = forked.pid;
    collector->load_ns = forked.load_ns;
    collector->is_forked = true;
}

static void take_end(struct collector *collector, struct wire_reader *message)
{
    struct case_end end;
    wire_get_fields(message, &collector->arena, case_end_fields, &end);
    collector->record.status = end.status;
    collector->record.status_text = end.text;
    collector->is_spent = end.is_spent;
    collector->is_again = end.is_again;
    collector->traces = end.traces;
    bool is_empty = collector->n + collector->n_handed_on == 0 &&
                    !(bench_case_is_counted(collector->record.bench_case) &&
                      collector->record.has_estimate);
    if (end.status < 0 || end.status >= CASE_STATUSES || (end.status == CASE_OK && is_empty) ||
        !text_equal(end.record, collector->record.uuid))
        message->failed = true;
    collector->is_complete = true;
}

int32_t collector_take(struct collector *collector, uint32_t type, struct wire_reader *message)
{
    static void (*const take[WIRE_TYPES])(struct collector *, struct wire_reader *) = {
        [WIRE_BUILD] = take_build,         [WIRE_LOG] = take_log,
        [WIRE_METRIC] = take_metric,       [WIRE_SERIES] = take_series,
        [WIRE_CHECK] = take_check,         [WIRE_SUMMARY] = take_summary,
        [WIRE_WORST] = take_worst,         [WIRE_ACTIVITIES] = take_activities,
        [WIRE_SENTINEL] = take_sentinel,   [WIRE_OPENED] = take_clocks,
        [WIRE_TELEMETRY] = take_telemetry, [WIRE_AGAIN] = take_again,
        [WIRE_SAMPLES] = take_samples,     [WIRE_ESTIMATE] = take_estimate,
        [WIRE_FORKED] = take_forked,       [WIRE_CASE_END] = take_end};
    void *part = part_of_record(type, &collector->record);
    if ((!take[type] && !part) || collector->arena.bytes > TEXT_BYTES_MAX)
        return GB_CORRUPT; /* out of place, or a flood of metrics or messages */
    if (take[type])
        take[type](collector, message);
    else
        get_record(message, &collector->arena, type, part);
    return wire_complete(message) ? GB_OK : GB_CORRUPT;
}

void collector_warn(struct collector *collector, const char *text)
{
    add_message(collector, GB_LOG_WARNING, text);
}

void collector_printed(struct collector *collector, const char *line)
{
    char *kept = collector->printed[collector->n_printed++ % COLLECTOR_PRINTED_LINES];
    snprintf(kept, sizeof *collector->printed, "%s", line);
    make_plain(kept); /* a code point may be cut */
}

void collector_handed_on(struct collector *collector)
{
    collector->n_handed_on += collector->n;
    collector->n = 0;
}

/* The last lines that the plugin printed help to understand a case that went wrong. */
static void keep_printed(struct collector *collector)
{
    uint64_t n = collector->n_printed;
    uint64_t first = n > COLLECTOR_PRINTED_LINES ? n - COLLECTOR_PRINTED_LINES : 0;
    CLEANUP(text_free) struct text text = {0};
    if (first > 0)
        text_printf(&text, "printed (the last %d of %llu lines): ", COLLECTOR_PRINTED_LINES,
                    (unsigned long long)n);
    else if (n > 0)
        text_add(&text, "printed: ");
    for (uint64_t i = first; i < n; i++)
        text_printf(&text, "%s%s", i > first ? "\n" : "",
                    collector->printed[i % COLLECTOR_PRINTED_LINES]);
    if (n > 0)
        add_message(collector, GB_LOG_INFO, text_get(&text));
}

/* First among the messages, since tables show the first ones. */
static void say_dropped(struct collector *collector)
{
    static const char *const words[] = {
#define DROPPED_WORDS(name, words) words,
        DROPPED_MAP(DROPPED_WORDS)
#undef DROPPED_WORDS
    };
    CLEANUP(text_free) struct text text = {0};
    for (int kind = 0; kind < DROPPED_KINDS; kind++)
        if (collector->n_dropped[kind] > 0)
            text_printf(&text, "%s%llu %s", text.length ? ", " : "",
                        (unsigned long long)collector->n_dropped[kind], words[kind]);
    if (text.length == 0)
        return;
    text_printf(&text, " were dropped: of a case up to %d of each are kept, and %d MiB of text",
                COLLECTOR_NOTES_MAX, NOTES_BYTES_MAX >> 20);
    add_message(collector, GB_LOG_WARNING, text_get(&text));
    struct message_record *messages = collector->messages;
    size_t last = collector->record.n_messages - 1;
    struct message_record said = messages[last];
    memmove(messages + 1, messages, last * sizeof *messages);
    messages[0] = said;
}

void collector_finish(struct collector *collector, int status, const char *text)
{
    struct case_record *record = &collector->record;
    record->status = status;
    record->status_text = arena_text(&collector->arena, text);
    if (case_status_is_bad(status))
        keep_printed(collector);
    if (*collector->traces)
        add_message(collector, GB_LOG_PLUGIN_BUG, collector->traces);
    for (size_t i = 0; i < record->n_series; i++)
        add_percentiles(collector, &collector->series[i]);
    say_dropped(collector);
    for (size_t i = 0; i < collector->n_columns; i++)
        collector->views[i].values = collector->columns[i];
    record->n_samples = collector->n;
    record->columns = collector->views;
    record->n_columns = collector->n_columns;
    record->metrics = collector->metrics;
    record->series = collector->series;
    record->checks = collector->checks;
    record->summaries = collector->summaries;
    record->worst = collector->worst;
    record->messages = collector->messages;
}

void collector_free(struct collector *collector)
{
    for (size_t i = 0; i < collector->n_columns; i++)
        free(collector->columns[i]);
    arena_free(&collector->arena);
    arena_free(&collector->series_arena);
    *collector = (struct collector){0};
}

/* ---- what a record is completed with, by a supervisor and by libgbrun ---- */

/* What the device says of itself; the size of its last cache, which roofs depend on, and how many
 * units blocks are spread over. */
static struct fact *facts_of(const struct known_device *device, struct arena *arena, size_t *ret_n)
{
    struct fact *facts = ARENA_ARRAY(arena, struct fact, device->n_facts + 2);
    for (size_t i = 0; i < device->n_facts; i++)
        facts[i] = device->facts[i];
    *ret_n = device->n_facts;
    if (device->info.cache_bytes > 0)
        facts[(*ret_n)++] = (struct fact){
            "cache_bytes",
            arena_printf(arena, "%llu", (unsigned long long)device->info.cache_bytes)};
    if (device->info.n_units > 0)
        facts[(*ret_n)++] = (struct fact){"units", arena_printf(arena, "%u", device->info.n_units)};
    return facts;
}

struct device_record device_record_of(const struct known_device *device,
                                      const struct collector *collector, struct arena *arena)
{
    struct device_record record = {.plugin = device->settings->info->plugin.id,
                                   .name = device->settings->name,
                                   .index = device->info.index,
                                   .model = device->info.model,
                                   .uuid = device->info.uuid,
                                   .clocks = (struct clock_record *)(uintptr_t)collector->clocks,
                                   .n_clocks = collector->n_clocks};
    record.facts = facts_of(device, arena, &record.n_facts);
    return record;
}

void record_warn_of_others(struct collector *collector)
{
    CLEANUP(text_free) struct text busy = {0}, shared = {0};
    if (machine_load_is_ignored())
        return;
    if (interference_matters(&collector->record, &busy))
        collector_warn(collector, text_get(&busy));
    if (interference_on_device(&collector->record, &shared))
        collector_warn(collector, text_get(&shared));
}

struct module_record module_record_of(const struct plugin_info *info, const char *sha256)
{
    return (struct module_record){.path = info->path,
                                  .sha256 = sha256,
                                  .kind = plugin_kind_words(info->plugin.kind),
                                  .id = info->plugin.id,
                                  .version = info->plugin.version};
}
