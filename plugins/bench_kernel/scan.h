/*
 * scan.h - what is found in the text of a source or of PTX without compiling it. Plugin side.
 *
 * Of a source that is which headers it includes, as part of a cache's key, since NVRTC does
 * not list them, and which words are in it: that is all that is checked where there is no NVRTC to
 * ask.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SCAN_PARAMETERS_MAX = 64 };

struct scan_include {
    const char *name;
    size_t n;
    bool is_quoted;   /* "name", not <name> */
    bool is_computed; /* by a macro, or by where it is not found first: which it is is not known */
};

/* The next #include or __has_include from *at on, also one that the compiler would leave out;
 * false: no more. */
bool scan_next_include(const char **at, struct scan_include *ret);

/* The last word of a C++ name before template arguments: "scale" of "my::scale<float, 4>". n is 0
 * where the expression is something else. */
const char *scan_base_name(const char *expression, size_t *ret_n);

/* Is the word somewhere in a text? */
bool scan_has_word(const char *text, const char *word, size_t n);

enum { SCAN_LIST_BYTES = 300 };

/* Names of as many kernels as there is room for: "a, b, ...". "": there is none. */
void scan_list(const char *text, char ret[SCAN_LIST_BYTES]);
void scan_list_ptx(const char *text, char ret[SCAN_LIST_BYTES]);

/* As PTX has it; in 64 bits an integer may be an address. */
enum scan_kind { SCAN_UNKNOWN, SCAN_INTEGER, SCAN_FLOAT, SCAN_POINTER };

struct scan_parameter {
    enum scan_kind kind;
    uint32_t bytes;
};

struct scan_kernel {
    size_t line; /* of the PTX */
    size_t n;
    struct scan_parameter parameters[SCAN_PARAMETERS_MAX];
};

/* The kernel of PTX (a text that ends with NUL) with this name; false: it is not there, or its
 * parameters cannot be read. */
bool scan_ptx(const char *text, const char *name, struct scan_kernel *ret);
