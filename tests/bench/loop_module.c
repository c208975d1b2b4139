/* loop_module.c - the loops of google.cc as a benchmark of gbrun, and functions that it calls
 * as the benchmark `call` does. */
#include "tests/bench/step.h"

#include <gbrun/gbrun.h>

struct loop {
    const struct gb_host *host;
    int32_t body;
};

enum { EMPTY, STEP, FUNCTION, STACK };
static const char *const bodies[] = {"empty", "step", "function", "stack"};
static const struct gb_option options[] = {
    GB_CHOICE(struct loop, body, "empty", bodies, "what is done in each iteration"),
};

/* Arguments in one register, and in all registers and on the stack. */
__attribute__((visibility("default"), noinline)) uint64_t loop_function(uint64_t x);
uint64_t loop_function(uint64_t x)
{
    GB_CLOBBER();
    return step(x);
}

__attribute__((visibility("default"), noinline)) double
loop_stack(int64_t a, double b, int64_t c, double d, int64_t e, double f, int64_t g, double h,
           int64_t i, double j, int64_t k, double l, int64_t m, double n, int64_t o, double p);
double loop_stack(int64_t a, double b, int64_t c, double d, int64_t e, double f, int64_t g,
                  double h, int64_t i, double j, int64_t k, double l, int64_t m, double n,
                  int64_t o, double p)
{
    GB_CLOBBER();
    return (double)(a + c + e + g + i + k + m + o) + b + d + f + h + j + l + n + p;
}

static int32_t run(void *object, const struct gb_queue *queue, uint64_t iterations)
{
    (void)queue;
    uint64_t x = 1;
    double sum = 0;
    switch (((const struct loop *)object)->body) {
    case EMPTY:
        for (; iterations > 0; iterations--)
            GB_CLOBBER();
        break;
    case STEP:
        for (; iterations > 0; iterations--) {
            x = step(x);
            GB_KEEP(x);
        }
        break;
    case FUNCTION:
        for (; iterations > 0; iterations--) {
            x = loop_function(1);
            GB_KEEP(x);
        }
        break;
    default:
        for (; iterations > 0; iterations--) {
            sum = loop_stack(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16);
            GB_KEEP(sum);
        }
    }
    return GB_OK;
}

GB_BENCH(loop, struct loop, options,
         "an empty loop, or one with a step of about a nanosecond or with calls", .run = run)
GB_MODULE(&loop)
