/* test_plot.c - charts: what is drawn, that texts cannot become markup, that labels do not
 * collide. */
#include "core/base/memory.h"
#include "core/report/plot.h"
#include "tests/check_main.h"
#include "tests/report/markup.h"
#include "tests/view/views_fixture.h"

static const double x[] = {1, 10, 100, 1000}, y[] = {2, 4, 8, 16}, high[] = {3, 5, INFINITY, 17};

static const char *picture_of(const struct plot_panel *panel)
{
    struct plot_page page = {.panels = panel, .n_panels = 1, .width = 800, .height = 500};
    return views_picture(&page);
}

/* What the first mark of a class is drawn by: "M1 2L3 4". */
static const char *drawn_by(const char *picture, const char *class)
{
    static char path[256];
    CLEANUP(text_free) struct text head = {0};
    text_printf(&head, "class=\"%s\"", class);
    const char *mark = strstr(strstr(picture, "<svg x="), text_get(&head));
    ck_assert_msg(mark != NULL, "nothing of class %s", class);
    ck_assert_int_eq(sscanf(strstr(mark, " d=\""), " d=\"%255[^\"]", path), 1);
    return path;
}

TEST(all_kinds)
{
    static const char *const names[] = {"a", "b", "c", "d"};
    const struct plot_series series[] = {
        {.kind = PLOT_LINE, .label = "line", .n = 4, .x = x, .y = y, .colour = 1},
        {.kind = PLOT_POINTS, .n = 4, .x = x, .y = y, .names = names, .opacity = 0.5},
        {.kind = PLOT_BAND, .n = 4, .x = x, .y = y, .high = high, .colour = 2}};
    const struct plot_panel panel = {
        .series = series, .n_series = 3, .x_log = true, .y_log = true, .title = "Roof"};
    const char *picture = picture_of(&panel);
    EXPECT(picture, ">line</text>", "class=\"line c1\" stroke-width=\"1.4\"",
           "class=\"dot c0\" opacity=\"0.5\"", "class=\"fill c2\"", ">Roof</text>", ">d</text>",
           ">1000</text>", ">5</text>"); /* ticks */
    EXPECT_NO(picture, "inf", "nan");    /* what is infinite goes to the frame */
    double at[4][2];                     /* equal steps, as both axes are logarithmic */
    ck_assert_int_eq(sscanf(drawn_by(picture, "line c1"), "M%lf %lfL%lf %lfL%lf %lfL%lf %lf",
                            &at[0][0], &at[0][1], &at[1][0], &at[1][1], &at[2][0], &at[2][1],
                            &at[3][0], &at[3][1]),
                     8);
    for (int i = 0; i < 2; i++) {
        ck_assert_double_eq_tol(at[1][i] - at[0][i], at[2][i] - at[1][i], 0.2);
        ck_assert_double_eq_tol(at[2][i] - at[1][i], at[3][i] - at[2][i], 0.2);
    }
}

TEST(axes_of_zeros)
{
    static const double zeros[] = {0, 0, 0, 0}, some[] = {0, 4, 8, 16};
    struct plot_series series = {.kind = PLOT_LINE, .n = 4, .x = x, .y = zeros};
    struct plot_panel panel = {.series = &series, .n_series = 1};
    EXPECT(picture_of(&panel), ">-1</text>", ">1</text>");
    EXPECT_NO(picture_of(&panel), ">1.2</text>");
    series.y = some;
    panel.y_log = true; /* which leaves 0 out */
    EXPECT(picture_of(&panel), ">5</text>", ">10</text>");
    EXPECT_NO(picture_of(&panel), ">2</text>", ">1</text>", "nan", "inf");
}

TEST(svg_is_well_formed)
{
    static const char *const names[] = {"a", "b", "c", "d"}, *const titles[] = {"<1>", NULL, "3",
                                                                                "4"};
    static const char *const categories[] = {"x&y", "\"z\"", "w", "v"};
    const struct plot_series series[] = {
        {.kind = PLOT_LINE, .label = "line", .n = 4, .x = x, .y = y, .is_dashed = true},
        {.kind = PLOT_POINTS, .n = 4, .x = x, .y = y, .names = names, .titles = titles},
        {.kind = PLOT_POINTS, .n = 4, .x = x, .y = y, .shape = PLOT_DIAMOND},
        {.kind = PLOT_BAND, .n = 4, .x = x, .y = y, .high = high},
        {.kind = PLOT_ARROWS, .n = 1, .x = x, .y = y}};
    const struct plot_series bars[] = {{.kind = PLOT_BARS, .n = 4, .y = y, .titles = titles},
                                       {.kind = PLOT_INTERVALS, .n = 4, .y = y, .high = high}};
    const struct plot_panel panels[] = {
        {.series = series, .n_series = 5, .x_log = true, .y_log = true, .y_unit = "B/s"},
        {.series = bars, .n_series = 2, .categories = categories, .n_categories = 4},
        {.title = "nothing"}};
    const struct plot_page page = {.panels = panels, .n_panels = 3, .width = 800, .height = 500};
    CLEANUP(text_free) struct text out = {0};
    plot_svg(&page, true, &out);
    const char *drawn = text_get(&out);
    ck_assert_str_eq(markup_error(drawn), "");
    EXPECT(drawn, "<title>&lt;1&gt;</title>", ">x&amp;y</text>", ">10 B/s</text>",
           "stroke-dasharray=\"5 4\"");
    EXPECT_NO(drawn, "nan", "inf");
    ck_assert_str_ne(markup_error("<b><i></b></i>"), ""); /* the test itself sees what is wrong */
    ck_assert_str_ne(markup_error("<b>&</b>"), "");
    ck_assert_str_ne(markup_error("<b title=\"x\"\"></b>"), "");
}

