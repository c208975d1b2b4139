/* test_modes.c - modes that are there and modes that are not. */
#include "plugins/policy_steady/modes.h"
#include "tests/check_main.h"
#include "tests/fake_host.h"

enum { MANY = 60000 };
static double values[MANY];

struct mixture {
    double weight, centre, sigma;
};

static void draw(const struct mixture *parts, size_t n_parts, uint64_t n, double tick)
{
    uint64_t seed = 21;
    for (uint64_t i = 0; i < n; i++) {
        double left = fake_unit(&seed);
        size_t part = 0;
        while (part + 1 < n_parts && left >= parts[part].weight)
            left -= parts[part++].weight;
        values[i] = parts[part].centre * (1.0 + parts[part].sigma * fake_normal(&seed));
        if (tick > 0.0)
            values[i] = tick * round(values[i] / tick);
    }
}

static struct modes found(uint64_t n, double tick, double min_weight)
{
    struct rank_index index = {0};
    struct modes modes;
    ck_assert_int_eq(rank_index_update(&index, values, n), GB_OK);
    const struct retained retained = retained_all(&index);
    modes_find(&retained, retained_value(&retained, n / 2), tick, min_weight, &modes);
    rank_index_free(&index);
    ck_assert_double_eq(modes.edges[0], (double)-INFINITY);
    ck_assert_double_eq(modes.edges[modes.n], (double)INFINITY);
    return modes;
}

TEST_TIMES(mixtures, 13)
{
    static const struct {
        struct mixture parts[4];
        size_t n_parts;
        uint64_t n;
        double tick;
        size_t n_modes;
    } cases[] = {
        {{{1.0, 100, 0.01}}, 1, 600, 0.0, 1},
        {{{1.0, 100, 0.01}}, 1, MANY, 0.0, 1},
        {{{1.0, 100, 0.00001}}, 1, MANY, 0.0, 1},
        {{{0.5, 100, 0.01}, {0.5, 115, 0.01}}, 2, 600, 0.0, 2},
        {{{0.5, 100, 0.01}, {0.5, 115, 0.01}}, 2, 600, 1.0, 2},
        {{{0.95, 100, 0.01}, {0.05, 135, 0.01}}, 2, 4000, 0.0, 2},
        {{{0.99, 100, 0.01}, {0.01, 135, 0.01}}, 2, MANY, 0.0, 1},     /* too light */
        {{{0.5, 100, 0.0001}, {0.5, 100.5, 0.0001}}, 2, MANY, 0.0, 1}, /* too close */
        {{{0.5, 100, 0.01}, {0.5, 102, 0.01}}, 2, MANY, 0.0, 1},       /* no valley */
        {{{0.3, 80, 0.01}, {0.4, 100, 0.01}, {0.3, 120, 0.01}}, 3, 3000, 0.0, 3},
        {{{0.4, 100, 0.005}, {0.3, 110, 0.005}, {0.2, 120, 0.005}, {0.1, 130, 0.005}},
         4,
         MANY,
         0.0,
         4},
        {{{0.5, 100, 0.0}, {0.5, 101, 0.0}}, 2, MANY, 1.0, 1}, /* two ticks, side by side */
        {{{0.5, 100, 0.0}, {0.5, 110, 0.0}}, 2, MANY, 1.0, 2},
    };
    draw(cases[_i].parts, cases[_i].n_parts, cases[_i].n, cases[_i].tick);
    const struct modes modes = found(cases[_i].n, cases[_i].tick, 0.02);
    ck_assert_uint_eq(modes.n, cases[_i].n_modes);
    for (size_t i = 0; i < modes.n && modes.n == cases[_i].n_parts; i++) {
        ck_assert_double_eq_tol(modes.weights[i], cases[_i].parts[i].weight, 0.06);
        ck_assert(modes.edges[i] < cases[_i].parts[i].centre &&
                  cases[_i].parts[i].centre < modes.edges[i + 1]);
    }
}

/* A mode joins the neighbour towards the main peak if it is too light. */
TEST(light_modes_join)
{
    const struct mixture parts[] = {{0.6, 100, 0.005}, {0.1, 110, 0.005}, {0.3, 120, 0.005}};
    draw(parts, 3, MANY, 0.0);
    ck_assert_uint_eq(found(MANY, 0.0, 0.02).n, 3);
    const struct modes modes = found(MANY, 0.0, 0.2);
    ck_assert_uint_eq(modes.n, 2);
    ck_assert_double_eq_tol(modes.weights[0], 0.7, 0.02);
}

/* More than can be reported: the farthest are joined. */
TEST(many_modes)
{
    for (uint64_t i = 0; i < MANY; i++)
        values[i] = 100.0 + 10.0 * (double)(i % 10) + (double)(i / 10 % 10) * 0.01;
    const struct modes modes = found(MANY, 0.0, 0.02);
    ck_assert_uint_eq(modes.n, GB_MODES_MAX);
    double weight = 0.0;
    for (size_t i = 0; i < modes.n; i++) {
        ck_assert_double_lt(modes.edges[i], modes.edges[i + 1]);
        weight += modes.weights[i];
    }
    ck_assert_double_eq_tol(weight, 1.0, 1e-12);
}
