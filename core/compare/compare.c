/* compare.c - see compare.h: sides out of results files, their cases judged. */
#include "core/compare/compare_internal.h"

#include "core/base/members.h"
#include "core/store/foreign.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct compare *compare_new(const struct compare_options *options)
{
    struct compare *compare = memory_allocate(sizeof *compare);
    compare->options = *options;
    compare->result.options = &compare->options;
    compare->result.metric = (struct outcome_metric){.name = options->metric, .unit = ""};
    return compare;
}

void compare_free(struct compare *compare)
{
    if (!compare)
        return;
    arena_free(&compare->arena);
    free(compare);
}

void compare_leave(struct compare **compare)
{
    compare_free(*compare);
}

const struct compare_result *compare_result(const struct compare *compare)
{
    return &compare->result;
}

/* ---- judging ---- */

/* Neither times nor rates: they do not depend on how fast a machine is. */
static bool are_counts(const struct compare *compare)
{
    const struct outcome_metric *metric = &compare->result.metric;
    return !text_equal(metric->unit, "ns") && !metric->is_better_if_higher;
}

static bool may_be_exact(const struct compare *compare, const struct round_values *a,
                         const struct round_values *b)
{
    if (!are_counts(compare))
        return false;
    return (a->n > 1 && b->n > 1) || (a->are_whole && b->are_whole);
}

/* Counts of instructions that agree on both sides have no noise: one more is more. Others are of
 * code that is not deterministic to the digit. */
static void set_count_margin(const struct compare *compare, struct compared *c)
{
    const struct compare_case *sides[] = {c->base, c->new};
    bool are_exact = true;
    for (size_t i = 0; i < 2; i++)
        for (size_t j = 0; j < sides[i]->n_rounds; j++)
            are_exact = are_exact && sides[i]->rounds[j]->verdict == GB_VERDICT_EXACT;
    c->result.has_margin = !compare->options.has_margin && clock_is_counting(c->base->first->clock);
    c->result.margin = are_exact || !c->result.has_margin ? 0 : COUNTS_AGREEMENT;
}

/* They are judged later, with all others. */
static void keep_rounds(struct compare *compare, const struct compared_side *a,
                        const struct compared_side *b, struct compared *c)
{
    double *base = ARENA_ARRAY(&compare->arena, double, a->n + 1);
    double *new = ARENA_ARRAY(&compare->arena, double, a->n + 1);
    memcpy(base, a->values, a->n * sizeof *base);
    memcpy(new, b->values, a->n * sizeof *new);
    c->rounds = ARENA_NEW(&compare->arena, struct compared_rounds);
    *c->rounds = (struct compared_rounds){.a = base,
                                          .b = new,
                                          .n = a->n,
                                          .step_a = a->step_ratio,
                                          .step_b = b->step_ratio,
                                          .ret = &c->result};
}

/* Of the look after the last round, or the only one. */
static double last_confidence(const struct compare_options *options)
{
    const double share = options->is_sequential && options->last_share > 0 ? options->last_share
                                                                           : 1;
    return 1 - share * (1 - options->confidence);
}

/* ---- earlier runs ---- */

/* The machine of all sides; NULL: they are of several. */
static const char *common_host(const struct compare *compare)
{
    for (size_t i = 1; i < compare->n_compared; i++)
        if (!text_equal(FACT(&compare->sides[0].run->record, "host"),
                        FACT(&compare->sides[i].run->record, "host")))
            return NULL;
    return FACT(&compare->sides[0].run->record, "host");
}

/* A run that is compared itself, was seen before, is of another machine, or has sides. */
static bool is_left_out(const struct compare *compare, size_t index, const char *host)
{
    const struct run_record *run = &compare->sides[index].run->record;
    for (size_t i = 0; i < index; i++)
        if (text_equal(compare->sides[i].run->record.uuid, run->uuid))
            return true;
    return *FACT(run, AB_FACT_MARGIN) || (host && !text_equal(host, FACT(run, "host")));
}

ORDER_BY_TEXT(compare_started, struct compare_side, run->record.started)

static void take_earlier_run(struct compare *compare, const struct compare_side *side)
{
    const struct compare_side *base = &compare->sides[0];
    const size_t *found = match_cases(compare, base, side);
    for (size_t i = 0; i < side->n; i++) {
        if (found[i] == SIZE_MAX ||
            conflict_of(compare, &base->cases[found[i]], &side->cases[i]).name)
            continue;
        struct earlier_runs *earlier = &compare->earlier[found[i]];
        const struct history_run run = case_as_run(compare, &side->cases[i]);
        if (run.n)
            ARENA_APPEND(&compare->arena, earlier->runs, earlier->n, run);
    }
}

