/* test_store.c - the results file: what goes in comes out, and nothing that was stored is lost. */
#include "tests/check_main.h"
#include "tests/store_fixture.h"

#include "core/store_internal.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

static bool exists(const char *name)
{
    return access(fixture_path(name), F_OK) == 0;
}

static int64_t count_rows(struct store *store, const char *sql)
{
    sqlite3_stmt *statement = NULL;
    ck_assert_msg(sqlite3_prepare_v2(store->db, sql, -1, &statement, NULL) == SQLITE_OK, "%s",
                  sqlite3_errmsg(store->db));
    ck_assert_int_eq(sqlite3_step(statement), SQLITE_ROW);
    int64_t n = sqlite3_column_int64(statement, 0);
    sqlite3_finalize(statement);
    return n;
}

static void write_bytes(const char *name, const char *bytes, size_t n)
{
    FILE *file = fopen(fixture_path(name), "wb");
    ck_assert_ptr_nonnull(file);
    ck_assert_uint_eq(fwrite(bytes, 1, n, file), n);
    fclose(file);
}

/* One run with n cases in a closed file. */
static void make_file(const char *name, unsigned run, unsigned n_cases)
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

START_TEST(run_and_device_come_back)
{
    make_file("results.gbr", 1, 1);
    struct store *store = fixture_open("results.gbr", STORE_READ);
    struct arena arena = {0};
    struct run_record run, expected = fixture_run(1);
    int64_t run_id = 0;
    ck_assert_int_eq(store_run_read(store, RUN_NEWEST, &arena, &run_id, &run, NULL), GB_OK);
    ck_assert_str_eq(run.uuid, expected.uuid);
    ck_assert_str_eq(run.started, expected.started);
    ck_assert_str_eq(run.finished, "2026-01-09T11:00:00.000Z");
    ck_assert_str_eq(run.version, expected.version);
    ck_assert_str_eq(run.command_line, expected.command_line);
    ck_assert_str_eq(run.config_path, expected.config_path);
    ck_assert_str_eq(run.config_folder, expected.config_folder);
    ck_assert_str_eq(run.config, expected.config);
    ck_assert_str_eq(run.config_sha256, expected.config_sha256);
    ck_assert_int_eq(run.seed, 42);
    ck_assert_uint_eq(run.n_cases, 3);
    ck_assert_uint_eq(run.n_facts, 3);
    ck_assert_str_eq(run.facts[0].name, "governor"); /* sorted */
    ck_assert_str_eq(run.facts[0].value, "performance");

    struct stored_device *devices = NULL;
    size_t n = 0;
    ck_assert_int_eq(store_devices(store, run_id, &arena, &devices, &n, NULL), GB_OK);
    ck_assert_uint_eq(n, 1);
    ck_assert_str_eq(devices[0].record.model, "Example CPU 9000");
    ck_assert_uint_eq(devices[0].record.n_facts, 2);
    ck_assert_str_eq(devices[0].record.facts[1].value, "24 GiB");
    ck_assert_uint_eq(devices[0].record.n_clocks, 1);
    ck_assert_double_eq(devices[0].record.clocks[0].overhead_ns, 24);
    arena_free(&arena);
    fixture_close(store);
}
END_TEST

START_TEST(modules_come_back)
{
    struct store *store = fixture_open("results.gbr", STORE_WRITE);
    int64_t run_id = fixture_begin_run(store, 1);
    struct module_record module = {"/lib/x.so", "abc", "benchmark", "nop", "1.0"};
    ck_assert_int_eq(store_module(store, run_id, &module, NULL), GB_OK);
    ck_assert_int_eq(store_module(store, run_id, &module, NULL), GB_OK); /* once is enough */
    struct arena arena = {0};
    struct module_record *modules = NULL;
    size_t n = 0;
    ck_assert_int_eq(store_modules(store, run_id, &arena, &modules, &n, NULL), GB_OK);
    ck_assert_uint_eq(n, 1);
    ck_assert_str_eq(modules[0].path, "/lib/x.so");
    ck_assert_str_eq(modules[0].sha256, "abc");
    ck_assert_str_eq(modules[0].kind, "benchmark");
    ck_assert_str_eq(modules[0].id, "nop");
    ck_assert_str_eq(modules[0].version, "1.0");
    arena_free(&arena);
    fixture_close(store);
}
END_TEST

static void fill_everything(struct fixture_case *c)
{
    fixture_case(c, 3, 4, 1000);
    struct parameter kinds[] = {
        {.name = "ratio", .value = {.type = GB_TYPE_FLOAT, .number = 0.1, .text = "0.1"}},
        {.name = "deep",
         .value = {.type = GB_TYPE_BOOL, .integer = 1, .number = 1, .text = "yes"},
         .is_default = true},
        {.name = "size",
         .value = {.type = GB_TYPE_BYTES, .bytes = 1048576, .number = 1048576, .text = "1048576"}},
        {.name = "wait",
         .value = {.type = GB_TYPE_DURATION, .number = 2e6, .text = "2000000ns"},
         .is_variable = true},
        {.name = "mode", .value = {.type = GB_TYPE_CHOICE, .integer = 1, .text = "breadth"}},
        {.name = "name", .value = {.type = GB_TYPE_STRING, .number = NAN, .text = "a, \"b\""}},
    };
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
    for (int i = 0; i < FIXTURE_SAMPLES; i++)
        c->extra[i] = i < 3 ? GB_SAMPLE_THROTTLED : 0;
    c->columns[2] = (struct sample_column){"flags", c->extra};
    record->n_columns = 3;
}

static void read_only_case(struct store *store, struct arena *arena, struct stored_case *ret)
{
    int64_t *ids = NULL;
    size_t n = 0;
    ck_assert_int_eq(store_case_ids(store, 1, &ids, &n, NULL), GB_OK);
    ck_assert_uint_eq(n, 1);
    ck_assert_int_eq(store_case_read(store, ids[0], arena, ret, NULL), GB_OK);
    free(ids);
}

