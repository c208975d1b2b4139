/* comparison.c - see comparison.h. */
#include "core/compare/comparison.h"

#include "core/base/members.h"
#include "core/base/memory.h"
#include "core/base/statistics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *word;
    bool is_bad, is_bad_if_strict;
} verdicts[COMPARED_VERDICTS] = {
#define COMPARED_LINE(name, word, bad, strict) {word, bad, strict},
    COMPARED_MAP(COMPARED_LINE)
#undef COMPARED_LINE
};

const char *compared_word(int verdict)
{
    return verdicts[verdict].word;
}

int compared_turned(int verdict)
{
    return verdict == COMPARED_SLOWER   ? COMPARED_FASTER
           : verdict == COMPARED_FASTER ? COMPARED_SLOWER
                                        : verdict;
}

bool compared_is_bad(int verdict, bool is_strict)
{
    return verdicts[verdict].is_bad || (is_strict && verdicts[verdict].is_bad_if_strict);
}

const char *compared_scope_code(int scope)
{
    static const char *const codes[] = {
#define SCOPE_CODE(name, code) code,
        COMPARED_SCOPE_MAP(SCOPE_CODE)
#undef SCOPE_CODE
    };
    return codes[scope];
}

/* ---- two sides ---- */

static double *logs_of(const struct compared_side *side)
{
    double *logs = memory_allocate((side->n + 1) * sizeof *logs);
    for (size_t i = 0; i < side->n; i++)
        logs[i] = log(side->values[i]);
    return logs;
}

static struct comparison unknown_comparison(void)
{
    return (struct comparison){.theta = NAN,
                               .low = -INFINITY,
                               .high = INFINITY,
                               .p = NAN,
                               .adjusted_p = NAN,
                               .deviation = NAN,
                               .t = NAN,
                               .verdict = COMPARED_UNCLEAR};
}

static double step_floor(const struct compared_side *a, const struct compared_side *b)
{
    return 0.5 * hypot(a->step_ratio, b->step_ratio);
}

static void set_interval(struct comparison *c, double half_width)
{
    c->low = c->theta - half_width;
    c->high = c->theta + half_width;
}

void compare_set_by_t(struct comparison *c, double error, double degrees, double floor,
                      double confidence)
{
    c->t = student_t_quantile(confidence, degrees);
    double half_width = fmax(c->t * error, floor);
    set_interval(c, half_width);
    if (half_width > 0)
        c->p = student_t_outside(c->theta * c->t / half_width, degrees);
    else
        c->p = c->theta == 0 ? 1 : 0;
}

static void set_visit(struct comparison *c, const struct compared_side *a,
                      const struct compared_side *b, double confidence)
{
    double half_width = fmax(hypot(a->interval_ratio, b->interval_ratio), step_floor(a, b));
    c->is_visit = true;
    c->t = student_t_quantile(confidence, NORMAL_DEGREES);
    if (isnan(a->interval_ratio) || isnan(b->interval_ratio) || !(half_width > 0))
        return; /* nothing is known about the precision */
    set_interval(c, half_width);
    c->p = erfc(fabs(c->theta) * c->t / half_width / sqrt(2));
}

static void unite_with_signs(struct comparison *c, double *differences, size_t n, double confidence)
{
    enum { LEAST_ROUNDS = 12 };
    size_t k = n < LEAST_ROUNDS ? 0 : sign_interval_rank(n, confidence);
    if (k == 0)
        return;
    sort_values(differences, n);
    c->low = fmin(c->low, differences[k - 1]);
    c->high = fmax(c->high, differences[n - k]);
}

struct comparison compare_paired(const struct compared_side *a, const struct compared_side *b,
                                 double confidence)
{
    struct comparison c = unknown_comparison();
    CLEANUP(free_pointer) double *differences = logs_of(b);
    CLEANUP(free_pointer) double *base = logs_of(a);
    size_t n = a->n;
    c.is_paired = true;
    c.scope = SCOPE_ROUNDS;
    c.n_rounds = n;
    for (size_t i = 0; i < n; i++)
        differences[i] -= base[i];
    c.theta = mean_of(differences, n);
    if (n == 1)
        set_visit(&c, a, b, confidence);
    if (n < 2)
        return c;
    c.deviation = stdev_of(differences, n);
    compare_set_by_t(&c, c.deviation / sqrt((double)n), (double)n - 1, step_floor(a, b),
                     confidence);
    unite_with_signs(&c, differences, n, confidence);
    return c;
}

