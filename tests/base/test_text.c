/* test_text.c - core/base/text.c: growing text, near misses, numbers for people. */
#include "core/base/memory.h"
#include "core/base/text.h"
#include "tests/check_main.h"
#include "tests/text_case.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(array) (int)(sizeof(array) / sizeof((array)[0]))

TEST(empty_text_is_usable)
{
    struct text text = {0};
    ck_assert_str_eq(text_get(&text), "");
    text_clear(&text);
    text_free(&text);
    text_add(&text, "");
    ck_assert_str_eq(text_get(&text), "");
    ck_assert_uint_eq(text.length, 0);
    text_free(&text);
}

TEST(text_grows)
{
    CLEANUP(text_free) struct text text = {0};
    for (int i = 0; i < 1000; i++)
        text_printf(&text, "%03d,", i);
    ck_assert_uint_eq(text.length, 4000);
    ck_assert_uint_eq(strlen(text_get(&text)), 4000);
    ck_assert_str_eq(text_get(&text) + 3996, "999,");
    text_clear(&text);
    ck_assert_str_eq(text_get(&text), "");
    text_add_n(&text, "abcdef", 3);
    text_pad(&text, '.', 4);
    text_add(&text, "x");
    ck_assert_str_eq(text_get(&text), "abc....x");
}

TEST(formatted_text_of_any_length)
{
    char letters[5001];
    memset(letters, 'y', 5000);
    letters[5000] = 0;
    struct text text = {0};
    text_printf(&text, "<%s>%s", letters, "");
    ck_assert_uint_eq(text.length, 5002);
    ck_assert_int_eq(text.data[5001], '>');
    text_free(&text);
}

TEST(comparisons)
{
    ck_assert(text_equal("a", "a") && !text_equal("a", "A"));
    ck_assert(text_starts_with("sweep.x", "sweep.") && text_starts_with("a", ""));
    ck_assert(!text_starts_with("sw", "sweep."));
    ck_assert(text_ends_with("a.csv", ".csv") && text_ends_with("a", ""));
    ck_assert(!text_ends_with("csv", ".csv"));
}

/* Vectors of draft-eastlake-fnv, whose "a\\0" has the end that we include. */
TEST(hashes)
{
    ck_assert_uint_eq(hash_number(HASH_START, 'a'), UINT64_C(0xAF63DC4C8601EC8C));
    ck_assert_uint_eq(hash_text(HASH_START, "a"), UINT64_C(0x089BE207B544F1E4));
    ck_assert_uint_eq(hash_text(HASH_START, "foobar"), UINT64_C(0x34531CA7168B8F38));
    ck_assert_uint_ne(hash_text(hash_text(HASH_START, "ab"), "c"),
                      hash_text(hash_text(HASH_START, "a"), "bc"));
}

TEST(columns_are_code_points)
{
    ck_assert_uint_eq(text_columns(""), 0);
    ck_assert_uint_eq(text_columns("abc"), 3);
    ck_assert_uint_eq(text_columns("\xC2\xB5s \xC2\xB1"), 4);
}

static const struct {
    const char *a, *b;
    size_t limit, distance;
} distances[] = {
    {"", "", 2, 0},
    {"abc", "abc", 0, 0},
    {"abc", "abd", 2, 1},
    {"abc", "ab", 2, 1},
    {"", "abc", 5, 3},
    {"abc", "", 5, 3},
    {"streams", "strmeas", 2, 2},
    {"streams", "steams", 2, 1},
    {"ab", "ba", 2, 1},
    {"kitten", "sitting", 5, 3},
    {"kitten", "sitting", 2, 3},
    {"kitten", "sitting", 1, 2},
    {"0123456789012345678901234567890123456789012345678901234567890123",
     "0123456789012345678901234567890123456789012345678901234567890123", 1, 0},
    {"01234567890123456789012345678901234567890123456789012345678901234",
     "01234567890123456789012345678901234567890123456789012345678901234", 1, 2},
};

