/*
 * ini.h - an INI file as entries with their origins. The only user of <ini.h>.
 *
 * Read through inih by a line reader of our own, which counts lines, takes comments off, joins a
 * value with the lines that continue it, and refuses what inih would cut (names of sections and
 * keys over 49 bytes). inih is given the sections and keys. Rules:
 *  - `[section]` or `[kind name]`, and `key = value`, begin in the first column; `key: value` is an
 *    error that suggests `=`;
 *  - comments: `;` or `#` at the start of a line or after a blank, but not inside double quotes;
 *  - a line that begins with a blank, after a key, is joined to the value with one blank;
 *  - a section may appear once, a key once in its section; text before the first section is an
 *    error;
 *  - a UTF-8 byte order mark is skipped; CR LF is read as LF; NUL and other control characters and
 *    invalid UTF-8 are errors; a file has at most 16 MiB.
 */
#pragma once

#include "core/base/error.h"
#include "core/base/memory.h"

/* A setting of the command line. It may become an entry of several sections. */
struct ini_setting {
    const char *text; /* as given, or as -s would take it */
    struct origin origin;
    const char *kind, *name, *key; /* of its first section, and in it; key NULL: there is none */
    bool is_pattern;               /* meant for whichever of several sections know the key */
    /* Set by settings_resolve. */
    bool has_effect;
    struct gb_error refusal; /* of a pattern: the first section that does not know the key */
};

struct ini_entry {
    const char *key;
    const char *value;           /* may be empty */
    struct origin origin;        /* of the key */
    struct origin value_origin;  /* column 0 if the value was joined from several lines */
    bool is_override;            /* came from the command line */
    struct ini_setting *setting; /* which of those of ini_override or ini_set; or NULL */
};

struct ini_section {
    const char *kind; /* "bench" of [bench streams], "gbrun" of [gbrun] */
    const char *name; /* "streams", or "" */
    struct origin origin;
    size_t n;
    struct ini_entry *entries; /* in file order; sections without keys are there too */
};

struct ini {
    const char *path; /* as given; in messages "-" is <stdin> */
    size_t n;
    struct ini_section *sections; /* in file order */
    size_t n_settings;
    struct ini_setting **settings; /* of the command line, in order */
};

/*
 * Reads a file; "-" is standard input. All that is wrong is added to errors, and reading continues,
 * so *ret is always usable; GB_IO if the file cannot be opened or read (also added), GB_INVALID if
 * errors were added. All memory is the arena's.
 */
int32_t ini_read_file(const char *path, struct arena *arena, struct ini *ret,
                      struct error_list *errors);
int32_t ini_read_text(const char *path_for_messages, const char *text, size_t length,
                      struct arena *arena, struct ini *ret, struct error_list *errors);

/* NULL: there is none. */
struct ini_section *ini_section_of(const struct ini *ini, const char *kind, const char *name);
/* NULL: the section has no such key, or is NULL. */
struct ini_entry *ini_entry_of(const struct ini_section *section, const char *key);

/* Puts a section in before number `at`, and returns it; pointers to sections are void then. */
struct ini_section *ini_insert(struct ini *ini, const struct ini_section *section, size_t at,
                               struct arena *arena);

/* The keys of `later` take the place of those that `ini` has in a section of the same name, as
 * those of ini_override do; its other sections come last. */
void ini_merge(struct ini *ini, const struct ini *later, struct arena *arena);

/*
 * Applies `-s SECTION.key=value` for each of n texts: SECTION is "gbrun", "defaults", the NAME of a
 * [bench NAME], or "KIND NAME" in full; the key is what follows the first dot that leaves a known
 * section. A name with * ? or [ is a pattern (fnmatch): the entry is put into every section that it
 * matches, and "policy *" means the policies that are used without a section, too. An entry of that
 * key is replaced, else one is added; an unknown section is an error. `sweep.X` replaces `X` and
 * the reverse. Origins are {"-s", number of the override, 0}.
 */
int32_t ini_override(struct ini *ini, const char *const *overrides, size_t n, struct arena *arena,
                     struct error_list *errors);
/* The same of one setting that an option of the program stands for, such as "--max-time"; in
 * patterns nothing need match. Its origin is {option, 0, 0}; option NULL: nowhere. */
int32_t ini_set(struct ini *ini, const char *section, const char *key, const char *value,
                const char *option, struct arena *arena, struct error_list *errors);

/* What an option is called without the words that make an axis of it: "X" of "sweep.X". */
const char *ini_option_of(const char *key);
/* Puts the entry in the place of those of the same option (`sweep.X` is one of `X`), or at the end.
 */
void ini_put(struct ini_section *section, const struct ini_entry *entry, struct arena *arena);
/* The same of texts that no file has. */
void ini_put_text(struct ini_section *section, const char *key, const char *value,
                  struct origin origin, struct arena *arena);

/* How much of a text the reader takes for a value: it ends before a comment. Does it leave a quote
 * open? */
size_t ini_value_length(const char *text, bool *ret_is_open);
/* Is it UTF-8 without control characters but tabs? Else adds an error. */
bool ini_check_bytes(const char *text, size_t n, struct origin origin, struct error_list *errors);
