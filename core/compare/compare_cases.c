/* compare_cases.c - see compare_internal.h: records become cases, and cases find their
 * counterparts. */
#include "core/compare/compare_internal.h"

#include "core/base/members.h"
#include "core/base/number_text.h"
#include "core/base/statistics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- values of rounds ---- */

bool case_is_left_out(const struct compare_case *c)
{
    bool is_left_out = c->first->is_left_out;
    for (size_t i = 0; i < c->n_rounds; i++)
        is_left_out &= c->rounds[i]->is_left_out;
    return is_left_out;
}

const struct outcome *case_bad_round(const struct compare_case *c)
{
    for (size_t i = 0; i < c->n_rounds; i++)
        if (case_status_is_bad(c->rounds[i]->status))
            return c->rounds[i];
    return NULL;
}

bool case_is_skipped(const struct compare_case *c)
{
    for (size_t i = 0; i < c->n_rounds; i++)
        if (c->rounds[i]->status != CASE_SKIPPED)
            return false;
    return true;
}

void values_free(struct round_values *values)
{
    free(values->values);
    free(values->ratios);
    free(values->rounds);
}

void case_values(const struct compare_case *c, struct round_values *ret)
{
    ret->values = memory_allocate((c->n_rounds + 1) * sizeof *ret->values);
    ret->ratios = memory_allocate((c->n_rounds + 1) * sizeof *ret->ratios);
    ret->rounds = memory_allocate((c->n_rounds + 1) * sizeof *ret->rounds);
    ret->are_whole = true;
    for (size_t i = 0; i < c->n_rounds; i++) {
        double value = c->rounds[i]->value;
        if (c->rounds[i]->status != CASE_OK || !isfinite(value) || value < 0)
            continue;
        ret->are_whole &= value == floor(value);
        ret->rounds[ret->n] = c->rounds[i]->round;
        ret->values[ret->n++] = value;
    }
}

void values_keep_common(struct round_values *a, struct round_values *b)
{
    size_t kept = 0;
    for (size_t i = 0, j = 0; i < a->n && j < b->n;) {
        if (a->rounds[i] != b->rounds[j]) {
            if (a->rounds[i] < b->rounds[j])
                i++;
            else
                j++;
            continue;
        }
        a->values[kept] = a->values[i++];
        b->values[kept++] = b->values[j++];
    }
    a->n = b->n = kept;
}

struct compared_side side_of_values(const struct compare_case *c, struct round_values *values)
{
    struct compared_side side = {.values = values->values, .n = values->n, .interval_ratio = NAN};
    size_t n = 0;
    memcpy(values->ratios, values->values, values->n * sizeof *values->values);
    double median = sort_to_median(values->ratios, values->n);
    if (values->n && median > 0)
        side.step_ratio = c->first->step_ns / median;
    for (size_t i = 0; i < c->n_rounds; i++) {
        const struct outcome *round = c->rounds[i];
        double half = 0.5 * (round->high_ns - round->low_ns) / round->value;
        if (round->status == CASE_OK && isfinite(half) && half >= 0)
            values->ratios[n++] = half;
    }
    if (n)
        side.interval_ratio = sort_to_median(values->ratios, n);
    return side;
}

bool values_have_zero(const struct round_values *values)
{
    for (size_t i = 0; i < values->n; i++)
        if (values->values[i] == 0)
            return true;
    return false;
}

double values_mean(const double *values, size_t n)
{
    struct compensated_sum sum = {0};
    bool agree = n > 0 && values[0] == floor(values[0]);
    for (size_t i = 0; i < n; i++) {
        compensated_add(&sum, log(values[i]));
        agree &= values[i] == values[0];
    }
    if (agree)
        return values[0];
    return n ? exp(compensated_total(&sum) / (double)n) : NAN;
}

bool case_is_certified(const struct compare_case *c)
{
    for (size_t i = 0; i < c->n_rounds; i++)
        if (c->rounds[i]->status == CASE_OK && !verdict_holds(c->rounds[i]->verdict))
            return false;
    return true;
}

