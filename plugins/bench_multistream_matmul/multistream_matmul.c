/*
 * multistream_matmul.c - the benchmark `multistream_matmul`: independent matrix products, spread
 * over streams. Plugin side.
 *
 * Long and thin products leave most of a device idle, and several streams fill it: with P equal
 * problems on s streams the time falls in steps, T(1) ceil(P / s) / P, as long as there is room. On
 * the CPU a stream is a thread, and there is room for as many as there are cores.
 */
#include "streams.h"

#include <gbrun/gbrun.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { INPUT_ONES, INPUT_RANDOM };
enum { ORDER_BREADTH, ORDER_DEPTH };
static const char *const inputs[] = {"ones", "random"};
static const char *const orders[] = {"breadth", "depth"};

static const int64_t EXACT_SUM_MAX = INT64_C(1) << 24; /* whole numbers that a float can hold */
enum { SPINS = 2000 };                                 /* some 20 us */

struct params {
    int64_t streams;
    int64_t problems;
    int64_t rows;
    int64_t cols;
    int64_t aligned;
    int32_t input;
    int32_t order;
};

struct multistream_matmul {
    const struct gb_host *host;
    const struct params *params;
    uint64_t a_size, b_size, c_size; /* elements of one problem's matrices */
    float *a, *b, *c;                /* of all problems; b by columns */
    uint64_t *launch_order;          /* streams, one entry a problem */
    struct streams *streams;
};

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
};

/* --- one product --- */

/* One element of the output after the other, as one thread of a device does for each: row of A
 * times column of B. The sum is kept in order and in single precision. */
static void multiply(float *restrict c, const float *restrict a, const float *restrict b,
                     const struct params *params)
{
    const size_t length = (size_t)params->aligned;
    for (int64_t row = 0; row < params->rows; row++) {
        for (int64_t col = 0; col < params->cols; col++) {
            const float *restrict left = a + (size_t)row * length;
            const float *restrict right = b + (size_t)col * length;
            float sum = 0.0f;
            for (size_t k = 0; k < length; k++)
                sum += left[k] * right[k];
            c[row * params->cols + col] = sum;
        }
    }
}

static void run_problem(void *object, uint64_t i)
{
    const struct multistream_matmul *bench = object;
    multiply(bench->c + i * bench->c_size, bench->a + i * bench->a_size,
             bench->b + i * bench->b_size, bench->params);
}

/* --- the benchmark --- */

static int32_t create(const struct gb_host *host, const void *params, void **ret_bench)
{
    const struct params *settings = params;
    if (settings->input == INPUT_ONES && settings->aligned > EXACT_SUM_MAX) {
        char text[160];
        snprintf(text, sizeof text,
                 "aligned = %" PRId64 ": sums of ones are exact up to %" PRId64
                 " in single precision; set input = random",
                 settings->aligned, EXACT_SUM_MAX);
        return host->fail(host, text);
    }
    struct multistream_matmul *bench = host->allocate(host, sizeof *bench);
    if (bench == NULL)
        return GB_NO_MEMORY;
    bench->host = host;
    bench->params = settings;
    bench->a_size = (uint64_t)settings->rows * (uint64_t)settings->aligned;
    bench->b_size = (uint64_t)settings->cols * (uint64_t)settings->aligned;
    bench->c_size = (uint64_t)settings->rows * (uint64_t)settings->cols;
    *ret_bench = bench;
    return GB_OK;
}

static int32_t take_memory(const struct multistream_matmul *bench, uint64_t n, float **ret)
{
    const uint64_t problems = (uint64_t)bench->params->problems;
    void *memory = NULL;
    if (n > UINT64_MAX / sizeof **ret / problems)
        return GB_NO_MEMORY;
    const int32_t status = bench->host->device_allocate(bench->host, problems * n * sizeof **ret,
                                                        GB_MEMORY_DEVICE, &memory);
    *ret = memory;
    return status;
}