static double square(double value)
{
    return value * value;
}

/* The degrees of a sum of variances, of Welch and Satterthwaite. */
struct variance_sum {
    double sum, below;
};

static void add_variance(struct variance_sum *total, double share, double estimate, double degrees)
{
    total->sum += share;
    if (degrees > 0)
        total->below += square(estimate) / degrees;
}

/* Of a side's rounds by their own samples. */
static double variance_of_samples(const struct compared_side *side)
{
    return isnan(side->interval_ratio)
               ? 0
               : square(side->interval_ratio / student_t_quantile(0.95, NORMAL_DEGREES));
}

/* Of a side of one round whose samples leave more open than those of the rounds that it is taken to
 * vary as: by how much. */
static double variance_beyond(const struct compared_side *a, const struct compared_side *b)
{
    const struct compared_side *one = a->n == 1 ? a : b, *other = a->n == 1 ? b : a;
    return one->n == 1 && other->n > 1
               ? fmax(variance_of_samples(one) - variance_of_samples(other), 0)
               : 0;
}

/* Of rounds within the runs. s: of both sides, which may each be that of the other. more: how many
 * times its own variance a run has beside. */
static struct variance_sum variance_within(double s_a, size_t n_a, double s_b, size_t n_b,
                                           double more)
{
    const double error_a = square(s_a) / (double)n_a + more * square(s_a);
    const double error_b = square(s_b) / (double)n_b + more * square(s_b);
    struct variance_sum total = {0};
    if (n_a > 1 && n_b > 1) {
        add_variance(&total, error_a, error_a, (double)n_a - 1);
        add_variance(&total, error_b, error_b, (double)n_b - 1);
    } else {
        add_variance(&total, error_a + error_b, error_a + error_b, (double)(n_a + n_b - 2));
    }
    return total;
}

/* Of the logs of a side's rounds. One alone varies as the other side's do: by as large a share, and
 * by as much time, as of what is measured beside it. */
static double deviation_of(const double *logs, const struct compared_side *side,
                           const double *others, const struct compared_side *other)
{
    if (side->n > 1)
        return stdev_of(logs, side->n);
    return stdev_of(others, other->n) * fmax(exp(mean_of(others, other->n) - logs[0]), 1);
}

struct comparison compare_across(const struct compared_side *a, const struct compared_side *b,
                                 const struct between_runs *between, double confidence)
{
    struct comparison c = unknown_comparison();
    CLEANUP(free_pointer) double *base = logs_of(a);
    CLEANUP(free_pointer) double *new = logs_of(b);
    const bool is_known = between && !isnan(between->variance);
    const bool is_single = a->n == 1 && b->n == 1;
    c.n_rounds = a->n < b->n ? a->n : b->n;
    if (c.n_rounds == 0)
        return c;
    const bool is_as_rounds = between && !is_known && between->is_as_rounds && !is_single;
    c.scope = is_known ? SCOPE_HISTORY : is_as_rounds ? SCOPE_MACHINE : SCOPE_RUNS;
    c.theta = mean_of(new, b->n) - mean_of(base, a->n);
    if (is_single && !is_known) {
        set_visit(&c, a, b, confidence);
        return c;
    }
    const double s_a = is_single ? sqrt(between->within) : deviation_of(base, a, new, b);
    const double s_b = is_single ? s_a : deviation_of(new, b, base, a);
    struct variance_sum total = variance_within(s_a, a->n, s_b, b->n, is_as_rounds);
    add_variance(&total, variance_beyond(a, b), 0, 0);
    if (is_single)
        add_variance(&total, 0, total.sum, between->within_degrees);
    if (is_known) {
        const double variance = 2 * between->variance, subtracted = 2 * between->subtracted;
        add_variance(&total, variance, variance + subtracted, between->degrees);
        add_variance(&total, 0, subtracted, between->within_degrees);
        c.between = sqrt(between->variance);
    }
    c.deviation = hypot(s_a, s_b);
    if (is_as_rounds)
        c.between = c.deviation / sqrt(2);
    compare_set_by_t(&c, sqrt(total.sum),
                     total.below > 0 ? square(total.sum) / total.below : (double)(a->n + b->n - 2),
                     step_floor(a, b), confidence);
    return c;
}

