/*
 * settings_fixture.h - a catalogue of plugins that exist only as tables, and a configuration read
 * against it.
 */
#pragma once

#include "core/base/text.h"
#include "core/config/settings.h"

#include <string.h>

struct matmul_params {
    int64_t rows, cols, streams, problems;
    int32_t dtype, check;
    uint64_t size;
    double pause, scale;
    const char *label;
    struct gb_list cores;
    int64_t threads;
    struct gb_map define;
};

static const char *const fixture_dtypes[] = {"fp32", "fp16", "bf16"};

static const struct gb_option matmul_options[] = {
    GB_INT(struct matmul_params, rows, "32", "1:65536", "rows", "Rows of the output matrix"),
    GB_INT(struct matmul_params, cols, "16", "1:65536", NULL, "Columns of the output matrix"),
    GB_INT(struct matmul_params, streams, "1", "1:1024", NULL, "Streams"),
    GB_INT(struct matmul_params, problems, "16", "1:", NULL, "Products"),
    GB_CHOICE(struct matmul_params, dtype, "fp32", fixture_dtypes, "Number format"),
    GB_BOOL(struct matmul_params, check, "yes", "Whether to check"),
    GB_BYTES(struct matmul_params, size, "1 MiB", NULL, "Size of a buffer"),
    GB_DURATION(struct matmul_params, pause, "1 ms", "0:", "Pause between products"),
    GB_FLOAT(struct matmul_params, scale, "1", NULL, NULL, "Scale of the inputs"),
    GB_STRING(struct matmul_params, label, "", "A name"),
    GB_LIST(struct matmul_params, cores, GB_TYPE_INT, "", NULL, NULL, "Cores to run on"),
    GB_OPTION_OF(GB_TYPE_INT, GB_OPTION_NOT_IDENTITY, struct matmul_params, threads, "1", "1:", 0,
                 NULL, NULL, "Threads that fill the inputs"),
    GB_MAP(struct matmul_params, define, "Macros"),
};

struct texts_params {
    const char *title, *raw;
    int64_t count;
    struct gb_map arg;
};

static const struct gb_option texts_options[] = {
    GB_INT(struct texts_params, count, "1", NULL, NULL, "A number"),
    GB_OPTION_OF(GB_TYPE_STRING, GB_OPTION_TEMPLATE, struct texts_params, title, "", NULL, 0, NULL,
                 NULL, "A template"),
    GB_STRING(struct texts_params, raw, "", "A text that is no template"),
    GB_OPTION_OF(GB_TYPE_MAP, GB_OPTION_TEMPLATE, struct texts_params, arg, "", NULL, 0, NULL, NULL,
                 "Templates"),
};

struct open_params {
    const char *call;
    struct gb_map arg;
};

static const struct gb_option open_options[] = {
    GB_STRING(struct open_params, call, "f", "A function"),
    GB_OPTION_OF(GB_TYPE_MAP, GB_OPTION_REST, struct open_params, arg, "", NULL, 0, NULL, NULL,
                 "Its arguments"),
};

/* Of plugins with one option each. */
struct small_params {
    const char *path;
    double precision;
    int64_t samples;
    struct gb_list cpus;
};

static const struct gb_option picky_options[] = {
    GB_STRING(struct small_params, path, NULL, "A path"),
};

static const struct gb_option precision_options[] = {
    GB_FLOAT(struct small_params, precision, "1%", "0:1", NULL, "Width of the interval"),
};

static const struct gb_option fixed_options[] = {
    GB_INT(struct small_params, samples, NULL, "1:", NULL, "How many"),
};

static const struct gb_option cpu_options[] = {
    GB_LIST(struct small_params, cpus, GB_TYPE_INT, "", NULL, NULL, "Processors to run on"),
};

/* Options are GB_OPTIONS, or NO_OPTIONS. */
#define FIXTURE_PLUGIN(path_, kind_, id_, devices_, ...)                                           \
    {                                                                                              \
        .path = path_, .sha256 = "", .plugin = {                                                   \
            .size = sizeof(struct gb_plugin),                                                      \
            .kind = kind_,                                                                         \
            .id = id_,                                                                             \
            .version = "1.0",                                                                      \
            .summary = "Exists as a table",                                                        \
            .devices = devices_,                                                                   \
            __VA_ARGS__                                                                            \
        }                                                                                          \
    }
#define FIXTURE_BENCH(id, devices, ...)                                                            \
    FIXTURE_PLUGIN("/plugins/bench_" id ".so", GB_PLUGIN_BENCH, id, devices, __VA_ARGS__)
