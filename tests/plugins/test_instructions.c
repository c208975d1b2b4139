/* test_instructions.c - instructions that the CPU device counts, exactly: by perf events, of which
 * this program is the kernel, and by single steps. */
#define _GNU_SOURCE
#include "tests/plugins/device_fixture.h"

#include <dlfcn.h>
#include <errno.h>
#include <gbrun/counters.h>
#include <linux/perf_event.h>
#include <math.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>

enum { FILES_MAX = 256, WAY = 7 /* instructions around each run */ };

/* --- the kernel's part --- */

static struct {
    bool is_on;
    int error, cache_error; /* of all events, of caches: an errno; 0: they are counted */
    bool is_shared;         /* with other users of the processor's counters */
    bool is_empty;          /* events are opened, and count nothing */
    uint64_t executed;
    struct perf_event_attr events[FILES_MAX];
    uint64_t begun[FILES_MAX];
} kernel;

static uint64_t count_of(const struct perf_event_attr *event)
{
    return event->type == PERF_TYPE_HARDWARE && event->config == PERF_COUNT_HW_INSTRUCTIONS
               ? kernel.executed
               : kernel.executed / 10;
}

/* Of this thread: an emulator of another processor has threads of its own. */
static int open_event(const struct perf_event_attr *event, long thread)
{
    errno = ESRCH;
    if (thread != 0 && thread != gettid())
        return -1;
    errno = event->type == PERF_TYPE_HW_CACHE && kernel.error == 0 ? kernel.cache_error
                                                                   : kernel.error;
    if (errno != 0)
        return -1;
    ck_assert(event->pinned && event->disabled && event->exclude_kernel);
    const int file = memfd_create("event", 0);
    ck_assert_int_lt(file, FILES_MAX);
    kernel.events[file] = *event;
    return file;
}

