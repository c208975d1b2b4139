/*
 * test_telemetry.c - what is derived from readings of a device around the samples; and results
 * files of earlier versions, which had none of it, nor activities.
 */
#include "tests/store/store_fixture.h"
#include "tests/text_case.h"

static void export_columns(const char *name, const char *columns, struct text *out)
{
    const struct view_options options = {.format = FORMAT_CSV, .columns = columns, .run = RUN_ALL};
    struct store *store = fixture_open(name, STORE_READ);
    FIXTURE_OK(fixture_export(store, &options, out, &fixture_problem));
    fixture_close(store);
}

TEST_FIXTURE(fixture_begin, fixture_end)

/* Of the joules by which a counter moved, ns, iterations, the ns of a gap and what is not as usual:
 * power in W, energy of an iteration in J. At the end the device reads 300 W. */
static void add_derived(char *text, uint32_t pace, struct text *out)
{
    struct fixture_case c;
    double joules, ns, iterations, gap_ns;
    ck_assert_int_eq(sscanf(text, "%lf %lf %lf %lf", &joules, &ns, &iterations, &gap_ns), 4);
    CLEANUP(text_free) struct text got = {0};
    struct store *store = fixture_open("results.gbr", STORE_WRITE);
    fixture_case(&c, 0, 1, 100);
    c.bench_case.common.cache = strstr(text, "cold") ? GB_CACHE_COLD : GB_CACHE_WARM;
    c.bench_case.common.pace = (int32_t)pace;
    c.record.pace.gap_ns = gap_ns;
    c.record.telemetry[TELEMETRY_BEGIN] = fixture_reading(1e6, 90);
    c.record.telemetry[TELEMETRY_BEGIN].is_known = !strstr(text, "no begin");
    c.record.telemetry[TELEMETRY_END] = fixture_reading(1e6 + joules, 300);
    c.record.telemetry[TELEMETRY_END].elapsed_ns = ns;
    c.record.telemetry[TELEMETRY_END].iterations = (uint64_t)iterations;
    fixture_store(store, fixture_begin_run(store, 1), &c);
    fixture_close(store);
    export_columns("results.gbr", "power_watts,energy_joules", &got);
    text_add(out, strchr(text_get(&got), '\n') + 1);
    out->data[strcspn(out->data, "\n")] = ' ';
    unlink(fixture_path("results.gbr"));
}

static const struct text_cases derived[] = {
    {{add_derived, PACE_FREE},
     {"500 2e9 20 0 -> 250,25 ", "500 2e9 20 0 cold -> 250, ", /* flushes used some of it */
      "250 1e9 20 0 -> 250,12.5 ", "250 0.99e9 20 0 -> 300, ", /* just long enough, and not */
      "0 2e9 20 0 -> 300, ", "-500 2e9 20 0 -> 300, ",         /* it did not move, it began anew */
      "nan 2e9 20 0 -> 300, ", "500 2e9 0 0 -> 250, ", "500 2e9 20 0 no begin -> 300, "}},
    {{add_derived, PACE_BURST}, {"500 2e9 20 1e6 -> 250, "}}, /* gaps used some of it */
    {{add_derived, PACE_SUSTAINED}, {"250 0.5e9 20 0 -> 500,12.5 "}},
};

TEST_TEXT_CASES(power_and_energy_are_derived, derived)

/* ---- earlier versions ---- */

/* What makes a file of each version one of the version before. The view is made before the column
 * goes that it does not name then. */
static const char *const downgrades[] = {
    "DROP VIEW case_json; DROP TABLE telemetry; DROP TABLE check_summary;"
    "DROP TABLE check_histogram;"
    "ALTER TABLE bench_case DROP COLUMN launch; PRAGMA user_version = 1",
    "DROP VIEW result; ALTER TABLE bench_case DROP COLUMN math_format;"
    "ALTER TABLE bench_case DROP COLUMN math_unit;"
    "CREATE VIEW result AS SELECT bench, status FROM bench_case; PRAGMA user_version = 2",
};

/* Three cases, the last of which was cancelled, in a file as that version made them. */
static void make_version(const char *name, int version)
{
    struct store *store = fixture_open(name, STORE_WRITE);
    int64_t run_id = fixture_begin_run(store, 1);
    for (unsigned i = 0; i < 3; i++) {
        struct fixture_case c;
        fixture_case(&c, i, i + 1, 100);
        if (i == 2)
            c.record.status = CASE_CANCELLED;
        fixture_store(store, run_id, &c);
    }
    fixture_close(store);
    fixture_make_version_3(name);
    for (int i = 2; i >= version; i--)
        fixture_change(name, downgrades[i - 1]);
}

