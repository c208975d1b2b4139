/* test_device_cpu.c - the CPU device: what it says of the machine, how it measures. */
#include "plugins/device_cpu/cpu_device.h"
#include "tests/plugins/device_fixture.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>

static void setup(void)
{
    load_device("device_cpu", "cpu");
    set("flush", "64KiB");
}

TEST_FIXTURE(setup, close_device)

/* --- the machine --- */

struct facts {
    int n;
    char cpus[256];
    char kernel[256];
};

static void take_fact(void *context, const char *name, const char *value)
{
    struct facts *facts = context;
    facts->n++;
    ck_assert_uint_gt(strlen(name), 0);
    ck_assert_uint_gt(strlen(value), 0);
    if (strcmp(name, "cpus") == 0)
        snprintf(facts->cpus, sizeof facts->cpus, "%s", value);
    if (strcmp(name, "kernel") == 0)
        snprintf(facts->kernel, sizeof facts->kernel, "%s", value);
}

TEST(one_device_is_described)
{
    struct facts facts = {0};
    struct gb_device_info info = {.size = sizeof info};
    uint32_t n = 0;
    ck_assert_int_eq(ops->count(&fake->host, params, &n), GB_OK);
    ck_assert_uint_eq(n, 1);
    ck_assert_int_eq(ops->describe(&fake->host, params, 0, &info, take_fact, &facts), GB_OK);
    ck_assert_str_eq(info.backend, "cpu");
    ck_assert_uint_gt(strlen(info.model), 0);
    ck_assert_uint_gt(info.memory_bytes, 0);
    ck_assert_uint_gt(info.n_units, 0);
    ck_assert_str_eq(info.uuid, "");
    ck_assert_int_ge(facts.n, 2);
    ck_assert_int_eq(strncmp(facts.kernel, "Linux ", 6), 0);
    ck_assert_int_eq(ops->describe(&fake->host, params, 0, &info, NULL, NULL), GB_OK);
    ck_assert_int_eq(ops->describe(&fake->host, params, 1, &info, NULL, NULL), GB_NOT_FOUND);
    ck_assert_int_eq(ops->open(&fake->host, params, 1, &device), GB_NOT_FOUND);
}

TEST(sets_of_cpus_are_read)
{
    static const struct {
        const char *text, *canonical;
        uint32_t n;
    } cases[] = {{"0", "0", 1},
                 {"0-3,8", "0-3,8", 5},
                 {" 8 , 1 - 2,0", "0-2,8", 4},
                 {"5,5,4-6", "4-6", 3},
                 {"8191", "8191", 1}};
    static const char *const wrong[] = {"-1", "3-1", "1,", ",1", "a", "1;2", "8192", "1-", " "};
    for (size_t i = 0; i < N_OF(cases); i++) {
        struct gb_device_info info = {.size = sizeof info};
        struct facts facts = {0};
        set("cpus", cases[i].text);
        ck_assert_int_eq(ops->describe(&fake->host, params, 0, &info, take_fact, &facts), GB_OK);
        ck_assert_uint_eq(info.n_units, cases[i].n);
        ck_assert_str_eq(facts.cpus, cases[i].canonical);
    }
    for (size_t i = 0; i < N_OF(wrong); i++) {
        char expected[256];
        set("cpus", wrong[i]);
        snprintf(expected, sizeof expected,
                 "cpus: '%s' is not a set of CPUs: expected numbers below 8192 and ranges with "
                 "commas between them, such as 0-3,8",
                 wrong[i]);
        expect_closed(expected);
    }
}

static cpu_set_t cpus_here(void)
{
    cpu_set_t set;
    ck_assert_int_eq(sched_getaffinity(0, sizeof set, &set), 0);
    return set;
}

static unsigned first_cpu(const cpu_set_t *set)
{
    unsigned cpu = 0;
    while (!CPU_ISSET(cpu, set))
        cpu++;
    return cpu;
}

