/* stopping_gates.c - see stopping_gates.h. */
#include "tests/stopping/stopping_gates.h"

#include "core/base/table.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const double CONFIDENCE = 0.95; /* of bounds of shares */

/* The limits, in percent. */
static const double FALSE_OF_FAMILY = 5, FALSE_POOLED = 1, FALSE_OF_ROUNDS = 5;
static const double COVERED = 95, RESOLVED = 95;
static const double SAMPLES_SHORT = 20, SAMPLES_LONG = 35, SAMPLES_RAMP = 55, SAMPLES_MEAN = 20;
static const double SAMPLES_CORRELATED = 60, EFFECTIVE_OF_CORRELATED = 75;
static const double SAMPLES_OF_RECORDINGS = 100; /* what they need is not known */
static const double MULTIMODAL_SEEN = 95, MULTIMODAL_WRONG = 1;
static const double TICK_ERROR = 0.5;
static const double LOOKS_APART = 1.25;
static const double MOST_DISCARDED = 0.25; /* of the samples, as warm-up */
static const double SHORT_NS = 2e5;        /* T up to which samples count as short */
enum { FEW_ROUNDS = 3, MANY_ROUNDS = 12, ROUNDS_JUDGED_FROM = 100 };

void gate_add(struct gates *gates, const char *name, const char *where, int side, double figure,
              double limit, const char *unit)
{
    *ARENA_ADD(gates->arena, gates->items, gates->n) = (struct gate){
        .name = arena_text(gates->arena, name),
        .where = arena_text(gates->arena, where),
        .side = side,
        .figure = figure,
        .limit = limit,
        .unit = unit,
        .passed = side == AT_MOST ? figure <= limit : figure >= limit};
}

const struct gate *gate_named(const struct gates *gates, const char *name)
{
    for (size_t i = 0; i < gates->n; i++)
        if (text_equal(gates->items[i].name, name))
            return &gates->items[i];
    return NULL;
}

size_t gates_failed(const struct gates *gates)
{
    size_t n = 0;
    for (size_t i = 0; i < gates->n; i++)
        n += !gates->items[i].passed;
    return n;
}

void gates_write(const struct gates *gates, struct text *out)
{
    for (size_t i = 0; i < gates->n; i++) {
        const struct gate *gate = &gates->items[i];
        text_printf(out, "%-52s %9.4g %-3s %s %-5.4g %-4s  %s\n", gate->name, gate->figure,
                    gate->unit, gate->side == AT_MOST ? "<=" : ">=", gate->limit,
                    gate->passed ? "ok" : "FAIL", gate->where);
    }
}

/* --- families --- */

/* What one policy did in one scenario. */
struct judged {
    const struct experiment *experiment;
    size_t scenario, policy;
    const struct scenario *of;
    const struct trace_family *family;
    struct outcome outcome;
    double precision, baseline; /* the other policy's samples */
};

/* What a figure of a scenario is, NaN where nothing is asked of it. */
typedef double figure_fn(const struct judged *judged);

/* Two gates contradict each other where a trace has shown one level only, or has left its first one
 * once, which families of steps call warm-up: nothing tells the level it is at from one that stays.
 * The gate on samples makes stops there: at T = 100 us and 10 us of overhead a fifth of the
 * baseline's samples are 0.11 s, and exp(-0.11 s / 60 ms) / 3 = 5 % of all clock_steps are at their
 * lesser level until then. Such stops are not counted here, but as `blind` in the table, and
 * judged with `rounds = 3`, which is what sees them. */
static double false_bound(const struct judged *judged)
{
    const struct outcome *outcome = &judged->outcome;
    if (trace_needs_rounds(&judged->of->setting))
        return NAN;
    return 100 *
           share_upper_bound(outcome->n_false - outcome->n_blind_false, outcome->n, CONFIDENCE);
}

static double covered_bound(const struct judged *judged)
{
    const int class = judged->family->class;
    bool is_asked = class == TRACE_STATIONARY || class == TRACE_CORRELATED || class == TRACE_TICK;
    if (!is_asked || (judged->family->flags & TRACE_LONG_MEMORY))
        return NAN;
    return 100 *
           share_upper_bound(judged->outcome.n_covered, judged->outcome.n_intervals, CONFIDENCE);
}

/* Asked where the budget holds the samples that the precision takes, and, of correlated ones and
 * those that look so in one of twenty traces, the effective samples that the policy asks for: 1875
 * of them at 0.2 % are more than 15 s hold of levels that stay for 20 ms, or of samples of 20 ms.
 */
