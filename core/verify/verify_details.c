/* verify_details.c - see verify.h: what takes a second look at every element. */
#include "core/base/memory.h"
#include "core/base/number_format.h"
#include "core/base/statistics.h"
#include "core/verify/verify.h"

#include <math.h>

enum { BLOCK = 2048 };

/* Of the elements that are finite on both sides. */
struct details {
    const struct verify_detail_request *request;
    const struct gb_check *check;
    struct verify_result *result;
    uint64_t n, n_relative;
    uint64_t n_beyond[VERIFY_ULPS];
    double absolute, relative;          /* sums of differences */
    double largest, squares, r_squares; /* the squares over that of the largest number */
};

static const double ulps[VERIFY_ULPS] = {1, 2, 4};

/* Where it belongs among the worst so far; those that come first win a tie. */
static void note_worst(struct details *details, const struct verify_element *element)
{
    struct verify_element *worst = details->request->worst;
    uint64_t n = details->result->n_worst;
    const uint64_t most = details->request->n_worst;
    if (most == 0 || !(element->ulps > 0) || (n == most && !(element->ulps > worst[n - 1].ulps)))
        return;
    n = n < most ? n + 1 : most;
    uint64_t i = n - 1;
    for (; i > 0 && element->ulps > worst[i - 1].ulps; i--)
        worst[i] = worst[i - 1];
    worst[i] = *element;
    details->result->n_worst = n;
}

/* Squares are summed over the square of the largest number, so that none leaves the range. */
static void add_squares(struct details *details, double reference, double difference)
{
    const double size = fmax(fabs(reference), difference);
    if (size > details->largest) {
        const double smaller = details->largest / size;
        details->squares = rounded_product(details->squares, smaller * smaller);
        details->r_squares = rounded_product(details->r_squares, smaller * smaller);
        details->largest = size;
    }
    if (details->largest == 0)
        return;
    const double d = difference / details->largest, r = reference / details->largest;
    details->squares += rounded_product(d, d);
    details->r_squares += rounded_product(r, r);
}

static void add_close(struct details *details, const struct verify_element *element,
                      double difference)
{
    struct verify_metric *metric = &details->result->metrics[VERIFY_ALLCLOSE];
    const double relative = rounded_product(details->request->rtol, fabs(element->reference));
    const double close = difference == 0 ? 0 : difference / (details->request->atol + relative);
    if (close > metric->value)
        *metric = (struct verify_metric){close, element->index, element->reference,
                                         element->output};
}

static void add_element(struct details *details, struct verify_element *element)
{
    const double difference = fabs(element->reference - element->output);
    const double spacing = number_spacing(details->check->format, element->reference);
    element->ulps = difference * (0x1p-51 / spacing) * 0x1p51;
    details->n++;
    details->absolute += difference;
    if (element->reference != 0) {
        details->n_relative++;
        details->relative += difference / fabs(element->reference);
    }
    for (int i = 0; i < VERIFY_ULPS; i++)
        details->n_beyond[i] += element->ulps > ulps[i];
    add_squares(details, element->reference, difference);
    add_close(details, element, difference);
    note_worst(details, element);
}

static void add_block(struct details *details, uint64_t first, uint64_t n)
{
    const struct gb_check *check = details->check;
    double reference[BLOCK], output[BLOCK];
    number_load_array(check->format, check->output, first, n, output);
    if (check->reference_exact)
        number_load_array(check->format, check->reference_exact, first, n, reference);
    else
        number_round_array(check->format, check->reference + first, n, reference);
    for (uint64_t i = 0; i < n; i++) {
        struct verify_element element = {
            .index = first + i, .reference = reference[i], .output = output[i]};
        if (isfinite(reference[i]) && isfinite(output[i]) &&
            (check->reference_exact || !isnan(check->reference[first + i])))
            add_element(details, &element);
    }
}

static void settle(const struct details *details)
{
    struct verify_metric *metrics = details->result->metrics;
    const double n = (double)details->n;
    const bool is_any = details->n > 0, has_relative = details->n_relative > 0;
    const bool is_equal = details->squares == 0;
    metrics[VERIFY_MEAN_ABS].value = is_any ? details->absolute / n : NAN;
    metrics[VERIFY_MEAN_REL].value = has_relative ? details->relative / (double)details->n_relative
                                     : is_equal && is_any ? 0
                                                          : NAN;
    metrics[VERIFY_NORM].value = !is_any    ? NAN
                                 : is_equal ? 0
                                            : sqrt(details->squares / details->r_squares);
    for (int i = 0; i < VERIFY_ULPS; i++)
        metrics[VERIFY_BEYOND_1ULP + i].value = is_any ? (double)details->n_beyond[i] / n : NAN;
    if (metrics[VERIFY_ALLCLOSE].value < 0)
        metrics[VERIFY_ALLCLOSE].value = NAN;
}

void verify_details(const struct gb_check *check, const struct verify_detail_request *request,
                    struct verify_result *result)
{
    struct details details = {.request = request, .check = check, .result = result};
    result->metrics[VERIFY_ALLCLOSE].value = -1;
    result->n_worst = 0;
    for (uint64_t first = 0; first < check->n; first += BLOCK)
        add_block(&details, first, check->n - first < BLOCK ? check->n - first : BLOCK);
    settle(&details);
}
