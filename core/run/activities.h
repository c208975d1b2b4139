/*
 * activities.h - what one sample of a case puts on the device, as the device's plugin lists it.
 */
#pragma once

#include "core/run/case_state.h"

/*
 * After the samples: lists the activities, with breakdown = yes times them as well, and sends them.
 * Where a device cannot list them the case stays what it is; a message says so if they were asked
 * for.
 */
int32_t case_list_activities(struct case_state *state);
