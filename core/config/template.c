/* template.c - see template.h. */
#include "core/config/template.h"

#include "core/base/text.h"

#include <string.h>

/* A part of the text: bytes as they are, or an expression. */
struct part {
    size_t source;                 /* where it begins in the text */
    const char *text;              /* literal parts */
    struct expression *expression; /* NULL: literal */
};

struct template
{
    const char *text;
    struct origin origin;
    struct part *parts;
    size_t n;
};

bool template_is_needed(const char *text)
{
    return strpbrk(text, "{}") != NULL;
}

/* The length of an expression up to the brace that ends it; the length of all if there is none. */
static size_t expression_length(const char *text)
{
    char quote = 0;
    size_t i = 0;
    for (; text[i] && (quote || text[i] != '}'); i++) {
        if (quote)
            quote = text[i] == quote ? 0 : quote;
        else if (text[i] == '\'' || text[i] == '"')
            quote = text[i];
    }
    return i;
}

/* A template while it is read. */
struct reader {
    struct template *template;
    struct expression_engine *engine;
    const struct expression_column *columns;
    size_t n_columns;
    struct arena *arena;
    struct gb_error *error;
};

static struct part *add_part(const struct reader *reader, size_t source)
{
    struct template *template = reader->template;
    struct part *part = ARENA_ADD(reader->arena, template->parts, template->n);
    *part = (struct part){.source = source};
    return part;
}

static void add_literal(const struct reader *reader, size_t source, size_t n)
{
    if (n > 0)
        add_part(reader, source)->text = arena_text_n(reader->arena,
                                                      reader->template->text + source, n);
}

static int32_t add_expression(const struct reader *reader, size_t at, size_t *ret_end)
{
    struct template *template = reader->template;
    const char *inside = template->text + at + 1;
    size_t n = expression_length(inside);
    struct origin origin = origin_at(template->origin, template->text, at);
    if (!inside[n])
        return error_set_at(reader->error, GB_INVALID, origin,
                            "'{' without '}': \1expected {EXPRESSION}, or {{ for a brace");
    if (strspn(inside, " \t\n") == n)
        return error_set_at(reader->error, GB_INVALID, origin,
                            "{} is empty: \1expected {EXPRESSION}, or {{ for a brace");
    struct expression *expression = NULL;
    int32_t status = expression_compile(reader->engine, arena_text_n(reader->arena, inside, n),
                                        origin_at(template->origin, template->text, at + 1),
                                        reader->columns, reader->n_columns, &expression,
                                        reader->error);
    if (status == GB_OK)
        add_part(reader, at)->expression = expression;
    *ret_end = at + n + 2;
    return status;
}

static int32_t read_parts(const struct reader *reader)
{
    const char *text = reader->template->text;
    size_t at = 0;
    while (text[at]) {
        size_t n = strcspn(text + at, "{}");
        char brace = text[at + n];
        bool is_doubled = brace && text[at + n + 1] == brace;
        add_literal(reader, at, n + is_doubled);
        at += n;
        if (is_doubled) {
            at += 2;
        } else if (brace == '}') {
            return error_set_at(reader->error, GB_INVALID,
                                origin_at(reader->template->origin, reader->template->text, at),
                                "'}' without '{': \1expected {EXPRESSION}, or }} for a brace");
        } else if (brace) {
            int32_t status = add_expression(reader, at, &at);
            if (status != GB_OK)
                return status;
        }
    }
    return GB_OK;
}

int32_t template_compile(struct expression_engine *engine, const char *text, struct origin origin,
                         const struct expression_column *columns, size_t n, struct arena *arena,
                         struct template **ret, struct gb_error *error)
{
    struct template *template = ARENA_NEW(arena, struct template);
    *template = (struct template){.text = arena_text(arena, text), .origin = origin};
    struct reader reader = {template, engine, columns, n, arena, error};
    int32_t status = read_parts(&reader);
    if (status == GB_OK)
        *ret = template;
    else
        template_free(template);
    return status;
}

void template_free(struct template *template)
{
    for (size_t i = 0; template && i < template->n; i++)
        expression_free(template->parts[i].expression);
}

bool template_reads(const struct template *template, const char *column)
{
    for (size_t i = 0; i < template->n; i++)
        if (template->parts[i].expression &&
            expression_reads(template->parts[i].expression, column))
            return true;
    return false;
}

int32_t template_expand(const struct template *template, const struct expression_column *columns,
                        struct arena *arena, const char **ret, struct text_map *ret_map,
                        struct gb_error *error)
{
    CLEANUP(text_free) struct text text = {0};
    struct text_piece *pieces = ARENA_ARRAY(arena, struct text_piece, template->n);
    for (size_t i = 0; i < template->n; i++) {
        const struct part *part = &template->parts[i];
        struct value value = {.text = part->text};
        int32_t status = part->expression
                             ? expression_evaluate(part->expression, columns, arena, &value, error)
                             : GB_OK;
        if (status != GB_OK) {
            if (error)
                error->origin = origin_at(template->origin, template->text, part->source);
            return status;
        }
        pieces[i] = (struct text_piece){text.length, part->source, !part->expression};
        text_add(&text, value.text);
    }
    *ret = arena_text(arena, text_get(&text));
    *ret_map = (struct text_map){template->n, pieces};
    return GB_OK;
}
