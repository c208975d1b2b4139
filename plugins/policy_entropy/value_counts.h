/*
 * value_counts.h - how often each value came up among many, exactly. Plugin side.
 *
 * A hash table of the values themselves: adding one takes constant time on average and, when the
 * table is three quarters full, a move into one of twice the size. It takes 16 bytes for each slot.
 */
#pragma once

#include <stdint.h>

struct value_slot {
    uint64_t bits;  /* the value's representation */
    uint64_t count; /* 0: the slot is free */
};

/* Zero-initialize; free with value_counts_free. */
struct value_counts {
    struct value_slot *slots;
    uint64_t n_slots; /* 0 or a power of two */
    uint64_t n_values;
    unsigned shift; /* a hash of 64 bits to a slot */
};

/* Counts a value that is not a NaN; -0 is 0. *ret_count: how often it came up by now. GB_NO_MEMORY
 * leaves the counts as they were. */
int32_t value_counts_add(struct value_counts *counts, double value, uint64_t *ret_count);

void value_counts_free(struct value_counts *counts);
