/* visit.c - see visit.h. */
#include "core/run/visit.h"

#include "core/base/random.h"
#include "core/run/collector.h"
#include "core/run/policy_run.h"
#include "core/run/worker_link.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { UUID_BEGIN_MIN = 4 }; /* characters after the dash that choose a device */
/* Of the random numbers of the seed: the order of sides in blocks of rounds. */
enum { BLOCK_STREAM = 0x626c6f63 };

/* ---- the devices of a case ---- */

static bool may_choose(const struct bench_case *bench_case, const struct plugin_settings *settings,
                       bool is_auto)
{
    const struct device_choice *choice = &bench_case->device;
    return choice->settings
               ? settings == choice->settings
               : is_auto && plugin_runs_on(bench_case->info, settings->info->plugin.id);
}

/* The devices of the first settings that the case may use. */
static void find_candidates(const struct device_list *devices, const struct bench_case *bench_case,
                            struct arena *arena, struct device_set *ret)
{
    *ret = (struct device_set){ARENA_ARRAY(arena, const struct known_device *, devices->n), 0};
    for (size_t i = 0; i < devices->n; i++) {
        const struct known_device *device = &devices->items[i];
        if (may_choose(bench_case, device->settings, device->is_auto) &&
            (ret->n == 0 || device->settings == ret->items[0]->settings))
            ret->items[ret->n++] = device;
    }
}

static int32_t no_candidate(const struct device_list *devices, const struct bench_case *bench_case,
                            struct gb_error *error)
{
    const char *runs_on = bench_case->info->plugin.devices;
    for (size_t i = 0; i < devices->n_absent; i++) {
        const struct absent_device *absent = &devices->absent[i];
        if (may_choose(bench_case, absent->settings, absent->is_auto))
            return error_set(error, GB_NOT_FOUND, "device %s is not available: %s",
                             absent->settings->name, absent->reason);
    }
    return error_set(error, GB_NOT_FOUND, "no device that %s runs on is available (%s)",
                     bench_case->info->plugin.id, runs_on ? runs_on : "any");
}

bool devices_lack(const struct device_list *devices, const struct bench_case *bench_case)
{
    const struct device_choice *choice = &bench_case->device;
    const bool is_one = choice->uuid || choice->index != DEVICE_INDEX_ANY;
    for (size_t i = 0; choice->settings && i < devices->n_absent; i++)
        if (devices->absent[i].settings == choice->settings)
            return !is_one && !devices->absent[i].is_failure;
    return !choice->settings;
}

/* "no device fake:9: there is fake:0 (Fake 1000, FAKE-0), fake:1 (...)" */
static int32_t wrong_choice(const struct device_choice *choice, const struct device_set *there,
                            int32_t status, const char *what, struct gb_error *error)
{
    CLEANUP(text_free) struct text text = {0};
    device_choice_text(choice, &text);
    text_printf(&text, ": %s", what);
    for (size_t i = 0; i < there->n; i++) {
        const struct known_device *device = there->items[i];
        text_printf(&text, "%s%s (%s%s%s)", i ? ", " : "", device->label, device->info.model,
                    *device->info.uuid ? ", " : "", device->info.uuid);
    }
    return error_set(error, status, "device %s", text_get(&text));
}

static int32_t choose_index(const struct device_choice *choice, struct device_set *set,
                            struct gb_error *error)
{
    for (size_t i = 0; i < set->n; i++)
        if (set->items[i]->info.index == (uint32_t)choice->index) {
            set->items[0] = set->items[i];
            set->n = 1;
            return GB_OK;
        }
    return wrong_choice(choice, set, GB_NOT_FOUND, "there is only ", error);
}

