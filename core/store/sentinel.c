/* sentinel.c - see sentinel.h. */
#include "core/store/sentinel.h"

#include "core/base/members.h"
#include "core/base/memory.h"
#include "core/base/statistics.h"
#include "core/store/store_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int32_t store_sentinel(struct store *store, int64_t run_id, struct arena *arena,
                       struct sentinel_reading **ret, size_t *ret_n, struct gb_error *error)
{
    struct query select = query_begin(
        store, error,
        "SELECT coalesce(c.device_id, 0), s.version, s.time_ns, s.at FROM bench_case AS c "
        "JOIN sentinel AS s ON s.case_id = c.id WHERE c.run_id = ? AND s.time_ns > 0 AND "
        "s.time_ns < 9e999 ORDER BY 1, 2, s.at, c.sequence, s.moment",
        "i", run_id);
    while (query_next(&select))
        ARENA_APPEND(arena, *ret, *ret_n,
                     ((struct sentinel_reading){sqlite3_column_int64(select.row, 0),
                                                (uint32_t)sqlite3_column_int64(select.row, 1),
                                                sqlite3_column_double(select.row, 2),
                                                row_text(select.row, 3, arena)}));
    return query_end(&select);
}

size_t sentinel_group(const struct sentinel_reading *readings, size_t n)
{
    size_t end = 0;
    while (end < n && readings[end].device_id == readings[0].device_id &&
           readings[end].version == readings[0].version)
        end++;
    return end;
}

/* ---- one series ---- */

enum { SENTINEL_READINGS = 6 }; /* that say anything of a change */
static const double mad_to_deviation = 1.4826, median_error = 1.2533;

static double *logs_of(const struct sentinel_reading *readings, size_t n)
{
    double *logs = memory_allocate((n + 1) * sizeof *logs);
    for (size_t i = 0; i < n; i++)
        logs[i] = log(readings[i].time_ns);
    return logs;
}

static double median_of(const double *values, size_t n)
{
    CLEANUP(free_pointer) double *copy = memory_allocate((n + 1) * sizeof *copy);
    memcpy(copy, values, n * sizeof *copy);
    return sort_to_median(copy, n);
}

static double noise_of(const double *y, size_t n)
{
    CLEANUP(free_pointer) double *steps = memory_allocate((n + 1) * sizeof *steps);
    for (size_t i = 1; i < n; i++)
        steps[i - 1] = fabs(y[i] - y[i - 1]);
    return fmax(mad_to_deviation * sort_to_median(steps, n - 1) / sqrt(2), SENTINEL_FLOOR);
}

struct ranked {
    double y;
    size_t index;
};

ORDER_BY_NUMBER(compare_ranked, struct ranked, y)

/* Mean ranks of those that are equal, from 1. */
static double *ranks_of(const double *y, size_t n)
{
    CLEANUP(free_pointer) struct ranked *ranked = memory_allocate((n + 1) * sizeof *ranked);
    double *ranks = memory_allocate((n + 1) * sizeof *ranks);
    for (size_t i = 0; i < n; i++)
        ranked[i] = (struct ranked){y[i], i};
    qsort(ranked, n, sizeof *ranked, compare_ranked);
    for (size_t i = 0, end; i < n; i = end) {
        for (end = i + 1; end < n && ranked[end].y == ranked[i].y;)
            end++;
        for (size_t j = i; j < end; j++)
            ranks[ranked[j].index] = 0.5 * (double)(i + 1 + end);
    }
    return ranks;
}

/* How many come before the change, and its p by Pettitt's approximation. */
static size_t place_of_change(const double *y, size_t n, double *ret_p)
{
    CLEANUP(free_pointer) double *ranks = ranks_of(y, n);
    double sum = 0, most = -1;
    size_t at = 0;
    for (size_t k = 1; k < n; k++) {
        sum += ranks[k - 1] - 0.5 * (double)(n + 1);
        if (fabs(sum) > most) {
            most = fabs(sum);
            at = k;
        }
    }
    const double cubes = (double)n * (double)n * (double)(n + 1);
    *ret_p = 2 * exp(-24 * most * most / cubes);
    return at;
}

/* Medians of what a step at k leaves, and what a line does. */
static bool is_line(const double *y, size_t n, size_t k)
{
    const size_t third = n / 3;
    const double first = median_of(y, third), last = median_of(&y[n - third], third);
    const double slope = (last - first) / (double)(n - third);
    const double before = median_of(y, k), after = median_of(&y[k], n - k);
    CLEANUP(free_pointer) double *of_step = memory_allocate(n * sizeof *of_step);
    CLEANUP(free_pointer) double *of_line = memory_allocate(n * sizeof *of_line);
    for (size_t i = 0; i < n; i++) {
        of_step[i] = fabs(y[i] - (i < k ? before : after));
        of_line[i] = fabs(y[i] - first - slope * ((double)i - 0.5 * (double)(third - 1)));
    }
    return sort_to_median(of_line, n) < sort_to_median(of_step, n);
}

bool sentinel_find_change(const struct sentinel_reading *readings, size_t n,
                          struct sentinel_change *ret)
{
    enum { LEAST_OF_SIDE = 2, LEAST_FOR_P = 12 };
    static const double errors = 5, most_p = 0.05;
    double p;
    CLEANUP(free_pointer) double *y = logs_of(readings, n);
    if (n < SENTINEL_READINGS)
        return false;
    const size_t k = place_of_change(y, n, &p);
    if (k < LEAST_OF_SIDE || n - k < LEAST_OF_SIDE || (n >= LEAST_FOR_P && p > most_p))
        return false;
    const double error = median_error * noise_of(y, n) * sqrt(1 / (double)k + 1 / (double)(n - k));
    *ret = (struct sentinel_change){median_of(&y[k], n - k) - median_of(y, k), is_line(y, n, k),
                                    readings[k].at, readings[k].at};
    if (ret->is_drift) {
        const size_t third = n / 3;
        ret->size = median_of(&y[n - third], third) - median_of(y, third);
        ret->from = readings[0].at;
        ret->to = readings[n - 1].at;
    }
    return fabs(ret->size) >= fmax(errors * error, SENTINEL_LEAST);
}

struct sentinel_level sentinel_level_of(const struct sentinel_reading *readings, size_t n)
{
    CLEANUP(free_pointer) double *y = logs_of(readings, n);
    const double value = sort_to_median(y, n);
    const double spread = n < SENTINEL_READINGS
                              ? 0
                              : quantile_of_sorted(y, n, 0.9) - quantile_of_sorted(y, n, 0.1);
    for (size_t i = 0; i < n; i++)
        y[i] = fabs(y[i] - value);
    const double noise = fmax(mad_to_deviation * sort_to_median(y, n), SENTINEL_FLOOR);
    return (struct sentinel_level){value, median_error * noise / sqrt((double)n), spread};
}
