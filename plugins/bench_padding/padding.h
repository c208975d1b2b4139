/*
 * padding.h - what the parts of padding share: one case, and what a kind of device does for it.
 * Plugin side.
 */
#ifndef GBRUN_PLUGINS_PADDING_PADDING_H
#define GBRUN_PLUGINS_PADDING_PADDING_H

#include "plan.h"

#include <gbrun/gbrun.h>
#include <stdbool.h>

struct params {
    int32_t problem;
    int32_t schedule;
    int64_t m, n, k, batch; /* 0: as the problem has it */
    int32_t tile;
};

struct padding {
    const struct gb_host *host;
    const struct params *params;
    const struct padding_backend *backend;
    void *own; /* the backend's; NULL before its create */
    struct product_shape shape;
    float *x, *w, *y;       /* where the device has them, one product after the other */
    float *host_x, *host_w; /* the inputs as the host filled them; on the CPU x and w */
};

/* What a kind of device does. Statuses as in bench.h; failures are reported to the host. */
struct padding_backend {
    bool has_host_memory; /* matrices are filled and read in place */

    /* [create] Refuses what the device does not have. */
    int32_t (*create)(struct padding *padding);
    /* [untimed] Makes what run needs, and reports metrics, once the matrices are there; y may be
     * written until it returns. */
    int32_t (*prepare)(struct padding *padding, const struct gb_queue *queue);
    /* [timed] */
    int32_t (*run)(struct padding *padding, const struct gb_queue *queue, uint64_t iterations);
    /* [untimed] Only after a create that returned GB_OK or failed half way. May be NULL. */
    void (*destroy)(struct padding *padding);
};

extern const struct padding_backend padding_cpu;
extern const struct padding_backend padding_cuda; /* where PLUGIN_WITH_CUDA is defined */

/* Skips the case with the words "schedule = ... is ". */
int32_t padding_skip_schedule(const struct padding *padding, const char *words);

/* The metric padding_ratio of a schedule that computes whole tiles. */
void padding_tell_ratio(const struct padding *padding, double ratio);

#endif