static double resolved(const struct judged *judged)
{
    const double max_ns = stopping_guards.max_time_ns;
    double budget = max_ns / (judged->of->setting.time_ns + judged->of->setting.overhead_ns);
    const struct truth *truth = &judged->of->truth;
    double needed = LOOKS_APART * fmax(fmax(truth->samples_to_resolve, truth->samples_to_mix),
                                       truth->samples_to_bound);
    bool settles = judged->family->settled_ns / MOST_DISCARDED <= max_ns / 2;
    if (trace_needs_rounds(&judged->of->setting) || !settles ||
        (judged->family->flags & TRACE_LONG_MEMORY) || !(needed <= budget))
        return NAN;
    return percent(judged->outcome.n_resolved, judged->outcome.n);
}

static double multimodal(const struct judged *judged)
{
    return percent(judged->outcome.verdicts[GB_VERDICT_MULTIMODAL], judged->outcome.n);
}

static double multimodal_seen(const struct judged *judged)
{
    bool is_asked = (judged->family->flags & TRACE_MULTIMODAL) && !isnan(resolved(judged));
    return is_asked ? multimodal(judged) : NAN;
}

static double multimodal_wrong(const struct judged *judged)
{
    return judged->family->flags & TRACE_UNIMODAL ? multimodal(judged) : NAN;
}

/* The rounding of a phase that stays cannot be undone. That of a uniform one is chance, and the
 * interval of a mean as narrow as asked may be wider than the limit: 490 samples, which the least
 * time of 0.1 s holds of 200 us each, leave 0.58 % of 5.27 us on ticks of 1,024 ns. */
static double tick_error(const struct judged *judged)
{
    const struct trace_family *family = judged->family;
    if (family->class != TRACE_TICK || family->phase_dwell_ns > 0 ||
        (family->flags & TRACE_DITHERED && 100 * judged->precision > TICK_ERROR))
        return NAN;
    return 100 * judged->outcome.error_95;
}

static struct rounds_outcome rounds_of(const struct judged *judged, size_t n_rounds)
{
    if (judged->family->class != TRACE_REGIME)
        return (struct rounds_outcome){0};
    return rounds_outcome_of(judged->experiment, judged->scenario, judged->policy, n_rounds);
}

static double rounds_false(const struct judged *judged)
{
    struct rounds_outcome rounds = rounds_of(judged, FEW_ROUNDS);
    return percent(rounds.n_false - rounds.n_blind_false, rounds.n);
}

/* Of levels that outlast a visit, three visits see the same one with a probability of 0.7^3 +
 * 0.3^3 = 37 %, and nothing tells; so many do in 1.4 %, which counts here. */
static double many_rounds_false(const struct judged *judged)
{
    struct rounds_outcome rounds = rounds_of(judged, MANY_ROUNDS);
    return rounds.n >= ROUNDS_JUDGED_FROM ? percent(rounds.n_false, rounds.n) : NAN;
}

double samples_allowed(const struct trace_setting *setting, const struct truth *truth,
                       double precision, double baseline)
{
    const int class = setting->family->class;
    const double independent = setting->time_ns <= SHORT_NS ? SAMPLES_SHORT : SAMPLES_LONG;
    const double limits[TRACE_CLASSES] = {[TRACE_STATIONARY] = independent,
                                          [TRACE_TICK] = independent,
                                          [TRACE_CORRELATED] = SAMPLES_CORRELATED,
                                          [TRACE_RAMP] = SAMPLES_RAMP};
    double settled = setting->family->settled_ns / (setting->time_ns + setting->overhead_ns);
    double needed = fmax(truth->samples_to_know, settled / MOST_DISCARDED);
    if (class == TRACE_CORRELATED)
        needed = fmax(needed, EFFECTIVE_OF_CORRELATED * truth->tau);
    bool is_asked = precision >= 0.01 && needed <= limits[class] / 100 * baseline;
    return is_asked && limits[class] > 0 ? limits[class] : NAN;
}

/* Where a bound of trends takes more than that (0.2 s of 6250 samples a second under 1 % of noise,
 * that is 24 % of the baseline's, and 35 % of 9091 a second), the next two looks at that. The
 * geometric mean has no such exception. */
static double samples_limit(const struct judged *judged)
{
    const struct truth *truth = &judged->of->truth;
    const double bound = 100 * LOOKS_APART * LOOKS_APART * truth->samples_to_bound;
    const double allowed = samples_allowed(&judged->of->setting, truth, judged->precision,
                                           judged->baseline);
    return isnan(allowed) ? NAN : fmax(allowed, bound / judged->baseline);
}

static double samples_taken(const struct judged *judged)
{
    return 100 * judged->outcome.median_samples / judged->baseline;
}

/* A family's limit differs with T: the worst is the one that takes most of its own. */
static double samples_of_limit(const struct judged *judged)
{
    return samples_taken(judged) / samples_limit(judged);
}

