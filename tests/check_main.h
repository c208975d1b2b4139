/* check_main.h - what each test program gives to the main function that they share. */
#ifndef GBRUN_TESTS_CHECK_MAIN_H
#define GBRUN_TESTS_CHECK_MAIN_H

#include <check.h>

Suite *test_suite(void);

#endif