void compare_widen(struct comparison *c, double by)
{
    const double half_width = 0.5 * (c->high - c->low), left = fmax(fabs(c->theta) - by, 0);
    c->low -= by;
    c->high += by;
    c->p = fmax(c->p, half_width > 0 ? erfc(left * c->t / half_width / sqrt(2)) : left == 0);
}

static bool agrees(const struct compared_side *side)
{
    for (size_t i = 1; i < side->n; i++)
        if (side->values[i] != side->values[0])
            return false;
    return side->n > 0;
}

bool compare_exact(const struct compared_side *a, const struct compared_side *b,
                   struct comparison *ret)
{
    if (!agrees(a) || !agrees(b))
        return false;
    double from = a->values[0], to = b->values[0];
    if (from != to && !(from >= 0 && to >= 0))
        return false; /* there is no ratio */
    *ret = unknown_comparison();
    ret->is_exact = true;
    ret->n_rounds = a->n < b->n ? a->n : b->n;
    ret->theta = from == to ? 0 : log(to) - log(from);
    ret->low = ret->high = ret->theta;
    ret->p = from == to ? 1 : 0;
    return true;
}

/* ---- many cases ---- */

struct ranked_p {
    double p;
    size_t index;
};

ORDER_BY_NUMBER(compare_ranked, struct ranked_p, p)

void adjust_p_values(double *p, size_t n)
{
    struct ranked_p *ranked = memory_allocate((n + 1) * sizeof *ranked);
    for (size_t i = 0; i < n; i++)
        ranked[i] = (struct ranked_p){p[i], i};
    qsort(ranked, n, sizeof *ranked, compare_ranked);
    double least = 1;
    for (size_t i = n; i-- > 0;) {
        least = fmin(least, ranked[i].p * (double)n / (double)(i + 1));
        p[ranked[i].index] = least;
    }
    free(ranked);
}

static int verdict_of_interval(double theta, double low, double high, double margin_log,
                               bool is_significant)
{
    bool excludes = low > 0 || high < 0;
    if (excludes && is_significant) {
        if (fabs(theta) <= margin_log)
            return COMPARED_CHANGED;
        return theta > 0 ? COMPARED_SLOWER : COMPARED_FASTER;
    }
    return low >= -margin_log && high <= margin_log ? COMPARED_SAME : COMPARED_UNCLEAR;
}

/* What changes between visits is not in the interval of one, unless it is known elsewhere: it has
 * to be far from 1. */
static bool may_be_of_visit(const struct comparison *c)
{
    static const double LEAST_OF_VISIT = 0.05;
    return c->is_visit && isnan(c->deviation) && fmax(c->low, -c->high) <= log1p(LEAST_OF_VISIT);
}

static double own_margin(const struct comparison *c, double of_all)
{
    return c->has_margin ? c->margin : of_all;
}

static bool is_to_judge(const struct comparison *c)
{
    return c->verdict == COMPARED_UNCLEAR && !c->is_sequential && !isnan(c->theta) && !isnan(c->p);
}

void compare_judge(struct comparison *const *items, size_t n, double of_all, double confidence)
{
    CLEANUP(free_pointer) double *p = memory_allocate((n + 1) * sizeof *p);
    size_t n_judged = 0;
    for (size_t i = 0; i < n; i++)
        if (is_to_judge(items[i]))
            p[n_judged++] = items[i]->p;
    adjust_p_values(p, n_judged);
    n_judged = 0;
    for (size_t i = 0; i < n; i++) {
        struct comparison *c = items[i];
        if (!is_to_judge(c))
            continue;
        const double margin = own_margin(c, of_all);
        c->adjusted_p = p[n_judged++];
        c->verdict = verdict_of_interval(c->theta, c->low, c->high, log1p(margin),
                                         c->adjusted_p <= 1 - confidence && !may_be_of_visit(c));
        /* 0: what changes from run to run is more than rounds can make good for */
        const double left = 1 - 2 * square(c->t * c->between / margin);
        if (c->verdict == COMPARED_UNCLEAR && c->deviation > 0 && margin > 0 && left > 0)
            c->n_needed = (uint64_t)fmin(ceil(square(c->t * c->deviation / margin) / left) + 1,
                                         1e9);
    }
}

