/*
 * convolution_cpu.c - convolutions on one thread of the CPU. Plugin side.
 *
 * Directly, a line of the result is the sum of lines of the image, each times an element of a
 * filter. As a product, the right factor is gathered for as many columns and steps of the sum at a
 * time as caches hold.
 */
#include "convolution.h"
#include "plugins/common/bench_memory.h"
#include "plugins/common/simd.h"

#include <string.h>

enum {
    LANES = 8,    /* sums of a filter's gradient, side by side */
    ROWS = 6,     /* of a tile, which has two vectors of columns */
    COLUMNS = 64, /* gathered at a time, and */
    STEPS = 256
};

struct cpu_convolution {
    float *inputs[2]; /* the arrays as floats, ARRAY_LEFT and ARRAY_RIGHT */
    float *output;
    float *left;  /* of a group: ROWS at a time, by steps; 0 beyond the last row */
    float *right; /* STEPS x COLUMNS */
    float *sums;  /* rows x COLUMNS */
};

/* --- lines --- */

typedef void add_line_fn(float *to, int to_step, const float *from, int from_step, float factor,
                         int n);
typedef void multiply_line_fn(float sums[LANES], const float *a, int a_step, const float *b,
                              int b_step, int n);

EVERYWHERE void add_line(float *to, int to_step, const float *from, int from_step, float factor,
                         int n)
{
    int i = 0;
    if (to_step == 1 && from_step == 1) {
        for (; i + LANES <= n; i += LANES)
            ((UNALIGNED(float, 32) *)(to + i))->vector +=
                factor * ((const UNALIGNED(float, 32) *)(from + i))->vector;
    }
    for (; i < n; i++)
        to[i * to_step] += factor * from[i * from_step];
}

EVERYWHERE void multiply_line(float sums[LANES], const float *a, int a_step, const float *b,
                              int b_step, int n)
{
    int i = 0;
    if (a_step == 1 && b_step == 1) {
        for (; i + LANES <= n; i += LANES)
            ((UNALIGNED(float, 32) *)sums)->vector +=
                ((const UNALIGNED(float, 32) *)(a + i))->vector *
                ((const UNALIGNED(float, 32) *)(b + i))->vector;
    }
    for (; i < n; i++)
        sums[i % LANES] += a[i * a_step] * b[i * b_step];
}

/* sums of ROWS x 2 vectors += products of n steps; left and right by steps. */
#define TILE(TARGET, BYTES)                                                                        \
    enum { WIDTH = (BYTES) / sizeof(float) };                                                      \
    VECTOR_OF(float, BYTES) held[ROWS][2];                                                         \
    memset(held, 0, sizeof held);                                                                  \
    for (int step = 0; step < n; step++) {                                                         \
        const UNALIGNED(float, BYTES) *b = (const void *)(right + step * COLUMNS);                 \
        _Pragma("GCC unroll 6") for (int i = 0; i < ROWS; i++)                                     \
        {                                                                                          \
            held[i][0] += left[step * ROWS + i] * b[0].vector;                                     \
            held[i][1] += left[step * ROWS + i] * b[1].vector;                                     \
        }                                                                                          \
    }                                                                                              \
    for (int i = 0; i < ROWS; i++) {                                                               \
        UNALIGNED(float, BYTES) *to = (void *)(sums + i * COLUMNS);                                \
        to[0].vector += held[i][0];                                                                \
        to[1].vector += held[i][1];                                                                \
    }

typedef void tile_fn(float *sums, const float *left, const float *right, int n);

#define FOR_PROCESSOR(name, TARGET, BYTES)                                                         \
    static TARGET void add_line_##name(float *to, int to_step, const float *from, int from_step,   \
                                       float factor, int n)                                        \
    {                                                                                              \
        add_line(to, to_step, from, from_step, factor, n);                                         \
    }                                                                                              \
    static TARGET void multiply_line_##name(float sums[LANES], const float *a, int a_step,         \
                                            const float *b, int b_step, int n)                     \
    {                                                                                              \
        multiply_line(sums, a, a_step, b, b_step, n);                                              \
    }                                                                                              \
    static TARGET void tile_##name(float *sums, const float *left, const float *right, int n)      \
    {                                                                                              \
        TILE(TARGET, BYTES)                                                                        \
    }                                                                                              \
    static const struct processor name = {add_line_##name, multiply_line_##name, tile_##name,      \
                                          2 * (BYTES) / sizeof(float)};

struct processor {
    add_line_fn *add_line;
    multiply_line_fn *multiply_line;
    tile_fn *tile;
    int tile_columns;
};

