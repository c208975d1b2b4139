/* plugin_folder.c - module.h's module_folders: what of it depends on where gbrun is installed. */
#include "core/run/module.h"

#ifndef GBRUN_PLUGIN_DIR
#error "GBRUN_PLUGIN_DIR is the folder that plugins are installed to"
#endif

void module_folders(const char *base_folder, const char *const *given, size_t n_given,
                    struct arena *arena, struct path_list *ret)
{
    *ret = (struct path_list){0};
    for (size_t i = 0; i < n_given; i++)
        module_folders_add(ret, arena, path_from(base_folder, given[i], arena));
    module_folders_beside(program_path(), arena, ret);
    module_folders_add(ret, arena, GBRUN_PLUGIN_DIR);
}
