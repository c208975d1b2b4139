/* test_bench_plugins.c - nop, copy, spin, multistream_matmul and the skeleton: right, and found out
 * if not. */
#include "tests/check_main.h"
#include "tests/plugins/bench_fixture.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* --- descriptors --- */

TEST(descriptors_are_complete)
{
    static const struct {
        const char *folder, *id;
        uint32_t kind;
    } all[] = {
        {"policy_fixed", "fixed", GB_PLUGIN_POLICY},
        {"policy_fixed", "budget", GB_PLUGIN_POLICY},
        {"policy_stdrel", "stdrel", GB_PLUGIN_POLICY},
        {"policy_entropy", "entropy", GB_PLUGIN_POLICY},
        {"policy_median", "median_ci", GB_PLUGIN_POLICY},
        {"policy_median", "median_cs", GB_PLUGIN_POLICY},
        {"policy_steady", "steady", GB_PLUGIN_POLICY},
        {"policy_steady", "quantiles", GB_PLUGIN_POLICY},
        {"search_exhaustive", "exhaustive", GB_PLUGIN_SEARCH},
        {"search_exhaustive", "random", GB_PLUGIN_SEARCH},
        {"search_guided", "guided", GB_PLUGIN_SEARCH},
        {"search_local", "local", GB_PLUGIN_SEARCH},
        {"search_race", "race", GB_PLUGIN_SEARCH},
        {"device_cpu", "cpu", GB_PLUGIN_DEVICE},
        {"bench_nop", "nop", GB_PLUGIN_BENCH},
        {"bench_copy", "copy", GB_PLUGIN_BENCH},
        {"bench_elementwise", "elementwise", GB_PLUGIN_BENCH},
        {"bench_histogram", "histogram", GB_PLUGIN_BENCH},
        {"bench_spin", "spin", GB_PLUGIN_BENCH},
        {"bench_multistream_matmul", "multistream_matmul", GB_PLUGIN_BENCH},
        {"skeleton", "skeleton", GB_PLUGIN_BENCH},
    };
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        const struct gb_plugin *found = fake_plugin(all[i].folder, all[i].kind, all[i].id);
        const size_t length = strlen(found->summary);
        ck_assert_uint_eq(found->size, sizeof *found);
        ck_assert_str_eq(found->version, "1.0");
        ck_assert_uint_gt(length, 0);
        ck_assert(found->summary[length - 1] != '.');
        ck_assert_ptr_nonnull(found->help);
        ck_assert_ptr_nonnull(found->ops);
        for (uint32_t j = 0; j < found->n_options; j++) {
            const struct gb_option *option = &found->options[j];
            ck_assert_uint_eq(option->size, sizeof *option);
            ck_assert_uint_lt(option->offset, found->params_size);
            ck_assert_uint_gt(strlen(option->help), 0);
            ck_assert(option->help[strlen(option->help) - 1] != '.');
        }
    }
}

/* --- nop --- */

TEST(nop_does_nothing)
{
    load_bench("nop");
    ready();
    run_samples(3, 0);
    run_samples(3, 1000);
    unload();
}

/* --- copy --- */

static const char *const copy_methods[] = {"auto", "memcpy", "loop", "stream"};
static const char *const copy_bytes[] = {"1", "3", "63", "64", "65", "4096", "100003", "4198401"};

static bool copy_is_ready(const char *method, const char *bytes)
{
    load_bench("copy");
    set("method", method);
    set("bytes", bytes);
    const int32_t status = created();
    if (status == GB_SKIPPED) /* a processor without such stores */
        return false;
    ck_assert_int_eq(status, GB_OK);
    ck_assert_int_eq(ops->prepare(bench, &queue), GB_OK);
    return true;
}

TEST_TIMES(copy_copies_every_byte, 4)
{
    for (size_t i = 0; i < sizeof copy_bytes / sizeof copy_bytes[0]; i++) {
        if (copy_is_ready(copy_methods[_i], copy_bytes[i])) {
            run_samples(1, 2);
            expect_right();
            const struct gb_work work = work_of();
            ck_assert_double_gt(work.bytes_read, 0.0);
            ck_assert_double_eq(work.bytes_read, work.bytes_written);
        }
        unload();
    }
}

/* Nothing copied: every block is wrong. One byte changed: one block is. */
TEST(copy_finds_each_wrong_byte)
{
    static const size_t places[] = {0, 4095, 4096, 8191, 8192, 10000};
    ck_assert(copy_is_ready("memcpy", "10001"));
    expect_wrong();
    ck_assert_uint_eq(fake->n_compared, 3);
    ck_assert_uint_eq(fake->n_wrong, 3);
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        run_samples(1, 1);
        expect_right();
        ((unsigned char *)fake->device_blocks[1])[places[i]] ^= 1;
        expect_n_wrong(1);
    }
    unload();
}

