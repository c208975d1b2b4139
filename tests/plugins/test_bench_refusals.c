/* test_bench_refusals.c - what benchmarks do not do, in which words. What a device has not is said
 * before anything of it is asked for, so that this can be seen without one. */
#include "tests/plugins/bench_fixture.h"

/* Words that end in ... are the first ones. */
static const struct {
    const char *device, *id, *options, *words;
} skipped[] = {
    {"cpu", "ceilings", "roof = shared_copy", "roof = shared_copy is for GPUs"},
    {"cpu", "ceilings", "roof = bf16_tensor; method = cublas", "roof = bf16_tensor is for GPUs"},
    {"cpu", "ceilings", "roof = fp16_fma; threads = 1", "roof = fp16_fma is for GPUs"},
    {"cpu", "ceilings", "roof = dram_copy; method = mma",
     "roof = dram_copy has one method: mma and cublas are for tensor cores"},
    {"cpu", "ceilings", "roof = fp64_fma; bytes = 4KiB",
     "roof = fp64_fma is a rate: bytes is for bandwidths"},
    {"cuda", "ceilings", "roof = l1_read; bytes = 4KiB", "roof = l1_read is for CPUs"},
    {"cuda", "ceilings", "roof = l3_triad", "roof = l3_triad is for CPUs"},
    {"cuda", "ceilings", "roof = fp32_scalar", "roof = fp32_scalar is for CPUs"},
    {"cuda", "ceilings", "roof = dram_read; threads = 2",
     "threads is for CPUs: a GPU's roofs are those of the whole GPU"},
    {"cpu", "convolution", "integral = yes; range = 0..200",
     "sums of whole numbers are exact up to 1.67772e+07, but 576 products up to 40000 are "
     "2.304e+07"},
    {"cpu", "copy", "method = kernel", "method = kernel is for GPUs"},
    {"cpu", "copy", "from = pinned; to = device",
     "from = pinned, to = device is for GPUs: the CPU has one kind of memory, device"},
    {"cpu", "copy", "method = loop; to = peer",
     "from = device, to = peer is for GPUs: the CPU has one kind of memory, device"},
    {"cuda", "copy", "method = loop", "method = loop is for the CPU"},
    {"cuda", "copy", "method = stream; to = peer", "method = stream is for the CPU"},
    {"cuda", "copy", "method = kernel; from = pageable",
     "from = pageable, to = device is not accessible to a kernel: expected method = memcpy"},
    {"cuda", "copy", "from = pinned; to = pageable",
     "from = pinned, to = pageable is a copy within host memory: expected device or peer on one "
     "side"},
    {"cpu", "elementwise", "block = 128", "block is for CUDA: the CPU has no blocks of threads"},
    {"cpu", "elementwise", "threads = 1024", "threads = 1024: there are ..."},
    {"cuda", "elementwise", "threads = 4",
     "threads is for the CPU: those of a GPU are in blocks, see block"},
    {"cuda", "elementwise", "block = 48", "block = 48 is not a multiple of 32"},
    {"cuda", "elementwise", "kernel = softmax; n = 4100; columns = 1",
     "columns = 1 of fp32: a row is a multiple of 16 bytes on a GPU"},
    {"cuda", "elementwise", "kernel = batchnorm; n = 4100; columns = 1",
     "columns = 1 of fp32: a row is a multiple of 16 bytes on a GPU"},
    {"cuda", "elementwise", "kernel = layernorm; n = 4100; columns = 4100",
     "columns = 4100 of fp32: a block of 256 threads holds 4096"},
    {"cpu", "gemm_verify", "kernel = tensor", "kernel = tensor: is for CUDA"},
    {"cpu", "gemm_verify", "reference = gpu_tensor", "reference = gpu_tensor: is for CUDA"},
    {"cpu", "gemm_verify", "dtype = int8; accumulate = fp32",
     "accumulate = fp32: sums of int8 are kept in int32"},
    {"cpu", "gemm_verify", "dtype = fp64; accumulate = every4",
     "accumulate = every4: sums of fp64 are kept in fp64"},
    {"cpu", "gemm_verify", "dtype = bf16; accumulate = fp16",
     "accumulate = fp16: only sums of fp16 are kept in fp16"},
    {"cpu", "gemm_verify", "integral = yes; range = 0..3000",
     "integral = yes: the integers of fp16 end at 2048, the range at 3000"},
    {"cpu", "gemm_verify", "integral = yes; range = 0..200; k = 1000",
     "sums of whole numbers are exact up to 1.67772e+07, but 1000 products up to 40000 are 4e+07"},
    {"cpu", "gemm_verify", "split_k = 9; k = 8", "split_k exceeds k"},
    {"cpu", "gemm_verify", "fault = stale_tile; m = 16; n = 16",
     "fault = stale_tile: an output of one tile of 16 x 16 has no second tile"},
    {"cpu", "gemm_verify", "fault = nan; dtype = int8",
     "fault = nan: integers have neither NaN nor infinity"},
    {"cpu", "gemm_verify", "reference_accumulate = every4; dtype = int8",
     "reference_accumulate: sums of int8 are exact"},
    {"cpu", "histogram", "block = 128", "block is for CUDA: the CPU has no blocks of threads"},
    {"cuda", "histogram", "threads = 4",
     "threads is for the CPU: those of a GPU are in blocks, see block"},
    {"cuda", "histogram", "bins = 12289",
     "bins = 12289 with method = private: a block has shared memory for 12288"},
    {"cpu", "multistream_matmul", "block = 8",
     "block is for CUDA: the CPU has no blocks of threads"},
    {"cpu", "multistream_matmul", "priority = graded",
     "priority = graded is for CUDA: on the CPU a stream is an ordinary thread"},
    {"cpu", "multistream_matmul", "allocation = pool",
     "allocation = pool is for CUDA: the CPU has ordinary memory only"},
    {"cpu", "multistream_matmul", "units = 2",
     "units is for CUDA: expected option cpus of a device of plugin cpu, the CPUs to run on"},
    {"cpu", "multistream_matmul", "stamps = each",
     "stamps is for CUDA: the CPU does not record where a problem runs"},
    {"cpu", "padding", "schedule = cublas", "schedule = cublas is for CUDA"},
    {"cpu", "padding", "schedule = tuned; tile = 64x64x16",
     "tile is for CUDA: on the CPU the processor decides"},
    {"cpu", "padding", "schedule = pad; tile = 96x96x8",
     "schedule = pad has a fixed tile: tile is for schedule = tuned"},
    {"cpu", "spin", "cycles = 1000", "cycles is for GPUs: on the CPU give a duration"},
};

