/* check_main.h - what each test program gives to the main function that they share. */
#pragma once

#include <check.h>

Suite *test_suite(void);

/* Check writes each assertion that holds into a file, to say after which one a test crashed. Of
 * those that assert something of all numbers there are millions, which take longer than what they
 * test: the first thousand will do. */
static inline void mark_first(const char *file, int line)
{
    enum { MARKS = 1000 };
    static int n;
    if (n < MARKS) {
        n++;
        _mark_point(file, line);
    }
}
#define _mark_point(file, line) mark_first(file, line)
