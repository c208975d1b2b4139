/* host_time.h - the time of the host, as devices give it for samples, and waiting for it. */
#pragma once

#include <time.h>

static inline double now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return 1e9 * (double)now.tv_sec + (double)now.tv_nsec;
}

static inline void wait_ns(double ns)
{
    struct timespec left = {(time_t)(ns / 1e9), (long)(ns - 1e9 * (double)(time_t)(ns / 1e9))};
    while (nanosleep(&left, &left) != 0)
        continue;
}
