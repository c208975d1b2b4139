/*
 * with_cuda.h - for plugins that run on the CPU and, where the CUDA Toolkit was there when they
 * were built, on GPUs. Plugin side; needs no header of CUDA.
 *
 * What a device does in its own way is a struct of functions, defined once for the CPU and once for
 * CUDA; plugin_backend chooses.
 */
#ifndef GBRUN_PLUGINS_COMMON_WITH_CUDA_H
#define GBRUN_PLUGINS_COMMON_WITH_CUDA_H

#include <gbrun/host.h>
#include <stddef.h>
#include <string.h>

/* For `devices` of the descriptor; and the address of the struct for CUDA, which need not be
 * defined where CUDA was not there. */
#ifdef PLUGIN_WITH_CUDA
#define PLUGIN_DEVICES "cpu cuda"
#define PLUGIN_CUDA(backend) (&(backend))
#else
#define PLUGIN_DEVICES "cpu"
#define PLUGIN_CUDA(backend) NULL
#endif

/*
 * That of the two structs which is for the host's device, as in
 *     nop->backend = plugin_backend(host, &nop_cpu, PLUGIN_CUDA(nop_cuda));
 * NULL: this build has none for it, and the case is skipped: create returns GB_SKIPPED.
 */
static inline const void *plugin_backend(const struct gb_host *host, const void *cpu,
                                         const void *cuda)
{
    const char *device = host->device->backend;
    const void *backend = strcmp(device, "cpu") == 0    ? cpu
                          : strcmp(device, "cuda") == 0 ? cuda
                                                        : NULL;
    if (backend == NULL)
        host->skip(host, "this build of the benchmark is not for this device");
    return backend;
}

#endif
