/* test_json_reader.c - core/base/json_reader.c: tokens, texts, places of errors. */
#include "core/base/json_reader.h"
#include "tests/check_main.h"
#include "tests/text_case.h"

/* A letter for each token, in the order of the enum. */
static const char letters[] = ".{}[]ksntf0!";

static struct json_reader reader;
static char tokens[JSON_DEPTH_MAX + 30];

static void begin(const char *json)
{
    json_read_begin(&reader, "a.json", json, strlen(json));
}

static void tear_down(void)
{
    json_read_end(&reader);
}

TEST_FIXTURE(NULL, tear_down)

static void read_all(const char *json)
{
    size_t n = 0;
    enum json_token token;
    json_read_end(&reader);
    begin(json);
    do {
        token = json_read(&reader);
        tokens[n++] = letters[token];
    } while (token != JSON_END && token != JSON_BROKEN && n < sizeof tokens - 1);
    tokens[n] = 0;
}

/* The tokens, or the place of what is wrong. */
static void add_reading(char *json, uint32_t is_cut, struct text *out)
{
    read_all(json);
    if (!strchr(tokens, '!')) {
        text_add(out, tokens);
        return;
    }
    text_printf(out, "%u:%u: %s", reader.error.origin.line, reader.error.origin.column,
                reader.error.text);
    ck_assert_str_eq(reader.error.origin.file, "a.json");
    ck_assert_int_eq(reader.is_cut, is_cut);
    ck_assert_int_eq(json_read(&reader), JSON_BROKEN);
}

static void add_string(char *json, uint32_t with, struct text *out)
{
    begin(json);
    ck_assert_int_eq(json_read(&reader), JSON_STRING);
    text_add(out, text_get(&reader.text));
    ck_assert_int_eq(json_read(&reader), JSON_END);
    json_read_end(&reader);
}

#define CUT "the file ends early: expected "
#define BROKEN "invalid JSON: expected "
static const struct text_cases readings[] = {
    {{add_reading, false},
     {"{} -> {}.", " [ ]  -> [].", "[1, -2.5e+3, \"a\", true, false, null] -> [nnstf0].",
      "{\"a\": {\"b\": [[], {}]}, \"c\": 0} -> {k{k[[]{}]}kn}.",
      "[NaN, Infinity, -Infinity] -> [nnn].", "12 -> n."}},
    {{add_reading, true},
     {" -> 1:1: " CUT "a value", "[1,\n 2 -> 2:3: " CUT "',' or ']'",
      "[\"a -> 1:4: " CUT "a string that is closed",
      "[\"a\\ -> 1:5: " CUT "a string that is closed"}},
    {{add_reading, false},
     {"[1 2] -> 1:4: " BROKEN "',' or ']'", "[1,] -> 1:4: " BROKEN "a value",
      "{\"a\" 1} -> 1:6: " BROKEN "':'", "{\"a\": 1,} -> 1:9: " BROKEN "a name in quotes",
      "{a: 1} -> 1:2: " BROKEN "a name in quotes", "[1} -> 1:3: " BROKEN "',' or ']'",
      "{} {} -> 1:4: " BROKEN "the end", "[01] -> 1:2: " BROKEN "a value",
      "[1.] -> 1:2: " BROKEN "a value", "[\"\\x\"] -> 1:5: " BROKEN "a string that is closed",
      "[\"\\u12g4\"] -> 1:5: " BROKEN "a string that is closed",
      "[\"a\nb\"] -> 1:4: " BROKEN "a string that is closed"}},
    {{add_string, 0},
     {"\"plain\" -> plain", "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\" -> \"\\/\b\f\n\r\t",
      "\"\\u0041\\u00e4\\u20AC\\ud83d\\ude00\" -> A\xC3\xA4\xE2\x82\xAC\xF0\x9F\x98\x80",
      "\"\\ud83dx\\u0000\" -> \xEF\xBF\xBDx\xEF\xBF\xBD"}},
};

TEST_TEXT_CASES(tokens_come_in_order, readings)

TEST(numbers_keep_how_they_were_written)
{
    begin("[1.50, NaN]");
    json_read(&reader);
    ck_assert_int_eq(json_read(&reader), JSON_NUMBER);
    ck_assert_double_eq(reader.number, 1.5);
    ck_assert_str_eq(text_get(&reader.text), "1.50");
    ck_assert_int_eq(json_read(&reader), JSON_NUMBER);
    ck_assert(isnan(reader.number));
}

TEST(values_are_skipped_whole)
{
    begin("{\"a\": [{\"b\": [1, 2]}, 3], \"c\": 4}");
    json_read(&reader);
    json_read(&reader);
    ck_assert(json_skip(&reader, json_read(&reader)));
    ck_assert_int_eq(json_read(&reader), JSON_KEY);
    ck_assert_str_eq(text_get(&reader.text), "c");
    ck_assert(json_skip(&reader, json_read(&reader)));
    ck_assert_int_eq(json_read(&reader), JSON_OBJECT_END);
}

TEST(nesting_ends)
{
    char json[JSON_DEPTH_MAX + 2];
    memset(json, '[', sizeof json);
    json[sizeof json - 1] = 0;
    read_all(json);
    ck_assert_uint_eq(strlen(tokens), JSON_DEPTH_MAX + 1);
    ck_assert_str_eq(reader.error.text, "invalid JSON: expected less nesting");
}