FOR_PROCESSOR(avx2, FOR_AVX2, 32)
FOR_PROCESSOR(portable, , 16)

static const struct processor *processor(void)
{
    return has_avx2() ? &avx2 : &portable;
}

/* --- by the definition --- */

/* The elements of a line of y that see through column s of a filter something of x. */
struct span {
    int first, n;
};

static struct span seeing(const struct window_shape *shape, int s)
{
    const int before = shape->pad - s * shape->dilation;
    const int last = shape->w - 1 + before;
    const int first = before > 0 ? (before + shape->stride - 1) / shape->stride : 0;
    const int end = last < 0 ? 0 : last / shape->stride + 1;
    const int n = (end < shape->q ? end : shape->q) - first;
    return (struct span){first, n > 0 ? n : 0};
}

/* Of x, what the first of a span sees in a line. */
static int seen_by(const struct window_shape *shape, const struct span *span, int s)
{
    return (span->first * shape->stride - shape->pad + s * shape->dilation) * shape->x.column;
}

static void clear_line(float *line, int step, int n)
{
    for (int i = 0; i < n; i++)
        line[i * step] = 0.0f;
}

/* What a line of y gets from a channel of x. */
static void forward_line(const struct window_shape *shape, const float *x, const float *f, float *y,
                         int p)
{
    for (int r = 0; r < shape->r; r++) {
        const int row = p * shape->stride - shape->pad + r * shape->dilation;
        for (int s = 0; s < shape->s && row >= 0 && row < shape->h; s++) {
            const struct span span = seeing(shape, s);
            processor()->add_line(y + span.first * shape->y.column, shape->y.column,
                                  x + row * shape->x.row + seen_by(shape, &span, s),
                                  shape->stride * shape->x.column,
                                  f[r * shape->f.row + s * shape->f.column], span.n);
        }
    }
}

static void direct_forward(const struct window_shape *shape, const struct cpu_convolution *cpu)
{
    const int n_c = shape->c / shape->groups;
    const int n_k = shape->k / shape->groups;
    for (int line = 0; line < shape->n * shape->k * shape->p; line++) {
        const struct triple at = window_split(&(struct triple){shape->n, shape->k, shape->p}, line);
        float *y = cpu->output + window_at(&shape->y, at.a, at.b, at.c, 0);
        clear_line(y, shape->y.column, shape->q);
        for (int c = 0; c < n_c; c++)
            forward_line(shape,
                         cpu->inputs[ARRAY_RIGHT] +
                             window_at(&shape->x, at.a, at.b / n_k * n_c + c, 0, 0),
                         cpu->inputs[ARRAY_LEFT] + window_at(&shape->f, at.b, c, 0, 0), y, at.c);
    }
}

/* What a line of x gets from a channel of y. */
static void data_line(const struct window_shape *shape, const float *y, const float *f, float *x,
                      int row)
{
    for (int r = 0; r < shape->r; r++) {
        const int before = row + shape->pad - r * shape->dilation;
        if (before < 0 || before % shape->stride != 0 || before / shape->stride >= shape->p)
            continue;
        for (int s = 0; s < shape->s; s++) {
            const struct span span = seeing(shape, s);
            processor()->add_line(
                x + seen_by(shape, &span, s), shape->stride * shape->x.column,
                y + before / shape->stride * shape->y.row + span.first * shape->y.column,
                shape->y.column, f[r * shape->f.row + s * shape->f.column], span.n);
        }
    }
}

static void direct_data(const struct window_shape *shape, const struct cpu_convolution *cpu)
{
    const int n_c = shape->c / shape->groups;
    const int n_k = shape->k / shape->groups;
    for (int line = 0; line < shape->n * shape->c * shape->h; line++) {
        const struct triple at = window_split(&(struct triple){shape->n, shape->c, shape->h}, line);
        const int first_k = at.b / n_c * n_k;
        float *x = cpu->output + window_at(&shape->x, at.a, at.b, at.c, 0);
        clear_line(x, shape->x.column, shape->w);
        for (int k = first_k; k < first_k + n_k; k++)
            data_line(shape, cpu->inputs[ARRAY_RIGHT] + window_at(&shape->y, at.a, k, 0, 0),
                      cpu->inputs[ARRAY_LEFT] + window_at(&shape->f, k, at.b % n_c, 0, 0), x, at.c);
    }
}

