/* test_gemm_verify.c - gemm_verify on the CPU: numbers, ranges, the float64 reference, products
 * that must pass and planted faults that must not, with LONG in the environment more of them. */
#include "core/base/number_format.h"
#include "core/base/random.h"
#include "plugins/bench_gemm_verify/fault.h"
#include "plugins/bench_gemm_verify/sums.h"
#include "plugins/common/product_reference.h"
#include "plugins/common/verified_sums.h"
#include "tests/plugins/verified.h"

static const char *const dtypes[] = {"fp16", "bf16",     "fp32",     "tf32",
                                     "fp64", "fp8_e4m3", "fp8_e5m2", "int8"};
static const char *const ranges[] = {"r0", "r1", "r4", "r5", "-3..-1|1..3"};
static const char *const kernels[] = {"scalar", "simd", "blocked"};
static const char *const layouts[] = {"nn", "nt", "tn", "tt"};
static const char *const accumulations[] = {"auto", "fp64", "fp16", "every4", "every4_nearest"};
static const char *const faults[] = {
    "dropped_product", "skipped_k_step", "stale_tile", "swapped_rows",
    "unwritten",       "wrong_scale",    "nan",        "inf",
    "all_zero"};

TEST_FIXTURE(verify_really, unload)

/* --- numbers --- */

/* Each half, the ties between it and the next, and what lies beside those. */
TEST(sums_are_rounded_to_the_nearest_half)
{
    for (uint16_t bits = 0; bits < 0x7c00; bits++) {
        const uint16_t next = (uint16_t)(bits + 1);
        const double low = number_load(GB_F16, &bits, 0);
        const double high = number_load(GB_F16, &next, 0);
        const double tie = low + ((isfinite(high) ? high : 2 * low) - low) / 2;
        const double values[] = {low, tie, nextafter(tie, 0.0), nextafter(tie, INFINITY)};
        for (size_t i = 0; i < 2 * N_OF(values); i++) {
            const float value = (float)(i % 2 == 0 ? values[i / 2] : -values[i / 2]);
            ck_assert_float_eq(sums_round_half(value), (float)number_round(GB_F16, (double)value));
        }
    }
}

TEST(flushing_begins_below_the_smallest_normal_number)
{
    double values[] = {-0x1p-14, 0x1.ffcp-15, -0x1.ffcp-15};
    double integer = 0.5;
    sums_flush(number_format_of(GB_F16), values, N_OF(values));
    ck_assert_double_eq(values[0], -0x1p-14);
    ck_assert_double_eq(values[1], 0.0);
    ck_assert(values[2] == 0.0 && signbit(values[2]));
    sums_flush(number_format_of(GB_I32), &integer, 1);
    ck_assert_double_eq(integer, 0.5);
}

/* --- ranges --- */

#define NO_INTERVAL "' is neither r0, r1, r4, r5 nor LOW..HIGH with LOW <= HIGH"
static const char *const bad_ranges[][2] = {
    {"r2", "range = r2: 'r2" NO_INTERVAL},
    {"", "range = : '" NO_INTERVAL},
    {"1..", "range = 1..: '1.." NO_INTERVAL},
    {"2..1", "range = 2..1: '2..1" NO_INTERVAL},
    {"1..x", "range = 1..x: '1..x" NO_INTERVAL},
    {"0..inf", "range = 0..inf: '0..inf" NO_INTERVAL},
    {"r0|", "range = r0|: '" NO_INTERVAL},
    {"r0|r0|r0|r0|r0|r0|r0|r0|r0",
     "range = r0|r0|r0|r0|r0|r0|r0|r0|r0: expected at most 8 intervals"},
};

TEST_EACH(broken_ranges_are_refused, bad_ranges)
{
    struct range range;
    char reason[240];
    ck_assert(!range_parse(bad_ranges[_i][0], &range, reason, sizeof reason));
    ck_assert_str_eq(reason, bad_ranges[_i][1]);
}

