/* judge_sizes.c - see judge_sizes.h. */
#include "core/cli/judge_sizes.h"

#include "core/base/text.h"
#include "core/config/value.h"

#include <string.h>

enum { FILE_MOST = 1 << 20 };

/* ---- a shape ---- */

/* Takes blanks off, and quotes around the whole. */
static const char *word_of(const char *text, size_t n, struct arena *arena)
{
    text_trim(&text, &n);
    const bool is_quoted = n > 1 && (*text == '"' || *text == '\'') && text[n - 1] == *text;
    return is_quoted ? arena_text_n(arena, text + 1, n - 2) : arena_text_n(arena, text, n);
}

int32_t judge_size_add(struct judge_size *size, const char *name, size_t n_name, const char *value,
                       size_t n_value, struct arena *arena, struct gb_error *error)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";
    static const char *const words[][2] = {{"true", "True"}, {"false", "False"}, {"null", "None"}};
    const char *key = word_of(name, n_name, arena), *text = word_of(value, n_value, arena);
    size_t n = size->n;
    if (!*key || key[strspn(key, letters)])
        return error_set(error, GB_INVALID, "'%s': \1expected a name, as of a variable", key);
    if (!*text)
        return error_set(error, GB_INVALID, "'%s' has no value", key);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        text = text_equal(text, words[i][0]) ? words[i][1] : text;
    ARENA_APPEND(arena, size->names, n, key);
    ARENA_APPEND(arena, size->values, size->n, text);
    return GB_OK;
}

/* How far a byte is inside of quotes and brackets. */
struct nesting {
    char quote; /* 0: of none */
    int depth;
};

static bool is_outside(struct nesting *nesting, char byte)
{
    if (nesting->quote)
        nesting->quote = byte == nesting->quote ? 0 : nesting->quote;
    else if (byte == '"' || byte == '\'')
        nesting->quote = byte;
    else if (byte == '[' || byte == '{')
        nesting->depth++;
    else if (byte == ']' || byte == '}')
        nesting->depth--;
    return nesting->depth <= 0 && !nesting->quote;
}

/* Up to the first such byte that stands outside of quotes and brackets, or all. */
static size_t length_until(const char *text, size_t n, char byte)
{
    struct nesting nesting = {0};
    size_t i = 0;
    while (i < n && !(is_outside(&nesting, text[i]) && text[i] == byte))
        i++;
    return i;
}

/* "m=64 n=128", "\"m\": 64, \"n\": 128": pairs with `between` between them, `assign` in each. */
static int32_t read_pairs(const char *text, size_t n, char between, char assign,
                          struct arena *arena, struct judge_size *ret, struct gb_error *error)
{
    for (size_t at = 0; at < n;) {
        const char *pair = text + at;
        size_t n_pair = length_until(pair, n - at, between);
        at += n_pair + 1;
        text_trim(&pair, &n_pair);
        const size_t n_name = length_until(pair, n_pair, assign);
        if (n_pair == 0)
            continue;
        if (n_name == n_pair)
            return error_set(error, GB_INVALID, "'%.*s': \1expected NAME%cVALUE", (int)n_pair, pair,
                             assign);
        if (judge_size_add(ret, pair, n_name, pair + n_name + 1, n_pair - n_name - 1, arena,
                           error) != GB_OK)
            return GB_INVALID;
    }
    return ret->n > 0 ? GB_OK : error_set(error, GB_INVALID, "a shape without a value");
}

/* ---- files ---- */

struct sizes_file {
    const char *path;
    struct arena *arena;
    struct judge_sizes *sizes;
    struct judge_size_list *list; /* of task.yml, the one that a line is in; NULL: in none */
    const char *item;             /* where the item begun began; NULL: there is none */
    size_t n_item;
    uint32_t item_line, line;
};

static int32_t add_size(struct sizes_file *file, struct judge_size_list *list, const char *text,
                        size_t n, const char signs[2], uint32_t line, struct gb_error *error)
{
    struct judge_size size = {0};
    if (read_pairs(text, n, signs[0], signs[1], file->arena, &size, error) != GB_OK)
        return error_prefix(error, "%s:%u: ", file->path, line);
    ARENA_APPEND(file->arena, list->items, list->n, size);
    return GB_OK;
}

