/* sampling_renewed.c - see sampling.h: what calls take whose inputs are new, and that they are
 * right. */
#include "core/run/sampling.h"

#include "core/run/strict.h"

#include <math.h>

/* What samples that are verified may cost: a share of the samples' time, or as much as is not
 * noticed, of a shorter visit as much less. */
static const double checks_share = 0.1, checks_unnoticed_ns = 20e6, longest_checks_ns = 2e9;
static const double bound_sample_ns = 2e3;
/* Of calls, and on a queue. Honest code reads up to 12 times less where its inputs repeat: a
 * processor learns how it branches on random numbers. A GPU does not; its caches are as far. */
static const double renewed_ratio[] = {16, 4}, renewed_step_ns[] = {200, 10e3};
/* Nor can it be twice what calls on old inputs take whose caches are cold. */
static const double cold_ratio = 2;

bool sampling_renews_between(const struct sampling *sampling)
{
    return case_can_renew(sampling->state) && !sampling->device->queue->native &&
           sampling->common->pace == PACE_FREE;
}

/* One sample on renewed inputs, as any other, that is not kept. What a queue measures may have been
 * launched before: there it is called. */
static int32_t renew_one(struct sampling *sampling, uint64_t set)
{
    struct case_state *state = sampling->state;
    const double cost_ns = sampling->cost_ns;
    uint64_t n_done = 0;
    int32_t status = case_renew(state, set);
    if (status == GB_OK && sampling->device->queue->native)
        status = case_call(state, sampling->iterations);
    else if (status == GB_OK)
        status = sampling_measure(sampling, 1, 0, &n_done);
    sampling->cost_ns = cost_ns;
    return status;
}

static int32_t check_one(struct sampling *sampling)
{
    struct case_state *state = sampling->state;
    int32_t status = renew_one(sampling, case_input_set(state));
    if (status == GB_OK && !state->has_no_checks)
        status = case_check(state);
    return status == GB_OK && *state->wrong ? renew_one(sampling, 0) : status;
}

int32_t sampling_check_between(struct sampling *sampling)
{
    const double begin_ns = session_clock_ns(sampling->device);
    if (!sampling_renews_between(sampling) || sampling->until_check > 0)
        return GB_OK;
    const int32_t status = check_one(sampling);
    const double took_ns = session_clock_ns(sampling->device) - begin_ns;
    const double apart = fmin(took_ns / (checks_share * sampling->cost_ns), 1e9);
    sampling->until_check = 1 + secret() % (uint64_t)(2 * apart + 1);
    if (sampling->first_begin_ns > 0)
        sampling->first_begin_ns += took_ns;
    return status;
}

/* What the one sample of a batch took: no more than processors worked on it, where the device knows
 * that, as on a busy machine it is mostly waiting; but for another process that may work on it. */
static double worked_ns(const struct sampling *sampling)
{
    const struct open_device *device = sampling->device;
    double time_ns = sampling->batch->clocks[sampling->clock][0];
    if (process_has_children())
        return time_ns;
    for (uint32_t i = 0; i < device->n_clocks; i++)
        if (text_equal(device->clocks[i].name, "cpu")) /* fmin leaves out NaN: it was not read */
            time_ns = fmin(time_ns, sampling->batch->clocks[i][0]);
    return time_ns;
}

/* What calls take that are on renewed inputs is more than the samples', in honest code, by caches
 * and branches that are predicted where inputs repeat. */
static bool is_contradicted(const struct sampling *sampling, double reading_ns, double renewed_ns)
{
    const int kind = sampling->device->queue->native ? 1 : 0;
    return isfinite(renewed_ns) &&
           renewed_ns > renewed_step_ns[kind] +
                            fmax(renewed_ratio[kind] * reading_ns, cold_ratio * sampling->cold_ns);
}

/* Where calls on renewed inputs seem to contradict the samples: they may be slow for cold caches
 * alone. Then so is a call on old inputs after as much other memory. */
static int32_t find_cold(struct sampling *sampling)
{
    enum { TRIES = 20 };
    double least_ns = INFINITY;
    int32_t status = GB_OK;
    if (sampling->device->queue->native)
        return GB_OK;
    strict_repeat(sampling->state);
    sampling->iterations = 1; /* who remembers one result has it */
    for (int i = 0; i < TRIES && status == GB_OK; i++) {
        uint64_t n_done = 0;
        status = sampling_measure(sampling, 1, 0, &n_done);
        if (status == GB_OK && n_done == 1)
            least_ns = fmin(least_ns, worked_ns(sampling));
    }
    sampling->cold_ns = isfinite(least_ns) ? least_ns : 0;
    return status;
}

