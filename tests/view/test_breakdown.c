/* test_breakdown.c - how the activities of a case are shown; how they are exported is in
 * tests/golden/stored_case.jsonl. */
#include "tests/check_main.h"
#include "tests/view/views_fixture.h"

/* Of one bench: 1 timed, from a stream; 2 not timed; 3 with a parallel section, from a graph; 4
 * nothing on the device; 5 not known; 6 and 7 with fewer blocks than multiprocessors. */
static void setup(void)
{
    fixture_begin();
    struct store *store = fixture_open("kernels.gbr", STORE_WRITE);
    int64_t run_id = fixture_begin_run(store, 1);
    for (unsigned i = 0; i < 7; i++) {
        struct fixture_case c;
        fixture_case(&c, i, i + 1, i == 2 ? 40000 : 30000);
        c.record.iterations = i == 1 ? 10 : 1;
        if (i < 3)
            fixture_add_activities(&c, i != 1);
        c.record.has_activities = i != 4;
        if (i >= 5) {
            c.activities[0] = fixture_kernel("small", 131, NAN);
            c.record.n_activities = c.record.n_kernels = 1;
        }
        fixture_store(store, run_id, &c);
    }
    fixture_end_run(store, run_id);
    fixture_close(store);
    fixture_change(
        "kernels.gbr",
        SET "launch = 'auto', launched = 'graph' WHERE id = 3;"
            "UPDATE activity SET parallel = 1, time_ns = 28e3, low_ns = 27e3, high_ns = 29e3 "
            "WHERE case_id = 3 AND kind = 'kernel'");
}

TEST_FIXTURE(setup, fixture_end)

TEST(shown_as_tables)
{
    SHOWS_BELOW_HEAD("show_breakdown.txt", "kernels.gbr", .breakdown = true,
                     .where = "streams < 7");
    SHOWS_BELOW_HEAD("show_breakdown_80.txt", "kernels.gbr", .breakdown = true, .width = 80,
                     .where = "streams = 1");
    SHOWS("show_breakdown.md", "kernels.gbr", .breakdown = true, .format = FORMAT_MARKDOWN,
          .where = "streams = 1");
    SHOWS_BELOW_HEAD("show_kernel_columns.txt", "kernels.gbr",
                     .columns = "streams,kernels,kernel,grid,block,registers,shared_bytes,"
                                "occupancy",
                     .where = "streams in (1, 2, 4, 5)");
}

TEST(tables_fit_a_terminal)
{
    const char *breakdown = strstr(SHOWN("kernels.gbr", .breakdown = true, .width = 80),
                                   "\nbreakdown of");
    ck_assert_ptr_nonnull(breakdown);
    views_expect_width(breakdown, 80);
}

TEST(not_shown_unless_asked_for)
{
    const char *got = SHOWN("kernels.gbr", .notes = NOTES_SOME);
    EXPECT_NO(got, "breakdown");
    EXPECT(got, "    streams streams=6 and 1 more: small has 131 blocks for 132 "
                "multiprocessors\n");
    EXPECT_NO(got, "finish has");
}

TEST(rounds_of_a_small_grid_are_one_case)
{
    fixture_change("kernels.gbr",
                   "DELETE FROM bench_case WHERE id < 6; UPDATE activity SET grid_x = 1;" SET
                   "round = id - 6, position = 0, uid = 'a';"
                   "UPDATE parameter SET value = '1', number = 1 WHERE name = 'streams'");
    EXPECT(SHOWN("kernels.gbr", .notes = NOTES_SOME),
           "    streams streams=1: small has 1 block for 132 multiprocessors\n");
}
