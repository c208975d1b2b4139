/* call_cursor.c - see call_cursor.h. Plugin side. */
#include "call_cursor.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char digits[] = "0123456789";
static const char blanks[] = " \t\r\n";
static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_";

bool cursor_fail(struct cursor *cursor, size_t at, const char *format, ...)
{
    if (cursor->has_failed)
        return false;
    cursor->has_failed = true;
    cursor->problem->at = at;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(cursor->problem->text, sizeof cursor->problem->text, format, arguments);
    va_end(arguments);
    return false;
}

bool cursor_expected(struct cursor *cursor, const char *what)
{
    enum { SHOWN = 24 };
    const size_t at = cursor_next(cursor);
    const char *rest = cursor->text + at;
    const size_t n = strlen(rest);
    if (n == 0)
        return cursor_fail(cursor, at, "it ends too early: expected %s", what);
    return cursor_fail(cursor, at, "'%.*s%s': expected %s", (int)(n > SHOWN ? SHOWN : n), rest,
                       n > SHOWN ? "..." : "", what);
}

size_t cursor_next(struct cursor *cursor)
{
    cursor->at += strspn(cursor->text + cursor->at, blanks);
    return cursor->at;
}

bool cursor_take(struct cursor *cursor, const char *sign)
{
    const size_t n = strlen(sign), at = cursor_next(cursor);
    if (strncmp(cursor->text + at, sign, n) != 0)
        return false;
    cursor->at += n;
    return true;
}

bool cursor_need(struct cursor *cursor, const char *sign)
{
    char what[8];
    snprintf(what, sizeof what, "'%s'", sign);
    return cursor_take(cursor, sign) || cursor_expected(cursor, what);
}

static size_t word_length(const char *text)
{
    size_t n = 0;
    if (*text == '\0' || strchr(letters, *text) == NULL)
        return 0;
    while (text[n] != '\0' && (strchr(letters, text[n]) || strchr(digits, text[n])))
        n++;
    return n;
}

bool text_is_word(const char *text)
{
    const size_t n = word_length(text);
    return n > 0 && text[n] == '\0';
}

struct span cursor_word(struct cursor *cursor)
{
    const char *text = cursor->text + cursor_next(cursor);
    const struct span word = {text, word_length(text)};
    cursor->at += word.n;
    return word;
}

struct span cursor_name(struct cursor *cursor)
{
    struct span name = cursor_word(cursor);
    if (!span_is(name, "arg") || name.text[name.n] != '.')
        return name;
    const char *key = name.text + name.n + 1;
    size_t n = strspn(key, digits);
    n = n > 0 ? n : word_length(key);
    if (n > 0) {
        name.n += 1 + n;
        cursor->at += 1 + n;
    }
    return name;
}

bool cursor_is_number(struct cursor *cursor)
{
    const char *text = cursor->text + cursor_next(cursor);
    text += *text == '-' || *text == '+';
    if ((strncmp(text, "inf", 3) == 0 || strncmp(text, "nan", 3) == 0) && word_length(text) == 3)
        return true;
    text += *text == '.';
    return *text != '\0' && strchr(digits, *text) != NULL;
}

/* ---- numbers ---- */

/* The factor of the unit that is all of the word: k M G T, powers of 1000, or Ki Mi Gi Ti, powers
 * of 1024, with or without a B; 1 without a unit, 0 if it is none. */
static uint64_t unit_factor(struct span word)
{
    const bool is_binary = word.n > 1 && word.text[1] == 'i';
    const char *prefixes = is_binary ? "KMGT" : "kMGT";
    const char *found = word.n > 0 ? memchr(prefixes, word.text[0], 4) : NULL;
    const size_t n = is_binary ? 2 : 1;
    const bool has_b = word.n == n + 1 && word.text[n] == 'B';
    uint64_t factor = 1;
    if (found == NULL || word.n != n + has_b)
        return word.n == 0;
    for (const char *at = prefixes; at <= found; at++)
        factor *= is_binary ? 1024 : 1000;
    return factor;
}

/* "2^20": what stands before it becomes a power. */
static bool take_power(struct cursor *cursor, struct number *number, bool *ret_fits)
{
    if (cursor->text[cursor->at] != '^')
        return true;
    const char *text = cursor->text + ++cursor->at;
    const size_t n = strspn(text, digits);
    uint64_t value = 1;
    if (n == 0)
        return cursor_expected(cursor, "an exponent, such as 2^20");
    cursor->at += n;
    errno = 0;
    unsigned long long exponent = strtoull(text, NULL, 10);
    *ret_fits = number->is_integer && errno == 0;
    if (*ret_fits && number->magnitude > 1) {
        for (; *ret_fits && exponent > 0; exponent--)
            *ret_fits = !__builtin_mul_overflow(value, number->magnitude, &value);
        number->magnitude = value;
    } else if (*ret_fits && exponent == 0) {
        number->magnitude = 1;
    }
    return true;
}

/* 1e6 and 1.5k are integers, too, if they are whole and doubles hold them. */
static void make_integer(struct number *number, double value)
{
    number->is_integer = value >= 0 && value <= 9007199254740992.0 && value == floor(value);
    number->magnitude = number->is_integer ? (uint64_t)value : 0;
    number->value = value;
}