TEST(ranges_are_read)
{
    struct range range;
    char reason[240];
    ck_assert(range_parse(" -1.5e2..-.5 | r5|2..2 ", &range, reason, sizeof reason));
    ck_assert_uint_eq(range.n, 3);
    ck_assert_double_eq(range.intervals[0].low, -150.0);
    ck_assert_double_eq(range.intervals[0].high, -0.5);
    ck_assert_double_eq(range.intervals[1].low, 5.0);
    ck_assert_double_eq(range.intervals[1].high, 10.0);
    ck_assert_double_eq(range.intervals[2].high, 2.0);
    ck_assert_double_eq(range_largest(&range), 150.0);
    ck_assert(!range_has_one_sign(&range));
    ck_assert(range_parse("-3..0", &range, reason, sizeof reason));
    ck_assert(range_has_one_sign(&range));
}

/* --- the reference --- */

static const struct product_shape shapes[] = {
    {1, 1, 1},    {1, 49, 7},     {9, 1, 300},   {8, 24, 256}, {4, 12, 257},
    {7, 23, 511}, {97, 481, 513}, {33, 65, 129}, {200, 3, 1},
};

static void fill_uniform(uint64_t stream, double *values, uint64_t n, double low, double high)
{
    for (uint64_t i = 0; i < n; i++)
        values[i] = (double)(float)(low + random_unit(7, stream, i) * (high - low));
}

/* Of the largest shape. */
static double a_values[97 * 513], b_values[481 * 513], c_values[97 * 481], magnitude[97 * 481];

static void reference_is_right(const struct product_shape *shape)
{
    for (uint64_t i = 0; i < shape->m * shape->n; i++) {
        double wanted = 0.0;
        double size = 0.0;
        for (uint64_t k = 0; k < shape->k; k++) {
            const double product = a_values[i / shape->n * shape->k + k] *
                                   b_values[i % shape->n * shape->k + k];
            wanted += product;
            size += fabs(product);
        }
        ck_assert_double_le(fabs(c_values[i] - wanted), (double)shape->k * 0x1p-52 * size);
        ck_assert_double_ge(magnitude[i], size * (1 - 1e-12));
        ck_assert_double_le(magnitude[i], size * (1 + 1e-4));
    }
}

TEST_TIMES(reference_is_the_product, 4 * N_OF(shapes))
{
    const struct product_shape *shape = &shapes[_i / 4];
    const bool has_one_sign = _i % 4 >= 2;
    const struct reference_request request = {.shape = *shape,
                                              .a = a_values,
                                              .b = b_values,
                                              .is_single = _i % 2 != 0,
                                              .has_one_sign = has_one_sign,
                                              .n_threads = (uint32_t)_i % 3};
    fill_uniform(1, a_values, shape->m * shape->k, has_one_sign ? 1.0 : -1.0, 2.0);
    fill_uniform(2, b_values, shape->n * shape->k, -3.0, has_one_sign ? 0.0 : 1.0);
    memset(c_values, 0, sizeof c_values);
    memset(magnitude, 0, sizeof magnitude);
    ck_assert_int_eq(reference_product(&request, c_values, magnitude), GB_OK);
    reference_is_right(shape);
}

/* --- roundings --- */

static const struct {
    int32_t accumulate, order;
    uint64_t k, n_slices, steps;
} steps[] = {
    {ACCUMULATE_FP32, ORDER_SCALAR, 100, 1, 100},
    {ACCUMULATE_FP32, ORDER_SCALAR, 100, 3, 34 + 2},
    {ACCUMULATE_EVERY4, ORDER_SCALAR, 9, 1, 3},
    {ACCUMULATE_FP64, ORDER_SIMD, 100, 1, 7 + 4},
    {ACCUMULATE_EVERY4, ORDER_SIMD, 100, 1, 2 + 4},
    {ACCUMULATE_EVERY4_NEAREST, ORDER_SCALAR, 9, 1, 3},
    {ACCUMULATE_FP16, ORDER_BLOCKED, 10, 1, 10},
    {ACCUMULATE_FP16, ORDER_BLOCKED, 100, 1, 64 + 1},
    {ACCUMULATE_EVERY4, ORDER_BLOCKED, 300, 2, 16 + 2 + 1},
};

