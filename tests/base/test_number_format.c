/*
 * test_number_format.c - core/base/number_format.c, exhaustively: every value of the small formats
 * against a conversion by arithmetic; spacing and distance in units of the last place against the
 * gaps between the numbers.
 */
#include "core/base/number_format.h"
#include "tests/text_case.h"
#include "tests/verify/verify_fixture.h"

/* The formats of few bits once more, slowly, as their definitions give them. Of the 32 bits of tf32
 * the last 13 are 0. */
static const struct small {
    uint32_t format;
    int bits, fraction_bits, bias;
    bool has_infinity;
} small_formats[] = {
    {GB_F16, 16, 10, 15, true},   {GB_BF16, 16, 7, 127, true},  {GB_F8_E4M3, 8, 3, 7, false},
    {GB_F8_E5M2, 8, 2, 15, true}, {GB_TF32, 19, 10, 127, true},
};
enum { N_SMALLS = N_OF(small_formats), CODES_MAX = 1 << 19 };

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
    uint32_t code = 0;
    number_store(small->format, &code, 0, value);
    ck_assert(small->format != GB_TF32 || code % 8192 == 0);
    return small->format == GB_TF32 ? code >> 13 : code;
}

static bool same(double a, double b)
{
    return (isnan(a) && isnan(b)) || (a == b && signbit(a) == signbit(b));
}

static void put(const struct small *small, void *array, uint32_t i, uint32_t code)
{
    if (small->bits == 8)
        ((uint8_t *)array)[i] = (uint8_t)code;
    else if (small->bits == 16)
        ((uint16_t *)array)[i] = (uint16_t)code;
    else
        ((uint32_t *)array)[i] = code << 13;
}

/* All at once: one alone takes another way than a vector of them. That arrays begin where told is
 * in tests/run/test_host.c. */
TEST_TIMES(every_code_is_the_value_of_its_definition, N_SMALLS)
{
    const struct small *small = &small_formats[_i];
    static uint32_t codes[CODES_MAX];
    static double values[CODES_MAX];
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
 * conversions. That fp64 is left alone is what comparisons in tests/verify/test_verify.c rely on.
 */
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
                ck_assert(same(rounded[j], number_round(format, values[j])) &&
                          (format != GB_F64 || same(rounded[j], values[j])));
        }
    }
}

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

static void add_stored(char *number, uint32_t format, struct text *out)
{
    const double value = strtod(number, NULL);
    uint64_t array = 0;
    char buffer[NUMBER_TEXT_MAX];
    number_store(format, &array, 0, value);
    ck_assert_double_eq(number_load(format, &array, 0), number_round(format, value));
    text_add(out, format_double(number_round(format, value), buffer));
}

static void add_spacing(char *number, uint32_t format, struct text *out)
{
    text_printf(out, "%a", number_spacing(format, strtod(number, NULL)));
}

/* Of spacings what the small formats leave: see below. */
static const struct text_cases numbers[] = {
    {{add_spacing, GB_F16}, {"1e30 -> 0x1p+5", "inf -> 0x1p+5", "nan -> nan"}},
    {{add_spacing, GB_F64},
     {"1 -> 0x1p-52", "0 -> 0x0.0000000000001p-1022", "0x1p1023 -> 0x1p+971",
      "0x1p-1074 -> 0x0.0000000000001p-1022"}},
    {{add_spacing, GB_F32}, {"1 -> 0x1p-23", "0 -> 0x1p-149"}},
    {{add_spacing, GB_F8_E4M3}, {"1e30 -> 0x1p+5"}},
    {{add_spacing, GB_I8}, {"100 -> 0x1p+0"}},
    {{add_spacing, GB_I64}, {"0 -> 0x1p+0"}},
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

TEST_TEXT_CASES(spacings_and_rounded_integers, numbers)

TEST(integers_of_64_bits_saturate_to_their_last_value)
{
    int64_t is_signed;
    uint64_t is_unsigned;
    number_store(GB_I64, &is_signed, 0, 0x1p63);
    number_store(GB_U64, &is_unsigned, 0, 1e300);
    ck_assert_int_eq(is_signed, INT64_MAX);
    ck_assert_uint_eq(is_unsigned, UINT64_MAX);
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
    const uint32_t step = small->bits == 8 || test_is_long() ? 1 : small->bits == 16 ? 7 : 97;
    for (uint32_t code = 0; code < 2 * end; code += step) {
        uint32_t size = code % end, other = (size + apart) % end;
        uint32_t other_sign = code & 4 ? sign : 0;
        double reference = value_of_code(small, size | (code < end ? 0 : sign));
        double expected = fabs(reference - value_of_code(small, other | other_sign)) /
                          gap_at(small, size, end);
        uint32_t output;
        put(small, &output, 0, other | other_sign);
        struct gb_check check = check_of(small->format, 1, &output, &reference);
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
    static double reference[CODES_MAX];
    static uint32_t output[CODES_MAX];
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

TEST(formats_by_code_and_name)
{
    CLEANUP(text_free) struct text found = {0};
    for (uint32_t code = GB_F64; code <= GB_U64; code++) {
        const struct gb_format *format = number_format_of(code);
        ck_assert_ptr_eq(number_format_named(format->name), format);
        ck_assert_uint_eq(format->format, code);
        ck_assert_double_lt(ldexp(1, format->max_exponent), format->largest);
        ck_assert_double_le(format->largest, ldexp(1, format->max_exponent + 1));
        text_printf(&found, "%s %u %a %a\n", format->name, format->bytes, number_roundoff(code),
                    format->largest);
    }
    ck_assert_str_eq(text_get(&found),
                     "fp64 8 0x1p-53 0x1.fffffffffffffp+1023\nfp32 4 0x1p-24 0x1.fffffep+127\n"
                     "fp16 2 0x1p-11 0x1.ffcp+15\nbf16 2 0x1p-8 0x1.fep+127\n"
                     "tf32 4 0x1p-11 0x1.ffcp+127\ne4m3 1 0x1p-4 0x1.cp+8\n"
                     "e5m2 1 0x1p-3 0x1.cp+15\nint8 1 0x0p+0 0x1.fcp+6\n"
                     "int32 4 0x0p+0 0x1.fffffffcp+30\nint64 8 0x0p+0 0x1p+63\n"
                     "uint8 1 0x0p+0 0x1.fep+7\nuint32 4 0x0p+0 0x1.fffffffep+31\n"
                     "uint64 8 0x0p+0 0x1p+64\n");
    ck_assert_ptr_null(number_format_of(0));
    ck_assert_ptr_null(number_format_of(GB_U64 + 1));
    ck_assert_ptr_null(number_format_named("fp17"));
    ck_assert_ptr_null(number_format_named(""));
}
