/*
 * lane_worker.h - a worker's part of a lane: builds a case without its device (`build` of bench.h).
 */
#pragma once

#include "core/run/probe.h"
#include "core/run/session.h"
#include "core/run/worker_link.h"

/* A WIRE_BUILD_AHEAD: the device that it is for, and the case as WIRE_CASE has it. */
void lane_put(struct wire_writer *writer, const struct known_device *device,
              const struct bench_case *bench_case, const char *label, const char *record);

/* Serves one. Answers with BUILT; or with CASE_END where that is how the case ends. */
void lane_serve(struct session *session, struct worker_link *link, const struct host_sink *sink,
                struct wire_reader *message, struct arena *arena);
