/* report_text.c - see report.h: rooflines and bars drawn with letters. */
#include "core/report/report.h"

#include "core/base/table.h"
#include "core/view/view_cases.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { COLUMNS = 72, ROWS = 24, AXIS = 14 };

/* Of marks in the same place; of those that lie farther to the right. */
static const char several = '*', beyond = '>';

/* A field of letters over logarithmic axes. */
struct field {
    double x_low, x_high, y_low, y_high; /* log10 */
    char cells[ROWS][COLUMNS];
};

static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";

static char letter_of(size_t i)
{
    return i < sizeof letters - 1 ? letters[i] : '+';
}

/* NULL: it is not to be seen. */
static char *cell_at(struct field *field, double x, double y)
{
    double column = (x - field->x_low) / (field->x_high - field->x_low) * (COLUMNS - 1);
    double row = (field->y_high - y) / (field->y_high - field->y_low) * (ROWS - 1);
    if (!(column >= -0.5 && column < (double)COLUMNS - 0.5 && row >= -0.5 &&
          row < (double)ROWS - 0.5))
        return NULL;
    return &field->cells[lrint(row)][lrint(column)];
}

static void put_mark(struct field *field, double x, double y, char letter)
{
    char *cell = cell_at(field, fmin(x, field->x_high), y);
    bool is_beyond = x > field->x_high;
    if (!cell || (is_beyond && !strchr(" /-", *cell)))
        return;
    *cell = is_beyond ? beyond : strchr(" /->", *cell) || *cell == letter ? letter : several;
}

/* Bandwidths end at the highest rate, rates begin at the highest bandwidth. */
static void draw_roofs(const struct report_chart *chart, struct field *field)
{
    double bandwidth = report_top(chart, true), rate = report_top(chart, false);
    for (size_t i = 0; i < chart->roofs.n; i++) {
        const struct roof *roof = &chart->roofs.items[i];
        bool is_memory = roof_is_memory(roof->name);
        for (int column = 0; column < COLUMNS; column++) {
            double x = field->x_low + (field->x_high - field->x_low) * column / (COLUMNS - 1);
            double y = log10(roof->rate) + (is_memory ? x : 0);
            bool is_there = is_memory ? !(y > log10(rate)) : !(x < log10(roof->rate / bandwidth));
            char *cell = is_there ? cell_at(field, x, y) : NULL;
            if (cell && *cell == ' ')
                *cell = is_memory ? '/' : '-';
        }
    }
}

static void add_field(const struct field *field, struct text *out)
{
    int decades = (int)lrint(field->y_high - field->y_low);
    for (int row = 0; row < ROWS; row++) {
        size_t n = COLUMNS;
        double step = (double)(ROWS - 1) / decades;
        int decade = (int)lrint(row / step);
        while (n > 0 && field->cells[row][n - 1] == ' ')
            n--;
        if (lrint(decade * step) == row)
            text_printf(out, "%*s |", AXIS - 2,
                        SI_TEXT(pow(10, round(field->y_high) - decade), "FLOP/s", 1));
        else
            text_printf(out, "%*s |", AXIS - 2, "");
        text_add_n(out, field->cells[row], n);
        text_add(out, "\n");
    }
}

/* The line below, with a tick at each decade and its number under it. */
static void add_x_axis(const struct field *field, struct text *out)
{
    char ticks[COLUMNS + 1];
    char numbers[COLUMNS + AXIS + 1];
    int decades = (int)lrint(field->x_high - field->x_low);
    memset(ticks, '-', sizeof ticks);
    memset(numbers, ' ', sizeof numbers);
    size_t end = 0;
    for (int i = 0; i <= decades; i++) {
        char number[NUMBER_TEXT_MAX];
        size_t at = (size_t)lrint((double)(COLUMNS - 1) * i / decades);
        size_t n = (size_t)snprintf(number, sizeof number, "%.8g", pow(10, field->x_low + i));
        ticks[at] = '+';
        size_t begin = at > n / 2 ? at - n / 2 : 0;
        if (begin < end || begin + n > sizeof numbers)
            continue;
        memcpy(numbers + begin, number, n);
        end = begin + n + 1;
    }
    text_printf(out, "%*s +", AXIS - 2, "");
    text_add_n(out, ticks, COLUMNS);
    text_printf(out, "\n%*s", AXIS, "");
    text_add_n(out, numbers, end > 0 ? end - 1 : 0);
    text_printf(out, "  FLOP/byte\n");
}

static bool has_letter(const struct field *field, char letter)
{
    return memchr(field->cells, letter, sizeof field->cells);
}

static void draw_field(const struct report_chart *chart, struct text *out)
{
    struct report_bounds bounds;
    if (!report_bounds(chart, &bounds)) {
        text_add(out, "no case declares both operations and bytes: there is nothing to draw\n");
        return;
    }
    struct field field = {bounds.x_low, bounds.x_high, bounds.y_low, bounds.y_high, {{0}}};
    memset(field.cells, ' ', sizeof field.cells);
    draw_roofs(chart, &field);
    size_t n = 0;
    for (size_t i = 0; i < chart->n; i++) {
        const struct report_case *one = &chart->cases[i];
        for (int j = 0; j < MARK_LEVELS; j++)
            if (report_has_mark(one, j))
                put_mark(&field, log10(one->intensity[j]), log10(one->flops_per_s), letter_of(n));
        n += report_is_drawn(one);
    }
    add_field(&field, out);
    add_x_axis(&field, out);
    if (has_letter(&field, several))
        text_add(out, "*: several marks\n");
    if (has_letter(&field, beyond))
        text_add(out, ">: marks that lie farther to the right\n");
}

