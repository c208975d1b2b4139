/* verify.c - see verify.h. */
#include "core/verify/verify.h"

#include "core/base/number_format.h"
#include "core/verify/verify_pass.h"

#include <fenv.h>
#include <float.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

static const char *const metric_names[VERIFY_METRICS] = {
#define VERIFY_NAME(name, word, unit, help) word,
    VERIFY_METRIC_MAP(VERIFY_NAME)
#undef VERIFY_NAME
};

const char *verify_metric_name(int metric)
{
    return metric_names[metric];
}

int verify_metric_named(const char *name)
{
    const size_t metric = text_index(WORDS_OF(metric_names, VERIFY_METRICS), name);
    return metric < VERIFY_METRICS ? (int)metric : -1;
}

/* Where the maxima of a pass go. */
static const int metric_of[PASS_MAXIMA] = {
    [PASS_ABS] = VERIFY_ABS, [PASS_REL] = VERIFY_REL,     [PASS_REL_FLOOR] = VERIFY_REL_FLOOR,
    [PASS_ULP] = VERIFY_ULP, [PASS_BOUND] = VERIFY_BOUND,
};

/*
 * The comparison goes block by block. A pass gives the maxima and counts of a block at once; where
 * it does not hold, the block is gone over element by element.
 */
struct comparison {
    const struct gb_check *check;
    const struct gb_format *format;
    verify_pass_fn *pass; /* NULL: every block element by element */
    bool reads_output;    /* the pass takes outputs as they are, not as doubles */
    struct pass_format pass_format;
    double sum_of_squares;
    double noise;   /* sum of squares over variances */
    double largest; /* of |r| and |c| */
    uint64_t n_compared;
    struct verify_result *result;
};

struct block {
    uint64_t first, n;
    double exact[VERIFY_BLOCK];     /* e; integers: r */
    double magnitude[VERIFY_BLOCK]; /* S */
    double partials[VERIFY_BLOCK];  /* T2 */
    double output[VERIFY_BLOCK];    /* c */
    double reference[VERIFY_BLOCK]; /* r; element by element only */
};

/* One element. */
struct element {
    uint64_t index;
    double exact, reference, output, difference;
    double judged, distance; /* what the bound is of, and the output's from it: integers' from r */
};

/* The factors are separate because the spacing's inverse need not fit a double. */
static double difference_in_ulps(const struct comparison *comparison, const struct element *element)
{
    double spacing = number_spacing(comparison->format->format, element->reference);
    return element->difference * (0x1p-51 / spacing) * 0x1p51;
}

static double distance_in_bounds(const struct comparison *comparison, const struct element *element)
{
    const struct bound_factors *factors = &comparison->pass_format.factors;
    double magnitude = comparison->check->magnitude[element->index];
    double tolerance = tolerance_of_element(factors, magnitude, element->judged);
    if (element->distance == 0)
        return 0;
    /* An invalid magnitude must not make the bound generous. */
    bool usable = magnitude >= 0 && tolerance > 0 && tolerance <= DBL_MAX;
    return usable ? element->distance / tolerance : element->distance * (double)INFINITY;
}

/* By PASS_...; NaN where the element has no say. */
static void judge(const struct comparison *comparison, const struct element *element,
                  double ret[PASS_MAXIMA])
{
    double size = fabs(element->reference);
    double relative = size > 0 ? element->difference / size : NAN;
    ret[PASS_ABS] = element->difference;
    ret[PASS_REL] = relative;
    ret[PASS_REL_FLOOR] = size > comparison->pass_format.rel_floor ? relative : NAN;
    ret[PASS_ULP] = difference_in_ulps(comparison, element);
    ret[PASS_BOUND] = comparison->pass_format.has_bound ? distance_in_bounds(comparison, element)
                                                        : NAN;
}

