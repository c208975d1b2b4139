/* plot.c - see plot.h: from a page to a script. */
#include "core/report/plot_layout.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { DASHES = 4 };

/* Colours that the colour-blind can tell apart (Okabe, Ito: Color Universal Design, 2008); their
 * yellow, too light for lines, is a brown here. */
static const char *const colours[PLOT_COLOURS] = {"0072B2", "D55E00", "009E73", "CC79A7",
                                                  "56B4E9", "000000", "E69F00", "8C510A"};

int plot_format_named(const char *path)
{
    static const char *const suffixes[PLOT_FORMATS] = {
        [PLOT_SVG] = ".svg", [PLOT_PNG] = ".png", [PLOT_PDF] = ".pdf", [PLOT_SCRIPT] = ".gp"};
    for (int i = 0; i < PLOT_FORMATS; i++)
        if (text_ends_with(path, suffixes[i]))
            return i;
    return -1;
}

/* ---- words ---- */

/* Between single quotes nothing has a meaning to gnuplot but the quote itself, and not even two of
 * them are one at the start of a text: it becomes an apostrophe. */
static void add_quoted(struct text *out, const char *words, size_t most)
{
    CLEANUP(text_free) struct text plain = {0}, shortened = {0};
    text_add_line(&plain, words);
    text_add_shortened(&shortened, text_get(&plain), most);
    text_add(out, "'");
    text_add_valid(out, text_get(&shortened), '\'', "\u2019");
    text_add(out, "'");
}

/* Names at an axis are formats of numbers. */
static void add_quoted_format(struct text *out, const char *words, size_t most)
{
    CLEANUP(text_free) struct text doubled = {0};
    text_add_valid(&doubled, words, '%', "%%");
    add_quoted(out, text_get(&doubled), most);
}

static void add_number(struct text *out, double value)
{
    char number[NUMBER_TEXT_MAX];
    text_add(out, format_double(value, number));
}

const char *plot_colour(int colour)
{
    return colour == PLOT_GREY ? "909090" : colours[(unsigned)colour % PLOT_COLOURS];
}

static double opacity_of(double opacity)
{
    return opacity > 0 && opacity < 1 ? opacity : 1;
}

static void add_colour(struct text *out, int colour, double opacity)
{
    text_printf(out, "rgb '#%02X%s'", (unsigned)lrint(255 * (1 - opacity_of(opacity))),
                plot_colour(colour));
}

/* Words have no opacity: what it would give on white. */
static void add_word_colour(struct text *out, int colour, double opacity)
{
    unsigned rgb = (unsigned)strtoul(plot_colour(colour), NULL, 16);
    text_add(out, "rgb '#");
    for (int shift = 16; shift >= 0; shift -= 8) {
        double part = rgb >> shift & 0xFF;
        text_printf(out, "%02X", (unsigned)lrint(255 - (255 - part) * opacity_of(opacity)));
    }
    text_add(out, "'");
}

/* ---- the script ---- */

static double screen_x(const struct frame *frame, double pixels)
{
    return pixels / frame->page->width;
}

static double screen_y(const struct frame *frame, double pixels)
{
    return 1 - pixels / frame->page->height;
}

/* With its transparency, as gnuplot wants it in data. */
static unsigned cell_colour(const struct frame *frame, const struct plot_series *series,
                            double value)
{
    double opacity = PLOT_CELL_LEAST + PLOT_CELL_MORE * frame_shade(frame, value);
    return (unsigned)lrint(255 * (1 - opacity)) << 24 |
           (unsigned)strtoul(plot_colour(series->colour), NULL, 16);
}

static void add_data(struct text *out, const struct frame *frame, size_t index)
{
    const struct plot_series *series = &frame->panel->series[index];
    const struct range *x_range = &frame->x, *y_range = &frame->y;
    bool is_gap = true;
    text_printf(out, "$data%zu << EOD\n", index);
    for (uint64_t i = 0; i < series->n; i++) {
        double x = series->x ? series->x[i] : (double)i, y = series->y[i];
        double high = series->high ? series->high[i] : y;
        if (series->kind == PLOT_BAND) { /* without end: to the frame and beyond */
            y = isinf(y) ? y_range->low : y;
            high = isinf(high) ? y_range->high : high;
        }
        bool is_good = isfinite(x) && isfinite(y) && isfinite(high) &&
                       !(x_range->is_log && x <= 0) && !(y_range->is_log && (y <= 0 || high <= 0));
        if (!is_good) {
            text_add(out, is_gap ? "" : "\n");
            is_gap = true;
            continue;
        }
        is_gap = false;
        add_number(out, x);
        text_add(out, " ");
        add_number(out, y);
        if (series->high) {
            text_add(out, " ");
            add_number(out, high);
        }
        if (series->kind == PLOT_BOXES)
            text_printf(out, " %.6g", series->width / 2);
        if (series->kind == PLOT_CELLS)
            text_printf(out, " %u", cell_colour(frame, series, high));
        text_add(out, "\n");
    }
    text_add(out, "EOD\n");
}

