/* test_value.c - scalars, lists and ranges as they are written. */
#include "core/base/random.h"
#include "core/base/text.h"
#include "core/config/value.h"
#include "tests/text_case.h"

#include <inttypes.h>
#include <locale.h>

static struct arena arena;
static struct gb_error error;
static const struct origin origin = {"bench.ini", 7, 10};

static const char *const cache_words[] = {"warm", "cold"};
static const char *const one_word[] = {"every 4"};

static struct gb_option option_of(uint32_t type, const char *range)
{
    return (struct gb_option){.size = sizeof(struct gb_option),
                              .type = type,
                              .name = "rows",
                              .range = range,
                              .choices = type == GB_TYPE_CHOICE ? cache_words : NULL,
                              .n_choices = type == GB_TYPE_CHOICE ? 2 : 0};
}

#define NOT_INT "a whole number such as 32, 2^20, 64Ki or 1e6"
#define NOT_FLOAT "one such as 0.5, 1e-3, 64Ki or 5%"
#define NO_INT "10: ~ is not an integer: expected " NOT_INT
#define NO_FLOAT "10: ~ is not a number: expected " NOT_FLOAT
#define NOT_SIZE "10: ~ is not a size: expected a number with one of B kB MB GB TB KiB MiB GiB TiB"
#define NOT_TIME "10: ~ is not a duration: expected a number with one of ns us ms s min h"
#define NOT_BOOL "10: ~ is not a boolean: expected one of yes no true false on off 1 0"
#define NOT_CHOICE "10: ~ is not a choice: expected one of warm, cold"
#define TOO_LARGE "10: ~ is too large: expected "
#define NO_DOUBLE "a number that fits into a double"
#define NO_END "10: ~ has no closing quote: expected '\"' at its end"
#define NO_RANGE ": expected FIRST:LAST, FIRST:LAST:STEP or FIRST:LAST:xFACTOR"
#define TOO_LONG " makes the list too long: expected up to 1000000 values"

/* "text -> canonical text", that of members of lists with a bar after each, of parts
 * behind their columns; or "text -> column: what is wrong", if the text begins in column 10; ~
 * stands for all of it in quotes. */
static void add_error(int32_t status, const char *text, struct text *out)
{
    const char *quoted = arena_printf(&arena, "'%s'", text);
    const bool is_whole = text_starts_with(error.text, quoted);
    ck_assert_int_eq(status, GB_INVALID);
    ck_assert_str_eq(error.origin.file, "bench.ini");
    ck_assert_uint_eq(error.origin.line, 7);
    text_printf(out, "%u: %s%s", error.origin.column, is_whole ? "~" : "",
                error.text + (is_whole ? strlen(quoted) : 0));
}

static void add_value(char *text, uint32_t type, struct text *out)
{
    struct gb_option option = option_of(type, NULL);
    struct value value = {.type = 77};
    int32_t status = value_read(&option, text, origin, &arena, &value, &error);
    ck_assert_uint_eq(value.type, status == GB_OK ? type : 77); /* set on success only */
    if (status == GB_OK)
        text_add(out, value.text);
    else
        add_error(status, text, out);
}

/* Of an option that is a list the items have a range. */
static void add_list(char *text, uint32_t type, struct text *out)
{
    struct gb_option option = option_of(type, type & GB_TYPE_LIST ? "1:8" : NULL);
    struct value_list list = {.n = 77};
    int32_t status = value_list_read(&option, text, origin, &arena, &list, &error);
    if (status != GB_OK) {
        add_error(status, text, out);
        ck_assert_uint_eq(list.n, 77); /* set on success only */
        return;
    }
    for (size_t i = 0; i < list.n; i++) {
        text_printf(out, "%s|", list.items[i].text);
        ck_assert_uint_eq(list.items[i].type, type & ~(uint32_t)GB_TYPE_LIST);
    }
}

static void add_parts(char *text, uint32_t with, struct text *out)
{
    struct text_list list = {0};
    int32_t status = text_split(text, '|', origin, &arena, &list, &error);
    if (status != GB_OK)
        add_error(status, text, out);
    for (size_t i = 0; i < list.n; i++)
        text_printf(out, "%u %s|", list.origins[i].column, list.items[i]);
}

