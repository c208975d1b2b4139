/* view_rounds.c - the rounds of a case as one. Floor 4. */
#include "core/view_internal.h"

#include <math.h>
#include <stdlib.h>

struct ordered_entry {
    struct view_entry entry;
    size_t group; /* index of the first entry of the case */
};

static int compare_ordered(const void *a, const void *b)
{
    const struct ordered_entry *x = a, *y = b;
    if (x->group != y->group)
        return x->group < y->group ? -1 : 1;
    return (x->entry.round > y->entry.round) - (x->entry.round < y->entry.round);
}

/* The index of the first entry with the same place, through a table of slots (their number is a
 * power of 2) that hold an index + 1. */
static size_t first_of_place(const struct view_entry *entries, size_t i, size_t *slots,
                             size_t n_slots)
{
    size_t slot = (size_t)entries[i].place & (n_slots - 1);
    for (; slots[slot]; slot = (slot + 1) & (n_slots - 1))
        if (entries[slots[slot] - 1].place == entries[i].place)
            return slots[slot] - 1;
    slots[slot] = i + 1;
    return i;
}

struct group *group_rounds(struct view *view, bool combine, size_t *ret_n)
{
    size_t n = view->n_entries, n_slots = 16, n_groups = 0;
    while (n_slots < 2 * n)
        n_slots *= 2;
    size_t *slots = memory_allocate(n_slots * sizeof *slots);
    struct ordered_entry *ordered = memory_allocate(n * sizeof *ordered);
    struct group *groups = memory_allocate(n * sizeof *groups);
    for (size_t i = 0; i < n; i++) {
        size_t first = combine ? first_of_place(view->entries, i, slots, n_slots) : i;
        ordered[i] = (struct ordered_entry){view->entries[i], first};
    }
    qsort(ordered, n, sizeof *ordered, compare_ordered);
    for (size_t i = 0; i < n; i++) {
        view->entries[i] = ordered[i].entry;
        if (i && ordered[i].group == ordered[i - 1].group)
            groups[n_groups - 1].n++;
        else
            groups[n_groups++] = (struct group){i, 1};
    }
    free(slots);
    free(ordered);
    *ret_n = n_groups;
    return groups;
}

double median_of_known(double *values, size_t n)
{
    size_t kept = 0;
    for (size_t i = 0; i < n; i++)
        if (!isnan(values[i]))
            values[kept++] = values[i];
    sort_values(values, kept);
    return quantile_of_sorted(values, kept, 0.5);
}

struct shown combine_rounds(const struct view_row *rows, size_t n, struct arena *arena)
{
    struct shown shown = {.row = rows,
                          .n_rounds = n,
                          .low_ns = INFINITY,
                          .high_ns = -INFINITY,
                          .statistic = rows->c.record.estimate.statistic};
    double *times = ARENA_ARRAY(arena, double, n), *spreads = ARENA_ARRAY(arena, double, n);
    for (size_t i = 0; i < n; i++) {
        const struct stored_case *c = &rows[i].c;
        const struct gb_estimate *estimate = &c->record.estimate;
        times[i] = central_ns(c);
        spreads[i] = spread_of(c);
        shown.n_samples += c->record.n_samples;
        shown.has_modes |= estimate->n_modes > 1;
        if (c->record.status != CASE_OK && !shown.worst)
            shown.worst = &rows[i];
        if (!shown.checked || verified_of(c) > verified_of(&shown.checked->c))
            shown.checked = &rows[i];
        if (!c->record.has_estimate || isnan(estimate->low_ns) || isnan(estimate->high_ns))
            continue;
        shown.has_interval = true;
        shown.low_ns = fmin(shown.low_ns, estimate->low_ns);
        shown.high_ns = fmax(shown.high_ns, estimate->high_ns);
    }
    shown.central_ns = median_of_known(times, n);
    shown.spread = median_of_known(spreads, n);
    return shown;
}
