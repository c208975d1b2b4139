/* test_export_members.c - each column of csv and each member of json and jsonl changes with a
 * column of the results file, by that name where there is one: what was not measured is not made
 * up. */
#include "tests/view/members.h"

#include <fnmatch.h>

/* ---- a file in which all is there ---- */

static const char with_all[] =
    "UPDATE bench_case SET status = 'ok', status_text = 'some words', note = 'a note',"
    " verdict = 'multimodal', low_ns = 900, high_ns = 1100, launched = 'graph',"
    " reading_note = 'a note';"
    "UPDATE telemetry SET memory_clock_hz = 1e9;"
    "UPDATE telemetry SET iterations = 20, elapsed_ns = 2e9 WHERE moment = 'end';"
    "UPDATE telemetry SET iterations = 0 WHERE moment = 'begin';"
    "INSERT INTO check_result SELECT bench_case.id, 1 + key, 'C', value, 0.5, 1, 1, 17, 1, 1.5, ''"
    " FROM bench_case, json_each('[\"rel\", \"rel_floor\", \"ulp\", \"rms\", \"bound\", \"noise\","
    " \"allclose\", \"norm\", \"mean_abs\", \"mean_rel\", \"beyond_1ulp\", \"beyond_2ulp\","
    " \"beyond_4ulp\"]');"
    "UPDATE bench_case SET cache = 'warm', gap_ns = NULL WHERE bench = 'streams';"
    "UPDATE device SET uuid = 'GPU-1';"
    "UPDATE bench_case SET plugin = 'ceilings', iterations = 10, math_format = '', math_unit = '',"
    " flops = 1e6, bytes_read = 0 WHERE bench = 'roofs';"
    "UPDATE bench_case SET bytes_read = 1e6, flops = 0 WHERE position = 2;"
    "INSERT INTO series SELECT id, 0, 'latency', 'ns', 9, 1, 1, 9, 5, 2, 0.1, 5, 4, 6, 7, 6, 8, 8,"
    " 7, 9, 9, 8, 9, 2, x'0100000002000000' FROM bench_case;"
    "INSERT INTO sentinel SELECT id, column1, '2026-01-01T10:00:01.000Z', 1, 500 FROM bench_case,"
    " (VALUES ('begin'), ('end'));"
    "UPDATE samples SET n = 5, data = substr(data, 1, 40); UPDATE bench_case SET n_samples = 5;";

/* Two rounds of a case that has what one may have, and two roofs; what is NULL or 0 gets a number.
 */
static void make_file(const char *name)
{
    static const char *const roofs[] = {"dram_read", "bf16_tensor"};
    struct store *store = fixture_open(name, STORE_WRITE);
    const int64_t run_id = fixture_begin_run(store, 1);
    for (unsigned i = 0; i < 4; i++) {
        struct fixture_case c;
        fixture_case(&c, i, 2, 1000 + 100 * i);
        if (i < 2)
            fixture_fill(&c);
        else
            fixture_add(&c, fixture_words("roof", roofs[i - 2], true));
        c.record.round = i == 1;
        c.bench_case.position = i < 2 ? 0 : i;
        c.bench_case.bench = i < 2 ? "streams" : "roofs";
        fixture_store(store, run_id, &c);
    }
    fixture_end_run(store, run_id);
    CLEANUP(text_free) struct text filled = {0};
    text_add(&filled, fixture_rows(store, "SELECT group_concat('UPDATE bench_case SET ' || name || "
                                          "' = coalesce(nullif(' || name || ', 0), 3)', ';') FROM"
                                          " pragma_table_info('bench_case') WHERE type != 'TEXT'"));
    fixture_close(store);
    fixture_change(name, text_get(&filled));
    fixture_change(name, with_all);
}

/* ---- exports ---- */

static const struct {
    const char *name;
    int format, rows;
} exports[] = {{"csv", FORMAT_CSV, ROWS_CASE},
               {"csv of samples", FORMAT_CSV, ROWS_SAMPLE},
               {"json", FORMAT_JSON, ROWS_CASE},
               {"jsonl", FORMAT_JSONL, ROWS_CASE},
               {"combined csv", FORMAT_CSV, ROWS_COMBINED}};

/* A field of CSV; returns what follows it and its comma. */
static const char *walk_field(const char *at, struct text *out)
{
    text_clear(out);
    const bool is_quoted = *at == '"';
    for (at += is_quoted; is_quoted ? *at != '"' || at[1] == '"' : *at != ',' && *at != '\n';
         at++) {
        at += is_quoted && *at == '"';
        text_add_n(out, at, 1);
    }
    at += is_quoted;
    return at + (*at == ',');
}

