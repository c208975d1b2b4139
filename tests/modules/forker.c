/*
 * forker.c - leaves something running, in the callback named by `where`: a child process that
 * inherits every descriptor, the worker's socket with them, and sleeps for a minute; threads that
 * never end; or both. gbrun must not wait for them: a worker that is done or dead is noticed
 * although a child still holds its socket. Or the child returns as if it were the worker, and must
 * not speak for it.
 */
#define _GNU_SOURCE
#include "tests/modules/places.h"

#include <gbrun/gbrun.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

static const char *const kinds[] = {"child", "threads", "both", "returns"};
enum { CHILD, THREADS, BOTH, RETURNS };

struct params {
    int32_t where;
    int32_t kind;
    int64_t seconds;
    int32_t dies;
};

static const struct gb_option options[] = {
    GB_CHOICE(struct params, where, "prepare", places, "the callback that misbehaves"),
    GB_CHOICE(struct params, kind, "both", kinds, "what it leaves running"),
    GB_INT(struct params, seconds, "60", "0:600", "s", "life of the child"),
    GB_BOOL(struct params, dies, "no", "abort when the child has been forked"),
};

struct bench {
    const struct gb_host *host;
    struct params params;
};

static void *sleep_for_ever(void *unused)
{
    for (;;)
        pause();
    return unused;
}

static int32_t start_threads(void)
{
    for (int i = 0; i < 4; i++) {
        pthread_t thread;
        if (pthread_create(&thread, NULL, sleep_for_ever, NULL) != 0)
            return GB_NO_MEMORY;
    }
    return GB_OK;
}

static int32_t start_child(const struct params *params)
{
    pid_t child = fork();
    if (child == 0 && params->kind != RETURNS) {
        sleep((unsigned)params->seconds);
        _exit(0);
    }
    return child >= 0 ? GB_OK : GB_NO_MEMORY;
}

static int32_t act(struct bench *bench, int32_t where)
{
    int32_t status = GB_OK;
    if (where != bench->params.where)
        return GB_OK;
    if (bench->params.kind != THREADS)
        status = start_child(&bench->params);
    if (bench->params.dies)
        abort();
    if (status == GB_OK && (bench->params.kind == THREADS || bench->params.kind == BOTH))
        status = start_threads();
    return status;
}

#define MODULE_ID "forker"
#define MODULE_SUMMARY "leaves a child and threads running"
#include "tests/modules/callbacks.h"
