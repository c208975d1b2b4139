/* stopping_recordings.c - see stopping_recordings.h. */
#include "tests/stopping/stopping_recordings.h"

#include "core/base/text.h"

#include <dirent.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { VISIT_LEAST = 1000 }; /* samples; fewer are no long recording */

struct visits {
    struct visit *items;
    size_t n;
};

double mid_median_of_sorted(const double *sorted, uint64_t n)
{
    double target = 0.5 * (double)n, last = 0, last_middle = -1;
    for (uint64_t i = 0; i < n;) {
        uint64_t end = i + 1;
        while (end < n && sorted[end] == sorted[i])
            end++;
        double middle = 0.5 * (double)(i + end);
        if (middle >= target)
            return last_middle < 0 ? sorted[i]
                                   : last + (sorted[i] - last) * (target - last_middle) /
                                                (middle - last_middle);
        last = sorted[i];
        last_middle = middle;
        i = end;
    }
    return n > 0 ? last : NAN;
}

/* --- finding --- */

static const char *words_of(const struct stored_case *c, struct arena *arena)
{
    CLEANUP(text_free) struct text words = {0};
    text_add(&words, c->bench);
    for (size_t i = 0; i < c->n_parameters; i++)
        if (c->parameters[i].is_axis)
            text_printf(&words, " %s=%s", c->parameters[i].name, c->parameters[i].value.text);
    return arena_text(arena, text_get(&words));
}

static double *values_new(uint64_t n, struct gb_error *error)
{
    double *values = n < SIZE_MAX / sizeof *values ? malloc((n + 1) * sizeof *values) : NULL;
    if (!values)
        error_set(error, GB_NO_MEMORY, "no memory for %llu samples", (unsigned long long)n);
    return values;
}

static int32_t read_median(struct store *store, struct visit *visit, struct gb_error *error)
{
    CLEANUP(free_pointer) double *values = values_new(visit->n, error);
    if (!values)
        return GB_NO_MEMORY;
    int32_t status = store_samples_read(store, visit->case_id, visit->clock, 0, visit->n, values,
                                        error);
    if (status != GB_OK)
        return status;
    uint64_t n = 0;
    for (uint64_t i = 0; i < visit->n; i++)
        if (isfinite(values[i]))
            values[n++] = values[i];
    sort_values(values, n);
    visit->median_ns = mid_median_of_sorted(values, n);
    return GB_OK;
}

static int32_t take_case(struct store *store, const char *path, int64_t id, struct arena *arena,
                         struct visits *visits, struct gb_error *error)
{
    struct stored_case c;
    int32_t status = store_case_read(store, id, arena, &c, error);
    if (status != GB_OK)
        return status;
    const struct case_record *record = &c.record;
    bool is_unbiased = text_equal(c.policy_plugin, "fixed") ||
                       text_equal(c.policy_plugin, "budget");
    if (record->status != CASE_OK || !is_unbiased || record->n_samples < VISIT_LEAST)
        return GB_OK;
    uint64_t iterations = record->iterations > 0 ? record->iterations : 1;
    struct visit visit = {.path = path,
                          .case_id = id,
                          .uid = arena_text(arena, record->uid),
                          .words = words_of(&c, arena),
                          .clock = record->clock,
                          .n = record->n_samples,
                          .iterations = iterations,
                          .tick_ns = record->tick_ns / (double)iterations};
    status = read_median(store, &visit, error);
    if (status != GB_OK || !(visit.median_ns > 0))
        return status;
    visits->items = arena_grow(arena, visits->items, visits->n, sizeof *visits->items);
    visits->items[visits->n++] = visit;
    return GB_OK;
}

static int32_t take_run(struct store *store, const char *path, int64_t run_id, struct arena *arena,
                        struct visits *visits, struct gb_error *error)
{
    CLEANUP(free_pointer) int64_t *ids = NULL;
    size_t n = 0;
    int32_t status = store_case_ids(store, run_id, NULL, &ids, &n, error);
    for (size_t i = 0; i < n && status == GB_OK; i++)
        status = take_case(store, path, ids[i], arena, visits, error);
    return status;
}

