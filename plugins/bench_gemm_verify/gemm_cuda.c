/* gemm_cuda.c - products on CUDA: ordinary cores, tensor cores and cuBLAS. Plugin side. */
#include "gemm.h"
#include "plugins/common/cuda/cublas.h"
#include "plugins/common/cuda/cublas_types.h"
#include "plugins/common/cuda/cuda_image.h"

#include <stdio.h>

/* --- products by cuBLAS, in every type that it has --- */

static const struct {
    int32_t dtype, accumulate;
    int input, output, wide, compute;
} blas_products[] = {
    {DTYPE_FP16, ACCUMULATE_FP32, REAL_16F, REAL_16F, REAL_32F, COMPUTE_32F},
    {DTYPE_FP16, ACCUMULATE_FP16, REAL_16F, REAL_16F, REAL_16F, COMPUTE_16F},
    {DTYPE_BF16, ACCUMULATE_FP32, REAL_16BF, REAL_16BF, REAL_32F, COMPUTE_32F},
    {DTYPE_FP32, ACCUMULATE_FP32, REAL_32F, REAL_32F, REAL_32F, COMPUTE_32F_PEDANTIC},
    {DTYPE_TF32, ACCUMULATE_FP32, REAL_32F, REAL_32F, REAL_32F, COMPUTE_32F_FAST_TF32},
    {DTYPE_FP64, ACCUMULATE_FP64, REAL_64F, REAL_64F, REAL_64F, COMPUTE_64F},
    {DTYPE_INT8, ACCUMULATE_INT32, REAL_8I, REAL_32I, REAL_32I, COMPUTE_32I},
};
enum { N_BLAS_PRODUCTS = sizeof blas_products / sizeof blas_products[0] };

static size_t blas_number(const struct gemm *gemm, int32_t accumulate)
{
    size_t i = 0;
    while (i < N_BLAS_PRODUCTS && (blas_products[i].dtype != gemm->params->dtype ||
                                   blas_products[i].accumulate != accumulate))
        i++;
    return i;
}

/* GB_SKIPPED, with a reason, if cuBLAS has no product with these inputs and sums. */
static int32_t blas_refuse(const struct gemm *gemm)
{
    return blas_number(gemm, gemm->accumulate) < N_BLAS_PRODUCTS
               ? GB_OK
               : gemm->host->skip(gemm->host,
                                  "cuBLAS does not support this type with this accumulate");
}

/* Matrices by rows are the transposed ones by columns, as cuBLAS has them: C^T = B^T A^T. */
static int blas_enqueue(const struct cublas *cublas, const struct gemm *gemm, size_t product,
                        int c_type, void *c)
{
    const int m = (int)gemm->shape.m;
    const int n = (int)gemm->shape.n;
    const int k = (int)gemm->shape.k;
    const bool is_a_transposed = gemm_is_a_transposed(gemm);
    const bool is_b_transposed = gemm_is_b_transposed(gemm);
    const int type = blas_products[product].input;
    const int compute = blas_products[product].compute;
    return cublas->functions->multiply_types(
        cublas->handle, is_b_transposed ? CUBLAS_TRANSPOSED : CUBLAS_AS_IT_IS,
        is_a_transposed ? CUBLAS_TRANSPOSED : CUBLAS_AS_IT_IS, n, m, k,
        cublas_scalar(compute, true), gemm->arrays[ARRAY_RIGHT].device, type,
        is_b_transposed ? k : n, gemm->arrays[ARRAY_LEFT].device, type, is_a_transposed ? m : k,
        cublas_scalar(compute, false), c, c_type, n, compute, CUBLAS_DEFAULT_ALGORITHM);
}

/*
 * Enqueues the product. is_wide: C is fp32 also where the output of the case has fewer bits. What
 * cuBLAS does not support is GB_SKIPPED, other failures are GB_FAILED, both reported to the host.
 */
