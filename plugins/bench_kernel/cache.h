/*
 * cache.h - a folder of compiled kernels, each in a file of its own. Plugin side.
 *
 * An entry holds its whole key, which is compared, and a checksum: neither a collision of names nor
 * a damaged file gives a wrong kernel. Files are put in their place by rename, so that processes
 * that write the same one at once do no harm, and whoever reads sees all of it or nothing.
 */
#ifndef GBRUN_PLUGINS_BENCH_KERNEL_CACHE_H
#define GBRUN_PLUGINS_BENCH_KERNEL_CACHE_H

#include <stdbool.h>
#include <stddef.h>

enum { CACHE_REASON_BYTES = 512 };

/*
 * The folder: the one asked for (relative to that of the configuration), or, where that is "",
 * gbrun/kernels in $XDG_CACHE_HOME or ~/.cache. NULL: "none" was asked for, or there is no home.
 * The caller frees it.
 */
char *cache_folder(const char *asked, const char *configuration_folder);

/* The value of a key; the caller frees it. NULL: it is not there, or not sound. */
char *cache_read(const char *folder, const char *key, size_t key_bytes, size_t *ret_bytes);

/* Makes the folder if need be. False: it was not kept, the reason says why, and nothing is left. */
bool cache_write(const char *folder, const char *key, size_t key_bytes, const char *value,
                 size_t bytes, char reason[CACHE_REASON_BYTES]);

#endif
