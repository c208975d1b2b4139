/* settings_bench.c - the slots of a [bench NAME] section: options, settings, variables and the
 * rest; how the text of one is read, and the values that keys and defaults give them. */
#include "core/config/settings_internal.h"

#include "core/base/text.h"
#include "core/config/sides.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#define NO_FIGURE "none" /* of a document, for one of its cases */

/* As one may write some numbers of common settings. */
static const struct {
    const char *name, *word, *number;
} number_words[] = {{"iterations", "auto", "0"},
                    {"rounds", "auto", "0"},
                    {"seed", "run", SEED_OF_RUN_TEXT},
                    {"seed", "each round", SEED_EACH_ROUND_TEXT}};

static struct value string_value(const char *text)
{
    return (struct value){.type = GB_TYPE_STRING, .number = NAN, .text = text};
}

static bool read_number(const char *text, struct arena *arena, struct value *ret)
{
    struct origin nowhere = {0};
    return value_read_type(GB_TYPE_INT, text, nowhere, arena, ret, NULL) == GB_OK ||
           value_read_type(GB_TYPE_FLOAT, text, nowhere, arena, ret, NULL) == GB_OK;
}

/* A value of something that has no type is kept as it is written, and is a number to expressions if
 * it looks like one. */
static struct value untyped_value(const char *text, struct arena *arena)
{
    struct value value;
    if (!read_number(text, arena, &value))
        return string_value(text);
    value.text = text;
    return value;
}

/* Of a variable, or what goes to a plugin as a number or a text. */
static bool is_typed_by_value(const struct slot *slot)
{
    return slot->kind == SLOT_VARIABLE || (slot->map_key && option_is_rest(slot->option));
}

static bool is_list(const struct slot *slot)
{
    return slot->option && (slot->option->type & GB_TYPE_LIST);
}

const char *common_number_meant(const char *name, const char *text)
{
    for (size_t i = 0; i < sizeof number_words / sizeof number_words[0]; i++)
        if (text_equal(name, number_words[i].name) && text_equal(text, number_words[i].word))
            return number_words[i].number;
    return text;
}

void common_number_refused(const char *name, struct gb_error *error)
{
    for (size_t i = 0; i < sizeof number_words / sizeof number_words[0]; i++)
        if (text_equal(name, number_words[i].name))
            error_append(error, ", or %s", number_words[i].word);
}

static const char *number_meant(const struct slot *slot, const char *text)
{
    return slot->kind == SLOT_COMMON ? common_number_meant(slot->name, text) : text;
}

/* Returns the status; the error, if there is one, names the words beside what the option reads. */
static int32_t read_or_refused(const struct slot *slot, int32_t status, struct gb_error *error)
{
    if (status == GB_OK || !error)
        return status;
    if (slot->kind == SLOT_PAPER)
        error_append(error, ", or " NO_FIGURE);
    else if (slot->kind == SLOT_COMMON)
        common_number_refused(slot->name, error);
    return status;
}

/* Reads the value of a slot that is neither device nor policy. That of a map's key or of a variable
 * of the environment is text, but typed as a number for expressions if it looks like one. */
static int32_t slot_read(const struct slot *slot, const char *text, struct origin origin,
                         struct arena *arena, struct value *ret, struct gb_error *error)
{
    if (is_typed_by_value(slot)) /* a number if it looks like one and is not in quotes */
        return read_number(text, arena, ret)
                   ? GB_OK
                   : value_read_type(GB_TYPE_STRING, text, origin, arena, ret, error);
    if (slot->kind == SLOT_ENVIRONMENT) {
        int32_t status = value_read_type(GB_TYPE_STRING, text, origin, arena, ret, error);
        if (status == GB_OK)
            *ret = untyped_value(ret->text, arena);
        return status;
    }
    if (slot->map_key) {
        *ret = untyped_value(arena_text(arena, text), arena);
        return GB_OK;
    }
    if (is_list(slot)) {
        struct setting setting = {slot->name, text, origin};
        *ret = string_value("");
        return option_read(slot->option, &setting, arena, &ret->text, error);
    }
    if (slot->kind == SLOT_PAPER && text_equal(text, NO_FIGURE)) {
        *ret = (struct value){.type = slot->option->type, .number = NAN, .text = NO_FIGURE};
        return GB_OK;
    }
    const int32_t status = value_read(slot->option, number_meant(slot, text), origin, arena, ret,
                                      error);
    return read_or_refused(slot, status, error);
}