TEST_EACH(roundings_are_counted, steps)
{
    const struct sums_request request = {.shape = {1, 1, steps[_i].k},
                                         .accumulate = steps[_i].accumulate,
                                         .order = steps[_i].order,
                                         .n_slices = steps[_i].n_slices};
    ck_assert_uint_eq(sums_steps(&request), steps[_i].steps);
}

/* --- sums to the last bit --- */

enum { EVERY = 4, BLOCK = 64, LANES = 16, LONGEST = 700 };

static double rounded(int32_t accumulate, double sum)
{
    uint64_t bits;
    memcpy(&bits, &sum, sizeof bits);
    if (accumulate == ACCUMULATE_EVERY4)
        bits &= ~((UINT64_C(1) << 29) - 1);
    memcpy(&sum, &bits, sizeof bits);
    return accumulate == ACCUMULATE_FP16             ? number_round(GB_F16, sum)
           : accumulate == ACCUMULATE_EVERY4_NEAREST ? number_round(GB_F32, sum)
                                                     : sum;
}

/* Barriers stand where a compiler could fuse what is not to be fused. */
static double multiply_add(int32_t accumulate, double a, double b, double sum)
{
    const bool fuses = has_avx2() || SUMS_PORTABLE_FUSES;
    if (accumulate == ACCUMULATE_FP64 || sums_is_every4(accumulate)) {
        volatile double product = a * b;
        return fuses ? fma(a, b, sum) : product + sum;
    }
    volatile float product = (float)a * (float)b;
    return (double)(fuses ? fmaf((float)a, (float)b, (float)sum) : product + (float)sum);
}

static double plus(int32_t accumulate, double x, double y)
{
    const bool is_double = accumulate == ACCUMULATE_FP64 || sums_is_every4(accumulate);
    return rounded(accumulate, is_double ? x + y : (double)((float)x + (float)y));
}

/* n products, those of each step apart from the next by `stride` products. */
static double chain(int32_t accumulate, const double *a, const double *b, uint64_t n,
                    uint64_t stride)
{
    const uint64_t width = sums_is_every4(accumulate) ? EVERY : 1;
    double sum = 0.0;
    for (uint64_t k = 0; k < n; k += stride) {
        for (uint64_t i = k; i < k + width && i < n; i++)
            sum = multiply_add(accumulate, a[i], b[i], sum);
        sum = rounded(accumulate, sum);
    }
    return sum;
}

/* The sum of one slice, as sums.c says what its orders are. */
static double slice(const struct sums_request *request, const double *a, const double *b,
                    uint64_t n)
{
    const int32_t accumulate = request->accumulate;
    const uint64_t width = sums_is_every4(accumulate) ? EVERY : 1;
    double lanes[LANES] = {0};
    double sum = 0.0;
    switch (request->order) {
    case ORDER_SIMD:
        for (uint64_t lane = 0; lane < LANES && lane * width < n; lane++)
            lanes[lane] = chain(accumulate, a + lane * width, b + lane * width, n - lane * width,
                                LANES * width);
        for (uint64_t half = LANES / 2; half > 0; half /= 2) {
            for (uint64_t lane = 0; lane < half; lane++)
                lanes[lane] = plus(accumulate, lanes[lane], lanes[lane + half]);
        }
        return lanes[0];
    case ORDER_BLOCKED:
        for (uint64_t k = 0; k < n; k += BLOCK)
            sum = plus(accumulate, sum,
                       chain(accumulate, a + k, b + k, n - k < BLOCK ? n - k : BLOCK, width));
        return sum;
    default:
        return chain(accumulate, a, b, n, width);
    }
}

static const uint64_t lengths[][2] = {{1, 1}, {3, 2}, {64, 1}, {67, 1}, {257, 3}, {LONGEST, 1}};

