/* verify_fixture.h - what the tests of core/verify/verify*.c share. */
#pragma once

#include "core/verify/verify.h"
#include "tests/check_main.h"

#define COUNT(array) (int)(sizeof(array) / sizeof((array)[0]))

/* for (EACH_PATH(path)): the code paths that this processor has, each in use. */
static inline int verify_next_path(int path)
{
    while (path < VERIFY_PATHS && !verify_path_is_there(path))
        path++;
    if (path < VERIFY_PATHS)
        verify_use_path(path);
    return path;
}
#define EACH_PATH(path)                                                                            \
    int path = verify_next_path(0);                                                                \
    path < VERIFY_PATHS;                                                                           \
    path = verify_next_path(path + 1)

static inline struct gb_check check_of(uint32_t format, uint64_t n, const void *output,
                                       const double *reference)
{
    return (struct gb_check){sizeof(struct gb_check),
                             .format = format,
                             .name = "C",
                             .n = n,
                             .output = output,
                             .reference = reference,
                             .default_metric = "abs",
                             .default_tolerance = 0};
}

static inline struct verify_result compare_above(const struct gb_check *check, double floor)
{
    struct verify_result result;
    struct gb_error error = {0};
    ck_assert_msg(verify_compare(check, floor, &result, &error) == GB_OK, "%s", error.text);
    uint64_t n = 0;
    for (int class = 0; class < VERIFY_CLASSES; class ++)
        n += result.histogram[class];
    ck_assert_uint_eq(n, check->n);
    return result;
}

static inline struct verify_result compare(const struct gb_check *check)
{
    return compare_above(check, 1e-3);
}

static inline const char *description(const struct verify_result *result,
                                      const struct gb_check *check, int metric, double tolerance)
{
    static char line[256];
    verify_describe(result, check, metric, tolerance, line, sizeof line);
    return line;
}

static inline void assert_fails_everything(const struct verify_result *result,
                                           const struct gb_check *check)
{
    for (int metric = 0; metric < VERIFY_METRICS; metric++)
        ck_assert_msg(!verify_passes(result, check, metric, INFINITY), "%s passes",
                      verify_metric_name(metric));
}
