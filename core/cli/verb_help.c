/* verb_help.c - gbrun help: the topics of help.h, from the tables of verbs, options, columns and
 * plugins; and what is asked for among them. */
#include "core/cli/help.h"

#include "core/base/json_writer.h"
#include "core/base/table.h"
#include "core/cli/verbs.h"
#include "core/config/search_settings.h"
#include "core/replay/replay.h"
#include "core/view/exchange.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

static struct help_topic *add(struct help_topics *topics, struct arena *arena,
                              struct help_topic topic)
{
    struct help_topic *added = ARENA_ADD(arena, topics->items, topics->n);
    *added = topic;
    return added;
}

static void add_verbs(struct verb_table verbs, struct help_topics *topics, struct arena *arena)
{
    struct help_entry *all = ARENA_ARRAY(arena, struct help_entry, verbs.n);
    for (size_t i = 0; i < verbs.n; i++) {
        const struct verb *verb = verbs.items[i];
        struct help_entry *options = ARENA_ARRAY(arena, struct help_entry, verb->n_options + 1);
        all[i] = (struct help_entry){verb->name, NULL, verb->summary};
        for (size_t j = 0; j < verb->n_options; j++)
            options[j] = (struct help_entry){arena_printf(arena, "--%s", verb->options[j].name),
                                             verb->options[j].argument, verb->options[j].help};
        add(topics, arena,
            (struct help_topic){.name = verb->name,
                                .title = arena_printf(arena, "verb %s", verb->name),
                                .words = "",
                                .entries = options,
                                .n = verb->n_options,
                                .verb = verb});
    }
    add(topics, arena,
        (struct help_topic){
            .name = "verbs", .title = "verbs", .words = "", .entries = all, .n = verbs.n});
}

static struct help_topic *add_options(struct help_topics *topics, struct arena *arena,
                                      const char *name, const char *title, const char *words,
                                      struct option_table options)
{
    struct help_entry *entries = ARENA_ARRAY(arena, struct help_entry, options.n + 1);
    for (uint32_t i = 0; i < options.n; i++) {
        struct gb_option option = option_entry(options, i);
        entries[i] = (struct help_entry){option.name, option.unit, option.help};
    }
    return add(topics, arena,
               (struct help_topic){.name = name,
                                   .title = title,
                                   .words = words,
                                   .entries = entries,
                                   .n = options.n,
                                   .options = options});
}

/* Columns have units, other words have none. */
static void add_columns(struct help_topics *topics, struct arena *arena, const char *name,
                        const char *title, const char *words,
                        bool (*column)(size_t i, struct help_entry *ret))
{
    struct help_topic topic = {.name = name, .title = title, .words = words};
    struct help_entry entry, *entries = NULL;
    for (; column(topic.n, &entry); ARENA_APPEND(arena, entries, topic.n, entry))
        entry.unit = text_equal(name, "columns") ? entry.unit : NULL;
    topic.entries = entries;
    add(topics, arena, topic);
}

static void add_all_columns(struct verb_table verbs, struct help_topics *topics,
                            struct arena *arena)
{
    add_columns(
        topics, arena, "columns", "columns of cases",
        "Of gbrun export with --rows case or combined, and names for --where, --columns, --sort, "
        "--group-by and --pivot of show and export. Parameters of the case and metrics that "
        "plugins report (metric.NAME) are columns, too. Times are of one iteration; rates are over "
        "the policy's estimate of the median, or else the median of the samples.",
        result_column_help);
    add_columns(topics, arena, "columns", "columns of samples",
                "Of gbrun export with --rows sample, after run, run_uuid, bench, plugin, the "
                "options that are swept or differ among the cases, device, device_model, policy, "
                "round, status, clock, uuid and uid. --columns LIST takes their place. What else "
                "is known of a case joins by its uuid.",
                sample_column_help);
    add_columns(topics, arena, "columns", "columns of groups",
                "--columns of show and export with --group-by LIST: a row for each group of cases "
                "with equal values of the columns in LIST, over all selected runs.",
                aggregate_column_help);
    add_columns(topics, arena, "columns", "columns of replays", "Of gbrun replay as CSV and JSON.",
                replay_column_help);
    add(topics, arena, help_texts[n_help_texts - 1]); /* belongs to the columns */
    for (size_t i = 0; i < verbs.n; i++)
        for (size_t j = 0; j < verbs.items[i]->n_columns; j++)
            add(topics, arena, verbs.items[i]->columns[j]);
    add_columns(topics, arena, "tables",
                "headings of tables, and the columns of exports they stand for", "",
                table_head_help);
    add_columns(topics, arena, "formats", "formats of other tools",
                "Of gbrun export --format. Values are medians of rounds, with --rows combined of "
                "cases, with --rows sample all samples. Tools that test significance take each "
                "value for a repetition, which samples of one process are not. Cases that failed "
                "are left out where a format cannot hold them.",
                exchange_help);
}

