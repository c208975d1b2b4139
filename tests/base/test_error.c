/* test_error.c - core/base/error.c: texts, places, and lists of errors. */
#include "core/base/error.h"
#include "core/base/text.h"
#include "tests/check_main.h"

static struct gb_error error = {.origin = {"old.ini", 3, 4}};

static void expect_error(int32_t status, const char *file, uint32_t line, const char *text)
{
    ck_assert_int_eq(error.status, status);
    ck_assert_pstr_eq(error.origin.file, file);
    ck_assert_uint_eq(error.origin.line, line);
    ck_assert_str_eq(error.text, text);
}

TEST(setting_an_error)
{
    const struct origin origin = {"bench.ini", 12, 5};
    ck_assert_int_eq(error_set(&error, GB_IO, "%s: %d left", "disk", 0), GB_IO);
    expect_error(GB_IO, NULL, 0, "disk: 0 left");
    ck_assert_int_eq(error_set_at(&error, GB_INVALID, origin, "bad unit '%s'", "mss"), GB_INVALID);
    expect_error(GB_INVALID, "bench.ini", 12, "bad unit 'mss'");
    ck_assert_uint_eq(error.origin.column, 5);
    ck_assert_int_eq(error_prefix(&error, "%s: ", "a.gbr"), GB_INVALID);
    expect_error(GB_INVALID, "bench.ini", 12, "a.gbr: bad unit 'mss'");
}

static void expect_hint(const char *text, const char *hint)
{
    ck_assert_str_eq(error.text, text);
    ck_assert_pstr_eq(error_hint(&error), hint);
}

TEST(hints_are_where_a_format_or_a_text_marks_them)
{
    error_set(&error, GB_INVALID, "'%s' is no size: \1expected a number", "a: see b");
    expect_hint("'a: see b' is no size: expected a number", "expected a number");
    error_prefix(&error, "x\033y: ");
    expect_hint("x?y: 'a: see b' is no size: expected a number", "expected a number");
    error_append(&error, " (and %d more)", 2);
    expect_hint("x?y: 'a: see b' is no size: expected a number (and 2 more)",
                "expected a number (and 2 more)");
    error_set(&error, GB_INVALID, "no '%s'%s%s%s: \1see help", "ax", DID_YOU_MEAN("ab", ""));
    expect_hint("no 'ax'; did you mean 'ab'?: see help", "did you mean 'ab'?: see help");
    error_set(&error, GB_INVALID, "\303\050\202: \1write %s", "\001x");
    expect_hint("?(?: write x", "write x");
    error_set(&error, GB_INVALID, "'%s' is there", "a: see b");
    expect_hint("'a: see b' is there", NULL);
    error_prefix(&error, "p: ");
    expect_hint("p: 'a: see b' is there", NULL);
    error_set(&error, GB_INVALID, "\1expected a name");
    error_prefix(&error, "let.x: ");
    expect_hint("let.x: expected a name", "expected a name");
}

TEST(hints_of_texts_from_elsewhere)
{
    error_set(&error, GB_INVALID, "n: 7, %s", "is odd: expected an even number, see below");
    expect_hint("n: 7, is odd: expected an even number, see below", NULL);
    error_seek_hint(&error);
    expect_hint("n: 7, is odd: expected an even number, see below",
                "expected an even number, see below");
}

TEST(long_texts_are_cut)
{
    error_set(&error, GB_CORRUPT, "%2000d", 1);
    ck_assert_uint_eq(strlen(error.text), sizeof error.text - 1);
    error_set(&error, GB_CORRUPT, "no header");
    ck_assert_int_eq(error_prefix(&error, "%2000d", 1), GB_CORRUPT);
    ck_assert_uint_eq(strlen(error.text), sizeof error.text - 1);
}

TEST(errors_may_go_nowhere)
{
    ck_assert_int_eq(error_set(NULL, GB_INVALID, "x"), GB_INVALID);
    ck_assert_int_eq(error_set_at(NULL, GB_IO, (struct origin){0}, "x"), GB_IO);
    ck_assert_int_lt(error_prefix(NULL, "x"), 0);
}

TEST(words_of_every_status)
{
#define STATUS_CHECK(name, value, words) ck_assert_str_eq(status_words(value), words);
    GB_STATUS_MAP(STATUS_CHECK)
#undef STATUS_CHECK
    ck_assert_str_eq(status_words(-77), "status -77");
    ck_assert_str_eq(status_words(INT32_MIN), "status -2147483648");
}

TEST(lists_keep_order_and_count_what_is_too_much)
{
    struct error_list list = {0};
    ck_assert(error_list_empty(&list));
    for (uint32_t i = 0; i < 20; i++)
        error_list_add(&list, (struct origin){"a.ini", i + 1, 0}, "error %u", i);
    error_set(&error, GB_IO, "taken");
    error_list_take(&list, &error);
    ck_assert(!error_list_empty(&list));
    ck_assert_uint_eq(list.n, 21);
    ck_assert_uint_eq(list.n_left_out, 0);
    ck_assert_str_eq(list.items[7].text, "error 7");
    ck_assert_uint_eq(list.items[7].origin.line, 8);
    ck_assert_int_eq(list.items[7].status, GB_INVALID);
    ck_assert_int_eq(list.items[20].status, GB_IO);
    for (uint32_t i = 21; i < ERROR_LIST_MAX + 7; i++)
        error_list_add(&list, (struct origin){0}, "%u", i);
    ck_assert_uint_eq(list.n, ERROR_LIST_MAX);
    ck_assert_uint_eq(list.n_left_out, 7);
    ck_assert_str_eq(list.items[ERROR_LIST_MAX - 1].text, "99");
    error_list_free(&list);
    ck_assert(error_list_empty(&list));
}
