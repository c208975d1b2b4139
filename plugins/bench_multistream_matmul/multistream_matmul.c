/*
 * multistream_matmul.c - the benchmark `multistream_matmul`: independent matrix products, spread
 * over streams. Plugin side.
 *
 * Long and thin products leave most of a device idle, and several streams fill it: with P equal
 * problems on s streams the time falls in steps, T(1) ceil(P / s) / P, as long as there is room.
 */
#include "matmul.h"

#include "plugins/common/bench_memory.h"

#include <inttypes.h>
#include <math.h>

static const char *const inputs[] = {"ones", "random"};
static const char *const orders[] = {"breadth", "depth"};
static const char *const priorities[] = {"uniform", "graded"};
static const char *const allocations[] = {"malloc", "pool"};
static const char *const stamps[] = {"no", "yes", "each"};
static const char *const sums[] = {"register", "memory"};

static const int64_t EXACT_SUM_MAX = INT64_C(1) << 24; /* whole numbers that a float can hold */

static const struct gb_option options[] = {
    GB_INT(struct params, streams, "1", "1:1024", "streams", "streams that share the problems"),
    GB_INT(struct params, problems, "16", "1:65536", "problems", "independent products C = A B"),
    GB_INT(struct params, rows, "32", "1:65536", "rows", "rows of A and of C"),
    GB_INT(struct params, cols, "16", "1:65536", "columns", "columns of B and of C"),
    GB_INT(struct params, aligned, "131072", "1:1073741824", "elements",
           "columns of A and rows of B: the length of each sum"),
    GB_CHOICE(struct params, input, "ones", inputs,
              "ones, for which each output must be exactly aligned, or random values in [-1, 1]"),
    GB_CHOICE(struct params, order, "breadth", orders,
              "launch one problem on each stream in turn, or all of one stream before the next"),
    GB_INT(struct params, block, "16", "4:32", "threads",
           "CUDA: width and height of a block of threads"),
    GB_CHOICE(struct params, priority, "uniform", priorities,
              "CUDA: one priority for all streams, or from the highest on the first to the lowest"),
    GB_CHOICE(struct params, allocation, "malloc", allocations,
              "CUDA: memory of its own, or from the device's pool (cuMemAllocAsync)"),
    GB_INT(struct params, units, "0", "0:65536", "multiprocessors",
           "CUDA: multiprocessors to run on, by a green context, rounded up to a size that it "
           "supports; 0: all"),
    GB_CHOICE(
        struct params, stamps, "yes", stamps,
        "CUDA: record when and where each block runs, as metrics; each: of each problem, too"),
    GB_CHOICE(struct params, sum, "register", sums,
              "keep each sum in a register, or store it after every product, as `c[i] += a * b` "
              "does where c may alias"),
};

/* --- create --- */

static int32_t set_up(struct matmul *matmul)
{
    const struct params *params = matmul->params;
    const uint64_t n_problems = (uint64_t)params->problems;
    const uint64_t n_streams = (uint64_t)params->streams;
    matmul->a_size = (uint64_t)params->rows * (uint64_t)params->aligned;
    matmul->b_size = (uint64_t)params->cols * (uint64_t)params->aligned;
    matmul->c_size = (uint64_t)params->rows * (uint64_t)params->cols;
    matmul->n_streams = smaller(n_streams, n_problems);
    if (params->input != INPUT_ONES || params->aligned <= EXACT_SUM_MAX)
        return GB_OK;
    return host_fail(matmul->host,
                     "aligned = %" PRId64 ": sums of ones are exact up to %" PRId64
                     " in single precision; set input = random",
                     params->aligned, EXACT_SUM_MAX);
}

BACKEND_OPS(struct matmul, matmul_cpu, matmul_cuda, set_up);

/* --- inputs --- */

static int32_t take_memory(struct matmul *matmul, const struct gb_queue *queue, uint64_t n,
                           float **ret)
{
    const uint64_t n_problems = (uint64_t)matmul->params->problems;
    if (n > UINT64_MAX / sizeof **ret / n_problems)
        return GB_NO_MEMORY;
    return matmul->backend->allocate(matmul, queue, n_problems * n * sizeof **ret, ret);
}

static int32_t stage(struct matmul *matmul)
{
    const struct gb_host *host = matmul->host;
    if (matmul->backend->has_host_memory || matmul->staged_a != NULL)
        return GB_OK;
    int32_t status = GB_OK;
    matmul->staged_b = host_memory(host, matmul->b_size * sizeof(float), &status);
    matmul->staged_rows = host_memory(host, matmul->b_size * sizeof(float), &status);
    matmul->staged_a = host_memory(host, matmul->a_size * sizeof(float), &status);
    return status;
}

static float *host_a(const struct matmul *matmul, uint64_t problem)
{
    return matmul->backend->has_host_memory ? matmul->a + problem * matmul->a_size
                                            : matmul->staged_a;
}

static float *host_b(const struct matmul *matmul, uint64_t problem)
{
    return matmul->backend->has_host_memory ? matmul->b + problem * matmul->b_size
                                            : matmul->staged_b;
}

