/* search_text.c - see search_text.h. */
#include "core/view/search_text.h"

#include "core/base/json_writer.h"
#include "core/base/members.h"
#include "core/base/table.h"
#include "core/view/search_goal.h"
#include "core/view/view_cases.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A visit of the search that was ok. */
struct search_visit {
    const char *label;
    double value; /* median of its values of the first goal, the smaller the better */
    double others[SEARCH_GOALS_MAX]; /* likewise of the other goals, from 1 on; NaN: none */
    double elapsed_ns;               /* of the search, when it had ended */
    const struct parameter *parameters;
    size_t n_parameters;
    uint64_t position;
    double weight; /* over the visits of its case: 1 */
};

/* What is stored of a search, as facts of the run named by these members: "" and NaN where there is
 * none. */
struct search_facts {
    const char *plugin, *benches, *goal, *where, *scope, *best, *reason, *note;
    double lanes, cases, cases_measured, cases_ok, visits, not_ruled_out; /* counts */
    double tolerance, confidence, share;                                  /* ratios */
    double value, low, high; /* of the goal, in ns where it is a time */
    double elapsed_ns;
};
static const struct json_member fact_members[] = {
    JSON_MEMBERS(struct search_facts, plugin, benches, goal, where, scope, best, reason, note),
    JSON_MEMBERS(struct search_facts, lanes, cases, cases_measured, cases_ok, visits,
                 not_ruled_out),
    JSON_MEMBERS(struct search_facts, tolerance, confidence, share, value, low, high, elapsed_ns)};

struct search_found {
    const struct stored_run *run;
    const char *name;
    struct search_facts facts;
    int scope; /* GB_SCOPE_...; -1: the search has not ended */
    struct arena arena;
    struct search_goals goals;
    struct search_goal goal; /* the first one */
    struct search_visit *visits;
    size_t n_visits;
};

static void read_facts(struct search_found *found)
{
    static const char *const scopes[] = {
#define SCOPE_WORD(name, value, words) [value] = (words),
        GB_SCOPE_MAP(SCOPE_WORD)
#undef SCOPE_WORD
    };
    const struct run_record *run = &found->run->record;
    for (size_t i = 0; i < sizeof fact_members / sizeof *fact_members; i++) {
        void *member = (char *)&found->facts + fact_members[i].offset;
        const char *text = fact_of(
            run->facts, run->n_facts,
            arena_printf(&found->arena, SEARCH_FACT "%s.%s", found->name, fact_members[i].name));
        if (fact_members[i].kind == 'p')
            *(const char **)member = text;
        else
            *(double *)member = *text ? strtod(text, NULL) : NAN;
    }
    found->scope = *found->facts.scope ? GB_SCOPE_NONE : -1;
    for (int i = 0; i < (int)(sizeof scopes / sizeof *scopes); i++)
        if (text_equal(scopes[i], found->facts.scope))
            found->scope = i;
}

size_t search_names(const struct stored_run *run, struct arena *arena, const char ***ret)
{
    static const char last[] = ".plugin";
    size_t n = 0;
    *ret = NULL;
    for (size_t i = 0; i < run->record.n_facts; i++) {
        const char *name = run->record.facts[i].name;
        if (!text_starts_with(name, SEARCH_FACT) || !text_ends_with(name, last))
            continue;
        name += sizeof SEARCH_FACT - 1;
        ARENA_APPEND(arena, *ret, n, arena_text_n(arena, name, strlen(name) - (sizeof last - 1)));
    }
    return n;
}

/* ---- the visits ---- */

static double median_of(const struct gb_observation *observation, struct arena *arena)
{
    double *copy = ARENA_ARRAY(arena, double, observation->n_samples + 1);
    if (observation->n_samples == 0)
        return NAN;
    memcpy(copy, observation->samples, (size_t)observation->n_samples * sizeof *copy);
    return sort_to_median(copy, (size_t)observation->n_samples);
}

/* Visits one after the other, with when they ended: as if each had been proposed as soon as there
 * was a lane for it. */
struct passing {
    uint32_t lanes;
    uint64_t n;
    double ends_ns[SEARCH_LANES_MAX]; /* of the last ones, a ring */
    double elapsed_ns;
};

