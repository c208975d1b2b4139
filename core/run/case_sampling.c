/* case_sampling.c - see case_state.h: samples in batches until the policy ends it; what is sent of
 * them. */
#include "core/base/host_clock.h"
#include "core/run/machine.h"
#include "core/run/messages.h"
#include "core/run/sampling.h"
#include "core/run/sentinel.h"
#include "core/run/sets.h"

#include <math.h>
#include <stdio.h>

enum {
    FIRST_CHECK = 16, /* before so many samples are taken */
    REASON_MAX = 192  /* of the policy, and advice */
};
static const double send_every_ns = 250e6;
/* Counters of energy move a few times in a second, and can take long to read: visits that are over
 * before are not asked for them. */
static const double energy_from_ns = 250e6;
/* Over which the energy of sustained samples is known at least. */
static const double energy_window_ns = 1e9;

static void send_timing(struct sampling *sampling)
{
    const struct gb_clock *clock = &sampling->device->clocks[sampling->clock];
    struct gb_reading *reading = &sampling->reading;
    const bool is_graph = reading->launch == GB_LAUNCH_GRAPH;
    reading->note[sizeof reading->note - 1] = 0;
    const char *why_stream = sampling->state->why_stream;
    struct case_record timing = {
        .clock = sampling->measured_name,
        .iterations = 1,
        .launched = launch_word(is_graph ? GB_LAUNCH_GRAPH : GB_LAUNCH_STREAM),
        .reading_note = why_stream ? why_stream : reading->note};
    if (!sampling->measured) {
        timing.clock = clock->name;
        timing.iterations = sampling->iterations;
        timing.tick_ns = reading->tick_ns;
        timing.overhead_ns = clock->overhead_ns;
        timing.offset_ns = reading->offset_ns;
        timing.offset_error_ns = reading->offset_error_ns;
        timing.graph_ns = why_stream ? 0 : reading->graph_ns; /* of a wrong result */
        timing.is_dithered = reading->flags & GB_CLOCK_DITHERED;
    }
    sampling->policy->error_ns = timing.offset_error_ns / (double)timing.iterations;
    link_send_record(sampling->link, WIRE_TIMING, &timing);
}

static void send_samples(struct sampling *sampling)
{
    if (sampling->outbox->n == 0)
        return;
    outbox_put(sampling->outbox, link_begin(sampling->link, WIRE_SAMPLES),
               sampling->measured ? 0 : sampling->clock);
    link_send(sampling->link);
    sampling->sent_ns = host_clock_ns();
}

/* A batch as the policy sees it: its columns are filled but for time and elapsed time. */
static struct gb_samples view_batch(struct sampling *sampling, struct batch *batch, uint64_t n)
{
    const uint32_t clock = sampling->measured ? 0 : sampling->clock;
    const uint64_t iterations = sampling->measured ? 1 : sampling->iterations;
    const struct gb_reading *reading = &sampling->reading;
    const bool is_dithered = !sampling->measured && reading->flags & GB_CLOCK_DITHERED;
    for (uint64_t i = 0; i < n; i++) {
        batch->time_ns[i] = batch->clocks[clock][i] / (double)iterations;
        batch->elapsed_ns[i] = batch->end_ns[i] - sampling->first_begin_ns;
        batch->iterations[i] = iterations;
    }
    return (struct gb_samples){
        .size = sizeof(struct gb_samples),
        .traits = is_dithered ? GB_SAMPLES_DITHERED : 0,
        .n = n,
        .time_ns = batch->time_ns,
        .elapsed_ns = batch->elapsed_ns,
        .iterations = batch->iterations,
        .clock_hz = batch->clock_hz,
        .throttle = batch->throttle,
        .flags = batch->flags,
        .tick_ns = sampling->measured ? 0 : reading->tick_ns / (double)iterations};
}

/* n of the values from `first` on, given during n_runs samples: what is known of those holds for
 * them, as if they had been given evenly over the time. */
static struct gb_samples view_values(struct sampling *sampling, size_t first, uint64_t n,
                                     uint64_t n_runs)
{
    const struct batch *runs = sampling->batch;
    struct batch *batch = sampling->value_batch;
    const double total = (double)sampling->values.n, begin_ns = runs->begin_ns[0];
    const double span_ns = runs->end_ns[n_runs - 1] - begin_ns;
    batch->n_used = n > batch->n_used ? n : batch->n_used;
    for (uint64_t i = 0; i < n; i++) {
        const double place = (double)(first + i) / total;
        const size_t run = (size_t)(place * (double)n_runs);
        batch->clocks[0][i] = sampling->values.values[first + i] * sampling->to_ns;
        batch->end_ns[i] = begin_ns + (place + 1 / total) * span_ns;
        batch->clock_hz[i] = runs->clock_hz[run];
        batch->throttle[i] = runs->throttle[run];
        batch->flags[i] = runs->flags[run];
    }
    return view_batch(sampling, batch, n);
}

