/*
 * recorded.h - spaces that were measured completely: what a search would have observed of each
 * case.
 *
 * Files of the auto-tuning community's T4 format (benchmark_hub), and Kernel Tuner's cache files,
 * also those of a run that did not end.
 */
#pragma once

#include "core/search/space.h"

struct recorded_case {
    int32_t status;    /* GB_OBSERVED_... */
    uint32_t n_runs;   /* 0: no time was recorded */
    uint64_t first;    /* of `runs` */
    double prepare_ns; /* compiling; 0: not recorded */
};

struct recording {
    struct space *space;
    struct recorded_case *cases; /* by case of the space */
    uint64_t n_cases;
    double *runs; /* ns, in the order measured; the first of a case is its warm-up */
    uint64_t n_runs;
};

/* n bytes of such a file, named in errors; json[n] must be 0. GB_INVALID: it is not one. */
int32_t recorded_read(const char *name, const char *json, size_t n, struct recording *ret,
                      struct gb_error *error);
/* The median of the case's runs without its warm-up; NaN: it cannot be the best. */
double recorded_median(const struct recording *recording, uint64_t i);
void recorded_free(struct recording *recording);