static void add_style(struct text *out, const struct frame *frame, const struct plot_series *series,
                      size_t bar, size_t n_bars)
{
    /* Filled shapes of gnuplot, which look equally large. */
    static const struct {
        int type;
        double size;
    } shapes[PLOT_SHAPES] = {[PLOT_CIRCLE] = {7, 1},
                             [PLOT_TRIANGLE] = {9, 1.2},
                             [PLOT_SQUARE] = {5, 0.9},
                             [PLOT_DIAMOND] = {13, 1.2}};
    unsigned shape = (unsigned)series->shape % PLOT_SHAPES;
    double size = series->size > 0 ? series->size : 1;
    switch (series->kind) {
    case PLOT_POINTS:
        text_printf(out, "using 1:2 with points pt %d ps %.3g lc ", shapes[shape].type,
                    0.5 * size * shapes[shape].size);
        break;
    case PLOT_ARROWS:
        text_add(out, "using 1:2:(");
        add_number(out, frame->x.high);
        text_printf(out, "-$1):(0) with vectors head filled size screen 0.006,22 lw %.3g lc ",
                    1.6 * size);
        break;
    case PLOT_BAND:
        text_add(out, "using 1:2:3 with filledcurves lc ");
        break;
    case PLOT_BARS: {
        double width = 0.8 / (double)n_bars;
        text_printf(out, "using ($1%+.6g):2:(%.6g) with boxes fill solid 1 noborder lc ",
                    ((double)bar - (double)(n_bars - 1) / 2) * width, 0.94 * width);
        break;
    }
    case PLOT_BOXES:
        text_printf(out,
                    "using 1:(($2+$3)/2):($1-$4):($1+$4):2:3 with boxxyerror fs solid 0.4 lc ");
        break;
    case PLOT_SPANS:
        text_printf(out,
                    "using 1:2:($3-$1):(0) with vectors heads size screen 0.004,90 lw %.3g lc ",
                    1.2 * size);
        break;
    case PLOT_CELLS:
        text_add(out,
                 "using 1:2:(0.48):(0.48):4 with boxxyerror fs solid 1 noborder fc rgb variable");
        return;
    case PLOT_INTERVALS:
        text_printf(out,
                    "using 1:2:(0):($3-$2) with vectors heads size screen 0.004,90 lw %.3g lc ",
                    1.2 * size);
        break;
    default:
        text_printf(out, "using 1:2 with lines lw %.3g%s lc ", 1.6 * size,
                    series->is_dashed ? " dt 2" : "");
    }
    add_colour(out, series->colour, series->opacity);
}

/* At each decade, if there is room for them. */
static void add_tics(struct text *out, const char *axis, const struct range *range, double pixels)
{
    static const double APART = 48;
    double decades = range->is_log ? log10(range->high / range->low) : NAN;
    text_printf(out, "set %stics %s\n", axis, decades * APART <= pixels ? "10" : "auto");
}

static void add_categories(struct text *out, const char *axis, const char *const *categories,
                           size_t n, size_t most, const char *style)
{
    for (size_t i = 0; i < n; i++) {
        if (i == 0)
            text_printf(out, "set %stics %s (", axis, style);
        else
            text_add(out, ", ");
        add_quoted_format(out, categories[i], most);
        text_printf(out, " %zu", i);
    }
    text_add(out, n ? ")\n" : "");
}

static void add_axes(struct text *out, const struct frame *frame)
{
    const struct plot_panel *panel = frame->panel;
    text_printf(out, "set lmargin at screen %.6f\nset rmargin at screen %.6f\n",
                screen_x(frame, frame->left), screen_x(frame, frame->right));
    text_printf(out, "set tmargin at screen %.6f\nset bmargin at screen %.6f\n",
                screen_y(frame, frame->top), screen_y(frame, frame->bottom));
    text_printf(out, "%sset logscale x\n%sset logscale y\n", panel->x_log ? "" : "un",
                panel->y_log ? "" : "un");
    text_add(out, "set xrange [");
    add_number(out, frame->x.low);
    text_add(out, ":");
    add_number(out, frame->x.high);
    text_add(out, "]\nset yrange [");
    add_number(out, frame->y.low);
    text_add(out, ":");
    add_number(out, frame->y.high);
    text_printf(out, "]\nset format x '%s'\nset format y ", panel->x_is_count ? "%.0s%c" : "%.8g");
    CLEANUP(text_free) struct text format = {0};
    text_add(&format, panel->y_unit ? "%.0s %c" : "%g");
    text_add(&format, panel->y_unit ? panel->y_unit : "");
    add_quoted(out, text_get(&format), PLOT_TITLE_COLUMNS);
    text_add(out, "\n");
    add_tics(out, "x", &frame->x, frame->right - frame->left);
    add_tics(out, "y", &frame->y, frame->bottom - frame->top);
    text_add(out, "set xlabel ");
    add_quoted(out, panel->x_label ? panel->x_label : "", PLOT_TITLE_COLUMNS);
    text_printf(out, " offset 0,%s\n", frame->is_slanted ? "0" : "0.5");
    text_add(out, panel->n_categories ? "" : "set xtics norotate\n");
    add_categories(out, "x", panel->categories, panel->n_categories, frame_category_columns(frame),
                   frame->is_slanted ? "rotate by 45 right" : "norotate");
    add_categories(out, "y", panel->y_categories, panel->n_y_categories, PLOT_LABEL_COLUMNS, "");
}

