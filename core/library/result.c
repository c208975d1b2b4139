/* result.c - see result.h. */
#include "core/library/result.h"

#include "core/base/statistics.h"
#include "core/library/request.h"
#include "core/run/session.h"

#include <math.h>
#include <stdlib.h>

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

void result_fail_with(struct result *result, const struct error_list *errors)
{
    CLEANUP(text_free) struct text text = {0};
    for (size_t i = 0; i < errors->n; i++) {
        const struct origin *origin = &errors->items[i].origin;
        text_add(&text, i ? "\n" : "");
        if (origin->line > 0)
            text_printf(&text, "%s:%u:%u: ", origin->file, origin->line, origin->column);
        text_add(&text, errors->items[i].text);
    }
    result_fail(result, GB_INVALID, text_get(&text));
}

void result_take(void *context, uint32_t type, struct wire_reader *payload)
{
    struct result *result = context;
    if (!result->is_corrupt && collector_take(&result->collector, type, payload) != GB_OK)
        result->is_corrupt = true;
}

/* ---- the record, as the program sees it ---- */

static void fill_estimate(struct gbrun_result *seen, struct arena *arena,
                          const struct gb_estimate *estimate)
{
    seen->time_ns = estimate->value_ns;
    seen->low_ns = estimate->low_ns;
    seen->high_ns = estimate->high_ns;
    seen->confidence = estimate->confidence;
    seen->statistic = estimate->statistic;
    seen->verdict = estimate->verdict;
    seen->verdict_text = verdict_words(estimate->verdict);
    seen->note = estimate->note;
    seen->n_discarded = estimate->n_discarded;
    seen->n_effective = estimate->n_effective;
    seen->n_modes = estimate->n_modes > 1 ? estimate->n_modes : 0;
    struct gbrun_mode *modes = ARENA_ARRAY(arena, struct gbrun_mode, seen->n_modes);
    for (uint32_t i = 0; i < seen->n_modes; i++)
        modes[i] = (struct gbrun_mode){estimate->modes[i].median_ns, estimate->modes[i].low_ns,
                                       estimate->modes[i].high_ns, estimate->modes[i].weight};
    seen->modes = modes;
}

static const double *column(const struct case_record *record, const char *name)
{
    for (size_t i = 0; i < record->n_columns; i++)
        if (text_equal(record->columns[i].name, name))
            return record->columns[i].values;
    return NULL;
}

static double median_of(const double *values, uint64_t n)
{
    CLEANUP(free_pointer) double *sorted = memory_allocate((size_t)(n + 1) * sizeof *sorted);
    for (uint64_t i = 0; i < n; i++)
        sorted[i] = values[i];
    sort_values(sorted, (size_t)n);
    return quantile_of_sorted(sorted, (size_t)n, 0.5);
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
        seen->median_ns = median_of(seen->samples_ns, seen->n_samples);
    for (uint64_t i = 0; throttle && i < record->n_samples; i++)
        seen->n_throttled += throttle[i] != 0;
}

static void fill_way(struct gbrun_result *seen, const struct case_record *record)
{
    const char *launched = record->launched ? record->launched : "";
    seen->clock = record->clock;
    seen->tick_ns = record->tick_ns;
    seen->overhead_ns = record->overhead_ns;
    seen->offset_ns = record->offset_ns;
    seen->offset_error_ns = record->offset_error_ns;
    seen->graph_ns = record->graph_ns;
    seen->way = record->reading_note ? record->reading_note : "";
    seen->load_ns = record->pace.load_ns;
    seen->clock_mean_hz = record->pace.clock_mean_hz;
    seen->clock_low_hz = record->pace.clock_low_hz;
    seen->clock_high_hz = record->pace.clock_high_hz;
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
        all[i] = (struct gbrun_activity){.size = sizeof all[i],
                                         .kind = from->kind,
                                         .name = from->name,
                                         .grid = {from->grid[0], from->grid[1], from->grid[2]},
                                         .block = {from->block[0], from->block[1], from->block[2]},
                                         .registers = from->registers,
                                         .parallel = from->parallel,
                                         .shared_bytes = from->shared_bytes,
                                         .bytes = from->bytes,
                                         .occupancy = from->occupancy,
                                         .time_ns = from->time_ns,
                                         .low_ns = from->low_ns,
                                         .high_ns = from->high_ns,
                                         .gap_ns = from->gap_ns};
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
        checks[i] = (struct gbrun_compared){.name = from->name,
                                            .metric = from->metric,
                                            .value = from->value,
                                            .tolerance = from->tolerance,
                                            .index = from->index,
                                            .reference = from->reference,
                                            .output = from->output,
                                            .text = from->text,
                                            .passed = from->passed};
    }
    seen->n_checks = record->n_checks;
    seen->checks = checks;
}

void result_fill(struct result *result, const char *device, const struct gb_device_info *info)
{
    struct gbrun_result *seen = &result->seen;
    const struct case_record *record = &result->collector.record;
    seen->device = device;
    seen->device_model = arena_text(&result->arena, info->model);
    seen->device_uuid = arena_text(&result->arena, info->uuid);
    if (record->has_estimate && (seen->status == GB_OK || seen->status == GB_WRONG_RESULT))
        fill_estimate(seen, &result->arena, &record->estimate);
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
    arena_free(&result->arena);
    free(result);
}