TEST_EACH(distance, distances)
{
    ck_assert_uint_eq(text_distance(distances[_i].a, distances[_i].b, distances[_i].limit),
                      distances[_i].distance);
}

static const char *name_at(const void *table, size_t i)
{
    return ((const char *const *)table)[i];
}

static const char *const names[] = {"rows", "cols", "streams", "stream", "m", "block"};
static const struct {
    const char *word, *nearest;
} nearest[] = {
    {"stream", "stream"}, {"sterams", "streams"}, {"row", "rows"},     {"rowss", "rows"},
    {"rws", "rows"},      {"xyz", NULL},          {"blok", "block"},   {"bk", NULL},
    {"n", "m"},           {"problems", NULL},     {"strea", "stream"},
};

TEST_EACH(nearest_name, nearest)
{
    const char *found = text_nearest(nearest[_i].word, COUNT(names), name_at, names);
    ck_assert_pstr_eq(found, nearest[_i].nearest);
    ck_assert_ptr_null(text_nearest("rows", 0, name_at, names));
}

/* "number -> text": as it is read back, and for people. */
enum number_kind { READ_BACK, TIME, RATE, SIZE };

static const struct {
    struct {
        enum number_kind kind;
        const char *unit;
        int digits;
    } as;
    const char *cases[19];
} numbers[] = {
    {{READ_BACK, "", 0},
     {"0 -> 0", "-0.0 -> -0", "0.1 -> 0.1", "1 -> 1", "100 -> 100", "1e300 -> 1e+300",
      "0x1.5555555555555p-2 -> 0.3333333333333333",
      "0x1.fffffffffffffp1023 -> 1.7976931348623157e+308", "0x1p-1074 -> 4.94065645841247e-324",
      "nan -> nan", "inf -> inf", "-inf -> -inf"}},
    {{TIME, "", 3},
     {"0 -> 0.00 ns", "0.5 -> 0.500 ns", "1.44 -> 1.44 ns", "1440 -> 1.44 us", "2e9 -> 2.00 s",
      "3600e9 -> 3600 s", "999.4 -> 999 ns", "999.5 -> 1.00 us", "999.6 -> 1.00 us",
      "9.996 -> 10.0 ns", "-1440 -> -1.44 us", "1e30 -> 1e+21 s", "1e-9 -> 1e-09 ns", "nan -> nan",
      "inf -> inf"}},
    {{TIME, "", 2}, {"0.0123 -> 0.012 ns"}},
    {{TIME, "", 4}, {"159.5e6 -> 159.5 ms", "999999.9 -> 1.000 ms"}},
    {{RATE, "B/s", 3}, {"0 -> 0.00 B/s", "1e24 -> 1e+06 EB/s", "inf -> inf"}},
    {{RATE, "", 3}, {"1 -> 1.00"}},
    {{RATE, "FLOP/s", 3}, {"999 -> 999 FLOP/s", "999.5 -> 1.00 kFLOP/s", "31.9e9 -> 31.9 GFLOP/s"}},
    {{RATE, "B/s", 2}, {"4.8e12 -> 4.8 TB/s"}},
    {{RATE, "items/s", 3}, {"-2500 -> -2.50 kitems/s", "0.25 -> 0.250 items/s"}},
    {{SIZE, "", 0},
     {"0 -> 0 B", "1023 -> 1023 B", "1024 -> 1 KiB", "1536 -> 1.5 KiB", "1572864 -> 1.5 MiB",
      "1048575 -> 1.0 MiB", "0x3Cp20 -> 60 MiB", "0x8Dp30 -> 141 GiB", "0x1p52 -> 4096 TiB"}},
};

