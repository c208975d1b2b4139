/*
 * spin.h - what the benchmark `spin` does in the same way on all devices, and what each does in its
 * own way. Plugin side.
 */
#pragma once

#include "plugins/common/cuda/with_cuda.h"

enum { RECORD_AFTER, RECORD_TIMED };

struct params {
    double duration; /* ns */
    int64_t cycles;  /* 0: by duration */
    int64_t kernels;
    int32_t record; /* RECORD_... */
};

/* What a spin noted of itself, by the clock that it looked at. */
struct spin_record {
    uint64_t begin_ns, end_ns; /* first and last reading */
    uint64_t cycles;           /* of the multiprocessor in between; 0 where that cannot be seen */
};

/* The last of them. In the device's memory; the kernel in spin.cu knows both structs, too. */
enum { SPIN_RECORDS = 4096 }; /* a power of two */
struct spin_ring {
    uint64_t n; /* that were noted so far; number i is in slot i % SPIN_RECORDS */
    struct spin_record records[SPIN_RECORDS];
};

struct spin {
    const struct gb_host *host;
    const struct params *params;
    const struct backend *backend;
    void *own;                /* of the backend, taken from the host */
    struct spin_ring *ring;   /* the device's; for the host, a copy: */
    struct spin_ring *copied; /*   of the host */
};

struct backend {
    BACKEND_FUNCTIONS(struct spin); /* but for run: */

    /* n spins one after the other; they note themselves in the ring unless it is NULL. */
    int32_t (*spin)(const struct spin *spin, const struct gb_queue *queue, uint64_t n,
                    struct spin_ring *ring);
};
