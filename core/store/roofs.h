/*
 * roofs.h - the roofs that there are of a device: measured by cases of the plugin `ceilings`, found
 * in results files by the device's model.
 *
 * A roof is the highest rate of all ok cases of one run for it, by whatever method and number of
 * threads. The roofs of a set are all of one run and one model, so that they belong together. Roofs
 * are doubtful if the policy was undecided when it ended, or if threads waited for processors for
 * more than 5 % of the time. A roof of a cache that is lower, by more than 2 %, than the same
 * access to a level farther out contradicts it and is left out.
 */
#pragma once

#include "core/store/roofline.h"
#include "core/store/store_read.h"

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
