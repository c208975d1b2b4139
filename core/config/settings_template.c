/* settings_template.c - which options of a benchmark are templates (template.h). */
#include "core/config/settings_internal.h"

#include "core/base/text.h"

static const struct axis_column *axis_of(const struct bench_section *bench, size_t slot,
                                         size_t *ret_n)
{
    for (size_t i = 0; i < bench->n_axes; i++)
        for (size_t j = 0; j < bench->axes[i].n_columns; j++)
            if (bench->axes[i].columns[j].slot == slot && bench->axes[i].columns[j].values) {
                *ret_n = bench->axes[i].n;
                return &bench->axes[i].columns[j];
            }
    return NULL;
}

struct origin bench_axis_origin(const struct bench_section *bench, size_t slot, size_t row)
{
    size_t n = 0;
    const struct axis_column *column = axis_of(bench, slot, &n);
    return column && column->origins && row < n ? column->origins[row] : bench->origin;
}

/* The texts of a slot; false if it has none that could be a template. */
static bool texts_of(const struct bench_resolver *at, size_t slot, struct slot_template *ret)
{
    const struct slot *what = &at->bench->slots[slot];
    *ret = (struct slot_template){.slot = slot, .n = 1, .values = &what->value};
    if (what->kind != SLOT_OPTION || !(what->option->flags & GB_OPTION_TEMPLATE) ||
        what->is_computed)
        return false;
    if (what->is_axis) {
        const struct axis_column *column = axis_of(at->bench, slot, &ret->n);
        ret->values = column ? column->values : NULL;
        ret->origins = column ? column->origins : NULL;
        return column && ret->origins;
    }
    if (!what->key || !what->value.text)
        return false;
    /* A string is read without the quotes around it, the value of a map's key with them. */
    const char *written = what->key->entry->value;
    bool is_quoted = *written == '"' && what->option->type == GB_TYPE_STRING;
    ret->origins = ARENA_NEW(at->arena, struct origin);
    *ret->origins = origin_at(what->key->entry->value_origin, written, is_quoted);
    return true;
}

static bool try_template(const struct bench_resolver *at, const struct expression_column *columns,
                         const struct slot_template *what, size_t row, bool *is_read)
{
    const struct bench_section *bench = at->bench;
    struct template *template = NULL;
    struct gb_error error;
    if (template_compile(at->resolver->engine, what->values[row].text, what->origins[row], columns,
                         bench->n_slots, at->arena, &template, &error) != GB_OK) {
        error_prefix(&error, "%s: ", bench->slots[what->slot].name);
        bench_fail_with(at, &error);
        return false;
    }
    for (size_t i = 0; i < bench->n_slots; i++)
        is_read[i] = is_read[i] || template_reads(template, bench->slots[i].name);
    template_free(template);
    return true;
}

bool bench_make_templates(const struct bench_resolver *at, const struct expression_column *columns,
                          bool *is_read)
{
    struct bench_section *bench = at->bench;
    bool all_compile = true;
    bench->templates = ARENA_ARRAY(at->arena, struct slot_template, bench->n_slots);
    for (size_t i = 0; i < bench->n_slots; i++) {
        struct slot_template what;
        bool is_needed = false;
        if (!texts_of(at, i, &what))
            continue;
        for (size_t row = 0; row < what.n; row++) {
            const char *text = what.values[row].text;
            if (!text || !template_is_needed(text))
                continue;
            is_needed = true;
            all_compile = try_template(at, columns, &what, row, is_read) && all_compile;
        }
        if (is_needed)
            bench->templates[bench->n_templates++] = what;
    }
    return all_compile;
}
