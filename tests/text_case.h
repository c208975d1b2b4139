/* text_case.h - cases as one text each, "input -> output", for tables of many short ones. */
#pragma once

#include <check.h>
#include <string.h>

enum { CASE_INPUT = 400 };

/* What stands behind the last arrow; the input is what stands before it, blanks and all. */
static inline const char *case_output(const char *text_case, char ret_input[CASE_INPUT])
{
    const char *arrow = NULL, *next = text_case;
    while ((next = strstr(next, " -> ")))
        arrow = next++;
    ck_assert_msg(arrow && arrow - text_case < CASE_INPUT, "'%s' is no case", text_case);
    memcpy(ret_input, text_case, (size_t)(arrow - text_case));
    ret_input[arrow - text_case] = 0;
    return arrow + strlen(" -> ");
}