/* The same numbers on every device, B always by columns. */
static int32_t fill_on_host(const struct matmul *matmul, uint64_t problem)
{
    const struct gb_host *host = matmul->host;
    struct gb_fill fill = {
        .size = sizeof fill, .format = GB_F32, .stream = 2 * problem, .low = -1.0, .high = 1.0};
    const int32_t status = host->fill(host, host_a(matmul, problem), matmul->a_size, &fill);
    if (status != GB_OK)
        return status;
    fill.stream++;
    return host->fill(host, host_b(matmul, problem), matmul->b_size, &fill);
}

static void turn_to_rows(const struct matmul *matmul)
{
    const uint64_t n_cols = (uint64_t)matmul->params->cols;
    const uint64_t length = (uint64_t)matmul->params->aligned;
    for (uint64_t k = 0; k < length; k++) {
        for (uint64_t col = 0; col < n_cols; col++)
            matmul->staged_rows[k * n_cols + col] = matmul->staged_b[col * length + k];
    }
}

static int32_t upload(const struct matmul *matmul, uint64_t problem)
{
    const struct gb_host *host = matmul->host;
    const bool is_by_rows = matmul->backend->has_b_by_rows;
    int32_t status = GB_OK;
    if (is_by_rows)
        turn_to_rows(matmul);
    copy_memory(host, matmul->a + problem * matmul->a_size, matmul->staged_a,
                matmul->a_size * sizeof(float), &status);
    copy_memory(host, matmul->b + problem * matmul->b_size,
                is_by_rows ? matmul->staged_rows : matmul->staged_b, matmul->b_size * sizeof(float),
                &status);
    return status;
}

static int32_t fill_random(struct matmul *matmul)
{
    const struct gb_host *host = matmul->host;
    int32_t status = stage(matmul);
    for (uint64_t i = 0; status == GB_OK && i < (uint64_t)matmul->params->problems; i++) {
        if (host->cancelled(host))
            return GB_CANCELLED;
        status = fill_on_host(matmul, i);
        if (status == GB_OK && !matmul->backend->has_host_memory)
            status = upload(matmul, i);
    }
    return status;
}

static int32_t fill_ones(struct matmul *matmul, const struct gb_queue *queue)
{
    const uint64_t n_problems = (uint64_t)matmul->params->problems;
    const int32_t status = matmul->backend->set(matmul, queue, matmul->a,
                                                n_problems * matmul->a_size, 1.0f);
    if (status != GB_OK)
        return status;
    return matmul->backend->set(matmul, queue, matmul->b, n_problems * matmul->b_size, 1.0f);
}

/* --- prepare --- */

static int32_t order_launches(struct matmul *matmul)
{
    const uint64_t n_problems = (uint64_t)matmul->params->problems;
    const bool is_breadth = matmul->params->order == ORDER_BREADTH;
    const uint64_t n_rounds = is_breadth ? 1 : matmul->n_streams;
    struct launch *launches = matmul->host->allocate(matmul->host, n_problems * sizeof *launches);
    uint64_t n = 0;
    if (launches == NULL)
        return GB_NO_MEMORY;
    for (uint64_t first = 0; first < n_rounds; first++) {
        for (uint64_t i = first; i < n_problems; i += n_rounds)
            launches[n++] = (struct launch){.problem = i, .stream = i % matmul->n_streams};
    }
    matmul->launches = launches;
    return GB_OK;
}

/* Outputs start as NaN, so that none can be left unwritten unseen. */
static int32_t prepare(void *object, const struct gb_queue *queue)
{
    struct matmul *matmul = object;
    const uint64_t n_problems = (uint64_t)matmul->params->problems;
    int32_t status = take_memory(matmul, queue, matmul->a_size, &matmul->a);
    if (status == GB_OK)
        status = take_memory(matmul, queue, matmul->b_size, &matmul->b);
    if (status == GB_OK)
        status = take_memory(matmul, queue, matmul->c_size, &matmul->c);
    if (status == GB_OK)
        status = matmul->backend->set(matmul, queue, matmul->c, n_problems * matmul->c_size, NAN);
    if (status == GB_OK)
        status = matmul->params->input == INPUT_RANDOM ? fill_random(matmul)
                                                       : fill_ones(matmul, queue);
    if (status == GB_OK)
        status = order_launches(matmul);
    return status == GB_OK ? backend_prepare(object, queue) : status;
}

/* --- verify --- */

static void compute_reference(const struct matmul *matmul, uint64_t problem, double *reference,
                              double *magnitude)
{
    const uint64_t n_cols = (uint64_t)matmul->params->cols;
    const uint64_t length = (uint64_t)matmul->params->aligned;
    for (uint64_t i = 0; i < matmul->c_size; i++) {
        const float *left = host_a(matmul, problem) + i / n_cols * length;
        const float *right = host_b(matmul, problem) + i % n_cols * length;
        double sum = 0.0;
        double sum_of_sizes = 0.0;
        for (uint64_t k = 0; k < length; k++) {
            const double product = (double)left[k] * (double)right[k];
            sum += product;
            sum_of_sizes += fabs(product);
        }
        reference[problem * matmul->c_size + i] = sum;
        magnitude[problem * matmul->c_size + i] = sum_of_sizes;
    }
}

