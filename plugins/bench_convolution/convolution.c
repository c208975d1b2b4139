/*
 * convolution.c - the benchmark `convolution`: layers of convolutional networks and their two
 * gradients, directly or as products, compared with a float64 reference. Plugin side.
 */
#include "convolution.h"

#include "plugins/common/bench_memory.h"
#include "plugins/common/measuring.h"
#include "plugins/common/validation.h"

#include <inttypes.h>
#include <math.h>
#include <stdatomic.h>
#include <string.h>

#ifdef PLUGIN_WITH_CUDA
#include "plugins/common/cuda/cuda_launch.h"
#endif

static const char *const layouts[] = {"nchw", "nhwc"};
static const char *const dtypes[] = {"fp32", "fp16", "bf16"};
static const char *const directions[] = {"forward", "backward_data", "backward_weight"};
static const char *const methods[] = {"direct", "implicit_gemm"};

static const struct gb_option options[] = {
    GB_INT(struct params, n, "1", "1:65536", "images",
           "number of images in the input x and the output y"),
    GB_INT(struct params, c, "64", "1:65536", "channels", "channels of x"),
    GB_INT(struct params, h, "56", "1:65536", "rows", "rows of an image of x"),
    GB_INT(struct params, w, "56", "1:65536", "columns", "columns of an image of x"),
    GB_INT(struct params, k, "64", "1:65536", "channels", "channels of y: the number of filters"),
    GB_INT(struct params, r, "3", "1:1024", "rows", "rows of a filter"),
    GB_INT(struct params, s, "3", "1:1024", "columns", "columns of a filter"),
    GB_INT(struct params, stride, "1", "1:1024", "elements",
           "step in x from one element of y to the next"),
    GB_INT(struct params, pad, "1", "0:1024", "elements", "zeros around each image of x"),
    GB_INT(struct params, dilation, "1", "1:1024", "elements",
           "step in x from one element of a filter to the next"),
    GB_INT(struct params, groups, "1", "1:65536", "groups",
           "each channel of y depends on the channels of x in its own group only"),
    GB_CHOICE(struct params, layout, "nchw", layouts,
              "how x and y are stored: channel by channel or element by element; filters likewise"),
    GB_CHOICE(struct params, dtype, "fp32", dtypes,
              "number type of all arrays; sums are kept in fp32"),
    GB_CHOICE(struct params, direction, "forward", directions,
              "what is computed: y, or the gradient of x from that of y, or that of the filters"),
    GB_CHOICE(struct params, method, "implicit_gemm", methods,
              "by the definition, or as a matrix product whose factor is gathered from the image"),
    GB_STRING(struct params, range, "r0",
              "range of the inputs: r0 (-1..1), r1 (-10..10), r4 (1..5), r5 (5..10), LOW..HIGH, or "
              "several of these separated by |"),
    GB_BOOL(struct params, integral, "no",
            "integers only, so that the result must be exact to the last bit"),
};

static const uint32_t formats[DTYPES] = {
    [DTYPE_FP32] = GB_F32, [DTYPE_FP16] = GB_F16, [DTYPE_BF16] = GB_BF16};

/* --- the shape --- */

static int64_t length_out(const struct params *params, int64_t length, int64_t of_filter)
{
    const int64_t left = length + 2 * params->pad - params->dilation * (of_filter - 1) - 1;
    return left < 0 ? 0 : left / params->stride + 1;
}

static bool is_too_large(int64_t a, int64_t b, int64_t c, int64_t d)
{
    return (double)a * (double)b * (double)c * (double)d >= 2e9;
}

