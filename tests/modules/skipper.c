/*
 * skipper.c - calls host->skip with `reason` in the callback named by `where` and returns what
 * that returned. gbrun must show the case as skipped with the reason, and end with exit code 0.
 */
#include "tests/modules/places.h"

#include <gbrun/gbrun.h>
#include <stdlib.h>

struct params {
    int32_t where;
    const char *reason;
};

static const struct gb_option options[] = {
    GB_CHOICE(struct params, where, "create", places, "the callback that misbehaves"),
    GB_STRING(struct params, reason, "needs a device that is not here", "what it says"),
};

struct bench {
    const struct gb_host *host;
    struct params params;
};

static int32_t act(struct bench *bench, int32_t where)
{
    if (where != bench->params.where)
        return GB_OK;
    return bench->host->skip(bench->host, bench->params.reason);
}

#define MODULE_ID "skipper"
#define MODULE_SUMMARY "skips itself"
#include "tests/modules/callbacks.h"
