/* store_read.c - see store_read.h and store.h: runs, devices and samples out of the file. */
#include "core/store/store_read.h"

#include "core/store/store_internal.h"

#include <stdlib.h>
#include <string.h>

int32_t store_snapshot_begin(struct store *store, struct gb_error *error)
{
    const int32_t status = store->n_snapshots > 0
                               ? GB_OK
                               : store_finish(store, store_statement(store, "BEGIN", error), error);
    store->n_snapshots += status == GB_OK;
    return status;
}

void store_snapshot_end(struct store *store)
{
    if (--store->n_snapshots > 0)
        return;
    store_finish(store, store_statement(store, "END", NULL), NULL);
}

int32_t store_runs(struct store *store, int64_t run_number, struct arena *arena,
                   struct stored_run **ret_runs, size_t *ret_n, struct gb_error *error)
{
    struct row_reader reader = {store, arena, error, GB_OK};
    size_t n = 0;
    struct stored_run *runs = rows_read(&reader, TABLE_RUN, 0, &n);
    if (reader.status != GB_OK)
        return reader.status;
    for (size_t i = 0; i < n; i++)
        runs[i].number = (int64_t)i + 1;
    if (n == 0)
        return error_set(error, GB_NOT_FOUND, "%s: holds no run", store->path);
    if (run_number != RUN_ALL) {
        if (run_number < RUN_ALL || run_number > (int64_t)n)
            return n == 1 ? error_set(error, GB_NOT_FOUND, "%s: has no run %lld, only run 1",
                                      store->path, (long long)run_number)
                          : error_set(error, GB_NOT_FOUND, "%s: has no run %lld, only 1 to %zu",
                                      store->path, (long long)run_number, n);
        runs += run_number == RUN_NEWEST ? (int64_t)n - 1 : run_number - 1;
        n = 1;
    }
    for (size_t i = 0; i < n; i++)
        runs[i].record.facts = rows_read(&reader, TABLE_RUN_FACT, runs[i].id,
                                         &runs[i].record.n_facts);
    *ret_runs = runs;
    *ret_n = n;
    return reader.status;
}

static int32_t read_names(struct query select, struct arena *arena, const char ***ret_names,
                          size_t *ret_n)
{
    *ret_names = NULL;
    *ret_n = 0;
    while (query_next(&select))
        ARENA_APPEND(arena, *ret_names, *ret_n, row_text(select.row, 0, arena));
    return query_end(&select);
}

int32_t store_plans(struct store *store, struct arena *arena, const char ***ret_plans,
                    size_t *ret_n, struct gb_error *error)
{
    static const char select[] =
        "SELECT DISTINCT coalesce((SELECT p.value FROM run_fact AS p JOIN run_fact AS s"
        " USING (run_id) WHERE run_id = run.id AND p.name = '" SHARD_FACT_PLAN
        "' AND s.name = '" SHARD_FACT_SHARD "'), '') FROM run";
    return read_names(query_begin(store, error, select, ""), arena, ret_plans, ret_n);
}

/* By the shard's number, then by start. */
static int compare_shards(const void *a, const void *b)
{
    const struct stored_run *first = a, *second = b;
    const unsigned long x = strtoul(FACT(&first->record, SHARD_FACT_SHARD), NULL, 10);
    const unsigned long y = strtoul(FACT(&second->record, SHARD_FACT_SHARD), NULL, 10);
    if (x != y)
        return x < y ? -1 : 1;
    return (first->number > second->number) - (first->number < second->number);
}

