/*
 * view_fit.h - a table of cases in the room there is: which of its columns stay, and how wide.
 */
#pragma once

#include "core/base/memory.h"
#include "core/base/table.h"

/* When a column has to go: NEVER, or the higher the earlier. Rates and the first of the plugin's
 * own metrics, METRICS_SHOWN of them, go after names were cut, and checks, which the status
 * repeats. */
enum { METRICS_SHOWN = 3 };
enum {
    NEVER,
    RANK_SETTING, /* device, policy, clock ... */
    RANK_METRIC,  /* the plugin's first */
    RANK_ROOF,
    RANK_FLOPS,
    RANK_BYTES,
    RANK_ITEMS,
    RANK_METRICS, /* its others that are shown */
    RANK_CHECK = RANK_METRICS + METRICS_SHOWN,
    RANK_ROUNDS,
    RANK_SAMPLES,
    RANK_RELATIVE_IQR,
    RANK_EQUAL, /* options that are the same in all rows */
    RANK_STOP_REASON,
    RANK_COUNTED /* what counters of the device found */
};

/* A table with the rank of each of its columns. */
struct case_table {
    struct table table;
    size_t *ranks;
    size_t first_option, n_options; /* columns that tell cases apart */
};
void case_table_column(struct case_table *table, const char *head, bool right, size_t rank);
void case_table_remove(struct case_table *table, size_t i);
void case_table_free(struct case_table *table);

/* Names of columns left out, each once. */
struct left_out {
    const char **names;
    size_t n;
};
void leave_out(struct left_out *left_out, const char *name, struct arena *arena);

/* Removes blank columns that may go. They say nothing, so nothing is said of them. */
void case_table_remove_blank(struct case_table *table);

/*
 * Makes every row fit. If columns up to RANK_CHECK would not: checks become one word, then words
 * and heads of numbers are cut. Of those that may go the ones stay, in the order of their ranks,
 * that there is still room for; where even the others have none, options go from the last on.
 */
void case_table_fit(struct case_table *table, size_t width, struct left_out *left_out,
                    struct arena *arena);
