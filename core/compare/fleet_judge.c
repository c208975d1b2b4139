/* fleet_judge.c - see fleet.h: cases are compared, then nodes are judged by all of theirs. */
#include "core/compare/fleet_internal.h"

#include "core/base/members.h"
#include "core/base/statistics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- which readings count ---- */

/* By case, unit and device; of each the newest first. */
ORDER_BY(compare_readings, struct fleet_reading, ORDER_OF(x->key, y->key),
         ORDER_OF(x->unit, y->unit), ORDER_OF(x->device, y->device), strcmp(y->started, x->started),
         ORDER_OF(x->place, y->place))

static void keep_newest(struct fleet *fleet)
{
    struct fleet_reading *readings = fleet->readings;
    size_t kept = 0;
    qsort(readings, fleet->n_readings, sizeof *readings, compare_readings);
    for (size_t i = 0; i < fleet->n_readings; i++) {
        const struct fleet_reading *last = kept ? &readings[kept - 1] : NULL;
        if (!last || last->key != readings[i].key || last->unit != readings[i].unit ||
            last->device != readings[i].device)
            readings[kept++] = readings[i];
    }
    fleet->n_readings = kept;
}

/* ---- nodes ---- */

static size_t model_named(struct fleet *fleet, const char *name)
{
    struct fleet_result *result = &fleet->result;
    const size_t i = text_index(WORDS_OF(result->models, result->n_models), name);
    if (i == result->n_models)
        ARENA_APPEND(&fleet->arena, result->models, result->n_models, name);
    return i;
}

/* Of a case: that of any reading of which a device was opened. */
static size_t model_of(struct fleet *fleet, const struct fleet_reading *readings, size_t n)
{
    size_t i = 0;
    while (i + 1 < n && !*readings[i].model)
        i++;
    return model_named(fleet, readings[i].model);
}

struct seat {
    size_t model, unit;
    const char *name;
};

ORDER_BY(compare_seats, struct seat, ORDER_OF(x->model, y->model), strverscmp(x->name, y->name),
         ORDER_OF(x->unit, y->unit))

/* Units that have a case of a model, in the order of nodes. */
static struct seat *find_seats(const struct fleet *fleet, const size_t *models, size_t *ret_n)
{
    bool *is_there = memory_allocate(fleet->n_units * fleet->result.n_models + 1);
    struct seat *seats = memory_allocate((fleet->n_readings + 1) * sizeof *seats);
    *ret_n = 0;
    for (size_t i = 0; i < fleet->n_readings; i++) {
        size_t unit = fleet->readings[i].unit;
        bool *here = &is_there[models[i] * fleet->n_units + unit];
        if (!*here)
            seats[(*ret_n)++] = (struct seat){models[i], unit, fleet->units[unit].name};
        *here = true;
    }
    free(is_there);
    qsort(seats, *ret_n, sizeof *seats, compare_seats);
    return seats;
}

/* Returns the index of the node by model and unit; the caller's to free. */
static size_t *make_nodes(struct fleet *fleet, const size_t *models)
{
    struct fleet_result *result = &fleet->result;
    size_t *index = memory_allocate((fleet->n_units * result->n_models + 1) * sizeof *index);
    struct seat *seats = find_seats(fleet, models, &result->n_nodes);
    result->nodes = ARENA_ARRAY(&fleet->arena, struct fleet_node, result->n_nodes + 1);
    fleet->unit_of_node = ARENA_ARRAY(&fleet->arena, size_t, result->n_nodes + 1);
    for (size_t i = 0; i < result->n_nodes; i++) {
        const struct fleet_unit *unit = &fleet->units[seats[i].unit];
        result->nodes[i] = (struct fleet_node){.name = unit->name,
                                               .host = unit->host,
                                               .model = seats[i].model,
                                               .p = NAN,
                                               .adjusted_p = NAN};
        fleet->unit_of_node[i] = seats[i].unit;
        index[seats[i].model * fleet->n_units + seats[i].unit] = i;
    }
    free(seats);
    return index;
}

/* ---- cases ---- */

/* All devices of a node as one: the readings of a case that have its unit. */
static void make_cell(struct fleet *fleet, const struct fleet_reading *readings, size_t n,
                      size_t node, struct fleet_cell *ret)
{
    size_t n_values = 0, n_skipped = 0;
    struct fleet_node *of = &fleet->result.nodes[node];
    for (size_t i = 0; i < n; i++)
        n_values += readings[i].n;
    double *values = ARENA_ARRAY(&fleet->arena, double, n_values + 1);
    struct compared_side *side = &ret->of.side;
    *ret = (struct fleet_cell){.node = node, .is_certified = true};
    *side = (struct compared_side){.values = values, .interval_ratio = NAN};
    for (size_t i = 0; i < n; i++) {
        const struct fleet_reading *reading = &readings[i];
        if (reading->n)
            memcpy(values + side->n, reading->values, reading->n * sizeof *values);
        side->n += reading->n;
        side->step_ratio = fmax(side->step_ratio, reading->step_ratio);
        side->interval_ratio = fmax(side->interval_ratio, reading->interval_ratio);
        ret->failure = ret->failure ? ret->failure : reading->failure;
        ret->is_certified &= reading->is_certified;
        n_skipped += reading->is_skipped;
    }
    ret->is_skipped = n_skipped == n;
    if (ret->failure)
        side->n = 0;
    ret->value = values_mean(side->values, side->n);
    of->n_devices = n > of->n_devices ? n : of->n_devices;
}