__attribute__((visibility("default"))) long syscall(long number, ...)
{
    static long (*next)(long, ...);
    long a[6];
    va_list arguments;
    va_start(arguments, number);
    for (size_t i = 0; i < 6; i++)
        a[i] = va_arg(arguments, long);
    va_end(arguments);
    if (kernel.is_on && number == SYS_perf_event_open)
        return open_event((const struct perf_event_attr *)a[0], a[1]);
    if (next == NULL)
        *(void **)&next = dlsym(RTLD_NEXT, "syscall");
    return next(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

__attribute__((visibility("default"))) int ioctl(int file, unsigned long request, ...)
{
    static int (*next)(int, unsigned long, ...);
    va_list arguments;
    va_start(arguments, request);
    void *argument = va_arg(arguments, void *);
    va_end(arguments);
    if (next == NULL)
        *(void **)&next = dlsym(RTLD_NEXT, "ioctl");
    if (!kernel.is_on)
        return next(file, request, argument);
    const uint64_t now = count_of(&kernel.events[file]);
    const uint64_t values[] = {kernel.is_empty ? 0 : now - kernel.begun[file] + WAY, 100,
                               kernel.is_shared ? 50 : 100};
    if (request == PERF_EVENT_IOC_ENABLE)
        kernel.begun[file] = now;
    else
        ck_assert_int_eq(pwrite(file, values, sizeof values, 0), sizeof values);
    return 0;
}

/* --- what is counted --- */

static const struct gb_counters *counters;
static struct gb_counting counting;
static struct gb_bench_ops bench;
static double told[2][4]; /* of run, of nothing: by name */
static const char *const names[] = {"instructions", "branches", "L1-dcache-load-misses",
                                    "LLC-load-misses"};

static void take(void *context, const char *name, double value, const char *unit)
{
    const bool is_empty = strncmp(name, GB_EMPTY, strlen(GB_EMPTY)) == 0;
    ck_assert_ptr_eq(context, told);
    ck_assert_str_eq(unit, "");
    for (int i = 0; i < 4; i++)
        if (strcmp(name + (is_empty ? strlen(GB_EMPTY) : 0), names[i]) == 0)
            told[is_empty][i] = value;
}

static int32_t run_thousand(void *object, const struct gb_queue *on, uint64_t iterations)
{
    kernel.executed += 1000 * iterations;
    return GB_OK;
}

static int32_t run_forty(void *object, const struct gb_queue *on, uint64_t iterations)
{
    kernel.executed += 40;
    return GB_OK;
}

static void setup(void)
{
    load_device("device_cpu", "cpu");
    counters = plugin->extension(GB_COUNTERS);
    open_device();
    memset(&kernel, 0, sizeof kernel);
    kernel.is_on = true;
    bench = (struct gb_bench_ops){.size = sizeof bench, .run = run_thousand};
    counting = (struct gb_counting){.size = sizeof counting,
                                    .iterations = 2,
                                    .bench_ops = &bench,
                                    .n_names = 4,
                                    .names = names,
                                    .count = take,
                                    .context = told,
                                    .is_exact = 1,
                                    .limit = 100000};
    for (int i = 0; i < 4; i++)
        told[0][i] = told[1][i] = NAN;
}

static void teardown(void)
{
    kernel.is_on = false;
    close_device();
}

TEST_FIXTURE(setup, teardown)

static void expect_failed(const char *words)
{
    ck_assert_int_eq(counters->count(device, &counting), GB_FAILED);
    expect_reason(words);
    ck_assert(isnan(told[0][0]));
}

/* --- by the processor --- */

TEST(perf_counts_a_run_and_one_of_nothing)
{
    bench.run_empty = run_forty;
    ck_assert_int_eq(counters->count(device, &counting), GB_OK);
    ck_assert_uint_eq(counting.means, GB_COUNT_BY_PERF);
    ck_assert_double_eq(told[0][0], (2000 + WAY) / 2.0);
    ck_assert_double_eq(told[1][0], (40 + WAY) / 2.0);
    ck_assert_double_eq(told[0][3], (200 + WAY) / 2.0);
    ck_assert_double_eq(told[1][3], (4 + WAY) / 2.0);
}

TEST(what_the_processor_does_not_count_is_left_out)
{
    kernel.cache_error = ENOENT;
    ck_assert_int_eq(counters->count(device, &counting), GB_OK);
    ck_assert_double_eq(told[0][1], (200 + WAY) / 2.0);
    ck_assert(isnan(told[0][2]) && isnan(told[1][2]));
    ck_assert_double_eq(told[1][0], WAY / 2.0);
}

TEST(a_count_that_others_took_turns_in_is_none)
{
    counting.means = GB_COUNT_BY_PERF;
    kernel.is_shared = true;
    expect_failed("count_by = perf: instructions: in use by other programs");
}

TEST(events_that_count_nothing_are_none)
{
    counting.means = GB_COUNT_BY_PERF;
    kernel.is_empty = true;
    expect_failed("count_by = perf: instructions: opened, but counting nothing");
}

TEST(means_that_are_not_there_are_refused)
{
    kernel.error = EACCES;
    counting.means = GB_COUNT_BY_PERF;
    expect_failed("count_by = perf: instructions: forbidden to this user");
    counting.means = GB_COUNT_BY_VALGRIND;
    expect_failed("count_by = valgrind: it counts whole programs");
}

/* --- by single steps --- */

#if defined(__x86_64__) && defined(__LP64__)

/* Functions of the same length but for what they are about. */
#define BODY(name, text)                                                                           \
    static int32_t name(void *object, const struct gb_queue *on, uint64_t iterations)              \
    {                                                                                              \
        static char from[256], to[256];                                                            \
        void *source = from, *target = to;                                                         \
        unsigned long n = iterations, id = SYS_getppid;                                            \
        __asm__ volatile(text                                                                      \
                         : "+S"(source), "+D"(target), "+c"(n), "+a"(id)                           \
                         :                                                                         \
                         : "r11", "memory", "cc");                                                 \
        return GB_OK;                                                                              \
    }
BODY(run_nops, "nop; nop")
BODY(run_one_more, "nop; nop; nop")
BODY(run_turns, "nop; rep movsb")
BODY(run_wide_turns, "nop; rep stosq")
BODY(run_call, "push %%rcx; syscall; pop %%rcx")
BODY(run_no_call, "push %%rcx; nop; pop %%rcx")
BODY(run_loop, "1: dec %%rcx; jnz 1b")
BODY(run_self, "1: loop 1b")

TEST(without_events_that_count_each_instruction_is_trapped)
{
    bench.run = run_one_more;
    for (int i = 0; i < 3; i++) {
        kernel.error = i == 0 ? ENOENT : 0;
        kernel.is_shared = i == 1;
        kernel.is_empty = i == 2;
        counting.means = GB_COUNT_BY_AUTO;
        ck_assert_int_eq(counters->count(device, &counting), GB_OK);
        ck_assert_uint_eq(counting.means, GB_COUNT_BY_STEP);
    }
}

static double steps_of(int32_t (*run)(void *, const struct gb_queue *, uint64_t), uint64_t n)
{
    kernel.error = ENOENT;
    bench.run = run;
    counting.iterations = n;
    ck_assert_msg(counters->count(device, &counting) == GB_OK, "%s", fake->reason);
    ck_assert_uint_eq(counting.means, GB_COUNT_BY_STEP);
    ck_assert(isnan(told[0][1]));
    return round((told[0][0] - told[1][0]) * (double)n);
}

TEST(each_instruction_is_counted_once)
{
    const double nops = steps_of(run_nops, 1);
    ck_assert_double_eq(steps_of(run_nops, 1), nops);
    ck_assert_double_eq(steps_of(run_one_more, 1), nops + 1);
    ck_assert_double_eq(steps_of(run_loop, 100), steps_of(run_loop, 1) + 2 * 99);
}

TEST(turns_of_a_string_instruction_are_one)
{
    ck_assert_double_eq(steps_of(run_turns, 1), steps_of(run_nops, 1));
    ck_assert_double_eq(steps_of(run_turns, 200), steps_of(run_nops, 1));
    ck_assert_double_eq(steps_of(run_wide_turns, 30), steps_of(run_nops, 1));
    ck_assert_double_eq(steps_of(run_self, 30), steps_of(run_self, 1) + 29); /* is no string */
}

/* Of the process: who traps them, and on which stack. */
TEST(handlers_are_as_before)
{
    struct sigaction before, after;
    stack_t stack, stack_after;
    sigaction(SIGTRAP, NULL, &before);
    sigaltstack(NULL, &stack);
    steps_of(run_nops, 1);
    sigaction(SIGTRAP, NULL, &after);
    sigaltstack(NULL, &stack_after);
    ck_assert(after.sa_handler == before.sa_handler && stack_after.ss_sp == stack.ss_sp);
}

TEST(a_system_call_is_one)
{
    ck_assert_double_eq(steps_of(run_call, 1), steps_of(run_no_call, 1));
}

TEST(more_than_the_limit_are_an_error_and_nothing_is_stepped_on)
{
    kernel.error = ENOENT;
    counting.limit = 100;
    counting.iterations = UINT64_C(1) << 20;
    bench.run = run_loop;
    expect_failed("more than 100 instructions are too many for single steps");
    counting.limit = 10000;
    ck_assert_double_eq(steps_of(run_loop, 2), steps_of(run_loop, 1) + 2);
}

#else

TEST(traps_are_not_known_of_this_processor)
{
    kernel.error = ENOENT;
    expect_failed("instructions cannot be counted: perf events: not counted by this machine");
}

#endif
