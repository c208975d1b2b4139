/*
 * replay.h - stopping policies on recorded samples: what they are given, what became of it, how it
 * is printed.
 *
 * Policies are plugins and run in workers: one for each policy, started anew when it has died.
 */
#pragma once

#include "core/config/settings.h"
#include "core/run/module.h"
#include "core/run/policy_run.h"
#include "core/run/worker_process.h"
#include "core/view/view_cases.h"

/* ---- policies ---- */

struct replay_policy {
    const char *label; /* "steady precision=0.5%": as the user wrote it */
    const struct plugin_settings *settings;
    struct worker_process worker;
    bool is_running; /* the worker */
};

struct replay_policies {
    struct replay_policy *items;
    size_t n;
    struct catalogue catalogue;
};

/*
 * Policies by their texts: the name of a [policy NAME] of ini (which may be NULL), a plugin's id or
 * a path, then key=value for its options, with blanks between; a word without = belongs to the
 * value before it, and blanks in double quotes are part of a word. Without texts: the policies of
 * ini, or else every policy plugin in the folders whose options all have defaults. Adds all errors;
 * their origin is "--policy", number of the text, column.
 */
struct replay_request {
    const char *const *texts; /* of policies */
    size_t n_texts;
    const char *const *plugin_path; /* folders searched before all others */
    size_t n_plugin_path;
    const struct ini *ini;  /* or NULL */
    const char *ini_folder; /* that paths in it start from */
};
int32_t replay_policies_read(const struct replay_request *request, struct arena *arena,
                             struct replay_policies *ret, struct error_list *errors);
void replay_policies_free(struct replay_policies *policies); /* ends the workers */

/*
 * ---- samples that some other program recorded, read from a file
 *
 * Text (`csv`): lines of fields with commas, semicolons or tabs between them (whichever the first
 * line has, tabs before semicolons before commas), quoted as in RFC 4180 within a line. Empty lines
 * and lines that begin with # are skipped, a byte order mark too. The first line is a header if the
 * field of the column is no number there. One column is read: the one that is named or numbered
 * from 1, the only one, or one whose head is `time` or `time_UNIT`.
 * Binary (`f32`, `f64`): little-endian IEEE 754 numbers and nothing else, such as the .bin files of
 * nvbench --jsonbin (float32, seconds).
 *
 * A value is a time of at least 0 that is finite. The unit of text is what was asked for, else that
 * of the head (time_ns, "GPU Time (sec)"), else that of each line's field `time_unit` (Google
 * Benchmark); without any it is an error. Binary files are in seconds if none was asked for.
 */

enum { TRACE_AUTO, TRACE_CSV, TRACE_F32, TRACE_F64, TRACE_FORMATS };
int trace_format_named(const char *name); /* "csv", "f32", "f64"; -1: unknown */

/* ns of one of ns us ms s and their longer names; 0: unknown. */
double trace_unit_ns(const char *name);

struct trace_file_options {
    int format; /* TRACE_...; AUTO: f32 for names in .f32 and .bin, f64 for .f64, else csv */
    const char *column; /* its number from 1, or its head; NULL: see above */
    double unit_ns;     /* 0: not given */
};

struct trace_file {
    uint64_t n;
    double *time_ns;    /* the caller's to free */
    const char *column; /* its head, or NULL; in the arena */
};

/* "-" is standard input. Errors have line and column of text, the number of the value of binary
 * files. GB_INVALID: empty, or no samples as above; GB_IO; GB_NO_MEMORY. */
int32_t trace_file_read(const char *path, const struct trace_file_options *options,
                        struct arena *arena, struct trace_file *ret, struct gb_error *error);

/* ---- recorded samples ---- */

enum { TRACE_CHUNK = STORE_CHUNK };

/* The columns of some samples; each is TRACE_CHUNK long, or NULL: 0 for all. */
struct trace_columns {
    const double *time_ns, *elapsed_ns, *iterations, *clock_hz, *throttle, *flags;
};

/* One case, or one file. */
struct trace {
    const char *file;
    const char *label;          /* of a case; of a file its name */
    const char *device, *clock; /* "" where not known */
    int64_t run;                /* 0: none */
    uint32_t round;
    bool has_rounds;
    uint64_t n;
    double tick_ns;   /* of time_ns; 0: not known */
    double error_ns;  /* that all of time_ns may have in common */
    double load_ns;   /* that other cases were on the device before, at the same clock */
    bool is_dithered; /* as GB_SAMPLES_DITHERED */
    bool is_part;     /* as of struct bench_case */
    uint64_t seed;
    double *time_ns; /* all samples; NaN where none is stored */
    double median_ns, elapsed_ns;
    double centre_ns; /* what estimates are compared with: the median; of a dithered timer's samples
                         the median between its ticks, and the mean near it where they are few */
    /* of a case */
    struct view *view;
    struct view_row row;
    double *chunk; /* TRACE_CHUNK for each column */
    /* of a file */
    double overhead_ns;  /* untimed time of a sample */
    uint64_t elapsed_at; /* elapsed_sum_ns is that before this sample */
    double elapsed_sum_ns;
};

