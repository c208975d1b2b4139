/*
 * check_main.c - runs the suites of a test program. Under make check results go to stdout as TAP
 * lines; by hand, Check prints its own summary (CK_RUN_SUITE=test_text.c runs one file's,
 * CK_FORK=no debugs it).
 */
#include "tests/check_main.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* No test of C cuts the power: what a file's sync would wait for takes longer than the tests. */
__attribute__((visibility("default"))) int fsync(int file)
{
    return 0;
}

__attribute__((visibility("default"))) int fdatasync(int file)
{
    return 0;
}

static SRunner *runner;

void check_add_suite(Suite *(*make)(void))
{
    if (!runner)
        runner = srunner_create(NULL);
    srunner_add_suite(runner, make());
}

static const char *file_name;
static TCase *tests;

static Suite *suite_of_file(void)
{
    const char *folder = strrchr(file_name, '/');
    Suite *suite = suite_create(folder ? folder + 1 : file_name);
    suite_add_tcase(suite, tests);
    return suite;
}

void check_add_test(const char *file, test_fixture_fn *const fixture[2], const TTest *test,
                    size_t n)
{
    if (!file_name || strcmp(file, file_name) != 0) {
        file_name = file;
        tests = tcase_create("tests");
        tcase_add_checked_fixture(tests, fixture[0], fixture[1]);
        check_add_suite(suite_of_file);
    }
    tcase_add_loop_test(tests, test, 0, (int)n);
}

int main(void)
{
    srunner_run_all(runner, getenv("CK_TAP_LOG_FILE_NAME") ? CK_SILENT : CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
