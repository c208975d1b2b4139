/*
 * test_verify.c - core/verify.c: each metric by hand, each way of being fooled, each message; and
 * long arrays against a comparison written out plainly here.
 */
#include "core/number_format.h"
#include "core/random.h"
#include "core/verify.h"
#include "tests/check_main.h"

#include <fenv.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static struct gb_check check_of(uint32_t format, uint64_t n, const void *output,
                                const double *reference)
{
    return (struct gb_check){.size = sizeof(struct gb_check),
                             .format = format,
                             .name = "C",
                             .n = n,
                             .output = output,
                             .reference = reference,
                             .default_metric = "abs",
                             .default_tolerance = 0};
}

static struct verify_result compare(const struct gb_check *check)
{
    struct verify_result result;
    struct gb_error error = {0};
    ck_assert_msg(verify_compare(check, 1e-3, &result, &error) == GB_OK, "%s", error.text);
    return result;
}

static const char *description(const struct verify_result *result, const struct gb_check *check,
                               int metric, double tolerance)
{
    static char line[256];
    verify_describe(result, check, metric, tolerance, line, sizeof line);
    return line;
}

static void assert_fails_everything(const struct verify_result *result,
                                    const struct gb_check *check)
{
    for (int metric = 0; metric < VERIFY_METRICS; metric++)
        ck_assert_msg(!verify_passes(result, check, metric, INFINITY), "%s passes",
                      verify_metric_name(metric));
}

START_TEST(metric_names)
{
    static const char *const names[] = {"abs", "rel", "rel_floor", "ulp", "rms", "bound"};
    for (int metric = 0; metric < VERIFY_METRICS; metric++) {
        ck_assert_str_eq(verify_metric_name(metric), names[metric]);
        ck_assert_int_eq(verify_metric_named(names[metric]), metric);
    }
    ck_assert_int_eq(verify_metric_named("max"), -1);
}
END_TEST

/* r 2, 0.0005, -8; c 2.5, 0.001, -7.75: differences 0.5, 0.0005, 0.25. */
START_TEST(metrics_by_hand)
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
    double bound = verify_bound(GB_F64, GB_F32, 4, 0.0005, 0.0005);
    ck_assert_double_eq(metrics[VERIFY_BOUND].value, 0.0005 / bound);
    ck_assert_uint_eq(metrics[VERIFY_BOUND].index, 1);

    ck_assert_uint_eq(result.n, 3);
    ck_assert_uint_eq(result.n_exact, 0);
    ck_assert_uint_eq(result.n_nan, 0);
    ck_assert_uint_eq(result.first_bad, UINT64_MAX);
    ck_assert(!result.vacuous);
}
END_TEST

START_TEST(reference_is_rounded_to_the_outputs_format)
{
    const double reference[] = {1 + 0x1p-12, 1 - 0x1p-13}; /* fp16: both are 1 */
    const uint16_t output[] = {0x3c00, 0x3c00};
    struct gb_check check = check_of(GB_F16, 2, output, reference);
    struct verify_result result = compare(&check);
    ck_assert_uint_eq(result.n_exact, 2);
    ck_assert_double_eq(result.metrics[VERIFY_ABS].value, 0);
    ck_assert_double_eq(result.metrics[VERIFY_ABS].reference, 1);
}
END_TEST

/* The reference lies a hair above a tie, the sum in fp32 fell a hair below it: one spacing from the
 * rounded reference, yet right. */
START_TEST(bound_takes_the_reference_unrounded)
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
END_TEST

START_TEST(all_zeros_pass_against_all_zeros)
{
    const double reference[600] = {0};
    const float output[600] = {0};
    struct gb_check check = check_of(GB_F32, 600, output, reference);
    check.magnitude = reference;
    check.n_products = 10;
    struct verify_result result = compare(&check);
    for (int metric = 0; metric < VERIFY_METRICS; metric++) {
        ck_assert_msg(verify_passes(&result, &check, metric, 0), "%s", verify_metric_name(metric));
        ck_assert_double_eq(result.metrics[metric].value, 0);
    }
    ck_assert_str_eq(description(&result, &check, VERIFY_RMS, 0), "600 values equal");
}
END_TEST

