/*
 * call_world.h - the values of a plan made real: memory, addresses, variables. Plugin side.
 *
 * The function that is measured and its reference each have a world of their own, with buffers of
 * the same contents, so that neither sees what the other wrote; variables belong to both.
 */
#pragma once

#include "call_library.h"

enum { RAW_BYTES = MEMBERS_MAX * 8 };

/* A value as it is passed: a scalar or a struct of up to RAW_BYTES. */
struct raw {
    _Alignas(16) unsigned char bytes[RAW_BYTES];
};

/* What an entry has become. */
struct made {
    bool is_made;
    void *memory;   /* the address it stands for; of numbers, structs and variables: none */
    void *pristine; /* of a buffer that is restored: its first contents */
    void *copy;     /* of a buffer: what it was when it was read last, or is kept */
    bool is_kept;   /* the copy counts */
    void *contents; /* likewise, where a reference has the same: what it was filled with */
};

struct world {
    const struct plan *plan;
    void *library;   /* for symbols */
    bool is_on_host; /* all buffers are host memory */
    bool is_shared;  /* buffers are common to two processes: memory of the device in any case */
    bool is_read;    /* all buffers can be read in place, and inputs are compared, too */
    /* Of a device that fills judged buffers itself; NULL: the host does. */
    const struct gb_queue *queue;
    const struct gb_queue *filling; /* on which the device fills others; likewise */
    uint64_t set; /* of random numbers that buffers are filled with; 0 is the first */
    void *stream;
    struct made *made;        /* of all entries of the plan */
    const struct world *like; /* made before, and filled with the same: no need to draw it again */
    uint64_t *variables;      /* VARIABLES_MAX */
    bool *is_set;             /* likewise */
    struct closure *closures;
};

/* Allocates the lists; nothing is made yet. variables, is_set: those of another world to share, or
 * NULL for new ones. */
int32_t world_new(const struct plan *plan, struct world *ret);
/* Frees callbacks and contents; other memory is the host's. */
void world_free(struct world *world);

/* Makes an argument as a value of a type. */
int32_t world_argument(struct world *world, const struct entry *entry, const struct type *type,
                       struct raw *ret);
/* Makes all arguments of a routine. */
int32_t world_arguments(struct world *world, const struct routine *routine, struct raw *ret_values);
/* One argument of a call of `before` or `after`, whose type follows from the value
 * where none is given: numbers are int, long or double, all else is an address. */
int32_t world_call_argument(struct world *world, const struct call_argument *argument,
                            enum type_id *ret_type, struct raw *ret);

/* Makes what is still missing. */
int32_t world_complete(struct world *world);
/* Restores the first contents of the buffers that ask for it. */
int32_t world_restore(struct world *world);
bool world_restores(const struct plan *plan);

/*
 * Fills the buffers that were made once more, as they were filled first but with the random numbers
 * of the set; outputs that no key fills get numbers that could be results. Buffers that calls of
 * `before` are given stay as those left them. Where results are compared with what the
 * configuration expects, which may be that of one set only, it is set 0.
 */
int32_t world_refresh(struct world *world, uint64_t set);

uint64_t buffer_bytes(const struct buffer *buffer);
/* The contents of a buffer in host memory: the buffer itself or a copy, which the next one
 * replaces. */
int32_t world_read(const struct world *world, const struct entry *entry, const void **ret);
/* Copies the results as they are now: what is written later is read no more, until none are kept.
 */
int32_t world_keep(struct world *world, bool is_kept);
struct made *world_made(const struct world *world, const struct entry *entry);
