/* text.c - see text.h. */
#include "core/base/text.h"

#include "core/base/memory.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void reserve(struct text *text, size_t more)
{
    if (text->length + more + 1 <= text->capacity)
        return;
    size_t capacity = text->capacity ? text->capacity : 64;
    while (capacity < text->length + more + 1)
        capacity *= 2;
    text->data = memory_resize(text->data, capacity);
    text->capacity = capacity;
}

void text_add_n(struct text *text, const char *more, size_t n)
{
    reserve(text, n);
    memcpy(text->data + text->length, more, n);
    text->length += n;
    text->data[text->length] = 0;
}

void text_add(struct text *text, const char *more)
{
    text_add_n(text, more, strlen(more));
}

static void add_formatted(struct text *text, const char *format, va_list arguments)
{
    va_list again;
    va_copy(again, arguments);
    int length = vsnprintf(NULL, 0, format, arguments);
    if (length > 0) {
        reserve(text, (size_t)length);
        vsnprintf(text->data + text->length, (size_t)length + 1, format, again);
        text->length += (size_t)length;
    }
    va_end(again);
}

void text_printf(struct text *text, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    add_formatted(text, format, arguments);
    va_end(arguments);
}

void text_pad(struct text *text, char filler, size_t n)
{
    reserve(text, n);
    memset(text->data + text->length, filler, n);
    text->length += n;
    text->data[text->length] = 0;
}

void text_clear(struct text *text)
{
    text->length = 0;
    if (text->data)
        text->data[0] = 0;
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

size_t text_columns(const char *text)
{
    size_t columns = 0;
    for (; *text; text++)
        columns += ((unsigned char)*text & 0xC0) != 0x80;
    return columns;
}

/* How many bytes the first n columns take. */
static size_t bytes_of_columns(const char *text, size_t n)
{
    const char *end = text;
    for (; *end; end++)
        if (((unsigned char)*end & 0xC0) != 0x80 && n-- == 0)
            break;
    return (size_t)(end - text);
}

void text_add_shortened(struct text *text, const char *words, size_t most)
{
    if (text_columns(words) <= most || most == 0) {
        text_add_n(text, words, bytes_of_columns(words, most));
        return;
    }
    size_t n = bytes_of_columns(words, most - 1);
    while (n && words[n - 1] == ' ')
        n--;
    text_add_n(text, words, n);
    text_add(text, "\u2026");
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
        add_wrapped_line(text, words, length, column, indent, most);
        if (!words[length])
            return;
        words += length + 1;
        text_add(text, "\n");
        if (*words && *words != '\n')
            text_pad(text, ' ', indent);
        column = indent;
    }
}

