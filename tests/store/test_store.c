/* test_store.c - what goes into a results file comes out of it. */
#include "tests/check_main.h"
#include "tests/view/views_fixture.h"

/* Of each test: results.gbr, open for writing, with run 1 once there is a case in it. */
static struct store *store;
static int64_t run_id;
static struct arena arena;
static struct fixture_case c;
static struct stored_case got;

static void set_up(void)
{
    fixture_begin();
    store = NULL;
    arena = (struct arena){0};
    fixture_case(&c, 0, 1, 100);
}

static void tear_down(void)
{
    fixture_close(store);
    arena_free(&arena);
    fixture_end();
}

static void begin_run(void)
{
    store = fixture_open("results.gbr", STORE_WRITE);
    run_id = fixture_begin_run(store, 1);
}

static void read_only_case(void)
{
    int64_t *ids = NULL;
    size_t n = 0;
    FIXTURE_OK(store_case_ids(store, 1, NULL, &ids, &n, &fixture_problem));
    ck_assert_uint_eq(n, 1);
    FIXTURE_OK(store_case_read(store, ids[0], &arena, &got, &fixture_problem));
    free(ids);
}

static void store_and_read(void)
{
    begin_run();
    fixture_store(store, run_id, &c);
    read_only_case();
}

static void expect_samples(const char *name, uint64_t first, uint64_t n, const double *expected)
{
    double *values = calloc(n, sizeof *values);
    FIXTURE_OK(store_samples_read(store, 1, name, first, n, values, &fixture_problem));
    ck_assert_mem_eq(values, expected, n * sizeof *values);
    free(values);
}

TEST_FIXTURE(set_up, tear_down)

TEST(run_and_device_come_back)
{
    fixture_make_file("results.gbr", 1, 1);
    store = fixture_open("results.gbr", STORE_READ);
    CLEANUP(text_free) struct text out = {0};
    struct run_record run;
    FIXTURE_OK(store_run_read(store, RUN_NEWEST, &arena, &run_id, &run, &fixture_problem));
    text_printf(&out, "%s %s %s %s %s %s %s\n%s%s %lld %u\n", run.uuid, run.started, run.finished,
                run.version, run.command_line, run.config_path, run.config_folder, run.config,
                run.config_sha256, (long long)run.seed, (unsigned)run.n_cases);
    for (size_t i = 0; i < run.n_facts; i++)
        text_printf(&out, "%s=%s;", run.facts[i].name, run.facts[i].value);
    struct stored_devices devices = {0};
    FIXTURE_OK(store_devices(store, run_id, &arena, &devices, &fixture_problem));
    ck_assert_uint_eq(devices.n, 1);
    const struct device_record *device = &devices.items[0].record;
    text_printf(&out, "\n%s: ", device->model);
    for (size_t i = 0; i < device->n_facts; i++)
        text_printf(&out, "%s=%s;", device->facts[i].name, device->facts[i].value);
    ck_assert_uint_eq(device->n_clocks, 1);
    text_printf(&out, " %s %g %g", device->clocks->name, device->clocks->tick_ns,
                device->clocks->overhead_ns);
    ck_assert_str_eq(text_get(&out),
                     "000000a0-0000-4000-8000-000000000001 2026-01-01T10:00:00.000Z "
                     "2026-01-09T11:00:00.000Z 0.1.0 gbrun -c bench.ini bench.ini /home/user\n"
                     "[bench streams]\nplugin = multistream\n"
                     "cccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccc 42 3\n"
                     "governor=performance;host=box;kernel=6.1;\n" /* sorted */
                     "Example CPU 9000: cores=2;memory=24 GiB;units=132; wall 20 24");
}

TEST(modules_come_back)
{
    begin_run();
    struct module_record module = {"/lib/x.so", "abc", "benchmark", "nop", "1.0"}, *modules;
    size_t n = 0;
    for (int i = 0; i < 2; i++) /* once is enough */
        FIXTURE_OK(store_module(store, run_id, &module, &fixture_problem));
    FIXTURE_OK(store_modules(store, run_id, &arena, &modules, &n, &fixture_problem));
    ck_assert_uint_eq(n, 1);
    const char *const *in = &module.path, *const *out = &modules->path; /* five texts */
    for (size_t i = 0; i < sizeof module / sizeof *in; i++)
        ck_assert_str_eq(out[i], in[i]);
}

