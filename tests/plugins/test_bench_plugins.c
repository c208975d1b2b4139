/* test_bench_plugins.c - what benchmarks have in common; nop, copy, spin, multistream_matmul. */
#include "plugins/bench_spin/spin.h"
#include "tests/plugins/bench_fixture.h"

#include <glob.h>

TEST_FIXTURE(NULL, unload)

/* --- descriptors --- */

static void expect_complete(const struct gb_plugin *found)
{
    const char *summary = found->summary;
    ck_assert_uint_eq(found->size, sizeof *found);
    ck_assert_str_eq(found->version, "1.0");
    ck_assert_uint_gt(strlen(summary), 0);
    ck_assert(summary[strlen(summary) - 1] != '.');
    ck_assert_ptr_nonnull(found->help);
    ck_assert_ptr_nonnull(found->ops);
    for (uint32_t i = 0; i < found->n_options; i++) {
        const struct gb_option *option = &found->options[i];
        ck_assert_uint_eq(option->size, sizeof *option);
        ck_assert_uint_lt(option->offset, found->params_size);
        ck_assert_uint_gt(strlen(option->help), 0);
        ck_assert(option->help[strlen(option->help) - 1] != '.');
    }
}

TEST(descriptors_are_complete)
{
    const size_t n_above = strlen(fake_path(""));
    glob_t paths;
    uint32_t n = 0;
    ck_assert_int_eq(glob(fake_path("plugins/*/.libs/*.so"), 0, NULL, &paths), 0);
    for (size_t i = 0; i < paths.gl_pathc; i++) {
        const struct gb_module *(*entry)(void) = NULL;
        void *library = fake_library(paths.gl_pathv[i] + n_above);
        *(void **)&entry = fake_symbol(library, GB_ENTRY_SYMBOL);
        const struct gb_module *module = entry();
        for (uint32_t j = 0; j < module->n_plugins; j++, n++)
            expect_complete(module->plugins[j]);
    }
    ck_assert_uint_ge(n, 21);
    globfree(&paths);
}

/* --- what they have in common --- */

/* Arrays of the device by their numbers. */
static const struct {
    const char *id, *options;
    int input, other_input, output;
    bool is_refreshed;
} seeded[] = {
    {"convolution", "c = 4; h = 9; w = 9; k = 4", 0, 1, 2, true},
    {"elementwise", "kernel = add; n = 64; columns = 1; threads = 1", 2, 3, 0, false},
    {"gemm_verify", "m = 16; n = 16; k = 16; dtype = fp32", 0, 1, 2, true},
    {"histogram", "n = 1000; bins = 64; threads = 3", 0, 1, 1, false},
    {"multistream_matmul", "aligned = 50; rows = 2; cols = 2; input = random; streams = 4", 0, 1, 2,
     false},
    {"padding", "m = 119; n = 121; k = 9", 0, 1, 2, true},
};

static bool are_same(const void *a, const void *b)
{
    return memcmp(a, b, 64 * sizeof(float)) == 0;
}

/* Threads that none has run are ended, too. */
TEST_EACH(each_seed_has_its_values, seeded)
{
    uint32_t first[64];
    for (int i = 0; i < 3; i++) {
        load_bench(seeded[_i].id);
        fake->host.seed = i == 2 ? 43 : 42;
        set("%s", seeded[_i].options);
        ready();
        const void *input = fake->device_blocks[seeded[_i].input];
        ck_assert(!are_same(input, fake->device_blocks[seeded[_i].other_input]));
        if (i == 0)
            memcpy(first, input, sizeof first);
        ck_assert_int_eq(are_same(first, input), i < 2);
    }
    load_bench(seeded[_i].id);
    set("%s", seeded[_i].options);
    ck_assert_int_eq(created(), GB_OK);
}

/* Other inputs each time, and nothing left of the output before. */
TEST_EACH(refresh_renews_inputs_and_outputs, seeded)
{
    uint32_t before[64];
    make(seeded[_i].id, "%s", seeded[_i].options);
    ck_assert_int_eq(ops->refresh != NULL, seeded[_i].is_refreshed);
    for (uint64_t i = 0; i < 3 && ops->refresh != NULL; i++) {
        const void *input = fake->device_blocks[seeded[_i].input];
        run_bench(1);
        expect_right();
        memcpy(before, input, sizeof before);
        ck_assert_int_eq(ops->refresh(bench, &queue, 2 - i), GB_OK);
        ck_assert(!are_same(before, input));
        expect_n_wrong(fake->n_compared);
    }
}

#define WINDOW "n = 2; c = 6; h = 11; w = 9; k = 4; s = 2; stride = 2; groups = 2; dtype = fp16"

