/* chart.c - see chart.h: from views to points. */
#include "core/report/chart.h"

#include "core/base/members.h"
#include "core/compare/compare.h"
#include "core/config/expression.h"
#include "core/report/case_samples.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int chart_kind_named(const char *word)
{
    static const char *const words[CHART_KINDS] = {
#define CHART_WORD(name, text) [CHART_##name] = text,
        CHART_MAP(CHART_WORD)
#undef CHART_WORD
    };
    return text_choice(WORDS_OF(words, CHART_KINDS), word);
}

static bool is_time(const struct chart *chart)
{
    return chart->request.y == NULL;
}

/* ---- panels ---- */

static bool is_used(const struct chart_request *request, const char *name)
{
    return (request->x && text_equal(request->x, name)) ||
           (request->by && text_equal(request->by, name));
}

/* Files have no column. */
static bool is_by_file(const struct chart_request *request)
{
    return request->by && text_equal(request->by, "file");
}

/* Do X or BY tell devices apart? */
static bool tells_devices(const struct chart_request *request)
{
    return (request->x && text_starts_with(request->x, "device")) ||
           (request->by && text_starts_with(request->by, "device"));
}

/* What tells the cases of one panel from others: the file, run and bench, the other axes, the
 * device. */
static const char *title_of(const struct chart_request *request, const struct view *view,
                            const struct view_row *row, const char *path, struct arena *arena)
{
    CLEANUP(text_free) struct text title = {0}, words = {0};
    const struct survey *survey = &view->survey;
    if (path && !is_by_file(request))
        text_printf(&title, "%s: ", path);
    if (view->n_runs > 1 && !view->is_united && !is_used(request, "run") &&
        !is_used(request, "run_uuid"))
        text_printf(&title, "run %lld ", (long long)row->run->number);
    if (!is_used(request, "bench"))
        text_add(&title, row->c.bench);
    for (size_t i = 0; i < row->c.n_parameters; i++) {
        const struct parameter *parameter = &row->c.parameters[i];
        if (!parameter->is_axis || !request->x || is_used(request, parameter->name))
            continue; /* without X labels tell cases apart */
        struct cell cell = cell_of_parameter(parameter);
        text_clear(&words);
        cell_readable(&cell, &words);
        text_printf(&title, " %s=%s", parameter->name, text_get(&words));
    }
    if (row->device && !tells_devices(request))
        text_printf(&title, " on %s", row->device->record.model);
    if (survey->several_devices && !tells_devices(request))
        text_printf(&title, " (%s)", device_label(row, arena));
    if (survey->several_policies && !is_used(request, "policy"))
        text_printf(&title, " policy %s", row->c.policy);
    text_clear(&words);
    text_add_line(&words, text_get(&title));
    return arena_text(arena, text_get(&words));
}

static struct chart_panel *panel_of(struct chart *chart, const char *title)
{
    const size_t known = hash_index_named(&chart->by_title, title, chart->panels,
                                          sizeof *chart->panels);
    if (known != HASH_NONE)
        return &chart->panels[known];
    hash_index_add(&chart->by_title, hash_text(HASH_START, title), chart->n_panels, &chart->arena);
    struct chart_panel *added = ARENA_ADD(&chart->arena, chart->panels, chart->n_panels);
    *added = (struct chart_panel){.title = title, .has_numbers = true};
    return added;
}

static double number_of(const struct cell *cell)
{
    return cell->kind == CELL_TEXT || cell->kind == CELL_BOOL ? NAN
           : cell->kind == CELL_INTEGER                       ? (double)cell->integer
                                                              : cell->real;
}

static const char *readable(const struct cell *cell, struct arena *arena)
{
    CLEANUP(text_free) struct text words = {0};
    cell_readable(cell, &words);
    return arena_text(arena, text_get(&words));
}

static struct chart_line *line_of(struct chart *chart, struct chart_panel *panel,
                                  const struct cell *by)
{
    const char *name = by ? readable(by, &chart->arena) : "";
    const size_t known = hash_index_named(&panel->by_name, name, panel->lines,
                                          sizeof *panel->lines);
    if (known != HASH_NONE)
        return &panel->lines[known];
    hash_index_add(&panel->by_name, hash_text(HASH_START, name), panel->n_lines, &chart->arena);
    struct chart_line *added = ARENA_ADD(&chart->arena, panel->lines, panel->n_lines);
    *added = (struct chart_line){.name = name, .number = by ? number_of(by) : NAN};
    return added;
}

