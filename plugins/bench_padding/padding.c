/*
 * padding.c - the benchmark `padding`: what it costs to ask, for every element of a tile, whether
 * it is still inside of the matrix, and two ways of not asking. Plugin side.
 *
 * After the test cases of local padding and of loop partitioning of DietCode; Shen et al., Nimble:
 * Efficiently Compiling Dynamic Neural Networks for Model Inference, MLSys 2021.
 */
#include "padding.h"

#include "plugins/common/bench_memory.h"
#include "plugins/common/product_reference.h"

#include <inttypes.h>

#ifdef PLUGIN_WITH_CUDA
#include "compile.h"

#include "plugins/common/cuda/cublas.h"
#include "plugins/common/cuda/cuda_launch.h"
#endif

static const char *const problems[] = {"dense", "batched"};
static const char *const schedules[] = {"baseline",      "partition", "pad",
                                        "partition_pad", "tuned",     "cublas"};

static const struct batch_shape defaults[] = {
    [PROBLEM_DENSE] = {960, 2304, 770, 1},
    [PROBLEM_BATCHED] = {120, 120, 64, 192},
};

static const struct gb_option options[] = {
    GB_CHOICE(struct params, problem, "dense", problems,
              "one product whose last tiles are cut, or many small ones that are all cut alike"),
    GB_CHOICE(struct params, schedule, "baseline", schedules,
              "guards everywhere; loops parted in two; tiles filled up with zeros; both; the best "
              "that this plugin has; the library"),
    GB_INT(struct params, m, "0", "0:32768", "rows", "rows of X and Y; 0: 960, batched 120"),
    GB_INT(struct params, n, "0", "0:32768", "columns",
           "rows of W, columns of Y; 0: 2304, batched 120"),
    GB_INT(struct params, k, "0", "0:32768", "elements",
           "columns of X and W, the length of each sum; 0: 770, batched 64"),
    GB_INT(struct params, batch, "0", "0:65535", "products", "products; 0: 1, batched 192"),
    GB_CHOICE(
        struct params, tile, "auto", tile_names,
        "CUDA, schedule tuned: rows x columns of a tile, steps along K at a time, and how many "
        "blocks share them (on GPUs with clusters); auto: chosen for the shape and the number "
        "of multiprocessors"),
    GB_BOOL(struct params, compile, "no",
            "CUDA: compile the kernel once more, by itself, and report how long that takes and how "
            "large its code is"),
};

/* --- on CUDA: which kernel runs is decided by plan.c --- */

#ifdef PLUGIN_WITH_CUDA

CUDA_IMAGE_AFTER(padding_image, "conf/tune.cu", "plugins/bench_padding/padding");

struct cuda_padding {
    struct cuda_kernels kernels;
    struct cublas cublas;
    struct cuda_launch launch;
    struct plan plan;
    int m, n, k;
};

static bool is_by_library(const struct padding *padding)
{
    return padding->params->schedule == SCHEDULE_CUBLAS;
}

static int32_t cuda_create(struct padding *padding)
{
    const struct gb_host *host = padding->host;
    struct cuda_padding *cuda = padding->own;
    const int32_t status = cuda_kernels_open(&cuda->kernels, host);
    return status == GB_OK && is_by_library(padding)
               ? cublas_open(&cuda->cublas, host, "schedule = cublas: ")
               : status;
}

