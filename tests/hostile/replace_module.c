/*
 * replace_module.c - LD_PRELOAD: where REPLACE_WITH names a file that is there, it takes the place
 * of plugins/good.so when that is opened by the dynamic linker: just before (REPLACE=before) or
 * just after it.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#pragma GCC visibility push(default)

static void replace(const char *path, const char *when)
{
    const char *with = getenv("REPLACE_WITH"), *wanted = getenv("REPLACE");
    const char *end = path ? strstr(path, "/plugins/good.so") : NULL;
    if (end && with && wanted && strcmp(wanted, when) == 0)
        rename(with, path);
}

void *dlopen(const char *path, int flags)
{
    static void *(*real_dlopen)(const char *, int);
    if (!real_dlopen)
        *(void **)&real_dlopen = dlsym(RTLD_NEXT, "dlopen");
    replace(path, "before");
    void *handle = real_dlopen(path, flags);
    replace(path, "after");
    return handle;
}
