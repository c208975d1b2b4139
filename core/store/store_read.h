/*
 * store_read.h - a results file read back.
 *
 * What shows, exports, compares and replays goes through here; SQL stays behind it. Of the records
 * of one case only the last one that came to its end is seen (see STORE_IS_LATEST).
 */
#pragma once

#include "core/base/statistics.h"
#include "core/store/store.h"

enum {
    STORE_CHUNK = 65536
}; /* samples in a blob at most; reads along its multiples are cheapest */

struct stored_run {
    int64_t id;
    int64_t number; /* from 1, by start time */
    bool has_ended; /* exit_code and record.finished are known */
    int64_t exit_code;
    struct run_record record;
};

struct stored_device {
    int64_t id;
    char record_uuid[UUID_TEXT];
    struct device_record record;
};
/* Those of a run. */
struct stored_devices {
    struct stored_device *items;
    size_t n;
};

struct stored_case {
    int64_t id, run_id;
    struct case_record record; /* bench_case and columns are NULL; n_samples: in all */
    uint64_t position;
    const char *bench, *plugin, *plugin_version;
    const char *policy, *policy_plugin, *policy_options;
    const char *device_name; /* as asked for */
    int32_t device_index;
    const char *cache, *launch, *pace;
    const char *environment; /* NAME=value, one a line */
    int64_t seed;
    bool is_done; /* as record.status says */
    uint64_t n_throttled;
    struct summary summary; /* of the samples on the clock that counts */
    struct parameter *parameters;
    size_t n_parameters;
};

/* What is read between the two is the file as it was at one moment, and is read faster. Between
 * them they may come again: all of it is the same moment. */
int32_t store_snapshot_begin(struct store *store, struct gb_error *error);
void store_snapshot_end(struct store *store);

/* The runs that a number means, in order. GB_NOT_FOUND names those that there are. */
int32_t store_runs(struct store *store, int64_t run_number, struct arena *arena,
                   struct stored_run **ret_runs, size_t *ret_n, struct gb_error *error);

/* The plans that the file's runs are shards of, each once; "" for runs that are no shards. */
int32_t store_plans(struct store *store, struct arena *arena, const char ***ret_plans,
                    size_t *ret_n, struct gb_error *error);

/*
 * The newest run, or all that are one with it: of a shard the newest run of each shard of its plan,
 * as listed. *ret_n is at least 1.
 */
int32_t store_newest_united(struct store *store, struct arena *arena, struct stored_run **ret_runs,
                            size_t *ret_n, struct gb_error *error);

/*
 * Which of the runs is meant: a number, "newest", "previous" (the one before the newest), or
 * NAME=VALUE: the newest with that label or fact; of values of 7 characters and more the beginning
 * will do (hashes of commits). GB_NOT_FOUND says which there are.
 */
int32_t run_select(const struct stored_run *runs, size_t n, const char *path, const char *text,
                   size_t *ret, struct gb_error *error);
/* The same of a file's runs; *ret_number: from 1. */
int32_t store_run_named(struct store *store, const char *path, const char *text,
                        int64_t *ret_number, struct gb_error *error);

/* Records of a run that came to their end; of them those that failed, and that were skipped. */
struct case_counts {
    int64_t done, bad, skipped;
};
int32_t store_case_counts(struct store *store, int64_t run_id, struct case_counts *ret,
                          struct gb_error *error);

int32_t store_devices(struct store *store, int64_t run_id, struct arena *arena,
                      struct stored_devices *ret, struct gb_error *error);
/* NULL: it is none of them. */
const struct stored_device *stored_device_of(const struct stored_devices *devices, int64_t id);
int32_t store_modules(struct store *store, int64_t run_id, struct arena *arena,
                      struct module_record **ret_modules, size_t *ret_n, struct gb_error *error);

/* Adds the positions of which a run has a record, each once; *positions is the caller's to free. */
int32_t store_positions(struct store *store, int64_t run_id, uint64_t **positions, size_t *n,
                        struct gb_error *error);
