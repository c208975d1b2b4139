/* test_breakdown.c - how the activities of a case are shown and exported. */
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
        if (i == 2) {
            c.activities[1].parallel = c.activities[2].parallel = 1;
            c.activities[1].time_ns = c.activities[2].time_ns = 28000;
            c.activities[1].low_ns = c.activities[2].low_ns = 27000;
            c.activities[1].high_ns = c.activities[2].high_ns = 29000;
            c.bench_case.common.launch = GB_LAUNCH_AUTO;
            c.record.launched = "graph";
        }
        c.record.has_activities = i != 4;
        if (i >= 5) {
            c.activities[0] = fixture_kernel("small", 131, NAN);
            c.record.n_activities = c.record.n_kernels = 1;
        }
        fixture_store(store, run_id, &c);
    }
    fixture_end_run(store, run_id);
    fixture_close(store);
}

static const struct {
    const char *golden;
    struct view_options options;
} shows[] = {
    {"show_breakdown.txt", {.breakdown = true}},
    {"show_breakdown_80.txt", {.breakdown = true, .width = 80, .where = "streams in (1, 3)"}},
    {"show_breakdown.md", {.breakdown = true, .format = FORMAT_MARKDOWN, .where = "streams = 1"}},
    {"show_kernel_columns.txt",
     {.columns = "streams,kernels,kernel,grid,block,registers,shared_bytes,occupancy"}},
};

TEST_FIXTURE(setup, fixture_end)

TEST_EACH(shown_as_tables, shows)
{
    CLEANUP(text_free) struct text got = {0};
    views_show("kernels.gbr", &shows[_i].options, &got);
    views_expect_golden(shows[_i].golden, &got);
}

static size_t longest_line(const char *text)
{
    size_t longest = 0;
    while (*text) {
        CLEANUP(text_free) struct text line = {0};
        const size_t n = strcspn(text, "\n");
        text_add_n(&line, text, n);
        longest = text_columns(text_get(&line)) > longest ? text_columns(text_get(&line)) : longest;
        text += n + (text[n] == '\n');
    }
    return longest;
}

TEST(tables_fit_a_terminal)
{
    CLEANUP(text_free) struct text got = {0};
    struct view_options options = {.breakdown = true, .width = 80};
    views_show("kernels.gbr", &options, &got);
    const char *breakdown = strstr(text_get(&got), "\nbreakdown of");
    ck_assert_ptr_nonnull(breakdown);
    ck_assert_uint_le(longest_line(breakdown), 80);
}

TEST(not_shown_unless_asked_for)
{
    CLEANUP(text_free) struct text got = {0};
    struct view_options options = {0};
    views_show("kernels.gbr", &options, &got);
    ck_assert_ptr_null(strstr(text_get(&got), "breakdown"));
    ck_assert_ptr_nonnull(strstr(text_get(&got), "    streams streams=6 and 1 more: small has 131 "
                                                 "blocks for 132 multiprocessors\n"));
    ck_assert_ptr_null(strstr(text_get(&got), "finish has"));
}

TEST(rounds_of_a_small_grid_are_one_case)
{
    CLEANUP(text_free) struct text got = {0};
    struct store *store = fixture_open("rounds.gbr", STORE_WRITE);
    int64_t run_id = fixture_begin_run(store, 1);
    for (unsigned i = 0; i < 3; i++) {
        struct fixture_case c;
        fixture_case(&c, i, 1, 30000);
        c.record.round = i;
        c.bench_case.position = 0;
        c.activities[0] = fixture_kernel("small", 1, NAN);
        c.record.has_activities = true;
        c.record.n_activities = c.record.n_kernels = 1;
        fixture_store(store, run_id, &c);
    }
    fixture_end_run(store, run_id);
    fixture_close(store);
    views_show("rounds.gbr", &(struct view_options){0}, &got);
    ck_assert_ptr_nonnull(strstr(
        text_get(&got), "    streams streams=1: small has 1 block for 132 multiprocessors\n"));
}

TEST(exported_as_objects)
{
    static const char *const expected =
        "\"activities\":[{\"kind\":\"kernel\",\"name\":\"small\",\"grid_x\":131,\"grid_y\":1,"
        "\"grid_z\":1,\"block_x\":16,\"block_y\":16,\"block_z\":1,\"registers\":40,"
        "\"shared_bytes\":49152,\"bytes\":0,\"occupancy\":0.5,\"parallel\":0,\"time_ns\":null,"
        "\"low_ns\":null,\"high_ns\":null,\"gap_ns\":null}]";
    CLEANUP(text_free) struct text got = {0};
    struct view_options options = {.format = FORMAT_JSONL, .where = "streams = 6"};
    views_export("kernels.gbr", &options, &got);
    ck_assert_msg(strstr(text_get(&got), expected) != NULL, "%s", text_get(&got));
    ck_assert_ptr_nonnull(strstr(text_get(&got), "\"kernels\":1,"));
}