static int32_t blas_product(const struct cublas *cublas, const struct gemm *gemm, bool is_wide,
                            void *c)
{
    /* A reference is kept in what is usual for the type. */
    const int32_t usual = gemm->params->dtype == DTYPE_FP64   ? ACCUMULATE_FP64
                          : gemm->params->dtype == DTYPE_INT8 ? ACCUMULATE_INT32
                                                              : ACCUMULATE_FP32;
    const size_t product = blas_number(gemm, is_wide ? usual : gemm->accumulate);
    if (product == N_BLAS_PRODUCTS)
        return gemm->host->skip(gemm->host, "cuBLAS does not support products of this type");
    const int result = blas_enqueue(
        cublas, gemm, product,
        is_wide ? blas_products[product].wide : blas_products[product].output, c);
    if (cublas_lacks(result))
        return gemm->host->skip(gemm->host, "cuBLAS has no product of this type, shape and layout "
                                            "on this device");
    return cublas_status(gemm->host, result, "launching a product");
}

/* --- by the kernels of gemm.cu --- */

CUDA_IMAGE(gemm_image, "plugins/bench_gemm_verify/gemm");

/* struct product of gemm.cu. */
struct product {
    const void *a, *b;
    void *c, *partial, *squares;
    unsigned long long m, n, k, a_row, a_step, b_step, b_column, slice;
    int flush;
};

struct cuda_gemm {
    struct cuda_kernels kernels;
    struct cublas blas;
    int architecture; /* of the device: 90 is 9.0 */
    CUfunction multiply, finish;
    struct product product;
    unsigned columns, rows, n_slices, threads_x, threads_y; /* of the launch of multiply */
    void *sums, *magnitudes, *squares;                      /* m x n each, of the reference */
};

static const char *const dtype_names[] = {"fp16", "bf16", "fp32", "fp32",
                                          "fp64", "e4m3", "e5m2", "int8"};
static const char *const mode_names[] = {"auto",   "fp32",           "fp64", "fp16",
                                         "every4", "every4_nearest", "int32"};
static const char *const output_names[] = {"fp16", "bf16", "fp32", "fp32",
                                           "fp64", "fp32", "fp32", "int32"};

/* --- create --- */

static int32_t status_of(const struct gemm *gemm, CUresult result, const char *doing)
{
    const struct cuda_gemm *cuda = gemm->own;
    return driver_status(&cuda->kernels.driver, gemm->host, result, doing);
}

static bool is_fp8(const struct gemm *gemm)
{
    return gemm->params->dtype == DTYPE_E4M3 || gemm->params->dtype == DTYPE_E5M2;
}

/* Where it is known how sums are rounded: see emulated_model. */
static bool has_fp8_tensor_kernel(const struct cuda_gemm *cuda)
{
    return cuda->architecture / 10 == 9 || cuda->architecture / 10 == 10;
}

static bool has_tensor_kernel(const struct gemm *gemm)
{
    const int32_t dtype = gemm->params->dtype;
    const int32_t accumulate = gemm->accumulate;
    const struct cuda_gemm *cuda = gemm->own;
    if (cuda->architecture < 80 || gemm->params->flush_subnormals != FLUSH_NONE)
        return false;
    if (dtype == DTYPE_FP16)
        return accumulate == ACCUMULATE_FP32 || accumulate == ACCUMULATE_FP16;
    if (is_fp8(gemm))
        return accumulate == ACCUMULATE_FP32 && has_fp8_tensor_kernel(cuda);
    if (dtype == DTYPE_BF16 || dtype == DTYPE_TF32)
        return accumulate == ACCUMULATE_FP32;
    return dtype == DTYPE_FP64 || dtype == DTYPE_INT8;
}

static int32_t choose_kernel(struct gemm *gemm)
{
    if (gemm->kernel == KERNEL_AUTO)
        gemm->kernel = has_tensor_kernel(gemm) ? KERNEL_TENSOR : KERNEL_CUDA;
    switch (gemm->kernel) {
    case KERNEL_CUDA:
        return GB_OK;
    case KERNEL_TENSOR:
        if (is_fp8(gemm) && !has_fp8_tensor_kernel(gemm->own))
            return gemm_skip_kernel(
                gemm, "the rounding of fp8 sums is known for compute capability 9 and 10 only");
        return has_tensor_kernel(gemm)
                   ? GB_OK
                   : gemm_skip_kernel(
                         gemm,
                         "this device has none for this type, accumulate and flush_subnormals");
    case KERNEL_CUBLAS:
        if (gemm->params->flush_subnormals != FLUSH_NONE || gemm->params->split_k != 1)
            return gemm_skip_kernel(gemm, "it supports neither flush_subnormals nor split_k");
        return blas_refuse(gemm);
    default:
        return gemm_skip_kernel(gemm, "is for the CPU");
    }
}

