/* compare_internal.h - what the files of comparisons share. */
#pragma once

#include "core/base/memory.h"
#include "core/compare/compare.h"

struct compare {
    struct arena arena;
    struct compare_options options;
    const char *by; /* NULL: runs are compared */
    bool by_values; /* by an attribute of cases, in one run */
    bool by_sides;  /* namely the sides of `gbrun ab` */
    struct compare_side *sides;
    size_t n_sides;
    struct compare_result result;
};

/* The cases that records are rounds of. devices: of the run. */
struct run_devices {
    struct stored_device *items;
    size_t n;
};
void side_make_cases(struct compare *compare, const struct stored_run *run,
                     const struct run_devices *devices, struct outcome *outcomes, size_t n,
                     struct compare_side *side);

/* Adds the cases of a run as a side. */
int32_t side_of_run(struct compare *compare, struct store *store, const char *path,
                    const struct stored_run *run, const char *name, struct gb_error *error);

/* An attribute of a case: of a parameter's name, or a setting's; NULL: it has none. */
const char *attribute_of(const struct outcome *outcome, const char *name, struct arena *arena);

/* Indices of the base's cases, by case of the other side; SIZE_MAX: it has none. */
size_t *match_cases(struct compare *compare, const struct compare_side *base,
                    const struct compare_side *other);

/* What forbids to compare two cases: "device model", "clock", "driver", "cache"; NULL: nothing. The
 * two values: for the message. */
const char *conflict_of(const struct compare *compare, const struct compare_case *base,
                        const struct compare_case *other, const char **ret_from,
                        const char **ret_to);

/* In place of NaN. */
void compare_set_defaults(struct compare_options *options);

void find_differences(struct compare *compare, struct compare_against *against);
