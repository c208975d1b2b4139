/* test_expression.c - the expression language and what it refuses. */
#include "tests/text_case.h"

#include "core/base/text.h"
#include "core/config/expression.h"

static struct expression_engine *engine;
static struct arena arena;

static const struct expression_column columns[] = {
    {"rows", {.type = GB_TYPE_INT, .integer = 32, .number = 32, .text = "32"}},
    {"streams", {.type = GB_TYPE_INT, .integer = 5, .number = 5, .text = "5"}},
    {"scale", {.type = GB_TYPE_FLOAT, .number = 0.5, .text = "0.5"}},
    {"check", {.type = GB_TYPE_BOOL, .integer = 1, .number = 1, .text = "yes"}},
    {"dtype", {.type = GB_TYPE_CHOICE, .integer = 1, .text = "fp16"}},
    {"size", {.type = GB_TYPE_BYTES, .number = 4096, .bytes = 4096, .text = "4096"}},
    {"huge", {.type = GB_TYPE_BYTES, .number = 0x1p64, .bytes = UINT64_MAX, .text = "big"}},
    {"pause", {.type = GB_TYPE_DURATION, .number = 2e6, .text = "2000000ns"}},
    {"env.HOME", {.type = GB_TYPE_STRING, .text = "it's"}},
    {"order", {.type = GB_TYPE_INT, .integer = 9, .text = "9"}},
    {"absent", {.type = 0}},
    {"define.x", {.type = GB_TYPE_STRING, .text = "low"}},
    {"define.X", {.type = GB_TYPE_STRING, .text = "high"}},
    {"a\"b", {.type = GB_TYPE_INT, .integer = 1, .text = "1"}},
};
enum { N_COLUMNS = sizeof columns / sizeof columns[0] };

static void setup(void)
{
    ck_assert_int_eq(expression_engine_new(&engine, NULL), GB_OK);
}

static void teardown(void)
{
    expression_engine_free(engine);
    arena_free(&arena);
}

/* What must be right. */
static struct expression *compile(const char *text, const struct expression_column *of, size_t n)
{
    struct expression *expression;
    ck_assert_int_eq(expression_compile(engine, text, (struct origin){0}, of, n, &expression, NULL),
                     GB_OK);
    return expression;
}

static int32_t evaluate(const char *text, struct value *ret, struct gb_error *error)
{
    struct expression *expression;
    struct origin origin = {"bench.ini", 3, 8};
    int32_t status = expression_compile(engine, text, origin, columns, N_COLUMNS, &expression,
                                        error);
    if (status != GB_OK)
        return status;
    status = expression_evaluate(expression, columns, &arena, ret, error);
    expression_free(expression);
    return status;
}

TEST_FIXTURE(setup, teardown)

static void add_result(char *text, uint32_t type, struct text *out)
{
    struct value result;
    struct gb_error error = {0};
    ck_assert_msg(evaluate(text, &result, &error) == GB_OK, "%s: %s", text, error.text);
    ck_assert_uint_eq(result.type, type);
    if (type == GB_TYPE_STRING)
        ck_assert(isnan(result.number));
    else
        ck_assert_double_eq(result.number, strtod(result.text, NULL));
    text_add(out, result.text);
}

static void add_test(char *text, uint32_t with, struct text *out)
{
    struct expression *expression = compile(text, columns, N_COLUMNS);
    bool holds;
    ck_assert_int_eq(expression_test(expression, columns, &holds, NULL), GB_OK);
    text_add(out, holds ? "holds" : "does not");
    expression_free(expression);
}