/* readers: of the goals, the first one's first. What c points to lives as long as `found`. */
static int32_t read_visit(struct search_found *found, struct goal_reader *const *readers,
                          const struct stored_case *c, struct passing *passing,
                          struct gb_error *error)
{
    CLEANUP(arena_free) struct arena samples = {0};
    struct gb_observation observation;
    const char *benches = arena_printf(&samples, " %s ", found->facts.benches);
    int32_t status = goal_reader_read(readers[0], c, &samples, &observation, error);
    if (status != GB_OK || !strstr(benches, arena_printf(&samples, " %s ", c->bench)))
        return status;
    double *end_ns = &passing->ends_ns[passing->n++ % passing->lanes];
    *end_ns = passing->elapsed_ns = search_visit_end(c, &observation, *end_ns, passing->elapsed_ns);
    if (observation.status != GB_OBSERVED_OK || observation.n_samples == 0)
        return GB_OK;
    struct search_visit visit = {.value = median_of(&observation, &samples),
                                 .elapsed_ns = passing->elapsed_ns,
                                 .label = case_label(c, &found->arena),
                                 .parameters = c->parameters,
                                 .n_parameters = c->n_parameters,
                                 .position = c->position};
    for (size_t i = 1; i < found->goals.n && status == GB_OK; i++) {
        status = goal_reader_read(readers[i], c, &samples, &observation, error);
        visit.others[i] = status == GB_OK ? median_of(&observation, &samples) : NAN;
    }
    if (status == GB_OK)
        ARENA_APPEND(&found->arena, found->visits, found->n_visits, visit);
    return status;
}

static int32_t read_visits(struct store *store, struct search_found *found, struct gb_error *error)
{
    CLEANUP(free_pointer) struct stored_case *cases = NULL;
    CLEANUP(free_pointer) int64_t *ids = NULL;
    const double lanes = found->facts.lanes; /* of earlier versions: not known */
    struct passing passing = {.lanes = lanes >= 1 && lanes <= SEARCH_LANES_MAX ? (uint32_t)lanes
                                                                               : 1};
    struct goal_reader *readers[SEARCH_GOALS_MAX] = {0};
    size_t n = 0;
    int32_t status = store_snapshot_begin(store, error);
    if (status != GB_OK)
        return status;
    status = store_case_ids(store, found->run->id, NULL, &ids, &n, error);
    if (status == GB_OK)
        status = store_cases_read(store, ids, n, &found->arena, &cases, error);
    for (size_t i = 0; i < found->goals.n; i++)
        readers[i] = goal_reader_new(store, found->run->number, &found->goals.items[i],
                                     i == 0 ? found->facts.where : "");
    for (size_t i = 0; i < n && status == GB_OK; i++)
        status = read_visit(found, readers, &cases[i], &passing, error);
    for (size_t i = 0; i < found->goals.n; i++)
        goal_reader_free(readers[i]);
    store_snapshot_end(store);
    return status;
}

ORDER_BY(compare_positions, struct search_visit *const, ORDER_OF((*x)->position, (*y)->position))

/* The visits by their cases, in the arena. */
static struct search_visit **sort_by_case(const struct search_found *found, struct arena *arena)
{
    const size_t n = found->n_visits;
    struct search_visit **sorted = ARENA_ARRAY(arena, struct search_visit *, n + 1);
    for (size_t i = 0; i < n; i++)
        sorted[i] = &found->visits[i];
    qsort(sorted, n, sizeof(struct search_visit *), compare_positions);
    return sorted;
}

static size_t end_of_case(struct search_visit *const *sorted, size_t first, size_t n)
{
    size_t end = first;
    while (end < n && sorted[end]->position == sorted[first]->position)
        end++;
    return end;
}

/* So that a case that was visited often counts no more than another. */
static void weigh(struct search_found *found)
{
    const size_t n = found->n_visits;
    struct search_visit **sorted = sort_by_case(found, &found->arena);
    for (size_t first = 0, end; first < n; first = end) {
        end = end_of_case(sorted, first, n);
        for (size_t i = first; i < end; i++)
            sorted[i]->weight = 1.0 / (double)(end - first);
    }
}

/* ---- the claim ---- */

static const char *value_text(const struct search_goal *goal, double value,
                              char buffer[NUMBER_TEXT_MAX])
{
    if (goal->is_time)
        return format_time(value, 4, buffer);
    snprintf(buffer, NUMBER_TEXT_MAX, "%.6g", value);
    return buffer;
}