/* The option of a shape that cannot be, with the reason; NULL: it can. */
static const char *refuse_shape(const struct params *params, char *reason, size_t bytes)
{
    const int64_t p = length_out(params, params->h, params->r);
    const int64_t q = length_out(params, params->w, params->s);
    if (params->c % params->groups != 0 || params->k % params->groups != 0) {
        snprintf(reason, bytes,
                 "groups = %" PRId64 " does not divide both c = %" PRId64 " and k = %" PRId64,
                 params->groups, params->c, params->k);
        return "groups";
    }
    if (p == 0 || q == 0) {
        snprintf(reason, bytes,
                 "a filter of %" PRId64 " x %" PRId64 " with dilation = %" PRId64
                 " is larger than an image of %" PRId64 " x %" PRId64 " with pad = %" PRId64,
                 params->r, params->s, params->dilation, params->h, params->w, params->pad);
        return p == 0 ? "r" : "s";
    }
    if (is_too_large(params->n, params->c, params->h, params->w) ||
        is_too_large(params->k, params->c / params->groups, params->r, params->s) ||
        is_too_large(params->n, params->k, p, q)) {
        snprintf(reason, bytes,
                 "x, the filters or y are too large: expected fewer than 2e9 elements each");
        return "n";
    }
    return NULL;
}

static struct distances distances_of(int32_t layout, int channels, int rows, int columns)
{
    if (layout == LAYOUT_NCHW)
        return (struct distances){channels * rows * columns, rows * columns, columns, 1};
    return (struct distances){channels * rows * columns, 1, columns * channels, channels};
}

static struct window_shape shape_of(const struct params *params)
{
    struct window_shape shape = {
        .n = (int)params->n,
        .c = (int)params->c,
        .h = (int)params->h,
        .w = (int)params->w,
        .k = (int)params->k,
        .r = (int)params->r,
        .s = (int)params->s,
        .p = (int)length_out(params, params->h, params->r),
        .q = (int)length_out(params, params->w, params->s),
        .stride = (int)params->stride,
        .pad = (int)params->pad,
        .dilation = (int)params->dilation,
        .groups = (int)params->groups,
    };
    shape.x = distances_of(params->layout, shape.c, shape.h, shape.w);
    shape.f = distances_of(params->layout, shape.c / shape.groups, shape.r, shape.s);
    shape.y = distances_of(params->layout, shape.k, shape.p, shape.q);
    return shape;
}

static void set_arrays(struct convolution *convolution)
{
    const struct window_shape *shape = &convolution->shape;
    const uint64_t x = (uint64_t)shape->n * (uint64_t)shape->x.image;
    const uint64_t f = (uint64_t)shape->k * (uint64_t)shape->f.image;
    const uint64_t y = (uint64_t)shape->n * (uint64_t)shape->y.image;
    const uint64_t lengths[DIRECTIONS][ARRAYS] = {[DIRECTION_FORWARD] = {f, x, y},
                                                  [DIRECTION_DATA] = {f, y, x},
                                                  [DIRECTION_WEIGHTS] = {y, x, f}};
    arrays_describe(convolution->arrays, lengths[convolution->params->direction],
                    convolution->format, convolution->format);
}

/* --- on CUDA: one launch of a kernel each --- */

#ifdef PLUGIN_WITH_CUDA

CUDA_IMAGE_AFTER(convolution_image, "plugins/bench_convolution/window.h",
                 "plugins/bench_convolution/convolution");

enum { THREADS = 256, TILE = 16, BLOCKS_MAX = 65535 }; /* the last along rows, and along groups */

struct cuda_convolution {
    struct cuda_kernels kernels;
    struct cuda_launch launch;
};

static int32_t cuda_create(struct convolution *convolution)
{
    struct cuda_convolution *cuda = convolution->own;
    const bool is_direct = convolution->params->method == METHOD_DIRECT;
    const uint64_t rows = (uint64_t)convolution->view.rows;
    const uint64_t columns = (uint64_t)window_count(&convolution->view.columns);
    cuda->launch = (struct cuda_launch){
        .columns = (unsigned)quotient_up(columns, is_direct ? THREADS : TILE),
        .rows = (unsigned)quotient_up(rows, is_direct ? 1 : TILE),
        .layers = (unsigned)convolution->shape.groups,
        .threads = THREADS,
        .arguments = {&convolution->shape, &convolution->arrays[0].device,
                      &convolution->arrays[1].device, &convolution->arrays[2].device},
    };
    convolution->n_roundings = (uint64_t)window_count(&convolution->view.depth);
    if (cuda->launch.rows > BLOCKS_MAX || convolution->params->groups > BLOCKS_MAX)
        return host_skip(
            convolution->host,
            "too many channels or groups: expected at most %d, the limit of a GPU's grid",
            BLOCKS_MAX);
    return cuda_kernels_open(&cuda->kernels, convolution->host);
}

