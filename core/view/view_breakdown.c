/* view_breakdown.c - what a case puts on the device: its kernels, copies and fills, and how long
 * each takes. */
#include "core/view/view_writers.h"

#include <math.h>

/* Which columns a table has beside number and name. */
enum { PART_TIMES = 1, PART_LAUNCH = 2 };

struct breakdown {
    const struct gb_activity *items;
    size_t n;
    bool is_timed, has_parallel;
    double time_ns, gap_ns; /* sums of those that are known */
};

/* The times of a parallel section are those of its first activity. */
static bool is_counted(const struct breakdown *breakdown, size_t i)
{
    const uint32_t section = breakdown->items[i].parallel;
    for (size_t j = 0; section && j < i; j++)
        if (breakdown->items[j].parallel == section)
            return false;
    return true;
}

static double known(double value)
{
    return isnan(value) ? 0 : value;
}

static struct breakdown breakdown_of(const struct case_record *record)
{
    struct breakdown ret = {.items = record->activities, .n = record->n_activities};
    for (size_t i = 0; i < ret.n; i++) {
        ret.is_timed |= !isnan(ret.items[i].time_ns);
        ret.has_parallel |= ret.items[i].parallel > 0;
        if (is_counted(&ret, i)) {
            ret.time_ns += known(ret.items[i].time_ns);
            ret.gap_ns += known(ret.items[i].gap_ns);
        }
    }
    return ret;
}

static void time_cell(struct table *table, double ns)
{
    table_cell(table, isnan(ns) ? "" : TIME_TEXT(ns, 4));
}

static void share_cell(struct table *table, const struct breakdown *breakdown, double ns)
{
    const double share = ns / (breakdown->time_ns + breakdown->gap_ns);
    if (isfinite(share))
        table_cell_printf(table, "%.1f %%", 100 * share);
    else
        table_cell(table, "");
}

static void add_times(struct table *table, const struct breakdown *breakdown, size_t i)
{
    const struct gb_activity *activity = &breakdown->items[i];
    const bool is_known = is_counted(breakdown, i) && !isnan(activity->time_ns);
    time_cell(table, is_known ? activity->time_ns : NAN);
    struct text *interval = table_words(table);
    if (is_known)
        text_add_interval(interval, activity->time_ns, activity->low_ns, activity->high_ns);
    share_cell(table, breakdown, is_known ? activity->time_ns : NAN);
    time_cell(table, is_known ? activity->gap_ns : NAN);
}

static void add_launch(struct table *table, const struct gb_activity *activity)
{
    if (activity->kind != GB_ACTIVITY_KERNEL) {
        for (int i = 0; i < 4; i++)
            table_cell(table, "");
        return;
    }
    struct text *extents = table_words(table);
    extent_text(activity->grid, extents);
    text_add(extents, " x ");
    extent_text(activity->block, extents);
    table_cell_printf(table, "%u", activity->registers);
    table_cell(table, BYTES_TEXT((double)activity->shared_bytes));
    if (isnan(activity->occupancy))
        table_cell(table, "");
    else
        table_cell_printf(table, "%.0f %%", 100 * activity->occupancy);
}

static void add_name(struct table *table, const struct gb_activity *activity, size_t most)
{
    CLEANUP(text_free) struct text name = {0};
    text_add_line(&name, activity->name);
    if (activity->bytes > 0)
        text_printf(&name, ", %s", BYTES_TEXT((double)activity->bytes));
    text_add_cut(table_words(table), text_get(&name), most);
}

/* A line that is no activity's. */
static void add_sum(struct table *table, const struct breakdown *breakdown, const char *name,
                    double ns)
{
    table_row(table);
    table_cell(table, "");
    table_cell(table, name);
    time_cell(table, ns);
    table_cell(table, "");
    share_cell(table, breakdown, ns);
}

/* Names take `most` columns at most. */
static struct table make_table(const struct breakdown *breakdown, int parts, size_t most)
{
    static const char *const heads[][4] = {{"time", "interval", "share", "gap before"},
                                           {"grid x block", "registers", "shared", "occupancy"}};
    struct table table = {0};
    table_columns(&table, ">#|activity");
    for (int part = 0; part < 2; part++)
        for (int i = 0; (parts >> part & 1) && i < 4; i++)
            table_column(&table, heads[part][i], true);
    for (size_t i = 0; i < breakdown->n; i++) {
        const struct gb_activity *activity = &breakdown->items[i];
        table_row(&table);
        table_cell_printf(&table, "%zu%s", i + 1,
                          activity->parallel        ? "|"
                          : breakdown->has_parallel ? " "
                                                    : "");
        add_name(&table, activity, most);
        if (parts & PART_TIMES)
            add_times(&table, breakdown, i);
        if (parts & PART_LAUNCH)
            add_launch(&table, activity);
    }
    if (parts & PART_TIMES) {
        add_sum(&table, breakdown, "gaps", breakdown->gap_ns);
        add_sum(&table, breakdown, "sum", breakdown->time_ns + breakdown->gap_ns);
    }
    return table;
}

