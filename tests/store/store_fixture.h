/*
 * store_fixture.h - runs and cases with known numbers, for the tests of the results file.
 */
#pragma once

#include "core/store/store_internal.h"
#include "core/store/store_read.h"
#include "core/store/store_schema.h"
#include "core/view/views.h"

#include <check.h>
#include <ftw.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Are two structs the same from a member to the end? */
#define FIXTURE_SAME(a, b, member)                                                                 \
    ck_assert_mem_eq(&(a)->member, &(b)->member, sizeof *(a)-offsetof(typeof(*(a)), member))

/* A folder of the test's own, and paths in it. */
static char fixture_folder[200];

static inline const char *fixture_path(const char *name)
{
    static char paths[8][320];
    static unsigned next;
    char *path = paths[next++ % 8];
    snprintf(path, sizeof paths[0], "%s/%s", fixture_folder, name);
    return path;
}

static inline void fixture_begin(void)
{
    const char *base = getenv("TMPDIR");
    snprintf(fixture_folder, sizeof fixture_folder, "%.100s/gbrun-test-XXXXXX",
             base ? base : "/tmp");
    ck_assert_ptr_nonnull(mkdtemp(fixture_folder));
}

static inline int fixture_remove(const char *path, const struct stat *status, int kind,
                                 struct FTW *at)
{
    (void)status, (void)kind, (void)at;
    return remove(path);
}

static inline void fixture_end(void)
{
    ck_assert_int_eq(nftw(fixture_folder, fixture_remove, 8, FTW_DEPTH | FTW_PHYS), 0);
}

/* The text of an error with the test's folder taken out: "results.gbr: ...". */
static inline const char *fixture_error(const struct gb_error *error)
{
    static char text[1024];
    const size_t length = strlen(fixture_folder);
    snprintf(text, sizeof text, "%s", error->text);
    for (char *at = text; (at = strstr(at, fixture_folder)) && at[length] == '/';)
        memmove(at, at + length + 1, strlen(at + length));
    return text;
}

/* The error of calls in these: FIXTURE_OK(store_sync(store, &fixture_problem)). */
static struct gb_error fixture_problem;
#define FIXTURE_OK(call) ck_assert_msg((call) == GB_OK, "%s", fixture_problem.text)
#define FIXTURE_FAILS(call, status, words)                                                         \
    do {                                                                                           \
        ck_assert_int_eq(call, status);                                                            \
        ck_assert_str_eq(fixture_error(&fixture_problem), words);                                  \
    } while (0)

static inline void fixture_uuid(unsigned family, unsigned number, char ret[UUID_TEXT])
{
    snprintf(ret, UUID_TEXT, "%08x-0000-4000-8000-%012x", family, number);
}

static struct plugin_info fixture_bench = {.plugin = {.id = "multistream", .version = "1.2"}};
static struct plugin_info fixture_policy = {.plugin = {.id = "median_ci", .version = "1.0"}};
static struct plugin_info fixture_device = {.plugin = {.id = "cpu", .version = "1.0"}};
static struct setting fixture_policy_settings[] = {{"precision", "1%", {0}},
                                                   {"confidence", "95%", {0}}};
static struct plugin_settings fixture_precise = {.name = "precise",
                                                 .info = &fixture_policy,
                                                 .settings = fixture_policy_settings,
                                                 .n_settings = 2};
static struct plugin_settings fixture_cpu = {.name = "cpu", .info = &fixture_device};

static inline struct run_record fixture_run(unsigned number)
{
    static struct fact facts[] = {{"host", "box"}, {"kernel", "6.1"}, {"governor", "performance"}};
    static char started[4][32];
    char *text = started[number % 4];
    snprintf(text, sizeof started[0], "2026-01-0%uT10:00:00.000Z", number % 10);
    struct run_record run = {.started = text,
                             .version = "0.1.0",
                             .command_line = "gbrun -c bench.ini",
                             .config_path = "bench.ini",
                             .config_folder = "/home/user",
                             .config = "[bench streams]\nplugin = multistream\n",
                             .seed = 42,
                             .n_cases = 3,
                             .facts = facts,
                             .n_facts = 3};
    fixture_uuid(0xA0, number, run.uuid);
    memset(run.config_sha256, 'c', 64);
    return run;
}

