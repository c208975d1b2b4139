/*
 * exchange.h - exports that other tools read, in their own formats.
 *
 *   google       Google Benchmark's JSON: its compare.py, github-action-benchmark, Bencher
 *   nvbench      NVBench's JSON; with a path, samples and clock rates as files of float32 beside it
 *   hyperfine    hyperfine's JSON: its scripts
 *   pyperf       pyperf's JSON: pyperf compare_to
 *   jmh          JMH's JSON: its visualizers, plugins of CI systems
 *   t4           results of autotuning, schema T4 1.0.0: Kernel Tuner
 *   github       github-action-benchmark, customSmallerIsBetter
 *   bmf          Bencher Metric Format
 *   junit        JUnit's XML: a test for each case
 *   openmetrics  OpenMetrics text: the text-file collector of Prometheus' node exporter
 *   trace        Chrome's trace events: Perfetto
 *
 * Cases that failed are left out where a format cannot hold them. Values are medians of rounds
 * (--rows case), of cases with their rounds combined, or samples. Tools that test significance take
 * each value as a repetition: samples of one process are none, and A/A pairs of them differ.
 */
#pragma once

#include "core/view/views.h"

int exchange_named(const char *name); /* -1: there is none */
/* Name and meaning, for help; false: there is no format i. */
bool exchange_help(size_t i, struct help_entry *ret);

/* rows: ROWS_...; path: of the file that `out` is written to, or NULL. options may not group, pivot
 * or choose columns: GB_INVALID. */
int32_t exchange_export(struct store *store, const struct view_options *options, int format,
                        const char *path, FILE *out, struct gb_error *error);
