/* test_store.c - what goes into a results file comes out of it. */
#include "tests/check_main.h"
#include "tests/store/store_fixture.h"

#include "core/store/store_schema.h"

TEST_FIXTURE(fixture_begin, fixture_end)

TEST(run_and_device_come_back)
{
    fixture_make_file("results.gbr", 1, 1);
    struct store *store = fixture_open("results.gbr", STORE_READ);
    CLEANUP(arena_free) struct arena arena = {0};
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
    ck_assert_uint_eq(devices[0].record.n_facts, 3);
    ck_assert_str_eq(devices[0].record.facts[1].value, "24 GiB");
    ck_assert_uint_eq(devices[0].record.n_clocks, 1);
    ck_assert_double_eq(devices[0].record.clocks[0].overhead_ns, 24);
    fixture_close(store);
}

TEST(modules_come_back)
{
    struct store *store = fixture_open("results.gbr", STORE_WRITE);
    int64_t run_id = fixture_begin_run(store, 1);
    struct module_record module = {"/lib/x.so", "abc", "benchmark", "nop", "1.0"};
    ck_assert_int_eq(store_module(store, run_id, &module, NULL), GB_OK);
    ck_assert_int_eq(store_module(store, run_id, &module, NULL), GB_OK); /* once is enough */
    CLEANUP(arena_free) struct arena arena = {0};
    struct module_record *modules = NULL;
    size_t n = 0;
    ck_assert_int_eq(store_modules(store, run_id, &arena, &modules, &n, NULL), GB_OK);
    ck_assert_uint_eq(n, 1);
    ck_assert_str_eq(modules[0].path, "/lib/x.so");
    ck_assert_str_eq(modules[0].sha256, "abc");
    ck_assert_str_eq(modules[0].kind, "benchmark");
    ck_assert_str_eq(modules[0].id, "nop");
    ck_assert_str_eq(modules[0].version, "1.0");
    fixture_close(store);
}

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
    static const struct worst_record worst[] = {{"C", 17, 1.5, 2, 0x1p22}, {"C", 5, -0.1, NAN, 2}};
    c->record.worst = worst;
    c->record.n_worst = 2;
    c->record.phases = (struct phases_record){1, 2, 3, 4, 5, NAN};
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
    for (int i = 0; i < FIXTURE_SAMPLES; i++)
        c->extra[i] = i < 3 ? GB_SAMPLE_THROTTLED : 0;
    c->columns[2] = (struct sample_column){"flags", c->extra};
    record->n_columns = 3;
}

static void read_only_case(struct store *store, struct arena *arena, struct stored_case *ret)
{
    int64_t *ids = NULL;
    size_t n = 0;
    ck_assert_int_eq(store_case_ids(store, 1, NULL, &ids, &n, NULL), GB_OK);
    ck_assert_uint_eq(n, 1);
    ck_assert_int_eq(store_case_read(store, ids[0], arena, ret, NULL), GB_OK);
    free(ids);
}

TEST(every_field_of_a_case_comes_back)
{
    struct fixture_case c;
    fill_everything(&c);
    struct store *store = fixture_open("results.gbr", STORE_WRITE);
    fixture_store(store, fixture_begin_run(store, 1), &c);
    CLEANUP(arena_free) struct arena arena = {0};
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
    ck_assert_str_eq(b->estimate.note, "18 samples are few");
    ck_assert_uint_eq(b->estimate.n_modes, 2);
    ck_assert_double_eq(b->estimate.modes[0].weight, 0.75);
    ck_assert(isnan(b->estimate.modes[1].low_ns));
    ck_assert(isinf(b->estimate.modes[1].high_ns));
    ck_assert_double_eq(b->work.flops, 1e6);
    ck_assert_double_eq(b->work.bytes_read, 4000);
    ck_assert_str_eq(b->work.item, "key");
    ck_assert_uint_eq(b->work.math_format, GB_BF16);
    ck_assert_uint_eq(b->work.math_unit, GB_MATH_TENSOR);
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
    ck_assert_uint_eq(b->n_worst, 2);
    for (size_t i = 0; i < b->n_worst; i++) {
        ck_assert_str_eq(b->worst[i].name, a->worst[i].name);
        ck_assert_uint_eq(b->worst[i].index, a->worst[i].index);
        ck_assert_double_eq(b->worst[i].reference, a->worst[i].reference);
        ck_assert_double_eq(b->worst[i].ulps, a->worst[i].ulps);
    }
    ck_assert(isnan(b->worst[1].output));
    ck_assert_double_eq(b->phases.open_ns, 1);
    ck_assert_double_eq(b->phases.measure_ns, 4);
    ck_assert(isnan(b->phases.verify_ns));
    ck_assert_mem_eq(b->summaries[0].histogram, a->summaries[0].histogram,
                     sizeof a->summaries[0].histogram);
    ck_assert_mem_eq(b->summaries[0].above_floor, a->summaries[0].above_floor,
                     sizeof a->summaries[0].above_floor);
    ck_assert_double_eq(b->summaries[0].floor, 1e-3);
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
    fixture_close(store);
}

