/*
 * view_cases.h - the cases of a results file that options select: rows, columns and cells, rounds
 * as one, what all cases have in common.
 */
#pragma once

#include "core/compare/relative.h"
#include "core/store/roofs.h"
#include "core/store/store_read.h"
#include "core/view/views.h"

/* One value of a row. */
enum { CELL_NULL, CELL_INTEGER, CELL_REAL, CELL_BOOL, CELL_TEXT };
struct cell {
    int kind; /* CELL_... */
    int unit; /* UNIT_... */
    int64_t integer;
    double real; /* NaN is a CELL_NULL */
    const char *text;
};

struct view_row {
    const struct stored_run *run;
    const struct stored_device *device; /* NULL: none was opened */
    const char *label;                  /* "streams rows=32 streams=4": bench and axes */
    const char *check;                  /* as of check_words */
    struct stored_case c;
    size_t n_rounds;    /* more than 1: c is several records in one, see rounds_as_one */
    double apart_ratio; /* of them, see rounds.h; NaN: of one */
    const struct gb_activity *kernel; /* see main_kernel; NULL: none is known */
    const char *grid, *block;         /* of it: "132x2", "256"; NULL */
    const struct roof_set *roofs;     /* of the device; NULL: none are known */
    struct roofline roofline;
    const struct relative *relative; /* to --relative-to; NULL: nothing is known */
};

/* A column by what is looked up in a row, or computed of it. */
enum { COLUMN_PARAMETER, COLUMN_RESULT, COLUMN_METRIC, COLUMN_EXPRESSION };
struct view_column {
    int kind;
    int result;                         /* COLUMN_RESULT: which */
    const char *name;                   /* of the parameter, the metric or the result column */
    const char *head;                   /* its heading: the name, or metric.NAME */
    const char *title;                  /* what the user calls it: COLUMN as TITLE; NULL */
    const char *unit;                   /* COLUMN_METRIC; "" */
    struct view_expression *expression; /* COLUMN_EXPRESSION */
};

size_t result_columns(void); /* how many there are */
const char *result_column_name(size_t i);
enum { RESULT_COLUMNS_BEFORE_PARAMETERS = 9 }; /* run ... plugin_version: what is measured */
struct view_column result_column(size_t i);
bool result_column_named(const char *name, struct view_column *ret); /* false: there is none */
bool result_column_is_text(size_t i);
const char *result_column_unit(size_t i); /* "ns", "bytes/s"; "" */
/* Of the ratio to a base: is there only with --relative-to. */
bool result_column_is_relative(size_t i);

/* Device, policy, clock, cache, launch or pace: cases that do not sweep it have it as well, as a
 * result column.
 */
bool is_setting_column(const char *name);

#define METRIC_PREFIX "metric."

/* The metric, made here, that tells a document's figure from what was measured: ratio.median_ns for
 * the parameter paper.median_ns. NULL: the parameter is no such figure. */
#define RATIO_PREFIX "ratio."
const char *paper_ratio_of(const char *parameter, struct arena *arena);
bool is_paper_ratio(const char *metric);

/* Of any column but an expression, and of any; the text of an expression's is valid until its next
 * cell. A parameter hides a result column of the same name. */
struct cell cell_of_known(const struct view_row *row, const struct view_column *column);
struct cell cell_of(const struct view_row *row, const struct view_column *column);
struct cell cell_of_parameter(const struct parameter *parameter);
struct cell cell_REAL(double value);                          /* NaN: a CELL_NULL */
struct cell cell_TEXT(const char *value);                     /* NULL: a CELL_NULL */
int cell_compare(const struct cell *a, const struct cell *b); /* NULL after all else */
/* Full precision; NULL gives "". Infinite numbers are inf and -inf. */
void cell_exact(const struct cell *cell, struct text *out);
/* The same as a field of a CSV line. */
void cell_add_csv(const struct cell *cell, bool is_first, struct text *out);
/* Six significant digits in the column's unit. */
void cell_short(const struct cell *cell, struct text *out);
/* With a unit that fits. Line breaks become blanks. */
void cell_readable(const struct cell *cell, struct text *out);

