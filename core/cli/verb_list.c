/* verb_list.c - gbrun list and gbrun check: what there is, before anything is run. */
#include "core/base/json_writer.h"
#include "core/base/plain_text.h"
#include "core/base/table.h"
#include "core/cli/help.h"
#include "core/cli/plan.h"
#include "core/cli/verbs.h"
#include "core/compare/compare.h"
#include "core/store/store_read.h"
#include "core/view/views.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const struct verb_option list_options[] = {
    CONFIG_OPTIONS,
    SELECT_OPTIONS,
    SHARD_OPTIONS,
    {"estimate", 0, "FILE",
     "with the time that each case will take, estimated from the runs in FILE"},
    {"format", 'f', "FORMAT", "table, csv, json or md"},
    {"device", 'd', "DEVICE",
     "counters of this device, such as cuda or cuda:1; of all devices if not given"},
    {"chip", 0, "NAME", "counters of this chip, such as GH100, even if this machine has none"},
};

static const struct verb_option check_options[] = {
    CONFIG_OPTIONS,
    SELECT_OPTIONS,
    SHARD_OPTIONS,
    SETTING_OPTIONS,
    {"print", 0, NULL,
     "print the settings in effect, and where each comes from, as a configuration"},
    {"format", 'f', "FORMAT", "text or json; with json, errors are part of the output"},
};

/* ---- tables, CSV and JSON ---- */

/* add: text_add_csv_name where all cells are gbrun's own words, text_add_csv otherwise. */
static void csv_line(const char *const *cells, size_t n,
                     void (*add)(struct text *text, const char *field, bool is_first))
{
    CLEANUP(text_free) struct text line = {0};
    for (size_t i = 0; i < n; i++)
        add(&line, cells[i], i == 0);
    printf("%s\r\n", text_get(&line));
}

/* Rows of texts, printed as they come (CSV; JSON: an array of objects) or at the end (tables),
 * before the notes. */
struct listing {
    const struct arguments *arguments;
    const char *word; /* what of the list is asked for; NULL: all */
    int format;
    const struct help_topic *columns;
    bool has_own_words; /* not those of files and configurations */
    bool has_begun;
    size_t n_rows;
    struct table table;
    struct text notes; /* for standard error */
};

/* Is it for programs? Then all is in rows. */
static bool is_data(const struct listing *listing)
{
    return listing->format == FORMAT_CSV || listing->format == FORMAT_JSON;
}

static void listing_begin(struct listing *listing)
{
    enum { COLUMNS_MOST = 9 };
    const struct help_topic *columns = listing->columns;
    const char *heads[COLUMNS_MOST];
    listing->has_begun = true;
    for (size_t i = 0; i < columns->n; i++) {
        heads[i] = columns->entries[i].name;
        table_column(&listing->table, heads[i], false);
    }
    if (listing->format == FORMAT_CSV)
        csv_line(heads, columns->n, text_add_csv_name);
}

static void print_object(struct listing *listing, const char *const *cells, size_t n)
{
    CLEANUP(text_free) struct text line = {0};
    struct json_writer json = {.out = &line};
    json_open(&json, NULL, JSON_OBJECT);
    for (size_t i = 0; i < n; i++)
        json_text(&json, listing->columns->entries[i].name, cells[i]);
    json_close(&json, JSON_OBJECT);
    printf("%s\n%s", listing->n_rows++ ? "," : "[", text_get(&line));
}

static void listing_row(struct listing *listing, const char *const *cells, size_t n)
{
    if (listing->format == FORMAT_CSV) {
        csv_line(cells, n, listing->has_own_words ? text_add_csv_name : text_add_csv);
        return;
    }
    if (listing->format == FORMAT_JSON) {
        print_object(listing, cells, n);
        return;
    }
    table_row(&listing->table);
    for (size_t i = 0; i < n; i++)
        table_cell(&listing->table, cells[i]);
}