int32_t store_newest_united(struct store *store, struct arena *arena, struct stored_run **ret_runs,
                            size_t *ret_n, struct gb_error *error)
{
    struct stored_run *runs = NULL;
    size_t n = 0, n_kept = 0;
    int32_t status = store_runs(store, RUN_NEWEST, arena, ret_runs, ret_n, error);
    if (status != GB_OK || !*FACT(&(*ret_runs)->record, SHARD_FACT_SHARD))
        return status;
    const char *plan = FACT(&(*ret_runs)->record, SHARD_FACT_PLAN);
    status = store_runs(store, RUN_ALL, arena, &runs, &n, error);
    if (status != GB_OK)
        return status;
    for (size_t i = 0; i < n; i++)
        if (*FACT(&runs[i].record, SHARD_FACT_SHARD) &&
            text_equal(FACT(&runs[i].record, SHARD_FACT_PLAN), plan))
            runs[n_kept++] = runs[i];
    qsort(runs, n_kept, sizeof *runs, compare_shards);
    n = n_kept;
    n_kept = 0;
    for (size_t i = 0; i < n; i++)
        if (i + 1 == n || !text_equal(FACT(&runs[i].record, SHARD_FACT_SHARD),
                                      FACT(&runs[i + 1].record, SHARD_FACT_SHARD)))
            runs[n_kept++] = runs[i];
    *ret_runs = runs;
    *ret_n = n_kept;
    return GB_OK;
}

int32_t store_run_read(struct store *store, int64_t run_number, struct arena *arena,
                       int64_t *ret_run_id, struct run_record *ret, struct gb_error *error)
{
    struct stored_run *runs = NULL;
    size_t n = 0;
    if (run_number == RUN_ALL)
        return error_set(error, GB_INVALID, "%s: one run is wanted here, not all", store->path);
    int32_t status = store_runs(store, run_number, arena, &runs, &n, error);
    if (status != GB_OK)
        return status;
    *ret_run_id = runs[0].id;
    *ret = runs[0].record;
    return GB_OK;
}

int32_t store_devices(struct store *store, int64_t run_id, struct arena *arena,
                      struct stored_devices *ret, struct gb_error *error)
{
    struct row_reader reader = {store, arena, error, GB_OK};
    ret->items = rows_read(&reader, TABLE_DEVICE, run_id, &ret->n);
    for (size_t i = 0; i < ret->n; i++) {
        struct stored_device *device = &ret->items[i];
        struct device_record *record = &device->record;
        record->facts = rows_read(&reader, TABLE_DEVICE_FACT, device->id, &record->n_facts);
        record->clocks = rows_read(&reader, TABLE_CLOCK, device->id, &record->n_clocks);
    }
    return reader.status;
}

const struct stored_device *stored_device_of(const struct stored_devices *devices, int64_t id)
{
    for (size_t i = 0; i < devices->n; i++)
        if (devices->items[i].id == id)
            return &devices->items[i];
    return NULL;
}

int32_t store_modules(struct store *store, int64_t run_id, struct arena *arena,
                      struct module_record **ret_modules, size_t *ret_n, struct gb_error *error)
{
    struct row_reader reader = {store, arena, error, GB_OK};
    *ret_modules = rows_read(&reader, TABLE_MODULE, run_id, ret_n);
    return reader.status;
}

#define SELECT_CASES "SELECT id FROM bench_case AS c WHERE run_id = ?1 AND " STORE_IS_LATEST

static int32_t read_ids(struct query select, int64_t **ret_ids, size_t *ret_n)
{
    int64_t *ids = NULL;
    size_t n = 0;
    while (query_next(&select))
        MEMORY_APPEND(ids, n, sqlite3_column_int64(select.row, 0));
    int32_t status = query_end(&select);
    if (status != GB_OK) {
        free(ids);
        return status;
    }
    *ret_ids = ids;
    *ret_n = n;
    return GB_OK;
}