/* Matrices by rows are the transposed ones by columns, as cuBLAS has them: Y^T = W X^T. */
static int32_t launch_library(const struct padding *padding)
{
    static const float one = 1.0f;
    static const float zero = 0.0f;
    const struct cuda_padding *cuda = padding->own;
    const struct cublas_functions *functions = cuda->cublas.functions;
    const struct batch_shape *shape = &padding->shape;
    const int m = (int)shape->m;
    const int n = (int)shape->n;
    const int k = (int)shape->k;
    int result;
    if (shape->batch == 1)
        result = functions->multiply(cuda->cublas.handle, CUBLAS_TRANSPOSED, CUBLAS_AS_IT_IS, n, m,
                                     k, &one, padding->arrays[ARRAY_RIGHT].device, k,
                                     padding->arrays[ARRAY_LEFT].device, k, &zero,
                                     padding->arrays[ARRAY_OUTPUT].device, n);
    else
        result = functions->multiply_batch(
            cuda->cublas.handle, CUBLAS_TRANSPOSED, CUBLAS_AS_IT_IS, n, m, k, &one,
            padding->arrays[ARRAY_RIGHT].device, k, shape->n * shape->k,
            padding->arrays[ARRAY_LEFT].device, k, shape->m * shape->k, &zero,
            padding->arrays[ARRAY_OUTPUT].device, n, shape->m * shape->n, (int)shape->batch);
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
        result = driver->function_attribute(&value, metrics[i].attribute, cuda->launch.function);
        if (metrics[i].attribute == CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES)
            value += (int)plan->shared;
        if (result == CUDA_SUCCESS)
            host->metric(host, metrics[i].name, value, metrics[i].unit);
    }
    host->metric(host, "blocks", (double)plan->columns * plan->rows * plan->products, "blocks");
    host->metric(host, "padding_ratio", plan->padding_ratio, "1");
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
                         driver->function_set(cuda->launch.function,
                                              CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                                              (int)cuda->plan.shared),
                         "asking for shared memory");
}

