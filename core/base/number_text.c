/* number_text.c - see number_text.h. */
#include "core/base/number_text.h"

#include "core/base/memory.h"
#include "core/base/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Beyond this a double is 0 or infinite whatever its digits, and sums of two still fit. */
enum { EXPONENT_MAX = 1000000000 };

static const struct number_unit no_unit = {"", 1, 0, 0};

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static int hex_digit(char c)
{
    static const char digits[] = "0123456789abcdefABCDEF";
    const char *found = c ? strchr(digits, c) : NULL;
    if (!found)
        return -1;
    int i = (int)(found - digits);
    return i < 16 ? i : i - 6;
}

/* *value = *value * factor + more; false if that does not fit. */
static bool multiply_add(unsigned __int128 *value, unsigned __int128 factor, unsigned more)
{
    unsigned __int128 result;
    if (__builtin_mul_overflow(*value, factor, &result) ||
        __builtin_add_overflow(result, more, &result))
        return false;
    *value = result;
    return true;
}

static bool multiply_power(unsigned __int128 *value, unsigned __int128 base, int64_t power)
{
    if (*value == 0)
        return true;
    if (base <= 1) {
        *value = power ? *value * base : *value;
        return true;
    }
    for (; power > 0; power--)
        if (!multiply_add(value, base, 0))
            return false;
    return true;
}

/* Digits of an exponent, held below EXPONENT_MAX; at least one must be there. */
static const char *scan_exponent(const char *at, const char *end, int64_t *ret)
{
    if (at == end || !is_digit(*at))
        return NULL;
    int64_t value = 0;
    for (; at < end && is_digit(*at); at++)
        if (value < EXPONENT_MAX)
            value = value * 10 + (*at - '0');
    *ret = value < EXPONENT_MAX ? value : EXPONENT_MAX;
    return at;
}

static const char *scan_hex(const char *at, const char *end, struct number_text *number)
{
    if (at == end || hex_digit(*at) < 0)
        return NULL;
    for (; at < end && hex_digit(*at) >= 0; at++)
        if (!multiply_add(&number->mantissa, 16, (unsigned)hex_digit(*at)))
            number->is_long = true;
    return at;
}

/* Digits with at most one point. Zeros wait until another digit follows, so that trailing ones
 * never fill the mantissa. */
static const char *scan_digits(const char *at, const char *end, struct number_text *number)
{
    bool after_point = false, any = false;
    int64_t zeros = 0;
    number->digits = at;
    for (; at < end && (is_digit(*at) || (*at == '.' && !after_point)); at++) {
        if (*at == '.') {
            after_point = true;
            continue;
        }
        any = true;
        number->exponent -= after_point;
        if (*at == '0') {
            zeros += number->mantissa != 0;
            continue;
        }
        if (!multiply_power(&number->mantissa, 10, zeros + 1) ||
            !multiply_add(&number->mantissa, 1, (unsigned)(*at - '0')))
            number->is_long = true;
        zeros = 0;
    }
    number->n_digits = (size_t)(at - number->digits);
    number->exponent += zeros;
    return any ? at : NULL;
}

/* "e6", if that is what stands there; else nothing is taken. */
static const char *scan_ten(const char *at, const char *end, struct number_text *number)
{
    if (at == end || (*at != 'e' && *at != 'E'))
        return at;
    const char *sign = at + 1;
    bool is_signed = sign < end && (*sign == '-' || *sign == '+');
    int64_t exponent = 0;
    const char *after = scan_exponent(sign + is_signed, end, &exponent);
    if (!after)
        return at;
    number->digits_exponent = is_signed && *sign == '-' ? -exponent : exponent;
    number->exponent += number->digits_exponent;
    return after;
}

/* "^20" after whole digits: the number becomes a power. */
static const char *scan_power(const char *at, const char *end, struct number_text *number)
{
    int64_t power = 0;
    const char *after = scan_exponent(at + 1, end, &power);
    if (!after || memchr(number->digits, '.', number->n_digits))
        return NULL;
    unsigned __int128 base = number->mantissa;
    if (!multiply_power(&base, 10, number->exponent))
        number->is_long = true;
    number->mantissa = 1;
    number->exponent = 0;
    number->digits = NULL;
    if (!multiply_power(&number->mantissa, base, power))
        number->is_long = true;
    return after;
}

static const char *scan_magnitude(const char *at, const char *end, struct number_text *number)
{
    if (end - at >= 3 && memcmp(at, "inf", 3) == 0) {
        number->is_infinite = true;
        return at + 3;
    }
    if (end - at >= 2 && at[0] == '0' && (at[1] == 'x' || at[1] == 'X'))
        return scan_hex(at + 2, end, number);
    at = scan_digits(at, end, number);
    if (at && at < end && *at == '^')
        return scan_power(at, end, number);
    return at ? scan_ten(at, end, number) : NULL;
}

bool number_scan(const char *text, size_t n, struct number_text *ret)
{
    const char *at = text, *end = text + n;
    *ret = (struct number_text){0};
    while (at < end && is_blank(*at))
        at++;
    while (at < end && is_blank(end[-1]))
        end--;
    if (at < end && (*at == '-' || *at == '+'))
        ret->is_negative = *at++ == '-';
    at = scan_magnitude(at, end, ret);
    while (at && at < end && is_blank(*at))
        at++;
    ret->unit = at;
    ret->n_unit = at ? (size_t)(end - at) : 0;
    return at && !(ret->is_infinite && ret->n_unit);
}