/* Of convolution x has 2 x 6 x 11 x 9 elements, y 2 x 4 x 6 x 5, the filters 4 x 3 x 3 x 2. */
static const struct {
    const char *id, *options;
    double flops, bytes_read, bytes_written;
    int32_t is_exclusive;
} works[] = {
    {"convolution", WINDOW "; direction = forward", 2.0 * 240 * 18, 2 * (1188 + 72), 2 * 240, 1},
    {"convolution", WINDOW "; direction = backward_data", 2.0 * 240 * 18, 2 * (240 + 72), 2 * 1188,
     1},
    {"convolution", WINDOW "; direction = backward_weight", 2.0 * 240 * 18, 2 * (240 + 1188),
     2 * 72, 1},
    {"gemm_verify", "m = 3; n = 5; k = 7", 2.0 * 3 * 5 * 7, 2.0 * (3 * 7 + 7 * 5), 2.0 * 3 * 5, 1},
    {"padding", "problem = dense", 2.0 * 960 * 2304 * 770, 4.0 * (960 + 2304) * 770,
     4.0 * 960 * 2304, 0},
    {"padding", "problem = batched", 2.0 * 192 * 120 * 120 * 64, 4.0 * 192 * 240 * 64,
     4.0 * 192 * 120 * 120, 0},
};

TEST_EACH(work_is_what_is_done, works)
{
    load_bench(works[_i].id);
    set("%s", works[_i].options);
    ck_assert_int_eq(created(), GB_OK);
    expect_work(works[_i].flops, works[_i].bytes_read, works[_i].bytes_written);
    if (works[_i].is_exclusive)
        ck_assert_int_eq(fake->is_exclusive, 1);
}

/* --- nop --- */

TEST(nop_does_nothing)
{
    load_bench("nop");
    ready();
    run_samples(3, 0);
    run_samples(3, 1000);
}

/* --- copy --- */

TEST_TIMES(copy_copies_every_byte, 4)
{
    static const char *const methods[] = {"auto", "memcpy", "loop", "stream"};
    static const int bytes[] = {1, 3, 63, 64, 65, 4096, 100003, 4198401};
    for (size_t i = 0; i < N_OF(bytes); i++) {
        load_bench("copy");
        set("method = %s; bytes = %d; width = %d", methods[_i], bytes[i], 1 << i % 5);
        const int32_t status = created();
        if (status == GB_SKIPPED) /* a processor without such stores */
            continue;
        ck_assert_int_eq(status, GB_OK);
        ck_assert_int_eq(ops->prepare(bench, &queue), GB_OK);
        run_samples(1, 2);
        expect_right();
        const struct gb_work work = work_of();
        ck_assert_double_gt(work.bytes_read, 0.0);
        ck_assert_double_eq(work.bytes_read, work.bytes_written);
    }
}

/* Nothing copied: every block is wrong. One byte changed: one block is. */
TEST(copy_finds_each_wrong_byte)
{
    static const size_t places[] = {0, 4095, 4096, 8191, 8192, 10000};
    make("copy", "method = memcpy; bytes = 10001");
    expect_n_wrong(3);
    ck_assert_uint_eq(fake->n_compared, 3);
    for (size_t i = 0; i < N_OF(places); i++) {
        run_samples(1, 1);
        expect_right();
        ((unsigned char *)fake->device_blocks[1])[places[i]] ^= 1;
        expect_n_wrong(1);
    }
}

/* All bytes are right, yet two words are not where they belong. */
TEST(copy_finds_misplaced_words)
{
    make("copy", "method = memcpy; bytes = 9MiB");
    run_samples(1, 1);
    uint64_t *to = fake->device_blocks[1];
    const size_t far = (size_t)8 << 17; /* as many words as are in 8 MiB: two chunks */
    const uint64_t word = to[3];
    to[3] = to[far + 3];
    to[far + 3] = word;
    expect_n_wrong(2);
    ck_assert_uint_eq(fake->n_compared, 9 * 256);
}

/* --- spin --- */

static struct spin_ring *make_spin(const char *options)
{
    make("spin", "%s", options);
    return fake->device_blocks[0];
}

/* More than the ring holds; few long ones. */
static const struct {
    const char *options;
    uint64_t n_samples, iterations, n_noted, n_after, n_compared;
} spins[] = {
    {"duration = 2us; kernels = 3; record = timed", 4, 5, 60, 60, 60},
    {"duration = 0ns; kernels = 1; record = timed", 1, 5000, 5000, 5000, 4096},
    {"duration = 1us; kernels = 1; record = after", 4, 5, 0, 200, 200},
    {"duration = 6ms; kernels = 1; record = after", 0, 0, 0, 10, 10},
};

