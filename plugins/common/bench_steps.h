/* bench_steps.h - steps that many benchmarks take. Plugin side. */
#pragma once

#include <gbrun/bench.h>
#include <gbrun/check.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

/* A text as of printf for one of host's functions, host->fail or host->skip. */
static inline __attribute__((format(printf, 3, 0))) int32_t
host_words(const struct gb_host *host,
           int32_t (*take)(const struct gb_host *host, const char *text), const char *format,
           va_list arguments)
{
    char text[2560];
    vsnprintf(text, sizeof text, format, arguments);
    return take(host, text);
}

static inline __attribute__((format(printf, 2, 3))) int32_t host_fail(const struct gb_host *host,
                                                                      const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const int32_t status = host_words(host, host->fail, format, arguments);
    va_end(arguments);
    return status;
}

static inline __attribute__((format(printf, 2, 3))) int32_t host_skip(const struct gb_host *host,
                                                                      const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const int32_t status = host_words(host, host->skip, format, arguments);
    va_end(arguments);
    return status;
}

/* The host's formats; fails where an old one has none. */
static inline int32_t host_formats(const struct gb_host *host, const struct gb_formats **ret)
{
    *ret = host->extension(host, GB_FORMATS);
    return *ret != NULL ? GB_OK
                        : host->fail(host, "this version of gbrun has no " GB_FORMATS
                                           ": expected a newer one");
}

/* The order of doubles, for qsort. */
static inline int compare_doubles(const void *a, const void *b)
{
    const double x = *(const double *)a;
    const double y = *(const double *)b;
    return (x > y) - (x < y);
}

static inline uint64_t larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static inline uint64_t smaller(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* How many parts of a length n has, the last perhaps shorter. */
static inline uint64_t quotient_up(uint64_t n, uint64_t length)
{
    return (n + length - 1) / length;
}

/* Memory of host->device_allocate. Where *status is an error already, or becomes one: NULL, so that
 * several can be taken before it is looked at. */
static inline void *device_memory(const struct gb_host *host, uint64_t bytes, uint32_t kind,
                                  int32_t *status)
{
    void *memory = NULL;
    if (*status == GB_OK)
        *status = host->device_allocate(host, bytes, kind, &memory);
    return *status == GB_OK ? memory : NULL;
}

/* host->check for outputs of any format that must be right to the bit. */
static inline int32_t check_exactly(const struct gb_host *host, const char *name, uint32_t format,
                                    uint64_t n, const void *output, const double *reference)
{
    const struct gb_check check = {
        .size = sizeof check,
        .format = format,
        .name = name,
        .n = n,
        .output = output,
        .reference = reference,
        .flags = GB_CHECK_EXACT,
        .default_metric = "abs",
        .default_tolerance = 0.0,
    };
    return host->check(host, &check);
}
