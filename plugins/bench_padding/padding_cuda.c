/* padding_cuda.c - the schedules on CUDA: which kernel runs is decided by plan.c. Plugin side. */
#include "compile.h"
#include "padding.h"
#include "plugins/common/bench_steps.h"
#include "plugins/common/cuda/cublas.h"
#include "plugins/common/cuda/cuda_image.h"

CUDA_IMAGE_AFTER(padding_image, "conf/tune.cu", "plugins/bench_padding/padding");

struct cuda_padding {
    struct cuda_kernels kernels;
    struct cublas cublas;
    CUfunction function;
    struct plan plan;
    int m, n, k;
    void *arguments[6];
};

static bool is_by_library(const struct padding *padding)
{
    return padding->params->schedule == SCHEDULE_CUBLAS;
}

static int32_t create(struct padding *padding)
{
    const struct gb_host *host = padding->host;
    struct cuda_padding *cuda = padding->own;
    const int32_t status = cuda_kernels_open(&cuda->kernels, host);
    return status == GB_OK && is_by_library(padding)
               ? cublas_open(&cuda->cublas, host, "schedule = cublas: ")
               : status;
}

/* --- prepare --- */

/* Matrices by rows are the transposed ones by columns, as cuBLAS has them: Y^T = W X^T. */
static int32_t launch_library(const struct padding *padding)
{
    static const float one = 1.0f;
    static const float zero = 0.0f;
    const struct cuda_padding *cuda = padding->own;
    const struct cublas_functions *functions = cuda->cublas.functions;
    const struct product_shape *shape = &padding->shape;
    const int m = (int)shape->m;
    const int n = (int)shape->n;
    const int k = (int)shape->k;
    int result;
    if (shape->batch == 1)
        result = functions->multiply(cuda->cublas.handle, CUBLAS_TRANSPOSED, CUBLAS_AS_IT_IS, n, m,
                                     k, &one, padding->w, k, padding->x, k, &zero, padding->y, n);
    else
        result = functions->multiply_batch(cuda->cublas.handle, CUBLAS_TRANSPOSED, CUBLAS_AS_IT_IS,
                                           n, m, k, &one, padding->w, k, shape->n * shape->k,
                                           padding->x, k, shape->m * shape->k, &zero, padding->y, n,
                                           shape->m * shape->n, (int)shape->batch);
    return cublas_status(padding->host, result, "launching products");
}

static int32_t run_library(const struct padding *padding, uint64_t iterations)
{
    int32_t status = GB_OK;
    for (uint64_t i = 0; status == GB_OK && i < iterations; i++)
        status = launch_library(padding);
    return status;
}

static int32_t tell_resources(const struct padding *padding)
{
    static const struct {
        const char *name, *unit;
        CUfunction_attribute attribute;
    } metrics[] = {
        {"registers", "registers", CU_FUNC_ATTRIBUTE_NUM_REGS},
        {"spill_bytes", "bytes", CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES},
        {"shared_bytes", "bytes", CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES},
    };
    const struct cuda_padding *cuda = padding->own;
    const struct driver *driver = &cuda->kernels.driver;
    const struct plan *plan = &cuda->plan;
    const struct gb_host *host = padding->host;
    CUresult result = CUDA_SUCCESS;
    for (size_t i = 0; result == CUDA_SUCCESS && i < sizeof metrics / sizeof metrics[0]; i++) {
        int value = 0;
        result = driver->function_attribute(&value, metrics[i].attribute, cuda->function);
        if (metrics[i].attribute == CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES)
            value += (int)plan->shared;
        if (result == CUDA_SUCCESS)
            host->metric(host, metrics[i].name, value, metrics[i].unit);
    }
    host->metric(host, "blocks", (double)plan->columns * plan->rows * plan->products, "blocks");
    padding_tell_ratio(padding, plan->padding_ratio);
    return driver_status(driver, host, result, "asking what the kernel needs");
}