static void listing_end(struct listing *listing)
{
    CLEANUP(text_free) struct text text = {0};
    if (listing->format == FORMAT_JSON && listing->has_begun)
        fputs(listing->n_rows ? "\n]\n" : "[]\n", stdout);
    if (!is_data(listing) && listing->table.n_columns)
        table_write(&listing->table,
                    listing->format == FORMAT_MARKDOWN ? TABLE_MARKDOWN : TABLE_PLAIN, &text);
    fputs(text_get(&text), stdout);
    if (listing->notes.length)
        fputs(make_plain(listing->notes.data), stderr);
    text_free(&listing->notes);
    table_free(&listing->table);
}

/* ---- list ---- */

static const struct help_entry case_columns[] = {
    {"case", "", "Number of the case in the sweep, from 1"},
    {"bench", "", "Name of the [bench NAME] section"},
    {"label", "", "The section's name and the axes"},
    {"policy", "", "Name of the policy"},
    {"device", "", "The device as requested"},
};
static const struct help_entry plugin_columns[] = {
    {"kind", "", "benchmark, policy, device or search"},
    {"id", "", "Name of the plugin in configurations"},
    {"version", "", "Its version"},
    {"summary", "", "What it does"},
    {"module", "", "The file that it was found in"},
};
static const struct help_entry device_columns[] = {
    {"device", "", "Name and number, as `device = ` takes it"},
    {"model", "", "Model"},
    {"units", "", "Multiprocessors or processors"},
    {"memory", "", "Its memory"},
    {"uuid", "", "UUID; empty if it has none"},
};
static const struct help_entry run_columns[] = {
    {"run", "", "Number of the run, from 1 by start, as `--run` takes it"},
    {"started", "", "When it began, UTC"},
    {"host", "", "Name of the machine"},
    {"device", "", "Models of its devices"},
    {"cases", "", "Cases that have ended, each round counted, of how many"},
    {"status", "", "ok; how many failed; not finished: it is running, or was killed"},
    {"labels", "", "NAME=TEXT of its labels and of the commit, `+` after one with changes"},
    {"note", "", "What --note gave it"},
    {"shard", "", "I/N: which part of a sweep, see `run --shard`; empty: all of it"},
};
static const struct help_entry counter_columns[] = {
    {"counter", "", "Name, as `counters = ` takes it"},
    {"unit", "", "Unit of its values"},
    {"device", "", "The device that has it"},
    {"description", "", "What it counts"},
};
static const struct help_entry keyword_columns[] = {
    {"keyword", "", "A word that `gbrun help` explains"},
    {"topic", "", "What `gbrun help TOPIC KEYWORD` takes before it"},
    {"of", "", "The topic in words"},
    {"unit", "", "Unit of the values; of an option of a verb, what follows it"},
    {"meaning", "", "What it means"},
};

enum list_columns {
    OF_CASES,
    OF_PLUGINS,
    OF_DEVICES,
    OF_COUNTERS,
    OF_RUNS,
    OF_KEYWORDS,
    N_LIST_COLUMNS
};
#define COLUMNS(list, columns)                                                                     \
    {                                                                                              \
        .name = "columns", .title = "columns of list " list, .words = "", .entries = columns,      \
        .n = sizeof columns / sizeof *columns                                                      \
    }
static const struct help_topic list_columns[N_LIST_COLUMNS] = {
    [OF_CASES] = COLUMNS("cases", case_columns),
    [OF_PLUGINS] = COLUMNS("plugins", plugin_columns),
    [OF_DEVICES] = COLUMNS("devices", device_columns),
    [OF_COUNTERS] = COLUMNS("counters", counter_columns),
    [OF_RUNS] = COLUMNS("runs", run_columns),
    [OF_KEYWORDS] = COLUMNS("keywords, verbs and columns", keyword_columns)};

/* A case as it is made, since a sweep may be long: into the plan, or, where that is NULL, a line.
 */
