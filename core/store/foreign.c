/* foreign.c - see foreign.h. */
#include "core/store/foreign.h"

#include "core/base/plain_text.h"
#include "core/store/store_internal.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What each statement gives, a row for each time that was measured. Rows of one label and round are
 * together. */
enum {
    AT_LABEL,
    AT_ROUND,
    AT_NS,
    AT_STATUS, /* ok, failed, skipped */
    AT_TEXT,
    AT_HALF_RATIO, /* of the interval of the time; NULL: not known */
    AT_FILE,       /* of float32 seconds, beside the JSON; NULL: none */
};

/* SQLite parses JSON anew for each call of its functions: what many rows come from is taken out of
 * it once, by a subquery that LIMIT keeps from being merged with the join around it. */
#define ONCE " LIMIT -1)"

/* A number or text of a state of NVBench, which stands in its summaries. */
#define SUMMARY(tag, name)                                                                         \
    "(SELECT json_extract(d.value, '$.value') FROM json_each(s.value, '$.summaries') AS m,"        \
    " json_each(m.value, '$.data') AS d WHERE json_extract(m.value, '$.tag') = '" tag "'"          \
    " AND json_extract(d.value, '$.name') = '" name "')"

static const char google_rows[] =
    "SELECT replace(replace(json_extract(b.value, '$.name'), '/', ' '), ':', '='),"
    " row_number() OVER (PARTITION BY json_extract(b.value, '$.name') ORDER BY b.key) - 1,"
    " json_extract(b.value, '$.real_time') * CASE json_extract(b.value, '$.time_unit')"
    " WHEN 'us' THEN 1e3 WHEN 'ms' THEN 1e6 WHEN 's' THEN 1e9 ELSE 1 END,"
    " CASE WHEN json_extract(b.value, '$.error_occurred') THEN 'failed'"
    " WHEN json_extract(b.value, '$.skipped') IS NOT NULL THEN 'skipped' ELSE 'ok' END,"
    " coalesce(json_extract(b.value, '$.error_message'), ''), NULL, NULL"
    " FROM json_each(?1, '$.benchmarks') AS b"
    " WHERE coalesce(json_extract(b.value, '$.run_type'), 'iteration') = 'iteration' ORDER BY 1, 2";

#define MEAN SUMMARY("nv/cold/time/gpu/mean", "value")
#define DEVIATION SUMMARY("nv/cold/time/gpu/stdev/relative", "value")
#define SAMPLES SUMMARY("nv/cold/sample_size", "value")
#define SAMPLE_FILE SUMMARY("nv/json/bin:nv/cold/sample_times", "filename")

static const char nvbench_rows[] =
    "WITH states AS (SELECT b.name AS bench, s.value AS value"
    " FROM (SELECT json_extract(value, '$.name') AS name, json_extract(value, '$.states') AS states"
    " FROM json_each(?1, '$.benchmarks')" ONCE " AS b, json_each(b.states) AS s)"
    " SELECT bench || coalesce((SELECT group_concat(' ' || json_extract(a.value, '$.name')"
    " || '=' || json_extract(a.value, '$.value'), '')"
    " FROM json_each(s.value, '$.axis_values') AS a), ''), 0, 1e9 * " MEAN
    ", CASE WHEN json_extract(s.value, '$.is_skipped') THEN 'skipped' ELSE 'ok' END,"
    " coalesce(json_extract(s.value, '$.skip_reason'), ''), 1.96 * " DEVIATION " / sqrt(" SAMPLES
    "), " SAMPLE_FILE " FROM states AS s ORDER BY 1, 2";

static const char hyperfine_rows[] =
    "SELECT r.command, t.key, 1e9 * t.value, 'ok', '', NULL, NULL"
    " FROM (SELECT json_extract(value, '$.command') AS command, json_extract(value, '$.times') AS"
    " times FROM json_each(?1, '$.results')" ONCE " AS r, json_each(r.times) AS t ORDER BY 1, 2";

static const char pyperf_rows[] =
    "SELECT coalesce(b.name, of_all.name, 'benchmark'), r.key, 1e9 * v.value, 'ok', '', NULL, NULL"
    " FROM (SELECT json_extract(?1, '$.metadata.name') AS name" ONCE " AS of_all,"
    " (SELECT json_extract(value, '$.metadata.name') AS name, json_extract(value, '$.runs') AS runs"
    " FROM json_each(?1, '$.benchmarks')" ONCE " AS b, json_each(b.runs) AS r,"
    " json_each(r.value, '$.values') AS v ORDER BY 1, 2";