static int32_t cuda_prepare(struct convolution *convolution, const struct gb_queue *queue)
{
    static const char *const words[DIRECTIONS] = {"forward", "data", "weights"};
    struct cuda_convolution *cuda = convolution->own;
    const struct params *params = convolution->params;
    char name[48];
    (void)queue;
    snprintf(name, sizeof name, "%s_%s_%s", methods[params->method], words[params->direction],
             dtypes[params->dtype]);
    return cuda_kernels_load(&cuda->kernels, &convolution_image, name, &cuda->launch.function);
}

static int32_t cuda_run(const struct convolution *convolution, const struct gb_queue *queue,
                        uint64_t iterations)
{
    const struct cuda_convolution *cuda = convolution->own;
    return cuda_launch(&cuda->kernels, &cuda->launch, queue, iterations, "launching a convolution");
}

static const struct backend convolution_cuda = {
    .own_bytes = sizeof(struct cuda_convolution),
    .create = cuda_create,
    .prepare = cuda_prepare,
    .run = cuda_run,
    .destroy = cuda_kernels_free,
};

#endif

/* --- create --- */

static int32_t set_up(struct convolution *convolution)
{
    const struct gb_host *host = convolution->host;
    const struct params *params = convolution->params;
    char reason[240];
    if (refuse_shape(params, reason, sizeof reason) != NULL ||
        !range_parse(params->range, &convolution->range, reason, sizeof reason))
        return host->fail(host, reason);
    const int32_t status = host_formats(host, &convolution->formats);
    if (status != GB_OK)
        return status;
    convolution->format = convolution->formats->describe(formats[params->dtype]);
    convolution->shape = shape_of(params);
    convolution->view = window_view(&convolution->shape, params->direction);
    set_arrays(convolution);
    return params->integral != 0
               ? range_refuse_inexact(&convolution->range, host, convolution->format,
                                      dtypes[params->dtype], window_count(&convolution->view.depth),
                                      0x1p24)
               : GB_OK;
}

BACKEND_OPS(struct convolution, convolution_cpu, convolution_cuda, set_up);

static int32_t create(const struct gb_host *host, const void *params, void **ret_bench)
{
    const int32_t status = backend_create(host, params, ret_bench);
    if (status == GB_OK)
        take_machine(host); /* the reference uses all CPUs */
    return status;
}

/* --- prepare --- */

static int32_t refresh(void *object, const struct gb_queue *queue, uint64_t set)
{
    const struct convolution *convolution = object;
    (void)queue;
    return arrays_refresh(convolution->arrays, convolution->host, &convolution->range,
                          convolution->params->integral != 0, set);
}

static int32_t prepare(void *object, const struct gb_queue *queue)
{
    struct convolution *convolution = object;
    int32_t status = arrays_take(convolution->arrays, convolution->host, false);
    if (status == GB_OK)
        status = refresh(object, queue, 0);
    return status == GB_OK ? backend_prepare(object, queue) : status;
}

/*
 * --- the reference: in float64 on all CPUs, by the definition and not as products ---
 *
 * A task is a plane: a channel of an image of y or x, or of a filter. It goes through all products
 * of the definition that belong to it, so that no two threads write one element.
 */

