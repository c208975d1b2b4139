/*
 * test_verify.c - core/verify/verify.c: each metric by hand, each way of being fooled, the classes
 * of the histogram.
 */
#include "core/base/memory.h"
#include "core/base/number_format.h"
#include "core/base/text.h"
#include "tests/verify/verify_fixture.h"

#include <math.h>

TEST(metric_names)
{
    static const char *const names[] = {
        "abs",      "rel",  "rel_floor", "ulp",      "rms",         "bound",       "noise",
        "allclose", "norm", "mean_abs",  "mean_rel", "beyond_1ulp", "beyond_2ulp", "beyond_4ulp"};
    for (int metric = 0; metric < VERIFY_METRICS; metric++) {
        ck_assert_str_eq(verify_metric_name(metric), names[metric]);
        ck_assert_int_eq(verify_metric_named(names[metric]), metric);
    }
    ck_assert_int_eq(verify_metric_named("max"), -1);
}

/* r 2, 0.0005, -8; c 2.5, 0.001, -7.75: differences 0.5, 0.0005, 0.25. */
TEST(metrics_by_hand)
{
    const double reference[] = {2, 0.0005, -8}, output[] = {2.5, 0.001, -7.75};
    const double magnitude[] = {2, 0.0005, 8};
    struct gb_check check = check_of(GB_F64, 3, output, reference);
    check.magnitude = magnitude;
    check.n_products = 4;
    check.accumulate = GB_F32;
    struct verify_result result = compare(&check);
    const struct verify_metric *metrics = result.metrics,
                               expected[] = {[VERIFY_ABS] = {0.5, 0, 2, 2.5},
                                             [VERIFY_REL] = {1, 1, 0.0005, 0.001},
                                             [VERIFY_REL_FLOOR] = {0.25, 0, 2, 2.5},
                                             [VERIFY_ULP] = {0.0005 / 0x1p-63, 1, 0.0005, 0.001}};
    ck_assert_mem_eq(metrics, expected, sizeof expected);
    double rms = sqrt(0.25 + 0.0005 * 0.0005 + 0.0625) / (sqrt(3) * 8);
    ck_assert_double_eq_tol(metrics[VERIFY_RMS].value, rms, 1e-15);
    ck_assert(isnan(metrics[VERIFY_RMS].output));
    double bound = verify_bound(&check, 0.0005, 0.0005);
    ck_assert_double_eq(metrics[VERIFY_BOUND].value, 0.0005 / bound);
    ck_assert_uint_eq(metrics[VERIFY_BOUND].index, 1);
    ck_assert_uint_eq(result.n, 3);
    ck_assert_uint_eq(result.n_exact, 0);
    ck_assert_uint_eq(result.n_nan, 0);
    ck_assert_uint_eq(result.first_bad, UINT64_MAX);
    ck_assert(!result.vacuous);
}

/* ---- small comparisons ---- */

/* What a comparison comes to: at this metric and tolerance it passes, or fails, or at any. */
enum { PASSES, FAILS, FAILS_ALWAYS };

