/* median_rule.c - see median_rule.h. Plugin side. */
#include "median_rule.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>

static const double LOOK_GROWTH = 1.25;

static int32_t look(struct median_rule *rule)
{
    const int32_t status =
        rule->n_optimal > 0.0
            ? median_sequence_of(&rule->samples, rule->confidence, rule->n_optimal, &rule->estimate)
            : median_estimate_of(&rule->samples, rule->confidence, &rule->estimate);
    rule->looked_at = sample_array_seen(&rule->samples);
    return status;
}

/* Where the median lies between two steps of the timer, the interval goes from the one below to the
 * one above, and narrows only when thousands of samples have decided between them. */
static bool is_between_steps(const struct median_rule *rule)
{
    enum { PATIENCE = 10 };          /* times the samples before the first look */
    const double steps = 2.0 * 1.02; /* they are known to some percent */
    return rule->looked_at >= PATIENCE * rule->min &&
           rule->estimate.high - rule->estimate.low <= steps * rule->samples.tick_ns;
}

/* What the last look says. More samples cannot make the interval narrower than the tick. */
static int32_t verdict_of(const struct median_rule *rule)
{
    const struct median_estimate *estimate = &rule->estimate;
    const double wanted = rule->precision * estimate->median;
    if (rule->samples.n_not_finite > rule->samples.n || estimate->median < 0.0)
        return GB_VERDICT_GAVE_UP;
    if (0.5 * rule->samples.tick_ns > wanted)
        return GB_VERDICT_RESOLUTION_LIMITED;
    if (estimate->median == 0.0)
        return GB_VERDICT_GAVE_UP;
    if (rule->looked_at >= rule->min && 0.5 * (estimate->high - estimate->low) <= wanted)
        return GB_VERDICT_CERTIFIED;
    return is_between_steps(rule) ? GB_VERDICT_RESOLUTION_LIMITED : GB_VERDICT_NONE;
}

static void explain(const struct median_rule *rule, struct gb_next *next)
{
    const double percent = 100.0 * rule->precision;
    next->decision = rule->verdict == GB_VERDICT_GAVE_UP ? GB_GAVE_UP : GB_DONE;
    switch (rule->verdict) {
    case GB_VERDICT_CERTIFIED:
        snprintf(next->reason, sizeof next->reason, "interval within %g %%", percent);
        break;
    case GB_VERDICT_RESOLUTION_LIMITED:
        snprintf(next->reason, sizeof next->reason,
                 "timer step of %.3g ns too coarse for %g %%: raise iterations",
                 rule->samples.tick_ns, percent);
        break;
    default:
        snprintf(next->reason, sizeof next->reason, "times are zero, negative or not finite");
        break;
    }
}

int32_t median_rule_next(struct median_rule *rule, struct gb_next *next)
{
    const uint64_t n = sample_array_seen(&rule->samples);
    if (rule->verdict == GB_VERDICT_NONE && n >= rule->min && n >= rule->next_look) {
        const int32_t status = look(rule);
        if (status != GB_OK)
            return status;
        rule->verdict = verdict_of(rule);
        rule->next_look = (uint64_t)ceil(LOOK_GROWTH * (double)n);
    }
    if (rule->verdict == GB_VERDICT_NONE) {
        next->decision = GB_MORE;
        next->n_samples = rule->next_look > 0 ? rule->next_look : rule->min;
    } else {
        explain(rule, next);
    }
    return GB_OK;
}

/* Samples after the last look count as well: the interval is that of all, and so is the claim. */
int32_t median_rule_report(struct median_rule *rule, struct gb_estimate *estimate)
{
    if (rule->looked_at != sample_array_seen(&rule->samples) || rule->looked_at == 0) {
        const int32_t status = look(rule);
        if (status != GB_OK)
            return status;
    }
    int32_t verdict = verdict_of(rule);
    if (verdict == GB_VERDICT_NONE || rule->looked_at == 0)
        verdict = GB_VERDICT_UNCONVERGED;
    median_estimate_report(&rule->samples, &rule->estimate, rule->confidence, verdict, estimate);
    return GB_OK;
}
