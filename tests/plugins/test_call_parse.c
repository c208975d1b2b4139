/* test_call_parse.c - the language of signatures, arguments and calls of the benchmark `call`: what
 * is read, and what is said, at which byte, of what is not. */
#include "tests/check_main.h"

#include "plugins/common/call/call_parse.h"

#include <gbrun/bench.h>

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- signatures, written out again: "f64(i32,ptr,...,i64)" ---- */

static void add_type(char *out, size_t bytes, const struct type *type)
{
    const size_t n = strlen(out);
    if (type->id != TYPE_STRUCT) {
        snprintf(out + n, bytes - n, "%s", type_info(type->id)->name);
        return;
    }
    snprintf(out + n, bytes - n, "{");
    for (size_t i = 0; i < type->n_members; i++) {
        const struct type member = {.id = type->members[i]};
        add_type(out, bytes, &member);
        strncat(out, i + 1 < type->n_members ? "," : "}", bytes - strlen(out) - 1);
    }
}

static void add_text(char *out, size_t bytes, const char *text)
{
    strncat(out, text, bytes - strlen(out) - 1);
}

static const struct {
    const char *text, *read;
} signatures[] = {
    {"void()", "void()"},
    {"void(void)", "void()"},
    {" int ( int , int ) ", "int32(int32,int32)"},
    {"size_t(pointer)", "uint64(pointer)"},
    {"double(float, double, f32, fp64)", "double(float,double,float,double)"},
    {"u8(i8, uchar, bool, uint8_t)", "uint8(int8,uint8,bool,uint8)"},
    {"int(string, ..., int, double)", "int32(string,...,int32,double)"},
    {"int(string, ...)", "int32(string,...)"},
    {"struct(double, double)(struct(int, int8), int)", "{double,double}({int32,int8},int32)"},
    {"void(struct(short, struct(int8[2], float), pointer))",
     "void({int16,int8,int8,float,pointer})"},
    {"_Bool(intptr_t, uintptr_t)", "bool(int64,uint64)"},
    {"pointer(fp16, bf16, e4m3)", "pointer(fp16,bf16,e4m3)"},
    {"long(longlong, ssize_t)", "int64(int64,int64)"},
    {"char()", CHAR_MIN < 0 ? "int8()" : "uint8()"},
    /* What C has, as it is pasted. */
    {"size_t strlen(const char *s);", "uint64(string)"},
    {"extern size_t strlen (const char *__s)\n  __attribute__ ((__nothrow__ , __leaf__)) "
     "__attribute_pure__ __nonnull ((1));",
     "uint64(string)"},
    {"void *memcpy(void *restrict dest, const void *restrict src, size_t n)",
     "pointer(pointer,pointer,uint64)"},
    {"unsigned long f(unsigned, unsigned int u, unsigned short int, long unsigned int)",
     "uint64(uint32,uint32,uint16,uint64)"},
    {"long long int llabs(long long int)", "int64(int64)"},
    {"signed char f(signed, unsigned char c, short int)", "int8(int32,uint8,int16)"},
    {"void f(const float *restrict x, float const *y, uint32_t n)", "void(pointer,pointer,uint32)"},
    {"double dot(size_t n, const double x[], double y[static 4], int m[n][3])",
     "double(uint64,pointer,pointer,pointer)"},
    {"int main(int argc, char **argv, char *const envp[])", "int32(int32,pointer,pointer)"},
    {"void qsort(void *base, size_t n, size_t size, int (*compar)(const void *, const void *));",
     "void(pointer,uint64,uint64,pointer)"},
    {"int fputs(const char *restrict s, FILE *restrict stream)", "int32(string,pointer)"},
    {"void f(struct tm *tm, union u *, enum mode how, int (*rows)[3])",
     "void(pointer,pointer,int32,pointer)"},
    {"int snprintf(char *restrict, size_t, const char *restrict, ...)",
     "int32(string,uint64,string,...)"},
    {"int printf(const char *format, ..., unsigned long x, double)",
     "int32(string,...,uint64,double)"},
    {"struct(double x, double y) f(struct(float v[2]) by_value)", "{double,double}({float,float})"},
    {"unsigned(int)", "uint32(int32)"},
    {"int(const char)", CHAR_MIN < 0 ? "int32(int8)" : "int32(uint8)"},
};

