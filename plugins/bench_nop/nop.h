/*
 * nop.h - what `nop` leaves to a device: how to do nothing. Plugin side.
 */
#ifndef GBRUN_PLUGINS_BENCH_NOP_NOP_H
#define GBRUN_PLUGINS_BENCH_NOP_NOP_H

#include "plugins/common/cuda/with_cuda.h"

struct nop {
    const struct gb_host *host;
    const struct params *params; /* there are none */
    const struct backend *backend;
    void *own; /* of the backend, taken from the host */
};

struct backend {
    BACKEND_FUNCTIONS(struct nop);
};

extern const struct backend nop_cuda;

#endif
