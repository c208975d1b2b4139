/*
 * clock_step.c - see clock_step.h.
 *
 * Two groups of samples that are apart are a step of the clock, or noise with two modes. Of samples
 * in random order, the lower group of k is the first or the last of all n with a probability of 2
 * to n over k, which is at most 4 / (n (n - 1)) for groups of two or more. So for splits that are
 * not in order as many that are, by chance, are taken off. What is left where there are no steps is
 * about as large as the noise, and costs little.
 */
#include "clock_step.h"

#include "../common/policy/order_statistics.h"
#include "../common/search/search.h"

#include <math.h>

enum { SAMPLES_MAX = 64, CASES_MAX = 16384 };

struct split {
    double size;     /* of the gap between two groups of samples, relative to the lower group */
    int is_in_order; /* one of the groups was measured before the other */
};

/* The ranks of samples: order[0] is the lowest one. */
static void rank(const double *samples, uint64_t n, uint64_t *order)
{
    for (uint64_t i = 0; i < n; i++) {
        uint64_t at = i;
        for (; at > 0 && samples[order[at - 1]] > samples[i]; at--)
            order[at] = order[at - 1];
        order[at] = i;
    }
}

/* Are the k lowest of n samples the first ones, or the last ones? */
static int is_in_order(const uint64_t *order, uint64_t n, uint64_t k)
{
    uint64_t n_early = 0, n_late = 0;
    for (uint64_t i = 0; i < k; i++) {
        n_early += order[i] < k;
        n_late += order[i] >= n - k;
    }
    return n_early == k || n_late == k;
}

/* In two groups of two or more with the largest gap between them. */
static struct split widest_split(const double *samples, uint64_t n)
{
    struct split widest = {0, 0};
    uint64_t order[SAMPLES_MAX];
    rank(samples, n, order);
    for (uint64_t k = 2; k + 2 <= n; k++) {
        const double end = samples[order[k - 1]], begin = samples[order[k]];
        const double size = (begin - end) / fabs(end != 0 ? end : begin);
        if (size > widest.size) {
            widest.size = size;
            widest.is_in_order = is_in_order(order, n, k);
        }
    }
    return widest;
}

/* Both ascending. */
static double step_of(const double *in_order, uint64_t n_in_order, const double *others,
                      uint64_t n_others, uint64_t n, double least)
{
    const double chance = 4 / ((double)n * (double)(n - 1)), most = 0.5;
    uint64_t larger = 0;
    for (uint64_t k = 1; k <= n_in_order; k++) {
        const double size = in_order[n_in_order - k];
        while (larger < n_others && others[n_others - 1 - larger] >= size)
            larger++;
        if ((double)k - (double)larger * chance / (1 - chance) >= least)
            return size < most ? size : most;
    }
    return 0;
}

int32_t clock_step_find(const struct gb_host *host, const struct gb_search_space *space, uint64_t n,
                        double *ret_step)
{
    const double share = 0.01, two = 2; /* one alone may be anything */
    const uint64_t stride = (space->n_cases - 1) / CASES_MAX + 1;
    const uint64_t n_looked = (space->n_cases - 1) / stride + 1;
    uint64_t n_in_order = 0, n_others = 0;
    double *in_order, *others;
    *ret_step = 0;
    if (n < 4 || n > SAMPLES_MAX)
        return GB_OK;
    in_order = host->allocate(host, n_looked * sizeof *in_order);
    others = host->allocate(host, n_looked * sizeof *others);
    if (in_order == NULL || others == NULL)
        return GB_NO_MEMORY;
    for (uint64_t i = 0; i < space->n_cases; i += stride) {
        struct gb_known known = {.size = sizeof known};
        space->known(space, i, &known);
        if (!search_may_be_best(&known) || known.n_samples < n)
            continue;
        const struct split split = widest_split(known.samples, n);
        if (split.is_in_order)
            in_order[n_in_order++] = split.size;
        else
            others[n_others++] = split.size;
    }
    sort_ascending(in_order, n_in_order);
    sort_ascending(others, n_others);
    *ret_step = step_of(in_order, n_in_order, others, n_others, n,
                        fmax(two, share * (double)(n_in_order + n_others)));
    return GB_OK;
}
