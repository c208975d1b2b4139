/* messages.c - see messages.h. */
#include "core/run/messages.h"

#include "core/store/store_schema.h"

#include <string.h>

/* ---- plugins, their settings, cases ---- */

static const struct wire_field option_fields[] = {
    FIELD_SIZE_OF(struct gb_option),
    FIELDS(struct gb_option, type, flags, offset, name),
    FIELDS_AS(FIELD_TEXT, struct gb_option, default_value, range, unit, help),
    FIELD_ITEMS(struct gb_option, choices, n_choices, wire_word),
    {0}};
static const struct wire_field plugin_fields[] = {
    FIELD_SIZE_OF(struct gb_plugin),
    FIELDS(struct gb_plugin, kind, id, version, summary),
    FIELDS_AS(FIELD_TEXT, struct gb_plugin, help, devices),
    FIELDS(struct gb_plugin, params_size),
    FIELD_ITEMS(struct gb_plugin, options, n_options, option_fields),
    {0}};
const struct wire_field description_fields[] = {
    FIELDS(struct plugin_info, sha256, flags),
    FIELD_INSIDE(struct plugin_info, plugin, plugin_fields),
    {0}};

struct plugin_info describe_plugin(const struct gb_plugin *plugin, const char *sha256,
                                   struct arena *arena)
{
    const struct gb_bench_ops *ops = plugin->kind == GB_PLUGIN_BENCH ? plugin->ops : NULL;
    const struct option_table table = option_table_of(plugin);
    struct gb_option *options = ARENA_ARRAY(arena, struct gb_option, table.n);
    struct plugin_info info = {.sha256 = sha256, .plugin = *plugin};
    for (uint32_t i = 0; i < table.n; i++)
        options[i] = option_entry(table, i);
    info.plugin.options = options;
    info.plugin.n_options = table.n;
    if (plugin->kind == GB_PLUGIN_POLICY &&
        ((const struct gb_policy_ops *)plugin->ops)->flags & GB_POLICY_CERTIFIES)
        info.flags = PLUGIN_CERTIFIES;
    if (plugin->kind == GB_PLUGIN_SEARCH &&
        ((const struct gb_search_ops *)plugin->ops)->flags & GB_SEARCH_CONFIRMS)
        info.flags = PLUGIN_CONFIRMS;
    if (!ops)
        return info;
    info.flags = ops->flags & ~(PLUGIN_VALIDATES | PLUGIN_RENEWS | PLUGIN_BUILDS |
                                PLUGIN_CERTIFIES | PLUGIN_CONFIRMS);
    if (plugin->extension && plugin->extension(GB_VALIDATION))
        info.flags |= PLUGIN_VALIDATES;
    if (GB_HAS(ops, refresh) && ops->refresh && ops->verify)
        info.flags |= PLUGIN_RENEWS;
    if (GB_HAS(ops, build) && ops->build)
        info.flags |= PLUGIN_BUILDS;
    return info;
}

static const struct wire_field name_fields[] = {FIELDS_AS(FIELD_PATH, struct plugin_info, path),
                                                FIELDS(struct plugin_info, plugin.id, plugin.kind),
                                                {0}};
static const struct wire_field setting_fields[] = {FIELDS(struct setting, key, text), {0}};
static const struct wire_field settings_fields[] = {
    FIELD_BEHIND(struct plugin_settings, info, name_fields),
    FIELDS(struct plugin_settings, name),
    FIELD_ITEMS(struct plugin_settings, settings, n_settings, setting_fields),
    {0}};

static const struct wire_field common_fields[] = {
    FIELDS(struct common_params, cache, launch, clock, counters, iterations, warmup_ns, min_samples,
           max_samples),
    FIELDS(struct common_params, max_time_ns, time_limit_ns, check_floor, check_safety,
           check_bound_kind, check_allow_overflow, check_dump, check_dump_always),
    FIELDS(struct common_params, pace, pace_limit_ns, cool_below, clock_at_least, count_by,
           count_limit),
    FIELDS(struct common_params, breakdown, max_time_undecided_ns, verify, inputs, measure,
           threads),
    FIELDS(struct common_params, check_atol, check_rtol, check_details, check_worst),
    {0}};
static const struct wire_field tolerance_fields[] = {
    FIELDS(struct check_tolerance, metric, tolerance), {0}};
