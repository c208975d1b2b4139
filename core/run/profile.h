/*
 * profile.h - the range that a profiler is shown a case's samples in (gbrun run --profile).
 */
#pragma once

#include "core/run/case_state.h"

/* Before the first sample and after the last one of a case; nothing unless it is profiled. A device
 * that marks no range costs a message. */
int32_t case_profile_begin(struct case_state *state);
int32_t case_profile_end(struct case_state *state);
