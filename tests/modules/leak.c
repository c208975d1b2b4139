/*
 * leak.c - allocates and touches `bytes` of memory with malloc at each call of `where` and never
 * frees it. gbrun must not grow with it: the memory goes when the worker does; where there is too
 * little, the case alone is lost.
 */
#include "tests/modules/places.h"

#include <gbrun/gbrun.h>
#include <stdlib.h>
#include <string.h>

struct params {
    int32_t where;
    uint64_t bytes;
};

static const struct gb_option options[] = {
    GB_CHOICE(struct params, where, "prepare", places, "the callback that misbehaves"),
    GB_BYTES(struct params, bytes, "1GiB", "1:", "memory lost at each call"),
};

struct bench {
    const struct gb_host *host;
    struct params params;
};

static int32_t act(struct bench *bench, int32_t where)
{
    char *volatile lost;
    if (where != bench->params.where)
        return GB_OK;
    lost = malloc(bench->params.bytes);
    if (!lost)
        return GB_NO_MEMORY;
    memset(lost, 1, bench->params.bytes);
    GB_KEEP(lost); /* or the compiler leaves out what nobody reads */
    return GB_OK;  /* NOLINT(clang-analyzer-unix.Malloc): on purpose */
}

#define MODULE_ID "leak"
#define MODULE_SUMMARY "never frees its memory"
#include "tests/modules/callbacks.h"