/* What earlier runs say of the cases of the base. */
static void look_at_earlier(struct compare *compare)
{
    struct compare_side *kept = NULL;
    size_t n = 0;
    const char *host = common_host(compare);
    for (size_t i = compare->n_compared; i < compare->n_sides; i++)
        if (!is_left_out(compare, i, host))
            ARENA_APPEND(&compare->arena, kept, n, compare->sides[i]);
    compare->n_sides = compare->n_compared;
    if (n == 0)
        return;
    qsort(kept, n, sizeof *kept, compare_started);
    const size_t n_cases = compare->sides[0].n;
    compare->earlier = ARENA_ARRAY(&compare->arena, struct earlier_runs, n_cases + 1);
    for (size_t i = 0; i < n; i++)
        take_earlier_run(compare, &kept[i]);
    between_runs_estimate(compare->earlier, n_cases, compare->options.margin);
}

/* Of the device that the case ran on; NULL: it is not known. */
static const struct machine_level *machine_of(const struct compare_side *side,
                                              const struct compare_case *c)
{
    for (size_t i = 0; i < side->n_machines; i++)
        if (side->machines[i].device_id == c->first->device_id)
            return &side->machines[i];
    return NULL;
}

/* ln by which the reference work of a case's devices moved within the runs; 0: it did not. */
static double machine_moved(const struct compare *compare, const struct compare_side *side,
                            const struct compared *c)
{
    const struct machine_level *base = machine_of(&compare->sides[0], c->base);
    const struct machine_level *new = machine_of(side, c->new);
    const double moved = fmax(base ? base->level.spread : 0, new ? new->level.spread : 0);
    const bool is_of_runs = !compare->by_values && !are_counts(compare);
    return is_of_runs && moved >= SENTINEL_LEAST ? moved : 0;
}

/* What is known of runs of a case: of earlier ones, or of its machine. */
static struct between_runs between_of(const struct compare *compare,
                                      struct compare_against *against, const struct compared *c)
{
    const double moved = machine_moved(compare, against->side, c);
    struct between_runs between = {.variance = NAN};
    if (compare->earlier)
        between = compare->earlier[c->base - compare->sides[0].cases].between;
    between.is_as_rounds = moved > 0;
    against->moved = fmax(against->moved, moved);
    return between;
}

static void compare_values(struct compare *compare, struct compare_against *against,
                           struct compared *c)
{
    CLEANUP(values_free) struct round_values a = {0};
    CLEANUP(values_free) struct round_values b = {0};
    double confidence = last_confidence(&compare->options);
    const struct between_runs between = between_of(compare, against, c);
    bool is_paired = compare->by_values && c->base->run == c->new->run && !compare->options.replace;
    case_values(c->base, &a);
    case_values(c->new, &b);
    c->base_value = values_mean(a.values, a.n);
    c->new_value = values_mean(b.values, b.n);
    if (is_paired)
        values_keep_common(&a, &b);
    c->n_base = a.n;
    c->n_new = b.n;
    struct compared_side base = side_of_values(c->base, &a), new = side_of_values(c->new, &b);
    if (may_be_exact(compare, &a, &b) && compare_exact(&base, &new, &c->result)) {
        set_count_margin(compare, c);
        return;
    }
    if (values_have_zero(&a) || values_have_zero(&b))
        base.n = new.n = 0; /* without a logarithm */
    if (is_paired && compare->options.is_sequential)
        keep_rounds(compare, &base, &new, c);
    c->result = is_paired && base.n ? compare_paired(&base, &new, confidence)
                                    : compare_across(&base, &new, &between, confidence);
    if (!c->is_apart)
        return;
    c->result.low = -INFINITY; /* a ratio is shown, and nothing is concluded from it */
    c->result.high = INFINITY;
    c->result.p = NAN;
    c->result.scope = SCOPE_NONE;
}

/* Of a case that is on one side alone. */
static void take_only_value(struct compared *c)
{
    CLEANUP(values_free) struct round_values values = {0};
    case_values(c->base ? c->base : c->new, &values);
    *(c->base ? &c->base_value : &c->new_value) = values_mean(values.values, values.n);
    *(c->base ? &c->n_base : &c->n_new) = values.n;
}

static void set_verdict(struct compared *c, int verdict, const char *note)
{
    c->result.verdict = verdict;
    c->note = note;
}

