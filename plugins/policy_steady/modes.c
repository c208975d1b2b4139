/* modes.c - see modes.h. Plugin side. */
#include "modes.h"

#include <math.h>
#include <stdbool.h>

enum { BINS_MAX = 2048 };

static const double RANGE_FROM = 0.002; /* of the values; those outside say nothing about modes */
static const double WIDTH_MIN = 0.0025; /* of the median */
static const double DISTANCE_MIN = 0.01;
static const double PEAK_MIN = 4.0;
static const double SIGNIFICANT = 2.5; /* standard deviations between a peak and a valley */

struct histogram {
    double start, width; /* bin i is from start + i * width on */
    size_t n;
    double counts[BINS_MAX]; /* smoothed */
};

static double bin_width(const struct retained *retained, double median, double tick, double range)
{
    const double quartiles = retained_at_share(retained, 0.75) - retained_at_share(retained, 0.25);
    double width = fmax(2.0 * quartiles / cbrt((double)retained->n), WIDTH_MIN * median);
    width = fmax(width, range / (BINS_MAX - 2));
    return tick > 0.0 ? tick * ceil(width / tick) : width;
}

/* With a tick, edges are half-way between two ticks. */
static void fill(struct histogram *histogram, const struct retained *retained, double median,
                 double tick)
{
    const double first = retained_at_share(retained, RANGE_FROM);
    const double last = retained_at_share(retained, 1.0 - RANGE_FROM);
    double plain[BINS_MAX + 2] = {0.0}; /* with an empty bin at either end */
    histogram->width = bin_width(retained, median, tick, last - first);
    histogram->start = first - 0.5 * tick;
    histogram->n = (size_t)floor((last - histogram->start) / histogram->width) + 1;
    uint64_t below = retained_below(retained, rank_from(retained->index, histogram->start));
    for (size_t i = 0; i < histogram->n; i++) {
        const double end = histogram->start + (double)(i + 1) * histogram->width;
        const uint64_t up_to = retained_below(retained, rank_from(retained->index, end));
        plain[i + 1] = (double)(up_to - below);
        below = up_to;
    }
    for (size_t i = 0; i < histogram->n; i++)
        histogram->counts[i] = 0.25 * (plain[i] + 2.0 * plain[i + 1] + plain[i + 2]);
}

static size_t highest(const struct histogram *histogram)
{
    size_t peak = 0;
    for (size_t i = 1; i < histogram->n; i++)
        peak = histogram->counts[i] > histogram->counts[peak] ? i : peak;
    return peak;
}

/* Whether the bin `at` is a peak apart from the last one, with a valley between them. */
static bool is_apart(const struct histogram *histogram, size_t last, size_t valley, size_t at,
                     double median)
{
    const double high = histogram->counts[at];
    const double low = histogram->counts[valley];
    const double distance = (double)(at > last ? at - last : last - at) * histogram->width;
    return high >= PEAK_MIN && low <= 0.5 * fmin(high, histogram->counts[last]) &&
           (high - low) / sqrt(high + low) > SIGNIFICANT && distance >= DISTANCE_MIN * median;
}

/* Walks from the main peak to one end of the histogram; ret: the valleys before further modes, in
 * that order, as values. Returns how many. */
static size_t walk(const struct histogram *histogram, size_t main_peak, int step, double median,
                   double *ret)
{
    size_t n = 0;
    size_t peak = main_peak;   /* of the mode that it is in */
    size_t valley = main_peak; /* the lowest behind that */
    const size_t steps = step > 0 ? histogram->n - 1 - main_peak : main_peak;
    for (size_t i = 1; i <= steps && n < GB_MODES_MAX; i++) {
        const size_t at = step > 0 ? main_peak + i : main_peak - i;
        if (histogram->counts[at] < histogram->counts[valley]) {
            valley = at;
        } else if (is_apart(histogram, peak, valley, at, median)) {
            ret[n++] = histogram->start + ((double)valley + 0.5) * histogram->width;
            peak = valley = at;
        } else if (histogram->counts[at] > histogram->counts[peak] && peak != main_peak) {
            peak = valley = at;
        }
    }
    return n;
}

static double weight_between(const struct retained *retained, double low, double high)
{
    const uint64_t below = retained_below(retained, rank_from(retained->index, low));
    return (double)(retained_below(retained, rank_from(retained->index, high)) - below) /
           (double)retained->n;
}

/* Joins modes that are too light with their neighbour on the side of the main peak. */
static size_t drop_light(const struct retained *retained, double min_weight, double end,
                         double *cuts, size_t n)
{
    for (size_t i = n; i > 0; i--) {
        const double outer = i < n ? cuts[i] : end;
        const double weight = outer > cuts[i - 1] ? weight_between(retained, cuts[i - 1], outer)
                                                  : weight_between(retained, outer, cuts[i - 1]);
        if (weight >= min_weight)
            continue;
        for (size_t j = i; j < n; j++)
            cuts[j - 1] = cuts[j];
        n--;
    }
    return n;
}

void modes_find(const struct retained *retained, double median, double tick, double min_weight,
                struct modes *ret)
{
    struct histogram histogram = {0};
    double below[GB_MODES_MAX];
    double above[GB_MODES_MAX];
    fill(&histogram, retained, median, tick);
    const size_t peak = highest(&histogram);
    size_t n_below = walk(&histogram, peak, -1, median, below);
    size_t n_above = walk(&histogram, peak, 1, median, above);
    n_below = drop_light(retained, min_weight, (double)-INFINITY, below, n_below);
    n_above = drop_light(retained, min_weight, (double)INFINITY, above, n_above);
    while (n_below + n_above + 1 > GB_MODES_MAX) /* the farthest from the main peak go first */
        *(n_below > n_above ? &n_below : &n_above) -= 1;
    ret->n = n_below + n_above + 1;
    size_t edge = 0;
    ret->edges[edge++] = (double)-INFINITY;
    while (n_below > 0)
        ret->edges[edge++] = below[--n_below];
    for (size_t i = 0; i < n_above; i++)
        ret->edges[edge++] = above[i];
    ret->edges[edge] = (double)INFINITY;
    for (size_t i = 0; i < ret->n; i++)
        ret->weights[i] = weight_between(retained, ret->edges[i], ret->edges[i + 1]);
}
