/* test_ceilings.c - the benchmark ceilings on the CPU: every roof computes what it should, declares
 * what it does, and is found out if it does less; sizes of caches, ways through memory, chains. */
#include "plugins/bench_ceilings/fragments.h"
#include "plugins/bench_ceilings/memory.h"
#include "plugins/bench_ceilings/rates.h"
#include "plugins/bench_ceilings/roofs.h"
#include "plugins/common/system/system_file.h"
#include "plugins/common/team.h"
#include "tests/plugins/bench_fixture.h"
#include "tests/plugins/files.h"

#include <sched.h>

TEST_FIXTURE(NULL, unload)

/* --- roofs of the CPU --- */

static const struct roof *roof_named(const char *name)
{
    for (size_t i = 0; i < N_ROOFS; i++) {
        if (strcmp(roofs[i].name, name) == 0)
            return &roofs[i];
    }
    ck_abort_msg("no roof %s", name);
    return NULL;
}

/* False: not for CPUs. */
static bool is_made(const char *roof, const char *threads)
{
    load_bench("ceilings");
    set("roof = %s; threads = %s", roof, threads);
    if (roof_arrays(roof_named(roof)) > 0)
        set("bytes = 96KiB");
    const int32_t status = created();
    if (status == GB_SKIPPED) {
        ck_assert_msg(strstr(fake->reason, "is for GPUs") != NULL, "%s", fake->reason);
        return false;
    }
    ck_assert_int_eq(status, GB_OK);
    return true;
}

static bool is_for_cpus(const struct roof *roof)
{
    return roof->level != LEVEL_SHARED && roof->unit != UNIT_TENSOR &&
           roof->number != NUMBER_FP16 && roof->number != NUMBER_BF16;
}

/* Wrong in every element before it is run; all right after any number of iterations. */
TEST_TIMES(every_roof_is_right, N_ROOFS)
{
    static const char *const threads[] = {"1", "0"};
    const struct roof *roof = &roofs[_i];
    for (size_t i = 0; i < 2; i++) {
        const bool is_for_cpu = is_made(roof->name, threads[i]);
        ck_assert_int_eq(is_for_cpu, is_for_cpus(roof));
        if (is_for_cpu) {
            ck_assert_int_eq(fake->is_exclusive, 1);
            ck_assert_int_eq(ops->prepare(bench, &queue), GB_OK);
            expect_wrong();
            ck_assert_uint_gt(fake->n_compared, 0);
            ck_assert_uint_eq(fake->n_wrong, fake->n_compared);
            for (uint64_t n = 1; n <= 3; n += 2) {
                run_bench(n);
                expect_right();
            }
        }
    }
}

/* Bytes by what the access is; in all, whole passes through the working set. Chains of rates. */
static const struct {
    const char *roof;
    double reads, writes, flops; /* in parts of an array's bytes */
    uint32_t n_arrays;           /* 0: a rate */
    int32_t number, unit;
} works[] = {
    {"dram_read", 1, 0, 0, 1, 0, 0},
    {"l2_write", 0, 1, 0, 1, 0, 0},
    {"l1_copy", 1, 1, 0, 2, 0, 0},
    {"dram_triad", 2, 1, 2.0 / sizeof(double), 3, 0, 0},
    {"l3_triad", 2, 1, 2.0 / sizeof(double), 3, 0, 0},
    {"fp64_scalar", 0, 0, 0, 0, NUMBER_FP64, UNIT_SCALAR},
    {"fp32_scalar", 0, 0, 0, 0, NUMBER_FP32, UNIT_SCALAR},
    {"fp64_fma", 0, 0, 0, 0, NUMBER_FP64, UNIT_FMA},
    {"fp32_fma", 0, 0, 0, 0, NUMBER_FP32, UNIT_FMA},
};

