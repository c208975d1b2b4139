/*
 * test_number_format.c - core/base/number_format.c, exhaustively: every value of the small formats
 * against a conversion by arithmetic, fp16 also against the compiler's _Float16 and the F16C
 * instructions where there are any.
 */
#include "core/base/number_format.h"
#include "tests/base/number_fixture.h"
#include "tests/check_main.h"

#include <math.h>
#include <string.h>

#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>
#endif

static uint32_t code_at(const struct small *small, const void *array, size_t i)
{
    return small->bits == 8 ? ((const uint8_t *)array)[i] : ((const uint16_t *)array)[i];
}

static uint32_t stored(const struct small *small, double value)
{
    uint16_t code = 0;
    number_store(small->format, &code, 0, value);
    return code;
}

static bool same(double a, double b)
{
    return (isnan(a) && isnan(b)) || (a == b && signbit(a) == signbit(b));
}

TEST_TIMES(every_code_loads_as_defined, N_SMALLS)
{
    const struct small *small = &small_formats[_i];
    static uint16_t codes[65536];
    static double values[65536];
    uint32_t n = 1u << small->bits;
    for (uint32_t code = 0; code < n; code++) {
        uint8_t narrow = (uint8_t)code;
        if (small->bits == 8)
            memcpy((uint8_t *)codes + code, &narrow, 1);
        else
            codes[code] = (uint16_t)code;
    }
    number_load_array(small->format, codes, 0, n, values);
    for (uint32_t code = 0; code < n; code++) {
        ck_assert_uint_eq(code_at(small, codes, code), code);
        ck_assert_msg(same(values[code], value_of_code(small, code)), "code %x loads as %g", code,
                      values[code]);
        /* one alone takes another way than a vector of them */
        ck_assert(same(number_load(small->format, codes, code), values[code]));
        ck_assert_int_eq(signbit(values[code]) != 0, code >> (small->bits - 1));
    }
}

TEST_TIMES(every_value_stores_as_its_code, N_SMALLS)
{
    const struct small *small = &small_formats[_i];
    for (uint32_t code = 0; code < 1u << small->bits; code++) {
        uint16_t array = (uint16_t)code;
        double value = number_load(small->format, &array, 0);
        uint32_t quiet = small->has_infinity ? 1u << (small->fraction_bits - 1) : 0;
        uint32_t expected = isnan(value) ? code | quiet : code;
        ck_assert_msg(stored(small, value) == expected, "code %x comes back as %x", code,
                      stored(small, value));
    }
}

/* Between each two neighbours: below, at and above the tie, and just beside both. */
TEST_TIMES(rounding_between_all_neighbours, N_SMALLS)
{
    const struct small *small = &small_formats[_i];
    uint32_t infinity = ((1u << (small->bits - 1)) - 1) >> small->fraction_bits
                                                               << small->fraction_bits;
    uint32_t last = small->has_infinity ? infinity - 1 : (1u << (small->bits - 1)) - 2;
    uint32_t sign = 1u << (small->bits - 1);
    for (uint32_t code = 0; code < last; code++) {
        double low = value_of_code(small, code), high = value_of_code(small, code + 1);
        double tie = (low + high) / 2;
        ck_assert_uint_eq(stored(small, nextafter(low, 0)), code);
        ck_assert_uint_eq(stored(small, nextafter(low, high)), code);
        ck_assert_uint_eq(stored(small, nextafter(tie, low)), code);
        ck_assert_uint_eq(stored(small, tie), code + (code & 1));
        ck_assert_uint_eq(stored(small, nextafter(tie, high)), code + 1);
        ck_assert_uint_eq(stored(small, -nextafter(tie, high)), (code + 1) | sign);
        ck_assert_uint_eq(stored(small, -tie), (code + (code & 1)) | sign);
        ck_assert(same(number_round(small->format, -tie),
                       value_of_code(small, (code + (code & 1)) | sign)));
    }
}