static int32_t choose_reference(struct gemm *gemm)
{
    const struct gb_host *host = gemm->host;
    const bool is_plain = gemm_reference_mode(gemm) == ACCUMULATE_FP64 &&
                          gemm->params->reference_flush == FLUSH_NONE;
    const bool is_fp64_on_cores = gemm->kernel == KERNEL_CUDA &&
                                  gemm->accumulate == ACCUMULATE_FP64;
    if (gemm->reference == REFERENCE_AUTO)
        gemm->reference = is_plain && !is_fp64_on_cores ? REFERENCE_GPU : REFERENCE_CPU;
    if (gemm->reference == REFERENCE_GPU && is_fp64_on_cores)
        return host->fail(host, "reference = gpu with kernel = cuda and sums in fp64: the "
                                "reference would be computed by the code under test");
    if (gemm->reference == REFERENCE_GPU_TENSOR && gemm->kernel == KERNEL_CUBLAS)
        return host->fail(host, "reference = gpu_tensor with kernel = cublas: the reference would "
                                "be computed by the code under test");
    if (gemm->reference == REFERENCE_GPU_TENSOR && is_fp8(gemm))
        return gemm_skip(gemm, "reference", "gpu_tensor", "cuBLAS is not used for fp8");
    return GB_OK;
}

/* Products in one step and bits below the sum's: a step of tensor cores takes as many products of
 * 16 bits, half as many of 32. */
static struct sum_model tensor_model(const struct gemm *gemm, int32_t accumulate)
{
    const struct cuda_gemm *cuda = gemm->own;
    const bool is_hopper = cuda->architecture >= 90;
    const uint32_t n_half = is_hopper ? 16 : 8;
    const uint64_t k = gemm->shape.k;
    struct sum_model model = {
        .n_products = k,
        .accumulate = GB_F32,
        .summation = GB_SUM_ALIGNED,
        .products_at_once = gemm->params->dtype == DTYPE_TF32 ? n_half / 2 : n_half,
        .extra_bits = is_hopper ? 2 : 1,
    };
    if (accumulate == ACCUMULATE_FP16)
        model = (struct sum_model){
            .n_products = k, .accumulate = GB_F16, .products_at_once = n_half};
    if (accumulate == ACCUMULATE_FP64)
        model = (struct sum_model){.n_products = k, .accumulate = GB_F64, .products_at_once = 1};
    return model;
}

static unsigned parts(uint64_t n, uint64_t length)
{
    return (unsigned)quotient_up(n, length);
}

/*
 * fp8: on compute capability 9 and 10 the instruction for 32 products becomes two of fp16, the
 * first from 0 on and the second from there, and an addition in fp32 (cuobjdump -sass). So a
 * product goes through two steps of tensor cores, which lose as much as 21 roundings to nearest
 * together, and then through an addition for every 32 products and every slice.
 *
 * Of others, Ada and the smaller Blackwell have an instruction for fp8, and so do Hopper's warp
 * groups: it keeps sums in 13 fraction bits (Zhang et al., SageAttention2, 2024), but how it aligns
 * products is not published.
 */
static struct sum_model emulated_model(const struct gemm *gemm)
{
    enum { PRODUCTS = 32, ROUNDINGS = 21 }; /* 2 steps of 2 (1 + (16 + 1) 2^-2) */
    const uint64_t n_slices = (uint64_t)gemm->params->split_k;
    return (struct sum_model){
        .n_products = ROUNDINGS + parts(parts(gemm->shape.k, n_slices), PRODUCTS) + n_slices - 1,
        .accumulate = GB_F32,
        .products_at_once = 1,
    };
}

/* Which kernel cuBLAS takes is not known: ordinary cores, tensor cores, with or without slices.
 * Twice the tensor cores' error holds for each. */
