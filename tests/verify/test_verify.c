/*
 * test_verify.c - core/verify/verify.c: each metric by hand, each way of being fooled, the classes
 * of the histogram.
 */
#include "core/base/number_format.h"
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
    const struct verify_metric *metrics = result.metrics;

    ck_assert_double_eq(metrics[VERIFY_ABS].value, 0.5);
    ck_assert_uint_eq(metrics[VERIFY_ABS].index, 0);
    ck_assert_double_eq(metrics[VERIFY_REL].value, 1);
    ck_assert_uint_eq(metrics[VERIFY_REL].index, 1);
    ck_assert_double_eq(metrics[VERIFY_REL].reference, 0.0005);
    ck_assert_double_eq(metrics[VERIFY_REL].output, 0.001);
    ck_assert_double_eq(metrics[VERIFY_REL_FLOOR].value, 0.25);
    ck_assert_uint_eq(metrics[VERIFY_REL_FLOOR].index, 0);
    ck_assert_double_eq(metrics[VERIFY_ULP].value, 0.0005 / 0x1p-63);
    ck_assert_uint_eq(metrics[VERIFY_ULP].index, 1);
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

TEST(reference_is_rounded_to_the_outputs_format)
{
    const double reference[] = {1 + 0x1p-12, 1 - 0x1p-13}; /* fp16: both are 1 */
    const uint16_t output[] = {0x3c00, 0x3c00};
    struct gb_check check = check_of(GB_F16, 2, output, reference);
    struct verify_result result = compare(&check);
    ck_assert_uint_eq(result.n_exact, 2);
    ck_assert_double_eq(result.metrics[VERIFY_ABS].value, 0);
    ck_assert_double_eq(result.metrics[VERIFY_ABS].reference, 1);
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

TEST(minus_zero_equals_zero)
{
    const double reference[] = {0.0, -0.0}, output[] = {-0.0, 0.0};
    struct gb_check check = check_of(GB_F64, 2, output, reference);
    check.flags = GB_CHECK_EXACT;
    struct verify_result result = compare(&check);
    ck_assert_uint_eq(result.n_exact, 2);
    ck_assert(verify_passes(&result, &check, VERIFY_ABS, 0));
}

TEST(all_zeros_fail_against_anything_else)
{
    const double reference[] = {1e-30, 2e-30, -1e-30};
    const float output[] = {0, 0, 0};
    struct gb_check check = check_of(GB_F32, 3, output, reference);
    struct verify_result result = compare(&check);
    ck_assert_double_eq(result.metrics[VERIFY_REL].value, 1);
    ck_assert(!verify_passes(&result, &check, VERIFY_RMS, 0.01));
    ck_assert(!verify_passes(&result, &check, VERIFY_ULP, 1));
}

TEST(nan_fails_whatever_the_metric)
{
    double reference[1500], output[1500];
    for (int i = 0; i < 1500; i++)
        reference[i] = output[i] = i;
    output[1200] = output[700] = output[701] = NAN;
    struct gb_check check = check_of(GB_F64, 1500, output, reference);
    struct verify_result result = compare(&check);
    ck_assert_uint_eq(result.n_nan, 3);
    ck_assert_uint_eq(result.n_exact, 1497);
    ck_assert_uint_eq(result.first_bad, 700);
    ck_assert_double_eq(result.metrics[VERIFY_ABS].value, 0);
    assert_fails_everything(&result, &check);
    check.flags = GB_CHECK_EXACT | GB_CHECK_ALLOW_OVERFLOW;
    assert_fails_everything(&result, &check);
    ck_assert_str_eq(description(&result, &check, VERIFY_ABS, 1),
                     "not finite at [700]: expected 700, got nan (3 of 1500 values)");
}

TEST(all_nan_fails)
{
    const double reference[] = {1, 2};
    const float output[] = {NAN, NAN};
    struct gb_check check = check_of(GB_F32, 2, output, reference);
    struct verify_result result = compare(&check);
    for (int metric = 0; metric < VERIFY_METRICS; metric++)
        ck_assert(isnan(result.metrics[metric].value));
    assert_fails_everything(&result, &check);
}

TEST(nan_matches_nan)
{
    const double reference[] = {NAN, 1};
    const float output[] = {NAN, 1.5f};
    struct gb_check check = check_of(GB_F32, 2, output, reference);
    struct verify_result result = compare(&check);
    ck_assert_uint_eq(result.n_nan, 0);
    ck_assert_uint_eq(result.n_exact, 1);
    ck_assert_double_eq(result.metrics[VERIFY_ABS].value, 0.5);
    ck_assert_double_eq_tol(result.metrics[VERIFY_RMS].value, 0.5 / 1.5, 1e-15);
    ck_assert(verify_passes(&result, &check, VERIFY_ABS, 0.5));
}

TEST(number_where_the_reference_is_nan_fails)
{
    const double reference[] = {NAN, 1};
    const float numbers[] = {3, 1};
    const int8_t integers[] = {0, 1};
    struct gb_check check = check_of(GB_F32, 2, numbers, reference);
    struct verify_result result = compare(&check);
    ck_assert_uint_eq(result.n_infinite_mismatch, 1);
    assert_fails_everything(&result, &check);
    ck_assert_str_eq(description(&result, &check, VERIFY_ABS, 1),
                     "not finite at [0]: expected nan, got 3 (1 of 2 values)");
    check = check_of(GB_I8, 2, integers, reference);
    result = compare(&check);
    assert_fails_everything(&result, &check);
}

TEST(infinity_passes_against_the_same_only)
{
    double reference[1000], output[1000];
    for (int i = 0; i < 1000; i++)
        reference[i] = output[i] = 1;
    reference[3] = output[3] = INFINITY;
    reference[4] = output[4] = -INFINITY;
    output[5] = 1.5;
    struct gb_check check = check_of(GB_F64, 1000, output, reference);
    struct verify_result result = compare(&check);
    ck_assert_uint_eq(result.n_overflowed, 2);
    ck_assert_uint_eq(result.n_exact, 999);
    ck_assert_double_eq(result.metrics[VERIFY_ABS].value, 0.5);
    ck_assert_uint_eq(result.metrics[VERIFY_ABS].index, 5);
    double rms = 0.5 / sqrt(998) / 1.5; /* an infinity in a norm would make it 0 */
    ck_assert_double_eq_tol(result.metrics[VERIFY_RMS].value, rms, 1e-15);
    ck_assert(verify_passes(&result, &check, VERIFY_ABS, 0.5));

    output[4] = INFINITY;
    result = compare(&check);
    ck_assert_uint_eq(result.n_infinite_mismatch, 1);
    assert_fails_everything(&result, &check);
    ck_assert_str_eq(description(&result, &check, VERIFY_RMS, 1),
                     "not finite at [4]: expected -inf, got inf (1 of 1000 values)");
    output[4] = 7;
    result = compare(&check);
    ck_assert_uint_eq(result.n_infinite_mismatch, 1);
    reference[4] = 7;
    output[4] = -INFINITY;
    result = compare(&check);
    ck_assert_uint_eq(result.n_infinite_mismatch, 1);
    assert_fails_everything(&result, &check);
}

TEST(reference_that_overflows_the_format_wants_infinity)
{
    double reference[200];
    uint16_t output[200];
    for (int i = 0; i < 200; i++) {
        reference[i] = 1;
        output[i] = 0x3c00;
    }
    reference[0] = 65520; /* the tie between 65504 and infinity */
    output[0] = 0x7c00;
    struct gb_check check = check_of(GB_F16, 200, output, reference);
    struct verify_result result = compare(&check);
    ck_assert(verify_passes(&result, &check, VERIFY_ABS, 0));
    output[0] = 0x7bff;
    result = compare(&check);
    ck_assert_str_eq(description(&result, &check, VERIFY_ABS, 1),
                     "not finite at [0]: expected inf, got 65504 (1 of 200 values)");
}

TEST(zero_reference_counts_against_abs_ulp_and_bound)
{
    const double reference[] = {0, 4, 0}, magnitude[] = {0, 4, 0};
    const float output[] = {0.5f, 4.5f, 0.25f};
    struct gb_check check = check_of(GB_F32, 3, output, reference);
    check.magnitude = magnitude;
    check.n_products = 8;
    struct verify_result result = compare(&check);
    ck_assert_uint_eq(result.n_zero_mismatch, 2);
    ck_assert_double_eq(result.metrics[VERIFY_REL].value, 0.125);
    ck_assert_uint_eq(result.metrics[VERIFY_REL].index, 1);
    ck_assert_double_eq(result.metrics[VERIFY_ABS].value, 0.5);
    ck_assert_uint_eq(result.metrics[VERIFY_ABS].index, 0);
    ck_assert_double_eq(result.metrics[VERIFY_ULP].value, 0.5 / 0x1p-149);
    const double allowed = 0x1p-147 + 0x1p-150; /* K 2^-24 of the smallest normal number */
    ck_assert_double_eq_tol(result.metrics[VERIFY_BOUND].value, 0.5 / allowed, 0.5e-6 / allowed);
    ck_assert_str_eq(description(&result, &check, VERIFY_REL, 0.5),
                     "rel 0.125 <= 0.5 at [1]: expected 4, got 4.5; 2 values are not the 0 "
                     "expected");
    ck_assert_str_eq(description(&result, &check, VERIFY_ABS, 0.5),
                     "abs 0.5 <= 0.5 at [0]: expected 0, got 0.5");
}

TEST(relative_metrics_that_judge_nothing_fail)
{
    const double zeros[] = {0, 0}, tiny[] = {1e-4, 0};
    const float output[] = {5, 0};
    struct gb_check check = check_of(GB_F32, 2, output, zeros);
    struct verify_result result = compare(&check);
    ck_assert(isnan(result.metrics[VERIFY_REL].value));
    ck_assert(!verify_passes(&result, &check, VERIFY_REL, INFINITY));
    ck_assert_str_eq(description(&result, &check, VERIFY_REL, 1),
                     "rel cannot be judged: every reference is 0");
    check.reference = tiny;
    result = compare(&check);
    ck_assert(verify_passes(&result, &check, VERIFY_REL, 1e6));
    ck_assert(!verify_passes(&result, &check, VERIFY_REL_FLOOR, INFINITY));
    ck_assert_str_eq(description(&result, &check, VERIFY_REL_FLOOR, 1),
                     "rel_floor cannot be judged: no reference is above the floor");
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

TEST(more_than_a_hundredth_overflowed_is_vacuous)
{
    double reference[300];
    uint16_t output[300];
    for (int i = 0; i < 300; i++) {
        reference[i] = i < 3 ? 1e9 : 1;
        output[i] = i < 3 ? 0x7c00 : 0x3c00;
    }
    struct gb_check check = check_of(GB_F16, 300, output, reference);
    struct verify_result result = compare(&check);
    ck_assert_uint_eq(result.n_overflowed, 3);
    ck_assert(!result.vacuous);
    ck_assert(verify_passes(&result, &check, VERIFY_ABS, 0));

    reference[3] = 1e9;
    output[3] = 0x7c00;
    result = compare(&check);
    ck_assert(result.vacuous);
    assert_fails_everything(&result, &check);
    ck_assert_str_eq(description(&result, &check, VERIFY_ABS, 0),
                     "vacuous: 4 of 300 values overflowed");
    check.flags = GB_CHECK_EXACT;
    assert_fails_everything(&result, &check);
    check.flags = GB_CHECK_ALLOW_OVERFLOW;
    ck_assert(verify_passes(&result, &check, VERIFY_ABS, 0));
    ck_assert_str_eq(description(&result, &check, VERIFY_ABS, 0), "300 values equal");
}

TEST(e4m3_overflows_to_nan)
{
    const double reference[] = {1000, 1};
    const uint8_t output[] = {0x7f, 0x38};
    struct gb_check check = check_of(GB_F8_E4M3, 2, output, reference);
    struct verify_result result = compare(&check);
    ck_assert_uint_eq(result.n_nan, 0);
    ck_assert_uint_eq(result.n_overflowed, 1);
    ck_assert(result.vacuous);
}

TEST(nothing_compared_is_vacuous)
{
    struct gb_check check = check_of(GB_F32, 0, NULL, NULL);
    check.flags = GB_CHECK_ALLOW_OVERFLOW;
    struct verify_result result = compare(&check);
    ck_assert(result.vacuous);
    assert_fails_everything(&result, &check);
    ck_assert_str_eq(description(&result, &check, VERIFY_ABS, 1), "vacuous: nothing was compared");
    check.flags |= GB_CHECK_EXACT;
    assert_fails_everything(&result, &check);
}

TEST(ties_pick_the_first)
{
    double reference[2000], output[2000];
    for (int i = 0; i < 2000; i++)
        reference[i] = output[i] = 1;
    output[1999] = output[1030] = output[1029] = output[513] = 1.25;
    struct gb_check check = check_of(GB_F64, 2000, output, reference);
    struct verify_result result = compare(&check);
    ck_assert_uint_eq(result.metrics[VERIFY_ABS].index, 513);
    ck_assert_uint_eq(result.metrics[VERIFY_REL].index, 513);
    ck_assert_uint_eq(result.metrics[VERIFY_ULP].index, 513);
    output[513] = output[1029] = output[1030] = output[1999] = 1;
    result = compare(&check);
    ck_assert_uint_eq(result.metrics[VERIFY_ABS].index, 0);
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

TEST(exact_ignores_tolerances)
{
    const double reference[] = {1, 2, 3, 4};
    const float output[] = {1, 2.5f, 3, 5};
    struct gb_check check = check_of(GB_F32, 4, output, reference);
    check.flags = GB_CHECK_EXACT;
    struct verify_result result = compare(&check);
    assert_fails_everything(&result, &check);
    ck_assert_str_eq(description(&result, &check, VERIFY_ABS, 100),
                     "2 of 4 values differ, most at [3]: expected 4, got 5");
}

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
