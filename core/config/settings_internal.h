/*
 * settings_internal.h - what the files settings_*.c and sweep.c share.
 *
 * A [bench NAME] section is first a list of keys (settings_keys.c); resolved
 * (settings_bench.c) it is slots, one for everything that has a value in a case; axes, which give
 * some slots a value for each point of the sweep; formulas, which compute some slots from others;
 * and filters.
 */
#pragma once

#include "core/config/expression.h"
#include "core/config/settings.h"
#include "core/config/template.h"

#define DEFAULT_POLICY "steady"
#define DEVICE_AUTO "auto"
#define DEVICE_ALL "all"

/* What a key of a [bench] section does. */
enum key_role {
    KEY_SET,   /* rows = 32, cache = cold, env.X = 1, check.abs = 1e-3 */
    KEY_SWEEP, /* sweep.rows = 1:4 */
    KEY_ZIP,   /* zip.shape = m, n: 1, 2 | 3, 4 */
    KEY_LET,   /* let.rows = m * 2 */
    KEY_ONLY,
    KEY_EXCLUDE,
    KEY_PLUGIN,
    KEY_SEARCH,
    KEY_LIKE
};

enum key_source { SOURCE_OWN, SOURCE_LIKE, SOURCE_DEFAULTS, SOURCE_RUN };

struct key {
    enum key_role role;
    enum key_source source;
    const char *target;            /* "rows" of rows, sweep.rows and let.rows; "shape" */
    const struct ini_entry *entry; /* as written */
    struct text_list names;        /* zip: the options that move together */
    const char *rows;              /* zip: what follows the colon */
    struct origin rows_origin;
};

struct key_list {
    struct key *items;
    size_t n;
};

enum slot_kind {
    SLOT_BENCH, /* the section's name, which expressions can read */
    SLOT_OPTION,
    SLOT_VARIABLE, /* of let, sweep or zip, and not an option */
    SLOT_COMMON,
    SLOT_TOLERANCE, /* check.METRIC */
    SLOT_PAPER,     /* paper.COLUMN */
    SLOT_DEVICE,
    SLOT_POLICY,
    SLOT_ENVIRONMENT,
    SLOT_ABSENT /* a name that `where` reads and other benchmarks have: NULL */
};

/* What the value of a SLOT_DEVICE or SLOT_POLICY names. */
struct named {
    struct device_choice device;
    const struct plugin_settings *policy;
};

struct slot {
    enum slot_kind kind;
    const char *name;
    const struct gb_option *option; /* of options, common settings, tolerances and papers */
    const char *map_key;            /* of an entry of a map option */
    const struct key *key;          /* KEY_SET that gives its value */
    bool is_axis;
    bool is_computed; /* by a formula */
    /* Its value where no axis or formula gives one. */
    struct value value;
    struct named named;
};

/* The values that an axis gives to one slot: n of the axis. */
struct axis_column {
    size_t slot;
    struct value *values;
    struct origin *origins; /* of the values; NULL: not kept */
    struct named *named;    /* of devices and policies; else NULL */
};

struct axis {
    size_t n;
    size_t n_columns; /* 1 for a sweep */
    struct axis_column *columns;
};

struct formula {
    const struct key *key;
    size_t slot;
};

/* A text option in which expressions stand: its text, or one for each row of its axis. */
struct slot_template {
    size_t slot;
    size_t n;
    const struct value *values;
    struct origin *origins; /* where each text, without quotes around it, begins */
};

struct filter {
    const struct key *key;
    size_t n_formulas; /* that must be evaluated before it */
};

enum { FILTERS_MAX = 3 /* only, exclude, where */ };

struct bench_section {
    const char *name;
    const char *title; /* what cases are called: the name up to an @ */
    struct origin origin;
    const struct ini_section *section;
    struct key_list own;  /* of this section */
    struct key_list keys; /* with those of `like`, then those of [defaults] */
    const struct key *like;
    int like_state;   /* LIKE_... */
    int like_depth;   /* sections that it has keys from, behind each other */
    bool is_broken;   /* an error was found in it: it has no cases */
    bool is_left_out; /* by `benchmarks` of [gbrun]: it has no cases, and is for `like` only */
    struct plugin_request request;

    const struct plugin_info *info;
    const struct search_settings *search;
    struct slot *slots;
    size_t n_slots;
    struct axis *axes;
    size_t n_axes;
    struct formula *formulas;
    size_t n_formulas;
    struct slot_template *templates;
    size_t n_templates;
    struct filter filters[FILTERS_MAX];
    size_t n_filters;
    struct common_params common; /* of the fixed values */
};

enum { LIKE_OPEN, LIKE_IN_PROGRESS, LIKE_DONE };

