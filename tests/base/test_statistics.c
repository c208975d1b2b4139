/* test_statistics.c - core/base/statistics.c against values worked out by hand. */
#include "core/base/random.h"
#include "core/base/statistics.h"
#include "tests/check_main.h"

static const double nine[9] = {9, 1, 8, 2, 7, 3, 6, 4, 5};

TEST(mean_carries_what_a_plain_sum_loses)
{
    const double values[] = {1e16, 1, -1e16, 1}, infinite[] = {1, INFINITY, 2};
    double tenths[1000];
    for (int i = 0; i < 1000; i++)
        tenths[i] = 0.1;
    ck_assert_double_eq(mean_of(values, 4), 0.5);
    ck_assert_double_eq(mean_of(tenths, 1000), 0.1);
    ck_assert_double_eq(mean_of(infinite, 3), INFINITY);
    ck_assert(isnan(mean_of(NULL, 0)));
}

TEST(stdev_divides_by_n_minus_one)
{
    const double values[] = {2, 4, 4, 4, 5, 5, 7, 9};
    const double on_an_offset[] = {1e9 + 4, 1e9 + 7, 1e9 + 13, 1e9 + 16};
    ck_assert_double_eq_tol(stdev_of(values, 8), sqrt(32.0 / 7), 1e-15);
    ck_assert_double_eq_tol(stdev_of(on_an_offset, 4), sqrt(30), 1e-12);
    ck_assert(isnan(stdev_of(nine, 0)) && isnan(stdev_of(nine, 1)));
    ck_assert_double_eq(stdev_of(nine, 2), sqrt(32));
}

TEST(sort_is_ascending)
{
    double values[] = {3, -1, INFINITY, 0, -INFINITY, 3, 2};
    const double sorted[] = {-INFINITY, -1, 0, 2, 3, 3, INFINITY};
    sort_values(values, 7);
    ck_assert_mem_eq(values, sorted, sizeof sorted);
    sort_values(NULL, 0);
}

static const struct {
    double p, quantile;
} quantiles[] = {
    {0, 10}, {0.25, 17.5}, {0.5, 25}, {0.75, 32.5}, {1, 40}, {0.1, 13}, {-1, 10}, {2, 40},
};

TEST_EACH(quantile_interpolates_at_n_minus_one_times_p, quantiles)
{
    const double sorted[] = {10, 20, 30, 40}, infinite[] = {1, INFINITY, INFINITY};
    ck_assert_double_eq_tol(quantile_of_sorted(sorted, 4, quantiles[_i].p), quantiles[_i].quantile,
                            1e-12);
    ck_assert(isnan(quantile_of_sorted(sorted, 0, 0.5)));
    ck_assert_double_eq(quantile_of_sorted(sorted, 1, 0.3), 10);
    ck_assert_double_eq(quantile_of_sorted(infinite, 3, 0.75), INFINITY);
}

TEST(summary_leaves_its_input_alone)
{
    double values[9];
    memcpy(values, nine, sizeof nine);
    struct summary summary = summary_of(values, 9);
    ck_assert_mem_eq(values, nine, sizeof nine);
    ck_assert_uint_eq(summary.n, 9);
    const double figures[] = {summary.min, summary.max, summary.mean, summary.stdev, summary.median,
                              summary.q1,  summary.q3,  summary.p10,  summary.p90,   summary.p99};
    const double expected[] = {1, 9, 5, sqrt(7.5), 5, 3, 7, 1.8, 8.2, 8.92};
    for (int i = 0; i < 10; i++)
        if (i < 7)
            ck_assert_double_eq(figures[i], expected[i]);
        else
            ck_assert_double_eq_tol(figures[i], expected[i], 1e-12);
    summary = summary_of(NULL, 0);
    ck_assert_uint_eq(summary.n, 0);
    for (const double *figure = &summary.min; figure <= &summary.p99; figure++)
        ck_assert(isnan(*figure));
}

/* Computed to 25 digits from the regularized incomplete beta function, those of parts of degrees by
 * SciPy 1.10. */
