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

struct scan_include {
    const char *name;
    size_t n;
    bool is_quoted;   /* "name", not <name> */
    bool is_computed; /* by a macro; there is no name */
};

/* The next #include from *at on, also one that the compiler would leave out; false: no more. */
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

struct scan_kernel {
    size_t line;
    bool is_certain; /* no macro can hide in the list of parameters */
    size_t n;
    struct scan_parameter parameters[SCAN_PARAMETERS_MAX];
};

/* Definitions and declarations of kernels of this name in a stripped text, the first `max`. */
size_t scan_kernels(const char *stripped, const char *name, size_t n, struct scan_kernel *ret,
                    size_t max);

/* The kernels of PTX (a text that ends with NUL): the one of this name, or false. */
bool scan_ptx(const char *text, const char *name, struct scan_kernel *ret);
/* Is a function of this name in an ELF file of 64 bits? *ret_is_elf: is it one at all? */
bool scan_elf(const void *file, size_t bytes, const char *name, bool *ret_is_elf);

#endif
