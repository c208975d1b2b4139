/* test_timed_work.c - what is timed is called and done, also where the compiler sees through the
 * plugin, as with link-time optimization: instructions of benchmarks are counted one by one. */
#include "plugins/device_cpu/measure.c"

#include "tests/check_main.h"
#include "tests/fake_host.h"

#include <check.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

/* --- the call --- */

static uintptr_t ran_at;

/* Where its instructions are: inlined they would be somewhere else. */
static int32_t run_tells_where(void *bench, const struct gb_queue *queue, uint64_t iterations)
{
    (void)bench;
    (void)queue;
    (void)iterations;
#if defined(__x86_64__)
    __asm__ volatile("lea 0(%%rip), %0" : "=r"(ran_at));
#elif defined(__aarch64__)
    __asm__ volatile("adr %0, ." : "=r"(ran_at));
#else
    ran_at = (uintptr_t)run_tells_where;
#endif
    return GB_OK;
}

TEST(timed_region_is_a_call)
{
    static const struct gb_bench_ops ops = {.size = sizeof ops, .run = run_tells_where};
    const struct gb_measurement measurement = {.size = sizeof measurement, .bench_ops = &ops};
    struct timespec start;
    struct timespec stop;
    ck_assert_int_eq(timed_run(&measurement, CLOCK_MONOTONIC, &start, &stop), GB_OK);
    ck_assert_uint_ge(ran_at, (uintptr_t)run_tells_where);
    ck_assert_uint_lt(ran_at, (uintptr_t)run_tells_where + 256);
}

/* --- the work --- */

static struct fake_host *fake;
static struct gb_queue queue = {.size = sizeof queue};

enum { INSTRUCTIONS_MOST = 10000 }; /* counted for each iteration: one takes microseconds */

/* The instructions of a run, in a copy of this process, as far as they are counted; 0: processes
 * cannot be traced here. */
static uint64_t instructions(const struct gb_bench_ops *ops, void *bench, uint64_t iterations)
{
    uint64_t n = 0;
    int state = 0;
    const pid_t child = fork();
    ck_assert_int_ge(child, 0);
    if (child == 0) {
        if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) != 0)
            _exit(0);
        raise(SIGSTOP);
        ops->run(bench, &queue, iterations);
        raise(SIGSTOP);
        _exit(0);
    }
    waitpid(child, &state, 0);
    if (!WIFSTOPPED(state))
        return 0;
    do {
        n++;
        ptrace(PTRACE_SINGLESTEP, child, NULL, NULL);
        waitpid(child, &state, 0);
    } while (WIFSTOPPED(state) && WSTOPSIG(state) == SIGTRAP && n < iterations * INSTRUCTIONS_MOST);
    kill(child, SIGKILL);
    if (WIFSTOPPED(state))
        waitpid(child, &state, 0);
    return n;
}

static void expect_work(const struct gb_bench_ops *ops, void *bench, uint64_t least)
{
    const uint64_t one = instructions(ops, bench, 1);
    if (one == 0 || one == INSTRUCTIONS_MOST)
        return;
    ck_assert_uint_gt(one, least);
    ck_assert_uint_ge(instructions(ops, bench, 3), one + 2 * least);
}

/* At least so many instructions an iteration, with 64 bytes in each where vectors may do the work.
 */
static const struct {
    const char *id, *options[9]; /* NULL ends them */
    uint64_t least;
} benchmarks[] = {
    {"nop", {NULL}, 1},
    {"convolution", {"c", "2", "h", "8", "w", "8", "k", "2"}, 4 * 9 * 8},
    {"copy", {"bytes", "4KiB", "method", "memcpy"}, 64},
    {"copy", {"bytes", "4KiB", "method", "loop"}, 64},
    {"copy", {"bytes", "4KiB", "method", "stream"}, 64},
    {"ceilings", {"roof", "l1_read", "bytes", "4KiB", "threads", "1"}, INSTRUCTIONS_MOST},
    {"ceilings", {"roof", "l1_write", "bytes", "4KiB", "threads", "1"}, INSTRUCTIONS_MOST},
    {"ceilings", {"roof", "l1_copy", "bytes", "8KiB", "threads", "1"}, INSTRUCTIONS_MOST},
    {"ceilings", {"roof", "l1_triad", "bytes", "12KiB", "threads", "1"}, INSTRUCTIONS_MOST},
    {"ceilings", {"roof", "fp64_fma", "threads", "1"}, INSTRUCTIONS_MOST},
    {"ceilings", {"roof", "fp32_scalar", "threads", "1"}, INSTRUCTIONS_MOST},
    {"elementwise", {"kernel", "triad", "n", "1024", "threads", "1"}, 64},
    {"elementwise", {"kernel", "sum", "n", "1024", "threads", "1"}, 64},
    {"elementwise", {"kernel", "softmax", "n", "1024", "threads", "1"}, 64},
    {"gemm_verify", {"m", "8", "n", "8", "k", "64", "dtype", "fp32"}, 8 * 8 * 4},
    {"histogram", {"n", "1024", "threads", "1"}, 1024},
    {"padding", {"m", "6", "n", "16", "k", "4"}, 6 * 4 * 2},
};
enum { BENCHMARKS = sizeof benchmarks / sizeof benchmarks[0] };

/* What a build for another processor says of a method that it lacks. */
static bool lacks_method(int32_t status)
{
#ifdef __SSE2__
    (void)status;
    return false;
#else
    return status == GB_SKIPPED && strstr(fake->reason, "for processors with SSE2") != NULL;
#endif
}

TEST_TIMES(each_iteration_is_done, BENCHMARKS)
{
    const char *const *options = benchmarks[_i].options;
    char module[64];
    void *bench = NULL;
    snprintf(module, sizeof module, "bench_%s", benchmarks[_i].id);
    fake = fake_host_new();
    const struct gb_plugin *plugin = fake_plugin(module, GB_PLUGIN_BENCH, benchmarks[_i].id);
    const struct gb_bench_ops *ops = plugin->ops;
    void *params = fake_params_new(plugin);
    for (size_t i = 0; options[i] != NULL; i += 2)
        fake_params_set(plugin, params, options[i], options[i + 1]);
    const int32_t status = ops->create(&fake->host, params, &bench);
    if (!lacks_method(status)) {
        ck_assert_msg(status == GB_OK, "%s", fake->reason);
        if (ops->prepare != NULL)
            ck_assert_int_eq(ops->prepare(bench, &queue), GB_OK);
        if (ops->reset != NULL)
            ck_assert_int_eq(ops->reset(bench, &queue), GB_OK);
        expect_work(ops, bench, benchmarks[_i].least);
        ops->destroy(bench);
    }
    fake_params_free(plugin, params);
    fake_host_free(fake);
}

/* What an optimizer leaves of work without a compiler barrier. */
static int32_t run_removed(void *bench, const struct gb_queue *queue_, uint64_t iterations)
{
    (void)bench;
    (void)queue_;
    (void)iterations;
    return GB_OK;
}

TEST(removed_work_is_seen)
{
    static const struct gb_bench_ops ops = {.size = sizeof ops, .run = run_removed};
    ck_assert_uint_lt(instructions(&ops, NULL, 3), instructions(&ops, NULL, 1) + 2 * 64);
}
