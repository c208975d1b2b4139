/* number_format.c - see number_format.h. */
#include "core/base/number_format.h"

#include "core/base/text.h"
#include "core/base/vector.h"

#include <math.h>
#include <string.h>

enum { DOUBLE_DIGITS = 53, DOUBLE_BIAS = 1023 };

/* By GB_... code. */
#define FORMAT(format, name, bytes, is_integer, digits, least, most, largest)                      \
    {                                                                                              \
        sizeof(struct gb_format), format, name, bytes, is_integer, digits, least, most, 0, largest \
    }
static const struct gb_format formats[] = {
    FORMAT(GB_F64, "fp64", 8, false, 53, -1022, 1023, 0x1.fffffffffffffp1023),
    FORMAT(GB_F32, "fp32", 4, false, 24, -126, 127, 0x1.fffffep127),
    FORMAT(GB_F16, "fp16", 2, false, 11, -14, 15, 65504),
    FORMAT(GB_BF16, "bf16", 2, false, 8, -126, 127, 0x1.fep127),
    FORMAT(GB_TF32, "tf32", 4, false, 11, -126, 127, 0x1.ffcp127),
    FORMAT(GB_F8_E4M3, "e4m3", 1, false, 4, -6, 8, 448),
    FORMAT(GB_F8_E5M2, "e5m2", 1, false, 3, -14, 15, 57344),
    FORMAT(GB_I8, "int8", 1, true, 7, 0, 6, 127),
    FORMAT(GB_I32, "int32", 4, true, 31, 0, 30, INT32_MAX),
    FORMAT(GB_I64, "int64", 8, true, 63, 0, 62, 0x1p63),
    FORMAT(GB_U8, "uint8", 1, true, 8, 0, 7, UINT8_MAX),
    FORMAT(GB_U32, "uint32", 4, true, 32, 0, 31, UINT32_MAX),
    FORMAT(GB_U64, "uint64", 8, true, 64, 0, 63, 0x1p64),
};
#undef FORMAT

enum { N_FORMATS = sizeof formats / sizeof formats[0] };

const struct gb_format *number_format_of(uint32_t format)
{
    return format >= 1 && format <= N_FORMATS ? &formats[format - 1] : NULL;
}

const struct gb_format *number_format_named(const char *name)
{
    return ITEM_NAMED(formats, N_FORMATS, name, name);
}

