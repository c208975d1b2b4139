/* cublas.c - see cublas.h. Plugin side. */
#include "cublas.h"

#include "cuda_driver.h"
#include "plugins/common/bench_steps.h"

int32_t cublas_find(const struct gb_host *host, const char *asked_by, const char *library,
                    const struct symbol *symbols, size_t n)
{
    char files[3][32];
    const char *const names[] = {files[0], files[1], files[2], NULL};
    for (int i = 0; i < 3; i++)
        snprintf(files[i], sizeof files[i], "%s.so%s", library,
                 ((const char *[]){".13", ".12", ""})[i]);
    void *opened = cuda_library_open(names);
    const char *missing = opened != NULL ? find_symbols(opened, symbols, n) : NULL;
    if (opened == NULL)
        return host_skip(host,
                         "%s%s was not found, neither in the loader's path nor in the CUDA Toolkit",
                         asked_by, library);
    return missing == NULL ? GB_OK : host_skip(host, "%s%s has no %s", asked_by, library, missing);
}

int32_t cublas_open(struct cublas *cublas, const struct gb_host *host, const char *asked_by)
{
    struct cublas_functions *functions = host->allocate(host, sizeof *functions);
    if (functions == NULL)
        return GB_NO_MEMORY;
    const struct symbol symbols[] = {CUBLAS_FUNCTIONS(SYMBOL_LINE)};
    cublas->functions = functions;
    return cublas_find(host, asked_by, "libcublas", symbols, sizeof symbols / sizeof *symbols);
}

int32_t cublas_status(const struct gb_host *host, int result, const char *doing)
{
    if (result == 0)
        return GB_OK;
    return host_fail(host, "cuBLAS returned status %d while %s", result, doing);
}

int32_t cublas_start(struct cublas *cublas, const struct gb_host *host, void *stream, int math_mode)
{
    const struct cublas_functions *functions = cublas->functions;
    int32_t status = cublas_status(host, functions->create(&cublas->handle), "creating a handle");
    if (status == GB_OK)
        status = cublas_status(host, functions->set_stream(cublas->handle, stream),
                               "setting the stream");
    if (status == GB_OK)
        status = cublas_status(host, functions->set_math_mode(cublas->handle, math_mode),
                               "setting the mode");
    return status;
}

void cublas_free(struct cublas *cublas)
{
    if (cublas->handle != NULL)
        cublas->functions->destroy(cublas->handle);
    cublas->handle = NULL;
}
