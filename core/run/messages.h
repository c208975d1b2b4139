/*
 * messages.h - what crosses the wire, written and read.
 *
 * Most messages are a struct: its list of fields serves the side that writes it and the side that
 * reads it (wire_put_fields, wire_get_fields). put_ and get_ functions are for the others. They
 * append to a message that the caller has begun, and read it into memory of an arena. Whether a
 * message was whole is asked once, of the reader (wire_complete). Functions that send a whole
 * message are called send_..., those that are given a received one take_...
 */
#pragma once

#include "core/config/bench_case.h"
#include "core/run/machine.h"
#include "core/run/policy_run.h"
#include "core/run/session.h"
#include "core/run/wire.h"
#include "core/search/engine.h"
#include "core/store/record.h"

/* ---- records of a case ---- */

/*
 * The tables of the results file say which members cross (store_schema.c): those of what a
 * message carries that have a column there. get: texts are the arena's.
 *   WIRE_LOG, METRIC, CHECK, SUMMARY, WORST, SERIES   a message_record, metric_record, ...
 *   WIRE_TIMING                                       of a case_record, from its clock to its
 *                                                     reading_note
 *   WIRE_WORK, PACE, INTERFERENCE, PHASES             these members of a case_record
 */
void put_record(struct wire_writer *writer, uint32_t type, const void *record);
void get_record(struct wire_reader *reader, struct arena *arena, uint32_t type, void *ret);
/* Where get_record puts a message's members into the record of a case; NULL: it carries no member
 * of it, but a row of another table. */
void *part_of_record(uint32_t type, struct case_record *record);

/* Rows of TABLE_..., whole, as an array of its structs. get: in the arena; more than `most` fail
 * the reader. */
void put_rows(struct wire_writer *writer, int table, const void *rows, size_t n);
void *get_rows(struct wire_reader *reader, struct arena *arena, int table, size_t most,
               size_t *ret_n);

/* WIRE_ESTIMATE: the policy's report, why it ended, and how many samples were lost. */
void put_estimate(struct wire_writer *writer, const struct gb_estimate *estimate,
                  const char *reason, uint64_t n_lost);
void get_estimate(struct wire_reader *reader, struct arena *arena, struct gb_estimate *ret,
                  const char **ret_reason, uint64_t *ret_n_lost);

/* ---- what a worker is given ---- */

/* WIRE_PROBE: modules to describe, of which the first has this index. */
struct modules_order {
    bool hashes; /* which builds are they? */
    uint32_t first;
    const char *const *paths;
    size_t n;
};

/* WIRE_DEVICES, EXAMINE, COUNTERS, VALIDATE: a device plugin with its settings; of VALIDATE a
 * benchmark. */
struct question {
    struct plugin_settings plugin;
    uint32_t index;                 /* of COUNTERS */
    uint32_t bound_kind, is_judged; /* of VALIDATE */
    const char *model, *whole;      /* of COUNTERS, or NULL */
    const char *folder;             /* of VALIDATE */
};

/* WIRE_CASE: all that is needed to measure a case; of a plugin_info only path, kind and id. And
 * WIRE_BUILD_AHEAD, for the device that will measure it. */
struct case_order {
    const char *record; /* UUID, which the case's CASE_END repeats */
    struct bench_case bench_case;
    struct described_device device;
};

struct replay_order {
    struct plugin_settings policy;
    struct guards guards;
    double tick_ns, error_ns, load_ns; /* of the samples, as struct trace has them */
    bool is_dithered, is_part;
    uint64_t seed;
};

struct search_order {
    struct plugin_settings plugin;
    uint64_t seed;
    struct engine_limits limits;
    uint64_t n_cases;        /* that SEARCH_CASES will bring */
    const char *const *axes; /* their names */
    size_t n_axes;
};

/* ---- what it answers ---- */

/* How a question was answered, which ends the answer. */
struct outcome {
    int32_t status;
    const char *words; /* of the error; or why there is nothing, "" if there is */
};

struct module_end {
    uint32_t index;
    struct outcome outcome;
};

/* Something noisy about a device. */
struct device_finding {
    const char *device;
    struct finding finding;
};

/* What is wrong with a setting: option, byte of its value. */
struct problem {
    const char *option;
    uint64_t offset;
    const char *text;
};

/* The module of the case's benchmark, policy or device. */
struct build {
    uint32_t kind;
    const char *sha256;
};

/* Of a case that is served by a process which the worker has forked. */
struct forked {
    int32_t pid;
    double load_ns; /* what the worker has loaded for this case and for others took; 0: nothing */
};

struct case_end {
    const char *record; /* as the case was given with */
    int32_t status;     /* CASE_... */
    const char *text;
    bool is_spent; /* the worker cannot continue */
    bool is_again; /* the case is for another, as this one has had others before */
    const char *traces;
};

struct replay_end {
    struct outcome outcome;
    bool has_ended; /* by the policy or a guard */
    uint64_t n;     /* samples taken */
    double elapsed_ns;
};

struct search_end {
    struct outcome outcome;
    struct engine_report report;
};

/* A plugin as it is described to the supervisor: with its options in today's struct, without ops.
 */
struct plugin_info describe_plugin(const struct gb_plugin *plugin, const char *sha256,
                                   struct arena *arena);

extern const struct wire_field description_fields[];   /* struct plugin_info, but its path */
extern const struct wire_field modules_order_fields[]; /* struct modules_order */
extern const struct wire_field question_fields[];      /* struct question */
extern const struct wire_field case_order_fields[];    /* struct case_order, but the device */
extern const struct wire_field lane_order_fields[];    /* struct case_order */
extern const struct wire_field replay_order_fields[];  /* struct replay_order */
extern const struct wire_field search_order_fields[];  /* struct search_order */
extern const struct wire_field observation_fields[];   /* struct gb_observation */
extern const struct wire_field step_fields[];          /* struct engine_step */
extern const struct wire_field search_end_fields[];    /* struct search_end */
extern const struct wire_field replay_end_fields[];    /* struct replay_end */
extern const struct wire_field device_fields[];        /* struct described_device */
extern const struct wire_field finding_fields[];       /* struct device_finding */
extern const struct wire_field counter_fields[];       /* struct gb_counter */
extern const struct wire_field problem_fields[];       /* struct problem */
extern const struct wire_field outcome_fields[];       /* struct outcome */
extern const struct wire_field module_end_fields[];    /* struct module_end */
extern const struct wire_field build_fields[];         /* struct build */
extern const struct wire_field forked_fields[];        /* struct forked */
extern const struct wire_field case_end_fields[];      /* struct case_end */
