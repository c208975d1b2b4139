/*
 * module.h - modules on disk and in memory: where they are looked for, how they are loaded and
 * checked.
 *
 * Only probe and worker processes call module_load: it runs whatever the module runs when it is
 * loaded. The supervisor only calls the functions that look for files.
 */
#pragma once

#include "core/base/error.h"
#include "core/base/memory.h"
#include "core/base/sha256.h"
#include "core/base/text.h"

#include <gbrun/bench.h>
#include <gbrun/device.h>
#include <gbrun/module.h>
#include <gbrun/policy.h>
#include <gbrun/search.h>

/*
 * The folders searched for modules, absolute, in order, those that exist only, each once: n_given
 * folders of the command line, those of a configuration's plugin_path (NULL: none; relative ones
 * from own_base), GBRUN_PLUGIN_PATH (colons between), the build tree next to the program
 * (plugins/ *), ../lib/gbrun beside the program's folder, and the folder gbrun was installed to. In
 * plugin_folder.c, which a library that is moved does without.
 */
void module_folders(const char *const *given, size_t n_given, const struct gb_list *own,
                    const char *own_base, struct arena *arena, struct words *ret);

/* Added to ret: the folder, absolute, unless it does not exist or is there already. */
void module_folders_add(struct words *ret, struct arena *arena, const char *folder);

/* Added to ret: those of a program or library whose file is named: GBRUN_PLUGIN_PATH, the build
 * tree, gbrun/ and ../lib/gbrun beside it. */
void module_folders_beside(const char *file, struct arena *arena, struct words *ret);

/* All .so files of the folders, in order of folders and then of names. */
void module_files(const struct words *folders, struct arena *arena, struct words *ret);

/* True if the file's name says that it may hold a plugin: ID.so or KIND_ID.so, where the id may go
 * on with an underscore: policy_median.so for median_ci. */
bool module_file_names(const char *path, uint32_t kind, const char *id);

/* The absolute path of a path relative to a folder; not resolved through links. In the arena. */
const char *path_from(const char *folder, const char *path, struct arena *arena);

/* The program's own file, absolute. Static. */
const char *program_path(void);
/* What workers are started from: the program that runs, be its file replaced or removed meanwhile.
 * Its path where that cannot be had: without /proc, or in an emulator, whose own file
 * /proc/self/exe is. Static. */
const char *program_image(void);

struct module {
    const char *path;
    char sha256[SHA256_TEXT]; /* of the file as it was loaded; "": not asked for */
    uint32_t n_plugins;
    struct gb_plugin
        *plugins; /* copies as long as today's struct; members the module lacks are zero */
};

/*
 * Loads and checks a module (dlopen RTLD_NOW | RTLD_LOCAL; the entry must lie in this very file; it
 * is never unloaded). Errors: not loadable, replaced meanwhile, no entry, other major version of
 * the ABI, broken descriptors or option tables. hashes: *ret says which build it is, which takes as
 * long as all else.
 */
int32_t module_load(const char *path, bool hashes, struct arena *arena, struct module *ret,
                    struct gb_error *error);

const struct gb_plugin *module_find(const struct module *module, uint32_t kind, const char *id);
