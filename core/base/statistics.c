/* statistics.c - see statistics.h. */
#include "core/base/statistics.h"

#include "core/base/members.h"
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

ORDER_BY(compare_values, double, ORDER_OF(*x, *y))

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

double sort_to_median(double *values, size_t n)
{
    sort_values(values, n);
    return quantile_of_sorted(values, n, 0.5);
}

double median_of_known(double *values, size_t n)
{
    size_t kept = 0;
    for (size_t i = 0; i < n; i++)
        if (!isnan(values[i]))
            values[kept++] = values[i];
    return sort_to_median(values, kept);
}

/* The continued fraction of the incomplete beta function (26.5.8), by the modified Lentz algorithm
 * (Thompson and Barnett: Coulomb and Bessel functions of complex arguments and order, 1986). */
static double beta_fraction(double a, double b, double x)
{
    enum { TERMS_MAX = 100000 };
    static const double tiny = 1e-300, small_enough = 1e-16;
    double c = 1, d = 1 - (a + b) * x / (a + 1);
    d = 1 / (fabs(d) < tiny ? tiny : d);
    double fraction = d;
    for (int m = 1; m < TERMS_MAX; m++) {
        double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
        double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
        double change = 1;
        for (int i = 0; i < 2; i++) {
            double term = i ? odd : even;
            d = 1 + term * d;
            d = 1 / (fabs(d) < tiny ? tiny : d);
            c = 1 + term / c;
            c = fabs(c) < tiny ? tiny : c;
            change = c * d;
            fraction *= change;
        }
        if (fabs(change - 1) < small_enough)
            break;
    }
    return fraction;
}

/* ln of the beta function at (a, 1 / 2). Where logarithms of the gamma function would cancel, by
 * the expansion of their difference (Tricomi and Erdelyi: The asymptotic expansion of a ratio of
 * gamma functions, 1951). */
static double log_beta_half(double a)
{
    static const double half_log_pi = 0.57236494292470008707;
    double over = 1 / a;
    int sign;
    if (a < 50)
        return lgamma_r(a, &sign) + half_log_pi - lgamma_r(a + 0.5, &sign);
    double corrections = over * (-1.0 / 8 + over * over * (1.0 / 192 - over * over / 640));
    return half_log_pi - 0.5 * log(a) - corrections;
}

/* The probability that T^2 / degrees >= rest / x, where x + rest == 1. */
static double student_t_beyond(double x, double rest, double degrees, double log_beta)
{
    double a = 0.5 * degrees;
    if (rest <= 0 || x <= 0)
        return rest <= 0 ? 1 : 0;
    double front = exp(a * (x > 0.5 ? log1p(-rest) : log(x)) + 0.5 * log(rest) - log_beta);
    if (x < (a + 1) / (a + 2.5))
        return front * beta_fraction(a, 0.5, x) / a;
    return 1 - front * beta_fraction(0.5, a, rest) / 0.5;
}

double student_t_outside(double t, double degrees)
{
    if (isnan(t) || !(degrees > 0))
        return NAN;
    double ratio = t / sqrt(degrees), x = 1 / (1 + ratio * ratio);
    return student_t_beyond(x, isinf(ratio) ? 1 : ratio * ratio * x, degrees,
                            log_beta_half(0.5 * degrees));
}

/* Newton's method on the angle, between ends that close in. */
double student_t_quantile(double confidence, double degrees)
{
    enum { STEPS_MAX = 200 };
    if (!(confidence > 0 && confidence < 1) || !(degrees > 0))
        return NAN;
    double below = 0, above = acos(0), log_beta = log_beta_half(0.5 * degrees);
    double angle = atan(2 / sqrt(degrees));
    for (int i = 0; i < STEPS_MAX; i++) {
        double x = cos(angle) * cos(angle), rest = sin(angle) * sin(angle);
        double excess = student_t_beyond(x, rest, degrees, log_beta) - (1 - confidence);
        *(excess > 0 ? &below : &above) = angle;
        double slope = 2 * exp((degrees - 1) * log(cos(angle)) - log_beta);
        double next = angle + excess / slope;
        if (!(next > below && next < above))
            next = below + 0.5 * (above - below);
        if (fabs(next - angle) <= 1e-16 * angle)
            break;
        angle = next;
    }
    return sqrt(degrees) * tan(angle);
}

size_t sign_interval_rank(size_t n, double confidence)
{
    double share = ldexp(1, -(int)(n < 1000 ? n : 1000)), outside = share;
    size_t k = 0;
    while (k < n / 2 && 1 - 2 * outside >= confidence) {
        k++;
        share *= (double)(n - k + 1) / (double)k;
        outside += share;
    }
    return k;
}

double binomial_at_most(uint64_t k, uint64_t n, double p)
{
    if (k >= n)
        return 1;
    const double a = (double)(n - k), b = (double)k + 1, x = 1 - p;
    int sign;
    const double log_beta = lgamma_r(a, &sign) + lgamma_r(b, &sign) - lgamma_r(a + b, &sign);
    const double front = exp(a * log1p(-p) + b * log(p) - log_beta);
    return x < (a + 1) / (a + b + 2) ? front * beta_fraction(a, b, x) / a
                                     : 1 - front * beta_fraction(b, a, p) / b;
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