/* A case with what those versions did not know. */
static void store_new_case(struct store *store, int64_t run_id, unsigned number)
{
    struct fixture_case c;
    fixture_case(&c, number, number + 1, 100);
    fixture_uuid(0xC1, 99, c.record.uuid);
    c.bench_case.common.launch = GB_LAUNCH_GRAPH;
    c.record.work.math_unit = GB_MATH_VECTOR;
    c.record.telemetry[TELEMETRY_END] = fixture_reading(NAN, 75);
    fixture_store(store, run_id, &c);
    fixture_close(store);
}

static void expect_rows(const char *name, const char *last)
{
    static const char columns[] = "label,launch,status,median_ns,power_watts,math_unit";
    CLEANUP(text_free) struct text got = {0}, expected = {0};
    text_printf(&expected,
                "%s\nstreams streams=1,stream,ok,109.5,,\n"
                "streams streams=2,stream,ok,109.5,,\n%s",
                columns, last);
    export_columns(name, columns, &got);
    ck_assert_str_eq(text_get(&got), text_get(&expected));
}

/* Read as it is, and resumed or merged. */
TEST_TIMES(a_file_of_an_earlier_version_is_used, 2)
{
    static const char cancelled[] = "streams streams=3,stream,cancelled,109.5,,\n",
                      merged[] = "streams streams=3,stream,cancelled,109.5,,\n"
                                 "streams streams=1,graph,ok,109.5,75,vector\n";
    if (fixture_is_old_sqlite())
        TEST_SKIP(FIXTURE_NO_EARLIER);
    CLEANUP(text_free) struct text shown = {0}, done = {0};
    CLEANUP(arena_free) struct arena arena = {0};
    struct stored_case got;
    struct view_options options = {.verbose = true};
    uint64_t next = 0;
    make_version("old.gbr", _i + 1);
    make_version("resumed.gbr", _i + 1);
    ck_assert_int_eq(chmod(fixture_path("old.gbr"), 0444), 0);
    expect_rows("old.gbr", cancelled);
    struct store *store = fixture_open("old.gbr", STORE_READ);
    FIXTURE_OK(store_case_read(store, 1, &arena, &got, &fixture_problem));
    ck_assert(!got.record.has_activities);
    ck_assert_uint_eq(got.record.n_activities, 0);
    FIXTURE_OK(view_show(store, &options, &shown, &fixture_problem));
    ck_assert_int_eq(fixture_query(store, "PRAGMA user_version"), _i + 1);
    fixture_close(store);

    store = fixture_open("resumed.gbr", STORE_WRITE);
    FIXTURE_OK(store_resume(store, 1, fixture_note_done, &done, &next, &fixture_problem));
    ck_assert_str_eq(text_get(&done), "0 0 cpu:-1;1 0 cpu:-1;");
    store_new_case(store, 1, 2);
    expect_rows("resumed.gbr", "streams streams=3,graph,ok,109.5,75,vector\n");
    store = fixture_open("resumed.gbr", STORE_READ);
    ck_assert_int_eq(fixture_query(store, "PRAGMA user_version"), schema_version(&store_schema));
    ck_assert_str_eq(
        fixture_rows(store, "SELECT label, verdict FROM result WHERE launch = 'graph'"),
        "streams streams=3|certified in this visit");
    ck_assert_int_eq(
        fixture_query(store, "SELECT count(*) FROM case_json JOIN result USING (uuid)"), 3);
    ck_assert_str_eq(fixture_rows(store, "SELECT * FROM pragma_foreign_key_check"), "");
    fixture_close(store);

    store = fixture_open("new.gbr", STORE_WRITE);
    store_new_case(store, fixture_begin_run(store, 2), 0);
    fixture_merge("both.gbr", "old.gbr");
    fixture_merge("both.gbr", "new.gbr");
    expect_rows("both.gbr", merged);
    ck_assert_int_eq(chmod(fixture_path("old.gbr"), 0644), 0);
    fixture_merge("old.gbr", "new.gbr");
    expect_rows("old.gbr", merged);
}
