/*
 * case_sampling.h - the samples of a case: warming up, measuring until the policy ends it, sending.
 */
#ifndef GBRUN_CORE_CASE_SAMPLING_H
#define GBRUN_CORE_CASE_SAMPLING_H

#include "core/run/case_state.h"

/* Measures a case whose benchmark is prepared; sends clock, samples, telemetry and the estimate.
 * Sets state->iterations. */
int32_t case_sample(struct case_state *state);

#endif
