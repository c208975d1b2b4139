/*
 * memory.h - memory by lifetime.
 *
 * An arena holds things that die together: those of a run, of a configuration, of a case. Small
 * allocations that fail end the program with a message (there is nothing left to do); blocks whose
 * size a user or a plugin chose are allocated with plain malloc, where a failure can be reported.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Runs the named clean-up when the variable goes out of scope: CLEANUP(text_free) struct text t =
 * {0}; */
#define CLEANUP(function) __attribute__((cleanup(function)))
/* For char * and the like: free_pointer takes the variable's address. */
void free_pointer(void *address_of_pointer);

/* malloc, realloc, strdup that do not return NULL: they end the program with exit code 4. */
void *memory_allocate(size_t bytes); /* zeroed */
void *memory_resize(void *block, size_t bytes);
char *memory_copy_text(const char *text);
/* An array of n items with room for one more, perhaps at another place; begin with NULL and 0. Its
 * capacity follows from n, so every item must be added through this. */
void *memory_grow(void *items, size_t n, size_t item_bytes);

/* Room for one more item, of which there are n, and the same with its value; every item must be
 * added through these. */
#define MEMORY_ADD(items, n) ((items) = memory_grow((items), (n), sizeof *(items)), &(items)[(n)++])
#define MEMORY_APPEND(items, n, ...)                                                               \
    ((items) = memory_grow((items), (n), sizeof *(items)), (items)[(n)++] = __VA_ARGS__)

/* Zero-initialize; arena_free leaves it empty and usable again. */
struct arena {
    struct arena_block *blocks;
    size_t bytes; /* handed out so far */
};

void *arena_allocate(struct arena *arena, size_t bytes); /* zeroed, aligned to 16 bytes */
/* The same as memory_grow in an arena, which keeps smaller copies too. */
void *arena_grow(struct arena *arena, void *items, size_t n, size_t item_bytes);
char *arena_text(struct arena *arena, const char *text);
char *arena_text_n(struct arena *arena, const char *text, size_t n);
char *arena_printf(struct arena *arena, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Moves all that `from` holds to `arena`: it lives as long as that one now. */
void arena_adopt(struct arena *arena, struct arena *from);
void arena_free(struct arena *arena);

#define ARENA_NEW(arena, type) ((type *)arena_allocate((arena), sizeof(type)))
/* As MEMORY_ADD and MEMORY_APPEND, of an array in an arena. */
#define ARENA_ADD(arena, items, n)                                                                 \
    ((items) = arena_grow((arena), (items), (n), sizeof *(items)), &(items)[(n)++])
#define ARENA_APPEND(arena, items, n, ...)                                                         \
    ((items) = arena_grow((arena), (items), (n), sizeof *(items)), (items)[(n)++] = __VA_ARGS__)
#define ARENA_ARRAY(arena, type, n) ((type *)arena_allocate((arena), sizeof(type) * (size_t)(n)))
