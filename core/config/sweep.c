/* sweep.c - the cases of all benchmarks, by number. */
#include "core/config/sweep_internal.h"

#include "core/base/random.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Of the random numbers of the seed. */
enum { SHUFFLE_STREAM = 0x73687566, SAMPLE_STREAM = 0x73616d70 };

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

static int compare_slots(const void *a, const void *b)
{
    const struct slot *const *first = a, *const *second = b;
    return strcmp((*first)->name, (*second)->name);
}

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
        if (slot->kind == SLOT_COMMON && (slot->is_axis || slot->is_computed))
            bench->varies = true;
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

int32_t sweep_new_within(const struct settings *settings, uint64_t cases_max, struct sweep **ret,
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

int32_t sweep_new(const struct settings *settings, struct sweep **ret, struct error_list *errors)
{
    return sweep_new_within(settings, SWEEP_CASES_MAX, ret, errors);
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