/* A [policy NAME] or [device NAME]. */
struct plugin_section {
    uint32_t kind;
    const char *name;
    const struct ini_section *section;
    struct plugin_request request;
    bool is_named; /* by a benchmark, or by `devices` of [gbrun] */
    bool is_resolved;
    const struct plugin_settings *settings; /* once resolved, if it is without errors */
};

enum { PLUGIN_KINDS = GB_PLUGIN_SEARCH + 1 };
struct plugin_settings_list {
    struct plugin_settings *items; /* never moved: cases point to them */
    size_t n;
};

struct settings {
    struct arena *arena;
    const char *folder; /* that relative paths of modules start from */
    const struct ini_section *run_section;
    struct run_params run;
    const struct ini_entry *devices_entry; /* of [gbrun], or NULL */
    struct key_list defaults;
    struct key_list strange_defaults; /* keys that no [defaults] has: errors */
    const char **strange_names;       /* of sections of an unknown kind, which are errors */
    size_t n_strange_names;
    struct key *rounds;         /* `rounds` of [gbrun] as a key of every benchmark, or NULL */
    struct key *where;          /* `where` of [gbrun] as one, or NULL */
    struct ini_setting **given; /* of the command line: to be checked for their effect */
    size_t n_given;
    struct bench_section *benches;
    size_t n_benches;
    struct plugin_section *plugin_sections;
    size_t n_plugin_sections;
    const struct ini_section **ab_sections; /* for gbrun ab, which reads them before: sides.h */
    size_t n_ab_sections;
    struct plugin_request *requests;
    size_t n_requests;
    size_t n_keys; /* of all benchmarks, with those of like and [defaults] */

    struct plugin_settings_list lists[PLUGIN_KINDS]; /* by kind; of devices those that auto chooses
                                                        from come first */
    size_t n_auto_devices;
    struct search_settings *search_settings; /* by item of the list of searches */
};

/* All [bench NAME] but one, which may be NULL. */
const char *bench_nearest(const struct settings *settings, const struct bench_section *but,
                          const char *word);
/* NULL: there is no [bench NAME]. */
struct bench_section *bench_named(const struct settings *settings, const char *name);

/* Letters, digits and _, no digit first: the name of a variable. */
bool settings_is_word(const char *text);
/* Is it check.METRIC? */
bool settings_is_tolerance(const char *name);
/* Is it paper.COLUMN, a figure that a document has for the case? */
bool settings_is_paper(const char *name);

/* The targets that a key gives values to: none of only and the like, several of a zip. */
size_t key_targets(const struct key *key);
const char *key_target(const struct key *key, size_t i);

/* Adds an error unless the very same is there: one key may be used by several sections. */
void settings_report(struct error_list *errors, const struct gb_error *error);

/* The text of an entry without the blanks and quotes around it. */
int32_t settings_entry_text(const struct ini_entry *entry, struct arena *arena, const char **ret,
                            struct gb_error *error);

/* "cuda:1" is device "cuda", index 1; "cuda:GPU-1a2b" that with this UUID; "cuda:all" all of them.
 * Sets all of *ret but the settings. */
int32_t settings_device_split(const char *text, struct origin origin, struct arena *arena,
                              const char **ret_name, struct device_choice *ret,
                              struct gb_error *error);

/* NULL: there is no [device NAME], or whatever the kind is. */
struct plugin_section *plugin_section_of(const struct settings *settings, uint32_t kind,
                                         const char *name);

/* Is it `devices = all`: may `device = auto` use all devices of the plugin that it chooses? */
bool settings_auto_is_all(const struct settings *settings);

/* The number that a word stands for, of a common setting: "auto" of rounds; else the text. */
const char *common_number_meant(const char *name, const char *text);
/* Puts such words behind the error that a text is no number. */
void common_number_refused(const char *name, struct gb_error *error);

/* What is needed to read sections. */
struct parser {
    struct settings *settings;
    struct arena *arena;
    struct error_list *errors;
};

/* Keys with errors are left out; false if there are any. */
bool settings_read_keys(const struct parser *parser, const struct ini_section *section,
                        enum key_source source, struct key_list *ret);
/* The value of a key `plugin`: "id", "./path.so" or "./path.so:id". */
int32_t settings_read_plugin(const struct parser *parser, uint32_t kind,
                             const struct ini_entry *entry, struct plugin_request *ret,
                             struct gb_error *error);

/* Gives each benchmark the keys of `like` and [defaults], and finds what is given twice. */
void settings_complete(const struct parser *parser);

/* What is needed to give names a meaning. */
struct resolver {
    struct settings *settings;
    const struct catalogue *catalogue;
    struct error_list *errors;
    struct arena *arena;
    struct expression_engine *engine;
};