/* Topics without a plugin. */
static void find_topics(struct verb_table verbs, struct arena *arena, struct help_topics *ret)
{
    *ret = (struct help_topics){0};
    add_verbs(verbs, ret, arena);
    add_options(ret, arena, "gbrun", "section [gbrun]", "Keys of the section [gbrun]: the run.",
                run_options());
    add_options(ret, arena, "bench", "keys of every benchmark",
                "Keys that every [bench NAME] and [defaults] has beside a benchmark's own options "
                "and those of `gbrun help keys`.",
                common_options());
    add_options(ret, arena, "sides", "section [ab NAME]",
                "Keys of a section [ab NAME]: two sides that `gbrun ab NAME` compares.",
                ab_options());
    add_options(ret, arena, "searches", "keys of every search",
                "Keys that every [search NAME] has beside a plugin's own options.",
                search_options());
    for (size_t i = 0; i + 1 < n_help_texts; i++)
        add(ret, arena, help_texts[i]);
    add_all_columns(verbs, ret, arena);
}

/* Its help, and what its flags mean for a configuration. */
static const char *words_of(const struct plugin_info *info, struct arena *arena)
{
    const char *own = info->plugin.help ? info->plugin.help : "";
    if (info->plugin.kind != GB_PLUGIN_BENCH || !(info->flags & GB_BENCH_SINGLE))
        return own;
    return arena_printf(arena,
                        "%s%sA sample is one iteration (GB_BENCH_SINGLE), even where the clock "
                        "is too coarse: `iterations` stays 1.",
                        own, *own ? "\n\n" : "");
}

static void add_plugins(const struct catalogue *catalogue, struct arena *arena,
                        struct help_topics *topics)
{
    for (size_t i = 0; i < catalogue->n_plugins; i++) {
        const struct plugin_info *info = &catalogue->plugins[i];
        const struct gb_plugin *plugin = &info->plugin;
        const char *title = arena_printf(arena, "%s %s", plugin_kind_words(plugin->kind),
                                         plugin->id);
        add_options(topics, arena, plugin->id, title, words_of(info, arena),
                    option_table_of(plugin))
            ->plugin = info;
    }
}

/* The topic "topics", of all that there are by now. */
static void add_index(struct arena *arena, struct help_topics *topics)
{
    struct help_entry *entries = ARENA_ARRAY(arena, struct help_entry, topics->n);
    size_t n = 0;
    for (size_t i = 0; i < topics->n; i++) {
        const struct help_topic *topic = &topics->items[i];
        if (n == 0 || !text_equal(entries[n - 1].name, topic->name))
            entries[n++] = (struct help_entry){topic->name, NULL, topic->title};
    }
    add(topics, arena,
        (struct help_topic){.name = "topics",
                            .title = "topics of gbrun help",
                            .words = "",
                            .entries = entries,
                            .n = n});
}

int help_topics_read(const struct arguments *arguments, struct arena *arena,
                     struct help_topics *ret)
{
    struct catalogue catalogue;
    int code = catalogue_read(arguments, arena, &catalogue);
    find_topics(arguments->verbs, arena, ret);
    if (code == EXIT_FINE)
        add_plugins(&catalogue, arena, ret);
    add_index(arena, ret);
    return code;
}

/* Is the entry meant by a word? Its name, or the part of it before a placeholder: "sweep" and
 * "sweep.rows" for sweep.KEY, "policy" for [policy NAME]. */
static bool entry_is(const struct help_entry *entry, const char *word)
{
    const char *name = entry->name + (*entry->name == '[');
    size_t n = strcspn(name, ".( ]");
    bool has_placeholder = name[n] && (isupper((unsigned char)name[n + 1]) || name[n] == ']');
    bool is_before = has_placeholder && strncmp(name, word, n) == 0;
    return text_equal(entry->name, word) || (is_before && (!word[n] || word[n] == '.'));
}

