/* call_compare.h - results compared with what is expected of them. Plugin side. */
#pragma once

#include "call_world.h"

/* Elements of an output and what they should be, in host memory. */
struct comparison {
    const char *name;
    enum type_id type;        /* of the output */
    enum type_id wanted_type; /* of what is wanted */
    uint64_t n;
    const unsigned char *output, *wanted;
    const struct number *constant; /* what all should be, instead of `wanted` */
};

/*
 * Through gb_host.check: integers to the bit; of numbers with a fraction, where the user names no
 * tolerances, the root of the mean square of all differences, a few units of the last place, as
 * other code rounds in other places. A single 0 has no such units: it is exact. Where an infinity
 * is wanted by name, infinities are no overflow.
 */
int32_t compare(const struct gb_host *host, const struct comparison *comparison);

/* The outcome of a comparison that was made without it: right if `wrong` is NULL, else the case
 * fails with these words. */
int32_t compare_outcome(const struct gb_host *host, const char *name, const char *wrong);

/* A text of less than `room` bytes with one that stands in quotes in the configuration. */
int32_t compare_text(const struct gb_host *host, const char *name, const char *output, size_t room,
                     struct span wanted);

/*
 * All buffers of a world that have an expectation, or are marked `out` where there is the world of
 * a reference (NULL: there is none). The first status that is not GB_OK; all are compared.
 */
int32_t compare_buffers(const struct world *world, const struct world *reference);
