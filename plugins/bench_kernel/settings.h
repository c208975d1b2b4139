/*
 * settings.h - the settings of a case, read and checked: which kernel is launched how, with what,
 * and what it is compared with. Plugin side; no device is touched.
 */
#pragma once

#include "plugins/common/call/call_plan.h"

/* What the option table fills. */
struct kernel_params {
    const char *source, *entry, *signature;
    struct gb_map arg;
    const char *grid, *block, *shared, *cluster;
    struct gb_map define;
    const char *options;
    struct gb_list include; /* const char * */
    const char *cache_folder;
    struct gb_map input, output;
    const char *reference_entry, *reference_source, *reference_grid, *reference_block,
        *reference_shared;
    const char *reference;
    struct gb_list reference_library; /* const char * */
    const char *reference_signature;
    struct gb_map ref;
    struct gb_map work;
};

struct dims {
    unsigned x, y, z;
};

/* Where a kernel is launched. */
struct shape {
    struct dims grid, block;
    unsigned shared; /* bytes that are asked for at the launch */
};

enum source_kind { SOURCE_CUDA, SOURCE_PTX, SOURCE_BINARY };

struct source {
    const char *path;
    enum source_kind kind;
};

struct settings {
    const struct gb_host *host;
    const struct kernel_params *params;
    struct params call; /* what the plan is made of */
    /* The arguments, in the terms of `call`: the function is the kernel, its reference the function
     * or kernel that it is compared with. */
    struct plan plan;
    struct source source, reference_source;
    bool has_reference_kernel;
    struct shape shape, reference_shape;
    struct dims cluster;   /* x is 0: none */
    const char **options;  /* of the compiler, each in one word; first those for the macros */
    size_t *option_places; /* byte of `options` at which each begins, except those for the macros */
    size_t n_options;
    const char **folders; /* of `include` */
    size_t n_folders;
};

/*
 * Reads all that the params say; problems are reported, and the settings of use only if there are
 * none. GB_NO_MEMORY, or GB_OK also with problems. Memory: the host's; the params must outlive it.
 */
int32_t settings_make(const struct gb_host *host, const struct kernel_params *params,
                      struct reporter *reporter, struct settings *ret);

/*
 * Looks at the files that settings without a problem name: whether they are there, whether the
 * kernels are in them and, where their texts show it, have such parameters, whether functions are
 * in their libraries. What is wrong is reported.
 */
void settings_check_files(const struct settings *settings, struct reporter *reporter);

/* The folder of the configuration, or NULL. */
const char *settings_folder(const struct gb_host *host);

/* The buffer that a key of `input` or `output` means, or NULL. */
const struct entry *settings_buffer(const struct settings *settings, const char *key);
