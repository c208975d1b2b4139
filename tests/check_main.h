/* check_main.h - what each test program gives to the main function that they share. */
#pragma once

#include <check.h>

Suite *test_suite(void);
