/*
 * test_profiler.c - counters of the CUDA device without a GPU: CUPTI's profiler is
 * tests/modules/fake_profiler.c, which counts what is done in the wrong order.
 */
#define _GNU_SOURCE
#include "plugins/device_cuda/profiler.h"
#include "plugins/device_cuda/work_metrics.h"
#include "tests/check_main.h"
#include "tests/modules/fake_profiler.h"

#include <cupti_result.h>
#include <dlfcn.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char path[512], reason[512];
static struct fake_profiler *cupti;
static struct metrics *metrics;
static CUcontext context;

static void setup(void)
{
    snprintf(path, sizeof path, "%s/tests/modules/.libs/fake_profiler.so", getenv("top_builddir"));
    void *library = dlopen(path, RTLD_NOW);
    ck_assert_msg(library != NULL, "%s", dlerror());
    cupti = dlsym(library, "fake_profiler");
    ck_assert_ptr_nonnull(cupti);
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
    ck_assert_msg(profiler_open(path, reason, sizeof reason), "%s", reason);
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

static void take(void *object, const char *name, const char *unit, const char *help)
{
    struct listing *listing = object;
    const size_t length = strlen(listing->text);
    listing->n++;
    snprintf(listing->text + length, sizeof listing->text - length, "%s (%s): %s\n", name, unit,
             help);
}

TEST(metrics_are_listed_by_their_usual_form)
{
    struct listing listing = {0};
    open_fake();
    metrics = metrics_new("Fk100", NULL, reason, sizeof reason);
    ck_assert_ptr_nonnull(metrics);
    ck_assert(metrics_list(metrics, NULL, take, &listing, reason, sizeof reason));
    ck_assert_int_eq(listing.n, 9);
    ck_assert_ptr_nonnull(strstr(listing.text, "dram__bytes_read.sum (byte): of memory\n"));
    ck_assert_ptr_nonnull(strstr(listing.text, "lts__hit_rate.pct (percent): hits\n"));
    ck_assert_ptr_nonnull(
        strstr(listing.text, "sm__throughput.avg.pct_of_peak_sustained_elapsed (percent)"));
}

TEST(a_whole_metric_is_listed_in_all_forms)
{
    static const char *const names[] = {"lts__hit_rate", "lts__hit_rate.ratio"};
    for (size_t i = 0; i < 2; i++) {
        struct listing listing = {0};
        metrics_free(metrics);
        new_metrics();
        ck_assert(metrics_list(metrics, names[i], take, &listing, reason, sizeof reason));
        ck_assert_int_eq(listing.n, 11);
        ck_assert_ptr_nonnull(strstr(listing.text, "lts__hit_rate.ratio (percent)"));
    }
}

TEST(only_metrics_with_a_form_are_there)
{
    char longer[400];
    memset(longer, 'x', sizeof longer - 1);
    longer[sizeof longer - 1] = '\0';
    new_metrics();
    ck_assert(metrics_has(metrics, "dram__bytes_read.sum"));
    ck_assert(metrics_has(metrics, "lts__hit_rate.pct"));
    const char *const others[] = {"dram__bytes_read",
                                  "dram__bytes_read.",
                                  "dram__bytes_read.pct",
                                  "dram__bytes",
                                  "",
                                  ".",
                                  ".sum",
                                  "no such thing",
                                  longer};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        ck_assert_msg(!metrics_has(metrics, others[i]), "%s", others[i]);
    ck_assert_str_eq(metrics_unit(metrics, "dram__bytes_read.sum"), "byte");
    ck_assert_str_eq(metrics_unit(metrics, "nothing.sum"), "");
}

TEST(an_unknown_chip_is_told_with_those_that_are_known)
{
    open_fake();
    ck_assert_ptr_null(metrics_new("GH1", NULL, reason, sizeof reason));
    ck_assert_str_eq(reason, "chip 'GH1' is not known: expected one of FK050 FK100");
}

TEST(the_chip_of_a_device_is_found)
{
    char chip[PROFILER_CHIP_BYTES];
    open_fake();
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

static const char *const two[] = {"dram__bytes_read.sum", "lts__hit_rate.pct"};

static bool count(struct work *object, const char *const *names, size_t n, double *values,
                  uint32_t *ret_passes, int32_t *ret_status)
{
    const struct profiler_work work = {prepare, run, object};
    return profiler_count(metrics, context, names, n, &work, values, ret_passes, ret_status, reason,
                          sizeof reason);
}

TEST(every_pass_runs_the_work_once)
{
    struct work work = {0};
    double values[2];
    uint32_t n_passes;
    int32_t status;
    new_metrics();
    ck_assert_msg(count(&work, two, 2, values, &n_passes, &status), "%s", reason);
    ck_assert_uint_eq(n_passes, 3);
    ck_assert_int_eq(work.n_prepared, 3);
    ck_assert_int_eq(work.n_run, 3);
    ck_assert_double_eq(values[0], 10);
    ck_assert_double_eq(values[1], 5);
}

/* Whatever fails is ended and told; what the work returned is handed back as it is. */
TEST(failing_work_ends_the_passes)
{
    struct work work = {.fail_run_at = 2};
    double values[2] = {1, 1};
    uint32_t n_passes;
    int32_t status;
    new_metrics();
    ck_assert(!count(&work, two, 2, values, &n_passes, &status));
    ck_assert_int_eq(status, -9);
    ck_assert_int_eq(work.n_run, 2);
    ck_assert(isnan(values[0]) && isnan(values[1]));
    metrics_free(metrics);
    new_metrics();
    work = (struct work){.fail_prepare_at = 1};
    ck_assert(!count(&work, two, 2, values, &n_passes, &status));
    ck_assert_int_eq(status, -7);
    ck_assert_int_eq(work.n_run, 0);
}

static const char *const failing[] = {
    "ProfilerHostConfigAddMetrics",
    "ProfilerHostGetConfigImageSize",
    "ProfilerHostGetConfigImage",
    "RangeProfilerEnable",
    "RangeProfilerGetCounterDataSize",
    "RangeProfilerCounterDataImageInitialize",
    "RangeProfilerSetConfig",
    "RangeProfilerStart",
    "RangeProfilerPushRange",
    "RangeProfilerPopRange",
    "RangeProfilerStop",
    "RangeProfilerDecodeData",
    "ProfilerHostEvaluateToGpuValues",
};
enum { N_FAILING = sizeof failing / sizeof failing[0] };

TEST_TIMES(every_failure_is_told_and_undone, N_FAILING)
{
    struct work work = {0};
    double values[2];
    uint32_t n_passes;
    int32_t status;
    new_metrics();
    cupti->fail_function = failing[_i];
    cupti->result = CUPTI_ERROR_HARDWARE;
    ck_assert(!count(&work, two, 2, values, &n_passes, &status));
    ck_assert_int_eq(status, 0);
    ck_assert_msg(strncmp(reason, "CUPTI fails while ", 18) == 0, "%s: %s", failing[_i], reason);
    ck_assert(isnan(values[0]));
}

TEST_TIMES(forbidden_counters_are_explained, 4)
{
    static const char *const places[] = {"ProfilerGetCounterAvailability", "RangeProfilerEnable",
                                         "RangeProfilerSetConfig", "RangeProfilerStart"};
    struct work work = {0};
    double values[2];
    uint32_t n_passes;
    int32_t status = 0;
    cupti->fail_function = places[_i];
    cupti->result = CUPTI_ERROR_INSUFFICIENT_PRIVILEGES;
    open_fake();
    metrics = metrics_new("FK100", context, reason, sizeof reason);
    ck_assert(metrics == NULL || !count(&work, two, 2, values, &n_passes, &status));
    ck_assert_int_eq(status, 0);
    ck_assert_ptr_nonnull(strstr(reason, "counters are forbidden to this user: run as root"));
    ck_assert_ptr_nonnull(strstr(reason, "CUPTI_ERROR_INSUFFICIENT_PRIVILEGES"));
}

TEST(a_busy_device_is_explained)
{
    struct work work = {0};
    double values[2];
    uint32_t n_passes;
    int32_t status;
    new_metrics();
    cupti->fail_function = "RangeProfilerSetConfig";
    cupti->result = CUPTI_ERROR_HARDWARE_BUSY;
    ck_assert(!count(&work, two, 2, values, &n_passes, &status));
    ck_assert_ptr_nonnull(strstr(reason, "the counters are in use: end the other profiler"));
}

TEST(passes_without_end_are_ended)
{
    struct work work = {0};
    double values[2];
    uint32_t n_passes;
    int32_t status;
    new_metrics();
    cupti->never_ends = 1;
    ck_assert(!count(&work, two, 2, values, &n_passes, &status));
    ck_assert_str_eq(reason, "CUPTI asks for more than 1000 passes");
    ck_assert_int_eq(work.n_run, 1000);
}

TEST(a_dropped_range_is_no_count)
{
    struct work work = {0};
    double values[2];
    uint32_t n_passes;
    int32_t status;
    new_metrics();
    cupti->n_dropped = 1;
    ck_assert(!count(&work, two, 2, values, &n_passes, &status));
    ck_assert_str_eq(reason, "CUPTI lost what it had counted");
    ck_assert(isnan(values[0]));
}

/* In a process of its own, where none is open yet. */
TEST(a_library_without_a_profiler_is_told)
{
    snprintf(path, sizeof path, "%s/tests/modules/.libs/good.so", getenv("top_builddir"));
    ck_assert(!profiler_open(path, reason, sizeof reason));
    ck_assert_ptr_nonnull(strstr(reason, "this libcupti has no cuptiProfilerInitialize"));
    ck_assert(!profiler_open("/no/such/libcupti.so", reason, sizeof reason));
    ck_assert_ptr_nonnull(strstr(reason, "/no/such/libcupti.so"));
}

/* --- work --- */

static const struct declared_math fp32_vector = {GB_F32, GB_MATH_VECTOR};

TEST(work_is_summed_from_what_the_chip_has)
{
    struct work_metrics work;
    double values[WORK_METRICS_MAX], sums[GB_COUNTED_KINDS];
    char text[256] = "";
    new_metrics();
    work_metrics_choose(metrics, &work);
    ck_assert_uint_eq(work.n, 7);
    for (size_t i = 0; i < work.n; i++)
        values[i] = strstr(work.names[i], "hfma") ? 0 : (double)(i + 1);
    work_metrics_sum(&work, fp32_vector, values, sums, text, sizeof text);
    /* fadd 1 x 1, ffma 2 x 2, hfma 0, tensor 1 x 4 */
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
    struct work_metrics work;
    double values[WORK_METRICS_MAX], sums[GB_COUNTED_KINDS];
    const char *words = halves[_i].words;
    char text[GB_COUNTING_TEXT] = "";
    new_metrics();
    work_metrics_choose(metrics, &work);
    for (size_t i = 0; i < work.n; i++)
        values[i] = (double)(i + 1);
    work_metrics_sum(&work, halves[_i].math, values, sums, text, sizeof text);
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
    struct work_metrics work;
    double values[WORK_METRICS_MAX], sums[GB_COUNTED_KINDS];
    char text[GB_COUNTING_TEXT] = "";
    new_metrics();
    work_metrics_choose(metrics, &work);
    for (size_t i = 0; i < work.n; i++)
        values[i] = work.is_half[i] ? NAN : 1;
    work_metrics_sum(&work, fp32_vector, values, sums, text, sizeof text);
    ck_assert_double_eq(sums[GB_COUNTED_FLOPS], 4);
    work_metrics_sum(&work, (struct declared_math){GB_F16, GB_MATH_VECTOR}, values, sums, text,
                     sizeof text);
    ck_assert(isnan(sums[GB_COUNTED_FLOPS]));
}

TEST(work_with_a_missing_count_is_not_known)
{
    struct work_metrics work;
    double values[WORK_METRICS_MAX], sums[GB_COUNTED_KINDS];
    char text[16] = "";
    new_metrics();
    work_metrics_choose(metrics, &work);
    for (size_t i = 0; i < work.n; i++)
        values[i] = i == 1 ? NAN : 1;
    work_metrics_sum(&work, fp32_vector, values, sums, text, sizeof text);
    ck_assert(isnan(sums[GB_COUNTED_FLOPS]));
    ck_assert_double_eq(sums[GB_COUNTED_BYTES_L1], 1);
    ck_assert_uint_lt(strlen(text), sizeof text);
}