static uint64_t batch_size(const struct sampling *sampling)
{
    /* Of a series so many values as a sample has had so far. */
    const bool is_known = sampling->measured && sampling->n_runs > 0 && sampling->n_values > 0;
    const double per_run = is_known ? (double)sampling->n_values / (double)sampling->n_runs : 1;
    const uint64_t wanted = policy_run_wanted(sampling->policy, sampling->cost_ns / per_run);
    uint64_t n = (uint64_t)ceil((double)wanted / per_run);
    double most = sampling->cost_ns > 0 ? SAMPLING_BATCH_NS / sampling->cost_ns : (double)BATCH_MAX;
    if ((double)n > most)
        n = most < 1 ? 1 : (uint64_t)most;
    if (sampling_renews_between(sampling) && n > sampling->until_check)
        n = sampling->until_check;
    return n > BATCH_MAX ? BATCH_MAX : n;
}

/* max_time is over, and no sample came any more. */
static int32_t expire(struct sampling *sampling)
{
    char time[NUMBER_TEXT_MAX];
    if (sampling->policy->count == 0 && sampling->measured)
        return case_stop(sampling->state, CASE_FAILED,
                         "measure = %s: the benchmark recorded no value of it within max_time (%s)",
                         sampling->measured_name,
                         format_time(policy_run_time_limit(sampling->policy), 3, time));
    if (sampling->policy->count == 0)
        return case_stop(sampling->state, CASE_FAILED,
                         "device %s: lost the times of all %llu samples within max_time (%s)",
                         sampling->device->name, (unsigned long long)sampling->n_lost,
                         format_time(policy_run_time_limit(sampling->policy), 3, time));
    policy_run_expire(sampling->policy);
    return GB_OK;
}

/* The policy takes samples until it has enough. */
static int32_t feed(struct sampling *sampling, const struct batch *batch,
                    const struct gb_samples *samples, uint64_t *ret_taken)
{
    struct gb_error error;
    *ret_taken = 0;
    link_phase(sampling->link, PHASE_POLICY);
    int32_t status = policy_run_feed(sampling->policy, samples, ret_taken, &error);
    if (sampling->outbox->n + *ret_taken > BATCH_MAX)
        send_samples(sampling);
    outbox_add(sampling->outbox, batch, *ret_taken, sampling->measured ? 1 : sampling->iterations);
    if (host_clock_ns() - sampling->sent_ns > send_every_ns)
        send_samples(sampling);
    return status == GB_OK ? GB_OK : case_stop(sampling->state, CASE_FAILED, "%s", error.text);
}

/* A series may hold whatever is finite; what is measured is a time. */
static int32_t check_values(const struct sampling *sampling)
{
    for (size_t i = 0; i < sampling->values.n; i++)
        if (sampling->values.values[i] < 0)
            return case_stop(sampling->state, CASE_FAILED,
                             "measure = %s: the value %g is not a time: expected 0 or more",
                             sampling->measured_name, sampling->values.values[i]);
    return GB_OK;
}

static int32_t feed_values(struct sampling *sampling, uint64_t n_runs)
{
    const size_t n_values = sampling->values.n;
    uint64_t n_taken = 0;
    int32_t status = check_values(sampling);
    sampling->n_runs += n_runs;
    sampling->n_values += n_values;
    for (size_t first = 0, n = 0; status == GB_OK && first < n_values && !sampling->policy->ended;
         first += n) {
        n = n_values - first < BATCH_MAX ? n_values - first : BATCH_MAX;
        const struct gb_samples samples = view_values(sampling, first, n, n_runs);
        status = feed(sampling, sampling->value_batch, &samples, &n_taken);
    }
    thread_times_keep(&sampling->threads, n_runs, sampling->iterations);
    pace_keep(&sampling->pace, n_runs);
    return status;
}

static int32_t feed_batch(struct sampling *sampling, uint64_t n)
{
    if (sampling->first_begin_ns == 0)
        sampling->first_begin_ns = sampling->batch->begin_ns[0];
    if (sampling->measured)
        return feed_values(sampling, n);
    uint64_t n_taken = 0;
    const struct gb_samples samples = view_batch(sampling, sampling->batch, n);
    const int32_t status = feed(sampling, sampling->batch, &samples, &n_taken);
    thread_times_keep(&sampling->threads, n_taken, sampling->iterations);
    pace_keep(&sampling->pace, n_taken);
    return status;
}

