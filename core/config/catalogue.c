/* catalogue.c - see catalogue.h. */
#include "core/config/catalogue.h"

#include "core/base/text.h"

#include <string.h>

const char *plugin_kind_words(uint32_t kind)
{
    static const char *const words[] = {[GB_PLUGIN_BENCH] = "benchmark",
                                        [GB_PLUGIN_POLICY] = "policy",
                                        [GB_PLUGIN_DEVICE] = "device",
                                        [GB_PLUGIN_SEARCH] = "search"};
    const bool is_known = kind < sizeof words / sizeof *words && words[kind];
    return is_known ? words[kind] : "plugin of an unknown kind";
}

static bool is_plugin(const struct plugin_info *info, uint32_t kind, const char *id)
{
    return info->plugin.kind == kind && (!id || text_equal(info->plugin.id, id));
}

const struct plugin_info *catalogue_find(const struct catalogue *catalogue, uint32_t kind,
                                         const char *id)
{
    for (size_t i = 0; i < catalogue->n_plugins; i++)
        if (is_plugin(&catalogue->plugins[i], kind, id))
            return &catalogue->plugins[i];
    return NULL;
}

const struct plugin_info *catalogue_find_in(const struct catalogue *catalogue, uint32_t kind,
                                            const char *path, const char *id)
{
    const struct plugin_info *found = NULL;
    for (size_t i = 0; i < catalogue->n_plugins; i++) {
        const struct plugin_info *info = &catalogue->plugins[i];
        if (!is_plugin(info, kind, id) || !text_equal(info->path, path))
            continue;
        if (found)
            return NULL;
        found = info;
    }
    return found;
}

/* Does "/x/bench_nop.so" hold, by its name, what is asked for as "nop", "bench_nop" or the path
 * itself? */
static bool names_module(const char *path, const char *path_or_id)
{
    if (text_equal(path, path_or_id))
        return true;
    const char *slash = strrchr(path, '/');
    const char *base = slash ? slash + 1 : path;
    size_t length = strlen(base), wanted = strlen(path_or_id);
    if (length < wanted + 3 || !text_ends_with(base, ".so"))
        return false;
    const char *tail = base + length - 3 - wanted;
    return memcmp(tail, path_or_id, wanted) == 0 && (tail == base || tail[-1] == '_');
}

const struct module_failure *catalogue_failure(const struct catalogue *catalogue,
                                               const char *path_or_id)
{
    for (size_t i = 0; i < catalogue->n_failures; i++)
        if (names_module(catalogue->failures[i].path, path_or_id))
            return &catalogue->failures[i];
    return NULL;
}

bool plugin_runs_on(const struct plugin_info *bench, const char *device_plugin)
{
    size_t length = strlen(device_plugin);
    const char *list = bench->plugin.devices;
    while (list && *list) {
        size_t n = strcspn(list, " ");
        if (n == length && memcmp(list, device_plugin, n) == 0)
            return true;
        list += n + strspn(list + n, " ");
    }
    return !list;
}