static inline struct device_record fixture_device_record(void)
{
    static struct fact facts[] = {{"cores", "2"}, {"memory", "24 GiB"}, {"units", "132"}};
    static struct clock_record clocks[] = {{"wall", 20, 24}};
    return (struct device_record){
        "cpu",        .name = "cpu",  .index = 0,   .model = "Example CPU 9000",
        .uuid = "",   .facts = facts, .n_facts = 3, .clocks = clocks,
        .n_clocks = 1};
}

enum { FIXTURE_SAMPLES = 20, FIXTURE_PARAMETERS = 8 };

/* A case whose record points into itself: fill with fixture_case, then change what matters. */
struct fixture_case {
    struct bench_case bench_case;
    struct parameter parameters[FIXTURE_PARAMETERS];
    struct case_record record;
    struct sample_column columns[6];
    double wall[FIXTURE_SAMPLES], elapsed[FIXTURE_SAMPLES], extra[FIXTURE_SAMPLES];
    struct metric_record metrics[4];
    struct check_record checks[2];
    struct check_summary_record summaries[1];
    struct message_record messages[4];
    struct gb_activity activities[4];
    char words[8][32];
    struct environment_variable environment[1];
};

static inline struct parameter fixture_integer(struct fixture_case *c, const char *name,
                                               int64_t value, bool is_axis)
{
    char *words = c->words[c->bench_case.n_parameters];
    snprintf(words, sizeof c->words[0], "%lld", (long long)value);
    return (struct parameter){
        name, {GB_TYPE_INT, value, (double)value, 0, words}, is_axis, false, false, true, NULL};
}

static inline struct parameter fixture_words(const char *name, const char *word, bool is_axis)
{
    return (struct parameter){name, {GB_TYPE_STRING, 0, NAN, 0, word}, is_axis, false, false, true,
                              NULL};
}

static inline void fixture_add(struct fixture_case *c, struct parameter parameter)
{
    c->parameters[c->bench_case.n_parameters++] = parameter;
}

/*
 * Case number `number` of the bench "streams": rows = 32, streams = axis. Sample i takes base_ns +
 * i ns; the estimate is base_ns + 9.5 +- 1 %.
 */
static inline void fixture_case(struct fixture_case *c, unsigned number, int64_t streams,
                                double base_ns)
{
    memset(c, 0, sizeof *c);
    c->bench_case = (struct bench_case){
        .position = number,
        .bench = "streams",
        .info = &fixture_bench,
        .parameters = c->parameters,
        .policy = &fixture_precise,
        .device = {.settings = &fixture_cpu, .index = DEVICE_INDEX_ANY},
        .environment = c->environment,
        .seed = 42};
    fixture_add(c, fixture_integer(c, "rows", 32, false));
    fixture_add(c, fixture_integer(c, "streams", streams, true));
    for (int i = 0; i < FIXTURE_SAMPLES; i++) {
        c->wall[i] = base_ns + i;
        c->elapsed[i] = (i + 1) * base_ns;
    }
    c->columns[0] = (struct sample_column){"wall", c->wall};
    c->columns[1] = (struct sample_column){"elapsed", c->elapsed};
    struct case_record *record = &c->record;
    *record = (struct case_record){.bench_case = &c->bench_case,
                                   .sequence = number,
                                   .status = CASE_OK,
                                   .status_text = "",
                                   .stop_reason = "interval within 1 %",
                                   .clock = "wall",
                                   .iterations = 10,
                                   .tick_ns = 20,
                                   .overhead_ns = 24,
                                   .started = "2026-01-01T10:00:01.000Z",
                                   .wall_ns = 1e6,
                                   .metrics = c->metrics,
                                   .checks = c->checks,
                                   .summaries = c->summaries,
                                   .messages = c->messages,
                                   .activities = c->activities,
                                   .n_samples = FIXTURE_SAMPLES,
                                   .columns = c->columns,
                                   .n_columns = 2};
    fixture_uuid(0xC0, number, record->uuid);
    snprintf(record->uid, sizeof record->uid, "%032x", (unsigned)streams);
    record->has_estimate = true;
    record->estimate = (struct gb_estimate){sizeof record->estimate,
                                            .verdict = GB_VERDICT_CERTIFIED,
                                            .precision = 0.01,
                                            .value_ns = base_ns + 9.5,
                                            .low_ns = (base_ns + 9.5) * 0.99,
                                            .high_ns = (base_ns + 9.5) * 1.01,
                                            .confidence = 0.95,
                                            .statistic = "median",
                                            .n = FIXTURE_SAMPLES,
                                            .n_effective = 18,
                                            .note = "18 samples are few"};
    record->work = (struct gb_work){sizeof record->work, .flops = 1e6, .bytes_read = 4000};
    c->checks[0] = (struct check_record){
        "C", "abs", 1.5e-7, 1e-6, true, 17, 1.5, 1.50000015, "abs 1.5e-07 <= 1e-06"};
    record->n_checks = 1;
    c->summaries[0] = (struct check_summary_record){
        "C",
        .n = 4096,
        .n_exact = 4000,
        .n_zero_mismatch = 1,
        .floor = 1e-3,
        .histogram =
            {[VERIFY_CLASS_EQUAL] = 4000, [VERIFY_CLASS_BELOW] = 95, [VERIFY_CLASS_ZERO] = 1},
        .above_floor = {[VERIFY_CLASS_EQUAL] = 3990, [VERIFY_CLASS_BELOW] = 95}};
    record->n_summaries = 1;
}

