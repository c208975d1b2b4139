/* sweep_point.c - a point of the product of a benchmark's axes: its values, formulas and templates.
 */
#include "core/config/sweep_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void sweep_place(const struct sweep_bench *bench, uint64_t point)
{
    const struct bench_section *section = bench->section;
    memcpy(bench->columns, bench->start, section->n_slots * sizeof *bench->columns);
    for (size_t i = section->n_axes; i-- > 0;) {
        const struct axis *axis = &section->axes[i];
        size_t row = (size_t)(point % axis->n);
        point /= axis->n;
        for (size_t j = 0; j < axis->n_columns; j++)
            bench->columns[axis->columns[j].slot].value = axis->columns[j].values[row];
    }
}

const struct axis_column *sweep_column_at(const struct sweep_bench *bench, size_t slot,
                                          uint64_t point, size_t *ret_row)
{
    const struct bench_section *section = bench->section;
    for (size_t i = section->n_axes; i-- > 0;) {
        const struct axis *axis = &section->axes[i];
        *ret_row = (size_t)(point % axis->n);
        point /= axis->n;
        for (size_t j = 0; j < axis->n_columns; j++)
            if (axis->columns[j].slot == slot)
                return &axis->columns[j];
    }
    return NULL;
}

int32_t sweep_compute(const struct sweep_bench *bench, size_t formula, struct arena *arena,
                      struct gb_error *error)
{
    const struct formula *what = &bench->section->formulas[formula];
    struct value result;
    int32_t status = expression_evaluate(bench->formulas[formula], bench->columns, arena, &result,
                                         error);
    if (status != GB_OK)
        return status;
    return slot_compute(&bench->section->slots[what->slot], &result, what->key->entry->value_origin,
                        arena, &bench->columns[what->slot].value, error);
}

int32_t sweep_fill(const struct sweep_bench *bench, size_t template, uint64_t point,
                   struct arena *arena, struct gb_error *error)
{
    size_t at = bench->section->templates[template].slot, row = 0;
    const struct slot *slot = &bench->section->slots[at];
    if (slot->is_axis)
        sweep_column_at(bench, at, point, &row);
    struct filled *filled = &bench->filled[at];
    *filled = (struct filled){.is_template = bench->templates[template][row] != NULL,
                              .written = bench->columns[at].value};
    if (!filled->is_template)
        return GB_OK;
    struct value result = {.type = GB_TYPE_STRING, .number = NAN};
    struct origin nowhere = {0};
    int32_t status = template_expand(bench->templates[template][row], bench->columns, arena,
                                     &result.text, &filled->map, error);
    return status == GB_OK
               ? slot_compute(slot, &result, nowhere, arena, &bench->columns[at].value, error)
               : status;
}

/* The label of a case whose columns are placed. */
static void add_label(const struct sweep_bench *bench, uint64_t point, struct text *out)
{
    const struct bench_section *section = bench->section;
    struct parameter *axes = memory_allocate(section->n_slots * sizeof *axes);
    struct bench_case named = {.bench = section->title, .parameters = axes};
    sweep_place(bench, point);
    for (size_t i = 0; i < section->n_slots; i++)
        if (section->slots[i].is_axis)
            axes[named.n_parameters++] = (struct parameter){
                .name = section->slots[i].name, .value = bench->columns[i].value, .is_axis = true};
    bench_case_label(&named, out);
    free(axes);
}

void sweep_name_case(const struct sweep_bench *bench, uint64_t point, const char *what,
                     struct gb_error *error)
{
    CLEANUP(text_free) struct text label = {0};
    add_label(bench, point, &label);
    error_prefix(error, "%s: in case '%.300s': ", what, text_get(&label));
}
