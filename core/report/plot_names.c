/* plot_names.c - see plot_layout.h: where the names of points and lines hide nothing. */
#include "core/report/plot_layout.h"

#include <math.h>

struct box {
    double left, right, top, bottom;
};

struct segment {
    double x, y, to_x, to_y;
};

/* What is drawn, in pixels. Nothing may be over a box; words over lines are a last resort. */
struct scene {
    const struct frame *frame;
    struct box *boxes;
    size_t n_boxes, n_points; /* the first boxes are the points */
    struct segment *lines;
    size_t n_lines;
};

static bool overlap(const struct box *a, const struct box *b)
{
    return a->left < b->right && b->left < a->right && a->top < b->bottom && b->top < a->bottom;
}

/* By a box from the `first` on? */
static bool is_taken(const struct scene *scene, const struct box *box, size_t first)
{
    const struct frame *frame = scene->frame;
    if (box->left < frame->left || box->right > frame->right || box->top < frame->top ||
        box->bottom > frame->bottom)
        return true;
    for (size_t i = first; i < scene->n_boxes; i++)
        if (overlap(box, &scene->boxes[i]))
            return true;
    return false;
}

/* Cuts [*from, *to], shares of a way, down to where start + share * way is between low and high. */
static void cut(double start, double way, double low, double high, double *from, double *to)
{
    if (way == 0) {
        if (start < low || start > high)
            *to = -1;
        return;
    }
    double a = (low - start) / way, b = (high - start) / way;
    *from = fmax(*from, fmin(a, b));
    *to = fmin(*to, fmax(a, b));
}

static bool crosses(const struct segment *line, const struct box *box)
{
    double from = 0, to = 1;
    cut(line->x, line->to_x - line->x, box->left, box->right, &from, &to);
    cut(line->y, line->to_y - line->y, box->top, box->bottom, &from, &to);
    return from <= to;
}

static double distance(const struct segment *line, double x, double y)
{
    double run = line->to_x - line->x, rise = line->to_y - line->y;
    double square = run * run + rise * rise;
    double share = square > 0 ? ((x - line->x) * run + (y - line->y) * rise) / square : 0;
    share = fmin(fmax(share, 0), 1);
    return hypot(line->x + share * run - x, line->y + share * rise - y);
}

/* ---- what there is ---- */

static bool find_point(const struct frame *frame, const struct plot_series *series, uint64_t i,
                       double *ret_x, double *ret_y)
{
    *ret_x = frame_x(frame, series->x[i]);
    *ret_y = frame_y(frame, series->y[i]);
    return isfinite(*ret_x) && isfinite(*ret_y);
}

static void add_series(struct scene *scene, const struct plot_series *series)
{
    static const double HEAD = 14, HALF_HEAD = 4;
    const struct frame *frame = scene->frame;
    const double half = 3.5 * (series->size > 0 ? series->size : 1);
    double x, y, next_x, next_y;
    for (uint64_t i = 0; i < series->n; i++) {
        if (!find_point(frame, series, i, &x, &y))
            continue;
        if (series->kind == PLOT_POINTS)
            scene->boxes[scene->n_boxes++] = (struct box){x - half, x + half, y - half, y + half};
        if (series->kind == PLOT_ARROWS) {
            scene->lines[scene->n_lines++] = (struct segment){x, y, frame->right, y};
            scene->boxes[scene->n_boxes++] = (struct box){frame->right - HEAD, frame->right,
                                                          y - HALF_HEAD, y + HALF_HEAD};
        }
        if (series->kind == PLOT_LINE && i + 1 < series->n &&
            find_point(frame, series, i + 1, &next_x, &next_y))
            scene->lines[scene->n_lines++] = (struct segment){x, y, next_x, next_y};
    }
}

/* ---- names along lines ---- */

static const double letter_radius = 6, point_radius = 5;

/* The box of a letter: the name begins at x, y. */
static struct box letter_box(const struct placed_name *name, size_t i)
{
    double angle = name->degrees * acos(-1) / 180, along = PLOT_LETTER * ((double)i + 0.5);
    double x = name->x + along * cos(angle), y = name->y - along * sin(angle);
    return (struct box){x - letter_radius, x + letter_radius, y - letter_radius, y + letter_radius};
}