/* Whatever compiled them: neither reassociated nor fused but as sums.h says. */
TEST_TIMES(sums_are_those_of_their_definition, 5 * 3 * (int)N_OF(lengths))
{
    const struct sums_request request = {
        .shape = {1, 1, lengths[_i % (int)N_OF(lengths)][0]},
        .n_slices = lengths[_i % (int)N_OF(lengths)][1],
        .order = _i / (int)N_OF(lengths) % 3,
        .accumulate = ACCUMULATE_FP32 + _i / (int)N_OF(lengths) / 3,
    };
    const uint64_t k = request.shape.k;
    const uint64_t length = (k + request.n_slices - 1) / request.n_slices;
    const double range = request.accumulate == ACCUMULATE_FP16 ? 1.0 : 1e3;
    double elements[2][LONGEST];
    struct sums_request elementwise = request;
    fill_uniform(1, a_values, k, -range, range);
    fill_uniform(2, b_values, k, -1.0, 1.0);
    elementwise.a = elements[0];
    elementwise.b = elements[1];
    sums_elements(request.accumulate, a_values, k, elements[0]);
    sums_elements(request.accumulate, b_values, k, elements[1]);
    double wanted = 0.0;
    for (uint64_t at = 0; at < k; at += length)
        wanted = plus(
            request.accumulate, wanted,
            slice(&request, a_values + at, b_values + at, k - at < length ? k - at : length));
    double got = -1.0;
    sums_product(&elementwise, &got);
    ck_assert_msg(got == wanted, "accumulate %d, order %d, k %llu: %a instead of %a",
                  request.accumulate, request.order, (unsigned long long)k, got, wanted);
}

static const int32_t imitated[] = {ACCUMULATE_FP32, ACCUMULATE_FP16, ACCUMULATE_EVERY4,
                                   ACCUMULATE_EVERY4_NEAREST};

/* Of fp16 numbers, whose products float64 holds: fused or not, sums of them are the same. */
TEST_EACH(imitations_sum_as_a_scalar_kernel, imitated)
{
    enum { M = 3, N = 5, K = 147 };
    const struct product_shape shape = {M, N, K};
    double sums[M * N];
    fill_uniform(1, a_values, M * K, -1.0, 1.0);
    fill_uniform(2, b_values, N * K, -1.0, 1.0);
    for (int i = 0; i < M * K; i++)
        a_values[i] = number_round(GB_F16, a_values[i]);
    for (int i = 0; i < N * K; i++)
        b_values[i] = number_round(GB_F16, b_values[i]);
    imitation_product(&shape, a_values, b_values, imitated[_i], sums);
    for (int i = 0; i < M * N; i++) {
        const struct sums_request request = {.accumulate = imitated[_i], .order = ORDER_SCALAR};
        const double wanted = slice(&request, a_values + i / N * K, b_values + i % N * K, K);
        ck_assert_msg(sums[i] == wanted, "accumulate %d: %a instead of %a", imitated[_i], sums[i],
                      wanted);
    }
}

/* --- the plugin --- */

static void load_seed(uint64_t seed)
{
    load_bench("gemm_verify");
    fake->host.seed = seed;
}

/* Where A and B are stored, by the test's own reckoning. */
TEST_EACH(layouts_are_what_they_say, layouts)
{
    enum { M = 5, N = 7, K = 11 };
    const bool is_a_by_columns = layouts[_i][0] == 't';
    const bool is_b_by_columns = layouts[_i][1] == 't';
    load_bench("gemm_verify");
    set("layout = %s; dtype = fp64; integral = yes; range = -100..100; m = %d; n = %d; k = %d",
        layouts[_i], M, N, K);
    ck_assert_int_eq(created(), GB_OK);
    ck_assert_int_eq(verified(), GB_OK);
    const double *left = fake->device_blocks[0];
    const double *right = fake->device_blocks[1];
    const double *c = fake->device_blocks[2];
    for (int i = 0; i < M; i++) {
        for (int j = 0; j < N; j++) {
            double wanted = 0.0;
            for (int k = 0; k < K; k++)
                wanted += left[is_a_by_columns ? k * M + i : i * K + k] *
                          right[is_b_by_columns ? j * K + k : k * N + j];
            ck_assert_double_eq(c[i * N + j], wanted);
            ck_assert_double_eq(checked.reference[i * N + j], wanted);
        }
    }
    ck_assert_uint_eq(checked.flags, GB_CHECK_EXACT);
}

