/*
 * product_reference.c - see product_reference.h. Plugin side.
 *
 * A and B are packed into panels as a tile reads them. Threads take blocks of the output in turn;
 * in each of them the steps are cut to what the caches hold, and the sums of a cut are added in
 * float64.
 */
#include "product_reference.h"

#include "bench_steps.h"
#include "simd.h"
#include "verified_sums.h"

#include <gbrun/abi.h>
#include <math.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum {
    DEPTH = 256,         /* steps at a time */
    BLOCK_ROWS = 96,     /* of the output, for one thread; multiples of each tile's */
    BLOCK_COLUMNS = 480, /* the same */
    TILE_BYTES_MAX = 2048
};

typedef void tile_fn(const void *a, const void *b, uint64_t n_steps, void *ret);

/* One tile of a product: A is packed by steps of ROWS elements, B by steps of VECTORS vectors. */
#define TILE(name, TARGET, element, BYTES, ROWS, VECTORS)                                          \
    TARGET static void name(const void *packed_a, const void *packed_b, uint64_t n_steps,          \
                            void *ret)                                                             \
    {                                                                                              \
        typedef VECTOR_OF(element, BYTES) vector;                                                  \
        const element *a = packed_a;                                                               \
        const vector *b = packed_b;                                                                \
        vector sum[ROWS][VECTORS] = {0};                                                           \
        for (uint64_t step = 0; step < n_steps; step++) {                                          \
            _Pragma("GCC unroll 8") for (int i = 0; i < (ROWS); i++)                               \
            {                                                                                      \
                _Pragma("GCC unroll 4") for (int j = 0; j < (VECTORS); j++)                        \
                    sum[i][j] += a[i] * b[j];                                                      \
            }                                                                                      \
            a += (ROWS);                                                                           \
            b += (VECTORS);                                                                        \
        }                                                                                          \
        memcpy(ret, sum, sizeof sum);                                                              \
    }
TILE(tile_double_avx512, FOR_AVX512, double, 64, 8, 3)
TILE(tile_float_avx512, FOR_AVX512, float, 64, 8, 3)
TILE(tile_double_avx2, FOR_AVX2, double, 32, 4, 3)
TILE(tile_float_avx2, FOR_AVX2, float, 32, 4, 3)
TILE(tile_double, , double, 16, 4, 2)
TILE(tile_float, , float, 16, 4, 2)

struct tile {
    tile_fn *multiply;
    bool is_single;
    uint64_t rows, columns;
};

static struct tile tile_for(bool is_single)
{
    if (has_avx512())
        return is_single ? (struct tile){tile_float_avx512, true, 8, 48}
                         : (struct tile){tile_double_avx512, false, 8, 24};
    if (has_avx2())
        return is_single ? (struct tile){tile_float_avx2, true, 4, 24}
                         : (struct tile){tile_double_avx2, false, 4, 12};
    return is_single ? (struct tile){tile_float, true, 4, 8}
                     : (struct tile){tile_double, false, 4, 4};
}

static uint64_t round_up(uint64_t n, uint64_t multiple)
{
    return quotient_up(n, multiple) * multiple;
}

/* --- panels --- */

/* `width` lines of the matrix at a time, step by step; 0 beyond the last line. */
struct panels {
    const double *lines; /* n_lines x k */
    uint64_t n_lines, k, width;
    bool is_single; /* floats, of magnitudes */
    double scale;   /* of squares in place of magnitudes; 0: none */
    void *packed;
};

static uint64_t element_bytes(bool is_single)
{
    return is_single ? sizeof(float) : sizeof(double);
}

static bool panels_allocate(struct panels *panels)
{
    const uint64_t n = round_up(panels->n_lines, panels->width);
    const uint64_t each = panels->k * element_bytes(panels->is_single);
    if (each != 0 && n > SIZE_MAX / 2 / each)
        return false;
    panels->packed = aligned_alloc(64, round_up(n * each, 64));
    return panels->packed != NULL;
}

static const void *panel_at(const struct panels *panels, uint64_t line, uint64_t step)
{
    return (const char *)panels->packed +
           (line * panels->k + step * panels->width) * element_bytes(panels->is_single);
}