START_TEST(minus_zero_equals_zero)
{
    const double reference[] = {0.0, -0.0}, output[] = {-0.0, 0.0};
    struct gb_check check = check_of(GB_F64, 2, output, reference);
    check.flags = GB_CHECK_EXACT;
    struct verify_result result = compare(&check);
    ck_assert_uint_eq(result.n_exact, 2);
    ck_assert(verify_passes(&result, &check, VERIFY_ABS, 0));
}
END_TEST

START_TEST(all_zeros_fail_against_anything_else)
{
    const double reference[] = {1e-30, 2e-30, -1e-30};
    const float output[] = {0, 0, 0};
    struct gb_check check = check_of(GB_F32, 3, output, reference);
    struct verify_result result = compare(&check);
    ck_assert_double_eq(result.metrics[VERIFY_REL].value, 1);
    ck_assert(!verify_passes(&result, &check, VERIFY_RMS, 0.01));
    ck_assert(!verify_passes(&result, &check, VERIFY_ULP, 1));
}
END_TEST

START_TEST(nan_fails_whatever_the_metric)
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
END_TEST

START_TEST(all_nan_fails)
{
    const double reference[] = {1, 2};
    const float output[] = {NAN, NAN};
    struct gb_check check = check_of(GB_F32, 2, output, reference);
    struct verify_result result = compare(&check);
    for (int metric = 0; metric < VERIFY_METRICS; metric++)
        ck_assert(isnan(result.metrics[metric].value));
    assert_fails_everything(&result, &check);
}
END_TEST

START_TEST(nan_matches_nan)
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
END_TEST

START_TEST(number_where_the_reference_is_nan_fails)
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
END_TEST

START_TEST(infinity_passes_against_the_same_only)
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
END_TEST

START_TEST(reference_that_overflows_the_format_wants_infinity)
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
END_TEST

START_TEST(zero_reference_counts_against_abs_ulp_and_bound)
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
    ck_assert_double_eq(result.metrics[VERIFY_BOUND].value, 0.5 / 0x1p-150);
    ck_assert_str_eq(description(&result, &check, VERIFY_REL, 0.5),
                     "rel 0.125 <= 0.5 at [1]: expected 4, got 4.5; 2 values are not the 0 "
                     "expected");
    ck_assert_str_eq(description(&result, &check, VERIFY_ABS, 0.5),
                     "abs 0.5 <= 0.5 at [0]: expected 0, got 0.5");
}
END_TEST

START_TEST(relative_metrics_that_judge_nothing_fail)
{
    const double zeros[] = {0, 0}, tiny[] = {1e-4, 0};
    const float output[] = {5, 0};
    struct gb_check check = check_of(GB_F32, 2, output, zeros);
    struct verify_result result = compare(&check);
    ck_assert(isnan(result.metrics[VERIFY_REL].value));
    ck_assert(!verify_passes(&result, &check, VERIFY_REL, INFINITY));
    ck_assert_str_eq(description(&result, &check, VERIFY_REL, 1),
                     "rel can not be judged: every reference is 0");
    check.reference = tiny;
    result = compare(&check);
    ck_assert(verify_passes(&result, &check, VERIFY_REL, 1e6));
    ck_assert(!verify_passes(&result, &check, VERIFY_REL_FLOOR, INFINITY));
    ck_assert_str_eq(description(&result, &check, VERIFY_REL_FLOOR, 1),
                     "rel_floor can not be judged: no reference is above the floor");
}
END_TEST

START_TEST(floor_is_an_argument)
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
END_TEST

START_TEST(more_than_a_hundredth_overflowed_is_vacuous)
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
END_TEST

START_TEST(e4m3_overflows_to_nan)
{
    const double reference[] = {1000, 1};
    const uint8_t output[] = {0x7f, 0x38};
    struct gb_check check = check_of(GB_F8_E4M3, 2, output, reference);
    struct verify_result result = compare(&check);
    ck_assert_uint_eq(result.n_nan, 0);
    ck_assert_uint_eq(result.n_overflowed, 1);
    ck_assert(result.vacuous);
}
END_TEST

