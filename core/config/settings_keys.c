/* settings_keys.c - the keys of [bench NAME] and [defaults], one by one. */
#include "core/config/settings_internal.h"

#include "core/base/text.h"
#include "core/verify/verify.h"

#include <string.h>

static const char CHECK_PREFIX[] = "check.";

static const char *name_at(const void *table, size_t i)
{
    return ((const struct name_list *)table)->items[i];
}

const char *name_nearest(const struct name_list *names, const char *word)
{
    return text_nearest(word, names->n, name_at, names);
}

static bool same_origin(struct origin a, struct origin b)
{
    bool same_file = a.file && b.file ? text_equal(a.file, b.file) : a.file == b.file;
    return same_file && a.line == b.line && a.column == b.column;
}

void settings_report(struct error_list *errors, const struct gb_error *error)
{
    for (size_t i = 0; i < errors->n; i++)
        if (same_origin(errors->items[i].origin, error->origin) &&
            text_equal(errors->items[i].text, error->text))
            return;
    error_list_take(errors, error);
}

int32_t settings_entry_text(const struct ini_entry *entry, struct arena *arena, const char **ret,
                            struct gb_error *error)
{
    struct value value;
    int32_t status = value_read_type(GB_TYPE_STRING, entry->value, entry->value_origin, arena,
                                     &value, error);
    if (status == GB_OK)
        *ret = value.text;
    return status;
}

size_t key_targets(const struct key *key)
{
    if (key->role == KEY_ZIP)
        return key->names.n;
    return key->role == KEY_SET || key->role == KEY_SWEEP || key->role == KEY_LET;
}

const char *key_target(const struct key *key, size_t i)
{
    return key->role == KEY_ZIP ? key->names.items[i] : key->target;
}

static bool is_word(const char *text)
{
    static const char digits[] = "0123456789";
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";
    return *text && !strchr(digits, *text) && text[strspn(text, letters)] == 0;
}

struct role_word {
    const char *word; /* a prefix if it ends with a dot */
    enum key_role role;
};

static const struct role_word role_words[] = {
    {"sweep.", KEY_SWEEP},    {"zip.", KEY_ZIP},      {"let.", KEY_LET},  {"only", KEY_ONLY},
    {"exclude", KEY_EXCLUDE}, {"plugin", KEY_PLUGIN}, {"like", KEY_LIKE}, {"search", KEY_SEARCH}};

bool settings_is_tolerance(const char *name)
{
    return text_starts_with(name, CHECK_PREFIX) &&
           verify_metric_named(name + sizeof CHECK_PREFIX - 1) >= 0;
}

bool settings_is_paper(const char *name)
{
    return text_starts_with(name, PAPER_PREFIX) && name[sizeof PAPER_PREFIX - 1];
}

/* check.floor and the like: settings that every benchmark has, not tolerances. */
static bool is_check_setting(const char *name)
{
    return text_starts_with(name, CHECK_PREFIX) && option_find(common_options(), name, NULL);
}

static void classify_key(const struct ini_entry *entry, struct key *key)
{
    key->role = KEY_SET;
    key->target = entry->key;
    for (size_t i = 0; i < sizeof role_words / sizeof role_words[0]; i++) {
        const char *word = role_words[i].word;
        bool is_prefix = text_ends_with(word, ".");
        if (is_prefix ? text_starts_with(entry->key, word) : text_equal(entry->key, word)) {
            key->role = role_words[i].role;
            key->target = is_prefix ? entry->key + strlen(word) : entry->key;
            return;
        }
    }
}

/* Keys that have one value for the whole section, or that formulas cannot compute. */
static const char *misused_target(const struct key *key, const char *target)
{
    static const char *const fixed[] = {"plugin", "like", "only", "exclude", "bench", "search"};
    for (size_t i = 0; i < sizeof fixed / sizeof fixed[0]; i++)
        if (text_equal(target, fixed[i]))
            return key->role == KEY_LET ? "computed" : "swept";
    if (key->role == KEY_SWEEP && settings_is_paper(target))
        return "swept, it would measure a case for each figure: name it in a zip, beside the "
               "options "
               "that it is for";
    if (key->role == KEY_LET && (text_equal(target, "device") || text_equal(target, "policy")))
        return "computed: sweep or zip it";
    return NULL;
}

/* The metric or setting that a word after "check." may have been meant as; or NULL. */
static const char *nearest_check(const struct parser *parser, const char *word)
{
    struct option_table common = common_options();
    struct name_list names = {ARENA_ARRAY(parser->arena, const char *, common.n + VERIFY_METRICS),
                              0};
    for (int metric = 0; metric < VERIFY_METRICS; metric++)
        names.items[names.n++] = verify_metric_name(metric);
    for (uint32_t i = 0; i < common.n; i++)
        if (is_check_setting(option_at(common, i)->name))
            names.items[names.n++] = option_at(common, i)->name + sizeof CHECK_PREFIX - 1;
    return name_nearest(&names, word);
}

