/* stopping_statistics.c - see stopping_statistics.h. */
#include "tests/stopping/stopping_statistics.h"

#include "core/base/memory.h"
#include "core/base/statistics.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>

double share_upper_bound(uint64_t k, uint64_t n, double confidence)
{
    double low = 0, high = 1;
    for (int i = 0; i < 60 && k < n; i++) {
        double share = 0.5 * (low + high);
        if (binomial_at_most(k, n, share) > 1 - confidence)
            low = share;
        else
            high = share;
    }
    return k >= n ? 1 : 0.5 * (low + high);
}

double percent(uint64_t k, uint64_t n)
{
    return n ? 100 * (double)k / (double)n : NAN;
}

double quantile_of(double *values, size_t n, double p)
{
    sort_values(values, n);
    return quantile_of_sorted(values, n, p);
}

void in_threads(uint32_t n_threads, void *(*work)(void *context), void *context)
{
    pthread_t *threads = memory_allocate(n_threads * sizeof *threads);
    uint32_t n_started = 0;
    while (n_started + 1 < n_threads &&
           pthread_create(&threads[n_started], NULL, work, context) == 0)
        n_started++;
    work(context);
    for (uint32_t i = 0; i < n_started; i++)
        pthread_join(threads[i], NULL);
    free(threads);
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