/* All bytes are right, yet two words are not where they belong. */
TEST(copy_finds_misplaced_words)
{
    ck_assert(copy_is_ready("memcpy", "9MiB"));
    run_samples(1, 1);
    uint64_t *to = fake->device_blocks[1];
    const size_t far = (size_t)8 << 17; /* as many words as are in 8 MiB: two chunks */
    const uint64_t word = to[3];
    to[3] = to[far + 3];
    to[far + 3] = word;
    expect_wrong();
    ck_assert_uint_eq(fake->n_compared, 9 * 256);
    ck_assert_uint_eq(fake->n_wrong, 2);
    unload();
}

/* What a device does not offer is skipped before anything of it is asked for, so that this can be
 * seen without one. */
TEST(copy_skips_what_a_device_has_not)
{
    static const struct {
        const char *device, *method, *from, *to, *reason;
    } all[] = {
        {"cpu", "kernel", "device", "device", "method = kernel is for GPUs"},
        {"cpu", "auto", "pinned", "device",
         "from = pinned, to = device is for GPUs: the CPU has one kind of memory, device"},
        {"cpu", "loop", "device", "peer",
         "from = device, to = peer is for GPUs: the CPU has one kind of memory, device"},
        {"fpga", "auto", "device", "device", "this build of the benchmark is not for this device"},
        {"cuda", "loop", "device", "device", "method = loop is for the CPU"},
        {"cuda", "stream", "device", "peer", "method = stream is for the CPU"},
        {"cuda", "kernel", "pageable", "device",
         "from = pageable, to = device is out of the kernel's reach: pageable is for method = "
         "memcpy"},
        {"cuda", "auto", "pinned", "pageable",
         "from = pinned, to = pageable is no work for a GPU with method = memcpy"},
    };
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        load_bench("copy");
        const bool is_built = strstr(plugin->devices, all[i].device) != NULL;
        snprintf(fake->device.backend, sizeof fake->device.backend, "%s", all[i].device);
        set("method", all[i].method);
        set("from", all[i].from);
        set("to", all[i].to);
        expect_refusal(GB_SKIPPED, is_built ? all[i].reason
                                            : "this build of the benchmark is not for this device");
        ck_assert_int_eq(fake->is_exclusive, 0);
        unload();
    }
}

TEST(copy_refuses_widths_that_are_none)
{
    static const char *const widths[] = {"3", "5", "12", "15"};
    for (size_t i = 0; i < sizeof widths / sizeof widths[0]; i++) {
        char reason[64];
        snprintf(reason, sizeof reason, "width = %s: expected 1, 2, 4, 8 or 16", widths[i]);
        load_bench("copy");
        set("width", widths[i]);
        expect_refusal(GB_FAILED, reason);
        unload();
    }
}

/* --- spin --- */

/* As in plugins/bench_spin/spin.h. */
struct spin_record {
    uint64_t begin_ns, end_ns, cycles;
};
struct spin_ring {
    uint64_t n;
    struct spin_record records[4096];
};

static struct spin_ring *load_spin(const char *duration, const char *kernels, const char *record)
{
    load_bench("spin");
    set("duration", duration);
    set("kernels", kernels);
    set("record", record);
    ready();
    return fake->device_blocks[0];
}

TEST(spin_notes_what_it_does)
{
    const struct spin_ring *ring = load_spin("2us", "3", "timed");
    run_samples(4, 5);
    ck_assert_uint_eq(ring->n, 3 * 4 * 5);
    for (size_t i = 0; i < ring->n; i++) {
        ck_assert_uint_ge(ring->records[i].end_ns - ring->records[i].begin_ns, 2000);
        ck_assert(i == 0 || ring->records[i].begin_ns >= ring->records[i - 1].end_ns);
    }
    expect_right();
    ck_assert_uint_eq(ring->n, 3 * 4 * 5);
    ck_assert_uint_eq(fake->n_compared, 3 * 4 * 5);
    unload();

    ring = load_spin("0ns", "1", "timed"); /* more than the ring holds */
    run_samples(1, 5000);
    ck_assert_uint_eq(ring->n, 5000);
    expect_right();
    ck_assert_uint_eq(fake->n_compared, 4096);
    unload();

    ring = load_spin("1us", "1", "after");
    run_samples(4, 5);
    ck_assert_uint_eq(ring->n, 0);
    expect_right();
    ck_assert_uint_eq(ring->n, 1000);
    ck_assert_uint_eq(fake->n_compared, 1000);
    unload();

    ring = load_spin("6ms", "1", "after"); /* few long ones */
    expect_right();
    ck_assert_uint_eq(ring->n, 10);
    unload();
}

