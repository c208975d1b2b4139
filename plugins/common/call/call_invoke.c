/* call_invoke.c - see call_invoke.h. Plugin side. */
#include "call_invoke.h"

#include <string.h>
#include <time.h>

/* libffi 3.4 lets a place point to its own copy of a large struct, which is gone after the call. */
static void loop_foreign(struct invocation *invocation, uint64_t iterations)
{
    void (*function)(void);
    void *places[PARAMETERS_MAX];
    const size_t bytes = invocation->signature->n * sizeof *places;
    const uint64_t mask = invocation->mask, ok = invocation->ok;
    uint64_t status = 0, wrong = 0;
    memcpy(&function, &invocation->function, sizeof function);
    for (; iterations > 0; iterations--) {
        memcpy(places, invocation->places, bytes);
        ffi_call(&invocation->foreign.cif, function, invocation->result.bytes, places);
        memcpy(&status, invocation->result.bytes, sizeof status);
        wrong |= (status ^ ok) & mask;
    }
    invocation->wrong |= wrong;
}

void invocation_run(struct invocation *invocation, uint64_t iterations)
{
    invocation->loop(invocation, iterations);
}

bool invocation_make(struct invocation *invocation)
{
    for (size_t i = 0; i < PARAMETERS_MAX; i++)
        invocation->places[i] = invocation->values[i].bytes;
    invocation_loop_fn *direct = invocation->is_foreign ? NULL : direct_loop(invocation);
    invocation->loop = direct != NULL ? direct : loop_foreign;
    return foreign_make(invocation->signature, &invocation->foreign);
}

int32_t invocation_bind(struct world *world, const struct routine *routine, void *function,
                        struct invocation *ret)
{
    const struct gb_host *host = world->plan->host;
    ret->function = function;
    ret->signature = &routine->signature;
    ret->mask = ret->wrong = 0;
    const int32_t status = world_arguments(world, routine, ret->values);
    if (status != GB_OK)
        return status;
    return invocation_make(ret) ? GB_OK : host->fail(host, "libffi does not take this signature");
}

void invocation_expect(struct invocation *invocation, const struct number *ok)
{
    const uint32_t bytes = type_info(invocation->signature->result.id)->bytes;
    invocation->mask = bytes == 8 ? UINT64_MAX : (UINT64_C(1) << 8 * bytes) - 1;
    invocation->ok = ok->is_negative ? UINT64_C(0) - ok->magnitude : ok->magnitude;
}

/* ---- what a call costs ---- */

static void empty(void)
{
}

static double now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

/* The shortest of some rounds: whatever else the machine does only makes them longer. */
double invocation_overhead_ns(const struct invocation *invocation)
{
    enum { ROUNDS = 20, CALLS = 1000 };
    /* Volatile, so that no compiler sees which function it is and that nothing is done. */
    static void (*volatile function)(void) = empty;
    void (*const called)(void) = function;
    struct invocation idle = *invocation;
    double shortest = 0;
    memcpy(&idle.function, &called, sizeof idle.function);
    invocation_make(&idle);
    for (int i = 0; i < ROUNDS; i++) {
        const double begin = now_ns();
        invocation_run(&idle, CALLS);
        const double duration = now_ns() - begin;
        shortest = i == 0 || duration < shortest ? duration : shortest;
    }
    return shortest / (double)CALLS;
}
