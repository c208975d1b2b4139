/* test_fleet.c - core/compare/fleet.h: which of many nodes are flagged, on simulated rounds: none
 * of fleets that are alike, the slow ones of others. */
#include "core/base/random.h"
#include "core/base/statistics.h"
#include "core/compare/fleet_internal.h"
#include "tests/check_main.h"
#include "tests/draws.h"

/* What a fleet is like; times are 1 us. */
struct design {
    size_t n_nodes, n_cases, n_rounds;
    double round_sd, run_sd;   /* of logarithms: between rounds, between the runs of nodes */
    size_t n_off, n_off_cases; /* the first nodes are off in the first cases, by: */
    double off;
    size_t n_noisy; /* the last nodes have so many times the noise: */
    double noisier;
    double margin;
};

static double normal(uint64_t seed, uint64_t stream, uint64_t index)
{
    return normal_of(random_unit(seed, stream, 2 * index),
                     random_unit(seed, stream, 2 * index + 1));
}

static struct fleet *make_fleet(const struct design *design, uint64_t seed)
{
    static const struct compare_options usual = {.margin = 0.01, .confidence = 0.95, .metric = ""};
    struct compare_options options = usual;
    if (design->margin > 0)
        options.margin = design->margin;
    struct fleet *fleet = fleet_new(&options, "host");
    for (size_t i = 0; i < design->n_nodes; i++) {
        const char *name = arena_printf(&fleet->arena, "n%zu", i);
        double drift = design->run_sd * normal(seed, 1, i);
        double sd = design->round_sd *
                    (i + design->n_noisy >= design->n_nodes ? design->noisier : 1);
        MEMORY_APPEND(fleet->units, fleet->n_units,
                      (struct fleet_unit){.name = name, .host = name, .started = ""});
        for (size_t j = 0; j < design->n_cases; j++) {
            struct fleet_reading reading = {.key = j + 1,
                                            .unit = i,
                                            .place = fleet->n_readings,
                                            .label = arena_printf(&fleet->arena, "case%zu", j),
                                            .bench = "b",
                                            .uid = "u",
                                            .model = "m",
                                            .started = "",
                                            .n = design->n_rounds,
                                            .interval_ratio = 0.0005,
                                            .is_certified = true};
            bool is_off = i < design->n_off && j < design->n_off_cases;
            reading.values = ARENA_ARRAY(&fleet->arena, double, design->n_rounds);
            for (size_t k = 0; k < design->n_rounds; k++)
                reading.values[k] = 1000 * (is_off ? design->off : 1) *
                                    exp(drift + sd * normal(seed, 2 + j, i * 1000 + k));
            MEMORY_APPEND(fleet->readings, fleet->n_readings, reading);
        }
    }
    struct gb_error error;
    ck_assert_int_eq(fleet_finish(fleet, &error), GB_OK);
    return fleet;
}

/* Over many seeds: the share of fleets in which all nodes that are off are called, and none else.
 */
static double try_design(const struct design *design, size_t n_fleets)
{
    size_t n_exact = 0;
    for (uint64_t seed = 1; seed <= n_fleets; seed++) {
        struct fleet *fleet = make_fleet(design, seed);
        const struct fleet_result *result = fleet_result(fleet);
        bool is_exact = true;
        ck_assert_uint_eq(result->n_nodes, design->n_nodes);
        for (size_t i = 0; i < result->n_nodes; i++) {
            int verdict = result->nodes[i].verdict;
            size_t number = strtoul(result->nodes[i].name + 1, NULL, 10);
            bool is_called = verdict == COMPARED_SLOWER || verdict == COMPARED_FASTER;
            is_exact &= is_called == (number < design->n_off);
            ck_assert_int_eq(result->nodes[i].is_flagged, verdict == COMPARED_SLOWER);
        }
        n_exact += is_exact;
        fleet_free(fleet);
    }
    return (double)n_exact / (double)n_fleets;
}

/* Of 200 fleets a share of 5 % is exceeded by chance up to 10.5 % (99.9 % of the binomial); of the
 * fewer ones that make check looks at the number is known. */
