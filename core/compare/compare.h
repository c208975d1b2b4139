/*
 * compare.h - the cases of two or more sides, matched and judged.
 *
 *   struct compare *compare = compare_new(&options);
 *   compare_add_run(compare, base...); compare_add_run(compare, new...);   or: compare_add_by(...)
 *   compare_finish(compare, &error); ... compare_result(compare) ...; compare_free(compare);
 *
 * A side is a run of a file, or the cases of runs that have one value of something. The first side
 * is the base. Cases of runs are matched by what they are (uid, then also bench, policy, device
 * where there are several), and where that finds nothing by all but the device's model, clock and
 * cache.
 */
#pragma once

#include "core/compare/comparison.h"
#include "core/config/sides.h"
#include "core/store/sentinel.h"
#include "core/store/store_outcomes.h"

/* Facts of a run of `gbrun ab`, and the axis that tells its sides apart. The values of that axis
 * are compared by what ab decides by, unless the options say otherwise, and may differ in anything.
 */
#define AB_FACT_MARGIN "ab.margin"
#define AB_FACT_ALPHA "ab.alpha"
#define AB_FACT_ROUNDS "ab.max_rounds"
#define AB_FACT_BASE "ab.base" /* what it changes, as it was given; not there: nothing */
#define AB_FACT_NEW "ab.new"

/* The label of a run that is a baseline: its name. */
#define BASELINE_LABEL "baseline"
#define BASELINE_FACT "label.baseline"

#define COMPARE_MARGIN 0.01 /* unless given */
#define COMPARE_ALPHA 0.05

/* The records of a run that an expression chooses, by number, upwards. */
typedef int32_t compare_choose(struct store *store, int64_t run, const char *where,
                               struct arena *arena, int64_t **ret, size_t *ret_n,
                               struct gb_error *error);

enum { EARLIER_ROUND = 1 << 20 };

struct compare_options {
    double margin;      /* 0.01: 1 %; NaN: that, or the fact of the run. A case may have its own */
    bool has_margin;    /* it was given */
    double confidence;  /* 0.95; NaN: likewise */
    const char *metric; /* "": time; see store_outcomes.h */
    bool is_forced;
    bool is_sequential; /* rounds are judged one after the other (compare_judge_rounds) */
    bool goes_on;       /* then: cases that are not decided will have more rounds */
    double last_share;  /* and: of alpha, kept for one look at all rounds of those that are not
                           decided after the last; 0: there is none */
    /* What of the records of a run is compared, in an array of the arena; with those of the base
     * that were measured earlier as rounds from EARLIER_ROUND on, so that rounds are no pairs.
     * NULL: they are as they are. */
    void (*replace)(void *context, struct arena *arena, struct outcome **outcomes, size_t *n);
    void *context;
    const char *where; /* only cases of which it chooses a round on either side; by values of one
                          run: only cases that it chooses; NULL: all */
    compare_choose *choose; /* how; needed with where */
};

/* A case of a side. */
struct compare_case {
    const struct outcome **rounds; /* those that came to their end, by round */
    size_t n_rounds;
    const struct outcome *first; /* of them, or of all if there are none */
    const struct stored_run *run;
    const struct device_record *device; /* NULL: none was opened */
    const char *label;                  /* bench and axes, but the one that tells the sides apart */
};

/* What reference work took on a device in a run. */
struct machine_level {
    int64_t device_id;
    uint32_t version; /* of the work */
    size_t n;
    struct sentinel_level level;
};

struct compare_side {
    const char *name; /* "old.gbr", "run 3", "pad" */
    bool is_numbered; /* the name is that of the run by its number */
    const char *path;
    const struct stored_run *run; /* NULL: of several */
    const char *tool;             /* that measured it; NULL: gbrun */
    struct compare_case *cases;   /* in the order of the configuration */
    size_t n;
    struct machine_level *machines; /* of the devices of its runs */
    size_t n_machines;
};

