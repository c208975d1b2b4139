/* plot_svg.c - see plot.h: a page as SVG. */
#include "core/base/xml_text.h"
#include "core/report/plot_layout.h"

#include <math.h>
#include <stdlib.h>

/* Colours that the colour-blind can tell apart (Okabe, Ito: Color Universal Design, 2008); their
 * yellow, too light for lines, is a brown here. */
static const char *const colours[] = {"0072B2", "D55E00", "009E73", "CC79A7",
                                      "56B4E9", "000000", "E69F00", "8C510A"};
_Static_assert(sizeof colours / sizeof *colours == PLOT_COLOURS, "a colour for each number");

/* ---- words and numbers ---- */

/* Pixels, to a tenth. What is far outside stays near: programs that draw have short numbers. */
static void add_pixels(struct text *out, double value)
{
    static const double FAR = 20000;
    char digits[16];
    size_t at = sizeof digits;
    long tenths = lround(10 * fmin(fmax(value, -FAR), FAR)), rest = labs(tenths);
    if (rest % 10) {
        digits[--at] = (char)('0' + rest % 10);
        digits[--at] = '.';
    }
    rest /= 10;
    do {
        digits[--at] = (char)('0' + rest % 10);
        rest /= 10;
    } while (rest > 0);
    if (tenths < 0)
        digits[--at] = '-';
    text_add_n(out, digits + at, sizeof digits - at);
}

/* Two numbers of a path after its letter. */
static void add_point(struct text *out, char letter, double x, double y)
{
    text_add_n(out, &letter, 1);
    add_pixels(out, x);
    text_add(out, " ");
    add_pixels(out, y);
}

/* " class='c4'": of the series' colour, after what is drawn (fill, stroke). */
static void add_class(struct text *out, const char *what, int colour)
{
    if (colour == PLOT_GREY)
        text_printf(out, " class=\"%s grey\"", what);
    else
        text_printf(out, " class=\"%s c%u\"", what, (unsigned)colour % PLOT_COLOURS);
}

static void add_opacity(struct text *out, double opacity)
{
    if (opacity > 0 && opacity < 1)
        text_printf(out, " opacity=\"%.3g\"", opacity);
}

/* A path of a colour up to its shape; width 0: what is drawn has no outline. */
static void begin_path(struct text *out, const char *what, int colour, double opacity, double width)
{
    text_add(out, "<path");
    add_class(out, what, colour);
    add_opacity(out, opacity);
    if (width > 0)
        text_printf(out, " stroke-width=\"%.3g\"", width);
}

/* A line along to a number in pixels: 'H' and 'V' of SVG. */
static void add_way(struct text *out, char letter, double to)
{
    text_add_n(out, &letter, 1);
    add_pixels(out, to);
}

static void begin_words(struct text *out, double x, double y, const char *anchor, double degrees)
{
    static const double BASELINE = 4; /* below the middle of a line of words */
    text_add(out, "<text x=\"");
    add_pixels(out, x);
    text_add(out, "\" y=\"");
    add_pixels(out, y + (degrees == 0 ? BASELINE : 0));
    text_add(out, "\"");
    if (*anchor)
        text_printf(out, " text-anchor=\"%s\"", anchor);
    if (degrees != 0) {
        text_printf(out, " dominant-baseline=\"central\" transform=\"rotate(%.4g ", -degrees);
        add_pixels(out, x);
        text_add(out, " ");
        add_pixels(out, y);
        text_add(out, ")\"");
    }
}

/* Ends what begin_words began. */
static void end_words(struct text *out, const char *words, size_t most)
{
    text_add(out, ">");
    xml_add_words(out, words, most);
    text_add(out, "</text>\n");
}

static void add_words(struct text *out, const char *words, size_t most, double x, double y,
                      const char *anchor)
{
    begin_words(out, x, y, anchor, 0);
    end_words(out, words, most);
}

/* ---- ticks ---- */

void plot_add_binary(struct text *out, double value)
{
    static const char *const prefixes[] = {"", "Ki", "Mi", "Gi", "Ti"};
    size_t power = 0;
    for (; value >= 1024 && fmod(value, 1024) == 0 && power < 4; power++)
        value /= 1024;
    text_printf(out, "%.6g%s", value, prefixes[power]);
}