START_TEST(nothing_compared_is_vacuous)
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
END_TEST

START_TEST(ties_pick_the_first)
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
END_TEST

/* Each length up to two blocks and a bit, the one wrong element at each end and in between. */
START_TEST(worst_index_at_every_length)
{
    static double reference[1100];
    static float output[1100];
    for (uint64_t n = 1; n <= 1100; n += n < 40 ? 1 : 53) {
        for (uint64_t wrong = 0; wrong < n; wrong += n < 40 ? 1 : 37) {
            for (uint64_t i = 0; i < n; i++) {
                reference[i] = 3;
                output[i] = i == wrong ? 4 : 3;
            }
            struct gb_check check = check_of(GB_F32, n, output, reference);
            struct verify_result result = compare(&check);
            ck_assert_uint_eq(result.metrics[VERIFY_ABS].index, wrong);
            ck_assert_double_eq(result.metrics[VERIFY_ABS].output, 4);
            ck_assert_uint_eq(result.n_exact, n - 1);
        }
    }
}
END_TEST

START_TEST(indices_beyond_millions)
{
    enum { N = 3000001 };
    double *reference = calloc(N, sizeof *reference);
    int8_t *output = calloc(N, 1);
    output[N - 1] = 3;
    output[2000003] = 2;
    struct gb_check check = check_of(GB_I8, N, output, reference);
    struct verify_result result = compare(&check);
    ck_assert_uint_eq(result.metrics[VERIFY_ABS].index, N - 1);
    ck_assert_uint_eq(result.n_exact, N - 2);
    free(reference);
    free(output);
}
END_TEST

/* The same over random data, element by element with none of the program's short cuts. */
static void compare_plainly(const struct gb_check *check, struct verify_metric ret[VERIFY_METRICS])
{
    double sum = 0, largest = 0;
    for (int metric = 0; metric < VERIFY_METRICS; metric++)
        ret[metric] = (struct verify_metric){.value = -1};
    for (uint64_t i = 0; i < check->n; i++) {
        double e = check->reference[i], r = number_round(check->format, e);
        double c = number_load(check->format, check->output, i), difference = fabs(r - c);
        const double values[VERIFY_METRICS] = {
            [VERIFY_ABS] = difference,
            [VERIFY_REL] = r != 0 ? difference / fabs(r) : -1,
            [VERIFY_REL_FLOOR] = fabs(r) > 1e-3 ? difference / fabs(r) : -1,
            [VERIFY_ULP] = difference / number_spacing(check->format, r),
            [VERIFY_RMS] = -1,
            [VERIFY_BOUND] = fabs(e - c) / verify_bound(check->format, check->accumulate,
                                                        check->n_products, check->magnitude[i], e),
        };
        for (int metric = 0; metric < VERIFY_METRICS; metric++) {
            if (values[metric] > ret[metric].value)
                ret[metric] = (struct verify_metric){values[metric], i, r, c};
        }
        sum += difference * difference;
        largest = fmax(largest, fmax(fabs(r), fabs(c)));
    }
    ret[VERIFY_RMS].value = sum > 0 ? sqrt(sum / (double)check->n) / largest : 0;
}

static const uint32_t floating[] = {GB_F64,  GB_F32,     GB_F16,    GB_BF16,
                                    GB_TF32, GB_F8_E4M3, GB_F8_E5M2};
enum { N_FLOATING = sizeof floating / sizeof floating[0] };

