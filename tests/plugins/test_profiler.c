/* test_profiler.c - counters of the CUDA device without a GPU: CUPTI's profiler is
 * tests/modules/fake_profiler.c, which counts what is done in the wrong order. */
#include "plugins/device_cuda/counters.c"
#include "tests/check_main.h"
#include "tests/fake_host.h"
#include "tests/modules/fake_profiler.h"

#include <cupti_result.h>

#define FAKE_PROFILER "tests/modules/.libs/fake_profiler.so"

static char reason[512];
static struct fake_profiler *cupti;
static struct metrics *metrics;
static CUcontext context;

static void setup(void)
{
    cupti = fake_symbol(fake_library(FAKE_PROFILER), "fake_profiler");
    reason[0] = '\0';
    context = (CUcontext)(uintptr_t)16;
    metrics = NULL;
}

static void teardown(void)
{
    metrics_free(metrics);
    ck_assert_int_eq(cupti->n_live, 0);
    ck_assert_int_eq(cupti->n_wrong, 0);
}

static void open_fake(void)
{
    ck_assert_msg(profiler_open(fake_path(FAKE_PROFILER), reason, sizeof reason), "%s", reason);
}

static void new_metrics(void)
{
    open_fake();
    metrics = metrics_new("fk100", context, reason, sizeof reason);
    ck_assert_msg(metrics != NULL, "%s", reason);
    ck_assert_str_eq(reason, "");
}

TEST_FIXTURE(setup, teardown)

/* --- what there is --- */

struct listing {
    int n;
    char text[4096];
};

static void take(void *object, const struct gb_counter *counter)
{
    struct listing *listing = object;
    const size_t length = strlen(listing->text);
    listing->n++;
    snprintf(listing->text + length, sizeof listing->text - length, "%s (%s): %s\n", counter->name,
             counter->unit, counter->help);
}

static void expect_listed(const char *name, int n, const char *words)
{
    struct listing listing = {0};
    ck_assert(metrics_list(metrics, name, take, &listing, reason, sizeof reason));
    ck_assert_int_eq(listing.n, n);
    ck_assert_msg(strstr(listing.text, words) != NULL, "%s", listing.text);
}

/* By their usual form, or one in all of its forms; names of chips are in any case. */
TEST(metrics_are_listed)
{
    open_fake();
    metrics = metrics_new("Fk100", NULL, reason, sizeof reason);
    ck_assert_ptr_nonnull(metrics);
    expect_listed(NULL, 9, "dram__bytes_read.sum (byte): of memory\n");
    expect_listed(NULL, 9, "lts__hit_rate.pct (percent): hits\n");
    expect_listed(NULL, 9, "sm__throughput.avg.pct_of_peak_sustained_elapsed (percent)");
    metrics_free(metrics);
    new_metrics();
    expect_listed("lts__hit_rate", 11, "lts__hit_rate.ratio (percent)");
    expect_listed("lts__hit_rate.ratio", 11, "lts__hit_rate.ratio (percent)");
}

TEST(only_metrics_with_a_form_are_there)
{
    char longer[400];
    const char *const others[] = {"dram__bytes_read",
                                  "dram__bytes_read.",
                                  "dram__bytes_read.pct",
                                  "dram__bytes",
                                  "",
                                  ".",
                                  ".sum",
                                  "no such thing",
                                  longer};
    memset(longer, 'x', sizeof longer - 1);
    longer[sizeof longer - 1] = '\0';
    new_metrics();
    ck_assert(metrics_has(metrics, "dram__bytes_read.sum"));
    ck_assert(metrics_has(metrics, "lts__hit_rate.pct"));
    for (size_t i = 0; i < N_OF(others); i++)
        ck_assert_msg(!metrics_has(metrics, others[i]), "%s", others[i]);
    ck_assert_str_eq(metrics_unit(metrics, "dram__bytes_read.sum"), "byte");
    ck_assert_str_eq(metrics_unit(metrics, "nothing.sum"), "");
}

