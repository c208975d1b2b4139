/*
 * hurry.c - LD_PRELOAD=hurry.so HURRY_FILE=PATH gbrun ...: CLOCK_MONOTONIC of all processes of a
 * run is the real one plus what the page in that file says. While a module has said that it hangs
 * (tests/modules/hurry.h), a poll waits for a thousandth of its timeout and adds the whole of it: a
 * limit of 20 s takes 100 polls, and a module that has not said so has the real 20 s. It ends when
 * gbrun kills that process. Shell tests: `hurry COMMAND...` of tests/tap.sh.
 */
#define _GNU_SOURCE
#include "tests/modules/hurry.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#pragma GCC visibility push(default)

enum { HANGS = 16, FACTOR = 1000 };

/* A zero page is a run in which nothing hangs. */
static struct page {
    _Atomic int64_t ahead_ns;
    struct hang {
        _Atomic int32_t group;  /* of the process that hangs; 0: none */
        _Atomic int64_t end_ns; /* of `ahead_ns`, when it was killed; 0: it was not */
        int64_t after_ns;
    } hangs[HANGS];
} * page;
static int (*real_clock_gettime)(clockid_t, struct timespec *);
static int (*real_kill)(pid_t, int);

__attribute__((constructor)) static void begin(void)
{
    const char *path = getenv("HURRY_FILE");
    const int file = path ? open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600) : -1;
    *(void **)&real_kill = dlsym(RTLD_NEXT, "kill");
    *(void **)&real_clock_gettime = dlsym(RTLD_NEXT, "clock_gettime");
    if (file < 0)
        return;
    if (ftruncate(file, sizeof *page) == 0)
        page = mmap(NULL, sizeof *page, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    page = page == MAP_FAILED ? NULL : page;
    close(file);
}

void hurry_from_now(double after_ns)
{
    const int32_t group = (int32_t)getpgrp();
    int32_t none = 0;
    for (int i = 0; page && i < HANGS; i++, none = 0)
        if (atomic_compare_exchange_strong(&page->hangs[i].group, &none, group)) {
            page->hangs[i].after_ns = (int64_t)after_ns;
            break;
        }
}

void hurry_no_more(void)
{
    for (int i = 0; page && i < HANGS; i++)
        if (page->hangs[i].group == (int32_t)getpgrp())
            page->hangs[i].group = 0;
}

int hurry_jump(double ns)
{
    if (page)
        atomic_fetch_add(&page->ahead_ns, (int64_t)ns);
    return page != NULL;
}

static int hangs_now(void)
{
    int n = 0;
    for (int i = 0; page && i < HANGS; i++) {
        struct hang *hang = &page->hangs[i];
        if (hang->end_ns && page->ahead_ns >= hang->end_ns) {
            hang->end_ns = 0;
            hang->group = 0;
        }
        n += hang->group != 0;
    }
    return n;
}

int clock_gettime(clockid_t clock, struct timespec *now)
{
    const int result = real_clock_gettime ? real_clock_gettime(clock, now)
                                          : (int)syscall(SYS_clock_gettime, clock, now);
    if (result == 0 && page && clock == CLOCK_MONOTONIC) {
        const int64_t ns = now->tv_nsec + page->ahead_ns;
        now->tv_sec += (time_t)(ns / 1000000000);
        now->tv_nsec = (long)(ns % 1000000000);
    }
    return result;
}

/* In short pieces, so that a hang that begins meanwhile is seen soon. */
int poll(struct pollfd *files, nfds_t n, int timeout_ms)
{
    enum { PIECE_MS = 20 };
    int result, left_ms = timeout_ms;
    do {
        const int is_hurried = hangs_now();
        const int part_ms = left_ms <= PIECE_MS || is_hurried || !page ? left_ms : PIECE_MS;
        const int64_t wait_ns = (int64_t)part_ms * 1000000 / (is_hurried ? FACTOR : 1);
        const struct timespec wait = {(time_t)(wait_ns / 1000000000), (long)(wait_ns % 1000000000)};
        result = ppoll(files, n, part_ms < 0 ? NULL : &wait, NULL);
        if (is_hurried && part_ms > 0)
            hurry_jump((double)part_ms * 1e6);
        left_ms -= part_ms;
    } while (result == 0 && left_ms > 0);
    return result;
}

int kill(pid_t pid, int number)
{
    for (int i = 0; page && number == SIGKILL && i < HANGS; i++) {
        struct hang *hang = &page->hangs[i];
        if (!hang->group || hang->group != abs(pid) || hang->end_ns)
            continue;
        if (hang->after_ns > 0)
            hang->end_ns = page->ahead_ns + hang->after_ns;
        else
            hang->group = 0;
    }
    return real_kill(pid, number);
}