/* Range and text. */
static void add_within(char *input, uint32_t type, struct text *out)
{
    struct gb_option option = option_of(type, strsep(&input, "|"));
    struct value value = {.type = 77};
    int32_t status = value_read(&option, input, origin, &arena, &value, &error);
    ck_assert_uint_eq(value.type, status == GB_OK ? type : 77);
    text_add(out, status == GB_OK ? value.text : error.text);
}

static void add_members(char *text, uint32_t type, struct text *out)
{
    struct gb_option option = option_of(type, NULL);
    struct value value;
    ck_assert_int_eq(value_read(&option, text, origin, &arena, &value, &error), GB_OK);
    text_printf(out, "%d %u", (int)value.integer, (unsigned)value.bytes);
    if (!isnan(value.number))
        text_printf(out, " %g", value.number);
}

/* Where the items of a list are. */
static void add_places(char *text, uint32_t type, struct text *out)
{
    struct gb_option option = option_of(type, NULL);
    struct value_list list;
    ck_assert_int_eq(value_list_read(&option, text, origin, &arena, &list, &error), GB_OK);
    for (size_t i = 0; i < list.n; i++)
        text_printf(out, "%u:%u|", list.origins[i].line, list.origins[i].column);
}

static void add_quoted(char *text, uint32_t separator, struct text *out)
{
    text_add(out, text_quote(text, (char)separator, &arena));
}