enum { FLEETS = 40, FLEETS_LONG = 200 };
static const struct {
    struct design design;
    double least; /* of fleets in which exactly the nodes that are off are called */
    int n_missed; /* of the fewer ones */
} designs[] = {
    {{3, 4, 5, .round_sd = 0.005}, 0.895, 0},
    {{8, 6, 5, .round_sd = 0.005}, 0.895, 0},
    {{8, 6, 3, .round_sd = 0.02}, 0.895, 0},
    {{8, 6, 2, .round_sd = 0.05}, 0.895, 0},
    {{8, 1, 3, .round_sd = 0.03}, 0.895, 0},
    {{8, 6, 1, .round_sd = 0.02}, 0.895, 0},
    {{3, 6, 1, .round_sd = 0.02}, 0.895, 0},
    {{64, 10, 1, .round_sd = 0.05}, 0.895, 0},
    {{64, 10, 3, .round_sd = 0.05}, 0.895, 0},
    {{8, 10, 5, .round_sd = 0.005, .run_sd = 0.003}, 0.895, 0},
    {{8, 10, 1, .round_sd = 0.005, .run_sd = 0.02}, 0.895, 0},
    {{8, 10, 5, .round_sd = 0.02, .n_noisy = 1, .noisier = 5}, 0.895, 0},
    /* without a margin: how good the p are by themselves */
    {{8, 6, 5, .round_sd = 0.005, .margin = 1e-9}, 0.895, 0},
    {{8, 2, 2, .round_sd = 0.005, .margin = 1e-9}, 0.895, 0},
    {{3, 2, 3, .round_sd = 0.005, .margin = 1e-9}, 0.895, 0},
    {{8, 1, 5, .round_sd = 0.005, .margin = 1e-9}, 0.895, 1},
    {{8, 2, 1, .round_sd = 0.005, .margin = 1e-9}, 0.895, 0},
    /* slow nodes, and only they, are found */
    {{8, 6, 5, .round_sd = 0.005, .n_off = 1, .n_off_cases = 6, .off = 1.05}, 0.95, 0},
    {{8, 6, 3, .round_sd = 0.005, .n_off = 1, .n_off_cases = 6, .off = 1.05}, 0.95, 0},
    {{3, 6, 5, .round_sd = 0.005, .n_off = 1, .n_off_cases = 6, .off = 1.05}, 0.95, 0},
    {{8, 6, 5, .round_sd = 0.005, .n_off = 1, .n_off_cases = 6, .off = 0.95}, 0.95, 0},
    {{8, 6, 5, .round_sd = 0.005, .n_off = 3, .n_off_cases = 6, .off = 1.05}, 0.95, 0},
    {{8, 20, 5, .round_sd = 0.005, .n_off = 1, .n_off_cases = 2, .off = 1.05}, 0.95, 1},
    {{8, 1, 5, .round_sd = 0.005, .n_off = 1, .n_off_cases = 1, .off = 1.05}, 0.95, 0},
    {{64, 10, 3, .round_sd = 0.005, .n_off = 5, .n_off_cases = 10, .off = 1.05}, 0.9, 0},
    {{64, 10, 1, .round_sd = 0.005, .n_off = 1, .n_off_cases = 10, .off = 1.05}, 0.9, 0},
    {{8, 6, 10, .round_sd = 0.005, .n_off = 1, .n_off_cases = 6, .off = 1.02}, 0.9, 0},
};

TEST(slow_nodes_and_only_they_are_called)
{
    for (size_t i = 0; i < sizeof designs / sizeof *designs; i++) {
        const double exact = try_design(&designs[i].design, test_is_long() ? FLEETS_LONG : FLEETS);
        ck_assert_msg(exact >= designs[i].least, "design %zu: %.3f", i, exact);
        if (!test_is_long())
            ck_assert_double_eq_tol(exact * FLEETS, FLEETS - designs[i].n_missed, 1e-9);
    }
}

TEST(one_case_alone_flags_no_node)
{
    static const struct design design = {
        8, 10, 5, .round_sd = 0.003, .n_off = 1, .n_off_cases = 1, .off = 1.5};
    struct fleet *fleet = make_fleet(&design, 1);
    const struct fleet_node *node = &fleet_result(fleet)->nodes[0];
    ck_assert_uint_eq(node->n_slower, 1);
    ck_assert_str_eq(node->first_slower, "case0");
    ck_assert(!node->is_flagged);
    fleet_free(fleet);
}

TEST(p_of_nodes_are_adjusted)
{
    static const struct design design = {
        8, 2, 5, .round_sd = 0.02, .n_off = 4, .n_off_cases = 2, .off = 1.1};
    struct fleet *fleet = make_fleet(&design, 1);
    const struct fleet_result *result = fleet_result(fleet);
    double p[8];
    for (size_t i = 0; i < 8; i++)
        p[i] = result->nodes[i].p;
    adjust_p_values(p, 8);
    ck_assert(p[0] > result->nodes[0].p);
    for (size_t i = 0; i < 8; i++)
        ck_assert_double_eq(result->nodes[i].adjusted_p, p[i]);
    fleet_free(fleet);
}