struct geometric_mean compare_mean(const double *thetas, size_t n, double confidence)
{
    struct geometric_mean mean = {mean_of(thetas, n), -INFINITY, INFINITY, n};
    if (n > 1) {
        double half_width = student_t_quantile(confidence, (double)n - 1) * stdev_of(thetas, n) /
                            sqrt((double)n);
        mean.low = mean.theta - half_width;
        mean.high = mean.theta + half_width;
    }
    return mean;
}

/* ---- until it is decided ---- */

void compare_sequence_begin(struct compare_sequence *sequence)
{
    *sequence = (struct compare_sequence){.low = -INFINITY, .high = INFINITY, .p = 1};
}

static const double c2 = 0.2;

static double sequence_half_width(size_t n_rounds, double deviation, double confidence)
{
    double n = (double)n_rounds;
    double k = pow(sqrt((n + c2) / c2) / (1 - confidence), 2 / n);
    double below = n + c2 - k * c2;
    return below > 0 ? deviation * sqrt((k - 1) * (n + c2) / below) : INFINITY;
}

/* The alpha at which the interval ends at 0: the formula of its half width, solved for alpha. */
static double sequence_p(size_t n_rounds, double mean, double deviation)
{
    double n = (double)n_rounds, t2 = square(mean / deviation);
    if (mean == 0)
        return 1;
    double k = isfinite(t2) ? (n + c2) * (1 + t2) / (n + c2 + c2 * t2) : (n + c2) / c2;
    return fmin(sqrt((n + c2) / c2) * pow(k, -n / 2), 1);
}

/* By how much rounds that are alike widen an interval; see the header. */
static double sequence_widening(const struct compare_sequence *sequence, double mean)
{
    const double n = (double)sequence->n, m = mean - sequence->first;
    if (!(sequence->squares > 0))
        return 1;
    const double ends = 2 * n * m - (sequence->last - sequence->first);
    const double r1 = (sequence->products - m * ends + (n - 1) * m * m) / sequence->squares;
    const double r = fmin(fmax(r1 + (1 + 3 * r1) / n + 1.25 / sqrt(n), 0), 0.98);
    return sqrt((1 + r) / (1 - r));
}

static void sequence_look(struct compare_sequence *sequence, double mean, double floor,
                          double confidence)
{
    const double deviation = sqrt(sequence->squares / (double)sequence->n) *
                             sequence_widening(sequence, mean);
    const double half_width = fmax(sequence_half_width(sequence->n, deviation, confidence), floor);
    const double p = sequence_p(sequence->n, mean, deviation);
    const bool is_settled = sequence->n > SEQUENCE_SETTLED;
    double low = mean - half_width, high = mean + half_width;
    sequence->p = is_settled ? fmin(sequence->p, p) : p;
    /* Where rounds contradict each other, nothing of before is kept. */
    if (is_settled && fmax(sequence->low, low) <= fmin(sequence->high, high)) {
        low = fmax(sequence->low, low);
        high = fmin(sequence->high, high);
    }
    sequence->low = low;
    sequence->high = high;
}

void compare_sequence_add(struct compare_sequence *sequence, double d, double floor,
                          double confidence)
{
    /* Welford: Note on a method for calculating corrected sums of squares and products, 1962. */
    double before = sequence->n ? sequence->sum / (double)sequence->n : 0;
    if (sequence->n == 0)
        sequence->first = sequence->last = d;
    sequence->n++;
    sequence->sum += d;
    double mean = sequence->sum / (double)sequence->n;
    sequence->squares += (d - before) * (d - mean);
    sequence->products += (d - sequence->first) * (sequence->last - sequence->first);
    sequence->last = d;
    if (sequence->n >= SEQUENCE_FIRST)
        sequence_look(sequence, mean, floor, confidence);
}

static double sequence_theta(const struct compare_sequence *sequence)
{
    return fmin(fmax(sequence->sum / (double)sequence->n, sequence->low), sequence->high);
}

double compare_sequence_least(size_t n_rounds)
{
    enum { AS_AT_FIRST = 16 };
    static const double MOST = 0.04; /* ln */
    const double left = SEQUENCE_SETTLED - (double)n_rounds;
    return MOST * fmin(fmax(left / (SEQUENCE_SETTLED - AS_AT_FIRST), 0), 1);
}

