/* space.c - see space.h. */
#include "core/search/space.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The values of an axis by id, which is the order they came in; `sorted` has the ids in order of
 * numbers, words after them, by their bytes. */
struct values {
    const char **texts;
    double *numbers; /* NaN: a word */
    uint32_t *sorted;
    size_t n, n_words;
};

struct space {
    struct arena arena;
    size_t n_axes;
    const char **names;
    struct values *values;
    uint32_t *ids; /* of the cases while it is built, n_axes each */
    uint64_t n;
    /* when it is finished */
    struct gb_search_axis *axes;
    const struct gb_search_axis **list;
    uint64_t *points; /* of the product, by case */
    uint32_t *order;  /* cases by their points */
};

struct space *space_new(const char *const *names, size_t n_axes)
{
    struct space *space = memory_allocate(sizeof *space);
    space->n_axes = n_axes;
    space->names = ARENA_ARRAY(&space->arena, const char *, n_axes);
    space->values = ARENA_ARRAY(&space->arena, struct values, n_axes);
    for (size_t i = 0; i < n_axes; i++)
        space->names[i] = arena_text(&space->arena, names[i]);
    return space;
}

static double number_of(const char *text)
{
    char *end;
    double number = strtod(text, &end);
    return end == text || *end || !isfinite(number) ? NAN : number;
}

/* Numbers before words; equal numbers by how they are written: 1 and 1.0. */
static int compare_values(double a, const char *a_text, double b, const char *b_text)
{
    if (isnan(a) != isnan(b))
        return isnan(a) ? 1 : -1;
    if (!isnan(a) && a != b)
        return a < b ? -1 : 1;
    return strcmp(a_text, b_text);
}