TEST(a_case_without_samples_has_no_numbers)
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
    CLEANUP(arena_free) struct arena arena = {0};
    struct stored_case got;
    read_only_case(store, &arena, &got);
    ck_assert(isnan(got.summary.median));
    ck_assert_int_eq(got.record.has_estimate, 0);
    fixture_close(store);
}

TEST(lost_times_stay_out_of_the_summary)
{
    struct fixture_case c;
    fixture_case(&c, 0, 1, 100);
    for (int i = 5; i < FIXTURE_SAMPLES; i++)
        c.wall[i] = i % 2 ? NAN : INFINITY;
    struct store *store = fixture_open("results.gbr", STORE_WRITE);
    fixture_store(store, fixture_begin_run(store, 1), &c);
    CLEANUP(arena_free) struct arena arena = {0};
    struct stored_case got;
    read_only_case(store, &arena, &got);
    ck_assert_double_eq(got.summary.median, 102);
    ck_assert_double_eq(got.summary.max, 104);
    fixture_close(store);
}

TEST(the_view_result_is_readable)
{
    fixture_make_file("results.gbr", 1, 2);
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

/* As a run prints it, quotes where a value needs them. */
TEST(the_view_has_labels_and_what_the_policy_guarantees)
{
    static const char *const values[] = {"plain", "", "two words", "a\"b", "a\tb", "a,b*"};
    struct store *store = fixture_open("results.gbr", STORE_WRITE);
    int64_t run_id = fixture_begin_run(store, 1);
    for (unsigned i = 0; i < sizeof values / sizeof *values; i++) {
        struct fixture_case c;
        CLEANUP(text_free) struct text label = {0}, sql = {0};
        fixture_case(&c, i, 4, 100);
        fixture_add(&c, fixture_words("note", values[i], true));
        c.record.estimate.n_discarded = i;
        c.record.has_estimate = i > 0;
        fixture_store(store, run_id, &c);
        bench_case_label(&c.bench_case, &label);
        text_printf(&sql,
                    "SELECT count(*) FROM result WHERE label = '%s' AND cache = 'warm' AND"
                    " launch = 'stream' AND verdict IS %s AND n_effective IS %s AND"
                    " n_discarded IS %s",
                    text_get(&label), i ? "'certified'" : "NULL", i ? "18" : "NULL",
                    i ? (char[]){(char)('0' + i), 0} : "NULL");
        ck_assert_msg(fixture_query(store, text_get(&sql)) == 1, "%s", text_get(&sql));
    }
    struct fixture_case bare;
    fixture_case(&bare, 9, 4, 100);
    bare.bench_case.n_parameters = 1; /* no axis */
    fixture_store(store, run_id, &bare);
    ck_assert_int_eq(fixture_query(store, "SELECT count(*) FROM result WHERE label = 'streams'"),
                     1);
    fixture_close(store);
}

/* Words with quotes, truths, sizes, and numbers that JSON does not know. */
TEST(the_view_case_json_has_valid_json)
{
    fixture_make_file("results.gbr", 1, 2);
    struct store *store = fixture_open("results.gbr", STORE_WRITE);
    /* As other programs open the file: to SQLite the functions of JSON are no safe ones. */
    sqlite3_db_config(store->db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 1, NULL);
    ck_assert_int_eq(
        sqlite3_exec(store->db,
                     "INSERT INTO parameter SELECT column1, column2, column3, column4, column5,"
                     " column6, 0, 0, 0, 1 FROM (VALUES (1, 7, 'a \"b\"', 'c \\ \"d\"', NULL,"
                     " 'string'), (1, 8, 'yes', 'yes', 1, 'bool'), (1, 9, 'no', 'no', 0, 'bool'),"
                     " (1, 10, 'max', 'inf', 9e999, 'float'),"
                     " (1, 11, 'big', '9007199254740993', 9007199254740992, 'bytes'));"
                     "DELETE FROM metric; INSERT INTO metric VALUES (1, 0, 'p', 9e999, 'W'),"
                     " (1, 1, 'q', 0.5, 'W'), (1, 2, 'r', NULL, 'W')",
                     NULL, NULL, NULL),
        SQLITE_OK);
    ck_assert_int_eq(
        fixture_query(store, "SELECT parameters = '{\"rows\":32,\"streams\":1,\"a \\\"b\\\"\":"
                             "\"c \\\\ \\\"d\\\"\",\"yes\":true,\"no\":false,\"max\":\"inf\","
                             "\"big\":9007199254740993}' AND axes = '{\"streams\":1}' AND"
                             " metrics = '{\"p\":null,\"q\":0.5,\"r\":null}'"
                             " FROM case_json WHERE case_id = 1"),
        1);
    ck_assert_int_eq(
        fixture_query(store, "SELECT count(*) FROM case_json AS j JOIN result USING (uuid, uid)"
                             " JOIN run AS r ON r.uuid = j.run_uuid WHERE json_valid(j.parameters)"
                             " AND json_valid(metrics) AND j.median_ns = result.median_ns"),
        2);
    fixture_close(store);
}

TEST(the_schema_explains_itself)
{
    fixture_make_file("results.gbr", 1, 0);
    struct store *store = fixture_open("results.gbr", STORE_READ);
    ck_assert_int_eq(fixture_query(store, "PRAGMA application_id"), 0x67627231);
    ck_assert_int_eq(fixture_query(store, "PRAGMA user_version"), schema_version(&store_schema));
    ck_assert_int_eq(fixture_query(store, "PRAGMA foreign_keys"), 1);
    ck_assert_int_eq(
        fixture_query(store, "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND sql NOT"
                             " LIKE '%-- %'"),
        0);
    fixture_close(store);
}

TEST(the_same_device_is_stored_once)
{
    struct store *store = fixture_open("results.gbr", STORE_WRITE);
    int64_t run_id = fixture_begin_run(store, 1), other = 0;
    int64_t first = fixture_add_device(store, run_id);
    ck_assert_int_eq(fixture_add_device(store, run_id), first);
    struct device_record updated = fixture_device_record();
    struct fact facts[] = {{"cores", "2"}, {"memory", "48 GiB"}};
    updated.facts = facts; /* readings of a device may change; its identity does not */
    updated.n_facts = sizeof facts / sizeof *facts;
    ck_assert_int_eq(store_device(store, run_id, &updated, &other, NULL), GB_OK);
    ck_assert_int_eq(other, first);
    updated.index++;
    ck_assert_int_eq(store_device(store, run_id, &updated, &other, NULL), GB_OK);
    ck_assert_int_ne(other, first);
    updated.index--;
    updated.uuid = "GPU-1234"; /* another one in its place */
    int64_t in_place = 0;
    ck_assert_int_eq(store_device(store, run_id, &updated, &in_place, NULL), GB_OK);
    ck_assert(in_place != first && in_place != other);
    fixture_close(store);
}

/* Parts of 7, 7, 3 and 3 samples must give what one of 20 gives. */
TEST(spilled_samples_give_the_same_case)
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
    ck_assert_int_eq(fixture_query(store,
                                   "SELECT count(*) FROM bench_case WHERE status = 'running' AND"
                                   " n_samples = 14"),
                     1);
    ck_assert_int_eq(store_samples(store, run_id, &c.record, 15, 1, c.columns, 2, &error),
                     GB_INVALID);
    ck_assert_str_eq(fixture_error(&error),
                     "results.gbr: samples from 15 on do not follow the 14 stored");
    struct sample_column third[] = {{"wall", c.wall + 14}, {"elapsed", c.elapsed + 14}};
    ck_assert_int_eq(store_samples(store, run_id, &c.record, 14, 3, third, 2, &error), GB_OK);
    struct sample_column rest[] = {{"wall", c.wall + 17}, {"elapsed", c.elapsed + 17}};
    c.record.columns = rest;
    c.record.n_samples = 3;
    fixture_store(store, run_id, &c);
    CLEANUP(arena_free) struct arena arena = {0};
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
    fixture_close(store);
}

