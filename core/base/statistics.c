/* statistics.c - see statistics.h. */
#include "core/base/statistics.h"

#include "core/base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void compensated_add(struct compensated_sum *total, double value)
{
    double sum = total->sum + value;
    if (fabs(total->sum) >= fabs(value))
        total->error += (total->sum - sum) + value;
    else
        total->error += (value - sum) + total->sum;
    total->sum = sum;
}

double compensated_total(const struct compensated_sum *total)
{
    return isfinite(total->sum) ? total->sum + total->error : total->sum;
}

double mean_of(const double *values, size_t n)
{
    struct compensated_sum total = {0};
    for (size_t i = 0; i < n; i++)
        compensated_add(&total, values[i]);
    return n ? compensated_total(&total) / (double)n : NAN;
}

double stdev_of(const double *values, size_t n)
{
    if (n < 2)
        return NAN;
    double mean = mean_of(values, n);
    struct compensated_sum squares = {0};
    for (size_t i = 0; i < n; i++)
        compensated_add(&squares, rounded_product(values[i] - mean, values[i] - mean));
    return sqrt(compensated_total(&squares) / (double)(n - 1));
}

static int compare_values(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

void sort_values(double *values, size_t n)
{
    if (n > 1)
        qsort(values, n, sizeof *values, compare_values);
}

double quantile_of_sorted(const double *sorted, size_t n, double p)
{
    if (n == 0)
        return NAN;
    double place = (double)(n - 1) * fmin(fmax(p, 0), 1);
    size_t below = (size_t)place;
    double fraction = place - (double)below;
    if (fraction <= 0 || sorted[below] >= sorted[below + 1])
        return sorted[below];
    return sorted[below] + rounded_product(fraction, sorted[below + 1] - sorted[below]);
}

/* The probability that |T| <= sqrt(degrees) tan(angle). */
static double student_t_within(double angle, size_t degrees)
{
    double square = cos(angle) * cos(angle), sum = 0;
    double term = degrees % 2 ? cos(angle) : 1;
    for (size_t k = degrees % 2 ? 3 : 2; k <= degrees; k += 2) {
        sum += term;
        term *= square * (double)(k - 1) / (double)k;
        if (term < 1e-20 * sum)
            break;
    }
    double rest = rounded_product(sin(angle), sum);
    return degrees % 2 ? (angle + rest) / acos(0) : rest;
}

double student_t_quantile(double confidence, size_t degrees)
{
    if (!(confidence > 0 && confidence < 1) || degrees == 0)
        return NAN;
    double below = 0, above = acos(0);
    for (double middle = 0.5 * above; middle > below && middle < above;
         middle = below + 0.5 * (above - below)) {
        if (student_t_within(middle, degrees) < confidence)
            below = middle;
        else
            above = middle;
    }
    return sqrt((double)degrees) * tan(below);
}

struct summary summary_of(const double *values, size_t n)
{
    CLEANUP(free_pointer) double *sorted = memory_resize(NULL, n * sizeof *sorted);
    if (n)
        memcpy(sorted, values, n * sizeof *sorted);
    sort_values(sorted, n);
    return (struct summary){
        .n = n,
        .min = quantile_of_sorted(sorted, n, 0),
        .max = quantile_of_sorted(sorted, n, 1),
        .mean = mean_of(values, n),
        .stdev = stdev_of(values, n),
        .median = quantile_of_sorted(sorted, n, 0.5),
        .q1 = quantile_of_sorted(sorted, n, 0.25),
        .q3 = quantile_of_sorted(sorted, n, 0.75),
        .p10 = quantile_of_sorted(sorted, n, 0.1),
        .p90 = quantile_of_sorted(sorted, n, 0.9),
        .p99 = quantile_of_sorted(sorted, n, 0.99),
    };
}
