/* compile.c - see compile.h. Plugin side. */
#include "compile.h"

#include "plugins/common/cuda/elf_function.h"
#include "plugins/common/cuda/nvrtc_program.h"

#include <stdio.h>

bool compile_kernel(const char *source, size_t length, const char *kernel, int architecture,
                    struct compiled *ret, char *reason, size_t bytes)
{
    char expression[96];
    const char *const expressions[] = {expression};
    const char *const options[] = {"-DONE_KERNEL"};
    const struct nvrtc_request request = {
        .name = "padding.cu",
        .source = source,
        .options = options,
        .n_options = 1,
        .expressions = expressions,
        .n_expressions = 1,
    };
    struct nvrtc_output output;
    double ns = 0.0;
    bool is_elf = false;
    snprintf(expression, sizeof expression, "%s<0>", kernel);
    const bool is_built = nvrtc_compile(request, length, architecture, &output, &ns, reason, bytes);
    const int64_t size = is_built && output.is_binary
                             ? elf_function_bytes(output.image, output.image_bytes, output.names[0],
                                                  &is_elf)
                             : 0;
    *ret = (struct compiled){.ms = 1e-6 * ns, .code_bytes = size > 0 ? (uint64_t)size : 0};
    nvrtc_output_free(&output);
    return is_built;
}
