/*
 * fuzz_call.c - any text as a signature, a value, calls, a number or arithmetic of the benchmark
 * `call`. The first byte, a digit, says as which. What is wrong is reported, with a place inside
 * the text; what is read obeys its limits, and texts in it are parts of the one that was read.
 */
#include "plugins/common/call/call_parse.h"
#include "tests/fuzz/fuzz.h"

#include <math.h>

enum { LONGEST_INPUT = 4096 };

static const char *whole;

static void check_span(struct span span)
{
    if (span.n == 0)
        return;
    REQUIRE(span.text >= whole && span.text + span.n <= whole + strlen(whole));
    char *text = malloc(span.n);
    REQUIRE(text && unquote(span, text) <= span.n);
    free(text);
}

static void check_number(const struct number *number)
{
    REQUIRE(!number->is_integer || fabs(number->value) == (double)number->magnitude);
}

static void check_type(const struct type *type)
{
    REQUIRE(type->id <= TYPE_STRUCT && type->n_members <= MEMBERS_MAX);
    REQUIRE((type->id == TYPE_STRUCT) == (type->n_members > 0));
}

static void check_value(const struct value *value)
{
    const struct buffer *buffer = &value->buffer;
    REQUIRE(value->at < strlen(whole) && value->n <= NUMBERS_MAX);
    check_span(value->text);
    check_span(value->signature);
    for (size_t i = 0; i < value->n; i++)
        check_number(&value->numbers[i]);
    if (value->kind != VALUE_BUFFER)
        return;
    REQUIRE(buffer->n > 0 && buffer->n <= (UINT64_C(1) << 47));
    REQUIRE(type_info(buffer->element)->kind != KIND_POINTER && buffer->element != TYPE_VOID);
    REQUIRE(buffer->fill != FILL_TEXT || unquote(buffer->text, NULL) < buffer->n);
    REQUIRE(buffer->fill != FILL_UNIFORM || buffer->low.value <= buffer->high.value);
    check_span(buffer->text);
    check_span(buffer->expect.text);
}

static bool try_signature(struct problem *problem)
{
    struct signature signature;
    if (!parse_signature(whole, &signature, problem))
        return false;
    REQUIRE(signature.n <= PARAMETERS_MAX && signature.n_fixed <= signature.n);
    check_span(signature.name);
    check_type(&signature.result);
    for (size_t i = 0; i < signature.n; i++)
        check_type(&signature.parameters[i]);
    return true;
}

static bool try_value(struct problem *problem)
{
    struct value value;
    if (!parse_value(whole, &value, problem))
        return false;
    check_value(&value);
    return true;
}

static bool try_calls(struct problem *problem)
{
    static struct call calls[CALLS_MAX];
    size_t n = 0;
    if (!parse_calls(whole, calls, &n, problem))
        return false;
    REQUIRE(n <= CALLS_MAX);
    for (size_t i = 0; i < n; i++) {
        REQUIRE(calls[i].n <= CALL_ARGUMENTS_MAX && calls[i].function.n > 0);
        check_span(calls[i].function);
        check_span(calls[i].result);
        for (size_t j = 0; j < calls[i].n; j++)
            check_value(&calls[i].arguments[j].value);
    }
    return true;
}

static bool try_number(struct problem *problem)
{
    struct number number;
    struct expectation expectation;
    if (parse_expectation(whole, &expectation, problem))
        check_span(expectation.text);
    if (!parse_number(whole, &number, problem))
        return false;
    check_number(&number);
    return true;
}

static bool try_math(struct problem *problem)
{
    uint32_t format = 0, unit = 0;
    if (!parse_math(whole, &format, &unit, problem))
        return false;
    REQUIRE(format > 0 && unit > 0);
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static bool (*const tries[])(struct problem * problem) = {try_signature, try_value, try_calls,
                                                              try_number, try_math};
    if (size == 0 || size > LONGEST_INPUT)
        return 0;
    char *text = malloc(size);
    if (!text)
        return 0;
    memcpy(text, data + 1, size - 1);
    text[size - 1] = 0;
    whole = text;
    struct problem problem = {.at = SIZE_MAX, .text = ""};
    if (!tries[(uint8_t)(data[0] - '0') % 5](&problem)) {
        REQUIRE(problem.text[0] && strlen(problem.text) < PROBLEM_BYTES);
        REQUIRE(problem.at <= strlen(text));
    }
    free(text);
    return 0;
}
