/* settings_expand.c - what gives the slots of a benchmark a value in each case: axes, templates,
 * formulas; and the filters over them. */
#include "core/base/members.h"
#include "core/config/settings_internal.h"

#include "core/base/text.h"

#include <stdlib.h>
#include <string.h>

/* ---- axes ---- */

static void make_column(const struct bench_resolver *at, size_t n, struct slot *slot,
                        struct axis_column *ret)
{
    slot->is_axis = true;
    ret->slot = (size_t)(slot - at->bench->slots);
    ret->values = ARENA_ARRAY(at->arena, struct value, n);
    ret->origins = ARENA_ARRAY(at->arena, struct origin, n);
    if (slot->kind == SLOT_DEVICE || slot->kind == SLOT_POLICY)
        ret->named = ARENA_ARRAY(at->arena, struct named, n);
}

static int32_t read_cell(const struct bench_resolver *at, struct axis_column *column, size_t i,
                         const char *text, struct origin origin, struct gb_error *error)
{
    column->origins[i] = origin;
    return bench_read_value(at, &at->bench->slots[column->slot], text, origin, &column->values[i],
                            column->named ? &column->named[i] : NULL, error);
}

/* A sweep over devices or policies. */
static void sweep_names(const struct bench_resolver *at, const struct key *key, struct slot *slot,
                        struct axis *ret)
{
    struct text_list names = {0};
    struct gb_error error;
    if (text_split(key->entry->value, ',', key->entry->value_origin, at->arena, &names, &error) !=
        GB_OK) {
        bench_fail_with(at, &error);
        return;
    }
    ret->n = names.n;
    make_column(at, names.n, slot, ret->columns);
    for (size_t i = 0; i < names.n; i++)
        if (read_cell(at, ret->columns, i, names.items[i], names.origins[i], &error) != GB_OK)
            bench_fail_with(at, &error);
}

static void sweep_values(const struct bench_resolver *at, const struct key *key, struct slot *slot,
                         struct axis *ret)
{
    struct value_list values = {0};
    struct gb_error error;
    slot->is_axis = true;
    ret->columns[0].slot = (size_t)(slot - at->bench->slots);
    if (slot_read_list(slot, key->entry->value, key->entry->value_origin, at->arena, &values,
                       &error) != GB_OK) {
        const char *meant = hint_of_values(slot, key->entry->value, at->arena);
        if (meant)
            error_set_at(&error, GB_INVALID, key->entry->value_origin,
                         "'%s' is not a list of values; \1did you mean %s?", key->entry->value,
                         meant);
        bench_fail_with(at, &error);
        return;
    }
    ret->n = values.n;
    ret->columns[0].values = values.items;
    ret->columns[0].origins = values.origins;
}

static void make_sweep(const struct bench_resolver *at, const struct key *key, struct axis *ret)
{
    struct slot *slot = bench_slot(at->bench, key->target);
    *ret = (struct axis){.n_columns = 1, .columns = ARENA_NEW(at->arena, struct axis_column)};
    if (!slot)
        return;
    if (slot->kind == SLOT_DEVICE || slot->kind == SLOT_POLICY)
        sweep_names(at, key, slot, ret);
    else
        sweep_values(at, key, slot, ret);
    if (ret->n == 0 && !at->bench->is_broken)
        bench_fail(at, key->entry->value_origin, "'%s' is empty: \1expected at least one value",
                   key->entry->key);
}

static void read_row(const struct bench_resolver *at, const struct key *key, struct axis *axis,
                     size_t row, const char *text, struct origin origin)
{
    struct text_list cells = {0};
    struct gb_error error;
    if (text_split(text, ',', origin, at->arena, &cells, &error) != GB_OK) {
        bench_fail_with(at, &error);
        return;
    }
    if (cells.n != axis->n_columns) {
        bench_fail(at, origin, "row %zu of '%s' has %s: \1expected %zu", row + 1, key->entry->key,
                   COUNT_TEXT(cells.n, "value"), axis->n_columns);
        return;
    }
    for (size_t i = 0; i < cells.n; i++)
        if (axis->columns[i].values &&
            read_cell(at, &axis->columns[i], row,
                      slot_item(&at->bench->slots[axis->columns[i].slot], &cells, i, at->arena),
                      cells.origins[i], &error) != GB_OK)
            bench_fail_with(at, &error);
}

static void make_zip(const struct bench_resolver *at, const struct key *key, struct axis *ret)
{
    struct text_list rows = {0};
    struct gb_error error;
    *ret = (struct axis){
        .n_columns = key->names.n,
        .columns = ARENA_ARRAY(at->arena, struct axis_column, key->names.n),
    };
    if (text_split(key->rows, '|', key->rows_origin, at->arena, &rows, &error) != GB_OK) {
        bench_fail_with(at, &error);
        return;
    }
    if (rows.n == 0)
        bench_fail(at, key->rows_origin,
                   "'%s' is empty: \1expected at least one row after the colon", key->entry->key);
    ret->n = rows.n;
    for (size_t i = 0; i < key->names.n; i++) {
        struct slot *slot = bench_slot(at->bench, key->names.items[i]);
        if (slot)
            make_column(at, rows.n, slot, &ret->columns[i]);
    }
    for (size_t i = 0; i < rows.n; i++)
        read_row(at, key, ret, i, rows.items[i], rows.origins[i]);
}