/* "200 GFLOP/s" of "FLOP/s", "10k" of a count. */
static void add_tick_words(struct text *out, double value, double step, const char *unit,
                           bool is_count)
{
    static const char *const prefixes[] = {"", "k", "M", "G", "T", "P", "E"};
    size_t power = 0;
    if (fabs(value) < 1e-9 * step)
        value = 0;
    for (; (unit || is_count) && fabs(value) >= 1000 && power < 6; power++)
        value /= 1000;
    text_printf(out, unit ? "%.6g %s%s" : "%.6g%s%s", value, prefixes[power], unit ? unit : "");
}

static const double Y_BESIDE = 7; /* pixels between words and the y axis */

/* At the x axis or at the y axis: lines over the panel, and their numbers. */
static void add_ticks(struct text *out, const struct frame *frame, bool is_x)
{
    static const double X_APART = 70, BINARY_APART = 46, X_BELOW = 14, Y_APART = 36, OUT = 4;
    const struct ticks ticks = is_x
                                   ? frame_ticks(frame, true, frame->right - frame->left,
                                                 frame->panel->x_is_binary ? BINARY_APART : X_APART)
                                   : frame_ticks(frame, false, frame->bottom - frame->top, Y_APART);
    text_add(out, "<path class=\"grid\" d=\"");
    for (size_t i = 0; i < ticks.n; i++)
        if (is_x) {
            add_point(out, 'M', frame_x(frame, ticks.at[i]), frame->top);
            add_way(out, 'V', frame->bottom + OUT);
        } else {
            add_point(out, 'M', frame->left - OUT, frame_y(frame, ticks.at[i]));
            add_way(out, 'H', frame->right);
        }
    text_add(out, "\"/>\n");
    for (size_t i = 0; i < ticks.n; i++) {
        if (is_x)
            begin_words(out, frame_x(frame, ticks.at[i]), frame->bottom + X_BELOW, "middle", 0);
        else
            begin_words(out, frame->left - Y_BESIDE, frame_y(frame, ticks.at[i]), "end", 0);
        text_add(out, ">");
        if (is_x && frame->panel->x_is_binary)
            plot_add_binary(out, ticks.at[i]);
        else
            add_tick_words(out, ticks.at[i], ticks.step, is_x ? NULL : frame->panel->y_unit,
                           is_x && frame->panel->x_is_count);
        text_add(out, "</text>\n");
    }
}

static void add_categories(struct text *out, const struct frame *frame)
{
    static const double BELOW = 14, SLANT = 45;
    for (size_t i = 0; i < frame->panel->n_categories; i++) {
        begin_words(out, frame_x(frame, (double)i), frame->bottom + BELOW,
                    frame->is_slanted ? "end" : "middle", frame->is_slanted ? SLANT : 0);
        end_words(out, frame->panel->categories[i], frame->category_columns);
    }
}

/* ---- series ---- */

static bool is_shown(const struct range *range, double value)
{
    return isfinite(value) && !(range->is_log && value <= 0);
}

static double size_of(const struct plot_series *series)
{
    return series->size > 0 ? series->size : 1;
}

static double x_of(const struct plot_series *series, uint64_t i)
{
    return series->x ? series->x[i] : (double)i;
}

static void end_mark(struct text *out, const struct frame *frame, const struct plot_series *series,
                     uint64_t i)
{
    if (!frame->page->is_plain && series->titles && series->titles[i]) {
        xml_print(out, "><title>%s</title></path>\n", series->titles[i]);
    } else {
        text_add(out, "/>\n");
    }
}

static void add_line(struct text *out, const struct frame *frame, const struct plot_series *series)
{
    bool is_gap = true;
    begin_path(out, "line", series->colour, series->opacity, 1.4 * size_of(series));
    text_add(out, series->is_dashed ? " stroke-dasharray=\"5 4\" d=\"" : " d=\"");
    for (uint64_t i = 0; i < series->n; i++) {
        const bool is_seen = is_shown(&frame->x, x_of(series, i)) &&
                             is_shown(&frame->y, series->y[i]);
        if (is_seen)
            add_point(out, is_gap ? 'M' : 'L', frame_x(frame, x_of(series, i)),
                      frame_y(frame, series->y[i]));
        is_gap = !is_seen;
    }
    text_add(out, "\"/>\n");
}