static void write_claim(const struct search_found *found, struct text *out)
{
    const struct search_facts *facts = &found->facts;
    text_printf(out, "search %s (%s): ", found->name, facts->plugin);
    switch (found->scope) {
    case GB_SCOPE_ALL:
        text_printf(out, "best of all %.0f cases within %.3g %% at %.4g %%", facts->cases,
                    100 * facts->tolerance, 100 * facts->confidence);
        break;
    case GB_SCOPE_SHARE:
        text_printf(
            out, "best of the %.0f measured, and in the best %.3g %% of all %.0f at %.4g %%",
            facts->cases_measured, 100 * facts->share, facts->cases, 100 * facts->confidence);
        break;
    case GB_SCOPE_MEASURED:
        text_printf(out, "best of the %.0f measured of %.0f cases", facts->cases_measured,
                    facts->cases);
        break;
    default:
        text_add(out, "nothing is claimed");
    }
    text_printf(out, ", after %s of measuring\n", TIME_TEXT(facts->elapsed_ns, 3));
}

static void write_best(const struct search_found *found, struct text *out)
{
    const struct search_facts *facts = &found->facts;
    const struct search_goal *goal = &found->goal;
    if (!*facts->best && found->n_visits > 0) {
        const struct search_visit *visit = &found->visits[0];
        for (size_t i = 1; i < found->n_visits; i++)
            if (found->visits[i].value < visit->value)
                visit = &found->visits[i];
        text_printf(out, "  best visit     %s\n  %-14s %s\n", visit->label, goal->text,
                    value_text(goal, goal->is_max ? -visit->value : visit->value, NUMBER_TEXT));
        return;
    }
    if (!*facts->best) {
        text_add(out, "  best           none: no case could be measured\n");
        return;
    }
    text_printf(out, "  best           %s\n  %-14s %s", facts->best, goal->text,
                value_text(goal, facts->value, NUMBER_TEXT));
    if (isfinite(facts->low) && isfinite(facts->high))
        text_printf(out, " [%s, %s]", value_text(goal, facts->low, NUMBER_TEXT),
                    value_text(goal, facts->high, NUMBER_TEXT));
    text_add(out, "\n");
}

void search_write_facts(const struct search_found *found, struct text *out)
{
    const struct search_facts *facts = &found->facts;
    if (found->scope < 0) {
        text_printf(out, "search %s (%s): has not ended: gbrun run --resume continues it\n",
                    found->name, facts->plugin);
        if (found->n_visits > 0)
            write_best(found, out);
        return;
    }
    write_claim(found, out);
    write_best(found, out);
    text_printf(out, "  ended          %s\n", facts->reason);
    text_printf(out, "  measured       %.0f of %.0f cases, %.0f of them ok, in %.0f visits\n",
                facts->cases_measured, facts->cases, facts->cases_ok, facts->visits);
    text_printf(out, "  not ruled out  %.0f\n", facts->not_ruled_out);
    if (*facts->note)
        text_printf(out, "  note           %s\n", facts->note);
}

/* A table behind an empty line, if it has a row. */
static void end_table(struct table *table, struct text *out)
{
    if (table->n_rows > 0) {
        text_add(out, "\n");
        table_write(table, TABLE_PLAIN, out);
    }
    table_free(table);
}

/* ---- the best against time ---- */

/* A row for each visit that was better than all before it. */
void search_write_curve(const struct search_found *found, struct text *out)
{
    enum { BAR = 30 };
    struct table table = {0};
    double best = INFINITY, last = INFINITY;
    char bar[BAR + 1];
    for (size_t i = 0; i < found->n_visits; i++)
        last = fmin(last, found->visits[i].value);
    table_columns(&table, ">after|>visit|>best so far||case");
    for (size_t i = 0; i < found->n_visits; i++) {
        const struct search_visit *visit = &found->visits[i];
        if (!(visit->value < best))
            continue;
        best = visit->value;
        const double ratio = best > 0 && last > 0 ? last / best : 1;
        const int length = (int)lround(ratio * BAR);
        memset(bar, '#', (size_t)length);
        bar[length] = 0;
        table_row(&table);
        table_cell(&table, TIME_TEXT(visit->elapsed_ns, 3));
        table_cell_printf(&table, "%zu", i + 1);
        table_cell(&table,
                   value_text(&found->goal, found->goal.is_max ? -best : best, NUMBER_TEXT));
        table_cell(&table, bar);
        table_cell(&table, visit->label);
    }
    end_table(&table, out);
}

