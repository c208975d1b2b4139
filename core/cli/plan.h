/*
 * plan.h - what a run would measure, in order, and for how long: `gbrun run --dry-run` and `gbrun
 * list cases --estimate`.
 */
#pragma once

#include "core/base/table.h"
#include "core/config/bench_case.h"
#include "core/store/store_read.h"

/* Zero-initialize; free with plan_free. */
struct plan {
    struct arena arena;
    const char *path; /* of the results file that times come from; NULL: there is none */
    struct case_time *times;
    size_t n_times;
    struct plan_model { /* of what there are times */
        const char *plugin, *model;
        double sum_ns;
        size_t n;
    } * models; /* in the order of the times */
    size_t n_models;
    struct table table;
    uint64_t n_cases, n_visits, n_rounds; /* n_rounds: the most of any case */
    double known_ns;                      /* of visits whose case or plugin is in the file */
    double bound_ns;                      /* at most of the others: their max_time */
};

/* Times of earlier runs; GB_NOT_FOUND and the like: as store_open. */
int32_t plan_read(struct plan *plan, const char *path, struct gb_error *error);

/* A case, in all its rounds. model: of its device; NULL: not known, whichever the file has.
 * refusal: why it will be skipped; "". */
void plan_add(struct plan *plan, const struct bench_case *bench_case, const char *label,
              const char *device, const char *model, const char *refusal);

/* All rounds of a case, on whichever device the file has it; at most what they may take where it
 * does not say. */
double plan_expected_ns(struct plan *plan, const struct bench_case *bench_case);

/* The cases, as FORMAT_TABLE, FORMAT_CSV or FORMAT_MARKDOWN. */
void plan_write(const struct plan *plan, int format, struct text *out);
/* "4 cases in 3 rounds: ..., expected to take 12 s ..." */
void plan_summary(const struct plan *plan, size_t n_at_once, struct text *out);
void plan_free(struct plan *plan);
