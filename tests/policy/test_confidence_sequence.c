/* test_confidence_sequence.c - the radius of the confidence sequence, and how often it is wrong. */
#include "plugins/common/policy/order_statistics.h"
#include "tests/check_main.h"
#include "tests/fake_host.h"

/* By hand for n_e = 256 and alpha = 5 %: v = 64, L = 2.99573, rho = 64 / (5.99146 + 1.94469) =
 * 8.06434, h = sqrt(72.06434 (ln 8.93624 + 5.99146)) / 256. */
TEST(radius)
{
    static const struct {
        double n_effective, alpha, n_optimal, radius;
    } cases[] = {
        {256, 0.05, 256, 0.09485028094925792},  {300, 0.05, 256, 0.08764807541254044},
        {16, 0.05, 256, 0.548943300792819}, /* says nothing yet */
        {1000, 0.01, 256, 0.05772690837465232}, {1e4, 0.05, 256, 0.01715307477462658},
        {1e6, 0.05, 256, 0.002020753921029118}, {626, 0.05 / 3, 64, 0.07190731557678529},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        ck_assert_double_eq_tol(
            confidence_sequence_radius(cases[i].n_effective, cases[i].alpha, cases[i].n_optimal),
            cases[i].radius, 1e-14);
}

/* Coins are thrown and looked at each time: few of the 2000 are ever outside. */
TEST(holds_at_all_looks)
{
    enum { RUNS = 400, WRONG = 13, RUNS_LONG = 2000, THROWS = 2000 };
    const unsigned n_runs = test_is_long() ? RUNS_LONG : RUNS;
    static double radii[THROWS + 1];
    uint64_t seed = 3;
    unsigned n_wrong = 0;
    for (uint64_t n = 1; n <= THROWS; n++)
        radii[n] = confidence_sequence_radius((double)n, 0.05, 256.0);
    for (unsigned run = 0; run < n_runs; run++) {
        uint64_t heads = 0;
        bool is_wrong = false;
        for (uint64_t n = 1; n <= THROWS; n++) {
            heads += fake_unit(&seed) < 0.5;
            is_wrong = is_wrong || fabs((double)heads / (double)n - 0.5) > radii[n];
        }
        n_wrong += is_wrong;
    }
    ck_assert_uint_le(n_wrong, n_runs / 20);
    if (!test_is_long())
        ck_assert_uint_eq(n_wrong, WRONG);
}
