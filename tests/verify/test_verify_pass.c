/*
 * test_verify_pass.c - core/verify/verify_pass*.c and verify_details.c: long arrays, whose results
 * were recorded, and the code for each instruction set against the portable one, to the last bit.
 */
#include "core/base/number_format.h"
#include "core/base/random.h"
#include "core/base/sha256.h"
#include "core/base/statistics.h"
#include "tests/verify/verify_fixture.h"

#include <fenv.h>

/* Each length up to two blocks and a bit, the one wrong element at each end and in between. */
TEST(worst_index_at_every_length)
{
    static double reference[1100];
    static float output[1100];
    for (uint64_t n = 1; n <= 1100; n += n < 40 ? 1 : 53) {
        for (uint64_t wrong = 0; wrong < n; wrong += n < 40 ? 1 : 37) {
            for (uint64_t i = 0; i < n; i++) {
                reference[i] = 3;
                output[i] = i == wrong ? 4 : 3;
            }
            struct gb_check check = check_of(GB_F32, n, output, reference);
            struct verify_result result = compare(&check);
            ck_assert_uint_eq(result.metrics[VERIFY_ABS].index, wrong);
            ck_assert_double_eq(result.metrics[VERIFY_ABS].output, 4);
            ck_assert_uint_eq(result.n_exact, n - 1);
        }
    }
}

TEST(indices_beyond_millions)
{
    enum { N = 3000001 };
    double *reference = calloc(N, sizeof *reference);
    int8_t *output = calloc(N, 1);
    output[N - 1] = 3;
    output[2000003] = 2;
    struct gb_check check = check_of(GB_I8, N, output, reference);
    struct verify_result result = compare(&check);
    ck_assert_uint_eq(result.metrics[VERIFY_ABS].index, N - 1);
    ck_assert_uint_eq(result.n_exact, N - 2);
    free(reference);
    free(output);
}

/* The edge that a pass counts everywhere is the first one that a difference of the format may be
 * below: exactly on it, and next to it. */
static const struct {
    uint32_t format;
    double reference, output;
    int class;
} edges[] = {
    {GB_F64, 1e6, 1e6 + 1, VERIFY_CLASS_1E_6},
    {GB_F64, 1e6 + 1, 1e6, VERIFY_CLASS_BELOW},
    {GB_F32, 1e6, 1e6 + 1, VERIFY_CLASS_1E_6},
    {GB_F32, -7e6, -7e6 - 7, VERIFY_CLASS_1E_6},
    {GB_F32, 1e6 + 1, 1e6, VERIFY_CLASS_BELOW},
    {GB_F16, 1000, 1001, VERIFY_CLASS_1E_6 + 3},
    {GB_F16, -1000, -1001, VERIFY_CLASS_1E_6 + 3},
    {GB_F16, 1001, 1002, VERIFY_CLASS_1E_6 + 2},
    {GB_BF16, 200, 202, VERIFY_CLASS_1E_6 + 4},
    {GB_BF16, 202, 204, VERIFY_CLASS_1E_6 + 3},
    {GB_TF32, 1000, 1001, VERIFY_CLASS_1E_6 + 3},
    {GB_F8_E4M3, 10, 11, VERIFY_CLASS_1E_6 + 5},
    {GB_F8_E4M3, 11, 12, VERIFY_CLASS_1E_6 + 4},
    {GB_F8_E5M2, 1, 2, VERIFY_CLASS_ONE},
    {GB_F8_E5M2, 1, 1.75, VERIFY_CLASS_1E_6 + 5},
    {GB_I8, 10, 11, VERIFY_CLASS_1E_6 + 5},
    {GB_I32, 1e6, 1e6 + 1, VERIFY_CLASS_1E_6},
    {GB_I32, 1e6 + 1, 1e6, VERIFY_CLASS_BELOW},
    /* each class */
    {GB_F64, 1, 1 - 0.99e-6, VERIFY_CLASS_BELOW},
    {GB_F64, 1, 1 - 1.01e-6, VERIFY_CLASS_1E_6},
    {GB_F64, 1, 1 - 0.99e-5, VERIFY_CLASS_1E_6},
    {GB_F64, 1, 1 - 1.01e-5, VERIFY_CLASS_1E_6 + 1},
    {GB_F64, 1, 1 - 1.01e-4, VERIFY_CLASS_1E_6 + 2},
    {GB_F64, 1, 1 - 1.01e-3, VERIFY_CLASS_1E_6 + 3},
    {GB_F64, 1, 1 - 1.01e-2, VERIFY_CLASS_1E_6 + 4},
    {GB_F64, 1, 0.75, VERIFY_CLASS_1E_6 + 5},
    {GB_F64, 1, 0x1p-20, VERIFY_CLASS_1E_6 + 5},
    {GB_F64, 1, 0, VERIFY_CLASS_ONE},
    {GB_F64, 1, -1e9, VERIFY_CLASS_ONE},
};

