/* pace.c - see pace.h. */
#include "core/run/pace.h"

#include "core/base/host_clock.h"
#include "core/base/statistics.h"

#include <math.h>
#include <string.h>
#include <time.h>

enum { GAP_LENGTHS_FIRST = 2, GAP_LENGTHS_MOST = 32, WINDOW_BATCHES_MAX = 128, HALF = 3 };

static const double part_ns = 100e6;   /* of load between two looks at whether the run continues */
static const double length_ns = 20e6;  /* of load for a sample's length */
static const double window_ns = 500e6; /* see pace.h; sensors are read every 250 ms */
static const double clock_kept_ratio = 0.99;
static const double energy_part_ns = 5e6;   /* to which a step of the energy's counter is found */
static const double energy_wait_ns = 300e6; /* counters move every 100 ms or faster */
static const double poll_ns = 100e6;

/* Some time of load. */
struct window {
    uint64_t n, n_batches;
    double span_ns; /* of the samples, from each batch's first to its last */
    double busy_ns; /* the same with what is done around them, such as flushing caches */
    double medians[WINDOW_BATCHES_MAX];
    double clock_sum_hz, clock_low_hz; /* where it is known */
    uint64_t n_clocks;
    bool is_throttled;
};

struct deadline {
    double host_ns;
    double left_ns; /* of load; a device's samples may take longer than the host's clock says */
};

static struct deadline deadline_of(const struct pace *pace)
{
    double limit_ns = pace->state->bench_case->common.pace_limit_ns;
    return (struct deadline){session_clock_ns(pace->state->device) + limit_ns, limit_ns};
}

static bool is_over(const struct pace *pace, const struct deadline *deadline)
{
    return deadline->left_ns <= 0 || session_clock_ns(pace->state->device) >= deadline->host_ns;
}

static void see_clock(struct pace *pace, double clock_hz)
{
    if (clock_hz > pace->highest_hz)
        pace->highest_hz = clock_hz;
}

static void window_add(struct pace *pace, struct window *window, uint64_t n, double span_ns)
{
    const struct batch *batch = pace->batch;
    const double *times = batch->clocks[pace->state->clock];
    double sorted[BATCH_MAX];
    memcpy(sorted, times, (size_t)n * sizeof *sorted);
    sort_values(sorted, n);
    window->medians[window->n_batches++ % WINDOW_BATCHES_MAX] = quantile_of_sorted(sorted, n, 0.5);
    window->n += n;
    window->span_ns += span_ns;
    for (uint64_t i = 0; i < n; i++) {
        double clock_hz = batch->clock_hz[i];
        window->is_throttled |= batch->throttle[i] != 0 || (batch->flags[i] & GB_SAMPLE_THROTTLED);
        if (!(clock_hz > 0))
            continue;
        see_clock(pace, clock_hz);
        window->clock_sum_hz += clock_hz;
        window->n_clocks++;
        if (window->n_clocks == 1 || clock_hz < window->clock_low_hz)
            window->clock_low_hz = clock_hz;
    }
}

/* Loads for so long, or until it is over or the run is cancelled. The window is added to. */
static int32_t load_for(struct pace *pace, double wanted_ns, double one_part_ns,
                        struct deadline *deadline, struct window *window)
{
    double passed_ns = 0;
    while (passed_ns < wanted_ns && !is_over(pace, deadline) && !host_cancelled()) {
        double begin_ns = session_clock_ns(pace->state->device),
               part = fmin(one_part_ns, wanted_ns - passed_ns);
        double most = pace->sample_ns > 0 ? part / pace->sample_ns : 1;
        uint64_t n_done = 0, n = most < 1                   ? 1
                                 : most > (double)BATCH_MAX ? BATCH_MAX
                                                            : (uint64_t)most;
        link_phase(pace->state->link, PHASE_CALIBRATE);
        if (pace->load(pace->context, n, isfinite(deadline->host_ns) ? deadline->host_ns : 0,
                       &n_done) != GB_OK)
            return GB_FAILED;
        double host_ns = session_clock_ns(pace->state->device) - begin_ns, span_ns = 0;
        if (n_done > 0) {
            span_ns = pace->batch->end_ns[n_done - 1] - pace->batch->begin_ns[0];
            window_add(pace, window, n_done, span_ns);
            pace->sample_ns = fmax(span_ns, host_ns) / (double)n_done;
        }
        double batch_ns = fmax(span_ns, host_ns);
        window->busy_ns += batch_ns;
        passed_ns += batch_ns;
        deadline->left_ns -= batch_ns;
    }
    return GB_OK;
}

