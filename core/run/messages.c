/* messages.c - see messages.h. */
#include "core/run/messages.h"

#include "core/store/store_read.h"

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
const struct wire_field work_fields[] = {
    FIELDS(struct gb_work, flops, bytes_read, bytes_written, items),
    FIELDS_AS(FIELD_TEXT, struct gb_work, item),
    FIELDS(struct gb_work, math_format, math_unit),
    {0}};
static const struct wire_field telemetry_fields[] = {
    FIELDS(struct telemetry_record, elapsed_ns, iterations, values.clock_hz, values.memory_clock_hz,
           values.temperature_celsius, values.power_watts, values.energy_joules, values.throttle),
    FIELDS(struct telemetry_record, values.n_others, values.throttle_text),
    {0}};

void put_telemetry(struct wire_writer *writer, uint32_t moment,
                   const struct telemetry_record *telemetry)
{
    wire_put_u32(writer, moment);
    wire_put_fields(writer, telemetry_fields, telemetry);
}

void get_telemetry(struct wire_reader *reader, uint32_t *ret_moment, struct telemetry_record *ret)
{
    *ret = (struct telemetry_record){.is_known = true, .values.size = sizeof ret->values};
    *ret_moment = wire_get_u32(reader);
    wire_get_fields(reader, NULL, telemetry_fields, ret);
    if (*ret_moment >= TELEMETRY_MOMENTS) {
        *ret_moment = 0;
        reader->failed = true;
    }
}

static const struct wire_field activity_fields[] = {
    FIELDS(struct gb_activity, kind, name, grid[0], grid[1], grid[2], block[0], block[1], block[2]),
    FIELDS(struct gb_activity, registers, parallel, shared_bytes, bytes, occupancy, time_ns, low_ns,
           high_ns),
    FIELDS(struct gb_activity, gap_ns),
    {0}};

void put_activities(struct wire_writer *writer, const struct case_record *record)
{
    wire_put_u64(writer, record->n_kernels);
    wire_put_u32(writer, (uint32_t)record->n_activities);
    for (size_t i = 0; i < record->n_activities; i++)
        wire_put_fields(writer, activity_fields, &record->activities[i]);
}

void get_activities(struct wire_reader *reader, struct arena *arena, struct case_record *ret)
{
    ret->n_kernels = wire_get_u64(reader);
    ret->n_activities = wire_get_count(reader, wire_fields_bytes(activity_fields));
    if (ret->n_activities > ACTIVITIES_MAX || ret->n_kernels > INT64_MAX) {
        ret->n_activities = ret->n_kernels = 0;
        reader->failed = true;
    }
    struct gb_activity *activities = ARENA_ARRAY(arena, struct gb_activity, ret->n_activities);
    for (size_t i = 0; i < ret->n_activities; i++) {
        activities[i].size = sizeof activities[i];
        wire_get_fields(reader, arena, activity_fields, &activities[i]);
    }
    ret->activities = activities;
    ret->has_activities = true;
}

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
const struct wire_field message_fields[] = {FIELDS(struct message_record, severity, text), {0}};
const struct wire_field metric_fields[] = {FIELDS_AS(FIELD_LINE, struct metric_record, name, unit),
                                           FIELDS(struct metric_record, value),
                                           {0}};
const struct wire_field check_fields[] = {
    FIELDS_AS(FIELD_LINE, struct check_record, name, metric),
    FIELDS(struct check_record, value, index, reference, output, tolerance, passed),
    FIELDS(struct check_record, text),
    {0}};
const struct wire_field worst_fields[] = {
    FIELDS_AS(FIELD_LINE, struct worst_record, name),
    FIELDS(struct worst_record, index, reference, output, ulps),
    {0}};
const struct wire_field phases_fields[] = {
    FIELDS(struct phases_record, open_ns, prepare_ns, warmup_ns, measure_ns, count_ns, verify_ns),
    {0}};
const struct wire_field clock_fields[] = {FIELDS_AS(FIELD_LINE, struct clock_record, name),
                                          FIELDS(struct clock_record, tick_ns, overhead_ns),
                                          {0}};