TEST_TIMES(overflow, N_SMALLS)
{
    const struct small *small = &small_formats[_i];
    const struct gb_format *format = number_format_of(small->format);
    double largest = format->largest, tie = largest + number_spacing(small->format, largest) / 2;
    double over = small->has_infinity ? INFINITY : NAN;
    bool tie_goes_down = !small->has_infinity; /* 448 ends in an even digit, 65504 in an odd one */
    ck_assert(same(number_round(small->format, nextafter(tie, 0)), largest));
    ck_assert(same(number_round(small->format, tie), tie_goes_down ? largest : over));
    ck_assert(same(number_round(small->format, nextafter(tie, INFINITY)), over));
    ck_assert(same(number_round(small->format, 1e308), over));
    ck_assert(same(number_round(small->format, INFINITY), over));
    if (small->has_infinity)
        ck_assert(same(number_round(small->format, -1e308), -INFINITY));
    ck_assert(isnan(number_round(small->format, NAN)));
    ck_assert_double_eq(number_round(small->format, 0x1p-1074), 0);
    ck_assert(signbit(number_round(small->format, -0x1p-1074)));
}

/* A sweep over all magnitudes with well mixed low bits; and the arrays' vectors against single
 * conversions. */
enum { SWEEP = 1 << 20 };