/* Names, types, values, and what each is: an axis, a default, a variable, of its identity. */
static void print_parameters(struct text *out)
{
    for (size_t i = 0; i < got.n_parameters; i++) {
        const struct parameter *p = &got.parameters[i];
        text_printf(out, "%s %u %d %.9g %u %s %d%d%d%d, ", p->name, p->value.type,
                    (int)p->value.integer, p->value.number, (unsigned)p->value.bytes, p->value.text,
                    p->is_axis, p->is_default, p->is_variable, p->is_identity);
    }
}

/* All that is exported; and what has numbers that JSON does not know, or is not exported. */
TEST(every_field_of_a_case_comes_back)
{
    CLEANUP(text_free) struct text out = {0}, json = {0};
    const struct view_options options = {.format = FORMAT_JSONL};
    const struct case_record *r = &got.record;
    fixture_case(&c, 3, 4, 1000);
    fixture_fill(&c);
    store_and_read();
    FIXTURE_OK(fixture_export(store, &options, &json, &fixture_problem));
    views_expect_golden("stored_case.jsonl", text_get(&json));
    print_parameters(&out);
    ck_assert_str_eq(text_get(&out),
                     "rows 1 32 32 0 32 0001, streams 1 4 4 0 4 1001, ratio 2 0 0.1 0 0.1 0000, "
                     "deep 3 1 1 0 yes 0100, size 6 0 1048576 1048576 1048576 0000, "
                     "wait 7 0 2000000 0 2000000ns 0010, mode 5 0 nan 0 breadth 0000, "
                     "name 4 0 nan 0 a, \"b\" 0000, ");
    ck_assert_str_eq(got.environment, "OMP_NUM_THREADS=2\n");
    ck_assert(r->has_estimate && r->n_worst == 2);
    FIXTURE_SAME(&c.record.estimate, &r->estimate, size);
    FIXTURE_SAME(&c.record.phases, &r->phases, open_ns);
    for (size_t i = 0; i < r->n_worst; i++)
        FIXTURE_SAME(&c.record.worst[i], &r->worst[i], index);
    for (int i = 0; i < TELEMETRY_MOMENTS; i++)
        FIXTURE_SAME(&c.record.telemetry[i], &r->telemetry[i], elapsed_ns);
    for (size_t i = 0; i < r->n_activities; i++)
        FIXTURE_SAME(&c.activities[i], &r->activities[i], kind);
    expect_samples("wall", 0, FIXTURE_SAMPLES, c.wall);
}

TEST(a_case_without_samples_has_no_numbers)
{
    c.record.n_samples = 0;
    c.record.n_columns = 0;
    c.record.has_estimate = false;
    c.record.status = CASE_CRASHED;
    c.record.status_text = "SIGSEGV";
    store_and_read();
    ck_assert(isnan(got.summary.median));
    ck_assert(!got.record.has_estimate && !got.record.has_activities && !got.record.pace.is_missed);
    ck_assert_uint_eq(got.record.n_activities, 0);
    for (int i = 0; i < TELEMETRY_MOMENTS; i++)
        ck_assert(!got.record.telemetry[i].is_known);
    ck_assert_str_eq(got.pace, "free");
}

TEST(lost_times_stay_out_of_the_summary)
{
    for (int i = 5; i < FIXTURE_SAMPLES; i++)
        c.wall[i] = i % 2 ? NAN : INFINITY;
    store_and_read();
    ck_assert_double_eq(got.summary.median, 102);
    ck_assert_double_eq(got.summary.max, 104);
}

TEST(the_view_result_is_readable)
{
    fixture_make_file("results.gbr", 1, 2);
    const char *rows = fixture_ask(
        "results.gbr", "SELECT run, bench, plugin, parameters, device, policy, status, stop_reason,"
                       " n_samples, median_ns, low_ns, spread, gflops, bytes_per_s, verified"
                       " FROM result");
    ck_assert_str_eq(rows, "1|streams|multistream|rows=32 streams=1|Example CPU 9000|precise|ok|"
                           "interval within 1 %|20|109.5|108.405|0.0867579908675799|"
                           "9132.4200913242|36529680365.2968|ok\n"
                           "1|streams|multistream|rows=32 streams=2|Example CPU 9000|precise|ok|"
                           "interval within 1 %|20|209.5|207.405|0.045346062052506|"
                           "4773.26968973747|19093078758.9499|ok");
}

