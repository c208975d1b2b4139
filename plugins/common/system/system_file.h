/*
 * system_file.h - small files of /proc and /sys, and what they call the processor. Plugin side;
 * core/run reads them, too.
 *
 * A file that is not there or cannot be read is a normal answer everywhere here.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Its first line, without the newline and the blanks around it. False: not readable, or empty. */
bool system_file_line(char *buffer, size_t bytes, const char *path_format, ...)
    __attribute__((format(printf, 3, 4)));

/* The value of the first line "KEY<blanks>: VALUE" of a file such as /proc/cpuinfo. */
bool system_file_value(const char *path, const char *key, char *buffer, size_t bytes);

/* A number that is read again and again: opened once. -1: not there. */
int system_file_open(const char *path_format, ...) __attribute__((format(printf, 1, 2)));
bool system_file_number(int file, double *ret);
void system_file_close(int file); /* -1 allowed */

/* A cache of a CPU, as Linux lists them in a folder for each CPU. */
#define CPU_FOLDER "/sys/devices/system/cpu"
struct cpu_cache {
    uint32_t level;
    char kind;          /* 'd': data, 'i': instructions, 0: both */
    uint64_t bytes;     /* 0: not known */
    uint32_t first_cpu; /* of those that share it: tells caches of one level apart */
};

/* Number `index` of the CPU's. False: it has no such. folder: CPU_FOLDER, or another one. */
bool cpu_cache_read(const char *folder, uint32_t cpu, uint32_t index, struct cpu_cache *ret);

/* `root` stands before all paths below: "" on the machine itself. */

/* "Neoverse-V2 (NVIDIA Grace)"; on Arm the part numbers where they have no name here. False, and
 * "": the system says nothing. */
bool processor_name(const char *root, char *buffer, size_t bytes);

/* "KVM", "Xen", ..., or "yes" where only that there is one is known. False, and "": none is seen.
 */
bool processor_hypervisor(const char *root, char *buffer, size_t bytes);

/* How many processors' time the cgroups of this process (v2, and v1's controller cpu), from its own
 * up to the mount, leave it: the tightest limit; and the file that says so. 0, and "": none does.
 */
double processor_quota(const char *root, char *file, size_t bytes);