/* (c - e)^2 over the variance that rounding explains. */
static double noise_of(const struct comparison *comparison, const struct element *element)
{
    const struct pass_format *format = &comparison->pass_format;
    const double partials = comparison->check->partial_squares[element->index];
    const double clamped = fmax(fabs(element->judged), format->least);
    return rounded_product(element->distance, element->distance) /
           variance_of_element(&format->noise, partials, clamped);
}

static int class_of(const struct element *element)
{
    int above = 0;
    if (element->difference == 0)
        return VERIFY_CLASS_EQUAL;
    if (element->reference == 0)
        return VERIFY_CLASS_ZERO;
    while (above < VERIFY_EDGES &&
           element->difference >= verify_edges[above] * fabs(element->reference))
        above++;
    return VERIFY_CLASS_BELOW + above;
}

static void take_maximum(struct comparison *comparison, int maximum, double value,
                         const struct element *element)
{
    struct verify_metric *best = &comparison->result->metrics[metric_of[maximum]];
    if (!(value > best->value))
        return;
    *best = (struct verify_metric){
        .value = value,
        .index = element->index,
        .reference = maximum == PASS_BOUND ? element->exact : element->reference,
        .output = element->output,
    };
}

static void note_bad(struct verify_result *result, const struct element *element)
{
    if (result->first_bad != UINT64_MAX)
        return;
    result->first_bad = element->index;
    result->bad_reference = element->reference;
    result->bad_output = element->output;
}

static void count_class(struct comparison *comparison, const struct element *element, int class)
{
    struct verify_result *result = comparison->result;
    result->histogram[class]++;
    result->above_floor[class] += fabs(element->reference) > comparison->pass_format.rel_floor;
}

/* One element of which reference or output is not finite. */
static void count_not_finite(struct comparison *comparison, const struct element *element)
{
    struct verify_result *result = comparison->result;
    double reference = element->reference, output = element->output;
    bool same = (isnan(reference) && isnan(output)) || reference == output;
    bool overflowed_to_nan = comparison->format->format == GB_F8_E4M3 && isnan(output) &&
                             isnan(reference) && !isnan(element->exact);
    result->n_overflowed += isinf(output) || overflowed_to_nan;
    result->n_nan_reference += isnan(reference) && !overflowed_to_nan;
    count_class(comparison, element, same ? VERIFY_CLASS_EQUAL : VERIFY_CLASS_NOT_FINITE);
    if (same)
        return;
    if (isnan(output))
        result->n_nan++;
    else
        result->n_infinite_mismatch++;
    note_bad(result, element);
}

static uint64_t bits_at(const void *array, uint64_t i)
{
    uint64_t bits;
    memcpy(&bits, (const char *)array + i * sizeof bits, sizeof bits);
    return bits;
}

/* Distance of 64-bit integers, which a double does not hold: reference and output. */
static double exact_distance(uint32_t format, uint64_t reference, uint64_t output)
{
    const bool is_above = format == GB_U64 ? reference > output
                                           : (int64_t)reference > (int64_t)output;
    return (double)(is_above ? reference - output : output - reference);
}

/* The same of a reference r, rounded. */
static double whole_distance(uint32_t format, double reference, const void *output, uint64_t i)
{
    uint64_t expected;
    if (format == GB_U64)
        expected = reference >= 0x1p64 ? UINT64_MAX : (uint64_t)reference;
    else
        expected = (uint64_t)(reference >= 0x1p63 ? INT64_MAX : (int64_t)reference);
    return exact_distance(format, expected, bits_at(output, i));
}

static void load_element(const struct comparison *comparison, const struct block *block, uint64_t i,
                         struct element *ret)
{
    uint32_t format = comparison->format->format;
    const struct gb_check *check = comparison->check;
    const bool is_long = format == GB_I64 || format == GB_U64;
    ret->index = block->first + i;
    ret->exact = check->reference_exact ? block->reference[i] : check->reference[ret->index];
    ret->reference = isnan(ret->exact) ? ret->exact : block->reference[i];
    ret->output = block->output[i];
    ret->difference = fabs(ret->reference - ret->output);
    if (is_long && check->reference_exact)
        ret->difference = exact_distance(format, bits_at(check->reference_exact, ret->index),
                                         bits_at(check->output, ret->index));
    else if (is_long && isfinite(ret->reference))
        ret->difference = whole_distance(format, ret->reference, check->output, ret->index);
    const bool is_integer = comparison->format->is_integer;
    ret->judged = is_integer ? ret->reference : ret->exact;
    ret->distance = is_integer ? ret->difference : fabs(ret->exact - ret->output);
}

