/* sweep.c - the cases of all benchmarks, by number: which points of the product of a benchmark's
 * axes are cases, and the case at one of them, made when it is needed. See settings.h. */
#include "core/base/members.h"
#include "core/config/settings_internal.h"

#include "core/base/random.h"
#include "core/base/text.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Of the random numbers of the seed. */
enum { SHUFFLE_STREAM = 0x73687566, SAMPLE_STREAM = 0x73616d70 };

/* What became of a template in a case. */
struct filled {
    bool is_template;
    struct value written; /* before */
    struct text_map map;
};

struct sweep_bench {
    const struct bench_section *section;
    struct expression **formulas;
    struct expression *filters[FILTERS_MAX];
    struct template ***templates;      /* by template and row; NULL: nothing to be replaced */
    struct expression_column *start;   /* values before axes and formulas */
    struct expression_column *columns; /* of the case that was placed last */
    struct filled *filled;             /* by slot, of the same case */
    bool varies;                       /* a common setting is an axis or computed */
    uint64_t n_points;                 /* of the product of the axes */
    uint64_t n;                        /* of them that are cases */
    uint32_t *points;                  /* which; NULL: all */
    uint64_t first;                    /* position of its first case in the sweep */
    const struct slot **environment;   /* sorted by name */
    size_t n_environment;
};

struct sweep {
    const struct settings *settings;
    struct expression_engine *engine;
    struct arena arena;
    struct sweep_bench *benches;
    size_t n_benches;
    uint64_t n;      /* positions */
    uint64_t n_kept; /* of them those that are measured */
    uint32_t *order; /* their positions, as they are measured; NULL: all, as listed */
};

static bool varies(const struct slot *slot)
{
    return slot->is_axis || slot->is_computed;
}

static bool is_default(const struct slot *slot)
{
    return !slot->key && !varies(slot);
}

/* ---- a point of the product; columns and filled are those of the point that was placed last ----
 */

/* Gives each axis its value at a point. The last axis is the fastest. */
static void place(const struct sweep_bench *bench, uint64_t point)
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

