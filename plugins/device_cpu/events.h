/*
 * events.h - the events that processors and the kernel count, by the names that the tool perf has
 * for them. Plugin side.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct event {
    const char *name, *unit, *help;
    uint32_t type; /* PERF_TYPE_... */
    uint64_t config;
    double flops;   /* that one count stands for; 0: it is no count of them */
    bool is_common; /* counted also where no names are given */
};

/* Event number i of this machine, by what its processor is; NULL past the last. That it is here
 * does not mean that it can be counted. */
const struct event *event_at(size_t i);
const struct event *event_named(const char *name);
