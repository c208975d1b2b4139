/*
 * system_file.h - small files of /proc and /sys. Plugin side.
 *
 * A file that is not there or cannot be read is a normal answer everywhere here.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Its first line, without the newline and the blanks around it. False: not readable, or empty. */
bool system_file_line(char *buffer, size_t bytes, const char *path_format, ...)
    __attribute__((format(printf, 3, 4)));

/* The value of the first line "KEY<blanks>: VALUE" of a file such as /proc/cpuinfo. */
bool system_file_value(const char *path, const char *key, char *buffer, size_t bytes);

/* A number that is read again and again: opened once. -1: not there. */
int system_file_open(const char *path_format, ...) __attribute__((format(printf, 1, 2)));
bool system_file_number(int file, double *ret);
void system_file_close(int file); /* -1 allowed */
