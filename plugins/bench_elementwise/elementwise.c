/*
 * elementwise.c - the benchmark `elementwise`: kernels whose speed is that of memory. Plugin side.
 *
 * Inputs are made chunk by chunk, in prepare for the device and in verify once more for the
 * reference: what is compared in the end never passed through the device.
 */
#include "elementwise.h"

#include "plugins/common/bench_memory.h"
#include "plugins/common/policy/exact_sum.h"

#include <gbrun/gbrun.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#ifdef PLUGIN_WITH_CUDA
#include "plugins/common/cuda/cuda_launch.h"
#endif

/* The longest row is a chunk. */
enum { CHUNK_VALUES = 1 << 20, BLOCK_VALUES = 1 << 15, INPUTS_MAX = 2 };

static const char *const kernel_words[] = {"copy",      "scale",   "add",     "triad",
                                           "gelu",      "relu",    "softmax", "layernorm",
                                           "batchnorm", "maxpool", "sum"};
static const char *const dtype_words[DTYPES] = {"fp32", "fp16", "bf16", "fp64"};

static const struct gb_option options[] = {
    GB_CHOICE(struct params, kernel, "copy", kernel_words, "operation on the elements"),
    GB_CHOICE(struct params, dtype, "fp32", dtype_words, "type of the elements"),
    GB_INT(struct params, n, "16Mi", "1:2^32", "elements", "elements of each array"),
    GB_INT(struct params, columns, "1024", "1:1048576", "elements",
           "softmax, layernorm and batchnorm: elements of a row; maxpool: of a row of an image, "
           "which has as many rows"),
    GB_FLOAT(struct params, low, "-1", "-1000:1000", NULL, "lower bound of the random inputs"),
    GB_FLOAT(struct params, high, "1", "-1000:1000", NULL, "up to here"),
    GB_INT(struct params, block, "256", "32:1024", "threads",
           "CUDA: threads in a block, a multiple of 32"),
    GB_INT(struct params, threads, "0", "0:1024", "threads",
           "CPU: threads, each on its own CPU; 0: one for each CPU"),
};

/* What elements of a DTYPE_... are, and what they are computed with. */
static const struct {
    uint32_t format, computed_format;
} types[DTYPES] = {
    [DTYPE_FP32] = {GB_F32, GB_F32},
    [DTYPE_FP16] = {GB_F16, GB_F32},
    [DTYPE_BF16] = {GB_BF16, GB_F32},
    [DTYPE_FP64] = {GB_F64, GB_F64},
};

/* --- on CUDA: one launch of a kernel each --- */

#ifdef PLUGIN_WITH_CUDA

#define NUMBERS "plugins/bench_elementwise/numbers.cuh"
CUDA_IMAGE_AFTER(each_image, NUMBERS, "plugins/bench_elementwise/each");
CUDA_IMAGE_AFTER(planes_image, NUMBERS, "plugins/bench_elementwise/planes");
CUDA_IMAGE_AFTER(rows_image, NUMBERS, "plugins/bench_elementwise/rows");
CUDA_IMAGE_AFTER(sum_image, NUMBERS, "plugins/bench_elementwise/sum");

enum {
    WARP = 32, /* as in the kernels, */
    VECTOR_BYTES = 16,
    HELD_BY_WARP = 8, /* vectors of a row, by each thread, */
    HELD_BY_BLOCK = 4,
    UNDER_WAY = 4,   /* and of all inputs of other kernels: these as well */
    OF_BLOCK = 5 + 5 /* additions of a warp, and of the sums of its warps */
};

struct elementwise_cuda {
    struct cuda_kernels kernels;
    struct cuda_launch launch;
    void *partial, *ticket; /* of sums: each block's, and which of them is the last to end */
    unsigned long long n_rows, n_vectors;
    unsigned columns, per_thread;
    uint64_t resident_blocks; /* that the device has room for */
};