const char *case_status_note(struct arena *arena, const struct outcome *round)
{
    CLEANUP(text_free) struct text text = {0};
    if (round->status == CASE_SKIPPED && !*round->status_text)
        return "";
    case_status_describe(round->status, round->status_text, &text);
    return arena_text(arena, text_get(&text));
}

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

ORDER_BY(compare_placed, struct placed, ORDER_OF(x->outcome->position, y->outcome->position),
         ORDER_OF(x->place, y->place), ORDER_OF(x->outcome->round, y->outcome->round),
         ORDER_OF(x->index, y->index))

/* As bench_case_label writes it. */
static const char *label_of(const struct compare *compare, const struct outcome *outcome,
                            struct arena *arena)
{
    CLEANUP(text_free) struct text label = {0};
    if (!compare->by_values || !text_equal(compare->by, "bench"))
        text_add(&label, outcome->bench);
    for (size_t i = 0; i < outcome->n_parameters; i++) {
        const struct outcome_parameter *parameter = &outcome->parameters[i];
        const bool is_by = compare->by_values && text_equal(parameter->name, compare->by);
        if (parameter->is_axis && !is_by)
            text_add_setting(&label, parameter->name, parameter->value);
    }
    if (outcome->device_index > 0 && !compare->by_sides && !compare->is_fleet)
        text_printf(&label, " %s:%d", outcome->device_name, outcome->device_index);
    return arena_text(arena, text_get(&label));
}

static void make_case(struct compare *compare, const struct placed *placed, size_t n,
                      const struct stored_devices *devices, struct compare_case *ret)
{
    ret->rounds = ARENA_ARRAY(&compare->arena, const struct outcome *, n);
    ret->first = placed[0].outcome;
    for (size_t i = 0; i < n; i++)
        if (case_status_is_done(placed[i].outcome->status))
            ret->rounds[ret->n_rounds++] = placed[i].outcome;
    if (ret->n_rounds)
        ret->first = ret->rounds[0];
    ret->label = label_of(compare, ret->first, &compare->arena);
    for (size_t i = 0; i < n && !ret->device; i++) {
        const struct stored_device *on = stored_device_of(devices, placed[i].outcome->device_id);
        ret->device = on ? &on->record : NULL;
    }
}

void side_make_cases(struct compare *compare, const struct stored_run *run,
                     const struct stored_devices *devices, struct outcome *outcomes, size_t n,
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
    const struct outcome_parameter *parameter = ITEM_NAMED(outcome->parameters,
                                                           outcome->n_parameters, name, name);
    if (parameter)
        return parameter->value;
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
    BY_AXES_ALONE, /* and without the clock, which is not known of a case that failed early */
    VALUE_PASSES,
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
static uint64_t hash_axes(struct compare *compare, const struct outcome *outcome, int pass)
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
        bool other_clock = text_equal(settings[i], "clock") &&
                           (pass == BY_AXES_ALONE || text_equal(by, "device"));
        const char *value = attribute_of(outcome, settings[i], &compare->arena);
        if (!text_equal(settings[i], by) && !other_clock && value)
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
    if (pass >= BY_AXES)
        return hash_axes(compare, outcome, pass);
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

ORDER_BY_NUMBERS(compare_keyed, struct keyed, key, index)

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
    int end = compare->by_values ? VALUE_PASSES : is_foreign ? first + 1 : RUN_PASSES;
    for (size_t i = 0; i < other->n; i++)
        found[i] = SIZE_MAX;
    for (int pass = first; pass < end; pass++)
        match_pass(compare, base, other, pass, base_taken, other_taken, found);
    return found;
}

