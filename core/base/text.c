/* text.c - see text.h. */
#include "core/base/text.h"

#include "core/base/memory.h"
#include "core/base/plain_text.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void reserve(struct text *text, size_t more)
{
    if (more < text->capacity - text->length)
        return;
    size_t capacity = text->capacity ? text->capacity : 64;
    while (capacity - text->length <= more && capacity <= SIZE_MAX / 2)
        capacity *= 2;
    text->data = memory_resize(text->data, capacity);
    text->capacity = capacity;
}

void text_add_n(struct text *text, const char *more, size_t n)
{
    reserve(text, n);
    if (n > 0) /* of nothing there may be no text */
        memcpy(text->data + text->length, more, n);
    text->length += n;
    text->data[text->length] = 0;
}

void text_add(struct text *text, const char *more)
{
    text_add_n(text, more, strlen(more));
}

void text_vprintf(struct text *text, const char *format, va_list arguments)
{
    va_list again;
    va_copy(again, arguments);
    reserve(text, 0);
    const size_t room = text->capacity - text->length;
    const int length = vsnprintf(text->data + text->length, room, format, arguments);
    if (length > 0 && (size_t)length >= room) {
        reserve(text, (size_t)length);
        vsnprintf(text->data + text->length, (size_t)length + 1, format, again);
    }
    text->length += length > 0 ? (size_t)length : 0;
    text->data[text->length] = 0;
    va_end(again);
}

void text_printf(struct text *text, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    text_vprintf(text, format, arguments);
    va_end(arguments);
}

void text_pad(struct text *text, char filler, size_t n)
{
    reserve(text, n);
    memset(text->data + text->length, filler, n);
    text->length += n;
    text->data[text->length] = 0;
}

enum file_end text_add_file(struct text *text, const char *path, size_t most)
{
    char block[16384];
    size_t n, left = most;
    FILE *file = text_equal(path, "-") ? stdin : fopen(path, "re");
    if (!file)
        return FILE_NOT_OPENED;
    while ((n = fread(block, 1, sizeof block, file)) > 0 && n <= left) {
        text_add_n(text, block, n);
        left -= n;
    }
    const int reason = errno;
    const bool is_read = !ferror(file);
    if (file != stdin)
        fclose(file);
    errno = reason;
    return !is_read ? FILE_NOT_READ : n > left ? FILE_TOO_LONG : FILE_READ;
}

void text_cut(struct text *text, size_t length)
{
    if (length < text->length) {
        text->length = length;
        text->data[length] = 0;
    }
}

void text_clear(struct text *text)
{
    text_cut(text, 0);
}

void text_free(struct text *text)
{
    free(text->data);
    *text = (struct text){0};
}

const char *text_get(const struct text *text)
{
    return text->data ? text->data : "";
}

bool text_equal(const char *a, const char *b)
{
    return strcmp(a, b) == 0;
}