static int32_t refuse_check(const struct parser *parser, const char *target, struct origin origin,
                            struct gb_error *error)
{
    const char *nearest = nearest_check(parser, target + sizeof CHECK_PREFIX - 1);
    if (nearest)
        return error_set_at(error, GB_INVALID, origin,
                            "unknown metric '%s'; did you mean 'check.%s'?", target, nearest);
    CLEANUP(text_free) struct text known = {0};
    for (int metric = 0; metric < VERIFY_METRICS; metric++)
        text_printf(&known, "%scheck.%s",
                    metric == 0                    ? ""
                    : metric == VERIFY_METRICS - 1 ? " or "
                                                   : ", ",
                    verify_metric_name(metric));
    return error_set_at(error, GB_INVALID, origin, "unknown metric '%s': expected %s", target,
                        text_get(&known));
}

static int32_t check_target(const struct parser *parser, const struct key *key, const char *target,
                            struct origin origin, struct gb_error *error)
{
    const char *misuse = key->role == KEY_SET ? NULL : misused_target(key, target);
    if (misuse)
        return error_set_at(error, GB_INVALID, origin, "'%s' cannot be %s", target, misuse);
    if (text_starts_with(target, CHECK_PREFIX) && !is_check_setting(target) &&
        !settings_is_tolerance(target))
        return refuse_check(parser, target, origin, error);
    if (text_starts_with(target, "env.") && !is_word(target + strlen("env.")))
        return error_set_at(error, GB_INVALID, origin,
                            "'%s' names no environment variable: expected env.NAME, with letters, "
                            "digits and _",
                            target);
    return GB_OK;
}

enum { NAMES_MAX = 64 }; /* of a zip */

static int32_t read_zip(const struct parser *parser, struct key *key, struct gb_error *error)
{
    const struct ini_entry *entry = key->entry;
    const char *colon = strchr(entry->value, ':');
    if (!colon)
        return error_set_at(error, GB_INVALID, entry->value_origin,
                            "'%s' lacks a colon: expected names and rows, such as "
                            "m,n: 1,2 | 3,4",
                            entry->key);
    const char *names = arena_text_n(parser->arena, entry->value, (size_t)(colon - entry->value));
    key->rows = colon + 1;
    key->rows_origin = origin_at(entry->value_origin, entry->value,
                                 (size_t)(colon + 1 - entry->value));
    int32_t status = text_split(names, ',', entry->value_origin, parser->arena, &key->names, error);
    if (status != GB_OK)
        return status;
    if (key->names.n > NAMES_MAX)
        return error_set_at(error, GB_INVALID, entry->value_origin,
                            "'%s' names %zu options: expected up to %d", entry->key, key->names.n,
                            NAMES_MAX);
    if (key->names.n == 0)
        return error_set_at(error, GB_INVALID, entry->value_origin,
                            "'%s' names no options: expected some before the colon", entry->key);
    for (size_t i = 0; i < key->names.n && status == GB_OK; i++)
        status = check_target(parser, key, key->names.items[i], key->names.origins[i], error);
    return status;
}

/* Checks what can be checked of one key without its plugin. */
static int32_t read_key(const struct parser *parser, struct key *key, struct gb_error *error)
{
    if (!*key->target)
        return error_set_at(error, GB_INVALID, key->entry->origin,
                            "'%s' lacks a name: expected %sNAME", key->entry->key, key->entry->key);
    switch (key->role) {
    case KEY_ZIP:
        return read_zip(parser, key, error);
    case KEY_SET:
    case KEY_SWEEP:
    case KEY_LET:
        return check_target(parser, key, key->target, key->entry->origin, error);
    default:
        return GB_OK;
    }
}

/* A tolerance in braces, check.rms = {k * 1e-9}, is the formula let.check.rms = k * 1e-9. */
static const struct ini_entry *formula_in_braces(const struct parser *parser,
                                                 const struct ini_entry *entry)
{
    const size_t n = strlen(entry->value);
    if (!settings_is_tolerance(entry->key) || n < 2 || entry->value[0] != '{' ||
        entry->value[n - 1] != '}')
        return entry;
    struct ini_entry *formula = ARENA_NEW(parser->arena, struct ini_entry);
    *formula = *entry;
    formula->key = arena_printf(parser->arena, "let.%s", entry->key);
    formula->value = arena_text_n(parser->arena, entry->value + 1, n - 2);
    formula->value_origin = origin_at(entry->value_origin, entry->value, 1);
    return formula;
}

/* Keys with errors are left out; false if there are any. */
bool settings_read_keys(const struct parser *parser, const struct ini_section *section,
                        enum key_source source, struct key_list *ret)
{
    bool ok = true;
    ret->items = ARENA_ARRAY(parser->arena, struct key, section->n);
    for (size_t i = 0; i < section->n; i++) {
        struct key *key = &ret->items[ret->n];
        struct gb_error error;
        *key = (struct key){.entry = formula_in_braces(parser, &section->entries[i]),
                            .source = source};
        classify_key(key->entry, key);
        if (read_key(parser, key, &error) == GB_OK) {
            ret->n++;
            continue;
        }
        settings_report(parser->errors, &error);
        ok = false;
    }
    return ok;
}