static struct sum_model blas_model(const struct gemm *gemm, int32_t accumulate)
{
    struct sum_model model = tensor_model(gemm, accumulate);
    model.n_products = 2 * gemm->shape.k;
    if (gemm->params->dtype == DTYPE_FP32 || accumulate != ACCUMULATE_FP32)
        model = (struct sum_model){
            .n_products = gemm->shape.k,
            .accumulate = accumulate == ACCUMULATE_FP64   ? GB_F64
                          : accumulate == ACCUMULATE_FP16 ? GB_F16
                                                          : GB_F32,
            .products_at_once = 1,
        };
    return model;
}

/* A slice may end within a step, and slices are added one after the other. */
static struct sum_model sliced_tensor_model(const struct gemm *gemm)
{
    struct sum_model model = tensor_model(gemm, gemm->accumulate);
    const uint64_t n_slices = (uint64_t)gemm->params->split_k;
    model.n_products += 2 * (n_slices - 1) * model.products_at_once;
    return model;
}

static struct sum_model kernel_model(const struct gemm *gemm)
{
    const struct sums_request request = {
        .shape = gemm->shape,
        .accumulate = gemm->accumulate,
        .order = ORDER_SCALAR,
        .n_slices = (uint64_t)gemm->params->split_k,
    };
    if (gemm->kernel == KERNEL_TENSOR && is_fp8(gemm))
        return emulated_model(gemm);
    return gemm->kernel == KERNEL_TENSOR   ? sliced_tensor_model(gemm)
           : gemm->kernel == KERNEL_CUBLAS ? blas_model(gemm, gemm->accumulate)
                                           : gemm_model_of_sums(&request);
}

static int32_t create(struct gemm *gemm)
{
    const struct gb_host *host = gemm->host;
    struct cuda_gemm *cuda = gemm->own;
    int32_t status = cuda_kernels_open(&cuda->kernels, host);
    if (status == GB_OK)
        status = driver_architecture(&cuda->kernels.driver, host, &cuda->architecture);
    if (status == GB_OK)
        status = choose_kernel(gemm);
    if (status == GB_OK)
        status = choose_reference(gemm);
    if (status == GB_OK &&
        (gemm->kernel == KERNEL_CUBLAS || gemm->reference == REFERENCE_GPU_TENSOR))
        status = cublas_open(&cuda->blas, gemm->host, "");
    if (status == GB_OK)
        gemm->model = kernel_model(gemm);
    return status;
}

/* --- prepare --- */

static struct product product_of(const struct gemm *gemm)
{
    const struct product_shape *shape = &gemm->shape;
    const bool is_a_transposed = gemm_is_a_transposed(gemm);
    const bool is_b_transposed = gemm_is_b_transposed(gemm);
    return (struct product){
        .a = gemm->arrays[ARRAY_LEFT].device,
        .b = gemm->arrays[ARRAY_RIGHT].device,
        .c = gemm->arrays[ARRAY_OUTPUT].device,
        .m = shape->m,
        .n = shape->n,
        .k = shape->k,
        .a_row = is_a_transposed ? 1 : shape->k,
        .a_step = is_a_transposed ? shape->m : 1,
        .b_step = is_b_transposed ? 1 : shape->n,
        .b_column = is_b_transposed ? shape->k : 1,
        .slice = parts(shape->k, (uint64_t)gemm->params->split_k),
        .flush = gemm->params->flush_subnormals,
    };
}

static void plan_launch(struct gemm *gemm)
{
    struct cuda_gemm *cuda = gemm->own;
    const bool is_tensor = gemm->kernel == KERNEL_TENSOR;
    const uint64_t tile = !is_tensor ? 16 : gemm->params->dtype == DTYPE_FP64 ? 32 : 64;
    cuda->product = product_of(gemm);
    cuda->columns = parts(gemm->shape.n, tile);
    cuda->rows = parts(gemm->shape.m, tile);
    cuda->n_slices = parts(gemm->shape.k, cuda->product.slice);
    cuda->threads_x = is_tensor ? 128 : 16;
    cuda->threads_y = is_tensor ? 1 : 16;
}

