/*
 * record.h - what is kept of a run: the rows of the results file as structs.
 *
 * Filled by the supervisor, written and read by the store. Text is borrowed from the filler.
 */
#pragma once

#include "core/base/distribution.h"
#include "core/base/host_clock.h"
#include "core/base/rounds.h"
#include "core/config/bench_case.h"
#include "core/verify/verify.h"

#include <gbrun/activities.h>
#include <gbrun/policy.h>

/* Units of figures. X(name, word as a list of columns has it) */
#define UNIT_MAP(X)                                                                                \
    X(NONE, "")                                                                                    \
    X(NS, "ns")                                                                                    \
    X(BYTES, "bytes")                                                                              \
    X(RATIO, "ratio")                                                                              \
    X(GFLOPS, "GFLOP/s")                                                                           \
    X(FLOPS_PER_BYTE, "FLOP/byte")                                                                 \
    X(BYTES_PER_S, "bytes/s")                                                                      \
    X(PER_S, "1/s")                                                                                \
    X(HZ, "Hz")                                                                                    \
    X(CELSIUS, "C")                                                                                \
    X(WATTS, "W")                                                                                  \
    X(JOULES, "J")                                                                                 \
    X(FLOPS_PER_JOULE, "FLOP/J")
enum {
#define UNIT_CONSTANT(name, word) UNIT_##name,
    UNIT_MAP(UNIT_CONSTANT)
#undef UNIT_CONSTANT
};

/* How a case ended. X(name, word stored and shown, counts as done for --resume, makes exit code 1)
 */
#define CASE_STATUS_MAP(X)                                                                         \
    X(OK, "ok", 1, 0)                                                                              \
    X(SKIPPED, "skipped", 1, 0)                                                                    \
    X(FAILED, "failed", 1, 1) /* reported by the plugin, with a text */                            \
    X(WRONG_RESULT, "wrong result", 1, 1)                                                          \
    X(CONTRADICTED, "contradicted", 1, 1) /* other calls take longer than its samples say */       \
    X(CRASHED, "crashed", 1, 1)           /* text: "SIGSEGV", "exit 0", "closed its connection" */ \
    X(TIMED_OUT, "timed out", 1, 1)       /* text: "after 60 s" */                                 \
    X(DEVICE_ERROR, "device error", 1, 1) /* text: "illegal address" */                            \
    X(CANCELLED, "cancelled", 0, 1)       /* the user stopped the run */                           \
    X(RUNNING, "running", 0, 1)           /* only in files of runs that were killed */

enum {
#define CASE_STATUS_CONSTANT(name, word, done, bad) CASE_##name,
    CASE_STATUS_MAP(CASE_STATUS_CONSTANT)
#undef CASE_STATUS_CONSTANT
        CASE_STATUSES
};
const char *case_status_word(int status);
int case_status_named(const char *word); /* -1: unknown */
bool case_status_is_done(int status);
bool case_status_is_bad(int status);
/* The status and the words beside it: "crashed (SIGSEGV)", "timed out after 60 s", "failed: no
 * input". */
void case_status_describe(int status, const char *words, struct text *out);

/* What a policy guarantees, as stored and shown: "resolution limited". Unknown: "none". */
const char *verdict_words(int32_t verdict);
int32_t verdict_named(const char *words); /* GB_VERDICT_NONE: unknown */

/*
 * The verdict of a case: that of its visits, of which `visit` is the worst, and where the policy
 * certified each, whether that holds over them (rounds_hold); of fewer than ROUNDS_LEAST, of those
 * that do not lie apart (rounds_are_apart) or share a process (rounds_are_spread), or where the
 * precision is not known (0 or NaN, of older files), GB_VERDICT_CERTIFIED_IN_VISIT. Where it does
 * not hold it is not certified, and *note, if not NULL, says why.
 */
int32_t verdict_of_case(int32_t visit, const struct rounds_interval *visits, double precision,
                        struct text *note);
/* Of one visit by itself. */
int32_t verdict_of_visit(int32_t verdict);
/* Is what was asked for guaranteed, of the case or of one visit? */
bool verdict_holds(int32_t verdict);