static uint32_t intern(struct space *space, struct values *values, const char *text)
{
    const double number = number_of(text);
    size_t low = 0, high = values->n;
    while (low < high) {
        size_t middle = high == values->n && high > 0 ? high - 1 : low + (high - low) / 2;
        uint32_t id = values->sorted[middle];
        int order = compare_values(number, text, values->numbers[id], values->texts[id]);
        if (order == 0)
            return id;
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    const size_t n = values->n;
    values->texts = memory_grow(values->texts, n, sizeof *values->texts);
    values->numbers = memory_grow(values->numbers, n, sizeof *values->numbers);
    values->sorted = memory_grow(values->sorted, n, sizeof *values->sorted);
    memmove(values->sorted + low + 1, values->sorted + low, (n - low) * sizeof *values->sorted);
    values->sorted[low] = (uint32_t)n;
    values->texts[n] = arena_text(&space->arena, text);
    values->numbers[n] = number;
    values->n_words += isnan(number) ? 1 : 0;
    values->n++;
    return (uint32_t)n;
}

void space_add(struct space *space, const char *const *texts)
{
    for (size_t axis = 0; axis < space->n_axes; axis++) {
        const uint32_t id = intern(space, &space->values[axis], texts[axis]);
        const size_t n = (size_t)space->n * space->n_axes + axis;
        space->ids = memory_grow(space->ids, n, sizeof *space->ids);
        space->ids[n] = id;
    }
    space->n++;
}

/* Are its values distinct numbers? */
static bool has_numbers(const struct values *values)
{
    bool is_distinct = values->n_words == 0;
    for (size_t i = 1; i < values->n && is_distinct; i++)
        is_distinct = values->numbers[values->sorted[i - 1]] < values->numbers[values->sorted[i]];
    return is_distinct;
}

/* The axis as searches see it; *ret_ranks: the index of each id. */
static void finish_axis(struct space *space, size_t i, uint32_t **ret_ranks)
{
    const struct values *values = &space->values[i];
    const bool is_ordered = has_numbers(values);
    const char **texts = ARENA_ARRAY(&space->arena, const char *, values->n);
    double *numbers = is_ordered ? ARENA_ARRAY(&space->arena, double, values->n) : NULL;
    uint32_t *ranks = memory_allocate((values->n + 1) * sizeof *ranks);
    for (uint32_t rank = 0; rank < values->n; rank++) {
        uint32_t id = is_ordered ? values->sorted[rank] : rank;
        ranks[id] = rank;
        texts[rank] = values->texts[id];
        if (numbers)
            numbers[rank] = values->numbers[id];
    }
    space->axes[i] = (struct gb_search_axis){.size = sizeof space->axes[i],
                                             .kind = is_ordered ? GB_AXIS_NUMBERS : GB_AXIS_WORDS,
                                             .n = (uint32_t)values->n,
                                             .name = space->names[i],
                                             .texts = texts,
                                             .numbers = numbers};
    space->list[i] = &space->axes[i];
    *ret_ranks = ranks;
}

/* Adds the axis to the number of each case's point. */
static int32_t add_axis(struct space *space, size_t i, uint64_t *n_points, struct gb_error *error)
{
    CLEANUP(free_pointer) uint32_t *ranks = NULL;
    finish_axis(space, i, &ranks);
    const uint64_t n = space->axes[i].n;
    if (n > INT64_MAX / *n_points) /* NOLINT(clang-analyzer-core.DivideZero): an axis has values */
        return error_set(error, GB_UNSUPPORTED,
                         "the axes of the space have more than 2^63 combinations: leave out axes "
                         "that do not matter");
    *n_points *= n;
    for (uint64_t j = 0; j < space->n; j++)
        space->points[j] = space->points[j] * n + ranks[space->ids[j * space->n_axes + i]];
    return GB_OK;
}

static int compare_points(const void *a, const void *b, void *context)
{
    const uint64_t *points = context;
    const uint64_t first = points[*(const uint32_t *)a], second = points[*(const uint32_t *)b];
    return (first > second) - (first < second);
}

/* "tile_m=32 tile_n=64", appended. */
static void label_of(const struct space *space, uint64_t i, struct text *out)
{
    CLEANUP(free_pointer) uint32_t *indices = memory_allocate(space->n_axes * sizeof *indices);
    space_place(space, i, indices);
    for (size_t axis = 0; axis < space->n_axes; axis++)
        text_printf(out, "%s%s=%s", axis ? " " : "", space->axes[axis].name,
                    space->axes[axis].texts[indices[axis]]);
}

static int32_t sort_cases(struct space *space, struct gb_error *error)
{
    space->order = memory_allocate((size_t)space->n * sizeof *space->order);
    for (uint64_t i = 0; i < space->n; i++)
        space->order[i] = (uint32_t)i;
    qsort_r(space->order, (size_t)space->n, sizeof *space->order, compare_points, space->points);
    for (uint64_t i = 1; i < space->n; i++) {
        const uint32_t a = space->order[i - 1], b = space->order[i];
        CLEANUP(text_free) struct text label = {0};
        if (space->points[a] != space->points[b])
            continue;
        label_of(space, a, &label);
        return error_set(error, GB_INVALID, "cases %u and %u of the space are the same: %s", a, b,
                         text_get(&label));
    }
    return GB_OK;
}

int32_t space_finish(struct space *space, struct gb_error *error)
{
    if (space->n == 0 || space->n > UINT32_MAX)
        return error_set(error, GB_INVALID, "the space has %llu cases: expected 1 to 2^32 - 1",
                         (unsigned long long)space->n);
    uint64_t n_points = 1;
    int32_t status = GB_OK;
    space->axes = ARENA_ARRAY(&space->arena, struct gb_search_axis, space->n_axes);
    space->list = ARENA_ARRAY(&space->arena, const struct gb_search_axis *, space->n_axes);
    space->points = memory_allocate((size_t)space->n * sizeof *space->points);
    for (size_t i = 0; i < space->n_axes && status == GB_OK; i++)
        status = add_axis(space, i, &n_points, error);
    free(space->ids);
    space->ids = NULL;
    return status == GB_OK ? sort_cases(space, error) : status;
}

uint64_t space_size(const struct space *space)
{
    return space->n;
}

size_t space_axes(const struct space *space)
{
    return space->n_axes;
}

const struct gb_search_axis *const *space_axis_list(const struct space *space)
{
    return space->list;
}

int32_t space_place(const struct space *space, uint64_t i, uint32_t *ret_indices)
{
    if (i >= space->n)
        return GB_INVALID;
    uint64_t point = space->points[i];
    for (size_t axis = space->n_axes; axis-- > 0;) {
        ret_indices[axis] = (uint32_t)(point % space->axes[axis].n);
        point /= space->axes[axis].n;
    }
    return GB_OK;
}

uint64_t space_find(const struct space *space, const uint32_t *indices)
{
    uint64_t point = 0, low = 0, high = space->n;
    for (size_t axis = 0; axis < space->n_axes; axis++) {
        if (indices[axis] >= space->axes[axis].n)
            return GB_NO_CASE;
        point = point * space->axes[axis].n + indices[axis];
    }
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (space->points[space->order[middle]] < point)
            low = middle + 1;
        else
            high = middle;
    }
    return low < space->n && space->points[space->order[low]] == point ? space->order[low]
                                                                       : GB_NO_CASE;
}

void space_free(struct space *space)
{
    if (!space)
        return;
    for (size_t i = 0; i < space->n_axes; i++) {
        free(space->values[i].texts);
        free(space->values[i].numbers);
        free(space->values[i].sorted);
    }
    free(space->ids);
    free(space->points);
    free(space->order);
    arena_free(&space->arena);
    free(space);
}
