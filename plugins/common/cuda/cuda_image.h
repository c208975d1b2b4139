/*
 * cuda_image.h - kernels that a plugin brings along: a binary for the devices known when it was
 * built, and the source for the others. Plugin side.
 */
#pragma once

#include "cuda_driver.h"

/* Where path.cu is found: the folder of the sources, with a slash, if it is not that of the build.
 */
#ifndef CUDA_IMAGE_SOURCES
#define CUDA_IMAGE_SOURCES ""
#endif

struct cuda_image {
    const char *name;       /* of the source, for the compiler's messages */
    const void *binary;     /* a fatbin */
    const char *source;     /* CUDA C++ that NVRTC takes, with extern "C" kernels; */
    const char *source_end; /*   not ended by NUL */
};

/*
 * Embeds path.fatbin, from the build folder, and path.cu, from the source folder; defines
 * `static const struct cuda_image name`. The file that uses it is compiled with
 * PLUGIN_KERNEL_CFLAGS, and its object depends on path.fatbin.
 *
 * CUDA_IMAGE_AFTER is for kernels that share declarations: NVRTC is given the file `shared` before
 * path.cu, which includes it for other compilers, #ifndef __CUDACC_RTC__.
 */
#define CUDA_IMAGE(image, path) CUDA_IMAGE_OF(image, path, "")
#define CUDA_IMAGE_AFTER(image, shared, path)                                                      \
    CUDA_IMAGE_OF(image, path, ".incbin \"" CUDA_IMAGE_SOURCES shared "\"\n")
/* Global symbols, as with link-time optimization those who use them may be assembled elsewhere. */
#define CUDA_IMAGE_OF(image, path, before)                                                         \
    __asm__(".pushsection .rodata\n"                                                               \
            ".globl " #image "_binary, " #image "_source, " #image "_source_end\n"                 \
            ".hidden " #image "_binary, " #image "_source, " #image "_source_end\n"                \
            ".balign 64\n" #image "_binary:\n"                                                     \
            ".incbin \"" path ".fatbin\"\n" #image "_source:\n" before                             \
            ".incbin \"" CUDA_IMAGE_SOURCES path ".cu\"\n" #image "_source_end:\n"                 \
            ".byte 0\n"                                                                            \
            ".popsection\n");                                                                      \
    extern const char image##_binary[] __attribute__((visibility("hidden")));                      \
    extern const char image##_source[] __attribute__((visibility("hidden")));                      \
    extern const char image##_source_end[] __attribute__((visibility("hidden")));                  \
    static const struct cuda_image image = {path ".cu", image##_binary, image##_source,            \
                                            image##_source_end}

/*
 * Loads the kernels into the current context: the binary, or, where the driver finds nothing in it
 * for this device, what NVRTC makes of the source for it. A failure is reported to the host, with
 * the compiler's log. The caller unloads the module.
 */
int32_t cuda_image_load(const struct driver *driver, const struct gb_host *host,
                        const struct cuda_image *image, CUmodule *ret_module);

/* A kernel of the module by its name; a failure is reported to the host. */
int32_t cuda_image_function(const struct driver *driver, const struct gb_host *host,
                            CUmodule module, const char *name, CUfunction *ret_function);

/* What a benchmark with kernels of its own holds. Zero-initialize; free with cuda_kernels_free. */
struct cuda_kernels {
    struct driver driver;
    const struct gb_host *host;
    CUmodule module;
};

/* Opens the driver; what fails here and below is reported to the host. */
int32_t cuda_kernels_open(struct cuda_kernels *kernels, const struct gb_host *host);

/* Loads the image, of which the kernel `name` is wanted. */
int32_t cuda_kernels_load(struct cuda_kernels *kernels, const struct cuda_image *image,
                          const char *name, CUfunction *ret_function);

/* As `destroy` of a backend whose own begins with a struct cuda_kernels and has nothing else to
 * free. */
void cuda_kernels_free(void *kernels);