/* Output and reference of a block, in doubles. */
static void load_block(const struct gb_check *check, struct block *block)
{
    number_load_array(check->format, check->output, block->first, block->n, block->output);
    if (check->reference_exact)
        number_load_array(check->format, check->reference_exact, block->first, block->n,
                          block->reference);
    else
        number_round_array(check->format, check->reference + block->first, block->n,
                           block->reference);
}

static void compare_one_by_one(struct comparison *comparison, struct block *block)
{
    const struct gb_check *check = comparison->check;
    double sum_of_squares = 0, noise = 0;
    load_block(check, block);
    for (uint64_t i = 0; i < block->n; i++) {
        struct element element;
        double values[PASS_MAXIMA];
        load_element(comparison, block, i, &element);
        if (!isfinite(element.reference) || !isfinite(element.output)) {
            count_not_finite(comparison, &element);
            continue;
        }
        judge(comparison, &element, values);
        for (int maximum = 0; maximum < PASS_MAXIMA; maximum++)
            take_maximum(comparison, maximum, values[maximum], &element);
        count_class(comparison, &element, class_of(&element));
        comparison->n_compared++;
        sum_of_squares += rounded_product(element.difference, element.difference);
        if (comparison->pass_format.has_noise)
            noise += noise_of(comparison, &element);
        comparison->largest = fmax(comparison->largest, fabs(element.reference));
        comparison->largest = fmax(comparison->largest, fabs(element.output));
    }
    comparison->sum_of_squares += sum_of_squares;
    comparison->noise += noise;
}

/* Elements to fill up the registers are 0 and equal, so that they have no say. */
static void fill_up(void *array, uint64_t n_bytes, uint64_t n_padded_bytes)
{
    memset((char *)array + n_bytes, 0, n_padded_bytes - n_bytes);
}

static const double *doubles_for_pass(const double *array, uint64_t n, uint64_t n_padded,
                                      double *buffer)
{
    if (n == n_padded)
        return array;
    memcpy(buffer, array, n * sizeof *buffer);
    fill_up(buffer, n * sizeof *buffer, n_padded * sizeof *buffer);
    return buffer;
}

static const void *output_for_pass(const struct comparison *comparison, struct block *block,
                                   uint64_t n_padded)
{
    const struct gb_check *check = comparison->check;
    uint64_t bytes = comparison->reads_output ? comparison->format->bytes : sizeof(double);
    const char *output = (const char *)check->output + block->first * bytes;
    if (comparison->reads_output && block->n == n_padded)
        return output;
    if (comparison->reads_output)
        memcpy(block->output, output, block->n * bytes);
    else
        number_load_array(check->format, check->output, block->first, block->n, block->output);
    fill_up(block->output, block->n * bytes, n_padded * bytes);
    return block->output;
}

/* Rounding makes a NaN 0 then; false if there is one. */
static bool round_to_integers(const struct gb_check *check, struct block *block)
{
    const double *exact = check->reference + block->first;
    for (uint64_t i = 0; i < block->n; i++)
        if (isnan(exact[i]))
            return false;
    number_round_array(check->format, exact, block->n, block->exact);
    return true;
}

