/* messages.c - see messages.h. */
#include "core/run/messages.h"

#include <stdio.h>
#include <string.h>

static void put_option(struct wire_writer *writer, const struct gb_option *option)
{
    wire_put_u32(writer, option->type);
    wire_put_u32(writer, option->flags);
    wire_put_u64(writer, option->offset);
    wire_put_text(writer, option->name);
    wire_put_text(writer, option->default_value);
    wire_put_text(writer, option->range);
    wire_put_text(writer, option->unit);
    wire_put_text(writer, option->help);
    uint32_t n = option->choices ? option->n_choices : 0;
    wire_put_u32(writer, n);
    for (uint32_t i = 0; i < n; i++)
        wire_put_text(writer, option->choices[i]);
}

static void get_option(struct wire_reader *reader, struct arena *arena, struct gb_option *ret)
{
    ret->size = sizeof *ret;
    ret->type = wire_get_u32(reader);
    ret->flags = wire_get_u32(reader);
    ret->offset = wire_get_u64(reader);
    ret->name = wire_get_word(reader, arena);
    ret->default_value = wire_get_text(reader, arena);
    ret->range = wire_get_text(reader, arena);
    ret->unit = wire_get_text(reader, arena);
    ret->help = wire_get_text(reader, arena);
    ret->n_choices = wire_get_count(reader, 4);
    const char **choices = ARENA_ARRAY(arena, const char *, ret->n_choices);
    for (uint32_t i = 0; i < ret->n_choices; i++)
        choices[i] = wire_get_word(reader, arena);
    ret->choices = ret->n_choices ? choices : NULL;
}

void put_plugin(struct wire_writer *writer, const struct gb_plugin *plugin)
{
    wire_put_u32(writer, plugin->kind);
    wire_put_text(writer, plugin->id);
    wire_put_text(writer, plugin->version);
    wire_put_text(writer, plugin->summary);
    wire_put_text(writer, plugin->help);
    wire_put_text(writer, plugin->devices);
    wire_put_u64(writer, plugin->params_size);
    const struct gb_bench_ops *ops = plugin->kind == GB_PLUGIN_BENCH ? plugin->ops : NULL;
    bool validates = ops && plugin->extension && plugin->extension(GB_VALIDATION);
    uint32_t flags = ops ? ops->flags & ~PLUGIN_VALIDATES : 0;
    wire_put_u32(writer, flags | (validates ? PLUGIN_VALIDATES : 0));
    struct option_table table = option_table_of(plugin);
    wire_put_u32(writer, table.n);
    for (uint32_t i = 0; i < table.n; i++)
        put_option(writer, option_at(table, i));
}

void get_plugin(struct wire_reader *reader, struct arena *arena, struct gb_plugin *ret,
                uint32_t *ret_flags)
{
    *ret = (struct gb_plugin){.size = sizeof *ret};
    ret->kind = wire_get_u32(reader);
    ret->id = wire_get_word(reader, arena);
    ret->version = wire_get_word(reader, arena);
    ret->summary = wire_get_word(reader, arena);
    ret->help = wire_get_text(reader, arena);
    ret->devices = wire_get_text(reader, arena);
    ret->params_size = wire_get_u64(reader);
    *ret_flags = wire_get_u32(reader);
    ret->n_options = wire_get_count(reader, 44);
    struct gb_option *options = ARENA_ARRAY(arena, struct gb_option, ret->n_options);
    for (uint32_t i = 0; i < ret->n_options; i++)
        get_option(reader, arena, &options[i]);
    ret->options = ret->n_options ? options : NULL;
}

static void put_settings(struct wire_writer *writer, const struct setting *settings, size_t n)
{
    wire_put_u32(writer, (uint32_t)n);
    for (size_t i = 0; i < n; i++) {
        wire_put_text(writer, settings[i].key);
        wire_put_text(writer, settings[i].text);
    }
}

