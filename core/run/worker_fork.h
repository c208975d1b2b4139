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

/* A case that has come is for this process; for a fresh one, as what it needs is to be loaded where
 * nothing else is; or a forked process has had it, and has ended. */
enum { PLACE_HERE, PLACE_FRESH, PLACE_DONE };
int worker_fork_place(struct worker_fork *fork, struct session *session, struct worker_link *link,
                      const struct bench_case *bench_case);

/* This process ends; if it was forked, to make room for another. Returns. */
void worker_fork_leave(const struct worker_fork *fork, struct worker_link *link);
