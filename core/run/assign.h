/*
 * assign.h - which worker measures what, and when.
 */
#ifndef GBRUN_CORE_ASSIGN_H
#define GBRUN_CORE_ASSIGN_H

#include "core/run/run_state.h"

/* Gives out visits while there are workers to take them. */
void assign_visits(struct run *run);
/* Of the cases that have asked to be alone one goes on, once nobody measures. */
void assign_turn(struct run *run);

#endif
