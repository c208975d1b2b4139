/*
 * median_estimate.h - the times that a policy has seen, and their median with its interval, or
 * their mean where the timer's ticks are too coarse for a median but dithered. Plugin side.
 */
#pragma once

#include "effective_size.h"

#include <gbrun/policy.h>
#include <math.h>
#include <stdbool.h>

/* --- times, kept in order --- */

/* Times that are not finite are counted and left out. Zero-initialize; free with sample_array_free.
 */
struct sample_array {
    double *times; /* ns, n of them */
    uint64_t n;
    uint64_t n_not_finite;
    double tick_ns;    /* the coarsest step of time among the samples */
    uint32_t traits;   /* GB_SAMPLES_... */
    double elapsed_ns; /* at the last sample; the sum of all samples where the host gives none */
    uint64_t capacity;
    double *scratch; /* n values, to select among the times */
    uint64_t scratch_capacity;
};

/* GB_NO_MEMORY leaves the array as it was before. */
int32_t sample_array_add(struct sample_array *array, const struct gb_samples *samples);

/* The wall time at the last of these samples: as the host says, or that `before` them and the sum
 * of those that are finite. */
double elapsed_at(const struct gb_samples *samples, double before);

/* All that were observed, finite or not. */
uint64_t sample_array_seen(const struct sample_array *array);

void sample_array_free(struct sample_array *array);

/* --- the mean of times on few ticks --- */

/*
 * The centre of samples on few ticks of a timer whose phase against them is uniform.
 *
 * A time t that is read at a uniform phase u is q floor(t / q + u): one of the two ticks around t,
 * and t on average (Widrow, Kollar and Liu, Statistical theory of quantization, IEEE Transactions
 * on Instrumentation and Measurement 45, 1996). The median of such readings is one of the two
 * ticks, up to q / 2 from t, however many there are; their mean is off by chance only.
 */
struct dithered_mean {
    uint64_t n; /* readings it rests on: those near the median */
    double value;
    double deviation;   /* standard deviation of one of them, with an allowance */
    double n_effective; /* effective sample size of the n */
};

/*
 * The plain mean of the readings within two ticks of the median: outliers are left out, but neither
 * of two ticks however rare, as trimming a share at either end would. Where four standard
 * deviations of these are more than two ticks, which those of two ticks never are, it is the mean
 * within that: the median is off the centre by up to half a tick, and a closer limit cuts off more
 * of one side than of the other. Returns false, and there is no mean, where the quartiles, whose
 * distance is `quartiles`, are more than two ticks apart: quantiles do better then. Values are in
 * the order measured, places are theirs; the median is one of them; tick is above 0.
 *
 * The allowance is four more readings that are a tick from the mean (Agresti and Coull, Approximate
 * is better than "exact", The American Statistician 52, 1998): samples of which none, or few, show
 * the rarer of two ticks tell nothing about how rare it is.
 */
bool dithered_mean_of(const double *values, const struct series_places *places, double median,
                      double quartiles, double tick, struct dithered_mean *ret);

/*
 * How far the mean may be off where the share of samples below a value may be off by `radius`, at
 * one look or at all together: the radius is that of a mean of variables with standard deviation
 * 1/2, scaled by theirs. For all looks this is the normal mixture bound with the variance estimated
 * (Waudby-Smith, Arbour, Sinha, Kennedy and Ramdas, Time-uniform central limit theory and
 * asymptotic confidence sequences, Annals of Statistics 52, 2024). Infinite from a radius of 1/2
 * on: then the samples say nothing yet.
 */
double dithered_mean_half_width(const struct dithered_mean *mean, double radius);

/* --- the median --- */

struct median_estimate {
    uint64_t n; /* samples it rests on */
    bool is_mean;
    double value, low, high;
    double n_effective;
};

/*
 * The median, the order-statistic interval that holds it with a confidence, and the effective
 * sample size. The interval holds for all looks together, and is tightest at an effective sample
 * size of n_optimal; 0: for this one look. It is never narrower than the timer's tick: half of it
 * to either side of the median, but not of a mean. Where the clock is dithered the median lies
 * between ticks, as that of grouped data. Without samples value, low and high are NaN.
 */
int32_t median_estimate_of(struct sample_array *samples, double confidence, double n_optimal,
                           struct median_estimate *ret);

/* The same as a policy's report. */
void median_estimate_put(const struct sample_array *samples, const struct median_estimate *median,
                         double confidence, int32_t verdict, struct gb_estimate *estimate);

/* The same. Of 6 samples or more it has both ends: where correlation leaves one open, the least or
 * the greatest sample. */
void median_estimate_report(const struct sample_array *samples,
                            const struct median_estimate *median, double confidence,
                            int32_t verdict, struct gb_estimate *estimate);

/* The whole report of a policy that was not asked for an interval: that of one look at 95 %. */
int32_t median_report(struct sample_array *samples, int32_t verdict, struct gb_estimate *estimate);

/* About how many times the samples an interval needs that is too wide by this factor: its square,
 * as "1.4" or "50". Returns ret. */
const char *samples_needed(double too_wide, char *ret, size_t size);

/*
 * How long a policy measures before it first certifies anything.
 * What changes slowly cannot be seen in samples that all lie within a moment, however many they
 * are. A wall time that is enough for a precision of 1 % is not for a finer one, as smaller changes
 * count then: it grows as the precision shrinks.
 */
static inline double wall_floor(double of_one_percent, double precision)
{
    return of_one_percent * fmax(1.0, 0.01 / precision);
}

/* Which part of all samples this visit is to take: see host->share. */
static inline double visit_share(const struct gb_host *host)
{
    return GB_HAS(host, share) && host->share > 0.0 ? host->share : 1.0;
}

/* How far the interval of this visit may reach, as a share of the centre: eight of 2.5 times the
 * precision are known to it together. */
static inline double visit_width(double share, double precision)
{
    return share < 1.0 ? 2.5 * precision : precision;
}

/* `create` of a policy that keeps no more of it than its host and its params. */
#define POLICY_CREATE(type)                                                                        \
    static int32_t create(const struct gb_host *host, const void *params, void **ret_policy)       \
    {                                                                                              \
        type *policy = host->allocate(host, sizeof *policy);                                       \
        if (policy == NULL)                                                                        \
            return GB_NO_MEMORY;                                                                   \
        policy->host = host;                                                                       \
        policy->params = params;                                                                   \
        *ret_policy = policy;                                                                      \
        return GB_OK;                                                                              \
    }                                                                                              \
    struct policy_created

/* The functions of a policy by their names in all of them, but for `next`. */
#define POLICY_OPS(flags_, next_)                                                                  \
    {                                                                                              \
        .size = sizeof(struct gb_policy_ops), .flags = (flags_), .create = create,                 \
        .observe = observe, .next = (next_), .report = report, .destroy = destroy                  \
    }
