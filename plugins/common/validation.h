/* validation.h - plugins whose one extension is GB_VALIDATION. Plugin side. */
#pragma once

#include <gbrun/bench.h>
#include <string.h>

/* Defines `extension` for the descriptor, of a struct gb_validation with these members. */
#define VALIDATION_EXTENSION(...)                                                                  \
    static const void *extension(const char *id)                                                   \
    {                                                                                              \
        static const struct gb_validation validation = {.size = sizeof validation, __VA_ARGS__};   \
        return strcmp(id, GB_VALIDATION) == 0 ? &validation : NULL;                                \
    }                                                                                              \
    struct gb_validation
