/* stopping_recordings.c - see stopping_recordings.h. */
#include "tests/stopping/stopping_recordings.h"

#include "core/store/store_read.h"
#include "plugins/common/policy/mid_quantile.h"

#include <dirent.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { VISIT_LEAST = 1000 }; /* samples; fewer are no long recording */

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

static const char *words_of(const struct stored_case *c, struct arena *arena)
{
    const char *words = arena_text(arena, c->bench);
    for (size_t i = 0; i < c->n_parameters; i++)
        if (c->parameters[i].is_axis)
            words = arena_printf(arena, "%s %s=%s", words, c->parameters[i].name,
                                 c->parameters[i].value.text);
    return words;
}

/* Room for columns of n values. */
static double *columns_new(uint64_t n, size_t n_columns, struct gb_error *error)
{
    bool is_possible = n < SIZE_MAX / sizeof(double) / n_columns; /* a file can claim anything */
    double *values = is_possible ? malloc((n * n_columns + 1) * sizeof *values) : NULL;
    if (!values)
        error_set(error, GB_NO_MEMORY, "no memory for %llu samples", (unsigned long long)n);
    return values;
}

static int32_t take_case(struct store *store, const char *path, int64_t id, struct visits *visits,
                         struct gb_error *error)
{
    struct stored_case c;
    int32_t status = store_case_read(store, id, visits->arena, &c, error);
    if (status != GB_OK)
        return status;
    const struct case_record *record = &c.record;
    bool is_unbiased = text_equal(c.policy_plugin, "fixed") ||
                       text_equal(c.policy_plugin, "budget");
    if (record->status != CASE_OK || !is_unbiased || record->n_samples < VISIT_LEAST)
        return GB_OK;
    uint64_t iterations = record->iterations > 0 ? record->iterations : 1, n = 0;
    struct visit visit = {.path = path,
                          .case_id = id,
                          .uid = arena_text(visits->arena, record->uid),
                          .words = words_of(&c, visits->arena),
                          .clock = record->clock,
                          .n = record->n_samples,
                          .iterations = iterations,
                          .tick_ns = record->tick_ns / (double)iterations};
    CLEANUP(free_pointer) double *values = columns_new(visit.n, 1, error);
    if (!values)
        return GB_NO_MEMORY;
    status = store_samples_read(store, id, visit.clock, 0, visit.n, values, error);
    if (status != GB_OK)
        return status;
    for (uint64_t i = 0; i < visit.n; i++)
        if (isfinite(values[i]))
            values[n++] = values[i];
    visit.median_ns = mid_median(values, n);
    if (visit.median_ns > 0)
        ARENA_APPEND(visits->arena, visits->items, visits->n, visit);
    return GB_OK;
}

static int32_t take_file(const char *path, struct visits *visits, struct gb_error *error)
{
    struct store *store = NULL;
    struct stored_run *runs = NULL;
    size_t n = 0;
    int32_t status = store_open(path, STORE_READ, &store, error);
    if (status != GB_OK)
        return status;
    status = store_runs(store, RUN_ALL, visits->arena, &runs, &n, error);
    for (size_t i = 0; i < n && status == GB_OK; i++) {
        CLEANUP(free_pointer) int64_t *ids = NULL;
        size_t n_ids = 0;
        status = store_case_ids(store, runs[i].id, NULL, &ids, &n_ids, error);
        for (size_t j = 0; j < n_ids && status == GB_OK; j++)
            status = take_case(store, path, ids[j], visits, error);
    }
    store_close(store, NULL);
    return status;
}

static int is_results_file(const struct dirent *entry)
{
    return text_ends_with(entry->d_name, ".gbr");
}

static int32_t take_path(const char *path, struct visits *visits, struct gb_error *error)
{
    struct stat info;
    if (stat(path, &info) != 0 || !S_ISDIR(info.st_mode))
        return take_file(path, visits, error);
    struct dirent **entries = NULL;
    int n = scandir(path, &entries, is_results_file, alphasort);
    int32_t status = n > 0 ? GB_OK
                           : error_set(error, GB_NOT_FOUND,
                                       "%s: the folder holds no results file NAME.gbr", path);
    for (int i = 0; i < n; i++) {
        if (status == GB_OK)
            status = take_file(arena_printf(visits->arena, "%s/%s", path, entries[i]->d_name),
                               visits, error);
        free(entries[i]);
    }
    free(entries);
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
        int32_t status = take_path(paths[i], &visits, error);
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
                         "no kernel with two visits of %d samples or more: record them with"
                         " policy = budget or fixed and rounds = 2 or more",
                         VISIT_LEAST);
    qsort(kernels, n, sizeof *kernels, by_words);
    *ret_kernels = kernels;
    *ret_n = n;
    return GB_OK;
}