/* Points are round and so are letters, in words that rise. */
static bool is_letter_free(const struct scene *scene, double x, double y, bool may_cross)
{
    for (size_t i = 0; i < scene->n_points; i++) {
        const struct box *box = &scene->boxes[i];
        double distance = hypot((box->left + box->right) / 2 - x, (box->top + box->bottom) / 2 - y);
        if (distance < letter_radius + point_radius)
            return false;
    }
    for (size_t i = 0; !may_cross && i < scene->n_lines; i++)
        if (distance(&scene->lines[i], x, y) < letter_radius)
            return false;
    return true;
}

static bool is_free_along(const struct scene *scene, const struct placed_name *name, bool may_cross)
{
    size_t n = text_columns(name->words);
    for (size_t i = 0; i < n; i++) {
        struct box box = letter_box(name, i);
        if (is_taken(scene, &box, scene->n_points) ||
            !is_letter_free(scene, box.left + letter_radius, box.top + letter_radius, may_cross))
            return false;
    }
    return true;
}

/* Above the line or else below it, and `below` pixels more; what rises is named from its beginning
 * on, what is flat from its end. */
static bool place_along(struct scene *scene, const struct segment *line, double below,
                        const char *words, bool may_cross, struct placed_name *ret)
{
    enum { BESIDE = 10, STEP = 6 };
    static const double END = 12;
    double run = line->to_x - line->x, rise = line->y - line->to_y;
    double room = hypot(run, rise) - 2 * END - words_width(words, PLOT_LABEL_COLUMNS);
    double angle = atan2(rise, run);
    ret->words = words;
    ret->anchor = "";
    ret->degrees = angle * 180 / acos(-1);
    for (int side = 1; side >= -1; side -= 2)
        for (int at = 0; at <= room; at += STEP) {
            double along = END + (rise > 0 ? at : room - at);
            ret->x = line->x + along * cos(angle) - side * BESIDE * sin(angle);
            ret->y = line->y + (side < 0 ? below : 0) - along * sin(angle) -
                     side * BESIDE * cos(angle);
            if (is_free_along(scene, ret, may_cross))
                return true;
        }
    return false;
}

static bool place_line_name(struct scene *scene, const struct plot_series *series,
                            struct placed_name *ret)
{
    struct segment line;
    if (series->kind != PLOT_LINE || !series->name || series->n != 2 ||
        !find_point(scene->frame, series, 0, &line.x, &line.y) ||
        !find_point(scene->frame, series, 1, &line.to_x, &line.to_y) || !(line.to_x > line.x))
        return false;
    *ret = (struct placed_name){.series = series};
    double below = series->y_below > 0 ? frame_y(scene->frame, series->y_below) - line.y : 0;
    for (int may_cross = 0; may_cross < 2; may_cross++)
        for (int is_short = 0; is_short < 2; is_short++) {
            const char *words = is_short ? series->short_name : series->name;
            if (!words || text_columns(words) > PLOT_LABEL_COLUMNS ||
                !place_along(scene, &line, below, words, may_cross, ret))
                continue;
            for (size_t i = 0; i < text_columns(words); i++)
                scene->boxes[scene->n_boxes++] = letter_box(ret, i);
            return true;
        }
    return false;
}

/* ---- names beside points ---- */

/* A place that is tried, and how bad it is. */
struct candidate {
    struct placed_name name;
    struct box box;
    double cost;
};

/* What is a nuisance and no collision: lines under the words, points of others near to them. */
static double nuisance(const struct scene *scene, const struct box *box, size_t own)
{
    enum { CROSSED = 3 };
    static const double NEAR = 3, INSIDE = 2;
    const struct box wide = {box->left - NEAR, box->right + NEAR, box->top, box->bottom};
    const struct box narrow = {box->left, box->right, box->top + INSIDE, box->bottom - INSIDE};
    double cost = 0;
    for (size_t i = 0; i < scene->n_points; i++)
        cost += i != own && overlap(&wide, &scene->boxes[i]) ? 0.5 : 0;
    for (size_t i = 0; i < scene->n_lines; i++)
        cost += crosses(&scene->lines[i], &narrow) ? CROSSED : 0;
    return cost;
}

static void keep_better(const struct scene *scene, size_t own, struct candidate *candidate,
                        struct candidate *best)
{
    if (candidate->cost >= best->cost || is_taken(scene, &candidate->box, 0))
        return;
    candidate->cost += nuisance(scene, &candidate->box, own);
    if (candidate->cost < best->cost)
        *best = *candidate;
}