/* What names may take beside the other columns. */
static size_t room_for_names(const struct breakdown *breakdown, int parts, size_t width)
{
    enum { GAP = 2, NAME_COLUMN = 1 };
    CLEANUP(table_free) struct table table = make_table(breakdown, parts, 1);
    size_t used = 0;
    for (size_t i = 0; i < table.n_columns; i++)
        if (i != NAME_COLUMN)
            used += table_column_width(&table, i, TABLE_PLAIN) + GAP;
    return used < width ? width - used : 0;
}

/* All columns side by side if the names are left enough room, else the launches as a table of their
 * own. */
static void write_tables(const struct view *view, const struct breakdown *breakdown,
                         struct text *out)
{
    enum { NAME_WANTED = 24, NAME_LEAST = 12 };
    const int style = table_style(view->options->format);
    const size_t width = style == TABLE_PLAIN ? view_width(view) : SIZE_MAX;
    int parts = breakdown->is_timed ? PART_TIMES | PART_LAUNCH : PART_LAUNCH;
    const bool is_split = breakdown->is_timed &&
                          room_for_names(breakdown, parts, width) < NAME_WANTED;
    for (int part = PART_TIMES; part <= PART_LAUNCH; part *= 2) {
        const int now = is_split ? part : parts;
        const size_t room = room_for_names(breakdown, now, width);
        CLEANUP(table_free)
        struct table table = make_table(breakdown, now, room < NAME_LEAST ? NAME_LEAST : room);
        table_write(&table, style, out);
        if (!is_split)
            return;
        text_add(out, part == PART_TIMES ? "\n" : "");
    }
}

/* "a sample takes 27.60 us (median), 18.10 us more than the sum" */
static void add_sum_words(const struct breakdown *breakdown, const struct stored_case *c,
                          struct text *out)
{
    static const double least_ratio = 0.02;
    const double sample_ns = central_ns(c) * (double)c->record.iterations;
    const double rest_ns = sample_ns - breakdown->time_ns - breakdown->gap_ns;
    if (isnan(sample_ns))
        return;
    text_printf(out, "a sample takes %s (median)", TIME_TEXT(sample_ns, 4));
    if (rest_ns > least_ratio * sample_ns) {
        text_printf(out, ", %s more than the sum", TIME_TEXT(rest_ns, 4));
        if (!text_equal(launched_word(c), launch_word(GB_LAUNCH_GRAPH)))
            text_add(out, ": launch = graph would save about that");
    }
    text_add(out, "\n");
}

static void write_words(const struct view *view, const struct breakdown *breakdown,
                        const struct stored_case *c, struct text *out)
{
    CLEANUP(text_free) struct text words = {0};
    if (view->options->format == FORMAT_MARKDOWN)
        text_add(out, "\n");
    if (breakdown->has_parallel)
        text_add(
            out,
            "| runs in parallel with the others of its section, whose time is the first one's\n");
    if (breakdown->is_timed)
        add_sum_words(breakdown, c, &words);
    else
        text_add(&words, "not timed: gbrun run --breakdown, or breakdown = yes, times each\n");
    text_add_wrapped(out, text_get(&words), 0, 2, view_width(view));
}

static void show_case(const struct view *view, const struct view_row *row, struct text *out)
{
    const struct breakdown breakdown = breakdown_of(&row->c.record);
    text_add(out, "\nbreakdown of ");
    text_add_line(out, row->label);
    if (!breakdown.n) {
        text_add(out, row->c.record.has_activities ? ": nothing runs on the device\n"
                                                   : ": its kernels are not known\n");
        return;
    }
    text_add(out, ", one sample");
    if (row->c.record.iterations > 1)
        text_printf(out, " of %llu iterations", (unsigned long long)row->c.record.iterations);
    text_add(out, view->options->format == FORMAT_MARKDOWN ? "\n\n" : "\n");
    write_tables(view, &breakdown, out);
    write_words(view, &breakdown, &row->c, out);
}

void breakdown_show(struct view *view, struct text *out)
{
    size_t n = 0;
    struct group *groups = group_rounds(view, view->survey.last_round > 0, &n);
    for (size_t i = 0; i < n; i++) {
        CLEANUP(arena_free) struct arena arena = {0};
        const struct view_row *rows = view_group_rows(view, &groups[i], &arena);
        size_t first = 0; /* the first round that has them */
        while (first + 1 < groups[i].n && !rows[first].c.record.has_activities)
            first++;
        show_case(view, &rows[first], out);
    }
}
