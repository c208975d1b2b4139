/* settings_parse.c - the first step of settings.h: sections, before any plugin is known.
 */
#include "core/config/settings_internal.h"

#include "core/base/text.h"
#include "core/config/sides.h"

#include <fnmatch.h>
#include <string.h>

static const char *const order_words[] = {[ORDER_LISTED] = "listed", [ORDER_SHUFFLED] = "shuffled"};

static const char *const distribute_words[] = {
    [DISTRIBUTE_SPREAD] = "spread", [DISTRIBUTE_EACH] = "each"};

static const char *const durability_words[] = {
    [DURABILITY_FULL] = "full", [DURABILITY_PROCESS] = "process"};

static const struct gb_option run_table[] = {
    GB_STRING(struct run_params, results, "results.gbr",
              "The results file, relative to the current folder"),
    GB_STRING(struct run_params, roofs, "",
              "A results file with cases of the benchmark ceilings, relative to the INI file: the "
              "devices' roofs, if the results file itself has none"),
    GB_LIST(struct run_params, benchmarks, GB_TYPE_STRING, "", NULL, NULL,
            "Which benchmarks to run: names of [bench NAME] sections, or patterns such as gemm*; "
            "empty: all"),
    GB_STRING(struct run_params, where, "",
              "Keeps only cases for which the SQL expression is true, such as rows > 64; names "
              "that a benchmark does not have are NULL"),
    GB_INT(struct run_params, sample, "0", "0:10000000", "cases",
           "Number of cases to run, drawn at random with the seed; 0: all"),
    GB_STRING(struct run_params, shard, "",
              "I/N: one of N parts of the cases, for tasks that share a sweep; empty: all"),
    GB_STRING(struct run_params, costs, "",
              "A results file with the times of the cases, relative to the current folder: shards "
              "get equal shares of the time; empty: every Nth case"),
    GB_INT(struct run_params, seed, "42", "-9223372036854775808:9223372036854775807", NULL,
           "Seed of random inputs and of the order of shuffled cases"),
    GB_CHOICE(struct run_params, order, "listed", order_words,
              "The order in which cases are measured"),
    GB_LIST(struct run_params, devices, GB_TYPE_STRING, "", NULL, NULL,
            "What device = auto chooses from, in order of preference; empty: all devices; all: the "
            "same, and auto means every device of one plugin"),
    GB_CHOICE(
        struct run_params, distribute, "spread", distribute_words,
        "Whether a case with several devices is measured on one idle device, or on each of them"),
    GB_CHOICE(struct run_params, durability, "full", durability_words,
              "What a reported case survives: full: a power failure, at the cost of a sync every "
              "0.2 s at most; process: a crash of gbrun, for sweeps of very short cases"),
    GB_LIST(struct run_params, plugin_path, GB_TYPE_STRING, "", NULL, NULL,
            "Folders searched for plugins first, relative to the INI file"),
    GB_INT(struct run_params, jobs, "0", "0:256", NULL,
           "Workers that measure at the same time, each on a device of its own; 0: one for each "
           "device of the case"),
    GB_INT(struct run_params, gpus_per_case, "0", "0:64", "GPUs",
           "GPUs visible to a case: one worker for each group of this many; tasks of a job on one "
           "node share the groups; 0: all GPUs are visible, and each worker uses one"),
    GB_INT(struct run_params, rounds, "0", "0:10000", NULL,
           "How many times each case is created and measured, or auto, as for a benchmark; a "
           "benchmark's own value takes precedence"),
    {(uint32_t)sizeof(struct gb_option), GB_TYPE_DURATION, 0, 0,
     offsetof(struct run_params, apart_ns), "apart", "0", "0:1 h", NULL, "ns",
     "With rounds = auto: least time between the starts of two visits of a case; from 1 s on, a "
     "single case can be certified too"},
    GB_BOOL(struct run_params, lock, "yes",
            "Whether a case waits until no other gbrun process on this machine measures on its "
            "device or, with exclusive = yes, on any device"),
    {(uint32_t)sizeof(struct gb_option), GB_TYPE_DURATION, 0, 0,
     offsetof(struct run_params, lock_limit_ns), "lock_limit", "10 min", "0:inf", NULL, "ns",
     "How long it waits; after that it measures alongside the other process, with a message"},
    {(uint32_t)sizeof(struct gb_option), GB_TYPE_DURATION, 0, 0,
     offsetof(struct run_params, claim_limit_ns), "claim_limit", "1 min", "1 s:1000 h", NULL, "ns",
     "With --claim: how long another task may be silent before its cases are taken over"},
    GB_BOOL(struct run_params, sentinel, "yes",
            "Whether short reference work of the device is timed before and after each case's "
            "samples, in at most 1 % of the time, so that changes of the machine are recognized"),
    GB_MAP(struct run_params, label,
           "A label of the run, by which it can be found and compared: label.branch = main"),
};

