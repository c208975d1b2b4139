/* launch.h - kernels loaded, launched, and what they need of a device. Plugin side. */
#ifndef GBRUN_PLUGINS_BENCH_KERNEL_LAUNCH_H
#define GBRUN_PLUGINS_BENCH_KERNEL_LAUNCH_H

#include "plugins/common/call/call_world.h"
#include "plugins/common/cuda/cuda_driver.h"
#include "settings.h"

/* What cuda_driver.h leaves out. */
struct launch_driver {
    struct driver driver;
    __typeof__(cuModuleLoadDataEx) *module_load_with;
    __typeof__(cuFuncSetAttribute) *function_set;
    __typeof__(cuLaunchKernelEx) *launch_with;
    __typeof__(cuOccupancyMaxActiveBlocksPerMultiprocessor) *occupancy;
    /* From CUDA 12.4 on; NULL: how many parameters a kernel has is not known. */
    CUresult (*parameter)(CUfunction function, size_t i, size_t *ret_offset, size_t *ret_bytes);
};

/* What fails here and below is reported to the host. */
int32_t launch_driver_open(struct launch_driver *driver, const struct gb_host *host);

/* major * 10 + minor of the device of the current context. */
int32_t launch_architecture(const struct launch_driver *driver, const struct gb_host *host,
                            int *ret);

enum { LOADING_LOG_BYTES = 8192 };

/* Loads an image; the log has what the driver's compiler says of PTX. */
int32_t launch_load(const struct launch_driver *driver, const struct gb_host *host,
                    const char *path, const char *image, char log[LOADING_LOG_BYTES],
                    CUmodule *ret);

/* A kernel with its arguments; not to be moved, as its parts point to each other. */
struct launch {
    CUfunction function;
    struct shape shape;
    struct dims cluster; /* x is 0: none */
    struct raw values[PARAMETERS_MAX];
    void *arguments[PARAMETERS_MAX];
};

/* Gives the kernel its arguments: the values of a world. */
int32_t launch_bind(struct launch *launch, struct world *world, const struct routine *routine);

/*
 * Looks whether the kernel has the parameters of the signature and fits the device, and asks for as
 * much shared memory as it needs. GB_SKIPPED: it does not fit; the reason is given to the host.
 */
int32_t launch_prepare(const struct launch_driver *driver, const struct gb_host *host,
                       const struct launch *launch, const struct signature *signature);

/* Registers, memory and occupancy, as metrics. */
int32_t launch_report(const struct launch_driver *driver, const struct gb_host *host,
                      const struct launch *launch);

CUresult launch_once(const struct launch_driver *driver, const struct launch *launch,
                     CUstream stream);

#endif
