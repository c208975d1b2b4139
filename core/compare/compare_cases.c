/* compare_cases.c - see compare_internal.h: records become cases, and cases find their
 * counterparts. */
#include "core/compare/compare_internal.h"

#include <stdlib.h>
#include <string.h>

/* ---- rounds of a case ---- */

struct placed {
    uint64_t place;
    size_t index; /* as measured */
    const struct outcome *outcome;
};

static uint64_t place_of(const struct outcome *outcome)
{
    uint64_t hash = hash_text(HASH_START, outcome->bench);
    hash = hash_text(hash, outcome->policy);
    hash = hash_text(hash, outcome->device_name);
    hash = hash_number(hash, (uint64_t)outcome->device_index);
    return hash_number(hash, outcome->position);
}

static int compare_placed(const void *a, const void *b)
{
    const struct placed *x = a, *y = b;
    if (x->outcome->position != y->outcome->position)
        return x->outcome->position < y->outcome->position ? -1 : 1;
    if (x->place != y->place)
        return x->place < y->place ? -1 : 1;
    if (x->outcome->round != y->outcome->round)
        return x->outcome->round < y->outcome->round ? -1 : 1;
    return (x->index > y->index) - (x->index < y->index);
}

/* As bench_case_label writes it. */
static const char *label_of(const struct compare *compare, const struct outcome *outcome,
                            struct arena *arena)
{
    CLEANUP(text_free) struct text label = {0};
    if (!compare->by_values || !text_equal(compare->by, "bench"))
        text_add(&label, outcome->bench);
    for (size_t i = 0; i < outcome->n_parameters; i++) {
        const struct outcome_parameter *parameter = &outcome->parameters[i];
        if (!parameter->is_axis || (compare->by_values && text_equal(parameter->name, compare->by)))
            continue;
        bool is_plain = *parameter->value && !strpbrk(parameter->value, " \t\"");
        text_printf(&label, "%s%s=%s%s%s", label.length ? " " : "", parameter->name,
                    is_plain ? "" : "\"", parameter->value, is_plain ? "" : "\"");
    }
    if (outcome->device_index > 0 && !compare->by_sides && !compare->is_fleet)
        text_printf(&label, " %s:%d", outcome->device_name, outcome->device_index);
    return arena_text(arena, text_get(&label));
}

static const struct device_record *device_of(const struct run_devices *devices, int64_t id)
{
    for (size_t i = 0; i < devices->n; i++)
        if (devices->items[i].id == id)
            return &devices->items[i].record;
    return NULL;
}

static void make_case(struct compare *compare, const struct placed *placed, size_t n,
                      const struct run_devices *devices, struct compare_case *ret)
{
    ret->rounds = ARENA_ARRAY(&compare->arena, const struct outcome *, n);
    ret->first = placed[0].outcome;
    for (size_t i = 0; i < n; i++)
        if (case_status_is_done(placed[i].outcome->status))
            ret->rounds[ret->n_rounds++] = placed[i].outcome;
    if (ret->n_rounds)
        ret->first = ret->rounds[0];
    ret->label = label_of(compare, ret->first, &compare->arena);
    for (size_t i = 0; i < n && !ret->device; i++)
        ret->device = device_of(devices, placed[i].outcome->device_id);
}

void side_make_cases(struct compare *compare, const struct stored_run *run,
                     const struct run_devices *devices, struct outcome *outcomes, size_t n,
                     struct compare_side *side)
{
    CLEANUP(free_pointer) struct placed *placed = memory_allocate((n + 1) * sizeof *placed);
    for (size_t i = 0; i < n; i++)
        placed[i] = (struct placed){place_of(&outcomes[i]), i, &outcomes[i]};
    qsort(placed, n, sizeof *placed, compare_placed);
    for (size_t i = 0, next; i < n; i = next) {
        for (next = i + 1; next < n && placed[next].place == placed[i].place;)
            next++;
        struct compare_case *made = ARENA_ADD(&compare->arena, side->cases, side->n);
        *made = (struct compare_case){.run = run};
        make_case(compare, &placed[i], next - i, devices, made);
    }
}

