/*
 * verified_sums.h - what benchmarks share whose outputs are sums that are verified: the interval,
 * or the intervals, that inputs are drawn from; their arrays; references computed on all CPUs; what
 * gb_check.partial_squares is of a sum. Plugin side.
 */
#pragma once

#include <gbrun/bench.h>
#include <math.h>
#include <stdbool.h>

enum { RANGE_INTERVALS_MAX = 8 };

struct range {
    uint32_t n;
    struct {
        double low, high;
    } intervals[RANGE_INTERVALS_MAX];
};

/* r0, r1, r4, r5, or LOW..HIGH, several of them with | between. False: reason says why not. */
bool range_parse(const char *text, struct range *ret, char *reason, size_t bytes);

/* The largest magnitude in it. */
double range_largest(const struct range *range);

/* True if no number of it is below 0, or none above. */
bool range_has_one_sign(const struct range *range);

/* For `validate` and `sums` of gb_validation: reports that the option `range` has no such text, or
 * says whether all its numbers have one sign. */
void range_validate(const char *text, gb_problem_fn *problem, void *context);
bool range_text_has_one_sign(const char *text);

/* Skips a case of whole numbers whose sums of n products may not be exact, as they would be found
 * wrong though they are right: of inputs that the format does not hold (dtype: its name), or of
 * sums above `limit`. */
int32_t range_refuse_inexact(const struct range *range, const struct gb_host *host,
                             const struct gb_format *format, const char *dtype, double n,
                             double limit);

/* --- two inputs and what is computed of them --- */

enum { ARRAY_LEFT, ARRAY_RIGHT, ARRAY_OUTPUT, ARRAYS };

struct verified_array {
    uint64_t n;
    const struct gb_format *format;
    void *device;
    void *host; /* an input as it was filled, room for the output; `device` itself if it is there */
};

/* [create] Sets lengths and formats. */
void arrays_describe(struct verified_array arrays[ARRAYS], const uint64_t lengths[ARRAYS],
                     const struct gb_format *input, const struct gb_format *output);

/* Takes their memory; is_in_place: the host has none of its own. */
int32_t arrays_take(struct verified_array arrays[ARRAYS], const struct gb_host *host,
                    bool is_in_place);

/* As `refresh` of a benchmark: the inputs of a set, from two streams of random numbers of its own,
 * and an output of which nothing is a result. Of several intervals each has its share by length, or
 * by how many whole numbers it has. Statuses as of gb_host.fill; a failure is reported. */
int32_t arrays_refresh(const struct verified_array arrays[ARRAYS], const struct gb_host *host,
                       const struct range *range, bool is_integral, uint64_t set);

/* The output as it is now, in the host's memory. */
void arrays_read_output(const struct verified_array arrays[ARRAYS], const struct gb_host *host,
                        int32_t *status);

/* --- references and bounds --- */

typedef void all_cpus_fn(void *context);

/* Calls `work` in n_threads threads, 0: one for each CPU that the process may use, also those that
 * the calling thread is kept away from, and returns when all have. What each does is theirs to
 * share out. The calling thread stays where it is and waits; with one thread, or where none can be
 * started, it works. */
void all_cpus_run(all_cpus_fn *work, void *context, uint32_t n_threads);

/* How a sum of k products is made: in so many slices of one length, which are summed for themselves
 * and then added one after the other; in a slice so many products are one step. */
struct sum_order {
    double k, n_slices, at_once;
};

/*
 * T2 of a sum (gb_check.partial_squares), in the mean over all orders of its products. With Q =
 * of_products, the sum of the squares of the products, the sum of i of them has a square of, in the
 * mean,
 *
 *   f(i) = i^2 sum^2 / k^2 + i (k - i) / (k (k - 1)) (Q - sum^2 / k)
 *
 * as i of k numbers that are drawn without replacement have that mean and variance. T2 is f(1) +
 * ... + f(k) of a single slice. Of each slice of several, L products long, it has f(1) + ... +
 * f(L), from which a check takes one in at_once; so what is rounded without a step, the end of each
 * slice and the sums of two slices and more, counts so often. It is never less than that of a
 * single slice, as float64 references are summed: their errors count where the sums are in float64,
 * too.
 */
static inline double expected_partial_squares(const struct sum_order *order, double sum,
                                              double of_products)
{
    const double k = order->k, s = order->n_slices, length = k / s;
    const double square = sum * sum, of_mean = square / (k * k);
    const double of_spread = k > 1.0 ? fmax(of_products - square / k, 0.0) / (k * (k - 1.0)) : 0.0;
    /* Sums of i and of i^2 to k, to the length, and of slices. */
    const double all = k * (k + 1.0) / 2.0, all_squared = all * (2.0 * k + 1.0) / 3.0;
    const double first = length * (length + 1.0) / 2.0;
    const double first_squared = first * (2.0 * length + 1.0) / 3.0;
    const double ends = length * s * (s + 1.0) / 2.0;
    const double ends_squared = length * ends * (2.0 * s + 1.0) / 3.0;
    const double of_one = of_mean * all_squared + of_spread * (k * all - all_squared);
    const double within = s * (of_mean * first_squared + of_spread * (k * first - first_squared));
    const double of_slice = length * length * of_mean + length * (k - length) * of_spread;
    const double of_sums = ends_squared * of_mean + (k * ends - ends_squared) * of_spread;
    const double of_slices = within + (order->at_once - 1.0) * (s * of_slice - square) +
                             order->at_once * (of_sums - of_slice);
    return fmax(of_one, of_slices);
}
