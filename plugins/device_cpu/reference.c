/* reference.c - fixed work of a processor, by which changes of the machine are known. */
#define _GNU_SOURCE
#include "cpu_device.h"
#include "plugins/common/measuring.h"

#include <math.h>

enum { VERSION = 1, STEPS = 20000, TIMES = 3 };

/* Each step waits for the one before: a product and a sum of integers, another of floating-point
 * numbers. (The integers: Knuth's MMIX generator.) */
static void compute(void)
{
    uint64_t whole = 1;
    double real = 1;
    for (int i = 0; i < STEPS; i++) {
        whole = whole * 6364136223846793005u + 1442695040888963407u;
        real = real * 0.5 + 1;
        __asm__ volatile("" : "+r"(whole)); /* no step is left out */
    }
    volatile double kept = real + (double)whole;
    (void)kept;
}

int32_t cpu_reference(void *device, struct gb_reference *reference)
{
    (void)device;
    reference->version = VERSION;
    reference->time_ns = INFINITY;
    for (int i = 0; i < TIMES; i++) {
        const double begin_ns = clock_ns(CLOCK_MONOTONIC_RAW);
        compute();
        reference->time_ns = fmin(reference->time_ns, clock_ns(CLOCK_MONOTONIC_RAW) - begin_ns);
    }
    return GB_OK;
}
