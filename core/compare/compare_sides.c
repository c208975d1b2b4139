/* compare_sides.c - see compare.h: the sides of a comparison, out of results files and of those of
 * other tools; by runs, by values of an axis or of a fact. */
#include "core/compare/compare_internal.h"

#include "core/base/members.h"
#include "core/base/number_text.h"
#include "core/store/foreign.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- runs ---- */

ORDER_BY(compare_ids, int64_t, ORDER_OF(*x, *y))

/* Of earlier runs all count. */
static int32_t leave_out(struct compare *compare, struct store *store, const struct stored_run *run,
                         struct outcome *outcomes, size_t n, struct gb_error *error)
{
    const struct compare_options *options = &compare->options;
    int64_t *ids = NULL;
    size_t n_ids = 0;
    if (!options->where || compare->n_compared)
        return GB_OK;
    const int32_t status = options->choose(store, run->number, options->where, &compare->arena,
                                           &ids, &n_ids, error);
    for (size_t i = 0; status == GB_OK && i < n; i++)
        outcomes[i].is_left_out = !bsearch(&outcomes[i].id, ids, n_ids, sizeof *ids, compare_ids);
    return status;
}

static int32_t read_machines(struct compare *compare, struct store *store, int64_t run_id,
                             struct compare_side *side, struct gb_error *error)
{
    struct sentinel_reading *readings = NULL;
    size_t n = 0;
    const int32_t status = store_sentinel(store, run_id, &compare->arena, &readings, &n, error);
    for (size_t i = 0, of_device; status == GB_OK && i < n; i += of_device) {
        of_device = sentinel_group(&readings[i], n - i);
        const struct machine_level machine = {readings[i].device_id, readings[i].version, of_device,
                                              sentinel_level_of(&readings[i], of_device)};
        ARENA_APPEND(&compare->arena, side->machines, side->n_machines, machine);
    }
    return status;
}

/* The cases of a run, added to a side that is not among those of the comparison yet. */
static int32_t read_side(struct compare *compare, struct store *store, const struct stored_run *run,
                         struct compare_side *ret, struct gb_error *error)
{
    struct stored_devices devices = {0};
    struct outcome *outcomes = NULL;
    size_t n = 0;
    int32_t status = store_devices(store, run->id, &compare->arena, &devices, error);
    if (status == GB_OK)
        status = store_outcomes(store, run->id, &compare->result.metric, &compare->arena, &outcomes,
                                &n, error);
    if (status == GB_OK)
        status = read_machines(compare, store, run->id, ret, error);
    if (status == GB_OK)
        status = leave_out(compare, store, run, outcomes, n, error);
    if (status != GB_OK)
        return status;
    if (compare->options.replace)
        compare->options.replace(compare->options.context, &compare->arena, &outcomes, &n);
    ret->run = ret->run ? ret->run : run;
    side_make_cases(compare, run, &devices, outcomes, n, ret);
    return GB_OK;
}

/* name NULL: the run by its number. */
static void name_side(struct compare *compare, const char *name, const struct stored_run *run,
                      struct compare_side *side)
{
    side->is_numbered = !name;
    side->name = name ? name : arena_printf(&compare->arena, "run %lld", (long long)run->number);
}

int32_t side_of_run(struct compare *compare, struct store *store, const char *path,
                    const struct stored_run *run, const char *name, struct gb_error *error)
{
    struct compare_side side = {.path = path};
    name_side(compare, name, run, &side);
    int32_t status = read_side(compare, store, run, &side, error);
    if (status == GB_OK)
        ARENA_APPEND(&compare->arena, compare->sides, compare->n_sides, side);
    return status;
}

/* The newest run; of a shard all those of its plan. */
static int32_t add_newest(struct compare *compare, struct store *store, const char *path,
                          const char *name, struct gb_error *error)
{
    struct compare_side side = {.path = path};
    struct stored_run *runs = NULL;
    size_t n = 0;
    int32_t status = store_newest_united(store, &compare->arena, &runs, &n, error);
    for (size_t i = 0; i < n && status == GB_OK; i++)
        status = read_side(compare, store, &runs[i], &side, error);
    if (status != GB_OK)
        return status;
    if (!name && n > 1)
        name = arena_printf(&compare->arena, "%zu shards", n);
    name_side(compare, name, &runs[0], &side);
    ARENA_APPEND(&compare->arena, compare->sides, compare->n_sides, side);
    return GB_OK;
}

