/*
 * cuda_products.c - rates of tensor cores on CUDA by products of large matrices. Plugin side.
 *
 * C = A^T B, all by columns, which every type has on every device. Elements are random multiples of
 * a power of two from -1 to 1, int8 whole numbers; some elements of C are compared with their sums
 * in float64.
 */
#include "ceilings_cuda.h"
#include "fragments.h"
#include "plugins/common/bench_memory.h"
#include "plugins/common/cuda/cublas_types.h"
#include "plugins/common/symbols.h"

#include <math.h>

/* --- cuBLASLt: products of fp8 matrices, which only it has; no header of it is needed --- */

enum { CUBLAS_LT_WORKSPACE_BYTES = 32 << 20 };

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
    LT_FUNCTIONS(SYMBOL_MEMBER)
};

/* Finds the library; GB_SKIPPED, with a reason that begins with `asked_by`, where it is not
 * installed. */
static int32_t cublas_lt_open(struct cublas_lt *lt, const struct gb_host *host,
                              const char *asked_by)
{
    struct cublas_lt_functions *functions = host->allocate(host, sizeof *functions);
    if (functions == NULL)
        return GB_NO_MEMORY;
    const struct symbol symbols[] = {LT_FUNCTIONS(SYMBOL_LINE)};
    lt->functions = functions;
    return cublas_find(host, asked_by, "libcublasLt", symbols, sizeof symbols / sizeof *symbols);
}

/* For C = A^T B: A and B are size x size of e4m3, by columns, C of bf16; sums are kept the fast
 * way. A is taken transposed, which devices with fp8 before Blackwell ask for. */
static int32_t cublas_lt_start(struct cublas_lt *lt, const struct gb_host *host, uint64_t size)
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
    return cublas_status(host, result, "describing an fp8 product");
}

/* Enqueues the product; GB_SKIPPED if the device has none of this type. Without an algorithm the
 * library chooses one, from what it chose before. */
static int32_t cublas_lt_multiply(const struct cublas_lt *lt, const struct gb_host *host,
                                  const void *a, const void *b, void *c, void *workspace,
                                  void *stream)
{
    const int result = lt->functions->multiply(
        lt->handle, lt->product, cublas_scalar(COMPUTE_32F, true), a, lt->inputs, b, lt->inputs,
        cublas_scalar(COMPUTE_32F, false), c, lt->output, c, lt->output, NULL, workspace,
        CUBLAS_LT_WORKSPACE_BYTES, stream);
    if (cublas_lacks(result))
        return host->skip(host, "cuBLASLt has no fp8 product of this size on this device");
    return cublas_status(host, result, "launching an fp8 product");
}

static void cublas_lt_free(struct cublas_lt *lt)
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

/* --- products --- */

enum { N_SPOTS = 64, SALT_A = 0x3779b9, SALT_B = 0x5eed5 };

static const struct product {
    const char *fill;              /* the kernel that fills a matrix */
    unsigned bits;                 /* elements are whole numbers from -2^bits on, */
    int32_t is_whole;              /*   divided by 2^bits unless they stay whole */
    int input, output, compute;    /* cudaDataType, cublasComputeType_t */
    uint32_t format, output_bytes; /* GB_... of C */
} products[] = {
    [NUMBER_FP64] = {"matrix_fp64", 20, 0, REAL_64F, REAL_64F, COMPUTE_64F, GB_F64, 8},
    [NUMBER_TF32] = {"matrix_tf32", 10, 0, REAL_32F, REAL_32F, COMPUTE_32F_FAST_TF32, GB_F32, 4},
    [NUMBER_FP16] = {"matrix_fp16", 10, 0, REAL_16F, REAL_16F, COMPUTE_32F, GB_F16, 2},
    [NUMBER_BF16] = {"matrix_bf16", 7, 0, REAL_16BF, REAL_16BF, COMPUTE_32F, GB_BF16, 2},
    [NUMBER_FP8] = {"matrix_fp8", 3, 0, 0, 0, 0, GB_BF16, 2}, /* by cuBLASLt */
    [NUMBER_INT8] = {"matrix_int8", 7, 1, REAL_8I, REAL_32I, COMPUTE_32I, GB_I32, 4},
};

static const struct product *product_of(const struct ceilings *ceilings)
{
    return &products[ceilings->roof->number];
}

