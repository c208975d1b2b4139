/* settings_keys.c - the keys of [bench NAME] and [defaults]: each by itself, and which a benchmark
 * has from `like` and [defaults]. */
#include "core/config/settings_internal.h"

#include "core/base/text.h"
#include "core/verify/verify.h"

#include <string.h>

static const char CHECK_PREFIX[] = "check.";

const char *bench_nearest(const struct settings *settings, const struct bench_section *but,
                          const char *word)
{
    struct words names = {ARENA_ARRAY(settings->arena, const char *, settings->n_benches), 0};
    for (size_t i = 0; i < settings->n_benches; i++)
        if (&settings->benches[i] != but)
            names.items[names.n++] = settings->benches[i].name;
    return text_nearest(WORDS_OF(names.items, names.n), word);
}

struct bench_section *bench_named(const struct settings *settings, const char *name)
{
    return ITEM_NAMED(settings->benches, settings->n_benches, name, name);
}

void settings_report(struct error_list *errors, const struct gb_error *error)
{
    const struct origin b = error->origin;
    for (size_t i = 0; i < errors->n; i++) {
        const struct origin a = errors->items[i].origin;
        bool same_file = a.file && b.file ? text_equal(a.file, b.file) : a.file == b.file;
        if (same_file && a.line == b.line && a.column == b.column &&
            text_equal(errors->items[i].text, error->text))
            return;
    }
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

bool settings_is_word(const char *text)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";
    return *text && (*text < '0' || *text > '9') && text[strspn(text, letters)] == 0;
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
    if (IS_AMONG(target, "plugin", "like", "only", "exclude", "bench", "search"))
        return key->role == KEY_LET ? "computed" : "swept";
    if (key->role == KEY_SWEEP && settings_is_paper(target))
        return "swept, it would measure a case for each figure: name it in a zip, beside the "
               "options that it is for";
    if (key->role == KEY_LET && (text_equal(target, "device") || text_equal(target, "policy")))
        return "computed: sweep or zip it";
    return NULL;
}

/* The metric or setting that a word after "check." may have been meant as; or NULL. */
static const char *nearest_check(const struct parser *parser, const char *word)
{
    struct option_table common = common_options();
    struct words names = {ARENA_ARRAY(parser->arena, const char *, common.n + VERIFY_METRICS), 0};
    for (int metric = 0; metric < VERIFY_METRICS; metric++)
        names.items[names.n++] = verify_metric_name(metric);
    for (uint32_t i = 0; i < common.n; i++)
        if (is_check_setting(option_at(common, i)->name))
            names.items[names.n++] = option_at(common, i)->name + sizeof CHECK_PREFIX - 1;
    return text_nearest(WORDS_OF(names.items, names.n), word);
}

