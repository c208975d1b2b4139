/*
 * cache.h - a folder of compiled kernels, each in a file of its own. Plugin side.
 *
 * An entry holds its whole key, which is compared, and a checksum: neither a collision of names nor
 * a damaged file gives a wrong kernel. Files are put in their place by rename, so that processes
 * that write the same one at once do no harm, and whoever reads sees all of it or nothing.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CACHE_REASON_BYTES = 512, CACHE_BYTES_MAX = 1 << 28 };

/* What stands for a long text in a key; 128 bits, so that no two texts have the same. */
struct cache_digest {
    uint64_t low, high;
};
struct cache_digest cache_digest(const char *data, size_t bytes);

/*
 * The folder: the one asked for (relative to that of the configuration), or, where that is "",
 * gbrun/kernels in $XDG_CACHE_HOME or ~/.cache. NULL: "none" was asked for, or there is no home.
 * The caller frees it.
 */
char *cache_folder(const char *asked, const char *configuration_folder);

/* The value of a key; the caller frees it. NULL: it is not there, or not sound. */
char *cache_read(const char *folder, const char *key, size_t key_bytes, size_t *ret_bytes);

/* Makes the folder if need be, and trims it to CACHE_BYTES_MAX. False: it was not kept, the reason
 * says why, and nothing is left. */
bool cache_write(const char *folder, const char *key, size_t key_bytes, const char *value,
                 size_t bytes, char reason[CACHE_REASON_BYTES]);

/* Where entries have more bytes than `most`, deletes those that were not read for longest until a
 * quarter of that is free; and what writers that were killed left. Other files stay. */
void cache_trim(const char *folder, uint64_t most);
