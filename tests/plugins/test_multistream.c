/* test_multistream.c - multistream_matmul: what only one kind of device has, and the part for CUDA
 * on a driver that is made for this test. */
#include "plugins/common/cuda/with_cuda.h"
#include "tests/check_main.h"
#include "tests/fake_cuda/fake_cuda.h"
#include "tests/plugins/bench_fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PROBLEMS = 7, ROWS = 21, COLS = 9, ALIGNED = 50 };

static struct fake_cuda *cuda;
static void load(const char *backend)
{
    load_on(backend, "multistream_matmul");
    set_number("problems", PROBLEMS);
    set_number("rows", ROWS);
    set_number("cols", COLS);
    set_number("aligned", ALIGNED);
}

/* --- on the CPU --- */

static const struct {
    const char *name, *value, *reason;
} refused[] = {
    {"block", "8", "block is for CUDA: the CPU has no blocks of threads"},
    {"priority", "graded",
     "priority = graded is for CUDA: a stream of the CPU is a thread like any other"},
    {"allocation", "pool", "allocation = pool is for CUDA: the CPU has plain memory only"},
    {"units", "2",
     "units is for CUDA: give the CPUs to run on as option cpus of a device of plugin cpu"},
    {"stamps", "each", "stamps is for CUDA: on the CPU nothing notes where a problem runs"},
};

TEST_EACH(cpu_refuses_what_it_does_not_have, refused)
{
    load("cpu");
    set(refused[_i].name, refused[_i].value);
    expect_refusal(GB_SKIPPED, refused[_i].reason);
    unload();
}

TEST(cpu_needs_the_machine_for_itself)
{
    load("cpu");
    ck_assert_int_eq(ops->flags & GB_BENCH_EXCLUSIVE, 0);
    ready();
    ck_assert_int_eq(fake->is_exclusive, 1);
    unload();
}

TEST(unknown_device_is_skipped)
{
    load("abacus");
    expect_refusal(GB_SKIPPED, "this build of the benchmark is not for this device");
    unload();
}

TEST(cpu_sums_in_memory)
{
    load("cpu");
    set("input", "random");
    set("sum", "memory");
    ready();
    expect_wrong();
    run_bench(2);
    expect_right();
    ck_assert_uint_eq(fake->n_compared, PROBLEMS * ROWS * COLS);
    unload();
}

/* --- on CUDA --- */

#define CUDA(n) (strstr(PLUGIN_DEVICES, "cuda") != NULL ? (n) : 0)

/* Once it is loaded, whoever opens libcuda.so.1 gets this one. */
static void load_on_cuda(void)
{
    if (cuda == NULL)
        cuda = fake_symbol(fake_library("tests/fake_cuda/.libs/libcuda.so.1"), "fake_cuda");
    queue.native = cuda->queue;
    *cuda = (struct fake_cuda){.has_pools = 1, .unit_steps = 8, .queue = cuda->queue};
    load("cuda");
}

static void expect_nothing_left(void)
{
    ck_assert_int_eq(cuda->n_live, 0);
    ck_assert_int_eq(cuda->n_wrong, 0);
}

static const struct {
    const char *input, *order, *priority, *allocation;
    int streams, block, units;
    const char *sum;
} on_cuda[] = {
    {"ones", "breadth", "uniform", "malloc", 1, 16, 0, "register"},
    {"random", "breadth", "uniform", "malloc", 3, 16, 0, "register"},
    {"random", "depth", "graded", "pool", 3, 8, 0, "register"},
    {"random", "breadth", "graded", "malloc", 7, 32, 12, "register"},
    {"ones", "depth", "uniform", "pool", 20, 4, 132, "register"},
    {"random", "breadth", "uniform", "malloc", 2, 16, 0, "memory"},
};
enum { N_ON_CUDA = sizeof on_cuda / sizeof on_cuda[0] };

static void set_case(size_t i)
{
    set("input", on_cuda[i].input);
    set("order", on_cuda[i].order);
    set("priority", on_cuda[i].priority);
    set("allocation", on_cuda[i].allocation);
    set_number("streams", (uint64_t)on_cuda[i].streams);
    set_number("block", (uint64_t)on_cuda[i].block);
    set_number("units", (uint64_t)on_cuda[i].units);
    set("sum", on_cuda[i].sum);
}

TEST_TIMES(cuda_is_right_with_each_option, CUDA(N_ON_CUDA))
{
    load_on_cuda();
    set_case((size_t)_i);
    ready();
    ck_assert_int_eq(fake->is_exclusive, 0);
    expect_n_wrong(PROBLEMS * ROWS * COLS);
    run_bench(3);
    ck_assert_int_eq(cuda->n_launches, 3 * PROBLEMS);
    ck_assert_int_eq(cuda->n_unjoined, 0);
    expect_right();
    ck_assert_uint_eq(fake->n_compared, PROBLEMS * ROWS * COLS);
    unload();
    expect_nothing_left();
}

