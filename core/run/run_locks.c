/* run_locks.c - see run_state.h. */
#include "core/run/run_state.h"

#include "core/base/host_clock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char default_folder[] = "/dev/shm"; /* which all users can write */
/* The place of a turn behind that of what it is for. */
static const off_t turn_offset = (off_t)1 << 20;

/* Of a list that says more than fits all CPUs are taken. */
static void read_ranges(struct lock *lock, const char *cpus)
{
    const char *at = cpus;
    while (*at >= '0' && *at <= '9' && lock->n_ranges < LOCK_RANGES_MAX) {
        char *end;
        const off_t first = (off_t)strtoul(at, &end, 10);
        const off_t last = *end == '-' ? (off_t)strtoul(end + 1, &end, 10) : first;
        if (last < first || last >= turn_offset)
            break;
        lock->ranges[lock->n_ranges++] = (struct lock_range){first, last - first + 1};
        at = *end == ',' ? end + 1 : end;
    }
    if (*at || lock->n_ranges == 0) {
        lock->ranges[0] = (struct lock_range){0, turn_offset};
        lock->n_ranges = 1;
    }
}

void lock_new(struct lock *lock, const char *name, const char *cpus)
{
    static const char kept[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-";
    const char *folder = getenv("GBRUN_LOCK_FOLDER");
    char safe[128];
    snprintf(safe, sizeof safe, "%s", name);
    for (char *letter = safe; *letter; letter++)
        if (!strchr(kept, *letter))
            *letter = '_';
    *lock = (struct lock){.file = -1};
    snprintf(lock->path, sizeof lock->path, "%.350s/gbrun-%s.lock",
             folder && *folder ? folder : default_folder, safe);
    if (cpus)
        read_ranges(lock, cpus);
    else
        lock->ranges[lock->n_ranges++] = (struct lock_range){0, 1};
}

/* A file of another user's is opened without O_CREAT, which a folder that is sticky may forbid. */
static int open_file(const char *path)
{
    enum { TRIES = 3, FLAGS = O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK };
    int file = -1;
    for (int i = 0; i < TRIES && file < 0; i++) {
        file = open(path, FLAGS);
        if (file >= 0 || errno != ENOENT)
            break;
        const mode_t before = umask(0);
        file = open(path, FLAGS | O_CREAT | O_EXCL, 0666);
        umask(before);
        if (file < 0 && errno != EEXIST)
            break;
    }
    return file;
}

/* One that was deleted meanwhile excludes no process any more. */
static bool make_open(struct lock *lock)
{
    struct stat found = {0};
    if (lock->file >= 0 && fstat(lock->file, &found) == 0 && found.st_nlink > 0)
        return true;
    if (lock->file >= 0)
        close(lock->file);
    lock->file = open_file(lock->path);
    if (lock->file >= 0 && fstat(lock->file, &found) == 0 && S_ISREG(found.st_mode))
        return true;
    snprintf(lock->problem, sizeof lock->problem, "%s: %s", lock->path,
             lock->file < 0 ? reason_of(errno) : "is not a regular file");
    if (lock->file >= 0)
        close(lock->file);
    lock->file = -1;
    return false;
}

/* False: another process has it, or it cannot be locked at all. */
static bool set(struct lock *lock, int type, off_t first, off_t n)
{
    struct flock asked = {
        .l_type = (short)type, .l_whence = SEEK_SET, .l_start = first, .l_len = n};
    int status;
    do
        status = fcntl(lock->file, F_SETLK, &asked);
    while (status != 0 && errno == EINTR);
    if (status == 0)
        return true;
    if (errno != EAGAIN && errno != EACCES) {
        snprintf(lock->problem, sizeof lock->problem, "%s: cannot be locked: %s", lock->path,
                 reason_of(errno));
    } else if (fcntl(lock->file, F_GETLK, &asked) == 0 && asked.l_type != F_UNLCK) {
        lock->holder = asked.l_pid > 0 ? asked.l_pid : 0;
    }
    return false;
}

static void unset(struct lock *lock, size_t n_ranges, off_t offset)
{
    for (size_t i = 0; i < n_ranges; i++)
        set(lock, F_UNLCK, lock->ranges[i].first + offset, lock->ranges[i].n);
}

/* All of them, or none. */
static bool set_all(struct lock *lock, int type, off_t offset)
{
    for (size_t i = 0; i < lock->n_ranges; i++)
        if (!set(lock, type, lock->ranges[i].first + offset, lock->ranges[i].n)) {
            unset(lock, i, offset);
            return false;
        }
    return true;
}

bool lock_take(struct lock *lock, int state)
{
    *lock->problem = 0;
    lock->holder = 0;
    if (!make_open(lock))
        return true;
    lock->has_turn = lock->has_turn || set_all(lock, F_WRLCK, turn_offset);
    const bool is_taken = lock->has_turn &&
                          set_all(lock, state == LOCK_ALONE ? F_WRLCK : F_RDLCK, 0);
    if (is_taken || *lock->problem) {
        unset(lock, lock->n_ranges, turn_offset);
        lock->has_turn = false;
    }
    if (is_taken)
        lock->state = state;
    return is_taken || *lock->problem;
}

static bool is_held(const struct lock *lock, off_t place, struct lock *const *others,
                    size_t n_others)
{
    for (size_t i = 0; i < n_others; i++) {
        const struct lock *other = others[i];
        if (other == lock || other->state == LOCK_FREE || !text_equal(other->path, lock->path))
            continue;
        for (size_t j = 0; j < other->n_ranges; j++)
            if (place >= other->ranges[j].first &&
                place < other->ranges[j].first + other->ranges[j].n)
                return true;
    }
    return false;
}

static bool is_shared_file(const struct lock *lock, struct lock *const *others, size_t n_others)
{
    for (size_t i = 0; i < n_others; i++)
        if (others[i] != lock && others[i]->state != LOCK_FREE &&
            text_equal(others[i]->path, lock->path))
            return true;
    return false;
}

void lock_release(struct lock *lock, struct lock *const *others, size_t n_others)
{
    if (lock->file >= 0 && lock->has_turn)
        unset(lock, lock->n_ranges, turn_offset);
    lock->has_turn = false;
    if (lock->file >= 0 && lock->state != LOCK_FREE) {
        if (!is_shared_file(lock, others, n_others))
            unset(lock, lock->n_ranges, 0);
        else
            for (size_t i = 0; i < lock->n_ranges; i++)
                for (off_t at = 0; at < lock->ranges[i].n; at++)
                    if (!is_held(lock, lock->ranges[i].first + at, others, n_others))
                        set(lock, F_UNLCK, lock->ranges[i].first + at, 1);
    }
    lock->state = LOCK_FREE;
}

void lock_free(struct lock *lock)
{
    if (lock->file >= 0)
        close(lock->file);
    lock->file = -1;
}

/* ---- the locks of a run ---- */

/* What a device has of the locks of a case on it: the machine's, its own, those of its group. */
enum { HAS_NONE, HAS_MACHINE, HAS_OWN, HAS_ALL };
static const double silent_ns = 1e9;

/* A device is known by its UUID. The processors are one device, of which two runs may use different
 * parts: those that it says it uses. */
static void name_lock(struct lock *lock, const struct known_device *device)
{
    const char *cpus = FACT(device, "cpus");
    char name[128];
    snprintf(name, sizeof name, "%s-%u", device->settings->info->plugin.id, device->info.index);
    if (*device->info.uuid)
        lock_new(lock, device->info.uuid, NULL);
    else if (*cpus)
        lock_new(lock, "cpus", cpus);
    else
        lock_new(lock, name, NULL);
}

void run_locks_new(struct run *run)
{
    const struct device_list *devices = run->schedule.devices;
    lock_new(&run->machine, "machine", NULL);
    run->locks = memory_allocate((devices->n + 1) * sizeof *run->locks);
    for (size_t i = 0; i < devices->n; i++) {
        name_lock(&run->devices[i].lock, &devices->items[i]);
        /* Those of the rest of its group, in the order that all tasks have. */
        struct device_state *state = &run->devices[i];
        const struct case_devices *group = &devices->items[i].group;
        state->n_others = group->n > 0 ? group->n - 1 : 0;
        state->others = memory_allocate((state->n_others + 1) * sizeof *state->others);
        for (size_t j = 0; j < state->n_others; j++)
            lock_new(&state->others[j], group->uuids[j + 1], NULL);
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
    text_printf(&words,
                "measured without a lock: %s: other gbrun processes may measure at the same time",
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