static const struct {
    uint32_t format, flags;
    uint64_t n_products; /* sums of that many, whose magnitudes are the references; 0: none */
    const char *reference, *output; /* "1 2*3": 1 2 2 2 */
    int metric;
    double tolerance;
    int verdict;
    const char *words, *found; /* as description and print_found write it; NULL: any */
} comparisons[] = {
    /* rounded to the output's format first, where both are 1 */
    {GB_F16, 0, 0, "0x1.001p0 0x1.fffp-1", "1*2", VERIFY_ABS, 0, PASSES, "2 values equal",
     "2 0 0 0 0 -1: abs 0@0 rel 0@0 rel_floor 0@0 ulp 0@0 rms 0@0"},
    {GB_F16, 0, 0, "0x1.001p0", "2", VERIFY_ABS, 1, PASSES, "abs 1 <= 1 at [0]: expected 1, got 2",
     NULL},
    {GB_F64, GB_CHECK_EXACT, 0, "0 -0", "-0 0", VERIFY_ABS, 0, PASSES, "2 values equal",
     "2 0 0 0 0 -1: abs 0@0 rel 0@0 rel_floor 0@0 ulp 0@0 rms 0@0"},
    {GB_F32, 0, 0, "1e-30 2e-30 -1e-30", "0*3", VERIFY_RMS, 0.01, FAILS, NULL,
     "0 0 0 0 0 -1: abs 2e-30@1 rel 1@0 ulp 1.06338e+07@0 rms 0.707107@0"},
    {GB_F32, 0, 0, "1e-30 2e-30 -1e-30", "0*3", VERIFY_ULP, 1, FAILS, NULL, NULL},
    /* no number, whatever the metric */
    {GB_F64, 0, 0, "7*1500", "7*700 nan*2 7*498 nan 7*299", VERIFY_ABS, 1, FAILS_ALWAYS,
     "not finite at [700]: expected 7, got nan (3 of 1500 values)",
     "1497 0 3 0 0 700: abs 0@0 rel 0@0 rel_floor 0@0 ulp 0@0 rms 0@0"},
    {GB_F64, GB_CHECK_EXACT | GB_CHECK_ALLOW_OVERFLOW, 0, "7*1500", "7*700 nan*2 7*498 nan 7*299",
     VERIFY_ABS, 1, FAILS_ALWAYS, NULL, NULL},
    {GB_F32, 0, 0, "1 2", "nan*2", VERIFY_ABS, 1, FAILS_ALWAYS, NULL, "0 0 2 0 0 0:"},
    {GB_F32, 0, 0, "nan 1", "nan 1.5", VERIFY_ABS, 0.5, PASSES, NULL,
     "1 0 0 0 0 -1: abs 0.5@1 rel 0.5@1 rel_floor 0.5@1 ulp 4.1943e+06@1 rms 0.333333@0"},
    {GB_F32, 0, 0, "nan 1", "3 1", VERIFY_ABS, 1, FAILS_ALWAYS,
     "not finite at [0]: expected nan, got 3 (1 of 2 values)",
     "1 0 0 1 0 0: abs 0@1 rel 0@1 rel_floor 0@1 ulp 0@1 rms 0@0"},
    {GB_I8, 0, 0, "nan 1", "0 1", VERIFY_ABS, 1, FAILS_ALWAYS, NULL, NULL},
    /* infinity equals itself only; in a norm it would make that 0 */
    {GB_F64, 0, 0, "1*3 inf -inf 1*995", "1*3 inf -inf 1.5 1*994", VERIFY_ABS, 0.5, PASSES, NULL,
     "999 2 0 0 0 -1: abs 0.5@5 rel 0.5@5 rel_floor 0.5@5 ulp 2.2518e+15@5 rms 0.0105515@0"},
    {GB_F64, 0, 0, "1*3 inf -inf 1*995", "1*3 inf inf 1.5 1*994", VERIFY_RMS, 1, FAILS_ALWAYS,
     "not finite at [4]: expected -inf, got inf (1 of 1000 values)",
     "998 2 0 1 0 4: abs 0.5@5 rel 0.5@5 rel_floor 0.5@5 ulp 2.2518e+15@5 rms 0.0105515@0"},
    {GB_F64, 0, 0, "1*3 inf -inf 1*995", "1*3 inf 7 1.5 1*994", VERIFY_ABS, 1, FAILS_ALWAYS, NULL,
     "998 1 0 1 0 4: abs 0.5@5 rel 0.5@5 rel_floor 0.5@5 ulp 2.2518e+15@5 rms 0.0105515@0"},
    {GB_F64, 0, 0, "1*3 inf 7 1*995", "1*3 inf -inf 1.5 1*994", VERIFY_ABS, 1, FAILS_ALWAYS, NULL,
     "998 2 0 1 0 4: abs 0.5@5 rel 0.5@5 rel_floor 0.5@5 ulp 2.2518e+15@5 rms 0.0105515@0"},
    /* the tie between the largest number and infinity */
    {GB_F16, 0, 0, "65520 1*199", "inf 1*199", VERIFY_ABS, 0, PASSES, NULL, NULL},
    {GB_F16, 0, 0, "65520 1*199", "65504 1*199", VERIFY_ABS, 1, FAILS_ALWAYS,
     "not finite at [0]: expected inf, got 65504 (1 of 200 values)", NULL},
    /* references of 0 count against all but what is relative to them; K 2^-24 of the smallest
     * normal number is allowed */
    {GB_F32, 0, 8, "0 4 0", "0.5 4.5 0.25", VERIFY_REL, 0.5, PASSES,
     "rel 0.125 <= 0.5 at [1]: expected 4, got 4.5; 2 values are not the 0 expected",
     "0 0 0 0 2 -1: abs 0.5@0 rel 0.125@1 rel_floor 0.125@1 ulp 3.56812e+44@0 rms 0.096225@0 bound "
     "7.92915e+43@0"},
    {GB_F32, 0, 8, "0 4 0", "0.5 4.5 0.25", VERIFY_ABS, 0.5, PASSES,
     "abs 0.5 <= 0.5 at [0]: expected 0, got 0.5", NULL},
    {GB_F32, 0, 0, "0 0", "5 0", VERIFY_REL, INFINITY, FAILS,
     "rel cannot be judged: every reference is 0",
     "1 0 0 0 1 -1: abs 5@0 ulp 3.56812e+45@0 rms 0.707107@0"},
    {GB_F32, 0, 0, "1e-4 0", "5 0", VERIFY_REL, 1e6, PASSES, NULL, NULL},
    {GB_F32, 0, 0, "1e-4 0", "5 0", VERIFY_REL_FLOOR, INFINITY, FAILS,
     "rel_floor cannot be judged: no reference is above the floor", NULL},
    /* more than a hundredth overflowed */
    {GB_F16, 0, 0, "1e9*3 1*297", "inf*3 1*297", VERIFY_ABS, 0, PASSES, NULL,
     "300 3 0 0 0 -1: abs 0@3 rel 0@3 rel_floor 0@3 ulp 0@3 rms 0@0"},
    {GB_F16, 0, 0, "1e9*4 1*296", "inf*4 1*296", VERIFY_ABS, 0, FAILS_ALWAYS,
     "vacuous: 4 of 300 values overflowed",
     "300 4 0 0 0 -1 vacuous: abs 0@4 rel 0@4 rel_floor 0@4 ulp 0@4 rms 0@0"},
    {GB_F16, GB_CHECK_EXACT, 0, "1e9*4 1*296", "inf*4 1*296", VERIFY_ABS, 0, FAILS_ALWAYS, NULL,
     NULL},
    {GB_F16, GB_CHECK_ALLOW_OVERFLOW, 0, "1e9*4 1*296", "inf*4 1*296", VERIFY_ABS, 0, PASSES,
     "300 values equal", NULL},
    {GB_F8_E4M3, 0, 0, "1000 1", "nan 1", VERIFY_ABS, 0, FAILS_ALWAYS, NULL,
     "2 1 0 0 0 -1 vacuous: abs 0@1 rel 0@1 rel_floor 0@1 ulp 0@1 rms 0@0"}, /* its infinity */
    {GB_F32, GB_CHECK_ALLOW_OVERFLOW, 0, "", "", VERIFY_ABS, 1, FAILS_ALWAYS,
     "vacuous: nothing was compared", NULL},
    {GB_F32, GB_CHECK_ALLOW_OVERFLOW | GB_CHECK_EXACT, 0, "", "", VERIFY_ABS, 1, FAILS_ALWAYS, NULL,
     NULL},
    /* of the worst the first */
    {GB_F64, 0, 0, "1*2000", "1*513 1.25 1*515 1.25*2 1*968 1.25", VERIFY_ABS, 1, PASSES, NULL,
     "1996 0 0 0 0 -1: abs 0.25@513 rel 0.25@513 rel_floor 0.25@513 ulp 1.1259e+15@513 rms "
     "0.00894427@0"},
    {GB_F32, GB_CHECK_EXACT, 0, "1 2 3 4", "1 2.5 3 5", VERIFY_ABS, 100, FAILS_ALWAYS,
     "2 of 4 values differ, most at [3]: expected 4, got 5", NULL},
    {GB_F32, 0, 0, "1 2", "1 2", VERIFY_BOUND, INFINITY, FAILS,
     "bound cannot be judged: the benchmark gives no magnitudes", NULL},
    {GB_F16, 0, 4096, "1 2", "1 3", VERIFY_BOUND, INFINITY, FAILS,
     "bound cannot be judged: 4096 products are too many for sums in fp16", NULL},
    {GB_F32, 0, 8, "1 2", "1 2", VERIFY_NOISE, INFINITY, FAILS,
     "noise cannot be judged: the benchmark gives no squares of partial sums", NULL},
    {GB_F64, 0, 0, "1.7e308", "-1.7e308", VERIFY_RMS, 1e300, FAILS, "rms inf > 1e+300",
     "0 0 0 0 0 -1: abs inf@0 rel inf@0 rel_floor inf@0 ulp inf@0 rms inf@0"},
    {GB_F64, 0, 0, "1", "0x1.0000000000001p0", VERIFY_ULP, 0.5, FAILS,
     "ulp 1 > 0.5 at [0]: expected 1, got 1.0000000000000002", NULL},
    {GB_F64, 0, 0, "0x1.0000000000001p0", "0x1.0000000000001p0", VERIFY_ULP, 0.5, PASSES,
     "1 value equal", NULL},
};