TEST_EACH(test_signature, signatures)
{
    struct signature signature;
    struct problem problem = {0};
    char out[256] = "";
    ck_assert_msg(parse_signature(signatures[_i].text, &signature, &problem), "%s: %s",
                  signatures[_i].text, problem.text);
    add_type(out, sizeof out, &signature.result);
    add_text(out, sizeof out, "(");
    for (size_t i = 0; i <= signature.n; i++) {
        if (signature.is_variadic && i == signature.n_fixed)
            add_text(out, sizeof out, i < signature.n ? "...," : "...");
        if (i == signature.n)
            break;
        add_type(out, sizeof out, &signature.parameters[i]);
        if (i + 1 < signature.n || (signature.is_variadic && signature.n_fixed == signature.n))
            add_text(out, sizeof out, ",");
    }
    add_text(out, sizeof out, ")");
    ck_assert_str_eq(out, signatures[_i].read);
}

/* ---- numbers ---- */

static const struct {
    const char *text;
    int is_integer;
    double value;
} numbers[] = {
    {"0", 1, 0},
    {"32", 1, 32},
    {"-5", 1, -5},
    {"+5", 1, 5},
    {"0x20", 1, 32},
    {"2^20", 1, 1048576},
    {"1^0", 1, 1},
    {"0^0", 1, 1},
    {"3^0", 1, 1},
    {"64Ki", 1, 65536},
    {"1MiB", 1, 1048576},
    {"10k", 1, 10000},
    {"1e6", 1, 1000000},
    {"1.5k", 1, 1500},
    {"0.5", 0, 0.5},
    {".5", 0, 0.5},
    {"-1e-3", 0, -1e-3},
    {"2.", 1, 2},
    {"inf", 0, (double)INFINITY},
    {"-inf", 0, -(double)INFINITY},
    {"18446744073709551615", 1, 18446744073709551615.0},
};

TEST_EACH(test_number, numbers)
{
    struct number number;
    struct problem problem = {0};
    ck_assert_msg(parse_number(numbers[_i].text, &number, &problem), "%s: %s", numbers[_i].text,
                  problem.text);
    ck_assert_int_eq(number.is_integer, numbers[_i].is_integer);
    ck_assert(number.value == numbers[_i].value);
    if (number.is_integer)
        ck_assert((double)number.magnitude == fabs(numbers[_i].value));
}

static const struct {
    const char *number;
    enum type_id type;
    int fits;
} fits[] = {
    {"127", TYPE_INT8, 1},
    {"128", TYPE_INT8, 0},
    {"-128", TYPE_INT8, 1},
    {"-129", TYPE_INT8, 0},
    {"255", TYPE_UINT8, 1},
    {"-1", TYPE_UINT8, 0},
    {"-0", TYPE_UINT8, 1},
    {"256", TYPE_UINT8, 0},
    {"1", TYPE_BOOL, 1},
    {"2", TYPE_BOOL, 0},
    {"0.5", TYPE_INT32, 0},
    {"0.5", TYPE_FLOAT, 1},
    {"-2^63", TYPE_INT64, 1},
    {"2^63", TYPE_INT64, 0},
    {"2^63", TYPE_UINT64, 1},
    {"3", TYPE_DOUBLE, 1},
    {"1.5", TYPE_F16, 1},
    {"0", TYPE_POINTER, 0},
    {"2147483647", TYPE_INT32, 1},
    {"2147483648", TYPE_INT32, 0},
    {"-2147483648", TYPE_INT32, 1},
    {"-32769", TYPE_INT16, 0},
    {"3.4028235e38", TYPE_FLOAT, 1},
    {"-3.41e38", TYPE_FLOAT, 0},
    {"inf", TYPE_FLOAT, 1},
    {"nan", TYPE_DOUBLE, 1},
    {"nan", TYPE_INT64, 0},
    {"65519", TYPE_F16, 1},
    {"65520", TYPE_F16, 0},
    {"65520", TYPE_BF16, 1},
    {"1e39", TYPE_TF32, 0},
    {"448", TYPE_E4M3, 1},
    {"-480", TYPE_E4M3, 0},
    {"inf", TYPE_E4M3, 0},
    {"nan", TYPE_E4M3, 1},
    {"-inf", TYPE_E5M2, 1},
};

