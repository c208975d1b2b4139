/* scan_include.c - the headers that a source names; see scan.h. Plugin side. */
#include "scan.h"

#include <string.h>

/* Behind blanks, comments and lines that go on. */
static const char *after_gaps(const char *at)
{
    for (;;) {
        const char *end = NULL;
        if (*at == ' ' || *at == '\t')
            at++;
        else if (at[0] == '\\' && at[1] == '\n')
            at += 2;
        else if (at[0] == '/' && at[1] == '*' && (end = strstr(at + 2, "*/")) != NULL)
            at = end + 2;
        else
            return at;
    }
}

/* Is the '#' the first thing in its line? */
static bool begins_line(const char *text, const char *sign)
{
    while (sign > text && (sign[-1] == ' ' || sign[-1] == '\t'))
        sign--;
    return sign == text || sign[-1] == '\n';
}

/* Where the name of a header is expected; NULL: nothing here includes or asks for one. */
static const char *name_place(const char *text, const char *sign, bool *ret_is_next)
{
    const bool is_directive = *sign == '#';
    const char *at = is_directive ? after_gaps(sign + 1) : sign;
    const char *first = scan_after_word(at, is_directive ? "include" : "__has_include");
    const char *next = scan_after_word(at, is_directive ? "include_next" : "__has_include_next");
    const char *name = first != NULL ? first : next;
    *ret_is_next = next != NULL;
    if (name == NULL || (!is_directive && sign > text && scan_is_letter(sign[-1])))
        return NULL;
    name = after_gaps(name);
    if (is_directive)
        return name;
    return *name == '(' ? after_gaps(name + 1) : NULL;
}

bool scan_next_include(const char **at, struct scan_include *ret)
{
    const char *text = *at;
    for (const char *sign = strpbrk(text, "#_"); sign != NULL; sign = strpbrk(sign + 1, "#_")) {
        bool is_next = false;
        const char *name = name_place(text, sign, &is_next);
        if (name == NULL)
            continue;
        const char close = *name == '<' ? '>' : '"';
        const char *end = *name == '<' || *name == '"' ? strpbrk(name + 1, "\n\">") : NULL;
        *at = name;
        if (end != NULL && *end == close) {
            *ret = (struct scan_include){name + 1, (size_t)(end - name - 1), close == '"', is_next};
            return true;
        }
        if (scan_is_letter(*name) && (*sign != '#' || begins_line(text, sign))) {
            *ret = (struct scan_include){name, 0, false, true};
            return true;
        }
    }
    return false;
}
