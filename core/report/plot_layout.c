/* plot_layout.c - see plot_layout.h. */
#include "core/report/plot_layout.h"

#include <math.h>

/* Pixels, but for the count. */
static const double RIGHT = 28, BELOW = 26, X_LABEL = 18; /* pixels */
enum { LABEL_ROWS_MAX = 24, SLANTED_COLUMNS = 18 };

/* ---- ranges ---- */

static void extend(struct range *range, double value)
{
    if (!isfinite(value) || (range->is_log && value <= 0))
        return;
    range->low = isnan(range->low) || value < range->low ? value : range->low;
    range->high = isnan(range->high) || value > range->high ? value : range->high;
}

/* A little more than there is, so that nothing lies on the frame. */
static void widen(struct range *range)
{
    const double share = 0.04;
    if (isnan(range->low))
        *range = (struct range){range->is_log ? 1 : 0, range->is_log ? 10 : 1, range->is_log};
    if (range->is_log) {
        double factor = pow(range->high / range->low, share);
        factor = factor > 1.02 ? factor : 1.2;
        range->low /= factor;
        range->high *= factor;
    } else {
        double more = share * (range->high - range->low);
        more = more > 1e-9 * fabs(range->high) ? more
               : range->high != 0              ? 0.05 * fabs(range->high)
                                               : 1;
        range->low -= more;
        range->high += more;
    }
}

static double place_in(const struct range *range, double value)
{
    return range->is_log ? log(value / range->low) / log(range->high / range->low)
                         : (value - range->low) / (range->high - range->low);
}

static struct range x_range_of(const struct plot_panel *panel)
{
    struct range range = {NAN, NAN, panel->x_log};
    if (panel->x_low < panel->x_high)
        return (struct range){panel->x_low, panel->x_high, panel->x_log};
    for (size_t i = 0; i < panel->n_series; i++)
        for (uint64_t j = 0; panel->series[i].x && j < panel->series[i].n; j++) {
            extend(&range, panel->series[i].x[j]);
            if (panel->series[i].kind == PLOT_SPANS)
                extend(&range, panel->series[i].high[j]);
        }
    for (size_t i = 0; i < panel->n_verticals; i++)
        extend(&range, panel->verticals[i].x);
    widen(&range);
    if (panel->n_categories > 0)
        range = (struct range){-0.5, (double)panel->n_categories - 0.5, false};
    return range;
}

/* Of an interval's end: far from all estimates it is cut, or these would lie on a line. */
static void extend_near(struct range *range, const struct range *estimates, double value)
{
    const double reach = fmax(estimates->high - estimates->low, fabs(estimates->high));
    if (!isfinite(estimates->low))
        extend(range, value);
    else if (range->is_log)
        extend(range, fmin(fmax(value, estimates->low / 10), estimates->high * 10));
    else
        extend(range, fmin(fmax(value, estimates->low - reach), estimates->high + reach));
}

/* Estimates first. */
static struct range values_range_of(const struct plot_panel *panel)
{
    struct range range = {NAN, NAN, panel->y_log};
    for (int is_interval = 0; is_interval < 2; is_interval++) {
        const struct range estimates = range;
        for (size_t i = 0; i < panel->n_series; i++) {
            const struct plot_series *series = &panel->series[i];
            for (uint64_t j = 0; j < series->n && (series->kind == PLOT_INTERVALS) == is_interval;
                 j++) {
                extend_near(&range, &estimates, series->y[j]);
                if (series->high)
                    extend_near(&range, &estimates, series->high[j]);
            }
        }
    }
    return range;
}

static struct range y_range_of(const struct plot_panel *panel)
{
    struct range range = values_range_of(panel);
    bool has_bars = false, has_names = false;
    if (panel->y_low < panel->y_high)
        return (struct range){panel->y_low, panel->y_high, panel->y_log};
    if (panel->n_y_categories > 0)
        return (struct range){(double)panel->n_y_categories - 0.5, -0.5, false};
    for (size_t i = 0; i < panel->n_series; i++) {
        const struct plot_series *series = &panel->series[i];
        has_bars = has_bars || series->kind == PLOT_BARS;
        has_names = has_names || (series->kind == PLOT_BARS && series->names);
    }
    if (has_bars && !panel->y_log)
        extend(&range, 0);
    if (has_names)
        extend(&range, 1.08 * range.high);
    bool is_bottom = has_bars && range.low == 0;
    widen(&range);
    if (is_bottom)
        range.low = 0;
    return range;
}