static int32_t list_case(struct sweep *sweep, uint64_t i, struct plan *plan,
                         struct listing *listing, struct gb_error *error)
{
    CLEANUP(arena_free) struct arena arena = {0};
    CLEANUP(text_free) struct text label = {0}, device = {0};
    struct bench_case bench_case;
    int32_t status = sweep_case(sweep, i, &arena, &bench_case, error);
    if (status != GB_OK)
        return status;
    bench_case_label(&bench_case, &label);
    device_choice_text(&bench_case.device, &device);
    const char *cells[] = {arena_printf(&arena, "%llu", (unsigned long long)i + 1),
                           bench_case.bench, text_get(&label), bench_case.policy->name,
                           text_get(&device)};
    if (plan)
        plan_add(plan, &bench_case, text_get(&label), text_get(&device), NULL, "");
    else if (is_data(listing))
        listing_row(listing, cells, sizeof cells / sizeof *cells);
    else
        printf("%s\n", text_get(&label));
    return GB_OK;
}

/* With what earlier runs took; no device is opened, so whichever the file has counts. */
static int list_estimates(struct sweep *sweep, const char *path, struct listing *listing)
{
    CLEANUP(plan_free) struct plan plan = {0};
    CLEANUP(text_free) struct text text = {0};
    struct gb_error error;
    if (plan_read(&plan, path, &error) != GB_OK)
        return fail_with(&error, EXIT_USAGE);
    for (uint64_t i = 0; i < sweep_size(sweep); i++)
        if (list_case(sweep, i, &plan, listing, &error) != GB_OK)
            return fail_with(&error, EXIT_INTERNAL);
    plan_write(&plan, listing->format, &text);
    fputs(make_plain(text.data), stdout);
    plan_summary(&plan, 1, &listing->notes);
    return EXIT_FINE;
}

static int list_cases(struct listing *listing)
{
    const struct arguments *arguments = listing->arguments;
    CLEANUP(configuration_free) struct configuration configuration;
    struct gb_error error;
    int code = configuration_read(arguments, (struct configuration_source){.first_operand = 1},
                                  &configuration);
    if (code != EXIT_FINE)
        return code;
    if (argument(arguments, "estimate") && listing->format == FORMAT_JSON)
        return fail_usage("--format json: expected table, csv or md with --estimate");
    if (argument(arguments, "estimate"))
        return list_estimates(configuration.sweep, argument(arguments, "estimate"), listing);
    uint64_t n = sweep_size(configuration.sweep);
    if (is_data(listing))
        listing_begin(listing);
    for (uint64_t i = 0; i < n; i++)
        if (list_case(configuration.sweep, i, NULL, listing, &error) != GB_OK)
            return fail_with(&error, EXIT_INTERNAL);
    if (!is_data(listing))
        text_printf(&listing->notes, "%llu case%s\n", (unsigned long long)n, n == 1 ? "" : "s");
    return EXIT_FINE;
}

static int list_plugins(struct listing *listing)
{
    CLEANUP(arena_free) struct arena arena = {0};
    struct catalogue catalogue;
    int code = catalogue_read(listing->arguments, &arena, &catalogue);
    listing_begin(listing);
    for (size_t i = 0; i < catalogue.n_plugins && code == EXIT_FINE; i++) {
        const struct plugin_info *info = &catalogue.plugins[i];
        const char *cells[] = {plugin_kind_words(info->plugin.kind), info->plugin.id,
                               info->plugin.version, info->plugin.summary, info->path};
        listing_row(listing, cells, 5);
    }
    for (size_t i = 0; i < catalogue.n_failures; i++)
        text_printf(&listing->notes, "%s: cannot be used: %s\n", catalogue.failures[i].path,
                    catalogue.failures[i].reason);
    if (catalogue.n_plugins == 0)
        for (size_t i = 0; i < catalogue.folders.n; i++)
            text_printf(&listing->notes, "no plugins in %s\n", catalogue.folders.items[i]);
    return code;
}