static int32_t refuse_check(const struct parser *parser, const char *target, struct origin origin,
                            struct gb_error *error)
{
    const char *nearest = nearest_check(parser, target + sizeof CHECK_PREFIX - 1);
    if (nearest)
        return error_set_at(error, GB_INVALID, origin,
                            "unknown metric '%s'; \1did you mean 'check.%s'?", target, nearest);
    CLEANUP(text_free) struct text known = {0};
    for (int metric = 0; metric < VERIFY_METRICS; metric++)
        text_printf(&known, "%scheck.%s",
                    metric == 0                    ? ""
                    : metric == VERIFY_METRICS - 1 ? " or "
                                                   : ", ",
                    verify_metric_name(metric));
    return error_set_at(error, GB_INVALID, origin, "unknown metric '%s': \1expected %s", target,
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
    if (text_starts_with(target, "env.") && !settings_is_word(target + strlen("env.")))
        return error_set_at(
            error, GB_INVALID, origin,
            "'%s' names no environment variable: \1expected env.NAME, with letters, digits and _",
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
                            "'%s' lacks a colon: \1expected names and rows, such as m,n: 1,2 | 3,4",
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
                            "'%s' names %zu options: \1expected up to %d", entry->key, key->names.n,
                            NAMES_MAX);
    if (key->names.n == 0)
        return error_set_at(error, GB_INVALID, entry->value_origin,
                            "'%s' names no options: \1expected some before the colon", entry->key);
    for (size_t i = 0; i < key->names.n && status == GB_OK; i++)
        status = check_target(parser, key, key->names.items[i], key->names.origins[i], error);
    return status;
}

/* Checks what can be checked of one key without its plugin. */
static int32_t read_key(const struct parser *parser, struct key *key, struct gb_error *error)
{
    if (!*key->target)
        return error_set_at(error, GB_INVALID, key->entry->origin,
                            "'%s' lacks a name: \1expected %sNAME", key->entry->key,
                            key->entry->key);
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

int32_t settings_read_plugin(const struct parser *parser, uint32_t kind,
                             const struct ini_entry *entry, struct plugin_request *ret,
                             struct gb_error *error)
{
    const char *text;
    int32_t status = settings_entry_text(entry, parser->arena, &text, error);
    if (status != GB_OK)
        return status;
    *ret = (struct plugin_request){.kind = kind, .id = text, .origin = entry->value_origin};
    if (!*text)
        return error_set_at(error, GB_INVALID, entry->value_origin,
                            "'plugin' is empty: \1expected an id or a path such as ./name.so");
    const char *slash = strrchr(text, '/');
    if (!slash) {
        if (text_ends_with(text, ".so"))
            return error_set_at(error, GB_INVALID, entry->value_origin,
                                "'%s' is not a plugin id: a path needs a slash, ./%s", text, text);
        return GB_OK;
    }
    const char *colon = strrchr(slash, ':');
    const char *path = colon ? arena_text_n(parser->arena, text, (size_t)(colon - text)) : text;
    ret->id = colon ? colon + 1 : NULL;
    while (text_starts_with(path, "./"))
        path += 2;
    ret->path = path[0] == '/'
                    ? path
                    : arena_printf(parser->arena, "%s/%s", parser->settings->folder, path);
    if (colon && !*ret->id)
        return error_set_at(error, GB_INVALID, entry->value_origin,
                            "'%s' lacks an id after the colon", text);
    return GB_OK;
}

/* ---- like and [defaults] ---- */

/* What keeps reading short, whatever a configuration does; of one benchmark, and of all together.
 */
enum { KEYS_MAX = 1000, LETS_MAX = 256, LIKE_MAX = 100, KEYS_IN_ALL_MAX = 500000 };

/* Do two keys set the same thing? */
static bool same_subject(const struct key *a, const struct key *b)
{
    if (a->role == b->role && key_targets(a) == 0)
        return true;
    if (a->role == KEY_ZIP && b->role == KEY_ZIP && text_equal(a->target, b->target))
        return true;
    for (size_t i = 0; i < key_targets(a); i++)
        for (size_t j = 0; j < key_targets(b); j++)
            if (text_equal(key_target(a, i), key_target(b, j)))
                return true;
    return false;
}

/* A key of the section itself takes the place of the first inherited one that it replaces. */
static void add_own_key(struct key_list *keys, const struct key *own)
{
    bool placed = false;
    size_t n = 0;
    for (size_t i = 0; i < keys->n; i++) {
        bool replaced = keys->items[i].source == SOURCE_LIKE && same_subject(&keys->items[i], own);
        if (!replaced)
            keys->items[n++] = keys->items[i];
        else if (!placed)
            keys->items[n++] = *own;
        placed = placed || replaced;
    }
    if (!placed)
        keys->items[n++] = *own;
    keys->n = n;
}

/* Keys and formulas; those that it names several at a time count for as many. */
static void count_keys(const struct key_list *keys, size_t *n, size_t *n_lets)
{
    for (size_t i = 0; i < keys->n; i++) {
        size_t n_targets = key_targets(&keys->items[i]);
        *n += n_targets ? n_targets : 1;
        *n_lets += keys->items[i].role == KEY_LET;
    }
}

/* False: it is not put together. */
static bool is_bounded(const struct parser *parser, const struct bench_section *bench,
                       const struct bench_section *parent)
{
    struct settings *settings = parser->settings;
    size_t n = 0, n_lets = 0;
    count_keys(&bench->own, &n, &n_lets);
    count_keys(&settings->defaults, &n, &n_lets);
    if (parent)
        count_keys(&parent->keys, &n, &n_lets);
    bool was_bounded = settings->n_keys <= KEYS_IN_ALL_MAX;
    settings->n_keys += n;
    if (n > KEYS_MAX || n_lets > LETS_MAX)
        error_list_add(parser->errors, bench->origin,
                       "[bench %s] has %zu keys, %zu of them let., with those of 'like' and "
                       "[defaults]: \1expected up to %d and %d",
                       bench->name, n, n_lets, KEYS_MAX, LETS_MAX);
    else if (bench->like_depth == LIKE_MAX + 1)
        error_list_add(parser->errors, bench->like->entry->value_origin,
                       "'like' leads from section to section: \1expected up to %d", LIKE_MAX);
    else if (settings->n_keys <= KEYS_IN_ALL_MAX)
        return bench->like_depth <= LIKE_MAX;
    else if (was_bounded)
        error_list_add(parser->errors, bench->origin,
                       "the benchmarks up to here have %zu keys together: \1expected up to %d",
                       settings->n_keys, KEYS_IN_ALL_MAX);
    return false;
}

static void inherit(const struct parser *parser, struct bench_section *bench,
                    const struct bench_section *parent)
{
    struct key_list *keys = &bench->keys;
    if (!is_bounded(parser, bench, parent)) {
        bench->is_broken = true;
        return;
    }
    size_t n_inherited = parent ? parent->keys.n : 0;
    size_t n = n_inherited + bench->own.n + parser->settings->defaults.n + 1;
    keys->items = ARENA_ARRAY(parser->arena, struct key, n);
    for (size_t i = 0; i < n_inherited; i++) {
        keys->items[keys->n] = parent->keys.items[i];
        keys->items[keys->n++].source = SOURCE_LIKE;
    }
    for (size_t i = 0; i < bench->own.n; i++)
        if (bench->own.items[i].role != KEY_LIKE)
            add_own_key(keys, &bench->own.items[i]);
    if (parent)
        bench->request = parent->request;
    else if (!bench->like) /* else it has been reported that there is no such parent */
        bench->request = (struct plugin_request){
            .kind = GB_PLUGIN_BENCH, .id = bench->title, .origin = bench->origin};
    bench->is_broken = bench->is_broken || (parent && parent->is_broken);
    for (size_t i = 0; i < bench->own.n; i++) {
        struct gb_error error;
        if (bench->own.items[i].role == KEY_PLUGIN &&
            settings_read_plugin(parser, GB_PLUGIN_BENCH, bench->own.items[i].entry,
                                 &bench->request, &error) != GB_OK) {
            error_list_take(parser->errors, &error);
            bench->request = (struct plugin_request){0};
            bench->is_broken = true;
        }
    }
}

static void like_cycle(const struct parser *parser, const struct bench_section *bench)
{
    CLEANUP(text_free) struct text chain = {0};
    const struct bench_section *at = bench;
    do {
        text_printf(&chain, "%s -> ", at->name);
        at = bench_named(parser->settings, at->like->entry->value);
    } while (at != bench);
    error_list_add(parser->errors, bench->like->entry->value_origin, "circular 'like': %s%s",
                   text_get(&chain), bench->name);
}

static void resolve_like(const struct parser *parser, struct bench_section *bench, int depth)
{
    struct bench_section *parent = NULL;
    const char *name = bench->like ? bench->like->entry->value : NULL;
    if (bench->like_state != LIKE_OPEN)
        return;
    bench->like_state = LIKE_IN_PROGRESS;
    bench->like_depth = depth;
    if (bench->like && depth <= LIKE_MAX) {
        parent = bench_named(parser->settings, name);
        if (!parent) {
            const char *nearest = bench_nearest(parser->settings, bench, name);
            error_list_add(parser->errors, bench->like->entry->value_origin,
                           "like = %s: there is no [bench %s]%s%s%s", name, name,
                           DID_YOU_MEAN(nearest, ""));
            bench->is_broken = true;
        } else if (parent->like_state == LIKE_IN_PROGRESS) {
            like_cycle(parser, parent);
            bench->is_broken = true;
            parent = NULL;
        } else {
            resolve_like(parser, parent, depth + 1);
            bench->like_depth = parent->like_depth + 1;
        }
    }
    inherit(parser, bench, parent);
    bench->like_state = LIKE_DONE;
}

static void add_default(struct key_list *keys, const struct key *key)
{
    for (size_t i = 0; i < keys->n; i++)
        if (same_subject(&keys->items[i], key))
            return;
    keys->items[keys->n++] = *key;
}

/* "rows", "sweep.rows in line 4" */
static void report_twice(const struct parser *parser, const char *target, const struct key *first,
                         const struct key *second)
{
    struct gb_error error;
    error_set_at(&error, GB_INVALID, second->entry->origin,
                 first == second ? "'%s' is named twice by '%s'"
                                 : "'%s' is given twice: by '%s' and by '%s'",
                 target, first->entry->key, second->entry->key);
    settings_report(parser->errors, &error);
}

static bool check_twice(const struct parser *parser, const struct key_list *keys)
{
    bool ok = true;
    for (size_t i = 0; i < keys->n; i++)
        for (size_t j = 0; j < key_targets(&keys->items[i]); j++)
            for (size_t before = 0; before <= i; before++) {
                const struct key *first = &keys->items[before], *second = &keys->items[i];
                /* A formula may stand beside an axis or a value of its name: see takes_part. */
                bool may_both = (first->role == KEY_LET) != (second->role == KEY_LET);
                size_t n = before == i ? j : key_targets(first);
                for (size_t k = 0; k < n && !may_both; k++)
                    if (text_equal(key_target(first, k), key_target(second, j))) {
                        report_twice(parser, key_target(second, j), first, second);
                        ok = false;
                    }
            }
    return ok;
}

void settings_complete(const struct parser *parser)
{
    struct settings *settings = parser->settings;
    for (size_t i = 0; i < settings->n_benches; i++)
        resolve_like(parser, &settings->benches[i], 0);
    for (size_t i = 0; i < settings->n_benches; i++) {
        struct bench_section *bench = &settings->benches[i];
        if (!check_twice(parser, &bench->keys))
            bench->is_broken = true;
        if (!bench->keys.items)
            continue; /* beyond a limit, which has been reported */
        for (size_t j = 0; j < settings->defaults.n; j++)
            add_default(&bench->keys, &settings->defaults.items[j]);
        if (settings->rounds)
            add_default(&bench->keys, settings->rounds);
    }
}