TEST_TIMES(roofs_declare_their_work, 2 * N_OF(works))
{
    uint32_t cpus[TEAM_MAX];
    const int i = _i / 2;
    const uint32_t n = _i % 2 == 0 ? 1 : team_cpus(cpus);
    ck_assert(is_made(works[i].roof, _i % 2 == 0 ? "1" : "0"));
    if (works[i].n_arrays == 0) {
        const double chains = rate_way_here(works[i].number, works[i].unit)->n_chains;
        expect_work(2 * chains * 4096 * 64 * n, 0.0, 0.0);
        return;
    }
    const struct gb_work work = work_of();
    const double set_bytes = fake_metric_named(fake, "working_set");
    const double array = (work.bytes_read + work.bytes_written) /
                         (works[i].reads + works[i].writes);
    if (n == 1)
        ck_assert_double_eq(set_bytes, 98304.0);
    ck_assert_double_eq(array * works[i].n_arrays / set_bytes, ceil(33554432.0 * n / set_bytes));
    expect_work(works[i].flops * array, works[i].reads * array, works[i].writes * array);
}

/* Without bytes the caches decide, where the system tells their sizes; CPUs limit the threads. */
TEST(sizes_and_threads_are_those_of_the_machine)
{
    uint32_t cpus[TEAM_MAX];
    const int n_cpus = (int)team_cpus(cpus);
    const uint64_t l1 = caches_share(CPU_FOLDER, cpus, 1, 1);
    const uint64_t l2 = caches_share(CPU_FOLDER, cpus, 1, 2);
    load_bench("ceilings");
    set("roof = l2_copy; threads = 1");
    const int32_t status = created();
    if (l2 == 0) {
        ck_assert_int_eq(status, GB_SKIPPED);
        ck_assert_msg(strstr(fake->reason, "bytes can be given") != NULL, "%s", fake->reason);
    } else {
        const double bytes = fake_metric_named(fake, "working_set");
        ck_assert_int_eq(status, GB_OK);
        ck_assert_double_le(bytes, (double)l2);
        ck_assert_double_gt(bytes, (double)l1);
    }
    load_bench("ceilings");
    set("roof = fp64_fma; threads = %d", n_cpus + 1);
    ck_assert_int_eq(created(), GB_SKIPPED);
    ck_assert_ptr_nonnull(strstr(fake->reason, "CPUs to run on"));
}

/* --- roofs and data sheets --- */

TEST(the_option_names_the_roofs)
{
    const struct gb_plugin *found = fake_plugin("bench_ceilings", GB_PLUGIN_BENCH, "ceilings");
    ck_assert_str_eq(found->options[0].name, "roof");
    ck_assert_uint_eq(found->options[0].n_choices, N_ROOFS);
    for (size_t i = 0; i < N_ROOFS; i++) {
        ck_assert_str_eq(found->options[0].choices[i], roofs[i].name);
        ck_assert_int_eq(roofs[i].level != LEVEL_NONE, roofs[i].access != ACCESS_NONE);
        ck_assert_int_eq(roofs[i].level == LEVEL_NONE, roofs[i].unit != UNIT_NONE);
    }
}

TEST(datasheets_are_by_model)
{
    static const struct {
        const char *model, *roof;
        double value;
    } all[] = {{"NVIDIA H200", "dram_copy", 4.8e12},
               {"NVIDIA H200", "l2_read", 0.0},
               {"NVIDIA H200", "fp64_fma", 34e12},
               {"NVIDIA H200", "fp64_tensor", 67e12},
               {"NVIDIA H200", "fp32_fma", 67e12},
               {"NVIDIA H200", "fp16_fma", 0.0},
               {"NVIDIA H200", "tf32_tensor", 494.5e12},
               {"NVIDIA H200", "bf16_tensor", 989.5e12},
               {"NVIDIA H200", "fp8_tensor", 1979e12},
               {"NVIDIA A100-SXM4-80GB", "fp8_tensor", 0.0},
               {"NVIDIA A100-SXM4-80GB", "int8_tensor", 624e12},
               {"NVIDIA H200 NVL", "dram_copy", 0.0},
               {"", "dram_copy", 0.0}};
    for (size_t i = 0; i < N_OF(all); i++)
        ck_assert_double_eq_tol(roof_datasheet(roof_named(all[i].roof), all[i].model), all[i].value,
                                1e6);
}

/* Beside the measured value, where it is known. */
TEST(the_datasheet_is_a_metric)
{
    load_bench("ceilings");
    set("roof = dram_copy; bytes = 96KiB");
    snprintf(fake->device.model, sizeof fake->device.model, "NVIDIA H200");
    ck_assert_int_eq(created(), GB_OK);
    expect_metric("datasheet", 4.8e12);
    load_bench("ceilings");
    set("roof = dram_copy");
    ck_assert_int_eq(created(), GB_OK);
    for (size_t i = 0; i < fake->n_metrics; i++)
        ck_assert_str_ne(fake->metrics[i].name, "datasheet");
}