static int32_t fill(const struct multistream_matmul *bench, float *matrices, uint64_t n,
                    uint64_t stream)
{
    const uint64_t n_all = n * (uint64_t)bench->params->problems;
    const struct gb_fill fill = {
        .size = sizeof fill, .format = GB_F32, .stream = stream, .low = -1.0, .high = 1.0};
    if (bench->params->input == INPUT_RANDOM)
        return bench->host->fill(bench->host, matrices, n_all, &fill);
    for (uint64_t i = 0; i < n_all; i++)
        matrices[i] = 1.0f;
    return GB_OK;
}

/* Which stream gets its next problem, launch by launch. */
static void order_launches(const struct params *params, uint64_t *ret)
{
    const uint64_t n_streams = (uint64_t)params->streams;
    const uint64_t n_problems = (uint64_t)params->problems;
    uint64_t n = 0;
    if (params->order == ORDER_BREADTH) {
        for (uint64_t i = 0; i < n_problems; i++)
            ret[n++] = i % n_streams;
        return;
    }
    for (uint64_t stream = 0; stream < n_streams; stream++) {
        for (uint64_t i = stream; i < n_problems; i += n_streams)
            ret[n++] = stream;
    }
}

/* A thread that spins takes a CPU from one that works where there is not one for each of them, the
 * launching one included. */
static uint64_t spins_for(const struct multistream_matmul *bench, uint64_t n_threads)
{
    const struct gb_device_info *device = bench->host->device;
    return device != NULL && n_threads < device->n_units ? SPINS : 0;
}

/* Streams beyond the problems would never be given any. */
static int32_t start_streams(struct multistream_matmul *bench)
{
    const uint64_t n_problems = (uint64_t)bench->params->problems;
    const uint64_t asked = (uint64_t)bench->params->streams;
    const uint64_t n = asked < n_problems ? asked : n_problems;
    const int error = streams_start(n, n_problems, run_problem, bench, spins_for(bench, n),
                                    &bench->streams);
    if (error == 0)
        return GB_OK;
    char text[160];
    snprintf(text, sizeof text, "streams = %" PRIu64 ": a thread can not be started: %s", asked,
             strerror(error));
    return bench->host->fail(bench->host, text);
}

/* Outputs start as NaN, so that none can be left unwritten unseen. */
static int32_t prepare(void *object, const struct gb_queue *queue)
{
    struct multistream_matmul *bench = object;
    const struct gb_host *host = bench->host;
    const uint64_t n_problems = (uint64_t)bench->params->problems;
    (void)queue;
    int32_t status = take_memory(bench, bench->a_size, &bench->a);
    if (status == GB_OK)
        status = take_memory(bench, bench->b_size, &bench->b);
    if (status == GB_OK)
        status = take_memory(bench, bench->c_size, &bench->c);
    if (status == GB_OK)
        status = fill(bench, bench->a, bench->a_size, 0);
    if (status == GB_OK)
        status = fill(bench, bench->b, bench->b_size, 1);
    if (status != GB_OK)
        return status;
    for (uint64_t i = 0; i < n_problems * bench->c_size; i++)
        bench->c[i] = NAN;
    bench->launch_order = host->allocate(host, n_problems * sizeof *bench->launch_order);
    if (bench->launch_order == NULL)
        return GB_NO_MEMORY;
    order_launches(bench->params, bench->launch_order);
    return start_streams(bench);
}

static int32_t run(void *object, const struct gb_queue *queue, uint64_t iterations)
{
    const struct multistream_matmul *bench = object;
    const uint64_t n_problems = (uint64_t)bench->params->problems;
    (void)queue;
    for (uint64_t i = 0; i < iterations; i++) {
        for (uint64_t j = 0; j < n_problems; j++)
            streams_launch(bench->streams, bench->launch_order[j]);
        streams_join(bench->streams);
    }
    return GB_OK;
}

