/* test_call_parse.c - the language of signatures, arguments and calls of the benchmark `call`: what
 * is read, and what is said, at which byte, of what is not. */
#include "plugins/common/call/call_parse.h"
#include "tests/check_main.h"

#include <gbrun/bench.h>

#include <limits.h>
#include <stdarg.h>

/* ---- what was read, written out again ---- */

static char out[512];

__attribute__((format(printf, 1, 2))) static void add(const char *format, ...)
{
    const size_t n = strlen(out);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(out + n, sizeof out - n, format, arguments);
    va_end(arguments);
}

/* "{int32,int8}" */
static void add_type(const struct type *type)
{
    if (type->id != TYPE_STRUCT) {
        add("%s", type_info(type->id)->name);
        return;
    }
    for (size_t i = 0; i < type->n_members; i++)
        add("%c%s", i == 0 ? '{' : ',', type_info(type->members[i])->name);
    add("}");
}

/* "f64(i32,ptr,...,i64)" */
static bool read_signature(const char *text, struct problem *problem)
{
    struct signature signature;
    if (!parse_signature(text, &signature, problem))
        return false;
    add_type(&signature.result);
    add("(");
    for (size_t i = 0; i <= signature.n; i++) {
        if (signature.is_variadic && i == signature.n_fixed)
            add(i < signature.n ? "...," : "...");
        if (i == signature.n)
            break;
        add_type(&signature.parameters[i]);
        if (i + 1 < signature.n || (signature.is_variadic && signature.n_fixed == signature.n))
            add(",");
    }
    add(")");
    return true;
}

#define READS(what)                                                                                \
    static bool read_##what(const char *text, struct problem *problem)                             \
    {                                                                                              \
        struct what read;                                                                          \
        return parse_##what(text, &read, problem) && add_##what(&read);                            \
    }

/* Those that are not whole begin with ~. */
static bool add_number(const struct number *number)
{
    if (number->is_integer)
        add("%s%llu", number->value < 0 ? "-" : "", (unsigned long long)number->magnitude);
    else
        add("~%g", number->value);
    ck_assert(!number->is_integer || (double)number->magnitude == fabs(number->value));
    return true;
}

READS(number)
static bool add_expectation(const struct expectation *expectation)
{
    static const char *const kinds[] = {"none", "number", "text", "name"};
    add("%s", kinds[expectation->kind]);
    if (expectation->kind == EXPECT_NUMBER)
        add_number(&expectation->number);
    else if (expectation->kind != EXPECT_NONE)
        add(" %.*s", (int)expectation->text.n, expectation->text.text);
    return true;
}

READS(expectation)
static bool add_buffer(const struct buffer *buffer)
{
    static const char *const memories[] = {"device", "host", "pinned"};
    static const char *const fills[] = {"none", "number", "text", "uniform", "count", "shuffle"};
    char text[64] = "";
    add(" %s[%llu] %s, %s", type_info(buffer->element)->name, (unsigned long long)buffer->n,
        memories[buffer->memory], fills[buffer->fill]);
    if (buffer->fill == FILL_TEXT)
        add(" %u:%s", (unsigned)unquote(buffer->text, text), text);
    if (buffer->fill == FILL_NUMBER || buffer->fill == FILL_UNIFORM) {
        add(" ");
        add_number(&buffer->low);
    }
    if (buffer->fill == FILL_UNIFORM) {
        add(":");
        add_number(&buffer->high);
    }
    add("%s%s%s%s expect ", buffer->is_integral ? " integral" : "",
        buffer->has_zero_end ? " zero_end" : "", buffer->is_out ? " out" : "",
        buffer->is_restored ? " restore" : "");
    return add_expectation(&buffer->expect);
}

static bool add_value(const struct value *value)
{
    static const char *const kinds[] = {"number",   "text",     "null",   "stream",
                                        "buffer",   "constant", "struct", "compare",
                                        "callback", "symbol",   "out",    "name"};
    add("%s", kinds[value->kind]);
    if (value->kind == VALUE_BUFFER)
        return add_buffer(&value->buffer);
    if (value->kind == VALUE_CONSTANT || value->kind == VALUE_COMPARE)
        add(" %s", type_info(value->type)->name);
    if (value->kind == VALUE_TEXT || value->kind >= VALUE_SYMBOL)
        add(" %.*s", (int)value->text.n, value->text.text);
    if (value->offset != 0)
        add("%+lld", (long long)value->offset);
    for (size_t i = 0; i < value->n; i++) {
        add(" ");
        add_number(&value->numbers[i]);
    }
    return true;
}