#define FIXTURE_POLICY(id, ...)                                                                    \
    FIXTURE_PLUGIN("/plugins/policy_" id ".so", GB_PLUGIN_POLICY, id, NULL, __VA_ARGS__)
#define FIXTURE_DEVICE(id, ...)                                                                    \
    FIXTURE_PLUGIN("/plugins/device_" id ".so", GB_PLUGIN_DEVICE, id, NULL, __VA_ARGS__)
#define NO_OPTIONS .options = NULL

static struct plugin_info fixture_plugins[] = {
    FIXTURE_BENCH("matmul", "cpu cuda", GB_OPTIONS(matmul_options, struct matmul_params)),
    FIXTURE_BENCH("nop", NULL, NO_OPTIONS),
    FIXTURE_BENCH("texts", NULL, GB_OPTIONS(texts_options, struct texts_params)),
    FIXTURE_BENCH("open", NULL, GB_OPTIONS(open_options, struct open_params)),
    FIXTURE_BENCH("gpu_only", "cuda", NO_OPTIONS),
    FIXTURE_BENCH("tpu_only", "tpu", NO_OPTIONS),
    FIXTURE_PLUGIN("/conf/picky.so", GB_PLUGIN_BENCH, "picky", NULL,
                   GB_OPTIONS(picky_options, struct small_params)),
    FIXTURE_PLUGIN("/conf/two.so", GB_PLUGIN_BENCH, "first", NULL, NO_OPTIONS),
    FIXTURE_PLUGIN("/conf/two.so", GB_PLUGIN_BENCH, "second", NULL, NO_OPTIONS),
    FIXTURE_POLICY("steady", GB_OPTIONS(precision_options, struct small_params)),
    FIXTURE_POLICY("fixed", GB_OPTIONS(fixed_options, struct small_params)),
    FIXTURE_DEVICE("cpu", GB_OPTIONS(cpu_options, struct small_params)),
    FIXTURE_DEVICE("cuda", NO_OPTIONS),
};

static struct module_failure fixture_failures[] = {
    {"/plugins/bench_broken.so", "crashed while loading (SIGSEGV)"}};

static const char *fixture_folders[] = {"/plugins", "/more"};

static const struct catalogue fixture_catalogue = {
    .plugins = fixture_plugins,
    .n_plugins = sizeof fixture_plugins / sizeof fixture_plugins[0],
    .failures = fixture_failures,
    .n_failures = 1,
    .folders = {fixture_folders, 2},
};

/* A configuration, read as far as it makes sense. Zero-initialize; free with unload. */
struct loaded {
    struct arena arena;
    struct ini ini;
    struct settings *settings;
    struct sweep *sweep; /* NULL if there are errors */
    struct error_list errors;
    struct text words; /* of the errors: "3:8: what\n" */
};

static inline void note_words(struct loaded *loaded)
{
    for (size_t i = 0; i < loaded->errors.n; i++)
        text_printf(&loaded->words, "%u:%u: %s\n", loaded->errors.items[i].origin.line,
                    loaded->errors.items[i].origin.column, loaded->errors.items[i].text);
}

/* All but the cases, with the overrides of a command line. */
static inline void load_settings(struct loaded *loaded, const char *text, size_t length,
                                 const char *const *overrides, size_t n_overrides)
{
    ini_read_text("bench.ini", text, length, &loaded->arena, &loaded->ini, &loaded->errors);
    if (n_overrides > 0)
        ini_override(&loaded->ini, overrides, n_overrides, &loaded->arena, &loaded->errors);
    settings_parse(&loaded->ini, "/conf", &loaded->arena, &loaded->settings, &loaded->errors);
    settings_resolve(loaded->settings, &fixture_catalogue, &loaded->errors);
}

static inline void load_over(struct loaded *loaded, const char *text, const char *const *overrides,
                             size_t n_overrides)
{
    load_settings(loaded, text, strlen(text), overrides, n_overrides);
    if (error_list_empty(&loaded->errors))
        sweep_new(loaded->settings, SWEEP_CASES_MAX, &loaded->sweep, &loaded->errors);
    note_words(loaded);
}

static inline void load(struct loaded *loaded, const char *text)
{
    load_over(loaded, text, NULL, 0);
}

static inline void unload(struct loaded *loaded)
{
    sweep_free(loaded->sweep);
    arena_free(&loaded->arena);
    error_list_free(&loaded->errors);
    text_free(&loaded->words);
    *loaded = (struct loaded){0};
}
