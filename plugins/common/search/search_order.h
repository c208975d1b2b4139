/*
 * search_order.h - the cases of a space in random order, one by one. Plugin side.
 *
 * A permutation is made as it is drawn from (Fisher and Yates), 4 bytes a case.
 */
#ifndef SEARCH_ORDER_H
#define SEARCH_ORDER_H

#include <gbrun/gbrun.h>

struct search_order {
    const struct gb_host *host;
    uint64_t stream; /* of random numbers */
    uint32_t *cases; /* NULL: in order */
    uint64_t n, n_drawn;
};

/* GB_NO_MEMORY, or GB_UNSUPPORTED for more than 2^32 cases. */
int32_t search_order_new(struct search_order *order, const struct gb_host *host, uint64_t n,
                         uint64_t stream);

/* The next one; GB_NO_CASE after the last. */
uint64_t search_order_draw(struct search_order *order);

/* A number below n > 0 by draw `index` of a stream; its bias is below n / 2^64. */
uint64_t search_random_below(const struct gb_host *host, uint64_t stream, uint64_t index,
                             uint64_t n);

#endif