static uint64_t in_vector(const struct elementwise *elementwise)
{
    return VECTOR_BYTES / elementwise->element_bytes;
}

static int32_t check_rows(const struct elementwise *elementwise)
{
    const struct gb_host *host = elementwise->host;
    const struct params *params = elementwise->params;
    const uint64_t warp_holds = (uint64_t)HELD_BY_WARP * WARP * in_vector(elementwise);
    const uint64_t block_holds = (uint64_t)HELD_BY_BLOCK * (uint64_t)params->block *
                                 in_vector(elementwise);
    const uint64_t most = warp_holds > block_holds ? warp_holds : block_holds;
    if (elementwise->columns % in_vector(elementwise) != 0)
        return host_skip(host,
                         "columns = %" PRId64 " of %s: a row is a multiple of %d bytes on a GPU",
                         params->columns, dtype_words[params->dtype], VECTOR_BYTES);
    if (elementwise->columns <= most || !elementwise->kernel->has_sums)
        return GB_OK;
    return host_skip(host,
                     "columns = %" PRId64 " of %s: a block of %" PRId64 " threads holds %" PRIu64,
                     params->columns, dtype_words[params->dtype], params->block, most);
}

static int32_t cuda_create(struct elementwise *elementwise)
{
    const struct gb_host *host = elementwise->host;
    const struct params *params = elementwise->params;
    if (params->threads != THREADS_DEFAULT)
        return host->skip(host, "threads is for the CPU: those of a GPU are in blocks, see block");
    if (params->block % WARP != 0)
        return host_skip(host, "block = %" PRId64 " is not a multiple of %d", params->block, WARP);
    const int32_t status = elementwise->kernel->has_rows ? check_rows(elementwise) : GB_OK;
    return status == GB_OK ? cuda_kernels_open(elementwise->own, host) : status;
}

static int32_t ask_device(const struct elementwise *elementwise)
{
    struct elementwise_cuda *cuda = elementwise->own;
    const uint64_t block = (uint64_t)elementwise->params->block;
    int units = 0;
    int threads = 0;
    int blocks = 0;
    const struct driver_question questions[] = {
        {&units, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT},
        {&threads, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR},
        {&blocks, CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR},
    };
    const int32_t status = driver_ask(&cuda->kernels.driver, elementwise->host, questions, 3,
                                      "querying how many blocks fit");
    cuda->resident_blocks = (uint64_t)units * smaller((uint64_t)threads / block, (uint64_t)blocks);
    return status;
}

/* A kernel that holds much in registers cannot have blocks of any size. */
static int32_t check_block(const struct elementwise *elementwise)
{
    const struct elementwise_cuda *cuda = elementwise->own;
    const struct gb_host *host = elementwise->host;
    int most = 0;
    const CUresult result = cuda->kernels.driver.function_attribute(
        &most, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, cuda->launch.function);
    if (result != CUDA_SUCCESS)
        return driver_status(&cuda->kernels.driver, host, result,
                             "querying the registers of a kernel");
    if (elementwise->params->block <= most)
        return GB_OK;
    return host_skip(host, "block = %lld: the registers of this kernel allow at most %d threads",
                     (long long)elementwise->params->block, most);
}

/* The kernel, `infix` says which of its variants, with these blocks and arguments. */
static int32_t load(const struct elementwise *elementwise, const struct cuda_image *image,
                    const char *infix, uint64_t n_blocks, void *const *arguments, size_t n)
{
    struct elementwise_cuda *cuda = elementwise->own;
    char name[48];
    snprintf(name, sizeof name, "%s_%s%s", elementwise->kernel->name, infix,
             dtype_words[elementwise->params->dtype]);
    cuda->launch.columns = n_blocks > 0 ? (unsigned)n_blocks : 1;
    cuda->launch.threads = (unsigned)elementwise->params->block;
    memcpy(cuda->launch.arguments, arguments, n * sizeof *arguments);
    const int32_t status = cuda_kernels_load(&cuda->kernels, image, name, &cuda->launch.function);
    return status == GB_OK ? check_block(elementwise) : status;
}

