/* stopping_policy.c - see stopping_policy.h. */
#include "tests/stopping/stopping_policy.h"

#include "core/config/option_table.h"

#include <glob.h>
#include <stdlib.h>
#include <string.h>

static const double PRECISION = 0.01; /* of those that promise none */

void stopping_policy_folders(const char *given, struct arena *arena, struct path_list *ret)
{
    char *folder = arena_text(arena, program_path());
    char *slash = strrchr(folder, '/');
    if (slash)
        *slash = 0;
    glob_t found = {0};
    const char *const one[] = {given};
    if (!given) {
        /* libtool leaves a module of the build tree in a folder of its own. */
        glob(arena_printf(arena, "%s/../../plugins/policy_*/.libs", folder), 0, NULL, &found);
        glob(arena_printf(arena, "%s/../plugins/policy_*/.libs", folder), GLOB_APPEND, NULL,
             &found);
    }
    module_folders(".", given ? one : (const char *const *)found.gl_pathv,
                   given ? 1 : found.gl_pathc, arena, ret);
    globfree(&found);
}

/* The latest of the folders' modules that has it: a worker looks in the same order. */
static int32_t find(const char *id, const struct path_list *folders, struct arena *arena,
                    const struct gb_plugin **ret, struct gb_error *error)
{
    struct path_list files;
    module_files(folders, arena, &files);
    for (size_t i = 0; i < files.n; i++) {
        struct module module;
        if (!module_file_names(files.items[i], GB_PLUGIN_POLICY, id))
            continue;
        int32_t status = module_load(files.items[i], false, arena, &module, error);
        *ret = status == GB_OK ? module_find(&module, GB_PLUGIN_POLICY, id) : NULL;
        if (status != GB_OK || *ret)
            return status;
    }
    return error_set(error, GB_NOT_FOUND, "policy \"%s\": no module of that name in %zu folders",
                     id, folders->n);
}

int32_t stopping_policy_load(const char *text, const struct path_list *folders, struct arena *arena,
                             struct stopping_policy *ret, struct gb_error *error)
{
    char *rest = NULL, *id = strtok_r(arena_text(arena, text), " ", &rest);
    struct setting *settings = NULL;
    size_t n = 0;
    if (!id)
        return error_set(error, GB_INVALID, "a policy has a name, as in \"steady precision=1%%\"");
    for (char *word; (word = strtok_r(NULL, " ", &rest)) != NULL;) {
        char *equal = strchr(word, '=');
        if (equal)
            *equal = 0;
        ARENA_APPEND(arena, settings, n,
                     (struct setting){.key = word, .text = equal ? equal + 1 : "yes"});
    }
    *ret = (struct stopping_policy){.text = arena_text(arena, text), .precision = PRECISION};
    int32_t status = find(id, folders, arena, &ret->plugin, error);
    if (status != GB_OK)
        return status;
    struct option_table options = option_table_of(ret->plugin);
    void *params = arena_allocate(arena, ret->plugin->params_size + 1);
    status = option_fill(options, settings, n, params, ret->plugin->params_size, arena, error);
    if (status != GB_OK)
        return error_prefix(error, "policy \"%s\": ", text);
    ret->params = params;
    const struct gb_option *precision = option_find(options, "precision", NULL);
    if (precision && precision->type == GB_TYPE_FLOAT)
        memcpy(&ret->precision, (const char *)params + precision->offset, sizeof ret->precision);
    return GB_OK;
}