/* --- samples --- */

enum { TIME, ELAPSED, ITERATIONS, CLOCK, THROTTLE, FLAGS, COLUMNS };

/* Whole numbers of 64 or 32 bits in the place of their doubles, as they are no larger. */
static void make_whole(double *values, uint64_t n, bool is_short)
{
    for (uint64_t i = 0; i < n; i++) {
        uint64_t whole = values[i] >= 0 && values[i] < 0x1p63 ? (uint64_t)values[i] : 0;
        uint32_t low = (uint32_t)whole;
        if (is_short)
            memcpy((char *)values + i * sizeof low, &low, sizeof low);
        else
            memcpy((char *)values + i * sizeof whole, &whole, sizeof whole);
    }
}

/* NULL where no sample has a value, but in iterations, which are all the same then. */
static int32_t read_column(struct store *store, const struct visit *visit, size_t column,
                           double *values, void **ret, struct gb_error *error)
{
    const char *const names[] = {
        [TIME] = visit->clock, [ELAPSED] = "elapsed",   [ITERATIONS] = "iterations",
        [CLOCK] = "clock_hz",  [THROTTLE] = "throttle", [FLAGS] = "flags"};
    bool is_there = false;
    int32_t status = store_samples_read(store, visit->case_id, names[column], 0, visit->n, values,
                                        error);
    if (status != GB_OK)
        return status;
    for (uint64_t i = 0; i < visit->n && !is_there; i++)
        is_there = !isnan(values[i]);
    for (uint64_t i = 0; i < visit->n && !is_there && column == ITERATIONS; i++)
        values[i] = (double)visit->iterations;
    if (column == ITERATIONS || column == THROTTLE || column == FLAGS)
        make_whole(values, visit->n, column == FLAGS);
    *ret = is_there || column == ITERATIONS ? values : NULL;
    return GB_OK;
}

int32_t recorded_read(const struct visit *visit, struct recorded *ret, struct gb_error *error)
{
    struct store *store = NULL;
    void *columns[COLUMNS] = {0};
    *ret = (struct recorded){.values = columns_new(visit->n, COLUMNS, error)};
    int32_t status = ret->values ? store_open(visit->path, STORE_READ, &store, error)
                                 : GB_NO_MEMORY;
    for (size_t i = 0; i < COLUMNS && status == GB_OK; i++)
        status = read_column(store, visit, i, ret->values + i * visit->n, &columns[i], error);
    store_close(store, NULL);
    if (status == GB_OK && (!columns[TIME] || !columns[ELAPSED]))
        status = error_set(error, GB_INVALID, "%s: %s: has no %s", visit->path, visit->words,
                           columns[TIME] ? "column elapsed" : "times");
    if (status != GB_OK) {
        recorded_free(ret);
        return status;
    }
    ret->samples = (struct gb_samples){.size = sizeof ret->samples,
                                       .n = visit->n,
                                       .time_ns = columns[TIME],
                                       .elapsed_ns = columns[ELAPSED],
                                       .iterations = columns[ITERATIONS],
                                       .clock_hz = columns[CLOCK],
                                       .throttle = columns[THROTTLE],
                                       .flags = columns[FLAGS],
                                       .tick_ns = visit->tick_ns};
    return GB_OK;
}

struct gb_samples recorded_from(const struct recorded *recorded, uint64_t first, double *elapsed_ns)
{
    struct gb_samples part = recorded->samples;
    double begin_ns = first > 0 ? part.elapsed_ns[first - 1] : 0;
    part.n -= first;
    for (uint64_t i = 0; i < part.n; i++)
        elapsed_ns[i] = part.elapsed_ns[first + i] - begin_ns;
    part.time_ns += first;
    part.elapsed_ns = elapsed_ns;
    part.iterations += first;
    part.clock_hz = part.clock_hz ? part.clock_hz + first : NULL;
    part.throttle = part.throttle ? part.throttle + first : NULL;
    part.flags = part.flags ? part.flags + first : NULL;
    return part;
}

void recorded_free(struct recorded *recorded)
{
    free(recorded->values);
    *recorded = (struct recorded){0};
}
