/* kernel.h - a case of the benchmark `kernel`, and kernels loaded, launched, and what they need of
 * a device. Plugin side. */
#pragma once

#include "plugins/common/call/call_world.h"
#include "plugins/common/cuda/cuda_driver.h"
#include "settings.h"

/* --- a kernel (launch.c) --- */

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

/* major * 10 + minor of the device of the current context. */
int32_t launch_architecture(const struct launch *launch, int *ret);

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

/* --- a case --- */

struct kernel_bench {
    const struct gb_host *host;
    struct settings settings;
    struct driver driver;
    CUmodule module, reference_module; /* the second NULL: there is none, or it is the first */
    struct world world;
    struct world reference_world; /* made in the first comparison */
    bool has_reference_world;
    struct launch launch, reference;
};

/* Reads the files of `input` into the buffers of a world, all of which are made. */
int32_t kernel_read_inputs(const struct kernel_bench *bench, const struct world *world);

/* Puts the first contents of buffers that are restored back, on the stream. */
CUresult kernel_restore(const struct kernel_bench *bench, CUstream stream);

/* verify of the benchmark. */
int32_t kernel_verify(void *object, const struct gb_queue *queue);
