/*
 * space.h - the cases that a search chooses from: axes, and which of their product exist.
 *
 * Built case by case: the values of an axis are those that its cases have. Numbers are put in
 * ascending order; an axis with a value that is no number is one of words, in the order they came
 * in. A case costs 4 bytes an axis while it is built, 12 afterwards.
 */
#pragma once

#include "core/base/error.h"
#include "core/base/memory.h"
#include "core/base/text.h"

#include <gbrun/search.h>

struct space; /* opaque */

/* Axes by name, n_axes of at least 1; the texts are copied. */
struct space *space_new(const char *const *names, size_t n_axes);

/* The next case: its value on each axis, as text. */
void space_add(struct space *space, const char *const *texts);

/* Makes it ready for what follows. GB_INVALID: no case, or two with the same values; the error
 * names them. GB_UNSUPPORTED: the product of the axes has more than 2^63 points. */
int32_t space_finish(struct space *space, struct gb_error *error);

uint64_t space_size(const struct space *space);
size_t space_axes(const struct space *space);
/* space_axes of them; the space's. */
const struct gb_search_axis *const *space_axis_list(const struct space *space);

/* See struct gb_search_space. */
int32_t space_place(const struct space *space, uint64_t i, uint32_t *ret_indices);
uint64_t space_find(const struct space *space, const uint32_t *indices);

void space_free(struct space *space); /* NULL allowed */