const struct number_unit *number_find_unit(const struct number_text *number,
                                           const struct number_unit *units, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (strlen(units[i].name) == number->n_unit &&
            memcmp(units[i].name, number->unit, number->n_unit) == 0)
            return &units[i];
    return NULL;
}

const struct number_unit *number_suggest_unit(const struct number_text *number,
                                              const struct number_unit *units, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (strlen(units[i].name) == number->n_unit &&
            strncasecmp(units[i].name, number->unit, number->n_unit) == 0)
            return &units[i];
    return NULL;
}

/* Divides by 10^power, if that leaves no rest. A 128-bit number has fewer than 40 digits. */
static bool divide_power(unsigned __int128 *value, int64_t power)
{
    for (; power > 0; power--) {
        if (*value % 10)
            return false;
        *value /= 10;
    }
    return true;
}

int number_whole(const struct number_text *number, const struct number_unit *unit, uint64_t *ret)
{
    if (!unit)
        unit = &no_unit;
    int64_t exponent = number->exponent + unit->exponent;
    if (number->is_long)
        return exponent < 0 ? NUMBER_NOT_WHOLE : NUMBER_TOO_LARGE;
    unsigned __int128 value = number->mantissa;
    if (value == 0) {
        *ret = 0;
        return NUMBER_OK;
    }
    if (!multiply_add(&value, (unsigned __int128)unit->multiplier << unit->shift, 0))
        return exponent < 0 ? NUMBER_NOT_WHOLE : NUMBER_TOO_LARGE;
    if (exponent < 0 && !divide_power(&value, -exponent))
        return NUMBER_NOT_WHOLE;
    if (!multiply_power(&value, 10, exponent) || value > UINT64_MAX)
        return NUMBER_TOO_LARGE;
    *ret = (uint64_t)value;
    return NUMBER_OK;
}

static void add_decimal(struct text *text, unsigned __int128 value)
{
    char digits[40];
    size_t first = sizeof digits;
    do {
        digits[--first] = (char)('0' + (int)(value % 10));
        value /= 10;
    } while (value);
    text_add_n(text, digits + first, sizeof digits - first);
}

int number_double(const struct number_text *number, const struct number_unit *unit, double *ret)
{
    if (!unit)
        unit = &no_unit;
    double sign = number->is_negative ? -1 : 1;
    if (number->is_infinite) {
        *ret = sign * HUGE_VAL;
        return NUMBER_OK;
    }
    if (number->is_long && !number->digits)
        return NUMBER_TOO_LARGE;
    CLEANUP(text_free) struct text text = {0};
    if (number->digits)
        text_add_n(&text, number->digits, number->n_digits);
    else
        add_decimal(&text, number->mantissa);
    text_printf(&text, "e%lld", (long long)(number->digits_exponent + unit->exponent));
    locale_t before = number_locale_c();
    double value = ldexp(strtod(text_get(&text), NULL) * unit->multiplier, (int)unit->shift);
    number_locale_restore(before);
    if (isinf(value))
        return NUMBER_TOO_LARGE;
    if (value == 0 && (number->mantissa != 0 || number->is_long))
        return NUMBER_TOO_SMALL;
    *ret = sign * value;
    return NUMBER_OK;
}

bool number_read(const char *text, double *ret)
{
    struct number_text number;
    return number_scan(text, strlen(text), &number) && number.n_unit == 0 &&
           number_double(&number, NULL, ret) == NUMBER_OK;
}

locale_t number_locale_c(void)
{
    /* A failure leaves the thread's locale as it is: uselocale(0) only asks. */
    return uselocale(newlocale(LC_ALL_MASK, "C", (locale_t)0));
}

void number_locale_restore(locale_t before)
{
    locale_t used = uselocale(before);
    if (used != LC_GLOBAL_LOCALE)
        freelocale(used);
}

void text_add_percent(struct text *out, double ratio)
{
    double percent = 100 * ratio;
    if (isfinite(percent))
        text_printf(out, percent >= 10 ? "%.1f %%" : "%.2f %%", percent);
    else
        text_add(out, "-");
}

void text_add_interval(struct text *out, double central_ns, double low_ns, double high_ns)
{
    static const double most_ratio = 0.5; /* from there on a half width says little */
    if (!isfinite(low_ns) || !isfinite(high_ns) || low_ns <= 0) { /* each time is above 0 */
        if (isfinite(low_ns) && !isfinite(high_ns))
            text_printf(out, "\u2265 %s", TIME_TEXT(low_ns, 4));
        else if (isfinite(high_ns))
            text_printf(out, "\u2264 %s", TIME_TEXT(high_ns, 4));
        return;
    }
    double below = central_ns - low_ns, above = high_ns - central_ns;
    bool alike = below >= 0 && above >= 0 && fabs(above - below) <= 0.5 * fmax(above, below);
    if (alike && fmax(above, below) < most_ratio * central_ns) {
        text_add(out, "\u00B1");
        text_add_percent(out, (above + below) / 2 / central_ns);
    } else {
        text_printf(out, "[%s, %s]", TIME_TEXT(low_ns, 4), TIME_TEXT(high_ns, 4));
    }
}
