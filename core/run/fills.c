/* fills.c - see fills.h. */
#include "core/run/fills.h"

#include "core/base/number_format.h"
#include "core/base/random.h"

#include <stdlib.h>
#include <string.h>

enum { FILLS = 4 };
static const uint64_t least_bytes = 1 << 18, most_bytes = 1 << 23;

/* What a fill is of; data NULL: it was asked for once. */
struct kept {
    uint64_t seed, n;
    struct gb_fill fill;
    void *data;
};

/* The latest first. */
static struct kept all[FILLS];

static bool is_same(const struct kept *a, const struct kept *b)
{
    return a->seed == b->seed && a->n == b->n && a->fill.format == b->fill.format &&
           a->fill.stream == b->fill.stream && a->fill.low == b->fill.low &&
           a->fill.high == b->fill.high && a->fill.integral == b->fill.integral;
}

/* Makes it the latest. True: it was asked for before. */
static bool find(const struct kept *wanted)
{
    size_t at = 0;
    while (at + 1 < FILLS && !is_same(&all[at], wanted))
        at++;
    struct kept found = all[at];
    const bool is_known = is_same(&found, wanted);
    if (!is_known) {
        free(found.data);
        found = *wanted;
    }
    memmove(all + 1, all, at * sizeof *all);
    all[0] = found;
    return is_known;
}

int32_t fills_make(uint64_t seed, void *data, uint64_t n, const struct gb_fill *fill)
{
    const struct gb_format *format = number_format_of(fill->format);
    const struct kept wanted = {.seed = seed,
                                .n = n,
                                .fill = {.format = fill->format,
                                         .stream = fill->stream,
                                         .low = fill->low,
                                         .high = fill->high,
                                         .integral = fill->integral}};
    const uint64_t bytes = format && n <= most_bytes ? n * format->bytes : 0;
    if (bytes < least_bytes || bytes > most_bytes)
        return random_fill(seed, data, n, fill);
    const bool is_known = find(&wanted);
    if (is_known && all[0].data) {
        memcpy(data, all[0].data, (size_t)bytes);
        return GB_OK;
    }
    const int32_t status = random_fill(seed, data, n, fill);
    if (status == GB_OK && is_known)
        all[0].data = malloc((size_t)bytes);
    if (status == GB_OK && all[0].data)
        memcpy(all[0].data, data, (size_t)bytes);
    return status;
}