static const double t_95[] = {
    12.70620473617, 4.302652729749, 3.182446305284, 2.776445105198, 2.570581835636, 2.446911851145,
    2.364624251593, 2.306004135204, 2.262157162798, 2.228138851986, 2.200985160092, 2.178812829667,
    2.160368656463, 2.144786687918, 2.13144954556,  2.119905299221, 2.109815577833, 2.100922040241,
    2.093024054408, 2.085963447266, 2.079613844728, 2.073873067904, 2.068657610419, 2.063898561628,
    2.059538552753, 2.055529438643, 2.05183051648,  2.048407141795, 2.045229642133, 2.042272456301,
};
static const struct {
    double confidence, degrees_and_t[20];
} t_others[] = {
    {0.5, {1, 1, 2, 0.816496580927726, 7.25, 0.709825106380239}},
    {0.9, {3, 2.35336343480182}},
    {0.99, {2, 9.92484320091829, 9, 3.24983554159213, 0.7, 364.935202981585}},
    {0.999, {30, 3.64595863504, 123.4, 3.3711186258385}},
    {0.95,
     {99, 1.984216951586, 1000, 1.96233908082641, 100000, 1.95998770753, 1.5, 6.01666310442793,
      2.71828, 3.37742187075343, 17.33, 2.10675931694146, 1000000.0, 1.95996635689707, 1.0001,
      12.7032028204515}},
};

TEST(students_t_has_known_quantiles)
{
    for (size_t i = 0; i < N_OF(t_95); i++)
        ck_assert_double_eq_tol(student_t_quantile(0.95, (double)i + 1), t_95[i], 1e-9);
    for (size_t i = 0; i < N_OF(t_others); i++)
        for (const double *known = t_others[i].degrees_and_t; *known > 0; known += 2)
            ck_assert_double_eq_tol(student_t_quantile(t_others[i].confidence, known[0]), known[1],
                                    1e-10 * known[1]);
}

/* Rounded where the formula says so: not fused, on no machine. The product must not go on in a
 * register that the compiler knows. */
static double product_in_memory(double a, double b)
{
    volatile double product = a * b;
    return product;
}

TEST(no_product_is_fused_with_a_sum)
{
    for (uint64_t i = 0; i < 1000; i++) {
        const double values[2] = {random_unit(1, 0, i), 1 + random_unit(1, 1, i)};
        const double p = random_unit(1, 2, i), mean = mean_of(values, 2);
        const double below = product_in_memory(values[0] - mean, values[0] - mean);
        const double above = product_in_memory(values[1] - mean, values[1] - mean);
        struct compensated_sum squares = {0};
        compensated_add(&squares, below);
        compensated_add(&squares, above);
        ck_assert_double_eq(quantile_of_sorted(values, 2, p),
                            values[0] + product_in_memory(p, values[1] - values[0]));
        ck_assert_double_eq(stdev_of(values, 2), sqrt(compensated_total(&squares)));
        ck_assert_double_eq(values[0] + rounded_product(p, values[1]),
                            values[0] + product_in_memory(p, values[1]));
    }
}

/* Of SciPy 1.10: stats.t.sf. */
static const struct {
    double t, degrees, p;
} t_outside[] = {
    {0, 3, 1},
    {1, 1, 0.49999999999999956},
    {0.5, 2.5, 0.65769791986971482},
    {2, 4.7, 0.10557218220343956},
    {12.7, 1, 0.050024327689344152},
    {5, 30.25, 2.2820081184578356e-05},
    {40, 7.5, 5.1190567637097898e-10},
    {1e-05, 3, 0.99999264894806128},
    {3, 1000000.0, 0.0026998625414217953},
    {100, 100.5, 1.9611951685975246e-102},
    {10000.0, 3, 2.2053155022958127e-12},
    {1.9, 0.5, 0.45625334264547951},
};
TEST(students_t_takes_parts_of_degrees)
{
    for (size_t i = 0; i < N_OF(t_outside); i++) {
        double p = student_t_outside(t_outside[i].t, t_outside[i].degrees);
        ck_assert_double_eq_tol(p, t_outside[i].p, 1e-10 * t_outside[i].p);
        ck_assert_double_eq(p, student_t_outside(-t_outside[i].t, t_outside[i].degrees));
    }
    ck_assert_double_eq(student_t_outside(INFINITY, 3), 0);
    ck_assert(isnan(student_t_outside(NAN, 3)) && isnan(student_t_outside(1, 0)));
}

TEST(students_t_of_nonsense_is_nan)
{
    static const double confidences[] = {0, 1, -0.5, 1.5, NAN, INFINITY};
    for (size_t i = 0; i < N_OF(confidences); i++)
        ck_assert(isnan(student_t_quantile(confidences[i], 5)));
    ck_assert(isnan(student_t_quantile(0.95, 0)));
}
