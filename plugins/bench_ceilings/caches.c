/* caches.c - see caches.h. Plugin side. */
#include "caches.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

enum { INDEX_MAX = 8, LEVEL_MAX = 4, TEXT_BYTES = 64 };

struct cache {
    uint64_t bytes;
    uint32_t first_cpu; /* of those that share it: tells caches of one level apart */
};

static bool read_word(const char *folder, uint32_t cpu, uint32_t index, const char *name,
                      char text[TEXT_BYTES])
{
    char path[4096];
    snprintf(path, sizeof path, "%s/cpu%u/cache/index%u/%s", folder, (unsigned)cpu, (unsigned)index,
             name);
    FILE *file = fopen(path, "r");
    if (file == NULL)
        return false;
    const bool is_read = fgets(text, TEXT_BYTES, file) != NULL;
    fclose(file);
    return is_read;
}

static uint64_t scaled(const char *text)
{
    char *unit = NULL;
    const uint64_t bytes = strtoull(text, &unit, 10);
    return bytes << (*unit == 'K' ? 10 : *unit == 'M' ? 20 : *unit == 'G' ? 30 : 0);
}

static bool find(const char *folder, uint32_t cpu, uint32_t level, struct cache *ret)
{
    char text[TEXT_BYTES];
    for (uint32_t i = 0; i < INDEX_MAX && read_word(folder, cpu, i, "level", text); i++) {
        if (strtoul(text, NULL, 10) != level || !read_word(folder, cpu, i, "type", text) ||
            text[0] == 'I' || !read_word(folder, cpu, i, "size", text))
            continue;
        ret->bytes = scaled(text);
        ret->first_cpu = read_word(folder, cpu, i, "shared_cpu_list", text)
                             ? (uint32_t)strtoul(text, NULL, 10)
                             : cpu;
        return ret->bytes > 0;
    }
    return false;
}

/* Of each CPU its cache of the level; bytes are 0 where it has none. Returns how many have one. */
static uint32_t find_all(const char *folder, const uint32_t *cpus, uint32_t n, uint32_t level,
                         struct cache *caches)
{
    uint32_t n_found = 0;
    for (uint32_t i = 0; i < n; i++) {
        caches[i] = (struct cache){0};
        n_found += find(folder, cpus[i], level, &caches[i]);
    }
    return n_found;
}

/* How many of the first n others use the same cache as this one. */
static uint32_t count_others(const struct cache *caches, uint32_t n, const struct cache *this)
{
    uint32_t n_others = 0;
    for (uint32_t i = 0; i < n; i++)
        n_others += &caches[i] != this && caches[i].bytes > 0 &&
                    caches[i].first_cpu == this->first_cpu;
    return n_others;
}

uint64_t caches_share(const char *folder, const uint32_t *cpus, uint32_t n, uint32_t level)
{
    struct cache caches[CACHES_CPUS_MAX];
    uint64_t smallest = UINT64_MAX;
    if (n == 0 || n > CACHES_CPUS_MAX || find_all(folder, cpus, n, level, caches) < n)
        return 0;
    for (uint32_t i = 0; i < n; i++) {
        const uint64_t share = caches[i].bytes / (1 + count_others(caches, n, &caches[i]));
        smallest = share < smallest ? share : smallest;
    }
    return smallest;
}

uint64_t caches_last_level(const char *folder, const uint32_t *cpus, uint32_t n)
{
    struct cache caches[CACHES_CPUS_MAX];
    uint64_t sum = 0;
    if (n > CACHES_CPUS_MAX)
        return 0;
    for (uint32_t level = LEVEL_MAX; level > 0 && sum == 0; level--) {
        find_all(folder, cpus, n, level, caches);
        for (uint32_t i = 0; i < n; i++)
            sum += count_others(caches, i, &caches[i]) == 0 ? caches[i].bytes : 0;
    }
    return sum;
}
