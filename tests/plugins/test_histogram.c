/* test_histogram.c - histogram: each value is counted once, on the CPU and as CUDA would. */
#include "tests/plugins/bench_fixture.h"

static const char *const distributions[] = {"uniform", "one", "skewed"};
static const char *const methods[] = {"private", "global"};

TEST_FIXTURE(NULL, unload)

TEST_TIMES(every_value_is_counted_once, 6)
{
    static const int sizes[][2] = {{1, 1},        {1, 4096},          {3, 2},
                                   {10007, 1000}, {1048577, 1 << 20}, {1048577, 1 << 24}};
    static const int threads[] = {1, 2, 5};
    for (size_t i = 0; i < N_OF(sizes); i++) {
        for (size_t j = 0; j < 3; j++) {
            const double n = sizes[i][0];
            if (sizes[i][1] > 1 << 12 && j > 0)
                continue; /* which takes seconds */
            if (sizes[i][1] == 1 << 24 && _i != 1 && (_i != 4 || !test_is_long()))
                continue;
            make("histogram", "n = %d; bins = %d; distribution = %s; method = %s; threads = %d",
                 sizes[i][0], sizes[i][1], distributions[j], methods[_i / 3], threads[_i % 3]);
            run_samples(2, 3);
            expect_right();
            double n_counted = 0.0;
            for (int bin = 0; bin < sizes[i][1]; bin++)
                n_counted += ((const uint32_t *)fake->device_blocks[1])[bin];
            ck_assert_double_eq(n_counted, 3.0 * n);
            const struct gb_work work = work_of();
            ck_assert_double_eq(work.bytes_read, 4.0 * n);
            ck_assert_double_eq(work.items, n);
        }
    }
}

/* Of 128 bins: about as many in each; one for all; a quarter in the lowest. */
TEST_TIMES(values_are_distributed_as_asked, 3)
{
    static const struct {
        uint32_t least_in_largest, most_in_largest, least_in_first, most_in_first;
    } limits[] = {
        {900, 1200, 700, 1200}, {128000, 128000, 0, 128000}, {28000, 36000, 28000, 36000}};
    make("histogram", "n = 128000; bins = 128; distribution = %s; threads = 1", distributions[_i]);
    run_samples(1, 1);
    const uint32_t *counts = fake->device_blocks[1];
    uint32_t largest = 0;
    for (size_t i = 0; i < 128; i++)
        largest = counts[i] > largest ? counts[i] : largest;
    ck_assert_uint_ge(largest, limits[_i].least_in_largest);
    ck_assert_uint_le(largest, limits[_i].most_in_largest);
    ck_assert_uint_ge(counts[0], limits[_i].least_in_first);
    ck_assert_uint_le(counts[0], limits[_i].most_in_first);
}

/* Never run, run without a reset, a value that moved to another bin, a count that is off. */
TEST_TIMES(wrong_counts_are_found, 2)
{
    make("histogram", "n = 10000; bins = 64; method = %s; threads = 2", methods[_i]);
    run_samples(1, 1);
    uint32_t *values = fake->device_blocks[0];
    uint32_t *counts = fake->device_blocks[1];
    expect_right();
    run_bench(1);
    expect_n_wrong(64);
    memset(counts, 0, 64 * sizeof *counts);
    expect_wrong();
    run_samples(1, 1);
    counts[63]--;
    expect_n_wrong(1);
    values[9999] ^= 0x80000000u;
    run_samples(1, 1);
    expect_n_wrong(2);
}

/* Counts of 32 bits go round. */
TEST(counts_wrap)
{
    make("histogram", "n = 1048576; bins = 1; distribution = one; threads = 1");
    run_samples(1, 1);
    uint32_t *counts = fake->device_blocks[1];
    counts[0] = 0xfffff000u; /* as if 4095 iterations had been before */
    run_bench(2);
    ck_assert_uint_eq(counts[0], 0x1ff000u);
}

/* Several threads need the machine; as many as there are processors if nothing is said. */
TEST_TIMES(threads_of_the_cpu, 5)
{
    static const struct {
        int threads;
        uint32_t n_units;
        int32_t is_exclusive;
    } cases[] = {{0, 1, 0}, {0, 3, 1}, {1, 3, 0}, {2, 1, 1}, {0, 0, 0}};
    load_bench("histogram");
    fake->device.n_units = cases[_i].n_units;
    set("threads = %d; n = 1000", cases[_i].threads);
    ck_assert_int_eq(created(), GB_OK);
    ck_assert_int_eq(fake->is_exclusive, cases[_i].is_exclusive);
    ck_assert_int_eq(ops->prepare(bench, &queue), GB_OK);
    run_samples(1, 1);
    expect_right();
}

/* --- the kernels of CUDA on the host --- */

#ifdef WITH_CXX

enum { VALUES_MAX = 10007, BINS_MAX = 12288, BEYOND = 16 };

typedef void kernel_fn(uint32_t *counts, const uint32_t *values, unsigned long long n,
                       uint32_t bins);
typedef void launch_fn(kernel_fn *kernel, uint32_t n_blocks, uint32_t n_threads, uint32_t *counts,
                       const uint32_t *values, unsigned long long n, uint32_t bins);

/* What is written behind the counts, or read behind the values, shows up as a count too many. */
static void try_kernel(launch_fn *launch, kernel_fn *kernel, uint32_t n_blocks, uint32_t n_threads,
                       uint64_t n, uint32_t bins)
{
    static _Alignas(16) uint32_t values[VALUES_MAX + BEYOND];
    static uint32_t counts[BINS_MAX + BEYOND];
    static uint32_t expected[BINS_MAX + BEYOND];
    uint64_t state = n + bins;
    memset(expected, 0, sizeof expected);
    for (uint64_t i = 0; i < n + BEYOND; i++)
        values[i] = (uint32_t)(fake_unit(&state) * 4294967296.0);
    values[0] = UINT32_MAX;
    for (uint64_t i = 0; i < n; i++)
        expected[(uint64_t)values[i] * bins / (1ull << 32)] += 2;
    memset(counts, 0, sizeof counts);
    for (int i = 0; i < 2; i++)
        launch(kernel, n_blocks, n_threads, counts, values, n, bins);
    ck_assert_msg(memcmp(counts, expected, sizeof counts) == 0,
                  "%u blocks of %u threads: %u values in %u bins", n_blocks, n_threads, (unsigned)n,
                  bins);
}

TEST_TIMES(kernels_count_every_value_once, 2)
{
    static const char *const names[] = {"histogram_private", "histogram_global"};
    static const uint32_t grids[][2] = {{1, 1}, {1, 96}, {3, 32}, {7, 250}};
    static const uint64_t lengths[] = {1, 3, 4, 5, 127, 4096, VALUES_MAX};
    static const uint32_t bins[] = {1, 2, 7, 256, BINS_MAX};
    void *library = fake_library("tests/modules/.libs/histogram_kernels.so");
    kernel_fn *kernel = NULL;
    launch_fn *launch = NULL;
    *(void **)&kernel = fake_symbol(library, names[_i]);
    *(void **)&launch = fake_symbol(library, "histogram_launch");
    for (size_t i = 0; i < 4 * 7 * 5; i++)
        try_kernel(launch, kernel, grids[i % 4][0], grids[i % 4][1], lengths[i / 4 % 7],
                   bins[i / 28]);
}

#endif