static const struct text_cases readings[] = {
    {{add_value, GB_TYPE_INT},
     {"32 -> 32", "  32\t -> 32", "-5 -> -5", "+5 -> 5", "007 -> 7", "0 -> 0", "-0 -> 0",
      "0x20 -> 32", "0XfF -> 255", "0x7fffffffffffffff -> 9223372036854775807", "2^20 -> 1048576",
      "10^3 -> 1000", "-2^63 -> -9223372036854775808", "5^0 -> 1", "0^0 -> 1", "0^5 -> 0",
      "1^999999999999 -> 1", "2^3Ki -> 8192"}},
    {{add_value, GB_TYPE_INT},
     {"64Ki -> 65536", "64 Ki -> 65536", "4Mi -> 4194304", "1Gi -> 1073741824", "10k -> 10000",
      "1M -> 1000000", "1G -> 1000000000", "1e6 -> 1000000", "1.5e3 -> 1500", "1.5k -> 1500",
      "1500e-2 -> 15", "2.000 -> 2", "0.5Ki -> 512", "9223372036854775807 -> 9223372036854775807",
      "-9223372036854775808 -> -9223372036854775808",
      "1000000000000000000000000000000000000000000e-40 -> 100"}},
    {{add_value, GB_TYPE_FLOAT},
     {"0.5 -> 0.5", ".5 -> 0.5", "5. -> 5", "1e-3 -> 0.001", "1E+3 -> 1000", "-0 -> -0",
      "0.5% -> 0.005", "0.7 % -> 0.007", "7e-1% -> 0.007", "2^3% -> 0.08", "2^20 -> 1048576",
      "0x10 -> 16", "64Ki -> 65536", "1.5k -> 1500", "inf -> inf", "-inf -> -inf",
      "1.7976931348623157e308 -> 1.7976931348623157e+308",
      "0.1000000000000000055511151231257827021181583404541015625 -> 0.1"}},
    {{add_value, GB_TYPE_FLOAT},
     {"0.000000000000000000000000000000000000000000000000001 -> 1e-51", "0e999999999999 -> 0"}},
    {{add_value, GB_TYPE_BOOL},
     {"yes -> yes", "true -> yes", "on -> yes", "1 -> yes", "no -> no", "false -> no", "off -> no",
      "0 -> no"}},
    {{add_value, GB_TYPE_STRING},
     {" -> ", "  a b   -> a b", "a, b; c -> a, b; c", "\" a ; b\" ->  a ; b",
      "\"a \\\"b\\\" \\\\ \\n\" -> a \"b\" \\ \\n", "\"\" -> ",
      "\"a\" and \"b\" -> \"a\" and \"b\"", "24\" wide -> 24\" wide"}},
    {{add_value, GB_TYPE_CHOICE}, {" cold  -> cold"}},
    {{add_value, GB_TYPE_BYTES},
     {"4096 -> 4096", "4096B -> 4096", "64 KiB -> 65536", "64Ki -> 65536", "1kB -> 1000",
      "3 MB -> 3000000", "1.5 GB -> 1500000000", "1.5 GiB -> 1610612736", "2TB -> 2000000000000",
      "1TiB -> 1099511627776", "2^20 KiB -> 1073741824", "0.0009765625KiB -> 1",
      "18446744073709551615 -> 18446744073709551615"}},
    {{add_value, GB_TYPE_DURATION},
     {"5ns -> 5ns", "1.1 us -> 1100ns", "500 ms -> 500000000ns", "2s -> 2000000000ns",
      "1.5min -> 90000000000ns", "1h -> 3600000000000ns", "0 -> 0ns", "0s -> 0ns", "inf -> inf",
      "0.1ns -> 0.1ns", "1e300ns -> 1e+300ns"}},
    {{add_value, GB_TYPE_INT},
     {" -> " NO_INT, "abc -> " NO_INT, "nan -> " NO_INT, "inf -> " NO_INT, "4q -> " NO_INT,
      "1 2 -> " NO_INT, "1,5 -> " NO_INT, "--1 -> " NO_INT, "0x -> " NO_INT, "0x1p3 -> " NO_INT,
      "1e -> " NO_INT, "2^ -> " NO_INT, "2^-3 -> " NO_INT, "1.5^2 -> " NO_INT, "5% -> " NO_INT,
      "  4q -> 12: '4q' is not an integer: expected " NOT_INT,
      "64KI -> " NO_INT "; did you mean 'Ki'?", "10K -> " NO_INT "; did you mean 'k'?",
      "1e-3 -> 10: ~ is not an integer: expected a whole number"}},
    {{add_value, GB_TYPE_INT},
     {"1.5 -> 10: ~ is not an integer: expected a whole number",
      "1.0000000000000000000000000000000000000000001 -> 10: ~ is not an integer: expected a whole "
      "number",
      "9223372036854775808 -> " TOO_LARGE "an integer up to 9223372036854775807",
      "1e999999999999 -> " TOO_LARGE "an integer up to 9223372036854775807",
      "2^999 -> " TOO_LARGE "an integer up to 9223372036854775807",
      "0xfffffffffffffffffffffffffffffffff -> " TOO_LARGE "an integer up to 9223372036854775807",
      "-9223372036854775809 -> 10: ~ is too small: expected an integer from -9223372036854775808 "
      "on"}},
    {{add_value, GB_TYPE_FLOAT},
     {"nan -> " NO_FLOAT, ". -> " NO_FLOAT, "- -> " NO_FLOAT, "0,5 -> " NO_FLOAT,
      "infinity -> " NO_FLOAT, "inf% -> " NO_FLOAT, "1.2.3 -> " NO_FLOAT, "5%% -> " NO_FLOAT,
      "1e400 -> " TOO_LARGE NO_DOUBLE, "2^999 -> " TOO_LARGE NO_DOUBLE,
      "1e-400 -> 10: ~ is too near to 0: expected " NO_DOUBLE}},
    {{add_value, GB_TYPE_BOOL},
     {"maybe -> " NOT_BOOL, "ture -> " NOT_BOOL "; did you mean 'true'?",
      "FALSE -> " NOT_BOOL "; did you mean 'false'?", "2 -> " NOT_BOOL "; did you mean '1'?"}},
    {{add_value, GB_TYPE_STRING}, {"\"abc -> " NO_END, "\"abc\\\" -> " NO_END}},
    {{add_value, GB_TYPE_CHOICE},
     {"cld -> " NOT_CHOICE "; did you mean 'cold'?", "COLD -> " NOT_CHOICE "; did you mean 'cold'?",
      "lukewarm -> " NOT_CHOICE}},
    {{add_value, GB_TYPE_BYTES},
     {"4q -> " NOT_SIZE, "inf -> " NOT_SIZE, "4 KB -> " NOT_SIZE "; did you mean 'kB'?",
      "4 kib -> " NOT_SIZE "; did you mean 'KiB'?",
      "1.3B -> 10: ~ is not a size: expected a whole number of bytes",
      "0.3KiB -> 10: ~ is not a size: expected a whole number of bytes",
      "-4 KiB -> 10: ~ is not a size: expected a number that is not negative",
      "18446744073709551616 -> " TOO_LARGE "a size up to 18446744073709551615 bytes",
      "16777216TiB -> " TOO_LARGE "a size up to 18446744073709551615 bytes"}},
    {{add_value, GB_TYPE_DURATION},
     {"5 -> " NOT_TIME, "5 sec -> " NOT_TIME, "5 MS -> " NOT_TIME "; did you mean 'ms'?",
      "-5ms -> 10: ~ is not a duration: expected a number that is not negative",
      "1e308h -> " TOO_LARGE "a duration that fits into a double"}},
    {{add_value, GB_TYPE_MAP}, {"x -> 10: ~ cannot be read as a set of keys"}},
    {{add_list, GB_TYPE_INT},
     {" -> ", "   -> ", "8, 16 ,32 -> 8|16|32|", "1:4 -> 1|2|3|4|", " 1 : 4  -> 1|2|3|4|",
      "4:4 -> 4|", "1:10:4 -> 1|5|9|", "10:1:-4 -> 10|6|2|", "3:-3:-3 -> 3|0|-3|",
      "1:64:x4, 100 -> 1|4|16|64|100|", "3:50:x2 -> 3|6|12|24|48|", "1:10:x1.5 -> 1|2|3|5|8|",
      "64Ki:2^18:x2 -> 65536|131072|262144|",
      "1:9223372036854775807:x2097152 -> 1|2097152|4398046511104|",
      "9223372036854775806:9223372036854775807 -> 9223372036854775806|9223372036854775807|",
      "-9223372036854775808:9223372036854775807:9223372036854775807 -> "
      "-9223372036854775808|-1|9223372036854775806|"}},
    {{add_list, GB_TYPE_FLOAT},
     {"0:1:0.1 -> 0|0.1|0.2|0.3|0.4|0.5|0.6|0.7|0.8|0.9|1|",
      "0.3:-0.3:-0.1 -> 0.3|0.2|0.1|0|-0.1|-0.2|-0.3|", "0:1:0.3 -> 0|0.3|0.6|0.9|",
      "0:1:0.4 -> 0|0.4|0.8|", "1:3 -> 1|2|3|", "1e-3:1:x10 -> 0.001|0.01|0.1|1|",
      "1:1.5:x1.1 -> 1|1.1|1.21|1.331|1.4641|",
      "2^60:2^62:x2 -> 1.152921504606847e+18|2.305843009213694e+18|4.611686018427388e+18|",
      "0:2%:1% -> 0|0.01|0.02|"}},
    {{add_list, GB_TYPE_BYTES},
     {"4 KiB : 16 KiB : x2 -> 4096|8192|16384|", "3kB:1kB:-1kB -> 3000|2000|1000|",
      "1:3 -> 1|2|3|"}},
    {{add_list, GB_TYPE_DURATION},
     {"1ms:3ms:1ms -> 1000000ns|2000000ns|3000000ns|",
      "3ms:1ms:-1ms, inf -> 3000000ns|2000000ns|1000000ns|inf|",
      "1us:100us:x10 -> 1000ns|10000ns|100000ns|"}},
    {{add_list, GB_TYPE_STRING},
     {"a, \"b, c\" , \"\\\"d\\\\\", 1:3, \" e \" -> a|b, c|\"d\\|1:3| e |", "\"\" -> |",
      "x\"a,b\"y -> xa,by|"}},
    {{add_list, GB_TYPE_CHOICE}, {"cold, warm -> cold|warm|"}},
    {{add_list, GB_TYPE_BOOL}, {"yes, off -> yes|no|"}},
    {{add_list, GB_TYPE_INT}, {"1:3 -> 1|2|3|"}},
    {{add_list, GB_TYPE_INT},
     {"1,,2 -> 12: item 2 is empty: expected a value before ','",
      "1, -> 12: item 2 is empty: expected a value after ','",
      ", 1 -> 10: item 1 is empty: expected a value before ','",
      "1, \"2 -> 13: '\"2' has no closing quote: expected '\"' after it",
      "1, 2, x -> 16: 'x' is not an integer: expected " NOT_INT,
      "1, 2:x -> 15: 'x' is not an integer: expected " NOT_INT,
      "1:2:--1 -> 14: '--1' is not an integer: expected " NOT_INT,
      "1:9:1.5 -> 14: '1.5' is not an integer: expected a whole number",
      "1:9:xy -> 15: 'y' is not a number: expected " NOT_FLOAT, "1: -> 10: range '1:'" NO_RANGE,
      "1:2: -> 10: range '1:2:'" NO_RANGE, "1:2:3:4 -> 10: range '1:2:3:4'" NO_RANGE,
      "3:1 -> 10: range '3:1': expected a step below 0, since LAST is below FIRST",
      "3:1:1 -> 10: range '3:1:1': expected a step below 0, since LAST is below FIRST",
      "1:3:-1 -> 10: range '1:3:-1': expected a step above 0, since LAST is above FIRST",
      "1:3:0 -> 10: range '1:3:0': expected a step other than 0",
      "1:3:x1 -> 10: range '1:3:x1': expected a factor above 1, as in 1:1024:x2",
      "1:3:xinf -> 10: range '1:3:xinf': expected a factor above 1, as in 1:1024:x2"}},
    {{add_list, GB_TYPE_INT},
     {"3:1:x2 -> 10: range '3:1:x2': expected LAST not below FIRST",
      "0:8:x2 -> 10: range '0:8:x2': expected FIRST above 0, since a factor is given",
      "1:1000001 -> 10: ~" TOO_LONG, "-9223372036854775808:9223372036854775807 -> 10: ~" TOO_LONG,
      "1:1000000:x1.000001 -> 10: ~" TOO_LONG, "1:2, 1:999999 -> 15: '1:999999'" TOO_LONG}},
    {{add_list, GB_TYPE_FLOAT},
     {"0:inf -> 10: range '0:inf': expected finite numbers",
      "-1e308:1e308:1e-300 -> 10: ~" TOO_LONG, "0:1:1e-7 -> 10: ~" TOO_LONG}},
    {{add_list, GB_TYPE_DURATION},
     {"1ms:9ms -> 10: range '1ms:9ms': expected a step, as in 1ms:10ms:1ms or 1ms:64ms:x2"}},
    {{add_list, GB_TYPE_CHOICE},
     {"warm, cld -> 16: 'cld' is not a choice: expected one of warm, cold; did you mean 'cold'?"}},
    {{add_list, GB_TYPE_STRING},
     {"a, \"b -> 13: '\"b' has no closing quote: expected '\"' after it"}},
    {{add_parts, 0},
     {"a , \"b|c\",d| \"e\" -> 10 a , \"b|c\",d|23 \"e\"|", /* to be split again: quotes stay */
      " -> ", "a||b -> 12: item 2 is empty: expected a value before '|'"}},
    {{add_within, GB_TYPE_INT},
     {"1:65536|1 -> 1", "1:65536|65536 -> 65536",
      "1:65536|0 -> rows = 0 is out of range: expected 1:65536",
      "1:65536|128Ki -> rows = 128Ki is out of range: expected 1:65536",
      "0:|-1 -> rows = -1 is out of range: expected 0:",
      "5|1 -> range '5' has no colon: expected LOW:HIGH",
      "5:4|1 -> range '5:4' is empty: expected LOW:HIGH",
      "x:|1 -> range 'x:': 'x' is not an integer: expected " NOT_INT}},
    {{add_within, GB_TYPE_FLOAT}, {":1|1.5 -> rows = 1.5 is out of range: expected :1"}},
    {{add_within, GB_TYPE_BYTES}, {":4|5 -> rows = 5 is out of range: expected :4"}},
    {{add_within, GB_TYPE_DURATION}, {"1ms:1s|2s -> rows = 2s is out of range: expected 1ms:1s"}},
    {{add_members, GB_TYPE_INT}, {"-7 -> -7 0 -7"}},
    {{add_members, GB_TYPE_BYTES}, {"1Ki -> 0 1024 1024"}},
    {{add_members, GB_TYPE_BOOL}, {"on -> 1 0 1"}},
    {{add_members, GB_TYPE_CHOICE}, {"cold -> 1 0 1"}},
    {{add_members, GB_TYPE_STRING}, {"x -> 0 0"}},
    {{add_places, GB_TYPE_INT}, {" 1, 5:6 -> 7:11|7:14|7:14|"}},
    {{add_places, GB_TYPE_STRING}, {"\xC3\xA4,b -> 7:10|7:12|"}}, /* characters, not bytes */
    {{add_quoted, 0},
     {"plain -> plain", " -> ", "a,b -> a,b", " a -> \" a\"", "a#b -> a#b", "a #b -> \"a #b\"",
      ";a -> \";a\"", "24\" -> 24\"", "\"\\ -> \"\\\"\\\\\""}},
    {{add_quoted, ','},
     {"plain -> plain", " -> \"\"", "a,b -> \"a,b\"", " a -> \" a\"", "a#b -> a#b",
      "a #b -> \"a #b\"", ";a -> \";a\"", "24\" -> \"24\\\"\"", "\"\\ -> \"\\\"\\\\\""}},
};

