/* series_trend.c - see series_trend.h. Plugin side. */
#include "series_trend.h"

#include <math.h>

static const double CORRELATION_MIN = 0.2;
static const double CORRELATION_MAX = 0.5;

double series_trend(const double *values, size_t n)
{
    const double middle = 0.5 * ((double)n - 1.0);
    double mean = 0.0;
    double moment = 0.0;
    double places = 0.0;
    if (n < 3)
        return 0.0;
    for (size_t i = 0; i < n; i++)
        mean += values[i] / (double)n;
    for (size_t i = 0; i < n; i++) {
        const double place = (double)i - middle;
        moment += place * (values[i] - mean);
        places += place * place;
    }
    const double slope = moment / places;
    double squares = 0.0;
    double products = 0.0;
    double before = 0.0;
    for (size_t i = 0; i < n; i++) {
        const double residual = values[i] - mean - slope * ((double)i - middle);
        squares += residual * residual;
        products += residual * before;
        before = residual;
    }
    const double r = squares > 0.0 ? products / squares : 0.0;
    double variance = squares / ((double)n - 2.0) / places;
    const double excused = fmin(r, CORRELATION_MAX);
    if (r > CORRELATION_MIN)
        variance *= (1.0 + excused) / (1.0 - excused);
    return slope != 0.0 ? slope / sqrt(variance) : 0.0;
}