/* Arrays are taken from the host once a case. */
struct verification {
    const struct window_shape *shape;
    int direction;
    double *inputs[2];       /* ARRAY_LEFT, ARRAY_RIGHT */
    const double *x, *f, *y; /* of the shape's distances; the direction's output is left out */
    double *sum;             /* the output; */
    double *magnitude;       /* of each sum the sum of the magnitudes of its products, */
    double *squares;         /* and of their squares, later of its partial sums */
    int n_planes;
    atomic_int next_plane;
};

static void add(const struct verification *reference, int at, double product)
{
    reference->sum[at] += product;
    reference->magnitude[at] += fabs(product);
    reference->squares[at] += product * product;
}

/* Products of a filter's element with a line of x. */
static void add_line(const struct verification *reference, int x, int f, int y, int s)
{
    const struct window_shape *shape = reference->shape;
    for (int q = 0; q < shape->q; q++) {
        const int column = q * shape->stride - shape->pad + s * shape->dilation;
        const int at_x = x + column * shape->x.column;
        const int at_y = y + q * shape->y.column;
        if (column < 0 || column >= shape->w)
            continue;
        if (reference->direction == DIRECTION_FORWARD)
            add(reference, at_y, reference->f[f] * reference->x[at_x]);
        else if (reference->direction == DIRECTION_DATA)
            add(reference, at_x, reference->f[f] * reference->y[at_y]);
        else
            add(reference, f, reference->y[at_y] * reference->x[at_x]);
    }
}

/* All products of an image's channel, a filter's channel and what comes of the two. */
static void add_planes(const struct verification *reference, int n, int c, int k)
{
    const struct window_shape *shape = reference->shape;
    const int c_of_filter = c % (shape->c / shape->groups);
    for (int r = 0; r < shape->r; r++) {
        for (int p = 0; p < shape->p; p++) {
            const int row = p * shape->stride - shape->pad + r * shape->dilation;
            if (row < 0 || row >= shape->h)
                continue;
            for (int s = 0; s < shape->s; s++)
                add_line(reference, window_at(&shape->x, n, c, row, 0),
                         window_at(&shape->f, k, c_of_filter, r, s),
                         window_at(&shape->y, n, k, p, 0), s);
        }
    }
}

static void clear_plane(const struct verification *reference, const struct distances *distances,
                        int image, int channel, int rows, int columns)
{
    for (int row = 0; row < rows; row++) {
        for (int column = 0; column < columns; column++) {
            const int at = window_at(distances, image, channel, row, column);
            reference->sum[at] = reference->magnitude[at] = reference->squares[at] = 0.0;
        }
    }
}

static void sum_forward(const struct verification *reference, int plane)
{
    const struct window_shape *shape = reference->shape;
    const int n = plane / shape->k;
    const int k = plane % shape->k;
    const int n_c = shape->c / shape->groups;
    const int first = k / (shape->k / shape->groups) * n_c;
    clear_plane(reference, &shape->y, n, k, shape->p, shape->q);
    for (int c = first; c < first + n_c; c++)
        add_planes(reference, n, c, k);
}

static void sum_data(const struct verification *reference, int plane)
{
    const struct window_shape *shape = reference->shape;
    const int n = plane / shape->c;
    const int c = plane % shape->c;
    const int n_k = shape->k / shape->groups;
    const int first = c / (shape->c / shape->groups) * n_k;
    clear_plane(reference, &shape->x, n, c, shape->h, shape->w);
    for (int k = first; k < first + n_k; k++)
        add_planes(reference, n, c, k);
}

static void sum_weights(const struct verification *reference, int plane)
{
    const struct window_shape *shape = reference->shape;
    const int n_c = shape->c / shape->groups;
    const int k = plane / n_c;
    const int group = k / (shape->k / shape->groups);
    clear_plane(reference, &shape->f, k, plane % n_c, shape->r, shape->s);
    for (int n = 0; n < shape->n; n++)
        add_planes(reference, n, group * n_c + plane % n_c, k);
}

