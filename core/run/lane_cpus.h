/*
 * lane_cpus.h - the processors that lanes use: those of this process but one core, which is left to
 * the case that is measured.
 */
#pragma once

#include <sched.h>
#include <stdint.h>

struct lane_cpus {
    cpu_set_t set;    /* empty: there is only one core, or it is not known which there are */
    uint32_t n_cores; /* whole ones, of those that the system grants this process; 1 at least */
};
void lane_cpus_find(struct lane_cpus *ret);
