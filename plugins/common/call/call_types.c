/* call_types.c - see call_types.h. Plugin side. */
#include "call_types.h"

#include <float.h>
#include <gbrun/gbrun.h>
#include <limits.h>
#include <math.h>
#include <string.h>

static const struct type_info infos[] = {
#define TYPE_INFO(constant, name, kind, type, is_signed, format)                                   \
    {name, kind, sizeof(type), format, is_signed},
    TYPE_MAP(TYPE_INFO)
#undef TYPE_INFO
};

/* Other names; those of C whose size a compiler chooses. */
#define OF_BYTES(type, one, two, four, eight)                                                      \
    (sizeof(type) == 1 ? (one) : sizeof(type) == 2 ? (two) : sizeof(type) == 4 ? (four) : (eight))
#define SIGNED(type) OF_BYTES(type, TYPE_INT8, TYPE_INT16, TYPE_INT32, TYPE_INT64)
#define UNSIGNED(type) OF_BYTES(type, TYPE_UINT8, TYPE_UINT16, TYPE_UINT32, TYPE_UINT64)
static const struct {
    const char *name;
    enum type_id id;
} aliases[] = {
    {"_Bool", TYPE_BOOL},
    {"char", CHAR_MIN < 0 ? TYPE_INT8 : TYPE_UINT8},
    {"schar", TYPE_INT8},
    {"uchar", TYPE_UINT8},
    {"short", SIGNED(short)},
    {"ushort", UNSIGNED(short)},
    {"int", SIGNED(int)},
    {"uint", UNSIGNED(int)},
    {"long", SIGNED(long)},
    {"ulong", UNSIGNED(long)},
    {"longlong", SIGNED(long long)},
    {"ulonglong", UNSIGNED(long long)},
    {"size_t", UNSIGNED(size_t)},
    {"ssize_t", SIGNED(size_t)},
    {"ptrdiff_t", SIGNED(ptrdiff_t)},
    {"intptr_t", SIGNED(intptr_t)},
    {"uintptr_t", UNSIGNED(uintptr_t)},
    {"int8_t", TYPE_INT8},
    {"uint8_t", TYPE_UINT8},
    {"int16_t", TYPE_INT16},
    {"uint16_t", TYPE_UINT16},
    {"int32_t", TYPE_INT32},
    {"uint32_t", TYPE_UINT32},
    {"int64_t", TYPE_INT64},
    {"uint64_t", TYPE_UINT64},
    {"i8", TYPE_INT8},
    {"u8", TYPE_UINT8},
    {"i16", TYPE_INT16},
    {"u16", TYPE_UINT16},
    {"i32", TYPE_INT32},
    {"u32", TYPE_UINT32},
    {"i64", TYPE_INT64},
    {"u64", TYPE_UINT64},
    {"f32", TYPE_FLOAT},
    {"fp32", TYPE_FLOAT},
    {"f64", TYPE_DOUBLE},
    {"fp64", TYPE_DOUBLE},
    {"f16", TYPE_F16},
};

const struct type_info *type_info(enum type_id id)
{
    return &infos[id];
}

static bool is_word(const char *word, const char *name, size_t n)
{
    return strlen(word) == n && memcmp(word, name, n) == 0;
}

bool type_named(const char *name, size_t n, enum type_id *ret)
{
    for (size_t i = 0; i < TYPES; i++)
        if (is_word(infos[i].name, name, n)) {
            *ret = (enum type_id)i;
            return true;
        }
    for (size_t i = 0; i < sizeof aliases / sizeof aliases[0]; i++)
        if (is_word(aliases[i].name, name, n)) {
            *ret = aliases[i].id;
            return true;
        }
    return false;
}

/* The largest number of each format, and whether it has infinities. */
static const struct {
    enum type_id type;
    double most;
    bool has_infinity;
} float_ranges[] = {
    {TYPE_FLOAT, FLT_MAX, true}, {TYPE_DOUBLE, DBL_MAX, true}, {TYPE_F16, 65504, true},
    {TYPE_BF16, 0xFFp120, true}, {TYPE_TF32, 0x7FFp117, true}, {TYPE_E4M3, 448, false},
    {TYPE_E5M2, 57344, true},
};

/* What is rounded to the largest number fits, too. */
static bool float_fits(double value, enum type_id type)
{
    for (size_t i = 0; i < sizeof float_ranges / sizeof float_ranges[0]; i++)
        if (float_ranges[i].type == type)
            return isinf(value) ? float_ranges[i].has_infinity
                                : !(fabs(value) >
                                    float_ranges[i].most * (1 + ldexp(0.5, -type_digits(type))));
    return false;
}

bool number_fits(const struct number *number, enum type_id type)
{
    const struct type_info *info = &infos[type];
    if (info->kind == KIND_FLOAT || info->kind == KIND_BITS)
        return float_fits(number->value, type);
    if (info->kind != KIND_INTEGER || !number->is_integer)
        return false;
    if (type == TYPE_BOOL)
        return !number->is_negative && number->magnitude <= 1;
    const unsigned bits = info->bytes * 8u - (info->is_signed ? 1u : 0u);
    const uint64_t most = bits == 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
    if (!number->is_negative)
        return number->magnitude <= most;
    return number->magnitude == 0 || (info->is_signed && number->magnitude <= most + 1);
}