static void sum_planes(void *context)
{
    static void (*const sums[DIRECTIONS])(const struct verification *reference, int plane) = {
        [DIRECTION_FORWARD] = sum_forward,
        [DIRECTION_DATA] = sum_data,
        [DIRECTION_WEIGHTS] = sum_weights,
    };
    struct verification *reference = context;
    int plane;
    while ((plane = atomic_fetch_add(&reference->next_plane, 1)) < reference->n_planes)
        sums[reference->direction](reference, plane);
}

static int32_t take_arrays(struct convolution *convolution)
{
    const struct gb_host *host = convolution->host;
    const uint64_t output_bytes = convolution->arrays[ARRAY_OUTPUT].n * sizeof(double);
    int32_t status = GB_OK;
    struct verification *reference = host_memory(host, sizeof *reference, &status);
    if (status != GB_OK)
        return status;
    for (int i = ARRAY_LEFT; i <= ARRAY_RIGHT; i++)
        reference->inputs[i] = host_memory(host, convolution->arrays[i].n * sizeof(double),
                                           &status);
    reference->sum = host_memory(host, output_bytes, &status);
    reference->magnitude = host_memory(host, output_bytes, &status);
    reference->squares = host_memory(host, output_bytes, &status);
    if (status == GB_OK)
        convolution->verification = reference;
    return status;
}

static void make_reference(const struct convolution *convolution)
{
    struct verification *reference = convolution->verification;
    const struct window_shape *shape = &convolution->shape;
    const int direction = convolution->params->direction;
    const int n_planes[DIRECTIONS] = {
        [DIRECTION_FORWARD] = shape->n * shape->k,
        [DIRECTION_DATA] = shape->n * shape->c,
        [DIRECTION_WEIGHTS] = shape->k * (shape->c / shape->groups),
    };
    const struct sum_order order = {
        .k = window_count(&convolution->view.depth), .n_slices = 1, .at_once = 1};
    reference->shape = shape;
    reference->direction = direction;
    reference->x = reference->inputs[ARRAY_RIGHT];
    reference->f = reference->inputs[ARRAY_LEFT];
    reference->y = reference->inputs[direction == DIRECTION_DATA ? ARRAY_RIGHT : ARRAY_LEFT];
    reference->n_planes = n_planes[direction];
    reference->next_plane = 0;
    for (int i = ARRAY_LEFT; i <= ARRAY_RIGHT; i++)
        convolution->formats->load(convolution->format->format, convolution->arrays[i].host, 0,
                                   convolution->arrays[i].n, reference->inputs[i]);
    all_cpus_run(sum_planes, reference, 0);
    for (uint64_t i = 0; i < convolution->arrays[ARRAY_OUTPUT].n; i++)
        reference->squares[i] = expected_partial_squares(&order, reference->sum[i],
                                                         reference->squares[i]);
}

/* The reference's own error is that of so many roundings in fp32. */
static uint64_t n_products(const struct convolution *convolution)
{
    const uint64_t depth = (uint64_t)window_count(&convolution->view.depth);
    return convolution->n_roundings + 1 + (depth >> 29);
}

static int32_t compare(const struct convolution *convolution)
{
    static const char *const names[DIRECTIONS] = {
        [DIRECTION_FORWARD] = "y", [DIRECTION_DATA] = "dx", [DIRECTION_WEIGHTS] = "df"};
    const struct gb_host *host = convolution->host;
    const struct verification *reference = convolution->verification;
    const struct gb_check check = {
        .size = sizeof check,
        .format = convolution->format->format,
        .name = names[convolution->params->direction],
        .n = convolution->arrays[ARRAY_OUTPUT].n,
        .output = convolution->arrays[ARRAY_OUTPUT].host,
        .reference = reference->sum,
        .magnitude = reference->magnitude,
        .n_products = n_products(convolution),
        .accumulate = GB_F32,
        .flags = convolution->params->integral != 0 ? GB_CHECK_EXACT : 0u,
        .default_metric = "bound",
        .default_tolerance = 1.0,
        .partial_squares = reference->squares,
    };
    return host->check(host, &check);
}