static void walk_csv(const char *export, struct members *out)
{
    CLEANUP(text_free) struct text head = {0}, value = {0};
    for (const char *at = strchr(export, '\n') + 1; *at; at++)
        for (const char *name = export; *at != '\n' && *name != '\n';) {
            name = walk_field(name, &head);
            at = walk_field(at, &value);
            add_member(out, text_get(&head), text_get(&value));
        }
}

static void walk_json(const char *export, size_t n, struct members *out)
{
    struct json_reader reader;
    json_read_begin(&reader, "export", export, n);
    walk_value(&reader, json_read(&reader), "", out);
    json_read_end(&reader);
}

/* False: there is no such export of it. */
static bool read_members(struct store *store, size_t export, struct members *out)
{
    const struct view_options options = {.format = exports[export].format,
                                         .rows = exports[export].rows};
    CLEANUP(text_free) struct text text = {0};
    struct gb_error error;
    clear_members(out);
    if (fixture_export(store, &options, &text, &error) != GB_OK || !text.length)
        return false;
    char *save = NULL, *lines = text.data;
    if (options.format == FORMAT_CSV)
        walk_csv(text_get(&text), out);
    else if (options.format == FORMAT_JSON)
        walk_json(text_get(&text), text.length, out);
    else
        for (char *line; (line = strtok_r(lines, "\n", &save)); lines = NULL)
            walk_json(line, strlen(line), out);
    return true;
}

/* ---- changes of the file ---- */

/* Of a column by its type, a format of its name; each is tried. */
static const struct {
    const char *type, *change;
} changes[] = {
    {"INTEGER", "%s + 1"},
    {"INTEGER", "0"},
    {"REAL", "2 * %s + 1"},
    {"REAL", "0"},
    {"TEXT", "'x' || substr(%s, 2)"},
};

/* What is not one column alone. */
static const struct {
    const char *column, *sql;
} more_changes[] = {
    {"run.started", "UPDATE run SET started = '2026-03-01T11:00:00.000Z'"},
    {"run.finished", "UPDATE run SET finished = '2026-03-01T11:00:00.000Z'"},
    {"bench_case.started", "UPDATE bench_case SET started = '2026-03-01T11:00:00.000Z'"},
    {"bench_case.math_format", "UPDATE bench_case SET math_format = 'fp16'"},
    {"bench_case.math_unit", "UPDATE bench_case SET math_unit = 'vector'"},
    {"bench_case.clock", "UPDATE bench_case SET clock = 'elapsed'"},
    {"mode.ordinal", "DELETE FROM mode WHERE ordinal = 1"},
    {"samples.wall", "UPDATE samples SET data = zeroblob(40) WHERE name = 'wall'"},
    {"samples.elapsed", "UPDATE samples SET data = zeroblob(40) WHERE name = 'elapsed'"},
    {"samples.flags", "UPDATE samples SET data = zeroblob(40) WHERE name = 'flags'"},
    {"bench_case.n_samples",
     "UPDATE bench_case SET n_samples = 4; UPDATE samples SET n = 4, data = substr(data, 1, 32)"},
    {"bench_case.bytes_read", "UPDATE bench_case SET bytes_read = 1e15 WHERE bench = 'streams'"},
    {"bench_case.round", "DELETE FROM bench_case WHERE round = 1"},
};

/* Members that need no column: of the format; what number a run, a sample or a round is. Of one
 * round n_rounds is 1; with others see "combined csv". */
static const struct {
    const char *members, *export;
} constants[] = {
    {"format", "json"},
    {"*run", "*"},
    {"sample", "csv of samples"},
    {"*histogram#.label", "json*"},
    {"*n_rounds", "[!c]*"},
    {"*n_rounds", "csv"},
    {"*round_variation", "[!c]*"},
    {"*round_variation", "csv"},
};

static bool is_constant(const char *export, const char *path)
{
    for (size_t i = 0; i < N_OF(constants); i++)
        if (fnmatch(constants[i].members, path, 0) == 0 &&
            fnmatch(constants[i].export, export, 0) == 0)
            return true;
    return false;
}

static struct members base[N_OF(exports)];
static struct text causes[N_OF(exports)][VALUES_MAX]; /* " TABLE.COLUMN" of each member */

/* Is another value there in place of one, in as many rows? */
static bool has_other_value(const char *before, const char *after)
{
    bool is_other = false;
    while (*before && *after) {
        const size_t n = strcspn(before, "\n"), m = strcspn(after, "\n");
        const bool is_known = n > 0 && m > 0 && strncmp(after, "null\n", 5) != 0;
        is_other |= is_known && (n != m || memcmp(before, after, n) != 0);
        before += n + 1;
        after += m + 1;
    }
    return is_other && !*before && !*after;
}

