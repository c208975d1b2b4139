/*
 * plan.h - which kernel of padding.cu computes a case, in which blocks; needs no CUDA. Plugin side.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum { PROBLEM_DENSE, PROBLEM_BATCHED };
enum {
    SCHEDULE_BASELINE,
    SCHEDULE_PARTITION,
    SCHEDULE_PAD,
    SCHEDULE_PARTITION_PAD,
    SCHEDULE_TUNED,
    SCHEDULE_CUBLAS
};

/* Tiles of `tuned`, as the option lists them: rows x columns x steps / blocks that share them. */
enum { TILE_AUTO, N_TILES = 5 };
extern const char *const tile_names[N_TILES + 1];

/* batch products Y[m,n] = X[m,k] W[n,k]^T, all matrices by rows. */
struct batch_shape {
    int64_t m, n, k, batch;
};

struct plan {
    const char *kernel;               /* its name */
    uint32_t columns, rows, products; /* blocks in x, y and z */
    uint32_t threads, shared;         /* of a block: also dynamic shared memory, in bytes */
    double padding_ratio;
};

/* The plan of a case but for SCHEDULE_CUBLAS. tile: of tile_names, for SCHEDULE_TUNED; n_units: the
 * device's multiprocessors, for which TILE_AUTO chooses. */
struct plan plan_of(const struct batch_shape *shape, int32_t problem, int32_t schedule,
                    int32_t tile, uint32_t n_units);

/* Work of whole tiles of rows x columns and whole steps of `depth`, over the work that is wanted.
 */
double padding_ratio(const struct batch_shape *shape, int64_t rows, int64_t columns, int64_t depth);