/* Of the name of a record's clock: did that count instructions? There are no times then. */
bool clock_is_counting(const char *clock);
/* By how much counts may differ, as a share, of code that is not deterministic to the digit. */
#define COUNTS_AGREEMENT 1e-4

struct fact {
    const char *name;
    const char *value;
};
/* Of a run: what other programs of the machine did when it began; there only if that was much. */
#define BUSY_FACT "busy"
/* Of which plan it is, which part ("2/4"), and of how many cases in all. */
#define SHARD_FACT_PLAN "plan"
#define SHARD_FACT_SHARD "shard"
#define SHARD_FACT_CASES "plan_cases"
const char *fact_of(const struct fact *facts, size_t n, const char *name); /* "" */
/* Of a record that has them. */
#define FACT(record, name) fact_of((record)->facts, (record)->n_facts, (name))

struct clock_record {
    const char *name;
    double tick_ns, overhead_ns;
};

struct device_record {
    const char *plugin; /* "cpu" */
    const char *name;   /* of the [device NAME], or the plugin's id */
    uint32_t index;
    const char *model;
    const char *uuid;
    struct fact *facts;
    size_t n_facts;
    struct clock_record *clocks;
    size_t n_clocks;
};
/* A fact that is a number; 0: not known. device may be NULL. */
double device_number(const struct device_record *device, const char *fact);

struct module_record {
    const char *path, *sha256, *kind, *id, *version;
};

struct run_record {
    char uuid[UUID_TEXT];
    const char *started;  /* UTC, ISO 8601 with milliseconds */
    const char *finished; /* NULL while it runs, or if it was killed */
    const char *version;  /* of gbrun */
    const char *command_line;
    const char *config_path;
    const char *config_folder; /* what relative paths in it start from */
    const char *config;        /* the settings used, as settings_print writes them */
    char config_sha256[65];
    int64_t seed;
    uint64_t n_cases;   /* of the sweep, rounds and devices of each counted */
    struct fact *facts; /* machine: host, kernel, cpu, governor, ... */
    size_t n_facts;
};

struct metric_record {
    const char *name;
    double value;
    const char *unit;
};

struct check_record {
    const char *name;   /* "C" */
    const char *metric; /* "abs" */
    double value;
    double tolerance; /* NaN: not judged, only measured */
    bool passed;
    uint64_t index;
    double reference, output; /* at index */
    const char *text;         /* as verify_describe words it */
};

/* What one comparison found beside its metrics; the counts of struct verify_result. */
struct check_summary_record {
    const char *name; /* as of its check_records */
    uint64_t n, n_exact, n_overflowed, n_nan, n_infinite_mismatch, n_zero_mismatch;
    double floor; /* of above_floor; NaN: not known, in files of earlier versions */
    uint64_t histogram[VERIFY_CLASSES]; /* adds up to n */
    uint64_t above_floor[VERIFY_CLASSES];
};

/* One of the elements of an output that are most off, as check.worst asks for them. */
struct worst_record {
    const char *name; /* of the output, as of its check_records */
    uint64_t index;
    double reference, output, ulps; /* as of struct verify_element */
};

/* How long the phases of a case took, one after the other; what they are: PHASES_MAP. NaN, or 0 of
 * all: not known. */
#define PHASES_MAP(X)                                                                              \
    X(open_ns, "open", "modules were loaded and the device was opened")                            \
    X(prepare_ns, "prepare", "create and prepare; not: waiting to be alone")                       \
    X(warmup_ns, "warm up", "waiting for the device's pace, calibration, warm-up")                 \
    X(measure_ns, "measure", "from the first sample to the last")                                  \
    X(count_ns, "count", "activities and counters")                                                \
    X(verify_ns, "verify", "comparisons with references")
struct phases_record {
#define PHASES_MEMBER(member, words, help) double member;
    PHASES_MAP(PHASES_MEMBER)
#undef PHASES_MEMBER
};
enum {
#define PHASES_CONSTANT(member, words, help) CASE_PHASE_##member,
    PHASES_MAP(PHASES_CONSTANT)
#undef PHASES_CONSTANT
        CASE_PHASES
};

/* When a device's telemetry was read: before the first sample, after the last one, and before
 * anything of the case was run. */