static const struct {
    const char *name;
    figure_fn *figure;
    int side;
    const double *limit; /* NULL: the figure is a share of the samples' */
} family_gates[] = {
    {"false, upper bound", false_bound, AT_MOST, &FALSE_OF_FAMILY},
    {"coverage, upper bound", covered_bound, AT_LEAST, &COVERED},
    {"resolved", resolved, AT_LEAST, &RESOLVED},
    {"multimodal where it is", multimodal_seen, AT_LEAST, &MULTIMODAL_SEEN},
    {"multimodal where it is not", multimodal_wrong, AT_MOST, &MULTIMODAL_WRONG},
    {"95 % of errors within", tick_error, AT_MOST, &TICK_ERROR},
    {"rounds = 3, false", rounds_false, AT_MOST, &FALSE_OF_ROUNDS},
    {"rounds = 12, false", many_rounds_false, AT_MOST, &FALSE_OF_ROUNDS},
    {"samples, of the baseline's", samples_of_limit, AT_MOST, NULL},
};

static void add_worst(size_t g, double figure, const struct judged *worst, struct gates *gates)
{
    double limit = family_gates[g].limit ? *family_gates[g].limit : samples_limit(worst);
    gate_add(gates, arena_printf(gates->arena, "%s: %s", family_gates[g].name, worst->family->name),
             worst->of->words, family_gates[g].side,
             family_gates[g].limit ? figure : figure * limit, limit, "%");
}

/* Of each family the worst of its scenarios. */
static void gates_of_families(const struct judged *judged, size_t n, struct gates *gates)
{
    for (size_t g = 0; g < sizeof family_gates / sizeof family_gates[0]; g++) {
        const struct judged *worst = NULL;
        double worst_figure = NAN;
        for (size_t i = 0; i < n; i++) {
            double figure = family_gates[g].figure(&judged[i]);
            bool is_worse = family_gates[g].side == AT_MOST ? figure > worst_figure
                                                            : figure < worst_figure;
            if (!isnan(figure) && (!worst || is_worse)) {
                worst = &judged[i];
                worst_figure = figure;
            }
            if (worst && (i + 1 == n || judged[i + 1].family != judged[i].family)) {
                add_worst(g, worst_figure, worst, gates);
                worst = NULL;
            }
        }
    }
}

void gates_of(const struct experiment *experiment, size_t policy, struct gates *gates)
{
    size_t n = experiment->n_scenarios;
    struct judged *judged = memory_allocate((n + 1) * sizeof *judged);
    uint64_t n_asked = 0, n_false = 0, n_failed = 0, n_logs = 0;
    double logs = 0;
    for (size_t i = 0; i < n; i++) {
        const struct scenario *s = &experiment->scenarios[i];
        const struct outcome outcome = outcome_of(experiment, i, policy);
        judged[i] = (struct judged){
            .experiment = experiment,
            .scenario = i,
            .policy = policy,
            .of = s,
            .family = s->setting.family,
            .outcome = outcome,
            .precision = experiment->policies[policy].precision,
            .baseline = outcome_of(experiment, i, experiment->baseline).median_samples};
        bool is_asked = !trace_needs_rounds(&s->setting);
        n_failed += outcome.n_failed;
        n_asked += is_asked ? outcome.n : 0;
        n_false += is_asked ? outcome.n_false - outcome.n_blind_false : 0;
        if (isnan(samples_limit(&judged[i])))
            continue;
        logs += log(samples_taken(&judged[i]));
        n_logs++;
    }
    gate_add(gates, "false certificates, pooled, upper bound", "", AT_MOST,
             100 * share_upper_bound(n_false, n_asked, CONFIDENCE), FALSE_POOLED, "%");
    gate_add(gates, "trials that failed", "", AT_MOST, (double)n_failed, 0, "");
    gates_of_families(judged, n, gates);
    if (n_logs > 0)
        gate_add(gates, "samples, geometric mean", "", AT_MOST, exp(logs / (double)n_logs),
                 SAMPLES_MEAN, "%");
    free(judged);
}

/* --- recordings --- */

