/*
 * compare.c - the proofs of comparisons, on simulated rounds: how often two identical programs are
 * called different, by gbrun's rules and by those that others use, how often a planted difference
 * is found, and how many rounds it takes until it is decided.
 *
 * A visit's median is exp(sd_visit * z) of the true time, its samples scatter around it by
 * SAMPLE_SD. usage: compare [PAIRS]
 */
#include "core/base/memory.h"
#include "core/base/random.h"
#include "core/base/statistics.h"
#include "core/compare/change_points.h"
#include "tests/draws.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SAMPLES = 30, ROUNDS_MOST = 40, PAIRS_OF_SEQUENCES = 4000 };
static const double VISIT_SD = 0.005, SAMPLE_SD = 0.002, MARGIN = 0.01, CONFIDENCE = 0.95;

/* ---- random numbers ---- */

static uint64_t drawn;

static double uniform(void)
{
    return random_unit(20261123, 0, drawn++);
}

static double normal(void)
{
    const double first = uniform();
    return normal_of(first, uniform());
}

/* ---- designs: what one visit differs by, ln ---- */

static double visit_normal(double place)
{
    (void)place;
    return VISIT_SD * normal();
}

/* As skewed as an exponential variable nearly, of the same standard deviation. */
static double visit_lognormal(double place)
{
    static const double sigma = 0.8;
    (void)place;
    double mean = exp(sigma * sigma / 2), sd = mean * sqrt(exp(sigma * sigma) - 1);
    return VISIT_SD * (exp(sigma * normal()) - mean) / sd;
}

/* Of two placements one is 1 % slower. */
static double visit_placements(double place)
{
    (void)place;
    return (uniform() < 0.5 ? 0 : 0.01) + 0.1 * VISIT_SD * normal();
}

/* The machine gets slower, by 2 % from the first visit to the last. */
static double visit_drift(double place)
{
    return 0.02 * place + VISIT_SD * normal();
}

static const struct design {
    const char *name;
    double (*visit)(double place); /* place: of the visit in its run, 0 to 1 */
} designs[] = {{"normal", visit_normal},
               {"lognormal", visit_lognormal},
               {"two placements", visit_placements},
               {"drift in the run", visit_drift}};
enum { DESIGNS = sizeof designs / sizeof *designs };

/* A and B in n rounds, with their samples. */
struct pair {
    size_t n;
    double a[ROUNDS_MOST], b[ROUNDS_MOST]; /* medians */
    double samples_a[ROUNDS_MOST][SAMPLES], samples_b[ROUNDS_MOST][SAMPLES];
};

static double measure(const struct design *design, double place, double effect, double *samples)
{
    double at = effect + design->visit(place);
    for (size_t i = 0; i < SAMPLES; i++)
        samples[i] = exp(at + SAMPLE_SD * normal());
    return summary_of(samples, SAMPLES).median;
}

/* Interleaved: AB, BA, AB ... in one run. Else A's rounds are one run and B's another. */
static void pair_measure(const struct design *design, size_t n, double effect, bool interleaved,
                         struct pair *ret)
{
    ret->n = n;
    for (size_t r = 0; r < n; r++) {
        double visits = interleaved ? (double)(2 * n) : (double)n;
        double first = interleaved ? 2 * (double)r : (double)r;
        double place_a = (first + (interleaved && r % 2)) / visits;
        double place_b = (first + (interleaved && !(r % 2))) / visits;
        ret->a[r] = measure(design, place_a, 0, ret->samples_a[r]);
        ret->b[r] = measure(design, place_b, effect, ret->samples_b[r]);
    }
}

/* ---- judges: do A and B differ? ---- */

static struct comparison compare_pair(const struct pair *pair, bool interleaved)
{
    struct compared_side a = {.values = pair->a, .n = pair->n, .interval_ratio = NAN};
    struct compared_side b = {.values = pair->b, .n = pair->n, .interval_ratio = NAN};
    return interleaved ? compare_paired(&a, &b, CONFIDENCE)
                       : compare_across(&a, &b, NULL, CONFIDENCE);
}

static bool excludes(const struct comparison *c)
{
    return c->low > 0 || c->high < 0;
}

/* Google Benchmark's compare.py: Mann and Whitney's U on all samples, in its normal approximation.
 */
