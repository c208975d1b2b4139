/*
 * store_case.h - the samples of a case, written and judged. For the files of the store alone.
 *
 * All of them belong into a transaction of the caller's.
 */
#pragma once

#include "core/base/statistics.h"
#include "core/store/store_internal.h"
#include "core/store/store_read.h"

/*
 * n values of each column, numbered from `first` on. A chunk of equal values is stored as one of
 * them; values that equal a gap are left out, except of the clock that counts.
 */
int32_t samples_write(struct store *store, int64_t case_id, const char *clock, uint64_t first,
                      uint64_t n, const struct sample_column *columns, size_t n_columns,
                      struct gb_error *error);

/* Samples during which the device was throttled. */
uint64_t samples_throttled(const struct sample_column *columns, size_t n_columns, uint64_t n);

/* Over the clock that counts: the n_stored samples in the file, then those in the record. In memory
 * that does not grow with what is stored. */
int32_t samples_summarize(struct store *store, int64_t case_id, uint64_t n_stored,
                          const struct case_record *record, struct summary *ret,
                          struct gb_error *error);

/* GB_CORRUPT, with the case: what is stored of the clock of one are not n_samples samples. The ids
 * are those of the cases and ascend. */
int32_t samples_check(struct store *store, const int64_t *ids, const struct stored_case *cases,
                      size_t n_cases, struct gb_error *error);
