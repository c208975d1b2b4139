/* value_counts.c - see value_counts.h. Plugin side. */
#include "value_counts.h"

#include <gbrun/gbrun.h>
#include <stdlib.h>
#include <string.h>

enum { SLOTS_FIRST_LOG2 = 10 };

static uint64_t bits_of(double value)
{
    uint64_t bits = 0;
    const double without_sign_of_zero = value + 0.0;
    memcpy(&bits, &without_sign_of_zero, sizeof bits);
    return bits;
}

/* The free slot or the value's own. Times of a timer with a step differ in a few bits in the
 * middle, which the fold moves down and the product (by 2^64 over the golden ratio) spreads up. */
static struct value_slot *slot_of(const struct value_counts *counts, uint64_t bits)
{
    const uint64_t hash = (bits ^ bits >> 32) * UINT64_C(0x9e3779b97f4a7c15);
    uint64_t i = hash >> counts->shift;
    while (counts->slots[i].count > 0 && counts->slots[i].bits != bits)
        i = (i + 1) & (counts->n_slots - 1);
    return &counts->slots[i];
}

static int32_t grow(struct value_counts *counts)
{
    const uint64_t n_slots = counts->n_slots > 0 ? 2 * counts->n_slots
                                                 : UINT64_C(1) << SLOTS_FIRST_LOG2;
    struct value_counts grown = {.n_slots = n_slots,
                                 .n_values = counts->n_values,
                                 .shift = counts->n_slots > 0 ? counts->shift - 1
                                                              : 64 - SLOTS_FIRST_LOG2};
    grown.slots = calloc(n_slots, sizeof *grown.slots);
    if (grown.slots == NULL)
        return GB_NO_MEMORY;
    for (uint64_t i = 0; i < counts->n_slots; i++)
        if (counts->slots[i].count > 0)
            *slot_of(&grown, counts->slots[i].bits) = counts->slots[i];
    free(counts->slots);
    *counts = grown;
    return GB_OK;
}

int32_t value_counts_add(struct value_counts *counts, double value, uint64_t *ret_count)
{
    if (counts->n_values >= counts->n_slots / 4 * 3) {
        const int32_t status = grow(counts);
        if (status != GB_OK)
            return status;
    }
    const uint64_t bits = bits_of(value);
    struct value_slot *slot = slot_of(counts, bits);
    slot->bits = bits;
    counts->n_values += slot->count == 0;
    *ret_count = ++slot->count;
    return GB_OK;
}

void value_counts_free(struct value_counts *counts)
{
    free(counts->slots);
    *counts = (struct value_counts){0};
}