static bool judge_u_test(const struct pair *pair)
{
    const double *a = pair->samples_a[0], *b = pair->samples_b[0];
    size_t n = pair->n * SAMPLES;
    double u = 0;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            u += b[j] > a[i];
    double mean = 0.5 * (double)n * (double)n;
    double sd = sqrt((double)n * (double)n * (2 * (double)n + 1) / 12);
    return fabs(u - mean) / sd > 1.96;
}

/* pyperf compare_to: Student's t on all samples. */
static bool judge_pooled_t(const struct pair *pair)
{
    struct compared_side a = {.values = pair->samples_a[0], .n = pair->n * SAMPLES};
    struct compared_side b = {.values = pair->samples_b[0], .n = pair->n * SAMPLES};
    struct comparison c = compare_across(&a, &b, NULL, CONFIDENCE);
    return excludes(&c);
}

/* Percentile bootstrap of the mean difference of rounds. */
static bool judge_bootstrap(const struct pair *pair)
{
    enum { RESAMPLES = 999 };
    double means[RESAMPLES];
    for (size_t i = 0; i < RESAMPLES; i++) {
        means[i] = 0;
        for (size_t r = 0; r < pair->n; r++) {
            size_t k = (size_t)(uniform() * (double)pair->n);
            means[i] += log(pair->b[k]) - log(pair->a[k]);
        }
    }
    sort_values(means, RESAMPLES);
    return means[24] > 0 || means[974] < 0;
}

/* ---- tables ---- */

static const size_t rounds[] = {3, 5, 10, 20};
enum { N_ROUNDS = sizeof rounds / sizeof *rounds };
static int n_failed;

static double percent(size_t n, size_t of)
{
    return 100 * (double)n / (double)of;
}

static const char *limit(double value, double most)
{
    n_failed += value > most;
    return value > most ? " MISSED" : "";
}

/* Pairs whose interval excludes 1, and those called anything after all are judged together. */
static void print_false(const struct design *design, size_t n_rounds, bool interleaved, size_t n)
{
    CLEANUP(free_pointer) struct comparison *all = memory_allocate(n * sizeof *all);
    CLEANUP(free_pointer) struct comparison **items = memory_allocate(n * sizeof *items);
    struct pair pair;
    size_t n_excluded = 0, n_called = 0, n_same = 0;
    for (size_t i = 0; i < n; i++) {
        pair_measure(design, n_rounds, 0, interleaved, &pair);
        all[i] = compare_pair(&pair, interleaved);
        items[i] = &all[i];
        n_excluded += excludes(&all[i]);
    }
    compare_judge(items, n, MARGIN, CONFIDENCE);
    for (size_t i = 0; i < n; i++) {
        n_called += all[i].verdict != COMPARED_SAME && all[i].verdict != COMPARED_UNCLEAR;
        n_same += all[i].verdict == COMPARED_SAME;
    }
    double before = percent(n_excluded, n), after = percent(n_called, n);
    printf("%-17s %-9s %3zu %9.1f %9.1f %9.1f%s%s\n", design->name,
           interleaved ? "paired" : "two runs", n_rounds, before, after, percent(n_same, n),
           limit(before, 7), limit(after, 5));
}

static void print_others(const struct design *design, size_t n_rounds, size_t n)
{
    static bool (*const judges[])(const struct pair *) = {judge_pooled_t, judge_u_test,
                                                          judge_bootstrap};
    enum { JUDGES = sizeof judges / sizeof *judges };
    CLEANUP(free_pointer) struct pair *pair = memory_allocate(sizeof *pair);
    size_t n_called[JUDGES] = {0};
    for (size_t i = 0; i < n; i++) {
        pair_measure(design, n_rounds, 0, true, pair);
        for (size_t j = 0; j < JUDGES; j++)
            n_called[j] += judges[j](pair);
    }
    printf("%-17s %3zu %10.1f %10.1f %10.1f\n", design->name, n_rounds, percent(n_called[0], n),
           percent(n_called[1], n), percent(n_called[2], n));
}