struct option_table run_options(void)
{
    return (struct option_table){run_table, sizeof run_table / sizeof run_table[0]};
}

/* Names are part of labels and lists; those of plugins come before ":INDEX". */
static bool is_section_name(const char *name, bool may_have_colons)
{
    for (; *name; name++)
        if ((unsigned char)*name <= ' ' || strchr(may_have_colons ? ",=\"'" : ",:=\"'", *name))
            return false;
    return true;
}

/* An entry of [gbrun] that is a key of every benchmark. */
static struct key *key_of_all(const struct parser *parser, enum key_role role, const char *target,
                              const struct ini_entry *entry)
{
    struct key *key = ARENA_NEW(parser->arena, struct key);
    *key = (struct key){.role = role, .source = SOURCE_RUN, .target = target, .entry = entry};
    return key;
}

static void unknown_run_key(const struct parser *parser, const struct ini_entry *entry)
{
    bool is_common = text_equal(entry->key, "device") || text_equal(entry->key, "policy") ||
                     option_find(common_options(), entry->key, NULL);
    const char *nearest = is_common ? NULL : option_nearest(run_options(), entry->key);
    const char *otherwise = is_common ? ": it belongs to [defaults] or [bench NAME]" : "";
    error_list_add(parser->errors, entry->origin, "unknown key '%s' in [gbrun]%s%s%s", entry->key,
                   DID_YOU_MEAN(nearest, otherwise));
}

static void parse_run(const struct parser *parser, const struct ini_section *section)
{
    struct settings *settings = parser->settings;
    struct setting *good = ARENA_ARRAY(parser->arena, struct setting, section->n);
    struct gb_error error;
    size_t n = 0;
    settings->run_section = section;
    for (size_t i = 0; i < section->n; i++) {
        const struct ini_entry *entry = &section->entries[i];
        const struct gb_option *option = option_find(run_options(), entry->key, NULL);
        struct setting setting = {entry->key, entry->value, entry->value_origin};
        const char *text;
        if (!option) {
            unknown_run_key(parser, entry);
            continue;
        }
        const bool is_rounds = text_equal(entry->key, "rounds");
        if (is_rounds)
            setting.text = common_number_meant(entry->key, entry->value);
        if (text_equal(entry->key, "where")) { /* quotes in it are SQL's */
            settings->where = *entry->value ? key_of_all(parser, KEY_ONLY, "where", entry) : NULL;
            continue;
        }
        if (option_read(option, &setting, parser->arena, &text, &error) != GB_OK) {
            if (is_rounds)
                common_number_refused(entry->key, &error);
            error_list_take(parser->errors, &error);
            continue;
        }
        good[n++] = setting;
        if (text_equal(entry->key, "devices"))
            settings->devices_entry = entry;
        if (is_rounds)
            settings->rounds = key_of_all(parser, KEY_SET, "rounds", entry);
    }
    if (option_fill(run_options(), good, n, &settings->run, sizeof settings->run, parser->arena,
                    &error) != GB_OK)
        error_list_take(parser->errors, &error);
}

static bool is_default_key(const struct key *key)
{
    return key->role == KEY_SEARCH ||
           (key->role == KEY_SET &&
            (text_starts_with(key->target, "env.") || settings_is_tolerance(key->target) ||
             text_equal(key->target, "device") || text_equal(key->target, "policy") ||
             option_find(common_options(), key->target, NULL)));
}

static void parse_defaults(const struct parser *parser, const struct ini_section *section)
{
    struct settings *settings = parser->settings;
    struct key_list keys = {0};
    settings_read_keys(parser, section, SOURCE_DEFAULTS, &keys);
    for (size_t i = 0; i < keys.n; i++) {
        /* What it is instead is known once plugins are: resolve_defaults. */
        struct key_list *list = is_default_key(&keys.items[i]) ? &settings->defaults
                                                               : &settings->strange_defaults;
        ARENA_APPEND(parser->arena, list->items, list->n, keys.items[i]);
    }
}

