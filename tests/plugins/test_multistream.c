/* test_multistream.c - multistream_matmul: what only one kind of device has, and the part for CUDA
 * on a driver that is made for this test. */
#include "plugins/common/cuda/with_cuda.h"
#include "tests/check_main.h"
#include "tests/fake_cuda/fake_cuda.h"
#include "tests/fake_host.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PROBLEMS = 7, ROWS = 21, COLS = 9, ALIGNED = 50 };

static struct fake_cuda *cuda;
static struct fake_host *fake;
static const struct gb_plugin *plugin;
static const struct gb_bench_ops *ops;
static void *params;
static void *bench;
static struct gb_queue queue = {.size = sizeof queue};

static void set(const char *name, const char *text)
{
    fake_params_set(plugin, params, name, text);
}

static void set_number(const char *name, int value)
{
    char text[16];
    snprintf(text, sizeof text, "%d", value);
    set(name, text);
}

static void load(const char *backend)
{
    fake = fake_host_new();
    snprintf(fake->device.backend, sizeof fake->device.backend, "%s", backend);
    plugin = fake_plugin("bench_multistream_matmul", GB_PLUGIN_BENCH, "multistream_matmul");
    ops = plugin->ops;
    params = fake_params_new(plugin);
    bench = NULL;
    set_number("problems", PROBLEMS);
    set_number("rows", ROWS);
    set_number("cols", COLS);
    set_number("aligned", ALIGNED);
}

static void unload(void)
{
    ops->destroy(bench);
    ops->destroy(NULL);
    fake_params_free(plugin, params);
    fake_host_free(fake);
}

static int32_t create_and_prepare(void)
{
    const int32_t status = ops->create(&fake->host, params, &bench);
    return status == GB_OK ? ops->prepare(bench, &queue) : status;
}

static void ready(void)
{
    ck_assert_msg(create_and_prepare() == GB_OK, "%s", fake->reason);
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

START_TEST(cpu_refuses_what_it_does_not_have)
{
    load("cpu");
    set(refused[_i].name, refused[_i].value);
    ck_assert_int_eq(ops->create(&fake->host, params, &bench), GB_SKIPPED);
    ck_assert_ptr_null(bench);
    ck_assert_str_eq(fake->reason, refused[_i].reason);
    unload();
}
END_TEST

START_TEST(cpu_needs_the_machine_for_itself)
{
    load("cpu");
    ck_assert_int_eq(ops->flags & GB_BENCH_EXCLUSIVE, 0);
    ready();
    ck_assert_int_eq(fake->is_exclusive, 1);
    unload();
}
END_TEST

START_TEST(unknown_device_is_skipped)
{
    load("abacus");
    ck_assert_int_eq(ops->create(&fake->host, params, &bench), GB_SKIPPED);
    ck_assert_str_eq(fake->reason, "this build of the benchmark is not for this device");
    unload();
}
END_TEST

START_TEST(cpu_sums_in_memory)
{
    load("cpu");
    set("input", "random");
    set("sum", "memory");
    ready();
    ck_assert_int_eq(ops->verify(bench, &queue), GB_WRONG_RESULT);
    ck_assert_int_eq(ops->run(bench, &queue, 2), GB_OK);
    ck_assert_int_eq(ops->verify(bench, &queue), GB_OK);
    ck_assert_uint_eq(fake->n_compared, PROBLEMS * ROWS * COLS);
    unload();
}
END_TEST

/* --- on CUDA --- */

/* Once it is loaded, whoever opens libcuda.so.1 gets this one. */
static void load_on_cuda(void)
{
    if (cuda == NULL) {
        char path[4096];
        const char *build = getenv("top_builddir");
        snprintf(path, sizeof path, "%s/tests/fake_cuda/.libs/libcuda.so.1",
                 build != NULL ? build : ".");
        void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
        ck_assert_msg(library != NULL, "%s", dlerror());
        cuda = dlsym(library, "fake_cuda");
        ck_assert_ptr_nonnull(cuda);
    }
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
    set_number("streams", on_cuda[i].streams);
    set_number("block", on_cuda[i].block);
    set_number("units", on_cuda[i].units);
    set("sum", on_cuda[i].sum);
}

START_TEST(cuda_is_right_with_each_option)
{
    load_on_cuda();
    set_case((size_t)_i);
    ready();
    ck_assert_int_eq(fake->is_exclusive, 0);
    ck_assert_int_eq(ops->verify(bench, &queue), GB_WRONG_RESULT);
    ck_assert_uint_eq(fake->n_wrong, PROBLEMS * ROWS * COLS);
    ck_assert_int_eq(ops->run(bench, &queue, 3), GB_OK);
    ck_assert_int_eq(cuda->n_launches, 3 * PROBLEMS);
    ck_assert_int_eq(cuda->n_unjoined, 0);
    ck_assert_int_eq(ops->verify(bench, &queue), GB_OK);
    ck_assert_uint_eq(fake->n_compared, PROBLEMS * ROWS * COLS);
    unload();
    expect_nothing_left();
}
END_TEST

/* The problem is seen by where its output is. */
START_TEST(cuda_launches_in_the_order_asked_for)
{
    static const int orders[2][PROBLEMS] = {{0, 1, 2, 3, 4, 5, 6}, {0, 3, 6, 1, 4, 2, 5}};
    load_on_cuda();
    set("order", _i == 0 ? "breadth" : "depth");
    set("streams", "3");
    ready();
    ck_assert_int_eq(ops->run(bench, &queue, 1), GB_OK);
    const float *first = cuda->launches[0].c;
    for (int i = 0; i < PROBLEMS; i++) {
        ck_assert_int_eq(cuda->launches[i].c - first, orders[_i][i] * ROWS * COLS);
        ck_assert_int_eq(cuda->launches[i].stream, orders[_i][i] % 3);
        ck_assert_int_eq(cuda->launches[i].priority, 0);
    }
    unload();
}
END_TEST

START_TEST(cuda_grades_priorities_over_the_whole_range)
{
    static const int priorities[] = {-5, -5, -4, -3, -2, -1, 0};
    load_on_cuda();
    set("priority", "graded");
    set("streams", "20");
    ready();
    ck_assert_int_eq(ops->run(bench, &queue, 1), GB_OK);
    for (int i = 0; i < PROBLEMS; i++)
        ck_assert_int_eq(cuda->launches[i].priority, priorities[i]);
    unload();
}
END_TEST

START_TEST(cuda_tells_the_units_it_was_given)
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
END_TEST

/* Of 7 problems stream 0 has 3 of 1000 ns, stream 1 has 2 of 1100 ns, stream 2 has 2 of 1200 ns. */
START_TEST(cuda_reports_what_the_stamps_say)
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
    ck_assert_int_eq(ops->run(bench, &queue, 20), GB_OK);
    ck_assert_int_eq(ops->verify(bench, &queue), GB_OK);
    ck_assert_uint_eq(fake->n_metrics, 6 + 2 * PROBLEMS);
    for (size_t i = 0; i < sizeof metrics / sizeof metrics[0]; i++)
        ck_assert_double_eq(fake_metric_named(fake, metrics[i].name), metrics[i].value);
    unload();
    expect_nothing_left();
}
END_TEST

