/* test_long_summary.c - core/base/long_summary.c gives what sorting all values gives. */
#include "core/base/long_summary.h"
#include "core/base/random.h"
#include "tests/check_main.h"

#include <float.h>

enum { MOST = 20000 };

/* In parts of changing length. */
static struct summary in_passes(const double *values, size_t n)
{
    struct long_summary *summary = long_summary_new();
    while (long_summary_begin_pass(summary))
        for (size_t done = 0, part = 1; done < n; done += part, part = 3 * part % 1021 + 1)
            long_summary_add(summary, values + done, part < n - done ? part : n - done);
    struct summary ret = long_summary_get(summary);
    long_summary_free(summary);
    return ret;
}

static void expect_equal(const double *values, size_t n, size_t n_finite)
{
    double *finite = malloc((n + 1) * sizeof *finite);
    ck_assert_ptr_nonnull(finite);
    size_t kept = 0;
    for (size_t i = 0; i < n; i++)
        if (isfinite(values[i]))
            finite[kept++] = values[i];
    ck_assert_uint_eq(kept, n_finite);
    struct summary expected = summary_of(finite, kept), got = in_passes(values, n);
    free(finite);
    ck_assert_mem_eq(&got, &expected, sizeof got);
}

enum { NORMAL, TICKS, ANY_BITS, SIGNS, ONE, EXTREMES, FAMILIES };

static double value_of(int family, size_t i)
{
    static const double extremes[] = {DBL_TRUE_MIN, -DBL_TRUE_MIN, 0,    1,
                                      DBL_EPSILON,  -1e150,        1e150};
    const uint64_t bits = random_bits(1, 2, i);
    double any;
    memcpy(&any, &bits, sizeof any);
    switch (family) {
    case NORMAL:
        return 1e3 + 1e-3 * (double)(bits % 1000003);
    case TICKS:
        return 32 * (double)(bits % 7);
    case ANY_BITS:
        return isfinite(any) ? ldexp(any, -600) : 1; /* squares do not overflow */
    case SIGNS:
        return (i % 2 ? 1 : -1) * (double)i / 3;
    case ONE:
        return 19;
    default:
        return extremes[i % 7];
    }
}

TEST_TIMES(it_equals_the_summary_of_sorted_values, FAMILIES)
{
    static const size_t sizes[] = {1, 2, 3, 4, 5, 10, 11, 99, 100, 101, 1000, MOST};
    double *values = malloc(MOST * sizeof *values);
    ck_assert_ptr_nonnull(values);
    for (size_t i = 0; i < MOST; i++)
        values[i] = value_of(_i, i);
    for (size_t i = 0; i < N_OF(sizes); i++)
        expect_equal(values, sizes[i], sizes[i]);
    free(values);
}

TEST(values_that_are_not_finite_are_left_out)
{
    const double values[] = {NAN, 3, INFINITY, 1, -INFINITY, 2, NAN};
    expect_equal(values, 7, 3);
    expect_equal(values, 1, 0);
    expect_equal(NULL, 0, 0);
}
