/*
 * test_verify_noise.c - the metric `noise`: what right sums read, in any order and rounded in any
 * way that a check can say, and what is found wrong by it or by the bound beside it.
 */
#include "core/base/number_format.h"
#include "core/base/random.h"
#include "plugins/common/verified_sums.h"
#include "tests/verify/verify_fixture.h"

enum { N_MAX = 1024, K_MAX = 16384 };

static const struct {
    double low, high;
} ranges[] = {{-1, 1}, {-10, 10}, {1, 5}, {-0x1p-10, 0x1p-9}};

enum { FORWARDS, BACKWARDS, SLICES, ORDERS };

/* How a product is computed, and what is wrong with it. */
struct product {
    uint64_t n, k, seed;
    uint32_t input, output, sums;
    uint32_t summation; /* GB_SUM_NEAREST, GB_SUM_TRUNCATED */
    int range, order;
    uint64_t n_slices;   /* one after the other, each summed for itself; but of SLICES 1 */
    uint64_t at_once;    /* products in one step of a sum */
    uint32_t taken_as;   /* the format that inputs are rounded to by mistake; 0: none */
    uint64_t n_lost;     /* products at the end of a sum */
    uint64_t n_affected; /* elements with lost products */
    bool is_output_truncated;
    bool has_own_partials; /* T2 of the reference's own order, not in the mean over orders */
};

static double reference[N_MAX], magnitude[N_MAX], partials[N_MAX], output[N_MAX];

static double rounded(uint32_t format, double value, bool is_truncated)
{
    const double nearest = number_round(format, value);
    if (!is_truncated || fabs(nearest) <= fabs(value))
        return nearest;
    const double below = fabs(nearest) - number_spacing(format, nearest * 0.75);
    return copysign(number_round(format, below), value);
}

/* Of row i every second input, from the first or the second on. */
static void draw_inputs(const struct product *product, uint64_t i, uint64_t first,
                        double ret[K_MAX])
{
    const double low = ranges[product->range].low, high = ranges[product->range].high;
    for (uint64_t j = 0; j < product->k; j++)
        ret[j] = low + (high - low) * random_unit(product->seed, i, 2 * j + first);
    number_round_array(product->input, ret, product->k, ret);
}

static void multiply_inputs(const struct product *product, const double *a, const double *b,
                            double ret[K_MAX])
{
    for (uint64_t j = 0; j < product->k; j++)
        ret[j] = a[j] * b[j];
}

static void compute_reference(const struct product *product, uint64_t i, const double terms[K_MAX])
{
    const double n_slices = (double)product->n_slices, at_once = (double)product->at_once;
    const struct sum_order sums = {
        .k = (double)product->k, .n_slices = n_slices, .at_once = at_once};
    double squares = 0, own = 0;
    reference[i] = magnitude[i] = 0;
    for (uint64_t j = 0; j < product->k; j++) {
        reference[i] += terms[j];
        magnitude[i] += fabs(terms[j]);
        squares += terms[j] * terms[j];
        own += reference[i] * reference[i];
    }
    partials[i] = product->has_own_partials
                      ? own
                      : expected_partial_squares(&sums, reference[i], squares);
}

/* Of the products from `first` to `end`. */
static double sum_of(const struct product *product, const double terms[K_MAX], uint64_t first,
                     uint64_t end)
{
    const bool is_truncated = product->summation == GB_SUM_TRUNCATED;
    double sum = 0;
    for (uint64_t j = first; j < end; j += product->at_once) {
        double step = 0;
        for (uint64_t of_step = j; of_step < end && of_step < j + product->at_once; of_step++)
            step += terms[product->order == BACKWARDS ? end - 1 - of_step : of_step];
        sum = rounded(product->sums, sum + step, is_truncated);
    }
    return sum;
}

static uint64_t slice_of(const struct product *product)
{
    return (product->k + product->n_slices - 1) / product->n_slices;
}

static void compute_output(const struct product *product, uint64_t i, const double terms[K_MAX])
{
    const uint64_t n = product->k - (i < product->n_affected ? product->n_lost : 0);
    const uint64_t slice = slice_of(product);
    double sum = 0;
    for (uint64_t first = 0; first < n; first += slice)
        sum = rounded(product->sums,
                      sum + sum_of(product, terms, first, n - first < slice ? n : first + slice),
                      product->summation == GB_SUM_TRUNCATED);
    number_store(product->output, output, i,
                 rounded(product->output, sum, product->is_output_truncated));
}