START_TEST(every_field_of_a_case_comes_back)
{
    struct fixture_case c;
    fill_everything(&c);
    struct store *store = fixture_open("results.gbr", STORE_WRITE);
    fixture_store(store, fixture_begin_run(store, 1), &c);
    struct arena arena = {0};
    struct stored_case got;
    read_only_case(store, &arena, &got);
    const struct case_record *a = &c.record, *b = &got.record;
    ck_assert_str_eq(b->uuid, a->uuid);
    ck_assert_str_eq(b->uid, a->uid);
    ck_assert_str_eq(got.bench, "streams");
    ck_assert_str_eq(got.plugin, "multistream");
    ck_assert_str_eq(got.plugin_version, "1.2");
    ck_assert_str_eq(got.policy, "precise");
    ck_assert_str_eq(got.policy_plugin, "median_ci");
    ck_assert_str_eq(got.policy_options, "precision=1% confidence=95%");
    ck_assert_str_eq(got.device_name, "cpu");
    ck_assert_int_eq(got.device_index, DEVICE_INDEX_ANY);
    ck_assert_str_eq(got.cache, "cold");
    ck_assert_str_eq(got.environment, "OMP_NUM_THREADS=2\n");
    ck_assert_int_eq(got.seed, 42);
    ck_assert_uint_eq(got.position, 3);
    ck_assert_uint_eq(b->sequence, 3);
    ck_assert_uint_eq(b->round, 1);
    ck_assert_int_eq(b->status, CASE_WRONG_RESULT);
    ck_assert_str_eq(b->status_text, "C differs");
    ck_assert_str_eq(b->stop_reason, a->stop_reason);
    ck_assert_str_eq(b->clock, "wall");
    ck_assert_uint_eq(b->iterations, 10);
    ck_assert_double_eq(b->tick_ns, 20);
    ck_assert_double_eq(b->overhead_ns, 24);
    ck_assert_str_eq(b->started, a->started);
    ck_assert_double_eq(b->wall_ns, 1e6);
    ck_assert_uint_eq(b->n_lost, 2);
    ck_assert_uint_eq(got.n_throttled, 3);
    ck_assert_uint_eq(b->n_samples, FIXTURE_SAMPLES);
    ck_assert_double_eq(got.summary.median, 1009.5);
    ck_assert_double_eq(got.summary.min, 1000);
    ck_assert_double_eq(got.summary.max, 1019);
    ck_assert_double_eq(got.summary.q1, 1004.75);
    ck_assert_double_eq(got.summary.q3, 1014.25);
    ck_assert_double_eq_tol(got.summary.mean, 1009.5, 1e-9);
    ck_assert_double_eq_tol(got.summary.stdev, 5.916079783, 1e-6);
    ck_assert_int_eq(b->has_estimate, 1);
    ck_assert_int_eq(b->estimate.verdict, GB_VERDICT_MULTIMODAL);
    ck_assert_str_eq(b->estimate.statistic, "median");
    ck_assert_double_eq(b->estimate.value_ns, 1009.5);
    ck_assert(isinf(b->estimate.low_ns) && b->estimate.low_ns < 0);
    ck_assert_double_eq(b->estimate.high_ns, a->estimate.high_ns);
    ck_assert_double_eq(b->estimate.confidence, 0.95);
    ck_assert_uint_eq(b->estimate.n, FIXTURE_SAMPLES);
    ck_assert_double_eq(b->estimate.n_effective, 18);
    ck_assert_uint_eq(b->estimate.n_modes, 2);
    ck_assert_double_eq(b->estimate.modes[0].weight, 0.75);
    ck_assert(isnan(b->estimate.modes[1].low_ns));
    ck_assert(isinf(b->estimate.modes[1].high_ns));
    ck_assert_double_eq(b->work.flops, 1e6);
    ck_assert_double_eq(b->work.bytes_read, 4000);
    ck_assert_str_eq(b->work.item, "key");
    ck_assert_uint_eq(b->n_metrics, 2);
    ck_assert_str_eq(b->metrics[0].name, "registers");
    ck_assert_str_eq(b->metrics[0].unit, "count");
    ck_assert_double_eq(b->metrics[0].value, 64);
    ck_assert(isnan(b->metrics[1].value));
    ck_assert_uint_eq(b->n_checks, 1);
    ck_assert_int_eq(b->checks[0].passed, 0);
    ck_assert_uint_eq(b->checks[0].index, 17);
    ck_assert_double_eq(b->checks[0].tolerance, 1e-6);
    ck_assert(isnan(b->checks[0].output));
    ck_assert_uint_eq(b->n_summaries, 1);
    ck_assert_str_eq(b->summaries[0].name, "C");
    ck_assert_uint_eq(b->summaries[0].n, 4096);
    ck_assert_uint_eq(b->summaries[0].n_exact, 4000);
    ck_assert_uint_eq(b->summaries[0].n_overflowed, 5);
    ck_assert_uint_eq(b->summaries[0].n_nan, 6);
    ck_assert_uint_eq(b->summaries[0].n_infinite_mismatch, 7);
    ck_assert_uint_eq(b->summaries[0].n_zero_mismatch, 1);
    ck_assert_mem_eq(b->summaries[0].histogram, a->summaries[0].histogram,
                     sizeof a->summaries[0].histogram);
    ck_assert_uint_eq(b->n_messages, 1);
    ck_assert_int_eq(b->messages[0].severity, GB_LOG_WARNING);
    ck_assert_str_eq(b->messages[0].text, "slow\nvery");
    ck_assert_uint_eq(got.n_parameters, 8);
    for (size_t i = 0; i < got.n_parameters; i++) {
        const struct parameter *in = &c.parameters[i], *out = &got.parameters[i];
        ck_assert_str_eq(out->name, in->name);
        ck_assert_uint_eq(out->value.type, in->value.type);
        ck_assert_str_eq(out->value.text, in->value.text);
        ck_assert_uint_eq(out->value.bytes, in->value.bytes);
        ck_assert_int_eq(out->is_axis, in->is_axis);
        ck_assert_int_eq(out->is_default, in->is_default);
        ck_assert_int_eq(out->is_variable, in->is_variable);
        ck_assert_int_eq(out->is_identity, in->is_identity);
    }
    ck_assert_int_eq(got.parameters[1].value.integer, 4);
    ck_assert_double_eq(got.parameters[2].value.number, 0.1);
    ck_assert_double_eq(got.parameters[5].value.number, 2e6);
    double wall[FIXTURE_SAMPLES];
    ck_assert_int_eq(store_samples_read(store, got.id, "wall", 0, FIXTURE_SAMPLES, wall, NULL),
                     GB_OK);
    ck_assert_mem_eq(wall, c.wall, sizeof wall);
    arena_free(&arena);
    fixture_close(store);
}
END_TEST

