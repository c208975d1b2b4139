/* memory.c - see memory.h. */
#include "core/base/memory.h"

#include "core/base/error.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ARENA_BLOCK_BYTES = 16384, ARENA_ALIGNMENT = 16, EXIT_INTERNAL = 4 };

struct arena_block {
    struct arena_block *next;
    size_t used, capacity;
    _Alignas(ARENA_ALIGNMENT) unsigned char data[];
};

static void *checked(void *block)
{
    if (!block) {
        char text[300];
        int n = snprintf(text, sizeof text, "gbrun: error: %s\n", reason_of(ENOMEM));
        ssize_t ignored = write(STDERR_FILENO, text, (size_t)n);
        (void)ignored;
        _exit(EXIT_INTERNAL);
    }
    return block;
}

void free_pointer(void *address_of_pointer)
{
    void **pointer = address_of_pointer;
    free(*pointer);
    *pointer = NULL;
}

void *memory_allocate(size_t bytes)
{
    return checked(calloc(1, bytes ? bytes : 1));
}

void *memory_resize(void *block, size_t bytes)
{
    return checked(realloc(block, bytes ? bytes : 1));
}

/* Of an array that is full with n items; 0: it is not. */
static size_t larger_capacity(size_t n)
{
    enum { FIRST_CAPACITY = 8 }; /* it doubles from there on */
    if (n == 0)
        return FIRST_CAPACITY;
    return n >= FIRST_CAPACITY && (n & (n - 1)) == 0 ? 2 * n : 0;
}

void *memory_grow(void *items, size_t n, size_t item_bytes)
{
    size_t capacity = larger_capacity(n);
    return capacity ? memory_resize(items, capacity * item_bytes) : items;
}

char *memory_copy_text(const char *text)
{
    return checked(strdup(text));
}

void *arena_allocate(struct arena *arena, size_t bytes)
{
    size_t rounded = (bytes + ARENA_ALIGNMENT - 1) / ARENA_ALIGNMENT * ARENA_ALIGNMENT;
    if (rounded < bytes || rounded > SIZE_MAX - sizeof(struct arena_block))
        checked(NULL);
    struct arena_block *block = arena->blocks;
    /* The system clears a large one, page by page as it is used. */
    const bool is_large = rounded > ARENA_BLOCK_BYTES;
    if (!block || block->capacity - block->used < rounded) {
        size_t capacity = is_large ? rounded : ARENA_BLOCK_BYTES;
        struct arena_block *fresh = checked(is_large ? calloc(1, sizeof *fresh + capacity)
                                                     : malloc(sizeof *fresh + capacity));
        *fresh = (struct arena_block){.capacity = capacity};
        if (block && rounded > ARENA_BLOCK_BYTES / 4) {
            fresh->next = block->next; /* keep the half-empty block in front */
            block->next = fresh;
        } else {
            fresh->next = block;
            arena->blocks = fresh;
        }
        block = fresh;
    }
    void *result = block->data + block->used;
    if (!is_large)
        memset(result, 0, rounded);
    block->used += rounded;
    arena->bytes += rounded;
    return result;
}

char *arena_text_n(struct arena *arena, const char *text, size_t n)
{
    char *copy = arena_allocate(arena, n + 1);
    memcpy(copy, text, n);
    return copy;
}

void *arena_grow(struct arena *arena, void *items, size_t n, size_t item_bytes)
{
    size_t capacity = larger_capacity(n);
    if (!capacity)
        return items;
    void *larger = arena_allocate(arena, capacity * item_bytes);
    if (n)
        memcpy(larger, items, n * item_bytes);
    return larger;
}

char *arena_text(struct arena *arena, const char *text)
{
    return arena_text_n(arena, text, strlen(text));
}

char *arena_printf(struct arena *arena, const char *format, ...)
{
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    int length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    char *text = arena_allocate(arena, (size_t)(length < 0 ? 0 : length) + 1);
    if (length >= 0)
        vsnprintf(text, (size_t)length + 1, format, again);
    va_end(again);
    return text;
}

void arena_adopt(struct arena *arena, struct arena *from)
{
    struct arena_block **last = &arena->blocks;
    while (*last)
        last = &(*last)->next;
    *last = from->blocks;
    arena->bytes += from->bytes;
    *from = (struct arena){0};
}

void arena_free(struct arena *arena)
{
    struct arena_block *block = arena->blocks;
    while (block) {
        struct arena_block *next = block->next;
        free(block);
        block = next;
    }
    *arena = (struct arena){0};
}
