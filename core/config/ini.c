/* ini.c - see ini.h. */
#define _GNU_SOURCE /* tdestroy */
#include "core/config/ini.h"

#include "core/base/members.h"
#include "core/base/number_text.h"
#include "core/base/plain_text.h"
#include "core/base/text.h"
#include "core/config/value.h"

#include <errno.h>
#include <ini.h>
#include <search.h>
#include <stdio.h>
#include <string.h>

enum {
    NAME_MAX_BYTES = 49, /* what inih keeps of names of sections and keys */
    FILE_MAX_BYTES = 16 << 20,
    SECTIONS_MAX = 10000,
    KEYS_MAX = 10000 /* of a section */
};

struct reader {
    const char *at, *end; /* what is left of the text */
    const char *file;
    struct arena *arena;
    struct error_list *errors;

    /* The current line. */
    const char *text;
    size_t n;          /* without its comment and the blanks before that */
    size_t equals;     /* where the key ends; n: there is no '=' */
    bool is_bad;       /* no text, which is reported */
    bool is_in_quotes; /* at its end */
    uint32_t line;

    struct ini_section *sections;
    size_t n_sections;
    void *known_sections; /* tree of struct known */
    bool in_section;      /* a header was seen */
    bool is_listed;       /* and was sound: what follows it is part of the result */

    struct ini_entry *entries; /* of the current section */
    size_t n_entries;
    void *known_keys;       /* tree of struct known */
    struct ini_entry entry; /* whose key inih is given */
};

struct known {
    const char *name;
    uint32_t line;
};

ORDER_BY_TEXT(by_name, struct known, name)

/* The line on which the name was seen before, or 0; from now on it is known. */
static uint32_t seen_before(struct reader *reader, void **tree, const char *name)
{
    struct known *known = ARENA_NEW(reader->arena, struct known);
    *known = (struct known){name, reader->line};
    struct known *const *found = tsearch(known, tree, by_name);
    return found && *found != known ? (*found)->line : 0;
}

static void keep(void *node)
{
    (void)node; /* the arena's */
}

