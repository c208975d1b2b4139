/*
 * worker_fork.h - a worker whose cases are served by processes that it forks: a fresh one has what
 * the worker has loaded for them (gbrun/warm.h), and opens the device anew.
 *
 * Such a worker loads, forks and waits, and runs nothing of what is measured. It ends as the forked
 * process does, unless that has made room for another.
 */
#pragma once

#include "core/run/session.h"
#include "core/run/worker_link.h"

#include <gbrun/warm.h>

/* Of a process that serves a supervisor; zero-initialize. */
struct worker_fork {
    const struct gb_warm *by; /* by which the worker forks; NULL: it serves cases itself */
    bool is_forked;           /* this process was */
    bool is_used;             /* it has been asked for something */
    double load_ns;           /* what loading took that no case knows of yet */
};

/* Where an order to measure a case is carried out: in this process; in a fresh one, since what the
 * case needs must be loaded before a device is open; or it was, by a forked process that has ended.
 */
enum { PLACE_HERE, PLACE_FRESH, PLACE_DONE };
int worker_fork_place(struct worker_fork *fork, struct session *session, struct worker_link *link,
                      const struct bench_case *bench_case);

/* This process ends; if it was forked, to make room for another. Returns. */
void worker_fork_leave(const struct worker_fork *fork, struct worker_link *link);
