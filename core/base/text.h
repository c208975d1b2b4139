/*
 * text.h - text that grows, and numbers as people read them.
 */
#pragma once

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arena;

/* Zero-initialize. data is NULL while nothing was added, else ends with NUL at data[length]. */
struct text {
    char *data;
    size_t length;
    size_t capacity;
};

void text_add(struct text *text, const char *more);
void text_add_n(struct text *text, const char *more, size_t n);
void text_printf(struct text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
void text_vprintf(struct text *text, const char *format, va_list arguments)
    __attribute__((format(printf, 2, 0)));
void text_pad(struct text *text, char filler, size_t n);
/* At most `most` columns of the words; an ellipsis stands for what is cut off. */
void text_add_shortened(struct text *text, const char *words, size_t most);
/* The same with the ellipsis in the middle: what tells long names apart stands at both ends. */
void text_add_cut(struct text *text, const char *words, size_t most);
/* Words that start in `column`: a line that would take more than `most` columns breaks at a blank
 * and continues after `indent` blanks, two more in a line that begins with "- ". Their own line
 * breaks stay. */
void text_add_wrapped(struct text *text, const char *words, size_t column, size_t indent,
                      size_t most);
/* Words with U+FFFD for what is not plain (plain_text.h), and `escaped` for each `special` unless
 * it is 0: of names of files, say, which are not plain for having come in. */
void text_add_valid(struct text *text, const char *words, char special, const char *escaped);
/* Words on one line: the same, with blanks for line breaks and tabs. */
void text_add_line(struct text *text, const char *words);
/* A field of a CSV line (RFC 4180), made plain, after a comma unless it is the first. What a
 * spreadsheet would compute, as it begins with = + - @, a tab or a line break and is no number, has
 * an apostrophe before it; not so a name of gbrun's own. */
void text_add_csv(struct text *text, const char *field, bool is_first);
void text_add_csv_name(struct text *text, const char *field, bool is_first);
/* Adds what a file holds, "-": what comes on standard input. FILE_TOO_LONG: it has more than `most`
 * bytes, of which no more are added. errno says why it was not opened or not read. */
enum file_end { FILE_READ, FILE_NOT_OPENED, FILE_NOT_READ, FILE_TOO_LONG };
enum file_end text_add_file(struct text *text, const char *path, size_t most);
void text_cut(struct text *text, size_t length); /* what is longer */
void text_clear(struct text *text);              /* keeps the memory */
void text_free(struct text *text);               /* leaves it empty and usable */
const char *text_get(const struct text *text);   /* never NULL */

bool text_equal(const char *a, const char *b);
bool text_starts_with(const char *text, const char *prefix);
bool text_ends_with(const char *text, const char *suffix);

/* FNV-1a over words, their ends included, and numbers, one after the other. */
#define HASH_START 0xCBF29CE484222325
uint64_t hash_text(uint64_t hash, const char *text);
uint64_t hash_number(uint64_t hash, uint64_t number);

/* "rows=32", after a blank unless it is the first. A value with blanks is quoted. */
void text_add_setting(struct text *text, const char *name, const char *value);

/* Columns that the text takes on a terminal: one for each code point, or byte that is not UTF-8,
 * and none for what switches colours. */
size_t text_columns(const char *text);

/* Edits (insert, delete, replace, swap neighbours) between two words; at most `limit` + 1. */
size_t text_distance(const char *a, const char *b, size_t limit);

/* Texts in an array: of each item, which takes item_bytes, the one at an offset. */
struct text_column {
    const void *items;
    size_t n, item_bytes, offset;
};
#define TEXTS_OF(items, n, member)                                                                 \
    ((struct text_column){(items), (n), sizeof *(items), offsetof(__typeof__(*(items)), member)})
#define WORDS_OF(words, n) ((struct text_column){(words), (n), sizeof *(words), 0})

/* "a, b" */
void text_add_joined(struct text *text, struct text_column texts);

/* The number of the first that is the word; n: none is. As a choice -1: none is. */
size_t text_index(struct text_column texts, const char *word);
int text_choice(struct text_column texts, const char *word);
/* The item of an array whose member is the word; NULL: there is none. */
#define ITEM_NAMED(items, n, member, word)                                                         \
    ((__typeof__(&*(items)))text_item(TEXTS_OF(items, n, member), (word)))
void *text_item(struct text_column texts, const char *word);
/* Is it one of the n words; of these, which are literals? */
bool text_is_among(const char *const *words, size_t n, const char *word);
#define IS_AMONG(word, ...)                                                                        \
    text_is_among((const char *const[]){__VA_ARGS__},                                              \
                  sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *), (word))

/* Words, names or paths, in order. */
struct words {
    const char **items;
    size_t n;
};
/* Adds a copy of the word, in the arena, unless it is there: was it added? */
bool words_add_new(struct words *words, struct arena *arena, const char *word);

/* The text a user most likely meant: fewest edits, at most 2 (1 for words under 4 letters); NULL if
 * none is near. */
const char *text_nearest(struct text_column texts, const char *word);

/* For "%s%s%s" in a message: what is suggested (a hint, see error.h), or other words where there is
 * nothing near (NULL). */
#define DID_YOU_MEAN(nearest, otherwise)                                                           \
    (nearest) ? "; \1did you mean '" : (otherwise), (nearest) ? (nearest) : "",                    \
        (nearest) ? "'?" : ""

/* Shortest decimal text that reads back as the same double: "0.1", "1e+300", "nan", "inf". C
 * locale. */
enum { NUMBER_TEXT_MAX = 32 };
char *format_double(double value, char buffer[NUMBER_TEXT_MAX]);

/* The largest unit, from ns to s, that the time has at least one of; ns if it has none. */
struct time_unit {
    const char *name;
    double ns;
};
const struct time_unit *time_unit_of(double ns);

/* For people, with `digits` significant digits and a unit that fits: "1.44 us", "31.9 GFLOP/s". */
char *format_time(double ns, int digits, char buffer[NUMBER_TEXT_MAX]);
/* "0.52 %"; "-" for what is not finite. */
void text_add_percent(struct text *text, double ratio);
/* "+-0.52 %"; "[1.2 us, 1.4 us]" where the ends are not alike or far apart, ">= 1.2 us" where one
 * is known (with the signs of these), and above 0. Nothing where none is. */
void text_add_interval(struct text *text, double central_ns, double low_ns, double high_ns);
char *format_si(double value, const char *unit, int digits, char buffer[NUMBER_TEXT_MAX]);
char *format_bytes(double bytes, char buffer[NUMBER_TEXT_MAX]); /* "1.5 MiB" */
/* "1 run", "2 runs" */
char *format_count(uint64_t n, const char *noun, char buffer[NUMBER_TEXT_MAX]);

/* The same in memory of the block in which they stand. */
#define NUMBER_TEXT ((char[NUMBER_TEXT_MAX]){0})
#define DOUBLE_TEXT(value) format_double(value, NUMBER_TEXT)
#define TIME_TEXT(ns, digits) format_time(ns, digits, NUMBER_TEXT)
#define SI_TEXT(value, unit, digits) format_si(value, unit, digits, NUMBER_TEXT)
#define BYTES_TEXT(bytes) format_bytes(bytes, NUMBER_TEXT)
#define COUNT_TEXT(n, noun) format_count(n, noun, NUMBER_TEXT)