/* A whole UUID, or the beginning of one device's alone. */
static int32_t choose_uuid(const struct device_choice *choice, struct device_set *set,
                           struct gb_error *error)
{
    const struct known_device *found = NULL;
    size_t n_found = 0;
    for (size_t i = 0; i < set->n; i++) {
        const char *uuid = set->items[i]->info.uuid;
        if (!text_starts_with(uuid, choice->uuid))
            continue;
        bool is_whole = text_equal(uuid, choice->uuid);
        found = set->items[i];
        n_found = is_whole ? 1 : n_found + 1;
        if (is_whole)
            break;
    }
    if (n_found == 0)
        return wrong_choice(choice, set, GB_NOT_FOUND,
                            "no UUID begins like this: available: ", error);
    if (n_found > 1)
        return wrong_choice(choice, set, GB_INVALID,
                            "more than one UUID begins like this: available: ", error);
    if (!text_equal(found->info.uuid, choice->uuid) &&
        strlen(strchr(choice->uuid, '-') + 1) < UUID_BEGIN_MIN)
        return wrong_choice(choice, set, GB_INVALID,
                            "expected four characters or more after the dash: available: ", error);
    set->items[0] = found;
    set->n = 1;
    return GB_OK;
}

static void keep_equal(struct device_set *set)
{
    size_t kept = 0;
    for (size_t i = 0; i < set->n; i++)
        if (text_equal(set->items[i]->info.model, set->items[0]->info.model))
            set->items[kept++] = set->items[i];
    set->n = kept;
}

int32_t devices_choose(const struct device_list *devices, const struct bench_case *bench_case,
                       int32_t distribute, struct arena *arena, struct device_set *ret,
                       struct gb_error *error)
{
    const struct device_choice *choice = &bench_case->device;
    struct device_set set;
    int32_t status = GB_OK;
    find_candidates(devices, bench_case, arena, &set);
    if (set.n == 0)
        return no_candidate(devices, bench_case, error);
    if (choice->uuid)
        status = choose_uuid(choice, &set, error);
    else if (choice->index != DEVICE_INDEX_ANY)
        status = choose_index(choice, &set, error);
    else if (!choice->is_all)
        set.n = 1;
    else if (distribute == DISTRIBUTE_SPREAD)
        keep_equal(&set);
    if (status == GB_OK)
        *ret = set;
    return status;
}

/* ---- one visit ---- */

/* The swept setting `device` of the case, or NULL. */
static struct parameter *device_parameter(const struct visit *visit)
{
    for (size_t i = 0; i < visit->bench_case.n_parameters; i++) {
        struct parameter *parameter = &visit->bench_case.parameters[i];
        if (text_equal(parameter->name, "device") && parameter->is_axis)
            return parameter;
    }
    return NULL;
}

void visit_give(struct visit *visit, const struct known_device *device)
{
    const struct parameter *parameter = device_parameter(visit);
    bool is_new = visit->device != device;
    visit->device = device;
    if (is_new && visit->n_case_devices > 1 &&
        !(parameter && text_equal(parameter->value.text, device->label)))
        text_printf(&visit->label, " on %s", device->label);
}

struct bench_case visit_given_case(const struct visit *visit)
{
    struct bench_case given = visit->bench_case;
    const struct known_device *device = visit->device;
    given.device = (struct device_choice){.settings = device->settings,
                                          .index = (int32_t)device->info.index};
    if (device->group.n > 0) { /* its worker sees no others */
        given.device.index = 0;
        given.device.uuid = device->info.uuid;
    }
    given.uid = visit->uid;
    return given;
}

bool visit_is_exclusive(const struct visit *visit)
{
    return (visit->bench_case.info->flags & GB_BENCH_EXCLUSIVE) ||
           visit->bench_case.common.exclusive;
}

void visit_free(struct visit *visit)
{
    if (!visit)
        return;
    if (visit->ended)
        collector_free(visit->ended);
    free(visit->ended);
    text_free(&visit->label);
    arena_free(&visit->arena);
    free(visit);
}

/* Does the case have a visit for each of its devices? */
static bool is_repeated(const struct schedule *schedule, const struct bench_case *bench_case)
{
    return bench_case->device.is_all && schedule->distribute == DISTRIBUTE_EACH;
}

/* Binds a visit permanently to one of its case's devices. */
static void bind(struct visit *visit, size_t device)
{
    struct parameter *parameter = device_parameter(visit);
    visit->devices.items += device;
    visit->devices.n = 1;
    const struct known_device *bound = visit->devices.items[0];
    visit->bench_case.device = (struct device_choice){.settings = bound->settings,
                                                      .index = (int32_t)bound->info.index};
    if (parameter)
        parameter->value.text = bound->label;
}