TEST_EACH(test_fits, fits)
{
    struct number number;
    struct problem problem;
    ck_assert(parse_number(fits[_i].number, &number, &problem));
    ck_assert_msg(number_fits(&number, fits[_i].type) == (fits[_i].fits != 0), "%s in %s",
                  fits[_i].number, type_info(fits[_i].type)->name);
}

/* What is stored is read as the same number again. */
TEST(test_store)
{
    static const char *const values[] = {"-100", "100", "0", "1"};
    for (size_t type = TYPE_BOOL; type <= TYPE_DOUBLE; type++)
        for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
            struct number number;
            struct problem problem;
            unsigned char bytes[16] = {0};
            ck_assert(parse_number(values[i], &number, &problem));
            if (!number_fits(&number, (enum type_id)type))
                continue;
            ck_assert(number_store(&number, (enum type_id)type, bytes));
            ck_assert(element_value((enum type_id)type, bytes) == number.value);
        }
}

/* Those of short formats, too, which gb_host.fill does not make. */
TEST(test_store_not_finite)
{
    for (size_t type = TYPE_FLOAT; type <= TYPE_E5M2; type++) {
        unsigned char bytes[8] = {0};
        const struct number nan = {.value = (double)NAN};
        const struct number low = {.value = -(double)INFINITY};
        ck_assert(number_store(&nan, (enum type_id)type, bytes));
        ck_assert(isnan(element_value((enum type_id)type, bytes)));
        if (!number_fits(&low, (enum type_id)type))
            continue;
        ck_assert(number_store(&low, (enum type_id)type, bytes));
        ck_assert_msg(element_value((enum type_id)type, bytes) == low.value, "%s",
                      type_info((enum type_id)type)->name);
    }
}

static const struct {
    enum type_id type;
    uint32_t bits;
    double value;
} elements[] = {
    {TYPE_F16, 0x3c00, 1},
    {TYPE_F16, 0xc000, -2},
    {TYPE_F16, 0x0001, 0x1p-24},
    {TYPE_F16, 0x7bff, 65504},
    {TYPE_F16, 0x7c00, (double)INFINITY},
    {TYPE_BF16, 0x3f80, 1},
    {TYPE_BF16, 0x0001, 0x1p-133},
    {TYPE_BF16, 0xff80, -(double)INFINITY},
    {TYPE_E4M3, 0x38, 1},
    {TYPE_E4M3, 0x7e, 448},
    {TYPE_E4M3, 0x01, 0x1p-9},
    {TYPE_E5M2, 0x3c, 1},
    {TYPE_E5M2, 0x7b, 57344},
    {TYPE_E5M2, 0x7c, (double)INFINITY},
    {TYPE_TF32, 0x3f800000, 1},
};

TEST_EACH(test_element, elements)
{
    unsigned char bytes[4];
    memcpy(bytes, &elements[_i].bits, sizeof bytes);
    ck_assert(element_value(elements[_i].type, bytes) == elements[_i].value);
    memset(bytes, 0x7f, sizeof bytes);
    ck_assert(isnan(element_value(TYPE_E4M3, bytes)));
}

/* ---- values ---- */

