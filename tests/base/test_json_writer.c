/* test_json_writer.c - core/base/json_writer.c: text, numbers and structure. */
#include "core/base/json_writer.h"
#include "tests/text_case.h"

static void add_json(char *words, uint32_t with, struct text *out)
{
    struct json_writer json = {.out = out};
    json_text(&json, NULL, words);
}

static const struct text_cases strings[] = {
    {{add_json, 0},
     {"plain -> \"plain\"", "a\"b\\c -> \"a\\\"b\\\\c\"",
      "\b\f\n\r\t\x01 -> \"\\b\\f\\n\\r\\t\\u0001\"", "\u00B1 \U0001F600 -> \"\u00B1 \U0001F600\"",
      "\xFF -> \"\uFFFD\"", "\xF4\x90\x80\x80 -> \"\uFFFD\uFFFD\uFFFD\uFFFD\""}},
};

TEST_TEXT_CASES(json_strings_are_escaped, strings)

TEST(json_is_put_together)
{
    CLEANUP(text_free) struct text out = {0};
    struct json_writer json = {.out = &out};
    json_open(&json, NULL, JSON_OBJECT);
    json_open(&json, "a", JSON_ARRAY);
    json_integer(&json, NULL, -1);
    json_real(&json, NULL, 0.1);
    json_real(&json, NULL, INFINITY);
    json_real(&json, NULL, NAN);
    json_close(&json, JSON_ARRAY);
    json_open(&json, "empty", JSON_OBJECT);
    json_close(&json, JSON_OBJECT);
    json_bool(&json, "yes", true);
    json_text(&json, "none", NULL);
    json_close(&json, JSON_OBJECT);
    ck_assert_str_eq(text_get(&out),
                     "{\"a\":[-1,0.1,null,null],\"empty\":{},\"yes\":true,\"none\":null}");
}

TEST(values_have_one_list_for_json_and_csv)
{
    CLEANUP(text_free) struct text out = {0}, line = {0};
    struct json_writer json = {.out = &out};
    const struct named_value values[] = {TEXT("t", "a,b"), TEXT("none", NULL), INTEGER("n", -1),
                                         REAL("r", 0.1),   REAL("nan", NAN),   BOOL("b", 2)};
    json_object(&json, NULL, values, 6);
    csv_values(&line, values, 6);
    ck_assert_str_eq(text_get(&out),
                     "{\"t\":\"a,b\",\"none\":null,\"n\":-1,\"r\":0.1,\"nan\":null,\"b\":true}");
    ck_assert_str_eq(text_get(&line), "\"a,b\",,-1,0.1,,1\n");
}
