/* messages.c - see messages.h. */
#include "core/run/messages.h"

#include "core/store/store_schema.h"

#include <string.h>

static const struct wire_field option_fields[] = {
    FIELDS(struct gb_option, type, flags, offset, name),
    FIELDS_AS(FIELD_TEXT, struct gb_option, default_value, range, unit, help),
    {0}};

static void put_option(struct wire_writer *writer, const struct gb_option *option)
{
    wire_put_fields(writer, option_fields, option);
    uint32_t n = option->choices ? option->n_choices : 0;
    wire_put_u32(writer, n);
    for (uint32_t i = 0; i < n; i++)
        wire_put_text(writer, option->choices[i]);
}

static void get_option(struct wire_reader *reader, struct arena *arena, struct gb_option *ret)
{
    ret->size = sizeof *ret;
    wire_get_fields(reader, arena, option_fields, ret);
    ret->n_choices = wire_get_count(reader, 4);
    const char **choices = ARENA_ARRAY(arena, const char *, ret->n_choices);
    for (uint32_t i = 0; i < ret->n_choices; i++)
        choices[i] = wire_get_word(reader, arena);
    ret->choices = ret->n_choices ? choices : NULL;
}

static const struct wire_field plugin_fields[] = {
    FIELDS(struct gb_plugin, kind, id, version, summary),
    FIELDS_AS(FIELD_TEXT, struct gb_plugin, help, devices),
    FIELDS(struct gb_plugin, params_size),
    {0}};

void put_plugin(struct wire_writer *writer, const struct gb_plugin *plugin)
{
    wire_put_fields(writer, plugin_fields, plugin);
    const struct gb_bench_ops *ops = plugin->kind == GB_PLUGIN_BENCH ? plugin->ops : NULL;
    bool validates = ops && plugin->extension && plugin->extension(GB_VALIDATION);
    bool renews = ops && GB_HAS(ops, refresh) && ops->refresh && ops->verify;
    bool builds = ops && GB_HAS(ops, build) && ops->build;
    uint32_t flags = ops ? ops->flags & ~(PLUGIN_VALIDATES | PLUGIN_RENEWS | PLUGIN_BUILDS) : 0;
    wire_put_u32(writer, flags | (validates ? PLUGIN_VALIDATES : 0) | (renews ? PLUGIN_RENEWS : 0) |
                             (builds ? PLUGIN_BUILDS : 0));
    struct option_table table = option_table_of(plugin);
    wire_put_u32(writer, table.n);
    for (uint32_t i = 0; i < table.n; i++)
        put_option(writer, option_at(table, i));
}

void get_plugin(struct wire_reader *reader, struct arena *arena, struct gb_plugin *ret,
                uint32_t *ret_flags)
{
    *ret = (struct gb_plugin){.size = sizeof *ret};
    wire_get_fields(reader, arena, plugin_fields, ret);
    *ret_flags = wire_get_u32(reader);
    ret->n_options = wire_get_count(reader, wire_fields_bytes(option_fields) + 4);
    struct gb_option *options = ARENA_ARRAY(arena, struct gb_option, ret->n_options);
    for (uint32_t i = 0; i < ret->n_options; i++)
        get_option(reader, arena, &options[i]);
    ret->options = ret->n_options ? options : NULL;
}

static const struct wire_field setting_fields[] = {FIELDS(struct setting, key, text), {0}};

static void put_settings(struct wire_writer *writer, const struct setting *settings, size_t n)
{
    wire_put_u32(writer, (uint32_t)n);
    for (size_t i = 0; i < n; i++)
        wire_put_fields(writer, setting_fields, &settings[i]);
}

static struct setting *get_settings(struct wire_reader *reader, struct arena *arena, size_t *ret_n)
{
    *ret_n = wire_get_count(reader, wire_fields_bytes(setting_fields));
    struct setting *settings = ARENA_ARRAY(arena, struct setting, *ret_n);
    for (size_t i = 0; i < *ret_n; i++)
        wire_get_fields(reader, arena, setting_fields, &settings[i]);
    return settings;
}

static void put_plugin_name(struct wire_writer *writer, const struct plugin_info *info)
{
    wire_put_text(writer, info->path);
    wire_put_text(writer, info->plugin.id);
}

