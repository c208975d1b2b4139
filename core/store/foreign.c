/* foreign.c - see foreign.h. */
#include "core/store/foreign.h"

#include "core/base/input_file.h"
#include "core/base/json_reader.h"
#include "core/base/plain_text.h"
#include "core/store/store_internal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

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
#define SUMMARY(tags, name)                                                                        \
    "(SELECT json_extract(d.value, '$.value') FROM json_each(s.value, '$.summaries') AS m,"        \
    " json_each(m.value, '$.data') AS d WHERE json_extract(m.value, '$.tag') IN (" tags ")"        \
    " AND json_extract(d.value, '$.name') = '" name "')"

/* Complexities that it has fitted (BigO, RMS) are no times. */
static const char google_rows[] =
    "WITH b AS (SELECT *, time * CASE unit WHEN 'ns' THEN 1 WHEN 'us' THEN 1e3 WHEN 'ms' THEN 1e6"
    " WHEN 's' THEN 1e9 END AS ns, coalesce(label, CASE WHEN min(name) OVER same = max(name) OVER"
    " same THEN plain ELSE name END) AS shown"
    " FROM (SELECT *, replace(replace(name, '/', ' '), ':', '=') AS plain"
    " FROM (SELECT key, coalesce(json_extract(value, '$.run_name'),"
    " replace(json_extract(value, '$.name'), '_' || json_extract(value, '$.aggregate_name'), ''),"
    " json_extract(value, '$.name')) AS name,"
    " coalesce(json_extract(value, '$.run_type'), 'iteration') AS type,"
    " json_extract(value, '$.aggregate_name') AS aggregate,"
    " json_extract(value, '$.repetitions') AS repetitions,"
    " json_extract(value, '$.real_time') AS time,"
    " coalesce(json_extract(value, '$.time_unit'), 'ns') AS unit,"
    " CASE WHEN json_extract(value, '$.error_occurred')"
    " THEN coalesce(json_extract(value, '$.error_message'), '') END AS failure,"
    " json_extract(value, '$.skipped') AS skipped,"
    " json_extract(value, '$." FOREIGN_LABEL "') AS label"
    " FROM json_each(?1, '$.benchmarks') WHERE json_type(value, '$.real_time') IS NOT NULL OR"
    " coalesce(json_type(value, '$.big_o'), json_type(value, '$.rms')) IS NULL" ONCE ")"
    " WINDOW same AS (PARTITION BY plain))"
    " SELECT shown, row_number() OVER (PARTITION BY shown ORDER BY key) - 1, ns,"
    " CASE WHEN failure IS NOT NULL THEN 'failed' WHEN skipped IS NOT NULL OR"
    " unit NOT IN ('ns', 'us', 'ms', 's') THEN 'skipped' ELSE 'ok' END,"
    " coalesce(failure, CASE WHEN skipped IS NULL THEN 'no time: its unit is ' || unit END, ''),"
    " NULL, NULL FROM b WHERE type = 'iteration'"
    " UNION ALL SELECT shown, 0, coalesce(max(ns) FILTER (WHERE aggregate = 'median'),"
    " max(ns) FILTER (WHERE aggregate = 'mean')), 'ok', '',"
    " 1.96 * max(ns) FILTER (WHERE aggregate = 'stddev')"
    " / max(ns) FILTER (WHERE aggregate = 'mean') / sqrt(max(repetitions)), NULL FROM b"
    " WHERE type = 'aggregate' AND shown NOT IN (SELECT shown FROM b WHERE type = 'iteration')"
    " GROUP BY shown ORDER BY 1, 2";

/* Of a GPU, or of the CPU alone. */
#define MEAN SUMMARY("'nv/cold/time/gpu/mean', 'nv/cpu_only/time/cpu/mean'", "value")
#define DEVIATION                                                                                  \
    SUMMARY("'nv/cold/time/gpu/stdev/relative', 'nv/cpu_only/time/cpu/stdev/relative'", "value")
#define SAMPLES SUMMARY("'nv/cold/sample_size', 'nv/cpu_only/sample_size'", "value")
#define SAMPLE_FILE                                                                                \
    SUMMARY("'nv/json/bin:nv/cold/sample_times', 'nv/json/bin:nv/cpu_only/sample_times'",          \
            "filename")