TEST_EACH(numbers_are_written, numbers)
{
    for (const char *const *text_case = numbers[_i].cases; *text_case; text_case++) {
        char input[CASE_INPUT], buffer[NUMBER_TEXT_MAX];
        const char *expected = case_output(*text_case, input);
        const double value = strtod(input, NULL);
        if (numbers[_i].as.kind == READ_BACK)
            ck_assert_ptr_eq(format_double(value, buffer), buffer);
        else if (numbers[_i].as.kind == TIME)
            format_time(value, numbers[_i].as.digits, buffer);
        else if (numbers[_i].as.kind == SIZE)
            format_bytes(value, buffer);
        else
            format_si(value, numbers[_i].as.unit, numbers[_i].as.digits, buffer);
        ck_assert_str_eq(buffer, expected);
    }
}

/* Cut at the end, and in the middle. */
static const struct {
    const char *words;
    size_t most;
    const char *shortened, *cut;
} long_words[] = {
    {"as it is", 8, "as it is", "as it is"},
    {"as it was", 8, "as it w\u2026", "as i\u2026was"},
    {"as it was", 7, "as it\u2026", "as \u2026was"},
    {"as it was", 3, "as\u2026", "a\u2026s"},
    {"as it was", 2, "a\u2026", "a\u2026"},
    {"cut at a blank", 8, "cut at\u2026", "cut \u2026ank"},
    {"\u00B1\u00B1\u00B1", 3, "\u00B1\u00B1\u00B1", "\u00B1\u00B1\u00B1"},
    {"\u00B1\u00B2\u00B3\u00B5\u00B7", 4, "\u00B1\u00B2\u00B3\u2026", "\u00B1\u00B2\u2026\u00B7"},
    {"", 5, "", ""},
    {"x", 0, "", ""},
};

TEST_EACH(long_words_are_cut, long_words)
{
    CLEANUP(text_free) struct text shortened = {0}, cut = {0};
    text_add_shortened(&shortened, long_words[_i].words, long_words[_i].most);
    ck_assert_str_eq(text_get(&shortened), long_words[_i].shortened);
    text_add_cut(&cut, long_words[_i].words, long_words[_i].most);
    ck_assert_str_eq(text_get(&cut), long_words[_i].cut);
}

static const struct {
    const char *words;
    size_t column, indent, most;
    const char *lines;
} wrapped[] = {
    {"one two three", 0, 0, 13, "one two three"},
    {"one two three", 0, 0, 12, "one two\nthree"},
    {"one two three", 6, 2, 10, "one\n  two\n  three"},
    {"one two three", 6, 2, 9, "one\n  two\n  three"},
    {"one  two", 0, 0, 4, "one\ntwo"},
    {"longerthanall that", 0, 1, 6, "longerthanall\n that"},
    {"a b\n\nc d\n", 0, 2, 3, "a b\n\n  c\n  d\n"},
    {"    kept as written", 0, 0, 20, "    kept as written"},
    {"    kept as written", 0, 0, 6, "    kept\nas\nwritten"},
    {"\u00B1\u00B1 \u00B1", 0, 0, 4, "\u00B1\u00B1 \u00B1"},
    {"- one two\nthree", 0, 0, 6, "- one\n  two\nthree"},
    {"- one two", 2, 2, 7, "- one\n    two"},
    {"", 0, 4, 9, ""},
};

TEST_EACH(long_lines_break, wrapped)
{
    CLEANUP(text_free) struct text out = {0};
    text_add_wrapped(&out, wrapped[_i].words, wrapped[_i].column, wrapped[_i].indent,
                     wrapped[_i].most);
    ck_assert_str_eq(text_get(&out), wrapped[_i].lines);
}

TEST(csv_fields_are_quoted)
{
    CLEANUP(text_free) struct text out = {0};
    static const char *const fields[] = {"plain", "", "a,b", "say \"so\"", "two\nlines"};
    for (size_t i = 0; i < COUNT(fields); i++)
        text_add_csv(&out, fields[i], i == 0);
    ck_assert_str_eq(text_get(&out), "plain,,\"a,b\",\"say \"\"so\"\"\",\"two\nlines\"");
}
