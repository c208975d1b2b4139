/* quiet_device.h - for devices that are not there: memory is the host's, and a queue has nothing to
 * wait for. */
#pragma once

#include <gbrun/gbrun.h>
#include <stdlib.h>
#include <string.h>

static inline int32_t quiet_allocate(void *device, uint64_t bytes, uint32_t kind, void **ret_memory)
{
    (void)device, (void)kind;
    *ret_memory = calloc(1, bytes ? bytes : 1);
    return *ret_memory ? GB_OK : GB_NO_MEMORY;
}

static inline void quiet_release(void *device, void *memory)
{
    (void)device;
    free(memory);
}

static inline int32_t quiet_copy(void *device, void *to, const void *from, uint64_t bytes)
{
    (void)device;
    memmove(to, from, bytes);
    return GB_OK;
}

static inline int32_t quiet_fill(void *device, void *memory, uint32_t byte, uint64_t bytes)
{
    (void)device;
    memset(memory, (int)byte, bytes);
    return GB_OK;
}

static inline int32_t quiet_queue_create(void *device, struct gb_queue **ret_queue)
{
    static struct gb_queue queue = {.size = sizeof queue};
    (void)device;
    *ret_queue = &queue;
    return GB_OK;
}

static inline void quiet_queue_destroy(void *device, struct gb_queue *queue)
{
    (void)device, (void)queue;
}

static inline int32_t quiet_synchronize(void *device, struct gb_queue *queue)
{
    (void)device, (void)queue;
    return GB_OK;
}

static inline int32_t quiet_flush(void *device, const struct gb_queue *queue)
{
    (void)device, (void)queue;
    return GB_OK;
}