void gates_of_recordings(const struct experiment *experiment, size_t policy, struct gates *gates)
{
    struct outcome all = {0};
    struct rounds_outcome all_rounds = {0};
    double logs = 0;
    for (size_t kernel = 0; kernel < experiment->n_scenarios; kernel++) {
        const struct scenario *s = &experiment->scenarios[kernel];
        struct outcome o = outcome_of(experiment, kernel, policy);
        struct rounds_outcome rounds = rounds_outcome_of(experiment, kernel, policy, s->n_visits);
        all.n += o.n;
        all.n_false_in_visit += o.n_false_in_visit;
        all.n_covered_in_visit += o.n_covered_in_visit;
        all.n_failed += o.n_failed;
        logs += log(o.median_samples /
                    outcome_of(experiment, kernel, experiment->baseline).median_samples);
        all_rounds.n += rounds.n;
        all_rounds.n_covered += rounds.n_covered;
        if (o.n > 0)
            gate_add(gates, "false in its visit", s->words, AT_MOST,
                     percent(o.n_false_in_visit, o.n), 5, "%");
        if (rounds.n > 0)
            gate_add(gates, "visits as rounds, false", s->words, AT_MOST,
                     percent(rounds.n_false, rounds.n), 5, "%");
    }
    gate_add(gates, "false in their visits, all recordings", "", AT_MOST,
             percent(all.n_false_in_visit, all.n), 1, "%");
    gate_add(gates, "coverage of visits, tick allowed for", "", AT_LEAST,
             percent(all.n_covered_in_visit, all.n), 95, "%");
    if (all_rounds.n > 0)
        gate_add(gates, "coverage of visits as rounds", "", AT_LEAST,
                 percent(all_rounds.n_covered, all_rounds.n), 95, "%");
    gate_add(gates, "samples, geometric mean", "", AT_MOST,
             100 * exp(logs / (double)experiment->n_scenarios), SAMPLES_OF_RECORDINGS, "%");
    gate_add(gates, "trials that failed", "", AT_MOST, (double)all.n_failed, 0, "");
}

/* --- the table --- */

/* > stands before those of numbers. */
static const char *const heads[] = {
    "scenario", ">median",  ">tick %",      ">visits +- %", ">to know", ">to resolve",
    ">to mix",  "policy",   ">samples",     ">of base %",   ">error %", ">false",
    ">blind",   ">covers",  ">in visit",    ">visit's",     ">none",    ">certified",
    ">modes",   ">limited", ">unconverged", ">gave up",     ">n",       ">short"};

static void cell_number(struct table *table, const char *format, double value)
{
    char text[NUMBER_TEXT_MAX];
    snprintf(text, sizeof text, format, value);
    table_cell(table, isnan(value) ? "-" : text);
}

/* What is known of the scenario, in the row of its first policy. */
static void add_scenario(const struct scenario *s, struct table *table)
{
    const bool is_family = s->setting.family != NULL;
    const double tick_ns = is_family ? s->setting.family->tick_ns : s->visits->tick_ns;
    char median[NUMBER_TEXT_MAX];
    table_cell(table, s->words);
    table_cell(table, format_time(s->truth.median_ns, 4, median));
    cell_number(table, "%.2g", 100 * tick_ns / s->truth.median_ns);
    cell_number(table, "%.2g", is_family ? NAN : 100 * s->spread);
    cell_number(table, "%.3g", is_family ? s->truth.samples_to_know : NAN);
    cell_number(table, "%.3g", is_family ? s->truth.samples_to_resolve : NAN);
    cell_number(table, "%.3g", is_family ? s->truth.samples_to_mix : NAN);
}

static void add_row(const struct experiment *experiment, size_t scenario, size_t policy,
                    struct table *table)
{
    const struct scenario *s = &experiment->scenarios[scenario];
    const struct outcome o = outcome_of(experiment, scenario, policy);
    const struct outcome base = outcome_of(experiment, scenario, experiment->baseline);
    const uint64_t n_in_visit = s->setting.family ? 0 : o.n;
    table_row(table);
    if (policy == 0)
        add_scenario(s, table);
    for (int i = 0; i < 7 && policy > 0; i++)
        table_cell(table, "");
    table_cell(table, experiment->policies[policy].text);
    cell_number(table, "%.0f", o.median_samples);
    cell_number(table, "%.3g", 100 * o.median_samples / base.median_samples);
    cell_number(table, "%.2g", 100 * o.error_95);
    cell_number(table, "%.3g", percent(o.n_false - o.n_blind_false, o.n));
    cell_number(table, "%.3g", percent(o.n_blind_false, o.n));
    cell_number(table, "%.3g", percent(o.n_covered, o.n_intervals));
    cell_number(table, "%.3g", percent(o.n_false_in_visit, n_in_visit));
    cell_number(table, "%.3g", percent(o.n_covered_in_visit, n_in_visit));
    for (size_t i = 0; i < sizeof o.verdicts / sizeof *o.verdicts; i++)
        cell_number(table, "%.3g", percent(o.verdicts[i], o.n));
    cell_number(table, "%.0f", (double)o.n);
    cell_number(table, "%.0f", (double)o.n_short);
}

void table_of_outcomes(const struct experiment *experiment, struct text *out)
{
    struct table table = {0};
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++)
        table_column(&table, heads[i] + (*heads[i] == '>'), *heads[i] == '>');
    for (size_t scenario = 0; scenario < experiment->n_scenarios; scenario++)
        for (size_t policy = 0; policy < experiment->n_policies; policy++)
            add_row(experiment, scenario, policy, &table);
    table_write(&table, TABLE_PLAIN, out);
    table_free(&table);
}
