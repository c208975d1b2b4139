/*
 * activities.h - the extension `gbrun.activities/1` of the device cuda. Plugin side.
 */
#pragma once

#include <gbrun/activities.h>

extern const struct gb_activities cuda_activities;