TEST(several_intervals_are_drawn_from)
{
    uint64_t n_low = 0;
    load_seed(5);
    set("dtype = fp32; range = -3..-2|1..3; m = 100; n = 1; k = 100");
    ck_assert_int_eq(created(), GB_OK);
    ck_assert_int_eq(verified(), GB_OK);
    for (int i = 0; i < 10000; i++) {
        const double value = (double)((const float *)fake->device_blocks[0])[i];
        const bool is_low = value >= -3.0 && value <= -2.0;
        ck_assert(is_low || (value >= 1.0 && value <= 3.0));
        n_low += is_low;
    }
    ck_assert_uint_gt(n_low, 3000);
    ck_assert_uint_lt(n_low, 3700);
}

/* Numbers for the choices of one random case. */
struct choices {
    uint64_t seed, n;
};

static uint64_t below(struct choices *choices, uint64_t n)
{
    return random_below(choices->seed, 99, choices->n++, n);
}

#define ONE_OF(choices, words) (words)[below((choices), N_OF(words))]

/* K is of any size up to 16384, small ones as likely as large. */
static uint64_t some_length(struct choices *choices)
{
    const uint64_t most = UINT64_C(1) << below(choices, 15);
    return 1 + below(choices, most);
}

/* Products that no bound can judge: they leave the range of the type, or are so many that sums in
 * fp16 may lose all digits. */
static bool has_no_bound(void)
{
    const double largest = number_format_of(checked.format)->largest;
    bool overflows = false;
    for (uint64_t i = 0; i < checked.n; i++)
        overflows = overflows || checked.magnitude[i] > 0.9 * largest;
    return overflows || isinf(verify_bound(&checked, 1.0, 1.0));
}

/* One product of a kernel that is right, and is judged; false: there is none for these choices. */
static bool try_one(uint64_t seed)
{
    struct choices choices = {.seed = seed};
    const uint64_t k = some_length(&choices);
    const uint64_t most = k > 1024 ? 8 : 20;
    load_seed(seed);
    set("dtype = %s", ONE_OF(&choices, dtypes));
    set("range = %s", ONE_OF(&choices, ranges));
    set("kernel = %s", ONE_OF(&choices, kernels));
    set("layout = %s", ONE_OF(&choices, layouts));
    set("accumulate = %s", ONE_OF(&choices, accumulations));
    set("integral = %s", below(&choices, 4) == 0 ? "yes" : "no");
    set("m = %d", 1 + (int)below(&choices, most));
    set("n = %d; k = %d", 1 + (int)below(&choices, most), (int)k);
    set("split_k = %d", 1 + (int)below(&choices, k < 8 ? k : 8));
    const int32_t status = created();
    const bool is_right = status == GB_OK && verified() == GB_OK;
    ck_assert_msg(status == GB_OK || status == GB_SKIPPED, "%s: %s", made_of, fake->reason);
    ck_assert_msg(status != GB_OK || is_right || has_no_bound(),
                  "seed %llu is found wrong: bound %g, exact %d, k %llu", (unsigned long long)seed,
                  compared.metrics[VERIFY_BOUND].value, (int)checked.flags, (unsigned long long)k);
    return is_right;
}

TEST(right_products_are_never_found_wrong)
{
    const uint64_t n_wanted = test_is_long() ? 3000 : 300;
    uint64_t n = 0;
    for (uint64_t seed = 1; n < n_wanted; seed++)
        n += try_one(seed);
}

/* --- faults --- */

/* By how many tolerances an output was moved, at most; NaN and infinities: infinitely far. */
static double moved(const void *right, const void *wrong)
{
    double most = 0.0;
    for (uint64_t i = 0; i < checked.n; i++) {
        const double before = number_load(checked.format, right, i);
        const double after = number_load(checked.format, wrong, i);
        const double tolerance = (checked.flags & GB_CHECK_EXACT) != 0
                                     ? 0.25
                                     : verify_bound(&checked, checked.magnitude[i],
                                                    checked.reference[i]);
        most = fmax(most, isfinite(after) ? fabs(after - before) / tolerance : (double)INFINITY);
    }
    return most;
}

