/* result.c - see library.h: what a call gives back. */
#include "core/base/members.h"
#include "core/base/statistics.h"
#include "core/library/library.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct result *result_new(void)
{
    struct result *result = memory_allocate(sizeof *result);
    result->seen = (struct gbrun_result){.size = sizeof result->seen,
                                         .error = "",
                                         .time_ns = NAN,
                                         .low_ns = NAN,
                                         .high_ns = NAN,
                                         .confidence = NAN,
                                         .median_ns = NAN,
                                         .statistic = "",
                                         .verdict_text = "",
                                         .reason = "",
                                         .note = "",
                                         .clock = "",
                                         .way = "",
                                         .device = "",
                                         .device_model = "",
                                         .device_uuid = ""};
    return result;
}

void result_fail(struct result *result, int32_t status, const char *text)
{
    if (result->seen.status != GB_OK)
        return;
    result->seen.status = status;
    result->seen.error = arena_text(&result->arena, text);
}

void result_take(void *context, uint32_t type, struct wire_reader *payload)
{
    struct result *result = context;
    if (!result->is_corrupt && collector_take(&result->collector, type, payload) != GB_OK)
        result->is_corrupt = true;
}

/* Members of one name, up to eight. */
#define COPY(to, from, ...) (void)(FOR_MEMBERS(COPY_ONE, to, from, __VA_ARGS__))
#define COPY_ONE(to, from, member) ((to)->member = (from)->member)

void result_fill_estimate(struct gbrun_result *seen, struct arena *arena,
                          const struct gb_estimate *estimate, int32_t verdict)
{
    COPY(seen, estimate, low_ns, high_ns, confidence, statistic, verdict, note, n_discarded,
         n_effective);
    seen->time_ns = estimate->value_ns;
    seen->verdict = verdict;
    seen->verdict_text = verdict_words(verdict);
    seen->n_modes = estimate->n_modes > 1 ? estimate->n_modes : 0;
    struct gbrun_mode *modes = ARENA_ARRAY(arena, struct gbrun_mode, seen->n_modes);
    for (uint32_t i = 0; i < seen->n_modes; i++)
        modes[i] = (struct gbrun_mode){estimate->modes[i].median_ns, estimate->modes[i].low_ns,
                                       estimate->modes[i].high_ns, estimate->modes[i].weight};
    seen->modes = modes;
}

static const double *column(const struct case_record *record, const char *name)
{
    const struct sample_column *found = ITEM_NAMED(record->columns, record->n_columns, name, name);
    return found ? found->values : NULL;
}

static void fill_samples(struct gbrun_result *seen, const struct case_record *record)
{
    const double *throttle = column(record, "throttle");
    seen->n_samples = record->n_samples;
    seen->samples_ns = column(record, record->clock);
    seen->elapsed_ns = column(record, "elapsed");
    seen->iterations = record->iterations;
    seen->n_lost = record->n_lost;
    if (seen->samples_ns)
        seen->median_ns = summary_of(seen->samples_ns, seen->n_samples).median;
    for (uint64_t i = 0; throttle && i < record->n_samples; i++)
        seen->n_throttled += throttle[i] != 0;
}

static void fill_way(struct gbrun_result *seen, const struct case_record *record)
{
    const char *launched = record->launched ? record->launched : "";
    COPY(seen, record, clock, tick_ns, overhead_ns, offset_ns, offset_error_ns, graph_ns);
    COPY(seen, &record->pace, load_ns, clock_mean_hz, clock_low_hz, clock_high_hz);
    seen->way = record->reading_note ? record->reading_note : "";
    seen->flags |= seen->n_throttled > 0 ? GBRUN_THROTTLED : 0;
    seen->flags |= record->is_dithered ? GBRUN_DITHERED : 0;
    seen->flags |= text_equal(launched, launch_word(GB_LAUNCH_GRAPH)) ? GBRUN_GRAPH : 0;
    seen->flags |= record->bench_case->common.cache == GB_CACHE_COLD ? GBRUN_COLD : 0;
}