const char *attribute_of(const struct outcome *outcome, const char *name, struct arena *arena)
{
    const struct {
        const char *name, *value;
    } settings[] = {{"bench", outcome->bench},   {"plugin", outcome->plugin},
                    {"policy", outcome->policy}, {"cache", outcome->cache},
                    {"clock", outcome->clock},   {"launch", outcome->launch},
                    {"pace", outcome->pace}};
    for (size_t i = 0; i < outcome->n_parameters; i++)
        if (text_equal(outcome->parameters[i].name, name))
            return outcome->parameters[i].value;
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        if (text_equal(settings[i].name, name))
            return settings[i].value;
    if (text_equal(name, "device"))
        return outcome->device_index < 0
                   ? outcome->device_name
                   : arena_printf(arena, "%s:%d", outcome->device_name, outcome->device_index);
    return NULL;
}

/* ---- counterparts ---- */

/* What a pass of matching goes by. */
enum {
    BY_UID_AND_PLACE, /* uid, bench, policy, device */
    BY_UID_AND_BENCH,
    BY_UID,
    BY_CONTENT, /* all of the uid but the device's model */
    BY_OPTIONS, /* and without clock and cache */
    RUN_PASSES,
    BY_LABEL = RUN_PASSES, /* where a side is of another tool */
    BY_AXES,               /* bench, axes and settings, but the one by which the sides differ */
};

static uint64_t hash_identity(uint64_t hash, const struct outcome *outcome)
{
    uint64_t sum = 0; /* whatever the order of parameters */
    for (size_t i = 0; i < outcome->n_parameters; i++)
        if (outcome->parameters[i].is_identity)
            sum += hash_text(hash_text(HASH_START, outcome->parameters[i].name),
                             outcome->parameters[i].value);
    hash = hash_text(hash, outcome->plugin);
    hash = hash_text(hash, outcome->launch);
    hash = hash_text(hash, outcome->pace);
    hash = hash_text(hash, outcome->environment);
    return hash_number(hash, sum);
}

/* by: one of the settings, which is left out, or an axis; of sides only the bench and the axes are
 * the same. */
static uint64_t hash_axes(struct compare *compare, const struct outcome *outcome)
{
    const char *by = compare->by;
    static const char *const settings[] = {"bench", "policy", "device", "cache",
                                           "clock", "launch", "pace"};
    uint64_t hash = HASH_START;
    size_t n_settings = compare->by_sides ? 1 : sizeof settings / sizeof *settings;
    for (size_t i = 0; i < outcome->n_parameters; i++) {
        const struct outcome_parameter *parameter = &outcome->parameters[i];
        if (parameter->is_axis && !text_equal(parameter->name, by))
            hash = hash_text(hash_text(hash, parameter->name), parameter->value);
    }
    for (size_t i = 0; i < n_settings; i++) {
        bool other_device = text_equal(by, "device") && text_equal(settings[i], "clock");
        const char *value = attribute_of(outcome, settings[i], &compare->arena);
        if (!text_equal(settings[i], by) && !other_device && value)
            hash = hash_text(hash, value);
    }
    return hash;
}

static uint64_t key_of(struct compare *compare, const struct compare_case *c, int pass)
{
    const struct outcome *outcome = c->first;
    uint64_t hash = HASH_START;
    if (pass == BY_LABEL)
        return hash_text(hash, c->label);
    if (pass == BY_AXES)
        return hash_axes(compare, outcome);
    if (pass >= BY_CONTENT) {
        hash = hash_identity(hash, outcome);
        return pass == BY_OPTIONS ? hash
                                  : hash_text(hash_text(hash, outcome->cache), outcome->clock);
    }
    hash = hash_text(hash, outcome->uid);
    if (pass <= BY_UID_AND_BENCH)
        hash = hash_text(hash_text(hash, outcome->bench), outcome->policy);
    if (pass == BY_UID_AND_PLACE)
        hash = hash_number(hash_text(hash, outcome->device_name), (uint64_t)outcome->device_index);
    return hash;
}

