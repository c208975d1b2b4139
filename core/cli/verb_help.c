/* verb_help.c - gbrun help: finds what is asked for among the topics of help.h. */
#include "core/base/json_writer.h"
#include "core/cli/help.h"
#include "core/cli/verbs.h"

#include <stdio.h>
#include <string.h>

static const struct verb_option help_options[] = {
    {"markdown", 0, NULL, "print the entries as a Markdown table"},
    {"roff", 0, NULL, "print the entries for a manual page"},
    {"format", 'f', "FORMAT", "text or json"},
    {"plugin-path", 'p', "FOLDER", "look for plugins in FOLDER first; may be repeated"},
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

/* ---- as JSON ---- */

/* Every entry of a topic, those that a word means, or none. */
static bool chooses_all(const struct help_topic *topic, size_t i, const void *context)
{
    (void)topic, (void)i, (void)context;
    return true;
}

static bool chooses_none(const struct help_topic *topic, size_t i, const void *context)
{
    (void)topic, (void)i, (void)context;
    return false;
}

static bool chooses_word(const struct help_topic *topic, size_t i, const void *context)
{
    const char *word = context, *map_key;
    const struct help_entry *entry = &topic->entries[i];
    const struct gb_option *option = option_find(topic->options, word, &map_key);
    bool is_switch = topic->verb && text_equal(entry->name + 2, word);
    return is_switch || help_entry_is(entry, word) ||
           (option && text_equal(option->name, entry->name));
}

static void begin_json(struct search *search)
{
    search->json.out = &search->out;
    json_open(&search->json, NULL, JSON_OBJECT);
    json_text(&search->json, "format", "gbrun help 1");
    json_open(&search->json, "topics", JSON_ARRAY);
}

static void end_json(struct search *search)
{
    json_close(&search->json, JSON_ARRAY);
    json_close(&search->json, JSON_OBJECT);
    text_add(&search->out, "\n");
}

/* ---- as text ---- */

static void list_topics(struct search *search)
{
    for (size_t i = 0; i < search->topics.n; i++)
        help_topic_json(&search->topics.items[i], chooses_none, NULL, &search->json);
}

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
            help_topic_json(topic, chooses_all, NULL, &search->json);
            continue;
        }
        if (n > 1 && (n_written++ || search->style != HELP_PLAIN))
            text_printf(&search->out, titles[search->style], topic->title);
        help_topic_write(topic, search->style, search->width, &search->out);
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
            if (help_entry_is(&topic->entries[j], name)) {
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
            if (!chooses_word(at, j, word))
                continue;
            if (!search->is_json) {
                text_add(&search->out, n ? "\n" : "");
                help_entry_write(at, j, search->width, &search->out);
            }
            n++;
        }
        if (search->is_json && n > n_before)
            help_topic_json(at, chooses_word, word, &search->json);
    }
    return n;
}

/* Everything that can be asked for: topics, then their entries. */
struct names {
    const struct help_topics *topics;
    const char *topic; /* only entries of these */
    size_t n;
};

static const char *name_at(const void *table, size_t i)
{
    const struct names *names = table;
    for (size_t j = 0; j < names->topics->n; j++) {
        const struct help_topic *topic = &names->topics->items[j];
        if (names->topic && !text_equal(topic->name, names->topic))
            continue;
        if (!names->topic && i-- == 0)
            return topic->name;
        if (i < topic->n)
            return topic->entries[i].name + (topic->verb ? strlen("--") : 0);
        i -= topic->n;
    }
    return NULL;
}

static const char *nearest_name(const struct search *search, const char *topic, const char *word)
{
    struct names names = {&search->topics, topic, 0};
    while (name_at(&names, names.n))
        names.n++;
    return text_nearest(word, names.n, name_at, &names);
}