static const struct plugin_info *get_plugin_name(struct wire_reader *reader, struct arena *arena,
                                                 uint32_t kind)
{
    struct plugin_info *info = ARENA_NEW(arena, struct plugin_info);
    info->path = wire_get_path(reader, arena);
    info->plugin.id = wire_get_word(reader, arena);
    info->plugin.kind = kind;
    return info;
}

void put_plugin_settings(struct wire_writer *writer, const struct plugin_settings *settings)
{
    put_plugin_name(writer, settings->info);
    wire_put_text(writer, settings->name);
    put_settings(writer, settings->settings, settings->n_settings);
}

void get_plugin_settings(struct wire_reader *reader, struct arena *arena, uint32_t kind,
                         struct plugin_settings *ret)
{
    *ret = (struct plugin_settings){.info = get_plugin_name(reader, arena, kind)};
    ret->name = wire_get_word(reader, arena);
    ret->settings = get_settings(reader, arena, &ret->n_settings);
}

static const struct wire_field common_fields[] = {
    FIELDS(struct common_params, cache, launch, clock, counters, iterations, warmup_ns, min_samples,
           max_samples),
    FIELDS(struct common_params, max_time_ns, time_limit_ns, check_floor, check_safety,
           check_bound_kind, check_allow_overflow, check_dump, check_dump_always),
    FIELDS(struct common_params, pace, pace_limit_ns, cool_below, clock_at_least),
    FIELDS(struct common_params, breakdown, max_time_undecided_ns, verify, inputs, measure,
           threads),
    FIELDS(struct common_params, check_atol, check_rtol, check_details, check_worst),
    {0}};

/* Of a case, in the order of the message. */
static const struct wire_field case_fields[] = {FIELDS(struct bench_case, bench, seed),
                                                FIELDS_AS(FIELD_PATH, struct bench_case, folder),
                                                FIELDS(struct bench_case, uid, profile),
                                                {0}};
static const struct wire_field tolerance_fields[] = {
    FIELDS(struct check_tolerance, metric, tolerance), {0}};

void put_case(struct wire_writer *writer, const struct bench_case *bench_case, const char *label,
              const char *record)
{
    wire_put_text(writer, label);
    wire_put_text(writer, record);
    wire_put_fields(writer, case_fields, bench_case);
    put_plugin_name(writer, bench_case->info);
    put_settings(writer, bench_case->settings, bench_case->n_settings);
    wire_put_fields(writer, common_fields, &bench_case->common);
    put_plugin_settings(writer, bench_case->policy);
    put_plugin_settings(writer, bench_case->device.settings);
    wire_put_u32(writer, (uint32_t)bench_case->device.index);
    wire_put_text(writer, bench_case->device.uuid ? bench_case->device.uuid : "");
    wire_put_u32(writer, (uint32_t)bench_case->n_tolerances);
    for (size_t i = 0; i < bench_case->n_tolerances; i++)
        wire_put_fields(writer, tolerance_fields, &bench_case->tolerances[i]);
}

void get_case(struct wire_reader *reader, struct arena *arena, struct bench_case *ret,
              const char **ret_label, const char **ret_record)
{
    *ret = (struct bench_case){0};
    *ret_label = wire_get_word(reader, arena);
    *ret_record = wire_get_word(reader, arena);
    wire_get_fields(reader, arena, case_fields, ret);
    ret->info = get_plugin_name(reader, arena, GB_PLUGIN_BENCH);
    ret->settings = get_settings(reader, arena, &ret->n_settings);
    wire_get_fields(reader, arena, common_fields, &ret->common);
    struct plugin_settings *policy = ARENA_NEW(arena, struct plugin_settings);
    get_plugin_settings(reader, arena, GB_PLUGIN_POLICY, policy);
    ret->policy = policy;
    struct plugin_settings *device = ARENA_NEW(arena, struct plugin_settings);
    get_plugin_settings(reader, arena, GB_PLUGIN_DEVICE, device);
    ret->device.settings = device;
    ret->device.index = (int32_t)wire_get_u32(reader);
    ret->device.uuid = wire_get_text(reader, arena);
    ret->n_tolerances = wire_get_count(reader, wire_fields_bytes(tolerance_fields));
    ret->tolerances = ARENA_ARRAY(arena, struct check_tolerance, ret->n_tolerances);
    for (size_t i = 0; i < ret->n_tolerances; i++)
        wire_get_fields(reader, arena, tolerance_fields, &ret->tolerances[i]);
}