/* ---- as text ---- */

static void write_entry(const struct help_entry *entry, int style, size_t width, struct text *out)
{
    enum { INDENT = 6 };
    bool has_unit = entry->unit && *entry->unit;
    if (style == HELP_ROFF) {
        text_add(out, ".TP\n\\fB");
        help_add_roff(entry->name, out);
        text_printf(out, "\\fR%s%s%s\n", has_unit ? " (" : "", has_unit ? entry->unit : "",
                    has_unit ? ")" : "");
        help_add_roff(entry->help, out);
        text_add(out, ".\n");
        return;
    }
    text_printf(out, "  %s%s%s%s\n%*s", entry->name, has_unit ? " (" : "",
                has_unit ? entry->unit : "", has_unit ? ")" : "", INDENT, "");
    text_add_wrapped(out, entry->help, INDENT, INDENT, width);
    text_add(out, "\n");
}

static void write_markdown(const struct help_topic *topic, struct text *out)
{
    CLEANUP(table_free) struct table table = {0};
    bool has_units = topic->n && topic->entries->unit;
    table_column(&table, has_units ? "column" : "word", false);
    if (has_units)
        table_columns(&table, "unit|meaning");
    for (size_t i = 0; i < topic->n; i++) {
        table_row(&table);
        table_cell_printf(&table, "`%s`", topic->entries[i].name);
        if (has_units)
            table_cell(&table, topic->entries[i].unit);
        table_cell(&table, topic->entries[i].help);
    }
    table_write(&table, TABLE_MARKDOWN, out);
}

static void write_plain_head(const struct help_topic *topic, size_t width, struct text *out)
{
    const struct gb_plugin *plugin = topic->plugin ? &topic->plugin->plugin : NULL;
    text_add(out, topic->title);
    if (plugin) {
        text_printf(out, ", version %s\n", plugin->version);
        text_add_wrapped(out, plugin->summary, 0, 0, width);
        text_add(out, ".");
    }
    text_add(out, "\n");
    if (*topic->words) {
        text_add(out, "\n");
        text_add_wrapped(out, topic->words, 0, 0, width);
        text_add(out, "\n");
    }
    if (plugin && plugin->devices)
        text_printf(out, "\nruns on: %s\n", plugin->devices);
    if (plugin)
        text_printf(out, "module: %s\n", topic->plugin->path);
    if (topic->n)
        text_add(out, plugin ? "\noptions:\n" : "\n");
}

static void write_words(const struct help_topic *topic, int style, struct text *out)
{
    if (style == HELP_ROFF)
        help_add_roff(topic->words, out);
    else
        text_add_wrapped(out, topic->words, 0, 0, HELP_COLUMNS);
    text_add(out, style == HELP_ROFF ? "\n" : "\n\n");
}

/* style: HELP_... of option_table.h; width: of plain help. */
static void write_topic(const struct help_topic *topic, int style, size_t width, struct text *out)
{
    if (topic->verb) {
        verb_help(topic->verb, style, width, out);
        return;
    }
    if (style == HELP_PLAIN)
        write_plain_head(topic, width, out);
    else if (!topic->options.n && *topic->words)
        write_words(topic, style, out);
    if (topic->options.n)
        option_table_help(topic->options, style, width, out);
    else if (style == HELP_MARKDOWN && topic->n)
        write_markdown(topic, out);
    else
        for (size_t i = 0; i < topic->n; i++)
            write_entry(&topic->entries[i], style, width, out);
}

/* One entry with its topic's title; plain. */
static void write_titled(const struct help_topic *topic, size_t i, size_t width, struct text *out)
{
    text_printf(out, "%s: %s\n", topic->title, topic->entries[i].name);
    if (topic->options.n) {
        struct gb_option option = option_entry(topic->options, (uint32_t)i);
        option_table_help((struct option_table){&option, 1}, HELP_PLAIN, width, out);
    } else {
        write_entry(&topic->entries[i], HELP_PLAIN, width, out);
    }
}

/* ---- as JSON, for programs ---- */

static void add_plugin(const struct plugin_info *info, struct json_writer *json)
{
    const struct gb_plugin *plugin = &info->plugin;
    json_values(json, VALUES(TEXT("kind", plugin_kind_words(plugin->kind)), TEXT("id", plugin->id),
                             TEXT("version", plugin->version), TEXT("summary", plugin->summary),
                             TEXT("devices", plugin->devices), TEXT("module", info->path)));
}

