/* scan.c - see scan.h. Plugin side. */
#include "scan.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

bool scan_is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (c >= '0' && c <= '9') ||
           c == '$';
}

const char *scan_after_word(const char *at, const char *word)
{
    const size_t n = strlen(word);
    return strncmp(at, word, n) == 0 && !scan_is_letter(at[n]) ? at + n : NULL;
}

static const char *after_blanks(const char *at)
{
    return at + strspn(at, " \t\r\n");
}

/* --- comments and strings --- */

/* How many bytes from here on are a comment or literal, 0: none. */
static size_t hidden_length(const char *at)
{
    if (at[0] == '/' && at[1] == '/')
        return strcspn(at, "\n");
    if (at[0] == '/' && at[1] == '*') {
        const char *end = strstr(at + 2, "*/");
        return end != NULL ? (size_t)(end - at) + 2 : strlen(at);
    }
    if (at[0] != '"' && at[0] != '\'')
        return 0;
    size_t n = 1;
    while (at[n] != '\0' && at[n] != '\n' && at[n] != at[0])
        n += at[n] == '\\' && at[n + 1] != '\0' ? 2 : 1;
    return at[n] == at[0] ? n + 1 : n;
}

char *scan_strip(const char *text)
{
    char *copy = strdup(text);
    if (copy == NULL)
        return NULL;
    for (char *at = copy; *at != '\0';) {
        const bool is_separator = *at == '\'' && at > copy && scan_is_letter(at[-1]); /* 1'000 */
        const size_t n = is_separator ? 0 : hidden_length(at);
        for (size_t i = 0; i < n; i++)
            at[i] = at[i] == '\n' ? '\n' : ' ';
        at += n > 0 ? n : 1;
    }
    return copy;
}

/* --- words --- */