const struct wire_field device_info_fields[] = {
    FIELDS(struct gb_device_info, index, backend, model, uuid, memory_bytes, cache_bytes, n_units),
    {0}};

/* ---- records: members as the tables of the results file list them ---- */

/* Which members of a row, as offsets in it: the columns whose members lie between them. */
struct part {
    int table;             /* TABLE_... */
    size_t base, from, to; /* base: of the struct that is sent */
};
#define WHOLE(table)                                                                               \
    {                                                                                              \
        table, 0, 0, SIZE_MAX                                                                      \
    }
/* A struct in the row of a case. */
#define OF_CASE(member)                                                                            \
    {                                                                                              \
        TABLE_CASE, offsetof(struct stored_case, member), offsetof(struct stored_case, member),    \
            offsetof(struct stored_case, member) + sizeof(((struct stored_case *)0)->member)       \
    }

static const struct part parts[WIRE_TYPES] = {
    [WIRE_LOG] = WHOLE(TABLE_MESSAGE),
    [WIRE_METRIC] = WHOLE(TABLE_METRIC),
    [WIRE_CHECK] = WHOLE(TABLE_CHECK),
    [WIRE_SUMMARY] = WHOLE(TABLE_CHECK_SUMMARY),
    [WIRE_WORST] = WHOLE(TABLE_CHECK_WORST),
    [WIRE_SERIES] = {TABLE_SERIES, 0, 0, offsetof(struct series_row, record.quantiles)},
    [WIRE_TELEMETRY] = {TABLE_TELEMETRY, offsetof(struct telemetry_row, record),
                        offsetof(struct telemetry_row, record), SIZE_MAX},
    [WIRE_TIMING] = {TABLE_CASE, offsetof(struct stored_case, record),
                     offsetof(struct stored_case, record.clock),
                     offsetof(struct stored_case, record.started)},
    [WIRE_WORK] = OF_CASE(record.work),
    [WIRE_PACE] = OF_CASE(record.pace),
    [WIRE_INTERFERENCE] = OF_CASE(record.interference),
    [WIRE_PHASES] = OF_CASE(record.phases),
    [WIRE_ESTIMATE] = OF_CASE(record.estimate),
};

/* A column as a field of the struct at `base`; FIELD_END: it is not in the part. */
static struct wire_field field_of(const struct stored_column *column, const struct part *part)
{
    static const int kinds[] = {
        [STORED_CHARS] = FIELD_CHARS, [STORED_REAL] = FIELD_F64,   [STORED_BOOL] = FIELD_BOOL,
        [STORED_INT32] = FIELD_U32,   [STORED_UINT32] = FIELD_U32, [STORED_INT64] = FIELD_U64,
        [STORED_BLOB] = FIELD_END};
    const int kind = column->type == STORED_TEXT ? column->has_lines ? FIELD_WORD : FIELD_LINE
                                                 : kinds[column->type];
    return column->offset < part->from || column->offset >= part->to
               ? (struct wire_field){FIELD_END, 0, 0}
               : (struct wire_field){kind, column->offset - part->base, column->bytes};
}

static void put_part(struct wire_writer *writer, const struct part *part, const void *object)
{
    const struct stored_table *table = &store_schema.tables[part->table];
    for (size_t i = 0; i < table->n_columns; i++) {
        const struct wire_field fields[] = {field_of(&table->columns[i], part), {0}};
        wire_put_fields(writer, fields, object);
    }
}

static void get_part(struct wire_reader *reader, struct arena *arena, const struct part *part,
                     void *ret)
{
    const struct stored_table *table = &store_schema.tables[part->table];
    for (size_t i = 0; i < table->n_columns; i++) {
        const struct wire_field fields[] = {field_of(&table->columns[i], part), {0}};
        wire_get_fields(reader, arena, fields, ret);
    }
}

