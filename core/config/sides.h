/*
 * sides.h - two sides of benchmarks, as `gbrun ab` measures them: [ab NAME] sections, the sections
 * of the sides, and which of their cases belong together.
 *
 * Of [bench copy] that a side changes there are two sections then: [bench copy], with what the base
 * changes, and [bench copy@new]; cases of both are called copy, and the axis `side` says base or
 * new. What is stored as the run's configuration has both.
 */
#pragma once

#include "core/config/settings.h"

#define SIDE_AXIS "side"
#define SIDES_ORIGIN "ab"  /* the file of keys that come from no file but the sides */
#define SIDE_SUFFIX "@new" /* of the section's name */
enum { SIDE_BASE, SIDE_NEW, SIDES };
extern const char *const side_words[SIDES];

/* [ab NAME]; filled from ab_options(). */
struct ab_params {
    struct gb_list base, new; /* const char *: KEY=VALUE, or BENCH.KEY=VALUE */
    double margin, alpha;
    int64_t max_rounds;
    double visit_ns; /* max_time of each case */
    /* not options */
    struct text_list changes[SIDES]; /* base and new, with their origins */
    bool has_fresh_processes; /* each visit, unless the benchmark or [defaults] says isolate */
};
struct option_table ab_options(void);

/* Reads a section; adds what is wrong with it alone. */
int32_t ab_section_read(const struct ini_section *section, struct arena *arena,
                        struct ab_params *ret, struct error_list *errors);

/*
 * The [ab NAME] meant: that of a name; NULL: the only one, and where there is none, or is_new, one
 * that is added. Others are taken out of the configuration. NULL, and an error is added: there is
 * no such, or it is not clear which.
 */
struct ini_section *ab_section_choose(struct ini *ini, const char *name, bool is_new,
                                      struct arena *arena, struct error_list *errors);

/*
 * Makes the sections of both sides. Each that a change is put into gets the axis, `rounds` and
 * `max_time`; those that no side changes stay as they are.
 */
int32_t sides_make(struct ini *ini, const struct ab_params *params, struct arena *arena,
                   struct error_list *errors);

/* The cases of both sides that are the same but for the side: their positions, in the order of the
 * sweep. */
struct side_pair {
    uint64_t positions[SIDES];
};
int32_t sides_pair(struct sweep *sweep, struct arena *arena, struct side_pair **ret, size_t *ret_n,
                   struct error_list *errors);