struct conflict conflict_of(const struct compare *compare, const struct compare_case *base,
                            const struct compare_case *other)
{
    const struct device_record *a = base->device, *b = other->device;
    const struct {
        const char *name, *by, *from, *to;
        bool is_of_device; /* each device may have its own */
        bool is_of_machine;
    } all[] = {
        {"device model", "device", a ? a->model : "", b ? b->model : "", true, true},
        {"driver", "device", a ? FACT(a, "driver") : "", b ? FACT(b, "driver") : "", true, true},
        {"clock", "clock", base->first->clock, other->first->clock, true, false},
        {"cache", "cache", base->first->cache, other->first->cache, false, false},
    };
    bool by_device = compare->by && text_equal(compare->by, "device");
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        bool is_meant = compare->by_sides;
        is_meant |= compare->by &&
                    (text_equal(compare->by, all[i].by) || (by_device && all[i].is_of_device));
        bool is_known = *all[i].from && *all[i].to;
        if (!is_meant && is_known && !text_equal(all[i].from, all[i].to))
            return (struct conflict){all[i].name, all[i].from, all[i].to, all[i].is_of_machine};
    }
    return (struct conflict){.name = NULL};
}

double case_margin(const struct compare *compare, const struct compare_case *c)
{
    const struct outcome *first = c->first;
    const struct outcome_parameter *margin = ITEM_NAMED(first->parameters, first->n_parameters,
                                                        name, MARGIN_KEY);
    double value = 0;
    const bool is_read = margin && !margin->is_identity && !*compare->result.metric.name &&
                         number_read(margin->value, &value);
    return is_read && value > 0 && value < 1 ? value : 0;
}

/* ---- what differs between runs ---- */

const char *difference_words(struct arena *arena, const char *name, const char *value,
                             const char *joint, const char *other)
{
    enum { VALUE_MOST = 60 };
    CLEANUP(text_free) struct text line = {0};
    text_printf(&line, "%s: ", name);
    text_add_shortened(&line, *value ? value : "not known", VALUE_MOST);
    text_add(&line, joint);
    text_add_shortened(&line, *other ? other : "not known", VALUE_MOST);
    return arena_text(arena, text_get(&line));
}

static void add(struct compare *compare, struct compare_against *against, const char *name,
                const char *from, const char *to)
{
    if (words_add_new(&against->differing, &compare->arena, name)) /* a device's may be the run's */
        ARENA_APPEND(&compare->arena, against->differences, against->n_differences,
                     difference_words(&compare->arena, name, from, ", now ", to));
}

bool fact_is_volatile(const char *name)
{
    return IS_AMONG(name, "load_average", "load", BUSY_FACT, "note", SHARD_FACT_PLAN,
                    SHARD_FACT_SHARD, SHARD_FACT_CASES, "job_array", "job_task", "job_rank",
                    "job_restarts", BASELINE_FACT);
}

static void add_facts(struct compare *compare, struct compare_against *against,
                      const struct fact *from, size_t n_from, const struct fact *to, size_t n_to)
{
    for (size_t i = 0; i < n_from; i++) {
        const char *now = fact_of(to, n_to, from[i].name);
        if (!fact_is_volatile(from[i].name) && !text_equal(from[i].value, now))
            add(compare, against, from[i].name, from[i].value, now);
    }
    for (size_t i = 0; i < n_to; i++)
        if (!fact_is_volatile(to[i].name) && !*fact_of(from, n_from, to[i].name))
            add(compare, against, to[i].name, "", to[i].value);
}

/* Facts of the first device that a case of each side ran on. */
static const struct compared *first_pair(const struct compare_against *against)
{
    for (size_t i = 0; i < against->n; i++)
        if (against->cases[i].base && against->cases[i].new && against->cases[i].base->device &&
            against->cases[i].new->device)
            return &against->cases[i];
    return NULL;
}

static void add_devices(struct compare *compare, struct compare_against *against)
{
    const struct compared *pair = first_pair(against);
    if (!pair)
        return;
    const struct device_record *from = pair->base->device, *to = pair->new->device;
    if (!text_equal(from->model, to->model))
        add(compare, against, "device model", from->model, to->model);
    else
        add_facts(compare, against, from->facts, from->n_facts, to->facts, to->n_facts);
}

