/* fake_driver.h - what drivers for tests are written with. */
#pragma once

#include <cuda.h>

/* Of the arguments most are not looked at. */
#pragma GCC diagnostic ignored "-Wunused-parameter"

/* A function of the driver that does this, and returns the result; and one that succeeds. */
#define RETURNS(result, name, parameters, ...)                                                     \
    CUresult name parameters                                                                       \
    {                                                                                              \
        __VA_ARGS__;                                                                               \
        return result;                                                                             \
    }
#define SUCCEEDS(...) RETURNS(CUDA_SUCCESS, __VA_ARGS__)