static void make_case(struct fleet *fleet, const struct fleet_reading *readings, size_t n,
                      size_t model, const size_t *index, struct fleet_case *ret)
{
    size_t n_cells = 0;
    *ret = (struct fleet_case){.label = readings[0].label,
                               .bench = readings[0].bench,
                               .uid = readings[0].uid,
                               .model = model};
    for (size_t i = 0; i < n; i++)
        n_cells += i == 0 || readings[i].unit != readings[i - 1].unit;
    ret->cells = ARENA_ARRAY(&fleet->arena, struct fleet_cell, n_cells + 1);
    for (size_t i = 0, next; i < n; i = next) {
        for (next = i + 1; next < n && readings[next].unit == readings[i].unit;)
            next++;
        struct fleet_cell *cell = &ret->cells[ret->n++];
        make_cell(fleet, &readings[i], next - i, index[model * fleet->n_units + readings[i].unit],
                  cell);
        ret->n_failed += cell->failure != NULL;
    }
}

ORDER_BY_NUMBER(compare_cells, struct fleet_cell, node)

struct group {
    size_t first, n, place;
};

ORDER_BY_NUMBER(compare_groups, struct group, place)

/* The readings of each case, in the order in which cases were met. */
static struct group *group_readings(const struct fleet *fleet, size_t *ret_n)
{
    struct group *groups = memory_allocate((fleet->n_readings + 1) * sizeof *groups);
    const struct fleet_reading *readings = fleet->readings;
    *ret_n = 0;
    for (size_t i = 0, next; i < fleet->n_readings; i = next) {
        size_t place = readings[i].place;
        for (next = i + 1; next < fleet->n_readings && readings[next].key == readings[i].key;
             next++)
            place = readings[next].place < place ? readings[next].place : place;
        groups[(*ret_n)++] = (struct group){i, next - i, place};
    }
    qsort(groups, *ret_n, sizeof *groups, compare_groups);
    return groups;
}

static void make_cases(struct fleet *fleet)
{
    struct fleet_result *result = &fleet->result;
    keep_newest(fleet);
    CLEANUP(free_pointer) struct group *groups = group_readings(fleet, &result->n_cases);
    CLEANUP(free_pointer)
    size_t *models = memory_allocate((fleet->n_readings + 1) * sizeof *models);
    for (size_t i = 0; i < result->n_cases; i++) {
        size_t model = model_of(fleet, &fleet->readings[groups[i].first], groups[i].n);
        for (size_t j = 0; j < groups[i].n; j++)
            models[groups[i].first + j] = model;
    }
    CLEANUP(free_pointer) size_t *index = make_nodes(fleet, models);
    result->cases = ARENA_ARRAY(&fleet->arena, struct fleet_case, result->n_cases + 1);
    for (size_t i = 0; i < result->n_cases; i++) {
        struct fleet_case *c = &result->cases[i];
        make_case(fleet, &fleet->readings[groups[i].first], groups[i].n, models[groups[i].first],
                  index, c);
        qsort(c->cells, c->n, sizeof *c->cells, compare_cells);
    }
}

/* ---- facts ---- */

static const char *unit_fact(const struct fleet_unit *unit, const char *name)
{
    const char *value = FACT(unit, name);
    return *value ? value : fact_of(unit->device_facts, unit->n_device_facts, name);
}

/* What more than half of the model's nodes have (Boyer and Moore: MJRTY, 1991); NULL: no value. */
static const char *majority_of(const struct fleet *fleet, size_t model, const char *name)
{
    const struct fleet_result *result = &fleet->result;
    const char *candidate = NULL;
    size_t votes = 0, n = 0, n_agree = 0;
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < result->n_nodes; i++) {
            if (result->nodes[i].model != model)
                continue;
            const char *value = unit_fact(&fleet->units[fleet->unit_of_node[i]], name);
            bool is_same = candidate && text_equal(value, candidate);
            if (pass == 1) {
                n++;
                n_agree += is_same;
            } else if (votes == 0) {
                candidate = value;
                votes = 1;
            } else {
                votes += is_same ? 1 : (size_t)-1;
            }
        }
    return 2 * n_agree > n ? candidate : NULL;
}

static void add_difference(struct fleet *fleet, struct fleet_node *node, const char *name,
                           const char *value, const char *others)
{
    if (words_add_new(&node->differing, &fleet->arena, name)) /* a device's may be the run's */
        ARENA_APPEND(&fleet->arena, node->differences, node->n_differences,
                     difference_words(&fleet->arena, name, value, ", most have ",
                                      *others ? others : "none"));
}

static void add_differences(struct fleet *fleet, size_t at)
{
    struct fleet_node *node = &fleet->result.nodes[at];
    const struct fleet_unit *unit = &fleet->units[fleet->unit_of_node[at]];
    const struct {
        const struct fact *facts;
        size_t n;
    } both[] = {{unit->facts, unit->n_facts}, {unit->device_facts, unit->n_device_facts}};
    for (size_t i = 0; i < sizeof both / sizeof *both; i++)
        for (size_t j = 0; j < both[i].n; j++) {
            const char *name = both[i].facts[j].name, *value = unit_fact(unit, name);
            const char *most = fact_is_volatile(name) ? NULL
                                                      : majority_of(fleet, node->model, name);
            if (most && !text_equal(most, value))
                add_difference(fleet, node, name, value, most);
        }
}

/* ---- verdicts ---- */

static void swap_directions(struct fleet_values *of)
{
    double p = of->p_slower;
    of->p_slower = of->p_faster;
    of->p_faster = p;
    of->result.verdict = compared_turned(of->result.verdict);
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
            add_differences(fleet, i);
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
    make_cases(fleet);
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