int32_t slot_compute(const struct slot *slot, const struct value *result, struct origin origin,
                     struct arena *arena, struct value *ret, struct gb_error *error)
{
    uint32_t type = slot->option ? slot->option->type : GB_TYPE_STRING;
    const char *text = result->text;
    if (slot->kind == SLOT_VARIABLE) {
        *ret = *result;
        return GB_OK;
    }
    if (slot->map_key || type == GB_TYPE_STRING) {
        *ret = slot->option && !slot->map_key ? string_value(text) : *result;
        return GB_OK;
    }
    if (type == GB_TYPE_DURATION && result->type != GB_TYPE_STRING && isfinite(result->number))
        text = arena_printf(arena, "%sns", text);
    return slot_read(slot, text, origin, arena, ret, error);
}

/* ---- lists ---- */

const char *slot_item(const struct slot *slot, const struct text_list *items, size_t i,
                      struct arena *arena)
{
    return items->is_quoted[i] && is_typed_by_value(slot) ? text_in_quotes(items->items[i], arena)
                                                          : items->items[i];
}

static void add_all(struct value_list *values, const struct value_list *more, struct origin origin,
                    struct arena *arena)
{
    for (size_t i = 0; i < more->n; i++)
        value_list_add(values, &more->items[i], origin, arena);
}

/* A range such as 1:8 or 8:64:x2 among values that have no type of their own. */
static bool add_range(struct value_list *values, const struct slot *slot, const char *text,
                      struct origin origin, struct arena *arena)
{
    struct gb_option number = {.size = sizeof number, .type = GB_TYPE_INT, .name = slot->name};
    struct value_list list;
    if (!strchr(text, ':'))
        return false;
    if (value_list_read(&number, text, origin, arena, &list, NULL) != GB_OK) {
        number.type = GB_TYPE_FLOAT;
        if (!is_typed_by_value(slot) ||
            value_list_read(&number, text, origin, arena, &list, NULL) != GB_OK)
            return false;
    }
    for (size_t i = 0; i < list.n && !is_typed_by_value(slot); i++)
        list.items[i] = untyped_value(list.items[i].text, arena);
    add_all(values, &list, origin, arena);
    return true;
}

/* One item of a list that value_list_read does not know how to read. */
static int32_t add_item(struct value_list *values, const struct slot *slot, const char *text,
                        struct origin origin, bool ranges, struct arena *arena,
                        struct gb_error *error)
{
    struct value value;
    int32_t status = GB_OK;
    if (ranges && add_range(values, slot, text, origin, arena))
        return GB_OK;
    if (slot->kind == SLOT_ENVIRONMENT || (slot->map_key && !is_typed_by_value(slot)))
        value = untyped_value(text, arena);
    else
        status = slot_read(slot, text, origin, arena, &value, error);
    if (status == GB_OK)
        value_list_add(values, &value, origin, arena);
    return status;
}

static bool has_number_words(const struct slot *slot)
{
    for (size_t i = 0; i < sizeof number_words / sizeof number_words[0]; i++)
        if (slot->kind == SLOT_COMMON && text_equal(slot->name, number_words[i].name))
            return true;
    return false;
}

/* A list of rounds may have auto among its numbers. */
static int32_t add_worded(struct value_list *values, const struct slot *slot, const char *text,
                          struct origin origin, struct arena *arena, struct gb_error *error)
{
    struct value_list list;
    int32_t status = value_list_read(slot->option, number_meant(slot, text), origin, arena, &list,
                                     error);
    if (status == GB_OK)
        add_all(values, &list, origin, arena);
    return read_or_refused(slot, status, error);
}

int32_t slot_read_list(const struct slot *slot, const char *text, struct origin origin,
                       struct arena *arena, struct value_list *ret, struct gb_error *error)
{
    const bool has_words = has_number_words(slot);
    if (slot->option && !slot->map_key && !is_list(slot) && !has_words)
        return value_list_read(slot->option, text, origin, arena, ret, error);
    struct value_list values = {0};
    struct text_list items = {0};
    bool may_range = !slot->option || slot->map_key;
    int32_t status = text_split(text, ',', origin, arena, &items, error);
    for (size_t i = 0; status == GB_OK && i < items.n; i++)
        status = has_words
                     ? add_worded(&values, slot, items.items[i], items.origins[i], arena, error)
                     : add_item(&values, slot, slot_item(slot, &items, i, arena), items.origins[i],
                                may_range && !items.is_quoted[i], arena, error);
    if (status == GB_OK && values.n > VALUE_LIST_MAX)
        status = error_set_at(error, GB_INVALID, origin,
                              "the list is too long: \1expected up to %d values", VALUE_LIST_MAX);
    *ret = values;
    return status;
}

