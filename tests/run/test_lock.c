/* test_lock.c - core/run/run_locks.c: locks of several ranges, which other processes have parts of.
 */
#include "core/run/run_state.h"
#include "tests/check_main.h"

#include <sys/wait.h>

/* A process that tries to take the lock, and keeps what it has until *ret_end is closed. */
static bool take_elsewhere(const char *cpus, pid_t *ret_pid, int *ret_end)
{
    int answer[2], end[2];
    char is_taken = 0;
    ck_assert_int_eq(pipe(answer) | pipe(end), 0);
    *ret_pid = fork();
    if (*ret_pid == 0) {
        struct lock lock;
        lock_new(&lock, "ranges", cpus);
        close(end[1]);
        is_taken = (char)lock_take(&lock, LOCK_ALONE);
        _exit(write(answer[1], &is_taken, 1) != 1 || read(end[0], &is_taken, 1) != 0);
    }
    close(end[0]);
    *ret_end = end[1];
    ck_assert_int_eq(read(answer[0], &is_taken, 1), 1);
    close(answer[0]);
    close(answer[1]);
    return is_taken;
}

TEST(of_several_ranges_all_are_taken_or_none)
{
    enum { HOLDER, WAITER, OTHER, PROCESSES };
    pid_t pids[PROCESSES];
    int ends[PROCESSES];
    struct lock lock;
    ck_assert(take_elsewhere("2", &pids[HOLDER], &ends[HOLDER]));
    ck_assert(!take_elsewhere("2", &pids[WAITER], &ends[WAITER]));
    lock_new(&lock, "ranges", "0,2");
    ck_assert(!lock_take(&lock, LOCK_ALONE));
    ck_assert(take_elsewhere("0", &pids[OTHER], &ends[OTHER]));
    for (int i = PROCESSES - 1; i >= 0; i--) { /* the last one has the ends of those before it */
        close(ends[i]);
        ck_assert_int_eq(waitpid(pids[i], NULL, 0), pids[i]);
    }
    ck_assert(lock_take(&lock, LOCK_ALONE));
    lock_release(&lock, NULL, 0);
    lock_free(&lock);
}