int32_t store_case_times(struct store *store, struct arena *arena, struct case_time **ret,
                         size_t *ret_n, struct gb_error *error)
{
    /* With max, the other columns are those of its row (SQLite: bare columns in an aggregate). */
    struct query select = query_begin(
        store, error,
        "SELECT c.uid, c.plugin, coalesce(d.model, ''), c.wall_ns, max(c.started)"
        " FROM bench_case AS c LEFT JOIN device AS d ON d.id = c.device_id"
        " WHERE c.done AND c.wall_ns > 0 AND c.status <> 'skipped' GROUP BY c.uid ORDER BY c.uid",
        "");
    *ret = NULL;
    *ret_n = 0;
    while (query_next(&select))
        ARENA_APPEND(arena, *ret, *ret_n,
                     (struct case_time){.uid = row_text(select.row, 0, arena),
                                        .plugin = row_text(select.row, 1, arena),
                                        .model = row_text(select.row, 2, arena),
                                        .wall_ns = sqlite3_column_double(select.row, 3)});
    return query_end(&select);
}

int32_t store_positions(struct store *store, int64_t run_id, uint64_t **positions, size_t *n,
                        struct gb_error *error)
{
    struct query select = query_begin(
        store, error, "SELECT DISTINCT position FROM bench_case WHERE run_id = ?", "i", run_id);
    while (query_next(&select))
        MEMORY_APPEND(*positions, *n, (uint64_t)sqlite3_column_int64(select.row, 0));
    return query_end(&select);
}

int32_t store_case_ids_in_order(struct store *store, int64_t run_id, uint64_t first, uint64_t last,
                                int64_t **ret_ids, size_t *ret_n, struct gb_error *error)
{
    static const char select[] = SELECT_CASES
        " AND position BETWEEN ?2 AND ?3 ORDER BY position, device_name, device_index, round, "
        "sequence, started, uuid";
    return read_ids(query_begin(store, error, select, "iii", run_id, (int64_t)first, (int64_t)last),
                    ret_ids, ret_n);
}

int32_t store_case_ids(struct store *store, int64_t run_id, const char *plugin, int64_t **ret_ids,
                       size_t *ret_n, struct gb_error *error)
{
    static const char select[] = SELECT_CASES
        " AND (?2 IS NULL OR plugin = ?2) ORDER BY sequence, started, uuid";
    return read_ids(query_begin(store, error, select, "it", run_id, plugin), ret_ids, ret_n);
}

int32_t store_case_find(struct store *store, int64_t run_id, uint64_t position, uint32_t round,
                        int64_t *ret_id, struct gb_error *error)
{
    struct query select = query_begin(
        store, error,
        "SELECT id FROM bench_case WHERE run_id = ?1 AND position = ?2 AND round = ?3 AND done "
        "ORDER BY id DESC LIMIT 1",
        "iii", run_id, (int64_t)position, (int64_t)round);
    const bool is_there = query_next(&select);
    if (is_there)
        *ret_id = sqlite3_column_int64(select.row, 0);
    const int32_t status = query_end(&select);
    return status != GB_OK || is_there
               ? status
               : error_set(error, GB_NOT_FOUND, "%s: holds no visit %u of case %llu", store->path,
                           round, (unsigned long long)position);
}

int32_t store_case_counts(struct store *store, int64_t run_id, struct case_counts *ret,
                          struct gb_error *error)
{
#define COUNT_DONE(condition)                                                                      \
    "SELECT count(*) FROM bench_case AS c WHERE run_id = ? AND done AND " condition STORE_IS_LATEST
    const struct {
        const char *sql;
        int64_t *ret;
    } counts[] = {{COUNT_DONE(""), &ret->done},
                  {COUNT_DONE("status NOT IN ('ok', 'skipped') AND "), &ret->bad},
                  {COUNT_DONE("status = 'skipped' AND "), &ret->skipped}};
#undef COUNT_DONE
    int32_t status = GB_OK;
    for (size_t i = 0; status == GB_OK && i < sizeof counts / sizeof *counts; i++)
        status = store_integer(store, counts[i].sql, run_id, counts[i].ret, error);
    return status;
}

