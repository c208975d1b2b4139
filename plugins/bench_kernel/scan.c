/* scan.c - see scan.h. Plugin side. */
#include "scan.h"

#include <stdlib.h>
#include <string.h>

/* May it be part of a name? */
static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (c >= '0' && c <= '9') ||
           c == '$';
}

/* Behind a word that begins at `at`; NULL: there is another one, or none. */
static const char *after_word(const char *at, const char *word)
{
    const size_t n = strlen(word);
    return strncmp(at, word, n) == 0 && !is_letter(at[n]) ? at + n : NULL;
}

static const char *after_blanks(const char *at)
{
    return at + strspn(at, " \t\r\n");
}

/* --- words of a source --- */

const char *scan_base_name(const char *expression, size_t *ret_n)
{
    const char *at = after_blanks(expression), *word;
    *ret_n = 0;
    for (;;) {
        at += strncmp(at, "::", 2) == 0 ? 2 : 0;
        word = at = after_blanks(at);
        while (is_letter(*at))
            at++;
        if (at == word || strncmp(after_blanks(at), "::", 2) != 0)
            break;
        at = after_blanks(at);
    }
    const char *next = after_blanks(at);
    if (at > word && (*next == '\0' || *next == '<'))
        *ret_n = (size_t)(at - word);
    return word;
}

/* The next place of a word from `at` on, or NULL. */
static const char *find_word(const char *text, const char *at, const char *word, size_t n)
{
    for (; *at != '\0'; at++)
        if (strncmp(at, word, n) == 0 && !is_letter(at[n]) && (at == text || !is_letter(at[-1])))
            return at;
    return NULL;
}

bool scan_has_word(const char *text, const char *word, size_t n)
{
    return find_word(text, text, word, n) != NULL;
}

static size_t word_length(const char *word)
{
    size_t n = 0;
    while (is_letter(word[n]))
        n++;
    return n;
}

/* Each name once; nothing behind the dots. */
static void add_name(char list[SCAN_LIST_BYTES], const char *name, size_t n)
{
    static const char more[] = "...";
    const size_t used = strlen(list), n_comma = used > 0 ? 2 : 0;
    const bool is_full = used + n_comma + n + 2 + sizeof more > SCAN_LIST_BYTES;
    if (n == 0 || find_word(list, list, name, n) != NULL || strstr(list, more) != NULL)
        return;
    memcpy(list + used, ", ", n_comma);
    memcpy(list + used + n_comma, is_full ? more : name, is_full ? sizeof more : n);
    list[used + n_comma + (is_full ? sizeof more - 1 : n)] = '\0';
}

/* The name is the last word before a parenthesis that does not belong to __launch_bounds__. */
void scan_list(const char *text, char ret[SCAN_LIST_BYTES])
{
    static const char mark[] = "__global__", bounds[] = "__launch_bounds__";
    ret[0] = '\0';
    const char *at = find_word(text, text, mark, sizeof mark - 1);
    for (; at != NULL; at = find_word(text, at, mark, sizeof mark - 1)) {
        const char *word = at += sizeof mark - 1;
        while ((at = after_blanks(at)) != NULL && (is_letter(*at) || *at == '(')) {
            if (*at == '(' && strncmp(word, bounds, sizeof bounds - 1) != 0) {
                add_name(ret, word, word_length(word));
                break;
            }
            const size_t n = *at == '(' ? strcspn(at, ")") : word_length(at);
            word = *at == '(' ? word : at;
            at += n + (at[n] == ')');
        }
    }
}

/* --- PTX --- */

void scan_list_ptx(const char *text, char ret[SCAN_LIST_BYTES])
{
    ret[0] = '\0';
    for (const char *at = strstr(text, ".entry"); at != NULL; at = strstr(at + 1, ".entry")) {
        const char *word = after_blanks(at + 6);
        add_name(ret, word, word_length(word));
    }
}

static size_t line_of(const char *text, const char *at)
{
    size_t line = 1;
    for (; text < at; text++)
        line += *text == '\n';
    return line;
}

/* ".param .u64 .ptr .align 1 x", ".param .align 4 .b8 x[12]" (PTX ISA, 5.1.6) */
static struct scan_parameter ptx_parameter(const char *text, const char *end)
{
    static const char *const sizes[] = {"8", "16", "32", "64"};
    static const char letters[] = "bsuf";
    static const enum scan_kind kinds[] = {SCAN_UNKNOWN, SCAN_INTEGER, SCAN_INTEGER, SCAN_FLOAT};
    const char *bracket = memchr(text, '[', (size_t)(end - text));
    struct scan_parameter parameter = {SCAN_UNKNOWN, 0};
    for (const char *at = text; at < end; at++) {
        const char *letter = *at == '.' && at[1] != '\0' ? strchr(letters, at[1]) : NULL;
        for (uint32_t i = 0; letter != NULL && i < sizeof sizes / sizeof sizes[0]; i++)
            if (after_word(at + 2, sizes[i]) != NULL) {
                const unsigned long count = bracket != NULL ? strtoul(bracket + 1, NULL, 10) : 1;
                parameter = (struct scan_parameter){kinds[letter - letters], (uint32_t)count << i};
            }
        if (*at == '.' && after_word(at + 1, "ptr") != NULL)
            parameter.kind = SCAN_POINTER;
    }
    if (parameter.kind == SCAN_INTEGER && parameter.bytes == 8)
        parameter.kind = SCAN_UNKNOWN;
    return parameter;
}

bool scan_ptx(const char *text, const char *name, struct scan_kernel *ret)
{
    for (const char *at = strstr(text, ".entry"); at != NULL; at = strstr(at + 1, ".entry")) {
        const char *word = after_blanks(at + 6), *behind = after_word(word, name);
        if (behind == NULL)
            continue;
        const char *open = after_blanks(behind);
        const char *end = *open == '(' ? strchr(open, ')') : open;
        const char *begin = open + 1;
        *ret = (struct scan_kernel){.line = line_of(text, word)};
        while (end != NULL && begin < end && ret->n < SCAN_PARAMETERS_MAX) {
            const char *comma = memchr(begin, ',', (size_t)(end - begin));
            const char *stop = comma != NULL ? comma : end;
            if (*after_blanks(begin) == '.')
                ret->parameters[ret->n++] = ptx_parameter(begin, stop);
            begin = stop + 1;
        }
        return end != NULL;
    }
    return false;
}

/* --- the headers that a source names --- */

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
    const char *first = after_word(at, is_directive ? "include" : "__has_include");
    const char *next = after_word(at, is_directive ? "include_next" : "__has_include_next");
    const char *name = first != NULL ? first : next;
    *ret_is_next = next != NULL;
    if (name == NULL || (!is_directive && sign > text && is_letter(sign[-1])))
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
        if (is_letter(*name) && (*sign != '#' || begins_line(text, sign))) {
            *ret = (struct scan_include){name, 0, false, true};
            return true;
        }
    }
    return false;
}
