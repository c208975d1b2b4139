/* run_select.c - see store_read.h: runs by their numbers and names. */
#include "core/store/store_read.h"

#include <stdlib.h>
#include <string.h>

static const char *label_or_fact(const struct run_record *run, const char *name)
{
    CLEANUP(text_free) struct text label = {0};
    text_printf(&label, "label.%s", name);
    const char *value = fact_of(run->facts, run->n_facts, text_get(&label));
    return *value ? value : fact_of(run->facts, run->n_facts, name);
}

static bool value_matches(const char *value, const char *wanted)
{
    enum { ABBREVIATED_LEAST = 7 };
    return text_equal(value, wanted) ||
           (strlen(wanted) >= ABBREVIATED_LEAST && text_starts_with(value, wanted));
}

static int32_t select_by_name(const struct stored_run *runs, size_t n, const char *path,
                              const char *text, size_t *ret, struct gb_error *error)
{
    CLEANUP(text_free) struct text name = {0};
    CLEANUP(text_free) struct text there = {0};
    const char *equals = strchr(text, '=');
    text_add_n(&name, text, (size_t)(equals - text));
    for (size_t i = n; i-- > 0;) {
        const char *value = label_or_fact(&runs[i].record, text_get(&name));
        if (*value && value_matches(value, equals + 1)) {
            *ret = i;
            return GB_OK;
        }
        if (*value && there.length < 200 && !strstr(text_get(&there), value))
            text_printf(&there, "%s%s", there.length ? ", " : "; there are ", value);
    }
    return error_set(error, GB_NOT_FOUND, "%s: no run has %s%s", path, text,
                     there.length ? text_get(&there) : ", nor another value of it");
}

int32_t run_select(const struct stored_run *runs, size_t n, const char *path, const char *text,
                   size_t *ret, struct gb_error *error)
{
    char *end;
    if (text_equal(text, "newest")) {
        *ret = n - 1;
        return GB_OK;
    }
    if (text_equal(text, "previous")) {
        if (n < 2)
            return error_set(error, GB_NOT_FOUND, "%s: holds one run, so none is previous", path);
        *ret = n - 2;
        return GB_OK;
    }
    if (strchr(text, '='))
        return select_by_name(runs, n, path, text, ret, error);
    long long number = strtoll(text, &end, 10);
    if (end == text || *end)
        return error_set(
            error, GB_INVALID,
            "run '%s': expected its number, newest, previous, or NAME=VALUE of a label", text);
    if (number < 1 || number > (long long)n)
        return error_set(error, GB_NOT_FOUND, "%s: has no run %lld, only 1 to %zu", path, number,
                         n);
    *ret = (size_t)number - 1;
    return GB_OK;
}

int32_t store_run_named(struct store *store, const char *path, const char *text,
                        int64_t *ret_number, struct gb_error *error)
{
    CLEANUP(arena_free) struct arena arena = {0};
    struct stored_run *runs = NULL;
    size_t n = 0, i = 0;
    int32_t status = store_runs(store, RUN_ALL, &arena, &runs, &n, error);
    if (status == GB_OK)
        status = run_select(runs, n, path, text, &i, error);
    if (status == GB_OK)
        *ret_number = runs[i].number;
    return status;
}
