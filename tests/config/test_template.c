/* test_template.c - expressions in the texts of options: what they become, where a byte of it was
 * written, what is reported of errors; alone and in a configuration. */
#include "tests/config/case_fixture.h"

#include "core/config/template.h"

static const struct expression_column columns[] = {
    {"n", {.type = GB_TYPE_INT, .integer = 12, .number = 12, .text = "12"}},
    {"name", {.type = GB_TYPE_STRING, .text = "x}y"}},
    {"half", {.type = GB_TYPE_FLOAT, .number = 0.5, .text = "0.5"}},
};
enum { N_COLUMNS = sizeof columns / sizeof columns[0] };
static const struct origin begin = {"f", 3, 10};

static struct gb_error error;
static bool is_read[2]; /* n, half */

/* The text that a template becomes; NULL: it is refused, or has no value. */
static const char *expand(const char *written, struct text_map *ret_map)
{
    struct expression_engine *engine;
    struct template *template = NULL;
    const char *text = NULL;
    ck_assert_int_eq(expression_engine_new(&engine, &error), GB_OK);
    int32_t status = template_compile(engine, written, begin, columns, N_COLUMNS, &cases, &template,
                                      &error);
    ck_assert((status == GB_OK) == (template != NULL));
    if (status == GB_OK) {
        is_read[0] = template_reads(template, "n");
        is_read[1] = template_reads(template, "half");
        status = template_expand(template, columns, &cases, &text, ret_map, &error);
    }
    ck_assert(status == GB_OK || status == GB_INVALID);
    template_free(template);
    expression_engine_free(engine);
    return status == GB_OK ? text : NULL;
}

static const struct {
    const char *text, *expanded;
    bool reads_n, reads_half;
} expansions[] = {
    {"", "", false, false},
    {"plain", "plain", false, false},
    {"{n}", "12", true, false},
    {"a{n*2}b{half}", "a24b0.5", true, true},
    {"{ n + 1 }{n}", "1312", true, false},
    {"{{n}}", "{n}", false, false},
    {"{{{n}}}", "{12}", true, false},
    {"{name}", "x}y", false, false},
    {"{'}' || n}!", "}12!", true, false},
    {"{'it''s }' || n}", "it's }12", true, false},
    {"{\"n\"}", "12", true, false},
    {"buffer({4 * n}, fill=0)", "buffer(48, fill=0)", true, false},
};

TEST_EACH(test_expansion, expansions)
{
    struct text_map map;
    ck_assert_pstr_eq(expand(expansions[_i].text, &map), expansions[_i].expanded);
    ck_assert_int_eq(is_read[0], expansions[_i].reads_n);
    ck_assert_int_eq(is_read[1], expansions[_i].reads_half);
}

static const struct {
    const char *text;
    uint32_t column;
    const char *words;
} mistakes[] = {
    {"abc{n", 13, "'{' without '}': expected {EXPRESSION}, or {{ for a brace"},
    {"{'}", 10, "'{' without '}': expected {EXPRESSION}, or {{ for a brace"},
    {"ab}", 12, "'}' without '{': expected {EXPRESSION}, or }} for a brace"},
    {"a{}b", 11, "{} is empty: expected {EXPRESSION}, or {{ for a brace"},
    {"a{ }b", 11, "{} is empty: expected {EXPRESSION}, or {{ for a brace"},
    {"{n}{nn}", 14, "unknown name 'nn'; did you mean 'n'?"},
    {"ab{n}{n / 0}", 15, "gives no value (NULL): expected a number or a text"},
};

TEST_EACH(test_mistakes, mistakes)
{
    struct text_map map;
    ck_assert_ptr_null(expand(mistakes[_i].text, &map));
    ck_assert_str_eq(error.text, mistakes[_i].words);
    ck_assert_uint_eq(error.origin.line, 3);
    ck_assert_uint_eq(error.origin.column, mistakes[_i].column);
}

/* "a{n*2}b{half}" is "a24b0.5": each byte of the second leads to one of the first. */
TEST(test_places)
{
    static const struct gb_option map_option = {.size = sizeof map_option, .type = GB_TYPE_MAP};
    static const struct {
        size_t offset;
        uint32_t column;
    } places[] = {{0, 10}, {1, 11}, {2, 11}, {3, 16}, {4, 17}, {6, 17}, {100, 17}};
    struct setting_source source = {.written = "a{n*2}b{half}"};
    struct setting setting = {"arg.1", expand(source.written, &source.map), begin};
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++)
        ck_assert_uint_eq(setting_place(&setting, &source, &map_option, places[i].offset).column,
                          places[i].column);
}

TEST(test_places_in_quotes)
{
    static const struct gb_option text_option = {.size = sizeof text_option,
                                                 .type = GB_TYPE_STRING};
    static const struct gb_option map_option = {.size = sizeof map_option, .type = GB_TYPE_MAP};
    struct setting_source source = {.written = "\"a\\\"b\""};
    struct setting setting = {"label", "a\"b", begin};
    ck_assert_uint_eq(setting_place(&setting, &source, &text_option, 0).column, 11);
    ck_assert_uint_eq(setting_place(&setting, &source, &text_option, 2).column, 14);
    ck_assert_uint_eq(setting_place(&setting, &source, &map_option, 2).column, 12);
    source.written = NULL;
    ck_assert_uint_eq(setting_place(&setting, &source, &text_option, 1).column, 11);
}

/* ---- in a configuration ---- */

#define TEXTS "[bench b]\nplugin = texts\n"

