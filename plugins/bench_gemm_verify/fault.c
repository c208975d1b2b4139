/* fault.c - see fault.h. Plugin side. */
#include "fault.h"

#include "plugins/common/bench_steps.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

enum { TILE = 16 };
static const double WRONG_SCALE = 1.0625;

static uint64_t tiles(uint64_t n)
{
    return (n + TILE - 1) / TILE;
}

const char *fault_refusal(const struct fault_request *request)
{
    const struct product_shape *shape = &request->shape;
    const bool is_integer = request->output->is_integer != 0;
    switch (request->fault) {
    case FAULT_STALE_TILE:
        return shape->m <= TILE && shape->n <= TILE
                   ? "an output of one tile of 16 x 16 has no second tile"
                   : NULL;
    case FAULT_SWAPPED_ROWS:
        return shape->m < 2 ? "an output of one row has no second row" : NULL;
    case FAULT_NAN:
    case FAULT_INF:
        return is_integer ? "integers have neither NaN nor infinity" : NULL;
    default:
        return NULL;
    }
}

static double element(const struct fault_request *request, const void *c, uint64_t i)
{
    double value;
    request->formats->load(request->output->format, c, i, 1, &value);
    return value;
}

static void set(const struct fault_request *request, void *c, uint64_t i, double value)
{
    request->formats->store(request->output->format, c, i, 1, &value);
}

/* Takes the products `first` to `first` + n out of element i. */
static void drop(const struct fault_request *request, void *c, uint64_t i, uint64_t first,
                 uint64_t n)
{
    const uint64_t k = request->shape.k;
    const double *a = request->a + i / request->shape.n * k;
    const double *b = request->b + i % request->shape.n * k;
    double value = element(request, c, i);
    for (uint64_t j = first; j < first + n && j < k; j++)
        value -= a[j] * b[j];
    set(request, c, i, value);
}

struct tile_place {
    uint64_t row, column, rows, columns;
};

/* Whole tiles where there are any. */
static struct tile_place tile_at(const struct product_shape *shape, uint64_t tile)
{
    const uint64_t row = tile / tiles(shape->n) * TILE;
    const uint64_t column = tile % tiles(shape->n) * TILE;
    return (struct tile_place){row, column, smaller(TILE, shape->m - row),
                               smaller(TILE, shape->n - column)};
}

static uint64_t n_tiles(const struct product_shape *shape)
{
    return tiles(shape->m) * tiles(shape->n);
}

static void skip_step(const struct fault_request *request, void *c)
{
    const struct product_shape *shape = &request->shape;
    const struct tile_place at = tile_at(shape, request->place % n_tiles(shape));
    const uint64_t first = request->place / 7 % tiles(shape->k) * TILE;
    for (uint64_t i = 0; i < at.rows; i++) {
        for (uint64_t j = 0; j < at.columns; j++)
            drop(request, c, (at.row + i) * shape->n + at.column + j, first, TILE);
    }
}

/* The tile holds what the one before it does, in the rows and columns that both have. */
static void keep_stale_tile(const struct fault_request *request, void *c)
{
    const struct product_shape *shape = &request->shape;
    const uint64_t tile = request->place % n_tiles(shape);
    const struct tile_place to = tile_at(shape, tile);
    const struct tile_place from = tile_at(shape, (tile + n_tiles(shape) - 1) % n_tiles(shape));
    for (uint64_t i = 0; i < smaller(to.rows, from.rows); i++) {
        for (uint64_t j = 0; j < smaller(to.columns, from.columns); j++)
            set(request, c, (to.row + i) * shape->n + to.column + j,
                element(request, c, (from.row + i) * shape->n + from.column + j));
    }
}

static void swap_rows(const struct fault_request *request, void *c)
{
    const struct product_shape *shape = &request->shape;
    const uint64_t row = request->place % (shape->m - 1);
    for (uint64_t j = 0; j < shape->n; j++) {
        const double upper = element(request, c, row * shape->n + j);
        set(request, c, row * shape->n + j, element(request, c, (row + 1) * shape->n + j));
        set(request, c, (row + 1) * shape->n + j, upper);
    }
}

void fault_plant(const struct fault_request *request, void *c)
{
    const uint64_t n = request->shape.m * request->shape.n;
    const uint64_t place = request->place % n;
    switch (request->fault) {
    case FAULT_DROPPED_PRODUCT:
        drop(request, c, place, request->place / n % request->shape.k, 1);
        break;
    case FAULT_SKIPPED_K_STEP:
        skip_step(request, c);
        break;
    case FAULT_STALE_TILE:
        keep_stale_tile(request, c);
        break;
    case FAULT_SWAPPED_ROWS:
        swap_rows(request, c);
        break;
    case FAULT_UNWRITTEN: /* what the output was filled with before the run */
        memset((char *)c + place * request->output->bytes, 0xff, request->output->bytes);
        break;
    case FAULT_WRONG_SCALE:
        for (uint64_t i = 0; i < n; i++)
            set(request, c, i, WRONG_SCALE * element(request, c, i));
        break;
    case FAULT_NAN:
        set(request, c, place, (double)NAN);
        break;
    case FAULT_INF:
        set(request, c, place, (double)INFINITY);
        break;
    case FAULT_ALL_ZERO:
        memset(c, 0, n * request->output->bytes);
        break;
    default:
        break;
    }
}