static void add_roof_list(const struct report_chart *chart, struct text *out)
{
    CLEANUP(text_free) struct text line = {0};
    if (!chart->source) {
        text_printf(out, "%s\n", report_no_roofs);
        return;
    }
    for (size_t i = 0; i < chart->roofs.n; i++) {
        text_add(&line, i ? ", " : "roofs: ");
        report_add_rate(&chart->roofs.items[i], &line);
    }
    text_add(&line, chart->roofs.n ? "; " : "roofs: none that a case is compared with; ");
    text_add_line(&line, chart->source);
    text_add(&line, "\n");
    text_add_wrapped(out, text_get(&line), 0, 2, SHOW_COLUMNS);
}

static void add_rate(struct table *table, double value, const char *unit)
{
    table_cell(table, isfinite(value) ? SI_TEXT(value, unit, 4) : "");
}

/* FLOP/byte, without an exponent. */
static void add_intensity(struct table *table, double value)
{
    if (!isfinite(value))
        table_cell(table, "");
    else if (value < 1e3)
        table_cell_printf(table, "%.4g", value);
    else if (value < 1e6)
        table_cell_printf(table, "%.0f", value);
    else
        table_cell(table, SI_TEXT(value, "", 4));
}

static void add_time(struct table *table, double ns)
{
    table_cell(table, isfinite(ns) ? TIME_TEXT(ns, 4) : "");
}

/* A row for each mark of the case, or one where it has none; what belongs to the case is in the
 * first. */
static void add_case(const struct report_case *one, size_t index, bool has_levels, bool has_ratio,
                     struct table *table)
{
    const char letter[] = {letter_of(index), 0};
    const bool is_drawn = report_is_drawn(one);
    bool is_first = true;
    for (int i = 0; i < MARK_LEVELS; i++) {
        if (is_drawn ? !report_has_mark(one, i) : i > 0)
            continue;
        table_row(table);
        if (is_drawn)
            table_cell(table, is_first ? letter : "");
        table_cell(table, is_first ? one->label : "");
        if (has_levels)
            table_cell(table, mark_level_word(i));
        if (is_drawn)
            add_intensity(table, one->intensity[i]);
        if (!is_first)
            continue;
        is_first = false;
        add_rate(table, one->flops_per_s, "FLOP/s");
        add_rate(table, one->bytes_per_s, "B/s");
        if (isfinite(one->ratio))
            table_cell_printf(table, "%.*f %% %s", one->ratio < 0.0995 ? 1 : 0, 100 * one->ratio,
                              one->roof);
        else
            table_cell(table, "");
        table_cell(table, bound_word(one->bound) ? bound_word(one->bound) : "");
        if (is_drawn)
            add_intensity(table, one->ridge);
        add_time(table, one->model_ns);
        add_time(table, one->measured_ns);
        if (has_ratio)
            view_add_ratio(table_words(table), one->relative);
    }
}

/* Those in the picture; or those without operations or bytes, which have no letter. */
static void add_cases(const struct report_chart *chart, bool is_drawn, struct text *out)
{
    CLEANUP(table_free) struct table table = {0};
    bool has_levels = false, has_ratio = false;
    size_t n = 0;
    for (size_t i = 0; i < chart->n; i++)
        has_ratio = has_ratio || chart->cases[i].relative;
    for (size_t i = 0; is_drawn && i < chart->n; i++)
        for (int j = MARK_DECLARED + 1; j < MARK_LEVELS; j++)
            has_levels = has_levels || report_has_mark(&chart->cases[i], j);
    const struct {
        const char *head;
        bool right, wanted;
    } heads[] = {{"", false, is_drawn},
                 {"case", false, true},
                 {"counted at", false, has_levels},
                 {"FLOP/byte", true, is_drawn},
                 {"performance", true, true},
                 {"memory", true, true},
                 {"roof", true, true},
                 {"bound", false, true},
                 {"ridge", true, is_drawn},
                 {"model", true, true},
                 {"measured", true, true},
                 {"ratio", true, has_ratio}};
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++)
        if (heads[i].wanted)
            table_column(&table, heads[i].head, heads[i].right);
    for (size_t i = 0; i < chart->n; i++)
        if (report_is_drawn(&chart->cases[i]) == is_drawn)
            add_case(&chart->cases[i], n++, has_levels, has_ratio, &table);
    if (n == 0)
        return;
    text_add(out, "\n");
    if (!is_drawn)
        text_printf(out, "%s\n", report_undrawn_words(chart));
    table_write(&table, TABLE_PLAIN, out);
}

static void add_chart(const struct report_chart *chart, struct text *out)
{
    text_add(out, "roofline of ");
    text_add_line(out, *chart->model ? chart->model : "a device that is not known");
    text_add(out, "\n");
    add_roof_list(chart, out);
    text_add(out, "\n");
    draw_field(chart, out);
    add_cases(chart, true, out);
    add_cases(chart, false, out);
}

static void add_count(uint64_t n, const char *words, struct text *out)
{
    if (n)
        text_printf(out, "\nleft out: %s %s\n", COUNT_TEXT(n, "case"), words);
}

void report_text(const struct report *report, struct text *out)
{
    for (size_t i = 0; i < report->n_charts; i++) {
        text_add(out, i ? "\n" : "");
        add_chart(&report->charts[i], out);
    }
    text_add(out, report->n_charts && report->chart.n_panels ? "\n" : "");
    chart_text(&report->chart, out);
    if (report->ratios)
        text_printf(out, "\n%s", report->ratios);
    add_count(report_left_out(report), "not measured, or not ok", out);
    add_count(report->n_without_work, "without declared work", out);
    if (report->chart.n_without)
        text_printf(out, "\nleft out: %s without %s, or of a benchmark that does not sweep it\n",
                    COUNT_TEXT(report->chart.n_without, "case"), report->chart.request.x);
}