/* The id of a plugin of the kind that was probably meant, or NULL. */
const char *plugin_nearest(const struct resolver *resolver, uint32_t kind, const char *id);
/* The sections of devices, policies and searches. */
void resolve_plugin_sections(const struct resolver *resolver);
int32_t resolve_plugin(const struct resolver *resolver, const struct plugin_request *request,
                       const struct plugin_info **ret, struct gb_error *error);
/* The settings of a section of the kind, or of a plugin named by its id. NULL and GB_OK: of a
 * section that is in error. */
int32_t resolve_named(const struct resolver *resolver, uint32_t kind, const char *name,
                      struct origin origin, const struct plugin_settings **ret,
                      struct gb_error *error);
int32_t resolve_search(const struct resolver *resolver, const char *name, struct origin origin,
                       const struct search_settings **ret, struct gb_error *error);
/* settings of *ret stay NULL for `auto`. */
int32_t resolve_device(const struct resolver *resolver, const struct plugin_info *bench,
                       const char *text, struct origin origin, struct device_choice *ret,
                       struct gb_error *error);
/* A section while it is resolved. */
struct bench_resolver {
    const struct resolver *resolver;
    struct bench_section *bench;
    struct arena *arena;
    struct option_table table;       /* of the plugin; empty if it is not known */
    struct expression **expressions; /* by formula */
};

/* Is it the axis of one of two sections whose cases are called the same (sides.h)? */
bool bench_has_side(const struct bench_resolver *at, const char *name);

/* "it is an option of policy 'steady': write it in [policy steady]": whose option an unknown key
 * is; the arena's text, or NULL. */
const char *bench_hint_of_owner(const struct catalogue *catalogue, const char *key,
                                struct arena *arena);

/* Adds an error and marks the section as broken. */
void bench_fail(const struct bench_resolver *at, struct origin origin, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void bench_fail_with(const struct bench_resolver *at, const struct gb_error *error);
/* For a name that is none of the section's slots: the key's target number i. */
void bench_unknown_target(const struct bench_resolver *at, const struct key *key, size_t i);
struct slot *bench_slot(const struct bench_section *bench, const char *name);
/* What a text means for a slot of any kind. */
int32_t bench_read_value(const struct bench_resolver *at, const struct slot *slot, const char *text,
                         struct origin origin, struct value *ret, struct named *ret_named,
                         struct gb_error *error);
/* "unknown key 'rowz' in [bench gemm]; did you mean 'rows'?", in the arena. nearest NULL: see the
 * plugin's help. */
const char *unknown_key_text(const char *key, const struct ini_section *section,
                             const struct plugin_info *info, const char *nearest,
                             struct arena *arena);
/* A key that a pattern of the command line put into a section that does not know its option. */
void settings_refuse_pattern(const struct resolver *resolver, const struct ini_entry *entry,
                             const struct ini_section *section, const struct plugin_info *info,
                             const char *option);
/* A section's slots; the values that its keys give them; those of defaults for what is left then.
 */
void bench_make_slots(const struct bench_resolver *at);
void bench_read_set_keys(const struct bench_resolver *at);
void bench_read_defaults(const struct bench_resolver *at);
void bench_make_axes(const struct bench_resolver *at);
void bench_make_expressions(struct bench_resolver *at);
/* A filter by a key, whose expression is compiled to see what it reads. */
void bench_add_filter(struct bench_section *bench, const struct key *key,
                      const struct expression *expression);
/* The slots as columns of expressions, with the values that they have before axes and formulas. */
struct expression_column *bench_columns(const struct bench_section *bench, struct arena *arena);

/* The axis that gives a slot its values, and how many; NULL: none. */
const struct axis_column *bench_axis_of(const struct bench_section *bench, size_t slot,
                                        size_t *ret_n);

/* What a formula gave, as the value of the slot it is for. */
int32_t slot_compute(const struct slot *slot, const struct value *result, struct origin origin,
                     struct arena *arena, struct value *ret, struct gb_error *error);
/* Item i of a list as bench_read_value wants it: in quotes again where they make a text of a
 * number. */
const char *slot_item(const struct slot *slot, const struct text_list *items, size_t i,
                      struct arena *arena);
/* The list of a sweep over such a slot. Where the slot has no type of its own (variables, env.NAME,
 * keys of maps), items such as 1:8 are ranges unless they are quoted. */
int32_t slot_read_list(const struct slot *slot, const char *text, struct origin origin,
                       struct arena *arena, struct value_list *ret, struct gb_error *error);

/* The list that was probably meant by the text of a slot that has one value; the arena's, or NULL.
 */
const char *hint_of_values(const struct slot *slot, const char *text, struct arena *arena);