static const char other_device[] = "this build of the benchmark does not support this device";

static void expect_words(int32_t status, const char *words)
{
    const size_t n = strlen(words);
    const bool is_begun = n > 3 && strcmp(words + n - 3, "...") == 0;
    ck_assert_int_eq(created(), status);
    ck_assert_ptr_null(bench);
    if (is_begun)
        ck_assert_msg(strncmp(fake->reason, words, n - 3) == 0, "%s", fake->reason);
    else
        ck_assert_str_eq(fake->reason, words);
}

TEST_FIXTURE(NULL, unload)

TEST_EACH(what_is_not_there_is_skipped, skipped)
{
    load_on(skipped[_i].device, skipped[_i].id);
    set("%s", skipped[_i].options);
    expect_words(GB_SKIPPED, strstr(plugin->devices, skipped[_i].device) != NULL ? skipped[_i].words
                                                                                 : other_device);
    if (strcmp(skipped[_i].id, "copy") == 0)
        ck_assert_int_eq(fake->is_exclusive, 0);
}

TEST(other_devices_are_skipped)
{
    static const char *const ids[] = {"ceilings",           "convolution", "copy",
                                      "elementwise",        "gemm_verify", "histogram",
                                      "multistream_matmul", "padding",     "spin"};
    for (size_t i = 0; i < N_OF(ids); i++) {
        load_on("abacus", ids[i]);
        expect_words(GB_SKIPPED, other_device);
        ck_assert_int_eq(fake->is_exclusive, 0);
    }
}

#define RANGE_WORDS "range = 5..1: '5..1' is neither r0, r1, r4, r5 nor LOW..HIGH with LOW <= HIGH"

/* What validation finds before is a problem of the option. */
static const struct {
    const char *id, *options, *words, *option;
} failing[] = {
    {"convolution", "groups = 3", "groups = 3 does not divide both c = 64 and k = 64", "groups"},
    {"convolution", "r = 60",
     "a filter of 60 x 3 with dilation = 1 is larger than an image of 56 x 56 with pad = 1", "r"},
    {"convolution", "s = 30; dilation = 2",
     "a filter of 3 x 30 with dilation = 2 is larger than an image of 56 x 56 with pad = 1", "s"},
    {"convolution", "n = 65536",
     "x, the filters or y are too large: expected fewer than 2e9 elements each", "n"},
    {"convolution", "range = 5..1", RANGE_WORDS, "range"},
    {"copy", "width = 3", "width = 3: expected 1, 2, 4, 8 or 16", NULL},
    {"copy", "width = 5", "width = 5: expected 1, 2, 4, 8 or 16", NULL},
    {"copy", "width = 12", "width = 12: expected 1, 2, 4, 8 or 16", NULL},
    {"copy", "width = 15", "width = 15: expected 1, 2, 4, 8 or 16", NULL},
    {"elementwise", "kernel = softmax; n = 1000; columns = 300",
     "n = 1000 is not a whole number of rows of columns = 300", NULL},
    {"elementwise", "kernel = maxpool; n = 1000; columns = 300",
     "n = 1000 is not a whole number of images of columns = 300", NULL},
    {"elementwise", "kernel = maxpool; n = 1000; columns = 1025",
     "columns = 1025: an image has at most 1048576 elements", NULL},
    {"elementwise", "kernel = maxpool; n = 1000; columns = 1000; low = 2",
     "low = 2 is above high = 1", NULL},
    {"gemm_verify", "range = 5..1", RANGE_WORDS, "range"},
    {"multistream_matmul", "input = ones; aligned = 16777217",
     "aligned = 16777217: sums of ones are exact up to 16777216 in single precision; set input = "
     "random",
     NULL},
    {"skeleton", "factor = 0", "factor = 0 makes every output zero: expected another value", NULL},
};

TEST_EACH(what_makes_no_sense_fails, failing)
{
    load_bench(failing[_i].id);
    set("%s", failing[_i].options);
    if (failing[_i].option != NULL) {
        validate(params);
        ck_assert_uint_eq(first_problem.n, 1);
        ck_assert_uint_eq(first_problem.offset, 0);
        ck_assert_str_eq(first_problem.option, failing[_i].option);
        ck_assert_str_eq(first_problem.text, failing[_i].words);
    }
    expect_words(GB_FAILED, failing[_i].words);
}
