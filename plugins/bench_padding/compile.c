/* compile.c - see compile.h. Plugin side. */
#define _GNU_SOURCE /* strndup */
#include "compile.h"

#include "plugins/common/cuda/elf_function.h"
#include "plugins/common/cuda/nvrtc_program.h"
#include "plugins/common/measuring.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool build(const char *source, const char *kernel, const char *target, bool is_binary,
                  struct compiled *ret, char *reason, size_t bytes)
{
    char expression[96];
    const char *const expressions[] = {expression};
    const char *const options[] = {target, "--std=c++17", "-DONE_KERNEL"};
    const struct nvrtc_request request = {
        .name = "padding.cu",
        .source = source,
        .options = options,
        .n_options = sizeof options / sizeof options[0],
        .expressions = expressions,
        .n_expressions = 1,
        .is_binary = is_binary,
    };
    struct nvrtc_output output = {0};
    snprintf(expression, sizeof expression, "%s<0>", kernel);
    const double begin_ns = clock_ns(CLOCK_MONOTONIC);
    const bool is_built = nvrtc_build(&request, &output, reason, bytes);
    ret->ms = 1e-6 * (clock_ns(CLOCK_MONOTONIC) - begin_ns);
    const int64_t size = is_built && is_binary
                             ? elf_function_bytes(output.image, output.image_bytes, output.names[0],
                                                  &is_binary)
                             : 0;
    ret->code_bytes = size > 0 ? (uint64_t)size : 0;
    nvrtc_output_free(&output);
    return is_built;
}

bool compile_kernel(const char *source, size_t length, const char *kernel, int architecture,
                    struct compiled *ret, char *reason, size_t bytes)
{
    char target[NVRTC_TARGET_BYTES];
    bool is_binary = false;
    if (!nvrtc_target(architecture, target, &is_binary, reason, bytes)) /* loads NVRTC */
        return false;
    char *text = strndup(source, length);
    snprintf(reason, bytes, "there is no memory for the source");
    const bool is_built = text != NULL &&
                          build(text, kernel, target, is_binary, ret, reason, bytes);
    free(text);
    return is_built;
}
