/*
 * error.h - what went wrong, where, as data.
 *
 * Functions return an int32_t status of <gbrun/abi.h> and take a struct gb_error as their last
 * parameter; the first to find an error writes it, callers pass it on. Nothing below main.c prints.
 * Messages name the thing, its value, what was expected and, where it can be known, what to do. In
 * a format, or a text that it is given, HINT_MARK stands before the last: "'%s' is not known;
 * \1did you mean '%s'?". It is taken out.
 */
#pragma once

#include <gbrun/abi.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

/* Where something was written. file is NULL if nowhere; line and column count from 1, 0: not known.
 */
struct origin {
    const char *file;
    uint32_t line;
    uint32_t column;
};

struct gb_error {
    int32_t status;
    struct origin origin; /* origin.file must outlive the error */
    size_t hint;          /* 1 + where in the text what to do begins; 0: it does not say */
    char text[1024];
};

#define HINT_MARK '\1'
/* Takes the marks out of a text; returns 1 + where the first was; 0: there was none. */
size_t hint_take(char *text);

/* Sets *error (which may be NULL) and returns status. The text is cut at the end of the buffer. */
int32_t error_set(struct gb_error *error, int32_t status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
int32_t error_set_at(struct gb_error *error, int32_t status, struct origin origin,
                     const char *format, ...) __attribute__((format(printf, 4, 5)));

int32_t error_set_va(struct gb_error *error, int32_t status, struct origin origin,
                     const char *format, va_list arguments) __attribute__((format(printf, 4, 0)));

/* Puts words before the error's text: "FILE: " + text. Returns the error's status. */
int32_t error_prefix(struct gb_error *error, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Puts words behind the error's text. */
int32_t error_append(struct gb_error *error, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Why a function of the system failed, by its errno: strerror's words, and the value of the limit
 * (ulimit) that it may come from, if there is one; 0, which a stream that has failed earlier
 * leaves, is an input/output error. Thread-local. */
const char *reason_of(int code);

/* " (the limit, ulimit -v, is 7000 KiB)", of the limit that an errno may come from; "": there is
 * none. For who learns of a failure by words alone, as of dlopen. Thread-local. */
const char *limits_of(int code);

/* What the message says to do; within its text. NULL: it does not say. */
const char *error_hint(const struct gb_error *error);
/* Of a message that was made elsewhere, by a plugin or in another process: only its words tell.
 * They are "did you mean", "expected", "write" or "see" behind a colon, a semicolon or a comma. */
void error_seek_hint(struct gb_error *error);

/* The words of a status: "device error"; "status -77" for one it does not know. Static or
 * thread-local. */
const char *status_words(int32_t status);

/* All errors of a configuration, in the order found. Zero-initialize; free with error_list_free. */
struct error_list {
    struct gb_error *items;
    size_t n;
    size_t n_left_out; /* beyond ERROR_LIST_MAX, counted only */
};

enum { ERROR_LIST_MAX = 100 };

void error_list_add(struct error_list *list, struct origin origin, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void error_list_take(struct error_list *list, const struct gb_error *error);
/* In the order of the places they are about: by line and column where the file is the same. */
void error_list_sort(struct error_list *list);
/* All that were added, also those that the list has no room for. */
size_t error_list_count(const struct error_list *list);
bool error_list_empty(const struct error_list *list);
void error_list_free(struct error_list *list);