READS(value)
/* "53 pointer p=make(uint64 number 3);" */
static bool read_calls(const char *text, struct problem *problem)
{
    static struct call calls[CALLS_MAX];
    size_t n;
    if (!parse_calls(text, calls, &n, problem))
        return false;
    for (size_t i = 0; i < n; i++) {
        const struct call *call = &calls[i];
        add("%u %s %.*s=%.*s(", (unsigned)call->at, type_info(call->type)->name,
            (int)call->result.n, call->result.text, (int)call->function.n, call->function.text);
        for (size_t j = 0; j < call->n; j++) {
            const struct call_argument *argument = &call->arguments[j];
            add("%s%s ", j > 0 ? "," : "",
                argument->has_type ? type_info(argument->type)->name : "");
            add_value(&argument->value);
        }
        add(");");
    }
    return true;
}

static bool read_math(const char *text, struct problem *problem)
{
    static const char *const formats[] = {
        [GB_F32] = "fp32", [GB_BF16] = "bf16", [GB_I8] = "int8", [GB_F64] = "fp64"};
    static const char *const units[] = {
        [GB_MATH_SCALAR] = "scalar", [GB_MATH_VECTOR] = "vector", [GB_MATH_TENSOR] = "tensor"};
    uint32_t format, unit;
    if (!parse_math(text, &format, &unit, problem))
        return false;
    add("%s %s", formats[format], units[unit]);
    return true;
}

