/*
 * call_debug.h - a signature beside what the compiler wrote about the function: DWARF, read by
 * libdw (elfutils), which is opened if it is there. Plugin side.
 */
#pragma once

#include "call_parse.h"

enum { DEBUG_REASON_BYTES = 448 };

/*
 * Does the signature contradict the debug information of this function, in its library or in the
 * file of its own under /usr/lib/debug/.build-id? Compared is what decides how arguments and result
 * are passed: how many there are, numbers or addresses, bytes, and the sign of a result. True only
 * if it does: the reason then has the function's prototype. False also without libdw, without
 * debug information, and where it does not say (assembler, functions of C without a prototype).
 */
bool debug_contradicts(void *function, const struct signature *signature,
                       char reason[DEBUG_REASON_BYTES]);
