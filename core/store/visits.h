/*
 * visits.h - the records of a case's visits (rounds) as one estimate. By the rules of rounds.h, and
 * the same wherever it is asked: of a results file, of a call of the library.
 */
#pragma once

#include "core/base/rounds.h"
#include "core/store/record.h"

/* What of a record's interval is not chance, to a side: the timer's step, the offset's error. */
double record_fixed_ns(const struct case_record *record);

/* ret_estimate: of all; its counts are sums, its confidence the records', 95 % if none has one.
 * medians: of the samples of each, for one without an estimate. n > 0. */
struct rounds_interval visits_combine(const struct case_record *const *records,
                                      const double *medians, size_t n,
                                      struct gb_estimate *ret_estimate);

/* Widens the interval by how much the machine changed meanwhile, by the device's reference work
 * before and after each of the visits, if that is SENTINEL_LEAST or more; what is then wider than
 * its precision is not certified. */
void visits_widen(const struct case_record *const *records, size_t n, struct gb_estimate *estimate);
