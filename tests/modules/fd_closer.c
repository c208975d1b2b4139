/*
 * fd_closer.c - closes every file descriptor from 0 to 1023 in the callback named by `where`, the
 * worker's socket with them. gbrun must report the case as crashed (closed its connection) and go
 * on in a fresh worker.
 */
#include "tests/modules/places.h"

#include <gbrun/gbrun.h>
#include <stdlib.h>
#include <unistd.h>

struct params {
    int32_t where;
};

static const struct gb_option options[] = {
    GB_CHOICE(struct params, where, "prepare", places, "the callback that misbehaves"),
};

struct bench {
    const struct gb_host *host;
    struct params params;
};

static int32_t act(struct bench *bench, int32_t where)
{
    if (where == bench->params.where) {
        for (int descriptor = 0; descriptor < 1024; descriptor++)
            close(descriptor);
    }
    return GB_OK;
}

#define MODULE_ID "fd_closer"
#define MODULE_SUMMARY "closes all file descriptors"
#include "tests/modules/callbacks.h"