/* Of all cases of a run, or of the one. */
#define NAMES_OF_RUN(table)                                                                        \
    "SELECT name FROM (SELECT DISTINCT t.name FROM bench_case AS c"                                \
    " JOIN " table " AS t ON t.case_id = c.id WHERE c.run_id = ?) ORDER BY name"
#define NAMES_OF_CASE(table) "SELECT DISTINCT name FROM " table " WHERE case_id = ? ORDER BY name"

int32_t store_parameter_names(struct store *store, int64_t run_id, int64_t case_id,
                              struct arena *arena, const char ***ret_names, size_t *ret_n,
                              struct gb_error *error)
{
    const char *sql = case_id ? NAMES_OF_CASE("parameter") : NAMES_OF_RUN("parameter");
    return read_names(query_begin(store, error, sql, "i", case_id ? case_id : run_id), arena,
                      ret_names, ret_n);
}

int32_t store_metric_names(struct store *store, int64_t run_id, int64_t case_id,
                           struct arena *arena, const char ***ret_names, size_t *ret_n,
                           struct gb_error *error)
{
    const char *sql = case_id ? NAMES_OF_CASE("metric") : NAMES_OF_RUN("metric");
    return read_names(query_begin(store, error, sql, "i", case_id ? case_id : run_id), arena,
                      ret_names, ret_n);
}

int32_t store_column_names(struct store *store, int64_t case_id, struct arena *arena,
                           const char ***ret_names, size_t *ret_n, struct gb_error *error)
{
    static const char select[] =
        "SELECT DISTINCT name FROM samples WHERE case_id = ? ORDER BY name";
    return read_names(query_begin(store, error, select, "i", case_id), arena, ret_names, ret_n);
}

static int32_t report_done(struct store *store, int64_t run_id, store_done_fn *done, void *context,
                           struct gb_error *error)
{
    CLEANUP(arena_free) struct arena scratch = {0};
    struct query select = query_begin(
        store, error,
        "SELECT position, round, device_name, device_index FROM bench_case WHERE run_id = ?"
        " GROUP BY position, round, device_name, device_index ORDER BY min(sequence)",
        "i", run_id);
    while (query_next(&select))
        done(context, (uint64_t)sqlite3_column_int64(select.row, 0),
             (uint32_t)sqlite3_column_int64(select.row, 1), row_text(select.row, 2, &scratch),
             (int32_t)sqlite3_column_int64(select.row, 3));
    return query_end(&select);
}

int32_t store_resume(struct store *store, int64_t run_id, store_done_fn *done, void *context,
                     uint64_t *ret_next_sequence, struct gb_error *error)
{
    static const char delete_undone[] = "DELETE FROM bench_case WHERE run_id = ? AND NOT done";
    static const char begin_again[] = "UPDATE run SET finished = NULL, exit_code = NULL"
                                      " WHERE id = ?";
    static const char next_sequence[] = "SELECT coalesce(max(sequence) + 1, 0) FROM bench_case"
                                        " WHERE run_id = ?";
    int64_t next = 0;
    int32_t status = store_begin(store, error);
    if (status != GB_OK)
        return status;
    status = store_finish(store, store_statement_on(store, delete_undone, run_id, error), error);
    if (status == GB_OK)
        status = store_finish(store, store_statement_on(store, begin_again, run_id, error), error);
    if (status == GB_OK)
        status = store_integer(store, next_sequence, run_id, &next, error);
    status = store_end(store, status, error);
    if (status != GB_OK)
        return status;
    *ret_next_sequence = (uint64_t)next;
    return report_done(store, run_id, done, context, error);
}

/* ---- runs by their numbers and names ---- */

static const char *label_or_fact(const struct run_record *run, const char *name)
{
    CLEANUP(text_free) struct text label = {0};
    text_printf(&label, "label.%s", name);
    const char *value = FACT(run, text_get(&label));
    return *value ? value : FACT(run, name);
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
            return error_set(error, GB_NOT_FOUND,
                             "%s: contains only one run: there is no previous one", path);
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