static uint64_t values_of(const char *words, double *values)
{
    uint64_t n = 0;
    for (char *end; *words; words = end + (*end == ' ')) {
        const double value = strtod(words, &end);
        for (long left = *end == '*' ? strtol(end + 1, &end, 10) : 1; left > 0; left--)
            values[n++] = value;
    }
    return n;
}

/* Equal, overflowed, NaN, not infinite as the reference is, not 0 as that is, the first bad one;
 * then metrics and which element is the worst. */
static void print_found(const struct verify_result *result, struct text *out)
{
    text_printf(out, "%u %u %u %u %u %d%s:", (unsigned)result->n_exact,
                (unsigned)result->n_overflowed, (unsigned)result->n_nan,
                (unsigned)result->n_infinite_mismatch, (unsigned)result->n_zero_mismatch,
                (int)result->first_bad, result->vacuous ? " vacuous" : "");
    for (int metric = 0; metric <= VERIFY_BOUND; metric++) {
        const struct verify_metric *found = &result->metrics[metric];
        if (!isnan(found->value))
            text_printf(out, " %s %.6g@%u", verify_metric_name(metric), found->value,
                        (unsigned)found->index);
    }
}

TEST_EACH(comparison, comparisons)
{
    enum { N_MAX = 2000 };
    static double reference[N_MAX], magnitude[N_MAX], values[N_MAX], output[N_MAX];
    CLEANUP(text_free) struct text found = {0};
    const int metric = comparisons[_i].metric;
    const double tolerance = comparisons[_i].tolerance;
    const uint64_t n = values_of(comparisons[_i].reference, reference);
    ck_assert_uint_eq(values_of(comparisons[_i].output, values), n);
    number_store_array(comparisons[_i].format, output, 0, n, values);
    struct gb_check check = check_of(comparisons[_i].format, n, n ? output : NULL,
                                     n ? reference : NULL);
    check.flags = comparisons[_i].flags;
    check.n_products = comparisons[_i].n_products;
    for (uint64_t i = 0; i < n; i++)
        magnitude[i] = fabs(reference[i]);
    if (check.n_products)
        check.magnitude = magnitude;
    const struct verify_result result = compare(&check);
    ck_assert_int_eq(verify_passes(&result, &check, metric, tolerance),
                     comparisons[_i].verdict == PASSES);
    if (comparisons[_i].verdict == FAILS_ALWAYS)
        assert_fails_everything(&result, &check);
    if (comparisons[_i].words)
        ck_assert_str_eq(description(&result, &check, metric, tolerance), comparisons[_i].words);
    print_found(&result, &found);
    if (comparisons[_i].found)
        ck_assert_str_eq(text_get(&found), comparisons[_i].found);
}