static int32_t add_run(struct compare *compare, struct store *store, const char *path,
                       const char *run, const char *name, struct gb_error *error)
{
    struct stored_run *runs = NULL;
    size_t n = 0, i = 0;
    if (text_equal(run, "newest"))
        return add_newest(compare, store, path, name, error);
    int32_t status = store_runs(store, RUN_ALL, &compare->arena, &runs, &n, error);
    if (status == GB_OK)
        status = run_select(runs, n, path, run, &i, error);
    if (status != GB_OK)
        return status;
    return side_of_run(compare, store, path, &runs[i], name, error);
}

int32_t compare_add_run(struct compare *compare, struct store *store, const char *path,
                        const char *run, const char *name, struct gb_error *error)
{
    int32_t status = store_snapshot_begin(store, error);
    if (status != GB_OK)
        return status;
    status = add_run(compare, store, path, run, name, error);
    store_snapshot_end(store);
    return status;
}

/* A run of a file among those that are one with it. */
struct united_run {
    uint64_t plan, shard; /* hashes; 0: it is no shard */
    size_t first;         /* the one that it is united with: its own number, or an earlier one */
};

static uint64_t hash_of_fact(const struct stored_run *run, const char *name)
{
    return hash_text(HASH_START, FACT(&run->record, name));
}

/* Shards are one until one of them comes again. */
static struct united_run *unite_runs(const struct stored_run *runs, size_t n, struct arena *arena)
{
    struct united_run *united = ARENA_ARRAY(arena, struct united_run, n + 1);
    for (size_t i = 0; i < n; i++) {
        const bool is_shard = *FACT(&runs[i].record, SHARD_FACT_SHARD);
        united[i] = (struct united_run){.first = i};
        if (!is_shard)
            continue;
        united[i].plan = hash_of_fact(&runs[i], SHARD_FACT_PLAN);
        united[i].shard = hash_of_fact(&runs[i], SHARD_FACT_SHARD);
        size_t last = i; /* of its plan before it */
        while (last > 0 && united[last - 1].plan != united[i].plan)
            last--;
        bool is_there = last == 0;
        for (size_t j = last; j > 0 && !is_there && j > united[last - 1].first; j--)
            is_there = united[j - 1].first == united[last - 1].first &&
                       united[j - 1].shard == united[i].shard;
        if (!is_there)
            united[i].first = united[last - 1].first;
    }
    return united;
}

/* All that are united with run number `first`, as one side. */
static int32_t add_united(struct compare *compare, struct store *store, const char *path,
                          const struct stored_run *runs, const struct united_run *united, size_t n,
                          size_t first, struct gb_error *error)
{
    struct compare_side side = {.path = path};
    name_side(compare, NULL, &runs[first], &side);
    for (size_t i = first; i < n; i++) {
        if (united[i].first != first)
            continue;
        const int32_t status = read_side(compare, store, &runs[i], &side, error);
        if (status != GB_OK && !(status == GB_NOT_FOUND && *compare->options.metric))
            return status; /* else this run does not have it */
    }
    if (side.run)
        ARENA_APPEND(&compare->arena, compare->sides, compare->n_sides, side);
    return GB_OK;
}

int32_t compare_add_newest_runs(struct compare *compare, struct store *store, const char *path,
                                size_t most, struct gb_error *error)
{
    struct stored_run *runs = NULL;
    size_t n = 0;
    int32_t status = store_snapshot_begin(store, error);
    if (status != GB_OK)
        return status;
    status = store_runs(store, RUN_ALL, &compare->arena, &runs, &n, error);
    if (n > most) {
        runs += n - most;
        n = most;
    }
    const struct united_run *united = unite_runs(runs, n, &compare->arena);
    for (size_t i = 0; i < n && status == GB_OK; i++)
        if (united[i].first == i)
            status = add_united(compare, store, path, runs, united, n, i, error);
    store_snapshot_end(store);
    return status;
}

int32_t compare_add_earlier(struct compare *compare, struct store *store, const char *path,
                            struct gb_error *error)
{
    if (compare->by_values)
        return GB_OK;
    if (!compare->n_compared)
        compare->n_compared = compare->n_sides;
    return compare_add_newest_runs(compare, store, path, HISTORY_RUNS, error);
}

