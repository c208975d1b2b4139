/*
 * steady.c - the policies `steady`: until the median's interval is narrow enough and can be
 * trusted, and `quantiles`: `steady`, and the tails at 10 % and 90 % as well. Plugin side.
 */
#include "steady_rule.h"

struct policy {
    const struct gb_host *host;
    struct steady steady;
};

struct params {
    struct steady_options steady;
    double tails; /* of quantiles; 0: the median alone */
};

static const struct gb_option steady_table[] = {STEADY_OPTIONS};
static const struct gb_option quantiles_table[] = {
    STEADY_OPTIONS,
    GB_FLOAT(struct params, tails, "3%", "1e-6:1", NULL,
             "half width to reach for the intervals of the tails, as a share of each"),
};

static int32_t create(const struct gb_host *host, const void *params, void **ret_policy)
{
    struct policy *policy = host->allocate(host, sizeof *policy);
    if (policy == NULL)
        return GB_NO_MEMORY;
    const struct params *given = params;
    policy->host = host;
    *ret_policy = policy;
    return steady_start(&policy->steady, host, &given->steady, given->tails);
}

static int32_t observe(void *object, const struct gb_samples *samples)
{
    struct policy *policy = object;
    return steady_observe(&policy->steady, samples);
}

static int32_t next(void *object, struct gb_next *next)
{
    struct policy *policy = object;
    return steady_next(&policy->steady, next);
}

static int32_t report(void *object, struct gb_estimate *estimate)
{
    struct policy *policy = object;
    return steady_report(&policy->steady, policy->host, estimate);
}

static void destroy(void *object)
{
    struct policy *policy = object;
    if (policy != NULL)
        steady_free(&policy->steady);
}

static const struct gb_policy_ops ops = {
    .size = sizeof ops,
    .create = create,
    .observe = observe,
    .next = next,
    .report = report,
    .destroy = destroy,
};

static const struct gb_plugin steady = {
    GB_PLUGIN(POLICY, "steady", "1.0",
              "until the interval of the median is narrow enough and can be trusted"),
    .help =
        "Stops when the median is known to within `precision` on either side:\n"
        "- repeated looks: the interval is one of a confidence sequence, so that it holds with "
        "probability `confidence` at all of them together;\n"
        "- correlated samples: it rests on the effective sample size, which must be 26 or more, "
        "for the median and for the quantiles at 10 and 90 %; and 75 or more for the median where "
        "there are more than two samples for an effective one. Below a precision of 1 % those of "
        "correlated samples grow with its square, four times as many at 0.5 %;\n"
        "- trends: nothing is certified while times go one way, beyond chance, by more than a "
        "quarter of `precision` in a second, or in the time measured if that is longer;\n"
        "- warm-up: up to `discard` of the samples is left out at the start, unless that warm-up "
        "recurs later at the same clock; what is retained must then last twice `floor_wall`;\n"
        "- timer resolution: ticks are interpolated where samples are spread over several; where "
        "not, the interval is at least a tick to either side, and half a tick in any case;\n"
        "- dithered timers: where the quartiles are at most two ticks apart and the phase against "
        "the ticks is uniform, as some clocks guarantee, the mean is estimated instead of the "
        "median, from the samples near the median;\n"
        "- modes: each lesser mode must have been entered `visits` times;\n"
        "- clocks: nothing is certified while the device's clock drifts and times follow it by "
        "more than half of `precision`; a throttled device takes 3 s.\n\n"
        "The first look is at `min` samples or more, after `floor_wall` of wall time and either "
        "`floor_samples` or `busy`; each further look at `growth` times as many. Below a precision "
        "of 1 % `floor_wall` is longer: twice as long at 0.5 %.\n\n"
        "Verdicts:\n"
        "- certified: the interval is as narrow as requested;\n"
        "- multimodal: there are several modes, each known as precisely as requested;\n"
        "- resolution limited: the timer resolution is too coarse for `precision`.\n\n"
        "`without` leaves rules out. It is a list of wall_floor, effective_size, mid_quantile, "
        "sequence (the interval is then one for a single look), discard, recurrence, modes, "
        "resolution, clocks, mixing (of the quantiles at 10 and 90 %, 26 and 75), settling "
        "(twice), "
        "dithering and trend.",
    GB_OPTIONS(steady_table, struct params),
    .ops = &ops,
};

static const struct gb_plugin quantiles = {
    GB_PLUGIN(POLICY, "quantiles", "1.0",
              "until the median and the quantiles at 10 % and 90 % are known well enough"),
    .help = "As `steady`, and the intervals of the quantiles at 10 % and 90 % must be within "
            "`tails` of them. The three intervals hold together with probability `confidence`. The "
            "tails are the metrics p10, p10_low, p10_high, p90, p90_low and p90_high.",
    GB_OPTIONS(quantiles_table, struct params),
    .ops = &ops,
};

GB_MODULE(&steady, &quantiles)