START_TEST(a_case_without_samples_has_no_numbers)
{
    struct fixture_case c;
    fixture_case(&c, 0, 1, 100);
    c.record.n_samples = 0;
    c.record.n_columns = 0;
    c.record.has_estimate = false;
    c.record.status = CASE_CRASHED;
    c.record.status_text = "SIGSEGV";
    struct store *store = fixture_open("results.gbr", STORE_WRITE);
    fixture_store(store, fixture_begin_run(store, 1), &c);
    struct arena arena = {0};
    struct stored_case got;
    read_only_case(store, &arena, &got);
    ck_assert(isnan(got.summary.median));
    ck_assert_int_eq(got.record.has_estimate, 0);
    arena_free(&arena);
    fixture_close(store);
}
END_TEST

START_TEST(lost_times_stay_out_of_the_summary)
{
    struct fixture_case c;
    fixture_case(&c, 0, 1, 100);
    for (int i = 5; i < FIXTURE_SAMPLES; i++)
        c.wall[i] = i % 2 ? NAN : INFINITY;
    struct store *store = fixture_open("results.gbr", STORE_WRITE);
    fixture_store(store, fixture_begin_run(store, 1), &c);
    struct arena arena = {0};
    struct stored_case got;
    read_only_case(store, &arena, &got);
    ck_assert_double_eq(got.summary.median, 102);
    ck_assert_double_eq(got.summary.max, 104);
    arena_free(&arena);
    fixture_close(store);
}
END_TEST

START_TEST(the_view_result_is_readable)
{
    make_file("results.gbr", 1, 2);
    struct store *store = fixture_open("results.gbr", STORE_READ);
    sqlite3_stmt *row = NULL;
    ck_assert_int_eq(
        sqlite3_prepare_v2(store->db,
                           "SELECT run, bench, plugin, parameters, device, policy, status,"
                           " stop_reason, n_samples, median_ns, low_ns, spread, gflops,"
                           " bytes_per_s, verified FROM result",
                           -1, &row, NULL),
        SQLITE_OK);
    ck_assert_int_eq(sqlite3_step(row), SQLITE_ROW);
    CLEANUP(text_free) struct text line = {0};
    for (int i = 0; i < sqlite3_column_count(row); i++)
        text_printf(&line, "%s|", sqlite3_column_text(row, i));
    ck_assert_str_eq(text_get(&line),
                     "1|streams|multistream|rows=32 streams=1|Example CPU 9000|precise|ok|"
                     "interval within 1 %|20|109.5|108.405|0.0867579908675799|9132.4200913242|"
                     "36529680365.2968|ok|");
    ck_assert_int_eq(sqlite3_step(row), SQLITE_ROW);
    ck_assert_int_eq(sqlite3_step(row), SQLITE_DONE);
    sqlite3_finalize(row);
    fixture_close(store);
}
END_TEST

START_TEST(the_schema_explains_itself)
{
    make_file("results.gbr", 1, 0);
    struct store *store = fixture_open("results.gbr", STORE_READ);
    ck_assert_int_eq(count_rows(store, "PRAGMA application_id"), 0x67627231);
    ck_assert_int_eq(count_rows(store, "PRAGMA user_version"), 2);
    ck_assert_int_eq(count_rows(store, "PRAGMA foreign_keys"), 1);
    ck_assert_int_eq(
        count_rows(store, "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND sql NOT"
                          " LIKE '%-- %'"),
        0);
    fixture_close(store);
}
END_TEST

START_TEST(the_same_device_is_stored_once)
{
    struct store *store = fixture_open("results.gbr", STORE_WRITE);
    int64_t run_id = fixture_begin_run(store, 1), other = 0;
    int64_t first = fixture_add_device(store, run_id);
    ck_assert_int_eq(fixture_add_device(store, run_id), first);
    struct device_record updated = fixture_device_record();
    struct fact facts[] = {{"cores", "2"}, {"memory", "48 GiB"}};
    updated.facts = facts; /* what a device says of itself may change; what it is does not */
    ck_assert_int_eq(store_device(store, run_id, &updated, &other, NULL), GB_OK);
    ck_assert_int_eq(other, first);
    updated.index++;
    ck_assert_int_eq(store_device(store, run_id, &updated, &other, NULL), GB_OK);
    ck_assert_int_ne(other, first);
    fixture_close(store);
}
END_TEST