/* ---- several goals ---- */

/* A case, by the medians of its visits: the smaller the better. */
struct front_case {
    const char *label;
    double values[SEARCH_GOALS_MAX];
    bool is_beaten;
};

/* Of one case: n visits from `first` on. */
static struct front_case case_of(struct search_visit *const *first, size_t n, size_t n_goals)
{
    CLEANUP(free_pointer) double *values = memory_allocate(n * sizeof *values);
    struct front_case of = {.label = first[0]->label};
    for (size_t goal = 0; goal < n_goals; goal++) {
        size_t n_values = 0;
        for (size_t i = 0; i < n; i++) {
            const double value = goal == 0 ? first[i]->value : first[i]->others[goal];
            if (isfinite(value))
                values[n_values++] = value;
        }
        of.is_beaten = of.is_beaten || n_values == 0; /* nothing is known */
        of.values[goal] = n_values > 0 ? sort_to_median(values, n_values) : NAN;
    }
    return of;
}

static bool beats(const struct front_case *a, const struct front_case *b, size_t n_goals)
{
    bool is_better = false;
    for (size_t i = 0; i < n_goals; i++) {
        if (!(a->values[i] <= b->values[i]))
            return false;
        is_better = is_better || a->values[i] < b->values[i];
    }
    return is_better;
}

static bool is_near(const struct front_case *a, const struct front_case *b, size_t n_goals,
                    double tolerance)
{
    for (size_t i = 0; i < n_goals; i++)
        if (!(fabs(a->values[i] - b->values[i]) <= tolerance * fabs(b->values[i])))
            return false;
    return true;
}

ORDER_BY_NUMBER(compare_first_goals, struct front_case, values[0])

/* The cases of the front by the first goal, n of them in the arena. */
static size_t find_front(const struct search_found *found, struct arena *arena,
                         struct front_case **ret)
{
    const size_t n = found->n_visits, n_goals = found->goals.n;
    struct search_visit **sorted = sort_by_case(found, arena);
    struct front_case *cases = ARENA_ARRAY(arena, struct front_case, n + 1);
    size_t n_cases = 0, n_front = 0;
    for (size_t first = 0, end; first < n; first = end) {
        end = end_of_case(sorted, first, n);
        cases[n_cases++] = case_of(&sorted[first], end - first, n_goals);
    }
    for (size_t i = 0; i < n_cases; i++)
        for (size_t j = 0; j < n_cases && !cases[i].is_beaten; j++)
            cases[i].is_beaten = beats(&cases[j], &cases[i], n_goals);
    for (size_t i = 0; i < n_cases; i++)
        if (!cases[i].is_beaten)
            cases[n_front++] = cases[i];
    qsort(cases, n_front, sizeof *cases, compare_first_goals);
    *ret = cases;
    return n_front;
}

static void front_row(const struct search_found *found, const struct front_case *of,
                      struct table *table)
{
    table_row(table);
    for (size_t i = 0; i < found->goals.n; i++) {
        const struct search_goal *goal = &found->goals.items[i];
        table_cell(table,
                   value_text(goal, goal->is_max ? -of->values[i] : of->values[i], NUMBER_TEXT));
    }
    table_cell(table, of->label);
}

void search_write_front(const struct search_found *found, struct text *out)
{
    CLEANUP(arena_free) struct arena arena = {0};
    const double tolerance = found->facts.tolerance;
    struct table table = {0};
    struct front_case *front;
    size_t n_near = 0;
    if (found->goals.n < 2 || found->n_visits == 0)
        return;
    const size_t n = find_front(found, &arena, &front);
    const struct front_case *shown = NULL;
    for (size_t i = 0; i < found->goals.n; i++)
        table_column(&table, found->goals.items[i].text, true);
    table_column(&table, "case of the front", false);
    for (size_t i = 0; i < n; i++) {
        if (shown && is_near(&front[i], shown, found->goals.n, tolerance)) {
            n_near++;
            continue;
        }
        shown = &front[i];
        front_row(found, shown, &table);
    }
    end_table(&table, out);
    if (n_near > 0)
        text_printf(out, "and %zu within %.3g %% of the one above in all goals\n", n_near,
                    100 * tolerance);
}