double relative_iqr(const struct stored_case *c); /* (q3 - q1) / median */

/* "streams rows=32 streams=4": as a run shows its progress. */
const char *case_label(const struct stored_case *c, struct arena *arena);

/* All NaN and no words where nothing is known. moment: TELEMETRY_... */
const struct gb_telemetry *telemetry_at(const struct stored_case *c, int moment);
/* From the counter of energy where that says enough, else as read at the end; NaN: not known. */
double mean_power_watts(const struct stored_case *c);
/* The device's, between the first sample and the last, what it used between samples included. NaN:
 * not known, too short a time, or the device did something else between samples: flushed its
 * caches, idled. */
double iteration_energy_joules(const struct stored_case *c);
/* Why the device was throttled, at the end or else at the beginning; "" if it was not, NULL if it
 * is not known. */
const char *throttle_words(const struct stored_case *c);

/* "132x2" of {132, 2, 1}. */
void extent_text(const uint32_t extent[3], struct text *out);

/* What a verbose table shows of telemetry. */
struct telemetry_column {
    const char *head;
    struct view_column column;
};
enum { TELEMETRY_COLUMNS = 7 };
struct telemetry_column telemetry_column(size_t i);
/* Adds the median of the rounds, with its unit. */
void telemetry_cell(const struct view_row *rows, size_t n, size_t i, struct arena *arena,
                    struct text *out);

/* What the selected cases have, found in one pass over them. */
struct survey_parameter {
    const char *name;
    const char *first; /* value; NULL: not every case has it */
    bool is_axis, varies;
    bool is_number;
};

struct survey_bench {
    const char *name;
    struct survey_parameter *parameters;
    size_t n_parameters;
    uint64_t n_cases, n_skipped;
};

struct survey_metric {
    const char *name, *unit;
};

struct survey {
    struct arena *arena;
    struct survey_bench *benches;
    size_t n_benches;
    struct survey_metric *metrics;
    size_t n_metrics;
    const char *device, *policy, *clock, *launch; /* of the first case */
    const char *item;                             /* of the first case that has some */
    bool several_items;
    bool several_devices, several_policies, several_clocks, several_launches, several_runs;
    bool is_united; /* the runs are one */
    int64_t run_id;
    uint32_t last_round;
    bool any_timed, any_counted; /* cases with samples; of a clock that counts */
    bool any_bad, any_skipped, any_flops, any_bytes, any_items, any_check, any_pace, any_estimate;
    bool any_roof;
    struct gb_work work; /* of the first case */
    bool any_work, several_works;
    bool any_telemetry[TELEMETRY_COLUMNS];
    uint64_t n_cases, n_done;
    struct view_counts counts;
};

/* The cases or records that options select, in order. */
struct view_entry {
    const struct view_row *row; /* made once, and there as long as the view */
    uint64_t place; /* hash of bench, position, policy and device: equal for rounds of one case */
    /* --rows combined: so many entries of the view's rounds from number `first_round` on are one;
     * 0: the entry is a record. */
    size_t first_round, n_rounds;
};

struct view {
    struct store *store;
    const struct view_options *options;
    struct arena arena;
    struct stored_run *runs;
    size_t n_runs;
    bool is_united;                 /* they are shards of one plan */
    struct stored_devices *devices; /* by run */
    const char **parameters;        /* names in the selected runs, sorted */
    size_t n_parameters;
    const char **metrics;
    size_t n_metrics;
    struct view_page {
        uint64_t first, n;         /* cases that are shown, the first counted from 0 */
        uint64_t n_all;            /* that there are; 0: all are shown */
        uint64_t from, to;         /* their positions; all where they are chosen afterwards */
        struct case_counts counts; /* of all records, where only those shown are read */
    } page;
    struct view_entry *entries;
    size_t n_entries;
    struct view_entry *rounds; /* --rows combined: the records that entries are made of */
    struct survey survey;
    struct relatives *relatives; /* --relative-to; NULL */
    struct view_expressions {
        struct expression_engine *engine;
        struct view_column *columns;      /* that they may name */
        struct expression_column *values; /* of the row: those that the last one read */
        size_t n_columns;
        struct view_expression **items;
        size_t n;
        struct gb_error trouble; /* the first that one had with a row */
    } expressions;
    struct roof_library roofs;
    bool has_roofs;            /* the library has been filled */
    const char *roofs_problem; /* why a file of roofs that the user did not name now is of no use */
};

