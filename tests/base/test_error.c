/* test_error.c - core/base/error.c: texts, places, and lists of errors. */
#include "core/base/error.h"
#include "tests/check_main.h"

#include <string.h>

TEST(setting_an_error)
{
    struct gb_error error = {.origin = {"old.ini", 3, 4}};
    ck_assert_int_eq(error_set(&error, GB_IO, "%s: %d left", "disk", 0), GB_IO);
    ck_assert_int_eq(error.status, GB_IO);
    ck_assert_str_eq(error.text, "disk: 0 left");
    ck_assert_ptr_null(error.origin.file);
    ck_assert_uint_eq(error.origin.line, 0);
    ck_assert_int_eq(error_set(NULL, GB_INVALID, "x"), GB_INVALID);
}

TEST(setting_an_error_with_its_place)
{
    struct gb_error error = {0};
    struct origin origin = {"bench.ini", 12, 5};
    ck_assert_int_eq(error_set_at(&error, GB_INVALID, origin, "bad unit '%s'", "mss"), GB_INVALID);
    ck_assert_str_eq(error.origin.file, "bench.ini");
    ck_assert_uint_eq(error.origin.line, 12);
    ck_assert_uint_eq(error.origin.column, 5);
    ck_assert_str_eq(error.text, "bad unit 'mss'");
    ck_assert_int_eq(error_set_at(NULL, GB_IO, origin, "x"), GB_IO);
}

TEST(long_texts_are_cut)
{
    struct gb_error error = {0};
    error_set(&error, GB_FAILED, "%2000d", 1);
    ck_assert_uint_eq(strlen(error.text), sizeof error.text - 1);
}

TEST(prefix)
{
    struct gb_error error = {0};
    error_set_at(&error, GB_CORRUPT, (struct origin){"f", 1, 2}, "no header");
    ck_assert_int_eq(error_prefix(&error, "%s: ", "a.gbr"), GB_CORRUPT);
    ck_assert_str_eq(error.text, "a.gbr: no header");
    ck_assert_uint_eq(error.origin.line, 1);
    ck_assert_int_eq(error_prefix(&error, "%2000d", 1), GB_CORRUPT);
    ck_assert_uint_eq(strlen(error.text), sizeof error.text - 1);
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

TEST(lists_keep_order)
{
    struct error_list list = {0};
    ck_assert(error_list_empty(&list));
    for (uint32_t i = 0; i < 20; i++)
        error_list_add(&list, (struct origin){"a.ini", i + 1, 0}, "error %u", i);
    struct gb_error taken = {.status = GB_IO, .text = "taken"};
    error_list_take(&list, &taken);
    ck_assert(!error_list_empty(&list));
    ck_assert_uint_eq(list.n, 21);
    ck_assert_uint_eq(list.n_left_out, 0);
    ck_assert_str_eq(list.items[7].text, "error 7");
    ck_assert_uint_eq(list.items[7].origin.line, 8);
    ck_assert_int_eq(list.items[7].status, GB_INVALID);
    ck_assert_int_eq(list.items[20].status, GB_IO);
    error_list_free(&list);
    ck_assert(error_list_empty(&list));
}

TEST(lists_count_what_is_too_much)
{
    struct error_list list = {0};
    for (int i = 0; i < ERROR_LIST_MAX + 7; i++)
        error_list_add(&list, (struct origin){0}, "%d", i);
    ck_assert_uint_eq(list.n, ERROR_LIST_MAX);
    ck_assert_uint_eq(list.n_left_out, 7);
    ck_assert_str_eq(list.items[ERROR_LIST_MAX - 1].text, "99");
    error_list_free(&list);
}
