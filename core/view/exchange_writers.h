/*
 * exchange_writers.h - what the writers of exchange.h share.
 */
#pragma once

#include "core/base/json_writer.h"
#include "core/store/foreign.h"
#include "core/view/exchange.h"
#include "core/view/view_writers.h"

/* A case with its rounds. */
struct exchange_case {
    const struct view_row *rounds;
    size_t n_rounds;
    struct shown shown;
    const char *name;   /* "gemm/m:4096/dtype:fp16" */
    const char *label;  /* by which gbrun compare finds the case again (foreign.h) */
    const char *device; /* where neither benchmark nor axes tell which; else NULL */
    bool is_ok;         /* measured, with a time */
    /* Times in ns, as --rows asks: of each round that is ok, of the case, or of each sample. */
    double *values;
    uint64_t *iterations; /* in a sample, of each value; 0: rounds differ */
    size_t n;
};

enum { EXCHANGE_FAMILIES = 8 };
/* A device of runs that are one: of several with the same model in a run, which of them. */
struct exchange_device {
    const char *model;
    size_t ordinal;
};

struct exchange {
    struct exchange_device *devices; /* of nvbench */
    size_t n_devices;
    double first_s; /* of trace: when the first run began */
    struct view *view;
    const struct run_record *run; /* what it says of itself */
    int rows;
    const char *path; /* of the output; NULL */
    struct text text; /* written out as it grows */
    struct json_writer json;
    struct text families[EXCHANGE_FAMILIES]; /* what belongs together in the output */
    uint64_t n_failed, n_skipped, n_files;
    const char *bench; /* of the case before */
    int32_t status;    /* set by a writer that fails, with the error */
    struct gb_error *error;
};

struct exchange_writer {
    const char *name, *help;
    bool takes_failures; /* cases that are not ok, too */
    const char *json;    /* the objects and arrays around all cases: "{[", the outer one open */
    /* In this order, all but add may be NULL; add for each case, until the status is not GB_OK.
     * What begin opens beside the first one is in `json`. */
    void (*begin)(struct exchange *exchange);
    void (*add)(struct exchange *exchange, const struct exchange_case *c);
    void (*end)(struct exchange *exchange);
};
/* The label, in an object of a case; readers of all formats ignore a member that they do not know.
 */
static inline void exchange_label(struct json_writer *json, const struct exchange_case *c)
{
    json_text(json, FOREIGN_LABEL, c->label);
}

extern const struct exchange_writer exchange_google, exchange_nvbench, exchange_hyperfine,
    exchange_pyperf, exchange_jmh, exchange_t4, exchange_github, exchange_bmf, exchange_junit,
    exchange_openmetrics, exchange_trace;