TEST_EACH(spin_notes_what_it_does, spins)
{
    const struct spin_ring *ring = make_spin(spins[_i].options);
    run_samples(spins[_i].n_samples, spins[_i].iterations);
    ck_assert_uint_eq(ring->n, spins[_i].n_noted);
    for (size_t i = 0; i < ring->n && ring->n <= 60; i++) {
        ck_assert_uint_ge(ring->records[i].end_ns - ring->records[i].begin_ns, 2000);
        ck_assert(i == 0 || ring->records[i].begin_ns >= ring->records[i - 1].end_ns);
    }
    expect_right();
    ck_assert_uint_eq(ring->n, spins[_i].n_after);
    ck_assert_uint_eq(fake->n_compared, spins[_i].n_compared);
}

TEST(spin_tells_its_own_times)
{
    struct spin_ring *ring = make_spin("duration = 1us; record = timed");
    const struct spin_record made_up[] = {{10, 1010, 2000}, {2000, 3004, 2008}, {4000, 5007, 2014}};
    memcpy(ring->records, made_up, sizeof made_up);
    ring->n = 3;
    expect_right();
    expect_metric("in_kernel", 3011.0 / 3.0);
    expect_metric("in_kernel_min", 1000.0);
    expect_metric("in_kernel_max", 1007.0);
    expect_metric("in_kernel_stdev", sqrt(37.0 / 3.0));
    ck_assert_double_eq_tol(fake_metric_named(fake, "in_kernel_clock"), 2e9, 1e-3);
}

/* None noted at all; one that ended a nanosecond early. */
TEST(spin_finds_short_ones)
{
    struct spin_ring *ring = make_spin("duration = 1us; kernels = 1; record = timed");
    ck_assert_int_eq(ops->verify(bench, &queue), GB_FAILED);
    ck_assert_str_eq(fake->reason, "no spin has recorded its start and end");
    run_samples(5, 1);
    ring->records[3].end_ns = ring->records[3].begin_ns + 999;
    expect_n_wrong(1);
}

/* --- multistream_matmul --- */

#define SHAPE "problems = 7; rows = 5; cols = 3; aligned = 100; "

TEST(matmul_is_right_on_any_number_of_streams)
{
    static const int streams[] = {1, 2, 3, 7, 20};
    for (size_t i = 0; i < 20; i++) {
        make("multistream_matmul", SHAPE "streams = %d; input = %s; order = %s; sum = %s",
             streams[i % 5], i / 5 % 2 == 0 ? "ones" : "random", i / 10 == 0 ? "breadth" : "depth",
             i % 3 == 0 ? "memory" : "register");
        ck_assert_int_eq(ops->flags & GB_BENCH_EXCLUSIVE, 0);
        ck_assert_int_eq(fake->is_exclusive, 1);
        expect_wrong();
        run_samples(20, 1 + i % 3);
        expect_right();
        ck_assert_uint_eq(fake->n_compared, 7 * 5 * 3);
        expect_work(2.0 * 5 * 3 * 100 * 7, 4.0 * (5 + 3) * 100 * 7, 4.0 * 5 * 3 * 7);
    }
}

/* Outputs never written, one that is off by its last bit, one product left out. */
TEST(matmul_finds_wrong_outputs)
{
    make("multistream_matmul", SHAPE "streams = 2; input = ones");
    expect_n_wrong(7 * 5 * 3);
    run_samples(1, 1);
    float *c = fake->device_blocks[2];
    c[104] = nextafterf(c[104], 0.0f);
    expect_n_wrong(1);

    make("multistream_matmul", SHAPE "streams = 2; input = random");
    run_samples(1, 1);
    c = fake->device_blocks[2];
    c[0] -= ((float *)fake->device_blocks[0])[17] * ((float *)fake->device_blocks[1])[17];
    expect_n_wrong(1);
}

/* --- skeleton --- */

TEST(skeleton_works_with_its_defaults_and_without)
{
    load_bench("skeleton");
    ready();
    expect_wrong(); /* not run: outputs are still zero */
    run_samples(3, 2);
    expect_right();
    ck_assert_uint_eq(fake->n_compared, 4096);

    make("skeleton", "elements = 1001; in_place = yes; operation = offset; label = a label; "
                     "gap = 4KiB; settle = 1us; weights = 1, -2.5, 3");
    ck_assert_str_eq(fake->log, "a label");
    run_samples(3, 2);
    expect_right();
    ck_assert_uint_eq(fake->n_compared, 1001);
}