static const char *cpu_text(const cpu_set_t *set, const char *more)
{
    static char text[32];
    snprintf(text, sizeof text, "%u%s", first_cpu(set), more);
    return text;
}

TEST(the_process_is_pinned_until_it_is_closed)
{
    const cpu_set_t before = cpus_here();
    set("cpus", cpu_text(&before, ""));
    open_device();
    const cpu_set_t pinned = cpus_here();
    ck_assert_int_eq(CPU_COUNT(&pinned), 1);
    ck_assert_uint_eq(first_cpu(&pinned), first_cpu(&before));
    ops->close(device);
    device = NULL;
    const cpu_set_t now = cpus_here();
    ck_assert(CPU_EQUAL(&now, &before));
}

TEST_TIMES(cpus_that_are_not_there_are_refused, 2)
{
    const cpu_set_t before = cpus_here();
    set("cpus", _i == 0 ? "8191" : cpu_text(&before, ",8191"));
    expect_closed("cpus: this process may not use all of them: expected CPUs among ");
    const cpu_set_t now = cpus_here();
    ck_assert(CPU_EQUAL(&now, &before));
}

/* --- memory, queues, telemetry --- */

TEST(memory_is_there_to_be_used)
{
    unsigned char *memory = NULL;
    void *empty = NULL;
    unsigned char copy[3] = {0};
    struct gb_telemetry telemetry = {.size = sizeof telemetry};
    open_device();
    ck_assert_int_eq(ops->allocate(device, 1000, GB_MEMORY_DEVICE, (void **)&memory), GB_OK);
    ck_assert_uint_eq((uintptr_t)memory % 64, 0);
    ck_assert_int_eq(ops->fill(device, memory, 0x1ab, 1000), GB_OK);
    ck_assert_int_eq(ops->copy(device, copy, memory + 997, 3), GB_OK);
    ck_assert_mem_eq(copy, "\xab\xab\xab", 3);
    ck_assert_int_eq(ops->allocate(device, 0, GB_MEMORY_PINNED, &empty), GB_OK);
    ck_assert_ptr_nonnull(empty);
    ops->release(device, memory);
    ops->release(device, empty);
    ops->release(device, NULL);
    ck_assert_int_eq(ops->allocate(device, 1, 77, &empty), GB_INVALID);
    ck_assert_int_eq(ops->queue_create(device, &queue), GB_OK);
    ck_assert_uint_eq(queue->size, sizeof *queue);
    ck_assert_ptr_null(queue->native);
    ck_assert_int_eq(ops->queue_synchronize(device, queue), GB_OK);
    ops->queue_destroy(device, queue);
    ck_assert_int_eq(ops->telemetry(device, &telemetry), GB_OK);
    ck_assert_double_nan(telemetry.memory_clock_hz);
}

/* No page of it is first touched while a benchmark is timed. */
TEST(memory_has_its_pages)
{
    const uint64_t bytes = UINT64_C(1) << 20;
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    unsigned char is_there[256] = {0};
    char *memory = NULL;
    open_device();
    ck_assert_int_eq(ops->allocate(device, bytes, GB_MEMORY_DEVICE, (void **)&memory), GB_OK);
    char *first = memory + (page - (uintptr_t)memory % page) % page;
    const size_t n = (size_t)(memory + bytes - first) / page;
    ck_assert_uint_le(n, sizeof is_there);
    ck_assert_int_eq(mincore(first, n * page, is_there), 0);
    for (size_t i = 0; i < n; i++)
        ck_assert_msg(is_there[i] & 1, "page %zu of %zu is not there", i, n);
    ops->release(device, memory);
}