/* Three parts of 7, 7 and 6 samples must give what one of 20 gives. */
START_TEST(spilled_samples_give_the_same_case)
{
    struct fixture_case c;
    fixture_case(&c, 0, 1, 100);
    for (int i = 0; i < FIXTURE_SAMPLES; i++)
        c.wall[i] = 100 + (i * 7) % FIXTURE_SAMPLES;
    c.extra[13] = GB_SAMPLE_THROTTLED;
    struct store *store = fixture_open("results.gbr", STORE_WRITE);
    int64_t run_id = fixture_begin_run(store, 1);
    struct gb_error error = {0};
    for (uint64_t first = 0; first < 14; first += 7) {
        struct sample_column part[] = {
            {"wall", c.wall + first}, {"elapsed", c.elapsed + first}, {"flags", c.extra + first}};
        ck_assert_int_eq(
            store_samples(store, run_id, &c.record, first, 7, part, first ? 3 : 2, &error), GB_OK);
    }
    ck_assert_int_eq(count_rows(store,
                                "SELECT count(*) FROM bench_case WHERE status = 'running' AND"
                                " n_samples = 14"),
                     1);
    ck_assert_int_eq(store_samples(store, run_id, &c.record, 15, 1, c.columns, 2, &error),
                     GB_INVALID);
    ck_assert_str_eq(fixture_error(&error),
                     "results.gbr: samples from 15 on do not follow the 14 stored");
    struct sample_column rest[] = {{"wall", c.wall + 14}, {"elapsed", c.elapsed + 14}};
    c.record.columns = rest;
    c.record.n_samples = 6;
    fixture_store(store, run_id, &c);
    struct arena arena = {0};
    struct stored_case got;
    read_only_case(store, &arena, &got);
    ck_assert_uint_eq(got.record.n_samples, FIXTURE_SAMPLES);
    ck_assert_int_eq(got.record.status, CASE_OK);
    ck_assert_uint_eq(got.n_throttled, 1);
    ck_assert_uint_eq(got.n_parameters, 2);
    ck_assert_double_eq(got.summary.median, 109.5);
    double values[FIXTURE_SAMPLES];
    ck_assert_int_eq(store_samples_read(store, got.id, "wall", 0, FIXTURE_SAMPLES, values, NULL),
                     GB_OK);
    ck_assert_mem_eq(values, c.wall, sizeof values);
    ck_assert_int_eq(store_samples_read(store, got.id, "wall", 5, 10, values, NULL), GB_OK);
    ck_assert_mem_eq(values, c.wall + 5, 10 * sizeof *values);
    ck_assert_int_eq(store_samples_read(store, got.id, "flags", 0, FIXTURE_SAMPLES, values, NULL),
                     GB_OK);
    ck_assert(isnan(values[6]) && values[7] == 0 && values[13] == 1 && isnan(values[14]));
    ck_assert_int_eq(store_case(store, run_id, &c.record, &error), GB_INVALID);
    ck_assert_str_eq(fixture_error(&error), "results.gbr: the record 000000c0-0000-4000-8000-"
                                            "000000000000 is complete already");
    arena_free(&arena);
    fixture_close(store);
}
END_TEST

START_TEST(long_columns_are_cut_into_chunks)
{
    enum { N = 2 * STORE_CHUNK + 10 };
    double *values = malloc(N * sizeof *values), *back = malloc(N * sizeof *back);
    ck_assert(values && back);
    for (int i = 0; i < N; i++)
        values[i] = 1e6 + i;
    struct fixture_case c;
    fixture_case(&c, 0, 1, 100);
    c.columns[0].values = values;
    c.record.n_columns = 1;
    c.record.n_samples = N;
    struct store *store = fixture_open("results.gbr", STORE_WRITE);
    fixture_store(store, fixture_begin_run(store, 1), &c);
    ck_assert_int_eq(count_rows(store, "SELECT count(*) FROM samples"), 3);
    ck_assert_int_eq(store_samples_read(store, 1, "wall", 0, N, back, NULL), GB_OK);
    ck_assert_mem_eq(values, back, N * sizeof *values);
    ck_assert_int_eq(store_samples_read(store, 1, "wall", STORE_CHUNK - 3, 6, back, NULL), GB_OK);
    ck_assert_mem_eq(values + STORE_CHUNK - 3, back, 6 * sizeof *values);
    fixture_close(store);
    free(values);
    free(back);
}
END_TEST

/* Byte 18 of the header: 2 in WAL mode, 1 else (SQLite's database file format). */
static int write_version(const char *name)
{
    FILE *file = fopen(fixture_path(name), "rb");
    ck_assert_ptr_nonnull(file);
    ck_assert_int_eq(fseek(file, 18, SEEK_SET), 0);
    int version = fgetc(file);
    fclose(file);
    return version;
}

START_TEST(a_finished_file_is_one_plain_file)
{
    struct store *store = fixture_open("results.gbr", STORE_WRITE);
    fixture_begin_run(store, 1);
    ck_assert(exists("results.gbr-wal"));
    fixture_close(store);
    ck_assert_int_eq(write_version("results.gbr"), 1);
    ck_assert(exists("results.gbr"));
    ck_assert(!exists("results.gbr-wal") && !exists("results.gbr-shm") &&
              !exists("results.gbr-journal"));
}
END_TEST