/* Keeps n + 1 values in order. Returns their lower quartile: the least may be of a call whose work
 * another thread did before, while this one waited for a processor. */
static double add_to_quartile(double *values, int n, double value)
{
    int at = n;
    for (; at > 0 && values[at - 1] > value; at--)
        values[at] = values[at - 1];
    values[at] = value;
    return values[n / 4];
}

/* Samples that all are on renewed inputs, and are verified: the lower quartile bounds what the
 * others may have read. Where it seems to contradict them, more are taken, as something may have
 * delayed it. */
static int32_t find_bound(struct sampling *sampling, double reading_ns)
{
    enum { LEAST = 2, MOST = 60, SETS = 16, DOUBTED = 400 };
    struct case_state *state = sampling->state;
    const uint64_t iterations = sampling->iterations;
    const double begin_ns = session_clock_ns(sampling->device);
    const double most_ns = fmax(checks_share * (begin_ns - sampling->sampling_ns),
                                checks_unnoticed_ns * state->policy_host->interface.share);
    double bound_ns = INFINITY, times_ns[DOUBTED];
    int n_taken = 0;
    uint64_t n = (uint64_t)fmin(ceil(bound_sample_ns / reading_ns), fmin((double)iterations, SETS));
    strict_begin(state);
    int32_t status = strict_grow(state, &n);
    sampling->iterations = n;
    for (int i = 0; status == GB_OK && !*state->wrong; i++) {
        const bool is_doubted = is_contradicted(sampling, reading_ns, bound_ns);
        const double limit_ns = begin_ns + (is_doubted ? longest_checks_ns : most_ns);
        uint64_t n_done = 0;
        if (i >= LEAST &&
            (i >= (is_doubted ? DOUBTED : MOST) || session_clock_ns(sampling->device) > limit_ns))
            break;
        status = sampling_measure(sampling, 1, 0, &n_done);
        if (status == GB_OK && n_done == 1)
            bound_ns = add_to_quartile(times_ns, n_taken++, worked_ns(sampling) / (double)n);
    }
    if (status == GB_OK && !*state->wrong && is_contradicted(sampling, reading_ns, bound_ns))
        status = find_cold(sampling);
    strict_end(state);
    sampling->iterations = iterations;
    sampling->renewed_ns = *state->wrong ? 0 : bound_ns;
    return status;
}

/* Of a case's later visits, which are short, one in four: the code cannot know which. */
static bool is_to_bound(const struct sampling *sampling)
{
    enum { BOUND_EACH = 4 };
    return !sampling->state->bench_case->is_part || secret() % BOUND_EACH == 0;
}

int32_t sampling_check_after(struct sampling *sampling)
{
    enum { LEAST = 4 };
    struct case_state *state = sampling->state;
    struct gb_estimate estimate;
    struct gb_error error;
    if (!case_can_renew(state) || host_cancelled() || sampling->policy->count == 0)
        return GB_OK;
    const double taken_ns = session_clock_ns(sampling->device) - sampling->sampling_ns;
    const bool is_long = LEAST * sampling->cost_ns >
                         fmax(checks_share * taken_ns, longest_checks_ns);
    int32_t status = check_one(sampling);
    if (status != GB_OK || is_long || !case_can_renew(state))
        return status;
    if (is_to_bound(sampling) && policy_run_report(sampling->policy, &estimate, &error) == GB_OK)
        status = find_bound(sampling, estimate.value_ns);
    return status == GB_OK ? renew_one(sampling, 0) : status;
}

void sampling_contradict(const struct sampling *sampling, struct gb_estimate *estimate)
{
    char renewed[NUMBER_TEXT_MAX], reading[NUMBER_TEXT_MAX];
    const double bound_ns = sampling->renewed_ns;
    if (sampling->measured || !(bound_ns > 0))
        return;
    link_metric(sampling->link, "renewed_ns", bound_ns, "ns");
    if (!is_contradicted(sampling, estimate->value_ns, bound_ns))
        return;
    case_stop(sampling->state, CASE_CONTRADICTED,
              "a call on renewed inputs takes at least %s, but by the samples %s",
              format_time(bound_ns, 3, renewed), format_time(estimate->value_ns, 3, reading));
    estimate->value_ns = estimate->low_ns = estimate->high_ns = bound_ns;
    estimate->n_modes = 0;
}