static const struct text_cases values[] = {
    {{add_test, 0},
     {"streams <= rows -> holds", "streams > rows -> does not", "absent -> does not",
      "absent = 1 -> does not", "0.5 -> holds", "0 -> does not", "'0' -> does not",
      "not \"check\" -> does not"}},
    {{add_result, GB_TYPE_INT},
     {"rows * 2 -> 64", "rows / streams -> 6", "\"check\" + 1 -> 2", "size / 1024 -> 4",
      "huge > 18e18 -> 1", "\"order\" + 1 -> 10", "ROWS -> 32", "ifnull(absent, 7) -> 7",
      "\"a\"\"b\" -> 1", "streams in (1, 2, 5) -> 1", "dtype like 'FP%' -> 1", "rows\n* 2 -> 64",
      "radians(180) = pi() and degrees(pi()) = 180 -> 1",
      "coalesce(sqrt('x'), ln(0), log2(-1), log(1, 5), asin(2), sign('x'), ceil(null), 7) -> 7"}},
    {{add_result, GB_TYPE_FLOAT},
     {"rows * scale -> 16", "0.1 + 0.2 -> 0.30000000000000004", "pause / 1e6 -> 2",
      "ceil(log2(rows + 1)) -> 6", "1e999 -> inf",
      "9223372036854775807 + 1 -> 9.223372036854776e+18"}},
    {{add_result, GB_TYPE_STRING},
     {"dtype -> fp16", "upper(dtype) || '-' || rows -> FP16-32", "\"env.HOME\" -> it's",
      "case when rows > 16 then 'big' else 'small' end -> big", "'a;b -- /* ( c' -> a;b -- /* ( c",
      "'it''s (' -> it's (",
      "log(1000) || ' ' || log(2, 8) || ' ' || ln(1) || ' ' || log10(100) -> 3.0 3.0 0.0 2.0",
      "ceil(5) || ' ' || floor(-0.5) || ' ' || trunc('2.5') || ' ' || sign(-0.5) -> 5 -1.0 2.0 -1",
      "mod(7, -2) || ' ' || pow(2, 3) || ' ' || atan2(0, 1) || ' ' || round(pi(), 3) -> 1.0 8.0 "
      "0.0 3.142"}},
};

TEST_TEXT_CASES(value, values)

#define NO_TABLES "tables cannot be read"
#define NO_QUERIES "queries are not allowed in expressions"
#define NOT_ALLOWED " is not allowed in expressions"
#define NO_UNIT "numbers in expressions have no unit and no '_': 64Ki is 64 * 1024"
#define NO_COMMENTS "comments and ';' are not allowed in expressions"
#define WORD_OF_SQL " (a name that is a word of SQL needs double quotes)"
#define NO_VALUE "gives no value (NULL): expected a number or a text"
#define NO_PARAMETERS "parameters such as ':name' are not allowed in expressions"
#define NOTHING "expected an expression, got nothing"

/* The column of each error is that of the offending word; the text begins in column 8. */
static void add_refusal(char *text, uint32_t with, struct text *out)
{
    struct value result;
    struct gb_error error = {0};
    int32_t status = evaluate(text, &result, &error);
    ck_assert_msg(status == GB_INVALID, "%s: not refused", text);
    ck_assert_int_eq(error.status, status);
    ck_assert_str_eq(error.origin.file, "bench.ini");
    ck_assert_uint_eq(error.origin.line, 3);
    text_printf(out, "%u: %s", error.origin.column, error.text);
}