/* False if the pass cannot judge this block. */
static bool run_pass(const struct comparison *comparison, struct block *block,
                     struct pass_totals *ret)
{
    const struct gb_check *check = comparison->check;
    const struct pass_format *format = &comparison->pass_format;
    uint64_t n_padded = (block->n + VERIFY_LANES - 1) / VERIFY_LANES * VERIFY_LANES;
    const double *exact = check->reference + block->first;
    if (!comparison->pass)
        return false;
    if (comparison->format->is_integer && !comparison->reads_output) {
        if (!round_to_integers(check, block))
            return false;
        exact = block->exact;
    }
    struct pass_input input = {
        .format = format,
        .n = n_padded,
        .exact = doubles_for_pass(exact, block->n, n_padded, block->exact),
        .output = output_for_pass(comparison, block, n_padded),
    };
    if (format->has_bound)
        input.magnitude = doubles_for_pass(check->magnitude + block->first, block->n, n_padded,
                                           block->magnitude);
    if (format->has_noise)
        input.partials = doubles_for_pass(check->partial_squares + block->first, block->n, n_padded,
                                          block->partials);
    for (int maximum = 0; maximum < PASS_MAXIMA; maximum++)
        input.best[maximum] = comparison->result->metrics[metric_of[maximum]].value;
    comparison->pass(&input, ret);
    return verify_pass_holds(format, ret);
}

/* Of elements, so many are equal, differ, have a reference of 0 that the output is not, and reach
 * each edge, among them those. */
static void add_classes(uint64_t histogram[VERIFY_CLASSES], uint64_t n_equal, uint64_t n_differ,
                        uint64_t n_zero_mismatch, const uint64_t n_above[VERIFY_EDGES])
{
    histogram[VERIFY_CLASS_EQUAL] += n_equal;
    histogram[VERIFY_CLASS_ZERO] += n_zero_mismatch;
    histogram[VERIFY_CLASS_BELOW] += n_differ - n_above[0];
    for (int edge = 0; edge + 1 < VERIFY_EDGES; edge++)
        histogram[VERIFY_CLASS_1E_6 + edge] += n_above[edge] - n_above[edge + 1];
    histogram[VERIFY_CLASS_ONE] += n_above[VERIFY_EDGES - 1] - n_zero_mismatch;
}

static void add_totals(struct comparison *comparison, const struct block *block,
                       const struct pass_totals *totals)
{
    struct verify_result *result = comparison->result;
    uint32_t format = comparison->format->format;
    add_classes(result->histogram, block->n - totals->n_differ, totals->n_differ,
                totals->n_zero_mismatch, totals->n_above);
    add_classes(result->above_floor, totals->n_large_equal, totals->n_large - totals->n_large_equal,
                0, totals->n_large_above);
    comparison->n_compared += block->n;
    comparison->sum_of_squares += totals->sum_of_squares;
    comparison->noise += totals->noise;
    comparison->largest = fmax(comparison->largest, number_round(format, totals->largest_exact));
    comparison->largest = fmax(comparison->largest, totals->largest_output);
}

static void compare_block(struct comparison *comparison, struct block *block)
{
    const struct gb_check *check = comparison->check;
    struct pass_totals totals;
    if (check->reference_exact || !run_pass(comparison, block, &totals)) {
        compare_one_by_one(comparison, block);
        return;
    }
    add_totals(comparison, block, &totals);
    for (int maximum = 0; maximum < PASS_MAXIMA; maximum++) {
        struct element worst = {.index = block->first + totals.places[maximum]};
        if (!(totals.maxima[maximum] > comparison->result->metrics[metric_of[maximum]].value))
            continue;
        worst.exact = check->reference[worst.index];
        worst.reference = number_round(check->format, worst.exact);
        worst.output = number_load(check->format, check->output, worst.index);
        take_maximum(comparison, maximum, totals.maxima[maximum], &worst);
    }
}

static void for_each_block(struct comparison *comparison,
                           void (*visit)(struct comparison *, struct block *))
{
    const struct gb_check *check = comparison->check;
    struct block block;
    for (uint64_t first = 0; first < check->n; first += VERIFY_BLOCK) {
        block.first = first;
        block.n = check->n - first < VERIFY_BLOCK ? check->n - first : VERIFY_BLOCK;
        visit(comparison, &block);
    }
}

