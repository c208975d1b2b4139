/* test_report_picture.c - pictures of rooflines, as their SVG has them: nothing hides anything
 * else, names are whole, every case is there. */
#include "core/base/memory.h"
#include "core/report/report.h"
#include "tests/check_main.h"
#include "tests/view/views_fixture.h"

/* ---- charts ---- */

static struct arena arena;

static struct report_case *add_case(struct report_chart *chart, const char *label, double flops,
                                    double intensity, double ridge)
{
    struct report_case *cases = arena_grow(&arena, chart->cases, chart->n, sizeof *chart->cases);
    chart->cases = cases;
    struct report_case *one = &cases[chart->n++];
    *one = (struct report_case){.label = label,
                                .flops_per_s = flops,
                                .bytes_per_s = 1e12,
                                .intensity = {intensity, NAN, NAN, NAN},
                                .measured_ns = 1000,
                                .model_ns = NAN,
                                .ratio = NAN,
                                .ridge = ridge};
    return one;
}

static struct roof gpu_roofs[] = {{"l2_copy", 8.58e12, false},    {"dram_copy", 4.09e12, false},
                                  {"fp32_fma", 65.1e12, false},   {"l2_triad", 11.8e12, false},
                                  {"dram_write", 4.65e12, false}, {"dram_triad", 4.05e12, false},
                                  {"bf16_tensor", 716e12, false}, {"dram_read", 4.56e12, false}};
static const struct roofs all_of_gpu = {gpu_roofs, N_OF(gpu_roofs)};

static const char *numbered(const char *words, size_t i)
{
    return arena_printf(&arena, "%s=%zu", words, i);
}

static void make_gpu(struct report_chart *chart)
{
    chart->roofs = all_of_gpu;
    for (size_t i = 0; i < 30; i++) {
        double flops = 5e9 * pow(1.5, (double)i), intensity = flops / 3e12;
        struct report_case *one = add_case(chart, numbered("gemm size", i), flops, intensity, 177);
        one->intensity[0] = NAN;
        one->intensity[1] = i < 12 ? intensity : NAN; /* counted at L1, L2 and DRAM */
        one->intensity[2] = intensity * 0.7;
        one->intensity[3] = i % 3 ? intensity * 30 : 1e6;
        one->roof = i < 20 ? "dram_copy" : "bf16_tensor";
        one->ratio = 0.5;
    }
    for (size_t i = 0; i < 3; i++)
        add_case(chart, numbered("copy bytes", i), NAN, NAN, NAN);
}

/* Each level and access, and rates of each format and unit. */
static void make_many_roofs(struct report_chart *chart)
{
    static const char *const levels[] = {"dram", "l3", "l2", "l1"};
    static const char *const accesses[] = {"read", "write", "copy", "triad"};
    static const char *const formats[] = {"fp64", "fp32", "fp16", "bf16"};
    static const char *const units[] = {"scalar", "fma", "vector", "tensor"};
    struct roof *roofs = ARENA_ARRAY(&arena, struct roof, 32);
    for (size_t i = 0; i < 16; i++) {
        roofs[i] = (struct roof){arena_printf(&arena, "%s_%s", levels[i / 4], accesses[i % 4]),
                                 2e10 * pow(2.1, (double)(i / 4)) * (1 + 0.08 * (double)(i % 4)),
                                 false};
        roofs[16 + i] = (struct roof){arena_printf(&arena, "%s_%s", formats[i / 4], units[i % 4]),
                                      1e10 * pow(1.3, (double)i), false};
    }
    chart->roofs = (struct roofs){roofs, 32};
    for (size_t i = 0; i < 20; i++)
        add_case(chart, numbered("spmv rows", i), 1e9 * pow(1.3, (double)i),
                 0.05 * pow(1.3, (double)i), 10);
}

/* All in one place. */
static void make_crowd(struct report_chart *chart)
{
    chart->roofs = all_of_gpu;
    for (size_t i = 0; i < 80; i++)
        add_case(chart, numbered("triad", i), 1e12 * (1 + 0.002 * (double)i),
                 1 + 0.003 * (double)(i * 7 % 80), 16);
}

/* Where names of roofs would be. */
static void make_in_the_way(struct report_chart *chart)
{
    static const double beside[] = {5.3e12, 14e12};
    chart->roofs = all_of_gpu;
    for (size_t i = 0; i < 12; i++) {
        double intensity = 0.02 * pow(1.5, (double)(i / 2));
        add_case(chart, numbered("x", i), intensity * beside[i % 2], intensity, 177);
    }
}