/* Gives the slot of a formula its value. */
static int32_t compute(const struct sweep_bench *bench, size_t formula, struct arena *arena,
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

/* Puts the case's values into the text of a template. */
static int32_t fill(const struct sweep_bench *bench, size_t template, uint64_t point,
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

/* Puts a prefix that names the case before an error. */
static void name_case(const struct sweep_bench *bench, uint64_t point, const char *what,
                      struct gb_error *error)
{
    const struct bench_section *section = bench->section;
    CLEANUP(text_free) struct text label = {0};
    CLEANUP(free_pointer)
    struct parameter *axes = memory_allocate(section->n_slots * sizeof *axes);
    struct bench_case named = {.bench = section->title, .parameters = axes};
    place(bench, point);
    for (size_t i = 0; i < section->n_slots; i++)
        if (section->slots[i].is_axis)
            axes[named.n_parameters++] = (struct parameter){
                .name = section->slots[i].name, .value = bench->columns[i].value, .is_axis = true};
    bench_case_label(&named, &label);
    error_prefix(error, "%s: in case '%.300s': ", what, text_get(&label));
}

/* ---- preparing ---- */

static int32_t compile_key(const struct sweep *sweep, const struct sweep_bench *bench,
                           const struct key *key, struct expression **ret,
                           struct error_list *errors)
{
    struct gb_error error;
    int32_t status = expression_compile(sweep->engine, key->entry->value, key->entry->value_origin,
                                        bench->start, bench->section->n_slots, ret, &error);
    if (status != GB_OK)
        settings_report(errors, &error);
    return status;
}

static int32_t compile_templates(const struct sweep *sweep, struct sweep_bench *bench,
                                 struct arena *arena, struct error_list *errors)
{
    const struct bench_section *section = bench->section;
    struct gb_error error;
    int32_t status = GB_OK;
    bench->filled = ARENA_ARRAY(arena, struct filled, section->n_slots);
    bench->templates = ARENA_ARRAY(arena, struct template **, section->n_templates);
    for (size_t i = 0; i < section->n_templates; i++) {
        const struct slot_template *what = &section->templates[i];
        bench->templates[i] = ARENA_ARRAY(arena, struct template *, what->n);
        for (size_t row = 0; row < what->n && status == GB_OK; row++) {
            if (!template_is_needed(what->values[row].text))
                continue;
            status = template_compile(sweep->engine, what->values[row].text, what->origins[row],
                                      bench->start, section->n_slots, arena,
                                      &bench->templates[i][row], &error);
            if (status != GB_OK)
                settings_report(errors, &error);
        }
    }
    return status;
}

ORDER_BY(compare_slots, struct slot *const, strcmp((*x)->name, (*y)->name))

static int32_t prepare_bench(struct sweep *sweep, struct sweep_bench *bench,
                             struct error_list *errors)
{
    const struct bench_section *section = bench->section;
    int32_t status = GB_OK;
    bench->start = bench_columns(section, &sweep->arena);
    bench->columns = bench_columns(section, &sweep->arena);
    bench->formulas = ARENA_ARRAY(&sweep->arena, struct expression *, section->n_formulas);
    bench->environment = ARENA_ARRAY(&sweep->arena, const struct slot *, section->n_slots);
    for (size_t i = 0; i < section->n_formulas && status == GB_OK; i++)
        status = compile_key(sweep, bench, section->formulas[i].key, &bench->formulas[i], errors);
    for (size_t i = 0; i < section->n_filters && status == GB_OK; i++)
        status = compile_key(sweep, bench, section->filters[i].key, &bench->filters[i], errors);
    if (status == GB_OK)
        status = compile_templates(sweep, bench, &sweep->arena, errors);
    for (size_t i = 0; i < section->n_slots; i++) {
        const struct slot *slot = &section->slots[i];
        if (slot->kind == SLOT_ENVIRONMENT)
            bench->environment[bench->n_environment++] = slot;
        bench->varies |= slot->kind == SLOT_COMMON && varies(slot);
    }
    qsort(bench->environment, bench->n_environment, sizeof *bench->environment, compare_slots);
    return status;
}

/* The product of the axes; limit + 1 if it is above the limit. */
static uint64_t count_points(const struct bench_section *section, uint64_t limit)
{
    uint64_t n = 1;
    for (size_t i = 0; i < section->n_axes && n > 0; i++)
        n = section->axes[i].n > limit / n ? limit + 1 : n * section->axes[i].n;
    return n;
}

static void shuffle(struct sweep *sweep)
{
    uint64_t seed = (uint64_t)sweep->settings->run.seed;
    sweep->order = memory_allocate(sweep->n * sizeof *sweep->order);
    for (uint64_t i = 0; i < sweep->n; i++)
        sweep->order[i] = (uint32_t)i;
    for (uint64_t left = sweep->n; left > 1; left--) {
        uint64_t other = random_below(seed, SHUFFLE_STREAM, left, left);
        uint32_t swapped = sweep->order[other];
        sweep->order[other] = sweep->order[left - 1];
        sweep->order[left - 1] = swapped;
    }
}

/* Every set of so many cases is as likely as any other (Knuth, The Art of Computer Programming,
 * vol. 2, 3.4.2, algorithm S): each is taken with the chance of what is needed among what is left.
 */
static void take_sample(struct sweep *sweep, uint64_t n_wanted)
{
    uint64_t seed = (uint64_t)sweep->settings->run.seed, seen = 0, n = sweep->n;
    sweep->n = 0;
    for (size_t i = 0; i < sweep->n_benches; i++) {
        struct sweep_bench *bench = &sweep->benches[i];
        uint32_t *taken = NULL;
        uint64_t n_taken = 0;
        for (uint64_t j = 0; j < bench->n; j++, seen++)
            if (random_below(seed, SAMPLE_STREAM, seen, n - seen) < n_wanted - sweep->n - n_taken)
                MEMORY_APPEND(taken, n_taken, bench->points ? bench->points[j] : (uint32_t)j);
        free(bench->points);
        bench->points = taken;
        bench->first = sweep->n;
        bench->n = n_taken;
        sweep->n += n_taken;
    }
}

/* ---- which points are cases ---- */

enum { SCRATCH_BYTES = 1 << 16 }; /* used by cases that are tested before it is given back */

/* An expression or a template and how many cases it failed for. */
struct trouble {
    uint64_t n;
    struct gb_error first;
};

struct finder {
    struct sweep_bench *bench;
    struct arena arena;       /* of the case that is tested */
    struct trouble *troubles; /* of formulas, then of filters, then of templates */
};

static void note_trouble(struct finder *finder, size_t which, uint64_t point, const char *what,
                         struct gb_error *error)
{
    struct trouble *trouble = &finder->troubles[which];
    if (trouble->n++ > 0)
        return;
    name_case(finder->bench, point, what, error);
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
        if (fill(finder->bench, i, point, &finder->arena, &error) != GB_OK)
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
    place(bench, point);
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
        if (done < section->n_formulas && compute(bench, done, &finder->arena, &error) != GB_OK) {
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
        struct trouble *trouble = &finder->troubles[i];
        if (trouble->n > 1)
            error_append(&trouble->first, " (and in %" PRIu64 " more case%s)", trouble->n - 1,
                         trouble->n > 2 ? "s" : "");
        if (trouble->n > 0)
            error_list_take(errors, &trouble->first);
    }
}

/* Finds which points are cases; adds what is wrong with formulas, filters and templates. */
static void find_cases(struct sweep_bench *bench, struct error_list *errors)
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

/* ---- all of them ---- */

static void add_bench(struct sweep *sweep, const struct bench_section *section,
                      struct error_list *errors)
{
    struct sweep_bench *bench = &sweep->benches[sweep->n_benches++];
    *bench = (struct sweep_bench){.section = section};
    if (prepare_bench(sweep, bench, errors) != GB_OK)
        return;
    bench->first = sweep->n;
    bench->n_points = count_points(section, UINT32_MAX - 1);
    find_cases(bench, errors);
    sweep->n += bench->n;
}

int32_t sweep_new(const struct settings *settings, uint64_t cases_max, struct sweep **ret,
                  struct error_list *errors)
{
    struct sweep *sweep = memory_allocate(sizeof *sweep);
    struct gb_error error;
    size_t n_before = error_list_count(errors);
    uint64_t left = cases_max;
    sweep->settings = settings;
    sweep->benches = memory_allocate(settings->n_benches * sizeof *sweep->benches);
    if (expression_engine_new(&sweep->engine, &error) != GB_OK) {
        error_list_take(errors, &error);
        sweep_free(sweep);
        return error.status;
    }
    for (size_t i = 0; i < settings->n_benches; i++) {
        const struct bench_section *section = &settings->benches[i];
        if (section->is_broken || section->is_left_out)
            continue;
        uint64_t n_points = count_points(section, left);
        if (n_points > left) {
            error_list_add(errors, section->origin,
                           "with [bench %s] the sweep has more than %" PRIu64
                           " cases before 'only' and 'exclude'",
                           section->name, cases_max);
            continue;
        }
        left -= n_points;
        add_bench(sweep, section, errors);
    }
    if (error_list_count(errors) != n_before) {
        sweep_free(sweep);
        return GB_INVALID;
    }
    if (settings->run.sample > 0 && (uint64_t)settings->run.sample < sweep->n)
        take_sample(sweep, (uint64_t)settings->run.sample);
    sweep->n_kept = sweep->n;
    if (settings->run.order == ORDER_SHUFFLED)
        shuffle(sweep);
    *ret = sweep;
    return GB_OK;
}

uint64_t sweep_size(const struct sweep *sweep)
{
    return sweep->n_kept;
}

uint64_t sweep_positions(const struct sweep *sweep)
{
    return sweep->n;
}

void sweep_keep(struct sweep *sweep, const bool *is_kept)
{
    uint32_t *order = memory_allocate((sweep->n + 1) * sizeof *order);
    uint64_t n = 0;
    for (uint64_t i = 0; i < sweep->n_kept; i++)
        if (is_kept[sweep_position(sweep, i)])
            order[n++] = (uint32_t)sweep_position(sweep, i);
    free(sweep->order);
    sweep->order = order;
    sweep->n_kept = n;
}

void sweep_free(struct sweep *sweep)
{
    if (!sweep)
        return;
    for (size_t i = 0; i < sweep->n_benches; i++) {
        struct sweep_bench *bench = &sweep->benches[i];
        for (size_t j = 0; bench->formulas && j < bench->section->n_formulas; j++)
            expression_free(bench->formulas[j]);
        for (size_t j = 0; j < FILTERS_MAX; j++)
            expression_free(bench->filters[j]);
        for (size_t j = 0; bench->templates && j < bench->section->n_templates; j++)
            for (size_t k = 0; bench->templates[j] && k < bench->section->templates[j].n; k++)
                template_free(bench->templates[j][k]);
        free(bench->points);
    }
    expression_engine_free(sweep->engine);
    arena_free(&sweep->arena);
    free(sweep->benches);
    free(sweep->order);
    free(sweep);
}

size_t sweep_parts(const struct sweep *sweep)
{
    return sweep->n_benches;
}

struct sweep_part sweep_part(const struct sweep *sweep, size_t i)
{
    const struct sweep_bench *bench = &sweep->benches[i];
    const struct bench_section *section = bench->section;
    return (struct sweep_part){section->name, section->origin, section->info,
                               bench->first,  bench->n,        section->search};
}

/* ---- a case ---- */

/* A case while it is made. */
struct maker {
    const struct sweep_bench *bench;
    uint64_t point;
    struct arena *arena;
    struct bench_case *made;
};

static void add_parameters(const struct maker *maker)
{
    const struct bench_section *section = maker->bench->section;
    struct bench_case *made = maker->made;
    made->parameters = ARENA_ARRAY(maker->arena, struct parameter, section->n_slots);
    for (size_t i = 0; i < section->n_slots; i++) {
        const struct slot *slot = &section->slots[i];
        const bool is_option = slot->kind == SLOT_OPTION;
        const bool is_variable = slot->kind == SLOT_VARIABLE || slot->kind == SLOT_PAPER;
        const bool is_margin = slot->kind == SLOT_COMMON && slot->key &&
                               text_equal(slot->name, MARGIN_KEY);
        const bool has_changed = slot->kind != SLOT_BENCH && (varies(slot) || is_margin);
        if (!is_option && !is_variable && !has_changed)
            continue;
        const struct filled *filled = &maker->bench->filled[i];
        struct value value = filled->is_template ? filled->written : maker->bench->columns[i].value;
        if ((slot->map_key && !option_is_rest(slot->option)) || slot->kind == SLOT_ENVIRONMENT)
            value.type = GB_TYPE_STRING;
        made->parameters[made->n_parameters++] = (struct parameter){
            .name = slot->name,
            .value = value,
            .is_axis = slot->is_axis && slot->kind != SLOT_PAPER,
            .is_default = is_default(slot),
            .is_variable = is_variable,
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

static struct setting make_setting(const struct maker *maker, size_t i,
                                   struct setting_source *ret_source)
{
    const struct bench_section *section = maker->bench->section;
    const struct slot *slot = &section->slots[i];
    struct origin origin = slot->key ? slot->key->entry->value_origin : section->origin;
    if (slot->is_axis) {
        size_t row = 0;
        const struct axis_column *column = column_at(maker->bench, i, maker->point, &row);
        origin = column && column->origins ? column->origins[row] : section->origin;
    }
    *ret_source = (struct setting_source){
        .written = slot->is_axis || !slot->key ? NULL : slot->key->entry->value,
        .map = maker->bench->filled[i].map};
    return (struct setting){.key = slot->name,
                            .text = written(slot, &maker->bench->columns[i].value, maker->arena),
                            .origin = origin};
}

/* Of options those that are not as by default; of common settings those that vary. */
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
        if (slot->kind != kind || (kind == SLOT_OPTION ? is_default(slot) : !varies(slot)))
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
    return option_fill_over(common_options(), settings, n, &made->common, sizeof made->common,
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
        const struct named *named = column ? &column->named[row] : &slot->named;
        if (slot->kind == SLOT_DEVICE)
            maker->made->device = named->device;
        else
            maker->made->policy = named->policy;
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
                              .has_sentinel = sweep->settings->run.sentinel && !section->search,
                              .seed = (uint64_t)sweep->settings->run.seed};
    struct maker maker = {bench, bench->points ? bench->points[index] : index, arena, &made};
    place(bench, maker.point);
    int32_t status = GB_OK;
    for (size_t j = 0; j < section->n_formulas && status == GB_OK; j++)
        status = compute(bench, j, arena, error);
    for (size_t j = 0; j < section->n_templates && status == GB_OK; j++)
        status = fill(bench, j, maker.point, arena, error);
    if (status != GB_OK)
        return status;
    add_parameters(&maker);
    made.n_settings = make_settings(&maker, SLOT_OPTION, &made.settings, &made.sources);
    choose_plugins(&maker);
    make_environment(&maker);
    make_tolerances(&maker);
    status = make_common(&maker, error);
    if (made.common.seed >= 0)
        made.seed = (uint64_t)made.common.seed;
    const char *dump = made.common.check_dump;
    if (dump && *dump && *dump != '/') /* it starts from the folder of the INI file */
        made.common.check_dump = arena_printf(arena, "%s/%s", made.folder, dump);
    if (status == GB_OK)
        *ret = made;
    return status;
}