static void add_scaled_squares(struct comparison *comparison, struct block *block)
{
    const struct gb_check *check = comparison->check;
    double scale = comparison->result->metrics[VERIFY_ABS].value;
    load_block(check, block);
    for (uint64_t i = 0; i < block->n; i++) {
        struct element element;
        load_element(comparison, block, i, &element);
        double scaled = element.difference / scale;
        if (isfinite(element.reference) && isfinite(element.output))
            comparison->sum_of_squares += rounded_product(scaled, scaled);
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

/* NaN where numbers are so large that their squares leave the range, or T2 is invalid. */
static double root_mean_noise(const struct comparison *comparison)
{
    if (comparison->n_compared == 0 || !(comparison->noise >= 0 && isfinite(comparison->noise)))
        return NAN;
    return sqrt(comparison->noise / (double)comparison->n_compared);
}

/* Metrics that no element counted for: 0 if all are equal, else they do not apply. */
static void settle(struct comparison *comparison)
{
    struct verify_result *result = comparison->result;
    result->n_exact = result->histogram[VERIFY_CLASS_EQUAL];
    result->n_zero_mismatch = result->histogram[VERIFY_CLASS_ZERO];
    bool all_equal = result->n > 0 && result->n_exact == result->n;
    result->metrics[VERIFY_RMS].value = root_mean_square(comparison);
    if (comparison->pass_format.has_noise)
        result->metrics[VERIFY_NOISE].value = root_mean_noise(comparison);
    for (int metric = 0; metric < VERIFY_METRICS; metric++) {
        struct verify_metric *settled = &result->metrics[metric];
        bool judged = settled->value >= 0;
        bool given = metric == VERIFY_NOISE   ? comparison->pass_format.has_noise
                     : metric == VERIFY_BOUND ? comparison->pass_format.has_bound
                                              : true;
        if (!judged)
            settled->value = all_equal && given && metric < VERIFY_DETAILS ? 0 : NAN;
    }
    result->vacuous = result->n == 0 || 100 * result->n_overflowed > result->n ||
                      100 * result->n_nan_reference > result->n;
}

static int32_t refuse(const struct gb_check *check, struct gb_error *error)
{
    if (!GB_HAS(check, default_tolerance))
        return error_set(error, GB_INVALID, "check: its size is %u, \1expected at least %zu",
                         check->size, offsetof(struct gb_check, safety));
    const char *name = check->name ? check->name : "output";
    if (!number_format_of(check->format))
        return error_set(error, GB_INVALID, "check %s: unknown number format %u", name,
                         check->format);
    if (check->accumulate && !number_format_of(check->accumulate))
        return error_set(error, GB_INVALID, "check %s: unknown number format %u of the sums", name,
                         check->accumulate);
    if (check->n > 0 && !check->output)
        return error_set(error, GB_INVALID, "check %s: the output is NULL", name);
    if (check->n > 0 && !check->reference && !check->reference_exact)
        return error_set(error, GB_INVALID, "check %s: the reference is NULL", name);
    if (check->n > 0 && (check->output == (const void *)check->reference ||
                         check->output == check->reference_exact))
        return error_set(error, GB_INVALID, "check %s: the output is its own reference", name);
    return verify_refuse_bound(check, name, error);
}

static struct comparison comparison_of(const struct gb_check *check, double rel_floor,
                                       struct verify_result *result)
{
    struct comparison comparison = {
        .check = check,
        .format = number_format_of(check->format),
        .result = result,
    };
    comparison.pass = verify_pass_for(check->format, &comparison.reads_output);
    comparison.pass_format = verify_pass_format(check, rel_floor);
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
    *ret = (struct verify_result){.n = check->n,
                                  .first_bad = UINT64_MAX,
                                  .bad_reference = NAN,
                                  .bad_output = NAN,
                                  .floor = fmax(rel_floor, 0)};
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
