/*
 * profile.h - a range for a profiler that a case is run under. Extension of a device's descriptor.
 */
#ifndef GBRUN_PROFILE_H
#define GBRUN_PROFILE_H

#include <gbrun/device.h>

#define GB_PROFILE "gbrun.profile/1"

/* What extension(GB_PROFILE) of a device's descriptor gives. Both are called once for a case of
 * `gbrun run --profile`: after its warm-up, and after its samples, if begin has returned GB_OK. */
struct gb_profile {
    uint32_t size;
    uint32_t reserved;

    /* Lets the profiler begin and opens a range of this name. GB_SKIPPED with host->skip's words
     * where there is none to be had; the case is run all the same. */
    int32_t (*begin)(void *device, const char *name);
    /* Waits for the device, closes the range and lets the profiler stop. */
    int32_t (*end)(void *device);
};

#endif