static int32_t verify(void *object, const struct gb_queue *queue)
{
    struct convolution *convolution = object;
    const struct gb_host *host = convolution->host;
    (void)queue;
    /* Before anything that takes time, in which a kernel that has not ended could continue. */
    int32_t status = GB_OK;
    arrays_read_output(convolution->arrays, host, &status);
    if (status == GB_OK && convolution->verification == NULL)
        status = take_arrays(convolution);
    if (status != GB_OK)
        return status;
    const double begin_ns = clock_ns(CLOCK_MONOTONIC);
    make_reference(convolution);
    host->metric(host, "reference_time", 1e-9 * (clock_ns(CLOCK_MONOTONIC) - begin_ns), "s");
    return compare(convolution);
}

/* --- the plugin --- */

static uint64_t bytes_of(const struct convolution *convolution, int array)
{
    return convolution->arrays[array].n * convolution->format->bytes;
}

/* Products with the zeros around an image count, as they do everywhere. */
static int32_t work(void *object, struct gb_work *work)
{
    const struct convolution *convolution = object;
    const struct window_shape *shape = &convolution->shape;
    work->flops = 2.0 * (double)shape->n * shape->p * shape->q * shape->k * shape->f.image;
    work->bytes_read = (double)(bytes_of(convolution, ARRAY_LEFT) +
                                bytes_of(convolution, ARRAY_RIGHT));
    work->bytes_written = (double)bytes_of(convolution, ARRAY_OUTPUT);
    GB_WORK_MATH(work, GB_F32, GB_MATH_VECTOR);
    return GB_OK;
}

static const struct gb_bench_ops ops = {
    .size = sizeof ops,
    .create = create,
    .prepare = prepare,
    .run = backend_run,
    .verify = verify,
    .work = work,
    .destroy = backend_destroy,
    .refresh = refresh,
};

/* --- before a run --- */

static int32_t validate(const struct gb_host *host, const void *object, gb_problem_fn *problem,
                        void *context)
{
    const struct params *params = object;
    char reason[240];
    (void)host;
    const char *option = refuse_shape(params, reason, sizeof reason);
    if (option != NULL)
        problem(context, option, 0, reason);
    range_validate(params->range, problem, context);
    return GB_OK;
}

static int32_t describe_sums(const struct gb_host *host, const void *object, struct gb_sums *ret)
{
    const struct params *params = object;
    (void)host;
    ret->has_one_sign = range_text_has_one_sign(params->range);
    return GB_OK;
}

VALIDATION_EXTENSION(.validate = validate, .sums = describe_sums);

static const struct gb_plugin plugin = {
    GB_PLUGIN(BENCH, "convolution", "1.0",
              "convolutions and their gradients, compared with a float64 reference"),
    .help =
        "x has n images of c channels, h x w each; filters are k of c / groups channels, r x s "
        "each; y has n images of k channels, p x q each, with "
        "p = (h + 2 pad - dilation (r - 1) - 1) / stride + 1 and q likewise. Rows and columns have "
        "the same stride, pad and dilation.\n\n"
        "method = direct sums the products of each element by the definition. implicit_gemm "
        "multiplies matrices; the one that repeats parts of the image is never stored: its tiles "
        "are gathered when they are needed. Both run on one CPU, or on the ordinary cores of a GPU "
        "with one thread for each element of the result.\n\n"
        "Inputs are drawn in their own type; the reference uses the same values, on all CPUs of "
        "the machine, while no other case is measured. The tolerance follows from the number of "
        "roundings (check.bound = 1). In a gradient the input y is a gradient too. 2 n k p q (c / "
        "groups) r s operations are counted in every direction.",
    .devices = PLUGIN_DEVICES,
    GB_OPTIONS(options, struct params),
    .ops = &ops,
    .extension = extension,
};

GB_MODULE(&plugin)