static const char nvbench_rows[] =
    "WITH all_states AS (SELECT b.name AS bench, s.value AS value,"
    " json_extract(s.value, '$.device') AS device"
    " FROM (SELECT json_extract(value, '$.name') AS name, json_extract(value, '$.states') AS states"
    " FROM json_each(?1, '$.benchmarks')" ONCE " AS b, json_each(b.states) AS s),"
    " states AS (SELECT bench, value, CASE WHEN min(device) OVER same < max(device) OVER same"
    " THEN ' device=' || device ELSE '' END AS device FROM all_states"
    " WINDOW same AS (PARTITION BY bench))"
    " SELECT coalesce(json_extract(s.value, '$." FOREIGN_LABEL "'),"
    " bench || coalesce((SELECT group_concat(' ' || json_extract(a.value, '$.name')"
    " || '=' || json_extract(a.value, '$.value'), '')"
    " FROM json_each(s.value, '$.axis_values') AS a), '') || device), 0, 1e9 * " MEAN
    ", CASE WHEN json_extract(s.value, '$.is_skipped') THEN 'skipped' ELSE 'ok' END,"
    " coalesce(json_extract(s.value, '$.skip_reason'), ''), 1.96 * " DEVIATION " / sqrt(" SAMPLES
    "), " SAMPLE_FILE " FROM states AS s ORDER BY 1, 2";

/* Commands of one name differ in their parameters; the times of runs may have been left out. */
static const char hyperfine_rows[] =
    "WITH r AS (SELECT key, times, coalesce(label, CASE WHEN min(same) OVER plain = max(same) OVER"
    " plain THEN shown ELSE same END) AS label FROM (SELECT key,"
    " CASE WHEN json_array_length(e.value, '$.times') > 0 THEN json_extract(e.value, '$.times')"
    " ELSE json_array(coalesce(json_extract(e.value, '$.median'), json_extract(e.value, '$.mean')))"
    " END AS times, json_extract(e.value, '$." FOREIGN_LABEL "') AS label,"
    " coalesce(json_extract(e.value, '$.command') || (SELECT group_concat(' ' || p.key || '=' ||"
    " p.value, '') FROM json_each(e.value, '$.parameters') AS p),"
    " json_extract(e.value, '$.command')) AS shown, json_extract(e.value, '$.command') ||"
    " coalesce(' ' || json_extract(e.value, '$.parameters'), '') AS same"
    " FROM json_each(?1, '$.results') AS e" ONCE " WINDOW plain AS (PARTITION BY shown))"
    " SELECT label, row_number() OVER (PARTITION BY label ORDER BY r.key, t.key) - 1,"
    " 1e9 * t.value, 'ok', '', NULL, NULL FROM r, json_each(r.times) AS t ORDER BY 1, 2";

static const char pyperf_rows[] =
    "SELECT coalesce(b.label, b.name, of_all.name, 'benchmark'), r.key, 1e9 * v.value,"
    " CASE coalesce(b.unit, of_all.unit, 'second') WHEN 'second' THEN 'ok' ELSE 'skipped' END,"
    " 'no time: its unit is ' || coalesce(b.unit, of_all.unit, 'second'), NULL, NULL"
    " FROM (SELECT json_extract(?1, '$.metadata.name') AS name,"
    " json_extract(?1, '$.metadata.unit') AS unit" ONCE " AS of_all,"
    " (SELECT json_extract(value, '$.metadata.name') AS name, json_extract(value, "
    "'$.metadata.unit')"
    " AS unit, json_extract(value, '$.metadata." FOREIGN_LABEL "') AS label,"
    " json_extract(value, '$.runs') AS runs"
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
enum { MOST = 256 << 20 /* bytes of a file */ };
enum { TOOLS = sizeof tools / sizeof *tools };

