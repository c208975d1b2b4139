/*
 * views.h - what is printed of a results file: tables and exports.
 *
 * Names for --where, --sort, --columns and --pivot: parameters; metrics, as NAME or metric.NAME;
 * and the result columns. Where a parameter has the name of a result column, it stands in its
 * place. The result columns are, in the order of exports:
 *
 *   run run_uuid run_started host gbrun_version bench label (bench and axes, as a run shows the
 *   case: "streams streams=4") plugin plugin_version
 *
 *   device device_number device_model device_uuid policy policy_plugin policy_options cache launch
 *   seed round position sequence status status_text stop_reason
 *
 *   verified (ok, failed, unchecked) check (as a table has it: "ok rms 1e-07") check_metric
 * check_value check_tolerance check.abs check.rel check.rel_floor check.ulp check.rms check.bound
 * (of the first comparison, whether judged or only measured) exact_ratio (of its values, those
 * equal to the reference)
 *
 *   clock iterations n_samples n_lost n_throttled median_ns mean_ns stdev_ns min_ns max_ns q1_ns
 *   q3_ns p10_ns p90_ns p99_ns spread ((q3 - q1) / median)
 *
 *   estimate_ns low_ns high_ns confidence statistic verdict n_discarded n_effective
 *   excluded_mode_weight n_modes (of the policy; mostly NULL without an estimate)
 *
 *   n_rounds (1; with --rows combined those that count) apart (what the medians of these rounds
 * span over their median; NULL for one)
 *
 *   tick_ns overhead_ns flops bytes_read bytes_written items item math_format math_unit (fp32, bf16
 *   ...; scalar, vector, tensor) gflops bytes_per_s items_per_s
 *
 *   intensity (FLOP/byte) bound (memory-bound, math-bound) ridge (FLOP/byte) roof_name roof_ratio
 *   (model_ns over the time measured) model_ns (bytes or operations over the rate of the roof)
 *   roofs_source (of roofline.h and roofs.h; NULL where no roofs are known)
 *
 *   clock_begin_hz clock_end_hz memory_clock_hz temperature_celsius power_watts energy_joules
 *   throttle_reasons (what the device said of itself before the first sample and after the last:
 *   memory clock and temperature at the end; power over the time of the samples, or at the end
 *   where its counter of energy does not tell; energy of an iteration, what the device used between
 *   samples included, only for cache = warm and 0.2 s of samples; words, or empty)
 *
 *   wall_ns started uid uuid
 *
 * Times are of one iteration, rates over the policy's estimate of the median or else the samples'
 * median. Of parameters, durations are ns, sizes bytes, booleans yes or no (1 or 0 in --where).
 *
 * Exports, whose columns keep this order:
 *   csv    cases: result columns up to plugin_version, parameters as they appear, the other result
 *          columns, metrics as metric.NAME. Samples: run run_uuid bench plugin, parameters, device
 *          device_model policy round status clock uid, sample (from 0), time_ns (the clock that
 *          counts), each clock as NAME_ns, elapsed_ns, and what else is known of samples.
 *          --columns takes the place of all before `sample`. RFC 4180, but lines end with LF; a
 *          missing value is empty, infinities are inf and -inf.
 *   json   one object: format, runs, devices, cases; with samples as arrays in each case.
 *   jsonl  one object a case or a sample. In JSON missing and infinite numbers are null.
 *   md     and table: what says something, for readers; six digits; `-` for an infinite time or
 * rate.
 * --rows case has a row for each round, as it was measured. --rows combined has one for each case:
 * the same columns, with the rounds' combined interval (rounds.h) as estimate_ns, low_ns and
 * high_ns, sums of counts and medians of other numbers (combine_rounds in view_cases.h); round
 * and uuid are NULL.
 * --where chooses among rounds, before they are combined. Not with --pivot, which combines anyway.
 * --group-by A,B: a row for each group of cases with the same A and B, in order of appearance; then
 * --columns are avg(X), max(X), min(X) and median(X) of a column of numbers X, over the cases that
 * have it; count (of cases, each round one); and pass_rate (share of status ok among the cases that
 * were measured, so not of those skipped, cancelled or running). Without --columns: count,
 * pass_rate, and avg and max of each check metric there is. With --pivot P each of these columns is
 * there once for each value of P, over the cases that have P. Groups are over all runs asked for.
 * --pivot P: rows are the other axes, a column for each value of P; cells are medians (of the
 * rounds' times) in ns. In csv they are samples instead: one row a trial up to the fewest of any
 * case in the row, rounds one after the other, ms with four decimals; of a whole number the head is
 * value and name ("1 Stream", "2 Streams"). Only cases with status ok fill cells.
 */
#ifndef GBRUN_CORE_VIEWS_H
#define GBRUN_CORE_VIEWS_H

#include "core/base/text.h"
#include "core/store/store.h"

#include <stdio.h>

enum { FORMAT_TABLE, FORMAT_CSV, FORMAT_JSON, FORMAT_JSONL, FORMAT_MARKDOWN, FORMATS };
int format_named(const char *name); /* -1: unknown */
const char *format_name(int format);

enum { ROWS_CASE, ROWS_SAMPLE, ROWS_COMBINED };
int rows_named(const char *name); /* -1: unknown */

struct view_options {
    int format;
    int64_t run;          /* number, RUN_NEWEST or RUN_ALL */
    const char *where;    /* SQL expression over parameters and result columns, or NULL */
    const char *pivot;    /* a parameter: one column for each of its values; NULL */
    int rows;             /* ROWS_...; only for exports; show combines rounds anyway */
    const char *group_by; /* comma list of columns: a row for each group of cases that have the same
                             values there; columns are then aggregates; NULL */
    const char *columns;  /* comma list of columns to show; NULL: those that say something */
    const char *path;     /* of the file, for words where there are several files; NULL */
    const char *roofs;    /* a results file whose roofs come before all others (roofs.h); NULL */
    const char *sort;     /* comma list of columns, `-` before one: downwards; NULL: as measured */
    bool verbose;         /* more columns, all facts and messages */
    size_t width; /* that tables for people have, as far as columns can be left out; 0: 120 */
};

/*
 * Appends to out. show: for people (run, machine and device in the head; a table; then failures,
 * messages and notes on overhead). export: for programs, full precision, every parameter a column.
 */
int32_t view_show(struct store *store, const struct view_options *options, struct text *out,
                  struct gb_error *error);
/* Streams to a FILE, so that memory does not grow with the file. */
int32_t view_export(struct store *store, const struct view_options *options, FILE *out,
                    struct gb_error *error);

#endif