static const struct {
    bool (*read)(const char *text, struct problem *problem);
    const char *text, *read_as;
} texts[] = {
    {read_signature, "void()", "void()"},
    {read_signature, "void(void)", "void()"},
    {read_signature, " int ( int , int ) ", "int32(int32,int32)"},
    {read_signature, "size_t(pointer)", "uint64(pointer)"},
    {read_signature, "double(float, double, f32, fp64)", "double(float,double,float,double)"},
    {read_signature, "u8(i8, uchar, bool, uint8_t)", "uint8(int8,uint8,bool,uint8)"},
    {read_signature, "int(string, ..., int, double)", "int32(string,...,int32,double)"},
    {read_signature, "int(string, ...)", "int32(string,...)"},
    {read_signature, "struct(double, double)(struct(int, int8), int)",
     "{double,double}({int32,int8},int32)"},
    {read_signature, "void(struct(short, struct(int8[2], float), pointer))",
     "void({int16,int8,int8,float,pointer})"},
    {read_signature, "_Bool(intptr_t, uintptr_t)", "bool(int64,uint64)"},
    {read_signature, "pointer(fp16, bf16, e4m3)", "pointer(fp16,bf16,e4m3)"},
    {read_signature, "long(longlong, ssize_t)", "int64(int64,int64)"},
    {read_signature, "char()", CHAR_MIN < 0 ? "int8()" : "uint8()"},
    /* What C has, as it is pasted. */
    {read_signature, "size_t strlen(const char *s);", "uint64(string)"},
    {read_signature,
     "extern size_t strlen (const char *__s)\n  __attribute__ ((__nothrow__ , __leaf__)) "
     "__attribute_pure__ __nonnull ((1));",
     "uint64(string)"},
    {read_signature, "void *memcpy(void *restrict dest, const void *restrict src, size_t n)",
     "pointer(pointer,pointer,uint64)"},
    {read_signature,
     "unsigned long f(unsigned, unsigned int u, unsigned short int, long unsigned int)",
     "uint64(uint32,uint32,uint16,uint64)"},
    {read_signature, "long long int llabs(long long int)", "int64(int64)"},
    {read_signature, "signed char f(signed, unsigned char c, short int)",
     "int8(int32,uint8,int16)"},
    {read_signature, "void f(const float *restrict x, float const *y, uint32_t n)",
     "void(pointer,pointer,uint32)"},
    {read_signature, "double dot(size_t n, const double x[], double y[static 4], int m[n][3])",
     "double(uint64,pointer,pointer,pointer)"},
    {read_signature, "int main(int argc, char **argv, char *const envp[])",
     "int32(int32,pointer,pointer)"},
    {read_signature,
     "void qsort(void *base, size_t n, size_t size, int (*compar)(const void *, const void *));",
     "void(pointer,uint64,uint64,pointer)"},
    {read_signature, "int fputs(const char *restrict s, FILE *restrict stream)",
     "int32(string,pointer)"},
    {read_signature, "void f(struct tm *tm, union u *, enum mode how, int (*rows)[3])",
     "void(pointer,pointer,int32,pointer)"},
    {read_signature, "int snprintf(char *restrict, size_t, const char *restrict, ...)",
     "int32(string,uint64,string,...)"},
    {read_signature, "int printf(const char *format, ..., unsigned long x, double)",
     "int32(string,...,uint64,double)"},
    {read_signature, "struct(double x, double y) f(struct(float v[2]) by_value)",
     "{double,double}({float,float})"},
    {read_signature, "unsigned(int)", "uint32(int32)"},
    {read_signature, "int(const char)", CHAR_MIN < 0 ? "int32(int8)" : "int32(uint8)"},
    {read_value, "42", "number 42"},
    {read_value, "-1.5", "number ~-1.5"},
    {read_value, "\"a, b)\"", "text a, b)"},
    {read_value, "null", "null"},
    {read_value, "stream", "stream"},
    {read_value, "streams", "name streams"},
    {read_value, "arg.12", "name arg.12"},
    {read_value, "arg.pool + 64", "name arg.pool+64"},
    {read_value, "handle-8", "name handle-8"},
    {read_value, "out handle", "out handle"},
    {read_value, "outer", "name outer"},
    {read_value, "buffer", "name buffer"},
    {read_value, "struct(1, 2.5, -3)", "struct 1 ~2.5 -3"},
    {read_value, "constant(f32, 1)", "constant float 1"},
    {read_value, "compare(double)", "compare double"},
    {read_value, "symbol(strcmp)", "symbol strcmp"},
    {read_value, "callback(void(int))", "callback"},
    {read_value, "callback(int(pointer, pointer), -1)", "callback -1"},
    {read_value, "buffer(1Mi, fill=0x41, zero_end)",
     "buffer uint8[1048576] device, number 65 zero_end expect none"},
    {read_value,
     " buffer( f16[ 10 ] , uniform = -1:0.5,integral, pinned, out, restore,"
     "expect=arg.3)",
     "buffer fp16[10] pinned, uniform -1:~0.5 integral out restore expect name arg.3"},
    {read_value, "buffer(6, fill=\"a\\\"b\\n\\x41\", host, expect=\"x\")",
     "buffer uint8[6] host, text 5:a\"b\nA expect text x"},
    {read_math, "fp32 vector", "fp32 vector"},
    {read_math, " bf16  tensor ", "bf16 tensor"},
    {read_math, "int8 tensor", "int8 tensor"},
    {read_math, "fp64 scalar", "fp64 scalar"},
    {read_calls, "", ""},
    {read_calls,
     "create(out handle), void set(handle, size_t 3, \"x\"), pointer p = make(), "
     "double f(), int=g()",
     "0 int32 =create( out handle);20 void =set( name handle,uint64 number 3, text x);"
     "53 pointer p=make();73 double =f();85 int32 int=g();"},
};

TEST_EACH(what_is_read, texts)
{
    struct problem problem = {0};
    out[0] = '\0';
    ck_assert_msg(texts[_i].read(texts[_i].text, &problem), "%s: %s", texts[_i].text, problem.text);
    ck_assert_str_eq(out, texts[_i].read_as);
}

/* ---- numbers ---- */

static const char *const numbers[][2] = {
    {"0", "0"},         {"32", "32"},         {"-5", "-5"},
    {"+5", "5"},        {"0x20", "32"},       {"2^20", "1048576"},
    {"1^0", "1"},       {"0^0", "1"},         {"3^0", "1"},
    {"64Ki", "65536"},  {"1MiB", "1048576"},  {"10k", "10000"},
    {"1e6", "1000000"}, {"1.5k", "1500"},     {"0.5", "~0.5"},
    {".5", "~0.5"},     {"-1e-3", "~-0.001"}, {"2.", "2"},
    {"inf", "~inf"},    {"-inf", "~-inf"},    {"18446744073709551615", "18446744073709551615"}};