/* A kernel of time_ns +- 1 % after a gap of 500 ns; time_ns NAN: not timed. */
static inline struct gb_activity fixture_kernel(const char *name, uint32_t blocks, double time_ns)
{
    struct gb_activity kernel = {sizeof kernel,
                                 .kind = GB_ACTIVITY_KERNEL,
                                 .grid = {blocks, 1, 1},
                                 .block = {16, 16, 1},
                                 .registers = 40,
                                 .shared_bytes = 48 << 10,
                                 .occupancy = 0.5,
                                 .time_ns = time_ns,
                                 .low_ns = 0.99 * time_ns,
                                 .high_ns = 1.01 * time_ns,
                                 .gap_ns = isnan(time_ns) ? NAN : 500};
    snprintf(kernel.name, sizeof kernel.name, "%s", name);
    return kernel;
}

/* A reading of a device. */
static inline struct telemetry_record fixture_reading(double energy_joules, double power_watts)
{
    return (struct telemetry_record){
        true, .values = {sizeof(struct gb_telemetry), .clock_hz = 1.98e9, .memory_clock_hz = NAN,
                         .temperature_celsius = 40.5, .power_watts = power_watts,
                         .energy_joules = energy_joules}};
}

/* A fill, a kernel and another one. */
static inline void fixture_add_activities(struct fixture_case *c, bool is_timed)
{
    c->activities[0] = (struct gb_activity){
        sizeof *c->activities, .kind = GB_ACTIVITY_FILL, .name = "fill device memory",
        .bytes = 1 << 20,      .occupancy = NAN,         .time_ns = is_timed ? 1000 : NAN,
        .low_ns = NAN,         .high_ns = NAN,           .gap_ns = NAN};
    c->activities[1] = fixture_kernel(
        "void lab::reduce<float, lab::plus<float>, 256, true>(float const *, float *, long)", 66,
        is_timed ? 20000 : NAN);
    c->activities[1].grid[1] = 2;
    c->activities[2] = fixture_kernel("finish", 200, is_timed ? 2000 : NAN);
    c->record.has_activities = true;
    c->record.n_activities = 3;
    c->record.n_kernels = 2;
}

