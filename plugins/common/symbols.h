/*
 * symbols.h - functions of a library that is opened when it is needed, found by a table. Plugin
 * side.
 */
#pragma once

#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

struct symbol {
    const char *name;
    void *to; /* the address of the pointer to the function */
};

/* Fills in the pointers. Returns the name of the first that the library lacks, or NULL. */
static inline const char *find_symbols(void *library, const struct symbol *symbols, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        void *found = dlsym(library, symbols[i].name);
        if (found == NULL)
            return symbols[i].name;
        memcpy(symbols[i].to, &found, sizeof found);
    }
    return NULL;
}

/* Of an array that is a table. */
#define FIND_SYMBOLS(library, table) find_symbols(library, table, sizeof(table) / sizeof *(table))
