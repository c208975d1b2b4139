/*
 * bad_tables.c - many plugins in one module, each with one defect in its descriptor or its option
 * table, and a last one, `sound`, with none. gbrun must name each defect and its plugin, run none
 * of them, and crash on none.
 */
#include <gbrun/gbrun.h>

struct params {
    int64_t number;
    int32_t word;
};

static int32_t create(const struct gb_host *host, const void *params, void **ret_bench)
{
    (void)params;
    *ret_bench = host->allocate(host, 8);
    return *ret_bench ? GB_OK : GB_NO_MEMORY;
}

static int32_t run(void *bench, const struct gb_queue *queue, uint64_t iterations)
{
    (void)bench;
    (void)queue;
    (void)iterations;
    return GB_OK;
}

static void destroy(void *bench)
{
    (void)bench;
}

static const struct gb_bench_ops ops = {
    .size = sizeof ops,
    .create = create,
    .run = run,
    .destroy = destroy,
};

static const struct gb_bench_ops ops_without_run = {
    .size = sizeof ops_without_run,
    .create = create,
    .destroy = destroy,
};
static const struct gb_bench_ops ops_without_create = {
    .size = sizeof ops_without_create,
    .run = run,
    .destroy = destroy,
};
static const struct gb_bench_ops short_ops = {
    .size = offsetof(struct gb_bench_ops, run),
    .create = create,
    .run = run,
    .destroy = destroy,
};

/* Each a table of one option: size, type, flags, n_choices, offset, name, default, range, choices,
 * unit, help. */
#define ONE_OPTION(table, type, n_choices, offset, name, default_value, range)                     \
    static const struct gb_option table[] = {{sizeof(struct gb_option), type, 0, n_choices,        \
                                              offset, name, default_value, range, NULL, NULL,      \
                                              "has a defect"}}
ONE_OPTION(offset_outside, GB_TYPE_INT, 0, 4096, "number", "1", NULL);
ONE_OPTION(offset_straddles, GB_TYPE_INT, 0, sizeof(struct params) - 4, "number", "1", NULL);
ONE_OPTION(null_option_name, GB_TYPE_INT, 0, 0, NULL, "1", NULL);
ONE_OPTION(bad_option_name, GB_TYPE_INT, 0, 0, "num.ber", "1", NULL);
ONE_OPTION(bad_default, GB_TYPE_INT, 0, 0, "number", "many", NULL);
ONE_OPTION(default_outside, GB_TYPE_INT, 0, 0, "number", "7", "1:5");
ONE_OPTION(bad_range, GB_TYPE_INT, 0, 0, "number", "3", "5:1");
ONE_OPTION(no_choices, GB_TYPE_CHOICE, 0, offsetof(struct params, word), "word", "a", NULL);
ONE_OPTION(unknown_type, 77, 0, 0, "number", "1", NULL);
ONE_OPTION(reserved_name, GB_TYPE_INT, 0, 0, "policy", "1", NULL);
static const struct gb_option same_option_twice[] = {
    GB_INT(struct params, number, "1", NULL, NULL, "is there twice"),
    GB_INT(struct params, number, "2", NULL, NULL, "is there twice"),
};
static const struct gb_option small_option[] = {
    {8, GB_TYPE_INT, 0, 0, 0, "number", "1", NULL, NULL, NULL, "ends before its name"},
};

