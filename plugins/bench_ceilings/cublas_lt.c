/* cublas_lt.c - see cublas_lt.h. Plugin side. */
#include "cublas_lt.h"

#include "plugins/common/cuda/cublas.h"
#include "plugins/common/cuda/cuda_driver.h"

#include <dlfcn.h>

enum { INVALID_VALUE = 7, ARCHITECTURE_MISMATCH = 8, NOT_SUPPORTED = 15 }; /* cublasStatus_t */
enum { REAL_32F = 0, REAL_16BF = 14, REAL_8F_E4M3 = 28 };                  /* cudaDataType */
enum { COMPUTE_32F = 68 };                                                 /* cublasComputeType_t */
enum { PRODUCT_A_OPERATION = 3, PRODUCT_FAST_SUMS = 25 }; /* cublasLtMatmulDescAttributes_t */

/* As <cublasLt.h> declares them, with int for its enums and pointers to void for its objects. */
int cublasLtCreate(void **handle);
int cublasLtDestroy(void *handle);
int cublasLtMatmulDescCreate(void **product, int compute_type, int scale_type);
int cublasLtMatmulDescDestroy(void *product);
int cublasLtMatmulDescSetAttribute(void *product, int attribute, const void *value, size_t bytes);
int cublasLtMatrixLayoutCreate(void **layout, int type, uint64_t rows, uint64_t columns,
                               int64_t length);
int cublasLtMatrixLayoutDestroy(void *layout);
int cublasLtMatmul(void *handle, void *product, const void *alpha, const void *a, void *a_layout,
                   const void *b, void *b_layout, const void *beta, const void *c, void *c_layout,
                   void *d, void *d_layout, const void *algorithm, void *workspace, size_t bytes,
                   void *stream);

/* X(member, symbol) */
#define LT_FUNCTIONS(X)                                                                            \
    X(create, cublasLtCreate)                                                                      \
    X(destroy, cublasLtDestroy)                                                                    \
    X(product_create, cublasLtMatmulDescCreate)                                                    \
    X(product_destroy, cublasLtMatmulDescDestroy)                                                  \
    X(product_set, cublasLtMatmulDescSetAttribute)                                                 \
    X(layout_create, cublasLtMatrixLayoutCreate)                                                   \
    X(layout_destroy, cublasLtMatrixLayoutDestroy)                                                 \
    X(multiply, cublasLtMatmul)

struct cublas_lt_functions {
#define LT_MEMBER(member, symbol) __typeof__(symbol) *member;
    LT_FUNCTIONS(LT_MEMBER)
#undef LT_MEMBER
};

/* The name of the first function that the library lacks, or NULL. */
static const char *find_functions(void *library, struct cublas_lt_functions *functions)
{
#define LT_FIND(member, symbol)                                                                    \
    *(void **)&functions->member = dlsym(library, #symbol);                                        \
    if (functions->member == NULL)                                                                 \
        return #symbol;
    LT_FUNCTIONS(LT_FIND)
#undef LT_FIND
    return NULL;
}

int32_t cublas_lt_open(struct cublas_lt *lt, const struct gb_host *host, const char *asked_by)
{
    static const char *const names[] = {"libcublasLt.so.13", "libcublasLt.so.12", "libcublasLt.so",
                                        NULL};
    struct cublas_lt_functions *functions = host->allocate(host, sizeof *functions);
    if (functions == NULL)
        return GB_NO_MEMORY;
    void *library = cuda_library_open(names);
    const char *missing = library != NULL ? find_functions(library, functions) : NULL;
    if (library == NULL || missing != NULL)
        return cublas_skip(host, asked_by, "libcublasLt", missing);
    lt->functions = functions;
    return GB_OK;
}

/* A is taken transposed, which devices with fp8 before Blackwell ask for. */
int32_t cublas_lt_start(struct cublas_lt *lt, const struct gb_host *host, uint64_t size)
{
    const struct cublas_lt_functions *functions = lt->functions;
    const int32_t transposed = CUBLAS_TRANSPOSED;
    const int8_t is_fast = 1;
    int result = functions->create(&lt->handle);
    if (result == 0)
        result = functions->product_create(&lt->product, COMPUTE_32F, REAL_32F);
    if (result == 0)
        result = functions->product_set(lt->product, PRODUCT_A_OPERATION, &transposed,
                                        sizeof transposed);
    if (result == 0)
        result = functions->product_set(lt->product, PRODUCT_FAST_SUMS, &is_fast, sizeof is_fast);
    if (result == 0)
        result = functions->layout_create(&lt->inputs, REAL_8F_E4M3, size, size, (int64_t)size);
    if (result == 0)
        result = functions->layout_create(&lt->output, REAL_16BF, size, size, (int64_t)size);
    return cublas_status(host, result, "describing a product of fp8");
}

/* Without an algorithm the library chooses one, from what it chose before. */
int32_t cublas_lt_multiply(const struct cublas_lt *lt, const struct gb_host *host, const void *a,
                           const void *b, void *c, void *workspace, void *stream)
{
    static const float one = 1.0f;
    static const float zero = 0.0f;
    const int result = lt->functions->multiply(lt->handle, lt->product, &one, a, lt->inputs, b,
                                               lt->inputs, &zero, c, lt->output, c, lt->output,
                                               NULL, workspace, CUBLAS_LT_WORKSPACE_BYTES, stream);
    if (result == NOT_SUPPORTED || result == INVALID_VALUE || result == ARCHITECTURE_MISMATCH)
        return host->skip(host, "cuBLASLt has no product of fp8 matrices of this size on this "
                                "device");
    return cublas_status(host, result, "launching a product of fp8");
}

void cublas_lt_free(struct cublas_lt *lt)
{
    const struct cublas_lt_functions *functions = lt->functions;
    if (lt->inputs != NULL)
        functions->layout_destroy(lt->inputs);
    if (lt->output != NULL)
        functions->layout_destroy(lt->output);
    if (lt->product != NULL)
        functions->product_destroy(lt->product);
    if (lt->handle != NULL)
        functions->destroy(lt->handle);
    *lt = (struct cublas_lt){0};
}
