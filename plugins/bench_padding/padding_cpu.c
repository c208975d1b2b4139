/*
 * padding_cpu.c - the schedules on one thread of the CPU. Plugin side.
 *
 * A tile is 6 x 16 outputs. W's part of it, all along K, is laid out by steps once for a column of
 * tiles, as a block of threads does in shared memory; guards are scalar, as no vector has them.
 */
#include "padding.h"
#include "plugins/common/bench_memory.h"
#include "plugins/common/simd.h"

#include <string.h>

/*
 * --- tuned: a product from packed matrices, in blocks that fit the caches ---
 *
 * The loops around the tile are those of Goto and van de Geijn, Anatomy of High-Performance Matrix
 * Multiplication, 2008: a panel of W stays in the first cache, a block of X in the second.
 */

enum {
    STEPS_MAX = 256,    /* of a block along K */
    BLOCK_ROWS = 240,   /* of X; whole tiles of each kind */
    TILE_MAX = 12 * 32, /* outputs */
    LINE_FLOATS = 64 / sizeof(float)
};

/* What this processor has: a tile of rows x columns outputs is kept in registers. Of it `multiply`
 * makes the sum of n_steps products of packed values and puts it to, or with is_added adds it to,
 * rows that are `stride` apart. */
struct tuned_cpu {
    int64_t rows, columns;
    void (*multiply)(float *to, int64_t stride, const float *x, const float *w, int64_t n_steps,
                     bool is_added);
};

/* x: by steps, ROWS values each; w: by steps, VECTORS vectors each. */
#define TUNED(name, TARGET, BYTES, ROWS, VECTORS)                                                  \
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

TUNED(tuned_avx512, FOR_AVX512, 64, 12, 2)
TUNED(tuned_avx2, FOR_AVX2, 32, 6, 2)
TUNED(tuned_portable, , 16, 4, 2)

static const struct tuned_cpu *tuned_cpu_here(void)
{
    static const struct tuned_cpu avx512 = {12, 32, tuned_avx512};
    static const struct tuned_cpu avx2 = {6, 16, tuned_avx2};
    static const struct tuned_cpu portable = {4, 8, tuned_portable};
    return has_avx512() ? &avx512 : has_avx2() ? &avx2 : &portable;
}