/* One vector a thread spreads few of them over all multiprocessors, and memory is used best by
 * blocks that end and make room. From a cache several loads under way in each thread hide more
 * latency, once there are more vectors than threads. */
static unsigned vectors_per_thread(const struct elementwise *elementwise, uint64_t n_vectors)
{
    const struct elementwise_cuda *cuda = elementwise->own;
    const uint64_t n_inputs = elementwise->kernel->n_inputs;
    const uint64_t bytes = n_vectors * VECTOR_BYTES * (n_inputs + 1);
    const bool is_cached = bytes <= elementwise->host->device->cache_bytes;
    const uint64_t n_threads = cuda->resident_blocks * (uint64_t)elementwise->params->block;
    return is_cached && n_vectors > n_threads ? UNDER_WAY / (unsigned)n_inputs : 1;
}

static int32_t prepare_each(struct elementwise *elementwise, struct elementwise_cuda *cuda)
{
    const uint64_t block = (uint64_t)elementwise->params->block;
    const uint64_t n_vectors = elementwise->n / in_vector(elementwise);
    void *const arguments[] = {&elementwise->output, &elementwise->inputs[0],
                               &elementwise->inputs[1], &elementwise->n, &cuda->per_thread};
    cuda->per_thread = vectors_per_thread(elementwise, n_vectors);
    return load(elementwise, &each_image, "", quotient_up(n_vectors, block * cuda->per_thread),
                arguments, 5);
}

/* One vector a thread, none of which is held. */
static int32_t prepare_planes(struct elementwise *elementwise, struct elementwise_cuda *cuda)
{
    const uint64_t block = (uint64_t)elementwise->params->block;
    void *const arguments[] = {&elementwise->output, &elementwise->inputs[0],
                               &elementwise->inputs[1], &cuda->n_vectors, &cuda->columns};
    cuda->n_vectors = elementwise->n / in_vector(elementwise);
    return load(elementwise, &planes_image, "", quotient_up(cuda->n_vectors, block), arguments, 5);
}

/* Additions: within a thread, within its warp, and of the block's warps. */
static int32_t prepare_rows(struct elementwise *elementwise, struct elementwise_cuda *cuda)
{
    const uint64_t warps = (uint64_t)elementwise->params->block / WARP;
    const bool is_by_warp = elementwise->columns <=
                            (uint64_t)HELD_BY_WARP * WARP * in_vector(elementwise);
    const uint64_t held = is_by_warp ? HELD_BY_WARP : HELD_BY_BLOCK;
    void *const arguments[] = {&elementwise->output, &elementwise->inputs[0], &cuda->n_rows,
                               &cuda->columns};
    elementwise->sum_depth = held * in_vector(elementwise) + 5 + (is_by_warp ? 0 : warps);
    return load(elementwise, &rows_image, is_by_warp ? "warp_" : "block_",
                is_by_warp ? quotient_up(cuda->n_rows, warps) : cuda->n_rows, arguments, 4);
}

/* Additions in a thread: of a vector's elements and of the 4 vectors of a tile; of those of its
 * tiles or, in place of the last, of 3 vectors; then of its block. In the block that comes last a
 * thread adds up every so many blocks' sums. */
static int32_t prepare_sum(struct elementwise *elementwise, struct elementwise_cuda *cuda)
{
    const struct gb_host *host = elementwise->host;
    const uint64_t block = (uint64_t)elementwise->params->block;
    const uint64_t n_tiles = quotient_up(elementwise->n / in_vector(elementwise),
                                         block * UNDER_WAY);
    const uint64_t wanted = smaller(n_tiles, cuda->resident_blocks);
    const uint64_t n_blocks = wanted > 0 ? wanted : 1;
    const uint64_t in_thread = 3 + 2 + quotient_up(n_tiles, n_blocks) + 2;
    void *const arguments[] = {&elementwise->output, &elementwise->inputs[0], &elementwise->n,
                               &cuda->partial, &cuda->ticket};
    int32_t status = GB_OK;
    elementwise->sum_depth = in_thread + OF_BLOCK + quotient_up(n_blocks, block) + OF_BLOCK;
    cuda->partial = device_memory(host, n_blocks * elementwise->output_bytes, GB_MEMORY_DEVICE,
                                  &status);
    cuda->ticket = device_filled(host, sizeof(unsigned), 0, &status);
    return status == GB_OK ? load(elementwise, &sum_image, "", n_blocks, arguments, 5) : status;
}