static void make_one(struct report_chart *chart)
{
    chart->roofs = (struct roofs){gpu_roofs, 2};
    add_case(chart,
             "it's \"one\" `case`\nwith %s and a name of many, many words that go on and on, "
             "and_on_without_a_blank_for_a_long_time_so_that_it_can_not_be_broken_anywhere, "
             "and then some more of them until it ends",
             1e11, 0.1, 16);
}

static void make_no_roofs(struct report_chart *chart)
{
    chart->source = NULL;
    for (size_t i = 0; i < 5; i++)
        add_case(chart, numbered("x", i), 1e9 * (double)(i + 1), 2, NAN);
}

static void make_no_arithmetic(struct report_chart *chart)
{
    chart->roofs = (struct roofs){gpu_roofs, 2};
    for (size_t i = 0; i < 3; i++)
        add_case(chart, numbered("copy bytes", i), i == 1 ? 0 : NAN, i == 1 ? 0 : NAN, NAN);
}

static const struct {
    const char *name;
    void (*make)(struct report_chart *chart);
    size_t n_numbers; /* in the picture */
} pictures[] = {{"gpu", make_gpu, 30},
                {"many roofs", make_many_roofs, 20},
                {"crowd", make_crowd, 1}, /* at least: the first, which lists others */
                {"in the way", make_in_the_way, 12},
                {"one", make_one, 1},
                {"no roofs", make_no_roofs, 5},
                {"no arithmetic", make_no_arithmetic, 0},
                {"empty", NULL, 0}};

static const struct report *report_of(int picture)
{
    struct report *report = ARENA_NEW(&arena, struct report);
    struct report_chart *chart = ARENA_NEW(&arena, struct report_chart);
    *report = (struct report){.charts = chart, .n_charts = 1};
    chart->model = "Example GPU";
    chart->source = "run 1 of roofs.gbr, 2026-01-01 10:00:00 UTC";
    if (pictures[picture].make)
        pictures[picture].make(chart);
    return report;
}

static const char *picture_of_report(const struct report *report)
{
    struct plot_page page;
    report_page(report, &arena, &page);
    return views_picture(&page);
}

static const char *picture_of(int picture)
{
    return picture_of_report(report_of(picture));
}

/* ---- what is drawn, in pixels ---- */

enum { LETTERS_MAX = 8000, POINTS_MAX = 400, LABELS_MAX = 400 };
static const double ROUNDING = 0.11; /* of places, which are to a tenth */

struct spot {
    double x, y;
    int label; /* which it is a letter of */
};

struct drawing {
    double left, right, top, bottom;
    struct spot letters[LETTERS_MAX], points[POINTS_MAX];
    char labels[LABELS_MAX][200]; /* those inside of the axes */
    size_t n_letters, n_points, n_labels;
};

/* The element in which the series are; they count from its corner. */
static const char *read_axes(const char *picture, struct drawing *ret)
{
    const char *panel = strstr(picture, "<svg x=");
    double width, height;
    ck_assert_ptr_nonnull(panel);
    ck_assert_int_eq(sscanf(panel, "<svg x=\"%lf\" y=\"%lf\" width=\"%lf\" height=\"%lf\"",
                            &ret->left, &ret->top, &width, &height),
                     4);
    ret->right = ret->left + width;
    ret->bottom = ret->top + height;
    return panel;
}

static void read_label(const char *line, struct drawing *ret)
{
    static const double BASELINE = 4; /* below the middle of level words */
    char words[200] = "", side[16] = "", head[200];
    double x, y, degrees = 0;
    if (sscanf(line, "<text %199[^>]>%199[^<]", head, words) != 2 ||
        sscanf(head, "x=\"%lf\" y=\"%lf\"", &x, &y) != 2)
        return;
    const char *anchor = strstr(head, "text-anchor=\""), *turned = strstr(head, "rotate(");
    if (anchor)
        sscanf(anchor, "text-anchor=\"%15[a-z]", side);
    if (turned)
        sscanf(turned, "rotate(%lf", &degrees);
    y -= turned ? 0 : BASELINE;
    if (x < ret->left || x > ret->right || y < ret->top || y > ret->bottom)
        return;
    size_t n = text_columns(words);
    double angle = -degrees * acos(-1) / 180;
    double begin = strcmp(side, "end") == 0      ? -7.0 * (double)n
                   : strcmp(side, "middle") == 0 ? -3.5 * (double)n
                                                 : 0;
    snprintf(ret->labels[ret->n_labels], sizeof *ret->labels, "%s", words);
    for (size_t i = 0; i < n; i++) {
        double along = begin + 7 * ((double)i + 0.5);
        ck_assert_uint_lt(ret->n_letters, LETTERS_MAX);
        ret->letters[ret->n_letters++] = (struct spot){x + along * cos(angle),
                                                       y - along * sin(angle), (int)ret->n_labels};
    }
    ck_assert_uint_lt(++ret->n_labels, LABELS_MAX);
}

