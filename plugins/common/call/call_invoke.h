/*
 * call_invoke.h - a function called again and again with the same arguments. Plugin side.
 *
 * Where the ABI is known (System V on x86-64), arguments are sorted into registers and stack once
 * and passed by calls of this program's own: libffi does that sorting at each call, which would be
 * most of a short function's time. All else goes through libffi.
 */
#ifndef GBRUN_PLUGINS_COMMON_CALL_INVOKE_H
#define GBRUN_PLUGINS_COMMON_CALL_INVOKE_H

#include "call_foreign.h"
#include "call_world.h"

enum { REGISTERS_INTEGER = 6, REGISTERS_FLOAT = 8, STACK_MAX = 16 };

struct invocation;
typedef void invocation_loop_fn(struct invocation *invocation, uint64_t iterations);

struct invocation {
    void *function;
    const struct signature *signature;
    struct foreign foreign;
    struct raw values[PARAMETERS_MAX];
    void *places[PARAMETERS_MAX]; /* of the values, for libffi */
    bool is_foreign;              /* through libffi in any case */
    invocation_loop_fn *loop;
    /* Calls of our own: what goes into registers and onto the stack. */
    bool returns_memory; /* the function itself writes the result to memory */
    size_t n_integers, n_floats, n_stack;
    uint64_t integers[REGISTERS_INTEGER];
    double floats[REGISTERS_FLOAT];
    uint64_t stack[STACK_MAX];
    /* Statuses: bits of the result that count, and what they must be; mask 0: not looked at. */
    uint64_t mask, ok;
    uint64_t wrong; /* bits that differed, in any call */
    struct raw result;
};

/* Set before: signature, values, function, is_foreign. Not to be moved afterwards. False: libffi
 * does not take the signature. */
bool invocation_make(struct invocation *invocation);

/* Expects a status of each call: an integer. */
void invocation_expect(struct invocation *invocation, const struct number *ok);

void invocation_run(struct invocation *invocation, uint64_t iterations);

/* Nanoseconds that a call of a function that does nothing takes, with the same arguments. */
double invocation_overhead_ns(const struct invocation *invocation);

#endif
