/*
 * memory.h - going through memory on the CPU as fast as the processor can, and what stands in it.
 * Plugin side.
 *
 * Word i of what is read and copied is i times an odd number, so no two are alike. The numbers of a
 * triad are whole and small, so that it is exact.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum { MEMORY_STEP_BYTES = 512 }; /* arrays are aligned to, and a multiple of, as much */

#define MEMORY_SCALE 3.0 /* of the triad, a = b + scale c */

struct memory_ways {
    const char *name;
    uint32_t n_lanes;    /* words of a vector, at most 8 */
    bool is_past_caches; /* stores are */
    bool (*is_here)(void);
    /* n_passes times through arrays of so many bytes, with nothing else between the passes. */
    uint64_t (*read)(const void *from, uint64_t bytes, uint64_t n_passes);
    void (*write)(void *to, uint64_t bytes, uint64_t n_passes, uint64_t word);
    void (*copy)(void *to, const void *from, uint64_t bytes, uint64_t n_passes);
    void (*triad)(void *to, const void *b, const void *c, uint64_t bytes, /* of doubles */
                  uint64_t n_passes);
};

/* All that this build has, the best first; is_here says what this processor can run. */
extern const struct memory_ways memory_ways[];
extern const uint32_t n_memory_ways;

/* The best that are here; is_past_caches: if there are such. */
const struct memory_ways *memory_ways_here(bool is_past_caches);

/* Words for reading and copying from number `first` on; b (which = 1) or c (2) of a triad. */
void memory_fill(void *array, uint64_t bytes, uint64_t first);
void memory_fill_triad(void *array, uint64_t bytes, uint64_t first, uint32_t which);

/* What read gives for one pass through words from `first` on: word i goes to lane i modulo n_lanes,
 * lanes are the exclusive or of their words, and are added up. More passes give as many times that.
 */
uint64_t memory_sum(uint64_t first, uint64_t bytes, uint32_t n_lanes);

/* How many words are as they should be after an ACCESS_WRITE (roofs.h) of `written`, ACCESS_COPY or
 * ACCESS_TRIAD. */
uint64_t memory_right(int32_t access, const void *array, uint64_t bytes, uint64_t first,
                      uint64_t written);

/* --- how large the caches are that some CPUs have --- */

enum { CACHES_CPUS_MAX = 1024 }; /* more at once are not known */

/* What each of the CPUs has of a cache of the level, 1 to 4, for data, if it shares it evenly with
 * those of them that use the same one; the smallest share. 0: there is none, or it is not known. */
uint64_t caches_share(const char *folder, const uint32_t *cpus, uint32_t n, uint32_t level);

/* All caches of the highest level together, each counted once. 0: not known. */
uint64_t caches_last_level(const char *folder, const uint32_t *cpus, uint32_t n);