static void add_words(struct text *out, const struct frame *frame, const char *words, size_t most,
                      double x, double y, const char *style)
{
    text_add(out, "set label ");
    add_quoted(out, words, most);
    text_printf(out, " at screen %.6f,%.6f %s front\n", screen_x(frame, x), screen_y(frame, y),
                style);
}

static void add_verticals(struct text *out, const struct frame *frame)
{
    for (size_t i = 0; i < frame->panel->n_verticals; i++) {
        const struct plot_vertical *vertical = &frame->panel->verticals[i];
        if (!frame_shows(frame, vertical))
            continue;
        double x = frame_x(frame, vertical->x), top = frame->top;
        if (frame_labels(frame, vertical)) {
            double middle = frame->top - PLOT_ROW * ((double)frame->rows[i] + 0.5) - 2;
            top = middle - PLOT_ROW / 2.0 + 2;
            add_words(out, frame, vertical->label, PLOT_LABEL_COLUMNS,
                      x + (frame->is_left[i] ? -4 : 4), middle,
                      frame->is_left[i] ? "right" : "left");
        }
        text_printf(out,
                    "set arrow from screen %.6f,%.6f to screen %.6f,%.6f nohead front lw 1.4 "
                    "dt %u lc ",
                    screen_x(frame, x), screen_y(frame, frame->bottom), screen_x(frame, x),
                    screen_y(frame, top), (unsigned)vertical->colour % DASHES + 1);
        add_colour(out, vertical->colour, 1);
        text_add(out, "\n");
    }
}

static void add_note(struct text *out, const struct frame *frame, const struct note_grid *grid,
                     const struct plot_note *note, double x, double y)
{
    enum { RIGHT_CELLS = 2 };
    CLEANUP(text_free) struct text style = {0};
    text_add(&style, " textcolor ");
    add_word_colour(&style, note->colour, note->opacity);
    if (note->words) {
        CLEANUP(text_free) struct text left = {0};
        text_printf(&left, "left%s", text_get(&style));
        add_words(out, frame, note->words, PLOT_NOTE_COLUMNS, x, y, text_get(&left));
    }
    for (size_t i = 0; !note->words && i < PLOT_NOTE_CELLS; x += grid->cells[i], i++) {
        CLEANUP(text_free) struct text aligned = {0};
        bool is_right = i < RIGHT_CELLS;
        text_printf(&aligned, "%s%s", is_right ? "right" : "left", text_get(&style));
        if (note->cells[i])
            add_words(out, frame, note->cells[i], PLOT_NOTE_COLUMNS,
                      is_right ? x + grid->cells[i] - PLOT_CELL_GAP : x, y, text_get(&aligned));
    }
}

/* Column by column. The last of them counts those that there was no room for. */
static void add_notes(struct text *out, const struct frame *frame, struct arena *arena)
{
    const struct plot_panel *panel = frame->panel;
    struct note_grid grid = frame_notes(frame);
    size_t n_shown = note_grid_shown(&grid, panel->n_notes);
    for (size_t i = 0; i < n_shown; i++) {
        bool is_rest = i == n_shown - 1 && n_shown < panel->n_notes;
        size_t column = i / grid.rows;
        const struct plot_note rest = {
            .words = arena_printf(arena, "and %zu more", panel->n_notes - n_shown + 1),
            .colour = PLOT_GREY};
        add_note(out, frame, &grid, is_rest ? &rest : &panel->notes[i],
                 frame->right + PLOT_NOTE_GAP + grid.width * (double)column,
                 frame->top + PLOT_ROW * ((double)(i % grid.rows) + 0.5));
    }
}

static void add_page_title(struct text *out, const struct frame *frame)
{
    const struct plot_page *page = frame->page;
    if (page->title)
        add_words(out, frame, page->title, PLOT_TITLE_COLUMNS, frame->left, PLOT_TITLE / 2.0 + 2,
                  "left font ',12' textcolor rgb '#000000'");
    if (page->subtitle)
        add_words(out, frame, page->subtitle, PLOT_TITLE_COLUMNS, frame->left,
                  PLOT_TITLE + PLOT_ROW / 2.0 - 3, "left textcolor rgb '#606060'");
}

