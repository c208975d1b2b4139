/* search_order.c - see search_order.h. */
#include "search_order.h"

uint64_t search_random_below(const struct gb_host *host, uint64_t stream, uint64_t index,
                             uint64_t n)
{
    return host->random(host, stream, index) % n;
}

int32_t search_order_new(struct search_order *order, const struct gb_host *host, uint64_t n,
                         uint64_t stream)
{
    order->host = host;
    order->stream = stream;
    order->n = n;
    order->n_drawn = 0;
    if (n > UINT32_MAX)
        return GB_UNSUPPORTED;
    order->cases = host->allocate(host, n * sizeof *order->cases);
    if (order->cases == NULL)
        return GB_NO_MEMORY;
    for (uint64_t i = 0; i < n; i++)
        order->cases[i] = (uint32_t)i;
    return GB_OK;
}

uint64_t search_order_draw(struct search_order *order)
{
    uint64_t drawn;
    uint32_t found;
    if (order->n_drawn == order->n)
        return GB_NO_CASE;
    drawn = order->n_drawn++;
    drawn += search_random_below(order->host, order->stream, drawn, order->n - drawn);
    found = order->cases[drawn];
    order->cases[drawn] = order->cases[order->n_drawn - 1];
    order->cases[order->n_drawn - 1] = found;
    return found;
}
