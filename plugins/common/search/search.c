/* search.c - see search.h. Plugin side. */
#include "search.h"

#include "plugins/common/policy/order_statistics.h"

#include <math.h>

/* --- order --- */

uint64_t search_random_below(const struct gb_host *host, uint64_t stream, uint64_t index,
                             uint64_t n)
{
    return host->random(host, stream, index) % n;
}

int32_t search_order_new(struct search_order *order, const struct gb_host *host, uint64_t n,
                         uint64_t stream)
{
    order->host = host;
    order->stream = stream;
    order->n = n;
    order->n_drawn = 0;
    if (n > UINT32_MAX)
        return GB_UNSUPPORTED;
    order->cases = host->allocate(host, n * sizeof *order->cases);
    if (order->cases == NULL)
        return GB_NO_MEMORY;
    for (uint64_t i = 0; i < n; i++)
        order->cases[i] = (uint32_t)i;
    return GB_OK;
}

uint64_t search_order_draw(struct search_order *order)
{
    uint64_t drawn;
    uint32_t found;
    if (order->n_drawn == order->n)
        return GB_NO_CASE;
    drawn = order->n_drawn++;
    drawn += search_random_below(order->host, order->stream, drawn, order->n - drawn);
    found = order->cases[drawn];
    order->cases[drawn] = order->cases[order->n_drawn - 1];
    order->cases[order->n_drawn - 1] = found;
    return found;
}

/* --- the sign test --- */

int64_t sign_most(uint64_t n, double error)
{
    double total = 0;
    int64_t k;
    for (k = 0; k < (int64_t)n; k++) {
        const double count = (double)n, chosen = (double)k;
        total += exp(lgamma(count + 1) - lgamma(chosen + 1) - lgamma(count - chosen + 1) -
                     count * log(2.0));
        if (total > error)
            break;
    }
    return k - 1;
}

static void copy_sorted(const double *samples, uint64_t n, double *scratch)
{
    for (uint64_t i = 0; i < n; i++)
        scratch[i] = samples[i];
    sort_ascending(scratch, n);
}

double sign_upper(const double *samples, uint64_t n, double error, double *scratch)
{
    const int64_t most = sign_most(n, error);
    if (most < 0)
        return INFINITY;
    copy_sorted(samples, n, scratch);
    return scratch[n - 1 - (uint64_t)most];
}

double sign_lower(const double *samples, uint64_t n, double error, double *scratch)
{
    const int64_t most = sign_most(n, error);
    if (most < 0)
        return -INFINITY;
    copy_sorted(samples, n, scratch);
    return scratch[most];
}

/* Is the median above the limit, but for the error? */
static int sign_is_above(const double *samples, uint64_t n, double limit, double error)
{
    uint64_t below = 0;
    for (uint64_t i = 0; i < n; i++)
        below += samples[i] <= limit;
    return (int64_t)below <= sign_most(n, error);
}

double sign_look_error(uint64_t n, uint64_t first, double error)
{
    const double first_share = 0.65; /* 2^-6 = 0.0156 of 0.025 is 0.625 */
    double left = error * (1 - first_share);
    uint64_t look = first;
    if (n == first)
        return error * first_share;
    while (look < n) {
        look *= 2;
        left /= 2;
    }
    return look == n ? left : 0;
}

/* --- the claim --- */

int search_may_be_best(const struct gb_known *known)
{
    return known->n_visits > 0 && known->status == GB_OBSERVED_OK && known->n_samples > 0;
}

/* The case with the lowest median, the first of equals; or GB_NO_CASE. */
static uint64_t search_lowest(const struct gb_search_space *space)
{
    uint64_t lowest = GB_NO_CASE;
    double median = 0;
    for (uint64_t i = 0; i < space->n_cases; i++) {
        const struct gb_known known = search_known(space, i);
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
        const struct gb_known known = search_known(space, i);
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
    const struct gb_known known = search_known(space, best);
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
        const struct gb_known other = search_known(space, i);
        if (i != best && search_may_be_best(&other) &&
            (!isfinite(limit) || !sign_is_above(other.samples, other.n_samples, limit, half)))
            open[claim->n_open++] = i;
    }
    return GB_OK;
}
