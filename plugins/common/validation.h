/* validation.h - plugins that check their params, and may be judged besides. Plugin side. */
#pragma once

#include "bench_steps.h"

#include <gbrun/judging.h>
#include <string.h>

/* For a create that checks as `validate` does: fail_first is its gb_problem_fn, with such a
 * context; the case fails with the first problem. */
struct first_problem {
    const struct gb_host *host;
    int32_t status; /* GB_OK: there is none */
};

static inline void fail_first(void *context, const char *option, uint64_t offset, const char *text)
{
    struct first_problem *first = context;
    (void)offset;
    if (first->status == GB_OK)
        first->status = host_fail(first->host, "%s: %s", option, text);
}

/* Options that are texts in which {NAME} stands for a value, or maps of them; P is the struct. */
#define TEXT(member, default_, help)                                                               \
    GB_OPTION_OF(GB_TYPE_STRING, GB_OPTION_TEMPLATE, P, member, default_, NULL, 0, NULL, NULL, help)
#define TEXTS(member, help)                                                                        \
    GB_OPTION_OF(GB_TYPE_MAP, GB_OPTION_TEMPLATE, P, member, "", NULL, 0, NULL, NULL, help)

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