/* As a run prints it, quotes where a value needs them. */
TEST(the_view_has_labels_and_what_the_policy_guarantees)
{
    static const char *const values[] = {"plain", "", "two words", "a\"b", "a\tb", "a,b*"};
    CLEANUP(text_free) struct text expected = {0};
    begin_run();
    for (unsigned i = 0; i < N_OF(values); i++) {
        fixture_case(&c, i, 4, 100);
        fixture_add(&c, fixture_words("note", values[i], true));
        c.record.estimate.n_discarded = i;
        c.record.has_estimate = i > 0;
        fixture_store(store, run_id, &c);
        bench_case_label(&c.bench_case, &expected);
        if (i == 0)
            text_add(&expected, "|warm|stream|NULL|NULL|NULL\n");
        else
            text_printf(&expected, "|warm|stream|certified in this visit|18.0|%u\n", i);
    }
    fixture_case(&c, 9, 4, 100);
    c.bench_case.n_parameters = 1; /* no axis */
    fixture_store(store, run_id, &c);
    text_add(&expected, "streams|warm|stream|certified in this visit|18.0|0");
    ck_assert_str_eq(fixture_rows(store, "SELECT label, cache, launch, verdict, n_effective,"
                                         " n_discarded FROM result ORDER BY uuid"),
                     text_get(&expected));
}

/* Words with quotes, truths, sizes, and numbers that JSON does not know. */
TEST(the_view_case_json_has_valid_json)
{
    fixture_make_file("results.gbr", 1, 2);
    fixture_change(
        "results.gbr",
        "INSERT INTO parameter SELECT column1, column2, column3, column4, column5, column6, 0, 0,"
        " 0, 1 FROM (VALUES (1, 7, 'a \"b\"', 'c \\ \"d\"', NULL, 'string'),"
        " (1, 8, 'yes', 'yes', 1, 'bool'), (1, 9, 'no', 'no', 0, 'bool'),"
        " (1, 10, 'max', 'inf', 9e999, 'float'),"
        " (1, 11, 'big', '9007199254740993', 9007199254740992, 'bytes'));"
        "DELETE FROM metric; INSERT INTO metric VALUES (1, 0, 'p', 9e999, 'W'),"
        " (1, 1, 'q', 0.5, 'W'), (1, 2, 'r', NULL, 'W')");
    store = fixture_open("results.gbr", STORE_READ);
    ck_assert_str_eq(
        fixture_rows(store, "SELECT parameters, axes, metrics FROM case_json WHERE case_id = 1"),
        "{\"rows\":32,\"streams\":1,\"a \\\"b\\\"\":\"c \\\\ \\\"d\\\"\",\"yes\":true,"
        "\"no\":false,\"max\":\"inf\",\"big\":9007199254740993}|{\"streams\":1}|"
        "{\"p\":null,\"q\":0.5,\"r\":null}");
    ck_assert_str_eq(
        fixture_rows(store, "SELECT count(*) FROM case_json AS j JOIN result USING (uuid, uid)"
                            " JOIN run AS r ON r.uuid = j.run_uuid WHERE json_valid(j.parameters)"
                            " AND json_valid(metrics) AND j.median_ns = result.median_ns"),
        "2");
}

TEST(the_schema_explains_itself)
{
    fixture_make_file("results.gbr", 1, 0);
    store = fixture_open("results.gbr", STORE_READ);
    ck_assert_int_eq(fixture_query(store, "PRAGMA application_id"), 0x67627231);
    ck_assert_int_eq(fixture_query(store, "PRAGMA user_version"), schema_version(&store_schema));
    ck_assert_int_eq(fixture_query(store, "PRAGMA foreign_keys"), 1);
    ck_assert_str_eq(fixture_rows(store, "SELECT name FROM sqlite_schema WHERE type = 'table' AND"
                                         " sql NOT LIKE '%-- %'"),
                     "");
}

static int64_t device_id(const struct device_record *device)
{
    int64_t id = 0;
    FIXTURE_OK(store_device(store, run_id, device, &id, &fixture_problem));
    return id;
}

