/* call_compare.h - the elements of a buffer held against those that are wanted. Plugin side. */
#ifndef GBRUN_PLUGINS_COMMON_CALL_COMPARE_H
#define GBRUN_PLUGINS_COMMON_CALL_COMPARE_H

#include "call_types.h"

#include <gbrun/gbrun.h>

/* Elements of an output and of what they are to be, in host memory. */
struct comparison {
    const char *name;
    enum type_id type;        /* of the output */
    enum type_id wanted_type; /* of what is wanted */
    uint64_t n;
    const unsigned char *output, *wanted;
    const struct number *constant; /* what all are to be, instead of `wanted` */
};

/*
 * Through gb_host.check: integers to the bit; of numbers with a fraction, where the user names no
 * tolerances, the root of the mean square of all differences, a few units of the last place, as
 * other code rounds in other places. A single 0 has no such units: it is exact. Where an infinity
 * is wanted by name, infinities are no overflow.
 */
int32_t compare(const struct gb_host *host, const struct comparison *comparison);

#endif
