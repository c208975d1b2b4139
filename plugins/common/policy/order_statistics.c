/* order_statistics.c - see order_statistics.h. Plugin side. */
#include "order_statistics.h"

#include "plugins/common/bench_steps.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    BRACKET_MIN = 2048,   /* values below which a bracket costs more than it saves */
    BRACKET_SHARE = 16,   /* one value in so many is drawn, */
    BRACKET_SAMPLE = 4096 /*   but no more than these */
};

void sort_ascending(double *values, uint64_t n)
{
    if (n > 1)
        qsort(values, (size_t)n, sizeof *values, compare_doubles);
}

static double median_of_three(double a, double b, double c)
{
    const double low = a < b ? a : b;
    const double high = a < b ? b : a;
    return c < low ? low : (c > high ? high : c);
}

/*
 * Hoare's selection within [first, last]: afterwards no value before `rank` is greater than the one
 * there and none behind it smaller. Ties cost nothing, since both scans stop at equal values; input
 * made to defeat the pivots is sorted instead.
 */
static void select_in_place(double *values, int64_t first, int64_t last, int64_t rank)
{
    for (int rounds = 0; first < last; rounds++) {
        if (rounds > 64) {
            sort_ascending(values + first, (uint64_t)(last - first + 1));
            return;
        }
        const double pivot = median_of_three(values[first], values[first + (last - first) / 2],
                                             values[last]);
        int64_t i = first;
        int64_t j = last;
        while (i <= j) {
            while (values[i] < pivot)
                i++;
            while (values[j] > pivot)
                j--;
            if (i <= j) {
                const double swapped = values[i];
                values[i++] = values[j];
                values[j--] = swapped;
            }
        }
        if (rank <= j)
            last = j;
        else if (rank >= i)
            first = i;
        else
            return;
    }
}

struct bracket {
    double low, high; /* both ends included */
};

/* Two values that have all wanted ranks between them in almost every case, from a regular sample
 * of the values. scratch is overwritten. */
static struct bracket draw_bracket(const double *values, uint64_t n, uint64_t first_rank,
                                   uint64_t last_rank, double *scratch)
{
    uint64_t drawn = n / BRACKET_SHARE;
    if (drawn > BRACKET_SAMPLE)
        drawn = BRACKET_SAMPLE;
    for (uint64_t i = 0; i < drawn; i++)
        scratch[i] = values[i * n / drawn];
    const double margin = 1.5 * sqrt((double)drawn); /* three standard deviations at the median */
    const double scale = (double)drawn / (double)n;
    const double low = floor((double)first_rank * scale - margin);
    const double high = ceil((double)last_rank * scale + margin);
    struct bracket bracket = {-INFINITY, INFINITY};
    if (low >= 0.0) {
        select_in_place(scratch, 0, (int64_t)drawn - 1, (int64_t)low);
        bracket.low = scratch[(size_t)low];
    }
    if (high < (double)drawn) {
        select_in_place(scratch, 0, (int64_t)drawn - 1, (int64_t)high);
        bracket.high = scratch[(size_t)high];
    }
    return bracket;
}

/* Copies the values inside the bracket, without a branch that could be mispredicted. Returns how
 * many; *ret_below: how many lie below it. */
static uint64_t filter(const double *values, uint64_t n, struct bracket bracket, double *inside,
                       uint64_t *ret_below)
{
    uint64_t kept = 0;
    uint64_t below = 0;
    for (uint64_t i = 0; i < n; i++) {
        const double value = values[i];
        inside[kept] = value;
        kept += (uint64_t)((value >= bracket.low) & (value <= bracket.high));
        below += (uint64_t)(value < bracket.low);
    }
    *ret_below = below;
    return kept;
}

struct rank_window rank_window_of(const double *values, uint64_t n, uint64_t first, uint64_t last,
                                  double *scratch)
{
    struct rank_window window = {scratch, 0, 0};
    if (n >= BRACKET_MIN) {
        const struct bracket bracket = draw_bracket(values, n, first, last, scratch);
        window.n_inside = filter(values, n, bracket, scratch, &window.below);
    }
    if (first < window.below || last >= window.below + window.n_inside) {
        memcpy(scratch, values, (size_t)n * sizeof *values);
        window.below = 0;
        window.n_inside = n;
    }
    return window;
}

bool rank_window_select(struct rank_window *window, const uint64_t *ranks, size_t n_ranks,
                        double *ret)
{
    int64_t first = 0;
    if (n_ranks == 0)
        return true;
    if (ranks[0] < window->below || ranks[n_ranks - 1] >= window->below + window->n_inside)
        return false;
    for (size_t i = 0; i < n_ranks; i++) { /* none before the last rank is greater than there */
        const int64_t rank = (int64_t)(ranks[i] - window->below);
        select_in_place(window->inside, first, (int64_t)window->n_inside - 1, rank);
        ret[i] = window->inside[rank];
        first = rank;
    }
    return true;
}

/* Newton's method on the normal distribution function. Above 0 that function is concave, so steps
 * from 0 approach the root from one side and never overshoot. */
double normal_quantile(double p)
{
    const double tail = p < 0.5 ? p : 1.0 - p;
    double z = 0.0;
    for (int i = 0; i < 200; i++) {
        const double excess = 0.5 * erfc(z / sqrt(2.0)) - tail;
        const double density = exp(-0.5 * z * z) / sqrt(2.0 * acos(-1.0));
        const double step = excess / density;
        z += step;
        if (!(step > 1e-14 * (1.0 + z)))
            break;
    }
    return p < 0.5 ? -z : z;
}

void median_radius_ranks(uint64_t n, double radius, int64_t *ret_low, uint64_t *ret_high)
{
    const double low = floor((double)n * (0.5 - radius)) - 1.0;
    const double high = ceil((double)n * (0.5 + radius));
    *ret_low = low >= 0.0 ? (int64_t)low : RANK_NONE_BELOW;
    *ret_high = high < (double)n ? (uint64_t)high : n;
}

double median_radius(double n_effective, double confidence)
{
    return normal_quantile(0.5 + 0.5 * confidence) / (2.0 * sqrt(n_effective));
}

double confidence_sequence_radius(double n_effective, double alpha, double n_optimal)
{
    const double variance = 0.25 * n_effective;
    const double log_odds = log(1.0 / alpha);
    const double rho = 0.25 * n_optimal / (2.0 * log_odds + log(1.0 + 2.0 * log_odds));
    return sqrt((variance + rho) * (log(1.0 + variance / rho) + 2.0 * log_odds)) / n_effective;
}

double student_quantile(double p, double degrees)
{
    const double z = normal_quantile(p), zz = z * z, n = fmax(degrees, 3.0);
    const double terms[] = {
        (zz + 1.0) / 4.0,
        ((5.0 * zz + 16.0) * zz + 3.0) / 96.0,
        (((3.0 * zz + 19.0) * zz + 17.0) * zz - 15.0) / 384.0,
        ((((79.0 * zz + 776.0) * zz + 1482.0) * zz - 1920.0) * zz - 945.0) / 92160.0,
    };
    return z * (1.0 + (terms[0] + (terms[1] + (terms[2] + terms[3] / n) / n) / n) / n);
}
