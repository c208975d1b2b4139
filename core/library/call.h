/*
 * call.h - one measurement of a subject, which gbrun_measure makes once and gbrun_compare visit by
 * visit.
 */
#pragma once

#include "core/library/request.h"
#include "core/library/result.h"

/* False: the subject cannot be measured, and the result says why. function: for its words. */
bool call_is_sound(const struct gbrun_subject *subject, const char *function,
                   struct result *result);

/* Between the two nobody else measures in this process. NULL, or why it cannot be. */
const char *call_turn_begin(void);
void call_turn_end(void);

/* Fills the result in. side: SIDE_NONE, or one of a comparison, whose settings ret_ab gets. */
void call_measure(const struct gbrun_subject *subject, const char *settings, int side,
                  struct result *result, struct ab_params *ret_ab);