/* With several rounds: intervals hold the ratio as often as they should. */
TEST(intervals_hold_what_they_claim)
{
    static const struct design design = {
        8, 50, 5, .round_sd = 0.005, .n_off = 1, .n_off_cases = 50, .off = 1.05};
    size_t n = 0, n_held = 0;
    for (uint64_t seed = 1; seed <= 40; seed++) {
        struct fleet *fleet = make_fleet(&design, seed);
        const struct fleet_result *result = fleet_result(fleet);
        for (size_t i = 0; i < result->n_cases; i++)
            for (size_t j = 0; j < result->cases[i].n; j++, n++) {
                const struct comparison *of = &result->cases[i].cells[j].of.result;
                double truth = j < design.n_off ? log(design.off) : 0;
                n_held += of->low <= truth && truth <= of->high;
            }
        fleet_free(fleet);
    }
    double share = (double)n_held / (double)n;
    ck_assert(share > 0.94 && share < 0.985);
}

TEST(several_cases_are_what_counts)
{
    static const struct {
        double p[4];
        size_t n;
        double expected;
    } all[] = {{{0.03}, 1, 0.03},
               {{0.001, 0.5}, 2, 0.5},              /* 1 * p_(2) */
               {{0.5, 0.001, 0.002}, 3, 0.004},     /* 2 * p_(2) */
               {{0.01, 0.02, 0.02, 0.02}, 4, 0.02}, /* 1 * p_(4) */
               {{1, 1, 1, 1}, 4, 1}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        double p[4];
        for (size_t j = 0; j < all[i].n; j++)
            p[j] = all[i].p[j];
        ck_assert_double_eq_tol(fleet_several_p(p, all[i].n), all[i].expected, 1e-15);
    }
    ck_assert(isnan(fleet_several_p(NULL, 0)));
}

/* Values worked out by hand. */
TEST(the_median_is_the_reference)
{
    const double e = exp(0.01);
    const double values[4][2] = {{100, 100 * e * e}, {100, 100 * e * e}, {200, 200 * e * e}, {100}};
    struct fleet_values nodes[4] = {{.side = {.values = values[0], .n = 2, .interval_ratio = NAN}},
                                    {.side = {.values = values[1], .n = 2, .interval_ratio = NAN}},
                                    {.side = {.values = values[2], .n = 2, .interval_ratio = NAN}},
                                    {.side = {.values = values[3], .n = 0}}};
    struct fleet_median median = fleet_compare(nodes, 4, 0.01, 0.95);
    ck_assert_uint_eq(median.n, 3);
    ck_assert_double_eq_tol(median.median, log(100) + 0.01, 1e-12);
    ck_assert_double_eq_tol(nodes[2].result.theta, log(2), 1e-12);
    ck_assert_double_eq_tol(median.scatter, 0, 1e-12);
    ck_assert(isnan(nodes[3].result.theta));
    /* s^2 of two rounds 0.02 apart, over the median of a chi-square of 1 degree */
    double s = sqrt(0.0002 / pow(1 - 2 / 9.0, 3));
    double half = student_t_quantile(0.95, 0.37 * 3) * s / sqrt(2);
    ck_assert_double_eq_tol(nodes[0].result.high, half, 1e-9);
    ck_assert_double_eq_tol(nodes[2].result.low, log(2) - half, 1e-9);
    median = fleet_compare(nodes, 2, 0.01, 0.95); /* too few to judge */
    ck_assert(isnan(nodes[0].result.theta) && isnan(median.scatter));
    ck_assert_double_eq_tol(median.median, log(100) + 0.01, 1e-12);
}

TEST(without_noise_any_difference_counts)
{
    static const struct design design = {
        4, 3, 3, .round_sd = 0, .n_off = 1, .n_off_cases = 3, .off = 1.02};
    struct fleet *fleet = make_fleet(&design, 1);
    ck_assert_uint_eq(fleet_result(fleet)->n_flagged, 1);
    ck_assert_double_eq(fleet_result(fleet)->nodes[0].p, 0);
    ck_assert_int_eq(fleet_result(fleet)->nodes[1].verdict, COMPARED_SAME);
    ck_assert_int_eq(fleet_exit_code(fleet_result(fleet), false), 3);
    fleet_free(fleet);
}
