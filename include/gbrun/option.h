/*
 * option.h - option tables: how a plugin says which settings it takes.
 *
 * One table drives parsing, range checks, `gbrun help`, the manual page, suggestions for misspelt
 * names and shell completion. The host fills the plugin's params struct from it: a block of
 * params_size bytes, zeroed, then one member an option. The block, and all text and arrays it
 * points to, belong to the host and live until the plugin object made from it has been destroyed.
 */
#ifndef GBRUN_OPTION_H
#define GBRUN_OPTION_H

#include <gbrun/abi.h>

/*
 * Types. The comment says what stands at `offset` in the params struct and how a user writes it.
 * GB_TYPE_LIST is added to one of the first seven: then a struct gb_list stands there, whose items
 * are what the element type says, and the user writes the elements with commas between them.
 */
enum {
    GB_TYPE_INT = 1,      /* int64_t: 32, 2^20, 64Ki, 1e6 */
    GB_TYPE_FLOAT = 2,    /* double: 0.5, 1e-3, 0.5% */
    GB_TYPE_BOOL = 3,     /* int32_t, 0 or 1: yes no, true false, on off, 1 0 */
    GB_TYPE_STRING = 4,   /* const char *, never NULL */
    GB_TYPE_CHOICE = 5,   /* int32_t: the index of the word in `choices` */
    GB_TYPE_BYTES = 6,    /* uint64_t, bytes: 4096, 64 KiB, 1.5 GB */
    GB_TYPE_DURATION = 7, /* double, nanoseconds: 500 ms, 2s; only 0 and inf need no unit */
    GB_TYPE_MAP = 8,      /* struct gb_map: all keys NAME.KEY of the section, in file order */
    GB_TYPE_LIST = 0x100
};

struct gb_list {
    uint64_t n;
    const void *items; /* n items of the element type; NULL if n is 0 */
};

struct gb_map {
    uint64_t n;
    const char *const *keys;   /* without the "NAME." before them */
    const char *const *values; /* as written */
};

/* Flags of an option. */
enum {
    /* changes how, not what, is measured: leaves a case's identity alone */
    GB_OPTION_NOT_IDENTITY = 1u,
    /* GB_TYPE_STRING and GB_TYPE_MAP: {EXPRESSION} in the text stands for its value in the case,
     * {{ and }} for braces; the plugin gets the text with the values in it */
    GB_OPTION_TEMPLATE = 2u,
    /* GB_TYPE_MAP, at most one in a table, no template: takes the section's keys that nothing else
     * knows as well, as KEY without "NAME." before it: words of letters, digits and _ that begin
     * with a letter. Its values are typed: a number is its canonical text ("1048576" of 2^20, "0.5"
     * of 50%), all else is a text in double quotes with \ before " and \ in it. Keys that begin
     * with _ remain variables of expressions. */
    GB_OPTION_REST = 4u
};

struct gb_option {
    uint32_t size;  /* sizeof(struct gb_option); also the stride of the table */
    uint32_t type;  /* GB_TYPE_... */
    uint32_t flags; /* GB_OPTION_... */
    uint32_t n_choices;
    uint64_t offset;            /* in the params struct */
    const char *name;           /* [a-z][a-z0-9_]*, at most 40 bytes */
    const char *default_value;  /* as a user would write it; NULL: the user must give it */
    const char *range;          /* "LOW:HIGH", both included, either may be empty; or NULL */
    const char *const *choices; /* GB_TYPE_CHOICE: the words; else NULL */
    const char *unit;           /* for display: "rows", "bytes", "ns"; or NULL */
    const char *help;           /* one sentence, no full stop */
};

/*
 * Initializers for a table, valid in C99 and C++: the params struct, its member, then texts.
 *   static const struct gb_option options[] = {
 *       GB_INT(struct params, rows, "32", "1:65536", "rows", "rows of the output matrix"),
 *   };
 */
#define GB_OPTION_OF(type_, flags_, struct_, member_, default_, range_, n_, choices_, unit_,       \
                     help_)                                                                        \
    {                                                                                              \
        (uint32_t)sizeof(struct gb_option), (uint32_t)(type_), (uint32_t)(flags_), (uint32_t)(n_), \
            (uint64_t)offsetof(struct_, member_), #member_, default_, range_, choices_, unit_,     \
            help_                                                                                  \
    }
#define GB_INT(s, m, default_, range, unit, help)                                                  \
    GB_OPTION_OF(GB_TYPE_INT, 0, s, m, default_, range, 0, NULL, unit, help)
#define GB_FLOAT(s, m, default_, range, unit, help)                                                \
    GB_OPTION_OF(GB_TYPE_FLOAT, 0, s, m, default_, range, 0, NULL, unit, help)
#define GB_BOOL(s, m, default_, help)                                                              \
    GB_OPTION_OF(GB_TYPE_BOOL, 0, s, m, default_, NULL, 0, NULL, NULL, help)
#define GB_STRING(s, m, default_, help)                                                            \
    GB_OPTION_OF(GB_TYPE_STRING, 0, s, m, default_, NULL, 0, NULL, NULL, help)
/* `words` is an array of const char *, not a pointer: its length is taken here. */
#define GB_CHOICE(s, m, default_, words, help)                                                     \
    GB_OPTION_OF(GB_TYPE_CHOICE, 0, s, m, default_, NULL, sizeof(words) / sizeof((words)[0]),      \
                 words, NULL, help)
#define GB_BYTES(s, m, default_, range, help)                                                      \
    GB_OPTION_OF(GB_TYPE_BYTES, 0, s, m, default_, range, 0, NULL, "bytes", help)
#define GB_DURATION(s, m, default_, range, help)                                                   \
    GB_OPTION_OF(GB_TYPE_DURATION, 0, s, m, default_, range, 0, NULL, "ns", help)
#define GB_LIST(s, m, element_type, default_, range, unit, help)                                   \
    GB_OPTION_OF((element_type) | GB_TYPE_LIST, 0, s, m, default_, range, 0, NULL, unit, help)
#define GB_MAP(s, m, help) GB_OPTION_OF(GB_TYPE_MAP, 0, s, m, "", NULL, 0, NULL, NULL, help)

#endif
