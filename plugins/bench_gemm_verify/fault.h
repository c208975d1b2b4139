/* fault.h - errors of kernels, planted into an output to see whether they are found. Plugin side.
 */
#pragma once

#include "sums.h"

#include <gbrun/formats.h>

enum {
    FAULT_NONE,
    FAULT_DROPPED_PRODUCT,
    FAULT_SKIPPED_K_STEP,
    FAULT_STALE_TILE,
    FAULT_SWAPPED_ROWS,
    FAULT_UNWRITTEN,
    FAULT_WRONG_SCALE,
    FAULT_NAN,
    FAULT_INF,
    FAULT_ALL_ZERO
};

struct fault_request {
    struct product_shape shape;
    int32_t fault;
    const struct gb_formats *formats;
    const struct gb_format *output;
    const double *a; /* m x k by rows */
    const double *b; /* n x k: B by columns */
    uint64_t place;  /* any number: says which element, row or tile */
};

/* Why an output of this shape and format cannot have the fault; NULL if it can. */
const char *fault_refusal(const struct fault_request *request);

/* Changes the output c of a right kernel into that of one with the fault. */
void fault_plant(const struct fault_request *request, void *c);
