/* fleet.c - see fleet.h: what is read of the runs of many nodes. Of each run only the values of its
 * rounds are kept. */
#include "core/compare/fleet_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct fleet *fleet_new(const struct compare_options *options, const char *by)
{
    struct fleet *fleet = memory_allocate(sizeof *fleet);
    fleet->options = *options;
    compare_set_defaults(&fleet->options);
    fleet->by_device = text_equal(by, "device");
    fleet->result.options = &fleet->options;
    fleet->result.by = by;
    fleet->result.metric = (struct outcome_metric){.name = options->metric, .unit = ""};
    fleet->result.scatter = NAN;
    return fleet;
}

void fleet_free(struct fleet *fleet)
{
    if (!fleet)
        return;
    free(fleet->readings);
    free(fleet->units);
    free(fleet->run_uuids);
    arena_free(&fleet->arena);
    free(fleet);
}

const struct fleet_result *fleet_result(const struct fleet *fleet)
{
    return &fleet->result;
}

/* ---- units ---- */

/* Facts of a device live as long as what was read of its run. */
static void take_facts(struct fleet *fleet, const struct stored_run *run,
                       const struct device_record *device, struct fleet_unit *unit)
{
    if (unit->started && strcmp(unit->started, run->record.started) >= 0)
        return;
    size_t n = device ? device->n_facts : 0;
    struct fact *facts = ARENA_ARRAY(&fleet->arena, struct fact, n + 1);
    for (size_t i = 0; i < n; i++)
        facts[i] = (struct fact){arena_text(&fleet->arena, device->facts[i].name),
                                 arena_text(&fleet->arena, device->facts[i].value)};
    unit->started = run->record.started;
    unit->facts = run->record.facts;
    unit->n_facts = run->record.n_facts;
    unit->device_facts = facts;
    unit->n_device_facts = n;
}

static size_t unit_named(struct fleet *fleet, const struct stored_run *run, const char *name,
                         const struct device_record *device)
{
    const size_t i = text_index(TEXTS_OF(fleet->units, fleet->n_units, name), name);
    if (i == fleet->n_units)
        MEMORY_APPEND(fleet->units, fleet->n_units,
                      (struct fleet_unit){.name = arena_text(&fleet->arena, name),
                                          .host = FACT(&run->record, "host")});
    take_facts(fleet, run, device, &fleet->units[i]);
    return i;
}

/* "node01 GPU-5a...": what does not tell its UUID goes by its place. */
static size_t unit_of_device(struct fleet *fleet, const struct stored_run *run,
                             const struct compare_case *c)
{
    CLEANUP(text_free) struct text name = {0};
    const struct outcome *first = c->first;
    text_printf(&name, "%s ", FACT(&run->record, "host"));
    if (c->device && *c->device->uuid)
        text_add(&name, c->device->uuid);
    else if (first->device_index < 0)
        text_add(&name, first->device_name);
    else
        text_printf(&name, "%s:%d", first->device_name, first->device_index);
    return unit_named(fleet, run, text_get(&name), c->device);
}

static uint64_t device_of(const struct compare_case *c)
{
    if (c->device && *c->device->uuid)
        return hash_text(HASH_START, c->device->uuid);
    return hash_number(hash_text(HASH_START, c->first->device_name),
                       (uint64_t)c->first->device_index);
}

/* ---- readings ---- */

static uint64_t key_of(const struct outcome *outcome)
{
    uint64_t hash = hash_text(HASH_START, outcome->uid);
    hash = hash_text(hash, outcome->bench);
    hash = hash_text(hash, outcome->policy);
    return hash_text(hash, outcome->clock);
}

/* Nodes mostly measure the same in the same order: then the words of a case are there already. */
static void set_words(struct fleet *fleet, const struct compare_case *c, size_t at,
                      struct fleet_reading *ret)
{
    size_t like = fleet->first_of_run + at;
    struct arena *arena = &fleet->arena;
    const char *model = c->device ? c->device->model : "";
    if (like < fleet->n_readings && fleet->readings[like].key == ret->key &&
        text_equal(fleet->readings[like].model, model)) {
        const struct fleet_reading *same = &fleet->readings[like];
        ret->label = same->label;
        ret->bench = same->bench;
        ret->uid = same->uid;
        ret->model = same->model;
        return;
    }
    ret->label = arena_text(arena, c->label);
    ret->bench = arena_text(arena, c->first->bench);
    ret->uid = arena_text(arena, c->first->uid);
    ret->model = arena_text(arena, model);
}

