/* verify.c - see verify.h. Floor 1. */
#include "core/verify.h"

#include "core/number_format.h"
#include "core/vector.h"

#include <fenv.h>
#include <float.h>
#include <math.h>
#include <string.h>

static const char *const metric_names[VERIFY_METRICS] = {
#define VERIFY_NAME(name, word) word,
    VERIFY_METRIC_MAP(VERIFY_NAME)
#undef VERIFY_NAME
};

const char *verify_metric_name(int metric)
{
    return metric_names[metric];
}

int verify_metric_named(const char *name)
{
    for (int metric = 0; metric < VERIFY_METRICS; metric++) {
        if (strcmp(metric_names[metric], name) == 0)
            return metric;
    }
    return -1;
}

/* The parts of the bound that are the same for all elements. */
struct bound_factors {
    double sum;      /* f(K); infinite: the bound says nothing */
    double rounding; /* u_out */
    double smallest; /* half the smallest subnormal */
};

static struct bound_factors bound_factors_of(uint32_t output_format, uint32_t accumulate_format,
                                             uint64_t n_products)
{
    double u = number_roundoff(accumulate_format ? accumulate_format : output_format);
    double ku = (double)n_products * u;
    return (struct bound_factors){
        .sum = ku < 1 ? ku / (1 - ku) : INFINITY,
        .rounding = number_roundoff(output_format),
        .smallest = number_spacing(output_format, 0) / 2,
    };
}

static inline double bound_of(const struct bound_factors *factors, double magnitude,
                              double reference)
{
    return factors->sum * magnitude + factors->rounding * fabs(reference) + factors->smallest;
}

double verify_bound(uint32_t output_format, uint32_t accumulate_format, uint64_t n_products,
                    double magnitude, double reference)
{
    struct bound_factors factors = bound_factors_of(output_format, accumulate_format, n_products);
    return isinf(factors.sum) ? INFINITY : bound_of(&factors, magnitude, reference);
}

/*
 * The comparison goes block by block. Elements that are not finite are counted one by one and then
 * made NaN in the block, so that they drop out of every maximum below (no comparison with NaN is
 * true). A block's maxima are found without their places; only where one beats what was seen before
 * is the block searched again. That happens O(log n) times unless errors grow all along.
 */
enum { BLOCK = 512 };

/* The metrics that are maxima over elements, VERIFY_RMS apart. */
enum { N_MAXIMA = 5 };
static const int maximum_metrics[N_MAXIMA] = {VERIFY_ABS, VERIFY_REL, VERIFY_REL_FLOOR, VERIFY_ULP,
                                              VERIFY_BOUND};

struct comparison {
    const struct gb_check *check;
    const struct number_format *format;
    bool has_bound;
    double rel_floor;
    struct bound_factors factors;
    /* biased exponents between which the spacing follows the value, and exponent - spacing */
    int least_exponent, most_exponent, exponent_to_spacing;
    double sum_of_squares;
    double largest; /* of |r| and |c| */
    uint64_t n_compared;
    struct verify_result *result;
};

/* The last block is filled up with NaN to whole vectors. */
struct block {
    uint64_t first, n;
    double exact[BLOCK];      /* e */
    double magnitude[BLOCK];  /* S */
    double reference[BLOCK];  /* r */
    double output[BLOCK];     /* c */
    double difference[BLOCK]; /* |r - c| */
    double distance[BLOCK];   /* |e - c| */
};

/* 2^(power - ULP_POST) fits a double for all that |r| can be, where 2^power would not. */
#define ULP_POST 51
#define ULP_POST_SCALE 0x1p51

static double difference_in_ulps(const struct comparison *comparison, double reference,
                                 double difference)
{
    uint64_t bits;
    memcpy(&bits, &reference, sizeof bits);
    int exponent = (int)(bits >> 52 & 0x7FF);
    if (exponent < comparison->least_exponent)
        exponent = comparison->least_exponent;
    if (exponent > comparison->most_exponent)
        exponent = comparison->most_exponent;
    double scale = ldexp(1, comparison->exponent_to_spacing - exponent - ULP_POST);
    return difference * scale * ULP_POST_SCALE;
}

