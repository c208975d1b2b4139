/*
 * test_number_format.c - core/base/number_format.c, exhaustively: every value of the small formats
 * against a conversion by arithmetic, fp16 also against the compiler's _Float16 where there is one;
 * spacing and distance in units of the last place against the gaps between the numbers.
 */
#include "core/base/number_format.h"
#include "tests/text_case.h"
#include "tests/verify/verify_fixture.h"

/* The formats of one and two bytes once more, slowly, as their definitions give them. */
static const struct small {
    uint32_t format;
    int bits, fraction_bits, bias;
    bool has_infinity;
} small_formats[] = {
    {GB_F16, 16, 10, 15, true},
    {GB_BF16, 16, 7, 127, true},
    {GB_F8_E4M3, 8, 3, 7, false},
    {GB_F8_E5M2, 8, 2, 15, true},
};
enum { N_SMALLS = sizeof small_formats / sizeof small_formats[0] };

static double value_of_code(const struct small *small, uint32_t code)
{
    int exponent_bits = small->bits - 1 - small->fraction_bits;
    uint32_t exponent = code >> small->fraction_bits & ((1u << exponent_bits) - 1);
    uint32_t fraction = code & ((1u << small->fraction_bits) - 1);
    double sign = code >> (small->bits - 1) ? -1 : 1;
    if (exponent == (1u << exponent_bits) - 1) {
        if (small->has_infinity)
            return fraction ? NAN : sign * (double)INFINITY;
        if (fraction == (1u << small->fraction_bits) - 1)
            return NAN;
    }
    int power = exponent ? (int)exponent : 1;
    double significand = fraction + (exponent ? ldexp(1, small->fraction_bits) : 0);
    return sign * ldexp(significand, power - small->bias - small->fraction_bits);
}

