/*
 * search_goal.h - what a stored visit says of a search's goal.
 */
#pragma once

#include "core/config/search_settings.h"
#include "core/store/store_read.h"

#include <gbrun/search.h>

/* Is the goal one word that can be no column? GB_INVALID says so. */
int32_t search_goal_check(const struct search_goal *goal, struct gb_error *error);

/* Reads a goal of many records of one run, which is held as it is until goal_reader_free. `where`:
 * a record for which it is not true is GB_OBSERVED_SKIPPED. */
struct goal_reader;
struct goal_reader *goal_reader_new(struct store *store, int64_t run_number,
                                    const struct search_goal *goal, const char *where);
void goal_reader_free(struct goal_reader *reader); /* NULL allowed */

/*
 * The values of the goal, the smaller the better: those of all samples where it is their time, else
 * one, by the columns of the record. Texts and values are the arena's. Of status and samples only,
 * and the times in c.
 */
int32_t goal_reader_read(struct goal_reader *reader, const struct stored_case *c,
                         struct arena *arena, struct gb_observation *ret, struct gb_error *error);

/* The same of one record of a run in progress. */
int32_t search_goal_observe(struct store *store, int64_t run_number, const struct search_goal *goal,
                            const char *where, int64_t case_id, struct arena *arena,
                            struct stored_case *ret_case, struct gb_observation *ret,
                            struct gb_error *error);

/* When a visit ends: of one that was proposed and began to be built at begun_ns, where the one
 * before it ended at free_ns. All since the search began. */
double search_visit_end(const struct stored_case *c, const struct gb_observation *observation,
                        double begun_ns, double free_ns);
