/* activities.c - see case_state.h: what one sample of a case puts on the device. */
#include "core/run/case_state.h"

#include "core/run/messages.h"
#include "core/store/store_table.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SAMPLES_MOST = 256, SAMPLES_LEAST = 3 };
static const double timing_ns = 1e9; /* that it may take, unless the least samples take longer */

/* What a device has listed so far. */
struct listing {
    struct worker_link *link;
    bool is_open; /* false: the device has returned */
    bool is_timed;
    struct gb_activity *items; /* ACTIVITIES_MAX; the last one is the sum of the rest, if any */
    struct case_record record; /* counts them all */
    uint32_t rest_parallel;    /* section of the last one in the rest */
    uint64_t n_faulty;
};

/* A device that keeps the callback and uses it after it has returned, which no plugin may, must not
 * write into what is gone. */
static struct listing listing;

/* ---- one activity ---- */

/* Takes a value out that can be none, and says whether it did. */
static bool clear_unless(bool is_possible, double *value)
{
    if (!is_possible && !isnan(*value)) {
        *value = NAN;
        return true;
    }
    return false;
}

static bool clean_times(struct gb_activity *activity)
{
    double *const times[] = {&activity->time_ns, &activity->low_ns, &activity->high_ns,
                             &activity->gap_ns};
    bool is_faulty = false;
    for (size_t i = 0; i < sizeof times / sizeof *times; i++)
        if (listing.is_timed)
            is_faulty |= clear_unless(isfinite(*times[i]), times[i]);
        else
            *times[i] = NAN;
    if (activity->low_ns > activity->high_ns) {
        activity->low_ns = activity->high_ns = NAN;
        is_faulty = true;
    }
    return is_faulty;
}

static bool clean_name(char *name, size_t bytes)
{
    const bool has_end = memchr(name, 0, bytes);
    name[bytes - 1] = 0;
    for (char *at = name; *at; at++)
        if ((unsigned char)*at < 0x20 || *at == 0x7F)
            *at = ' ';
    return !has_end;
}

static bool clean_bytes(uint64_t *bytes)
{
    const bool is_faulty = *bytes > INT64_MAX; /* more than the results file can hold */
    if (is_faulty)
        *bytes = 0;
    return is_faulty;
}

/* Plugins fill this in. True: something of it is invalid and is left out. */
static bool clean(struct gb_activity *activity)
{
    bool is_faulty = activity->kind < GB_ACTIVITY_KERNEL || activity->kind > GB_ACTIVITY_OTHER;
    if (is_faulty)
        activity->kind = GB_ACTIVITY_OTHER;
    is_faulty |= clean_name(activity->name, sizeof activity->name);
    is_faulty |= clean_bytes(&activity->shared_bytes);
    is_faulty |= clean_bytes(&activity->bytes);
    is_faulty |= clear_unless(activity->occupancy >= 0 && activity->occupancy <= 1,
                              &activity->occupancy);
    return clean_times(activity) || is_faulty;
}

/* ---- all of them ---- */

static double sum_of_known(double a, double b)
{
    return isnan(a) ? b : isnan(b) ? a : a + b;
}

/* The last one that is kept becomes the first of the rest. */
static void begin_rest(struct gb_activity *last)
{
    const struct gb_activity first = *last;
    const bool is_counted = first.parallel && first.parallel == last[-1].parallel;
    *last = (struct gb_activity){.size = sizeof *last,
                                 .kind = GB_ACTIVITY_OTHER,
                                 .occupancy = NAN,
                                 .time_ns = is_counted ? NAN : first.time_ns,
                                 .low_ns = NAN,
                                 .high_ns = NAN,
                                 .gap_ns = is_counted ? NAN : first.gap_ns};
    listing.rest_parallel = first.parallel;
}

/* The times of a parallel section are those of each of its activities. */
static void add_to_rest(const struct gb_activity *activity)
{
    struct gb_activity *rest = &listing.items[ACTIVITIES_MAX - 1];
    if (listing.record.n_activities == ACTIVITIES_MAX)
        begin_rest(rest);
    if (activity->parallel && activity->parallel == listing.rest_parallel)
        return;
    listing.rest_parallel = activity->parallel;
    rest->time_ns = sum_of_known(rest->time_ns, activity->time_ns);
    rest->gap_ns = sum_of_known(rest->gap_ns, activity->gap_ns);
}

