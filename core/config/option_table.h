/*
 * option_table.h - what is done with a table of struct gb_option.
 */
#pragma once

#include "core/base/text.h"
#include "core/config/value.h"

#include <gbrun/module.h>

/* A table as it crosses the border: n entries, stride bytes apart (the first entry's size). */
struct option_table {
    const struct gb_option *first;
    uint32_t n;
};

struct option_table option_table_of(const struct gb_plugin *plugin);

/* Entry i, by the table's own stride. Of a newer, longer struct the known members are read. */
const struct gb_option *option_at(struct option_table table, uint32_t i);

/* The first that has no default, but for maps; NULL: there is none. */
const struct gb_option *option_required(struct option_table table);

/* A copy of entry i in today's struct: members beyond the end of an older, shorter one are 0. */
struct gb_option option_entry(struct option_table table, uint32_t i);

/*
 * The entry that a key of the INI file means: its name, or for GB_TYPE_MAP "NAME.KEY" (then
 * *ret_map_key is KEY, else NULL; the pointer may be NULL). NULL if there is none.
 */
const struct gb_option *option_find(struct option_table table, const char *key,
                                    const char **ret_map_key);

/* Is it GB_OPTION_REST? */
bool option_is_rest(const struct gb_option *option);
/* The one of the table that takes such a key, which nothing else knows; or NULL. */
const struct gb_option *option_rest(struct option_table table, const char *key);

/* "int", "float", "bool", "string", "choice", "bytes", "duration", "map"; of a list its elements'.
 */
const char *option_type_word(uint32_t type);

/* The name in the table nearest to a misspelt one, or NULL. */
const char *option_nearest(struct option_table table, const char *key);

/*
 * Is the table itself sound? Names well-formed, unique and not `reserved` (n_reserved words), types
 * known, offsets inside params_size and aligned, defaults and ranges readable and defaults inside
 * ranges, choices present, flags fitting the type, help there. The error names the entry; such a
 * plugin is refused when it is loaded.
 */
int32_t option_table_check(struct option_table table, uint64_t params_size,
                           const char *const *reserved, size_t n_reserved, struct gb_error *error);

/* Where a text that was put together comes from: from byte `at` on it is the written text from
 * `source` on, byte for byte if it is a copy, else what stands for something written there. */
struct text_piece {
    size_t at;
    size_t source;
    bool is_copy;
};
struct text_map {
    size_t n; /* 0: the text is as it was written */
    const struct text_piece *pieces;
};

/* One setting as given: key and text. For a list option the text is the whole comma list. */
struct setting {
    const char *key;
    const char *text;
    struct origin origin;
};

/* How a setting came by its text, where that is not just as it was written. */
struct setting_source {
    const char *written; /* what begins at the setting's origin; NULL: its text */
    struct text_map map; /* of the value that the plugin gets */
};

/* Where byte `offset` of what the plugin gets as the value was written. */
struct origin setting_place(const struct setting *setting, const struct setting_source *source,
                            const struct gb_option *option, size_t offset);

/*
 * Reads one setting of an option that is not an axis. *ret_text is the canonical text, in the
 * arena: for lists the canonical items joined by ",", quoted where needed; for maps the text
 * itself.
 */
int32_t option_read(const struct gb_option *option, const struct setting *setting,
                    struct arena *arena, const char **ret_text, struct gb_error *error);

/*
 * Fills a params struct (params_size bytes, zeroed by the callee) from settings and defaults.
 * Strings, lists and maps point into the arena. Settings come in any order; an unknown key, a key
 * twice or a required option without a setting is an error.
 */
int32_t option_fill(struct option_table table, const struct setting *settings, size_t n_settings,
                    void *params, uint64_t params_size, struct arena *arena,
                    struct gb_error *error);

/* Likewise into one that was filled before: what is no map and has no setting stays as it is. */
int32_t option_fill_over(struct option_table table, const struct setting *settings,
                         size_t n_settings, void *params, uint64_t params_size, struct arena *arena,
                         struct gb_error *error);

/*
 * Help: one entry an option, name, type or choices, default, range, unit, help. Plain for
 * terminals, as a Markdown table for docs/reference, as roff (.TP items) for the manual page.
 */
enum { HELP_PLAIN, HELP_MARKDOWN, HELP_ROFF };
enum { HELP_COLUMNS = 100 }; /* that plain help takes where the width of the output is not known */
/* width: of plain help, in columns. */
void option_table_help(struct option_table table, int style, size_t width, struct text *out);

/* What a word means that is no option: a column, a key, a mark. */
struct help_entry {
    const char *name;
    const char *unit; /* "", or NULL where such words have none */
    const char *help; /* one sentence, no full stop; `code` in backquotes */
};

/* Escapes what means something to roff; `code` becomes bold. */
void help_add_roff(const char *words, struct text *out);