static int32_t run_batch(struct sampling *sampling)
{
    double max_time_ns = policy_run_time_limit(sampling->policy);
    bool has_begun = sampling->first_begin_ns > 0;
    double begin_ns = has_begun ? sampling->first_begin_ns : sampling->sampling_ns;
    double deadline_ns = isfinite(max_time_ns) ? begin_ns + max_time_ns : 0;
    uint64_t n_done = 0, n_lost = sampling->n_lost;
    /* What was given in a warm-up or a check is left out. */
    if (sampling->is_uncollected && sampling_collect(sampling) != GB_OK)
        return GB_FAILED;
    series_discard();
    link_phase(sampling->link, PHASE_RUN);
    if (sampling_measure(sampling, batch_size(sampling), has_begun ? deadline_ns : 0, &n_done) !=
            GB_OK ||
        sampling_collect(sampling) != GB_OK)
        return GB_FAILED;
    sampling->values.n = 0;
    series_take(&sampling->state->host->series, sampling->measured, &sampling->values);
    if (n_done == 0 || (sampling->measured && sampling->values.n == 0)) {
        if (deadline_ns > 0 && session_clock_ns(sampling->device) >= deadline_ns)
            return expire(sampling);
        if (n_done == 0 && sampling->n_lost == n_lost)
            return case_stop(sampling->state, CASE_FAILED, "device %s: measured no sample",
                             sampling->device->name);
        return GB_OK;
    }
    sampling->until_check -= n_done < sampling->until_check ? n_done : sampling->until_check;
    return feed_batch(sampling, n_done);
}

/* What the user can do about a clock that is too coarse: the host knows what may be asked for. More
 * iterations of a cold sample would find the caches warm. */
static const char *advice(const struct sampling *sampling, const struct gb_estimate *estimate)
{
    if (estimate->verdict != GB_VERDICT_RESOLUTION_LIMITED)
        return "";
    if (sampling->state->ops->flags & GB_BENCH_SINGLE)
        return ": this benchmark can only do one iteration a sample";
    return sampling->common->cache == GB_CACHE_WARM ? ": raise iterations" : "";
}

static void send_estimate(struct sampling *sampling)
{
    char reason[REASON_MAX];
    struct gb_estimate estimate;
    struct gb_error error;
    if (policy_run_report(sampling->policy, &estimate, &error) != GB_OK) {
        case_stop(sampling->state, CASE_FAILED, "%s", error.text);
        return;
    }
    sampling_contradict(sampling, &estimate);
    snprintf(reason, sizeof reason, "%s%s", sampling->policy->reason, advice(sampling, &estimate));
    put_estimate(link_begin(sampling->link, WIRE_ESTIMATE), &estimate, reason, sampling->n_lost);
    link_send(sampling->link);
}

static bool has_reading(const struct gb_telemetry *values)
{
    return !isnan(values->clock_hz) || !isnan(values->memory_clock_hz) ||
           !isnan(values->temperature_celsius) || !isnan(values->power_watts) ||
           !isnan(values->energy_joules) || values->throttle != 0 || *values->throttle_text;
}

static void put_reading(struct sampling *sampling, uint32_t moment,
                        const struct gb_telemetry *values)
{
    struct telemetry_record telemetry = {.values = *values};
    double now_ns = session_clock_ns(sampling->device);
    if (!has_reading(values))
        return;
    if (moment == TELEMETRY_BEGIN) {
        sampling->telemetry_ns = now_ns;
        sampling->n_iterations = 0;
    }
    if (sampling->telemetry_ns > 0) {
        telemetry.elapsed_ns = now_ns - sampling->telemetry_ns;
        telemetry.iterations = sampling->n_iterations;
    }
    struct wire_writer *writer = link_begin(sampling->link, WIRE_TELEMETRY);
    wire_put_u32(writer, moment);
    put_record(writer, WIRE_TELEMETRY, &telemetry);
    link_send(sampling->link);
}

/* A device without telemetry costs nothing; one that this has broken costs the case. */
static int32_t send_telemetry(struct sampling *sampling, uint32_t moment)
{
    struct gb_telemetry values = {.without_energy = !sampling->has_energy};
    if (case_telemetry(sampling->state, &values) != GB_OK)
        return GB_FAILED;
    put_reading(sampling, moment, &values);
    if (moment == TELEMETRY_BEGIN)
        sampling->first = values;
    return GB_OK;
}