/* What is stored as the device that was asked for: of devices that are all alike, any. */
static void record_choice(struct visit *visit)
{
    struct device_choice *choice = &visit->bench_case.device;
    const struct known_device *first = visit->devices.items[0];
    bool is_one = !choice->is_all && (choice->uuid || !choice->settings);
    *choice = (struct device_choice){.settings = first->settings,
                                     .index = is_one ? (int32_t)first->info.index : choice->index};
}

/* ---- what is done ---- */

int visit_key_compare(const void *a, const void *b)
{
    const struct visit_key *first = a, *second = b;
    int order = (first->position > second->position) - (first->position < second->position);
    return order ? order : (first->round > second->round) - (first->round < second->round);
}

/* On that device; NULL: on any. */
static bool is_done(const struct schedule *schedule, uint64_t position, uint32_t round,
                    const struct known_device *device)
{
    struct visit_key key = {.position = position, .round = round};
    const struct visit_key *end = schedule->done + schedule->n_done;
    const struct visit_key *done = schedule->n_done
                                       ? bsearch(&key, schedule->done, schedule->n_done, sizeof key,
                                                 visit_key_compare)
                                       : NULL;
    while (done && done > schedule->done && visit_key_compare(done - 1, &key) == 0)
        done--;
    for (; done && done < end && visit_key_compare(done, &key) == 0; done++)
        if (!device || (done->device_index == (int32_t)device->info.index &&
                        text_equal(done->device_name, device->settings->name)))
            return true;
    return false;
}

/* ---- all visits ---- */

static uint64_t count_places(const struct schedule *schedule)
{
    if (schedule->claims)
        return claims_batch(schedule->claims)->n;
    return schedule->pairs ? SIDES * schedule->n_pairs : sweep_size(schedule->sweep);
}

/* The position of the case that comes at a place of a round. */
static uint64_t position_at(const struct schedule *schedule, uint32_t round, uint64_t place)
{
    if (schedule->claims)
        place = claims_batch(schedule->claims)->places[place];
    if (!schedule->pairs)
        return sweep_position(schedule->sweep, place);
    const uint64_t pair = place / SIDES, block = round / SIDES;
    const uint64_t turn = random_below(schedule->seed, BLOCK_STREAM + pair, block, SIDES);
    return schedule->pairs[pair].positions[(place + round + turn) % SIDES];
}

static bool is_left_out(const struct schedule *schedule, uint64_t place)
{
    if (schedule->open && !schedule->open[position_at(schedule, schedule->next_round, place)])
        return true;
    return schedule->is_searched && !schedule->profiles &&
           schedule->is_searched[position_at(schedule, 0, place)];
}

struct counting {
    const struct schedule *schedule;
    uint64_t n, n_done;
    int64_t rounds;
    bool repeats;      /* any case */
    bool *is_left_out; /* by known_device */
};

static void count_case(struct counting *counting, const struct bench_case *bench_case,
                       const struct device_set *set)
{
    const struct schedule *schedule = counting->schedule;
    bool repeats = is_repeated(schedule, bench_case) && set->n > 0;
    size_t n_devices = repeats ? set->n : 1;
    const int64_t rounds = bench_case_rounds(bench_case);
    counting->repeats |= bench_case_repeats(bench_case);
    counting->n += (uint64_t)rounds * n_devices;
    counting->rounds = rounds > counting->rounds ? rounds : counting->rounds;
    for (int64_t round = 0; round < rounds && schedule->n_done > 0; round++)
        for (size_t i = 0; i < n_devices; i++)
            counting->n_done += is_done(schedule, bench_case->position, (uint32_t)round,
                                        repeats ? set->items[i] : NULL);
}

static void note_left_out(struct counting *counting, const struct device_set *set)
{
    const struct device_list *devices = counting->schedule->devices;
    for (size_t i = 0; i < devices->n; i++) {
        const struct known_device *device = &devices->items[i];
        if (device->settings == set->items[0]->settings &&
            !text_equal(device->info.model, set->items[0]->info.model))
            counting->is_left_out[i] = true;
    }
}