int32_t view_open(struct store *store, const struct view_options *options, int64_t run,
                  struct view *ret, struct gb_error *error);
void view_close(struct view *view);

/* The row of a record of the view's run number `run`, selected or not; what is made for it is the
 * arena's, the rest is as in c. */
int32_t view_row_of(struct view *view, size_t run, const struct stored_case *c, struct arena *arena,
                    struct view_row *ret, struct gb_error *error);

/*
 * The selected cases one after the other:
 *   for (struct view_cursor at = {.view = view}; view_next(&at, &status, error);)
 * It ends after the last, or where status is not GB_OK, which the body may set.
 */
struct view_cursor {
    struct view *view;
    const struct view_entry *entry;
    const struct view_row *row; /* its */
    size_t n_read;
};
bool view_next(struct view_cursor *cursor, int32_t *status, struct gb_error *error);
/* The rounds of a case as an array, the view's or the arena's. */
struct group;
const struct view_row *view_group_rows(const struct view *view, const struct group *group,
                                       struct arena *arena);
/* Likewise the records that an entry of the view is made of: itself, or its rounds. */
const struct view_row *view_records(const struct view *view, const struct view_entry *entry,
                                    struct arena *arena, size_t *ret_n);

/* What the case takes by its roof over what it took; NaN: not known. */
double roof_ratio(const struct view_row *row);
/* "87 % dram_copy"; nothing where no roof is known. */
void roof_cell(const struct view_row *row, struct text *out);

/* A column by its name; option: "--sort", for the error. */
int32_t view_column_named(const struct view *view, const char *name, const char *option,
                          struct view_column *ret, struct gb_error *error);

/* The items of an option's comma list, with their places; commas in parentheses and quotes separate
 * nothing. */
int32_t view_split(struct view *view, const char *list, const char *option, struct text_list *ret,
                   struct gb_error *error);
/* An item of it: a column's name, or an SQL expression of columns, perhaps followed by "as NAME".
 */
int32_t view_column_asked(struct view *view, const char *item, struct origin origin,
                          struct view_column *ret, struct gb_error *error);
const char *view_take_title(char *item); /* cuts it off; NULL: there is none */
const char *view_column_title(const struct view_column *column); /* without "metric." */

/*
 * SQL expressions of all columns, parameters and metrics (expression.h); they are the view's. What
 * goes wrong with a row gives no value there and is what view_expressions_status says: view_next
 * ends with it.
 */
struct view_expression;
int32_t view_expression_new(struct view *view, const char *text, struct origin origin,
                            struct view_expression **ret, struct gb_error *error);
int32_t view_expression_test(struct view_expression *expression, const struct view_row *row,
                             bool *ret, struct gb_error *error);
int32_t view_expressions_status(const struct view *view, struct gb_error *error);
void view_expressions_free(struct view *view);

/* The columns of --columns. */
int32_t view_columns_asked(struct view *view, struct view_column **ret, size_t *ret_n,
                           struct gb_error *error);

void survey_add(struct survey *survey, const struct view_row *row);
const char *device_label(const struct view_row *row, struct arena *arena);
/* One of several that there may be, as its UUID says; the CPU is not. */
bool device_is_numbered(const struct device_record *device);
/* Does the parameter get a column: is it an axis, or does it differ between cases? */
bool survey_shows(const struct survey_parameter *parameter);
/* What is known of the parameter in one bench or (NULL) in any; one that is not: a number. */
struct survey_parameter survey_of(const struct survey *survey, const char *bench, const char *name);

/* Of several benches, the parameters (those shown only, or all) in order of appearance. */
size_t survey_union(const struct survey *survey, bool shown_only, struct arena *arena,
                    const struct survey_parameter ***ret);

