/*
 * hurry.h - time that does not have to be waited for, in a run that a test starts with `hurry` of
 * tests/tap.sh (in others these do nothing). A module that is about to hang says so, and its time
 * limit is over at once; see tests/hurry.c. The headers of C that nearly every module needs come
 * from here.
 */
#ifndef TESTS_MODULES_HURRY_H
#define TESTS_MODULES_HURRY_H

#include "tests/modules/host_time.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Callbacks of modules look at few of their arguments. */
#pragma GCC diagnostic ignored "-Wunused-parameter"

__attribute__((weak, visibility("default"))) void hurry_from_now(double after_ns);
__attribute__((weak, visibility("default"))) void hurry_no_more(void);
__attribute__((weak, visibility("default"))) int hurry_jump(double ns);

/* Whoever reads the pipe HURRY_TELL, in any run, has read all of it when this begins.
 * This process hangs from now on: whoever polls finds its time over at once, until gbrun has killed
 * this process, and for `after_ns` more of that time. */
static inline void hurry_hang(double after_ns)
{
    const char *tell = getenv("HURRY_TELL");
    const int pipe_end = tell ? open(tell, O_WRONLY | O_CLOEXEC) : -1;
    if (pipe_end >= 0)
        close(pipe_end);
    if (hurry_from_now)
        hurry_from_now(after_ns);
}

static inline void hang(void)
{
    hurry_hang(0);
    for (;;)
        pause();
}

/* This process thinks for so long, of which others miss nothing: their polls make it pass. */
static inline void hurry_think(double ns)
{
    const double begin_ns = now_ns();
    if (hurry_from_now)
        hurry_from_now(0);
    while (now_ns() - begin_ns < ns)
        wait_ns(1e6);
    if (hurry_no_more)
        hurry_no_more();
}

/* So much time is over in all processes of the run, if it is started so: 1. (The supervisor's
 * limits count at most 500 ms of a jump.) */
static inline int hurry_pass(double ns)
{
    return hurry_jump && hurry_jump(ns);
}

#endif
