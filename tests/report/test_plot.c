/* test_plot.c - charts: what their scripts say, that texts cannot become commands, that labels do
 * not collide. */
#include "core/base/memory.h"
#include "core/report/plot_svg.h"
#include "tests/check_main.h"
#include "tests/report/markup.h"
#include "tests/view/views_fixture.h"

static const double x[] = {1, 10, 100, 1000}, y[] = {2, 4, 8, 16}, high[] = {3, 5, INFINITY, 17};

static const char *script_of_panel(const struct plot_panel *panel)
{
    struct plot_page page = {.panels = panel, .n_panels = 1, .width = 800, .height = 500};
    return views_script(&page);
}

TEST(all_kinds)
{
    static const char *const names[] = {"a", "b", "c", "d"};
    const struct plot_series series[] = {
        {.kind = PLOT_LINE, .label = "line", .n = 4, .x = x, .y = y, .colour = 1},
        {.kind = PLOT_POINTS, .n = 4, .x = x, .y = y, .names = names, .opacity = 0.5},
        {.kind = PLOT_BAND, .n = 4, .x = x, .y = y, .high = high}};
    const struct plot_panel panel = {
        .series = series, .n_series = 3, .x_log = true, .y_log = true, .title = "Roof"};
    const char *script = script_of_panel(&panel);
    EXPECT(script, "set logscale x\nset logscale y\n",
           "$data0 << EOD\n1 2\n10 4\n100 8\n1000 16\nEOD\n",
           "with lines lw 1.6 lc rgb '#00D55E00' title 'line'",
           "with points pt 7 ps 0.5 lc rgb '#800072B2' notitle", "with filledcurves");
    EXPECT(script, "set label 'Roof' at screen", "set label 'd' at screen");
    EXPECT_NO(script, "inf", "set output"); /* what is infinite goes to the frame */
}

TEST(axes_of_zeros)
{
    static const double zeros[] = {0, 0, 0, 0}, some[] = {0, 4, 8, 16};
    struct plot_series series = {.kind = PLOT_LINE, .n = 4, .x = x, .y = zeros};
    struct plot_panel panel = {.series = &series, .n_series = 1};
    EXPECT(script_of_panel(&panel), "set yrange [-1:1]");
    series.y = some;
    panel.y_log = true; /* which leaves 0 out */
    const char *range = strstr(script_of_panel(&panel), "set yrange [");
    ck_assert_ptr_nonnull(range);
    ck_assert_double_gt(strtod(range + strlen("set yrange ["), NULL), 3);
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
    const struct plot_page page = {
        .panels = panels, .n_panels = 3, .n_columns = 2, .width = 800, .height = 500};
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
    const struct plot_series log_series = {.n = 2, .x = wide, .y = levels},
                             series = {.n = 2, .x = narrow, .y = levels};
    const struct plot_panel panels[] = {{.series = &log_series, .n_series = 1, .x_log = true},
                                        {.series = &series, .n_series = 1, .x_is_count = true}};
    const struct plot_page page = {.panels = panels, .n_panels = 2, .width = 800, .height = 500};
    CLEANUP(text_free) struct text out = {0};
    plot_svg(&page, true, &out);
    EXPECT(text_get(&out), ">1000</text>", ">3.5</text>", ">-0.5</text>", ">0</text>");
    EXPECT_NO(text_get(&out), ">2000</text>");
}

TEST(gaps)
{
    static const double holes[] = {NAN, 2, NAN, NAN, 4, INFINITY};
    static const double places[] = {1, 2, 3, 4, 5, 6};
    const struct plot_series series = {.n = 6, .x = places, .y = holes};
    const struct plot_panel panel = {.series = &series, .n_series = 1};
    EXPECT(script_of_panel(&panel), "$data0 << EOD\n2 2\n\n5 4\n\nEOD\n");
    const struct plot_panel empty = {.title = "nothing", .x_log = true};
    EXPECT(script_of_panel(&empty), "set xrange [");
    EXPECT_NO(script_of_panel(&empty), "nan");
}