static const struct tool {
    const char *name, *sign; /* sign: SQL, true for its files */
    const char *rows;
} tools[] = {
    {"Google Benchmark", "json_type(?1, '$.context') = 'object'", google_rows},
    {"NVBench", "json_type(?1, '$.meta.version') = 'object'", nvbench_rows},
    {"hyperfine", "json_type(?1, '$.results') = 'array'", hyperfine_rows},
    {"pyperf", "json_type(?1, '$.benchmarks[0].runs') = 'array'", pyperf_rows},
};
enum { TOOLS = sizeof tools / sizeof *tools };

bool foreign_is(const char *path)
{
    FILE *file = fopen(path, "re");
    char head[64] = "";
    size_t n = file ? fread(head, 1, sizeof head - 1, file) : 0;
    if (file)
        fclose(file);
    head[n] = 0;
    return head[strspn(head, " \t\r\n")] == '{';
}

static int32_t read_whole(const char *path, struct text *ret, struct gb_error *error)
{
    enum { MOST = 256 << 20 };
    switch (text_add_file(ret, path, MOST)) {
    case FILE_NOT_OPENED:
        return error_set(error, GB_NOT_FOUND, "%s: cannot be read: %s", path, reason_of(errno));
    case FILE_NOT_READ:
        return error_set(error, GB_INVALID, "%s: cannot be read", path);
    case FILE_TOO_LONG:
        return error_set(error, GB_INVALID, "%s: is larger than 256 MiB", path);
    default:
        return GB_OK;
    }
}

/* The values of one round so far. */
struct round_times {
    double *items;
    size_t n;
};

/* float32, little-endian as the machines are that NVBench runs on; seconds. */
static int32_t read_floats(const char *path, const char *name, struct round_times *times,
                           struct gb_error *error)
{
    CLEANUP(text_free) struct text full = {0};
    const char *slash = strrchr(path, '/');
    float value;
    if (*name != '/' && slash)
        text_add_n(&full, path, (size_t)(slash + 1 - path));
    text_add(&full, name);
    FILE *file = fopen(text_get(&full), "re");
    if (!file)
        return error_set(error, GB_NOT_FOUND, "%s: names the file %s, which cannot be read: %s",
                         path, text_get(&full), reason_of(errno));
    while (fread(&value, sizeof value, 1, file) == 1)
        if (isfinite(value) && value > 0)
            MEMORY_APPEND(times->items, times->n, 1e9 * (double)value);
    fclose(file);
    return GB_OK;
}

/* Of several values the median, with its sign interval where that is known. */
static void set_time(struct outcome *outcome, struct round_times *times, double half_ratio)
{
    static const double confidence = 0.95;
    sort_values(times->items, times->n);
    outcome->value = quantile_of_sorted(times->items, times->n, 0.5);
    outcome->n_samples = (double)times->n;
    outcome->low_ns = outcome->value * (1 - half_ratio);
    outcome->high_ns = outcome->value * (1 + half_ratio);
    size_t k = sign_interval_rank(times->n, confidence);
    if (k > 0 && isnan(half_ratio)) {
        outcome->low_ns = times->items[k - 1];
        outcome->high_ns = times->items[times->n - k];
    }
}

static char *text_at(sqlite3_stmt *rows, int at, struct arena *arena)
{
    return make_plain_line(row_text(rows, at, arena));
}

/* For what a record of gbrun says and these files do not. */
static struct outcome foreign_outcome(const char *label, uint32_t round, const char *tool)
{
    return (struct outcome){.uid = label,
                            .bench = label,
                            .plugin = tool,
                            .plugin_sha256 = "",
                            .policy = "",
                            .device_name = "",
                            .cache = "",
                            .launch = "",
                            .pace = "",
                            .environment = "",
                            .clock = "",
                            .device_index = -1,
                            .round = round,
                            .status_text = "",
                            .value = NAN,
                            .low_ns = NAN,
                            .high_ns = NAN,
                            .n_throttled = NAN,
                            .sampled_ns = NAN,
                            .others_cpu_ns = NAN};
}

struct foreign {
    const char *path, *tool;
    struct arena *arena;
    struct outcome *items;
    size_t n;
    struct round_times times; /* of the last of them */
    double half_ratio;
};

static void end_round(struct foreign *foreign)
{
    if (foreign->n && foreign->times.n)
        set_time(&foreign->items[foreign->n - 1], &foreign->times, foreign->half_ratio);
    foreign->times.n = 0;
    free(foreign->times.items); /* memory_grow counts on all items having come through it */
    foreign->times.items = NULL;
}