static const struct gb_plugin plugin_null_id = {
    .size = sizeof(struct gb_plugin),
    .kind = GB_PLUGIN_BENCH,
    .id = NULL,
    .version = "1.0",
    .summary = "id is NULL",
    .ops = &ops,
};
static const struct gb_plugin plugin_bad_id_capital = {
    .size = sizeof(struct gb_plugin),
    .kind = GB_PLUGIN_BENCH,
    .id = "Bad id",
    .version = "1.0",
    .summary = "id has a capital letter and a blank",
    .ops = &ops,
};
static const struct gb_plugin plugin_bad_id_digit = {
    .size = sizeof(struct gb_plugin),
    .kind = GB_PLUGIN_BENCH,
    .id = "9lives",
    .version = "1.0",
    .summary = "id begins with a digit",
    .ops = &ops,
};
static const struct gb_plugin plugin_long_id = {
    .size = sizeof(struct gb_plugin),
    .kind = GB_PLUGIN_BENCH,
    .id = "a2345678901234567890123456789012345678901",
    .version = "1.0",
    .summary = "id has 41 bytes",
    .ops = &ops,
};
static const struct gb_plugin plugin_duplicate = {
    .size = sizeof(struct gb_plugin),
    .kind = GB_PLUGIN_BENCH,
    .id = "duplicate",
    .version = "1.0",
    .summary = "id occurs twice",
    .ops = &ops,
};
static const struct gb_plugin plugin_duplicate_again = {
    .size = sizeof(struct gb_plugin),
    .kind = GB_PLUGIN_BENCH,
    .id = "duplicate",
    .version = "1.0",
    .summary = "the other one of that id",
    .ops = &ops,
};
static const struct gb_plugin plugin_no_ops = {
    .size = sizeof(struct gb_plugin),
    .kind = GB_PLUGIN_BENCH,
    .id = "no_ops",
    .version = "1.0",
    .summary = "ops is NULL",
    .ops = NULL,
};
static const struct gb_plugin plugin_no_run = {
    .size = sizeof(struct gb_plugin),
    .kind = GB_PLUGIN_BENCH,
    .id = "no_run",
    .version = "1.0",
    .summary = "ops lacks run",
    .ops = &ops_without_run,
};
static const struct gb_plugin plugin_no_create = {
    .size = sizeof(struct gb_plugin),
    .kind = GB_PLUGIN_BENCH,
    .id = "no_create",
    .version = "1.0",
    .summary = "ops lacks create",
    .ops = &ops_without_create,
};
static const struct gb_plugin plugin_short_ops = {
    .size = sizeof(struct gb_plugin),
    .kind = GB_PLUGIN_BENCH,
    .id = "short_ops",
    .version = "1.0",
    .summary = "ops end before run",
    .ops = &short_ops,
};
static const struct gb_plugin plugin_unknown_kind = {
    .size = sizeof(struct gb_plugin),
    .kind = 77,
    .id = "unknown_kind",
    .version = "1.0",
    .summary = "kind 77",
    .ops = &ops,
};
static const struct gb_plugin plugin_no_summary = {
    .size = sizeof(struct gb_plugin),
    .kind = GB_PLUGIN_BENCH,
    .id = "no_summary",
    .version = "1.0",
    .summary = NULL,
    .ops = &ops,
};
static const struct gb_plugin plugin_no_version = {
    .size = sizeof(struct gb_plugin),
    .kind = GB_PLUGIN_BENCH,
    .id = "no_version",
    .version = NULL,
    .summary = "version is NULL",
    .ops = &ops,
};
static const struct gb_plugin plugin_short_plugin = {
    .size = 24,
    .kind = GB_PLUGIN_BENCH,
    .id = "short_plugin",
    .version = "1.0",
    .summary = "the struct ends before ops",
    .ops = &ops,
};
static const struct gb_plugin plugin_offset_outside = {
    .size = sizeof(struct gb_plugin),
    .kind = GB_PLUGIN_BENCH,
    .id = "offset_outside",
    .version = "1.0",
    .summary = "an option's member lies outside of the params",
    GB_OPTIONS(offset_outside, struct params),
    .ops = &ops,
};
static const struct gb_plugin plugin_offset_straddles = {
    .size = sizeof(struct gb_plugin),
    .kind = GB_PLUGIN_BENCH,
    .id = "offset_straddles",
    .version = "1.0",
    .summary = "an option's member begins inside of the params and ends outside",
    GB_OPTIONS(offset_straddles, struct params),
    .ops = &ops,
};
static const struct gb_plugin plugin_null_option_name = {
    .size = sizeof(struct gb_plugin),
    .kind = GB_PLUGIN_BENCH,
    .id = "null_option_name",
    .version = "1.0",
    .summary = "an option without a name",
    GB_OPTIONS(null_option_name, struct params),
    .ops = &ops,
};
static const struct gb_plugin plugin_bad_option_name = {
    .size = sizeof(struct gb_plugin),
    .kind = GB_PLUGIN_BENCH,
    .id = "bad_option_name",
    .version = "1.0",
    .summary = "an option's name has a dot",
    GB_OPTIONS(bad_option_name, struct params),
    .ops = &ops,
};
static const struct gb_plugin plugin_same_option_twice = {
    .size = sizeof(struct gb_plugin),
    .kind = GB_PLUGIN_BENCH,
    .id = "same_option_twice",
    .version = "1.0",
    .summary = "two options of one name",
    GB_OPTIONS(same_option_twice, struct params),
    .ops = &ops,
};
static const struct gb_plugin plugin_bad_default = {
    .size = sizeof(struct gb_plugin),
    .kind = GB_PLUGIN_BENCH,
    .id = "bad_default",
    .version = "1.0",
    .summary = "a default that its own type refuses",
    GB_OPTIONS(bad_default, struct params),
    .ops = &ops,
};
static const struct gb_plugin plugin_default_outside = {
    .size = sizeof(struct gb_plugin),
    .kind = GB_PLUGIN_BENCH,
    .id = "default_outside",
    .version = "1.0",
    .summary = "a default outside of its range",
    GB_OPTIONS(default_outside, struct params),
    .ops = &ops,
};
static const struct gb_plugin plugin_bad_range = {
    .size = sizeof(struct gb_plugin),
    .kind = GB_PLUGIN_BENCH,
    .id = "bad_range",
    .version = "1.0",
    .summary = "a range whose ends are the wrong way round",
    GB_OPTIONS(bad_range, struct params),
    .ops = &ops,
};
static const struct gb_plugin plugin_no_choices = {
    .size = sizeof(struct gb_plugin),
    .kind = GB_PLUGIN_BENCH,
    .id = "no_choices",
    .version = "1.0",
    .summary = "a choice without words",
    GB_OPTIONS(no_choices, struct params),
    .ops = &ops,
};
static const struct gb_plugin plugin_unknown_type = {
    .size = sizeof(struct gb_plugin),
    .kind = GB_PLUGIN_BENCH,
    .id = "unknown_type",
    .version = "1.0",
    .summary = "an option of type 77",
    GB_OPTIONS(unknown_type, struct params),
    .ops = &ops,
};
static const struct gb_plugin plugin_null_options = {
    .size = sizeof(struct gb_plugin),
    .kind = GB_PLUGIN_BENCH,
    .id = "null_options",
    .version = "1.0",
    .summary = "3 options at NULL",
    .options = NULL,
    .n_options = 3,
    .params_size = sizeof(struct params),
    .ops = &ops,
};
static const struct gb_plugin plugin_small_option = {
    .size = sizeof(struct gb_plugin),
    .kind = GB_PLUGIN_BENCH,
    .id = "small_option",
    .version = "1.0",
    .summary = "an option struct of size 8",
    GB_OPTIONS(small_option, struct params),
    .ops = &ops,
};
static const struct gb_plugin plugin_reserved_name = {
    .size = sizeof(struct gb_plugin),
    .kind = GB_PLUGIN_BENCH,
    .id = "reserved_name",
    .version = "1.0",
    .summary = "an option named like a key that every benchmark has",
    GB_OPTIONS(reserved_name, struct params),
    .ops = &ops,
};
static const struct gb_plugin plugin_sound = {
    .size = sizeof(struct gb_plugin),
    .kind = GB_PLUGIN_BENCH,
    .id = "sound",
    .version = "1.0",
    .summary = "nothing: this one is right",
    .ops = &ops,
};