/* Are there rounds enough to call it different? */
static bool sequence_is_settled(const struct compare_sequence *sequence)
{
    return sequence->n >= SEQUENCE_SETTLED ||
           fabs(sequence_theta(sequence)) > compare_sequence_least(sequence->n);
}

static int sequence_verdict(const struct compare_sequence *sequence, double margin,
                            bool is_significant, bool is_last)
{
    double margin_log = log1p(margin), low = sequence->low, high = sequence->high;
    if ((low > 0 || high < 0) && !sequence_is_settled(sequence))
        return COMPARED_UNCLEAR;
    int verdict = verdict_of_interval(sequence_theta(sequence), low, high, margin_log,
                                      is_significant);
    bool may_pass = low < -margin_log || high > margin_log;
    return verdict == COMPARED_CHANGED && may_pass && !is_last ? COMPARED_UNCLEAR : verdict;
}

int compare_sequence_verdict(const struct compare_sequence *sequence, double margin, bool is_last)
{
    return sequence_verdict(sequence, margin, sequence->n > 0, is_last);
}

/* Rounds after which half an interval would be as narrow as the margin. */
static uint64_t sequence_needed(double deviation, double margin, double confidence)
{
    enum { MOST = 1 << 20 };
    size_t low = SEQUENCE_FIRST, high = MOST;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (sequence_half_width(middle, deviation, confidence) <= log1p(margin))
            high = middle;
        else
            low = middle + 1;
    }
    return low < MOST ? low : 0;
}

static void begin_rounds(const struct compared_rounds *item, struct compare_sequence *sequence)
{
    *item->ret = unknown_comparison();
    item->ret->margin = item->margin;
    item->ret->has_margin = item->margin > 0;
    item->ret->is_paired = item->ret->is_sequential = true;
    item->ret->scope = SCOPE_ROUNDS;
    compare_sequence_begin(sequence);
}

static void take_round(const struct compared_rounds *item, size_t round, double confidence,
                       struct compare_sequence *sequence)
{
    struct comparison *c = item->ret;
    compare_sequence_add(sequence, log(item->b[round]) - log(item->a[round]),
                         0.5 * hypot(item->step_a, item->step_b), confidence);
    c->theta = sequence_theta(sequence);
    c->low = sequence->low;
    c->high = sequence->high;
    c->p = sequence->p;
    c->n_rounds = sequence->n;
    if (sequence->n > 1)
        c->deviation = sqrt(sequence->squares / (double)(sequence->n - 1));
}

/* Gives those that are not decided a verdict, by the p of all. */
static void judge_round(struct compared_rounds *items, const struct compare_sequence *sequences,
                        size_t n, double margin, double confidence, bool is_last)
{
    CLEANUP(free_pointer) double *p = memory_allocate((n + 1) * sizeof *p);
    for (size_t i = 0; i < n; i++)
        p[i] = sequences[i].p;
    adjust_p_values(p, n);
    for (size_t i = 0; i < n; i++) {
        struct comparison *c = items[i].ret;
        c->adjusted_p = p[i];
        if (c->verdict == COMPARED_UNCLEAR && c->n_rounds > 0)
            c->verdict = sequence_verdict(&sequences[i], own_margin(c, margin),
                                          p[i] <= 1 - confidence, is_last);
    }
}

void compare_judge_rounds(struct compared_rounds *items, size_t n, double margin, double confidence,
                          bool goes_on)
{
    CLEANUP(free_pointer)
    struct compare_sequence *sequences = memory_allocate((n + 1) * sizeof *sequences);
    size_t most = 0;
    for (size_t i = 0; i < n; i++) {
        begin_rounds(&items[i], &sequences[i]);
        most = items[i].n > most ? items[i].n : most;
    }
    for (size_t round = 0; round < most; round++) {
        for (size_t i = 0; i < n; i++)
            if (round < items[i].n && items[i].ret->verdict == COMPARED_UNCLEAR)
                take_round(&items[i], round, confidence, &sequences[i]);
        judge_round(items, sequences, n, margin, confidence, false);
    }
    if (!goes_on)
        judge_round(items, sequences, n, margin, confidence, true);
    for (size_t i = 0; i < n; i++)
        if (items[i].ret->verdict == COMPARED_UNCLEAR && items[i].ret->deviation > 0 && margin > 0)
            items[i].ret->n_needed = sequence_needed(items[i].ret->deviation,
                                                     own_margin(items[i].ret, margin), confidence);
}
