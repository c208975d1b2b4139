/*
 * worker.h - the process that runs plugins.
 */
#pragma once

#include "core/run/session.h"
#include "core/run/worker_link.h"

#include <sys/types.h>

/* The first argument that makes the program a worker. */
#define WORKER_ARGUMENT "--worker"

/* Serves the supervisor on WORKER_SOCKET until it closes the connection. Returns the exit code. */
int worker_main(void);

/* The same on other descriptors, which it takes over. supervisor: 0, or the process's own child,
 * for whose end it waits and whose exit code it returns. */
int worker_serve(int socket, int page_descriptor, pid_t supervisor);

struct worker {
    pid_t supervisor; /* this process's child; 0: its parent */
    struct worker_link link;
    struct session *session;
    uint32_t n_threads; /* when the device had been opened */
};

/* Each of these serves one message, whose texts and lists are the arena's. They end the process if
 * the supervisor is gone. */

/* WIRE_BUILD_AHEAD, a worker's part of a lane: builds a case without its device (`build` of
 * bench.h). Answers with BUILT; or with CASE_END where that is how the case ends. */
void lane_serve(struct worker *worker, struct wire_reader *message, struct arena *arena);

/*
 * WIRE_REPLAY, whose payload is the policy with its settings, the guards, the tick and the seed:
 * asks for samples (TRACE_WANTED) until the policy or a guard ends it or there are no more, then
 * answers with ESTIMATE, if there is one, and REPLAYED.
 */
void replay_serve(struct worker *worker, struct wire_reader *message, struct arena *arena);

/* WIRE_SEARCH and the SEARCH_CASES that follow it: the engine of core/search, asked and told by the
 * supervisor. Answers with SEARCH_STEP for each visit that is wanted and takes its SEARCH_OBSERVED;
 * with several lanes it says by a step when it waits for one. Ends with SEARCHED. */
void search_serve(struct worker *worker, struct wire_reader *message, struct arena *arena);
