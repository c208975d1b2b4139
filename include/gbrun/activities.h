/*
 * activities.h - what one sample puts on the device: kernels, copies and fills, one by one, and how
 * long each takes. Extension of a device's descriptor.
 */
#ifndef GBRUN_ACTIVITIES_H
#define GBRUN_ACTIVITIES_H

#include <gbrun/device.h>

#define GB_ACTIVITIES "gbrun.activities/1"

enum {
    GB_ACTIVITY_KERNEL = 1,
    GB_ACTIVITY_COPY = 2,
    GB_ACTIVITY_FILL = 3,
    GB_ACTIVITY_OTHER = 4 /* a host function, a wait for an event, memory taken or given back */
};

/* One of them. Times are of one sample, over n_samples; NaN: not asked for, or not known. */
struct gb_activity {
    uint32_t size;
    uint32_t kind;  /* GB_ACTIVITY_... */
    char name[256]; /* of the kernel, readable; else what it is: "copy device to host" */
    uint32_t grid[3], block[3]; /* of a kernel */
    uint32_t registers;         /* of a thread */
    /* 0: follows the one before; n: runs beside the others with the same n, between a fork of the
     * queue and its join, and all of them have the times of the whole section */
    uint32_t parallel;
    uint64_t shared_bytes;  /* of a block, static and dynamic */
    uint64_t bytes;         /* copied or filled */
    double occupancy;       /* threads that fit on a multiprocessor over those that it has; NaN */
    double time_ns;         /* its own time: the mean */
    double low_ns, high_ns; /* its 95 % interval */
    double gap_ns;          /* between the end of the one before and its start */
};

/* Receives them in the order in which they were put on the queue. */
typedef void gb_activity_fn(void *context, const struct gb_activity *activity);

/* What extension(GB_ACTIVITIES) of a device's descriptor gives. */
struct gb_activities {
    uint32_t size;
    uint32_t reserved;

    /* What one run of the measurement's benchmark puts on the queue, as it would be captured: of
     * the measurement only bench_ops, bench, queue, iterations, cache and gap_ns count. With
     * n_samples > 0 each is also timed, over so many samples at least. GB_SKIPPED with host->skip's
     * words where this cannot be known. */
    int32_t (*list)(void *device, const struct gb_measurement *measurement, uint64_t n_samples,
                    gb_activity_fn *activity, void *context);
};

#endif
