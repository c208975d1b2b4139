/*
 * crash.c - dies in the callback named by `where`, in the way named by `kind`, at the call after
 * the first `after` ones. gbrun must report the case as crashed (signal or exit code; loop: timed
 * out), keep the samples that arrived before, and go on with the next case in a fresh worker.
 * interrupt: it lives, and gbrun gets the signal of Ctrl-C in the middle of the case. act: it
 * lives, and the shell does what ACT of the environment says.
 */
#include "tests/modules/hurry.h"
#include "tests/modules/places.h"

#include <gbrun/gbrun.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

static const char *const kinds[] = {
    "segv", "abort",     "exit0", "exit3", "stack_overflow", "loop", "illegal_instruction",
    "fpe",  "interrupt", "act",   "none"};
enum { SEGV, ABORT, EXIT0, EXIT3, STACK_OVERFLOW, LOOP, ILLEGAL_INSTRUCTION, FPE, INTERRUPT, ACT };

struct params {
    int32_t where;
    int32_t kind;
    int64_t after;
};

static const struct gb_option options[] = {
    GB_CHOICE(struct params, where, "run", places, "the callback that misbehaves"),
    GB_CHOICE(struct params, kind, "segv", kinds, "how it dies"),
    GB_INT(struct params, after, "0", "0:", "calls", "calls of that callback that go well before"),
};

struct bench {
    const struct gb_host *host;
    struct params params;
    int64_t n_calls;
};

static int deepen(volatile int *depth)
{
    volatile char page[4096];
    page[0] = (char)*depth;
    *depth += 1;
    return *depth < 0 ? 0 : deepen(depth) + page[0];
}

static void die(int32_t kind)
{
    static volatile int depth = 0;
    volatile int *volatile nowhere = NULL;
    volatile int zero = 0;
    switch (kind) {
    case SEGV:
        *nowhere = 1;
        break;
    case ABORT:
        abort();
    case EXIT0:
        exit(0);
    case EXIT3:
        _exit(3);
    case STACK_OVERFLOW:
        depth = deepen(&depth);
        break;
    case LOOP:
        hurry_hang(0);
        while (!zero)
            continue;
        break;
    case ILLEGAL_INSTRUCTION:
        raise(SIGILL); /* a trap of the compiler's is another signal on Arm */
        break;
    case FPE:
        zero = 1 / zero; /* NOLINT(clang-analyzer-core.DivideZero): on purpose */
        raise(SIGFPE);   /* where dividing by zero does not trap */
        break;
    case INTERRUPT:
        kill(getppid(), SIGINT);
        break;
    case ACT:
        if (getenv("ACT") && system(getenv("ACT")) != 0)
            abort();
        break;
    default:
        break;
    }
}

static int32_t act(struct bench *bench, int32_t where)
{
    if (where == bench->params.where && bench->n_calls++ >= bench->params.after)
        die(bench->params.kind);
    return GB_OK;
}

#define MODULE_ID "crash"
#define MODULE_SUMMARY "dies"
#include "tests/modules/callbacks.h"