static int32_t cuda_prepare(struct elementwise *elementwise, const struct gb_queue *queue)
{
    struct elementwise_cuda *cuda = elementwise->own;
    (void)queue;
    const int32_t status = ask_device(elementwise);
    cuda->n_rows = elementwise->n / elementwise->columns;
    cuda->columns = (unsigned)elementwise->columns;
    if (status != GB_OK)
        return status;
    if (elementwise->kernel->has_rows)
        return elementwise->kernel->has_sums ? prepare_rows(elementwise, cuda)
                                             : prepare_planes(elementwise, cuda);
    return elementwise->kernel->has_sums ? prepare_sum(elementwise, cuda)
                                         : prepare_each(elementwise, cuda);
}

static int32_t cuda_run(const struct elementwise *elementwise, const struct gb_queue *queue,
                        uint64_t iterations)
{
    const struct elementwise_cuda *cuda = elementwise->own;
    return cuda_launch(&cuda->kernels, &cuda->launch, queue, iterations, "launching a kernel");
}

static const struct backend elementwise_cuda = {
    .own_bytes = sizeof(struct elementwise_cuda),
    .create = cuda_create,
    .prepare = cuda_prepare,
    .run = cuda_run,
    .destroy = cuda_kernels_free,
};

#endif

/* --- create --- */

/* Elements that belong together. */
static int64_t row_of(const struct params *params)
{
    return kernels[params->kernel].has_images ? params->columns * params->columns : params->columns;
}

static int32_t check_params(const struct gb_host *host, const struct params *params)
{
    if (!(params->low <= params->high))
        return host_fail(host, "low = %g is above high = %g", params->low, params->high);
    if (!kernels[params->kernel].has_rows)
        return GB_OK;
    if (row_of(params) > CHUNK_VALUES)
        return host_fail(host, "columns = %" PRId64 ": an image has at most %d elements",
                         params->columns, CHUNK_VALUES);
    if (params->n % row_of(params) != 0)
        return host_fail(host, "n = %" PRId64 " is not a whole number of %s of columns = %" PRId64,
                         params->n, kernels[params->kernel].has_images ? "images" : "rows",
                         params->columns);
    return GB_OK;
}

static void describe_arrays(struct elementwise *elementwise)
{
    const struct params *params = elementwise->params;
    const bool is_sum = params->kernel == KERNEL_SUM;
    const uint32_t computed = types[params->dtype].computed_format;
    const struct gb_formats *formats = elementwise->formats;
    elementwise->kernel = &kernels[params->kernel];
    elementwise->n = (uint64_t)params->n;
    elementwise->columns = (uint64_t)params->columns;
    elementwise->row = (uint64_t)row_of(params);
    elementwise->format = types[params->dtype].format;
    elementwise->element_bytes = formats->describe(elementwise->format)->bytes;
    elementwise->output_format = is_sum ? computed : elementwise->format;
    elementwise->n_outputs = is_sum ? 1 : elementwise->n;
    elementwise->output_bytes = elementwise->n_outputs *
                                formats->describe(elementwise->output_format)->bytes;
}

static int32_t set_up(struct elementwise *elementwise)
{
    const struct gb_host *host = elementwise->host;
    int32_t status = check_params(host, elementwise->params);
    if (status == GB_OK)
        status = host_formats(host, &elementwise->formats);
    if (status == GB_OK)
        describe_arrays(elementwise);
    return status;
}