/* The outline of one shape; a round or square end of a line of no length is one, too. */
static void add_shape(struct text *out, int shape, double x, double y, double r)
{
    if (shape == PLOT_TRIANGLE) {
        add_point(out, 'M', x, y - 1.15 * r);
        text_printf(out, "l%.3g %.3gh%.3gz", 1.1 * r, 1.9 * r, -2.2 * r);
    } else if (shape == PLOT_DIAMOND) {
        add_point(out, 'M', x, y - 1.3 * r);
        text_printf(out, "l%.3g %.3gl%.3g %.3gl%.3g %.3gz", 1.3 * r, 1.3 * r, -1.3 * r, 1.3 * r,
                    -1.3 * r, -1.3 * r);
    } else {
        add_point(out, 'M', x, y);
        text_add(out, "h0");
    }
}

static void begin_points(struct text *out, const struct plot_series *series, double r)
{
    int shape = (int)((unsigned)series->shape % PLOT_SHAPES);
    bool is_stroke = shape == PLOT_CIRCLE || shape == PLOT_SQUARE;
    begin_path(out,
               shape == PLOT_CIRCLE ? "dot"
               : is_stroke          ? "box"
                                    : "fill",
               series->colour, series->opacity, is_stroke ? 2 * r : 0);
    text_add(out, " d=\"");
}

/* One element for all of them, or one for each that has a title. */
static void add_points(struct text *out, const struct frame *frame,
                       const struct plot_series *series)
{
    double r = 3.2 * size_of(series);
    const bool has_titles = series->titles && !frame->page->is_plain;
    bool is_open = false;
    for (uint64_t i = 0; i < series->n; i++) {
        if (!is_shown(&frame->x, x_of(series, i)) || !is_shown(&frame->y, series->y[i]))
            continue;
        if (!is_open)
            begin_points(out, series, r);
        is_open = true;
        add_shape(out, (int)((unsigned)series->shape % PLOT_SHAPES),
                  frame_x(frame, x_of(series, i)), frame_y(frame, series->y[i]), r);
        if (has_titles) {
            text_add(out, "\"");
            end_mark(out, frame, series, i);
            is_open = false;
        }
    }
    text_add(out, is_open ? "\"/>\n" : "");
}

/* Where an edge of a band is: one without end is beyond the frame. */
static double edge_y(const struct frame *frame, double y)
{
    return isinf(y) ? (y < 0 ? frame->bottom + 1 : frame->top - 1) : frame_y(frame, y);
}

static bool band_is_shown(const struct frame *frame, const struct plot_series *series, uint64_t i)
{
    double low = series->y[i], high = series->high[i];
    return is_shown(&frame->x, x_of(series, i)) && !isnan(low) && !isnan(high) &&
           (isinf(low) || is_shown(&frame->y, low)) && (isinf(high) || is_shown(&frame->y, high));
}

static void add_band(struct text *out, const struct frame *frame, const struct plot_series *series)
{
    begin_path(out, "fill", series->colour, series->opacity, 0);
    text_add(out, " d=\"");
    for (uint64_t first = 0; first < series->n;) {
        uint64_t end = first;
        while (end < series->n && band_is_shown(frame, series, end))
            end++;
        for (uint64_t i = first; i < end; i++)
            add_point(out, i == first ? 'M' : 'L', frame_x(frame, x_of(series, i)),
                      edge_y(frame, series->y[i]));
        for (uint64_t i = end; i-- > first;)
            add_point(out, 'L', frame_x(frame, x_of(series, i)), edge_y(frame, series->high[i]));
        text_add(out, end > first ? "z" : "");
        first = end + 1;
    }
    text_add(out, "\"/>\n");
}

