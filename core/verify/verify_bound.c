/* verify_bound.c - the tolerance that follows from the arithmetic; see verify.h. */
#include "core/base/number_format.h"
#include "core/verify/verify.h"
#include "core/verify/verify_pass.h"

#include <math.h>

/* What newer members of gb_check say; a plugin may be older than they are. */
struct bound_request {
    double safety, products_at_once, extra_bits;
    double n_terms; /* all products of a sum */
    uint32_t bound, summation;
};

static struct bound_request request_of(const struct gb_check *check)
{
    struct bound_request request = {.safety = 1, .products_at_once = 1};
    if (GB_HAS(check, safety) && check->safety != 0)
        request.safety = check->safety;
    if (GB_HAS(check, bound))
        request.bound = check->bound;
    if (GB_HAS(check, summation))
        request.summation = check->summation;
    if (GB_HAS(check, products_at_once) && check->products_at_once > 0)
        request.products_at_once = check->products_at_once;
    if (GB_HAS(check, extra_bits))
        request.extra_bits = check->extra_bits;
    request.n_terms = (double)check->n_products;
    if (GB_HAS(check, n_terms))
        request.n_terms = fmax(request.n_terms, (double)check->n_terms);
    return request;
}

/* v: the relative error of one step of the sum. */
static double step_error(const struct bound_request *request, double u)
{
    if (request->summation == GB_SUM_TRUNCATED)
        return 2 * u;
    if (request->summation == GB_SUM_ALIGNED)
        return 2 * u * (1 + (request->products_at_once + 1) * exp2(-request->extra_bits));
    return u;
}

static uint32_t format_of_sums(const struct gb_check *check)
{
    return check->accumulate ? check->accumulate : check->format;
}

static double sum_factor(const struct gb_check *check, const struct bound_request *request)
{
    const double delta = 1e-9;
    double u = number_roundoff(format_of_sums(check));
    double n_steps = ceil((double)check->n_products / request->products_at_once);
    double v = step_error(request, u);
    double error = rounded_product(n_steps, v);
    double worst = error < 1 ? error / (1 - error) : (double)INFINITY;
    if (request->bound == GB_BOUND_DETERMINISTIC)
        return worst;
    double lambda = sqrt(2 * log(2 * fmax((double)check->n, 1) / delta));
    double likely = lambda * sqrt(v * expm1(2 * error) / 2);
    likely = likely < 1 ? likely : (double)INFINITY;
    return request->bound == GB_BOUND_AUTO ? fmin(worst, likely) : likely;
}

/* Sums over a thousand elements that are spread over the arrays. */
struct sample {
    double n, exact, magnitude; /* |e|, S; both 0 without arrays */
};

static struct sample sample_of(const struct gb_check *check)
{
    const uint64_t most = 1024;
    const uint64_t n = check->n < most ? check->n : most;
    struct sample sample = {0};
    if (!check->magnitude || !check->reference)
        return sample;
    for (uint64_t i = 0; i < n; i++) {
        const uint64_t at = n == check->n ? i : check->n / n * i;
        if (!isfinite(check->reference[at]) || !isfinite(check->magnitude[at]))
            continue;
        sample.n++;
        sample.exact += fabs(check->reference[at]);
        sample.magnitude += check->magnitude[at];
    }
    return sample;
}

/* |e| over S, all elements together; 1 without them. It is 1 where products have one sign, and
 * about 1 / sqrt(K) where signs are random. */
static double cancellation(const struct gb_check *check)
{
    const struct sample sample = sample_of(check);
    return sample.magnitude > 0 ? sample.exact / sample.magnitude : 1;
}

static double least_of_sums(const struct gb_check *check)
{
    return ldexp(1, number_format_of(format_of_sums(check))->min_exponent);
}

/*
 * Whether a rounding is up or down is random where products differ by far more than the spacing of
 * the sum: it is 2 v |e| at most, and of 2 v s below the smallest normal number s; a product is S /
 * n in the mean.
 */
static bool has_random_roundings(const struct gb_check *check, const struct bound_request *request)
{
    const double spacings = 4;
    const double n_steps = ceil((double)check->n_products / request->products_at_once);
    const double n_groups = ceil(request->n_terms / request->products_at_once);
    const double v = step_error(request, number_roundoff(format_of_sums(check)));
    const struct sample sample = sample_of(check);
    const double lost = rounded_product(n_groups * sample.n, least_of_sums(check));
    const double spacing = fmax(rounded_product(n_steps, sample.exact), lost);
    return request->summation == GB_SUM_NEAREST && sample.magnitude > 0 &&
           2 * v * spacings * spacing <= sample.magnitude;
}