static void parse_plugin_section(const struct parser *parser, const struct ini_section *section,
                                 uint32_t kind)
{
    struct settings *settings = parser->settings;
    struct gb_error error;
    const char *reserved = text_equal(section->name, DEVICE_AUTO)  ? "any device"
                           : text_equal(section->name, DEVICE_ALL) ? "all devices"
                                                                   : NULL;
    if (kind == GB_PLUGIN_DEVICE && reserved) {
        error_list_add(parser->errors, section->origin,
                       "[device %s]: '%s' stands for %s, choose another name", section->name,
                       section->name, reserved);
        return;
    }
    struct plugin_section *parsed = &settings->plugin_sections[settings->n_plugin_sections++];
    *parsed = (struct plugin_section){.kind = kind, .name = section->name, .section = section};
    parsed->request = (struct plugin_request){
        .kind = kind, .id = section->name, .origin = section->origin};
    const struct ini_entry *plugin = ini_entry_of(section, "plugin");
    if (plugin && settings_read_plugin(parser, kind, plugin, &parsed->request, &error) != GB_OK) {
        error_list_take(parser->errors, &error);
        parsed->request = (struct plugin_request){0};
    }
}

static void parse_bench(const struct parser *parser, const struct ini_section *section)
{
    struct settings *settings = parser->settings;
    struct bench_section *bench = &settings->benches[settings->n_benches++];
    const char *at = strchr(section->name, '@');
    *bench = (struct bench_section){.name = section->name,
                                    .title = section->name,
                                    .origin = section->origin,
                                    .section = section};
    if (at)
        bench->title = arena_text_n(parser->arena, section->name, (size_t)(at - section->name));
    bench->is_broken = !settings_read_keys(parser, section, SOURCE_OWN, &bench->own);
    for (size_t i = 0; i < bench->own.n; i++)
        if (bench->own.items[i].role == KEY_LIKE)
            bench->like = &bench->own.items[i];
}

static void parse_ab(const struct parser *parser, const struct ini_section *section)
{
    struct ab_params params;
    struct settings *settings = parser->settings;
    struct error_list errors = {0};
    ab_section_read(section, parser->arena, &params, &errors);
    for (size_t i = 0; i < errors.n; i++)
        settings_report(parser->errors, &errors.items[i]); /* ab has read it before */
    error_list_free(&errors);
    ARENA_APPEND(parser->arena, settings->ab_sections, settings->n_ab_sections, section);
}

struct section_kind {
    const char *kind;
    bool has_name;
    uint32_t
        plugin; /* of sections that are a plugin's settings; 0: they are read by the function */
    void (*parse)(const struct parser *parser, const struct ini_section *section);
};

static const struct section_kind section_kinds[] = {
    {"gbrun", false, 0, parse_run},           {"defaults", false, 0, parse_defaults},
    {"policy", true, GB_PLUGIN_POLICY, NULL}, {"device", true, GB_PLUGIN_DEVICE, NULL},
    {"bench", true, 0, parse_bench},          {"ab", true, 0, parse_ab},
    {"search", true, GB_PLUGIN_SEARCH, NULL}};
enum { N_SECTION_KINDS = sizeof section_kinds / sizeof section_kinds[0] };

static void unknown_section(const struct parser *parser, const struct ini_section *section)
{
    struct settings *settings = parser->settings;
    ARENA_APPEND(parser->arena, settings->strange_names, settings->n_strange_names, section->name);
    const char *blank = *section->name ? " " : "";
    const char *nearest = text_nearest(TEXTS_OF(section_kinds, N_SECTION_KINDS, kind),
                                       section->kind);
    for (size_t i = 0; i < N_SECTION_KINDS && !nearest; i++) /* "benchmark" begins with a kind */
        nearest = text_starts_with(section->kind, section_kinds[i].kind) ? section_kinds[i].kind
                                                                         : NULL;
    if (nearest)
        error_list_add(parser->errors, section->origin,
                       "unknown section [%s%s%s]; \1did you mean [%s%s%s]?", section->kind, blank,
                       section->name, nearest, blank, section->name);
    else
        error_list_add(parser->errors, section->origin,
                       "unknown section [%s%s%s]: \1expected [gbrun], [defaults], [policy NAME], "
                       "[device NAME], [bench NAME], [search NAME] or [ab NAME]",
                       section->kind, blank, section->name);
}

static void parse_section(const struct parser *parser, const struct ini_section *section)
{
    const struct section_kind *kind = ITEM_NAMED(section_kinds, N_SECTION_KINDS, kind,
                                                 section->kind);
    if (!kind)
        unknown_section(parser, section);
    else if (!kind->has_name && *section->name)
        error_list_add(parser->errors, section->origin, "[%s %s]: \1expected [%s], without a name",
                       section->kind, section->name, section->kind);
    else if (kind->has_name && !*section->name)
        error_list_add(parser->errors, section->origin, "[%s] lacks a name: \1expected [%s NAME]",
                       section->kind, section->kind);
    else if (!is_section_name(section->name, !kind->plugin))
        error_list_add(parser->errors, section->origin,
                       "[%s %s]: a name has no blanks, quotes, commas%s or equals signs",
                       section->kind, section->name, kind->plugin ? ", colons" : "");
    else if (kind->plugin)
        parse_plugin_section(parser, section, kind->plugin);
    else
        kind->parse(parser, section);
}