enum { TELEMETRY_BEGIN, TELEMETRY_END, TELEMETRY_BEFORE, TELEMETRY_MOMENTS };
struct telemetry_record {
    bool is_known;       /* false: not asked for, or not available */
    double elapsed_ns;   /* since the reading at the beginning; before that 0 */
    uint64_t iterations; /* run since then */
    struct gb_telemetry values;
};

/* The device's own reference work (gb_device_ops.reference) before the first sample of a visit and
 * after the last. */
enum { SENTINEL_BEGIN, SENTINEL_END, SENTINEL_MOMENTS };
struct sentinel_record {
    char at[UTC_TEXT]; /* "": it was not measured */
    uint32_t version;
    double time_ns;
};

/* How the pace that was asked for was reached, and the clock of the device meanwhile; 0: not asked
 * for, or not known. X(type, member, then what follows as of COLUMN in store_table.h: name in the
 * results file, type there, since which version, comment, what results show). All that a figure
 * needs is its line here, and what computes it (core/run/pace.c). */
#define PACE_MAP(X)                                                                                \
    X(double, gap_ns, gap_ns, "REAL", 4,                                                           \
      "pace = burst: idle time of the device after each sample",                                   \
      RESULT_IN(NS, "Idle time of the device after each sample, with pace = burst"),               \
      .is_amount = true)                                                                           \
    X(double, load_ns, load_ns, "REAL", 4, "of the device before the first sample",                \
      RESULT_IN(NS, "Load before the first sample: of pace = sustained; or of cases before, at "   \
                    "the same clock"),                                                             \
      .is_amount = true)                                                                           \
    X(bool, is_missed, pace_missed, "INTEGER NOT NULL DEFAULT 0", 4,                               \
      "1: throttled in spite of the gaps, or not settled",                                         \
      RESULT("1: throttled in spite of the gaps of burst, or not settled within pace_limit"))      \
    X(double, waited_ns, waited_ns, "REAL", 4, "for cool_below and clock_at_least",                \
      RESULT_IN(NS, "How long cool_below and clock_at_least waited before the case"),              \
      .is_amount = true)                                                                           \
    X(double, clock_mean_hz, clock_mean_hz, "REAL", 4,                                             \
      "of the device, over the samples; 0: not known",                                             \
      RESULT_IN(HZ, "Mean clock rate of the device over the samples"), .is_amount = true)          \
    X(double, clock_low_hz, clock_low_hz, "REAL", 4, NULL,                                         \
      RESULT_IN(HZ, "The lowest over the samples"), .is_amount = true)                             \
    X(double, clock_high_hz, clock_high_hz, "REAL", 4, NULL, RESULT_IN(HZ, "The highest"),         \
      .is_amount = true)
struct pace_record {
#define PACE_MEMBER(type, member, ...) type member;
    PACE_MAP(PACE_MEMBER)
#undef PACE_MEMBER
};

/* What the rest of the machine did between the first sample and the last. */
struct interference_record {
    bool is_known;
    double sampled_ns;    /* how long that was */
    double own_cpu_ns;    /* of the worker and its children; not stored */
    double others_cpu_ns; /* of all other processes, on all processors */
    double stolen_ns;     /* by other guests of the host, likewise */
    double waited_cpu_ns; /* that threads of the worker waited for a processor */
    uint64_t n_preempted; /* how often one was taken from them */
};

struct message_record {
    int32_t severity; /* GB_LOG_... */
    const char *text;
};

/* Kept of a case; what there is beyond them is summed up in the last one. */
enum { ACTIVITIES_MAX = 1024 };
/* "kernel", "copy", "fill", "other" for GB_ACTIVITY_... */
const char *activity_word(int32_t kind);
int32_t activity_named(const char *word); /* GB_ACTIVITY_OTHER: unknown */
double activity_blocks(const struct gb_activity *activity);

/* Samples that a benchmark has given itself (host->series): how often which value, and what follows
 * from that. */
