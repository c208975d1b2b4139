/*
 * value.h - one written value as a number, and lists and ranges of values.
 *
 * How numbers are written is decided here and nowhere else, in the C locale whatever the process's
 * is:
 *   integers    32  -5  0x20  2^20  64Ki 4Mi 1Gi  10k 1M 1G  1e6 (exact)   overflow is an error
 *   floats      all of these, 0.5, 1e-3, .5, inf; a trailing % divides by 100 ("ratios")
 *   sizes       integers, or whole bytes with B kB MB GB TB KiB MiB GiB TiB after them: "64 KiB",
 *               "1.5 GB"
 *   durations   a number and one of ns us ms s min h; 0 and inf need no unit
 *   booleans    yes no true false on off 1 0
 *   strings     as they stand, or in double quotes, where \" and \\ stand for " and \
 * Blanks may stand between a number and its unit. NaN is never a value; sizes and durations are
 * never negative.
 */
#pragma once

#include "core/base/error.h"
#include "core/base/memory.h"

#include <gbrun/option.h>
#include <stdbool.h>

/* A value with its type. The canonical text reads back as the same value; that of a string, which
 * is the string itself, does once text_quote has seen it. */
struct value {
    uint32_t type;   /* GB_TYPE_..., without GB_TYPE_LIST: scalars only */
    int64_t integer; /* INT, BOOL, CHOICE (the index) */
    double number;   /* FLOAT, DURATION (ns), BYTES; and the others as a number (STRING: NaN) */
    uint64_t bytes;  /* BYTES */
    const char
        *text; /* canonical: "1048576", "0.005", "2000000ns", "yes", the string or word itself */
};

/*
 * Reads one scalar. text need not be free of blanks around it. On success *ret holds a value whose
 * text lives in the arena. Errors name what is wrong and what was expected ("'4q' is not a size:
 * expected a number with one of B kB MB GB TB KiB MiB GiB TiB"), with origin as given. option: the
 * table entry, for its type, choices and range.
 */
int32_t value_read(const struct gb_option *option, const char *text, struct origin origin,
                   struct arena *arena, struct value *ret, struct gb_error *error);

/* The same without a table entry: any scalar type but CHOICE. */
int32_t value_read_type(uint32_t type, const char *text, struct origin origin, struct arena *arena,
                        struct value *ret, struct gb_error *error);

/* Below 0, 0 or above 0 as a is less than, equal to or more than b: numbers of the same type. */
int value_compare(const struct value *a, const struct value *b);

/* The range of a table entry: "LOW:HIGH", both included, either may be empty. */
struct value_range {
    bool has_low, has_high;
    struct value low, high;
};
int32_t value_range_read(const struct gb_option *option, struct arena *arena,
                         struct value_range *ret, struct gb_error *error);
/* Is the value inside? written is what the message shows: "rows = 0 is out of range: ...". */
int32_t value_range_check(const struct gb_option *option, const struct value_range *range,
                          const struct value *value, const char *written, struct origin origin,
                          struct gb_error *error);

/* Takes the blanks off both ends of *n bytes. */
void text_trim(const char **text, size_t *n);

/* Text of n bytes for a message: trimmed, and cut after TEXT_SHOWN bytes with "..." */
enum { TEXT_SHOWN = 80 };
const char *text_shown(const char *text, size_t n, char buffer[TEXT_SHOWN + 4]);
/* The same in memory of the block in which it stands. */
#define SHOWN_TEXT(text, n) text_shown(text, n, (char[TEXT_SHOWN + 4]){0})

/* Where text[offset] was written if text begins at origin; a column that is not known stays so. */
struct origin origin_at(struct origin origin, const char *text, size_t offset);

/*
 * The string as one has to write it, in double quotes if it would be read as something else: for a
 * list with this separator, or as a value of its own (separator 0). The opposite of value_read and
 * text_split.
 */
const char *text_quote(const char *text, char separator, struct arena *arena);
/* In double quotes whatever it is. */
const char *text_in_quotes(const char *text, struct arena *arena);

struct value_list {
    size_t n;
    struct value *items;
    struct origin *origins; /* of each item: the column is that of its first character */
};

void value_list_add(struct value_list *list, const struct value *value, struct origin origin,
                    struct arena *arena);

/* Longest axis or list; a longer one is an error. */
enum { VALUE_LIST_MAX = 1000000 };

/*
 * Splits at separators outside double quotes: "a, b" -> a | b. Items lose the blanks around them
 * and, if the separator is a comma, the quotes; with another one they keep them, to be split again.
 * Inside quotes \" and \\ stand for " and \. Empty items are errors. n is 0 for empty text.
 */
struct text_list {
    size_t n;
    const char **items;
    struct origin *origins;
    bool *is_quoted; /* did it begin with a quote? */
};
int32_t text_split(const char *text, char separator, struct origin origin, struct arena *arena,
                   struct text_list *ret, struct gb_error *error);

/*
 * A comma list in which INT, FLOAT, BYTES and DURATION items may be ranges, ends included:
 *   a:b (step 1)   a:b:s (step s, also downwards)   a:b:xF (each F times the one before)
 * A range whose step never reaches b ends at the last value before it; a step of the wrong sign,
 * zero, or a factor not above 1 is an error. A range of durations needs a step. Values of a float
 * range are those that a user would have written (0.3, not 0.30000000000000004); those of integers
 * and sizes are rounded to whole numbers, each once. Used for sweep axes and for GB_TYPE_LIST
 * options.
 */
int32_t value_list_read(const struct gb_option *option, const char *text, struct origin origin,
                        struct arena *arena, struct value_list *ret, struct gb_error *error);

/* The word for a type in messages: "an integer", "a size", "a duration". */
const char *type_words(uint32_t type);
