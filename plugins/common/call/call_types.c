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
    {"fp32", TYPE_FLOAT},
    {"fp64", TYPE_DOUBLE},
};

/* Of integers and floats: int8_t, i8. */
static const char *const stdint_names[TYPES] = {
    [TYPE_INT8] = "int8_t",     [TYPE_UINT8] = "uint8_t",  [TYPE_INT16] = "int16_t",
    [TYPE_UINT16] = "uint16_t", [TYPE_INT32] = "int32_t",  [TYPE_UINT32] = "uint32_t",
    [TYPE_INT64] = "int64_t",   [TYPE_UINT64] = "uint64_t"};
static const char *const short_names[TYPES] = {
    [TYPE_INT8] = "i8",   [TYPE_UINT8] = "u8",   [TYPE_INT16] = "i16", [TYPE_UINT16] = "u16",
    [TYPE_INT32] = "i32", [TYPE_UINT32] = "u32", [TYPE_INT64] = "i64", [TYPE_UINT64] = "u64",
    [TYPE_FLOAT] = "f32", [TYPE_DOUBLE] = "f64", [TYPE_F16] = "f16"};

const struct type_info *type_info(enum type_id id)
{
    return &infos[id];
}

static bool is_word(const char *word, const char *name, size_t n)
{
    return word != NULL && strlen(word) == n && memcmp(word, name, n) == 0;
}

bool type_named(const char *name, size_t n, enum type_id *ret)
{
    for (size_t i = 0; i < TYPES; i++)
        if (is_word(infos[i].name, name, n) || is_word(stdint_names[i], name, n) ||
            is_word(short_names[i], name, n)) {
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

/* A sign bit, then the exponent, then the significand (IEEE 754; the OCP formats of 8 bits, of
 * which E4M3 has no infinity and one NaN of each sign); tf32 lies in a float. */
static const struct float_format {
    int exponent_bits, significand_bits;
    double largest;
} formats[TYPES] = {
    [TYPE_FLOAT] = {8, 23, FLT_MAX}, [TYPE_DOUBLE] = {11, 52, DBL_MAX}, [TYPE_F16] = {5, 10, 65504},
    [TYPE_BF16] = {8, 7, 0xFFp120},  [TYPE_TF32] = {8, 10, 0x7FFp117},  [TYPE_E4M3] = {4, 3, 448},
    [TYPE_E5M2] = {5, 2, 57344}};

int type_digits(enum type_id type)
{
    return formats[type].exponent_bits > 0 ? formats[type].significand_bits + 1 : 0;
}

/* What is rounded to the largest number fits, too. */
static bool float_fits(double value, enum type_id type)
{
    const double largest = formats[type].largest * (1 + ldexp(0.5, -type_digits(type)));
    return isinf(value) ? type != TYPE_E4M3 : !(fabs(value) > largest);
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

enum type_id number_type(const struct number *number)
{
    return !number->is_integer               ? TYPE_DOUBLE
           : number_fits(number, TYPE_INT32) ? TYPE_INT32
           : number_fits(number, TYPE_INT64) ? TYPE_INT64
                                             : TYPE_UINT64;
}

/* An infinity or a NaN. */
static uint64_t not_finite_bits(double value, const struct float_format *format)
{
    const uint64_t low = (UINT64_C(1) << format->significand_bits) - 1;
    const uint64_t high = (UINT64_C(1) << format->exponent_bits) - 1;
    const uint64_t sign = signbit(value) ? (low + 1) << format->exponent_bits : 0;
    return sign | high << format->significand_bits | (isnan(value) ? low : 0);
}

/* Integers lie with their lowest byte first on all processors that gbrun runs on. */
bool number_store(const struct number *number, enum type_id type, void *to)
{
    const float single = (float)number->value;
    const bool is_coded = infos[type].kind == KIND_BITS;
    const uint64_t bits = is_coded              ? not_finite_bits(number->value, &formats[type])
                          : number->is_negative ? UINT64_C(0) - number->magnitude
                                                : number->magnitude;
    if (is_coded && isfinite(number->value))
        return false;
    if (type == TYPE_FLOAT || type == TYPE_TF32)
        memcpy(to, &single, sizeof single);
    else if (type == TYPE_DOUBLE)
        memcpy(to, &number->value, sizeof number->value);
    else
        memcpy(to, &bits, infos[type].bytes);
    return true;
}

uint64_t element_bits(enum type_id type, const void *element)
{
    uint64_t bits = 0;
    memcpy(&bits, element, infos[type].bytes);
    const unsigned unused = 64u - 8u * infos[type].bytes;
    return infos[type].is_signed ? (uint64_t)((int64_t)(bits << unused) >> unused) : bits;
}

double element_value(enum type_id type, const void *element)
{
    const uint64_t bits = element_bits(type, element);
    if (infos[type].kind != KIND_INTEGER)
        return (double)NAN;
    return infos[type].is_signed ? (double)(int64_t)bits : (double)bits;
}
