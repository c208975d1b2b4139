/*
 * median.c - the policies `median_ci` and `median_cs`: until an interval of the median is narrow
 * enough, for one look or for all looks together. Plugin side.
 */
#include "../common/policy/median_estimate.h"

#include <gbrun/gbrun.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>

static const double LOOK_GROWTH = 1.25;

struct params {
    double precision;
    double confidence;
    double floor_wall;
    int64_t min;
    int64_t optimal; /* of median_cs; 0: the interval is for one look */
};

struct median_rule {
    const struct params *params;
    double width; /* precision of this visit: see host->share */
    double share;
    uint64_t min; /* samples of this visit */
    struct sample_array samples;
    struct median_estimate estimate; /* of the last look */
    uint64_t looked_at;              /* samples seen by then */
    uint64_t next_look;
    int32_t verdict; /* GB_VERDICT_NONE: go on */
};

#define OPTIONS                                                                                    \
    GB_FLOAT(struct params, precision, "1%", "1e-6:20%", NULL,                                     \
             "half width of the interval to reach, as a share of the median"),                     \
        GB_FLOAT(struct params, confidence, "95%", "0.5:0.999999", NULL,                           \
                 "probability that the interval contains the median"),                             \
        GB_INT(struct params, min, "30", "1:1000000000", "samples",                                \
               "samples before the first look"),                                                   \
        GB_DURATION(struct params, floor_wall, "0.1s", "0:1000 h",                                 \
                    "wall time before the first look, at a precision of 1 % or more")

static const struct gb_option ci_options[] = {OPTIONS};
static const struct gb_option cs_options[] = {
    OPTIONS,
    GB_INT(struct params, optimal, "256", "1:1000000000", "samples",
           "effective sample size at which the interval is tightest"),
};

static int32_t create(const struct gb_host *host, const void *params, void **ret_policy)
{
    struct median_rule *rule = host->allocate(host, sizeof *rule);
    if (rule == NULL)
        return GB_NO_MEMORY;
    rule->params = params;
    rule->share = visit_share(host);
    rule->width = visit_width(rule->share, rule->params->precision);
    rule->min = (uint64_t)ceil(rule->share * (double)rule->params->min);
    *ret_policy = rule;
    return GB_OK;
}

static int32_t observe(void *object, const struct gb_samples *samples)
{
    struct median_rule *rule = object;
    return sample_array_add(&rule->samples, samples);
}

static int32_t look(struct median_rule *rule)
{
    rule->looked_at = sample_array_seen(&rule->samples);
    return median_estimate_of(&rule->samples, rule->params->confidence,
                              (double)rule->params->optimal, &rule->estimate);
}

/* Where the median lies between two ticks of the timer, the interval goes from the one below to the
 * one above, and narrows only when thousands of samples have decided between them. */
static bool is_between_ticks(const struct median_rule *rule)
{
    enum { PATIENCE = 10 };          /* times the samples before the first look */
    const double ticks = 2.0 * 1.02; /* they are known to some percent */
    return rule->samples.tick_ns > 0.0 && rule->looked_at >= PATIENCE * rule->min &&
           rule->estimate.high - rule->estimate.low <= ticks * rule->samples.tick_ns;
}

static double floor_of(const struct median_rule *rule)
{
    return rule->share * wall_floor(rule->params->floor_wall, rule->params->precision);
}

/* Invalid times may add up to less than nothing. */
static bool is_floor_reached(const struct median_rule *rule)
{
    return fmax(rule->samples.elapsed_ns, 0.0) >= floor_of(rule);
}

static bool is_look_due(const struct median_rule *rule)
{
    const uint64_t n = sample_array_seen(&rule->samples);
    return n >= rule->min && n >= rule->next_look && is_floor_reached(rule);
}

/* What the last look says. More samples cannot make the interval narrower than the tick. */
static int32_t verdict_of(const struct median_rule *rule)
{
    const struct median_estimate *estimate = &rule->estimate;
    const double wanted = rule->params->precision * estimate->value;
    if (rule->samples.n_not_finite > rule->samples.n || estimate->value < 0.0)
        return GB_VERDICT_GAVE_UP;
    if (!estimate->is_mean && 0.5 * rule->samples.tick_ns > wanted)
        return GB_VERDICT_RESOLUTION_LIMITED;
    if (estimate->value == 0.0)
        return GB_VERDICT_GAVE_UP;
    if (rule->looked_at >= rule->min && is_floor_reached(rule) &&
        0.5 * (estimate->high - estimate->low) <= rule->width * estimate->value)
        return GB_VERDICT_CERTIFIED;
    return !estimate->is_mean && is_between_ticks(rule) ? GB_VERDICT_RESOLUTION_LIMITED
                                                        : GB_VERDICT_NONE;
}

static void explain(const struct median_rule *rule, struct gb_next *next)
{
    const double percent = 100.0 * rule->width;
    next->decision = rule->verdict == GB_VERDICT_GAVE_UP ? GB_GAVE_UP : GB_DONE;
    switch (rule->verdict) {
    case GB_VERDICT_CERTIFIED:
        snprintf(next->reason, sizeof next->reason, "interval within %g %%", percent);
        break;
    case GB_VERDICT_RESOLUTION_LIMITED:
        snprintf(next->reason, sizeof next->reason,
                 "timer resolution of %.3g ns too coarse for %g %%", rule->samples.tick_ns,
                 100.0 * rule->params->precision);
        break;
    default:
        snprintf(next->reason, sizeof next->reason, "times are zero, negative or not finite");
        break;
    }
}