/* A case against its base. */
struct compared {
    const char *label;
    const struct compare_case *base, *new; /* one may be NULL */
    double base_value, new_value;          /* geometric means of rounds; NaN: none */
    size_t n_base, n_new;                  /* rounds that have a value and were judged */
    struct compared_rounds *rounds;        /* of a sequence; NULL: it is none */
    struct comparison result;
    bool is_certified;    /* all rounds, by their policies */
    const char *conflict; /* what differs and is compared all the same: "device model"; "" */
    bool is_apart;        /* it is not judged: it differs in the machine, which is its note */
    const char *note;     /* why it is unclear, how it failed; "" */
};

struct compare_against {
    const struct compare_side *side;
    struct compared *cases; /* of the base in its order, then new ones */
    size_t n;
    size_t counts[COMPARED_VERDICTS];
    size_t n_uncertified; /* among those with a ratio */
    size_t n_apart;       /* that are not judged */
    struct geometric_mean mean;
    double machine; /* ln by which the devices' reference work takes longer; 0: it does not */
    double moved;   /* ln by which it moved within a run of either side; 0: it did not */
    const char **differences; /* between the sides as a whole, a line each */
    size_t n_differences;
    struct words differing; /* the facts that the lines are of */
};

struct compare_result {
    const struct compare_options *options; /* without NaN */
    struct outcome_metric metric;
    const struct compare_side *base;
    struct compare_against *against; /* one for each further side */
    size_t n_against;
};

struct compare *compare_new(const struct compare_options *options);
void compare_free(struct compare *compare);
void compare_leave(struct compare **compare); /* for CLEANUP */

/* Adds a run of a file as a side; run: as of run_select. The store may be closed afterwards; the
 * name and the path must live on. name NULL: "run N". */
int32_t compare_add_run(struct compare *compare, struct store *store, const char *path,
                        const char *run, const char *name, struct gb_error *error);

/* Adds the newest runs of a file that have the metric, `most` at most, for compare_history: the
 * shards of a plan as one side, up to one that is there again, with which the next side begins. */
int32_t compare_add_newest_runs(struct compare *compare, struct store *store, const char *path,
                                size_t most, struct gb_error *error);

/*
 * Adds the newest runs of a file, HISTORY_RUNS at most, that are not compared, once all sides are
 * there: of their cases it is known by how much they differ from run to run (between_runs.h). Where
 * all sides are of one machine only its runs count. Does nothing where values within a run are
 * compared.
 */
enum { HISTORY_RUNS = 30 };
int32_t compare_add_earlier(struct compare *compare, struct store *store, const char *path,
                            struct gb_error *error);

/* Adds a file of another tool as a side (foreign.h). Its cases are matched by their labels. */
int32_t compare_add_foreign(struct compare *compare, const char *path, struct gb_error *error);

/*
 * Adds a side for each value of an axis or setting of a run's cases (policy, device, cache, clock,
 * launch, pace, bench, env.NAME), first that of `base`; they are compared by rounds. Or, where by
 * is the name of a fact of runs (host) or a label (label.NAME), for the newest run of each value.
 * GB_INVALID: those are not pairs of rounds, and is_sequential is set.
 */
int32_t compare_add_by(struct compare *compare, struct store *store, const char *path,
                       const char *run, const char *by, const char *base, struct gb_error *error);

/* The first of both alone, of a run that was read before, within a snapshot of the store that the
 * caller holds. *ret_is_known: its cases have that option or setting; else there is no side.
 * GB_NOT_FOUND: none has the value of base. */
int32_t sides_of_values(struct compare *compare, struct store *store, const char *path,
                        const struct stored_run *run, const char *by, const char *base,
                        bool *ret_is_known, struct gb_error *error);

/* Matches and judges. What was measured on another model of the device, or under another driver, is
 * unclear unless it is forced, but for counts. GB_INVALID: what is compared must not be, unless it
 * is forced. */
int32_t compare_finish(struct compare *compare, struct gb_error *error);
const struct compare_result *compare_result(const struct compare *compare);

/* 0: nothing is slower, broken or missing. 3: something is. 1: nothing was compared, or cases fail
 * on both sides. */
int compare_exit_code(const struct compare_result *result, bool is_strict);
