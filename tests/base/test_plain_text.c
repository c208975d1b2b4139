/* test_plain_text.c - core/base/plain_text.c: which texts from outside pass, and what becomes of
 * others. */
#include "core/base/memory.h"
#include "core/base/plain_text.h"
#include "core/base/text.h"
#include "tests/check_main.h"

#include <stdlib.h>

#define COUNT(array) (int)(sizeof(array) / sizeof((array)[0]))

static const struct {
    const char *text, *plain, *line;
} texts[] = {
    {"", "", ""},
    {"plain \u00B5s \u20AC \U0001F600", "plain \u00B5s \u20AC \U0001F600",
     "plain \u00B5s \u20AC \U0001F600"},
    {"two\n\tlines", "two\n\tlines", "two  lines"},
    {"\x1B]0;title\x07", "?]0;title?", "?]0;title?"},
    {"\r\x01\x1F \x7F~", "??? ?~", "??? ?~"},
    {"\xC2\x80\xC2\x9B\xC2\x9F\xC2\xA0", "???\u00A0", "???\u00A0"}, /* C1, and what follows it */
    {"a\u2027\u2028\u2029\u202A\u202E\u202F", "a\u2027????\u202F", "a\u2027????\u202F"},
    {"\u2065\u2066\u2069\u206A", "\u2065??\u206A", "\u2065??\u206A"},
    {"\xE2\x81", "??", "??"},
    {"\xFF\x9B"
     "31m",
     "??31m", "??31m"},
    {"caf\xC3", "caf?", "caf?"},
    {"\xC0\x8A\xED\xA0\x80", "?????", "?????"}, /* overlong line break, surrogate */
};

TEST_EACH(texts_are_made_plain, texts)
{
    char *plain = memory_copy_text(texts[_i].text), *line = memory_copy_text(texts[_i].text);
    ck_assert_str_eq(make_plain(plain), texts[_i].plain);
    ck_assert_str_eq(make_plain_line(line), texts[_i].line);
    ck_assert_int_eq(is_plain_line(texts[_i].text),
                     *texts[_i].text && text_equal(texts[_i].text, texts[_i].line));
    free(plain);
    free(line);
}

/* The rule once more, by code points. */
static bool steers(uint32_t point)
{
    return point < 0x20 || (point >= 0x7F && point < 0xA0) ||
           (point >= 0x2028 && point <= 0x202E) || (point >= 0x2066 && point <= 0x2069);
}

TEST(every_code_point_is_plain_or_not)
{
    for (uint32_t point = 1; point <= 0x10FFFF; point++) {
        size_t n = point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
        static const unsigned char leads[] = {0, 0, 0xC0, 0xE0, 0xF0};
        char bytes[5] = {0};
        bool is_valid = point < 0xD800 || point > 0xDFFF;
        for (size_t i = 1; i < n; i++)
            bytes[i] = (char)(0x80 | (point >> 6 * (n - 1 - i) & 0x3F));
        bytes[0] = (char)(leads[n] | point >> 6 * (n - 1));
        ck_assert_uint_eq(plain_length(bytes, SIZE_MAX), is_valid && !steers(point) ? n : 0);
    }
}

TEST(nothing_stays_nothing)
{
    ck_assert_ptr_null(make_plain(NULL));
    ck_assert_ptr_null(make_plain_line(NULL));
    ck_assert_uint_eq(plain_length("a", 0), 0);
}
