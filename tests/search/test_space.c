/* test_space.c - axes from cases; cases by their place and back. */
#include "core/base/text.h"
#include "core/search/space.h"
#include "tests/check_main.h"

static struct space *space;
static struct gb_error error;

static void begin(void)
{
    static const char *const names[] = {"tile", "mode"};
    space = space_new(names, 2);
}

static void end(void)
{
    space_free(space);
}

static void add(const char *tile, const char *mode)
{
    space_add(space, (const char *const[]){tile, mode});
}

TEST_FIXTURE(begin, end)

TEST(numbers_are_put_in_order_and_words_are_not)
{
    uint32_t indices[2];
    add("32", "row");
    add("8", "row");
    add("16", "column");
    ck_assert_int_eq(space_finish(space, &error), GB_OK);
    const struct gb_search_axis *const *axes = space_axis_list(space);
    ck_assert_uint_eq(axes[0]->kind, GB_AXIS_NUMBERS);
    ck_assert_uint_eq(axes[0]->n, 3);
    ck_assert_double_eq(axes[0]->numbers[0], 8);
    ck_assert_double_eq(axes[0]->numbers[2], 32);
    ck_assert_uint_eq(axes[1]->kind, GB_AXIS_WORDS);
    ck_assert_str_eq(axes[1]->texts[0], "row");
    ck_assert_str_eq(axes[1]->texts[1], "column");
    ck_assert_ptr_null(axes[1]->numbers);
    /* Each case is found at its place, and no other is. */
    for (uint64_t i = 0; i < 3; i++) {
        ck_assert_int_eq(space_place(space, i, indices), GB_OK);
        ck_assert_uint_eq(space_find(space, indices), i);
    }
    ck_assert_int_eq(space_place(space, 3, indices), GB_INVALID);
    ck_assert_uint_eq(space_find(space, (const uint32_t[]){0, 1}), GB_NO_CASE);
    ck_assert_uint_eq(space_find(space, (const uint32_t[]){3, 0}), GB_NO_CASE);
}

TEST(an_axis_with_one_word_is_of_words)
{
    add("8", "a");
    add("auto", "a");
    ck_assert_int_eq(space_finish(space, &error), GB_OK);
    ck_assert_uint_eq(space_axis_list(space)[0]->kind, GB_AXIS_WORDS);
    ck_assert_str_eq(space_axis_list(space)[0]->texts[1], "auto");
}

TEST(two_cases_with_the_same_values_are_refused)
{
    add("8", "a");
    add("16", "a");
    add("8", "a");
    ck_assert_int_eq(space_finish(space, &error), GB_INVALID);
    ck_assert_str_eq(error.text, "cases 0 and 2 of the space are the same: tile=8 mode=a");
}

TEST(an_empty_space_is_refused)
{
    ck_assert_int_eq(space_finish(space, &error), GB_INVALID);
}

TEST(many_values_in_any_order_are_sorted)
{
    enum { N = 5000 };
    uint32_t index[2];
    for (unsigned i = 0; i < N; i++) {
        char text[16];
        snprintf(text, sizeof text, "%u", i * 7919u % 100003u);
        add(text, "x");
    }
    ck_assert_int_eq(space_finish(space, &error), GB_OK);
    const struct gb_search_axis *axis = space_axis_list(space)[0];
    for (uint32_t i = 1; i < axis->n; i++)
        ck_assert(axis->numbers[i - 1] < axis->numbers[i]);
    for (uint64_t i = 0; i < N; i++) {
        ck_assert_int_eq(space_place(space, i, index), GB_OK);
        ck_assert_double_eq(axis->numbers[index[0]], (double)((unsigned)i * 7919u % 100003u));
    }
}
