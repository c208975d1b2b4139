/* test_json_reader.c - core/base/json_reader.c: tokens, texts, places of errors. */
#include "core/base/json_reader.h"
#include "tests/check_main.h"

#include <math.h>
#include <string.h>

/* A letter for each token, in the order of the enum. */
static const char letters[] = ".{}[]ksntf0!";

static void read_all(const char *json, char *ret, struct json_reader *reader)
{
    size_t n = 0;
    enum json_token token;
    json_read_begin(reader, "a.json", json, strlen(json));
    do {
        token = json_read(reader);
        ret[n++] = letters[token];
    } while (token != JSON_END && token != JSON_BROKEN && n < 90);
    ret[n] = 0;
}

static const struct {
    const char *json, *tokens;
} wholes[] = {
    {"{}", "{}."},
    {" [ ] ", "[]."},
    {"[1, -2.5e+3, \"a\", true, false, null]", "[nnstf0]."},
    {"{\"a\": {\"b\": [[], {}]}, \"c\": 0}", "{k{k[[]{}]}kn}."},
    {"[NaN, Infinity, -Infinity]", "[nnn]."},
    {"12", "n."},
};

TEST_EACH(tokens_come_in_order, wholes)
{
    char tokens[100];
    struct json_reader reader;
    read_all(wholes[_i].json, tokens, &reader);
    ck_assert_str_eq(tokens, wholes[_i].tokens);
    json_read_end(&reader);
}

static const struct {
    const char *json, *text;
    uint32_t line, column;
    bool is_cut;
} broken[] = {
    {"", "the file ends early: expected a value", 1, 1, true},
    {"[1,\n 2", "the file ends early: expected ',' or ']'", 2, 3, true},
    {"[1 2]", "no valid JSON: expected ',' or ']'", 1, 4, false},
    {"[1,]", "no valid JSON: expected a value", 1, 4, false},
    {"{\"a\" 1}", "no valid JSON: expected ':'", 1, 6, false},
    {"{\"a\": 1,}", "no valid JSON: expected a name in quotes", 1, 9, false},
    {"{a: 1}", "no valid JSON: expected a name in quotes", 1, 2, false},
    {"[1}", "no valid JSON: expected ',' or ']'", 1, 3, false},
    {"{} {}", "no valid JSON: expected the end", 1, 4, false},
    {"[01]", "no valid JSON: expected a value", 1, 2, false},
    {"[1.]", "no valid JSON: expected a value", 1, 2, false},
    {"[\"\\x\"]", "no valid JSON: expected a string that is closed", 1, 5, false},
    {"[\"\\u12g4\"]", "no valid JSON: expected a string that is closed", 1, 5, false},
    {"[\"a", "the file ends early: expected a string that is closed", 1, 4, true},
    {"[\"a\\", "the file ends early: expected a string that is closed", 1, 5, true},
    {"[\"a\nb\"]", "no valid JSON: expected a string that is closed", 1, 4, false},
};

TEST_EACH(errors_have_a_place, broken)
{
    char tokens[100];
    struct json_reader reader;
    read_all(broken[_i].json, tokens, &reader);
    ck_assert_int_eq(tokens[strlen(tokens) - 1], '!');
    ck_assert_str_eq(reader.error.text, broken[_i].text);
    ck_assert_str_eq(reader.error.origin.file, "a.json");
    ck_assert_uint_eq(reader.error.origin.line, broken[_i].line);
    ck_assert_uint_eq(reader.error.origin.column, broken[_i].column);
    ck_assert_int_eq(reader.is_cut, broken[_i].is_cut);
    ck_assert_int_eq(json_read(&reader), JSON_BROKEN);
    json_read_end(&reader);
}

TEST(strings_are_decoded)
{
    static const struct {
        const char *json, *text;
    } strings[] = {
        {"\"plain\"", "plain"},
        {"\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", "\"\\/\b\f\n\r\t"},
        {"\"\\u0041\\u00e4\\u20AC\\ud83d\\ude00\"", "A\xC3\xA4\xE2\x82\xAC\xF0\x9F\x98\x80"},
        {"\"\\ud83dx\\u0000\"", "\xEF\xBF\xBDx\xEF\xBF\xBD"},
    };
    struct json_reader reader;
    for (size_t i = 0; i < sizeof strings / sizeof *strings; i++) {
        json_read_begin(&reader, "", strings[i].json, strlen(strings[i].json));
        ck_assert_int_eq(json_read(&reader), JSON_STRING);
        ck_assert_str_eq(text_get(&reader.text), strings[i].text);
        ck_assert_int_eq(json_read(&reader), JSON_END);
        json_read_end(&reader);
    }
}

TEST(numbers_keep_how_they_were_written)
{
    struct json_reader reader;
    const char *json = "[1.50, NaN]";
    json_read_begin(&reader, "", json, strlen(json));
    json_read(&reader);
    ck_assert_int_eq(json_read(&reader), JSON_NUMBER);
    ck_assert_double_eq(reader.number, 1.5);
    ck_assert_str_eq(text_get(&reader.text), "1.50");
    ck_assert_int_eq(json_read(&reader), JSON_NUMBER);
    ck_assert(isnan(reader.number));
    json_read_end(&reader);
}

TEST(values_are_skipped_whole)
{
    struct json_reader reader;
    const char *json = "{\"a\": [{\"b\": [1, 2]}, 3], \"c\": 4}";
    json_read_begin(&reader, "", json, strlen(json));
    json_read(&reader);
    json_read(&reader);
    ck_assert(json_skip(&reader, json_read(&reader)));
    ck_assert_int_eq(json_read(&reader), JSON_KEY);
    ck_assert_str_eq(text_get(&reader.text), "c");
    ck_assert(json_skip(&reader, json_read(&reader)));
    ck_assert_int_eq(json_read(&reader), JSON_OBJECT_END);
    json_read_end(&reader);
}

TEST(nesting_ends)
{
    char json[JSON_DEPTH_MAX + 2], tokens[100];
    struct json_reader reader;
    memset(json, '[', sizeof json);
    json[sizeof json - 1] = 0;
    read_all(json, tokens, &reader);
    ck_assert_uint_eq(strlen(tokens), JSON_DEPTH_MAX + 1);
    ck_assert_str_eq(reader.error.text, "no valid JSON: expected less nesting");
    json_read_end(&reader);
}
