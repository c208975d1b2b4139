/* dithered_mean.c - see dithered_mean.h. Plugin side. */
#include "dithered_mean.h"

#include "plugins/common/simd.h"

#include <math.h>

static const double FEW_TICKS = 2.0;
static const double ROUNDING = 0.25; /* ticks: between two of them, wherever division puts them */
static const double REACH = 2.0;     /* ticks from the median, or */
static const double REACH_DEVIATIONS = 4.0;
static const double ALLOWANCE = 4.0;      /* readings */
static const double UNITS = 1073741824.0; /* of a tick, in sums of whole numbers */

enum { TIMES_MAX = 6, LANES = 2 };
typedef VECTOR_OF(double, sizeof(double[LANES])) numbers;
typedef VECTOR_OF(int64_t, sizeof(int64_t[LANES])) masks;

/* Of the deviations from the median that are within reach. */
struct sums {
    uint64_t n;
    double sum, squares;
};

static void add_up(const double *values, uint64_t n, double median, double reach, struct sums *sums)
{
    numbers sum = {0.0};
    numbers squares = {0.0};
    masks n_near = {0};
    uint64_t i = 0;
    for (; i + LANES <= n; i += LANES) {
        const numbers all =
            ((const UNALIGNED(double, sizeof(double[LANES])) *)(values + i))->vector - median;
        const masks is_near = (all <= reach) & (all >= -reach);
        const numbers near = (numbers)((masks)all & is_near);
        sum += near;
        squares += near * near;
        n_near -= is_near;
    }
    for (; i < n; i++) {
        const double deviation = values[i] - median;
        if (fabs(deviation) > reach)
            continue;
        sum[0] += deviation;
        squares[0] += deviation * deviation;
        n_near[0]++;
    }
    sums->n += (uint64_t)(n_near[0] + n_near[1]);
    sums->sum += sum[0] + sum[1];
    sums->squares += squares[0] + squares[1];
}

/* Their mean is a ratio, of a sum to a number that are both random: its error is the sum of the
 * deviations from it, 0 for the others, over that number. */
static double time_of(const struct series_places *places, const struct sums *up_to, double mean,
                      double squares, double tick)
{
    int64_t twice_sums[SERIES_PLACES_MAX];
    const double units = UNITS / tick;
    for (size_t i = 0; i < places->n_places; i++)
        twice_sums[i] = (int64_t)llround(2.0 * units * (up_to[i].sum - mean * (double)up_to[i].n));
    return series_time(places, twice_sums, squares * units * units / (double)places->n);
}

static void add_up_all(const double *values, const struct series_places *places, double median,
                       double reach, struct sums *ret_up_to)
{
    struct sums sums = {0};
    uint64_t from = 0;
    for (size_t i = 0; i < places->n_places; i++) {
        add_up(values + from, places->at[i] - from, median, reach, &sums);
        ret_up_to[i] = sums;
        from = places->at[i];
    }
}

static double squares_of(const struct sums *sums)
{
    return fmax(sums->squares - sums->sum * sums->sum / (double)sums->n, 0.0);
}

bool dithered_mean_of(const double *values, const struct series_places *places, double median,
                      double quartiles, double tick, struct dithered_mean *ret)
{
    struct sums up_to[SERIES_PLACES_MAX];
    const struct sums *all = &up_to[places->n_places - 1];
    if (quartiles > (FEW_TICKS + ROUNDING) * tick)
        return false;
    double wanted = REACH * tick;
    double reach = 0.0;
    int times = 0;
    do {
        reach = wanted;
        add_up_all(values, places, median, reach + ROUNDING * tick, up_to);
        wanted = REACH_DEVIATIONS * sqrt(squares_of(all) / (double)all->n);
    } while (wanted > reach && ++times < TIMES_MAX);
    const double mean = all->sum / (double)all->n;
    const double squares = squares_of(all);
    ret->n = all->n;
    ret->value = median + mean;
    ret->n_effective = (double)all->n / time_of(places, up_to, mean, squares, tick);
    ret->deviation = sqrt(squares / (double)all->n + ALLOWANCE * tick * tick / ret->n_effective);
    return true;
}

double dithered_mean_half_width(const struct dithered_mean *mean, double radius)
{
    return radius < 0.5 ? 2.0 * mean->deviation * radius : (double)INFINITY;
}
