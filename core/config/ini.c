/* ini.c - see ini.h. */
#define _GNU_SOURCE /* tdestroy */
#include "core/config/ini.h"

#include "core/base/number_text.h"
#include "core/base/plain_text.h"
#include "core/base/text.h"
#include "core/config/value.h"

#include <errno.h>
#include <ini.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    INIH_MAX_BYTES = 199, /* of a line, as inih is usually built */
    NAME_MAX_BYTES = 49,
    FILE_MAX_BYTES = 16 << 20,
    SECTIONS_MAX = 10000,
    KEYS_MAX = 10000 /* of a section */
};

/* inih ends a value at a blank and `;` even inside quotes: these stand for what it must not see. */
enum { MASKED_SEMICOLON = 1, MASKED_HASH = 2 };

struct reader {
    const char *at, *end;
    const char *file;
    uint32_t line;
    struct arena *arena;
    struct error_list *errors;

    struct ini_section *sections;
    size_t n_sections;
    void *known_sections; /* tree of struct known */
    bool in_section;      /* a header was seen */
    bool is_listed;       /* and was sound: what follows it is part of the result */

    struct ini_entry *entries; /* of the current section */
    size_t n_entries;
    void *known_keys; /* tree of struct known */

    bool has_value;  /* the last entry's value may be continued */
    bool is_dropped; /* or the key was refused: so are the lines that continue it */
    struct text value;
    bool in_quotes;

    /* Of the line given to inih, for the handler. */
    bool is_continuation;
    const char *joint; /* what is between it and what it continues */
    uint32_t value_column;

    const char *rest, *rest_end; /* of a line that is longer than inih takes: what is left of it */
};

struct known {
    const char *name;
    uint32_t line;
};

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct known *)a)->name, ((const struct known *)b)->name);
}

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

/* The value of the last entry is complete. */
static void end_value(struct reader *reader)
{
    if (reader->has_value)
        reader->entries[reader->n_entries - 1].value = arena_text(reader->arena,
                                                                  text_get(&reader->value));
    reader->has_value = false;
    reader->is_dropped = false;
    reader->in_quotes = false;
    text_clear(&reader->value);
}