static void print_power(double effect, size_t n_rounds, bool interleaved, size_t n)
{
    struct pair pair;
    size_t n_different = 0, n_slower = 0, n_faster = 0;
    for (size_t i = 0; i < n; i++) {
        pair_measure(&designs[0], n_rounds, log1p(effect), interleaved, &pair);
        struct comparison c = compare_pair(&pair, interleaved);
        struct comparison *items[] = {&c};
        compare_judge(items, 1, MARGIN, CONFIDENCE);
        n_different += excludes(&c);
        n_slower += c.verdict == COMPARED_SLOWER;
        n_faster += c.verdict == COMPARED_FASTER;
    }
    printf("%-8.1f %-9s %3zu %10.1f %8.1f %8.1f\n", 100 * effect,
           interleaved ? "paired" : "two runs", n_rounds, percent(n_different, n),
           percent(n_slower, n), percent(n_faster, n));
}

/* A sequence ends by itself, or unclear after ROUNDS_MOST. */
static int sequence_run(double effect, size_t *ret_n)
{
    struct compare_sequence sequence;
    compare_sequence_begin(&sequence);
    int verdict = COMPARED_UNCLEAR;
    for (int r = 0; r < ROUNDS_MOST && verdict == COMPARED_UNCLEAR; r++) {
        double d = log1p(effect) + VISIT_SD * (normal() - normal());
        compare_sequence_add(&sequence, d, 0, CONFIDENCE);
        verdict = compare_sequence_verdict(&sequence, MARGIN, r + 1 == ROUNDS_MOST);
    }
    *ret_n = sequence.n;
    return verdict;
}

static void print_sequence(double effect)
{
    size_t counts[COMPARED_VERDICTS] = {0};
    CLEANUP(free_pointer) double *lengths = memory_allocate(PAIRS_OF_SEQUENCES * sizeof *lengths);
    for (size_t i = 0; i < PAIRS_OF_SEQUENCES; i++) {
        size_t n = 0;
        counts[sequence_run(effect, &n)]++;
        lengths[i] = (double)n;
    }
    sort_values(lengths, PAIRS_OF_SEQUENCES);
    printf("%-8.1f", 100 * effect);
    for (int v = COMPARED_SLOWER; v <= COMPARED_UNCLEAR; v++)
        printf(" %8.1f", percent(counts[v], PAIRS_OF_SEQUENCES));
    double wrong = percent(counts[COMPARED_SLOWER] + counts[COMPARED_FASTER], PAIRS_OF_SEQUENCES);
    printf(" %8.0f %8.0f%s\n", quantile_of_sorted(lengths, PAIRS_OF_SEQUENCES, 0.5),
           quantile_of_sorted(lengths, PAIRS_OF_SEQUENCES, 0.95),
           effect == 0 ? limit(wrong, 5) : "");
}

/* FAMILY cases judged together until each is decided; the first FAMILY_SLOWER are slower by 2 %. */
static void print_families(size_t n)
{
    enum { FAMILY = 20, FAMILY_SLOWER = 2 };
    static double a[FAMILY][ROUNDS_MOST], b[FAMILY][ROUNDS_MOST];
    struct comparison results[FAMILY];
    size_t n_found = 0, n_false = 0, n_any = 0, n_rounds = 0;
    for (size_t i = 0; i < n; i++) {
        struct compared_rounds items[FAMILY];
        bool any = false;
        for (size_t j = 0; j < FAMILY; j++) {
            for (size_t r = 0; r < ROUNDS_MOST; r++) {
                a[j][r] = exp(VISIT_SD * normal());
                b[j][r] = exp((j < FAMILY_SLOWER ? log1p(0.02) : 0) + VISIT_SD * normal());
            }
            items[j] = (struct compared_rounds){
                .a = a[j], .b = b[j], .n = ROUNDS_MOST, .ret = &results[j]};
        }
        compare_judge_rounds(items, FAMILY, MARGIN, CONFIDENCE, false);
        for (size_t j = 0; j < FAMILY; j++) {
            bool is_called = results[j].verdict == COMPARED_SLOWER ||
                             results[j].verdict == COMPARED_FASTER;
            n_found += j < FAMILY_SLOWER && results[j].verdict == COMPARED_SLOWER;
            n_false += j >= FAMILY_SLOWER && is_called;
            any |= j >= FAMILY_SLOWER && is_called;
            n_rounds += results[j].n_rounds;
        }
        n_any += any;
    }
    double wrong = percent(n_any, n);
    printf(
        "\n%d cases together, %d of them slower by 2 %%: %.1f %% of those found, %.2f %% of the\n"
        "others called, in %.1f %% of families any (limit 5)%s; %.1f rounds a case\n",
        FAMILY, FAMILY_SLOWER, percent(n_found, n * FAMILY_SLOWER),
        percent(n_false, n * (FAMILY - FAMILY_SLOWER)), wrong, limit(wrong, 5),
        (double)n_rounds / (double)n / FAMILY);
}