/* What can be said without numbers; else the numbers are compared. */
static void compare_case(struct compare *compare, struct compare_against *against,
                         struct compared *c)
{
    c->result = (struct comparison){
        .theta = NAN, .low = -INFINITY, .high = INFINITY, .p = NAN, .adjusted_p = NAN};
    c->result.deviation = c->result.t = NAN;
    c->base_value = c->new_value = NAN;
    if (!c->base || !c->new) {
        set_verdict(c, c->base ? COMPARED_MISSING : COMPARED_NEW, "");
        take_only_value(c);
        return;
    }
    const struct outcome *base_bad = case_bad_round(c->base), *new_bad = case_bad_round(c->new);
    c->is_certified = case_is_certified(c->base) && case_is_certified(c->new);
    compare_values(compare, against, c);
    const double own_margin = case_margin(compare, c->new);
    c->result.has_margin |= own_margin > 0;
    c->result.margin = own_margin > 0 ? own_margin : c->result.margin;
    if (c->rounds)
        c->rounds->margin = own_margin;
    if (base_bad || new_bad) {
        c->rounds = NULL;
        c->result.theta = c->result.p = NAN; /* of a case that fails no ratio is claimed */
        c->result.scope = SCOPE_NONE;
        set_verdict(c,
                    base_bad && new_bad ? COMPARED_FAILED
                    : new_bad           ? COMPARED_BROKEN
                                        : COMPARED_FIXED,
                    case_status_note(&compare->arena, new_bad ? new_bad : base_bad));
    } else if (case_is_skipped(c->base) || case_is_skipped(c->new)) {
        c->rounds = NULL;
        const struct compare_case *skipped = case_is_skipped(c->new) ? c->new : c->base;
        set_verdict(c, COMPARED_SKIPPED,
                    skipped->n_rounds ? case_status_note(&compare->arena, skipped->first)
                                      : "not measured");
    }
}

/* Why an unclear case is unclear; what else its numbers say. */
static const char *note_of(struct compare *compare, const struct compared *c)
{
    const struct comparison *result = &c->result;
    struct arena *arena = &compare->arena;
    const char *rounds = COUNT_TEXT(result->n_rounds, "round");
    if (result->verdict != COMPARED_UNCLEAR)
        return result->is_visit ? "in this visit" : "";
    if (isnan(result->theta) && !*compare->result.metric.name && (!c->n_base || !c->n_new) &&
        clock_is_counting(c->base->first->clock))
        return "instructions were counted, not time: compare them with --metric instructions";
    if (isnan(result->theta))
        return c->n_base && c->n_new ? "values of 0 have no ratio" : "a side has no value";
    if (isinf(result->low) && result->is_sequential)
        return arena_printf(arena, "%s, at least %d are needed", rounds, SEQUENCE_FIRST);
    if (isinf(result->low))
        return "one round without an interval; rounds = 5 would decide more";
    if ((result->low > 0 || result->high < 0) && result->is_sequential &&
        result->n_rounds < SEQUENCE_SETTLED)
        return arena_printf(
            arena,
            "with %s, a difference below %.2g %% may be a state of a side; more rounds "
            "would decide more",
            rounds, 100 * expm1(compare_sequence_least(result->n_rounds)));
    if (result->is_visit && (result->low > 0 || result->high < 0))
        return "with one round, a difference below 5 % may be due to the visit; rounds = 5 would "
               "decide more";
    if (result->low > 0 || result->high < 0)
        return arena_printf(arena, "p = %.2g is %.2g when corrected for the number of cases",
                            result->p, result->adjusted_p);
    if (result->between > 0 && result->n_needed == 0)
        return arena_printf(
            arena,
            "runs differ by %.2g %% (standard deviation), so more rounds would not decide it",
            100 * result->between);
    if (result->n_needed > result->n_rounds)
        return arena_printf(arena, "%s, about %llu would decide", rounds,
                            (unsigned long long)result->n_needed);
    if (result->is_visit)
        return "in this visit; rounds = 5 would decide more";
    return "the interval contains 1 and an end of the margin";
}

/* A case is compared where a side has it among those chosen. */
static void keep_chosen(struct compare_against *against)
{
    size_t n = 0;
    for (size_t i = 0; i < against->n; i++) {
        const struct compared *c = &against->cases[i];
        if ((c->base && !case_is_left_out(c->base)) || (c->new && !case_is_left_out(c->new)))
            against->cases[n++] = *c;
    }
    against->n = n;
}