static void fill_activities(struct gbrun_result *seen, struct arena *arena,
                            const struct case_record *record)
{
    struct gbrun_activity *all = ARENA_ARRAY(arena, struct gbrun_activity, record->n_activities);
    for (size_t i = 0; i < record->n_activities; i++) {
        const struct gb_activity *from = &record->activities[i];
        struct gbrun_activity *to = &all[i];
        COPY(to, from, kind, name, registers, parallel, shared_bytes, bytes, occupancy);
        COPY(to, from, time_ns, low_ns, high_ns, gap_ns);
        to->size = sizeof *to;
        memcpy(to->grid, from->grid, sizeof to->grid);
        memcpy(to->block, from->block, sizeof to->block);
    }
    seen->activities_known = record->has_activities;
    seen->n_activities = record->n_activities;
    seen->activities = all;
    seen->n_kernels = record->n_kernels;
}

static void fill_notes(struct gbrun_result *seen, struct arena *arena,
                       const struct case_record *record)
{
    struct gbrun_message *messages = ARENA_ARRAY(arena, struct gbrun_message, record->n_messages);
    struct gbrun_metric *metrics = ARENA_ARRAY(arena, struct gbrun_metric, record->n_metrics);
    for (size_t i = 0; i < record->n_messages; i++)
        messages[i] = (struct gbrun_message){.severity = record->messages[i].severity,
                                             .text = record->messages[i].text};
    for (size_t i = 0; i < record->n_metrics; i++)
        metrics[i] = (struct gbrun_metric){record->metrics[i].name, record->metrics[i].value,
                                           record->metrics[i].unit};
    seen->n_messages = record->n_messages;
    seen->messages = messages;
    seen->n_metrics = record->n_metrics;
    seen->metrics = metrics;
}

static void fill_checks(struct gbrun_result *seen, struct arena *arena,
                        const struct case_record *record)
{
    struct gbrun_compared *checks = ARENA_ARRAY(arena, struct gbrun_compared, record->n_checks);
    for (size_t i = 0; i < record->n_checks; i++) {
        const struct check_record *from = &record->checks[i];
        COPY(&checks[i], from, name, metric, value, tolerance, index, reference, output, text);
        checks[i].passed = from->passed;
    }
    seen->n_checks = record->n_checks;
    seen->checks = checks;
}

void result_fill(struct result *result, const struct known_device *device)
{
    struct gbrun_result *seen = &result->seen;
    const struct case_record *record = &result->collector.record;
    seen->device = device->label;
    seen->device_model = arena_text(&result->arena, device->info.model);
    seen->device_uuid = arena_text(&result->arena, device->info.uuid);
    if (record->has_estimate && (seen->status == GB_OK || seen->status == GB_WRONG_RESULT))
        result_fill_estimate(seen, &result->arena, &record->estimate,
                             verdict_of_visit(record->estimate.verdict));
    seen->reason = record->stop_reason;
    fill_samples(seen, record);
    fill_way(seen, record);
    fill_activities(seen, &result->arena, record);
    fill_notes(seen, &result->arena, record);
    fill_checks(seen, &result->arena, record);
}

void gbrun_free(const struct gbrun_result *seen)
{
    struct result *result = (struct result *)(uintptr_t)seen;
    if (!result)
        return;
    if (result->has_collector)
        collector_free(&result->collector);
    if (result->first)
        gbrun_free(&result->first->seen);
    arena_free(&result->arena);
    free(result);
}

double result_value(const struct gbrun_result *result)
{
    const bool is_centre = text_equal(result->statistic, "median") ||
                           (text_equal(result->statistic, "mean") &&
                            (result->flags & GBRUN_DITHERED));
    return is_centre && result->time_ns > 0 && isfinite(result->time_ns) ? result->time_ns
                                                                         : result->median_ns;
}