TEST(clocks_are_described)
{
    static const char *const names[] = {"wall", "cpu", "thread"};
    open_device();
    for (uint32_t i = 0; i < 3; i++) {
        struct gb_clock clock = {.size = sizeof clock};
        ck_assert_int_eq(ops->clock(device, i, &clock), GB_OK);
        ck_assert_uint_eq(clock.size, sizeof clock);
        ck_assert_str_eq(clock.name, names[i]);
        ck_assert_double_gt(clock.tick_ns, 0.0);
        ck_assert_double_ge(clock.overhead_ns, 0.0);
        ck_assert_double_eq(clock.min_sample_ns, 1000.0 * fmax(clock.tick_ns, clock.overhead_ns));
        ck_assert_uint_gt(strlen(clock.help), 0);
    }
    struct gb_clock clock = {.size = sizeof clock};
    ck_assert_int_eq(ops->clock(device, 3, &clock), GB_OK);
    ck_assert_str_eq(clock.name, "instructions");
    ck_assert_int_eq(ops->clock(device, 4, &clock), GB_NOT_FOUND);
    struct gb_clock shorter = {.size = offsetof(struct gb_clock, overhead_ns), .overhead_ns = -1.0};
    ck_assert_int_eq(ops->clock(device, 0, &shorter), GB_OK); /* an older host's struct */
    ck_assert_double_eq(shorter.overhead_ns, -1.0);
}

/* --- measuring --- */

