/* test_text.c - core/base/text.c: growing text, near misses, numbers for people. */
#include "tests/text_case.h"

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

TEST(items_have_names)
{
    static const struct {
        int number;
        const char *name;
    } items[] = {{1, "rows"}, {2, "cols"}, {3, "rows"}};
    ck_assert_uint_eq(text_index(TEXTS_OF(items, 3, name), "cols"), 1);
    ck_assert_uint_eq(text_index(TEXTS_OF(items, 3, name), "col"), 3);
    ck_assert_int_eq(ITEM_NAMED(items, 3, name, "rows")->number, 1);
    ck_assert_ptr_null(ITEM_NAMED(items, 1, name, "cols"));
    ck_assert(IS_AMONG("cols", "rows", "cols") && !IS_AMONG("", "rows", "cols"));
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

/* Inputs of several arguments have bars between them. */
static size_t number_of(char **input)
{
    return strtoul(strsep(input, "|"), NULL, 10);
}

static void add_columns(char *words, uint32_t with, struct text *out)
{
    text_printf(out, "%zu", text_columns(words));
}

static void add_distance(char *words, uint32_t limit, struct text *out)
{
    const char *word = strsep(&words, "|");
    text_printf(out, "%zu", text_distance(word, words, limit));
}

static void add_nearest(char *word, uint32_t n, struct text *out)
{
    static const char *const names[] = {"rows", "cols", "streams", "stream", "m", "block"};
    const char *found = text_nearest(WORDS_OF(names, n), word);
    text_add(out, found ? found : "none");
}

static void add_double(char *value, uint32_t with, struct text *out)
{
    char buffer[NUMBER_TEXT_MAX];
    ck_assert_ptr_eq(format_double(strtod(value, NULL), buffer), buffer);
    text_add(out, buffer);
}

static void add_time(char *ns, uint32_t digits, struct text *out)
{
    char buffer[NUMBER_TEXT_MAX];
    text_add(out, format_time(strtod(ns, NULL), (int)digits, buffer));
}

static void add_rate(char *unit, uint32_t digits, struct text *out)
{
    char buffer[NUMBER_TEXT_MAX];
    const double value = strtod(strsep(&unit, "|"), NULL);
    text_add(out, format_si(value, unit, (int)digits, buffer));
}

static void add_size(char *bytes, uint32_t with, struct text *out)
{
    char buffer[NUMBER_TEXT_MAX];
    text_add(out, format_bytes(strtod(bytes, NULL), buffer));
}

static void add_short(char *words, uint32_t in_the_middle, struct text *out)
{
    const size_t most = number_of(&words);
    (in_the_middle ? text_add_cut : text_add_shortened)(out, words, most);
}

/* Column, indent, most. */
static void add_wrapped(char *words, uint32_t with, struct text *out)
{
    size_t numbers[3];
    for (int i = 0; i < 3; i++)
        numbers[i] = number_of(&words);
    text_add_wrapped(out, words, numbers[0], numbers[1], numbers[2]);
}

static void add_csv(char *fields, uint32_t with, struct text *out)
{
    for (bool is_first = true; fields; is_first = false)
        text_add_csv(out, strsep(&fields, "|"), is_first);
}

#define LETTERS_64 "0123456789012345678901234567890123456789012345678901234567890123"
static const struct text_cases cases[] = {
    {{add_columns, 0}, {" -> 0", "abc -> 3", "\xC2\xB5s \xC2\xB1 -> 4"}},
    {{add_distance, 0}, {"abc|abc -> 0"}},
    {{add_distance, 1},
     {"kitten|sitting -> 2", LETTERS_64 "|" LETTERS_64 " -> 0",
      LETTERS_64 "4|" LETTERS_64 "4 -> 2"}},
    {{add_distance, 2},
     {"| -> 0", "abc|abd -> 1", "abc|ab -> 1", "streams|strmeas -> 2", "streams|steams -> 1",
      "ab|ba -> 1", "kitten|sitting -> 3"}},
    {{add_distance, 5}, {"|abc -> 3", "abc| -> 3", "kitten|sitting -> 3"}},
    {{add_nearest, 0}, {"rows -> none"}},
    {{add_nearest, 6},
     {"stream -> stream", "sterams -> streams", "row -> rows", "rowss -> rows", "rws -> rows",
      "xyz -> none", "blok -> block", "bk -> none", "n -> m", "problems -> none",
      "strea -> stream"}},
    {{add_double, 0},
     {"0 -> 0", "-0.0 -> -0", "0.1 -> 0.1", "1 -> 1", "100 -> 100", "1e300 -> 1e+300",
      "0x1.5555555555555p-2 -> 0.3333333333333333",
      "0x1.fffffffffffffp1023 -> 1.7976931348623157e+308", "0x1p-1074 -> 4.94065645841247e-324",
      "nan -> nan", "inf -> inf", "-inf -> -inf"}},
    {{add_time, 3},
     {"0 -> 0.00 ns", "0.5 -> 0.500 ns", "1.44 -> 1.44 ns", "1440 -> 1.44 us", "2e9 -> 2.00 s",
      "3600e9 -> 3600 s", "999.4 -> 999 ns", "999.5 -> 1.00 us", "999.6 -> 1.00 us",
      "9.996 -> 10.0 ns", "-1440 -> -1.44 us", "1e30 -> 1e+21 s", "1e-9 -> 1e-09 ns", "nan -> nan",
      "inf -> inf"}},
    {{add_time, 2}, {"0.0123 -> 0.012 ns"}},
    {{add_time, 4}, {"159.5e6 -> 159.5 ms", "999999.9 -> 1.000 ms"}},
    {{add_size, 0},
     {"0 -> 0 B", "1023 -> 1023 B", "1024 -> 1 KiB", "1536 -> 1.5 KiB", "1572864 -> 1.5 MiB",
      "1048575 -> 1.0 MiB", "0x3Cp20 -> 60 MiB", "0x8Dp30 -> 141 GiB", "0x1p52 -> 4096 TiB"}},
    {{add_rate, 3},
     {"0|B/s -> 0.00 B/s", "1e24|B/s -> 1e+06 EB/s", "inf|B/s -> inf", "1| -> 1.00",
      "999|FLOP/s -> 999 FLOP/s", "999.5|FLOP/s -> 1.00 kFLOP/s", "31.9e9|FLOP/s -> 31.9 GFLOP/s",
      "-2500|items/s -> -2.50 kitems/s", "0.25|items/s -> 0.250 items/s"}},
    {{add_rate, 2}, {"4.8e12|B/s -> 4.8 TB/s"}},
    {{add_short, 0},
     {"8|as it is -> as it is", "8|as it was -> as it w\u2026", "7|as it was -> as it\u2026",
      "3|as it was -> as\u2026", "2|as it was -> a\u2026", "8|cut at a blank -> cut at\u2026",
      "3|\u00B1\u00B1\u00B1 -> \u00B1\u00B1\u00B1",
      "4|\u00B1\u00B2\u00B3\u00B5\u00B7 -> \u00B1\u00B2\u00B3\u2026", "5| -> ", "0|x -> "}},
    {{add_short, 1},
     {"8|as it is -> as it is", "8|as it was -> as i\u2026was", "7|as it was -> as \u2026was",
      "3|as it was -> a\u2026s", "2|as it was -> a\u2026", "8|cut at a blank -> cut \u2026ank",
      "3|\u00B1\u00B1\u00B1 -> \u00B1\u00B1\u00B1",
      "4|\u00B1\u00B2\u00B3\u00B5\u00B7 -> \u00B1\u00B2\u2026\u00B7", "5| -> ", "0|x -> "}},
    {{add_wrapped, 0},
     {"0|0|13|one two three -> one two three", "0|0|12|one two three -> one two\nthree",
      "6|2|10|one two three -> one\n  two\n  three", "6|2|9|one two three -> one\n  two\n  three",
      "0|0|4|one  two -> one\ntwo", "0|1|6|longerthanall that -> longerthanall\n that",
      "0|2|3|a b\n\nc d\n -> a b\n\n  c\n  d\n",
      "0|0|20|    kept as written ->     kept as written",
      "0|0|6|    kept as written ->     kept\nas\nwritten",
      "0|0|4|\u00B1\u00B1 \u00B1 -> \u00B1\u00B1 \u00B1",
      "0|0|6|- one two\nthree -> - one\n  two\nthree", "2|2|7|- one two -> - one\n    two",
      "0|4|9| -> "}},
    {{add_csv, 0},
     {"plain||a,b|say \"so\"|two\nlines -> plain,,\"a,b\",\"say \"\"so\"\"\",\"two\nlines\"",
      "=1+2|-1.5|+2e3|-O3|@x|\tx|=\"a\" -> '=1+2,-1.5,+2e3,'-O3,'@x,'\tx,\"'=\"\"a\"\"\"",
      "-nan(x)|-inf|-|\uFF1D1+1|\uFF201|\n=1 -> '-nan(x),-inf,-,'\uFF1D1+1,'\uFF201,\"'\n=1\""}},
};

TEST_TEXT_CASES(texts, cases)
