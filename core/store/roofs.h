/*
 * roofs.h - what bounds a case: the roofline model (Williams, Waterman, Patterson: "Roofline: an
 * insightful visual performance model for multicore architectures", CACM 52 (4), 2009).
 *
 *   time = max(bytes / bandwidth, operations / rate)    as if both overlapped perfectly
 *   a case is math-bound if operations / bytes > rate / bandwidth, the ridge point
 *
 * Roofs are measured by the benchmark `ceilings` and have its names: LEVEL_ACCESS is a bandwidth in
 * bytes/s (dram_copy, l2_read), FORMAT_UNIT a rate in operations/s (fp32_fma, bf16_tensor). They
 * are found in results files by the device's model.
 *
 * A roof is the highest rate of all ok cases of one run for it, by whatever method and number of
 * threads. The roofs of a set are all of one run and one model, so that they belong together. Roofs
 * are doubtful if the policy was undecided when it ended, or if threads waited for processors for
 * more than 5 % of the time. A roof of a cache that is lower, by more than 2 %, than the same
 * access to a level farther out contradicts it and is left out.
 */
#pragma once

#include "core/store/store_read.h"

struct roof {
    const char *name;
    double rate;      /* bytes/s or operations/s; finite, above 0 */
    bool is_doubtful; /* what measured it was not certified, or disturbed */
};

struct roofs {
    struct roof *items; /* each name once */
    size_t n;
};

enum { BOUND_UNKNOWN, BOUND_MEMORY, BOUND_MATH, BOUND_LATENCY };
const char *bound_word(int bound); /* "memory-bound" ...; NULL: unknown */

/* Where a case stands under its roofs. What is not known is NaN or NULL. */
struct roofline {
    double intensity;          /* operations a byte; NaN unless both are declared */
    const struct roof *memory; /* what its bytes are compared with */
    const struct roof *math;   /* what its operations are compared with */
    double ridge;              /* operations a byte: math over memory */
    int bound;                 /* BOUND_... */
    const struct roof *roof;   /* the one that gives model_ns */
    double model_ns;           /* of an iteration */
};

/* Where the bytes of a case are. LEVEL_LAST: in the last cache, whichever that is. */
enum { LEVEL_DRAM, LEVEL_LAST, LEVEL_L3, LEVEL_L2, LEVEL_L1, LEVELS };

/*
 * Bytes are compared with the bandwidth of their level (LEVEL_LAST: l3 where there are roofs of it,
 * else l2), or, where none was measured, of the next outer level: of those measured the one whose
 * share of writes (read 0, triad 1/3, copy 1/2, write 1) is nearest to the work's; of two as near
 * the one with fewer writes. Operations are compared with the rate of the format and unit that the
 * work names, or else not at all: no rate is guessed. Where both are declared and one roof is not
 * known, the other gives model_ns, but the bound is unknown. Amounts that are not finite and above
 * 0 are not declared.
 */
void roofline_of(const struct roofs *roofs, const struct gb_work *work, int level,
                 struct roofline *ret);

/* The roof of that name, or NULL. */
const struct roof *roof_named(const struct roofs *roofs, const char *name);
/* Is it a bandwidth? False: a rate of operations. */
bool roof_is_memory(const char *name);

struct roof_set {
    struct roofs roofs;
    struct roofs of_one_thread; /* of a CPU; empty: not measured */
    const char *model;          /* of the device */
    const char *source;         /* "run 3 of ceilings.gbr, 2026-01-01 10:00:00 UTC", and which roofs
                                   are doubtful or left out */
    const char *run_uuid;       /* of the run that measured them */
    bool is_chosen;             /* of a file that the user named on the command line */
    bool is_used;               /* for the user of the set */
};

/* Zero-initialize, with an arena, which holds all of it. */
struct roof_library {
    struct arena *arena;
    struct roof_set **sets; /* addresses stay */
    size_t n;
};

/* Adds the sets of an open file, the newest run first; path: for `source`. */
int32_t roof_library_add(struct roof_library *library, struct store *store, const char *path,
                         bool is_chosen, struct gb_error *error);
/* The same of a file that is opened and closed again. */
int32_t roof_library_add_file(struct roof_library *library, const char *path, bool is_chosen,
                              struct gb_error *error);

/*
 * Where a user keeps the roofs of devices: $XDG_DATA_HOME/gbrun/roofs.gbr, or
 * ~/.local/share/gbrun/roofs.gbr (XDG Base Directory Specification). False: there is no such file.
 */
bool roof_library_user_file(struct text *ret_path);

/*
 * The set for a device of the model, as seen by a case of a run: of a file that was chosen, else of
 * that run itself, else the first that was added. NULL: there is none.
 */
struct roof_set *roof_library_find(const struct roof_library *library, const char *model,
                                   const char *run_uuid);

/* Is it a case that measures a roof? */
bool is_roof(const struct stored_case *c);

/*
 * Where a stored case stands. device: for its facts cache_bytes, units and, of a CPU, l1_bytes and
 * l2_bytes, of one cache, and l1_shared_by to l3_shared_by, which of the CPUs use the first one's.
 * A case whose caches are warm is compared with the innermost level that holds its declared bytes,
 * on a CPU each thread's share of them times the threads that share a cache: threads are what its
 * options `threads` or else `streams` say, or one, and are on the first CPUs. A case of one thread
 * is compared with roofs that one thread reached, where all of them are known, or where one of them
 * alone is lower than those of all threads. A case of `ceilings` is compared with the roof that it
 * measures.
 *
 * Where the bound would be known, it is BOUND_LATENCY for a case that takes more than four times
 * its model_ns and is too small to fill the device. On a CPU: model_ns is below 1 us, so that less
 * is done than what can be under way within a latency. On a GPU: it takes more than four times what
 * its operations take at the rate of as many multiprocessors as it can have blocks on, and none of
 * its kernels can fill the device: there are fewer blocks than multiprocessors, or an occupancy
 * below 10 %. Kernels of a parallel section count together. A case with copies, or with kernels
 * that are not known, keeps its bound.
 */
void roofline_of_case(const struct roof_set *set, const struct stored_case *c,
                      const struct device_record *device, struct roofline *ret);