/* What more samples would decide. */
static void note(const struct median_rule *rule, char *ret, size_t size)
{
    const struct median_estimate *estimate = &rule->estimate;
    const uint64_t n = sample_array_seen(&rule->samples);
    const double reach = 0.5 * (estimate->high - estimate->low) / estimate->value;
    const double precision = rule->width;
    char times[24];
    if (!is_floor_reached(rule))
        snprintf(ret, size, "%.3g s needed at this precision, %.2g s so far", 1e-9 * floor_of(rule),
                 1e-9 * fmax(rule->samples.elapsed_ns, 0.0));
    else if (n < rule->min)
        snprintf(ret, size, "%lld samples needed, %llu so far", (long long)rule->min,
                 (unsigned long long)n);
    else if (!isfinite(reach))
        snprintf(ret, size, "%llu samples count as %.0f independent ones: too few",
                 (unsigned long long)n, floor(estimate->n_effective));
    else if (reach > precision)
        snprintf(ret, size, "interval of %.2g %% to either side: needs about %s times the samples",
                 100.0 * reach, samples_needed(reach / precision, times, sizeof times));
}

static int32_t next(void *object, struct gb_next *next)
{
    struct median_rule *rule = object;
    if (rule->verdict == GB_VERDICT_NONE && is_look_due(rule)) {
        const int32_t status = look(rule);
        if (status != GB_OK)
            return status;
        rule->verdict = verdict_of(rule);
        rule->next_look = (uint64_t)ceil(LOOK_GROWTH * (double)rule->looked_at);
    }
    if (rule->verdict == GB_VERDICT_NONE) {
        next->decision = GB_MORE;
        next->n_samples = rule->next_look > 0 ? rule->next_look : rule->min;
        next->elapsed_ns = floor_of(rule);
        note(rule, next->reason, sizeof next->reason);
    } else {
        explain(rule, next);
    }
    return GB_OK;
}

/* Samples after the last look count as well: the interval is that of all, and so is the claim. */
static int32_t report(void *object, struct gb_estimate *estimate)
{
    struct median_rule *rule = object;
    if (rule->looked_at != sample_array_seen(&rule->samples) || rule->looked_at == 0) {
        const int32_t status = look(rule);
        if (status != GB_OK)
            return status;
    }
    int32_t verdict = verdict_of(rule);
    if (verdict == GB_VERDICT_NONE || rule->looked_at == 0)
        verdict = GB_VERDICT_UNCONVERGED;
    median_estimate_report(&rule->samples, &rule->estimate, rule->params->confidence, verdict,
                           estimate);
    estimate->precision = rule->params->precision;
    if (verdict == GB_VERDICT_UNCONVERGED)
        note(rule, estimate->note, sizeof estimate->note);
    return GB_OK;
}

static void destroy(void *object)
{
    struct median_rule *rule = object;
    if (rule != NULL)
        sample_array_free(&rule->samples);
}

static const struct gb_policy_ops ops = POLICY_OPS(GB_POLICY_CERTIFIES, next);

#define LOOKS                                                                                      \
    "The first look is at `min` samples or more, after `floor_wall` of wall time, which is "       \
    "longer "                                                                                      \
    "below a precision of 1 %: twice as long at 0.5 %. Each further look is at a quarter "         \
    "more.\n\n"                                                                                    \
    "The interval is never narrower than the timer resolution. Where that alone is too coarse "    \
    "for `precision`, or the median lies between two ticks, the policy stops and says so.\n\n"     \
    "On a dithered timer, where the quartiles are at most two ticks apart, the mean of the "       \
    "samples near the median is estimated instead. Its interval may be narrower."

static const struct gb_plugin median_ci = {
    GB_PLUGIN(POLICY, "median_ci", "1.0",
              "until the confidence interval of the median is narrow enough"),
    .help =
        "Stops when the order-statistic interval of the median is within `precision` of it on "
        "either side, with the effective sample size of correlated samples.\n\n"
        "The interval contains the median of the samples' distribution with probability "
        "`confidence` for one look. Repeated looks, a warm-up or several modes are not corrected "
        "for.\n\n" LOOKS,
    GB_OPTIONS(ci_options, struct params),
    .ops = &ops,
};

static const struct gb_plugin median_cs = {
    GB_PLUGIN(POLICY, "median_cs", "1.0",
              "until the median's interval is narrow enough, for all looks"),
    .help = "Stops when the order-statistic interval of the median is within `precision` of it on "
            "either side, with the effective sample size of correlated samples.\n\n"
            "The interval is one of a confidence sequence: it holds with probability `confidence` "
            "at all looks together, and is tightest at an effective sample size of `optimal`. A "
            "warm-up or several modes are not corrected for.\n\n" LOOKS,
    GB_OPTIONS(cs_options, struct params),
    .ops = &ops,
};

GB_MODULE(&median_ci, &median_cs)