TEST(the_same_device_is_stored_once)
{
    begin_run();
    const int64_t first = fixture_add_device(store, run_id);
    ck_assert_int_eq(fixture_add_device(store, run_id), first);
    struct device_record updated = fixture_device_record();
    struct fact facts[] = {{"cores", "2"}, {"memory", "48 GiB"}};
    updated.facts = facts; /* readings of a device may change; its identity does not */
    updated.n_facts = N_OF(facts);
    ck_assert_int_eq(device_id(&updated), first);
    updated.index++;
    const int64_t other = device_id(&updated);
    ck_assert_int_ne(other, first);
    updated.index--;
    updated.uuid = "GPU-1234"; /* another one in its place */
    const int64_t in_place = device_id(&updated);
    ck_assert(in_place != first && in_place != other);
}

static int32_t store_part(uint64_t first, uint64_t n, size_t n_columns)
{
    const struct sample_column part[] = {
        {"wall", c.wall + first}, {"elapsed", c.elapsed + first}, {"flags", c.extra + first}};
    return store_samples(store, run_id, &c.record, first, n, part, n_columns, &fixture_problem);
}

/* Parts of 7, 7, 3 and 3 samples must give what one of 20 gives. */
TEST(spilled_samples_give_the_same_case)
{
    for (int i = 0; i < FIXTURE_SAMPLES; i++)
        c.wall[i] = 100 + (i * 7) % FIXTURE_SAMPLES;
    c.extra[13] = GB_SAMPLE_THROTTLED;
    begin_run();
    FIXTURE_OK(store_part(0, 7, 2));
    FIXTURE_OK(store_part(7, 7, 3));
    ck_assert_str_eq(fixture_rows(store, "SELECT status, n_samples FROM bench_case"), "running|14");
    FIXTURE_FAILS(store_part(15, 1, 2), GB_INVALID,
                  "results.gbr: samples from 15 on do not follow the 14 stored");
    FIXTURE_OK(store_part(14, 3, 2));
    struct sample_column rest[] = {{"wall", c.wall + 17}, {"elapsed", c.elapsed + 17}};
    c.record.columns = rest;
    c.record.n_samples = 3;
    fixture_store(store, run_id, &c);
    read_only_case();
    ck_assert_uint_eq(got.record.n_samples, FIXTURE_SAMPLES);
    ck_assert_int_eq(got.record.status, CASE_OK);
    ck_assert_uint_eq(got.n_throttled, 1);
    ck_assert_uint_eq(got.n_parameters, 2);
    ck_assert_double_eq(got.summary.median, 109.5);
    expect_samples("wall", 0, FIXTURE_SAMPLES, c.wall);
    expect_samples("wall", 5, 10, c.wall + 5);
    double values[FIXTURE_SAMPLES];
    FIXTURE_OK(
        store_samples_read(store, got.id, "flags", 0, FIXTURE_SAMPLES, values, &fixture_problem));
    ck_assert(isnan(values[6]) && values[7] == 0 && values[13] == 1 && isnan(values[14]));
    FIXTURE_FAILS(store_case(store, run_id, &c.record, &fixture_problem), GB_INVALID,
                  "results.gbr: the record 000000c0-0000-4000-8000-000000000000 is complete "
                  "already");
}

TEST(runs_are_numbered_by_start)
{
    static const int64_t numbers[] = {1, 2, 3, RUN_NEWEST};
    CLEANUP(text_free) struct text started = {0};
    struct run_record run;
    store = fixture_open("results.gbr", STORE_WRITE);
    FIXTURE_FAILS(store_run_read(store, RUN_NEWEST, &arena, &run_id, &run, &fixture_problem),
                  GB_NOT_FOUND, "results.gbr: holds no run");
    fixture_close(store);
    fixture_make_file("results.gbr", 3, 0);
    fixture_make_file("results.gbr", 1, 0);
    fixture_make_file("results.gbr", 2, 0);
    store = fixture_open("results.gbr", STORE_READ);
    for (size_t i = 0; i < N_OF(numbers); i++) {
        FIXTURE_OK(store_run_read(store, numbers[i], &arena, &run_id, &run, &fixture_problem));
        text_printf(&started, "%.10s ", run.started);
    }
    ck_assert_str_eq(text_get(&started), "2026-01-01 2026-01-02 2026-01-03 2026-01-03 ");
    FIXTURE_FAILS(store_run_read(store, 4, &arena, &run_id, &run, &fixture_problem), GB_NOT_FOUND,
                  "results.gbr: has no run 4, only 1 to 3");
    FIXTURE_FAILS(store_run_read(store, RUN_ALL, &arena, &run_id, &run, &fixture_problem),
                  GB_INVALID, "results.gbr: one run is wanted here, not all");
}