/* Histories of RUNS runs of three rounds: runs differ by RUN_SD, from run STEP on they are slower.
 */
static void print_histories(double effect, size_t n)
{
    enum { RUNS = 20, STEP = 12, ROUNDS = 3 };
    static const double RUN_SD = 0.003;
    size_t n_any = 0, n_right = 0;
    for (size_t i = 0; i < n; i++) {
        double values[RUNS][ROUNDS];
        struct history_run runs[RUNS];
        struct change_point *points;
        for (size_t r = 0; r < RUNS; r++) {
            double run = RUN_SD * normal() + (r >= STEP ? log1p(effect) : 0);
            for (size_t k = 0; k < ROUNDS; k++)
                values[r][k] = exp(run + VISIT_SD * normal());
            runs[r] = (struct history_run){values[r], ROUNDS, 0, NAN};
        }
        size_t n_points = change_points_find(runs, RUNS, MARGIN, CONFIDENCE, &points);
        n_any += n_points > 0;
        n_right += n_points == 1 && points[0].kind == CHANGE_STEP && points[0].at == STEP;
        free(points);
    }
    double any = percent(n_any, n);
    printf("%-8.1f %10.1f %10.1f%s\n", 100 * effect, any, percent(n_right, n),
           effect == 0 ? limit(any, 5) : "");
}

int main(int argc, char **argv)
{
    static const double effects[] = {0, 0.005, 0.01, 0.02, 0.05};
    enum { EFFECTS = sizeof effects / sizeof *effects };
    size_t n = argc > 1 ? (size_t)strtoul(argv[1], NULL, 10) : 1000;
    if (n == 0) {
        fprintf(stderr, "usage: compare [PAIRS]\n");
        return 2;
    }
    printf(
        "A against A, %zu pairs; %% whose interval excludes 1 (limit 7), that are called slower,\n"
        "faster or changed after Benjamini and Hochberg's correction (limit 5), and `same`\n",
        n);
    printf("%-17s %-9s %3s %9s %9s %9s\n", "visits", "form", "R", "excluded", "called", "same");
    for (size_t i = 0; i < DESIGNS; i++)
        for (size_t j = 0; j < N_ROUNDS; j++)
            for (int k = 0; k < 2; k++)
                print_false(&designs[i], rounds[j], k == 0, n);
    printf("\nthe same pairs judged by others' rules, %% called different\n");
    printf("%-17s %3s %10s %10s %10s\n", "visits", "R", "pooled t", "U test", "bootstrap");
    for (size_t i = 0; i < DESIGNS; i++)
        for (size_t j = 0; j < N_ROUNDS; j++)
            print_others(&designs[i], rounds[j], n);
    printf("\nB slower by so many %%, visits differ by %.1f %%; margin %.0f %%; %%\n",
           100 * VISIT_SD, 100 * MARGIN);
    printf("%-8s %-9s %3s %10s %8s %8s\n", "slower", "form", "R", "excluded", "slower", "faster");
    for (size_t i = 1; i < EFFECTS; i++)
        for (size_t j = 0; j < N_ROUNDS; j++)
            for (int k = 0; k < 2; k++)
                print_power(effects[i], rounds[j], k == 0, n);
    printf("\nuntil it is decided, %d at most; %% of %d, and rounds (median, 95 %%)\n", ROUNDS_MOST,
           PAIRS_OF_SEQUENCES);
    printf("%-8s %8s %8s %8s %8s %8s %8s %8s\n", "slower", "slower", "faster", "changed", "same",
           "unclear", "rounds", "95 %");
    for (size_t i = 0; i < EFFECTS; i++)
        print_sequence(effects[i]);
    print_families(n);
    puts("\nhistories of 20 runs, slower from one on by so many %; % with any change (limit 5), "
         "and\n"
         "with one change, at the right run");
    printf("%-8s %10s %10s\n", "slower", "any", "right");
    for (size_t i = 0; i < EFFECTS; i++)
        print_histories(effects[i], n);
    return n_failed ? 1 : 0;
}