bool text_starts_with(const char *text, const char *prefix)
{
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

bool text_ends_with(const char *text, const char *suffix)
{
    size_t length = strlen(text), tail = strlen(suffix);
    return length >= tail && strcmp(text + length - tail, suffix) == 0;
}

uint64_t hash_number(uint64_t hash, uint64_t number)
{
    return (hash ^ number) * 0x100000001B3;
}

uint64_t hash_text(uint64_t hash, const char *text)
{
    for (; *text; text++)
        hash = hash_number(hash, (unsigned char)*text);
    return hash_number(hash, 0);
}

/* Of the code point at the start of text that is not empty, or of a byte that is none. */
static size_t step(const char *text)
{
    size_t n = utf8_length(text, SIZE_MAX);
    return n ? n : 1;
}

/* Of a sequence that switches a colour on or off (colour.h); 0: the text begins with none. */
static size_t colour_bytes(const char *text)
{
    const size_t n = text_starts_with(text, "\033[") ? 2 + strspn(text + 2, "0123456789;") : 0;
    return n && text[n] == 'm' ? n + 1 : 0;
}

size_t text_columns(const char *text)
{
    size_t columns = 0;
    while (*text) {
        const size_t n = colour_bytes(text);
        columns += n == 0;
        text += n ? n : step(text);
    }
    return columns;
}

/* How many bytes the first n columns take. */
static size_t bytes_of_columns(const char *text, size_t n)
{
    const char *end = text;
    while (*end) {
        const size_t colour = colour_bytes(end);
        if (!colour && n-- == 0)
            break;
        end += colour ? colour : step(end);
    }
    return (size_t)(end - text);
}

void text_add_valid(struct text *text, const char *words, char special, const char *escaped)
{
    const char *start = words;
    while (*words) {
        size_t n = strchr("\n\t", *words) ? 1 : plain_length(words, SIZE_MAX);
        if (n && *words != special) {
            words += n;
            continue;
        }
        text_add_n(text, start, (size_t)(words - start));
        text_add(text, n ? escaped : "\uFFFD");
        start = words += n ? n : step(words);
    }
    text_add_n(text, start, (size_t)(words - start));
}

void text_add_line(struct text *text, const char *words)
{
    size_t start = text->length;
    text_add_valid(text, words, 0, "");
    if (text->length > start)
        make_plain_line(text->data + start);
}

void text_add_shortened(struct text *text, const char *words, size_t most)
{
    if (most == 0)
        return;
    if (text_columns(words) <= most) {
        text_add(text, words);
        return;
    }
    size_t n = bytes_of_columns(words, most - 1), end = 0;
    for (size_t i = 0; i < n; i++)
        end = words[i] == ' ' ? end : i + 1;
    text_add_n(text, words, end);
    text_add(text, "\u2026");
}

void text_add_cut(struct text *text, const char *words, size_t most)
{
    const size_t columns = text_columns(words);
    if (columns <= most || most < 3) {
        text_add_shortened(text, words, most);
        return;
    }
    const size_t n_last = (most - 1) / 2;
    text_add_n(text, words, bytes_of_columns(words, most - 1 - n_last));
    text_add(text, "\u2026");
    text_add(text, words + bytes_of_columns(words, columns - n_last));
}

/* How much of a line is taken before it breaks: up to the last word that ends in the room there is,
 * or else up to the end of the first. */
static size_t bytes_to_break(const char *line, size_t length, size_t room)
{
    size_t fits = bytes_of_columns(line, room);
    if (fits >= length)
        return length;
    for (size_t n = fits; n > 0; n--)
        if (line[n] == ' ' && line[n - 1] != ' ')
            return n;
    while (fits < length && line[fits] != ' ')
        fits++;
    return fits;
}

/* A line without its line break. Blanks at breaks are left out. */
static void add_wrapped_line(struct text *text, const char *line, size_t length, size_t column,
                             size_t indent, size_t most)
{
    for (;;) {
        size_t n = bytes_to_break(line, length, most > column ? most - column : 0);
        text_add_n(text, line, n);
        while (n < length && line[n] == ' ')
            n++;
        if (n == length)
            return;
        text_add(text, "\n");
        text_pad(text, ' ', indent);
        line += n;
        length -= n;
        column = indent;
    }
}

void text_add_wrapped(struct text *text, const char *words, size_t column, size_t indent,
                      size_t most)
{
    for (;;) {
        size_t length = strcspn(words, "\n");
        size_t hanging = text_starts_with(words, "- ") ? 2 : 0;
        add_wrapped_line(text, words, length, column, indent + hanging, most);
        if (!words[length])
            return;
        words += length + 1;
        text_add(text, "\n");
        if (*words && *words != '\n')
            text_pad(text, ' ', indent);
        column = indent;
    }
}

void text_add_csv_name(struct text *text, const char *field, bool is_first)
{
    const char *quote = strpbrk(field, ",\"\r\n") ? "\"" : "";
    text_add(text, is_first ? "" : ",");
    text_add(text, quote);
    text_add_valid(text, field, '"', "\"\"");
    text_add(text, quote);
}

/* "-nan(x)" is a number for C, and a formula in a table. */
static bool is_number(const char *text)
{
    char *end;
    strtod(text, &end);
    return end > text && *end == 0 && !strchr(text, '(');
}

/* What programs for tables take for one: also with the wide signs of East Asian input. */
static bool is_formula(const char *field)
{
    static const char *const wide[] = {"\uFF1D", "\uFF0B", "\uFF0D", "\uFF20"};
    for (size_t i = 0; i < sizeof wide / sizeof *wide; i++)
        if (text_starts_with(field, wide[i]))
            return true;
    return *field && field[1] && strchr("=+-@\t\r\n", *field) && !is_number(field);
}

void text_add_csv(struct text *text, const char *field, bool is_first)
{
    CLEANUP(text_free) struct text made = {0};
    if (is_formula(field))
        text_add(&made, "'");
    text_add(&made, field);
    text_add_csv_name(text, text_get(&made), is_first);
}

enum { DISTANCE_WORD_MAX = 64 };

size_t text_distance(const char *a, const char *b, size_t limit)
{
    size_t n = strlen(a), m = strlen(b);
    if (n > DISTANCE_WORD_MAX || m > DISTANCE_WORD_MAX)
        return limit + 1;
    /* Optimal string alignment: three rows of the matrix of distances between prefixes. */
    size_t rows[3][DISTANCE_WORD_MAX + 1];
    size_t *before = rows[0], *above = rows[1], *row = rows[2];
    for (size_t j = 0; j <= m; j++)
        above[j] = j;
    for (size_t i = 1; i <= n; i++) {
        row[0] = i;
        for (size_t j = 1; j <= m; j++) {
            size_t best = above[j - 1] + (a[i - 1] != b[j - 1]);
            if (above[j] + 1 < best)
                best = above[j] + 1;
            if (row[j - 1] + 1 < best)
                best = row[j - 1] + 1;
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
                before[j - 2] + 1 < best)
                best = before[j - 2] + 1;
            row[j] = best;
        }
        size_t *free_row = before;
        before = above;
        above = row;
        row = free_row;
    }
    return above[m] <= limit ? above[m] : limit + 1;
}