/* Called by the device's plugin. */
static void take(void *context, const struct gb_activity *given)
{
    (void)context;
    if (!listing.is_open) {
        link_say(listing.link, GB_LOG_PLUGIN_BUG,
                 "the device listed an activity after it had returned");
        return;
    }
    if (!given || !GB_HAS(given, gap_ns)) {
        listing.n_faulty++;
        return;
    }
    struct gb_activity activity = {0};
    memcpy(&activity, given, given->size < sizeof activity ? given->size : sizeof activity);
    activity.size = sizeof activity;
    listing.n_faulty += clean(&activity);
    listing.record.n_kernels += activity.kind == GB_ACTIVITY_KERNEL;
    if (listing.record.n_activities < ACTIVITIES_MAX)
        listing.items[listing.record.n_activities] = activity;
    else
        add_to_rest(&activity);
    listing.record.n_activities++;
}

static void end_rest(void)
{
    struct gb_activity *rest = &listing.items[ACTIVITIES_MAX - 1];
    const size_t n = listing.record.n_activities;
    if (n <= ACTIVITIES_MAX)
        return;
    listing.record.n_activities = ACTIVITIES_MAX;
    snprintf(rest->name, sizeof rest->name, "%zu more", n - ACTIVITIES_MAX + 1);
    link_say(listing.link, GB_LOG_WARNING,
             "a sample has %zu activities: those from number %d on are combined", n,
             ACTIVITIES_MAX);
}

static int32_t list(struct case_state *state, uint64_t n_samples)
{
    const struct open_device *device = state->device;
    const struct gb_measurement asked = {.size = sizeof asked,
                                         .clock = state->clock,
                                         .cache = (uint32_t)state->bench_case->common.cache,
                                         .launch = (uint32_t)state->bench_case->common.launch,
                                         .iterations = state->iterations,
                                         .bench_ops = state->ops,
                                         .bench = state->bench,
                                         .queue = device->queue};
    listing = (struct listing){.link = state->link, .is_open = true, .is_timed = n_samples > 0};
    listing.items = memory_allocate(ACTIVITIES_MAX * sizeof *listing.items);
    int32_t status;
    state->host->interface.iterations = state->iterations;
    CALL_BENCH(state, status,
               device->activities->list(device->device, &asked, n_samples, take, NULL));
    listing.is_open = false;
    if (status == GB_OK) {
        end_rest();
        struct wire_writer *writer = link_begin(state->link, WIRE_ACTIVITIES);
        wire_put_u64(writer, listing.record.n_kernels);
        put_rows(writer, TABLE_ACTIVITY, listing.items, listing.record.n_activities);
        link_send(state->link);
    }
    if (listing.n_faulty > 0)
        link_say(listing.link, GB_LOG_PLUGIN_BUG,
                 "the device listed %llu activities with invalid values, which are ignored",
                 (unsigned long long)listing.n_faulty);
    free(listing.items);
    listing.items = NULL;
    return status;
}

/* Why they need not be asked for; NULL: they are. */
static const char *why_not(const struct case_state *state)
{
    if (!state->device->activities)
        return "this device does not list what is put on it";
    if (state->ops->flags & GB_BENCH_SYNCHRONIZES)
        return "the benchmark waits for the device inside run, which cannot be captured";
    if (state->ops->flags & GB_BENCH_EVERY_CALL || state->launch == GB_LAUNCH_STREAM)
        return "every sample calls run, which is not captured";
    if (text_equal(state->device->clocks[state->clock].name, "wall"))
        return "the case is timed on the host";
    return NULL;
}

int32_t case_list_activities(struct case_state *state)
{
    const bool is_asked = state->bench_case->common.breakdown != 0;
    if (host_cancelled() || *state->bench_case->profile)
        return GB_OK;
    const char *reason = why_not(state);
    int32_t status = GB_SKIPPED;
    if (!reason) {
        const double fit = state->sample_ns > 0 ? timing_ns / state->sample_ns
                                                : (double)SAMPLES_MOST;
        const uint64_t n_samples = fit < (double)SAMPLES_LEAST  ? SAMPLES_LEAST
                                   : fit > (double)SAMPLES_MOST ? SAMPLES_MOST
                                                                : (uint64_t)fit;
        link_phase(state->link, PHASE_BREAK_DOWN);
        status = list(state, is_asked ? n_samples : 0);
        reason = state->host->reason;
        reason = *reason ? reason : state->device->host->reason;
    }
    /* The device is of no use any more; any other failure costs the breakdown alone. */
    if (status == GB_DEVICE_ERROR)
        return case_judge_both(state, "listing activities", status);
    listing.link = state->link;
    if (status != GB_OK && (is_asked || status != GB_SKIPPED))
        link_say(state->link, GB_LOG_WARNING, "no breakdown: %s",
                 *reason ? reason : status_words(status));
    *state->host->reason = 0;
    *state->device->host->reason = 0;
    return GB_OK;
}
