/* compare_internal.h - what the files of comparisons share. */
#pragma once

#include "core/base/memory.h"
#include "core/compare/between_runs.h"
#include "core/compare/compare.h"

struct compare {
    struct arena arena;
    struct compare_options options;
    const char *by; /* NULL: runs are compared */
    bool by_values; /* by an attribute of cases, in one run */
    bool by_sides;  /* namely the sides of `gbrun ab` */
    bool is_fleet;  /* a case is the same on all devices, also in its label */
    struct compare_side *sides;
    size_t n_sides;
    size_t n_compared;            /* the others are earlier runs; 0: there are none */
    struct earlier_runs *earlier; /* of each case of the base; NULL: nothing is known of them */
    struct compare_result result;
};

/* ---- values of rounds (compare_cases.c) ---- */

/* The values of rounds that ended well; what can be compared as a ratio: above 0, or counts. */
struct round_values {
    double *values;
    uint32_t *rounds;
    double *ratios; /* scratch */
    size_t n;
    bool are_whole;
};
void case_values(const struct compare_case *c, struct round_values *ret);
void values_free(struct round_values *values);
/* Of both only the rounds that both have. */
void values_keep_common(struct round_values *a, struct round_values *b);
bool values_have_zero(const struct round_values *values);
/* Their geometric mean; whole numbers are as they are where they agree. NaN: none. */
double values_mean(const double *values, size_t n);
/* Borrows the values. */
struct compared_side side_of_values(const struct compare_case *c, struct round_values *values);

/* Is none of its rounds among those that options.where chooses? */
bool case_is_left_out(const struct compare_case *c);
/* A round that failed; NULL: none. */
const struct outcome *case_bad_round(const struct compare_case *c);
bool case_is_skipped(const struct compare_case *c); /* all rounds, or there are none */
bool case_is_certified(const struct compare_case *c);
/* "driver: 550, now not known", which is what "" is shown as; shortened. */
const char *difference_words(struct arena *arena, const char *name, const char *value,
                             const char *joint, const char *other);
/* "crashed (SIGSEGV)"; "" of what was skipped without a word. */
const char *case_status_note(struct arena *arena, const struct outcome *round);

/* ---- cases of a side (compare_cases.c) ---- */

/* The cases that records are rounds of. devices: of the run. */
void side_make_cases(struct compare *compare, const struct stored_run *run,
                     const struct stored_devices *devices, struct outcome *outcomes, size_t n,
                     struct compare_side *side);

/* Adds the cases of a run as a side; name NULL: its number (compare.c). */
int32_t side_of_run(struct compare *compare, struct store *store, const char *path,
                    const struct stored_run *run, const char *name, struct gb_error *error);

/* An attribute of a case: of a parameter's name, or a setting's; NULL: it has none. */
const char *attribute_of(const struct outcome *outcome, const char *name, struct arena *arena);

/* Indices of the base's cases, by case of the other side; SIZE_MAX: it has none. */
size_t *match_cases(struct compare *compare, const struct compare_side *base,
                    const struct compare_side *other);

/* What two cases differ in so that a ratio of theirs says nothing of the code. */
struct conflict {
    const char *name;      /* "device model", "clock", "driver", "cache"; NULL: nothing */
    const char *from, *to; /* the two values */
    bool is_of_machine;    /* not what was asked for, but where it ran */
};
struct conflict conflict_of(const struct compare *compare, const struct compare_case *base,
                            const struct compare_case *other);

/* That of the configuration of a case, for what its clock reads; 0: it has none of its own. */
double case_margin(const struct compare *compare, const struct compare_case *c);

/* A fact that is another number each time says nothing. */
bool fact_is_volatile(const char *name);

/* In place of NaN (compare.c). */
void compare_set_defaults(struct compare_options *options);

/* The values of those rounds that have one, above 0 (history.c). */
struct history_run case_as_run(struct compare *compare, const struct compare_case *c);

void find_differences(struct compare *compare, struct compare_against *against);
