/*
 * bench_memory.h - memory that benchmarks take and fill in several steps, with one status for all
 * of them: where *status is an error already, nothing is done, and the first error stays. Plugin
 * side.
 */
#pragma once

#include "bench_steps.h"

/* Zeroed memory of host->allocate, or NULL. */
static inline void *host_memory(const struct gb_host *host, uint64_t bytes, int32_t *status)
{
    void *memory = *status == GB_OK ? host->allocate(host, bytes) : NULL;
    if (*status == GB_OK && memory == NULL)
        *status = GB_NO_MEMORY;
    return memory;
}

/* host->device_copy. */
static inline void copy_memory(const struct gb_host *host, void *to, const void *from,
                               uint64_t bytes, int32_t *status)
{
    if (*status == GB_OK)
        *status = host->device_copy(host, to, from, bytes);
}

/* Memory of the device with a copy of the host's, or NULL. */
static inline void *device_copy_of(const struct gb_host *host, const void *from, uint64_t bytes,
                                   int32_t *status)
{
    void *memory = device_memory(host, bytes, GB_MEMORY_DEVICE, status);
    copy_memory(host, memory, from, bytes, status);
    return *status == GB_OK ? memory : NULL;
}

/* A copy of the device's memory in the host's, or NULL. */
static inline void *host_copy_of(const struct gb_host *host, const void *from, uint64_t bytes,
                                 int32_t *status)
{
    void *memory = host_memory(host, bytes, status);
    copy_memory(host, memory, from, bytes, status);
    return *status == GB_OK ? memory : NULL;
}

/* Memory of the device whose bytes are all `byte`, or NULL. 0xff makes numbers NaN, or -1: an
 * output that was not written is found. */
static inline void *device_filled(const struct gb_host *host, uint64_t bytes, uint32_t byte,
                                  int32_t *status)
{
    void *memory = device_memory(host, bytes, GB_MEMORY_DEVICE, status);
    if (*status == GB_OK)
        *status = host->device_fill(host, memory, byte, bytes);
    return *status == GB_OK ? memory : NULL;
}

/* [create] host->exclusive, which older versions of gbrun do not have. */
static inline void take_machine(const struct gb_host *host)
{
    if (GB_HAS(host, exclusive))
        host->exclusive(host);
}