/* The item begun is whole. */
static int32_t end_item(struct sizes_file *file, struct gb_error *error)
{
    const char *text = file->item;
    size_t n = file->n_item;
    if (!text)
        return GB_OK;
    file->item = NULL;
    text_trim(&text, &n);
    const bool is_in_braces = n > 1 && *text == '{' && text[n - 1] == '}';
    return is_in_braces ? add_size(file, file->list, text + 1, n - 2, ",:", file->item_line, error)
                        : add_size(file, file->list, text, n, "\n:", file->item_line, error);
}

/* "tests:" and what else begins in the first column. */
static int32_t begin_key(struct sizes_file *file, const char *line, size_t n,
                         struct gb_error *error)
{
    static const char *const keys[] = {"tests:", "benchmarks:"};
    struct judge_size_list *const lists[] = {&file->sizes->tests, &file->sizes->measured};
    int32_t status = end_item(file, error);
    file->list = NULL;
    for (size_t i = 0; i < sizeof keys / sizeof *keys && status == GB_OK; i++) {
        const size_t n_key = strlen(keys[i]);
        if (n < n_key || memcmp(line, keys[i], n_key) != 0)
            continue;
        file->list = lists[i];
        if (n > n_key)
            status = error_set(error, GB_INVALID,
                               "%s:%u: %s \1expected the items below it, such as - {\"m\": 64}",
                               file->path, file->line, keys[i]);
    }
    return status;
}

static int32_t read_task_line(struct sizes_file *file, const char *line, size_t n,
                              struct gb_error *error)
{
    const char *word = line;
    size_t n_word = n;
    text_trim(&word, &n_word);
    if (n_word == 0)
        return GB_OK;
    if (word == line && *word != '-')
        return begin_key(file, line, n_word, error);
    if (file->list && *word == '-') {
        const int32_t status = end_item(file, error);
        file->item = word + 1;
        file->n_item = n_word - 1;
        file->item_line = file->line;
        return status;
    }
    if (file->item)
        file->n_item = (size_t)(word + n_word - file->item);
    return GB_OK;
}

/* Comments and tabs become blanks, so that items of several lines stay in one piece. */
static size_t blank_comment(char *line, size_t n)
{
    for (size_t i = 0; i < n; i++)
        line[i] = line[i] == '\t' ? ' ' : line[i];
    const size_t at = *line == '#' ? 0 : length_until(line, n, '#');
    if (at < n && (at == 0 || line[at - 1] == ' '))
        memset(line + at, ' ', n - at);
    return n;
}

static int32_t read_lines(struct sizes_file *file, char *text, struct gb_error *error)
{
    const bool is_task = text_ends_with(file->path, ".yml") || text_ends_with(file->path, ".yaml");
    int32_t status = GB_OK;
    for (char *line = text; *line && status == GB_OK;) {
        const size_t n = blank_comment(line, strcspn(line, "\n"));
        const char *word = line;
        size_t n_word = n;
        text_trim(&word, &n_word);
        file->line++;
        if (is_task)
            status = read_task_line(file, line, n, error);
        else if (n_word > 0)
            status = add_size(file, &file->sizes->measured, word, n_word, " =", file->line, error);
        line += n + (line[n] == '\n');
    }
    return status == GB_OK ? end_item(file, error) : status;
}

int32_t judge_sizes_read(const char *path, struct arena *arena, struct judge_sizes *ret,
                         struct gb_error *error)
{
    CLEANUP(text_free) struct text text = {0};
    struct sizes_file file = {.path = path, .arena = arena, .sizes = ret};
    *ret = (struct judge_sizes){0};
    if (text_add_file(&text, path, FILE_MOST) != FILE_READ)
        return error_set(error, GB_IO, "%s cannot be read, or is larger than 1 MiB", path);
    if (text.length > 0 && read_lines(&file, text.data, error) != GB_OK)
        return error->status;
    return ret->measured.n > 0 ? GB_OK
                               : error_set(error, GB_INVALID, "%s: contains no shape", path);
}
