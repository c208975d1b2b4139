/* test_multistream.c - multistream_matmul on CUDA, on a driver that is made for this test. */
#include "plugins/common/cuda/with_cuda.h"
#include "tests/fake_cuda/fake_cuda.h"
#include "tests/plugins/bench_fixture.h"

enum { PROBLEMS = 7, ROWS = 21, COLS = 9, ALIGNED = 50 };

static struct fake_cuda *cuda;

/* With nothing of CUDA left. */
static void end(void)
{
    unload();
    ck_assert(cuda == NULL || cuda->n_live == 0);
    ck_assert(cuda == NULL || cuda->n_wrong == 0);
}

TEST_FIXTURE(NULL, end)

#define CUDA(n) (strstr(PLUGIN_DEVICES, "cuda") != NULL ? (n) : 0)

/* Once it is loaded, whoever opens libcuda.so.1 gets this one. */
static void load_on_cuda(void)
{
    if (cuda == NULL)
        cuda = fake_symbol(fake_library("tests/fake_cuda/.libs/libcuda.so.1"), "fake_cuda");
    queue.native = cuda->queue;
    *cuda = (struct fake_cuda){.has_pools = 1, .unit_steps = 8, .queue = cuda->queue};
    load_on("cuda", "multistream_matmul");
    set("problems = %d; rows = %d; cols = %d; aligned = %d", PROBLEMS, ROWS, COLS, ALIGNED);
}

static const char *const on_cuda[] = {
    "streams = 1; input = ones; order = breadth; block = 16",
    "streams = 3; input = random; order = breadth; block = 16",
    "streams = 3; input = random; order = depth; priority = graded; allocation = pool; block = 8",
    "streams = 7; input = random; priority = graded; block = 32; units = 12",
    "streams = 20; input = ones; order = depth; allocation = pool; block = 4; units = 132",
    "streams = 2; input = random; order = breadth; block = 16; sum = memory",
};
enum { N_ON_CUDA = N_OF(on_cuda) };

TEST_TIMES(cuda_is_right_with_each_option, CUDA(N_ON_CUDA))
{
    load_on_cuda();
    set("%s", on_cuda[_i]);
    ready();
    ck_assert_int_eq(fake->is_exclusive, 0);
    expect_n_wrong(PROBLEMS * ROWS * COLS);
    run_bench(3);
    ck_assert_int_eq(cuda->n_launches, 3 * PROBLEMS);
    ck_assert_int_eq(cuda->n_unjoined, 0);
    expect_right();
    ck_assert_uint_eq(fake->n_compared, PROBLEMS * ROWS * COLS);
}

/* The problem is seen by where its output is; priorities are graded over the whole range. */
static const struct {
    const char *options;
    int streams, problems[PROBLEMS], priorities[PROBLEMS];
} launches[] = {
    {"order = breadth", 3, {0, 1, 2, 3, 4, 5, 6}, {0}},
    {"order = depth", 3, {0, 3, 6, 1, 4, 2, 5}, {0}},
    {"priority = graded", 20, {0, 1, 2, 3, 4, 5, 6}, {-5, -5, -4, -3, -2, -1, 0}},
};

TEST_TIMES(cuda_launches_in_the_order_asked_for, CUDA(3))
{
    load_on_cuda();
    set("streams = %d; %s", launches[_i].streams, launches[_i].options);
    ready();
    run_bench(1);
    const float *first = cuda->launches[0].c;
    for (int i = 0; i < PROBLEMS; i++) {
        const int problem = launches[_i].problems[i];
        ck_assert_int_eq(cuda->launches[i].c - first, problem * ROWS * COLS);
        ck_assert_int_eq(cuda->launches[i].stream, problem % launches[_i].streams);
        ck_assert_int_eq(cuda->launches[i].priority, launches[_i].priorities[i]);
    }
}

TEST_TIMES(cuda_tells_the_units_it_was_given, CUDA(1))
{
    load_on_cuda();
    set("units = 12");
    ready();
    ck_assert_int_eq(cuda->n_given_units, 16);
    ck_assert_uint_eq(fake->n_metrics, 1);
    expect_metric("units", 16.0);
}

/* Of 7 problems stream 0 has 3 of 1000 ns, stream 1 has 2 of 1100 ns, stream 2 has 2 of 1200 ns. */
TEST_TIMES(cuda_reports_what_the_stamps_say, CUDA(2))
{
    load_on_cuda();
    set("streams = 3; order = %s; stamps = each", _i == 0 ? "breadth" : "depth");
    ready();
    run_bench(20);
    expect_right();
    ck_assert_uint_eq(fake->n_metrics, 6 + 2 * PROBLEMS);
    expect_metric("fastest_problem", 1000.0);
    expect_metric("slowest_problem", 1200.0);
    expect_metric("units_used", 3.0);
    expect_metric("predicted_time", 3000.0);
    expect_metric("predicted_speedup", 7600.0 / 3000.0);
    expect_metric("measured_to_predicted", 1.0);
    expect_metric("problem_0", 1000.0);
    expect_metric("problem_5", 1200.0);
    expect_metric("problem_6", 1000.0);
    expect_metric("problem_4_unit", 1.0);
    expect_metric("problem_5_unit", 2.0);
}

/* A problem is 3 x 2 blocks of 8 x 8 threads, or 1. */
static const struct {
    const char *options;
    uint64_t n_runs;
    size_t n_metrics;
} few[] = {
    {"stamps = no; problems = 7; block = 8", 1, 0},
    {"stamps = yes; problems = 7; block = 8", 0, 0},
    {"stamps = yes; problems = 7; block = 8", 1, 6},
    {"stamps = yes; problems = 10922; block = 8", 1, 6},
    {"stamps = yes; problems = 10923; block = 8", 1, 0},
    {"stamps = yes; problems = 10923; block = 32", 1, 6},
};

TEST_TIMES(cuda_stamps_where_asked_to, CUDA(N_OF(few)))
{
    load_on_cuda();
    set("aligned = 1; %s", few[_i].options);
    ready();
    run_bench(few[_i].n_runs);
    ck_assert_int_eq(ops->verify(bench, &queue), few[_i].n_runs == 0 ? GB_WRONG_RESULT : GB_OK);
    ck_assert_uint_eq(fake->n_metrics, few[_i].n_metrics);
}

#define NO_CONTEXT                                                                                 \
    ": the driver cannot create a green context of that size: other (CUDA_ERROR_OTHER)"
static const struct {
    const char *options, *reason;
    int unit_steps;
} lacking[] = {
    {"units = 133", "units = 133: the device has 132 multiprocessors", 8},
    {"units = 131", "units = 131" NO_CONTEXT, 8},
    {"units = 12", "units = 12" NO_CONTEXT, 0},
    {"allocation = pool", "allocation = pool: the device has no memory pools", 8},
};

TEST_TIMES(cuda_skips_what_device_and_driver_lack, CUDA(N_OF(lacking)))
{
    load_on_cuda();
    cuda->has_pools = 0;
    cuda->unit_steps = lacking[_i].unit_steps;
    set("%s", lacking[_i].options);
    ck_assert_int_eq(create_and_prepare(), GB_SKIPPED);
    ck_assert_str_eq(fake->reason, lacking[_i].reason);
}

static void load_case(int i)
{
    load_on_cuda();
    set("%s", on_cuda[i]);
}

TEST_TIMES(cuda_leaves_nothing_after_any_failure, CUDA(N_ON_CUDA))
{
    load_on_cuda();
    fail_each_call(load_case, _i, &cuda->fail_at, &cuda->n_calls, GB_NO_MEMORY, end);
}
