/* mid_quantile.c - see mid_quantile.h. Plugin side. */
#include "mid_quantile.h"

#include <math.h>

/* A distinct value with the number of those below it and of those not above it. */
struct step {
    double value;
    uint64_t below, not_above;
};

/* The one that has the value with `below` others before it. */
static struct step step_at(const struct retained *retained, uint64_t below)
{
    struct step step;
    step.value = retained_value(retained, below);
    step.below = retained_below(retained, rank_from(retained->index, step.value));
    step.not_above = retained_below(retained, rank_behind(retained->index, step.value));
    return step;
}

static double middle_of(const struct step *step)
{
    return 0.5 * (double)(step->below + step->not_above);
}

static double beyond(const struct step *last, double distance, double tick, double sign, uint64_t n)
{
    if (distance <= 0.5 || (last->not_above - last->below == n && tick == 0.0))
        return last->value;
    return tick > 0.0 ? last->value + sign * tick : sign * (double)INFINITY;
}

static double between(const struct step *a, const struct step *b, double target)
{
    const double share = (target - middle_of(a)) / (middle_of(b) - middle_of(a));
    return a->value + (b->value - a->value) * share;
}

double mid_quantile(const struct retained *retained, double p, double tick)
{
    const double n = (double)retained->n;
    const double target = p * n;
    const double place = fmin(fmax(floor(target), 0.0), n - 1.0);
    const struct step step = step_at(retained, (uint64_t)place);
    const double distance = target - middle_of(&step);
    if (distance < 0.0) {
        if (step.below == 0)
            return beyond(&step, -distance, tick, -1.0, retained->n);
        const struct step before = step_at(retained, step.below - 1);
        return between(&before, &step, target);
    }
    if (distance > 0.0) {
        if (step.not_above == retained->n)
            return beyond(&step, distance, tick, 1.0, retained->n);
        const struct step behind = step_at(retained, step.not_above);
        return between(&step, &behind, target);
    }
    return step.value;
}

double plain_quantile(const struct retained *retained, double p)
{
    const uint64_t n = retained->n;
    if (p == 0.5) {
        const double low = retained_value(retained, (n - 1) / 2);
        return low + 0.5 * (retained_value(retained, n / 2) - low);
    }
    const double place = p < 0.5 ? floor((double)n * p) - 1.0 : ceil((double)n * p);
    if (place < 0.0 || place >= (double)n)
        return p < 0.5 ? (double)-INFINITY : (double)INFINITY;
    return retained_value(retained, (uint64_t)place);
}
