/* reference.c - see reference.h. Plugin side. */
#include "reference.h"

#include "plugins/common/simd.h"

#include <math.h>
#include <string.h>

/* Columns are taken 8 at a time, as many as fit into two vectors, and DEPTH steps at a time, so
 * that the panel of W stays in the first cache while all rows of X pass by. */
enum { COLUMNS = 8, WIDTH = 4, VECTORS = COLUMNS / WIDTH, ROWS = 2, DEPTH = 256 };

#define VECTOR VECTOR_OF(double, 8 * WIDTH)

size_t reference_panel_bytes(void)
{
    return 2 * DEPTH * COLUMNS * sizeof(double);
}

/* The sums of ROWS x COLUMNS outputs over n_steps; the panel holds W by steps, then its absolute
 * values. */
EVERYWHERE void sum_tile(double sums[ROWS][COLUMNS], double sizes[ROWS][COLUMNS],
                         const float *const rows[ROWS], const double *panel, int64_t n_steps)
{
    VECTOR sum[ROWS][VECTORS] = {0};
    VECTOR size[ROWS][VECTORS] = {0};
    for (int64_t k = 0; k < n_steps; k++) {
        const UNALIGNED(double, 8 * WIDTH) *w = (const void *)(panel + k * COLUMNS);
        const UNALIGNED(double, 8 * WIDTH) *w_size = (const void *)(panel + (DEPTH + k) * COLUMNS);
#pragma GCC unroll 2
        for (int i = 0; i < ROWS; i++) {
            const double x = (double)rows[i][k];
            const double x_size = fabs(x);
#pragma GCC unroll 2
            for (int j = 0; j < VECTORS; j++) {
                sum[i][j] += x * w[j].vector;
                size[i][j] += x_size * w_size[j].vector;
            }
        }
    }
    memcpy(sums, sum, sizeof sum);
    memcpy(sizes, size, sizeof size);
}

static FOR_AVX2 void sum_tile_avx2(double sums[ROWS][COLUMNS], double sizes[ROWS][COLUMNS],
                                   const float *const rows[ROWS], const double *panel,
                                   int64_t n_steps)
{
    sum_tile(sums, sizes, rows, panel, n_steps);
}

static void sum_tile_portable(double sums[ROWS][COLUMNS], double sizes[ROWS][COLUMNS],
                              const float *const rows[ROWS], const double *panel, int64_t n_steps)
{
    sum_tile(sums, sizes, rows, panel, n_steps);
}

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static void load_panel(double *panel, const float *w, int64_t n_columns, int64_t n_steps,
                       int64_t length)
{
    memset(panel, 0, reference_panel_bytes());
    for (int64_t j = 0; j < n_columns; j++) {
        for (int64_t k = 0; k < n_steps; k++) {
            panel[k * COLUMNS + j] = (double)w[j * length + k];
            panel[(DEPTH + k) * COLUMNS + j] = fabs((double)w[j * length + k]);
        }
    }
}

/* Adds n_steps of all rows to n_columns of the outputs. A last row without a pair is taken twice.
 */
static void add_columns(const struct product_shape *shape, const float *x, const double *panel,
                        int64_t n_columns, int64_t n_steps, double *sums, double *sizes)
{
    for (int64_t row = 0; row < shape->m; row += ROWS) {
        double sum[ROWS][COLUMNS];
        double size[ROWS][COLUMNS];
        const float *rows[ROWS];
        const int64_t n_rows = smaller(shape->m - row, ROWS);
        for (int64_t i = 0; i < ROWS; i++)
            rows[i] = x + (row + smaller(i, n_rows - 1)) * shape->k;
        if (has_avx2())
            sum_tile_avx2(sum, size, rows, panel, n_steps);
        else
            sum_tile_portable(sum, size, rows, panel, n_steps);
        for (int64_t i = 0; i < n_rows; i++) {
            for (int64_t j = 0; j < n_columns; j++) {
                sums[(row + i) * shape->n + j] += sum[i][j];
                sizes[(row + i) * shape->n + j] += size[i][j];
            }
        }
    }
}

void reference_product(const struct product_shape *shape, const float *x, const float *w,
                       double *sums, double *sizes, double *panel)
{
    const size_t n_outputs = (size_t)(shape->m * shape->n);
    memset(sums, 0, n_outputs * sizeof *sums);
    memset(sizes, 0, n_outputs * sizeof *sizes);
    for (int64_t column = 0; column < shape->n; column += COLUMNS) {
        const int64_t n_columns = smaller(shape->n - column, COLUMNS);
        for (int64_t step = 0; step < shape->k; step += DEPTH) {
            const int64_t n_steps = smaller(shape->k - step, DEPTH);
            load_panel(panel, w + column * shape->k + step, n_columns, n_steps, shape->k);
            add_columns(shape, x + step, panel, n_columns, n_steps, sums + column, sizes + column);
        }
    }
}