BACKEND_OPS(struct elementwise, elementwise_cpu, elementwise_cuda, set_up);

/* --- the inputs --- */

/* Whole rows. */
static uint64_t chunk_values(const struct elementwise *elementwise)
{
    if (!elementwise->kernel->has_rows)
        return CHUNK_VALUES;
    return CHUNK_VALUES / elementwise->row * elementwise->row;
}

/* `first` is where a chunk begins. */
static int32_t make_values(const struct elementwise *elementwise, uint32_t input, uint64_t first,
                           void *values, uint64_t n)
{
    const struct gb_host *host = elementwise->host;
    const struct gb_fill fill = {
        .size = sizeof fill,
        .format = elementwise->format,
        .stream = first / chunk_values(elementwise) * INPUTS_MAX + input,
        .low = elementwise->params->low,
        .high = elementwise->params->high,
    };
    if (host->cancelled(host) != 0)
        return GB_CANCELLED;
    return host->fill(host, values, n, &fill);
}

static int32_t fill_input(const struct elementwise *elementwise, uint32_t input, void *chunk)
{
    const struct gb_host *host = elementwise->host;
    const uint64_t size = chunk_values(elementwise);
    char *to = elementwise->inputs[input];
    int32_t status = GB_OK;
    for (uint64_t first = 0; first < elementwise->n && status == GB_OK; first += size) {
        const uint64_t n = smaller(size, elementwise->n - first);
        status = make_values(elementwise, input, first, chunk, n);
        copy_memory(host, to + first * elementwise->element_bytes, chunk,
                    n * elementwise->element_bytes, &status);
    }
    return status;
}

/* What has not been computed is not a number. */
static int32_t prepare(void *object, const struct gb_queue *queue)
{
    struct elementwise *elementwise = object;
    const struct gb_host *host = elementwise->host;
    const uint64_t input_bytes = elementwise->n * elementwise->element_bytes;
    int32_t status = GB_OK;
    elementwise->output = device_filled(host, elementwise->output_bytes, 0xff, &status);
    void *chunk = device_memory(host,
                                smaller(CHUNK_VALUES, elementwise->n) * elementwise->element_bytes,
                                GB_MEMORY_PINNED, &status);
    for (uint32_t i = 0; i < elementwise->kernel->n_inputs && status == GB_OK; i++) {
        elementwise->inputs[i] = device_memory(host, input_bytes, GB_MEMORY_DEVICE, &status);
        if (status == GB_OK)
            status = fill_input(elementwise, i, chunk);
    }
    return status == GB_OK ? backend_prepare(object, queue) : status;
}

/* --- verify --- */

struct verification {
    void *stored[INPUTS_MAX];   /* a chunk of each input */
    double *values[INPUTS_MAX]; /* blocks of them */
    void *output;
    double *reference;
    double *magnitude; /* a block's where results are rounded once: it is not asked for then */
};

static bool is_rounded_once(const struct elementwise *elementwise)
{
    return elementwise->kernel->roundings == 0;
}

/* Whole rows, few enough for the caches, of a chunk. */
static uint64_t block_values(const struct elementwise *elementwise)
{
    const uint64_t row = elementwise->kernel->has_rows ? elementwise->row : 1;
    return smaller(quotient_up(BLOCK_VALUES, row) * row, chunk_values(elementwise));
}

static int32_t take_memory(const struct elementwise *elementwise, struct verification *verification)
{
    const struct gb_host *host = elementwise->host;
    const uint64_t n_block = smaller(block_values(elementwise), elementwise->n);
    const uint64_t n_stored = smaller(CHUNK_VALUES, elementwise->n);
    const uint64_t n_magnitude = is_rounded_once(elementwise)
                                     ? smaller(n_block, elementwise->n_outputs)
                                     : elementwise->n_outputs;
    int32_t status = GB_OK;
    verification->reference = host_memory(host, elementwise->n_outputs * sizeof(double), &status);
    verification->magnitude = host_memory(host, n_magnitude * sizeof(double), &status);
    for (uint32_t i = 0; i < elementwise->kernel->n_inputs; i++) {
        verification->stored[i] = host_memory(host, n_stored * elementwise->element_bytes, &status);
        verification->values[i] = host_memory(host, n_block * sizeof(double), &status);
    }
    return status;
}