static void set_launch(struct padding *padding)
{
    struct cuda_padding *cuda = padding->own;
    const struct plan *plan = &cuda->plan;
    cuda->m = (int)padding->shape.m;
    cuda->n = (int)padding->shape.n;
    cuda->k = (int)padding->shape.k;
    cuda->launch = (struct cuda_launch){
        .columns = plan->columns,
        .rows = plan->rows,
        .layers = plan->products,
        .threads = plan->threads,
        .shared = plan->shared,
        .arguments = {&padding->arrays[ARRAY_LEFT].device, &padding->arrays[ARRAY_RIGHT].device,
                      &padding->arrays[ARRAY_OUTPUT].device, &cuda->m, &cuda->n, &cuda->k},
    };
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

static int32_t cuda_prepare(struct padding *padding, const struct gb_queue *queue)
{
    struct cuda_padding *cuda = padding->own;
    const struct gb_host *host = padding->host;
    const struct params *params = padding->params;
    if (is_by_library(padding))
        return prepare_library(padding, queue);
    cuda->plan = plan_of(&padding->shape, params->problem, params->schedule, params->tile,
                         host->device->n_units);
    set_launch(padding);
    int32_t status = cuda_kernels_load(&cuda->kernels, &padding_image, cuda->plan.kernel,
                                       &cuda->launch.function);
    if (status == GB_OK)
        status = ask_for_shared(padding);
    if (status == GB_OK && params->compile != 0)
        status = tell_compiled(padding);
    return status == GB_OK ? tell_resources(padding) : status;
}

static int32_t cuda_run(const struct padding *padding, const struct gb_queue *queue,
                        uint64_t iterations)
{
    const struct cuda_padding *cuda = padding->own;
    if (is_by_library(padding))
        return run_library(padding, iterations);
    return cuda_launch(&cuda->kernels, &cuda->launch, queue, iterations, "launching products");
}

static void cuda_destroy(void *object)
{
    struct cuda_padding *cuda = object;
    cublas_free(&cuda->cublas);
    cuda_kernels_free(&cuda->kernels);
}

static const struct backend padding_cuda = {
    .own_bytes = sizeof(struct cuda_padding),
    .create = cuda_create,
    .prepare = cuda_prepare,
    .run = cuda_run,
    .destroy = cuda_destroy,
};

#endif

/* --- create --- */

static int64_t or_default(int64_t given, int64_t otherwise)
{
    return given != 0 ? given : otherwise;
}

static struct batch_shape shape_of(const struct params *params)
{
    const struct batch_shape *otherwise = &defaults[params->problem];
    return (struct batch_shape){
        .m = or_default(params->m, otherwise->m),
        .n = or_default(params->n, otherwise->n),
        .k = or_default(params->k, otherwise->k),
        .batch = or_default(params->batch, otherwise->batch),
    };
}

static int32_t set_up(struct padding *padding)
{
    static const struct gb_format float32 = {.format = GB_F32, .bytes = sizeof(float)};
    const struct params *params = padding->params;
    padding->shape = shape_of(params);
    const struct batch_shape *shape = &padding->shape;
    const uint64_t m = (uint64_t)shape->m, n = (uint64_t)shape->n, k = (uint64_t)shape->k;
    const uint64_t batch = (uint64_t)shape->batch;
    const uint64_t lengths[] = {batch * m * k, batch * n * k, batch * m * n};
    arrays_describe(padding->arrays, lengths, &float32, &float32);
    if (params->tile != TILE_AUTO && params->schedule != SCHEDULE_TUNED)
        return host_skip(padding->host,
                         "schedule = %s is made of fixed tiles: tile is for schedule = tuned",
                         schedules[params->schedule]);
    return GB_OK;
}

BACKEND_OPS(struct padding, padding_cpu, padding_cuda, set_up);

/* --- prepare --- */

static int32_t refresh(void *object, const struct gb_queue *queue, uint64_t set)
{
    static const struct range range = {1, {{-0.1, 0.1}}};
    const struct padding *padding = object;
    (void)queue;
    return arrays_refresh(padding->arrays, padding->host, &range, false, set);
}

static int32_t prepare(void *object, const struct gb_queue *queue)
{
    struct padding *padding = object;
    int32_t status = arrays_take(padding->arrays, padding->host, padding->backend->has_host_memory);
    if (status == GB_OK)
        status = backend_prepare(object, queue);
    return status == GB_OK ? refresh(padding, queue, 0) : status;
}

/* --- verify --- */

static int32_t take_room(struct padding *padding)
{
    const struct gb_host *host = padding->host;
    const struct batch_shape *shape = &padding->shape;
    const uint64_t n = padding->arrays[ARRAY_OUTPUT].n;
    int32_t status = GB_OK;
    padding->sums = host_memory(host, n * sizeof(double), &status);
    padding->sizes = host_memory(host, n * sizeof(double), &status);
    padding->wide_x = host_memory(
        host, padding->arrays[ARRAY_LEFT].n / (uint64_t)shape->batch * sizeof(double), &status);
    padding->wide_w = host_memory(
        host, padding->arrays[ARRAY_RIGHT].n / (uint64_t)shape->batch * sizeof(double), &status);
    return status;
}

static void widen(const float *values, int64_t n, double *ret)
{
    for (int64_t i = 0; i < n; i++)
        ret[i] = (double)values[i];
}

/* By one thread, as other cases may be measured beside this one. */
static int32_t compute_reference(const struct padding *padding)
{
    const struct gb_host *host = padding->host;
    const struct batch_shape *shape = &padding->shape;
    const struct reference_request request = {
        .shape = {(uint64_t)shape->m, (uint64_t)shape->n, (uint64_t)shape->k},
        .a = padding->wide_x,
        .b = padding->wide_w,
        .n_threads = 1,
    };
    int32_t status = GB_OK;
    for (int64_t i = 0; i < shape->batch && status == GB_OK; i++) {
        const int64_t first_y = i * shape->m * shape->n;
        if (host->cancelled(host) != 0)
            return GB_CANCELLED;
        widen((const float *)padding->arrays[ARRAY_LEFT].host + i * shape->m * shape->k,
              shape->m * shape->k, padding->wide_x);
        widen((const float *)padding->arrays[ARRAY_RIGHT].host + i * shape->n * shape->k,
              shape->n * shape->k, padding->wide_w);
        status = reference_product(&request, padding->sums + first_y, padding->sizes + first_y);
    }
    return status;
}

static int32_t verify(void *object, const struct gb_queue *queue)
{
    struct padding *padding = object;
    const struct gb_host *host = padding->host;
    const uint64_t n = padding->arrays[ARRAY_OUTPUT].n;
    (void)queue;
    int32_t status = padding->wide_w == NULL ? take_room(padding) : GB_OK;
    arrays_read_output(padding->arrays, host, &status);
    if (status == GB_OK)
        status = compute_reference(padding);
    if (status != GB_OK)
        return status;
    const struct gb_check check = {
        .size = sizeof check,
        .format = GB_F32,
        .name = "Y",
        .n = n,
        .output = padding->arrays[ARRAY_OUTPUT].host,
        .reference = padding->sums,
        .magnitude = padding->sizes,
        .n_products = (uint64_t)padding->shape.k,
        .accumulate = GB_F32,
        .default_metric = "bound",
        .default_tolerance = 1.0,
    };
    return host->check(host, &check);
}

/* --- the plugin --- */

static int32_t work(void *object, struct gb_work *work)
{
    const struct padding *padding = object;
    work->flops = 2.0 * (double)padding->arrays[ARRAY_OUTPUT].n * (double)padding->shape.k;
    work->bytes_read = (double)(padding->arrays[ARRAY_LEFT].n + padding->arrays[ARRAY_RIGHT].n) *
                       sizeof(float);
    work->bytes_written = (double)padding->arrays[ARRAY_OUTPUT].n * sizeof(float);
    GB_WORK_MATH(work, GB_F32, GB_MATH_VECTOR);
    return GB_OK;
}

static const struct gb_bench_ops ops = {
    .size = sizeof ops,
    .create = backend_create,
    .prepare = prepare,
    .run = backend_run,
    .verify = verify,
    .work = work,
    .destroy = backend_destroy,
    .refresh = refresh,
};

static const struct gb_plugin plugin = {
    GB_PLUGIN(BENCH, "padding", "1.0",
              "matrix products whose tiles hang over: guards, partitioning, padding"),
    .help =
        "Y[m,n] = X[m,k] W[n,k]^T in single precision is computed tile by tile, and the last tiles "
        "hang over the ends of the matrices. `baseline` guards every access and every "
        "multiply-add. `partition` has loops of their own, without guards, for the tiles and steps "
        "that lie inside. `pad` fills local tiles up with zeros on the way in, computes without "
        "guards and guards the way out. `partition_pad` does both. All outputs are compared with a "
        "float64 reference; inputs are uniform in [-0.1, 0.1].\n\n"
        "With problem = dense a few tiles of the last row and the last step along k hang over. "
        "With problem = batched every product is one tile that hangs over: no loop can be parted, "
        "and partition is the same code as baseline.\n\n"
        "On CUDA tiles are 128 x 128: dense by steps of 4 with 256 threads, 16 x 4 outputs each; "
        "batched by steps of 8 with 128 threads, 32 x 4 outputs each. Guards that the shape proves "
        "true are left out where a compiler that knows it would (columns of dense, steps of "
        "batched), and a tail whose rows are those of whole threads is guarded by thread. `tuned` "
        "is padded, has larger tiles of registers, copies ahead asynchronously and chooses its "
        "tile: the blocks of each multiprocessor in turn times the work of a block, filling it "
        "included, is least; conf/tune.ini is the search that found its kernels. `cublas` is "
        "cublasSgemm with pedantic math. Metrics: registers, spill_bytes and shared_bytes of the "
        "kernel, its blocks, and padding_ratio, the work that is computed over the work that is "
        "wanted. With compile = yes also compile_ms, what NVRTC takes for the kernel alone, and "
        "code_bytes, the size of its instructions; cublas has neither.\n\n"
        "On the CPU one thread computes tiles of 6 x 16 by steps of 4: with AVX2 and FMA where the "
        "processor has them, and with scalars where elements have guards. `tuned` packs both "
        "matrices into blocks that fit the caches and uses AVX-512 if it is there. There is no "
        "cublas, and tile does not apply.",
    .devices = PLUGIN_DEVICES,
    GB_OPTIONS(options, struct params),
    .ops = &ops,
};

GB_MODULE(&plugin)