static void add_name(struct text *out, const struct frame *frame, const struct placed_name *name)
{
    CLEANUP(text_free) struct text style = {0};
    text_add(&style, name->alignment);
    if (name->series->kind == PLOT_LINE) {
        text_printf(&style, " rotate by %.4g textcolor ", name->degrees);
        add_word_colour(&style, name->series->colour, name->series->opacity);
    }
    add_words(out, frame, name->words, PLOT_LABEL_COLUMNS, name->x, name->y, text_get(&style));
    if (name->has_leader)
        text_printf(
            out,
            "set arrow from screen %.6f,%.6f to screen %.6f,%.6f nohead front lw 0.6 lc rgb "
            "'#606060'\n",
            screen_x(frame, name->from_x), screen_y(frame, name->from_y),
            screen_x(frame, name->to_x), screen_y(frame, name->to_y));
}

static void add_panel(struct text *out, const struct frame *frame, struct arena *arena)
{
    const struct plot_panel *panel = frame->panel;
    size_t n_bars = 0, bar = 0;
    text_add(out, "\nunset label\nunset arrow\n");
    if (panel == frame->page->panels)
        add_page_title(out, frame);
    add_axes(out, frame);
    double head = frame->top - PLOT_ROW * (double)frame->label_rows - PLOT_ABOVE / 2.0;
    if (panel->title)
        add_words(out, frame, panel->title, frame_title_columns(frame), frame->left, head, "left");
    text_printf(out, "set key at screen %.6f,%.6f right center horizontal\n",
                screen_x(frame, frame->right), screen_y(frame, head));
    if (panel->y_label)
        add_words(out, frame, panel->y_label, PLOT_TITLE_COLUMNS,
                  frame->left - panel_margin(panel) + 10, (frame->top + frame->bottom) / 2,
                  "center rotate by 90");
    add_verticals(out, frame);
    add_notes(out, frame, arena);
    struct placed_name *names;
    size_t n_names = frame_names(frame, arena, &names);
    for (size_t i = 0; i < n_names; i++)
        add_name(out, frame, &names[i]);
    for (size_t i = 0; i < panel->n_series; i++) {
        add_data(out, frame, i);
        n_bars += panel->series[i].kind == PLOT_BARS;
    }
    text_add(out, "plot \\\n");
    for (size_t i = 0; i < panel->n_series; i++) {
        const struct plot_series *series = &panel->series[i];
        text_printf(out, "    $data%zu ", i);
        add_style(out, frame, series, bar, n_bars);
        bar += series->kind == PLOT_BARS;
        text_add(out, series->label ? " title " : " notitle");
        if (series->label)
            add_quoted(out, series->label, PLOT_LABEL_COLUMNS);
        text_add(out, ", \\\n");
    }
    text_add(out, "    NaN notitle\n"); /* a panel without data has its axes still */
}

static void add_terminal(struct text *out, const struct plot_page *page, int format,
                         const char *output)
{
    static const char style[] = "noenhanced background '#FFFFFF'";
    if (format == PLOT_PDF)
        text_printf(out, "set terminal pdfcairo size %.4fin,%.4fin font 'Sans,%d' %s\n",
                    page->width / 96.0, page->height / 96.0, PLOT_FONT * 3 / 4, style);
    else
        text_printf(out, "set terminal %s size %u,%u %s'Sans,%d' %s\n",
                    format == PLOT_PNG ? "pngcairo" : "svg", page->width, page->height,
                    format == PLOT_PNG ? "font " : "fixed font ",
                    PLOT_FONT * (format == PLOT_PNG ? 3 : 4) / 4, style);
    if (output) {
        text_add(out, "set output '");
        text_add_valid(out, output, '\'', "''");
        text_add(out, "'\n");
    }
}

void plot_script(const struct plot_page *page, int format, const char *output, struct text *out)
{
    CLEANUP(arena_free) struct arena arena = {0};
    struct plot_page sized = *page;
    const struct frame *frames = frames_of(&sized, &arena);
    text_add(out, "set encoding utf8\n");
    add_terminal(out, &sized, format, output);
    text_add(out, "set multiplot\nset border 3 lc rgb '#606060'\nset tics nomirror out scale 0.6\n"
                  "set grid lc rgb '#E4E4E4' lt 1 lw 0.6\n"
                  "set key samplen 1.5 noenhanced textcolor rgb '#303030'\n");
    for (size_t i = 0; i < page->n_panels; i++)
        add_panel(out, &frames[i], &arena);
    text_add(out, "unset multiplot\n");
}