/* ---- burst ---- */

static bool is_held_back(const struct pace *pace, const struct window *window)
{
    return window->is_throttled ||
           (window->n_clocks > 0 && window->clock_low_hz < clock_kept_ratio * pace->highest_hz);
}

/* Of devices that know nothing of gaps the samples follow each other at once. */
static bool has_gaps(const struct pace *pace, const struct window *window)
{
    uint64_t n_gaps = window->n - window->n_batches;
    return n_gaps == 0 || window->span_ns > 0.9 * pace->gap_ns * (double)n_gaps;
}

static int32_t find_gap(struct pace *pace)
{
    struct deadline deadline = deadline_of(pace);
    struct window first = {0};
    if (load_for(pace, length_ns, part_ns, &deadline, &first) != GB_OK)
        return GB_FAILED;
    double sample_ns = first.n > 0 ? first.busy_ns / (double)first.n : pace->sample_ns;
    for (int lengths = GAP_LENGTHS_FIRST; lengths <= GAP_LENGTHS_MOST; lengths *= 2) {
        struct window transition = {0}, window = {0};
        pace->record.gap_ns = pace->gap_ns = lengths * sample_ns;
        pace->sample_ns = sample_ns + pace->gap_ns;
        if (load_for(pace, window_ns, part_ns, &deadline, &transition) != GB_OK ||
            load_for(pace, window_ns, part_ns, &deadline, &window) != GB_OK)
            return GB_FAILED;
        if (host_cancelled())
            return GB_OK;
        if (!has_gaps(pace, &transition))
            return case_stop(pace->state, CASE_FAILED,
                             "pace = burst: device %s leaves no gaps between samples",
                             pace->state->device->name);
        pace->record.is_missed = window.n == 0 || is_held_back(pace, &window);
        if (!pace->record.is_missed || is_over(pace, &deadline))
            break;
    }
    return GB_OK;
}

/* ---- sustained ---- */

enum { MEDIAN, CLOCK, POWER, TEMPERATURE, QUANTITIES };
static const double agree_ratio[QUANTITIES] = {
    [MEDIAN] = 0.003, [CLOCK] = 0.01, [POWER] = 0.02, [TEMPERATURE] = 0.02};

struct history {
    double values[QUANTITIES][2 * HALF]; /* of the newest windows, the oldest first; NaN: unknown */
    int n;
};

static void history_add(struct history *history, const double values[QUANTITIES])
{
    for (int q = 0; q < QUANTITIES; q++) {
        double *kept = history->values[q];
        memmove(kept, kept + 1, (2 * HALF - 1) * sizeof *kept);
        kept[2 * HALF - 1] = values[q];
    }
    history->n++;
}

/* A value that is not known (NaN) is ignored. */
static bool agrees(const double values[2 * HALF], double ratio)
{
    const double *behind = values + HALF;
    double older = mean_of(values, HALF), newer = mean_of(behind, HALF);
    double error = hypot(stdev_of(values, HALF), stdev_of(behind, HALF)) / sqrt(HALF);
    return !(fabs(newer - older) > ratio * older + error);
}