TEST(test_buffer)
{
    struct value value;
    struct problem problem = {0};
    ck_assert(parse_value("buffer(1Mi, fill=0x41, zero_end)", &value, &problem));
    ck_assert_int_eq(value.kind, VALUE_BUFFER);
    ck_assert_int_eq(value.buffer.element, TYPE_UINT8);
    ck_assert_uint_eq(value.buffer.n, 1048576);
    ck_assert_int_eq(value.buffer.fill, FILL_NUMBER);
    ck_assert_uint_eq(value.buffer.low.magnitude, 0x41);
    ck_assert(value.buffer.has_zero_end && !value.buffer.is_out && !value.buffer.is_restored);
    ck_assert_int_eq(value.buffer.memory, MEMORY_DEVICE);

    ck_assert(parse_value(" buffer( f16[ 10 ] , uniform = -1:0.5,integral, pinned, out, restore,"
                          "expect=arg.3)",
                          &value, &problem));
    ck_assert_int_eq(value.buffer.element, TYPE_F16);
    ck_assert_uint_eq(value.buffer.n, 10);
    ck_assert_int_eq(value.buffer.fill, FILL_UNIFORM);
    ck_assert(value.buffer.low.value == -1 && value.buffer.high.value == 0.5);
    ck_assert(value.buffer.is_integral && value.buffer.is_out && value.buffer.is_restored);
    ck_assert_int_eq(value.buffer.memory, MEMORY_PINNED);
    ck_assert_int_eq(value.buffer.expect.kind, EXPECT_NAME);
    ck_assert(span_is(value.buffer.expect.text, "arg.3"));

    ck_assert(
        parse_value("buffer(6, fill=\"a\\\"b\\n\\x41\", host, expect=\"x\")", &value, &problem));
    char text[16] = "";
    ck_assert_uint_eq(unquote(value.buffer.text, text), 5);
    ck_assert_str_eq(text, "a\"b\nA");
    ck_assert_int_eq(value.buffer.memory, MEMORY_HOST);
    ck_assert_int_eq(value.buffer.expect.kind, EXPECT_TEXT);
}

static const struct {
    const char *text;
    enum value_kind kind;
    const char *word; /* value.text */
    int64_t offset;
    size_t n;
} values[] = {
    {"42", VALUE_NUMBER, NULL, 0, 1},
    {"-1.5", VALUE_NUMBER, NULL, 0, 1},
    {"\"a, b)\"", VALUE_TEXT, "a, b)", 0, 0},
    {"null", VALUE_NULL, "null", 0, 0},
    {"stream", VALUE_STREAM, "stream", 0, 0},
    {"streams", VALUE_NAME, "streams", 0, 0},
    {"arg.12", VALUE_NAME, "arg.12", 0, 0},
    {"arg.pool + 64", VALUE_NAME, "arg.pool", 64, 0},
    {"handle-8", VALUE_NAME, "handle", -8, 0},
    {"out handle", VALUE_OUT, "handle", 0, 0},
    {"outer", VALUE_NAME, "outer", 0, 0},
    {"buffer", VALUE_NAME, "buffer", 0, 0},
    {"struct(1, 2.5, -3)", VALUE_STRUCT, NULL, 0, 3},
    {"constant(f32, 1)", VALUE_CONSTANT, NULL, 0, 1},
    {"compare(double)", VALUE_COMPARE, NULL, 0, 0},
    {"symbol(strcmp)", VALUE_SYMBOL, "strcmp", 0, 0},
    {"callback(void(int))", VALUE_CALLBACK, NULL, 0, 0},
    {"callback(int(pointer, pointer), -1)", VALUE_CALLBACK, NULL, 0, 1},
};

TEST_EACH(test_value, values)
{
    struct value value;
    struct problem problem = {0};
    ck_assert_msg(parse_value(values[_i].text, &value, &problem), "%s: %s", values[_i].text,
                  problem.text);
    ck_assert_int_eq(value.kind, values[_i].kind);
    if (values[_i].word)
        ck_assert_msg(span_is(value.text, values[_i].word), "%.*s", (int)value.text.n,
                      value.text.text);
    ck_assert_int_eq(value.offset, values[_i].offset);
    ck_assert_uint_eq(value.n, values[_i].n);
}

/* ---- calls ---- */

