/*
 * compile.h - what it takes to compile one kernel of padding.cu, and how large its code is. Plugin
 * side; needs NVRTC, but no GPU.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct compiled {
    double ms;           /* of NVRTC, once it is loaded */
    uint64_t code_bytes; /* of the kernel alone; 0: PTX, as NVRTC does not know the architecture */
};

/* source: of padding.cu; architecture: major * 10 + minor. False: reason says why. */
bool compile_kernel(const char *source, size_t length, const char *kernel, int architecture,
                    struct compiled *ret, char *reason, size_t bytes);