/* Of one element of a filter: y and x are the channels of the first image that it connects. */
static float weight(const struct window_shape *shape, const float *y, const float *x, int r, int s)
{
    const struct span span = seeing(shape, s);
    float sums[LANES] = {0};
    float sum = 0.0f;
    for (int line = 0; line < shape->n * shape->p; line++) {
        const int n = line / shape->p;
        const int p = line % shape->p;
        const int row = p * shape->stride - shape->pad + r * shape->dilation;
        if (row < 0 || row >= shape->h)
            continue;
        processor()->multiply_line(
            sums, y + window_at(&shape->y, n, 0, p, span.first), shape->y.column,
            x + window_at(&shape->x, n, 0, row, 0) + seen_by(shape, &span, s),
            shape->stride * shape->x.column, span.n);
    }
    for (int i = 0; i < LANES; i++)
        sum += sums[i];
    return sum;
}

static void direct_weights(const struct window_shape *shape, const struct cpu_convolution *cpu)
{
    const int n_c = shape->c / shape->groups;
    const int n_k = shape->k / shape->groups;
    for (int k = 0; k < shape->k; k++) {
        const float *y = cpu->inputs[ARRAY_LEFT] + window_at(&shape->y, 0, k, 0, 0);
        for (int i = 0; i < n_c * shape->r * shape->s; i++) {
            const struct triple at = window_split(&(struct triple){n_c, shape->r, shape->s}, i);
            const float *x = cpu->inputs[ARRAY_RIGHT] +
                             window_at(&shape->x, 0, k / n_k * n_c + at.a, 0, 0);
            cpu->output[window_at(&shape->f, k, at.a, at.b, at.c)] = weight(shape, y, x, at.b,
                                                                            at.c);
        }
    }
}

/* --- as a product --- */

static void pack_left(const struct convolution *convolution, int group)
{
    const struct cpu_convolution *cpu = convolution->own;
    const struct product_view *view = &convolution->view;
    const int depth = window_count(&view->depth);
    for (int step = 0; step < depth; step++) {
        const struct triple at = window_split(&view->depth, step);
        for (int row = 0; row < view->rows; row++)
            cpu->left[(row / ROWS * depth + step) * ROWS + row % ROWS] =
                cpu->inputs[ARRAY_LEFT][window_left(
                    &convolution->shape, convolution->params->direction, group, row, &at)];
    }
}

static void gather_right(const struct convolution *convolution, int group,
                         const struct triple columns[COLUMNS], int n_columns, int first, int n)
{
    const struct cpu_convolution *cpu = convolution->own;
    for (int step = 0; step < n; step++) {
        const struct triple at = window_split(&convolution->view.depth, first + step);
        float *to = cpu->right + step * COLUMNS;
        for (int i = 0; i < n_columns; i++) {
            const int from = window_right(&convolution->shape, convolution->params->direction,
                                          group, &columns[i], &at);
            to[i] = from >= 0 ? cpu->inputs[ARRAY_RIGHT][from] : 0.0f;
        }
    }
}

static void multiply_columns(const struct convolution *convolution, int group, int first)
{
    const struct cpu_convolution *cpu = convolution->own;
    const struct product_view *view = &convolution->view;
    const int depth = window_count(&view->depth);
    const int n_columns = (int)smaller(COLUMNS, (uint64_t)(window_count(&view->columns) - first));
    const int width = processor()->tile_columns;
    struct triple columns[COLUMNS];
    for (int i = 0; i < n_columns; i++)
        columns[i] = window_split(&view->columns, first + i);
    memset(cpu->sums, 0, quotient_up((uint64_t)view->rows, ROWS) * ROWS * COLUMNS * sizeof(float));
    for (int step = 0; step < depth; step += STEPS) {
        const int n = (int)smaller(STEPS, (uint64_t)(depth - step));
        gather_right(convolution, group, columns, n_columns, step, n);
        for (int row = 0; row < view->rows; row += ROWS) {
            for (int i = 0; i < n_columns; i += width)
                processor()->tile(cpu->sums + row * COLUMNS + i,
                                  cpu->left + row * depth + step * ROWS, cpu->right + i, n);
        }
    }
    for (int row = 0; row < view->rows; row++) {
        for (int i = 0; i < n_columns; i++)
            cpu->output[window_output(&convolution->shape, convolution->params->direction, group,
                                      row, &columns[i])] = cpu->sums[row * COLUMNS + i];
    }
}

static void multiply(const struct convolution *convolution)
{
    const int n_columns = window_count(&convolution->view.columns);
    for (int group = 0; group < convolution->shape.groups; group++) {
        pack_left(convolution, group);
        for (int column = 0; column < n_columns; column += COLUMNS)
            multiply_columns(convolution, group, column);
    }
}

