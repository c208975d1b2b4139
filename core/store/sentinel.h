/*
 * sentinel.h - what the reference work of a run's devices says of the machine: whether it became
 * slower or faster while the run measured, and how fast it was.
 *
 * y are the logs of the readings of one device in order of time, and s their noise: 1.4826 times
 * the median of |y_(i+1) - y_i|, over sqrt 2, and SENTINEL_FLOOR at least. Where it changed, if at
 * all, the rank sum of the first k differs most from what it would be by chance (Pettitt: A
 * non-parametric approach to the change-point problem, 1979), from 12 readings on by more than in
 * 5 % of series (his approximation, 2 exp(-6 K^2 / (n^3 + n^2))). The size is the difference of the
 * medians of both sides; it counts if it is SENTINEL_LEAST or more and five times its standard
 * error 1.2533 s sqrt(1 / k + 1 / (n - k)). It is a drift where a line from the first third to the
 * last (of medians) leaves less than the step (medians of absolute residuals).
 */
#pragma once

#include "core/store/store_read.h"

#define SENTINEL_FLOOR 5e-4
#define SENTINEL_LEAST 5e-3

struct sentinel_reading {
    int64_t device_id;
    uint32_t version;
    double time_ns;
    const char *at; /* UTC, ISO 8601 */
};

/* Those of a run, by device and version, in order of time; in the arena's memory. */
int32_t store_sentinel(struct store *store, int64_t run_id, struct arena *arena,
                       struct sentinel_reading **ret, size_t *ret_n, struct gb_error *error);

/* How many of the first n are of the same device and work. */
size_t sentinel_group(const struct sentinel_reading *readings, size_t n);

struct sentinel_change {
    double size; /* ln; above 0: slower */
    bool is_drift;
    const char *from, *to; /* at a step the first reading behind it, both; a drift's ends */
};
/* Of one device; false: it did not change. */
bool sentinel_find_change(const struct sentinel_reading *readings, size_t n,
                          struct sentinel_change *ret);

/* Their median, ln, and its standard error: 1.2533 / sqrt(n) times 1.4826 of the median absolute
 * deviation, or SENTINEL_FLOOR. spread: from the 10 % to the 90 % quantile, 0 of fewer than six.
 * n > 0. */
struct sentinel_level {
    double value, error, spread;
};
struct sentinel_level sentinel_level_of(const struct sentinel_reading *readings, size_t n);
