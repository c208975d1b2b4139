/*
 * tuned_cpu.c - see tuned_cpu.h. Plugin side.
 *
 * The loops around the tile are those of Goto and van de Geijn, Anatomy of High-Performance Matrix
 * Multiplication, 2008: a panel of W stays in the first cache, a block of X in the second.
 */
#include "tuned_cpu.h"

#include "plugins/common/simd.h"

#include <string.h>

enum {
    STEPS_MAX = 256,    /* of a block along K */
    BLOCK_ROWS = 240,   /* of X; whole tiles of each kind */
    TILE_MAX = 12 * 32, /* outputs */
    LINE = 64 / sizeof(float)
};

/* --- one tile --- */

/* x: by steps, ROWS values each; w: by steps, VECTORS vectors each. */
#define MULTIPLY(name, TARGET, BYTES, ROWS, VECTORS)                                               \
    static TARGET void name(float *to, int64_t stride, const float *x, const float *w,             \
                            int64_t n_steps, bool is_added)                                        \
    {                                                                                              \
        enum { WIDTH = (BYTES) / sizeof(float) };                                                  \
        VECTOR_OF(float, BYTES) sums[ROWS][VECTORS] = {0};                                         \
        for (int64_t k = 0; k < n_steps; k++) {                                                    \
            const UNALIGNED(float, BYTES) *right = (const void *)(w + k * (VECTORS)*WIDTH);        \
            _Pragma("GCC unroll 12") for (int i = 0; i < (ROWS); i++)                              \
            {                                                                                      \
                _Pragma("GCC unroll 2") for (int j = 0; j < (VECTORS); j++)                        \
                    sums[i][j] += x[k * (ROWS) + i] * right[j].vector;                             \
            }                                                                                      \
        }                                                                                          \
        for (int i = 0; i < (ROWS); i++) {                                                         \
            UNALIGNED(float, BYTES) *row = (void *)(to + i * stride);                              \
            for (int j = 0; j < (VECTORS); j++)                                                    \
                row[j].vector = is_added ? row[j].vector + sums[i][j] : sums[i][j];                \
        }                                                                                          \
    }

MULTIPLY(multiply_avx512, FOR_AVX512, 64, 12, 2)
MULTIPLY(multiply_avx2, FOR_AVX2, 32, 6, 2)
MULTIPLY(multiply_portable, , 16, 4, 2)

const struct tuned_cpu *tuned_cpu_here(void)
{
    static const struct tuned_cpu avx512 = {12, 32, multiply_avx512};
    static const struct tuned_cpu avx2 = {6, 16, multiply_avx2};
    static const struct tuned_cpu portable = {4, 8, multiply_portable};
    return has_avx512() ? &avx512 : has_avx2() ? &avx2 : &portable;
}

/* --- packing --- */

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t round_up(int64_t n, int64_t to)
{
    return (n + to - 1) / to * to;
}

/* Blocks along K of nearly one length. */
static int64_t block_steps(const struct product_shape *shape)
{
    const int64_t n_blocks = (shape->k + STEPS_MAX - 1) / STEPS_MAX;
    return (shape->k + n_blocks - 1) / n_blocks;
}

/* Rows of either matrix in panels of `width`, each by steps; the last one is filled up with zeros.
 */
static void pack(float *to, const float *from, int64_t n_rows, int64_t length, int64_t n_steps,
                 int64_t width)
{
    for (int64_t row = 0; row < n_rows; row += width) {
        for (int64_t i = 0; i < width; i++) {
            const float *values = from + (row + i) * length;
            const bool is_inside = row + i < n_rows;
            for (int64_t k = 0; k < n_steps; k++)
                to[k * width + i] = is_inside ? values[k] : 0.0f;
        }
        to += width * n_steps;
    }
}

static size_t packed_w(const struct tuned_cpu *tuned, const struct product_shape *shape)
{
    return (size_t)round_up(round_up(shape->n, tuned->columns) * block_steps(shape), LINE);
}

size_t tuned_cpu_packed(const struct tuned_cpu *tuned, const struct product_shape *shape)
{
    return packed_w(tuned, shape) + (size_t)(BLOCK_ROWS * block_steps(shape));
}

/* --- blocks --- */

/* Where a product is in its loops. */
struct place {
    const struct tuned_cpu *tuned;
    const struct product_shape *shape;
    int64_t row, n_rows; /* of the block of X */
    int64_t n_steps;
    bool is_added;      /* not the first block along K */
    const float *x, *w; /* packed */
    float *y;
};

/* A tile that hangs over is computed whole, and what is inside taken from it. */
static void cut_tile(const struct place *place, int64_t row, int64_t column, const float *x,
                     const float *w)
{
    float whole[TILE_MAX];
    const struct tuned_cpu *tuned = place->tuned;
    const int64_t n_rows = smaller(place->shape->m - row, tuned->rows);
    const int64_t n_columns = smaller(place->shape->n - column, tuned->columns);
    tuned->multiply(whole, tuned->columns, x, w, place->n_steps, false);
    for (int64_t i = 0; i < n_rows; i++) {
        float *to = place->y + (row + i) * place->shape->n + column;
        for (int64_t j = 0; j < n_columns; j++)
            to[j] = whole[i * tuned->columns + j] + (place->is_added ? to[j] : 0.0f);
    }
}

static void multiply_block(const struct place *place)
{
    const struct tuned_cpu *tuned = place->tuned;
    const struct product_shape *shape = place->shape;
    for (int64_t column = 0; column < shape->n; column += tuned->columns) {
        const float *w = place->w + column * place->n_steps;
        for (int64_t i = 0; i < place->n_rows; i += tuned->rows) {
            const float *x = place->x + i * place->n_steps;
            const int64_t row = place->row + i;
            if (row + tuned->rows <= shape->m && column + tuned->columns <= shape->n)
                tuned->multiply(place->y + row * shape->n + column, shape->n, x, w, place->n_steps,
                                place->is_added);
            else
                cut_tile(place, row, column, x, w);
        }
    }
}

void tuned_cpu_product(const struct tuned_cpu *tuned, const struct product_shape *shape,
                       const float *x, const float *w, float *y, float *packed)
{
    float *x_packed = packed + packed_w(tuned, shape);
    struct place place = {.tuned = tuned, .shape = shape, .x = x_packed, .w = packed, .y = y};
    for (int64_t step = 0; step < shape->k; step += block_steps(shape)) {
        place.n_steps = smaller(shape->k - step, block_steps(shape));
        place.is_added = step > 0;
        pack(packed, w + step, shape->n, shape->k, place.n_steps, tuned->columns);
        for (place.row = 0; place.row < shape->m; place.row += BLOCK_ROWS) {
            place.n_rows = smaller(shape->m - place.row, BLOCK_ROWS);
            pack(x_packed, x + place.row * shape->k + step, place.n_rows, shape->k, place.n_steps,
                 tuned->rows);
            multiply_block(&place);
        }
    }
}
