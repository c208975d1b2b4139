/* relative.c - see relative.h. */
#include "core/compare/relative.h"

#include "core/base/members.h"
#include "core/compare/compare_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct record_of {
    int64_t id;
    size_t relative; /* index */
};

struct relatives {
    struct arena arena;
    const char *base;
    struct relative *items;
    size_t n;
    struct record_of *records; /* by id, once all are there */
    size_t n_records;
    size_t n_paired, n_unpaired, n_visits; /* cases */
    size_t n_refused;
    const char *refusal; /* of the first: "device model" */
};

static const struct compare_options options = {
    .margin = 0.01, .confidence = 0.95, .metric = "", .is_forced = true};

static void add_case(struct relatives *relatives, const struct compare_case *c,
                     struct relative relative)
{
    for (size_t i = 0; i < c->n_rounds; i++)
        MEMORY_APPEND(relatives->records, relatives->n_records,
                      ((struct record_of){c->rounds[i]->id, relatives->n}));
    MEMORY_APPEND(relatives->items, relatives->n, relative);
}

static void add_compared(struct relatives *relatives, const struct compared *c)
{
    const struct comparison *result = &c->result;
    bool has_interval = isfinite(result->low) && isfinite(result->high);
    if (!c->base || !c->new || isnan(result->theta))
        return;
    if (*c->conflict) {
        relatives->n_refused++;
        if (!relatives->refusal)
            relatives->refusal = arena_text(&relatives->arena, c->conflict);
        return;
    }
    *(result->is_visit    ? &relatives->n_visits
      : result->is_paired ? &relatives->n_paired
                          : &relatives->n_unpaired) += 1;
    add_case(relatives, c->new,
             (struct relative){.theta = result->theta,
                               .low = has_interval ? result->low : NAN,
                               .high = has_interval ? result->high : NAN});
}

/* The sides are there, the base first. */
static int32_t finish(struct relatives *relatives, struct compare *compare, struct gb_error *error)
{
    static const struct relative of_base = {NAN, NAN, NAN, true};
    int32_t status = compare_finish(compare, error);
    if (status != GB_OK)
        return status;
    const struct compare_result *result = compare_result(compare);
    for (size_t i = 0; i < result->base->n; i++)
        add_case(relatives, &result->base->cases[i], of_base);
    for (size_t i = 0; i < result->n_against; i++)
        for (size_t j = 0; j < result->against[i].n; j++)
            add_compared(relatives, &result->against[i].cases[j]);
    return GB_OK;
}

/* The cases of a run by the values of an option. *is_known: one run of them has the option;
 * *is_there: and a case of the base's value. */
static int32_t add_values(struct relatives *relatives, struct store *store, const char *path,
                          const struct stored_run *run, const char *name, const char *value,
                          bool *is_known, bool *is_there, struct gb_error *error)
{
    CLEANUP(compare_leave) struct compare *compare = compare_new(&options);
    bool has_option = false;
    int32_t status = sides_of_values(compare, store, path, run, name, value, &has_option, error);
    *is_known |= has_option;
    *is_there |= status == GB_OK && has_option;
    return status == GB_OK && has_option ? finish(relatives, compare, error) : status;
}

/* GB_NOT_FOUND only where no run has a case with the value; then *is_known: but other values. */
static int32_t add_all_values(struct relatives *relatives, struct store *store, const char *path,
                              const struct stored_run *runs, size_t n_runs, bool *ret_is_known,
                              struct gb_error *error)
{
    const char *equals = strchr(relatives->base, '=');
    const char *name = arena_text_n(&relatives->arena, relatives->base,
                                    (size_t)(equals - relatives->base));
    bool is_there = false;
    int32_t status = GB_OK;
    for (size_t i = 0; i < n_runs && (status == GB_OK || status == GB_NOT_FOUND); i++)
        status = add_values(relatives, store, path, &runs[i], name, equals + 1, ret_is_known,
                            &is_there, error);
    return status == GB_NOT_FOUND && is_there ? GB_OK : status;
}

