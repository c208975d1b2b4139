/*
 * steady_rule.h - the rule of the policies `steady` and `quantiles`: until an interval of the
 * median holds although one looks repeatedly, samples are correlated, clocks ramp, modes exist and
 * timers tick. Here is when to look, and what comes of it. Plugin side.
 */
#pragma once

#include "clock_history.h"
#include "plugins/common/policy/sample_array.h"
#include "rank_index.h"
#include "steady_attempt.h"

#include <gbrun/gbrun.h>

/* The params of `steady`, and the first of those of `quantiles`. */
struct steady_options {
    double precision;
    double confidence;
    int64_t optimal;
    double floor_wall;
    int64_t floor_samples;
    double busy;
    int64_t min;
    double growth;
    double discard;
    double min_mode;
    int64_t visits;
    const char *without;
};

/* Their lines in an option table. */
#define STEADY_OPTIONS                                                                             \
    GB_FLOAT(struct steady_options, precision, "1%", "1e-6:1", NULL,                               \
             "how far the interval may reach to either side, as a share of the median"),           \
        GB_FLOAT(struct steady_options, confidence, "95%", "0.5:0.999999", NULL,                   \
                 "probability that the intervals hold, however often one looks"),                  \
        GB_INT(struct steady_options, optimal, "256", "1:1000000000", "samples",                   \
               "effective sample size at which intervals are tightest"),                           \
        GB_DURATION(struct steady_options, floor_wall, "0.1s",                                     \
                    "0:", "wall time before the first look, at a precision of 1 % or more"),       \
        GB_INT(struct steady_options, floor_samples, "150", "1:1000000000", "samples",             \
               "samples before the first look, unless `busy` is reached"),                         \
        GB_DURATION(struct steady_options, busy, "0.25s",                                          \
                    "0:", "time of the samples themselves that replaces `floor_samples`"),         \
        GB_INT(struct steady_options, min, "16", "2:1000000000", "samples",                        \
               "samples before the first look in any case"),                                       \
        GB_FLOAT(struct steady_options, growth, "1.25", "1.01:10", NULL,                           \
                 "samples at a look, over those at the look before"),                              \
        GB_FLOAT(struct steady_options, discard, "25%", "0:0.9", NULL,                             \
                 "most of the samples that is left out as warm-up"),                               \
        GB_FLOAT(struct steady_options, min_mode, "2%", "0:0.5", NULL,                             \
                 "share of the samples that makes a mode"),                                        \
        GB_INT(struct steady_options, visits, "6", "0:1000000", NULL,                              \
               "times that each lesser mode must have been entered"),                              \
        GB_STRING(struct steady_options, without, "",                                              \
                  "rules to leave out, to see what each contributes")

/* Zero-initialize, then steady_start; end with steady_free. */
struct steady {
    const struct steady_options *options;
    struct steady_limits limits;
    struct sample_array samples;
    struct rank_index index;
    struct clock_history clocks;
    double floor_ns;             /* wall time before the first look */
    double busy_ns;              /* the samples' own time */
    uint64_t next_look;          /* 0: the first is still to come */
    uint64_t begun_at;           /* samples of a look that is under way; 0: none is */
    uint64_t looked_at;          /* samples seen by then */
    struct steady_attempt found; /* at the last look: what passed, or came nearest */
};

/* tails and n_intervals, which share what is left of the confidence: as `steady` has none and one,
 * `quantiles` has three. Fails with the host's words for an unknown word in `without`. options must
 * outlive it. */
int32_t steady_start(struct steady *steady, const struct gb_host *host,
                     const struct steady_options *options, double tails);

/* Costs about 250 ns for each sample, and never much more at once: a look at many samples is
 * prepared while a sixteenth as many come in, and says then what it would have said at once. */
int32_t steady_observe(struct steady *steady, const struct gb_samples *samples);

int32_t steady_next(struct steady *steady, struct gb_next *next);

/* Looks at what came since the last look, too. Further numbers go to the host as metrics. */
int32_t steady_report(struct steady *steady, const struct gb_host *host,
                      struct gb_estimate *estimate);

void steady_free(struct steady *steady);
