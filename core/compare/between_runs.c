/* between_runs.c - see between_runs.h. */
#include "core/compare/between_runs.h"

#include "core/base/memory.h"
#include "core/base/statistics.h"

#include <math.h>

/* Sums of squares, and their degrees of freedom. */
struct scatter {
    double squares, degrees;
};

static void add_scatter(struct scatter *scatter, const double *values, size_t n)
{
    if (n < 2)
        return;
    const double deviation = stdev_of(values, n);
    scatter->squares += deviation * deviation * (double)(n - 1);
    scatter->degrees += (double)(n - 1);
}

static double mean_of_run(const struct history_run *run, struct scatter *within)
{
    CLEANUP(free_pointer) double *logs = memory_allocate(run->n * sizeof *logs);
    for (size_t i = 0; i < run->n; i++)
        logs[i] = log(run->values[i]);
    add_scatter(within, logs, run->n);
    return mean_of(logs, run->n);
}

/* `variance` is the case's own, not shrunk, and may be below 0. */
static struct between_runs own_estimate(const struct earlier_runs *c, double margin)
{
    /* a change that is none takes from the variance what belongs to it */
    enum { CHANGES_LEAST = 6 };
    static const double certain = 0.99;
    CLEANUP(free_pointer) double *means = memory_allocate((c->n + 1) * sizeof *means);
    CLEANUP(free_pointer) struct change_point *changes = NULL;
    struct scatter within = {0}, between = {0};
    const size_t n_changes = c->n < CHANGES_LEAST
                                 ? 0
                                 : change_points_find(c->runs, c->n, margin, certain, &changes);
    double share = 0; /* mean of 1 / n */
    for (size_t i = 0; i < c->n; i++) {
        means[i] = mean_of_run(&c->runs[i], &within);
        share += 1 / (double)c->runs[i].n / (double)c->n;
    }
    for (size_t i = 0, from = 0; i <= n_changes; i++) {
        const size_t end = i < n_changes ? changes[i].at : c->n;
        add_scatter(&between, &means[from], end - from);
        from = end;
    }
    struct between_runs own = {.degrees = between.degrees, .within_degrees = within.degrees};
    if (within.degrees > 0)
        own.within = within.squares / within.degrees;
    own.subtracted = own.within * share;
    if (between.degrees > 0)
        own.variance = between.squares / between.degrees - own.subtracted;
    return own;
}

/* What the case's own runs leave open, with 99 %: the quantile of chi squared is that of Wilson and
 * Hilferty (The distribution of chi-square, 1931). */
static double most_of(const struct between_runs *own)
{
    static const double Z = 2.3263479;
    const double share = 2 / (9 * own->degrees), root = 1 - share - Z * sqrt(share);
    return root > 0 ? (own->variance + own->subtracted) / (root * root * root) - own->subtracted
                    : INFINITY;
}

static void shrink(struct between_runs *own, double pooled, double degrees)
{
    const double prior = fmin(BETWEEN_PRIOR, degrees - own->degrees), all = own->degrees + prior;
    const double mean = (own->degrees * own->variance + prior * pooled) / all;
    const double shrunk = fmin(mean, most_of(own));
    own->variance = all < BETWEEN_LEAST ? NAN : fmax(fmax(own->variance, shrunk), 0);
    own->degrees = all;
}

void between_runs_estimate(struct earlier_runs *cases, size_t n, double margin)
{
    double sum = 0, degrees = 0;
    for (size_t i = 0; i < n; i++) {
        cases[i].between = own_estimate(&cases[i], margin);
        sum += cases[i].between.degrees * cases[i].between.variance;
        degrees += cases[i].between.degrees;
    }
    for (size_t i = 0; i < n; i++)
        shrink(&cases[i].between, sum / degrees, degrees);
}