/* --- caches --- */

/* Four CPUs in pairs: each has 32 KiB of L1 and 512 KiB of L2, each pair 8 MiB of L3. */
static const char *make_machine(void)
{
    static const char *const files[] = {"level", "type", "size", "shared_cpu_list"};
    static const char *const caches[][3] = {{"1\n", "Instruction\n", "64K\n"},
                                            {"1\n", "Data\n", "32K\n"},
                                            {"2\n", "Unified\n", "512K\n"},
                                            {"3\n", "Unified\n", "8M\n"}};
    static char folder[128];
    snprintf(folder, sizeof folder, "%s", fresh_folder("cpus"));
    for (int i = 0; i < 4 * 4 * 4; i++) {
        const int cpu = i / 16, index = i / 4 % 4, file = i % 4;
        const int first = index == 3 ? cpu / 2 * 2 : cpu;
        char path[256], list[32];
        snprintf(path, sizeof path, "%s/cpu%d/cache/index%d/%s", folder, cpu, index, files[file]);
        snprintf(list, sizeof list, "%d-%d\n", first, index == 3 ? first + 1 : first);
        write_text(path, file < 3 ? caches[index][file] : list);
    }
    return folder;
}

TEST(caches_are_shared_evenly)
{
    const uint32_t cpus[] = {0, 2, 3};
    const uint32_t missing[] = {0, 9};
    const char *folder = make_machine();
    ck_assert_uint_eq(caches_share(folder, cpus, 3, 1), 32 << 10);
    ck_assert_uint_eq(caches_share(folder, cpus, 3, 2), 512 << 10);
    ck_assert_uint_eq(caches_share(folder, cpus, 3, 3), 4 << 20);
    ck_assert_uint_eq(caches_share(folder, cpus, 2, 3), 8 << 20);
    ck_assert_uint_eq(caches_share(folder, cpus, 3, 4), 0);
    ck_assert_uint_eq(caches_share(folder, missing, 2, 1), 0);
    ck_assert_uint_eq(caches_share(folder, cpus, 0, 1), 0);
    ck_assert_uint_eq(caches_last_level(folder, cpus, 1), 8 << 20);
    ck_assert_uint_eq(caches_last_level(folder, cpus, 3), 16 << 20);
    ck_assert_uint_eq(caches_last_level(folder, cpus + 1, 2), 8 << 20);
    ck_assert_uint_eq(caches_last_level("/nowhere", cpus, 3), 0);
}

/* --- ways through memory --- */

/* Of whole pages, of which what is used ends before they do. */
enum { LENGTH = 3 * MEMORY_STEP_BYTES, AFTER = MEMORY_STEP_BYTES };

static _Alignas(4096) unsigned char a[4096], b[4096], c[4096];

static void nothing_behind(void)
{
    for (size_t i = LENGTH; i < LENGTH + AFTER; i++)
        ck_assert_uint_eq(a[i], 0xa5);
}

TEST_TIMES(ways_are_right, (int)n_memory_ways)
{
    const struct memory_ways *ways = &memory_ways[_i];
    if (!ways->is_here())
        return;
    const uint64_t n_words = LENGTH / sizeof(uint64_t);
    memset(a, 0xa5, sizeof a);
    memory_fill(b, LENGTH, 7);
    ck_assert_uint_eq(ways->read(b, LENGTH, 1), memory_sum(7, LENGTH, ways->n_lanes));
    ck_assert_uint_eq(ways->read(b, LENGTH, 3), 3 * memory_sum(7, LENGTH, ways->n_lanes));
    ways->write(a, LENGTH, 1, 42);
    ck_assert_uint_eq(memory_right(ACCESS_WRITE, a, LENGTH, 0, 42), n_words);
    nothing_behind();
    ways->copy(a, b, LENGTH, 2);
    ck_assert_uint_eq(memory_right(ACCESS_COPY, a, LENGTH, 7, 0), n_words);
    nothing_behind();
    memory_fill_triad(b, LENGTH, 7, 1);
    memory_fill_triad(c, LENGTH, 7, 2);
    ways->triad(a, b, c, LENGTH, 1);
    ck_assert_uint_eq(memory_right(ACCESS_TRIAD, a, LENGTH, 7, 0), n_words);
    nothing_behind();
    const double *numbers = (const void *)b;
    const double *others = (const void *)c;
    for (uint64_t i = 0; i < n_words; i++)
        ck_assert_double_eq(((const double *)(const void *)a)[i], numbers[i] + 3.0 * others[i]);
}