/* True if the fault moved the output by more than rounding could: then it must be found. */
static bool plant(size_t dtype, size_t range, size_t fault, uint64_t seed)
{
    load_seed(seed);
    set("dtype = %s; range = %s; fault = %s; accumulate = %s; layout = %s; m = 21; n = 34; k = %d",
        dtypes[dtype], ranges[range], faults[fault], dtype == 0 && seed % 4 == 3 ? "fp16" : "auto",
        layouts[seed % 4], 16 + 40 * (int)seed);
    const int32_t status = created();
    if (status != GB_OK) {
        ck_assert_int_eq(status, GB_SKIPPED);
        ck_assert_str_eq(dtypes[dtype], "int8");
        return false;
    }
    const int32_t verdict = verified();
    const bool must_be_found = moved(fake->device_blocks[2], checked.output) > 2.0;
    ck_assert_msg(!must_be_found || verdict == GB_WRONG_RESULT, "%s: not found", made_of);
    return must_be_found;
}

TEST_TIMES(faults_are_found, N_OF(dtypes) * N_OF(faults))
{
    const size_t dtype = (size_t)_i / N_OF(faults);
    const size_t fault = (size_t)_i % N_OF(faults);
    const bool is_without = strcmp(dtypes[dtype], "int8") == 0 &&
                            (strcmp(faults[fault], "nan") == 0 ||
                             strcmp(faults[fault], "inf") == 0);
    const bool is_long = test_is_long();
    uint64_t n_all = 0;
    for (size_t range = 0; range < N_OF(ranges); range++) {
        uint64_t n_found = 0;
        for (uint64_t seed = is_long ? 0 : (dtype + fault + range) % 4; seed < 8;
             seed += is_long ? 1 : 4)
            n_found += plant(dtype, range, fault, seed);
        ck_assert_msg(is_without || n_found > 0 || !is_long, "%s, %s, %s: never more than rounding",
                      dtypes[dtype], ranges[range], faults[fault]);
        n_all += n_found;
    }
    ck_assert_msg(is_without || n_all > 0, "%s, %s: never more than rounding", dtypes[dtype],
                  faults[fault]);
}

/* --- imitations of hardware --- */

/* Of a kernel that rounds every four products and flushes: how many outputs differ, how much. */
static double worst(const char *flush, const char *sums, uint64_t *ret_n)
{
    load_seed(11);
    set("kernel = scalar; flush_subnormals = both; accumulate = every4_nearest; m = 64; n = 784; "
        "k = 147; reference_flush = %s; reference_accumulate = %s",
        flush, sums);
    ck_assert_int_eq(created(), GB_OK);
    verified();
    const double result = compared.metrics[VERIFY_REL_FLOOR].value;
    *ret_n = 0;
    for (uint64_t i = 0; i < checked.n; i++)
        *ret_n += number_load(checked.format, checked.output, i) !=
                  number_round(checked.format, checked.reference[i]);
    return result;
}

/* The experiment's last table: summing alike leaves a few more outputs equal and the largest
 * differences as they are; flushing alike takes these away. */
TEST(a_reference_that_flushes_alike_comes_near)
{
    uint64_t n_plain, n_alike, n_flushing;
    const double plain = worst("none", "fp64", &n_plain);
    const double alike = worst("none", "every4_nearest", &n_alike);
    const double flushing = worst("both", "fp64", &n_flushing);
    ck_assert_double_gt(plain, 0x1.2p-10);
    ck_assert_double_gt(alike, 0x1.2p-10);
    ck_assert_double_le(flushing, 0x1p-10);
    ck_assert_uint_lt(n_alike, n_plain);
    ck_assert_uint_lt(n_flushing, n_plain);
    ck_assert_double_eq(worst("both", "every4_nearest", &n_alike), 0.0);
    ck_assert_uint_eq(n_alike, 0);
}

/* --- what is refused --- */

TEST(a_range_that_int8_does_not_have_fails)
{
    load_bench("gemm_verify");
    set("dtype = int8; range = 100..200");
    ck_assert_int_eq(created(), GB_OK);
    ck_assert_int_eq(ops->prepare(bench, &queue), GB_FAILED);
    ck_assert_str_eq(fake->reason,
                     "range: 100..200 cannot be drawn from: it must contain integers, "
                     "within the range of the type");
}
