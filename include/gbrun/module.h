/*
 * module.h - what a module (a .so file) exports: one function, through which all else is reached.
 *
 *   GB_EXPORT const struct gb_module *gb_module_v1(void);
 *
 * It has no side effect and always returns the same pointer, to constant data. Modules link with
 * -Wl,-z,defs: the program exports nothing to them. They run no code when they are loaded.
 */
#ifndef GBRUN_MODULE_H
#define GBRUN_MODULE_H

#include <gbrun/option.h>

#define GB_ENTRY_SYMBOL "gb_module_v1" /* the major version of the ABI is in the name */

enum {
    GB_PLUGIN_BENCH = 1,  /* ops: struct gb_bench_ops */
    GB_PLUGIN_POLICY = 2, /* ops: struct gb_policy_ops */
    GB_PLUGIN_DEVICE = 3, /* ops: struct gb_device_ops */
    GB_PLUGIN_SEARCH = 4  /* ops: struct gb_search_ops */
};

struct gb_plugin {
    uint32_t size;
    uint32_t kind;       /* GB_PLUGIN_... */
    const char *id;      /* [a-z][a-z0-9_]*, at most 40 bytes; unique among plugins of its kind */
    const char *version; /* of the plugin, for the record: "1.0" */
    const char *summary; /* one line, no full stop */
    const char *help;    /* paragraphs for `gbrun help ID`, or NULL */
    /* benchmarks: ids of the devices it runs on, separated by blanks; NULL: any */
    const char *devices;
    const struct gb_option *options; /* n_options of them, options[0].size apart; NULL if none */
    uint32_t n_options;
    uint32_t flags;                           /* 0 */
    uint64_t params_size;                     /* of the struct that the options fill; 0 if none */
    const void *ops;                          /* by kind */
    const void *(*extension)(const char *id); /* [any] optional features by id; may be NULL */
};

/* The members that each plugin has, in an initializer; what else it has stands after them. KIND is
 * BENCH, POLICY, DEVICE or SEARCH.
 *   static const struct gb_plugin plugin = {GB_PLUGIN(BENCH, "id", "1.0", "summary"), .ops = &ops};
 */
#define GB_PLUGIN(kind_, id_, version_, summary_)                                                  \
    .size = (uint32_t)sizeof(struct gb_plugin), .kind = GB_PLUGIN_##kind_, .id = (id_),            \
    .version = (version_), .summary = (summary_)

/* The three members that must agree, in an initializer: the table and the struct that it fills.
 *   static const struct gb_plugin plugin = {..., GB_OPTIONS(options, struct params), .ops = &ops};
 */
#define GB_OPTIONS(options_, params_)                                                              \
    .options = (options_), .n_options = (uint32_t)(sizeof(options_) / sizeof((options_)[0])),      \
    .params_size = (uint64_t)sizeof(params_)

struct gb_module {
    uint32_t size;
    uint32_t abi_major; /* GB_ABI_MAJOR and GB_ABI_MINOR of the headers it was built with */
    uint32_t abi_minor;
    uint32_t n_plugins;
    const struct gb_plugin *const *plugins;
};

GB_EXPORT const struct gb_module *gb_module_v1(void);

/* The whole entry: GB_MODULE(&first_plugin, &second_plugin) */
#define GB_MODULE(...)                                                                             \
    GB_EXPORT const struct gb_module *gb_module_v1(void)                                           \
    {                                                                                              \
        static const struct gb_plugin *const plugins[] = {__VA_ARGS__};                            \
        static const struct gb_module module = {                                                   \
            (uint32_t)sizeof(struct gb_module), GB_ABI_MAJOR, GB_ABI_MINOR,                        \
            (uint32_t)(sizeof plugins / sizeof plugins[0]), plugins};                              \
        return &module;                                                                            \
    }

#endif
