/*
 * test_verify_bound.c - core/verify/verify_bound.c: the tolerance under each assumption, and the
 * metric that is made of it.
 */
#include "core/base/memory.h"
#include "core/base/random.h"
#include "core/base/text.h"
#include "tests/verify/verify_fixture.h"

#define U16 0x1p-11
#define U32 0x1p-24
#define GAMMA(n, u) ((n) * (u) / (1 - (n) * (u)))

/* The reference lies a hair above a tie, the sum in fp32 fell a hair below it: one spacing from the
 * rounded reference, yet right. */
TEST(bound_takes_the_reference_unrounded)
{
    const double reference[] = {1 + 0x1p-11 + 0x1p-26}, magnitude[] = {1.0005};
    const uint16_t output[] = {0x3c00};
    struct gb_check check = check_of(GB_F16, 1, output, reference);
    check.magnitude = magnitude;
    check.n_products = 1;
    check.accumulate = GB_F32;
    struct verify_result result = compare(&check);
    ck_assert_double_eq(result.metrics[VERIFY_ULP].value, 1);
    ck_assert(verify_passes(&result, &check, VERIFY_BOUND, 1));
    ck_assert_double_eq(result.metrics[VERIFY_BOUND].reference, reference[0]);
}

/* Of K = 100 products with S = 3, e = -2; in the end the output is rounded. */
#define AS(output, sums, ...)                                                                      \
    {                                                                                              \
        .format = output, .accumulate = sums, __VA_ARGS__                                          \
    }
#define CORES(b, f)                                                                                \
    AS(GB_F16, GB_F32, .summation = GB_SUM_ALIGNED, .products_at_once = b, .extra_bits = f)
#define F16_ROUNDED (U16 * 2 + 0x1p-25)
static const struct {
    struct gb_check check;
    double expected;
} bounds[] = {
    {AS(GB_F16, GB_F32), GAMMA(100, U32) * 3 + F16_ROUNDED},
    {AS(GB_F32, 0), GAMMA(100, U32) * 3 + U32 * 2 + 0x1p-150},
    {AS(GB_BF16, GB_F32), GAMMA(100, U32) * 3 + 0x1p-8 * 2 + 0x1p-134},
    {AS(GB_TF32, GB_F32), GAMMA(100, U32) * 3 + U16 * 2 + 0x1p-137},
    {AS(GB_F8_E4M3, GB_F32), GAMMA(100, U32) * 3 + 0x1p-4 * 2 + 0x1p-10},
    {AS(GB_F8_E5M2, GB_F32), GAMMA(100, U32) * 3 + 0x1p-3 * 2 + 0x1p-17},
    {AS(GB_I32, GB_I32), 0.5},
    {AS(GB_F32, 0, .safety = 4), 4 * (GAMMA(100, U32) * 3 + U32 * 2) + 0x1p-150},
    /* fp16, b products at once: K / b steps, rounded up; of sums below 2^-14 as much is lost */
    {AS(GB_F16, 0, .products_at_once = 16), GAMMA(7, U16) * (3 + 0x1p-14) + F16_ROUNDED},
    /* of 512 products in all each may lose as much, where that is more than what the sums lose */
    {AS(GB_F16, 0, .n_terms = 512, .safety = 2),
     2 * (GAMMA(100, U16) * 3 + 512 * U16 * 0x1p-14 + U16 * 2) + 0x1p-25},
    /* the sum of 4 products truncated to fp32 */
    {AS(GB_F16, GB_F32, .summation = GB_SUM_TRUNCATED, .products_at_once = 4),
     GAMMA(25, 2 * U32) * 3 + F16_ROUNDED},
    /* tensor cores: V100, A100, H100 */
    {CORES(4, 0), GAMMA(25, 2 * 6 * U32) * 3 + F16_ROUNDED},
    {CORES(8, 1), GAMMA(13, 2 * 5.5 * U32) * 3 + F16_ROUNDED},
    {CORES(16, 2), GAMMA(7, 2 * 5.25 * U32) * 3 + F16_ROUNDED},
};

TEST_EACH(bound_of_an_element, bounds)
{
    struct gb_check check = bounds[_i].check;
    check.size = sizeof check;
    check.n_products = 100;
    double bound = verify_bound(&check, 3, -2);
    ck_assert_double_eq_tol(bound, bounds[_i].expected, 1e-15 * bounds[_i].expected);
}

TEST(probabilistic_bound)
{
    struct gb_check check = {sizeof check, .format = GB_F32, .n = 960 * 2304, .n_products = 4096,
                             .bound = GB_BOUND_PROBABILISTIC};
    double lambda = sqrt(2 * log(2.0 * 960 * 2304 / 1e-9));
    double bound = verify_bound(&check, 1, 0);
    ck_assert_double_eq_tol(bound, lambda * 64 * U32 * (1 + 2048 * U32), 1e-11);
    check.bound = GB_BOUND_DETERMINISTIC;
    ck_assert_double_gt(verify_bound(&check, 1, 0), 6 * bound);
    /* says something of fp16 sums that are too long for the other */
    check.accumulate = GB_F16;
    ck_assert(isinf(verify_bound(&check, 1, 0)));
    check.n_products = 2048;
    check.bound = GB_BOUND_PROBABILISTIC;
    ck_assert(isfinite(verify_bound(&check, 1, 0)));
}