/* Codes of one sign below this one are finite. */
static uint32_t first_not_finite(const struct small *small)
{
    uint32_t code = 0;
    while (isfinite(value_of_code(small, code)))
        code++;
    return code;
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

static void put(const struct small *small, void *array, uint32_t i, uint32_t code)
{
    uint8_t narrow = (uint8_t)code;
    uint16_t wide = (uint16_t)code;
    if (small->bits == 8)
        memcpy((uint8_t *)array + i, &narrow, 1);
    else
        memcpy((uint8_t *)array + 2 * i, &wide, 2);
}

/* All at once: one alone takes another way than a vector of them. */
TEST_TIMES(every_code_is_the_value_of_its_definition, N_SMALLS)
{
    const struct small *small = &small_formats[_i];
    static uint16_t codes[65536];
    static double values[65536];
    const uint32_t n = 1u << small->bits;
    const uint32_t quiet = small->has_infinity ? 1u << (small->fraction_bits - 1) : 0;
    for (uint32_t code = 0; code < n; code++)
        put(small, codes, code, code);
    number_load_array(small->format, codes, 0, n, values);
    for (uint32_t code = 0; code < n; code++) {
        const double value = values[code];
        ck_assert_msg(same(value, value_of_code(small, code)), "code %x loads as %g", code, value);
        ck_assert(same(number_load(small->format, codes, code), value));
        ck_assert_int_eq(signbit(value) != 0, code >> (small->bits - 1));
        ck_assert_msg(stored(small, value) == (isnan(value) ? code | quiet : code),
                      "code %x comes back as %x", code, stored(small, value));
    }
}

/* Between each two neighbours: below, at and above the tie, and just beside both. */
TEST_TIMES(rounding_between_all_neighbours, N_SMALLS)
{
    const struct small *small = &small_formats[_i];
    uint32_t last = first_not_finite(small) - 1, sign = 1u << (small->bits - 1);
    for (uint32_t code = 0; code < last; code++) {
        double low = value_of_code(small, code), high = value_of_code(small, code + 1);
        double tie = (low + high) / 2;
        uint32_t even = code + (code & 1);
        ck_assert_uint_eq(stored(small, nextafter(low, 0)), code);
        ck_assert_uint_eq(stored(small, nextafter(low, high)), code);
        ck_assert_uint_eq(stored(small, nextafter(tie, low)), code);
        ck_assert_uint_eq(stored(small, tie), even);
        ck_assert_uint_eq(stored(small, nextafter(tie, high)), code + 1);
        ck_assert_uint_eq(stored(small, -nextafter(tie, high)), (code + 1) | sign);
        ck_assert_uint_eq(stored(small, -tie), even | sign);
        ck_assert(same(number_round(small->format, -tie), value_of_code(small, even | sign)));
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

static float tf32_of(uint32_t code)
{
    uint32_t bits = code << 13;
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* Fp32 with the significand of fp16: the other 13 bits are 0. */
TEST(tf32_between_all_neighbours)
{
    const uint32_t infinity = 0x7f800000u >> 13;
    for (uint32_t code = 0; code + 1 < infinity; code++) {
        double low = (double)tf32_of(code), high = (double)tf32_of(code + 1);
        double tie = (low + high) / 2;
        uint32_t bits;
        number_store(GB_TF32, &bits, 0, nextafter(tie, low));
        ck_assert_uint_eq(bits, code << 13);
        ck_assert_double_eq(number_load(GB_TF32, &bits, 0), low);
        ck_assert_double_eq(number_round(GB_TF32, low), low);
        ck_assert_double_eq(number_round(GB_TF32, nextafter(tie, low)), low);
        ck_assert_double_eq(number_round(GB_TF32, tie), code & 1 ? high : low);
        ck_assert_double_eq(number_round(GB_TF32, -nextafter(tie, high)), -high);
        ck_assert_double_eq(number_spacing(GB_TF32, low), high - low);
    }
    ck_assert(isinf(number_round(GB_TF32, 0x1.ffep127)));
}

static void add_stored(char *number, uint32_t format, struct text *out)
{
    const double value = strtod(number, NULL);
    uint64_t array = 0;
    char buffer[NUMBER_TEXT_MAX];
    number_store(format, &array, 0, value);
    ck_assert_double_eq(number_load(format, &array, 0), number_round(format, value));
    text_add(out, format_double(number_round(format, value), buffer));
}

static const struct text_cases integers[] = {
    {{add_stored, GB_I8},
     {"127.4 -> 127", "1000 -> 127", "-1000 -> -128", "2.5 -> 2", "3.5 -> 4", "-2.5 -> -2",
      "nan -> 0", "-1 -> -1"}},
    {{add_stored, GB_I32},
     {"-1 -> -1", "2147483647.4 -> 2147483647", "1e20 -> 2147483647", "-1e20 -> -2147483648",
      "-2147483648.0 -> -2147483648"}},
    {{add_stored, GB_U8}, {"-1 -> 0", "255.5 -> 255", "inf -> 255"}},
    {{add_stored, GB_U32}, {"4294967294.5 -> 4294967294", "1e20 -> 4294967295"}},
    {{add_stored, GB_I64},
     {"4611686018427388928 -> 4.611686018427389e+18",
      "-9223372036854775808 -> -9.223372036854776e+18", "2251799813685248.5 -> 2251799813685248",
      "2251799813685249.5 -> 2.25179981368525e+15"}},
    {{add_stored, GB_U64}, {"-inf -> 0", "9223372036854775808 -> 9.223372036854776e+18"}},
};

TEST_TEXT_CASES(integers_round_and_saturate, integers)

TEST(integers_of_64_bits_saturate_to_their_last_value)
{
    int64_t is_signed;
    uint64_t is_unsigned;
    number_store(GB_I64, &is_signed, 0, 0x1p63);
    number_store(GB_U64, &is_unsigned, 0, 1e300);
    ck_assert_int_eq(is_signed, INT64_MAX);
    ck_assert_uint_eq(is_unsigned, UINT64_MAX);
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

/* From a number to the next one away from 0; from the largest, that to the one before it. */
static double gap_at(const struct small *small, uint32_t code, uint32_t end)
{
    uint32_t low = code + 1 < end ? code : end - 2;
    return value_of_code(small, low + 1) - value_of_code(small, low);
}

TEST_TIMES(spacing_is_the_gap_to_the_next_number, N_SMALLS)
{
    const struct small *small = &small_formats[_i];
    uint32_t end = first_not_finite(small);
    for (uint32_t code = 0; code < end; code++) {
        double value = value_of_code(small, code), gap = gap_at(small, code, end);
        ck_assert_msg(number_spacing(small->format, value) == gap, "%x", code);
        ck_assert_double_eq(number_spacing(small->format, -value), gap);
        /* all up to the next number is in the same binade */
        ck_assert_double_eq(number_spacing(small->format, value + 0.75 * gap), gap);
    }
}

/* Each number against one that is `apart` codes away, alone so that it is the maximum. */
static void assert_distances(const struct small *small, uint32_t apart)
{
    uint32_t end = first_not_finite(small), sign = 1u << (small->bits - 1);
    const uint32_t step = small->bits == 16 && !test_is_long() ? 7 : 1;
    for (uint32_t code = 0; code < 2 * end; code += step) {
        uint32_t size = code % end, other = (size + apart) % end;
        uint32_t other_sign = code & 4 ? sign : 0;
        double reference = value_of_code(small, size | (code < end ? 0 : sign));
        double expected = fabs(reference - value_of_code(small, other | other_sign)) /
                          gap_at(small, size, end);
        uint8_t output[2];
        put(small, output, 0, other | other_sign);
        struct gb_check check = check_of(small->format, 1, output, &reference);
        struct verify_result result;
        ck_assert_int_eq(verify_compare(&check, 1e-3, &result, NULL), GB_OK);
        ck_assert_msg(result.metrics[VERIFY_ULP].value == expected, "%x against %x: %g, not %g",
                      size, other, result.metrics[VERIFY_ULP].value, expected);
    }
}

TEST_TIMES(distance_in_units_of_the_last_place, N_SMALLS)
{
    static const uint32_t apart[] = {0, 1, 2, 7, 100};
    for (EACH_PATH(path)) {
        for (int i = 0; i < COUNT(apart); i++)
            assert_distances(&small_formats[_i], apart[i]);
    }
}

/* All outputs, NaN and infinities too, as a comparison reads them: against themselves every one is
 * equal, on every code path. */
TEST_TIMES(every_code_equals_itself, N_SMALLS)
{
    const struct small *small = &small_formats[_i];
    static double reference[65536];
    static uint8_t output[2 * 65536];
    uint32_t n = 1u << small->bits;
    for (uint32_t code = 0; code < n; code++) {
        put(small, output, code, code);
        reference[code] = value_of_code(small, code);
    }
    struct gb_check check = check_of(small->format, n, output, reference);
    uint32_t finite = first_not_finite(small);
    for (EACH_PATH(path)) {
        ck_assert_uint_eq(compare(&check).n_exact, n);
        check.n = finite; /* without what sends a block the slow way */
        ck_assert_uint_eq(compare(&check).n_exact, finite);
        check.n = n;
    }
}

/* What the small formats and tf32 leave: see above. */
static const struct {
    uint32_t format;
    double value, spacing;
} spacings[] = {
    {GB_F16, 1e30, 32},
    {GB_F16, INFINITY, 32},
    {GB_F64, 1, 0x1p-52},
    {GB_F64, 0, 0x1p-1074},
    {GB_F32, 1, 0x1p-23},
    {GB_F32, 0, 0x1p-149},
    {GB_F64, 0x1p1023, 0x1p971},
    {GB_F64, 0x1p-1074, 0x1p-1074},
    {GB_F8_E4M3, 1e30, 32},
    {GB_I8, 100, 1},
    {GB_I64, 0, 1},
    {GB_F16, NAN, NAN},
};

TEST_EACH(spacing, spacings)
{
    ck_assert(same(number_spacing(spacings[_i].format, spacings[_i].value), spacings[_i].spacing));
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