/* default null: the user has to give it. */
static void add_option(const struct gb_option *option, struct json_writer *json)
{
    json_values(json,
                VALUES(TEXT("name", option->name), TEXT("type", option_type_word(option->type)),
                       BOOL("is_list", option->type & GB_TYPE_LIST),
                       TEXT("default", option->default_value), TEXT("range", option->range),
                       TEXT("unit", option->unit)));
    json_texts(json, "choices", option->choices, option->choices ? option->n_choices : 0);
    json_values(json, VALUES(BOOL("is_identity", !(option->flags & GB_OPTION_NOT_IDENTITY)),
                             TEXT("help", option->help)));
}

static void add_switch(const struct verb_option *option, struct json_writer *json)
{
    const char letter[] = {option->letter, 0};
    json_values(json,
                VALUES(TEXT("name", option->name), TEXT("letter", option->letter ? letter : NULL),
                       TEXT("argument", option->argument), TEXT("help", option->help)));
}

static void add_entry(const struct help_topic *topic, size_t i, struct json_writer *json)
{
    json_row(json);
    if (topic->verb) {
        add_switch(&topic->verb->options[i], json);
    } else if (topic->options.n) {
        struct gb_option option = option_entry(topic->options, (uint32_t)i);
        add_option(&option, json);
    } else {
        const struct help_entry *entry = &topic->entries[i];
        json_values(json, VALUES(TEXT("name", entry->name), TEXT("unit", entry->unit),
                                 TEXT("help", entry->help)));
    }
    json_close(json, JSON_OBJECT);
}

static bool is_meant(const struct help_topic *topic, size_t i, const char *word)
{
    const struct help_entry *entry = &topic->entries[i];
    const struct gb_option *option = option_find(topic->options, word, NULL);
    bool is_switch = topic->verb && text_equal(entry->name + 2, word);
    return is_switch || entry_is(entry, word) || (option && text_equal(option->name, entry->name));
}

/* The topic as an object; with those of its entries that a word means; NULL: all; "": none. */
static void add_topic(const struct help_topic *topic, const char *word, struct json_writer *json)
{
    const struct verb *verb = topic->verb;
    json_row(json);
    json_values(json, VALUES(TEXT("topic", topic->name), TEXT("title", topic->title),
                             TEXT("help", verb ? verb->help : topic->words)));
    if (verb)
        json_values(json, VALUES(TEXT("operands", verb->operands), TEXT("summary", verb->summary)));
    if (topic->plugin)
        add_plugin(topic->plugin, json);
    json_open(json, "entries", JSON_ARRAY);
    for (size_t i = 0; i < topic->n; i++)
        if (!word || (*word && is_meant(topic, i, word)))
            add_entry(topic, i, json);
    json_close(json, JSON_ARRAY);
    json_close(json, JSON_OBJECT);
}

/* ---- the verb ---- */

static const struct verb_option help_options[] = {
    {"markdown", 0, NULL, "print the entries as a Markdown table"},
    {"roff", 0, NULL, "print the entries for a manual page"},
    {"format", 'f', "FORMAT", "text or json"},
    {"plugin-path", 'p', "FOLDER...", "look for plugins in FOLDER first; may be repeated"},
};

/* What is looked for, and where. */
struct search {
    struct arena arena;
    struct help_topics topics;
    struct catalogue catalogue; /* once words of plugins are looked for */
    int style;
    bool is_json;
    size_t width;
    struct text out;
    struct json_writer json; /* of out */
};

static void write_overview(struct verb_table verbs, struct search *search)
{
    struct text *out = &search->out;
    text_add(out,
             "usage: gbrun VERB [OPTION...]\n       gbrun -c FILE   (the same as gbrun run -c "
             "FILE)\n\nMeasures code that lives in plugins: kernels on GPUs and CPUs.\n\nverbs:\n");
    for (size_t i = 0; i < verbs.n; i++)
        text_printf(out, "  %-8s  %s\n", verbs.items[i]->name, verbs.items[i]->summary);
    text_add(out, "\ntopics of gbrun help:\n");
    for (size_t i = 0; i < search->topics.n; i++) {
        const struct help_topic *topic = &search->topics.items[i];
        bool is_new = !topic->verb && !text_equal(topic->name, "verbs") &&
                      !text_equal(topic->name, search->topics.items[i - 1].name);
        if (is_new)
            text_printf(out, "  %-11s  %s\n", topic->name,
                        text_equal(topic->name, "columns") ? "columns of tables and exports"
                                                           : topic->title);
    }
    text_add_wrapped(out,
                     "\n`gbrun help VERB`, `gbrun help PLUGIN` and `gbrun help TOPIC` explain "
                     "these, `gbrun help WORD` any option, key, column or mark, `gbrun help TOPIC "
                     "WORD` one of them. `gbrun list plugins` names the plugins, `gbrun list "
                     "keywords` all words; `gbrun --version` prints the version.\n",
                     0, 0, search->width);
}

