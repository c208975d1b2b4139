/*
 * reference.c - see reference.h. Plugin side.
 *
 * A task is a plane: a channel of an image of y or x, or of a filter. It walks through all products
 * of the definition that belong to it, so that no two threads write one element.
 */
#include "reference.h"

#include "plugins/common/verified_sums.h"

#include <math.h>
#include <stdatomic.h>

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

void convolution_reference(const struct reference_request *request)
{
    const struct window_shape *shape = request->shape;
    const int n_planes[DIRECTIONS] = {
        [DIRECTION_FORWARD] = shape->n * shape->k,
        [DIRECTION_DATA] = shape->n * shape->c,
        [DIRECTION_WEIGHTS] = shape->k * (shape->c / shape->groups),
    };
    struct job job = {.request = request, .n_planes = n_planes[request->direction]};
    all_cpus_run(work, &job, request->n_threads);
}