/* ---- `benchmarks` of [gbrun] ---- */

static void no_such_benchmark(const struct parser *parser, const char *pattern,
                              struct origin origin)
{
    const char *nearest = bench_nearest(parser->settings, NULL, pattern);
    const char *otherwise = strpbrk(pattern, "*?[")
                                ? ": no name of a benchmark matches"
                                : ": \1expected the name of a benchmark of the configuration, or a "
                                  "pattern such as 'gemm*'";
    error_list_add(parser->errors, origin, "there is no [bench %s]%s%s%s", pattern,
                   DID_YOU_MEAN(nearest, otherwise));
}

/* Leaves out the benchmarks that `benchmarks` of [gbrun] does not name. */
static void select_benchmarks(const struct parser *parser)
{
    struct settings *settings = parser->settings;
    const struct ini_entry *entry = ini_entry_of(settings->run_section, "benchmarks");
    struct text_list patterns = {0};
    if (!entry || settings->n_benches == 0 ||
        text_split(entry->value, ',', entry->value_origin, parser->arena, &patterns, NULL) !=
            GB_OK ||
        patterns.n == 0)
        return; /* a text that is no list has been reported */
    for (size_t i = 0; i < settings->n_benches; i++)
        settings->benches[i].is_left_out = true;
    for (size_t i = 0; i < patterns.n; i++) {
        bool is_there = false;
        for (size_t j = 0; j < settings->n_benches; j++)
            if (fnmatch(patterns.items[i], settings->benches[j].name, 0) == 0) {
                settings->benches[j].is_left_out = false;
                is_there = true;
            }
        if (!is_there)
            no_such_benchmark(parser, patterns.items[i], patterns.origins[i]);
    }
}

/* ---- which plugins are named ---- */

static bool same_text(const char *a, const char *b)
{
    return a && b ? text_equal(a, b) : a == b;
}

static void add_request(const struct parser *parser, struct plugin_request request)
{
    struct settings *settings = parser->settings;
    if (!request.id && !request.path)
        return;
    for (size_t i = 0; i < settings->n_requests; i++) {
        const struct plugin_request *known = &settings->requests[i];
        if (known->kind == request.kind && same_text(known->id, request.id) &&
            same_text(known->path, request.path))
            return;
    }
    ARENA_APPEND(parser->arena, settings->requests, settings->n_requests, request);
}

/* A device or policy without a section is asked for by its plugin's id. Errors in the text are
 * reported when it is resolved. */
static void request_named(const struct parser *parser, uint32_t kind, const char *text,
                          struct origin origin)
{
    struct device_choice choice;
    if (kind == GB_PLUGIN_DEVICE &&
        (settings_device_split(text, origin, parser->arena, &text, &choice, NULL) != GB_OK ||
         text_equal(text, DEVICE_AUTO)))
        return;
    struct plugin_section *section = plugin_section_of(parser->settings, kind, text);
    if (section)
        section->is_named = true;
    else
        add_request(parser, (struct plugin_request){.kind = kind, .id = text, .origin = origin});
}

static void request_list(const struct parser *parser, uint32_t kind, const char *text,
                         struct origin origin, size_t first, size_t step)
{
    struct text_list list = {0};
    if (text_split(text, ',', origin, parser->arena, &list, NULL) == GB_OK)
        for (size_t i = first; i < list.n; i += step)
            request_named(parser, kind, list.items[i], list.origins[i]);
}

/* Plugins of a kind, by the key that has the kind's name. */
static void request_key(const struct parser *parser, const struct key *key, uint32_t kind)
{
    const char *target = plugin_kind_words(kind);
    const struct ini_entry *entry = key->entry;
    struct text_list rows = {0};
    const char *text;
    switch (key->role) {
    case KEY_SEARCH:
    case KEY_SET:
        if (text_equal(key->target, target) &&
            settings_entry_text(entry, parser->arena, &text, NULL) == GB_OK)
            request_named(parser, kind, text, entry->value_origin);
        break;
    case KEY_SWEEP:
        if (text_equal(key->target, target))
            request_list(parser, kind, entry->value, entry->value_origin, 0, 1);
        break;
    case KEY_ZIP:
        for (size_t i = 0; i < key->names.n; i++)
            if (text_equal(key->names.items[i], target) &&
                text_split(key->rows, '|', key->rows_origin, parser->arena, &rows, NULL) == GB_OK)
                for (size_t j = 0; j < rows.n; j++)
                    request_list(parser, kind, rows.items[j], rows.origins[j], i, key->names.n);
        break;
    default:
        break;
    }
}