static struct gb_check multiply(const struct product *product)
{
    static double a[K_MAX], b[K_MAX], terms[K_MAX];
    for (uint64_t i = 0; i < product->n; i++) {
        draw_inputs(product, i, 0, a);
        draw_inputs(product, i, 1, b);
        multiply_inputs(product, a, b, terms);
        compute_reference(product, i, terms);
        if (product->taken_as) {
            number_round_array(product->taken_as, a, product->k, a);
            number_round_array(product->taken_as, b, product->k, b);
            multiply_inputs(product, a, b, terms);
        }
        compute_output(product, i, terms);
    }
    struct gb_check check = check_of(product->output, product->n, output, reference);
    check.magnitude = magnitude;
    check.partial_squares = partials;
    check.n_products = (slice_of(product) + product->at_once - 1) / product->at_once +
                       product->n_slices - 1;
    check.n_products *= product->at_once;
    check.n_terms = product->k;
    check.products_at_once = (uint32_t)product->at_once;
    check.accumulate = product->sums;
    check.summation = product->summation;
    return check;
}

/* Judged as gb_host.check does where no tolerance was set. */
static bool passes(const struct product *product, double ret[2])
{
    const struct gb_check check = multiply(product);
    const struct verify_result result = compare(&check);
    ret[0] = result.metrics[VERIFY_BOUND].value;
    ret[1] = result.metrics[VERIFY_NOISE].value;
    return verify_passes(&result, &check, VERIFY_BOUND, 1) &&
           verify_passes(&result, &check, VERIFY_NOISE, verify_noise_tolerance(product->n));
}

static struct product random_product(uint64_t seed)
{
    static const struct {
        uint32_t input, output, sums;
    } types[] = {{GB_F32, GB_F32, GB_F32}, {GB_F16, GB_F16, GB_F32}, {GB_BF16, GB_BF16, GB_F32},
                 {GB_F16, GB_F32, GB_F32}, {GB_F16, GB_F16, GB_F16}, {GB_F8_E4M3, GB_F32, GB_F32},
                 {GB_F16, GB_F32, GB_F16}};
    static const uint64_t steps[] = {1, 1, 4, 16};
    const uint64_t dice = random_bits(seed, 1, 0), type = (dice >> 32) % COUNT(types);
    const uint64_t k = 1 + (dice >> 8) % (dice >> 40 & 1 ? 16 : 160);
    const int order = (int)((dice >> 52) % ORDERS);
    /* So many that none is empty. */
    const uint64_t slice = order == SLICES ? 1 + (dice >> 24) % k : k;
    return (struct product){
        .n = 1 + dice % (dice >> 61 ? 24 : 960),
        .k = k,
        .seed = seed,
        .input = types[type].input,
        .output = types[type].output,
        .sums = types[type].sums,
        .summation = (dice >> 44 & 3) == 0 ? GB_SUM_TRUNCATED : GB_SUM_NEAREST,
        .range = (int)(dice >> 48 & 3),
        .order = order,
        .n_slices = (k + slice - 1) / slice,
        .at_once = steps[dice >> 62],
        .has_own_partials = order == FORWARDS && (dice >> 60 & 1),
    };
}

/* 2,500 in each of eight parts; 250 by make check. */
TEST_TIMES(no_right_result_is_refused, 8)
{
    const uint64_t first = 2500 * (uint64_t)_i;
    for (uint64_t seed = first; seed < first + (test_is_long() ? 2500 : 250); seed++) {
        const struct product product = random_product(seed);
        double values[2];
        ck_assert_msg(passes(&product, values), "seed %d: bound %g, noise %g of %g", (int)seed,
                      values[0], values[1], verify_noise_tolerance(product.n));
    }
}

/* As long sums as kernels have. */
#define SUMS(from, to, ...)                                                                        \
    {                                                                                              \
        .input = from, .output = to, __VA_ARGS__                                                   \
    }
