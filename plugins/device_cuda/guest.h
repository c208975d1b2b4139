/*
 * guest.h - contexts of a program that has gbrun as a library. Plugin side.
 */
#pragma once

#include "plugins/common/cuda/cuda_driver.h"

#include <gbrun/guest.h>

extern const struct gb_guest cuda_guest;

/* The current context, if it is one of the device's but not its primary one; else NULL. */
CUcontext guest_context(const struct driver *driver, CUdevice number);
