/*
 * profile.h - the extension `gbrun.profile/1` of the device cuda. Plugin side.
 */
#ifndef GBRUN_PLUGINS_DEVICE_CUDA_PROFILE_H
#define GBRUN_PLUGINS_DEVICE_CUDA_PROFILE_H

#include <gbrun/profile.h>

extern const struct gb_profile cuda_profile;

#endif
