/* range.h - the interval, or the intervals, that inputs are drawn from. Plugin side. */
#pragma once

#include <gbrun/host.h>
#include <stdbool.h>

enum { RANGE_INTERVALS_MAX = 8 };

struct range {
    uint32_t n;
    struct {
        double low, high;
    } intervals[RANGE_INTERVALS_MAX];
};

/* r0, r1, r4, r5, or LOW..HIGH, several of them with | between. False: reason says why not. */
bool range_parse(const char *text, struct range *ret, char *reason, size_t bytes);

/* The largest magnitude in it. */
double range_largest(const struct range *range);

/* True if no number of it is below 0, or none above. */
bool range_has_one_sign(const struct range *range);

/*
 * Fills n elements of `bytes` each in the format of `fill`, of which low and high are left out and
 * `stream` counts matrices from 0. Of several intervals each has its share by length, or by how
 * many whole numbers it has. Statuses as of gb_host.fill; a failure is reported to the host.
 */
int32_t range_fill(const struct range *range, const struct gb_host *host, void *data, uint64_t n,
                   uint32_t bytes, const struct gb_fill *fill);
