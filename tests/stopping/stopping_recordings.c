/* stopping_recordings.c - see stopping_recordings.h. */
#include "tests/stopping/stopping_recordings.h"

#include "core/view/view_cases.h"
#include "plugins/policy_steady/rank_index.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct visits {
    struct arena *arena; /* of items and texts */
    struct visit *items;
    size_t n;
};

double mid_median(const double *values, uint64_t n)
{
    struct rank_index index = {0};
    double median = NAN;
    if (n > 0 && rank_index_update(&index, values, n) == GB_OK) {
        const struct retained retained = retained_all(&index);
        median = mid_quantile(&retained, 0.5, 0);
    }
    rank_index_free(&index);
    return median;
}

/* --- finding --- */

/* Recorded whatever its samples said, and for long. */
static const char long_ones[] = "status = 'ok' AND policy_plugin IN ('fixed', 'budget')"
                                " AND n_samples BETWEEN 1000 AND 1000000000";

static int32_t take_case(const struct view_row *row, struct store *store, const char *path,
                         struct visits *visits, struct gb_error *error)
{
    const struct case_record *record = &row->c.record;
    uint64_t iterations = record->iterations > 0 ? record->iterations : 1, n = 0;
    struct visit visit = {.path = path,
                          .case_id = row->c.id,
                          .uid = arena_text(visits->arena, record->uid),
                          .words = arena_text(visits->arena, row->label),
                          .clock = arena_text(visits->arena, record->clock),
                          .n = record->n_samples,
                          .iterations = iterations,
                          .tick_ns = record->tick_ns / (double)iterations};
    CLEANUP(free_pointer) double *values = memory_allocate(visit.n * sizeof *values);
    int32_t status = store_samples_read(store, visit.case_id, visit.clock, 0, visit.n, values,
                                        error);
    for (uint64_t i = 0; i < visit.n && status == GB_OK; i++)
        if (isfinite(values[i]))
            values[n++] = values[i];
    visit.median_ns = mid_median(values, n);
    if (visit.median_ns > 0)
        ARENA_APPEND(visits->arena, visits->items, visits->n, visit);
    return status;
}

static int32_t take_file(const char *path, struct visits *visits, struct gb_error *error)
{
    static const struct view_options options = {.where = long_ones};
    struct store *store = NULL;
    struct view view;
    int32_t status = store_open(path, STORE_READ, &store, error);
    if (status != GB_OK)
        return status;
    status = view_open(store, &options, RUN_ALL, &view, error);
    if (status == GB_OK) {
        for (struct view_cursor at = {.view = &view}; view_next(&at, &status, error);)
            status = take_case(at.row, store, path, visits, error);
        view_close(&view);
    }
    store_close(store, NULL);
    return status;
}

/* --- kernels --- */

static int by_identity(const void *a, const void *b)
{
    const struct visit *x = a, *y = b;
    int order = strcmp(x->uid, y->uid);
    order = order ? order : strcmp(x->path, y->path);
    return order ? order : (x->case_id > y->case_id) - (x->case_id < y->case_id);
}

static int by_words(const void *a, const void *b)
{
    const struct scenario *x = a, *y = b;
    int order = strcmp(x->words, y->words);
    return order ? order : strcmp(x->visits->uid, y->visits->uid);
}

static struct scenario kernel_of(const struct visit *visits, size_t n)
{
    double *medians = memory_allocate(n * sizeof *medians);
    for (size_t i = 0; i < n; i++)
        medians[i] = visits[i].median_ns;
    double median = quantile_of(medians, n, 0.5);
    struct scenario kernel = {.words = visits->words,
                              .visits = visits,
                              .n_visits = n,
                              .truth = {.median_ns = median},
                              .spread = (medians[n - 1] - medians[0]) / median};
    free(medians);
    return kernel;
}

int32_t recordings_find(const char *const *paths, size_t n_paths, struct arena *arena,
                        struct scenario **ret_kernels, size_t *ret_n, struct gb_error *error)
{
    struct visits visits = {.arena = arena};
    struct scenario *kernels = NULL;
    size_t n = 0;
    for (size_t i = 0; i < n_paths; i++) {
        int32_t status = take_file(paths[i], &visits, error);
        if (status != GB_OK)
            return status;
    }
    if (visits.n > 0)
        qsort(visits.items, visits.n, sizeof *visits.items, by_identity);
    for (size_t first = 0, end = 0; first < visits.n; first = end) {
        while (end < visits.n && text_equal(visits.items[end].uid, visits.items[first].uid))
            end++;
        if (end - first >= 2)
            ARENA_APPEND(arena, kernels, n, kernel_of(&visits.items[first], end - first));
    }
    if (n == 0)
        return error_set(error, GB_NOT_FOUND,
                         "no kernel with two visits of 1000 samples or more: record them with"
                         " policy = budget or fixed and rounds = 2 or more");
    qsort(kernels, n, sizeof *kernels, by_words);
    *ret_kernels = kernels;
    *ret_n = n;
    return GB_OK;
}

/* --- samples --- */

enum { TIME, ELAPSED, CLOCK, ITERATIONS, THROTTLE, FLAGS, COLUMNS };

int32_t recorded_read(const struct visit *visit, struct trace *ret, struct gb_error *error)
{
    const char *const names[COLUMNS] = {visit->clock, "elapsed",  "clock_hz",
                                        "iterations", "throttle", "flags"};
    bool is_known[COLUMNS] = {0};
    struct store *store = NULL;
    CLEANUP(free_pointer) double *whole = memory_allocate(visit->n * sizeof *whole);
    *ret = (struct trace){.n = visit->n, .tick_ns = visit->tick_ns};
    trace_reserve(ret, visit->n);
    double *const columns[COLUMNS] = {
        ret->time_ns, ret->sample_elapsed_ns, ret->clock_hz, whole, whole, whole};
    int32_t status = store_open(visit->path, STORE_READ, &store, error);
    for (size_t c = 0; c < COLUMNS && status == GB_OK; c++) {
        status = store_samples_read(store, visit->case_id, names[c], 0, visit->n, columns[c],
                                    error);
        for (uint64_t i = 0; i < visit->n && status == GB_OK; i++) {
            const double value = columns[c][i];
            const uint64_t number = value >= 0 && value < 0x1p63 ? (uint64_t)value : 0;
            is_known[c] = is_known[c] || !isnan(value);
            if (c == ITERATIONS)
                ret->iterations[i] = number > 0 ? number : visit->iterations;
            if (c == THROTTLE)
                ret->throttle[i] = number;
            if (c == FLAGS)
                ret->flags[i] = (uint32_t)number;
        }
    }
    store_close(store, NULL);
    if (status == GB_OK && !(is_known[TIME] && is_known[ELAPSED]))
        status = error_set(error, GB_INVALID, "%s: %s: has no %s", visit->path, visit->words,
                           is_known[TIME] ? "column elapsed" : "times");
    ret->has_clock = is_known[CLOCK];
    ret->has_throttle = is_known[THROTTLE];
    if (status != GB_OK)
        trace_free(ret);
    return status;
}