static int32_t take_file(const char *path, struct arena *arena, struct visits *visits,
                         struct gb_error *error)
{
    struct store *store = NULL;
    struct stored_run *runs = NULL;
    size_t n = 0;
    int32_t status = store_open(path, STORE_READ, &store, error);
    if (status != GB_OK)
        return status;
    status = store_runs(store, RUN_ALL, arena, &runs, &n, error);
    for (size_t i = 0; i < n && status == GB_OK; i++)
        status = take_run(store, path, runs[i].id, arena, visits, error);
    store_close(store, NULL);
    return status;
}

static int is_results_file(const struct dirent *entry)
{
    return text_ends_with(entry->d_name, ".gbr");
}

static int32_t take_path(const char *path, struct arena *arena, struct visits *visits,
                         struct gb_error *error)
{
    struct stat info;
    if (stat(path, &info) != 0 || !S_ISDIR(info.st_mode))
        return take_file(path, arena, visits, error);
    struct dirent **entries = NULL;
    int n = scandir(path, &entries, is_results_file, alphasort);
    int32_t status = n > 0 ? GB_OK
                           : error_set(error, GB_NOT_FOUND,
                                       "%s: the folder holds no results file NAME.gbr", path);
    for (int i = 0; i < n; i++) {
        if (status == GB_OK)
            status = take_file(arena_printf(arena, "%s/%s", path, entries[i]->d_name), arena,
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
    const struct kernel *x = a, *y = b;
    int order = strcmp(x->words, y->words);
    return order ? order : strcmp(x->visits->uid, y->visits->uid);
}

static void judge_kernel(struct kernel *kernel)
{
    double *medians = memory_allocate(kernel->n_visits * sizeof *medians);
    for (size_t i = 0; i < kernel->n_visits; i++)
        medians[i] = kernel->visits[i].median_ns;
    sort_values(medians, kernel->n_visits);
    kernel->reference_ns = quantile_of_sorted(medians, kernel->n_visits, 0.5);
    kernel->spread = (medians[kernel->n_visits - 1] - medians[0]) / kernel->reference_ns;
    free(medians);
}

static struct kernel *kernels_of(struct visits *visits, struct arena *arena, size_t *ret_n)
{
    struct kernel *kernels = NULL;
    size_t n = 0;
    if (visits->n > 0)
        qsort(visits->items, visits->n, sizeof *visits->items, by_identity);
    for (size_t first = 0; first < visits->n;) {
        size_t end = first + 1;
        while (end < visits->n && text_equal(visits->items[end].uid, visits->items[first].uid))
            end++;
        if (end - first >= 2) {
            kernels = arena_grow(arena, kernels, n, sizeof *kernels);
            kernels[n] = (struct kernel){.words = visits->items[first].words,
                                         .visits = &visits->items[first],
                                         .n_visits = end - first};
            judge_kernel(&kernels[n++]);
        }
        first = end;
    }
    if (n > 0)
        qsort(kernels, n, sizeof *kernels, by_words);
    *ret_n = n;
    return kernels;
}

int32_t recordings_find(const char *const *paths, size_t n_paths, struct arena *arena,
                        struct kernel **ret_kernels, size_t *ret_n, struct gb_error *error)
{
    struct visits visits = {0};
    for (size_t i = 0; i < n_paths; i++) {
        int32_t status = take_path(paths[i], arena, &visits, error);
        if (status != GB_OK)
            return status;
    }
    *ret_kernels = kernels_of(&visits, arena, ret_n);
    if (*ret_n == 0)
        return error_set(error, GB_NOT_FOUND,
                         "no kernel with two visits of %d samples or more: record them with"
                         " policy = budget or fixed and rounds = 2 or more",
                         VISIT_LEAST);
    return GB_OK;
}

/* --- samples --- */

enum { TIME, ELAPSED, ITERATIONS, CLOCK, THROTTLE, FLAGS };

struct reader {
    struct store *store;
    const struct visit *visit;
    struct recorded *recorded;
    struct gb_error *error;
};

/* A column of doubles; left out where the file has none. */
static int32_t read_column(const struct reader *reader, int column, const char *name)
{
    const struct visit *visit = reader->visit;
    double *values = values_new(visit->n, reader->error);
    if (!values)
        return GB_NO_MEMORY;
    reader->recorded->columns[column] = values;
    int32_t status = store_samples_read(reader->store, visit->case_id, name, 0, visit->n, values,
                                        reader->error);
    bool is_there = false;
    for (uint64_t i = 0; i < visit->n && !is_there; i++)
        is_there = !isnan(values[i]);
    if (status == GB_OK && !is_there) {
        free(values);
        reader->recorded->columns[column] = NULL;
    }
    return status;
}

static uint64_t to_whole(double value)
{
    return value >= 0 && value < 0x1p63 ? (uint64_t)value : 0;
}

/* Whole numbers of 64 or 32 bits in the place of their doubles, as they are no larger. */
static void make_whole(void *column, uint64_t n, bool is_short)
{
    const double *values = column;
    for (uint64_t i = 0; i < n && column; i++) {
        uint64_t whole = to_whole(values[i]);
        uint32_t low = (uint32_t)whole;
        if (is_short)
            memcpy((char *)column + i * sizeof low, &low, sizeof low);
        else
            memcpy((char *)column + i * sizeof whole, &whole, sizeof whole);
    }
}

/* Columns that a policy may count on. */
static int32_t complete(const struct reader *reader)
{
    const struct visit *visit = reader->visit;
    void **columns = reader->recorded->columns;
    if (!columns[TIME] || !columns[ELAPSED])
        return error_set(reader->error, GB_INVALID, "%s: %s: has no %s", visit->path, visit->words,
                         columns[TIME] ? "column elapsed" : "times");
    if (!columns[ITERATIONS]) {
        double *iterations = values_new(visit->n, reader->error);
        if (!iterations)
            return GB_NO_MEMORY;
        for (uint64_t i = 0; i < visit->n; i++)
            iterations[i] = (double)visit->iterations;
        columns[ITERATIONS] = iterations;
    }
    make_whole(columns[ITERATIONS], visit->n, false);
    make_whole(columns[THROTTLE], visit->n, false);
    make_whole(columns[FLAGS], visit->n, true);
    return GB_OK;
}

int32_t recorded_read(const struct visit *visit, struct recorded *ret, struct gb_error *error)
{
    const char *const names[] = {
        [TIME] = visit->clock, [ELAPSED] = "elapsed",   [ITERATIONS] = "iterations",
        [CLOCK] = "clock_hz",  [THROTTLE] = "throttle", [FLAGS] = "flags"};
    struct reader reader = {.visit = visit, .recorded = ret, .error = error};
    *ret = (struct recorded){0};
    int32_t status = store_open(visit->path, STORE_READ, &reader.store, error);
    if (status != GB_OK)
        return status;
    for (int i = TIME; i <= FLAGS && status == GB_OK; i++)
        status = read_column(&reader, i, names[i]);
    store_close(reader.store, NULL);
    if (status == GB_OK)
        status = complete(&reader);
    if (status != GB_OK) {
        recorded_free(ret);
        return status;
    }
    ret->samples = (struct gb_samples){.size = sizeof ret->samples,
                                       .n = visit->n,
                                       .time_ns = ret->columns[TIME],
                                       .elapsed_ns = ret->columns[ELAPSED],
                                       .iterations = ret->columns[ITERATIONS],
                                       .clock_hz = ret->columns[CLOCK],
                                       .throttle = ret->columns[THROTTLE],
                                       .flags = ret->columns[FLAGS],
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
    for (int i = TIME; i <= FLAGS; i++)
        free(recorded->columns[i]);
    *recorded = (struct recorded){0};
}
