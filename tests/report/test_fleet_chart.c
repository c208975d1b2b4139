/* test_fleet_chart.c - core/report/fleet_chart.h and the section of nodes of a page: strips of
 * letters, points, words that come from anywhere. */
#include "core/report/fleet_chart.h"
#include "core/report/html_report.h"
#include "core/report/plot.h"
#include "tests/check_main.h"
#include "tests/compare/fleet_fixture.h"
#include "tests/report/markup.h"

static const struct compare_options usual = {.margin = 0.01, .confidence = 0.95, .metric = ""};

static struct fleet *fleet_of(const char *nodes)
{
    struct fleet *fleet = fleet_new(&usual, "host");
    struct gb_error error = {0};
    fleet_store("a.gbr", 1, nodes);
    int32_t status = fleet_add_file(fleet, fixture_path("a.gbr"), RUN_ALL, &error);
    if (status == GB_OK)
        status = fleet_finish(fleet, &error);
    ck_assert_msg(status == GB_OK, "%s", error.text);
    return fleet;
}

static void read_page(const char *path, struct text *out)
{
    text_clear(out);
    views_read(path, out);
    ck_assert_str_eq(markup_error(text_get(out)), "");
    EXPECT_NO(text_get(out), ">nan", "\"nan", "inf");
}

TEST_FIXTURE(fixture_begin, fixture_end)

TEST(each_node_is_a_point)
{
    CLEANUP(arena_free) struct arena arena = {0};
    CLEANUP(text_free) struct text svg = {0}, strips = {0};
    struct plot_page page;
    struct fleet *fleet = fleet_of(FLEET_EIGHT);
    fleet_strips(fleet_result(fleet), &strips);
    views_expect_golden("nodes_strips.txt", text_get(&strips));
    ck_assert(fleet_page(fleet_result(fleet), &arena, &page));
    ck_assert_uint_eq(page.n_panels, 1); /* the other model has one node */
    ck_assert_str_eq(page.title, "2 of 8 nodes are flagged: node[03,05]");
    const struct plot_panel *panel = &page.panels[0];
    ck_assert_uint_eq(panel->n_y_categories, 4);
    ck_assert_uint_eq(panel->n_series, 7); /* the usual ones; points and intervals of three */
    const struct plot_series *slow = &panel->series[2];
    ck_assert_str_eq(slow->label, "node03: slower");
    ck_assert_uint_eq(slow->n, 4);
    ck_assert_double_eq_tol(slow->x[0], 5, 0.2);
    ck_assert(panel->series[1].x[0] < slow->x[0] && slow->x[0] < panel->series[1].high[0]);
    ck_assert(panel->x_low < -5 && panel->x_high > 5);
    plot_svg(&page, false, &svg);
    ck_assert_str_eq(markup_error(text_get(&svg)), "");
    ck_assert_uint_eq(views_count(text_get(&svg), "<title>node03: 1.0"), 4);
    ck_assert_uint_eq(views_count(text_get(&svg), "<title>node05: "), 3); /* one case fails */
    fleet_free(fleet);
}

/* What is far away does not squeeze all others together, and is there. Two nodes have no strips. */
TEST(far_nodes_stand_at_the_edge)
{
    CLEANUP(arena_free) struct arena arena = {0};
    struct plot_page page;
    struct fleet *fleet = fleet_of("a\nb\nc\nd factor=9");
    ck_assert(fleet_page(fleet_result(fleet), &arena, &page));
    ck_assert_double_eq(page.panels[0].series[2].x[0], 50);
    ck_assert(page.panels[0].x_high < 60);
    fleet_free(fleet);
    unlink(fixture_path("a.gbr"));
    fleet = fleet_of("a\nb");
    ck_assert(!fleet_page(fleet_result(fleet), &arena, &page));
    fleet_free(fleet);
}

TEST(a_page_of_nodes_is_sound)
{
    CLEANUP(text_free) struct text page = {0};
    struct gb_error error = {0};
    struct fleet *fleet = fleet_of("<b>&\"1 factor=1.05 driver=<i>\nn2\nn3\nn4");
    const char *path = fixture_path("nodes.html");
    ck_assert_int_eq(html_nodes_write(fleet_result(fleet), path, &error), GB_OK);
    read_page(path, &page);
    EXPECT(text_get(&page), "<h2>Nodes</h2>", "1 of 4 nodes is flagged: &lt;b&gt;&amp;",
           "driver: &lt;i&gt;, most have 580.65");
    ck_assert_uint_eq(views_count(text_get(&page), "<tr><td>"), 4);
    ck_assert_uint_eq(views_count(text_get(&page), "<td class=\"bad\">slower</td>"), 1);
    fleet_free(fleet);
}

/* Runs of three hosts and more are compared as nodes, on the page of these runs. */
TEST(a_page_of_runs_has_its_nodes)
{
    static const struct html_options options = {0};
    CLEANUP(text_free) struct text page = {0};
    struct gb_error error = {0};
    struct html_input inputs[4];
    fleet_store("a.gbr", 1, FLEET_EIGHT);
    const char *path = fixture_path("page.html"), *file = fixture_path("a.gbr");
    for (size_t i = 0; i < 4; i++)
        inputs[i] = (struct html_input){.path = file, .run = (int64_t)i + 1};
    for (size_t n = 2; n <= 4; n += 2) {
        int32_t status = html_report_write(inputs, n, &options, path, &error);
        ck_assert_msg(status == GB_OK, "%s", error.text);
        read_page(path, &page);
        ck_assert_uint_eq(views_count(text_get(&page), "<h2>Nodes</h2>"), n == 4);
        ck_assert_uint_eq(views_count(text_get(&page), "<h2>Cases</h2>"), n);
    }
    EXPECT(text_get(&page), "1 of 4 nodes is flagged: node03");
}