TEST(test_calls)
{
    static struct call calls[CALLS_MAX];
    struct problem problem = {0};
    size_t n;
    ck_assert(parse_calls("", calls, &n, &problem));
    ck_assert_uint_eq(n, 0);
    ck_assert_msg(parse_calls("create(out handle), void set(handle, size_t 3, \"x\"),"
                              " pointer p = make(), double f(), int=g()",
                              calls, &n, &problem),
                  "%s", problem.text);
    ck_assert_uint_eq(n, 5);
    ck_assert(span_is(calls[0].function, "create"));
    ck_assert_int_eq(calls[0].type, TYPE_INT32);
    ck_assert_int_eq(calls[0].arguments[0].value.kind, VALUE_OUT);
    ck_assert_int_eq(calls[1].type, TYPE_VOID);
    ck_assert_uint_eq(calls[1].n, 3);
    ck_assert(calls[1].arguments[1].has_type && !calls[1].arguments[0].has_type);
    ck_assert_int_eq(calls[1].arguments[1].type, TYPE_UINT64);
    ck_assert(span_is(calls[2].result, "p") && span_is(calls[2].function, "make"));
    ck_assert_int_eq(calls[2].type, TYPE_POINTER);
    ck_assert_uint_eq(calls[2].at, 53);
    ck_assert_int_eq(calls[3].type, TYPE_DOUBLE);
    ck_assert(span_is(calls[4].result, "int"));
}

/* ---- arithmetic ---- */

static const struct {
    const char *text;
    uint32_t format, unit;
} arithmetics[] = {
    {"fp32 vector", GB_F32, GB_MATH_VECTOR},
    {" bf16  tensor ", GB_BF16, GB_MATH_TENSOR},
    {"int8 tensor", GB_I8, GB_MATH_TENSOR},
    {"fp64 scalar", GB_F64, GB_MATH_SCALAR},
};

TEST_EACH(test_math, arithmetics)
{
    uint32_t format = 0, unit = 0;
    struct problem problem = {0};
    ck_assert_msg(parse_math(arithmetics[_i].text, &format, &unit, &problem), "%s: %s",
                  arithmetics[_i].text, problem.text);
    ck_assert_uint_eq(format, arithmetics[_i].format);
    ck_assert_uint_eq(unit, arithmetics[_i].unit);
}

/* ---- mistakes ---- */

static bool read_signature(const char *text, struct problem *problem)
{
    struct signature signature;
    return parse_signature(text, &signature, problem);
}
static bool read_value(const char *text, struct problem *problem)
{
    struct value value;
    return parse_value(text, &value, problem);
}
static bool read_calls(const char *text, struct problem *problem)
{
    static struct call calls[CALLS_MAX];
    size_t n;
    return parse_calls(text, calls, &n, problem);
}
static bool read_number(const char *text, struct problem *problem)
{
    struct number number;
    return parse_number(text, &number, problem);
}
static bool read_expectation(const char *text, struct problem *problem)
{
    struct expectation expectation;
    return parse_expectation(text, &expectation, problem);
}
static bool read_math(const char *text, struct problem *problem)
{
    uint32_t format, unit;
    return parse_math(text, &format, &unit, problem);
}

