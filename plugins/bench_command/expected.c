/* expected.c - see expected.h. Plugin side. */
#define _GNU_SOURCE /* pipe2 */
#include "expected.h"

#include "plugins/common/bench_steps.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* \n, \t and \\ of the option. */
static int32_t read_text(const struct gb_host *host, const char *text, struct expected *ret)
{
    char *to = host->allocate(host, strlen(text) + 1);
    if (to == NULL)
        return GB_NO_MEMORY;
    *ret = (struct expected){.is_given = true, .text = to};
    for (; *text != '\0'; text++) {
        const char next = *text == '\\' ? text[1] : '\0';
        const bool is_escape = next == 'n' || next == 't' || next == '\\';
        text += is_escape;
        to[ret->n++] = !is_escape ? *text : next == 'n' ? '\n' : next == 't' ? '\t' : '\\';
    }
    return GB_OK;
}

static int32_t read_file(const struct gb_host *host, const char *name, struct expected *ret)
{
    enum { MOST = 1 << 30 };
    struct stat facts;
    const char *path = path_of(host, name);
    if (path == NULL)
        return GB_NO_MEMORY;
    FILE *file = fopen(path, "rbe");
    if (file == NULL || fstat(fileno(file), &facts) != 0) {
        if (file != NULL)
            fclose(file);
        return host_fail(host, "expect_file: %s cannot be read: %s", path, strerror(errno));
    }
    const size_t bytes = (size_t)facts.st_size;
    char *text = facts.st_size < MOST ? host->allocate(host, bytes + 1) : NULL;
    const bool is_read = text != NULL && fread(text, 1, bytes, file) == bytes;
    fclose(file);
    if (!is_read)
        return host_fail(host, "expect_file: %s cannot be read: expected a file of up to 1 GiB",
                         path);
    *ret = (struct expected){.is_given = true, .text = text, .n = bytes, .is_file = true};
    return GB_OK;
}

int32_t expected_read(const struct gb_host *host, const char *output, const char *file,
                      struct expected *ret)
{
    *ret = (struct expected){0};
    if (*output != '\0' && *file != '\0')
        return host_fail(host, "expect_file: expect_output is given, too: expected one of the two");
    if (*file != '\0')
        return read_file(host, file, ret);
    return *output != '\0' ? read_text(host, output, ret) : GB_OK;
}

int expected_shown(const char *text, size_t n, size_t at)
{
    enum { MOST = 40 };
    size_t length = 0;
    while (at + length < n && length < MOST && text[at + length] != '\n')
        length++;
    return (int)length;
}

static int32_t judge(const struct gb_host *host, const struct expected *expected,
                     const char *output, size_t n)
{
    size_t same = 0, line = 1, begin = 0;
    char words[400];
    if (!expected->is_file && n == expected->n + 1 && output[n - 1] == '\n')
        n--;
    while (same < n && same < expected->n && output[same] == expected->text[same])
        same++;
    if (same == n && n == expected->n)
        return host->checked(host, "output", 1, "");
    for (size_t i = 0; i < same; i++)
        if (output[i] == '\n') {
            line++;
            begin = i + 1;
        }
    if (same == n)
        snprintf(words, sizeof words, "line %zu, byte %zu: the output ends here: expected \"%.*s\"",
                 line, same - begin + 1, expected_shown(expected->text, expected->n, same),
                 expected->text + same);
    else if (same == expected->n)
        snprintf(words, sizeof words, "line %zu, byte %zu: \"%.*s\": expected nothing more", line,
                 same - begin + 1, expected_shown(output, n, same), output + same);
    else
        snprintf(words, sizeof words, "line %zu, byte %zu: \"%.*s\": expected \"%.*s\"", line,
                 same - begin + 1, expected_shown(output, n, same), output + same,
                 expected_shown(expected->text, expected->n, same), expected->text + same);
    return host->checked(host, "output", 0, words);
}

static bool never(void *context)
{
    (void)context;
    return false;
}

int32_t expected_check(const struct gb_host *host, const struct expected *expected,
                       const struct program *program, const int streams[3])
{
    enum { BEYOND = 64 }; /* of what is too much some is shown */
    const size_t room = expected->n + BEYOND;
    char *output = host->allocate(host, room);
    int ends[2];
    pid_t pid;
    struct outcome outcome;
    if (output == NULL || pipe2(ends, O_CLOEXEC) != 0)
        return GB_NO_MEMORY;
    const int with_pipe[3] = {streams[0], ends[1], streams[2]};
    const int code = process_start(program, with_pipe, &pid);
    close(ends[1]);
    const size_t n = code == 0 ? process_read(ends[0], output, room) : 0;
    if (code == 0 && n == room)
        process_kill(pid);
    else if (code == 0)
        process_wait(pid, never, NULL, &outcome);
    close(ends[0]);
    return code == 0 ? judge(host, expected, output, n)
                     : host_fail(host, "%s cannot be started: %s", program->file, strerror(code));
}
