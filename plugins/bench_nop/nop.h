/*
 * nop.h - what `nop` leaves to a device: how to do nothing. Plugin side.
 */
#pragma once

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
