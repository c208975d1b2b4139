/* rest.c - the functions of the driver that fake_cuda.c leaves out: they are there, and refuse. */
#include "plugins/common/cuda/cuda_driver.h"

static CUresult refuse(void)
{
    return CUDA_ERROR_NOT_SUPPORTED;
}

/* It is called with the arguments of each of them, which it does not look at. */
#ifndef __clang__
#pragma GCC diagnostic ignored "-Wattribute-alias"
#endif
#define REST(member, declared, symbol)                                                             \
    extern __typeof__(declared) rest_##member __asm__(symbol)                                      \
        __attribute__((weak, visibility("default"), alias("refuse")));
DRIVER_FUNCTIONS(REST)