/* ---- a list where one value is expected ---- */

/* "1,000,000" */
static bool has_grouped_digits(const char *text)
{
    enum { GROUP = 3 };
    size_t n = strspn(text, "0123456789");
    bool is_grouped = false;
    if (n == 0 || n > GROUP)
        return false;
    for (text += n; *text == ','; text += GROUP + 1) {
        if (strspn(text + 1, "0123456789") != GROUP)
            return false;
        is_grouped = true;
    }
    return is_grouped && !*text;
}

/* Every `from` becomes `to`, blanks around it left out. */
static char *replaced(const char *text, const char *from, const char *to, struct arena *arena)
{
    CLEANUP(text_free) struct text out = {0};
    const size_t n = strlen(from);
    for (const char *at = strstr(text, from); at; at = strstr(text, from)) {
        text_add_n(&out, text, (size_t)(at - text));
        text_add(&out, to);
        text = at + n;
    }
    text_add(&out, text);
    return arena_text(arena, text_get(&out));
}

const char *hint_of_values(const struct slot *slot, const char *text, struct arena *arena)
{
    static const char *const slips[][2] = {{"", ""},   {"...", ":"}, {"..", ":"}, {":*", ":x"},
                                           {"-", ":"}, {";", ","},   {" ", ", "}};
    const size_t n = strlen(text);
    const bool has_brackets = n > 2 && strchr("[{(", text[0]) && strchr("]})", text[n - 1]);
    const char *inner = has_brackets ? arena_text_n(arena, text + 1, n - 2) : text;
    if (slot->kind == SLOT_DEVICE || slot->kind == SLOT_POLICY || slot->map_key ||
        has_grouped_digits(text))
        return NULL;
    for (size_t i = 0; i < sizeof slips / sizeof *slips; i++) {
        struct value_list values = {0};
        const char *meant = *slips[i][0] ? replaced(inner, slips[i][0], slips[i][1], arena) : inner;
        if (slot_read_list(slot, meant, (struct origin){0}, arena, &values, NULL) == GB_OK &&
            values.n > 1)
            return meant;
    }
    return NULL;
}

/* ---- the slots of a benchmark ---- */

struct slot *bench_slot(const struct bench_section *bench, const char *name)
{
    for (size_t i = 0; i < bench->n_slots; i++)
        if (bench->slots[i].kind != SLOT_BENCH && text_equal(bench->slots[i].name, name))
            return &bench->slots[i];
    return NULL;
}

struct expression_column *bench_columns(const struct bench_section *bench, struct arena *arena)
{
    struct expression_column *columns = ARENA_ARRAY(arena, struct expression_column,
                                                    bench->n_slots);
    for (size_t i = 0; i < bench->n_slots; i++)
        columns[i] = (struct expression_column){bench->slots[i].name, bench->slots[i].value};
    return columns;
}

const struct axis_column *bench_axis_of(const struct bench_section *bench, size_t slot,
                                        size_t *ret_n)
{
    for (size_t i = 0; i < bench->n_axes; i++)
        for (size_t j = 0; j < bench->axes[i].n_columns; j++)
            if (bench->axes[i].columns[j].slot == slot && bench->axes[i].columns[j].values) {
                *ret_n = bench->axes[i].n;
                return &bench->axes[i].columns[j];
            }
    return NULL;
}

static const char policy_name[] = "policy", device_name[] = "device";

void bench_fail(const struct bench_resolver *at, struct origin origin, const char *format, ...)
{
    struct gb_error error;
    va_list arguments;
    va_start(arguments, format);
    error_set_va(&error, GB_INVALID, origin, format, arguments);
    va_end(arguments);
    bench_fail_with(at, &error);
}

void bench_fail_with(const struct bench_resolver *at, const struct gb_error *error)
{
    settings_report(at->resolver->errors, error);
    at->bench->is_broken = true;
}