TEST(bars)
{
    static const char *const categories[] = {"fp16 100%", "it's"};
    const struct plot_series series[] = {{.kind = PLOT_BARS, .label = "old", .n = 2, .y = y},
                                         {.kind = PLOT_BARS, .label = "new", .n = 2, .y = x}};
    const struct plot_panel panel = {
        .series = series, .n_series = 2, .categories = categories, .n_categories = 2};
    const char *script = script_of_panel(&panel);
    EXPECT(script, "set xtics norotate ('fp16 100%%' 0, 'it\u2019s' 1)",
           "using ($1-0.2):2:(0.376) with boxes", "using ($1+0.2):2:(0.376) with boxes",
           "set xrange [-0.5:1.5]\nset yrange [0:");
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
    const char *script = views_script(&page);
    EXPECT(script, "set label '4.000 us' at screen", "set xtics norotate (");
    page.width = 200; /* no room for the values, little for the categories */
    script = views_script(&page);
    EXPECT_NO(script, "4.000 us");
    EXPECT(script, "set xtics rotate by 45 right ('a' 0, 'a name that is lo\u2026' 1)");
}

TEST(pages_get_the_height_that_panels_ask_for)
{
    const struct plot_panel panels[] = {{.height = 300, .x_label = "x"}, {.height = 200}};
    const struct plot_page page = {.panels = panels, .n_panels = 2, .width = 400};
    double height, top, bottom;
    ck_assert_int_eq(
        sscanf(views_script(&page), "set encoding utf8\nset terminal svg size 400,%lf", &height),
        1);
    sscanf(strstr(views_script(&page), "set tmargin"),
           "set tmargin at screen %lf\nset bmargin at screen %lf", &top, &bottom);
    ck_assert_double_eq_tol((top - bottom) * height, 300, 1);
}

/* Every quote that was opened is closed on its line, as gnuplot counts them. */
static void check_quotes(const char *script)
{
    bool is_open = false, is_data = false;
    for (const char *line = script; *line;) {
        size_t n = strcspn(line, "\n");
        is_data = is_data ? strncmp(line, "EOD", 3) != 0 : n > 3 && line[0] == '$';
        for (size_t i = 0; i < n && !is_data; i++) {
            is_open = line[i] == '\'' ? !is_open : is_open;
            ck_assert_msg(is_open || !strchr("`\"@|;!", line[i]), "outside of quotes: %.*s", (int)n,
                          line);
        }
        ck_assert_msg(!is_open, "a quote is open: %.*s", (int)n, line);
        line += n + (line[n] == '\n');
    }
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

/* What draws a page in that format, gnuplot or rsvg-convert: ours draws .svg. */
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
    check_quotes(views_script(hostile_page(hostile[_i])));
    expect_drawn(hostile[_i], "x.svg");
}

TEST(words_stay_words_in_gnuplot)
{
    if (!can_draw("x.png"))
        TEST_SKIP("gnuplot and rsvg-convert are missing");
    for (size_t i = 0; i < sizeof hostile / sizeof *hostile; i++)
        expect_drawn(hostile[i], "x.png");
}

/* Where the words of a script are, as boxes in pixels: those of vertical lines only. */
struct label {
    double left, right, y, line;
};

static size_t labels_of(const char *script, const struct plot_page *page, struct label *labels)
{
    size_t n = 0;
    for (const char *at = script; (at = strstr(at, "set label 'L")); at++) {
        double left, middle;
        char words[64], side[16];
        ck_assert_int_eq(
            sscanf(at, "set label '%63[^']' at screen %lf,%lf %15s", words, &left, &middle, side),
            4);
        double width = 7.0 * (double)strlen(words);
        left *= page->width;
        struct label label = {left, left + width, (1 - middle) * page->height, left - 4};
        if (strcmp(side, "right") == 0)
            label = (struct label){left - width, left, label.y, left + 4};
        labels[n++] = label;
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
    ck_assert_uint_eq(labels_of(views_script(&page), &page, labels), N);
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
        TEST_SKIP("gnuplot and rsvg-convert are missing");
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
    ck_assert_int_eq(plot_check("x.gp", &error), GB_OK);
    ck_assert_int_eq(plot_check("x.jpg", &error), GB_INVALID);
    ck_assert_int_eq(plot_check("svg", &error), GB_INVALID);
    ck_assert_int_ne(plot_write(&page, "/nowhere/x.gp", &error), GB_OK);
    ck_assert_str_eq(error.text, "/nowhere/x.gp: cannot be written: No such file or directory");
}

TEST(without_gnuplot)
{
    const struct plot_page page = {.width = 300, .height = 200};
    struct gb_error error;
    setenv("PATH", "/nowhere", 1);
    ck_assert_int_eq(plot_check("x.png", &error), GB_NOT_FOUND);
    EXPECT(error.text, "install one");
    ck_assert_int_eq(plot_write(&page, "x.png", &error), GB_NOT_FOUND);
    ck_assert_int_eq(plot_check("x.gp", &error), GB_OK);
    ck_assert_int_eq(plot_check("x.svg", &error), GB_OK);
}
