/*
 * value.h - one written value as a number, and lists and ranges of values. Floor 2.
 *
 * How numbers are written is decided here and nowhere else, in the C locale whatever the process's
 * is: integers    32  -5  0x20  2^20  64Ki 4Mi 1Gi  10k 1M 1G  1e6 (exact)   overflow is an error
 *   floats      all of these, 0.5, 1e-3, .5, inf; a trailing % divides by 100 ("ratios")
 *   sizes       integers, with B kB MB GB TB KiB MiB GiB TiB after them, blanks allowed: "64 KiB",
 * "1.5 GB" durations   a number and one of ns us ms s min h; 0 and inf need no unit booleans    yes
 * no true false on off 1 0
 */
#ifndef GBRUN_CORE_VALUE_H
#define GBRUN_CORE_VALUE_H

#include "core/error.h"
#include "core/memory.h"

#include <gbrun/option.h>

/* A value with its type. The canonical text reads back as the same value. */
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
 * text lives in the arena. Errors say what is wrong and what was expected ("'4q' is not a size:
 * expected a number with one of B kB MB GB TB KiB MiB GiB TiB"), with origin as given. option: the
 * table entry, for its type, choices and range.
 */
int32_t value_read(const struct gb_option *option, const char *text, struct origin origin,
                   struct arena *arena, struct value *ret, struct gb_error *error);

/* The same without a table entry: any scalar type but CHOICE. */
int32_t value_read_type(uint32_t type, const char *text, struct origin origin, struct arena *arena,
                        struct value *ret, struct gb_error *error);

struct value_list {
    size_t n;
    struct value *items;
    struct origin *origins; /* of each item: the column is that of its first character */
};

/* Longest axis or list; a longer one is an error. */
enum { VALUE_LIST_MAX = 1000000 };

/*
 * Splits at commas outside double quotes: "a, b" -> a | b. Items lose the blanks around them and
 * the quotes; inside quotes \" and \\ stand for " and \. Empty items are errors. n is 0 for empty
 * text.
 */
struct text_list {
    size_t n;
    const char **items;
    struct origin *origins;
};
int32_t text_split(const char *text, char separator, struct origin origin, struct arena *arena,
                   struct text_list *ret, struct gb_error *error);

/*
 * A comma list in which INT, FLOAT, BYTES and DURATION items may be ranges, ends included:
 *   a:b (step 1)   a:b:s (step s, also downwards)   a:b:xF (each F times the one before)
 * A range whose step never reaches b ends at the last value before it; a step of the wrong sign,
 * zero, or a factor not above 1 is an error. Used for sweep axes and for GB_TYPE_LIST options.
 */
int32_t value_list_read(const struct gb_option *option, const char *text, struct origin origin,
                        struct arena *arena, struct value_list *ret, struct gb_error *error);

/* A set of small integers such as "0-3,8,10-12", ascending, each once; at most 65536 of them. */
int32_t integer_set_read(const char *text, struct origin origin, struct arena *arena, size_t *ret_n,
                         uint32_t **ret_items, struct gb_error *error);

/* The word for a type in messages: "an integer", "a size", "a duration". */
const char *type_words(uint32_t type);

#endif