/* The rounds of one case, one after the other in the list of entries. */
struct group {
    size_t first, n;
};

/* Puts the rounds of each case next to each other; the groups are the view's. */
struct group *group_rounds(struct view *view, bool combine, size_t *ret_n);

/* A case as it is shown, its rounds combined. */
struct shown {
    struct view_row row; /* see rounds_as_one */
    size_t n_rounds;     /* all; row.n_rounds: those that count */
    double central_ns, low_ns, high_ns, relative_iqr;
    bool has_interval;
    bool differs;                 /* see rounds.h */
    const struct view_row *worst; /* the first round that is not ok, or NULL */
};

/*
 * The rounds of a case as one record. Those that are ok count, or all if none is. The estimate and
 * its interval are as of rounds.h, at the highest confidence of any; n_samples, n_lost,
 * n_throttled, n_discarded, n_effective and wall_ns are sums; min_ns and max_ns of all samples,
 * other numbers of the summary, metrics and excluded_mode_weight medians of the rounds'; the
 * verdict is the worst, modes are those of the first round that has several, check is the first
 * that failed, else the first there is. All else is of the first round that is not ok, or of the
 * first. A single round stays what it is. Arrays live in the arena.
 */
struct shown combine_rounds(const struct view_row *rows, size_t n, struct arena *arena);
/* "8.696 G", "12.00". */
void view_add_si(struct text *out, double value);
/* A plugin's metric with four digits: with its unit, where that is one of time or of bytes, with a
 * prefix for units that take one and for counts. */
void view_add_metric(struct text *out, double value, const char *unit);
double view_ns_of_unit(const char *unit);    /* nanoseconds in a unit of time; 0: it is none */
bool view_metric_has_unit(const char *unit); /* is it in the cells, or is there none? */
/* "1.046 [1.038, 1.054]", "base"; nothing for NULL. */
void view_add_ratio(struct text *out, const struct relative *relative);
/* Is one of the ends known? An infinite one is not, and never looks like a number. */
bool view_is_interval(double low_ns, double high_ns);
/* As text_add_interval, with the statistic, if it is not the median; "none" where none is claimed,
 * or one without ends. */
void shown_add_interval(struct text *out, const struct shown *shown);
/* The time with its marks: several modes, and what the verdict has against it. */
void shown_add_central(struct text *out, const struct shown *shown);
/* Of that time: COLOUR_DOUBT where it has a mark. */
int shown_colour(const struct shown *shown);
#define MODES_MARK "*"
const char *view_verdict_mark(int32_t verdict); /* "" for one that the policy guarantees */

enum { SHOW_COLUMNS = 120 }; /* that a table for people takes at most, by default */
size_t view_width(const struct view *view);

struct json_writer;
void json_cell(struct json_writer *json, const char *name, const struct cell *cell);
void json_modes(struct json_writer *json, const struct gb_estimate *estimate); /* member "modes" */

/* Columns of samples of all selected cases: clocks, then elapsed, iterations ... */
int32_t sample_columns_of(struct view *view, const char ***ret, size_t *ret_n,
                          struct gb_error *error);
void sample_column_head(const char *name, struct text *out); /* "wall_ns", "flags" */
/* What a gap in a column stands for; NaN: not known. */
double sample_missing(const struct view_row *row, const char *name);
/* n samples from number `first` on, n up to STORE_CHUNK: on the clock that counts, then the named
 * columns, their gaps filled. Each begins at a multiple of STORE_CHUNK in values. */
int32_t view_read_samples(struct view *view, const struct view_row *row, const char *const *names,
                          size_t n_names, uint64_t first, uint64_t n, double *values,
                          struct gb_error *error);
/* All samples of the rounds of a case on its clock, ns, in the arena; NaN where one was lost.
 * column: NULL, or another column of samples (clock_hz). */
int32_t view_round_samples(struct view *view, const struct view_row *rounds, size_t n_rounds,
                           const char *column, struct arena *arena, double **ret, size_t *ret_n,
                           struct gb_error *error);
