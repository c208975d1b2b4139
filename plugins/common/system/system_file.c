/* system_file.c - see system_file.h. Plugin side. */
#define _GNU_SOURCE
#include "plugins/common/system/system_file.h"

#include <ctype.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PATH_BYTES = 256, LINE_BYTES = 8192 };

static void trim(char *text)
{
    size_t length = strlen(text);
    while (length > 0 && isspace((unsigned char)text[length - 1]))
        text[--length] = '\0';
    const size_t blanks = strspn(text, " \t");
    memmove(text, text + blanks, length - blanks + 1);
}

bool system_file_line(char *buffer, size_t bytes, const char *path_format, ...)
{
    char path[PATH_BYTES];
    va_list arguments;
    va_start(arguments, path_format);
    vsnprintf(path, sizeof path, path_format, arguments);
    va_end(arguments);
    buffer[0] = '\0';
    FILE *file = fopen(path, "re");
    if (file == NULL)
        return false;
    const bool got = fgets(buffer, (int)bytes, file) != NULL;
    fclose(file);
    trim(buffer);
    return got && buffer[0] != '\0';
}

bool system_file_value(const char *path, const char *key, char *buffer, size_t bytes)
{
    char line[LINE_BYTES];
    const size_t length = strlen(key);
    buffer[0] = '\0';
    FILE *file = fopen(path, "re");
    if (file == NULL)
        return false;
    while (buffer[0] == '\0' && fgets(line, sizeof line, file) != NULL) {
        const char *colon = line + length + strspn(line + length, " \t");
        if (strncmp(line, key, length) != 0 || *colon != ':')
            continue;
        trim(line + (colon - line) + 1);
        snprintf(buffer, bytes, "%s", colon + 1);
    }
    fclose(file);
    return buffer[0] != '\0';
}

int system_file_open(const char *path_format, ...)
{
    char path[PATH_BYTES];
    va_list arguments;
    va_start(arguments, path_format);
    vsnprintf(path, sizeof path, path_format, arguments);
    va_end(arguments);
    return open(path, O_RDONLY | O_CLOEXEC);
}

bool system_file_number(int file, double *ret)
{
    char text[64];
    if (file < 0)
        return false;
    const ssize_t n = pread(file, text, sizeof text - 1, 0);
    if (n <= 0)
        return false;
    text[n] = '\0';
    char *end = NULL;
    const long long value = strtoll(text, &end, 10);
    if (end == text)
        return false;
    *ret = (double)value;
    return true;
}

void system_file_close(int file)
{
    if (file >= 0)
        close(file);
}
