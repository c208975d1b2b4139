/* report.c - see report.h: from views to what pictures need. */
#include "core/report/report.h"

#include "core/view/view_cases.h"

#include <math.h>

const char *mark_level_word(int level)
{
    static const char *const words[] = {"declared", "L1", "L2", "DRAM"};
    return words[level];
}

static const char *label_of(const struct view *view, const struct view_row *row, const char *path,
                            struct arena *arena)
{
    CLEANUP(text_free) struct text label = {0};
    if (path)
        text_printf(&label, "%s: ", path);
    if (view->n_runs > 1 && !view->is_united)
        text_printf(&label, "run %lld ", (long long)row->run->number);
    text_add(&label, row->label);
    CLEANUP(text_free) struct text line = {0};
    text_add_line(&line, text_get(&label));
    return arena_text(arena, text_get(&line));
}

void report_explain_ratios(struct report *report, const struct view *view)
{
    CLEANUP(text_free) struct text words = {0};
    if (!view->relatives || report->ratios)
        return;
    relatives_explain(view->relatives, &words);
    report->ratios = arena_text(&report->arena, text_get(&words));
}

/* ---- rooflines ---- */

static struct report_chart *chart_of(struct report *report, const struct view_row *row)
{
    const char *model = row->device ? row->device->record.model : "";
    const char *source = row->roofs ? row->roofs->source : NULL;
    for (size_t i = 0; i < report->n_charts; i++) {
        const char *known = report->charts[i].source;
        if (text_equal(report->charts[i].model, model) &&
            (known && source ? text_equal(known, source) : known == source))
            return &report->charts[i];
    }
    struct report_chart *chart = ARENA_ADD(&report->arena, report->charts, report->n_charts);
    *chart = (struct report_chart){.model = arena_text(&report->arena, model),
                                   .source = source ? arena_text(&report->arena, source) : NULL};
    return chart;
}

static void add_roof(struct report *report, struct report_chart *chart, const struct roof *roof)
{
    struct roofs *roofs = &chart->roofs;
    if (!roof || roof_named(roofs, roof->name))
        return;
    ARENA_APPEND(
        &report->arena, roofs->items, roofs->n,
        (struct roof){arena_text(&report->arena, roof->name), roof->rate, roof->is_doubtful});
}

static double metric_of(const struct view_row *row, const char *name)
{
    const struct view_column column = {.kind = COLUMN_METRIC, .name = name};
    struct cell cell = cell_of(row, &column);
    return cell.kind == CELL_REAL && isfinite(cell.real) && cell.real > 0 ? cell.real : NAN;
}

/* Where its marks are; flops become the counted ones if there are any. */
static void find_marks(const struct view_row *row, struct report_case *ret)
{
    static const char *const metrics[MARK_LEVELS] = {
        [MARK_L1] = "counted_bytes_l1",
        [MARK_L2] = "counted_bytes_l2",
        [MARK_DRAM] = "counted_bytes_dram",
    };
    double flops = metric_of(row, "counted_flops");
    bool any = false;
    ret->intensity[MARK_DECLARED] = NAN;
    for (int i = MARK_DECLARED + 1; i < MARK_LEVELS; i++) {
        ret->intensity[i] = flops / metric_of(row, metrics[i]);
        any = any || isfinite(ret->intensity[i]);
    }
    if (any)
        ret->flops_per_s = flops / ret->measured_ns * 1e9;
    else
        ret->intensity[MARK_DECLARED] = row->roofline.intensity;
}

/* The highest bandwidths of the levels that were counted: a hierarchical roofline. */
static void add_levels(struct report *report, struct report_chart *chart,
                       const struct view_row *row, const struct report_case *one)
{
    static const struct {
        int level;
        const char *prefix;
    } levels[] = {{MARK_L1, "l1_"}, {MARK_L1, "shared_"}, {MARK_L2, "l2_"}, {MARK_DRAM, "dram_"}};
    for (size_t i = 0; row->roofs && i < sizeof levels / sizeof *levels; i++) {
        const struct roofs *known = &row->roofs->roofs;
        const struct roof *highest = NULL;
        for (size_t j = 0; isfinite(one->intensity[levels[i].level]) && j < known->n; j++)
            if (text_starts_with(known->items[j].name, levels[i].prefix) &&
                (!highest || known->items[j].rate > highest->rate))
                highest = &known->items[j];
        add_roof(report, chart, highest);
    }
}

static double rate_of(double amount, double time_ns)
{
    return isfinite(amount) && amount > 0 ? amount / time_ns * 1e9 : NAN;
}

static void add_case(struct report *report, const struct view *view, const struct view_row *row,
                     const char *path)
{
    const struct gb_work *work = &row->c.record.work;
    const struct roofline *roofline = &row->roofline;
    struct report_chart *chart = chart_of(report, row);
    struct report_case one = {.label = label_of(view, row, path, &report->arena),
                              .measured_ns = central_ns(&row->c),
                              .model_ns = roofline->model_ns,
                              .ratio = roof_ratio(row),
                              .ridge = roofline->ridge,
                              .bound = roofline->bound,
                              .relative = keep_relative(row, &report->arena)};
    one.flops_per_s = rate_of(work->flops, one.measured_ns);
    one.bytes_per_s = rate_of(work->bytes_read + work->bytes_written, one.measured_ns);
    if (roofline->roof)
        one.roof = arena_text(&report->arena, roofline->roof->name);
    find_marks(row, &one);
    add_roof(report, chart, roofline->memory);
    add_roof(report, chart, roofline->math);
    add_levels(report, chart, row, &one);
    ARENA_APPEND(&report->arena, chart->cases, chart->n, one);
}