/* Element i by each of maximum_metrics; NaN where it has no say. */
static void judge(const struct comparison *comparison, const struct block *block, uint64_t i,
                  double ret[N_MAXIMA])
{
    double difference = block->difference[i], size = fabs(block->reference[i]);
    double relative = size > 0 ? difference / size : NAN;
    ret[0] = difference;
    ret[1] = relative;
    ret[2] = size > comparison->rel_floor ? relative : NAN;
    ret[3] = difference_in_ulps(comparison, block->reference[i], difference);
    ret[4] = NAN;
    if (!comparison->has_bound)
        return;
    double distance = block->distance[i];
    double tolerance = bound_of(&comparison->factors, block->magnitude[i], block->exact[i]);
    /* A magnitude that makes no sense must not make the bound generous. */
    bool usable = tolerance > 0 && tolerance <= DBL_MAX;
    ret[4] = distance == 0 ? 0 : usable ? distance / tolerance : distance * INFINITY;
}

/* The same for a whole block: its maxima, and what is summed. */
struct block_totals {
    double maxima[N_MAXIMA]; /* negative: no element had a say */
    double sum_of_squares, largest;
    uint64_t n_exact, n_zero_mismatch;
};

#define TAKE_MAXIMUM(m, condition, value)                                                          \
    maxima[m] = VECTOR_PICK(((value) > maxima[m]) & (condition), value, maxima[m])

ALWAYS_INLINE void add_up_body(const struct comparison *comparison, const struct block *block,
                               bool has_bound, struct block_totals *ret)
{
    const vector_bits zero = {0}, always = ~zero;
    const vector_double none = -1 + (vector_double){0};
    const vector_double limit = DBL_MAX + (vector_double){0};
    const vector_bits least = comparison->least_exponent + zero;
    const vector_bits most = comparison->most_exponent + zero;
    const int64_t scale_exponent = comparison->exponent_to_spacing - ULP_POST + 1023;
    const struct bound_factors factors = comparison->factors;
    vector_double maxima[N_MAXIMA] = {none, none, none, none, none};
    vector_double sum = {0}, largest = {0};
    vector_bits n_exact = {0}, n_zero_mismatch = {0};
    for (uint64_t i = 0; i < block->n; i += LANES) {
        vector_double reference, output, difference;
        VECTOR_LOAD(reference, block->reference + i);
        VECTOR_LOAD(output, block->output + i);
        VECTOR_LOAD(difference, block->difference + i);
        vector_double size = VECTOR_ABS(reference);
        vector_bits differs = difference > 0, is_zero = size == 0;
        TAKE_MAXIMUM(0, always, difference);
        vector_double relative = difference / size;
        TAKE_MAXIMUM(1, size > 0, relative);
        TAKE_MAXIMUM(2, size > comparison->rel_floor, relative);

        vector_bits exponent = VECTOR_BITS(size) >> 52;
        exponent = VECTOR_BITS(VECTOR_PICK(exponent < least, least, exponent));
        exponent = VECTOR_BITS(VECTOR_PICK(exponent > most, most, exponent));
        vector_double scale = VECTOR_DOUBLE((scale_exponent - exponent) << 52);
        vector_double ulps = difference * scale * ULP_POST_SCALE;
        TAKE_MAXIMUM(3, always, ulps);

        if (has_bound) {
            vector_double magnitude, exact, distance;
            VECTOR_LOAD(magnitude, block->magnitude + i);
            VECTOR_LOAD(exact, block->exact + i);
            VECTOR_LOAD(distance, block->distance + i);
            vector_double tolerance = factors.sum * magnitude +
                                      factors.rounding * VECTOR_ABS(exact) + factors.smallest;
            vector_bits usable = (tolerance > 0) & (tolerance <= limit);
            vector_double ratio = VECTOR_PICK(usable, distance / tolerance,
                                              distance * (double)INFINITY);
            ratio = VECTOR_PICK(distance == 0, distance, ratio);
            TAKE_MAXIMUM(4, always, ratio);
        }

        vector_double square = difference * difference;
        sum += VECTOR_PICK(differs, square, zero);
        n_exact -= (vector_bits)(difference == 0);
        n_zero_mismatch -= is_zero & differs;
        largest = VECTOR_PICK(size > largest, size, largest);
        output = VECTOR_ABS(output);
        largest = VECTOR_PICK(output > largest, output, largest);
    }
    *ret = (struct block_totals){.maxima = {-1, -1, -1, -1, -1}};
    for (int lane = 0; lane < LANES; lane++) {
        for (int m = 0; m < N_MAXIMA; m++)
            ret->maxima[m] = fmax(ret->maxima[m], maxima[m][lane]);
        ret->largest = fmax(ret->largest, largest[lane]);
        ret->sum_of_squares += sum[lane];
        ret->n_exact += (uint64_t)n_exact[lane];
        ret->n_zero_mismatch += (uint64_t)n_zero_mismatch[lane];
    }
}
ALWAYS_INLINE void add_up_bound_body(const struct comparison *comparison, const struct block *block,
                                     struct block_totals *ret)
{
    add_up_body(comparison, block, true, ret);
}
VECTOR_DISPATCH(add_up_bound, add_up_bound_body,
                (const struct comparison *comparison, const struct block *block,
                 struct block_totals *ret),
                (comparison, block, ret))