int32_t compare_add_foreign(struct compare *compare, const char *path, struct gb_error *error)
{
    static const struct stored_run foreign_run = {
        .record = {.started = "", .version = "", .config_path = ""}};
    const struct stored_devices none = {0};
    struct compare_side side = {.name = path, .path = path, .run = &foreign_run};
    struct outcome *outcomes = NULL;
    size_t n = 0;
    if (*compare->options.metric)
        return error_set(error, GB_INVALID, "--metric %s: %s contains only times",
                         compare->options.metric, path);
    int32_t status = foreign_outcomes(path, &compare->arena, &outcomes, &n, &side.tool, error);
    if (status != GB_OK)
        return status;
    compare->result.metric.unit = "ns";
    for (size_t i = 0; i < n; i++)
        outcomes[i].is_left_out = compare->options.where != NULL; /* the other side says */
    side_make_cases(compare, &foreign_run, &none, outcomes, n, &side);
    ARENA_APPEND(&compare->arena, compare->sides, compare->n_sides, side);
    return GB_OK;
}

/* ---- values of an axis, of a fact ---- */

/* One that has a value: a case or a run, by its number. */
struct valued {
    const char *value;
    size_t item;
    size_t first; /* number of the first one with that value */
};

ORDER_BY(compare_values_of, struct valued, strcmp(x->value, y->value), ORDER_OF(x->item, y->item))

ORDER_BY_NUMBERS(compare_firsts, struct valued, first, item)

/* Those with one value: a part of the array of struct valued. */
struct value_group {
    const char *value;
    const struct valued *items;
    size_t n;
};
struct value_groups {
    struct value_group *items;
    size_t n;
};

/* Values in the order in which they appear first. Sorts all. */
static struct value_groups group_values(struct compare *compare, struct valued *all, size_t n)
{
    struct value_groups groups = {0};
    qsort(all, n, sizeof *all, compare_values_of);
    for (size_t i = 0; i < n; i++)
        all[i].first = i > 0 && text_equal(all[i].value, all[i - 1].value) ? all[i - 1].first
                                                                           : all[i].item;
    qsort(all, n, sizeof *all, compare_firsts);
    for (size_t i = 0; i < n; i++) {
        if (i == 0 || all[i].first != all[i - 1].first)
            ARENA_APPEND(&compare->arena, groups.items, groups.n,
                         ((struct value_group){all[i].value, &all[i], 0}));
        groups.items[groups.n - 1].n++;
    }
    return groups;
}

/* The group that a value means as it may be written: 10us for 10000ns. n: there is none. */
static size_t find_group(const struct value_groups *list, const char *written)
{
    static const uint32_t types[] = {GB_TYPE_STRING, GB_TYPE_INT,   GB_TYPE_FLOAT,
                                     GB_TYPE_BOOL,   GB_TYPE_BYTES, GB_TYPE_DURATION};
    for (size_t t = 0; t < sizeof types / sizeof *types; t++) {
        CLEANUP(arena_free) struct arena arena = {0};
        struct value value;
        struct gb_error unread;
        if (value_read_type(types[t], written, (struct origin){0}, &arena, &value, &unread) !=
            GB_OK)
            continue;
        const size_t i = text_index(TEXTS_OF(list->items, list->n, value), value.text);
        if (i < list->n)
            return i;
    }
    return list->n;
}

/* The base's value first. GB_NOT_FOUND: it is not there. */
static int32_t base_first(struct value_groups *list, const char *by, const char *base,
                          struct gb_error *error)
{
    CLEANUP(text_free) struct text there = {0};
    size_t at = find_group(list, base);
    text_add_joined(&there, TEXTS_OF(list->items, list->n, value));
    if (at == list->n)
        return error_set(error, GB_NOT_FOUND, "no value of %s; there are %s", by, text_get(&there));
    const struct value_group first = list->items[at];
    memmove(&list->items[1], &list->items[0], at * sizeof *list->items);
    list->items[0] = first;
    return GB_OK;
}

static void split_side(struct compare *compare, const struct compare_side *all,
                       const struct value_groups *values)
{
    for (size_t v = 0; v < values->n; v++) {
        const struct value_group *group = &values->items[v];
        struct compare_side side = {.name = group->value, .path = all->path, .run = all->run};
        for (size_t i = 0; i < group->n; i++)
            ARENA_APPEND(&compare->arena, side.cases, side.n, all->cases[group->items[i].item]);
        ARENA_APPEND(&compare->arena, compare->sides, compare->n_sides, side);
    }
}

