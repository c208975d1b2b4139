/*
 * nop.h - what `nop` leaves to a device: how to do nothing. Plugin side.
 */
#ifndef GBRUN_PLUGINS_BENCH_NOP_NOP_H
#define GBRUN_PLUGINS_BENCH_NOP_NOP_H

#include <gbrun/bench.h>

struct nop {
    const struct gb_host *host;
    const struct backend *backend;
    void *own; /* of the backend, taken from the host */
};

struct backend {
    int32_t (*create)(struct nop *nop);  /* fills in `own`; or NULL */
    int32_t (*prepare)(struct nop *nop); /* or NULL */
    int32_t (*run)(const struct nop *nop, const struct gb_queue *queue, uint64_t iterations);
    void (*destroy)(struct nop *nop); /* prepare may have failed half way; or NULL */
};

extern const struct backend nop_cuda;

#endif