TEST(svg_ticks)
{
    static const double wide[] = {0.2, 5e6}, narrow[] = {3, 7}, levels[] = {-1, 1};
    static const double powers[] = {256, 1 << 22};
    const struct plot_series log_series = {.n = 2, .x = wide, .y = levels},
                             series = {.n = 2, .x = narrow, .y = levels},
                             binary = {.n = 2, .x = powers, .y = levels};
    const struct plot_panel panels[] = {
        {.series = &log_series, .n_series = 1, .x_log = true},
        {.series = &series, .n_series = 1, .x_is_count = true},
        {.series = &binary, .n_series = 1, .x_log = true, .x_is_binary = true}};
    const struct plot_page page = {.panels = panels, .n_panels = 3, .width = 800, .height = 750};
    CLEANUP(text_free) struct text out = {0};
    plot_svg(&page, true, &out);
    EXPECT(text_get(&out), ">1000</text>", ">3.5</text>", ">-0.5</text>", ">0</text>",
           ">256</text>", ">16Ki</text>", ">4Mi</text>");
    EXPECT_NO(text_get(&out), ">2000</text>", ">8Mi</text>", ">0.5Ki</text>");
}

TEST(gaps)
{
    static const double holes[] = {NAN, 2, NAN, NAN, 4, INFINITY};
    static const double places[] = {1, 2, 3, 4, 5, 6};
    const struct plot_series series = {.n = 6, .x = places, .y = holes};
    const struct plot_panel panel = {.series = &series, .n_series = 1};
    const char *path = drawn_by(picture_of(&panel), "line c0");
    ck_assert_uint_eq(views_count(path, "M"), 2);
    ck_assert_uint_eq(views_count(path, "L"), 0);
    const struct plot_panel empty = {.title = "nothing", .x_log = true};
    EXPECT(picture_of(&empty), "class=\"axis\"", ">10</text>");
    EXPECT_NO(picture_of(&empty), "nan");
}

/* The second is of another colour, as the first of all bars is of c0. */
TEST(bars)
{
    static const char *const categories[] = {"fp16 100%", "it's"};
    const struct plot_series series[] = {
        {.kind = PLOT_BARS, .label = "old", .n = 2, .y = y},
        {.kind = PLOT_BARS, .label = "new", .n = 2, .y = x, .colour = 1}};
    const struct plot_panel panel = {
        .series = series, .n_series = 2, .categories = categories, .n_categories = 2};
    const char *picture = picture_of(&panel);
    double left[2], foot[2], width[2], panel_width, height;
    EXPECT(picture, ">fp16 100%</text>", ">it&#39;s</text>", ">0</text>");
    ck_assert_int_eq(sscanf(strstr(picture, "<svg x="),
                            "<svg x=\"%*f\" y=\"%*f\" width=\"%lf\" height=\"%lf\"", &panel_width,
                            &height),
                     2);
    for (int i = 0; i < 2; i++) {
        ck_assert_int_eq(sscanf(drawn_by(picture, i ? "fill c1" : "fill c0"), "M%lf %lfV%*fh%lf",
                                &left[i], &foot[i], &width[i]),
                         3);
        ck_assert_double_eq_tol(foot[i], height, 0.1); /* they begin at 0 */
        ck_assert_double_eq_tol(width[i], 0.376 * panel_width / 2, 0.1);
    }
    ck_assert_double_eq_tol(left[1] - left[0], 0.4 * panel_width / 2, 0.1);
}