/* Marks: circles and squares are ends of lines of no length, triangles and diamonds begin at their
 * tops. */
static void read_points(const char *path, struct drawing *ret)
{
    const char *end = strchr(strstr(path, " d=\"") + 4, '"');
    for (const char *at = path; (at = memchr(at, 'M', (size_t)(end - at))); at++) {
        double x, y, across;
        char next = 0;
        ck_assert_int_eq(sscanf(at, "M%lf %lf", &x, &y), 2);
        if (sscanf(at, "M%*f %*fl%lf %*f%c", &across, &next) == 2)
            y += next == 'h' ? 1.15 * across / 1.1 : across;
        ret->points[ret->n_points++] = (struct spot){ret->left + x, ret->top + y, -1};
    }
}

static struct drawing *drawing_of(const char *picture)
{
    static const char *const marks[] = {"<path class=\"dot ", "<path class=\"box ",
                                        "<path class=\"fill "};
    struct drawing *ret = ARENA_NEW(&arena, struct drawing);
    const char *panel = read_axes(picture, ret), *end = strstr(panel, "</svg>");
    for (const char *at = picture; (at = strstr(at, "<text ")); at++)
        read_label(at, ret);
    for (const char *at = panel; (at = strstr(at, "<path ")) && at < end; at++)
        for (size_t i = 0; i < N_OF(marks); i++)
            if (strncmp(at, marks[i], strlen(marks[i])) == 0)
                read_points(at, ret);
    return ret;
}

/* Labels that are numbers: "3", "3, 5", "3, 5, 6, 7, 8, 9 and 2 more". */
static size_t n_numbers_of(const struct drawing *drawing)
{
    size_t n = 0;
    for (size_t i = 0; i < drawing->n_labels; i++) {
        const char *end = drawing->labels[i] + strspn(drawing->labels[i], "0123456789, ");
        n += end > drawing->labels[i] && (!*end || strncmp(end, "and ", 4) == 0);
    }
    return n;
}

/* ---- tests ---- */

TEST_EACH(nothing_hides_anything, pictures)
{
    const struct drawing *drawing = drawing_of(picture_of(_i));
    const double half = 5;
    for (size_t i = 0; i < drawing->n_letters; i++) {
        const struct spot *letter = &drawing->letters[i];
        const char *words = drawing->labels[letter->label];
        ck_assert_msg(letter->x > drawing->left && letter->x < drawing->right &&
                          letter->y - half > drawing->top && letter->y + half < drawing->bottom,
                      "%s: %s is over the border", pictures[_i].name, words);
        for (size_t j = 0; j < drawing->n_points; j++)
            ck_assert_msg(hypot(letter->x - drawing->points[j].x,
                                letter->y - drawing->points[j].y) > 7 - ROUNDING,
                          "%s: %s is over a mark", pictures[_i].name, words);
        for (size_t j = 0; j < i; j++) {
            const struct spot *other = &drawing->letters[j];
            ck_assert_msg(
                other->label == letter->label || fabs(other->x - letter->x) >= 7 - ROUNDING ||
                    fabs(other->y - letter->y) >= 2 * half - ROUNDING,
                "%s: %s is over %s", pictures[_i].name, words, drawing->labels[other->label]);
        }
    }
    for (size_t i = 0; i < drawing->n_labels; i++)
        EXPECT_NO(drawing->labels[i], "\u2026"); /* names are whole */
    ck_assert_uint_ge(n_numbers_of(drawing), pictures[_i].n_numbers);
}

