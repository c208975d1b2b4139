/*
 * test_verify.c - core/verify/verify.c, verify_details.c and verify_text.c: each metric by hand,
 * each way of being fooled. The classes of the histogram are in test_verify_pass.c.
 */
#include "core/base/memory.h"
#include "core/base/number_format.h"
#include "core/base/text.h"
#include "tests/verify/verify_fixture.h"

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

#define ONE_WRONG GB_F32, 0, 0, "1.5*256", "1.5*17 1.50003 1.5*238"
#define EXPECTED " at [17]: expected 1.5, got 1.50003"
static const struct {
    uint32_t format, flags;
    uint64_t n_products; /* sums of that many, whose magnitudes are the references; 0: none */
    const char *reference, *output; /* "1 2*3": 1 2 2 2 */
    int metric;
    double tolerance;
    int verdict;
    const char *words, *found; /* as description and print_found write it; NULL: any */
    const char *classes;       /* as print_classes writes them */
    double floor;              /* 0: 1e-3 */
} comparisons[] = {
    /* rounded to the output's format first, where both are 1 */
    {GB_F16, 0, 0, "0x1.001p0 0x1.fffp-1", "1*2", VERIFY_ABS, 0, PASSES, .words = "2 values equal",
     .found = "2 0 0 0 0 -1: abs 0@0 rel 0@0 rel_floor 0@0 ulp 0@0 rms 0@0"},
    {GB_F16, 0, 0, "0x1.001p0", "2", VERIFY_ABS, 1, PASSES,
     .words = "abs 1 <= 1 at [0]: expected 1, got 2"},
    {GB_F64, GB_CHECK_EXACT, 0, "0 -0", "-0 0", VERIFY_ABS, 0, PASSES, .words = "2 values equal",
     .found = "2 0 0 0 0 -1: abs 0@0 rel 0@0 rel_floor 0@0 ulp 0@0 rms 0@0"},
    {GB_F32, 0, 0, "1e-30 2e-30 -1e-30", "0*3", VERIFY_RMS, 0.01, FAILS,
     .found = "0 0 0 0 0 -1: abs 2e-30@1 rel 1@0 ulp 1.06338e+07@0 rms 0.707107@0"},
    {GB_F32, 0, 0, "1e-30 2e-30 -1e-30", "0*3", VERIFY_ULP, 1, .verdict = FAILS},
    /* no number, whatever the metric */
    {GB_F64, 0, 0, "7*1500", "7*700 nan*2 7*498 nan 7*299", VERIFY_ABS, 1, FAILS_ALWAYS,
     .words = "not finite at [700]: expected 7, got nan (3 of 1500 values)",
     .found = "1497 0 3 0 0 700: abs 0@0 rel 0@0 rel_floor 0@0 ulp 0@0 rms 0@0"},
    {GB_F64, GB_CHECK_EXACT | GB_CHECK_ALLOW_OVERFLOW, 0, "7*1500", "7*700 nan*2 7*498 nan 7*299",
     VERIFY_ABS, 1, .verdict = FAILS_ALWAYS},
    {GB_F32, 0, 0, "1 2", "nan*2", VERIFY_ABS, 1, FAILS_ALWAYS, .found = "0 0 2 0 0 0:"},
    {GB_F32, GB_CHECK_ALLOW_OVERFLOW, 0, "nan 1", "nan 1.5", VERIFY_ABS, 0.5, PASSES,
     .found = "1 0 0 0 0 -1 vacuous: abs 0.5@1 rel 0.5@1 rel_floor 0.5@1 ulp 4.1943e+06@1 rms "
              "0.333333@0"},
    {GB_F32, 0, 0, "nan 1", "3 1", VERIFY_ABS, 1, FAILS_ALWAYS,
     .words = "not finite at [0]: expected nan, got 3 (1 of 2 values)",
     .found = "1 0 0 1 0 0 vacuous: abs 0@1 rel 0@1 rel_floor 0@1 ulp 0@1 rms 0@0"},
    /* what should be NaN says nothing, but for few */
    {GB_F32, 0, 0, "nan*2 1*98", "nan*2 1*98", VERIFY_ABS, 0, FAILS_ALWAYS,
     .words = "vacuous: 2 of 100 references are NaN"},
    {GB_F32, 0, 0, "nan 1*99", "nan 1*99", VERIFY_ABS, 0, PASSES, .words = "100 values equal"},
    {GB_I8, 0, 0, "nan 1", "0 1", VERIFY_ABS, 1, .verdict = FAILS_ALWAYS},
    /* infinity equals itself only; in a norm it would make that 0 */
    {GB_F64, 0, 0, "1*3 inf -inf 1*995", "1*3 inf -inf 1.5 1*994", VERIFY_ABS, 0.5, PASSES,
     .found =
         "999 2 0 0 0 -1: abs 0.5@5 rel 0.5@5 rel_floor 0.5@5 ulp 2.2518e+15@5 rms 0.0105515@0"},
    {GB_F64, 0, 0, "1*3 inf -inf 1*995", "1*3 inf inf 1.5 1*994", VERIFY_RMS, 1, FAILS_ALWAYS,
     .words = "not finite at [4]: expected -inf, got inf (1 of 1000 values)",
     .found =
         "998 2 0 1 0 4: abs 0.5@5 rel 0.5@5 rel_floor 0.5@5 ulp 2.2518e+15@5 rms 0.0105515@0"},
    {GB_F64, 0, 0, "1*3 inf -inf 1*995", "1*3 inf 7 1.5 1*994", VERIFY_ABS, 1, FAILS_ALWAYS,
     .found =
         "998 1 0 1 0 4: abs 0.5@5 rel 0.5@5 rel_floor 0.5@5 ulp 2.2518e+15@5 rms 0.0105515@0"},
    {GB_F64, 0, 0, "1*3 inf 7 1*995", "1*3 inf -inf 1.5 1*994", VERIFY_ABS, 1, FAILS_ALWAYS,
     .found =
         "998 2 0 1 0 4: abs 0.5@5 rel 0.5@5 rel_floor 0.5@5 ulp 2.2518e+15@5 rms 0.0105515@0"},
    /* the tie between the largest number and infinity */
    {GB_F16, 0, 0, "65520 1*199", "inf 1*199", VERIFY_ABS, 0, .verdict = PASSES},
    {GB_F16, 0, 0, "65520 1*199", "65504 1*199", VERIFY_ABS, 1, FAILS_ALWAYS,
     .words = "not finite at [0]: expected inf, got 65504 (1 of 200 values)"},
    /* references of 0 count against all but what is relative to them; K 2^-24 of the smallest
     * normal number is allowed */
    {GB_F32, 0, 8, "0 4 0", "0.5 4.5 0.25", VERIFY_REL, 0.5, PASSES,
     .words = "rel 0.125 <= 0.5 at [1]: expected 4, got 4.5; 2 values are not the 0 expected",
     .found = "0 0 0 0 2 -1: abs 0.5@0 rel 0.125@1 rel_floor 0.125@1 ulp 3.56812e+44@0 rms "
              "0.096225@0 bound 7.92915e+43@0"},
    {GB_F32, 0, 8, "0 4 0", "0.5 4.5 0.25", VERIFY_ABS, 0.5, PASSES,
     .words = "abs 0.5 <= 0.5 at [0]: expected 0, got 0.5"},
    {GB_F32, 0, 0, "0 0", "5 0", VERIFY_REL, INFINITY, FAILS,
     .words = "rel cannot be judged: every reference is 0",
     .found = "1 0 0 0 1 -1: abs 5@0 ulp 3.56812e+45@0 rms 0.707107@0"},
    {GB_F32, 0, 0, "1e-4 0", "5 0", VERIFY_REL, 1e6, .verdict = PASSES},
    {GB_F32, 0, 0, "1e-4 0", "5 0", VERIFY_REL_FLOOR, INFINITY, FAILS,
     .words = "rel_floor cannot be judged: no reference is above the floor"},
    /* more than a hundredth overflowed */
    {GB_F16, 0, 0, "1e9*3 1*297", "inf*3 1*297", VERIFY_ABS, 0, PASSES,
     .found = "300 3 0 0 0 -1: abs 0@3 rel 0@3 rel_floor 0@3 ulp 0@3 rms 0@0"},
    {GB_F16, 0, 0, "1e9*4 1*296", "inf*4 1*296", VERIFY_ABS, 0, FAILS_ALWAYS,
     .words = "vacuous: 4 of 300 values overflowed",
     .found = "300 4 0 0 0 -1 vacuous: abs 0@4 rel 0@4 rel_floor 0@4 ulp 0@4 rms 0@0"},
    {GB_F16, GB_CHECK_EXACT, 0, "1e9*4 1*296", "inf*4 1*296", VERIFY_ABS, 0,
     .verdict = FAILS_ALWAYS},
    {GB_F16, GB_CHECK_ALLOW_OVERFLOW, 0, "1e9*4 1*296", "inf*4 1*296", VERIFY_ABS, 0, PASSES,
     .words = "300 values equal"},
    {GB_F8_E4M3, 0, 0, "1000 1", "nan 1", VERIFY_ABS, 0, FAILS_ALWAYS,
     .found =
         "2 1 0 0 0 -1 vacuous: abs 0@1 rel 0@1 rel_floor 0@1 ulp 0@1 rms 0@0"}, /* its infinity */
    {GB_F32, GB_CHECK_ALLOW_OVERFLOW, 0, "", "", VERIFY_ABS, 1, FAILS_ALWAYS,
     .words = "vacuous: nothing was compared"},
    {GB_F32, GB_CHECK_ALLOW_OVERFLOW | GB_CHECK_EXACT, 0, "", "", VERIFY_ABS, 1,
     .verdict = FAILS_ALWAYS},
    /* of the worst the first */
    {GB_F64, 0, 0, "1*2000", "1*513 1.25 1*515 1.25*2 1*968 1.25", VERIFY_ABS, 1, PASSES,
     .found =
         "1996 0 0 0 0 -1: abs 0.25@513 rel 0.25@513 rel_floor 0.25@513 ulp 1.1259e+15@513 rms "
         "0.00894427@0"},
    {GB_F32, GB_CHECK_EXACT, 0, "1 2 3 4", "1 2.5 3 5", VERIFY_ABS, 100, FAILS_ALWAYS,
     .words = "2 of 4 values differ, most at [3]: expected 4, got 5"},
    {GB_F32, 0, 0, "1 2", "1 2", VERIFY_BOUND, INFINITY, FAILS,
     .words = "bound cannot be judged: the benchmark gives no magnitudes"},
    {GB_F16, 0, 4096, "1 2", "1 3", VERIFY_BOUND, INFINITY, FAILS,
     .words = "bound cannot be judged: 4096 products are too many for sums in fp16"},
    {GB_F32, 0, 8, "1 2", "1 2", VERIFY_NOISE, INFINITY, FAILS,
     .words = "noise cannot be judged: the benchmark gives no squares of partial sums"},
    {GB_F64, 0, 0, "1.7e308", "-1.7e308", VERIFY_RMS, 1e300, FAILS, .words = "rms inf > 1e+300",
     .found = "0 0 0 0 0 -1: abs inf@0 rel inf@0 rel_floor inf@0 ulp inf@0 rms inf@0"},
    {GB_F64, 0, 0, "1", "0x1.0000000000001p0", VERIFY_ULP, 0.5, FAILS,
     .words = "ulp 1 > 0.5 at [0]: expected 1, got 1.0000000000000002"},
    {GB_F64, 0, 0, "0x1.0000000000001p0", "0x1.0000000000001p0", VERIFY_ULP, 0.5, PASSES,
     .words = "1 value equal"},
    /* two of each class, judged by a pass; then with what is not finite, one by one */
    {GB_F64, 0, 0, "2*7 0*3 2*3990 0 2*999", "2*7 0*2 2 0 2.5 2*3988 2 0 2.5 2*997", VERIFY_ABS, 2,
     PASSES, .classes = "0:4994/4992 7:2/2 8:2/2 9:2/0 "},
    {GB_F64, 0, 0, "2*7 0*3 2*3990 0 2*3 inf -inf 2*994",
     "2*7 0*2 2 0 2.5 nan 2*3987 2 0 2.5 inf 2 -inf 2*994", VERIFY_ABS, 2, FAILS_ALWAYS,
     .classes = "0:4991/4989 7:2/2 8:2/2 9:2/0 10:3/3 "},
    {GB_F64, 0, 0, "1 10 100", "3 15 101", VERIFY_REL_FLOOR, 0.5, PASSES, .floor = 1,
     .words = "rel_floor 0.5 <= 0.5 at [1]: expected 10, got 15"},
    {GB_F64, 0, 0, "1 10 100", "3 15 101", VERIFY_REL_FLOOR, 0.01, PASSES, .floor = 10,
     .words = "rel_floor 0.01 <= 0.01 at [2]: expected 100, got 101"},
    /* as many digits as tell a metric from its tolerance */
    {ONE_WRONG, VERIFY_ABS, 1e-6, FAILS, .words = "abs 3e-05 > 1e-06" EXPECTED},
    {ONE_WRONG, VERIFY_ABS, 0.001, PASSES, .words = "abs 3e-05 <= 0.001" EXPECTED},
    {ONE_WRONG, VERIFY_ABS, NAN, FAILS, .words = "abs 3e-05" EXPECTED},
    {ONE_WRONG, VERIFY_ABS, 3e-5, FAILS, .words = "abs 3.004e-05 > 3e-05" EXPECTED},
    {ONE_WRONG, VERIFY_ULP, 1, FAILS, .words = "ulp 252 > 1" EXPECTED},
    {ONE_WRONG, VERIFY_REL, 1e-4, PASSES, .words = "rel 2e-05 <= 0.0001" EXPECTED},
    {ONE_WRONG, VERIFY_RMS, 1e-6, FAILS, .words = "rms 1.25e-06 > 1e-06"},
    {ONE_WRONG, VERIFY_RMS, 0.1, PASSES, .words = "rms 1.25e-06 <= 0.1"},
    /* a reference on the floor is not above it; one that rounds to it neither */
    {GB_F16, 0, 0, "0.25 0.2500001 0.2502441 -0.5 0.125 0 1 1", "0.25*3 -0.5 0.25 1 1 1.5",
     VERIFY_ABS, 1, PASSES, .classes = "0:4/2 4:1/1 7:1/1 8:1/0 9:1/0 ", .floor = 0.25},
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

/* CLASS:HISTOGRAM/ABOVE THE FLOOR of those that occur. */
static void print_classes(const struct verify_result *result, struct text *out)
{
    for (int class = 0; class < VERIFY_CLASSES; class ++)
        if (result->histogram[class] + result->above_floor[class] > 0)
            text_printf(out, "%d:%u/%u ", class, (unsigned)result->histogram[class],
                        (unsigned)result->above_floor[class]);
}

TEST_EACH(comparison, comparisons)
{
    enum { N_MAX = 5000 };
    static double reference[N_MAX], magnitude[N_MAX], values[N_MAX], output[N_MAX];
    const int metric = comparisons[_i].metric;
    const double tolerance = comparisons[_i].tolerance;
    const double floor = comparisons[_i].floor > 0 ? comparisons[_i].floor : 1e-3;
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
    for (EACH_PATH(path)) {
        CLEANUP(text_free) struct text found = {0}, occurring = {0};
        const struct verify_result result = compare_above(&check, floor);
        ck_assert_double_eq(result.floor, floor);
        ck_assert_int_eq(verify_passes(&result, &check, metric, tolerance),
                         comparisons[_i].verdict == PASSES);
        if (comparisons[_i].verdict == FAILS_ALWAYS)
            assert_fails_everything(&result, &check);
        print_found(&result, &found);
        print_classes(&result, &occurring);
        if (comparisons[_i].words)
            ck_assert_str_eq(description(&result, &check, metric, tolerance),
                             comparisons[_i].words);
        if (comparisons[_i].found)
            ck_assert_str_eq(text_get(&found), comparisons[_i].found);
        if (comparisons[_i].classes)
            ck_assert_str_eq(text_get(&occurring), comparisons[_i].classes);
    }
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

/* Integers that doubles do not tell from their neighbours. */
TEST_TIMES(an_exact_reference_knows_all_integers, 4)
{
    static const struct {
        uint32_t format;
        uint64_t reference, near;
        const char *words;
    } cases[] = {
        {GB_I64, (UINT64_C(1) << 53) + 1, UINT64_C(1) << 53,
         "expected 9007199254740993, got 9007199254740992"},
        {GB_I64, (uint64_t)INT64_MIN, (uint64_t)INT64_MIN + 1,
         "expected -9223372036854775808, got -9223372036854775807"},
        {GB_U64, UINT64_MAX, UINT64_MAX - 1,
         "expected 18446744073709551615, got 18446744073709551614"},
        {GB_I64, UINT64_MAX, 1, "expected -1, got 1"},
    };
    const uint64_t reference[2] = {7, cases[_i].reference};
    uint64_t output[2] = {7, cases[_i].reference};
    struct gb_check check = check_of(cases[_i].format, 2, output, NULL);
    CLEANUP(text_free) struct text words = {0};
    text_printf(&words, "1 of 2 values differ, most at [1]: %s", cases[_i].words);
    check.flags = GB_CHECK_EXACT;
    check.reference_exact = reference;
    struct verify_result result = compare(&check);
    ck_assert(verify_passes(&result, &check, VERIFY_ABS, 0));
    ck_assert_uint_eq(result.n_exact, 2);
    output[1] = cases[_i].near;
    result = compare(&check);
    ck_assert(!verify_passes(&result, &check, VERIFY_ABS, 0));
    ck_assert_str_eq(description(&result, &check, VERIFY_ABS, 0), text_get(&words));
}

/* ---- a second look: metrics where they are special, and the worst ---- */

enum { N = 5000, WORST = 7 };

static struct verify_result look(const struct gb_check *check, struct verify_element *worst,
                                 uint64_t n_worst)
{
    struct verify_result result = compare(check);
    const struct verify_detail_request request = {1e-8, 1e-5, worst, n_worst};
    for (int metric = VERIFY_DETAILS; metric < VERIFY_METRICS; metric++)
        ck_assert(isnan(result.metrics[metric].value));
    verify_details(check, &request, &result);
    return result;
}

TEST(norms_of_numbers_whose_squares_leave_the_range)
{
    static const double reference[] = {3e200, 4e200, 0}, output[] = {3e200, 4e200, 5e195};
    const struct gb_check check = check_of(GB_F64, 3, output, reference);
    const struct verify_result result = look(&check, NULL, 0);
    ck_assert_double_eq_tol(result.metrics[VERIFY_NORM].value, 1e-5, 1e-15);
    ck_assert_double_eq(result.metrics[VERIFY_MEAN_REL].value, 0);
}

TEST(the_worst_come_first)
{
    static double reference[N], output[N];
    struct verify_element worst[WORST];
    for (uint64_t i = 0; i < N; i++) {
        reference[i] = 1;
        output[i] = 1 + (double)((i * 7919) % N) * 0x1p-52;
    }
    const struct gb_check check = check_of(GB_F64, N, output, reference);
    struct verify_result result = look(&check, worst, WORST);
    ck_assert_uint_eq(result.n_worst, WORST);
    for (int i = 0; i < WORST; i++) {
        ck_assert_double_eq(worst[i].ulps, N - 1 - i);
        ck_assert_double_eq(worst[i].output, output[worst[i].index]);
    }
    for (uint64_t i = 0; i < N; i++)
        output[i] = 2; /* all alike: the first ones */
    look(&check, worst, WORST);
    for (uint64_t i = 0; i < WORST; i++)
        ck_assert_uint_eq(worst[i].index, i);
    memcpy(output, reference, sizeof output);
    output[17] = 2;
    result = look(&check, worst, WORST);
    ck_assert_uint_eq(result.n_worst, 1);
    ck_assert_uint_eq(worst[0].index, 17);
}

TEST(what_is_not_finite_has_no_say)
{
    static const double reference[] = {1, INFINITY, NAN, 2, 0}, output[] = {1, 1, 1, NAN, 0};
    const struct gb_check check = check_of(GB_F64, 5, output, reference);
    const struct verify_result result = look(&check, NULL, 0);
    for (int metric = VERIFY_DETAILS; metric < VERIFY_METRICS; metric++)
        ck_assert_double_eq(result.metrics[metric].value, 0);
    const struct gb_check none = check_of(GB_F64, 2, output + 2, reference + 1);
    ck_assert(isnan(look(&none, NULL, 0).metrics[VERIFY_NORM].value));
}

/* An exact zero as the reference allows nothing: the norm is infinite, and does not pass. */
TEST(references_of_zero)
{
    static const double reference[] = {0, 0}, output[] = {0, 1};
    const struct gb_check check = check_of(GB_F64, 2, output, reference);
    const struct verify_result result = look(&check, NULL, 0);
    ck_assert(isinf(result.metrics[VERIFY_NORM].value));
    ck_assert(isnan(result.metrics[VERIFY_MEAN_REL].value));
    ck_assert(!verify_passes(&result, &check, VERIFY_MEAN_REL, INFINITY));
    ck_assert_str_eq(description(&result, &check, VERIFY_MEAN_REL, 1),
                     "mean_rel cannot be judged: every reference is 0");
}

/* ---- messages, and what is refused ---- */

TEST(description_is_cut_at_the_buffers_end)
{
    const double reference[] = {1};
    const float output[] = {2};
    char buffer[8] = "xxxxxxx";
    struct gb_check check = check_of(GB_F32, 1, output, reference);
    struct verify_result result = compare(&check);
    verify_describe(&result, &check, VERIFY_ABS, 0, buffer, sizeof buffer);
    ck_assert_str_eq(buffer, "abs 1 >");
}

static double shared[4];
#define ASKED(type, ...)                                                                           \
    {                                                                                              \
        .format = type, .name = "C", .n = 4, __VA_ARGS__                                           \
    }
#define OF_SHARED(...) ASKED(GB_F32, .output = "", .reference = shared, __VA_ARGS__)
static const struct {
    struct gb_check check;
    const char *text;
} refused[] = {
    {{.size = 4}, "check: its size is 4, expected at least 80"},
    {ASKED(77, .output = "", .reference = shared), "check C: unknown number format 77"},
    {OF_SHARED(.accumulate = 78), "check C: unknown number format 78 of the sums"},
    {ASKED(GB_F32, .reference = shared), "check C: the output is NULL"},
    {{.format = GB_F32, .n = 4, .output = ""}, "check output: the reference is NULL"},
    {ASKED(GB_F64, .output = shared, .reference = shared),
     "check C: the output is its own reference"},
    {ASKED(GB_I64, .output = shared, .reference_exact = shared),
     "check C: the output is its own reference"},
    {OF_SHARED(.safety = -1), "check C: the safety is -1, expected 0.001 to 1e+06"},
    {OF_SHARED(.safety = NAN), "check C: the safety is nan, expected 0.001 to 1e+06"},
    {OF_SHARED(.bound = 3), "check C: unknown bound 3"},
    {OF_SHARED(.summation = 3), "check C: unknown summation 3"},
};

TEST_EACH(broken_requests_are_refused, refused)
{
    struct gb_check check = refused[_i].check;
    check.size = check.size ? check.size : sizeof check;
    struct verify_result result;
    struct gb_error error = {0};
    ck_assert_int_eq(verify_compare(&check, 1e-3, &result, &error), GB_INVALID);
    ck_assert_int_eq(error.status, GB_INVALID);
    ck_assert_str_eq(error.text, refused[_i].text);
}