TEST_TEXT_CASES(test_readings, readings)

TEST(test_long_text_is_cut)
{
    char text[400], expected[500];
    memset(text, 'x', sizeof text - 1);
    memcpy(text + TEXT_SHOWN - 1, "\xC3\xA4", 2); /* the cut must not split it */
    text[sizeof text - 1] = 0;
    struct value value;
    value_read_type(GB_TYPE_INT, text, (struct origin){"-s", 1, 0}, &arena, &value, &error);
    ck_assert_uint_eq(error.origin.column, 0);
    snprintf(expected, sizeof expected, "'%.*s...' is not an integer: expected " NOT_INT,
             TEXT_SHOWN - 1, text);
    ck_assert_str_eq(error.text, expected);
}

TEST(test_one_choice)
{
    struct gb_option option = option_of(GB_TYPE_CHOICE, NULL);
    option.choices = one_word;
    option.n_choices = 1;
    struct value value;
    ck_assert_int_eq(value_read(&option, "x", origin, &arena, &value, &error), GB_INVALID);
    ck_assert_str_eq(error.text, "'x' is not a choice: expected every 4");
    ck_assert_int_eq(value_read_type(GB_TYPE_CHOICE, "x", origin, &arena, &value, &error),
                     GB_INVALID);
    ck_assert_str_eq(error.text, "'x' cannot be read as a choice");
}

