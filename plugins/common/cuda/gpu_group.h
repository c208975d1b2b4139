/*
 * gpu_group.h - several GPUs of one process, or several streams of one, whose work is part of what
 * a queue does: each member has a stream, which is forked from the queue and joined back to it by
 * events, also from GPU to GPU. Plugin side.
 */
#pragma once

#include "cuda_driver.h"

enum { GPU_GROUP_MAX = 64 };

struct gpu {
    CUdevice device;
    CUcontext context; /* the device's primary one; NULL: not retained yet */
    CUstream stream;
    CUevent join;
};

struct gpu_memory; /* of gpu_group_allocate */

/* Zero-initialize, then gpu_group_find or gpu_group_here; free with gpu_group_free. */
struct gpu_group {
    const struct driver *driver;
    const struct gb_host *host;
    uint32_t n;
    struct gpu gpus[GPU_GROUP_MAX]; /* the first is on the device of the current context */
    CUevent fork;                   /* of the first one's context, as the queue is */
    struct gpu_memory *memory;
    uint64_t reached[GPU_GROUP_MAX]; /* bit j of i: access to j's memory was enabled for i */
};

/* The current context's device and those after it, the first after the last: n of them, or all for
 * 0. GB_SKIPPED, with a reason, where there are fewer, or fewer than two. Contexts that it makes
 * stay, and the host is asked to `keep` them: called in create. */
int32_t gpu_group_find(struct gpu_group *group, const struct driver *driver,
                       const struct gb_host *host, uint32_t n);

/* n members on the current context's device. */
int32_t gpu_group_here(struct gpu_group *group, const struct driver *driver,
                       const struct gb_host *host, uint32_t n);

/* GB_SKIPPED, with a reason, where a member cannot reach the memory of another one. */
int32_t gpu_group_require_access(const struct gpu_group *group);

/* Makes contexts, streams and events. */
int32_t gpu_group_start(struct gpu_group *group);

/* Each member may reach the memory of all others until the group is freed. */
int32_t gpu_group_enable_access(struct gpu_group *group);

/* Memory of member i, at an address that host->device_copy takes; freed with the group. */
int32_t gpu_group_allocate(struct gpu_group *group, uint32_t i, uint64_t bytes,
                           unsigned char **ret);

/* [timed] What the members' streams do from now on begins after what is on the queue; what the
 * queue does from now on begins after what is on the streams. */
CUresult gpu_group_fork(const struct gpu_group *group, CUstream queue);
CUresult gpu_group_join(const struct gpu_group *group, CUstream queue);

void gpu_group_free(struct gpu_group *group);
