/*
 * replay_worker.h - the worker's part of a replay: a policy is given recorded samples.
 */
#pragma once

#include "core/run/host.h"
#include "core/run/session.h"
#include "core/run/worker_link.h"

/*
 * Serves one WIRE_REPLAY, whose payload is the policy with its settings, the guards, the tick and
 * the seed: asks for samples (TRACE_WANTED) until the policy or a guard ends it or there are no
 * more, then answers with ESTIMATE, if there is one, and REPLAYED. Ends the process if the
 * connection is closed.
 */
void replay_serve(struct session *session, struct worker_link *link, const struct host_sink *sink,
                  struct wire_reader *message, struct arena *arena);