static uint64_t bits_of(double number)
{
    uint64_t bits;
    memcpy(&bits, &number, sizeof bits);
    return bits;
}

/* Reads the text of a value, and then the canonical text, of the same type. */
static struct value read_twice(uint32_t type, const char *text)
{
    struct value value, again;
    int32_t status = value_read_type(type, text, origin, &arena, &value, &error);
    ck_assert_msg(status == GB_OK, "'%s': %s", text, error.text);
    status = value_read_type(type, value.text, origin, &arena, &again, &error);
    ck_assert_msg(status == GB_OK, "'%s': %s", value.text, error.text);
    ck_assert_str_eq(value.text, again.text);
    ck_assert_msg(value.integer == again.integer && value.bytes == again.bytes &&
                      bits_of(value.number) == bits_of(again.number),
                  "'%s' does not read back", value.text);
    return value;
}

enum { N_RANDOM = 1500 };

TEST(test_random_numbers)
{
    char text[64];
    for (uint64_t i = 0; i < N_RANDOM; i++) {
        uint64_t bits = random_bits(1, 0, 2 * i) >> random_bits(1, 0, 2 * i + 1) % 64;
        snprintf(text, sizeof text, "%" PRId64, (int64_t)bits);
        ck_assert_int_eq(read_twice(GB_TYPE_INT, text).integer, (int64_t)bits);
        snprintf(text, sizeof text, "0x%" PRIx64, bits);
        ck_assert_uint_eq(read_twice(GB_TYPE_BYTES, text).bytes, bits);
        bits = random_bits(2, 0, i);
        double number;
        memcpy(&number, &bits, sizeof number);
        if (isnan(number))
            continue;
        snprintf(text, sizeof text, "%.17g", number);
        ck_assert_uint_eq(bits_of(read_twice(GB_TYPE_FLOAT, text).number), bits);
        snprintf(text, sizeof text, "%.17gns", fabs(number));
        ck_assert_uint_eq(bits_of(read_twice(GB_TYPE_DURATION, text).number),
                          bits_of(fabs(number)));
        arena_free(&arena);
    }
}