/* Right, above, below, left, and the corners between. */
static void try_beside(const struct scene *scene, size_t own, double x, double y, double width,
                       struct candidate *best)
{
    static const struct {
        double x, y; /* widths and rows from the point */
        const char *anchor;
    } sides[] = {{0, 0, ""},
                 {0, -0.75, ""},
                 {0, 0.75, ""},
                 {-0.5, -0.95, "middle"},
                 {-0.5, 0.95, "middle"},
                 {-1, 0, "end"},
                 {-1, -0.75, "end"},
                 {-1, 0.75, "end"}};
    static const double GAP = 8, HALF_ROW = 6, APART = 2;
    for (size_t i = 0; i < sizeof sides / sizeof *sides; i++) {
        double at = x + GAP * (1 + 2 * sides[i].x), middle = y + sides[i].y * PLOT_ROW;
        double left = at + sides[i].x * width;
        struct candidate candidate = {
            .name = {.anchor = sides[i].anchor, .x = at, .y = middle},
            .box = {left - APART, left + width + APART, middle - HALF_ROW, middle + HALF_ROW},
            .cost = 0.1 * (double)i};
        keep_better(scene, own, &candidate, best);
    }
}

/* Does the way from a point to its name lead over something that is not the point? */
static bool is_blocked(const struct scene *scene, size_t own, const struct segment *leader)
{
    static const double SHORTEST = 6;
    for (size_t i = 0; i < scene->n_boxes; i++)
        if (i != own && crosses(leader, &scene->boxes[i]))
            return true;
    return hypot(leader->to_x - leader->x, leader->to_y - leader->y) < SHORTEST;
}

/* Farther away, with a line that leads to the point. */
static void try_around(const struct scene *scene, size_t own, double x, double y, double width,
                       struct candidate *best)
{
    enum { DIRECTIONS = 24, FIRST = 20, LAST = 120, STEP = 10 };
    static const double HALF_ROW = 6, APART = 2, EDGE = 4;
    for (int radius = FIRST; radius <= LAST; radius += STEP)
        for (int i = 0; i < DIRECTIONS; i++) {
            double angle = 2 * acos(-1) * i / (double)DIRECTIONS;
            double middle_x = x + (radius + width / 2) * cos(angle),
                   middle = y - radius * sin(angle);
            struct candidate candidate = {
                .name = {.anchor = "middle", .x = middle_x, .y = middle, .has_leader = true},
                .box = {middle_x - width / 2 - APART, middle_x + width / 2 + APART,
                        middle - HALF_ROW, middle + HALF_ROW},
                .cost = 1.2 + 0.04 * radius};
            struct segment leader = {x, y, fmin(fmax(x, candidate.box.left), candidate.box.right),
                                     fmin(fmax(y, candidate.box.top), candidate.box.bottom)};
            double length = hypot(leader.to_x - x, leader.to_y - y);
            if (is_blocked(scene, own, &leader))
                continue;
            candidate.name.from_x = x + EDGE * (leader.to_x - x) / length;
            candidate.name.from_y = y + EDGE * (leader.to_y - y) / length;
            candidate.name.to_x = leader.to_x;
            candidate.name.to_y = leader.to_y;
            keep_better(scene, own, &candidate, best);
        }
}

/* own: which of the points it is. */
static bool place_point_name(struct scene *scene, const struct plot_series *series, uint64_t i,
                             size_t own, struct placed_name *ret)
{
    struct candidate best = {.cost = INFINITY};
    double x = (scene->boxes[own].left + scene->boxes[own].right) / 2;
    double y = (scene->boxes[own].top + scene->boxes[own].bottom) / 2;
    if (!series->names[i])
        return false;
    double width = words_width(series->names[i], PLOT_LABEL_COLUMNS);
    try_beside(scene, own, x, y, width, &best);
    try_around(scene, own, x, y, width, &best);
    if (!isfinite(best.cost))
        return false;
    *ret = best.name;
    ret->words = series->names[i];
    ret->series = series;
    scene->boxes[scene->n_boxes++] = best.box;
    if (ret->has_leader)
        scene->lines[scene->n_lines++] = (struct segment){ret->from_x, ret->from_y, ret->to_x,
                                                          ret->to_y};
    return true;
}

/* ---- what bars say ---- */

