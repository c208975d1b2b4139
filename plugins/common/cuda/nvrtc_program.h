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
    bool is_binary;
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
 * The same of the first `length` bytes of the source, for one architecture, major * 10 + minor, and
 * in C++17: the request's options are further ones, and its is_binary is found here. The reason has
 * as much of the log as fits. *ret_ns: what NVRTC took, once it was loaded.
 */
bool nvrtc_compile(struct nvrtc_request request, size_t length, int architecture,
                   struct nvrtc_output *ret, double *ret_ns, char *reason, size_t bytes);