TEST_EACH(differences_at_an_edge, edges)
{
    enum { N = 24, AT = 13 };
    double reference[N] = {0};
    uint64_t output[N] = {0};
    uint32_t format = edges[_i].format;
    reference[AT] = edges[_i].reference;
    number_store(format, output, AT, edges[_i].output);
    struct gb_check check = check_of(format, N, output, reference);
    for (EACH_PATH(path)) {
        struct verify_result result = compare(&check);
        ck_assert_uint_eq(result.histogram[edges[_i].class], 1);
        ck_assert_uint_eq(result.n_exact, N - 1);
    }
}

TEST(environment_of_the_caller_does_not_matter)
{
    enum { N = 100 };
    double reference[N];
    uint16_t output[N];
    for (uint64_t i = 0; i < N; i++) {
        reference[i] = random_unit(1, 1, i) * 1e-6;
        number_store(GB_F16, output, i, reference[i]);
    }
    struct gb_check check = check_of(GB_F16, N, output, reference);
    fesetround(FE_UPWARD);
    struct verify_result result = compare(&check);
    int mode = fegetround();
    fesetround(FE_TONEAREST);
    ck_assert_int_eq(mode, FE_UPWARD);
    ck_assert_uint_eq(result.n_exact, N);
}

/* Equal, off by a spacing or two, wrong by much; zeros, subnormals, and with `wild` what a pass can
 * not judge. */
static void fill(uint32_t format, uint64_t seed, uint64_t n, bool wild, double *reference,
                 double *magnitude, void *output)
{
    static const double strange[] = {INFINITY, -INFINITY, NAN, 1e300, -1e30, 0x1p-1074};
    for (uint64_t i = 0; i < n; i++) {
        uint64_t dice = random_bits(seed, 1, i);
        double exact = (2 * random_unit(seed, 0, i) - 1) * ldexp(1, (int)(dice >> 8 & 31) - 20);
        double rounded = number_round(format, dice & 31 ? exact : 0);
        double error = number_spacing(format, rounded) * ((double)(dice >> 16 & 3) - 1);
        error = (dice >> 20 & 15) == 0 ? 0.3 * rounded : error;
        reference[i] = dice & 31 ? exact : 0;
        magnitude[i] = fabs(exact) * (1 + (double)(dice >> 24 & 7));
        number_store(format, output, i, rounded + error);
        if (wild && (dice >> 32 & 1023) == 0)
            reference[i] = strange[(dice >> 42) % 6];
        if (wild && (dice >> 48 & 1023) == 1)
            number_store(format, output, i, strange[(dice >> 42) % 6]);
        if (wild && (dice >> 48 & 1023) == 2)
            magnitude[i] = strange[(dice >> 42) % 6];
    }
}

/* Of every format; lengths that fill blocks and registers, and that do not; arrays anywhere. */
TEST_TIMES(code_paths_agree_to_the_last_bit, GB_U64 + 1 - GB_F64)
{
    enum { N = 6000 };
    static const uint64_t lengths[] = {N, N - 1, 2048, 4096, 1000, 17, 8, 5, 1};
    static double reference[N + 3], magnitude[N + 3], output[N + 3];
    uint32_t format = (uint32_t)(GB_F64 + _i);
    for (uint64_t seed = 0; seed < 6 * (uint64_t)COUNT(lengths); seed++) {
        uint64_t n = lengths[seed % (uint64_t)COUNT(lengths)];
        char *shifted = (char *)output + seed % 3 * number_format_of(format)->bytes;
        fill(format, seed, n, seed & 1, reference + seed % 2, magnitude + seed % 3, shifted);
        struct gb_check check = check_of(format, n, shifted, reference + seed % 2);
        if (seed % 4 < 3) {
            check.magnitude = magnitude + seed % 3;
            check.n_products = 100;
            check.accumulate = GB_F32;
            check.safety = (double)(seed % 4);
            check.partial_squares = seed % 4 < 2 ? magnitude + seed % 3 : NULL;
        }
        verify_use_path(VERIFY_PORTABLE);
        const struct verify_result portable = compare(&check);
        for (EACH_PATH(path)) {
            const struct verify_result result = compare(&check);
            ck_assert_int_eq(result.vacuous, portable.vacuous);
            ck_assert_mem_eq(&result, &portable, offsetof(struct verify_result, vacuous));
            ck_assert_mem_eq(result.histogram, portable.histogram,
                             sizeof result - offsetof(struct verify_result, histogram));
        }
    }
}

/* The filters of a pass: maxima that grow all along, ties of every size, and a first element that
 * stays the worst. */
