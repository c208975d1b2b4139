/* cublas.c - see cublas.h. Plugin side. */
#include "cublas.h"

#include "plugins/common/cuda_driver.h"

#include <dlfcn.h>
#include <stdio.h>

enum { AS_IT_IS = 0, TRANSPOSED = 1 }; /* cublasOperation_t */
enum { PEDANTIC_MATH = 2 };            /* cublasMath_t */

/* As <cublas_v2.h> declares them, with int for its enums. */
int cublasCreate_v2(void **handle);
int cublasDestroy_v2(void *handle);
int cublasSetStream_v2(void *handle, void *stream);
int cublasSetMathMode(void *handle, int mode);
int cublasSgemm_v2(void *handle, int a_operation, int b_operation, int m, int n, int k,
                   const float *alpha, const float *a, int a_length, const float *b, int b_length,
                   const float *beta, float *c, int c_length);
int cublasSgemmStridedBatched(void *handle, int a_operation, int b_operation, int m, int n, int k,
                              const float *alpha, const float *a, int a_length, long long a_stride,
                              const float *b, int b_length, long long b_stride, const float *beta,
                              float *c, int c_length, long long c_stride, int n_products);

/* X(member, symbol) */
#define CUBLAS_FUNCTIONS(X)                                                                        \
    X(create, cublasCreate_v2)                                                                     \
    X(destroy, cublasDestroy_v2)                                                                   \
    X(set_stream, cublasSetStream_v2)                                                              \
    X(set_math_mode, cublasSetMathMode)                                                            \
    X(multiply, cublasSgemm_v2)                                                                    \
    X(multiply_batch, cublasSgemmStridedBatched)

struct cublas_functions {
#define CUBLAS_MEMBER(member, symbol) __typeof__(symbol) *member;
    CUBLAS_FUNCTIONS(CUBLAS_MEMBER)
#undef CUBLAS_MEMBER
};

/* The name of the first function that the library lacks, or NULL. */
static const char *find_functions(void *library, struct cublas_functions *functions)
{
#define CUBLAS_FIND(member, symbol)                                                                \
    *(void **)&functions->member = dlsym(library, #symbol);                                        \
    if (functions->member == NULL)                                                                 \
        return #symbol;
    CUBLAS_FUNCTIONS(CUBLAS_FIND)
#undef CUBLAS_FIND
    return NULL;
}

int32_t cublas_open(struct cublas *cublas, const struct gb_host *host)
{
    static const char *const names[] = {"libcublas.so.13", "libcublas.so.12", "libcublas.so", NULL};
    char reason[160];
    struct cublas_functions *functions = host->allocate(host, sizeof *functions);
    if (functions == NULL)
        return GB_NO_MEMORY;
    void *library = cuda_library_open(names);
    if (library == NULL)
        return host->skip(host, "schedule = cublas: libcublas was not found, neither where the "
                                "loader looks nor in the CUDA Toolkit");
    const char *missing = find_functions(library, functions);
    if (missing != NULL) {
        snprintf(reason, sizeof reason, "schedule = cublas: libcublas has no %s", missing);
        return host->skip(host, reason);
    }
    cublas->functions = functions;
    return GB_OK;
}

static int32_t status_of(const struct gb_host *host, int result, const char *doing)
{
    char text[128];
    if (result == 0)
        return GB_OK;
    snprintf(text, sizeof text, "cuBLAS returned status %d while %s", result, doing);
    return host->fail(host, text);
}

int32_t cublas_start(struct cublas *cublas, const struct gb_host *host, void *stream)
{
    const struct cublas_functions *functions = cublas->functions;
    int32_t status = status_of(host, functions->create(&cublas->handle), "making a handle");
    if (status == GB_OK)
        status = status_of(host, functions->set_stream(cublas->handle, stream),
                           "setting the stream");
    if (status == GB_OK)
        status = status_of(host, functions->set_math_mode(cublas->handle, PEDANTIC_MATH),
                           "asking for pedantic math");
    return status;
}

/* Matrices by rows are the transposed ones by columns, as cuBLAS has them: Y^T = W X^T. */
int32_t cublas_products(const struct cublas *cublas, const struct gb_host *host,
                        const struct product_shape *shape, const float *x, const float *w, float *y)
{
    static const float one = 1.0f;
    static const float zero = 0.0f;
    const struct cublas_functions *functions = cublas->functions;
    const int m = (int)shape->m;
    const int n = (int)shape->n;
    const int k = (int)shape->k;
    int result;
    if (shape->batch == 1)
        result = functions->multiply(cublas->handle, TRANSPOSED, AS_IT_IS, n, m, k, &one, w, k, x,
                                     k, &zero, y, n);
    else
        result = functions->multiply_batch(cublas->handle, TRANSPOSED, AS_IT_IS, n, m, k, &one, w,
                                           k, shape->n * shape->k, x, k, shape->m * shape->k, &zero,
                                           y, n, shape->m * shape->n, (int)shape->batch);
    return status_of(host, result, "launching products");
}

void cublas_free(struct cublas *cublas)
{
    if (cublas->handle != NULL)
        cublas->functions->destroy(cublas->handle);
    cublas->handle = NULL;
}
