/*
 * lock.h - locks between the gbrun processes of a machine, so that they do not measure on one
 * device at the same time.
 *
 * A lock is a file that any user may open, and in it one place, or one for each CPU: record locks
 * of fcntl(), which the kernel drops when the process ends and of which it names the holder.
 * Nothing is read from these files or written to them. A process that waits holds the turn, so that
 * a process which takes the lock for one case after the other lets it go on in between.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum { LOCK_FREE, LOCK_SHARED, LOCK_ALONE };
enum { LOCK_RANGES_MAX = 64 };

struct lock {
    char path[512];
    struct lock_range {
        off_t first, n;
    } ranges[LOCK_RANGES_MAX];
    size_t n_ranges;
    int file; /* -1: not open */
    int state;
    bool has_turn;
    pid_t holder;      /* who kept it from being taken; 0: not known, as in another container */
    char problem[640]; /* why it cannot be used at all; "": it can */
};

/* name: letters, digits, points and dashes of it are kept. cpus: a list such as 0-3,8 for a lock of
 * these CPUs; NULL: of one place. */
void lock_new(struct lock *lock, const char *name, const char *cpus);

/*
 * Tries to take it, shared or alone; does not wait. False: another process has it, or the turn; the
 * turn may be held then, until it is taken or released. True as well if it cannot be used: see
 * problem. One that is held shared already only lets those go first who wait for it.
 */
bool lock_take(struct lock *lock, int state);

/* others: locks of this process, among them this one; what they hold in the same file stays. */
void lock_release(struct lock *lock, struct lock *const *others, size_t n_others);
void lock_free(struct lock *lock);