TEST(all_zeros_pass_against_all_zeros)
{
    const double reference[600] = {0};
    const float output[600] = {0};
    struct gb_check check = check_of(GB_F32, 600, output, reference);
    check.magnitude = reference;
    check.partial_squares = reference;
    check.n_products = 10;
    struct verify_result result = compare(&check);
    for (int metric = 0; metric < VERIFY_DETAILS; metric++) {
        ck_assert_msg(verify_passes(&result, &check, metric, 0), "%s", verify_metric_name(metric));
        ck_assert_double_eq(result.metrics[metric].value, 0);
    }
    ck_assert_str_eq(description(&result, &check, VERIFY_RMS, 0), "600 values equal");
}

TEST(floor_is_an_argument)
{
    const double reference[] = {1, 10, 100}, output[] = {3, 15, 101};
    struct gb_check check = check_of(GB_F64, 3, output, reference);
    static const struct {
        double floor, value;
    } floors[] = {{0, 2}, {1, 0.5}, {10, 0.01}};
    for (size_t i = 0; i < 3; i++) {
        struct verify_result result;
        verify_compare(&check, floors[i].floor, &result, NULL);
        ck_assert_double_eq(result.metrics[VERIFY_REL_FLOOR].value, floors[i].value);
    }
}

TEST(integers_of_64_bits_are_compared_whole)
{
    const double reference[] = {0x1p53, 0x1p62, -0x1p63, 5};
    const int64_t output[] = {((int64_t)1 << 53) + 1, ((int64_t)1 << 62) - 3, INT64_MIN, 5};
    struct gb_check check = check_of(GB_I64, 4, output, reference);
    struct verify_result result = compare(&check);
    ck_assert_uint_eq(result.n_exact, 2);
    ck_assert_double_eq(result.metrics[VERIFY_ABS].value, 3);
    ck_assert_uint_eq(result.metrics[VERIFY_ABS].index, 1);
    const uint64_t ends[] = {UINT64_MAX, 0};
    const double far[] = {0, 0x1p64};
    check = check_of(GB_U64, 2, ends, far);
    result = compare(&check);
    ck_assert_double_eq(result.metrics[VERIFY_ABS].value, 0x1p64);
}

