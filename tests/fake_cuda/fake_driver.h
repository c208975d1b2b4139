/* fake_driver.h - what drivers for tests are written with. */
#pragma once

#include <cuda.h>

/* Of the arguments most are not looked at. */
#pragma GCC diagnostic ignored "-Wunused-parameter"

/* A function of the driver that does this, and succeeds. */
#define SUCCEEDS(name, parameters, ...)                                                            \
    CUresult name parameters                                                                       \
    {                                                                                              \
        __VA_ARGS__;                                                                               \
        return CUDA_SUCCESS;                                                                       \
    }