static int32_t settle(struct pace *pace)
{
    struct deadline deadline = deadline_of(pace);
    double limit_ns = deadline.left_ns;
    struct history history = {0};
    pace->record.is_missed = true;
    while (pace->record.is_missed && !is_over(pace, &deadline) && !host_cancelled()) {
        struct window window = {0};
        struct gb_telemetry now = {.without_energy = 1};
        if (load_for(pace, window_ns, part_ns, &deadline, &window) != GB_OK ||
            case_telemetry(pace->state, &now) != GB_OK)
            return GB_FAILED;
        const size_t n_medians = window.n_batches < WINDOW_BATCHES_MAX ? window.n_batches
                                                                       : WINDOW_BATCHES_MAX;
        history_add(
            &history,
            (double[QUANTITIES]){
                [MEDIAN] = summary_of(window.medians, n_medians).median,
                [CLOCK] = window.n_clocks ? window.clock_sum_hz / (double)window.n_clocks : NAN,
                [POWER] = now.power_watts,
                [TEMPERATURE] = now.temperature_celsius,
            });
        bool has_settled = history.n >= 2 * HALF && !isnan(history.values[MEDIAN][2 * HALF - 1]);
        for (int q = 0; q < QUANTITIES; q++)
            has_settled = has_settled && agrees(history.values[q], agree_ratio[q]);
        pace->record.is_missed = !has_settled;
        pace->record.load_ns = limit_ns - deadline.left_ns;
    }
    return GB_OK;
}

int32_t pace_reach(struct pace *pace)
{
    switch (pace->state->bench_case->common.pace) {
    case PACE_BURST:
        return find_gap(pace);
    case PACE_SUSTAINED:
        return settle(pace);
    default:
        return GB_OK;
    }
}

int32_t pace_to_energy_step(struct pace *pace, double least_ns)
{
    struct deadline until_least = {session_clock_ns(pace->state->device) + least_ns, least_ns};
    struct deadline until_step = {INFINITY, energy_wait_ns};
    struct gb_telemetry first = {0}, now = {0};
    if (pace->state->bench_case->common.pace != PACE_SUSTAINED || host_cancelled())
        return GB_OK;
    if (case_telemetry(pace->state, &first) != GB_OK)
        return GB_FAILED;
    if (isnan(first.energy_joules))
        return GB_OK;
    if (load_for(pace, least_ns, part_ns, &until_least, &(struct window){0}) != GB_OK ||
        case_telemetry(pace->state, &first) != GB_OK)
        return GB_FAILED;
    do {
        if (load_for(pace, energy_part_ns, energy_part_ns, &until_step, &(struct window){0}) !=
                GB_OK ||
            case_telemetry(pace->state, &now) != GB_OK)
            return GB_FAILED;
    } while (now.energy_joules == first.energy_joules && !is_over(pace, &until_step) &&
             !host_cancelled());
    return GB_OK;
}

/* ---- waiting ---- */

static bool is_too_hot(const struct pace *pace, const struct gb_telemetry *values)
{
    double wanted = pace->state->bench_case->common.cool_below;
    return wanted > 0 && values->temperature_celsius >= wanted;
}

static bool is_too_slow(const struct pace *pace, const struct gb_telemetry *values)
{
    double wanted = pace->state->bench_case->common.clock_at_least;
    return wanted > 0 && values->clock_hz < wanted;
}

static void warn_of_unknown(const struct pace *pace, const char *key, const char *what)
{
    link_say(pace->state->link, GB_LOG_WARNING, "%s: the device %s does not report its %s", key,
             pace->state->device->name, what);
}

static void warn_of_limit(const struct pace *pace, const struct gb_telemetry *values)
{
    const struct common_params *common = &pace->state->bench_case->common;
    if (is_too_hot(pace, values))
        link_say(pace->state->link, GB_LOG_WARNING,
                 "cool_below = %g: still at %g C when pace_limit was over", common->cool_below,
                 values->temperature_celsius);
    if (is_too_slow(pace, values))
        link_say(pace->state->link, GB_LOG_WARNING,
                 "clock_at_least = %gM: still at %g MHz when pace_limit was over",
                 common->clock_at_least / 1e6, values->clock_hz / 1e6);
}

