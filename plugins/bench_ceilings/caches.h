/* caches.h - how large the caches are that some CPUs have. Plugin side. */
#pragma once

#include <stdint.h>

#define CACHES_FOLDER "/sys/devices/system/cpu" /* where Linux lists them */

enum { CACHES_CPUS_MAX = 1024 }; /* more at once are not known */

/* What each of the CPUs has of a cache of the level, 1 to 4, for data, if it shares it evenly with
 * those of them that use the same one; the smallest share. 0: there is none, or it is not known. */
uint64_t caches_share(const char *folder, const uint32_t *cpus, uint32_t n, uint32_t level);

/* All caches of the highest level together, each counted once. 0: not known. */
uint64_t caches_last_level(const char *folder, const uint32_t *cpus, uint32_t n);