/* From here on energy is counted, of a visit that lasts. */
static int32_t count_energy(struct sampling *sampling)
{
    struct gb_telemetry now = {0};
    if (sampling->has_energy || sampling->policy->elapsed_ns < energy_from_ns)
        return GB_OK;
    sampling->has_energy = true;
    if (sampling->telemetry_ns == 0 || !isnan(sampling->first.energy_joules))
        return GB_OK;
    if (case_telemetry(sampling->state, &now) != GB_OK)
        return GB_FAILED;
    sampling->first.energy_joules = now.energy_joules;
    if (!isnan(now.energy_joules))
        put_reading(sampling, TELEMETRY_BEGIN, &sampling->first);
    return GB_OK;
}

/* For the pace: samples that are not kept, nor counted if they are lost. */
static int32_t load(void *object, uint64_t n, double deadline_ns, uint64_t *ret_done)
{
    struct sampling *sampling = object;
    uint64_t n_lost = sampling->n_lost;
    int32_t status = sampling_measure(sampling, n, deadline_ns, ret_done);
    sampling->n_lost = n_lost;
    return status;
}

/* Finds the series that is measured: the benchmark has named its own by now. */
static int32_t find_measured(struct sampling *sampling)
{
    const struct series_set *set = &sampling->state->host->series;
    const char *name = sampling->measured_name;
    CLEANUP(text_free) struct text known = {0};
    if (text_equal(name, MEASURE_TIME))
        return GB_OK;
    sampling->measured = series_named(set, name);
    for (uint32_t i = 0; i < set->n; i++)
        text_printf(&known, " or %s", set->items[i].name);
    if (!sampling->measured)
        return case_stop(sampling->state, CASE_FAILED,
                         "measure = %s: the benchmark has no such series: expected time%s", name,
                         text_get(&known));
    const struct series *series = &set->items[sampling->measured - 1];
    sampling->to_ns = series_to_ns(series);
    if (!(sampling->to_ns > 0))
        return case_stop(sampling->state, CASE_FAILED,
                         "measure = %s: its unit is \"%s\": expected ns, us, ms or s", name,
                         series->unit);
    outbox_free(sampling->outbox);
    sampling->outbox = outbox_new(&(const char *){series->name}, 1);
    sampling->value_batch = batch_new();
    return GB_OK;
}

static bool has_counted_clock(const struct sampling *sampling)
{
    return sampling->reading.flags & GB_CLOCK_CYCLES && !sampling->measured;
}

/* Asks the policy what it wants first, after such a load; not if it has been asked. */
static int32_t ask_after(struct sampling *sampling, double load_ns)
{
    struct gb_error error;
    if (load_ns == sampling->state->policy_host->interface.load_ns)
        return GB_OK;
    sampling->state->policy_host->interface.load_ns = load_ns;
    return policy_run_ask(sampling->policy, &error) == GB_OK
               ? GB_OK
               : case_stop(sampling->state, CASE_FAILED, "%s", error.text);
}

/* All that comes before the first sample. */
static int32_t get_ready(struct sampling *sampling)
{
    struct gb_telemetry values = {.without_energy = 1};
    if (case_telemetry(sampling->state, &values) != GB_OK ||
        pace_wait(&sampling->pace, &values) != GB_OK)
        return GB_FAILED;
    put_reading(sampling, TELEMETRY_BEFORE, &values);
    /* The device plans by what the policy will want; whether load counts is known later. */
    if (ask_after(sampling, pace_recent_load(&sampling->pace)) != GB_OK ||
        sampling_warm_up(sampling) != GB_OK || pace_reach(&sampling->pace) != GB_OK ||
        find_measured(sampling) != GB_OK)
        return GB_FAILED;
    /* An interpreter's libraries load others where they are first used, and set handlers. */
    case_keep_process(sampling->state);
    const bool is_counted = has_counted_clock(sampling);
    if (is_counted)
        pace_find_load(&sampling->pace);
    if (ask_after(sampling, is_counted ? sampling->pace.record.load_ns : 0) != GB_OK)
        return GB_FAILED;
    send_timing(sampling);
    sampling->n_lost = 0;
    if (case_sentinel(sampling->state, SENTINEL_BEGIN) != GB_OK)
        return GB_FAILED;
    return pace_to_energy_step(&sampling->pace, 0) == GB_OK
               ? send_telemetry(sampling, TELEMETRY_BEGIN)
               : GB_FAILED;
}

