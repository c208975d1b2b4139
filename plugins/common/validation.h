/* validation.h - plugins that check their params, and may be judged besides. Plugin side. */
#pragma once

#include <gbrun/judging.h>
#include <string.h>

/* Defines `extension` for the descriptor, of a struct gb_validation with these members. */
#define VALIDATION_EXTENSION(...)                                                                  \
    static const void *extension(const char *id)                                                   \
    {                                                                                              \
        static const struct gb_validation validation = {.size = sizeof validation, __VA_ARGS__};   \
        return strcmp(id, GB_VALIDATION) == 0 ? &validation : NULL;                                \
    }                                                                                              \
    struct gb_validation

/* The same, of a benchmark whose objects can be judged. */
#define JUDGED_VALIDATION_EXTENSION(...)                                                           \
    static const void *extension(const char *id)                                                   \
    {                                                                                              \
        static const struct gb_validation validation = {.size = sizeof validation, __VA_ARGS__};   \
        static const struct gb_judging judging = {.size = sizeof judging};                         \
        return strcmp(id, GB_VALIDATION) == 0 ? (const void *)&validation                          \
               : strcmp(id, GB_JUDGING) == 0  ? &judging                                           \
                                              : NULL;                                               \
    }                                                                                              \
    struct gb_validation
