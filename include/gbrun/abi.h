/*
 * abi.h - what every other public header rests on: versions, status codes, growth of structs.
 * Strict C99, clean as C++17, includes nothing beyond <stddef.h>, <stdint.h>, <stdbool.h>.
 *
 * Rules of the interface between gbrun and a plugin:
 *  - Every struct begins with `uint32_t size`, the writer's sizeof. A reader uses a member only if
 *    GB_HAS says that it lies inside. Members are only ever appended.
 *  - Larger growth goes through extension(id) on either side, with ids like "gbrun.counters/1".
 *  - Only fixed-width integers, double and pointers cross the interface: no enum types, long,
 *    bit-fields or varargs.
 *  - Text is UTF-8, ends with NUL and belongs to the side that passes it; the receiver copies what
 *    it keeps.
 *  - Times are nanoseconds, frequencies hertz, sizes bytes, energy joules.
 */
#ifndef GBRUN_ABI_H
#define GBRUN_ABI_H

#include <stddef.h>
#include <stdint.h>

#define GB_ABI_MAJOR 1u
#define GB_ABI_MINOR 0u

/* True if *object, as long as its writer made it, holds the member. */
#define GB_HAS(object, member)                                                                     \
    ((size_t)((const char *)&(object)->member - (const char *)(object)) +                          \
         sizeof((object)->member) <=                                                               \
     (size_t)(object)->size)

/* The one symbol that a module exports is marked with this; all else is built hidden. */
#ifdef __cplusplus
#define GB_EXPORT extern "C" __attribute__((visibility("default")))
#else
#define GB_EXPORT __attribute__((visibility("default")))
#endif

/*
 * Status codes, returned as int32_t: zero is success, negative a failure. GB_SKIPPED is neither.
 * X(name, value, words that follow "case ..." in a report)
 */
#define GB_STATUS_MAP(X)                                                                           \
    X(OK, 0, "ok")                                                                                 \
    X(SKIPPED, 1, "skipped")                                                                       \
    X(FAILED, -1, "failed")                                                                        \
    X(NO_MEMORY, -2, "out of memory")                                                              \
    X(INVALID, -3, "invalid argument")                                                             \
    X(UNSUPPORTED, -4, "not supported")                                                            \
    X(DEVICE_ERROR, -5, "device error")                                                            \
    X(CANCELLED, -6, "cancelled")                                                                  \
    X(WRONG_RESULT, -7, "wrong result")                                                            \
    X(IO, -8, "input/output error")                                                                \
    X(CORRUPT, -9, "corrupt data")                                                                 \
    X(NOT_FOUND, -10, "not found")

enum {
#define GB_STATUS_CONSTANT(name, value, words) GB_##name = (value),
    GB_STATUS_MAP(GB_STATUS_CONSTANT)
#undef GB_STATUS_CONSTANT
};

/* Severities of log lines. GB_LOG_PLUGIN_BUG: the plugin breaks the rules of these headers. */
enum {
    GB_LOG_DEBUG = 0,
    GB_LOG_INFO = 1,
    GB_LOG_WARNING = 2,
    GB_LOG_ERROR = 3,
    GB_LOG_PLUGIN_BUG = 4
};

#endif
