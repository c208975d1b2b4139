/*
 * search_goal.h - what a stored visit says of a search's goal.
 */
#pragma once

#include "core/config/search_settings.h"
#include "core/store/store_read.h"

#include <gbrun/search.h>

/* Is the goal one word that can be no column? GB_INVALID says so. */
int32_t search_goal_check(const struct search_goal *goal, struct gb_error *error);

/*
 * The values of the goal, the smaller the better: those of all samples where it is their time, else
 * one, by the columns of the record. Texts and values are the arena's. `where`: a record for which
 * it is not true is GB_OBSERVED_SKIPPED. Of status and samples only, and the times in c.
 */
int32_t search_goal_observe(struct store *store, int64_t run_number, const struct search_goal *goal,
                            const char *where, int64_t case_id, struct arena *arena,
                            struct stored_case *ret_case, struct gb_observation *ret,
                            struct gb_error *error);

/* When a visit ends: of one that was proposed and began to be built at begun_ns, where the one
 * before it ended at free_ns. All since the search began. */
double search_visit_end(const struct stored_case *c, const struct gb_observation *observation,
                        double begun_ns, double free_ns);
