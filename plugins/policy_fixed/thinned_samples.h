/*
 * thinned_samples.h - samples of a recording of any length in bounded memory. Plugin side.
 *
 * Up to THINNED_MOST samples are all kept. Of longer recordings one sample of each 2, then 4, 8 ...
 * in a row is kept, drawn at random, so that no rhythm of the samples can hide between those kept:
 * at least half of THINNED_MOST, evenly over the whole recording and in the order measured. What is
 * estimated from them has the interval of as many samples as are kept.
 */
#pragma once

#include "plugins/common/policy/sample_array.h"

#include <gbrun/host.h>

enum { THINNED_MOST = 131072 };

/* Zero-initialize, with the host, whose seed decides what is drawn. */
struct thinned_samples {
    const struct gb_host *host;
    struct sample_array kept;
    uint64_t n_seen;
    double elapsed_ns; /* of the last one seen */
    uint64_t one_of;   /* so many samples one is kept; 0, as 1: all */
    uint64_t place;    /* of the next sample, among those that one is kept of */
    uint64_t drawn;    /* the place of the one that is */
};

/* GB_NO_MEMORY: some of the samples were not taken. */
int32_t thinned_samples_add(struct thinned_samples *thinned, const struct gb_samples *samples);

/* The median of those kept with its 95 % interval, and how many were seen. */
int32_t thinned_samples_report(struct thinned_samples *thinned, struct gb_estimate *estimate);

void thinned_samples_free(struct thinned_samples *thinned);
