/*
 * cache.h - a folder of compiled kernels, each in a file of its own. Plugin side.
 *
 * An entry holds its whole key, which is compared, and a checksum: neither a collision of names nor
 * a damaged file gives a wrong kernel. Files are put in their place by rename, so that processes
 * that write the same one at once do no harm, and a reader sees all of it or nothing.
 *
 * An entry is code that is run. So the folder and each file must be this user's or root's, and no
 * other may be able to write to them; links are not followed; folders and files that are made are
 * for this user alone.
 */
#pragma once

#include "plugins/common/system/sha256_digest.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CACHE_REASON_BYTES = 512, CACHE_BYTES_MAX = 1 << 28 };

/* What stands for a long text in a key: its SHA-256. */
struct cache_digest {
    uint8_t bytes[SHA256_BYTES];
};
struct cache_digest cache_digest(const char *data, size_t bytes);

/*
 * The folder: the one asked for (relative to that of the configuration), or, where that is "",
 * gbrun/kernels in $XDG_CACHE_HOME or ~/.cache. NULL: "none" was asked for, or there is no home.
 * The caller frees it.
 */
char *cache_folder(const char *asked, const char *configuration_folder);

/* The value of a key; the caller frees it. NULL: it is not there, not sound, or not trusted. */
char *cache_read(const char *folder, const char *key, size_t key_bytes, size_t *ret_bytes);

/* Makes the folder if need be, and trims it to CACHE_BYTES_MAX. False: it was not kept, the reason
 * says why, and nothing is left. */
bool cache_write(const char *folder, const char *key, size_t key_bytes, const char *value,
                 size_t bytes, char reason[CACHE_REASON_BYTES]);

/* Where entries have more bytes than `most`, deletes those that were not read for longest until a
 * quarter of that is free; and what writers that were killed left. Other files stay. */
void cache_trim(const char *folder, uint64_t most);