TEST(spin_tells_its_own_times)
{
    struct spin_ring *ring = load_spin("1us", "1", "timed");
    const struct spin_record made_up[] = {{10, 1010, 2000}, {2000, 3004, 2008}, {4000, 5007, 2014}};
    memcpy(ring->records, made_up, sizeof made_up);
    ring->n = 3;
    expect_right();
    ck_assert_double_eq_tol(fake_metric_named(fake, "in_kernel"), 3011.0 / 3.0, 1e-9);
    ck_assert_double_eq(fake_metric_named(fake, "in_kernel_min"), 1000.0);
    ck_assert_double_eq(fake_metric_named(fake, "in_kernel_max"), 1007.0);
    ck_assert_double_eq_tol(fake_metric_named(fake, "in_kernel_stdev"), sqrt(37.0 / 3.0), 1e-9);
    ck_assert_double_eq_tol(fake_metric_named(fake, "in_kernel_clock"), 2e9, 1e-3);
    unload();
}

/* None noted at all; one that ended a nanosecond early. */
TEST(spin_finds_short_ones)
{
    struct spin_ring *ring = load_spin("1us", "1", "timed");
    ck_assert_int_eq(ops->verify(bench, &queue), GB_FAILED);
    ck_assert_str_eq(fake->reason, "no spin has noted when it began and ended");
    run_samples(5, 1);
    ring->records[3].end_ns = ring->records[3].begin_ns + 999;
    expect_n_wrong(1);
    unload();
}

TEST(spin_counts_cycles_on_gpus_only)
{
    load_bench("spin");
    set("cycles", "1000");
    expect_refusal(GB_SKIPPED, "cycles is for GPUs: on the CPU give a duration");
    unload();
}

/* --- multistream_matmul --- */

static void load_matmul(const char *streams, const char *input, const char *order)
{
    load_bench("multistream_matmul");
    set("streams", streams);
    set("input", input);
    set("order", order);
    set("problems", "7");
    set("rows", "5");
    set("cols", "3");
    set("aligned", "100");
}

TEST(matmul_is_right_on_any_number_of_streams)
{
    static const char *const streams[] = {"1", "2", "3", "7", "20"};
    static const char *const inputs[] = {"ones", "random"};
    static const char *const orders[] = {"breadth", "depth"};
    for (size_t i = 0; i < 20; i++) {
        load_matmul(streams[i % 5], inputs[i / 5 % 2], orders[i / 10]);
        ready();
        run_samples(20, 1 + i % 3);
        expect_right();
        ck_assert_uint_eq(fake->n_compared, 7 * 5 * 3);
        expect_work(2.0 * 5 * 3 * 100 * 7, 4.0 * (5 + 3) * 100 * 7, 4.0 * 5 * 3 * 7);
        unload();
    }
}

/* Outputs never written, one that is off by its last bit, one product left out. */
TEST(matmul_finds_wrong_outputs)
{
    load_matmul("2", "ones", "breadth");
    ready();
    expect_n_wrong(7 * 5 * 3);
    run_samples(1, 1);
    float *c = fake->device_blocks[2];
    c[104] = nextafterf(c[104], 0.0f);
    expect_n_wrong(1);
    unload();

    load_matmul("2", "random", "breadth");
    ready();
    run_samples(1, 1);
    const float *a = fake->device_blocks[0];
    const float *b = fake->device_blocks[1];
    c = fake->device_blocks[2];
    c[0] -= a[17] * b[17];
    expect_n_wrong(1);
    unload();
}

TEST(matmul_refuses_sums_that_are_not_exact)
{
    load_matmul("1", "ones", "breadth");
    set("aligned", "16777217");
    ck_assert_int_eq(created(), GB_FAILED);
    ck_assert_str_eq(fake->reason, "aligned = 16777217: sums of ones are exact up to 16777216 in "
                                   "single precision; set input = random");
    unload();
}

/* Threads are there from prepare on; a bench that was never prepared has none to end. */
TEST(matmul_ends_without_having_run)
{
    load_matmul("4", "ones", "depth");
    ck_assert_int_eq(created(), GB_OK);
    unload();
    load_matmul("4", "ones", "depth");
    ready();
    unload();
}

/* --- skeleton --- */

TEST(skeleton_works_with_its_defaults_and_without)
{
    load_bench("skeleton");
    ready();
    run_samples(3, 2);
    expect_right();
    ck_assert_uint_eq(fake->n_compared, 4096);
    unload();

    load_bench("skeleton");
    set("elements", "1001");
    set("in_place", "yes");
    set("operation", "offset");
    set("label", "a label");
    set("gap", "4KiB");
    set("settle", "1us");
    set("weights", "1, -2.5, 3");
    ready();
    ck_assert_str_eq(fake->log, "a label");
    run_samples(3, 2);
    expect_right();
    ck_assert_uint_eq(fake->n_compared, 1001);
    unload();

    load_bench("skeleton");
    set("factor", "0");
    expect_refusal(GB_FAILED, "factor = 0 makes every output zero: give another one");
    unload();

    load_bench("skeleton"); /* not run: outputs are still zero */
    ready();
    expect_wrong();
    unload();
}