static double now_ns(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

/* What the device asks the kernel: how often this thread was preempted. The test says how often. */
static long n_preempted;

GB_EXPORT int getrusage(__rusage_who_t who, struct rusage *usage)
{
    ck_assert_int_eq(who, RUSAGE_THREAD);
    *usage = (struct rusage){.ru_nivcsw = n_preempted};
    return 0;
}

/* A benchmark that counts its calls and takes at least a given time. */
struct spinner {
    double busy_ns;
    uint64_t n_runs, n_resets, iterations;
    uint64_t fails_at;     /* run number; 0: never */
    uint64_t preempted_at; /* the same */
};

static int32_t spin(void *object, const struct gb_queue *on, uint64_t iterations)
{
    struct spinner *spinner = object;
    const double begin_ns = now_ns(CLOCK_MONOTONIC_RAW);
    spinner->n_runs++;
    n_preempted += spinner->n_runs == spinner->preempted_at;
    spinner->iterations += iterations;
    while (now_ns(CLOCK_MONOTONIC_RAW) - begin_ns < spinner->busy_ns)
        GB_CLOBBER();
    return spinner->n_runs == spinner->fails_at ? GB_CANCELLED : GB_OK;
}

static int32_t count_reset(void *object, const struct gb_queue *on)
{
    struct spinner *spinner = object;
    ck_assert_uint_eq(spinner->n_resets++, spinner->n_runs);
    n_preempted++; /* outside of the sample */
    return GB_OK;
}

static const struct gb_bench_ops spinner_ops = {.size = sizeof spinner_ops, .run = spin};
static const struct gb_bench_ops reset_ops = {
    .size = sizeof reset_ops, .run = spin, .reset = count_reset};

static struct spinner spinner;

/* A measurement of a spinner on the open device. */
static struct gb_measurement spins(struct spinner with, uint64_t n)
{
    if (device == NULL)
        open_device();
    spinner = with;
    struct gb_measurement measurement = measurement_of(&spinner_ops, &spinner, n);
    measurement.iterations = 3;
    return measurement;
}

TEST(a_busy_wait_takes_its_time)
{
    struct gb_measurement measurement = spins((struct spinner){.busy_ns = 50e3}, SAMPLES);
    measured(&measurement, SAMPLES);
    ck_assert_uint_eq(measurement.n_lost, 0);
    ck_assert_uint_eq(measurement.clocks_filled & 1u, 1u);
    ck_assert_uint_eq(spinner.n_runs, SAMPLES);
    ck_assert_uint_eq(spinner.iterations, 3 * SAMPLES);
    for (size_t i = 0; i < SAMPLES; i++) {
        ck_assert_double_ge(columns[0][i], 50e3);
        ck_assert_double_ge(columns[END][i], columns[BEGIN][i]);
        if (i > 0)
            ck_assert_double_ge(columns[BEGIN][i], columns[END][i - 1]);
        ck_assert_double_ge(columns[CLOCK_HZ][i], 0.0);
        ck_assert_uint_le(flags[i], GB_SAMPLE_THROTTLED | GB_SAMPLE_INTERRUPTED);
    }
}

TEST_TIMES(every_clock_can_count, 3)
{
    struct gb_measurement measurement = spins((struct spinner){.busy_ns = 1e3}, SAMPLES);
    measurement.clock = (uint32_t)_i;
    ck_assert_int_eq(ops->measure(device, &measurement), GB_OK);
    ck_assert_uint_ne(measurement.clocks_filled & 1u << _i, 0);
    ck_assert_uint_eq(measurement.clocks_filled & ~7u, 0);
    for (uint32_t i = 0; i < 3; i++) {
        if ((measurement.clocks_filled >> i & 1u) != 0)
            ck_assert_double_gt(columns[i][SAMPLES - 1], 0.0);
    }
    measurement.clock = 3;
    ck_assert_int_eq(ops->measure(device, &measurement), GB_INVALID);
    measurement.clock = 0;
    measurement.time_ns[0] = NULL;
    ck_assert_int_eq(ops->measure(device, &measurement), GB_INVALID);
}

TEST(no_sample_begins_after_the_deadline)
{
    struct gb_measurement measurement = spins((struct spinner){.busy_ns = 2e6}, SAMPLES);
    measurement.deadline_ns = 1.0; /* long gone */
    measured(&measurement, 0);
    ck_assert_uint_eq(spinner.n_runs, 0);

    measurement.deadline_ns = now_ns(CLOCK_MONOTONIC) + 10e6;
    ck_assert_int_eq(ops->measure(device, &measurement), GB_OK);
    ck_assert_uint_le(measurement.n_done, 6); /* the last may begin just before it */
    ck_assert_uint_eq(spinner.n_runs, measurement.n_done);
}

TEST(gaps_follow_the_samples)
{
    enum { N = 4 };
    const double gap_ns = 3e6;
    struct gb_measurement measurement = spins((struct spinner){.busy_ns = 1e4}, N);
    measurement.gap_ns = gap_ns;
    measured(&measurement, N);
    const double end_ns = now_ns(CLOCK_MONOTONIC);
    for (size_t i = 1; i < N; i++)
        ck_assert_double_ge(columns[BEGIN][i] - columns[END][i - 1], gap_ns);
    ck_assert_double_ge(end_ns - columns[END][N - 1], gap_ns);

    /* An hour, of a run that is cancelled. */
    measurement.gap_ns = 3.6e12;
    fake->is_cancelled = 1;
    measured(&measurement, 1);
}

TEST(a_failing_run_ends_the_batch)
{
    struct gb_measurement measurement = spins((struct spinner){.fails_at = 5}, SAMPLES);
    ck_assert_int_eq(ops->measure(device, &measurement), GB_CANCELLED);
    ck_assert_uint_eq(measurement.n_done, 4);
    ck_assert_uint_eq(spinner.n_runs, 5);
}

/* With and without a reset before each sample, in which preemption is nobody's. */
TEST_TIMES(the_sample_that_was_preempted_is_marked, 2)
{
    struct gb_measurement measurement = spins((struct spinner){.preempted_at = 7}, SAMPLES);
    n_preempted = 5;
    measurement.bench_ops = _i == 0 ? &spinner_ops : &reset_ops;
    ck_assert_int_eq(ops->measure(device, &measurement), GB_OK);
    for (uint64_t i = 0; i < SAMPLES; i++)
        ck_assert_uint_eq(flags[i] & GB_SAMPLE_INTERRUPTED,
                          i + 1 == spinner.preempted_at ? GB_SAMPLE_INTERRUPTED : 0);
    ck_assert_uint_eq(spinner.n_resets, _i == 0 ? 0 : SAMPLES);
}

/* One word of each line of the buffer goes up by one a walk. */
TEST(a_cold_sample_walks_the_whole_buffer)
{
    struct gb_measurement measurement = spins((struct spinner){0}, 7);
    const struct flush_buffer *flush = &((const struct cpu_device *)device)->flush;
    measured(&measurement, 7);
    ck_assert_ptr_null(flush->words); /* warm: no memory is taken */
    measurement.cache = GB_CACHE_COLD;
    ck_assert_int_eq(ops->measure(device, &measurement), GB_OK);
    ck_assert_int_eq(ops->flush_cache(device, NULL), GB_OK);
    ck_assert_uint_eq(flush->bytes, 65536);
    const uint64_t stride = flush->line_bytes / sizeof(uint64_t);
    for (uint64_t i = 0; i < flush->bytes / sizeof(uint64_t); i++)
        ck_assert_uint_eq(flush->words[i],
                          UINT64_C(0x0101010101010101) + (i % stride == 0 ? 7 + 1 : 0));
}

TEST(the_flush_buffer_is_sized_by_the_cache)
{
    struct gb_device_info info = {.size = sizeof info};
    set("flush", "0");
    open_device();
    ck_assert_int_eq(ops->describe(&fake->host, params, 0, &info, NULL, NULL), GB_OK);
    const struct flush_buffer *flush = &((const struct cpu_device *)device)->flush;
    const uint64_t wanted = info.cache_bytes > 0 ? info.cache_bytes + info.cache_bytes / 4
                                                 : UINT64_C(64) << 20;
    ck_assert_uint_eq(flush->bytes,
                      wanted < info.memory_bytes / 4 ? wanted : info.memory_bytes / 4);
}

/* --- sensors --- */

/* As the kernel's files are: a number and a line feed, shorter or longer than before. */
static void write_number(int file, uint64_t number)
{
    char text[32];
    const int n = snprintf(text, sizeof text, "%llu\n", (unsigned long long)number);
    ck_assert_int_eq(ftruncate(file, 0), 0);
    ck_assert_int_eq(pwrite(file, text, (size_t)n, 0), n);
}

/* Puts a file of the test's own in the place of one of the system's. */
static void replace_file(int *sensor, uint64_t number)
{
    if (*sensor >= 0)
        close(*sensor);
    *sensor = memfd_create("number", MFD_CLOEXEC);
    ck_assert_int_ge(*sensor, 0);
    write_number(*sensor, number);
}

/* The third run of two batches counts an event; the samples of its batch are marked, no others. */
static struct sensors *sensors;

static int32_t throttle_at_third(void *object, const struct gb_queue *on, uint64_t iterations)
{
    static int n_runs;
    if (++n_runs == 3)
        write_number(sensors->core_throttle_file, 8);
    return spin(object, on, iterations);
}

TEST(a_throttled_batch_is_marked)
{
    static const struct gb_bench_ops throttling = {.size = sizeof throttling,
                                                   .run = throttle_at_third};
    struct gb_telemetry telemetry = {.size = sizeof telemetry};
    open_device();
    sensors = &((struct cpu_device *)device)->sensors;
    replace_file(&sensors->frequency_file, 2400000); /* kHz */
    replace_file(&sensors->core_throttle_file, 7);
    replace_file(&sensors->package_throttle_file, 3);
    sensors->frequency_read_at_ns = -INFINITY;
    sensors->throttle_counts[0] = 7;
    sensors->throttle_counts[1] = 3;
    for (int batch = 0; batch < 2; batch++) {
        struct gb_measurement measurement = spins((struct spinner){0}, 4);
        measurement.bench_ops = &throttling;
        measured(&measurement, 4);
        for (uint64_t i = 0; i < 4; i++) {
            ck_assert_double_eq(columns[CLOCK_HZ][i], 2.4e9);
            ck_assert_uint_eq(throttle[i], batch == 0 ? THROTTLE_CORE : 0);
            ck_assert_uint_eq(flags[i] & GB_SAMPLE_THROTTLED, batch == 0 ? GB_SAMPLE_THROTTLED : 0);
        }
    }
    ck_assert_int_eq(ops->telemetry(device, &telemetry), GB_OK);
    ck_assert_double_eq(telemetry.clock_hz, 2.4e9);
    ck_assert_uint_eq(telemetry.throttle, THROTTLE_CORE);
}

/* --- several threads --- */

enum { THREADS = 3 };

/* Each thread waits in run until all have come there: it ends only if they run at the same time. */
struct meeting {
    _Atomic uint64_t n_come;
    uint64_t n_runs[THREADS]; /* by thread */
    int n_cpus[THREADS];      /* that it may run on */
    double busy_ns;           /* for thread i: i times as long */
    uint32_t fails;           /* number of the thread whose run fails; THREADS: none */
};

static int n_cpus_here(void)
{
    const cpu_set_t set = cpus_here();
    return CPU_COUNT(&set);
}

static int32_t meet(void *object, const struct gb_queue *on, uint64_t iterations)
{
    struct meeting *meeting = object;
    const uint32_t thread = GB_THREAD(on), n = GB_THREADS(on);
    const double begin_ns = now_ns(CLOCK_MONOTONIC_RAW);
    const uint64_t all = (meeting->n_runs[thread] += iterations) * n;
    meeting->n_come += iterations;
    while (meeting->n_come < all)
        sched_yield();
    while (now_ns(CLOCK_MONOTONIC_RAW) - begin_ns < thread * meeting->busy_ns)
        GB_CLOBBER();
    meeting->n_cpus[thread] = n_cpus_here();
    return thread == meeting->fails ? GB_DEVICE_ERROR : GB_OK;
}

static const struct gb_bench_ops meeting_ops = {
    .size = sizeof meeting_ops, .flags = GB_BENCH_THREADS, .run = meet};
static double thread_ns[THREADS * SAMPLES];
static uint32_t clocks_filled; /* of the last measurement of a meeting */

static int32_t measure_meeting(struct meeting *meeting, uint32_t n, uint64_t n_samples)
{
    if (device == NULL)
        open_device();
    ck_assert_int_eq(ops->queue_create(device, &queue), GB_OK);
    int32_t status = ops->set_threads(device, queue, n);
    if (status == GB_OK) {
        struct gb_measurement measurement = measurement_of(&meeting_ops, meeting, n_samples);
        memset(thread_ns, 0xff, sizeof thread_ns);
        measurement.iterations = 3;
        measurement.thread_ns = thread_ns;
        ck_assert_uint_eq(GB_THREADS(queue), n);
        status = ops->measure(device, &measurement);
        ck_assert(status != GB_OK || measurement.n_done == n_samples);
        clocks_filled = measurement.clocks_filled;
    }
    ops->queue_destroy(device, queue);
    queue = NULL;
    return status;
}

TEST(threads_run_at_the_same_time)
{
    struct meeting meeting = {.fails = THREADS, .busy_ns = 20e3};
    const int n_cpus = n_cpus_here();
    ck_assert_int_eq(measure_meeting(&meeting, THREADS, 20), GB_OK);
    for (uint32_t i = 0; i < THREADS; i++)
        ck_assert_uint_eq(meeting.n_runs[i], 20 * 3); /* iterations each */
    for (size_t i = 0; i < 20; i++) {
        double longest_ns = 0;
        for (uint32_t j = 0; j < THREADS; j++) {
            ck_assert_double_ge(thread_ns[THREADS * i + j], j * 20e3);
            longest_ns = fmax(longest_ns, thread_ns[THREADS * i + j]);
        }
        ck_assert_double_eq(columns[0][i], longest_ns);
        ck_assert_double_le(longest_ns, 1.01 * (columns[END][i] - columns[BEGIN][i]));
        /* Processor time, where that clock is cheap enough to be read with the other one. */
        if (clocks_filled >> 1 & 1)
            ck_assert_double_gt(columns[1][i], 0.0);
        else
            ck_assert_double_nan(columns[1][i]);
    }
    ck_assert_int_eq(n_cpus_here(), n_cpus >= THREADS ? 1 : n_cpus); /* thread 0 is this one */
}

/* One thread again: run is called by the measuring thread, which may run anywhere. */
TEST(one_thread_is_the_one_that_measures)
{
    struct meeting meeting = {.fails = THREADS};
    const int n_cpus = n_cpus_here();
    ck_assert_int_eq(measure_meeting(&meeting, 2, 2), GB_OK);
    ck_assert_int_eq(measure_meeting(&(struct meeting){.fails = THREADS}, 1, 5), GB_OK);
    ck_assert_double_nan(thread_ns[0]); /* not wanted of one */
    ck_assert_int_eq(n_cpus_here(), n_cpus);
}

TEST_TIMES(a_failing_thread_ends_the_batch, THREADS)
{
    struct meeting meeting = {.fails = (uint32_t)_i};
    ck_assert_int_eq(measure_meeting(&meeting, THREADS, 10), GB_DEVICE_ERROR);
    ck_assert_uint_eq(meeting.n_runs[THREADS - 1], 3);
}

static const char *const pins[] = {"scatter", "compact", "none"};

TEST_EACH(threads_are_bound_where_there_are_enough_cpus, pins)
{
    struct meeting meeting = {.fails = THREADS};
    const int n_cpus = n_cpus_here();
    const uint32_t n = n_cpus < THREADS ? (uint32_t)n_cpus : THREADS;
    set("pin", pins[_i]);
    ck_assert_int_eq(measure_meeting(&meeting, n, 3), GB_OK);
    for (uint32_t i = 0; i < n; i++)
        ck_assert_int_eq(meeting.n_cpus[i], _i < 2 && n > 1 ? 1 : n_cpus);
    if (n_cpus >= THREADS)
        return;
    meeting = (struct meeting){.fails = THREADS};
    ck_assert_int_eq(measure_meeting(&meeting, THREADS, 3), GB_OK);
    ck_assert_int_eq(meeting.n_cpus[THREADS - 1], n_cpus);
}

TEST(options_that_cannot_be_are_refused)
{
    const cpu_set_t here = cpus_here();
    struct meeting meeting = {.fails = THREADS};
    set("pin", "dense");
    expect_closed("pin: 'dense': expected none, compact, scatter or CPUs such as 0-3,8");
    set("pin", "none");
    set("numa_node", "1023");
    expect_closed("numa_node = 1023: unknown node");
    set("numa_node", "-1");
    set("pin", cpu_text(&here, ""));
    ck_assert_int_eq(measure_meeting(&meeting, 2, 1), GB_FAILED);
    ck_assert_str_eq(fake->reason, "pin: 1 CPU for 2 threads: expected one for each");
}

/* Where memory must not be bound to a node that is there, that is what is said. */
TEST(memory_is_bound_to_a_node_or_the_reason_is_given)
{
    struct meeting meeting = {.fails = THREADS};
    set("numa_node", "0");
    if (ops->open(&fake->host, params, 0, &device) == GB_OK)
        ck_assert_int_eq(measure_meeting(&meeting, 2, 3), GB_OK);
    else
        expect_reason("numa_node = 0: ");
}

/* From here on a system call ends with EPERM in this process, as containers have it. */
static void forbid(uint32_t number)
{
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {N_OF(code), code};
    ck_assert_int_eq(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), 0);
    ck_assert_int_eq(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program), 0);
}

TEST(who_forbids_to_bind_memory_is_named)
{
    if (access("/sys/devices/system/node/node0", F_OK) != 0)
        return;
    forbid(SYS_set_mempolicy);
    set("numa_node", "0");
    expect_closed(
        "numa_node = 0: memory cannot be bound to it: Operation not permitted; a container "
        "has to permit set_mempolicy (seccomp)");
}