static inline uint64_t bits_of(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* How a format of one or two bytes lays out its bits. */
struct layout {
    int bits;          /* in all */
    int fraction_bits; /* of the significand, without the hidden one */
    int bias;          /* of the exponent */
    bool has_infinity; /* else the highest exponent is an ordinary one, but for its last code */
};

static const struct layout fp16 = {16, 10, 15, true};
static const struct layout bf16 = {16, 7, 127, true};
static const struct layout e4m3 = {8, 3, 7, false};
static const struct layout e5m2 = {8, 2, 15, true};

/* LANES codes of a constant layout as doubles; a subnormal one is 1.f - 1, which is 0.f. */
#define DECODE(ret, narrow, layout)                                                                \
    do {                                                                                           \
        const vector_bits codes = __builtin_convertvector(narrow, vector_bits);                    \
        const int shift = 52 - (layout).fraction_bits;                                             \
        const int64_t all = ((int64_t)1 << ((layout).bits - 1)) - 1;                               \
        const int64_t infinity = all >> (layout).fraction_bits << (layout).fraction_bits;          \
        const int64_t one = (int64_t)(DOUBLE_BIAS + 1 - (layout).bias) << 52;                      \
        const int64_t rebias = (int64_t)(DOUBLE_BIAS - (layout).bias) << 52;                       \
        vector_bits size = codes & all, sign = -(codes >> ((layout).bits - 1)) & INT64_MIN;        \
        vector_bits fraction = size << shift;                                                      \
        vector_bits special = (layout).has_infinity ? size >= infinity : size == all;              \
        vector_double offset = VECTOR_DOUBLE(one + (vector_bits){0});                              \
        vector_bits normal = (1 + (vector_bits){0}) << (layout).fraction_bits;                     \
        vector_double tiny = VECTOR_DOUBLE(fraction | one) - offset;                               \
        vector_double wide = VECTOR_DOUBLE((fraction + rebias) | (special & 0x7FFll << 52));       \
        wide = VECTOR_PICK(size < normal, tiny, wide);                                             \
        (ret) = VECTOR_DOUBLE(VECTOR_BITS(wide) | sign);                                           \
    } while (0)

/* `value` is a number of the format already, or infinite, or NaN. */
static uint32_t encode(double value, const struct layout layout)
{
    uint64_t bits = bits_of(value);
    const uint32_t all = (1u << (layout.bits - 1)) - 1; /* but the sign */
    const uint32_t quiet = 1u << (layout.fraction_bits - 1);
    uint32_t sign = (uint32_t)(bits >> 63) << (layout.bits - 1);
    uint32_t fraction = (uint32_t)(bits >> (52 - layout.fraction_bits)) &
                        ((1u << layout.fraction_bits) - 1);
    int exponent = (int)(bits >> 52 & 0x7FF) - DOUBLE_BIAS;
    if (isnan(value))
        return layout.has_infinity
                   ? sign | (all >> layout.fraction_bits << layout.fraction_bits) | quiet | fraction
                   : sign | all;
    if (isinf(value))
        return sign | all >> layout.fraction_bits << layout.fraction_bits;
    if (exponent < 1 - layout.bias)
        return sign | (uint32_t)ldexp(fabs(value), layout.bias - 1 + layout.fraction_bits);
    return sign | (uint32_t)(exponent + layout.bias) << layout.fraction_bits | fraction;
}

/* What rounding a double to a floating format with fewer digits takes. */
struct rounding {
    uint64_t least_exponent, most_exponent; /* biased; beyond the second everything overflows */
    uint64_t lift;                          /* 53 - digits */
    double largest, overflow;
};

static struct rounding rounding_of(const struct gb_format *format)
{
    return (struct rounding){
        .least_exponent = (uint64_t)(format->min_exponent + DOUBLE_BIAS),
        .most_exponent = (uint64_t)(format->max_exponent + 1 + DOUBLE_BIAS),
        .lift = (uint64_t)(DOUBLE_DIGITS - format->digits),
        .largest = format->largest,
        .overflow = format->format == GB_F8_E4M3 ? NAN : INFINITY,
    };
}

/* Adding and taking away a number whose last bit has the spacing wanted makes the addition round
 * there; 1.5 keeps the sum inside its binade. */
ALWAYS_INLINE void round_array_body(const double *values, uint64_t n,
                                    const struct rounding *rounding, double *ret)
{
    const vector_double infinity = INFINITY + (vector_double){0};
    const vector_double largest = rounding->largest + (vector_double){0};
    const vector_double overflow = rounding->overflow + (vector_double){0};
    const vector_bits least = (int64_t)rounding->least_exponent + (vector_bits){0};
    const vector_bits most = (int64_t)rounding->most_exponent + (vector_bits){0};
    const int64_t lift = (int64_t)rounding->lift;
    for (uint64_t i = 0; i < n; i += LANES) {
        vector_double value;
        VECTOR_LOAD(value, values + i, n - i);
        vector_double size = VECTOR_ABS(value);
        vector_bits sign = VECTOR_BITS(value) ^ VECTOR_BITS(size);
        vector_bits exponent = VECTOR_BITS(size) >> 52;
        exponent = VECTOR_BITS(VECTOR_PICK(exponent < least, least, exponent));
        exponent = VECTOR_BITS(VECTOR_PICK(exponent > most, most, exponent));
        vector_double lifter = VECTOR_DOUBLE((exponent + lift) << 52 | (int64_t)1 << 51);
        vector_double rounded = (size + lifter) - lifter;
        rounded = VECTOR_PICK((rounded > largest) | (size == infinity), overflow, rounded);
        rounded = VECTOR_PICK(size == size, rounded, size);
        rounded = VECTOR_DOUBLE(VECTOR_BITS(rounded) | sign);
        VECTOR_STORE(rounded, ret + i, n - i);
    }
}
VECTOR_DISPATCH(round_array, round_array_body,
                (const double *values, uint64_t n, const struct rounding *rounding, double *ret),
                (values, n, rounding, ret))

static double round_integer(double value, double least, double largest)
{
    const double lifter = 0x1.8p52; /* as in round_array */
    double rounded = fabs(value) < 0x1p51 ? (value + lifter) - lifter : rint(value);
    rounded = rounded > least ? rounded : least;
    rounded = rounded < largest ? rounded : largest;
    return value == value ? rounded : 0;
}

double number_round(uint32_t format, double value)
{
    double rounded;
    number_round_array(format, &value, 1, &rounded);
    return rounded;
}

void number_round_array(uint32_t format, const double *values, uint64_t n, double *ret)
{
    const struct gb_format *target = number_format_of(format);
    if (target->is_integer) {
        bool is_signed = format == GB_I8 || format == GB_I32 || format == GB_I64;
        double least = is_signed ? -ldexp(1, target->digits) : 0;
        for (uint64_t i = 0; i < n; i++)
            ret[i] = round_integer(values[i], least, target->largest);
    } else if (target->digits == DOUBLE_DIGITS) {
        memcpy(ret, values, n * sizeof *ret);
    } else {
        const struct rounding rounding = rounding_of(target);
        round_array(values, n, &rounding, ret);
    }
}

typedef float floats __attribute__((vector_size(4 * LANES)));
typedef uint16_t codes16 __attribute__((vector_size(2 * LANES)));
typedef uint8_t codes8 __attribute__((vector_size(LANES)));

#define DEFINE_LOAD(name, type, vector_type, TO_DOUBLES, ...)                                      \
    ALWAYS_INLINE void name##_body(const void *array, uint64_t first, uint64_t n, double *ret)     \
    {                                                                                              \
        const char *from = (const char *)array + first * sizeof(type);                             \
        for (uint64_t i = 0; i < n; i += LANES) {                                                  \
            vector_type narrow;                                                                    \
            vector_double loaded;                                                                  \
            VECTOR_LOAD(narrow, from + i * sizeof(type), n - i);                                   \
            TO_DOUBLES(loaded, narrow, __VA_ARGS__);                                               \
            VECTOR_STORE(loaded, ret + i, n - i);                                                  \
        }                                                                                          \
    }                                                                                              \
    VECTOR_DISPATCH(name, name##_body,                                                             \
                    (const void *array, uint64_t first, uint64_t n, double *ret),                  \
                    (array, first, n, ret))
#define CONVERT(ret, narrow, type) (ret) = __builtin_convertvector(narrow, type)

DEFINE_LOAD(load_fp32, float, floats, CONVERT, vector_double)
DEFINE_LOAD(load_fp16, uint16_t, codes16, DECODE, fp16)
DEFINE_LOAD(load_bf16, uint16_t, codes16, DECODE, bf16)
DEFINE_LOAD(load_e4m3, uint8_t, codes8, DECODE, e4m3)
DEFINE_LOAD(load_e5m2, uint8_t, codes8, DECODE, e5m2)

/* Elements are read through memcpy: nothing is known about the array's alignment. */
#define LOAD_LOOP(type, expression)                                                                \
    for (uint64_t i = 0; i < n; i++) {                                                             \
        type element;                                                                              \
        memcpy(&element, (const char *)array + (first + i) * sizeof element, sizeof element);      \
        ret[i] = (expression);                                                                     \
    }                                                                                              \
    break

void number_load_array(uint32_t format, const void *array, uint64_t first, uint64_t n, double *ret)
{
    switch (format) {
    case GB_F64:
        LOAD_LOOP(double, element);
    case GB_F32:
    case GB_TF32:
        load_fp32(array, first, n, ret);
        break;
    case GB_F16:
        load_fp16(array, first, n, ret);
        break;
    case GB_BF16:
        load_bf16(array, first, n, ret);
        break;
    case GB_F8_E4M3:
        load_e4m3(array, first, n, ret);
        break;
    case GB_F8_E5M2:
        load_e5m2(array, first, n, ret);
        break;
    case GB_I8:
        LOAD_LOOP(int8_t, element);
    case GB_I32:
        LOAD_LOOP(int32_t, element);
    case GB_I64:
        LOAD_LOOP(int64_t, (double)element);
    case GB_U8:
        LOAD_LOOP(uint8_t, element);
    case GB_U32:
        LOAD_LOOP(uint32_t, element);
    case GB_U64:
        LOAD_LOOP(uint64_t, (double)element);
    default:
        break;
    }
}

double number_load(uint32_t format, const void *array, uint64_t i)
{
    double value = NAN;
    number_load_array(format, array, i, 1, &value);
    return value;
}

/* The C conversion of a double from 2^63 on is undefined for int64_t, likewise for uint64_t. */
static int64_t to_int64(double rounded)
{
    return rounded >= 0x1p63 ? INT64_MAX : (int64_t)rounded;
}

static uint64_t to_uint64(double rounded)
{
    return rounded >= 0x1p64 ? UINT64_MAX : (uint64_t)rounded;
}

#define STORE_LOOP(type, expression)                                                               \
    for (uint64_t i = 0; i < n; i++) {                                                             \
        type element = (type)(expression);                                                         \
        memcpy((char *)array + (first + i) * sizeof element, &element, sizeof element);            \
    }                                                                                              \
    break

static void store_rounded(uint32_t format, void *array, uint64_t first, uint64_t n,
                          const double *rounded)
{
    switch (format) {
    case GB_F64:
        STORE_LOOP(double, rounded[i]);
    case GB_F32:
    case GB_TF32:
        STORE_LOOP(float, rounded[i]);
    case GB_F16:
        STORE_LOOP(uint16_t, encode(rounded[i], fp16));
    case GB_BF16:
        STORE_LOOP(uint16_t, encode(rounded[i], bf16));
    case GB_F8_E4M3:
        STORE_LOOP(uint8_t, encode(rounded[i], e4m3));
    case GB_F8_E5M2:
        STORE_LOOP(uint8_t, encode(rounded[i], e5m2));
    case GB_I8:
        STORE_LOOP(int8_t, rounded[i]);
    case GB_I32:
        STORE_LOOP(int32_t, rounded[i]);
    case GB_I64:
        STORE_LOOP(int64_t, to_int64(rounded[i]));
    case GB_U8:
        STORE_LOOP(uint8_t, rounded[i]);
    case GB_U32:
        STORE_LOOP(uint32_t, rounded[i]);
    case GB_U64:
        STORE_LOOP(uint64_t, to_uint64(rounded[i]));
    default:
        break;
    }
}

void number_store_array(uint32_t format, void *array, uint64_t first, uint64_t n,
                        const double *values)
{
    enum { BLOCK = 256 };
    double rounded[BLOCK];
    for (uint64_t done = 0; done < n; done += BLOCK) {
        uint64_t part = n - done < BLOCK ? n - done : BLOCK;
        number_round_array(format, values + done, part, rounded);
        store_rounded(format, array, first + done, part, rounded);
    }
}

void number_store(uint32_t format, void *array, uint64_t i, double value)
{
    number_store_array(format, array, i, 1, &value);
}

double number_spacing(uint32_t format, double value)
{
    const struct gb_format *of = number_format_of(format);
    if (isnan(value))
        return NAN;
    if (of->is_integer)
        return 1;
    int exponent = value == 0 ? of->min_exponent : isinf(value) ? of->max_exponent : ilogb(value);
    if (exponent < of->min_exponent)
        exponent = of->min_exponent;
    if (exponent > of->max_exponent)
        exponent = of->max_exponent;
    return ldexp(1, exponent - of->digits + 1);
}

double number_roundoff(uint32_t format)
{
    const struct gb_format *of = number_format_of(format);
    return of->is_integer ? 0 : ldexp(1, -of->digits);
}

const struct gb_formats number_formats = {
    .size = sizeof number_formats,
    .describe = number_format_of,
    .load = number_load_array,
    .store = number_store_array,
};