void text_add_csv(struct text *text, const char *field, bool is_first)
{
    if (!is_first)
        text_add(text, ",");
    if (!strpbrk(field, ",\"\r\n")) {
        text_add(text, field);
        return;
    }
    text_add(text, "\"");
    for (; *field; field++)
        text_add_n(text, *field == '"' ? "\"\"" : field, *field == '"' ? 2 : 1);
    text_add(text, "\"");
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

const char *text_nearest(const char *word, size_t n, const char *(*name_of)(const void *, size_t),
                         const void *table)
{
    size_t limit = strlen(word) < 4 ? 1 : 2;
    const char *nearest = NULL;
    for (size_t i = 0; i < n; i++) {
        size_t distance = text_distance(word, name_of(table, i), limit);
        if (distance <= limit) {
            nearest = name_of(table, i);
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

char *format_time(double ns, int digits, char buffer[NUMBER_TEXT_MAX])
{
    static const struct {
        double scale;
        const char *unit;
    } units[] = {{1e9, "s"}, {1e6, "ms"}, {1e3, "us"}, {1, "ns"}};
    if (!isfinite(ns))
        return format_double(ns, buffer);
    size_t i = 0;
    while (i < 3 && !reaches(ns, units[i].scale, digits))
        i++;
    format_digits(ns / units[i].scale, digits, units[i].unit, buffer);
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

struct table_row {
    char **cells;
    size_t n;
};

void table_column(struct table *table, const char *head, bool right)
{
    size_t n = table->n_columns + 1;
    table->heads = memory_resize(table->heads, n * sizeof *table->heads);
    table->right = memory_resize(table->right, n * sizeof *table->right);
    table->heads[n - 1] = memory_copy_text(head);
    table->right[n - 1] = right;
    table->n_columns = n;
}

void table_row(struct table *table)
{
    table->rows = memory_grow(table->rows, table->n_rows, sizeof *table->rows);
    struct table_row *row = &table->rows[table->n_rows++];
    row->cells = memory_allocate(table->n_columns * sizeof *row->cells);
    row->n = 0;
}

void table_cell(struct table *table, const char *cell)
{
    struct table_row *row = &table->rows[table->n_rows - 1];
    if (row->n < table->n_columns)
        row->cells[row->n++] = memory_copy_text(cell);
}

void table_cell_printf(struct table *table, const char *format, ...)
{
    struct text cell = {0};
    va_list arguments;
    va_start(arguments, format);
    add_formatted(&cell, format, arguments);
    va_end(arguments);
    table_cell(table, text_get(&cell));
    text_free(&cell);
}

const char *table_cell_at(const struct table *table, size_t row, size_t column)
{
    return column < table->rows[row].n ? table->rows[row].cells[column] : "";
}

/* A bar inside a Markdown cell would end it. */
static size_t cell_columns(const char *cell, int style)
{
    size_t columns = text_columns(cell);
    for (; style == TABLE_MARKDOWN && *cell; cell++)
        columns += *cell == '|';
    return columns;
}

static void add_cell(struct text *out, const char *cell, int style)
{
    for (; *cell; cell++) {
        if (style == TABLE_MARKDOWN && *cell == '|')
            text_add(out, "\\");
        text_add_n(out, cell, 1);
    }
}

static void write_cell(const struct table *table, size_t column, const char *cell, size_t width,
                       int style, struct text *out)
{
    bool last = column + 1 == table->n_columns && style == TABLE_PLAIN;
    size_t used = cell_columns(cell, style), missing = width > used ? width - used : 0;
    text_add(out, style == TABLE_MARKDOWN ? "| " : column ? "  " : "");
    if (table->right[column])
        text_pad(out, ' ', missing);
    add_cell(out, cell, style);
    if (!table->right[column] && !last)
        text_pad(out, ' ', missing);
    if (style == TABLE_MARKDOWN)
        text_add(out, column + 1 == table->n_columns ? " |" : " ");
}

size_t table_column_width(const struct table *table, size_t column, int style)
{
    size_t width = cell_columns(table->heads[column], style);
    for (size_t i = 0; i < table->n_rows; i++) {
        size_t columns = cell_columns(table_cell_at(table, i, column), style);
        if (columns > width)
            width = columns;
    }
    return style == TABLE_MARKDOWN && width < 3 ? 3 : width;
}

static void remove_text(char **texts, size_t i, size_t n)
{
    free(texts[i]);
    memmove(&texts[i], &texts[i + 1], (n - i - 1) * sizeof *texts);
}

void table_remove_column(struct table *table, size_t column)
{
    remove_text(table->heads, column, table->n_columns);
    memmove(&table->right[column], &table->right[column + 1],
            (table->n_columns - column - 1) * sizeof *table->right);
    table->n_columns--;
    for (size_t i = 0; i < table->n_rows; i++)
        if (column < table->rows[i].n)
            remove_text(table->rows[i].cells, column, table->rows[i].n--);
}

void table_write(const struct table *table, int style, struct text *out)
{
    size_t *widths = memory_allocate((table->n_columns + 1) * sizeof *widths);
    for (size_t column = 0; column < table->n_columns; column++)
        widths[column] = table_column_width(table, column, style);
    for (size_t column = 0; column < table->n_columns; column++)
        write_cell(table, column, table->heads[column], widths[column], style, out);
    text_add(out, "\n");
    for (size_t column = 0; column < table->n_columns && style == TABLE_MARKDOWN; column++) {
        text_add(out, column ? " " : "");
        text_add(out, "| ");
        text_pad(out, '-', widths[column] - 1);
        text_add(out, table->right[column] ? ":" : "-");
    }
    if (style == TABLE_MARKDOWN)
        text_add(out, " |\n");
    for (size_t i = 0; i < table->n_rows; i++) {
        for (size_t column = 0; column < table->n_columns; column++)
            write_cell(table, column, table_cell_at(table, i, column), widths[column], style, out);
        text_add(out, "\n");
    }
    free(widths);
}

void table_free(struct table *table)
{
    for (size_t i = 0; i < table->n_rows; i++) {
        for (size_t j = 0; j < table->rows[i].n; j++)
            free(table->rows[i].cells[j]);
        free(table->rows[i].cells);
    }
    for (size_t column = 0; column < table->n_columns; column++)
        free(table->heads[column]);
    free(table->rows);
    free(table->heads);
    free(table->right);
    *table = (struct table){0};
}