struct point {
    const struct axis *axis;
    size_t i;
};

/* As their values are shown, which is what tells cases from each other. */
static int compare_texts(const struct point *a, const struct point *b)
{
    int order = 0;
    for (size_t i = 0; order == 0 && i < a->axis->n_columns; i++)
        order = strcmp(a->axis->columns[i].values[a->i].text,
                       b->axis->columns[i].values[b->i].text);
    return order;
}

ORDER_BY(compare_points, struct point, compare_texts(x, y), ORDER_OF(x->i, y->i))

static void report_point(const struct bench_resolver *at, const struct key *key,
                         const struct axis *axis, size_t first, size_t second)
{
    const struct axis_column *column = &axis->columns[0];
    const struct origin before = column->origins[first];
    const char *place = before.column ? arena_printf(at->arena, ": the first is at %u:%u",
                                                     before.line, before.column)
                                      : "";
    bench_fail(at, column->origins[second], "'%s' has %s%s twice%s", key->entry->key,
               column->values[second].text, axis->n_columns > 1 ? ", ..." : "", place);
}

/* Two points with the same values would be one case. */
static void check_points(const struct bench_resolver *at, const struct key *key,
                         const struct axis *axis)
{
    for (size_t i = 0; i < axis->n_columns; i++)
        if (!axis->columns[i].values)
            return; /* a name that is not known, which has been reported */
    struct point *points = ARENA_ARRAY(at->arena, struct point, axis->n);
    for (size_t i = 0; i < axis->n; i++)
        points[i] = (struct point){axis, i};
    qsort(points, axis->n, sizeof *points, compare_points);
    for (size_t i = 1; i < axis->n; i++)
        if (compare_texts(&points[i - 1], &points[i]) == 0)
            report_point(at, key, axis, points[i - 1].i, points[i].i);
}

/* Reads an axis; one that is read without errors is looked through, whatever else is wrong. */
static void make_axis(const struct bench_resolver *at, const struct key *key, struct axis *axis)
{
    const bool was_broken = at->bench->is_broken;
    at->bench->is_broken = false;
    (key->role == KEY_SWEEP ? make_sweep : make_zip)(at, key, axis);
    if (!at->bench->is_broken)
        check_points(at, key, axis);
    at->bench->is_broken |= was_broken;
}

void bench_make_axes(const struct bench_resolver *at)
{
    struct bench_section *bench = at->bench;
    bench->axes = ARENA_ARRAY(at->arena, struct axis, bench->keys.n);
    for (size_t i = 0; i < bench->keys.n; i++) {
        const struct key *key = &bench->keys.items[i];
        if (key->role == KEY_SWEEP || key->role == KEY_ZIP)
            make_axis(at, key, &bench->axes[bench->n_axes++]);
    }
}

/* ---- options in which expressions stand (template.h) ---- */