TEST(maxima_that_grow_and_that_tie)
{
    enum { N = 5000 };
    static double reference[N], magnitude[N], output[N];
    for (uint64_t i = 0; i < N; i++) {
        reference[i] = 1;
        magnitude[i] = 2;
    }
    struct gb_check check = check_of(GB_F64, N, output, reference);
    check.magnitude = magnitude;
    check.n_products = 3;
    for (int shape = 0; shape < 3; shape++) {
        for (uint64_t i = 0; i < N; i++)
            output[i] = 1 + 0x1p-30 * (double)(shape == 0 ? i : shape == 1 ? N - i : 1 + i % 3);
        uint64_t worst = shape == 0 ? N - 1 : shape == 1 ? 0 : 2;
        for (EACH_PATH(path)) {
            struct verify_result result = compare(&check);
            for (int metric = 0; metric < VERIFY_DETAILS; metric++)
                if (metric != VERIFY_RMS && metric != VERIFY_NOISE)
                    ck_assert_uint_eq(result.metrics[metric].index, worst);
        }
    }
}

static void add_to_digest(struct sha256 *hash, const struct gb_check *check)
{
    const struct verify_detail_request request = {.atol = 1e-8, .rtol = 1e-5};
    struct verify_result result = compare(check);
    verify_details(check, &request, &result);
    for (int metric = 0; metric < VERIFY_METRICS; metric++) {
        sha256_add(hash, &result.metrics[metric].value, sizeof(double));
        sha256_add(hash, &result.metrics[metric].index, sizeof(uint64_t));
    }
    sha256_add(hash, result.histogram, sizeof result.histogram);
    sha256_add(hash, result.above_floor, sizeof result.above_floor);
}

static const uint32_t floating[] = {GB_F64,  GB_F32,     GB_F16,    GB_BF16,
                                    GB_TF32, GB_F8_E4M3, GB_F8_E5M2};
enum { N_FLOATING = sizeof floating / sizeof floating[0] };

/* By a pass, one by one (a NaN in each block), with squares that leave the range, and of all sizes,
 * subnormal ones too: what makes the digits is rounded in the same places everywhere. What they
 * stand for was once computed element by element, with none of the program's short cuts. */
TEST_TIMES(digits_are_the_same_on_every_machine, 4)
{
    enum { N = 5003 };
    static const char *const expected[] = {
        "3da009f6e11c7458b0afa930b2c11a7b99162b1e57bafe4eb9ca0f4e75192d51",
        "f7e6008b77e278b4a820713e60b326f5727f9fe2dc99fc83df6962f13e8cf256",
        "330f442a18318c5862696c962438133da37a5bbf058f7adcd521418d853cea7b",
        "434599ebd61df395989d40e513af39938c623a6bc7c159d6f4af5e48b748d36f"};
    static double reference[N], magnitude[N], partials[N];
    static uint64_t output[N];
    struct sha256 hash;
    uint8_t digest[SHA256_BYTES];
    char text[SHA256_TEXT];
    sha256_begin(&hash);
    for (uint64_t seed = 0; seed < 20; seed++) {
        const uint32_t format = _i == 2 ? GB_F64 : floating[seed % N_FLOATING];
        const double scale = _i == 2   ? seed % 2 ? 0x1p700 : 0x1p-1060
                             : _i == 3 ? ldexp(1, (int)seed * 2 - 32)
                                       : 1;
        for (uint64_t i = 0; i < N; i++) {
            double error = rounded_product(1e-3 * random_unit(seed, 2, i), random_unit(seed, 3, i));
            reference[i] = (2 * random_unit(seed, 0, i) - 1) * scale;
            magnitude[i] = fabs(reference[i]) * (1 + random_unit(seed, 1, i));
            partials[i] = _i == 3 ? 50 * magnitude[i] * magnitude[i] : magnitude[i];
            number_store(format, output, i, reference[i] * (1 + error));
            if (_i == 1 && i % 1000 == 0)
                reference[i] = NAN;
        }
        struct gb_check check = check_of(format, N, output, reference);
        check.magnitude = magnitude;
        check.partial_squares = partials;
        check.n_products = _i == 3 ? 100 : 1000;
        check.accumulate = _i == 3 ? GB_F32 : GB_F16;
        check.summation = _i == 3 ? GB_SUM_NEAREST : GB_SUM_ALIGNED;
        check.products_at_once = _i == 3 ? 0 : 3;
        check.extra_bits = 1;
        check.safety = _i < 3 ? 0 : seed % 3 == 0 ? 1 : seed % 3 == 1 ? 1000 : 0.01;
        add_to_digest(&hash, &check);
    }
    sha256_end(&hash, digest);
    sha256_text(digest, text);
    ck_assert_str_eq(text, expected[_i]);
}
