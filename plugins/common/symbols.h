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

/* Fills in all pointers, NULL for what the library lacks; returns the first such name, or NULL. */
static inline const char *find_symbols(void *library, const struct symbol *symbols, size_t n)
{
    const char *missing = NULL;
    for (size_t i = 0; i < n; i++) {
        void *found = dlsym(library, symbols[i].name);
        memcpy(symbols[i].to, &found, sizeof found);
        if (found == NULL && missing == NULL)
            missing = symbols[i].name;
    }
    return missing;
}

/* Of an array that is a table. */
#define FIND_SYMBOLS(library, table) find_symbols(library, table, sizeof(table) / sizeof *(table))

/* For lists X(member, symbol, ...) of what a header declares, or X(member, symbol, result,
 * parameters): the members of a struct, and the table of what goes into the struct that `functions`
 * points to. */
#define SYMBOL_MEMBER(member, symbol, ...) __typeof__(symbol) *member;
#define SYMBOL_FUNCTION(member, symbol, result, parameters) result(*member) parameters;
#define SYMBOL_LINE(member, symbol, ...) {#symbol, &functions->member},
