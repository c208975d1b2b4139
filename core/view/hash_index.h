/*
 * hash_index.h - items of an array by a hash of what names them, so that many are found as fast as
 * few.
 */
#pragma once

#include "core/base/memory.h"

/* Zero-initialize. */
struct hash_index {
    struct hash_slot *slots; /* in the arena that items are added with; a power of 2 */
    size_t n_slots, n;
};

#define HASH_NONE SIZE_MAX

/* The number of the next item that was added with the hash; HASH_NONE: there is none. *at: where to
 * continue; begin with 0. Others may share a hash: the caller compares. */
size_t hash_index_next(const struct hash_index *index, uint64_t hash, size_t *at);
/* The number of the item with the name, which is the first member of each; HASH_NONE: there is
 * none. Items are added with hash_text(HASH_START, name). */
size_t hash_index_named(const struct hash_index *index, const char *name, const void *items,
                        size_t item_bytes);
void hash_index_add(struct hash_index *index, uint64_t hash, size_t item, struct arena *arena);