static bool is_fp8(const struct ceilings *ceilings)
{
    return ceilings->roof->number == NUMBER_FP8;
}

static uint64_t size_of(const struct ceilings *ceilings)
{
    return (uint64_t)ceilings->params->size;
}

/* --- plan, prepare --- */

static int32_t plan(struct ceilings *ceilings)
{
    static const char asked_by[] = "method = cublas: ";
    struct cuda_ceilings *cuda = ceilings->own;
    const double size = (double)ceilings->params->size;
    if (ceilings->params->size % 64 != 0)
        return ceilings->host->fail(ceilings->host, "size: expected a multiple of 64");
    ceilings->flops = 2.0 * size * size * size;
    return is_fp8(ceilings) ? cublas_lt_open(&cuda->lt, ceilings->host, asked_by)
                            : cublas_open(&cuda->cublas, ceilings->host, asked_by);
}

static float scale_of(const struct product *product)
{
    return product->is_whole ? 1.0f : ldexpf(1.0f, -(int)product->bits);
}

/* Matrices 0 and 1 are A and B. */
static void make_matrix(struct ceilings *ceilings, const struct gb_queue *queue, int i,
                        int32_t *status)
{
    struct cuda_ceilings *cuda = ceilings->own;
    const struct product *product = product_of(ceilings);
    unsigned long long n = size_of(ceilings) * size_of(ceilings);
    unsigned salt = i == 0 ? SALT_A : SALT_B;
    unsigned bits = product->bits;
    float scale = scale_of(product);
    const struct cuda_launch fill = {.arguments = {&cuda->matrices[i], &n, &salt, &bits, &scale}};
    cuda->matrices[i] = device_memory(ceilings->host, n * number_bytes(ceilings->roof->number),
                                      GB_MEMORY_DEVICE, status);
    if (*status == GB_OK)
        *status = cuda_ceilings_fill(ceilings, queue, product->fill, fill);
}

static int32_t multiply(const struct ceilings *ceilings, const struct gb_queue *queue)
{
    const struct cuda_ceilings *cuda = ceilings->own;
    const struct product *product = product_of(ceilings);
    const int size = (int)ceilings->params->size;
    if (is_fp8(ceilings))
        return cublas_lt_multiply(&cuda->lt, ceilings->host, cuda->matrices[0], cuda->matrices[1],
                                  cuda->matrices[2], cuda->workspace, queue->native);
    const int result = cuda->cublas.functions->multiply_types(
        cuda->cublas.handle, CUBLAS_TRANSPOSED, CUBLAS_AS_IT_IS, size, size, size,
        cublas_scalar(product->compute, true), cuda->matrices[0], product->input, size,
        cuda->matrices[1], product->input, size, cublas_scalar(product->compute, false),
        cuda->matrices[2], product->output, size, product->compute, CUBLAS_DEFAULT_ALGORITHM);
    if (cublas_lacks(result))
        return ceilings_skip(ceilings, "by cuBLAS is not supported on this device");
    return cublas_status(ceilings->host, result, "launching a product");
}

static int32_t start_library(struct ceilings *ceilings, const struct gb_queue *queue)
{
    struct cuda_ceilings *cuda = ceilings->own;
    const struct gb_host *host = ceilings->host;
    if (!is_fp8(ceilings))
        return cublas_start(&cuda->cublas, host, queue->native, CUBLAS_FULL_REDUCTION);
    int32_t status = cublas_lt_start(&cuda->lt, host, size_of(ceilings));
    cuda->workspace = device_memory(host, CUBLAS_LT_WORKSPACE_BYTES, GB_MEMORY_DEVICE, &status);
    return status;
}

/* One product before any is timed, so that the library has loaded its kernel; C is then made wrong.
 */
static int32_t prepare(struct ceilings *ceilings, const struct gb_queue *queue)
{
    struct cuda_ceilings *cuda = ceilings->own;
    const struct driver *driver = &cuda->kernels.driver;
    const struct product *product = product_of(ceilings);
    const uint64_t bytes = size_of(ceilings) * size_of(ceilings) * product->output_bytes;
    int32_t status = cuda_ceilings_load(ceilings, product->fill);
    for (int i = 0; i < 2; i++)
        make_matrix(ceilings, queue, i, &status);
    cuda->matrices[2] = device_memory(ceilings->host, bytes, GB_MEMORY_DEVICE, &status);
    if (status == GB_OK)
        status = start_library(ceilings, queue);
    if (status == GB_OK)
        status = multiply(ceilings, queue);
    if (status == GB_OK)
        status = driver_status(driver, ceilings->host, driver->stream_synchronize(queue->native),
                               "running the first product");
    return status == GB_OK
               ? ceilings->host->device_fill(ceilings->host, cuda->matrices[2], 0xff, bytes)
               : status;
}