/* Formats with a sign bit, then the exponent, then the significand (IEEE 754; the OCP formats of 8
 * bits, of which E4M3 has no infinity and one NaN of each sign). */
static const struct {
    enum type_id type;
    int exponent_bits, significand_bits;
} layouts[] = {
    {TYPE_F16, 5, 10},
    {TYPE_BF16, 8, 7},
    {TYPE_E4M3, 4, 3},
    {TYPE_E5M2, 5, 2},
};

/* An infinity or a NaN of these, or of tf32, which lies in a float. */
static void store_not_finite(double value, enum type_id type, void *to)
{
    const float single = (float)value;
    memcpy(to, &single, type == TYPE_TF32 ? sizeof single : 0);
    for (size_t i = 0; i < sizeof layouts / sizeof layouts[0]; i++)
        if (layouts[i].type == type) {
            const unsigned low = (1u << layouts[i].significand_bits) - 1;
            const unsigned high = (1u << layouts[i].exponent_bits) - 1;
            const unsigned magnitude = high << layouts[i].significand_bits |
                                       (isnan(value) ? low : 0u);
            const unsigned bits = magnitude | (signbit(value) ? low + 1 : 0u)
                                                  << layouts[i].exponent_bits;
            const uint8_t bytes[2] = {(uint8_t)bits, (uint8_t)(bits >> 8)};
            memcpy(to, bytes, infos[type].bytes);
        }
}

bool number_store(const struct number *number, enum type_id type, void *to)
{
    const uint64_t bits = number->is_negative ? UINT64_C(0) - number->magnitude : number->magnitude;
    const uint8_t bits8 = (uint8_t)bits;
    const uint16_t bits16 = (uint16_t)bits;
    const uint32_t bits32 = (uint32_t)bits;
    const float single = (float)number->value;
    if (infos[type].kind == KIND_BITS && isfinite(number->value))
        return false;
    if (infos[type].kind == KIND_BITS)
        store_not_finite(number->value, type, to);
    else if (type == TYPE_FLOAT)
        memcpy(to, &single, sizeof single);
    else if (type == TYPE_DOUBLE)
        memcpy(to, &number->value, sizeof number->value);
    else if (infos[type].bytes == 1)
        memcpy(to, &bits8, sizeof bits8);
    else if (infos[type].bytes == 2)
        memcpy(to, &bits16, sizeof bits16);
    else if (infos[type].bytes == 4)
        memcpy(to, &bits32, sizeof bits32);
    else
        memcpy(to, &bits, sizeof bits);
    return true;
}

static double decode(uint32_t bits, bool has_infinity, int exponent_bits, int significand_bits)
{
    const int bias = (1 << (exponent_bits - 1)) - 1, top = (1 << exponent_bits) - 1;
    const int exponent = (int)(bits >> significand_bits) & top;
    const uint32_t significand = bits & ((1u << significand_bits) - 1);
    const double sign = bits >> (exponent_bits + significand_bits) & 1 ? -1.0 : 1.0;
    if (exponent == top && has_infinity)
        return significand != 0 ? (double)NAN : sign * (double)INFINITY;
    if (exponent == top && significand == (1u << significand_bits) - 1)
        return (double)NAN;
    if (exponent == 0)
        return sign * ldexp((double)significand, 1 - bias - significand_bits);
    return sign * ldexp((double)(significand | 1u << significand_bits),
                        exponent - bias - significand_bits);
}

#define READ(type)                                                                                 \
    do {                                                                                           \
        type value_;                                                                               \
        memcpy(&value_, element, sizeof value_);                                                   \
        return (double)value_;                                                                     \
    } while (0)

double element_value(enum type_id type, const void *element)
{
    uint32_t bits = 0;
    switch (type) {
    case TYPE_INT8:
        READ(int8_t);
    case TYPE_BOOL:
    case TYPE_UINT8:
        READ(uint8_t);
    case TYPE_INT16:
        READ(int16_t);
    case TYPE_UINT16:
        READ(uint16_t);
    case TYPE_INT32:
        READ(int32_t);
    case TYPE_UINT32:
        READ(uint32_t);
    case TYPE_INT64:
        READ(int64_t);
    case TYPE_UINT64:
        READ(uint64_t);
    case TYPE_TF32:
    case TYPE_FLOAT:
        READ(float);
    case TYPE_DOUBLE:
        READ(double);
    default:
        break;
    }
    for (size_t i = 0; i < sizeof layouts / sizeof layouts[0]; i++)
        if (layouts[i].type == type) {
            uint8_t bytes[2] = {0};
            memcpy(bytes, element, infos[type].bytes);
            bits = bytes[0] | (uint32_t)bytes[1] << 8;
            return decode(bits, type != TYPE_E4M3, layouts[i].exponent_bits,
                          layouts[i].significand_bits);
        }
    return (double)NAN;
}

int type_digits(enum type_id type)
{
    for (size_t i = 0; i < sizeof layouts / sizeof layouts[0]; i++)
        if (layouts[i].type == type)
            return layouts[i].significand_bits + 1;
    return type == TYPE_DOUBLE ? 53 : type == TYPE_FLOAT ? 24 : type == TYPE_TF32 ? 11 : 0;
}
