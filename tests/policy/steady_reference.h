/*
 * steady_reference.h - the definition of the policy `steady`, step by step, without any thought of
 * speed: what the policy is compared with.
 */
#pragma once

#include "tests/modules/words.h"

#include <gbrun/policy.h>
#include <stdbool.h>

enum { REFERENCE_MOST = 4000 };

struct reference_rules {
    double precision, confidence, optimal, floor_wall, busy, growth, discard, min_mode;
    uint64_t floor_samples, min, visits;
    unsigned without; /* a bit for each word of reference_words */
};

/* clang-format off */
#define REFERENCE_RULES(X)                                                                         \
    X(wall_floor) X(effective_size) X(mid_quantile) X(sequence) X(discard) X(recurrence) X(modes)  \
    X(resolution) X(mixing) X(settling) X(dithering) X(trend) X(trend_bound)
/* clang-format on */
enum { REFERENCE_RULES(WORD_NUMBER) REFERENCE_WORDS };
extern const char *const reference_words[REFERENCE_WORDS];

/* A mid-quantile of n ascending values. */
double reference_quantile(const double *sorted, uint64_t n, double p, double tick);

/* The autocorrelation time of a series with a variance, and how well it is known: for how many
 * blocks there is one lag of the sum, and what is kept of the variance. */
struct reference_window {
    double time, degrees, kept;
};
struct reference_window reference_window(const double *series, uint64_t n, double variance);

/* A timer with its resolution, 0: none, and whether its phase is uniform. */
struct reference_timer {
    double tick;
    bool is_dithered;
};

/* The sample at which it stops, or n <= REFERENCE_MOST, and its report. elapsed as in struct
 * gb_samples. */
uint64_t reference_run(const struct reference_rules *rules, const double *times,
                       const double *elapsed, uint64_t n, struct reference_timer timer,
                       struct gb_estimate *ret);
