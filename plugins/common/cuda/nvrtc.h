/*
 * nvrtc.h - NVRTC, the CUDA compiler as a library, opened when it is needed. Plugin side.
 */
#ifndef GBRUN_PLUGINS_COMMON_NVRTC_H
#define GBRUN_PLUGINS_COMMON_NVRTC_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Compiles CUDA C++ (source, `length` bytes; name: for messages) for one architecture, major * 10 +
 * minor, with further options of nvrtc, NULL at their end, or NULL. *ret_image is a cubin, or PTX
 * with NUL at its end where this NVRTC does not know the architecture; the caller frees it. False:
 * reason says why, with the compiler's log as far as there is room.
 */
bool nvrtc_compile(const char *name, const char *source, size_t length, int architecture,
                   const char *const *options, void **ret_image, char *reason, size_t bytes);

#endif