static const char *text_at(const struct text_column *texts, size_t i)
{
    const char *item = (const char *)texts->items + i * texts->item_bytes;
    return *(const char *const *)(const void *)(item + texts->offset);
}

void text_add_joined(struct text *text, struct text_column texts)
{
    for (size_t i = 0; i < texts.n; i++)
        text_printf(text, "%s%s", i ? ", " : "", text_at(&texts, i));
}

void text_add_setting(struct text *text, const char *name, const char *value)
{
    const char *quote = *value && !strpbrk(value, " \t\"") ? "" : "\"";
    text_printf(text, "%s%s=%s%s%s", text->length ? " " : "", name, quote, value, quote);
}

size_t text_index(struct text_column texts, const char *word)
{
    size_t i = 0;
    while (i < texts.n && !text_equal(text_at(&texts, i), word))
        i++;
    return i;
}

int text_choice(struct text_column texts, const char *word)
{
    const size_t i = text_index(texts, word);
    return i < texts.n ? (int)i : -1;
}

bool text_is_among(const char *const *words, size_t n, const char *word)
{
    return text_index(WORDS_OF(words, n), word) < n;
}

bool words_add_new(struct words *words, struct arena *arena, const char *word)
{
    const bool is_new = !text_is_among(words->items, words->n, word);
    if (is_new)
        ARENA_APPEND(arena, words->items, words->n, arena_text(arena, word));
    return is_new;
}

void *text_item(struct text_column texts, const char *word)
{
    const size_t i = text_index(texts, word);
    return i < texts.n ? (char *)texts.items + i * texts.item_bytes : NULL;
}

const char *text_nearest(struct text_column texts, const char *word)
{
    size_t limit = strlen(word) < 4 ? 1 : 2;
    const char *nearest = NULL;
    for (size_t i = 0; i < texts.n; i++) {
        size_t distance = text_distance(word, text_at(&texts, i), limit);
        if (distance <= limit) {
            nearest = text_at(&texts, i);
            if (distance == 0)
                break;
            limit = distance - 1;
        }
    }
    return nearest;
}

