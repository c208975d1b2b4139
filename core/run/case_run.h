/*
 * case_run.h - one case from create to destroy, in a worker, or in the process of a program that
 * has gbrun as a library.
 */
#pragma once

#include "core/run/process_state.h"
#include "core/run/session.h"
#include "core/run/worker_link.h"
#include "core/store/record.h"

struct case_outcome {
    int status;                     /* CASE_... */
    char text[HOST_TEXT_MAX + 256]; /* why, in the plugin's words where it gave some */
    struct process_size before;     /* the benchmark was made; zeroed: that was not reached */
    bool is_poisoned;               /* the device or the process cannot be used for another case */
    bool is_spent;                  /* nor should it, as the times would differ */
};

/* Loads, opens, measures, verifies; all that is found out goes over the link, the outcome is
 * returned. process: as it was before; NULL: it is another program's, whose locale and
 * floating-point mode the benchmark is called in. */
void case_run(struct session *session, struct worker_link *link,
              const struct bench_case *bench_case, struct process_state *process,
              struct case_outcome *ret);
