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

/* All topics, those of plugins and the topic "topics" at the end; without plugins, if they cannot
 * be read: it says so, and returns an exit code. Memory: the arena's. */
int help_topics_read(const struct arguments *arguments, struct arena *arena,
                     struct help_topics *ret);

/* Of help_texts.c. */
extern const struct help_topic help_texts[];
extern const size_t n_help_texts;