/* Adds something of all that a case may have, and what is hard to store. */
static inline void fixture_fill(struct fixture_case *c)
{
    static const struct parameter kinds[] = {
        {"ratio", {GB_TYPE_FLOAT, 0, 0.1, 0, "0.1"}, .is_default = false},
        {"deep", {GB_TYPE_BOOL, 1, 1, 0, "yes"}, .is_default = true},
        {"size", {GB_TYPE_BYTES, 0, 1048576, 1048576, "1048576"}, .is_default = false},
        {"wait", {GB_TYPE_DURATION, 0, 2e6, 0, "2000000ns"}, .is_variable = true},
        {"mode", {GB_TYPE_CHOICE, 1, 0, 0, "breadth"}, .is_default = false},
        {"name", {GB_TYPE_STRING, 0, NAN, 0, "a, \"b\""}, .is_default = false}};
    static const struct worst_record worst[] = {{"C", 17, 1.5, 2, 0x1p22}, {"C", 5, -0.1, NAN, 2}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        fixture_add(c, kinds[i]);
    c->environment[0] = (struct environment_variable){"OMP_NUM_THREADS", "2"};
    c->bench_case.n_environment = 1;
    c->bench_case.common.cache = GB_CACHE_COLD;
    struct case_record *record = &c->record;
    record->status = CASE_WRONG_RESULT;
    record->status_text = "C differs";
    record->n_lost = 2;
    record->round = 1;
    c->metrics[0] = (struct metric_record){"registers", 64, "count"};
    c->metrics[1] = (struct metric_record){"nothing", NAN, ""};
    record->n_metrics = 2;
    c->checks[0].passed = false;
    c->checks[0].output = NAN;
    record->worst = worst;
    record->n_worst = 2;
    record->phases = (struct phases_record){1, 2, 3, 4, 5, NAN};
    c->summaries[0].n_overflowed = 5;
    c->summaries[0].n_nan = 6;
    c->summaries[0].n_infinite_mismatch = 7;
    c->messages[0] = (struct message_record){GB_LOG_WARNING, "slow\nvery"};
    record->n_messages = 1;
    record->estimate.low_ns = -INFINITY;
    record->estimate.verdict = GB_VERDICT_MULTIMODAL;
    record->estimate.n_modes = 2;
    record->estimate.modes[0] = (struct gb_mode){1000, 990, 1010, 0.75};
    record->estimate.modes[1] = (struct gb_mode){1200, NAN, INFINITY, 0.25};
    record->work.item = "key";
    record->work.math_format = GB_BF16;
    record->work.math_unit = GB_MATH_TENSOR;
    c->bench_case.common.pace = PACE_BURST;
    record->pace = (struct pace_record){.gap_ns = 350e3, .clock_low_hz = 1.5e9, .is_missed = true};
    for (int i = 0; i < TELEMETRY_MOMENTS; i++) {
        record->telemetry[i] = fixture_reading(1e6 + i, 120 + i);
        record->telemetry[i].elapsed_ns = 1e9 * i;
        record->telemetry[i].iterations = UINT64_C(1) << 40;
        record->telemetry[i].values.throttle = 6;
        strcpy(record->telemetry[i].values.throttle_text, "power limit");
    }
    fixture_add_activities(c, true);
    c->activities[2].parallel = 7;
    for (int i = 0; i < FIXTURE_SAMPLES; i++)
        c->extra[i] = i < 3 ? GB_SAMPLE_THROTTLED : 0;
    c->columns[2] = (struct sample_column){"flags", c->extra};
    record->n_columns = 3;
}

/* Tests look at views, which the program itself never does, as other programs do: to SQLite the
 * functions of JSON are no safe ones. */
static inline struct store *fixture_open(const char *name, int mode)
{
    struct store *store = NULL;
    FIXTURE_OK(store_open(fixture_path(name), mode, &store, &fixture_problem));
    sqlite3_db_config(store->db, SQLITE_DBCONFIG_ENABLE_VIEW, 1, NULL);
    sqlite3_db_config(store->db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 1, NULL);
    return store;
}

static inline void fixture_close(struct store *store)
{
    FIXTURE_OK(store_close(store, &fixture_problem));
}

static inline int64_t fixture_begin_run(struct store *store, unsigned number)
{
    struct run_record run = fixture_run(number);
    int64_t run_id = 0;
    FIXTURE_OK(store_run_begin(store, &run, &run_id, &fixture_problem));
    return run_id;
}

static inline int64_t fixture_add_device(struct store *store, int64_t run_id)
{
    struct device_record device = fixture_device_record();
    int64_t id = 0;
    FIXTURE_OK(store_device(store, run_id, &device, &id, &fixture_problem));
    return id;
}

static inline void fixture_end_run(struct store *store, int64_t run_id)
{
    FIXTURE_OK(store_run_end(store, run_id, "2026-01-09T11:00:00.000Z", 0, &fixture_problem));
}

static inline void fixture_store(struct store *store, int64_t run_id, struct fixture_case *c)
{
    c->record.device_id = fixture_add_device(store, run_id);
    FIXTURE_OK(store_case(store, run_id, &c->record, &fixture_problem));
}

/* What a statement gives: "value|value", a row a line. */
static inline const char *fixture_rows(struct store *store, const char *sql)
{
    static struct text out;
    sqlite3_stmt *row = NULL;
    text_clear(&out);
    ck_assert_msg(sqlite3_prepare_v2(store->db, sql, -1, &row, NULL) == SQLITE_OK, "%s",
                  sqlite3_errmsg(store->db));
    while (sqlite3_step(row) == SQLITE_ROW)
        for (int i = 0; i < sqlite3_column_count(row); i++) {
            const char *value = (const char *)sqlite3_column_text(row, i);
            text_printf(&out, "%s%s", i ? "|" : out.length ? "\n" : "", value ? value : "NULL");
        }
    sqlite3_finalize(row);
    return text_get(&out);
}

/* The one integer that a statement gives. */
static inline int64_t fixture_query(struct store *store, const char *sql)
{
    const char *rows = fixture_rows(store, sql);
    ck_assert_str_ne(rows, "");
    return strtoll(rows, NULL, 10);
}

/* What a statement gives of a closed file. */
static inline const char *fixture_ask(const char *name, const char *sql)
{
    struct store *store = fixture_open(name, STORE_READ);
    const char *rows = fixture_rows(store, sql);
    fixture_close(store);
    return rows;
}

/* Adds what is exported. */
static inline int32_t fixture_export(struct store *store, const struct view_options *options,
                                     struct text *out, struct gb_error *error)
{
    char *data = NULL;
    size_t n = 0;
    FILE *file = open_memstream(&data, &n);
    int32_t status = view_export(store, options, file, error);
    fclose(file);
    text_add_n(out, data, n);
    free(data);
    return status;
}

static inline struct merge_counts fixture_merge(const char *into, const char *from)
{
    struct store *store = fixture_open(into, STORE_WRITE);
    struct merge_counts counts = {0};
    FIXTURE_OK(store_merge(store, fixture_path(from), NULL, &counts, &fixture_problem));
    fixture_close(store);
    return counts;
}

static inline void fixture_write_file(const char *name, const void *bytes, size_t n)
{
    FILE *file = fopen(fixture_path(name), "wb");
    ck_assert_ptr_nonnull(file);
    ck_assert_uint_eq(fwrite(bytes, 1, n, file), n);
    fclose(file);
}

/* Does to a closed file, or to one that is made so, what only another program would. */
static inline void fixture_change(const char *name, const char *sql)
{
    sqlite3 *db = NULL;
    ck_assert_int_eq(sqlite3_open(fixture_path(name), &db), SQLITE_OK);
    ck_assert_msg(sqlite3_exec(db, sql, NULL, NULL, NULL) == SQLITE_OK, "%s", sqlite3_errmsg(db));
    sqlite3_close(db);
}

/* One run with n cases in a closed file. */
static inline void fixture_make_file(const char *name, unsigned run, unsigned n_cases)
{
    struct store *store = fixture_open(name, STORE_WRITE);
    int64_t run_id = fixture_begin_run(store, run);
    for (unsigned i = 0; i < n_cases; i++) {
        struct fixture_case c;
        fixture_case(&c, i, i + 1, 100.0 * (i + 1));
        fixture_store(store, run_id, &c);
    }
    fixture_end_run(store, run_id);
    fixture_close(store);
}

/* What is done of a run, for store_resume. */
static inline void fixture_note_done(void *out, uint64_t position, uint32_t round,
                                     const char *device_name, int32_t device_index)
{
    text_printf(out, "%u %u %s:%d;", (unsigned)position, round, device_name, device_index);
}

/* SQLite cannot make files of earlier versions: for TEST_SKIP. */
#define FIXTURE_NO_EARLIER "files of earlier versions: this SQLite has no DROP COLUMN"
static inline bool fixture_is_old_sqlite(void)
{
    return sqlite3_libversion_number() < 3035000;
}

/* Makes a closed file of the present version one of version 3. */
static inline void fixture_make_version_3(const char *name)
{
    CLEANUP(text_free) struct text sql = {0};
    text_add(&sql, "DROP VIEW result;");
    for (int t = 0; t < STORED_TABLES; t++) {
        const struct stored_table *table = &store_schema.tables[t];
        const bool is_later = table->columns[0].since > 3;
        if (is_later)
            text_printf(&sql, "DROP TABLE %s;", table->name);
        for (size_t i = 0; i < table->n_columns && !is_later; i++)
            if (table->columns[i].since > 3)
                text_printf(&sql, "ALTER TABLE %s DROP COLUMN %s;", table->name,
                            table->columns[i].name);
    }
    text_add(&sql, "CREATE VIEW result AS SELECT bench, status, launch FROM bench_case;"
                   "PRAGMA user_version = 3");
    fixture_change(name, text_get(&sql));
}