static struct setting *get_settings(struct wire_reader *reader, struct arena *arena, size_t *ret_n)
{
    *ret_n = wire_get_count(reader, 8);
    struct setting *settings = ARENA_ARRAY(arena, struct setting, *ret_n);
    for (size_t i = 0; i < *ret_n; i++) {
        settings[i].key = wire_get_word(reader, arena);
        settings[i].text = wire_get_word(reader, arena);
    }
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
    info->path = wire_get_word(reader, arena);
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

static void put_common(struct wire_writer *writer, const struct common_params *common)
{
    wire_put_u32(writer, (uint32_t)common->cache);
    wire_put_u32(writer, (uint32_t)common->launch);
    wire_put_text(writer, common->clock);
    wire_put_text(writer, common->counters);
    wire_put_u64(writer, (uint64_t)common->iterations);
    wire_put_f64(writer, common->warmup_ns);
    wire_put_u64(writer, (uint64_t)common->min_samples);
    wire_put_u64(writer, (uint64_t)common->max_samples);
    wire_put_f64(writer, common->max_time_ns);
    wire_put_f64(writer, common->time_limit_ns);
    wire_put_f64(writer, common->check_floor);
    wire_put_f64(writer, common->check_safety);
    wire_put_u32(writer, (uint32_t)common->check_bound_kind);
    wire_put_u32(writer, (uint32_t)common->check_allow_overflow);
    wire_put_text(writer, common->check_dump);
    wire_put_u32(writer, (uint32_t)common->check_dump_always);
}

static void get_common(struct wire_reader *reader, struct arena *arena, struct common_params *ret)
{
    ret->cache = (int32_t)wire_get_u32(reader);
    ret->launch = (int32_t)wire_get_u32(reader);
    ret->clock = wire_get_word(reader, arena);
    ret->counters = wire_get_word(reader, arena);
    ret->iterations = (int64_t)wire_get_u64(reader);
    ret->warmup_ns = wire_get_f64(reader);
    ret->min_samples = (int64_t)wire_get_u64(reader);
    ret->max_samples = (int64_t)wire_get_u64(reader);
    ret->max_time_ns = wire_get_f64(reader);
    ret->time_limit_ns = wire_get_f64(reader);
    ret->check_floor = wire_get_f64(reader);
    ret->check_safety = wire_get_f64(reader);
    ret->check_bound_kind = (int32_t)wire_get_u32(reader);
    ret->check_allow_overflow = wire_get_u32(reader) != 0;
    ret->check_dump = wire_get_word(reader, arena);
    ret->check_dump_always = wire_get_u32(reader) != 0;
}

void put_case(struct wire_writer *writer, const struct bench_case *bench_case, const char *label)
{
    wire_put_text(writer, label);
    wire_put_text(writer, bench_case->bench);
    wire_put_u64(writer, bench_case->seed);
    wire_put_text(writer, bench_case->folder);
    wire_put_text(writer, bench_case->uid);
    put_plugin_name(writer, bench_case->info);
    put_settings(writer, bench_case->settings, bench_case->n_settings);
    put_common(writer, &bench_case->common);
    put_plugin_settings(writer, bench_case->policy);
    put_plugin_settings(writer, bench_case->device.settings);
    wire_put_u32(writer, (uint32_t)bench_case->device.index);
    wire_put_u32(writer, (uint32_t)bench_case->n_tolerances);
    for (size_t i = 0; i < bench_case->n_tolerances; i++) {
        wire_put_text(writer, bench_case->tolerances[i].metric);
        wire_put_f64(writer, bench_case->tolerances[i].tolerance);
    }
}

void get_case(struct wire_reader *reader, struct arena *arena, struct bench_case *ret,
              const char **ret_label)
{
    *ret = (struct bench_case){0};
    *ret_label = wire_get_word(reader, arena);
    ret->bench = wire_get_word(reader, arena);
    ret->seed = wire_get_u64(reader);
    ret->folder = wire_get_word(reader, arena);
    ret->uid = wire_get_word(reader, arena);
    ret->info = get_plugin_name(reader, arena, GB_PLUGIN_BENCH);
    ret->settings = get_settings(reader, arena, &ret->n_settings);
    get_common(reader, arena, &ret->common);
    struct plugin_settings *policy = ARENA_NEW(arena, struct plugin_settings);
    get_plugin_settings(reader, arena, GB_PLUGIN_POLICY, policy);
    ret->policy = policy;
    struct plugin_settings *device = ARENA_NEW(arena, struct plugin_settings);
    get_plugin_settings(reader, arena, GB_PLUGIN_DEVICE, device);
    ret->device.settings = device;
    ret->device.index = (int32_t)wire_get_u32(reader);
    ret->n_tolerances = wire_get_count(reader, 12);
    ret->tolerances = ARENA_ARRAY(arena, struct check_tolerance, ret->n_tolerances);
    for (size_t i = 0; i < ret->n_tolerances; i++) {
        ret->tolerances[i].metric = wire_get_word(reader, arena);
        ret->tolerances[i].tolerance = wire_get_f64(reader);
    }
}

void put_device_info(struct wire_writer *writer, const struct gb_device_info *info)
{
    wire_put_u32(writer, info->index);
    wire_put_text(writer, info->backend);
    wire_put_text(writer, info->model);
    wire_put_text(writer, info->uuid);
    wire_put_u64(writer, info->memory_bytes);
    wire_put_u64(writer, info->cache_bytes);
    wire_put_u32(writer, info->n_units);
}

void get_device_info(struct wire_reader *reader, struct gb_device_info *ret)
{
    *ret = (struct gb_device_info){.size = sizeof *ret};
    ret->index = wire_get_u32(reader);
    wire_get_chars(reader, ret->backend, sizeof ret->backend);
    wire_get_chars(reader, ret->model, sizeof ret->model);
    wire_get_chars(reader, ret->uuid, sizeof ret->uuid);
    ret->memory_bytes = wire_get_u64(reader);
    ret->cache_bytes = wire_get_u64(reader);
    ret->n_units = wire_get_u32(reader);
}

void put_work(struct wire_writer *writer, const struct gb_work *work)
{
    wire_put_f64(writer, work->flops);
    wire_put_f64(writer, work->bytes_read);
    wire_put_f64(writer, work->bytes_written);
    wire_put_f64(writer, work->items);
    wire_put_text(writer, work->item);
    wire_put_u32(writer, work->math_format);
    wire_put_u32(writer, work->math_unit);
}

void get_work(struct wire_reader *reader, struct arena *arena, struct gb_work *ret)
{
    *ret = (struct gb_work){.size = sizeof *ret};
    ret->flops = wire_get_f64(reader);
    ret->bytes_read = wire_get_f64(reader);
    ret->bytes_written = wire_get_f64(reader);
    ret->items = wire_get_f64(reader);
    ret->item = wire_get_text(reader, arena);
    ret->math_format = wire_get_u32(reader);
    ret->math_unit = wire_get_u32(reader);
}

void put_telemetry(struct wire_writer *writer, uint32_t moment,
                   const struct telemetry_record *telemetry)
{
    const struct gb_telemetry *values = &telemetry->values;
    wire_put_u32(writer, moment);
    wire_put_f64(writer, telemetry->elapsed_ns);
    wire_put_u64(writer, telemetry->iterations);
    wire_put_f64(writer, values->clock_hz);
    wire_put_f64(writer, values->memory_clock_hz);
    wire_put_f64(writer, values->temperature_celsius);
    wire_put_f64(writer, values->power_watts);
    wire_put_f64(writer, values->energy_joules);
    wire_put_u64(writer, values->throttle);
    wire_put_text(writer, values->throttle_text);
}

void get_telemetry(struct wire_reader *reader, uint32_t *ret_moment, struct telemetry_record *ret)
{
    struct gb_telemetry *values = &ret->values;
    *ret = (struct telemetry_record){.values.size = sizeof *values};
    *ret_moment = wire_get_u32(reader);
    ret->elapsed_ns = wire_get_f64(reader);
    ret->iterations = wire_get_u64(reader);
    values->clock_hz = wire_get_f64(reader);
    values->memory_clock_hz = wire_get_f64(reader);
    values->temperature_celsius = wire_get_f64(reader);
    values->power_watts = wire_get_f64(reader);
    values->energy_joules = wire_get_f64(reader);
    values->throttle = wire_get_u64(reader);
    wire_get_chars(reader, values->throttle_text, sizeof values->throttle_text);
    ret->is_known = true;
    if (*ret_moment >= TELEMETRY_MOMENTS) {
        *ret_moment = 0;
        reader->failed = true;
    }
}

enum { FINDING_TEXT_MAX = 400 };

static void put_finding_text(struct wire_writer *writer, const char *text)
{
    char cut[FINDING_TEXT_MAX + 1];
    snprintf(cut, sizeof cut, "%s", text ? text : "");
    wire_put_text(writer, cut);
}

void put_finding(struct wire_writer *writer, const char *device, const struct gb_finding *finding)
{
    put_finding_text(writer, device);
    wire_put_u32(writer, finding->is_noisy != 0);
    put_finding_text(writer, finding->subject);
    put_finding_text(writer, finding->state);
    put_finding_text(writer, finding->why);
    put_finding_text(writer, finding->cure);
}

static const char *get_finding_text(struct wire_reader *reader, struct arena *arena)
{
    struct arena scratch = {0};
    const char *text = wire_get_word(reader, &scratch);
    size_t length = strlen(text);
    if (length > FINDING_TEXT_MAX) {
        reader->failed = true;
        length = 0;
    }
    char *copy = arena_text_n(arena, text, length);
    for (size_t i = 0; i < length; i++)
        if ((unsigned char)copy[i] < 0x20 || copy[i] == 0x7F)
            copy[i] = ' ';
    arena_free(&scratch);
    return copy;
}

void get_finding(struct wire_reader *reader, struct arena *arena, const char **ret_device,
                 struct finding *ret)
{
    *ret_device = get_finding_text(reader, arena);
    ret->is_noisy = wire_get_u32(reader) != 0;
    ret->subject = get_finding_text(reader, arena);
    ret->state = get_finding_text(reader, arena);
    ret->why = get_finding_text(reader, arena);
    ret->cure = get_finding_text(reader, arena);
}

/* Plugins' texts: cut, and without what a terminal would take for a command. */
void put_counter(struct wire_writer *writer, const struct gb_counter *counter)
{
    put_finding_text(writer, counter->name);
    put_finding_text(writer, counter->unit);
    put_finding_text(writer, counter->help);
}

void get_counter(struct wire_reader *reader, struct arena *arena, struct gb_counter *ret)
{
    *ret = (struct gb_counter){.size = sizeof *ret};
    ret->name = get_finding_text(reader, arena);
    ret->unit = get_finding_text(reader, arena);
    ret->help = get_finding_text(reader, arena);
}

void put_summary(struct wire_writer *writer, const char *name, const struct verify_result *result)
{
    wire_put_text(writer, name);
    wire_put_u64(writer, result->n);
    wire_put_u64(writer, result->n_exact);
    wire_put_u64(writer, result->n_overflowed);
    wire_put_u64(writer, result->n_nan);
    wire_put_u64(writer, result->n_infinite_mismatch);
    wire_put_u64(writer, result->n_zero_mismatch);
    for (int i = 0; i < VERIFY_CLASSES; i++)
        wire_put_u64(writer, result->histogram[i]);
}

void get_summary(struct wire_reader *reader, struct arena *arena, struct check_summary_record *ret)
{
    *ret = (struct check_summary_record){.name = wire_get_word(reader, arena)};
    ret->n = wire_get_u64(reader);
    uint64_t *const counts[] = {&ret->n_exact, &ret->n_overflowed, &ret->n_nan,
                                &ret->n_infinite_mismatch, &ret->n_zero_mismatch};
    bool is_sound = ret->n <= INT64_MAX; /* what the results file can hold */
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        *counts[i] = wire_get_u64(reader);
        is_sound = is_sound && *counts[i] <= ret->n;
    }
    uint64_t left = ret->n;
    for (int i = 0; i < VERIFY_CLASSES; i++) {
        ret->histogram[i] = wire_get_u64(reader);
        is_sound = is_sound && ret->histogram[i] <= left;
        left -= ret->histogram[i];
    }
    if (!is_sound || left != 0)
        reader->failed = true;
}