/* The devices of a configuration, or of every device plugin with its defaults. */
static int list_devices(struct listing *listing)
{
    CLEANUP(configuration_free) struct configuration configuration;
    const struct plugin_settings *settings = NULL;
    struct device_list devices = {0};
    struct gb_error error;
    size_t n, n_auto;
    int code = device_settings_read(listing->arguments, &configuration, &settings, &n, &n_auto);
    if (code == EXIT_FINE && devices_find(settings, n, n_auto, false, &configuration.arena,
                                          &devices, NULL, &error) != GB_OK)
        code = fail_with(&error, EXIT_INTERNAL);
    listing_begin(listing);
    for (size_t i = 0; i < devices.n; i++) {
        const struct known_device *device = &devices.items[i];
        char memory[NUMBER_TEXT_MAX];
        const char *cells[] = {
            arena_printf(&configuration.arena, "%s:%u", device->settings->name, device->info.index),
            device->info.model, arena_printf(&configuration.arena, "%u", device->info.n_units),
            format_bytes((double)device->info.memory_bytes, memory), device->info.uuid};
        listing_row(listing, cells, 5);
    }
    for (size_t i = 0; i < devices.n_absent; i++)
        text_printf(&listing->notes, "%s: absent: %s\n", devices.absent[i].settings->name,
                    devices.absent[i].reason);
    return code;
}

/* ---- counters ---- */

/* "cuda:1" is index 1 of cuda. False: it is not this device plugin. */
static bool device_is_meant(const char *device, const char *name, uint32_t *ret_index)
{
    const size_t length = strlen(name);
    *ret_index = 0;
    if (!device)
        return true;
    if (strncmp(device, name, length) != 0)
        return false;
    if (!device[length])
        return true;
    char *end = NULL;
    const unsigned long index = strtoul(device + length + 1, &end, 10);
    *ret_index = (uint32_t)index;
    return device[length] == ':' && device[length + 1] >= '0' && device[length + 1] <= '9' &&
           !*end && index < UINT32_MAX;
}

/* What was found of all devices asked. */
struct found {
    size_t n_known, n_shown;
    struct text reasons; /* why some have none */
};

static int list_counters_of(const struct plugin_settings *device, uint32_t index,
                            struct arena *arena, struct listing *listing, struct found *found)
{
    const char *pattern = listing->word;
    struct counter_list counters;
    struct gb_error error;
    if (counters_find(device, index, argument(listing->arguments, "chip"), pattern, arena,
                      &counters, &error) != GB_OK)
        return fail_with(&error, EXIT_INTERNAL);
    for (size_t i = 0; i < counters.n; i++) {
        const struct gb_counter *counter = &counters.items[i];
        const char *cells[] = {counter->name, counter->unit, device->name, counter->help};
        if (pattern && !strcasestr(counter->name, pattern) && !strcasestr(counter->help, pattern))
            continue;
        listing_row(listing, cells, 4);
        found->n_shown++;
    }
    found->n_known += counters.n;
    if (*counters.reason)
        text_printf(&found->reasons, "%s: no counters: %s\n", device->name, counters.reason);
    return EXIT_FINE;
}

static int list_counters(struct listing *listing)
{
    const struct arguments *arguments = listing->arguments;
    CLEANUP(configuration_free) struct configuration configuration;
    const struct plugin_settings *settings = NULL;
    const char *device = argument(arguments, "device");
    size_t n, n_auto, n_meant = 0;
    struct found found = {0};
    int code = device_settings_read(arguments, &configuration, &settings, &n, &n_auto);
    listing_begin(listing);
    for (size_t i = 0; i < n && code == EXIT_FINE; i++) {
        uint32_t index;
        if (!device_is_meant(device, settings[i].name, &index))
            continue;
        n_meant++;
        code = list_counters_of(&settings[i], index, &configuration.arena, listing, &found);
    }
    /* A chip belongs to one device plugin: that others do not know it says nothing. */
    if (!argument(arguments, "chip") || device || found.n_known == 0)
        text_add(&listing->notes, text_get(&found.reasons));
    if (code == EXIT_FINE && device && n_meant == 0)
        code = fail_usage("--device %s: there is no such device; `gbrun list devices` names them",
                          device);
    else if (code == EXIT_FINE && found.n_known > 0 && found.n_shown == 0)
        text_printf(&listing->notes, "no counter has '%s' in its name or description\n",
                    listing->word);
    text_free(&found.reasons);
    return code;
}