static const struct wire_field case_fields[] = {
    FIELDS(struct bench_case, bench, seed, has_sentinel, is_part),
    FIELDS_AS(FIELD_PATH, struct bench_case, folder),
    FIELDS(struct bench_case, uid, profile),
    FIELD_BEHIND(struct bench_case, info, name_fields),
    FIELD_ITEMS(struct bench_case, settings, n_settings, setting_fields),
    FIELD_INSIDE(struct bench_case, common, common_fields),
    FIELD_BEHIND(struct bench_case, policy, settings_fields),
    FIELD_BEHIND(struct bench_case, device.settings, settings_fields),
    FIELDS(struct bench_case, device.index),
    FIELDS_AS(FIELD_TEXT, struct bench_case, device.uuid),
    FIELD_ITEMS(struct bench_case, tolerances, n_tolerances, tolerance_fields),
    {0}};

static const struct wire_field info_fields[] = {
    FIELD_SIZE_OF(struct gb_device_info),
    FIELDS(struct gb_device_info, index, backend, model, uuid, memory_bytes, cache_bytes, n_units),
    {0}};
static const struct wire_field fact_fields[] = {FIELDS_AS(FIELD_LINE, struct fact, name, value),
                                                {0}};
const struct wire_field device_fields[] = {
    FIELD_INSIDE(struct described_device, info, info_fields),
    FIELD_ITEMS(struct described_device, facts, n_facts, fact_fields),
    {0}};

/* ---- what a worker is given ---- */

const struct wire_field modules_order_fields[] = {
    FIELDS(struct modules_order, hashes, first),
    FIELD_ITEMS(struct modules_order, paths, n, wire_path),
    {0}};
const struct wire_field question_fields[] = {FIELD_INSIDE(struct question, plugin, settings_fields),
                                             FIELDS(struct question, index, bound_kind, is_judged),
                                             FIELDS_AS(FIELD_TEXT, struct question, model, whole),
                                             FIELDS_AS(FIELD_PATH, struct question, folder),
                                             {0}};
const struct wire_field case_order_fields[] = {
    FIELDS(struct case_order, record),
    FIELD_INSIDE(struct case_order, bench_case, case_fields),
    {0}};
const struct wire_field lane_order_fields[] = {
    FIELD_INSIDE(struct case_order, device, device_fields),
    FIELDS(struct case_order, record),
    FIELD_INSIDE(struct case_order, bench_case, case_fields),
    {0}};
static const struct wire_field guards_fields[] = {
    FIELDS(struct guards, min_samples, max_samples, max_time_ns, max_undecided_ns), {0}};
const struct wire_field replay_order_fields[] = {
    FIELD_INSIDE(struct replay_order, policy, settings_fields),
    FIELD_INSIDE(struct replay_order, guards, guards_fields),
    FIELDS(struct replay_order, tick_ns, is_dithered, is_part, error_ns, load_ns, seed),
    {0}};
static const struct wire_field limits_fields[] = {FIELDS(struct engine_limits, tolerance,
                                                         confidence, budget_ns, budget_cases,
                                                         patience_cases, lanes),
                                                  {0}};
const struct wire_field search_order_fields[] = {
    FIELD_INSIDE(struct search_order, plugin, settings_fields),
    FIELDS(struct search_order, seed),
    FIELD_INSIDE(struct search_order, limits, limits_fields),
    FIELDS(struct search_order, n_cases),
    FIELD_ITEMS(struct search_order, axes, n_axes, wire_word),
    {0}};
const struct wire_field observation_fields[] = {
    FIELD_SIZE_OF(struct gb_observation),
    FIELDS(struct gb_observation, proposal, status, warmup_ns, prepare_ns, wall_ns, elapsed_ns),
    FIELD_ITEMS(struct gb_observation, samples, n_samples, wire_number),
    {0}};

/* ---- what it answers ---- */

const struct wire_field outcome_fields[] = {FIELDS(struct outcome, status, words), {0}};
const struct wire_field module_end_fields[] = {
    FIELDS(struct module_end, index),
    FIELD_INSIDE(struct module_end, outcome, outcome_fields),
    {0}};
const struct wire_field finding_fields[] = {
    FIELDS_AS(FIELD_PRINTABLE, struct device_finding, device),
    FIELDS(struct device_finding, finding.is_noisy),
    FIELDS_AS(FIELD_PRINTABLE, struct device_finding, finding.subject, finding.state, finding.why,
              finding.fix),
    {0}};
const struct wire_field counter_fields[] = {
    FIELD_SIZE_OF(struct gb_counter),
    FIELDS_AS(FIELD_PRINTABLE, struct gb_counter, name, unit, help),
    {0}};