/* The problem is seen by where its output is. */
TEST_TIMES(cuda_launches_in_the_order_asked_for, CUDA(2))
{
    static const int orders[2][PROBLEMS] = {{0, 1, 2, 3, 4, 5, 6}, {0, 3, 6, 1, 4, 2, 5}};
    load_on_cuda();
    set("order", _i == 0 ? "breadth" : "depth");
    set("streams", "3");
    ready();
    run_bench(1);
    const float *first = cuda->launches[0].c;
    for (int i = 0; i < PROBLEMS; i++) {
        ck_assert_int_eq(cuda->launches[i].c - first, orders[_i][i] * ROWS * COLS);
        ck_assert_int_eq(cuda->launches[i].stream, orders[_i][i] % 3);
        ck_assert_int_eq(cuda->launches[i].priority, 0);
    }
    unload();
}

TEST_TIMES(cuda_grades_priorities_over_the_whole_range, CUDA(1))
{
    static const int priorities[] = {-5, -5, -4, -3, -2, -1, 0};
    load_on_cuda();
    set("priority", "graded");
    set("streams", "20");
    ready();
    run_bench(1);
    for (int i = 0; i < PROBLEMS; i++)
        ck_assert_int_eq(cuda->launches[i].priority, priorities[i]);
    unload();
}

TEST_TIMES(cuda_tells_the_units_it_was_given, CUDA(1))
{
    load_on_cuda();
    set("units", "12");
    ready();
    ck_assert_int_eq(cuda->n_given_units, 16);
    ck_assert_str_eq(fake->metric, "units");
    ck_assert_double_eq(fake->metric_value, 16.0);
    unload();
    expect_nothing_left();
}

/* Of 7 problems stream 0 has 3 of 1000 ns, stream 1 has 2 of 1100 ns, stream 2 has 2 of 1200 ns. */
TEST_TIMES(cuda_reports_what_the_stamps_say, CUDA(2))
{
    static const struct {
        const char *name;
        double value;
    } metrics[] = {
        {"fastest_problem", 1000.0},
        {"slowest_problem", 1200.0},
        {"units_used", 3.0},
        {"predicted_time", 3000.0},
        {"predicted_speedup", 7600.0 / 3000.0},
        {"measured_to_predicted", 1.0},
        {"problem_0", 1000.0},
        {"problem_5", 1200.0},
        {"problem_6", 1000.0},
        {"problem_4_unit", 1.0},
        {"problem_5_unit", 2.0},
    };
    load_on_cuda();
    set("streams", "3");
    set("order", _i == 0 ? "breadth" : "depth");
    set("stamps", "each");
    ready();
    run_bench(20);
    expect_right();
    ck_assert_uint_eq(fake->n_metrics, 6 + 2 * PROBLEMS);
    for (size_t i = 0; i < sizeof metrics / sizeof metrics[0]; i++)
        ck_assert_double_eq(fake_metric_named(fake, metrics[i].name), metrics[i].value);
    unload();
    expect_nothing_left();
}

/* A problem is 3 x 2 blocks of 8 x 8 threads, or 1. */
static const struct {
    const char *stamps, *problems, *block;
    uint64_t n_runs;
    size_t n_metrics;
} few[] = {
    {"no", "7", "8", 1, 0},      {"yes", "7", "8", 0, 0},     {"yes", "7", "8", 1, 6},
    {"yes", "10922", "8", 1, 6}, {"yes", "10923", "8", 1, 0}, {"yes", "10923", "32", 1, 6},
};

TEST_TIMES(cuda_stamps_where_asked_to, CUDA(sizeof few / sizeof few[0]))
{
    load_on_cuda();
    set("aligned", "1");
    set("stamps", few[_i].stamps);
    set("problems", few[_i].problems);
    set("block", few[_i].block);
    ready();
    run_bench(few[_i].n_runs);
    ck_assert_int_eq(ops->verify(bench, &queue), few[_i].n_runs == 0 ? GB_WRONG_RESULT : GB_OK);
    ck_assert_uint_eq(fake->n_metrics, few[_i].n_metrics);
    unload();
    expect_nothing_left();
}

TEST_TIMES(cuda_skips_what_device_and_driver_lack, CUDA(4))
{
    static const char *const reasons[] = {
        "units = 133: the device has 132 multiprocessors",
        "units = 131: the driver makes no green context of that size here: other "
        "(CUDA_ERROR_OTHER)",
        "units = 12: the driver makes no green context of that size here: other "
        "(CUDA_ERROR_OTHER)",
        "allocation = pool: the device has no memory pools",
    };
    load_on_cuda();
    cuda->has_pools = 0;
    cuda->unit_steps = _i == 2 ? 0 : 8;
    if (_i < 3)
        set_number("units", _i == 0 ? 133 : _i == 1 ? 131 : 12);
    else
        set("allocation", "pool");
    ck_assert_int_eq(create_and_prepare(), GB_SKIPPED);
    ck_assert_str_eq(fake->reason, reasons[_i]);
    unload();
    expect_nothing_left();
}

/* The first call fails, then the second, and so on until none does. */
TEST_TIMES(cuda_leaves_nothing_after_any_failure, CUDA(N_ON_CUDA))
{
    int32_t status = GB_FAILED;
    for (int i = 1; status != GB_OK; i++) {
        load_on_cuda();
        set_case((size_t)_i);
        cuda->fail_at = i;
        status = create_and_prepare();
        ck_assert_int_eq(status, cuda->n_calls < i ? GB_OK : GB_NO_MEMORY);
        ck_assert_int_lt(i, 100);
        unload();
        expect_nothing_left();
    }
}
