/*
 * warm.h - what a benchmark loads once for several processes.
 */
#ifndef GBRUN_WARM_H
#define GBRUN_WARM_H

#include <gbrun/bench.h>

/*
 * extension(GB_WARM) of a benchmark's descriptor: what a case needs and takes long to load, such as
 * an interpreter and its libraries, is loaded in a process that the processes of cases are forked
 * from. That one opens no device and has one thread when it is forked; else each process loads
 * all for itself. On the device `cpu` only judged processes are forked: those of other cases are to
 * differ by what the start of a process fixes.
 */
#define GB_WARM "gbrun.warm/1"

struct gb_warm {
    uint32_t size;
    uint32_t reserved;
    /* 1: `warm` would load something that takes long; 0: not. host->folder, memory and fail are
     * there. */
    int32_t (*is_cold)(const struct gb_host *host, const void *params);
    /* Loads what a case with these parameters needs, and nothing that is measured; again for each
     * case. Likewise. */
    int32_t (*warm)(const struct gb_host *host, const void *params);
    /* As fork(), of what warm has loaded; the environment may have changed since. */
    int32_t (*fork)(void);
};

#endif
