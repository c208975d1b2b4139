/* compile.c - see compile.h. Plugin side. */
#define _GNU_SOURCE /* strndup */
#include "compile.h"

#include "plugins/common/bench_memory.h"
#include "plugins/common/cuda/nvrtc_program.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool read_section(const char *image, size_t bytes, const Elf64_Ehdr *head, size_t i,
                         Elf64_Shdr *ret)
{
    if (head->e_shoff > bytes || (bytes - head->e_shoff) / sizeof *ret <= i)
        return false;
    memcpy(ret, image + head->e_shoff + i * sizeof *ret, sizeof *ret);
    return true;
}

/* A cubin is an ELF file with a section .text.KERNEL for each kernel. 0: it has none of the name.
 */
static uint64_t code_bytes(const char *image, size_t bytes, const char *kernel)
{
    static const char text[] = ".text.";
    const size_t before = sizeof text - 1;
    const size_t length = before + strlen(kernel) + 1;
    Elf64_Ehdr head;
    Elf64_Shdr names;
    Elf64_Shdr section;
    if (bytes < sizeof head)
        return 0;
    memcpy(&head, image, sizeof head);
    if (memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 ||
        !read_section(image, bytes, &head, head.e_shstrndx, &names) || names.sh_offset > bytes)
        return 0;
    for (size_t i = 0; i < head.e_shnum && read_section(image, bytes, &head, i, &section); i++) {
        const char *name = image + names.sh_offset + section.sh_name;
        if (section.sh_name <= bytes - names.sh_offset &&
            length <= bytes - names.sh_offset - section.sh_name &&
            memcmp(name, text, before) == 0 && memcmp(name + before, kernel, length - before) == 0)
            return section.sh_size;
    }
    return 0;
}

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
    const double before = seconds_now();
    const bool is_built = nvrtc_build(&request, &output, reason, bytes);
    ret->ms = 1e3 * (seconds_now() - before);
    ret->code_bytes = is_built && is_binary
                          ? code_bytes(output.image, output.image_bytes, output.names[0])
                          : 0;
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