static const struct {
    const char *name;
    struct product product;
    double least, most; /* of the noise; least 0: right */
} table[] = {
    {"fp32", SUMS(GB_F32, GB_F32), 0, 0.95},
    {"fp32, own T2", SUMS(GB_F32, GB_F32, .has_own_partials = true), 0, 0.95},
    {"fp32, slices", SUMS(GB_F32, GB_F32, .order = SLICES, .n_slices = 4), 0, 0.95},
    {"fp64, slices of one sign",
     SUMS(GB_F64, GB_F64, .sums = GB_F64, .range = 2, .order = SLICES, .n_slices = 8), 0, 1},
    {"fp32, steps", SUMS(GB_F32, GB_F32, .at_once = 16), 0, 0.95},
    {"fp32 of one sign", SUMS(GB_F32, GB_F32, .range = 2), 0, 0.95},
    {"fp16", SUMS(GB_F16, GB_F16), 0, 0.95},
    {"bf16 of one sign", SUMS(GB_BF16, GB_BF16, .range = 2), 0, 0.95},
    {"truncated sums", SUMS(GB_F16, GB_F32, .summation = GB_SUM_TRUNCATED), 0, 1.1},
    {"TF32 inputs", SUMS(GB_F32, GB_F32, .taken_as = GB_TF32), 100, 2000},
    {"bf16 inputs", SUMS(GB_F32, GB_F32, .taken_as = GB_BF16), 800, 20000},
    {"lost last", SUMS(GB_F32, GB_F32, .n_lost = 1, .n_affected = N_MAX), 1000, 1e6},
    {"lost last of one element", SUMS(GB_F32, GB_F32, .n_lost = 1, .n_affected = 1), 2, 1e6},
    {"lost last, fp16", SUMS(GB_F16, GB_F16, .n_lost = 1, .n_affected = N_MAX), 2, 1e6},
    {"truncated outputs, fp16", SUMS(GB_F16, GB_F16, .is_output_truncated = true), 1.2, 2},
    {"truncated outputs, bf16", SUMS(GB_BF16, GB_BF16, .is_output_truncated = true), 1.2, 2},
    {"truncated of one sign", SUMS(GB_F16, GB_BF16, .range = 2, .is_output_truncated = true), 1.2,
     2},
};

static void judge_row(int row, uint64_t n, uint64_t k)
{
    double values[2];
    struct product product = table[row].product;
    product.n = n;
    product.k = k;
    product.sums = product.sums == 0 ? GB_F32 : product.sums;
    product.seed = 17;
    product.n_slices = product.n_slices == 0 ? 1 : product.n_slices;
    product.at_once = product.at_once == 0 ? 1 : product.at_once;
    const bool is_right = passes(&product, values);
    ck_assert_msg(is_right == (table[row].least == 0), "%s, K %d: bound %g, noise %g",
                  table[row].name, (int)k, values[0], values[1]);
    ck_assert_msg(values[1] >= table[row].least && values[1] <= table[row].most,
                  "%s, K %d: noise %g, expected %g to %g", table[row].name, (int)k, values[1],
                  table[row].least, table[row].most);
}

TEST_EACH(confusion_table, table)
{
    const uint64_t few = 64; /* not enough to find twice the rounding errors of outputs by them */
    judge_row(_i, few, 256);
    if (!table[_i].product.is_output_truncated)
        judge_row(_i, few, K_MAX);
    else
        judge_row(_i, N_MAX, test_is_long() ? K_MAX : K_MAX / 16);
}

TEST(tolerance_by_the_number_of_elements)
{
    ck_assert_double_eq_tol(verify_noise_tolerance(1), sqrt(1 + 2 * sqrt(20.723266) + 41.446532),
                            1e-6);
    ck_assert_double_lt(verify_noise_tolerance(65536), 1.02);
    ck_assert_double_gt(verify_noise_tolerance(65536), 1.01);
}

TEST(senseless_squares_do_not_pass)
{
    static const double strange[8] = {[3] = NAN};
    const struct product product = {.n = 8,
                                    .k = 10,
                                    .input = GB_F32,
                                    .output = GB_F32,
                                    .sums = GB_F32,
                                    .n_slices = 1,
                                    .at_once = 1};
    struct gb_check check = multiply(&product);
    check.partial_squares = strange;
    const struct verify_result result = compare(&check);
    ck_assert(!verify_passes(&result, &check, VERIFY_NOISE, INFINITY));
}