static const struct text_cases refusals[] = {
    {{add_refusal, 0},
     {" -> 8: " NOTHING, "   -> 8: " NOTHING,
      "1 + row -> 12: unknown name 'row'; did you mean 'rows'?",
      "velocity -> 8: unknown name 'velocity': expected an option or a variable, or a text in "
      "single quotes",
      "\"fp16\" = dtype -> 8: unknown name 'fp16' (text is written in single quotes: 'fp16')",
      "dtype = \"row\" -> 16: unknown name 'row'; did you mean 'rows'? (text is written in single "
      "quotes: 'row')",
      "dtype = `fp32` -> 16: unknown name 'fp32' (text is written in single quotes: 'fp32')",
      "rows + row + velocity -> 15: unknown name 'row'; did you mean 'rows'?",
      "case when rows collate nocase then \"p q r\" end -> 43: unknown name 'p q r' (text is "
      "written in single quotes: 'p q r')",
      "\"define.x\" -> 8: 'define.x' is the name of several that differ in case only",
      "rowid -> 8: unknown name 'rowid'; did you mean 'rows'?",
      "order > 1 -> 8: syntax error at 'order'" WORD_OF_SQL,
      "1 + check -> 12: syntax error at 'check'" WORD_OF_SQL,
      "cell(rows) -> 8: unknown function 'cell'; did you mean 'ceil'?",
      "fibonacci(rows) -> 8: unknown function 'fibonacci'",
      "rows in (1, fibonacci(rows)) -> 20: unknown function 'fibonacci'",
      "max() -> 8: wrong number of arguments to function max()",
      "random() -> 8: function 'random'" NOT_ALLOWED}},
    {{add_refusal, 0},
     {"hex(randomblob(4)) -> 12: function 'randomblob'" NOT_ALLOWED,
      "current_time -> 8: function 'current_time'" NOT_ALLOWED,
      "count(*) -> 8: function 'count'" NOT_ALLOWED,
      "row_number() over () -> 8: function 'row_number'" NOT_ALLOWED,
      "(select 1) -> 8: " NO_QUERIES, "exists (select 1) -> 8: " NO_QUERIES,
      "rows in settings -> 16: " NO_TABLES, "(select name from sqlite_master) -> 8: " NO_TABLES,
      "rows in (select 1 union select 2) -> 8: " NO_QUERIES, "rows IN rows -> 16: " NO_TABLES,
      "1) union select (2 -> 9: ')' without '('", "1), (2 -> 9: ')' without '('",
      "(1 -> 8: '(' without ')'", "1 + ((2) -> 12: '(' without ')'",
      "1, 2 -> 9: expected one value, not a list of them",
      "\"\" = dtype -> 8: a name is empty; an empty text is ''", "1; select 2 -> 9: " NO_COMMENTS,
      "1 -- more -> 10: " NO_COMMENTS}},
    {{add_refusal, 0},
     {"1 /* more -> 10: " NO_COMMENTS, "'open -> 8: a quote that does not end",
      "rows = \"open -> 15: a quote that does not end", "[rows -> 8: a quote that does not end",
      "rows = ? -> 15: no '?' in expressions: write case when A then B else C end",
      "rows = :rows -> 15: " NO_PARAMETERS, "rows + -> 14: the expression ends too early",
      "2^31 -> 9: no '^' in expressions: 2^31 is 1 << 31, x^2 is x * x or power(x, 2)",
      "rows * 64Ki -> 15: " NO_UNIT, "1_000 -> 8: " NO_UNIT, "0x1f + 1.5e-3f -> 15: " NO_UNIT,
      "rows @ 2 -> 13: " NO_PARAMETERS, "rows \\ 2 -> 13: unexpected character",
      "rows && streams -> 13: no '&&' in expressions: write and",
      "!rows -> 8: no '!' in expressions: write not",
      "rows ** 2 -> 13: no '**' in expressions: 2**31 is 1 << 31, x**2 is x * x or power(x, 2)",
      "rows >= >= 2 -> 16: syntax error at '>='", "rows + 'a' 'b' -> 19: syntax error at ''b''"}},
    {{add_refusal, 0},
     {"case when rows then 1 -> 29: the expression ends too early",
      "rows rows -> 13: syntax error at 'rows'" WORD_OF_SQL, "absent -> 8: " NO_VALUE,
      "rows / 0 -> 8: " NO_VALUE, "x'00' -> 8: blobs such as x'00' are not allowed in expressions",
      "cast(dtype as blob) -> 8: gives a blob: expected a number or a text",
      "abs(-9223372036854775807 - 1) -> 8: integer overflow"}},
};

TEST_TEXT_CASES(refusal, refusals)

TEST(too_deep)
{
    struct value result;
    struct gb_error error = {0};
    CLEANUP(text_free) struct text text = {0};
    for (int i = 0; i < 2000; i++)
        text_add(&text, "1+");
    text_add(&text, "1");
    ck_assert_int_eq(evaluate(text_get(&text), &result, &error), GB_INVALID);
    ck_assert_str_eq(error.text, "Expression tree is too large (maximum depth 100)");
}

static void expect_value(struct expression *of, const struct expression_column *with,
                         int64_t expected)
{
    struct value given;
    ck_assert_int_eq(expression_evaluate(of, with, &arena, &given, NULL), GB_OK);
    ck_assert_str_eq(given.text, arena_printf(&arena, "%lld", (long long)expected));
}

TEST(evaluates_again_with_other_values)
{
    struct expression_column changing[] = {columns[0], columns[1]};
    struct expression *sum = compile("rows + streams", changing, 2);
    struct expression *product = compile("rows * streams", changing, 2);
    for (int64_t i = 0; i < 1000; i++) {
        changing[0].value.integer = i;
        expect_value(sum, changing, i + 5);
        expect_value(product, changing, i * 5);
    }
    expression_free(sum);
    expression_free(product);
}

TEST(reads)
{
    struct expression *expression = compile("rows + \"env.HOME\" + 'streams'", columns, N_COLUMNS);
    ck_assert(expression_reads(expression, "rows"));
    ck_assert(expression_reads(expression, "env.HOME"));
    ck_assert(!expression_reads(expression, "streams"));
    expression_free(expression);
}

TEST(no_columns)
{
    struct gb_error error;
    struct expression *expression = compile("6 * 7", NULL, 0);
    expect_value(expression, NULL, 42);
    expression_free(expression);
    ck_assert_int_eq(
        expression_compile(engine, "x", (struct origin){0}, NULL, 0, &expression, &error),
        GB_INVALID);
    ck_assert_str_eq(error.text, "unknown name 'x': expected an option or a variable, or a text in "
                                 "single quotes");
}
