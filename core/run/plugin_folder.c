/* plugin_folder.c - module.h's module_folders: what of it depends on where gbrun is installed. */
#include "core/run/module.h"

#ifndef GBRUN_PLUGIN_DIR
#error "GBRUN_PLUGIN_DIR is the folder that plugins are installed to"
#endif

void module_folders(const char *const *given, size_t n_given, const struct gb_list *own,
                    const char *own_base, struct arena *arena, struct words *ret)
{
    *ret = (struct words){0};
    for (size_t i = 0; i < n_given; i++)
        module_folders_add(ret, arena, path_from(".", given[i], arena));
    for (size_t i = 0; own && i < own->n; i++)
        module_folders_add(ret, arena,
                           path_from(own_base, ((const char *const *)own->items)[i], arena));
    module_folders_beside(program_path(), arena, ret);
    module_folders_add(ret, arena, GBRUN_PLUGIN_DIR);
}
