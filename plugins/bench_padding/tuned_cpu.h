/* tuned_cpu.h - a product from packed matrices, in blocks that fit the caches. Plugin side. */
#pragma once

#include "plan.h"

#include <stddef.h>

/* What this processor has: a tile of rows x columns outputs is kept in registers. Of it `multiply`
 * makes the sum of n_steps products of packed values and puts it to, or with is_added adds it to,
 * rows that are `stride` apart. */
struct tuned_cpu {
    int64_t rows, columns;
    void (*multiply)(float *to, int64_t stride, const float *x, const float *w, int64_t n_steps,
                     bool is_added);
};

const struct tuned_cpu *tuned_cpu_here(void);

/* Floats that tuned_cpu_product needs, aligned to 64 bytes. */
size_t tuned_cpu_packed(const struct tuned_cpu *tuned, const struct product_shape *shape);

/* One product of the shape. */
void tuned_cpu_product(const struct tuned_cpu *tuned, const struct product_shape *shape,
                       const float *x, const float *w, float *y, float *packed);
