/* settings_like.c - what a benchmark has from `like` and from [defaults]. */
#include "core/config/settings_internal.h"

#include "core/base/text.h"

/* What keeps reading short, whatever a configuration does; of one benchmark, and of all together.
 */
enum { KEYS_MAX = 1000, LETS_MAX = 256, LIKE_MAX = 100, KEYS_IN_ALL_MAX = 500000 };

static struct bench_section *find_bench(struct settings *settings, const char *name)
{
    for (size_t i = 0; i < settings->n_benches; i++)
        if (text_equal(settings->benches[i].name, name))
            return &settings->benches[i];
    return NULL;
}

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
                       "[defaults]: expected up to %d and %d",
                       bench->name, n, n_lets, KEYS_MAX, LETS_MAX);
    else if (bench->like_depth == LIKE_MAX + 1)
        error_list_add(parser->errors, bench->like->entry->value_origin,
                       "'like' leads from section to section: expected up to %d", LIKE_MAX);
    else if (settings->n_keys <= KEYS_IN_ALL_MAX)
        return bench->like_depth <= LIKE_MAX;
    else if (was_bounded)
        error_list_add(parser->errors, bench->origin,
                       "the benchmarks up to here have %zu keys together: expected up to %d",
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
        at = find_bench(parser->settings, at->like->entry->value);
    } while (at != bench);
    error_list_add(parser->errors, bench->like->entry->value_origin,
                   "'like' goes in a circle: %s%s", text_get(&chain), bench->name);
}

static void unknown_like(const struct parser *parser, const struct bench_section *bench)
{
    const struct settings *settings = parser->settings;
    struct name_list names = {ARENA_ARRAY(parser->arena, const char *, settings->n_benches), 0};
    for (size_t i = 0; i < settings->n_benches; i++)
        if (&settings->benches[i] != bench)
            names.items[names.n++] = settings->benches[i].name;
    const char *nearest = name_nearest(&names, bench->like->entry->value);
    error_list_add(parser->errors, bench->like->entry->value_origin,
                   "like = %s: there is no [bench %s]%s%s%s", bench->like->entry->value,
                   bench->like->entry->value, DID_YOU_MEAN(nearest, ""));
}

static void resolve_like(const struct parser *parser, struct bench_section *bench, int depth)
{
    struct bench_section *parent = NULL;
    if (bench->like_state != LIKE_OPEN)
        return;
    bench->like_state = LIKE_IN_PROGRESS;
    bench->like_depth = depth;
    if (bench->like && depth <= LIKE_MAX) {
        parent = find_bench(parser->settings, bench->like->entry->value);
        if (!parent) {
            unknown_like(parser, bench);
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
    if (first == second)
        error_set_at(&error, GB_INVALID, second->entry->origin, "'%s' is named twice by '%s'",
                     target, second->entry->key);
    else
        error_set_at(&error, GB_INVALID, second->entry->origin,
                     "'%s' is given twice: by '%s' and by '%s'", target, first->entry->key,
                     second->entry->key);
    settings_report(parser->errors, &error);
}

/* A formula may stand beside an axis or a value of its name: see resolve_formulas. */
static bool may_stand_together(const struct key *a, const struct key *b)
{
    return (a->role == KEY_LET) != (b->role == KEY_LET);
}

static bool check_twice(const struct parser *parser, const struct key_list *keys)
{
    bool ok = true;
    for (size_t i = 0; i < keys->n; i++)
        for (size_t j = 0; j < key_targets(&keys->items[i]); j++)
            for (size_t before = 0; before <= i; before++) {
                const struct key *first = &keys->items[before], *second = &keys->items[i];
                size_t n = before == i ? j : key_targets(first);
                for (size_t k = 0; k < n; k++)
                    if (!may_stand_together(first, second) &&
                        text_equal(key_target(first, k), key_target(second, j))) {
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