TEST(one_wrong_word_is_found)
{
    uint64_t *words = (void *)a;
    uint64_t even = 0;
    uint64_t odd = 0;
    memory_fill(a, LENGTH, 5);
    for (size_t i = 0; i < LENGTH / sizeof *words; i += 2) {
        even ^= words[i];
        odd ^= words[i + 1];
    }
    ck_assert_uint_eq(memory_sum(5, LENGTH, 2), even + odd);
    ck_assert_uint_eq(memory_sum(5, LENGTH - 8, 1), even ^ odd ^ words[LENGTH / sizeof *words - 1]);
    words[17] ^= 1;
    ck_assert_uint_eq(memory_right(ACCESS_COPY, a, LENGTH, 5, 0), LENGTH / sizeof *words - 1);
    ck_assert_uint_eq(memory_right(ACCESS_COPY, a, LENGTH, 6, 0), 0);
    memory_fill_triad(a, LENGTH, 5, 1);
    ck_assert_uint_eq(memory_right(ACCESS_TRIAD, a, LENGTH, 5, 0), 0);
}

TEST(the_best_ways_are_taken)
{
    const struct memory_ways *cached = memory_ways_here(false);
    const struct memory_ways *past = memory_ways_here(true);
    ck_assert(cached->is_here() && !cached->is_past_caches);
    ck_assert(past->is_here());
#if defined(__x86_64__) || defined(__aarch64__)
    ck_assert(past->is_past_caches);
#endif
}

/* --- chains --- */

TEST_TIMES(chains_end_where_they_should, (int)n_rate_ways)
{
    enum { STEPS = 1000 };
    const struct rate_way *way = &rate_ways[_i];
    const bool is_double = way->number == NUMBER_FP64;
    const int digits = is_double ? 53 : 24;
    const struct rate_constants constants = rate_constants_for(digits);
    double doubles[2][RATES_CHAINS_MAX];
    float floats[2][RATES_CHAINS_MAX];
    if (!way->is_here())
        return;
    ck_assert_uint_le(way->n_chains, RATES_CHAINS_MAX);
    for (uint32_t i = 0; i < way->n_chains; i++) {
        doubles[0][i] = 1.0 + i / 1024.0;
        floats[0][i] = (float)doubles[0][i];
    }
    way->run(&constants, is_double ? (void *)doubles[0] : (void *)floats[0],
             is_double ? (void *)doubles[1] : (void *)floats[1], STEPS);
    for (uint32_t i = 0; i < way->n_chains; i++) {
        const double end = is_double ? doubles[1][i] : (double)floats[1][i];
        ck_assert_double_eq(end, rate_end(doubles[0][i], STEPS, digits, way->is_fused));
        ck_assert_double_ne(end, rate_end(doubles[0][i], STEPS - 2, digits, way->is_fused));
        ck_assert(end > 0.5 && end < 4.0);
    }
}

TEST(numbers_are_rounded_to_nearest)
{
    ck_assert_double_eq(rate_round(1.0 + 0x1p-11, 11), 1.0);
    ck_assert_double_eq(rate_round(1.0 + 3 * 0x1p-11, 11), 1.0 + 4 * 0x1p-11);
    ck_assert_double_eq(rate_round(1.0 + 0x1.8p-10, 11), 1.0 + 0x1p-9);
    ck_assert_double_eq(rate_round(-1.0 - 0x1.1p-8, 8), -1.0 - 0x1p-7);
    ck_assert_double_eq(rate_round(0x1.000001p0, 24), 1.0);
    ck_assert_double_eq(rate_round(0.1, 53), 0.1);
    ck_assert_double_eq(rate_round(0.0, 11), 0.0);
}

/* --- what the kernels of a GPU begin and end with --- */

