/*
 * policy.h - a stopping policy: says when there are enough samples, and what they say.
 *
 * A policy sees samples only, never a clock or a device: the same samples give the same verdicts,
 * whether they are measured now or replayed from a file. Order of calls:
 *   create, (observe, next)..., report, destroy
 * Samples are handed over in order, each once. The host hands over samples up to exactly the point
 * that next asked for, however many it measured at a time; after a verdict other than GB_MORE it
 * may still go on if its own guards ask for more (min_samples), and stop earlier (max_samples,
 * max_time, a cancelled run); see GB_POLICY_COUNTS. report is called once, whatever the reason for
 * the end.
 */
#ifndef GBRUN_POLICY_H
#define GBRUN_POLICY_H

#include <gbrun/host.h>

/* Samples as columns of n values each. Valid during the call. Missing columns are NULL. */
struct gb_samples {
    uint32_t size;
    uint32_t traits; /* GB_SAMPLES_... */
    uint64_t n;
    const double *time_ns;    /* time of one iteration: the sample's time over its iterations */
    const double *elapsed_ns; /* wall time from the case's first sample's start to this one's end */
    const uint64_t *iterations; /* in the sample, at least 1 */
    const double *clock_hz;     /* the device's clock around the sample; 0 if not known */
    const uint64_t *throttle;   /* the device's reasons for lowering its clock; 0: none */
    const uint32_t *flags;      /* GB_SAMPLE_... */
    double tick_ns; /* resolution of time_ns: the timer's over the iterations; 0: none */
};

enum {
    /* The phase of the samples against tick_ns is uniform: their mean resolves what a single one
     * does not (GB_CLOCK_DITHERED). Of all samples of a case, or of none. */
    GB_SAMPLES_DITHERED = 1u
};

enum {
    GB_SAMPLE_THROTTLED = 1u,  /* the device was throttled by power, heat or its owner */
    GB_SAMPLE_INTERRUPTED = 2u /* something outside was seen to disturb the sample */
};

enum { GB_MORE = 0, GB_DONE = 1, GB_GAVE_UP = 2 };

/*
 * What a policy that ended guarantees. X(name, value, words)
 *   NONE                no claim: fixed, budget
 *   CERTIFIED           the interval is as narrow as requested
 *   MULTIMODAL          several modes, each known as precisely as requested
 *   RESOLUTION_LIMITED  the timer resolution is too coarse
 *   UNCONVERGED         the budget was spent first
 *   GAVE_UP             the samples cannot be used
 * A policy sees one visit of a case. Of the case a host says CERTIFIED where it holds over visits,
 * else
 *   CERTIFIED_IN_VISIT  the interval is as narrow as requested in the visit that was measured; not
 *                       for policies
 *   EXACT               of a clock that counts: all counts agree to the last digit; likewise
 */
#define GB_VERDICT_MAP(X)                                                                          \
    X(NONE, 0, "none")                                                                             \
    X(CERTIFIED, 1, "certified")                                                                   \
    X(MULTIMODAL, 2, "multimodal")                                                                 \
    X(RESOLUTION_LIMITED, 3, "resolution limited")                                                 \
    X(UNCONVERGED, 4, "unconverged")                                                               \
    X(GAVE_UP, 5, "gave up")                                                                       \
    X(CERTIFIED_IN_VISIT, 6, "certified in this visit")                                            \
    X(EXACT, 7, "exact")

enum {
#define GB_VERDICT_CONSTANT(name, value, words) GB_VERDICT_##name = (value),
    GB_VERDICT_MAP(GB_VERDICT_CONSTANT)
#undef GB_VERDICT_CONSTANT
};

/*
 * Filled in by next. The host has set size and zeroed the rest. GB_MORE: ask again at the first
 * sample from which on there are n_samples in all and its elapsed_ns is at least that; 0 for
 * either: no condition. Else `reason` says why, for the table: "interval within 1 %". With GB_MORE
 * it may say what more samples would decide: for that a host may go on past its usual time.
 */
struct gb_next {
    uint32_t size;
    int32_t decision; /* GB_MORE, GB_DONE or GB_GAVE_UP */
    uint64_t n_samples;
    double elapsed_ns;
    char reason[128];
};

struct gb_mode {
    double median_ns, low_ns, high_ns, weight; /* weight: share of the samples, 0 to 1 */
};

enum { GB_MODES_MAX = 8 };

/* Filled in by report. The host has set size and zeroed the rest. Times are of one iteration. */
struct gb_estimate {
    uint32_t size;
    int32_t verdict;    /* GB_VERDICT_... */
    double value_ns;    /* the estimate */
    double low_ns;      /* its interval; both NaN if the policy claims none, */
    double high_ns;     /*   -inf or +inf where it has no end */
    double confidence;  /* of the interval: 0.95 */
    char statistic[32]; /* what is estimated: "median", "mean" */
    uint64_t n;         /* samples observed */
    /* of them, left out at the start as warm-up */
    uint64_t n_discarded;
    /* effective sample size of those retained; 0: not known */
    double n_effective;
    /* a mode with at least this weight would have been seen; 0: not known */
    double detectable_mode_weight;
    uint32_t n_modes; /* 0 or 1: one mode */
    uint32_t reserved;
    struct gb_mode modes[GB_MODES_MAX];
    /* What prevents a better verdict, on one line, for the notes below a table: "still falling by
     * 0.4 % a second". "": nothing to say. */
    char note[128];
    /* Half width of the interval that is asked for, as a share of value_ns; 0: none is. Over
     * several visits (host->share) the interval is that of all of them. */
    double precision;
};

/*
 * GB_POLICY_COUNTS: next asks for a number of samples that the user gave. A host's least and most
 * (min_samples, max_samples) then hold only where the user gave them, too.
 * GB_POLICY_CERTIFIES: it can report CERTIFIED, and its precision. With `rounds = auto` its cases
 * have several visits, each with a share of its own.
 */
enum { GB_POLICY_COUNTS = 1u << 0, GB_POLICY_CERTIFIES = 1u << 1 };

struct gb_policy_ops {
    uint32_t size;
    uint32_t flags; /* GB_POLICY_... */
    /* [create] as in bench.h */
    int32_t (*create)(const struct gb_host *host, const void *params, void **ret_policy);
    /* [untimed] Takes in samples. */
    int32_t (*observe)(void *policy, const struct gb_samples *samples);
    /* [untimed] Says how to go on. Called at least once before the first sample. */
    int32_t (*next)(void *policy, struct gb_next *next);
    /* [untimed] Says what it guarantees; further numbers through host->metric. */
    int32_t (*report)(void *policy, struct gb_estimate *estimate);
    /* [untimed] As in bench.h. Optional. */
    void (*destroy)(void *policy);
};

#endif
