/*
 * warm.h - what the benchmark of a case loads in a process that others are forked from
 * (gbrun/warm.h).
 */
#pragma once

#include "core/run/session.h"

#include <gbrun/warm.h>

/* Zero-initialize. */
struct warm {
    const struct gb_warm *by; /* NULL: the benchmark has nothing of the kind */
    const void *params;
    struct host *host;
};

/* Of a case; its params are the arena's. */
int32_t warm_find(struct session *session, const struct host_sink *sink,
                  const struct bench_case *bench_case, struct arena *arena, struct warm *ret,
                  struct gb_error *error);
void warm_free(struct warm *warm);

/* Is there anything to load that takes long? */
bool warm_is_cold(const struct warm *warm);
int32_t warm_load(const struct warm *warm, struct gb_error *error);

/* Can this process be forked: has it one thread, and no GPU open? given: n of its files that do not
 * count, as a device's memory is a file of its driver, too. */
int32_t warm_check(const struct gb_warm *by, const int *given, int n, struct gb_error *error);