TEST(long_columns_are_cut_into_chunks)
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
    ck_assert_int_eq(fixture_query(store, "SELECT count(*) FROM samples"), 3);
    ck_assert_int_eq(store_samples_read(store, 1, "wall", 0, N, back, NULL), GB_OK);
    ck_assert_mem_eq(values, back, N * sizeof *values);
    ck_assert_int_eq(store_samples_read(store, 1, "wall", STORE_CHUNK - 3, 6, back, NULL), GB_OK);
    ck_assert_mem_eq(values + STORE_CHUNK - 3, back, 6 * sizeof *values);
    fixture_close(store);
    free(values);
    free(back);
}

TEST(runs_are_numbered_by_start)
{
    fixture_make_file("results.gbr", 3, 0);
    fixture_make_file("results.gbr", 1, 0);
    fixture_make_file("results.gbr", 2, 0);
    struct store *store = fixture_open("results.gbr", STORE_READ);
    CLEANUP(arena_free) struct arena arena = {0};
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
    fixture_close(store);
}

TEST(a_file_without_runs_is_reported)
{
    fixture_close(fixture_open("results.gbr", STORE_WRITE));
    struct store *store = fixture_open("results.gbr", STORE_READ);
    CLEANUP(arena_free) struct arena arena = {0};
    struct gb_error error = {0};
    struct run_record run;
    int64_t id = 0;
    ck_assert_int_eq(store_run_read(store, RUN_NEWEST, &arena, &id, &run, &error), GB_NOT_FOUND);
    ck_assert_str_eq(fixture_error(&error), "results.gbr: holds no run");
    fixture_close(store);
}