TEST_EACH(numbers_are_read, numbers)
{
    struct problem problem = {0};
    out[0] = '\0';
    ck_assert_msg(read_number(numbers[_i][0], &problem), "%s: %s", numbers[_i][0], problem.text);
    ck_assert_str_eq(out, numbers[_i][1]);
}

static const struct {
    enum type_id type;
    const char *numbers; /* behind the bar those that do not fit */
} fits[] = {
    {TYPE_BOOL, "1 | 2"},
    {TYPE_INT8, "127 -128 | 128 -129"},
    {TYPE_UINT8, "255 -0 | -1 256"},
    {TYPE_INT16, "| -32769"},
    {TYPE_INT32, "2147483647 -2147483648 | 2147483648 0.5"},
    {TYPE_INT64, "-2^63 | 2^63 nan"},
    {TYPE_UINT64, "2^63 |"},
    {TYPE_POINTER, "| 0"},
    {TYPE_FLOAT, "0.5 3.4028235e38 inf | -3.41e38"},
    {TYPE_DOUBLE, "3 nan |"},
    {TYPE_F16, "1.5 65519 | 65520"},
    {TYPE_BF16, "65520 |"},
    {TYPE_TF32, "| 1e39"},
    {TYPE_E4M3, "448 nan | -480 inf"},
    {TYPE_E5M2, "-inf |"},
};

