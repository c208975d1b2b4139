/* trace_file.c - see replay.h: recorded samples in files. */
#include "core/replay/replay.h"

#include "core/base/number_text.h"
#include "core/base/text.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIELDS_MAX = 4096, BINARY_BLOCK = 8192, LINE_MAX_BYTES = 1 << 20 };
enum { SAMPLES_MAX = 100000000 };

static const char *const format_names[] = {
    [TRACE_AUTO] = "auto", [TRACE_CSV] = "csv", [TRACE_F32] = "f32", [TRACE_F64] = "f64"};

int trace_format_named(const char *name)
{
    const int format = text_choice(WORDS_OF(format_names, TRACE_FORMATS), name);
    return format == TRACE_AUTO ? -1 : format;
}

static const struct time_unit units[] = {
    {"ns", 1},        {"nsec", 1},           {"nanoseconds", 1}, {"us", 1e3},
    {"usec", 1e3},    {"microseconds", 1e3}, {"\xC2\xB5s", 1e3}, {"ms", 1e6},
    {"msec", 1e6},    {"milliseconds", 1e6}, {"s", 1e9},         {"sec", 1e9},
    {"seconds", 1e9},
};

static double unit_of(const char *name, size_t n)
{
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (strlen(units[i].name) == n && memcmp(units[i].name, name, n) == 0)
            return units[i].ns;
    return 0;
}

double trace_unit_ns(const char *name)
{
    return unit_of(name, strlen(name));
}

/* The unit that a head ends with, as its last word: "time_ns", "GPU Time (sec)", "[ms]". 0: none.
 */
static double unit_of_head(const char *head)
{
    size_t end = strlen(head);
    while (end > 0 && strchr(" )]}", head[end - 1]))
        end--;
    size_t begin = end;
    while (begin > 0 && !strchr(" _([{/,.", head[begin - 1]))
        begin--;
    return begin > 0 ? unit_of(head + begin, end - begin) : 0;
}

/* ---- samples being collected ---- */

struct collection {
    const char *path;
    double *values;
    uint64_t n, capacity;
};

static int32_t add_value(struct collection *collection, double value, struct gb_error *error)
{
    if (collection->n == SAMPLES_MAX)
        return error_set(error, GB_INVALID, "%s: there are too many samples: expected up to %d",
                         collection->path, SAMPLES_MAX);
    if (collection->n == collection->capacity) {
        uint64_t capacity = collection->capacity + collection->capacity / 2 + 4096;
        double *larger = capacity <= SIZE_MAX / sizeof *larger
                             ? realloc(collection->values, capacity * sizeof *larger)
                             : NULL;
        if (!larger)
            return error_set(error, GB_NO_MEMORY, "out of memory for more than %llu samples",
                             (unsigned long long)collection->n);
        collection->values = larger;
        collection->capacity = capacity;
    }
    collection->values[collection->n++] = value;
    return GB_OK;
}

/* Gives back what is too much. */
static void finish(struct collection *collection, struct trace_file *ret)
{
    if (collection->n > 0) {
        double *exact = realloc(collection->values, collection->n * sizeof *exact);
        if (exact)
            collection->values = exact;
    }
    ret->time_ns = collection->values;
    ret->n = collection->n;
    collection->values = NULL;
}

/* ---- text ---- */

struct field {
    char *text;      /* ends with NUL; without the quotes and blanks around it */
    uint32_t column; /* in the line, from 1 */
};

struct text_reader {
    FILE *file;
    const char *path;
    const struct trace_file_options *options;
    struct arena *arena;
    char line[LINE_MAX_BYTES + 1];
    uint32_t line_number;
    char separator;
    struct field fields[FIELDS_MAX];
    size_t n_fields;
    size_t column;      /* the one that is read */
    size_t unit_column; /* its unit, by line; FIELDS_MAX: there is none */
    double unit_ns;
    const char *head;
    struct collection samples;
    struct gb_error *error;
};

static struct origin here(const struct text_reader *reader, uint32_t column)
{
    return (struct origin){reader->path, reader->line_number, column};
}

/* A quoted field from behind its quote on, put together in place. NULL: no closing quote. */
static char *unquote(char *at, char **ret_behind)
{
    char *out = at, *start = at;
    for (; *at; at++) {
        if (*at == '"' && at[1] != '"') {
            *ret_behind = at + 1;
            *out = 0;
            return start;
        }
        at += *at == '"';
        *out++ = *at;
    }
    return NULL;
}

