/*
 * verify.c - an output of `convolution` compared with its reference: convolutions in float64 on all
 * of the machine's CPUs, by their definition and not as products. Plugin side.
 *
 * A task is a plane: a channel of an image of y or x, or of a filter. It walks through all products
 * of the definition that belong to it, so that no two threads write one element.
 */
#include "convolution.h"
#include "plugins/common/verified_sums.h"

#include <math.h>
#include <stdatomic.h>
#include <stdint.h>
#include <time.h>

/* --- the reference, by the definition --- */

struct reference_request {
    const struct window_shape *shape;
    int direction;
    const double *x, *f, *y; /* of the shape's distances; the direction's output is left out */
    double *sum;             /* the output; */
    double *magnitude;       /* of each sum the sum of the magnitudes of its products, */
    double *squares;         /* and of their squares */
};

struct job {
    const struct reference_request *request;
    int n_planes;
    atomic_int next_plane;
};

static void add(const struct reference_request *request, int at, double product)
{
    request->sum[at] += product;
    request->magnitude[at] += fabs(product);
    request->squares[at] += product * product;
}

/* Products of a filter's element with a line of x. */
static void add_line(const struct reference_request *request, int x, int f, int y, int s)
{
    const struct window_shape *shape = request->shape;
    for (int q = 0; q < shape->q; q++) {
        const int column = q * shape->stride - shape->pad + s * shape->dilation;
        const int at_x = x + column * shape->x.column;
        const int at_y = y + q * shape->y.column;
        if (column < 0 || column >= shape->w)
            continue;
        if (request->direction == DIRECTION_FORWARD)
            add(request, at_y, request->f[f] * request->x[at_x]);
        else if (request->direction == DIRECTION_DATA)
            add(request, at_x, request->f[f] * request->y[at_y]);
        else
            add(request, f, request->y[at_y] * request->x[at_x]);
    }
}

/* All products of an image's channel, a filter's channel and what comes of the two. */
static void add_planes(const struct reference_request *request, int n, int c, int k)
{
    const struct window_shape *shape = request->shape;
    const int c_of_filter = c % (shape->c / shape->groups);
    for (int r = 0; r < shape->r; r++) {
        for (int p = 0; p < shape->p; p++) {
            const int row = p * shape->stride - shape->pad + r * shape->dilation;
            if (row < 0 || row >= shape->h)
                continue;
            for (int s = 0; s < shape->s; s++)
                add_line(request, window_at(&shape->x, n, c, row, 0),
                         window_at(&shape->f, k, c_of_filter, r, s),
                         window_at(&shape->y, n, k, p, 0), s);
        }
    }
}

static void clear_plane(const struct reference_request *request, const struct distances *distances,
                        int image, int channel, int rows, int columns)
{
    for (int row = 0; row < rows; row++) {
        for (int column = 0; column < columns; column++) {
            const int at = window_at(distances, image, channel, row, column);
            request->sum[at] = request->magnitude[at] = request->squares[at] = 0.0;
        }
    }
}

static void sum_forward(const struct reference_request *request, int plane)
{
    const struct window_shape *shape = request->shape;
    const int n = plane / shape->k;
    const int k = plane % shape->k;
    const int n_c = shape->c / shape->groups;
    const int first = k / (shape->k / shape->groups) * n_c;
    clear_plane(request, &shape->y, n, k, shape->p, shape->q);
    for (int c = first; c < first + n_c; c++)
        add_planes(request, n, c, k);
}

static void sum_data(const struct reference_request *request, int plane)
{
    const struct window_shape *shape = request->shape;
    const int n = plane / shape->c;
    const int c = plane % shape->c;
    const int n_k = shape->k / shape->groups;
    const int first = c / (shape->c / shape->groups) * n_k;
    clear_plane(request, &shape->x, n, c, shape->h, shape->w);
    for (int k = first; k < first + n_k; k++)
        add_planes(request, n, c, k);
}

static void sum_weights(const struct reference_request *request, int plane)
{
    const struct window_shape *shape = request->shape;
    const int n_c = shape->c / shape->groups;
    const int k = plane / n_c;
    const int group = k / (shape->k / shape->groups);
    clear_plane(request, &shape->f, k, plane % n_c, shape->r, shape->s);
    for (int n = 0; n < shape->n; n++)
        add_planes(request, n, group * n_c + plane % n_c, k);
}

static void work(void *context)
{
    static void (*const sums[DIRECTIONS])(const struct reference_request *request, int plane) = {
        [DIRECTION_FORWARD] = sum_forward,
        [DIRECTION_DATA] = sum_data,
        [DIRECTION_WEIGHTS] = sum_weights,
    };
    struct job *job = context;
    for (;;) {
        const int plane = atomic_fetch_add(&job->next_plane, 1);
        if (plane >= job->n_planes)
            return;
        sums[job->request->direction](job->request, plane);
    }
}