static int32_t load_finish(struct gemm *gemm)
{
    struct cuda_gemm *cuda = gemm->own;
    const struct gb_host *host = gemm->host;
    char name[64];
    const uint64_t n = gemm->shape.m * gemm->shape.n * cuda->n_slices;
    snprintf(name, sizeof name, "finish_%s_%s", mode_names[gemm->accumulate],
             output_names[gemm->params->dtype]);
    int32_t status = cuda_image_function(&cuda->kernels.driver, host, cuda->kernels.module, name,
                                         &cuda->finish);
    cuda->product.partial = device_memory(host, n * sizeof(double), GB_MEMORY_DEVICE, &status);
    return status;
}

/* A product before any is timed: to see whether there is one. C is put back as it was. */
static int32_t prepare_blas(struct gemm *gemm, const struct gb_queue *queue)
{
    struct cuda_gemm *cuda = gemm->own;
    const struct gb_host *host = gemm->host;
    int32_t status = cublas_start(&cuda->blas, host, queue->native, CUBLAS_FULL_REDUCTION);
    if (status == GB_OK)
        status = blas_product(&cuda->blas, gemm, false, gemm->arrays[ARRAY_OUTPUT].device);
    if (status == GB_OK)
        status = status_of(gemm, cuda->kernels.driver.stream_synchronize(queue->native),
                           "running the first product");
    copy_memory(host, gemm->arrays[ARRAY_OUTPUT].device, gemm->arrays[ARRAY_OUTPUT].host,
                gemm->shape.m * gemm->shape.n * gemm->output->bytes, &status);
    return status;
}

static int32_t prepare(struct gemm *gemm, const struct gb_queue *queue)
{
    struct cuda_gemm *cuda = gemm->own;
    char name[64];
    if (gemm->kernel == KERNEL_CUBLAS)
        return prepare_blas(gemm, queue);
    const bool is_tensor = gemm->kernel == KERNEL_TENSOR;
    const char *dtype = is_tensor && gemm->params->dtype == DTYPE_TF32
                            ? "tf32"
                            : dtype_names[gemm->params->dtype];
    plan_launch(gemm);
    snprintf(name, sizeof name, "%s_%s_%s", is_tensor ? "tensor" : "cuda", dtype,
             mode_names[gemm->accumulate]);
    const int32_t status = cuda_kernels_load(&cuda->kernels, &gemm_image, name, &cuda->multiply);
    return status == GB_OK && cuda->n_slices > 1 ? load_finish(gemm) : status;
}

/* --- run --- */

enum { FINISH_THREADS = 256 };

static CUresult launch(struct cuda_gemm *cuda, CUstream stream)
{
    const struct driver *driver = &cuda->kernels.driver;
    unsigned n_slices = cuda->n_slices;
    void *arguments[] = {&cuda->product, &n_slices};
    const CUresult result = driver->launch(cuda->multiply, cuda->columns, cuda->rows, n_slices,
                                           cuda->threads_x, cuda->threads_y, 1, 0, stream,
                                           arguments, NULL);
    if (result != CUDA_SUCCESS || n_slices == 1)
        return result;
    return driver->launch(cuda->finish, parts(cuda->product.m * cuda->product.n, FINISH_THREADS), 1,
                          1, FINISH_THREADS, 1, 1, 0, stream, arguments, NULL);
}

static int32_t run(const struct gemm *gemm, const struct gb_queue *queue, uint64_t iterations)
{
    struct cuda_gemm *cuda = gemm->own;
    CUresult result = CUDA_SUCCESS;
    int32_t status = GB_OK;
    if (gemm->kernel == KERNEL_CUBLAS) {
        for (uint64_t i = 0; status == GB_OK && i < iterations; i++)
            status = blas_product(&cuda->blas, gemm, false, gemm->arrays[ARRAY_OUTPUT].device);
        return status;
    }
    for (uint64_t i = 0; result == CUDA_SUCCESS && i < iterations; i++)
        result = launch(cuda, queue->native);
    return status_of(gemm, result, "launching a product");
}

/* --- references --- */

/* Once a case. */
static void take(const struct gemm *gemm, void **array, int32_t *status)
{
    const uint64_t bytes = gemm->shape.m * gemm->shape.n * sizeof(double);
    if (*array == NULL)
        *array = device_memory(gemm->host, bytes, GB_MEMORY_DEVICE, status);
}

