/*
 * check_main.h - how a file of tests says what it holds. Each is a suite of Check by the name of
 * the file: CK_RUN_SUITE=test_text.c runs it alone.
 *
 *   TEST_FIXTURE(set_up, tear_down)    around each test that follows; NULL: nothing
 *   TEST(name) { ... }                 a test
 *   TEST_EACH(name, array) { ... }     one for each row of the array, of index _i
 *   TEST_TIMES(name, n) { ... }        n of them, of index _i
 *   TEST_SUITE(name) { ... }           a function that returns a suite, where it depends on more
 *   TEST_SKIP(reason);                 ends a test that cannot be run here: "valgrind is missing"
 *
 * What is tried thousands of times is tried a few times only by make check, by test_is_long().
 * The headers of C that nearly every test needs come from here.
 */
#pragma once

#include <check.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What a test hands over as a callback need not look at all that it is given. */
#pragma GCC diagnostic ignored "-Wunused-parameter"

#define N_OF(array) (sizeof(array) / sizeof *(array))

typedef void test_fixture_fn(void);
void check_add_test(const char *file, test_fixture_fn *const fixture[2], const TTest *test,
                    size_t n);
void check_add_suite(Suite *(*make)(void));

/* Whether make check-long runs the test. */
static inline bool test_is_long(void)
{
    return getenv("LONG") != NULL;
}

static test_fixture_fn *const test_fixture[2];
#define TEST_FIXTURE(set_up, tear_down)                                                            \
    static test_fixture_fn *const test_fixture[2] = {set_up, tear_down};

#define TEST_TIMES(name, n)                                                                        \
    static const TTest *name;                                                                      \
    __attribute__((constructor)) static void name##_enlist(void)                                   \
    {                                                                                              \
        check_add_test(__FILE__, test_fixture, name, (size_t)(n));                                 \
    }                                                                                              \
    START_TEST(name)
#define TEST_EACH(name, array) TEST_TIMES(name, N_OF(array))
#define TEST(name) TEST_TIMES(name, 1)

#define TEST_SUITE(name)                                                                           \
    static Suite *name##_suite(void);                                                              \
    __attribute__((constructor)) static void name##_enlist(void)                                   \
    {                                                                                              \
        check_add_suite(name##_suite);                                                             \
    }                                                                                              \
    static Suite *name##_suite(void)

/* Check knows no skipped tests: isolate.sh makes one of the result behind this line. */
#define TEST_SKIP(reason)                                                                          \
    do {                                                                                           \
        puts("# skipped: " reason);                                                                \
        return;                                                                                    \
    } while (0)

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
