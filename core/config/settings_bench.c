/* settings_bench.c - which slots a [bench NAME] section has, and the values that its keys and
 * defaults give them. */
#include "core/config/settings_internal.h"

#include "core/base/text.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

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

/* `threads` is a key of benchmarks that run in several. Others may have an option of that name. */
static bool has_common(const struct bench_resolver *at, const char *name)
{
    const struct plugin_info *info = at->bench->info;
    return !text_equal(name, "threads") || (info && info->flags & GB_BENCH_THREADS);
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
    for (uint32_t i = 0; i < common.n; i++)
        if (has_common(at, option_at(common, i)->name))
            add_slot(bench, SLOT_COMMON, option_at(common, i)->name, option_at(common, i));
    add_slot(bench, SLOT_DEVICE, device_name, NULL);
    add_slot(bench, SLOT_POLICY, policy_name, NULL);
}

/* "'sweep.rowz'", or "'m' of 'zip.shape'" */
static const char *spell_target(const struct bench_resolver *at, const struct key *key,
                                const char *target)
{
    if (key->role == KEY_ZIP)
        return arena_printf(at->arena, "'%s' of '%s'", target, key->entry->key);
    return arena_printf(at->arena, "'%s'", key->entry->key);
}

static struct origin target_origin(const struct key *key, size_t i)
{
    return key->role == KEY_ZIP ? key->names.origins[i] : key->entry->origin;
}

/* "it is an option of policy 'steady': write it in [policy steady]": whose option an unknown key
 * is; or NULL. */
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
    struct name_list names = {ARENA_ARRAY(at->arena, const char *, bench->n_slots + N_OTHERS), 0};
    if (!bench->info) /* it may be an option for all that is known */
        return;
    for (size_t j = 0; j < bench->n_slots; j++)
        if (bench->slots[j].kind != SLOT_BENCH && bench->slots[j].kind != SLOT_VARIABLE)
            names.items[names.n++] = bench->slots[j].name;
    for (size_t j = 0; j < N_OTHERS && key->role == KEY_SET; j++)
        names.items[names.n++] = others[j];
    const char *nearest = name_nearest(&names, target);
    const bool is_common = option_find(common_options(), target, NULL) != NULL;
    const char *owner = key->role != KEY_SET ? NULL
                        : is_common
                            ? "the benchmark runs in one thread"
                            : bench_hint_of_owner(at->resolver->catalogue, target, at->arena);
    if (!nearest && key->role == KEY_SET)
        nearest = hint_of_prefix(target, at->arena);
    if (owner)
        bench_fail(at, target_origin(key, i), "unknown key %s in [bench %s]: %s",
                   spell_target(at, key, target), bench->name, owner);
    else if (nearest)
        bench_fail(at, target_origin(key, i),
                   "unknown key %s in [bench %s]; \1did you mean '%s%s'?",
                   spell_target(at, key, target), bench->name,
                   key->role == KEY_SWEEP ? "sweep." : "", nearest);
    else
        bench_fail(at, target_origin(key, i),
                   "unknown key %s in [bench %s]: \1see 'gbrun help %s' for its options",
                   spell_target(at, key, target), bench->name, bench->info->plugin.id);
}

static bool is_variable_name(const char *name)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_";
    static const char all[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";
    return strchr(letters, *name) && name[strspn(name, all)] == 0;
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
    if (!is_variable_name(name) && key->role == KEY_LET)
        bench_fail(at, target_origin(key, i),
                   "'%s': a variable's name has letters, digits and _ only", key->entry->key);
    else if (!is_variable_name(name))
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

static void add_tolerance(const struct bench_resolver *at, const char *name)
{
    struct gb_option *option = ARENA_NEW(at->arena, struct gb_option);
    *option = (struct gb_option){
        .size = sizeof *option, .type = GB_TYPE_FLOAT, .name = name, .range = "0:"};
    add_slot(at->bench, SLOT_TOLERANCE, name, option);
}

/* Times have a unit, as they have in an option. */
static void add_paper(const struct bench_resolver *at, const char *name)
{
    struct gb_option *option = ARENA_NEW(at->arena, struct gb_option);
    *option = (struct gb_option){.size = sizeof *option,
                                 .type = text_ends_with(name, "_ns") ? GB_TYPE_DURATION
                                                                     : GB_TYPE_FLOAT,
                                 .name = name};
    add_slot(at->bench, SLOT_PAPER, name, option);
}

/* The slots that only keys make: tolerances, papers, variables and the environment. */
static void add_named_slots(const struct bench_resolver *at)
{
    struct bench_section *bench = at->bench;
    for (size_t i = 0; i < bench->keys.n; i++) {
        const struct key *key = &bench->keys.items[i];
        for (size_t j = 0; j < key_targets(key); j++) {
            const char *target = key_target(key, j);
            const struct gb_option *rest = option_rest(at->table, target);
            if (bench_slot(bench, target))
                continue;
            if (text_starts_with(target, "env."))
                add_slot(bench, SLOT_ENVIRONMENT, target, NULL);
            else if (settings_is_tolerance(target))
                add_tolerance(at, target);
            else if (settings_is_paper(target))
                add_paper(at, target);
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

/* What a text means for a slot of any kind. */
int32_t bench_read_value(const struct bench_resolver *at, const struct slot *slot, const char *text,
                         struct origin origin, struct value *ret, struct device_choice *ret_device,
                         const struct plugin_settings **ret_policy, struct gb_error *error)
{
    int32_t status;
    if (slot->kind != SLOT_DEVICE && slot->kind != SLOT_POLICY)
        return slot_read(slot, text, origin, at->arena, ret, error);
    status = value_read_type(GB_TYPE_STRING, text, origin, at->arena, ret, error);
    if (status != GB_OK)
        return status;
    if (slot->kind == SLOT_POLICY) {
        status = resolve_policy(at->resolver, ret->text, origin, ret_policy, error);
        if (status == GB_OK && !*ret_policy)
            at->bench->is_broken = true;
        return status;
    }
    status = resolve_device(at->resolver, at->bench->info, ret->text, origin, ret_device, error);
    if (status == GB_OK && !ret_device->settings && !text_equal(ret->text, DEVICE_AUTO))
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
                             &slot->device, &slot->policy, &error) == GB_OK)
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

static bool is_open(const struct slot *slot)
{
    return !slot->key && !slot->is_axis && !slot->is_computed;
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
        if (text && bench_read_value(at, slot, text, bench->origin, &slot->value, &slot->device,
                                     &slot->policy, &error) != GB_OK)
            bench_fail_with(at, &error);
        if (!text && slot->kind == SLOT_OPTION && is_open(slot))
            bench_fail(at, bench->origin, "[bench %s] lacks '%s', which plugin '%s' requires",
                       bench->name, slot->name, bench->info->plugin.id);
    }
}