TEST(cases_have_one_number_and_a_shape_for_each_level)
{
    const char *picture = picture_of(0);
    const struct drawing *drawing = drawing_of(picture);
    ck_assert_uint_eq(n_numbers_of(drawing), 30);
    ck_assert_uint_eq(drawing->n_points, 12 + 30 + 20); /* ten of DRAM are beyond */
    EXPECT(picture, ">10 GFLOP/s</text>", ">100 GFLOP/s</text>",
           ">arithmetic intensity (FLOP/byte)</text>", "class=\"box c", "class=\"fill c",
           ">arrows: levels hardly used", "l-6 -3m6 3l-6 3", /* to those beyond; from L2 to DRAM: */
           "class=\"line grey\" stroke-width=\"0.7\"", ">10000</text>");
    EXPECT_NO(picture, ">100000</text>"); /* not to 1e6 */
    const char *joins = strstr(picture, "class=\"line grey\" stroke-width=\"0.7\"");
    const char *second = strchr(strchr(strstr(joins, " d=\"M"), 'L'), 'M'); /* after a gap */
    ck_assert(second < strchr(strchr(joins, 'M'), '"'));
}

TEST(roofs_of_a_level_share_a_name)
{
    const struct drawing *drawing = drawing_of(picture_of(0));
    const char *picture = picture_of(0);
    size_t n_dram = 0, n_l2 = 0;
    for (size_t i = 0; i < drawing->n_labels; i++) {
        n_dram += strstr(drawing->labels[i], "dram") != NULL;
        n_l2 += strcmp(drawing->labels[i], "l2_triad/copy 8.58\u201311.8 TB/s") == 0;
        if (strstr(drawing->labels[i], "dram"))
            EXPECT(drawing->labels[i], " 4.05\u20134.65 TB/s");
    }
    ck_assert_uint_eq(n_dram, 1);
    ck_assert_uint_eq(n_l2, 1);
    EXPECT(picture, ">dram_write 4.65 TB/s</text>", /* in the list each is named */
           "class=\"line c0\" opacity=\"0.6\"",
           "class=\"line c0\" stroke-width"); /* unused ones are faint */
}

TEST(cases_without_arithmetic_are_apart)
{
    const char *picture = picture_of(0);
    const char *head = strstr(picture, ">not in the picture, as they do no arithmetic:</text>");
    ck_assert_ptr_nonnull(head);
    EXPECT(head, ">copy bytes=0</text>");
    EXPECT_NO(head, ">gemm");
    EXPECT_NO(picture, ">31</text>"); /* they have no number */
    EXPECT(picture_of(6), ">not in the picture, as they do no arithmetic:</text>",
           ">there is nothing to draw</text>");
}

TEST(the_picture_grows_with_its_cases)
{
    struct report_chart chart = {.model = "", .source = NULL};
    struct report report = {.charts = &chart, .n_charts = 1};
    for (size_t i = 0; i < REPORT_CASES; i++)
        add_case(&chart, numbered("c", i), 1e9 * (double)(i + 1), 2 + (double)i, NAN);
    const char *picture = picture_of_report(&report);
    EXPECT(picture, ">c=79</text>");
    EXPECT_NO(picture, ">and ");
    for (size_t i = 0; i < 20; i++)
        add_case(&chart, numbered("d", i), 1e9 * (double)(i + 1), 300 + (double)i, NAN);
    picture = picture_of_report(&report);
    EXPECT(picture, ">and 20 more</text>");
    EXPECT_NO(picture, "d=0", ">81</text>");
    ck_assert_uint_eq(drawing_of(picture)->n_points, 100); /* marks they have */
}

TEST(long_names_take_more_lines)
{
    const char *picture = picture_of(4);
    EXPECT(picture, ">it&#39;s &quot;one&quot; `case`</text>", " words that",
           "\u2026</text>"); /* what cannot be broken is cut */
}

TEST_EACH(they_are_drawn, pictures)
{
    static const char *const kinds[] = {"svg", "png", "pdf"};
    struct plot_page page;
    struct gb_error error;
    report_page(report_of(_i), &arena, &page);
    for (int i = 0; i < 3; i++) {
        const char *file = arena_printf(&arena, "%s/roofline%d.%s",
                                        getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp", _i, kinds[i]);
        if (i == 1 + _i % 2)
            continue;
        if (plot_check(file, &error) != GB_OK)
            TEST_SKIP("rsvg-convert is missing");
        ck_assert_msg(plot_write(&page, file, &error) == GB_OK, "%s: %s", file, error.text);
        unlink(file);
    }
}
