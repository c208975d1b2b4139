/* record_parts.c - see record_parts.h. */
#include "core/run/record_parts.h"

#include "core/run/interference.h"
#include "core/run/machine.h"

/* What the device says of itself; the size of its last cache, which roofs depend on, and how many
 * units blocks are spread over. */
static struct fact *facts_of(const struct known_device *device, struct arena *arena, size_t *ret_n)
{
    struct fact *facts = ARENA_ARRAY(arena, struct fact, device->n_facts + 2);
    for (size_t i = 0; i < device->n_facts; i++)
        facts[i] = device->facts[i];
    *ret_n = device->n_facts;
    if (device->info.cache_bytes > 0)
        facts[(*ret_n)++] = (struct fact){
            "cache_bytes",
            arena_printf(arena, "%llu", (unsigned long long)device->info.cache_bytes)};
    if (device->info.n_units > 0)
        facts[(*ret_n)++] = (struct fact){"units", arena_printf(arena, "%u", device->info.n_units)};
    return facts;
}

struct device_record device_record_of(const struct known_device *device,
                                      const struct collector *collector, struct arena *arena)
{
    struct device_record record = {.plugin = device->settings->info->plugin.id,
                                   .name = device->settings->name,
                                   .index = device->info.index,
                                   .model = device->info.model,
                                   .uuid = device->info.uuid,
                                   .clocks = (struct clock_record *)(uintptr_t)collector->clocks,
                                   .n_clocks = collector->n_clocks};
    record.facts = facts_of(device, arena, &record.n_facts);
    return record;
}

void record_warn_of_others(struct collector *collector)
{
    CLEANUP(text_free) struct text busy = {0}, shared = {0};
    if (machine_load_is_ignored())
        return;
    if (interference_matters(&collector->record, &busy))
        collector_warn(collector, text_get(&busy));
    if (interference_on_device(&collector->record, &shared))
        collector_warn(collector, text_get(&shared));
}

struct module_record module_record_of(const struct plugin_info *info, const char *sha256)
{
    return (struct module_record){.path = info->path,
                                  .sha256 = sha256,
                                  .kind = plugin_kind_words(info->plugin.kind),
                                  .id = info->plugin.id,
                                  .version = info->plugin.version};
}