static void put_histograms(struct wire_writer *writer, const struct check_summary_record *summary)
{
    for (int i = 0; i < VERIFY_CLASSES; i++) {
        wire_put_u64(writer, summary->histogram[i]);
        wire_put_u64(writer, summary->above_floor[i]);
    }
}

void put_record(struct wire_writer *writer, uint32_t type, const void *record)
{
    put_part(writer, &parts[type], record);
    if (type == WIRE_SUMMARY)
        put_histograms(writer, record);
}

void get_record(struct wire_reader *reader, struct arena *arena, uint32_t type, void *ret)
{
    get_part(reader, arena, &parts[type], ret);
}

void *part_of_record(uint32_t type, struct case_record *record)
{
    const struct part *part = &parts[type];
    return part->table == TABLE_CASE && part->to > 0
               ? (char *)record + (part->base - offsetof(struct stored_case, record))
               : NULL;
}

void put_rows(struct wire_writer *writer, int table, const void *rows, size_t n)
{
    const struct part row = WHOLE(table);
    const char *at = rows;
    wire_put_u32(writer, (uint32_t)n);
    for (size_t i = 0; i < n; i++, at += store_schema.tables[table].row_bytes)
        put_part(writer, &row, at);
}

void *get_rows(struct wire_reader *reader, struct arena *arena, int table, size_t most,
               size_t *ret_n)
{
    const struct part row = WHOLE(table);
    const size_t bytes = store_schema.tables[table].row_bytes;
    const size_t n = wire_get_count(reader, sizeof(uint32_t));
    *ret_n = n <= most ? n : 0;
    reader->failed = reader->failed || n > most;
    char *rows = arena_allocate(arena, *ret_n * bytes);
    for (size_t i = 0; i < *ret_n; i++)
        get_part(reader, arena, &row, rows + i * bytes);
    return rows;
}

void put_telemetry(struct wire_writer *writer, uint32_t moment,
                   const struct telemetry_record *telemetry)
{
    wire_put_u32(writer, moment);
    put_record(writer, WIRE_TELEMETRY, telemetry);
}

void get_telemetry(struct wire_reader *reader, uint32_t *ret_moment, struct telemetry_record *ret)
{
    *ret = (struct telemetry_record){.is_known = true, .values.size = sizeof ret->values};
    *ret_moment = wire_get_u32(reader);
    get_record(reader, NULL, WIRE_TELEMETRY, ret);
    if (*ret_moment >= TELEMETRY_MOMENTS) {
        *ret_moment = 0;
        reader->failed = true;
    }
}

void put_interference(struct wire_writer *writer, const struct interference_record *interference)
{
    put_record(writer, WIRE_INTERFERENCE, interference);
    wire_put_u32(writer, interference->is_known);
    wire_put_f64(writer, interference->own_cpu_ns);
}

void get_interference(struct wire_reader *reader, struct interference_record *ret)
{
    get_record(reader, NULL, WIRE_INTERFERENCE, ret);
    ret->is_known = wire_get_u32(reader) != 0;
    ret->own_cpu_ns = wire_get_f64(reader);
}

void put_activities(struct wire_writer *writer, const struct case_record *record)
{
    wire_put_u64(writer, record->n_kernels);
    put_rows(writer, TABLE_ACTIVITY, record->activities, record->n_activities);
}

void get_activities(struct wire_reader *reader, struct arena *arena, struct case_record *ret)
{
    ret->n_kernels = wire_get_u64(reader);
    struct gb_activity *activities = get_rows(reader, arena, TABLE_ACTIVITY, ACTIVITIES_MAX,
                                              &ret->n_activities);
    for (size_t i = 0; i < ret->n_activities; i++)
        activities[i].size = sizeof activities[i];
    if (ret->n_kernels > INT64_MAX) {
        ret->n_activities = ret->n_kernels = 0;
        reader->failed = true;
    }
    ret->activities = activities;
    ret->has_activities = true;
}

/* ---- other messages that are structs ---- */

const struct wire_field step_fields[] = {
    FIELDS(struct engine_step, action, proposal, i, n_samples, visit, reason), {0}};
const struct wire_field observation_fields[] = {
    FIELDS(struct gb_observation, proposal, status, warmup_ns, prepare_ns, wall_ns, elapsed_ns),
    {0}};
