/*
 * messages.h - the structs that cross the wire, written and read.
 *
 * put_ functions append the fields to a message begun by the caller; get_ functions read the same
 * fields into memory of an arena. Whether a message was whole is asked once, of the reader
 * (wire_complete).
 */
#ifndef GBRUN_CORE_MESSAGES_H
#define GBRUN_CORE_MESSAGES_H

#include "core/config/bench_case.h"
#include "core/config/catalogue.h"
#include "core/run/machine.h"
#include "core/run/wire.h"
#include "core/store/record.h"

#include <gbrun/counters.h>

/* A description without ops; get gives a plugin whose ops and extension are NULL. */
void put_plugin(struct wire_writer *writer, const struct gb_plugin *plugin);
void get_plugin(struct wire_reader *reader, struct arena *arena, struct gb_plugin *ret,
                uint32_t *ret_flags);

/*
 * A case for a worker. What get gives has all that is needed to measure: label, settings, common
 * settings, policy, device (with its index), tolerances, seed, uid; of plugin_info only path, kind
 * and id.
 */
void put_case(struct wire_writer *writer, const struct bench_case *bench_case, const char *label);
void get_case(struct wire_reader *reader, struct arena *arena, struct bench_case *ret,
              const char **ret_label);

/* A plugin with its settings: those of a policy or device, or of a case of a benchmark. */
void put_plugin_settings(struct wire_writer *writer, const struct plugin_settings *settings);
void get_plugin_settings(struct wire_reader *reader, struct arena *arena, uint32_t kind,
                         struct plugin_settings *ret);

void put_device_info(struct wire_writer *writer, const struct gb_device_info *info);
void get_device_info(struct wire_reader *reader, struct gb_device_info *ret);

void put_work(struct wire_writer *writer, const struct gb_work *work);
void get_work(struct wire_reader *reader, struct arena *arena, struct gb_work *ret);

/* One reading and when it was taken. get: *ret_moment is below TELEMETRY_MOMENTS, or the reader has
 * failed. */
void put_telemetry(struct wire_writer *writer, uint32_t moment,
                   const struct telemetry_record *telemetry);
void get_telemetry(struct wire_reader *reader, uint32_t *ret_moment, struct telemetry_record *ret);

/* Something noisy about a device. NULL is written as "". get: a text longer than a finding can be
 * fails the reader; line breaks and other control characters have become blanks. */
void put_counter(struct wire_writer *writer, const struct gb_counter *counter);
void get_counter(struct wire_reader *reader, struct arena *arena, struct gb_counter *ret);

void put_finding(struct wire_writer *writer, const char *device, const struct gb_finding *finding);
void get_finding(struct wire_reader *reader, struct arena *arena, const char **ret_device,
                 struct finding *ret);

/* get: counts that do not fit each other fail the reader. */
void put_summary(struct wire_writer *writer, const char *name, const struct verify_result *result);
void get_summary(struct wire_reader *reader, struct arena *arena, struct check_summary_record *ret);

void put_estimate(struct wire_writer *writer, const struct gb_estimate *estimate);
void get_estimate(struct wire_reader *reader, struct gb_estimate *ret);

#endif