/* Several series of bars are side by side: this is number `bar` of n_bars. */
static void add_bars(struct text *out, const struct frame *frame, const struct plot_series *series,
                     size_t bar, size_t n_bars)
{
    double slot = (frame->right - frame->left) / (double)frame->panel->n_categories;
    double width = 0.8 * slot / (double)n_bars;
    for (uint64_t i = 0; i < series->n; i++) {
        if (!is_shown(&frame->y, series->y[i]))
            continue;
        double x = frame_x(frame, (double)i) + ((double)bar - (double)n_bars / 2) * width;
        double y = frame_y(frame, series->y[i]);
        double foot = frame->y.is_log ? frame->bottom : frame_y(frame, fmax(0, frame->y.low));
        begin_path(out, "fill", series->colour, series->opacity, 0);
        text_add(out, " d=\"");
        add_point(out, 'M', x + 0.03 * width, foot);
        add_way(out, 'V', y);
        add_way(out, 'h', 0.94 * width);
        add_way(out, 'V', foot);
        text_add(out, "z\"");
        end_mark(out, frame, series, i);
    }
}

static void add_intervals(struct text *out, const struct frame *frame,
                          const struct plot_series *series)
{
    static const double CAP = 3;
    begin_path(out, "line", series->colour, series->opacity, 1.2 * size_of(series));
    text_add(out, " d=\"");
    for (uint64_t i = 0; i < series->n; i++) {
        if (!is_shown(&frame->x, x_of(series, i)) || !band_is_shown(frame, series, i))
            continue;
        double x = frame_x(frame, x_of(series, i));
        double low = edge_y(frame, series->y[i]), high = edge_y(frame, series->high[i]);
        add_point(out, 'M', x - CAP, low);
        text_printf(out, "h%.3gm%.3g 0V", 2 * CAP, -CAP);
        add_pixels(out, high);
        text_printf(out, "m%.3g 0h%.3g", -CAP, 2 * CAP);
    }
    text_add(out, "\"/>\n");
}

/* A rectangle, without what ends its element. */
static void add_rectangle(struct text *out, double left, double right, double top, double bottom)
{
    text_add(out, " d=\"");
    add_point(out, 'M', left, top);
    add_way(out, 'H', right);
    add_way(out, 'V', bottom);
    add_way(out, 'H', left);
    text_add(out, "z\"");
}

static void add_boxes(struct text *out, const struct frame *frame, const struct plot_series *series)
{
    for (uint64_t i = 0; i < series->n; i++) {
        if (!is_shown(&frame->x, x_of(series, i)) || !band_is_shown(frame, series, i))
            continue;
        bool is_line = series->y[i] == series->high[i];
        begin_path(out, is_line ? "line" : "fill", series->colour, is_line ? 1 : 0.5, 0);
        add_rectangle(out, frame_x(frame, x_of(series, i) - series->width / 2),
                      frame_x(frame, x_of(series, i) + series->width / 2),
                      edge_y(frame, series->high[i]), edge_y(frame, series->y[i]));
        end_mark(out, frame, series, i);
    }
}

static void add_cells(struct text *out, const struct frame *frame, const struct plot_series *series)
{
    static const double HALF = 0.48;
    for (uint64_t i = 0; i < series->n; i++) {
        if (!isfinite(series->x[i]) || !isfinite(series->y[i]) || !isfinite(series->high[i]))
            continue;
        begin_path(out, "fill", series->colour,
                   PLOT_CELL_LEAST + PLOT_CELL_MORE * frame_shade(frame, series->high[i]), 0);
        add_rectangle(out, frame_x(frame, series->x[i] - HALF), frame_x(frame, series->x[i] + HALF),
                      frame_y(frame, series->y[i] - HALF), frame_y(frame, series->y[i] + HALF));
        end_mark(out, frame, series, i);
    }
}

static void add_spans(struct text *out, const struct frame *frame, const struct plot_series *series)
{
    static const double CAP = 3;
    begin_path(out, "line", series->colour, 0, 1.4 * size_of(series));
    text_add(out, " d=\"");
    for (uint64_t i = 0; i < series->n; i++) {
        if (!is_shown(&frame->x, series->x[i]) || !is_shown(&frame->x, series->high[i]))
            continue;
        double y = frame_y(frame, series->y[i]);
        add_point(out, 'M', frame_x(frame, series->x[i]), y - CAP);
        text_printf(out, "v%.3gm0 %.3gH", 2 * CAP, -CAP);
        add_pixels(out, frame_x(frame, series->high[i]));
        text_printf(out, "m0 %.3gv%.3g", -CAP, 2 * CAP);
    }
    text_add(out, "\"/>\n");
}