/* The field at *at, which then is behind the separator, or NULL at the end of the line. */
static int32_t take_field(struct text_reader *reader, char **at, struct field *ret)
{
    char *begin = *at + strspn(*at, " ");
    uint32_t column = (uint32_t)(begin - reader->line) + 1;
    char *end = begin;
    if (*begin == '"') {
        begin = unquote(begin + 1, &end);
        if (!begin)
            return error_set_at(reader->error, GB_INVALID, here(reader, column),
                                "the quote is not closed on its line");
        end += strspn(end, " ");
        if (*end && *end != reader->separator)
            return error_set_at(reader->error, GB_INVALID, here(reader, column),
                                "text follows the closing quote");
    } else {
        while (*end && *end != reader->separator)
            end++;
    }
    bool is_last = *end == 0;
    *at = is_last ? NULL : end + 1;
    *end = 0;
    for (size_t n = strlen(begin); n > 0 && begin[n - 1] == ' '; n--)
        begin[n - 1] = 0;
    *ret = (struct field){begin, column};
    return GB_OK;
}

static int32_t split_line(struct text_reader *reader)
{
    char *at = reader->line;
    if (reader->line_number == 1 && text_starts_with(at, "\xEF\xBB\xBF"))
        at += 3;
    if (!reader->separator)
        reader->separator = strchr(at, '\t') ? '\t' : strchr(at, ';') ? ';' : ',';
    reader->n_fields = 0;
    while (at) {
        if (reader->n_fields == FIELDS_MAX)
            return error_set_at(reader->error, GB_INVALID, here(reader, 0),
                                "the line has more than %d fields", FIELDS_MAX);
        int32_t status = take_field(reader, &at, &reader->fields[reader->n_fields]);
        if (status != GB_OK)
            return status;
        reader->n_fields++;
    }
    return GB_OK;
}

/* One line with its end, in memory that an endless one cannot exhaust. GB_NOT_FOUND: there is none.
 */
static int32_t take_line(struct text_reader *reader, size_t *ret_n)
{
    size_t n = 0;
    int c = 0;
    reader->line_number++;
    while (c != '\n' && n < LINE_MAX_BYTES && (c = getc_unlocked(reader->file)) != EOF) {
        if (c == 0)
            return error_set_at(
                reader->error, GB_INVALID, here(reader, (uint32_t)n + 1),
                "a byte of value 0: expected text; for binary files give --input f32 or f64");
        reader->line[n++] = (char)c;
    }
    reader->line[n] = 0;
    *ret_n = n;
    if (n == LINE_MAX_BYTES && c != '\n')
        return error_set_at(reader->error, GB_INVALID, here(reader, 0),
                            "the line is too long: expected up to %d bytes", LINE_MAX_BYTES);
    if (ferror(reader->file))
        return error_set(reader->error, GB_IO, "%s: cannot be read: %s", reader->path,
                         reason_of(errno));
    return n > 0 ? GB_OK : GB_NOT_FOUND;
}

/* The next line that is neither empty nor a comment. GB_NOT_FOUND: there is none. */
static int32_t next_line(struct text_reader *reader)
{
    size_t n = 0;
    int32_t status;
    while ((status = take_line(reader, &n)) == GB_OK) {
        while (n > 0 && strchr("\r\n", reader->line[n - 1]))
            reader->line[--n] = 0;
        if (reader->line[0] != '#' && reader->line[strspn(reader->line, " \t")] != 0)
            return split_line(reader);
    }
    return status;
}

static bool read_number(const char *text, double *ret)
{
    char *end;
    *ret = strtod(text, &end);
    return end != text && *end == 0 && !isspace((unsigned char)*text);
}

static const char *names_of_fields(const struct text_reader *reader)
{
    enum { NAMED = 12 };
    CLEANUP(text_free) struct text names = {0};
    for (size_t i = 0; i < reader->n_fields && i < NAMED; i++)
        text_printf(&names, "%s'%.40s'", i ? ", " : "", reader->fields[i].text);
    if (reader->n_fields > NAMED)
        text_add(&names, ", ...");
    return arena_text(reader->arena, text_get(&names));
}

static size_t field_named(const struct text_reader *reader, const char *name)
{
    const size_t i = text_index(TEXTS_OF(reader->fields, reader->n_fields, text), name);
    return i < reader->n_fields ? i : FIELDS_MAX;
}