/* ---- runs ---- */

/* "commit=1a2b3c4d5e6f+ branch=main" */
static const char *labels_of(const struct run_record *run, struct arena *arena)
{
    static const char prefix[] = "label.";
    enum { COMMIT_SHOWN = 12 };
    CLEANUP(text_free) struct text words = {0};
    const char *commit = FACT(run, "commit");
    bool is_dirty = text_equal(FACT(run, "commit_dirty"), "yes");
    if (*commit && !*FACT(run, "label.commit"))
        text_printf(&words, "commit=%.*s%s", COMMIT_SHOWN, commit, is_dirty ? "+" : "");
    for (size_t i = 0; i < run->n_facts; i++)
        if (text_starts_with(run->facts[i].name, prefix))
            text_printf(&words, "%s%s=%s", words.length ? " " : "",
                        run->facts[i].name + sizeof prefix - 1, run->facts[i].value);
    return arena_text(arena, text_get(&words));
}

/* Each once. */
static const char *models_of(const struct stored_devices *devices, struct arena *arena)
{
    CLEANUP(text_free) struct text words = {0};
    for (size_t i = 0; i < devices->n; i++) {
        const char *model = devices->items[i].record.model;
        if (text_index(TEXTS_OF(devices->items, i, record.model), model) == i)
            text_printf(&words, "%s%s", words.length ? ", " : "", model);
    }
    return arena_text(arena, text_get(&words));
}

static int32_t list_run(struct store *store, const struct stored_run *run, struct listing *listing,
                        struct gb_error *error)
{
    enum { SECONDS = 19 };
    CLEANUP(arena_free) struct arena arena = {0};
    struct stored_devices devices = {0};
    const struct run_record *record = &run->record;
    struct case_counts counts = {0};
    int32_t status = store_devices(store, run->id, &arena, &devices, error);
    if (status == GB_OK)
        status = store_case_counts(store, run->id, &counts, error);
    if (status != GB_OK)
        return status;
    char *started = arena_text_n(&arena, record->started, strnlen(record->started, SECONDS));
    char *between = strchr(started, 'T');
    if (between)
        *between = ' ';
    /* How many it would need was not known. */
    bool is_of_ab = *FACT(record, AB_FACT_ROUNDS);
    const char *cells[] = {
        arena_printf(&arena, "%lld", (long long)run->number),
        started,
        FACT(record, "host"),
        models_of(&devices, &arena),
        is_of_ab ? arena_printf(&arena, "%lld", (long long)counts.done)
                 : arena_printf(&arena, "%lld of %llu", (long long)counts.done,
                                (unsigned long long)record->n_cases),
        counts.bad ? arena_printf(&arena, "%lld failed", (long long)counts.bad)
        : run->has_ended && counts.done > 0 && counts.done == counts.skipped ? "all skipped"
        : run->has_ended                                                     ? "ok"
                                                                             : "not finished",
        labels_of(record, &arena),
        FACT(record, "note"),
        FACT(record, SHARD_FACT_SHARD),
    };
    listing_row(listing, cells, sizeof cells / sizeof *cells);
    return GB_OK;
}

static int list_runs(struct listing *listing)
{
    CLEANUP(arena_free) struct arena arena = {0};
    CLEANUP(store_leave) struct store *store = NULL;
    struct stored_run *runs = NULL;
    struct gb_error error;
    size_t n = 0;
    if (store_open(listing->word, STORE_READ, &store, &error) != GB_OK)
        return fail_with(&error, EXIT_USAGE);
    int32_t status = store_runs(store, RUN_ALL, &arena, &runs, &n, &error);
    listing_begin(listing);
    for (size_t i = 0; status == GB_OK && i < n; i++)
        status = list_run(store, &runs[i], listing, &error);
    return status == GB_OK ? EXIT_FINE : fail_with(&error, EXIT_USAGE);
}

