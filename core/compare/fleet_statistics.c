/* fleet_statistics.c - see fleet_statistics.h. */
#include "core/compare/fleet_statistics.h"

#include "core/base/memory.h"
#include "core/base/statistics.h"

#include <math.h>

static const double EFFICIENCY = 0.37; /* of a median absolute deviation, for normal values */

/* What a case's nodes have in common. */
struct common {
    double variance, degrees; /* of one round; degrees 0: not known */
    double scatter;           /* of nodes */
    size_t n;
    bool is_visit;
};

/* The mean and the variance of the logarithms; NaN: fewer than two. */
static double log_mean(const struct compared_side *side, double *ret_variance)
{
    CLEANUP(free_pointer) double *logs = memory_allocate((side->n + 1) * sizeof *logs);
    for (size_t i = 0; i < side->n; i++)
        logs[i] = log(side->values[i]);
    double mean = mean_of(logs, side->n), deviation = stdev_of(logs, side->n);
    *ret_variance = deviation * deviation;
    return mean;
}

/* Median of a chi-square over its degrees. */
static double chi_square_median(double degrees)
{
    double root = 1 - 2 / (9 * degrees);
    return root * root * root;
}

/* Is a ratio of variances, of so many degrees, larger than in 95 % of cases? */
static bool is_larger(double ratio, double degrees, double degrees_below)
{
    static const double QUANTILE = 1.6448536269514722;
    if (isinf(ratio))
        return true;
    double root = cbrt(ratio), above = 2 / (9 * degrees), below = 2 / (9 * degrees_below);
    return root * (1 - below) - (1 - above) > QUANTILE * sqrt(below * root * root + above);
}

/* 1.4826 times the median absolute deviation, without bias. */
static double scatter_of(double *deviations, size_t n)
{
    static const double factors[] = {1.495, 1.363, 1.206, 1.200, 1.140, 1.129, 1.107};
    enum { N_FACTORS = sizeof factors / sizeof *factors };
    if (n < FLEET_LEAST)
        return NAN;
    double factor = n - FLEET_LEAST < N_FACTORS ? factors[n - FLEET_LEAST]
                                                : (double)n / ((double)n - 0.8);
    return 1.4826 * factor * sort_to_median(deviations, n);
}

/* variances: of each node; NaN: it has one round or none. */
static struct common common_of(const struct fleet_values *nodes, const double *variances, size_t n)
{
    CLEANUP(free_pointer) double *scaled = memory_allocate((n + 1) * sizeof *scaled);
    CLEANUP(free_pointer) double *deviations = memory_allocate((n + 1) * sizeof *deviations);
    struct common common = {0};
    size_t n_scaled = 0;
    double degrees = 0;
    for (size_t i = 0; i < n; i++) {
        if (nodes[i].side.n == 0)
            continue;
        deviations[common.n++] = fabs(nodes[i].result.theta);
        if (isnan(variances[i]))
            continue;
        double own = (double)nodes[i].side.n - 1;
        scaled[n_scaled++] = variances[i] / chi_square_median(own);
        degrees += own;
    }
    common.scatter = scatter_of(deviations, common.n);
    common.is_visit = 2 * n_scaled <= common.n;
    common.variance = common.is_visit ? common.scatter * common.scatter
                                      : sort_to_median(scaled, n_scaled);
    common.degrees = EFFICIENCY * (common.is_visit ? (double)common.n - 1 : degrees);
    return common;
}

/* One-sided: that theta, in one direction, is beyond the margin. */
static double p_beyond(double theta, double half_width, const struct comparison *c, double degrees,
                       double margin)
{
    double above = theta - margin;
    if (!(half_width > 0))
        return above > 0 ? 0 : 1;
    double outside = 0.5 * student_t_outside(above * c->t / half_width, degrees);
    return above > 0 ? outside : 1 - outside;
}

static void set_node(struct fleet_values *node, double variance, double degrees, bool is_visit,
                     double margin, double confidence)
{
    struct comparison *c = &node->result;
    double n = is_visit ? 1 : (double)node->side.n;
    c->t = student_t_quantile(confidence, degrees);
    double half_width = fmax(c->t * sqrt(variance / n), 0.5 * node->side.step_ratio);
    if (is_visit && node->side.interval_ratio > half_width)
        half_width = node->side.interval_ratio;
    c->n_rounds = node->side.n;
    c->deviation = sqrt(variance);
    c->is_visit = is_visit;
    c->low = c->theta - half_width;
    c->high = c->theta + half_width;
    c->p = c->theta == 0 ? 1 : 0;
    if (half_width > 0)
        c->p = student_t_outside(c->theta * c->t / half_width, degrees);
    node->p_slower = p_beyond(c->theta, half_width, c, degrees, log1p(margin));
    node->p_faster = p_beyond(-c->theta, half_width, c, degrees, log1p(margin));
}

static void clear(struct fleet_values *node)
{
    node->p_slower = node->p_faster = NAN;
    node->result = (struct comparison){.theta = NAN,
                                       .low = -INFINITY,
                                       .high = INFINITY,
                                       .p = NAN,
                                       .adjusted_p = NAN,
                                       .deviation = NAN,
                                       .t = NAN,
                                       .n_rounds = node->side.n,
                                       .verdict = COMPARED_UNCLEAR};
}

struct fleet_median fleet_compare(struct fleet_values *nodes, size_t n, double margin,
                                  double confidence)
{
    CLEANUP(free_pointer) double *variances = memory_allocate((n + 1) * sizeof *variances);
    CLEANUP(free_pointer) double *means = memory_allocate((n + 1) * sizeof *means);
    CLEANUP(free_pointer) double *sorted = memory_allocate((n + 1) * sizeof *sorted);
    struct fleet_median ret = {.scatter = NAN};
    for (size_t i = 0; i < n; i++) {
        clear(&nodes[i]);
        means[i] = log_mean(&nodes[i].side, &variances[i]);
        if (nodes[i].side.n)
            sorted[ret.n++] = means[i];
    }
    ret.median = sort_to_median(sorted, ret.n);
    if (ret.n < FLEET_LEAST)
        return ret;
    for (size_t i = 0; i < n; i++)
        nodes[i].result.theta = means[i] - ret.median;
    const struct common common = common_of(nodes, variances, n);
    ret.scatter = common.scatter;
    for (size_t i = 0; i < n; i++) {
        double own = (double)nodes[i].side.n - 1, ratio = variances[i] / common.variance;
        if (nodes[i].side.n == 0)
            continue;
        if (!common.is_visit && ratio > 1 && is_larger(ratio, own, common.degrees))
            set_node(&nodes[i], variances[i], own, false, margin, confidence);
        else
            set_node(&nodes[i], common.variance, common.degrees, common.is_visit, margin,
                     confidence);
    }
    return ret;
}

double fleet_several_p(double *p, size_t n)
{
    size_t several = n < FLEET_SEVERAL ? n : FLEET_SEVERAL, rest = n + 1 - several;
    double least = 1;
    if (n == 0)
        return NAN;
    sort_values(p, n);
    for (size_t i = 1; i <= rest; i++)
        least = fmin(least, (double)rest / (double)i * p[several - 2 + i]);
    return least;
}
