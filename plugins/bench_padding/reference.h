/* reference.h - the product in float64, fast enough for outputs by the million. Plugin side. */
#pragma once

#include "plan.h"

#include <stddef.h>

/* Memory that reference_product needs, aligned to 64 bytes. */
size_t reference_panel_bytes(void);

/* One product: sums[m,n] = X W^T and sizes[m,n] = |X| |W|^T, both float64 throughout. */
void reference_product(const struct product_shape *shape, const float *x, const float *w,
                       double *sums, double *sizes, double *panel);
