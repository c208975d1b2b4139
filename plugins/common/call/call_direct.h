/*
 * call_direct.h - calls of a function without libffi, on processors whose ABI is known. Plugin
 * side.
 *
 * libffi sorts the arguments into registers and stack at each call, which would be most of a short
 * function's time. Here they are sorted once. Nothing else depends on it: where this file has no
 * loop, libffi makes the calls, and call_overhead_ns says what that takes.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { REGISTERS_INTEGER = 6, REGISTERS_FLOAT = 8, STACK_MAX = 32 };

struct invocation;
typedef void invocation_loop_fn(struct invocation *invocation, uint64_t iterations);

/* What goes into registers and onto the stack. */
struct direct {
    bool returns_memory; /* the function itself writes the result to memory */
    size_t n_integers, n_floats, n_stack;
    uint64_t integers[REGISTERS_INTEGER];
    double floats[REGISTERS_FLOAT];
    uint64_t stack[STACK_MAX];
};

/* Sorts the values of an invocation; the loop that calls its function with them. NULL: libffi is
 * needed, for this signature or in this build. */
invocation_loop_fn *direct_loop(struct invocation *invocation);