static struct text record_columns; /* likewise all of a case's record */

static void note_causes(const char *column)
{
    static struct members now;
    struct store *store = NULL;
    struct gb_error error;
    if (store_open(fixture_path("changed.gbr"), STORE_READ, &store, &error) != GB_OK)
        return; /* it is no such file any more */
    for (size_t e = 0; e < N_OF(exports); e++) {
        if (!read_members(store, e, &now))
            continue;
        for (size_t i = 0; i < base[e].n; i++) {
            const struct member *was = &base[e].items[i];
            const struct member *is = find_member(&now, text_get(&was->path));
            if (is && has_other_value(text_get(&was->values), text_get(&is->values)))
                text_printf(&causes[e][i], " %s ", column);
        }
    }
    clear_members(&now);
    fixture_close(store);
}

static void change(const char *column, const char *sql)
{
    CLEANUP(text_free) struct text bytes = {0};
    sqlite3 *db = NULL;
    views_read(fixture_path("base.gbr"), &bytes);
    fixture_write_file("changed.gbr", bytes.data, bytes.length);
    sqlite3_open(fixture_path("changed.gbr"), &db);
    sqlite3_exec(db, "PRAGMA synchronous = off", NULL, NULL, NULL);
    const bool is_changed = sqlite3_exec(db, sql, NULL, NULL, NULL) == SQLITE_OK;
    sqlite3_close(db);
    if (is_changed) /* else a key */
        note_causes(column);
}

/* A line: TABLE COLUMN TYPE. */
static void change_column(const char *line)
{
    char table[64], column[64], type[64], value[200];
    CLEANUP(text_free) struct text sql = {0}, name = {0};
    ck_assert_int_eq(sscanf(line, "%63s %63s %63s", table, column, type), 3);
    text_printf(&name, "%s.%s", table, column);
    text_printf(&record_columns, " %s ", text_get(&name));
    for (size_t i = 0; i < N_OF(changes); i++) {
        if (strcmp(changes[i].type, type) != 0)
            continue;
        snprintf(value, sizeof value, changes[i].change, column);
        text_clear(&sql);
        text_printf(&sql, "UPDATE %s SET %s = %s", table, column, value);
        change(text_get(&name), text_get(&sql));
    }
}

/* By a column, and by that of its name where a case's record has one; samples have a wall_ns of
 * their own. */
static bool is_traced(size_t export, const char *path, const struct text *its_causes)
{
    char cause[96];
    const char *name = strncmp(path, "cases#.", 7) == 0 ? path + 7 : path;
    snprintf(cause, sizeof cause, " bench_case.%.80s ", name);
    return its_causes->length &&
           (exports[export].rows == ROWS_SAMPLE || !strstr(text_get(&record_columns), cause) ||
            strstr(text_get(its_causes), cause));
}

TEST_FIXTURE(fixture_begin, fixture_end)

TEST(each_member_comes_from_a_column)
{
    CLEANUP(text_free) struct text untraced = {0};
    make_file("base.gbr");
    struct store *store = fixture_open("base.gbr", STORE_READ);
    for (size_t e = 0; e < N_OF(exports); e++)
        ck_assert(read_members(store, e, &base[e]));
    fixture_close(store);
    CLEANUP(text_free) struct text columns = {0};
    text_add(&columns, fixture_ask("base.gbr", "SELECT t.name || ' ' || c.name || ' ' || c.type"
                                               " FROM sqlite_master t, pragma_table_info(t.name) c"
                                               " WHERE t.type = 'table'"));
    char *save = NULL, *lines = columns.data;
    for (char *line; (line = strtok_r(lines, "\n", &save)); lines = NULL)
        change_column(line);
    for (size_t i = 0; i < N_OF(more_changes); i++)
        change(more_changes[i].column, more_changes[i].sql);
    for (size_t e = 0; e < N_OF(exports); e++)
        for (size_t i = 0; i < base[e].n; i++) {
            const char *path = text_get(&base[e].items[i].path);
            if (!is_constant(exports[e].name, path) && !is_traced(e, path, &causes[e][i]))
                text_printf(&untraced, "%s: %s, by%s\n", exports[e].name, path,
                            text_get(&causes[e][i]));
        }
    ck_assert_msg(!untraced.length, "changed by no column, or not by that of its name:\n%s",
                  text_get(&untraced));
}