static struct slot *add_slot(struct bench_section *bench, enum slot_kind kind, const char *name,
                             const struct gb_option *option)
{
    struct slot *slot = &bench->slots[bench->n_slots++];
    *slot = (struct slot){.kind = kind, .name = name, .option = option};
    return slot;
}

/* ---- which slots there are ---- */

/* A slot for each key of a map option that the section gives. */
static void add_map_slots(const struct bench_resolver *at, const struct gb_option *option)
{
    struct bench_section *bench = at->bench;
    size_t length = strlen(option->name);
    for (size_t i = 0; i < bench->keys.n; i++)
        for (size_t j = 0; j < key_targets(&bench->keys.items[i]); j++) {
            const char *target = key_target(&bench->keys.items[i], j);
            if (strncmp(target, option->name, length) == 0 && target[length] == '.' &&
                target[length + 1] && !bench_slot(bench, target))
                add_slot(bench, SLOT_OPTION, target, option)->map_key = target + length + 1;
        }
}

static void add_known_slots(const struct bench_resolver *at)
{
    struct bench_section *bench = at->bench;
    struct option_table common = common_options();
    add_slot(bench, SLOT_BENCH, "bench", NULL)->value = (struct value){.type = GB_TYPE_STRING,
                                                                       .text = bench->title};
    for (uint32_t i = 0; i < at->table.n; i++) {
        const struct gb_option *option = option_at(at->table, i);
        if (option->type == GB_TYPE_MAP)
            add_map_slots(at, option);
        else
            add_slot(bench, SLOT_OPTION, option->name, option);
    }
    /* `threads` is a key of benchmarks that run in several; others may have an option of that name.
     */
    const bool has_threads = bench->info && bench->info->flags & GB_BENCH_THREADS;
    for (uint32_t i = 0; i < common.n; i++)
        if (has_threads || !text_equal(option_at(common, i)->name, "threads"))
            add_slot(bench, SLOT_COMMON, option_at(common, i)->name, option_at(common, i));
    add_slot(bench, SLOT_DEVICE, device_name, NULL);
    add_slot(bench, SLOT_POLICY, policy_name, NULL);
}

static struct origin target_origin(const struct key *key, size_t i)
{
    return key->role == KEY_ZIP ? key->names.origins[i] : key->entry->origin;
}

const char *bench_hint_of_owner(const struct catalogue *catalogue, const char *key,
                                struct arena *arena)
{
    for (size_t i = 0; i < catalogue->n_plugins; i++) {
        const struct gb_plugin *plugin = &catalogue->plugins[i].plugin;
        const char *kind = plugin_kind_words(plugin->kind);
        if (!option_find(option_table_of(plugin), key, NULL))
            continue;
        if (plugin->kind == GB_PLUGIN_BENCH)
            return "it is an option of a benchmark: \1write it in [bench NAME]";
        return arena_printf(arena, "it is an option of %s '%s': \1write it in [%s %s]", kind,
                            plugin->id, kind, plugin->id);
    }
    return NULL;
}

/* "sweep.rows" of "sweep_rows"; or NULL. */
static const char *hint_of_prefix(const char *key, struct arena *arena)
{
    static const char *const prefixes[] = {"sweep", "zip", "let", "env", "check", "paper"};
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++) {
        const size_t n = strlen(prefixes[i]);
        if (text_starts_with(key, prefixes[i]) && key[n] && strchr("_-:/", key[n]) && key[n + 1])
            return arena_printf(arena, "%s.%s", prefixes[i], key + n + 1);
    }
    return NULL;
}