static void match_sides(struct compare *compare, const struct compare_side *base,
                        const struct compare_side *other, struct compare_against *ret)
{
    const size_t *found = match_cases(compare, base, other);
    ret->side = other;
    ret->cases = ARENA_ARRAY(&compare->arena, struct compared, base->n + other->n + 1);
    ret->n = base->n;
    for (size_t i = 0; i < base->n; i++)
        ret->cases[i] = (struct compared){.label = base->cases[i].label, .base = &base->cases[i]};
    for (size_t i = 0; i < other->n; i++) {
        const struct compare_case *c = &other->cases[i];
        if (found[i] == SIZE_MAX)
            ret->cases[ret->n++] = (struct compared){.label = c->label, .new = c};
        else
            ret->cases[found[i]].new = c;
    }
    keep_chosen(ret);
}

static int32_t find_conflicts(struct compare *compare, struct compare_against *against,
                              struct gb_error *error)
{
    size_t n = 0;
    struct conflict first = {.name = NULL};
    for (size_t i = 0; i < against->n; i++) {
        struct compared *c = &against->cases[i];
        const struct conflict conflict = c->base && c->new ? conflict_of(compare, c->base, c->new)
                                                           : (struct conflict){.name = NULL};
        c->conflict = conflict.name ? conflict.name : "";
        c->note = "";
        if (!conflict.name || compare->options.is_forced ||
            (conflict.is_of_machine && are_counts(compare)))
            continue;
        c->is_apart = conflict.is_of_machine;
        against->n_apart += c->is_apart;
        if (c->is_apart)
            c->note = arena_printf(&compare->arena, "another %s (%s, the base has %s)",
                                   conflict.name, conflict.to, conflict.from);
        else if (n++ == 0)
            first = conflict;
    }
    if (n == 0)
        return GB_OK;
    return error_set(error, GB_INVALID,
                     "%zu of %zu cases of %s have another %s (%s, the base has %s): they are "
                     "compared only with --force",
                     n, against->n, against->side->name, first.name, first.to, first.from);
}

static void count(struct compare_against *against, double confidence)
{
    CLEANUP(free_pointer) double *thetas = memory_allocate((against->n + 1) * sizeof *thetas);
    size_t n = 0;
    for (size_t i = 0; i < against->n; i++) {
        const struct compared *c = &against->cases[i];
        against->counts[c->result.verdict]++;
        if (!isfinite(c->result.theta) || c->is_apart)
            continue;
        thetas[n++] = c->result.theta;
        against->n_uncertified += !c->is_certified;
    }
    against->mean = compare_mean(thetas, n, confidence);
}

static void judge_rounds(struct compare *compare)
{
    const struct compare_options *options = &compare->options;
    struct compare_result *result = &compare->result;
    struct compared_rounds *items = NULL;
    struct comparison *together = NULL;
    size_t n = 0, n_together = 0;
    for (size_t i = 0; i < result->n_against; i++)
        for (size_t j = 0; j < result->against[i].n; j++)
            if (result->against[i].cases[j].rounds) {
                MEMORY_APPEND(items, n, *result->against[i].cases[j].rounds);
                MEMORY_APPEND(together, n_together, result->against[i].cases[j].result);
            }
    compare_judge_rounds(items, n, options->margin,
                         1 - (1 - options->last_share) * (1 - options->confidence),
                         options->goes_on || options->last_share > 0);
    for (size_t i = 0; i < n && options->last_share > 0 && !options->goes_on; i++)
        if (items[i].ret->verdict == COMPARED_UNCLEAR) /* what all of its rounds say together */
            *items[i].ret = together[i];
    free(items);
    free(together);
    for (size_t i = 0; i < result->n_against; i++)
        for (size_t j = 0; j < result->against[i].n; j++) {
            struct compared *c = &result->against[i].cases[j];
            if (!c->rounds)
                continue;
            c->n_base = c->n_new = c->result.n_rounds;
            c->base_value = values_mean(c->rounds->a, c->n_base);
            c->new_value = values_mean(c->rounds->b, c->n_new);
            c->is_certified = true; /* by the sequence of rounds, whatever each was */
        }
}

/* ---- the machine ---- */

/* ln by which the reference work of a case's device takes longer than in the base; 0: it does not
 * for certain, or is not the same machine's. */