static int list_topics(struct listing *listing)
{
    const char *topic = listing->word;
    CLEANUP(arena_free) struct arena arena = {0};
    struct help_topics topics;
    size_t n = 0;
    int code = help_topics_read(listing->arguments, &arena, &topics);
    listing_begin(listing);
    for (size_t i = 0; i < topics.n; i++) {
        const struct help_topic *at = &topics.items[i];
        bool is_asked = !topic || text_equal(at->name, topic);
        n += is_asked;
        for (size_t j = 0; is_asked && j < at->n; j++) {
            const struct help_entry *entry = &at->entries[j];
            const char *cells[] = {entry->name, at->name, at->title, entry->unit ? entry->unit : "",
                                   entry->help};
            listing_row(listing, cells, sizeof cells / sizeof *cells);
        }
    }
    if (code == EXIT_FINE && n == 0)
        code = fail_usage("list keywords: unknown topic '%s': `gbrun help` names the topics",
                          topic);
    return code;
}

static const struct list {
    const char *name;
    int (*list)(struct listing *listing);
    enum list_columns columns;
    size_t n_more;    /* operands that may follow: SIZE_MAX, any number */
    const char *word; /* what is asked for where none follows; NULL */
} lists[] = {
    {"cases", list_cases, OF_CASES, SIZE_MAX, NULL},
    {"plugins", list_plugins, OF_PLUGINS, 0, NULL},
    {"devices", list_devices, OF_DEVICES, 0, NULL},
    {"counters", list_counters, OF_COUNTERS, 1, NULL},
    {"runs", list_runs, OF_RUNS, 1, "results.gbr"},
    {"verbs", list_topics, OF_KEYWORDS, 0, "verbs"},
    {"columns", list_topics, OF_KEYWORDS, 0, "columns"},
    {"keywords", list_topics, OF_KEYWORDS, 1, NULL},
};
enum { N_LISTS = sizeof lists / sizeof *lists };

static int run_list(const struct arguments *arguments)
{
    const struct words words = arguments->operands;
    const char *format_text = argument(arguments, "format");
    int format = format_text ? format_named(format_text) : FORMAT_TABLE;
    if (format != FORMAT_TABLE && format != FORMAT_CSV && format != FORMAT_JSON &&
        format != FORMAT_MARKDOWN)
        return fail_usage("--format %s: expected table, csv, json or md", format_text);
    const char *what = words.n ? words.items[0] : "cases";
    const struct list *list = ITEM_NAMED(lists, N_LISTS, name, what);
    const char *nearest = text_nearest(TEXTS_OF(lists, N_LISTS, name), what);
    if (!list)
        return fail_usage("list %s: expected cases, plugins, devices, counters, runs, verbs, "
                          "columns or keywords%s%s%s",
                          what, DID_YOU_MEAN(nearest, ""));
    if (words.n > 1 && words.n - 1 > list->n_more)
        return fail_usage("list %s: '%s' is not understood: expected nothing after %s", what,
                          words.items[list->n_more + 1], words.items[list->n_more]);
    struct listing listing = {.arguments = arguments,
                              .word = words.n > 1 ? words.items[1] : list->word,
                              .format = format,
                              .has_own_words = list->columns == OF_KEYWORDS,
                              .columns = &list_columns[list->columns]};
    int code = list->list(&listing);
    listing_end(&listing);
    return code;
}

const struct verb verb_list = {
    .name = "list",
    .operands = "[cases|plugins|devices|counters|runs|verbs|columns|keywords [WORD...]]",
    .summary =
        "List cases of a configuration, plugins, devices, counters, runs of a file, or words",
    .help = "Opens no device. Cases need -c; WORD, --where and --sample select cases as in `gbrun "
            "run`; without a configuration the devices are those of all device plugins with their "
            "default settings. Modules that cannot be used are named with the reason. Counters are "
            "those with WORD in name or description; where WORD is the name of one, with or "
            "without its form (.sum, .avg ...), all of its forms are listed. Runs are those of the "
            "file WORD, results.gbr if it is not given, with their labels. Keywords are all words "
            "that `gbrun help` explains, or those of the topic WORD. As JSON each is an array of "
            "objects whose members are the columns of CSV, all of them texts.",
    VERB_OPTIONS(list_options),
    .run = run_list,
    .columns = list_columns,
    .n_columns = N_LIST_COLUMNS,
};