/* The column that --column means in the first line. */
static int32_t find_asked(struct text_reader *reader)
{
    const char *asked = reader->options->column;
    char *end;
    unsigned long number = strtoul(asked, &end, 10);
    bool is_number = *asked && *end == 0; /* then no head is meant: it may be a sample */
    if (is_number && number >= 1 && number <= reader->n_fields)
        reader->column = number - 1;
    else
        reader->column = is_number ? FIELDS_MAX : field_named(reader, asked);
    if (reader->column < FIELDS_MAX)
        return GB_OK;
    return error_set_at(reader->error, GB_INVALID, here(reader, 0),
                        "there is no column '%s': expected a number from 1 to %zu or one of %s",
                        asked, reader->n_fields, names_of_fields(reader));
}

static bool is_time(const char *head)
{
    return text_equal(head, "time") || (text_starts_with(head, "time_") && unit_of_head(head) > 0);
}

static int32_t find_column(struct text_reader *reader)
{
    if (reader->options->column)
        return find_asked(reader);
    reader->column = 0;
    while (reader->column < reader->n_fields && !is_time(reader->fields[reader->column].text))
        reader->column++;
    if (reader->column < reader->n_fields)
        return GB_OK;
    reader->column = 0;
    if (reader->n_fields == 1)
        return GB_OK;
    return error_set_at(reader->error, GB_INVALID, here(reader, 0),
                        "which of %zu columns has the times? Give --column NAME or a number from "
                        "1: %s",
                        reader->n_fields, names_of_fields(reader));
}

/* The first line: which column, is it a header, which unit. *ret_is_header: it holds no sample. */
static int32_t read_first(struct text_reader *reader, bool *ret_is_header)
{
    double number;
    int32_t status = find_column(reader);
    if (status != GB_OK)
        return status;
    const char *head = reader->fields[reader->column].text;
    reader->unit_ns = reader->options->unit_ns;
    reader->unit_column = FIELDS_MAX;
    *ret_is_header = !read_number(head, &number);
    if (*ret_is_header) {
        reader->head = arena_text(reader->arena, head);
        if (!(reader->unit_ns > 0))
            reader->unit_ns = unit_of_head(head);
        if (!(reader->unit_ns > 0))
            reader->unit_column = field_named(reader, "time_unit");
    }
    if (reader->unit_ns > 0 || reader->unit_column < FIELDS_MAX)
        return GB_OK;
    return error_set_at(reader->error, GB_INVALID, here(reader, 0),
                        "the unit of the times is not known: give --unit ns, us, ms or s, or a "
                        "header such as time_ns");
}

static int32_t unit_of_line(struct text_reader *reader, double *ret)
{
    *ret = reader->unit_ns;
    if (reader->unit_column == FIELDS_MAX)
        return GB_OK;
    const struct field *field = &reader->fields[reader->unit_column];
    if (reader->unit_column >= reader->n_fields)
        return error_set_at(reader->error, GB_INVALID, here(reader, 0),
                            "the line has no time_unit");
    *ret = trace_unit_ns(field->text);
    return *ret > 0 ? GB_OK
                    : error_set_at(reader->error, GB_INVALID, here(reader, field->column),
                                   "'%.40s' is not a unit of time: expected ns, us, ms or s",
                                   field->text);
}

static int32_t read_sample(struct text_reader *reader)
{
    double value, unit_ns;
    if (reader->column >= reader->n_fields)
        return error_set_at(reader->error, GB_INVALID, here(reader, 0),
                            "the line has %s: expected a time in field %zu",
                            COUNT_TEXT(reader->n_fields, "field"), reader->column + 1);
    const struct field *field = &reader->fields[reader->column];
    if (!*field->text)
        return error_set_at(reader->error, GB_INVALID, here(reader, field->column),
                            "the field is empty: expected a time");
    if (!read_number(field->text, &value))
        return error_set_at(reader->error, GB_INVALID, here(reader, field->column),
                            "'%.40s' is not a number: expected a time", field->text);
    int32_t status = unit_of_line(reader, &unit_ns);
    if (status != GB_OK)
        return status;
    value *= unit_ns;
    if (!isfinite(value) || value < 0)
        return error_set_at(reader->error, GB_INVALID, here(reader, field->column),
                            "'%.40s' is not a time: expected a finite number of at least 0",
                            field->text);
    return add_value(&reader->samples, value, reader->error);
}

static int32_t read_lines(struct text_reader *reader)
{
    bool is_header = false;
    int32_t status = next_line(reader);
    if (status == GB_NOT_FOUND)
        return error_set(reader->error, GB_INVALID, "%s: the file is empty: expected samples",
                         reader->path);
    if (status == GB_OK)
        status = read_first(reader, &is_header);
    if (status == GB_OK && !is_header)
        status = read_sample(reader);
    while (status == GB_OK && (status = next_line(reader)) == GB_OK)
        status = read_sample(reader);
    if (status != GB_NOT_FOUND)
        return status;
    return reader->samples.n > 0
               ? GB_OK
               : error_set(reader->error, GB_INVALID,
                           "%s: there is a header and nothing else: expected samples",
                           reader->path);
}