struct done_list {
    struct text text;
};

static void note_done(void *context, uint64_t position, uint32_t round, const char *device_name,
                      int32_t device_index)
{
    text_printf(&((struct done_list *)context)->text, "%llu %u %s:%d;",
                (unsigned long long)position, (unsigned)round, device_name, (int)device_index);
}

TEST(resume_keeps_what_is_done_only)
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
    ck_assert_int_eq(fixture_query(store, "SELECT count(*) FROM bench_case"), 4);
    ck_assert_int_eq(fixture_query(store, "SELECT count(DISTINCT case_id) FROM samples"), 4);
    ck_assert_int_eq(fixture_query(store, "SELECT finished IS NULL AND exit_code IS NULL FROM run"),
                     1);
    fixture_close(store);
}

/* The status, and what is stored of one case with it, in the order of storing. */
TEST_TIMES(of_several_records_the_last_done_is_seen, 4)
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
    CLEANUP(arena_free) struct arena arena = {0};
    struct stored_case got;
    read_only_case(store, &arena, &got);
    ck_assert_uint_eq(got.record.sequence, (unsigned)cases[_i].seen);
    ck_assert_int_eq(fixture_query(store, "SELECT count(*) FROM result"), 1);
    fixture_close(store);
}

TEST_TIMES(statuses_have_words, CASE_STATUSES)
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
