/*
 * views.h - what is printed of a results file: tables and exports.
 *
 * Names for --where, --sort, --columns and --pivot: parameters; metrics, as NAME or metric.NAME;
 * and the result columns. A parameter hides a result column of the same
 * name. What the result columns mean and in which order exports have them says the map of
 * view_columns.c, which `gbrun help columns` prints. Times are of one iteration, rates over the
 * policy's estimate of the median or else the samples' median. Of parameters, durations are ns,
 * sizes bytes, booleans yes or no (1 or 0 in --where).
 *
 * Exports, whose columns keep this order:
 *   csv    cases: result columns up to plugin_version, parameters as they appear, the other result
 *          columns, metrics as metric.NAME. Samples: run run_uuid bench plugin, the parameters that
 *          are swept or differ among the cases, device device_model policy round status clock uuid
 *          uid, sample (from 0), time_ns (the clock that counts), each clock as NAME_ns,
 * elapsed_ns, and what else is known of samples. The rest of a case joins by its uuid.
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
 * --columns takes SQL expressions of all columns (expression.h), perhaps with "as NAME"; --sort
 * too. With --relative-to each record has the ratio of its case (relative.h).
 * --group-by A,B: a row for each group of cases with the same A and B, in order of appearance; then
 * --columns are avg(X), max(X), min(X), median(X), geomean(X) and the ends of its interval of a
 * column or expression of numbers X, over the cases that have it; count (of cases, each round one);
 * and pass_rate (share of status ok among the cases that were measured, so not of those skipped,
 * cancelled or running). Of a ratio each case counts once. Without --columns: count, pass_rate,
 * median and geometric mean of times, and avg and max of each check metric there is. With --pivot P
 * each of these columns is there once for each value of P, over the cases that have P. Groups are
 * over all runs asked for. With --transpose each group, and value of P, is a column, headed by its
 * values with blanks between; rows are the aggregates, named in the first column. Show lists failed
 * and skipped cases of groups if it is verbose only: the pass rate has them.
 * --pivot P: rows are the other axes, a column for each value of P, in the order of the sweep;
 * cells are medians (of the rounds' times) in ns, for people with marks and intervals. With
 * --columns each of them is there once for each value. In csv without --columns cells are samples
 * instead: one row a trial up to the fewest of any case in the row, rounds one after the other, in
 * ms; of a whole number the head is value and name ("1 Stream", "2 Streams"). Only cases with
 * status ok fill cells. With --transpose rows and columns change places.
 */
#pragma once

#include "core/base/text.h"
#include "core/config/option_table.h"
#include "core/store/store.h"

#include <stdio.h>

enum { FORMAT_TABLE, FORMAT_CSV, FORMAT_JSON, FORMAT_JSONL, FORMAT_MARKDOWN, FORMATS };
int format_named(const char *name); /* -1: unknown */
const char *format_name(int format);

enum { ROWS_CASE, ROWS_SAMPLE, ROWS_COMBINED };
int rows_named(const char *name); /* -1: unknown */

/* What follows a table of failures, messages and doubts: a few lines by cause, some entries of each
 * list, or all. */
enum { NOTES_FEW, NOTES_SOME, NOTES_ALL };

enum { SHOW_CASES = 10000 }; /* that a table for people has at most, by default */

struct view_options {
    int format;
    int64_t run;          /* number, RUN_NEWEST, with all shards of its plan, or RUN_ALL */
    const char *where;    /* SQL expression over parameters and result columns, or NULL */
    const char *pivot;    /* a parameter: one column for each of its values; NULL */
    int rows;             /* ROWS_...; only for exports; show combines rounds anyway */
    const char *group_by; /* comma list of columns: a row for each group of cases that have the same
                             values there; columns are then aggregates; NULL */
    const char *columns;  /* comma list of columns to show, or SQL expressions of them, perhaps each
                             with "as NAME"; NULL: those that say something */
    const char *relative_to; /* what columns `ratio`, `ratio_low` and `ratio_high` are relative to:
                                relative.h; NULL: there are none */
    const char *path;        /* of the file, for words; NULL: it is not kept */
    const char *roofs;       /* a results file whose roofs come before all others (roofs.h); NULL */
    uint64_t limit;          /* cases at most, each with its rounds; 0: all */
    uint64_t offset;         /* that come before the first of them */
    const char *sort;  /* comma list of columns, `-` before one: downwards; NULL: as configured */
    int64_t names_of;  /* has_names, but those of this record are enough; 0: of all */
    bool has_names;    /* columns will be asked for with view_column_named */
    bool selects_none; /* records are read with view_read alone */
    int notes;         /* NOTES_... */
    bool verbose;      /* more columns, all facts, messages and notes */
    bool breakdown;    /* show: what each case puts on the device, after the table of cases */
    bool is_fresh;     /* show: the run has just ended, so the user knows which it is: alone */
    bool has_colours;  /* show: as a table, see colour.h */
    bool transpose;    /* of groups: columns are groups, rows what is asked of them */
    size_t width;      /* of tables for people, where columns can be left out for it; 0: 120 */
};

/* What a column means, for `gbrun help columns`. False: there is no column i. */
bool result_column_help(size_t i, struct help_entry *ret);    /* of cases and combined rounds */
bool sample_column_help(size_t i, struct help_entry *ret);    /* --rows sample, beside those */
bool aggregate_column_help(size_t i, struct help_entry *ret); /* --group-by */
/* May paper.NAME be a document's figure for it: is it a column that is a number, or metric.WORD? */
bool is_paper_column(const char *name);
/* The heading of a column of a table where that is not the column's name. */
bool table_head_help(size_t i, struct help_entry *ret);

/* Records that options select, by what became of them. */
struct view_counts {
    uint64_t n, n_bad, n_skipped;
    uint64_t
        n_uncertified; /* ok, but their policy guarantees nothing: certified and multimodal do */
};
int32_t view_count(struct store *store, const struct view_options *options, struct view_counts *ret,
                   struct gb_error *error);

/*
 * Appends to out. show: for people (run, machine and device in the head; a table; then failures,
 * messages and notes on overhead). export: for programs, full precision, every parameter a column.
 */
int32_t view_show(struct store *store, const struct view_options *options, struct text *out,
                  struct gb_error *error);
/* Streams to a FILE: memory grows with the cases, not with their samples or the text. */
int32_t view_export(struct store *store, const struct view_options *options, FILE *out,
                    struct gb_error *error);
/* Does `where` leave no case? False also where that is not found out, as view_export reports. */
bool view_is_empty(struct store *store, const struct view_options *options);
/* The records of a run that `where` chooses, by number, upwards; as compare_options has it. */
int32_t view_choose(struct store *store, int64_t run, const char *where, struct arena *arena,
                    int64_t **ret, size_t *ret_n, struct gb_error *error);

/* Of a file of shards: which of its plan are there, which are missing or have not ended, and what
 * measures them. path: of the file. */
int32_t view_plan(struct store *store, const char *path, struct text *out, bool *ret_is_complete,
                  struct gb_error *error);
