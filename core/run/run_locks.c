/* run_locks.c - see run_state.h. */
#include "core/run/run_state.h"

#include "core/base/host_clock.h"

#include <stdio.h>

/* What a device has of the locks of a case on it: the machine's, its own, those of its group. */
enum { HAS_NONE, HAS_MACHINE, HAS_OWN, HAS_ALL };
static const double silent_ns = 1e9;

/* A device is known by its UUID. The processors are one device, of which two runs may use different
 * parts: those that it says it uses. */
static void name_lock(struct lock *lock, const struct known_device *device)
{
    const char *cpus = fact_of(device->facts, device->n_facts, "cpus");
    char name[128];
    snprintf(name, sizeof name, "%s-%u", device->settings->info->plugin.id, device->info.index);
    if (*device->info.uuid)
        lock_new(lock, device->info.uuid, NULL);
    else if (*cpus)
        lock_new(lock, "cpus", cpus);
    else
        lock_new(lock, name, NULL);
}

/* Those of the rest of its group, in the order that all tasks have. */
static void name_others(struct device_state *state, const struct known_device *device)
{
    const struct case_devices *group = &device->group;
    state->n_others = group->n > 0 ? group->n - 1 : 0;
    state->others = memory_allocate((state->n_others + 1) * sizeof *state->others);
    for (size_t i = 0; i < state->n_others; i++)
        lock_new(&state->others[i], group->uuids[i + 1], NULL);
}

void run_locks_new(struct run *run)
{
    const struct device_list *devices = run->schedule.devices;
    lock_new(&run->machine, "machine", NULL);
    run->locks = memory_allocate((devices->n + 1) * sizeof *run->locks);
    for (size_t i = 0; i < devices->n; i++) {
        name_lock(&run->devices[i].lock, &devices->items[i]);
        name_others(&run->devices[i], &devices->items[i]);
        run->locks[i] = &run->devices[i].lock;
    }
}

void run_locks_free(struct run *run)
{
    for (size_t i = 0; i < run->schedule.devices->n; i++) {
        lock_free(run->locks[i]);
        for (size_t j = 0; j < run->devices[i].n_others; j++)
            lock_free(&run->devices[i].others[j]);
        free_pointer(&run->devices[i].others);
    }
    lock_free(&run->machine);
    free_pointer(&run->locks);
}

static bool take_all(struct run *run, struct device_state *state, bool is_alone)
{
    state->wanted = &run->machine;
    if (state->has == HAS_NONE) {
        if (!lock_take(&run->machine, is_alone ? LOCK_ALONE : LOCK_SHARED))
            return false;
        state->has = HAS_MACHINE;
        run->n_sharing++;
    }
    state->wanted = &state->lock;
    if (state->has == HAS_MACHINE && lock_take(&state->lock, LOCK_ALONE))
        state->has = HAS_OWN;
    for (; state->has == HAS_OWN && state->n_taken < state->n_others; state->n_taken++) {
        state->wanted = &state->others[state->n_taken];
        if (!lock_take(&state->others[state->n_taken], LOCK_ALONE))
            return false;
    }
    if (state->has == HAS_OWN)
        state->has = HAS_ALL;
    return state->has == HAS_ALL;
}

static void name_holder(const struct lock *lock, struct text *out)
{
    if (lock->holder > 0)
        text_printf(out, "process %ld, which holds %s", (long)lock->holder, lock->path);
    else
        text_printf(out, "a process of another container, which holds %s", lock->path);
}

static void note(struct run *run, struct device_state *state, const char *words, bool *is_said)
{
    text_clear(&state->note);
    text_add(&state->note, words);
    if (!*is_said)
        progress_line(run->plan->progress, "gbrun: %s", words);
    *is_said = true;
}

/* A lock that does not work delays no case. */
static void note_problem(struct run *run, struct device_state *state)
{
    CLEANUP(text_free) struct text words = {0};
    const char *problem = *run->machine.problem ? run->machine.problem : state->lock.problem;
    if (!*problem)
        return;
    text_printf(&words, "measured without a lock: %s: other gbrun processes may measure meanwhile",
                problem);
    note(run, state, text_get(&words), &run->has_said_problem);
}

/* A message says so once; after the limit the case does not wait any more, nor those after it,
 * until the lock was free. */
static bool give_up(struct run *run, const struct known_device *device, struct device_state *state)
{
    CLEANUP(text_free) struct text words = {0};
    const double limit_ns = run->plan->params->lock_limit_ns;
    const double waited_ns = awake_clock_ns() - state->wait_begin_ns;
    char time[NUMBER_TEXT_MAX];
    name_holder(state->wanted, &words);
    if (waited_ns > silent_ns && !state->has_said_wait) {
        progress_line(run->plan->progress, "gbrun: device %s waits for %s", device->label,
                      text_get(&words));
        state->has_said_wait = true;
    }
    if (waited_ns < limit_ns && !state->has_given_up)
        return false;
    text_clear(&words);
    text_add(&words, "measured beside ");
    name_holder(state->wanted, &words);
    text_printf(&words, ": lock_limit, %s, is over", format_time(limit_ns, 3, time));
    note(run, state, text_get(&words), &state->has_given_up);
    return true;
}

bool run_lock(struct run *run, const struct known_device *device, bool is_alone)
{
    struct device_state *state = run_device(run, device);
    text_clear(&state->note);
    state->waited_ns = 0;
    if (!run->plan->params->lock)
        return true;
    state->is_tried = true;
    if (state->wait_begin_ns == 0)
        state->wait_begin_ns = awake_clock_ns();
    if (take_all(run, state, is_alone)) {
        state->has_given_up = false;
        note_problem(run, state);
    } else if (!give_up(run, device, state)) {
        return false;
    }
    state->waited_ns = awake_clock_ns() - state->wait_begin_ns;
    state->wait_begin_ns = 0;
    state->has_said_wait = false;
    state->is_used = true;
    return true;
}

void run_unlock(struct run *run, const struct known_device *device)
{
    struct device_state *state = run_device(run, device);
    lock_release(&state->lock, run->locks, run->schedule.devices->n);
    for (size_t i = 0; i < state->n_others; i++) /* with the turn of one that is waited for */
        lock_release(&state->others[i], NULL, 0);
    state->n_taken = 0;
    if (state->has != HAS_NONE && --run->n_sharing == 0)
        lock_release(&run->machine, NULL, 0);
    state->has = HAS_NONE;
    state->is_used = false;
    state->wait_begin_ns = 0;
}

void run_locks_begin(struct run *run)
{
    for (size_t i = 0; i < run->schedule.devices->n; i++)
        run->devices[i].is_tried = false;
}

void run_locks_settle(struct run *run)
{
    bool is_waiting = false;
    for (size_t i = 0; i < run->schedule.devices->n; i++) {
        struct device_state *state = &run->devices[i];
        if (!state->is_used && !state->is_tried && state->wait_begin_ns > 0)
            run_unlock(run, &run->schedule.devices->items[i]);
        is_waiting = is_waiting || state->wait_begin_ns > 0;
    }
    if (!is_waiting && run->n_sharing == 0)
        lock_release(&run->machine, NULL, 0);
    run->is_waiting = is_waiting;
}
