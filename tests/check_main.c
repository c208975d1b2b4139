/*
 * check_main.c - runs a test program's suite. Under make check results go to stdout as TAP lines;
 * by hand, Check prints its own summary (CK_RUN_CASE=NAME runs one case, CK_FORK=no debugs it).
 */
#include "tests/check_main.h"

#include <stdlib.h>

int main(void)
{
    SRunner *runner = srunner_create(test_suite());
    srunner_run_all(runner, getenv("CK_TAP_LOG_FILE_NAME") ? CK_SILENT : CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