/* ---- where things are ---- */

double frame_x(const struct frame *frame, double x)
{
    return frame->left + place_in(&frame->x, x) * (frame->right - frame->left);
}

double frame_y(const struct frame *frame, double y)
{
    return frame->bottom - place_in(&frame->y, y) * (frame->bottom - frame->top);
}

double words_width(const char *words, size_t most)
{
    size_t n = text_columns(words);
    return PLOT_LETTER * (double)(n < most ? n : most);
}

bool frame_shows(const struct frame *frame, const struct plot_vertical *vertical)
{
    double place = place_in(&frame->x, vertical->x);
    return isfinite(place) && place >= 0 && place <= 1;
}

bool frame_labels(const struct frame *frame, const struct plot_vertical *vertical)
{
    return vertical->label && *vertical->label && frame_shows(frame, vertical);
}

/* Where the label of a vertical line begins and ends, without the line itself. */
struct span {
    double line, begin, end;
    bool is_labelled;
};

static bool holds(const struct span *span, double x)
{
    return span->is_labelled && x >= span->begin && x <= span->end && x != span->line;
}

/* Labels are to the right of their lines unless the page ends there, or unless they would cross
 * the line of one that is to the left and crosses theirs. */
static struct span *make_spans(struct frame *frame, struct arena *arena)
{
    static const double AROUND = 10;
    size_t n = frame->panel->n_verticals;
    struct span *spans = ARENA_ARRAY(arena, struct span, n + 1);
    for (size_t i = 0; i < n; i++) {
        const struct plot_vertical *vertical = &frame->panel->verticals[i];
        if (!frame_labels(frame, vertical))
            continue;
        double x = frame_x(frame, vertical->x),
               width = words_width(vertical->label, PLOT_LABEL_COLUMNS);
        spans[i] = (struct span){x, x, x + width + AROUND, true};
        frame->is_left[i] = spans[i].end > frame->right + RIGHT;
        if (frame->is_left[i])
            spans[i] = (struct span){x, x - width - AROUND, x, true};
    }
    for (size_t pass = 0; pass < n; pass++)
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j < n; j++)
                if (!frame->is_left[i] && frame->is_left[j] && holds(&spans[i], spans[j].line) &&
                    holds(&spans[j], spans[i].line)) {
                    frame->is_left[i] = true;
                    spans[i].begin = 2 * spans[i].line - spans[i].end;
                    spans[i].end = spans[i].line;
                }
    return spans;
}

/* A row for each label: above those whose lines it would hide, and at a distance from its
 * neighbours. */
static void place_labels(struct frame *frame, struct arena *arena)
{
    size_t n = frame->panel->n_verticals;
    const struct span *spans = make_spans(frame, arena);
    bool is_settled = false;
    for (size_t pass = 0; pass < n * n && !is_settled; pass++) {
        is_settled = true;
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j < n; j++) {
                bool is_apart = spans[i].end <= spans[j].begin || spans[j].end <= spans[i].begin;
                bool is_wrong = holds(&spans[i], spans[j].line)
                                    ? frame->rows[i] <= frame->rows[j]
                                    : j < i && !is_apart && frame->rows[i] == frame->rows[j];
                if (!spans[i].is_labelled || !spans[j].is_labelled || i == j || !is_wrong ||
                    frame->rows[j] == LABEL_ROWS_MAX)
                    continue;
                frame->rows[i] = frame->rows[j] + 1;
                is_settled = false;
            }
    }
    for (size_t i = 0; i < n; i++)
        if (spans[i].is_labelled && frame->rows[i] + 1 > frame->label_rows)
            frame->label_rows = frame->rows[i] + 1;
}

double panel_margin(const struct plot_panel *panel)
{
    static const double AROUND = 32;
    double widest = 0;
    for (size_t i = 0; i < panel->n_y_categories; i++)
        widest = fmax(widest, words_width(panel->y_categories[i], PLOT_LABEL_COLUMNS));
    return fmax(PLOT_LEFT + (panel->y_unit ? PLOT_UNIT_LEFT : 0), widest > 0 ? widest + AROUND : 0);
}

static void find_shades(struct frame *frame)
{
    frame->shade_low = INFINITY;
    frame->shade_high = -INFINITY;
    for (size_t i = 0; i < frame->panel->n_series; i++) {
        const struct plot_series *series = &frame->panel->series[i];
        for (uint64_t j = 0; series->kind == PLOT_CELLS && j < series->n; j++) {
            if (!isfinite(series->high[j]))
                continue;
            frame->shade_low = fmin(frame->shade_low, series->high[j]);
            frame->shade_high = fmax(frame->shade_high, series->high[j]);
        }
    }
}

