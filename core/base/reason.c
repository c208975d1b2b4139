/* reason.c - why a function of the system failed: see error.h. A file of its own, below memory.c,
 * which says by it that there is none. */
#include "core/base/error.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

/* Which limits a code may come from, and how a shell shows them. */
static const struct limit {
    int code, resource;
    char flag;
    const char *unit;
    rlim_t unit_bytes;
} limits[] = {
    {EMFILE, RLIMIT_NOFILE, 'n', "", 1},
    {EFBIG, RLIMIT_FSIZE, 'f', " KiB", 1024},
    {ENOMEM, RLIMIT_AS, 'v', " KiB", 1024},
    {EAGAIN, RLIMIT_NPROC, 'u', "", 1},
};

const char *limits_of(int code)
{
    static _Thread_local char words[128];
    *words = 0;
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        struct rlimit now;
        if (limits[i].code != code ||
            getrlimit((__rlimit_resource_t)limits[i].resource, &now) != 0 ||
            now.rlim_cur == RLIM_INFINITY)
            continue;
        snprintf(words, sizeof words, " (the limit, ulimit -%c, is %llu%s)", limits[i].flag,
                 (unsigned long long)(now.rlim_cur / limits[i].unit_bytes), limits[i].unit);
    }
    return words;
}

const char *reason_of(int code)
{
    static _Thread_local char words[256];
    snprintf(words, sizeof words, "%s%s", strerror(code ? code : EIO), limits_of(code));
    return words;
}