TEST(chips_are_known_by_name)
{
    char chip[PROFILER_CHIP_BYTES];
    open_fake();
    ck_assert_ptr_null(metrics_new("GH1", NULL, reason, sizeof reason));
    ck_assert_str_eq(reason, "unknown chip 'GH1': expected one of FK050 FK100");
    ck_assert(profiler_chip(0, chip, reason, sizeof reason));
    ck_assert_str_eq(chip, "FK100");
}

/* --- counting --- */

/* Work is counted only where the fake is in a range, as the device would. */
struct work {
    int n_prepared, n_run;
    int fail_prepare_at, fail_run_at;
};

static int32_t prepare(void *object)
{
    struct work *work = object;
    ck_assert(!cupti->is_started && !cupti->is_in_range);
    return ++work->n_prepared == work->fail_prepare_at ? -7 : 0;
}

static int32_t run(void *object)
{
    struct work *work = object;
    ck_assert(cupti->is_in_range);
    cupti->work += 5;
    return ++work->n_run == work->fail_run_at ? -9 : 0;
}

static const char *two[] = {"dram__bytes_read.sum", "lts__hit_rate.pct"};
static double values[2];
static uint32_t n_passes;
static int32_t status;

static bool count_two(struct work *object)
{
    const struct profiler_work work = {prepare, run, object};
    values[0] = values[1] = 1;
    status = 0;
    return profiler_count(metrics, context, two, 2, &work, values, &n_passes, &status, reason,
                          sizeof reason);
}

TEST(every_pass_runs_the_work_once)
{
    struct work work = {0};
    new_metrics();
    ck_assert_msg(count_two(&work), "%s", reason);
    ck_assert_uint_eq(n_passes, 3);
    ck_assert_int_eq(work.n_prepared, 3);
    ck_assert_int_eq(work.n_run, 3);
    ck_assert_double_eq(values[0], 10);
    ck_assert_double_eq(values[1], 5);
}

#define FORBIDDEN CUPTI_ERROR_INSUFFICIENT_PRIVILEGES
#define FORBIDDEN_WORDS "counters are forbidden to this user: run as root"

/* Whatever fails is ended and told; what the work returned is handed back as it is. */
static const struct {
    const char *function; /* that fails */
    int32_t result;
    const char *words;
    int n_dropped, never_ends;
    struct work work;
    int32_t status;
    int n_run;
} failures[] = {
    {"ProfilerHostConfigAddMetrics", CUPTI_ERROR_HARDWARE, .words = "CUPTI fails while "},
    {"ProfilerHostGetConfigImageSize", CUPTI_ERROR_HARDWARE, .words = "CUPTI fails while "},
    {"ProfilerHostGetConfigImage", CUPTI_ERROR_HARDWARE, .words = "CUPTI fails while "},
    {"RangeProfilerEnable", CUPTI_ERROR_HARDWARE, .words = "CUPTI fails while "},
    {"RangeProfilerGetCounterDataSize", CUPTI_ERROR_HARDWARE, .words = "CUPTI fails while "},
    {"RangeProfilerCounterDataImageInitialize", CUPTI_ERROR_HARDWARE,
     .words = "CUPTI fails while "},
    {"RangeProfilerSetConfig", CUPTI_ERROR_HARDWARE, .words = "CUPTI fails while "},
    {"RangeProfilerStart", CUPTI_ERROR_HARDWARE, .words = "CUPTI fails while "},
    {"RangeProfilerPushRange", CUPTI_ERROR_HARDWARE, .words = "CUPTI fails while "},
    {"RangeProfilerPopRange", CUPTI_ERROR_HARDWARE, .words = "CUPTI fails while ", .n_run = 1},
    {"RangeProfilerStop", CUPTI_ERROR_HARDWARE, .words = "CUPTI fails while ", .n_run = 1},
    {"RangeProfilerDecodeData", CUPTI_ERROR_HARDWARE, .words = "CUPTI fails while ", .n_run = 3},
    {"ProfilerHostEvaluateToGpuValues", CUPTI_ERROR_HARDWARE, .words = "CUPTI fails while ",
     .n_run = 3},
    {"ProfilerGetCounterAvailability", FORBIDDEN, .words = FORBIDDEN_WORDS},
    {"RangeProfilerEnable", FORBIDDEN, .words = FORBIDDEN_WORDS},
    {"RangeProfilerSetConfig", FORBIDDEN, .words = FORBIDDEN_WORDS},
    {"RangeProfilerStart", FORBIDDEN, .words = FORBIDDEN_WORDS},
    {"RangeProfilerSetConfig", CUPTI_ERROR_HARDWARE_BUSY,
     .words = "the counters are in use: end the other profiler"},
    {.words = "the counters need more than 1000 passes: expected fewer counters",
     .never_ends = 1,
     .n_run = 1000},
    {.words = "CUPTI lost counted values", .n_dropped = 1, .n_run = 3},
    {.words = "", .work = {.fail_run_at = 2}, .status = -9, .n_run = 2},
    {.words = "", .work = {.fail_prepare_at = 1}, .status = -7},
};