static void add_builds(struct compare *compare, struct compare_against *against)
{
    CLEANUP(free_pointer) const char **seen = NULL;
    size_t n_seen = 0;
    for (size_t i = 0; i < against->n; i++) {
        const struct compared *c = &against->cases[i];
        if (!c->base || !c->new)
            continue;
        const char *from = c->base->first->plugin_sha256, *to = c->new->first->plugin_sha256;
        bool is_known = !*from || !*to || text_equal(from, to);
        for (size_t j = 0; j < n_seen && !is_known; j++)
            is_known = text_equal(seen[j], c->new->first->plugin);
        if (is_known)
            continue;
        MEMORY_APPEND(seen, n_seen, c->new->first->plugin);
        add(compare, against, arena_printf(&compare->arena, "build of %s", c->new->first->plugin),
            arena_text_n(&compare->arena, from, 12), arena_text_n(&compare->arena, to, 12));
    }
}

/* Shares over all rounds of a side. */
struct shares {
    double n_samples, n_throttled; /* in samples */
    double others_cpu_ns, sampled_ns;
};

static void add_to_shares(struct shares *shares, const struct compare_case *c)
{
    for (size_t i = 0; c && i < c->n_rounds; i++) {
        const struct outcome *round = c->rounds[i];
        if (isfinite(round->n_samples) && isfinite(round->n_throttled)) {
            shares->n_samples += round->n_samples;
            shares->n_throttled += round->n_throttled;
        }
        if (isfinite(round->others_cpu_ns) && isfinite(round->sampled_ns)) {
            shares->others_cpu_ns += round->others_cpu_ns;
            shares->sampled_ns += round->sampled_ns;
        }
    }
}

static void add_shares(struct compare *compare, struct compare_against *against)
{
    static const double least_throttled = 0.01, least_others = 0.1, least_sampled_ns = 1e9;
    struct shares from = {0}, to = {0};
    for (size_t i = 0; i < against->n; i++) {
        add_to_shares(&from, against->cases[i].base);
        add_to_shares(&to, against->cases[i].new);
    }
    double throttled[] = {from.n_throttled / from.n_samples, to.n_throttled / to.n_samples};
    double others[] = {from.others_cpu_ns / from.sampled_ns, to.others_cpu_ns / to.sampled_ns};
    bool is_long = from.sampled_ns >= least_sampled_ns && to.sampled_ns >= least_sampled_ns;
    if (fabs(throttled[1] - throttled[0]) >= least_throttled)
        add(compare, against, "throttled samples",
            arena_printf(&compare->arena, "%.1f %%", 100 * throttled[0]),
            arena_printf(&compare->arena, "%.1f %%", 100 * throttled[1]));
    if (is_long && fabs(others[1] - others[0]) >= least_others)
        add(compare, against, "processors used by others",
            arena_printf(&compare->arena, "%.2f", others[0]),
            arena_printf(&compare->arena, "%.2f", others[1]));
}

static const char *or_as_it_is(const char *changes)
{
    return *changes ? changes : "as configured";
}

void find_differences(struct compare *compare, struct compare_against *against)
{
    const struct stored_run *from = compare->result.base->run, *to = against->side->run;
    if (from && to && from != to && !compare->result.base->tool && !against->side->tool) {
        const struct run_record *a = &from->record, *b = &to->record;
        if (!text_equal(a->version, b->version))
            add(compare, against, "gbrun", a->version, b->version);
        add_facts(compare, against, a->facts, a->n_facts, b->facts, b->n_facts);
        add_devices(compare, against);
    }
    if (compare->by_sides)
        add(compare, against, "sides", or_as_it_is(FACT(&from->record, AB_FACT_BASE)),
            or_as_it_is(FACT(&from->record, AB_FACT_NEW)));
    add_builds(compare, against);
    add_shares(compare, against);
}

struct history_run case_as_run(struct compare *compare, const struct compare_case *c)
{
    double *values = ARENA_ARRAY(&compare->arena, double, c->n_rounds + 1);
    struct history_run run = {.values = values, .interval_ratio = NAN};
    for (size_t i = 0; i < c->n_rounds; i++) {
        const struct outcome *round = c->rounds[i];
        if (round->status != CASE_OK || !isfinite(round->value) || !(round->value > 0))
            continue;
        values[run.n++] = round->value;
        run.step_ratio = round->step_ns / round->value;
        run.interval_ratio = 0.5 * (round->high_ns - round->low_ns) / round->value;
    }
    return run;
}
