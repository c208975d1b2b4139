/*
 * with_cuda.h - for plugins that run on the CPU and, where the CUDA Toolkit was there when they
 * were built, on GPUs. Plugin side; needs no header of CUDA.
 *
 * PLUGIN_DEVICES is for `devices` of the descriptor; PLUGIN_BACKENDS makes the initializer of an
 * array of what each device needs, without mention of what was not built.
 */
#ifndef GBRUN_PLUGINS_COMMON_WITH_CUDA_H
#define GBRUN_PLUGINS_COMMON_WITH_CUDA_H

#ifdef PLUGIN_WITH_CUDA
#define PLUGIN_DEVICES "cpu cuda"
#define PLUGIN_BACKENDS(cpu, cuda)                                                                 \
    {                                                                                              \
        &(cpu), &(cuda)                                                                            \
    }
#else
#define PLUGIN_DEVICES "cpu"
#define PLUGIN_BACKENDS(cpu, cuda)                                                                 \
    {                                                                                              \
        &(cpu)                                                                                     \
    }
#endif

#endif
