/* test_programs.c - core/base/command.c: other programs, with limits; worker_process.c: which is
 * stuck. */
#include "core/base/command.h"
#include "core/run/worker_process.h"
#include "tests/check_main.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

static struct text output;
static struct gb_error error;
static int code;

static void tear_down(void)
{
    text_free(&output);
}

TEST_FIXTURE(NULL, tear_down)

static int32_t run(const char *const *arguments, size_t most, double patience_ns)
{
    return command_run(&(struct command){.arguments = arguments,
                                         .output = &output,
                                         .is_silent = true,
                                         .output_most = most,
                                         .patience_ns = patience_ns},
                       &code, &error);
}
#define RUN(most, patience_ns, ...) run((const char *const[]){__VA_ARGS__, NULL}, most, patience_ns)

TEST(what_a_program_prints_comes_with_its_code)
{
    ck_assert_int_eq(RUN(0, 0, "sh", "-c", "echo out; echo err >&2; read line; exit 7"), GB_OK);
    ck_assert_str_eq(text_get(&output), "out\n");
    ck_assert_int_eq(code, 7);
    ck_assert_int_eq(RUN(0, 0, "sh", "-c", "kill -9 $$"), GB_OK);
    ck_assert_int_eq(code, 128 + 9);
}

TEST(a_program_that_is_not_there_is_named)
{
    ck_assert_int_eq(RUN(0, 0, "./no-such-program"), GB_FAILED);
    ck_assert_str_eq(error.text, "./no-such-program: cannot be started: No such file or directory");
}

TEST(of_one_that_prints_without_end_enough_is_read)
{
    ck_assert_int_eq(RUN(10, 0, "yes"), GB_OK);
    ck_assert_str_eq(text_get(&output), "y\ny\ny\ny\ny\n");
    ck_assert_int_ne(code, 0);
}

TEST(one_that_takes_too_long_is_killed)
{
    ck_assert_int_eq(RUN(0, 1, "sleep", "infinity"), GB_FAILED);
    ck_assert_str_eq(error.text, "sleep: took too long");
    ck_assert_int_eq(code, 128 + 9);
}

TEST(a_process_that_computes_waits_for_a_processor_at_most)
{
    const volatile int is_on = 1;
    const struct worker_process worker = {.pid = fork()};
    ck_assert_int_ge(worker.pid, 0);
    while (worker.pid == 0 && is_on)
        continue;
    ck_assert(worker_waits_for_processor(&worker));
    kill(worker.pid, SIGSTOP);
    ck_assert_int_eq(waitpid(worker.pid, NULL, WUNTRACED), worker.pid);
    ck_assert(!worker_waits_for_processor(&worker));
    kill(worker.pid, SIGKILL);
    waitpid(worker.pid, NULL, 0);
    ck_assert(!worker_waits_for_processor(&worker));
}