static int unknown_name(const struct search *search, const char *topic, const char *word)
{
    const struct module_failure *failure = catalogue_failure(&search->catalogue, word);
    if (failure)
        return fail_usage("help: %s cannot be used: %s", failure->path, failure->reason);
    const char *nearest = nearest_name(search, topic, word);
    if (nearest)
        return fail_usage("help%s%s: unknown name '%s', did you mean '%s'?", topic ? " " : "",
                          topic ? topic : "", word, nearest);
    if (topic)
        return fail_usage("help %s: unknown name '%s': `gbrun help %s` lists what there is", topic,
                          word, topic);
    return fail_usage("help: unknown name '%s': expected a verb, a plugin, a topic, or a word that "
                      "`gbrun list keywords` lists",
                      word);
}

/* A topic, a word, or a topic and one of its words; words may have blanks: "timed out". */
static int find(struct search *search, const char *const *operands, size_t n)
{
    CLEANUP(text_free) struct text all = {0}, rest = {0};
    for (size_t i = 0; i < n; i++) {
        text_printf(&all, "%s%s", i ? " " : "", operands[i]);
        if (i)
            text_printf(&rest, "%s%s", i > 1 ? " " : "", operands[i]);
    }
    const char *word = text_get(&all);
    if (write_topics(search, word) ||
        (search->style == HELP_PLAIN && write_entries(search, NULL, word)))
        return EXIT_FINE;
    if (n == 1 || !count_topics(search, operands[0]))
        return unknown_name(search, NULL, word);
    return write_entries(search, operands[0], text_get(&rest))
               ? EXIT_FINE
               : unknown_name(search, operands[0], text_get(&rest));
}

/* The same among plugins, too; without operands, all of them. */
static int find_in_all(const struct arguments *arguments, struct search *search,
                       const char *const *operands, size_t n)
{
    int code = catalogue_read(arguments, &search->arena, &search->catalogue);
    if (code != EXIT_FINE)
        return code;
    help_topics_add_plugins(&search->catalogue, &search->arena, &search->topics);
    help_topics_add_index(&search->arena, &search->topics);
    if (n > 0)
        return find(search, operands, n);
    list_topics(search);
    return EXIT_FINE;
}

static int run_help(const struct arguments *arguments)
{
    const char *const *operands;
    size_t n = argument_operands(arguments, &operands);
    const char *format = argument(arguments, "format");
    struct search search = {.width = output_width(HELP_COLUMNS),
                            .is_json = format && text_equal(format, "json")};
    int code = EXIT_FINE;
    if (format && !search.is_json && !text_equal(format, "text"))
        return fail_usage("--format %s: expected text or json", format);
    if (search.is_json && (argument(arguments, "roff") || argument(arguments, "markdown")))
        return fail_usage("--format json: expected no --roff and no --markdown beside it");
    search.style = argument(arguments, "roff")       ? HELP_ROFF
                   : argument(arguments, "markdown") ? HELP_MARKDOWN
                                                     : HELP_PLAIN;
    help_topics_find(argument_verbs(arguments), &search.arena, &search.topics);
    if (search.is_json)
        begin_json(&search);
    /* A plugin may have the name of a verb. */
    const bool is_plugin = n == 2 && text_equal(operands[0], "plugin");
    if (is_plugin)
        search.topics.n = 0;
    if (is_plugin) {
        code = find_in_all(arguments, &search, operands + 1, 1);
    } else if (n == 0 && !search.is_json) {
        write_overview(argument_verbs(arguments), &search);
    } else if (n == 1 && write_topics(&search, operands[0])) {
        if (search.style == HELP_PLAIN && !search.is_json)
            write_elsewhere(&search, operands[0]);
    } else {
        code = find_in_all(arguments, &search, operands, n);
    }
    if (search.is_json)
        end_json(&search);
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
    .help =
        "TOPIC is a verb, a plugin or one of the topics that `gbrun help` lists; WORD an option, a "
        "key, a column, a mark, a verdict or a status, of TOPIC or wherever it is. Everything is "
        "printed from the tables that the program itself and the plugins are read by. As JSON "
        "without TOPIC that is all topics without their entries. `gbrun help plugin call` is the "
        "plugin, "
        "where a verb has its name.",
    VERB_OPTIONS(help_options),
    .run = run_help,
};
