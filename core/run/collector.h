/*
 * collector.h - gathers what a worker sends of one case into the record of it.
 *
 * Bounded whatever the worker sends: so many metrics, checks and messages a case, so much text.
 * What is more than that is counted, and a message of the case says so.
 */
#pragma once

#include "core/base/text.h"
#include "core/run/probe.h"
#include "core/run/series.h"
#include "core/run/wire.h"
#include "core/store/record.h"

enum {
    COLLECTOR_COLUMNS_MAX = GB_CLOCKS_MAX + 4,
    COLLECTOR_NOTES_MAX = 1000, /* metrics, checks, summaries, messages: each */
    COLLECTOR_PRINTED_LINES = 20,
    COLLECTOR_PRINTED_BYTES = 300 /* of each */
};

/* What there may be too much of. X(name, words) */
#define DROPPED_MAP(X)                                                                             \
    X(METRICS, "metrics")                                                                          \
    X(CHECKS, "check results")                                                                     \
    X(SUMMARIES, "comparisons")                                                                    \
    X(WORST, "elements of check.worst")                                                            \
    X(MESSAGES, "messages")
enum {
#define DROPPED_CONSTANT(name, words) DROPPED_##name,
    DROPPED_MAP(DROPPED_CONSTANT)
#undef DROPPED_CONSTANT
        DROPPED_KINDS
};

struct collector {
    struct arena arena;
    struct case_record record;
    struct arena series_arena; /* bounded by their number, and by that of the classes of each */
    struct series_record series[SERIES_MAX];
    struct metric_record *metrics;
    struct check_record *checks;
    struct check_summary_record *summaries;
    struct worst_record *worst;
    struct message_record *messages;
    /* samples that have arrived and were not handed on yet */
    uint64_t n, capacity;
    double *columns[COLLECTOR_COLUMNS_MAX];
    struct sample_column views[COLLECTOR_COLUMNS_MAX];
    size_t n_columns;
    uint64_t n_handed_on;
    bool is_anew;         /* what was handed on does not count any more */
    uint32_t main_column; /* of the clock that counts */
    /* the device's clocks; none: this case has not opened it */
    struct clock_record clocks[GB_CLOCKS_MAX];
    size_t n_clocks;
    uint64_t n_dropped[DROPPED_KINDS];
    char printed[COLLECTOR_PRINTED_LINES][COLLECTOR_PRINTED_BYTES + 1]; /* the last lines, a ring */
    uint64_t n_printed;
    bool is_complete; /* the worker has reported how the case ended */
    bool is_spent;    /* and that it cannot continue */
    bool is_again;    /*   and the case is for another */
    bool is_forked;   /* record.pid is of a process that the worker has forked */
    double load_ns;   /* what the worker has loaded before took */
    const char *traces;
};

/* What the arguments point to must outlive the collector. */
void collector_begin(struct collector *collector, const struct bench_case *bench_case,
                     const char *uid, uint32_t round);

/* One message from the worker. GB_CORRUPT if it is malformed or out of place. */
int32_t collector_take(struct collector *collector, uint32_t type, struct wire_reader *message);

/* The plugin of a kind that the case uses; its device is fixed. */
const struct plugin_info *case_plugin(const struct bench_case *bench_case, uint32_t kind);

/* A warning of gbrun's own about the case; the text is copied. */
void collector_warn(struct collector *collector, const char *text);

void collector_printed(struct collector *collector, const char *line);

/* The samples are elsewhere now: forget them and their memory, but not how many there were. */
void collector_handed_on(struct collector *collector);

/* Completes the record: how it ended. text is copied. */
void collector_finish(struct collector *collector, int status, const char *text);

void collector_free(struct collector *collector);

/* ---- what a record is completed with, by a supervisor and by libgbrun ---- */

/* A device as it is stored, once a case has opened it; the facts are the arena's. */
struct device_record device_record_of(const struct known_device *device,
                                      const struct collector *collector, struct arena *arena);

/* Warnings about what the rest of the machine did meanwhile. */
void record_warn_of_others(struct collector *collector);

/* A row for the module of a plugin that a case ran. */
struct module_record module_record_of(const struct plugin_info *info, const char *sha256);