START_TEST(random_data_like_a_plain_loop)
{
    enum { N = 2003 };
    static double reference[N], magnitude[N];
    static uint64_t output[N];
    for (uint64_t seed = 0; seed < 20; seed++) {
        uint32_t format = floating[_i];
        double scale = ldexp(1, (int)seed * 2 - 32); /* subnormals too, no overflow */
        for (uint64_t i = 0; i < N; i++) {
            reference[i] = (2 * random_unit(seed, 0, i) - 1) * scale;
            magnitude[i] = fabs(reference[i]) * (1 + random_unit(seed, 1, i));
            number_store(format, output, i, reference[i] * (1 + 1e-3 * random_unit(seed, 2, i)));
        }
        struct gb_check check = check_of(format, N, output, reference);
        check.magnitude = magnitude;
        check.n_products = 100;
        check.accumulate = GB_F32;
        struct verify_metric expected[VERIFY_METRICS];
        compare_plainly(&check, expected);
        struct verify_result result = compare(&check);
        for (int metric = 0; metric < VERIFY_METRICS; metric++) {
            if (expected[metric].value < 0)
                continue; /* every reference is 0 or below the floor */
            ck_assert_double_eq_tol(result.metrics[metric].value, expected[metric].value,
                                    expected[metric].value * 1e-13 + 1e-300);
            if (metric != VERIFY_RMS)
                ck_assert_uint_eq(result.metrics[metric].index, expected[metric].index);
        }
    }
}
END_TEST

START_TEST(rms_of_numbers_whose_squares_leave_the_range)
{
    static const double scales[] = {1e-200, 1, 1e200, 0x1p-1060};
    for (size_t i = 0; i < sizeof scales / sizeof scales[0]; i++) {
        const double reference[] = {4 * scales[i], 4 * scales[i]};
        const double output[] = {4 * scales[i], 3 * scales[i]};
        struct gb_check check = check_of(GB_F64, 2, output, reference);
        struct verify_result result = compare(&check);
        ck_assert_double_eq_tol(result.metrics[VERIFY_RMS].value, sqrt(0.5) / 4, 1e-4);
    }
}
END_TEST

START_TEST(opposite_ends_of_the_range)
{
    const double reference[] = {1.7e308}, output[] = {-1.7e308};
    struct gb_check check = check_of(GB_F64, 1, output, reference);
    struct verify_result result = compare(&check);
    ck_assert_double_eq(result.metrics[VERIFY_ABS].value, INFINITY);
    ck_assert(!verify_passes(&result, &check, VERIFY_RMS, 1e300));
    ck_assert_str_eq(description(&result, &check, VERIFY_RMS, 1), "rms inf > 1");
}
END_TEST

START_TEST(integers_of_64_bits_are_compared_whole)
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
END_TEST

START_TEST(exact_ignores_tolerances)
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
END_TEST

START_TEST(bound_of_an_element)
{
    double u = 0x1p-24;
    ck_assert_double_eq(verify_bound(GB_F16, GB_F32, 100, 3, -2),
                        100 * u / (1 - 100 * u) * 3 + 0x1p-11 * 2 + 0x1p-25);
    ck_assert_double_eq(verify_bound(GB_F32, 0, 100, 3, -2),
                        100 * u / (1 - 100 * u) * 3 + u * 2 + 0x1p-150);
    ck_assert_double_eq(verify_bound(GB_F64, GB_F64, 1, 0, 0), 0); /* 2^-1075 is no double */
    ck_assert_double_eq(verify_bound(GB_I32, GB_I32, 100, 3, 2), 0.5);
    ck_assert_double_eq(verify_bound(GB_F16, GB_F16, 2048, 1, 1), INFINITY);
}
END_TEST

START_TEST(bound_without_magnitudes_does_not_pass)
{
    const double reference[] = {1, 2};
    const float output[] = {1, 2};
    struct gb_check check = check_of(GB_F32, 2, output, reference);
    struct verify_result result = compare(&check);
    ck_assert(isnan(result.metrics[VERIFY_BOUND].value));
    ck_assert(!verify_passes(&result, &check, VERIFY_BOUND, INFINITY));
    ck_assert_str_eq(description(&result, &check, VERIFY_BOUND, 1),
                     "bound can not be judged: the benchmark gives no magnitudes");
}
END_TEST

START_TEST(bound_with_too_many_products_does_not_pass)
{
    const double reference[] = {1, 2}, magnitude[] = {1, 2};
    const uint16_t output[] = {0x3c00, 0x4200};
    struct gb_check check = check_of(GB_F16, 2, output, reference);
    check.magnitude = magnitude;
    check.n_products = 4096;
    struct verify_result result = compare(&check);
    ck_assert(!verify_passes(&result, &check, VERIFY_BOUND, INFINITY));
    ck_assert_str_eq(description(&result, &check, VERIFY_BOUND, 1),
                     "bound can not be judged: 4096 products are too many for sums in fp16");
}
END_TEST

