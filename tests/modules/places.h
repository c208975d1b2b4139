/*
 * places.h - the callbacks of a benchmark, as values of an option `where`. For modules that do
 * something wrong in one of them; callbacks.h is the rest of such a module.
 */
#pragma once

#include <gbrun/gbrun.h>

static const char *const places[] = {"create", "prepare", "run",    "reset",
                                     "verify", "work",    "destroy"};
enum { CREATE, PREPARE, RUN, RESET, VERIFY, WORK, DESTROY };