int32_t pace_wait(struct pace *pace, struct gb_telemetry *values)
{
    const struct common_params *common = &pace->state->bench_case->common;
    const struct timespec rest = {.tv_nsec = (long)poll_ns};
    double begin_ns = host_clock_ns();
    if (common->cool_below > 0 && isnan(values->temperature_celsius))
        warn_of_unknown(pace, "cool_below", "temperature");
    if (common->clock_at_least > 0 && isnan(values->clock_hz))
        warn_of_unknown(pace, "clock_at_least", "clock");
    while ((is_too_hot(pace, values) || is_too_slow(pace, values)) && !host_cancelled()) {
        if (host_clock_ns() - begin_ns >= common->pace_limit_ns) {
            warn_of_limit(pace, values);
            break;
        }
        link_phase(pace->state->link, PHASE_COOL);
        nanosleep(&rest, NULL);
        if (case_telemetry(pace->state, values) != GB_OK)
            return GB_FAILED;
        pace->record.waited_ns = host_clock_ns() - begin_ns;
    }
    see_clock(pace, values->clock_hz);
    return GB_OK;
}

/* ---- the samples that are kept ---- */

void pace_keep(struct pace *pace, uint64_t n)
{
    struct pace_record *record = &pace->record;
    for (uint64_t i = 0; i < n; i++) {
        double clock_hz = pace->batch->clock_hz[i];
        if (!(clock_hz > 0))
            continue;
        pace->clock_sum_hz += clock_hz;
        pace->n_clocks++;
        record->clock_high_hz = fmax(record->clock_high_hz, clock_hz);
        record->clock_low_hz = pace->n_clocks == 1 ? clock_hz
                                                   : fmin(record->clock_low_hz, clock_hz);
    }
    record->clock_mean_hz = pace->n_clocks ? pace->clock_sum_hz / (double)pace->n_clocks : 0;
}

/* ---- from case to case ---- */

static const double same_clock_ratio = 0.0025, load_lasts_ns = 10e9;

/* Are these clocks and those of other cases one? */
static bool is_same_clock(const struct device_load *load, double low_hz, double high_hz)
{
    const double high = fmax(load->high_hz, high_hz);
    return low_hz > 0 && high - fmin(load->low_hz, low_hz) <= same_clock_ratio * high;
}

double pace_recent_load(const struct pace *pace)
{
    const struct open_device *device = pace->state->device;
    return pace->state->bench_case->common.pace == PACE_FREE && device->load->ns > 0 &&
                   session_clock_ns(device) - device->load->end_ns <= load_lasts_ns
               ? device->load->ns
               : 0;
}

void pace_find_load(struct pace *pace)
{
    const double clock_hz = pace->batch->clock_hz[0];
    if (is_same_clock(pace->state->device->load, clock_hz, clock_hz))
        pace->record.load_ns = pace_recent_load(pace);
}

void pace_leave_load(struct pace *pace, double span_ns)
{
    const struct pace_record *record = &pace->record;
    struct device_load *load = pace->state->device->load;
    if (load->ns == 0 || !is_same_clock(load, record->clock_low_hz, record->clock_high_hz))
        *load = (struct device_load){.low_hz = record->clock_low_hz,
                                     .high_hz = record->clock_high_hz};
    if (!is_same_clock(load, record->clock_low_hz, record->clock_high_hz))
        return;
    load->low_hz = fmin(load->low_hz, record->clock_low_hz);
    load->high_hz = fmax(load->high_hz, record->clock_high_hz);
    load->ns += span_ns;
    load->end_ns = session_clock_ns(pace->state->device);
}
