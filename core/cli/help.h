/*
 * help.h - all that `gbrun help` knows, as topics with entries: verbs, plugins, sections, columns
 * and the words that configurations and tables are made of. Help, `gbrun list keywords`, manual
 * pages, docs/reference and shell completion print these and have no texts of their own.
 */
#pragma once

#include "core/cli/arguments.h"
#include "core/config/catalogue.h"
#include "core/config/option_table.h"

struct help_topic {
    const char *name;  /* what to ask for; several topics may have one name */
    const char *title; /* "policy steady", "columns of samples" */
    const char *words; /* paragraphs, a line each; "" */
    const struct help_entry *entries;
    size_t n;
    /* Where the entries come from, if they are no plain words. */
    const struct verb *verb;
    struct option_table options;
    const struct plugin_info *plugin;
};

struct help_topics {
    struct help_topic *items;
    size_t n;
};

/* Topics without a plugin. Memory: the arena's. */
void help_topics_find(struct verb_table verbs, struct arena *arena, struct help_topics *ret);
/* The plugins, after them. */
void help_topics_add_plugins(const struct catalogue *catalogue, struct arena *arena,
                             struct help_topics *topics);

/* The topic "topics", of all that there are by now. */
void help_topics_add_index(struct arena *arena, struct help_topics *topics);

/* Is the entry meant by a word? Its name, or the part of it before a placeholder: "sweep" and
 * "sweep.rows" for sweep.KEY, "policy" for [policy NAME]. */
bool help_entry_is(const struct help_entry *entry, const char *word);

/* style: HELP_... of option_table.h; width: of plain help. */
void help_topic_write(const struct help_topic *topic, int style, size_t width, struct text *out);
/* One entry with its topic's title; plain. */
void help_entry_write(const struct help_topic *topic, size_t i, size_t width, struct text *out);

/* The topic as an object, with those of its entries that are chosen. */
struct json_writer;
typedef bool help_chooses_fn(const struct help_topic *topic, size_t i, const void *context);
void help_topic_json(const struct help_topic *topic, help_chooses_fn *chooses, const void *context,
                     struct json_writer *json);

/* Of help_texts.c. */
extern const struct help_topic help_texts[];
extern const size_t n_help_texts;
