/* test_utf8.c - core/base/utf8.c: which bytes are a code point, and what writers make of others. */
#include "core/base/json_writer.h"
#include "core/base/memory.h"
#include "core/base/plain_text.h"
#include "core/base/table.h"
#include "tests/check_main.h"

static const struct {
    size_t length;
    const char *sequences[12];
} sequences[] = {
    /* the first and the last code point of each length, and what follows them */
    {1, {"\x01", "\x7F", "AB"}},
    {2, {"\xC2\x80", "\xDF\xBF"}},
    {3, {"\xE0\xA0\x80", "\xEF\xBF\xBF"}},
    {4, {"\xF0\x90\x80\x80", "\xF4\x8F\xBF\xBF", "\xF3\xBF\xBF\xBFx"}},
    {0, {""}},
    /* overlong: / in two, three and four bytes, and the last that would have fitted in one less */
    {0,
     {"\xC0\xAF", "\xC1\xBF", "\xE0\x80\xAF", "\xE0\x9F\xBF", "\xF0\x80\x80\xAF",
      "\xF0\x8F\xBF\xBF"}},
    /* surrogates, and their neighbours */
    {0, {"\xED\xA0\x80", "\xED\xAF\xBF", "\xED\xB0\x80", "\xED\xBF\xBF"}},
    {3, {"\xED\x9F\xBF", "\xEE\x80\x80"}},
    /* beyond U+10FFFF, and first bytes that nothing begins with */
    {0,
     {"\xF4\x90\x80\x80", "\xF5\x80\x80\x80", "\xF8\x88\x80\x80\x80", "\xFE", "\xFF", "\x80",
      "\xBF"}},
    /* cut off, by the end or by what follows */
    {0,
     {"\xC2", "\xE2\x82", "\xF0\x9F\x98",
      "\xC2"
      "A",
      "\xE2\x82"
      "A",
      "\xE2"
      "A\xAC",
      "\xF0\x9F\x98\xC0", "\xC2\xC0", "\xC2\x7F"}},
};

/* In memory of its own size, where a sanitizer sees each byte that is read beyond it. */
TEST_EACH(sequence, sequences)
{
    for (const char *const *given = sequences[_i].sequences; *given; given++) {
        size_t n = strlen(*given);
        char *bytes = malloc(n ? n : 1);
        memcpy(bytes, *given, n);
        ck_assert_msg(utf8_length(bytes, n) == sequences[_i].length, "'%s'", *given);
        free(bytes);
    }
    ck_assert_uint_eq(utf8_length("", 1), 1);
}

static bool steers_a_terminal(uint32_t point)
{
    return point < 0x20 || (point >= 0x7F && point < 0xA0) ||
           (point >= 0x2028 && point <= 0x202E) || (point >= 0x2066 && point <= 0x2069);
}

/* As RFC 3629 writes it in bits, for all code points and what is next to them: which are valid, and
 * of these plain text. */
TEST(every_code_point)
{
    for (uint32_t point = 0; point <= 0x110000; point++) {
        bool is_valid = point < 0xD800 || (point > 0xDFFF && point <= 0x10FFFF);
        size_t n = point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
        static const unsigned char leads[] = {0, 0, 0xC0, 0xE0, 0xF0};
        char bytes[5] = {0};
        for (size_t i = 1; i < n; i++)
            bytes[i] = (char)(0x80 | (point >> 6 * (n - 1 - i) & 0x3F));
        bytes[0] = (char)(leads[n] | point >> 6 * (n - 1));
        ck_assert_uint_eq(utf8_length(bytes, SIZE_MAX), is_valid ? n : 0);
        ck_assert_uint_eq(utf8_length(bytes, n - 1), 0);
        ck_assert_uint_eq(plain_length(bytes, SIZE_MAX),
                          is_valid && !steers_a_terminal(point) ? n : 0);
    }
}

/* A control character, a cut-off sequence, an overlong one, a surrogate; then sound text. */
#define BROKEN "a\x01|\"\xE2\x82,\xC0\xAF\xED\xA0\x80\u00B5"
#define BOX "\uFFFD"
#define REPAIRED(bar, quote) "a" BOX bar quote BOX BOX "," BOX BOX BOX BOX BOX "\u00B5"

TEST(writers_replace_what_is_not_utf8)
{
    CLEANUP(text_free) struct text csv = {0}, json_text_out = {0}, line = {0}, markdown = {0};
    struct json_writer json = {.out = &json_text_out};
    struct table table = {0};
    text_add_csv(&csv, BROKEN, true);
    ck_assert_str_eq(text_get(&csv), "\"" REPAIRED("|", "\"\"") "\"");
    json_text(&json, NULL, BROKEN);
    ck_assert_str_eq(text_get(&json_text_out),
                     "\"a\\u0001|\\\"" BOX BOX "," BOX BOX BOX BOX BOX "\u00B5\"");
    text_add_line(&line, "1\n\t2\x7F"
                         "3\xFF"
                         "4\xC2\x9B"
                         "5\xC2");
    ck_assert_str_eq(text_get(&line), "1  2" BOX "3" BOX "4" BOX "5" BOX);
    table_column(&table, BROKEN, false);
    table_column(&table, "n", true);
    table_row(&table);
    table_cell(&table, "............");
    table_cell(&table, "\xFF|");
    table_write(&table, TABLE_MARKDOWN, &markdown);
    ck_assert_uint_eq(text_columns(BROKEN), 13);
    ck_assert_str_eq(text_get(&markdown),
                     "| " REPAIRED("\\|", "\"") " |   n |\n"
                                                "| -------------- | --: |\n"
                                                "| ............   | " BOX "\\| |\n");
    table_free(&table);
}