/* --- the functions of a backend --- */

static uint64_t n_roundings(const struct convolution *convolution)
{
    const struct window_shape *shape = &convolution->shape;
    const uint64_t depth = (uint64_t)window_count(&convolution->view.depth);
    if (convolution->params->method == METHOD_IMPLICIT_GEMM)
        return smaller(depth, STEPS) + quotient_up(depth, STEPS);
    return convolution->params->direction == DIRECTION_WEIGHTS
               ? (uint64_t)shape->n * (uint64_t)shape->p * quotient_up((uint64_t)shape->q, LANES) +
                     LANES
               : depth;
}

static float *take(const struct convolution *convolution, uint64_t n, int32_t *status)
{
    return host_memory(convolution->host, n * sizeof(float), status);
}

static int32_t prepare(struct convolution *convolution, const struct gb_queue *queue)
{
    struct cpu_convolution *cpu = convolution->own;
    const uint64_t rows = quotient_up((uint64_t)convolution->view.rows, ROWS) * ROWS;
    float *arrays[ARRAYS];
    int32_t status = GB_OK;
    (void)queue;
    convolution->n_roundings = n_roundings(convolution);
    for (int i = 0; i < ARRAYS; i++)
        arrays[i] = convolution->params->dtype == DTYPE_FP32
                        ? convolution->arrays[i].device
                        : take(convolution, convolution->arrays[i].n, &status);
    cpu->inputs[ARRAY_LEFT] = arrays[ARRAY_LEFT];
    cpu->inputs[ARRAY_RIGHT] = arrays[ARRAY_RIGHT];
    cpu->output = arrays[ARRAY_OUTPUT];
    if (convolution->params->method == METHOD_DIRECT)
        return status;
    cpu->left = take(convolution, rows * (uint64_t)window_count(&convolution->view.depth), &status);
    cpu->right = take(convolution, STEPS * COLUMNS, &status);
    cpu->sums = take(convolution, rows * COLUMNS, &status);
    return status;
}

enum { CHUNK = 1024 };

static void widen(const struct convolution *convolution, int array, float *ret)
{
    double values[CHUNK];
    for (uint64_t first = 0; first < convolution->arrays[array].n; first += CHUNK) {
        const uint64_t n = smaller(CHUNK, convolution->arrays[array].n - first);
        convolution->formats->load(convolution->format->format, convolution->arrays[array].device,
                                   first, n, values);
        for (uint64_t i = 0; i < n; i++)
            ret[first + i] = (float)values[i];
    }
}

static void narrow(const struct convolution *convolution, const float *floats)
{
    double values[CHUNK];
    for (uint64_t first = 0; first < convolution->arrays[ARRAY_OUTPUT].n; first += CHUNK) {
        const uint64_t n = smaller(CHUNK, convolution->arrays[ARRAY_OUTPUT].n - first);
        for (uint64_t i = 0; i < n; i++)
            values[i] = (double)floats[first + i];
        convolution->formats->store(convolution->format->format,
                                    convolution->arrays[ARRAY_OUTPUT].device, first, n, values);
    }
}

/* Halves become floats in each run: that is part of it. */
static void convolve(const struct convolution *convolution)
{
    static void (*const direct[DIRECTIONS])(const struct window_shape *shape,
                                            const struct cpu_convolution *cpu) = {
        [DIRECTION_FORWARD] = direct_forward,
        [DIRECTION_DATA] = direct_data,
        [DIRECTION_WEIGHTS] = direct_weights,
    };
    const struct cpu_convolution *cpu = convolution->own;
    const bool is_single = convolution->params->dtype == DTYPE_FP32;
    for (int i = ARRAY_LEFT; i <= ARRAY_RIGHT && !is_single; i++)
        widen(convolution, i, cpu->inputs[i]);
    if (convolution->params->method == METHOD_IMPLICIT_GEMM)
        multiply(convolution);
    else
        direct[convolution->params->direction](&convolution->shape, cpu);
    if (!is_single)
        narrow(convolution, cpu->output);
}

static int32_t run(const struct convolution *convolution, const struct gb_queue *queue,
                   uint64_t iterations)
{
    (void)queue;
    for (uint64_t i = 0; i < iterations; i++)
        convolve(convolution);
    return GB_OK;
}

const struct backend convolution_cpu = {
    .own_bytes = sizeof(struct cpu_convolution),
    .prepare = prepare,
    .run = run,
};