static int32_t run(const struct ceilings *ceilings, const struct gb_queue *queue,
                   uint64_t iterations)
{
    int32_t status = GB_OK;
    for (uint64_t i = 0; status == GB_OK && i < iterations; i++)
        status = multiply(ceilings, queue);
    return status;
}

/* --- verify --- */

/* As the kernels fill matrices. */
static double element(const struct product *product, uint64_t i, uint32_t salt)
{
    const int32_t random = (int32_t)number_scramble((uint32_t)i ^ salt);
    return (double)(random >> (31 - product->bits)) * (double)scale_of(product);
}

struct spots {
    double reference[N_SPOTS], magnitude[N_SPOTS];
    unsigned char output[N_SPOTS * sizeof(double)];
};

static int32_t take_spot(const struct ceilings *ceilings, uint32_t i, struct spots *spots)
{
    const struct cuda_ceilings *cuda = ceilings->own;
    const struct product *product = product_of(ceilings);
    const uint64_t size = size_of(ceilings);
    /* The corners, then anywhere. */
    const uint64_t row = i < 4 ? i % 2 * (size - 1) : number_scramble(2 * i) % size;
    const uint64_t column = i < 4 ? i / 2 * (size - 1) : number_scramble(2 * i + 1) % size;
    for (uint64_t k = 0; k < size; k++) {
        const double term = element(product, row * size + k, SALT_A) *
                            element(product, column * size + k, SALT_B);
        spots->reference[i] += term;
        spots->magnitude[i] += fabs(term);
    }
    return ceilings->host->device_copy(ceilings->host, spots->output + i * product->output_bytes,
                                       (const char *)cuda->matrices[2] +
                                           (column * size + row) * product->output_bytes,
                                       product->output_bytes);
}

/* Which kernel the library takes is not known: twice the error of tensor cores holds for each. Fast
 * sums of fp8 have some 14 bits, for which no useful bound is known; random sums of `size` terms
 * lie around the square root of a ninth of it. */
static int32_t verify(struct ceilings *ceilings)
{
    const struct cuda_ceilings *cuda = ceilings->own;
    const struct product *product = product_of(ceilings);
    const bool is_hopper = cuda->major >= 9;
    struct spots spots = {0};
    int32_t status = GB_OK;
    for (uint32_t i = 0; i < N_SPOTS && status == GB_OK; i++)
        status = take_spot(ceilings, i, &spots);
    if (status != GB_OK)
        return status;
    const struct gb_check check = {
        .size = sizeof check,
        .format = product->format,
        .name = "elements of C",
        .n = N_SPOTS,
        .output = spots.output,
        .reference = spots.reference,
        .magnitude = spots.magnitude,
        .n_products = 2 * size_of(ceilings),
        .accumulate = product->format == GB_F64 ? GB_F64 : GB_F32,
        .flags = product->is_whole ? GB_CHECK_EXACT : 0,
        .default_metric = is_fp8(ceilings) ? "abs" : "bound",
        .default_tolerance = is_fp8(ceilings) ? 0.1 * sqrt((double)size_of(ceilings) / 9.0) : 1.0,
        .summation = product->format == GB_F64 ? GB_SUM_NEAREST : GB_SUM_ALIGNED,
        .products_at_once = product->format == GB_F64               ? 1
                            : ceilings->roof->number == NUMBER_TF32 ? (is_hopper ? 8 : 4)
                                                                    : (is_hopper ? 16 : 8),
        .extra_bits = is_hopper ? 2 : 1,
    };
    return ceilings->host->check(ceilings->host, &check);
}

static void destroy(struct cuda_ceilings *cuda)
{
    cublas_free(&cuda->cublas);
    cublas_lt_free(&cuda->lt);
}

const struct cuda_way cuda_products = {
    .plan = plan, .prepare = prepare, .run = run, .verify = verify, .destroy = destroy};
