/*
 * printer.c - writes to stdout and stderr in the callback named by `where`: whole lines, parts of
 * lines that no newline ends, bytes that are no text, a line of 1 MiB. gbrun's own stdout must
 * hold none of it; on stderr each line must bear the case's name.
 */
#include "tests/modules/places.h"

#include <gbrun/gbrun.h>
#include <stdio.h>
#include <stdlib.h>

static const char *const kinds[] = {"all", "lines", "partial", "binary", "huge_line", "unflushed"};
enum { ALL, LINES, PARTIAL, BINARY, HUGE_LINE, UNFLUSHED };

struct params {
    int32_t where;
    int32_t what;
};

static const struct gb_option options[] = {
    GB_CHOICE(struct params, where, "prepare", places, "the callback that misbehaves"),
    GB_CHOICE(struct params, what, "all", kinds, "what it writes"),
};

struct bench {
    const struct gb_host *host;
    struct params params;
};

static void write_huge_line(FILE *stream)
{
    for (int i = 0; i < 1 << 20; i++)
        putc('x', stream);
    putc('\n', stream);
}

static void print(int32_t what, FILE *stream, const char *name)
{
    if (what == ALL || what == LINES)
        fprintf(stream, "first line on %s\nsecond line on %s\n", name, name);
    if (what == ALL || what == BINARY)
        fwrite("\0\x01\xff\xfe\x1b[31m\r\n", 1, 12, stream);
    if (what == ALL || what == HUGE_LINE)
        write_huge_line(stream);
    if (what == ALL || what == PARTIAL)
        fprintf(stream, "no newline on %s", name);
    if (what != UNFLUSHED)
        fflush(stream);
    else
        fprintf(stream, "unflushed on %s", name);
}

static int32_t act(struct bench *bench, int32_t where)
{
    if (where == bench->params.where) {
        print(bench->params.what, stdout, "stdout");
        print(bench->params.what, stderr, "stderr");
    }
    return GB_OK;
}

#define MODULE_ID "printer"
#define MODULE_SUMMARY "writes to stdout and stderr"
#include "tests/modules/callbacks.h"
