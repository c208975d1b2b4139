/*
 * with_cuda.h - for plugins that run on the CPU and, where the CUDA Toolkit was there when they
 * were built, on GPUs. Plugin side; needs no header of CUDA.
 *
 * What a device does in its own way is a struct of functions, defined once for the CPU and once for
 * CUDA, whose member `device` is the gb_device_info.backend that it is for.
 */
#ifndef GBRUN_PLUGINS_COMMON_WITH_CUDA_H
#define GBRUN_PLUGINS_COMMON_WITH_CUDA_H

#include <gbrun/host.h>
#include <stddef.h>
#include <string.h>

/* For `devices` of the descriptor. */
#ifdef PLUGIN_WITH_CUDA
#define PLUGIN_DEVICES "cpu cuda"
#else
#define PLUGIN_DEVICES "cpu"
#endif

/*
 * The address of that of the two structs which is for the host's device, as in
 *     nop->backend = PLUGIN_BACKEND(host, nop_cpu, nop_cuda);
 * NULL: this build has none for it. Where CUDA was not there, `cuda` need not be defined.
 */
#ifdef PLUGIN_WITH_CUDA
#define PLUGIN_BACKEND(host, cpu, cuda)                                                            \
    (plugin_is_on(host, (cpu).device) ? &(cpu) : plugin_is_on(host, (cuda).device) ? &(cuda) : NULL)
#else
#define PLUGIN_BACKEND(host, cpu, cuda) (plugin_is_on(host, (cpu).device) ? &(cpu) : NULL)
#endif

static inline int plugin_is_on(const struct gb_host *host, const char *device)
{
    return strcmp(host->device->backend, device) == 0;
}

#endif
