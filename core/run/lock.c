/* lock.c - see lock.h. */
#include "core/run/lock.h"

#include "core/base/error.h"
#include "core/base/text.h"

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
             lock->file < 0 ? reason_of(errno) : "is no regular file");
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
