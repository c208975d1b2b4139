/* call_math.c - which arithmetic work is; see call_parse.h. Plugin side. */
#include "call_cursor.h"

#include <gbrun/bench.h>

struct word {
    const char *text;
    uint32_t code;
};

static const struct word formats[] = {
    {"fp64", GB_F64},   {"fp32", GB_F32},     {"fp16", GB_F16},     {"bf16", GB_BF16},
    {"tf32", GB_TF32},  {"e4m3", GB_F8_E4M3}, {"e5m2", GB_F8_E5M2}, {"int8", GB_I8},
    {"int32", GB_I32},  {"int64", GB_I64},    {"uint8", GB_U8},     {"uint32", GB_U32},
    {"uint64", GB_U64},
};

static const struct word units[] = {
    {"scalar", GB_MATH_SCALAR},
    {"vector", GB_MATH_VECTOR},
    {"tensor", GB_MATH_TENSOR},
};

static bool take_word(struct cursor *cursor, const struct word *words, size_t n,
                      const char *expected, uint32_t *ret)
{
    enum { SHOWN = 24 };
    const size_t at = cursor_next(cursor);
    const struct span found = cursor_word(cursor);
    for (size_t i = 0; i < n; i++)
        if (span_is(found, words[i].text)) {
            *ret = words[i].code;
            return true;
        }
    if (found.n == 0)
        return cursor_expected(cursor, expected);
    return cursor_fail(cursor, at, "unknown word '%.*s': expected %s",
                       (int)(found.n < SHOWN ? found.n : SHOWN), found.text, expected);
}

bool parse_math(const char *text, uint32_t *ret_format, uint32_t *ret_unit, struct problem *problem)
{
    struct cursor cursor = {.text = text, .problem = problem};
    return take_word(&cursor, formats, sizeof formats / sizeof formats[0],
                     "a format and a unit, such as fp32 vector: fp64, fp32, fp16, bf16, tf32, "
                     "e4m3, e5m2, int8, int32, int64, uint8, uint32 or uint64",
                     ret_format) &&
           take_word(&cursor, units, sizeof units / sizeof units[0], "scalar, vector or tensor",
                     ret_unit) &&
           cursor_end(&cursor);
}