static bool take_magnitude(struct cursor *cursor, struct number *ret, bool *ret_fits)
{
    const char *text = cursor->text + cursor->at;
    const bool is_hex = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
    char *end = NULL;
    if (text[0] == 'i' || text[0] == 'n') { /* inf or nan, as cursor_is_number says */
        cursor->at += 3;
        *ret = (struct number){.value = text[0] == 'i' ? (double)INFINITY : (double)NAN};
        return true;
    }
    const double value = is_hex ? 0 : strtod(text, &end);
    ret->is_integer = is_hex || end == text + strspn(text, digits);
    if (ret->is_integer) {
        errno = 0;
        ret->magnitude = strtoull(text, &end, is_hex ? 16 : 10);
        *ret_fits = errno == 0;
    } else {
        make_integer(ret, value);
        *ret_fits = isfinite(value);
    }
    cursor->at += is_hex && end < text + 2 ? 2 : (size_t)(end - text);
    return !is_hex || end > text + 2 || cursor_expected(cursor, "hexadecimal digits");
}

static bool take_unit(struct cursor *cursor, size_t start, struct number *number, bool *ret_fits)
{
    const char *text = cursor->text + cursor->at;
    const struct span word = {text, word_length(text)};
    const uint64_t factor = unit_factor(word);
    if (factor == 0)
        return cursor_fail(cursor, start,
                           "'%.*s' is not a number: expected one such as 32, 64Ki, 1e6",
                           (int)(cursor->at + word.n - start), cursor->text + start);
    cursor->at += word.n;
    if (number->is_integer) {
        *ret_fits = *ret_fits &&
                    !__builtin_mul_overflow(number->magnitude, factor, &number->magnitude);
        return true;
    }
    const bool was_finite = isfinite(number->value);
    make_integer(number, number->value * (double)factor);
    *ret_fits = *ret_fits && (isfinite(number->value) || !was_finite);
    return true;
}

bool cursor_number(struct cursor *cursor, struct number *ret)
{
    const size_t start = cursor_next(cursor);
    bool fits = true;
    if (!cursor_is_number(cursor))
        return cursor_expected(cursor, "a number");
    const bool is_negative = cursor_take(cursor, "-");
    if (!is_negative)
        cursor_take(cursor, "+");
    *ret = (struct number){0};
    if (!take_magnitude(cursor, ret, &fits) || !take_power(cursor, ret, &fits) ||
        !take_unit(cursor, start, ret, &fits))
        return false;
    if (!fits)
        return cursor_fail(cursor, start, "'%.*s' is too large: expected at most %s",
                           (int)(cursor->at - start), cursor->text + start,
                           ret->is_integer ? "64 bits" : "the largest double");
    if (ret->is_integer)
        ret->value = (double)ret->magnitude;
    ret->is_negative = is_negative && ret->is_integer;
    ret->value = is_negative ? -ret->value : ret->value;
    return true;
}

/* ---- texts ---- */

bool cursor_quoted(struct cursor *cursor, struct span *ret)
{
    const size_t start = cursor_next(cursor);
    if (!cursor_take(cursor, "\""))
        return cursor_expected(cursor, "a text in double quotes");
    const char *text = cursor->text + cursor->at;
    size_t n = 0;
    while (text[n] != '\0' && text[n] != '"')
        n += text[n] == '\\' && text[n + 1] != '\0' ? 2 : 1;
    if (text[n] == '\0')
        return cursor_fail(cursor, start, "an unterminated text: expected another '\"'");
    *ret = (struct span){text, n};
    cursor->at += n + 1;
    return true;
}

bool cursor_end(struct cursor *cursor)
{
    return cursor->text[cursor_next(cursor)] == '\0' || cursor_expected(cursor, "nothing more");
}

static int hex_digit(char c)
{
    static const char hex[] = "0123456789abcdef";
    const char *found = c != '\0' ? strchr(hex, c >= 'A' && c <= 'F' ? c | 0x20 : c) : NULL;
    return found != NULL ? (int)(found - hex) : -1;
}

static void put(char *to, size_t at, char c)
{
    if (to != NULL)
        to[at] = c;
}

size_t unquote(struct span text, char *to)
{
    size_t n = 0;
    for (size_t i = 0; i < text.n; i++) {
        char c = text.text[i];
        if (c != '\\' || i + 1 == text.n) {
            put(to, n++, c);
            continue;
        }
        c = text.text[++i];
        const int high = i + 2 < text.n ? hex_digit(text.text[i + 1]) : -1;
        const int low = high >= 0 ? hex_digit(text.text[i + 2]) : -1;
        if (c == 'x' && low >= 0) {
            c = (char)(high * 16 + low);
            i += 2;
        } else {
            c = c == 'n' ? '\n' : c == 't' ? '\t' : c;
        }
        put(to, n++, c);
    }
    return n;
}

bool span_is(struct span span, const char *word)
{
    return strlen(word) == span.n && memcmp(span.text, word, span.n) == 0;
}

bool span_equal(struct span a, struct span b)
{
    return a.n == b.n && (a.n == 0 || memcmp(a.text, b.text, a.n) == 0);
}
