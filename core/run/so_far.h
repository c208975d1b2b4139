/*
 * so_far.h - the median of a case's samples while there are more to come, from bounded memory: of
 * more than SO_FAR_KEPT samples every second one is left out, then every second of the rest, and so
 * on. What a policy makes of the same samples is known at the end only: it is asked once.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

enum { SO_FAR_KEPT = 8192 };

struct so_far {
    double *kept; /* NULL: none yet */
    size_t n_kept;
    uint64_t n, step; /* samples so far; every step-th is kept */
};

/* Zero-initialize; free with so_far_free, which leaves it empty. Times that are NaN are left out.
 */
void so_far_add(struct so_far *so_far, const double *time_ns, uint64_t n);

/* The interval is between order statistics, as if the samples that are kept were independent (see
 * sign_interval_rank); NaN: too few. */
struct so_far_median {
    double median_ns, low_ns, high_ns, confidence;
};
struct so_far_median so_far_median(const struct so_far *so_far);
void so_far_free(struct so_far *so_far);
