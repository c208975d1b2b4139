/* utf8.c - see utf8.h. */
#include "core/base/utf8.h"

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
