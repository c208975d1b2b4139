/* reference.c - fixed work of a processor, by which changes of the machine are known. */
#include "plugins/device_cpu/cpu_device.h"

#include <math.h>
#include <time.h>

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

static double monotonic_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC_RAW, &now);
    return 1e9 * (double)now.tv_sec + (double)now.tv_nsec;
}

int32_t cpu_reference(void *device, struct gb_reference *reference)
{
    (void)device;
    reference->version = VERSION;
    reference->time_ns = INFINITY;
    for (int i = 0; i < TIMES; i++) {
        const double begin_ns = monotonic_ns();
        compute();
        reference->time_ns = fmin(reference->time_ns, monotonic_ns() - begin_ns);
    }
    return GB_OK;
}