/* Both take what they need into the arena. A trace has at least one sample, or else it is
 * GB_NOT_FOUND with the reason. */
int32_t trace_of_case(struct view *view, const struct view_entry *entry, const char *file,
                      struct arena *arena, struct trace *ret, struct gb_error *error);
struct trace_times {
    double tick_ns, overhead_ns;
};
int32_t trace_of_file(const char *path, const struct trace_file_options *options,
                      const struct trace_times *times, struct arena *arena, struct trace *ret,
                      struct gb_error *error);
void trace_free(struct trace *trace);

/* n samples from `first` on, which is a multiple of TRACE_CHUNK plus what was read before; valid
 * until the next call. */
int32_t trace_read(struct trace *trace, uint64_t first, uint64_t n, struct trace_columns *ret,
                   struct gb_error *error);

/* ---- replaying ---- */

struct replay_result {
    bool has_failed;  /* crashed, timed out, or reported a failure: text */
    bool has_ended;   /* by the policy or a guard; else the samples ended first */
    const char *text; /* why it failed, "" */
    uint64_t n;       /* samples it was given */
    double elapsed_ns;
    const char *reason; /* why it ended, "" */
    bool has_estimate;
    struct gb_estimate estimate;
    const char *messages; /* what the policy logged from warnings on, one a line, and printed */
};

struct replay_limits {
    struct guards guards;
    double time_limit_ns; /* for one policy on one trace */
};

/* Texts of the result are in the arena. Errors are of this process: samples cannot be read, no
 * worker can be started. */
int32_t replay_run(struct replay_policy *policy, struct trace *trace,
                   const struct replay_limits *limits, struct arena *arena,
                   struct replay_result *ret, struct gb_error *error);

/* Estimate against the centre of all samples, as a share; NaN: there is none. */
double replay_error_ratio(const struct trace *trace, const struct replay_result *result);
enum { REPLAY_NO_INTERVAL = -1, REPLAY_MISSED, REPLAY_HELD };
/* Does the interval hold the centre of all samples? */
int replay_holds(const struct trace *trace, const struct replay_result *result);

/* ---- printing ---- */

/* Results as they come: of one trace after the other, for all policies. Zero-initialize but for the
 * format. */
struct replay_printer {
    int format; /* FORMAT_... of views.h */
    bool has_begun;
    size_t n_printed; /* traces */
    struct text out;
};
void replay_print(struct replay_printer *printer, const struct trace *trace,
                  const struct replay_policies *policies, const struct replay_result *results);
void replay_print_end(struct replay_printer *printer);

/* What column i of JSON and CSV means. False: there is none. */
bool replay_column_help(size_t i, struct help_entry *ret);

/* ---- drawing ---- */

/*
 * Some of the samples, and running figures of the first k of them for growing k. Sample numbers
 * begin at 1. Memory is the arena's.
 */
struct replay_series {
    uint64_t n_shown; /* all samples within the bounds if they are few, else those that stand for
                         them */
    double *shown_number, *shown_ns;
    double low_ns, high_ns; /* bounds that nearly all samples are within */
    uint64_t n_above, n_below;
    uint64_t n_outside; /* where such are, at the bound that is next to them */
    double *outside_number, *outside_ns;
    uint64_t n_points;
    double *number;      /* k */
    double *stdev_ratio; /* standard deviation (k - 1) over the mean */
    /* Of the noise window: standard deviation (n) over the mean of the newest NOISE_WINDOW values
     * of stdev_ratio, one a sample from the fifth on; NaN before there are more than
     * NOISE_WINDOW_FROM. What stdrel, NVBench's rule, compares with NOISE_WINDOW_LIMIT. */
    double *noise_ratio;
    double *entropy_bits; /* log2 k - sum(c log2 c) / k over the counts c of equal times */
    double *median_ns;
    double *median_low_ns, *median_high_ns; /* the 95 % interval from order statistics, as if
                                               samples were independent; NaN: too few */
};

enum { SERIES_ALL_SHOWN = 10000, NOISE_WINDOW = 512, NOISE_WINDOW_FROM = 64 };
static const double NOISE_WINDOW_LIMIT = 0.05;

/* Times that are NaN are left out and not counted. Takes 16 bytes for each sample while it works.
 * GB_NO_MEMORY; GB_NOT_FOUND: no time is known. */
int32_t replay_series_of(const double *time_ns, uint64_t n, struct arena *arena,
                         struct replay_series *ret, struct gb_error *error);

/*
 * A page of charts with a trace and where policies stop on it.
 *
 * Charts over the number of samples: the samples, the running relative standard deviation and how
 * much its newest values vary (the noise window of stdrel), the running entropy, the running median
 * with its interval; a vertical line where each policy stops. And the distribution of the samples
 * up to there beside that of all. What a few outliers or the first few samples would stretch an
 * axis by is cut off.
 */
int32_t replay_page_write(const char *path, const struct trace *trace,
                          const struct replay_policies *policies,
                          const struct replay_result *results, struct gb_error *error);
