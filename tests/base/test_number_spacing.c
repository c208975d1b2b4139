/*
 * test_number_spacing.c - spacing and distance in units of the last place, for every number of the
 * formats of one and two bytes, against the gaps between the numbers themselves.
 */
#include "core/base/number_format.h"
#include "tests/base/number_fixture.h"
#include "tests/verify/verify_fixture.h"

#include <string.h>

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

static void put(const struct small *small, void *array, uint32_t i, uint32_t code)
{
    uint8_t narrow = (uint8_t)code;
    uint16_t wide = (uint16_t)code;
    if (small->bits == 8)
        memcpy((uint8_t *)array + i, &narrow, 1);
    else
        memcpy((uint8_t *)array + 2 * i, &wide, 2);
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