static void request_by_key(const struct parser *parser, const struct key *key)
{
    static const uint32_t kinds[] = {GB_PLUGIN_DEVICE, GB_PLUGIN_POLICY, GB_PLUGIN_SEARCH};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        request_key(parser, key, kinds[i]);
}

static void collect_requests(const struct parser *parser)
{
    struct settings *settings = parser->settings;
    for (size_t i = 0; i < settings->n_plugin_sections; i++)
        add_request(parser, settings->plugin_sections[i].request);
    /* Names in [defaults] are looked up even if every benchmark overrides them. */
    for (size_t i = 0; i < settings->defaults.n; i++) {
        request_by_key(parser, &settings->defaults.items[i]);
    }
    for (size_t i = 0; i < settings->n_plugin_sections; i++)
        settings->plugin_sections[i].is_named = false; /* not so far by what is run */
    if (settings->devices_entry && !settings_auto_is_all(settings))
        request_list(parser, GB_PLUGIN_DEVICE, settings->devices_entry->value,
                     settings->devices_entry->value_origin, 0, 1);
    for (size_t i = 0; i < settings->n_benches; i++) {
        const struct bench_section *bench = &settings->benches[i];
        bool has_policy = false;
        if (bench->is_left_out)
            continue;
        add_request(parser, bench->request);
        for (size_t j = 0; j < bench->keys.n; j++) {
            const struct key *key = &bench->keys.items[j];
            request_by_key(parser, key);
            for (size_t k = 0; k < key_targets(key); k++)
                has_policy = has_policy || text_equal(key_target(key, k), "policy");
        }
        if (!has_policy)
            request_named(parser, GB_PLUGIN_POLICY, DEFAULT_POLICY, bench->origin);
    }
}

/* ---- all of it ---- */

static struct settings *settings_new(const struct ini *ini, const char *folder, struct arena *arena)
{
    struct settings *settings = ARENA_NEW(arena, struct settings);
    settings->arena = arena;
    settings->given = ini->settings;
    settings->n_given = ini->n_settings;
    settings->folder = arena_text(arena, folder);
    settings->benches = ARENA_ARRAY(arena, struct bench_section, ini->n);
    settings->plugin_sections = ARENA_ARRAY(arena, struct plugin_section, ini->n);
    option_fill(run_options(), NULL, 0, &settings->run, sizeof settings->run, arena, NULL);
    return settings;
}

int32_t settings_parse(const struct ini *ini, const char *folder, struct arena *arena,
                       struct settings **ret, struct error_list *errors)
{
    struct settings *settings = settings_new(ini, folder, arena);
    struct parser parser = {settings, arena, errors};
    size_t n_before = error_list_count(errors);
    for (size_t i = 0; i < ini->n; i++)
        parse_section(&parser, &ini->sections[i]);
    settings_complete(&parser);
    select_benchmarks(&parser);
    collect_requests(&parser);
    if (settings->n_benches == 0 && error_list_empty(errors))
        error_list_add(errors, (struct origin){.file = ini->path},
                       "there is nothing to run: \1expected at least one [bench NAME]");
    *ret = settings;
    return error_list_count(errors) == n_before ? GB_OK : GB_INVALID;
}

int32_t settings_parse_policies(const struct ini *ini, const char *folder, struct arena *arena,
                                struct settings **ret, struct error_list *errors)
{
    struct settings *settings = settings_new(ini, folder, arena);
    struct parser parser = {settings, arena, errors};
    size_t n_before = error_list_count(errors);
    for (size_t i = 0; i < ini->n; i++)
        if (text_equal(ini->sections[i].kind, "policy") ||
            text_equal(ini->sections[i].kind, "gbrun"))
            parse_section(&parser, &ini->sections[i]);
    settings->devices_entry = NULL; /* they need not be there */
    settings->n_given = 0;          /* what they have an effect on may be left out */
    collect_requests(&parser);
    *ret = settings;
    return error_list_count(errors) == n_before ? GB_OK : GB_INVALID;
}

const struct run_params *settings_run(const struct settings *settings)
{
    return &settings->run;
}

size_t settings_requests(const struct settings *settings, const struct plugin_request **ret)
{
    *ret = settings->requests;
    return settings->n_requests;
}