static struct origin here(const struct reader *reader, const char *line, size_t offset)
{
    return origin_at((struct origin){reader->file, reader->line, 1}, line, offset);
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

bool ini_check_bytes(const char *text, size_t n, struct origin origin, struct error_list *errors)
{
    for (size_t i = 0; i < n;) {
        unsigned char byte = (unsigned char)text[i];
        size_t length = byte == '\t' ? 1 : plain_length(text + i, n - i);
        if (length) {
            i += length;
            continue;
        }
        error_list_add(errors, origin_at(origin, text, i),
                       !utf8_length(text + i, n - i)
                           ? "byte 0x%02x is not UTF-8: \1expected text in UTF-8"
                       : byte < 0x80 ? "control character 0x%02x: \1expected text"
                                     : "an invisible character that steers how text is shown "
                                       "(UTF-8 from byte 0x%02x on): \1expected text",
                       byte);
        return false;
    }
    return true;
}

/* More is not looked for: what is behind a limit would be an error each. */
static void stop_reading(struct reader *reader, struct origin origin, const char *what, int most)
{
    error_list_add(reader->errors, origin,
                   "%s: \1expected up to %d; the rest of the file is not read", what, most);
    reader->at = reader->end;
}

static void end_section(struct reader *reader)
{
    if (reader->is_listed && reader->n_entries) {
        struct ini_section *section = &reader->sections[reader->n_sections - 1];
        section->n = reader->n_entries;
        section->entries = reader->entries;
    }
    reader->entries = NULL;
    reader->n_entries = 0;
    reader->is_listed = false;
    tdestroy(reader->known_keys, keep);
    reader->known_keys = NULL;
}

/* The text between the brackets: one word or two. */
static bool read_header(struct reader *reader, const char *line, const char *text, size_t n)
{
    text_trim(&text, &n);
    char *kind = arena_text_n(reader->arena, text, n);
    char *name = kind + strcspn(kind, " \t");
    struct origin origin = here(reader, line, 0);
    if (*name)
        *name++ = 0;
    name += strspn(name, " \t");
    if (name[strcspn(name, " \t")]) {
        error_list_add(reader->errors, origin,
                       "section [%s %s] has too many words: \1expected [KIND NAME]", kind, name);
        return false;
    }
    const char *words = arena_printf(reader->arena, "%s%s%s", kind, *name ? " " : "", name);
    if (reader->n_sections == SECTIONS_MAX) {
        stop_reading(reader, origin, "there are too many sections", SECTIONS_MAX);
        return false;
    }
    uint32_t before = seen_before(reader, &reader->known_sections, words);
    if (before) {
        error_list_add(reader->errors, origin,
                       "section [%s] is there twice: the first is on line %u", words, before);
        return false;
    }
    ARENA_APPEND(reader->arena, reader->sections, reader->n_sections,
                 (struct ini_section){.kind = kind, .name = name, .origin = origin});
    reader->is_listed = true;
    return true;
}

/* A line that begins with '['. True if it is sound. */
static bool read_section(struct reader *reader)
{
    const char *line = reader->text;
    const size_t n = reader->n;
    end_section(reader);
    reader->in_section = true;
    const char *close = memchr(line, ']', n);
    if (!close) {
        error_list_add(reader->errors, here(reader, line, n),
                       "']' is missing: \1expected [KIND NAME]");
        return false;
    }
    const char *rest = close + 1, *inside = line + 1;
    size_t n_rest = (size_t)(line + n - rest), n_inside = (size_t)(close - inside);
    text_trim(&rest, &n_rest);
    if (n_rest) {
        error_list_add(reader->errors, here(reader, line, (size_t)(rest - line)),
                       "'%s' after ']': \1expected the end of the line", SHOWN_TEXT(rest, n_rest));
        return false;
    }
    text_trim(&inside, &n_inside);
    if (n_inside == 0 || n_inside > NAME_MAX_BYTES) {
        error_list_add(reader->errors, here(reader, line, 0),
                       n_inside ? "the section's name has %zu bytes: \1expected up to %d"
                                : "the section's name is empty: \1expected [KIND NAME]",
                       n_inside, NAME_MAX_BYTES);
        return false;
    }
    return read_header(reader, line, inside, n_inside);
}

/*
 * Length of a line without its comment. Quotes count only in the value: after
 * '=', or from the start of a line that continues one. *equals is where the '='
 * stands, or n.
 */
static size_t without_comment(const char *line, size_t n, bool in_value, bool *in_quotes,
                              size_t *equals)
{
    size_t i = 0;
    *equals = n;
    for (; i < n; i++) {
        bool begins_word = i == 0 || is_blank(line[i - 1]);
        if ((line[i] == ';' || line[i] == '#') && begins_word && !*in_quotes)
            break;
        if (line[i] == '=' && !in_value) {
            in_value = true;
            *equals = i;
        } else if (line[i] == '"' && in_value) {
            *in_quotes = !*in_quotes;
        } else if (line[i] == '\\' && *in_quotes && i + 1 < n &&
                   (line[i + 1] == '"' || line[i + 1] == '\\')) {
            i++;
        }
    }
    while (i && is_blank(line[i - 1]))
        i--;
    return i;
}

size_t ini_value_length(const char *text, bool *ret_is_open)
{
    size_t equals;
    *ret_is_open = false;
    return without_comment(text, strlen(text), true, ret_is_open, &equals);
}

/* Reads a line up to its comment. is_in_quotes: those that it continues have left quotes open.
 * False: there is none. */
static bool take_line(struct reader *reader, bool is_in_quotes)
{
    if (reader->at == reader->end)
        return false;
    const char *line = reader->at;
    const char *newline = memchr(line, '\n', (size_t)(reader->end - line));
    const char *end = newline ? newline : reader->end;
    reader->at = newline ? newline + 1 : reader->end;
    reader->line++;
    if (end > line && end[-1] == '\r')
        end--;
    reader->text = line;
    reader->n = (size_t)(end - line);
    reader->is_bad = !ini_check_bytes(
        line, reader->n, (struct origin){reader->file, reader->line, 1}, reader->errors);
    const bool is_indented = reader->n && is_blank(*line);
    reader->is_in_quotes = is_indented && is_in_quotes;
    if (!reader->is_bad)
        reader->n = without_comment(line, reader->n, is_indented, &reader->is_in_quotes,
                                    &reader->equals);
    if (reader->equals > reader->n)
        reader->equals = reader->n;
    return true;
}

static void refuse_indented(struct reader *reader)
{
    error_list_add(reader->errors, here(reader, reader->text, strspn(reader->text, " \t")),
                   "'%s' is indented: \1expected it in the first column (an indented line "
                   "continues the value above it)",
                   SHOWN_TEXT(reader->text, reader->n));
}

/* Adds what a line says to a value, which begins there if there is none so far. */
static void add_line(struct reader *reader, const char *text, size_t n, struct text *value,
                     struct origin *origin)
{
    if (!value->length)
        *origin = here(reader, reader->text, (size_t)(text - reader->text));
    else
        origin->column = 0;
    text_add(value, value->length ? " " : "");
    text_add_n(value, text, n);
}

/* The lines that continue a value; empty ones and comments between them are none. NULL: what they
 * continue is not used. */
static void read_continuation(struct reader *reader, struct text *value, struct origin *origin)
{
    bool is_in_quotes = value && reader->is_in_quotes;
    while (reader->at < reader->end && strchr(" \t;#\r\n", *reader->at)) {
        take_line(reader, is_in_quotes);
        if (reader->n == 0)
            continue;
        const size_t blanks = strspn(reader->text, " \t");
        const bool is_header = reader->text[blanks] == '[' && reader->text[reader->n - 1] == ']';
        if (!reader->is_bad && is_header)
            refuse_indented(reader);
        if (reader->is_bad || is_header)
            value = NULL;
        if (value)
            add_line(reader, reader->text + blanks, reader->n - blanks, value, origin);
        is_in_quotes = value && reader->is_in_quotes;
    }
}

/* The key of a line `key = value`; NULL: it is none, or cannot be used, which is reported. */
static const char *read_key(struct reader *reader)
{
    const char *line = reader->text, *key = line, *colon = memchr(line, ':', reader->equals);
    const struct origin start = here(reader, line, 0);
    size_t n_key = reader->equals;
    text_trim(&key, &n_key);
    if (colon) {
        error_list_add(reader->errors, here(reader, line, (size_t)(colon - line)),
                       "'%s' is not KEY = VALUE: \1expected '=' instead of ':'",
                       SHOWN_TEXT(line, reader->n));
        return NULL;
    }
    if (reader->equals == reader->n) {
        error_list_add(reader->errors, start, "'%s' is not KEY = VALUE: \1expected '=' after a key",
                       SHOWN_TEXT(line, reader->n));
        return NULL;
    }
    if (n_key == 0 || n_key > NAME_MAX_BYTES) {
        error_list_add(reader->errors, start,
                       n_key ? "the key has %zu bytes: \1expected up to %d"
                             : "the key is empty: \1expected KEY = VALUE",
                       n_key, NAME_MAX_BYTES);
        return NULL;
    }
    const char *name = arena_text_n(reader->arena, key, n_key);
    const uint32_t before = seen_before(reader, &reader->known_keys, name);
    if (before)
        error_list_add(reader->errors, start, "key '%s' is there twice: the first is on line %u",
                       name, before);
    else if (reader->n_entries == KEYS_MAX)
        stop_reading(reader, start, "the section has too many keys", KEYS_MAX);
    else
        return name;
    return NULL;
}

/* The entry of a line `key = value` and of those that continue the value. Returns its key; NULL: it
 * is not sound. */
static const char *read_entry(struct reader *reader)
{
    CLEANUP(text_free) struct text value = {0};
    if (!reader->in_section) {
        error_list_add(reader->errors, here(reader, reader->text, 0),
                       "'%s' is before the first section: \1expected [KIND NAME]",
                       SHOWN_TEXT(reader->text, reader->n));
        reader->in_section = true;
    }
    const char *key = read_key(reader);
    if (!key) {
        read_continuation(reader, NULL, NULL);
        return NULL;
    }
    const char *first = reader->text + reader->equals + 1;
    size_t n = reader->n - reader->equals - 1;
    text_trim(&first, &n);
    reader->entry = (struct ini_entry){.origin = here(reader, reader->text, 0)};
    add_line(reader, first, n, &value, &reader->entry.value_origin);
    read_continuation(reader, &value, &reader->entry.value_origin);
    reader->entry.value = arena_text(reader->arena, text_get(&value));
    return key;
}

/* What inih calls instead of fgets: the next section, or the next key with an empty value. The
 * value stays here: inih would cut it after 199 bytes and at a `;` inside quotes, and call the
 * handler for a line that continues it as for a key given twice. */
static char *next_line(char *out, int size, void *stream)
{
    struct reader *reader = stream;
    while (take_line(reader, false)) {
        const bool is_header = *reader->text == '[';
        const char *key;
        if (reader->is_bad && is_header) {
            end_section(reader);
            reader->in_section = true;
        }
        if (reader->n == 0)
            continue;
        if (reader->is_bad || is_blank(*reader->text)) {
            if (!reader->is_bad)
                refuse_indented(reader);
            read_continuation(reader, NULL, NULL);
        } else if (is_header && read_section(reader)) {
            const struct ini_section *section = &reader->sections[reader->n_sections - 1];
            snprintf(out, (size_t)size, "[%s %s]\n", section->kind, section->name);
            return out;
        } else if (!is_header && (key = read_entry(reader)) != NULL) {
            snprintf(out, (size_t)size, "%s =\n", key);
            return out;
        }
    }
    return NULL;
}

/* What inih calls for each key. */
static int take_entry(void *user, const char *section, const char *name, const char *value)
{
    (void)section, (void)value; /* the reader has them whole */
    struct reader *reader = user;
    reader->entry.key = arena_text(reader->arena, name);
    ARENA_APPEND(reader->arena, reader->entries, reader->n_entries, reader->entry);
    return 1;
}

static int32_t parse(const char *file, const char *text, size_t length, struct arena *arena,
                     struct ini *ret, struct error_list *errors)
{
    size_t before = error_list_count(errors);
    struct reader reader = {
        .at = text, .end = text + length, .file = file, .arena = arena, .errors = errors};
    if (length >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0)
        reader.at += 3;
    locale_t locale = number_locale_c();
    int refused = ini_parse_stream(next_line, &reader, take_entry, &reader);
    number_locale_restore(locale);
    end_section(&reader);
    /* The reader is meant to refuse all that inih would refuse. */
    if (refused != 0 && error_list_count(errors) == before)
        error_list_add(errors, (struct origin){file, 0, 0},
                       "not understood: \1expected [KIND NAME] or KEY = VALUE");
    ret->n = reader.n_sections;
    ret->sections = reader.sections;
    tdestroy(reader.known_sections, keep);
    return error_list_count(errors) == before ? GB_OK : GB_INVALID;
}

int32_t ini_read_text(const char *path_for_messages, const char *text, size_t length,
                      struct arena *arena, struct ini *ret, struct error_list *errors)
{
    *ret = (struct ini){.path = arena_text(arena, path_for_messages)};
    return parse(ret->path, text, length, arena, ret, errors);
}

/* Adds an error of the file as a whole; returns GB_IO. */
static int32_t file_error(struct error_list *errors, const char *file, const char *what,
                          const char *why)
{
    struct gb_error error;
    error_set_at(&error, GB_IO, (struct origin){file, 0, 0}, "%s: %s", what, why);
    error_list_take(errors, &error);
    return GB_IO;
}

int32_t ini_read_file(const char *path, struct arena *arena, struct ini *ret,
                      struct error_list *errors)
{
    CLEANUP(text_free) struct text text = {0};
    *ret = (struct ini){.path = arena_text(arena, path)};
    const char *file = text_equal(path, "-") ? "<stdin>" : ret->path;
    switch (text_add_file(&text, path, FILE_MAX_BYTES)) {
    case FILE_NOT_OPENED:
        return file_error(errors, file, "cannot be opened", reason_of(errno));
    case FILE_NOT_READ:
        return file_error(errors, file, "cannot be read", reason_of(errno));
    case FILE_TOO_LONG:
        return file_error(errors, file, "cannot be read",
                          "it is larger than 16 MiB, the limit of a configuration");
    default:
        break;
    }
    if (text_starts_with(text_get(&text), "SQLite format 3"))
        return file_error(errors, file, "is a results file, not a configuration",
                          arena_printf(arena, "`gbrun show %s` shows it", file));
    return parse(file, text_get(&text), text.length, arena, ret, errors);
}
