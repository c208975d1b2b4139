/*
 * relative.h - the time of each case over that of a base, for tables and exports.
 *
 * The base is a value of an option or setting (schedule=baseline): then cases of one run that
 * differ in nothing else are compared, paired by rounds. Or it is a run (a number, newest,
 * previous, a label: commit=abc), whose cases are those of the same uid. Statistics and what may be
 * compared: compare.h. Cases that must not be compared have no ratio, and that is counted.
 */
#pragma once

#include "core/store/store_read.h"

/* Of one case, shared by the records of its rounds. */
struct relative {
    double theta, low, high; /* ln of the ratio and of its 95 % interval; low and high NaN: none is
                                known. All NaN: of the base itself */
    bool is_base;
};

struct relatives; /* of the records of some runs */

/* path: of the file, for messages; runs: those whose cases are wanted. GB_NOT_FOUND, GB_INVALID: no
 * such base. */
int32_t relatives_new(struct store *store, const char *path, const char *base,
                      const struct stored_run *runs, size_t n_runs, struct relatives **ret,
                      struct gb_error *error);
void relatives_free(struct relatives *relatives); /* may be NULL */

/* Of the record with that id; NULL: nothing is known. */
const struct relative *relatives_find(const struct relatives *relatives, int64_t case_id);
size_t relatives_index(const struct relatives *relatives, const struct relative *relative);
size_t relatives_count(const struct relatives *relatives); /* indices are below it */

/* Adds lines on what the ratios are and why some are missing. */
void relatives_explain(const struct relatives *relatives, struct text *out);
