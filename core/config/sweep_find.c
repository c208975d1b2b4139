/* sweep_find.c - which points of the product of a benchmark's axes are cases. */
#include "core/config/sweep_internal.h"

#include <inttypes.h>
#include <stdlib.h>

enum { SCRATCH_BYTES = 1 << 16 }; /* used by cases that are tested before it is given back */

/* An expression or a template and how many cases it failed for. */
struct trouble {
    uint64_t n;
    struct gb_error first;
};

struct finder {
    struct sweep_bench *bench;
    struct arena arena;       /* of the case at hand */
    struct trouble *troubles; /* of formulas, then of filters, then of templates */
};

static void note_trouble(struct finder *finder, size_t which, uint64_t point, const char *what,
                         struct gb_error *error)
{
    struct trouble *trouble = &finder->troubles[which];
    if (trouble->n++ > 0)
        return;
    sweep_name_case(finder->bench, point, what, error);
    trouble->first = *error;
}

static void note_key_trouble(struct finder *finder, size_t which, uint64_t point,
                             const struct key *key, struct gb_error *error)
{
    error->origin = key->entry->value_origin;
    note_trouble(finder, which, point, key->entry->key, error);
}

static void try_templates(struct finder *finder, uint64_t point)
{
    const struct bench_section *section = finder->bench->section;
    struct gb_error error;
    for (size_t i = 0; i < section->n_templates; i++)
        if (sweep_fill(finder->bench, i, point, &finder->arena, &error) != GB_OK)
            note_trouble(finder, section->n_formulas + section->n_filters + i, point,
                         section->slots[section->templates[i].slot].name, &error);
}

/* Filters are tested as soon as what they read is computed, so that a formula need not make sense
 * for the cases that they take out. */
static bool is_case(struct finder *finder, uint64_t point)
{
    const struct sweep_bench *bench = finder->bench;
    const struct bench_section *section = bench->section;
    struct gb_error error;
    sweep_place(bench, point);
    for (size_t done = 0; done <= section->n_formulas; done++) {
        for (size_t i = 0; i < section->n_filters; i++) {
            const struct filter *filter = &section->filters[i];
            bool holds;
            if (filter->n_formulas != done)
                continue;
            if (expression_test(bench->filters[i], bench->columns, &holds, &error) != GB_OK) {
                note_key_trouble(finder, section->n_formulas + i, point, filter->key, &error);
                return false;
            }
            if (holds != (filter->key->role == KEY_ONLY))
                return false;
        }
        if (done < section->n_formulas &&
            sweep_compute(bench, done, &finder->arena, &error) != GB_OK) {
            note_key_trouble(finder, done, point, section->formulas[done].key, &error);
            return false;
        }
    }
    try_templates(finder, point);
    return true;
}

static size_t n_expressions(const struct bench_section *section)
{
    return section->n_formulas + section->n_filters + section->n_templates;
}

static void report_troubles(const struct finder *finder, struct error_list *errors)
{
    const struct bench_section *section = finder->bench->section;
    for (size_t i = 0; i < n_expressions(section); i++) {
        const struct trouble *trouble = &finder->troubles[i];
        if (trouble->n > 1)
            error_list_add(errors, trouble->first.origin, "%s (and in %" PRIu64 " more case%s)",
                           trouble->first.text, trouble->n - 1, trouble->n > 2 ? "s" : "");
        else if (trouble->n == 1)
            error_list_take(errors, &trouble->first);
    }
}

void sweep_find_cases(struct sweep_bench *bench, struct error_list *errors)
{
    const struct bench_section *section = bench->section;
    if (n_expressions(section) == 0) {
        bench->n = bench->n_points;
        return;
    }
    CLEANUP(free_pointer)
    struct trouble *troubles = memory_allocate(n_expressions(section) * sizeof *troubles);
    struct finder finder = {.bench = bench, .troubles = troubles};
    for (uint64_t point = 0; point < bench->n_points; point++) {
        if (is_case(&finder, point))
            MEMORY_APPEND(bench->points, bench->n, (uint32_t)point);
        if (finder.arena.bytes > SCRATCH_BYTES)
            arena_free(&finder.arena);
    }
    arena_free(&finder.arena);
    if (bench->n == bench->n_points) {
        free(bench->points);
        bench->points = NULL;
    } else {
        bench->points = memory_resize(bench->points, bench->n * sizeof *bench->points);
    }
    report_troubles(&finder, errors);
}
