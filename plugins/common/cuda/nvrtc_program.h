/*
 * nvrtc_program.h - a program of NVRTC, the CUDA compiler as a library, with kernels named by C++
 * expressions. The library is opened when it is needed. Plugin side.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum { NVRTC_TARGET_BYTES = 40, NVRTC_IDENTITY_BYTES = 160 };

struct nvrtc_request {
    const char *name; /* of the source, for the compiler's messages */
    const char *source;
    const char *const *options;
    size_t n_options;
    const char *const *expressions; /* of the kernels that are wanted, such as "scale<float, 4>" */
    size_t n_expressions;
    bool is_binary; /* the options ask for a binary (sm_90), not for PTX (compute_90) */
};

/* Zero-initialize; free with nvrtc_output_free. */
struct nvrtc_output {
    char *image; /* a cubin, or PTX with NUL at its end; NULL: it was not compiled */
    size_t image_bytes;
    char *log;    /* of the compiler, also where it failed; "" if it said nothing */
    char **names; /* of the kernels in the image, in the order of the expressions */
    size_t n_names;
};

/*
 * Which NVRTC this is: its version and, as that has no third number, its file's name and size.
 * False, with a reason, where there is no NVRTC, as with the functions below.
 */
bool nvrtc_identity(char text[NVRTC_IDENTITY_BYTES], char *reason, size_t bytes);

/*
 * The option for an architecture, major * 10 + minor: its binary, or PTX of the newest architecture
 * before it that this NVRTC knows, which the driver translates.
 */
bool nvrtc_target(int architecture, char option[NVRTC_TARGET_BYTES], bool *ret_is_binary,
                  char *reason, size_t bytes);

/*
 * Is there such an option, with such a value? Nothing is compiled. False: reason has NVRTC's words.
 * True also where there is no NVRTC.
 */
bool nvrtc_knows_option(const char *option, char *reason, size_t bytes);

/* False: reason says in NVRTC's words why, and the log, if it was compiled at all, has the rest. */
bool nvrtc_build(const struct nvrtc_request *request, struct nvrtc_output *ret, char *reason,
                 size_t bytes);

void nvrtc_output_free(struct nvrtc_output *output);

/*
 * Compiles CUDA C++ (source, `length` bytes; name: for messages) for one architecture, major * 10 +
 * minor, with further options of nvrtc, NULL at their end, or NULL. *ret_image is a cubin, or PTX
 * with NUL at its end where this NVRTC does not know the architecture; the caller frees it. False:
 * reason says why, with as much of the compiler's log as fits.
 */
bool nvrtc_compile(const char *name, const char *source, size_t length, int architecture,
                   const char *const *options, void **ret_image, char *reason, size_t bytes);
