/*
 * judge.h - a case whose code is not trusted: verify = judge.
 *
 * The judge is a benchmark like any other to the rest of a worker. A sample of it is an order to
 * the process that loads and runs what is measured (judged.h): one run of each of n objects, whose
 * inputs are new and whose outputs are poisoned. The time is the judge's own, from before the order
 * is given until it is carried out, less the least that an empty order took before anything
 * untrusted was loaded, over n. Except for that time the process is stopped. Before the next sample
 * the outputs of objects that were drawn after the order are compared.
 */
#pragma once

#include "core/run/case_state.h"

#define JUDGED_SERIES "judged" /* the time of one run, in ns */

/* Takes the place of the benchmark's create and prepare: sets the state's ops, bench and what is
 * measured. GB_FAILED: the case has ended. */
int32_t judge_begin(struct case_state *state, const struct gb_plugin *plugin, const void *params);