const struct wire_field timing_fields[] = {
    FIELDS_AS(FIELD_LINE, struct case_record, clock, launched),
    FIELDS(struct case_record, iterations, tick_ns, overhead_ns),
    FIELDS(struct case_record, offset_ns, offset_error_ns, graph_ns, is_dithered),
    FIELDS_AS(FIELD_PRINTABLE, struct case_record, reading_note),
    {0}};
const struct wire_field pace_fields[] = {FIELDS(struct pace_record, gap_ns, load_ns, waited_ns,
                                                clock_mean_hz, clock_low_hz, clock_high_hz,
                                                is_missed),
                                         {0}};
const struct wire_field interference_fields[] = {FIELDS(struct interference_record, is_known,
                                                        sampled_ns, own_cpu_ns, others_cpu_ns,
                                                        stolen_ns, waited_cpu_ns, n_preempted),
                                                 {0}};
const struct wire_field case_end_fields[] = {
    FIELDS(struct case_end, record, status, text, is_spent, traces), {0}};

void put_summary(struct wire_writer *writer, const char *name, const struct verify_result *result)
{
    wire_put_text(writer, name);
    wire_put_u64(writer, result->n);
    wire_put_u64(writer, result->n_exact);
    wire_put_u64(writer, result->n_overflowed);
    wire_put_u64(writer, result->n_nan);
    wire_put_u64(writer, result->n_infinite_mismatch);
    wire_put_u64(writer, result->n_zero_mismatch);
    wire_put_f64(writer, result->floor);
    for (int i = 0; i < VERIFY_CLASSES; i++) {
        wire_put_u64(writer, result->histogram[i]);
        wire_put_u64(writer, result->above_floor[i]);
    }
}

void get_summary(struct wire_reader *reader, struct arena *arena, struct check_summary_record *ret)
{
    *ret = (struct check_summary_record){.name = wire_get_line(reader, arena)};
    ret->n = wire_get_u64(reader);
    uint64_t *const counts[] = {&ret->n_exact, &ret->n_overflowed, &ret->n_nan,
                                &ret->n_infinite_mismatch, &ret->n_zero_mismatch};
    bool is_sound = ret->n <= INT64_MAX; /* what the results file can hold */
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        *counts[i] = wire_get_u64(reader);
        is_sound = is_sound && *counts[i] <= ret->n;
    }
    ret->floor = wire_get_f64(reader);
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

static const struct wire_field series_fields[] = {
    FIELDS_AS(FIELD_LINE, struct series_record, name, unit),
    FIELDS(struct series_record, n, n_refused, min, max, mean, stdev, error_ratio),
    {0}};

void put_series(struct wire_writer *writer, const struct series_record *series)
{
    wire_put_fields(writer, series_fields, series);
    wire_put_f64s(writer, (const double *)series->bins, 2 * series->n_bins);
}

void get_series(struct wire_reader *reader, struct arena *arena, struct series_record *ret)
{
    uint64_t n_numbers = 0;
    *ret = (struct series_record){0};
    wire_get_fields(reader, arena, series_fields, ret);
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

static const struct wire_field estimate_fields[] = {
    FIELDS(struct gb_estimate, verdict, value_ns, low_ns, high_ns, confidence, statistic, n,
           n_discarded),
    FIELDS(struct gb_estimate, n_effective, detectable_mode_weight, note),
    {0}};
static const struct wire_field mode_fields[] = {
    FIELDS(struct gb_mode, median_ns, low_ns, high_ns, weight), {0}};

void put_estimate(struct wire_writer *writer, const struct gb_estimate *estimate)
{
    wire_put_fields(writer, estimate_fields, estimate);
    wire_put_u32(writer, estimate->n_modes);
    for (uint32_t i = 0; i < estimate->n_modes; i++)
        wire_put_fields(writer, mode_fields, &estimate->modes[i]);
}

void get_estimate(struct wire_reader *reader, struct gb_estimate *ret)
{
    *ret = (struct gb_estimate){.size = sizeof *ret};
    wire_get_fields(reader, NULL, estimate_fields, ret);
    ret->n_modes = wire_get_count(reader, wire_fields_bytes(mode_fields));
    if (ret->n_modes > GB_MODES_MAX) {
        ret->n_modes = 0;
        reader->failed = true;
    }
    for (uint32_t i = 0; i < ret->n_modes; i++)
        wire_get_fields(reader, NULL, mode_fields, &ret->modes[i]);
}
