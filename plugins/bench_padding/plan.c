/* plan.c - see plan.h. Plugin side. */
#include "plan.h"

#include <stddef.h>

enum { TILE = 128 }; /* of the four schedules, in both directions */

/* --- the four schedules --- */

/* A problem's tiles and kernels. The names say which guards there are: r rows, c columns, k steps,
 * t rows by thread. */
struct family {
    int64_t depth, thread_rows;
    uint32_t threads;
    const char *baseline;          /* without the guard that the problem's own shape proves true, */
    const char *guarded_baseline;  /*   and with all */
    const char *partition_by_rows; /* where the tail's guard is that of each row, */
    const char *partition;         /*   or of each thread: columns end with a tile; or NULL */
    const char *pad, *partition_pad;
};

static const struct family families[] = {
    [PROBLEM_DENSE] = {4, 16, 256, "dense_baseline_rk", "dense_baseline_rck", "dense_partition_rc",
                       "dense_partition_t", "dense_pad", "dense_partition_pad"},
    [PROBLEM_BATCHED] = {8, 32, 128, "batched_baseline_rc", "batched_baseline_rck",
                         "batched_partition_rc", NULL, "batched_pad", "batched_partition_pad"},
};

static int64_t n_tiles(int64_t elements, int64_t tile)
{
    return (elements + tile - 1) / tile;
}

double padding_ratio(const struct batch_shape *shape, int64_t rows, int64_t columns, int64_t depth)
{
    const double computed = (double)(n_tiles(shape->m, rows) * rows) *
                            (double)(n_tiles(shape->n, columns) * columns) *
                            (double)(n_tiles(shape->k, depth) * depth);
    return computed / ((double)shape->m * (double)shape->n * (double)shape->k);
}

/* Of dense it is the columns' that is left out, of batched the steps'. */
static const char *baseline_of(const struct batch_shape *shape, int32_t problem)
{
    const struct family *family = &families[problem];
    const bool is_proved = problem == PROBLEM_DENSE ? shape->n % TILE == 0
                                                    : shape->k % family->depth == 0;
    return is_proved ? family->baseline : family->guarded_baseline;
}

/* Where no block and no step can be parted from the others, there is nothing to partition, and the
 * code stays what it was. Where rows end with those of a thread, the tail's guard is the thread's.
 */
static const char *partition_of(const struct batch_shape *shape, int32_t problem)
{
    const struct family *family = &families[problem];
    const bool has_inner_blocks = shape->m >= TILE && shape->n >= TILE;
    const bool is_by_thread = shape->n % TILE == 0 && shape->m % family->thread_rows == 0;
    if (!has_inner_blocks && shape->k % family->depth == 0)
        return baseline_of(shape, problem);
    return is_by_thread && family->partition != NULL ? family->partition
                                                     : family->partition_by_rows;
}

static struct plan plan_schedule(const struct batch_shape *shape, int32_t problem, int32_t schedule)
{
    const struct family *family = &families[problem];
    const double padded = padding_ratio(shape, TILE, TILE, family->depth);
    struct plan plan = {
        .columns = (uint32_t)n_tiles(shape->n, TILE),
        .rows = (uint32_t)n_tiles(shape->m, TILE),
        .products = (uint32_t)shape->batch,
        .threads = family->threads,
        .padding_ratio = 1.0,
    };
    switch (schedule) {
    case SCHEDULE_BASELINE:
        plan.kernel = baseline_of(shape, problem);
        break;
    case SCHEDULE_PARTITION:
        plan.kernel = partition_of(shape, problem);
        break;
    case SCHEDULE_PAD:
        plan.kernel = family->pad;
        plan.padding_ratio = padded;
        break;
    default:
        plan.kernel = family->partition_pad;
        plan.padding_ratio = padded;
        break;
    }
    return plan;
}

/* --- tuned --- */

/* `split` blocks share the steps of a tile, of which `stages` are in shared memory at a time. rate:
 * how much of its peak a multiprocessor reaches once it has enough blocks, to compare tiles with
 * each other. */
struct tile {
    const char *kernel;
    int64_t rows, columns, depth, stages, split;
    uint32_t threads;
    double rate;
};

/* In the order of tile_names. */
static const struct tile tiles[N_TILES] = {
    {"tuned_96x96x8", 96, 96, 8, 3, 1, 64, 0.62},
    {"tuned_96x128x8", 96, 128, 8, 3, 1, 128, 0.70},
    {"tuned_192x192x8_2", 192, 192, 8, 4, 2, 256, 0.75},
    {"tuned_128x128x8", 128, 128, 8, 4, 1, 128, 0.70},
    {"tuned_64x64x16", 64, 64, 16, 3, 1, 64, 0.66},
};

const char *const tile_names[N_TILES + 1] = {
    [TILE_AUTO] = "auto", "96x96x8", "96x128x8", "192x192x8/2", "128x128x8", "64x64x16",
};

static int64_t n_blocks(const struct batch_shape *shape, const struct tile *tile)
{
    return n_tiles(shape->m, tile->rows) * n_tiles(shape->n, tile->columns) * shape->batch *
           tile->split;
}

/* As FLOATS of `shape` in conf/tune.cu: the stages, or the sums that blocks pass on. */
static uint32_t shared_bytes(const struct tile *tile)
{
    enum { PADDING = 8 };
    const int64_t staged = tile->stages * tile->depth * (tile->rows + tile->columns + PADDING);
    const int64_t passed = (tile->split - 1) * tile->rows * tile->columns / tile->split;
    return (uint32_t)sizeof(float) * (uint32_t)(staged > passed ? staged : passed);
}

/* The time is that of the multiprocessor with most blocks: with 144 tiles of 128 x 128 on 132 of
 * them twelve have two, and the others wait. 60 of 192 x 192, by two blocks each, fill 91 %. FILL:
 * the time in which a block loads its first and stores its last, in steps. */
static double cost(const struct batch_shape *shape, const struct tile *tile, uint32_t n_units)
{
    enum { FILL = 32 };
    const int64_t in_turn = n_tiles(n_blocks(shape, tile), n_units);
    const int64_t steps = n_tiles(shape->k, tile->depth) * tile->depth / tile->split + FILL;
    return (double)in_turn * (double)(tile->rows * tile->columns) * (double)steps / tile->rate;
}

static const struct tile *best_tile(const struct batch_shape *shape, uint32_t n_units)
{
    const struct tile *best = &tiles[0];
    for (int i = 1; i < N_TILES; i++) {
        if (cost(shape, &tiles[i], n_units) < cost(shape, best, n_units))
            best = &tiles[i];
    }
    return best;
}

static struct plan plan_tuned(const struct batch_shape *shape, int32_t choice, uint32_t n_units)
{
    const struct tile *tile = choice == TILE_AUTO ? best_tile(shape, n_units > 0 ? n_units : 1)
                                                  : &tiles[choice - 1];
    return (struct plan){
        .kernel = tile->kernel,
        .columns = (uint32_t)n_tiles(shape->n, tile->columns),
        .rows = (uint32_t)n_tiles(shape->m, tile->rows),
        .products = (uint32_t)(shape->batch * tile->split),
        .threads = tile->threads,
        .shared = shared_bytes(tile),
        .padding_ratio = padding_ratio(shape, tile->rows, tile->columns, tile->depth),
    };
}

struct plan plan_of(const struct batch_shape *shape, int32_t problem, int32_t schedule,
                    int32_t tile, uint32_t n_units)
{
    return schedule == SCHEDULE_TUNED ? plan_tuned(shape, tile, n_units)
                                      : plan_schedule(shape, problem, schedule);
}
