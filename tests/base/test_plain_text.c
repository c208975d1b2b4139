/* test_plain_text.c - core/base/plain_text.c: which texts from outside pass, and what becomes of
 * others. Every code point is tried in test_utf8.c. */
#include "core/base/plain_text.h"
#include "tests/text_case.h"

/* As plain text, and after a bar as a line of it, where that is another. */
static void add_plain(char *text, uint32_t with, struct text *out)
{
    CLEANUP(free_pointer) char *plain = memory_copy_text(text), *line = memory_copy_text(text);
    text_add(out, make_plain(plain));
    make_plain_line(line);
    if (!text_equal(plain, line))
        text_printf(out, "|%s", line);
    ck_assert_int_eq(is_plain_line(text), *text && text_equal(text, line));
}

/* Among others C1 and what follows it, an overlong line break, a surrogate. */
static const struct text_cases texts[] = {
    {{add_plain, 0},
     {" -> ", "plain \u00B5s \u20AC \U0001F600 -> plain \u00B5s \u20AC \U0001F600",
      "two\n\tlines -> two\n\tlines|two  lines", "\x1B]0;title\x07 -> ?]0;title?",
      "\r\x01\x1F \x7F~ -> ??? ?~", "\xC2\x80\xC2\x9B\xC2\x9F\xC2\xA0 -> ???\u00A0",
      "a\u2027\u2028\u2029\u202A\u202E\u202F -> a\u2027????\u202F",
      "\u2065\u2066\u2069\u206A -> \u2065??\u206A", "\xE2\x81 -> ??",
      "\xFF\x9B"
      "31m -> ??31m",
      "caf\xC3 -> caf?", "\xC0\x8A\xED\xA0\x80 -> ?????"}},
};

TEST_TEXT_CASES(texts_are_made_plain, texts)

TEST(nothing_stays_nothing)
{
    ck_assert_ptr_null(make_plain(NULL));
    ck_assert_ptr_null(make_plain_line(NULL));
    ck_assert_uint_eq(plain_length("a", 0), 0);
}
