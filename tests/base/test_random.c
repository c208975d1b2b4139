/* test_random.c - core/base/random.c: the published vectors of Philox 4x32-10, and the fills. */
#include "core/base/number_format.h"
#include "core/base/random.h"
#include "tests/check_main.h"

#include <fenv.h>

/* Known answers of the Random123 library, kat_vectors. */
static const struct {
    uint32_t counter[4], key[2], words[4];
} vectors[] = {
    {{0, 0, 0, 0}, {0, 0}, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
    {{0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff},
     {0xffffffff, 0xffffffff},
     {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
    {{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
     {0xa4093822, 0x299f31d0},
     {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}},
};

TEST_EACH(known_answers, vectors)
{
    uint32_t words[4];
    philox4x32(vectors[_i].counter, vectors[_i].key, words);
    ck_assert_mem_eq(words, vectors[_i].words, sizeof words);
}

TEST(bits_place_index_stream_and_seed)
{
    uint64_t index = 0x85a308d3243f6a88, stream = 0x0370734413198a2e, seed = 0x299f31d0a4093822;
    ck_assert_uint_eq(random_bits(seed, stream, index), 0x94fdccebd16cfe09);
    ck_assert_uint_eq(random_bits(0, 0, 0), 0xe169c58d6627e8d5);
}

TEST(unit_is_the_top_53_bits)
{
    for (uint64_t i = 0; i < 100000; i++) {
        double unit = random_unit(1, 2, i);
        ck_assert_double_eq(unit, (double)(random_bits(1, 2, i) >> 11) / 0x1p53);
        ck_assert(unit >= 0 && unit < 1);
    }
}

static uint64_t first_draw(uint64_t seed, uint64_t stream, uint64_t i, uint64_t n)
{
    return (uint64_t)((unsigned __int128)random_bits(seed, stream, i) * n >> 64);
}

/* Where next to nothing is rejected: the bits' share of n. */
TEST(below_is_a_share)
{
    static const uint64_t sizes[] = {1, 2, 3, 7, 10, 100};
    for (size_t s = 0; s < N_OF(sizes); s++)
        for (uint64_t i = 0; i < 20000; i++)
            ck_assert_uint_eq(random_below(3, s, i, sizes[s]), first_draw(3, s, i, sizes[s]));
    ck_assert_uint_eq(random_below(0, 0, 0, 0), random_bits(0, 0, 0));
}

/* Of n = 3 * 2^62, a quarter of all draws is rejected; a plain multiply would favour two values
 * out of three. */
TEST(below_rejects_without_bias)
{
    uint64_t n = (uint64_t)3 << 62, counts[3] = {0}, redrawn = 0;
    for (uint64_t i = 0; i < 30000; i++) {
        uint64_t draw = random_below(5, 1, i, n);
        ck_assert_uint_lt(draw, n);
        counts[draw % 3]++;
        redrawn += draw != first_draw(5, 1, i, n);
    }
    for (int k = 0; k < 3; k++) /* five standard deviations */
        ck_assert(counts[k] > 10000 - 408 && counts[k] < 10000 + 408);
    ck_assert(redrawn > 7000 && redrawn < 8000);
}

static struct gb_fill fill_of(uint32_t format, double low, double high)
{
    return (struct gb_fill){
        .size = sizeof(struct gb_fill), .format = format, .stream = 9, .low = low, .high = high};
}

static uint64_t data[20000];

static void fill(struct gb_fill as, uint64_t n)
{
    ck_assert_int_eq(random_fill(1, data, n, &as), GB_OK);
}

static const uint32_t floating[] = {GB_F64,  GB_F32,     GB_F16,    GB_BF16,
                                    GB_TF32, GB_F8_E4M3, GB_F8_E5M2};
enum { N_FLOATING = N_OF(floating) };

/* Whatever the length. */
TEST_TIMES(floating_fills_are_rounded_units, N_FLOATING)
{
    static const uint64_t lengths[] = {1000, 301, 3};
    const uint64_t seed = 0xFEDCBA9876543210;
    struct gb_fill as = fill_of(floating[_i], -3, 5);
    as.stream = 0xF1E2D3C4B5A69788;
    for (size_t k = 0; k < N_OF(lengths); k++) {
        memset(data, 0xFF, sizeof data);
        ck_assert_int_eq(random_fill(seed, data, lengths[k], &as), GB_OK);
        for (uint64_t i = 0; i < lengths[k]; i++) {
            double expected = number_round(as.format, fma(random_unit(seed, as.stream, i), 8, -3));
            ck_assert_double_eq(number_load(as.format, data, i), expected);
            ck_assert(expected >= -3 && expected <= 5);
        }
    }
}

static const struct {
    uint32_t format;
    double low, high;
} whole_fills[] = {{GB_I8, -128, 127}, {GB_U8, 0, 255},  {GB_I32, -3, 3},    {GB_I64, -3, 3},
                   {GB_U32, 5, 9},     {GB_U64, 5, 9},   {GB_F16, -4, 4},    {GB_F32, -9, -2},
                   {GB_F64, 0, 1},     {GB_BF16, -2, 6}, {GB_F8_E4M3, 0, 8}, {GB_I32, -0.5, 2},
                   {GB_I8, 1.5, 3.5}};

TEST_EACH(whole_fills_reach_both_ends, whole_fills)
{
    enum { N = 8192 };
    struct gb_fill as = fill_of(whole_fills[_i].format, whole_fills[_i].low, whole_fills[_i].high);
    as.integral = 1;
    fill(as, N);
    double low = INFINITY, high = -INFINITY;
    for (uint64_t i = 0; i < N; i++) {
        double value = number_load(as.format, data, i);
        ck_assert_double_eq(value, floor(value));
        low = fmin(low, value);
        high = fmax(high, value);
    }
    ck_assert_double_eq(low, ceil(as.low));
    ck_assert_double_eq(high, floor(as.high));
}

TEST(integers_far_beyond_doubles)
{
    enum { N = 4096 };
    fill(fill_of(GB_I64, -0x1p63, 0x1.fffffffffffffp62), N);
    uint64_t odd = 0, negative = 0;
    for (uint64_t i = 0; i < N; i++) {
        odd += data[i] & 1;
        negative += data[i] >> 63;
    }
    ck_assert(odd > N / 2 - 200 && odd < N / 2 + 200);
    ck_assert(negative > N / 2 - 200 && negative < N / 2 + 200);
}

TEST(low_equals_high)
{
    for (uint32_t format = GB_F64; format <= GB_U64; format++) {
        fill(fill_of(format, 3, 3), 300);
        for (uint64_t i = 0; i < 300; i++)
            ck_assert_double_eq(number_load(format, data, i), 3);
    }
}

TEST(values_stay_inside_a_range_whose_width_is_rounded)
{
    const double low = 0x1.fffffffffffffp52, high = 0x1.0000000000001p53;
    fill(fill_of(GB_F64, low, high), 20000);
    for (uint64_t i = 0; i < 20000; i++) {
        double value = number_load(GB_F64, data, i);
        ck_assert(value >= low && value <= high);
    }
}

TEST(rounding_mode_of_the_caller_does_not_matter)
{
    uint16_t plain[512], upward[512];
    struct gb_fill as = fill_of(GB_F16, -1, 1);
    random_fill(1, plain, 512, &as);
    fesetround(FE_UPWARD);
    random_fill(1, upward, 512, &as);
    ck_assert_int_eq(fegetround(), FE_UPWARD);
    fesetround(FE_TONEAREST);
    ck_assert_mem_eq(plain, upward, sizeof plain);
}

static const struct {
    uint32_t format, integral;
    double low, high;
} refused[] = {
    {0, 0, 0, 1},
    {99, 0, 0, 1},
    {GB_F32, 0, 1, 0},
    {GB_F32, 0, NAN, 1},
    {GB_F32, 0, 0, INFINITY},
    {GB_F64, 0, -1.7e308, 1.7e308},
    {GB_I32, 0, 0.2, 0.8},
    {GB_I8, 0, -129, 0},
    {GB_I8, 0, 0, 128},
    {GB_U8, 0, -1, 5},
    {GB_I64, 0, 0, 0x1p63},
    {GB_U64, 0, 0, 0x1p64},
    {GB_F64, 1, 0, 0x1p54},
};

TEST_EACH(broken_fills_are_refused, refused)
{
    uint64_t kept[4] = {1, 2, 3, 4};
    const uint64_t untouched[4] = {1, 2, 3, 4};
    struct gb_fill as = fill_of(refused[_i].format, refused[_i].low, refused[_i].high);
    as.integral = refused[_i].integral;
    ck_assert_int_eq(random_fill(1, kept, 4, &as), GB_INVALID);
    ck_assert_mem_eq(kept, untouched, sizeof kept);
}
