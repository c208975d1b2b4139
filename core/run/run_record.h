/*
 * run_record.h - a supervisor's way from what was measured to the results file.
 */
#ifndef GBRUN_CORE_RUN_RECORD_H
#define GBRUN_CORE_RUN_RECORD_H

#include "core/run/run_state.h"

/* Begins the record of a visit. */
void record_begin(struct collector *collector, const struct visit *visit);
/* Writes the samples of a long recording before its case has ended. */
void record_spill(struct run *run, struct slot *slot);
/* Ends the slot's visit: commits it, then announces it. */
void record_end(struct run *run, struct slot *slot, int status, const char *text);
/* Of a visit that no worker can be given, which is freed. */
void record_refusal(struct run *run, struct visit *visit);

#endif