/* The texts of a slot; false if it has none that could be a template. */
static bool texts_of(const struct bench_resolver *at, size_t slot, struct slot_template *ret)
{
    const struct slot *what = &at->bench->slots[slot];
    *ret = (struct slot_template){.slot = slot, .n = 1, .values = &what->value};
    if (what->kind != SLOT_OPTION || !(what->option->flags & GB_OPTION_TEMPLATE) ||
        what->is_computed)
        return false;
    if (what->is_axis) {
        const struct axis_column *column = bench_axis_of(at->bench, slot, &ret->n);
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

/* Finds the templates among the options; compiles each once, to report what is wrong with it and to
 * note which slots they read. False if one is in error. */
static bool make_templates(const struct bench_resolver *at, const struct expression_column *columns,
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

/* ---- formulas and filters ---- */

static struct expression *compile(const struct bench_resolver *at, const struct key *key,
                                  const struct expression_column *columns)
{
    struct expression *expression = NULL;
    struct gb_error error;
    if (expression_compile(at->resolver->engine, key->entry->value, key->entry->value_origin,
                           columns, at->bench->n_slots, &expression, &error) == GB_OK)
        return expression;
    error_prefix(&error, "%s: ", key->entry->key);
    bench_fail_with(at, &error);
    return NULL;
}

/*
 * A formula of a name that is swept or set too transforms that value if it reads it. If it does
 * not, it gives way to an axis, and clashes with a fixed value.
 */
static bool takes_part(const struct bench_resolver *at, const struct key *key,
                       const struct slot *slot, const struct expression *expression)
{
    bool reads_itself = expression_reads(expression, slot->name);
    if (slot->is_axis && !reads_itself && key->entry->setting)
        bench_fail(at, key->entry->origin,
                   "'%s' has no effect: an axis gives '%s' its values in [bench %s]",
                   key->entry->setting->text, slot->name, at->bench->name);
    if (slot->is_axis)
        return reads_itself;
    if (slot->key && !reads_itself)
        bench_fail(at, key->entry->origin,
                   "'%s' is given twice: by '%s', and by '%s', which does not read it", slot->name,
                   slot->key->entry->key, key->entry->key);
    if (reads_itself && !slot->key && slot->kind != SLOT_OPTION && slot->kind != SLOT_COMMON)
        bench_fail(at, key->entry->value_origin, "%s: '%s' reads itself and has no value before",
                   key->entry->key, slot->name);
    return true;
}

/* Formulas are evaluated in file order, so that none may read what a later one computes. */
static void check_order(const struct bench_resolver *at)
{
    const struct bench_section *bench = at->bench;
    for (size_t i = 0; i < bench->n_formulas; i++)
        for (size_t j = i + 1; j < bench->n_formulas; j++) {
            const struct key *reader = bench->formulas[i].key, *later = bench->formulas[j].key;
            const char *name = bench->slots[bench->formulas[j].slot].name;
            if (expression_reads(at->expressions[i], name))
                bench_fail(at, reader->entry->value_origin,
                           "%s: reads '%s', which '%s' computes later: move that up",
                           reader->entry->key, name, later->entry->key);
        }
}

/* An axis that is not an option must feed some formula, template or filter. */
static void check_variables(const struct bench_resolver *at, const bool *is_read)
{
    const struct bench_section *bench = at->bench;
    for (size_t i = 0; i < bench->keys.n; i++) {
        const struct key *key = &bench->keys.items[i];
        for (size_t j = 0; j < key_targets(key) && key->role != KEY_LET; j++) {
            const struct slot *slot = bench_slot(bench, key_target(key, j));
            if (slot && slot->kind == SLOT_VARIABLE && !is_read[slot - bench->slots] &&
                !bench_has_side(at, slot->name))
                bench_unknown_target(at, key, j);
        }
    }
}

static void note_reads(const struct bench_resolver *at, const struct expression *expression,
                       bool *is_read)
{
    for (size_t i = 0; i < at->bench->n_slots; i++)
        is_read[i] = is_read[i] || expression_reads(expression, at->bench->slots[i].name);
}

/* False if one is in error, as is make_filters. */
static bool make_formulas(struct bench_resolver *at, const struct expression_column *columns,
                          bool *is_read)
{
    struct bench_section *bench = at->bench;
    bool all_compile = true;
    bench->formulas = ARENA_ARRAY(at->arena, struct formula, bench->keys.n);
    at->expressions = ARENA_ARRAY(at->arena, struct expression *, bench->keys.n);
    for (size_t i = 0; i < bench->keys.n; i++) {
        const struct key *key = &bench->keys.items[i];
        struct slot *slot = key->role == KEY_LET ? bench_slot(bench, key->target) : NULL;
        struct expression *expression = slot ? compile(at, key, columns) : NULL;
        if (slot) /* whatever becomes of it, the name is known */
            is_read[slot - bench->slots] = true;
        if (slot && !expression)
            all_compile = false;
        if (!expression)
            continue;
        note_reads(at, expression, is_read);
        if (!takes_part(at, key, slot, expression)) {
            expression_free(expression);
            continue;
        }
        slot->is_computed = true;
        at->expressions[bench->n_formulas] = expression;
        bench->formulas[bench->n_formulas++] = (struct formula){key, (size_t)(slot - bench->slots)};
    }
    check_order(at);
    return all_compile;
}

void bench_add_filter(struct bench_section *bench, const struct key *key,
                      const struct expression *expression)
{
    struct filter *filter = &bench->filters[bench->n_filters++];
    *filter = (struct filter){.key = key};
    for (size_t i = 0; i < bench->n_formulas; i++)
        if (expression_reads(expression, bench->slots[bench->formulas[i].slot].name))
            filter->n_formulas = i + 1;
}

static bool make_filters(const struct bench_resolver *at, const struct expression_column *columns,
                         bool *is_read)
{
    struct bench_section *bench = at->bench;
    bool all_compile = true;
    for (size_t i = 0; i < bench->keys.n; i++) {
        const struct key *key = &bench->keys.items[i];
        if (key->role != KEY_ONLY && key->role != KEY_EXCLUDE)
            continue;
        struct expression *expression = compile(at, key, columns);
        all_compile = all_compile && expression;
        if (!expression)
            continue;
        note_reads(at, expression, is_read);
        bench_add_filter(bench, key, expression);
        expression_free(expression);
    }
    return all_compile;
}

void bench_make_expressions(struct bench_resolver *at)
{
    if (!at->bench->info) /* its options are not known */
        return;
    const struct expression_column *columns = bench_columns(at->bench, at->arena);
    bool *is_read = ARENA_ARRAY(at->arena, bool, at->bench->n_slots);
    const bool have_formulas = make_formulas(at, columns, is_read);
    const bool have_templates = make_templates(at, columns, is_read);
    if (make_filters(at, columns, is_read) && have_formulas && have_templates)
        check_variables(at, is_read);
    for (size_t i = 0; i < at->bench->n_formulas; i++)
        expression_free(at->expressions[i]);
}