static const struct {
    bool (*read)(const char *text, struct problem *problem);
    const char *text;
    size_t at;
    const char *words; /* how they begin */
} mistakes[] = {
    {read_signature, "", 0, "it ends too early: expected a type such as"},
    {read_signature, "int", 3, "it ends too early: expected '('"},
    {read_signature, "int(", 4, "it ends too early: expected a type such as"},
    {read_signature, "int(int", 7, "it ends too early: expected ')'"},
    {read_signature, "int(int,)", 8, "')': expected a type such as"},
    {read_signature, "int(imt)", 4, "unknown type 'imt': expected a type such as"},
    {read_signature, "int(int) x", 9, "'x': expected nothing more"},
    {read_signature, "int(int, void)", 9, "no parameter has the type void"},
    {read_signature, "int(...)", 4, "'...' needs a parameter before it"},
    {read_signature, "int(int, ..., int, ...)", 19, "'...' is there twice"},
    {read_signature, "int(int, ..., float)", 14, "after '...' a float is passed as a double"},
    {read_signature, "int(int, ..., schar)", 14, "after '...' 'int8' is passed as an int"},
    {read_signature, "struct(void)()", 7, "nothing has the type void here"},
    {read_signature, "struct(int, double[16])()", 12, "a struct has up to 16 numbers"},
    {read_signature, "struct(int[2^63])()", 7, "a struct has up to 16 numbers"},
    {read_signature, "struct(int[0])()", 11, "an array has 1 element or more"},
    {read_signature, "struct(int[0.5])()", 11, "an array has 1 element or more"},
    {read_signature, "struct(int[2)()", 12, "')()': expected ']'"},
    {read_signature,
     "struct(struct(struct(struct(struct(struct(struct(struct(struct(int)))))))))()", 56,
     "structs stand in each other up to 8 deep"},
    {read_signature, "double (*f)(double)", 7, "this declares or returns a pointer to a function"},
    {read_signature, "void (*signal(int, void (*)(int)))(int)", 5, "this declares or returns"},
    {read_signature, "int f(int) const", 11, "'const': expected nothing more"},
    {read_signature, "int f(int);;", 11, "';': expected nothing more"},
    {read_signature, "int f(int a b)", 12, "'b)': expected ')'"},
    {read_signature, "int f(int x[3)", 11, "a '[' without its ']'"},
    {read_signature, "int f(int (*g)(int)", 19, "it ends too early: expected ')'"},
    {read_signature, "int f(int (g)(int))", 10, "expected ',' or ')', or (*NAME)(...)"},
    {read_signature, "long double f(int)", 0, "'long double' is no type here: there is no long"},
    {read_signature, "int f(unsigned float x)", 15, "'float' behind another type"},
    {read_signature, "int f(size_t int x)", 6, "'size_t int' is no type here"},
    {read_signature, "int f(long long long)", 6, "'long long long' is no type here"},
    {read_signature, "int f(short long)", 6, "'short long' is no type here"},
    {read_signature, "int f(signed unsigned)", 6, "'signed unsigned' is no type here"},
    {read_signature, "int f(unsigned double)", 6, "'unsigned double' is no type here"},
    {read_signature, "double _Complex cexp(double _Complex)", 7,
     "unknown type '_Complex': expected"},
    {read_signature, "int f(struct tm t)", 6, "'struct tm' by value: expected struct(TYPE, ...)"},
    {read_signature, "int f(FILE file)", 6, "unknown type 'FILE': expected a type such as"},
    {read_signature, "strlen(const char *)", 0, "unknown type 'strlen': expected a type such as"},
    {read_signature, "int f(const)", 11, "')': expected a type such as"},
    {read_signature, "double f(float float)", 15, "'float' behind another type"},
    {read_signature, "int f(int) __attribute__((x)", 24, "a '(' without its ')'"},
    {read_number, "", 0, "it ends too early: expected a number"},
    {read_number, "x", 0, "'x': expected a number"},
    {read_number, "12q", 0, "'12q' is no number"},
    {read_number, "0x", 2, "it ends too early: expected hexadecimal digits"},
    {read_number, "2^", 2, "it ends too early: expected an exponent"},
    {read_number, "2^64", 0, "'2^64' is too large"},
    {read_number, "18446744073709551616", 0, "'18446744073709551616' is too large"},
    {read_number, "9999999T", 0, NULL},
    {read_number, "99999999T", 0, "'99999999T' is too large"},
    {read_number, "nan", 0, NULL},
    {read_number, "nano", 0, "'nano': expected a number"},
    {read_number, "1e309", 0, "'1e309' is too large: expected at most what a double holds"},
    {read_number, "9e307k", 0, "'9e307k' is too large: expected at most what a double holds"},
    {read_number, "1 2", 2, "'2': expected nothing more"},
    {read_expectation, "", 0, "it ends too early: expected a number, a text or a name"},
    {read_expectation, "\"a", 0, "a text without its end"},
    {read_value, "", 0, "it ends too early: expected a value"},
    {read_value, "\"abc", 0, "a text without its end"},
    {read_value, "\"abc\\\"", 0, "a text without its end"},
    {read_value, "bufer(3)", 0, "unknown value 'bufer(...)'"},
    {read_value, "buffer(0)", 7, "a buffer of no bytes"},
    {read_value, "buffer(-1)", 7, "a buffer of -1 bytes: expected a whole number"},
    {read_value, "buffer(0.5)", 7, "a buffer of 0.5 bytes: expected a whole number"},
    {read_value, "buffer(int[1e30])", 11, "a buffer of 1e+30 elements: expected a whole number"},
    {read_value, "buffer(3, fill=1, count)", 18, "'fill' and 'count' exclude each other"},
    {read_value, "buffer(3, uniform=0:1, shuffle)", 23, "'uniform' and 'shuffle' exclude"},
    {read_value, "buffer(3, host, out, pinned)", 21, "'host' and 'pinned' exclude each other"},
    {read_value, "buffer(f16[3], fill=65520)", 20, "65520 does not fit the elements"},
    {read_value, "buffer(2^50)", 7, "a buffer larger than any memory"},
    {read_value, "buffer(f64[2^45])", 11, "a buffer larger than any memory"},
    {read_value, "buffer(f64)", 10, "')': expected '['"},
    {read_value, "buffer(f64[3)", 12, "')': expected ']'"},
    {read_value, "buffer(pointer[3])", 7, "'pointer' is no type of numbers"},
    {read_value, "buffer(3, fil=3)", 10, "'fil' is no key of a buffer"},
    {read_value, "buffer(3, fill)", 14, "')': expected '='"},
    {read_value, "buffer(3, fill=256)", 15, "256 does not fit the elements, which are uint8"},
    {read_value, "buffer(3, fill=1, fill=2)", 18, "'fill' is given twice"},
    {read_value, "buffer(3, fill=\"abc\")", 0, "the text of 'fill' and its end do not fit"},
    {read_value, "buffer(i16[30], fill=\"abc\")", 0, "a text fills a buffer of bytes only"},
    {read_value, "buffer(3, uniform=1)", 19, "')': expected ':'"},
    {read_value, "buffer(3, uniform=2:1)", 18, "the range 2:1 is empty"},
    {read_value, "buffer(3, uniform=0:300)", 20, "300 does not fit"},
    {read_value, "buffer(f32[3], uniform=0:inf)", 23, "the range is not finite"},
    {read_value, "buffer(3, integral)", 0, "'integral' needs uniform"},
    {read_value, "buffer(f16[3], count)", 0, "'count' and 'shuffle' fill integers"},
    {read_value, "buffer(3, expect=0.5)", 17, "0.5 does not fit"},
    {read_value, "buffer(3", 8, "it ends too early: expected ')'"},
    {read_value, "constant(i8, 1, 300)", 9, "300 does not fit int8"},
    {read_value, "constant(i8)", 11, "')': expected ','"},
    {read_value, "struct()", 7, "')': expected a number, null or a name"},
    {read_value, "struct(1, \"a\")", 10, "'\"a\")': expected a number, null or a name"},
    {read_value, "compare(fp16)", 8, "there is no comparison of fp16"},
    {read_value, "callback(int(int, ...), 1)", 9, "a callback is neither variadic"},
    {read_value, "callback(fp16(int), 1)", 9, "a callback returns no fp16 here"},
    {read_value, "callback(void(int), 1)", 18, "', 1)': expected ')'"},
    {read_value, "callback(schar(), 300)", 18, "300 does not fit int8"},
    {read_value, "symbol()", 7, "')': expected the name of a function"},
    {read_value, "arg.1 + 0.5", 6, "what is added to a pointer is a whole number of bytes"},
    {read_value, "arg.1 + -4", 6, "what is added to a pointer is a whole number of bytes"},
    {read_value, "arg.", 3, "'.': expected nothing more"},
    {read_calls, "f", 1, "it ends too early: expected '('"},
    {read_calls, "f(", 2, "it ends too early: expected a value"},
    {read_calls, "f(1", 3, "it ends too early: expected ')'"},
    {read_calls, "f(), ", 5, "it ends too early: expected a call"},
    {read_calls, "void x = f()", 0, "a function of type void has no result to keep"},
    {read_calls, "f(void 3)", 2, "no argument has the type void"},
    {read_calls, "f(1,2,3,4,5,6,7,8,9,10,11,12,13)", 29, "a call has up to 12 arguments here"},
    {read_math, "", 0,
     "it ends too early: expected a format and a unit, such as fp32 vector: fp64"},
    {read_math, "float vector", 0, "unknown word 'float': expected a format and a unit, such as"},
    {read_math, "fp32", 4, "it ends too early: expected scalar, vector or tensor"},
    {read_math, "fp32 fma", 5, "unknown word 'fma': expected scalar, vector or tensor"},
    {read_math, "fp32, vector", 4, "', vector': expected scalar, vector or tensor"},
    {read_math, "vector fp32", 0, "unknown word 'vector': expected a format and a unit, such as"},
    {read_math, "fp32 vector fma", 12, "'fma': expected nothing more"},
};

