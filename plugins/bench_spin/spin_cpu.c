/* spin_cpu.c - see spin.h: looks at the clock until it is time. Plugin side. */
#define _GNU_SOURCE
#include "spin.h"

#include <time.h>

static uint64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC_RAW, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static int32_t create(struct spin *spin)
{
    if (spin->params->cycles > 0)
        return spin->host->skip(spin->host, "cycles is for GPUs: on the CPU give a duration");
    return GB_OK;
}

static void spin_once(uint64_t duration_ns, struct spin_ring *ring)
{
    const uint64_t begin_ns = now_ns();
    uint64_t end_ns;
    do {
        end_ns = now_ns();
    } while (end_ns - begin_ns < duration_ns);
    if (ring != NULL)
        ring->records[ring->n++ % SPIN_RECORDS] = (struct spin_record){begin_ns, end_ns, 0};
}

static int32_t run_spins(const struct spin *spin, const struct gb_queue *queue, uint64_t n,
                         struct spin_ring *ring)
{
    const uint64_t duration_ns = (uint64_t)spin->params->duration;
    (void)queue;
    for (uint64_t i = 0; i < n; i++)
        spin_once(duration_ns, ring);
    return GB_OK;
}

const struct backend spin_cpu = {
    .create = create,
    .spin = run_spins,
};
