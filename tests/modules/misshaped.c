/*
 * misshaped.c - a module with a benchmark, a device and a policy whose descriptions, tables or
 * functions have the defect that a copy of it is named after: NAME.so. gbrun must say which it is
 * and of what, run nothing of it, and crash on none. As misshaped.so it is sound.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <gbrun/gbrun.h>
#include <string.h>

struct params {
    int64_t number;
    int32_t word;
};

static const char *words[] = {"one", "two"};
static struct gb_option options[] = {
    GB_INT(struct params, number, "1", "0:9", "things", "a number"),
    GB_CHOICE(struct params, word, "one", words, "a word"),
};

static int32_t create(const struct gb_host *host, const void *params, void **ret_bench)
{
    (void)params;
    *ret_bench = host->allocate(host, 8);
    return *ret_bench ? GB_OK : GB_NO_MEMORY;
}

static int32_t run(void *bench, const struct gb_queue *queue, uint64_t iterations)
{
    (void)bench, (void)queue, (void)iterations;
    return GB_OK;
}

static const void *crash(const char *id)
{
    return *id == 'g' ? *(void *volatile *)NULL : NULL;
}

static struct gb_bench_ops bench_ops = {.size = sizeof bench_ops, .create = create, .run = run};
static struct gb_policy_ops policy_ops = {.size = sizeof policy_ops, .create = create};
static struct gb_device_ops device_ops = {.size = sizeof device_ops};
static struct gb_plugin bench = {GB_PLUGIN(BENCH, "misshaped", "1.0", "has a defect"),
                                 GB_OPTIONS(options, struct params), .ops = &bench_ops};
static struct gb_plugin second = {GB_PLUGIN(BENCH, "second", "1.0", "has none"), .ops = &bench_ops};
static const struct gb_plugin *plugins[] = {&bench, &second, &second};
static struct gb_module module = {
    .size = sizeof module, .abi_major = GB_ABI_MAJOR, .n_plugins = 2, .plugins = plugins};

static const char *long_text(void)
{
    static char text[4 << 20];
    memset(text, 'w', sizeof text - 1);
    return text;
}

/* X(name, what is done to a sound module) */
#define SHAPES(X)                                                                                  \
    X(size_0, module.size = 0)                                                                     \
    X(size_short, module.size = offsetof(struct gb_module, plugins))                               \
    X(size_huge, module.size = UINT32_MAX)                                                         \
    X(abi_0, module.abi_major = 0)                                                                 \
    X(abi_2, module.abi_major = 2)                                                                 \
    X(abi_minor_last, module.abi_minor = UINT32_MAX)                                               \
    X(no_plugins, module.n_plugins = 0)                                                            \
    X(all_plugins, module.n_plugins = UINT32_MAX)                                                  \
    X(null_plugins, module.plugins = NULL)                                                         \
    X(null_plugin, plugins[0] = NULL)                                                              \
    X(dangling_plugin, plugins[0] = (const struct gb_plugin *)0x7EADBEEF0)                         \
    X(twice, module.n_plugins = 3)                                                                 \
    X(plugin_size_0, bench.size = 0)                                                               \
    X(plugin_size_short, bench.size = offsetof(struct gb_plugin, ops))                             \
    X(plugin_size_huge, bench.size = UINT32_MAX)                                                   \
    X(kind_0, bench.kind = 0)                                                                      \
    X(kind_77, bench.kind = 77)                                                                    \
    X(id_null, bench.id = NULL)                                                                    \
    X(id_empty, bench.id = "")                                                                     \
    X(id_capital, bench.id = "Mis shaped")                                                         \
    X(id_digit, bench.id = "9lives")                                                               \
    X(id_controls, bench.id = "\033[2J")                                                           \
    X(id_41, bench.id = "a2345678901234567890123456789012345678901")                               \
    X(id_megabytes, bench.id = long_text())                                                        \
    X(id_dangling, bench.id = (const char *)0x7EADBEEF0)                                           \
    X(version_null, bench.version = NULL)                                                          \
    X(version_megabytes, bench.version = long_text())                                              \
    X(summary_null, bench.summary = NULL)                                                          \
    X(summary_controls, bench.summary = "\033[2J\n\xff")                                           \
    X(help_megabytes, bench.help = long_text())                                                    \
    X(devices_megabytes, bench.devices = long_text())                                              \
    X(ops_null, bench.ops = NULL)                                                                  \
    X(ops_size_0, bench_ops.size = 0)                                                              \
    X(ops_size_short, bench_ops.size = offsetof(struct gb_bench_ops, run))                         \
    X(no_create, bench_ops.create = NULL)                                                          \
    X(no_run, bench_ops.run = NULL)                                                                \
    X(policy_functions, (bench.kind = GB_PLUGIN_POLICY, bench.ops = &policy_ops))                  \
    X(device_functions, (bench.kind = GB_PLUGIN_DEVICE, bench.ops = &device_ops))                  \
    X(extension_crashes, bench.extension = crash)                                                  \
    X(options_null, bench.options = NULL)                                                          \
    X(options_many, bench.n_options = UINT32_MAX)                                                  \
    X(params_size_0, bench.params_size = 0)                                                        \
    X(params_size_huge, bench.params_size = UINT64_MAX)                                            \
    X(option_size_0, options[0].size = 0)                                                          \
    X(option_size_8, options[0].size = 8)                                                          \
    X(option_size_odd, options[0].size = sizeof *options + 1)                                      \
    X(option_sizes_differ, options[1].size = 4 * sizeof *options)                                  \
    X(option_type_77, options[0].type = 77)                                                        \
    X(option_offset_outside, options[0].offset = 4096)                                             \
    X(option_offset_across, options[0].offset = sizeof(struct params) - 4)                         \
    X(option_offset_wraps, options[0].offset = UINT64_MAX - 3)                                     \
    X(option_offset_odd, options[0].offset = 3)                                                    \
    X(option_offsets_overlap, options[1].offset = 0)                                               \
    X(option_name_null, options[0].name = NULL)                                                    \
    X(option_name_dot, options[0].name = "num.ber")                                                \
    X(option_name_reserved, options[0].name = "policy")                                            \
    X(option_name_twice, options[0].name = "word")                                                 \
    X(option_default_null_text, options[0].default_value = "\033[2J")                              \
    X(option_default_word, options[0].default_value = "many")                                      \
    X(option_default_outside, options[0].default_value = "10")                                     \
    X(option_range_reversed, options[0].range = "5:1")                                             \
    X(option_range_word, options[0].range = "few:many")                                            \
    X(option_unit_controls, options[0].unit = "a\nb")                                              \
    X(option_help_null, options[0].help = NULL)                                                    \
    X(option_choices_null, options[1].choices = NULL)                                              \
    X(option_choices_none, options[1].n_choices = 0)                                               \
    X(option_choices_all, options[1].n_choices = UINT32_MAX)                                       \
    X(option_choice_null, words[1] = NULL)                                                         \
    X(option_choice_twice, words[1] = "one")                                                       \
    X(option_choice_blank, words[1] = "a,b")                                                       \
    X(option_template, options[0].flags = GB_OPTION_TEMPLATE)

/* The file is named after the shape, or has none. */
static int is_named(const char *name)
{
    Dl_info info = {0};
    dladdr(&module, &info);
    const char *base = info.dli_fname ? strrchr(info.dli_fname, '/') : NULL;
    return base && strncmp(base + 1, name, strlen(name)) == 0 &&
           strcmp(base + 1 + strlen(name), ".so") == 0;
}

GB_EXPORT const struct gb_module *gb_module_v1(void)
{
#define SHAPE(name, act)                                                                           \
    if (is_named(#name))                                                                           \
        act;
    SHAPES(SHAPE)
    return &module;
}