static int32_t take_row(struct foreign *foreign, sqlite3_stmt *rows, struct gb_error *error)
{
    const char *label = text_at(rows, AT_LABEL, foreign->arena);
    uint32_t round = (uint32_t)sqlite3_column_int64(rows, AT_ROUND);
    struct outcome *last = foreign->n ? &foreign->items[foreign->n - 1] : NULL;
    bool is_same = last && last->round == round && text_equal(last->uid, label);
    if (!is_same) {
        end_round(foreign);
        uint64_t position = last ? last->position + !text_equal(last->uid, label) : 0;
        last = ARENA_ADD(foreign->arena, foreign->items, foreign->n);
        *last = foreign_outcome(label, round, foreign->tool);
        last->position = position;
        last->status = case_status_named(text_at(rows, AT_STATUS, foreign->arena));
        last->status_text = text_at(rows, AT_TEXT, foreign->arena);
        foreign->half_ratio = row_real(rows, AT_HALF_RATIO);
    }
    const char *file = text_at(rows, AT_FILE, foreign->arena);
    double ns = row_real(rows, AT_NS);
    if (*file && last->status == CASE_OK) {
        foreign->half_ratio = NAN;
        return read_floats(foreign->path, file, &foreign->times, error);
    }
    if (isfinite(ns) && ns > 0)
        MEMORY_APPEND(foreign->times.items, foreign->times.n, ns);
    return GB_OK;
}

/* A statement about the text, which is its ?1; NULL: SQLite says why. */
static sqlite3_stmt *prepare(sqlite3 *db, const char *sql, const struct text *json)
{
    sqlite3_stmt *statement = NULL;
    if (sqlite3_prepare_v2(db, sql, -1, &statement, NULL) == SQLITE_OK &&
        sqlite3_bind_text(statement, 1, text_get(json), (int)json->length, SQLITE_STATIC) ==
            SQLITE_OK)
        return statement;
    sqlite3_finalize(statement);
    return NULL;
}

static bool is_true(sqlite3 *db, const char *condition, const struct text *json)
{
    CLEANUP(text_free) struct text sql = {0};
    text_printf(&sql, "SELECT %s", condition);
    sqlite3_stmt *statement = prepare(db, text_get(&sql), json);
    bool is = statement && sqlite3_step(statement) == SQLITE_ROW &&
              sqlite3_column_int(statement, 0) != 0;
    sqlite3_finalize(statement);
    return is;
}

static int32_t read_rows(sqlite3 *db, const struct tool *tool, const struct text *json,
                         struct foreign *foreign, struct gb_error *error)
{
    sqlite3_stmt *rows = prepare(db, tool->rows, json);
    int code = SQLITE_ERROR;
    int32_t status = GB_OK;
    while (rows && status == GB_OK && (code = sqlite3_step(rows)) == SQLITE_ROW)
        status = take_row(foreign, rows, error);
    end_round(foreign);
    if (status == GB_OK && code != SQLITE_DONE)
        status = error_set(error, GB_INVALID, "%s: is not understood as a file of %s: %s",
                           foreign->path, tool->name, sqlite3_errmsg(db));
    sqlite3_finalize(rows);
    return status;
}

static int32_t read_json(sqlite3 *db, const struct text *json, struct foreign *foreign,
                         struct gb_error *error)
{
    const struct tool *tool = NULL;
    if (!is_true(db, "json_valid(?1)", json))
        return error_set(error, GB_INVALID, "%s: is neither a results file nor JSON",
                         foreign->path);
    for (size_t i = 0; i < TOOLS && !tool; i++)
        if (is_true(db, tools[i].sign, json))
            tool = &tools[i];
    if (!tool)
        return error_set(error, GB_INVALID,
                         "%s: is JSON, but not of Google Benchmark, NVBench, hyperfine or pyperf",
                         foreign->path);
    foreign->tool = tool->name;
    int32_t status = read_rows(db, tool, json, foreign, error);
    if (status == GB_OK && foreign->n == 0)
        status = error_set(error, GB_NOT_FOUND, "%s: no time is in this file of %s", foreign->path,
                           tool->name);
    return status;
}

int32_t foreign_outcomes(const char *path, struct arena *arena, struct outcome **ret, size_t *ret_n,
                         const char **ret_tool, struct gb_error *error)
{
    CLEANUP(text_free) struct text json = {0};
    struct foreign foreign = {.path = path, .arena = arena};
    sqlite3 *db = NULL;
    int32_t status = read_whole(path, &json, error);
    if (status == GB_OK && sqlite3_open(":memory:", &db) != SQLITE_OK)
        status = error_set(error, GB_NO_MEMORY, "SQLite cannot be started");
    if (status == GB_OK)
        status = read_json(db, &json, &foreign, error);
    sqlite3_close(db);
    *ret = foreign.items;
    *ret_n = foreign.n;
    *ret_tool = foreign.tool;
    return status;
}