static void add_arrows(struct text *out, const struct frame *frame,
                       const struct plot_series *series)
{
    begin_path(out, "line", series->colour, series->opacity, 1.4);
    text_add(out, " d=\"");
    for (uint64_t i = 0; i < series->n; i++) {
        if (!is_shown(&frame->x, x_of(series, i)) || !is_shown(&frame->y, series->y[i]))
            continue;
        add_point(out, 'M', frame_x(frame, x_of(series, i)), frame_y(frame, series->y[i]));
        add_way(out, 'H', frame->right);
        text_add(out, "l-6 -3m6 3l-6 3");
    }
    text_add(out, "\"/>\n");
}

static void add_series(struct text *out, const struct frame *frame)
{
    static void (*const writers[PLOT_KINDS])(struct text *, const struct frame *,
                                             const struct plot_series *) = {
        [PLOT_LINE] = add_line,           [PLOT_POINTS] = add_points, [PLOT_BAND] = add_band,
        [PLOT_INTERVALS] = add_intervals, [PLOT_ARROWS] = add_arrows, [PLOT_BOXES] = add_boxes,
        [PLOT_SPANS] = add_spans,         [PLOT_CELLS] = add_cells,
    };
    size_t n_bars = 0, bar = 0;
    for (size_t i = 0; i < frame->panel->n_series; i++)
        n_bars += frame->panel->series[i].kind == PLOT_BARS;
    for (size_t i = 0; i < frame->panel->n_series; i++) {
        const struct plot_series *series = &frame->panel->series[i];
        if (series->kind == PLOT_BARS)
            add_bars(out, frame, series, bar++, n_bars);
        else
            writers[series->kind](out, frame, series);
    }
}

/* ---- around the series ---- */

static void add_verticals(struct text *out, const struct frame *frame)
{
    static const char *const dashes[] = {"none", "8 4", "2 3", "8 3 2 3"};
    for (size_t i = 0; i < frame->panel->n_verticals; i++) {
        const struct plot_vertical *vertical = &frame->panel->verticals[i];
        if (!frame_shows(frame, vertical))
            continue;
        double x = frame_x(frame, vertical->x), top = frame->top;
        if (frame_labels(frame, vertical)) {
            double middle = frame->top - PLOT_ROW * ((double)frame->rows[i] + 0.5) - 2;
            top = middle - PLOT_ROW / 2.0 + 2;
            add_words(out, vertical->label, PLOT_LABEL_COLUMNS, x + (frame->is_left[i] ? -4 : 4),
                      middle, frame->is_left[i] ? "end" : "");
        }
        begin_path(out, "line", vertical->colour, 0, 1.4);
        text_printf(out, " stroke-dasharray=\"%s\" d=\"", dashes[(unsigned)vertical->colour % 4]);
        add_point(out, 'M', x, frame->bottom);
        add_way(out, 'V', top);
        text_add(out, "\"/>\n");
    }
}

static void add_coloured_words(struct text *out, const char *words, double x, double y,
                               const char *anchor, const struct plot_note *note)
{
    begin_words(out, x, y, anchor, 0);
    add_class(out, "fill", note->colour);
    add_opacity(out, note->opacity);
    end_words(out, words, PLOT_NOTE_COLUMNS);
}

static void add_note(struct text *out, const struct note_grid *grid, const struct plot_note *note,
                     double x, double y)
{
    enum { RIGHT_CELLS = 2 };
    if (note->words)
        add_coloured_words(out, note->words, x, y, "", note);
    for (size_t i = 0; !note->words && i < PLOT_NOTE_CELLS; x += grid->cells[i], i++)
        if (note->cells[i])
            add_coloured_words(out, note->cells[i],
                               i < RIGHT_CELLS ? x + grid->cells[i] - PLOT_CELL_GAP : x, y,
                               i < RIGHT_CELLS ? "end" : "", note);
}