/* What bits stand for that number_bits makes of a number with an exponent. */
static double number_value(int32_t number, uint64_t bits)
{
    const int all_bits = 8 * (int)number_bytes(number);
    const int digits = number == NUMBER_TF32 ? number_digits(NUMBER_FP32) : number_digits(number);
    const int exponent_bits = all_bits - digits;
    const uint64_t hidden = UINT64_C(1) << (digits - 1);
    const uint64_t biased = bits >> (digits - 1) & ((UINT64_C(1) << exponent_bits) - 1);
    if (biased == 0)
        return 0.0;
    const double value = ldexp((double)((bits & (hidden - 1)) | hidden),
                               (int)biased - (1 << (exponent_bits - 1)) + 2 - digits);
    return (bits >> (all_bits - 1) & 1) != 0 ? -value : value;
}

TEST(numbers_have_their_bits)
{
    static const struct {
        int32_t number;
        double value;
        uint64_t bits;
    } all[] = {{NUMBER_FP64, -0.5, UINT64_C(0xbfe0000000000000)},
               {NUMBER_FP32, 1.0 + 0x1p-23, 0x3f800001},
               {NUMBER_TF32, 3.0, 0x40400000},
               {NUMBER_FP16, 1.5, 0x3e00},
               {NUMBER_FP16, -511.0, 0xdffc},
               {NUMBER_BF16, -2.0, 0xc000},
               {NUMBER_BF16, 127.0, 0x42fe},
               {NUMBER_FP8, 1.0, 0x38},
               {NUMBER_FP8, -7.0, 0xce},
               {NUMBER_FP8, 16.0, 0x58},
               {NUMBER_FP8, 0.0, 0},
               {NUMBER_INT8, -5.0, 0xfb}};
    for (size_t i = 0; i < N_OF(all); i++) {
        ck_assert_uint_eq(number_bits(all[i].number, all[i].value), all[i].bits);
        if (all[i].number != NUMBER_INT8)
            ck_assert_double_eq(number_value(all[i].number, all[i].bits), all[i].value);
    }
}

/* So long that values could leave the range that number_bits has. */
TEST(short_numbers_neither_grow_nor_vanish)
{
    static const int32_t numbers[] = {NUMBER_FP16, NUMBER_BF16, NUMBER_FP32};
    for (size_t i = 0; i < N_OF(numbers); i++) {
        const int digits = number_digits(numbers[i]);
        const struct rate_constants constants = rate_constants_for(digits);
        ck_assert_double_eq(rate_round(constants.c, digits), constants.c);
        for (int j = 0; j < 64; j++) {
            const double start = rate_round(1.0 + j / 64.0, digits);
            const double end = rate_end(start, 16384, digits, true);
            ck_assert_msg(end > 0x1p-6 && end < 0x1p6, "%d digits: %g ends at %g", digits, start,
                          end);
        }
    }
}

static const int32_t tensor_numbers[] = {NUMBER_FP64, NUMBER_TF32, NUMBER_FP16,
                                         NUMBER_BF16, NUMBER_FP8,  NUMBER_INT8};

/* The element of a word, as the PTX ISA places it. */
static double element_in(const struct fragments *fragments, const unsigned char *words,
                         uint64_t word, uint32_t i)
{
    const uint32_t bytes = number_bytes(fragments->number);
    const unsigned char *at = words + word * fragments->word_bytes + (uint64_t)i * bytes;
    uint64_t bits = 0;
    for (uint32_t j = 0; j < bytes; j++)
        bits |= (uint64_t)at[j] << 8 * j;
    return fragments->number == NUMBER_INT8 ? (double)(int8_t)bits
                                            : number_value(fragments->number, bits);
}

