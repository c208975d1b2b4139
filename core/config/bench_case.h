/*
 * bench_case.h - one case: a benchmark with every option, device and policy fixed.
 */
#pragma once

#include "core/config/catalogue.h"
#include "core/config/option_table.h"

#include <gbrun/counters.h>

/* Settings that every benchmark has beside its own options; filled from common_options(). */
struct common_params {
    int32_t cache;        /* GB_CACHE_... */
    int32_t launch;       /* GB_LAUNCH_... */
    int32_t pace;         /* PACE_... */
    int32_t isolate;      /* ISOLATE_... */
    int32_t exclusive;    /* no other case is measured beside this one */
    const char *clock;    /* a clock's name, or "auto" */
    int32_t count_by;     /* GB_COUNT_BY_... */
    int64_t count_limit;  /* of instructions that are stepped */
    const char *measure;  /* MEASURE_TIME, or the name of a series of the benchmark's own */
    const char *counters; /* "no", "yes", or names with commas between; see counting.c */
    int32_t verify;       /* VERIFY_... */
    int64_t seed;         /* of random numbers; or SEED_... */
    int64_t inputs;       /* sets that calls to be verified take in turn; 0: auto */
    int32_t breakdown;    /* what a sample puts on the device is timed one by one */
    int64_t iterations;   /* in a sample; 0: auto (written "auto" or 0) */
    int64_t threads;      /* that call run at the same time */
    double warmup_ns;     /* run untimed for this long before the first sample, at least once */
    int64_t min_samples;
    int64_t max_samples;
    double pace_limit_ns;         /* of each: finding a gap, settling, waiting for what follows */
    double cool_below;            /* temperature in degrees Celsius to wait for; 0: none */
    double clock_at_least;        /* clock in Hz to wait for; 0: none */
    double max_time_ns;           /* of measuring; no further sample after it */
    double max_time_undecided_ns; /* the same while the policy is undecided; 0: max_time */
    double time_limit_ns;         /* of the whole case; the worker is killed after it */
    int64_t rounds;               /* or ROUNDS_AUTO */
    double margin;                /* of comparisons; 0: that of the command */
    /* of comparisons */
    double check_floor;  /* |r| above which rel_floor counts */
    double check_safety; /* of the bound; 0: the benchmark's */
    double check_atol, check_rtol;
    int32_t check_details;        /* metrics from VERIFY_DETAILS on, whether judged or not */
    int64_t check_worst;          /* elements that are named */
    int32_t check_bound_kind;     /* GB_BOUND_...; auto: the benchmark's */
    int32_t check_allow_overflow; /* no comparison is vacuous for what overflowed */
    const char *check_dump;       /* a folder for arrays; "": none. Of a case: absolute */
    int32_t check_dump_always;    /* also of comparisons that pass */
};
#define MEASURE_TIME "time"
#define CLOCK_INSTRUCTIONS "instructions" /* that counts */
/* Rounds are as many as its verdict needs: ROUNDS_LEAST of rounds.h or more, up to the most. The
 * first is as long as one that is alone, each other has a share of its samples, time and limits:
 * seven of them take 0.3 of it in all. */
#define PART_SHARE 0.04
enum { ROUNDS_AUTO = 0, ROUNDS_MOST = 12 };
/* That of the run; that of the run in the first round, and another in each of the others. */
#define SEED_OF_RUN_TEXT "-1"
#define SEED_EACH_ROUND_TEXT "-2"
enum { SEED_OF_RUN = -1, SEED_EACH_ROUND = -2 };
/* When results are verified: at the end, and also of some samples on renewed inputs; at the end; of
 * samples that are all on renewed inputs; of such samples, whose code runs in a process that is not
 * trusted. */
enum { VERIFY_AUTO, VERIFY_END, VERIFY_STRICT, VERIFY_JUDGE };
/* A visit has a fresh worker process: never for its sake; always; where a new round begins and the
 * time allows it (core/run/renewal.h). */
enum { ISOLATE_NO, ISOLATE_YES, ISOLATE_AUTO };
/* Of power and heat: as it comes; an idle gap after each sample; settled under load. */
enum { PACE_FREE, PACE_BURST, PACE_SUSTAINED };

struct option_table common_options(void); /* cache clock iterations warmup min_samples ... */

/* The words of struct common_params' cache: "warm", "cold". */
const char *cache_word(int32_t cache);
/* Likewise of launch: "stream", "graph", "auto". */
const char *launch_word(int32_t launch);
/* Of GB_COUNT_BY_...: "auto", "perf", "step", "valgrind". */
const char *count_word(uint32_t means);
/* Likewise of pace: "free", "burst", "sustained". */
const char *pace_word(int32_t pace);
/* Likewise of verify: "auto", "end", "strict", "judge". */
const char *verify_word(int32_t verify);

/* A plugin with the settings that it gets: a [policy NAME] or [device NAME] section. */
struct plugin_settings {
    const char *name; /* of the section, or the plugin's id */
    const struct plugin_info *info;
    const struct setting *settings; /* as written; checked against the plugin's table */
    size_t n_settings;
    struct origin origin;
    bool is_chosen; /* of a device: a case may run on it */
};

