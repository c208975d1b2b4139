/*
 * text_case.h - cases as one text each, "input -> output", for tables of many short ones: what a
 * function makes of the input is written down and compared.
 *
 *   static const struct text_cases rows[] = {{{add_distance, 2}, {"ab|ba -> 1", "ab|abc -> 1"}}};
 *   TEST_TEXT_CASES(distances, rows)
 */
#pragma once

#include "core/base/memory.h"
#include "core/base/text.h"
#include "tests/check_main.h"

enum { CASE_INPUT = 400 };

/* What stands behind the first arrow; the input is what stands before it, blanks and all. */
static inline const char *case_output(const char *text_case, char ret_input[CASE_INPUT])
{
    const char *arrow = strstr(text_case, " -> ");
    ck_assert_msg(arrow && arrow - text_case < CASE_INPUT, "'%s' is no case", text_case);
    memcpy(ret_input, text_case, (size_t)(arrow - text_case));
    ret_input[arrow - text_case] = 0;
    return arrow + strlen(" -> ");
}

struct text_cases {
    struct {
        void (*add)(char *input, uint32_t with, struct text *out); /* the input may be changed */
        uint32_t with;                                             /* of the function's own */
    } call;
    const char *cases[24]; /* the last is NULL */
};

static inline void check_text_cases(const struct text_cases *of)
{
    ck_assert_ptr_null(of->cases[sizeof of->cases / sizeof *of->cases - 1]);
    for (const char *const *text_case = of->cases; *text_case; text_case++) {
        CLEANUP(text_free) struct text found = {0};
        char input[CASE_INPUT];
        const char *expected = case_output(*text_case, input);
        of->call.add(input, of->call.with, &found);
        ck_assert_msg(text_equal(text_get(&found), expected), "'%s' gives '%s'", *text_case,
                      text_get(&found));
    }
}

#define TEST_TEXT_CASES(name, rows)                                                                \
    TEST_EACH(name, rows)                                                                          \
    {                                                                                              \
        check_text_cases(&rows[_i]);                                                               \
    }