static size_t count_topics(const struct search *search, const char *name)
{
    size_t n = 0;
    for (size_t i = 0; i < search->topics.n; i++)
        n += text_equal(search->topics.items[i].name, name);
    return n;
}

/* Topics of that name; of several each has its title. */
static size_t write_topics(struct search *search, const char *name)
{
    static const char *const titles[] = {
        [HELP_PLAIN] = "\n", [HELP_MARKDOWN] = "\n## %s\n\n", [HELP_ROFF] = ".SS %s\n"};
    size_t n = count_topics(search, name);
    for (size_t i = 0, n_written = 0; i < search->topics.n; i++) {
        const struct help_topic *topic = &search->topics.items[i];
        if (!text_equal(topic->name, name))
            continue;
        if (search->is_json) {
            add_topic(topic, NULL, &search->json);
            continue;
        }
        if (n > 1 && (n_written++ || search->style != HELP_PLAIN))
            text_printf(&search->out, titles[search->style], topic->title);
        write_topic(topic, search->style, search->width, &search->out);
    }
    return n;
}

/* Where else a word stands that is a topic: "run" is a verb and a column. */
static void write_elsewhere(struct search *search, const char *name)
{
    const char *last = "verbs";
    for (size_t i = 0; i < search->topics.n; i++) {
        const struct help_topic *topic = &search->topics.items[i];
        for (size_t j = 0; j < topic->n && !text_equal(topic->name, last); j++)
            if (entry_is(&topic->entries[j], name)) {
                text_printf(&search->out, "%s`gbrun help %s %s`",
                            text_equal(last, "verbs") ? "\nalso: " : ", ", topic->name, name);
                last = topic->name;
            }
    }
    text_add(&search->out, text_equal(last, "verbs") ? "" : "\n");
}

/* Entries that a word means, of topics of a name or of all (NULL). */
static size_t write_entries(struct search *search, const char *topic, const char *word)
{
    size_t n = 0;
    for (size_t i = 0; i < search->topics.n; i++) {
        const struct help_topic *at = &search->topics.items[i];
        size_t n_before = n;
        bool is_asked = topic ? text_equal(at->name, topic) : !text_equal(at->name, "verbs");
        for (size_t j = 0; is_asked && j < at->n; j++) {
            if (!is_meant(at, j, word))
                continue;
            if (!search->is_json) {
                text_add(&search->out, n ? "\n" : "");
                write_titled(at, j, search->width, &search->out);
            }
            n++;
        }
        if (search->is_json && n > n_before)
            add_topic(at, word, &search->json);
    }
    return n;
}

/* Of everything that can be asked for, topics and their entries; with a topic only of its. */
static const char *nearest_name(struct search *search, const char *topic, const char *word)
{
    const char **names = NULL;
    size_t n = 0;
    for (size_t i = 0; i < search->topics.n; i++) {
        const struct help_topic *at = &search->topics.items[i];
        if (topic && !text_equal(at->name, topic))
            continue;
        if (!topic)
            ARENA_APPEND(&search->arena, names, n, at->name);
        for (size_t j = 0; j < at->n; j++)
            ARENA_APPEND(&search->arena, names, n,
                         at->entries[j].name + (at->verb ? strlen("--") : 0));
    }
    return text_nearest(WORDS_OF(names, n), word);
}

static int unknown_name(struct search *search, const char *topic, const char *word)
{
    const struct module_failure *failure = catalogue_failure(&search->catalogue, word);
    if (failure)
        return fail_usage("help: %s cannot be used: %s", failure->path, failure->reason);
    const char *nearest = nearest_name(search, topic, word);
    if (nearest)
        return fail_usage("help%s%s: unknown name '%s'; did you mean '%s'?", topic ? " " : "",
                          topic ? topic : "", word, nearest);
    if (topic)
        return fail_usage("help %s: unknown name '%s': `gbrun help %s` lists what there is", topic,
                          word, topic);
    return fail_usage("help: unknown name '%s': expected a verb, a plugin, a topic, or a word that "
                      "`gbrun list keywords` lists",
                      word);
}