TEST(bars_say_their_values)
{
    static const char *const categories[] = {"a", "a name that is longer than its bar is wide"};
    static const char *const names[] = {"2.000 us", "4.000 us"};
    static const double low[] = {1, 3};
    const struct plot_series series[] = {{.kind = PLOT_BARS, .n = 2, .y = y, .names = names},
                                         {.kind = PLOT_INTERVALS, .n = 2, .y = low, .high = high}};
    struct plot_panel panel = {
        .series = series, .n_series = 2, .categories = categories, .n_categories = 2};
    struct plot_page page = {.panels = &panel, .n_panels = 1, .width = 900, .height = 300};
    EXPECT(views_picture(&page), ">4.000 us</text>", ">a</text>");
    EXPECT_NO(views_picture(&page), "rotate(");
    page.width = 200; /* no room for the values, little for the categories */
    EXPECT_NO(views_picture(&page), "4.000 us");
    EXPECT(views_picture(&page), "transform=\"rotate(-45 ", ">a name that is lo\u2026</text>");
}

TEST(pages_get_the_height_that_panels_ask_for)
{
    const struct plot_panel panels[] = {{.height = 300, .x_label = "x"}, {.height = 200}};
    const struct plot_page page = {.panels = panels, .n_panels = 2, .width = 400};
    double height;
    ck_assert_int_eq(sscanf(strstr(views_picture(&page), "<svg x="),
                            "<svg x=\"%*f\" y=\"%*f\" width=\"%*f\" height=\"%lf\"", &height),
                     1);
    ck_assert_double_eq_tol(height, 300, 1);
}

static const char *const hostile[] = {
    "'; system('touch pwned'); '",
    "`touch pwned`",
    "\"`touch pwned`\"",
    "a\nset output '|touch pwned'",
    "a\r\n!touch pwned",
    "\\",
    "'",
    "''",
    "it's \\'; !touch pwned",
    "@HOME $data0 EOD",
    "\nEOD\n!touch pwned\n",
    "%s%n%d %%",
    "{/Symbol a}^_b&<>]]>",
    "\xff\xfe\x80 \xc3",
    "\x1b[31m\x7f\x01",
    "\xe2\x82 \xed\xa0\x80 \xf4\x90\x80\x80",
};

/* With these words everywhere, until it is called again. */
static const struct plot_page *hostile_page(const char *words)
{
    static const char *names[4];
    static struct plot_series series[2];
    static struct plot_vertical vertical;
    static struct plot_panel panel;
    static struct plot_page page;
    for (int i = 0; i < 4; i++)
        names[i] = words;
    series[0] = (struct plot_series){
        .kind = PLOT_POINTS, .label = words, .n = 4, .x = x, .y = y, .names = names};
    series[1] = (struct plot_series){.kind = PLOT_BARS, .label = words, .n = 4, .y = y};
    vertical = (struct plot_vertical){.x = 2, .label = words};
    panel = (struct plot_panel){.title = words,
                                .x_label = words,
                                .y_label = words,
                                .categories = names,
                                .n_categories = 4,
                                .series = series,
                                .n_series = 2,
                                .verticals = &vertical,
                                .n_verticals = 1};
    page = (struct plot_page){.title = words,
                              .subtitle = words,
                              .panels = &panel,
                              .n_panels = 1,
                              .width = 800,
                              .height = 500};
    return &page;
}

/* Is what makes a picture in that format there? SVG needs nothing. */
static bool can_draw(const char *file)
{
    struct gb_error error;
    return plot_check(file, &error) == GB_OK;
}

/* Is drawn in that format, in a folder in which nothing else appears. */
static void expect_drawn(const char *words, const char *name)
{
    CLEANUP(text_free) struct text svg = {0};
    const struct plot_page *page = hostile_page(words);
    struct gb_error error;
    fixture_begin();
    ck_assert_int_eq(chdir(fixture_folder), 0);
    ck_assert_msg(plot_write(page, name, &error) == GB_OK, "%s", error.text);
    ck_assert_int_eq(unlink(name), 0);
    ck_assert_int_eq(rmdir(fixture_folder), 0);
    plot_svg(page, false, &svg);
    ck_assert_str_eq(markup_error(text_get(&svg)), "");
}

TEST_EACH(words_stay_words, hostile)
{
    expect_drawn(hostile[_i], "x.svg");
}

TEST(words_stay_words_in_png)
{
    if (!can_draw("x.png"))
        TEST_SKIP("rsvg-convert is missing");
    for (size_t i = 0; i < N_OF(hostile); i++)
        expect_drawn(hostile[i], "x.png");
}

/* Where the words of a picture are, as boxes in pixels: those of vertical lines only. */
struct label {
    double left, right, y, line;
};

