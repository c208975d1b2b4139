/* fleet_judge.c - see fleet.h: cases are compared, then nodes are judged by all of theirs. */
#include "core/base/statistics.h"
#include "core/compare/fleet_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void swap_directions(struct fleet_values *of)
{
    double p = of->p_slower;
    of->p_slower = of->p_faster;
    of->p_faster = p;
    if (of->result.verdict == COMPARED_SLOWER)
        of->result.verdict = COMPARED_FASTER;
    else if (of->result.verdict == COMPARED_FASTER)
        of->result.verdict = COMPARED_SLOWER;
}

/* The nodes of each case; returns all comparisons, the caller's to free. */
static struct comparison **compare_cases(struct fleet *fleet, size_t *ret_n)
{
    struct fleet_result *result = &fleet->result;
    const struct compare_options *options = &fleet->options;
    struct comparison **items = NULL;
    double *scatters = memory_allocate((result->n_cases + 1) * sizeof *scatters);
    *ret_n = 0;
    for (size_t i = 0; i < result->n_cases; i++) {
        struct fleet_case *c = &result->cases[i];
        CLEANUP(free_pointer)
        struct fleet_values *nodes = memory_allocate((c->n + 1) * sizeof *nodes);
        for (size_t j = 0; j < c->n; j++)
            nodes[j] = c->cells[j].of;
        const struct fleet_median median = fleet_compare(nodes, c->n, options->margin,
                                                         options->confidence);
        c->median = exp(median.median);
        c->scatter = median.scatter;
        c->n_values = median.n;
        for (size_t j = 0; j < c->n; j++) {
            c->cells[j].of = nodes[j];
            MEMORY_APPEND(items, *ret_n, &c->cells[j].of.result);
        }
        if (median.n >= FLEET_LEAST)
            scatters[result->n_judged++] = median.scatter;
    }
    result->scatter = sort_to_median(scatters, result->n_judged);
    free(scatters);
    return items;
}

/* What a node's cases say of it. */
struct evidence {
    double *slower, *faster, *thetas;
    size_t n;
};

static void take_cell(struct fleet_result *result, const struct fleet_case *c,
                      const struct fleet_cell *cell, struct evidence *evidence)
{
    struct fleet_node *node = &result->nodes[cell->node];
    const struct comparison *of = &cell->of.result;
    if (cell->failure && 2 * c->n_failed < c->n) {
        node->n_failed++;
        if (!node->failure) {
            node->failure = cell->failure;
            node->first_failed = c->label;
        }
    }
    if (isnan(of->theta))
        return;
    evidence->slower[evidence->n] = cell->of.p_slower;
    evidence->faster[evidence->n] = cell->of.p_faster;
    evidence->thetas[evidence->n++] = of->theta;
    result->n_uncertified += !cell->is_certified;
    if (of->verdict == COMPARED_SLOWER && node->n_slower++ == 0)
        node->first_slower = c->label;
    if (of->verdict == COMPARED_FASTER && node->n_faster++ == 0)
        node->first_faster = c->label;
}

static void evidence_free(struct evidence *evidence)
{
    free(evidence->slower);
    free(evidence->faster);
    free(evidence->thetas);
}

/* Its mean, and its p of lying beyond the margin in one direction. */
static void judge_evidence(struct fleet_result *result, struct evidence *evidence,
                           struct fleet_node *node)
{
    node->n_cases = evidence->n;
    node->mean = compare_mean(evidence->thetas, evidence->n, result->options->confidence);
    double slower = fleet_several_p(evidence->slower, evidence->n);
    double faster = fleet_several_p(evidence->faster, evidence->n);
    node->p = node->adjusted_p = isnan(slower) ? NAN : fmin(1, 2 * fmin(slower, faster));
}

struct placed_cell {
    const struct fleet_case *c;
    const struct fleet_cell *cell;
};

/* The cells of all cases by node; *ret_ends: where those of each node end. Both are the caller's.
 */
static struct placed_cell *cells_by_node(const struct fleet_result *result, size_t **ret_ends)
{
    size_t *ends = memory_allocate((result->n_nodes + 1) * sizeof *ends);
    size_t n = 0;
    for (size_t i = 0; i < result->n_cases; i++)
        for (size_t j = 0; j < result->cases[i].n; j++, n++)
            ends[result->cases[i].cells[j].node + 1]++;
    for (size_t i = 0; i < result->n_nodes; i++)
        ends[i + 1] += ends[i];
    struct placed_cell *placed = memory_allocate((n + 1) * sizeof *placed);
    for (size_t i = 0; i < result->n_cases; i++)
        for (size_t j = 0; j < result->cases[i].n; j++) {
            const struct fleet_cell *cell = &result->cases[i].cells[j];
            placed[ends[cell->node]++] = (struct placed_cell){&result->cases[i], cell};
        }
    *ret_ends = ends;
    return placed;
}

static void judge_nodes(struct fleet_result *result)
{
    size_t *ends;
    CLEANUP(free_pointer) struct placed_cell *placed = cells_by_node(result, &ends);
    CLEANUP(free_pointer) double *p = memory_allocate((result->n_nodes + 1) * sizeof *p);
    size_t n = 0;
    for (size_t i = 0; i < result->n_nodes; i++) {
        size_t from = i ? ends[i - 1] : 0, most = ends[i] - from + 1;
        CLEANUP(evidence_free)
        struct evidence evidence = {memory_allocate(most * sizeof(double)),
                                    memory_allocate(most * sizeof(double)),
                                    memory_allocate(most * sizeof(double)), 0};
        for (size_t j = from; j < ends[i]; j++)
            take_cell(result, placed[j].c, placed[j].cell, &evidence);
        judge_evidence(result, &evidence, &result->nodes[i]);
        if (!isnan(result->nodes[i].p))
            p[n++] = result->nodes[i].p;
    }
    free(ends);
    adjust_p_values(p, n);
    n = 0;
    for (size_t i = 0; i < result->n_nodes; i++)
        if (!isnan(result->nodes[i].p))
            result->nodes[i].adjusted_p = p[n++];
}