static void add_notes(struct text *out, const struct frame *frame, struct arena *arena)
{
    const struct plot_panel *panel = frame->panel;
    struct note_grid grid = frame_notes(frame);
    const size_t room = grid.rows * grid.columns;
    const size_t n_shown = panel->n_notes < room ? panel->n_notes
                                                 : room; /* the last counts the rest */
    for (size_t i = 0; i < n_shown; i++) {
        bool is_rest = i == n_shown - 1 && n_shown < panel->n_notes;
        size_t column = i / grid.rows;
        const struct plot_note rest = {
            .words = arena_printf(arena, "and %zu more", panel->n_notes - n_shown + 1),
            .colour = PLOT_GREY};
        add_note(out, &grid, is_rest ? &rest : &panel->notes[i],
                 frame->right + PLOT_NOTE_GAP + grid.width * (double)column,
                 frame->top + PLOT_ROW * ((double)(i % grid.rows) + 0.5));
    }
}

static void add_name(struct text *out, const struct placed_name *name)
{
    begin_words(out, name->x, name->y, name->anchor, name->degrees);
    if (name->series->kind == PLOT_LINE) {
        add_class(out, "fill", name->series->colour);
        add_opacity(out, name->series->opacity);
    }
    end_words(out, name->words, PLOT_LABEL_COLUMNS);
    if (!name->has_leader)
        return;
    text_add(out, "<path class=\"lead\" d=\"");
    add_point(out, 'M', name->from_x, name->from_y);
    add_point(out, 'L', name->to_x, name->to_y);
    text_add(out, "\"/>\n");
}

/* What the colours mean, from right to left. */
static void add_key(struct text *out, const struct frame *frame, double y)
{
    static const double SAMPLE = 16, GAP = 14;
    double x = frame->right;
    for (size_t i = frame->panel->n_series; i-- > 0;) {
        const struct plot_series *series = &frame->panel->series[i];
        if (!series->label)
            continue;
        add_words(out, series->label, PLOT_LABEL_COLUMNS, x, y, "end");
        x -= words_width(series->label, PLOT_LABEL_COLUMNS) + 6;
        bool is_line = series->kind == PLOT_LINE || series->kind == PLOT_INTERVALS;
        begin_path(out, is_line ? "line" : "fill", series->colour, series->opacity,
                   is_line ? 2 : 0);
        text_add(out, " d=\"");
        add_point(out, 'M', x - SAMPLE, is_line ? y : y - 4);
        text_printf(out, is_line ? "h%.3g\"/>\n" : "h%.3gv8h-%.3gz\"/>\n", SAMPLE, SAMPLE);
        x -= SAMPLE + GAP;
    }
}

static void add_panel(struct text *out, const struct frame *frame, struct arena *arena)
{
    const struct plot_panel *panel = frame->panel;
    struct frame own = *frame; /* from its own upper left corner: what is outside is cut off */
    own.right -= frame->left;
    own.bottom -= frame->top;
    own.left = own.top = 0;
    double head = frame->top - PLOT_ROW * (double)frame->label_rows - PLOT_ABOVE / 2.0;
    if (panel->title)
        add_words(out, panel->title, frame_title_columns(frame), frame->left, head, "");
    add_key(out, frame, head);
    if (panel->y_label) {
        begin_words(out, frame->left - panel_margin(panel) + 14, (frame->top + frame->bottom) / 2,
                    "middle", 90);
        end_words(out, panel->y_label, PLOT_TITLE_COLUMNS);
    }
    if (panel->x_label)
        add_words(out, panel->x_label, PLOT_TITLE_COLUMNS, (frame->left + frame->right) / 2,
                  frame_x_label(frame), "middle");
    if (panel->n_categories > 0)
        add_categories(out, frame);
    else
        add_ticks(out, frame, true);
    for (size_t i = 0; i < panel->n_y_categories; i++)
        add_words(out, panel->y_categories[i], PLOT_LABEL_COLUMNS, frame->left - Y_BESIDE,
                  frame_y(frame, (double)i), "end");
    if (panel->n_y_categories == 0)
        add_ticks(out, frame, false);
    text_add(out, "<svg x=\"");
    add_pixels(out, frame->left);
    text_add(out, "\" y=\"");
    add_pixels(out, frame->top);
    text_printf(out, "\" width=\"%.1f\" height=\"%.1f\">\n", own.right, own.bottom);
    add_series(out, &own);
    text_add(out, "</svg>\n<path class=\"axis\" d=\"");
    add_point(out, 'M', frame->left, frame->top);
    add_way(out, 'V', frame->bottom);
    add_way(out, 'H', frame->right);
    text_add(out, "\"/>\n");
    add_verticals(out, frame);
    add_notes(out, frame, arena);
    struct placed_name *names;
    size_t n_names = frame_names(frame, arena, &names);
    for (size_t i = 0; i < n_names; i++)
        add_name(out, &names[i]);
}

