/* test_way.c - the way of samples through the CUDA device, with a driver that only notes what it is
 * asked: what is called in which order, and which samples are handed over. */
#include "plugins/device_cuda/way.h"
#include "tests/check_main.h"
#include "tests/fake_cuda/fake_driver.h"

enum { SAMPLES = 8 };

static char calls[512];

static void call(const char *name)
{
    const size_t length = strlen(calls);
    snprintf(calls + length, sizeof calls - length, "%s%s", length > 0 ? " " : "", name);
}

/* --- the driver: stamp 2 i reads 1000 i ns, stamp 2 i + 1 is 100 + i ns later --- */

#pragma GCC diagnostic ignored "-Wmissing-prototypes"
SUCCEEDS(way_synchronize, (CUstream stream), call("wait"))
SUCCEEDS(way_context, (void), call("wait-for-all"))
SUCCEEDS(way_event_create, (CUevent * ret, unsigned flags), *ret = NULL)
SUCCEEDS(way_record, (CUevent event, CUstream stream), call("event"))
SUCCEEDS(way_elapsed, (float *ret_ms, CUevent start, CUevent stop), call("read"); *ret_ms = 0.5f)
SUCCEEDS(way_fill, (CUdeviceptr to, unsigned char byte, size_t n, CUstream stream), call("flush"))
SUCCEEDS(way_launch, (CUgraphExec graph, CUstream stream), call("graph"))
SUCCEEDS(way_free, (CUgraphExec graph), call("free"))

static CUresult way_copy(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream)
{
    uint64_t *stamps = (uint64_t *)(uintptr_t)to;
    call("read");
    for (uint64_t i = 0; i < bytes / (2 * sizeof *stamps); i++)
        stamps[2 * i] = 1000 * (i / 2 + 1) + (i % 2) * (100 + i / 2);
    return CUDA_SUCCESS;
}

static int32_t fail_run_at, n_runs;

static int32_t run(void *bench, const struct gb_queue *queue, uint64_t iterations)
{
    call("run");
    return ++n_runs == fail_run_at ? GB_SKIPPED : GB_OK;
}

static int32_t reset(void *bench, const struct gb_queue *queue)
{
    call("reset");
    return GB_OK;
}

/* --- a measurement --- */

static const struct gb_bench_ops bench_ops = {.size = sizeof bench_ops, .run = run, .reset = reset};
static const struct gb_queue queue = {.size = sizeof queue};
static const struct params params = {.batch_depth = 128, .cupti = "no"};
static uint64_t host_stamps[4 * SAMPLES];
static struct cuda_device device;
static struct way way;
static struct gb_measurement measurement;
static double times[SAMPLES], begin[SAMPLES], end[SAMPLES], hz[SAMPLES];
static uint64_t throttle[SAMPLES];
static uint32_t flags[SAMPLES];

static void setup(void)
{
    device = (struct cuda_device){.params = &params,
                                  .driver = {.stream_synchronize = way_synchronize,
                                             .context_synchronize = way_context,
                                             .event_create = way_event_create,
                                             .event_record = way_record,
                                             .event_elapsed = way_elapsed,
                                             .fill_async = way_fill,
                                             .graph_launch = way_launch,
                                             .graph_exec_destroy = way_free,
                                             .copy_async = way_copy},
                                  .stamps = {.read = (struct stamp *)(void *)host_stamps}};
    device.stamps.driver = &device.driver;
    memset(&way, 0, sizeof way);
    measurement = (struct gb_measurement){.size = sizeof measurement,
                                          .cache = GB_CACHE_COLD,
                                          .n_samples = 2,
                                          .iterations = 1,
                                          .bench_ops = &bench_ops,
                                          .queue = &queue,
                                          .begin_ns = begin,
                                          .end_ns = end,
                                          .clock_hz = hz,
                                          .throttle = throttle,
                                          .flags = flags};
    measurement.time_ns[0] = times;
    calls[0] = '\0';
    fail_run_at = n_runs = 0;
}

TEST_FIXTURE(setup, NULL)