/* ---- check ---- */

/* From 1; null: not known. */
static void add_place(struct json_writer *json, const char *name, uint32_t place)
{
    if (place)
        json_integer(json, name, place);
    else
        json_text(json, name, NULL);
}

static void add_error(const struct gb_error *error, struct json_writer *json)
{
    json_row(json);
    json_text(json, "file", error->origin.file);
    add_place(json, "line", error->origin.line);
    add_place(json, "column", error->origin.column);
    json_values(json, VALUES(TEXT("message", error->text), TEXT("hint", error_hint(error))));
    json_close(json, JSON_OBJECT);
}

static void add_parts(struct sweep *sweep, struct json_writer *json)
{
    json_open(json, "benchmarks", JSON_ARRAY);
    for (size_t i = 0; sweep && i < sweep_parts(sweep); i++) {
        const struct sweep_part part = sweep_part(sweep, i);
        json_object(json, NULL, VALUES(TEXT("name", part.name), INTEGER("n_cases", part.n)));
    }
    json_close(json, JSON_ARRAY);
}

static int check_as_json(const struct arguments *arguments)
{
    CLEANUP(configuration_free) struct configuration configuration;
    CLEANUP(text_free) struct text text = {0};
    struct json_writer json = {.out = &text};
    struct error_list errors = {0};
    int code = configuration_read_quietly(arguments, (struct configuration_source){0},
                                          &configuration, &errors);
    struct sweep *sweep = code == EXIT_FINE ? configuration.sweep : NULL;
    if (!configuration.path) /* nothing to check was named, which has been said */
        return code;
    json_open(&json, NULL, JSON_OBJECT);
    json_values(&json,
                VALUES(TEXT("format", "gbrun check 1"), TEXT("configuration", configuration.path),
                       BOOL("is_ok", code == EXIT_FINE),
                       INTEGER("n_cases", sweep ? sweep_size(sweep) : 0)));
    add_parts(sweep, &json);
    json_integer(&json, "n_errors", (int64_t)error_list_count(&errors));
    json_open(&json, "errors", JSON_ARRAY);
    for (size_t i = 0; i < errors.n; i++)
        add_error(&errors.items[i], &json);
    json_close(&json, JSON_ARRAY);
    json_close(&json, JSON_OBJECT);
    text_add(&text, "\n");
    fputs(text_get(&text), stdout);
    error_list_free(&errors);
    return code;
}

static int run_check(const struct arguments *arguments)
{
    const char *format = argument(arguments, "format");
    const bool is_json = format && text_equal(format, "json");
    if (format && !is_json && !text_equal(format, "text"))
        return fail_usage("--format %s: expected text or json", format);
    if (is_json && argument(arguments, "print"))
        return fail_usage("--print prints a configuration: expected no --format json with it");
    if (is_json)
        return check_as_json(arguments);
    CLEANUP(configuration_free) struct configuration configuration;
    CLEANUP(text_free) struct text text = {0};
    int code = configuration_read(arguments, (struct configuration_source){0}, &configuration);
    if (code == EXIT_FINE && argument(arguments, "print")) {
        settings_print(configuration.settings, &text);
    } else if (code == EXIT_FINE) {
        uint64_t n = sweep_size(configuration.sweep);
        text_printf(&text, "%s: ok, %llu case%s\n", configuration.path, (unsigned long long)n,
                    n == 1 ? "" : "s");
    }
    if (text.length)
        fputs(make_plain(text.data), stdout);
    return code;
}

const struct verb verb_check = {
    .name = "check",
    .operands = "[NAME...]",
    .summary = "Check a configuration and report all errors in it",
    .help = "Reads the configuration, checks every value through the option tables of the plugins "
            "and expands the sweeps. All errors are reported at once with file, line and column; "
            "nothing is run. Exit code 2 if there are errors.",
    VERB_OPTIONS(check_options),
    .run = run_check,
};