int32_t report_add_rooflines(struct report *report, struct view *view, const char *path,
                             struct gb_error *error)
{
    int32_t status = GB_OK;
    for (struct view_cursor at = {.view = view}; view_next(&at, &status, error);) {
        const struct view_row *row = at.row;
        const struct gb_work *work = &row->c.record.work;
        bool is_declared = work->flops > 0 || work->bytes_read + work->bytes_written > 0;
        const double time_ns = central_ns(&row->c);
        if (row->c.record.status != CASE_OK || !isfinite(time_ns) || !(time_ns > 0))
            report->n_left_out++;
        else if (!is_declared)
            report->n_without_work++;
        else if (!is_roof(&row->c))
            add_case(report, view, row, path);
    }
    return status;
}

void report_free(struct report *report)
{
    arena_free(&report->arena);
    chart_free(&report->chart);
    *report = (struct report){0};
}

/* ---- what text and page have in common ---- */

const char report_no_roofs[] = "no roofs of this device are known: measure them with the benchmark "
                               "ceilings (gbrun -c ceilings.ini), and name the file with --roofs";

static void extend(double *low, double *high, double value)
{
    if (!isfinite(value) || value <= 0)
        return;
    double log = log10(value);
    *low = fmin(*low, log);
    *high = fmax(*high, log);
}

bool report_has_mark(const struct report_case *one, int level)
{
    double x = one->intensity[level], y = one->flops_per_s;
    return isfinite(x) && isfinite(y) && x > 0 && y > 0;
}

bool report_is_drawn(const struct report_case *one)
{
    for (int i = 0; i < MARK_LEVELS; i++)
        if (report_has_mark(one, i))
            return true;
    return false;
}

const char *report_undrawn_words(const struct report_chart *chart)
{
    for (size_t i = 0; i < chart->n; i++)
        if (!report_is_drawn(&chart->cases[i]) && chart->cases[i].flops_per_s > 0)
            return "not in the picture, as they declare no operations or no bytes:";
    return "not in the picture, as they do no arithmetic:";
}

/* Where what was counted ends; what was declared does not. */
static double cut_off(const struct report_chart *chart, double x_high)
{
    const double more = 30;
    double ridge = NAN, declared = NAN;
    for (size_t i = 0; i < chart->n; i++) {
        const struct report_case *one = &chart->cases[i];
        ridge = fmax(ridge, one->ridge);
        if (report_has_mark(one, MARK_DECLARED))
            declared = fmax(declared, one->intensity[MARK_DECLARED]);
    }
    return isfinite(ridge) ? fmin(x_high, log10(fmax(more * ridge, declared))) : x_high;
}

bool report_bounds(const struct report_chart *chart, struct report_bounds *ret)
{
    const double margin = 0.3;
    double x_low = INFINITY, x_high = -INFINITY, y_low = INFINITY, y_high = -INFINITY;
    for (size_t i = 0; i < chart->n; i++)
        for (int j = 0; j < MARK_LEVELS; j++) {
            if (!report_has_mark(&chart->cases[i], j))
                continue;
            extend(&x_low, &x_high, chart->cases[i].intensity[j]);
            extend(&y_low, &y_high, chart->cases[i].flops_per_s);
        }
    for (size_t i = 0; i < chart->n; i++)
        extend(&x_low, &x_high, chart->cases[i].ridge);
    for (size_t i = 0; i < chart->roofs.n; i++)
        if (!roof_is_memory(chart->roofs.items[i].name))
            extend(&y_low, &y_high, chart->roofs.items[i].rate);
    if (!isfinite(x_low) || !isfinite(y_low))
        return false;
    double end = cut_off(chart, x_high);
    *ret = (struct report_bounds){floor(x_low - 0.2), ceil(end < x_high ? end : x_high + margin),
                                  floor(y_low - 0.1), ceil(y_high + 0.1)};
    return true;
}

double report_top(const struct report_chart *chart, bool of_memory)
{
    double top = NAN;
    for (size_t i = 0; i < chart->roofs.n; i++)
        if (roof_is_memory(chart->roofs.items[i].name) == of_memory)
            top = fmax(top, chart->roofs.items[i].rate);
    return top;
}

char *report_format_rate(const struct roof *roof, char buffer[NUMBER_TEXT_MAX])
{
    return format_si(roof->rate, roof_is_memory(roof->name) ? "B/s" : "FLOP/s", 3, buffer);
}

void report_add_rate(const struct roof *roof, struct text *out)
{
    text_printf(out, "%s %s", roof->name, report_format_rate(roof, NUMBER_TEXT));
}

uint64_t report_left_out(const struct report *report)
{
    return report->n_left_out > report->chart.n_left_out ? report->n_left_out
                                                         : report->chart.n_left_out;
}
