/* test_stamps.c - what is read from stamps: times, and the clock of the multiprocessor. */
#include "plugins/device_cuda/stamps.h"
#include "tests/check_main.h"
#include "tests/fake_cuda/fake_driver.h"

/* As gbrun_stamp stores them. */
static const struct {
    uint64_t time_ns, cycles;
} stored[] = {
    {1000000, 500},
    {1000999, 2480},
    {1100000, 180500},                                 /* 1.8 GHz since the first */
    {1100000, 180500 | 7ull << 48},                    /* on another multiprocessor */
    {2000000, ((1ull << 48) - 1000) | 7ull << 48},     /* just before it begins again */
    {2000000 + 500000, (1000000 - 1000) | 7ull << 48}, /* 2 GHz since then */
};
enum { STORED = N_OF(stored) };

#pragma GCC diagnostic ignored "-Wmissing-prototypes"
static const char *loaded;
SUCCEEDS(load, (CUmodule * module, const void *image), loaded = image; *module = NULL)
SUCCEEDS(function, (CUfunction * ret, CUmodule module, const char *name), *ret = NULL)
SUCCEEDS(allocate, (CUdeviceptr * ret, size_t bytes), *ret = (CUdeviceptr)(uintptr_t)malloc(bytes))
SUCCEEDS(release, (CUdeviceptr memory), free((void *)(uintptr_t)memory))
SUCCEEDS(host_allocate, (void **ret, size_t bytes, unsigned flags), *ret = malloc(bytes))
SUCCEEDS(host_free, (void *memory), free(memory))
SUCCEEDS(copy, (CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream),
         memcpy((void *)(uintptr_t)to, (const void *)(uintptr_t)from, bytes))
SUCCEEDS(synchronize, (CUstream stream))

static const struct driver driver = {
    .module_load = load,
    .module_function = function,
    .allocate = allocate,
    .free = release,
    .host_allocate = host_allocate,
    .host_free = host_free,
    .copy_async = copy,
    .stream_synchronize = synchronize,
};
static struct stamps stamps;

static void close_stamps(void)
{
    stamps_close(&stamps);
}

TEST_FIXTURE(NULL, close_stamps)

static void open_with_step(uint64_t step_ns)
{
    ck_assert_int_eq(stamps_open(&stamps, &driver, step_ns), CUDA_SUCCESS);
    memcpy((void *)(uintptr_t)stamps.on_device, stored, sizeof stored);
    ck_assert_int_eq(stamps_read(&stamps, NULL, STORED), CUDA_SUCCESS);
}

TEST(times_are_differences_of_the_timer)
{
    open_with_step(0);
    ck_assert_double_eq(stamps_between(&stamps, 0, 1), 999);
    ck_assert_double_eq(stamps_between(&stamps, 1, 0), -999);
    stamps_close(&stamps);
    open_with_step(32);
    ck_assert_double_eq(stamps_between(&stamps, 0, 1), 992);
}

/* It is not known of short times and two multiprocessors. */
TEST(the_clock_is_cycles_over_time)
{
    open_with_step(0);
    ck_assert_double_eq(stamps_clock_hz(&stamps, 0, 2), 1.8e9);
    ck_assert_double_eq(stamps_clock_hz(&stamps, 4, 5), 2e9);
    ck_assert_double_eq(stamps_clock_hz(&stamps, 0, 1), 0);
    ck_assert_double_eq(stamps_clock_hz(&stamps, 2, 0), 0);
    ck_assert_double_eq(stamps_clock_hz(&stamps, 0, 3), 0);
}

/* A loop whose length is known is unrolled: 40,000 steps were 600 kB, and 18 s in each process. */
TEST(kernels_are_compiled_to_a_few_instructions)
{
    static const char command[] =
        "f=$(mktemp) && cat >\"$f\" && ptxas -arch=sm_90 -o \"$f.cubin\" \"$f\" &&"
        " test \"$(wc -c <\"$f.cubin\")\" -lt 32768; s=$?; rm -f \"$f\" \"$f.cubin\"; exit $s";
    if (system("command -v ptxas >/dev/null") != 0)
        TEST_SKIP("ptxas is missing");
    open_with_step(0);
    FILE *compiler = popen(command, "w");
    ck_assert_ptr_nonnull(compiler);
    ck_assert_int_ge(fputs(loaded, compiler), 0);
    ck_assert_int_eq(pclose(compiler), 0);
}