static size_t labels_of(const char *picture, struct label *labels)
{
    static const double BASELINE = 4; /* below the middle of the words */
    size_t n = 0;
    for (const char *at = picture; (at = strstr(at, "<text ")); at++) {
        double left, middle;
        char words[64];
        ck_assert_int_eq(sscanf(at, "<text x=\"%lf\" y=\"%lf\"", &left, &middle), 2);
        if (sscanf(strchr(at, '>'), ">%63[^<]", words) != 1 || words[0] != 'L')
            continue;
        bool is_left = strstr(at, "text-anchor=\"end\"") &&
                       strstr(at, "text-anchor") < strchr(at, '>');
        double width = 7.0 * (double)strlen(words);
        labels[n++] = is_left ? (struct label){left - width, left, middle - BASELINE, left + 4}
                              : (struct label){left, left + width, middle - BASELINE, left - 4};
    }
    return n;
}

TEST_TIMES(labels_do_not_collide, 4)
{
    enum { N = 12 };
    static const double places[][N] = {
        {10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21},
        {1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 990},
        {100, 400, 700, 800, 900, 910, 920, 930, 960, 970, 980, 999},
        {1, 1.5, 2, 980, 985, 990, 991, 992, 993, 994, 995, 999},
    };
    struct plot_vertical verticals[N];
    char words[N][40];
    struct label labels[N];
    for (int i = 0; i < N; i++) {
        snprintf(words[i], sizeof words[i], "L%d%.*s", i, 3 * (i % 7), " a label that is long");
        verticals[i] = (struct plot_vertical){.x = places[_i][i], .label = words[i], .colour = i};
    }
    const struct plot_panel panel = {
        .x_log = true, .x_low = 0.9, .x_high = 1000, .verticals = verticals, .n_verticals = N};
    const struct plot_page page = {.panels = &panel, .n_panels = 1, .width = 1000, .height = 700};
    ck_assert_uint_eq(labels_of(views_picture(&page), labels), N);
    for (int i = 0; i < N; i++) {
        ck_assert_double_ge(labels[i].left, 0);
        ck_assert_double_le(labels[i].right, 1000);
        for (int j = 0; j < N; j++) {
            bool is_beside = labels[i].right <= labels[j].left || labels[j].right <= labels[i].left;
            bool is_same_row = fabs(labels[i].y - labels[j].y) < 14;
            ck_assert_msg(i == j || is_beside || !is_same_row, "%s over %s", words[i], words[j]);
            /* the line of j goes from below up to its label */
            bool is_crossed = labels[j].line > labels[i].left && labels[j].line < labels[i].right &&
                              labels[j].y < labels[i].y + 7;
            ck_assert_msg(i == j || !is_crossed, "the line of %s crosses %s", words[j], words[i]);
        }
    }
}

static const char *const kinds[][2] = {
    {"plot.svg", "<?xml"}, {"plot.png", "\x89PNG"}, {"plot.pdf", "%PDF-"}};

TEST_EACH(files, kinds)
{
    const struct plot_series series = {.n = 4, .x = x, .y = y};
    const struct plot_panel panel = {.series = &series, .n_series = 1};
    const struct plot_page page = {.panels = &panel, .n_panels = 1, .width = 300, .height = 200};
    char head[8];
    struct gb_error error;
    if (!can_draw(kinds[_i][0]))
        TEST_SKIP("rsvg-convert is missing");
    ck_assert_int_eq(chdir(getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp"), 0);
    ck_assert_msg(plot_write(&page, kinds[_i][0], &error) == GB_OK, "%s", error.text);
    FILE *written = fopen(kinds[_i][0], "r");
    ck_assert_uint_eq(fread(head, 1, sizeof head, written), sizeof head);
    ck_assert_mem_eq(head, kinds[_i][1], strlen(kinds[_i][1]));
    fclose(written);
    unlink(kinds[_i][0]);
}

TEST(files_that_cannot_be)
{
    const struct plot_page page = {.width = 300, .height = 200};
    struct gb_error error;
    ck_assert_int_eq(plot_check("x.svg", &error), GB_OK);
    ck_assert_int_eq(plot_check("x.jpg", &error), GB_INVALID);
    ck_assert_int_eq(plot_check("x.gp", &error), GB_INVALID);
    ck_assert_int_eq(plot_check("svg", &error), GB_INVALID);
    ck_assert_int_ne(plot_write(&page, "/nowhere/x.svg", &error), GB_OK);
    ck_assert_str_eq(error.text, "/nowhere/x.svg: cannot be written: No such file or directory");
}

TEST(without_a_converter)
{
    const struct plot_page page = {.width = 300, .height = 200};
    struct gb_error error;
    setenv("PATH", "/nowhere", 1);
    ck_assert_int_eq(plot_check("x.png", &error), GB_NOT_FOUND);
    EXPECT(error.text, "need rsvg-convert", "install it");
    ck_assert_int_eq(plot_write(&page, "x.pdf", &error), GB_NOT_FOUND);
    ck_assert_int_eq(plot_check("x.svg", &error), GB_OK);
}
