/*
 * search_goals_check.h - goals that cannot be, before anything is measured.
 */
#pragma once

#include "core/config/settings.h"

/* Of each search that benchmarks of the sweep name: is a goal one word that is neither a result
 * column nor an axis of its space? Such goals are added to the errors, where they stand:
 * GB_INVALID.
 */
int32_t search_goals_check(struct sweep *sweep, struct arena *arena, struct error_list *errors);