/* The chunk that an element is the first of, or a block of the one that was made. */
static int32_t load_values(const struct elementwise *elementwise,
                           const struct verification *verification, uint64_t first, uint64_t n)
{
    const uint64_t in_chunk = first % chunk_values(elementwise);
    const uint64_t n_chunk = smaller(chunk_values(elementwise), elementwise->n - first);
    for (uint32_t i = 0; i < elementwise->kernel->n_inputs; i++) {
        void *stored = verification->stored[i];
        const int32_t status = in_chunk == 0 ? make_values(elementwise, i, first, stored, n_chunk)
                                             : GB_OK;
        if (status != GB_OK)
            return status;
        elementwise->formats->load(elementwise->format, stored, in_chunk, n,
                                   verification->values[i]);
    }
    return GB_OK;
}

static double smallest_over_roundoff(const struct elementwise *elementwise)
{
    const uint32_t computed = types[elementwise->params->dtype].computed_format;
    const struct gb_format *format = elementwise->formats->describe(computed);
    return ldexp(1.0, format->min_exponent + format->digits);
}

/* Sums of chunks are added up, all else stands side by side. */
static int32_t make_reference(const struct elementwise *elementwise,
                              const struct verification *verification)
{
    const uint64_t size = block_values(elementwise), chunk = chunk_values(elementwise);
    const bool is_sum = elementwise->n_outputs < elementwise->n;
    struct exact_sum sum = {0};
    struct exact_sum magnitude = {0};
    uint64_t n = 0;
    for (uint64_t first = 0; first < elementwise->n; first += n) {
        n = smaller(smaller(size, chunk - first % chunk), elementwise->n - first);
        const struct reference_request request = {
            .a = verification->values[0],
            .b = verification->values[1],
            .n = n,
            .columns = elementwise->columns,
            .smallest = smallest_over_roundoff(elementwise),
        };
        double *reference = verification->reference + (is_sum ? 0 : first);
        double *sizes = verification->magnitude +
                        (is_sum || is_rounded_once(elementwise) ? 0 : first);
        const int32_t status = load_values(elementwise, verification, first, n);
        if (status != GB_OK)
            return status;
        elementwise->kernel->reference(&request, reference, sizes);
        exact_sum_add(&sum, *reference);
        exact_sum_add(&magnitude, *sizes);
    }
    if (is_sum) {
        verification->reference[0] = sum.high;
        verification->magnitude[0] = magnitude.high;
    }
    return GB_OK;
}

/* With fp64 the reference is rounded as often as what is compared with it. */
static int32_t compare(const struct elementwise *elementwise,
                       const struct verification *verification)
{
    const struct gb_host *host = elementwise->host;
    const struct kernel *kernel = elementwise->kernel;
    const bool is_copy = elementwise->params->kernel == KERNEL_COPY;
    const bool is_once = is_rounded_once(elementwise);
    const struct gb_check check = {
        .size = sizeof check,
        .format = elementwise->output_format,
        .name = "output",
        .n = elementwise->n_outputs,
        .output = verification->output,
        .reference = verification->reference,
        .magnitude = is_once ? NULL : verification->magnitude,
        .n_products = is_once ? 0
                              : kernel->roundings + (kernel->has_sums ? elementwise->sum_depth : 0),
        .accumulate = types[elementwise->params->dtype].computed_format,
        .flags = is_copy ? GB_CHECK_EXACT : 0u,
        .default_metric = is_once ? "ulp" : "bound",
        .default_tolerance = is_once ? 0.5 : 1.0,
        .safety = elementwise->params->dtype == DTYPE_FP64 ? 2.0 : 1.0,
    };
    return host->check(host, &check);
}