static int32_t sample(struct sampling *sampling)
{
    int32_t status = get_ready(sampling);
    if (status != GB_OK)
        return status;
    case_end_phase(sampling->state, &sampling->state->phases.warmup_ns);
    struct interference begin;
    interference_begin(&begin);
    status = sampling_warm_again(sampling);
    if (status == GB_OK)
        status = case_profile_begin(sampling->state);
    sampling->sent_ns = host_clock_ns();
    sampling->sampling_ns = session_clock_ns(sampling->device);
    while (status == GB_OK && !sampling->policy->ended) {
        if (host_cancelled())
            status = case_stop(sampling->state, CASE_CANCELLED, "%s", "");
        else
            status = count_energy(sampling);
        if (status == GB_OK)
            status = sampling_check_between(sampling);
        if (status == GB_OK)
            status = run_batch(sampling);
    }
    const struct case_outcome *outcome = sampling->state->outcome;
    struct interference_record interference;
    interference_end(&begin, &interference);
    case_end_phase(sampling->state, &sampling->state->phases.measure_ns);
    case_profile_end(sampling->state);
    if (has_counted_clock(sampling))
        pace_leave_load(&sampling->pace, sampling->policy->elapsed_ns);
    if (status == GB_OK)
        status = case_sentinel(sampling->state, SENTINEL_END);
    if (status == GB_OK)
        sampling_check_after(sampling);
    case_end_phase(sampling->state, &sampling->state->phases.verify_ns);
    if (status == GB_OK)
        pace_to_energy_step(&sampling->pace, sampling->telemetry_ns + energy_window_ns -
                                                 session_clock_ns(sampling->device));
    if (!outcome->is_poisoned)
        send_telemetry(sampling, TELEMETRY_END);
    link_hold(sampling->link);
    send_samples(sampling);
    series_send(&sampling->state->host->series, sampling->link);
    link_send_record(sampling->link, WIRE_PACE, &sampling->pace.record);
    link_send_record(sampling->link, WIRE_INTERFERENCE, &interference);
    thread_times_report(&sampling->threads, sampling->state);
    link_phase(sampling->link, PHASE_POLICY);
    if (sampling->policy->count > 0)
        send_estimate(sampling);
    return outcome->status == CASE_OK ? GB_OK : GB_FAILED;
}

static void sampling_new(struct sampling *sampling, struct case_state *state)
{
    const struct gb_clock *clock = &state->device->clocks[state->clock];
    *sampling = (struct sampling){.state = state,
                                  .link = state->link,
                                  .device = state->device,
                                  .common = &state->bench_case->common,
                                  .policy = state->policy,
                                  .clock = state->clock,
                                  .measured_name = state->measure,
                                  .has_energy = state->bench_case->common.pace == PACE_SUSTAINED,
                                  .pace = {.state = state, .load = load}};
    sampling->reading = (struct gb_reading){.size = sizeof sampling->reading,
                                            .launch = sampling_launch(sampling),
                                            .flags = clock->flags,
                                            .tick_ns = clock->tick_ns};
    sampling->until_check = secret() % FIRST_CHECK;
    sampling->batch = batch_new();
    sampling->pace.context = sampling;
    sampling->pace.batch = sampling->batch;
    const char *names[GB_CLOCKS_MAX];
    for (uint32_t i = 0; i < state->device->n_clocks; i++)
        names[i] = state->device->clocks[i].name;
    sampling->outbox = outbox_new(names, state->device->n_clocks);
    thread_times_begin(&sampling->threads, state);
}

static void sampling_free(struct sampling *sampling)
{
    batch_free(sampling->value_batch);
    batch_free(sampling->batch);
    series_values_free(&sampling->values);
    outbox_free(sampling->outbox);
    thread_times_free(&sampling->threads);
}

int32_t case_sample(struct case_state *state)
{
    struct sampling sampling;
    const double begin_ns = host_clock_ns();
    sampling_new(&sampling, state);
    *state->wrong = 0;
    int32_t status = sample(&sampling);
    state->sampling_ns = host_clock_ns() - begin_ns;
    state->iterations = sampling.iterations;
    state->sample_ns = sampling.cost_ns;
    sampling_free(&sampling);
    return status;
}

int32_t case_run_unseen(struct case_state *state)
{
    enum { UNSEEN = 3 };
    struct sampling sampling;
    uint64_t n_done = 0;
    sampling_new(&sampling, state);
    sampling.iterations = state->iterations;
    link_phase(state->link, PHASE_CALIBRATE);
    int32_t status = sampling_measure(&sampling, UNSEEN, 0, &n_done);
    sampling_free(&sampling);
    return status;
}
