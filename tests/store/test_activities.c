/*
 * test_activities.c - the activities of a sample: over the wire, into the results file and out of
 * it again, merged, and in files of versions that had none.
 */
#include "tests/check_main.h"
#include "tests/store/store_fixture.h"

#include "core/run/collector.h"
#include "core/run/messages.h"

static void expect_those_of(const struct case_record *got, const struct fixture_case *c)
{
    ck_assert(got->has_activities);
    ck_assert_uint_eq(got->n_kernels, 2);
    ck_assert_uint_eq(got->n_activities, 3);
    for (int i = 0; i < 3; i++)
        FIXTURE_SAME(&got->activities[i], &c->activities[i], kind);
}

/* Case 0 with activities, case 1 without. */
static void make_file(const char *name, struct fixture_case *ret)
{
    struct store *store = fixture_open(name, STORE_WRITE);
    int64_t run_id = fixture_begin_run(store, 1);
    struct fixture_case other;
    fixture_case(ret, 0, 1, 100);
    fixture_add_activities(ret, true);
    ret->activities[2].parallel = 7;
    fixture_store(store, run_id, ret);
    fixture_case(&other, 1, 2, 100);
    fixture_store(store, run_id, &other);
    fixture_close(store);
}

static void read_case(const char *name, size_t i, struct arena *arena, struct stored_case *ret)
{
    struct store *store = fixture_open(name, STORE_READ);
    int64_t *ids = NULL;
    size_t n = 0;
    FIXTURE_OK(store_case_ids(store, 1, NULL, &ids, &n, &fixture_problem));
    ck_assert_uint_eq(n, 2);
    FIXTURE_OK(store_case_read(store, ids[i], arena, ret, &fixture_problem));
    free(ids);
    fixture_close(store);
}

static void expect_file(const char *name, const struct fixture_case *c)
{
    CLEANUP(arena_free) struct arena arena = {0};
    struct stored_case got;
    read_case(name, 0, &arena, &got);
    expect_those_of(&got.record, c);
    read_case(name, 1, &arena, &got);
    ck_assert(!got.record.has_activities);
    ck_assert_uint_eq(got.record.n_activities, 0);
}

TEST_FIXTURE(fixture_begin, fixture_end)

TEST(they_are_stored)
{
    struct fixture_case c;
    make_file("a.gbr", &c);
    expect_file("a.gbr", &c);
    ck_assert_str_eq(fixture_ask("a.gbr", "SELECT kind, block_y, shared_bytes FROM activity"),
                     "fill|0|0\nkernel|16|49152\nkernel|16|49152");
    ck_assert_str_eq(fixture_ask("a.gbr", "SELECT n_kernels FROM bench_case"), "2\nNULL");
}

TEST(they_are_merged_once)
{
    struct fixture_case c;
    make_file("a.gbr", &c);
    struct store *store = fixture_open("b.gbr", STORE_WRITE);
    for (int i = 0; i < 2; i++)
        ck_assert_int_eq(store_merge(store, fixture_path("a.gbr"), NULL, NULL, NULL), GB_OK);
    ck_assert_int_eq(fixture_query(store, "SELECT count(*) FROM activity"), 3);
    fixture_close(store);
    expect_file("b.gbr", &c);
}

/* As version 3 had it; 1 in the loop: upgraded by being opened for writing. */
TEST_TIMES(an_earlier_file_has_none, 2)
{
    if (fixture_is_old_sqlite())
        TEST_SKIP(FIXTURE_NO_EARLIER);
    CLEANUP(arena_free) struct arena arena = {0};
    struct fixture_case c;
    struct stored_case got;
    make_file("a.gbr", &c);
    fixture_make_version_3("a.gbr");
    if (_i == 1)
        fixture_close(fixture_open("a.gbr", STORE_WRITE));
    for (size_t i = 0; i < 2; i++) {
        read_case("a.gbr", i, &arena, &got);
        ck_assert(!got.record.has_activities);
        ck_assert_uint_eq(got.record.n_activities, 0);
        ck_assert_double_eq(got.summary.median, 109.5);
    }
}

/* What the collector makes of a message with n activities and so many kernels. */
static int32_t send(struct collector *collector, const struct case_record *record)
{
    CLEANUP(wire_writer_free) struct wire_writer writer = {0};
    CLEANUP(wire_input_free) struct wire_input input = {0};
    struct wire_reader message;
    uint32_t type = 0;
    wire_begin(&writer, WIRE_ACTIVITIES);
    put_activities(&writer, record);
    wire_end(&writer);
    memcpy(wire_input_space(&input, writer.bytes.length), writer.bytes.data, writer.bytes.length);
    wire_input_added(&input, writer.bytes.length);
    ck_assert_int_eq(wire_input_next(&input, &type, &message, NULL), 1);
    return collector_take(collector, type, &message);
}

TEST(they_cross_the_wire)
{
    struct fixture_case c;
    struct collector collector;
    fixture_case(&c, 0, 1, 100);
    fixture_add_activities(&c, true);
    collector_begin(&collector, &c.bench_case, "", 0);
    ck_assert(!collector.record.has_activities);
    ck_assert_int_eq(send(&collector, &c.record), GB_OK);
    expect_those_of(&collector.record, &c);
    collector_free(&collector);
}

static const struct {
    size_t n;
    uint64_t n_kernels;
    int32_t status;
} messages[] = {
    {0, 0, GB_OK},
    {ACTIVITIES_MAX, (uint64_t)1 << 40, GB_OK},
    {ACTIVITIES_MAX + 1, 1, GB_CORRUPT},
    {1, UINT64_MAX, GB_CORRUPT},
};

TEST_EACH(a_worker_cannot_send_more, messages)
{
    struct collector collector;
    struct bench_case bench_case = {0};
    struct gb_activity *many = calloc(ACTIVITIES_MAX + 1, sizeof *many);
    const struct case_record record = {
        .activities = many, .n_activities = messages[_i].n, .n_kernels = messages[_i].n_kernels};
    collector_begin(&collector, &bench_case, "", 0);
    ck_assert_int_eq(send(&collector, &record), messages[_i].status);
    ck_assert_uint_le(collector.record.n_activities, ACTIVITIES_MAX);
    collector_free(&collector);
    free(many);
}
