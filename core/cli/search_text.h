/*
 * search_text.h - what a search of a run found, as text: the claim, the best against time, which
 * axes matter.
 */
#pragma once

#include "core/base/text.h"
#include "core/store/store_read.h"

/* Names of the run's searches, in the order they ended; in the arena. */
size_t search_names(const struct stored_run *run, struct arena *arena, const char ***ret);

/* Reads the visits of one of them, and writes all that is known. */
int32_t search_write(struct store *store, const struct stored_run *run, const char *name,
                     struct text *out, struct gb_error *error);