/* Ids of the run's cases in the order of the configuration: by position, device and round; those at
 * positions `first` to `last`, up to INT64_MAX. *ret_ids is the caller's to free. */
int32_t store_case_ids_in_order(struct store *store, int64_t run_id, uint64_t first, uint64_t last,
                                int64_t **ret_ids, size_t *ret_n, struct gb_error *error);
/* Ids of the run's cases, as measured; of one benchmark plugin unless that is NULL. *ret_ids is the
 * caller's to free. */
int32_t store_case_ids(struct store *store, int64_t run_id, const char *plugin, int64_t **ret_ids,
                       size_t *ret_n, struct gb_error *error);

/* The record of a visit that came to its end. GB_NOT_FOUND: there is none. */
int32_t store_case_find(struct store *store, int64_t run_id, uint64_t position, uint32_t round,
                        int64_t *ret_id, struct gb_error *error);

/* How long a case took, from create to destroy: the newest of a file's records of it. */
struct case_time {
    const char *uid, *plugin;
    const char *model; /* of the device; "": none was opened */
    double wall_ns;
};
/* Of all runs, in the order of their uids; cases that were skipped or cancelled are none. */
int32_t store_case_times(struct store *store, struct arena *arena, struct case_time **ret,
                         size_t *ret_n, struct gb_error *error);

/*
 * All of the cases with these ids, each given once, but their samples, in the order of the ids:
 * each table is read once, not once for each case. *ret_cases is the caller's to free, what it
 * points to the arena's. GB_NOT_FOUND: there is no such case; GB_CORRUPT: it has not the samples
 * that it claims.
 */
int32_t store_cases_read(struct store *store, const int64_t *ids, size_t n, struct arena *arena,
                         struct stored_case **ret_cases, struct gb_error *error);
/* The same of one case. */
int32_t store_case_read(struct store *store, int64_t case_id, struct arena *arena,
                        struct stored_case *ret, struct gb_error *error);

/* Is the policy's estimate one of the centre: of the median, or of the mean of a dithered clock's
 * samples, whose median sits on a step? */
bool estimate_is_central(const struct case_record *record);

/* The time that stands for a case, ns: the policy's estimate of the centre, else the samples'
 * median. NaN: there is none. */
double central_ns(const struct stored_case *c);

/* "stream", "graph": how a case's samples were launched; "": there are none. */
const char *launched_word(const struct stored_case *c);

/* NULL: the case has no such parameter. */
const struct parameter *find_parameter(const struct stored_case *c, const char *name);

/* Names of the parameters and of the metrics of a run's cases, sorted. case_id: of this one; 0: of
 * all. */
int32_t store_parameter_names(struct store *store, int64_t run_id, int64_t case_id,
                              struct arena *arena, const char ***ret_names, size_t *ret_n,
                              struct gb_error *error);
int32_t store_metric_names(struct store *store, int64_t run_id, int64_t case_id,
                           struct arena *arena, const char ***ret_names, size_t *ret_n,
                           struct gb_error *error);

/* Names of a case's columns of samples, sorted. */
int32_t store_column_names(struct store *store, int64_t case_id, struct arena *arena,
                           const char ***ret_names, size_t *ret_n, struct gb_error *error);

/* How often which value of a series occurred, in the arena; none if the case has no such series.
 * GB_CORRUPT: not ascending, or not as many as the series says. */
int32_t store_series_bins(struct store *store, int64_t case_id, const char *name,
                          struct arena *arena, const struct bin **ret, size_t *ret_n,
                          struct gb_error *error);
/* Are they finite, ascending, and n values in all? */
bool series_bins_are_sound(const struct bin *bins, uint64_t n_bins, uint64_t n);

/* What a sample has that a column holds no value of: 0 in clock_hz, throttle and flags, else NaN,
 * which means not known. */
double sample_gap(const char *column);

/* n values of a column from sample `first` on; NaN where none are stored. */
int32_t store_samples_read(struct store *store, int64_t case_id, const char *column, uint64_t first,
                           uint64_t n, double *values, struct gb_error *error);
