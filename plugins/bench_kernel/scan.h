/*
 * scan.h - what can be seen in the text of a source without compiling it. Plugin side.
 *
 * It has no preprocessor: what it is not sure of it says so, and the compiler has the last word.
 */
#ifndef GBRUN_PLUGINS_BENCH_KERNEL_SCAN_H
#define GBRUN_PLUGINS_BENCH_KERNEL_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SCAN_PARAMETERS_MAX = 64, SCAN_KERNELS_MAX = 16 };

/* May it be part of a name? */
bool scan_is_letter(char c);
/* Behind a word that begins at `at`; NULL: there is another one, or none. */
const char *scan_after_word(const char *at, const char *word);

struct scan_include {
    const char *name;
    size_t n;
    bool is_quoted;   /* "name", not <name> */
    bool is_computed; /* by a macro, or by where it is not found first: which it is is not known */
};

/* The next #include or __has_include from *at on, also one that the compiler would leave out;
 * false: no more. */
bool scan_next_include(const char **at, struct scan_include *ret);

/* A copy of the text in which comments, strings and characters are blanks; line ends are kept. The
 * caller frees it; NULL: there is no memory. */
char *scan_strip(const char *text);

/* The last word of a C++ name before template arguments: "scale" of "my::scale<float, 4>". n is 0
 * where the expression is something else. */
const char *scan_base_name(const char *expression, size_t *ret_n);

/* Is the word somewhere in a stripped text? */
bool scan_has_word(const char *stripped, const char *word, size_t n);

enum scan_kind { SCAN_UNKNOWN, SCAN_INTEGER, SCAN_FLOAT, SCAN_POINTER };

struct scan_parameter {
    enum scan_kind kind;
    uint32_t bytes; /* of integers and floats */
};

/* How many arguments a template takes. */
struct scan_template {
    bool is_one;     /* there is `template <...>` before it */
    bool is_certain; /* no macro can hide there */
    size_t least, most;
};

struct scan_kernel {
    size_t line;
    struct scan_template template;
    bool is_certain; /* no macro can hide in the list of parameters */
    size_t n;
    struct scan_parameter parameters[SCAN_PARAMETERS_MAX];
};

/* Definitions and declarations of kernels of this name in a stripped text, the first `max`. */
size_t scan_kernels(const char *stripped, const char *name, size_t n, struct scan_kernel *ret,
                    size_t max);

/* Does a stripped text define a macro with the name of a word that stands behind the first < of an
 * entry? */
bool scan_defines_argument(const char *stripped, const char *expression);

/* How many arguments stand between the last < and > of an entry; false: there is no <>. */
bool scan_template_arguments(const char *expression, size_t *ret_n);

enum { SCAN_LIST_BYTES = 300 };

/* Names of kernels, with commas between, as far as there is room: "a, b, ...". "": there is none.
 */
void scan_list(const char *stripped, char ret[SCAN_LIST_BYTES]);
void scan_list_ptx(const char *text, char ret[SCAN_LIST_BYTES]);

/* The kernels of PTX (a text that ends with NUL): the one of this name, or false. */
bool scan_ptx(const char *text, const char *name, struct scan_kernel *ret);
/* Is a function of this name in an ELF file of 64 bits? *ret_is_elf: is it one at all? */
bool scan_elf(const void *file, size_t bytes, const char *name, bool *ret_is_elf);

#endif