static const struct {
    const char *text;
    const char *made; /* key=text of all settings, after a blank, a line for each case */
} configurations[] = {
    {TEXTS "title = plain\n", " title=plain\n"},
    {TEXTS "title = n is {n}\nsweep.n = 1, 2\n", " title=n is 1\n title=n is 2\n"},
    {TEXTS "title = \" {n} \"\nsweep.n = 7\n", " title=\" 7 \"\n"},
    {TEXTS "arg.1 = f({k})\nsweep.n = 2\nlet.k = n * n\n", " arg.1=f(4)\n"},
    {TEXTS "arg.1 = \"{n}\"\nsweep.n = 2\n", " arg.1=\"2\"\n"},
    {TEXTS "sweep.arg.1 = x{n}, \"g(1, {n + 1})\", z\nsweep.n = 5\n",
     " arg.1=x5\n arg.1=g(1, 6)\n arg.1=z\n"},
    {TEXTS "zip.z = n,title: 1,a{n} | 2,b\n", " title=a1\n title=b\n"},
    {TEXTS "title = {count}\ncount = 3\n", " count=3 title=3\n"},
    /* what a formula makes is no template */
    {TEXTS "let.title = '{n}'\n", " title={n}\n"},
    /* nor is an option that does not say so */
    {TEXTS "raw = {n}\n", " raw={n}\n"},
};

TEST_EACH(test_configurations, configurations)
{
    struct text made = {0};
    load_sound(configurations[_i].text);
    for (uint64_t i = 0; i < sweep_size(loaded.sweep); i++) {
        struct bench_case bench_case = case_of(&loaded, i);
        add_facts(&bench_case, "settings", &made);
        text_add(&made, "\n");
    }
    expect_text(&made, configurations[_i].made);
}

static const struct {
    const char *text, *words;
} refused[] = {
    {TEXTS "title = a{b}\n",
     "3:11: title: unknown name 'b': expected an option or a variable, or a "
     "text in single quotes\n"},
    {TEXTS "title = \"a{\"\n", "3:11: title: '{' without '}': expected {EXPRESSION}, or {{ for a "
                               "brace\n"},
    {TEXTS "arg.x = }\n",
     "3:9: arg.x: '}' without '{': expected {EXPRESSION}, or }} for a brace\n"},
    {TEXTS "sweep.arg.1 = a, {n\n",
     "3:18: arg.1: '{' without '}': expected {EXPRESSION}, or {{ for a brace\n"},
    {TEXTS "title = {1 / n}\nsweep.n = 0, 1, 0\n",
     "3:9: title: in case 'b n=0': gives no value (NULL): expected a number or a text (and in 1 "
     "more "
     "case)\n"},
    /* a variable must be of use */
    {TEXTS "sweep.n = 1\ntitle = n\n", "3:1: unknown key 'sweep.n' in [bench b]: see 'gbrun help "
                                       "texts' for its options\n"},
};

TEST_EACH(test_refused, refused)
{
    load(&loaded, refused[_i].text);
    ck_assert_ptr_null(loaded.sweep);
    ck_assert_str_eq(text_get(&loaded.words), refused[_i].words);
}

/* The values in a text belong to the identity of a case, the names of variables do not. */
TEST(test_identity)
{
    static const char *const texts[] = {TEXTS "title = {n}\nsweep.n = 2\n",
                                        TEXTS "title = {m}\nsweep.m = 2\n", TEXTS "title = 2\n",
                                        TEXTS "title = {n}\nsweep.n = 3\n"};
    char uids[4][CASE_UID_TEXT];
    for (size_t i = 0; i < 4; i++) {
        load_sound(texts[i]);
        struct bench_case bench_case = case_of(&loaded, 0);
        bench_case_uid(&bench_case, "", uids[i]);
        forget();
    }
    ck_assert_str_eq(uids[0], uids[1]);
    ck_assert_str_eq(uids[0], uids[2]);
    ck_assert_str_ne(uids[0], uids[3]);
}

/* What is recorded is the text as it was written: variables tell the cases apart. */
TEST(test_parameters)
{
    struct text found = {0};
    load_sound(TEXTS "title = a{n}\nraw = {n}\nsweep.n = 2\n");
    struct bench_case bench_case = case_of(&loaded, 0);
    add_facts(&bench_case, "parameters", &found);
    expect_text(&found, " count:1:di title:a{n}:i:a2 raw:{n}:i n:2:av");
}

/* Sections and their cases, whatever the order in which these are measured. */
TEST(test_parts)
{
    load(&loaded, "[gbrun]\norder = shuffled\n[bench a]\nplugin = texts\nsweep.count = 1:20\n"
                  "[bench c]\nplugin = nop\n");
    ck_assert_uint_eq(sweep_parts(loaded.sweep), 2);
    struct sweep_part part = sweep_part(loaded.sweep, 0);
    ck_assert_str_eq(part.name, "a");
    ck_assert_uint_eq(part.origin.line, 3);
    ck_assert_uint_eq(part.n, 20);
    for (uint64_t i = 0; i < part.n; i++) {
        struct bench_case bench_case;
        ck_assert_int_eq(sweep_case_at(loaded.sweep, part.first + i, &cases, &bench_case, &error),
                         GB_OK);
        ck_assert_str_eq(bench_case.settings[0].text, arena_printf(&cases, "%d", (int)i + 1));
        ck_assert_str_eq(bench_case.folder, "/conf");
    }
    part = sweep_part(loaded.sweep, 1);
    ck_assert_uint_eq(part.first, 20);
    ck_assert_uint_eq(part.n, 1);
}