/* Cases that more than half of the nodes have, and this one has not. */
static void find_missing(struct fleet_result *result)
{
    size_t *n_nodes = memory_allocate((result->n_models + 1) * sizeof *n_nodes);
    bool *has = memory_allocate(result->n_nodes + 1);
    for (size_t i = 0; i < result->n_nodes; i++)
        n_nodes[result->nodes[i].model]++;
    for (size_t i = 0; i < result->n_cases; i++) {
        const struct fleet_case *c = &result->cases[i];
        size_t n_has = 0;
        memset(has, 0, result->n_nodes);
        for (size_t j = 0; j < c->n; j++) {
            bool is_there = !c->cells[j].is_skipped;
            has[c->cells[j].node] = is_there;
            n_has += is_there;
        }
        if (2 * n_has <= n_nodes[c->model])
            continue;
        for (size_t j = 0; j < result->n_nodes; j++)
            if (result->nodes[j].model == c->model && !has[j] && result->nodes[j].n_missing++ == 0)
                result->nodes[j].first_missing = c->label;
    }
    free(n_nodes);
    free(has);
}

static int verdict_of(const struct fleet_node *node, size_t n_alike, double alpha)
{
    size_t several = node->n_cases < FLEET_SEVERAL ? 1 : FLEET_SEVERAL;
    bool is_certain = node->adjusted_p <= alpha;
    if (node->n_failed)
        return COMPARED_BROKEN;
    if (is_certain && node->n_slower >= several)
        return COMPARED_SLOWER;
    if (is_certain && node->n_faster >= several)
        return COMPARED_FASTER;
    if (node->n_missing)
        return COMPARED_MISSING;
    if (node->n_cases == 0)
        return COMPARED_SKIPPED;
    return n_alike == node->n_cases ? COMPARED_SAME : COMPARED_UNCLEAR;
}

static void set_verdicts(struct fleet *fleet)
{
    struct fleet_result *result = &fleet->result;
    CLEANUP(free_pointer)
    size_t *n_alike = memory_allocate((result->n_nodes + 1) * sizeof *n_alike);
    for (size_t i = 0; i < result->n_cases; i++) {
        const struct fleet_case *c = &result->cases[i];
        bool is_visit = false;
        for (size_t j = 0; j < c->n; j++) {
            int verdict = c->cells[j].of.result.verdict;
            n_alike[c->cells[j].node] += verdict == COMPARED_SAME || verdict == COMPARED_CHANGED;
            is_visit |= c->cells[j].of.result.is_visit;
        }
        result->n_visits += is_visit;
        result->n_failed += c->n_failed > 0 && 2 * c->n_failed >= c->n;
    }
    for (size_t i = 0; i < result->n_nodes; i++) {
        struct fleet_node *node = &result->nodes[i];
        node->verdict = verdict_of(node, n_alike[i], 1 - fleet->options.confidence);
        node->is_flagged = node->verdict == COMPARED_SLOWER || node->verdict == COMPARED_BROKEN;
        result->n_flagged += node->is_flagged;
        if (node->is_flagged || node->verdict == COMPARED_FASTER)
            fleet_find_differences(fleet, i);
    }
}

int32_t fleet_finish(struct fleet *fleet, struct gb_error *error)
{
    struct fleet_result *result = &fleet->result;
    size_t n = 0;
    if (fleet->n_units == 0 && result->n_left_out > 0 && !*result->metric.name)
        return error_set(error, GB_NOT_FOUND,
                         "no run has such a fact or label; values of an option are compared by "
                         "gbrun compare --by %s --base VALUE",
                         result->by);
    if (fleet->n_readings == 0)
        return error_set(error, GB_NOT_FOUND, "no run has a case%s%s",
                         *result->metric.name ? " with the metric " : "", result->metric.name);
    fleet_make_cases(fleet);
    struct comparison **items = compare_cases(fleet, &n);
    compare_judge(items, n, fleet->options.margin, fleet->options.confidence);
    free(items);
    for (size_t i = 0; result->metric.is_better_if_higher && i < result->n_cases; i++)
        for (size_t j = 0; j < result->cases[i].n; j++)
            swap_directions(&result->cases[i].cells[j].of);
    judge_nodes(result);
    find_missing(result);
    set_verdicts(fleet);
    return GB_OK;
}

int fleet_exit_code(const struct fleet_result *result, bool is_strict)
{
    enum { FINE = 0, FAILED = 1, FLAGGED = 3 };
    bool is_doubtful = result->n_uncertified > 0;
    for (size_t i = 0; i < result->n_nodes; i++)
        is_doubtful |= compared_is_bad(result->nodes[i].verdict, true);
    if (result->n_flagged || (is_strict && is_doubtful))
        return FLAGGED;
    return result->n_judged == 0 || result->n_failed > 0 ? FAILED : FINE;
}

const struct fleet_cell *fleet_cell_of(const struct fleet_case *c, size_t node)
{
    size_t low = 0, high = c->n;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (c->cells[middle].node < node)
            low = middle + 1;
        else
            high = middle;
    }
    return low < c->n && c->cells[low].node == node ? &c->cells[low] : NULL;
}