static void convolution_reference(const struct reference_request *request)
{
    const struct window_shape *shape = request->shape;
    const int n_planes[DIRECTIONS] = {
        [DIRECTION_FORWARD] = shape->n * shape->k,
        [DIRECTION_DATA] = shape->n * shape->c,
        [DIRECTION_WEIGHTS] = shape->k * (shape->c / shape->groups),
    };
    struct job job = {.request = request, .n_planes = n_planes[request->direction]};
    all_cpus_run(work, &job, 0);
}

/* --- comparisons --- */

/* Made in the first comparison of a case. */
struct verification {
    double *inputs[2]; /* ARRAY_LEFT, ARRAY_RIGHT */
    double *sum, *magnitude;
    double *squares; /* of products, then of partial sums */
};

static int32_t take(const struct convolution *convolution, int array, double **ret)
{
    const struct gb_host *host = convolution->host;
    *ret = host->allocate(host, convolution->lengths[array] * sizeof **ret);
    return *ret != NULL ? GB_OK : GB_NO_MEMORY;
}

static int32_t take_arrays(struct convolution *convolution)
{
    const struct gb_host *host = convolution->host;
    struct verification *verification = convolution->verification;
    if (verification != NULL)
        return GB_OK;
    verification = host->allocate(host, sizeof *verification);
    if (verification == NULL ||
        take(convolution, ARRAY_LEFT, &verification->inputs[ARRAY_LEFT]) != GB_OK ||
        take(convolution, ARRAY_RIGHT, &verification->inputs[ARRAY_RIGHT]) != GB_OK ||
        take(convolution, ARRAY_OUTPUT, &verification->sum) != GB_OK ||
        take(convolution, ARRAY_OUTPUT, &verification->magnitude) != GB_OK ||
        take(convolution, ARRAY_OUTPUT, &verification->squares) != GB_OK)
        return GB_NO_MEMORY;
    convolution->verification = verification;
    return GB_OK;
}

static void make_reference(const struct convolution *convolution)
{
    const struct verification *verification = convolution->verification;
    const int direction = convolution->params->direction;
    const struct sum_order order = {
        .k = window_count(&convolution->view.depth), .n_slices = 1, .at_once = 1};
    struct reference_request request = {
        .shape = &convolution->shape,
        .direction = direction,
        .x = verification->inputs[ARRAY_RIGHT],
        .f = verification->inputs[ARRAY_LEFT],
        .y = verification->inputs[direction == DIRECTION_DATA ? ARRAY_RIGHT : ARRAY_LEFT],
        .sum = verification->sum,
        .magnitude = verification->magnitude,
        .squares = verification->squares,
    };
    for (int i = ARRAY_LEFT; i <= ARRAY_RIGHT; i++)
        convolution->formats->load(convolution->format->format, convolution->host_arrays[i], 0,
                                   convolution->lengths[i], verification->inputs[i]);
    convolution_reference(&request);
    for (uint64_t i = 0; i < convolution->lengths[ARRAY_OUTPUT]; i++)
        verification->squares[i] = expected_partial_squares(&order, verification->sum[i],
                                                            verification->squares[i]);
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
    const struct verification *verification = convolution->verification;
    const bool is_exact = convolution->params->integral != 0;
    const struct gb_check check = {
        .size = sizeof check,
        .format = convolution->format->format,
        .name = names[convolution->params->direction],
        .n = convolution->lengths[ARRAY_OUTPUT],
        .output = convolution->host_arrays[ARRAY_OUTPUT],
        .reference = verification->sum,
        .magnitude = verification->magnitude,
        .n_products = n_products(convolution),
        .accumulate = GB_F32,
        .flags = is_exact ? GB_CHECK_EXACT : 0u,
        .default_metric = "bound",
        .default_tolerance = 1.0,
        .partial_squares = verification->squares,
    };
    return host->check(host, &check);
}

static double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

int32_t convolution_verify(void *object, const struct gb_queue *queue)
{
    struct convolution *convolution = object;
    const struct gb_host *host = convolution->host;
    (void)queue;
    /* Before anything that takes time, in which a kernel that has not ended could go on. */
    int32_t status = host->device_copy(
        host, convolution->host_arrays[ARRAY_OUTPUT], convolution->arrays[ARRAY_OUTPUT],
        convolution->lengths[ARRAY_OUTPUT] * convolution->format->bytes);
    if (status == GB_OK)
        status = take_arrays(convolution);
    if (status != GB_OK)
        return status;
    const double before = seconds_now();
    make_reference(convolution);
    host->metric(host, "reference_time", seconds_now() - before, "s");
    return compare(convolution);
}
