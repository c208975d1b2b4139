/*
 * call_parse.h - the small language of signatures, arguments and calls. Plugin side; needs no
 * libffi.
 *
 *   signature = TYPE [WORD] "(" [parameter {"," parameter}] ["," "..." {"," parameter}] ")"
 *               [attributes] [";"]                       a prototype of C, or its types alone
 *   parameter = TYPE [WORD] {"[" ... "]"} | TYPE "(" "*" ... ")" ["(" ... ")"]
 *   TYPE      = words {"*"} | "struct" "(" member {"," member} ")"
 *   words     = a name of types.h, or keywords of C, any of const restrict ... between them; before
 *               a "*" any name, also "struct" WORD
 *   member    = TYPE [WORD] ["[" NUMBER "]"]
 *   value     = NUMBER | TEXT | "null" | "stream"
 *             | "buffer" "(" size {"," key} ")"            memory
 *             | "constant" "(" TYPE {"," NUMBER} ")"       address of numbers in host memory
 *             | "struct" "(" part {"," part} ")"           a struct by value
 *             | "compare" "(" TYPE ")"                     compares two elements, for qsort
 *             | "callback" "(" signature ["," NUMBER] ")"  returns the number and does nothing else
 *             | "symbol" "(" WORD ")"                      address of something in the library
 *             | "out" WORD                                 address of a variable of this name
 *             | name [("+" | "-") NUMBER]                  that value; bytes behind an address
 *   part      = NUMBER | "null" | name                     of arrays and structs within, too
 *   name      = "arg." KEY | WORD                          WORD: a variable, or the KEY of arg.KEY
 *   size      = NUMBER | TYPE "[" NUMBER "]"               bytes, or elements
 *   key       = "fill" "=" (NUMBER | TEXT) | "uniform" "=" NUMBER ":" NUMBER | "integral"
 *             | "count" | "shuffle" | "zero_end" | "device" | "host" | "pinned" | "out"
 *             | "restore" | "expect" "=" (NUMBER | TEXT | name)
 *   calls     = call {"," call}
 *   call      = [TYPE] [WORD "="] WORD "(" [argument {"," argument}] ")"    no TYPE: int
 *   argument  = [TYPE] value
 *   math      = FORMAT UNIT                              of work.math; as results name them
 *   FORMAT    = fp64 fp32 fp16 bf16 tf32 e4m3 e5m2 int8 int32 int64 uint8 uint32 uint64
 *   UNIT      = scalar vector tensor
 *   NUMBER    = 32 -5 0x20 2^20 64Ki 1MiB 10k 1e6 0.5 1e-3 inf
 *   TEXT      = in double quotes; \" \\ \n \t \xHH stand for what they do in C
 * Blanks may stand between all of these.
 */
#pragma once

#include "call_types.h"

enum {
    PARAMETERS_MAX = 32,
    MEMBERS_MAX = 16,
    NESTED_MAX = 8,
    NUMBERS_MAX = 16,
    CALLS_MAX = 16,
    CALL_ARGUMENTS_MAX = 12,
    PROBLEM_BYTES = 256
};

/* A part of the text that was parsed, which must outlive it. */
struct span {
    const char *text;
    size_t n;
};

/* Of a struct all numbers and addresses in it, also those in structs and arrays within, in order.
 */
struct type {
    enum type_id id;
    size_t n_members;
    enum type_id members[MEMBERS_MAX];
    size_t offsets[MEMBERS_MAX]; /* bytes before each, as C lays it out */
    size_t struct_bytes;
};

struct signature {
    struct span name; /* of the function, if it is there */
    struct type result;
    struct type parameters[PARAMETERS_MAX];
    size_t n;
    bool is_variadic;
    size_t n_fixed; /* of a variadic function: parameters before the "..." */
};

enum value_kind {
    VALUE_NUMBER,
    VALUE_TEXT,
    VALUE_NULL,
    VALUE_STREAM,
    VALUE_BUFFER,
    VALUE_CONSTANT,
    VALUE_STRUCT,
    VALUE_COMPARE,
    VALUE_CALLBACK,
    VALUE_SYMBOL,
    VALUE_OUT,
    VALUE_NAME
};

enum memory_kind { MEMORY_DEVICE, MEMORY_HOST, MEMORY_PINNED };
enum fill_kind { FILL_NONE, FILL_NUMBER, FILL_TEXT, FILL_UNIFORM, FILL_COUNT, FILL_SHUFFLE };
enum expect_kind { EXPECT_NONE, EXPECT_NUMBER, EXPECT_TEXT, EXPECT_NAME };

struct expectation {
    enum expect_kind kind;
    struct number number;
    struct span text; /* between the quotes, or the name */
    size_t at;        /* in the text that was parsed */
};

struct buffer {
    enum type_id element;
    uint64_t n;
    enum memory_kind memory;
    enum fill_kind fill;
    struct number low, high; /* FILL_NUMBER: low */
    struct span text;
    bool is_integral, has_zero_end, is_out, is_restored;
    struct expectation expect;
};

struct value {
    enum value_kind kind;
    size_t at;         /* where it begins in the text that was parsed */
    struct span text;  /* between the quotes, or the name */
    int64_t offset;    /* VALUE_NAME: bytes behind it */
    enum type_id type; /* VALUE_CONSTANT, VALUE_COMPARE */
    size_t n;          /* of the numbers */
    struct number numbers[NUMBERS_MAX];
    struct span
        names[NUMBERS_MAX]; /* VALUE_STRUCT: "null" or a name in place of a number, or empty */
    struct buffer buffer;
    struct span signature; /* VALUE_CALLBACK, parsed without an error */
};

struct call_argument {
    bool has_type;
    enum type_id type;
    struct value value;
};

struct call {
    struct span function;
    struct span result; /* NAME that gets the result; n is 0: none */
    enum type_id type;  /* of the result */
    size_t at;
    size_t n;
    struct call_argument arguments[CALL_ARGUMENTS_MAX];
};

/* What is wrong, and at which byte. */
struct problem {
    size_t at;
    char text[PROBLEM_BYTES];
};

enum type_kind type_kind(const struct type *type);
size_t type_bytes(const struct type *type); /* of any but void */

/* Each reads a whole text; false: *problem says why not. */
bool parse_signature(const char *text, struct signature *ret, struct problem *problem);
bool parse_value(const char *text, struct value *ret, struct problem *problem);
bool parse_expectation(const char *text, struct expectation *ret, struct problem *problem);
bool parse_number(const char *text, struct number *ret, struct problem *problem);
/* Into GB_F32 ... and GB_MATH_... */
bool parse_math(const char *text, uint32_t *ret_format, uint32_t *ret_unit,
                struct problem *problem);
/* At most CALLS_MAX; none in an empty text. */
bool parse_calls(const char *text, struct call *ret, size_t *ret_n, struct problem *problem);

/* The bytes that a quoted text stands for, without a NUL; returns how many there are, at most
 * text.n. to NULL: they are only counted. */
size_t unquote(struct span text, char *to);

/* Letters, digits and _, of which the first is no digit? */
bool text_is_word(const char *text);
bool span_is(struct span span, const char *word);
bool span_equal(struct span a, struct span b);
