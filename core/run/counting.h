/*
 * counting.h - the pass of a case that reads the device's hardware counters, and what is made of
 * them.
 *
 * Metrics of the case, of one iteration: each counter by the device's name for it, and as far as
 * the device can count them
 *   counted_flops              FLOP
 *   counted_bytes_l1, _l2, _dram  bytes asked of, or moved by, that level
 *   counted_intensity_l1, ...  FLOP/byte: flops over the bytes of that level
 * What was declared (struct gb_work) and is more than 10 % from what was counted is warned of.
 */
#pragma once

#include "core/run/session.h"

#include <gbrun/counters.h>

/* A value that the device gave; text in the counting's memory. */
struct count_value {
    const char *name, *unit;
    double value;
};

struct counting {
    struct gb_counting asked; /* what the device's count is called with */
    struct arena arena;
    struct count_value *values;
    size_t n_values, n_refused; /* refused: without a name that one can write, or too many */
};

/* False: the key `counters` wants nothing. */
bool counting_is_wanted(const char *setting);

/*
 * From the key's text, "yes" or names of counters with commas between, among which may be yes. The
 * caller fills in the benchmark, its queue and its iterations, and calls the device. ret stays
 * where it is until counting_free.
 */
void counting_new(struct counting *ret, const char *setting, uint32_t cache);
/* Reports metrics, warnings and what is missing to the sink. declared: zeroed if nothing was. */
void counting_report(const struct counting *counting, const struct gb_device_info *device,
                     const struct gb_work *declared, const struct host_sink *sink);
void counting_free(struct counting *counting);