struct bound_factors bound_factors_of(const struct gb_check *check)
{
    struct bound_request request = request_of(check);
    const double most = 0.5;
    const bool has_both_signs = cancellation(check) <= most;
    if (request.bound == GB_BOUND_AUTO &&
        !(has_both_signs && has_random_roundings(check, &request)))
        request.bound = GB_BOUND_DETERMINISTIC;
    const double sum = request.safety * sum_factor(check, &request);
    const double v = step_error(&request, number_roundoff(format_of_sums(check)));
    const double n_groups = ceil(request.n_terms / request.products_at_once);
    const double underflow = fmax(sum, request.safety * rounded_product(n_groups, v));
    return (struct bound_factors){
        .sum = sum,
        .rounding = request.safety * number_roundoff(check->format),
        .smallest = underflow * least_of_sums(check) + number_spacing(check->format, 0) / 2,
    };
}

struct noise_factors noise_factors_of(const struct gb_check *check)
{
    const struct bound_request request = request_of(check);
    const struct gb_format *format = number_format_of(check->format);
    const double u = number_roundoff(check->format), half = number_spacing(check->format, 0) / 2;
    const double v = step_error(&request, number_roundoff(format_of_sums(check)));
    const double n_steps = ceil((double)check->n_products / request.products_at_once);
    const double q = request.summation != GB_SUM_NEAREST      ? 0.25
                     : !has_random_roundings(check, &request) ? 1
                                                              : 0;
    const double least = least_of_sums(check);
    const double of_steps = rounded_product(v * v, 1.0 / 3 + q * n_steps);
    const double sum = of_steps / request.products_at_once + 0x1p-106 / 3;
    const double n_groups = ceil(request.n_terms / request.products_at_once);
    const double of_groups = rounded_product(v * v, 1.0 / 3 + q * n_groups) /
                             request.products_at_once;
    const double lost = rounded_product(of_groups * request.n_terms, least * least);
    return (struct noise_factors){
        .sum = sum,
        .rounding = u * u / 3 + of_steps * (1 - 1.0 / request.products_at_once),
        .smallest = (format->is_integer ? half * half / 3 : lost) + 0x1p-1022,
    };
}

double verify_noise_tolerance(uint64_t n)
{
    const double delta = 1e-9;
    const double share = log(1 / delta) / fmax((double)n, 1);
    return sqrt(1 + 2 * sqrt(share) + 2 * share);
}

double verify_bound(const struct gb_check *check, double magnitude, double reference)
{
    struct bound_factors factors = bound_factors_of(check);
    if (isinf(factors.sum))
        return INFINITY;
    return tolerance_of_element(&factors, magnitude, reference);
}

const char *verify_bound_refusal(uint32_t bound, uint32_t summation, bool has_one_sign)
{
    if (bound != GB_BOUND_PROBABILISTIC)
        return NULL;
    if (summation != GB_SUM_NEAREST)
        return "the probabilistic bound does not hold for sums that are truncated: expected auto "
               "or deterministic";
    return has_one_sign ? "the probabilistic bound does not hold for products of one sign: "
                          "expected auto or deterministic"
                        : NULL;
}

int32_t verify_refuse_bound(const struct gb_check *check, const char *name, struct gb_error *error)
{
    struct bound_request request = request_of(check);
    const double least_safety = 1e-3, most_safety = 1e6;
    if (!(request.safety >= least_safety && request.safety <= most_safety))
        return error_set(error, GB_INVALID, "check %s: the safety is %g, \1expected %g to %g", name,
                         request.safety, least_safety, most_safety);
    if (request.bound > GB_BOUND_DETERMINISTIC)
        return error_set(error, GB_INVALID, "check %s: unknown bound %u", name, request.bound);
    if (request.summation > GB_SUM_ALIGNED)
        return error_set(error, GB_INVALID, "check %s: unknown summation %u", name,
                         request.summation);
    const bool is_judged = check->magnitude && check->n > 0 && check->n_products > 1;
    const bool has_one_sign = is_judged && cancellation(check) > 0.999;
    const char *why = verify_bound_refusal(request.bound, request.summation, has_one_sign);
    return why ? error_set(error, GB_INVALID, "check %s: check.bound_kind: %s", name, why) : GB_OK;
}