static float sweep_value(uint32_t i)
{
    uint32_t bits = (i << 12) ^ (i * 2654435761u >> 20);
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

TEST(arrays_round_like_single_numbers)
{
    for (uint32_t format = GB_F64; format <= GB_U64; format++) {
        double values[7], rounded[7];
        for (uint32_t i = 0; i + 7 < SWEEP; i += 7 * 97) {
            for (uint32_t j = 0; j < 7; j++)
                values[j] = (double)sweep_value(i + j);
            number_round_array(format, values, 7, rounded);
            for (uint32_t j = 0; j < 7; j++)
                ck_assert(same(rounded[j], number_round(format, values[j])));
        }
    }
}

#if defined(__FLT16_MAX__)
TEST(fp16_like_the_compiler)
{
    for (uint32_t i = 0; i < SWEEP; i++) {
        float value = sweep_value(i);
        _Float16 half = (_Float16)value;
        uint16_t expected;
        memcpy(&expected, &half, sizeof expected);
        uint32_t code = stored(&small_formats[0], (double)value);
        if (isnan(value))
            ck_assert_uint_gt(code & 0x7fff, 0x7c00);
        else
            ck_assert_msg(code == expected, "%a is stored as %x, by the compiler as %x",
                          (double)value, code, expected);
    }
    for (uint32_t code = 0; code < 65536; code++) {
        uint16_t bits = (uint16_t)code;
        _Float16 half;
        memcpy(&half, &bits, sizeof half);
        ck_assert(same(number_load(GB_F16, &bits, 0), (double)half));
    }
}
#endif

#if defined(__x86_64__)
__attribute__((target("f16c"))) static uint16_t half_by_f16c(float value)
{
    return (uint16_t)_mm_extract_epi16(_mm_cvtps_ph(_mm_set_ss(value), _MM_FROUND_TO_NEAREST_INT),
                                       0);
}

__attribute__((target("f16c"))) static float float_by_f16c(uint16_t code)
{
    return _mm_cvtss_f32(_mm_cvtph_ps(_mm_cvtsi32_si128(code)));
}

static bool has_f16c(void)
{
    unsigned a, b, c = 0, d;
    return __builtin_cpu_supports("avx") && __get_cpuid(1, &a, &b, &c, &d) && (c & bit_F16C);
}

TEST(fp16_like_the_processor)
{
    if (!has_f16c())
        return;
    for (uint32_t i = 0; i < SWEEP; i++) {
        float value = sweep_value(i);
        ck_assert_uint_eq(stored(&small_formats[0], (double)value), half_by_f16c(value));
    }
    for (uint32_t code = 0; code < 65536; code++) {
        uint16_t half = (uint16_t)code;
        ck_assert(same(number_load(GB_F16, &half, 0), (double)float_by_f16c(half)));
    }
}
#endif

TEST(fp32_like_the_processor)
{
    for (uint32_t i = 0; i < SWEEP; i++) {
        double value = (double)sweep_value(i) * (1 + 0x1p-24 + 0x1p-30 * (double)(i % 3));
        double expected = (double)(float)value;
        ck_assert_msg(same(number_round(GB_F32, value), expected), "%a", value);
    }
    ck_assert_double_eq(number_round(GB_F32, 0x1.ffffffp127), (double)INFINITY);
    ck_assert_double_eq(number_round(GB_F32, 0x1.fffffefffffffp127), 0x1.fffffep127);
}

/* tf32 is fp32 with the significand of fp16: scaled into fp16's range they round alike. */
TEST(tf32_rounds_to_eleven_digits)
{
    for (uint32_t i = 0; i < 100000; i++) {
        double value = 1 + (double)i / 99991;
        ck_assert_double_eq(number_round(GB_TF32, value), number_round(GB_F16, value));
        float stored_value;
        number_store(GB_TF32, &stored_value, 0, value * 0x1p100);
        uint32_t bits;
        memcpy(&bits, &stored_value, sizeof bits);
        ck_assert_uint_eq(bits & 0x1fff, 0);
        ck_assert_double_eq(number_load(GB_TF32, &stored_value, 0),
                            number_round(GB_F16, value) * 0x1p100);
    }
}

static float tf32_of(uint32_t code)
{
    uint32_t bits = code << 13;
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* Between each two neighbours of all 2^18 positive ones: at the tie and just beside it. */
TEST(tf32_rounds_to_the_nearer_neighbour)
{
    const uint32_t infinity = 0x7f800000u >> 13;
    for (uint32_t code = 0; code + 1 < infinity; code++) {
        double low = (double)tf32_of(code), high = (double)tf32_of(code + 1);
        double tie = (low + high) / 2;
        ck_assert_double_eq(number_round(GB_TF32, low), low);
        ck_assert_double_eq(number_round(GB_TF32, nextafter(tie, low)), low);
        ck_assert_double_eq(number_round(GB_TF32, tie), code & 1 ? high : low);
        ck_assert_double_eq(number_round(GB_TF32, -nextafter(tie, high)), -high);
        ck_assert_double_eq(number_spacing(GB_TF32, low), high - low);
    }
    ck_assert(isinf(number_round(GB_TF32, 0x1.ffep127)));
}

static const struct {
    uint32_t format;
    double value, stored;
} integers[] = {
    {GB_I8, 127.4, 127},
    {GB_I8, 1000, 127},
    {GB_I8, -1000, -128},
    {GB_I8, 2.5, 2},
    {GB_I8, 3.5, 4},
    {GB_I8, -2.5, -2},
    {GB_I8, NAN, 0},
    {GB_U8, -1, 0},
    {GB_U8, 255.5, 255},
    {GB_U8, INFINITY, 255},
    {GB_I32, 2147483647.4, 2147483647},
    {GB_I32, 1e20, 2147483647},
    {GB_I32, -1e20, -2147483648.0},
    {GB_I32, -2147483648.0, -2147483648.0},
    {GB_U32, 4294967294.5, 4294967294},
    {GB_U32, 1e20, 4294967295},
    {GB_I64, 0x1p62 + 1024, 0x1p62 + 1024},
    {GB_I64, -0x1p63, -0x1p63},
    {GB_I64, 0x1p51 + 0.5, 0x1p51},
    {GB_I64, 0x1p51 + 1.5, 0x1p51 + 2},
    {GB_U64, -INFINITY, 0},
    {GB_U64, 0x1p63, 0x1p63},
};

TEST_EACH(integers_round_and_saturate, integers)
{
    uint64_t array = 0;
    number_store(integers[_i].format, &array, 0, integers[_i].value);
    ck_assert_double_eq(number_load(integers[_i].format, &array, 0), integers[_i].stored);
    ck_assert_double_eq(number_round(integers[_i].format, integers[_i].value), integers[_i].stored);
}

TEST(integers_of_64_bits_saturate_to_their_last_value)
{
    int64_t is_signed;
    uint64_t is_unsigned;
    number_store(GB_I64, &is_signed, 0, 0x1p63);
    number_store(GB_U64, &is_unsigned, 0, 1e300);
    ck_assert_int_eq(is_signed, INT64_MAX);
    ck_assert_uint_eq(is_unsigned, UINT64_MAX);
}

TEST(integers_load_exactly)
{
    const int8_t narrow[] = {-128, -1, 0, 127};
    const int32_t wide[] = {INT32_MIN, -1, 0, INT32_MAX};
    for (uint64_t i = 0; i < 4; i++) {
        ck_assert_double_eq(number_load(GB_I8, narrow, i), narrow[i]);
        ck_assert_double_eq(number_load(GB_I32, wide, i), wide[i]);
    }
    const uint32_t largest = UINT32_MAX;
    ck_assert_double_eq(number_load(GB_U32, &largest, 0), 4294967295.0);
}

TEST(fp64_is_left_alone)
{
    const double values[] = {0x1p-1074, -0.0, 0x1.fffffffffffffp1023, INFINITY, 0.1};
    double copy[5];
    number_store_array(GB_F64, copy, 0, 5, values);
    ck_assert_mem_eq(copy, values, sizeof values);
    number_round_array(GB_F64, values, 5, copy);
    ck_assert_mem_eq(copy, values, sizeof values);
}

TEST(arrays_begin_where_told)
{
    const double values[] = {1, 2, 3};
    uint16_t halves[6] = {0};
    double back[3];
    number_store_array(GB_F16, halves, 2, 3, values);
    ck_assert_uint_eq(halves[1], 0);
    ck_assert_uint_eq(halves[2], 0x3c00);
    ck_assert_uint_eq(halves[5], 0);
    number_load_array(GB_F16, halves, 2, 3, back);
    ck_assert_mem_eq(back, values, sizeof values);
}

static const struct {
    uint32_t format;
    double value, spacing;
} spacings[] = {
    {GB_F16, 1, 0x1p-10},
    {GB_F16, -1.99, 0x1p-10},
    {GB_F16, 2, 0x1p-9},
    {GB_F16, 0, 0x1p-24},
    {GB_F16, 0x1p-14, 0x1p-24},
    {GB_F16, 0x1p-20, 0x1p-24},
    {GB_F16, 0x1p-13, 0x1p-23},
    {GB_F16, 65504, 32},
    {GB_F16, 1e30, 32},
    {GB_F16, INFINITY, 32},
    {GB_F64, 1, 0x1p-52},
    {GB_F64, 0, 0x1p-1074},
    {GB_F64, 0x1p-1074, 0x1p-1074},
    {GB_F64, 0x1p1023, 0x1p971},
    {GB_F32, 1, 0x1p-23},
    {GB_F32, 0, 0x1p-149},
    {GB_BF16, 1, 0x1p-7},
    {GB_TF32, 1, 0x1p-10},
    {GB_F8_E4M3, 1, 0x1p-3},
    {GB_F8_E4M3, 0, 0x1p-9},
    {GB_F8_E4M3, 448, 32},
    {GB_F8_E5M2, 1, 0x1p-2},
    {GB_F8_E5M2, 0, 0x1p-16},
    {GB_I8, 100, 1},
    {GB_I64, 0, 1},
};

TEST_EACH(spacing, spacings)
{
    ck_assert_double_eq(number_spacing(spacings[_i].format, spacings[_i].value),
                        spacings[_i].spacing);
}

TEST(spacing_of_nan_is_nan)
{
    ck_assert(isnan(number_spacing(GB_F16, NAN)));
}

static const struct {
    uint32_t format;
    const char *name;
    uint32_t bytes;
    double roundoff, largest;
} table[] = {
    {GB_F64, "fp64", 8, 0x1p-53, 0x1.fffffffffffffp1023},
    {GB_F32, "fp32", 4, 0x1p-24, 0x1.fffffep127},
    {GB_F16, "fp16", 2, 0x1p-11, 65504},
    {GB_BF16, "bf16", 2, 0x1p-8, 0x1.fep127},
    {GB_TF32, "tf32", 4, 0x1p-11, 0x1.ffcp127},
    {GB_F8_E4M3, "e4m3", 1, 0x1p-4, 448},
    {GB_F8_E5M2, "e5m2", 1, 0x1p-3, 57344},
    {GB_I8, "int8", 1, 0, 127},
    {GB_I32, "int32", 4, 0, 2147483647},
    {GB_I64, "int64", 8, 0, 0x1p63},
    {GB_U8, "uint8", 1, 0, 255},
    {GB_U32, "uint32", 4, 0, 4294967295},
    {GB_U64, "uint64", 8, 0, 0x1p64},
};

TEST_EACH(formats_by_code_and_name, table)
{
    const struct gb_format *format = number_format_of(table[_i].format);
    ck_assert_ptr_nonnull(format);
    ck_assert_ptr_eq(number_format_named(table[_i].name), format);
    ck_assert_uint_eq(format->format, table[_i].format);
    ck_assert_str_eq(format->name, table[_i].name);
    ck_assert_uint_eq(format->bytes, table[_i].bytes);
    ck_assert_double_eq(number_roundoff(table[_i].format), table[_i].roundoff);
    ck_assert_double_eq(format->largest, table[_i].largest);
    ck_assert_double_lt(ldexp(1, format->max_exponent), format->largest);
    ck_assert_double_le(format->largest, ldexp(1, format->max_exponent + 1));
}

TEST(unknown_formats)
{
    ck_assert_ptr_null(number_format_of(0));
    ck_assert_ptr_null(number_format_of(GB_U64 + 1));
    ck_assert_ptr_null(number_format_named("fp17"));
    ck_assert_ptr_null(number_format_named(""));
}