static int64_t fewer(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t round_up(int64_t n, int64_t to)
{
    return (n + to - 1) / to * to;
}

/* Blocks along K of nearly one length. */
static int64_t block_steps(const struct batch_shape *shape)
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

static size_t packed_w(const struct tuned_cpu *tuned, const struct batch_shape *shape)
{
    return (size_t)round_up(round_up(shape->n, tuned->columns) * block_steps(shape), LINE_FLOATS);
}

/* Floats that tuned_cpu_product needs, aligned to 64 bytes. */
static size_t tuned_cpu_packed(const struct tuned_cpu *tuned, const struct batch_shape *shape)
{
    return packed_w(tuned, shape) + (size_t)(BLOCK_ROWS * block_steps(shape));
}

/* Where a product is in its loops. */
struct block {
    const struct tuned_cpu *tuned;
    const struct batch_shape *shape;
    int64_t row, n_rows; /* of the block of X */
    int64_t n_steps;
    bool is_added;      /* not the first block along K */
    const float *x, *w; /* packed */
    float *y;
};

/* A tile that hangs over is computed whole, and what is inside taken from it. */
static void cut_tile(const struct block *block, int64_t row, int64_t column, const float *x,
                     const float *w)
{
    float whole[TILE_MAX];
    const struct tuned_cpu *tuned = block->tuned;
    const int64_t n_rows = fewer(block->shape->m - row, tuned->rows);
    const int64_t n_columns = fewer(block->shape->n - column, tuned->columns);
    tuned->multiply(whole, tuned->columns, x, w, block->n_steps, false);
    for (int64_t i = 0; i < n_rows; i++) {
        float *to = block->y + (row + i) * block->shape->n + column;
        for (int64_t j = 0; j < n_columns; j++)
            to[j] = whole[i * tuned->columns + j] + (block->is_added ? to[j] : 0.0f);
    }
}

static void multiply_block(const struct block *block)
{
    const struct tuned_cpu *tuned = block->tuned;
    const struct batch_shape *shape = block->shape;
    for (int64_t column = 0; column < shape->n; column += tuned->columns) {
        const float *w = block->w + column * block->n_steps;
        for (int64_t i = 0; i < block->n_rows; i += tuned->rows) {
            const float *x = block->x + i * block->n_steps;
            const int64_t row = block->row + i;
            if (row + tuned->rows <= shape->m && column + tuned->columns <= shape->n)
                tuned->multiply(block->y + row * shape->n + column, shape->n, x, w, block->n_steps,
                                block->is_added);
            else
                cut_tile(block, row, column, x, w);
        }
    }
}

static void tuned_cpu_product(const struct tuned_cpu *tuned, const struct batch_shape *shape,
                              const float *x, const float *w, float *y, float *packed)
{
    float *x_packed = packed + packed_w(tuned, shape);
    struct block block = {.tuned = tuned, .shape = shape, .x = x_packed, .w = packed, .y = y};
    for (int64_t step = 0; step < shape->k; step += block_steps(shape)) {
        block.n_steps = fewer(shape->k - step, block_steps(shape));
        block.is_added = step > 0;
        pack(packed, w + step, shape->n, shape->k, block.n_steps, tuned->columns);
        for (block.row = 0; block.row < shape->m; block.row += BLOCK_ROWS) {
            block.n_rows = fewer(shape->m - block.row, BLOCK_ROWS);
            pack(x_packed, x + block.row * shape->k + step, block.n_rows, shape->k, block.n_steps,
                 tuned->rows);
            multiply_block(&block);
        }
    }
}

/* --- the other schedules --- */

enum { ROWS = 6, COLUMNS = 16, DEPTH = 4 }; /* DEPTH: steps at once */

/* sums += the products of n_steps; rows of x are `stride` apart, ws is by steps. */
typedef void multiply_fn(float sums[ROWS][COLUMNS], const float *x, int64_t stride, const float *ws,
                         int64_t n_steps);

typedef void product_fn(const struct padding *padding, const float *x, const float *w, float *y);

struct cpu_padding {
    multiply_fn *multiply;
    product_fn *product;
    const struct tuned_cpu *tuned;
    int64_t length; /* whole steps along K */
    float *xs, *ws; /* the local tiles, or what tuned packs */
};

/* A tile at work. */
struct place {
    const struct batch_shape *shape;
    const struct cpu_padding *cpu;
    const float *x;
    float *y;
    int64_t row, column;
};

/* --- arithmetic --- */

/* Whole steps, and one by one what is left of them. */
#define MULTIPLY(name, TARGET, BYTES)                                                              \
    static TARGET void name(float sums[ROWS][COLUMNS], const float *x, int64_t stride,             \
                            const float *ws, int64_t n_steps)                                      \
    {                                                                                              \
        enum { WIDTH = (BYTES) / sizeof(float), VECTORS = 2 };                                     \
        for (int column = 0; column < COLUMNS; column += VECTORS * WIDTH) {                        \
            VECTOR_OF(float, BYTES) held[ROWS][VECTORS];                                           \
            for (int i = 0; i < ROWS; i++)                                                         \
                memcpy(held[i], &sums[i][column], sizeof held[i]);                                 \
            int64_t k = 0;                                                                         \
            for (; k + DEPTH <= n_steps; k += DEPTH) {                                             \
                STEP(BYTES, k)                                                                     \
                STEP(BYTES, k + 1)                                                                 \
                STEP(BYTES, k + 2)                                                                 \
                STEP(BYTES, k + 3)                                                                 \
            }                                                                                      \
            for (; k < n_steps; k++) {                                                             \
                STEP(BYTES, k)                                                                     \
            }                                                                                      \
            for (int i = 0; i < ROWS; i++)                                                         \
                memcpy(&sums[i][column], held[i], sizeof held[i]);                                 \
        }                                                                                          \
    }
#define STEP(BYTES, at)                                                                            \
    {                                                                                              \
        const UNALIGNED(float, BYTES) *w = (const void *)(ws + (at)*COLUMNS + column);             \
        _Pragma("GCC unroll 6") for (int i = 0; i < ROWS; i++)                                     \
        {                                                                                          \
            _Pragma("GCC unroll 2") for (int j = 0; j < VECTORS; j++)                              \
                held[i][j] += x[i * stride + (at)] * w[j].vector;                                  \
        }                                                                                          \
    }

MULTIPLY(multiply_avx2, FOR_AVX2, 32)
MULTIPLY(multiply_portable, , 16)

static bool is_inside(const struct place *place)
{
    return place->row + ROWS <= place->shape->m && place->column + COLUMNS <= place->shape->n;
}

static void multiply_guarded(float sums[ROWS][COLUMNS], const struct place *place)
{
    const struct batch_shape shape = *place->shape;
    const int64_t row = place->row;
    const int64_t column = place->column;
    const int64_t length = place->cpu->length;
    const float *xs = place->cpu->xs;
    const float *ws = place->cpu->ws;
    for (int64_t k = 0; k < length; k++) {
        for (int64_t i = 0; i < ROWS; i++) {
            for (int64_t j = 0; j < COLUMNS; j++) {
                if (row + i < shape.m && column + j < shape.n && k < shape.k)
                    sums[i][j] += xs[i * length + k] * ws[k * COLUMNS + j];
            }
        }
    }
}

/* --- local tiles --- */

static void load_w_guarded(const struct place *place, const float *w)
{
    const struct batch_shape *shape = place->shape;
    const struct cpu_padding *cpu = place->cpu;
    for (int64_t j = 0; j < COLUMNS; j++) {
        for (int64_t k = 0; k < cpu->length; k++) {
            if (place->column + j < shape->n && k < shape->k)
                cpu->ws[k * COLUMNS + j] = w[(place->column + j) * shape->k + k];
        }
    }
}

static void load_w_padded(const struct place *place, const float *w)
{
    const struct batch_shape *shape = place->shape;
    const struct cpu_padding *cpu = place->cpu;
    for (int64_t j = 0; j < COLUMNS; j++) {
        const float *row = w + (place->column + j) * shape->k;
        const int64_t n = place->column + j < shape->n ? shape->k : 0;
        for (int64_t k = 0; k < n; k++)
            cpu->ws[k * COLUMNS + j] = row[k];
        for (int64_t k = n; k < cpu->length; k++)
            cpu->ws[k * COLUMNS + j] = 0.0f;
    }
}

static void load_x_guarded(const struct place *place)
{
    const struct batch_shape *shape = place->shape;
    const struct cpu_padding *cpu = place->cpu;
    for (int64_t i = 0; i < ROWS; i++) {
        for (int64_t k = 0; k < cpu->length; k++) {
            if (place->row + i < shape->m && k < shape->k)
                cpu->xs[i * cpu->length + k] = place->x[(place->row + i) * shape->k + k];
        }
    }
}

/* The steps from `first` on. */
static void load_x_padded(const struct place *place, int64_t first)
{
    const struct batch_shape *shape = place->shape;
    const int64_t length = place->cpu->length;
    for (int64_t i = 0; i < ROWS; i++) {
        float *to = place->cpu->xs + i * length;
        const int64_t n = place->row + i < shape->m ? shape->k : first;
        if (n > first)
            memcpy(to + first, place->x + (place->row + i) * shape->k + first,
                   (size_t)(n - first) * sizeof *to);
        memset(to + n, 0, (size_t)(length - n) * sizeof *to);
    }
}

static void store_guarded(const struct place *place, float sums[ROWS][COLUMNS])
{
    const struct batch_shape *shape = place->shape;
    for (int64_t i = 0; i < ROWS; i++) {
        for (int64_t j = 0; j < COLUMNS; j++) {
            if (place->row + i < shape->m && place->column + j < shape->n)
                place->y[(place->row + i) * shape->n + place->column + j] = sums[i][j];
        }
    }
}

static void store_whole(const struct place *place, float sums[ROWS][COLUMNS])
{
    for (int64_t i = 0; i < ROWS; i++)
        memcpy(place->y + (place->row + i) * place->shape->n + place->column, sums[i],
               sizeof sums[i]);
}

static void tile_baseline(const struct place *place)
{
    float sums[ROWS][COLUMNS] = {0};
    load_x_guarded(place);
    multiply_guarded(sums, place);
    store_guarded(place, sums);
}

static void tile_pad(const struct place *place)
{
    const struct cpu_padding *cpu = place->cpu;
    float sums[ROWS][COLUMNS] = {0};
    load_x_padded(place, 0);
    cpu->multiply(sums, cpu->xs, cpu->length, cpu->ws, cpu->length);
    store_guarded(place, sums);
}

/* X is read where it is: nothing has to be asked of it. */
static void tile_partition(const struct place *place)
{
    const struct batch_shape *shape = place->shape;
    float sums[ROWS][COLUMNS] = {0};
    if (!is_inside(place)) {
        tile_baseline(place);
        return;
    }
    place->cpu->multiply(sums, place->x + place->row * shape->k, shape->k, place->cpu->ws,
                         shape->k);
    store_whole(place, sums);
}

static void tile_partition_pad(const struct place *place)
{
    const struct batch_shape *shape = place->shape;
    const struct cpu_padding *cpu = place->cpu;
    const int64_t whole = shape->k / DEPTH * DEPTH;
    float sums[ROWS][COLUMNS] = {0};
    if (!is_inside(place)) {
        tile_pad(place);
        return;
    }
    cpu->multiply(sums, place->x + place->row * shape->k, shape->k, cpu->ws, whole);
    if (whole < shape->k) {
        load_x_padded(place, whole);
        cpu->multiply(sums, cpu->xs + whole, cpu->length, cpu->ws + whole * COLUMNS, DEPTH);
    }
    store_whole(place, sums);
}

typedef void load_fn(const struct place *place, const float *w);
typedef void tile_fn(const struct place *place);

EVERYWHERE void all_tiles(const struct padding *padding, const float *x, const float *w, float *y,
                          load_fn *load_w, tile_fn *tile)
{
    const struct batch_shape *shape = &padding->shape;
    struct place place = {.shape = shape, .cpu = padding->own, .x = x, .y = y};
    for (place.column = 0; place.column < shape->n; place.column += COLUMNS) {
        load_w(&place, w);
        for (place.row = 0; place.row < shape->m; place.row += ROWS)
            tile(&place);
    }
}

static void product_baseline(const struct padding *padding, const float *x, const float *w,
                             float *y)
{
    all_tiles(padding, x, w, y, load_w_guarded, tile_baseline);
}

/* W's way in is that of pad: its loops are parted already, and none has a guard. */
static void product_partition(const struct padding *padding, const float *x, const float *w,
                              float *y)
{
    all_tiles(padding, x, w, y, load_w_padded, tile_partition);
}

static void product_pad(const struct padding *padding, const float *x, const float *w, float *y)
{
    all_tiles(padding, x, w, y, load_w_padded, tile_pad);
}

static void product_partition_pad(const struct padding *padding, const float *x, const float *w,
                                  float *y)
{
    all_tiles(padding, x, w, y, load_w_padded, tile_partition_pad);
}

static void product_tuned(const struct padding *padding, const float *x, const float *w, float *y)
{
    const struct cpu_padding *cpu = padding->own;
    tuned_cpu_product(cpu->tuned, &padding->shape, x, w, y, cpu->ws);
}

/* --- the backend --- */

static int32_t create(struct padding *padding)
{
    static product_fn *const products[] = {
        [SCHEDULE_BASELINE] = product_baseline, [SCHEDULE_PARTITION] = product_partition,
        [SCHEDULE_PAD] = product_pad,           [SCHEDULE_PARTITION_PAD] = product_partition_pad,
        [SCHEDULE_TUNED] = product_tuned,
    };
    const struct gb_host *host = padding->host;
    const struct params *params = padding->params;
    if (params->schedule == SCHEDULE_CUBLAS)
        return host->skip(host, "schedule = cublas is for CUDA");
    if (params->tile != TILE_AUTO)
        return host->skip(host, "tile is for CUDA: on the CPU the processor decides");
    if (params->compile != 0)
        return host->skip(host, "compile is for CUDA: the CPU's code is that of this build");
    struct cpu_padding *cpu = padding->own;
    *cpu = (struct cpu_padding){
        .multiply = has_avx2() ? multiply_avx2 : multiply_portable,
        .product = products[params->schedule],
        .tuned = tuned_cpu_here(),
        .length = (padding->shape.k + DEPTH - 1) / DEPTH * DEPTH,
    };
    return GB_OK;
}

static double ratio_of(const struct padding *padding)
{
    const struct tuned_cpu *tuned = tuned_cpu_here();
    switch (padding->params->schedule) {
    case SCHEDULE_PAD:
    case SCHEDULE_PARTITION_PAD:
        return padding_ratio(&padding->shape, ROWS, COLUMNS, DEPTH);
    case SCHEDULE_TUNED:
        return padding_ratio(&padding->shape, tuned->rows, tuned->columns, 1);
    default:
        return 1.0;
    }
}

static int32_t prepare(struct padding *padding, const struct gb_queue *queue)
{
    struct cpu_padding *cpu = padding->own;
    const struct gb_host *host = padding->host;
    (void)queue;
    host->metric(host, "padding_ratio", ratio_of(padding), "1");
    const bool is_tuned = padding->params->schedule == SCHEDULE_TUNED;
    const uint64_t n = is_tuned ? tuned_cpu_packed(cpu->tuned, &padding->shape)
                                : (uint64_t)(COLUMNS * cpu->length);
    int32_t status = GB_OK;
    cpu->ws = host_memory(host, n * sizeof(float), &status);
    if (!is_tuned)
        cpu->xs = host_memory(host, (uint64_t)(ROWS * cpu->length) * sizeof(float), &status);
    return status;
}

static int32_t run(const struct padding *padding, const struct gb_queue *queue, uint64_t iterations)
{
    const struct cpu_padding *cpu = padding->own;
    const struct batch_shape *shape = &padding->shape;
    const float *x = padding->arrays[ARRAY_LEFT].device, *w = padding->arrays[ARRAY_RIGHT].device;
    float *y = padding->arrays[ARRAY_OUTPUT].device;
    (void)queue;
    for (uint64_t i = 0; i < iterations; i++) {
        for (int64_t j = 0; j < shape->batch; j++)
            cpu->product(padding, x + j * shape->m * shape->k, w + j * shape->n * shape->k,
                         y + j * shape->m * shape->n);
        GB_CLOBBER();
    }
    return GB_OK;
}

const struct backend padding_cpu = {
    .own_bytes = sizeof(struct cpu_padding),
    .has_host_memory = true,
    .create = create,
    .prepare = prepare,
    .run = run,
};
