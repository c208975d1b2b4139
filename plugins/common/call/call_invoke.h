/*
 * call_invoke.h - a function called again and again with the same arguments. Plugin side.
 *
 * libffi sorts the arguments into registers and stack at each call, which would be most of a short
 * function's time. On processors whose ABI is known they are sorted once, and a loop without libffi
 * makes the calls. Nothing else depends on it: where there is no loop for the signature, libffi
 * makes them, and call_overhead_ns says what that takes.
 */
#pragma once

#include "call_foreign.h"
#include "call_world.h"

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

struct invocation {
    void *function;
    const struct signature *signature;
    struct foreign foreign;
    struct raw values[PARAMETERS_MAX];
    void *places[PARAMETERS_MAX]; /* of the values, for libffi */
    bool is_foreign;              /* through libffi in any case */
    invocation_loop_fn *loop;
    struct direct direct;
    /* Statuses: bits of the result that count, and what they must be; mask 0: not looked at. */
    uint64_t mask, ok;
    uint64_t wrong; /* bits that differed, in any call */
    struct raw result;
};

/* Set before: signature, values, function, is_foreign. Not to be moved afterwards. False: libffi
 * does not take the signature. */
bool invocation_make(struct invocation *invocation);

/* Makes that of a routine, with the values of a world. Set before: is_foreign. */
int32_t invocation_bind(struct world *world, const struct routine *routine, void *function,
                        struct invocation *ret);

/* Expects a status of each call: an integer. */
void invocation_expect(struct invocation *invocation, const struct number *ok);

void invocation_run(struct invocation *invocation, uint64_t iterations);

/* The same call of a function that does nothing. */
void invocation_empty(const struct invocation *invocation, struct invocation *ret);

/* Nanoseconds that such a call takes. */
double invocation_overhead_ns(struct invocation *empty);
