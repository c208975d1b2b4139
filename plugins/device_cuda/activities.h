/*
 * activities.h - the extension `gbrun.activities/1` of the device cuda. Plugin side.
 */
#ifndef GBRUN_PLUGINS_DEVICE_CUDA_ACTIVITIES_H
#define GBRUN_PLUGINS_DEVICE_CUDA_ACTIVITIES_H

#include <gbrun/activities.h>

extern const struct gb_activities cuda_activities;

#endif
