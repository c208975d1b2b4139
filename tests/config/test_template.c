/* test_template.c - expressions in the texts of options: what they become, where a byte of it was
 * written, what is reported of errors. */
#include "tests/config/case_fixture.h"
#include "tests/text_case.h"

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

enum { READS_N = 1, READS_HALF = 2 };

static void add_expansion(char *text, uint32_t reads, struct text *out)
{
    struct text_map map;
    const char *expanded = expand(text, &map);
    if (expanded) {
        text_add(out, expanded);
        ck_assert_int_eq(is_read[0], reads & READS_N ? 1 : 0);
        ck_assert_int_eq(is_read[1], reads & READS_HALF ? 1 : 0);
    } else {
        ck_assert_uint_eq(error.origin.line, 3);
        text_printf(out, "%u: %s", error.origin.column, error.text);
    }
}

#define NO_END "'{' without '}': expected {EXPRESSION}, or {{ for a brace"
#define NOTHING "{} is empty: expected {EXPRESSION}, or {{ for a brace"
static const struct text_cases expansions[] = {
    {{add_expansion, 0}, {" -> ", "plain -> plain", "{{n}} -> {n}", "{name} -> x}y"}},
    {{add_expansion, READS_N},
     {"{n} -> 12", "{ n + 1 }{n} -> 1312", "{{{n}}} -> {12}", "{'}' || n}! -> }12!",
      "{'it''s }' || n} -> it's }12", "{\"n\"} -> 12",
      "buffer({4 * n}, fill=0) -> buffer(48, fill=0)"}},
    {{add_expansion, READS_N | READS_HALF}, {"a{n*2}b{half} -> a24b0.5"}},
    {{add_expansion, 0},
     {"abc{n -> 13: " NO_END, "{'} -> 10: " NO_END,
      "ab} -> 12: '}' without '{': expected {EXPRESSION}, or }} for a brace",
      "a{}b -> 11: " NOTHING, "a{ }b -> 11: " NOTHING,
      "{n}{nn} -> 14: unknown name 'nn'; did you mean 'n'?",
      "ab{n}{n / 0} -> 15: gives no value (NULL): expected a number or a text"}},
};

TEST_TEXT_CASES(expansion, expansions)

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
