/* test_timed_work.c - what is timed is called and done, also where the compiler sees through the
 * plugin, as with link-time optimization: instructions of benchmarks are counted one by one. */
#include "plugins/device_cpu/measure.c"

#include "tests/plugins/bench_fixture.h"

#include <signal.h>
#include <sys/ptrace.h>
#include <sys/wait.h>

TEST_FIXTURE(NULL, unload)

/* --- the call --- */

static uintptr_t ran_at;

/* Where its instructions are: inlined they would be somewhere else. */
static int32_t run_tells_where(void *object, const struct gb_queue *on, uint64_t iterations)
{
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
    static const struct gb_bench_ops telling = {.size = sizeof telling, .run = run_tells_where};
    const struct gb_measurement measurement = {.size = sizeof measurement, .bench_ops = &telling};
    struct timespec start;
    struct timespec stop;
    ck_assert_int_eq(timed_run(&measurement, CLOCK_MONOTONIC, &start, &stop), GB_OK);
    ck_assert_uint_ge(ran_at, (uintptr_t)run_tells_where);
    ck_assert_uint_lt(ran_at, (uintptr_t)run_tells_where + 256);
}

/* --- the work --- */

/* Counted for each iteration, as one takes microseconds: of what ends soon; of what does not. */
enum { INSTRUCTIONS_MOST = 10000, ENDLESS = 2000 };
static uint64_t most = INSTRUCTIONS_MOST;

/* The instructions of a run, in a copy of this process, as far as they are counted; 0: processes
 * cannot be traced here. */
static uint64_t instructions(uint64_t iterations)
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
    } while (WIFSTOPPED(state) && WSTOPSIG(state) == SIGTRAP && n < iterations * most);
    kill(child, SIGKILL);
    if (WIFSTOPPED(state))
        waitpid(child, &state, 0);
    return n;
}

/* At least so many instructions an iteration; where vectors may do the work, for 64 bytes each. */
static const struct {
    const char *id, *options;
    uint64_t least;
} benchmarks[] = {
    {"nop", "", 1},
    {"convolution", "c = 1; h = 4; w = 4; k = 1", 9 * 8},
    {"copy", "bytes = 2KiB; method = memcpy", 32},
    {"copy", "bytes = 2KiB; method = loop", 32},
    {"copy", "bytes = 2KiB; method = stream", 32},
    {"ceilings", "roof = l1_read; bytes = 4KiB; threads = 1", ENDLESS},
    {"ceilings", "roof = l1_write; bytes = 4KiB; threads = 1", ENDLESS},
    {"ceilings", "roof = l1_copy; bytes = 8KiB; threads = 1", ENDLESS},
    {"ceilings", "roof = l1_triad; bytes = 12KiB; threads = 1", ENDLESS},
    {"ceilings", "roof = fp64_fma; threads = 1", ENDLESS},
    {"ceilings", "roof = fp32_scalar; threads = 1", ENDLESS},
    {"elementwise", "kernel = triad; n = 1024; threads = 1", 64},
    {"elementwise", "kernel = sum; n = 1024; threads = 1", 64},
    {"elementwise", "kernel = softmax; n = 128; columns = 128; threads = 1", 64},
    {"gemm_verify", "m = 2; n = 2; k = 16; dtype = fp32", 2 * 2 * 4},
    {"histogram", "n = 128; bins = 16; threads = 1", 128},
    {"padding", "m = 2; n = 8; k = 2", 2 * 2},
};

/* What a build for another processor says of a method that it lacks. */
static bool lacks_method(int32_t status)
{
#ifdef __SSE2__
    return false;
#else
    return status == GB_SKIPPED && strstr(fake->reason, "for processors with SSE2") != NULL;
#endif
}

TEST_EACH(each_iteration_is_done, benchmarks)
{
    const uint64_t least = benchmarks[_i].least;
    most = least == ENDLESS ? ENDLESS : INSTRUCTIONS_MOST;
    load_bench(benchmarks[_i].id);
    set("%s", benchmarks[_i].options);
    const int32_t status = created();
    if (!lacks_method(status)) {
        ck_assert_msg(status == GB_OK, "%s", fake->reason);
        if (ops->prepare != NULL)
            ck_assert_int_eq(ops->prepare(bench, &queue), GB_OK);
        if (ops->reset != NULL)
            ck_assert_int_eq(ops->reset(bench, &queue), GB_OK);
        const uint64_t one = instructions(1);
        if (one > 0 && one < most) {
            ck_assert_uint_gt(one, least);
            ck_assert_uint_ge(instructions(3), one + 2 * least);
        }
    }
}

/* What an optimizer leaves of work without a compiler barrier. */
static int32_t run_removed(void *object, const struct gb_queue *on, uint64_t iterations)
{
    return GB_OK;
}

TEST(removed_work_is_seen)
{
    static const struct gb_bench_ops removed = {.size = sizeof removed, .run = run_removed};
    ops = &removed;
    bench = NULL;
    ck_assert_uint_lt(instructions(3), instructions(1) + 2 * 64);
}

/* --- the clock --- */

/* Work of 20 to 420 ns on counters whose ticks are converted to whole nanoseconds; now and then
 * something comes between. */
TEST_TIMES(resolution_is_the_step_of_readings, 6)
{
    static const struct {
        double tick_ns, least, most;
    } counters[] = {{0.4, 1, 1}, {1, 1, 1}, {2, 2, 2}, {10, 9, 10}, {10.003, 9, 11}, {40, 39, 40}};
    enum { N = 2000 };
    static double times[N];
    const double tick = counters[_i].tick_ns;
    for (int i = 0; i < N; i++) {
        const double begin = 1e9 + 1234.567 * i;
        const double end = begin + 20 + i * 7 % 400 + (i % 100 == 0 ? 5000 + 17 * i : 0);
        times[i] = floor(tick * floor(end / tick)) - floor(tick * floor(begin / tick));
    }
    const double found = resolution_of(times, N, 1);
    ck_assert_double_ge(found, counters[_i].least);
    ck_assert_double_le(found, counters[_i].most);
}
