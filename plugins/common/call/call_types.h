/* call_types.h - the types of C that a call knows, by name. Plugin side; needs no libffi. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum type_kind { KIND_VOID, KIND_INTEGER, KIND_FLOAT, KIND_BITS, KIND_POINTER, KIND_STRUCT };

/*
 * X(constant, name, kind, C type, is it signed, number format of gb_fill and gb_check or 0).
 * KIND_BITS: a number format without a C type, passed as an unsigned integer of its bits, as the
 * structs __half and __nv_bfloat16 are. Formats of integers of 16 bits do not exist there.
 */
#define TYPE_MAP(X)                                                                                \
    X(VOID, "void", KIND_VOID, char, false, 0)                                                     \
    X(BOOL, "bool", KIND_INTEGER, uint8_t, false, GB_U8)                                           \
    X(INT8, "int8", KIND_INTEGER, int8_t, true, GB_I8)                                             \
    X(UINT8, "uint8", KIND_INTEGER, uint8_t, false, GB_U8)                                         \
    X(INT16, "int16", KIND_INTEGER, int16_t, true, 0)                                              \
    X(UINT16, "uint16", KIND_INTEGER, uint16_t, false, 0)                                          \
    X(INT32, "int32", KIND_INTEGER, int32_t, true, GB_I32)                                         \
    X(UINT32, "uint32", KIND_INTEGER, uint32_t, false, GB_U32)                                     \
    X(INT64, "int64", KIND_INTEGER, int64_t, true, GB_I64)                                         \
    X(UINT64, "uint64", KIND_INTEGER, uint64_t, false, GB_U64)                                     \
    X(FLOAT, "float", KIND_FLOAT, float, false, GB_F32)                                            \
    X(DOUBLE, "double", KIND_FLOAT, double, false, GB_F64)                                         \
    X(F16, "fp16", KIND_BITS, uint16_t, false, GB_F16)                                             \
    X(BF16, "bf16", KIND_BITS, uint16_t, false, GB_BF16)                                           \
    X(TF32, "tf32", KIND_BITS, uint32_t, false, GB_TF32)                                           \
    X(E4M3, "e4m3", KIND_BITS, uint8_t, false, GB_F8_E4M3)                                         \
    X(E5M2, "e5m2", KIND_BITS, uint8_t, false, GB_F8_E5M2)                                         \
    X(POINTER, "pointer", KIND_POINTER, void *, false, 0)                                          \
    X(STRING, "string", KIND_POINTER, const char *, false, 0)

enum type_id {
#define TYPE_CONSTANT(constant, name, kind, type, is_signed, format) TYPE_##constant,
    TYPE_MAP(TYPE_CONSTANT)
#undef TYPE_CONSTANT
        TYPES,
    TYPE_STRUCT = TYPES
};

struct type_info {
    const char *name;
    enum type_kind kind;
    uint32_t bytes;
    uint32_t format;
    bool is_signed; /* of integers */
};

/* Of any type_id but TYPE_STRUCT. */
const struct type_info *type_info(enum type_id id);

/* "int", "size_t", "uint32_t", "f32", ...: the type of a name of n bytes; false: there is none. */
bool type_named(const char *name, size_t n, enum type_id *ret);

/* A written number: an integer with sign and magnitude, or a float. */
struct number {
    bool is_integer;
    bool is_negative;   /* of an integer */
    uint64_t magnitude; /* of an integer */
    double value;       /* of both */
};

/* Does it fit? Integers into integers of enough bits, numbers into floats up to their largest; inf
 * and nan where there are such. */
bool number_fits(const struct number *number, enum type_id type);
/* As C takes an integer without a suffix, and a double. */
enum type_id number_type(const struct number *number);
/* Stores it; false for finite numbers of KIND_BITS, which gb_host.fill rounds. */
bool number_store(const struct number *number, enum type_id type, void *to);

/* The bits of an element; those of shorter integers widened with their sign. */
uint64_t element_bits(enum type_id type, const void *element);
/* An integer as a double; NaN of another type: GB_FORMATS has those with a fraction. */
double element_value(enum type_id type, const void *element);

/* Significant bits of a floating type, 0 of others. */
int type_digits(enum type_id type);
