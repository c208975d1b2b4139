/* view_lists.c - which columns an export has: of cases and of samples. */
#include "core/base/members.h"
#include "core/view/view_writers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

bool column_is_words(const struct view *view, const struct view_column *column)
{
    if (column->kind == COLUMN_RESULT)
        return result_column_is_text((size_t)column->result);
    return column->kind != COLUMN_METRIC && !survey_of(&view->survey, NULL, column->name).is_number;
}

const char *view_head_with_unit(struct view *view, const struct view_column *column)
{
    const char *unit = column->kind == COLUMN_RESULT ? result_column_unit((size_t)column->result)
                                                     : column->unit;
    const char *name = view_column_title(column);
    size_t length = strlen(name);
    if (column->title)
        return column->title;
    if (text_equal(unit, "ns") && text_ends_with(name, "_ns"))
        length -= 3;
    return *unit ? arena_printf(&view->arena, "%.*s (%s)", (int)length, name, unit)
                 : arena_text(&view->arena, name);
}

static const struct help_entry sample_columns[] = {
    {"sample", "", "Number of the sample in its case, from 0"},
    {"time_ns", "ns", "Time of one iteration on the clock that counts"},
    {"CLOCK_ns", "ns", "The same for each clock that was read, such as wall_ns or kernel_ns"},
    {"elapsed_ns", "ns", "Wall time from the start of the first sample to the end of this one"},
    {"iterations", "", "Runs of the code in the sample"},
    {"clock_hz", "Hz", "Clock rate of the device around the sample; 0 if not known"},
    {"throttle", "", "Why the device was throttled, as its own bits; 0: it was not"},
    {"flags", "", "1: the device was throttled; 2: the sample was disturbed from outside; 3: both"},
};

bool sample_column_help(size_t i, struct help_entry *ret)
{
    const size_t n = sizeof sample_columns / sizeof *sample_columns;
    if (i < n)
        *ret = sample_columns[i];
    return i < n;
}

/* Clocks first, then what is known of each sample. */
static int column_rank(const char *name)
{
    static const char *const last[] = {"elapsed", "iterations", "clock_hz", "throttle", "flags"};
    return text_choice(WORDS_OF(last, 5), name) + 1;
}

ORDER_BY(compare_columns, char *const, column_rank(*x) - column_rank(*y), strcmp(*x, *y))

void sample_column_head(const char *name, struct text *out)
{
    text_printf(out, "%s%s", name, column_rank(name) <= 1 ? "_ns" : "");
}

double sample_missing(const struct view_row *row, const char *name)
{
    if (text_equal(name, "iterations"))
        return (double)row->c.record.iterations;
    return sample_gap(name);
}

int32_t sample_columns_of(struct view *view, const char ***ret, size_t *ret_n,
                          struct gb_error *error)
{
    enum { COLUMNS_MAX = 64 };
    const char **names = ARENA_ARRAY(&view->arena, const char *, COLUMNS_MAX);
    size_t n = 0;
    for (size_t i = 0; i < view->n_entries; i++) {
        CLEANUP(arena_free) struct arena arena = {0};
        const char **more = NULL;
        size_t n_more = 0;
        int32_t status = store_column_names(view->store, view->entries[i].row->c.id, &arena, &more,
                                            &n_more, error);
        if (status != GB_OK)
            return status;
        for (size_t j = 0; j < n_more; j++) {
            if (n < COLUMNS_MAX && !text_is_among(names, n, more[j]))
                names[n++] = arena_text(&view->arena, more[j]);
        }
    }
    if (n)
        qsort(names, n, sizeof *names, compare_columns);
    *ret = names;
    *ret_n = n;
    return GB_OK;
}

int32_t view_read_samples(struct view *view, const struct view_row *row, const char *const *names,
                          size_t n_names, uint64_t first, uint64_t n, double *values,
                          struct gb_error *error)
{
    int32_t status = store_samples_read(view->store, row->c.id, row->c.record.clock, first, n,
                                        values, error);
    for (size_t i = 0; status == GB_OK && i < n_names; i++) {
        double *column = values + (i + 1) * STORE_CHUNK;
        double missing = sample_missing(row, names[i]);
        status = store_samples_read(view->store, row->c.id, names[i], first, n, column, error);
        for (uint64_t j = 0; !isnan(missing) && j < n; j++)
            if (isnan(column[j]))
                column[j] = missing;
    }
    return status;
}

int32_t view_round_samples(struct view *view, const struct view_row *rounds, size_t n_rounds,
                           const char *column, struct arena *arena, double **ret, size_t *ret_n,
                           struct gb_error *error)
{
    CLEANUP(arena_free) struct arena own = {0};
    double *values = ARENA_ARRAY(&own, double, 2 * STORE_CHUNK);
    int32_t status = GB_OK;
    uint64_t n = 0;
    for (size_t i = 0; i < n_rounds; i++)
        n += rounds[i].c.record.n_samples;
    *ret = ARENA_ARRAY(arena, double, n + 1);
    *ret_n = 0;
    for (size_t i = 0; i < n_rounds; i++)
        for (uint64_t first = 0; first < rounds[i].c.record.n_samples && status == GB_OK;
             first += STORE_CHUNK) {
            uint64_t left = rounds[i].c.record.n_samples - first;
            uint64_t more = left < STORE_CHUNK ? left : STORE_CHUNK;
            status = view_read_samples(view, &rounds[i], &column, column != NULL, first, more,
                                       values, error);
            for (uint64_t j = 0; status == GB_OK && j < more; j++)
                (*ret)[(*ret_n)++] = values[(column ? STORE_CHUNK : 0) + j];
        }
    return status;
}