TEST_EACH(numbers_fit_their_types, fits)
{
    char words[64];
    char *rest = words;
    bool does_fit = true;
    snprintf(words, sizeof words, "%s", fits[_i].numbers);
    for (char *word = strtok_r(words, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
        struct number number;
        struct problem problem;
        if (strcmp(word, "|") == 0) {
            does_fit = false;
            continue;
        }
        ck_assert(parse_number(word, &number, &problem));
        ck_assert_msg(number_fits(&number, fits[_i].type) == does_fit, "%s in %s", word,
                      type_info(fits[_i].type)->name);
    }
    ck_assert(!does_fit);
}

static double stored_value(enum type_id type, const unsigned char *bytes)
{
    float single;
    double value;
    memcpy(&single, bytes, sizeof single);
    memcpy(&value, bytes, sizeof value);
    return type == TYPE_DOUBLE                       ? value
           : type == TYPE_FLOAT || type == TYPE_TF32 ? (double)single
                                                     : element_value(type, bytes);
}

/* What is stored is read as the same number again. */
TEST(test_store)
{
    static const char *const values[] = {"-100", "100", "0", "1"};
    for (size_t type = TYPE_BOOL; type <= TYPE_DOUBLE; type++)
        for (size_t i = 0; i < N_OF(values); i++) {
            struct number number;
            struct problem problem;
            unsigned char bytes[16] = {0};
            ck_assert(parse_number(values[i], &number, &problem));
            if (!number_fits(&number, (enum type_id)type))
                continue;
            ck_assert(number_store(&number, (enum type_id)type, bytes));
            ck_assert(stored_value((enum type_id)type, bytes) == number.value);
        }
}

static const struct number not_a_number = {.value = (double)NAN};
static const struct number minus_infinity = {.value = -(double)INFINITY};

TEST(test_store_not_finite)
{
    static const enum type_id types[] = {TYPE_FLOAT, TYPE_DOUBLE, TYPE_TF32};
    for (size_t i = 0; i < N_OF(types); i++) {
        unsigned char bytes[8] = {0};
        ck_assert(number_store(&not_a_number, types[i], bytes));
        ck_assert(isnan(stored_value(types[i], bytes)));
        ck_assert(number_store(&minus_infinity, types[i], bytes));
        ck_assert(stored_value(types[i], bytes) == minus_infinity.value);
    }
}

/* Short formats, which gb_host.fill does not make; IEEE 754, and the OCP's of 8 bits. */
static const struct {
    enum type_id type;
    uint64_t nan, minus_infinity; /* 0: it has none */
} short_formats[] = {{TYPE_F16, 0x7fff, 0xfc00},
                     {TYPE_BF16, 0x7fff, 0xff80},
                     {TYPE_E4M3, 0x7f, 0},
                     {TYPE_E5M2, 0x7f, 0xfc}};

TEST_EACH(test_store_not_finite_short, short_formats)
{
    const enum type_id type = short_formats[_i].type;
    unsigned char bytes[8] = {0};
    ck_assert(number_store(&not_a_number, type, bytes));
    ck_assert_uint_eq(element_bits(type, bytes), short_formats[_i].nan);
    ck_assert_int_eq(number_fits(&minus_infinity, type), short_formats[_i].minus_infinity != 0);
    if (!number_fits(&minus_infinity, type))
        return;
    ck_assert(number_store(&minus_infinity, type, bytes));
    ck_assert_uint_eq(element_bits(type, bytes), short_formats[_i].minus_infinity);
}

/* Addresses have no value: what has a fraction is read by the host (GB_FORMATS). */
TEST(test_element)
{
    const int16_t low = -300;
    const uint16_t high = 65535;
    const void *address = &low;
    ck_assert(element_value(TYPE_INT16, &low) == -300);
    ck_assert(element_value(TYPE_UINT16, &high) == 65535);
    ck_assert(isnan(element_value(TYPE_POINTER, &address)));
}

/* ---- mistakes ---- */

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
    {read_signature, "int(int, void)", 9, "a parameter cannot have the type void"},
    {read_signature, "int(...)", 4, "'...' needs a parameter before it"},
    {read_signature, "int(int, ..., int, ...)", 19, "'...' is given twice"},
    {read_signature, "int(int, ..., float)", 14, "after '...' a float is passed as a double"},
    {read_signature, "int(int, ..., schar)", 14, "after '...' 'int8' is passed as an int"},
    {read_signature, "struct(void)()", 7, "the type void is not possible here"},
    {read_signature, "struct(int, double[16])()", 12,
     "too many members: expected up to 16 numbers"},
    {read_signature, "struct(int[2^63])()", 7, "too many members: expected up to 16 numbers"},
    {read_signature, "struct(int[0])()", 11, "an empty array: expected 1 element or more"},
    {read_signature, "struct(int[0.5])()", 11, "an empty array: expected 1 element or more"},
    {read_signature, "struct(int[2)()", 12, "')()': expected ']'"},
    {read_signature,
     "struct(struct(struct(struct(struct(struct(struct(struct(struct(int)))))))))()", 56,
     "structs are nested too deep: expected up to 8 levels"},
    {read_signature, "double (*f)(double)", 7, "this declares or returns a pointer to a function"},
    {read_signature, "void (*signal(int, void (*)(int)))(int)", 5, "this declares or returns"},
    {read_signature, "int f(int) const", 11, "'const': expected nothing more"},
    {read_signature, "int f(int);;", 11, "';': expected nothing more"},
    {read_signature, "int f(int a b)", 12, "'b)': expected ')'"},
    {read_signature, "int f(int x[3)", 11, "a '[' without a matching ']'"},
    {read_signature, "int f(int (*g)(int)", 19, "it ends too early: expected ')'"},
    {read_signature, "int f(int (g)(int))", 10, "expected ',' or ')', or (*NAME)(...)"},
    {read_signature, "long double f(int)", 0, "'long double' is not a type here: there is no long"},
    {read_signature, "int f(unsigned float x)", 15, "'float' after another type"},
    {read_signature, "int f(size_t int x)", 6, "'size_t int' is not a type here"},
    {read_signature, "int f(long long long)", 6, "'long long long' is not a type here"},
    {read_signature, "int f(short long)", 6, "'short long' is not a type here"},
    {read_signature, "int f(signed unsigned)", 6, "'signed unsigned' is not a type here"},
    {read_signature, "int f(unsigned double)", 6, "'unsigned double' is not a type here"},
    {read_signature, "double _Complex cexp(double _Complex)", 7,
     "unknown type '_Complex': expected"},
    {read_signature, "int f(struct tm t)", 6, "'struct tm' by value: expected struct(TYPE, ...)"},
    {read_signature, "int f(FILE file)", 6, "unknown type 'FILE': expected a type such as"},
    {read_signature, "strlen(const char *)", 0, "unknown type 'strlen': expected a type such as"},
    {read_signature, "int f(const)", 11, "')': expected a type such as"},
    {read_signature, "double f(float float)", 15, "'float' after another type"},
    {read_signature, "int f(int) __attribute__((x)", 24, "a '(' without a matching ')'"},
    {read_number, "", 0, "it ends too early: expected a number"},
    {read_number, "x", 0, "'x': expected a number"},
    {read_number, "12q", 0, "'12q' is not a number"},
    {read_number, "0x", 2, "it ends too early: expected hexadecimal digits"},
    {read_number, "2^", 2, "it ends too early: expected an exponent"},
    {read_number, "2^64", 0, "'2^64' is too large"},
    {read_number, "18446744073709551616", 0, "'18446744073709551616' is too large"},
    {read_number, "9999999T", 0, NULL},
    {read_number, "99999999T", 0, "'99999999T' is too large"},
    {read_number, "nan", 0, NULL},
    {read_number, "nano", 0, "'nano': expected a number"},
    {read_number, "1e309", 0, "'1e309' is too large: expected at most the largest double"},
    {read_number, "9e307k", 0, "'9e307k' is too large: expected at most the largest double"},
    {read_number, "1 2", 2, "'2': expected nothing more"},
    {read_expectation, "", 0, "it ends too early: expected a number, a text or a name"},
    {read_expectation, "\"a", 0, "an unterminated text"},
    {read_value, "", 0, "it ends too early: expected a value"},
    {read_value, "\"abc", 0, "an unterminated text"},
    {read_value, "\"abc\\\"", 0, "an unterminated text"},
    {read_value, "bufer(3)", 0, "unknown value 'bufer(...)'"},
    {read_value, "buffer(0)", 7, "an empty buffer"},
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
    {read_value, "buffer(pointer[3])", 7, "'pointer' is not a type of numbers"},
    {read_value, "buffer(3, fil=3)", 10, "'fil' is not a key of a buffer"},
    {read_value, "buffer(3, fill)", 14, "')': expected '='"},
    {read_value, "buffer(3, fill=256)", 15, "256 does not fit the elements, which are uint8"},
    {read_value, "buffer(3, fill=1, fill=2)", 18, "'fill' is given twice"},
    {read_value, "buffer(3, fill=\"abc\")", 0,
     "the text of 'fill' with its terminator does not fit"},
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
    {read_value, "callback(int(int, ...), 1)", 9, "a callback cannot be variadic"},
    {read_value, "callback(fp16(int), 1)", 9, "a callback cannot return fp16"},
    {read_value, "callback(void(int), 1)", 18, "', 1)': expected ')'"},
    {read_value, "callback(schar(), 300)", 18, "300 does not fit int8"},
    {read_value, "symbol()", 7, "')': expected the name of a function"},
    {read_value, "arg.1 + 0.5", 6, "only a whole number of bytes can be added to a pointer"},
    {read_value, "arg.1 + -4", 6, "only a whole number of bytes can be added to a pointer"},
    {read_value, "arg.", 3, "'.': expected nothing more"},
    {read_calls, "f", 1, "it ends too early: expected '('"},
    {read_calls, "f(", 2, "it ends too early: expected a value"},
    {read_calls, "f(1", 3, "it ends too early: expected ')'"},
    {read_calls, "f(), ", 5, "it ends too early: expected a call"},
    {read_calls, "void x = f()", 0, "a function of type void has no result to keep"},
    {read_calls, "f(void 3)", 2, "an argument cannot have the type void"},
    {read_calls, "f(1,2,3,4,5,6,7,8,9,10,11,12,13)", 29, "too many arguments: expected up to 12"},
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

/* ---- layouts ---- */

/* Bytes of the struct, then where its members are, as compilers put them on machines of 64 bits. */
static const char *const layouts[][2] = {
    {"struct(int8, int64, int16, float, bool)()", "32: 0 8 16 20 24"},
    {"struct(struct(int, int8), int8)()", "12: 0 4 8"},
    {"struct(int8, struct(int8, double)[2], int8)()", "48: 0 8 16 24 32 40"},
    {"struct(float[3], pointer)()", "24: 0 4 8 16"},
    {"struct(struct(struct(short)), char)()", "4: 0 2"},
};

TEST_EACH(test_layout, layouts)
{
    struct signature signature;
    struct problem problem = {.text = ""};
    ck_assert_msg(parse_signature(layouts[_i][0], &signature, &problem), "%s", problem.text);
    out[0] = '\0';
    add("%zu:", type_bytes(&signature.result));
    for (size_t i = 0; i < signature.result.n_members; i++)
        add(" %zu", signature.result.offsets[i]);
    ck_assert_str_eq(out, layouts[_i][1]);
}
