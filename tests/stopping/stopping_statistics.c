/* stopping_statistics.c - see stopping_statistics.h. */
#include "tests/stopping/stopping_statistics.h"

#include <math.h>

/* The continued fraction of the function by Lentz's method (NIST Digital Library of Mathematical
 * Functions, 8.17.22); quick for x < (a + 1) / (a + b + 2). */
static double beta_fraction(double a, double b, double x)
{
    const double tiny = 1e-300;
    double c = 1, d = 1 - (a + b) * x / (a + 1);
    d = 1 / (fabs(d) < tiny ? tiny : d);
    double fraction = d;
    for (int m = 1; m < 10000; m++) {
        double change = 1;
        for (int odd = 0; odd < 2; odd++) {
            double term = odd ? -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
                              : m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
            d = 1 + term * d;
            c = 1 + term / c;
            d = 1 / (fabs(d) < tiny ? tiny : d);
            c = fabs(c) < tiny ? tiny : c;
            change = c * d;
            fraction *= change;
        }
        if (fabs(change - 1) < 1e-15)
            break;
    }
    return fraction;
}

double incomplete_beta(double a, double b, double x)
{
    if (x <= 0 || x >= 1)
        return x <= 0 ? 0 : 1;
    double front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x));
    if (x < (a + 1) / (a + b + 2))
        return front * beta_fraction(a, b, x) / a;
    return 1 - front * beta_fraction(b, a, 1 - x) / b;
}

/* Where I_x(a, b) is p. */
static double beta_quantile(double a, double b, double p)
{
    double low = 0, high = 1;
    for (int i = 0; i < 60; i++) {
        double x = 0.5 * (low + high);
        if (incomplete_beta(a, b, x) < p)
            low = x;
        else
            high = x;
    }
    return 0.5 * (low + high);
}

double share_upper_bound(uint64_t k, uint64_t n, double confidence)
{
    return k >= n ? 1 : beta_quantile((double)k + 1, (double)(n - k), confidence);
}

double share_lower_bound(uint64_t k, uint64_t n, double confidence)
{
    return k == 0 ? 0 : beta_quantile((double)k, (double)(n - k) + 1, 1 - confidence);
}

struct rounds_interval stops_combined(const struct stop *rounds, size_t n)
{
    double medians[ROUNDS_MAX] = {0}, lows[ROUNDS_MAX] = {0}, highs[ROUNDS_MAX] = {0};
    for (size_t i = 0; i < n; i++) {
        medians[i] = rounds[i].value_ns;
        lows[i] = rounds[i].low_ns;
        highs[i] = rounds[i].high_ns;
    }
    return rounds_combine(medians, lows, highs, n, 0.95);
}
