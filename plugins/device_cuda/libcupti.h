/* libcupti.h - opening libcupti, for its records (cupti.c) and its profiler. Plugin side. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Functions of the library by their names, and where their addresses go. */
struct libcupti_functions {
    const char *const *names;
    void **const *members;
    size_t n;
    const char *remedy; /* what is printed after the name of a function that is missing */
};

/* path: of the library, or "" for the one that is found. False: reason says why. The library stays
 * open for the life of the process. */
bool libcupti_load(const char *path, const struct libcupti_functions *functions, char *reason,
                   size_t bytes);