/* Of a run of ab: what it was decided by, where the options leave it open. */
static void take_rule(struct compare *compare, const struct run_record *run)
{
    struct compare_options *options = &compare->options;
    double margin, alpha;
    compare->by_sides = text_equal(compare->by, SIDE_AXIS) &&
                        number_read(FACT(run, AB_FACT_MARGIN), &margin) &&
                        number_read(FACT(run, AB_FACT_ALPHA), &alpha);
    if (!compare->by_sides)
        return;
    options->is_sequential = !options->replace;
    if (isnan(options->margin))
        options->margin = margin;
    if (isnan(options->confidence))
        options->confidence = 1 - alpha;
}

int32_t sides_of_values(struct compare *compare, struct store *store, const char *path,
                        const struct stored_run *run, const char *by, const char *base,
                        bool *ret_is_known, struct gb_error *error)
{
    struct compare_side all = {.path = path};
    CLEANUP(free_pointer) struct valued *valued = NULL;
    size_t n = 0;
    *ret_is_known = false;
    compare->by = by;
    compare->by_values = true;
    take_rule(compare, &run->record);
    int32_t status = read_side(compare, store, run, &all, error);
    for (size_t i = 0; status == GB_OK && i < all.n; i++) {
        const char *value = attribute_of(all.cases[i].first, by, &compare->arena);
        *ret_is_known |= value != NULL;
        if (value && !case_is_left_out(&all.cases[i]))
            MEMORY_APPEND(valued, n, ((struct valued){.value = value, .item = i}));
    }
    if (status != GB_OK || !*ret_is_known)
        return status;
    if (!n)
        return error_set(error, GB_INVALID, "--where: no case of the run matches '%s'",
                         compare->options.where);
    struct value_groups values = group_values(compare, valued, n);
    status = base_first(&values, by, base, error);
    if (status == GB_OK)
        split_side(compare, &all, &values);
    return status;
}

/* By what distinguishes runs: the newest of each value. */
static int32_t add_by_runs(struct compare *compare, struct store *store, const char *path,
                           const struct stored_run *runs, size_t n, const char *base,
                           struct gb_error *error)
{
    CLEANUP(free_pointer) struct valued *valued = NULL;
    size_t n_valued = 0;
    compare->by_values = false;
    for (size_t i = 0; i < n; i++) {
        const char *value = FACT(&runs[i].record, compare->by);
        if (*value)
            MEMORY_APPEND(valued, n_valued, ((struct valued){.value = value, .item = i}));
    }
    if (!n_valued)
        return GB_OK;
    struct value_groups values = group_values(compare, valued, n_valued);
    int32_t status = base_first(&values, compare->by, base, error);
    for (size_t v = 0; status == GB_OK && v < values.n; v++) {
        const struct value_group *group = &values.items[v];
        status = side_of_run(compare, store, path, &runs[group->items[group->n - 1].item],
                             group->value, error);
    }
    return status;
}

static int32_t add_by(struct compare *compare, struct store *store, const char *path,
                      const char *run, const char *base, struct gb_error *error)
{
    struct stored_run *runs = NULL;
    size_t n = 0, i = 0;
    bool is_known = false;
    int32_t status = store_runs(store, RUN_ALL, &compare->arena, &runs, &n, error);
    if (status == GB_OK)
        status = run_select(runs, n, path, run, &i, error);
    if (status != GB_OK)
        return status;
    status = sides_of_values(compare, store, path, &runs[i], compare->by, base, &is_known, error);
    if (status == GB_OK && !is_known && compare->options.is_sequential)
        return error_set(error, GB_INVALID,
                         "--sequential: rounds of two runs are not pairs: expected --by with an "
                         "option or setting whose values are in one run");
    if (status == GB_OK && !is_known)
        status = add_by_runs(compare, store, path, runs, n, base, error);
    if (status == GB_NOT_FOUND)
        error_prefix(error, "--base %s: ", base);
    return status;
}

int32_t compare_add_by(struct compare *compare, struct store *store, const char *path,
                       const char *run, const char *by, const char *base, struct gb_error *error)
{
    int32_t status = store_snapshot_begin(store, error);
    if (status != GB_OK)
        return status;
    compare->by = by;
    status = add_by(compare, store, path, run, base, error);
    store_snapshot_end(store);
    if (status == GB_OK && compare->n_sides == 0)
        return error_set(error, GB_NOT_FOUND,
                         "--by %s: no case has such an option or setting, and no run such a fact",
                         by);
    if (status == GB_OK && compare->n_sides == 1)
        return error_set(error, GB_NOT_FOUND, "--by %s: all have %s: nothing to compare", by, base);
    return status;
}