enum { DEVICE_INDEX_ANY = -1 };

/* Which device a case runs on, as it was written: one of a plugin's devices, or all of them. */
struct device_choice {
    const struct plugin_settings *settings; /* NULL: auto, still to be chosen */
    int32_t index;    /* among the plugin's devices; DEVICE_INDEX_ANY: the first, or as follows */
    const char *uuid; /* of the device, or its beginning; NULL: not chosen by it */
    bool is_all;
};

/* "cuda", "cuda:1", "cuda:GPU-1a2b", "cuda:all": as it is written. auto without its settings. */
void device_choice_text(const struct device_choice *choice, struct text *out);

/* A parameter that a document's figure for a column is recorded as: paper.median_ns,
 * paper.metric.NAME. Not a number where the document has none. */
#define PAPER_PREFIX "paper."

/* The setting that is recorded as a parameter wherever it is written. */
#define MARGIN_KEY "margin"

/* One option, variable or setting of a case that is recorded as a parameter. */
struct parameter {
    const char *name;
    struct value value; /* lists and maps: type GB_TYPE_STRING with the canonical text */
    bool is_axis;       /* of a sweep or zip */
    bool is_default;    /* neither file nor sweep set it */
    bool is_variable;   /* let.NAME that is not an option of the plugin, or paper.COLUMN */
    bool is_identity;   /* part of the case's identity */
    const char *filled; /* of a template: its text with the values of the case; else NULL */
};

struct check_tolerance {
    const char *metric; /* "abs", "rel" ...: one of VERIFY_METRIC_MAP */
    double tolerance;
};

struct environment_variable {
    const char *name;
    const char *value;
};

/* This process's environment with variables replaced or added; one block to free. */
char **environment_make(const struct environment_variable *variables, size_t n);

struct bench_case {
    uint64_t position; /* in the sweep: benchmarks in file order, last axis fastest */
    const char *bench; /* NAME of [bench NAME] */
    const struct plugin_info *info;
    struct parameter *parameters; /* the plugin's options in table order, then variables, then swept
                                     common settings, and the margin if it has one */
    size_t n_parameters;
    struct setting *settings;       /* what the worker fills the plugin's params from */
    struct setting_source *sources; /* of the settings; NULL where a worker is given the case */
    size_t n_settings;
    struct common_params common;
    const struct plugin_settings *policy;
    struct device_choice device;
    struct check_tolerance *tolerances;
    size_t n_tolerances;
    struct environment_variable *environment; /* sorted by name */
    size_t n_environment;
    uint64_t seed;       /* of its random numbers, in the first round */
    bool has_sentinel;   /* the device's reference work is timed beside its samples */
    bool is_part;        /* a further round of a case that repeats */
    const char *folder;  /* of the configuration */
    const char *uid;     /* as below, where a worker is given the case; else NULL */
    const char *profile; /* name of the range for a profiler; NULL, to a worker "": none */
};

/* Has it the clock that counts? Its process is its own, and its addresses are the same each time.
 */
bool bench_case_is_counted(const struct bench_case *bench_case);
/* What that clock would need of settings that are about times: "pace = free"; NULL: nothing. */
const char *counts_expected(const struct common_params *common);
/* Has it ROUNDS_AUTO, and a policy and settings for which more than one round says more? */
bool bench_case_repeats(const struct bench_case *bench_case);
/* What the round from 1 on of a case has of its own; once. */
void bench_case_set_round(struct bench_case *bench_case, uint64_t round);
/* Its rounds; one at first if it repeats. */
int64_t bench_case_rounds(const struct bench_case *bench_case);

enum { CASE_UID_TEXT = 33 };

/*
 * The case's identity: the first 32 hexadecimal digits of SHA-256 over these texts, each with its
 * end (sha256_add_text):
 *   "gbrun case 1", the id of the benchmark's plugin,
 *   for each identity parameter, in the order of the names' bytes: its name, its canonical text (of
 *   a template that with the values of the case),
 *   "", cache, clock (as written: "auto" stays "auto"), iterations (decimal),
 *   "launch" and how, unless that is auto, "pace" and how, unless that is free, "measure" and what,
 *   unless that is the time, "threads" and how many (decimal), unless it is one,
 *   for each environment variable, in the order of the names' bytes: its name, its value,
 *   "", the device's model ("" where there is none).
 * Neither section name, policy, seed, position, guards nor machine; nor whether a value was written
 * or is the default.
 */
void bench_case_uid(const struct bench_case *bench_case, const char *device_model,
                    char ret_uid[CASE_UID_TEXT]);

/* The benchmark's plugin with the case's settings. */
struct plugin_settings bench_case_plugin(const struct bench_case *bench_case);

/* What is wrong with `verify` and `inputs` of a benchmark, called by its id, that cannot renew its
 * inputs and outputs; false: nothing. */
bool renewal_refused(const struct common_params *common, const char *bench, struct text *ret_why);

/* "streams rows=32 streams=4": the section's name and the axes; enough to tell cases of a run
 * apart. Values with blanks are quoted. */
void bench_case_label(const struct bench_case *bench_case, struct text *out);
