/*
 * shared_memory.h - memory of two processes, at the same addresses in both.
 */
#pragma once

#include "core/base/error.h"

#include <stdint.h>

struct shared_memory {
    int file;
    unsigned char *base;
    uint64_t bytes;
    uint64_t used; /* from the beginning; each process has its own count */
};

/* Pages come into being when they are written to. The caller gives the file to the other process.
 */
int32_t shared_memory_new(uint64_t bytes, struct shared_memory *ret, struct gb_error *error);
/* In the other process; `file` is taken over. False: the addresses are in use. */
bool shared_memory_map(int file, uintptr_t base, uint64_t bytes, struct shared_memory *ret);

/* The next bytes, aligned for any device; zeros. NULL: there are not so many left. */
void *shared_memory_take(struct shared_memory *memory, uint64_t bytes);

void shared_memory_free(struct shared_memory *memory); /* zeroed allowed */
