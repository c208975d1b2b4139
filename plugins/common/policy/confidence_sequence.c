/* confidence_sequence.c - see confidence_sequence.h. Plugin side. */
#include "confidence_sequence.h"

#include <math.h>

double confidence_sequence_radius(double n_effective, double alpha, double n_optimal)
{
    const double variance = 0.25 * n_effective;
    const double log_odds = log(1.0 / alpha);
    const double rho = 0.25 * n_optimal / (2.0 * log_odds + log(1.0 + 2.0 * log_odds));
    return sqrt((variance + rho) * (log(1.0 + variance / rho) + 2.0 * log_odds)) / n_effective;
}