/* ---- classes ---- */

/* Relative differences at, just below and between the edges; r is 1 so that they are exact. */
static const struct {
    double difference;
    int class;
} classes[] = {
    {0, VERIFY_CLASS_EQUAL},
    {0x1p-60, VERIFY_CLASS_BELOW},
    {0.99e-6, VERIFY_CLASS_BELOW},
    {1.01e-6, VERIFY_CLASS_1E_6},
    {0.99e-5, VERIFY_CLASS_1E_6},
    {1.01e-5, VERIFY_CLASS_1E_6 + 1},
    {1.01e-4, VERIFY_CLASS_1E_6 + 2},
    {1.01e-3, VERIFY_CLASS_1E_6 + 3},
    {1.01e-2, VERIFY_CLASS_1E_6 + 4},
    {0.25, VERIFY_CLASS_1E_6 + 5},
    {1 - 0x1p-20, VERIFY_CLASS_1E_6 + 5},
    {1, VERIFY_CLASS_ONE},
    {1e9, VERIFY_CLASS_ONE},
};

TEST_EACH(class_of_one_element, classes)
{
    const double reference[] = {0x1p-8}, output[] = {0x1p-8 * (1 - classes[_i].difference)};
    struct gb_check check = check_of(GB_F64, 1, output, reference);
    for (EACH_PATH(path)) {
        struct verify_result result = compare(&check);
        /* 1 - 2^-60 is 1 */
        int expected = output[0] == reference[0] ? VERIFY_CLASS_EQUAL : classes[_i].class;
        for (int class = 0; class < VERIFY_CLASSES; class ++)
            ck_assert_uint_eq(result.histogram[class], class == expected);
    }
}

/* Two of each kind, in arrays that are judged by a pass and one by one. */
TEST(classes_of_what_is_not_finite_or_zero)
{
    enum { N = 5000 };
    static double reference[N], output[N];
    for (int with_nan = 0; with_nan < 2; with_nan++) {
        for (int i = 0; i < N; i++)
            reference[i] = output[i] = 2;
        reference[7] = output[7] = reference[8] = output[8] = 0;
        reference[9] = reference[4000] = 0;
        output[10] = output[4001] = 0; /* relative difference 1 */
        output[11] = output[4002] = 2.5;
        if (with_nan) {
            output[12] = NAN;
            output[4003] = reference[4004] = INFINITY;
            reference[4005] = output[4005] = -INFINITY;
        }
        struct gb_check check = check_of(GB_F64, N, output, reference);
        struct verify_result result = compare(&check);
        ck_assert_uint_eq(result.histogram[VERIFY_CLASS_ZERO], 2);
        ck_assert_uint_eq(result.histogram[VERIFY_CLASS_ONE], 2);
        ck_assert_uint_eq(result.histogram[VERIFY_CLASS_1E_6 + 5], 2);
        ck_assert_uint_eq(result.histogram[VERIFY_CLASS_NOT_FINITE], with_nan ? 3 : 0);
        ck_assert_uint_eq(result.histogram[VERIFY_CLASS_EQUAL], N - 6 - (with_nan ? 3 : 0));
        ck_assert_uint_eq(result.n_zero_mismatch, 2);
        ck_assert_uint_eq(result.above_floor[VERIFY_CLASS_ZERO], 0);
        ck_assert_uint_eq(result.above_floor[VERIFY_CLASS_NOT_FINITE], with_nan ? 3 : 0);
        ck_assert_uint_eq(result.above_floor[VERIFY_CLASS_EQUAL], N - 8 - (with_nan ? 3 : 0));
    }
}