void bench_unknown_target(const struct bench_resolver *at, const struct key *key, size_t i)
{
    static const char *const others[] = {"device", "policy", "plugin", "like", "only", "exclude"};
    enum { N_OTHERS = sizeof others / sizeof others[0] };
    const struct bench_section *bench = at->bench;
    const char *target = key_target(key, i);
    struct words names = {ARENA_ARRAY(at->arena, const char *, bench->n_slots + N_OTHERS), 0};
    for (size_t j = 0; j < bench->n_slots; j++)
        if (bench->slots[j].kind != SLOT_BENCH && bench->slots[j].kind != SLOT_VARIABLE)
            names.items[names.n++] = bench->slots[j].name;
    for (size_t j = 0; j < N_OTHERS && key->role == KEY_SET; j++)
        names.items[names.n++] = others[j];
    const char *nearest = text_nearest(WORDS_OF(names.items, names.n), target);
    const bool is_common = option_find(common_options(), target, NULL) != NULL;
    const char *owner = key->role != KEY_SET ? NULL
                        : is_common
                            ? "the benchmark runs in one thread"
                            : bench_hint_of_owner(at->resolver->catalogue, target, at->arena);
    /* Of a plugin that is not known it may be an option, unless it is almost a known key. */
    if (!bench->info && (key->role != KEY_SET || !nearest || owner))
        return;
    if (!nearest && key->role == KEY_SET)
        nearest = hint_of_prefix(target, at->arena);
    if (nearest && key->role == KEY_SWEEP)
        nearest = arena_printf(at->arena, "sweep.%s", nearest);
    const char *spelt = key->role == KEY_ZIP
                            ? arena_printf(at->arena, "'%s' of '%s'", target, key->entry->key)
                            : arena_printf(at->arena, "'%s'", key->entry->key);
    if (owner)
        bench_fail(at, target_origin(key, i), "unknown key %s in [bench %s]: %s", spelt,
                   bench->name, owner);
    else
        bench_fail(at, target_origin(key, i), "%s",
                   unknown_key_text(spelt, bench->section, bench->info, nearest, at->arena));
}

/* As columns of expressions they would be the same. */
static bool differs_in_case_only(const struct bench_resolver *at, const struct key *key, size_t i)
{
    const char *name = key_target(key, i);
    const struct bench_section *bench = at->bench;
    for (size_t j = 0; j < bench->n_slots; j++)
        if (strcasecmp(bench->slots[j].name, name) == 0) {
            bench_fail(at, target_origin(key, i),
                       "'%s': variable '%s' and '%s' differ in case only, choose another name",
                       key->entry->key, name, bench->slots[j].name);
            return true;
        }
    return false;
}

static void add_variable(const struct bench_resolver *at, const struct key *key, size_t i)
{
    const char *name = key_target(key, i);
    if (!settings_is_word(name) && key->role == KEY_LET)
        bench_fail(at, target_origin(key, i),
                   "'%s': a variable's name has letters, digits and _ only", key->entry->key);
    else if (!settings_is_word(name))
        bench_unknown_target(at, key, i);
    else if (!differs_in_case_only(at, key, i))
        add_slot(at->bench, SLOT_VARIABLE, name, NULL);
}

/* A key that the plugin takes since nothing else knows it. */
static void add_rest(const struct bench_resolver *at, const struct key *key, size_t i,
                     const struct gb_option *rest)
{
    const char *name = key_target(key, i);
    const char *whole = arena_printf(at->arena, "%s.%s", rest->name, name);
    if (bench_slot(at->bench, whole))
        bench_fail(at, target_origin(key, i), "'%s' is given twice: '%s' is the same",
                   key->entry->key, whole);
    else if (!differs_in_case_only(at, key, i))
        add_slot(at->bench, SLOT_OPTION, name, rest)->map_key = name;
}

/* A tolerance or a paper's figure. Times have a unit, as they have in an option. */
static void add_number(const struct bench_resolver *at, enum slot_kind kind, const char *name)
{
    const bool is_time = kind == SLOT_PAPER && text_ends_with(name, "_ns");
    struct gb_option *option = ARENA_NEW(at->arena, struct gb_option);
    *option = (struct gb_option){.size = sizeof *option,
                                 .type = is_time ? GB_TYPE_DURATION : GB_TYPE_FLOAT,
                                 .name = name,
                                 .range = is_time                  ? "0:1000 h"
                                          : kind == SLOT_TOLERANCE ? "0:inf"
                                                                   : "-1e300:1e300"};
    add_slot(at->bench, kind, name, option);
}

bool bench_has_side(const struct bench_resolver *at, const char *name)
{
    const struct settings *settings = at->resolver->settings;
    size_t n = 0;
    for (size_t i = 0; i < settings->n_benches && text_equal(name, SIDE_AXIS); i++)
        n += at->bench->title && text_equal(settings->benches[i].title, at->bench->title);
    return n > 1;
}

