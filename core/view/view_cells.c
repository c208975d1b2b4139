/* view_cells.c - one value of a row: in order, and as text; what a policy reported, as text. */
#include "core/base/json_writer.h"
#include "core/compare/compare_text.h"
#include "core/view/view_cases.h"

#include <math.h>
#include <string.h>

struct cell cell_REAL(double value)
{
    return (struct cell){.kind = isnan(value) ? CELL_NULL : CELL_REAL, .real = value};
}

struct cell cell_TEXT(const char *value)
{
    return (struct cell){.kind = value ? CELL_TEXT : CELL_NULL, .text = value};
}

int cell_compare(const struct cell *a, const struct cell *b)
{
    if (a->kind == CELL_NULL || b->kind == CELL_NULL)
        return (a->kind == CELL_NULL) - (b->kind == CELL_NULL);
    bool a_words = a->kind == CELL_TEXT, b_words = b->kind == CELL_TEXT;
    if (a_words != b_words)
        return a_words ? 1 : -1; /* numbers before words */
    if (a_words)
        return strcmp(a->text, b->text);
    if (a->kind != CELL_REAL && b->kind != CELL_REAL)
        return (a->integer > b->integer) - (a->integer < b->integer);
    return (a->real > b->real) - (a->real < b->real);
}

void cell_exact(const struct cell *cell, struct text *out)
{
    switch (cell->kind) {
    case CELL_INTEGER:
        text_printf(out, "%lld", (long long)cell->integer);
        break;
    case CELL_REAL:
        text_add(out, DOUBLE_TEXT(cell->real));
        break;
    case CELL_BOOL:
        text_add(out, cell->integer ? "yes" : "no");
        break;
    case CELL_TEXT:
        text_add(out, cell->text);
        break;
    default:
        break;
    }
}

void cell_add_csv(const struct cell *cell, bool is_first, struct text *out)
{
    if (cell->kind == CELL_TEXT) {
        text_add_csv(out, cell->text, is_first);
        return;
    }
    text_add(out, is_first ? "" : ",");
    cell_exact(cell, out); /* no number has a character to quote */
}

void json_cell(struct json_writer *json, const char *name, const struct cell *cell)
{
    switch (cell->kind) {
    case CELL_INTEGER:
        json_integer(json, name, cell->integer);
        break;
    case CELL_REAL:
        json_real(json, name, cell->real);
        break;
    case CELL_BOOL:
        json_bool(json, name, cell->integer != 0);
        break;
    default:
        json_text(json, name, cell->kind == CELL_TEXT ? cell->text : NULL);
        break;
    }
}

void cell_short(const struct cell *cell, struct text *out)
{
    if (cell->kind == CELL_REAL && cell->unit != UNIT_NONE && !isfinite(cell->real))
        text_add(out, "-");
    else if (cell->kind == CELL_REAL && isfinite(cell->real))
        text_printf(out, "%.6g", cell->real);
    else if (cell->kind == CELL_TEXT)
        text_add_line(out, cell->text);
    else
        cell_exact(cell, out);
}

/* Of an iteration it is mostly far below one joule. */
static void add_energy(struct text *out, double joules)
{
    static const char *const units[] = {"J", "mJ", "uJ", "nJ"};
    size_t i = 0;
    for (; i < 3 && fabs(joules) < 0.99995; i++)
        joules *= 1e3;
    text_add(out, SI_TEXT(joules, units[i], 4));
}

void cell_readable(const struct cell *cell, struct text *out)
{
    static const char *const si_units[] = {
        [UNIT_GFLOPS] = "FLOP/s", [UNIT_BYTES_PER_S] = "B/s", [UNIT_PER_S] = "/s",
        [UNIT_HZ] = "Hz",         [UNIT_WATTS] = "W",         [UNIT_FLOPS_PER_JOULE] = "FLOP/J"};
    const bool is_number = cell->kind == CELL_INTEGER || cell->kind == CELL_REAL;
    if (!is_number || !isfinite(cell->real) || cell->unit == UNIT_NONE) {
        cell_short(cell, out);
        return;
    }
    switch (cell->unit) {
    case UNIT_NS:
        text_add(out, TIME_TEXT(cell->real, 4));
        break;
    case UNIT_BYTES:
        text_add(out, BYTES_TEXT(cell->real));
        break;
    case UNIT_RATIO:
        text_printf(out, "%.3g %%", 100 * cell->real);
        break;
    case UNIT_FLOPS_PER_BYTE:
        text_printf(out, "%.4g", cell->real);
        break;
    case UNIT_CELSIUS:
        text_printf(out, "%.3g C", cell->real);
        break;
    case UNIT_JOULES:
        add_energy(out, cell->real);
        break;
    default:
        text_add(out, SI_TEXT(cell->unit == UNIT_GFLOPS ? cell->real * 1e9 : cell->real,
                              si_units[cell->unit], 4));
    }
}