ALWAYS_INLINE void add_up_plain_body(const struct comparison *comparison, const struct block *block,
                                     struct block_totals *ret)
{
    add_up_body(comparison, block, false, ret);
}
VECTOR_DISPATCH(add_up_plain, add_up_plain_body,
                (const struct comparison *comparison, const struct block *block,
                 struct block_totals *ret),
                (comparison, block, ret))

static void find_places(const struct comparison *comparison, const struct block *block)
{
    for (uint64_t i = 0; i < block->n; i++) {
        double values[N_MAXIMA];
        judge(comparison, block, i, values);
        for (int m = 0; m < N_MAXIMA; m++) {
            int metric = maximum_metrics[m];
            struct verify_metric *best = &comparison->result->metrics[metric];
            if (values[m] > best->value)
                *best = (struct verify_metric){
                    .value = values[m],
                    .index = block->first + i,
                    .reference = metric == VERIFY_BOUND ? block->exact[i] : block->reference[i],
                    .output = block->output[i],
                };
        }
    }
}

static void note_bad(struct verify_result *result, uint64_t index, double reference, double output)
{
    if (result->first_bad != UINT64_MAX)
        return;
    result->first_bad = index;
    result->bad_reference = reference;
    result->bad_output = output;
}

/* One element of which reference or output is not finite. */
static void count_not_finite(struct comparison *comparison, const struct block *block, uint64_t i)
{
    struct verify_result *result = comparison->result;
    double reference = block->reference[i], output = block->output[i];
    bool same = (isnan(reference) && isnan(output)) || reference == output;
    bool overflowed_to_nan = comparison->format->format == GB_F8_E4M3 && isnan(output) &&
                             isnan(reference) && !isnan(block->exact[i]);
    result->n_overflowed += isinf(output) || overflowed_to_nan;
    result->n_exact += same;
    if (same)
        return;
    if (isnan(output))
        result->n_nan++;
    else
        result->n_infinite_mismatch++;
    note_bad(result, block->first + i, reference, output);
}

static void take_out_not_finite(struct comparison *comparison, struct block *block)
{
    for (uint64_t i = 0; i < block->n; i++) {
        if (isfinite(block->reference[i]) && isfinite(block->output[i]))
            continue;
        count_not_finite(comparison, block, i);
        comparison->n_compared--;
        block->reference[i] = block->output[i] = NAN;
        block->difference[i] = block->distance[i] = NAN;
    }
}

/* Distance of 64-bit integers, which a double does not hold: reference r, rounded, and output. */
static double whole_distance(uint32_t format, double reference, const void *output, uint64_t i)
{
    uint64_t bits;
    memcpy(&bits, (const char *)output + i * sizeof bits, sizeof bits);
    if (format == GB_U64) {
        uint64_t expected = reference >= 0x1p64 ? UINT64_MAX : (uint64_t)reference;
        return (double)(expected > bits ? expected - bits : bits - expected);
    }
    int64_t expected = reference >= 0x1p63 ? INT64_MAX : (int64_t)reference, got;
    memcpy(&got, &bits, sizeof got);
    uint64_t apart = (uint64_t)expected - (uint64_t)got;
    return (double)(expected > got ? apart : -apart);
}