static void add_notes(const struct counting *counting, struct text *notes)
{
    const struct device_list *devices = counting->schedule->devices;
    for (size_t i = 0; i < devices->n; i++)
        if (counting->is_left_out[i])
            text_printf(notes,
                        "gbrun: device %s (%s) is not used: cases are spread over devices of the "
                        "same model as the first; distribute = each uses all\n",
                        devices->items[i].label, devices->items[i].info.model);
}

int32_t schedule_count(struct schedule *schedule, uint64_t *ret_n, uint64_t *ret_n_done,
                       struct text *notes, struct gb_error *error)
{
    CLEANUP(free_pointer)
    bool *is_left_out = memory_allocate((schedule->devices->n + 1) * sizeof *is_left_out);
    struct counting counting = {.schedule = schedule, .rounds = 1, .is_left_out = is_left_out};
    int32_t status = GB_OK;
    if (schedule->profiles) {
        schedule->n_rounds = 1;
        *ret_n = 1;
        *ret_n_done = 0;
        return GB_OK;
    }
    for (uint64_t i = 0; i < count_places(schedule) && status == GB_OK; i++) {
        CLEANUP(arena_free) struct arena arena = {0};
        struct bench_case bench_case;
        struct device_set set = {0};
        status = sweep_case_at(schedule->sweep, position_at(schedule, 0, i), &arena, &bench_case,
                               error);
        if (status != GB_OK)
            break;
        /* A case without a device is refused: one visit. */
        devices_choose(schedule->devices, &bench_case, schedule->distribute, &arena, &set, NULL);
        count_case(&counting, &bench_case, &set);
        if (bench_case.device.is_all && set.n > 0 && schedule->distribute == DISTRIBUTE_SPREAD)
            note_left_out(&counting, &set);
    }
    if (status != GB_OK)
        return status;
    schedule->repeats = counting.repeats && !schedule->pairs;
    schedule->n_rounds = schedule->pairs ? 1 : (uint32_t)counting.rounds;
    add_notes(&counting, notes);
    *ret_n = counting.n;
    *ret_n_done = counting.n_done;
    return GB_OK;
}

/* Chooses the devices of the visit that is to come next, and moves on. False: it is done, or there
 * is no such round. */
static bool place(struct schedule *schedule, struct visit *visit)
{
    struct bench_case *bench_case = &visit->bench_case;
    struct gb_error error;
    const struct known_device *bound = NULL;
    int32_t status = devices_choose(schedule->devices, bench_case, schedule->distribute,
                                    &visit->arena, &visit->devices, &error);
    visit->n_case_devices = status == GB_OK ? visit->devices.n : 1;
    if (status != GB_OK) {
        snprintf(visit->refusal, sizeof visit->refusal, "%s", error.text);
    } else if (is_repeated(schedule, bench_case)) {
        bind(visit, schedule->next_device++);
        bound = visit->devices.items[0];
    } else {
        record_choice(visit);
    }
    if (!bound || schedule->next_device == visit->n_case_devices) {
        schedule->next_device = 0;
        schedule->next_position++;
    }
    return (schedule->open || visit->round < bench_case_rounds(bench_case)) &&
           !is_done(schedule, bench_case->position, visit->round, bound);
}

static void describe(struct visit *visit)
{
    const struct bench_case *bench_case = &visit->bench_case;
    CLEANUP(text_free) struct text environment = {0};
    for (size_t i = 0; i < bench_case->n_environment; i++)
        text_printf(&environment, "%s=%s\n", bench_case->environment[i].name,
                    bench_case->environment[i].value);
    if (bench_case_is_counted(bench_case))
        text_add(&environment, WORKER_FIXED "=1\n");
    visit->environment = arena_text(&visit->arena, text_get(&environment));
    bench_case_uid(bench_case, visit->devices.n ? visit->devices.items[0]->info.model : "",
                   visit->uid);
    bench_case_label(bench_case, &visit->label);
}

/* Under a profiler each launch may be run many times, and by a process that lives for this case
 * alone. */
static void make_profiled(struct visit *visit)
{
    struct common_params *common = &visit->bench_case.common;
    visit->bench_case.profile = arena_text(&visit->arena, text_get(&visit->label));
    if (common->min_samples == 0)
        common->min_samples = USUAL_MIN_SAMPLES;
    common->max_samples = common->min_samples;
    common->max_time_ns = common->time_limit_ns = INFINITY;
    common->counters = "no";
    common->isolate = ISOLATE_NO;
}