static void take(uint32_t kind, uint64_t n)
{
    way.kind = kind;
    if (kind == WAY_STAMPS)
        way.graph = (struct graph){.exec = (CUgraphExec)(uintptr_t)16, .n = 3};
    way.waits_for_each = kind == WAY_WALL;
    measurement.n_samples = n;
    measurement.n_done = measurement.n_lost = 0;
    ck_assert_int_eq(way_take(&device, &way, &measurement), GB_OK);
    ck_assert_uint_eq(measurement.n_done, measurement.deadline_ns > 0 ? 0 : n);
}

/* The first sample of a benchmark is a launch by itself, as nothing is known of it yet. */
static const struct {
    uint32_t kind;
    const char *first, *others;
} orders[] = {
    {WAY_STAMPS, "graph read wait", "graph read wait"},
    {WAY_EVENTS, "reset flush event run event wait read",
     "reset flush event run event reset flush event run event wait read read"},
    {WAY_WALL, "reset flush wait run wait wait",
     "reset flush wait run wait reset flush wait run wait wait"},
};

TEST_EACH(samples_are_prepared_launched_and_read, orders)
{
    take(orders[_i].kind, 1);
    ck_assert_str_eq(calls, orders[_i].first);
    way_drop_ready(&way);
    calls[0] = '\0';
    take(orders[_i].kind, 2);
    ck_assert_str_eq(calls, orders[_i].others);
}

TEST(a_graph_that_has_no_reset_in_it_gets_it_before)
{
    way.reset_is_called = true;
    take(WAY_STAMPS, 1);
    ck_assert_str_eq(calls, "reset graph read wait");
}

TEST(what_no_work_reads_is_subtracted)
{
    way.reading.offset_ns = 30;
    take(WAY_STAMPS, 3);
    for (int i = 0; i < 3; i++)
        ck_assert_double_eq(times[i], 100 + i - 30);
    take(WAY_EVENTS, 1);
    ck_assert_double_eq_tol(times[0], 0.5e6 - 30, 1e-3);
}

/* A launch is of three samples: of five the fifth, and not the sixth, is handed over. */
TEST(what_a_launch_gives_beyond_is_the_first_of_the_next_call)
{
    take(WAY_STAMPS, 5);
    ck_assert_str_eq(calls, "graph read wait graph read wait");
    take(WAY_STAMPS, 2);
    ck_assert_str_eq(calls, "graph read wait graph read wait graph read wait");
    ck_assert_double_eq(times[0], 102);
    ck_assert_double_eq(times[1], 100);
    way_drop_ready(&way);
    take(WAY_STAMPS, 1);
    ck_assert_double_eq(times[0], 100);
    ck_assert_str_eq(calls + strlen(calls) - strlen("graph read wait"), "graph read wait");
}

TEST(nothing_is_launched_after_the_deadline)
{
    measurement.deadline_ns = 1;
    take(WAY_STAMPS, 2);
    ck_assert_str_eq(calls, "");
    take(WAY_EVENTS, 2);
    ck_assert_str_eq(calls, "wait");
}

/* Nor are the samples before it in the same launch. */
TEST(a_sample_that_fails_is_not_handed_over)
{
    take(WAY_EVENTS, 1);
    fail_run_at = 3;
    measurement.n_samples = 4;
    measurement.n_done = 0;
    ck_assert_int_eq(way_take(&device, &way, &measurement), GB_SKIPPED);
    ck_assert_uint_eq(measurement.n_done, 0);
    fail_run_at = 0;
    calls[0] = '\0';
    take(WAY_EVENTS, 1);
    ck_assert_str_eq(calls, "reset flush event run event wait read");
}

TEST(without_stamps_runs_are_called_one_by_one)
{
    take(WAY_STAMPS, 1);
    way_leave_stamps(&device, &way);
    ck_assert_uint_eq(way.kind, WAY_EVENTS);
    ck_assert_ptr_null(way.graph.exec);
    calls[0] = '\0';
    take(WAY_EVENTS, 1);
    ck_assert_str_eq(calls, "reset flush event run event wait read");
}