START_TEST(senseless_magnitudes_do_not_make_the_bound_generous)
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
END_TEST

START_TEST(environment_of_the_caller_does_not_matter)
{
    enum { N = 100 };
    double reference[N];
    uint16_t output[N];
    for (uint64_t i = 0; i < N; i++) {
        reference[i] = random_unit(1, 1, i) * 1e-6;
        number_store(GB_F16, output, i, reference[i]);
    }
    struct gb_check check = check_of(GB_F16, N, output, reference);
    fesetround(FE_UPWARD);
    struct verify_result result = compare(&check);
    int mode = fegetround();
    fesetround(FE_TONEAREST);
    ck_assert_int_eq(mode, FE_UPWARD);
    ck_assert_uint_eq(result.n_exact, N);
}
END_TEST

static const struct {
    int metric;
    double tolerance;
    const char *text;
} descriptions[] = {
    {VERIFY_ABS, 1e-6, "abs 3e-05 > 1e-06 at [17]: expected 1.5, got 1.50003"},
    {VERIFY_ABS, 0.001, "abs 3e-05 <= 0.001 at [17]: expected 1.5, got 1.50003"},
    {VERIFY_ABS, NAN, "abs 3e-05 at [17]: expected 1.5, got 1.50003"},
    {VERIFY_ABS, 3e-5, "abs 3.004e-05 > 3e-05 at [17]: expected 1.5, got 1.50003"},
    {VERIFY_ULP, 1, "ulp 252 > 1 at [17]: expected 1.5, got 1.50003"},
    {VERIFY_REL, 1e-4, "rel 2e-05 <= 0.0001 at [17]: expected 1.5, got 1.50003"},
    {VERIFY_RMS, 1e-6, "rms 1.25e-06 > 1e-06"},
    {VERIFY_RMS, 0.1, "rms 1.25e-06 <= 0.1"},
};

START_TEST(description_of_one_wrong_value)
{
    double reference[256];
    float output[256];
    for (int i = 0; i < 256; i++) {
        reference[i] = 1.5;
        output[i] = i == 17 ? 1.50003f : 1.5f;
    }
    struct gb_check check = check_of(GB_F32, 256, output, reference);
    struct verify_result result = compare(&check);
    ck_assert_str_eq(
        description(&result, &check, descriptions[_i].metric, descriptions[_i].tolerance),
        descriptions[_i].text);
    ck_assert_int_eq(
        verify_passes(&result, &check, descriptions[_i].metric, descriptions[_i].tolerance),
        strstr(descriptions[_i].text, "<=") != NULL);
}
END_TEST

START_TEST(description_tells_close_doubles_apart)
{
    const double reference[] = {1}, output[] = {1 + 0x1p-52};
    struct gb_check check = check_of(GB_F64, 1, output, reference);
    struct verify_result result = compare(&check);
    ck_assert_str_eq(description(&result, &check, VERIFY_ULP, 0.5),
                     "ulp 1 > 0.5 at [0]: expected 1, got 1.0000000000000002");
    check.reference = output + 0;
    const double equal[] = {1 + 0x1p-52};
    check.output = equal;
    result = compare(&check);
    ck_assert_str_eq(description(&result, &check, VERIFY_ULP, 0.5), "1 value equal");
}
END_TEST

START_TEST(description_is_cut_at_the_buffers_end)
{
    const double reference[] = {1};
    const float output[] = {2};
    char buffer[8] = "xxxxxxx";
    struct gb_check check = check_of(GB_F32, 1, output, reference);
    struct verify_result result = compare(&check);
    verify_describe(&result, &check, VERIFY_ABS, 0, buffer, sizeof buffer);
    ck_assert_str_eq(buffer, "abs 1 >");
}
END_TEST

