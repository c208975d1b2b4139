/* test_device_cuda.c - the CUDA device: what it says without a GPU; how it measures with one. */
#include "tests/plugins/device_fixture.h"

static int n_logs;

static void take_log(const struct gb_host *host, int32_t severity, const char *text)
{
    n_logs += severity == GB_LOG_WARNING || severity == GB_LOG_ERROR;
}

static void setup(void)
{
    load_device("device_cuda", "cuda");
    fake->host.log = take_log;
    n_logs = 0;
}

static void tear_down(void)
{
    if (queue != NULL)
        ops->queue_destroy(device, queue);
    close_device();
}

TEST_FIXTURE(setup, tear_down)

/* --- with no device --- */

TEST(an_absent_device_is_explained)
{
    struct gb_device_info info = {.size = sizeof info};
    uint32_t n = 7;
    setenv("CUDA_VISIBLE_DEVICES", "", 1);
    ck_assert_int_eq(ops->count(&fake->host, params, &n), GB_SKIPPED);
    ck_assert_uint_eq(n, 0);
    const char *const expected[] = {
        "no driver library: libcuda.so.1: ", "no permission: ", "the driver is too old: ",
        "the driver cannot be initialized: ", "no device"};
    bool is_explained = false;
    for (size_t i = 0; i < N_OF(expected); i++)
        is_explained = is_explained || strncmp(fake->reason, expected[i], strlen(expected[i])) == 0;
    ck_assert_msg(is_explained, "%s", fake->reason);
    fake->reason[0] = '\0';
    ck_assert_int_eq(ops->open(&fake->host, params, 0, &device), GB_FAILED);
    ck_assert_ptr_null(device);
    ck_assert_uint_gt(strlen(fake->reason), 0);
    ck_assert_int_eq(ops->describe(&fake->host, params, 0, &info, NULL, NULL), GB_FAILED);
}

/* --- on a GPU --- */

/* In a process of its own, since Check's must not start the driver before it forks. */
static int has_gpu(void)
{
    static int has = -1;
    const char *program = getenv("GBRUN");
    char command[1024];
    if (has >= 0)
        return has;
    snprintf(command, sizeof command, "%s list devices 2>/dev/null | grep -q '^cuda:0 '",
             program != NULL ? program : "gbrun");
    has = system(command) == 0;
    if (!has)
        puts("# there is no GPU that gbrun can use: the tests that need one are left out");
    fflush(stdout);
    return has;
}

enum { PINNED_BYTES = 4096 };

static void open_it(void)
{
    open_device();
    ck_assert_int_eq(ops->queue_create(device, &queue), GB_OK);
}

/* A fill on the device: its own flush. */
static int32_t flush(void *object, const struct gb_queue *on, uint64_t iterations)
{
    int32_t status = GB_OK;
    for (uint64_t i = 0; i < iterations && status == GB_OK; i++)
        status = ops->flush_cache(device, on);
    return status;
}

static int32_t nothing(void *object, const struct gb_queue *on, uint64_t iterations)
{
    return GB_OK;
}

static const struct gb_bench_ops flush_ops = {.size = sizeof flush_ops, .run = flush};
static const struct gb_bench_ops nothing_ops = {.size = sizeof nothing_ops, .run = nothing};

static uint32_t clock_named(const char *name)
{
    struct gb_clock clock = {.size = sizeof clock};
    for (uint32_t i = 0; ops->clock(device, i, &clock) == GB_OK; i++) {
        if (strcmp(clock.name, name) == 0)
            return i;
    }
    ck_abort_msg("no clock %s", name);
    return 0;
}

static struct gb_measurement timed_by(const char *clock, const struct gb_bench_ops *bench_ops,
                                      uint64_t n)
{
    struct gb_measurement measurement = measurement_of(bench_ops, &columns, n);
    measurement.clock = clock_named(clock);
    return measurement;
}