/* ---- points ---- */

const struct relative *keep_relative(const struct view_row *row, struct arena *arena)
{
    struct relative *kept = NULL;
    if (row->relative) {
        kept = ARENA_ARRAY(arena, struct relative, 1);
        *kept = *row->relative;
    }
    return kept;
}

ORDER_BY_NUMBER(compare_ids, struct compared_record, id)

struct compared_records compared_records_of(const struct compare_against *against,
                                            struct arena *arena)
{
    struct compared_records records = {0};
    for (size_t i = 0; against && i < against->n; i++) {
        const struct compared *c = &against->cases[i];
        if (c->new && c->new->first)
            ARENA_APPEND(arena, records.items, records.n,
                         ((struct compared_record){c->new->first->id, c}));
    }
    if (records.n)
        qsort(records.items, records.n, sizeof *records.items, compare_ids);
    return records;
}

const struct compared *compared_of(const struct compared_records *records, int64_t id)
{
    const struct compared_record key = {.id = id};
    const struct compared_record *found =
        records->n ? bsearch(&key, records->items, records->n, sizeof key, compare_ids) : NULL;
    return found ? found->c : NULL;
}

static void find_time(const struct chart *chart, const struct view_row *row,
                      struct chart_point *point)
{
    const struct gb_estimate *estimate = &row->c.record.estimate;
    const struct compared *c = chart->baseline ? compared_of(chart->baseline, row->c.id) : NULL;
    point->base = c ? c->base_value : NAN;
    bool is_central = estimate_is_central(&row->c.record);
    point->y = central_ns(&row->c);
    point->low = is_central ? estimate->low_ns : NAN;
    point->high = is_central ? estimate->high_ns : NAN;
    point->mark = row->c.record.has_estimate ? view_verdict_mark(estimate->verdict) : "";
}

static int32_t read_series(struct chart *chart, struct view *view, const struct view_row *rounds,
                           size_t n, struct chart_point *point, struct gb_error *error)
{
    struct case_series series;
    int32_t status = case_series_read(view, rounds, n, chart->request.series, &chart->arena,
                                      &series, error);
    if (status != GB_OK || series.n_sorted == 0)
        return status;
    if (!chart->has_series)
        chart->unit = arena_text(&chart->arena, series.unit);
    chart->has_series = true;
    if (!text_equal(chart->unit, series.unit))
        return GB_OK; /* what it shares with the others is the name */
    point->sorted = series.sorted;
    point->n_sorted = series.n_sorted;
    return GB_OK;
}

/* The samples of the rounds of a row. */
static int32_t read_sorted(struct chart *chart, struct view *view, const struct view_entry *entry,
                           struct chart_point *point, struct gb_error *error)
{
    enum { MOST = 1 << 16 };
    CLEANUP(arena_free) struct arena own = {0};
    size_t n = 0;
    const struct view_row *rows = view_records(view, entry, &own, &n);
    struct case_samples samples = {0};
    if (chart->request.series)
        return read_series(chart, view, rows, n, point, error);
    int32_t status = case_samples_read(view, rows, n, MOST, 0, &chart->arena, &samples, error);
    point->sorted = samples.sorted;
    point->n_sorted = samples.n_sorted;
    return status;
}

/* Quartiles, and whiskers to the last samples within Tukey's fences. */
static void find_box(struct chart_point *point)
{
    size_t n = point->n_sorted, first = 0, last = n;
    point->q1 = quantile_of_sorted(point->sorted, n, 0.25);
    point->median = quantile_of_sorted(point->sorted, n, 0.5);
    point->q3 = quantile_of_sorted(point->sorted, n, 0.75);
    double reach = 1.5 * (point->q3 - point->q1);
    while (first + 1 < n && point->sorted[first] < point->q1 - reach)
        first++;
    while (last > first + 1 && point->sorted[last - 1] > point->q3 + reach)
        last--;
    point->whisker_low = n > 0 ? point->sorted[first] : NAN;
    point->whisker_high = n > 0 ? point->sorted[last - 1] : NAN;
}