static int32_t add_run(struct relatives *relatives, struct store *store, const char *path,
                       const struct stored_run *base, const struct stored_run *run,
                       struct gb_error *error)
{
    CLEANUP(compare_leave) struct compare *compare = compare_new(&options);
    int32_t status = side_of_run(compare, store, path, base, "", error);
    if (status == GB_OK && run->id != base->id)
        status = side_of_run(compare, store, path, run, "", error);
    return status == GB_OK ? finish(relatives, compare, error) : status;
}

static int32_t add_runs(struct relatives *relatives, struct store *store, const char *path,
                        const struct stored_run *runs, size_t n_runs, struct gb_error *error)
{
    struct stored_run *all = NULL;
    size_t n = 0, base = 0;
    int32_t status = store_runs(store, RUN_ALL, &relatives->arena, &all, &n, error);
    if (status == GB_OK)
        status = run_select(all, n, path, relatives->base, &base, error);
    for (size_t i = 0; status == GB_OK && i < n_runs; i++)
        status = add_run(relatives, store, path, &all[base], &runs[i], error);
    return status;
}

ORDER_BY_NUMBER(compare_records, struct record_of, id)

int32_t relatives_new(struct store *store, const char *path, const char *base,
                      const struct stored_run *runs, size_t n_runs, struct relatives **ret,
                      struct gb_error *error)
{
    struct relatives *relatives = memory_allocate(sizeof *relatives);
    bool is_known = false;
    int32_t status = GB_OK;
    relatives->base = arena_text(&relatives->arena, base);
    if (strchr(base, '='))
        status = add_all_values(relatives, store, path, runs, n_runs, &is_known, error);
    if (status == GB_OK && !is_known)
        status = add_runs(relatives, store, path, runs, n_runs, error);
    if (status != GB_OK) {
        relatives_free(relatives);
        return error_prefix(error, "--relative-to %s: ", base);
    }
    if (relatives->n_records)
        qsort(relatives->records, relatives->n_records, sizeof *relatives->records,
              compare_records);
    *ret = relatives;
    return GB_OK;
}

void relatives_free(struct relatives *relatives)
{
    if (!relatives)
        return;
    free(relatives->items);
    free(relatives->records);
    arena_free(&relatives->arena);
    free(relatives);
}

const struct relative *relatives_find(const struct relatives *relatives, int64_t case_id)
{
    struct record_of key = {.id = case_id};
    const struct record_of *found = relatives->n_records
                                        ? bsearch(&key, relatives->records, relatives->n_records,
                                                  sizeof key, compare_records)
                                        : NULL;
    return found ? &relatives->items[found->relative] : NULL;
}

size_t relatives_index(const struct relatives *relatives, const struct relative *relative)
{
    return (size_t)(relative - relatives->items);
}

size_t relatives_count(const struct relatives *relatives)
{
    return relatives->n;
}

void relatives_explain(const struct relatives *relatives, struct text *out)
{
    bool is_number = strspn(relatives->base, "0123456789") == strlen(relatives->base);
    bool is_place = text_equal(relatives->base, "newest") ||
                    text_equal(relatives->base, "previous");
    text_printf(out, "ratio: time over that of %s%s%s, with its 95 %% interval",
                is_place    ? "the "
                : is_number ? "run "
                            : "",
                relatives->base, is_place ? " run" : "");
    text_add(out, relatives->n_paired     ? ", paired by rounds"
                  : relatives->n_unpaired ? "; drift between the runs is in it"
                                          : "");
    text_add(out, relatives->n_visits ? "; of one round: in this visit\n" : "\n");
    if (relatives->n_refused)
        text_printf(out, "%zu case%s no ratio: another %s than the base\n", relatives->n_refused,
                    relatives->n_refused == 1 ? " has" : "s have", relatives->refusal);
}