TEST_TIMES(a_gpu_is_described, has_gpu())
{
    struct gb_device_info info = {.size = sizeof info};
    struct gb_telemetry telemetry = {.size = sizeof telemetry};
    uint32_t n = 0;
    ck_assert_int_eq(ops->count(&fake->host, params, &n), GB_OK);
    ck_assert_uint_gt(n, 0);
    ck_assert_int_eq(ops->describe(&fake->host, params, 0, &info, NULL, NULL), GB_OK);
    ck_assert_str_eq(info.backend, "cuda");
    ck_assert_uint_eq(strlen(info.uuid), strlen("GPU-00000000-0000-0000-0000-000000000000"));
    ck_assert_uint_gt(info.memory_bytes, 0);
    ck_assert_uint_gt(info.cache_bytes, 0);
    ck_assert_uint_gt(info.n_units, 0);
    ck_assert_int_eq(ops->describe(&fake->host, params, n, &info, NULL, NULL), GB_NOT_FOUND);
    open_it();
    ck_assert_int_eq(ops->telemetry(device, &telemetry), GB_OK);
    ck_assert_double_gt(telemetry.clock_hz, 0.0);
}

TEST_TIMES(memory_is_copied_and_filled, has_gpu())
{
    unsigned char *memory = NULL;
    unsigned char *pinned = NULL;
    void *too_much = NULL;
    unsigned char copy[3] = {0};
    open_it();
    ck_assert_int_eq(ops->allocate(device, 1000, GB_MEMORY_DEVICE, (void **)&memory), GB_OK);
    ck_assert_int_eq(ops->allocate(device, PINNED_BYTES, GB_MEMORY_PINNED, (void **)&pinned),
                     GB_OK);
    ck_assert_int_eq(ops->fill(device, memory, 0x1ab, 1000), GB_OK);
    ck_assert_int_eq(ops->copy(device, copy, memory + 997, 3), GB_OK);
    ck_assert_mem_eq(copy, "\xab\xab\xab", 3);
    ck_assert_int_eq(ops->copy(device, pinned, memory, 1000), GB_OK);
    ck_assert_uint_eq(pinned[999], 0xab);
    ck_assert_int_eq(ops->allocate(device, UINT64_C(1) << 46, GB_MEMORY_DEVICE, &too_much),
                     GB_NO_MEMORY);
    expect_reason("out of memory (CUDA_ERROR_OUT_OF_MEMORY): 6.55e+04 GiB");
    ck_assert_int_eq(ops->allocate(device, 1, 77, &too_much), GB_INVALID);
    ops->release(device, memory);
    ops->release(device, pinned);
    ops->release(device, NULL);
}

static void check_times(uint32_t clock)
{
    for (size_t i = 0; i < SAMPLES; i++) {
        ck_assert_double_gt(columns[clock][i], 1e3);
        ck_assert_double_lt(columns[clock][i], 1e8);
        ck_assert_double_gt(columns[END][i], columns[BEGIN][i]);
        if (i > 0)
            ck_assert_double_ge(columns[BEGIN][i], columns[END][i - 1] - 1.0);
    }
}

TEST_TIMES(every_clock_counts, has_gpu())
{
    static const char *const names[] = {"kernel", "event", "wall", "record"};
    open_it();
    ck_assert_uint_eq(clock_named("kernel"), 0);
    for (size_t j = 0; j < 4; j++) {
        struct gb_clock words = {.size = sizeof words};
        const uint32_t clock = clock_named(names[j]);
        struct gb_measurement measurement = timed_by(names[j], &flush_ops, SAMPLES);
        measurement.cache = j % 2 == 0 ? GB_CACHE_WARM : GB_CACHE_COLD;
        measured(&measurement, SAMPLES);
        ck_assert_uint_eq(measurement.n_lost, 0);
        ck_assert_uint_ne(measurement.clocks_filled >> clock & 1u, 0);
        check_times(clock);
        ck_assert_int_eq(ops->clock(device, clock, &words), GB_OK);
        ck_assert_double_gt(words.tick_ns, 0.0);
        ck_assert_int_eq(words.overhead_ns > 0.0, j == 1 || j == 2);
    }
    ck_assert_int_eq(n_logs, 0);
}

/* Of one fill a graph is made, two are put into the stream, unless a graph is asked for; each says
 * how it was read. */