static void set_values(struct fleet *fleet, const struct compare_case *c, struct fleet_reading *ret)
{
    CLEANUP(values_free) struct round_values values = {0};
    const struct outcome *bad = case_bad_round(c);
    if (bad)
        ret->failure = case_status_note(&fleet->arena, bad);
    ret->is_skipped = !bad && case_is_skipped(c);
    ret->is_certified = case_is_certified(c);
    case_values(c, &values);
    const struct compared_side side = side_of_values(c, &values);
    ret->step_ratio = side.step_ratio;
    ret->interval_ratio = side.interval_ratio;
    if (bad || values_have_zero(&values)) /* of a case that fails no ratio is claimed */
        return;
    ret->values = ARENA_ARRAY(&fleet->arena, double, side.n + 1);
    memcpy(ret->values, side.values, side.n * sizeof *side.values);
    ret->n = side.n;
}

/* unit: of the run; by device each case has its own. */
static void add_side(struct fleet *fleet, const struct stored_run *run,
                     const struct compare_side *side, size_t unit)
{
    const struct device_record *device = NULL;
    size_t first = fleet->n_readings;
    for (size_t i = 0; i < side->n; i++) {
        const struct compare_case *c = &side->cases[i];
        if (case_is_left_out(c))
            continue;
        if (fleet->by_device && (i == 0 || !c->device || c->device != device))
            unit = unit_of_device(fleet, run, c);
        device = c->device;
        struct fleet_reading reading = {.key = key_of(c->first),
                                        .device = device_of(c),
                                        .unit = unit,
                                        .place = fleet->n_readings,
                                        .started = run->record.started};
        set_words(fleet, c, fleet->n_readings - first, &reading);
        set_values(fleet, c, &reading);
        MEMORY_APPEND(fleet->readings, fleet->n_readings, reading);
    }
    fleet->first_of_run = first;
}

static bool was_added(struct fleet *fleet, const struct stored_run *run)
{
    const size_t n = fleet->n_run_uuids;
    if (text_is_among(fleet->run_uuids, n, run->record.uuid))
        return true;
    MEMORY_APPEND(fleet->run_uuids, fleet->n_run_uuids, run->record.uuid);
    return false;
}

static const struct device_record *first_device(const struct compare_side *side)
{
    for (size_t i = 0; i < side->n; i++)
        if (side->cases[i].device)
            return side->cases[i].device;
    return NULL;
}

static int32_t add_run(struct fleet *fleet, struct store *store, const char *path,
                       const struct stored_run *run, struct gb_error *error)
{
    const char *name = FACT(&run->record, fleet->by_device ? "host" : fleet->result.by);
    struct outcome_metric *metric = &fleet->result.metric;
    if (was_added(fleet, run))
        return GB_OK;
    fleet->result.n_runs++;
    if (!*name) {
        fleet->result.n_left_out++;
        return GB_OK;
    }
    struct compare *compare = compare_new(&fleet->options);
    compare->is_fleet = true;
    int32_t status = side_of_run(compare, store, path, run, name, error);
    if (status == GB_OK) {
        const struct compare_side *side = compare->sides;
        const struct outcome_metric *read = &compare->result.metric;
        if (!*metric->unit)
            metric->unit = arena_text(&fleet->arena, read->unit);
        metric->is_better_if_higher |= read->is_better_if_higher;
        add_side(fleet, run, side,
                 fleet->by_device ? 0 : unit_named(fleet, run, name, first_device(side)));
    } else if (status == GB_NOT_FOUND && *metric->name) { /* this run does not have it */
        fleet->result.n_left_out++;
        status = GB_OK;
    }
    compare_free(compare);
    return status;
}

int32_t fleet_add_file(struct fleet *fleet, const char *path, int64_t run_number,
                       struct gb_error *error)
{
    CLEANUP(store_leave) struct store *store = NULL;
    struct stored_run *runs = NULL;
    size_t n = 0;
    int32_t status = store_open(path, STORE_READ, &store, error);
    if (status == GB_OK)
        status = store_snapshot_begin(store, error); /* which ends as the file is closed */
    if (status == GB_OK)
        status = store_runs(store, run_number, &fleet->arena, &runs, &n, error);
    for (size_t i = 0; i < n && status == GB_OK; i++)
        status = add_run(fleet, store, path, &runs[i], error);
    return status;
}