static double shared[4];
static const struct {
    struct gb_check check;
    const char *text;
} refused[] = {
    {{.size = 4}, "check: its size is 4, expected at least 80"},
    {{.format = 77, .name = "C", .n = 4, .output = "", .reference = shared},
     "check C: unknown number format 77"},
    {{.format = GB_F16, .name = "C", .n = 4, .output = "", .reference = shared, .accumulate = 78},
     "check C: unknown number format 78 of the sums"},
    {{.format = GB_F32, .name = "C", .n = 4, .reference = shared}, "check C: the output is NULL"},
    {{.format = GB_F32, .n = 4, .output = ""}, "check output: the reference is NULL"},
    {{.format = GB_F64, .name = "C", .n = 4, .output = shared, .reference = shared},
     "check C: the output is its own reference"},
};

START_TEST(broken_requests_are_refused)
{
    struct gb_check check = refused[_i].check;
    check.size = check.size ? check.size : sizeof check;
    struct verify_result result;
    struct gb_error error = {0};
    ck_assert_int_eq(verify_compare(&check, 1e-3, &result, &error), GB_INVALID);
    ck_assert_int_eq(error.status, GB_INVALID);
    ck_assert_str_eq(error.text, refused[_i].text);
}
END_TEST

#define COUNT(array) (int)(sizeof(array) / sizeof((array)[0]))

Suite *test_suite(void)
{
    Suite *suite = suite_create("verify");
    TCase *tests = tcase_create("verify");
    tcase_add_test(tests, metric_names);
    tcase_add_test(tests, metrics_by_hand);
    tcase_add_test(tests, reference_is_rounded_to_the_outputs_format);
    tcase_add_test(tests, bound_takes_the_reference_unrounded);
    tcase_add_test(tests, all_zeros_pass_against_all_zeros);
    tcase_add_test(tests, minus_zero_equals_zero);
    tcase_add_test(tests, all_zeros_fail_against_anything_else);
    tcase_add_test(tests, nan_fails_whatever_the_metric);
    tcase_add_test(tests, all_nan_fails);
    tcase_add_test(tests, nan_matches_nan);
    tcase_add_test(tests, number_where_the_reference_is_nan_fails);
    tcase_add_test(tests, infinity_passes_against_the_same_only);
    tcase_add_test(tests, reference_that_overflows_the_format_wants_infinity);
    tcase_add_test(tests, zero_reference_counts_against_abs_ulp_and_bound);
    tcase_add_test(tests, relative_metrics_that_judge_nothing_fail);
    tcase_add_test(tests, floor_is_an_argument);
    tcase_add_test(tests, more_than_a_hundredth_overflowed_is_vacuous);
    tcase_add_test(tests, e4m3_overflows_to_nan);
    tcase_add_test(tests, nothing_compared_is_vacuous);
    tcase_add_test(tests, ties_pick_the_first);
    tcase_add_test(tests, worst_index_at_every_length);
    tcase_add_test(tests, indices_beyond_millions);
    tcase_add_loop_test(tests, random_data_like_a_plain_loop, 0, N_FLOATING);
    tcase_add_test(tests, rms_of_numbers_whose_squares_leave_the_range);
    tcase_add_test(tests, opposite_ends_of_the_range);
    tcase_add_test(tests, integers_of_64_bits_are_compared_whole);
    tcase_add_test(tests, exact_ignores_tolerances);
    tcase_add_test(tests, bound_of_an_element);
    tcase_add_test(tests, bound_without_magnitudes_does_not_pass);
    tcase_add_test(tests, bound_with_too_many_products_does_not_pass);
    tcase_add_test(tests, senseless_magnitudes_do_not_make_the_bound_generous);
    tcase_add_test(tests, environment_of_the_caller_does_not_matter);
    tcase_add_loop_test(tests, description_of_one_wrong_value, 0, COUNT(descriptions));
    tcase_add_test(tests, description_tells_close_doubles_apart);
    tcase_add_test(tests, description_is_cut_at_the_buffers_end);
    tcase_add_loop_test(tests, broken_requests_are_refused, 0, COUNT(refused));
    suite_add_tcase(suite, tests);
    return suite;
}
