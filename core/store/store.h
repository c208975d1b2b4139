/*
 * store.h - the results file: SQLite, one writer. The only user of <sqlite3.h> beside
 * expression.c.
 *
 * Everything printed later is read from here. Tables, columns and the view `result` are listed in
 * store_schema.c. During a run the file is in WAL mode with synchronous=NORMAL: a commit
 * survives the death of the process, after store_sync also a power cut; store_close turns it into a
 * single plain file. A file that is deleted, moved, replaced or truncated meanwhile is an error of
 * the next call that writes.
 */
#pragma once

#include "core/store/record.h"

struct store;

enum { STORE_READ, STORE_WRITE /* made if it is not there */ };

/* Errors distinguish: not there, not a results file, made by a newer version, disk full.
 * STORE_WRITE waits for the end of another writer; GB_CANCELLED: a signal came meanwhile. */
int32_t store_open(const char *path, int mode, struct store **ret, struct gb_error *error);
/* Has another process opened it for writing? */
bool store_has_writer(const char *path);
/* In STORE_WRITE also checkpoints; a failure to do so is an error. Frees the store in any case.
 * NULL allowed. */
int32_t store_close(struct store *store, struct gb_error *error);
/* For CLEANUP, of a file that is only read. */
void store_leave(struct store **store);

/* Called each tenth of a second while another program holds a lock on the file, n from 0. False:
 * give up. NULL, as at first: 5 s. */
typedef bool store_wait_fn(void *context, const char *path, int n);
void store_on_lock(struct store *store, store_wait_fn *wait, void *context);

/* Returns once all that was committed is on the disk and survives a power cut. */
int32_t store_sync(struct store *store, struct gb_error *error);

int32_t store_run_begin(struct store *store, const struct run_record *run, int64_t *ret_run_id,
                        struct gb_error *error);
/* The run with that UUID in this file; GB_NOT_FOUND: there is none. */
int32_t store_run_find(struct store *store, const char *uuid, int64_t *ret_run_id,
                       struct gb_error *error);
/* Where the next case of a run goes whose cases are not known when it begins: after all others. */
int32_t store_run_next(struct store *store, int64_t run_id, uint64_t *ret_position,
                       uint64_t *ret_sequence, struct gb_error *error);
/* Of such a run, how many it has. */
int32_t store_run_count(struct store *store, int64_t run_id, uint64_t n_cases,
                        struct gb_error *error);
/* Facts that were not known when it began; they take the place of those with their names. */
int32_t store_run_facts(struct store *store, int64_t run_id, const struct fact *facts, size_t n,
                        struct gb_error *error);
int32_t store_run_end(struct store *store, int64_t run_id, const char *finished, int exit_code,
                      struct gb_error *error);
int32_t store_device(struct store *store, int64_t run_id, const struct device_record *device,
                     int64_t *ret_device_id, struct gb_error *error);
int32_t store_module(struct store *store, int64_t run_id, const struct module_record *module,
                     struct gb_error *error);

/*
 * Samples of a case that is still being measured, in the order measured, n values a column; each
 * call commits. For long recordings, so that memory stays flat. case_uuid: the record's; store_case
 * with the same uuid completes it.
 */
int32_t store_samples(struct store *store, int64_t run_id, const struct case_record *record,
                      uint64_t first, uint64_t n, const struct sample_column *columns,
                      size_t n_columns, struct gb_error *error);

/* Deletes what store_samples wrote of a case that is measured anew. */
int32_t store_forget(struct store *store, const char *case_uuid, struct gb_error *error);

/* One case, in one transaction. The samples in the record follow those that store_samples has
 * written. */
int32_t store_case(struct store *store, int64_t run_id, const struct case_record *record,
                   struct gb_error *error);

/* Which run a command means: number from 1 by start time; 0: the newest; RUN_ALL. */
enum { RUN_NEWEST = 0, RUN_ALL = -1 };

/* Reads a run back, for --resume. Text is the arena's. GB_NOT_FOUND names the runs that there are.
 */
int32_t store_run_read(struct store *store, int64_t run_number, struct arena *arena,
                       int64_t *ret_run_id, struct run_record *ret, struct gb_error *error);

/*
 * Calls back for each case of the run that is done (case_status_is_done), in the order that they
 * were measured in, with what distinguishes it from the others of the run: its place in the sweep,
 * the round, the device as it was asked for (index -1: any). Records that are not done are deleted
 * first, so that resuming leaves no duplicates. *ret_next_sequence: the number for the next record
 * measured.
 */
typedef void store_done_fn(void *context, uint64_t position, uint32_t round,
                           const char *device_name, int32_t device_index);
int32_t store_resume(struct store *store, int64_t run_id, store_done_fn *done, void *context,
                     uint64_t *ret_next_sequence, struct gb_error *error);

/*
 * Adds all runs and records of another file that are not there yet. Lossless, idempotent,
 * order-independent: of two copies the one that is further on wins; where neither is and they
 * differ, the other file is refused (GB_INVALID, with what differs). Counts are left alone after an
 * error, but for is_input_bad: the error is the other file's, of which nothing was added.
 */
struct merge_counts {
    uint64_t runs_added, cases_added, cases_known;
    bool is_input_bad;
};
/* Zero-initialize, and give the same to each merge of a series. */
enum { PLAN_TEXT = 64 };
struct merge_rules {
    bool one_plan;        /* all runs of both files must be shards of one plan */
    char plan[PLAN_TEXT]; /* "": that of the first merge is still to be found */
};
int32_t store_merge(struct store *into, const char *from_path, struct merge_rules *rules,
                    struct merge_counts *counts, struct gb_error *error);
/* What is merged between the two is one transaction: very many small files are merged faster so.
 * The file keeps a cache of 160 MiB until it is closed. */
int32_t store_batch_begin(struct store *store, struct gb_error *error);
int32_t store_batch_end(struct store *store, struct gb_error *error);