static void end_section(struct reader *reader)
{
    end_value(reader);
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

static void begin_section(struct reader *reader, const char *kind, const char *name,
                          struct origin origin)
{
    ARENA_APPEND(reader->arena, reader->sections, reader->n_sections,
                 (struct ini_section){.kind = kind, .name = name, .origin = origin});
    reader->is_listed = true;
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
    begin_section(reader, kind, name, origin);
    return true;
}

/* A line that begins with '['. True if inih is to see it. */
static bool read_section(struct reader *reader, const char *line, size_t n)
{
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
        char buffer[TEXT_SHOWN + 4];
        error_list_add(reader->errors, here(reader, line, (size_t)(rest - line)),
                       "'%s' after ']': \1expected the end of the line",
                       text_shown(rest, n_rest, buffer));
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
 * Length of a line without its comment. Quotes count only in the value: after '=', or from the
 * start of a line that continues one. *equals is where the '=' stands, or n.
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

/* Nothing of this line, or of those that belong to it, is used. */
static bool drop(struct reader *reader, bool is_header)
{
    end_value(reader);
    if (is_header) {
        end_section(reader);
        reader->in_section = true;
    }
    reader->is_dropped = true;
    return false;
}

/* A line `key = value`, its comment taken off. True if inih is to see it. */
static bool read_key(struct reader *reader, const char *line, size_t n, size_t equals)
{
    char shown[TEXT_SHOWN + 4];
    size_t n_key = equals < n ? equals : n;
    const char *key = line, *colon = memchr(line, ':', n_key);
    text_trim(&key, &n_key);
    end_value(reader);
    if (colon) {
        error_list_add(reader->errors, here(reader, line, (size_t)(colon - line)),
                       "'%s' is not KEY = VALUE: \1expected '=' instead of ':'",
                       text_shown(line, n, shown));
        return drop(reader, false);
    }
    if (equals >= n) {
        error_list_add(reader->errors, here(reader, line, 0),
                       "'%s' is not KEY = VALUE: \1expected '=' after a key",
                       text_shown(line, n, shown));
        return drop(reader, false);
    }
    if (n_key == 0 || n_key > NAME_MAX_BYTES) {
        error_list_add(reader->errors, here(reader, line, 0),
                       n_key ? "the key has %zu bytes: \1expected up to %d"
                             : "the key is empty: \1expected KEY = VALUE",
                       n_key, NAME_MAX_BYTES);
        return drop(reader, false);
    }
    size_t value = equals + 1;
    while (value < n && is_blank(line[value]))
        value++;
    reader->value_column = here(reader, line, value).column;
    return true;
}

/* A line that begins with a blank. True if inih is to see it. */
static bool read_indented(struct reader *reader, const char *line, size_t n)
{
    size_t first = 0;
    while (is_blank(line[first]))
        first++;
    bool is_header = line[first] == '[' && line[n - 1] == ']';
    if ((!reader->has_value && !reader->is_dropped) || is_header) {
        char shown[TEXT_SHOWN + 4];
        error_list_add(reader->errors, here(reader, line, first),
                       "'%s' is indented: \1expected it in the first column (an indented line "
                       "continues the value above it)",
                       text_shown(line, n, shown));
        return drop(reader, false);
    }
    reader->value_column = here(reader, line, first).column;
    return reader->has_value;
}

/* Gives the line to inih, what it would take for a comment masked, or as much of it as inih takes:
 * the rest is given later, as a line that continues it. */
static void give(struct reader *reader, const char *line, const char *end, size_t limit, char *out)
{
    const char *last = (size_t)(end - line) > limit ? line + limit : end;
    bool in_value = reader->is_continuation;
    while (last > line && is_blank(last[-1]))
        last--;
    reader->rest = last;
    reader->rest_end = end;
    for (const char *at = line; at < last; at++, out++) {
        *out = *at;
        in_value |= *at == '=';
        if (in_value && (*at == ';' || *at == '#') && (at == line || is_blank(at[-1])))
            *out = *at == ';' ? MASKED_SEMICOLON : MASKED_HASH;
    }
    *out = 0;
}

static void give_rest(struct reader *reader, size_t limit, char *out)
{
    const char *line = reader->rest;
    while (is_blank(*line))
        line++;
    reader->is_continuation = true;
    reader->joint = arena_text_n(reader->arena, reader->rest, (size_t)(line - reader->rest));
    out[0] = ' ';
    give(reader, line, reader->rest_end, limit - 1, out + 1);
}

/* One line of the file, for inih: it as it is to be understood, or nothing. */
static void read_line(struct reader *reader, const char *line, size_t n, size_t limit, char *out)
{
    struct origin start = {reader->file, reader->line, 1};
    bool is_indented = n && is_blank(line[0]), is_header = n && line[0] == '[';
    if (!ini_check_bytes(line, n, start, reader->errors)) {
        drop(reader, is_header);
        return;
    }
    bool in_quotes = is_indented && reader->in_quotes;
    size_t equals, length = without_comment(line, n, is_indented, &in_quotes, &equals);
    if (length == 0)
        return;
    const bool has_key = !is_indented && !is_header && equals < length;
    if ((is_header && length > limit) || (has_key && equals >= limit)) {
        error_list_add(reader->errors, here(reader, line, limit),
                       is_header ? "the line has %zu bytes: \1expected up to %zu"
                                 : "the key and the blanks behind it have %zu bytes: \1expected up "
                                   "to %zu",
                       is_header ? length : equals, limit);
        drop(reader, is_header);
        return;
    }
    if (!is_indented && !is_header && !reader->in_section) {
        char shown[TEXT_SHOWN + 4];
        error_list_add(reader->errors, start,
                       "'%s' stands before the first section: \1expected [KIND NAME]",
                       text_shown(line, length, shown));
        reader->in_section = true;
    }
    reader->is_continuation = is_indented;
    reader->joint = " ";
    bool is_sound = is_indented ? read_indented(reader, line, length)
                    : is_header ? read_section(reader, line, length)
                                : read_key(reader, line, length, equals);
    if (!is_sound)
        return;
    reader->in_quotes = in_quotes;
    const char *begin = line, *end = line + length;
    while (is_indented && is_blank(begin[1]))
        begin++;
    give(reader, begin, end, limit, out);
}

/* What inih calls instead of fgets. */
static char *next_line(char *out, int size, void *stream)
{
    struct reader *reader = stream;
    size_t limit = size - 1 < INIH_MAX_BYTES ? (size_t)size - 1 : INIH_MAX_BYTES;
    if (reader->rest < reader->rest_end && reader->has_value) {
        give_rest(reader, limit, out);
        return out;
    }
    reader->rest = reader->rest_end;
    if (reader->at == reader->end)
        return NULL;
    const char *line = reader->at;
    const char *newline = memchr(line, '\n', (size_t)(reader->end - line));
    const char *end = newline ? newline : reader->end;
    reader->at = newline ? newline + 1 : reader->end;
    reader->line++;
    if (end > line && end[-1] == '\r')
        end--;
    out[0] = 0;
    read_line(reader, line, (size_t)(end - line), limit, out);
    return out;
}

static char *unmasked(struct arena *arena, const char *value)
{
    char *text = arena_text(arena, value);
    for (char *c = text; *c; c++)
        *c = *c == MASKED_SEMICOLON ? ';' : *c == MASKED_HASH ? '#' : *c;
    return text;
}

static void continue_value(struct reader *reader, const char *more)
{
    struct ini_entry *entry = &reader->entries[reader->n_entries - 1];
    if (reader->value.length) {
        if (entry->value_origin.line != reader->line)
            entry->value_origin.column = 0;
        text_add(&reader->value, reader->joint);
    } else {
        entry->value_origin = (struct origin){reader->file, reader->line, reader->value_column};
    }
    text_add(&reader->value, more);
}

/* What inih calls for each key and, again, for each line that continues its value. */
static int take_entry(void *user, const char *section, const char *name, const char *value)
{
    (void)section; /* inih cuts and repeats it: the reader knows it better */
    struct reader *reader = user;
    if (reader->is_continuation) {
        continue_value(reader, unmasked(reader->arena, value));
        return 1;
    }
    const char *key = arena_text(reader->arena, name);
    struct origin origin = {reader->file, reader->line, 1};
    uint32_t before = seen_before(reader, &reader->known_keys, key);
    if (before) {
        error_list_add(reader->errors, origin, "key '%s' is there twice: the first is on line %u",
                       key, before);
        drop(reader, false);
        return 1;
    }
    if (reader->n_entries == KEYS_MAX) {
        stop_reading(reader, origin, "the section has too many keys", KEYS_MAX);
        drop(reader, false);
        return 1;
    }
    ARENA_APPEND(reader->arena, reader->entries, reader->n_entries,
                 (struct ini_entry){
                     .key = key,
                     .origin = origin,
                     .value_origin = {reader->file, reader->line, reader->value_column},
                 });
    reader->has_value = true;
    text_add(&reader->value, unmasked(reader->arena, value));
    return 1;
}

/* All errors so far, also those that the list has no room for. */
static size_t count(const struct error_list *errors)
{
    return errors->n + errors->n_left_out;
}

static int32_t parse(const char *file, const char *text, size_t length, struct arena *arena,
                     struct ini *ret, struct error_list *errors)
{
    size_t before = count(errors);
    struct reader reader = {
        .at = text, .end = text + length, .file = file, .arena = arena, .errors = errors};
    if (length >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0)
        reader.at += 3;
    locale_t locale = number_locale_c();
    int line = ini_parse_stream(next_line, &reader, take_entry, &reader);
    number_locale_restore(locale);
    end_section(&reader);
    /* The reader refuses all that inih would refuse, as far as it knows inih. */
    if (line != 0 && count(errors) == before)
        error_list_add(errors, (struct origin){file, line > 0 ? (uint32_t)line : 0, 0},
                       "not understood: \1expected [KIND NAME] or KEY = VALUE");
    ret->n = reader.n_sections;
    ret->sections = reader.sections;
    tdestroy(reader.known_sections, keep);
    text_free(&reader.value);
    return count(errors) == before ? GB_OK : GB_INVALID;
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
                          "it has more than 16 MiB, which no configuration needs");
    default:
        break;
    }
    if (text_starts_with(text_get(&text), "SQLite format 3"))
        return file_error(errors, file, "is a results file, not a configuration",
                          arena_printf(arena, "`gbrun show %s` shows it", file));
    return parse(file, text_get(&text), text.length, arena, ret, errors);
}