static const struct gb_plugin *const plugins[] = {
    &plugin_null_id,
    &plugin_bad_id_capital,
    &plugin_bad_id_digit,
    &plugin_long_id,
    &plugin_duplicate,
    &plugin_duplicate_again,
    &plugin_no_ops,
    &plugin_no_run,
    &plugin_no_create,
    &plugin_short_ops,
    &plugin_unknown_kind,
    &plugin_no_summary,
    &plugin_no_version,
    &plugin_short_plugin,
    &plugin_offset_outside,
    &plugin_offset_straddles,
    &plugin_null_option_name,
    &plugin_bad_option_name,
    &plugin_same_option_twice,
    &plugin_bad_default,
    &plugin_default_outside,
    &plugin_bad_range,
    &plugin_no_choices,
    &plugin_unknown_type,
    &plugin_null_options,
    &plugin_small_option,
    &plugin_reserved_name,
    &plugin_sound,
    NULL, /* and no plugin at all */
};
static const struct gb_module module = {
    .size = sizeof module,
    .abi_major = GB_ABI_MAJOR,
    .abi_minor = GB_ABI_MINOR,
    .n_plugins = sizeof plugins / sizeof plugins[0],
    .plugins = plugins,
};

const struct gb_module *gb_module_v1(void)
{
    return &module;
}