const char *scan_base_name(const char *expression, size_t *ret_n)
{
    const char *at = after_blanks(expression), *word;
    *ret_n = 0;
    for (;;) {
        at += strncmp(at, "::", 2) == 0 ? 2 : 0;
        word = at = after_blanks(at);
        while (scan_is_letter(*at))
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
        if (strncmp(at, word, n) == 0 && !scan_is_letter(at[n]) &&
            (at == text || !scan_is_letter(at[-1])))
            return at;
    return NULL;
}

bool scan_has_word(const char *stripped, const char *word, size_t n)
{
    return find_word(stripped, stripped, word, n) != NULL;
}

/* --- parameters --- */

enum { WORDS_MAX = 12 };

struct words {
    size_t n;
    struct {
        const char *text;
        size_t n;
    } items[WORDS_MAX];
};

static bool is_qualifier(const char *text, size_t n)
{
    static const char *const qualifiers[] = {"const",      "volatile", "__restrict__",
                                             "__restrict", "restrict", "__grid_constant__"};
    for (size_t i = 0; i < sizeof qualifiers / sizeof qualifiers[0]; i++)
        if (strlen(qualifiers[i]) == n && memcmp(text, qualifiers[i], n) == 0)
            return true;
    return false;
}

static struct words words_of(const char *text, const char *end)
{
    struct words words = {0};
    while (text < end && words.n < WORDS_MAX) {
        if (!scan_is_letter(*text)) {
            text++;
            continue;
        }
        const char *word = text;
        while (text < end && scan_is_letter(*text))
            text++;
        if (is_qualifier(word, (size_t)(text - word)))
            continue;
        words.items[words.n].text = word;
        words.items[words.n++].n = (size_t)(text - word);
    }
    return words;
}

/* Types whose size is the same wherever CUDA runs; `long` is as long as here. */
static const struct {
    const char *name;
    enum scan_kind kind;
    uint32_t bytes;
} builtins[] = {
    {"int", SCAN_INTEGER, 4},
    {"unsigned", SCAN_INTEGER, 4},
    {"float", SCAN_FLOAT, 4},
    {"double", SCAN_FLOAT, 8},
    {"char", SCAN_INTEGER, 1},
    {"bool", SCAN_INTEGER, 1},
    {"size_t", SCAN_INTEGER, 8},
    {"int8_t", SCAN_INTEGER, 1},
    {"uint8_t", SCAN_INTEGER, 1},
    {"int16_t", SCAN_INTEGER, 2},
    {"uint16_t", SCAN_INTEGER, 2},
    {"int32_t", SCAN_INTEGER, 4},
    {"uint32_t", SCAN_INTEGER, 4},
    {"int64_t", SCAN_INTEGER, 8},
    {"uint64_t", SCAN_INTEGER, 8},
    {"short", SCAN_INTEGER, 2},
    {"long", SCAN_INTEGER, sizeof(long)},
};

/* Only plain ones: `unsigned long long n` has words that change each other. */
static struct scan_parameter parameter_of(const struct words *words)
{
    if (words->n > 2)
        return (struct scan_parameter){SCAN_UNKNOWN, 0};
    for (size_t i = 0; i < sizeof builtins / sizeof builtins[0]; i++)
        if (strlen(builtins[i].name) == words->items[0].n &&
            memcmp(builtins[i].name, words->items[0].text, words->items[0].n) == 0)
            return (struct scan_parameter){builtins[i].kind, builtins[i].bytes};
    return (struct scan_parameter){SCAN_UNKNOWN, 0};
}

static bool has_sign(const char *text, const char *end, char sign)
{
    return memchr(text, sign, (size_t)(end - text)) != NULL;
}

static void add_parameter(struct scan_kernel *kernel, const char *text, const char *end)
{
    const struct words words = words_of(text, end);
    struct scan_parameter parameter = {SCAN_UNKNOWN, 0};
    const bool is_pointer = has_sign(text, end, '*') || has_sign(text, end, '[');
    if (is_pointer)
        parameter.kind = SCAN_POINTER;
    else if (words.n > 0 && !has_sign(text, end, '<') && !has_sign(text, end, '&'))
        parameter = parameter_of(&words);
    if (has_sign(text, end, '(') || has_sign(text, end, '.') ||
        (words.n < 2 && !is_pointer && parameter.kind == SCAN_UNKNOWN) ||
        kernel->n == SCAN_PARAMETERS_MAX)
        kernel->is_certain = false;
    else
        kernel->parameters[kernel->n++] = parameter;
}

/* text: after the opening parenthesis. */
static void read_parameters(const char *text, struct scan_kernel *kernel)
{
    const char *begin = text;
    int depth = 0;
    kernel->is_certain = true;
    for (const char *at = text; kernel->is_certain; at++) {
        if (*at == '\0' || *at == ';' || *at == '#') {
            kernel->is_certain = false;
        } else if (depth == 0 && (*at == ',' || *at == ')')) {
            const struct words words = words_of(begin, at);
            const bool is_none = *at == ')' && kernel->n == 0 &&
                                 (words.n == 0 ||
                                  (words.n == 1 && strncmp(words.items[0].text, "void", 4) == 0 &&
                                   words.items[0].n == 4 && !has_sign(begin, at, '*')));
            if (!is_none)
                add_parameter(kernel, begin, at);
            if (*at == ')')
                return;
            begin = at + 1;
        } else if (strchr("(<[{", *at) != NULL) {
            depth++;
        } else if (strchr(")>]}", *at) != NULL) {
            depth--;
        }
    }
}

/* --- templates --- */

static size_t word_length(const char *word)
{
    size_t n = 0;
    while (scan_is_letter(word[n]))
        n++;
    return n;
}

/* Goes through a list between < and >: how many items it has, and how many of them have a default.
 * What is behind it, or NULL: its end is not found. A > inside parentheses ends nothing. */
static const char *read_list(const char *text, size_t *ret_n, size_t *ret_n_defaults,
                             bool *ret_is_open)
{
    int angles = 0, others = 0;
    bool is_empty = true, is_default = false;
    *ret_n = *ret_n_defaults = 0;
    *ret_is_open = false;
    for (const char *at = text; *at != '\0' && strchr(";#", *at) == NULL; at++) {
        const bool is_outside = angles == 0 && others == 0;
        if (is_outside && (*at == ',' || *at == '>')) {
            *ret_n += *at == ',' || !is_empty;
            *ret_n_defaults += is_default;
            is_default = false;
            if (*at == '>')
                return at + 1;
        }
        is_default = is_default || (is_outside && *at == '=');
        *ret_is_open = *ret_is_open || strncmp(at, "...", 3) == 0;
        is_empty = is_empty && strchr(" \t\r\n", *at) != NULL;
        others += strchr("([{", *at) != NULL ? 1 : strchr(")]}", *at) != NULL ? -1 : 0;
        if (others == 0)
            angles += *at == '<' ? 1 : *at == '>' ? -1 : 0;
    }
    return NULL;
}

bool scan_template_arguments(const char *expression, size_t *ret_n)
{
    size_t n_defaults = 0, n = 0;
    bool is_open = false;
    const char *word = scan_base_name(expression, &n);
    const char *open = n > 0 ? after_blanks(word + n) : "";
    return *open == '<' && read_list(open + 1, ret_n, &n_defaults, &is_open) != NULL;
}

bool scan_defines_argument(const char *stripped, const char *expression)
{
    static const char mark[] = "define";
    const char *open = strchr(expression, '<');
    const char *at = find_word(stripped, stripped, mark, sizeof mark - 1);
    for (; open != NULL && at != NULL; at = find_word(stripped, at, mark, sizeof mark - 1)) {
        at = after_blanks(at + sizeof mark - 1);
        const size_t n = word_length(at);
        if (n > 0 && scan_has_word(open, at, n))
            return true;
    }
    return false;
}

/* What stands between the end of the last declaration and __global__. Only words that are known
 * there say that it is no template. */
static struct scan_template template_of(const char *begin, const char *global)
{
    static const char mark[] = "template";
    struct scan_template result = {0};
    size_t n_defaults = 0;
    bool is_open = false;
    const char *at = find_word(begin, begin, mark, sizeof mark - 1);
    result.is_one = at != NULL && at < global;
    if (!result.is_one) {
        result.is_certain = true;
        for (at = begin; at < global; at++) {
            const char *rest = scan_after_word(at, "extern");
            rest = rest != NULL ? rest : scan_after_word(at, "static");
            rest = rest != NULL ? rest : scan_after_word(at, "inline");
            if (*at == '#')
                at += strcspn(at, "\n");
            else if (rest != NULL)
                at = rest - 1;
            else
                result.is_certain = result.is_certain && strchr(" \t\r\n", *at) != NULL;
        }
        return result;
    }
    const char *open = after_blanks(at + sizeof mark - 1);
    const char *end = *open == '<' ? read_list(open + 1, &result.most, &n_defaults, &is_open)
                                   : NULL;
    result.is_certain = end != NULL && end <= global && result.most > 0;
    result.least = result.most - n_defaults - (is_open ? 1 : 0);
    result.most = is_open ? SIZE_MAX : result.most;
    return result;
}

static size_t line_of(const char *text, const char *at)
{
    size_t line = 1;
    for (; text < at; text++)
        line += *text == '\n';
    return line;
}

size_t scan_kernels(const char *stripped, const char *name, size_t n, struct scan_kernel *ret,
                    size_t max)
{
    static const char mark[] = "__global__";
    size_t found = 0;
    const char *at = find_word(stripped, stripped, name, n);
    for (; at != NULL && found < max; at = find_word(stripped, at + n, name, n)) {
        const char *begin = at;
        while (begin > stripped && strchr(";{}", begin[-1]) == NULL)
            begin--;
        const char *global = find_word(stripped, begin, mark, sizeof mark - 1);
        const char *next = after_blanks(at + n);
        if (global == NULL || global > at || (*next != '(' && *next != '<'))
            continue;
        ret[found] = (struct scan_kernel){.line = line_of(stripped, at),
                                          .template = template_of(begin, global)};
        if (*next == '(')
            read_parameters(next + 1, &ret[found]);
        found++;
    }
    return found;
}

/* --- names --- */

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
void scan_list(const char *stripped, char ret[SCAN_LIST_BYTES])
{
    static const char mark[] = "__global__", bounds[] = "__launch_bounds__";
    ret[0] = '\0';
    const char *at = find_word(stripped, stripped, mark, sizeof mark - 1);
    for (; at != NULL; at = find_word(stripped, at, mark, sizeof mark - 1)) {
        const char *word = at += sizeof mark - 1;
        while ((at = after_blanks(at)) != NULL && (scan_is_letter(*at) || *at == '(')) {
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

void scan_list_ptx(const char *text, char ret[SCAN_LIST_BYTES])
{
    ret[0] = '\0';
    for (const char *at = strstr(text, ".entry"); at != NULL; at = strstr(at + 1, ".entry")) {
        const char *word = after_blanks(at + 6);
        add_name(ret, word, word_length(word));
    }
}

/* --- PTX and cubin --- */

/* ".param .u64 .ptr .align 1 x", ".param .align 4 .b8 x[12]" (PTX ISA, 5.1.6) */
static uint32_t ptx_parameter_bytes(const char *text, const char *end)
{
    static const char *const sizes[] = {"8", "16", "32", "64"};
    for (const char *at = text; at < end; at++) {
        if (*at != '.' || strchr("bsuf", at[1]) == NULL || at[1] == '\0')
            continue;
        for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
            const size_t n = strlen(sizes[i]);
            if (strncmp(at + 2, sizes[i], n) != 0 || scan_is_letter(at[2 + n]))
                continue;
            const char *bracket = memchr(at, '[', (size_t)(end - at));
            const unsigned long count = bracket != NULL ? strtoul(bracket + 1, NULL, 10) : 1;
            return (uint32_t)(count << i);
        }
    }
    return 0;
}

bool scan_ptx(const char *text, const char *name, struct scan_kernel *ret)
{
    const size_t n = strlen(name);
    for (const char *at = strstr(text, ".entry"); at != NULL; at = strstr(at + 1, ".entry")) {
        const char *word = after_blanks(at + 6);
        if (strncmp(word, name, n) != 0 || scan_is_letter(word[n]))
            continue;
        *ret = (struct scan_kernel){.line = line_of(text, word), .is_certain = true};
        const char *open = after_blanks(word + n);
        const char *end = *open == '(' ? strchr(open, ')') : open;
        const char *begin = open + 1;
        while (end != NULL && begin < end && ret->n < SCAN_PARAMETERS_MAX) {
            const char *comma = memchr(begin, ',', (size_t)(end - begin));
            const char *stop = comma != NULL ? comma : end;
            if (*after_blanks(begin) == '.')
                ret->parameters[ret->n++].bytes = ptx_parameter_bytes(begin, stop);
            begin = stop + 1;
        }
        ret->is_certain = end != NULL;
        return true;
    }
    return false;
}

static bool has_symbol(const char *file, size_t bytes, const Elf64_Shdr *table,
                       const Elf64_Shdr *strings, const char *name)
{
    const size_t length = strlen(name) + 1;
    if (table->sh_offset > bytes || table->sh_size > bytes - table->sh_offset ||
        strings->sh_offset > bytes || strings->sh_size > bytes - strings->sh_offset)
        return false;
    for (uint64_t i = 0; i + sizeof(Elf64_Sym) <= table->sh_size; i += sizeof(Elf64_Sym)) {
        Elf64_Sym symbol;
        memcpy(&symbol, file + table->sh_offset + i, sizeof symbol);
        if (ELF64_ST_TYPE(symbol.st_info) == STT_FUNC && symbol.st_name < strings->sh_size &&
            length <= strings->sh_size - symbol.st_name &&
            memcmp(file + strings->sh_offset + symbol.st_name, name, length) == 0)
            return true;
    }
    return false;
}

bool scan_elf(const void *file, size_t bytes, const char *name, bool *ret_is_elf)
{
    const char *begin = file;
    Elf64_Ehdr head;
    *ret_is_elf = bytes >= sizeof head && memcmp(file, ELFMAG, SELFMAG) == 0 &&
                  begin[EI_CLASS] == ELFCLASS64;
    if (!*ret_is_elf)
        return false;
    memcpy(&head, file, sizeof head);
    if (head.e_shentsize != sizeof(Elf64_Shdr) || head.e_shoff > bytes ||
        (uint64_t)head.e_shnum * sizeof(Elf64_Shdr) > bytes - head.e_shoff)
        return false;
    for (uint32_t i = 0; i < head.e_shnum; i++) {
        Elf64_Shdr section, strings;
        memcpy(&section, begin + head.e_shoff + i * sizeof section, sizeof section);
        if (section.sh_type != SHT_SYMTAB || section.sh_link >= head.e_shnum)
            continue;
        memcpy(&strings, begin + head.e_shoff + section.sh_link * sizeof strings, sizeof strings);
        if (has_symbol(begin, bytes, &section, &strings, name))
            return true;
    }
    return false;
}