static int32_t read_text(FILE *file, const char *path, const struct trace_file_options *options,
                         struct arena *arena, struct trace_file *ret, struct gb_error *error)
{
    struct text_reader *reader = memory_allocate(sizeof *reader);
    reader->file = file;
    reader->path = reader->samples.path = path;
    reader->options = options;
    reader->arena = arena;
    reader->error = error;
    locale_t before = number_locale_c();
    int32_t status = read_lines(reader);
    number_locale_restore(before);
    if (status == GB_OK) {
        finish(&reader->samples, ret);
        ret->column = reader->head;
    }
    free(reader->samples.values);
    free(reader);
    return status;
}

/* ---- binary ---- */

static double number_at(const unsigned char *bytes, size_t width)
{
    uint64_t bits = 0;
    for (size_t i = width; i-- > 0;)
        bits = bits << 8 | bytes[i];
    if (width == sizeof(double)) {
        double value;
        memcpy(&value, &bits, sizeof value);
        return value;
    }
    uint32_t low = (uint32_t)bits;
    float value;
    memcpy(&value, &low, sizeof value);
    return (double)value;
}

static int32_t add_block(const char *path, const unsigned char *block, size_t n, size_t width,
                         double unit_ns, struct collection *samples, struct gb_error *error)
{
    for (size_t i = 0; i < n; i++) {
        double value = number_at(block + i * width, width) * unit_ns;
        int32_t status = GB_OK;
        if (!isfinite(value) || value < 0)
            status = error_set(error, GB_INVALID,
                               "%s: value %llu (at byte %llu) is %g: expected a finite time of at "
                               "least 0; is it %s of that unit?",
                               path, (unsigned long long)samples->n + 1,
                               (unsigned long long)(samples->n * width), value / unit_ns,
                               width == sizeof(double) ? "f64" : "f32");
        else
            status = add_value(samples, value, error);
        if (status != GB_OK)
            return status;
    }
    return GB_OK;
}

static int32_t read_binary(FILE *file, const char *path, const struct trace_file_options *options,
                           size_t width, struct trace_file *ret, struct gb_error *error)
{
    unsigned char block[BINARY_BLOCK];
    struct collection samples = {.path = path};
    double unit_ns = options->unit_ns > 0 ? options->unit_ns : 1e9;
    int32_t status = GB_OK;
    size_t n = sizeof block;
    while (status == GB_OK && n == sizeof block) {
        n = fread(block, 1, sizeof block, file);
        status = add_block(path, block, n / width, width, unit_ns, &samples, error);
    }
    if (status == GB_OK && ferror(file))
        status = error_set(error, GB_IO, "%s: cannot be read: %s", path, reason_of(errno));
    if (status == GB_OK && n % width != 0)
        status = error_set(error, GB_INVALID,
                           "%s: %zu bytes are left over after %llu values of %zu bytes: the file "
                           "is cut off, or of another type than f%zu",
                           path, n % width, (unsigned long long)samples.n, width, 8 * width);
    if (status == GB_OK && samples.n == 0)
        status = error_set(error, GB_INVALID, "%s: the file is empty: expected samples", path);
    if (status == GB_OK)
        finish(&samples, ret);
    free(samples.values);
    return status;
}

static int format_of(const char *path, const struct trace_file_options *options)
{
    if (options->format != TRACE_AUTO)
        return options->format;
    if (text_ends_with(path, ".f64"))
        return TRACE_F64;
    return text_ends_with(path, ".f32") || text_ends_with(path, ".bin") ? TRACE_F32 : TRACE_CSV;
}

int32_t trace_file_read(const char *path, const struct trace_file_options *options,
                        struct arena *arena, struct trace_file *ret, struct gb_error *error)
{
    bool is_input = text_equal(path, "-");
    int format = format_of(path, options);
    FILE *file = is_input ? stdin : fopen(path, "re");
    const char *name = is_input ? "<stdin>" : path;
    *ret = (struct trace_file){0};
    if (!file)
        return error_set(error, GB_IO, "%s: cannot be opened: %s", path, reason_of(errno));
    int32_t status = format == TRACE_CSV ? read_text(file, name, options, arena, ret, error)
                                         : read_binary(file, name, options,
                                                       format == TRACE_F32 ? 4 : 8, ret, error);
    if (!is_input)
        fclose(file);
    return status;
}