/* Fills in difference and distance; *ret_all_finite: of reference and output. */
ALWAYS_INLINE void subtract_body(struct block *block, bool *ret_all_finite)
{
    const vector_double limit = DBL_MAX + (vector_double){0};
    vector_bits finite = ~(vector_bits){0};
    for (uint64_t i = 0; i < block->n; i += LANES) {
        vector_double reference, exact, output;
        VECTOR_LOAD(reference, block->reference + i);
        VECTOR_LOAD(exact, block->exact + i);
        VECTOR_LOAD(output, block->output + i);
        finite &= (VECTOR_ABS(reference) <= limit) & (VECTOR_ABS(output) <= limit);
        reference = VECTOR_ABS(reference - output);
        exact = VECTOR_ABS(exact - output);
        VECTOR_STORE(reference, block->difference + i);
        VECTOR_STORE(exact, block->distance + i);
    }
    int64_t all = -1;
    for (int lane = 0; lane < LANES; lane++)
        all &= finite[lane];
    *ret_all_finite = all;
}
VECTOR_DISPATCH(subtract, subtract_body, (struct block * block, bool *ret_all_finite),
                (block, ret_all_finite))

static void subtract_integers(const struct comparison *comparison, struct block *block)
{
    uint32_t format = comparison->format->format;
    for (uint64_t i = 0; i < block->n; i++) {
        if (format == GB_I64 || format == GB_U64)
            block->difference[i] = whole_distance(format, block->reference[i],
                                                  comparison->check->output, block->first + i);
        block->distance[i] = block->difference[i];
        if (isnan(block->exact[i])) /* which rounding made a 0 */
            block->reference[i] = NAN;
    }
}

/* True if all of it is finite. */
static bool load_block(const struct comparison *comparison, struct block *block)
{
    const struct gb_check *check = comparison->check;
    uint32_t format = comparison->format->format;
    memcpy(block->exact, check->reference + block->first, block->n * sizeof *block->exact);
    if (comparison->has_bound)
        memcpy(block->magnitude, check->magnitude + block->first,
               block->n * sizeof *block->magnitude);
    number_load_array(format, check->output, block->first, block->n, block->output);
    for (uint64_t i = block->n; i % LANES; i++)
        block->exact[i] = block->output[i] = block->magnitude[i] = NAN;
    uint64_t n_padded = (block->n + LANES - 1) / LANES * LANES;
    number_round_array(format, block->exact, n_padded, block->reference);
    bool all_finite;
    subtract(block, &all_finite);
    if (comparison->format->is_integer)
        subtract_integers(comparison, block);
    return all_finite && !comparison->format->is_integer;
}

static void compare_block(struct comparison *comparison, struct block *block)
{
    struct block_totals totals;
    comparison->n_compared += block->n;
    if (!load_block(comparison, block))
        take_out_not_finite(comparison, block);
    if (comparison->has_bound)
        add_up_bound(comparison, block, &totals);
    else
        add_up_plain(comparison, block, &totals);
    comparison->sum_of_squares += totals.sum_of_squares;
    comparison->largest = fmax(comparison->largest, totals.largest);
    comparison->result->n_exact += totals.n_exact;
    comparison->result->n_zero_mismatch += totals.n_zero_mismatch;
    for (int m = 0; m < N_MAXIMA; m++) {
        if (totals.maxima[m] > comparison->result->metrics[maximum_metrics[m]].value) {
            find_places(comparison, block);
            return;
        }
    }
}

static void for_each_block(struct comparison *comparison,
                           void (*visit)(struct comparison *, struct block *))
{
    const struct gb_check *check = comparison->check;
    struct block block;
    for (uint64_t first = 0; first < check->n; first += BLOCK) {
        block.first = first;
        block.n = check->n - first < BLOCK ? check->n - first : BLOCK;
        visit(comparison, &block);
    }
}

static void add_scaled_squares(struct comparison *comparison, struct block *block)
{
    double scale = comparison->result->metrics[VERIFY_ABS].value;
    load_block(comparison, block);
    for (uint64_t i = 0; i < block->n; i++) {
        if (isfinite(block->reference[i]) && isfinite(block->output[i]))
            comparison->sum_of_squares += (block->difference[i] / scale) *
                                          (block->difference[i] / scale);
    }
}

/* sqrt(sum / N) / largest. Squares of very large or very small differences leave the range of
 * doubles: then they are summed again, relative to the largest of them. */
static double root_mean_square(struct comparison *comparison)
{
    double most = comparison->result->metrics[VERIFY_ABS].value;
    double n = (double)comparison->n_compared;
    if (comparison->n_compared == 0)
        return NAN;
    if (most <= 0)
        return 0;
    if (isinf(most))
        return INFINITY;
    if (most >= 1e-120 && most <= 1e120)
        return sqrt(comparison->sum_of_squares / n) / comparison->largest;
    comparison->sum_of_squares = 0;
    for_each_block(comparison, add_scaled_squares);
    return sqrt(comparison->sum_of_squares / n) * (most / comparison->largest);
}

