/* hash_index.c - see hash_index.h. */
#include "core/view/hash_index.h"

#include "core/base/text.h"

struct hash_slot {
    uint64_t hash;
    size_t number; /* of the item, from 1; 0: the slot is free */
};

static struct hash_slot *slot_at(const struct hash_index *index, uint64_t hash, size_t at)
{
    return &index->slots[((size_t)(hash ^ hash >> 32) + at) & (index->n_slots - 1)];
}

size_t hash_index_next(const struct hash_index *index, uint64_t hash, size_t *at)
{
    while (index->n_slots) {
        const struct hash_slot *slot = slot_at(index, hash, (*at)++);
        if (!slot->number)
            break;
        if (slot->hash == hash)
            return slot->number - 1;
    }
    return HASH_NONE;
}

size_t hash_index_named(const struct hash_index *index, const char *name, const void *items,
                        size_t item_bytes)
{
    const uint64_t hash = hash_text(HASH_START, name);
    size_t at = 0, i;
    while ((i = hash_index_next(index, hash, &at)) != HASH_NONE)
        if (text_equal(*(const char *const *)((const char *)items + i * item_bytes), name))
            break;
    return i;
}

static void put(struct hash_index *index, uint64_t hash, size_t number)
{
    size_t at = 0;
    while (slot_at(index, hash, at)->number)
        at++;
    *slot_at(index, hash, at) = (struct hash_slot){hash, number};
}

void hash_index_add(struct hash_index *index, uint64_t hash, size_t item, struct arena *arena)
{
    if (2 * (index->n + 1) > index->n_slots) {
        const struct hash_index old = *index;
        index->n_slots = old.n_slots ? 2 * old.n_slots : 16;
        index->slots = ARENA_ARRAY(arena, struct hash_slot, index->n_slots);
        for (size_t i = 0; i < old.n_slots; i++)
            if (old.slots[i].number)
                put(index, old.slots[i].hash, old.slots[i].number);
    }
    put(index, hash, item + 1);
    index->n++;
}