static void pack_panel(const struct panels *panels, uint64_t panel)
{
    const uint64_t first = panel * panels->width;
    const uint64_t n = smaller(panels->width, panels->n_lines - first);
    const uint64_t size = panels->width * panels->k;
    float *floats = (float *)panels->packed + panel * size;
    double *doubles = (double *)panels->packed + panel * size;
    const double *lines = panels->lines + first * panels->k;
    for (uint64_t k = 0; k < panels->k; k++) {
        for (uint64_t i = 0; i < panels->width; i++) {
            const double value = i < n ? lines[i * panels->k + k] : 0.0;
            const double scaled = value * panels->scale;
            if (panels->scale != 0.0)
                floats[k * panels->width + i] = (float)(scaled * scaled);
            else if (panels->is_single)
                floats[k * panels->width + i] = fabsf((float)value);
            else
                doubles[k * panels->width + i] = value;
        }
    }
}

/* --- one product --- */

struct job {
    struct product_shape shape;
    struct tile tile;
    struct panels a, b;
    double *sum;
    atomic_uint_fast64_t next_panel, next_block;
};

/* Adds lines of values to those of the output; written so that the compiler makes vectors of it. */
#define ADD_TILE(element)                                                                          \
    for (uint64_t i = 0; i < n_rows; i++) {                                                        \
        double *restrict to = job->sum + (row + i) * job->shape.n + column;                        \
        const element *restrict from = (const element *)values + i * tile->columns;                \
        uint64_t j = 0;                                                                            \
        for (; j + 4 <= n_columns; j += 4) {                                                       \
            for (uint64_t lane = 0; lane < 4; lane++)                                              \
                to[j + lane] += (double)from[j + lane];                                            \
        }                                                                                          \
        for (; j < n_columns; j++)                                                                 \
            to[j] += (double)from[j];                                                              \
    }

static void add_tile(const struct job *job, uint64_t row, uint64_t column, const void *values)
{
    const struct tile *tile = &job->tile;
    const uint64_t n_rows = smaller(tile->rows, job->shape.m - row);
    const uint64_t n_columns = smaller(tile->columns, job->shape.n - column);
    if (tile->is_single)
        ADD_TILE(float)
    else
        ADD_TILE(double)
}

static void multiply_block(const struct job *job, uint64_t row, uint64_t column)
{
    const struct tile *tile = &job->tile;
    const uint64_t last_row = smaller(row + BLOCK_ROWS, job->shape.m);
    const uint64_t last_column = smaller(column + BLOCK_COLUMNS, job->shape.n);
    for (uint64_t i = row; i < last_row; i++)
        memset(job->sum + i * job->shape.n + column, 0, (last_column - column) * sizeof(double));
    for (uint64_t step = 0; step < job->shape.k; step += DEPTH) {
        const uint64_t n_steps = smaller(DEPTH, job->shape.k - step);
        for (uint64_t j = column; j < last_column; j += tile->columns) {
            for (uint64_t i = row; i < last_row; i += tile->rows) {
                _Alignas(64) char values[TILE_BYTES_MAX];
                tile->multiply(panel_at(&job->a, i, step), panel_at(&job->b, j, step), n_steps,
                               values);
                add_tile(job, i, j, values);
            }
        }
    }
}

static void pack_panels(void *context)
{
    struct job *job = context;
    const uint64_t n_a = quotient_up(job->a.n_lines, job->a.width);
    const uint64_t n_b = quotient_up(job->b.n_lines, job->b.width);
    uint64_t panel;
    while ((panel = atomic_fetch_add(&job->next_panel, 1)) < n_a + n_b) {
        if (panel < n_a)
            pack_panel(&job->a, panel);
        else
            pack_panel(&job->b, panel - n_a);
    }
}

static void multiply_blocks(void *context)
{
    struct job *job = context;
    const uint64_t n_columns = quotient_up(job->shape.n, BLOCK_COLUMNS);
    const uint64_t n_rows = quotient_up(job->shape.m, BLOCK_ROWS);
    uint64_t block;
    while ((block = atomic_fetch_add(&job->next_block, 1)) < n_rows * n_columns)
        multiply_block(job, block % n_rows * BLOCK_ROWS, block / n_rows * BLOCK_COLUMNS);
}