/* A reference on the floor is not above it; one that rounds to it neither. */
TEST(the_histogram_above_a_floor)
{
    const double reference[] = {0.25, 0.2500001, 0.2502441, -0.5, 0.125, 0, 1, 1};
    const double output[] = {0.25, 0.25, 0.25, -0.5, 0.25, 1, 1, 1.5};
    uint16_t halves[COUNT(output)];
    for (uint64_t i = 0; i < COUNT(output); i++)
        number_store(GB_F16, halves, i, output[i]);
    struct gb_check check = check_of(GB_F16, COUNT(output), halves, reference);
    for (EACH_PATH(path)) {
        struct verify_result result;
        ck_assert_int_eq(verify_compare(&check, 0.25, &result, NULL), GB_OK);
        ck_assert_double_eq(result.floor, 0.25);
        ck_assert_uint_eq(result.histogram[VERIFY_CLASS_EQUAL], 4);
        ck_assert_uint_eq(result.above_floor[VERIFY_CLASS_EQUAL], 2);
        ck_assert_uint_eq(result.above_floor[VERIFY_CLASS_1E_6 + 2], 1); /* 2^-12 of 0.25 */
        ck_assert_uint_eq(result.above_floor[VERIFY_CLASS_1E_6 + 5], 1);
        ck_assert_uint_eq(result.histogram[VERIFY_CLASS_ONE], 1);
        ck_assert_uint_eq(result.above_floor[VERIFY_CLASS_ONE], 0);
        ck_assert_uint_eq(result.above_floor[VERIFY_CLASS_ZERO], 0);
    }
}

/* Integers that doubles do not tell from their neighbours. */
TEST_TIMES(an_exact_reference_knows_all_integers, 4)
{
    static const struct {
        uint32_t format;
        uint64_t reference, near;
        const char *words;
    } cases[] = {
        {GB_I64, (UINT64_C(1) << 53) + 1, UINT64_C(1) << 53,
         "1 of 2 values differ, most at [1]: expected 9007199254740993, got 9007199254740992"},
        {GB_I64, (uint64_t)INT64_MIN, (uint64_t)INT64_MIN + 1,
         "1 of 2 values differ, most at [1]: expected -9223372036854775808, got "
         "-9223372036854775807"},
        {GB_U64, UINT64_MAX, UINT64_MAX - 1,
         "1 of 2 values differ, most at [1]: expected 18446744073709551615, got "
         "18446744073709551614"},
        {GB_I64, UINT64_MAX, 1, "1 of 2 values differ, most at [1]: expected -1, got 1"},
    };
    const uint64_t reference[2] = {7, cases[_i].reference};
    uint64_t output[2] = {7, cases[_i].reference};
    struct gb_check check = check_of(cases[_i].format, 2, output, NULL);
    char words[200];
    check.flags = GB_CHECK_EXACT;
    check.reference_exact = reference;
    struct verify_result result = compare(&check);
    ck_assert(verify_passes(&result, &check, VERIFY_ABS, 0));
    ck_assert_uint_eq(result.n_exact, 2);
    output[1] = cases[_i].near;
    result = compare(&check);
    ck_assert(!verify_passes(&result, &check, VERIFY_ABS, 0));
    verify_describe(&result, &check, VERIFY_ABS, 0, words, sizeof words);
    ck_assert_str_eq(words, cases[_i].words);
}
