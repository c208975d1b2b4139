/* launch.h - kernels loaded, launched, and what they need of a device. Plugin side. */
#pragma once

#include "plugins/common/call/call_world.h"
#include "plugins/common/cuda/cuda_driver.h"
#include "settings.h"

enum { LOADING_LOG_BYTES = 8192 };

/* A kernel with its arguments; not to be moved, as its parts point to each other. What fails here
 * and below is reported to the host. */
struct launch {
    const struct driver *driver;
    const struct gb_host *host;
    CUfunction function;
    struct shape shape;
    struct dims cluster; /* x is 0: none */
    struct raw values[PARAMETERS_MAX];
    void *arguments[PARAMETERS_MAX];
};

/* Loads an image; the log has what the driver's compiler says of PTX. */
int32_t launch_load(const struct launch *launch, const char *path, const char *image,
                    char log[LOADING_LOG_BYTES], CUmodule *ret);

/* Gives the kernel its arguments: the values of a world. */
int32_t launch_bind(struct launch *launch, struct world *world, const struct routine *routine);

/*
 * Looks whether the kernel has the parameters of the signature and fits the device, and asks for as
 * much shared memory as it needs. GB_SKIPPED: it does not fit; the reason is given to the host.
 */
int32_t launch_prepare(const struct launch *launch, const struct signature *signature);

/* Registers, memory and occupancy, as metrics. */
int32_t launch_report(const struct launch *launch);

CUresult launch_once(const struct launch *launch, CUstream stream);
