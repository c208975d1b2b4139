/*
 * slow.c - sleeps for `time` in the callback named by `where`. gbrun must show the right times for
 * it, hold its limits (max_time, time_limit) and answer Ctrl-C while it sleeps.
 */
#define _POSIX_C_SOURCE 200809L
#include "tests/modules/hurry.h"
#include "tests/modules/places.h"
#include <errno.h>

#include <gbrun/gbrun.h>
#include <stdlib.h>
#include <time.h>

struct params {
    int32_t where;
    double time;
};

static const struct gb_option options[] = {
    GB_CHOICE(struct params, where, "run", places, "the callback that misbehaves"),
    GB_DURATION(struct params, time, "1ms", "0:", "how long it sleeps"),
};

struct bench {
    const struct gb_host *host;
    struct params params;
};

static int32_t act(struct bench *bench, int32_t where)
{
    double seconds = bench->params.time / 1e9;
    struct timespec left;
    if (where != bench->params.where || hurry_pass(bench->params.time))
        return GB_OK;
    left.tv_sec = (time_t)seconds;
    left.tv_nsec = (long)((seconds - (double)left.tv_sec) * 1e9);
    while (nanosleep(&left, &left) != 0 && errno == EINTR)
        continue;
    return GB_OK;
}

#define MODULE_ID "slow"
#define MODULE_SUMMARY "sleeps"
#include "tests/modules/callbacks.h"