/* --- products --- */

/* Of what numbers: as they are, or their magnitudes, or their squares (with scales), in floats. */
struct numbers {
    bool is_single;
    double scale_a, scale_b;
};

static int32_t multiply(const struct reference_request *request, struct numbers numbers,
                        double *sum)
{
    const bool is_single = numbers.is_single;
    const struct product_shape *shape = &request->shape;
    struct job job = {.shape = *shape, .tile = tile_for(is_single), .sum = sum};
    int32_t status = GB_NO_MEMORY;
    job.a = (struct panels){request->a, shape->m,        shape->k, job.tile.rows,
                            is_single,  numbers.scale_a, NULL};
    job.b = (struct panels){request->b, shape->n,        shape->k, job.tile.columns,
                            is_single,  numbers.scale_b, NULL};
    if (panels_allocate(&job.a) && panels_allocate(&job.b)) {
        all_cpus_run(pack_panels, &job, request->n_threads);
        all_cpus_run(multiply_blocks, &job, request->n_threads);
        status = GB_OK;
    }
    free(job.a.packed);
    free(job.b.packed);
    return status;
}

static double *absolute(const double *values, uint64_t n)
{
    double *result = n <= SIZE_MAX / sizeof *result ? malloc(n * sizeof *result) : NULL;
    for (uint64_t i = 0; result != NULL && i < n; i++)
        result[i] = fabs(values[i]);
    return result;
}

/* Each of DEPTH roundings of a sum in single precision takes away 2^-24 at most, and float64 adds
 * the rest. */
static int32_t single_magnitude(const struct reference_request *request, double *magnitude)
{
    const uint64_t n = request->shape.m * request->shape.n;
    const int32_t status = multiply(request, (struct numbers){.is_single = true}, magnitude);
    for (uint64_t i = 0; status == GB_OK && i < n; i++)
        magnitude[i] *= 1.0 + (DEPTH + 1) * 0x1p-24;
    return status;
}

static int32_t double_magnitude(const struct reference_request *request, double *magnitude)
{
    struct reference_request positive = *request;
    double *a = absolute(request->a, request->shape.m * request->shape.k);
    double *b = absolute(request->b, request->shape.n * request->shape.k);
    positive.a = a;
    positive.b = b;
    const int32_t status = a != NULL && b != NULL
                               ? multiply(&positive, (struct numbers){0}, magnitude)
                               : GB_NO_MEMORY;
    free(a);
    free(b);
    return status;
}

int32_t reference_product(const struct reference_request *request, double *sum, double *magnitude)
{
    const uint64_t n = request->shape.m * request->shape.n;
    const int32_t status = multiply(request, (struct numbers){0}, sum);
    if (status != GB_OK || magnitude == NULL)
        return status;
    if (!request->has_one_sign)
        return request->is_single ? single_magnitude(request, magnitude)
                                  : double_magnitude(request, magnitude);
    for (uint64_t i = 0; i < n; i++)
        magnitude[i] = fabs(sum[i]);
    return GB_OK;
}

/* A power of two that brings the largest magnitude to 1..2, so that no square leaves the range. */
static double scale_of(const double *values, uint64_t n)
{
    double largest = 0.0;
    for (uint64_t i = 0; i < n; i++)
        largest = fmax(largest, fabs(values[i]));
    return largest > 0.0 && isfinite(largest) ? ldexp(1.0, -ilogb(largest)) : 1.0;
}

int32_t reference_squares(const struct reference_request *request, double *ret)
{
    const struct product_shape *shape = &request->shape;
    const struct numbers squares = {
        .is_single = true,
        .scale_a = scale_of(request->a, shape->m * shape->k),
        .scale_b = scale_of(request->b, shape->n * shape->k),
    };
    const int32_t status = multiply(request, squares, ret);
    for (uint64_t i = 0; status == GB_OK && i < shape->m * shape->n; i++)
        ret[i] = ret[i] / squares.scale_a / squares.scale_a / squares.scale_b / squares.scale_b;
    return status;
}
