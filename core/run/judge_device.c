/* judge_device.c - see judge_device.h. */
#include "core/run/judge_device.h"

#include "core/base/host_clock.h"

#include <math.h>

enum { WAITS = 20, LOOKS = 3 };
static const uint64_t block_most = (uint64_t)8 << 30;
/* Waits are as long as this if nothing runs, and a time slice of the device, milliseconds, if
 * something does. */
static const double busy_ratio = 10, busy_ns = 100e3;

/* bytes 0: none. */
static struct gb_shared_block kept_block = {.size = sizeof kept_block, .file = -1};

int32_t judge_device_begin(struct judge_device *device, const struct open_device *open)
{
    device->open = open;
    if (!open->queue->native)
        return GB_OK;
    device->ops = open->judging;
    device->block = kept_block;
    const int32_t status = device->ops->share(open->device, block_most, &device->block);
    device->memory = (struct shared_memory){
        .file = -1, .base = device->block.base, .bytes = device->block.bytes};
    return status;
}

void judge_device_end(struct judge_device *device, bool is_kept)
{
    if (!device->ops)
        return;
    if (device->kept)
        device->open->ops->release(device->open->device, device->kept);
    kept_block = (struct gb_shared_block){.size = sizeof kept_block, .file = -1};
    if (is_kept && device->block.file >= 0)
        kept_block = device->block;
    else
        device->ops->unshare(device->open->device, &device->block);
    *device = (struct judge_device){0};
}

int32_t judge_device_wait(const struct judge_device *device)
{
    return device->ops ? device->ops->wait(device->open->device) : GB_OK;
}

static int32_t gather(const struct judge_device *device, const uint32_t *which, uint32_t n)
{
    const int32_t status = device->ops->gather(device->open->device, device->open->queue,
                                               device->kept, device->block.other,
                                               device->part_bytes, which, n);
    return status == GB_OK ? judge_device_wait(device) : status;
}

/* The least of some. */
static int32_t time_gathers(const struct judge_device *device, const uint32_t *which, uint32_t n,
                            int n_tries, double *ret_ns)
{
    int32_t status = GB_OK;
    *ret_ns = INFINITY;
    for (int i = 0; i < n_tries && status == GB_OK; i++) {
        const double begin_ns = host_clock_ns();
        status = gather(device, which, n);
        *ret_ns = fmin(*ret_ns, host_clock_ns() - begin_ns);
    }
    return status;
}

int32_t judge_device_calibrate(struct judge_device *device)
{
    return device->ops ? time_gathers(device, NULL, 0, WAITS, &device->idle_ns) : GB_OK;
}

int32_t judge_device_publish(const struct judge_device *device)
{
    const uint32_t whole = 0;
    if (!device->ops)
        return GB_OK;
    const int32_t status = device->ops->gather(device->open->device, device->open->queue,
                                               device->block.other, device->block.base,
                                               device->memory.used, &whole, 1);
    return status == GB_OK ? judge_device_wait(device) : status;
}

int32_t judge_device_time_publish(struct judge_device *device)
{
    int32_t status = GB_OK;
    double least_ns = INFINITY;
    for (int i = 0; i < WAITS && status == GB_OK; i++) {
        const double begin_ns = host_clock_ns();
        status = judge_device_publish(device);
        least_ns = fmin(least_ns, host_clock_ns() - begin_ns);
    }
    device->publish_ns = device->ops ? least_ns : 0;
    return status;
}

int32_t judge_device_keep_parts(struct judge_device *device, uint64_t part_bytes, uint32_t n_parts,
                                uint32_t n)
{
    uint32_t which[GB_GATHERED_MAX];
    double all_ns = 0;
    if (!device->ops)
        return GB_OK;
    device->part_bytes = part_bytes;
    device->n_kept = n < GB_GATHERED_MAX ? n : GB_GATHERED_MAX;
    if (device->n_kept > n_parts)
        device->n_kept = n_parts;
    for (uint32_t i = 0; i < device->n_kept; i++)
        which[i] = (uint32_t)((uint64_t)i * n_parts / device->n_kept);
    if (device->kept)
        device->open->ops->release(device->open->device, device->kept);
    device->kept = NULL;
    int32_t status = device->open->ops->allocate(device->open->device, part_bytes * device->n_kept,
                                                 GB_MEMORY_DEVICE, &device->kept);
    if (status == GB_OK)
        status = time_gathers(device, which, device->n_kept, WAITS, &all_ns);
    device->keep_ns = fmax(all_ns - device->idle_ns, 0);
    return status;
}

int32_t judge_device_keep(struct judge_device *device, const uint32_t *which)
{
    return device->ops ? gather(device, which, device->n_kept) : GB_OK;
}

static int32_t fetch(const struct judge_device *device, const void *from, uint32_t which)
{
    return device->open->ops->copy(device->open->device,
                                   device->memory.base + which * device->part_bytes, from,
                                   device->part_bytes);
}

int32_t judge_device_fetch(const struct judge_device *device, uint32_t which)
{
    const unsigned char *other = device->block.other;
    return device->ops ? fetch(device, other + which * device->part_bytes, which) : GB_OK;
}

int32_t judge_device_fetch_kept(const struct judge_device *device, uint32_t i, uint32_t which)
{
    return fetch(device, (const unsigned char *)device->kept + i * device->part_bytes, which);
}

int32_t judge_device_is_busy(const struct judge_device *device, bool *ret)
{
    double ns = 0;
    const int32_t status = device->ops ? time_gathers(device, NULL, 0, LOOKS, &ns) : GB_OK;
    *ret = ns > busy_ratio * device->idle_ns + busy_ns;
    return status;
}
