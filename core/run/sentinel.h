/*
 * sentinel.h - the device's own reference work, timed beside the samples of cases: what changes in
 * it is the machine, not what is measured.
 */
#pragma once

#include "core/run/case_state.h"

/* Takes a reading and sends it, where the case has a sentinel, the device reference work, and all
 * readings since it was opened are 1 % of the time at most. Not GB_OK: that broke the device. */
int32_t case_sentinel(struct case_state *state, uint32_t moment);