/* The columns that a chart reads, found once for a view. */
struct columns {
    struct view_column x, y, by;
    struct expression_engine *engine;
    struct expression *ideal;
    struct expression_column *parameters;
};

static void free_columns(struct columns *columns)
{
    expression_free(columns->ideal);
    expression_engine_free(columns->engine);
}

static int32_t compile_ideal(const struct chart *chart, struct view *view, struct columns *ret,
                             struct gb_error *error)
{
    if (!chart->request.ideal)
        return GB_OK;
    ret->parameters = ARENA_ARRAY(&view->arena, struct expression_column, view->n_parameters + 1);
    for (size_t i = 0; i < view->n_parameters; i++)
        ret->parameters[i].name = view->parameters[i];
    int32_t status = expression_engine_new(&ret->engine, error);
    if (status == GB_OK)
        status = expression_compile(ret->engine, chart->request.ideal,
                                    (struct origin){.file = "--ideal"}, ret->parameters,
                                    view->n_parameters, &ret->ideal, error);
    return status;
}

static int32_t find_columns(struct chart *chart, struct view *view, struct columns *ret,
                            struct gb_error *error)
{
    const struct chart_request *request = &chart->request;
    int32_t status = GB_OK;
    *ret = (struct columns){0};
    if (request->x)
        status = view_column_named(view, request->x, "--x", &ret->x, error);
    if (status == GB_OK && request->by && !is_by_file(request))
        status = view_column_named(view, request->by, "--by", &ret->by, error);
    if (status == GB_OK && request->y)
        status = view_column_named(view, request->y, "--y", &ret->y, error);
    if (!chart->has_series)
        chart->unit = is_time(chart) ? "ns" : "";
    if (status == GB_OK && request->y && ret->y.kind == COLUMN_RESULT)
        chart->unit = result_column_unit((size_t)ret->y.result);
    return status == GB_OK ? compile_ideal(chart, view, ret, error) : status;
}

static int32_t find_ideal(const struct columns *columns, const struct view *view,
                          const struct view_row *row, struct arena *arena, double *ret,
                          struct gb_error *error)
{
    struct value value;
    *ret = NAN;
    if (!columns->ideal)
        return GB_OK;
    for (size_t i = 0; i < view->n_parameters; i++) {
        const struct parameter *parameter = find_parameter(&row->c, view->parameters[i]);
        columns->parameters[i].value = parameter ? parameter->value : (struct value){0};
    }
    int32_t status = expression_evaluate(columns->ideal, columns->parameters, arena, &value, error);
    if (status == GB_OK && isfinite(value.number))
        *ret = value.number;
    return status;
}

static bool has_x(const struct chart *chart, const struct view *view, const struct view_row *row,
                  const struct cell *x)
{
    const char *name = chart->request.x;
    return !name || (x->kind != CELL_NULL && (!survey_of(&view->survey, NULL, name).varies ||
                                              survey_of(&view->survey, row->c.bench, name).varies));
}

static int32_t add_point(struct chart *chart, const struct view_cursor *at, const char *path,
                         const struct columns *columns, const struct cell *x,
                         struct chart_point *point, struct gb_error *error)
{
    const struct chart_request *request = &chart->request;
    const struct view_row *row = at->row;
    CLEANUP(text_free) struct text label = {0};
    text_add_line(&label, row->label);
    point->label = arena_text(&chart->arena, text_get(&label));
    point->words = request->x ? readable(x, &chart->arena) : point->label;
    point->x = request->x ? number_of(x) : NAN;
    int32_t status = find_ideal(columns, at->view, row, &chart->arena, &point->ideal, error);
    if (status == GB_OK && (request->kind == CHART_ECDF || request->kind == CHART_BOX))
        status = read_sorted(chart, at->view, at->entry, point, error);
    if (status == GB_OK && request->series && point->n_sorted == 0) {
        chart->n_left_out++;
        return GB_OK;
    }
    find_box(point);
    if (request->series)
        point->y = point->median;
    struct cell by = is_by_file(request)
                         ? (struct cell){.kind = CELL_TEXT, .text = path ? path : ""}
                     : request->by ? cell_of(row, &columns->by)
                                   : (struct cell){0};
    struct chart_panel *panel = panel_of(chart,
                                         title_of(request, at->view, row, path, &chart->arena));
    struct chart_line *line = line_of(chart, panel, request->by ? &by : NULL);
    panel->has_papers = panel->has_papers || isfinite(point->paper);
    panel->has_bases = panel->has_bases || isfinite(point->base);
    panel->has_numbers = panel->has_numbers && isfinite(point->x);
    ARENA_APPEND(&chart->arena, line->points, line->n, *point);
    return status;
}