const struct wire_field report_fields[] = {
    FIELDS(struct engine_report, scope, best, value, low, high, share, n_proposals, n_cases),
    FIELDS(struct engine_report, n_ok, elapsed_ns, is_broken, reason, note),
    {0}};
const struct wire_field limits_fields[] = {FIELDS(struct engine_limits, tolerance, confidence,
                                                  budget_ns, budget_cases, patience_cases, lanes),
                                           {0}};
const struct wire_field finding_fields[] = {
    FIELDS_AS(FIELD_PRINTABLE, struct device_finding, device),
    FIELDS(struct device_finding, finding.is_noisy),
    FIELDS_AS(FIELD_PRINTABLE, struct device_finding, finding.subject, finding.state, finding.why,
              finding.fix),
    {0}};
const struct wire_field counter_fields[] = {
    FIELDS_AS(FIELD_PRINTABLE, struct gb_counter, name, unit, help), {0}};
const struct wire_field problem_fields[] = {FIELDS(struct problem, option, offset, text), {0}};
const struct wire_field outcome_fields[] = {FIELDS(struct outcome, status, words), {0}};
const struct wire_field fact_fields[] = {FIELDS_AS(FIELD_LINE, struct fact, name, value), {0}};
const struct wire_field build_fields[] = {FIELDS(struct build, kind, sha256), {0}};
const struct wire_field case_end_fields[] = {
    FIELDS(struct case_end, record, status, text, is_spent, traces), {0}};

void get_summary(struct wire_reader *reader, struct arena *arena, struct check_summary_record *ret)
{
    *ret = (struct check_summary_record){0};
    get_record(reader, arena, WIRE_SUMMARY, ret);
    const uint64_t counts[] = {ret->n_exact, ret->n_overflowed, ret->n_nan,
                               ret->n_infinite_mismatch, ret->n_zero_mismatch};
    bool is_sound = ret->n <= INT64_MAX; /* what the results file can hold */
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        is_sound = is_sound && counts[i] <= ret->n;
    uint64_t left = ret->n;
    for (int i = 0; i < VERIFY_CLASSES; i++) {
        ret->histogram[i] = wire_get_u64(reader);
        ret->above_floor[i] = wire_get_u64(reader);
        is_sound = is_sound && ret->histogram[i] <= left &&
                   ret->above_floor[i] <= ret->histogram[i];
        left -= ret->histogram[i];
    }
    if (!is_sound || left != 0)
        reader->failed = true;
}

void put_series(struct wire_writer *writer, const struct series_record *series)
{
    put_record(writer, WIRE_SERIES, series);
    wire_put_f64s(writer, (const double *)series->bins, 2 * series->n_bins);
}

void get_series(struct wire_reader *reader, struct arena *arena, struct series_record *ret)
{
    uint64_t n_numbers = 0;
    *ret = (struct series_record){0};
    get_record(reader, arena, WIRE_SERIES, ret);
    const double *numbers = wire_get_f64s(reader, arena, &n_numbers);
    ret->bins = (const struct bin *)numbers;
    ret->n_bins = n_numbers / 2;
    if (reader->failed || n_numbers % 2 != 0 || ret->n_refused > INT64_MAX ||
        !series_bins_are_sound(ret->bins, ret->n_bins, ret->n)) {
        reader->failed = true;
        ret->n_bins = ret->n = 0;
    }
    series_find_quantiles(ret);
}

void put_estimate(struct wire_writer *writer, const struct gb_estimate *estimate)
{
    put_record(writer, WIRE_ESTIMATE, estimate);
    put_rows(writer, TABLE_MODE, estimate->modes, estimate->n_modes);
}

void get_estimate(struct wire_reader *reader, struct gb_estimate *ret)
{
    CLEANUP(arena_free) struct arena scratch = {0};
    size_t n;
    *ret = (struct gb_estimate){.size = sizeof *ret};
    get_record(reader, NULL, WIRE_ESTIMATE, ret);
    const struct gb_mode *modes = get_rows(reader, &scratch, TABLE_MODE, GB_MODES_MAX, &n);
    ret->n_modes = (uint32_t)n;
    memcpy(ret->modes, modes, n * sizeof *modes);
}