/* The slots that only keys make: tolerances, papers, variables and the environment. */
static void add_named_slots(const struct bench_resolver *at)
{
    struct bench_section *bench = at->bench;
    for (size_t i = 0; i < bench->keys.n; i++) {
        const struct key *key = &bench->keys.items[i];
        for (size_t j = 0; j < key_targets(key); j++) {
            const char *target = key_target(key, j);
            const struct gb_option *rest = bench_has_side(at, target)
                                               ? NULL
                                               : option_rest(at->table, target);
            if (bench_slot(bench, target))
                continue;
            if (text_starts_with(target, "env."))
                add_slot(bench, SLOT_ENVIRONMENT, target, NULL);
            else if (settings_is_tolerance(target))
                add_number(at, SLOT_TOLERANCE, target);
            else if (settings_is_paper(target))
                add_number(at, SLOT_PAPER, target);
            else if (key->source == SOURCE_DEFAULTS && option_find(common_options(), target, NULL))
                continue; /* not of this benchmark */
            else if (rest)
                add_rest(at, key, j, rest);
            else if (key->role == KEY_SET)
                bench_unknown_target(at, key, j);
            else if (bench->info)
                add_variable(at, key, j);
        }
    }
}

void bench_make_slots(const struct bench_resolver *at)
{
    struct bench_section *bench = at->bench;
    size_t n = 3 + at->table.n + common_options().n;
    for (size_t i = 0; i < bench->keys.n; i++)
        n += key_targets(&bench->keys.items[i]);
    bench->slots = ARENA_ARRAY(at->arena, struct slot, n);
    add_known_slots(at);
    add_named_slots(at);
}

/* ---- their values ---- */

int32_t bench_read_value(const struct bench_resolver *at, const struct slot *slot, const char *text,
                         struct origin origin, struct value *ret, struct named *ret_named,
                         struct gb_error *error)
{
    int32_t status;
    if (slot->kind != SLOT_DEVICE && slot->kind != SLOT_POLICY)
        return slot_read(slot, text, origin, at->arena, ret, error);
    status = value_read_type(GB_TYPE_STRING, text, origin, at->arena, ret, error);
    if (status != GB_OK)
        return status;
    bool is_known;
    if (slot->kind == SLOT_POLICY) {
        status = resolve_named(at->resolver, GB_PLUGIN_POLICY, ret->text, origin,
                               &ret_named->policy, error);
        is_known = ret_named->policy;
    } else {
        status = resolve_device(at->resolver, at->bench->info, ret->text, origin,
                                &ret_named->device, error);
        is_known = ret_named->device.settings || text_equal(ret->text, DEVICE_AUTO);
    }
    if (status == GB_OK && !is_known) /* its section is in error, which has been reported */
        at->bench->is_broken = true;
    return status;
}

void bench_read_set_keys(const struct bench_resolver *at)
{
    struct bench_section *bench = at->bench;
    for (size_t i = 0; i < bench->keys.n; i++) {
        const struct key *key = &bench->keys.items[i];
        struct slot *slot = key->role == KEY_SET ? bench_slot(bench, key->target) : NULL;
        struct gb_error error;
        if (!slot)
            continue;
        slot->key = key;
        if (bench_read_value(at, slot, key->entry->value, key->entry->value_origin, &slot->value,
                             &slot->named, &error) == GB_OK)
            continue;
        const char *meant = hint_of_values(slot, key->entry->value, at->arena);
        if (meant)
            error_set_at(
                &error, GB_INVALID, key->entry->value_origin,
                "'%s' is more than one value: to measure each of them, \1write sweep.%s = %s",
                key->entry->value, slot->name, meant);
        bench_fail_with(at, &error);
    }
}

/* The defaults; a slot that a formula computes has its option's default before that. */
void bench_read_defaults(const struct bench_resolver *at)
{
    struct bench_section *bench = at->bench;
    for (size_t i = 0; i < bench->n_slots; i++) {
        struct slot *slot = &bench->slots[i];
        struct gb_error error;
        const char *text = slot->option && !slot->map_key ? slot->option->default_value : NULL;
        if (slot->kind == SLOT_DEVICE)
            text = DEVICE_AUTO;
        if (slot->kind == SLOT_POLICY)
            text = DEFAULT_POLICY;
        if (slot->key || slot->is_axis)
            continue;
        if (text && bench_read_value(at, slot, text, bench->origin, &slot->value, &slot->named,
                                     &error) != GB_OK)
            bench_fail_with(at, &error);
        if (!text && slot->kind == SLOT_OPTION && !slot->is_computed)
            bench_fail(at, bench->origin, "[bench %s] lacks '%s', which plugin '%s' requires",
                       bench->name, slot->name, bench->info->plugin.id);
    }
}