static int32_t add_row(struct chart *chart, const struct view_cursor *at, const char *path,
                       const struct columns *columns, struct gb_error *error)
{
    const struct view_row *row = at->row;
    struct chart_point point = {.low = NAN, .high = NAN, .paper = NAN, .base = NAN, .mark = ""};
    struct cell x = chart->request.x ? cell_of(row, &columns->x) : (struct cell){0};
    const struct parameter *paper = find_parameter(
        &row->c, arena_printf(&chart->arena, PAPER_PREFIX "%s",
                              is_time(chart) ? "median_ns" : chart->request.y));
    point.paper = paper ? paper->value.number : NAN;
    if (is_time(chart)) {
        find_time(chart, row, &point);
    } else {
        struct cell y = cell_of(row, &columns->y);
        point.y = y.kind == CELL_NULL ? NAN : number_of(&y);
        if (text_equal(chart->request.y, "ratio") && row->relative) {
            point.low = exp(row->relative->low);
            point.high = exp(row->relative->high);
        }
    }
    point.relative = keep_relative(row, &chart->arena);
    bool is_good = row->c.record.status == CASE_OK && isfinite(point.y) &&
                   (!is_time(chart) || point.y > 0);
    if (!is_good) /* the base has no ratio to itself; of others a line of its own says why */
        chart->n_left_out += row->c.record.status != CASE_OK || is_time(chart) ||
                             !text_equal(chart->request.y, "ratio");
    else if (!has_x(chart, at->view, row, &x))
        chart->n_without++;
    else
        return add_point(chart, at, path, columns, &x, &point, error);
    return GB_OK;
}

/* ---- order ---- */

struct place {
    double number;
    size_t at;
};

ORDER_BY_NUMBERS(compare_places, struct place, number, at)

/* Sorts n items by the double at an offset. Numbers go up; what has none stays where it is, and
 * none passes it. */
static void sort_by_number(void *items, size_t n, size_t item_bytes, size_t offset)
{
    CLEANUP(arena_free) struct arena arena = {0};
    struct place *places = ARENA_ARRAY(&arena, struct place, n);
    char *sorted = ARENA_ARRAY(&arena, char, n *item_bytes);
    for (size_t i = 0; i < n; i++) {
        places[i].at = i;
        memcpy(&places[i].number, (char *)items + i * item_bytes + offset, sizeof(double));
    }
    for (size_t first = 0, end; first < n; first = end + 1) {
        for (end = first; end < n && !isnan(places[end].number);)
            end++;
        qsort(places + first, end - first, sizeof *places, compare_places);
    }
    for (size_t i = 0; i < n; i++)
        memcpy(sorted + i * item_bytes, (char *)items + places[i].at * item_bytes, item_bytes);
    if (n)
        memcpy(items, sorted, n * item_bytes);
}

/* A value of X in a panel. */
struct category {
    const char *words;
    double x;
    size_t number; /* by appearance */
};

/* The values of X in their order, and which of them each point has. */
static void find_categories(struct chart_panel *panel, struct arena *arena)
{
    CLEANUP(arena_free) struct arena own = {0};
    struct category *found = NULL;
    struct hash_index by_words = {0};
    size_t n = 0;
    for (size_t i = 0; i < panel->n_points; i++) {
        struct chart_point *point = panel->points[i];
        point->category = hash_index_named(&by_words, point->words, found, sizeof *found);
        if (point->category != HASH_NONE)
            continue;
        hash_index_add(&by_words, hash_text(HASH_START, point->words), n, &own);
        point->category = n;
        ARENA_APPEND(&own, found, n, (struct category){point->words, point->x, point->category});
    }
    sort_by_number(found, n, sizeof *found, offsetof(struct category, x));
    size_t *places = ARENA_ARRAY(&own, size_t, n + 1);
    panel->categories = ARENA_ARRAY(arena, const char *, n + 1);
    panel->n_categories = n;
    for (size_t i = 0; i < n; i++) {
        panel->categories[i] = found[i].words;
        places[found[i].number] = i;
    }
    for (size_t i = 0; i < panel->n_points; i++)
        panel->points[i]->category = places[panel->points[i]->category];
}

