/* sign_bound.c - see sign_bound.h. */
#include "sign_bound.h"

#include "plugins/common/policy/order_statistics.h"

#include <math.h>

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

int sign_is_above(const double *samples, uint64_t n, double limit, double error)
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
