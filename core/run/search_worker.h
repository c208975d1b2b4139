/*
 * search_worker.h - a worker's part of a search: its engine (core/search), asked and told by the
 * supervisor.
 */
#pragma once

#include "core/run/host.h"
#include "core/run/session.h"
#include "core/run/worker_link.h"

/* Serves one WIRE_SEARCH and the SEARCH_CASES that follow it. Answers with SEARCH_STEP for each
 * visit that is wanted and takes its SEARCH_OBSERVED; with several lanes it says by a step when it
 * waits for one. Ends with SEARCHED. Ends the process if the supervisor is gone. */
void search_serve(struct session *session, struct worker_link *link, const struct host_sink *sink,
                  struct wire_reader *message, struct arena *arena);
