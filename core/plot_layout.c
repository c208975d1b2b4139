/* plot_layout.c - see plot_layout.h. Floor 4. */
#include "core/plot_layout.h"

#include <math.h>
#include <string.h>

/* Pixels, but for the count. */
enum { LETTER = 7, RIGHT = 28, BELOW = 26, X_LABEL = 18, LABEL_ROWS_MAX = 24 };

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
        for (uint64_t j = 0; panel->series[i].x && j < panel->series[i].n; j++)
            extend(&range, panel->series[i].x[j]);
    for (size_t i = 0; i < panel->n_verticals; i++)
        extend(&range, panel->verticals[i].x);
    widen(&range);
    if (panel->n_categories > 0)
        range = (struct range){-0.5, (double)panel->n_categories - 0.5, false};
    return range;
}

static struct range y_range_of(const struct plot_panel *panel)
{
    struct range range = {NAN, NAN, panel->y_log};
    bool has_bars = false;
    if (panel->y_low < panel->y_high)
        return (struct range){panel->y_low, panel->y_high, panel->y_log};
    for (size_t i = 0; i < panel->n_series; i++) {
        const struct plot_series *series = &panel->series[i];
        has_bars = has_bars || series->kind == PLOT_BARS;
        for (uint64_t j = 0; j < series->n; j++) {
            extend(&range, series->y[j]);
            if (series->high)
                extend(&range, series->high[j]);
        }
    }
    if (has_bars && !panel->y_log)
        extend(&range, 0);
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

static double width_of(const char *words, size_t most)
{
    size_t n = text_columns(words);
    return LETTER * (double)(n < most ? n : most);
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

/* From where to where the label of a vertical line goes, without the line itself. */
struct span {
    double line, begin, end;
    bool is_labelled;
};

static bool holds(const struct span *span, double x)
{
    return span->is_labelled && x >= span->begin && x <= span->end && x != span->line;
}

/* Labels stand to the right of their lines unless the page ends there, or unless they would cross
 * the line of one that stands to the left and crosses theirs. */
static struct span *make_spans(struct frame *frame, struct arena *arena)
{
    enum { AROUND = 10 };
    size_t n = frame->panel->n_verticals;
    struct span *spans = ARENA_ARRAY(arena, struct span, n + 1);
    for (size_t i = 0; i < n; i++) {
        const struct plot_vertical *vertical = &frame->panel->verticals[i];
        if (!frame_labels(frame, vertical))
            continue;
        double x = frame_x(frame, vertical->x),
               width = width_of(vertical->label, PLOT_LABEL_COLUMNS);
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

/* A row for each label: above those whose lines it would hide, and apart from its neighbours. */
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

/* ---- words beside points ---- */

struct box {
    double left, right, top, bottom;
};

static bool is_clear(const struct frame *frame, const struct box *box, const struct box *boxes,
                     size_t n)
{
    if (box->left < frame->left || box->right > frame->right || box->top < frame->top ||
        box->bottom > frame->bottom)
        return false;
    for (size_t i = 0; i < n; i++)
        if (box->left < boxes[i].right && boxes[i].left < box->right &&
            box->top < boxes[i].bottom && boxes[i].top < box->bottom)
            return false;
    return true;
}

/* To the right of the point or, if something is there, to its left, above or below. False: there is
 * no room. */
static bool place_name(const struct frame *frame, const char *name, double x, double y,
                       struct box *boxes, size_t *n_boxes, struct placed_name *ret)
{
    static const struct {
        double x, y; /* widths and rows from the point */
        const char *alignment;
    } sides[] = {{0, 0, "left"},  {-1, 0, "right"}, {-0.5, -1.1, "center"}, {-0.5, 1.1, "center"},
                 {0, -1, "left"}, {0, 1, "left"},   {-1, -1, "right"},      {-1, 1, "right"}};
    enum { GAP = 6 };
    double width = width_of(name, PLOT_LABEL_COLUMNS);
    for (size_t i = 0; i < sizeof sides / sizeof *sides; i++) {
        double at = x + GAP * (1 + 2 * sides[i].x), middle = y + sides[i].y * PLOT_ROW;
        double left = at + sides[i].x * width;
        struct box box = {left, left + width, middle - PLOT_ROW / 2.0, middle + PLOT_ROW / 2.0};
        if (!is_clear(frame, &box, boxes, *n_boxes))
            continue;
        boxes[(*n_boxes)++] = box;
        *ret = (struct placed_name){name, sides[i].alignment, at, middle};
        return true;
    }
    return false;
}

bool frame_line_name(const struct frame *frame, const struct plot_series *series,
                     struct line_name *ret)
{
    enum { ALONG = 14, ABOVE = 10, END = 6 };
    if (series->kind != PLOT_LINE || !series->name || series->n < 2)
        return false;
    double x = frame_x(frame, series->x[0]), y = frame_y(frame, series->y[0]);
    double run = frame_x(frame, series->x[series->n - 1]) - x;
    double rise = y - frame_y(frame, series->y[series->n - 1]);
    if (!isfinite(x) || !isfinite(y) || !isfinite(run) || !isfinite(rise) || !(run > 0))
        return false;
    double angle = atan2(rise, run);
    double along = rise > 0 ? ALONG : run - END - width_of(series->name, PLOT_LABEL_COLUMNS);
    *ret = (struct line_name){.x = x + along * cos(angle) - ABOVE * sin(angle),
                              .y = y - along * sin(angle) - ABOVE * cos(angle),
                              .degrees = angle * 180 / acos(-1)};
    return true;
}

/* A box for each letter of the names of lines. */
static size_t box_line_names(const struct frame *frame, struct box *boxes)
{
    size_t n_boxes = 0;
    for (size_t i = 0; i < frame->panel->n_series; i++) {
        const struct plot_series *series = &frame->panel->series[i];
        struct line_name name;
        if (!frame_line_name(frame, series, &name))
            continue;
        size_t n = text_columns(series->name);
        double angle = name.degrees * acos(-1) / 180, half = LETTER;
        for (size_t j = 0; j < n && j < PLOT_LABEL_COLUMNS; j++) {
            double x = name.x + LETTER * ((double)j + 0.5) * cos(angle);
            double y = name.y - LETTER * ((double)j + 0.5) * sin(angle);
            boxes[n_boxes++] = (struct box){x - half, x + half, y - half, y + half};
        }
    }
    return n_boxes;
}

size_t frame_names(const struct frame *frame, struct arena *arena, struct placed_name **ret)
{
    const struct plot_panel *panel = frame->panel;
    size_t n_boxes = 0, n_names = 0, most = 0;
    for (size_t i = 0; i < panel->n_series; i++)
        most += panel->series[i].names ? panel->series[i].n : 0;
    struct box *boxes = ARENA_ARRAY(arena, struct box,
                                    2 * most + PLOT_LABEL_COLUMNS * panel->n_series + 1);
    n_boxes = box_line_names(frame, boxes);
    *ret = ARENA_ARRAY(arena, struct placed_name, most + 1);
    for (int pass = 0; pass < 2; pass++) /* the points first: no name may hide one */
        for (size_t i = 0; i < panel->n_series; i++) {
            const struct plot_series *series = &panel->series[i];
            for (uint64_t j = 0; series->names && j < series->n; j++) {
                double x = frame_x(frame, series->x[j]), y = frame_y(frame, series->y[j]);
                if (!isfinite(x) || !isfinite(y) || !series->names[j])
                    continue;
                double half = 3 * (series->size > 1 ? series->size : 1);
                if (pass == 0)
                    boxes[n_boxes++] = (struct box){x - half, x + half, y - half, y + half};
                else
                    n_names += place_name(frame, series->names[j], x, y, boxes, &n_boxes,
                                          &(*ret)[n_names]);
            }
        }
    return n_names;
}

size_t frame_category_columns(const struct frame *frame)
{
    double room = (frame->right - frame->left) / (double)frame->panel->n_categories / LETTER - 1;
    return room < 3 ? 3 : (size_t)room;
}

/* ---- the page ---- */

/* A row of panels: pixels above and below all of them, and its share of the rest of the page. */
struct row {
    double above, below, share;
};

/* What the notes of a panel take of its width. */
static double notes_width(const struct plot_panel *panel)
{
    double width = 0;
    for (size_t i = 0; i < panel->n_notes; i++)
        width = fmax(width, width_of(panel->notes[i].words, PLOT_LABEL_COLUMNS));
    return panel->n_notes > 0 ? width + PLOT_NOTE_GAP : 0;
}

size_t frame_notes(const struct frame *frame)
{
    double rows = floor((frame->bottom - frame->top) / PLOT_ROW);
    return rows > 0 ? (size_t)rows : 0;
}

/* All of a frame but its top and bottom. */
static struct frame frame_of(const struct plot_page *page, size_t i, size_t n_columns,
                             struct arena *arena)
{
    const struct plot_panel *panel = &page->panels[i];
    double width = (double)page->width / (double)n_columns;
    double left = width * (double)(i % n_columns);
    struct frame frame = {.page = page,
                          .panel = panel,
                          .x = x_range_of(panel),
                          .y = y_range_of(panel),
                          .left = left + PLOT_LEFT,
                          .right = left + width - RIGHT - notes_width(panel),
                          .rows = ARENA_ARRAY(arena, size_t, panel->n_verticals + 1),
                          .is_left = ARENA_ARRAY(arena, bool, panel->n_verticals + 1)};
    place_labels(&frame, arena);
    return frame;
}

static void extend_row(struct row *row, const struct frame *frame)
{
    const struct plot_panel *panel = frame->panel;
    row->above = fmax(row->above, PLOT_ABOVE + PLOT_ROW * (double)frame->label_rows);
    row->below = fmax(row->below, BELOW + (panel->x_label ? X_LABEL : 0));
    row->share = fmax(row->share, panel->height > 0 ? panel->height : 1);
}

/* Columns are equally wide, rows as high as their panels ask for. */
struct frame *frames_of(const struct plot_page *page, struct arena *arena)
{
    enum { HEIGHT_MIN = 40 };
    struct frame *frames = ARENA_ARRAY(arena, struct frame, page->n_panels + 1);
    size_t n_columns = page->n_columns ? page->n_columns : 1;
    size_t n_rows = (page->n_panels + n_columns - 1) / n_columns;
    struct row *rows = ARENA_ARRAY(arena, struct row, n_rows + 1);
    double top = PLOT_TITLE + (page->subtitle ? PLOT_ROW : 0), left_over = page->height - top;
    double shares = 0;
    for (size_t i = 0; i < page->n_panels; i++) {
        frames[i] = frame_of(page, i, n_columns, arena);
        extend_row(&rows[i / n_columns], &frames[i]);
    }
    for (size_t i = 0; i < n_rows; i++) {
        left_over -= rows[i].above + rows[i].below;
        shares += rows[i].share;
    }
    left_over = fmax(left_over, HEIGHT_MIN * (double)n_rows);
    for (size_t i = 0; i < page->n_panels; i++) {
        const struct row *row = &rows[i / n_columns];
        frames[i].top = top + row->above;
        frames[i].bottom = frames[i].top + left_over * row->share / shares;
        if (i % n_columns == n_columns - 1)
            top = frames[i].bottom + row->below;
    }
    return frames;
}