/* A topic, a word, or a topic and one of its words; words may have blanks: "timed out". */
static int find(struct search *search, struct words words)
{
    CLEANUP(text_free) struct text all = {0};
    for (size_t i = 0; i < words.n; i++)
        text_printf(&all, "%s%s", i ? " " : "", words.items[i]);
    const char *word = text_get(&all), *topic = words.items[0];
    if (write_topics(search, word) ||
        (search->style == HELP_PLAIN && write_entries(search, NULL, word)))
        return EXIT_FINE;
    if (words.n == 1 || !count_topics(search, topic))
        return unknown_name(search, NULL, word);
    word += strlen(topic) + 1;
    return write_entries(search, topic, word) ? EXIT_FINE : unknown_name(search, topic, word);
}

/* The same among plugins, too; without words, all of them. */
static int find_in_all(const struct arguments *arguments, struct search *search, struct words words)
{
    int code = catalogue_read(arguments, &search->arena, &search->catalogue);
    if (code != EXIT_FINE)
        return code;
    add_plugins(&search->catalogue, &search->arena, &search->topics);
    add_index(&search->arena, &search->topics);
    if (words.n > 0)
        return find(search, words);
    for (size_t i = 0; i < search->topics.n; i++)
        add_topic(&search->topics.items[i], "", &search->json);
    return EXIT_FINE;
}

static int run_help(const struct arguments *arguments)
{
    struct words words = arguments->operands;
    const char *format = argument(arguments, "format");
    struct search search = {.width = output_width(HELP_COLUMNS),
                            .is_json = format && text_equal(format, "json")};
    struct json_writer *json = &search.json;
    int code = EXIT_FINE;
    if (format && !search.is_json && !text_equal(format, "text"))
        return fail_usage("--format %s: expected text or json", format);
    if (search.is_json && (argument(arguments, "roff") || argument(arguments, "markdown")))
        return fail_usage("--format json: expected no --roff or --markdown with it");
    search.style = argument(arguments, "roff")       ? HELP_ROFF
                   : argument(arguments, "markdown") ? HELP_MARKDOWN
                                                     : HELP_PLAIN;
    find_topics(arguments->verbs, &search.arena, &search.topics);
    if (search.is_json) {
        json->out = &search.out;
        json_open(json, NULL, JSON_OBJECT);
        json_text(json, "format", "gbrun help 1");
        json_open(json, "topics", JSON_ARRAY);
    }
    /* A plugin may have the name of a verb. */
    if (words.n == 2 && text_equal(words.items[0], "plugin")) {
        search.topics.n = 0;
        code = find_in_all(arguments, &search, (struct words){words.items + 1, 1});
    } else if (words.n == 0 && !search.is_json) {
        write_overview(arguments->verbs, &search);
    } else if (words.n == 1 && write_topics(&search, words.items[0])) {
        if (search.style == HELP_PLAIN && !search.is_json)
            write_elsewhere(&search, words.items[0]);
    } else {
        code = find_in_all(arguments, &search, words);
    }
    if (search.is_json) {
        json_close(json, JSON_ARRAY);
        json_close(json, JSON_OBJECT);
        text_add(&search.out, "\n");
    }
    if (code == EXIT_FINE)
        fputs(text_get(&search.out), stdout);
    text_free(&search.out);
    arena_free(&search.arena);
    return code;
}

const struct verb verb_help_on = {
    .name = "help",
    .operands = "[TOPIC] [WORD]",
    .summary = "Explain a verb, a plugin, or any word of a configuration or a table",
    .help = "TOPIC is a verb, a plugin or one of the topics that `gbrun help` lists; WORD an "
            "option, a key, a column, a mark, a verdict or a status, of TOPIC or wherever it is. "
            "Everything is printed from the tables that the program itself and the plugins are "
            "read by. As JSON without TOPIC that is all topics without their entries. `gbrun help "
            "plugin call` is the plugin, where a verb has its name.",
    VERB_OPTIONS(help_options),
    .run = run_help,
};