double frame_shade(const struct frame *frame, double value)
{
    double low = frame->shade_low, high = frame->shade_high;
    /* Of times that differ by much the smaller ones would look alike. */
    if (low > 0 && high > 10 * low)
        return log(value / low) / log(high / low);
    return high > low ? (value - low) / (high - low) : 0;
}

/* Letters that there is room for under each bar, side by side. */
static size_t straight_columns(const struct frame *frame)
{
    double room = (frame->right - frame->left) / (double)frame->panel->n_categories / PLOT_LETTER;
    return room < 1 ? 0 : (size_t)(room - 1);
}

static size_t longest_category(const struct plot_panel *panel)
{
    size_t most = 0;
    for (size_t i = 0; i < panel->n_categories; i++) {
        size_t n = text_columns(panel->categories[i]);
        most = n > most ? n : most;
    }
    return most;
}

/* Pixels below the axis that slanted categories need more than others. */
static double slanted_height(const struct frame *frame)
{
    size_t n = longest_category(frame->panel);
    n = n < SLANTED_COLUMNS ? n : SLANTED_COLUMNS;
    return frame->is_slanted ? (double)n * PLOT_LETTER * sqrt(0.5) : 0;
}

size_t frame_title_columns(const struct frame *frame)
{
    static const double SAMPLE = 8, SHORTEST = 12, LONGEST = PLOT_TITLE_COLUMNS;
    double room = (frame->right - frame->left) / PLOT_LETTER;
    for (size_t i = 0; i < frame->panel->n_series; i++)
        if (frame->panel->series[i].label)
            room -= SAMPLE +
                    words_width(frame->panel->series[i].label, PLOT_LABEL_COLUMNS) / PLOT_LETTER;
    return (size_t)fmin(fmax(room, SHORTEST), LONGEST);
}

double frame_x_label(const struct frame *frame)
{
    return frame->bottom + BELOW + slanted_height(frame) + X_LABEL / 2 - 2;
}

/* ---- ticks ---- */

/* 1, 2 or 5 times a power of ten, at least `least`. */
static double round_step(double least)
{
    static const double mantissas[] = {1, 2, 5, 10};
    double power = pow(10, floor(log10(least)));
    for (size_t i = 0; i < 4; i++)
        if (mantissas[i] * power >= least * (1 - 1e-9))
            return mantissas[i] * power;
    return 10 * power;
}

static struct ticks linear_ticks(const struct range *range, size_t most)
{
    struct ticks ticks = {.step = round_step((range->high - range->low) / (double)most)};
    for (double i = ceil(range->low / ticks.step - 1e-9);
         i * ticks.step <= range->high + 1e-9 * ticks.step && ticks.n < TICKS_MAX; i++)
        ticks.at[ticks.n++] = i * ticks.step;
    return ticks;
}

/* Powers of ten, or with 2 and 5 times them where there are few. */
static struct ticks log_ticks(const struct range *range, size_t most)
{
    static const double mantissas[] = {1, 2, 5};
    double decades = log10(range->high / range->low);
    size_t n_mantissas = 3 * decades <= (double)most ? 3 : 1;
    int apart = (int)fmax(1, ceil(decades / (double)most));
    struct ticks ticks = {0};
    for (int power = (int)floor(log10(range->low)); power <= log10(range->high); power += apart)
        for (size_t i = 0; i < n_mantissas && ticks.n < TICKS_MAX; i++) {
            double value = mantissas[i] * pow(10, power);
            if (value >= range->low * (1 - 1e-9) && value <= range->high * (1 + 1e-9))
                ticks.at[ticks.n++] = value;
        }
    return ticks.n >= 2 ? ticks : linear_ticks(range, most);
}

/* Powers of two, or of 4, 8 ... where there is no room for all. */
static struct ticks binary_ticks(const struct range *range, size_t most)
{
    const int low = (int)ceil(log2(range->low)), high = (int)floor(log2(range->high));
    const int apart = (high - low) / (int)most + 1;
    struct ticks ticks = {0};
    for (int power = low; power <= high && ticks.n < TICKS_MAX; power++)
        if (power % apart == 0)
            ticks.at[ticks.n++] = ldexp(1, power);
    return ticks.n >= 2 ? ticks : linear_ticks(range, most);
}