char *format_double(double value, char buffer[NUMBER_TEXT_MAX])
{
    if (isnan(value))
        return strcpy(buffer, "nan");
    if (isinf(value))
        return strcpy(buffer, value < 0 ? "-inf" : "inf");
    if (value == trunc(value) && fabs(value) < 1e15 && (value != 0 || !signbit(value))) {
        snprintf(buffer, NUMBER_TEXT_MAX, "%lld", (long long)value); /* as below, but faster */
        return buffer;
    }
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(buffer, NUMBER_TEXT_MAX, "%.*g", digits, value);
        if (strtod(buffer, NULL) == value)
            break;
    }
    return buffer;
}

/* `digits` significant digits: without an exponent from 0.00001 to 999999, so that columns align.
 */
static void format_digits(double value, int digits, const char *unit, char buffer[NUMBER_TEXT_MAX])
{
    double size = fabs(value);
    if (size != 0 && (size < 0.9e-5 || size >= 1e6)) {
        snprintf(buffer, NUMBER_TEXT_MAX, "%.*g%s%s", digits, value, *unit ? " " : "", unit);
        return;
    }
    int before_point = size > 0 ? (int)floor(log10(size)) + 1 : 1;
    if (round(size * pow(10, digits - before_point)) >= pow(10, digits))
        before_point++; /* 9.996 becomes 10.0 */
    int decimals = digits > before_point ? digits - before_point : 0;
    snprintf(buffer, NUMBER_TEXT_MAX, "%.*f%s%s", decimals, value, *unit ? " " : "", unit);
}

/* Does it become `limit` or more, a power of ten, when rounded to `digits` digits? */
static bool reaches(double value, double limit, int digits)
{
    return fabs(value) >= limit * (1 - 0.5 * pow(10, -digits));
}

static const struct time_unit time_units[] = {{"s", 1e9}, {"ms", 1e6}, {"us", 1e3}, {"ns", 1}};

const struct time_unit *time_unit_of(double ns)
{
    size_t i = 0;
    while (i < 3 && !(ns >= time_units[i].ns))
        i++;
    return &time_units[i];
}

char *format_time(double ns, int digits, char buffer[NUMBER_TEXT_MAX])
{
    if (!isfinite(ns))
        return format_double(ns, buffer);
    size_t i = 0;
    while (i < 3 && !reaches(ns, time_units[i].ns, digits))
        i++;
    format_digits(ns / time_units[i].ns, digits, time_units[i].name, buffer);
    return buffer;
}

char *format_si(double value, const char *unit, int digits, char buffer[NUMBER_TEXT_MAX])
{
    static const char prefixes[] = " kMGTPE";
    if (!isfinite(value))
        return format_double(value, buffer);
    size_t i = 0;
    for (; i + 2 < sizeof prefixes && reaches(value, 1000, digits); i++)
        value /= 1000;
    char with_prefix[16];
    snprintf(with_prefix, sizeof with_prefix, "%.*s%s", i > 0, &prefixes[i], unit);
    format_digits(value, digits, with_prefix, buffer);
    return buffer;
}

char *format_bytes(double bytes, char buffer[NUMBER_TEXT_MAX])
{
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
    size_t i = 0;
    for (; i < 4 && (fabs(bytes) >= 1023.95 && (i > 0 || fabs(bytes) >= 1024)); i++)
        bytes /= 1024; /* 1023.95 would be written as 1024.0 */
    snprintf(buffer, NUMBER_TEXT_MAX, "%.*f %s", bytes == floor(bytes) ? 0 : 1, bytes, units[i]);
    return buffer;
}

char *format_count(uint64_t n, const char *noun, char buffer[NUMBER_TEXT_MAX])
{
    snprintf(buffer, NUMBER_TEXT_MAX, "%llu %s%s", (unsigned long long)n, noun, n == 1 ? "" : "s");
    return buffer;
}