/* float64 sums, magnitudes and squares (unless NULL), one thread each, copied to the host. */
static int32_t refer(struct gemm *gemm, const struct gb_queue *queue, double *sum,
                     double *magnitude, double *squares)
{
    struct cuda_gemm *cuda = gemm->own;
    const struct gb_host *host = gemm->host;
    const uint64_t bytes = gemm->shape.m * gemm->shape.n * sizeof(double);
    struct product product = product_of(gemm);
    void *arguments[] = {&product};
    CUfunction function = NULL;
    char name[64];
    product.flush = FLUSH_NONE;
    snprintf(name, sizeof name, "reference_%s", dtype_names[gemm->params->dtype]);
    int32_t status = cuda->kernels.module != NULL
                         ? cuda_image_function(&cuda->kernels.driver, host, cuda->kernels.module,
                                               name, &function)
                         : cuda_kernels_load(&cuda->kernels, &gemm_image, name, &function);
    take(gemm, &cuda->sums, &status);
    take(gemm, &cuda->magnitudes, &status);
    if (squares != NULL)
        take(gemm, &cuda->squares, &status);
    if (status != GB_OK)
        return status;
    product.c = cuda->sums;
    product.partial = cuda->magnitudes;
    product.squares = squares != NULL ? cuda->squares : NULL;
    CUresult result = cuda->kernels.driver.launch(function, parts(product.n, 16),
                                                  parts(product.m, 16), 1, 16, 16, 1, 0,
                                                  queue->native, arguments, NULL);
    if (result == CUDA_SUCCESS)
        result = cuda->kernels.driver.stream_synchronize(queue->native);
    status = status_of(gemm, result, "computing the reference");
    copy_memory(host, sum, product.c, bytes, &status);
    copy_memory(host, magnitude, product.partial, bytes, &status);
    if (squares != NULL)
        copy_memory(host, squares, product.squares, bytes, &status);
    return status;
}

/* What cuBLAS says, as doubles. */
static int32_t refer_to_blas(struct gemm *gemm, const struct gb_queue *queue, double *sum)
{
    struct cuda_gemm *cuda = gemm->own;
    const struct gb_host *host = gemm->host;
    const struct gb_format *format = gemm->formats->describe(
        gemm->params->dtype == DTYPE_FP64   ? GB_F64
        : gemm->params->dtype == DTYPE_INT8 ? GB_I32
                                            : GB_F32);
    const uint64_t n = gemm->shape.m * gemm->shape.n;
    int32_t status = GB_OK;
    void *c = device_memory(host, n * format->bytes, GB_MEMORY_DEVICE, &status);
    if (status == GB_OK)
        status = cublas_start(&cuda->blas, host, queue->native, CUBLAS_FULL_REDUCTION);
    if (status == GB_OK)
        status = blas_product(&cuda->blas, gemm, true, c);
    if (status == GB_OK)
        status = status_of(gemm, cuda->kernels.driver.stream_synchronize(queue->native),
                           "computing the reference");
    const void *copy = host_copy_of(host, c, n * format->bytes, &status);
    if (status == GB_OK)
        gemm->formats->load(format->format, copy, 0, n, sum);
    return status;
}

static int32_t reference(struct gemm *gemm, const struct gb_queue *queue, double *sum,
                         double *magnitude, double *squares, struct sum_model *ret_model)
{
    const int32_t status = refer(gemm, queue, sum, magnitude, squares);
    *ret_model = (struct sum_model){
        .n_products = gemm->shape.k, .accumulate = GB_F64, .products_at_once = 1};
    if (status != GB_OK || gemm->reference != REFERENCE_GPU_TENSOR)
        return status;
    *ret_model = blas_model(gemm,
                            gemm->params->dtype == DTYPE_FP64 ? ACCUMULATE_FP64 : ACCUMULATE_FP32);
    return refer_to_blas(gemm, queue, sum);
}

static void destroy(void *object)
{
    struct cuda_gemm *cuda = object;
    cublas_free(&cuda->blas);
    cuda_kernels_free(&cuda->kernels);
}

const struct backend gemm_cuda = {
    .own_bytes = sizeof(struct cuda_gemm),
    .create = create,
    .prepare = prepare,
    .run = run,
    .reference = reference,
    .destroy = destroy,
};