static int32_t verify(void *object, const struct gb_queue *queue)
{
    const struct elementwise *elementwise = object;
    const struct gb_host *host = elementwise->host;
    struct verification verification = {0};
    (void)queue;
    int32_t status = take_memory(elementwise, &verification);
    if (status == GB_OK)
        status = make_reference(elementwise, &verification);
    verification.output = host_copy_of(host, elementwise->output, elementwise->output_bytes,
                                       &status);
    return status == GB_OK ? compare(elementwise, &verification) : status;
}

/* --- the rest --- */

static int32_t work(void *object, struct gb_work *work)
{
    const struct elementwise *elementwise = object;
    const double n = (double)elementwise->n;
    work->flops = elementwise->kernel->flops * n;
    const struct kernel *kernel = elementwise->kernel;
    const double n_parameters = n / (double)elementwise->columns * kernel->n_parameters;
    const double n_read = kernel->n_parameters > 0 ? n + n_parameters : kernel->n_inputs * n;
    work->bytes_read = n_read * (double)elementwise->element_bytes;
    work->bytes_written = (double)elementwise->output_bytes;
    work->items = n;
    work->item = "element";
    GB_WORK_MATH(work, types[elementwise->params->dtype].computed_format, GB_MATH_VECTOR);
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
};

static const struct gb_plugin plugin = {
    GB_PLUGIN(BENCH, "elementwise", "1.0",
              "kernels with few operations per element: copies, sums, activations, norms"),
    .help = "Each kernel reads its arrays once and writes its result once, with so few operations "
            "per element that memory limits its speed:\n\n"
            "    kernel     result                                    flops   arrays\n"
            "    copy       a                                             0   2\n"
            "    scale      3 a                                           1   2\n"
            "    add        a + b                                         1   3\n"
            "    triad      a + 3 b                                       2   3\n"
            "    gelu       a / (1 + exp(-2 z)), the form with tanh       7   2\n"
            "    relu       a, or 0 where a is below it                   1   2\n"
            "    softmax    exp(a - max) / sum of those, of a row         4   2\n"
            "    layernorm  (a - mean) / sqrt(variance + 1e-5), of a row  6   2\n"
            "    batchnorm  f a + s, with f and s of a row                2   2\n"
            "    maxpool    the largest of 3 x 3 elements of an image     8   2\n"
            "    sum        the sum of all elements                       1   1\n\n"
            "Flops are per element; z is sqrt(2 / pi) (a + 0.044715 a^3). An exponential and a "
            "division count as one each, a comparison counts as none, except in relu and maxpool, "
            "which do nothing else: softmax subtracts, exponentiates, adds and divides; layernorm "
            "adds, subtracts, squares, adds, subtracts and divides. batchnorm takes f and s from "
            "the first and the last element of each row of b, so that a row stands for a channel. "
            "Images of maxpool are `columns` x `columns`; they have no padding. Exponentials of "
            "halves are computed twice and count once. Halves are computed with as fp32, and their "
            "sum is given as fp32.\n\n"
            "Random inputs lie between `low` and `high`. Results are compared with those in "
            "float64 of the same inputs: a copy bit by bit; scale, add, relu and maxpool to one "
            "rounding; all others by the bound that follows from the number of roundings and, for "
            "sums, from the order of additions.\n\n"
            "On a GPU a row is held in the registers of a warp or, if it is longer, of a block: 64 "
            "bytes for each thread of that, so that `block` = 1024 holds rows of 64 KiB. Rows are "
            "a multiple of 16 bytes there. A case that sets `threads` on a GPU, or `block` on a "
            "CPU, is skipped.",
    .devices = PLUGIN_DEVICES,
    GB_OPTIONS(options, struct params),
    .ops = &ops,
};

GB_MODULE(&plugin)
