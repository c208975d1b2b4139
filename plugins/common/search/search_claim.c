/* search_claim.c - see search_claim.h. */
#include "search_claim.h"

#include "sign_bound.h"

#include <math.h>
#include <stddef.h>

static struct gb_known known_of(const struct gb_search_space *space, uint64_t i)
{
    struct gb_known known = {.size = sizeof known};
    space->known(space, i, &known);
    return known;
}

int search_may_be_best(const struct gb_known *known)
{
    return known->n_visits > 0 && known->status == GB_OBSERVED_OK && known->n_samples > 0;
}

uint64_t search_lowest(const struct gb_search_space *space)
{
    uint64_t lowest = GB_NO_CASE;
    double median = 0;
    for (uint64_t i = 0; i < space->n_cases; i++) {
        const struct gb_known known = known_of(space, i);
        if (search_may_be_best(&known) && (lowest == GB_NO_CASE || known.median < median)) {
            lowest = i;
            median = known.median;
        }
    }
    return lowest;
}

double search_limit(double value, double tolerance)
{
    if (value >= 0)
        return value / (1 + tolerance);
    return tolerance < 1 ? value / (1 - tolerance) : -INFINITY;
}

static uint64_t count_ok(const struct gb_search_space *space)
{
    uint64_t n = 0;
    for (uint64_t i = 0; i < space->n_cases; i++) {
        const struct gb_known known = known_of(space, i);
        n += (uint64_t)search_may_be_best(&known);
    }
    return n;
}

int32_t search_claim_measured(const struct gb_host *host, const struct gb_search_space *space,
                              struct gb_search_claim *claim)
{
    const double half = (1 - space->confidence) / 2;
    const uint64_t n_ok = count_ok(space), best = search_lowest(space);
    uint64_t *open;
    double *scratch, limit;
    if (best == GB_NO_CASE)
        return GB_OK;
    const struct gb_known known = known_of(space, best);
    open = host->allocate(host, n_ok * sizeof *open);
    scratch = host->allocate(host, known.n_samples * sizeof *scratch);
    if (open == NULL || scratch == NULL)
        return GB_NO_MEMORY;
    limit = search_limit(sign_upper(known.samples, known.n_samples, half / (double)n_ok, scratch),
                         space->tolerance);
    claim->scope = GB_SCOPE_MEASURED;
    claim->best = best;
    claim->open = open;
    claim->low = sign_lower(known.samples, known.n_samples, half, scratch);
    claim->high = sign_upper(known.samples, known.n_samples, half, scratch);
    if (!isfinite(claim->low) || !isfinite(claim->high))
        claim->low = claim->high = NAN;
    for (uint64_t i = 0; i < space->n_cases; i++) {
        const struct gb_known other = known_of(space, i);
        if (i != best && search_may_be_best(&other) &&
            (!isfinite(limit) || !sign_is_above(other.samples, other.n_samples, limit, half)))
            open[claim->n_open++] = i;
    }
    return GB_OK;
}
