/*
 * call_invoke.h - a function called again and again with the same arguments. Plugin side.
 *
 * By the loops of call_direct.h where there is one for the signature, else through libffi.
 */
#pragma once

#include "call_direct.h"
#include "call_foreign.h"
#include "call_world.h"

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

/* Nanoseconds that a call of a function that does nothing takes, with the same arguments. */
double invocation_overhead_ns(const struct invocation *invocation);