TEST_EACH(every_failure_is_told_and_undone, failures)
{
    struct work work = failures[_i].work;
    const char *words = failures[_i].words;
    cupti->fail_function = failures[_i].function;
    cupti->result = failures[_i].result;
    cupti->n_dropped = failures[_i].n_dropped;
    cupti->never_ends = failures[_i].never_ends;
    open_fake();
    metrics = metrics_new("FK100", context, reason, sizeof reason);
    if (metrics != NULL) {
        ck_assert(!count_two(&work));
        ck_assert(isnan(values[0]) && isnan(values[1]));
    }
    ck_assert_int_eq(status, failures[_i].status);
    ck_assert_int_eq(work.n_run, failures[_i].n_run);
    ck_assert_msg(strstr(reason, words) != NULL, "%s: %s", failures[_i].function, reason);
    if (failures[_i].result == FORBIDDEN)
        ck_assert_ptr_nonnull(strstr(reason, "CUPTI_ERROR_INSUFFICIENT_PRIVILEGES"));
    else if (failures[_i].result == CUPTI_ERROR_HARDWARE)
        ck_assert_ptr_eq(strstr(reason, words), reason);
    else if (failures[_i].function == NULL && *words != '\0')
        ck_assert_str_eq(reason, words);
}

/* In a process of its own, where none is open yet. */
TEST(a_library_without_a_profiler_is_told)
{
    ck_assert(!profiler_open(fake_path("tests/modules/.libs/good.so"), reason, sizeof reason));
    ck_assert_ptr_nonnull(strstr(reason, "this libcupti has no cuptiProfilerInitialize"));
    ck_assert(!profiler_open("/no/such/libcupti.so", reason, sizeof reason));
    ck_assert_ptr_nonnull(strstr(reason, "/no/such/libcupti.so"));
}

/* --- work --- */

static double sums[GB_COUNTED_KINDS];
static char text[GB_COUNTING_TEXT];

/* Of counts 1, 2, 3 ... in the order of their names; the one of this number is not known, as are
 * those of half precision, or they are 0. */
static void sum_work(struct declared_math math, size_t unknown, double half, size_t bytes)
{
    struct work_metrics work;
    double counts[N_KNOWN];
    metrics_free(metrics);
    new_metrics();
    work_metrics_choose(metrics, &work);
    ck_assert_uint_eq(work.n, 7);
    for (size_t i = 0; i < work.n; i++)
        counts[i] = i == unknown ? NAN : work.all[i]->is_half && half != 1 ? half : (double)(i + 1);
    text[0] = '\0';
    work_metrics_sum(&work, math, counts, sums, text, bytes);
}

enum { ALL_KNOWN = 99 };
static const struct declared_math fp32_vector = {GB_F32, GB_MATH_VECTOR};

