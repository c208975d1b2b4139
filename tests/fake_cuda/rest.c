/* rest.c - the functions of the driver that fake_cuda.c leaves out: they are there, and refuse. */
#include "plugins/common/cuda/cuda_driver.h"

#define REST(member, declared, symbol)                                                             \
    __attribute__((weak, visibility("default"))) CUresult rest_##member(void) __asm__(symbol);     \
    CUresult rest_##member(void)                                                                   \
    {                                                                                              \
        return CUDA_ERROR_NOT_SUPPORTED;                                                           \
    }
DRIVER_FUNCTIONS(REST)