/* Strings of the characters that mean something somewhere, as one value and as items of a list. */
TEST(test_random_strings)
{
    static const char alphabet[] = "a\"\\,;# |:=";
    struct gb_option option = option_of(GB_TYPE_STRING, NULL);
    for (uint64_t i = 0; i < N_RANDOM; i++) {
        char text[8] = "";
        size_t n = random_below(3, 0, i, sizeof text);
        for (size_t k = 0; k < n; k++)
            text[k] = alphabet[random_below(3, 1, 8 * i + k, sizeof alphabet - 1)];
        struct value value;
        const char *quoted = text_quote(text, 0, &arena);
        ck_assert_int_eq(value_read(&option, quoted, origin, &arena, &value, &error), GB_OK);
        ck_assert_str_eq(value.text, text);
        struct value_list list;
        quoted = text_quote(text, ',', &arena);
        const char *twice = arena_printf(&arena, "%s,%s", quoted, quoted);
        ck_assert_int_eq(value_list_read(&option, twice, origin, &arena, &list, &error), GB_OK);
        ck_assert_uint_eq(list.n, 2);
        ck_assert_str_eq(list.items[0].text, text);
        ck_assert_str_eq(list.items[1].text, text);
        arena_free(&arena);
    }
}

/* Plugins and libraries may set a locale with a decimal comma: numbers stay as they are. */
TEST(test_locale)
{
    const char *temporary = getenv("TMPDIR");
    char folder[256], command[640];
    snprintf(folder, sizeof folder, "%s/locale_XXXXXX", temporary ? temporary : ".");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    setenv("LOCPATH", folder, 1);
    snprintf(command, sizeof command,
             "cd %s && printf 'LC_NUMERIC\ndecimal_point \",\"\nthousands_sep \"\"\ngrouping -1\n"
             "END LC_NUMERIC\n' >source && localedef -c -i source ./xx_XX >log 2>&1",
             folder);
    const bool is_set = system(command) >= 0 && setlocale(LC_NUMERIC, "xx_XX") != NULL;
    snprintf(command, sizeof command, "rm -rf %s", folder);
    ck_assert_int_eq(system(command), 0);
    if (!is_set)
        TEST_SKIP("localedef cannot make a locale with a decimal comma");
    struct value value;
    ck_assert_int_eq(value_read_type(GB_TYPE_FLOAT, "0.7%", origin, &arena, &value, &error), GB_OK);
    ck_assert_str_eq(value.text, "0.007");
    struct gb_option option = option_of(GB_TYPE_FLOAT, NULL);
    struct value_list list;
    ck_assert_int_eq(value_list_read(&option, "0:0.2:.1", origin, &arena, &list, &error), GB_OK);
    ck_assert_str_eq(list.items[1].text, "0.1");
    ck_assert_str_eq(localeconv()->decimal_point, ","); /* the user's is back in force */
}

TEST(the_largest_of_all)
{
    struct gb_option option = option_of(GB_TYPE_INT, NULL);
    struct value_list list;
    ck_assert_int_eq(value_list_read(&option, "1:1000000", origin, &arena, &list, &error), GB_OK);
    ck_assert_uint_eq(list.n, VALUE_LIST_MAX);
    ck_assert_int_eq(list.items[VALUE_LIST_MAX - 1].integer, 1000000);
}

TEST(test_type_words)
{
    ck_assert_str_eq(type_words(GB_TYPE_INT), "an integer");
    ck_assert_str_eq(type_words(GB_TYPE_BYTES), "a size");
    ck_assert_str_eq(type_words(GB_TYPE_DURATION), "a duration");
    ck_assert_str_eq(type_words(GB_TYPE_MAP), "a set of keys");
    ck_assert_str_eq(type_words(GB_TYPE_FLOAT | GB_TYPE_LIST), "a list of numbers");
    ck_assert_str_eq(type_words(99), "a value");
    ck_assert_str_eq(type_words(GB_TYPE_LIST | 99), "a list");
}