/* fadd 1 x 1, ffma 2 x 2, hfma 0, tensor 1 x 4 */
TEST(work_is_summed_from_what_the_chip_has)
{
    sum_work(fp32_vector, ALL_KNOWN, 0, sizeof text);
    ck_assert_double_eq(sums[GB_COUNTED_FLOPS], 9);
    ck_assert_double_eq(sums[GB_COUNTED_BYTES_L1], 5);
    ck_assert_double_eq(sums[GB_COUNTED_BYTES_L2], 6);
    ck_assert_double_eq(sums[GB_COUNTED_DRAM_READ], 7);
    ck_assert(isnan(sums[GB_COUNTED_DRAM_WRITE]));
    ck_assert_ptr_nonnull(
        strstr(text, "2 x smsp__sass_thread_inst_executed_op_ffma_pred_on.sum + 1 x sm__ops"));
    ck_assert_ptr_null(strstr(text, "hfma"));
    ck_assert_ptr_null(strstr(text, "half precision"));
}

/* hfma reads 3: it is 12 operations, or none. */
static const struct {
    struct declared_math math;
    double flops;
    const char *words;
} halves[] = {
    {{GB_F32, GB_MATH_VECTOR}, 9, ", without half precision, which is constants and conversions"},
    {{GB_F64, GB_MATH_VECTOR}, 9, ", without half precision, which is constants and conversions"},
    {{GB_TF32, 0}, 9, ", without half precision, which is constants and conversions"},
    {{GB_F16, GB_MATH_TENSOR}, 9, ", without half precision, which is constants and conversions"},
    {{GB_F8_E4M3, GB_MATH_TENSOR}, 9, ", without half precision"},
    {{0, GB_MATH_TENSOR}, 9, ", without half precision"},
    {{GB_F16, GB_MATH_VECTOR}, 21, NULL},
    {{GB_BF16, GB_MATH_VECTOR}, 21, NULL},
    {{GB_F16, 0}, 21, NULL},
    {{0, GB_MATH_VECTOR}, 21, ", in which half precision may be constants and conversions"},
    {{0, 0}, 21, ", in which half precision may be constants and conversions"},
};

TEST_EACH(half_precision_is_work_where_it_is_declared, halves)
{
    const char *words = halves[_i].words;
    sum_work(halves[_i].math, ALL_KNOWN, 1, sizeof text);
    ck_assert_double_eq(sums[GB_COUNTED_FLOPS], halves[_i].flops);
    ck_assert_double_eq(sums[GB_COUNTED_BYTES_L1], 5);
    ck_assert_int_eq(strstr(text, "4 x smsp__sass_thread_inst_executed_op_hfma") != NULL,
                     halves[_i].flops == 21);
    const char *found = strstr(text, words != NULL ? words : "half precision");
    ck_assert_msg((found != NULL) == (words != NULL), "%s", text);
}

TEST(an_older_host_declares_nothing)
{
    struct gb_counting counting = {
        .size = sizeof counting, .math_format = GB_BF16, .math_unit = GB_MATH_VECTOR};
    ck_assert_uint_eq(declared_math_of(&counting).format, GB_BF16);
    ck_assert_uint_eq(declared_math_of(&counting).unit, GB_MATH_VECTOR);
    counting.size = offsetof(struct gb_counting, math_format);
    ck_assert_uint_eq(declared_math_of(&counting).format, 0);
    ck_assert_uint_eq(declared_math_of(&counting).unit, 0);
}

TEST(what_is_left_out_need_not_be_known)
{
    sum_work(fp32_vector, ALL_KNOWN, NAN, sizeof text);
    ck_assert_double_eq(sums[GB_COUNTED_FLOPS], 9);
    sum_work((struct declared_math){GB_F16, GB_MATH_VECTOR}, ALL_KNOWN, NAN, sizeof text);
    ck_assert(isnan(sums[GB_COUNTED_FLOPS]));
}

TEST(work_with_a_missing_count_is_not_known)
{
    sum_work(fp32_vector, 1, 1, 16);
    ck_assert(isnan(sums[GB_COUNTED_FLOPS]));
    ck_assert_double_eq(sums[GB_COUNTED_BYTES_L1], 5);
    ck_assert_uint_lt(strlen(text), 16);
}
