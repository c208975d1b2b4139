/* harm.h - what several modules do that misbehave. */
#pragma once

#include "tests/modules/hurry.h"

static inline void store_nowhere(void)
{
    volatile int *volatile nowhere = NULL;
    *nowhere = 1;
}

static inline int deepen(volatile int *depth)
{
    volatile char page[4096];
    page[0] = (char)*depth;
    *depth += 1;
    return *depth < 0 ? 0 : deepen(depth) + page[0];
}

static inline int overflow_stack(void)
{
    volatile int depth = 0;
    return deepen(&depth);
}

static inline void compute_for_ever(void)
{
    volatile int for_ever = 1;
    hurry_hang(0);
    while (for_ever)
        continue;
}

/* Of the page that the worker shares with its supervisor; 0: there is none. */
static inline int worker_page(unsigned long *begin, unsigned long *end)
{
    char line[512];
    FILE *maps = fopen("/proc/self/maps", "r");
    int is_found = 0;
    while (maps && !is_found && fgets(line, sizeof line, maps))
        is_found = strstr(line, "memfd:gbrun worker") && sscanf(line, "%lx-%lx", begin, end) == 2;
    if (maps)
        fclose(maps);
    return is_found;
}