/* Metrics that no element had a say in: 0 if all are equal, else they do not apply. */
static void settle(struct comparison *comparison)
{
    struct verify_result *result = comparison->result;
    bool all_equal = result->n > 0 && result->n_exact == result->n;
    result->metrics[VERIFY_RMS].value = root_mean_square(comparison);
    for (int metric = 0; metric < VERIFY_METRICS; metric++) {
        struct verify_metric *settled = &result->metrics[metric];
        bool judged = settled->value >= 0;
        bool given = metric != VERIFY_BOUND || comparison->has_bound;
        if (!judged)
            settled->value = all_equal && given ? 0 : NAN;
    }
    result->vacuous = result->n == 0 || 100 * result->n_overflowed > result->n;
}

static int32_t refuse(const struct gb_check *check, struct gb_error *error)
{
    if (!GB_HAS(check, default_tolerance))
        return error_set(error, GB_INVALID, "check: its size is %u, expected at least %zu",
                         check->size, sizeof *check);
    const char *name = check->name ? check->name : "output";
    if (!number_format_of(check->format))
        return error_set(error, GB_INVALID, "check %s: unknown number format %u", name,
                         check->format);
    if (check->accumulate && !number_format_of(check->accumulate))
        return error_set(error, GB_INVALID, "check %s: unknown number format %u of the sums", name,
                         check->accumulate);
    if (check->n > 0 && !check->output)
        return error_set(error, GB_INVALID, "check %s: the output is NULL", name);
    if (check->n > 0 && !check->reference)
        return error_set(error, GB_INVALID, "check %s: the reference is NULL", name);
    if (check->n > 0 && check->output == (const void *)check->reference)
        return error_set(error, GB_INVALID, "check %s: the output is its own reference", name);
    return GB_OK;
}

static struct comparison comparison_of(const struct gb_check *check, double rel_floor,
                                       struct verify_result *result)
{
    enum { BIAS = 1023 };
    const struct number_format *format = number_format_of(check->format);
    struct comparison comparison = {
        .check = check,
        .format = format,
        .rel_floor = rel_floor,
        .factors = bound_factors_of(check->format, check->accumulate, check->n_products),
        .least_exponent = format->min_exponent + BIAS,
        .most_exponent = format->max_exponent + BIAS,
        .exponent_to_spacing = BIAS + format->digits - 1,
        .result = result,
    };
    if (format->is_integer) /* the spacing is 1 everywhere */
        comparison.least_exponent = comparison.most_exponent = comparison.exponent_to_spacing;
    comparison.has_bound = check->magnitude && check->n_products > 0 &&
                           isfinite(comparison.factors.sum);
    return comparison;
}

__attribute__((noinline)) static void compare_all(const struct gb_check *check, double rel_floor,
                                                  struct verify_result *result)
{
    struct comparison comparison = comparison_of(check, rel_floor, result);
    for_each_block(&comparison, compare_block);
    settle(&comparison);
}

int32_t verify_compare(const struct gb_check *check, double rel_floor, struct verify_result *ret,
                       struct gb_error *error)
{
    int32_t status = refuse(check, error);
    if (status != GB_OK)
        return status;
    *ret = (struct verify_result){
        .n = check->n, .first_bad = UINT64_MAX, .bad_reference = NAN, .bad_output = NAN};
    for (int metric = 0; metric < VERIFY_METRICS; metric++)
        ret->metrics[metric] = (struct verify_metric){.value = -1, .reference = NAN, .output = NAN};
    fenv_t environment;
    fegetenv(&environment);
    fesetenv(FE_DFL_ENV);
    compare_all(check, rel_floor, ret);
    fesetenv(&environment);
    return GB_OK;
}

bool verify_passes(const struct verify_result *result, const struct gb_check *check, int metric,
                   double tolerance)
{
    bool may_overflow = check->flags & GB_CHECK_ALLOW_OVERFLOW;
    if (result->n == 0 || result->n_nan > 0 || result->n_infinite_mismatch > 0)
        return false;
    if (result->vacuous && !may_overflow)
        return false;
    if (check->flags & GB_CHECK_EXACT)
        return result->n_exact == result->n;
    return result->metrics[metric].value <= tolerance;
}