const struct wire_field problem_fields[] = {FIELDS(struct problem, option, offset, text), {0}};
const struct wire_field build_fields[] = {FIELDS(struct build, kind, sha256), {0}};
const struct wire_field forked_fields[] = {FIELDS(struct forked, pid, load_ns), {0}};
const struct wire_field case_end_fields[] = {
    FIELDS(struct case_end, record, status, text, is_spent, is_again, traces), {0}};
const struct wire_field replay_end_fields[] = {
    FIELD_INSIDE(struct replay_end, outcome, outcome_fields),
    FIELDS(struct replay_end, has_ended, n, elapsed_ns),
    {0}};
const struct wire_field step_fields[] = {
    FIELDS(struct engine_step, action, proposal, i, n_samples, visit, reason), {0}};
static const struct wire_field report_fields[] = {
    FIELDS(struct engine_report, scope, best, value, low, high, share, n_proposals, n_cases),
    FIELDS(struct engine_report, n_ok, elapsed_ns, is_broken, reason, note),
    FIELD_ITEMS(struct engine_report, open, n_open, wire_number),
    {0}};
const struct wire_field search_end_fields[] = {
    FIELD_INSIDE(struct search_end, outcome, outcome_fields),
    FIELD_INSIDE(struct search_end, report, report_fields),
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
    [WIRE_SENTINEL] = {TABLE_SENTINEL, offsetof(struct sentinel_row, record),
                       offsetof(struct sentinel_row, record), SIZE_MAX},
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
    const int kind = column->type == STORED_CHARS  ? FIELD_CHARS
                     : column->type == STORED_BOOL ? FIELD_BOOL
                     : column->type == STORED_BLOB ? FIELD_END
                     : column->type != STORED_TEXT ? FIELD_NUMBER
                     : column->has_lines           ? FIELD_WORD
                                                   : FIELD_LINE;
    if (column->offset < part->from || column->offset >= part->to)
        return (struct wire_field){0};
    return (struct wire_field){
        .kind = kind, .offset = column->offset - part->base, .bytes = column->bytes};
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

/* What a results file has not, or has in another form. */
static const struct wire_field bin_fields[] = {FIELDS(struct bin, value, count), {0}};
static const struct wire_field *const more_fields[WIRE_TYPES] = {
    [WIRE_SUMMARY] = (const struct wire_field[]){FIELDS(struct check_summary_record, histogram,
                                                        above_floor),
                                                 {0}},
    [WIRE_SERIES] =
        (const struct wire_field[]){FIELDS(struct series_record, n_effective[0], n_effective[1],
                                           n_effective[2], n_effective[3]),
                                    FIELD_ITEMS(struct series_record, bins, n_bins, bin_fields),
                                    {0}},
    [WIRE_INTERFERENCE] = (const struct wire_field[]){
        FIELDS(struct interference_record, is_known, own_cpu_ns), {0}}};

void put_record(struct wire_writer *writer, uint32_t type, const void *record)
{
    put_part(writer, &parts[type], record);
    if (more_fields[type])
        wire_put_fields(writer, more_fields[type], record);
}

void get_record(struct wire_reader *reader, struct arena *arena, uint32_t type, void *ret)
{
    get_part(reader, arena, &parts[type], ret);
    if (more_fields[type])
        wire_get_fields(reader, arena, more_fields[type], ret);
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

void put_estimate(struct wire_writer *writer, const struct gb_estimate *estimate,
                  const char *reason, uint64_t n_lost)
{
    put_record(writer, WIRE_ESTIMATE, estimate);
    put_rows(writer, TABLE_MODE, estimate->modes, estimate->n_modes);
    wire_put_text(writer, reason);
    wire_put_u64(writer, n_lost);
}

void get_estimate(struct wire_reader *reader, struct arena *arena, struct gb_estimate *ret,
                  const char **ret_reason, uint64_t *ret_n_lost)
{
    CLEANUP(arena_free) struct arena scratch = {0};
    size_t n;
    *ret = (struct gb_estimate){.size = sizeof *ret};
    get_record(reader, NULL, WIRE_ESTIMATE, ret);
    const struct gb_mode *modes = get_rows(reader, &scratch, TABLE_MODE, GB_MODES_MAX, &n);
    ret->n_modes = (uint32_t)n;
    memcpy(ret->modes, modes, n * sizeof *modes);
    *ret_reason = wire_get_line(reader, arena);
    *ret_n_lost = wire_get_u64(reader);
}