START_TEST(runs_are_numbered_by_start)
{
    make_file("results.gbr", 3, 0);
    make_file("results.gbr", 1, 0);
    make_file("results.gbr", 2, 0);
    struct store *store = fixture_open("results.gbr", STORE_READ);
    struct arena arena = {0};
    struct run_record run;
    int64_t id = 0;
    const struct {
        int64_t number;
        const char *started;
    } cases[] = {{1, "2026-01-01T10:00:00.000Z"},
                 {2, "2026-01-02T10:00:00.000Z"},
                 {3, "2026-01-03T10:00:00.000Z"},
                 {RUN_NEWEST, "2026-01-03T10:00:00.000Z"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ck_assert_int_eq(store_run_read(store, cases[i].number, &arena, &id, &run, NULL), GB_OK);
        ck_assert_str_eq(run.started, cases[i].started);
    }
    struct gb_error error = {0};
    ck_assert_int_eq(store_run_read(store, 4, &arena, &id, &run, &error), GB_NOT_FOUND);
    ck_assert_str_eq(fixture_error(&error), "results.gbr: has no run 4, only 1 to 3");
    ck_assert_int_eq(store_run_read(store, RUN_ALL, &arena, &id, &run, &error), GB_INVALID);
    ck_assert_str_eq(fixture_error(&error), "results.gbr: one run is wanted here, not all");
    arena_free(&arena);
    fixture_close(store);
}
END_TEST

START_TEST(a_file_without_runs_says_so)
{
    fixture_close(fixture_open("results.gbr", STORE_WRITE));
    struct store *store = fixture_open("results.gbr", STORE_READ);
    struct arena arena = {0};
    struct gb_error error = {0};
    struct run_record run;
    int64_t id = 0;
    ck_assert_int_eq(store_run_read(store, RUN_NEWEST, &arena, &id, &run, &error), GB_NOT_FOUND);
    ck_assert_str_eq(fixture_error(&error), "results.gbr: holds no run");
    arena_free(&arena);
    fixture_close(store);
}
END_TEST

struct done_list {
    struct text text;
};

static void note_done(void *context, uint64_t position, uint32_t round, const char *device_name,
                      int32_t device_index)
{
    text_printf(&((struct done_list *)context)->text, "%llu %u %s:%d;",
                (unsigned long long)position, (unsigned)round, device_name, (int)device_index);
}

START_TEST(resume_keeps_what_is_done_only)
{
    static const int statuses[] = {CASE_OK,      CASE_CANCELLED, CASE_CRASHED,
                                   CASE_RUNNING, CASE_SKIPPED,   CASE_TIMED_OUT};
    struct store *store = fixture_open("results.gbr", STORE_WRITE);
    int64_t run_id = fixture_begin_run(store, 1);
    for (unsigned i = 0; i < 6; i++) {
        struct fixture_case c;
        fixture_case(&c, i, i + 1, 100);
        c.record.status = statuses[i];
        fixture_store(store, run_id, &c);
    }
    fixture_end_run(store, run_id);
    CLEANUP(text_free) struct text none = {0};
    struct done_list done = {none};
    uint64_t next_sequence = 0;
    ck_assert_int_eq(store_resume(store, run_id, note_done, &done, &next_sequence, NULL), GB_OK);
    ck_assert_str_eq(text_get(&done.text), "0 0 cpu:-1;2 0 cpu:-1;4 0 cpu:-1;5 0 cpu:-1;");
    text_free(&done.text);
    ck_assert_int_eq(count_rows(store, "SELECT count(*) FROM bench_case"), 4);
    ck_assert_int_eq(count_rows(store, "SELECT count(DISTINCT case_id) FROM samples"), 4);
    ck_assert_int_eq(count_rows(store, "SELECT finished IS NULL AND exit_code IS NULL FROM run"),
                     1);
    fixture_close(store);
}
END_TEST

/* The status, and what is stored of one case with it, in the order of storing. */
START_TEST(of_several_records_the_last_done_is_seen)
{
    static const struct {
        int first, second, third, seen;
    } cases[] = {
        {CASE_CANCELLED, CASE_OK, CASE_RUNNING, 1},
        {CASE_OK, CASE_CRASHED, CASE_CANCELLED, 1},
        {CASE_RUNNING, CASE_CANCELLED, CASE_CANCELLED, 2},
        {CASE_OK, CASE_OK, CASE_OK, 2},
    };
    const int *statuses = &cases[_i].first;
    struct store *store = fixture_open("results.gbr", STORE_WRITE);
    int64_t run_id = fixture_begin_run(store, 1);
    for (unsigned i = 0; i < 3; i++) {
        struct fixture_case c;
        fixture_case(&c, 0, 1, 100);
        fixture_uuid(0xC0, 100 + i, c.record.uuid);
        c.record.sequence = i;
        c.record.status = statuses[i];
        fixture_store(store, run_id, &c);
    }
    struct arena arena = {0};
    struct stored_case got;
    read_only_case(store, &arena, &got);
    ck_assert_uint_eq(got.record.sequence, (unsigned)cases[_i].seen);
    ck_assert_int_eq(count_rows(store, "SELECT count(*) FROM result"), 1);
    arena_free(&arena);
    fixture_close(store);
}
END_TEST

static void make_foreign_database(void)
{
    sqlite3 *db = NULL;
    ck_assert_int_eq(sqlite3_open(fixture_path("foreign.db"), &db), SQLITE_OK);
    sqlite3_exec(db, "CREATE TABLE t (x)", NULL, NULL, NULL);
    sqlite3_close(db);
}

static void make_newer_file(void)
{
    make_file("newer.gbr", 1, 0);
    sqlite3 *db = NULL;
    ck_assert_int_eq(sqlite3_open(fixture_path("newer.gbr"), &db), SQLITE_OK);
    sqlite3_exec(db, "PRAGMA user_version = 7", NULL, NULL, NULL);
    sqlite3_close(db);
}

START_TEST(files_that_can_not_be_opened)
{
    static const struct {
        const char *name;
        int mode;
        int32_t status;
        const char *text;
    } cases[] = {
        {"absent.gbr", STORE_READ, GB_NOT_FOUND, "absent.gbr: there is no such results file"},
        {"no/where.gbr", STORE_WRITE, GB_IO,
         "no/where.gbr: can not be opened for writing: No such file or directory"},
        {"folder", STORE_READ, GB_IO, "folder: a folder, not a results file"},
        {"folder", STORE_WRITE, GB_IO, "folder: can not be opened for writing: Is a directory"},
        {"empty.gbr", STORE_READ, GB_CORRUPT, "empty.gbr: empty: nothing was ever stored in it"},
        {"words.gbr", STORE_READ, GB_CORRUPT, "words.gbr: not a results file of gbrun"},
        {"words.gbr", STORE_WRITE, GB_CORRUPT, "words.gbr: not a results file of gbrun"},
        {"foreign.db", STORE_READ, GB_CORRUPT,
         "foreign.db: not a results file of gbrun, but an SQLite file of another program"},
        {"foreign.db", STORE_WRITE, GB_CORRUPT,
         "foreign.db: not a results file of gbrun, but an SQLite file of another program"},
        {"newer.gbr", STORE_READ, GB_UNSUPPORTED,
         "newer.gbr: made by a newer gbrun (format 7; this one knows 2): use that one"},
        {"newer.gbr", STORE_WRITE, GB_UNSUPPORTED,
         "newer.gbr: made by a newer gbrun (format 7; this one knows 2): use that one"},
    };
    ck_assert_int_eq(mkdir(fixture_path("folder"), 0755), 0);
    write_bytes("empty.gbr", "", 0);
    char words[4096];
    memset(words, 'w', sizeof words);
    write_bytes("words.gbr", words, sizeof words);
    make_foreign_database();
    make_newer_file();
    struct store *store = NULL;
    struct gb_error error = {0};
    ck_assert_int_eq(store_open(fixture_path(cases[_i].name), cases[_i].mode, &store, &error),
                     cases[_i].status);
    ck_assert_str_eq(fixture_error(&error), cases[_i].text);
    ck_assert_ptr_null(store);
    char back[4];
    FILE *file = fopen(fixture_path("words.gbr"), "rb");
    ck_assert_uint_eq(fread(back, 1, sizeof back, file), sizeof back);
    fclose(file);
    ck_assert_mem_eq(back, "wwww", 4); /* left alone */
}
END_TEST

START_TEST(an_empty_file_can_be_written)
{
    write_bytes("results.gbr", "", 0);
    make_file("results.gbr", 1, 1);
    fixture_close(fixture_open("results.gbr", STORE_READ));
}
END_TEST

START_TEST(a_second_writer_is_refused)
{
    struct store *first = fixture_open("results.gbr", STORE_WRITE), *second = NULL;
    struct gb_error error = {0};
    ck_assert_int_eq(store_open(fixture_path("results.gbr"), STORE_WRITE, &second, &error), GB_IO);
    ck_assert_str_eq(fixture_error(&error), "results.gbr: another gbrun is writing to it; wait for"
                                            " its end or name another file");
    fixture_begin_run(first, 1); /* its locks are still there */
    struct store *reader = fixture_open("results.gbr", STORE_READ);
    ck_assert_int_eq(count_rows(reader, "SELECT count(*) FROM run"), 1);
    fixture_close(reader);
    fixture_close(first);
    fixture_close(fixture_open("results.gbr", STORE_WRITE));
}
END_TEST

START_TEST(a_reader_in_the_way_of_the_end_loses_nothing)
{
    struct store *writer = fixture_open("results.gbr", STORE_WRITE);
    fixture_begin_run(writer, 1);
    struct store *reader = fixture_open("results.gbr", STORE_READ);
    sqlite3_exec(reader->db, "BEGIN; SELECT * FROM run", NULL, NULL, NULL);
    fixture_close(writer);
    ck_assert_int_eq(count_rows(reader, "SELECT count(*) FROM run"), 1);
    fixture_close(reader);
    struct store *again = fixture_open("results.gbr", STORE_READ);
    ck_assert_int_eq(count_rows(again, "SELECT count(*) FROM run"), 1);
    fixture_close(again);
}
END_TEST

/* A VFS without shared memory, as on some network file systems. */
START_TEST(without_wal_a_rollback_journal_is_used)
{
    struct store *store = NULL;
    struct gb_error error = {0};
    ck_assert_int_eq(
        store_open_vfs(fixture_path("results.gbr"), STORE_WRITE, "unix-dotfile", &store, &error),
        GB_OK);
    struct fixture_case c;
    fixture_case(&c, 0, 1, 100);
    fixture_store(store, fixture_begin_run(store, 1), &c);
    ck_assert(!exists("results.gbr-wal"));
    fixture_close(store);
    store = fixture_open("results.gbr", STORE_READ);
    ck_assert_int_eq(count_rows(store, "SELECT count(*) FROM bench_case"), 1);
    fixture_close(store);
}
END_TEST

enum { KILL_AFTER = 25 };

/* Stores cases for ever, and says through a pipe when each is stored. */
static void write_until_killed(int out)
{
    struct store *store = fixture_open("results.gbr", STORE_WRITE);
    int64_t run_id = fixture_begin_run(store, 1);
    for (unsigned i = 0;; i++) {
        struct fixture_case c;
        fixture_case(&c, i, i + 1, 100);
        fixture_store(store, run_id, &c);
        if (write(out, &i, sizeof i) != (ssize_t)sizeof i)
            _exit(1);
    }
}

/* How many cases a writer had stored, at least, when it was killed. */
static unsigned kill_a_writer(void)
{
    int ends[2];
    ck_assert_int_eq(pipe(ends), 0);
    pid_t child = fork();
    ck_assert_int_ge(child, 0);
    if (child == 0) {
        close(ends[0]);
        write_until_killed(ends[1]);
    }
    close(ends[1]);
    unsigned stored = 0, number;
    while (read(ends[0], &number, sizeof number) == (ssize_t)sizeof number) {
        stored = number + 1;
        if (stored == KILL_AFTER)
            kill(child, SIGKILL);
    }
    close(ends[0]);
    int status;
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    ck_assert_uint_ge(stored, KILL_AFTER);
    return stored;
}

static void expect_cases(struct store *store, unsigned stored)
{
    ck_assert_int_ge(count_rows(store, "SELECT count(*) FROM bench_case"), stored);
    ck_assert_int_le(count_rows(store, "SELECT count(*) FROM bench_case"), stored + 1);
    ck_assert_int_eq(count_rows(store, "SELECT count(*) FROM bench_case WHERE (SELECT count(*)"
                                       " FROM samples WHERE case_id = id) <> 2"),
                     0);
    sqlite3_stmt *check = NULL;
    sqlite3_prepare_v2(store->db, "PRAGMA integrity_check", -1, &check, NULL);
    ck_assert_int_eq(sqlite3_step(check), SQLITE_ROW);
    ck_assert_str_eq((const char *)sqlite3_column_text(check, 0), "ok");
    sqlite3_finalize(check);
}

START_TEST(killed_writers_lose_nothing_that_was_stored)
{
    unsigned stored = kill_a_writer();
    ck_assert(exists("results.gbr-wal"));
    struct store *reader = fixture_open("results.gbr", STORE_READ);
    expect_cases(reader, stored);
    fixture_close(reader);
    struct store *writer = fixture_open("results.gbr", STORE_WRITE); /* the lock is gone */
    expect_cases(writer, stored);
    fixture_close(writer);
    ck_assert(!exists("results.gbr-wal"));
}
END_TEST

/* The tests' temporary folder may be closed to the user that root becomes here. */
static void open_temporary_folder(void)
{
    const char *base = getenv("TMPDIR");
    struct stat info;
    if (geteuid() == 0 && base && stat(base, &info) == 0)
        ck_assert_int_eq(chmod(base, info.st_mode | 0711), 0);
    ck_assert_int_eq(chmod(fixture_folder, 0755), 0);
}

/* In a process without root's rights, which folder permissions do not bind. */
static void read_without_permission(unsigned stored, const char *temporary)
{
    setenv("TMPDIR", temporary, 1);
    if (geteuid() == 0 && setuid(65534) != 0)
        _exit(2);
    struct store *store = NULL;
    struct gb_error error = {0};
    if (store_open(fixture_path("box/results.gbr"), STORE_READ, &store, &error) != GB_OK) {
        fprintf(stderr, "%s\n", error.text);
        _exit(3);
    }
    expect_cases(store, stored);
    store_close(store, NULL);
    _exit(0);
}

static int exit_code_of(pid_t child)
{
    int status;
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static void move_to_box(const char *name)
{
    char from[320], to[320];
    snprintf(from, sizeof from, "%s", fixture_path(name));
    snprintf(to, sizeof to, "%s/box/%s", fixture_folder, name);
    if (access(from, F_OK) == 0)
        ck_assert_int_eq(rename(from, to), 0);
}

/* _i: the folder holds 0: a killed writer's file and log, 1: the same with shared memory, 2: a
 * finished file, 3: a file in WAL mode without a log. Only the first two need a copy. */
START_TEST(files_in_folders_without_permission_are_read)
{
    unsigned stored = 1;
    open_temporary_folder();
    ck_assert_int_eq(mkdir(fixture_path("box"), 0755), 0);
    ck_assert_int_eq(mkdir(fixture_path("temporary"), 0777), 0);
    chmod(fixture_path("temporary"), 0777);
    if (_i <= 1)
        stored = kill_a_writer();
    else
        make_file("results.gbr", 1, 1);
    if (_i == 3) {
        sqlite3 *db = NULL;
        ck_assert_int_eq(sqlite3_open(fixture_path("results.gbr"), &db), SQLITE_OK);
        sqlite3_exec(db, "PRAGMA journal_mode = WAL", NULL, NULL, NULL);
        sqlite3_close(db);
    }
    move_to_box("results.gbr");
    move_to_box("results.gbr-wal");
    if (_i == 1)
        move_to_box("results.gbr-shm");
    ck_assert_int_eq(chmod(fixture_path("box"), 0555), 0);
    pid_t child = fork();
    if (child == 0)
        read_without_permission(stored, fixture_path(_i <= 1 ? "temporary" : "nowhere"));
    ck_assert_int_eq(exit_code_of(child), 0);
    ck_assert_int_eq(rmdir(fixture_path("temporary")), 0); /* no copy is left */
}
END_TEST

/* Stores cases until the file may not grow; the error goes into *error. */
static unsigned fill(struct store *store, int64_t run_id, struct gb_error *error)
{
    for (unsigned i = 0; i < 100000; i++) {
        struct fixture_case c;
        fixture_case(&c, i, i + 1, 100);
        if (store_case(store, run_id, &c.record, error) != GB_OK)
            return i;
    }
    ck_abort_msg("the limit was never met");
}

START_TEST(a_full_file_is_a_clear_error)
{
    struct store *store = fixture_open("results.gbr", STORE_WRITE);
    int64_t run_id = fixture_begin_run(store, 1);
    struct gb_error error = {0};
    sqlite3_exec(store->db, "PRAGMA max_page_count = 60", NULL, NULL, NULL);
    unsigned stored = fill(store, run_id, &error);
    ck_assert_uint_gt(stored, 10);
    ck_assert_int_eq(error.status, GB_IO);
    ck_assert_str_eq(fixture_error(&error), "results.gbr: disk full: nothing more can be stored;"
                                            " what was stored before is safe");
    fixture_close(store);
    struct store *reader = fixture_open("results.gbr", STORE_READ);
    ck_assert_int_eq(count_rows(reader, "SELECT count(*) FROM bench_case"), stored);
    fixture_close(reader);
}
END_TEST

/* The file system itself refuses: no file of this process may grow beyond a limit. */
START_TEST(a_full_disk_is_a_clear_error)
{
    pid_t child = fork();
    if (child == 0) {
        signal(SIGXFSZ, SIG_IGN);
        struct rlimit limit = {600000, 600000};
        struct store *store = fixture_open("results.gbr", STORE_WRITE);
        int64_t run_id = fixture_begin_run(store, 1);
        struct gb_error error = {0};
        setrlimit(RLIMIT_FSIZE, &limit);
        unsigned stored = fill(store, run_id, &error);
        ck_assert_str_eq(fixture_error(&error),
                         "results.gbr: disk full: nothing more can be stored;"
                         " what was stored before is safe");
        char line[32];
        int n = snprintf(line, sizeof line, "%u", stored);
        write_bytes("stored", line, (size_t)n);
        store_close(store, NULL); /* may fail again: the log stays */
        _exit(0);
    }
    ck_assert_int_eq(exit_code_of(child), 0);
    unsigned stored = 0;
    FILE *file = fopen(fixture_path("stored"), "r");
    ck_assert_int_eq(fscanf(file, "%u", &stored), 1);
    fclose(file);
    ck_assert_uint_gt(stored, 10);
    struct store *reader = fixture_open("results.gbr", STORE_READ);
    ck_assert_int_eq(count_rows(reader, "SELECT count(*) FROM bench_case"), stored);
    fixture_close(reader);
}
END_TEST

START_TEST(statuses_have_words)
{
    static const struct {
        int status;
        const char *word, *words, *described;
        bool done, bad;
    } cases[] = {
        {CASE_OK, "ok", "", "ok", true, false},
        {CASE_SKIPPED, "skipped", "no GPU", "skipped: no GPU", true, false},
        {CASE_FAILED, "failed", "no input", "failed: no input", true, true},
        {CASE_WRONG_RESULT, "wrong result", NULL, "wrong result", true, true},
        {CASE_CRASHED, "crashed", "SIGSEGV", "crashed (SIGSEGV)", true, true},
        {CASE_TIMED_OUT, "timed out", "after 60 s", "timed out after 60 s", true, true},
        {CASE_DEVICE_ERROR, "device error", "illegal address", "device error (illegal address)",
         true, true},
        {CASE_CANCELLED, "cancelled", "", "cancelled", false, true},
        {CASE_RUNNING, "running", "", "running", false, true},
    };
    CLEANUP(text_free) struct text out = {0};
    case_status_describe(cases[_i].status, cases[_i].words, &out);
    ck_assert_str_eq(text_get(&out), cases[_i].described);
    ck_assert_str_eq(case_status_word(cases[_i].status), cases[_i].word);
    ck_assert_int_eq(case_status_named(cases[_i].word), cases[_i].status);
    ck_assert_int_eq(case_status_is_done(cases[_i].status), cases[_i].done);
    ck_assert_int_eq(case_status_is_bad(cases[_i].status), cases[_i].bad);
    ck_assert_int_eq(case_status_named("dead"), -1);
    ck_assert_str_eq(case_status_word(CASE_STATUSES), "unknown");
}
END_TEST

START_TEST(uuids_are_well_formed_and_differ)
{
    char a[UUID_TEXT], b[UUID_TEXT];
    uuid_new(a);
    uuid_new(b);
    ck_assert_uint_eq(strlen(a), 36);
    ck_assert(a[8] == '-' && a[13] == '-' && a[18] == '-' && a[23] == '-');
    ck_assert(a[14] == '4' && strchr("89ab", a[19]));
    ck_assert_str_ne(a, b);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("store");
    TCase *content = tcase_create("content");
    tcase_add_checked_fixture(content, fixture_begin, fixture_end);
    tcase_add_test(content, run_and_device_come_back);
    tcase_add_test(content, modules_come_back);
    tcase_add_test(content, every_field_of_a_case_comes_back);
    tcase_add_test(content, a_case_without_samples_has_no_numbers);
    tcase_add_test(content, lost_times_stay_out_of_the_summary);
    tcase_add_test(content, the_view_result_is_readable);
    tcase_add_test(content, the_schema_explains_itself);
    tcase_add_test(content, the_same_device_is_stored_once);
    tcase_add_test(content, spilled_samples_give_the_same_case);
    tcase_add_test(content, long_columns_are_cut_into_chunks);
    tcase_add_test(content, runs_are_numbered_by_start);
    tcase_add_test(content, a_file_without_runs_says_so);
    tcase_add_test(content, resume_keeps_what_is_done_only);
    tcase_add_loop_test(content, of_several_records_the_last_done_is_seen, 0, 4);
    tcase_add_loop_test(content, statuses_have_words, 0, CASE_STATUSES);
    tcase_add_test(content, uuids_are_well_formed_and_differ);
    suite_add_tcase(suite, content);

    TCase *file = tcase_create("file");
    tcase_add_checked_fixture(file, fixture_begin, fixture_end);
    tcase_set_timeout(file, 120);
    tcase_add_test(file, a_finished_file_is_one_plain_file);
    tcase_add_loop_test(file, files_that_can_not_be_opened, 0, 11);
    tcase_add_test(file, an_empty_file_can_be_written);
    tcase_add_test(file, a_second_writer_is_refused);
    tcase_add_test(file, a_reader_in_the_way_of_the_end_loses_nothing);
    tcase_add_test(file, without_wal_a_rollback_journal_is_used);
    tcase_add_test(file, killed_writers_lose_nothing_that_was_stored);
    tcase_add_loop_test(file, files_in_folders_without_permission_are_read, 0, 4);
    tcase_add_test(file, a_full_file_is_a_clear_error);
    tcase_add_test(file, a_full_disk_is_a_clear_error);
    suite_add_tcase(suite, file);
    return suite;
}
