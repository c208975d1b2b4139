/* disk_cache.h - files that are in memory before a sample, or are not. Plugin side. */
#pragma once

#include <gbrun/gbrun.h>

enum { DISK_AS_IS, DISK_WARM, DISK_COLD, DISK_DROPPED };

/* [create] Files go with DISK_WARM and DISK_COLD; else it fails. */
int32_t disk_cache_check(const struct gb_host *host, int32_t state, const struct gb_list *files);
/* Reads the files, evicts them, or drops all that the kernel has cached. */
int32_t disk_cache_set(const struct gb_host *host, int32_t state, const struct gb_list *files);