/* Sums in fp32 of K = 16384 products in -1..1 (or 0..1), to nearest, one with a product missing. */
static struct gb_check long_sums(double low, bool is_dropped)
{
    enum { N = 32, K = 16384 };
    static double reference[N], magnitude[N];
    static float output[N];
    for (uint64_t i = 0; i < N; i++) {
        const uint64_t lost = is_dropped && i == 3 ? 5000 : K;
        reference[i] = magnitude[i] = output[i] = 0;
        for (uint64_t k = 0; k < K; k++) {
            const double a = (float)(low + (1 - low) * random_unit(5, i, 2 * k));
            const double b = (float)(low + (1 - low) * random_unit(5, i, 2 * k + 1));
            const double product = k == lost ? (a < 0 ? -1 : 1) : a * b;
            reference[i] += product;
            magnitude[i] += fabs(product);
            if (k != lost)
                output[i] += (float)product;
        }
    }
    struct gb_check check = check_of(GB_F32, N, output, reference);
    check.magnitude = magnitude;
    check.n_products = K;
    return check;
}

static double bound_metric(struct gb_check *check, uint32_t bound)
{
    check->bound = bound;
    return compare(check).metrics[VERIFY_BOUND].value;
}

TEST(auto_finds_a_dropped_product)
{
    struct gb_check check = long_sums(-1, true);
    ck_assert_double_gt(bound_metric(&check, GB_BOUND_AUTO), 1);
    ck_assert_double_lt(bound_metric(&check, GB_BOUND_DETERMINISTIC), 0.5);
    check = long_sums(-1, false);
    ck_assert_double_lt(bound_metric(&check, GB_BOUND_AUTO), 0.5);
}

/* Sums for which auto is the deterministic bound, and those for which it is not. */
static const struct {
    double low;
    uint32_t accumulate, summation;
    uint64_t n_products;
    uint32_t bound;
    const char *refused; /* the other one */
} autos[] = {
    {-1, 0, GB_SUM_NEAREST, 0, GB_BOUND_PROBABILISTIC, NULL},
    {-1, 0, GB_SUM_TRUNCATED, 0, GB_BOUND_DETERMINISTIC, "sums that are truncated"},
    {-1, 0, GB_SUM_ALIGNED, 0, GB_BOUND_DETERMINISTIC, "sums that are truncated"},
    /* few products: the worst is less than what is likely */
    {-1, 0, GB_SUM_NEAREST, 8, GB_BOUND_DETERMINISTIC, NULL},
    {0, 0, GB_SUM_NEAREST, 0, GB_BOUND_DETERMINISTIC, "products of one sign"},
    /* sums in fp16, in which most of a product is lost */
    {-0.5, GB_F16, GB_SUM_NEAREST, 2000, GB_BOUND_DETERMINISTIC, NULL},
};

TEST_EACH(auto_is_probabilistic_where_that_holds, autos)
{
    CLEANUP(text_free) struct text expected = {0};
    struct verify_result result;
    struct gb_error error = {0};
    struct gb_check check = long_sums(autos[_i].low, false);
    check.accumulate = autos[_i].accumulate;
    check.summation = autos[_i].summation;
    if (autos[_i].n_products)
        check.n_products = autos[_i].n_products;
    const double found = bound_metric(&check, GB_BOUND_AUTO);
    ck_assert_double_eq(bound_metric(&check, autos[_i].bound), found);
    if (!autos[_i].refused)
        return;
    check.bound = GB_BOUND_PROBABILISTIC;
    ck_assert_int_eq(verify_compare(&check, 1e-3, &result, &error), GB_INVALID);
    text_printf(&expected,
                "check C: check.bound_kind: the probabilistic bound does not hold for %s: expected "
                "auto or deterministic",
                autos[_i].refused);
    ck_assert_str_eq(error.text, text_get(&expected));
}

TEST(bound_of_fp64_and_of_too_many_products)
{
    struct gb_check check = {sizeof check, .format = GB_F64, .n_products = 1};
    ck_assert_double_eq(verify_bound(&check, 0, 0), 0x1p-1074); /* the smallest double */
    check.format = GB_F16;
    check.n_products = 2048;
    ck_assert(isinf(verify_bound(&check, 1, 1)));
}

/* A plugin that was built before these members were there. */
TEST(shorter_struct_has_the_plain_bound)
{
    struct gb_check check = {.format = GB_F32,
                             .n_products = 100,
                             .safety = 100,
                             .bound = GB_BOUND_PROBABILISTIC,
                             .summation = GB_SUM_TRUNCATED,
                             .products_at_once = 7,
                             .extra_bits = 3};
    check.size = offsetof(struct gb_check, safety);
    double bound = verify_bound(&check, 1, 0);
    ck_assert_double_eq_tol(bound, GAMMA(100, U32), 1e-20);
}

TEST(senseless_magnitudes_do_not_make_the_bound_generous)
{
    static const double senseless[] = {NAN, INFINITY, -INFINITY, -1e9};
    const double reference[] = {1};
    const float output[] = {1.5f};
    for (size_t i = 0; i < sizeof senseless / sizeof senseless[0]; i++) {
        struct gb_check check = check_of(GB_F32, 1, output, reference);
        check.magnitude = &senseless[i];
        check.n_products = 16;
        struct verify_result result = compare(&check);
        ck_assert_double_eq(result.metrics[VERIFY_BOUND].value, INFINITY);
        ck_assert(!verify_passes(&result, &check, VERIFY_BOUND, 1));
    }
}
