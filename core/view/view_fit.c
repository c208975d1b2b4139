/* view_fit.c - see view_fit.h. */
#include "core/view/view_fit.h"

#include <stdlib.h>
#include <string.h>

enum { GAP = 2 };

void case_table_column(struct case_table *table, const char *head, bool right, size_t rank)
{
    size_t i = table->table.n_columns;
    table->ranks = memory_resize(table->ranks, (i + 1) * sizeof *table->ranks);
    table->ranks[i] = rank;
    table_column(&table->table, head, right);
}

void case_table_remove(struct case_table *table, size_t i)
{
    table_remove_column(&table->table, i);
    memmove(table->ranks + i, table->ranks + i + 1,
            (table->table.n_columns - i) * sizeof *table->ranks);
    if (i < table->first_option)
        table->first_option--;
    else if (i < table->first_option + table->n_options)
        table->n_options--;
}

void case_table_free(struct case_table *table)
{
    table_free(&table->table);
    free(table->ranks);
}

void leave_out(struct left_out *left_out, const char *name, struct arena *arena)
{
    for (size_t i = 0; i < left_out->n; i++)
        if (text_equal(left_out->names[i], name))
            return;
    ARENA_APPEND(arena, left_out->names, left_out->n, arena_text(arena, name));
}

void case_table_remove_blank(struct case_table *table)
{
    for (size_t i = table->table.n_columns; i-- > 0;) {
        bool is_blank = table->ranks[i] != NEVER;
        for (size_t row = 0; is_blank && row < table->table.n_rows; row++)
            is_blank = !*table_cell_at(&table->table, row, i);
        if (is_blank)
            case_table_remove(table, i);
    }
}

/* A table being fitted: widths that its columns have, and are to be cut to. */
struct fit {
    struct case_table *table;
    size_t width;
    size_t *widths, *cells; /* by column; cells: the widest, without the head */
};

static void measure(struct fit *fit)
{
    const struct table *table = &fit->table->table;
    for (size_t i = 0; i < table->n_columns; i++) {
        fit->cells[i] = 0;
        for (size_t row = 0; row < table->n_rows; row++) {
            const size_t columns = text_columns(table_cell_at(table, row, i));
            fit->cells[i] = columns > fit->cells[i] ? columns : fit->cells[i];
        }
        const size_t head = text_columns(table->heads[i]);
        fit->widths[i] = fit->cells[i] > head ? fit->cells[i] : head;
    }
}

/* Are the columns up to the rank too wide? */
static bool is_too_wide(const struct fit *fit, size_t rank)
{
    size_t used = 0;
    for (size_t i = 0; i < fit->table->table.n_columns; i++)
        used += fit->table->ranks[i] <= rank ? fit->widths[i] + GAP : 0;
    return used > fit->width + GAP;
}

static void shorten_checks(struct fit *fit)
{
    for (size_t i = 0; i < fit->table->table.n_columns; i++)
        if (fit->table->ranks[i] == RANK_CHECK)
            table_keep_first_word(&fit->table->table, i);
    measure(fit);
}

static bool may_be_cut(const struct fit *fit, size_t i, size_t rank, bool is_number)
{
    return fit->table->table.right[i] == is_number && fit->table->ranks[i] <= rank &&
           (!is_number || fit->widths[i] > fit->cells[i]);
}

/* Words, or heads of numbers that are wider than these: the widest first, each down to `least`. */
static void cut(struct fit *fit, bool is_number, size_t rank, size_t least)
{
    while (is_too_wide(fit, rank)) {
        size_t widest = 0, most = least;
        for (size_t i = 0; i < fit->table->table.n_columns; i++)
            if (fit->widths[i] > most && may_be_cut(fit, i, rank, is_number)) {
                widest = i;
                most = fit->widths[i];
            }
        if (most == least)
            return;
        fit->widths[widest]--;
    }
}

/* Finds widths with which the columns up to the rank have room, if there are such. */
static void make_room(struct fit *fit, size_t rank)
{
    enum { HEAD_LEAST = 8, NAME_LEAST = 12, LEAST_OF_ALL = 5 };
    if (is_too_wide(fit, rank))
        shorten_checks(fit);
    cut(fit, false, rank, NAME_LEAST);
    cut(fit, true, rank, HEAD_LEAST);
    cut(fit, false, NEVER, LEAST_OF_ALL);
    cut(fit, true, NEVER, LEAST_OF_ALL);
}

/* Of the columns that may go, in the order of their ranks, those stay that there is room for. */
static void choose_columns(struct fit *fit, struct left_out *left_out, struct arena *arena)
{
    struct case_table *table = fit->table;
    size_t n = table->table.n_columns, used = 0, last_rank = 0;
    bool *stays = ARENA_ARRAY(arena, bool, n + 1);
    for (size_t i = 0; i < n; i++) {
        stays[i] = table->ranks[i] == NEVER;
        used += stays[i] ? fit->widths[i] + GAP : 0;
        last_rank = table->ranks[i] > last_rank ? table->ranks[i] : last_rank;
    }
    for (size_t rank = NEVER + 1; rank <= last_rank; rank++)
        for (size_t i = 0; i < n; i++)
            if (table->ranks[i] == rank && used + fit->widths[i] <= fit->width) {
                stays[i] = true;
                used += fit->widths[i] + GAP;
            }
    for (size_t i = 0; i < n; i++)
        if (!stays[i])
            leave_out(left_out, table->table.heads[i], arena);
    for (size_t i = n; i-- > 0;)
        if (!stays[i])
            case_table_remove(table, i);
}

void case_table_fit(struct case_table *table, size_t width, struct left_out *left_out,
                    struct arena *arena)
{
    const size_t n = table->table.n_columns + 1;
    struct fit fit = {.table = table,
                      .width = width,
                      .widths = ARENA_ARRAY(arena, size_t, n),
                      .cells = ARENA_ARRAY(arena, size_t, n)};
    measure(&fit);
    make_room(&fit, RANK_CHECK);
    choose_columns(&fit, left_out, arena);
    for (;;) { /* only what stays is cut, and only as far as it has to be */
        measure(&fit);
        make_room(&fit, SIZE_MAX);
        if (table->n_options == 0 || !is_too_wide(&fit, SIZE_MAX))
            break;
        const size_t last = table->first_option + table->n_options - 1;
        leave_out(left_out, table->table.heads[last], arena);
        case_table_remove(table, last);
    }
    for (size_t i = 0; i < table->table.n_columns; i++)
        table_cut_column(&table->table, i, fit.widths[i]);
}