struct keyed {
    uint64_t key;
    size_t index;
};

static int compare_keyed(const void *a, const void *b)
{
    const struct keyed *x = a, *y = b;
    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    return (x->index > y->index) - (x->index < y->index);
}

/* Those that are not taken, sorted by key; freed by the caller. */
static struct keyed *keys_of(struct compare *compare, const struct compare_side *side,
                             const bool *is_taken, int pass, size_t *ret_n)
{
    struct keyed *keys = memory_allocate((side->n + 1) * sizeof *keys);
    size_t n = 0;
    for (size_t i = 0; i < side->n; i++)
        if (!is_taken[i])
            keys[n++] = (struct keyed){key_of(compare, &side->cases[i], pass), i};
    qsort(keys, n, sizeof *keys, compare_keyed);
    *ret_n = n;
    return keys;
}

static void match_pass(struct compare *compare, const struct compare_side *base,
                       const struct compare_side *other, int pass, bool *base_taken,
                       bool *other_taken, size_t *ret)
{
    size_t n_base, n_other;
    CLEANUP(free_pointer) struct keyed *from = keys_of(compare, base, base_taken, pass, &n_base);
    CLEANUP(free_pointer) struct keyed *to = keys_of(compare, other, other_taken, pass, &n_other);
    for (size_t i = 0, j = 0; i < n_base && j < n_other;) {
        if (from[i].key != to[j].key) {
            if (from[i].key < to[j].key)
                i++;
            else
                j++;
            continue;
        }
        base_taken[from[i].index] = other_taken[to[j].index] = true;
        ret[to[j++].index] = from[i++].index;
    }
}

size_t *match_cases(struct compare *compare, const struct compare_side *base,
                    const struct compare_side *other)
{
    size_t *found = ARENA_ARRAY(&compare->arena, size_t, other->n + 1);
    CLEANUP(free_pointer) bool *base_taken = memory_allocate(base->n + 1);
    CLEANUP(free_pointer) bool *other_taken = memory_allocate(other->n + 1);
    bool is_foreign = base->tool || other->tool;
    int first = compare->by_values ? BY_AXES : is_foreign ? BY_LABEL : 0;
    int end = compare->by_values || is_foreign ? first + 1 : RUN_PASSES;
    for (size_t i = 0; i < other->n; i++)
        found[i] = SIZE_MAX;
    for (int pass = first; pass < end; pass++)
        match_pass(compare, base, other, pass, base_taken, other_taken, found);
    return found;
}

const char *conflict_of(const struct compare *compare, const struct compare_case *base,
                        const struct compare_case *other, const char **ret_from,
                        const char **ret_to)
{
    const struct device_record *a = base->device, *b = other->device;
    const struct {
        const char *name, *by, *from, *to;
    } all[] = {
        {"device model", "device", a ? a->model : "", b ? b->model : ""},
        {"driver", "device", a ? fact_of(a->facts, a->n_facts, "driver") : "",
         b ? fact_of(b->facts, b->n_facts, "driver") : ""},
        {"clock", "clock", base->first->clock, other->first->clock},
        {"cache", "cache", base->first->cache, other->first->cache},
    };
    bool by_device = compare->by && text_equal(compare->by, "device");
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        bool is_meant = compare->by_sides;
        is_meant |= compare->by && (text_equal(compare->by, all[i].by) ||
                                    (by_device && text_equal(all[i].name, "clock")));
        bool is_known = *all[i].from && *all[i].to;
        if (is_meant || !is_known || text_equal(all[i].from, all[i].to))
            continue;
        *ret_from = all[i].from;
        *ret_to = all[i].to;
        return all[i].name;
    }
    return NULL;
}