void roof_cell(const struct view_row *row, struct text *out)
{
    double ratio = roof_ratio(row);
    if (isfinite(ratio))
        text_printf(out, "%.*f %%%s %s%s", ratio < 0.0995 ? 1 : 0, 100 * ratio,
                    ratio >= 1.005 ? "!" : "", row->roofline.roof->name,
                    row->roofline.roof->is_doubtful ? "?" : "");
}

void view_add_ratio(struct text *out, const struct relative *relative)
{
    if (relative && relative->is_base)
        text_add(out, "base");
    else if (relative)
        compare_add_ratio(relative->theta, relative->low, relative->high, out);
}

void view_add_si(struct text *out, double value)
{
    const char *number = SI_TEXT(value, "", 4);
    size_t n = strlen(number);
    while (n > 0 && number[n - 1] == ' ')
        n--;
    text_add_n(out, number, n);
}

double view_ns_of_unit(const char *unit)
{
    return text_equal(unit, "ns")   ? 1
           : text_equal(unit, "us") ? 1e3
           : text_equal(unit, "ms") ? 1e6
           : text_equal(unit, "s")  ? 1e9
                                    : 0;
}

static bool is_bytes(const char *unit)
{
    return text_equal(unit, "B") || text_equal(unit, "bytes");
}

/* Of a number without a unit. */
static bool is_plain(const char *unit)
{
    return !*unit || text_equal(unit, "1");
}

bool view_metric_has_unit(const char *unit)
{
    return view_ns_of_unit(unit) > 0 || is_bytes(unit) || is_plain(unit);
}

/* Units that have no prefix yet: counts, what is counted a second ("1/s", "messages/s"), and the
 * usual ones. */
static bool takes_prefix(const char *unit)
{
    static const char *const usual[] = {"count", "1/s", "/s", "B/s", "FLOP", "FLOP/s",
                                        "Hz",    "W",   "J",  "V",   "A"};
    size_t n = strspn(unit, "abcdefghijklmnopqrstuvwxyz");
    return is_plain(unit) || text_is_among(usual, sizeof usual / sizeof *usual, unit) ||
           (n > 3 && text_equal(unit + n, "/s"));
}

void view_add_metric(struct text *out, double value, const char *unit)
{
    static const double most_in_full = 1e6;
    double ns = view_ns_of_unit(unit);
    if (!isfinite(value))
        text_add(out, DOUBLE_TEXT(value));
    else if (ns > 0)
        text_add(out, TIME_TEXT(value * ns, 4));
    else if (is_bytes(unit))
        text_add(out, BYTES_TEXT(value));
    else if (value == floor(value) && fabs(value) < most_in_full)
        text_printf(out, "%.0f", value);
    else if (takes_prefix(unit) && fabs(value) >= 1000)
        view_add_si(out, value);
    else
        text_printf(out, "%.4g", value);
}

/* ---- what a policy reported ---- */

bool view_is_interval(double low_ns, double high_ns)
{
    return isfinite(low_ns) || isfinite(high_ns);
}

void shown_add_interval(struct text *out, const struct shown *shown)
{
    const struct case_record *record = &shown->row.c.record;
    if (!shown->has_interval || !view_is_interval(shown->low_ns, shown->high_ns)) {
        text_add(out, record->has_estimate ? "none" : "");
        return;
    }
    if (*record->estimate.statistic && !estimate_is_central(record))
        text_printf(out, "%s ", record->estimate.statistic);
    text_add_interval(out, shown->central_ns, shown->low_ns, shown->high_ns);
}

const char *view_verdict_mark(int32_t verdict)
{
    return verdict == GB_VERDICT_RESOLUTION_LIMITED ? "~"
           : verdict == GB_VERDICT_UNCONVERGED      ? "?"
           : verdict == GB_VERDICT_GAVE_UP          ? "!"
                                                    : "";
}

static bool has_modes(const struct gb_estimate *estimate)
{
    return estimate->n_modes > 1 || estimate->verdict == GB_VERDICT_MULTIMODAL;
}

void shown_add_central(struct text *out, const struct shown *shown)
{
    const struct case_record *record = &shown->row.c.record;
    text_add(out, isnan(shown->central_ns) ? "-" : TIME_TEXT(shown->central_ns, 4));
    if (!record->has_estimate)
        return;
    text_add(out, has_modes(&record->estimate) ? MODES_MARK : "");
    text_add(out, view_verdict_mark(record->estimate.verdict));
}

int shown_colour(const struct shown *shown)
{
    const struct case_record *record = &shown->row.c.record;
    const bool is_marked = record->has_estimate && (has_modes(&record->estimate) ||
                                                    *view_verdict_mark(record->estimate.verdict));
    return is_marked ? COLOUR_DOUBT : COLOUR_NONE;
}