/* ---- which axes matter ---- */

struct level {
    const char *text;
    double sum, weight;
};

static struct level *level_of(struct level **levels, size_t *n, const char *text)
{
    struct level *level = ITEM_NAMED(*levels, *n, text, text);
    if (level)
        return level;
    MEMORY_APPEND(*levels, *n, (struct level){.text = text});
    return &(*levels)[*n - 1];
}

static double measure_of(double value)
{
    return value > 0 ? log(value) : value;
}

/* The share of the variance that the means over the axis' values have: the first order of a
 * functional analysis of variance (Hooker 2007), over the cases that were visited. */
static double share_of_axis(const struct search_found *found, const char *axis)
{
    CLEANUP(free_pointer) struct level *levels = NULL;
    size_t n_levels = 0;
    double mean = 0, weights = 0, total = 0, between = 0;
    for (size_t i = 0; i < found->n_visits; i++) {
        mean += found->visits[i].weight * measure_of(found->visits[i].value);
        weights += found->visits[i].weight;
    }
    for (size_t i = 0; i < found->n_visits; i++) {
        const struct search_visit *visit = &found->visits[i];
        const double off = measure_of(visit->value) - mean / weights;
        const char *value = "";
        for (size_t j = 0; j < visit->n_parameters; j++)
            if (text_equal(visit->parameters[j].name, axis))
                value = visit->parameters[j].value.text;
        struct level *level = level_of(&levels, &n_levels, value);
        level->sum += visit->weight * off;
        level->weight += visit->weight;
        total += visit->weight * off * off;
    }
    for (size_t i = 0; i < n_levels; i++)
        between += levels[i].sum * levels[i].sum / levels[i].weight;
    return n_levels > 1 && total > 0 ? between / total : NAN;
}

void search_write_axes(const struct search_found *found, struct text *out)
{
    struct table table = {0};
    if (found->n_visits < 3)
        return;
    const struct search_visit *first = &found->visits[0];
    table_columns(&table, "axis|>variation explained");
    for (size_t i = 0; i < first->n_parameters; i++) {
        const double share = first->parameters[i].is_axis
                                 ? share_of_axis(found, first->parameters[i].name)
                                 : NAN;
        if (isnan(share))
            continue;
        table_row(&table);
        table_cell(&table, first->parameters[i].name);
        table_cell_printf(&table, "%.0f %%", 100 * share);
    }
    end_table(&table, out);
}

struct search_curve search_curve_of(const struct search_found *found, struct arena *arena)
{
    const size_t n = found->n_visits;
    const double sign = found->goal.is_max ? -1 : 1;
    double *elapsed_ns = ARENA_ARRAY(arena, double, n + 1);
    double *values = ARENA_ARRAY(arena, double, n + 1);
    double *best = ARENA_ARRAY(arena, double, n + 1);
    double least = INFINITY;
    for (size_t i = 0; i < n; i++) {
        const struct search_visit *visit = &found->visits[i];
        least = fmin(least, visit->value);
        elapsed_ns[i] = visit->elapsed_ns;
        values[i] = sign * visit->value;
        best[i] = sign * least;
    }
    return (struct search_curve){.goal = found->goal.text,
                                 .is_time = found->goal.is_time,
                                 .n = n,
                                 .elapsed_ns = elapsed_ns,
                                 .values = values,
                                 .best = best};
}

struct search_found *search_read(struct store *store, const struct stored_run *run,
                                 const char *name, struct gb_error *error)
{
    struct search_found *found = memory_allocate(sizeof *found);
    *found = (struct search_found){.run = run, .name = name};
    read_facts(found);
    int32_t status = search_goals_read(found->facts.goal, &found->arena, &found->goals, error);
    found->goal = found->goals.items[0];
    if (status == GB_OK)
        status = read_visits(store, found, error);
    weigh(found);
    if (status != GB_OK)
        search_found_free(&found);
    return found;
}

void search_found_free(struct search_found **found)
{
    if (*found)
        arena_free(&(*found)->arena);
    free(*found);
    *found = NULL;
}
