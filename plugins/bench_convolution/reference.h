/*
 * reference.h - convolutions in float64 on all of the machine's CPUs, by their definition and not
 * as products: what outputs are compared with. Plugin side.
 */
#pragma once

#include "window.h"

#include <stdint.h>

struct reference_request {
    const struct window_shape *shape;
    int direction;
    const double *x, *f, *y; /* of the shape's distances; the direction's output is left out */
    uint32_t n_threads;      /* 0: as many as there are CPUs */
    double *sum;             /* the output; */
    double *magnitude;       /* of each sum the sum of the magnitudes of its products, */
    double *squares;         /* and of their squares */
};

void convolution_reference(const struct reference_request *request);