static void fill_reference(const struct multistream_matmul *bench, uint64_t problem,
                           double *reference, double *magnitude)
{
    const struct params *params = bench->params;
    const float *a = bench->a + problem * bench->a_size;
    const float *b = bench->b + problem * bench->b_size;
    for (uint64_t i = 0; i < bench->c_size; i++) {
        const float *left = a + i / (uint64_t)params->cols * (uint64_t)params->aligned;
        const float *right = b + i % (uint64_t)params->cols * (uint64_t)params->aligned;
        double sum = 0.0;
        double sum_of_sizes = 0.0;
        for (int64_t k = 0; k < params->aligned; k++) {
            const double product = (double)left[k] * (double)right[k];
            sum += product;
            sum_of_sizes += fabs(product);
        }
        reference[problem * bench->c_size + i] = sum;
        magnitude[problem * bench->c_size + i] = sum_of_sizes;
    }
}

static int32_t verify(void *object, const struct gb_queue *queue)
{
    const struct multistream_matmul *bench = object;
    const struct gb_host *host = bench->host;
    const struct params *params = bench->params;
    const uint64_t n = (uint64_t)params->problems * bench->c_size;
    double *reference = host->allocate(host, n * sizeof *reference);
    double *magnitude = host->allocate(host, n * sizeof *magnitude);
    (void)queue;
    if (reference == NULL || magnitude == NULL)
        return GB_NO_MEMORY;
    for (uint64_t i = 0; i < (uint64_t)params->problems; i++) {
        if (host->cancelled(host))
            return GB_CANCELLED;
        if (params->input == INPUT_RANDOM)
            fill_reference(bench, i, reference, magnitude);
    }
    for (uint64_t i = 0; i < n && params->input == INPUT_ONES; i++)
        reference[i] = magnitude[i] = (double)params->aligned;
    const struct gb_check check = {
        .size = sizeof check,
        .format = GB_F32,
        .name = "C",
        .n = n,
        .output = bench->c,
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

static int32_t work(void *object, struct gb_work *work)
{
    const struct multistream_matmul *bench = object;
    const double problems = (double)bench->params->problems;
    work->flops = 2.0 * problems * (double)bench->c_size * (double)bench->params->aligned;
    work->bytes_read = problems * (double)(bench->a_size + bench->b_size) * sizeof(float);
    work->bytes_written = problems * (double)bench->c_size * sizeof(float);
    return GB_OK;
}

static void destroy(void *object)
{
    struct multistream_matmul *bench = object;
    if (bench != NULL)
        streams_stop(bench->streams);
}

static const struct gb_bench_ops ops = {
    .size = sizeof ops,
    .flags = GB_BENCH_EXCLUSIVE,
    .create = create,
    .prepare = prepare,
    .run = run,
    .verify = verify,
    .work = work,
    .destroy = destroy,
};

static const struct gb_plugin plugin = {
    .size = sizeof plugin,
    .kind = GB_PLUGIN_BENCH,
    .id = "multistream_matmul",
    .version = "1.0",
    .summary = "independent matrix products spread over streams",
    .help =
        "Problem i goes to stream i mod streams. Each product is long and thin and fills a small "
        "part of a device only, so that streams make the whole faster in steps: the time is that "
        "of one stream times ceil(problems / streams) / problems, as long as there is room.\n\n"
        "On the CPU a stream is a thread that drains its own queue; there is room for as many as "
        "there are cores. The threads exist before the time is taken, which is from the first "
        "launch to the end of the last problem. B is stored by columns.\n\n"
        "With input = ones each output must be exactly `aligned`; with input = random it is "
        "compared with a float64 reference.",
    .devices = "cpu",
    .options = options,
    .n_options = sizeof options / sizeof options[0],
    .params_size = sizeof(struct params),
    .ops = &ops,
};

GB_MODULE(&plugin)