static double machine_change(const struct compare *compare, const struct compare_side *side,
                             const struct compared *c)
{
    enum { LEAST = 3 };
    static const double errors = 5;
    const struct compare_side *base = &compare->sides[0];
    const struct device_record *a = c->base->device, *b = c->new->device;
    if (!a || !b ||
        !text_equal(FACT(&base->run->record, "host"), FACT(&side->run->record, "host")) ||
        !text_equal(a->uuid, b->uuid) || !text_equal(a->model, b->model) || a->index != b->index)
        return 0;
    const struct machine_level *from = machine_of(base, c->base), *to = machine_of(side, c->new);
    if (!from || !to || from->n < LEAST || to->n < LEAST || from->version != to->version)
        return 0;
    const double change = to->level.value - from->level.value;
    const double noise = errors * hypot(from->level.error, to->level.error);
    return fabs(change) >= fmax(noise, SENTINEL_LEAST) ? change : 0;
}

/* Two runs of which the machine is not the same: of what changes from run to run nothing else is
 * known. */
static void widen(struct compare *compare, struct compare_against *against)
{
    for (size_t i = 0; i < against->n; i++) {
        struct compared *c = &against->cases[i];
        struct comparison *result = &c->result;
        const double change = c->base && c->new ? machine_change(compare, against->side, c) : 0;
        against->machine = fabs(change) > fabs(against->machine) ? change : against->machine;
        if (change == 0 || result->scope < SCOPE_RUNS || result->scope > SCOPE_MACHINE ||
            !isfinite(result->low))
            continue;
        compare_widen(result, fabs(change));
        result->scope = SCOPE_MACHINE;
    }
}

static void judge(struct compare *compare)
{
    struct compare_result *result = &compare->result;
    struct comparison **items = NULL;
    size_t n = 0;
    judge_rounds(compare);
    for (size_t i = 0; i < result->n_against; i++)
        for (size_t j = 0; j < result->against[i].n; j++)
            MEMORY_APPEND(items, n, &result->against[i].cases[j].result);
    compare_judge(items, n, compare->options.margin, last_confidence(&compare->options));
    free(items);
    for (size_t i = 0; i < result->n_against; i++) {
        struct compare_against *against = &result->against[i];
        for (size_t j = 0; j < against->n; j++) {
            struct compared *c = &against->cases[j];
            if (result->metric.is_better_if_higher)
                c->result.verdict = compared_turned(c->result.verdict);
            if (!*c->note)
                c->note = note_of(compare, c);
        }
        count(against, compare->options.confidence);
    }
}

void compare_set_defaults(struct compare_options *options)
{
    options->has_margin = !isnan(options->margin);
    if (!options->has_margin)
        options->margin = COMPARE_MARGIN;
    if (isnan(options->confidence))
        options->confidence = 1 - COMPARE_ALPHA;
}

int32_t compare_finish(struct compare *compare, struct gb_error *error)
{
    struct compare_result *result = &compare->result;
    int32_t status = GB_OK;
    compare_set_defaults(&compare->options);
    if (compare->n_compared)
        look_at_earlier(compare);
    result->base = &compare->sides[0];
    result->n_against = compare->n_sides - 1;
    result->against = ARENA_ARRAY(&compare->arena, struct compare_against, compare->n_sides);
    for (size_t i = 0; status == GB_OK && i < result->n_against; i++) {
        struct compare_against *against = &result->against[i];
        match_sides(compare, result->base, &compare->sides[i + 1], against);
        status = find_conflicts(compare, against, error);
        for (size_t j = 0; status == GB_OK && j < against->n; j++)
            compare_case(compare, against, &against->cases[j]);
        if (status == GB_OK && !compare->by_values)
            widen(compare, against);
    }
    if (status != GB_OK)
        return status;
    for (size_t i = 0; i < result->n_against; i++)
        find_differences(compare, &result->against[i]);
    judge(compare);
    return GB_OK;
}

int compare_exit_code(const struct compare_result *result, bool is_strict)
{
    enum { FINE = 0, FAILED = 1, WORSE = 3 };
    bool any_bad = false, any_failed = false, any_compared = false;
    for (size_t i = 0; i < result->n_against; i++) {
        const struct compare_against *against = &result->against[i];
        for (int v = 0; v < COMPARED_VERDICTS; v++)
            any_bad |= against->counts[v] && compared_is_bad(v, is_strict);
        any_bad |= is_strict && against->n_uncertified;
        any_failed |= against->counts[COMPARED_FAILED] > 0;
        any_compared |= against->mean.n + against->n_apart > 0;
    }
    return any_bad ? WORSE : any_failed || !any_compared ? FAILED : FINE;
}
