/* run_record.c - see run_state.h. */
#include "core/run/run_state.h"

#include "core/base/host_clock.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SPILL_SAMPLES = 65536 /* more than this are written before the case has ended */ };

void record_begin(struct collector *collector, const struct visit *visit)
{
    char started[UTC_TEXT];
    utc_text(started);
    collector_begin(collector, &visit->bench_case, visit->uid, visit->round);
    collector->record.started = arena_text(&collector->arena, started);
    uuid_new(collector->record.uuid);
    if (*visit->uuid)
        memcpy(collector->record.uuid, visit->uuid, sizeof visit->uuid);
    collector->record.attempt = visit->attempt;
}

void record_lock(struct collector *collector, const struct device_state *state)
{
    collector->record.lock_wait_ns += state->waited_ns;
    if (state->note.length > 0)
        collector_warn(collector, text_get(&state->note));
}

/* Of the device that the case has opened; 0: it did not get there. */
static int64_t device_id(struct run *run, struct slot *slot)
{
    const struct known_device *device = slot->device;
    int64_t *id = &run_device(run, device)->id;
    if (slot->collector.n_clocks == 0)
        return 0;
    if (*id != 0)
        return *id;
    CLEANUP(arena_free) struct arena arena = {0};
    struct device_record record = device_record_of(device, &slot->collector, &arena);
    struct gb_error error;
    if (store_device(run->plan->store, run->plan->run_id, &record, id, &error) != GB_OK)
        run_fail(run, &error);
    return *id;
}

void record_forget(struct run *run, struct slot *slot)
{
    struct collector *collector = &slot->collector;
    struct gb_error error;
    if (collector->is_anew &&
        store_forget(run->plan->store, collector->record.uuid, &error) != GB_OK)
        run_fail(run, &error);
    collector->is_anew = false;
}

void record_spill(struct run *run, struct slot *slot)
{
    struct collector *collector = &slot->collector;
    struct gb_error error;
    if (collector->n < SPILL_SAMPLES)
        return;
    collector->record.device_id = device_id(run, slot);
    for (size_t i = 0; i < collector->n_columns; i++)
        collector->views[i].values = collector->columns[i];
    if (store_samples(run->plan->store, run->plan->run_id, &collector->record,
                      collector->n_handed_on, collector->n, collector->views, collector->n_columns,
                      &error) != GB_OK)
        run_fail(run, &error);
    collector_handed_on(collector);
}

/* A row for each build that ran; a message when there is another one. */
static void note_build(struct run *run, const struct plugin_info *info, const char *sha256)
{
    struct gb_error error;
    for (size_t i = 0; i < run->n_builds; i++)
        if (run->builds[i].info == info && text_equal(run->builds[i].sha256, sha256))
            return;
    struct known_build *build = MEMORY_ADD(run->builds, run->n_builds);
    build->info = info;
    snprintf(build->sha256, sizeof build->sha256, "%s", sha256);
    const struct module_record module = module_record_of(info, sha256);
    if (store_module(run->plan->store, run->plan->run_id, &module, &error) != GB_OK)
        run_fail(run, &error);
    if (!text_equal(info->sha256, sha256))
        progress_line(run->plan->progress,
                      "gbrun: %s is another build now than the run began with (%.12s, not %.12s): "
                      "each case says which it ran",
                      info->path, sha256, info->sha256);
}

static void conclude(struct run *run, struct visit *visit, struct collector *collector, int status,
                     const char *text)
{
    struct gb_error error;
    collector_finish(collector, status, text);
    collector->record.sequence = run->sequence++;
    for (uint32_t kind = GB_PLUGIN_BENCH; kind <= GB_PLUGIN_DEVICE; kind++)
        if (collector->record.builds[kind - 1])
            note_build(run, case_plugin(&visit->bench_case, kind),
                       collector->record.builds[kind - 1]);
    if (store_case(run->plan->store, run->plan->run_id, &collector->record, &error) != GB_OK) {
        run_fail(run, &error);
    } else {
        if (status == CASE_CANCELLED)
            run->counts.n_left++;
        else
            run->counts.n_bad += case_status_is_bad(status);
        progress_finished(run->plan->progress, text_get(&visit->label), &collector->record);
        events_case_end(run->plan->events, &collector->record,
                        collector->n_handed_on + collector->n);
    }
    collector_free(collector);
    visit_free(visit);
    run->has_news = true;
}

void record_end(struct run *run, struct slot *slot, int status, const char *text)
{
    struct visit *visit = slot->visit;
    struct collector *collector = &slot->collector;
    record_warn_of_others(collector);
    collector->record.wall_ns = host_clock_ns() - slot->begin_ns;
    collector->record.device_id = device_id(run, slot);
    if (!slot->has_begun)
        events_case_begin(run->plan->events, visit, &collector->record);
    so_far_free(&slot->so_far);
    slot->visit = NULL;
    run_unlock(run, slot->device);
    slot->has_opened = slot->has_opened || collector->n_clocks > 0;
    run->plan->progress->n_running = run_count_busy(run);
    conclude(run, visit, collector, status, text);
}

void record_refusal(struct run *run, struct visit *visit)
{
    struct collector collector;
    record_begin(&collector, visit);
    events_case_begin(run->plan->events, visit, &collector.record);
    /* Whoever names a device expects it to be there; `auto` means: where it can. */
    int status = visit->bench_case.device.settings || visit->devices.n > 0 ? CASE_FAILED
                                                                           : CASE_SKIPPED;
    conclude(run, visit, &collector, status, visit->refusal);
}

void record_ended(struct run *run, struct visit *visit)
{
    struct collector *collector = visit->ended;
    visit->ended = NULL;
    collector->record.build_ns = visit->build_ns;
    events_case_begin(run->plan->events, visit, &collector->record);
    conclude(run, visit, collector, collector->record.status, collector->record.status_text);
    free(collector);
}
