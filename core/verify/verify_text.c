/* verify_text.c - what verify_compare found, in words; see verify.h. */
#include "core/base/number_format.h"
#include "core/base/text.h"
#include "core/verify/verify.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The shortest text, from six digits on, that the format cannot tell from the value. */
static const char *number_text(uint32_t format, double value, char buffer[NUMBER_TEXT_MAX])
{
    if (!isfinite(value))
        return format_double(value, buffer);
    for (int digits = 6; digits <= 17; digits++) {
        snprintf(buffer, NUMBER_TEXT_MAX, "%.*g", digits, value);
        if (number_round(format, strtod(buffer, NULL)) == value)
            break;
    }
    return buffer;
}

/* Three digits, or as many as it takes to be seen on the same side of the tolerance. */
static const char *metric_text(double value, double tolerance, char buffer[NUMBER_TEXT_MAX])
{
    if (!isfinite(value))
        return format_double(value, buffer);
    for (int digits = 3; digits <= 17; digits++) {
        snprintf(buffer, NUMBER_TEXT_MAX, "%.*g", digits, value);
        if ((strtod(buffer, NULL) <= tolerance) == (value <= tolerance))
            break;
    }
    return buffer;
}

/* Of 64-bit integers all digits: a double has 16. */
static const char *whole_text(uint32_t format, const void *array, uint64_t i,
                              char buffer[NUMBER_TEXT_MAX])
{
    uint64_t bits;
    memcpy(&bits, (const char *)array + i * sizeof bits, sizeof bits);
    if (format == GB_U64)
        snprintf(buffer, NUMBER_TEXT_MAX, "%" PRIu64, bits);
    else
        snprintf(buffer, NUMBER_TEXT_MAX, "%" PRId64, (int64_t)bits);
    return buffer;
}

static void add_place(struct text *line, const struct gb_check *check,
                      const struct verify_metric *place)
{
    const uint32_t format = check->format;
    const bool is_whole = check->reference_exact && (format == GB_I64 || format == GB_U64);
    text_printf(line, " at [%" PRIu64 "]: expected %s, got %s", place->index,
                is_whole ? whole_text(format, check->reference_exact, place->index, NUMBER_TEXT)
                         : number_text(format, place->reference, NUMBER_TEXT),
                is_whole ? whole_text(format, check->output, place->index, NUMBER_TEXT)
                         : number_text(format, place->output, NUMBER_TEXT));
}

static void describe_values(const struct verify_result *result, const struct gb_check *check,
                            struct text *line)
{
    struct verify_metric bad = {.index = result->first_bad,
                                .reference = result->bad_reference,
                                .output = result->bad_output};
    text_add(line, "not finite");
    add_place(line, check, &bad);
    text_printf(line, " (%" PRIu64 " of %" PRIu64 " values)",
                result->n_nan + result->n_infinite_mismatch, result->n);
}

static void describe_inapplicable(const struct gb_check *check, int metric, struct text *line)
{
    text_printf(line, "%s cannot be judged: ", verify_metric_name(metric));
    if (metric == VERIFY_REL)
        text_add(line, "every reference is 0");
    else if (metric == VERIFY_REL_FLOOR)
        text_add(line, "no reference is above the floor");
    else if (metric == VERIFY_MEAN_REL)
        text_add(line, "every reference is 0");
    else if (metric == VERIFY_BOUND && !(check->magnitude && check->n_products > 0))
        text_add(line, "the benchmark gives no magnitudes");
    else if (metric == VERIFY_BOUND)
        text_printf(line, "%" PRIu64 " products are too many for sums in %s", check->n_products,
                    number_format_of(check->accumulate ? check->accumulate : check->format)->name);
    else if (metric == VERIFY_NOISE && !(check->magnitude && check->n_products > 0 &&
                                         GB_HAS(check, partial_squares) && check->partial_squares))
        text_add(line, "the benchmark gives no squares of partial sums");
    else
        text_add(line, metric == VERIFY_NOISE ? "squares leave the range of float64"
                                              : "no value is finite");
}

static void describe_metric(const struct verify_result *result, const struct gb_check *check,
                            int metric, double tolerance, struct text *line)
{
    const struct verify_metric *found = &result->metrics[metric];
    text_printf(line, "%s %s", verify_metric_name(metric),
                metric_text(found->value, tolerance, NUMBER_TEXT));
    if (!isnan(tolerance))
        text_printf(line, " %s %s", found->value <= tolerance ? "<=" : ">", DOUBLE_TEXT(tolerance));
    if (!isnan(found->output))
        add_place(line, check, found);
    if (result->n_zero_mismatch > 0 && (metric == VERIFY_REL || metric == VERIFY_REL_FLOOR))
        text_printf(line, "; %" PRIu64 " value%s not the 0 expected", result->n_zero_mismatch,
                    result->n_zero_mismatch == 1 ? " is" : "s are");
}

static void describe(const struct verify_result *result, const struct gb_check *check, int metric,
                     double tolerance, struct text *line)
{
    bool may_overflow = check->flags & GB_CHECK_ALLOW_OVERFLOW;
    bool exact = check->flags & GB_CHECK_EXACT;
    double value = result->metrics[metric].value;
    if (result->n == 0) {
        text_add(line, "vacuous: nothing was compared");
    } else if (result->first_bad != UINT64_MAX) {
        describe_values(result, check, line);
    } else if (result->vacuous && !may_overflow) {
        const bool is_nan = 100 * result->n_nan_reference > result->n;
        text_printf(line, "vacuous: %" PRIu64 " of %" PRIu64 " %s",
                    is_nan ? result->n_nan_reference : result->n_overflowed, result->n,
                    is_nan ? "references are NaN" : "values overflowed");
    } else if (result->n_exact == result->n && (exact || value <= tolerance || isnan(tolerance))) {
        text_printf(line, "%s equal", COUNT_TEXT(result->n, "value"));
    } else if (exact) {
        text_printf(line, "%" PRIu64 " of %" PRIu64 " values differ, most",
                    result->n - result->n_exact, result->n);
        add_place(line, check, &result->metrics[VERIFY_ABS]);
    } else if (isnan(value)) {
        describe_inapplicable(check, metric, line);
    } else {
        describe_metric(result, check, metric, tolerance, line);
    }
}

void verify_describe(const struct verify_result *result, const struct gb_check *check, int metric,
                     double tolerance, char *buffer, size_t bytes)
{
    struct text line = {0};
    describe(result, check, metric, tolerance, &line);
    snprintf(buffer, bytes, "%s", text_get(&line));
    text_free(&line);
}

const char *verify_class_name(int index)
{
    static const char *const names[VERIFY_CLASSES] = {
        "0",           "(0, 1e-6)", "[1e-6, 1e-5)", "[1e-5, 1e-4)", "[1e-4, 1e-3)", "[1e-3, 1e-2)",
        "[1e-2, 0.1)", "[0.1, 1)",  ">= 1",         "reference 0",  "not finite",
    };
    return names[index];
}
