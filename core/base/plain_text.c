/* plain_text.c - see plain_text.h. */
#include "core/base/plain_text.h"

#include <stdint.h>
#include <string.h>

size_t utf8_length(const char *text, size_t n)
{
    /* Which first bytes a form has, and which second ones: the third and fourth are 80 to BF. */
    static const struct {
        unsigned char first_low, first_high, second_low, second_high;
        size_t length;
    } forms[] = {{0xC2, 0xDF, 0x80, 0xBF, 2}, {0xE0, 0xE0, 0xA0, 0xBF, 3},
                 {0xE1, 0xEC, 0x80, 0xBF, 3}, {0xED, 0xED, 0x80, 0x9F, 3},
                 {0xEE, 0xEF, 0x80, 0xBF, 3}, {0xF0, 0xF0, 0x90, 0xBF, 4},
                 {0xF1, 0xF3, 0x80, 0xBF, 4}, {0xF4, 0xF4, 0x80, 0x8F, 4}};
    const unsigned char *at = (const unsigned char *)text;
    if (n == 0 || at[0] < 0x80)
        return n > 0;
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        if (at[0] < forms[i].first_low || at[0] > forms[i].first_high)
            continue;
        if (n < forms[i].length || at[1] < forms[i].second_low || at[1] > forms[i].second_high)
            return 0;
        for (size_t j = 2; j < forms[i].length; j++)
            if ((at[j] & 0xC0) != 0x80)
                return 0;
        return forms[i].length;
    }
    return 0;
}

/* Of two or three bytes, well-formed. */
static bool steers(const unsigned char *at)
{
    if (at[0] == 0xC2)
        return at[1] < 0xA0; /* U+0080 to U+009F */
    return at[0] == 0xE2 && ((at[1] == 0x80 && at[2] >= 0xA8 && at[2] <= 0xAE) ||
                             (at[1] == 0x81 && at[2] >= 0xA6 && at[2] <= 0xA9));
}

size_t plain_length(const char *text, size_t n)
{
    const unsigned char *at = (const unsigned char *)text;
    size_t length = utf8_length(text, n);
    if (length == 1)
        return at[0] >= 0x20 && at[0] != 0x7F;
    return length > 0 && steers(at) ? 0 : length;
}

bool is_plain_line(const char *text)
{
    const char *at = text;
    for (size_t n; *at && (n = plain_length(at, SIZE_MAX)) > 0;)
        at += n;
    return at > text && !*at;
}

char *make_plain(char *text)
{
    if (!text)
        return NULL;
    char *out = text;
    for (const char *at = text; *at;) {
        size_t n = plain_length(at, SIZE_MAX), whole = utf8_length(at, SIZE_MAX);
        if (*at == '\n' || *at == '\t')
            n = 1;
        if (n > 0)
            memmove(out, at, n);
        else
            *out = '?';
        out += n ? n : 1;
        at += n ? n : whole ? whole : 1;
    }
    *out = 0;
    return text;
}

char *make_plain_line(char *text)
{
    make_plain(text);
    for (char *at = text; at && *at; at++)
        if (*at == '\n' || *at == '\t')
            *at = ' ';
    return text;
}