static int32_t tell_compiled(const struct padding *padding)
{
    const struct cuda_padding *cuda = padding->own;
    const struct gb_host *host = padding->host;
    const char *source = padding_image.source;
    struct compiled compiled;
    char reason[1024];
    int architecture = 0;
    const int32_t status = driver_architecture(&cuda->kernels.driver, host, &architecture);
    if (status != GB_OK)
        return status;
    if (!compile_kernel(source, (size_t)(padding_image.source_end - source), cuda->plan.kernel,
                        architecture, &compiled, reason, sizeof reason))
        return host_skip(host, "compile = yes: %s", reason);
    host->metric(host, "compile_ms", compiled.ms, "ms");
    if (compiled.code_bytes > 0)
        host->metric(host, "code_bytes", (double)compiled.code_bytes, "bytes");
    return GB_OK;
}

/* Beyond 48 KiB it must be asked for. */
static int32_t ask_for_shared(const struct padding *padding)
{
    const struct cuda_padding *cuda = padding->own;
    const struct driver *driver = &cuda->kernels.driver;
    return driver_status(driver, padding->host,
                         driver->function_set(cuda->function,
                                              CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                                              (int)cuda->plan.shared),
                         "asking for shared memory");
}

static void set_arguments(struct padding *padding)
{
    struct cuda_padding *cuda = padding->own;
    cuda->m = (int)padding->shape.m;
    cuda->n = (int)padding->shape.n;
    cuda->k = (int)padding->shape.k;
    cuda->arguments[0] = &padding->x;
    cuda->arguments[1] = &padding->w;
    cuda->arguments[2] = &padding->y;
    cuda->arguments[3] = &cuda->m;
    cuda->arguments[4] = &cuda->n;
    cuda->arguments[5] = &cuda->k;
}

/* Once ahead: the library loads its kernels when they are first used, which cannot be captured. */
static int32_t prepare_library(struct padding *padding, const struct gb_queue *queue)
{
    struct cuda_padding *cuda = padding->own;
    const struct driver *driver = &cuda->kernels.driver;
    int32_t status = cublas_start(&cuda->cublas, padding->host, queue->native,
                                  CUBLAS_PEDANTIC_MATH);
    if (status == GB_OK)
        status = run_library(padding, 1);
    if (status != GB_OK)
        return status;
    return driver_status(driver, padding->host, driver->stream_synchronize(queue->native),
                         "waiting for the first product");
}

static int32_t prepare(struct padding *padding, const struct gb_queue *queue)
{
    struct cuda_padding *cuda = padding->own;
    const struct gb_host *host = padding->host;
    const struct params *params = padding->params;
    if (is_by_library(padding))
        return prepare_library(padding, queue);
    cuda->plan = plan_of(&padding->shape, params->problem, params->schedule, params->tile,
                         host->device->n_units);
    int32_t status = cuda_kernels_load(&cuda->kernels, &padding_image, cuda->plan.kernel,
                                       &cuda->function);
    if (status == GB_OK)
        status = ask_for_shared(padding);
    if (status == GB_OK && params->compile != 0)
        status = tell_compiled(padding);
    if (status != GB_OK)
        return status;
    set_arguments(padding);
    return tell_resources(padding);
}

/* --- run --- */

static int32_t run(const struct padding *padding, const struct gb_queue *queue, uint64_t iterations)
{
    struct cuda_padding *cuda = padding->own;
    const struct driver *driver = &cuda->kernels.driver;
    const struct plan *plan = &cuda->plan;
    CUresult result = CUDA_SUCCESS;
    if (is_by_library(padding))
        return run_library(padding, iterations);
    for (uint64_t i = 0; result == CUDA_SUCCESS && i < iterations; i++)
        result = driver->launch(cuda->function, plan->columns, plan->rows, plan->products,
                                plan->threads, 1, 1, plan->shared, queue->native, cuda->arguments,
                                NULL);
    return driver_status(driver, padding->host, result, "launching products");
}

static void destroy(void *object)
{
    struct cuda_padding *cuda = object;
    cublas_free(&cuda->cublas);
    cuda_kernels_free(&cuda->kernels);
}

const struct backend padding_cuda = {
    .own_bytes = sizeof(struct cuda_padding),
    .create = create,
    .prepare = prepare,
    .run = run,
    .destroy = destroy,
};