TEST_TIMES(the_way_of_reading_is_said, has_gpu())
{
    static const struct {
        uint64_t iterations;
        uint32_t asked, used;
    } rows[] = {
        {1, GB_LAUNCH_AUTO, GB_LAUNCH_GRAPH},
        {2, GB_LAUNCH_AUTO, GB_LAUNCH_STREAM},
        {2, GB_LAUNCH_GRAPH, GB_LAUNCH_GRAPH},
        {1, GB_LAUNCH_STREAM, GB_LAUNCH_STREAM},
    };
    open_it();
    for (size_t i = 0; i < N_OF(rows); i++) {
        struct gb_reading reading = {.size = sizeof reading};
        struct gb_measurement measurement = timed_by("kernel", &flush_ops, SAMPLES);
        const bool is_graph = rows[i].used == GB_LAUNCH_GRAPH;
        measurement.iterations = rows[i].iterations;
        measurement.launch = rows[i].asked;
        measurement.reading = &reading;
        measured(&measurement, SAMPLES);
        ck_assert_uint_eq(measurement.clocks_filled, 1u << clock_named("kernel"));
        ck_assert_uint_eq(reading.launch, rows[i].used);
        ck_assert_uint_eq(reading.flags & ~(uint32_t)GB_CLOCK_CYCLES,
                          is_graph ? GB_CLOCK_DITHERED : 0);
        ck_assert_double_gt(reading.offset_ns, 100.0);
        ck_assert_double_lt(reading.offset_error_ns, is_graph ? 5.0 : 200.0);
        ck_assert_int_eq(reading.graph_ns > 0.0, i == 1);
        ck_assert_str_eq(reading.note, "");
        for (size_t j = 0; j < SAMPLES; j++)
            ck_assert_uint_eq(flags[j] & GB_SAMPLE_INTERRUPTED, 0);
    }
}

TEST_TIMES(no_work_is_an_error_of_the_kernel_clock_only, has_gpu())
{
    open_it();
    struct gb_measurement measurement = timed_by("kernel", &nothing_ops, 3);
    measurement.launch = GB_LAUNCH_AUTO;
    ck_assert_int_eq(ops->measure(device, &measurement), GB_FAILED);
    ck_assert_str_eq(fake->reason,
                     "run put no work on its queue from its own thread, so that the clock kernel "
                     "has nothing to time: use clock = wall");
    measurement = timed_by("event", &nothing_ops, 3);
    measured(&measurement, 3);
}

static int32_t wait_inside(void *object, const struct gb_queue *on, uint64_t iterations)
{
    const int32_t status = flush(object, on, iterations);
    return status == GB_OK ? ops->fill(device, object, 0, 1) : status; /* waits for the device */
}

static const struct gb_bench_ops waiting_ops = {.size = sizeof waiting_ops, .run = wait_inside};

/* Held back three times in a row in vain, it is read from records, or by events that have no gaps
 * to leave out. */
TEST_TIMES(a_benchmark_that_waits_is_let_go, has_gpu())
{
    static const char *const names[] = {"kernel", "event"};
    open_it();
    for (size_t i = 0; i < 2; i++) {
        void *memory = NULL;
        struct gb_reading reading = {.size = sizeof reading};
        ck_assert_int_eq(ops->allocate(device, 1, GB_MEMORY_DEVICE, &memory), GB_OK);
        struct gb_measurement measurement = timed_by(names[i], &waiting_ops, 5);
        measurement.bench = memory;
        measurement.reading = &reading;
        measured(&measurement, 5);
        ck_assert_uint_eq(flags[4] & GB_SAMPLE_INTERRUPTED, 0);
        ck_assert_int_eq(strstr(reading.note, "run waits for the device") != NULL, i == 0);
        ck_assert_int_eq(n_logs, (int)i);
        ops->release(device, memory);
    }
}

TEST_TIMES(no_sample_is_begun_after_the_deadline, has_gpu())
{
    open_it();
    struct gb_measurement measurement = timed_by("kernel", &flush_ops, SAMPLES);
    measurement.deadline_ns = 1.0;
    measured(&measurement, 0);
    ck_assert_uint_eq(measurement.n_lost, 0);
}

static uint32_t n_findings;

static void take_finding(void *context, const struct gb_finding *finding)
{
    ck_assert_uint_ge(finding->size, sizeof *finding);
    ck_assert_uint_gt(strlen(finding->subject), 0);
    ck_assert_uint_gt(strlen(finding->state), 0);
    ck_assert_int_eq(finding->is_noisy != 0, finding->why[0] != '\0');
    n_findings++;
}

TEST_TIMES(a_gpu_is_examined, has_gpu())
{
    n_findings = 0;
    ck_assert_int_eq(ops->examine(&fake->host, params, 0, take_finding, NULL), GB_OK);
    ck_assert_uint_ge(n_findings, 8);
    ck_assert_int_eq(ops->examine(&fake->host, params, 999, take_finding, NULL), GB_NOT_FOUND);
}
