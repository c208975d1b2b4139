/* test_verify_details.c - core/verify/verify_details.c: metrics of a second look where they are
 * special, and the worst. Those of random data are in test_verify_pass.c. */
#include "tests/verify/verify_fixture.h"

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
