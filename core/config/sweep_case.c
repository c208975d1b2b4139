/* sweep_case.c - a point of the product of a benchmark's axes: its values, formulas and templates;
 * and the case at it, made when it is needed. */
#include "core/config/sweep_internal.h"

#include "core/base/text.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- a point of the product ---- */

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

/* The column of the axis that a slot is on, and its row at a point. */
static const struct axis_column *column_at(const struct sweep_bench *bench, size_t slot,
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
        column_at(bench, at, point, &row);
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

/* ---- a case ---- */

/* A case while it is made. */
struct maker {
    const struct sweep_bench *bench;
    uint64_t point;
    struct arena *arena;
    struct bench_case *made;
};

static bool is_parameter(const struct slot *slot)
{
    return slot->kind == SLOT_OPTION || slot->kind == SLOT_VARIABLE || slot->kind == SLOT_PAPER ||
           (slot->kind != SLOT_BENCH && (slot->is_axis || slot->is_computed));
}

static bool is_default(const struct slot *slot)
{
    return !slot->key && !slot->is_axis && !slot->is_computed;
}

static void add_parameters(const struct maker *maker)
{
    const struct bench_section *section = maker->bench->section;
    struct bench_case *made = maker->made;
    made->parameters = ARENA_ARRAY(maker->arena, struct parameter, section->n_slots);
    for (size_t i = 0; i < section->n_slots; i++) {
        const struct slot *slot = &section->slots[i];
        if (!is_parameter(slot))
            continue;
        bool is_option = slot->kind == SLOT_OPTION;
        const struct filled *filled = &maker->bench->filled[i];
        struct value value = filled->is_template ? filled->written : maker->bench->columns[i].value;
        if ((slot->map_key && !option_is_rest(slot->option)) || slot->kind == SLOT_ENVIRONMENT)
            value.type = GB_TYPE_STRING;
        made->parameters[made->n_parameters++] = (struct parameter){
            .name = slot->name,
            .value = value,
            .is_axis = slot->is_axis && slot->kind != SLOT_PAPER,
            .is_default = is_default(slot),
            .is_variable = slot->kind == SLOT_VARIABLE || slot->kind == SLOT_PAPER,
            .is_identity = is_option && !(slot->option->flags & GB_OPTION_NOT_IDENTITY),
            .filled = filled->is_template ? maker->bench->columns[i].value.text : NULL};
    }
}

/* The value as it is read again: lists and entries of maps are kept as they are written. */
static const char *written(const struct slot *slot, const struct value *value, struct arena *arena)
{
    bool is_scalar = !slot->map_key && !(slot->option->type & GB_TYPE_LIST);
    bool is_text = value->type == GB_TYPE_STRING || value->type == GB_TYPE_CHOICE;
    if (is_text && slot->map_key && option_is_rest(slot->option))
        return text_in_quotes(value->text, arena);
    return is_scalar && is_text ? text_quote(value->text, 0, arena) : value->text;
}

/* Where the value of an axis was written; the section if that is not kept. */
static struct origin axis_origin(const struct bench_section *bench, size_t slot, size_t row)
{
    size_t n = 0;
    const struct axis_column *column = bench_axis_of(bench, slot, &n);
    return column && column->origins && row < n ? column->origins[row] : bench->origin;
}

static struct setting make_setting(const struct maker *maker, size_t i,
                                   struct setting_source *ret_source)
{
    const struct bench_section *section = maker->bench->section;
    const struct slot *slot = &section->slots[i];
    size_t row = 0;
    if (slot->is_axis)
        column_at(maker->bench, i, maker->point, &row);
    *ret_source = (struct setting_source){
        .written = slot->is_axis || !slot->key ? NULL : slot->key->entry->value,
        .map = maker->bench->filled[i].map};
    return (struct setting){.key = slot->name,
                            .text = written(slot, &maker->bench->columns[i].value, maker->arena),
                            .origin = slot->is_axis ? axis_origin(section, i, row)
                                      : slot->key   ? slot->key->entry->value_origin
                                                    : section->origin};
}

/* Those of one kind that are not at their defaults. */
static size_t make_settings(const struct maker *maker, enum slot_kind kind, struct setting **ret,
                            struct setting_source **ret_sources)
{
    const struct bench_section *section = maker->bench->section;
    struct setting *settings = ARENA_ARRAY(maker->arena, struct setting, section->n_slots);
    struct setting_source *sources = ARENA_ARRAY(maker->arena, struct setting_source,
                                                 section->n_slots);
    size_t n = 0;
    for (size_t i = 0; i < section->n_slots; i++) {
        const struct slot *slot = &section->slots[i];
        if (slot->kind != kind || is_default(slot))
            continue;
        settings[n] = make_setting(maker, i, &sources[n]);
        n++;
    }
    *ret = settings;
    *ret_sources = sources;
    return n;
}

static int32_t make_common(const struct maker *maker, struct gb_error *error)
{
    struct bench_case *made = maker->made;
    struct setting *settings;
    struct setting_source *sources;
    made->common = maker->bench->section->common;
    if (!maker->bench->varies)
        return GB_OK;
    size_t n = make_settings(maker, SLOT_COMMON, &settings, &sources);
    return option_fill(common_options(), settings, n, &made->common, sizeof made->common,
                       maker->arena, error);
}

static void choose_plugins(const struct maker *maker)
{
    const struct bench_section *section = maker->bench->section;
    for (size_t i = 0; i < section->n_slots; i++) {
        const struct slot *slot = &section->slots[i];
        size_t row;
        if (slot->kind != SLOT_DEVICE && slot->kind != SLOT_POLICY)
            continue;
        const struct axis_column *column = slot->is_axis
                                               ? column_at(maker->bench, i, maker->point, &row)
                                               : NULL;
        if (slot->kind == SLOT_DEVICE)
            maker->made->device = column ? column->devices[row] : slot->device;
        else
            maker->made->policy = column ? column->policies[row] : slot->policy;
    }
}

static void make_environment(const struct maker *maker)
{
    const struct sweep_bench *bench = maker->bench;
    struct bench_case *made = maker->made;
    made->environment = ARENA_ARRAY(maker->arena, struct environment_variable,
                                    bench->n_environment);
    made->n_environment = bench->n_environment;
    for (size_t i = 0; i < bench->n_environment; i++) {
        const struct slot *slot = bench->environment[i];
        made->environment[i] = (struct environment_variable){
            slot->name + strlen("env."), bench->columns[slot - bench->section->slots].value.text};
    }
}

static void make_tolerances(const struct maker *maker)
{
    const struct bench_section *section = maker->bench->section;
    struct bench_case *made = maker->made;
    made->tolerances = ARENA_ARRAY(maker->arena, struct check_tolerance, section->n_slots);
    for (size_t i = 0; i < section->n_slots; i++) {
        if (section->slots[i].kind == SLOT_TOLERANCE)
            made->tolerances[made->n_tolerances++] = (struct check_tolerance){
                section->slots[i].name + strlen("check."), maker->bench->columns[i].value.number};
    }
}

static const struct sweep_bench *bench_of(const struct sweep *sweep, uint64_t position)
{
    size_t i = sweep->n_benches - 1;
    while (sweep->benches[i].first > position || sweep->benches[i].n == 0)
        i--;
    return &sweep->benches[i];
}

uint64_t sweep_position(const struct sweep *sweep, uint64_t i)
{
    return sweep->order && i < sweep->n_kept ? sweep->order[i] : i;
}

int32_t sweep_case(struct sweep *sweep, uint64_t i, struct arena *arena, struct bench_case *ret,
                   struct gb_error *error)
{
    return sweep_case_at(sweep, sweep_position(sweep, i), arena, ret, error);
}

/* check.dump of a case starts from the folder of the INI file. */
static void place_dump(const struct settings *settings, struct arena *arena,
                       struct common_params *common)
{
    if (common->check_dump && *common->check_dump && *common->check_dump != '/')
        common->check_dump = arena_printf(arena, "%s/%s", settings->folder, common->check_dump);
}

int32_t sweep_case_at(struct sweep *sweep, uint64_t position, struct arena *arena,
                      struct bench_case *ret, struct gb_error *error)
{
    if (position >= sweep->n)
        return error_set(error, GB_NOT_FOUND,
                         "there is no case %" PRIu64 ": the sweep has %" PRIu64, position,
                         sweep->n);
    const struct sweep_bench *bench = bench_of(sweep, position);
    const struct bench_section *section = bench->section;
    uint64_t index = position - bench->first;
    struct bench_case made = {.position = position,
                              .bench = section->title,
                              .folder = sweep->settings->folder,
                              .info = section->info,
                              .seed = (uint64_t)sweep->settings->run.seed};
    struct maker maker = {bench, bench->points ? bench->points[index] : index, arena, &made};
    sweep_place(bench, maker.point);
    for (size_t j = 0; j < section->n_formulas; j++) {
        int32_t status = sweep_compute(bench, j, arena, error);
        if (status != GB_OK)
            return status;
    }
    for (size_t j = 0; j < section->n_templates; j++) {
        int32_t status = sweep_fill(bench, j, maker.point, arena, error);
        if (status != GB_OK)
            return status;
    }
    add_parameters(&maker);
    made.n_settings = make_settings(&maker, SLOT_OPTION, &made.settings, &made.sources);
    choose_plugins(&maker);
    make_environment(&maker);
    make_tolerances(&maker);
    int32_t status = make_common(&maker, error);
    if (made.common.seed >= 0)
        made.seed = (uint64_t)made.common.seed;
    place_dump(sweep->settings, arena, &made.common);
    if (status == GB_OK)
        *ret = made;
    return status;
}
