/*
 * judge_device.h - the judge's part of a device with queues: the memory that objects have there,
 * copies of it to and from that of the other process, and whether anything runs on the device that
 * should not.
 *
 * A device gives its time to one process after the other, so that work which the stopped process
 * has left there makes the judge's own wait: for milliseconds, not microseconds.
 */
#pragma once

#include "core/run/case_state.h"

/* Zero-initialize; without queues, of a CPU, all functions have nothing to do. */
struct judge_device {
    const struct gb_judging_device *ops; /* NULL: without queues */
    const struct open_device *open;
    struct gb_shared_block block;
    struct shared_memory memory; /* the block, which the host cannot look into */
    void *kept;                  /* GB_GATHERED_MAX parts at most, of part_bytes */
    uint64_t part_bytes;         /* of an object in the block */
    uint32_t n_kept;             /* parts that are copied after each order */
    double idle_ns;              /* what a wait takes if nothing runs, at least */
    double publish_ns, keep_ns;  /* the same of publishing; and what keeping takes beside */
};

/* Makes the block, or clears the one that was kept. */
int32_t judge_device_begin(struct judge_device *device, const struct open_device *open);
/* is_kept: the block is that of the next case. */
void judge_device_end(struct judge_device *device, bool is_kept);

/* While the other process is stopped, and before it has loaded anything: how long waits take. */
int32_t judge_device_calibrate(struct judge_device *device);

int32_t judge_device_wait(const struct judge_device *device);

/* Gives the other process all objects as they are here, and waits. time_: finds out how long it
 * takes. */
int32_t judge_device_publish(const struct judge_device *device);
int32_t judge_device_time_publish(struct judge_device *device);

/* From now on n parts are copied after each order, each of part_bytes, or fewer; for none there is
 * no copy. Finds out how long that takes. */
int32_t judge_device_keep_parts(struct judge_device *device, uint64_t part_bytes, uint32_t n_parts,
                                uint32_t n);
/* Copies these parts of the other process, and waits. */
int32_t judge_device_keep(struct judge_device *device, const uint32_t *which);
/* Makes a part what it is in the other process: now, or in copy i. */
int32_t judge_device_fetch(const struct judge_device *device, uint32_t which);
int32_t judge_device_fetch_kept(const struct judge_device *device, uint32_t i, uint32_t which);

/* Something runs there while the other process is stopped. */
int32_t judge_device_is_busy(const struct judge_device *device, bool *ret);
