/*
 * run_search.h - the searches of a run: which cases of the benchmarks with `search = NAME` are
 * measured, one visit after the other, once all other benchmarks are.
 *
 * What a search learns is read from the results file, where each visit is stored before it is
 * looked at. So a run that is resumed feeds its searches what is there, and they go on.
 */
#pragma once

#include "core/cli/run_job.h"

struct run_search;

/* Finds the searches of the job's configuration, and their spaces. *ret NULL: there is none.
 * GB_INVALID: a goal that names no column, two cases that cannot be distinguished. */
int32_t run_search_new(struct run_job *job, struct run_search **ret, struct gb_error *error);

/* By position: is the case one of a search? */
const bool *run_search_cases(const struct run_search *searches);

/* A run_round_fn: the context is a struct run_search. */
int32_t run_search_round(void *context, struct schedule *schedule, bool *ret_goes_on,
                         struct gb_error *error);

void run_search_free(struct run_search *searches); /* NULL allowed */