bool foreign_is(const char *path)
{
    static const char results[] = "SQLite format 3";
    char head[sizeof results] = "";
    struct stat facts;
    if (text_equal(path, "-") ||
        (stat(path, &facts) == 0 && !S_ISREG(facts.st_mode) && !S_ISDIR(facts.st_mode)))
        return true;
    FILE *file = fopen(path, "re");
    const size_t n = file ? fread(head, 1, sizeof results, file) : 0;
    if (file)
        fclose(file);
    return n > 0 && memcmp(head, results, sizeof results) != 0;
}

/* NaN and Infinity, which Python writes though JSON has none, become null. */
static void add_valid_numbers(struct text *to, const struct text *json)
{
    static const char *const words[] = {"NaN", "-NaN", "Infinity", "-Infinity"};
    const char *begin = text_get(json), *end = begin + json->length, *at = begin;
    for (bool is_text = false; at < end; at++) {
        if (*at == '\\' && is_text)
            at++;
        else if (*at == '"')
            is_text = !is_text;
        for (size_t i = 0; !is_text && i < sizeof words / sizeof *words; i++)
            if (text_starts_with(at, words[i])) {
                text_add_n(to, begin, (size_t)(at - begin));
                text_add(to, "null");
                at = begin = at + strlen(words[i]);
            }
    }
    text_add_n(to, begin, begin < end ? (size_t)(end - begin) : 0);
}

/* The values of one round so far. */
struct round_times {
    double *items;
    size_t n;
};

/* The path of a file that another one names: a regular one in its folder or below; NULL otherwise.
 */
static char *path_beside(const char *path, const char *name)
{
    CLEANUP(text_free) struct text full = {0};
    CLEANUP(free_pointer) char *resolved = realpath(path, NULL);
    const size_t folder = resolved ? (size_t)(strrchr(resolved, '/') + 1 - resolved) : 0;
    struct stat facts;
    if (*name != '/')
        text_add_n(&full, resolved, folder);
    text_add(&full, name);
    char *found = realpath(text_get(&full), NULL);
    if (found && folder && strncmp(found, resolved, folder) == 0 && stat(found, &facts) == 0 &&
        S_ISREG(facts.st_mode))
        return found;
    free(found);
    return NULL;
}

/* float32, little-endian as the machines are that NVBench runs on; seconds. */
static int32_t read_floats(const char *path, const char *name, struct round_times *times,
                           struct gb_error *error)
{
    CLEANUP(text_free) struct text bytes = {0};
    CLEANUP(free_pointer) char *full = path_beside(path, name);
    if (!full)
        return error_set(error, GB_NOT_FOUND, "%s: names the file %s: expected one in its folder",
                         path, name);
    int32_t status = input_read(full, MOST, &bytes, error);
    for (size_t i = 0; status == GB_OK && (i + 1) * sizeof(float) <= bytes.length; i++) {
        float value;
        memcpy(&value, text_get(&bytes) + i * sizeof value, sizeof value);
        if (isfinite(value) && value > 0)
            MEMORY_APPEND(times->items, times->n, 1e9 * (double)value);
    }
    return status;
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
    if (!*label)
        return error_set(error, GB_INVALID, "%s: a benchmark has no name", foreign->path);
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

/* SQLite (3.40) takes an object for the name of a member, and is lost in it. */
static bool is_json(const struct text *json)
{
    struct json_reader reader;
    json_read_begin(&reader, "", text_get(json), json->length);
    const bool is = json_skip(&reader, json_read(&reader)) && json_read(&reader) == JSON_END;
    json_read_end(&reader);
    return is;
}

static int32_t read_json(sqlite3 *db, const struct text *json, struct foreign *foreign,
                         struct gb_error *error)
{
    const struct tool *tool = NULL;
    if (!is_json(json) || !is_true(db, "json_valid(?1)", json))
        return store_refuse(foreign->path,
                            text_starts_with(text_get(json), "SQLite format 3") ? GZIP_MAGIC
                                                                                : text_get(json),
                            "is neither a results file nor JSON", error);
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
    CLEANUP(text_free) struct text read = {0}, json = {0};
    struct foreign foreign = {.path = path, .arena = arena};
    sqlite3 *db = NULL;
    int32_t status = input_read(path, MOST, &read, error);
    add_valid_numbers(&json, &read);
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