int32_t chart_add(struct chart *chart, struct view *view, const char *path, struct gb_error *error)
{
    CLEANUP(free_columns) struct columns columns;
    int32_t status = find_columns(chart, view, &columns, error);
    struct view_cursor at = {.view = view};
    while (status == GB_OK && view_next(&at, &status, error))
        if (!chart->request.bench || text_equal(at.row->c.bench, chart->request.bench))
            status = add_row(chart, &at, path, &columns, error);
    for (size_t i = 0; i < chart->n_panels; i++) {
        struct chart_panel *panel = &chart->panels[i];
        sort_by_number(panel->lines, panel->n_lines, sizeof *panel->lines,
                       offsetof(struct chart_line, number));
        panel->n_points = 0;
        for (size_t j = 0; j < panel->n_lines; j++) {
            struct chart_line *line = &panel->lines[j];
            sort_by_number(line->points, line->n, sizeof *line->points,
                           offsetof(struct chart_point, x));
            /* The expression gives the shape, the first point of a line the height. */
            const double factor = line->n > 0 ? line->points[0].y / line->points[0].ideal : NAN;
            for (size_t k = 0; k < line->n; k++) {
                line->points[k].ideal *= columns.ideal ? factor : 1;
                ARENA_APPEND(&chart->arena, panel->points, panel->n_points, &line->points[k]);
            }
        }
        panel->by_name = (struct hash_index){0};
        for (size_t j = 0; j < panel->n_lines; j++)
            hash_index_add(&panel->by_name, hash_text(HASH_START, panel->lines[j].name), j,
                           &chart->arena);
        find_categories(panel, &chart->arena);
    }
    return status;
}

void chart_free(struct chart *chart)
{
    arena_free(&chart->arena);
    *chart = (struct chart){0};
}

/* ---- which X, which BY ---- */

enum { VALUES_MAX = 64 };
struct axis {
    const char *name;
    bool is_number;
    const char *values[VALUES_MAX];
    size_t n;
};

static const struct axis *largest(const struct axis *axes, size_t n, bool numbers_only,
                                  const struct axis *but)
{
    const struct axis *best = NULL;
    for (size_t i = 0; i < n; i++)
        if (&axes[i] != but && axes[i].n > (numbers_only ? 2 : 1) &&
            (axes[i].is_number || !numbers_only) && (!best || axes[i].n > best->n))
            best = &axes[i];
    return best;
}

bool chart_choose(struct view *view, const char *bench, struct chart_request *ret)
{
    CLEANUP(arena_free) struct arena arena = {0};
    const struct survey_bench *found = ITEM_NAMED(view->survey.benches, view->survey.n_benches,
                                                  name, bench);
    struct gb_error error;
    int32_t status = GB_OK;
    size_t n = 0;
    if (!found)
        return false;
    struct axis *axes = ARENA_ARRAY(&arena, struct axis, found->n_parameters + 1);
    for (size_t i = 0; i < found->n_parameters; i++)
        if (found->parameters[i].is_axis && found->parameters[i].varies)
            axes[n++] = (struct axis){.name = found->parameters[i].name,
                                      .is_number = found->parameters[i].is_number};
    for (struct view_cursor at = {.view = view}; view_next(&at, &status, &error);)
        for (size_t i = 0; text_equal(at.row->c.bench, bench) && i < n; i++) {
            const struct parameter *parameter = find_parameter(&at.row->c, axes[i].name);
            if (parameter && axes[i].n < VALUES_MAX &&
                !text_is_among(axes[i].values, axes[i].n, parameter->value.text))
                axes[i].values[axes[i].n++] = parameter->value.text;
        }
    const struct axis *x = largest(axes, n, true, NULL);
    x = x ? x : largest(axes, n, false, NULL);
    if (!x)
        return false;
    const struct axis *by = largest(axes, n, false, x);
    *ret = (struct chart_request){.x = x->name, .by = by ? by->name : NULL, .bench = found->name};
    return true;
}
