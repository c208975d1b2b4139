/* expression_tokens.c - see expression_tokens.h. Tokens are those of SQLite's own reader:
 * https://sqlite.org/src/file?name=src/tokenize.c */
#include "core/config/expression_tokens.h"

#include <string.h>
#include <strings.h>

struct reader {
    const char *text;
    size_t i;
    size_t depth;     /* of parentheses */
    size_t opened_at; /* the outermost open one */
    struct arena *arena;
    struct expression_tokens *tokens;
};

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_of_name(char c)
{
    return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
           c == '$' || (unsigned char)c >= 0x80;
}

static void add_token(struct reader *reader, enum token_kind kind, size_t at, const char *name)
{
    ARENA_APPEND(reader->arena, reader->tokens->items, reader->tokens->n,
                 (struct expression_token){kind, at, reader->i, name, false});
}

static const char *read_name(struct reader *reader, enum token_kind kind, size_t at, char *name)
{
    const struct expression_tokens *tokens = reader->tokens;
    const struct expression_token *last = tokens->n ? &tokens->items[tokens->n - 1] : NULL;
    if (!*name)
        return "a name is empty; an empty text is ''";
    if (last && last->kind == TOKEN_WORD && strcasecmp(last->name, "in") == 0)
        return "tables cannot be read";
    add_token(reader, kind, at, name);
    return NULL;
}

/* Where the text in quotes that begins at text[at] ends, or 0. A quote that stands twice is one. */
static size_t end_of_quoted(const char *text, size_t at)
{
    char end = text[at] == '[' ? ']' : text[at];
    for (size_t i = at + 1; text[i]; i++) {
        if (text[i] != end)
            continue;
        if (end == ']' || text[i + 1] != end)
            return i + 1;
        i++;
    }
    return 0;
}

static const char *read_quoted(struct reader *reader)
{
    const char *text = reader->text;
    size_t at = reader->i, end = end_of_quoted(text, at), n = 0;
    if (end == 0)
        return "a quote that does not end";
    reader->i = end;
    if (text[at] == '\'') {
        add_token(reader, TOKEN_OTHER, at, NULL);
        return NULL;
    }
    char *name = arena_allocate(reader->arena, end - at);
    for (size_t i = at + 1; i < end - 1; i++) {
        name[n++] = text[i];
        i += text[at] != '[' && text[i] == text[at];
    }
    return read_name(reader, TOKEN_QUOTED_NAME, at, name);
}

static const char *read_word(struct reader *reader)
{
    const char *text = reader->text;
    size_t at = reader->i;
    while (is_of_name(text[reader->i]))
        reader->i++;
    if (reader->i == at + 1 && strchr("xX", text[at]) && text[reader->i] == '\'') {
        reader->i = at;
        return "blobs such as x'00' are not allowed in expressions";
    }
    return read_name(reader, TOKEN_WORD, at,
                     arena_text_n(reader->arena, text + at, reader->i - at));
}

static const char *read_number(struct reader *reader)
{
    const char *text = reader->text;
    size_t at = reader->i, i = at;
    if (text[i] == '0' && (text[i + 1] | 32) == 'x') {
        i += 2;
        i += strspn(text + i, "0123456789abcdefABCDEF");
    } else {
        i += strspn(text + i, "0123456789");
        if (text[i] == '.')
            i += 1 + strspn(text + i + 1, "0123456789");
        size_t sign = (text[i] | 32) == 'e' && text[i + 1] && strchr("+-", text[i + 1]);
        if ((text[i] | 32) == 'e' && is_digit(text[i + 1 + sign]))
            i += 1 + sign + strspn(text + i + 1 + sign, "0123456789");
    }
    if (is_of_name(text[i]))
        return "numbers in expressions have no unit and no '_': 64Ki is 64 * 1024";
    reader->i = i;
    add_token(reader, TOKEN_OTHER, at, NULL);
    return NULL;
}

static const char *read_parenthesis(struct reader *reader)
{
    if (reader->text[reader->i] == ')') {
        if (reader->depth-- == 0)
            return "')' without '('";
    } else {
        struct expression_tokens *tokens = reader->tokens;
        if (reader->depth++ == 0)
            reader->opened_at = reader->i;
        if (tokens->n > 0)
            tokens->items[tokens->n - 1].is_called = true;
    }
    reader->i++;
    add_token(reader, TOKEN_OTHER, reader->i - 1, NULL);
    return NULL;
}

static const char *read_operator(struct reader *reader)
{
    static const char *const pairs[] = {"||", "<<", ">>", "<=", ">=", "==", "!=", "<>"};
    const char *here = reader->text + reader->i;
    if (*here == ';' || strncmp(here, "--", 2) == 0 || strncmp(here, "/*", 2) == 0)
        return "comments and ';' are not allowed in expressions";
    if (strncmp(here, "&&", 2) == 0)
        return "no '&&' in expressions: \1write and";
    if (*here == '!' && here[1] != '=')
        return "no '!' in expressions: \1write not";
    if (*here == '?')
        return "no '?' in expressions: \1write case when A then B else C end";
    if (strncmp(here, "**", 2) == 0)
        return "no '**' in expressions: 2**31 is 1 << 31, x**2 is x * x or power(x, 2)";
    if (*here == '^')
        return "no '^' in expressions: 2^31 is 1 << 31, x^2 is x * x or power(x, 2)";
    if (strchr(":@$#", *here))
        return "parameters such as ':name' are not allowed in expressions";
    if (*here == ',' && reader->depth == 0)
        return "\1expected one value, not a list of them";
    size_t n = 0;
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0] && n == 0; i++)
        n = strncmp(here, pairs[i], 2) == 0 ? 2 : 0;
    if (n == 0 && !strchr("+-*/%<>=&|~.,", *here))
        return "unexpected character";
    reader->i += n ? n : 1;
    add_token(reader, TOKEN_OTHER, (size_t)(here - reader->text), NULL);
    return NULL;
}

static const char *read_token(struct reader *reader)
{
    const char *here = reader->text + reader->i;
    if (strchr("'\"`[", *here))
        return read_quoted(reader);
    if (strchr("()", *here))
        return read_parenthesis(reader);
    if (is_digit(*here) || (*here == '.' && is_digit(here[1])))
        return read_number(reader);
    if (is_of_name(*here) && *here != '$')
        return read_word(reader);
    return read_operator(reader);
}

const char *expression_tokens_read(const char *text, struct arena *arena,
                                   struct expression_tokens *ret, size_t *ret_at)
{
    struct reader reader = {.text = text, .arena = arena, .tokens = ret};
    for (;;) {
        *ret_at = reader.i += strspn(text + reader.i, " \t\r\n\f");
        if (!text[reader.i])
            break;
        const char *fault = read_token(&reader);
        if (fault)
            return fault;
    }
    if (reader.depth > 0) {
        *ret_at = reader.opened_at;
        return "'(' without ')'";
    }
    *ret_at = 0;
    return ret->n > 0 ? NULL : "\1expected an expression, got nothing";
}