TEST_EACH(fragments_lie_where_instructions_take_them, tensor_numbers)
{
    const struct fragments f = fragments_of(tensor_numbers[_i]);
    const bool is_double = f.number == NUMBER_FP64;
    const uint32_t in_word = f.word_bytes / number_bytes(f.number);
    static unsigned char words[1 << 16];
    ck_assert_uint_le(fragments_bytes(&f), sizeof words);
    fragments_fill(&f, words);
    for (uint32_t lane = 0; lane < 32; lane++) {
        for (uint32_t i = 0; i < in_word; i++) {
            for (uint32_t word = 0; word < f.a_words; word++) {
                const uint32_t row = lane / 4 + (word == 1 || word == 3 ? 8 : 0);
                const uint32_t k = (lane % 4 + (word >= 2 ? 4 : 0)) * in_word + i;
                for (uint32_t which = 0; which < 2; which++)
                    ck_assert_double_eq(
                        element_in(&f, words, (which * 32 + lane) * f.a_words + word, i),
                        (double)fragments_a(&f, which, is_double ? lane / 4 : row, k));
            }
            for (uint32_t word = 0; word < f.b_words; word++)
                ck_assert_double_eq(
                    element_in(&f, words, 64 * f.a_words + (5 * 32 + lane) * f.b_words + word, i),
                    (double)fragments_b(&f, 5, (lane % 4 + 4 * word) * in_word + i, lane / 4));
        }
    }
}

/* Sums in every order must be exact: magnitudes stay below the limit of the type. */
TEST_EACH(fragments_sum_exactly_and_count, tensor_numbers)
{
    enum { N = 4096 };
    const struct fragments f = fragments_of(tensor_numbers[_i]);
    const double limit = f.number == NUMBER_FP8    ? 0x1p13
                         : f.number == NUMBER_INT8 ? 0x1p31
                         : f.number == NUMBER_FP64 ? 0x1p53
                                                   : 0x1p24;
    uint32_t n_counting = 0;
    for (uint32_t i = 0; i < FRAGMENTS_PRODUCTS * 32 * f.c_words; i++) {
        const uint32_t j = i / f.c_words / 32;
        const uint32_t lane = i / f.c_words % 32;
        const uint32_t word = i % f.c_words;
        const uint32_t row = lane / 4 + (word >= 2 ? 8 : 0);
        const uint32_t column = lane % 4 * 2 + word % 2;
        double sum = 0.0;
        double largest = 0.0;
        double drift = 0.0;
        for (uint32_t k = 0; k < f.depth; k++) {
            const double by = (double)fragments_b(&f, j, k, column);
            const double a0 = (double)fragments_a(&f, 0, row, k);
            const double a1 = (double)fragments_a(&f, 1, row, k);
            sum += ((double)N * (a0 + a1) + a0) * by;
            drift += (double)N * (a0 + a1) * by;
            largest += fabs(a0 * by) > fabs(a1 * by) ? fabs(a0 * by) : fabs(a1 * by);
        }
        ck_assert_double_eq(fragments_end(&f, j, lane, word, N), sum);
        ck_assert_double_le(fabs(drift) + largest, limit);
        n_counting += fragments_end(&f, j, lane, word, N - 1) != sum;
    }
    if (f.number == NUMBER_FP8)
        ck_assert_uint_eq(n_counting, 0);
    else
        ck_assert_uint_gt(n_counting, FRAGMENTS_PRODUCTS * 32 * f.c_words / 2);
}

/* --- the team --- */

static int visits[TEAM_MAX];
static int cpus_seen[TEAM_MAX];

static void visit(void *context, uint32_t thread)
{
    ck_assert_ptr_eq(context, visits);
    visits[thread]++;
    cpus_seen[thread] = sched_getcpu();
}

TEST(a_team_works_each_on_its_cpu)
{
    uint32_t cpus[TEAM_MAX];
    uint32_t again[TEAM_MAX];
    struct team *team = NULL;
    const uint32_t n = team_cpus(cpus);
    memset(visits, 0, sizeof visits);
    ck_assert_int_eq(team_start(cpus, n, &team), 0);
    for (int round = 1; round <= 100; round++) {
        team_run(team, visit, visits);
        for (uint32_t i = 0; i < n; i++) {
            ck_assert_int_eq(visits[i], round);
            ck_assert_int_eq(cpus_seen[i], (int)cpus[i]);
        }
    }
    ck_assert_uint_eq(team_cpus(again), 1);
    team_stop(team);
    ck_assert_uint_eq(team_cpus(again), n);
    ck_assert_mem_eq(again, cpus, n * sizeof cpus[0]);
    cpus[n - 1] = TEAM_MAX - 1;
    if (n > 1)
        ck_assert_int_ne(team_start(cpus, n, &team), 0);
    ck_assert_uint_eq(team_cpus(again), n);
    team_stop(NULL);
}