/* The host's copy holds one problem: the same numbers are made again for each. */
static int32_t random_reference(const struct matmul *matmul, double *reference, double *magnitude)
{
    const struct gb_host *host = matmul->host;
    for (uint64_t i = 0; i < (uint64_t)matmul->params->problems; i++) {
        if (host->cancelled(host))
            return GB_CANCELLED;
        const int32_t status = matmul->backend->has_host_memory ? GB_OK : fill_on_host(matmul, i);
        if (status != GB_OK)
            return status;
        compute_reference(matmul, i, reference, magnitude);
    }
    return GB_OK;
}

static int32_t verify(void *object, const struct gb_queue *queue)
{
    const struct matmul *matmul = object;
    const struct gb_host *host = matmul->host;
    const struct params *params = matmul->params;
    const uint64_t n = (uint64_t)params->problems * matmul->c_size;
    int32_t status = GB_OK;
    double *reference = host_memory(host, n * sizeof *reference, &status);
    double *magnitude = host_memory(host, n * sizeof *magnitude, &status);
    if (status == GB_OK && matmul->backend->verify != NULL)
        status = backend_verify(object, queue);
    const float *output = matmul->backend->has_host_memory
                              ? matmul->c
                              : host_copy_of(host, matmul->c, n * sizeof *output, &status);
    if (status == GB_OK && params->input == INPUT_RANDOM)
        status = random_reference(matmul, reference, magnitude);
    if (status != GB_OK)
        return status;
    for (uint64_t i = 0; i < n && params->input == INPUT_ONES; i++)
        reference[i] = magnitude[i] = (double)params->aligned;
    const struct gb_check check = {
        .size = sizeof check,
        .format = GB_F32,
        .name = "C",
        .n = n,
        .output = output,
        .reference = reference,
        .magnitude = magnitude,
        .n_products = (uint64_t)params->aligned,
        .accumulate = GB_F32,
        .flags = params->input == INPUT_ONES ? GB_CHECK_EXACT : 0u,
        .default_metric = "bound",
        .default_tolerance = 1.0,
    };
    return host->check(host, &check);
}

/* --- the plugin --- */

static int32_t work(void *object, struct gb_work *work)
{
    const struct matmul *matmul = object;
    const double problems = (double)matmul->params->problems;
    work->flops = 2.0 * problems * (double)matmul->c_size * (double)matmul->params->aligned;
    work->bytes_read = problems * (double)(matmul->a_size + matmul->b_size) * sizeof(float);
    work->bytes_written = problems * (double)matmul->c_size * sizeof(float);
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
};

static const struct gb_plugin plugin = {
    GB_PLUGIN(BENCH, "multistream_matmul", "1.0",
              "independent matrix products spread over streams"),
    .help =
        "Problem i goes to stream i mod streams. Each product is long and thin and fills only a "
        "small part of a device, so that more streams are faster in steps: the time is that of one "
        "stream times ceil(problems / streams) / problems, as long as there is room.\n\n"
        "On CUDA one thread computes each element of C, in blocks of block x block threads; all "
        "matrices are stored by rows, and sums are kept in order. Streams are non-blocking; they "
        "are forked from the queue and joined to it by events, even a single one. With units > 0 "
        "they belong to a green context with so many multiprocessors; the metric units is the "
        "number that it received. How many streams are launched side by side depends on "
        "CUDA_DEVICE_MAX_CONNECTIONS as well, which env.CUDA_DEVICE_MAX_CONNECTIONS sets.\n\n"
        "With stamps, on CUDA, each block records its start, its end and its multiprocessor; with "
        "more than 65536 blocks none does. Metrics report the run of median length among the last "
        "16:\n"
        "- fastest_problem, slowest_problem: from the first start to the last end of its blocks\n"
        "- units_used: multiprocessors that ran any block\n"
        "- predicted_time: of the slowest stream, its problems' times added up\n"
        "- predicted_speedup: all problems' times added up, over the predicted time\n"
        "- measured_to_predicted: from the first start to the last end, over the predicted time\n"
        "- problem_N, problem_N_unit, with stamps = each: its time, the multiprocessor it ended "
        "on\n\n"
        "Stamps make each block a little longer, which matters where problems take microseconds: "
        "turn them off there.\n\n"
        "On the CPU a stream is a thread that drains its own queue; at most one for each core. The "
        "threads are created untimed; the time runs from the first launch to the end of the last "
        "problem. B is stored by columns. Options for CUDA are refused: the case is skipped.\n\n"
        "With input = ones each output must be exactly `aligned`; with input = random it is "
        "compared with a float64 reference. Random inputs are the same on all devices.",
    .devices = PLUGIN_DEVICES,
    GB_OPTIONS(options, struct params),
    .ops = &ops,
};

GB_MODULE(&plugin)
