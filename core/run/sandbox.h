/*
 * sandbox.h - what a process that is not trusted may no longer do.
 */
#pragma once

#include "core/base/error.h"

/*
 * For this process and all its threads, until they end: no further processes, no files opened for
 * writing, no network, no look into other processes, no signals to them and no place in their
 * schedule, no timer that sends any signal, nothing that outlives it, no capabilities.
 * GB_UNSUPPORTED: the kernel has no seccomp filters, or not for this architecture.
 */
int32_t sandbox_enter(struct gb_error *error);