void put_estimate(struct wire_writer *writer, const struct gb_estimate *estimate)
{
    wire_put_u32(writer, (uint32_t)estimate->verdict);
    wire_put_f64(writer, estimate->value_ns);
    wire_put_f64(writer, estimate->low_ns);
    wire_put_f64(writer, estimate->high_ns);
    wire_put_f64(writer, estimate->confidence);
    wire_put_text(writer, estimate->statistic);
    wire_put_u64(writer, estimate->n);
    wire_put_u64(writer, estimate->n_discarded);
    wire_put_f64(writer, estimate->n_effective);
    wire_put_f64(writer, estimate->excluded_mode_weight);
    wire_put_u32(writer, estimate->n_modes);
    for (uint32_t i = 0; i < estimate->n_modes; i++) {
        wire_put_f64(writer, estimate->modes[i].median_ns);
        wire_put_f64(writer, estimate->modes[i].low_ns);
        wire_put_f64(writer, estimate->modes[i].high_ns);
        wire_put_f64(writer, estimate->modes[i].weight);
    }
}

void get_estimate(struct wire_reader *reader, struct gb_estimate *ret)
{
    *ret = (struct gb_estimate){.size = sizeof *ret};
    ret->verdict = (int32_t)wire_get_u32(reader);
    ret->value_ns = wire_get_f64(reader);
    ret->low_ns = wire_get_f64(reader);
    ret->high_ns = wire_get_f64(reader);
    ret->confidence = wire_get_f64(reader);
    wire_get_chars(reader, ret->statistic, sizeof ret->statistic);
    ret->n = wire_get_u64(reader);
    ret->n_discarded = wire_get_u64(reader);
    ret->n_effective = wire_get_f64(reader);
    ret->excluded_mode_weight = wire_get_f64(reader);
    ret->n_modes = wire_get_count(reader, 32);
    if (ret->n_modes > GB_MODES_MAX) {
        ret->n_modes = 0;
        reader->failed = true;
    }
    for (uint32_t i = 0; i < ret->n_modes; i++) {
        ret->modes[i].median_ns = wire_get_f64(reader);
        ret->modes[i].low_ns = wire_get_f64(reader);
        ret->modes[i].high_ns = wire_get_f64(reader);
        ret->modes[i].weight = wire_get_f64(reader);
    }
}
