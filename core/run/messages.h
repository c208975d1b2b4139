/*
 * messages.h - the structs that cross the wire, written and read.
 *
 * put_ functions and lists of fields append to a message begun by the caller; get_ functions and
 * the same lists read it into memory of an arena. Whether a message was whole is asked once, of the
 * reader (wire_complete). Functions that send a whole message are called send_..., those that are
 * given a received one take_...
 */
#pragma once

#include "core/config/bench_case.h"
#include "core/config/catalogue.h"
#include "core/run/machine.h"
#include "core/run/wire.h"
#include "core/search/engine.h"
#include "core/store/record.h"

#include <gbrun/counters.h>

/* A description without ops; get gives a plugin whose ops and extension are NULL. */
void put_plugin(struct wire_writer *writer, const struct gb_plugin *plugin);
void get_plugin(struct wire_reader *reader, struct arena *arena, struct gb_plugin *ret,
                uint32_t *ret_flags);

/*
 * A case for a worker; record is the UUID of what it measures, which its CASE_END repeats. What get
 * gives has all that is needed to measure: label, settings, common
 * settings, policy, device (with its index), tolerances, seed, uid; of plugin_info only path, kind
 * and id.
 */
void put_case(struct wire_writer *writer, const struct bench_case *bench_case, const char *label,
              const char *record);
void get_case(struct wire_reader *reader, struct arena *arena, struct bench_case *ret,
              const char **ret_label, const char **ret_record);

/* A plugin with its settings: those of a policy or device, or of a case of a benchmark. */
void put_plugin_settings(struct wire_writer *writer, const struct plugin_settings *settings);
void get_plugin_settings(struct wire_reader *reader, struct arena *arena, uint32_t kind,
                         struct plugin_settings *ret);

/*
 * Records of a case: which members cross is said by the tables of the results file
 * (store_schema.c), those of what a message carries that have a column there. get: texts are the
 * arena's. WIRE_LOG, METRIC, CHECK, WORST   a message_record, metric_record, ... WIRE_TIMING of a
 * case_record, from its clock to its reading_note WIRE_WORK, PACE, PHASES          these members of
 * a case_record
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

/* With what a results file does not say. */
void put_interference(struct wire_writer *writer, const struct interference_record *interference);
void get_interference(struct wire_reader *reader, struct interference_record *ret);

/* One reading and when it was taken. get: *ret_moment is below TELEMETRY_MOMENTS, or the reader has
 * failed. */
void put_telemetry(struct wire_writer *writer, uint32_t moment,
                   const struct telemetry_record *telemetry);
void get_telemetry(struct wire_reader *reader, uint32_t *ret_moment, struct telemetry_record *ret);

/* Members of the record that say which activities a sample has. get: more than ACTIVITIES_MAX fail
 * the reader. */
void put_activities(struct wire_writer *writer, const struct case_record *record);
void get_activities(struct wire_reader *reader, struct arena *arena, struct case_record *ret);

/* WIRE_SUMMARY. Counts that do not fit each other fail the reader. */
void get_summary(struct wire_reader *reader, struct arena *arena, struct check_summary_record *ret);

/* Of the record all but the quantiles. get: finds those; bins that are not sound fail the reader.
 */
void put_series(struct wire_writer *writer, const struct series_record *series);
void get_series(struct wire_reader *reader, struct arena *arena, struct series_record *ret);

void put_estimate(struct wire_writer *writer, const struct gb_estimate *estimate);
void get_estimate(struct wire_reader *reader, struct gb_estimate *ret);

/* ---- messages that are structs ---- */

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

/* How a question was answered, which ends the answer. */
struct outcome {
    int32_t status;
    const char *words; /* of the error; or why there is nothing, "" if there is */
};

/* The module of the case's benchmark, policy or device. */
struct build {
    uint32_t kind;
    const char *sha256;
};

struct case_end {
    const char *record; /* as the case was given with */
    int32_t status;     /* CASE_... */
    const char *text;
    bool is_spent; /* the worker cannot go on */
    const char *traces;
};

extern const struct wire_field step_fields[];        /* struct engine_step */
extern const struct wire_field observation_fields[]; /* struct gb_observation, but its samples */
extern const struct wire_field report_fields[];      /* struct engine_report, but what is open */
extern const struct wire_field limits_fields[];      /* struct engine_limits */
extern const struct wire_field device_info_fields[]; /* struct gb_device_info */
extern const struct wire_field finding_fields[];     /* struct device_finding */
extern const struct wire_field counter_fields[];     /* struct gb_counter */
extern const struct wire_field problem_fields[];     /* struct problem */
extern const struct wire_field outcome_fields[];     /* struct outcome */
extern const struct wire_field fact_fields[];        /* struct fact */
extern const struct wire_field build_fields[];       /* struct build */
extern const struct wire_field case_end_fields[];    /* struct case_end */