/* ---- the page ---- */

/* A colour by its number, as in a style sheet. */
static void add_colour_value(struct text *out, int colour, bool is_inline)
{
    if (is_inline)
        text_printf(out, colour == PLOT_GREY ? "var(--grey)" : "var(--c%d)", colour);
    else
        text_printf(out, "#%s", colour == PLOT_GREY ? "909090" : colours[colour]);
}

void plot_svg_style(bool is_inline, struct text *out)
{
    text_printf(out,
                ".plot text{fill:%s;unicode-bidi:isolate}.plot .line,.plot .dot,.plot .box"
                "{fill:none;stroke-linejoin:round}.plot .dot{stroke-linecap:round}"
                ".plot .box{stroke-linecap:square}.plot .grid{fill:none;stroke:%s}"
                ".plot .axis,.plot .lead{fill:none;stroke:%s}.plot .lead{stroke-width:.6}\n",
                is_inline ? "var(--ink)" : "#202020", is_inline ? "var(--grid)" : "#E4E4E4",
                is_inline ? "var(--grey)" : "#909090");
    for (int i = PLOT_GREY; i < PLOT_COLOURS; i++) {
        CLEANUP(text_free) struct text name = {0};
        text_printf(&name, i == PLOT_GREY ? "grey" : "c%d", i);
        text_printf(out, ".plot .line.%s,.plot .dot.%s,.plot .box.%s{stroke:", text_get(&name),
                    text_get(&name), text_get(&name));
        add_colour_value(out, i, is_inline);
        text_printf(out, "}.plot .fill.%s{fill:", text_get(&name));
        add_colour_value(out, i, is_inline);
        text_add(out, "}\n");
    }
}

static void begin_page(const struct plot_page *page, bool is_inline, struct text *out)
{
    if (!is_inline)
        text_add(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    text_printf(out, "<svg%s viewBox=\"0 0 %u %u\" class=\"plot\"",
                is_inline ? "" : " xmlns=\"http://www.w3.org/2000/svg\"", page->width,
                page->height);
    if (is_inline)
        text_printf(out, " style=\"max-width:%upx\" role=\"img\"", page->width);
    else
        text_printf(out, " width=\"%u\" height=\"%u\"", page->width, page->height);
    text_printf(out, " font-family=\"sans-serif\" font-size=\"%d\">\n", PLOT_FONT);
    if (is_inline)
        return;
    text_add(out, "<style>\n");
    plot_svg_style(false, out);
    text_add(out, "</style>\n<rect width=\"100%\" height=\"100%\" fill=\"#FFFFFF\"/>\n");
}

void plot_svg(const struct plot_page *page, bool is_inline, struct text *out)
{
    CLEANUP(arena_free) struct arena arena = {0};
    struct plot_page sized = *page;
    const struct frame *frames = frames_of(&sized, &arena);
    begin_page(&sized, is_inline, out);
    if (page->title)
        add_words(out, page->title, PLOT_TITLE_COLUMNS, PLOT_LEFT, PLOT_TITLE / 2.0 + 2, "");
    if (page->subtitle)
        add_words(out, page->subtitle, PLOT_TITLE_COLUMNS, PLOT_LEFT,
                  PLOT_TITLE + PLOT_ROW / 2.0 - 3, "");
    for (size_t i = 0; i < page->n_panels; i++)
        add_panel(out, &frames[i], &arena);
    text_add(out, "</svg>\n");
}
