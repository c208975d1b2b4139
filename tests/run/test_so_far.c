/* test_so_far.c - the median of samples while there are more to come. */
#include "core/run/so_far.h"

#include "tests/check_main.h"

TEST(few_are_all_kept)
{
    const double times[] = {5, 1, NAN, 4, 2, 3, 9, 7};
    struct so_far so_far = {0};
    so_far_add(&so_far, NULL, 0);
    ck_assert(isnan(so_far_median(&so_far).median_ns));
    so_far_add(&so_far, times, 5);
    ck_assert(isnan(so_far_median(&so_far).low_ns)); /* of four values there is no interval */
    so_far_add(&so_far, times + 5, 3);
    const struct so_far_median found = so_far_median(&so_far);
    ck_assert_uint_eq(so_far.n, 7);
    ck_assert_double_eq(found.median_ns, 4);
    ck_assert_double_eq(found.low_ns, 1); /* the sign test: lowest to highest of 7 */
    ck_assert_double_eq(found.high_ns, 9);
    so_far_free(&so_far);
}

/* However many there are and whatever the chunks they come in, memory is bounded and those that are
 * kept are spread over all. */
TEST(many_are_thinned)
{
    enum { N = 1000000, CHUNK = 777 };
    struct so_far so_far = {0};
    double chunk[CHUNK];
    for (int first = 0; first < N; first += CHUNK) {
        int n = N - first < CHUNK ? N - first : CHUNK;
        for (int i = 0; i < n; i++)
            chunk[i] = first + i;
        so_far_add(&so_far, chunk, (uint64_t)n);
    }
    const struct so_far_median found = so_far_median(&so_far);
    ck_assert_uint_eq(so_far.n, N);
    ck_assert_uint_le(so_far.n_kept, SO_FAR_KEPT);
    ck_assert_uint_gt(so_far.n_kept, SO_FAR_KEPT / 4);
    for (size_t i = 0; i < so_far.n_kept; i++)
        ck_assert_double_eq(so_far.kept[i], (double)(i * so_far.step));
    ck_assert_double_eq_tol(found.median_ns, N / 2.0, 2.0 * (double)so_far.step);
    ck_assert_double_lt(found.low_ns, found.median_ns);
    ck_assert_double_gt(found.high_ns, found.median_ns);
    so_far_free(&so_far);
    ck_assert_uint_eq(so_far.n, 0);
}