/* A visit of the case at a position, with its devices still to be chosen. */
static int32_t make_visit(struct schedule *schedule, uint64_t position, uint32_t round,
                          struct visit **ret, struct gb_error *error)
{
    struct visit *visit = memory_allocate(sizeof *visit);
    visit->round = round;
    int32_t status = sweep_case_at(schedule->sweep, position, &visit->arena, &visit->bench_case,
                                   error);
    if (status != GB_OK) {
        *ret = visit;
        return status;
    }
    visit->bench_case.common.breakdown |= schedule->breakdown;
    if (bench_case_is_counted(&visit->bench_case))
        visit->bench_case.common.isolate = ISOLATE_YES;
    if (round > 0)
        bench_case_set_round(&visit->bench_case, round);
    *ret = visit;
    return status;
}

/* On whichever of the case's devices is idle. */
static int32_t next_wanted(struct schedule *schedule, struct visit **ret, struct gb_error *error)
{
    const struct wanted_visit first = schedule->wanted[0], *wanted = &first;
    struct visit *visit;
    struct gb_error refusal;
    schedule->n_wanted--;
    memmove(schedule->wanted, schedule->wanted + 1, schedule->n_wanted * sizeof first);
    int32_t status = make_visit(schedule, wanted->position, wanted->round, &visit, error);
    if (status != GB_OK) {
        visit_free(visit);
        return status;
    }
    struct common_params *common = &visit->bench_case.common;
    visit->bench_case.is_part = false; /* the search decides on its visits */
    if (wanted->is_first_look && common->verify == VERIFY_AUTO)
        common->verify = VERIFY_END;
    if (wanted->n_samples > 0)
        common->min_samples = common->max_samples = (int64_t)wanted->n_samples;
    if (devices_choose(schedule->devices, &visit->bench_case, DISTRIBUTE_SPREAD, &visit->arena,
                       &visit->devices, &refusal) == GB_OK)
        record_choice(visit);
    else
        snprintf(visit->refusal, sizeof visit->refusal, "%s", refusal.text);
    if (schedule->n_lanes > 1 && visit->round == 0 && visit->devices.n > 0 &&
        (visit->bench_case.info->flags & PLUGIN_BUILDS))
        visit->ahead = AHEAD_WANTED;
    visit->n_case_devices = visit->devices.n ? visit->devices.n : 1;
    describe(visit);
    *ret = visit;
    return GB_OK;
}

void schedule_want(struct schedule *schedule, const struct wanted_visit *wanted)
{
    schedule->wanted[schedule->n_wanted++] = *wanted;
}

int32_t schedule_next(struct schedule *schedule, struct visit **ret, struct gb_error *error)
{
    *ret = NULL;
    if (schedule->profiles)
        schedule->next_position = schedule->profiled;
    if (schedule->n_wanted > 0)
        return next_wanted(schedule, ret, error);
    while (schedule->next_round < schedule->n_rounds) {
        if (schedule->next_position == count_places(schedule)) {
            schedule->next_position = 0;
            schedule->next_round++;
            continue;
        }
        if (is_left_out(schedule, schedule->next_position)) {
            schedule->next_position++;
            continue;
        }
        struct visit *visit;
        int32_t status = make_visit(
            schedule, position_at(schedule, schedule->next_round, schedule->next_position),
            schedule->next_round, &visit, error);
        if (status == GB_OK && schedule->claims) {
            /* Whichever task measures it, its record has the same UUID. */
            const struct claim_batch *batch = claims_batch(schedule->claims);
            visit->attempt = batch->attempts[schedule->next_position];
            claims_uuid(schedule->claims, batch->places[schedule->next_position], visit->round,
                        schedule->next_device, visit->uuid);
        }
        bool is_wanted = status == GB_OK && place(schedule, visit);
        if (is_wanted) {
            describe(visit);
            if (schedule->profiles) {
                make_profiled(visit);
                schedule->n_rounds = 0; /* there is no other */
            }
            *ret = visit;
            return GB_OK;
        }
        visit_free(visit);
        if (status != GB_OK)
            return status;
    }
    return GB_OK;
}