TEST(resume_keeps_what_is_done_only)
{
    static const int statuses[] = {CASE_OK,      CASE_CANCELLED, CASE_CRASHED,
                                   CASE_RUNNING, CASE_SKIPPED,   CASE_TIMED_OUT};
    CLEANUP(text_free) struct text done = {0};
    uint64_t next_sequence = 0;
    begin_run();
    for (unsigned i = 0; i < N_OF(statuses); i++) {
        fixture_case(&c, i, i + 1, 100);
        c.record.status = statuses[i];
        if (statuses[i] == CASE_RUNNING) /* of which only samples are there */
            FIXTURE_OK(store_part(0, 7, 2));
        else
            fixture_store(store, run_id, &c);
    }
    fixture_end_run(store, run_id);
    FIXTURE_OK(
        store_resume(store, run_id, fixture_note_done, &done, &next_sequence, &fixture_problem));
    ck_assert_str_eq(text_get(&done), "0 0 cpu:-1;2 0 cpu:-1;4 0 cpu:-1;5 0 cpu:-1;");
    ck_assert_str_eq(fixture_rows(store, "SELECT (SELECT count(*) FROM bench_case),"
                                         " (SELECT count(DISTINCT case_id) FROM samples),"
                                         " finished, exit_code FROM run"),
                     "4|4|NULL|NULL");
}

/* The status, and what is stored of one case with it, in the order of storing. */
static const struct {
    int statuses[3];
    unsigned seen;
} records[] = {
    {{CASE_CANCELLED, CASE_OK, CASE_RUNNING}, 1},
    {{CASE_OK, CASE_CRASHED, CASE_CANCELLED}, 1},
    {{CASE_RUNNING, CASE_CANCELLED, CASE_CANCELLED}, 2},
    {{CASE_OK, CASE_OK, CASE_OK}, 2},
};

TEST_EACH(of_several_records_the_last_done_is_seen, records)
{
    begin_run();
    for (unsigned i = 0; i < 3; i++) {
        fixture_uuid(0xC0, 100 + i, c.record.uuid);
        c.record.sequence = i;
        c.record.status = records[_i].statuses[i];
        fixture_store(store, run_id, &c);
    }
    read_only_case();
    ck_assert_uint_eq(got.record.sequence, records[_i].seen);
    ck_assert_int_eq(fixture_query(store, "SELECT count(*) FROM result"), 1);
}

TEST_TIMES(statuses_have_words, CASE_STATUSES)
{
    static const struct {
        int status;
        const char *word, *words, *described;
        bool done, bad;
    } statuses[] = {
        {CASE_OK, "ok", "", "ok", true, false},
        {CASE_SKIPPED, "skipped", "no GPU", "skipped: no GPU", true, false},
        {CASE_FAILED, "failed", "no input", "failed: no input", true, true},
        {CASE_WRONG_RESULT, "wrong result", NULL, "wrong result", true, true},
        {CASE_CONTRADICTED, "contradicted", "by others", "contradicted: by others", true, true},
        {CASE_CRASHED, "crashed", "SIGSEGV", "crashed (SIGSEGV)", true, true},
        {CASE_TIMED_OUT, "timed out", "after 60 s", "timed out after 60 s", true, true},
        {CASE_DEVICE_ERROR, "device error", "illegal address", "device error (illegal address)",
         true, true},
        {CASE_CANCELLED, "cancelled", "", "cancelled", false, true},
        {CASE_RUNNING, "running", "", "running", false, true},
    };
    CLEANUP(text_free) struct text out = {0};
    case_status_describe(statuses[_i].status, statuses[_i].words, &out);
    ck_assert_str_eq(text_get(&out), statuses[_i].described);
    ck_assert_str_eq(case_status_word(statuses[_i].status), statuses[_i].word);
    ck_assert_int_eq(case_status_named(statuses[_i].word), statuses[_i].status);
    ck_assert_int_eq(case_status_is_done(statuses[_i].status), statuses[_i].done);
    ck_assert_int_eq(case_status_is_bad(statuses[_i].status), statuses[_i].bad);
    ck_assert_int_eq(case_status_named("dead"), -1);
    ck_assert_str_eq(case_status_word(CASE_STATUSES), "unknown");
}
