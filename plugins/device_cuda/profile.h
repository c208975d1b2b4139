/*
 * profile.h - the extension `gbrun.profile/1` of the device cuda. Plugin side.
 */
#pragma once

#include <gbrun/profile.h>

extern const struct gb_profile cuda_profile;