enum { SERIES_LEVELS = 4 };
extern const struct series_level {
    const char *name; /* "p50" */
    double p;
} series_levels[SERIES_LEVELS];
struct series_quantile {
    double value;
    double low, high; /* its 95 % interval; infinite: no end */
};
struct series_record {
    const char *name, *unit;
    uint64_t n, n_refused; /* values kept; not finite, or 2^64 and above */
    double min, max, mean, stdev;
    double error_ratio; /* of the bins' values: DISTRIBUTION_ERROR, or 0 */
    struct series_quantile quantiles[SERIES_LEVELS]; /* of series_levels */
    uint64_t n_effective[SERIES_LEVELS];             /* for each of them; not stored */
    const struct bin *bins; /* n_bins; NULL: not read, see store_series_bins */
    uint64_t n_bins;
};
/* Fills in the quantiles, from n, n_effective and the bins. */
void series_find_quantiles(struct series_record *series);

/* One column of samples. "wall", "kernel" ...: time of one iteration on that clock, ns. "elapsed":
 * ns since the first sample's start. "clock_hz", "throttle", "flags": as in struct gb_samples; left
 * out if 0 for all. "iterations": left out if the record's for all. */
struct sample_column {
    const char *name;
    const double *values;
};

enum { PLUGIN_KINDS = 3 };
struct case_record {
    char uuid[UUID_TEXT]; /* of this record: merging is the union of records */
    char uid[CASE_UID_TEXT];
    const struct bench_case *bench_case;
    const char *builds[PLUGIN_KINDS]; /* SHA-256 of the modules that ran: benchmark, policy, device;
                                         NULL, "": not known */
    uint64_t sequence;                /* when it was measured, counted over the run from 0 */
    uint32_t round;                   /* from 0 */
    uint32_t attempt;                 /* of --claim: a later one replaces an earlier one */
    int64_t device_id;                /* as store_device gave it; 0: none was opened */
    int64_t pid;                      /* of the process that it ran in; 0: not known */
    int status;                       /* CASE_... */
    const char *status_text;          /* words beside it, or "" */
    const char *stop_reason;          /* of the policy or of the guard that ended it; "" */
    const char *clock;                /* the one that counts */
    uint64_t iterations;              /* a sample */
    double tick_ns, overhead_ns;      /* of the clock */
    const char *launched;             /* "stream", "graph": how samples were; NULL, "": not known */
    double offset_ns, offset_error_ns; /* as in struct gb_reading, which says all of these */
    double graph_ns;
    bool is_dithered;
    bool is_part; /* as of struct bench_case */
    const char *reading_note;
    const char *started;
    double wall_ns;      /* from create to destroy */
    double build_ns;     /* before that, on a lane, stops included; 0: it was not built there */
    uint32_t n_lanes;    /* the most that built other cases at a time while it was measured */
    double lock_wait_ns; /* for other gbrun processes on the device or the machine */
    uint64_t n_lost;     /* samples whose times were lost */
    bool has_estimate;
    struct gb_estimate estimate;
    struct gb_work work; /* of an iteration */
    const struct metric_record *metrics;
    size_t n_metrics;
    const struct series_record *series; /* of its own samples */
    size_t n_series;
    const struct check_record *checks;
    size_t n_checks;
    const struct check_summary_record *summaries; /* one a comparison */
    size_t n_summaries;
    const struct worst_record *worst; /* comparisons one after the other, the worst first */
    size_t n_worst;
    const struct message_record *messages;
    size_t n_messages;
    const struct gb_activity *activities; /* of one sample, in order */
    size_t n_activities;                  /* ACTIVITIES_MAX at most */
    bool has_activities;                  /* they are known */
    uint64_t n_kernels;                   /* among all there are */
    struct telemetry_record telemetry[TELEMETRY_MOMENTS];
    struct sentinel_record sentinel[SENTINEL_MOMENTS];
    struct pace_record pace;
    struct interference_record interference;
    struct phases_record phases;
    uint64_t n_samples; /* in columns; those written before by store_samples are not counted */
    const struct sample_column *columns;
    size_t n_columns;
};

/* The judged metric that says most: the first that failed, else the first with a tolerance; or
 * NULL. */
const struct check_record *record_main_check(const struct case_record *record);
enum { VERIFIED_UNCHECKED, VERIFIED_OK, VERIFIED_FAILED };
int record_verified(const struct case_record *record);
const char *verified_word(int verified); /* "unchecked", "ok", "failed" */

/* Other processes that computed on the device both before the first sample and after the last. */
uint32_t others_on_device(const struct case_record *record);