TEST_EACH(test_mistakes, mistakes)
{
    struct problem problem = {.text = ""};
    const char *words = mistakes[_i].words;
    const bool is_read = mistakes[_i].read(mistakes[_i].text, &problem);
    ck_assert_msg(is_read == (words == NULL), "%s: %s", mistakes[_i].text, problem.text);
    if (words == NULL)
        return;
    ck_assert_msg(strncmp(problem.text, words, strlen(words)) == 0, "%s: %s", mistakes[_i].text,
                  problem.text);
    ck_assert_msg(problem.at == mistakes[_i].at, "%s: byte %zu: %s", mistakes[_i].text, problem.at,
                  problem.text);
}

struct plain {
    int8_t a;
    int64_t b;
    int16_t c;
    float d;
    bool e;
};
struct outer {
    struct {
        int32_t a;
        int8_t b;
    } in;
    int8_t c;
};
struct rows {
    int8_t a;
    struct {
        int8_t a;
        double b;
    } b[2];
    int8_t c;
};
struct array {
    float a[3];
    void *b;
};

/* Where C puts what stands in a struct, and how large that is. */
static const struct {
    const char *text;
    size_t bytes, n, offsets[6];
} layouts[] = {
#define AT(type, member) offsetof(type, member)
    {"struct(int8, int64, int16, float, bool)()",
     sizeof(struct plain),
     5,
     {AT(struct plain, a), AT(struct plain, b), AT(struct plain, c), AT(struct plain, d),
      AT(struct plain, e)}},
    {"struct(struct(int, int8), int8)()",
     sizeof(struct outer),
     3,
     {AT(struct outer, in.a), AT(struct outer, in.b), AT(struct outer, c)}},
    {"struct(int8, struct(int8, double)[2], int8)()",
     sizeof(struct rows),
     6,
     {AT(struct rows, a), AT(struct rows, b[0].a), AT(struct rows, b[0].b), AT(struct rows, b[1].a),
      AT(struct rows, b[1].b), AT(struct rows, c)}},
    {"struct(float[3], pointer)()", sizeof(struct array), 4, {0, 4, 8, AT(struct array, b)}},
    {"struct(struct(struct(short)), char)()", 4, 2, {0, 2}},
#undef AT
};

TEST_EACH(test_layout, layouts)
{
    struct signature signature;
    struct problem problem = {.text = ""};
    const char *text = layouts[_i].text;
    ck_assert_msg(parse_signature(text, &signature, &problem), "%s: %s", text, problem.text);
    ck_assert_uint_eq(type_bytes(&signature.result), layouts[_i].bytes);
    ck_assert_uint_eq(signature.result.n_members, layouts[_i].n);
    for (size_t i = 0; i < layouts[_i].n; i++)
        ck_assert_msg(signature.result.offsets[i] == layouts[_i].offsets[i], "%s: %zu: %zu", text,
                      i, signature.result.offsets[i]);
}