struct ticks frame_ticks(const struct frame *frame, bool is_x, double pixels, double apart)
{
    const struct range *range = is_x ? &frame->x : &frame->y;
    size_t most = (size_t)fmin(fmax(pixels / apart, 2), TICKS_MAX - 2);
    return is_x && frame->panel->x_is_binary ? binary_ticks(range, most)
           : range->is_log                   ? log_ticks(range, most)
                                             : linear_ticks(range, most);
}

/* ---- the page ---- */

/* A panel: pixels above and below it, and its share of the rest of the page. */
struct row {
    double above, below, share;
};

/* What the notes of a panel take of its width. */
static struct note_grid grid_of(const struct plot_panel *panel)
{
    struct note_grid grid = {.columns = panel->n_note_columns ? panel->n_note_columns : 1};
    double words = 0, cells = 0;
    for (size_t i = 0; i < panel->n_notes; i++) {
        const struct plot_note *note = &panel->notes[i];
        words = fmax(words, note->words ? words_width(note->words, PLOT_NOTE_COLUMNS) : 0);
        for (size_t j = 0; j < PLOT_NOTE_CELLS; j++)
            if (!note->words && note->cells[j])
                grid.cells[j] = fmax(grid.cells[j], words_width(note->cells[j], PLOT_NOTE_COLUMNS) +
                                                        PLOT_CELL_GAP);
    }
    for (size_t j = 0; j < PLOT_NOTE_CELLS; j++)
        cells += grid.cells[j];
    grid.width = panel->n_notes > 0 ? PLOT_NOTE_GAP + fmax(words, cells) : 0;
    return grid;
}

struct note_grid frame_notes(const struct frame *frame)
{
    struct note_grid grid = grid_of(frame->panel);
    double rows = floor((frame->bottom - frame->top) / PLOT_ROW);
    grid.rows = rows > 0 ? (size_t)rows : 0;
    return grid;
}

/* All of a frame but its top and bottom. */
static struct frame frame_of(const struct plot_page *page, size_t i, struct arena *arena)
{
    const struct plot_panel *panel = &page->panels[i];
    struct note_grid notes = grid_of(panel);
    struct frame frame = {.page = page,
                          .panel = panel,
                          .x = x_range_of(panel),
                          .y = y_range_of(panel),
                          .left = panel_margin(panel),
                          .right = (double)page->width - RIGHT -
                                   notes.width * (double)notes.columns,
                          .rows = ARENA_ARRAY(arena, size_t, panel->n_verticals + 1),
                          .is_left = ARENA_ARRAY(arena, bool, panel->n_verticals + 1)};
    frame.is_slanted = panel->n_categories > 0 &&
                       longest_category(panel) > straight_columns(&frame);
    frame.category_columns = frame.is_slanted          ? SLANTED_COLUMNS
                             : panel->n_categories > 0 ? straight_columns(&frame)
                                                       : 0;
    place_labels(&frame, arena);
    find_shades(&frame);
    return frame;
}

/* Panels are as high as they ask for. */
struct frame *frames_of(struct plot_page *page, struct arena *arena)
{
    static const double HEIGHT_MIN = 40;
    const size_t n = page->n_panels;
    struct frame *frames = ARENA_ARRAY(arena, struct frame, n + 1);
    struct row *rows = ARENA_ARRAY(arena, struct row, n + 1);
    double top = (page->title ? PLOT_TITLE : 0) + (page->subtitle ? PLOT_ROW : 0), around = top,
           shares = 0;
    for (size_t i = 0; i < n; i++) {
        const struct plot_panel *panel = &page->panels[i];
        frames[i] = frame_of(page, i, arena);
        rows[i] = (struct row){.above = PLOT_ABOVE + PLOT_ROW * (double)frames[i].label_rows,
                               .below = BELOW + (panel->x_label ? X_LABEL : 0) +
                                        slanted_height(&frames[i]),
                               .share = panel->height > 0 ? panel->height : 1};
        around += rows[i].above + rows[i].below;
        shares += rows[i].share;
    }
    if (page->height == 0)
        page->height = (uint32_t)ceil(around + shares);
    double left_over = fmax(page->height - around, HEIGHT_MIN * (double)n);
    for (size_t i = 0; i < n; i++) {
        frames[i].top = top + rows[i].above;
        frames[i].bottom = frames[i].top + left_over * rows[i].share / shares;
        top = frames[i].bottom + rows[i].below;
    }
    return frames;
}