/* Above the bar and its interval. */
static void place_above(const struct frame *frame, const struct plot_series *bars, uint64_t i,
                        struct placed_name *ret)
{
    static const double ABOVE = 9;
    double top = bars->y[i];
    for (size_t j = 0; j < frame->panel->n_series; j++) {
        const struct plot_series *series = &frame->panel->series[j];
        if (series->kind == PLOT_INTERVALS && i < series->n && isfinite(series->high[i]))
            top = fmax(top, series->high[i]);
    }
    for (size_t j = 0; j < frame->panel->n_series; j++) {
        const struct plot_series *series = &frame->panel->series[j];
        double below = i < series->n && series->kind == PLOT_POINTS
                           ? frame_y(frame, top) - frame_y(frame, series->y[i])
                           : NAN;
        if (below > -ABOVE && below < 3 * ABOVE) /* the name would hide it */
            top = series->y[i];
    }
    *ret = (struct placed_name){.words = bars->names[i],
                                .series = bars,
                                .anchor = "middle",
                                .x = frame_x(frame, (double)i),
                                .y = frame_y(frame, top) - ABOVE};
}

/* In the middle of cells, where there is room. */
static size_t place_cell_names(const struct frame *frame, const struct plot_series *cells,
                               struct placed_name *ret)
{
    double room = fabs(frame_x(frame, 1) - frame_x(frame, 0));
    size_t n = 0;
    for (uint64_t i = 0; i < cells->n; i++)
        if (cells->names && cells->names[i] && isfinite(cells->y[i]) &&
            words_width(cells->names[i], PLOT_LABEL_COLUMNS) <= room)
            ret[n++] = (struct placed_name){.words = cells->names[i],
                                            .series = cells,
                                            .anchor = "middle",
                                            .x = frame_x(frame, cells->x[i]),
                                            .y = frame_y(frame, cells->y[i])};
    return n;
}

/* All of them, so that none looks as if it had no value, or none. */
static size_t place_bar_names(const struct frame *frame, const struct plot_series *bars,
                              struct placed_name *ret)
{
    double room = (frame->right - frame->left) / (double)frame->panel->n_categories;
    size_t n = 0;
    for (uint64_t i = 0; i < bars->n; i++)
        if (bars->names[i] && words_width(bars->names[i], PLOT_LABEL_COLUMNS) > room)
            return 0;
    for (uint64_t i = 0; i < bars->n; i++)
        if (bars->names[i] && isfinite(bars->y[i]))
            place_above(frame, bars, i, &ret[n++]);
    return n;
}

/* ---- all of them ---- */

size_t frame_names(const struct frame *frame, struct arena *arena, struct placed_name **ret)
{
    const struct plot_panel *panel = frame->panel;
    size_t n_values = 0, n_letters = 0, most = 0, n_names = 0;
    for (size_t i = 0; i < panel->n_series; i++) {
        const struct plot_series *series = &panel->series[i];
        most += series->name ? 1 : series->names ? series->n : 0;
        n_letters += series->name ? PLOT_LABEL_COLUMNS : 0;
        n_values += series->kind == PLOT_BARS || series->kind == PLOT_INTERVALS ? 0 : series->n;
    }
    *ret = ARENA_ARRAY(arena, struct placed_name, most + 1);
    if (most == 0)
        return 0;
    struct scene scene = {.frame = frame,
                          .boxes = ARENA_ARRAY(arena, struct box, n_values + n_letters + most),
                          .lines = ARENA_ARRAY(arena, struct segment, n_values + most)};
    for (int pass = 0; pass < 2; pass++) { /* the points are first */
        for (size_t i = 0; i < panel->n_series; i++)
            if (panel->series[i].x && (panel->series[i].kind == PLOT_POINTS) == (pass == 0))
                add_series(&scene, &panel->series[i]);
        scene.n_points = pass == 0 ? scene.n_boxes : scene.n_points;
    }
    for (size_t i = 0; i < panel->n_series; i++)
        n_names += place_line_name(&scene, &panel->series[i], &(*ret)[n_names]);
    size_t own = 0;
    for (size_t i = 0; i < panel->n_series; i++) {
        const struct plot_series *series = &panel->series[i];
        double x, y;
        if (series->kind == PLOT_BARS && series->names && frame->panel->n_categories > 0)
            n_names += place_bar_names(frame, series, &(*ret)[n_names]);
        if (series->kind == PLOT_CELLS)
            n_names += place_cell_names(frame, series, &(*ret)[n_names]);
        for (uint64_t j = 0; series->kind == PLOT_POINTS && j < series->n; j++) {
            if (!find_point(frame, series, j, &x, &y))
                continue;
            n_names += series->names && place_point_name(&scene, series, j, own, &(*ret)[n_names]);
            own++;
        }
    }
    return n_names;
}