/* A problem is 3 x 2 blocks of 8 x 8 threads, or 1. */
static const struct {
    const char *stamps, *problems, *block;
    uint64_t n_runs;
    size_t n_metrics;
} few[] = {
    {"no", "7", "8", 1, 0},      {"yes", "7", "8", 0, 0},     {"yes", "7", "8", 1, 6},
    {"yes", "10922", "8", 1, 6}, {"yes", "10923", "8", 1, 0}, {"yes", "10923", "32", 1, 6},
};

START_TEST(cuda_stamps_where_asked_to)
{
    load_on_cuda();
    set("aligned", "1");
    set("stamps", few[_i].stamps);
    set("problems", few[_i].problems);
    set("block", few[_i].block);
    ready();
    ck_assert_int_eq(ops->run(bench, &queue, few[_i].n_runs), GB_OK);
    ck_assert_int_eq(ops->verify(bench, &queue), few[_i].n_runs == 0 ? GB_WRONG_RESULT : GB_OK);
    ck_assert_uint_eq(fake->n_metrics, few[_i].n_metrics);
    unload();
    expect_nothing_left();
}
END_TEST

START_TEST(cuda_skips_what_device_and_driver_lack)
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
END_TEST

/* The first call fails, then the second, and so on until none does. */
START_TEST(cuda_leaves_nothing_after_any_failure)
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
END_TEST

TEST_SUITE(multistream)
{
    Suite *suite = suite_create("multistream");
    TCase *cpu = tcase_create("cpu");
    tcase_add_loop_test(cpu, cpu_refuses_what_it_does_not_have, 0,
                        sizeof refused / sizeof refused[0]);
    tcase_add_test(cpu, cpu_needs_the_machine_for_itself);
    tcase_add_test(cpu, cpu_sums_in_memory);
    tcase_add_test(cpu, unknown_device_is_skipped);
    suite_add_tcase(suite, cpu);
    if (strstr(PLUGIN_DEVICES, "cuda") == NULL)
        return suite;
    TCase *on_gpu = tcase_create("cuda");
    tcase_add_loop_test(on_gpu, cuda_is_right_with_each_option, 0, N_ON_CUDA);
    tcase_add_loop_test(on_gpu, cuda_launches_in_the_order_asked_for, 0, 2);
    tcase_add_test(on_gpu, cuda_grades_priorities_over_the_whole_range);
    tcase_add_test(on_gpu, cuda_tells_the_units_it_was_given);
    tcase_add_loop_test(on_gpu, cuda_reports_what_the_stamps_say, 0, 2);
    tcase_add_loop_test(on_gpu, cuda_stamps_where_asked_to, 0, sizeof few / sizeof few[0]);
    tcase_add_loop_test(on_gpu, cuda_skips_what_device_and_driver_lack, 0, 4);
    tcase_add_loop_test(on_gpu, cuda_leaves_nothing_after_any_failure, 0, N_ON_CUDA);
    suite_add_tcase(suite, on_gpu);
    return suite;
}
