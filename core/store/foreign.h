/*
 * foreign.h - results of other tools as outcomes: JSON of Google Benchmark, NVBench, hyperfine and
 * pyperf, taken apart by SQLite's json_each.
 *
 *   Google Benchmark  each repetition is a round; aggregates count where there are only those
 *   NVBench           a state is one round: the median of its float file, else the mean of its
 *                     cold times, or of those of the CPU alone
 *   hyperfine         each run of the command is a round
 *   pyperf            each process with values is a round: the median of its values
 *
 * Cases have labels as gbrun's: gemm/m:4096 and the state Bytes=4096 of copy are "gemm m=4096" and
 * "copy Bytes=4096"; or what a file that gbrun has exported says. Where two would have one label,
 * they have their own names, states of several devices `device=1` behind it. The label is also the
 * uid.
 */
#pragma once

#include "core/store/store_outcomes.h"

#define FOREIGN_LABEL "gbrun_label" /* the member of a case's object in what gbrun exports */

/* Is it none that SQLite writes: JSON, packed or not, or a pipe? */
bool foreign_is(const char *path);

/* *ret_tool: its name. GB_INVALID: no JSON, or none of these. GB_NOT_FOUND: no time is in it. Text
 * is the arena's. */
int32_t foreign_outcomes(const char *path, struct arena *arena, struct outcome **ret, size_t *ret_n,
                         const char **ret_tool, struct gb_error *error);
