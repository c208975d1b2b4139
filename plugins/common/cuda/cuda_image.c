/* cuda_image.c - see cuda_image.h. Plugin side. */
#define _GNU_SOURCE
#include "cuda_image.h"

#include "nvrtc_program.h"
#include "plugins/common/bench_steps.h"

#include <stdio.h>

enum { REASON_BYTES = 2048 };

/* The driver has no code for this device in the binary, or does not read it at all. */
static bool is_misfit(CUresult result)
{
    return result == CUDA_ERROR_NO_BINARY_FOR_GPU || result == CUDA_ERROR_INVALID_IMAGE ||
           result == CUDA_ERROR_INVALID_PTX || result == CUDA_ERROR_UNSUPPORTED_PTX_VERSION ||
           result == CUDA_ERROR_INVALID_SOURCE || result == CUDA_ERROR_JIT_COMPILER_NOT_FOUND;
}

static int32_t load_compiled(const struct driver *driver, const struct gb_host *host,
                             const struct cuda_image *image, CUmodule *ret_module)
{
    char reason[REASON_BYTES];
    const struct nvrtc_request request = {.name = image->name, .source = image->source};
    struct nvrtc_output output;
    double compile_ns;
    int architecture = 0;
    const int32_t status = driver_architecture(driver, host, &architecture);
    if (status != GB_OK)
        return status;
    CUresult result = CUDA_SUCCESS;
    const bool is_compiled = nvrtc_compile(request, (size_t)(image->source_end - image->source),
                                           architecture, &output, &compile_ns, reason,
                                           sizeof reason);
    if (is_compiled)
        result = driver->module_load(ret_module, output.image);
    nvrtc_output_free(&output);
    if (!is_compiled)
        return host_fail(host,
                         "%s was not built for this device (compute capability %d.%d), and cannot "
                         "be compiled for it: %s",
                         image->name, architecture / 10, architecture % 10, reason);
    return driver_status(driver, host, result, "loading compiled kernels");
}

int32_t cuda_image_load(const struct driver *driver, const struct gb_host *host,
                        const struct cuda_image *image, CUmodule *ret_module)
{
    const CUresult result = driver->module_load(ret_module, image->binary);
    if (is_misfit(result))
        return load_compiled(driver, host, image, ret_module);
    return driver_status(driver, host, result, "loading kernels");
}

int32_t cuda_image_function(const struct driver *driver, const struct gb_host *host,
                            CUmodule module, const char *name, CUfunction *ret_function)
{
    char doing[128];
    snprintf(doing, sizeof doing, "looking for the kernel %.80s", name);
    return driver_status(driver, host, driver->module_function(ret_function, module, name), doing);
}

int32_t cuda_kernels_open(struct cuda_kernels *kernels, const struct gb_host *host)
{
    char reason[512];
    kernels->host = host;
    if (!driver_open(&kernels->driver, reason, sizeof reason))
        return host->fail(host, reason);
    return GB_OK;
}

int32_t cuda_kernels_load(struct cuda_kernels *kernels, const struct cuda_image *image,
                          const char *name, CUfunction *ret_function)
{
    const int32_t status = cuda_image_load(&kernels->driver, kernels->host, image,
                                           &kernels->module);
    if (status != GB_OK)
        return status;
    return cuda_image_function(&kernels->driver, kernels->host, kernels->module, name,
                               ret_function);
}

void cuda_kernels_free(void *object)
{
    struct cuda_kernels *kernels = object;
    if (kernels->module != NULL)
        kernels->driver.module_unload(kernels->module);
    kernels->module = NULL;
}
