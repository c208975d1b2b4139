/* views.c - see views.h: formats by name, and what their writers share. */
#include "core/view/views.h"

#include "core/base/output_file.h"
#include "core/view/view_writers.h"

#include <errno.h>
#include <string.h>

static const char *const formats[FORMATS] = {"table", "csv", "json", "jsonl", "md"};

int format_named(const char *name)
{
    return text_choice(WORDS_OF(formats, FORMATS), name);
}

int rows_named(const char *name)
{
    static const char *const kinds[] = {
        [ROWS_CASE] = "case", [ROWS_SAMPLE] = "sample", [ROWS_COMBINED] = "combined"};
    return text_choice(WORDS_OF(kinds, sizeof kinds / sizeof *kinds), name);
}

const char *format_name(int format)
{
    return format >= 0 && format < FORMATS ? formats[format] : "unknown";
}

int table_style(int format)
{
    return format == FORMAT_MARKDOWN ? TABLE_MARKDOWN
           : format == FORMAT_CSV    ? TABLE_CSV
                                     : TABLE_PLAIN;
}

size_t view_width(const struct view *view)
{
    return view->options->width ? view->options->width : SHOW_COLUMNS;
}

int32_t view_flush(struct text *text, FILE *out, struct gb_error *error)
{
    size_t written = fwrite(text_get(text), 1, text->length, out);
    if (!stream_flush(out) || written != text->length)
        return error_set(error, GB_IO, "the export cannot be written: %s", reason_of(errno));
    text_clear(text);
    return GB_OK;
}

int32_t view_flush_if_long(struct text *text, FILE *out, struct gb_error *error)
{
    enum { LONG = 1 << 16 };
    return text->length > LONG ? view_flush(text, out, error) : GB_OK;
}
